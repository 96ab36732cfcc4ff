"""The toy model on the table: the head that looks back found and switched off, rows of a second text taken by hand."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QListView, QMessageBox, QPushButton, QTableView

from attn_gui.document.edits import SetFields
from attn_gui.models import open_model, recovered
from attn_gui.paths import resource
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.head_grid import CHANGED_ROLE, PICTURE_ROLE
from attn_gui.views.history_panel import MOVE_ROLE
from attn_gui.views.theme import current_theme
from tests.journeys.conftest import Person
from tests.seen import pixels_of

TOY = resource("models", "toy-induction")
LETTERS = "k x b p f k x b p"
SURE, UNSURE = 0.9, 0.8
PAGES = ("prediction", "lens", "effect", "heads_off", "logit_parts", "patching")
CHANGED, CLEAN, SHORT = "k x b m f k x b p", "k x b p f k x b p", "k x b p f"
LAST = "block_output"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def toy(launch):
    return launch("worked-example.npz").beginning(Person.open_toy)


def read(person, text):
    person.overwrite(person.find("control.text", QLineEdit), text)
    person.wait()


def predicted(person):
    rows = person.find("model.predictions", QTableView).model()
    return {
        str(rows.index(row, 0).data()): float(str(rows.index(row, 1).data()).replace("−", "-"))
        for row in range(rows.rowCount())
    }


def grid(person):
    return person.find("model", QTableView)


def numbers(person):
    cells = grid(person).model()
    return np.array(
        [[float(cells.index(i, j).data()) for j in range(cells.columnCount())] for i in range(cells.rowCount())]
    )


def click_head(person, layer, head):
    person.click_head(layer, head)
    person.wait()


def truth(text, **changes):
    return dict(open_model(TOY).run(text, **changes).predictions(top=27))


def closed_cells(person, layer, head):
    """The cells of a head's small map that have the color of closed ones."""
    picture, color = grid(person).model().index(layer, head).data(PICTURE_ROLE), current_theme().masked
    return {(int(i), int(j)) for i, j in np.argwhere(pixels_of(picture) == color.rgb())}


