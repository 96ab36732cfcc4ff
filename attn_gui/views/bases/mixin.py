"""The base of a mixin for widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    WidgetMixin = QWidget
else:
    WidgetMixin = object  # Qt makes one object of each of its classes; a mixin is none of its own
