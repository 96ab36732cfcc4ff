"""Base of a beat: title, sentence, result, picture at a moment, where its arrow lands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from attn_gui.engine.graph.symbols_and_titles import plain_name
from attn_gui.figure.text.number_formats import cell_text
from attn_gui.figure.text.rich_text import strong
from attn_gui.figure.walk.equations import WalkEquation
from attn_gui.figure.walk.matrix_board import MatrixBoard
from attn_gui.figure.walk.walk_canvas import WalkCanvas, between, part
from attn_gui.figure.walk.walk_context import Index, WalkContext

LANDS = 0.82
"""Share of a beat after which its number is on its way to its cell."""
CHIP = 62.0, 32.0
"""Width and height of that number at the most; it is no larger than its cell, or it would cover others."""
GAP = 330.0
"""Middle of the gap beside the board; from farther the number would cross what it comes from."""


class Beat(ABC):
    """One step of a walk at a cell: what is said of it, and its picture.

    `stage` is the one that it makes (`made` tells it from what was edited in it), `seconds` its length. It is made
    before any number is printed, so that all equations of a walk agree; its texts are asked for afterward.
    """

    seconds = 1.0
    hurried: float | None = None
    """Its length in a walk of many beats, where it is another."""
    equation: WalkEquation
    """What it computes, where that is one equation."""
    heading = ""
    """What it does, in place of its usual title."""

    def __init__(self, context: WalkContext, stage: str, index: Index) -> None:
        self.context, self.made, self.index = context, stage, index
        self.stage = plain_name(stage)

    @property
    @abstractmethod
    def title(self) -> str:
        """What is done, in two or three words, as rich text."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What is done, with the actual numbers, as rich text."""

    @property
    def result(self) -> str:
        """The equation in short, as rich text."""
        return str(self.equation)

    @cached_property
    def value(self) -> float:
        """The number that it comes to: by default that of its cell."""
        return self.context.value(self.made, self.index)

    @abstractmethod
    def paint(self, canvas: WalkCanvas, progress: float) -> None:
        """Paint the stage at a progress of the beat, 0 to 1."""

    @cached_property
    def board(self) -> MatrixBoard:
        """The matrices at the left."""
        return self.context.board(self.made, self.index)

    def land(self, canvas: WalkCanvas, progress: float, height: float, fill: QColor) -> None:
        """Paint the board, and the number on its way to its cell, from the gap at a `height`; or an arrow instead."""
        start = QPointF(GAP, height)
        self.board.paint(canvas, landed=progress >= 1.0)
        place = self.board.cell
        if canvas.still:
            canvas.arrow(start, self.board.beside(start))
        elif progress > LANDS:
            chip = QRectF(0, 0, min(CHIP[0], place.width()), min(CHIP[1], place.height()))
            chip.moveCenter(between(start, place.center(), part(progress, LANDS, 1.0)))
            there = self.board.map  # and written as its cells are: all digits would be too small to be read
            text = strong(cell_text(self.value, there.numbers)) if there.numbers is not None else ""
            canvas.box(chip, text, fill, canvas.theme.ink, pixels=there.pixels)
