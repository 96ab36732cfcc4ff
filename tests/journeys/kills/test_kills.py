"""The real program killed while somebody types, undoes and saves: at most a second is lost, and never a file.

What a file or a journal holds then is a state that was, bit for bit.

`packaging/dev.py kills` does it a thousand times; `--kills N` says how often, and `--first` goes on behind the kills of
another run. Documents are small, saved in a blink; large, saved beside the window; so large that a journal leaves
unchanged numbers to the file; and models, with numbers typed into one layer after the other.
"""

import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from attn_gui.app.files.journaling import LARGE, journals_folder, lock_of
from attn_gui.engine import Problem
from attn_gui.formats import open_file, save_session, save_study
from attn_gui.formats.atomic_writing import hidden_beside
from attn_gui.formats.journal import recover
from attn_gui.formats.session import ModelNeeded, StudyRecord
from attn_gui.models import open_model
from attn_gui.models.study import model_of, open_layer, record_of, weights_at
from attn_gui.paths import resource
from tests.failing import share

from .typist import CORNER, FIELDS, SAVED, TURNED, state_of

TYPIST = Path(__file__).with_name("typist.py")
MOST_LOST = 1.0  # seconds; as much longer as every thread waits for a core
PATIENCE = 120.0  # seconds
EDITS, MORE = 25, 80  # after which a kill may come, so that the program is warm
BY_CHANCE = 0.02  # seconds at most until it does
BIG, BASED = 8192, LARGE // 3 // 32 // 8 + 1000  # columns of 32 rows


class Killed(NamedTuple):
    """The actions with their times and the states that they led to, those saved behind, and the time of the kill."""

    done: list[tuple[int, float, str]]
    saved: set[int]
    moment: float

    def due(self, most: float) -> int:
        """The last action that is older than so many seconds."""
        return max((number for number, when, _ in self.done if when < self.moment - most), default=0)

    def last_with(self, state: str, began: str) -> int:
        """The last action that led to a state, 0 for the one that it began with."""
        found = [number for number, _, each in self.done if each == state]
        assert found or state == began, f"this state never was: {state}, after {self.done[-3:]}"
        return max(found, default=0)

    def saved_states(self) -> set[str]:
        """The states that may be in the file."""
        return {state for number, _, state in self.done if number in self.saved}


