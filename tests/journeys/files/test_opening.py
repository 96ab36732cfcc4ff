"""Files opened: large ones beside the window, several at once, weighed like new numbers; nothing stands still."""

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QProcess, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox

from attn_gui.app.files import files
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem, arrays
from attn_gui.formats import file_format, open_file, save
from attn_gui.formats.atomic_writing import FileSink
from attn_gui.views.dialogs.dialog_base import WorkLine
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
LIMIT = 20_000
ROWS = 61
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
            "w_output": random.normal(size=(23, 91)),
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


def test_a_large_file_is_read_beside_the_window_and_several_are_one_problem_or_a_window_each(
    person, gate, tmp_path, windows, monkeypatch, request
):
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
    assert person.number("query", ROWS - 1, 6) == np.load(tmp_path / "big.npz")["query"][-1, 6]
    assert not person.window.isWindowModified()

    person.again("the second of two wins")
    gate.close()
    person.drop(large(tmp_path / "first.npz", ROWS))
    gate.await_work()
    person.drop(large(tmp_path / "second.npz", ROWS + 8))
    gate.open()
    person.until(lambda: idle(person))
    rest(person)
    assert (rows(person), person.window.windowTitle()) == (ROWS + 8, "second[*]")
    assert [path.name for path in person.program.settings.recent()][:1] == ["second.npz"]

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

    person.again("what is changed while it is read is not lost")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.type_into("query", 0, 0, "4")
    gate.open()
    person.until(lambda: idle(person))
    assert person.banner() == "big.npz was not opened: Worked example, five steps was changed while it was read."
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
    assert person.banner() == "big.npz was not opened: Worked example, five steps was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1

    person.again("changes are asked for before the reading")
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.drop(large(tmp_path / "big.npz")))
    rest(person)
    assert not gate.reached
    assert person.number("query", 0, 0) == 4

    person.again("calling it off leaves everything as it is")
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.drop(large(tmp_path / "big.npz")))
    person.until(lambda: shown(person))
    person.press("Esc", "Esc")  # the first one leaves the table
    assert shown(person) == ""
    gate.open()
    rest(person)
    assert (person.number("query", 0, 0), person.window.isWindowModified()) == (4, True)
    assert person.banner() == ""
    person.press("Ctrl+Z")
    assert person.number("query", 0, 0) == 1

    person.again("a file rewritten while it was read is not written over unasked")
    gate.close()
    # It was stamped once it was on the table: what another program had written by then counted as read.
    path, theirs = tmp_path / "big.attn", tmp_path / "theirs.attn"
    save(open_file(large(tmp_path / "big.npz", scale=1.0)).problem, path)
    save(open_file(large(tmp_path / "other.npz", scale=2.0)).problem, theirs)
    written = theirs.read_bytes()
    person.open(path)
    gate.await_work()
    theirs.replace(path)
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.press("Ctrl+S"))
    assert path.read_bytes() == written

    person.again("what is damaged is said")
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

    person.again("files dropped or opened together are one problem or a window each")
    folder = tmp_path / "together"
    folder.mkdir()
    paths = [folder / f"{name}.npy" for name in ARRAYS]
    for path, array in zip(paths, ARRAYS.values(), strict=True):
        np.save(path, array)
    person.drop(*paths)
    person.until(lambda: is_there(person))
    document = person.program.document
    assert (document.name, document.path, document.modified) == (folder.name, None, False)
    assert folder not in person.program.settings.recent(), "a folder opens nothing"
    person.do("example_worked")
    person.choose_file(" ".join(f'"{path}"' for path in paths), lambda: person.do("open"))
    person.until(lambda: is_there(person))
    assert windows == []

    person.again("arrays that are whole problems stay apart")
    windows.clear()
    for name in "ab":
        np.savez(folder / f"{name}.npz", **ARRAYS)
    person.drop(folder / "a.npz", folder / "b.npz")
    person.until(lambda: is_there(person))
    assert person.program.document.name == "a"
    assert windows == [str(folder / "b.npz")]

    person.again("of several documents the first opens here the others beside")
    windows.clear()
    for name in "abc":
        save(Problem(**ARRAYS), folder / f"{name}.attn")
    paths = [folder / f"{name}.attn" for name in "abc"]
    person.drop(*paths)
    person.until(lambda: person.program.document.path == paths[0])
    assert windows == [str(path) for path in paths[1:]]
    assert "b.attn, c.attn" in person.banner()

    person.again("what needs a copy is refused, or made while nobody edits, and saved whole")
    person.choose_cell("weights", 1, 0)
    person.type_into("key", 0, 0, "2")
    person.type_into("query", 0, 0, "7")
    person.rest()
    disk = Slow(monkeypatch)
    request.addfinalizer(disk.go_on)
    monkeypatch.setattr(arrays, "available", lambda: 100)  # from now on nothing is free
    for action in ("verify", "pin", "blame"):
        person.do(action)
        assert SAID in person.banner(), action
        person.find("banner").hide()
    person.type_into("query", 0, 0, "8")
    person.rest()
    assert person.number("query", 0, 0) == 8

    # a document that leaves no room for a copy is saved while nobody edits it
    path, said = tmp_path / "mine.attn", []

    def answer(box):
        said.append(box.text())
        disk.go_on()  # and the box closes by itself

    save_without_room(person, path, answer)
    assert "mine.attn is being saved" in said[0]
    assert open_file(path).problem == person.program.document.problem
    assert not person.window.isWindowModified()

    # what is changed meanwhile by an answer is never in the file in part
    disk.hold()
    path, cell = tmp_path / "other.attn", (slice(1, 2), slice(1, 2))

    def answer(_box):
        person.program.document.apply(SetCells("query", cell, np.full((1, 1), 9.0), Label("paste")))
        disk.go_on()

    save_without_room(person, path, answer)
    assert "changed while it was written" in person.banner()
    assert not path.exists()
    assert person.window.isWindowModified()
    person.save_as(path)
    assert open_file(path).problem == person.program.document.problem
    assert not person.window.isWindowModified()


def test_a_large_file_given_at_the_start_takes_the_place_of_the_example(launch, gate, tmp_path):
    person = launch(large(tmp_path / "big.npz"))
    assert person.window.windowTitle() == "MiniLM, layer 2[*]"
    assert person.steps() == ["Opened MiniLM, layer 2"]
    assert person.find("heatmap.weights").isVisible()
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS


@pytest.fixture
def windows(monkeypatch):
    """The files for which another window was started."""
    begun: list[str] = []

    def begin(_program: str, words: list[str]) -> None:
        assert words[-2] == "--in-window", "no one reads what another program says of a file on stderr"
        begun.append(words[-1])

    monkeypatch.setattr(QProcess, "startDetached", begin)
    return begun


def is_there(person: Any) -> bool:
    return bool(person.program.document.snapshot() == Problem(**ARRAYS))


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

    def hold(self) -> None:
        self._may.clear()


def save_without_room(editor, path, answer):
    editor.answering(QMessageBox, answer, lambda: editor.choose_file(path, lambda: editor.do("save_as")))
