"""What is saved comes back, the view with it; large sessions beside the window; nothing is lost or half there."""

import errno
import os
import shutil
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QMessageBox, QSpinBox, QToolButton

from attn_gui.app.files import session_saving
from attn_gui.app.state.settings import Settings
from attn_gui.formats import open_file, save_session
from attn_gui.formats.atomic_writing import FileSink, saving
from attn_gui.views.dialogs.dialog_base import WorkLine
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
FIELDS = ("query", "key", "value")
WRITE = FileSink.write


def answer_with(button):
    return lambda box: QTest.mouseClick(box.button(button), Qt.MouseButton.LeftButton)


def open_menu(person, name):
    menu = person.find(f"menu.{name}", QMenu)
    menu.popup(person.window.mapToGlobal(person.window.rect().center()))
    return menu


def click_in_menu(menu, text):
    action = next(action for action in menu.actions() if action.text() == text)
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())


def test_a_session_is_saved_and_listed_changes_are_asked_for_and_a_bad_file_loses_nothing(person, tmp_path, qtbot):
    first, second = tmp_path / "first.attn", tmp_path / "second.attn"
    person.save_as(first)
    person.type_into("query", 0, 0, "4")
    person.save_as(second)
    menu = open_menu(person, "recent")
    shown = [
        f"{name}\t{tmp_path}" if len(str(tmp_path)) < 48 else f"{name}\t…{str(tmp_path)[-48:]}"
        for name in ("second.attn", "first.attn")
    ]
    assert [action.text() for action in menu.actions()][:2] == shown
    click_in_menu(menu, shown[1])
    assert person.number("query", 0, 0) == 1
    second.unlink()
    menu = open_menu(person, "recent")
    qtbot.waitUntil(lambda: not all(action.isEnabled() for action in menu.actions()[:2]))
    grey = {action.text(): action.isEnabled() for action in menu.actions()}
    assert grey | {shown[1]: True, shown[0]: False} == grey
    Settings().add_recent(first)  # in another window, while the menu is open here
    third = first.with_name("third.attn")
    Settings().add_recent(third)
    click_in_menu(menu, "Take the &missing ones off this list")
    assert person.program.settings.recent()[:2] == [third, first]
    menu = open_menu(person, "recent")
    assert menu.actions()[1].text() == shown[1]
    click_in_menu(menu, "&Empty this list")
    assert person.program.settings.recent() == []

    person.again("bad files are refused with a sentence and nothing is lost")
    person.type_into("query", 0, 0, "4")
    person.click_cell("weights", 0, 1)
    title, said, weights = person.window.windowTitle(), person.explanation(), person.values("weights")
    for path in bad_files(tmp_path):
        person.drop(path)
        sentence = person.banner()
        assert sentence.count("\n") == 0, path.name
        assert sentence.endswith("."), (path.name, sentence)
        assert path.stem in sentence, (path.name, sentence)
        assert "Traceback" not in sentence
        assert "Error" not in sentence, (path.name, sentence)
        assert person.find("banner").accessibleName() == sentence
        person.press("Esc")
    assert person.number("query", 0, 0) == 4
    assert (person.window.windowTitle(), person.explanation(), person.values("weights")) == (title, said, weights)
    assert person.window.isWindowModified()
    person.press("Ctrl+Z")
    assert person.number("query", 0, 0) == 1
    assert threading.active_count() < 20  # nobody waits for the pipe

    person.again("saving again asks for no name and is the same to the byte")
    path = tmp_path / "kept.attn"
    person.save_as(path)
    first = path.read_bytes()
    person.type_into("query", 0, 0, "4")
    person.press("Ctrl+S")
    assert path.read_bytes() != first
    assert not person.window.isWindowModified()
    person.press("Ctrl+Z")
    assert person.window.isWindowModified()
    person.press("Ctrl+S")
    person.table("query").setFocus()
    assert path.read_bytes() == first

    # a session always ends in attn and opens again
    for name, written in (("run.1", "run.1.attn"), ("mine.npz", "mine.npz.attn")):
        person.choose_file(tmp_path / name, lambda: person.do("save_as"))
        assert (tmp_path / written).exists(), written
        person.drop(tmp_path / written)
        assert not person.banner(), person.banner()
        assert person.number("query", 0, 0) == 1

    # a file is not replaced without asking
    path = tmp_path / "there.attn"
    person.save_as(path)
    before = path.read_bytes()
    person.type_into("query", 0, 0, "4")
    assert "there.attn" in person.refuse_to_replace(tmp_path / "there", lambda: person.do("save_as"))
    assert path.read_bytes() == before
    assert person.window.isWindowModified()

    person.again("looking around never makes the document modified")
    person.choose_cell("scaled", 0, 1)
    for action in ("all_stages", "product", "decimals_6", "theme_dark", "language_zh", "zoom_in"):
        person.do(action)
    assert not person.window.isWindowModified()
    assert not person.action("undo").isEnabled()
    for action in ("zoom_reset", "theme_light", "language_en"):
        person.do(action)

    # unsaved changes are asked for before another file
    path = tmp_path / "asked.attn"
    person.save_as(path)
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.do("example_minilm"))
    assert person.number("query", 0, 0) == 4
    assert person.window.isWindowModified()
    person.answering(QMessageBox, answer_with(BUTTONS.Save), lambda: person.do("example_minilm"))
    assert person.table("query").model().columnCount() == 384
    assert open_file(path).problem.query[0, 0] == 4

    person.again("a place that cannot be written to keeps the work unsaved")
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "kept.attn"
    person.save_as(path)
    person.type_into("query", 0, 0, "4")
    path.unlink()
    folder.rmdir()
    folder.write_text("a file where the folder was")
    person.press("Ctrl+S")
    assert person.banner().endswith(".")
    assert "kept.attn" in person.banner()
    assert person.window.isWindowModified()
    assert person.number("query", 0, 0) == 4

    person.again("closing asks and stays when told to")
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.press("Ctrl+Q"))
    assert person.window.isVisible()
    asked = []

    def discard(box):
        asked.append(box.text())
        answer_with(BUTTONS.Discard)(box)

    person.answering(QMessageBox, discard, person.window.close)
    assert asked == ["Save the changes to Worked example, five steps?"]
    assert not person.window.isVisible()


