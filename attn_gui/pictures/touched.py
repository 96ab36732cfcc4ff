"""Parts of pictures that an edit has touched, each quickly drawn: when it is looked at, else in the next turns."""

from __future__ import annotations

import time

from attn_gui.pictures.sheets import Place, Sheet

SLICE = 0.002
"""Seconds of drawing, after which the window may paint and answer before the rest is drawn."""

Part = tuple[Sheet, slice, slice]


class Touched:
    """Parts that still show the numbers before; each is drawn on the window's thread, with the numbers of then."""

    def __init__(self) -> None:
        self._parts: dict[Place, list[Part]] = {}

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, sheet: Sheet, down: slice, right: slice) -> None:
        """Take in rows and columns of blocks of a sheet."""
        self._parts.setdefault(sheet.place, []).append((sheet, down, right))

    def draw(self, place: Place) -> None:
        """Draw all parts of a matrix, as it is looked at."""
        for sheet, down, right in self._parts.pop(place, ()):
            sheet.put(down, right, sheet.drawn(down, right))

    def draw_some(self) -> None:
        """Draw one matrix, and others until the time is up."""
        end = time.perf_counter() + SLICE
        while self._parts:
            self.draw(next(iter(self._parts)))
            if time.perf_counter() >= end:
                break

    def clear(self) -> None:
        """Forget them: the pictures are gone."""
        self._parts.clear()