def test_heads_of_a_model_are_pointed_at_and_carry_the_prediction_and_a_study_comes_back(toy, tmp_path):
    """They move in the grid at once: it has the keyboard as soon as the model is there."""
    assert toy.focus() is grid(toy)
    layer, head = grid(toy).currentIndex().row(), grid(toy).currentIndex().column()
    toy.press("Right")
    assert (grid(toy).currentIndex().row(), grid(toy).currentIndex().column()) == (layer, head + 1)
    click_head(toy, 0, 2)
    view = grid(toy)

    def ring(layer, head):
        """How many pixels around a head have the color of the ring."""
        image = view.viewport().grab(view.visualRect(view.model().index(layer, head))).toImage()
        return (pixels_of(image) == current_theme().accent.rgb()).sum()

    whole = ring(0, 2)
    assert whole > ring(0, 3) == 0
    view.setFocus()
    toy.press("Right")
    assert toy.program.view.look.head == 2
    assert ring(0, 2) == whole
    assert 0 < ring(0, 3) < whole  # dashed
    toy.press("Return")
    toy.wait()
    assert toy.program.view.look.head == 3
    assert (ring(0, 2), ring(0, 3)) == (0, whole)

    # only the heads that are changed are marked
    read(toy, LETTERS)
    click_head(toy, 1, 2)
    record = {"kind": "set", "stage": "weights", "at": {"head": 2, "query": 3, "key": 1}, "values": 0.9}
    toy.program.document.apply(SetFields({"interventions": (record,)}, "a weight by hand"))
    toy.wait()
    assert changed_heads(toy) == {(1, 2)}
    off = toy.program.document.problem.interventions[0].changed(enabled=False)
    toy.program.document.apply(SetFields({"interventions": (off,)}, "as computed"))
    toy.wait()
    assert changed_heads(toy) == set()
    toy.type_into("w_query", 0, 0, "3")
    toy.wait()
    assert changed_heads(toy) == {(1, head) for head in range(4)}

    # a layer that no longer fits the model is said in a sentence
    shown = predicted(toy)
    toy.size("n", 7)
    toy.wait()
    assert "7, 64" in toy.banner() or "7 × 64" in toy.banner()
    assert toy.banner().endswith("What it predicts is shown as it was before.")
    assert predicted(toy) == shown
    undo(toy)
    assert predicted(toy) == shown

    # a step seen large and another document put the model away
    toy.program.document.mark_kept()  # nobody is asked
    assert toy.action("model").isChecked()
    toy.show_stage("value")
    assert not toy.action("model").isChecked()
    toy.do("model")
    assert grid(toy).isVisible()
    assert all(toy.action(name).isEnabled() for name in PAGES)
    toy.do("example_worked")
    toy.wait()
    assert toy.program.document.study is None
    assert not any(toy.action(name).isEnabled() for name in ("model", *PAGES))
    assert toy.find("heatmap.weights").isVisible()

    toy.again("small maps of heads show what is closed and no zeros there")
    text, first = toy.find("control.text", QLineEdit), toy.find("control.text", QLineEdit).text()
    read(toy, LETTERS)
    tokens = len(LETTERS.split()) + 1
    behind = {(i, j) for i in range(tokens) for j in range(i + 1, tokens)}
    assert all(closed_cells(toy, layer, head) == behind for layer in range(2) for head in range(4))
    opened = {"kind": "set", "stage": "weights", "at": {"head": 2, "query": 3, "key": 7}, "values": 0.5}
    toy.program.document.apply(SetFields({"interventions": (opened,)}, "a weight behind the mask"))
    toy.wait()
    assert closed_cells(toy, 0, 2) == behind - {(3, 7)}
    toy.program.document.apply(SetFields({"mask": ()}, "no mask"))
    toy.wait()
    assert (closed_cells(toy, 0, 1), closed_cells(toy, 1, 1)) == (set(), behind)

    # the head that looks back carries the prediction
    toy.do("undo", "undo", "undo")
    assert text.text() == first
    toy.do("redo")
    toy.wait()
    assert text.text() == LETTERS
    assert predicted(toy)["f"] > SURE
    toy.choose(toy.find("control.model_reading", QComboBox), "previous_token")
    toy.wait()
    layer, head = np.unravel_index(np.argmax(numbers(toy)), numbers(toy).shape)
    assert (layer, head) == (0, 0)
    click_head(toy, 1, 2)
    before = toy.program.document.problem.x.copy()
    assert toy.program.document.study.layer == 1
    assert toy.program.view.look.head == 2
    click_head(toy, layer, head)
    toy.do("head_off")
    toy.wait()
    off = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
    expected = truth(LETTERS, interventions=[off])
    fallen = predicted(toy)
    assert fallen.get("f", 0.0) < UNSURE
    assert {token: fallen[token] for token in fallen} == pytest.approx(
        {token: expected[token] for token in fallen}, abs=2e-4, rel=0.1
    )

    # a layer above follows the one below, and a change is switched off from there
    click_head(toy, 1, 2)
    assert not np.array_equal(toy.program.document.problem.x, before)
    changes = toy.find("model.changes")
    assert changes.model().rowCount() == 1
    assert predicted(toy).get("f", 0.0) < UNSURE
    changes.setFocus()
    toy.press("Space")
    toy.wait()
    assert predicted(toy)["f"] > SURE
    toy.press("Del")
    toy.wait()
    assert changes.model().rowCount() == 0
    assert toy.program.document.study.layer == 1
    for layer in (1, 1, 0, 0, 1):  # deleted, switched off, to layer 1, the head, to layer 0
        undo(toy)
        assert toy.program.document.study.layer == layer
    assert np.array_equal(toy.program.document.problem.x, before)
    assert predicted(toy)["f"] > SURE
    assert toy.program.document.problem.interventions == ()

    # a weight typed in a layer moves the prediction
    before = toy.program.late.model.answer.run.logits
    click_head(toy, 1, 0)
    toy.type_into("w_query", 2, 0, "9")
    toy.choose_cell("weights", 3, 1)
    toy.rest()
    steps = toy.find("history.steps", QListView).model()
    told = [bool(steps.index(row, 0).data(MOVE_ROLE)) for row in range(steps.rowCount())]
    assert told == [*[False] * (len(told) - 1), True], "before it another layer was on the table, or another text"
    weights, logits = toy.program.document.problem.w_query, toy.program.late.model.answer.run.logits
    expected = open_model(TOY).with_weights(1, {"w_query": weights}).run(LETTERS).logits
    assert np.abs(logits - expected).max() <= 2e-5 * np.abs(expected).max()
    assert np.abs(logits - before).max() > 1e-3
    assert toy.find("model.predictions", QTableView).model().columnCount() == 3
    undo(toy)
    assert np.array_equal(toy.program.late.model.answer.run.logits, before)
    assert toy.find("model.predictions", QTableView).model().columnCount() == 2

    # a saved study comes back without the weights
    click_head(toy, 0, 0)
    toy.do("head_off")
    toy.wait()
    click_head(toy, 1, 3)
    toy.type_into("w_query", 1, 0, "2.5")
    toy.wait()
    logits, problem = toy.program.late.model.answer.run.logits, toy.program.document.problem
    path = tmp_path / "back.attn"
    toy.save_as(path)
    assert path.stat().st_size < 20_000  # one layer has 50,000 numbers
    toy.program.files.open_example("worked")
    toy.wait()
    toy.type_into("query", 0, 0, "9")
    before = toy.program.document.problem
    ask_about(toy, QMessageBox.StandardButton.Cancel, lambda: toy.program.take_in(TOY))
    assert not toy.program.late.models.busy
    assert toy.program.document.problem is before
    ask_about(toy, QMessageBox.StandardButton.Discard, lambda: toy.open(path))  # once
    toy.wait()
    study = toy.program.document.study
    assert (study.text, study.layer) == (LETTERS, 1)
    assert toy.program.document.problem == problem
    assert np.array_equal(toy.program.late.model.answer.run.logits, logits)
    assert not toy.window.isWindowModified()
    assert toy.find("model.changes").model().rowCount() == 2

    # a study of a model that is gone is refused with its name
    path = tmp_path / "gone.attn"
    toy.save_as(path)
    data = path.read_bytes()
    at = data.index(b"sha256") + len(b'sha256\\":\\"')
    path.write_bytes(data[:at] + bytes(48 + (byte == 48) for byte in data[at : at + 1]) + data[at + 1 :])
    before = toy.program.document.study
    toy.open(path)
    toy.wait()
    assert "toy-induction" in toy.banner()
    assert toy.program.document.study is before

    toy.again("pages of a model show its own numbers and are exported")
    read(toy, LETTERS)
    other = "k x b m f k x b p"
    toy.overwrite(toy.find("control.other_text", QLineEdit), other)
    toy.wait()
    run = toy.program.late.model.answer.run
    parts = content(toy, "logit_parts").content
    assert parts.parts.total == pytest.approx(parts.logit, abs=1e-3)
    assert parts.logit == pytest.approx(float(run.logits[-1][run.token_id("f")]))
    effects = content(toy, "heads_off").content
    off = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
    without = open_model(TOY).run(LETTERS, interventions=[off])
    change = without.logits[-1][run.token_id("f")] - run.logits[-1][run.token_id("f")]
    assert effects.true[0, 0] == pytest.approx(float(change), abs=1e-3)
    assert content(toy, "lens").content.found[-1][-1] == "f"
    patched = content(toy, "patching").content
    assert patched.shares.shape == (2, 4)
    assert np.isfinite(patched.shares).all()
    export_lens(toy, tmp_path)


