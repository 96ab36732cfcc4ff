"""Keeps the evaluation that of the document: at once, beside the window or refused; when each is announced."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.document.document import Document, DocumentChange
from attn_gui.engine import DenseEvaluation, Evaluation, Problem, Recomputed, errors
from attn_gui.engine.arrays import Box
from attn_gui.engine.errors import FieldError
from attn_gui.engine.evaluation.threads import (
    limit_heaps,
    lower_tile_priority,
    one_blas_thread,
    switch_quickly,
    trim_heaps,
    window_priority,
)
from attn_gui.engine.evaluation.trace import evaluation_of, is_long
from attn_gui.engine.graph.indices import count, whole
from attn_gui.views.dialogs.dialog_base import PATIENCE_MS

if TYPE_CHECKING:
    from attn_gui.pictures.tile_cache import TileCache

QUICK_CELLS = 100_000  # n · m · heads that are computed again within a frame or two
QUICK_NUMBERS = 1 << 19  # and so many numbers in all matrices, each of which is read
SETTLE_MS = 1500  # after the last edit of a long problem
TRIM_MS = 2000  # after another document was opened, when whatever showed the one before has let it go
PROJECTED = 1 << 20  # cells of Q, K and V that an edit may have projected again on the GUI thread, times 1/d_model


class Computation(QObject):
    """Follows the document. An edit of cells recomputes what it reaches, any other change everything.

    A large problem is computed on another thread; until then the last evaluation stays, and an answer for a document
    that has moved on is dropped. Of a long one the tile cache brings what the maps look at; at rest after edits, what
    they have left is settled.
    """

    rebuilt = Signal(bool, bool)  # a new evaluation is there, or the one with other places changed by hand: whether of
    # another document, and whether the window may paint between its followers; `ViewState` notifies all others
    updated = Signal(object, object)  # Recomputed, the boxes of every stage that hold new numbers, and those of the
    # fields that changed; `Baseline` is connected first, so that it holds the new numbers before anyone asks it
    drawable = Signal()  # maps can draw what `updated` named: in the same turn, but of a long problem once the tile
    # cache has drawn its dirty tiles, which may be several edits later. For maps alone: numbers are there at `updated`
    working = Signal(bool)  # a full pass takes longer than a person takes for "at once": maps are dimmed
    refused = Signal(object)  # FieldError: no evaluation can hold the problem
    drawing = Signal(float)  # which share of the pictures that are looked at is there
    settled = Signal()  # everything known equals a fresh computation, bit for bit
    moving = Signal()  # the document has changed: followers that still wait are notified of the state before
    held = Signal(bool)  # whether the window stays as it is painted: parts of it are of the document before
    slow = Signal(bool)  # whether that takes longer than a person takes for "at once": the pointer says so

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._blas, self._priority = one_blas_thread(), window_priority()
        self.evaluation: Evaluation = DenseEvaluation(document.problem)
        self.tiles: TileCache | None = None
        self._retired: list[TileCache] = []  # of evaluations before, which maps may still show
        self.refusal: FieldError | None = None  # why there is no evaluation of the document
        self._settling = BackgroundTask(self)
        self._settling.ended.connect(self._on_settling_answered)
        self._moves = 0  # counts edits, each of which ends the settling that is under way
        self._rest = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._rest.timeout.connect(self._settle)
        self._trim_soon = QTimer(self, singleShot=True, interval=TRIM_MS)
        self._trimming = BackgroundTask(self)
        self._trim_soon.timeout.connect(lambda: self._trimming.start(lambda _: trim_heaps()))
        self._drawn_soon = QTimer(self, singleShot=True, interval=0)
        self._drawn_soon.timeout.connect(self._await_tiles)
        self._evaluating = BackgroundTask(self)
        self._evaluating.ended.connect(self._on_evaluating_answered)
        self.notified = True  # whether everybody has been notified of the present evaluation
        self._opened = False  # whether the evaluation that comes next is of another document
        self._handed: Evaluation | None = None  # made elsewhere, of what the document is about to hold
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._on_patience_ended)
        document.changed.connect(self._on_document_changed)

    def hold_threads(self) -> None:
        """Hold BLAS to one thread while the window lives: with more, all wait once a core has other work. And all
        threads to few heaps and short turns, those of the tiles behind the window's. Looking for the libraries takes a
        while, and no first picture needs it."""
        limit_heaps()
        switch_quickly()
        lower_tile_priority()
        self._blas.__enter__()

    @property
    def pending(self) -> bool:
        """Whether the evaluation is not yet that of the document."""
        return self._evaluating.busy

    @property
    def notifies_in_turns(self) -> bool:
        """Whether the window paints between its followers: a layer of a model has many steps."""
        return self._document.study is not None and self.tiles is None

    @property
    def busy(self) -> bool:
        """Whether anything is still to come: the evaluation or pictures of it."""
        drawing = self._drawn_soon.isActive() or (self.tiles is not None and self.tiles.busy)
        return self.pending or not self.notified or self._settling.busy or drawing

    @property
    def stoppable(self) -> bool:
        """Whether pictures are being computed that Esc stops."""
        return self.tiles is not None and self.tiles.busy

    def retire(self, tiles: TileCache) -> None:
        """End a tile cache once everybody is notified of the next evaluation: until then maps draw from it."""
        tiles.progressed.disconnect(self.drawing)
        self._retired.append(tiles)

    def begin_notifying(self, whole: bool) -> None:
        """Note that not everybody has been notified of the present evaluation; `whole`: nothing is painted until
        then, and the pointer says so if that takes long."""
        self.notified = False
        if whole:
            self.held.emit(True)
            self._patience.start(PATIENCE_MS)

    def all_notified(self) -> None:
        """Note that everybody has been notified of the present evaluation, and end the tile caches before it."""
        if not self.notified:
            self.notified = True
            self._end_waiting()
            if self.pending:  # a pass that goes on while another language is shown
                self._on_patience_ended()
        while self._retired:
            self._retired.pop().end()

    @contextmanager
    def handed(self, evaluation: Evaluation | None) -> Iterator[None]:
        """Take this one where the document gets the problem that it is of, over the same arrays, in this block."""
        self._handed = evaluation
        try:
            yield
        finally:
            self._handed = None

    def finish(self) -> None:
        """Wait for what is under way, where the answer is needed now."""
        self._evaluating.wait()
        self._settling.wait()
        if self.tiles is not None:
            self.tiles.finish()

    def end(self) -> None:
        """End all work under way."""
        self._moves += 1
        self._rest.stop()
        self._drawn_soon.stop()
        self._trim_soon.stop()
        self._trimming.wait()
        self.all_notified()
        if self.tiles is not None:
            self.tiles.end()
        self.finish()

    def _on_document_changed(self, change: DocumentChange) -> None:
        self.moving.emit()
        self._priority.claim()
        boxes = {field: cells for field, cells in change.fields.items() if cells is not None}
        self._opened = self._opened or change.opened
        self._moves += 1
        others = change.fields.keys() - boxes.keys()
        by_hand = {field for field in others if field.startswith("interventions")}
        cells_alone = not (self.pending or self.refusal is not None or change.opened or others - by_hand)
        if not cells_alone or self._heavy(boxes):
            self._rebuild(change.opened)
        elif change.fields:
            with self._or_refused():
                recomputed = self._recomputed(boxes, by_hand)
                self.updated.emit(recomputed, boxes)
                if self.tiles is None:
                    self.drawable.emit()
                else:
                    self._await_tiles()
                if by_hand:
                    self.rebuilt.emit(False, False)

    def _recomputed(self, boxes: Mapping[str, Sequence[Box]], by_hand: Collection[str]) -> Recomputed:
        """Recompute everything that changed cells reach.

        What is set by hand may have another place since, and other numbers in the same memory: it is taken whole.
        """
        problem = self._document.problem
        arrays = problem.arrays() if by_hand else {}
        taken = {field: [whole(arrays[field].shape)] for field in by_hand if field in arrays}
        recomputed = self.evaluation.update(problem, {**boxes, **taken})
        if self.tiles is not None:
            self.tiles.follow({**boxes, **recomputed.boxes})
            self._rest.start()
        return recomputed

    def _await_tiles(self) -> None:
        """Emit `drawable` once no tile is dirty, neither of this evaluation nor of the state compared with."""
        if self.tiles is not None and any(tiles.behind for tiles in self.findChildren(type(self.tiles))):
            self._drawn_soon.start()
        else:
            self.drawable.emit()

    def _heavy(self, boxes: Mapping[str, Sequence[Box]]) -> bool:
        """Return whether so many rows of a long problem are projected again that the window would stand still."""
        if self.tiles is None or not self._document.problem.projected:
            return False
        return sum(count(box) for field in ("x", "context") for box in boxes.get(field, ())) > PROJECTED

    def _rebuild(self, opened: bool) -> None:
        problem = self._document.problem
        self._rest.stop()
        if self._handed is not None:
            self._evaluating.forget()
            self._handed.update(problem, {})  # reads the same arrays, from now on as the document's
            self._take(self._handed, in_turns=True)
            return
        if is_quickly_computed(problem):
            self._evaluating.forget()
            with self._or_refused():
                self._take(DenseEvaluation(problem), in_turns=self._opened)
            return
        if opened:  # history and title know the other document already
            self.held.emit(True)
        if opened or not self._patience.isActive():
            self._patience.start(PATIENCE_MS)
        self._evaluating.start(lambda _: evaluation_of(problem))  # of a long one nothing but Q, K and V

    def _on_patience_ended(self) -> None:
        """Dim the maps of the problem before, and paint again: a window that does not paint seems to hang.

        Half of another document is not painted, as views of two at once look for what one of them lacks.
        """
        if self.notified:
            self.working.emit(True)
            self.held.emit(False)
        else:
            self.slow.emit(True)

    def _end_waiting(self) -> None:
        """Paint again, and dim nothing: all that is shown is of one document."""
        self._patience.stop()
        self.working.emit(False)
        self.held.emit(False)
        self.slow.emit(False)

    def _on_evaluating_answered(self, outcome: Future[Evaluation]) -> None:
        with self._or_refused():
            self._take(outcome.result(), in_turns=True)

    @contextmanager
    def _or_refused(self) -> Iterator[None]:
        """Refuse the document where this block gives it no evaluation: the one there is belongs to the state before."""
        try:
            yield
        except FieldError as why:
            self._refuse(why)
        except Exception:
            self._refuse(FieldError(errors.NOT_COMPUTED))
            raise  # it is said as a fault, too

    def _refuse(self, why: FieldError) -> None:
        self.refusal = why
        self.refused.emit(why)
        self._end_waiting()

    def _take(self, evaluation: Evaluation, *, in_turns: bool) -> None:
        self._patience.stop()
        self.working.emit(False)
        if self.tiles is not None:
            self.retire(self.tiles)
        self.tiles = self.new_tile_cache(evaluation) if is_long(evaluation.problem) else None
        self.drawing.emit(1.0)
        self.evaluation, opened, self._opened, self.refusal = evaluation, self._opened, False, None
        if opened:
            self._trim_soon.start()
        self.rebuilt.emit(opened, in_turns)
        if self.notified:  # also where a fault has kept everybody from that: it is said in the window
            self._end_waiting()

    def new_tile_cache(self, evaluation: Evaluation) -> TileCache:
        """Return a cache of the tiles of an evaluation of a long problem, whose progress `drawing` tells."""
        from attn_gui.pictures.tile_cache import TileCache  # not needed to start

        tiles = TileCache(evaluation, self)
        tiles.progressed.connect(self.drawing)
        return tiles

    # --- at rest ---------------------------------------------------------------------------------
    def _settle(self) -> None:
        """Compute again what edits have left inexact by rounding, once nothing else is to be done."""
        evaluation, version = self.evaluation, self._version()
        if self.tiles is None or self.pending or evaluation.settled:
            return
        if self.tiles.busy:
            self._rest.start()
        else:
            heads = evaluation.unsettled
            self._settling.start(
                lambda _: heads if evaluation.settle(cancelled=lambda: version != self._version()) else None
            )

    def _version(self) -> tuple[int, int]:
        """Return counts that differ after every change of the document, and already before its first cell is
        written."""
        return self._moves, self._document.writes

    def _on_settling_answered(self, outcome: Future[frozenset[tuple[int, int]] | None]) -> None:
        heads = outcome.result()
        if heads is not None and self.tiles is not None and not self._rest.isActive():
            self.tiles.draw_anew(heads)
            self.settled.emit()


def is_quickly_computed(problem: Problem) -> bool:
    """Return whether the window may wait for a full pass."""
    numbers = sum(array.size for array in problem.arrays().values())
    cells = problem.n * problem.m * problem.num_heads * problem.batch_size
    return cells <= QUICK_CELLS and numbers <= QUICK_NUMBERS and not is_long(problem)
