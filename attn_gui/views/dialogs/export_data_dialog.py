"""File › Export numbers: what is written, the format and the files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.formats.catalog import number_formats
from attn_gui.formats.file_format import Format
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.export_choice import DataChoice, first_of, heads_from_text
from attn_gui.views.dialogs.export_form import ExportForm
from attn_gui.views.dialogs.form_fields import CheckList, caption, lay_out
from attn_gui.views.names import stage_title
from attn_gui.views.widgets import arrange


class ExportDataDialog(ExportForm):
    """Asks which fields and stages to write as numbers; `names` tells the files that a choice will write."""

    remembered = ("format", "bom", "headers", "folder")

    def __init__(
        self,
        arrays: Sequence[str],
        *,
        heads: int,
        items: int = 1,
        names: Callable[[DataChoice], Sequence[str]],
        stem: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(names, stem, parent)
        self.setObjectName("dialog.export_data")
        self._head_count, self._all = heads, tuple(arrays)
        self.arrays = CheckList(arrays, self._title, self)
        self.every, self.none = QPushButton(self), QPushButton(self)
        self.format, self.heads = ChoiceBox(parent=self), QLineEdit(self)
        self.item = CountBox(self, minimum=0, maximum=items - 1)
        self.bom, self.headers = QCheckBox(self), QCheckBox(self)
        self._captions = {name: caption(editor, self) for name, editor in self._editors().items()}
        self._build(items)
        self.set_choice(DataChoice(arrays=first_of(self._all)))
        self.retranslate()

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take up the options of the last time; what is missing or impossible is left as it is."""
        now = self._choice(heads_from_text("", self._head_count))
        kinds = {name: type(getattr(now, name)) for name in self.remembered}
        known = {name: state[name] for name in self.remembered if isinstance(state.get(name), kinds[name])}
        if known.get("format") not in number_formats():
            known.pop("format", None)
        text = self.heads.text()
        self.set_choice(replace(now, **known))
        self.heads.setText(text)

    # --- words -----------------------------------------------------------------------------------
    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Export numbers"))
        words = {
            "arrays": self.tr("matrices and stages"),
            "format": self.tr("format"),
            "heads": self.tr("heads"),
            "item": self.tr("item"),
        }
        self._call_editors(words)
        self.heads.setPlaceholderText(self.tr("all"))
        self.heads.setToolTip(self.tr("all, or numbers such as 0, 2-3"))
        for place, (key, kind) in enumerate(number_formats().items()):
            self.format.setItemText(place, self._file_words(kind).format(name=key.upper()))
        self.every.setText(self.tr("All"))
        self.none.setText(self.tr("None"))
        self.headers.setText(self.tr("tokens and column numbers as headers"))
        self.bom.setText(self.tr("mark the file as UTF-8 for Excel (BOM)"))
        self.arrays.retranslate()
        super().retranslate()

    def _file_words(self, kind: Format[Any]) -> str:
        """Return words for what one file of a format holds."""
        if kind.write_problem is not None:
            return self.tr("{name}, every step as formulas")
        return self.tr("{name}, a matrix each") if kind.holds_matrix else self.tr("{name}, all in one file")

    def _title(self, name: str) -> str:
        return f"{stage_title(name)}  ({name})"

    def _editors(self) -> dict[str, QWidget]:
        return {
            "arrays": self.arrays,
            "format": self.format,
            "heads": self.heads,
            "item": self.item,
            **self._place_editors(),
        }

    def _build(self, items: int) -> None:
        for key in number_formats():
            self.format.addItem(key, key)
        for name, editor in self._editors().items():
            editor.setObjectName(f"export.{name}")
        self.bom.setObjectName("export.bom")
        self.headers.setObjectName("export.headers")
        self.item.setEnabled(items > 1)
        for button in (self.every, self.none):
            button.setAutoDefault(False)
        self._lay_out(self._form())
        self.every.clicked.connect(lambda: self._tick(self._all))
        self.none.clicked.connect(lambda: self._tick(()))
        self.heads.textChanged.connect(self._show_choice)
        self._listen()

    def _form(self) -> QGridLayout:
        ticks = QWidget(self)
        arrange(QHBoxLayout(ticks), self.every, self.none, 1, margins=0, spacing=SPACING.s)
        grid = QGridLayout()
        lay_out(
            grid,
            (
                (self._field("arrays", 3),),
                ((None, ticks, 3),),
                (self._field("format"), self._field("heads"), self._field("item")),
                ((None, self.headers, 3),),
                ((None, self.bom, 3),),
                (self._field("name", 3),),
                (self._field("target", 3),),
            ),
        )
        for column, stretch in enumerate((3, 2, 1)):
            grid.setColumnStretch(column, stretch)
        grid.setRowStretch(1, 1)
        return grid

    def _tick(self, names: Sequence[str]) -> None:
        self.arrays.set_keys(names)
        self._show_choice()

    def _lacking(self) -> str:
        every = number_formats()[self.format.currentData()].write_problem is not None
        return "" if every or self.arrays.keys() else self.tr("Tick at least one matrix.")

    def _heads(self) -> tuple[int, ...]:
        return heads_from_text(self.heads.text(), self._head_count)

    def _fields(self) -> dict[str, QWidget]:
        return {
            "arrays": self.arrays,
            "batch": self.item,
            "format": self.format,
            "bom": self.bom,
            "headers": self.headers,
        }

    def _show_rest(self, choice: DataChoice) -> None:
        self.heads.setText(", ".join(map(str, choice.heads)))

    def _choice(self, heads: tuple[int, ...]) -> DataChoice:
        choice: DataChoice = super()._choice(heads)
        return replace(choice, heads=heads)

    def _show_choice(self, *_: object) -> None:
        """Show what will be written, or why nothing can be."""
        kind = number_formats()[self.format.currentData()]
        self.headers.setEnabled(kind.text)
        self.bom.setEnabled(kind.spreadsheet)
        self.heads.setEnabled(kind.holds_matrix)
        self.item.setEnabled(kind.holds_matrix and self.item.maximum() > 0)
        for widget in (self.arrays, self.every, self.none):
            widget.setEnabled(kind.write_problem is None)
        super()._show_choice()
