"""Meanings of a number that is typed into a weight. No widgets: the table of actions lists them, too."""

from __future__ import annotations

from attn_gui.languages import QT_TRANSLATE_NOOP

ASK = "ask"
ALONE, RESCALED, SOLVED = "alone", "rescaled", "solved"
MEANINGS = {
    RESCALED: QT_TRANSLATE_NOOP("WeightDialog", "Set it, and rescale the other weights so that the row adds up to 1"),
    ALONE: QT_TRANSLATE_NOOP("WeightDialog", "Set this number alone: the row need not add up to 1"),
    SOLVED: QT_TRANSLATE_NOOP("WeightDialog", "Find the smallest change of the query that gives it"),
}
WITH_SINK = MEANINGS | {
    RESCALED: QT_TRANSLATE_NOOP(
        "WeightDialog", "Set it, and rescale the other weights and the share of the sink so that all add up to 1"
    ),
}
