"""Words for what is done by hand to the whole result of a head."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import Problem
from attn_gui.engine.creation.interventions import AXIS, whole_heads
from attn_gui.engine.interventions import Copy, Intervention, Scale
from attn_gui.figure.text.numbers import significant


def head_words(problem: Problem) -> dict[int, str]:
    """A word for every head that is not as computed: "off", "× 0.5", "from 2", "by hand"."""
    return {head: _word(record) for head, record in whole_heads(problem).items()}


def off_word() -> str:
    """The word for a head whose result is multiplied by 0."""
    return QCoreApplication.translate("Heads", "off")


def _word(record: Intervention) -> str:
    if isinstance(record, Scale):
        return off_word() if record.factor == 0 else f"× {significant(record.factor)}"
    if isinstance(record, Copy) and AXIS in record.source:
        return QCoreApplication.translate("Heads", "from {head}").format(head=record.source[AXIS])
    return QCoreApplication.translate("Heads", "by hand")
