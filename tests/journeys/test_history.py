"""The history: what its steps moved of the chosen cell, its limit; snapshots taken, compared with, named, saved."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QListView

from attn_gui.engine import Problem, compute
from attn_gui.formats import open_file, save
from attn_gui.views.dialogs.action_search import ActionOffer
from attn_gui.views.dialogs.questions import SnapshotDialog
from attn_gui.views.snapshots import NOTE_ROLE
from attn_gui.views.step_list import MOVE_ROLE

SMALL = "worked-example.npz"
MEGABYTE = 1 << 20


def tells(person):
    model = person.find("history.steps", QListView).model()
    return [str(model.index(row, 0).data(MOVE_ROLE) or "") for row in range(model.rowCount())]


def ranking(person):
    model = person.find("blame.list", QListView).model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return [(str(row.data()), str(row.data(NOTE_ROLE))) for row in rows]


def test_each_step_says_what_it_moved_of_the_chosen_cell_and_the_largest_is_on_top(person):
    person.choose_cell("weights", 1, 0)
    values = [person.value("weights", 1, 0)]
    for field, row, text in (("query", 1, "3"), ("query", 0, "2"), ("key", 1, "0.5"), ("value", 0, "9")):
        person.type_into(field, row, 0, text)
        values.append(person.value("weights", 1, 0))
    person.rest()
    found = tells(person)
    assert [bool(told) for told in found] == [False, True, False, True, False], "Q[0] and V do not move A[1, 0]"
    for number in (1, 3):
        told = [float(text) for text in found[number].split(" → ")]
        assert told == pytest.approx(values[number - 1 : number + 1], abs=1e-4)
    tip = person.find("history.steps", QListView).model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "A[1, 0]" in tip
    person.press("Ctrl+Z")
    person.click_cell("weights", 0, 0)
    person.rest()
    assert [bool(told) for told in tells(person)][:4] == [False, False, True, True]

    person.again("the step that moved it most is on top and a click goes there")
    person.choose_cell("weights", 1, 0)
    assert not person.action("blame").isEnabled()
    for field, row, text in (("query", 1, "1.01"), ("key", 1, "7"), ("query", 0, "5"), ("key", 0, "1.02")):
        person.type_into(field, row, 0, text)
    person.rest()
    now = person.program.document.problem
    person.do("blame")
    person.rest()
    found = ranking(person)
    assert len(found) == 3, "Q[0] does not move A[1, 0]"
    without = now.key.copy()
    without[1, 0] = 0.0
    moved = compute(now)["weights"][0, 0, 1, 0] - compute(now.replace(key=without))["weights"][0, 0, 1, 0]
    assert "K[1, 0]" in found[0][0]
    assert float(found[0][1].replace("−", "-")) == pytest.approx(moved, abs=1e-5)
    shares = [float(name.partition(" %")[0]) for name, _ in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=2)
    steps = person.find("blame.list", QListView)
    QTest.mouseClick(
        steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualRect(steps.model().index(0, 0)).center()
    )
    assert person.program.document.stack.index() == 2
    assert person.program.document.problem.key[1, 0] == 7.0
    assert not person.find("blame").isVisible(), "it was of another state"

    person.again("a number by hand after another is told")
    person.show_stage("scores")
    for text in ("0.5", "0.25"):
        person.click_cell("scores", 1, 0)
        person.press("F2", "Ctrl+A")
        person.type(text, end="Return")
    person.rest()
    assert person.program.document.problem.interventions[0].values == 0.25
    person.do("blame")
    person.rest()
    (told, moved), *others = ranking(person)
    assert not others, "the last one decides alone"
    assert told.startswith("100 %")
    assert float(moved.replace("−", "-")) == -0.25

    person.again("the ranking follows the language")
    person.choose_cell("weights", 1, 0)
    for field, row, text in (("query", 1, "3"), ("key", 1, "0.5")):
        person.type_into(field, row, 0, text)
    person.rest()
    person.do("blame")
    person.rest()
    english = person.find("blame.list").accessibleName(), ranking(person)
    person.do("language_zh")
    QCoreApplication.processEvents()
    assert person.find("blame.list").accessibleName() == "对 A[1, 0] 影响最大的步骤"
    person.do("language_en")
    QCoreApplication.processEvents()
    assert (person.find("blame.list").accessibleName(), ranking(person)) == english

    person.again("a step that changes fields or sizes is gone back exactly")
    document = person.program.document
    states = [document.snapshot()]
    for act in (
        lambda: person.type_into("query", 0, 0, "4"),
        lambda: person.pick("scale", "none"),
        lambda: person.size("n", 4),
        lambda: person.type_into("query", 3, 0, "8"),
        lambda: person.size("n", 2),
        lambda: person.type_into("query", 0, 0, "1"),
    ):
        act()
        person.wait()
        states.append(document.snapshot())
    assert document.past(99).problems() == states
    assert document.past(2).problems() == states[-3:]
    document.stack.setIndex(3)
    assert document.past(99).problems() == states[:4]
    assert all(np.array_equal(a, b) for a, b in zip(states[3].query, document.problem.query, strict=True))


def long_problem() -> Problem:
    numbers = np.random.default_rng(5).standard_normal((3, 1024, 1024))
    return Problem(query=numbers[0], key=numbers[1][:64], value=numbers[2][:64], num_heads=4)


def fill_query(person, kind):
    person.find("table.query").selectAll()
    person.find("table.query").setFocus()
    person.do(f"fill_{kind}")
    person.wait()


def test_the_oldest_steps_go_when_the_memory_for_them_is_used_up(launch):
    person = launch()
    assert person.action("history_256").isChecked()
    person.do("history_64")
    person.program.document.open(long_problem(), name="long")
    person.wait()
    for kind in ("integers", "random") * 6:  # 8 MB and more each
        fill_query(person, kind)
    kept = len(person.steps()) - 1
    assert 1 < kept < 12
    before = person.program.document.problem.query.copy()
    while person.action("undo").isEnabled():
        person.do("undo")
    for _ in range(kept):
        person.do("redo")
    assert np.array_equal(person.program.document.problem.query, before)
    assert launch().action("history_64").isChecked()


def names(person):
    model = person.find("snapshots.list", QListView).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def choose(person, row):
    """Click a row of the list, which unfolds first where it is folded."""
    steps = person.find("snapshots.list", QListView)
    if not steps.isVisible():
        person.click("snapshots.fold")
    index = steps.model().index(row, 0)
    steps.scrollTo(index)
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualRect(index).center())


def query(person):
    return person.program.document.problem.query.copy()


def rename(person, name, note, by):
    def type_both(dialog):
        person.overwrite(dialog.name, name, end="Tab")
        person.type(note)
        dialog.accept()

    person.answering(SnapshotDialog, type_both, by)


def test_they_are_saved_and_opened_bit_for_bit(launch, tmp_path):
    path = tmp_path / "a.attn"
    person = launch(SMALL, height=900)
    save(person.program.document.problem, path)
    assert person.program.files.open_path(path)
    person.look()
    person.do("snapshot")
    first = query(person)
    assert person.program.document.modified
    person.type_into("query", 0, 0, "7")
    person.do("snapshot")
    choose(person, 0)
    rename(person, "before", "as it was", by=lambda: person.click("snapshots.name"))
    person.do("save")
    assert not person.program.document.modified
    kept = open_file(path).snapshots
    assert (kept[0].name, kept[0].note) == ("before", "as it was")
    assert np.array_equal(kept[0].problem().query, first)
    again = launch(path, height=900)
    assert names(again) == names(person)
    assert not again.program.document.modified
    choose(again, 0)
    again.do("open_snapshot")
    assert np.array_equal(query(again), first)


def test_a_long_one_is_put_together_beside_the_window(launch):
    numbers = np.random.default_rng(5).standard_normal((3, 2048, 512))
    person = launch(SMALL, height=900)
    person.program.document.open(Problem(**dict(zip(("query", "key", "value"), numbers, strict=True)), num_heads=8))
    person.wait()
    person.do("snapshot")
    person.type_into("query", 0, 0, "7")
    choose(person, 0)
    person.click("snapshots.open")
    assert person.program.late.snapshots.busy
    person.until(lambda: not person.program.late.snapshots.busy)
    person.wait()
    assert np.array_equal(query(person), numbers[0])


def test_states_are_kept_compared_with_opened_named_deleted_and_told(launch, qtbot):
    person = launch(SMALL, height=900)
    for name in ("open_snapshot", "compare_with_snapshot", "name_snapshot", "delete_snapshot"):
        assert not person.action(name).isEnabled()
    shown = [each for each in person.find("snapshots").findChildren(QAbstractButton) if each.isVisible()]
    assert [each.objectName() for each in shown] == ["snapshots.fold", "snapshots.take"]
    person.do("snapshot")
    QApplication.processEvents()
    assert person.action("open_snapshot").isEnabled()

    person.again("a state is kept compared with and opened again")
    assert names(person) == []
    person.type_into("query", 0, 0, "3")
    before, weights = query(person), np.array(person.values("weights"))
    person.click("snapshots.take")
    assert names(person) == [person.program.document.stack.undoText()]
    person.type_into("query", 0, 0, "-2")
    person.type_into("query", 1, 1, "5")
    person.press("Ctrl+Alt+B")
    assert len(names(person)) == 2
    after = query(person)
    choose(person, 0)
    person.click("snapshots.compare")
    assert names(person)[0] in person.find("comparison").text()
    assert np.allclose(person.values("weights"), compute(person.program.document.problem)["weights"][0, 0] - weights)
    steps = len(person.steps())
    person.click("snapshots.open")
    assert np.array_equal(query(person), before)
    assert len(person.steps()) == steps + 1
    person.press("Ctrl+Z")
    assert np.array_equal(query(person), after)
    person.press("Ctrl+Y")
    assert np.array_equal(query(person), before)

    person.again("a name with an ampersand has no access key")
    person.do("snapshot")
    choose(person, 0)
    rename(person, "R&D", "", by=lambda: person.press("F2"))
    person.type_into("query", 0, 0, "7")
    person.click("snapshots.open")
    undo = person.action("undo")
    assert person.program.document.stack.undoText() == "snapshot “R&D”"
    qtbot.waitUntil(lambda: undo.text() == "&Undo snapshot “R&&D”")
    assert ActionOffer(undo).label == "Undo snapshot “R&D”"
    person.press("Ctrl+Z")
    qtbot.waitUntil(lambda: person.action("redo").text() == "&Redo snapshot “R&&D”")

    person.again("keys name note delete and put back")
    for number in ("1", "2", "3"):
        person.type_into("query", 0, 0, number)
        person.do("snapshot")
    choose(person, 1)
    rename(person, "the second", "two of three", by=lambda: person.press("F2"))
    assert names(person)[1] == "the second"
    told = person.find("snapshots.list", QListView).model().index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert told == "the second\ntwo of three"
    kept = names(person)
    person.find("snapshots.list").setFocus()
    person.press("Del")
    assert names(person) == [kept[0], kept[2]]
    person.click(person.button("Put it back", "banner"))
    assert names(person) == kept
    choose(person, 0)
    person.find("snapshots.list").setFocus()
    person.press("Return")
    assert query(person)[0, 0] == 1.0

    person.again("what undo would lose is in the list")
    person.type_into("query", 0, 0, "7")
    lost, name = query(person), person.program.document.stack.undoText()
    person.press("Ctrl+Z")
    assert names(person) == []
    person.type_into("key", 0, 0, "4")
    assert names(person) == [name]
    choose(person, 0)
    person.click("snapshots.open")
    assert np.array_equal(query(person), lost)

    person.again("the word for no snapshot follows the language")
    fold = person.find("snapshots.fold")
    for language, word in (("zh", "尚无"), ("en", "none yet"), ("zh", "尚无")):
        person.do(f"language_{language}")
        QApplication.processEvents()
        assert fold.present == word
    person.do("snapshot", "language_en")
    QApplication.processEvents()
    assert fold.present == names(person)[0]

    person.again("the title tells the snapshot that is chosen")
    fold, steps = person.find("snapshots.fold"), person.find("snapshots.list", QListView)
    for number in ("1", "2"):
        person.type_into("query", 0, 0, number)
        person.do("snapshot")
    for row in (0, 1):
        choose(person, row)
        assert fold.present == names(person)[row]
    place = steps.visualRect(steps.model().index(1, 0)).center()
    QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    assert fold.present == ""

    person.again("the keyboard stays with the snapshots when the last one is deleted")
    person.do("snapshot")
    choose(person, 0)
    person.find("snapshots.list").setFocus()
    person.press("Del")
    assert names(person) == []
    assert person.find("snapshots.fold").present == "none yet"
    assert person.focus().objectName() == "snapshots.take"

    person.again("that there is none is written beside the title folded or not")
    fold = person.find("snapshots.fold")
    beside = fold.rect().adjusted(fold.sizeHint().width(), 0, 0, 0)
    drawn = []
    for folded in (True, False):
        fold.setChecked(folded)
        drawn.append(fold.grab(beside).toImage())
    fold.present = ""
    assert drawn[1] == drawn[0] != fold.grab(beside).toImage()


def test_one_of_another_layer_of_a_model_is_not_put_in_the_place_of_this_one(launch, tmp_path):
    """All weights of the layer were written over those of the one on the table."""
    person = launch(height=900)
    person.do("known_toy_induction")
    person.wait()
    model = person.program.late.models
    text = person.program.document.study.text
    person.do("snapshot")
    first = person.program.document.problem
    model.set_layer(1)
    person.wait()
    second = person.program.document.problem
    choose(person, 0)
    person.do("open_snapshot")
    person.wait()
    assert f"is of layer 0 with the text “{text}”" in person.banner()
    assert person.program.document.problem is second
    person.do("compare_with_snapshot")
    person.wait()
    assert person.program.baseline.problem == first
    person.do("unpin")
    person.wait()
    path = tmp_path / "a.attn"
    person.program.files.saving.save(path, {}, {})
    person.wait()
    again = launch(path, height=900)
    again.wait()
    assert again.program.document.study.layer == 1
    choose(again, 0)
    again.do("open_snapshot")
    again.wait()
    assert "is of layer 0" in again.banner()
    again.program.late.models.set_layer(0)
    again.wait()
    choose(again, 0)
    again.do("open_snapshot")
    again.wait()
    assert again.program.document.problem == first


def test_what_is_kept_by_itself_of_a_model_knows_its_layer(launch):
    person = launch(height=900)
    person.do("known_toy_induction")
    person.wait()
    person.program.late.models.set_layer(1)
    person.wait()
    person.do("undo")
    person.wait()
    person.do("head_off")
    person.wait()
    (kept,) = person.program.document.snapshots.all
    assert kept.by_itself
    assert kept.layer == (1, person.program.document.study.text)
