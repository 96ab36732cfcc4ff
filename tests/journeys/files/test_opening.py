"""Files opened: large ones beside the window, several at once, weighed like new numbers; nothing stands still."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QProcess, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMessageBox, QToolButton

from attn_gui.app import inspector_tabs
from attn_gui.app.files import export, files
from attn_gui.app.maps import gradients
from attn_gui.app.state.background_task import AGAIN_MS, WindowTask
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem, memory
from attn_gui.formats import file_format, open_file, save
from attn_gui.formats.saving import FileSink
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.arrays_dialog import ArraysDialog
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.dialogs.export_data_dialog import ExportDataDialog
from attn_gui.views.dialogs.progress import WorkLine
from tests.failing import each
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
LIMIT = 100_000
ROWS = 701
RANDOM = np.random.default_rng(13)
ARRAYS = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}
SAID = "of new numbers; at most 25 bytes may be taken"
WRITE = FileSink.write


@pytest.fixture
def limit(monkeypatch):
    monkeypatch.setattr(files, "LARGE", LIMIT)


@pytest.fixture
def gate(limit, monkeypatch):
    """Holds up the reading of large files where a slow disk would; everything else goes on."""
    found = Gate()
    monkeypatch.setattr(file_format._ProgressFile, "readinto", found.before(file_format._ProgressFile.readinto))
    yield found
    found.open()


def large(path, rows=ROWS, **more):
    """A file just over the limit."""
    random = np.random.default_rng(rows)
    np.savez(
        path,
        **{
            "query": random.normal(size=(rows, 7)),
            "key": random.normal(size=(5, 7)),
            "value": random.normal(size=(5, 23)),
            "w_output": random.normal(size=(23, 421)),
            **more,
        },
    )
    assert path.stat().st_size > LIMIT
    return path


def rest(person):
    """Until the reading is through, and whoever hears of it has heard."""
    person.program.files.opening.wait()
    for _ in range(3):
        QApplication.processEvents()


def shown(person):
    line = person.find("opening.progress", WorkLine)
    return line.text() if line.isVisible() else ""


def idle(person):
    return not person.program.files.opening.busy and person.program.computation.notified


def rows(person):
    return person.program.document.problem.n


def answer_with(button):
    return lambda box: box.button(button).click()


# --- beside the window -----------------------------------------------------------------------------


def test_the_window_works_on_while_a_large_file_is_read(person, gate, tmp_path):
    ticks = []
    clock = QTimer(person.window, interval=5)
    clock.timeout.connect(lambda: ticks.append(1))
    clock.start()
    person.open(large(tmp_path / "big.npz"))
    gate.await_work()
    ticks.clear()
    person.until(lambda: shown(person) and len(ticks) > 10)
    assert shown(person).startswith("Opening big.npz")
    assert person.window.windowTitle() == "Worked example, five steps[*]"
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    person.click_cell("weights", 0, 1)
    assert "0.5" in person.explanation()
    gate.open()
    person.until(lambda: idle(person))
    clock.stop()
    assert shown(person) == ""
    assert (rows(person), person.window.windowTitle()) == (ROWS, "big[*]")
    assert person.number("query", 700, 6) == np.load(tmp_path / "big.npz")["query"][700, 6]
    assert not person.window.isWindowModified()

    person.again("a small file whose arrays are large is read beside the window too")
    gate.close()
    path = tmp_path / "packed.npz"
    np.savez_compressed(path, query=np.zeros((ROWS, 37)), key=np.zeros((5, 37)), value=np.zeros((5, 2)))
    assert path.stat().st_size < LIMIT
    person.drop(path)
    gate.await_work()
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("the second of two wins")
    gate.close()
    person.drop(large(tmp_path / "first.npz", 701))
    gate.await_work()
    person.drop(large(tmp_path / "second.npz", 709))
    gate.open()
    person.until(lambda: idle(person))
    rest(person)
    assert (rows(person), person.window.windowTitle()) == (709, "second[*]")
    assert [path.name for path in person.program.settings.recent()][:1] == ["second.npz"]

    person.again("an example opened meanwhile stays")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.do("example_thinking")
    gate.open()
    rest(person)
    assert person.has("table.x")
    assert shown(person) == ""

    person.again("a dialog is waited for")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    met = []

    def look(dialog):
        gate.open()
        rest(person)
        met.append(rows(person))
        dialog.reject()

    person.answering(ActionSearch, look, lambda: person.do("search_actions"))
    assert met == [2]
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("a number that is being typed is waited for")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.go_to("query", 0, 0)
    person.type("4")
    gate.open()
    rest(person)
    assert person.focus().text() == "4"
    person.press("Return")
    person.until(lambda: idle(person))
    assert person.number("query", 0, 0) == 4
    assert "was changed while it was read" in person.banner()

    person.again("the button in the status bar is not cut")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: shown(person))
    button = person.find("opening.cancel", QToolButton)
    image = button.grab().toImage()
    background = image.pixelColor(0, 0)
    inked = [
        y for y in range(image.height()) if any(image.pixelColor(x, y) != background for x in range(image.width()))
    ]
    assert len(inked) >= button.fontMetrics().tightBoundingRect("C").height()

    gate.open()
    person.until(lambda: idle(person))
    person.again("what is changed while it is read is not lost")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.type_into("query", 0, 0, "4")
    gate.open()
    person.until(lambda: idle(person))
    assert person.banner() == "big.npz was not opened: worked-example was changed while it was read."
    assert person.number("query", 0, 0) == 4
    person.type_into("query", 0, 1, "5")  # the keyboard is still in the table, and the way to the file stays
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.button("Open it now", "banner").click())
    person.until(lambda: idle(person))
    assert (rows(person), person.banner()) == (ROWS, "")

    person.again("a snapshot taken while it is read is not lost")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.do("snapshot")
    gate.open()
    person.until(lambda: idle(person))
    assert person.banner() == "big.npz was not opened: worked-example was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1

    person.again("changes that are saved meanwhile are no obstacle")
    gate.close()
    person.save_as(tmp_path / "kept.attn")
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.type_into("query", 0, 0, "4")
    person.press("Ctrl+S")
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("changes are asked for before the reading")
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.drop(large(tmp_path / "big.npz")))
    rest(person)
    assert not gate.reached
    assert person.number("query", 0, 0) == 4


def test_what_was_read_can_be_edited_and_what_is_damaged_or_does_not_fit_is_said(person, limit, tmp_path):
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: idle(person))
    before = person.number("query", 3, 5)
    person.type_into("query", 3, 5, "1/3")
    assert person.number("query", 3, 5) == pytest.approx(1 / 3)
    person.press("Ctrl+Z")
    assert person.number("query", 3, 5) == before

    person.again("a large file that is damaged says its sentence")
    path = large(tmp_path / "big.npz")
    data = bytearray(path.read_bytes())
    data[3000] ^= 1  # the checksum tells
    path.write_bytes(data)
    person.drop(path)
    person.until(lambda: idle(person))
    assert person.banner().startswith("big.npz")
    assert person.banner().endswith(".")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    assert person.window.windowTitle() == "Worked example, five steps[*]"

    person.again("a large file whose matrices do not fit offers to make them fit")
    person.drop(large(tmp_path / "big.npz", value=np.ones((23, 5))))
    person.until(lambda: idle(person))
    person.button("Transpose V", "banner").click()
    assert rows(person) == ROWS


def test_a_large_session_comes_back_with_its_view_and_is_listed(launch, limit, tmp_path):
    person = launch(SMALL)
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: idle(person))
    person.show_stage("scaled")
    person.do("decimals_4")
    person.save_as(tmp_path / "kept.attn")
    again = launch(SMALL)
    again.open(tmp_path / "kept.attn")
    person.until(lambda: idle(again))
    assert again.find("heatmap.scaled").isVisible()
    assert again.action("decimals_4").isChecked()
    assert again.program.settings.recent()[0].name == "kept.attn"
    again.type_into("query", 0, 0, "4")
    again.press("Ctrl+S")  # asks for no name
    assert not again.window.isWindowModified()


def test_a_large_file_given_at_the_start_takes_the_place_of_the_example(launch, gate, tmp_path):
    person = launch(large(tmp_path / "big.npz"))
    assert person.window.windowTitle() == "MiniLM, layer 2[*]"
    assert person.find("heatmap.weights").isVisible()
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS


# --- another wish ----------------------------------------------------------------------------------


@pytest.fixture
def small(launch):
    return launch(SMALL)


@each("how", ["esc", "button"])
def test_calling_it_off_leaves_everything_as_it_is(small, gate, tmp_path, how):
    person = small
    person.again(how)
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.drop(large(tmp_path / "big.npz")))
    person.until(lambda: shown(person))
    person.press("Esc", "Esc") if how == "esc" else person.click("opening.cancel")  # the first one leaves the table
    assert shown(person) == ""
    gate.open()
    rest(person)
    assert (person.number("query", 0, 0), person.window.isWindowModified()) == (4, True)
    assert person.banner() == ""
    person.press("Ctrl+Z")
    assert person.number("query", 0, 0) == 1


# --- the end ---------------------------------------------------------------------------------------


def test_a_window_that_is_closed_reads_no_further(launch, gate, tmp_path, monkeypatch):
    monkeypatch.setattr(file_format, "STEP", 1000)
    held, read = file_format._ProgressFile.readinto, []
    monkeypatch.setattr(file_format._ProgressFile, "readinto", lambda *given: read.append(held(*given)) or read[-1])
    person = launch(SMALL)
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    later = threading.Timer(0.1, gate.open)
    later.start()
    person.leave()
    later.join()
    assert len(read) <= 1
    assert not person.program.files.opening.busy


def test_a_file_rewritten_while_it_was_read_is_not_written_over_unasked(launch, gate, tmp_path):
    """It was stamped once it was on the table: what another program had written by then counted as read."""
    path, theirs = tmp_path / "big.attn", tmp_path / "theirs.attn"
    save(open_file(large(tmp_path / "big.npz", scale=1.0)).problem, path)
    save(open_file(large(tmp_path / "other.npz", scale=2.0)).problem, theirs)
    written = theirs.read_bytes()
    person = launch(SMALL)
    person.open(path)
    gate.await_work()
    theirs.replace(path)
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.press("Ctrl+S"))
    assert path.read_bytes() == written


@pytest.fixture
def windows(monkeypatch):
    """The files for which another window was started."""
    begun: list[str] = []

    def begin(_program: str, words: list[str]) -> None:
        assert words[-2] == "--in-window", "no one reads what another program says of a file on stderr"
        begun.append(words[-1])

    monkeypatch.setattr(QProcess, "startDetached", begin)
    return begun


def put(folder: Path, *names: str) -> list[Path]:
    for name, array in zip(names, ARRAYS.values(), strict=True):
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in names]


def is_there(person: Any) -> bool:
    return bool(person.program.document.snapshot() == Problem(**ARRAYS))


def test_files_dropped_or_opened_together_are_one_problem_or_a_window_each(person, tmp_path, windows):
    person.drop(*put(tmp_path, "query", "key", "value"))
    person.until(lambda: is_there(person))
    document = person.program.document
    assert (document.name, document.path, document.modified) == (tmp_path.name, None, False)
    assert tmp_path not in person.program.settings.recent(), "a folder opens nothing"
    person.do("example_worked")
    paths = [tmp_path / f"{name}.npy" for name in ARRAYS]
    person.choose_file(" ".join(f'"{path}"' for path in paths), lambda: person.do("open"))
    person.until(lambda: is_there(person))
    assert windows == []

    person.again("arrays that are whole problems stay apart")
    windows.clear()
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", **ARRAYS)
    person.drop(tmp_path / "a.npz", tmp_path / "b.npz")
    person.until(lambda: is_there(person))
    assert person.program.document.name == "a"
    assert windows == [str(tmp_path / "b.npz")]

    person.again("of several documents the first opens here the others beside")
    windows.clear()
    for name in "abc":
        save(Problem(**ARRAYS), tmp_path / f"{name}.attn")
    paths = [tmp_path / f"{name}.attn" for name in "abc"]
    person.drop(*paths)
    person.until(lambda: person.program.document.path == paths[0])
    assert windows == [str(path) for path in paths[1:]]
    assert "b.attn, c.attn" in person.banner()

    person.again("files whose axes can be read in two ways are asked about")
    windows.clear()
    heads = {name: RANDOM.normal(size=(1, 2, 4, 3)) for name in ("query", "key", "value")}
    for name, array in heads.items():
        np.save(tmp_path / f"{name}.npy", array)

    def choose(dialog: ArraysDialog) -> None:
        assert dialog.fields.axes.key() is None
        person.click(dialog.fields.axes.button("batch,head,token,column"))
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)

    def drop() -> None:
        person.drop(*(tmp_path / f"{name}.npy" for name in heads))
        person.until(lambda: not person.program.late.arrays.busy)

    expected = Problem.from_heads(**heads, axes="batch,head,token,column")
    person.answering(ArraysDialog, choose, drop)
    person.until(lambda: bool(person.program.document.snapshot() == expected))
    assert windows == []

    person.again("files of other names are asked about once")
    windows.clear()
    person.do("language_zh")
    paths = put(tmp_path, "q", "k", "v")
    titles: list[str] = []

    def take(dialog: ArraysDialog) -> None:
        titles.append(dialog.windowTitle())
        person.until(lambda: bool(dialog.preview.text()))
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)

    def drop() -> None:
        person.drop(*paths)
        person.until(lambda: not person.program.late.arrays.busy)

    person.answering(ArraysDialog, take, drop)
    person.until(lambda: is_there(person))
    assert "q.npy, k.npy, v.npy" in titles[0]
    person.do("undo") if person.action("undo").isEnabled() else None
    assert is_there(person), "opening is where the history begins"
    assert windows == []


@pytest.fixture
def editor(launch):
    found = launch(SMALL)
    found.choose_cell("weights", 1, 0)
    found.type_into("key", 0, 0, "2")
    found.type_into("query", 0, 0, "7")
    found.rest()
    return found


@pytest.fixture
def poor(editor, monkeypatch):
    """From now on nothing is free."""
    monkeypatch.setattr(memory, "available", lambda: 100)
    return editor


def test_what_needs_a_copy_is_refused_in_a_sentence_or_left_untold(poor):
    for action in ("verify", "pin", "blame"):
        poor.do(action)
        assert SAID in poor.banner(), action
        poor.find("banner").hide()
    poor.type_into("query", 0, 0, "8")
    poor.rest()
    assert poor.number("query", 0, 0) == 8


def test_numbers_that_are_exported_beside_the_window_are_copied_only_where_there_is_room(poor, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "QUICK_CELLS", -1)

    def answer(dialog):
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    poor.answering(ExportDataDialog, answer, lambda: poor.do("export_data"))
    assert SAID in poor.banner()
    assert not list(tmp_path.iterdir())
    assert not poor.find("export.progress").isVisible()


@pytest.mark.parametrize("quick", [True, False])
def test_gradients_that_cannot_be_held_are_said_on_their_page_and_leave_the_numbers_in_the_maps(
    poor, quick, monkeypatch, qtbot
):
    monkeypatch.setattr(gradients, "is_quickly_differentiated", lambda _problem: quick)
    poor.do("show_gradient")
    qtbot.waitUntil(lambda: SAID in poor.banner())
    assert not poor.action("show_gradient").isChecked()
    assert poor.number("query", 0, 0) == 7
    monkeypatch.setattr(inspector_tabs, "is_quickly_differentiated", lambda _problem: quick)
    poor.do("gradients")
    page = poor.find("inspector.sensitivity")
    qtbot.waitUntil(lambda: any(SAID in label.text() for label in page.findChildren(QLabel) if label.isVisible()))
    monkeypatch.setattr(memory, "available", lambda: 10**10)
    poor.click_cell("weights", 0, 0)
    poor.do("gradients")
    qtbot.waitUntil(lambda: not any(SAID in label.text() for label in page.findChildren(QLabel) if label.isVisible()))


class Slow:
    """A disk that waits."""

    def __init__(self, monkeypatch) -> None:
        self._may, window = threading.Event(), threading.get_ident()

        def write(sink, data):
            if threading.get_ident() != window:
                assert self._may.wait(120)
            return WRITE(sink, data)

        monkeypatch.setattr(FileSink, "write", write)

    def go_on(self) -> None:
        self._may.set()


@pytest.fixture
def disk(monkeypatch):
    found = Slow(monkeypatch)
    yield found
    found.go_on()


def save_without_room(editor, path, answer):
    editor.answering(QMessageBox, answer, lambda: editor.choose_file(path, lambda: editor.do("save_as")))


def test_a_document_that_leaves_no_room_for_a_copy_is_saved_while_nobody_edits_it(poor, disk, tmp_path):
    path, said = tmp_path / "mine.attn", []

    def answer(box):
        said.append(box.text())
        disk.go_on()  # and the box closes by itself

    save_without_room(poor, path, answer)
    assert "mine.attn is being saved" in said[0]
    assert open_file(path).problem == poor.program.document.problem
    assert not poor.window.isWindowModified()


def test_what_is_changed_meanwhile_by_an_answer_is_never_in_the_file_in_part(poor, disk, tmp_path):
    path, cell = tmp_path / "mine.attn", (slice(1, 2), slice(1, 2))

    def answer(_box):
        poor.program.document.apply(SetCells("query", cell, np.full((1, 1), 9.0), Label("paste")))
        disk.go_on()

    save_without_room(poor, path, answer)
    assert "changed while it was written" in poor.banner()
    assert not list(tmp_path.iterdir())
    assert poor.window.isWindowModified()
    poor.save_as(path)
    assert open_file(path).problem == poor.program.document.problem
    assert not poor.window.isWindowModified()


def test_it_can_be_canceled_and_the_file_is_as_it_was(poor, disk, tmp_path):
    path = tmp_path / "mine.attn"
    save_without_room(poor, path, lambda box: poor.click(box.buttons()[0]))
    disk.go_on()
    poor.until(lambda: not poor.program.files.saving.busy)
    assert not path.exists()
    assert poor.window.isWindowModified()
    assert "canceled" in poor.banner()


def test_an_answer_waits_until_a_dialog_has_returned_its_own_and_a_button_is_let_go(launch, qtbot):
    """One that came while the dialog was closing opened the next dialog within it, and what was answered was done after
    that one."""
    window, order = launch().window, []
    work, dialog = WindowTask(window, WorkLine("making", window)), QDialog(window)
    work.ended.connect(lambda _found: order.append("work"))
    look = QTimer(dialog, interval=1)

    def close() -> None:
        if work._result.waiting:  # it is through, and waits for the dialog
            look.stop()
            dialog.accept()
            QTest.qWait(2 * AGAIN_MS)  # so long that it looks again before the dialog has returned

    look.timeout.connect(close)
    look.start()
    work.start(lambda tell: None, "work")
    asked(dialog)
    order.append("dialog")
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == ["dialog", "work"]
    assert not work.busy

    # and for a button that is held, unless its press has asked for it: the second press of a double click in a dialog
    # closes it, and its release comes to no window
    answers = []
    work = WindowTask(window, WorkLine("making", window))
    work.ended.connect(answers.append)
    QTest.mousePress(window, Qt.MouseButton.LeftButton)
    work.start(lambda tell: None, "work")
    qtbot.waitUntil(lambda: bool(answers))
    assert QApplication.mouseButtons()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    answers.clear()
    work.start(lambda tell: None, "work")
    QTest.mousePress(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: work._result.waiting)
    QTest.qWait(2 * AGAIN_MS)
    assert not answers
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(answers))
