"""Snapshots of a document: kept beside the history, which they never change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attn_gui.document import history
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, Refusal, SetCells
from attn_gui.document.history import MOST_BY_ITSELF
from attn_gui.engine import Problem
from attn_gui.formats import snapshots
from attn_gui.formats.snapshots import MOST, nbytes


@pytest.fixture
def document(qapp):
    rng = np.random.default_rng(5)
    return Document(Problem(**{name: rng.normal(size=(4, 6)) for name in ("query", "key", "value")}))


def typed(document, number, name="typed"):
    document.apply(SetCells("query", (slice(0, 1), slice(0, 1)), np.array([[number]]), Label(name)))


def first(snapshot):
    return snapshot.problem().query[0, 0]


def test_taking_naming_and_deleting_are_unsaved_changes_that_leave_the_history_alone(document, tmp_path):
    told = []
    document.titleChanged.connect(lambda: told.append(document.modified))
    typed(document, 1.0)
    document.mark_saved(tmp_path / "a.attn")
    taken = document.snapshots.take(document.problem, "one")
    assert (told[-1], document.modified, document.stack.count()) == (True, True, 1)
    document.mark_saved(tmp_path / "a.attn", snapshots=document.snapshots.all)
    assert not document.modified
    document.snapshots.replace(taken, replace(taken, name="two", note="why"))
    assert document.modified
    place = document.snapshots.remove(document.snapshots.all[0])
    assert document.snapshots.all == ()
    document.snapshots.put_back(place, taken)
    assert not document.modified, "it is what was saved"
    document.stack.undo()
    assert document.snapshots.all == (taken,)
    assert first(taken) == 1.0


def test_one_that_is_put_back_has_a_name_and_room_of_its_own(document, monkeypatch):
    typed(document, 1.0)
    old = document.snapshots.take(document.problem, "one")
    place = document.snapshots.remove(old)
    typed(document, 2.0)
    document.snapshots.take(document.problem, "one")
    document.snapshots.put_back(place, old)
    assert [each.name for each in document.snapshots.all] == ["one (2)", "one"]
    assert first(document.snapshots.all[0]) == 1.0
    place = document.snapshots.remove(document.snapshots.all[0])
    monkeypatch.setattr(history, "MOST", 1)
    with pytest.raises(Refusal, match="most"):
        document.snapshots.put_back(place, old)
    assert len(document.snapshots.all) == 1


def test_an_edit_after_undo_keeps_what_would_be_lost_under_the_name_of_its_last_step(document):
    for number in (1.0, 2.0, 3.0):
        typed(document, number, f"step {number:g}")
    for _ in range(2):
        document.stack.undo()
    typed(document, 9.0)
    (kept,) = document.snapshots.all
    assert (kept.name, kept.by_itself, first(kept), document.problem.query[0, 0]) == ("step 3", True, 3.0, 9.0)
    document.stack.undo()
    assert document.problem.query[0, 0] == 1.0
    typed(document, 9.0)
    typed(document, 3.0)
    document.stack.undo()
    assert len(document.snapshots.all) == 2
    typed(document, 5.0)
    assert [first(each) for each in document.snapshots.all] == [3.0, 9.0], "3 is there already"


def test_of_those_kept_by_themselves_the_oldest_go_and_no_other(document):
    document.snapshots.take(document.problem, "mine")
    for number in range(MOST_BY_ITSELF + 5):
        typed(document, 100.0 + number)
        document.stack.undo()
    typed(document, 1.0)
    names = [first(each) for each in document.snapshots.all if each.by_itself]
    assert names == [105.0 + number for number in range(MOST_BY_ITSELF)]
    assert document.snapshots.all[0].name == "mine"
    assert nbytes(document.snapshots.all) < 8 * document.problem.query.nbytes + 1000 * MOST_BY_ITSELF


def test_an_edit_does_not_wait_for_a_copy_of_all_that_it_loses(document, monkeypatch):
    """After an undone W_O of 537 MB the next number typed copied it for a second, and threw the copy away."""
    monkeypatch.setattr(history, "LARGEST_COPY", document.problem.query.nbytes)
    typed(document, 1.0)
    document.stack.undo()
    monkeypatch.setattr(snapshots, "alone", lambda array: pytest.fail("it was copied"))
    typed(document, 2.0)
    assert document.snapshots.all == ()
    assert document.problem.query[0, 0] == 2.0


def test_whoever_reads_beside_the_document_never_sees_what_is_kept_of_undone_steps(document, monkeypatch):
    """While it was packed, the undone numbers stood in the very arrays that a journal was written from."""
    seen = []
    real = history.packed

    def reading(*given, **named):
        seen.append(document.problem.query[0, 0])
        return real(*given, **named)

    start = document.problem.query[0, 0]
    typed(document, 1.0)
    typed(document, 3.0)
    for _ in range(2):
        document.stack.undo()
    writes = document.writes
    monkeypatch.setattr(history, "packed", reading)
    typed(document, 2.0)
    assert seen == [start], "neither of the numbers that were undone"
    assert document.writes == writes + 1
    assert first(document.snapshots.all[0]) == 3.0


def test_names_are_told_apart_and_their_number_is_limited(document):
    taken = [document.snapshots.take(document.problem, "same").name for _ in range(3)]
    assert taken == ["same", "same (2)", "same (3)"]
    for _ in range(MOST - 3):
        document.snapshots.put_back(0, document.snapshots.all[0])
    with pytest.raises(Refusal, match="500 snapshots"):
        document.snapshots.take(document.problem, "more")


def test_a_step_that_takes_the_place_of_another_leaves_no_snapshot(document):
    typed(document, 1.0)
    for number in (2.0, 3.0):
        edit = SetCells("query", (slice(0, 1), slice(0, 1)), np.array([[number]]), Label("drawn"))
        document.apply_instead(edit)
    assert document.snapshots.all == ()
    assert document.problem.query[0, 0] == 3.0
    assert document.stack.count() == 1


def test_a_step_that_is_taken_back_by_its_own_gesture_leaves_nothing_behind(document):
    """The title kept its star, and redo offered a step that was gone."""
    before, titles = document.problem.query[0, 0], []
    document.titleChanged.connect(lambda: titles.append(document.modified))
    typed(document, 1.0)
    assert titles[-1]
    cell = slice(0, 1), slice(0, 1)
    assert not document.apply_instead(SetCells("query", cell, np.array([[before]]), Label("drawn back")))
    assert not titles[-1]
    assert (document.stack.count(), document.stack.canRedo()) == (0, False)
    typed(document, 2.0)
    assert document.snapshots.all == ()
    document.stack.undo()
    assert document.problem.query[0, 0] == before