def test_a_start_without_a_file_begins_with_the_last_document_where_that_is_wanted(launch, tmp_path):
    person = launch(SMALL)
    person.type_into("query", 0, 0, "4")
    person.save_as(tmp_path / "kept.attn")
    person.do("reopen_last")
    person.leave()
    person = launch()
    assert person.program.document.name == "kept"
    assert person.number("query", 0, 0) == 4
    person.leave()
    (tmp_path / "kept.attn").unlink()
    assert launch().banner() != ""


# --- a file that somebody else changes -------------------------------------------------------------
def changed(person, path):
    """A person with a 4 in a session that another program has written a 9 into since."""
    person.save_as(path)
    person.type_into("query", 0, 0, "4")
    problem = person.program.document.snapshot()
    query = problem.query.copy()
    query[0, 0] = 9
    save_session(problem.replace(query=query), path, {"from": "elsewhere"})


def test_what_is_saved_comes_back_with_the_view_and_what_another_wrote_is_asked_about(launch, tmp_path, qtbot):
    person, path = launch(SMALL), tmp_path / "kept.attn"
    changed(person, path)

    def pressing(label):
        return lambda box: person.click(person.button(label, box))

    before = path.read_bytes()
    person.answering(QMessageBox, pressing("Cancel"), lambda: person.press("Ctrl+S"))
    assert path.read_bytes() == before
    assert person.window.isWindowModified()
    person.answering(QMessageBox, pressing("Save over it"), lambda: person.press("Ctrl+S"))
    assert open_file(path).problem.query[0, 0] == 4
    person.type_into("query", 0, 0, "5")
    person.press("Ctrl+S")
    assert open_file(path).problem.query[0, 0] == 5, "asked once, since it is ours again"

    person.again("it can be reloaded instead")
    changed(person, tmp_path / "other.attn")
    person.answering(QMessageBox, pressing("Reload it"), lambda: person.press("Ctrl+S"))
    qtbot.waitUntil(lambda: person.number("query", 0, 0) == 9)
    assert not person.window.isWindowModified()

    person.again("a file that cannot be written is offered another place")
    gone = tmp_path / "gone" / "kept.attn"
    gone.parent.mkdir()
    person.choose_file(gone, lambda: person.do("save_as"))
    person.type_into("query", 0, 0, "4")
    shutil.rmtree(gone.parent)
    person.do("save")
    assert "could not be saved: its folder" in person.banner()
    button = person.button("Save as…", "banner")
    person.type_into("query", 0, 1, "5")
    assert person.banner(), "the file is still not saved"
    person.choose_file(tmp_path / "elsewhere.attn", lambda: person.click(button))
    assert not person.banner()
    assert first(tmp_path / "elsewhere.attn") == 4
    assert not person.program.document.modified

    person.again("what is saved comes back with the view", "minilm-layer2.npz")
    person.program.view.set(head=3)
    person.type_into("query", 10, 97, "1/3")
    person.size("head", 5)
    person.choose_cell("scaled", 3, 7)
    person.do("decimals_4")
    kept = {field: person.numbers(field) for field in FIELDS}
    scaled, said = person.values("scaled"), person.explanation()
    path = tmp_path / "view.attn"
    person.save_as(path)
    assert not person.window.isWindowModified()
    assert "view" in person.window.windowTitle()
    person.again("another document")
    person.open(path)
    assert {field: person.numbers(field) for field in FIELDS} == kept
    assert person.find("heatmap.scaled").isVisible()
    assert person.values("scaled") == scaled
    assert person.find("control.head", QSpinBox).value() == 5
    person.find("heatmap.scaled").setFocus()
    assert person.explanation() == said
    assert person.action("decimals_4").isChecked()
    assert person.table("query").model().index(10, 97).data() == "0.3333"
    assert not person.window.isWindowModified()
    assert len(person.steps()) == 1

    person.again("an npz is opened as a start and not written over")
    path = tmp_path / "mine.npz"
    rng = np.random.default_rng(3)
    arrays = {"query": rng.normal(size=(3, 2)), "key": rng.normal(size=(5, 2)), "value": rng.normal(size=(5, 7))}
    np.savez(path, **arrays)
    before = path.read_bytes()
    person.open(path)
    assert person.number("value", 4, 6) == arrays["value"][4, 6]
    person.type_into("query", 0, 0, "4")
    person.choose_file(tmp_path / "start", lambda: person.press("Ctrl+S"))
    assert (tmp_path / "start.attn").exists()
    assert path.read_bytes() == before


