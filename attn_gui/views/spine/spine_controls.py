"""Controls in the formula row: list, slider and typed factor of the scale; softcap, temperature, θ, ε, hidden units."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, QPoint, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QSlider, QWidget

from attn_gui.engine import stages
from attn_gui.engine.blocks import ACTIVATIONS, NORMS
from attn_gui.engine.graph.stage import Operator
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES, Score
from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.languages import N_
from attn_gui.views.controls.count_box import SizeBox
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.names import normalizer_name, score_name
from attn_gui.views.spine.operators import CHEVRON, LEAST_WIDTH, ListBox, MaskBox, OperatorBox, PlainBox, QuietBox
from attn_gui.views.theme import scaled, style_text, theme_signal
from attn_gui.views.widgets import FocusedWheel, arrange, set_name

SCALE_SAMPLE = "0.0000"
COMPARED = "compared"  # an entry of the list that is no scale
PARTS = 100  # of the way from no scale at all to 1/√dₖ


class ScaleSlider(FocusedWheel, QSlider):
    """A slider from 0, where no score counts, to 1/√dₖ, the scaled dot product."""

    slid = Signal(float, bool)  # the share of the way; whether another gesture has begun with it

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._begun = False
        self.setObjectName("control.scale_slider")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(0, PARTS)
        self.setPageStep(PARTS // 10)
        self.sliderPressed.connect(self._end_gesture)
        self.sliderReleased.connect(self._end_gesture)
        self.valueChanged.connect(self._on_self_value_changed)

    def set_share(self, share: float) -> None:
        """Stand at a part of the way, without a word."""
        with QSignalBlocker(self):
            self.setValue(round(PARTS * min(max(share, 0.0), 1.0)))

    def _end_gesture(self) -> None:
        self._begun = False

    def _on_self_value_changed(self, value: int) -> None:
        first, self._begun = not self._begun, True
        self.slid.emit(value / PARTS, first)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._end_gesture()
        super().focusInEvent(event)


class ScaleBox(ListBox):
    """Control of the scale: ÷ √dₖ, none, or a typed number, whose field lies over the list but for its arrow."""

    scalePicked = Signal(str, object)  # key, the number if it was typed
    scaleSlid = Signal(float, bool)  # the number; False while one gesture goes on
    compareAsked = Signal()  # with and without it

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("scale", parent)
        self._key = "sqrt"
        self._width, self._factor = 1, 1.0
        # as wide as its scales are: the long entry below them is read in the open list alone
        self.list.setSizeAdjustPolicy(self.list.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.value = NumberField(self)
        self.value.setObjectName("control.scale_value")
        self.value.hide()
        self.slider = ScaleSlider(self)
        self.hold(self.slider)
        self.slider.slid.connect(lambda share, first: self.scaleSlid.emit(share * self._root, first))
        self.value.committed.connect(lambda number: self.scalePicked.emit("typed", number))
        self.picked.connect(self._on_self_picked)
        self.set_scale("sqrt", None, 1)

    def set_scale(self, key: str, value: float | None, d_k: int) -> None:
        """Set the scale that is in force; `value` where it is typed."""
        self._width, self._key = d_k, key
        self._factor = {"sqrt": self._root, "none": 1.0}.get(key, value if value is not None else 1.0)
        self.retranslate()
        self.set_key(key)
        self.value.set_value(self._factor)
        self.slider.set_share(self._factor / self._root)
        self._show_field(key == "typed" or self.slider.isSliderDown())

    def retranslate(self) -> None:
        """Set the list anew, in the present language."""
        choices = [("sqrt", f"÷ √{self._width}"), ("none", self.tr("none")), ("typed", self.tr("typed…"))]
        self.list.setMinimumContentsLength(max(len(word) for _, word in choices))
        if self._factor != 1.0:
            choices.append((COMPARED, self.tr("with / without scaling, side by side")))
        self.set_choices(choices)
        self.list.view().setMinimumWidth(self.list.view().sizeHintForColumn(0) + 2 * SPACING.m)
        self.value.setAccessibleName(self.tr("scale, a factor"))
        self.slider.setAccessibleName(self.tr("scale, from 0 to 1/√dₖ"))
        self.slider.setToolTip(
            self.tr("0: no score counts (average pooling, unless a bias is added). 1/√dₖ: scaled dot product.")
        )

    @property
    def _root(self) -> float:
        return float(self._width**-0.5)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_field()

    def fit_zoom(self, *_: object) -> None:
        super().fit_zoom()
        self._show_field(not self.value.isHidden())

    def _show_field(self, shown: bool) -> None:
        typed = self.value.fontMetrics().horizontalAdvance(SCALE_SAMPLE) + scaled(CHEVRON) + 2 * SPACING.m
        self.list.setMinimumWidth(typed if shown else scaled(LEAST_WIDTH))
        self.value.setVisible(shown)
        self.slider.setVisible(shown)
        self._place_field()

    def _place_field(self) -> None:
        """Place the field over the list's text; the list's arrow stays free."""
        self._column.activate()
        self.value.setGeometry(self.list.geometry().adjusted(0, 0, -scaled(CHEVRON), 0))
        self.value.raise_()

    def _on_self_picked(self, key: str) -> None:
        if key == COMPARED:  # which is no scale: the list says again what is in force
            self.set_key(self._key)
            self.compareAsked.emit()
            return
        self._show_field(False)
        self.scalePicked.emit(key, self._factor if key == "typed" else None)
        if key == "typed":
            self.set_key("typed")  # a factor of 1 or 1/√dₖ is the document's "none" or "sqrt" until another is typed
            self._show_field(True)
            self.value.setFocus(Qt.FocusReason.OtherFocusReason)
            self.value.selectAll()


NUMBER_SAMPLE = "0.00"
WIDEST_WIDTH = 4096
HIDDEN_WIDTH = "d_a"  # the only whole number among them


class StepNumber(NamedTuple):
    """A number of the problem: its symbol, its name, and what it may be."""

    symbol: str
    name: str
    positive: bool = False
    optional: bool = False


SETTINGS = {
    "rotary_theta": StepNumber("θ", N_("Settings", "base of the rotary positions"), True, True),
    "softcap": StepNumber("±", N_("Settings", "softcap"), True, True),
    "temperature": StepNumber("T", N_("Settings", "temperature"), True, True),
    HIDDEN_WIDTH: StepNumber("dₐ", N_("Settings", "hidden units of the additive score")),
    "block.ln_eps": StepNumber("ε", N_("Settings", "ε of the LayerNorm"), True),
    "block.norm_eps": StepNumber("ε", N_("Settings", "ε of the norms"), True),
    "qk_norm_eps": StepNumber("ε", N_("Settings", "ε of the norms of Q and K"), True),
}


def setting_of(name: str) -> StepNumber:
    """Return a number by its field; those of a score function stand on its entry. Raises KeyError."""
    found = next((score.numbers[part] for score, part in _of_scores() if f"score_params.{part}" == name), None)
    return SETTINGS[name] if found is None else StepNumber(found.name.letter, found.title)


def numbers_of(score: Score) -> tuple[str, ...]:
    """Return the numbers in the box of a score function."""
    return (*(f"score_params.{name}" for name in score.numbers), *((HIDDEN_WIDTH,) if score.units else ()))


def _of_scores() -> Iterator[tuple[Score, str]]:
    return ((score, name) for score in SCORES.values() for name in score.numbers)


class NumberRow(QWidget):
    """The numbers of one step; `committed` names the number and carries its new value, None where it is taken away."""

    committed = Signal(str, object)  # which number, its value or None

    def __init__(self, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, NumberField | SizeBox] = {}
        row = arrange(QHBoxLayout(self), 1, margins=0, spacing=SPACING.s)
        for name in names:
            sign = QLabel(setting_of(name).symbol, self)
            style_text(sign, "body", "text2")
            row.addWidget(sign)
            row.addWidget(self._field(name))
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        theme_signal.changed.connect(self._fit_fields)
        self.retranslate()

    def set_values(self, values: Mapping[str, float | None], dtype: str) -> None:
        """Set the numbers of the document; those that it does not have are left alone."""
        for name, field in self.fields.items():
            value = values.get(name)
            if isinstance(field, SizeBox):
                field.set_value(int(value or 1))
            else:
                field.set_dtype(dtype)
                field.set_value(value)
                _fit(field)

    def retranslate(self) -> None:
        """Set names for screen readers and tooltips in the present language."""
        for name, field in self.fields.items():
            text = QCoreApplication.translate("Settings", setting_of(name).name)
            set_name(field, text)

    def _fit_fields(self, *_: object) -> None:
        for field in self.fields.values():
            if isinstance(field, NumberField):
                _fit(field)

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


NUMBERED: dict[str, tuple[str, ...]] = {
    "position": ("rotary_theta",),
    "softcap": ("softcap",),
    "normalize": ("temperature",),
    "normalized": ("block.ln_eps",),
    "norm": ("block.norm_eps",),
    "norm_query": ("qk_norm_eps",),
}
CHOSEN: Mapping[str, Mapping[str, Any]] = MappingProxyType({"norm": NORMS, "activation": ACTIVATIONS})
"""Choices of the block, with the catalogs whose labels stand in the lists."""


class SpineBoxes(QObject):
    """The boxes by the name of their step, each made for the first problem that has the step; the numbers of a step
    stand in a row below its control."""

    choicePicked = Signal(str, str)  # norm or activation, and its key
    maskPressed = Signal(QRect)  # where the mask box lies on the screen
    numberCommitted = Signal(str, object)  # which number, its value or None

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self.score, self.scale, self.mask = ListBox("score", parent), ScaleBox(parent), MaskBox(parent)
        self.normalizer = QuietBox("normalize", parent)
        self._made: dict[str, OperatorBox] = {
            "score": self.score,
            "scale": self.scale,
            "mask": self.mask,
            "normalize": self.normalizer,
        }
        self._rows: dict[str, NumberRow] = {}
        self._numbers: tuple[Mapping[str, float | None], str] | None = None  # of the problem, and its dtype
        self._of_score = {key: fields for key, score in SCORES.items() if (fields := numbers_of(score))}
        for key, fields in self._of_score.items():
            self._add_row(self.score, key, fields).hide()
        self._add_row(self.normalizer, "normalize", NUMBERED["normalize"]).hide()
        self.score.set_choices([(score, score) for score in SCORES])
        self.normalizer.set_choices([(key, key) for key in NORMALIZERS])
        self.mask.pressed.connect(self._on_mask_pressed)
        self.retranslate()

    def box(self, name: str) -> OperatorBox:
        """Return the box of a step."""
        return self._made.get(name) or self._make(name)

    def made(self) -> Collection[OperatorBox]:
        """Return the boxes made so far."""
        return self._made.values()

    def _make(self, name: str) -> OperatorBox:
        box: OperatorBox
        if name in CHOSEN:
            box = ListBox(name, self._parent)
            box.picked.connect(partial(self.choicePicked.emit, name))
        else:
            box = (PlainBox if _operators()[name].text else OperatorBox)(name, self._parent)
        if fields := NUMBERED.get(name):
            self._add_row(box, name, fields)
        if self._numbers is not None:
            self.set_numbers(*self._numbers)
        self._made[name] = box
        self._name(box)
        box.hide()  # until it stands in the row
        return box

    def set_score(self, score: str) -> None:
        """Set the score function in force, with the numbers that it has."""
        self.score.set_key(score)
        for name in self._of_score:
            self._rows[name].setVisible(name == score)

    def set_choice(self, name: str, key: str) -> None:
        """Set the norm or the activation in force."""
        box = self.box(name)
        assert isinstance(box, ListBox)
        box.set_key(key)

    def set_text(self, name: str, text: str) -> None:
        """Set the text of a box without a choice, where a problem has had its step."""
        if isinstance(box := self._made.get(name), PlainBox):
            box.set_text(text)

    def set_numbers(self, values: Mapping[str, float | None], dtype: str) -> None:
        """Set the numbers of the problem by name; an optional one that is not in use leaves its step."""
        self._numbers = values, dtype
        for row in self._rows.values():
            row.set_values(values, dtype)
        self._rows["normalize"].setVisible(values.get("temperature") is not None)

    def field(self, name: str) -> NumberField | SizeBox | None:
        """Return the field of a number; None where no problem has had its step."""
        return next((row.fields[name] for row in self._rows.values() if name in row.fields), None)

    def retranslate(self) -> None:
        for box in self._made.values():
            self._name(box)
        self.score.set_choices([(score, score_name(score)) for score in SCORES])
        self.normalizer.set_choices([(key, normalizer_name(key)) for key in NORMALIZERS])
        self.scale.retranslate()
        for row in self._rows.values():
            row.retranslate()

    def _name(self, box: OperatorBox) -> None:
        box.set_caption(QCoreApplication.translate("Names", _operators()[box.name].en))
        if box.name in CHOSEN and isinstance(box, ListBox):
            box.set_choices([(key, entry.label) for key, entry in CHOSEN[box.name].items()])

    def _add_row(self, box: OperatorBox, name: str, fields: tuple[str, ...]) -> NumberRow:
        row = self._rows[name] = NumberRow(fields, box)
        row.committed.connect(self.numberCommitted)
        box.hold(row)
        return row

    def _on_mask_pressed(self) -> None:
        button = self.mask.button
        self.maskPressed.emit(QRect(button.mapToGlobal(QPoint(0, 0)), button.size()))


def _operators() -> dict[str, Operator]:
    """Return the operators of all stages, by key."""
    found = (stage.operator for stage in stages.CATALOG)
    return {operator.key: operator for operator in found if operator is not None}
