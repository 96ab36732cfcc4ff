"""Keeps the evaluation of the open document up to date: the step between an edit and whatever shows numbers."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal

from attn_gui.document.document import Change, Document
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.choice import evaluation_of
from attn_gui.engine.streaming.threads import one_blas_thread

QUICK_CELLS = 100_000  # n · m · heads that are computed anew within a frame or two
LONG_CELLS = 200_000_000  # n · m · heads that a full pass goes through in a second or two
PATIENCE_MS = 300  # after which the window says that it is computing


class _Pass(QObject, QRunnable):
    """One full computation on another thread; the answer carries the generation that it was asked for."""

    done = Signal(int, object, float)  # generation, Evaluation or the error, seconds

    def __init__(self, problem: Problem, generation: int, heads: Sequence[tuple[int, int]] | None) -> None:
        QObject.__init__(self)
        QRunnable.__init__(self)
        self.setAutoDelete(False)
        self._problem, self._generation, self._heads = problem, generation, heads

    def run(self) -> None:
        start = time.perf_counter()
        found: object
        try:
            found = evaluation_of(self._problem)
            found.complete(self._heads)
        except Exception as error:  # whatever it is, it is said on the GUI thread
            found = error
        self.done.emit(self._generation, found, time.perf_counter() - start)


class Computation(QObject):
    """Follows the document. An edit of cells recomputes what it reaches, any other change everything.

    A large problem is computed on another thread; until then the last evaluation stays, and an answer for a document
    that has moved on is dropped.
    """

    rebuilt = Signal(bool)  # a new evaluation is there; True: of another document
    updated = Signal(object)  # Recomputed: the boxes of every stage that hold new numbers
    working = Signal(bool)  # a full pass takes longer than a person takes for "at once"

    def __init__(self, document: Document, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._blas = one_blas_thread()  # while the window lives: with more, all wait once a core has other work
        self._blas.__enter__()
        self.evaluation = Evaluation(document.problem)
        self._pass: _Pass | None = None  # the one whose answer is wanted
        self._running: set[_Pass] = set()  # kept until their threads are through
        self._opened = False
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(lambda: self.working.emit(True))
        document.changed.connect(self._on_document_changed)

    @property
    def pending(self) -> bool:
        """Whether the evaluation is not yet that of the document."""
        return self._pass is not None

    def finish(self) -> None:
        """Wait for the pass that is under way; for the end of the program and for whoever needs the answer now."""
        self._pool.waitForDone()

    def _on_document_changed(self, change: Change) -> None:
        boxes = {field: cells for field, cells in change.fields.items() if cells is not None}
        self._opened = self._opened or change.opened
        if self.pending or change.opened or len(boxes) < len(change.fields):
            self._rebuild()
        elif boxes:
            self.updated.emit(self.evaluation.update(self._document.problem, boxes))

    def _rebuild(self) -> None:
        problem = self._document.problem
        if problem.n * problem.m * problem.num_heads * problem.batch_size <= QUICK_CELLS:
            self._pass = None
            self._take(Evaluation(problem))
            return
        self._pass = _Pass(problem, self._document.generation, None if _all_at_once(problem) else [(0, 0)])
        self._pass.done.connect(self._on_pass_done)
        self._running.add(self._pass)
        if not self._patience.isActive():
            self._patience.start()
        self._pool.start(self._pass)

    def _on_pass_done(self, generation: int, found: object, _seconds: float) -> None:
        self._running = {running for running in self._running if running is not self.sender()}
        if self._pass is None or generation != self._document.generation:
            return  # the document has moved on; a later pass answers for it
        self._pass = None
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, Evaluation)
        self._take(found)

    def _take(self, evaluation: Evaluation) -> None:
        self._patience.stop()
        self.working.emit(False)
        self.evaluation, opened, self._opened = evaluation, self._opened, False
        self.rebuilt.emit(opened)


def _all_at_once(problem: Problem) -> bool:
    """Whether all heads are computed before anything is shown; else the first, and the others when they are."""
    return problem.n * problem.m * problem.num_heads * problem.batch_size <= LONG_CELLS
