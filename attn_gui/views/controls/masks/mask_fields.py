"""Editors for the parameters of a mask layer, built from the engine's catalog."""

from __future__ import annotations

import re
import unicodedata

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from attn_gui.engine.masks import Parameter
from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import whole_number
from attn_gui.views.controls.size_box import SizeBox
from attn_gui.views.controls.typed_field import TypedField

FAR = 2**31 - 1  # what a spin box holds


class WholeBox(SizeBox):
    """A whole number of a layer; one from a file that no spin box holds is shown until another one is typed."""

    # on the class, since Qt asks for texts while it still builds the box
    _beyond: int | None = None  # what is on show though no spin box holds it
    _given = 0

    def set_value(self, value: int) -> None:
        """Show the number of the document."""
        held = max(self.minimum(), min(value, self.maximum()))
        self._given, self._beyond = value, None if held == value else value
        super().set_value(held)

    def restore(self) -> None:
        """Back to the number before the visit."""
        self.set_value(self._given)

    def number(self) -> int:
        """The number on show."""
        return self.value() if self._beyond is None else self._beyond

    def textFromValue(self, value: int) -> str:
        return super().textFromValue(value) if self._beyond is None else str(self._beyond)

    def stepBy(self, steps: int) -> None:
        self._beyond = None
        super().stepBy(steps)

    def finish(self) -> None:
        if self._beyond is None:
            super().finish()

    def _on_line_text_edited(self) -> None:
        self._beyond = None
        super()._on_line_text_edited()


class LimitField(QWidget):
    """A whole number, or no limit at all (None)."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box, self.unlimited = WholeBox(self, minimum=-FAR, maximum=FAR), QCheckBox(self)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.m)
        line.addWidget(self.box)
        line.addWidget(self.unlimited)
        line.addStretch(1)
        self.setFocusProxy(self.box)
        self.box.committed.connect(lambda value: self.committed.emit(value))
        self.unlimited.toggled.connect(self._on_unlimited_toggled)

    def set_value(self, value: int | None) -> None:
        """Show the limit of the document."""
        with QSignalBlocker(self.unlimited):
            self.unlimited.setChecked(value is None)
        self.box.setEnabled(value is not None)
        if value is not None:
            self.box.set_value(value)

    def say(self, name: str, about: str) -> None:
        """All words in the present language, the parameter's name and what it does among them."""
        self.box.setToolTip(about)
        self.unlimited.setToolTip(self.tr("However far away, keys on this side are seen"))
        self.unlimited.setText(self.tr("no limit"))
        self.unlimited.setAccessibleName(self.tr("{name}: no limit").format(name=name))
        self.box.setAccessibleName(name)

    def _on_unlimited_toggled(self, unlimited: bool) -> None:
        self.box.setEnabled(not unlimited)
        self.committed.emit(None if unlimited else self.box.number())


class WholeField(WholeBox):
    """A whole number from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, minimum=0, maximum=FAR)

    def say(self, name: str, about: str) -> None:
        """All words in the present language, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.setToolTip(about)


class AlignField(ChoiceBox):
    """Choice of the end at which queries and keys are lined up when their numbers differ."""

    committed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(("start", "end"), parent)
        self.picked.connect(lambda key: self.committed.emit(key))

    def set_value(self, value: str) -> None:
        """Show the alignment of the document."""
        self.set_key(value)

    def say(self, name: str, about: str) -> None:
        """All words in the present language, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.set_words({"start": self.tr("the first query and key"), "end": self.tr("the last query and key")})
        self.setToolTip(about)


class LengthsField(TypedField):
    """One length for every item, or one for each, with commas between."""

    def __init__(self, m: int, batch: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._m, self._batch = m, batch

    def set_sizes(self, m: int, batch: int) -> None:
        """The longest possible length and the number of items."""
        self._m, self._batch = m, batch

    def read(self, text: str) -> tuple[int, ...]:
        parts = [whole_number(part) for part in re.split(r"[,;、\s]+", unicodedata.normalize("NFKC", text)) if part]
        lengths = tuple(part for part in parts if part is not None and 0 <= part <= self._m)
        if not parts or len(lengths) < len(parts):
            raise ValueError(
                self.tr("Lengths are whole numbers from 0 to {m}, such as {example}.").format(
                    m=self._m, example=", ".join([str(self._m)] * min(self._batch, 3))
                )
            )
        if len(lengths) not in (1, self._batch):
            raise ValueError(
                self.tr("{got} lengths for {batch} items: give one for all, or one for each.").format(
                    got=len(lengths), batch=self._batch
                )
            )
        return lengths

    def written(self, value: tuple[int, ...] | None) -> str:
        return ", ".join(map(str, value or ()))

    def say(self, name: str, about: str) -> None:
        """All words in the present language, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.setToolTip(about)


Field = LimitField | WholeField | AlignField | LengthsField


def make_field(parameter: Parameter, m: int, batch: int, parent: QWidget) -> Field | None:
    """The editor for a parameter; None where a table or the map is the editor."""
    if parameter.kind == "int":
        return LimitField(parent) if parameter.default is None else WholeField(parent)
    if parameter.kind == "align":
        return AlignField(parent)
    if parameter.kind == "lengths":
        return LengthsField(m, batch, parent)
    assert parameter.kind == "array", f"no editor for a parameter of the kind {parameter.kind}"
    return None
