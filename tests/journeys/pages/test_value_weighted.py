"""Value-weighted attention by hand: seen beside the weights, clicked, exported as a picture and as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attn_gui.cli import main
from attn_gui.engine import compute
from attn_gui.formats import save_session
from attn_gui.views.dialogs.export_dialog import ExportDialog

NAME = "value_weighted"


@pytest.fixture
def person(launch):
    person = launch("worked-example.npz")
    person.do("output_projection")
    person.wait()
    person.do(NAME)
    return person


def moved(person):
    return compute(person.program.document.problem)[NAME][0, 0]


def test_it_stands_beside_the_weights_and_follows_an_edit_and_a_click(person, tmp_path):
    page = person.find(f"page.{NAME}")
    assert not person.has(f"heatmap.{NAME}"), "no stage of the window is a derived map"
    weights, found = (cells for cells, _ in page.content.maps)
    assert weights.tolist() == person.values("weights")
    assert found.tolist() == moved(person).tolist()
    person.type_into("value", 1, 0, "9")
    QTest.qWait(1)
    assert page.content.maps[1][0].tolist() == moved(person).tolist() != found.tolist()
    assert len(person.steps()) == 3

    # a click chooses the weight and the page says what it is made of
    canvas = person.find(f"page.{NAME}").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1, 0).toPoint())
    assert person.program.view.look.cell[:3] == ("weights", 1, 0)
    QTest.qWait(1)
    weight, norm, value = person.find(f"page.{NAME}").content.numbers
    assert value == moved(person)[1, 0] == pytest.approx(weight * norm, rel=1e-15)
    assert f"{weight:.4g} · {norm:.4f} = {value:.4g}" in canvas.accessibleDescription()

    # it is among the stages of an export and of the command line
    def answer(dialog):
        dialog.stages.set_keys((NAME,))
        dialog.format.set_key("svg")
        dialog.target.folder.setText(str(tmp_path))
        assert dialog.objection() == ""
        dialog.accept()

    person.answering(ExportDialog, answer, lambda: person.do("export_image"))
    assert "Value-weighted attention" in (tmp_path / f"worked-example-{NAME}-h0.svg").read_text("utf-8")
    save_session(person.program.document.snapshot(), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--stage", NAME, "head_contribution"]
    assert main([*call, "--format", "csv", "npz"]) == 0
    rows = (tmp_path / f"a-{NAME}-h0.csv").read_text("utf-8").splitlines()
    assert np.array([row.split(",")[-2:] for row in rows[-2:]], float).tolist() == moved(person).tolist()
    with np.load(tmp_path / "a-stages.npz") as members:
        assert members[NAME][0, 0].tolist() == moved(person).tolist()
        assert members["head_contribution"].shape[:2] == (1, 1)
