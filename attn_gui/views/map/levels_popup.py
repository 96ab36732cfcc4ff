"""The panel behind a color bar: histogram, lowest and highest value, rules, palettes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QLinearGradient
from PySide6.QtWidgets import (
    QButtonGroup,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.typed_numbers import parse_number
from attn_gui.figure.colors import (
    LEVEL_RULES,
    LOCKED,
    LUT_SIZE,
    PALETTES,
    TYPED,
    ColorScale,
    LevelRule,
    Levels,
    Lut,
    Values,
    color_table,
)
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.text.number_formats import level_texts, significant
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.map.map_view import SceneView
from attn_gui.views.theme import current_theme, restyle, scaled, theme_signal, ui_font
from attn_gui.views.widgets import ChoiceBox, arrange, set_tip

BINS = 48
HEIGHT = 96
FAINTEST = 0.04  # height of a bar that stands for a single number, of the highest
BESIDE = 0.08  # of the numbers' range, on both sides of it: room to drag a level outward
STOPS = [*range(0, LUT_SIZE, 16), LUT_SIZE - 1]
"""Entries of a color table that tell a gradient of it from the table by no more than eyes can."""


class Histogram(SceneView):
    """Bars in the colors of their numbers, as high as the root of their count; the lines are dragged."""

    dragged = Signal(object)  # the levels of the lines

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("levels.histogram")
        self.setAccessibleName(self.tr("How the values are spread"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.counts, self.edges = np.zeros(0, int), np.zeros(0)
        self._levels, self._table = Levels(0.0, 1.0), np.zeros(LUT_SIZE, np.uint32)
        self._sample: Values = np.zeros(0)
        self._unit = 1.0  # pyqtgraph's numbers are ours by this unit
        self._item = pg.HistogramLUTItem(orientation="horizontal", gradientPosition="bottom")
        self._item.vb.setMenuEnabled(False)
        self._item.vb.setMouseEnabled(False, False)
        self._item.gradient.setEnabled(False)  # the colors are those of the list below
        self._item.gradient.showTicks(False)
        for unused in (self._item.gradient.colorDialog, self._item.gradient.menu):
            unused.deleteLater()
        self.setCentralItem(self._item)
        self._dress()
        theme_signal.changed.connect(self._dress)
        self._item.gradient.sigGradientChanged.connect(self._color_strip)  # it has taken its own
        self._item.region.movable = False  # but for its lines
        self._item.sigLevelsChanged.connect(self._on_lines_moved)
        self._item.sigLevelChangeFinished.connect(lambda _item: self.set_sample(self._sample))

    def set_levels(self, levels: Levels, table: Lut) -> None:
        """Draw the lines at these levels, and the bars in the colors between them."""
        self._levels, self._table = levels, table
        low, high = self._ends()
        with QSignalBlocker(self._item):
            self._item.setLevels(low, high)
        self._item.plot.setBrush(self._colors(low, high))
        self._color_strip()

    def set_sample(self, sample: Values) -> None:
        """Show how finite numbers of the map are spread, with room for the lines beside them."""
        levels, self._sample = self._levels, sample
        # of numbers as large as can be the range itself would overflow
        unit = self._unit = max(float(np.abs(sample).max(initial=0.0)), abs(levels.low), abs(levels.high))
        low = min(float(sample.min(initial=levels.low)), levels.low) / unit
        high = max(float(sample.max(initial=levels.high)), levels.high) / unit
        counts, edges = np.histogram(sample.astype(np.float64) / unit, bins=BINS, range=(low, high))
        self.counts, self.edges = (counts if sample.size else counts[:0]), edges * unit
        heights = np.where(counts, np.sqrt(counts / max(1, counts.max())).clip(FAINTEST), 0.0)
        self._item.plot.setData(edges, heights, stepMode="center")
        self._item.vb.setXRange(low, high, padding=BESIDE)
        self._item.vb.setYRange(0, 1, padding=0.02)
        shares = (0.0, 1.0) if low * high >= 0 else (0.0, low / (low - high), 1.0)
        texts = level_texts(float(self.edges[0]), float(self.edges[-1]), shares)
        self._item.axis.setTicks(
            [[(low + share * (high - low), text) for share, text in zip(shares, texts, strict=True)]]
        )
        self._describe(sample)
        self.set_levels(levels, self._table)

    @property
    def held(self) -> bool:
        """Whether a line is being dragged; the numbers stay where they are meanwhile."""
        return any(line.moving for line in self._item.region.lines)

    def _ends(self) -> tuple[float, float]:
        return self._levels.low / self._unit, self._levels.high / self._unit

    def _colors(self, start: float, stop: float) -> QBrush:
        """Return the colors of the levels from one place to another."""
        colors = QLinearGradient(QPointF(start, 0), QPointF(stop, 0))
        colors.setStops([(entry / (LUT_SIZE - 1), QColor.fromRgb(int(self._table[entry]))) for entry in STOPS])
        return QBrush(colors)

    def _color_strip(self, *_: object) -> None:
        strip = self._item.gradient
        strip.gradRect.setBrush(self._colors(0, strip.length))

    def _on_lines_moved(self, _item: object) -> None:
        (low, high), before = self._item.getLevels(), self._ends()
        upper = high != before[1]
        with suppress(ValueError):  # the lines would meet
            self.dragged.emit(self._levels.dragged((high if upper else low) * self._unit, upper=upper))
        self.set_levels(self._levels, self._table)

    def _describe(self, sample: Values) -> None:
        if not sample.size:
            self.setAccessibleDescription(self.tr("no finite value"))
            return
        ends = level_texts(float(sample.min()), float(sample.max()), (0.0, 1.0))
        self.setAccessibleDescription(self.tr("from {low} to {high}").format(low=ends[0], high=ends[1]))

    def _dress(self, *_: object) -> None:
        """Give pyqtgraph's parts the colors, sizes and letters of the window."""
        item, theme = self._item, current_theme()
        item.vb.setBackgroundColor(theme.sunken)
        item.plot.setPen(pg.mkPen(theme.line_strong))
        item.region.setBrush(QColor(0, 0, 0, 0))
        for line in item.region.lines:
            line.setPen(pg.mkPen(theme.accent, width=scaled(1)))
            line.setHoverPen(pg.mkPen(theme.accent, width=scaled(2)))
        item.axis.setPen(theme.line_strong)
        item.axis.setTextPen(theme.text2)
        item.axis.setTickFont(ui_font("micro"))
        item.gradient.gradRect.setPen(pg.mkPen(theme.line_strong))

    def sizeHint(self) -> QSize:
        return QSize(scaled(160), scaled(HEIGHT))


