"""The whole program in one place: the document, the window and the controllers between them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.commands import CommandsController
from attn_gui.app.computation import Computation
from attn_gui.app.context_menus import ContextMenus
from attn_gui.app.copying import CopyController
from attn_gui.app.curve import CurveController
from attn_gui.app.examples import FIRST, example_of
from attn_gui.app.explain import ExplainController
from attn_gui.app.export import ExportController
from attn_gui.app.faults import Faults
from attn_gui.app.files import FilesController
from attn_gui.app.history import HistoryController
from attn_gui.app.judging import SensitivityController, VerifyController
from attn_gui.app.kept_view import KeptView, kept_look
from attn_gui.app.keys import MapKeys
from attn_gui.app.making import Making
from attn_gui.app.maps import MapsController
from attn_gui.app.panel import PanelController
from attn_gui.app.progress import ProgressController
from attn_gui.app.reach import ReachController
from attn_gui.app.session_view import SessionView
from attn_gui.app.shell import Shell
from attn_gui.app.status import StatusController
from attn_gui.app.table_blocks import TableBlocks
from attn_gui.app.table_edits import TableEdits
from attn_gui.app.table_target import TableTarget
from attn_gui.app.tables import TablesController
from attn_gui.app.targets import TargetController
from attn_gui.app.tips import TipsController
from attn_gui.app.variants import VariantsController
from attn_gui.app.view_state import ViewState
from attn_gui.document.document import Change, Document
from attn_gui.formats import matrices, suffixes


class Program(QObject):
    """Everything that lives as long as the window; it can be used as soon as something is opened in it."""

    def __init__(self, app: QApplication, lang: str | None = None, shell: Shell | None = None) -> None:
        """Build the program in a shell whose window is on the screen already, or in a new one."""
        super().__init__(app)
        self._shell = shell = shell or Shell(app, lang)
        self.settings, self.look, self.window, self.layout = shell.settings, shell.look, shell.window, shell.layout
        self.window.fill()
        self.faults = Faults(self.window)
        first = example_of(FIRST)
        self._first = first, first.load()
        self.document = Document(self._first[1].problem, name=first.name, parent=self)
        self.document.changed.connect(self._on_document_changed)  # before all that may refuse something again
        self.computation = Computation(self.document, self)
        self.view = ViewState(self.computation, kept_look(self.settings, first.head), self)
        window, document, computation, view = self.window, self.document, self.computation, self.view
        self.making = Making(window, document)
        self.status = StatusController(window, document, computation, view)
        self.maps = MapsController(window, document, computation, view)
        self.tables = TablesController(window, document, computation, view, self.making)
        self.target = TableTarget(window, document, self.tables, view, self.making)
        self.table_edits = TableEdits(window, document, self.tables, self.target, self.making)
        self.table_blocks = TableBlocks(
            window, document, self.tables, self.target, self.making, self.settings, self.status.tell
        )
        self.panel = PanelController(window, document, computation, view, self.making, self.status.tell)
        computation.refused.connect(self.panel.show_state)
        self.table_edits.directRequested.connect(self.panel.make_direct)
        self.sensitivity = SensitivityController(window, computation, view)
        self.curve = CurveController(window, document, computation, view, self.making)
        self.targets = TargetController(window, document, computation, view, self.making)
        self.verify = VerifyController(window, document)
        self.variants = VariantsController(window, document, view, self.making)
        self.explain = ExplainController(window, computation, view)
        self.tips = TipsController(window, view)
        self.reach = ReachController(window, document, computation, view, self.tables)
        self.progress = ProgressController(window, computation, view)
        self.files = FilesController(window, document, self.settings, self.making)
        self.variants.newRequested.connect(self.files.new)
        self.session_view = SessionView(window, computation, view, self.files)
        window.closeAsked.connect(self._on_window_close_asked)
        window.closeAsked.connect(self.layout.remember)  # after the files had their say
        self.history = HistoryController(window, document, self.settings)
        self.export = ExportController(window, document, computation, view, self.settings, self.look)
        self.keys = MapKeys(window, computation, view, self.tables, self.maps.step_head)
        window.dropped.connect(self.take_in)
        self.copying = CopyController(window, shell.bars.actions)
        self.context_menus = ContextMenus(window, shell.bars)
        self.commands = CommandsController(self, shell.bars)
        KeptView(view, self.settings)
        window.fit_panels()

    def _on_document_changed(self, change: Change) -> None:
        """Withdraw earlier refusals; whoever opens a document says what there is to say of it."""
        if not change.opened:
            self.window.banner.withdraw_refusal()

    def _on_window_close_asked(self, event: QCloseEvent) -> None:
        if event.isAccepted():
            self.table_blocks.reading.finish()

    def begin(self, path: Path | None) -> None:
        """Open the file that was given, else the real example of the first start; why it was not the file stays."""
        if path is None or not self.files.open_path(path):
            self.files.began_with(*self._first, told=path is None)
            self.view.show_all()
        if self.computation.pending:  # a long problem: maps of nothing cannot be laid out
            self.maps.show()
        self.window.reveal()
        self.layout.share_inputs()
        self.keys.to_map()

    def take_in(self, path: Path, field: str = "") -> None:
        """A file that was dropped: one matrix goes into the table below it, or is offered to all; else it is opened."""
        if path.suffix.lower() not in suffixes(matrices()):
            self.files.open_path(path)
            return
        if not self.window.settle():
            return
        if not field:
            self.table_blocks.offer_path(path)
            return
        self.target.use(field)
        if self.target.writable():
            self.table_blocks.import_path(path)

    def end(self) -> None:
        """Close without asking; for whoever drives the program from outside."""
        self.window.hide()  # gives up what is half typed
        self.computation.end()
        self.view.finish()
        self.making.finish()
        self.table_blocks.reading.finish()
        self.verify.finish()
        self.targets.finish()
        self.export.finish()
        self.sensitivity.finish()
        self.curve.finish()
        self.copying.finish()
        self.window.history.set_stack(None)
        self.document.stack.setClean()
        self.document.stack.blockSignals(True)  # it tells of its end, when whoever listens is gone
        self.window.close()
        for owned in (self.window, self.look, self._shell, self):
            owned.deleteLater()
