"""Texts of a model as they are typed: handed on when the line is left, and by no way twice."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QTableView

BERT = Path(__file__).parents[2] / "data" / "models" / "tiny-bert"
TEXT, SECOND = "k x b p", "k x b m"


@pytest.fixture
def toy(launch):
    person = launch()
    person.do("known_toy_induction")
    person.wait()
    return person


def type_text(person, text, end=""):
    person.overwrite(line(person), text, end)


def line(person, name="text"):
    return person.find(f"control.{name}", QLineEdit)


def click_head(person, layer, head):
    view = person.find("model", QTableView)
    place = view.visualRect(view.model().index(layer, head)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_text_is_read_when_its_line_is_left_for_a_head(toy):
    """It was thrown away."""
    type_text(toy, TEXT)
    click_head(toy, 1, 2)
    toy.wait()
    study = toy.program.document.study
    assert (study.text, study.layer, toy.program.view.look.head) == (TEXT, 1, 2)
    assert line(toy).text() == TEXT
    assert len(toy.steps()) == 3


def test_a_text_is_read_when_its_line_is_left_for_the_second_one(toy):
    type_text(toy, TEXT, end="Tab")
    toy.overwrite(line(toy, "other_text"), SECOND)
    toy.wait()
    assert toy.program.document.study.text == TEXT
    assert line(toy).text() == TEXT
    assert toy.program.late.model.second.tokens[1:] == tuple(SECOND.split())


def test_a_text_that_was_taken_back_is_not_asked_for_again(toy):
    before = line(toy).text()
    for end, head in (("Return", 1), ("Tab", 2)):
        type_text(toy, TEXT, end)
        toy.wait()
        line(toy).setFocus()
        toy.do("undo")
        toy.wait()
        assert line(toy).text() == before
        click_head(toy, 0, head)
        toy.wait()
        assert toy.program.document.study.text == before
    type_text(toy, TEXT, "Tab")
    toy.wait()
    assert toy.program.document.study.text == TEXT


def test_a_text_that_is_refused_stays_to_be_mended(toy):
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


def test_characters_that_the_model_does_not_know_are_named(toy):
    type_text(toy, "")
    toy.type("k 猫 b ☃ 猫")
    toy.press("Return")
    toy.wait()
    assert toy.banner() == "This model does not know 猫, ☃: “<s>” stands there instead."
    type_text(toy, TEXT, end="Return")
    toy.wait()
    assert toy.banner() == ""
