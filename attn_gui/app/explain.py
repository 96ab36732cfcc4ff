"""Which cell of which state is explained, after the maps have followed; trail of cells, reach and origin, Copy."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.baseline import side_names
from attn_gui.app.state.view_state import ChosenCell, exists
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import DocumentChange
from attn_gui.document.matrix_model import table_box, table_cell_name
from attn_gui.engine import Box, Evaluation, Explanation, explain
from attn_gui.engine.evaluation.proxies import stand_in
from attn_gui.engine.evaluation.reach import ForwardReach
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import GATED
from attn_gui.figure.stage_formulas import repeated, stage_plane
from attn_gui.modes import BEFORE, SIDE_BY_SIDE
from attn_gui.pictures.planes import number_at
from attn_gui.views.inspector.cell_relations import ExplainContext, OtherState, ReachedBoxes, cell_name
from attn_gui.views.map.map_drawing import MapCanvas
from attn_gui.views.map.marks import BACKWARD, DIRECTIONS, FORWARD, ReachMarks, reached_areas
from attn_gui.views.tables.matrix_panel import MatrixPanel

TablePlace = tuple[str, int, int]  # field, row, column of the table


class ReachController(Controller):
    """Shows in every map the cells that depend on the cell chosen last, or those that it depends on; costs nothing
    while reach is not shown.
    """

    def __init__(self, context: AppContext, tables: TablesController) -> None:
        super().__init__(context)
        self._place: TablePlace | None = None  # the cell of a table, where one was chosen after the one of a map
        self._shown = False
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show)
        tables.on_new_table(self._connect)
        context.view.follow(self._forget_place, "cell")
        context.view.follow(
            self._later, "evaluation", "cell", "head", "batch", "stage", "mode", "reach", "compare", "baseline"
        )
        context.document.changed.connect(self._on_document_changed)
        context.window.product.maps.cellChosen.connect(self._on_map_cell_chosen)
        context.window.inspector.reachPicked.connect(lambda direction: context.view.set(reach=direction))

    def commands(self) -> dict[str, Command]:
        return {"show_reach": self._showing(FORWARD), "show_origin": self._showing(BACKWARD)}

    def _showing(self, direction: str) -> Command:
        view = self._view
        return Command(lambda shown: view.set(reach=direction if shown else ""), lambda: view.look.reach == direction)

    def _connect(self, field: str, panel: MatrixPanel) -> None:
        panel.view.cellChosen.connect(lambda row, column: self._on_table_cell_chosen(field, row, column))
        panel.view.clicked.connect(lambda index: self._on_table_cell_chosen(field, index.row(), index.column()))

    # --- when ------------------------------------------------------------------------------------
    def _on_table_cell_chosen(self, field: str, row: int, column: int) -> None:
        self._place = (field, row, column)
        self._later()

    def _on_map_cell_chosen(self, *_: object) -> None:
        """Follow a chosen cell, also the one chosen before: the view does not change then."""
        self._place = None
        self._later()

    def _forget_place(self) -> None:
        if self._view.look.cell is not None:
            self._place = None

    def _on_document_changed(self, change: DocumentChange) -> None:
        """Follow the mask: the reach depends on the cells it leaves open, not on the numbers."""
        if any(field.startswith("mask") for field in change.fields):
            self._later()

    def _later(self) -> None:
        if self._view.look.reach or self._shown:
            self._soon.start()

    # --- what ------------------------------------------------------------------------------------
    def show(self) -> None:
        """Bring the marks in all maps up to date, once all of them show the present view."""
        if not self._computation.notified:
            self._soon.start()
            return
        of_now = self._view.explained is self._computation.evaluation  # the state before has another reach
        found = self._found() if self._view.look.reach and of_now else None
        name, reach = found if found is not None else ("", None)
        self._shown = reach is not None
        for canvas in self._window.findChildren(MapCanvas):
            canvas.overlay.set_marks(reached=reached_areas(canvas.plane, reach))
        self._window.inspector.relations.set_reach_shown(self._view.look.reach, name if self._place is not None else "")

    def _found(self) -> tuple[str, ReachMarks] | None:
        """Return the name of the chosen cell, and what it reaches."""
        look, evaluation = self._view.look, self._computation.evaluation
        field, row, column = self._place or ("", 0, 0)
        if field in (*evaluation.problem.arrays(), *evaluation.stages):  # the tables may not be notified yet
            box = self._table_box(field, row, column)
            return (table_cell_name(field, (row, column)), self._reach(field, box)) if box else None
        if look.cell is None:
            return None
        index = self._view.index_of(look.cell)
        return cell_name(look.cell.stage, index), self._reach(look.cell.stage, indices.cell(index))

    def _reach(self, name: str, box: Box) -> ReachMarks:
        """Return the reach of a cell of a stage or field, forward or back."""
        evaluation = self._computation.evaluation
        found = DIRECTIONS[self._view.look.reach](evaluation, {name: [_own_box(evaluation, name, box)]})
        return ReachMarks(name, box, found)

    def _table_box(self, field: str, row: int, column: int) -> Box | None:
        """Return the box of a table's cell in its array's own axes; None for a cell that is no longer there."""
        look, evaluation = self._view.look, self._computation.evaluation
        arrays = evaluation.problem.arrays()
        shape = arrays[field].shape if field in arrays else evaluation.shape(field)
        box = table_box(field, shape, slice(row, row + 1), slice(column, column + 1), look.batch, look.head)
        return box if all(cut.stop <= length for cut, length in zip(box, shape, strict=True)) else None


def later_stages(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[ReachedBoxes, ...]:
    """Return the boxes of every later stage that a cell reaches; what shows the same matrix again left out."""
    start = {stage: [_own_box(evaluation, stage, indices.cell(index))]}
    reached = evaluation.reach(start)
    found = {name: boxes for name, boxes in reached.items() if name != stage and not repeated(evaluation, name)}
    if evaluation.closes and any(indices.count(box) > GATED for boxes in found.values() for box in boxes):
        forward = evaluation.forward(start)
        behind = evaluation.stages[evaluation.stages.index(evaluation.weights) :]
        for name in found.keys() & set(behind):
            found[name] = [_open_rows(forward, evaluation.mixed, name, box) for box in found[name]]
    return tuple(ReachedBoxes(name, boxes, evaluation.shape(name)) for name, boxes in found.items())


def _open_rows(forward: ForwardReach, mixed: str, stage: str, box: Box) -> Box:
    """Return a reached box from its first to its last row that is reached: of one of more than GATED cells `reach`
    does not look at the mask, which may close the rows at its ends."""
    *outer, rows, columns = box
    if len(outer) == 2:  # of a map, in which one column says nothing of the rows
        flags = forward.cells(mixed, outer[0].start, outer[1].start, rows, slice(0, 1))
    else:
        flags = forward.cells(stage, outer[0].start, None, rows, slice(columns.start, columns.start + 1))
    open_ = flags[:, 0].nonzero()[0]
    if not open_.size:
        return box
    return (*outer, slice(rows.start + int(open_[0]), rows.start + int(open_[-1]) + 1), columns)


def _own_box(evaluation: Evaluation, name: str, box: Box) -> Box:
    """Return a box in the axes of the array: Q, K and V that are given may lack the batch axis of their stage."""
    arrays = evaluation.problem.arrays()
    return box[-arrays[name].ndim :] if name in arrays else box


class BreadcrumbPlace(NamedTuple):
    """A cell of the trail, with the head and the item of which it was."""

    cell: ChosenCell
    head: int
    batch: int


class ExplainController(Controller):
    """Keeps the trail of cells that were followed; the last one is explained."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._trail: list[BreadcrumbPlace] = []
        self._explanation: Explanation | None = None
        context.window.inspector.cellRequested.connect(self.follow)
        context.window.inspector.placeRequested.connect(self.back_to)
        context.window.inspector.backRequested.connect(self.back)
        context.window.inspector.foot.copyRequested.connect(self._on_foot_copy_requested)
        context.view.follow(self._trail.clear, "document")  # before the next one, which begins another trail
        context.view.follow(
            self._show_chosen, "evaluation", "cell", "head", "batch", "compare", "baseline", "overlay", "mode"
        )
        self._soon = QTimer(self, singleShot=True, interval=0)  # typesetting must not hold up the maps
        self._soon.timeout.connect(self.show_explanation)
        context.computation.drawable.connect(self._soon.start)
        self.show_explanation()

    # --- along the links -------------------------------------------------------------------------
    def follow(self, name: str, index: tuple[int, ...]) -> None:
        """Go to a cell that the explanation names: a stage's, or one of a table."""
        evaluation = self._computation.evaluation
        if name not in evaluation.stages:
            self._go_to_field(name, index)
            return
        batch, head, row, column = place_of(evaluation, name, index, self._view.look.head)
        self._trail.append(BreadcrumbPlace(ChosenCell(name, row, column), head, batch))
        self._view.set(stage=name, batch=batch, head=head, cell=self._trail[-1].cell)

    def _go_to_field(self, name: str, index: tuple[int, ...]) -> None:
        """Go to a cell of a table, or to the control of a number that has no table."""
        panel = self._window.inputs.panels.get(name)
        if panel is not None:
            self._window.inputs.show_field(name)
            panel.view.choose(*_table_place(index))
            return
        control = self._window.findChild(QWidget, f"control.{name}")
        if control is not None:
            control.setFocus(Qt.FocusReason.OtherFocusReason)

    def commands(self) -> dict[str, Command]:
        return {"previous_place": Command(self.back)}

    def back(self) -> None:
        if len(self._trail) > 1:
            self.back_to(len(self._trail) - 2)

    def back_to(self, position: int) -> None:
        """Return to an earlier cell of the trail."""
        place = self._trail[position]
        del self._trail[position + 1 :]
        self._view.set(stage=place.cell.stage, cell=place.cell, head=place.head, batch=place.batch)

    def _show_chosen(self) -> None:
        """End the trail with the chosen cell; one that is gone takes all before it along, and so does another head."""
        look = self._view.look
        place = None if look.cell is None else BreadcrumbPlace(look.cell, look.head, look.batch)
        on = place is not None and self._trail[-1:] == [place]
        if not on or not all(map(self._is_there, self._trail)):
            self._trail.clear()
        if place is not None and self._trail[-1:] != [place]:
            self._trail.append(place)
        self.show_explanation()

    def _is_there(self, place: BreadcrumbPlace) -> bool:
        evaluation = self._computation.evaluation
        problem = evaluation.problem
        inside = place.head < problem.num_heads and place.batch < problem.batch_size
        return inside and exists(evaluation, place.cell)

    def show_explanation(self) -> None:
        look, evaluation, inspector = self._view.look, self._view.explained, self._window.inspector
        withheld = look.cell is not None and self._view.withholds(look.cell)
        if look.cell is None:
            self._explanation = None
            inspector.set_nothing_chosen()
            return
        stage = stand_in(evaluation, look.cell.stage)
        plane = stage_plane(evaluation, stage, look.batch, look.head)
        explanation = explain(evaluation, stage, plane.index(look.cell.row, look.cell.column))
        if withheld:
            self._explanation = None
            inspector.set_covered(cell_name(stage, explanation.index), explanation.symbols_latex)
            return
        self._explanation = explanation
        problem = evaluation.problem
        inspector.set_explanation(
            self._explanation,
            ExplainContext(
                head=look.head,
                row=look.cell.row,
                column=look.cell.column,
                query_tokens=problem.query_tokens,
                key_tokens=problem.names_of_keys,
                problem=problem,
                reach=later_stages(evaluation, self._explanation.stage, self._explanation.index),
                trail=[(cell.stage, cell.row, cell.column) for cell, _head, _batch in self._trail[:-1]],
                before=self._before(look.cell) if self._view.middle == SIDE_BY_SIDE else None,
            ),
        )

    retranslate = show_explanation  # for the names of the two states side by side

    def _before(self, cell: ChosenCell) -> OtherState:
        """Return the chosen cell in the state before."""
        before, look = self._baseline.evaluation_for(BEFORE), self._view.look
        plane = stage_plane(before, cell.stage, look.batch, look.head)
        value, opened = number_at(plane, cell.row, cell.column)
        row = plane.block(slice(cell.row, cell.row + 1), slice(0, plane.shape[1]))[0][0]
        # its own evaluation: a proxy has no sources, which the formulas of Q, K and V read
        before, stage = before.sides(cell.stage)[0]
        explanation = explain(before, stage, plane.index(cell.row, cell.column))
        return OtherState(side_names(self._baseline), explanation, value if opened else None, row)

    def _on_foot_copy_requested(self, kind: str) -> None:
        if self._explanation is not None:
            QGuiApplication.clipboard().setText(getattr(self._explanation, kind))


def place_of(evaluation: Evaluation, stage: str, index: tuple[int, ...], head: int) -> tuple[int, int, int, int]:
    """Return (item, head, row, column as shown): the present head is kept where it shows the cell."""
    if evaluation.node(stage).stage.per_head:
        return index[0], index[1], index[2], index[3]
    batch, row, column = index
    if evaluation.node(stage).stage.joined:
        return batch, head, row, column
    heads = (head, *range(evaluation.problem.num_heads))
    cuts = ((h, evaluation.head_columns(stage, h)) for h in heads)
    found, cut = next((h, cut) for h, cut in cuts if cut.start <= column < cut.stop)
    return batch, found, row, column - cut.start


def _table_place(index: tuple[int, ...]) -> tuple[int, int]:
    return (0, index[0]) if len(index) == 1 else (index[-2], index[-1])
