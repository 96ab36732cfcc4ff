"""Gradients in all maps and tables: taken after every edit; the line above the maps that names cell and head."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QTimer

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.sensitivity import Gradient, finite_difference, is_quickly_differentiated, strongest
from attn_gui.engine.errors import FieldError
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.overlays import DifferentiatedSum, differentiated
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.number_formats import scientific
from attn_gui.modes import GRADIENT, NOW

if TYPE_CHECKING:
    from attn_gui.pictures.tile_cache import TileCache

REST_MS = 150  # after the last change, before anything is computed twice


class TakenGradient(NamedTuple):
    """A gradient, the evaluation and stage that it is of, the sum there, and the number of the tables by which it is
    largest, if it has any."""

    evaluation: Evaluation
    stage: str
    gradient: Gradient
    of: DifferentiatedSum
    largest: tuple[str, tuple[int, ...], float] | None


class GradientController(Controller):
    """Takes the gradient while it is on show, after every change: a large one beside the window, until when the
    numbers stand; then the finite difference by the number that it is largest by."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._line = context.window.comparison
        self._taken: TakenGradient | None = None
        self._beside: float | None = None  # the finite difference
        self._tiles: TileCache | None = None  # of pictures of a long problem's gradient
        self._asked: Evaluation | None = None  # the one that a gradient is being taken of
        self._taking, self._checking = BackgroundTask(self), BackgroundTask(self)
        self._taking.ended.connect(self._on_taking_ended)
        self._checking.ended.connect(self._on_checking_ended)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._check)
        self._line.gradient.picked.connect(lambda key: context.view.set(gradient=key))
        context.computation.updated.connect(self._on_computation_updated)
        context.view.follow(self.show, "evaluation", "compare", "cell", "head", "batch", "gradient")

    def commands(self) -> dict[str, Command]:
        view = self._view

        def show(on: bool) -> None:
            view.set(compare=GRADIENT if on else NOW)

        return {"show_gradient": Command(show, lambda: view.look.compare == GRADIENT, lambda: view.differentiable)}

    @property
    def busy(self) -> bool:
        """Whether a gradient or the difference beside it is still to come."""
        drawing = self._tiles is not None and self._tiles.busy
        return self._taking.busy or self._checking.busy or self._rest.isActive() or drawing

    def finish(self) -> None:
        """End the pictures; for the end of the program."""
        self._end_tiles()

    def _on_computation_updated(self) -> None:
        if self._view.look.compare == GRADIENT:
            self.show()

    def show(self) -> None:
        """Take the gradient that is asked for, or put the numbers back."""
        self._taking.forget()
        self._checking.forget()
        self._rest.stop()
        self._taken, self._beside = None, None
        self._end_tiles()
        look, evaluation = self._view.look, self._computation.evaluation
        self._line.set_gradient(look.gradient if look.compare == GRADIENT else None)
        if look.compare != GRADIENT or look.cell is None or self._computation.pending:
            return
        stage, place, of, (item, head) = look.cell.stage, look.cell[1:], look.gradient, (look.batch, look.head)
        if is_quickly_differentiated(evaluation.problem):
            try:
                self._show_gradient(_taken(evaluation, stage, item, head, place, of))
            except FieldError as why:
                self._refuse(why)
            return
        self._view.set_overlay(None)
        self._say()
        self._asked = evaluation
        self._taking.start(lambda _: _taken(evaluation, stage, item, head, place, of))

    # --- answers ---------------------------------------------------------------------------------
    def _on_taking_ended(self, outcome: Future[TakenGradient]) -> None:
        try:
            found = outcome.result()
        except FieldError as why:
            self._refuse(why)
            return
        if self._is_present(self._asked):
            self._show_gradient(found)

    def _refuse(self, why: FieldError) -> None:
        """Show the numbers again, which take no more memory."""
        self._view.set(compare=NOW)
        self._window.banner.show_error(saying(why))

    def _show_gradient(self, taken: TakenGradient) -> None:
        self._taken = taken
        if taken.gradient.draws_pictures:
            self._tiles = self._computation.new_tile_cache(taken.gradient)
        self._view.set_overlay(taken.gradient)
        self._say()
        if taken.largest is not None:
            self._rest.start()

    def _end_tiles(self) -> None:
        tiles, self._tiles = self._tiles, None
        if tiles is not None:
            tiles.end()

    def _check(self) -> None:
        """Compute the problem twice more, beside the window, with the one number a little larger and smaller."""
        taken = self._taken
        if taken is not None and taken.largest is not None and self._is_present(taken.evaluation):
            self._checking.start(lambda _: _difference(taken))

    def _is_present(self, evaluation: Evaluation | None) -> bool:
        """Return whether an answer of this evaluation is one of the present numbers; else it is asked for anew."""
        return evaluation is self._computation.evaluation and not self._computation.pending

    def _on_checking_ended(self, outcome: Future[float]) -> None:
        if self._taken is not None and self._is_present(self._taken.evaluation):
            self._beside = outcome.result()
            self._say()

    # --- words -----------------------------------------------------------------------------------
    def _say(self) -> None:
        if self._view.look.compare == GRADIENT:
            self._line.set_text(self._sentence())

    retranslate = _say

    def _sentence(self) -> str:
        taken = self._taken
        if taken is None:
            return self.tr("The gradient is being computed …")
        said = {"name": self._name_of(taken), "value": scientific(taken.of.value, 4)}
        shown = self.tr("Shown: the gradient of {name} = {value}, its change per unit of each number.").format(**said)
        if taken.largest is None:
            return self.tr("{name} = {value} depends on no number of the tables.").format(**said)
        field, index, exact = taken.largest
        by = f"{symbol(field)}[{', '.join(map(str, index[-2:]))}]" if index else symbol(field)
        largest = {"number": by, "exact": scientific(exact, 4)}
        text = self.tr("Largest by {number}: {exact}.")
        if self._beside is not None:
            text = self.tr("Largest by {number}: {exact}; by finite differences {beside}.")
            largest["beside"] = scientific(self._beside, 4)
        return self.tr("{first} {second}").format(first=shown, second=text.format(**largest))

    def _name_of(self, taken: TakenGradient) -> str:
        """Name the sum, and its head where every head has a cell of that name."""
        if len(taken.of.box) < 4 or taken.evaluation.problem.num_heads == 1:
            return taken.of.name
        return self.tr("{name} (head {head})").format(name=taken.of.name, head=taken.of.box[1].start)


def _taken(evaluation: Evaluation, stage: str, item: int, head: int, place: tuple[int, int], of: str) -> TakenGradient:
    found = differentiated(stage_plane(evaluation, stage, item, head), *place, of)
    gradient = Gradient(evaluation, stage, found.box, found.weights)
    tables = {field: cells for field, cells in gradient.by_fields.items() if cells.ndim}
    largest = strongest(tables, 1)
    return TakenGradient(evaluation, stage, gradient, found, largest[0] if largest else None)


def _difference(taken: TakenGradient) -> float:
    assert taken.largest is not None
    field, index, _ = taken.largest
    return finite_difference(taken.evaluation.problem, taken.stage, taken.of.box, taken.of.weights, field, index)
