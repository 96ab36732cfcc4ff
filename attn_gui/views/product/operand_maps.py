"""The maps of Q, K, V or O around the large one: what they show, their color bars, zoomed and marked with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QWidget

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Box
from attn_gui.figure.stage_formulas import KEY, QUERY, StageOperand, StageOperands
from attn_gui.views.map.color_scales import ColorScales, colored_as
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.gestures import MapSignals
from attn_gui.views.map.heatmap import Heatmap, is_counted
from attn_gui.views.map.marks import Area
from attn_gui.views.names import stage_title
from attn_gui.views.product.stage_maps import MarkedLines, StageCell

PLACES = ("left", "top", "factor", "result")
WITH_BAR = ("left", "result")


class OperandMaps(MapSignals):
    """Four maps, made once, of which a picture uses none, two or all."""

    barResized = Signal()

    def __init__(self, parent: QWidget, color_scales: ColorScales) -> None:
        super().__init__(parent)
        self._color_scales = color_scales
        color_scales.changed.connect(self._on_color_scales_changed)
        self.maps = {place: Heatmap(parent, self) for place in PLACES}
        self.bars = {place: ColorBar(self.maps[place], parent) for place in WITH_BAR}
        self._operands: dict[str, StageOperand] = {}
        self._sources: dict[str, str] = {}
        self._colored: dict[str, str] = {}  # sources by the name under which they are colored
        self._stages: tuple[str, ...] = ()
        for place, heatmap in self.maps.items():
            heatmap.setObjectName(f"operand.{place}")
            heatmap.hide()
        for place, bar in self.bars.items():
            bar.hide()
            bar.heightChanged.connect(self.barResized)
            bar.scalePicked.connect(
                lambda scale, at=place: self._color_scales.set(self._colored[self._sources[at]], scale)
            )

    @property
    def shown(self) -> dict[str, Heatmap]:
        """The maps that the present picture uses, by their place."""
        return {place: self.maps[place] for place in self._operands}

    @property
    def shown_bars(self) -> dict[str, ColorBar]:
        """The color bars of the present picture."""
        return {place: bar for place, bar in self.bars.items() if place in self._operands}

    def focused_bar(self) -> ColorBar | None:
        """Return the color bar of the map that has the keyboard, where there is one."""
        return next((bar for place, bar in self.shown_bars.items() if self.maps[place].hasFocus()), None)

    def source(self, place: str) -> str:
        """Return the stage or field that a place shows."""
        return self._sources[place]

    def set_picture(self, picture: StageOperands, evaluation: Evaluation, batch: int, head: int) -> None:
        """Fill the places from the catalog."""
        self._operands = picture.operands()
        self._sources = {place: operand.name for place, operand in self._operands.items()}
        self._stages = evaluation.stages
        self._colored = {name: colored_as(name, evaluation) for name in self._sources.values()}
        for place, heatmap in self.maps.items():
            operand = self._operands.get(place)
            plane = operand.plane(evaluation, batch, head) if operand is not None else None
            color_scale = self._color_scales.of(self._colored.get(self._sources.get(place, ""), ""))
            heatmap.set_shown(replace(heatmap.shown, plane=plane, color_scale=color_scale))
            heatmap.setVisible(operand is not None)
            if operand is not None:
                heatmap.gestures.source = operand.name if operand.name in self._stages else None
                heatmap.gestures.transposed = operand.transposed
        self.retranslate()
        for place, bar in self.bars.items():
            bar.setVisible(place in self._operands)
        self.count()

    def refresh(self, boxes: Mapping[str, Sequence[Box]], product: Sequence[Area]) -> None:
        """Redraw the cells of stages that hold new numbers. Of matrices of the problem what can have changed: rows of
        a left factor and columns of a right one where the product, in the areas given, did."""
        for place, heatmap in self.shown.items():
            if self._sources[place] in self._stages:
                heatmap.refresh_boxes(boxes.get(self._sources[place], ()))
                continue
            for rows, columns in product:
                whole = tuple(slice(0, length) for length in heatmap.shape)
                heatmap.refresh(*((rows, whole[1]) if place == "left" else (whole[0], columns)))
        for place, bar in self.shown_bars.items():
            if is_counted(self.maps[place]):
                bar.recount()

    def retake_levels(self) -> None:
        """Take automatic levels again."""
        for place, heatmap in self.shown.items():
            if heatmap.renewed:
                heatmap.retake_levels()
                if place in self.bars and not is_counted(heatmap):
                    self.bars[place].recount()

    def set_marks(self, lines: MarkedLines, chosen: StageCell | None, *, result: bool) -> None:
        """Row and column of the stage run through the operands; a cell chosen in an operand has its square."""
        row, column = lines.row, lines.column
        marked = {
            "left": MarkedLines(row, None, lines.row_role),
            "top": MarkedLines(None, column, column_role=lines.column_role),
            "factor": MarkedLines(column if result else None, None, KEY),
            "result": MarkedLines(row if result else None, None, QUERY),
        }
        for place, heatmap in self.shown.items():
            own = marked[place]
            cell = None
            if chosen is not None and chosen.stage == self._sources[place]:
                cell = self._turned(place, chosen.row, chosen.column)
                own = MarkedLines(cell[0], cell[1], self._operands[place].rows, self._operands[place].columns)
            heatmap.set_chosen(cell)
            heatmap.overlay.set_marks(**own._asdict())

    def count(self) -> None:
        """Bring the legends up to date."""
        for place, bar in self.bars.items():
            if place in self._operands:
                bar.recount()

    def retranslate(self) -> None:
        """Name the maps in the present language."""
        name = QCoreApplication.translate("StageMaps", "{title}, {rows} × {columns}")
        for place, heatmap in self.shown.items():
            rows, columns = heatmap.shape
            title = stage_title(self._sources[place])
            heatmap.setAccessibleName(name.format(title=title, rows=rows, columns=columns))
            if place in self.bars:
                self.bars[place].set_title(title)

    def _turned(self, place: str, row: int, column: int) -> tuple[int, int]:
        return (column, row) if self._operands[place].transposed else (row, column)

    def _on_color_scales_changed(self, name: str) -> None:
        for place in self._operands:
            if self._colored[self._sources[place]] == name:
                heatmap = self.maps[place]
                heatmap.set_shown(replace(heatmap.shown, color_scale=self._color_scales.of(name)))
                if place in self.bars:
                    self.bars[place].update()
