"""Tables of another state: the matrices before, now − before, or a gradient by them, read-only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication

from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Change, Document
from attn_gui.document.places import leading, table_cells
from attn_gui.engine.analysis.differencing.gradient_evaluation import Gradient
from attn_gui.figure.comparing.states import BEFORE, DIFFERENCE, GRADIENT, NOW
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

Read = Callable[[], NDArray[Any] | None]
TITLES = {
    BEFORE: QT_TRANSLATE_NOOP("TwoStates", "{title}, before"),
    DIFFERENCE: QT_TRANSLATE_NOOP("TwoStates", "{title}, now − before"),
    GRADIENT: QT_TRANSLATE_NOOP("TwoStates", "{title}, gradient"),
}


class TwoStates:
    """Reads what the tables show in the modes in which the maps do not show the present state either."""

    def __init__(self, document: Document, baseline: Baseline, view: ViewState) -> None:
        self._document, self._baseline, self._view = document, baseline, view
        self._told: tuple[object, ...] = (NOW, None)
        self._change = Change()
        document.changed.connect(self._on_document_changed)

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
        """Reader of the part of an array that a table shows: rows and columns of the item and head on show.

        A difference is computed when it is first read, for a table reads every cell; an edit redoes its own cells.
        """
        if not self.locked:
            return now
        if isinstance(self._view.face, Gradient):
            return self._read_of(self._view.face, field)
        before = self._before(field)
        if self.mode == BEFORE:
            return before
        kept: dict[int, NDArray[Any] | None] = {}

        def read() -> NDArray[Any] | None:
            generation = self._document.generation
            if generation not in kept:
                found = self._patched(field, kept.get(generation - 1), now(), before())
                kept.clear()
                kept[generation] = found
            return kept[generation]

        return read

    def _patched(
        self, field: str, kept: NDArray[Any] | None, now: NDArray[Any] | None, before: NDArray[Any] | None
    ) -> NDArray[Any] | None:
        """The difference after the last change, of which only the cells that it touched are computed."""
        array, boxes = self._document.problem.arrays().get(field), self._change.fields.get(field, ())
        if kept is None or now is None or before is None or array is None or boxes is None or now.shape != kept.shape:
            return _less(now, before)
        look = self._view.look
        for cuts in (table_cells(field, array.shape, box, look.batch, look.head) for box in boxes):
            if cuts is not None:
                place = cuts[-now.ndim :]
                kept[place] = _less(now[place], before[place])
        return kept

    def _on_document_changed(self, change: Change) -> None:
        self._change = change

    def _read_of(self, gradient: Gradient, field: str) -> Read:
        """A gradient by the part of an array that a table shows, read once."""
        look, array = self._view.look, gradient.problem.arrays().get(field)
        if array is None:
            found = gradient.block(field, look.batch, None, *map(slice, (0, 0), gradient.shape(field)[-2:]))
        else:
            whole = gradient.by_field(field)
            found = whole[leading(field, array.shape, look.batch, look.head)] if array.ndim > 2 else whole
        return lambda: found

    def _before(self, field: str) -> Read:
        look, problem, evaluation = self._view.look, self._baseline.problem, self._baseline.evaluation
        assert problem is not None
        assert evaluation is not None
        array = problem.arrays().get(field)
        if array is None:
            if field not in evaluation.stages:
                return lambda: None
            lengths = evaluation.shape(field)[-2:]
            return lambda: evaluation.block(field, look.batch, None, *(slice(0, length) for length in lengths))
        return lambda: array[leading(field, array.shape, look.batch, look.head)] if array.ndim > 2 else array


def _less(now: NDArray[Any] | None, before: NDArray[Any] | None) -> NDArray[Any] | None:
    """Now − before; of switches 1 where one was opened and −1 where it was closed. NaN where there was none."""
    if now is None:
        return None
    if before is None or before.shape != now.shape:
        return np.full(now.shape, np.nan)
    with np.errstate(all="ignore"):
        if now.dtype.kind == "b":
            return np.asarray(now.astype(np.float32) - before)
        return np.asarray(now - before)
