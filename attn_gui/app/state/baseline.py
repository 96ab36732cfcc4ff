"""The state compared with, pinned or ready-made: held, computed, named; a cell before and now with its change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject, Signal

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.computation import Computation, is_quickly_computed
from attn_gui.document.document import Document
from attn_gui.engine import DenseEvaluation, Evaluation, Problem, Recomputed
from attn_gui.engine.arrays import Box
from attn_gui.engine.comparison import READY
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph.indices import join
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.formats.file_messages import quoted
from attn_gui.languages import N_
from attn_gui.modes import BEFORE, BOTH, DIFFERENCE, GRADIENT, NOW
from attn_gui.pictures.planes import number_at

if TYPE_CHECKING:
    from attn_gui.pictures.tile_cache import TileCache


PINNED = "pinned"

PINNED_STATE = N_("Compared", "the baseline")
NOW_STATE = N_("Compared", "now")


class Baseline(QObject):
    """Holds the state that the document is compared with, pinned as it was or ready made from what it is now; it is
    evaluated off the GUI thread where that takes long.

    A pinned state is a copy that no edit touches. A ready-made one is the document without one thing, over the same
    arrays, and follows every edit. Nothing is kept for the difference: it is read from both.
    """

    changed = Signal()  # another state, or none, or it can be compared from now on

    def __init__(self, document: Document, computation: Computation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._computation = document, computation
        self.key, self.head = "", 0  # PINNED, or a key of READY with the head that it is about
        self.state = ""  # the name of the snapshot that is pinned, if it is one
        self.why: FieldError | None = None  # the state cannot be held
        self.problem: Problem | None = None
        self.evaluation: Evaluation | None = None  # None while there is none
        self._states: tuple[BeforeState, Difference] | None = None
        self._tile_caches: list[TileCache] = []
        self._recomputed = Recomputed()
        self._asked = (-1, -1)  # the document's count of changes and writes when the evaluation was asked for
        self._passes = BackgroundTask(self)
        self._passes.ended.connect(self._on_passes_answered)
        self._settling = BackgroundTask(self)
        self._settling.ended.connect(self._on_settling_answered)
        computation.rebuilt.connect(self._on_computation_rebuilt)
        computation.updated.connect(self._on_computation_updated)
        computation.settled.connect(self._on_computation_settled)

    # --- choosing --------------------------------------------------------------------------------
    def pin(self) -> None:
        """Keep the present state. Raises FieldError where its copy would take too much memory."""
        self.pin_problem(self._document.snapshot())

    def pin_problem(self, problem: Problem, state: str = "") -> None:
        """Compare with another state under its name; the problem may not be changed by anybody."""
        self._drop()
        self.key, self.head, self.state = PINNED, 0, state
        self._evaluate(problem)
        self.changed.emit()

    def compare_with(self, key: str, head: int) -> None:
        """Compare with the document without one thing, which `key` of the ready-made ones names."""
        self._drop()
        self.key, self.head = key, head
        self._evaluate_ready()
        self.changed.emit()

    def release(self) -> None:
        """Compare with nothing any more."""
        self._drop()
        self.changed.emit()

    def _drop(self) -> None:
        self._passes.forget()
        self._settling.forget()
        self._forget_states()
        self.key, self.state, self.why, self.problem, self.evaluation = "", "", None, None, None

    # --- what is there ---------------------------------------------------------------------------
    @property
    def pinned(self) -> bool:
        return self.key == PINNED

    @property
    def pending(self) -> bool:
        """Whether the state is still being computed."""
        return self._passes.busy

    @property
    def busy(self) -> bool:
        """Whether anything of it is still to come, pictures included."""
        return self.pending or self._settling.busy or any(tiles.busy for tiles in self._tile_caches)

    @property
    def difference(self) -> Difference | None:
        """Now − before; None where nothing can be compared, as of states of other shapes."""
        return self._states[1] if self._states is not None else None

    @property
    def comparable(self) -> bool:
        """Whether both states are there and have the same shapes at every stage of the document's."""
        return self._states is not None

    def evaluation_for(self, mode: str) -> Evaluation:
        """Return the evaluation that the maps show in a mode; left of a wipe, and on the left side, stands
        `evaluation_for(BEFORE)`."""
        if self._states is None or mode in (NOW, *BOTH):
            return self._computation.evaluation
        return self._states[0] if mode == BEFORE else self._states[1]

    def before_of(self) -> Callable[[Evaluation], Evaluation]:
        """Return a function that takes an evaluation of the document, or of a copy of it, and returns the evaluation of
        the state compared with. It may be called on any thread."""
        before, now, key, head = self.evaluation, self._computation.evaluation, self.key, self.head
        assert before is not None
        pinned = self.pinned

        def made(evaluation: Evaluation) -> Evaluation:
            if pinned or evaluation is now:
                return before
            return evaluation_of(READY[key].made(evaluation.problem, head))

        return made

    def changed_boxes(self, mode: str, recomputed: Recomputed) -> Recomputed:
        """Return the boxes that an edit has recomputed of the evaluation shown in a mode."""
        if self._states is None or mode in (NOW, GRADIENT):
            return recomputed
        now = {} if mode == BEFORE else recomputed.boxes
        boxes = _by_stage(self._states[1], self._recomputed.boxes, now)
        return Recomputed(boxes, recomputed.cells, recomputed.seconds)

    def finish(self) -> None:
        """Wait for what is under way: at the end of the program, and where the answer is needed now."""
        self._passes.wait()
        self._settling.wait()
        for tiles in self._tile_caches:
            tiles.finish()

    def end(self) -> None:
        """End all work."""
        self._drop()
        self._passes.wait()
        self._settling.wait()

    # --- computing -------------------------------------------------------------------------------
    def _evaluate_ready(self) -> None:
        try:
            problem = READY[self.key].made(self._document.problem, self.head)
        except FieldError as why:  # what is switched off for it is one intervention more than there may be
            self._passes.forget()
            self._forget_states()
            self.why, self.problem, self.evaluation = why, None, None
        else:
            self._evaluate(problem)

    def _evaluate(self, problem: Problem) -> None:
        self.why, self.problem, self.evaluation = None, problem, None
        self._forget_states()
        if is_quickly_computed(problem):
            self._passes.forget()
            self.evaluation = DenseEvaluation(problem)
            self._pair_states()
            return
        self._asked = (self._document.generation, self._document.writes)
        self._passes.start(lambda _: evaluation_of(problem))

    def _on_passes_answered(self, outcome: Future[Evaluation]) -> None:
        moved = self._asked != (self._document.generation, self._document.writes)
        if moved and not self.pinned:  # read while cells were written
            self._evaluate_ready()
        else:
            self._take(outcome)
        self.changed.emit()

    def _take(self, outcome: Future[Evaluation]) -> None:
        try:
            self.evaluation = outcome.result()
        except FieldError as why:
            self.why = why
        else:
            self._pair_states()

    def _pair_states(self) -> None:
        """Pair the two states, if every stage of the document's has one of the same shape in the state before."""
        self._forget_states()
        before, after = self.evaluation, self._computation.evaluation
        if before is None:
            return
        difference = Difference(before, after, after.stages)
        if difference.stages == after.stages:
            self._states = BeforeState(difference), difference
            self._tile_caches = [
                self._computation.new_tile_cache(evaluation) for evaluation in self._states if evaluation.draws_pictures
            ]

    def _forget_states(self) -> None:
        for tiles in self._tile_caches:
            self._computation.retire(tiles)
        self._states, self._tile_caches = None, []

    # --- following -------------------------------------------------------------------------------
    def _on_computation_rebuilt(self, opened: bool) -> None:
        """Drop a state of another document or structure, which is not compared with this one."""
        if opened:
            self._drop()
        elif self.pinned:
            self._pair_states()
        elif self.key:
            self._evaluate_ready()

    def _on_computation_updated(self, recomputed: Recomputed, boxes: Mapping[str, Sequence[Box]]) -> None:
        """Follow changed cells of the document with a ready-made state."""
        self._recomputed = Recomputed()
        if self.key and not self.pinned and self.evaluation is not None:
            assert self.problem is not None
            self._recomputed = self.evaluation.update(self.problem, boxes)
        if self._states is not None:
            stages = self._states[1].stages  # Q, K and V that are given are stages, too
            fields = {name: cells for name, cells in boxes.items() if name not in stages}
            for tiles, mode in zip(self._tile_caches, (BEFORE, DIFFERENCE), strict=False):
                mine = {} if mode == BEFORE and self.pinned else fields
                tiles.follow({**mine, **self.changed_boxes(mode, recomputed).boxes})

    def _on_computation_settled(self) -> None:
        """Compute again, of a ready-made state too, the cells that edits have left inexact by rounding."""
        evaluation, writes = self.evaluation, self._document.writes
        if evaluation is not None and not evaluation.settled:
            self._settling.start(lambda _: evaluation.settle(cancelled=lambda: writes != self._document.writes))
        self._draw_anew()

    def _on_settling_answered(self, outcome: Future[bool]) -> None:
        if outcome.result():
            self._draw_anew()

    def _draw_anew(self) -> None:
        """Draw tiles anew whose last digits may have changed."""
        batch, heads, *_ = self._document.problem.map_shape
        everywhere = {(item, head) for item in range(batch) for head in range(heads)}
        for tiles in self._tile_caches:
            tiles.draw_anew(everywhere)


