"""Large maps, one a stage, and those of Q, K, V, O around them: made, named, zoomed, scrolled and marked together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect, QSignalBlocker, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QScrollBar, QWidget

from attn_gui.engine import STAGE, Evaluation, Recomputed
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.reach import parts_of
from attn_gui.engine.graph.nodes import CellPart
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.stage_formulas import (
    KEY,
    PLAIN,
    QUERY,
    STAGE_PLACE,
    StageOperand,
    StageOperands,
    bands_of,
    picture_of,
    stage_plane,
)
from attn_gui.pictures.planes import PlaneLike, Window
from attn_gui.views.map.color_scales import ColorScales, colored_as
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.gestures import MapSignals
from attn_gui.views.map.heatmap import Heatmap, is_counted
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.map.marks import Area
from attn_gui.views.map.minimap import Minimap
from attn_gui.views.names import NO_NAMES, AxisNames, stage_title
from attn_gui.views.theme import scaled
from attn_gui.views.widgets import WidgetMixin


class MapBackground(WidgetMixin):
    """Mixin of the widgets that hold maps: emits `backgroundClicked` at a click beside the maps, and arranges them anew
    after a change of size, theme or language. `answer` is asked of each key that no map takes whether it takes it."""

    backgroundClicked: SignalInstance
    answer: Callable[[QKeyEvent], bool] | None = None

    def arrange(self) -> None:
        """Place the maps and what stands around them."""
        raise NotImplementedError  # not abstract: Qt's metaclass is not that of abstract classes

    def retranslate(self) -> None:
        """Set all words anew, in the present language, but for those that are painted."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.answer is None or not self.answer(event):
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release comes here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.backgroundClicked.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange):
            self.retranslate()
            self.arrange()


ROWS_OF_STAGE = ("left", "result")
COLUMNS_OF = {"top": STAGE_PLACE, "factor": "result"}
FINE = 100
"""Steps of a scroll bar in a cell: a zoomed map stands between cells."""


class LinkedMaps(QObject):
    """Row i of the stage is row i of its neighbours, column j column j; two scroll bars where not everything fits."""

    moved = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._maps: Mapping[str, Heatmap] = {}
        sides = (Qt.Orientation.Vertical, Qt.Orientation.Horizontal)
        self.scroll_bars = {side: QScrollBar(side, parent) for side in sides}
        for side, bar in self.scroll_bars.items():
            bar.hide()
            bar.setSingleStep(FINE)
            bar.valueChanged.connect(lambda value, along=side: self._on_bar_value_changed(along, value))

    def link(self, maps: Mapping[str, Heatmap], rows: float, columns: float) -> None:
        """Link these maps by their places; the stage has so many rows and columns in view at first."""
        self.part()
        self._maps = maps
        for place, heatmap in maps.items():
            own_rows, own_columns = heatmap.shape
            height = rows if place == STAGE_PLACE or place in ROWS_OF_STAGE else own_rows
            width = columns if place == STAGE_PLACE or COLUMNS_OF.get(place) == STAGE_PLACE else own_columns
            partial = height < own_rows or width < own_columns
            heatmap.box.set_home((0.0, float(height), 0.0, float(width)) if partial else None)
        for place, heatmap in maps.items():
            if place in ROWS_OF_STAGE:
                heatmap.box.setYLink(maps[STAGE_PLACE].box)
            if COLUMNS_OF.get(place) in maps:
                heatmap.box.setXLink(maps[COLUMNS_OF[place]].box)
            heatmap.box.changed.connect(self._on_box_changed)
        self._on_box_changed()

    def part(self) -> None:
        """Let the maps go, while they take other matrices one by one."""
        for heatmap in self._maps.values():
            heatmap.box.changed.disconnect(self._on_box_changed)
        unlink(heatmap for place, heatmap in self._maps.items() if place != STAGE_PLACE)
        self._maps = {}

    def _on_box_changed(self, _window: Window | None = None) -> None:
        stage = self._maps[STAGE_PLACE]
        top, bottom, left, right = stage.box.in_view
        for side, count, low, high in (
            (Qt.Orientation.Vertical, stage.shape[0], top, bottom),
            (Qt.Orientation.Horizontal, stage.shape[1], left, right),
        ):
            bar = self.scroll_bars[side]
            with QSignalBlocker(bar):
                bar.setRange(0, round((count - (high - low)) * FINE))
                bar.setPageStep(round((high - low) * FINE))
                bar.setValue(round(low * FINE))
            bar.setVisible(high - low < count)
        self.moved.emit()

    def place_scroll_bars(self, stage: QRect, last: QRect) -> None:
        """Place them below the cells of the stage, and right of the last map beside it."""
        for side, bar in self.scroll_bars.items():
            thick = bar.sizeHint().width() if side == Qt.Orientation.Vertical else bar.sizeHint().height()
            if side == Qt.Orientation.Vertical:
                bar.setGeometry(last.right() + scaled(SPACING.m), stage.top(), thick, stage.height())
            else:
                bar.setGeometry(stage.left(), stage.bottom() + 2, stage.width(), min(thick, scaled(SPACING.m)))

    def _on_bar_value_changed(self, along: Qt.Orientation, value: int) -> None:
        box, low = self._maps[STAGE_PLACE].box, value / FINE
        top, bottom, left, right = box.in_view
        if along == Qt.Orientation.Vertical:
            box.set_window((low, low + bottom - top, left, right))
        else:
            box.set_window((top, bottom, low, low + right - left))


