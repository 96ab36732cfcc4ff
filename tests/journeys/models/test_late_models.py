"""Models, their texts, and what is asked of them, that come late: over another document, or while somebody types."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLineEdit, QMessageBox

from attn_gui.app import copy_rows, model_controller, model_run_controller
from attn_gui.models.model import Run
from attn_gui.models.study import Study
from attn_gui.paths import resource
from tests.journeys.conftest import Person
from tests.journeys.gate import Gate

TOY = resource("models", "toy-induction")
CHANGED, OTHER = "k x b m f k x b p", "k x b p f k x b p"
BERT = Path(__file__).parents[2] / "data" / "models" / "tiny-bert"
TEXT, SECOND = "k x b p", "k x b m"
PANICS = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
GROWS = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 200_000}


@pytest.fixture
def opening(monkeypatch):
    """Holds up models that are opened."""
    gate = Gate()
    monkeypatch.setattr(model_controller, "read_model", gate.before(model_controller.read_model))
    yield gate
    gate.open()


def rest(person, gate):
    """Let it be read, and wait until the window has heard."""
    gate.open()
    person.wait()
    for _ in range(3):
        QApplication.processEvents()


def test_what_is_done_while_a_model_is_read_is_not_lost(launch, opening):
    person = launch("nadaraya-watson.npz")
    person.program.take_in(TOY)
    opening.await_work()
    person.program.files.open_example("worked")
    rest(person, opening)
    assert person.program.document.study is None
    assert person.program.document.name == "worked-example"

    person.again("a snapshot that is taken while a model is read is not lost")
    opening.close()
    person.program.take_in(TOY)
    opening.await_work()
    person.do("snapshot")
    rest(person, opening)
    assert person.banner() == "toy-induction was not opened: nadaraya-watson was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1


@pytest.fixture
def steps(monkeypatch):
    """Holds up steps of the model on the table."""
    gate = Gate()
    gate.open()
    for name in ("with_text", "at", "with_edits"):
        monkeypatch.setattr(Study, name, gate.before(getattr(Study, name)))
    yield gate
    gate.open()


@pytest.fixture
def toy(launch):
    return launch(width=1366, height=700).beginning(Person.open_toy)


def type_text(person, text, field="text"):
    person.overwrite(person.find(f"control.{field}", QLineEdit), text)


def place(person):
    study = person.program.document.study
    return study.text, study.layer, person.program.view.look.head


def test_of_steps_that_wait_for_one_another_the_last_one_counts(toy, steps, tmp_path):
    steps.close()
    type_text(toy, CHANGED)
    steps.await_work()
    toy.click_head(1, 2)
    rest(toy, steps)
    assert place(toy) == (CHANGED, 1, 2)
    assert len(toy.steps()) == 3

    toy.again("of texts and of heads the last one counts")
    steps.close()
    type_text(toy, CHANGED)
    steps.await_work()
    toy.click_head(1, 2)
    type_text(toy, OTHER)
    toy.click_head(0, 3)  # where it is
    rest(toy, steps)
    assert place(toy) == (OTHER, 0, 3)
    assert len(toy.steps()) == 2

    toy.again("esc drops the step under way and the next one goes on")
    steps.close()
    type_text(toy, CHANGED)
    steps.await_work()
    toy.click_head(1, 2)
    toy.window.setFocus()
    toy.press("Esc")
    rest(toy, steps)
    assert place(toy)[1:] == (1, 2)
    assert place(toy)[0] != CHANGED

    toy.again("a text that is refused behind another step stays to be mended")
    steps.close()
    toy.click_head(1, 2)
    steps.await_work()
    long = " ".join("k" * 40)
    type_text(toy, long)
    toy.find("model.run").click()
    rest(toy, steps)
    field = toy.find("control.text", QLineEdit)
    assert place(toy)[1:] == (1, 2)
    assert field.text() == long
    assert "40" in toy.banner() or "41" in toy.banner()
    toy.click_head(0, 1)
    rest(toy, steps)
    assert field.text() == long
    type_text(toy, CHANGED)
    toy.press("Return")
    rest(toy, steps)
    assert place(toy) == (CHANGED, 0, 1)

    toy.again("steps that wait go with the document")
    steps.close()
    type_text(toy, CHANGED)
    steps.await_work()
    toy.click_head(1, 2)
    toy.program.files.begin_with_example("worked")
    rest(toy, steps)
    assert toy.program.document.study is None
    assert len(toy.steps()) == 1
    assert "dropped" not in toy.banner()

    toy.again("a refused text keeps the document whatever comes of the step behind it")
    steps.close()
    type_text(toy, " ".join("k" * 40))
    steps.await_work()
    toy.click_head(1, 2)
    QTimer.singleShot(0, steps.open)
    toy.program.files.open_example("worked")
    assert toy.program.document.study is not None
    rest(toy, steps)
    assert place(toy)[1] == 1

    toy.again("no document goes and none is saved before a text that was typed is read")
    # The text was lost without a question, and the file held the one before.
    file = tmp_path / "toy.attn"
    toy.program.files.saving.save(file, {}, {})
    written(toy)
    before = toy.program.document.study
    toy.wait()
    steps.close()
    type_text(toy, CHANGED)
    for act in (lambda: toy.program.files.open_example("worked"), lambda: toy.do("save"), lambda: toy.window.close()):
        act()
        steps.await_work()
        assert "is still being computed" in toy.banner()
        assert CHANGED in toy.banner()
    assert toy.window.isVisible()
    assert toy.program.document.study is before
    rest(toy, steps)
    assert place(toy)[0] == CHANGED
    toy.do("save")
    written(toy)
    assert CHANGED.encode() in file.read_bytes()
    toy.program.files.open_example("worked")
    assert toy.program.document.study is None

    toy.again("a text that is read within a moment is saved")
    file = tmp_path / "toy.attn"
    toy.program.files.saving.save(file, {}, {})
    written(toy)
    toy.wait()
    type_text(toy, CHANGED)
    toy.do("save")
    toy.wait()
    written(toy)
    saved = CHANGED.encode() in file.read_bytes()
    assert saved != ("is still being computed" in toy.banner()), "as fast as the machine is"


def test_a_head_that_is_only_looked_at_while_another_model_is_opened_gives_way_and_one_switched_off_does_not(
    launch, opening
):
    opening.open()
    person = launch()
    person.program.take_in(TOY)
    person.wait()

    def look_while_another_opens():
        opening.close()
        person.program.take_in(TOY)
        opening.await_work()
        person.click_head(1, 2)
        person.until(lambda: not person.program.late.models.steps.busy)

    before = person.program.document.study.model
    look_while_another_opens()
    rest(person, opening)
    assert person.banner() == ""
    assert person.program.document.study.model is not before
    before = person.program.document.study.model
    look_while_another_opens()
    person.do("head_off")
    rest(person, opening)
    assert place(person)[1:] == (1, 2)
    assert person.banner() == "toy-induction was not opened: toy-induction was changed while it was read."
    person.answering(
        QMessageBox,
        lambda box: box.button(QMessageBox.StandardButton.Discard).click(),
        lambda: person.button("Open it now", "banner").click(),
    )
    person.wait()
    assert person.program.document.study.model is not before


def written(person):
    person.until(lambda: not person.program.files.saving.busy)


# --- changes over all layers -----------------------------------------------------------------------


def switch_two_off(toy):
    """A head off in each layer, the upper one on the table."""
    for layer in (0, 1):
        toy.click_head(layer, 0)
        toy.wait()
        toy.do("head_off")
        toy.wait()


def by_layer(person):
    """How many changes by hand each layer has, those in force alone."""
    study, problem = person.program.document.study, person.program.document.problem
    return {layer: sum(each.enabled for each in edit.interventions) for layer, edit in study.edits(problem).items()}


def test_changes_of_other_layers_stay_and_go_as_they_were_asked_for(toy, steps, monkeypatch):
    switch_two_off(toy)
    steps.close()
    changes = toy.find("model.changes")
    changes.setFocus()
    for row in (0, 1):
        changes.choose(row)
        toy.press("Del")
    toy.press("Del")  # again, as it still stands there
    rest(toy, steps)
    assert by_layer(toy) == {}
    assert len(toy.steps()) == 6  # of them two for what was removed

    toy.again("a change just made is not taken back with one of another layer")
    switch_two_off(toy)
    gate = Gate()
    gate.open()
    monkeypatch.setattr(model_run_controller, "answer", gate.before(model_run_controller.answer))
    toy.click_head(1, 1)
    gate.close()  # the list stays as it is
    toy.do("head_off")
    toy.find("model.changes").setFocus()
    toy.find("model.changes").choose(0)
    toy.press("Space")
    toy.until(lambda: not toy.program.late.models.busy)
    assert by_layer(toy) == {0: 0, 1: 2}
    toy.press("Del")  # the list still says that it is in force
    rest(toy, gate)
    assert by_layer(toy) == {1: 2}


# --- rows of a second text -------------------------------------------------------------------------


def type_two_texts(toy):
    for text, field in ((CHANGED, "text"), (OTHER, "other_text")):
        type_text(toy, text, field)
        toy.wait()


def test_rows_that_are_being_taken_wait_for_a_dialog_and_not_for_a_comparison(toy, monkeypatch, request):
    gate = Gate()
    request.addfinalizer(gate.open)
    monkeypatch.setattr(copy_rows, "rows_taken", gate.before(copy_rows.rows_taken))

    def take_all():
        type_two_texts(toy)
        gate.close()
        toy.click("model.take_all")
        gate.await_work()

    take_all()
    toy.click("model.compare")
    rest(toy, gate)
    assert by_layer(toy) == {0: 1}
    assert toy.program.baseline.comparable

    toy.again("rows that are being taken wait for a dialog")
    take_all()
    box = QMessageBox(toy.window)
    box.open()
    gate.open()
    toy.program.late.models.steps._work.wait()
    for _ in range(3):
        QApplication.processEvents()
    assert by_layer(toy) == {}
    box.reject()
    rest(toy, gate)
    assert by_layer(toy) == {0: 1}

    toy.again("Esc drops rows that are being taken")
    take_all()
    toy.window.setFocus()
    toy.press("Esc")
    rest(toy, gate)
    assert by_layer(toy) == {}


def test_a_second_text_that_is_still_read_is_not_compared_with_another_document(toy, monkeypatch):
    gate = Gate()
    gate.open()
    monkeypatch.setattr(Run, "problem", gate.before(Run.problem))
    type_two_texts(toy)
    gate.close()
    toy.click("model.compare")
    gate.await_work()
    toy.program.files.begin_with_example("worked")
    rest(toy, gate)
    assert not toy.program.baseline.pinned


def retype(person, text, end=""):
    person.overwrite(line(person), text, end)


def line(person, name="text"):
    return person.find(f"control.{name}", QLineEdit)


@pytest.fixture
def wide_toy(launch):
    return launch().beginning(Person.open_toy)


def test_a_text_is_read_when_its_line_is_left(wide_toy):
    """It was thrown away."""
    retype(wide_toy, TEXT)
    wide_toy.click_head(1, 2)
    wide_toy.wait()
    study = wide_toy.program.document.study
    assert (study.text, study.layer, wide_toy.program.view.look.head) == (TEXT, 1, 2)
    assert line(wide_toy).text() == TEXT
    assert len(wide_toy.steps()) == 3

    wide_toy.again("a text is read when its line is left for the second one")
    retype(wide_toy, TEXT, end="Tab")
    wide_toy.overwrite(line(wide_toy, "other_text"), SECOND)
    wide_toy.wait()
    assert wide_toy.program.document.study.text == TEXT
    assert line(wide_toy).text() == TEXT
    assert wide_toy.program.late.model.second.tokens[1:] == tuple(SECOND.split())

    wide_toy.again("a text that was taken back is not asked for again")
    before = line(wide_toy).text()
    for end, head in (("Return", 1), ("Tab", 2)):
        retype(wide_toy, TEXT, end)
        wide_toy.wait()
        line(wide_toy).setFocus()
        wide_toy.do("undo")
        wide_toy.wait()
        assert line(wide_toy).text() == before
        wide_toy.click_head(0, head)
        wide_toy.wait()
        assert wide_toy.program.document.study.text == before
    retype(wide_toy, TEXT, "Tab")
    wide_toy.wait()
    assert wide_toy.program.document.study.text == TEXT

    wide_toy.again("a text that is refused stays to be mended")
    long = " ".join("a" * 40)
    retype(wide_toy, long, "Return")
    wide_toy.wait()
    assert "41" in wide_toy.banner()
    assert line(wide_toy).text() == long
    retype(wide_toy, TEXT, "Tab")
    wide_toy.wait()
    assert wide_toy.program.document.study.text == TEXT
    retype(wide_toy, SECOND)
    wide_toy.do("next_head")  # an action leaves the line, too
    wide_toy.wait()
    assert wide_toy.program.document.study.text == SECOND

    wide_toy.again("characters that the model does not know are named")
    retype(wide_toy, "")
    wide_toy.type("k 猫 b ☃ 猫", end="Return")
    wide_toy.wait()
    assert wide_toy.banner() == "This model does not know 猫, ☃: “<s>” stands there instead."
    retype(wide_toy, TEXT, end="Return")
    wide_toy.wait()
    assert wide_toy.banner() == ""


@pytest.mark.parametrize("part", [{"pre_tokenizer": PANICS}, {"normalizer": GROWS}], ids=["panics", "grows"])
def test_a_text_that_the_tokenizer_cannot_cut_is_refused_in_a_sentence(launch, part, tmp_path):
    """The window stayed busy for good, or the program was ended."""
    pytest.importorskip("tokenizers")
    shutil.copytree(BERT, tmp_path / "model")
    path = tmp_path / "model" / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | part), encoding="utf-8")
    person = launch(width=1366, height=700)
    person.program.late.models.open_path(tmp_path / "model")
    person.wait()
    before = person.program.document.study.text
    retype(person, "a" * 40 + "b", "Return")
    person.wait()
    assert not person.program.late.models.busy
    assert person.banner().startswith("tokenizer.json c")
    assert not person.find("banner").visibleRegion().isEmpty()
    assert person.program.document.study.text == before
    retype(person, "the cat", "Return")
    person.wait()
    assert person.program.document.study.text == "the cat"
