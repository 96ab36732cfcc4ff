"""The choice behind a color bar: where the levels come from, and which colors."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.number_text import parse_number
from attn_gui.figure.colors import PALETTES
from attn_gui.figure.display import Levels
from attn_gui.figure.levels import LEVEL_RULES, LOCKED, TYPED, LevelRule, Shade, color_table
from attn_gui.figure.text.numbers import significant
from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.map.levels.histogram import Histogram
from attn_gui.views.theme import current_theme, restyle, scaled
from attn_gui.views.words.tip import set_tip

WIDTH = 260


class LevelsPopup(PopupFrame):
    """Every choice takes effect at once and is told as a whole shade."""

    shadePicked = Signal(object)

    def __init__(self, shade: Shade, levels: Levels, *, signed: bool, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setObjectName("levels.popup")
        self._shade, self._levels, self._signed = shade, levels, signed
        self.histogram = Histogram(self.content)
        self._rules = QButtonGroup(self)
        self._low, self._high = self._edit(self.tr("Lowest value")), self._edit(self.tr("Highest value"))
        self._palette = ChoiceBox(tuple(PALETTES), self.content)
        self._build()
        self._write_ends()

    def set_shown(self, shade: Shade, levels: Levels) -> None:
        """Show the present levels and colors of the map."""
        self._shade, self._levels = shade, levels
        self.histogram.set_levels(levels, color_table(shade.palette_for(self._signed), current_theme().name, levels))
        if self._typed() != levels:  # else they may be on their way to others
            self._write_ends()

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        column = QVBoxLayout(self.content)
        column.setContentsMargins(*[scaled(SPACING.l)] * 4)
        column.setSpacing(scaled(SPACING.s))
        column.addWidget(self.histogram)
        self.histogram.dragged.connect(self._on_histogram_dragged)
        for number, rule in enumerate(LEVEL_RULES.values()):
            if rule.weights_only and self._signed:
                continue
            column.addWidget(self._button(rule, number))
            if rule.key == TYPED:
                column.addLayout(self._typed_row())
        self._rules.idClicked.connect(self._on_rules_id_clicked)
        self._fill_palettes()
        form = QFormLayout()
        form.addRow(self.tr("Colors"), self._palette)
        column.addLayout(form)

    def _button(self, rule: LevelRule, number: int) -> QRadioButton:
        button = QRadioButton(QCoreApplication.translate("Levels", rule.title), self.content)
        button.setObjectName(f"levels.{rule.key}")
        set_tip(button, QCoreApplication.translate("Levels", rule.about))
        button.setChecked(rule.key == self._shade.rule)
        self._rules.addButton(button, number)
        return button

    def _typed_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(scaled(SPACING.xxl), 0, 0, 0)
        for widget in (self._low, QLabel("…", self.content), self._high):
            row.addWidget(widget)
        return row

    def _edit(self, name: str) -> QLineEdit:
        edit = QLineEdit(self.content)
        edit.setAccessibleName(name)
        set_tip(edit, self.tr("A number x has the color at (x − low) / (high − low) of the bar"))
        edit.setMaximumWidth(scaled(88))
        edit.textEdited.connect(self._on_edit_text_edited)
        return edit

    def _write_ends(self) -> None:
        for edit, value in self._ends():
            edit.setText(significant(value))

    def _ends(self) -> tuple[tuple[QLineEdit, float], tuple[QLineEdit, float]]:
        return (self._low, self._levels.low), (self._high, self._levels.high)

    def _fill_palettes(self) -> None:
        self._palette.setAccessibleName(self.tr("Colors"))
        self._palette.setObjectName("levels.palette")
        set_tip(
            self._palette, self.tr("The colors from the lowest level to the highest; of signed ones 0 is the middle")
        )
        titles = {name: QCoreApplication.translate("Palettes", palette.title) for name, palette in PALETTES.items()}
        self._palette.set_words(titles)
        self._palette.set_key(self._shade.palette_for(self._signed))
        self._palette.picked.connect(self._on_palette_picked)

    def _pick(self, shade: Shade) -> None:
        self._shade = shade
        self.shadePicked.emit(shade)

    def _on_rules_id_clicked(self, number: int) -> None:
        rule = list(LEVEL_RULES)[number]
        if rule == TYPED:
            self._on_edit_text_edited()
            self._low.setFocus(Qt.FocusReason.OtherFocusReason)
            self._low.selectAll()
        else:
            self._pick(replace(self._shade, rule=rule, levels=self._levels if rule == LOCKED else None))

    def _on_edit_text_edited(self) -> None:
        self._rules.button(list(LEVEL_RULES).index(TYPED)).setChecked(True)
        levels = self._typed()
        for edit in (self._low, self._high):
            edit.setProperty("wrong", "true" if levels is None else "false")
            restyle(edit)
        if levels is not None:
            self._levels = levels
            self._pick(replace(self._shade, rule=TYPED, levels=levels))

    def _on_histogram_dragged(self, levels: Levels) -> None:
        self._rules.button(list(LEVEL_RULES).index(TYPED)).setChecked(True)
        self._pick(replace(self._shade, rule=TYPED, levels=levels))

    def _typed(self) -> Levels | None:
        """The levels in the two lines; an end that was not touched is what it was, to its last digit."""
        try:
            low, high = (value if _shows(edit, value) else parse_number(edit.text()) for edit, value in self._ends())
            return Levels(low, high)
        except ValueError:
            return None

    def _on_palette_picked(self, name: str) -> None:
        self._pick(replace(self._shade, palette=name))


def _shows(edit: QLineEdit, value: float) -> bool:
    return edit.text() == significant(value)
