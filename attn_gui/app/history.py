"""Undo, Redo and their names, jumps in the list of steps, memory for history, which step moved the chosen cell most."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QTimer, Signal

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.examples import shown_name
from attn_gui.app.state.background_task import LARGE, BackgroundTask, Stopped
from attn_gui.app.state.baseline import signed_text
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.document import DocumentChange
from attn_gui.engine import Problem
from attn_gui.engine.comparison import Suspect, alike, blame, cell_or_none
from attn_gui.engine.memory import Progress
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.views.dialogs.progress import WorkLine
from attn_gui.views.inspector.cell_relations import cell_name

LIMITS_MB = (64, 256, 1024, 4096)
DEFAULT_MB = 256

REST_MS = 200  # milliseconds from the last edit until its effect is computed, so that typing is not slowed
MOST_MOVES, MOST_BLAMED = 24, 64  # steps
HELD = 256 * 2**20  # bytes of all states together that are put together for it
DECIMALS = 4


class HistoryController(Controller):
    """Lists the steps of the undo stack, shows the present one, and jumps to another."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._list = context.window.history
        self._actions = context.bars.actions
        self._file: tuple[Path | None, str] = None, ""  # and name of the document as it began
        self._sizes: dict[str, int] = {}  # of a new problem alone
        context.document.limit_history(self.limit_mb << 20)
        self._list.model.set_stack(context.document.stack)
        self._list.stepRequested.connect(context.document.stack.setIndex)
        context.document.changed.connect(self._on_document_changed)
        self._list.listed.connect(self._name_next)  # else the bar would be laid out before the maps are painted
        context.document.stack.indexChanged.connect(self._enable_next)
        self._begin()
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        stack = self._document.stack
        limits = choices({f"history_{limit}": limit for limit in LIMITS_MB}, lambda: self.limit_mb, self.set_limit_mb)
        return {"undo": Command(stack.undo), "redo": Command(stack.redo), **limits}

    def retranslate(self) -> None:
        self._show_origin()
        self._enable_next()
        self._name_next()

    def finish(self) -> None:
        """Forget the steps; deleted later they would notify listeners that are gone."""
        self._list.model.set_stack(None)
        self._document.stack.blockSignals(True)

    @property
    def limit_mb(self) -> int:
        """The megabytes of steps that are kept: one of `LIMITS_MB`."""
        chosen = self._settings.number("history_mb", DEFAULT_MB)
        return int(chosen) if chosen in LIMITS_MB else DEFAULT_MB

    def set_limit_mb(self, limit: int) -> None:
        """Keep so many from the next step on, in this session and later ones."""
        self._settings.put("history_mb", limit)
        self._document.limit_history(limit << 20)

    def _begin(self) -> None:
        """Note as what the document begins: steps change its sizes, and saving its name."""
        self._file, problem = (self._document.path, self._document.name), self._document.problem
        untitled = ("untitled", QCoreApplication.translate("FilesController", "untitled"))
        is_new = self._document.path is None and self._document.name in untitled
        self._sizes = {"n": problem.n, "m": problem.m, "heads": problem.num_heads} if is_new else {}

    def _show_origin(self) -> None:
        if self._sizes:
            self._list.model.set_origin(self.tr("New problem, {n} × {m}, heads: {heads}").format(**self._sizes))
        else:
            self._list.model.set_origin(self.tr("Opened {name}").format(name=shown_name(*self._file)))

    def _on_document_changed(self, change: DocumentChange) -> None:
        if change.opened:
            self._begin()
            self._show_origin()

    def _enable_next(self, *_: object) -> None:
        stack = self._document.stack
        self._actions["undo"].setEnabled(stack.canUndo())
        self._actions["redo"].setEnabled(stack.canRedo())

    def _name_next(self) -> None:
        """Undo and redo say what they would undo and redo."""
        stack = self._document.stack
        undone, redone = (text.replace("&", "&&") for text in (stack.undoText(), stack.redoText()))  # no access keys
        self._actions["undo"].setText(self.tr("&Undo {step}").format(step=undone).rstrip())
        self._actions["redo"].setText(self.tr("&Redo {step}").format(step=redone).rstrip())


class HistoryCell(NamedTuple):
    """A cell in the axes of its stage."""

    stage: str
    at: tuple[int, ...]


class HistoryQuestion(NamedTuple):
    """A cell that is asked about, the generation of its document, and the number of the first step that is
    described."""

    place: HistoryCell
    generation: int
    first: int


