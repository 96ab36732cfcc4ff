"""Figures need an application for their fonts; the tests' own, so that widgets of other tests can still be made."""

import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.figure.text.fonts import ensure_gui


@pytest.fixture(autouse=True)
def _fonts(qapp: QApplication) -> None:
    ensure_gui()