WIDTH = 260


class LevelsPopup(PopupFrame):
    """Every choice takes effect at once; the signal carries a whole ColorScale."""

    scalePicked = Signal(object)  # the ColorScale

    def __init__(self, color_scale: ColorScale, levels: Levels, *, signed: bool, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setObjectName("levels.popup")
        self._color_scale, self._levels, self._signed = color_scale, levels, signed
        self.histogram = Histogram(self.content)
        self._rules = QButtonGroup(self)
        self._low, self._high = self._edit(self.tr("Lowest value")), self._edit(self.tr("Highest value"))
        self._palette = ChoiceBox(tuple(PALETTES), self.content)
        self._build()
        self._write_ends()

    def set_shown(self, color_scale: ColorScale, levels: Levels) -> None:
        """Show the present levels and colors of the map."""
        self._color_scale, self._levels = color_scale, levels
        self.histogram.set_levels(
            levels, color_table(color_scale.palette_for(self._signed), current_theme().name, levels)
        )
        if self._typed() != levels:  # else they may be on their way to others
            self._write_ends()

    def _build(self) -> None:
        column = arrange(
            QVBoxLayout(self.content), self.histogram, margins=scaled(SPACING.l), spacing=scaled(SPACING.s)
        )
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
        button.setChecked(rule.key == self._color_scale.rule)
        self._rules.addButton(button, number)
        return button

    def _typed_row(self) -> QHBoxLayout:
        return arrange(
            QHBoxLayout(), self._low, QLabel("…", self.content), self._high, margins=(scaled(SPACING.xxl), 0, 0, 0)
        )

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
        self._palette.set_key(self._color_scale.palette_for(self._signed))
        self._palette.picked.connect(lambda name: self._pick(replace(self._color_scale, palette=name)))

    def _pick(self, color_scale: ColorScale) -> None:
        self._color_scale = color_scale
        self.scalePicked.emit(color_scale)

    def _on_rules_id_clicked(self, number: int) -> None:
        rule = list(LEVEL_RULES)[number]
        if rule == TYPED:
            self._on_edit_text_edited()
            self._low.setFocus(Qt.FocusReason.OtherFocusReason)
            self._low.selectAll()
        else:
            self._pick(replace(self._color_scale, rule=rule, levels=self._levels if rule == LOCKED else None))

    def _on_edit_text_edited(self) -> None:
        self._rules.button(list(LEVEL_RULES).index(TYPED)).setChecked(True)
        levels = self._typed()
        for edit in (self._low, self._high):
            edit.setProperty("wrong", "true" if levels is None else "false")
            restyle(edit)
        if levels is not None:
            self._levels = levels
            self._pick(replace(self._color_scale, rule=TYPED, levels=levels))

    def _on_histogram_dragged(self, levels: Levels) -> None:
        self._rules.button(list(LEVEL_RULES).index(TYPED)).setChecked(True)
        self._pick(replace(self._color_scale, rule=TYPED, levels=levels))

    def _typed(self) -> Levels | None:
        """Return the levels in the two lines; an end that was not touched is what it was, to its last digit."""
        try:
            low, high = (value if _shows(edit, value) else parse_number(edit.text()) for edit, value in self._ends())
            return Levels(low, high)
        except ValueError:
            return None


def _shows(edit: QLineEdit, value: float) -> bool:
    return edit.text() == significant(value)
