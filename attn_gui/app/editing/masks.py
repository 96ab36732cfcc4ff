"""The brush that opens and closes cells of the mask in a map: its shape, its gesture, and the step that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QObject, Signal

from attn_gui.app.actions.actions import Command, Row, choices
from attn_gui.app.actions.bars import Bars
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import table_box
from attn_gui.engine.creation.mask_cells import SHAPES, Cell, Cells, Shape, first_layer, line, painted
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import lacking
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.main_window import MainWindow

LABELS = {
    True: QT_TRANSLATE_NOOP("History", "opened {cell}"),
    False: QT_TRANSLATE_NOOP("History", "closed {cell}"),
}
MANY = {
    True: QT_TRANSLATE_NOOP("History", "opened {shape} {cell} … {last}"),
    False: QT_TRANSLATE_NOOP("History", "closed {shape} {cell} … {last}"),
}
BRUSH = "brush"  # its place in the settings


class PaintingController(QObject):
    """One gesture is one step: it closes what it covers if its first cell is open, and opens it if that is closed.

    With the mouse a gesture is a drag. With the keyboard Space begins and ends it and arrows lead it; of single cells
    Space turns the chosen one at once. Esc drops it.
    """

    changed = Signal()

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        making: Making,
        settings: Settings,
        bars: Bars,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._making, self._settings = making, settings
        self.painting = False  # whether the brush is in hand
        self.shape = settings.choice(BRUSH, SHAPES, Cells.key)
        self._begun: Cell | None = None  # where a gesture with the keyboard began
        self._shown: str | None = None  # the stage in whose map the gesture is shown
        rows = [_row(shape) for shape in SHAPES.values()]
        bars.add(rows)
        window.brush_bar.set_shapes([bars.actions[row.name] for row in rows])
        window.brush_bar.closed.connect(lambda: self.set_painting(False))
        maps = window.product.maps
        maps.toggleRequested.connect(self._on_maps_toggle_requested)
        maps.stroked.connect(self._on_maps_stroked)
        view.follow(self._follow_cell, "cell")
        view.follow(self.drop, "evaluation", "head", "batch", "stage")
        view.follow(self._put_away, "evaluation")

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        shapes = {f"brush_{key}": key for key in SHAPES}
        return {
            "mask_tool": Command(self.set_painting, lambda: self.painting),
            "toggle_mask_cell": Command(self.toggle, enabled=self._takes_chosen),
            **choices(shapes, lambda: self.shape, self.take),
        }

    # --- the tool --------------------------------------------------------------------------------
    def set_painting(self, painting: bool) -> None:
        """Take the brush in hand, or put it away."""
        self.painting = painting
        self.drop()
        self._window.brush_bar.setVisible(painting)
        self.changed.emit()

    def _put_away(self) -> None:
        """Put the brush away where there are no scores to close."""
        if self.painting and lacking(self._document.problem, [Role.CLOSE]) is not None:
            self.set_painting(False)

    def take(self, shape: str) -> None:
        """Take the brush in hand with another shape; it is remembered."""
        self.shape = shape
        self._settings.put(BRUSH, shape)
        self.set_painting(True)

    def stage(self) -> str:
        """The last map before the weights, in which cells are painted."""
        stages = [node.stage for node in self._computation.evaluation.nodes if not node.stage.hidden]
        return [stage.name for stage in stages if stage.square and not stage.shares][-1]

    def focus_map(self) -> None:
        """Put the keyboard on the large map, of the stage that was asked for a moment ago."""
        self._view.tell_all()
        heatmap = self._window.product.stage_map()
        if heatmap is not None:
            heatmap.setFocus()

    # --- gestures --------------------------------------------------------------------------------
    def _on_maps_stroked(self, stage: str, passed: Sequence[Cell], done: bool) -> None:
        self._begun = None
        path = [passed[0], *(cell for pair in pairwise(passed) for cell in line(*pair)[1:])]
        if not self._takes(stage):
            return
        if done:
            self.drop()
            self._paint(self.shape, path)
        else:
            self._show(stage, path)

    def _on_maps_toggle_requested(self, stage: str, row: int, column: int) -> None:
        if not self.painting or self.shape == Cells.key:
            self.toggle()
        elif self._begun is None and self._takes(stage):
            self._begun = row, column
            self._show(stage, [self._begun])
        elif self._begun is not None:
            path = [self._begun, (row, column)]
            self.drop()
            self._paint(self.shape, path)

    def _follow_cell(self) -> None:
        cell = self._view.look.cell
        if self._begun is None:
            return
        if cell is None or cell.stage != self._shown:
            self.drop()
        else:
            self._show(cell.stage, [self._begun, (cell.row, cell.column)])

    def leave(self) -> bool:
        """Drop the gesture under way, else put the brush away; False where there is neither."""
        under_way, in_hand = self._shown is not None, self.painting
        if under_way:
            self.drop()
        elif in_hand:
            self.set_painting(False)
        return under_way or in_hand

    def drop(self) -> None:
        """Forget the gesture under way."""
        self._begun, shown, self._shown = None, self._shown, None
        self._window.product.maps.set_brush(self.painting)
        if shown is not None:
            self._window.product.maps.set_painted(shown, ())

    def _show(self, stage: str, path: Sequence[Cell]) -> None:
        """Outline what the gesture covers so far."""
        problem = self._document.problem
        self._shown = stage
        self._window.product.maps.set_painted(stage, SHAPES[self.shape].areas(path, problem.n, problem.m))

    def toggle(self) -> None:
        """Open or close the chosen cell."""
        cell = self._view.look.cell
        if cell is not None and self._takes(cell.stage):
            self._paint(Cells.key, [(cell.row, cell.column)])

    def _takes_chosen(self) -> bool:
        cell = self._view.look.cell
        return cell is not None and cell.stage in self._computation.evaluation.stages and self._takes(cell.stage)

    def _takes(self, stage: str) -> bool:
        """Whether a map is one of queries and keys, whose scores can be closed."""
        square = self._computation.evaluation.node(stage).stage.square
        return square and lacking(self._document.problem, [Role.CLOSE]) is None

    # --- the step --------------------------------------------------------------------------------
    def _paint(self, key: str, path: Sequence[Cell]) -> None:
        """Paint in the last custom layer that is on; one is added if there is none.

        While the maps still show the problem before, their cells are none of the present one: nothing is painted.
        """
        if self._computation.pending:
            self._window.banner.show_info(lambda: self.tr("The problem is still being computed: nothing was changed."))
            return
        problem, shape = self._document.problem, SHAPES[key]
        found = [k for k, layer in enumerate(problem.mask) if layer.paintable and layer.enabled]
        if not found:
            layer = partial(first_layer, shape, path, problem.n, problem.m)
            self._making.change(_label(key, path, opens=False), lambda: {"mask": (*problem.mask, layer())})
            return
        field, look = problem.mask[found[-1]].field(found[-1]), self._view.look
        array, (down, across) = problem.arrays()[field], shape.area(path, problem.n, problem.m)
        only = slice(0, 1)  # an axis that the layer does not tell apart
        cuts = down if array.ndim > 1 and array.shape[-2] > 1 else only, across if array.shape[-1] > 1 else only
        box = table_box(field, array.shape, *cuts, look.batch, look.head)
        row, column = path[0]
        first = (min(row, array.shape[-2] - 1) if array.ndim > 1 else 0, min(column, array.shape[-1] - 1))
        opens = not array[(*box[:-2], *first)[-array.ndim :]].any()
        label = _label(key, path, opens=opens)

        def make() -> SetCells:
            return SetCells(field, box, painted(array[box], shape, path, (down, across), opens=opens), label)

        self._making.begin(label, make, self._document.apply)


def _label(key: str, path: Sequence[Cell], *, opens: bool) -> Label:
    cell, last = (f"({row}, {column})" for row, column in (path[0], path[-1]))
    if len(path) == 1 and key == Cells.key:
        return Label(LABELS[opens], {"cell": cell})
    return Label(MANY[opens], {"shape": Label(SHAPES[key].label, context="Masks"), "cell": cell, "last": last})


def _row(shape: Shape) -> Row:
    reads = (Role.CLOSE.name,)
    name = f"brush_{shape.key}"
    return Row(name, "brush", shape.label, group="brush", checkable=True, reads=reads, context="Masks")
