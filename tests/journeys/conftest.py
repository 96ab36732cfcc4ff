"""A person in front of the window: finds things by their names, presses keys and clicks, looks at pixels."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeySequence,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListView,
    QMainWindow,
    QMessageBox,
    QTableView,
    QTabWidget,
    QWidget,
)
from shiboken6 import isValid

from attn_gui.app.files.examples import FIRST, example_of
from attn_gui.app.program import Program
from attn_gui.app.shell import Shell
from attn_gui.app.start_page import StartPage
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.document.typed_numbers import shortest
from attn_gui.engine import Problem
from attn_gui.paths import resource
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.dialogs.action_search import ActionSearch
from tests.seen import colors_of

LEFT = Qt.MouseButton.LeftButton
PATIENCE_MS = 120_000
W = TypeVar("W", bound=QWidget)


class Person:
    """Everything goes through the widgets' object names and real events; `program` is for those who judge it."""

    def __init__(self, program: Program, path: Path | None = None) -> None:
        self.program = program
        self.window: QMainWindow = program.window
        self._path, self._look, self._size = path, vars(program.view.look), program.window.size()
        self._language, self._begin = program.appearance.language, lambda _person: None

    def beginning(self, gestures: Callable[[Person], object]) -> Person:
        """Do `gestures` now, and whenever a part of the journey begins `again`."""
        self._begin = gestures
        gestures(self)
        return self

    def again(self, about: str, other: Problem | str | None = None) -> None:
        """Open what the journey began with anew, or another problem or example, unsaved changes left, and look at it as
        at first.

        A part of a journey that cannot go on from the one before begins so, which takes as long as a document takes to
        open; the output of a failure ends with what it is `about`.
        """
        print(about)
        program, window = self.program, self.window
        while (menu := QApplication.activePopupWidget()) is not None:
            menu.close()
        for panel in filter(QWidget.isVisible, window.findChildren(PopupFrame)):
            panel.close_panel()
        for tool in ("mask_tool", "target_tool"):
            if self.action(tool).isChecked():
                self.do(tool)
        assert window.commit_typed(), "the part before leaves something open that is refused"
        program.document.mark_kept()  # nobody is asked
        program.document.snapshots.mark_saved(program.document.snapshots.all)
        path = resource("examples", other) if isinstance(other, str) else self._path
        if isinstance(other, Problem):
            program.document.open(other, name="given")
        elif path is not None:
            program.files.open_path(path)
            self.until(lambda: not program.files.opening.busy)
        else:
            program.files.open_fallback_example(example_of(FIRST))
        self.wait()
        program.view.set(**self._look)
        if program.appearance.language != self._language:
            self.do(f"language_{self._language}")
        window.resize(self._size)
        window.inspector.findChild(QTabWidget).setCurrentIndex(0)
        window.banner.hide()
        self._come_back(window)
        window.product.focus_map()
        self._begin(self)
        self.wait()

    # --- finding ---------------------------------------------------------------------------------
    def find(self, name: str, kind: type[W] = QWidget) -> W:  # type: ignore[assignment]
        """The widget of this name, once all that has come of the last gesture is shown."""
        self.look()
        found = self.window.findChild(kind, name)
        assert found is not None, f"nothing is named {name}"
        return found

    def has(self, name: str) -> bool:
        self.look()
        return self.window.findChild(QWidget, name) is not None

    def action(self, name: str) -> QAction:
        self.look()
        found = self.window.findChild(QAction, f"action.{name}")
        assert found is not None, f"no action {name}"
        return found

    def table(self, field: str) -> QTableView:
        return self.find(f"table.{field}", QTableView)

    def focus(self) -> QWidget:
        found = QApplication.focusWidget()
        assert found is not None, "nothing has the focus"
        return found

    # --- keys and clicks -------------------------------------------------------------------------
    def do(self, *actions: str) -> None:
        """Choose actions of the menus one after another, each of which has to be enabled then."""
        for action in actions:
            self.look()
            assert self.action(action).isEnabled(), f"{action} is grey"
            self.action(action).trigger()
            if action.startswith("language_"):  # it comes by an event, and what it makes anew is laid out by another
                QCoreApplication.processEvents()
                self.look()
                QCoreApplication.processEvents()
            self.look()

    def press(self, *keys: str) -> None:
        """Keys as manuals write them, "Ctrl+Z" or "F2", one after another, to whatever has the focus."""
        for each in keys:
            widget = QApplication.focusWidget() or self.window
            if each.startswith(("Shift+Tab", "Backtab")):
                QTest.keyClick(widget, Qt.Key.Key_Backtab, Qt.KeyboardModifier.ShiftModifier)
            else:
                QTest.keySequence(widget, QKeySequence(each))
            self.look()

    def type(self, text: str, end: str = "") -> None:
        """Letters one by one, to whatever has the focus then (the first may open an editor), and a key at the `end`."""
        for letter in text:
            QTest.keyClick(self.focus(), letter) if letter.isascii() else _compose(self.focus(), letter)
        if end:
            self.press(end)

    def click(self, widget: QWidget | str) -> None:
        target = self.find(widget) if isinstance(widget, str) else widget
        for _ in range(10):  # what was just made anew is laid out in a turn or two
            if isinstance(widget, str) and not target.isVisible():
                QTest.qWait(1)
                target = self.find(widget)
        assert target.isVisible(), f"{target.objectName()} cannot be seen"
        assert target.isEnabled(), f"{target.objectName()} is grey"
        QTest.mouseClick(target, LEFT)
        self.look()

    @staticmethod
    def turn_wheel(widget: QWidget, notches: float, at: QPoint | None = None) -> None:
        """Turn the wheel over a place of a widget, its middle if none is given."""
        place, none = QPointF(at or widget.rect().center()), Qt.MouseButton.NoButton
        over, turn = QPointF(widget.mapToGlobal(place)), QPoint(0, round(120 * notches))
        keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(widget, QWheelEvent(place, over, QPoint(), turn, none, keys, phase, False))

    def look(self) -> None:
        """Let the window show all that has come of a gesture, as the next press of a person does."""
        if not self.program.computation.notified:
            self.program.view.notify_all()

    def _wait_for_document(self) -> None:
        """Until the window shows the document that has been opened, painted and laid out between its parts."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not self.program.computation.notified:
            assert time.monotonic() < end, "somebody is never told"
            QTest.qWait(1)

    def button(self, text: str, inside: str | QWidget) -> QAbstractButton:
        """The visible button with these words."""
        holder = self.find(inside) if isinstance(inside, str) else inside
        shown = [button for button in holder.findChildren(QAbstractButton) if button.isVisible()]
        found = [button for button in shown if button.text().replace("&", "") == text]
        assert found, f"no button {text!r} among {[button.text() for button in shown]}"
        return found[0]

    def pick(self, name: str, key: str) -> None:
        """Open a list with the mouse and choose with the keyboard."""
        self.choose(self.find(f"control.{name}", QComboBox), key)

    def choose(self, box: QComboBox, key: object) -> None:
        QTest.mouseClick(box, LEFT)
        QTest.keyClick(box.view(), Qt.Key.Key_Home)
        for _ in range(box.findData(key)):
            QTest.keyClick(box.view(), Qt.Key.Key_Down)
        QTest.keyClick(box.view(), Qt.Key.Key_Return)
        self._come_back(box.window())
        self.look()

    def overwrite(self, field: QWidget, text: str, end: str = "Return") -> None:
        """Type over what stands in a field."""
        if QApplication.activeWindow() is not field.window():  # one of an earlier test may have gone only now
            self._come_back(field.window())
        field.setFocus()
        self.press("Ctrl+A")
        QTest.keyClicks(field, text) if text else self.press("Del")
        if end:
            self.press(end)

    def size(self, name: str, value: int | str) -> None:
        """Type a size into its box and press Enter."""
        self.overwrite(self.find(f"control.{name}"), str(value))

    def wait(self, patience: float = 120.0) -> None:
        """Until everything that is made or computed off the window's thread is there."""
        program, end = self.program, time.monotonic() + patience
        while busy := self.busy():
            assert time.monotonic() < end, f"still busy: {busy}; {self._engaged()}"
            program.computation.finish()
            program.baseline.finish()
            QTest.qWait(1)

    def until(self, done: Callable[[], object]) -> None:
        """Wait for what comes off the window's thread."""
        end = time.monotonic() + PATIENCE_MS / 1000
        while not done():
            assert time.monotonic() < end, f"it never comes; {self.banner()}"
            QTest.qWait(2)

    def let_work_end(self) -> None:
        """Wait until no work goes on beside the window; what came of it is not told yet."""
        for task in self.window.findChildren(BackgroundTask):
            task.wait()

    def busy(self) -> list[str]:
        """Whatever still makes, computes or tells what is to be shown."""
        program, rooms = self.program, self.program.late
        parts = program.computation, program.baseline, program.runner, rooms.models, rooms.model, rooms.second_text
        return [type(part).__name__ for part in parts if part.busy]

    @staticmethod
    def _engaged() -> str:
        """What a person may be in the middle of: until that is over, nothing is handed over."""
        held = QApplication.activeModalWidget(), QApplication.activePopupWidget(), QApplication.focusWidget()
        names = (None if widget is None else f"{type(widget).__name__} {widget.objectName()}" for widget in held)
        return "modal {}, popup {}, focus {}, buttons {}".format(*names, QApplication.mouseButtons())

    def settle(self, *parts: str) -> None:
        """Until these of the late controllers are through, too, and what they have told is laid out."""
        self.wait()
        QTest.qWait(1)  # another language comes by an event, and an edit is painted first
        self.look()
        self.until(lambda: not any(getattr(self.program.late, part).busy for part in parts))
        self.wait()
        QTest.qWait(1)

    def rest(self) -> None:
        """Until the history has said, too, what its steps moved of the chosen cell."""
        self.wait()
        while self.program.late.cell_history.busy:
            QTest.qWait(5)

    # --- tables ----------------------------------------------------------------------------------
    def number(self, field: str, row: int, column: int) -> float:
        """A number of a table, in full."""
        model = self.table(field).model()
        return float(model.data(model.index(row, column), Qt.ItemDataRole.EditRole))

    def numbers(self, field: str) -> list[list[str]]:
        """All numbers of a table, as exact texts."""
        model = self.table(field).model()
        cells = model.cells()
        return [list(row) for row in _texts(cells.tobytes(), cells.shape, cells.dtype, model.dtype)]

    def go_to(self, field: str, row: int, column: int) -> QTableView:
        """Click a cell of a table."""
        table = self.table(field)
        index = table.model().index(row, column)
        table.scrollTo(index)
        QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())
        return table

    def select(self, field: str, row: int, column: int, rows: int, columns: int) -> None:
        """Click a cell and stretch the selection with Shift and the arrows."""
        self.go_to(field, row, column)
        self.press(*["Shift+Down"] * (rows - 1), *["Shift+Right"] * (columns - 1))

    def cell(self, field: str) -> tuple[int, int]:
        index = self.table(field).currentIndex()
        return index.row(), index.column()

    def type_into(self, field: str, row: int, column: int, text: str, end: str = "Return") -> None:
        """Click a cell, type, press Enter."""
        self.go_to(field, row, column)
        self.type(text, end)

    # --- maps ------------------------------------------------------------------------------------
    def value(self, stage: str, row: int, column: int) -> float:
        return float(self.find(f"heatmap.{stage}").cell_at(row, column)[0])

    def values(self, stage: str) -> list[list[float]]:
        """All numbers of a map, as it answers for them."""
        heatmap = self.find(f"heatmap.{stage}")
        rows, columns = heatmap.shape
        if heatmap.split is None and rows:  # read as one block: `cell_at` draws every cell
            return heatmap.plane.block(slice(0, rows), slice(0, columns))[0].astype(float).tolist()
        return [[float(heatmap.cell_at(i, j)[0]) for j in range(columns)] for i in range(rows)]

    def pixel(self, stage: str, row: int, column: int) -> tuple[QColor, QColor]:
        """(as painted near the corner of the cell, as the map says it is drawn)."""
        heatmap = self.find(f"heatmap.{stage}")
        place = heatmap.cell_rect(row, column)
        image = heatmap.grab().toImage()
        ratio = image.devicePixelRatio()
        point = QPoint(place.left() + place.width() // 4, place.top() + place.height() // 4)
        return image.pixelColor((point.toPointF() * ratio).toPoint()), heatmap.cell_at(row, column)[1]

    def colors(self, stage: str, row: int, column: int) -> set[str]:
        """Every color inside a cell, its borders left out."""
        heatmap = self.find(f"heatmap.{stage}")
        image = heatmap.grab(heatmap.cell_rect(row, column).adjusted(2, 2, -2, -2)).toImage()
        return {color.name() for color in colors_of(image)}

    def click_cell(self, stage: str, row: int, column: int) -> None:
        heatmap = self.find(f"heatmap.{stage}")
        assert heatmap.isVisible(), f"the map of {stage} cannot be seen"
        QTest.mouseClick(heatmap, LEFT, pos=heatmap.cell_rect(row, column).center())
        self.look()

    def show_stage(self, stage: str) -> None:
        """Click its small map in the spine."""
        self.click(f"node.{stage}")
        assert self.find(f"heatmap.{stage}").isVisible()

    def choose_cell(self, stage: str, row: int, column: int) -> None:
        """Show a stage and click a cell of its map."""
        self.show_stage(stage)
        self.click_cell(stage, row, column)

    # --- models ----------------------------------------------------------------------------------
    def open_toy(self, text: str = "", other: str = "") -> None:
        """Open the toy model, and let it read these texts."""
        self.do("known_toy_induction")
        self.wait()
        if not self.action("model").isChecked():  # as a part of the journey before has left it
            self.do("model")
        for name, words in (("text", text), ("other_text", other)):
            if words:
                self.overwrite(self.find(f"control.{name}"), words)
                self.wait()

    def click_head(self, layer: int, head: int) -> None:
        """Click a head of the model on the table."""
        view = self.find("model", QTableView)
        QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(layer, head)).center())

    # --- what is said ----------------------------------------------------------------------------
    def banner(self) -> str:
        banner = self.find("banner")
        return banner.text() if banner.isVisible() else ""

    def status(self) -> str:
        return " | ".join(label.text() for label in self.window.statusBar().findChildren(QLabel) if label.isVisible())

    def explanation(self) -> str:
        """Everything that the explanation says, formulas by what they say to a screen reader."""
        shown = [widget for widget in self.find("inspector").findChildren(QWidget) if widget.isVisible()]
        return "\n".join(widget.text() if isinstance(widget, QLabel) else widget.accessibleName() for widget in shown)

    def steps(self) -> list[str]:
        """The names of the history's steps, the opening first, as the list has them after the next paint."""
        model = self.find("history").findChild(QListView).model()
        model.read()
        return [str(model.index(row, 0).data()) for row in range(model.rowCount())]

    def clipboard(self, text: str | None = None) -> str:
        """Put a text on the clipboard, if one is given; what is on it."""
        if text is not None:
            QGuiApplication.clipboard().setText(text)
        return QGuiApplication.clipboard().text()

    # --- dialogs ---------------------------------------------------------------------------------
    def answering(self, kind: type[W], answer: Callable[[W], object], ask: Callable[[], object]) -> None:
        """Do `ask`, which opens a dialog that waits; `answer` it once it is there."""
        met: list[str] = []
        clock, patience = QTimer(self.window, interval=5), QTimer(self.window, interval=PATIENCE_MS)

        def look() -> None:
            dialog = QApplication.activeModalWidget() or QApplication.activeWindow()
            if isinstance(dialog, kind) and dialog.isActiveWindow() and dialog.isAncestorOf(self.focus()):
                clock.stop()
                met.append(type(dialog).__name__)
                try:
                    answer(dialog)
                except BaseException:
                    dismiss()
                    raise

        def dismiss() -> None:
            modal = QApplication.activeModalWidget() or self.window.findChild(ActionSearch)
            for left in filter(None, (QApplication.activePopupWidget(), modal)):
                left.close()

        def give_up() -> None:
            met.append("a dialog that stayed open")
            dismiss()

        clock.timeout.connect(look)
        patience.timeout.connect(give_up)
        for timer in (clock, patience):
            timer.start()
        ask()
        for timer in (clock, patience):
            timer.stop()
            timer.deleteLater()
        assert len(met) == 1, f"wanted one {kind.__name__}, met {met}"
        if self.window.isVisible():
            self._come_back(self.window)
        self._wait_for_document()

    @staticmethod
    def _come_back(window: QWidget) -> None:
        """Make a window the active one, as a window manager does when a list or dialog closes; that of the tests
        does not."""
        window.activateWindow()
        # a window counts as active for `qWaitForWindowActive` while one of its dialogs is
        end = time.monotonic() + PATIENCE_MS / 1000
        while QApplication.activeWindow() is not window:
            assert time.monotonic() < end, "the window stays in the background"
            QTest.qWait(1)
            window.activateWindow()  # again: a dialog that opened and closed meanwhile has left none active

    def choose_file(self, path: Path | str, ask: Callable[[], object]) -> None:
        """Type a path, or several in quotes, into the file dialog that `ask` opens, and press Enter."""

        def answer(dialog: QFileDialog) -> None:
            line = dialog.findChild(QLineEdit, "fileNameEdit")
            line.setCompleter(None)  # its list would pop up over the rest of the typing
            self.overwrite(line, str(path))
            if dialog.isVisible():  # where the list of completions took the Enter
                dialog.accept()

        self.answering(QFileDialog, answer, ask)

    def refuse_to_replace(self, path: Path, ask: Callable[[], object]) -> str:
        """Type a path into the file dialog that `ask` opens, and say no to what it asks then; the words of that."""
        said: list[str] = []

        def refuse(box: QMessageBox) -> None:
            said.append(box.text())
            QTest.mouseClick(box.button(QMessageBox.StandardButton.No), LEFT)

        def answer(dialog: QFileDialog) -> None:
            line = dialog.findChild(QLineEdit, "fileNameEdit")
            line.setCompleter(None)
            self.overwrite(line, str(path), end="")
            try:
                self.answering(QMessageBox, refuse, lambda: self.press("Return"))
            finally:
                dialog.reject()

        self.answering(QFileDialog, answer, ask)
        return said[0]

    def save_as(self, path: Path) -> None:
        self.choose_file(path, lambda: self.do("save_as"))
        end = time.monotonic() + PATIENCE_MS / 1000
        while self.program.files.saving.busy:
            assert time.monotonic() < end, "it is still being saved"
            QTest.qWait(1)
        assert path.exists(), self.banner()

    def open(self, path: Path) -> None:
        self.choose_file(path, lambda: self.do("open"))

    def leave(self) -> None:
        """Close the window and save nothing, as whoever answers so that is asked."""
        self.program.files.journaling.forget()
        self.program.end()

    def drop(self, *paths: Path, at: QPoint | None = None) -> None:
        """Drag files from elsewhere onto the window, out of a folder that would move them: they stay there."""
        place, data = at or QPoint(700, 200), QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
        how = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction, data, LEFT, Qt.KeyboardModifier.ShiftModifier
        entered, dropped = QDragEnterEvent(place, *how), QDropEvent(QPointF(place), *how)
        for event in (entered, dropped):
            QApplication.sendEvent(self.window, event)
            assert event.dropAction() == Qt.DropAction.CopyAction
        self._wait_for_document()


