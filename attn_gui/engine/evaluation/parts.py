"""The rows and columns of other matrices that belong to a cell, found on the way back through the chain."""

from __future__ import annotations

from collections.abc import Iterator

from attn_gui.engine.arrays import Box
from attn_gui.engine.chain.node import Node
from attn_gui.engine.chain.part import Part
from attn_gui.engine.graph import indices

from .readout import Readout


def parts_of(evaluation: Readout, stage: str, index: tuple[int, ...]) -> tuple[Part, ...]:
    """The parts of a cell, stage by stage as far as the matrices of the problem, queries before keys.

    A map of pairs gives its own place in all of them. What a weight is taken times, and what the product goes to,
    belong to it, too. Tables, maps and spine ask for the same cell one after another: it is remembered.
    Raises IndexError for a cell that the stage does not have: what belongs to none has no end.
    """
    asked, shape = (stage, tuple(index)), evaluation.shape(stage)
    if not all(0 <= place < length for place, length in zip(index, shape, strict=True)):
        raise IndexError(f"{stage} has the shape {shape}, got the cell {tuple(index)}")
    if evaluation.last_parts is None or evaluation.last_parts[0] != asked:
        evaluation.last_parts = asked, _found(evaluation, stage, index)
    return evaluation.last_parts[1]


def _found(evaluation: Readout, stage: str, index: tuple[int, ...]) -> tuple[Part, ...]:
    found: list[Part] = []
    for part in (*_before(evaluation, stage, index), *_after(evaluation, stage, indices.cell(index))):
        if part not in found:
            found.append(part)
    return tuple(sorted(found, key=lambda part: any("j" in letters for letters in part.axes)))


def _before(evaluation: Readout, stage: str, index: tuple[int, ...]) -> Iterator[Part]:
    hidden = {node.name for node in evaluation.nodes if node.stage.hidden}
    boxes: dict[str, list[Box]] = {stage: [indices.cell(index)]}
    for node in reversed(evaluation.nodes):
        for box in boxes.get(node.name, ()):
            yield Part(node.name, box, node.axes)
            for (ref, field), part in zip(zip(node.inputs, node.fields, strict=True), _read(node, box), strict=True):
                if part is not None and ref.name not in hidden:
                    boxes.setdefault(ref.name, []).append(part)
                    if field not in evaluation.stages:  # a stage says so itself, a given Q, K or V included
                        yield Part(field, part, ref.axes)


def _read(node: Node, box: Box) -> list[Box | None]:
    """Inputs of a box; of a map of pairs the same places, although a softmax weighs them against others."""
    if not node.stage.square:
        return node.needs(box)[1]
    ranges = indices.ranges_of(node.axes, box, node.sizes)
    return [None if ref.optional else indices.box_of(ref.axes, ranges, node.sizes) for ref in node.inputs]


def _after(evaluation: Readout, stage: str, box: Box) -> Iterator[Part]:
    """The other maps of pairs, and what is multiplied by the cell of one."""
    own = evaluation.node(stage)
    if not own.stage.square:
        return
    for node in evaluation.nodes:
        if node.stage.square and not node.stage.hidden:
            yield Part(node.name, box, node.axes)
        elif own.name in (read := [ref.name for ref in node.inputs]):
            ranges = indices.ranges_of(node.inputs[read.index(own.name)].axes, box, node.sizes)
            for ref, field in zip(node.inputs, node.fields, strict=True):
                yield Part(field, indices.box_of(ref.axes, ranges, node.sizes), ref.axes)
            yield Part(node.name, indices.box_of(node.axes, ranges, node.sizes), node.axes)
