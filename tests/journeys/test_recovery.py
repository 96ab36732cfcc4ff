"""After a crash: what was unsaved, models too, is offered with name and time, opened as it was, or discarded."""

import os
import shutil
import threading

import pytest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox, QTableView

from attn_gui.app.files import journaling
from attn_gui.app.files.journaling import journals_folder
from attn_gui.document import history
from attn_gui.formats import journal, open_file, save_session
from attn_gui.formats.journal import recover
from attn_gui.models.study import model_of, weights_at
from attn_gui.paths import resource

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
TOY = resource("models", "toy-induction")
TEXT = "k x b p f k x b p"


def journals():
    return sorted(journals_folder().glob("*.journal"))


def held(path):
    """What a journal holds; the weights of a model are read from its folder."""
    return recover(path, None, lambda record: weights_at(model_of(record, []), record.text, record.layer))


def left_by_crash(person, qtbot, name="crashed"):
    """A copy of the journal as it stands once the last edit is in it: what a crash now would leave."""
    problem = person.program.document.snapshot()
    qtbot.waitUntil(lambda: any(held(path).loaded.problem == problem for path in own()))
    shutil.copy(own()[0], journals_folder() / f"{name}.journal")
    return problem


def own():
    """The journal of the window that is open: the one whose name is made of numbers."""
    return [path for path in journals() if "-" in path.stem]


def press_first(person):
    person.click(person.find("banner").buttons()[0])


def press(person, label):
    person.click(next(button for button in person.find("banner").buttons() if button.text() == label))


@pytest.fixture
def crashed(launch, qtbot, tmp_path):
    """A window that crashed with a 7 in no file, after a session was saved, over which another program has written:
    (its file, the problem)."""
    person = launch(SMALL)
    person.save_as(tmp_path / "mine.attn")
    save_session(person.program.document.snapshot(), tmp_path / "mine.attn", {"from": "elsewhere"})
    person.type_into("query", 0, 0, "7")
    problem = left_by_crash(person, qtbot)
    person.leave()
    assert [path.stem for path in journals()] == ["crashed"], "a window that is closed leaves nothing"
    return tmp_path / "mine.attn", problem


def test_each_is_offered_in_one_window_discarded_or_opened_as_it_was_and_counts_as_unsaved(crashed, launch, qtbot):
    path, problem = crashed
    before = path.read_bytes()
    person, other = launch(), launch()
    assert "mine" in person.banner()
    assert "mine" not in other.banner(), "the first one holds it"
    other.leave()
    person.leave()
    shutil.copy(journals()[0], journals_folder() / "other.journal")
    (journals_folder() / "broken.journal").write_bytes(b"attn_gui journal 1\n\7")
    person = launch()
    assert "mine" in person.banner(), "who closes the line is asked at the next start"
    assert "broken.unreadable" in person.banner(), "and beside one that cannot be read"
    press(person, "Discard")
    assert "mine" in person.banner(), "several are offered one after the other"
    assert len(journals()) == 1
    press(person, "Recover")
    qtbot.waitUntil(lambda: person.program.document.problem == problem)
    assert person.window.isWindowModified()
    assert person.program.document.path == path
    qtbot.waitUntil(lambda: len(journals()) == 1 and bool(own()))
    assert recover(own()[0]).loaded.problem == problem, "it is kept under the new window's name first"
    person.answering(QMessageBox, lambda box: person.click(box.button(BUTTONS.Cancel)), lambda: person.press("Ctrl+S"))
    assert path.read_bytes() == before, "what another program wrote is not written over unasked"
    person.answering(
        QMessageBox, lambda box: person.click(person.button("Save over it", box)), lambda: person.press("Ctrl+S")
    )
    assert open_file(path).problem == problem
    qtbot.waitUntil(lambda: [each.name for each in journals_folder().iterdir()] == ["broken.unreadable"])


