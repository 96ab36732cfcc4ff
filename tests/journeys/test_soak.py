"""A long random walk through the window: whatever the order, nothing breaks and nothing false is shown.

`SOAK_WALKS=100 SOAK_SEED=1000 pytest tests/journeys/test_soak.py` takes other walks, longer, through larger problems.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions

from attn_gui.engine import new_problem
from attn_gui.formats import save

from .soak.moves import Moves
from .soak.overrides import make_errors_whole
from .soak.truths import Image, Truths, image

LONG = "SOAK_WALKS" in os.environ
WALKS, FIRST = int(os.environ.get("SOAK_WALKS", "5")), int(os.environ.get("SOAK_SEED", "0"))
STEPS = 45
TOLD = 12  # steps before a fault that are told


@pytest.fixture(autouse=True)
def _errors_are_told() -> None:
    make_errors_whole()


class Walk:
    """One document, one seed."""

    def __init__(self, launch: Callable[..., Any], folder: Path, qtlog: Any, seed: int, *, larger: bool) -> None:
        self.rnd, self.seed, self.qtlog = Random(seed), seed, qtlog
        path = folder / f"soak-{seed}.npz"
        kind, sizes = self._beginning(larger)
        save(new_problem(kind, seed=seed, **sizes), path)
        self.told = [f"seed {seed}: {kind} {sizes}"]
        self.person = launch(path, lang=self.rnd.choice(("en", "zh")))
        self.program = self.person.program
        self.truths = Truths(self.program, self.rnd)
        self.moves = Moves(self.person, self.rnd, folder, wild=seed % 3 == 0, largest=max(sizes["n"], 7))
        self.start = image(self.program.document.problem)

    def _beginning(self, larger: bool) -> tuple[str, dict[str, Any]]:
        rnd, limit = self.rnd, self.rnd.choice((1, 5, 40, 300)) if larger else self.rnd.choice((1, 5))
        sizes: dict[str, Any] = {
            "n": rnd.randint(1, limit),
            "m": rnd.randint(1, min(limit, 200)),
            "num_heads": rnd.randint(1, 4),
            "d_k": rnd.randint(1, 5),
            "d_v": rnd.randint(1, 5),
            "fill": rnd.choice(("integers", "random", "identity", "zeros")),
        }
        kind = rnd.choice(("direct", "self", "cross"))
        return kind, sizes | ({"m": sizes["n"]} if kind == "self" else {})

    def step(self) -> None:
        """One move, and whether everything is still true."""
        self.told.append("?")
        with capture_exceptions() as raised:
            self.told[-1] = self.moves.any()
            for _ in range(self.rnd.randrange(3)):
                QApplication.processEvents()
                QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # as between two keys
            self.person.wait()
        self._judge(raised)

    def to_the_start_and_back(self) -> None:
        """Undo everything, redo everything: every byte is there again."""
        self._all("redo")
        end = image(self.program.document.problem)
        self._all("undo")
        self._same(self.start)
        self._all("redo")
        self._same(end)

    def _same(self, wanted: Image) -> None:
        """Compared here, not in the assertion: pytest would explain megabytes."""
        found = image(self.program.document.problem)
        wrong = [name for name in found[0].keys() | wanted[0].keys() if found[0].get(name) != wanted[0].get(name)]
        same = found == wanted
        assert same, f"{wrong or (found[1], wanted[1])}\n{self.tale()}"

    def _all(self, name: str) -> None:
        with capture_exceptions() as raised:
            while self.person.action(name).isEnabled():
                self.person.do(name)
            self.person.wait()
        self.told.append(f"{name} all")
        self._judge(raised)

    def _judge(self, raised: Any) -> None:
        assert not raised, f"{self.tale()}\n{format_captured_exceptions(raised)}"
        warnings = [record.message for record in self.qtlog.records if not record.ignored]
        assert not warnings, f"{self.tale()}\n{warnings}"
        try:
            self.truths.hold()
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.tale()}") from error

    def tale(self) -> str:
        return "\n".join((self.told[0], *self.told[1:][-TOLD:]))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + WALKS))
def test_a_walk(launch, tmp_path, qtlog, seed):
    walk = Walk(launch, tmp_path, qtlog, seed, larger=LONG)
    for _ in range(3 * STEPS if LONG else STEPS):
        walk.step()
    walk.to_the_start_and_back()
