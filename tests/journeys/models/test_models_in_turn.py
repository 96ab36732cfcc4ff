"""One model after another: nothing of the one before is shown under the name of the next."""

from __future__ import annotations

import json
import shutil

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTableView

from attn_gui.paths import resource
from attn_gui.views.head_grid import PICTURE_ROLE
from tests.models.golden_folders import DATA

TOY = resource("models", "toy-induction")


@pytest.fixture
def toy(launch):
    person = launch()
    open_folder(person, TOY)
    return person


def open_folder(person, folder):
    person.program.late.models.open_path(folder)
    person.wait()


def shown(person):
    """What the room says of a run: its tokens, what is predicted, where, and the maps of its heads."""
    rows, heads = person.find("model.predictions", QTableView).model(), person.find("model", QTableView).model()
    tokens = person.find("model.tokens").model()
    pictures = [heads.index(0, head).data(PICTURE_ROLE) for head in range(heads.columnCount())]
    return (
        [tokens.index(row, 0).data() for row in range(tokens.rowCount())],
        [rows.index(row, 0).data() for row in range(rows.rowCount())],
        person.find("model.prediction_title", QLabel).text(),
        [picture for picture in pictures if picture is not None],
    )


def test_a_model_without_a_head_and_one_that_cannot_be_run_show_nothing_of_the_one_before(toy, tmp_path):
    folder = tmp_path / "headless"
    shutil.copytree(DATA / "tiny-bert", folder)
    told = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**told, "tie_word_embeddings": False}), "utf-8")
    open_folder(toy, folder)
    assert toy.program.late.model.answer.run.model.ends.head is None
    tokens, predicted, title, pictures = shown(toy)
    assert tokens == list(toy.program.late.model.answer.run.texts)
    assert (predicted, title) == ([], "")
    assert pictures

    # of a model that cannot be run nothing is shown
    open_folder(toy, TOY)
    toy.size("num_heads", 2)
    toy.wait()
    assert toy.banner().endswith("What it predicts is shown as it was before.")
    unfit = tmp_path / "two-heads.attn"
    toy.save_as(unfit)
    for between in (
        lambda: open_folder(toy, DATA / "tiny-bert"),
        lambda: toy.program.files.open_example("worked"),
    ):
        between()
        toy.wait()
        toy.open(unfit)
        toy.wait()
        assert toy.program.document.study.model.name == "toy-induction"
        assert shown(toy) == ([], [], "", [])
        assert toy.program.late.model.context() is None
        assert toy.program.late.pages.model is None
        assert "has 2 heads; every layer of the model has 4." in toy.banner()
        assert "as it was before" not in toy.banner()  # it never was
    tokens = toy.find("model.tokens").viewport()
    QTest.mouseClick(tokens, Qt.MouseButton.LeftButton, pos=tokens.rect().center() / 4)
    toy.size("num_heads", 4)
    toy.wait()
    assert shown(toy)[1]
