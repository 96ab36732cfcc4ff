"""Squares in a workbook: the engine adds them up at a level of their own, a spreadsheet as they are. Imports engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.nodes import Node, plain_name
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError

NOT_SQUARED = QT_TRANSLATE_NOOP(
    "Sentences",
    "Numbers of {field} are too large or too small for a spreadsheet to square. Export them as NPZ instead.",
)


def check_squares(node: Node, whole: Callable[[str], Array]) -> None:
    """Raise FormatError, one sentence, for numbers whose squares a stage adds up, and no spreadsheet has.

    `whole` gives all numbers of what it reads.
    """
    for place, (least, most) in node.stage.squares.items():
        name = node.inputs[place].name
        sizes = np.abs(whole(name))
        if ((sizes > most) | ((sizes > 0) & (sizes < least))).any():
            raise FormatError(NOT_SQUARED, field=plain_name(name))
