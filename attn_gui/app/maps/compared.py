"""One cell in two states: what it was, what it is, and by how much it moved; and what the two states are called."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication

from attn_gui.app.state.baseline import Baseline
from attn_gui.engine import Evaluation
from attn_gui.engine.comparison import READY
from attn_gui.figure.operands import stage_plane
from attn_gui.figure.text.numbers import sentence_number
from attn_gui.formats.file_sentences import quoted
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.pictures.planes import number_at

PINNED_STATE = QT_TRANSLATE_NOOP("Compared", "the pinned state")
NOW_STATE = QT_TRANSLATE_NOOP("Compared", "now")


class Moved(NamedTuple):
    """A cell in words: before, now, and the change with its sign; "" where one of them is no number."""

    before: str
    now: str
    change: str


def moved(baseline: Baseline, stage: str, batch: int, head: int, row: int, column: int) -> Moved | None:
    """A cell as it was and as it is; None where nothing can be compared."""
    difference = baseline.difference
    if difference is None or stage not in difference.stages:
        return None
    place = (batch, head, row, column)
    sides = zip((difference.before, difference.after), difference.pair(stage), strict=True)
    before, now = (_number(side, name, *place) for side, name in sides)
    if before is None or now is None:
        return Moved(_text(before), _text(now), "")
    change = now - before
    same = QCoreApplication.translate("Compared", "unchanged") if change == 0 else ""
    return Moved(_text(before), _text(now), same or signed_text(change))


def signed_text(number: float) -> str:
    """A number that always has a sign."""
    text = sentence_number(number)
    return text if text.startswith("−") or np.isnan(number) else f"+{text}"


def side_names(baseline: Baseline) -> tuple[str, str]:
    """The names of the two states, before and now, in the present language."""
    if baseline.state:
        return f"“{quoted(baseline.state)}”", _said(NOW_STATE)
    if baseline.pinned or not baseline.key:
        return _said(PINNED_STATE), _said(NOW_STATE)
    ready = READY[baseline.key]
    names = (QCoreApplication.translate("Names", words[0]) for words in (ready.before, ready.after))
    before, now = (name.format(head=baseline.head) for name in names)
    return before, now


def _number(side: Evaluation, stage: str, batch: int, head: int, row: int, column: int) -> float | None:
    """The number of a cell; None where a mask closes it."""
    number, opened = number_at(stage_plane(side, stage, batch, head), row, column)
    return number if opened else None


def _text(number: float | None) -> str:
    if number is None:
        return QCoreApplication.translate("Compared", "not allowed")
    return sentence_number(number)


def _said(words: str) -> str:
    return QCoreApplication.translate("Compared", words)
