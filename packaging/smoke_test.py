"""Uses an installed or bundled copy once: opens the real example, types a number, reads About, writes figures.

PYTHON packaging/smoke_test.py     with the Python of the environment that the wheel is installed in

A bundle carries the same as a program of its own. Exits with 0 if everything was there.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAction, QFontDatabase, QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QMessageBox, QTableView, QTextBrowser, QWidget

import attn_gui
from attn_gui.app.shell.start import run
from attn_gui.cli import main as command_line
from attn_gui.paths import resource

CHECKOUT = Path(__file__).resolve().parents[1]
BUNDLED = getattr(sys, "frozen", False)
EXAMPLE = resource("examples", "minilm-layer2.npz")
PATIENCE_MS = 60_000
LICENSES = ("Inter", "Noto Sans CJK SC", "SIL OPEN FONT LICENSE", "MIT license")
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


class Visit:
    """Waits for the window, types into it, reads its About; whatever fails ends the program with the error."""

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
        dialog = self._app.activeModalWidget()
        if isinstance(dialog, QMessageBox):  # what was typed is not to be saved
            dialog.button(QMessageBox.StandardButton.Discard).click()
        elif isinstance(dialog, QDialog):
            self._read(dialog)
        elif window and large and large.isVisible() and "about" not in self.seen:
            self.seen += ["window", "about"]
            self._edit(window)
            QTimer.singleShot(0, window.findChild(QAction, "action.about").trigger)  # this clock ticks beside it
        elif window and set(LICENSES) <= set(self.seen):
            QTimer.singleShot(0, window.close)

    def _edit(self, window: QMainWindow) -> None:
        table = window.findChild(QTableView, "table.query")
        table.setFocus()
        table.setCurrentIndex(table.model().index(1, 1))
        for key, text in ((Qt.Key.Key_7, "7"), (Qt.Key.Key_Return, "\r")):
            QApplication.sendEvent(table.focusProxy() or QApplication.focusWidget() or table, pressed(key, text))
        if float(table.model().index(1, 1).data(Qt.ItemDataRole.EditRole)) == 7.0:
            self.seen.append("edit")

    def _read(self, about: QDialog) -> None:
        text = about.findChild(QTextBrowser).toPlainText()
        self.seen += [name for name in LICENSES if name in text]
        about.close()


def pressed(key: Qt.Key, text: str) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, text)


def figures() -> list[str]:
    """The formats in which the command line has written a figure."""
    with tempfile.TemporaryDirectory() as folder:
        command_line(["export", str(EXAMPLE), "-o", folder, "--heads", "3", "--format", *BEGINNINGS])
        return [path.suffix[1:] for path in Path(folder).iterdir() if begins_well(path)]


def begins_well(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(BEGINNINGS[path.suffix[1:]])


def main() -> int:
    assert BUNDLED or not Path(attn_gui.__file__).is_relative_to(CHECKOUT), f"this is the checkout: {attn_gui.__file__}"
    app = QApplication([])
    visit = Visit(app)
    code = run(EXAMPLE, lang="zh")
    seen = [*visit.seen, *figures()]
    missing = {"window", "edit", "about", *LICENSES, *BEGINNINGS} - set(seen)
    print(f"{Path(attn_gui.__file__).parent}: {', '.join(seen)}; missing: {', '.join(sorted(missing)) or 'nothing'}")
    assert "Noto Sans CJK SC" in QFontDatabase.families()
    return 1 if code or missing else 0


if __name__ == "__main__":
    sys.exit(main())