def link_shapes(maps: Sequence[Heatmap]) -> None:
    """Show the same rows and columns in maps of one shape, those that nobody looks at included."""
    for heatmap in maps[1:]:
        heatmap.link(maps[0])


def unlink(maps: Iterable[Heatmap]) -> None:
    """Let maps go that were linked to others."""
    for heatmap in maps:
        heatmap.link(None)


ROLES = {"i": QUERY, "j": KEY}


class StageCell(NamedTuple):
    """A cell of a stage as its map shows it."""

    stage: str
    row: int
    column: int


class MarkedLines(NamedTuple):
    """The row and the column that are marked in one map, with their roles."""

    row: int | None = None
    column: int | None = None
    row_role: str = QUERY
    column_role: str = KEY


NOTHING = MarkedLines()


def lines_of(
    evaluation: Evaluation | None,
    cell: tuple[str, int, int] | None,
    item: int,
    head: int,
    planes: Mapping[str, PlaneLike | None],
) -> dict[str, MarkedLines]:
    """Return the lines of (stage, row, column) in every map that has any; of several parts of one matrix the first.

    A cell that the evaluation does not have, chosen in a document before this one, marks nothing.
    """
    found: dict[str, MarkedLines] = {}
    if evaluation is None or cell is None or cell[0] not in evaluation.stages:
        return found
    stage, row, column = cell
    own = stage_plane(evaluation, stage, item, head)
    if row >= own.shape[0] or column >= own.shape[1]:
        return found
    for part in parts_of(evaluation, stage, own.index(row, column)):
        plane = planes.get(part.name)
        if plane is not None and part.name not in found and (lines := _lines(part, plane)) is not None:
            found[part.name] = lines
    return found


def _lines(part: CellPart, plane: PlaneLike) -> MarkedLines | None:
    cuts = plane.cells(part.box)
    if cuts is None:
        return None
    row, column = (cut.start if cut.stop - cut.start == 1 else None for cut in cuts)
    roles = [ROLES.get(part.owner(axis), PLAIN) for axis in (-2, -1)]
    if getattr(plane, "transposed", False):
        roles.reverse()
    return MarkedLines(row, column, *roles)


