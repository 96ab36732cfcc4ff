"""Journals: cut off, damaged or made to hurt, the state of the last whole entry comes back, or one sentence."""

from __future__ import annotations

import io
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import FormatError, save
from attn_gui.formats.journal import Journal, JournalStep, kept_in, recover
from attn_gui.formats.session import FileStamp, KeptDocument, LayerRecord, StudyRecord

KEPT = KeptDocument(name="mine", sizes=(3, 3, 2), view={"head": 1}, about={"title": "T"})


def a_problem(seed: int = 0) -> Problem:
    numbers = np.random.default_rng(seed)
    q, k, v = (numbers.normal(size=(3, 4)) for _ in range(3))
    layers = [{"kind": "custom", "allowed": np.tril(np.ones((3, 3), bool))}, {"kind": "window", "left": 2}]
    return Problem(q, k, v, num_heads=2, mask=layers, query_tokens=("a", "b", "\ud800"))


def whole(problem: Problem) -> JournalStep:
    return JournalStep(problem, tuple(problem.arrays()), kept=KEPT)


def edited(problem: Problem, row: int, column: int, number: float) -> tuple[Problem, JournalStep]:
    query = problem.query.copy()
    query[row, column] = number
    after = problem.replace(query=query)
    return after, JournalStep(after, (), (("query", (slice(row, row + 1), slice(column, column + 1))),))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "1.journal")


def states(journal: Journal, count: int = 6) -> tuple[list[Problem], list[int]]:
    """The problems after each entry, and the sizes of the file then."""
    problem = a_problem()
    journal.begin(whole(problem))
    problems, sizes = [problem], [journal.path.stat().st_size]
    for number in range(count):
        problem, step = edited(problem, number % 3, number % 4, float(number))
        if number % 3 == 2:
            problem = problem.replace(mask=problem.mask[number % 2 :], softcap=float(number))
            step = JournalStep(problem, ("mask.0.allowed",), step.cells, KEPT)
        journal.append(step)
        problems.append(problem)
        sizes.append(journal.path.stat().st_size)
    return problems, sizes


def test_the_last_state_comes_back_with_what_was_known_beside_it(journal: Journal) -> None:
    problems, _ = states(journal)
    found = recover(journal.path)
    assert found.loaded.problem == problems[-1]
    assert found.kept == KEPT == kept_in(journal.path)
    assert found.loaded.view == {"head": 1}


def test_a_name_comes_back_whole(journal: Journal) -> None:
    long = replace(KEPT, name="a name of more letters than a sentence would show of it " * 2)
    journal.begin(replace(whole(a_problem()), kept=long))
    assert kept_in(journal.path).name == long.name


def test_at_every_byte_at_which_a_crash_can_cut_it_off_the_last_whole_entry_counts(journal: Journal) -> None:
    problems, sizes = states(journal, 3)
    data = journal.path.read_bytes()
    ends = {*range(0, len(data), 23), *(size + off for size in sizes for off in (-1, 0, 1))}
    for end in sorted(ends):
        journal.path.write_bytes(data[:end])
        done = sum(size <= end for size in sizes)
        if done:
            assert recover(journal.path).loaded.problem == problems[done - 1]
        else:
            with pytest.raises(FormatError):
                recover(journal.path)


def test_mutated_journals_give_a_state_that_was_or_one_sentence(journal: Journal) -> None:
    problems, _ = states(journal)
    data, dice = journal.path.read_bytes(), random.Random(5)
    for _ in range(600):
        broken = bytearray(data)
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(broken))
            match dice.randrange(3):
                case 0:
                    broken[place] ^= 1 << dice.randrange(8)
                case 1:
                    del broken[place : place + dice.randint(1, 40)]
                case _:
                    broken[place:place] = dice.randbytes(dice.randint(1, 9))
        journal.path.write_bytes(broken)
        try:
            found = recover(journal.path).loaded.problem
        except FormatError:
            continue
        assert found in problems


def test_entries_that_lie_are_refused_though_their_sums_are_right(journal: Journal, monkeypatch) -> None:
    problem = a_problem()
    for cells in (
        [("query", [[0, 9], [0, 1]])],
        [("query", [[-1, 1], [0, 1]])],
        [("query", [[0, 1]])],
        [("nothing", [[0, 1], [0, 1]])],
        [("query", [[0, 10**30], [0, 1]])],
        "query",
    ):
        journal.begin(whole(problem))
        step = JournalStep(problem, (), (("query", (slice(0, 1), slice(0, 1))),))
        with monkeypatch.context() as patch:
            lie = f'{{"cells":{json.dumps(cells)}}}'
            patch.setattr("attn_gui.formats.journal.dump", lambda _said, lie=lie: lie)
            journal.append(step)
        assert recover(journal.path).loaded.problem == problem, "the state before it"


def test_edits_of_a_large_file_are_laid_on_it_and_refused_once_it_is_another(journal: Journal, tmp_path: Path) -> None:
    problem = a_problem()
    save(problem, tmp_path / "large.attn")
    after, step = edited(problem, 1, 2, 9.0)
    base = FileStamp.of(tmp_path / "large.attn")
    journal.begin(replace(step, kept=KEPT, base=base))
    assert recover(journal.path).loaded.problem == after
    save(after, tmp_path / "large.attn")
    with pytest.raises(FormatError, match=r"belong to large\.attn as it was"):
        recover(journal.path)


