"""Fixes of a clash of shapes carried out: a matrix added, transposed, resized or projected so that it fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.creation.filling import BLOCK, fill, with_tokens
from attn_gui.engine.creation.rows_and_columns import NEUTRAL
from attn_gui.engine.errors import Fix, Shape, ShapeError
from attn_gui.engine.fields import Fields
from attn_gui.engine.masks import Layer, Padding
from attn_gui.engine.memory import neutral_array, new_array, overlay
from attn_gui.engine.shape_errors import TOKENS, clash_with, draft_of, fields_with, with_company


def apply_fix(fix: Fix, fields: Mapping[str, object]) -> dict[str, Any]:
    """Return the fields that change when `fix` is carried out on the `fields` that clash; none of these is modified.

    New cells are 0, as with `resize`; the numbers of a new matrix depend on (field, item, row, column) alone.
    Biases, tokens and mask layers follow the matrix. Raises ValueError or TypeError if a field is wrong in itself.
    """
    problem = draft_of(fields)
    clash = clash_with(problem, {})
    shapes = {fix.matrix: fix.after}
    if isinstance(clash, ShapeError):
        shapes, _ = with_company(problem, clash, shapes)
    mending = _Mending(problem, fix)
    return fields_with(problem, {name: mending.value(name, shape) for name, shape in shapes.items()})


class _Mending:
    def __init__(self, problem: Fields, fix: Fix) -> None:
        self.problem, self.fix = problem, fix
        self.arrays = problem.arrays()

    def value(self, name: str, shape: Shape) -> Any:
        if name in TOKENS:
            return with_tokens(getattr(self.problem, name), shape[0])
        position = Layer.position_of(name)
        layer = None if position is None else self.problem.mask[position]
        if isinstance(layer, Padding):
            return (*layer.lengths[: shape[0]], *[self.problem.m] * (shape[0] - len(layer.lengths)))
        return self._array(name, shape, np.dtype(bool if name.endswith(".allowed") else self.problem.dtype))

    def _array(self, name: str, shape: Shape, dtype: np.dtype[Any]) -> Array:
        old = self.arrays.get(name)
        if old is None:
            return fill("random", shape, field=name, dtype=dtype)
        if name == self.fix.matrix and self.fix.kind == "transpose":
            return new_array(shape, dtype, lambda new: np.copyto(new, np.swapaxes(old, -1, -2)))
        if self.fix.kind != "project" or not self._multiplied(name):
            neutral = 1.0 if name.endswith(".allowed") else NEUTRAL.get(name, 0.0)
            return neutral_array(shape, old, neutral, lambda new: self._keep(name, old, new))
        factor = fill("random", self.fix.shape, field=f"w_{self.fix.matrix}")
        left, right = (old, factor) if self._columns_change else (factor, old)
        return new_array(shape, dtype, lambda new: _multiply(left, right, new))

    def _multiplied(self, name: str) -> bool:
        """Return whether an array is the projected matrix itself, or the bias that is added to its columns."""
        bias = f"b_{self.fix.matrix.removeprefix('w_')}"
        follows = self._columns_change and name == bias and self.arrays[name].shape == (self.fix.before[-1],)
        return follows or name == self.fix.matrix

    @property
    def _columns_change(self) -> bool:
        return self.fix.before[-1:] != self.fix.after[-1:]

    def _keep(self, name: str, old: Array, new: Array) -> None:
        for axis, groups in self._heads(name).items():
            if old.shape[axis] % groups == 0 and new.shape[axis] % groups == 0:
                overlay(_opened(new, axis, groups), _opened(old, axis, groups))
                return
        overlay(new, old)

    def _heads(self, name: str) -> dict[int, int]:
        """Return {axis: number of heads} of a matrix whose columns or rows belong to heads, in which cells keep their
        place."""
        part = name[2:] if name[:2] in ("w_", "b_") else name
        if part == "output":
            return {0: self.problem.num_heads} if name == "w_output" else {}
        heads = {"query": self.problem.num_heads, "key": self.problem.num_kv_heads, "value": self.problem.num_kv_heads}
        return {-1: heads[part]} if part in heads else {}


def _multiply(left: Array, right: Array, new: Array) -> None:
    """Write a product into `new`, computed in float64, a few rows at a time."""
    rows, step = new.shape[-2] if new.ndim > 1 else 1, max(1, BLOCK // new.shape[-1])
    left, cells = np.atleast_2d(left), np.atleast_2d(new)
    with np.errstate(all="ignore"):
        for low in range(0, rows, step):
            cells[..., low : low + step, :] = left[..., low : low + step, :] @ right


def _opened(array: Array, axis: int, groups: int) -> Array:
    """Return a view with one axis for the heads and one for the cells of a head."""
    axis %= array.ndim
    return array.reshape(*array.shape[:axis], groups, array.shape[axis] // groups, *array.shape[axis + 1 :])
