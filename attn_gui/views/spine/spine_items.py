"""Which maps, boxes and signs the formula row has; a small map with letter, shape, dot; the formula in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from attn_gui.engine import STAGE, Evaluation, Plane, Recomputed
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.stages import lacking
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.stage_formulas import bias_of, logits_text, repeated, stage_plane, weights_latex
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.map.marks import Flash
from attn_gui.views.map.thumbnail import MapButton
from attn_gui.views.names import letter, off_word, stage_title
from attn_gui.views.product.stage_maps import NOTHING, lines_of
from attn_gui.views.spine.operators import map_side, top_of_maps
from attn_gui.views.theme import current_theme, motion_reduced, scaled, ui_font

NODE, OPERATOR, SIGN = "node", "operator", "sign"
# the variables of the stages' formulas in the order of the spine, with the sign before each
FLOW = (
    *(("query", ""), ("key", "·"), ("logits", ""), ("weights", ""), ("value", "·"), ("mixed", "=")),
    ("hidden up gate", "→"),
)


class SpineEntry(NamedTuple):
    """`name` is a stage or field, an operator's key, or the sign itself."""

    kind: str
    name: str
    stage: str = ""  # what a click on a node chooses, where that is not its own name
    transposed: bool = False
    gives_way: str = ""  # the node with which it is left out before maps get smaller

    @property
    def chooses(self) -> str:
        """The stage that a click shows large."""
        return self.stage or self.name

    def plane(self, evaluation: Evaluation, batch: int, head: int) -> Plane | FieldPlane:
        """Return the plane of the node's map."""
        if self.name not in evaluation.stages:
            return FieldPlane(evaluation, self.name, batch)
        plane = stage_plane(evaluation, self.name, batch, head)
        return replace(plane, transposed=True) if self.transposed else plane


def entries_of(evaluation: Evaluation) -> tuple[SpineEntry, ...]:
    """Return the entries of this problem, in order."""
    return (*_sequences(evaluation), *(entry for flow in FLOW for entry in _written(evaluation, *flow)))


def _sequences(evaluation: Evaluation) -> Iterator[SpineEntry]:
    if evaluation.problem.projected:
        yield SpineEntry(NODE, "x", stage="query")
        yield from _written(evaluation, "x", "")
        if evaluation.problem.context is not None:
            yield SpineEntry(NODE, "context", stage="key")
            yield from _written(evaluation, "context", "")
        yield SpineEntry(SIGN, "→")


def _written(evaluation: Evaluation, variables: str, sign: str) -> Iterator[SpineEntry]:
    """Yield the stages that write one of some variables, after their sign."""
    stages = [stage for stage in STAGE.values() if stage.target.name in variables.split()]
    shown = {stage.name for stage in stages if stage.name in evaluation.stages and not repeated(evaluation, stage.name)}
    if sign and shown:
        yield SpineEntry(SIGN, sign, gives_way=_giving_way(stages[0]))
    for stage in stages:
        present = stage.name in shown
        operator = evaluation.node(stage.name).stage.operator if present else stage.operator
        offered = stage.role is not None and lacking(evaluation.problem, [stage.role]) is None
        if operator is not None and (present or (operator.always and offered)):
            yield SpineEntry(OPERATOR, operator.key)
        if present:
            yield SpineEntry(NODE, stage.name, transposed=stage.transposed, gives_way=_giving_way(stage))


def _giving_way(stage: Stage) -> str:
    """Return the name by which a stage can be left out where there is no room, as heads side by side can, which the
    next stage shows, too; "" for any other."""
    return stage.name if stage.joined and stage.heads else ""


def node_symbol(entry: SpineEntry) -> str:
    """Return the letter below a node."""
    if entry.name not in STAGE:
        return letter(entry.name) + " · W"
    return letter(entry.name) + ("ᵀ" if entry.transposed else "")


def formula_latex(evaluation: Evaluation) -> str:
    """Return the whole computation of one head as LaTeX, with all that is in force."""
    if evaluation.logits is None:
        return "O = A V" if evaluation.problem.mixes else "A"
    return f"O = {weights_latex(evaluation)} V"


