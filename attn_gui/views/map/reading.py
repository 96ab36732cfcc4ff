"""Reads planes for maps: in blocks no larger than can be held, or as a picture that the evaluation draws itself."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.evaluation.plane import Pooling
from attn_gui.figure.display import Allowed, Levels, Values, to_display
from attn_gui.figure.levels import LevelRule, finite_open
from attn_gui.pictures import pooling
from attn_gui.pictures.geometry import Span
from attn_gui.pictures.planes import Block, PlaneLike
from attn_gui.pictures.pooling import block_edges, joined, pool_blocks, pooled
from attn_gui.pictures.sheets import Sample, Seen
from attn_gui.pictures.supply import supply_of

PICTURE = 512
"""Blocks of each axis of a picture that says how large the numbers of a long map are."""

COUNTED = 1 << 21
"""Cells of the largest map whose legend counts them all."""

WRITTEN, FAINT = 1 << 12, 0.05
"""Cells of the largest map that can have numbers in all of them, and weights that one decimal cannot write."""

SAMPLED = 1 << 17
"""Numbers that are enough to show how they are spread."""

_widest: WeakKeyDictionary[Evaluation, int] = WeakKeyDictionary()
"""Columns of the widest picture that was asked of an evaluation: it keeps one, of which smaller ones are made."""


def bins_of(
    plane: PlaneLike,
    rows: Span,
    columns: Span,
    down: slice,
    right: slice,
    *,
    leads: bool = False,
    owner: object = None,
) -> Seen:
    """(values, allowed, known) of some bins, the cells of each pooled into one; `known` None where all are.

    A map that `leads` may ask for a wider picture than there was before; the others make do with what it needs. Of a
    long problem the `owner` gets what there is; what is quickly computed, and shown cell by cell, is there at once.
    """
    supply = supply_of(plane)
    if supply is not None and owner is not None:
        if not _quick(plane, rows, columns, down, right):
            return supply.seen(owner, plane, rows, columns, down, right, leads=leads)
        supply.look(owner, plane)
    return (*_read(plane, rows, columns, down, right, leads), None)


def _read(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice, leads: bool) -> Block:
    if not (rows.pooled or columns.pooled):
        return plane.block(rows.cells_of(down), columns.cells_of(right))
    if isinstance(plane, Plane) and plane.draws_pictures and not plane.transposed and rows.whole and columns.whole:
        return _from_picture(plane, rows, columns, down, right, leads)
    return pooled(plane, rows.cell_edges[down.start : down.stop + 1], columns.cell_edges[right.start : right.stop + 1])


def _quick(plane: PlaneLike, rows: Span, columns: Span, down: slice, right: slice) -> bool:
    """Whether some cells of a window, each seen by itself, are known or need no map."""
    if rows.pooled or columns.pooled or (rows.whole and columns.whole) or not isinstance(plane, Plane):
        return False
    cells = rows.cells_of(down), columns.cells_of(right)
    lines, across = reversed(cells) if plane.transposed else cells
    evaluation = plane.evaluation
    if (lines.stop - lines.start) * (across.stop - across.start) > pooling.AT_ONCE:
        return False
    return not isinstance(evaluation, Pooling) or evaluation.ready(plane.stage, plane.batch, plane.head, lines)


def levels_of_plane(plane: PlaneLike, rule: LevelRule, owner: object = None) -> Levels | None:
    """Levels of a plane by a rule that takes them from its numbers; None where nothing is known yet."""
    numbers = numbers_of(plane, sampled=rule.sampled, owner=owner)
    assert rule.take is not None
    return None if numbers is None else rule.take(*numbers, plane.signed, plane.shape[1])


def numbers_of(plane: PlaneLike, *, sampled: bool, owner: object = None) -> Block | None:
    """The numbers of a plane; of a very long one those of its picture or, `sampled`, of rows at equal distances.

    None where nothing is known yet.
    """
    if (supply := supply_of(plane)) is not None and owner is not None:
        sheet = supply.ask(owner, Sample(plane)) if sampled else supply.overview(plane)
        return sheet.part_known() if sheet is not None and sheet.known.any() else None
    rows, columns = plane.shape
    if rows * columns <= pooling.AT_ONCE:
        return plane.block(slice(0, rows), slice(0, columns))
    return _sampled(plane) if sampled else _picture(plane)


def sample_of(plane: PlaneLike | None, owner: object = None) -> Values:
    """Some finite open numbers of a plane, about as many as can be counted at once; none where none is known."""
    numbers = numbers_of(plane, sampled=True, owner=owner) if plane is not None else None
    if numbers is None:
        return np.zeros(0)
    step = numbers[0].size // SAMPLED + 1
    values, allowed = (None if part is None else part[::step] for part in numbers)
    assert values is not None
    return finite_open(values, allowed)


def counts_of(plane: PlaneLike | None) -> dict[int, int]:
    """Number of cells with each flag of `figure.display` other than ALLOWED; 0 for "some" in maps too long to count."""
    if plane is None:
        return {}
    if (supply := supply_of(plane)) is not None:
        sheet = supply.overview(plane)
        return dict.fromkeys(_counted(*sheet.part_known()), 0) if sheet is not None else {}
    rows, columns = plane.shape
    if rows * columns <= COUNTED:
        return _counted(*plane.block(slice(0, rows), slice(0, columns)))
    return dict.fromkeys(_counted(*_picture(plane)), 0)


def has_faint(plane: PlaneLike | None) -> bool:
    """Whether open weights are so small that a cell may not write them out; asked of maps small enough for numbers."""
    rows, columns = plane.shape if plane is not None else (0, 0)
    if plane is None or plane.signed or rows * columns > WRITTEN:
        return False
    values, allowed = plane.block(slice(0, rows), slice(0, columns))
    faint = values < FAINT
    return bool((faint if allowed is None else faint & allowed).any())


def _counted(values: Values, allowed: Allowed | None) -> dict[int, int]:
    if allowed is None and bool(np.isfinite(values).all()):
        return {}
    return to_display(values, allowed, Levels(0.0, 1.0)).counts()


def _picture(plane: PlaneLike) -> Block:
    rows, columns = (Span(length, min(length, PICTURE)) for length in plane.shape)
    return _read(plane, rows, columns, slice(0, rows.bins), slice(0, columns.bins), False)


def _sampled(plane: PlaneLike) -> Block:
    """Rows at equal distances."""
    rows, columns = plane.shape
    step = -(-rows * columns // pooling.AT_ONCE)
    blocks = [plane.block(slice(row, row + 1), slice(0, columns)) for row in range(0, rows, step)]
    return joined(blocks)


def _from_picture(plane: Plane, rows: Span, columns: Span, down: slice, right: slice, leads: bool) -> Block:
    wide = _widest.get(plane.evaluation, PICTURE)
    wide = _widest[plane.evaluation] = max(wide, columns.bins) if leads else wide
    wide = min(wide, columns.count)
    if wide <= columns.bins:
        return plane.pooled(rows.bins, columns.bins, (down, right))
    edges = np.searchsorted(block_edges(columns.count, wide), columns.cell_edges[right.start : right.stop + 1])
    part = slice(int(edges[0]), int(edges[-1]))
    values, allowed = plane.pooled(rows.bins, wide, (down, part))
    return pool_blocks(values, allowed, np.arange(len(values) + 1), edges - part.start)
