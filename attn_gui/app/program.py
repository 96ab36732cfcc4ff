"""The program of one window: its document and controllers made and connected, its end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.action_table import FIND_ROWS, HEAD_ROWS
from attn_gui.app.actions.actions import Actions
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.edit_runner import EditRunner
from attn_gui.app.editing.sizes_and_parts import ShapeController
from attn_gui.app.editing.variants import LayerController, VariantsController
from attn_gui.app.explain import ExplainController
from attn_gui.app.files.examples import FIRST, example_of
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.kept_view import SessionView, keep_look, kept_look
from attn_gui.app.maps.comparing import WipeController
from attn_gui.app.maps.head_readings import ReadingsController
from attn_gui.app.maps.maps import MapsController
from attn_gui.app.shell import Shell
from attn_gui.app.simple_window import SimpleWindowController
from attn_gui.app.start_page import StartPage
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.translated_errors import why_lacking
from attn_gui.app.state.view_state import PARTS, ViewState, show_whole
from attn_gui.app.tables.tables import TablesController
from attn_gui.app.title_and_status import ProgressController, StatusController, TitleController
from attn_gui.app.unexpected_errors import Faults
from attn_gui.document.document import Document
from attn_gui.engine import Problem
from attn_gui.engine.graph.stage import Role
from attn_gui.formats.named.array_mapping import ArrayMapping
from attn_gui.paths import is_lesson, is_model

if TYPE_CHECKING:
    from attn_gui.app.late_controllers import LateControllers
    from attn_gui.app.tour import Tour


# --- controllers that the first picture needs ------------------------------------------------------
class Controllers:
    """Maps, tables, what is set in the panels beside them, and files; all others are `LateControllers`."""

    def __init__(self, context: AppContext) -> None:
        self.title = TitleController(context)
        self.status = StatusController(context)
        context.runner.noted.connect(self.status.note)
        self.maps = MapsController(context)
        self.wiping = WipeController(context)
        self.readings = ReadingsController(context)
        self.progress = ProgressController(context)
        self.tables = TablesController(context)
        self.explain = ExplainController(context)

        self.shapes = ShapeController(context, self.status.note)
        context.computation.refused.connect(self.shapes.show_state)
        self.variants = VariantsController(context)
        context.computation.refused.connect(self.variants.show_state)
        self.layer = LayerController(context)

        self.files = FilesController(context)
        self.session_view = SessionView(context, self.files)
        self.parts = SimpleWindowController(context)


# --- program ---------------------------------------------------------------------------------------
NOTHING = Problem(query=[[0.0]], key=[[0.0]], value=[[0.0]])
"""Problem of the document until the file that is opened first is read."""


class Program(QObject):
    """Program of one window; it can be used once it is complete and something is opened in it."""

    late: LateControllers
    tour: Tour

    def __init__(
        self,
        app: QApplication,
        lang: str | None = None,
        shell: Shell | None = None,
        start_page: StartPage | None = None,
        *,
        opens: bool = False,
    ) -> None:
        """Build the program in a shell whose window is on the screen already, with its start page, or in a new one.

        Where it `opens` a file at once, the example that it begins with else is not read.
        """
        super().__init__(app)
        self._shell = shell = shell or Shell(app, lang)
        self.start_page = start_page or StartPage(shell)
        self.settings, self.appearance, self.window = shell.settings, shell.appearance, shell.window
        self.bars, self.layout = shell.bars, shell.layout
        self.window.fill()
        self.faults = Faults(self.window)
        self._example = None if opens else (example_of(FIRST), example_of(FIRST).load())
        problem, name = (self._example[1].problem, self._example[0].name) if self._example else (NOTHING, "")
        self.document = Document(problem, name=name, parent=self)
        self.runner = EditRunner(self.window, self.document)  # before who may refuse the document anew
        self.computation = Computation(self.document, self)
        self.baseline = Baseline(self.document, self.computation, self)
        self.view = ViewState(self.computation, self.baseline, kept_look(self.settings, example_of(FIRST).head), self)
        self.context = AppContext(
            window=self.window,
            settings=self.settings,
            appearance=self.appearance,
            bars=self.bars,
            document=self.document,
            computation=self.computation,
            baseline=self.baseline,
            view=self.view,
            runner=self.runner,
        )
        self.first = Controllers(self.context)
        self._connect(shell)
        keep_look(self.view, self.settings)
        self._follow_states(self.bars.actions)
        self.window.languageChanged.connect(self._on_language_changed)
        self.window.fit_panels()

    @property
    def files(self) -> FilesController:
        """The controller of what is open."""
        return self.first.files

    def _connect(self, shell: Shell) -> None:
        when = shell.when_complete
        self.computation.held.connect(self.window.hold_picture)
        self.computation.slow.connect(self.window.set_busy)
        self.first.tables.on_new_table(self.layout.follow_columns)
        self.window.inspector.first.startRequested.connect(self.start_page.show)
        self.bars.actions.before = self.start_page.give_way
        self.files.modelNeeded.connect(lambda *session: when(lambda: self.late.models.open_session(*session)))
        self.files.foreign.connect(lambda path, error: when(lambda: self.late.arrays.choose(path, error)))
        self.files.chosen.connect(self.take_in_all)
        self.window.closeAsked.connect(self._on_window_close_asked)
        self.window.dropped.connect(self.take_in_all)
        self.bars.add((*FIND_ROWS, *HEAD_ROWS))

    def complete(self) -> None:
        """Build the controllers that no first picture needs, and open the lesson or model that was given, if any."""
        from attn_gui.app.late_controllers import LateControllers
        from attn_gui.app.tour import Tour

        with self.view.adding_followers():
            self.late = LateControllers(self.context, self.first)
        self.tour = Tour(self.context, self.files, self.start_page)
        self.window.product.tokensRequested.connect(self.bars.actions["tokens"].trigger)
        self._connect_commands([*vars(self.late).values(), self.tour])
        self.start_page.connect_late(self.context, self.files, self.late.lessons, self.late.models)
        self.computation.hold_threads()
        self._shell.set_complete()
        self.bars.actions.catch_up()
        self.late.recovery.begin()

    def _follow_states(self, actions: Actions) -> None:
        """Have what is checked and enabled follow the view and the look."""
        actions.lacking = lambda reads: why_lacking(self.document.problem, [Role[name] for name in reads])
        self.view.follow(actions.show_states, *PARTS)
        self.appearance.changed.connect(actions.show_states)
        self.appearance.changed.connect(self.bars.size_icons)
        self.window.history.snapshots.chosen.connect(actions.show_states)
        self.window.zoomAsked.connect(self.appearance.step_zoom)
        self._connect_commands(self._parts())

    def _connect_commands(self, parts: Iterable[object]) -> None:
        """Connect each action to the part that answers it; the menus have those that these parts have added."""
        for part in parts:
            if hasattr(part, "commands"):
                self.bars.actions.connect_commands(part.commands())
        self.bars.show_menus()
        self.bars.actions.show_states()

    def _parts(self) -> list[object]:
        """Return the parts that it was built of; `Controller` says by which names they are called."""
        groups = (self, self.first, *([self.late] if hasattr(self, "late") else []))
        return [part for group in groups for part in vars(group).values()]

    def _on_window_close_asked(self, event: QCloseEvent) -> None:
        if not self._shell.complete:
            event.ignore()
            self._shell.when_complete(self.window.close)
        elif all(part.wait() for part in self._parts() if hasattr(part, "wait")) and self.files.may_leave():
            self.layout.remember()
            self.files.journaling.forget()
            for part in (self.files, self.runner, self.late.table_blocks.reading, self.late.recovery):
                part.finish()
        else:
            event.ignore()

    def _on_language_changed(self) -> None:
        self.bars.retranslate()  # actions and steps have their names before these are shown
        self.document.retranslate()
        rest = (part for part in self._parts() if part not in (self.bars, self.document))
        self.view.notify_in_turns([part.retranslate for part in rest if hasattr(part, "retranslate")], whole=True)

    def begin(self, path: Path | None, arrangement: ArrayMapping | None = None) -> None:
        """Open what `show_first` opens, and build everything."""
        self.show_first(path, arrangement)
        self.complete()

    def show_first(self, path: Path | None, arrangement: ArrayMapping | None = None) -> None:
        """Open the file that was given, else the real example of the first start; why it was not the file stays. A
        lesson or a model is opened once the program is complete."""
        path = path or self.settings.first()
        if later := path is not None and (is_lesson(path) or is_model(path)):
            self._shell.when_complete(partial(self.take_in, path))
        elif later := path is not None and arrangement is not None:
            self._shell.when_complete(lambda: self.late.arrays.open_arranged(path, arrangement))
        if path is None or later or not self.files.open_path(path):
            if self._example is None:
                self.files.open_fallback_example(example_of(FIRST))
            else:
                self.files.note_first_example(*self._example, announced=path is None and not self.start_page.shown)
                self.view.show_all()
        if self.computation.pending:  # a long problem: maps of nothing cannot be laid out
            show_whole(self.first.maps.show)
        else:
            self.view.notify_all()  # the first picture is whole
        self.window.reveal()
        self.layout.share_inputs()
        if not self.start_page.shown:
            self.window.product.focus_map()

    def take_in(self, path: Path) -> None:
        """Open a file as if it was dropped."""
        self.take_in_all([path])

    def take_in_all(self, paths: Sequence[Path], field: str = "") -> None:
        """Open files that were dropped or chosen together."""
        self._shell.when_complete(lambda: self.late.incoming_files.take(paths, field))

    def end(self) -> None:
        """Close without asking; what is unsaved stays in its journal, which the next start offers."""
        self.layout.remember()
        self.window.hide()  # gives up what is half typed
        self.computation.end()
        self.baseline.end()
        for part in self._parts():
            if hasattr(part, "finish"):
                part.finish()
        for timer in self.window.findChildren(QTimer):
            timer.stop()
        tasks = self.window.findChildren(BackgroundTask)
        for task in tasks:
            task.forget()  # all of them before the first is waited for
        for task in tasks:  # deleted, it would wait with Python's lock
            task.wait()
        from attn_gui.pictures.tile_cache import TileCache  # not needed to start

        for tiles in (*self.findChildren(TileCache), *self.window.findChildren(TileCache)):  # ended ones may still draw
            tiles.finish()
        self.window.blockSignals(True)  # nobody is asked
        self.window.close()
        for owned in (self.window, self.appearance, self._shell, self):
            owned.deleteLater()
