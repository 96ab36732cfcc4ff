"""Journals: cut off, damaged, beside files written anew: the state of the last entry comes back, or a sentence."""

import io
import json
import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import FormatError, save
from attn_gui.formats.journal import HeldFile, Journal, JournalStep, kept_in, recover
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
    for _ in range(200):
        broken = bytearray(data)
        broken[dice.randrange(len(broken))] ^= 1 << dice.randrange(8)
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
    journal.begin(replace(step, kept=KEPT, base=FileStamp.of(tmp_path / "large.attn")))
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
    step = JournalStep(over(query), ("query", "key", "value"), kept=KEPT, is_torn=lambda: True)
    copied = step.copied(step.numbers())
    query[0, 0] = 1
    journal.begin(copied)
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


# --- journals beside files that are written anew --------------------------------------------------
KEPT_BESIDE = KeptDocument(name="mine", sizes=(3, 3, 1))


class Life:
    """A document, generation after generation, with its journal and the files that it is saved in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        cells = np.arange(12.0).reshape(3, 4)
        self.problem, self.generation = Problem(cells, cells, cells), 1
        save(self.problem, self.path("mine"))
        self.journal = Journal(folder / "1.journal")
        base = FileStamp.of(self.path("mine"))
        self.journal.begin(JournalStep(self.problem, (), kept=KEPT_BESIDE, base=base, generation=1), since=1)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.attn"

    def type(self, row: int, number: float) -> None:
        query = self.problem.query.copy()
        query[row, 0] = number
        self.problem, self.generation = self.problem.replace(query=query), self.generation + 1
        box = slice(row, row + 1), slice(0, 1)
        self.journal.append(JournalStep(self.problem, (), (("query", box),), generation=self.generation))

    def resize(self, rows: int) -> None:
        """Other queries, as many as that."""
        self.problem = self.problem.replace(query=np.full((rows, 4), float(self.generation)))
        self.generation += 1
        self.journal.append(JournalStep(self.problem, ("query",), kept=KEPT_BESIDE, generation=self.generation))

    def written(self, name: str, problem: Problem) -> tuple[Path, FileStamp]:
        """A whole new file, not yet in its place, and what it will be there."""
        beside = self.folder / "beside.attn"
        save(problem, beside)
        found = FileStamp.of(beside)
        assert found is not None
        return beside, found._replace(path=self.path(name))

    def save(self, name: str = "mine", problem: Problem | None = None, generation: int | None = None) -> None:
        beside, file = self.written(name, problem or self.problem)
        self.journal.expect(HeldFile(file, generation or self.generation))
        os.replace(beside, self.path(name))

    def recovered(self) -> Problem:
        return recover(self.journal.path).loaded.problem


@pytest.fixture
def life(tmp_path: Path) -> Life:
    found = Life(tmp_path)
    found.type(0, 7)
    return found


def test_before_it_takes_its_place_all_entries_follow_the_old_file_after_it_the_later_ones_the_new(life: Life) -> None:
    problem, generation = life.problem, life.generation
    life.type(1, 8)
    beside, file = life.written("mine", problem)
    life.journal.expect(HeldFile(file, generation))
    assert life.recovered() == life.problem
    os.replace(beside, life.path("mine"))
    assert life.recovered() == life.problem
    life.type(2, 9)
    found = recover(life.journal.path)
    assert found.loaded.problem == life.problem
    assert found.kept.file == file


def test_entries_for_other_shapes_than_the_new_file_has_are_not_laid_on_it(life: Life) -> None:
    life.resize(5)
    life.type(4, 3)
    life.resize(2)
    saved, generation = life.problem, life.generation
    life.type(1, 8)
    life.save(problem=saved, generation=generation)
    assert life.recovered() == life.problem
    life.resize(4)
    life.type(3, 1)
    assert life.recovered() == life.problem


def test_a_file_that_never_took_its_place_costs_nothing(life: Life) -> None:
    beside, file = life.written("mine", life.problem)
    life.journal.expect(HeldFile(file, life.generation))
    beside.unlink()
    life.type(1, 8)
    assert life.recovered() == life.problem
    life.save()
    life.type(2, 9)
    assert life.recovered() == life.problem


def test_the_newest_of_several_that_are_there_counts_and_the_others_where_it_is_gone(life: Life) -> None:
    life.save("other")
    life.type(1, 8)
    life.save("third")
    life.type(2, 9)
    for name in ("third", "other", "mine"):
        found = recover(life.journal.path)
        assert found.loaded.problem == life.problem
        assert found.kept.file == FileStamp.of(life.path(name)) or name == "mine"
        life.path(name).unlink()
    with pytest.raises(FormatError, match=r"mine\.attn"):
        life.recovered()


def test_a_state_that_takes_the_place_of_all_entries_leaves_the_files_that_are_to_come(life: Life) -> None:
    saved, generation = life.problem, life.generation
    life.type(1, 8)
    beside, file = life.written("mine", saved)
    life.journal.expect(HeldFile(file, generation))
    cells = (("query", (slice(0, 3), slice(0, 1))),)
    base = FileStamp.of(life.path("mine"))
    life.journal.begin(JournalStep(life.problem, (), cells, KEPT_BESIDE, base, generation=life.generation), since=1)
    assert life.recovered() == life.problem
    os.replace(beside, life.path("mine"))
    assert life.recovered() == life.problem
    assert life.journal.expects(file)
