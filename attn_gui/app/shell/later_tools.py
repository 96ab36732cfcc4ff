"""Commands that no first picture of the window needs; importing this imports what they alone stand on."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.actions.bars import Bars
from attn_gui.app.arrays.choosing import ArraysController
from attn_gui.app.by_hand.cell_blocks import CellBlocks
from attn_gui.app.by_hand.state_takes import StateTakes
from attn_gui.app.files.files import FilesController
from attn_gui.app.finding.finding import FindController
from attn_gui.app.inspector.history_tells import HistoryTells
from attn_gui.app.inspector.judging import SensitivityController, VerifyController
from attn_gui.app.maps.map_shortcuts import MapKeys
from attn_gui.app.maps.status import StatusController
from attn_gui.app.problem.head_edits import HeadEdits
from attn_gui.app.problem.painting import PaintingController
from attn_gui.app.problem.pulling import PullingController
from attn_gui.app.shell.commands import CommandsController
from attn_gui.app.shell.tips import TipsController
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.look import LookController
from attn_gui.app.state.making import Making
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.document import Document
from attn_gui.views.main_window import MainWindow


class LaterTools(NamedTuple):
    """Searching, judging, asking which array is which, and what is done to heads and chosen cells."""

    arrays: ArraysController
    commands: CommandsController
    finding: FindController
    heads: HeadEdits
    history_tells: HistoryTells
    pulling: PullingController
    sensitivity: SensitivityController
    takes: StateTakes
    tips: TipsController
    verify: VerifyController


def later_tools(
    shared: tuple[MainWindow, Document, Computation, ViewState],
    status: StatusController,
    tables: TablesController,
    painting: PaintingController,
    cell_blocks: CellBlocks,
    keys: MapKeys,
    baseline: Baseline,
    making: Making,
    files: FilesController,
    settings: Settings,
    look: LookController,
    bars: Bars,
) -> LaterTools:
    """Build them on the parts that every room stands on, and on those that they need besides."""
    window, document, computation, view = shared
    return LaterTools(
        arrays=ArraysController(window, files, settings),
        commands=CommandsController(window, bars, view, keys, files, look),
        finding=FindController(window, document, view, tables),
        heads=HeadEdits(window, document, view, making, status.tell),
        history_tells=HistoryTells(window, document, computation, view),
        pulling=PullingController(window, document, computation, view, making, painting),
        sensitivity=SensitivityController(window, computation, view),
        takes=StateTakes(window, document, baseline, view, making, cell_blocks),
        tips=TipsController(window, view),
        verify=VerifyController(window, document),
    )
