"""Undo, Redo, jumps in the list of steps, memory for it, which step moved a cell most; snapshots taken, named."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QTimer, Signal

from attn_gui.app.actions.action_table import HISTORY_SIZES
from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.examples import shown_name
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.state.background_task import LARGE, BackgroundTask, Stopped, WindowTask
from attn_gui.app.state.baseline import signed_text
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.document import DocumentChange
from attn_gui.document.edits import Label, SetFields, fill_template, quoted
from attn_gui.engine import Problem
from attn_gui.engine.arrays import Progress
from attn_gui.engine.comparison import Suspect, alike, blame, cell_or_none
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.formats.snapshots import LONGEST_NAME, LONGEST_NOTE, Snapshot
from attn_gui.languages import N_
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.banner import BannerOffer
from attn_gui.views.dialogs.dialog_base import WorkLine, asked
from attn_gui.views.history_panel import COMPARE, DELETE, NAME, OPEN, SnapshotRow
from attn_gui.views.inspector.cell_relations import cell_name

# --- steps ----------------------------------------------------------------------------------------
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
        limits = choices({f"history_{size}": size for size in HISTORY_SIZES}, lambda: self.limit_mb, self.set_limit_mb)
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
        """The megabytes of steps that are kept: one of `HISTORY_SIZES`."""
        chosen = self._settings.number("history_mb", DEFAULT_MB)
        return int(chosen) if chosen in HISTORY_SIZES else DEFAULT_MB

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
            self._list.model.set_origin(fill_template(self.tr("Opened {name}"), {"name": shown_name(*self._file)}))

    def _on_document_changed(self, change: DocumentChange) -> None:
        if change.opened:
            self._begin()
            self._show_origin()

    def _enable_next(self, *_: object) -> None:
        stack = self._document.stack
        self._actions["undo"].setEnabled(stack.canUndo())
        self._actions["redo"].setEnabled(stack.canRedo())

    def _name_next(self) -> None:
        """Put the name of the next step into Undo and Redo."""
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
        arrays = self._document.arrays.values()
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


# --- snapshots ------------------------------------------------------------------------------------
Take = Callable[[Snapshot, Problem], object]


class SnapshotsController(Controller):
    """Ties the list to the document's snapshots; a large one is put together beside the window."""

    def __init__(self, context: AppContext, compare: CompareController) -> None:
        super().__init__(context)
        self._list = context.window.history.snapshots
        self._compare = compare
        self._work = WindowTask(context.window, "fetching")
        self._work.ended.connect(self._on_work_ended)
        self._take: tuple[Snapshot, Take] | None = None
        self._answers = {OPEN: self.open, COMPARE: self.compare, NAME: self.rename, DELETE: self.delete}
        self._list.take.clicked.connect(self.take)
        self._list.asked.connect(lambda what, row: self._answers[what](context.document.snapshots.all[row]))
        context.document.snapshots.changed.connect(self.show)
        context.document.opened.connect(self._work.forget)
        context.baseline.changed.connect(self.show)
        self.show()

    def commands(self) -> dict[str, Command]:
        named = {
            "open_snapshot": self.open,
            "compare_with_snapshot": self.compare,
            "name_snapshot": self.rename,
            "delete_snapshot": self.delete,
        }
        on_chosen = {
            name: Command(partial(self._with_chosen, do), enabled=lambda: self._list.row() >= 0)
            for name, do in named.items()
        }
        return {"snapshot": Command(self.take), **on_chosen}

    def finish(self) -> None:
        """Count as saved; for the end of the program."""
        self._document.snapshots.mark_saved(self._document.snapshots.all)

    @property
    def busy(self) -> bool:
        """Whether one is still being put together."""
        return self._work.busy

    # --- what is asked ---------------------------------------------------------------------------
    def take(self) -> None:
        """Keep the present state, named after the step that led to it."""
        document = self._document
        try:
            document.snapshots.take(document.problem, document.stack.undoText() or document.name, document.study)
        except (ValueError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        self._list.reveal()

    def open(self, snapshot: Snapshot) -> None:
        """Make one the present state, as one step of the history; one of another layer has no place in this one."""
        if self._document.layer and snapshot.layer not in (None, self._document.layer):
            self._window.banner.show_error(lambda: self._elsewhere(snapshot))
            return
        self._fetch(snapshot, self._open)

    def compare(self, snapshot: Snapshot) -> None:
        """Compare the document with one."""
        self._fetch(snapshot, lambda found, problem: self._compare.compare_with_state(problem, found.name))

    def rename(self, snapshot: Snapshot) -> None:
        """Ask for another name and a note."""
        from attn_gui.views.dialogs.small_dialogs import SnapshotDialog

        dialog = SnapshotDialog(snapshot.name, snapshot.note, (LONGEST_NAME, LONGEST_NOTE), self._window)
        if asked(dialog) and dialog.answer() != (snapshot.name, snapshot.note):
            name, note = dialog.answer()
            self._document.snapshots.replace(snapshot, replace(snapshot, name=name, note=note, by_itself=False))

    def delete(self, snapshot: Snapshot) -> None:
        """Take one away, and offer to put it back."""
        snapshots = self._document.snapshots
        place = snapshots.remove(snapshot)

        def put_back() -> None:
            try:
                snapshots.put_back(place, snapshot)
            except ValueError as error:
                self._window.banner.show_error(saying(error))

        def words() -> str:
            return self.tr("The snapshot “{name}” was deleted.").format(name=quoted(snapshot.name))

        back = BannerOffer(
            lambda: self.tr("Put it back"), lambda: self.tr("It takes its place in the list again"), put_back
        )
        self._window.banner.show_info(words, offers=[back])

    def show(self) -> None:
        """Show the present list."""
        compared = self._baseline.state if self._baseline.pinned else ""
        rows = [
            SnapshotRow(each.name, each.note, each.by_itself, each.name == compared)
            for each in self._document.snapshots.all
        ]
        self._list.set_rows(rows)

    def _with_chosen(self, do: Callable[[Snapshot], None]) -> None:
        if self._list.row() >= 0:
            do(self._document.snapshots.all[self._list.row()])

    def _open(self, snapshot: Snapshot, problem: Problem) -> None:
        gone: dict[str, object] = dict.fromkeys(self._document.problem.fields())
        label = Label(N_("History", "snapshot “{name}”"), {"name": quoted(snapshot.name)})
        self._document.apply(SetFields(gone | dict(problem.fields()), label))

    def _fetch(self, snapshot: Snapshot, take: Take) -> None:
        """Hand the problem of one to `take`: at once, or when it is put together."""
        self._take = snapshot, take
        if snapshot.problem_nbytes > LARGE:
            self._work.start(lambda _: snapshot.problem(), snapshot.name)
            return
        self._on_work_ended(outcome_of(snapshot.problem))

    def _elsewhere(self, snapshot: Snapshot) -> str:
        assert snapshot.layer is not None
        said = self.tr("The snapshot “{name}” is of layer {layer} with the text “{text}”: go there, then open it.")
        layer, text = snapshot.layer
        return said.format(name=quoted(snapshot.name), layer=layer, text=quoted(text))

    def _on_work_ended(self, outcome: Future[Problem]) -> None:
        asked_for, self._take = self._take, None
        try:
            found = outcome.result()
        except (ValueError, TypeError, MemoryError) as error:
            self._window.banner.show_error(saying(error))
            return
        if asked_for is not None:
            snapshot, take = asked_for
            take(snapshot, found)