def ask_about(person, answer, ask):
    """Do what asks to save the document, and answer with this button."""
    person.answering(QMessageBox, lambda box: person.click(box.button(answer)), ask)


def content(person, name):
    person.do(name)
    person.wait()
    page = person.find(f"page.{name}")
    person.until(lambda: not person.program.late.pages.busy)
    return page


def export_lens(toy, tmp_path):
    def answer(dialog):
        dialog.set_choice(replace(dialog.result_choice(), folder=str(tmp_path), format="svg"))
        dialog.accept()

    toy.answering(ExportDialog, answer, lambda: toy.program.late.pages.exportAsked.emit("lens"))
    toy.until(lambda: list(tmp_path.glob("*.svg")))
    assert ">f<" in next(tmp_path.glob("*.svg")).read_text(encoding="utf-8")


def changed_heads(person):
    cells = grid(person).model()
    places = np.ndindex(cells.rowCount(), cells.columnCount())
    return {place for place in places if cells.index(*place).data(CHANGED_ROLE)}


@pytest.fixture
def patcher(launch):
    return launch("worked-example.npz", width=1366, height=700).beginning(
        lambda person: person.open_toy(CHANGED, CLEAN)
    )


def second(person, text):
    person.overwrite(person.find("control.other_text", QLineEdit), text)
    person.wait()


def put_on_table(person, layer):
    person.click_head(layer, 0)
    person.wait()


def token(person, name, place):
    view = person.find(name, QListView)
    return view, view.visualRect(view.model().index(place, 0)).center()


def drag(person, place, onto):
    """Press on a token of the second text, move, let go over one of the first."""
    source, begin = token(person, "model.second_tokens", place)
    first, end = token(person, "model.tokens", onto)
    there = source.viewport().mapFromGlobal(first.viewport().mapToGlobal(end))
    QTest.mousePress(source.viewport(), LEFT, pos=begin)
    for step in (0.3, 0.7, 1.0):
        QTest.mouseMove(source.viewport(), begin + QPoint(*((there - begin) * step).toTuple()))
    QTest.mouseRelease(source.viewport(), LEFT, pos=there)
    person.wait()


def undo(person):
    person.press("Ctrl+Z")
    person.wait()


def runs(*texts):
    model = open_model(TOY)
    return [model.run(text) for text in texts]


def logits(person):
    return person.program.late.model.answer.run.logits


