"""The room of a model: buttons say what they do next, changes where their numbers come from, heads stand once."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton, QTableView

from attn_gui.app import model_results
from attn_gui.models import model, open_model
from attn_gui.views.dialogs.action_search import without_access_key
from attn_gui.views.dialogs.dialog_base import WorkLine
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.head_grid import STALE_ROLE
from tests.journeys.gate import Gate
from tests.models.golden_folders import DATA
from tests.seen import colors_of

TEXT, SECOND = "k x b p f k x b p", "k x b p h k x b p"
OFF, ON = "Switch the head off", "Switch the head on again"
LAYER_OFF = "Switch the layer's heads off"
ROWS = ["layer 0: O[5, ·] of all heads ← second text, h (5)", "layer 0: L ← second text"]


@pytest.fixture
def toy(launch):
    return launch("worked-example.npz").beginning(lambda person: person.open_toy(TEXT))


def said(person, name):
    return without_access_key(person.find(name, QPushButton).text())


def action(person):
    return without_access_key(person.action("head_off").text())


def changes(person):
    rows = person.find("model.changes").model()
    return [str(rows.index(row, 0).data()) for row in range(rows.rowCount())]


def test_the_room_says_what_its_buttons_changes_and_layers_are_dims_what_is_old_and_leaves_the_document(
    toy, tmp_path, qtbot, monkeypatch
):
    assert (said(toy, "model.head_off"), action(toy)) == (OFF, OFF)
    toy.click("model.head_off")
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (ON, ON)
    toy.click_head(0, 1)
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (OFF, OFF)
    toy.do("previous_head")
    assert (said(toy, "model.head_off"), action(toy)) == (ON, ON)
    toy.press("Ctrl+Shift+O")
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (OFF, OFF)
    assert toy.program.document.problem.interventions == ()
    assert said(toy, "model.layer_off") == LAYER_OFF
    toy.click("model.layer_off")
    toy.wait()
    assert said(toy, "model.layer_off") != LAYER_OFF
    toy.click("model.layer_off")
    toy.wait()
    assert said(toy, "model.layer_off") == LAYER_OFF
    assert toy.program.document.problem.interventions == ()

    # a change says which rows of the second text it holds
    toy.overwrite(toy.find("control.other_text", QLineEdit), SECOND)
    toy.wait()
    toy.choose(toy.find("control.taken_stage", QComboBox), "head_output")
    toy.choose(toy.find("control.taken_place", QComboBox), "5")
    tokens = toy.find("model.second_tokens")
    place = tokens.visualRect(tokens.model().index(5, 0)).center()
    QTest.mouseClick(tokens.viewport(), Qt.MouseButton.LeftButton, pos=place)
    toy.click("model.take_row")
    toy.wait()
    toy.choose(toy.find("control.taken_stage", QComboBox), "block_output")
    toy.click("model.take_all")
    toy.wait()
    assert changes(toy) == ROWS
    toy.overwrite(toy.find("control.other_text", QLineEdit), "")
    toy.wait()
    assert all("64" in row or "640" in row for row in changes(toy))

    # the layer on the table is named in title, steps and figures
    # With thirty layers one was lost in a minute: it stood in the history alone.
    toy.click_head(1, 2)
    toy.wait()
    assert "Layer 1" in toy.window.windowTitle()
    toy.do("product")
    label = toy.find("spine.layer", QLabel)
    assert label.text() == "Layer 1"
    assert label.visibleRegion().boundingRect() == label.rect()

    def answer(dialog):
        dialog.set_choice(replace(dialog.result_choice(), folder=str(tmp_path), format="svg"))
        dialog.accept()

    toy.answering(ExportDialog, answer, lambda: toy.do("export_image"))
    qtbot.waitUntil(lambda: any(tmp_path.glob("*.svg")))
    assert "Layer 1" in next(tmp_path.glob("*.svg")).read_text("utf-8")
    toy.program.files.open_example_unasked("worked")
    toy.wait()
    assert not label.isVisible()
    assert "Layer 1" not in toy.window.windowTitle()

    toy.again("what is old is dimmed")
    toy.overwrite(toy.find("control.other_text", QLineEdit), SECOND)
    toy.wait()
    toy.click("model.compare")
    toy.wait()
    assert toy.program.baseline.comparable
    toy.overwrite(toy.find("control.other_text", QLineEdit), "k x b")
    toy.wait()
    assert toy.program.baseline.problem is None
    assert "10" in toy.banner()
    assert "4" in toy.banner()
    toy.click("model.compare")
    toy.wait()
    assert toy.program.baseline.problem is None

    # from the edit until the answer is there
    gate = Gate()
    gate.open()
    monkeypatch.setattr(model_results, "answer", gate.before(model_results.answer))
    names = ("model.prediction_title", "model.predictions", "model")
    parts = [toy.find(name) for name in names]
    parts = [getattr(part, "viewport", lambda part=part: part)() for part in parts]
    fresh = [darkest(part) for part in parts]
    gate.close()
    toy.click("model.head_off")
    assert all(darkest(part) > before + 20 for part, before in zip(parts[:2], fresh[:2], strict=True))
    assert toy.find("model", QTableView).model().index(1, 1).data(STALE_ROLE)
    gate.open()
    toy.wait()
    assert [darkest(part) for part in parts[:1]] == fresh[:1]
    assert not toy.find("model", QTableView).model().index(1, 1).data(STALE_ROLE)

    # in a low window the heads stand once and the prediction has room
    predictions = toy.find("model.predictions", QTableView)
    assert toy.find("heads.weights").isVisible()
    toy.window.resize(1366, 700)
    toy.overwrite(toy.find("control.other_text", QLineEdit), SECOND)
    toy.wait()
    QTest.qWait(1)
    assert not toy.find("heads.weights").isVisible()
    assert predictions.viewport().height() >= 5 * predictions.rowHeight(0)
    toy.do("product")
    assert toy.find("heads.weights").isVisible()

    toy.beginning(lambda _toy: None).again("an encoder is asked for the token that is to be filled in")
    toy.do("language_zh")
    toy.program.late.models.open_path(DATA / "tiny-bert")
    toy.wait()
    toy.overwrite(toy.find("control.text", QLineEdit), "John gave the [MASK] to Mary.")
    toy.wait()
    assert "[MASK]" in toy.find("model.prediction_title", QLabel).text()
    assert toy.find("model.tokens").currentIndex().data() == "[MASK]"
    rows = toy.find("model.predictions", QTableView).model()
    best = open_model(DATA / "tiny-bert").run("John gave the [MASK] to Mary.").predictions(4)[0]
    assert float(rows.index(0, 1).data()) == pytest.approx(best[1], abs=1e-4)

    toy.again("a look at another layer leaves the document as saved and an edit there does not")
    # The title had its star, and the person was asked to save what nobody had changed.
    gate = Gate()
    monkeypatch.setattr(model, "read_model", gate.before(model.read_model))
    toy.do("known_toy_induction")
    lines = toy.window.findChildren(WorkLine)
    assert any(line.isVisible() and not line.visibleRegion().isEmpty() for line in lines), "it is said at once"
    gate.open()
    toy.wait()

    def look_at(layer):
        toy.click_head(layer, 2)
        toy.wait()

    look_at(1)
    assert toy.program.document.study.layer == 1
    assert not toy.window.isWindowModified()
    toy.type_into("w_query", 1, 0, "2.5")
    toy.wait()
    assert toy.window.isWindowModified()
    look_at(0)
    assert toy.window.isWindowModified()
    toy.press("Ctrl+Z", "Ctrl+Z")
    toy.wait()
    assert toy.program.document.study.layer == 1
    assert not toy.window.isWindowModified()
    toy.press("Ctrl+Z")
    toy.wait()
    assert toy.program.document.study.layer == 0
    assert not toy.window.isWindowModified()


def darkest(widget):
    """The darkness of the darkest pixel that is seen of a widget."""
    return min(color.lightness() for color in colors_of(widget.grab().toImage()))