class Nursery:
    """The process in which programs are born."""

    def __init__(self) -> None:
        command = [sys.executable, str(TYPIST)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self._told = b""

    def killed(self, session: Path, dice: Random) -> Killed:
        """What a program told that typed until some moment, half of the times while it saved."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{session}\n".encode())
        lines = self._lines()
        what, child, *_ = next(lines)
        assert what == "began"
        old = session.stat().st_ino
        told, saving, edits = list[tuple[str, int, float, str]](), dice.random() < 0.5, EDITS + dice.randrange(MORE)
        for line in lines:
            assert line[0] != "gone", f"the program ended by itself after {told[-1:]}"
            told.append(line)
            if len(told) >= (EDITS if saving else edits) and (not saving or line[0] == "saving"):
                break
        if saving and dice.random() < 0.5:  # at the moment at which the file is another
            wait_for_another(session, old)
            time.sleep(dice.uniform(0, BY_CHANCE / 4))  # no event: a kill comes at any moment
        else:
            time.sleep(dice.uniform(0, BY_CHANCE * dice.choice((1, 1, 10))))  # nor here
        moment = time.monotonic()
        os.kill(child, 9)
        for line in lines:
            if line[0] == "gone":
                break
            told.append(line)
        done = [(number, when, state) for what, number, when, state in told if what == "typed"]
        return Killed(done, {number for what, number, *_ in told if what == "saving"}, moment)

    def _lines(self) -> Iterator[tuple[str, int, float, str]]:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while True:
            while b"\n" not in self._told:
                assert select.select([pipe], [], [], PATIENCE)[0], f"nothing is told any more, after {self._told!r}"
                self._told += os.read(pipe, 4096)
            line, _, self._told = self._told.partition(b"\n")
            what, number, when, state = line.decode().split()
            yield what, int(number), float(when), state

    def end(self) -> None:
        """No more programs."""
        self._process.communicate()


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    found = Nursery()
    yield found
    found.end()


def wait_for_another(path: Path, old: int) -> None:
    """Until another file has taken its place."""
    end = time.monotonic() + PATIENCE
    while path.stat().st_ino == old:
        assert time.monotonic() < end, "it is not saved"
        time.sleep(0.0005)  # another process writes it; the disk tells nobody


class Document(NamedTuple):
    """A document that somebody types into: put at a path, and its state as a file or a journal holds it."""

    put: Callable[[Path], object]
    in_file: Callable[[Path], str]
    in_journal: Callable[[Path], str]
    began: str


def arrays(problem: Problem) -> Document:
    def state(found: Problem) -> str:
        """That of a problem in which all else is as it was."""
        restored = {name: getattr(found, name).copy() for name in FIELDS}
        for name, array in restored.items():
            array[CORNER] = getattr(problem, name)[CORNER]
        assert found.replace(**restored) == problem, "where nobody typed nothing is other"
        return state_of(found)

    return Document(
        lambda path: save_session(problem, path),
        lambda path: state(open_file(path).problem),
        lambda path: state(recover(path).loaded.problem),
        state_of(problem),
    )


def wide(columns: int) -> Document:
    cells = np.zeros((32, columns))
    return arrays(Problem(cells, cells, cells))


def put_model(path: Path) -> None:
    found = open_layer(open_model(resource("models", "toy-induction")), "k x b p f k x b p", 0, {}, lambda _share: None)
    save_study(record_of(found.study, found.problem, {}, ()), path)


def numbers_in(record: StudyRecord) -> dict[int, float]:
    """The number typed into each changed layer that is not on the table."""
    return {layer: changed.cells["w_query"][1][0] for layer, changed in record.layers.items()}


def last_of(typed: Collection[float]) -> int:
    """The last number, once it is sure that no layer lost what was typed into it before."""
    *earlier, last = sorted(typed) or [0.0]
    turns = [number for number in range(TURNED, int(last), TURNED) if number % SAVED]
    assert earlier == turns[-1:]
    return int(last)


def in_model_file(path: Path) -> str:
    with pytest.raises(ModelNeeded) as needed:
        open_file(path)
    return str(last_of(numbers_in(needed.value.record).values()))


def in_model_journal(path: Path) -> str:
    found = recover(path, None, lambda record: weights_at(model_of(record, []), record.text, record.layer))
    assert found.study is not None
    shown = found.loaded.problem.w_query[0, 0]
    return str(last_of([*numbers_in(found.study).values(), *([shown] if shown == int(shown) else ())]))


DOCUMENTS = {
    "small": lambda: arrays(open_file(resource("examples", "worked-example.npz")).problem),
    "large": lambda: wide(BIG),
    "based": lambda: wide(BASED),
    "model": lambda: Document(put_model, in_model_file, in_model_journal, "0"),
}
TURNS = ("small", "based", "model", "large", "based", "model", "small", "large", "based", "model")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.timeout(0)
def test_a_kill_costs_a_second_at_most_and_no_file(tmp_path, request, nursery, capsys):
    first, count, lost = request.config.getoption("first"), request.config.getoption("kills") or 5, []
    for number in share(range(first, first + count), count):
        name = TURNS[number % len(TURNS)]
        lost.append(lost_in(DOCUMENTS[name](), tmp_path / "mine.attn", nursery, Random(f"{name} {number}")))
    with capsys.disabled():
        print(f"\n{len(lost)} kills: at most {max(lost):.2f} s lost, {sum(lost) / len(lost):.2f} s on average")


def lost_in(document: Document, session: Path, nursery: Nursery, dice: Random) -> float:
    """The seconds that a kill cost, which are few; the file is whole, and nothing strange is left."""
    document.put(session)
    killed = nursery.killed(session, dice)
    held = document.in_file(session)
    assert held in killed.saved_states() | {document.began}, "the file is one that was saved, whole"
    kept = [killed.last_with(held, document.began)]
    begun = [[hidden_beside(lock.with_suffix(".journal"))] for lock in journals_folder().glob("*.lock")]
    for path in journals_folder().glob("*.journal"):
        assert lock_of(path).tryLock(0), "the lock of the dead is free"
        kept.append(killed.last_with(document.in_journal(path), document.began))
    due = killed.due(MOST_LOST * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
    assert max(kept) >= due, "what is older than a second is there"
    stray = [path for path in session.parent.iterdir() if path != session]
    left = [path for path in journals_folder().iterdir() if path.suffix not in (".journal", ".lock")]
    assert stray in ([], [hidden_beside(session)])  # a kill may come while both a file and a journal are written
    assert left in ([], *begun)
    for path in [*journals_folder().iterdir(), *stray]:
        path.unlink()
    return killed.moment - min((when for number, when, _ in killed.done if number > max(kept)), default=killed.moment)
