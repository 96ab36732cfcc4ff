"""Tables of another state: the matrices before, now − before, or a gradient by them, read-only."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication

from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.read_cells import Difference, StageCells
from attn_gui.document.matrix_model import Matrix, Read, shown_part
from attn_gui.engine.analysis.differentiation import Gradient
from attn_gui.engine.arrays import Array
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.modes import BEFORE, DIFFERENCE, GRADIENT, NOW

TITLES = {
    BEFORE: QT_TRANSLATE_NOOP("TwoStates", "{title}, before"),
    DIFFERENCE: QT_TRANSLATE_NOOP("TwoStates", "{title}, now − before"),
    GRADIENT: QT_TRANSLATE_NOOP("TwoStates", "{title}, gradient"),
}


class TwoStates:
    """Reads what the tables show in the modes in which the maps do not show the present state either."""

    def __init__(self, baseline: Baseline, view: ViewState) -> None:
        self._baseline, self._view = baseline, view
        self._told: tuple[object, ...] = (NOW, None)

    @property
    def mode(self) -> str:
        """The mode of the tables: BEFORE, DIFFERENCE, GRADIENT, or NOW where they are the document's."""
        if isinstance(self._view.face, Gradient):
            return GRADIENT
        mode = self._view.look.compare
        return mode if mode in (BEFORE, DIFFERENCE) and self._baseline.comparable else NOW

    @property
    def locked(self) -> bool:
        """Whether the tables show another state than the document's."""
        return self.mode != NOW

    @property
    def scientific(self) -> bool:
        """Whether numbers have powers of ten: by choice, and of gradients, most of which are small."""
        return self._view.look.scientific or self.mode == GRADIENT

    def moved(self) -> bool:
        """Whether the tables show another state than when this was asked last."""
        shown = self._view.face or (self._baseline.evaluation if self.locked else None)
        told, self._told = self._told, (self.mode, shown)
        return told != self._told

    def title(self, title: str) -> str:
        """The title of a table with the state that it shows."""
        return QCoreApplication.translate("TwoStates", TITLES[self.mode]).format(title=title) if self.locked else title

    def show_now(self) -> None:
        """Show the document's numbers again."""
        self._view.set(compare=NOW)

    def reader(self, field: str, now: Read) -> Read:
        """Reader of the part of an array that a table shows: rows and columns of the item and head on show."""
        if not self.locked:
            return now
        if isinstance(self._view.face, Gradient):
            return self._read_of(self._view.face, field)
        before = self._before(field)
        if self.mode == BEFORE:
            return before

        def read() -> Matrix | None:
            shown = now()
            return None if shown is None or not shown.ndim else _less(shown, before())

        return read

    def _read_of(self, gradient: Gradient, field: str) -> Read:
        """A gradient by the part of an array that a table shows, read once."""
        if field not in gradient.problem.arrays():
            if field not in gradient.stages:  # it has just come, and the gradient by it is still to be taken
                return lambda: None
            cells = StageCells(gradient, field, self._view.look.batch)
            return lambda: cells
        found = self._part(field, gradient.by_field(field))
        return lambda: found

    def _before(self, field: str) -> Read:
        problem, evaluation = self._baseline.problem, self._baseline.evaluation
        assert problem is not None
        assert evaluation is not None
        array = problem.arrays().get(field)
        if array is None:
            if field not in evaluation.stages:
                return lambda: None
            cells = StageCells(evaluation, field, self._view.look.batch)
            return lambda: cells
        return lambda: self._part(field, array)

    def _part(self, field: str, array: Array) -> Array | None:
        """The part of an array that a table shows; one number is a table of one cell."""
        return shown_part(field, np.atleast_1d(array), self._view.look.batch, self._view.look.head)


def _less(now: Matrix, before: Matrix | None) -> Matrix:
    """Now − before, read where it is asked for; of a vector at once."""
    if not isinstance(now, np.ndarray) or now.ndim > 1:
        return Difference(now, before)
    old = before[None] if isinstance(before, np.ndarray) and before.shape == now.shape else None
    whole: Array = Difference(now[None], old)[:, :]
    return np.asarray(whole[0])