def test_a_crash_right_behind_a_save_offers_nothing_and_snapshots_come_back(launch, qtbot, tmp_path, monkeypatch):
    # the journal is forgotten a moment later
    path, replace = tmp_path / "mine.attn", os.replace
    person = launch(SMALL)
    person.type_into("query", 0, 0, "7")
    left_by_crash(person, qtbot, "before")

    def replace_and_crash(old, new):
        replace(old, new)
        if os.fspath(new) == os.fspath(path):
            shutil.copy(own()[0], journals_folder() / "crashed.journal")

    monkeypatch.setattr(os, "replace", replace_and_crash)
    person.save_as(path)
    assert open_file(path).problem.query[0, 0] == 7
    person.leave()
    (journals_folder() / "before.journal").unlink()
    assert [each.stem for each in journals()] == ["crashed"]
    person = launch()
    assert "ended before" not in person.banner()
    assert not journals()

    # In the state that a journal begins with, in what follows, and where the file has them already.
    monkeypatch.setattr(journaling, "LARGE", 0)
    person.again("snapshots come back with the document", SMALL)
    person.type_into("query", 0, 0, "7")
    person.do("snapshot")
    person.save_as(tmp_path / "kept.attn")
    person.program.files.open_path(tmp_path / "kept.attn")
    person.look()
    person.type_into("query", 0, 0, "8")
    left_by_crash(person, qtbot)
    first = snapshots_in_journal()
    assert [each.problem().query[0, 0] for each in first] == [7]
    person.do("snapshot")
    qtbot.waitUntil(lambda: len(snapshots_in_journal(own()[0])) == 2)
    person.type_into("query", 0, 0, "9")
    left_by_crash(person, qtbot)
    person.leave()
    person = launch()
    press(person, "Recover")
    qtbot.waitUntil(lambda: person.program.document.problem.query[0, 0] == 9)
    kept = person.program.document.snapshots.all
    assert [each.problem().query[0, 0] for each in kept] == [7, 8]
    assert [each.name for each in kept] == [each.name for each in snapshots_in_journal()]


def snapshots_in_journal(path=None):
    return recover(path or journals_folder() / "crashed.journal").loaded.snapshots


def test_undo_to_what_was_saved_leaves_nothing_and_what_was_undone_never_comes_back(
    person, launch, qtbot, tmp_path, monkeypatch
):
    person.save_as(tmp_path / "mine.attn")
    person.type_into("query", 0, 0, "7")
    qtbot.waitUntil(lambda: bool(journals()))
    person.press("Ctrl+Z")
    qtbot.waitUntil(lambda: not list(journals_folder().iterdir()))
    person.press("Ctrl+Y")
    qtbot.waitUntil(lambda: bool(journals()))
    assert recover(journals()[0]).loaded.problem.query[0, 0] == 7

    person.again("every kind of edit is kept")
    person.type_into("query", 0, 0, "7")
    left_by_crash(person, qtbot, "a")
    person.do("output_projection")
    left_by_crash(person, qtbot, "b")
    person.type_into("w_output", 1, 1, "5")
    left_by_crash(person, qtbot, "c")
    person.press("Ctrl+Z", "Ctrl+Z")
    left_by_crash(person, qtbot, "d")

    person.again("a number that was undone never comes back")
    # The entry of an undo is still being read, on a slow disk, while the next edit keeps what was undone.
    typed_in(person.program, 0, 0, 5.0)
    qtbot.waitUntil(lambda: recover(own()[0]).loaded.problem == person.program.document.problem if own() else False)
    packed = history.packed

    def slow_packing(*given, **named):
        disk.going_on.set()
        person.program.files.journaling._background.wait()  # the entry is read while this thread packs
        return packed(*given, **named)

    typed_in(person.program, 0, 0, 105.0)
    qtbot.waitUntil(lambda: recover(own()[0]).loaded.problem.key[0, 0] == 105)
    disk = SlowDisk(monkeypatch)
    monkeypatch.setattr(history, "packed", slow_packing)
    person.program.document.stack.undo()
    qtbot.waitUntil(disk.reading.is_set)
    typed_in(person.program, 1, 1, 7.0)
    assert disk.going_on.is_set()
    person.program.files.journaling.finish()
    assert recover(own()[0]).loaded.problem == person.program.document.problem
    assert person.program.document.problem.key[0, 0] == 5

    monkeypatch.setattr(history, "packed", packed)
    monkeypatch.setattr(journal, "_write", disk.write)
    person.again("a full disk is said once and work goes on")
    tries = []

    def full(_file, _pieces):
        tries.append(1)
        raise OSError(28, "full")

    monkeypatch.setattr(journaling, "AGAIN_MS", 20)
    write = journal._write
    monkeypatch.setattr(journal, "_write", full)
    person.type_into("query", 0, 0, "7")
    qtbot.waitUntil(lambda: "no room left" in person.banner())
    person.find("banner").hide()
    tries.clear()
    person.type_into("query", 0, 0, "8")
    qtbot.waitUntil(lambda: len(tries) > 2)
    assert person.banner() == ""
    assert person.number("query", 0, 0) == 8
    monkeypatch.setattr(journal, "_write", write)
    qtbot.waitUntil(lambda: bool(own()) and recover(own()[0]).loaded.problem.query[0, 0] == 8)

    # an example is offered by its title
    for name in "abcd":
        (journals_folder() / f"{name}.journal").unlink()
    left_by_crash(person, qtbot)
    person.leave()
    assert "保存手算示例，五步之前" in launch(lang="zh").banner()


