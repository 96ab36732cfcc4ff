"""File ▸ Export image: what, how large, where to, with a live preview."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.export_choice import IMAGE_FORMATS, ExportChoice
from attn_gui.views.dialogs.export_form import BUTTONS, ExportForm
from attn_gui.views.dialogs.fields import (
    CentimeterField,
    CheckList,
    Field,
    TargetFields,
    caption,
    lay_out,
)
from attn_gui.views.dialogs.heads_text import heads_from_text
from attn_gui.views.dialogs.preview import Preview
from attn_gui.views.names import stage_title
from attn_gui.views.theme import dress

THEMES = ("light", "dark")
VALUES = {"auto": None, "always": True, "never": False}


class ExportDialog(ExportForm):
    """Asks which figures to write. `draw` makes the preview of a choice, `names` tells the files it will write.

    A preview that takes a while is None and comes later, see `preview`. Both may raise ValueError or OSError with a
    sentence, which is shown in their place.
    """

    remembered = ("format", "width", "height", "dpi", "values", "colorbar", "sheet", "theme", "folder")

    def __init__(
        self, stages: Sequence[str], *, heads: int, items: int = 1, draw: Callable[[ExportChoice], QImage | None],
        names: Callable[[ExportChoice], Sequence[str]], parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.export_image")
        self._head_count, self._draw, self._names = heads, draw, names
        self.stages = CheckList(stages, stage_title, self)
        self.heads, self.item = QLineEdit(self), CountBox(self, minimum=0, maximum=items - 1)
        self.format, self.values, self.theme = ChoiceBox(parent=self), ChoiceBox(parent=self), ChoiceBox(parent=self)
        self.width_cm, self.height_cm = CentimeterField(self), CentimeterField(self)
        self.dpi = CountBox(self, minimum=30, maximum=2400)
        self.colorbar, self.sheet = QCheckBox(self), QCheckBox(self)
        self.target = TargetFields(self)
        self.preview = Preview(self._picture, self)
        self._said, self._shown = QLabel(self), QLabel(self)
        self.buttons = QDialogButtonBox(BUTTONS.Save | BUTTONS.Cancel, self)
        self._captions = {name: caption(editor, self) for name, editor in self._editors().items()}
        self._build(items)
        self.set_choice(ExportChoice(stages=("weights",) if "weights" in stages else tuple(stages[:1])))
        self.retranslate()

    def set_choice(self, choice: ExportChoice) -> None:
        """Show what is proposed: the stage and head on show, and the options of the last time."""
        self.stages.set_keys(choice.stages)
        self.heads.setText(", ".join(map(str, choice.heads)))
        self.item.setValue(choice.batch)
        self.format.setCurrentIndex(self.format.findData(choice.format))
        self.width_cm.set_value(choice.width)
        self.height_cm.set_value(choice.height)
        self.dpi.setValue(choice.dpi)
        self.values.setCurrentIndex(list(VALUES.values()).index(choice.values))
        self.theme.setCurrentIndex(self.theme.findData(choice.theme))
        self.colorbar.setChecked(choice.colorbar)
        self.sheet.setChecked(choice.sheet)
        self.target.folder.setText(choice.folder)
        self._show_choice()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take up the options of the last time; what is missing or impossible is left as it is."""
        known = {name: state[name] for name in self.remembered if name in state and _is_possible(name, state[name])}
        self.set_choice(replace(self._choice(self._heads_or(())), **known))

    # --- words -----------------------------------------------------------------------------------
    def retranslate(self) -> None:
        """All words in the present language."""
        self.setWindowTitle(self.tr("Export image"))
        words = {
            "stages": self.tr("stages"), "heads": self.tr("heads"), "item": self.tr("item"),
            "format": self.tr("format"), "width": self.tr("width in cm"), "height": self.tr("height in cm"),
            "dpi": self.tr("dots per inch"), "values": self.tr("numbers in cells"), "theme": self.tr("colors"),
            "target": self.tr("folder"),
        }
        self._call_editors(words)
        for box in (self.width_cm, self.height_cm):
            box.setPlaceholderText(self.tr("automatic"))
        for place, text in enumerate((self.tr("where they fit"), self.tr("always"), self.tr("never"))):
            self.values.setItemText(place, text)
        for place, text in enumerate((self.tr("light, on white"), self.tr("dark"))):
            self.theme.setItemText(place, text)
        self.colorbar.setText(self.tr("color bar"))
        self.sheet.setText(self.tr("all heads on one sheet"))
        self.stages.retranslate()
        super().retranslate()

    # --- inside ----------------------------------------------------------------------------------
    def _editors(self) -> dict[str, QWidget]:
        return {
            "stages": self.stages, "heads": self.heads, "item": self.item, "format": self.format,
            "width": self.width_cm, "height": self.height_cm, "dpi": self.dpi, "values": self.values,
            "theme": self.theme, "target": self.target,
        }

    def _build(self, items: int) -> None:
        for key in IMAGE_FORMATS:
            self.format.addItem(key.upper(), key)
        for combo, keys in ((self.values, tuple(VALUES)), (self.theme, THEMES)):
            for key in keys:
                combo.addItem(key, key)
        for name, editor in self._editors().items():
            editor.setObjectName(f"export.{name}")
        self.item.setEnabled(items > 1)
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        row.setSpacing(SPACING.xl)
        row.addLayout(self._form())
        right = QVBoxLayout()
        right.setSpacing(SPACING.m)
        right.addWidget(self.preview, 1)
        for label in (self._shown, self._said):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            right.addWidget(label)
        dress(self._shown, letters="small", tone="text3")
        right.addWidget(self.buttons)
        row.addLayout(right, 1)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._listen()

    def _form(self) -> QGridLayout:
        """Captions above their editors, two columns."""
        def field(name: str, span: int = 1) -> Field:
            return self._captions[name], self._editors()[name], span

        grid = QGridLayout()
        lay_out(grid, (
            (field("stages", 2),), (field("heads"), field("item")), ((None, self.sheet, 2),),
            (field("format"), field("dpi")), (field("width"), field("height")), (field("values"), field("theme")),
            ((None, self.colorbar, 2),), (field("target", 2),),
        ))
        for column in range(2):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        return grid

    def _listen(self) -> None:
        for signal in (
            self.stages.ticked, self.heads.textChanged, self.item.valueChanged, self.format.currentIndexChanged,
            self.width_cm.textChanged, self.height_cm.textChanged, self.dpi.valueChanged,
            self.values.currentIndexChanged, self.theme.currentIndexChanged, self.colorbar.toggled, self.sheet.toggled,
            self.target.changed,
        ):
            signal.connect(self._show_choice)

    def _lacking(self) -> str:
        return "" if self.stages.keys() else self.tr("Tick at least one stage.")

    def _choice(self, heads: tuple[int, ...]) -> ExportChoice:
        return ExportChoice(
            stages=self.stages.keys(), heads=heads, batch=self.item.value(), format=self.format.currentData(),
            width=self.width_cm.typed(), height=self.height_cm.typed(), dpi=self.dpi.value(),
            values=VALUES[self.values.currentData()], colorbar=self.colorbar.isChecked(),
            sheet=self.sheet.isChecked(), theme=self.theme.currentData(), folder=self.target.path(),
        )

    def _heads_or(self, otherwise: tuple[int, ...]) -> tuple[int, ...]:
        try:
            return heads_from_text(self.heads.text(), self._head_count)
        except ValueError:
            return otherwise

    def _show_choice(self) -> None:
        """What will be written, or why nothing can be; the preview follows."""
        self.dpi.setEnabled(self.format.currentData() == "png")
        super()._show_choice()
        self.preview.draw_soon()

    def _picture(self) -> QImage | None:
        """The first of the figures."""
        choice = self.result_choice()
        if not choice.stages or not choice.heads:
            raise ValueError(self.objection())
        first = replace(choice, stages=choice.stages[:1], heads=choice.heads if choice.sheet else choice.heads[:1])
        self._shown.setText(stage_title(first.stages[0]) if choice.sheet else self.tr("{stage}, head {head}").format(
            stage=stage_title(first.stages[0]), head=first.heads[0]))
        return self._draw(first)


def _is_possible(name: str, value: object) -> bool:
    if name in ("format", "theme", "folder"):
        choices = {"format": IMAGE_FORMATS, "theme": THEMES}.get(name)
        return isinstance(value, str) and (choices is None or value in choices)
    if name in ("colorbar", "sheet"):
        return isinstance(value, bool)
    if name in ("values", "width", "height") and value is None:
        return True
    return isinstance(value, bool) if name == "values" else isinstance(value, (int, float))
