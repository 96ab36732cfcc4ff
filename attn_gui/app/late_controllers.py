"""Controllers that no first picture needs, built once that is painted. Importing this imports what they stand on."""

from __future__ import annotations

from functools import partial

from attn_gui.app.actions.actions import Actions
from attn_gui.app.actions.context_menus import ContextMenus
from attn_gui.app.actions.tips import TipsController
from attn_gui.app.actions.window_commands import CommandsController
from attn_gui.app.app_context import AppContext
from attn_gui.app.editing.heads import HeadEdits, InterventionsController
from attn_gui.app.editing.map_cells import CellBlocks, TypingController
from attn_gui.app.editing.masks import MasksController, PaintingController
from attn_gui.app.editing.targets import TargetController, TargetDragController
from attn_gui.app.explain import ReachController
from attn_gui.app.files.export import ExportController
from attn_gui.app.files.import_arrays import ArraysController
from attn_gui.app.files.incoming_files import IncomingFiles
from attn_gui.app.files.recovery import Recovery
from attn_gui.app.history import CellHistoryController, HistoryController, SnapshotsController
from attn_gui.app.inspector_tabs import SensitivityController, VerifyController
from attn_gui.app.lessons.exercises import Exercises
from attn_gui.app.lessons.lessons import LessonsController
from attn_gui.app.lessons.worksheets import SolutionSaving, WorksheetsController
from attn_gui.app.maps.comparing import CompareController, SidesController
from attn_gui.app.maps.d_k_slider import DkController
from attn_gui.app.maps.gradients import GradientController
from attn_gui.app.maps.maps import MapKeys
from attn_gui.app.model_controller import ModelController, ModelsAtHand
from attn_gui.app.model_run_controller import ModelRunController, SecondTextController
from attn_gui.app.pages import CodeSaving, CurveFitting, PagesController
from attn_gui.app.program import Controllers
from attn_gui.app.tables.finding import FindController
from attn_gui.app.tables.table_edits import CopyController, RowEdits, TableEdits, TableTarget
from attn_gui.app.tables.table_pasting import TableBlocks
from attn_gui.app.walk_controller import WalkController


class LateControllers:
    """Editing, comparing, searching, judging, keys and menus, pages, export, lessons and models."""

    def __init__(self, context: AppContext, first: Controllers) -> None:
        window, actions, note = context.window, context.bars.actions, first.status.note
        # editing
        self.target = TableTarget(context, first.tables)
        self.table_edits = TableEdits(context, first.tables, self.target)
        self.table_blocks = TableBlocks(context, first.tables, self.target, note)
        self.table_blocks.newAsked.connect(lambda fields: first.files.open_made(lambda: fields))
        self.painting = PaintingController(context)
        self.targets = TargetController(context)
        self.cell_blocks = CellBlocks(context, self.table_blocks)
        self.target_drag = TargetDragController(context, self.painting, self.cell_blocks.shows_now)
        self.row_edits = RowEdits(context, self.target, note)
        self.copying = CopyController(window, self.target, self.table_edits)
        self.masks = MasksController(context, self.painting, note)
        self.typing = TypingController(context, self.targets, self.cell_blocks)
        self.interventions = InterventionsController(context)
        self.heads = HeadEdits(context, note)
        # comparing, searching, judging
        self.compare, self.sides = CompareController(context), SidesController(context)
        self.widths = DkController(context, note)
        self.keys = MapKeys(context, first.tables, first.maps.step_head, self._put_away)
        self.cell_history = CellHistoryController(context)
        self.gradients = GradientController(context)
        self.reach = ReachController(context, first.tables)
        self.context_menus = ContextMenus(context, first.tables)
        self.history = HistoryController(context)
        self.snapshots = SnapshotsController(context, self.compare)
        self.arrays = ArraysController(context, first.files)
        self.recovery = Recovery(context, first.files)
        self.window_commands = CommandsController(context, self.keys, first.files, first.parts)
        self.finding = FindController(context, first.tables)
        self.sensitivity = SensitivityController(context)
        self.tips = TipsController(context)
        self.verify = VerifyController(context)
        for tool in (self.painting, self.target_drag):
            tool.changed.connect(actions.show_states)
        self.cell_history.changed.connect(partial(actions.show_states, of=self.cell_history.commands()))
        # pages, export, lessons, models
        self.pages = PagesController(context)
        self.export = ExportController(context, self.pages)
        self.models = ModelController(context, first.files)
        self.recovery.recovered.connect(self.models.show_recovered)
        self.model = ModelRunController(context, self.models)
        self.code = CodeSaving(context)
        self.curve = CurveFitting(context)
        self._connect_model(actions)
        self.walk = WalkController(context, first.status, self.painting)
        first.tables.on_new_table(self.walk.follow_table)
        self.exercises = Exercises(context)
        self.typing.answered.connect(self.exercises.take)
        self.worksheets = WorksheetsController(context)
        self.solutions = SolutionSaving(context)
        self.lessons = LessonsController(context, first.files, self.pages, self.model, self.walk)
        self.typing.answered.connect(self.lessons.take)
        self.at_hand = ModelsAtHand(context, self.models)
        self.second_text = SecondTextController(context, self.models.steps, self.model, self.compare)
        self.incoming_files = IncomingFiles(
            window, first.files, self.arrays, self.table_blocks, self.target, self.lessons, self.models
        )

    def _put_away(self) -> bool:
        """Leave the tools that take the mouse; whether one was active."""
        return self.painting.leave() or self.target_drag.leave()

    def _connect_model(self, actions: Actions) -> None:
        pages, model = self.pages, self.model
        pages.exportAsked.connect(self.export.export_page)
        pages.headAsked.connect(model.choose)
        model.changed.connect(lambda: pages.set_model(model.context()))
        model.staleChanged.connect(pages.set_model_stale)
        model.changed.connect(actions.show_states)