class SlowDisk:
    """Holds up whatever is written to a journal until it may go on."""

    def __init__(self, monkeypatch):
        self.reading, self.going_on, self.write = threading.Event(), threading.Event(), journal._write
        monkeypatch.setattr(journal, "_write", self._slow)

    def _slow(self, file, piece):
        self.reading.set()
        assert self.going_on.wait(120)
        self.write(file, piece)


def typed_in(program, row, column, number):
    model = program.window.findChild(QTableView, "table.key").model()
    assert model.setData(model.index(row, column), repr(number))


def kept(person, qtbot):
    """Wait until the journal holds the document; what it holds then."""

    def holds():
        study, problem = person.program.document.study, person.program.document.snapshot()
        found = [held(path) for path in own()]
        return any(
            one.loaded.problem == problem
            and one.study is not None
            and (one.study.layer, one.study.text) == (study.layer, study.text)
            and set(one.study.layers) == set(study.others)
            for one in found
        )

    qtbot.waitUntil(holds)
    return held(own()[0])


def changed(person):
    """Another text, a head of layer 0 off, a number of layer 1 typed."""
    person.overwrite(person.find("control.text", QLineEdit), TEXT)
    person.wait()
    person.click("model.head_off")
    person.wait()
    person.click_head(1, 3)
    person.wait()
    person.type_into("w_query", 1, 0, "2.5")
    person.wait()


def test_what_was_changed_in_a_model_that_is_gone_is_kept_until_its_folder_is_chosen(
    launch, qtbot, tmp_path, monkeypatch
):
    """Another model lies in its place."""
    folder, away = tmp_path / "mine", tmp_path / "away"
    shutil.copytree(TOY, folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")  # another checkpoint than the one that comes along
    person = launch()
    person.drop(folder)
    person.wait()
    changed(person)
    kept(person, qtbot)

    # no weight is in a journal: the first entry held the layer on the table whole
    person.type_into("w_value", 2, 2, "3.5")
    person.press("Ctrl+Z")
    person.type_into("w_value", 2, 2, "4.5")
    person.wait()
    kept(person, qtbot)
    problem = person.program.document.problem
    assert len(person.program.document.snapshots.all) == 1
    assert own()[0].stat().st_size < problem.w_query.nbytes

    # a change of another layer alone is kept
    assert set(kept(person, qtbot).study.layers) == {0}
    before = person.program.document.problem
    changes = person.find("model.changes")
    changes.choose(0)
    changes.setFocus()
    person.press("Del")
    person.wait()
    assert not person.program.document.study.others
    qtbot.waitUntil(lambda: not held(own()[0]).study.layers)
    person.press("Ctrl+Z")
    person.wait()
    assert person.program.document.problem == before
    assert set(kept(person, qtbot).study.layers) == {0}

    problem, path = person.program.document.snapshot(), journals_folder() / "crashed.journal"
    logits = person.program.late.model.answer.run.logits
    shutil.copy(own()[0], path)
    person.leave()
    entries = path.read_bytes()
    folder.rename(away)
    shutil.copytree(TOY, folder)
    person = launch()
    before = person.program.document.problem
    press_first(person)
    qtbot.waitUntil(lambda: "SHA-256" in person.banner())
    assert "mine" in person.banner()
    assert person.program.document.problem is before
    assert path.read_bytes() == entries
    wrong = tmp_path / "wrong"
    shutil.copytree(TOY, wrong)
    for chosen in ("", str(wrong)):  # thought better of it, and another model
        monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_, chosen=chosen: chosen)
        press_first(person)
        qtbot.waitUntil(lambda: "SHA-256" in person.banner())
        assert person.program.document.problem is before
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(away))
    press_first(person)
    qtbot.waitUntil(lambda: person.program.document.modified)
    person.wait()
    study = person.program.document.study
    assert (study.model.folder, study.text, study.layer, set(study.others)) == (away, TEXT, 1, {0})
    assert person.program.document.problem == problem
    assert person.action("model").isChecked()
    qtbot.waitUntil(lambda: (person.program.late.model.answer.run.logits == logits).all())
    assert not person.action("undo").isEnabled(), "what came back is where the history begins"
