"""Operator boxes of the spine: the control in each, and the signal that a choice in it emits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QRect, Signal
from PySide6.QtWidgets import QWidget

from attn_gui.engine.blocks import ACTIVATIONS, NORMS
from attn_gui.engine.graph.stage import Operator
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import catalog
from attn_gui.views.controls.number_field import NumberField
from attn_gui.views.controls.size_box import SizeBox
from attn_gui.views.spine.operators import ListBox, MaskBox, OperatorBox, PlainBox
from attn_gui.views.spine.scale_box import ScaleBox
from attn_gui.views.spine.step_numbers import NumberRow, numbers_of
from attn_gui.views.words.scores import score_name

NUMBERED: dict[str, tuple[str, ...]] = {"position": ("rotary_theta",), "softcap": ("softcap",)}
LABELED: dict[str, tuple[str, ...]] = {
    "normalise": ("temperature",),
    "normalized": ("block.ln_eps",),
    "norm": ("block.norm_eps",),
    "norm_query": ("qk_norm_eps",),
}
CHOSEN: Mapping[str, Mapping[str, Any]] = MappingProxyType({"norm": NORMS, "activation": ACTIVATIONS})
"""Choices of the block, with the catalogs whose labels stand in the lists."""


class SpineBoxes(QObject):
    """All boxes by the name of their step; the numbers of a step stand in a row below its control."""

    scorePicked = Signal(str)
    choicePicked = Signal(str, str)  # norm or activation, and its key
    scalePicked = Signal(str, object)  # key, the number if it was typed
    scaleSlid = Signal(float, bool)  # the number; False while one gesture goes on
    maskPressed = Signal(QRect)  # where the mask box lies on the screen
    numberCommitted = Signal(str, object)  # which number, its value or None

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.score, self.scale, self.mask = ListBox("score", parent), ScaleBox(parent), MaskBox(parent)
        self.plain = {name: PlainBox(name, parent) for name, operator in _operators().items() if operator.text}
        self.lists = {name: ListBox(name, parent) for name in CHOSEN}
        bare = {name: OperatorBox(name, parent) for name in NUMBERED}
        self.by_name: dict[str, OperatorBox] = {
            "score": self.score,
            "scale": self.scale,
            "mask": self.mask,
            **self.plain,
            **self.lists,
            **bare,
        }
        self._rows: dict[str, NumberRow] = {}
        for name, fields in (*NUMBERED.items(), *LABELED.items()):
            self._add_row(self.by_name[name], name, fields)
        self._of_score = {key: fields for key, score in SCORES.items() if (fields := numbers_of(score))}
        for key, fields in self._of_score.items():
            self._add_row(self.score, key, fields)
            self._rows[key].hide()
        self._rows["normalise"].hide()
        self.score.set_choices([(score, score) for score in SCORES])
        self.score.picked.connect(self.scorePicked)
        for name, box in self.lists.items():
            box.picked.connect(partial(self.choicePicked.emit, name))
        self.scale.scalePicked.connect(self.scalePicked)
        self.scale.scaleSlid.connect(self.scaleSlid)
        self.mask.pressed.connect(self._on_mask_pressed)
        self.retranslate()

    def set_score(self, score: str) -> None:
        """The score function in force, with the numbers that it has."""
        self.score.set_key(score)
        for name in self._of_score:
            self._rows[name].setVisible(name == score)

    def set_numbers(self, values: Mapping[str, float | None], dtype: str) -> None:
        """The numbers of the problem by name; an optional one that is not in use leaves its step."""
        for row in self._rows.values():
            row.set_values(values, dtype)
        self._rows["normalise"].setVisible(values.get("temperature") is not None)

    def field(self, name: str) -> NumberField | SizeBox:
        """The field of a number."""
        return next(row.fields[name] for row in self._rows.values() if name in row.fields)

    def retranslate(self) -> None:
        """All words in the present language."""
        operators = _operators()
        for name, box in self.by_name.items():
            box.set_caption(QCoreApplication.translate("Names", operators[name].en))
        self.score.set_choices([(score, score_name(score)) for score in SCORES])
        for name, chosen in CHOSEN.items():
            self.lists[name].set_choices([(key, entry.label) for key, entry in chosen.items()])
        self.scale.retranslate()
        for row in self._rows.values():
            row.retranslate()

    def _add_row(self, box: OperatorBox, name: str, fields: tuple[str, ...]) -> None:
        row = self._rows[name] = NumberRow(fields, box)
        row.committed.connect(self.numberCommitted)
        box.hold(row)

    def _on_mask_pressed(self) -> None:
        button = self.mask.button
        self.maskPressed.emit(QRect(button.mapToGlobal(QPoint(0, 0)), button.size()))


def _operators() -> dict[str, Operator]:
    """The operators of all stages, by key."""
    found = (stage.operator for stage in catalog())
    return {operator.key: operator for operator in found if operator is not None}
