"""The history: what its steps moved of the chosen cell; snapshots taken, compared with, named, saved."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListView

from attn_gui.engine import compute
from attn_gui.formats import open_file, save
from attn_gui.views.dialogs.small_dialogs import SnapshotDialog
from attn_gui.views.history_panel import MOVE_ROLE, NOTE_ROLE

SMALL = "worked-example.npz"


def tells(person):
    model = person.find("history.steps", QListView).model()
    return [str(model.index(row, 0).data(MOVE_ROLE) or "") for row in range(model.rowCount())]


def test_steps_say_what_they_moved_and_states_are_kept_compared_named_deleted_saved_and_opened(person, tmp_path):
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
    model = person.find("blame.list", QListView).model()
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    found = [(str(row.data()), str(row.data(NOTE_ROLE))) for row in rows]
    assert len(found) == 3, "Q[0] does not move A[1, 0]"
    without = now.key.copy()
    without[1, 0] = 0.0
    moved = compute(now)["weights"][0, 0, 1, 0] - compute(now.replace(key=without))["weights"][0, 0, 1, 0]
    assert "K[1, 0]" in found[0][0]
    assert float(found[0][1].replace("−", "-")) == pytest.approx(moved, abs=1e-5)
    shares = [float(name.partition(" %")[0]) for name, _ in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=2)
    person.do("language_zh")
    assert person.find("blame.list").accessibleName() == "对 A[1, 0] 影响最大的步骤"
    steps = person.find("blame.list", QListView)
    QTest.mouseClick(
        steps.viewport(), Qt.MouseButton.LeftButton, pos=steps.visualRect(steps.model().index(0, 0)).center()
    )
    assert person.program.document.stack.index() == 2
    assert person.program.document.problem.key[1, 0] == 7.0
    assert not person.find("blame").isVisible(), "it was of another state"

    person.again("states are kept, compared with, opened, named, deleted and told")
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

    # they are saved and opened bit for bit
    person.again("they are saved")
    path = tmp_path / "a.attn"
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
    shown = names(person)
    person.do("example_minilm")
    assert names(person) == []
    person.open(path)
    assert names(person) == shown
    assert not person.program.document.modified
    choose(person, 0)
    person.do("open_snapshot")
    assert np.array_equal(query(person), first)

    person.again("one of another layer of a model is not put in the place of this one")
    # All weights of the layer were written over those of the one on the table.
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
