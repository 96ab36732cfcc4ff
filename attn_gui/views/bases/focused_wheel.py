"""A wheel that turns only what has the focus."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent

from attn_gui.views.bases.mixin import WidgetMixin


class FocusedWheel(WidgetMixin):
    """A widget that a passing wheel does not turn: what it stands in scrolls."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