def _compose(widget: QWidget, letter: str) -> None:
    """A letter that no key of this keyboard has, as an input method commits it."""
    event = QInputMethodEvent("", [])
    event.setCommitString(letter)
    QApplication.sendEvent(widget, event)


@lru_cache(64)
def _texts(data: bytes, shape: tuple[int, ...], dtype: np.dtype[Any], kind: np.dtype[Any]) -> list[list[str]]:
    """The shortest texts of the numbers of a table, written once: a journey compares the same ones many times."""
    cells = np.frombuffer(data, dtype).reshape(shape)
    return [[shortest(number, kind) for number in row] for row in cells.tolist()]


@pytest.fixture
def launch(qtbot: object, qapp: QApplication) -> Iterator[Callable[..., Person]]:
    """Start the program, with a file or example if one is given; closed without questions at the end.

    Without one it begins with the example behind the start page, and with that page where it is asked for.
    """
    programs: list[Program] = []

    def start(
        path: Path | str | None = None, lang: str = "en", width: int = 1440, height: int = 900, *, page: bool = False
    ) -> Person:
        shell = Shell(qapp, lang)
        shell.window.resize(width, height)  # before anything is laid out
        start_page = StartPage(shell)
        if page:
            shell.window.show()
            start_page.show()
        program = Program(qapp, shell=shell, start_page=start_page, opens=path is not None)
        programs.append(program)
        path = resource("examples", path) if isinstance(path, str) else path
        program.begin(path)
        program.window.resize(width, height)
        program.window.show()
        program.window.activateWindow()
        assert QTest.qWaitForWindowActive(program.window, PATIENCE_MS)
        if QApplication.mouseButtons():  # a double click of QTest's ends with a press
            QTest.mouseRelease(program.window, LEFT)
        return Person(program, path)

    yield start
    for program in filter(isValid, programs):  # a test may have ended one
        program.end()


@pytest.fixture
def person(launch: Callable[..., Person]) -> Person:
    """Somebody in front of the worked example."""
    return launch("worked-example.npz")
