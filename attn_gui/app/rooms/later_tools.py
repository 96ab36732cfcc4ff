"""Rooms that compare, search and judge, and keys, menus and tips; no first picture needs them."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.arrays.choosing import ArraysController
from attn_gui.app.files.recovery import Recovery
from attn_gui.app.finding.finding import FindController
from attn_gui.app.inspector.history_jumps import HistoryController
from attn_gui.app.inspector.history_tells import HistoryTells
from attn_gui.app.inspector.judging import SensitivityController, VerifyController
from attn_gui.app.inspector.snapshot_commands import SnapshotsController
from attn_gui.app.maps.comparing import CompareController
from attn_gui.app.maps.context_menus import ContextMenus
from attn_gui.app.maps.gradients import GradientController
from attn_gui.app.maps.map_shortcuts import MapKeys
from attn_gui.app.maps.reach import ReachController
from attn_gui.app.rooms.ground import Ground
from attn_gui.app.rooms.later_edits import LaterEdits
from attn_gui.app.shell.commands import CommandsController
from attn_gui.app.shell.tips import TipsController


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


def later_tools(ground: Ground, edits: LaterEdits) -> LaterTools:
    """Build the tools on the ground, and on the rooms of editing that keys lead to."""
    window, document = ground.window, ground.document
    computation, view = ground.computation, ground.view
    baseline, bars, files, tables = ground.baseline, ground.bars, ground.files, ground.tables
    compare = CompareController(window, document, computation, baseline, view, bars)
    put_away = edits.painting.leave, edits.pulling.leave
    keys = MapKeys(window, computation, view, tables, ground.maps.step_head, lambda: any(leave() for leave in put_away))
    history_tells = HistoryTells(window, document, computation, view)
    history_tells.changed.connect(bars.actions.show_states)
    return LaterTools(
        compare=compare,
        gradients=GradientController(window, computation, view),
        reach=ReachController(window, document, computation, view, tables),
        keys=keys,
        context_menus=ContextMenus(window, bars, tables),
        history=HistoryController(window, document, ground.settings, bars.actions),
        history_tells=history_tells,
        snapshots=SnapshotsController(window, document, baseline, compare),
        arrays=ArraysController(window, files, ground.settings),
        recovery=Recovery(window, files, ground.look),
        commands=CommandsController(window, bars, view, keys, files, ground.look),
        finding=FindController(window, document, view, tables),
        sensitivity=SensitivityController(window, computation, view),
        tips=TipsController(window, view),
        verify=VerifyController(window, document),
    )
