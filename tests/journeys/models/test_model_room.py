"""The room of a model: buttons say what they do next, changes where their numbers come from, heads stand once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QPushButton, QTableView

from attn_gui.app import model_controller, model_run_controller
from attn_gui.figure.page_catalog import PAGES
from attn_gui.models import open_model
from attn_gui.views.dialogs.action_search import without_access_key
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.progress import WorkLine
from attn_gui.views.head_grid import STALE_ROLE
from tests.journeys.gate import Gate
from tests.models.golden_folders import DATA

TEXT, SECOND = "k x b p f k x b p", "k x b p h k x b p"
WORDS = {
    "en": ("Switch the head off", "Switch the head on again", "Switch the layer's heads off"),
    "zh": ("关闭该头", "重新打开该头", "关闭本层所有头"),
}
ROWS = {
    "en": ("layer 0: O[5, ·] of all heads ← second text, h (5)", "layer 0: L ← second text"),
    "zh": ("第 0 层：所有头的 O[5, ·] ← 第二段文本，h（5）", "第 0 层：L ← 第二段文本"),
}


LANGUAGES = pytest.mark.parametrize("lang", ["en", "zh"])


@pytest.fixture
def lang():
    return "en"


@pytest.fixture
def toy(launch, lang):
    return launch(lang=lang).beginning(lambda person: person.open_toy(TEXT))


def said(person, name):
    return without_access_key(person.find(name, QPushButton).text())


def action(person):
    return without_access_key(person.action("head_off").text())


def changes(person):
    model = person.find("model.changes").model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_the_room_says_what_its_buttons_changes_and_layers_are(toy, lang, tmp_path, qtbot):
    off, on, layer_off = WORDS[lang]
    assert (said(toy, "model.head_off"), action(toy)) == (off, off)
    toy.click("model.head_off")
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (on, on)
    toy.click_head(0, 1)
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (off, off)
    toy.do("previous_head")
    assert (said(toy, "model.head_off"), action(toy)) == (on, on)
    toy.press("Ctrl+Shift+O")
    toy.wait()
    assert (said(toy, "model.head_off"), action(toy)) == (off, off)
    assert toy.program.document.problem.interventions == ()
    assert said(toy, "model.layer_off") == layer_off
    toy.click("model.layer_off")
    toy.wait()
    assert said(toy, "model.layer_off") != layer_off
    toy.click("model.layer_off")
    toy.wait()
    assert said(toy, "model.layer_off") == layer_off
    assert toy.program.document.problem.interventions == ()

    toy.again("no access key of the room is that of a menu or of another part")
    for off in (False, True):
        room = toy.find("model.view")
        parts = [*room.findChildren(QAbstractButton), *(each for each in room.findChildren(QLabel) if each.buddy())]
        texts = [part.text() for part in parts if part.isVisible()]
        keys = [QKeySequence.mnemonic(text).toString() for text in texts]
        menus = [QKeySequence.mnemonic(action.text()).toString() for action in toy.window.menuBar().actions()]
        counted = Counter([*filter(None, keys), *menus])
        assert [key for key, count in counted.items() if count > 1] == [], texts
        if not off:
            toy.click("model.head_off")
            toy.click("model.layer_off")
            toy.wait()

    toy.again("a change says which rows of the second text it holds")
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
    assert changes(toy) == list(ROWS[lang])
    toy.overwrite(toy.find("control.other_text", QLineEdit), "")
    toy.wait()
    assert all("64" in row or "640" in row for row in changes(toy))

    toy.again("the layer on the table is named in title steps and figures")
    # With thirty layers one was lost in a minute: it stood in the history alone.
    toy.click_head(1, 2)
    toy.wait()
    assert LAYER[lang] in toy.window.windowTitle()
    toy.do("product")
    label = toy.find("spine.layer", QLabel)
    assert label.text() == LAYER[lang]
    assert label.visibleRegion().boundingRect() == label.rect()

    def answer(dialog):
        dialog.set_choice(replace(dialog.result_choice(), folder=str(tmp_path), format="svg"))
        dialog.accept()

    toy.answering(ExportDialog, answer, lambda: toy.do("export_image"))
    qtbot.waitUntil(lambda: any(tmp_path.glob("*.svg")))
    assert LAYER[lang] in next(tmp_path.glob("*.svg")).read_text("utf-8")
    toy.program.files.begin_with_example("worked")
    toy.wait()
    assert not label.isVisible()
    assert LAYER[lang] not in toy.window.windowTitle()


def test_an_encoder_is_asked_for_the_token_that_is_to_be_filled_in(launch):
    person = launch(lang="zh")
    person.program.late.models.open_path(DATA / "tiny-bert")
    person.wait()
    person.overwrite(person.find("control.text", QLineEdit), "John gave the [MASK] to Mary.")
    person.wait()
    assert "[MASK]" in person.find("model.prediction_title", QLabel).text()
    assert person.find("model.tokens").currentIndex().data() == "[MASK]"
    rows = person.find("model.predictions", QTableView).model()
    best = open_model(DATA / "tiny-bert").run("John gave the [MASK] to Mary.").predictions(4)[0]
    assert float(rows.index(0, 1).data()) == pytest.approx(best[1], abs=1e-4)
    person.find("model.tokens").setCurrentIndex(person.find("model.tokens").model().index(2, 0))
    person.wait()
    assert "[MASK]" not in person.find("model.prediction_title", QLabel).text()
    person.overwrite(person.find("control.text", QLineEdit), "John gave the book to [MASK].")
    person.wait()
    assert "[MASK]" in person.find("model.prediction_title", QLabel).text()


def test_what_is_old_is_dimmed_from_the_edit_until_the_answer_is_there(toy, monkeypatch, qtbot):
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

    toy.again("what is old is dimmed from the edit until the answer is there")
    gate = Gate()
    gate.open()
    monkeypatch.setattr(model_run_controller, "answer", gate.before(model_run_controller.answer))
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
    view = toy.find("model", QTableView)
    gate.close()
    toy.click_head(1, 2)
    qtbot.waitUntil(lambda: toy.program.document.study.layer == 1)
    assert not view.model().index(1, 1).data(STALE_ROLE), "nothing but the layer on the table is another"
    gate.open()
    toy.wait()

    toy.again("in a low window the heads stand once and the prediction has room")
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

    toy.again("a page of a model is dimmed from the edit until its own numbers are there")
    run, page = Gate(), Gate()
    run.open()
    page.open()
    monkeypatch.setattr(model_run_controller, "answer", run.before(model_run_controller.answer))
    kind = type(PAGES["heads_off"])
    monkeypatch.setattr(kind, "read", page.before(kind.read))
    toy.do("heads_off")
    toy.wait()
    qtbot.waitUntil(lambda: not toy.program.late.pages.busy)
    canvas = toy.find("page.heads_off").canvas
    fresh = darkest(canvas)
    run.close()
    page.close()
    toy.click("model.head_off")
    assert darkest(canvas) > fresh + 20, "the run goes on"
    run.open()
    qtbot.waitUntil(lambda: page.reached)
    assert darkest(canvas) > fresh + 20, "the page itself is computed"
    page.open()
    qtbot.waitUntil(lambda: not toy.program.late.pages.busy)
    assert darkest(canvas) == fresh


LAYER = {"en": "Layer 1", "zh": "第 1 层"}


def test_a_look_at_another_layer_leaves_the_document_as_saved_and_an_edit_there_does_not(launch, monkeypatch):
    """The title had its star, and the person was asked to save what nobody had changed."""
    person = launch()
    gate = Gate()
    monkeypatch.setattr(model_controller, "read_model", gate.before(model_controller.read_model))
    person.do("known_toy_induction")
    lines = person.window.findChildren(WorkLine)
    assert any(line.isVisible() and not line.visibleRegion().isEmpty() for line in lines), "it is said at once"
    gate.open()
    person.wait()

    def look_at(layer):
        person.click_head(layer, 2)
        person.wait()

    look_at(1)
    assert person.program.document.study.layer == 1
    assert not person.window.isWindowModified()
    person.type_into("w_query", 1, 0, "2.5")
    person.wait()
    assert person.window.isWindowModified()
    look_at(0)
    assert person.window.isWindowModified()
    person.press("Ctrl+Z", "Ctrl+Z")
    person.wait()
    assert person.program.document.study.layer == 1
    assert not person.window.isWindowModified()
    person.press("Ctrl+Z")
    person.wait()
    assert person.program.document.study.layer == 0
    assert not person.window.isWindowModified()


def darkest(widget):
    """The darkness of the darkest pixel that is seen of a widget."""
    image = widget.grab().toImage()
    return min(image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height()))