# --- bad files -------------------------------------------------------------------------------------
def bad_files(folder):
    """(name, how it comes to be there)"""
    text = folder / "text.attn"
    text.write_text("hello")
    good = folder / "good.npz"
    np.savez(good, query=np.eye(2), key=np.eye(2), value=np.eye(2))
    truncated = folder / "truncated.npz"
    truncated.write_bytes(good.read_bytes()[:200])
    fifo = folder / "fifo.attn"
    os.mkfifo(fifo)
    return text, truncated, fifo, folder / "missing.attn"


class Disk(Gate):
    """Holds up the writing of files on other threads, and may be full."""

    def __init__(self) -> None:
        super().__init__()
        self.window = threading.get_ident()
        self.fails = False

    def write(self, sink, data):
        if threading.get_ident() != self.window:
            self.hold()
            if self.fails:
                with saving(sink._path):
                    raise OSError(errno.ENOSPC, "full")
        return WRITE(sink, data)


@pytest.fixture
def gate(monkeypatch):
    """Every session counts as large."""
    found = Disk()
    monkeypatch.setattr(session_saving, "LARGE", 0)
    monkeypatch.setattr(FileSink, "write", lambda sink, data: found.write(sink, data))
    yield found
    found.open()


@pytest.fixture
def typist(launch, tmp_path, gate):
    """Who has saved once, and then typed 4."""

    def save_and_type(typist):
        gate.fails = False
        gate.open()
        (tmp_path / "kept.attn").unlink(missing_ok=True)
        typist.choose_file(tmp_path / "kept.attn", lambda: typist.do("save_as"))
        written(typist)
        gate.close()
        typist.type_into("query", 0, 0, "4")

    return launch(SMALL).beginning(save_and_type)


def written(typist):
    """Until nothing is being written any more."""
    typist.until(lambda: not typist.program.files.saving.busy)


def first(path):
    """The first number of Q in a file."""
    return open_file(path).problem.query[0, 0]


def line(typist):
    found = typist.find("saving.progress", WorkLine)
    return found.text() if found.isVisible() else ""


