"""Fields for the knobs of a page: lists, numbers and sliders, each below its caption."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLabel, QSlider, QVBoxLayout, QWidget

from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.base import Amount, Choice, Knob, Slide
from attn_gui.figure.text.words import joined
from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.number_field import NumberField
from attn_gui.views.inspector.links import FlowLayout
from attn_gui.views.theme import dress, scaled
from attn_gui.views.words.tip import set_tip

NUMBER, SLIDER = 64, 200
"""Widths of fields."""


class KnobFields(QWidget):
    """`turned` carries a knob's key and the value that was chosen; what cannot be is asked for again."""

    turned = Signal(str, object)

    def __init__(self, page: str, knobs: tuple[Knob, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._knobs = knobs
        self._captions: dict[str, QLabel] = {}
        self._fields: dict[str, QWidget] = {}
        flow = FlowLayout(self, gap=SPACING.m, between=SPACING.s)
        for knob in sorted(knobs, key=lambda knob: not isinstance(knob, Slide)):  # sliders are turned most
            holder = QWidget(self)
            caption, field = QLabel(holder), self._field(knob, holder)
            caption.setTextFormat(Qt.TextFormat.PlainText)
            dress(caption, "small", "text2")
            field.setObjectName(f"page.{page}.{knob.key}")
            column = QVBoxLayout(holder)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(SPACING.xs)
            column.addWidget(caption)
            column.addWidget(field)
            self._captions[knob.key], self._fields[knob.key] = caption, field
            flow.addWidget(holder)
        self.setVisible(bool(knobs))

    def set_values(self, aim: Aim, values: Mapping[str, Any]) -> None:
        """Show these values, and what can be chosen here."""
        for knob in self._knobs:
            field, value, told = self._fields[knob.key], values[knob.key], ""
            if isinstance(knob, Choice) and isinstance(field, ChoiceBox):
                words = {
                    key: joined(text, QCoreApplication.translate) for key, text in knob.choices(aim, values).items()
                }
                if [field.itemData(place) for place in range(field.count())] != list(words):
                    field.set_choices(list(words.items()))
                field.set_words(words)
                field.set_key(value)
            elif isinstance(knob, Slide) and isinstance(field, QSlider):
                with QSignalBlocker(field):
                    field.setRange(0, knob.last(aim, values))
                    field.setValue(value)
                told = knob.told(aim, values, value)
            elif isinstance(field, NumberField):
                field.set_value(value)
            caption = _said(knob.caption)
            self._captions[knob.key].setText(f"{caption} {told}".strip())
            field.setAccessibleName(f"{caption} {told}".strip())
            set_tip(field, self.tr("{knob}: the page follows").format(knob=field.accessibleName()))

    def _field(self, knob: Knob, parent: QWidget) -> QWidget:
        if isinstance(knob, Choice):
            box = ChoiceBox((), parent)
            box.setMinimumWidth(scaled(NUMBER))
            box.picked.connect(lambda value, key=knob.key: self.turned.emit(key, value))
            return box
        if isinstance(knob, Slide):
            slider = QSlider(Qt.Orientation.Horizontal, parent)
            slider.setMinimumWidth(scaled(SLIDER))
            slider.valueChanged.connect(lambda value, key=knob.key: self.turned.emit(key, value))
            return slider
        assert isinstance(knob, Amount)
        field = NumberField(parent, finite=True)
        field.setFixedWidth(scaled(NUMBER))
        whole = knob.whole
        field.committed.connect(
            lambda value, key=knob.key: self.turned.emit(key, round(value) if whole else float(value))
        )
        return field


def _said(text: str) -> str:
    return QCoreApplication.translate("Pages", text)
