"""Journals beside files that are written anew: the file that is there decides which entries follow."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.formats import FormatError, save
from attn_gui.formats.journal import HeldFile, Journal, JournalStep, recover
from attn_gui.formats.session import FileStamp, KeptDocument

KEPT = KeptDocument(name="mine", sizes=(3, 3, 1))


class Life:
    """A document, generation after generation, with its journal and the files that it is saved in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        cells = np.arange(12.0).reshape(3, 4)
        self.problem, self.generation = Problem(cells, cells, cells), 1
        save(self.problem, self.path("mine"))
        self.journal = Journal(folder / "1.journal")
        base = FileStamp.of(self.path("mine"))
        self.journal.begin(JournalStep(self.problem, (), kept=KEPT, base=base, generation=1), since=1)

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
        self.journal.append(JournalStep(self.problem, ("query",), kept=KEPT, generation=self.generation))

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


def test_one_that_somebody_else_changed_is_refused(life: Life) -> None:
    life.save()
    life.type(1, 8)
    save(life.problem.replace(softcap=2.0), life.path("mine"))
    with pytest.raises(FormatError, match=r"belong to mine\.attn as it was"):
        life.recovered()


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
    life.journal.begin(JournalStep(life.problem, (), cells, KEPT, base, generation=life.generation), since=1)
    assert life.recovered() == life.problem
    os.replace(beside, life.path("mine"))
    assert life.recovered() == life.problem
    assert life.journal.expects(file)


def test_a_file_of_the_document_before_is_none_of_this_one(life: Life) -> None:
    life.save("other")
    other = FileStamp.of(life.path("other"))
    assert other is not None
    life.problem = life.problem.replace(softcap=1.0)
    whole = JournalStep(life.problem, tuple(life.problem.arrays()), kept=KEPT, generation=9)
    life.journal.begin(whole, since=9)
    assert life.recovered() == life.problem
    life.journal.expect(HeldFile(other, 3))
    assert not life.journal.expects(other), "nor one that was still being written"
    assert life.recovered() == life.problem


def test_where_nothing_was_kept_yet_it_is_known_to_what_comes(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.journal.remove()
    base, (beside, file) = FileStamp.of(life.path("mine")), life.written("mine", life.problem)
    life.journal.expect(HeldFile(file, 1))
    life.problem = life.problem.replace(query=life.problem.query + 1)
    life.journal.begin(JournalStep(life.problem, ("query",), kept=KEPT, base=base, generation=2), since=1)
    os.replace(beside, life.path("mine"))
    assert life.recovered() == life.problem


def test_what_there_was_no_room_for_is_not_counted_on(life: Life, monkeypatch) -> None:
    def full(file: io.FileIO, _pieces: object) -> None:
        file.write(b"half")
        raise OSError(28, "full")

    _, file = life.written("mine", life.problem)
    with monkeypatch.context() as patch:
        patch.setattr("attn_gui.formats.journal._write", full)
        with pytest.raises(FormatError, match="no room left"):
            life.journal.expect(HeldFile(file, life.generation))
    assert not life.journal.expects(file)
    life.type(1, 8)
    assert life.recovered() == life.problem


def test_at_every_byte_at_which_a_crash_cuts_it_off_a_state_that_was_comes_back(life: Life) -> None:
    states = [life.problem.replace(query=np.arange(12.0).reshape(3, 4)), life.problem]
    life.save()
    life.type(1, 8)
    states.append(life.problem)
    data = life.journal.path.read_bytes()
    for end in range(0, len(data), 7):
        life.journal.path.write_bytes(data[:end])
        try:
            assert life.recovered() in states
        except FormatError:
            assert end < len(data) - 7, "the file is another, and that it is ours is cut off"
    life.journal.path.write_bytes(data)
    assert life.recovered() == life.problem


def test_files_that_held_earlier_documents_are_not_kept(tmp_path: Path) -> None:
    """On a day on which one document after another is opened and saved, and none left unsaved."""
    journal, path = Journal(tmp_path / "1.journal"), tmp_path / "mine.attn"
    files = [FileStamp(path, 1, number) for number in range(1000)]
    for generation, file in enumerate(files):
        journal.expect(HeldFile(file, generation), since=generation)
    assert [number for number, file in enumerate(files) if journal.expects(file)] == [999]
