"""A crash around the moment at which a large file takes the old one's place: what was typed meanwhile comes back."""

import errno
import os
import shutil
import threading
from contextlib import suppress

import pytest

from attn_gui.app.files import journaling, session_saving
from attn_gui.app.files.journaling import journals_folder
from attn_gui.formats import FormatError, open_file, save_session
from attn_gui.formats.journal import kept_in, recover
from attn_gui.formats.snapshots import packed

SMALL = "worked-example.npz"
REPLACE = os.replace


class Disk:
    """Holds up a session before it takes the old one's place, and keeps what a crash would leave before and after."""

    def __init__(self, folder) -> None:
        self.folder, self.reached, self._may = folder, threading.Event(), threading.Event()
        self.full = False
        self.left = []  # folders with the journal and the session of a moment

    def go_on(self) -> None:
        self._may.set()

    def hold(self) -> None:
        self.reached.clear()
        self._may.clear()

    def forget(self) -> None:
        """As at first: nothing is left, and nothing held up."""
        for moment in self.left:
            shutil.rmtree(moment)
        self.full, self.left = False, []
        self.go_on()

    def replace(self, old, new) -> None:
        held = str(new).endswith(".attn")
        if held:
            self.reached.set()
            assert self._may.wait(120)
            self.keep()
            if self.full:
                raise OSError(errno.ENOSPC, "full")
        REPLACE(old, new)
        if held:
            self.keep()

    def keep(self) -> None:
        """What a crash now would leave."""
        moment = self.folder / f"moment {len(self.left)}"
        moment.mkdir()
        for path in (*journals_folder().glob("*.journal"), *self.folder.glob("*.attn")):
            with suppress(FileNotFoundError):  # a journal that the window has just let go of is of no crash
                shutil.copy2(path, moment)
        self.left.append(moment)

    def recovered(self, moment: int):
        """What the journal of a moment gives, with the files as they were then."""
        for path in self.folder.glob("*.attn"):
            path.unlink()
        for path in self.left[moment].glob("*.attn"):
            shutil.copy2(path, self.folder)
        return recover(next(self.left[moment].glob("*.journal")))


@pytest.fixture
def disk(monkeypatch, tmp_path):
    """Every session counts as large."""
    found = Disk(tmp_path)
    monkeypatch.setattr(session_saving, "LARGE", 0)
    monkeypatch.setattr(journaling, "LARGE", 0)
    yield found
    found.go_on()


@pytest.fixture
def person(launch, disk, tmp_path, monkeypatch):
    """Who has opened a large session and typed a 7 into it, which the journal has."""
    monkeypatch.setattr(os, "replace", disk.replace)
    return launch(SMALL).beginning(lambda found: open_and_type(found, disk, tmp_path / "mine.attn"))


def open_and_type(person, disk, path):
    disk.forget()
    save_session(person.program.document.problem, path)
    person.program.files.open_path(path)
    person.look()
    disk.forget()
    disk.hold()
    person.type_into("query", 0, 0, "7")
    kept(person)
    assert b'"query":' not in own().read_bytes(), "its cell alone"


def own():
    return next(journals_folder().glob("*.journal"))


def kept(person):
    """Until the journal has all that was done."""
    problem, snapshots = person.program.document.snapshot(), person.program.document.snapshots.all
    person.until(lambda: _is_in_journal(problem, len(snapshots)))
    return problem


def _is_in_journal(problem, snapshots):
    try:
        found = recover(own()).loaded
    except (StopIteration, FormatError):
        return False
    return found.problem == problem and len(found.snapshots) == snapshots


def written(person):
    person.until(lambda: not person.program.files.saving.busy)


def begin_saving(person, disk):
    person.press("Ctrl+S")
    assert disk.reached.wait(120)


def type_8_and_let_go(person, disk):
    """Type an 8 while the file is held up, and let it be written; the problem as the journal has it."""
    person.type_into("query", 1, 1, "8")
    return let_go(person, disk)


def let_go(person, disk):
    problem = kept(person)
    disk.go_on()
    written(person)
    return problem


def test_what_was_typed_while_it_was_written_comes_back_whatever_became_of_the_file(person, disk):
    begin_saving(person, disk)
    problem = type_8_and_let_go(person, disk)
    for moment in (0, 1):
        found = disk.recovered(moment)
        assert found.loaded.problem == problem
        assert found.kept.name == "mine"
        assert found.kept.file.is_current(), "nobody else has changed it"
    assert open_file(disk.folder / "mine.attn").problem.query[:2, 1].tolist() == [0, 1], "the file has no 8"

    person.again("what is typed after that follows and no number is written twice")
    begin_saving(person, disk)
    type_8_and_let_go(person, disk)
    person.type_into("query", 1, 0, "9")
    problem = kept(person)
    assert problem.query[1, 0] == 9
    assert b'"query":' not in own().read_bytes(), "cells alone: a large one is not written again"
    disk.keep()
    assert disk.recovered(2).loaded.problem == problem

    person.again("what was undone while it was written stays undone")
    begin_saving(person, disk)
    person.press("Ctrl+Z")
    problem = let_go(person, disk)
    assert problem.query[0, 0] == 1
    assert disk.recovered(1).loaded.problem == problem, "the file has the 7"

    person.again("what is typed after a save that failed or went elsewhere is kept")
    begin_saving(person, disk)
    person.type_into("query", 1, 1, "8")
    disk.full = True
    disk.go_on()
    written(person)
    assert "no room left" in person.banner()
    person.type_into("query", 1, 0, "9")
    problem = kept(person)
    disk.keep()
    assert disk.recovered(-1).loaded.problem == problem
    disk.full = False
    disk.hold()
    begin_saving(person, disk)
    person.type_into("query", 0, 1, "6")
    problem = let_go(person, disk)
    assert disk.recovered(-1).loaded.problem == problem

    person.again("save as goes on from the new file")
    person.choose_file(disk.folder / "other.attn", lambda: person.do("save_as"))
    assert disk.reached.wait(120)
    problem = type_8_and_let_go(person, disk)
    for moment, name in ((0, "mine"), (1, "other")):
        found = disk.recovered(moment)
        assert found.loaded.problem == problem
        assert (found.kept.name, found.kept.file.path.name) == (name, f"{name}.attn")
    (disk.folder / "other.attn").unlink()
    assert recover(next(disk.left[1].glob("*.journal"))).loaded.problem == problem, "the one before is still there"
    person.type_into("query", 1, 0, "9")
    person.until(lambda: kept_in(own()).name == "other")

    person.again("a file that somebody else changed is not gone on from")
    begin_saving(person, disk)
    type_8_and_let_go(person, disk)
    changed = disk.recovered(1).loaded.problem
    save_session(changed, disk.folder / "mine.attn", snapshots=(packed(changed, (), "theirs"),))
    with pytest.raises(FormatError, match=r"belong to mine\.attn as it was"):
        recover(next(disk.left[1].glob("*.journal")))
