"""Models, their texts, and what is asked of them, that come late: over another document, or while somebody types."""

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit

from attn_gui.models import attribution, model
from attn_gui.models.study import Study
from attn_gui.paths import resource
from tests.journeys.conftest import Person
from tests.journeys.gate import Gate

TOY = resource("models", "toy-induction")
CHANGED, OTHER = "k x b m f k x b p", "k x b p f k x b p"
BERT = Path(__file__).parents[2] / "data" / "models" / "tiny-bert"
TEXT, SECOND = "k x b p", "k x b m"
PANICS = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}


@pytest.fixture
def opening(monkeypatch):
    """Holds up models that are opened."""
    gate = Gate()
    monkeypatch.setattr(model, "read_model", gate.before(model.read_model))
    yield gate
    gate.open()


def rest(person, gate):
    """Let it be read, and wait until the window has heard."""
    gate.open()
    person.wait()
    for _ in range(3):
        QApplication.processEvents()


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
    return launch("worked-example.npz", width=1366, height=700).beginning(Person.open_toy)


def type_text(person, text, field="text"):
    person.overwrite(person.find(f"control.{field}", QLineEdit), text)


def place(person):
    study = person.program.document.study
    return study.text, study.layer, person.program.view.look.head


def test_of_steps_that_wait_for_one_another_the_last_one_counts_and_changes_go_as_they_were_asked_for(
    toy, steps, tmp_path
):
    steps.close()
    type_text(toy, CHANGED)
    steps.await_work()
    toy.click_head(1, 2)
    rest(toy, steps)
    assert place(toy) == (CHANGED, 1, 2)
    assert len(toy.steps()) == 3

    # a text that is refused behind another step stays to be mended
    steps.close()
    toy.click_head(0, 3)
    steps.await_work()
    long = " ".join("k" * 40)
    type_text(toy, long)
    toy.find("model.run").click()
    rest(toy, steps)
    field = toy.find("control.text", QLineEdit)
    assert place(toy)[1:] == (0, 3)
    assert field.text() == long
    assert "40" in toy.banner() or "41" in toy.banner()
    type_text(toy, OTHER)
    rest(toy, steps)
    assert place(toy) == (OTHER, 0, 3)

    # no document goes and none is saved before a text that was typed is read
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

    toy.again("changes of other layers stay and go as they were asked for")
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


# --- rows of a second text -------------------------------------------------------------------------


def type_two_texts(toy):
    for text, field in ((CHANGED, "text"), (OTHER, "other_text")):
        type_text(toy, text, field)
        toy.wait()


def retype(person, text, end=""):
    person.overwrite(line(person), text, end)


def line(person, name="text"):
    return person.find(f"control.{name}", QLineEdit)


def test_a_text_is_read_when_its_line_is_left_or_refused_and_what_comes_late_is_not_lost(
    toy, monkeypatch, request, opening, tmp_path
):
    pytest.importorskip("tokenizers")
    opening.open()
    """It was thrown away."""
    retype(toy, TEXT)
    toy.click_head(1, 2)
    toy.wait()
    study = toy.program.document.study
    assert (study.text, study.layer, toy.program.view.look.head) == (TEXT, 1, 2)
    assert line(toy).text() == TEXT
    assert len(toy.steps()) == 3

    # a text is read when its line is left for the second one
    retype(toy, CHANGED, end="Tab")
    toy.overwrite(line(toy, "other_text"), SECOND)
    toy.wait()
    assert toy.program.document.study.text == CHANGED
    assert line(toy).text() == CHANGED
    assert toy.program.late.model.second.tokens[1:] == tuple(SECOND.split())

    # characters that the model does not know are named
    retype(toy, "")
    toy.type("k 猫 b ☃ 猫", end="Return")
    toy.wait()
    assert toy.banner() == "This model does not know 猫, ☃: “<s>” stands there instead."
    retype(toy, TEXT, end="Return")
    toy.wait()
    assert toy.banner() == ""

    # rows that are being taken wait for a dialog and not for a comparison
    gate = Gate()
    request.addfinalizer(gate.open)
    monkeypatch.setattr(attribution, "rows_taken", gate.before(attribution.rows_taken))

    def take_all():
        type_two_texts(toy)
        gate.close()
        toy.click("model.take_all")
        gate.await_work()

    take_all()
    toy.click("model.compare")
    rest(toy, gate)
    assert by_layer(toy) == {1: 1}
    assert toy.program.baseline.comparable

    # Esc drops them
    toy.press("Ctrl+Z")
    toy.wait()
    take_all()
    toy.window.setFocus()
    toy.press("Esc")
    rest(toy, gate)
    assert by_layer(toy) == {}

    gate.open()
    toy.beginning(lambda _toy: None).again("what is done while a model is read is not lost", "nadaraya-watson.npz")
    opening.close()
    toy.program.take_in(TOY)
    opening.await_work()
    toy.program.files.open_example("worked")
    rest(toy, opening)
    assert toy.program.document.study is None
    assert toy.program.document.name == "worked-example"

    # a text that the tokenizer cannot cut is refused in a sentence
    # The window stayed busy for good, or the program was ended.
    shutil.copytree(BERT, tmp_path / "model")
    path = tmp_path / "model" / "tokenizer.json"
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"pre_tokenizer": PANICS}), encoding="utf-8"
    )
    toy.program.late.models.open_path(tmp_path / "model")
    toy.wait()
    before = toy.program.document.study.text
    retype(toy, "a" * 40 + "b", "Return")
    toy.wait()
    assert not toy.program.late.models.busy
    assert toy.banner().startswith("tokenizer.json c")
    assert not toy.find("banner").visibleRegion().isEmpty()
    assert toy.program.document.study.text == before
    retype(toy, "the cat", "Return")
    toy.wait()
    assert toy.program.document.study.text == "the cat"
