"""Rooms in which a problem is changed by hand; no first picture needs them."""

from __future__ import annotations

from typing import NamedTuple

from attn_gui.app.by_hand.cell_blocks import CellBlocks
from attn_gui.app.by_hand.interventions import InterventionsController
from attn_gui.app.by_hand.state_takes import StateTakes
from attn_gui.app.by_hand.typing_into_maps import TypingController
from attn_gui.app.problem.head_edits import HeadEdits
from attn_gui.app.problem.mask_edits import MasksController
from attn_gui.app.problem.painting import PaintingController
from attn_gui.app.problem.pulling import PullingController
from attn_gui.app.problem.targets import TargetController
from attn_gui.app.rooms.ground import Ground
from attn_gui.app.tables.copying import CopyController
from attn_gui.app.tables.row_edits import RowEdits
from attn_gui.app.tables.table_blocks import TableBlocks
from attn_gui.app.tables.table_edits import TableEdits
from attn_gui.app.tables.table_target import TableTarget


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
    takes: StateTakes


def later_edits(ground: Ground) -> LaterEdits:
    """Build the controllers of editing on the ground."""
    window, document = ground.window, ground.document
    computation, view = ground.computation, ground.view
    making, tables, tell = ground.making, ground.tables, ground.status.tell
    target = TableTarget(window, document, tables, view, making)
    table_edits = TableEdits(window, document, tables, target, making)
    table_edits.directRequested.connect(ground.shapes.make_direct)
    table_blocks = TableBlocks(window, document, tables, target, making, ground.settings, tell)
    painting = PaintingController(window, document, computation, view, making, ground.settings, ground.bars)
    targets = TargetController(window, document, computation, view, making)
    cell_blocks = CellBlocks(window, document, computation, view, making, table_blocks)
    pulling = PullingController(window, document, computation, view, making, painting, cell_blocks.shows_now)
    for tool in (painting, pulling):
        tool.changed.connect(ground.bars.actions.show_states)
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
        interventions=InterventionsController(window, document, computation, view, making, ground.bars),
        heads=HeadEdits(window, document, view, making, tell),
        pulling=pulling,
        takes=StateTakes(window, document, ground.baseline, view, making, cell_blocks),
    )
