"""Texts of a model as they are typed: handed on when the line is left, and by no way twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit

from tests.journeys.conftest import Person

BERT = Path(__file__).parents[2] / "data" / "models" / "tiny-bert"
TEXT, SECOND = "k x b p", "k x b m"


@pytest.fixture
def toy(launch):
    return launch().beginning(Person.open_toy)


def type_text(person, text, end=""):
    person.overwrite(line(person), text, end)


def line(person, name="text"):
    return person.find(f"control.{name}", QLineEdit)


def test_a_text_is_read_when_its_line_is_left(toy):
    """It was thrown away."""
    type_text(toy, TEXT)
    toy.click_head(1, 2)
    toy.wait()
    study = toy.program.document.study
    assert (study.text, study.layer, toy.program.view.look.head) == (TEXT, 1, 2)
    assert line(toy).text() == TEXT
    assert len(toy.steps()) == 3

    toy.again("a text is read when its line is left for the second one")
    type_text(toy, TEXT, end="Tab")
    toy.overwrite(line(toy, "other_text"), SECOND)
    toy.wait()
    assert toy.program.document.study.text == TEXT
    assert line(toy).text() == TEXT
    assert toy.program.late.model.second.tokens[1:] == tuple(SECOND.split())

    toy.again("a text that was taken back is not asked for again")
    before = line(toy).text()
    for end, head in (("Return", 1), ("Tab", 2)):
        type_text(toy, TEXT, end)
        toy.wait()
        line(toy).setFocus()
        toy.do("undo")
        toy.wait()
        assert line(toy).text() == before
        toy.click_head(0, head)
        toy.wait()
        assert toy.program.document.study.text == before
    type_text(toy, TEXT, "Tab")
    toy.wait()
    assert toy.program.document.study.text == TEXT

    toy.again("a text that is refused stays to be mended")
    long = " ".join("a" * 40)
    type_text(toy, long, "Return")
    toy.wait()
    assert "41" in toy.banner()
    assert line(toy).text() == long
    type_text(toy, TEXT, "Tab")
    toy.wait()
    assert toy.program.document.study.text == TEXT
    type_text(toy, SECOND)
    toy.do("next_head")  # an action leaves the line, too
    toy.wait()
    assert toy.program.document.study.text == SECOND

    toy.again("characters that the model does not know are named")
    type_text(toy, "")
    toy.type("k 猫 b ☃ 猫")
    toy.press("Return")
    toy.wait()
    assert toy.banner() == "This model does not know 猫, ☃: “<s>” stands there instead."
    type_text(toy, TEXT, end="Return")
    toy.wait()
    assert toy.banner() == ""


PANICS = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
GROWS = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 200_000}


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
    type_text(person, "a" * 40 + "b", "Return")
    person.wait()
    assert not person.program.late.models.busy
    assert person.banner().startswith("tokenizer.json c")
    assert not person.find("banner").visibleRegion().isEmpty()
    assert person.program.document.study.text == before
    type_text(person, "the cat", "Return")
    person.wait()
    assert person.program.document.study.text == "the cat"
