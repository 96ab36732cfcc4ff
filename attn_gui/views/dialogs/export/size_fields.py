"""Fields for the size of a figure: what it is made for, and the sides, type and resolution that this gives it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from attn_gui.figure.styles import STYLES, resolution
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.export.export_choice import ExportChoice
from attn_gui.views.dialogs.form_fields import CentimeterField, PointsField


class SizeFields(QObject):
    """The editors, for a form to lay out. Picking what a figure is made for empties those that it has sizes for."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.style = ChoiceBox(STYLES, parent)
        self.width, self.height, self.font_size = CentimeterField(parent), CentimeterField(parent), PointsField(parent)
        self.dpi = CountBox(parent, minimum=30, maximum=2400)
        self.style.picked.connect(self._on_style_picked)

    @property
    def numbers(self) -> tuple[CentimeterField | PointsField, ...]:
        """The fields that may be empty."""
        return self.width, self.height, self.font_size

    def set_choice(self, choice: ExportChoice) -> None:
        """Show what is proposed."""
        self.style.set_key(choice.style)
        for field, number in zip(self.numbers, (choice.width, choice.height, choice.font_size), strict=True):
            field.set_value(number)
        self.dpi.setValue(choice.dpi)
        self._propose()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.style.set_words({key: QCoreApplication.translate("Figures", kind.title) for key, kind in STYLES.items()})
        self._propose()

    def _on_style_picked(self) -> None:
        for field in self.numbers:
            field.set_value(None)
        self.dpi.setValue(int(resolution(None, self.style.currentData(), ExportChoice.dpi)))
        self._propose()

    def _propose(self) -> None:
        """Show in the empty fields what they stand for."""
        for field, size in zip(self.numbers, self._sizes(), strict=True):
            field.setPlaceholderText(self.tr("automatic") if size is None else f"{size:g}")

    def _sizes(self) -> Iterator[float | None]:
        kind = STYLES[self.style.currentData()]
        return iter((kind.width, kind.height, kind.font_size))