def over(query: np.ndarray) -> Problem:
    return Problem.over({"query": query, "key": np.eye(3), "value": np.eye(3)})


def cells(*rows: int) -> tuple[tuple[str, tuple[slice, slice]], ...]:
    return tuple(("query", (slice(row, row + 1), slice(0, 1))) for row in rows)


def test_an_entry_read_while_cells_were_written_counts_with_the_next_whole_one(journal: Journal) -> None:
    query = np.zeros((3, 3))
    journal.begin(JournalStep(over(query), ("query", "key", "value"), kept=KEPT))
    query[:2, 0] = 1, 1  # of one step, and then of the next, which is told later
    journal.append(JournalStep(over(query), (), cells(0), is_torn=lambda: True))
    assert recover(journal.path).loaded.problem.query[:, 0].tolist() == [0, 0, 0]
    journal.append(JournalStep(over(query), (), cells(1), is_torn=lambda: True))
    assert recover(journal.path).loaded.problem.query[:, 0].tolist() == [0, 0, 0]
    query[2, 0] = 2
    journal.append(JournalStep(over(query), (), cells(1, 2)))
    assert recover(journal.path).loaded.problem.query[:, 0].tolist() == [1, 1, 2]


def test_a_whole_state_read_while_cells_were_written_waits_for_them_before_it_takes_the_place(
    journal: Journal, tmp_path: Path
) -> None:
    query = np.zeros((3, 3))
    names = ("query", "key", "value")
    journal.begin(JournalStep(over(query), names, kept=KEPT))
    query[0, 0] = 1
    journal.begin(JournalStep(over(query), names, kept=KEPT, is_torn=lambda: True))
    assert recover(journal.path).loaded.problem.query[0, 0] == 0
    query[1, 0] = 2
    journal.append(JournalStep(over(query), (), cells(0, 1)))
    assert recover(journal.path).loaded.problem.query[:, 0].tolist() == [1, 2, 0]
    assert [path.name for path in tmp_path.iterdir()] == [journal.path.name]
    journal.begin(JournalStep(over(query), names, kept=KEPT, is_torn=lambda: True))
    journal.remove()
    assert not list(tmp_path.iterdir())


def test_a_copied_step_holds_what_it_held_when_it_was_made(journal: Journal) -> None:
    query = np.zeros((3, 3))
    step = JournalStep(over(query), ("query", "key", "value"), kept=KEPT, is_torn=lambda: True).copied()
    query[0, 0] = 1
    journal.begin(step)
    assert recover(journal.path).loaded.problem.query[0, 0] == 0


def test_a_full_disk_leaves_the_entries_before(journal: Journal, monkeypatch) -> None:
    problems, sizes = states(journal, 2)
    _, step = edited(problems[-1], 0, 0, 7.0)
    monkeypatch.setattr("attn_gui.formats.journal._write", _full)
    with pytest.raises(FormatError, match="no room left"):
        journal.append(step)
    assert journal.path.stat().st_size == sizes[-1]
    with pytest.raises(FormatError, match="no room left"):
        journal.begin(whole(a_problem(1)))
    assert recover(journal.path).loaded.problem == problems[-1]


def _full(file: io.FileIO, _piece: bytes) -> None:
    file.write(b"half")
    raise OSError(28, "full")


def around(layer: int, *changed: int) -> StudyRecord:
    """A model around the layer on the table, with a cell typed in some other layers."""
    cells = {"w_query": (np.array([2]), np.array([1.5]))}
    layers = {number: LayerRecord({"num_heads": 2}, ("w_query",), cells) for number in changed}
    return StudyRecord("toy", "a" * 64, "/models/toy", "a b a", layer, layers)


def test_the_model_around_a_layer_comes_back_with_it(journal: Journal) -> None:
    problem = a_problem()
    journal.begin(replace(whole(problem), study=lambda: around(1, 0)))
    found = recover(journal.path).study
    assert found is not None
    assert (found.name, found.sha256, found.folder) == ("toy", "a" * 64, "/models/toy")
    assert (found.text, found.layer) == ("a b a", 1)
    (places, values) = found.layers[0].cells["w_query"]
    assert (places.tolist(), values.tolist()) == ([2], [1.5])
    problem, step = edited(problem, 1, 2, 7.0)
    journal.append(step)
    again = recover(journal.path)
    assert again.loaded.problem == problem
    assert again.study is not None
    assert set(again.study.layers) == {0}, "an edit of cells leaves it as it was"
    journal.append(JournalStep(problem, (), kept=KEPT, study=lambda: around(0, 1, 2)))
    found = recover(journal.path).study
    assert found is not None
    assert (found.layer, set(found.layers)) == (0, {1, 2})


def test_a_model_that_cannot_be_named_leaves_its_layer(journal: Journal) -> None:
    problem = a_problem()
    journal.begin(replace(whole(problem), study=lambda: None))
    found = recover(journal.path)
    assert found.loaded.problem == problem
    assert found.study is None


def test_a_model_that_is_damaged_ends_what_comes_back_before_it(journal: Journal) -> None:
    problem = a_problem()
    journal.begin(whole(problem))
    _, step = edited(problem, 0, 0, 5.0)
    journal.append(replace(step, kept=KEPT, study=lambda: replace(around(0), sha256="no hash")))
    found = recover(journal.path)
    assert found.loaded.problem == problem
    assert found.study is None
