"""Searches in tables and maps: a number or a token found, the next and the one before, a cell gone to."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

WANTED = ("1", "0.5", "-", "0", "3, 1", "the", "nan", "900, 900", "")
KEYS = ("Return", "Shift+Return", "F3", "Shift+F3", "Ctrl+A")


class Seeking:
    """One method a kind of search; `places` put the keyboard on a cell of a table or a map."""

    def __init__(self, person: Any, rnd: Random, places: tuple[Callable[[], str | None], ...]) -> None:
        self._person, self._rnd, self._places = person, rnd, places
        self._window = person.window

    def find(self) -> str:
        """Type what is looked for, go on and back, and leave the search or not."""
        where, text = self._rnd.choice(self._places)(), self._rnd.choice(WANTED)
        self._person.action("find").trigger()
        bar = self._window.find_bar
        if not bar.isVisible():
            return "nothing"
        self._person.overwrite(bar.line, text, end="")
        keys = self._rnd.choices(KEYS, k=self._rnd.randrange(4))
        for key in keys:
            self._person.press(key)
        if self._rnd.random() < 0.7 and bar.isVisible():
            self._person.press("Esc")
        return f"{text!r} in {where} {keys}"

    def go_to_cell(self) -> str:
        """Ask for a cell; what is typed there is drawn elsewhere."""
        where = self._rnd.choice(self._places)()
        self._person.action("go_to_cell").trigger()
        return str(where)
