"""A field for a typed number: scale, softcap, temperature and their like."""

from __future__ import annotations

import math

from PySide6.QtWidgets import QWidget

from attn_gui.document.number_text import parse_number, shortest
from attn_gui.formats.text.numerals import LONGEST
from attn_gui.views.controls.typed_field import TypedField


class NumberField(TypedField):
    """A float as the shortest text that gives it back, or nothing where `optional`; `committed` carries it."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        optional: bool = False,
        positive: bool = False,
        finite: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setMaxLength(LONGEST + 1)  # so much that it is refused, and no more to lay out
        self._optional, self._positive, self._finite, self._dtype = optional, positive, finite, "float64"

    def set_dtype(self, dtype: str) -> None:
        """The precision whose digits are shown and whose range is kept."""
        self._dtype = dtype

    def read(self, text: str) -> float | None:
        if not text and self._optional:
            return None
        value = parse_number(text, self._dtype)
        if self._positive and not 0 < value < float("inf"):
            raise ValueError(
                self.tr("A number above 0 is needed. Esc keeps {old}.").format(old=self._settled_text or "–")
            )
        if self._finite and not math.isfinite(value):
            raise ValueError(
                self.tr("A finite number is needed. Esc keeps {old}.").format(old=self._settled_text or "–")
            )
        return value

    def written(self, value: float | None) -> str:
        return "" if value is None else shortest(value, self._dtype)