class StageMaps(MapSignals):
    """Owns `heatmap.STAGE` and its color bar for every stage; a stage that leaves the problem gives up its name.

    Each map stands in one picture at a time. Tiles borrow those of all stages when they are shown; two states side by
    side borrow that of one stage, and give it back for another one, or once nothing is compared. The product picture,
    their home, takes back all when it is shown.
    """

    rearranged = Signal()  # other stages or other sizes
    marked = Signal()  # another cell is chosen
    renamed = Signal()  # rows and columns have other tokens
    barResized = Signal()

    def __init__(self, home: QWidget, color_scales: ColorScales) -> None:
        super().__init__(home)
        self._home, self.color_scales = home, color_scales
        color_scales.changed.connect(self._on_color_scales_changed)
        self._maps: dict[str, Heatmap] = {}
        self._bars: dict[str, ColorBar] = {}
        self._minimaps: dict[str, Minimap] = {}
        self._values_shown, self._brush, self._pulling = True, False, False
        self._menu_actions: Sequence[QAction] = ()
        self._own_actions: list[tuple[QAction, frozenset[str]]] = []
        self.evaluation: Evaluation | None = None
        self.batch, self.head = 0, 0
        self.chosen: StageCell | None = None
        self._lines: dict[str, MarkedLines] = {}
        self._tokens: tuple[Sequence[str], Sequence[str]] = ((), ())  # as the document has them
        self.query_tokens = self.key_tokens = NO_NAMES

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages of the problem, in order."""
        return self.evaluation.stages if self.evaluation is not None else ()

    def map(self, stage: str) -> Heatmap:
        """Return `heatmap.STAGE`."""
        return self._maps[stage]

    def bar(self, stage: str) -> ColorBar:
        """Return the color bar of a map."""
        return self._bars[stage]

    def minimap(self, stage: str) -> Minimap:
        """Return the overview in a corner of a map, visible while that is zoomed."""
        return self._minimaps[stage]

    def every(self) -> tuple[Heatmap, ...]:
        """Return all maps that were ever made."""
        return tuple(self._maps.values())

    @property
    def focused(self) -> str | None:
        """The stage whose map, or the overview in it, has the keyboard."""
        held = (stage for stage in self.stages if self._maps[stage].hasFocus() or self._minimaps[stage].hasFocus())
        return next(held, None)

    @property
    def at_home(self) -> bool:
        """Whether the maps are with the product picture and not with the tiles."""
        return all(heatmap.parentWidget() is self._home for heatmap in self._maps.values())

    def set_evaluation(self, evaluation: Evaluation, batch: int, head: int) -> None:
        """Show another evaluation, item or head."""
        self.evaluation = None  # while maps change one by one, they are not laid out
        unlink(self.every())
        for stage, heatmap in self._maps.items():
            if stage not in evaluation.stages:
                heatmap.setObjectName("")
                heatmap.set_shown(replace(heatmap.shown, plane=None))
        for stage in evaluation.stages:
            heatmap = self._maps.get(stage) or self._made(stage)
            heatmap.setObjectName(f"heatmap.{stage}")
            plane, bands = stage_plane(evaluation, stage, batch, head), bands_of(evaluation, stage)
            color_scale = self.color_scales.of(colored_as(stage, evaluation))
            heatmap.set_shown(replace(heatmap.shown, plane=plane, bands=bands, color_scale=color_scale))
        self.evaluation, self.batch, self.head = evaluation, batch, head
        link_shapes([self._maps[stage] for stage in evaluation.stages if STAGE[stage].square])
        self._name_maps()
        self._label_maps()
        self.set_chosen(self.chosen)
        self.rearranged.emit()
        for stage in evaluation.stages:
            self._bars[stage].recount()

    def make_maps(self, stages: Sequence[str]) -> Iterator[None]:
        """Make the maps that these stages still need, and yield after each."""
        for stage in stages:
            if stage not in self._maps:
                self._made(stage)
                yield

    def set_tokens(self, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> None:
        """Set names of rows and columns; empty for numbers."""
        query, key = tuple(query_tokens), tuple(key_tokens)
        if (query, key) != self._tokens:  # they come with every evaluation, and may be 65,536
            self._tokens = query, key
            self.query_tokens = AxisNames(query)
            self.key_tokens = self.query_tokens if key == query else AxisNames(key)
            self._label_maps()
            self.renamed.emit()

    def set_chosen(self, chosen: tuple[str, int, int] | None) -> None:
        """Mark a cell, and in the other maps what it is made of."""
        self.chosen = StageCell(*chosen) if chosen is not None else None
        self._lines = self._marked()
        for stage in self.stages:
            heatmap, own = self._maps[stage], self.lines(stage)
            here = self.chosen is not None and self.chosen.stage == stage
            heatmap.set_chosen(self.chosen[1:] if here and self.chosen is not None else None)
            heatmap.overlay.set_marks(**own._asdict())
        self.marked.emit()

    def set_block(self, block: Area | None) -> None:
        """Mark several cells in the map of the chosen one."""
        for stage in self.stages:
            here = self.chosen is not None and self.chosen.stage == stage
            self._maps[stage].set_block(block if here else None)

    def refresh(self, recomputed: Recomputed) -> None:
        """Redraw and outline the cells that hold new numbers."""
        stages = self.stages
        for stage, boxes in recomputed.boxes.items():
            if stage in stages:
                self._maps[stage].refresh_boxes(boxes)
                self._minimaps[stage].refresh(boxes)
                if not self._bars[stage].isVisible() or is_counted(self._maps[stage]):
                    self._bars[stage].recount()

    def retake_levels(self) -> None:
        """Take automatic levels again, at rest after edits."""
        for stage in self.stages:
            if self._maps[stage].renewed:
                self._maps[stage].retake_levels()
                if self._bars[stage].isVisible() and not is_counted(self._maps[stage]):
                    self._bars[stage].recount()

    def set_menu_actions(self, actions: Sequence[QAction]) -> None:
        """Set the actions in the context menus of all maps, those made later included."""
        self._menu_actions = actions
        for heatmap in self._maps.values():
            heatmap.addActions(actions)

    def add_action(self, action: QAction, stages: Iterable[str]) -> None:
        """Let the context menus of the maps of these stages offer an action, too."""
        self._own_actions.append((action, frozenset(stages)))
        for stage in self._own_actions[-1][1] & self._maps.keys():
            self._maps[stage].addAction(action)

    def set_values_shown(self, shown: bool) -> None:
        """Write values into cells where they fit."""
        self._values_shown = shown
        for heatmap in self._maps.values():
            heatmap.set_shown(replace(heatmap.shown, values=shown))

    def set_pulling(self, active: bool) -> None:
        """Let the left button draw numbers up and down in the maps that can have targets, or no longer."""
        self._pulling = active
        for stage, heatmap in self._maps.items():
            heatmap.gestures.set_pulling(active and STAGE[stage].settable)

    def set_brush(self, active: bool) -> None:
        """Take a press on a map of queries and keys as a stroke, or no longer; a stroke under way is dropped."""
        self._brush = active
        for stage, heatmap in self._maps.items():
            heatmap.gestures.set_brush(active and STAGE[stage].square)

    def set_painted(self, stage: str, areas: tuple[Area, ...]) -> None:
        """Outline what a stroke covers so far."""
        if stage in self._maps:
            self._maps[stage].overlay.set_marks(painted=areas)

    def set_blank(self, stage: str, areas: tuple[Area, ...]) -> None:
        """Cover the cells of a map that are left out for an exercise."""
        if stage in self._maps:
            self._maps[stage].set_blank(areas)

    # --- what others show around the maps --------------------------------------------------------
    def lines(self, stage: str) -> MarkedLines:
        """Return the lines that the chosen cell marks in a map."""
        return self._lines.get(stage, NOTHING)

    def _marked(self) -> dict[str, MarkedLines]:
        planes = {stage: self._maps[stage].plane for stage in self.stages}
        return lines_of(self.evaluation, self.chosen, self.batch, self.head, planes)

    def labels(self, stage: str) -> tuple[AxisNames, AxisNames]:
        """Return the tokens of the rows and columns of a stage; empty where an axis has none."""
        if self.evaluation is None:
            return NO_NAMES, NO_NAMES
        picture = picture_of(stage, self.evaluation)
        rows = self.key_tokens if picture.rows == KEY else self.query_tokens
        return rows, self.key_tokens if picture.columns == KEY else NO_NAMES

    def lend(self, stage: str, borrower: QWidget) -> None:
        """Move a map and its color bar into another picture, which shows them."""
        for widget in (self._maps[stage], self._bars[stage]):
            if widget.parentWidget() is not borrower:
                widget.setParent(borrower)

    def show_only(self, present: str) -> None:
        """Show the map of a stage and its color bar; hide all others, those of stages that are gone, too."""
        for stage, heatmap in self._maps.items():
            heatmap.setVisible(stage == present)
            self._bars[stage].setVisible(stage == present)

    def take_back(self, *stages: str) -> None:
        """Move the maps of these stages, or of all, home; not yet visible."""
        for stage in stages or self._maps:
            if self._maps[stage].parentWidget() is not self._home:
                self.lend(stage, self._home)
                self._maps[stage].hide()
                self._bars[stage].hide()

    # --- its own affairs -------------------------------------------------------------------------
    def _made(self, stage: str) -> Heatmap:
        heatmap = self._maps[stage] = Heatmap(self._home, self, stage)
        bar = self._bars[stage] = ColorBar(heatmap, self._home)
        self._minimaps[stage] = Minimap(heatmap)
        heatmap.hide()
        bar.hide()
        heatmap.set_shown(MapState(color_scale=self.color_scales.of(stage), values=self._values_shown))
        heatmap.addActions([*self._menu_actions, *(act for act, stages in self._own_actions if stage in stages)])
        self.marked.connect(self._minimaps[stage].follow)
        heatmap.gestures.set_pulling(self._pulling and STAGE[stage].settable)
        heatmap.gestures.set_brush(self._brush and STAGE[stage].square)
        bar.heightChanged.connect(self.barResized)
        bar.scalePicked.connect(lambda scale: self.color_scales.set(self._colored_as(stage), scale))
        return heatmap

    def _colored_as(self, stage: str) -> str:
        return colored_as(stage, self.evaluation) if self.evaluation is not None else stage

    def _on_color_scales_changed(self, name: str) -> None:
        for stage, heatmap in self._maps.items():
            if self._colored_as(stage) == name:
                heatmap.set_shown(replace(heatmap.shown, color_scale=self.color_scales.of(name)))
                self._minimaps[stage].follow()
                self._bars[stage].update()

    def _label_maps(self) -> None:
        for stage in self.stages:
            heatmap, (rows, columns) = self._maps[stage], self.labels(stage)
            if heatmap.shown.row_names is not rows or heatmap.shown.column_names is not columns:
                heatmap.set_shown(replace(heatmap.shown, row_names=rows, column_names=columns))

    def _name_maps(self) -> None:
        for stage in self.stages:
            rows, columns = self._maps[stage].shape
            name, title = QCoreApplication.translate("StageMaps", "{title}, {rows} × {columns}"), stage_title(stage)
            self._maps[stage].setAccessibleName(name.format(title=title, rows=rows, columns=columns))
            self._bars[stage].set_title(title)
            self._minimaps[stage].set_title(title)

    def retranslate(self) -> None:
        self._name_maps()


# --- maps of Q, K, V and O ------------------------------------------------------------------------
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
        """Mark row and column of the stage through the operands, and a cell chosen in an operand by its square."""
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
