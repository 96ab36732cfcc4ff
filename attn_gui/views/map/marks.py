"""Marks over a map: chosen cell, block, row and column, hover, focus, flash of an edit, heads off, veil of a reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt, QVariantAnimation
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from attn_gui.engine import STAGE, Evaluation, Plane
from attn_gui.engine.arrays import Box
from attn_gui.engine.evaluation.reach import RelatedCells
from attn_gui.engine.graph.indices import rectangles
from attn_gui.figure.cell_painting import paint_covered
from attn_gui.figure.design_tokens import LINE, RADIUS, THEMES, TIME_MS, Theme
from attn_gui.pictures.planes import PlaneLike, Span
from attn_gui.views.theme import motion_reduced, scaled
from attn_gui.views.widgets import inset, paint_rounded

if TYPE_CHECKING:
    from attn_gui.views.map.map_drawing import MapCanvas

Area = tuple[slice, slice]
Flags = npt.NDArray[np.bool_]

FORWARD, BACKWARD = "forward", "backward"
DIRECTIONS: Mapping[str, Callable[..., RelatedCells[Any]]] = {
    FORWARD: Evaluation.forward,
    BACKWARD: Evaluation.backward,
}
"""Directions that can be shown of a cell: all that it reaches, or all that it comes from."""

OPACITY = {"light": 0.74, "dark": 0.72}
"""Share of the background over cells that are not reached."""

CUT_CELLS, CUT_AREAS = 1 << 18, 1 << 11
"""So many cells of a map are looked at one by one, and so many areas are kept; above, whole rows have to do."""


@dataclass(frozen=True)
class ReachMarks:
    """The cells that a cell of a stage or field reaches or comes from; `box` is its own."""

    name: str
    box: Box
    spread: RelatedCells[Any]
    _known: dict[tuple[object, ...], Flags] = field(default_factory=dict, repr=False)

    def cells(self, stage: str, batch: int, head: int | None, rows: slice, columns: slice) -> Flags:
        """Return the reached cells of a block; several maps show the same stage."""
        key = (stage, batch, head, rows.start, rows.stop, columns.start, columns.stop)
        if key not in self._known:
            self._known[key] = self.spread.cells(stage, batch, head, rows, columns)
        return self._known[key]


def reached_areas(plane: PlaneLike | None, reach: ReachMarks | None) -> tuple[Area, ...] | None:
    """Return the cells of a map that are reached, closed ones left out; None where nothing is to be shown at all."""
    if plane is None or reach is None:
        return None
    if not isinstance(plane, Plane):
        parts = (plane.cells(box) for box in reach.spread.boxes(getattr(plane, "field", "")))
        return tuple(part for part in parts if part is not None)
    areas = (plane.cells(box) for box in reach.spread.boxes(plane.stage))
    return tuple(part for area in areas if area is not None for part in _exact(plane, area, reach))


def veil(rows: Span, columns: Span, areas: Sequence[Area], theme: Theme, thick: int) -> QImage:
    """Return a picture as large as the cells: clear where they are reached, veiled elsewhere, with a line between."""
    bins = np.zeros((rows.bins, columns.bins), bool)
    for down, right in areas:
        bins[rows.bins_of(down), columns.bins_of(right)] = True
    clear = np.repeat(np.repeat(bins, rows.sizes, 0), columns.sizes, 1)
    strength = OPACITY[theme.name]
    pixels = np.where(clear, 0, _premultiplied(theme.surface, strength)).astype(np.uint32)
    pixels[_around(clear, thick)] = _premultiplied(theme.ink, 1.0)
    height, width = pixels.shape
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
    return image.copy()  # it owns its pixels


def _exact(plane: Plane, area: Area, reach: ReachMarks) -> Iterator[Area]:
    """Yield the reached cells of an area as rectangles; the area itself where they are too many."""
    rows, columns = (area[1], area[0]) if plane.transposed else area
    flags = _reached_cells(plane, rows, columns, reach)
    parts = list(rectangles(flags)) if flags is not None and not flags.all() else None
    if parts is None or len(parts) > CUT_AREAS:
        yield area
        return
    rowwise = flags is not None and flags.shape[1] == 1
    for down, right in parts:
        across = columns if rowwise else slice(columns.start + right.start, columns.start + right.stop)
        moved = slice(rows.start + down.start, rows.start + down.stop), across
        yield moved[::-1] if plane.transposed else moved


def _reached_cells(plane: Plane, rows: slice, columns: slice, reach: ReachMarks) -> Flags | None:
    """Return the reached cells of an area; of a large one reached rows, as one column; None where not even that is
    known at once."""
    place = plane.batch, plane.head
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if height * width <= CUT_CELLS:
        return reach.cells(plane.stage, *place, rows, columns)
    if STAGE[plane.stage].square and plane.signed:
        return None
    stage = plane.evaluation.latest["mixed"] if not plane.signed else plane.stage
    first = 0 if stage != plane.stage else columns.start
    return reach.cells(stage, *place, rows, slice(first, first + 1))


def _around(clear: Flags, thick: int) -> Flags:
    """Return the pixels just outside of what is clear."""
    grown = clear
    for _ in range(thick):
        wide = np.pad(grown, 1)
        grown = wide[1:-1, 1:-1] | wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]
        grown |= wide[:-2, :-2] | wide[:-2, 2:] | wide[2:, :-2] | wide[2:, 2:]
    return grown & ~clear


def _premultiplied(color: QColor, strength: float) -> int:
    red, green, blue = (round(part * strength) for part in (color.red(), color.green(), color.blue()))
    return round(255 * strength) << 24 | red << 16 | green << 8 | blue


Cell = tuple[int, int]

ROLES = ("query", "key")

OUTSIDE = ("frame", "chosen", "focus", "bar")
"""Kinds that reach beyond the cells; the others end with them."""

_SHOWN_BY = {
    "row_role": ("row",),
    "column_role": ("column",),
    **dict.fromkeys(("chosen", "reached", "counted"), ("chosen_behind", "veil", "chosen")),
}
"""Kinds that change with a part of `Marks`; else the one of its name."""

ROOMY = 8
"""Cells of so many pixels have room for half a line inside; around smaller ones the lines stand outside."""

CORNER = 8
"""Pixels of the corner that marks cells set by hand."""

NEAR, FAR_OUT = 4, 16
"""Pixels that lines reach beyond their cells, and the focus ring beyond the map."""

HATCHED = 0.6
"""Share of the background over cells that are hatched: covered by a stroke of the brush, or of a head that is off."""

HANDLE = (5, 22)
"""Width and height of the part of the bar that asks to be taken."""


class Marks(NamedTuple):
    """Marks on a map."""

    row: int | None = None
    column: int | None = None
    row_role: str = "query"
    column_role: str = "key"
    chosen: Cell | None = None
    block: Area | None = None  # of several chosen cells
    hovered: Cell | None = None
    edited: tuple[Area, ...] = ()
    focus: bool = False
    bands: tuple[int, ...] = ()
    off: tuple[Area, ...] = ()  # of heads that are switched off
    blank: tuple[Area, ...] = ()  # left out for an exercise: their numbers are covered
    painted: tuple[Area, ...] = ()  # a gesture of the brush under way
    by_hand: tuple[Area, ...] = ()  # cells that an intervention changes
    reached: tuple[Area, ...] | None = None  # by the chosen cell, or what it comes from; None: nothing is veiled
    counted: tuple[Area, ...] | None = None  # by the reading of a head; gives way to what is reached
    bar: int | None = None  # the pixel of the bar between two states

    @property
    def corner(self) -> Cell | None:
        """The corner of the block that lies farthest from the chosen cell; that cell where there is no block."""
        if self.chosen is None or self.block is None:
            return self.chosen
        row, column = (
            cut.start if abs(place - cut.start) > abs(cut.stop - 1 - place) else cut.stop - 1
            for place, cut in zip(self.chosen, self.block, strict=True)
        )
        return row, column

    @property
    def clear(self) -> tuple[Area, ...] | None:
        """The cells before the veil; None for all."""
        return self.counted if self.reached is None else self.reached

    def covers(self, cell: Cell) -> bool:
        """Return whether the number of a cell is left out."""
        return _is_in(cell, self.blank)

    def steps_back(self, cell: Cell) -> bool:
        """Return whether a cell lies behind the veil."""
        return self.clear is not None and not _is_in(cell, self.clear)


def _is_in(cell: Cell, areas: Sequence[Area]) -> bool:
    return any(down.start <= cell[0] < down.stop and right.start <= cell[1] < right.stop for down, right in areas)


class MarksOverlay:
    """Holds the marks of one map and paints them, each kind by itself, round the corner of its cells."""

    def __init__(self, canvas: MapCanvas, *, small: bool) -> None:
        """Tell the canvas of every kind that looks different or stands elsewhere."""
        self._canvas, self._small = canvas, small
        self._theme: Theme = THEMES["light"]
        self._rows, self._columns = Span(0, 0), Span(0, 0)
        self._veil: QImage | None = None
        self._flash: Flash | None = None
        self.strength = 0.0  # of the outline of what was edited, 1 … 0
        self.marks = Marks()
        self._kinds: tuple[str, ...] | None = None  # asked for at each paint
        self._places: dict[str, tuple[QRect, ...]] = {}  # too

    def set_geometry(self, rows: Span, columns: Span) -> None:
        """Set other pixels or another window of cells; everything needs to be painted afterwards."""
        self._rows, self._columns, self._veil, self._places = rows, columns, None, {}

    def set_theme(self, theme: Theme) -> None:
        """Set other colors; everything needs to be painted afterwards."""
        self._theme, self._veil, self._places = theme, None, {}

    def set_marks(self, **changes: object) -> None:
        """Replace some of the marks."""
        old = self.marks
        changed = [name for name, mark in changes.items() if getattr(old, name) != mark]
        if changed:
            self.marks = old._replace(**changes)  # type: ignore[arg-type]  # names are Marks' own
            kinds = {kind for name in changed for kind in _SHOWN_BY.get(name, (name,))}
            self._kinds = None
            for kind in kinds:
                self._places.pop(kind, None)
            if self._veil is not None and old.clear != self.marks.clear:
                self._veil = None
            self._canvas.show_marks(kinds)

    def forget_places(self) -> None:
        """Take away every mark that stands at a row, column or cell: the matrix has another size."""
        nothing: dict[str, object] = dict.fromkeys(
            ("chosen", "block", "row", "column", "hovered", "reached", "counted")
        )
        self.set_marks(**nothing, edited=(), painted=(), by_hand=())

    # --- the outline of an edit ------------------------------------------------------------------
    def flash(self, areas: Sequence[Area]) -> None:
        """Outline what was just recomputed; it fades by itself."""
        self._outline(tuple(areas), 1.0)
        if self._flash is None:
            self._flash = Flash(self._canvas)
            self._flash.valueChanged.connect(self._on_flash_value_changed)
        self._flash.restart()

    def hold_flash(self, held: bool) -> None:
        """Leave the outline as strong as it is, or let it fade on."""
        if self._flash is not None:
            self._flash.hold(held)

    def clear_flash(self) -> None:
        """Take the outline away."""
        if self._flash is not None:
            self._flash.stop()
        self.set_marks(edited=())

    def _on_flash_value_changed(self, strength: float) -> None:
        if strength != self.strength:  # it begins with that of the outline
            self._outline(self.marks.edited if strength > 0 else (), strength)

    def _outline(self, areas: tuple[Area, ...], strength: float) -> None:
        self.strength = strength
        if areas != self.marks.edited:
            self.set_marks(edited=areas)
        else:
            self._canvas.show_marks(("edited",))

    # --- places ----------------------------------------------------------------------------------
    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of which there are marks, in the order in which they are painted."""
        if self._kinds is None:
            there = _kinds_in(self.marks)
            self._kinds = tuple([kind for kind in self.KINDS if kind in there])
        return self._kinds

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return the pixels of a cell within the cells' own rectangle; null outside the window."""
        return self._area_rect((_one(row), _one(column)))

    def places(self, kind: str) -> tuple[QRect, ...]:
        """Return the pixels that the marks of a kind stand at; none where there is nothing to paint."""
        if kind not in self._places:
            self._places[kind] = self._find_places(kind)
        return self._places[kind]

    def _find_places(self, kind: str) -> tuple[QRect, ...]:
        if kind not in self.kinds or not self._rows.bins or not self._columns.bins:
            return ()
        found: Iterable[QRect] = (self._cells(),)
        if kind == "bar":
            found = (QRect((self.marks.bar or 0) - scaled(HANDLE[0]), 0, 2 * scaled(HANDLE[0]), self._rows.pixels),)
        elif kind not in ("frame", "focus", "veil"):
            found = map(self._area_rect, self._areas(kind))
        return tuple([rect for rect in found if not rect.isEmpty()])

    def _areas(self, kind: str) -> Iterable[Area]:
        """Return the cells that the marks of a kind stand at, which is there."""
        mark = getattr(self.marks, kind.removesuffix("_behind"))
        rows, columns = slice(0, self._rows.count), slice(0, self._columns.count)
        areas: Iterable[Area] = mark
        match kind:
            case "bands":
                areas = [(rows, _one(column)) for column in mark[1:]]
            case "row":
                areas = [(_one(mark), columns)]
            case "column":
                areas = [(rows, _one(mark))]
            case "chosen" | "chosen_behind" | "hovered":
                areas = [(_one(mark[0]), _one(mark[1]))]
            case "block":
                areas = [mark]
        return areas

    def reach(self, kind: str) -> tuple[QRect, ...]:
        """Return the pixels that the marks of a kind may cover."""
        if not (found := self._places.get(kind) or self.places(kind)):
            return ()
        away = FAR_OUT if kind == "focus" else scaled(NEAR)
        around = [rect.adjusted(-away, -away, away, away) for rect in found]
        if kind in OUTSIDE:
            return tuple(around)
        cells = self._cells()
        return tuple([rect & cells for rect in around])

    def _cells(self) -> QRect:
        return QRect(0, 0, self._columns.pixels, self._rows.pixels)

    def _area_rect(self, area: Area) -> QRect:
        down, right = self._rows.pixels_of_cells(area[0]), self._columns.pixels_of_cells(area[1])
        return QRect(right.start, down.start, right.stop - right.start, down.stop - down.start)

    # --- painting --------------------------------------------------------------------------------
    def paint(self, painter: QPainter, kind: str) -> None:
        """Paint the marks of one kind; the painter stands at the corner of the cells, and ends with them where the
        kind does."""
        for rect in self._places.get(kind) or self.places(kind):
            self._PAINT[kind](self, painter, rect)

    def _paint_bands(self, painter: QPainter, column: QRect) -> None:
        """Paint a line before the columns of each head but the first."""
        painter.fillRect(column.left(), 0, 1, column.height(), self._theme.text3)

    def _paint_bar(self, painter: QPainter, rect: QRect) -> None:
        """Paint a line over the height of the map, with a handle where it can be taken."""
        theme, height, at = self._theme, rect.height(), self.marks.bar or 0
        thick, casing = (1 if self._small else scaled(LINE.focus)), scaled(LINE.casing)
        left = at - thick // 2
        painter.fillRect(left - casing, 0, thick + 2 * casing, height, theme.casing)
        painter.fillRect(left, 0, thick, height, theme.accent)
        if self._small:
            return
        wide, high = scaled(HANDLE[0]), min(scaled(HANDLE[1]), height)
        place = QRectF(at - wide / 2, (height - high) / 2, wide, high)
        paint_rounded(painter, place, RADIUS.control, fill=theme.accent, edge=theme.casing)

    def _paint_veil(self, painter: QPainter, _cells: QRect) -> None:
        """Paint a veil over the lines, which say where a cell comes from."""
        if self._veil is None:
            thick = scaled(LINE.row_and_column_small_map)
            self._veil = veil(self._rows, self._columns, self.marks.clear or (), self._theme, thick)
        painter.drawImage(0, 0, self._veil)

    def _paint_hatch(self, painter: QPainter, rect: QRect, background: QColor, lines: QColor) -> None:
        """Paint lines on a background that shows them on any color, and lets it be guessed."""
        painter.setOpacity(HATCHED)
        painter.fillRect(rect, background)
        painter.setOpacity(1.0)
        painter.fillRect(rect, QBrush(lines, Qt.BrushStyle.BDiagPattern))

    def _paint_lines(self, painter: QPainter, rect: QRect, role: str, *, rows: bool) -> None:
        """Paint a pair of lines along a row or column with casing on both sides, so that it shows on any color."""
        start, stop = (rect.top(), rect.top() + rect.height()) if rows else (rect.left(), rect.left() + rect.width())
        color, casing = role_color(self._theme, role), scaled(LINE.casing)
        thin = self._small or role not in ROLES
        thick = scaled(LINE.row_and_column_small_map if thin else LINE.row_and_column)
        roomy = stop - start >= ROOMY and not self._small
        inside, near = (thick // 2, casing) if roomy else (0, 0)  # a thin row keeps its own pixels
        length = rect.width() if rows else rect.height()
        before, after = start + inside - thick, stop - inside
        for at, first in ((before, before - casing), (after, after - near)):
            for offset, depth, paint in ((first, casing + thick + near, self._theme.casing), (at, thick, color)):
                painter.fillRect(QRect(0, offset, length, depth) if rows else QRect(offset, 0, depth, length), paint)

    def _paint_chosen(self, painter: QPainter, rect: QRect) -> None:
        roomy = min(rect.width(), rect.height()) >= ROOMY and not self._small
        thick = scaled(LINE.row_and_column_small_map if self._small else LINE.chosen_cell)
        casing = scaled(LINE.casing)
        outside = thick // 2 if roomy else thick
        _ring(painter, rect, casing, outside + casing, self._theme.casing)
        _ring(painter, rect, thick, outside, self._theme.ink)
        if roomy:
            _ring(painter, rect, casing, outside - thick, self._theme.casing)

    def _paint_edited(self, painter: QPainter, rect: QRect) -> None:
        painter.save()
        painter.setOpacity(painter.opacity() * self.strength)
        if self._small:
            _ring(painter, rect, 1, 2, self._theme.casing)
            _ring(painter, rect, 1, 1, self._theme.edit)
        else:
            thick = scaled(LINE.edited)
            inner = rect.adjusted(thick, thick, -thick, -thick)
            painter.setPen(QPen(self._theme.casing, thick + 2 * scaled(LINE.casing)))
            painter.drawRect(inner)
            pen = QPen(self._theme.edit, thick)
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            pen.setDashPattern([4, 3])
            painter.setPen(pen)
            painter.drawRect(inner)
        painter.restore()

    def _paint_block(self, painter: QPainter, rect: QRect) -> None:
        """Paint a ring inside the cells, that shows on any color."""
        thick, casing = scaled(LINE.edited), scaled(LINE.casing)
        _ring(painter, rect, thick, 0, self._theme.accent)
        _ring(painter, rect, casing, -thick, self._theme.casing)

    def _paint_by_hand(self, painter: QPainter, rect: QRect) -> None:
        """Paint a ring inside the cells and a corner cut off, as a note at a cell of a spreadsheet has it."""
        thick = scaled(LINE.casing if self._small else LINE.edited)
        _ring(painter, rect, thick, 0, self._theme.edit)
        side = min(scaled(CORNER), rect.width() // 2, rect.height() // 2)
        if side > thick and not self._small:
            corner = rect.topRight() + QPoint(1, 0)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.edit)
            painter.drawPolygon([corner, corner - QPoint(side, 0), corner + QPoint(0, side)])
            painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_focus(self, painter: QPainter, cells: QRect) -> None:
        """Paint the focus ring 2 px outside the frame, with the frame's round corners."""
        away = LINE.hairline + scaled(LINE.focus_gap) + scaled(LINE.focus) / 2
        painter.save()
        edge = QPen(self._theme.accent, scaled(LINE.focus))
        paint_rounded(painter, inset(cells, -away), RADIUS.frame, edge=edge)
        painter.restore()

    _PAINT: Mapping[str, Callable[[MarksOverlay, QPainter, QRect], None]] = {
        "frame": lambda self, painter, cells: _ring(painter, cells, 1, 1, self._theme.line_strong),
        "off": lambda self, painter, rect: self._paint_hatch(painter, rect, self._theme.masked, self._theme.text3),
        "bands": _paint_bands,
        "edited": _paint_edited,
        "by_hand": _paint_by_hand,
        "blank": lambda self, painter, rect: paint_covered(painter, QRectF(rect), self._theme),
        "row": lambda self, painter, rect: self._paint_lines(painter, rect, self.marks.row_role, rows=True),
        "column": lambda self, painter, rect: self._paint_lines(painter, rect, self.marks.column_role, rows=False),
        "chosen_behind": _paint_chosen,
        "veil": _paint_veil,
        "painted": lambda self, painter, rect: self._paint_hatch(painter, rect, self._theme.casing, self._theme.accent),
        "block": _paint_block,
        "hovered": lambda self, painter, rect: _ring(painter, rect, 1, 0, self._theme.ink),
        "chosen": _paint_chosen,
        "focus": _paint_focus,
        "bar": _paint_bar,
    }
    KINDS = tuple(_PAINT)
    """Kinds of marks in the order in which they are painted."""


def _kinds_in(marks: Marks) -> set[str]:
    """Return the kinds of which there are marks, in view or not."""
    there = {
        kind
        for kind, mark in zip(marks._fields, marks, strict=True)
        if mark is not None and mark is not False and mark != ()  # the row 0 is one
    }
    there.add("frame")
    if marks.clear is not None:
        there.add("veil")
    if marks.chosen is not None and marks.steps_back(marks.chosen):
        there ^= {"chosen", "chosen_behind"}
    return there


def _one(place: int) -> slice:
    return slice(place, place + 1)


def role_color(theme: Theme, role: str) -> QColor:
    """Return the color of queries or keys; an axis that is neither is marked in the color of labels."""
    color: QColor = getattr(theme, role) if role in ROLES else theme.text2
    return color


def _ring(painter: QPainter, rect: QRect, thick: int, outside: int, color: QColor) -> None:
    """Paint a frame of `thick` pixels, its outer edge `outside` pixels beyond `rect`; sharp at any scale."""
    outer = rect.adjusted(-outside, -outside, outside, outside)
    if outer.isEmpty():
        return
    painter.fillRect(outer.left(), outer.top(), outer.width(), thick, color)
    painter.fillRect(outer.left(), outer.bottom() + 1 - thick, outer.width(), thick, color)
    painter.fillRect(outer.left(), outer.top(), thick, outer.height(), color)
    painter.fillRect(outer.right() + 1 - thick, outer.top(), thick, outer.height(), color)


class Flash(QVariantAnimation):
    """`valueChanged` carries the strength, 1 … 0."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        whole = TIME_MS.edited_outline_hold + TIME_MS.edited_outline_fade
        self.setDuration(whole)
        self.setStartValue(1.0)
        self.setKeyValueAt(TIME_MS.edited_outline_hold / whole, 1.0)
        self.setEndValue(0.0)

    def restart(self) -> None:
        """Hold and fade from the start; where no motion is wanted nothing fades by itself."""
        self.stop()
        if not motion_reduced():
            self.start()

    def hold(self, held: bool) -> None:
        """Stand still while the next outline is on its way, or fade on if none came."""
        if held and self.state() == self.State.Running:
            self.pause()
        elif not held and self.state() == self.State.Paused:
            self.resume()