def formula_text(evaluation: Evaluation) -> str:
    """Return the whole computation of one head in plain characters, for a screen reader."""
    if evaluation.logits is None:
        return formula_latex(evaluation)
    text = logits_text(evaluation)
    heated = text if evaluation.problem.temperature is None else f"({text}) / T"
    return f"O = {NORMALIZERS[evaluation.problem.normalize].text_of(heated)} V"


def operator_texts(evaluation: Evaluation) -> dict[str, str]:
    """Return the texts of the boxes that have no choice."""
    nodes = map(evaluation.node, evaluation.stages)
    return {
        operator.key: operator.text.format(bias=bias_of(node, letter), function=node.stage.function)
        for node in nodes
        if (operator := node.stage.operator) is not None and operator.text
    }


WIDE_FROM = 6  # so many times wider than high, a map gets the room of a wide one
WIDE = 1.7
DOT = 7
BELOW_MAP = 1
CENTERED = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop


class ChangeDot(QWidget):
    """Says that something has just changed; lies over the corner of the map."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._strength = 0.0
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.resize(scaled(DOT), scaled(DOT))
        self.hide()

    def set_strength(self, strength: float) -> None:
        """Set the strength, 1 … 0; the dot is gone at 0."""
        self._strength = float(strength)
        self.setVisible(strength > 0)
        self.raise_()
        self.update()

    def center_on(self, corner: QPoint) -> None:
        """Lie just outside a corner."""
        self.resize(scaled(DOT), scaled(DOT))
        self.move(corner.x() - self.width() // 3, corner.y() - 2 * self.height() // 3)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setOpacity(self._strength)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(current_theme().edit)
            painter.drawEllipse(self.rect())


class StageNode(MapButton):
    """A map of the spine: a step of the formula, small, with its name and shape."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"node.{name}")
        self._symbol, self._title = "", ""
        self._small = False
        self.leaves_space = False  # to what Space does elsewhere
        self._dot, self._fade = ChangeDot(self), Flash(self)
        self._fade.valueChanged.connect(self._dot.set_strength)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.leaves_space and event.key() == Qt.Key.Key_Space:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def set_plane(self, plane: Plane | FieldPlane, symbol: str, title: str) -> None:
        """Set the matrix of the node, what is written below it, and what it is called in words."""
        before = self.map.shape, self._symbol
        self.map.set_shown(MapState(plane))
        self._symbol, self._title = symbol, title
        self._describe()
        if (self.map.shape, symbol) != before:
            self.updateGeometry()
            self.place_map()
        self.update()

    def set_small(self, small: bool) -> None:
        """Set the map of the compact form."""
        if small != self._small:
            self._small = small
            self.updateGeometry()
            self.place_map()  # a hidden node keeps its size, and is shown in it again

    def set_chosen_step(self, chosen: bool) -> None:
        """Set whether this is the stage that is shown large."""
        if chosen != self.isChecked():
            self.setChecked(chosen)
            self._describe()
            self.update()

    def touch(self) -> None:
        """Say with a dot that numbers of this matrix have just changed."""
        self._dot.set_strength(1.0)
        self._fade.restart()

    def clear_touch(self) -> None:
        """Take the dot away."""
        self._fade.stop()
        self._dot.set_strength(0.0)

    def shape_text(self) -> str:
        """Return `16 × 32`; narrower in the compact form."""
        rows, columns = self.map.shape
        if self._is_off():
            return off_word()
        return f"{rows}×{columns}" if self._small else f"{rows} × {columns}"

    def _is_off(self) -> bool:
        """Return whether all of it is of a head that is switched off."""
        rows, columns = self.map.shape
        return self.map.overlay.marks.off == ((slice(0, rows), slice(0, columns)),)

    def width_for(self, small: bool) -> int:
        """Return the width that the node needs with a small or a large map."""
        words = _words_width(self._symbol, "{} × {}".format(*self.map.shape), _sizes())
        return max(self._map_size(small).width() + 2 * (SPACING.s if small else SPACING.m - 1), words + 2 * SPACING.s)

    def sizeHint(self) -> QSize:
        return QSize(self.width_for(self._small), node_height(self._small))

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        shown = self.map.shown
        covered = self.map.isVisible() and self.map.geometry().contains(event.rect())
        if shown.plane is not None and not shown.dimmed and covered:
            return  # some cells of the map are being repainted, which hide all of this
        theme = current_theme()
        with QPainter(self) as painter:
            self.paint_background(painter)
            self.paint_focus(painter)
            below = self.map.geometry().bottom() + 1 + BELOW_MAP
            if event.rect().bottom() < below:
                return
            font = ui_font("stage_symbol", 600)
            font.setStrikeOut(self._is_off())
            painter.setFont(font)
            painter.setPen(theme.accent if self.isChecked() else theme.text)
            metrics = painter.fontMetrics()
            # by its base line: Chinese letters are of another font, and would be cut in a room as high as this one's
            left = (self.width() - metrics.horizontalAdvance(self._symbol)) / 2
            painter.drawText(QPointF(left, below + metrics.ascent()), self._symbol)
            height = metrics.ascent() + metrics.descent()
            painter.setFont(ui_font("micro"))
            painter.setPen(theme.text2 if self.isChecked() else theme.text3)
            room = QRect(0, below + height - 1, self.width(), painter.fontMetrics().height())
            painter.drawText(room, CENTERED, self.shape_text())

    def place_map(self) -> None:
        super().place_map()
        self._dot.center_on(self.map_rect().topRight())

    def map_rect(self) -> QRect:
        size = self._map_size(self._small)
        return QRect((self.width() - size.width()) // 2, top_of_maps(self._small), size.width(), size.height())

    def _map_size(self, small: bool) -> QSize:
        side = map_side(small)
        rows, columns = self.map.shape
        return QSize(round(side * WIDE) if rows and columns > WIDE_FROM * rows else side, side)

    def _describe(self) -> None:
        words = self.tr("{title}, {shape}, chosen") if self.isChecked() else self.tr("{title}, {shape}")
        rows, columns = self.map.shape
        said = words.format(title=self._title, shape=f"{rows} × {columns}")
        self.setAccessibleName(
            self.tr("{node}, {state}").format(node=said, state=off_word()) if self._is_off() else said
        )
        self.setToolTip(self._title)


@lru_cache(maxsize=512)
def _words_width(symbol: str, shape: str, _sizes: tuple[int, int]) -> int:
    """Return the width of what stands below a map; remembered, since layouts ask hundreds of times."""
    fonts = ((ui_font("stage_symbol", 600), symbol), (ui_font("micro"), shape))
    return max(QFontMetrics(font).horizontalAdvance(text) for font, text in fonts)


def node_height(small: bool) -> int:
    """Return the height that a node needs with a small or a large map."""
    return 2 * top_of_maps(small) + map_side(small) + _words_height(_sizes())


@lru_cache(maxsize=16)
def _words_height(_sizes: tuple[int, int]) -> int:
    symbol, shape = QFontMetrics(ui_font("stage_symbol", 600)), QFontMetrics(ui_font("micro"))
    return BELOW_MAP + symbol.ascent() + symbol.descent() + shape.height()


def _sizes() -> tuple[int, int]:
    """Return the sizes of both fonts at the present zoom."""
    return scaled(FONT_SIZE.stage_symbol), scaled(FONT_SIZE.micro)


HeadPlace = tuple[int, int]  # item, head


class StageNodes:
    """The nodes of the entries that are maps; `picked` is called with the stage of the one that is clicked."""

    def __init__(self, parent: QWidget, picked: Callable[[str], object]) -> None:
        self._parent, self._picked, self._leave_space = parent, picked, False
        self._entries: dict[str, SpineEntry] = {}
        self._nodes: dict[str, StageNode] = {}
        self._ahead: dict[str, StageNode] = {}  # made for entries that are about to be set

    def set_entries(self, entries: Iterable[SpineEntry]) -> None:
        """Make a node for each new one, and drop those whose entries are gone."""
        self._entries = {entry.name: entry for entry in entries if entry.kind == NODE}
        for name in self._nodes.keys() - self._entries.keys():
            self._nodes.pop(name).deleteLater()
        for name in self._entries.keys() - self._nodes.keys():
            made = self._ahead.pop(name) if name in self._ahead else self._made(self._entries[name])
            self._nodes[name] = made
        for unused in self._ahead.values():
            unused.deleteLater()
        self._ahead.clear()

    def make_nodes(self, entries: Iterable[SpineEntry]) -> Iterator[None]:
        """Make the nodes that `set_entries` needs for these, and yield after each."""
        known = self._nodes.keys() | self._ahead.keys()
        for entry in entries:
            if entry.kind == NODE and entry.name not in known:
                self._ahead[entry.name] = self._made(entry)
                self._ahead[entry.name].hide()  # until it stands in the row
                yield

    def __getitem__(self, name: str) -> StageNode:
        return self._nodes[name]

    def get(self, name: str) -> StageNode | None:
        """Return the node of a stage; None where the stage is not in the row."""
        return self._nodes.get(name)

    def stages(self) -> tuple[str, ...]:
        """Return the stages that the nodes choose, from left to right."""
        return tuple(dict.fromkeys(entry.chooses for entry in self._entries.values()))

    def height(self, compact: bool) -> int:
        """Return the height of any of them."""
        return node_height(compact) if self._nodes else 0

    def set_planes(self, evaluation: Evaluation, place: HeadPlace) -> None:
        """Show the matrices of an evaluation, for one item and head."""
        for name, entry in self._entries.items():
            self._nodes[name].set_plane(entry.plane(evaluation, *place), node_symbol(entry), stage_title(name))

    def refresh(self, recomputed: Recomputed) -> None:
        """Repaint the cells that hold new numbers, and put a dot on their maps."""
        for name, entry in self._entries.items():
            node = self._nodes[name]
            plane = node.map.plane
            if isinstance(plane, FieldPlane):  # without a dot: the stages computed from it have theirs
                for box in recomputed.boxes.get(entry.chooses, ()):
                    node.map.refresh(box[-2], slice(0, plane.shape[1]))
            elif node.map.refresh_boxes(recomputed.boxes.get(name, ())):
                node.touch()

    def retake_levels(self) -> None:
        """Take the levels of the maps again, as at rest after edits."""
        for node in self._nodes.values():
            if node.map.renewed:
                node.map.retake_levels()

    def hold_flashes(self, held: bool) -> None:
        """Leave the outlines of the last edit as strong as they are, or let them fade on."""
        for node in self._nodes.values():
            node.map.overlay.hold_flash(held)

    def choose(self, name: str) -> None:
        """Frame one node alone."""
        for other, node in self._nodes.items():
            node.set_chosen_step(other == name)

    def mark(self, evaluation: Evaluation | None, place: HeadPlace, cell: tuple[str, int, int] | None) -> None:
        """Mark the row and column of a cell in every map that takes part in it."""
        lines = lines_of(evaluation, cell, *place, {name: node.map.plane for name, node in self._nodes.items()})
        still = motion_reduced()
        for name, node in self._nodes.items():
            node.map.overlay.set_marks(**lines.get(name, NOTHING)._asdict())
            if still:
                node.clear_touch()

    def follow_theme(self) -> None:
        """Take over the colors and sizes of the present theme."""
        for node in self._nodes.values():
            node.map.follow_theme()
            node.updateGeometry()

    def set_walk_offered(self, offered: bool) -> None:
        """Set whether Space walks through the chosen cell, in place of pressing a node."""
        self._leave_space = offered
        for node in self._nodes.values():
            node.leaves_space = offered

    def set_maps_shown(self, shown: bool) -> None:
        """Set whether there is anything to show in the maps."""
        for node in self._nodes.values():
            node.map.setVisible(shown)

    def _made(self, entry: SpineEntry) -> StageNode:
        node = StageNode(entry.name, self._parent)
        node.leaves_space = self._leave_space
        node.clicked.connect(lambda _checked=False, stage=entry.chooses: self._picked(stage))
        return node
