"""A dump of attention weights alone, by hand: opened, asked about, read, changed, undone, exported, kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QDialogButtonBox

from attn_gui.app.files.journaling import journals_folder
from attn_gui.engine import Problem
from attn_gui.formats import load
from attn_gui.formats.journal import recover
from attn_gui.views.dialogs.readings import MapsDialog
from attn_gui.views.page_widget import OptionFields
from tests.failing import each

LEFT = Qt.MouseButton.LeftButton
TOKENS = ("the", "cat", "sat", "here")
NEED_SCORES = ("score", "scale", "masks", "softcap", "temperature", "rotary_positions", "set_target", "make_direct")


@pytest.fixture
def person(launch):
    return launch("worked-example.npz")


@pytest.fixture
def weights() -> np.ndarray:
    return np.random.default_rng(5).dirichlet(np.ones(4), size=(3, 1, 2, 4))


def open_layer(person: Any, path: Path, layer: int) -> None:
    """Drop the file, look at the pictures, click that of a layer, press Open."""

    def answer(dialog: MapsDialog) -> None:
        button = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert dialog.chosen is None  # nothing is proposed
        assert not button.isEnabled()
        place = dialog.list.visualItemRect(dialog.list.item(layer))
        assert dialog.list.viewport().visibleRegion().contains(place.center())
        person.until(lambda: dialog.list.item(layer).icon().pixmap(32).toImage().pixelColor(16, 16).alpha() > 0)
        QTest.mouseClick(dialog.list.viewport(), LEFT, pos=place.center())
        assert dialog.chosen == layer
        person.click(button)

    before = person.program.document.problem

    def ask() -> None:
        person.drop(path)
        person.until(lambda: not person.program.files.opening.busy and not person.program.late.arrays.busy)

    person.answering(MapsDialog, answer, ask)
    person.until(lambda: person.program.document.problem is not before and not person.program.files.opening.busy)
    person.wait()


def test_a_dump_of_several_layers_from_the_file_to_the_figure_and_back(
    launch: Callable[..., Any], tmp_path: Path, weights: np.ndarray
) -> None:
    np.savez(tmp_path / "dump.npz", attentions=weights, tokens=np.array(TOKENS))
    person = launch("worked-example.npz", lang="zh")
    open_layer(person, tmp_path / "dump.npz", 1)
    expected = Problem.from_weights(weights[1], tokens=TOKENS)
    assert person.program.document.snapshot() == expected
    assert not person.has("table.query")
    assert person.window.windowTitle().startswith("dump-layer1")  # as do the names of its figures

    person.click_cell("weights", 2, 1)
    said = person.explanation()
    assert "sat" in said
    assert "cat" in said
    assert f"{weights[1, 0, 0, 2, 1]:.4f}" in said
    person.click("head.1")
    assert person.value("weights", 2, 1) == weights[1, 0, 1, 2, 1]
    assert person.number("weights", 2, 1) == weights[1, 0, 1, 2, 1]  # the table shows the same head

    person.click_cell("weights", 2, 1)
    person.press("F2", "Ctrl+A", "Del")
    person.type("0.5")
    person.press("Return")
    assert person.value("weights", 2, 1) == person.number("weights", 2, 1) == 0.5
    person.type_into("weights", 0, 3, "0.25")
    assert person.value("weights", 0, 3) == 0.25
    changed = person.program.document.snapshot()
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.program.document.snapshot() == expected
    person.press("Ctrl+Y", "Ctrl+Y")
    assert person.program.document.snapshot() == changed

    def export(dialog: QDialog) -> None:
        dialog.target.folder.setText(str(tmp_path))
        person.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save))

    person.answering(QDialog, export, lambda: person.do("export_image"))
    person.until(lambda: bool(list(tmp_path.glob("dump-layer1*.png"))))
    assert not QImage(str(next(iter(tmp_path.glob("*.png"))))).isNull()

    person.choose_file(tmp_path / "kept.attn", lambda: person.do("save_as"))
    person.until(lambda: not person.program.document.modified)
    assert load(tmp_path / "kept.attn") == changed
    person.drop(tmp_path / "kept.attn")
    person.wait()
    assert person.program.document.snapshot() == changed


def test_one_array_without_a_name_is_asked_about_with_pictures_and_values_follow(person, tmp_path, weights):
    np.save(tmp_path / "dump.npy", weights[:, 0])
    np.savez(tmp_path / "dump.npz", attention=weights[0, 0], tokens=np.array(TOKENS))
    person.do("retrieval")
    person.wait()
    options = person.find("page.retrieval").findChild(OptionFields)
    assert options.isVisible()
    person.drop(tmp_path / "dump.npz")
    person.wait()
    assert not options.isVisible()
    open_layer(person, tmp_path / "dump.npy", 2)
    assert person.program.document.snapshot() == Problem.from_weights(weights[1, 0])

    person.again("values that are given too follow a typed weight")
    value = np.arange(8.0).reshape(4, 2)
    np.savez(tmp_path / "values.npz", attention=weights[0, 0], value=value, tokens=np.array(TOKENS))
    person.drop(tmp_path / "values.npz")
    person.wait()
    person.type_into("weights", 1, 2, "3")
    row = weights[0, 0, 0, 1].copy()
    row[2] = 3
    assert person.value("head_output", 1, 0) == pytest.approx(row @ value[:, 0])
    person.show_stage("head_output")
    person.click_cell("head_output", 1, 0)
    assert "3" in person.explanation()
    person.type_into("value", 2, 0, "10")
    value[2, 0] = 10
    assert person.value("head_output", 1, 0) == pytest.approx(row @ value[:, 0])
    person.press("Ctrl+Z", "Ctrl+Z")
    assert np.array_equal(person.program.document.problem.weights, weights[0, 0])

    # tables of what was computed are empty until they are put aside
    person.again("computed tables", "thinking-machines.npz")
    person.window.inputs.show_group("computed")
    table = person.table("query")
    assert table.isVisible()
    person.program.document.open(Problem.from_weights(np.eye(2)), None, "alone")
    table.viewport().repaint()  # paint and fades go on while who shows the document is still being told
    assert table.model().dtype == np.float64
    person.wait()
    assert not table.isVisible()


@each(("lang", "reason"), [("en", "The weights are given here"), ("zh", "权重是直接给定的")])
def test_what_needs_queries_and_keys_is_off_and_says_why(person, lang, reason, tmp_path, weights):
    np.savez(tmp_path / "dump.npz", attention=weights[0, 0], tokens=np.array(TOKENS))
    person.again(lang)
    person.do(f"language_{lang}")
    usual = {name: person.action(name).isEnabled() for name in NEED_SCORES}
    person.drop(tmp_path / "dump.npz")
    person.wait()
    person.click_cell("weights", 0, 0)
    for name in NEED_SCORES:
        assert not person.action(name).isEnabled(), name
        assert reason in person.action(name).toolTip(), name
    for size in ("d_k", "d_model"):
        box = person.find(f"control.{size}")
        assert not box.isEnabled()
        assert reason in box.toolTip()
        assert box.text() == "–"
    for name in ("node.weights", "heatmap.weights", "table.weights", "heads.weights"):
        assert not person.find(name).visibleRegion().isEmpty()
    for name in ("node.query", "node.scores", "control.scale", "control.score"):
        assert not person.has(name) or person.find(name).visibleRegion().isEmpty(), name
    person.do("relations")
    person.do("verify")
    person.wait()
    person.again("another document")
    person.do(f"language_{lang}")
    assert {name: person.action(name).isEnabled() for name in NEED_SCORES} == usual
    assert reason not in person.action("scale").toolTip()


def test_a_crash_leaves_what_was_typed_and_snapshots_come_back(
    launch: Callable[..., Any], tmp_path: Path, weights: np.ndarray
) -> None:
    np.savez(tmp_path / "dump.npz", attention=weights[0, 0], tokens=np.array(TOKENS))
    person = launch("worked-example.npz")
    person.drop(tmp_path / "dump.npz")
    person.wait()
    person.do("snapshot")
    person.type_into("weights", 1, 2, "nan")
    person.click("head.1")
    person.type_into("weights", 3, 0, "-0")
    problem = person.program.document.snapshot()

    def kept() -> list[Path]:
        found = sorted(journals_folder().glob("*-*.journal"))
        return [path for path in found if recover(path).loaded.problem == problem]

    person.until(lambda: bool(kept()))
    (snapshot,) = recover(kept()[0]).loaded.snapshots
    assert snapshot.problem() == Problem.from_weights(weights[0, 0], tokens=TOKENS)
    shutil.copy(kept()[0], journals_folder() / "crashed.journal")
    person.program.end()
    person = launch()
    person.click(person.find("banner").buttons()[0])
    person.until(lambda: person.program.document.problem == problem)
    assert person.window.isWindowModified()
