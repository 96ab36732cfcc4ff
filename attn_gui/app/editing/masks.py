"""Mask layers edited; which cells a stroke of the brush opens, why one stays closed; how a file's mask was read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from functools import partial, reduce
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtCore import Signal

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import is_computed
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import table_box
from attn_gui.engine import Problem
from attn_gui.engine.analysis.mask_lint import SUNK, LintFinding, lint
from attn_gui.engine.arrays import Array
from attn_gui.engine.creation.mask_cells import (
    SHAPES,
    BrushShape,
    Cell,
    TouchedCells,
    covered_parts,
    fill_layer,
    first_layer,
    layer_of,
    line,
    paint_cells,
    with_booleans,
)
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.masks import MASKS, Layer
from attn_gui.engine.stages import lacking
from attn_gui.languages import N_
from attn_gui.modes import PRODUCT
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.controls.mask_panel import LintLine
from attn_gui.views.names import mask_lint_text, mask_name, mask_note, mask_polarity

BRUSH_LABELS = {True: N_("History", "opened {cell}"), False: N_("History", "closed {cell}")}
MANY = {True: N_("History", "opened {shape} {cell} … {last}"), False: N_("History", "closed {shape} {cell} … {last}")}
BRUSH = "brush"  # its place in the settings

LABELS = {
    "add": N_("History", "added mask {kind}"),
    "remove": N_("History", "removed mask {kind}"),
    "switch": N_("History", "switched mask {kind}"),
    "change": N_("History", "changed mask {kind}"),
    "fill": N_("History", "filled mask {kind}"),
}

QUICK_CELLS = 1 << 18  # of the maps of all heads: the lines are there at once
MOST_SOUGHT = 1 << 19  # cells of a stroke that are gone through on the window's thread for an open one


class PaintingController(Controller):
    """Opens and closes cells of the mask with a brush in a map. One gesture is one step: it closes what it covers if
    its first cell is open, and opens it if that is closed. Where another layer closes the first cell, it closes if it
    covers an open cell, or too many to look for one, else opens; where it could change no cell that is seen, nothing is
    done, and that is said.

    With the mouse a gesture is a drag. With the keyboard Space begins and ends it and arrows lead it; of single cells
    Space turns the chosen one at once, in the masked map of a custom mask without the brush, too. Esc drops it.
    """

    changed = Signal()

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.painting = False  # whether the brush is active
        self.shape = context.settings.choice(BRUSH, SHAPES, TouchedCells.key)
        self._begun: Cell | None = None  # where a gesture with the keyboard began
        self._shown: str | None = None  # the stage in whose map the gesture is shown
        rows = [_row(shape) for shape in SHAPES.values()]
        context.bars.add(rows)
        context.window.brush_bar.set_shapes([context.bars.actions[row.name] for row in rows])
        context.window.brush_bar.closed.connect(lambda: self.set_painting(False))
        maps = context.window.product.maps
        maps.toggleRequested.connect(self._on_maps_toggle_requested)
        maps.stroked.connect(self._on_maps_stroked)
        context.view.follow(self._follow_cell, "cell")
        context.view.follow(self.drop, "evaluation", "head", "batch", "stage")
        context.view.follow(self._put_away, "evaluation")

    def commands(self) -> dict[str, Command]:
        shapes = {f"brush_{key}": key for key in SHAPES}
        return {
            "mask_tool": Command(self.set_painting, lambda: self.painting),
            "toggle_mask_cell": Command(self.toggle, enabled=self._takes_chosen),
            **choices(shapes, lambda: self.shape, self.take),
        }

    # --- the tool --------------------------------------------------------------------------------
    def set_painting(self, painting: bool) -> None:
        """Activate the brush, or put it away."""
        self.painting = painting
        self.drop()
        self._window.brush_bar.setVisible(painting)
        self.changed.emit()

    def _put_away(self) -> None:
        """Put the brush away where there are no scores to close."""
        if self.painting and lacking(self._document.problem, [Role.CLOSE]) is not None:
            self.set_painting(False)

    def take(self, shape: str) -> None:
        """Activate the brush with another shape; it is remembered."""
        self.shape = shape
        self._settings.put(BRUSH, shape)
        self.set_painting(True)

    def stage(self) -> str:
        """Return the last map before the weights, in which cells are painted."""
        stages = [node.stage for node in self._computation.evaluation.nodes if not node.stage.hidden]
        return [stage.name for stage in stages if stage.square and not stage.shares][-1]

    def focus_map(self) -> None:
        """Put the keyboard on the large map, of the stage that was asked for a moment ago."""
        self._view.notify_all()
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

    def takes_space(self, stage: str) -> bool:
        """Return whether Space paints in a map: with the brush, or where the cells of a custom mask are seen."""
        custom = any(layer.paintable and layer.enabled for layer in self._document.problem.mask)
        return self.painting or (custom and stage == self.stage())

    def _on_maps_toggle_requested(self, stage: str, row: int, column: int) -> None:
        if not self.takes_space(stage):
            return
        if not self.painting or self.shape == TouchedCells.key:
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
        under_way, active = self._shown is not None, self.painting
        if under_way:
            self.drop()
        elif active:
            self.set_painting(False)
        return under_way or active

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
            self._paint(TouchedCells.key, [(cell.row, cell.column)])

    def _takes_chosen(self) -> bool:
        cell = self._view.look.cell
        return cell is not None and cell.stage in self._computation.evaluation.stages and self._takes(cell.stage)

    def _takes(self, stage: str) -> bool:
        """Return whether a map is one of queries and keys, whose scores can be closed."""
        square = self._computation.evaluation.node(stage).stage.square
        return square and lacking(self._document.problem, [Role.CLOSE]) is None

    # --- the step --------------------------------------------------------------------------------
    def _paint(self, key: str, path: Sequence[Cell]) -> None:
        """Paint in the last custom layer that is on; one is added if there is none.

        While the maps still show the problem before, their cells are none of the present one: nothing is painted.
        """
        if not is_computed(self._window, self._computation):
            return
        problem, shape = self._document.problem, SHAPES[key]
        painted = max((k for k, layer in enumerate(problem.mask) if layer.paintable and layer.enabled), default=None)
        closing = self._closing_beside(path[0], painted)
        seen_to_open = None if closing is None else self._seen_to_open(shape, path, painted)
        if closing is not None and seen_to_open is None:
            self._refuse(path[0], closing)
            return
        if painted is None:
            layer = partial(first_layer, shape, path, problem.n, problem.m)
            self._runner.change(_label(key, path, opens=False), lambda: {"mask": (*problem.mask, layer())})
            return
        field, look = problem.mask[painted].field(painted), self._view.look
        array, (down, across) = problem.arrays()[field], shape.area(path, problem.n, problem.m)
        only = slice(0, 1)  # an axis that the layer does not tell apart
        cuts = down if array.ndim > 1 and array.shape[-2] > 1 else only, across if array.shape[-1] > 1 else only
        box = table_box(field, array.shape, *cuts, look.batch, look.head)
        row, column = path[0]
        first = (min(row, array.shape[-2] - 1) if array.ndim > 1 else 0, min(column, array.shape[-1] - 1))
        opens = not array[(*box[:-2], *first)[-array.ndim :]].any() if seen_to_open is None else seen_to_open
        label = _label(key, path, opens=opens)

        def make() -> SetCells:
            return SetCells(field, box, paint_cells(array[box], shape, path, (down, across), opens=opens), label)

        self._runner.begin(label, make, self._document.apply)

    def _closing_beside(self, cell: Cell, painted: int | None) -> int | None:
        """Return the position of a layer that closes a cell, not of the one that is painted in; None without one."""
        evaluation, look = self._computation.evaluation, self._view.look
        if not evaluation.closes:
            return None
        layers = evaluation.layers_at((look.batch, look.head, *cell))
        return next((layer for layer, is_open in layers if not is_open and layer != painted), None)

    def _seen_to_open(self, shape: BrushShape, path: Sequence[Cell], painted: int | None) -> bool | None:
        """Return whether a gesture from a cell that another layer closes opens: not if it covers an open cell, or too
        many cells to look for one.

        None where it covers none that painting changes in the map on show.
        """
        problem, look = self._document.problem, self._view.look
        cells = None if painted is None else problem.mask[painted].cells
        whole = np.broadcast_to(True, problem.map_shape) if cells is None else cells  # as a first layer has them
        opens, sought = None, 0
        for area, covered in covered_parts(shape, path, whole, problem.n, problem.m):
            box = (slice(look.batch, look.batch + 1), slice(look.head, look.head + 1), *area)
            layers: dict[int | None, Array] = dict(self._computation.evaluation.layers_in(box))
            own = layers.pop(painted, True)
            seen = reduce(np.logical_and, layers.values(), covered)
            if np.any(seen & own):
                return False
            opens = opens or bool(seen.any()) or None
            sought += indices.count(area)
            if sought > MOST_SOUGHT:
                return False
        return opens

    def _refuse(self, cell: Cell, closing: int) -> None:
        """Say of a cell which layer closes it: what is painted would change nothing that is seen."""
        kinds = [layer.kind for layer in self._document.problem.mask]
        kind = kinds[closing]

        def words() -> str:
            if kinds.count(kind) > 1:
                text = self.tr(
                    "Query {query} does not see key {key}: layer {place} of the mask ({kind}) closes it, and another "
                    "layer cannot open it. Switch layer {place} off, or change it."
                )
            else:
                text = self.tr(
                    "Query {query} does not see key {key}: the {kind} mask closes it, and a custom mask cannot open "
                    "it. Switch that layer off, or change it."
                )
            return text.format(query=cell[0], key=cell[1], kind=mask_name(kind), place=closing)

        self._window.banner.show_error(words)


def _label(key: str, path: Sequence[Cell], *, opens: bool) -> Label:
    cell, last = (f"({row}, {column})" for row, column in (path[0], path[-1]))
    if len(path) == 1 and key == TouchedCells.key:
        return Label(BRUSH_LABELS[opens], {"cell": cell})
    return Label(MANY[opens], {"shape": Label(SHAPES[key].label, context="Masks"), "cell": cell, "last": last})


def _row(shape: BrushShape) -> Row:
    reads = (Role.CLOSE.name,)
    name = f"brush_{shape.key}"
    return Row(name, "brush", shape.label, group="brush", checkable=True, reads=reads, context="Masks", full=True)


class MasksController(Controller):
    """Turns what a person asks of mask layers into edits of the document; lint is taken while the panel is open."""

    def __init__(self, context: AppContext, painting: PaintingController, note: StatusNote) -> None:
        super().__init__(context)
        self._painting, self._note = painting, note
        self._findings: tuple[LintFinding, ...] = ()
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        panel = context.window.mask_panel
        context.window.spine.boxes.maskPressed.connect(self.show_masks)
        panel.layersChanged.connect(self._on_panel_layers_changed)
        panel.paintRequested.connect(self._on_panel_paint_requested)
        panel.tableRequested.connect(self._on_panel_table_requested)
        panel.fillRequested.connect(self._on_panel_fill_requested)
        panel.blockedPicked.connect(lambda blocked: context.view.set(blocked=blocked))
        panel.opened.connect(self._look_over)
        panel.lint.goRequested.connect(self._on_lint_go_requested)
        panel.lint.remedyRequested.connect(self._on_lint_remedy_requested)
        context.runner.refused.connect(self.show_state)
        context.computation.refused.connect(self.show_state)
        context.document.changed.connect(self._on_document_changed)
        context.view.follow(self.show_state, "evaluation")
        context.view.follow(self._show_reading, "blocked")
        context.view.follow(self._note_reading, "document")
        self.show_state()
        self._show_reading()

    def commands(self) -> dict[str, Command]:
        return {"masks": Command(self.show_masks)}

    def retranslate(self) -> None:
        self.show_state()
        self._show_findings()

    def show_state(self, *_: object) -> None:
        """Show the mask of the document."""
        problem = self._document.problem
        self._window.mask_panel.set_layers(problem.mask, problem.n, problem.m, problem.batch_size)

    def _show_reading(self) -> None:
        self._window.mask_panel.set_blocked(self._view.look.blocked)

    def _note_reading(self) -> None:
        """Say of a file with booleans which way they were read."""
        if any(layer.paintable for layer in self._document.problem.mask):
            self._note(lambda: self.tr("Mask read as {polarity}").format(polarity=mask_polarity(False)))

    # --- lint ------------------------------------------------------------------------------------
    def _on_document_changed(self, *_: object) -> None:
        self._background.forget()
        if self._window.mask_panel.isVisible():
            self._look_over()

    def _look_over(self) -> None:
        """Find what is seldom meant: at once in a small mask, else beside the window."""
        self._background.forget()
        problem = self._document.problem
        if math.prod(problem.map_shape) <= QUICK_CELLS:
            self._on_background_answered(outcome_of(partial(lint, problem)))
            return
        self._findings = ()
        self._show_findings()
        self._background.start_asking(partial(lint, problem))

    def _on_background_answered(self, outcome: Future[tuple[LintFinding, ...] | None]) -> None:
        findings = outcome.result()
        assert findings is not None, "what was stopped is not answered"
        self._findings = findings
        self._show_findings()

    def _show_findings(self) -> None:
        lines = [
            LintLine(mask_note(one.note), one.place is not None, mask_lint_text(one.remedy)) for one in self._findings
        ]
        self._window.mask_panel.set_findings(lines)

    def _on_lint_go_requested(self, number: int) -> None:
        """Choose the first key of the row, in the map that the mask is painted in."""
        place = self._findings[number].place
        assert place is not None, "only a line with a place offers to go there"
        item, head, row = place
        self._window.mask_panel.close_panel()
        stage = self._painting.stage()
        look = self._view.look
        problem = self._document.problem
        self._view.set(
            stage=stage,
            mode=PRODUCT,
            batch=item if _has_axis(problem, 0) else look.batch,
            head=head if _has_axis(problem, 1) else look.head,
            cell=ChosenCell(stage, row, 0),
        )
        self._painting.focus_map()

    def _on_lint_remedy_requested(self, number: int) -> None:
        finding = self._findings[number]
        place, change = finding.layer, finding.change
        assert place is not None, "only a line of a layer offers to change it"
        if change is not None:
            self._exchange("change", place, lambda layer: (layer.changed(**change),))
        else:
            self._exchange("change", place, lambda layer: with_booleans(layer, SUNK))

    def _exchange(self, what: str, place: int, instead: Callable[[Layer], Iterable[Layer]]) -> None:
        """Put other layers in the place of one."""
        layers = self._document.problem.mask
        before, layer, after = layers[:place], layers[place], layers[place + 1 :]
        label = Label(LABELS[what], {"kind": Label(layer.label, context="Masks")})
        self._runner.change(label, lambda: {"mask": (*before, *instead(layer), *after)})

    def _on_panel_layers_changed(self, layers: tuple[Mapping[str, Any], ...], what: str, kind: str) -> None:
        label = Label(LABELS[what], {"kind": Label(MASKS[kind].label, context="Masks")})
        dtype = self._document.problem.dtype
        self._runner.change(label, lambda: {"mask": tuple(layer_of(layer, dtype) for layer in layers)})

    def _on_panel_fill_requested(self, place: int, how: str) -> None:
        self._exchange("fill", place, lambda layer: (fill_layer(layer, how),))

    def _on_panel_paint_requested(self, _layer: int) -> None:
        """Show the map that cells are opened and closed in, with the keyboard on it."""
        self._window.mask_panel.close_panel()
        self._painting.set_painting(True)
        self._view.set(stage=self._painting.stage(), mode=PRODUCT)
        self._painting.focus_map()

    def _on_panel_table_requested(self, field: str) -> None:
        self._window.mask_panel.close_panel()
        self._window.inputs.show_field(field)
        self._window.inputs.panels[field].view.setFocus()

    def show_masks(self) -> None:
        """Open the list of mask layers below its box in the spine."""
        self._window.mask_panel.popup_below(self._window.spine.boxes.mask.button)


def _has_axis(problem: Problem, axis: int) -> bool:
    """Return whether the mask tells items (0) or heads (1) apart."""
    return any(layer.enabled and layer.extent(axis, problem.map_shape) > 1 for layer in problem.mask)