def test_the_window_works_on_while_a_large_session_is_written(typist, gate, tmp_path, qtbot):
    path = tmp_path / "kept.attn"
    typist.press("Ctrl+S")
    gate.await_work()
    qtbot.waitUntil(lambda: line(typist) == "Saving kept.attn, 0 %")
    typist.type_into("query", 1, 1, "5")
    typist.click_cell("weights", 0, 1)
    assert "Query 0 gives key 1" in typist.explanation()
    assert first(path) == 1, "the old file stands until the new one is whole"
    gate.open()
    written(typist)
    assert line(typist) == ""
    assert open_file(path).problem.query[:2, 1].tolist() == [0, 1], "as it was when Ctrl+S was pressed"
    assert first(path) == 4
    assert typist.window.isWindowModified(), "the 5 is in no file"
    typist.press("Ctrl+S")
    written(typist)
    assert open_file(path).problem.query[1, 1] == 5
    assert not typist.window.isWindowModified()

    typist.again("a writing can be canceled")
    typist.press("Ctrl+S")
    qtbot.waitUntil(lambda: bool(line(typist)))
    typist.click(typist.find("saving.cancel", QToolButton))
    gate.open()
    written(typist)
    assert typist.banner() == "kept.attn was not saved: the saving was canceled."
    assert typist.window.isWindowModified()
    assert first(tmp_path / "kept.attn") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["kept.attn"]

    typist.again("what was clean before is not when another state was written meanwhile")
    typist.press("Ctrl+S")
    gate.await_work()
    typist.press("Ctrl+Z")
    gate.open()
    written(typist)
    assert typist.number("query", 0, 0) == 1
    assert typist.window.isWindowModified(), "the file holds the 4"

    typist.again("a writing that fails keeps the old file and the window")
    gate.fails = True
    gate.open()
    typist.press("Ctrl+S")
    typist.window.close()
    assert typist.window.isVisible()
    assert typist.banner() == "kept.attn could not be saved: there is no room left. Nothing was changed."
    assert typist.window.isWindowModified()
    assert first(tmp_path / "kept.attn") == 1
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []

    typist.again("another document is never taken for the one that is written")
    # As a large file that was asked for before comes in between.
    typist.press("Ctrl+S")
    gate.await_work()
    typist.program.files.open_example_unasked("thinking")
    title = typist.window.windowTitle()
    gate.open()
    written(typist)
    assert first(tmp_path / "kept.attn") == 4
    assert typist.window.windowTitle() == title
    assert typist.program.document.path is None

    typist.again("a second save follows the first")
    typist.press("Ctrl+S")
    gate.await_work()
    typist.type_into("query", 0, 0, "5")
    typist.press("Ctrl+S")
    typist.type_into("query", 0, 0, "6")
    typist.press("Ctrl+S")
    typist.choose_file(tmp_path / "other.attn", lambda: typist.do("save_as"))
    gate.open()
    written(typist)
    assert (first(tmp_path / "kept.attn"), first(tmp_path / "other.attn")) == (6, 6)
    assert not typist.window.isWindowModified()
    assert typist.window.windowTitle().startswith("other")

    typist.again("quitting waits until it is written")
    typist.press("Ctrl+S")
    gate.await_work()
    said = []

    def answer(box):
        said.append(box.text())
        gate.open()  # and the box closes by itself

    typist.answering(QMessageBox, answer, typist.window.close)
    assert said == ["kept.attn is still being saved."]
    assert not typist.window.isVisible()
    assert first(tmp_path / "kept.attn") == 4


def test_changes_since_are_asked_for_and_written_before_the_window_goes(typist, gate, tmp_path):
    typist.press("Ctrl+S")
    gate.await_work()
    typist.type_into("query", 0, 0, "5")
    gate.open()
    typist.answering(QMessageBox, lambda box: box.button(BUTTONS.Save).click(), typist.window.close)
    assert not typist.window.isVisible()
    assert first(tmp_path / "kept.attn") == 5


def test_whoever_leaves_after_a_writing_that_failed_is_asked_again(typist, gate, tmp_path):
    """The failure was taken for one of a writing that is still waited for: the window could not be closed."""
    gate.fails = True
    gate.open()
    typist.press("Ctrl+S")
    written(typist)
    assert "no room" in typist.banner()
    typist.answering(QMessageBox, lambda box: box.button(BUTTONS.Discard).click(), typist.window.close)
    assert not typist.window.isVisible()
    assert first(tmp_path / "kept.attn") == 1


def test_the_end_of_the_program_writes_what_was_asked_for(typist, gate, tmp_path):
    typist.press("Ctrl+S")
    typist.type_into("query", 0, 0, "5")
    typist.press("Ctrl+S")
    gate.open()
    typist.leave()
    assert first(tmp_path / "kept.attn") == 5
