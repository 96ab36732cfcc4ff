"""Controllers that no first picture needs, built once it is painted, and the context that they are built in."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.actions.actions import Bars
from attn_gui.app.actions.commands import CommandsController, TipsController
from attn_gui.app.actions.context_menus import ContextMenus, MapKeys
from attn_gui.app.editing.heads import HeadEdits
from attn_gui.app.editing.interventions import CopyFromState, InterventionsController
from attn_gui.app.editing.making import Making
from attn_gui.app.editing.map_cells import CellBlocks, TypingController
from attn_gui.app.editing.masks import MasksController, PaintingController
from attn_gui.app.editing.shapes import ShapeController
from attn_gui.app.editing.targets import PullingController, TargetController
from attn_gui.app.files.export import ExportController
from attn_gui.app.files.files import FilesController
from attn_gui.app.files.import_arrays import ArraysController
from attn_gui.app.files.recovery import Recovery
from attn_gui.app.inspector.explain import ReachController
from attn_gui.app.inspector.history import HistoryController, HistoryTells
from attn_gui.app.inspector.pages import SensitivityController, VerifyController
from attn_gui.app.inspector.snapshots import SnapshotsController
from attn_gui.app.lessons.exercises import Exercises
from attn_gui.app.lessons.lessons import LessonsController
from attn_gui.app.lessons.worksheets import SolutionSaving, WorksheetsController
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.maps.gradients import GradientController
from attn_gui.app.maps.maps import MapsController
from attn_gui.app.maps.status import StatusController
from attn_gui.app.model.model_controller import ModelController, ModelsAtHand
from attn_gui.app.model.model_showing import ModelShowing
from attn_gui.app.model.row_takes import RowTakes
from attn_gui.app.pages import CodeSaving, CurveFitting, PagesController
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.settings import AppearanceController, Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.finding import FindController
from attn_gui.app.tables.table_blocks import TableBlocks
from attn_gui.app.tables.table_edits import CopyController, RowEdits, TableEdits, TableTarget
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.views.main_window import MainWindow

# --- context --------------------------------------------------------------------------------------
# The parts that the first picture needs, which every later controller is given.


class AppContext(NamedTuple):
    """The window, the document and its view, and the controllers that are there from the start."""

    window: MainWindow
    document: Document
    computation: Computation
    view: ViewState
    baseline: Baseline
    making: Making
    settings: Settings
    look: AppearanceController
    bars: Bars
    status: StatusController
    maps: MapsController
    tables: TablesController
    shapes: ShapeController
    files: FilesController


# --- editing --------------------------------------------------------------------------------------
# Controllers that change a problem by hand.


class LaterEdits(NamedTuple):
    """Tables, maps, masks, heads, targets and interventions."""

    target: TableTarget
    table_edits: TableEdits
    table_blocks: TableBlocks
    row_edits: RowEdits
    copying: CopyController
    painting: PaintingController
    masks: MasksController
    targets: TargetController
    cell_blocks: CellBlocks
    typing: TypingController
    interventions: InterventionsController
    heads: HeadEdits
    pulling: PullingController
    takes: CopyFromState


def later_edits(context: AppContext) -> LaterEdits:
    """Build the controllers of editing."""
    window, document = context.window, context.document
    computation, view = context.computation, context.view
    making, tables, tell = context.making, context.tables, context.status.tell
    target = TableTarget(window, document, tables, view, making)
    table_edits = TableEdits(window, document, tables, target, making)
    table_edits.directRequested.connect(context.shapes.make_direct)
    table_blocks = TableBlocks(window, document, tables, target, making, context.settings, tell)
    painting = PaintingController(window, document, computation, view, making, context.settings, context.bars)
    targets = TargetController(window, document, computation, view, making)
    cell_blocks = CellBlocks(window, document, computation, view, making, table_blocks)
    pulling = PullingController(window, document, computation, view, making, painting, cell_blocks.shows_now)
    for tool in (painting, pulling):
        tool.changed.connect(context.bars.actions.show_states)
    return LaterEdits(
        target=target,
        table_edits=table_edits,
        table_blocks=table_blocks,
        row_edits=RowEdits(window, document, target, making, tell),
        copying=CopyController(window, target, table_edits),
        painting=painting,
        masks=MasksController(window, document, computation, view, making, painting, tell),
        targets=targets,
        cell_blocks=cell_blocks,
        typing=TypingController(window, document, computation, view, making, targets, cell_blocks),
        interventions=InterventionsController(window, document, computation, view, making, context.bars),
        heads=HeadEdits(window, document, view, making, tell),
        pulling=pulling,
        takes=CopyFromState(window, document, context.baseline, view, making, cell_blocks),
    )


# --- comparing, searching, judging ----------------------------------------------------------------
# Also keys, menus and tips.


class LaterTools(NamedTuple):
    """Comparing, searching, judging, the history, asking which array is which, keys, menus and tips."""

    compare: CompareController
    gradients: GradientController
    reach: ReachController
    keys: MapKeys
    context_menus: ContextMenus
    history: HistoryController
    history_tells: HistoryTells
    snapshots: SnapshotsController
    arrays: ArraysController
    recovery: Recovery
    commands: CommandsController
    finding: FindController
    sensitivity: SensitivityController
    tips: TipsController
    verify: VerifyController


def later_tools(context: AppContext, edits: LaterEdits) -> LaterTools:
    """Build the tools; single keys put away those of editing."""
    window, document = context.window, context.document
    computation, view = context.computation, context.view
    baseline, bars, files, tables = context.baseline, context.bars, context.files, context.tables
    compare = CompareController(window, document, computation, baseline, view, bars)
    put_away = edits.painting.leave, edits.pulling.leave
    keys = MapKeys(
        window, computation, view, tables, context.maps.step_head, lambda: any(leave() for leave in put_away)
    )
    history_tells = HistoryTells(window, document, computation, view)
    history_tells.changed.connect(bars.actions.show_states)
    return LaterTools(
        compare=compare,
        gradients=GradientController(window, computation, view),
        reach=ReachController(window, document, computation, view, tables),
        keys=keys,
        context_menus=ContextMenus(window, bars, tables),
        history=HistoryController(window, document, context.settings, bars.actions),
        history_tells=history_tells,
        snapshots=SnapshotsController(window, document, baseline, compare),
        arrays=ArraysController(window, files, context.settings),
        recovery=Recovery(window, files, context.look),
        commands=CommandsController(window, bars, view, keys, files, context.look),
        finding=FindController(window, document, view, tables),
        sensitivity=SensitivityController(window, computation, view),
        tips=TipsController(window, view),
        verify=VerifyController(window, document),
    )


# --- pages, export, lessons, models ---------------------------------------------------------------


class LaterRooms(NamedTuple):
    """Pages, export, lessons and models."""

    pages: PagesController
    code: CodeSaving
    curve: CurveFitting
    export: ExportController
    exercises: Exercises
    worksheets: WorksheetsController
    solutions: SolutionSaving
    lessons: LessonsController
    models: ModelController
    model: ModelShowing
    at_hand: ModelsAtHand
    row_takes: RowTakes


def later_rooms(context: AppContext, compare: CompareController) -> LaterRooms:
    """Build all others; `compare` shows the layer that rows of a model are copied from."""
    window, document = context.window, context.document
    computation, view = context.computation, context.view
    making, files, settings, look, bars = context.making, context.files, context.settings, context.look, context.bars
    pages = PagesController(window, document, computation, view, look, bars)
    export = ExportController(window, document, computation, context.baseline, view, settings, look, pages)
    pages.exportAsked.connect(export.export_page)
    models = ModelController(window, document, computation, making, files, settings)
    model = ModelShowing(window, document, view, making, models)
    models.opening.connect(model.show_with_next)
    models.opened.connect(model.take_keyboard)  # of a model that came back, too
    pages.headAsked.connect(model.choose)
    model.changed.connect(lambda: pages.set_model(model.aim()))
    model.staleChanged.connect(pages.set_model_stale)
    model.changed.connect(bars.actions.show_states)
    model.headOffAsked.connect(bars.actions["head_off"].trigger)
    return LaterRooms(
        pages=pages,
        code=CodeSaving(window, document),
        curve=CurveFitting(window, document, computation, view, making),
        export=export,
        exercises=Exercises(window, document, computation, view, bars),
        worksheets=WorksheetsController(window, document, computation, settings, look, bars),
        solutions=SolutionSaving(window, document, view, look, bars),
        lessons=LessonsController(
            window, document, computation, view, making, files, pages, model, look, settings, bars
        ),
        models=models,
        model=model,
        at_hand=ModelsAtHand(window, models, bars),
        row_takes=RowTakes(
            window, document, computation, context.baseline, making, models.steps, model, compare, view, bars
        ),
    )
