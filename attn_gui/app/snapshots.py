"""What is done with snapshots: taken, opened as a step, compared with, named, deleted and put back."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.state.background_task import LARGE, WindowTask
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.edits import Label, SetFields, quoted
from attn_gui.engine import Problem
from attn_gui.formats.snapshots import LONGEST_NAME, LONGEST_NOTE, Snapshot
from attn_gui.languages import N_
from attn_gui.pictures.worker_thread import outcome_of
from attn_gui.views.banner import BannerOffer
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.dialogs.progress import WorkLine
from attn_gui.views.snapshots import COMPARE, DELETE, NAME, OPEN, SnapshotRow

Take = Callable[[Snapshot, Problem], object]


class SnapshotsController(Controller):
    """Ties the list to the document's snapshots; a large one is put together beside the window."""

    def __init__(self, context: AppContext, compare: CompareController) -> None:
        super().__init__(context)
        self._list = context.window.history.snapshots
        self._compare = compare
        self._work = WindowTask(context.window, WorkLine("fetching", context.window))
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
