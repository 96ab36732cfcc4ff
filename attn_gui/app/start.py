"""Starts the window: the application object, fonts, theme, language, and what is opened first."""

from __future__ import annotations

import logging
import os
import sys
import threading
from pathlib import Path

from PySide6.QtWidgets import QApplication

from attn_gui.app.program import Program
from attn_gui.figure.fonts import load_fonts

log = logging.getLogger("attn_gui")


def run(path: Path | None = None, lang: str | None = None) -> int:
    """Show the window, with a file if one is given, until it is closed; the exit code."""
    os.environ.setdefault("QT_ENABLE_HIGHDPI_SCALING", "1")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("attn_gui")
    app.setApplicationDisplayName("attn_gui")
    load_fonts()
    program = Program(app, lang=lang)
    sys.excepthook = program.report
    threading.excepthook = program.report_from_thread
    program.begin(path)
    program.window.show()
    code = app.exec()
    program.end()  # while Qt is still there
    return code
