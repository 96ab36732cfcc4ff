"""Opens the window of an installed copy, reads what it shows, opens About, and closes it again.

PYTHON packaging/smoke_test.py     with the Python of the environment that the wheel is installed in
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction, QFontDatabase
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QTextBrowser, QWidget

import attn_gui
from attn_gui.app.shell.start import run

CHECKOUT = Path(__file__).resolve().parents[1]
PATIENCE_MS = 60_000
LICENSES = ("Inter", "Noto Sans CJK SC", "SIL OPEN FONT LICENSE", "MIT license")


class Look:
    """Waits for the window, then for its About; whatever fails ends the program with the error."""

    def __init__(self, app: QApplication) -> None:
        self.seen: list[str] = []
        self._app = app
        self._clock = QTimer(app, interval=50)
        self._clock.timeout.connect(self._look)
        self._clock.start()
        QTimer.singleShot(PATIENCE_MS, lambda: app.exit(1))

    def _look(self) -> None:
        window = next((w for w in self._app.topLevelWidgets() if isinstance(w, QMainWindow)), None)
        large = window.findChild(QWidget, "heatmap.weights") if window else None
        about = self._app.activeModalWidget()
        if isinstance(about, QDialog):
            self._read(about)
        elif window and large and large.isVisible() and "about" not in self.seen:
            self.seen += ["window", "about"]
            QTimer.singleShot(0, window.findChild(QAction, "action.about").trigger)  # this clock ticks beside it
        elif window and set(LICENSES) <= set(self.seen):
            window.close()

    def _read(self, about: QDialog) -> None:
        text = about.findChild(QTextBrowser).toPlainText()
        self.seen += [name for name in LICENSES if name in text]
        about.close()


def main() -> int:
    assert not Path(attn_gui.__file__).is_relative_to(CHECKOUT), f"this is the checkout: {attn_gui.__file__}"
    app = QApplication([])
    look = Look(app)
    code = run(lang="zh")
    missing = {"window", "about", *LICENSES} - set(look.seen)
    print(f"window and licenses of {Path(attn_gui.__file__).parent}: {', '.join(look.seen)}")
    assert "Noto Sans CJK SC" in QFontDatabase.families()
    return 1 if code or missing else 0


if __name__ == "__main__":
    sys.exit(main())
