"""Reach of the cell chosen last: the cells that depend on it, or those that it depends on, shown in every map."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Change, Document
from attn_gui.document.matrix_model import MatrixModel, table_box
from attn_gui.document.matrix_model import cell_name as table_cell_name
from attn_gui.engine import Box, Evaluation
from attn_gui.engine.evaluation.dense import Forward
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.nodes import GATED
from attn_gui.figure.operands import stage_plane
from attn_gui.views.inspector.context import Reached, cell_name
from attn_gui.views.main_window import MainWindow
from attn_gui.views.map.map_drawing import MapDrawing
from attn_gui.views.map.marks import BACKWARD, DIRECTIONS, FORWARD, Reach, reached_areas
from attn_gui.views.tables.matrix_panel import MatrixPanel

TablePlace = tuple[str, int, int]  # field, row, column of the table


class ReachController(QObject):
    """Follows the chosen cell of a map or table while reach is shown; costs nothing while it is not."""

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        tables: TablesController,
    ) -> None:
        super().__init__(window)
        self._window, self._computation, self._view = window, computation, view
        self._place: TablePlace | None = None  # the cell of a table, where one was chosen after the one of a map
        self._shown = False
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show)
        tables.on_new_table(self._connect)
        view.follow(self._forget_place, "cell")
        view.follow(self._later, "evaluation", "cell", "head", "batch", "stage", "mode", "reach", "compare", "baseline")
        document.changed.connect(self._on_document_changed)
        window.product.stageCellChosen.connect(self._on_map_cell_chosen)
        window.inspector.reachPicked.connect(lambda direction: view.set(reach=direction))

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"show_reach": self._showing(FORWARD), "show_origin": self._showing(BACKWARD)}

    def _showing(self, direction: str) -> Command:
        view = self._view
        return Command(lambda shown: view.set(reach=direction if shown else ""), lambda: view.look.reach == direction)

    def _connect(self, field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
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

    def _on_document_changed(self, change: Change) -> None:
        """Follow the mask: the reach depends on the cells it leaves open, not on the numbers."""
        if any(field.startswith("mask") for field in change.fields):
            self._later()

    def _later(self) -> None:
        if self._view.look.reach or self._shown:
            self._soon.start()

    # --- what ------------------------------------------------------------------------------------
    def show(self) -> None:
        """Bring the marks in all maps up to date, once all of them show the present view."""
        if not self._computation.told:
            self._soon.start()
            return
        of_now = self._view.explained is self._computation.evaluation  # the state before has another reach
        found = self._found() if self._view.look.reach and of_now else None
        name, reach = found if found is not None else ("", None)
        self._shown = reach is not None
        for drawing in self._window.findChildren(MapDrawing):
            drawing.overlay.set_marks(reached=reached_areas(drawing.plane, reach))
        self._window.inspector.set_reach_shown(self._view.look.reach, name if self._place is not None else "")

    def _found(self) -> tuple[str, Reach] | None:
        """The name of the chosen cell, and what it reaches."""
        look, evaluation = self._view.look, self._computation.evaluation
        field, row, column = self._place or ("", 0, 0)
        if field in (*evaluation.problem.arrays(), *evaluation.stages):  # the tables may not be told yet
            box = self._table_box(field, row, column)
            return (table_cell_name(field, (row, column)), self._reach(field, box)) if box else None
        if look.cell is None:
            return None
        index = stage_plane(evaluation, look.cell.stage, look.batch, look.head).index(look.cell.row, look.cell.column)
        return cell_name(look.cell.stage, index), self._reach(look.cell.stage, indices.cell(index))

    def _reach(self, name: str, box: Box) -> Reach:
        """The reach of a cell of a stage or field, forward or back."""
        evaluation = self._computation.evaluation
        found = DIRECTIONS[self._view.look.reach](evaluation, {name: [_own_box(evaluation, name, box)]})
        return Reach(name, box, found)

    def _table_box(self, field: str, row: int, column: int) -> Box | None:
        """The box of a table's cell in its array's own axes; None for a cell that is no longer there."""
        look, evaluation = self._view.look, self._computation.evaluation
        arrays = evaluation.problem.arrays()
        shape = arrays[field].shape if field in arrays else evaluation.shape(field)
        box = table_box(field, shape, slice(row, row + 1), slice(column, column + 1), look.batch, look.head)
        return box if all(cut.stop <= length for cut, length in zip(box, shape, strict=True)) else None


def later_stages(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[Reached, ...]:
    """The boxes of every later stage that a cell reaches; without W_O the output is the joined heads themselves."""
    start = {stage: [_own_box(evaluation, stage, indices.cell(index))]}
    same = {stage} | ({evaluation.projection} if evaluation.problem.w_output is None else set())
    found = {name: boxes for name, boxes in evaluation.reach(start).items() if name not in same}
    if evaluation.closes and any(indices.count(box) > GATED for boxes in found.values() for box in boxes):
        forward = evaluation.forward(start)
        behind = evaluation.stages[evaluation.stages.index(evaluation.weights) :]
        for name in found.keys() & set(behind):
            found[name] = [_open_rows(forward, evaluation.mixed, name, box) for box in found[name]]
    return tuple(Reached(name, boxes, evaluation.shape(name)) for name, boxes in found.items())


def _open_rows(forward: Forward, mixed: str, stage: str, box: Box) -> Box:
    """A box so large that the mask was not looked at, from its first to its last row that is reached."""
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
    """Q, K and V that are given are fields, which may lack the stage's batch axis."""
    arrays = evaluation.problem.arrays()
    return box[-arrays[name].ndim :] if name in arrays else box
