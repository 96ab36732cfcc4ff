"""Numbers that belong to a step of the spine: each a symbol and a field, in a row below the step's own control."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from attn_gui.engine.scores import SCORES, Score
from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.controls.number_field import NumberField
from attn_gui.views.controls.size_box import SizeBox
from attn_gui.views.theme import dress, scaled

NUMBER_SAMPLE = "0.00"
WIDEST_WIDTH = 4096
HIDDEN_WIDTH = "d_a"  # the only whole number among them


class Setting(NamedTuple):
    """A number of the problem: its symbol, its name, and what it may be."""

    symbol: str
    name: str
    positive: bool = False
    optional: bool = False


SETTINGS = {
    "rotary_theta": Setting("θ", QT_TRANSLATE_NOOP("Settings", "base of the rotary positions"), True, True),
    "softcap": Setting("±", QT_TRANSLATE_NOOP("Settings", "softcap"), True, True),
    "temperature": Setting("T", QT_TRANSLATE_NOOP("Settings", "temperature"), True, True),
    HIDDEN_WIDTH: Setting("dₐ", QT_TRANSLATE_NOOP("Settings", "hidden units of the additive score")),
    "block.ln_eps": Setting("ε", QT_TRANSLATE_NOOP("Settings", "ε of the LayerNorm"), True),
    "block.norm_eps": Setting("ε", QT_TRANSLATE_NOOP("Settings", "ε of the norms"), True),
    "qk_norm_eps": Setting("ε", QT_TRANSLATE_NOOP("Settings", "ε of the norms of Q and K"), True),
}


def setting_of(name: str) -> Setting:
    """A number by its field; those of a score function stand on its entry. Raises KeyError."""
    found = next((score.numbers[part] for score, part in _of_scores() if f"score_params.{part}" == name), None)
    return SETTINGS[name] if found is None else Setting(found.name.letter, found.title)


def numbers_of(score: Score) -> tuple[str, ...]:
    """The numbers in the box of a score function."""
    return (*(f"score_params.{name}" for name in score.numbers), *((HIDDEN_WIDTH,) if score.units else ()))


def _of_scores() -> Iterator[tuple[Score, str]]:
    return ((score, name) for score in SCORES.values() for name in score.numbers)


class NumberRow(QWidget):
    """The numbers of one step; `committed` names the number and carries its new value, None where it is taken away."""

    committed = Signal(str, object)

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, NumberField | SizeBox] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACING.s)
        row.addStretch(1)
        for name in names:
            sign = QLabel(setting_of(name).symbol, self)
            dress(sign, "body", "text2")
            row.addWidget(sign)
            row.addWidget(self._field(name))
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def set_values(self, values: Mapping[str, float | None], dtype: str) -> None:
        """The numbers of the document; those that it does not have are left alone."""
        for name, field in self.fields.items():
            value = values.get(name)
            if isinstance(field, SizeBox):
                field.set_value(int(value or 1))
            else:
                field.set_dtype(dtype)
                field.set_value(value)
                _fit(field)

    def retranslate(self) -> None:
        """Names for screen readers and tooltips in the present language."""
        for name, field in self.fields.items():
            text = QCoreApplication.translate("Settings", setting_of(name).name)
            field.setAccessibleName(text)
            field.setToolTip(text)

    def _field(self, name: str) -> QWidget:
        setting = setting_of(name)
        field: NumberField | SizeBox
        if name == HIDDEN_WIDTH:
            field = SizeBox(self, maximum=WIDEST_WIDTH)
        else:
            field = NumberField(self, optional=setting.optional, positive=setting.positive, finite=True)
            field.setAlignment(Qt.AlignmentFlag.AlignRight)
            field.textEdited.connect(lambda _text, field=field: _fit(field))
            _fit(field)
        field.setObjectName(f"control.{name}")
        field.committed.connect(lambda value: self.committed.emit(name, value))
        self.fields[name] = field
        return field


def _fit(field: NumberField) -> None:
    """Fit the width to the number, at least to a short one."""
    metrics = field.fontMetrics()
    text = max(metrics.horizontalAdvance(field.text()), metrics.horizontalAdvance(NUMBER_SAMPLE))
    field.setFixedWidth(text + 2 * scaled(SPACING.m) + SPACING.m)
    field.setMinimumHeight(scaled(SIZE.control))
