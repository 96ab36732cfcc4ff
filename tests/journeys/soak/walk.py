"""One walk: a document of its own, moves drawn from a seed, and after each of them everything has to be true."""

import time
from collections.abc import Callable
from math import prod
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions

from attn_gui.document.edits import DocumentChange
from attn_gui.engine import Problem, compute
from attn_gui.engine.creation.create import new_fields
from attn_gui.formats import save

from .actions import Actions
from .invariants import Image, Invariants, differing, image

TOLD = 12  # steps before a fault that are told
LONG = 30.0  # seconds in which a change is made that nobody cancels
LARGEST = 2**22  # numbers of a document in which the walk goes on
MOST_PAIRS = 2**30  # of queries and keys: beyond, a comparison alone takes minutes, and nothing more is tried by it
SLIP = 900.0  # seconds for what is redone once more, however large: under load its pictures take minutes


class Beginning(NamedTuple):
    """A file to begin with, and what is in it."""

    seed: int
    rnd: Random
    path: Path
    told: str
    largest: int


def beginning(seed: int, folder: Path, *, larger: bool) -> Beginning:
    """Write a problem that the seed draws."""
    rnd = Random(seed)
    limit = rnd.choice((1, 5, 40, 300)) if larger else rnd.choice((1, 5))
    sizes: dict[str, Any] = {
        "n": rnd.randint(1, limit),
        "m": rnd.randint(1, min(limit, 200)),
        "num_heads": rnd.randint(1, 4),
        "d_k": rnd.randint(1, 5),
        "d_v": rnd.randint(1, 5),
        "fill": rnd.choice(("integers", "random", "identity", "zeros")),
    }
    kind = rnd.choice(("direct", "self", "cross"))
    sizes |= {"m": sizes["n"]} if kind == "self" else {}
    path = folder / f"soak-{seed}.npz"
    problem = Problem.over(new_fields(kind, seed=seed, **sizes))
    if alone := seed % 5 == 4:
        trace = compute(problem)
        problem = Problem.from_weights(trace["weights"], value=rnd.choice((None, trace["value"])))
    save(problem, path)
    told = f"seed {seed}: {kind}{' attention alone' * alone} {sizes}"
    return Beginning(seed, rnd, path, told, max(sizes["n"], 7))


class Walk:
    """Moves through the document that is open."""

    def __init__(self, person: Any, begun: Beginning, qtlog: Any) -> None:
        self.person, self.program, self.qtlog, self._rnd = person, person.program, qtlog, begun.rnd
        self.told = [begun.told]
        self.invariants = Invariants(self.program, Random(begun.seed))  # what is looked at does not move the walk
        wild = begun.seed % 3 == 0
        self.actions = Actions(person, begun.rnd, begun.path.parent, wild=wild, largest=begun.largest)
        self._begin()
        self.program.document.changed.connect(self._on_document_changed)
        self._warned = len(qtlog.records)

    def _on_document_changed(self, change: DocumentChange) -> None:
        if change.opened:  # a dialog may begin another one
            self._begin()

    def _begin(self) -> None:
        self._start = image(self.program.document.problem)

    def step(self) -> float:
        """One move, and whether everything is still true; the seconds that the window's thread computed for it."""
        return self.step_of(self.actions.any)

    def step_of(self, move: Callable[[], str]) -> float:
        """This move, and whether everything is still true then; seconds as of `step`."""
        self.told.append("?")
        before = time.thread_time()
        with capture_exceptions() as raised:
            try:
                if self._rnd.random() < 0.5:
                    self.give_up_typing()
                self.told[-1] = move()
                self.actions.answers.during(self._pause)  # what ends now may ask something
                while self.person.busy():  # a file that was read while the window came to the front is being shown
                    self.actions.answers.during(self._pause)
            except AssertionError:  # what is waited for may not come because of what went wrong before
                self._nothing_raised(raised)
                raise
        spent = time.thread_time() - before
        self._judge(raised)
        return spent

    def _pause(self) -> str:
        """As between two keys, and until everything is computed."""
        for _ in range(self._rnd.randrange(3)):
            QApplication.processEvents()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        self._come_down()
        self._cancel_what_is_long()
        self.person.wait()
        self._come_down()
        return ""

    def _cancel_what_is_long(self) -> None:
        """Esc for a change that takes longer than one waits: a W_O of 16,384² numbers does, beside two other walks."""
        end = time.monotonic() + LONG
        while self.program.runner.busy and time.monotonic() < end:
            QTest.qWait(5)
        if self.program.runner.busy:
            QTest.keyClick(self.program.window, Qt.Key.Key_Escape)

    def _come_down(self) -> None:
        """Undo what made the document so large that nobody could judge it within a moment, as after a slip."""
        document = self.program.document
        for _ in range(document.stack.index()):
            problem = document.problem
            numbers = sum(array.size for array in problem.arrays().values())
            if numbers <= LARGEST and prod(problem.map_shape) <= MOST_PAIRS:
                return
            self._give_up()
            self.person.action("undo").trigger()
            self.person.wait()

    def end(self) -> None:
        """Look away: another walk goes through the same window."""
        self.program.document.changed.disconnect(self._on_document_changed)
        self.give_up_typing()

    def give_up_typing(self) -> None:
        """Esc where a text is refused; until it is put right or taken back, every command stops at it."""
        self.actions.answers.during(self._give_up)  # a number may be asked about before it is taken

    def _give_up(self) -> str:
        if not self.program.window.commit_typed():
            self.person.press("Esc")
        return ""

    def to_the_start_and_back(self) -> None:
        """Undo everything, redo everything: every byte is there again."""
        self.actions.answers.during(self._read_all)
        self._all("redo")
        end = image(self.program.document.problem)
        self._all("undo")
        self._same(self._start)
        self._all("redo")
        self._same(end)

    def _read_all(self) -> str:
        """Until every file is read that was given while something was typed: some ask what they are."""
        self._give_up()
        reading = self.program.files.opening, self.program.late.arrays, self.program.late.lessons
        while any(part.busy for part in reading):
            QTest.qWait(5)
        self.person.wait()
        return ""

    def _same(self, wanted: Image) -> None:
        """Compared here, not in the assertion: pytest would explain megabytes."""
        wrong = differing(image(self.program.document.problem), wanted)
        assert wrong is None, f"{wrong}\n{self.tale()}"

    def _all(self, name: str) -> None:
        with capture_exceptions() as raised:
            self.give_up_typing()
            while self.person.action(name).isEnabled():
                self.person.do(name)
            self.person.wait(SLIP)
        self.told.append(f"{name} all")
        self._judge(raised)

    def _nothing_raised(self, raised: Any) -> None:
        assert not raised, f"{self.tale()}\n{format_captured_exceptions(raised)}"

    def _judge(self, raised: Any) -> None:
        self._nothing_raised(raised)
        records, self._warned = self.qtlog.records[self._warned :], len(self.qtlog.records)
        warnings = [record.message for record in records if not record.ignored]
        assert not warnings, f"{self.tale()}\n{warnings}"
        try:
            self.invariants.hold()
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.tale()}") from error

    def tale(self) -> str:
        return "\n".join((self.told[0], *self.told[1:][-TOLD:]))
