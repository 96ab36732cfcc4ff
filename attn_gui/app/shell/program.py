"""The whole program in one place: the document, the window and the controllers between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Actions
from attn_gui.app.by_hand.cell_blocks import CellBlocks
from attn_gui.app.by_hand.interventions import InterventionsController
from attn_gui.app.by_hand.typing_into_maps import TypingController
from attn_gui.app.files.examples import FIRST, example_of
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.recovery import Recovery
from attn_gui.app.files.session_view import SessionView
from attn_gui.app.finding.find_rows import FIND_ROWS
from attn_gui.app.inspector.explain import ExplainController
from attn_gui.app.inspector.history_jumps import HistoryController
from attn_gui.app.inspector.snapshot_commands import SnapshotsController
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.maps.context_menus import ContextMenus
from attn_gui.app.maps.gradients import GradientController
from attn_gui.app.maps.map_shortcuts import MapKeys
from attn_gui.app.maps.maps import MapsController
from attn_gui.app.maps.progress import ProgressController
from attn_gui.app.maps.reach import ReachController
from attn_gui.app.maps.readings import ReadingsController
from attn_gui.app.maps.splitting import SplitController
from attn_gui.app.maps.status import StatusController
from attn_gui.app.model.model_folder import is_model
from attn_gui.app.problem.head_rows import HEAD_ROWS
from attn_gui.app.problem.layer_edits import LayerController
from attn_gui.app.problem.mask_edits import MasksController
from attn_gui.app.problem.painting import PaintingController
from attn_gui.app.problem.shape_edits import PanelController
from attn_gui.app.problem.targets import TargetController
from attn_gui.app.problem.variants import VariantsController
from attn_gui.app.shell.faults import Faults
from attn_gui.app.shell.program_parts import Acting, Ending, Speaking
from attn_gui.app.shell.shell import Shell
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.kept_view import KeptView, kept_look
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import PARTS, ViewState
from attn_gui.app.tables.copying import CopyController
from attn_gui.app.tables.row_edits import RowEdits
from attn_gui.app.tables.table_blocks import TableBlocks
from attn_gui.app.tables.table_edits import TableEdits
from attn_gui.app.tables.table_target import TableTarget
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Change, Document
from attn_gui.formats.named.arrangement import Arrangement
from attn_gui.lessons.lesson_ending import is_lesson
from attn_gui.views.main_window import MainWindow


class Program(QObject):
    """Everything that lives as long as the window; it can be used once it is complete and something is opened in it."""

    def __init__(self, app: QApplication, lang: str | None = None, shell: Shell | None = None) -> None:
        """Build the program in a shell whose window is on the screen already, or in a new one."""
        super().__init__(app)
        self._shell = shell = shell or Shell(app, lang)
        self.settings, self.look, self.window = shell.settings, shell.look, shell.window
        self.bars, self.layout = shell.bars, shell.layout
        self.window.fill()
        self.faults = Faults(self.window)
        first = example_of(FIRST)
        self._first = first, first.load()
        self._waiting: list[Callable[[], object]] | None = []  # until it is complete
        self.document = Document(self._first[1].problem, name=first.name, parent=self)
        self.document.changed.connect(self._on_document_changed)
        self.computation = Computation(self.document, self)
        self.baseline = Baseline(self.document, self.computation, self)
        self.view = ViewState(self.computation, self.baseline, kept_look(self.settings, first.head), self)
        self.making = Making(self.window, self.document)
        self._build_maps()
        self._build_tables()
        self._build_problem()
        self._build_inspector()
        self._build_files()
        self._build_shell()
        KeptView(self.view, self.settings)
        self._follow_states(self.bars.actions)
        self.window.installEventFilter(self)
        self.window.fit_panels()

    # --- the rooms -------------------------------------------------------------------------------
    def _build_maps(self) -> None:
        window, document, computation, view = self._shared()
        self.status = StatusController(window, document, computation, self.baseline, view)
        self.maps = MapsController(window, document, computation, self.baseline, view)
        self.compare = CompareController(window, document, computation, self.baseline, view, self.bars)
        self.gradients = GradientController(window, document, computation, view)
        self.splitting = SplitController(window, computation, self.baseline, view)
        self.readings = ReadingsController(window, computation, view, self.bars)
        self.progress = ProgressController(window, computation, view)

    def _build_tables(self) -> None:
        window, document, computation, view = self._shared()
        self.tables = TablesController(window, document, computation, self.baseline, view, self.making)
        self.layout.follow_columns(self.tables)
        self.target = TableTarget(window, document, self.tables, view, self.making)
        self.table_edits = TableEdits(window, document, self.tables, self.target, self.making)
        self.table_blocks = TableBlocks(
            window, document, self.tables, self.target, self.making, self.settings, self.status.tell
        )
        self.row_edits = RowEdits(window, document, self.target, self.making, self.status.tell)
        self.copying = CopyController(window, self.target, self.table_edits)
        self.reach = ReachController(window, document, computation, view, self.tables)
        self.keys = MapKeys(window, computation, view, self.tables, self.maps.step_head, lambda: self.painting.leave())
        self.context_menus = ContextMenus(window, self.bars, self.tables)

    def _build_problem(self) -> None:
        window, document, computation, view = self._shared()
        self.panel = PanelController(window, document, computation, view, self.making, self.status.tell)
        computation.refused.connect(self.panel.show_state)
        self.painting = PaintingController(window, document, computation, view, self.making, self.settings, self.bars)
        self.masks = MasksController(window, document, computation, view, self.making, self.painting, self.status.tell)
        self.table_edits.directRequested.connect(self.panel.make_direct)
        self.targets = TargetController(window, document, computation, view, self.making)
        self.variants = VariantsController(window, document, view, self.making)
        self.layer = LayerController(window, document, view, self.making)

    def _build_inspector(self) -> None:
        window, document, computation, view = self._shared()
        self.cell_blocks = CellBlocks(window, document, computation, view, self.making, self.table_blocks)
        self.typing = TypingController(window, document, computation, view, self.making, self.targets, self.cell_blocks)
        self.interventions = InterventionsController(window, document, computation, view, self.making, self.bars)
        self.explain = ExplainController(window, computation, view)
        self.history = HistoryController(window, document, self.settings, self.bars.actions)
        self.snapshots = SnapshotsController(window, document, self.baseline, self.compare)

    def _build_files(self) -> None:
        window, document, computation, view = self._shared()
        self.files = FilesController(window, document, self.settings, self.making, self.bars.menus)
        self.files.modelNeeded.connect(lambda *session: self._when_complete(lambda: self.models.open_session(*session)))
        self.recovery = Recovery(window, self.files, self.look)
        self.files.foreign.connect(lambda path: self._when_complete(lambda: self.arrays.choose(path)))
        self.layer.newRequested.connect(self.files.new)
        self.session_view = SessionView(window, computation, view, self.files)

    def _build_shell(self) -> None:
        window = self.window
        window.closeAsked.connect(self._on_window_close_asked)
        window.dropped.connect(self.take_in_all)
        self.files.chosen.connect(self.take_in_all)
        self.bars.add((*FIND_ROWS, *HEAD_ROWS))

    def complete(self) -> None:
        """Build the rooms that no first picture needs, and open the lesson or model that was given, if it was one."""
        from attn_gui.app.shell.arrivals import Arrivals
        from attn_gui.app.shell.later_rooms import later_rooms
        from attn_gui.app.shell.later_tools import later_tools

        there = self._parts()
        parts = self.status, self.tables, self.painting, self.cell_blocks, self.keys
        tools = later_tools(
            self._shared(), *parts, self.baseline, self.making, self.files, self.settings, self.look, self.bars
        )
        self.arrays, self.commands, self.finding, self.heads, self.history_tells, self.pulling = tools[:6]
        self.sensitivity, self.takes, self.tips, self.verify = tools[6:]
        held = self.baseline, self.making, self.files, self.settings, self.look, self.bars, self.compare
        rooms = later_rooms(self._shared(), *held)
        self.pages, self.code, self.curve, self.export, self.exercises = rooms[:5]
        self.worksheets, self.solutions, self.lessons = rooms[5:8]
        self.models, self.model, self.at_hand, self.row_takes = rooms[8:]
        self.arrivals = Arrivals(
            self.window, self.files, self.arrays, self.table_blocks, self.target, self.lessons, self.models
        )
        self.typing.answered.connect(self.exercises.take)
        self.history_tells.changed.connect(self.bars.actions.show_states)
        self._tie(part for part in self._parts() if part not in there)
        self.tips.show()
        self.computation.hold_threads()
        waiting, self._waiting = self._waiting, None
        for do in waiting or ():
            do()
        self.bars.actions.catch_up()
        self.recovery.begin()

    def _shared(self) -> tuple[MainWindow, Document, Computation, ViewState]:
        """The parts that every room stands on."""
        return self.window, self.document, self.computation, self.view

    # --- between them ----------------------------------------------------------------------------
    def _follow_states(self, actions: Actions) -> None:
        """What is checked and enabled follows the view and the look."""
        self.view.follow(actions.show_states, *PARTS)
        self.look.changed.connect(actions.show_states)
        self.look.changed.connect(self.bars.size_icons)
        self.painting.changed.connect(actions.show_states)
        self.window.history.snapshots.chosen.connect(actions.show_states)
        self.window.zoomAsked.connect(self.look.step_zoom)
        self.window.product.tokensRequested.connect(actions["tokens"].trigger)
        self._tie(self._parts())

    def _tie(self, parts: Iterable[object]) -> None:
        """Each action to whoever answers it."""
        for part in parts:
            if isinstance(part, Acting):
                self.bars.actions.tie(part.commands())
        self.bars.actions.show_states()

    def _parts(self) -> list[object]:
        """Everything that it was built of."""
        return list(vars(self).values())

    def _when_complete(self, do: Callable[[], object]) -> None:
        """Do this now, or as soon as everything is built."""
        if self._waiting is None:
            do()
        else:
            self._waiting.append(do)

    def _on_document_changed(self, change: Change) -> None:
        """Withdraw earlier refusals; whoever opens a document says what there is to say of it."""
        if not change.opened:
            self.window.banner.withdraw_refusal()

    def _on_window_close_asked(self, event: QCloseEvent) -> None:
        if self.files.may_leave():
            self.layout.remember()
            for part in (self.files, self.making, self.table_blocks, self.recovery):
                part.finish()
        else:
            event.ignore()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            named = [self.bars, self.document]  # actions and steps have their names before these are shown
            for part in [*named, *(part for part in self._parts() if part not in named)]:
                if isinstance(part, Speaking):
                    part.retranslate()
        return super().eventFilter(watched, event)

    def begin(self, path: Path | None, arrangement: Arrangement | None = None) -> None:
        """Open what `show_first` opens, and build everything."""
        self.show_first(path, arrangement)
        self.complete()

    def show_first(self, path: Path | None, arrangement: Arrangement | None = None) -> None:
        """Open the file that was given, else the real example of the first start; why it was not the file stays. A
        lesson or a model is opened once the program is complete."""
        path = path or self.files.recent.first()
        if later := path is not None and (is_lesson(path) or is_model(path)):
            self._when_complete(partial(self.take_in, path))
        elif later := path is not None and arrangement is not None:
            self._when_complete(lambda: self.arrays.open_arranged(path, arrangement))
        if path is None or later or not self.files.open_path(path):
            self.files.began_with(*self._first, told=path is None)
            self.view.show_all()
        if self.computation.pending:  # a long problem: maps of nothing cannot be laid out
            self.maps.show()
        self.window.reveal()
        self.layout.share_inputs()
        self.keys.to_map()

    def take_in(self, path: Path, field: str = "") -> None:
        """Open a file as if it was dropped."""
        self.take_in_all([path], field)

    def take_in_all(self, paths: Sequence[Path], field: str = "") -> None:
        """Open files that were dropped or chosen together."""
        self._when_complete(lambda: self.arrivals.take(paths, field))

    def end(self) -> None:
        """Close without asking; for whoever drives the program from outside."""
        self.window.hide()  # gives up what is half typed
        self.computation.end()
        self.baseline.end()
        for part in self._parts():
            if isinstance(part, Ending):
                part.finish()
        from attn_gui.pictures.supply import Supply  # not needed to start

        for supply in (*self.findChildren(Supply), *self.window.findChildren(Supply)):  # ended ones may still draw
            supply.finish()
        self.window.close()
        for owned in (self.window, self.look, self._shell, self):
            owned.deleteLater()
