"""The place and size of the window at its first start."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from attn_gui.app.program import Program

SIDES, TITLE_BAR = 10, 40
"""What the frame of a window adds at most in openbox and in Windows."""


def test_the_first_window_lies_on_the_screen_with_its_frame(qapp: QApplication) -> None:
    program = Program(qapp, lang="en")
    program.begin(None)
    screen = QGuiApplication.primaryScreen().availableSize()
    for again in (lambda: None, program.layout.reset):
        again()
        assert program.window.width() + SIDES <= screen.width()
        assert program.window.height() + TITLE_BAR <= screen.height()
    program.end()
