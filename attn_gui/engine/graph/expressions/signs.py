"""Signs that a formula in one line is written with, in LaTeX or in plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Signs(NamedTuple):
    """The signs of one way to write a formula."""

    cell: Callable[[str, str], str]  # a name, and its indices
    number: Callable[[float], str]
    brackets: str
    length: str  # ‖…‖
    dot: str
    times: str
    minus: str
    tanh: str
    root: str
    square: str

    def inside(self, text: str) -> str:
        return self.brackets % text
