"""Changes by hand where the cells of an axis have other places: a stretch that is torn becomes several."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
import numpy.typing as npt

from attn_gui.engine.chain.node import Node
from attn_gui.engine.problem.interventions import Intervention

Places = npt.NDArray[np.intp]
"""Of every cell along an axis its old place; −1 stands for a new one."""


def heads_in(node: Node, nodes: Mapping[str, Node]) -> str:
    """The letter of the heads that lie side by side in the columns of a stage; "" where none do.

    The output without W_O has those of the joined heads, whose cells it shows.
    """
    stage = node.stage
    return stage.heads or (heads_in(nodes[node.inputs[0].name], nodes) if stage.alias else "")


def led(
    record: Intervention, axes: tuple[str, ...], shape: tuple[int, ...], moved: Mapping[str, Places]
) -> list[Intervention]:
    """The records that change the same cells of a stage of these axes; none where it takes cells that are gone.

    `moved` has the places of every axis on which cells have others.
    """
    box = record.box(axes, shape)
    runs: list[list[tuple[int | tuple[int, int] | None, slice]]] = []
    for k, (axis, cut) in enumerate(zip(axes, box, strict=True)):
        stays = axis not in moved or (axis not in record.at and not record.spans(k - len(axes), shape[k]))
        whole = slice(0, cut.stop - cut.start)
        runs.append([(record.at.get(axis), whole)] if stays else _runs(moved[axis], cut, record.at.get(axis)))
    there = record.led(moved)
    if there is None:
        return []
    parts = []
    for choice in product(*runs):
        at = {axis: place for axis, (place, _) in zip(axes, choice, strict=True) if place is not None}
        parts.append(there.changed(at=type(record.at)(at)).cut(tuple(part for _, part in choice)))
    return parts


def _runs(places: Places, cut: slice, at: object) -> list[tuple[int | tuple[int, int] | None, slice]]:
    """Places of the cells of a stretch now, each run without a gap with the part of the stretch that it is."""
    now = np.flatnonzero((places >= cut.start) & (places < cut.stop))
    torn = np.flatnonzero((np.diff(now) != 1) | (np.diff(places[now]) != 1)) + 1
    found: list[tuple[int | tuple[int, int] | None, slice]] = []
    for run in np.split(now, torn):
        if run.size:
            first, own = int(run[0]), int(places[run[0]]) - cut.start
            place = first if isinstance(at, int) else (first, first + run.size)
            found.append((place, slice(own, own + run.size)))
    return found