def _by_stage(
    difference: Difference, before: Mapping[str, list[Box]], after: Mapping[str, list[Box]]
) -> dict[str, list[Box]]:
    """Return the boxes that moved on either side, by the stages that are compared."""
    found = {}
    for stage in difference.stages:
        one, other = difference.pair(stage)
        if boxes := join([*before.get(one, ()), *after.get(other, ())]):
            found[stage] = boxes
    return found


class CellMove(NamedTuple):
    """A cell in words: before, now, and the change with its sign; "" where one of them is no number."""

    before: str
    now: str
    change: str


def cell_move(baseline: Baseline, stage: str, batch: int, head: int, row: int, column: int) -> CellMove | None:
    """Return a cell as it was and as it is; None where nothing can be compared."""
    difference = baseline.difference
    if difference is None or stage not in difference.stages:
        return None
    place = (batch, head, row, column)
    sides = zip((difference.before, difference.after), difference.pair(stage), strict=True)
    before, now = (_number(side, name, *place) for side, name in sides)
    if before is None or now is None:
        return CellMove(_text(before), _text(now), "")
    change = now - before
    same = QCoreApplication.translate("Compared", "unchanged") if change == 0 else ""
    return CellMove(_text(before), _text(now), same or signed_text(change))


def signed_text(number: float) -> str:
    """Return a number that always has a sign."""
    text = sentence_number(number)
    return text if text.startswith("−") or np.isnan(number) else f"+{text}"


def side_names(baseline: Baseline) -> tuple[str, str]:
    """Return the names of the two states, before and now, in the present language."""
    if baseline.state:
        return f"“{quoted(baseline.state)}”", _said(NOW_STATE)
    if baseline.pinned or not baseline.key:
        return _said(PINNED_STATE), _said(NOW_STATE)
    ready = READY[baseline.key]
    names = (QCoreApplication.translate("Names", words[0]) for words in (ready.before, ready.after))
    before, now = (name.format(head=baseline.head) for name in names)
    return before, now


def _number(side: Evaluation, stage: str, batch: int, head: int, row: int, column: int) -> float | None:
    """Return the number of a cell; None where a mask closes it."""
    number, opened = number_at(stage_plane(side, stage, batch, head), row, column)
    return number if opened else None


def _text(number: float | None) -> str:
    if number is None:
        return QCoreApplication.translate("Compared", "not allowed")
    return sentence_number(number)


def _said(words: str) -> str:
    return QCoreApplication.translate("Compared", words)
