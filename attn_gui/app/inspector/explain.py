"""Links the chosen cell to its explanation, and follows the links in it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from attn_gui.app.actions.actions import Command
from attn_gui.app.maps.reach import later_stages
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.view_state import ChosenCell, ViewState, exists
from attn_gui.engine import Evaluation, Explanation, explain
from attn_gui.engine.evaluation.proxies import stand_in
from attn_gui.figure.operands import stage_plane
from attn_gui.views.inspector.inspector import ExplainContext
from attn_gui.views.main_window import MainWindow


class Place(NamedTuple):
    """A cell of the trail, with the head and the item of which it was."""

    cell: ChosenCell
    head: int
    batch: int


class ExplainController(QObject):
    """Keeps the trail of cells that were followed; the last one is explained."""

    def __init__(self, window: MainWindow, computation: Computation, view: ViewState) -> None:
        super().__init__(window)
        self._window, self._computation, self._view = window, computation, view
        self._trail: list[Place] = []
        self._explanation: Explanation | None = None
        window.inspector.cellRequested.connect(self.follow)
        window.inspector.placeRequested.connect(self.back_to)
        window.inspector.backRequested.connect(self.back)
        window.inspector.copyRequested.connect(self._on_inspector_copy_requested)
        view.follow(self._trail.clear, "document")
        view.follow(self._show_chosen, "evaluation", "cell", "head", "batch", "compare", "baseline", "face")
        self._soon = QTimer(self, singleShot=True, interval=0)  # typesetting must not hold up the maps
        self._soon.timeout.connect(self.show_explanation)
        computation.pictured.connect(self._soon.start)
        self.show_explanation()

    # --- along the links -------------------------------------------------------------------------
    def follow(self, name: str, index: tuple[int, ...]) -> None:
        """Go to a cell that the explanation names: a stage's, or one of a table."""
        evaluation = self._computation.evaluation
        if name not in evaluation.stages:
            self._go_to_field(name, index)
            return
        batch, head, row, column = place_of(evaluation, name, index, self._view.look.head)
        self._trail.append(Place(ChosenCell(name, row, column), head, batch))
        self._view.set(stage=name, batch=batch, head=head, cell=self._trail[-1].cell)

    def _go_to_field(self, name: str, index: tuple[int, ...]) -> None:
        """Go to a cell of a table, or to the control of a number that has no table."""
        panel = self._window.inputs.panels.get(name)
        if panel is not None:
            self._window.inputs.show_field(name)
            panel.select_cell(*_table_place(index))
            return
        control = self._window.findChild(QWidget, f"control.{name}")
        if control is not None:
            control.setFocus(Qt.FocusReason.OtherFocusReason)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
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
        """The trail ends with the chosen cell; one that is gone takes all before it along, and so does another head."""
        look = self._view.look
        place = None if look.cell is None else Place(look.cell, look.head, look.batch)
        on = place is not None and self._trail[-1:] == [place]
        if not on or not all(map(self._is_there, self._trail)):
            self._trail.clear()
        if place is not None and self._trail[-1:] != [place]:
            self._trail.append(place)
        self.show_explanation()

    def _is_there(self, place: Place) -> bool:
        evaluation = self._computation.evaluation
        problem = evaluation.problem
        inside = place.head < problem.num_heads and place.batch < problem.batch_size
        return inside and exists(evaluation, place.cell)

    def show_explanation(self) -> None:
        look, evaluation, inspector = self._view.look, self._view.explained, self._window.inspector
        withheld = look.cell is not None and self._view.withholds(look.cell)
        if look.cell is None or withheld:
            self._explanation = None
            inspector.set_nothing_chosen(withheld=withheld)
            return
        stage = stand_in(evaluation, look.cell.stage)
        plane = stage_plane(evaluation, stage, look.batch, look.head)
        self._explanation = explain(evaluation, stage, plane.index(look.cell.row, look.cell.column))
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
            ),
        )

    def _on_inspector_copy_requested(self, kind: str) -> None:
        if self._explanation is not None:
            QGuiApplication.clipboard().setText(getattr(self._explanation, kind))


def place_of(evaluation: Evaluation, stage: str, index: tuple[int, ...], head: int) -> tuple[int, int, int, int]:
    """(item, head, row, column as shown): the present head is kept where it shows the cell."""
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
