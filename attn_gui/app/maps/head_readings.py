"""When the number below each head is measured again, and the cells that it counts marked in the map, up to how many."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from functools import partial

from PySide6.QtCore import QTimer

from attn_gui.app.actions.action_table import Row
from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.engine import Evaluation, Recomputed
from attn_gui.engine.analysis.head_readings import READINGS, WEIGHTS, Cells, Entropy, HeadReading, rows_of
from attn_gui.engine.arrays import Progress
from attn_gui.languages import N_

QUICK_CELLS = 1 << 15  # weights of all heads that are read again: within a frame
REST_MS = 150  # after the last edit of a larger problem
MOST_AREAS = 1 << 13  # that are marked: more of them are none to the eye

MARK = Row(
    "show_counted",
    "readings",
    N_("Readings", "&Mark the counted cells"),
    checkable=True,
    short=N_("Readings", "Mark"),
    words="reading pattern cells highlight count 标出 读数 模式",
    needs=N_("Readings", "This number counts every cell"),
    context="Readings",
    full=True,
)


class ReadingsController(Controller):
    """Measures the chosen reading of every head that an edit reaches: of long heads beside the window, one by one.

    Entropies, with which it begins, the strip takes row by row itself.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._strip = context.window.heads
        self._maps = context.window.product.maps
        self._waiting: list[int] = []  # heads of which the number is not known
        self._job = BackgroundTask(self)
        self._job.ended.connect(self._on_job_ended)
        self._marking = BackgroundTask(self)
        self._marking.ended.connect(lambda outcome: self._show_marks(outcome.result()))
        self._soon = QTimer(self, singleShot=True)  # the edit is painted first
        self._soon.timeout.connect(self._go_on)
        context.bars.add([*map(_row, READINGS.values()), MARK])
        self._strip.set_action(context.bars.actions[MARK.name])
        self._strip.readings.picked.connect(lambda key: context.view.set(reading=key))
        context.computation.updated.connect(self._on_computation_updated)
        context.view.follow(self.show, "evaluation", "batch", "compare", "baseline", "reading")
        context.view.follow(self._mark, "evaluation", "batch", "head", "compare", "baseline", "reading", "counted")
        self.show()

    def commands(self) -> dict[str, Command]:
        named = {f"reading_{key}": key for key in READINGS}
        chosen = choices(named, lambda: self._view.look.reading, lambda key: self._view.set(reading=key))
        fitting = {name: one._replace(enabled=partial(self._fits, named[name])) for name, one in chosen.items()}
        view = self._view
        counted = Command(
            lambda on: view.set(counted=on), lambda: view.look.counted, lambda: READINGS[self._key()].singles
        )
        return fitting | {MARK.name: counted}

    def show(self) -> None:
        """Measure every head again; a reading that the problem does not have gives way to the first."""
        problem = self._view.explained.problem
        self._strip.set_reading(self._key(), [key for key in READINGS if self._fits(key)])
        self._waiting = []  # they may be heads of another document
        self._measure(range(problem.num_heads))

    def _fits(self, key: str) -> bool:
        return READINGS[key].fits(self._view.explained.problem)

    def _key(self) -> str:
        """Return the reading on show."""
        return next(key for key in (self._view.look.reading, *READINGS) if self._fits(key))

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        item = self._view.look.batch
        changed = self._baseline.changed_boxes(self._view.look.compare, recomputed)
        boxes = [box for box in changed.boxes.get(WEIGHTS, ()) if box[0].start <= item < box[0].stop]
        self._mark()
        self._measure(head for box in boxes for head in range(box[1].start, box[1].stop))

    def _measure(self, heads: Iterable[int]) -> None:
        self._job.forget()
        if self._key() == Entropy.key:
            self._waiting = []
            return
        self._waiting = list(dict.fromkeys([*self._waiting, *heads]))
        if self._waiting:
            problem = self._view.explained.problem
            quick = problem.n * problem.m * len(self._waiting) <= QUICK_CELLS
            self._soon.start(0 if quick else REST_MS)

    def _go_on(self) -> None:
        if not self._computation.notified:  # the heads that wait may be those of the numbers before
            self._soon.start(0)
            return
        evaluation, item = self._view.explained, self._view.look.batch
        problem = evaluation.problem
        if problem.n * problem.m * len(self._waiting) <= QUICK_CELLS:
            for head in self._waiting:
                self._strip.set_value(head, _measured(evaluation, self._key(), item, head, lambda _share: None))
            self._waiting = []
            return
        for head in self._waiting:
            self._strip.set_value(head, None)
        self._begin()

    def _begin(self) -> None:
        """Measure the next head beside the window."""
        if not self._computation.notified:
            self._soon.start(0)
        elif self._waiting:
            evaluation, key, item, head = self._view.explained, self._key(), self._view.look.batch, self._waiting[0]
            self._job.start(lambda progress: (head, _measured(evaluation, key, item, head, progress)))

    def _on_job_ended(self, outcome: Future[tuple[int, float]]) -> None:
        head, value = outcome.result()
        self._waiting.remove(head)
        self._strip.set_value(head, value)
        self._begin()

    # --- the cells that are counted --------------------------------------------------------------
    def _mark(self) -> None:
        """Let the counted cells stand out in the large map of the weights."""
        self._marking.forget()
        look, evaluation, reading = self._view.look, self._view.explained, READINGS[self._key()]
        problem = evaluation.problem
        if not look.counted or not reading.singles:
            self._show_marks(None)
        elif problem.n * problem.m <= QUICK_CELLS:
            self._show_marks(reading.cells(problem, lambda: rows_of(evaluation, look.batch, look.head)))
        else:
            self._show_marks(None)
            self._marking.start(
                lambda progress: reading.cells(
                    problem, lambda: rows_of(evaluation, look.batch, look.head, lambda: progress(0.0))
                )
            )

    def _show_marks(self, cells: Cells | None) -> None:
        counted = None if cells is None or len(cells) > MOST_AREAS else tuple(cells)
        self._maps.map(WEIGHTS).overlay.set_marks(counted=counted)


def _row(reading: HeadReading) -> Row:
    return Row(
        f"reading_{reading.key}",
        "readings",
        reading.title,
        group="reading",
        checkable=True,
        needs=reading.needs,
        context="Readings",
        full=True,
    )


def _measured(evaluation: Evaluation, key: str, item: int, head: int, progress: Progress) -> float:
    """Return a reading of a head; `progress` may end it."""
    return READINGS[key].measure(evaluation.problem, lambda: rows_of(evaluation, item, head, lambda: progress(0.0)))