class CellHistoryController(Controller):
    """Follows the chosen cell and the history, off the GUI thread; what was asked for another state is dropped."""

    changed = Signal()  # at rest after a change: whether a step can be blamed

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._history = context.window.history
        self._soon = QTimer(self, singleShot=True, interval=REST_MS)
        self._soon.timeout.connect(self._ask)
        self._values, self._job = BackgroundTask(self), BackgroundTask(self)
        self._line = WorkLine("blaming", context.window)
        context.window.statusBar().addPermanentWidget(self._line)
        self._values.ended.connect(self._on_values_answered)
        self._job.progressed.connect(self._line.set_share)
        self._job.ended.connect(self._on_job_ended)
        self._line.cancelRequested.connect(self._job.stop)
        self._moves_of = self._blamed_of = HistoryQuestion(HistoryCell("", ()), 0, 0)
        self._suspects: tuple[Suspect, ...] = ()  # of the ranking
        self._steps: list[int] = []  # of each row of the ranking, the place in the history to go to
        context.document.changed.connect(self._on_changed)
        context.view.follow(self._on_changed, "cell", "overlay", "head", "batch", "evaluation")
        self._history.blame.stepRequested.connect(self._on_blame_step_requested)

    def commands(self) -> dict[str, Command]:
        return {"blame": Command(self.blame, enabled=self._can_blame)}

    @property
    def busy(self) -> bool:
        """Whether something is still to come."""
        return self._soon.isActive() or self._values.busy or self._job.busy

    def blame(self) -> None:
        """Replay the history without each step, and rank the steps by how much that moves the chosen cell."""
        place = self._place()
        if place is None:
            return
        try:
            past, first = self._past(MOST_BLAMED)
        except ValueError as error:
            self._window.banner.show_error(saying(error))
            return
        self._blamed_of = HistoryQuestion(place, self._document.generation, first)
        self._line.name = cell_name(*place)
        self._line.begin()

        def work(progress: Progress) -> tuple[Suspect, ...]:
            return blame(past(), *place, progress)

        self._job.start(work)

    # --- what each step moved --------------------------------------------------------------------
    def _on_changed(self, *_: object) -> None:
        self._values.forget()
        if self._job.busy:
            self._job.forget()
            self._line.end()
        self._history.blame.hide()
        self._history.model.set_moves({})
        self._soon.start()

    def _ask(self) -> None:
        self.changed.emit()
        place = self._place()
        arrays = self._document.problem.arrays().values()
        if place is None or not self._document.stack.index() or sum(array.nbytes for array in arrays) > LARGE:
            return
        try:
            past, first = self._past(MOST_MOVES)
        except ValueError:  # no room for what nobody has asked for
            return
        self._moves_of = HistoryQuestion(place, self._document.generation, first)
        self._values.start(lambda _: [cell_or_none(state, *place) for state in past()])

    def _on_values_answered(self, outcome: Future[list[float | None]]) -> None:
        place, generation, first = self._moves_of
        found = outcome.result()
        if generation != self._document.generation:
            return
        name, moves = cell_name(*place), {}
        for number, (before, after) in enumerate(pairwise(found)):
            if before is not None and after is not None and not alike(before, after):
                texts = (sentence_number(value, DECIMALS) for value in (before, after))
                moves[first + number + 1] = (name, " → ".join(texts))
        self._history.model.set_moves(moves)

    # --- which moved it most ---------------------------------------------------------------------
    def _on_job_ended(self, outcome: Future[tuple[Suspect, ...]]) -> None:
        self._line.end()
        _, generation, _ = self._blamed_of
        if generation != self._document.generation:
            return
        try:
            self._suspects = outcome.result()
        except Stopped:
            return
        except (ValueError, LookupError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        self._show_ranking()

    def _show_ranking(self) -> None:
        place, _, first = self._blamed_of
        stack, rows, self._steps = self._document.stack, [], []
        for suspect in (one for one in self._suspects if one.moved != 0):
            step = -1 if suspect.step is None else first + suspect.step
            name = suspect.field if step < 0 else stack.text(step)
            rows.append((f"{suspect.share * 100:.0f} %  {name}", signed_text(suspect.moved)))
            self._steps.append(step + 1)
        self._history.blame.set_ranking(cell_name(*place), rows or [(self.tr("No step moved it"), "")])

    def retranslate(self) -> None:
        """Set the ranking on show anew, in the present language."""
        if self._history.blame.isVisible():
            self._show_ranking()

    def _on_blame_step_requested(self, row: int) -> None:
        if any(self._steps[row : row + 1]):
            self._document.stack.setIndex(self._steps[row])

    def _can_blame(self) -> bool:
        return self._place() is not None and self._document.stack.index() > 1

    def _place(self) -> HistoryCell | None:
        """Return the chosen cell, where the present evaluation has it and no exercise leaves it out."""
        cell = self._view.look.cell
        if cell is None or cell.stage not in self._computation.evaluation.stages or self._view.hides(cell):
            return None
        return HistoryCell(cell.stage, self._view.index_of(cell))

    def _past(self, most: int) -> tuple[Callable[[], list[Problem]], int]:
        """Return a function that puts the states of the newest steps together, and the number of the first."""
        size = sum(array.nbytes for array in self._document.problem.arrays().values())
        past = self._document.past(min(most, max(2, HELD // max(1, size)), self._document.stack.index()))
        return past.problems, self._document.stack.index() - len(past)
