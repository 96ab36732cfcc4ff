"""Two states side by side: widths of both maps, common zoom and color bar, formulas; clicks and typing on the left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QRegion, QShowEvent
from PySide6.QtWidgets import QWidget

from attn_gui.engine import STAGE, Evaluation, Plane, Recomputed
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.formula_typesetting import Formula, typeset
from attn_gui.figure.stage_formulas import KEY, picture_of, shown_latex, stage_plane
from attn_gui.views.map.gestures import MapSignals
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.names import NO_NAMES, AxisNames, stage_title
from attn_gui.views.product.map_labels import (
    LEVEL,
    UPRIGHT,
    AxisLabels,
    LabelStyle,
    Word,
    WordsAround,
    label_width,
    labels_fit,
    paint_words,
    words_width,
)
from attn_gui.views.product.product_layout import (
    COMFORTABLE_CELL,
    LARGEST_CELL,
    LEAST_SIDE,
    TALLEST_COLUMN_LABEL,
    WIDEST_ROW_LABEL,
    WIDEST_ROW_LABEL_COMPACT,
    ProductNeeds,
    StageSide,
    axis_labels,
    axis_name_width,
    axis_names,
    gap,
    label_font,
    line_height,
    padding,
    stage_sides,
)
from attn_gui.views.product.stage_maps import MapBackground, MarkedLines, StageMaps, unlink
from attn_gui.views.text_views import role_colors
from attn_gui.views.theme import current_theme, scaled, set_background, ui_font

if TYPE_CHECKING:
    from attn_gui.views.product.d_k_panel import DkPanel

LEAST_SIZE = (200, 160)
LEAST_ROOM = 260
"""Of both maps and all that the slider of d_k has around it."""
FORMULA = FONT_SIZE.body
LEAST_FORMULA = 0.8
"""A formula is made smaller to fit over its map down to this share, else left out."""


class TwoSides(NamedTuple):
    """The state before, under the stages of the one now, the one now, and what the two are called."""

    before: Evaluation
    now: Evaluation
    names: tuple[str, str]


class SidePanel(NamedTuple):
    """One of the two: its map, where its cells are, its name and its formula, if that has the room; the room of the
    names of its rows and columns."""

    heatmap: Heatmap
    cells: QRect
    name: str
    formula: Formula | None
    beside: int
    names: int
    level: bool


class SideSizes(NamedTuple):
    """Sizes of either map: its columns and rows, the names left of the first and between both, in pixels, and the
    height of the names of columns."""

    across: StageSide
    down: StageSide
    beside: int
    between: int
    names: int
    level: bool


class SideBySide(MapBackground, WordsAround, QWidget):
    """Before on the left, now on the right, which is the large map that the product picture has of the stage.

    The two are linked: whatever zooms, moves or chooses in one does so in both, and both have the colors of one bar.
    """

    backgroundClicked = Signal()

    def __init__(self, maps: StageMaps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sides")
        self._maps, self._stage = maps, ""
        self._sides: TwoSides | None = None
        self._left: Heatmap | None = None  # made once two states are shown
        self._borrowed: Heatmap | None = None  # the map of the stage while it is here
        self._plane: Plane | None = None
        self._previewed = False
        self._panels: tuple[SidePanel, ...] = ()
        self._tight = self._compact = False
        self._foot: DkPanel | None = None
        maps.rearranged.connect(self._show_both)
        maps.renamed.connect(self._show_both)
        maps.marked.connect(self._show_marks)
        maps.barResized.connect(self.arrange)
        set_background(self, "surface")

    def set_sides(self, sides: TwoSides | None, stage: str) -> None:
        """Show a stage in two states; None where nothing is compared."""
        if stage != self._stage or sides is None:
            self.end_preview()
            self._give_back()
        self._sides, self._stage, self._previewed = sides, stage, False
        self._show_both()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """Set the form for narrow windows, and for low ones: smaller letters and gaps."""
        self._compact, self._tight = compact, compact or low
        if self._foot is not None:
            self._foot.set_compact(compact, low=self._tight)
        self.arrange()

    def set_foot(self, foot: DkPanel) -> None:
        """Let the slider of d_k stand below the two maps while it is not hidden."""
        self._foot = foot
        foot.set_compact(self._compact, low=self._tight)
        self.arrange()

    def preview(self, before: Evaluation, now: Evaluation, batch: int, head: int) -> None:
        """Show two other states for a while, without tokens; a stage that they lack stays as it is."""
        if self._left is None or self._borrowed is None or self._stage not in now.stages:
            return
        shape, before_it, self._previewed = self._left.shape, self._previewed, True
        for heatmap, state in ((self._left, before), (self._borrowed, now)):
            plane = stage_plane(state, self._stage, batch, head)
            heatmap.set_shown(replace(heatmap.shown, plane=plane, row_names=NO_NAMES, column_names=NO_NAMES, bands=()))
        self._left.taken.others, self._borrowed.taken.others = (
            (heatmap.plane,) if heatmap.plane is not None else () for heatmap in (self._borrowed, self._left)
        )
        if (before_it, shape) != (True, self._left.shape):  # other labels, too
            self.arrange()
            self._show_marks()
        if shape != self._left.shape:  # while one of the linked two had taken it, the other held it to its own cells
            self._show_whole()

    def end_preview(self) -> None:
        """Show the two states again."""
        if self._previewed and self._borrowed is not None and self._maps.evaluation is not None:
            self._previewed = False
            plane = stage_plane(self._maps.evaluation, self._stage, self._maps.batch, self._maps.head)
            rows, columns = self._maps.labels(self._stage)
            shown = replace(self._borrowed.shown, plane=plane, row_names=rows, column_names=columns)
            before_it = self._borrowed.shape
            self._borrowed.set_shown(shown)
            self._show_both()
            self._show_marks(both=True)  # those of the preview went with it
            if before_it != self._borrowed.shape:
                self._show_whole()

    def _show_whole(self) -> None:
        """Show all cells of both maps again, however they were zoomed."""
        for heatmap in filter(None, (self._left, self._borrowed)):
            heatmap.box.reset()

    def refresh(self, recomputed: Recomputed) -> None:
        """Redraw and outline the cells before that hold new numbers; those now the product picture redraws."""
        if self._left is not None and self._left.isVisible() and self._stage in recomputed.boxes:
            self._left.refresh_boxes(recomputed.boxes[self._stage])

    def follow(self) -> None:
        """Show the map before as the one now is shown: with values, colors, dimmed."""
        now = self._map()
        if self._left is not None and now is not None and not self._previewed:
            self._left.set_shown(replace(now.shown, plane=self._plane))

    # --- both maps -------------------------------------------------------------------------------
    def _map(self) -> Heatmap | None:
        """Return the map now, once the problem and both states have the stage.

        None while the maps show another document, whose heads the state before may not have.
        """
        sides, maps = self._sides, self._maps
        if sides is None or sides.now is not maps.evaluation:
            return None
        return maps.map(self._stage) if self._stage in maps.stages and self._stage in sides.before.stages else None

    def _show_both(self) -> None:
        now = self._map()
        if now is None or self._sides is None or not self.isVisible():
            return
        left = self._left or self._made()
        left.gestures.source = self._stage
        place = self._sides.before, self._stage, self._maps.batch, self._maps.head
        if self._plane is None or self._plane != stage_plane(*place):
            self._plane = stage_plane(*place)
        self._borrow(left, now)
        left.taken.others, now.taken.others = (now.plane or self._plane,), (self._plane,)
        self.follow()
        for heatmap in (left, now):
            heatmap.retake_levels()
        left.box.setXLink(now.box)
        left.box.setYLink(now.box)
        left.box.set_window(now.box.in_view)
        self._name()
        self.arrange()
        self._show_marks()

    def _made(self) -> Heatmap:
        signals = MapSignals(self)
        self._maps.pass_on(signals)
        signals.typingRequested.connect(self._type_now)
        left = self._left = Heatmap(self, signals)
        left.setObjectName("heatmap.before")
        return left

    def _type_now(self, _left: Heatmap, begun: str) -> None:
        """Type into the map now: the state before cannot be changed."""
        self._maps.typingRequested.emit(self._maps.map(self._stage), begun)

    def _on_levels_changed(self) -> None:
        """Take over the levels: the map before reads the same two matrices."""
        self.follow()
        if self._left is not None:
            self._left.retake_levels()

    def _borrow(self, left: Heatmap, now: Heatmap) -> None:
        bar = self._maps.bar(self._stage)
        if self._borrowed is not now:
            self._borrowed = now
            now.levelsChanged.connect(self._on_levels_changed)
            now.numbersArrived.connect(self.follow)
            now.box.changed.connect(self.repaint_words)
        self._maps.lend(self._stage, self)
        for before, after in ((left, now), (now, bar)):
            QWidget.setTabOrder(before, after)

    def _give_back(self) -> None:
        """Let the map of the stage go, with colors of its own again."""
        now, self._borrowed, self._plane, self._panels = self._borrowed, None, None, ()
        if now is None or self._left is None:
            return
        unlink([self._left])
        now.levelsChanged.disconnect(self._on_levels_changed)
        now.numbersArrived.disconnect(self.follow)
        now.box.changed.disconnect(self.repaint_words)
        now.taken.others = self._left.taken.others = ()
        now.retake_levels()
        self._left.set_shown(replace(self._left.shown, plane=None))
        self._left.hide()
        if now.parentWidget() is self:
            self._maps.take_back(self._stage)

    def _show_marks(self, *, both: bool = False) -> None:
        """Mark the chosen cell and its row and column in the map before as in the one now."""
        if self._left is None or self._borrowed is None:
            return
        chosen = self._maps.chosen
        lines = self._marked_lines()
        here = chosen is not None and chosen.stage == self._stage
        for heatmap in (self._left, self._borrowed) if both or self._previewed else (self._left,):
            heatmap.set_chosen(chosen[1:] if chosen is not None and here else None)
            heatmap.overlay.set_marks(**lines._asdict())
        self.repaint_marks()

    def _marked_place(self) -> tuple[int | None, int | None]:
        return self._marked_lines()[:2]

    def _marked_lines(self) -> MarkedLines:
        """Return the row and column of the chosen cell, as far as the maps on show have them."""
        lines = self._maps.lines(self._stage)
        if self._left is None or not self._previewed:
            return lines
        rows, columns = self._left.shape
        inside = lines.row is None or lines.row < rows, lines.column is None or lines.column < columns
        return lines._replace(row=lines.row if inside[0] else None, column=lines.column if inside[1] else None)

    def _name(self) -> None:
        if self._left is None or self._sides is None:
            return
        rows, columns = self._left.shape
        name = QCoreApplication.translate("StageMaps", "{title}, {rows} × {columns}")
        title = f"{stage_title(self._stage)}, {self._sides.names[0]}"
        self._left.setAccessibleName(name.format(title=title, rows=rows, columns=columns))

    # --- laying out ------------------------------------------------------------------------------
    def arrange(self) -> None:
        """Place both maps, as large as each other, and the bar below them."""
        now = self._borrowed
        if now is None or self._left is None or self._sides is None or not self.isVisible() or self._map() is not now:
            return
        room = self._room_above_foot()
        sizes = self._sizes(room, now.shape)
        pair = sizes.beside + sizes.between + 2 * sizes.across.pixels
        left = room.left() + max(scaled(SPACING.s), (room.width() - pair) // 2) + sizes.beside
        first = QRect(left, self._above(sizes.names), sizes.across.pixels, sizes.down.pixels)
        second = first.translated(first.width() + sizes.between, 0)
        partial = sizes.down.cells < now.shape[0] or sizes.across.cells < now.shape[1]
        home = (0.0, float(sizes.down.cells), 0.0, float(sizes.across.cells)) if partial else None
        for heatmap, cells in ((self._left, first), (now, second)):
            heatmap.box.set_home(home)
            heatmap.place_cells(cells)
        bar, both = self._maps.bar(self._stage), first.united(second).adjusted(-1, 0, 1, 0)
        top = first.bottom() + 1 + scaled(SPACING.m)
        bar.setGeometry(both.left(), top, both.width(), bar.heightForWidth(both.width()))
        for widget in (self._left, now, bar):
            widget.show()  # once it is where it belongs, so that it is drawn once
        pitch = second.left() - first.left() - scaled(SPACING.m)
        names, states = self._sides.names, (self._sides.before, self._maps.evaluation)
        beside = sizes.beside, sizes.beside if self._names_rows() else 0
        self._panels = tuple(
            SidePanel(
                heatmap,
                cells,
                names[k],
                self._formula(states[k], names[k], pitch),
                beside[k],
                sizes.names,
                sizes.level,
            )
            for k, (heatmap, cells) in enumerate(((self._left, first), (now, second)))
        )
        self.repaint_words()

    def _room_above_foot(self) -> QRect:
        """Return the room for both maps, and place the slider of d_k below it."""
        room = self.rect()
        if self._foot is not None and not self._foot.isHidden():
            self._foot.set_bare(room.height() < scaled(LEAST_ROOM))
            tall = min(self._foot.sizeHint().height(), room.height() // 2)
            self._foot.setGeometry(0, room.height() - tall, room.width(), tall)
            room.setBottom(room.bottom() - tall)
        return room

    def _sizes(self, room: QRect, shape: tuple[int, int]) -> SideSizes:
        """Return the sizes in a room: names of columns stand upright where they would not fit level."""
        rows, columns = self._labels()
        font, margin = label_font(self._tight), scaled(SPACING.s)
        widest = scaled(WIDEST_ROW_LABEL_COMPACT if self._compact else WIDEST_ROW_LABEL)
        beside = round(max(label_width(rows, font, widest), axis_name_width()))
        between = round(words_width([self._key_name()])) + 2 * margin  # numbers of rows stand once, left of both
        if self._names_rows():
            between = beside + gap(self._tight)
        wide = (room.width() - 2 * margin - beside - between) // 2
        bar = self._maps.bar(self._stage).heightForWidth(room.width() // 2)
        tall = room.height() - scaled(SPACING.m) - bar - padding(self._tight)
        names = line_height()
        across, down = self._sides_in(shape, QSize(wide, tall - self._above(names)))
        level = not columns or labels_fit(columns, font, across.cell)
        if not level:
            names = round(label_width(columns, font, scaled(TALLEST_COLUMN_LABEL)))
            across, down = self._sides_in(shape, QSize(wide, tall - self._above(names)))
        return SideSizes(across, down, beside, between, names, level)

    def _above(self, names: int) -> int:
        """Return the height above the cells, below whose title the names of columns are so tall."""
        return padding(self._tight) + self._title_height() + names

    def _names_rows(self) -> bool:
        """Return whether rows have names, which stand at either map, and not only numbers."""
        return not self._previewed and bool(self._maps.labels(self._stage)[0])

    def _sides_in(self, shape: tuple[int, int], room: QSize) -> tuple[StageSide, StageSide]:
        """Return columns and rows of either map in the room for one."""
        needs = ProductNeeds(
            *shape,
            square=STAGE[self._stage].square,
            least_side=scaled(LEAST_SIDE),
            largest_cell=scaled(LARGEST_CELL),
            comfortable_cell=scaled(COMFORTABLE_CELL),
        )
        return stage_sides(needs, max(1, room.width()), max(1, room.height()))

    def _formula(self, state: Evaluation | None, name: str, room: int) -> Formula | None:
        """Return the formula where it fits after the name of a state: a shorter form would read alike in both."""
        left = room - words_width([self._title(name)]) - scaled(SPACING.m)
        em = scaled(FORMULA) * LEAST_FORMULA
        forms = [typeset(latex) for latex in (self._latex(state), *self._own_latex(state)) if latex]
        return next((form for form in forms if form.width * em <= left), None)

    def _own_latex(self, state: Evaluation | None) -> tuple[str, ...]:
        return shown_latex(state, self._stage)[:1] if state is not None else ()

    def _latex(self, state: Evaluation | None) -> str:
        """Return the formula of the stage in a state, and of a stage behind the weights that of the weights, by which
        two states with and without something differ."""
        own = "".join(self._own_latex(state))
        if state is None or not state.logits or state.stages.index(self._stage) <= state.stages.index(state.weights):
            return own
        return rf"{own}, \; {shown_latex(state, state.weights)[0]}"

    def _title_height(self) -> int:
        states = self._sides.before if self._sides is not None else None, self._maps.evaluation
        tallest = max(typeset(latex).height * scaled(FORMULA) if latex else 0.0 for latex in map(self._latex, states))
        return round(max(QFontMetricsF(ui_font("sentence", 600)).height(), tallest)) + scaled(SPACING.s)

    @staticmethod
    def _title(name: str) -> Word:
        return name, "sentence", "text", 600

    def _labels(self) -> tuple[AxisNames, AxisNames]:
        """Return the labels of rows and columns: numbers while other states are shown."""
        if not self._previewed or self._left is None:
            return axis_labels(self._maps, self._stage)
        plane = self._left.plane
        columns = range(0) if plane is None else plane.column_numbers
        return AxisNames(range(self._left.shape[0])), AxisNames(columns)

    @staticmethod
    def _key_name() -> Word:
        return QCoreApplication.translate("ProductPicture", "key →"), "small", KEY, 400

    def _made_labels(self) -> Iterator[AxisLabels]:
        assert self._maps.evaluation is not None
        (rows, columns), away = self._labels(), scaled(SPACING.s)
        picture = picture_of(self._stage, self._maps.evaluation)
        fonts = label_font(self._tight), label_font(self._tight, 600)
        for heatmap, cells, _, _, beside, tall, level in self._panels:
            box = QRectF(cells.left() - beside, cells.top(), beside - away, cells.height())
            yield AxisLabels(heatmap.placement.rows, rows, box, LabelStyle(*fonts, current_theme(), picture.rows))
            if columns:
                box = QRectF(cells.left(), cells.top() - tall, cells.width(), tall - away)
                style, way = LabelStyle(*fonts, current_theme(), picture.columns), LEVEL if level else UPRIGHT
                yield AxisLabels(heatmap.placement.columns, columns, box, style, way)

    # --- words -----------------------------------------------------------------------------------
    def _paint_words(self, painter: QPainter) -> None:
        theme, edge = current_theme(), padding(self._tight)
        formulas = [panel.formula.ascent * scaled(FORMULA) for panel in self._panels if panel.formula is not None]
        base = edge + max([QFontMetricsF(ui_font("sentence", 600)).ascent(), *formulas])
        for panel in self._panels:
            left = panel.cells.left()
            start = paint_words(painter, [self._title(panel.name)], left, base, theme)
            if panel.formula is not None:
                pitch = self._panels[1].cells.left() - self._panels[0].cells.left() - scaled(SPACING.m)
                em = min(float(scaled(FORMULA)), (left + pitch - start) / panel.formula.width)
                corner = QPointF(start, base - panel.formula.ascent * em)
                panel.formula.paint(painter, corner, em, role_colors(theme.text))
        self._paint_axis_names(painter)

    def _paint_axis_names(self, painter: QPainter) -> None:
        assert self._maps.evaluation is not None
        picture, axis = picture_of(self._stage, self._maps.evaluation), axis_names()
        base = self._panels[0].cells.top() - scaled(SPACING.s) - QFontMetricsF(ui_font("small")).descent()
        words: list[tuple[Word, SidePanel]] = []
        if picture.rows in axis:
            words.append(((axis[picture.rows], "small", picture.rows, 400), self._panels[0]))
        if picture.columns == KEY:
            words.append((self._key_name(), self._panels[1]))
        for word, panel in words:
            right = panel.cells.left() - scaled(SPACING.s)
            paint_words(painter, [word], right - words_width([word]), base, current_theme())
        bar = self._maps.bar(self._stage).geometry()
        one: Word = QCoreApplication.translate("SideBySide", "one bar"), "small", "text2", 400
        left = bar.left() - scaled(SPACING.s) - words_width([one])
        if left >= 0:
            base = bar.top() + QFontMetricsF(ui_font("small")).ascent()
            paint_words(painter, [one], left, base, current_theme())

    def _cells_region(self) -> QRegion | None:
        if not self._panels or self._map() is None:
            return None
        return QRegion(self._panels[0].cells) + QRegion(self._panels[1].cells)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(LEAST_SIZE[0]), scaled(LEAST_SIZE[1]))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_both()

    def retranslate(self) -> None:
        self._name()