def close(found, wanted):
    return np.abs(found - wanted).max() <= 2e-5 * np.abs(wanted).max()


def test_rows_of_the_second_text_are_taken_by_mouse_keys_and_menu_and_its_layer_is_compared(patcher):
    put_on_table(patcher, 0)
    before, untouched = logits(patcher), patcher.program.document.problem
    drag(patcher, 4, 4)
    record = patcher.program.document.problem.interventions[-1]
    assert (record.kind, record.stage, record.at["query"]) == ("set", LAST, 4)
    changed, clean = runs(CHANGED, CLEAN)
    assert close(logits(patcher), changed.patch(clean, 0, LAST, {"query": 4}).logits)
    assert not close(logits(patcher), before)
    undo(patcher)
    assert patcher.program.document.problem == untouched
    assert np.array_equal(logits(patcher), before)
    drag(patcher, 4, 6)
    wanted = {"layer": 0, "kind": "set", "stage": LAST, "at": {"query": 6}, "values": clean.stage(0, LAST)[:, 4]}
    assert close(logits(patcher), changed.replace(interventions=[wanted]).logits)
    undo(patcher)

    # everything taken recovers the whole difference
    for layer in (0, 1):
        put_on_table(patcher, layer)
        patcher.click("model.take_all")
        patcher.wait()
        run = patcher.program.late.model.answer.run
        assert recovered(changed, clean, run, "f", "t") == pytest.approx(1, abs=1e-4)
        assert close(run.logits, clean.logits)
        undo(patcher)
        assert not close(logits(patcher), clean.logits)

    # by keys alone
    patcher.find("model.second_tokens").setFocus()
    patcher.press("Home", *["Right"] * 3)
    assert patcher.find("control.taken_place", QComboBox).currentData() == "3"
    patcher.choose(patcher.find("control.taken_stage", QComboBox), "head_output")
    patcher.choose(patcher.find("control.taken_place", QComboBox), "8")
    patcher.find("model.second_tokens").setFocus()
    patcher.press("Return")
    patcher.wait()
    record = patcher.program.document.problem.interventions[-1]
    assert (record.stage, record.at["query"]) == ("head_output", 8)
    assert np.allclose(record.values, clean.stage(1, "head_output")[:, :, 3:4], atol=1e-6)
    undo(patcher)

    # the row of the chosen cell is taken from the menu
    patcher.choose(patcher.find("control.taken_stage", QComboBox), LAST)
    patcher.do("product")
    patcher.choose_cell("weights", 8, 3)
    patcher.do("model", "take_second_row")
    patcher.wait()
    assert close(logits(patcher), changed.patch(clean, 1, "weights", {"query": 8}).logits)

    # texts of other lengths give rows of the same length only
    second(patcher, SHORT)
    everything = patcher.find("model.take_all", QPushButton)
    assert not everything.isEnabled()
    assert "6" in everything.toolTip()
    assert "10" in everything.toolTip()
    drag(patcher, 4, 8)
    assert patcher.program.document.problem.interventions[-1].at["query"] == 8
    problem = patcher.program.document.problem
    patcher.choose(patcher.find("control.taken_stage", QComboBox), "weights")
    drag(patcher, 4, 4)
    assert patcher.program.document.problem is problem
    assert "6" in patcher.banner()
    second(patcher, "")
    assert not patcher.find("model.second").isVisible()

    patcher.again("the layer of the second text is compared and its cells are taken")
    put_on_table(patcher, 1)
    assert not patcher.action("take_before").isEnabled()
    patcher.click("model.compare")
    patcher.wait()
    patcher.do("product")
    patcher.show_stage("weights")
    patcher.do("show_before")
    patcher.wait()
    changed, clean = runs(CHANGED, CLEAN)
    assert patcher.value("weights", 8, 3) == pytest.approx(clean.attention(1)[0, 8, 3], abs=1e-5)
    patcher.click_cell("weights", 8, 3)
    patcher.do("choose_row", "take_before")
    patcher.wait()
    assert patcher.program.document.problem.interventions[-1].at["query"] == 8
    assert close(logits(patcher), changed.patch(clean, 1, "weights", {"head": 0, "query": 8}).logits)
    assert patcher.value("weights", 8, 3) == pytest.approx(clean.attention(1)[0, 8, 3], abs=1e-5)
    undo(patcher)
    assert patcher.program.document.problem.interventions == ()

    # the comparison follows the layer on the table
    patcher.do("model")
    assert np.array_equal(patcher.program.baseline.problem.x, clean.problem(1).x)
    put_on_table(patcher, 0)
    assert np.array_equal(patcher.program.baseline.problem.x, clean.problem(0).x)
    second(patcher, "")
    assert patcher.program.baseline.problem is None
