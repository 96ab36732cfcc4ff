"""Uses an installed or bundled copy once: opens the real example, types a number, reads About, lets the small model
predict a letter, writes figures, a workbook and a solution, and opens a workbook.

PYTHON packaging/smoke_test.py [FOLDER]     with the Python of the environment that the wheel is installed in, with the
                                            extras models and xlsx; pictures of the window go into FOLDER

A bundle carries the same as a program of its own. Exits with 0 if everything was there.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from contextlib import redirect_stdout
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QFontDatabase, QKeyEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QMessageBox, QTableView, QTextBrowser, QWidget

import attn_gui
from attn_gui.app.start import run
from attn_gui.cli import main as command_line
from attn_gui.paths import resource

CHECKOUT = Path(__file__).resolve().parents[1]
BUNDLED = getattr(sys, "frozen", False)
EXAMPLE, SMALL = (resource("examples", f"{name}.npz") for name in ("minilm-layer2", "worked-example"))
MODEL, LETTERS, NEXT = resource("models", "toy-induction"), "q w e r t y q w e r", "t"
PICTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else None
PATIENCE_MS = 120_000
LICENSES = ("Inter", "Noto Sans CJK SC", "SIL OPEN FONT LICENSE", "MIT license")
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "gif": b"GIF8", "xlsx": b"PK", "tex": b"% "}


class Visit:
    """Waits for the window, types into it, reads its About and help, drops the model on it, reads what it predicts."""

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
        elif window and large and large.isVisible() and "edit" not in self.seen:
            self._edit(window)  # again, until the rooms are there: this clock ticks before what a person types comes in
        elif window and "edit" in self.seen and "about" not in self.seen:
            self.seen += ["window", "about"]
            QTimer.singleShot(0, window.findChild(QAction, "action.about").trigger)  # this clock ticks beside it
        elif window and set(LICENSES) <= set(self.seen) and "dropped" not in self.seen:
            self.seen += ["dropped", *self._helped(window)]
            QTimer.singleShot(0, lambda: drop(MODEL, window))
        elif window and "dropped" in self.seen and self._predicts(window):
            self._keep(window, "model")
            QTimer.singleShot(0, window.close)

    def _edit(self, window: QMainWindow) -> None:
        table = window.findChild(QTableView, "table.query")
        table.setFocus()
        table.setCurrentIndex(table.model().index(1, 1))
        for key, text in ((Qt.Key.Key_7, "7"), (Qt.Key.Key_Return, "\r")):
            QApplication.sendEvent(table.focusProxy() or QApplication.focusWidget() or table, pressed(key, text))
        if float(table.model().index(1, 1).data(Qt.ItemDataRole.EditRole)) == 7.0:
            self.seen.append("edit")

    def _helped(self, window: QMainWindow) -> list[str]:
        """Return whether the help stands beside the window, with pages in it."""
        window.findChild(QAction, "action.help").trigger()
        beside = window.findChild(QWidget, "dialog.help")
        found = beside is not None and beside.isVisible() and len(beside.findChild(QTextBrowser).toPlainText()) > 100
        if beside is not None:
            self._keep(beside, "help")
            beside.close()
        return ["help"] if found else []

    def _read(self, about: QDialog) -> None:
        self._keep(about.parentWidget().window(), "example")
        text = about.findChild(QTextBrowser).toPlainText()
        self.seen += [name for name in LICENSES if name in text]
        about.close()

    def _predicts(self, window: QMainWindow) -> bool:
        """Return whether the model on the table says which letter follows those that it comes with."""
        table = window.findChild(QTableView, "model.predictions")
        rows = table.model() if table is not None and table.isVisible() else None
        if rows is None or not rows.rowCount() or not rows.index(0, 0).data():
            return False
        self.seen.append("prediction")
        return True

    def _keep(self, widget: QWidget, name: str) -> None:
        if PICTURES is not None:
            widget.grab().save(str(PICTURES / f"{name}.png"))


def drop(path: Path, window: QMainWindow) -> None:
    """Drag a file or folder from elsewhere onto the window."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(window.rect().center(), *how))
    QApplication.sendEvent(window, QDropEvent(QPointF(window.rect().center()), *how))


def pressed(key: Qt.Key, text: str) -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, text)


def files() -> list[str]:
    """Return the formats that the command line has written, and whether a workbook was read and a letter predicted."""
    with tempfile.TemporaryDirectory() as folder:
        command_line(["export", str(EXAMPLE), "-o", folder, "--heads", "3", "--format", "png", "svg", "pdf"])
        command_line(["export", str(SMALL), "-o", folder, "--page", "sweep", "--format", "gif", "--dpi", "40"])
        command_line(["export", str(SMALL), "-o", folder, "--format", "xlsx"])
        command_line(["solution", str(SMALL), "-o", folder, "--format", "tex", "--lang", "zh"])
        found = [path.suffix[1:] for path in Path(folder).iterdir() if begins_well(path)]
        return [*found, *(["workbook"] if reads_a_workbook(Path(folder, "book.xlsx")) else [])]


def begins_well(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).startswith(BEGINNINGS[path.suffix[1:]])


def reads_a_workbook(path: Path) -> bool:
    """Return whether a workbook of three sheets of numbers is the problem of these numbers."""
    from openpyxl import Workbook

    book, problem = Workbook(), attn_gui.load(SMALL)
    for name in ("query", "key", "value"):
        sheet = book.create_sheet(name)
        for row in np.asarray(getattr(problem, name)).tolist():
            sheet.append(row)
    book.save(path)
    return bool(np.array_equal(attn_gui.compute(attn_gui.load(path))["weights"], attn_gui.compute(problem)["weights"]))


def predicted() -> list[str]:
    """Return the letter that the command line has the small model predict, if it is the one that came after before."""
    with redirect_stdout(io.StringIO()) as said:
        command_line(["model", str(MODEL), "--text", LETTERS])
    return ["letter"] if likeliest(said.getvalue()) == NEXT else []


def likeliest(said: str) -> str:
    """Return the first token below the line that tells what is predicted."""
    lines = said.splitlines()
    return next((lines[place + 1].split()[1] for place, line in enumerate(lines) if line.startswith("predicted")), "")


def main() -> int:
    assert BUNDLED or Path(attn_gui.__file__).parent != CHECKOUT / "attn_gui", f"this is the checkout: {CHECKOUT}"
    app = QApplication([])
    visit = Visit(app)
    code = run([EXAMPLE], lang="zh")
    seen = [*visit.seen, *files(), *predicted()]
    missing = {"window", "edit", "about", "help", "prediction", "workbook", "letter", *LICENSES, *BEGINNINGS} - set(
        seen
    )
    print(f"{Path(attn_gui.__file__).parent}: {', '.join(seen)}; missing: {', '.join(sorted(missing)) or 'nothing'}")
    assert "Noto Sans CJK SC" in QFontDatabase.families()
    return 1 if code or missing else 0


if __name__ == "__main__":
    sys.exit(main())
