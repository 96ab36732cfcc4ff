from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import table_box, table_cells
from attn_gui.engine.problem import Problem
from tests.failing import each


@each("shape", [(5, 7), (1, 7), (2, 5, 7), (1, 5, 7), (3, 2, 5, 7), (3, 1, 5, 7), (1, 2, 5, 1)])
def test_a_cell_typed_into_the_table_of_a_mask_lands_where_that_table_shows_it(
    heard: Any, direct: Callable[..., Problem], shape: tuple[int, ...]
) -> None:
    r = np.random.default_rng(0)
    batched = [r.normal(size=(3, *size)) for size in ((5, 6), (7, 6), (7, 22))]
    given = dict(zip(("query", "key", "value"), batched, strict=True))
    h = heard(direct(**given, mask=({"kind": "bias", "values": r.normal(size=shape)},)))
    field, item, head = "mask.0.values", 2, 1
    read = h.document.reader(field, item, head)
    row, column = read().shape[0] - 1, read().shape[1] - 1
    box = table_box(field, shape, slice(row, row + 1), slice(column, column + 1), item, head)
    h.document.apply(SetCells(field, box, np.full((1,) * len(box), 7.0), Label("typed")))
    assert read()[row, column] == 7.0
    (told,) = h.changes[0].fields[field]
    assert table_cells(field, shape, told, item, head) == (slice(row, row + 1), slice(column, column + 1))


def test_a_table_knows_when_another_item_or_head_changed() -> None:
    rows, columns = slice(0, 2), slice(1, 3)
    other_item = table_box("query", (3, 5, 6), rows, columns, item=1)
    assert table_cells("query", (3, 5, 6), other_item, item=1) == (rows, columns)
    assert table_cells("query", (3, 5, 6), other_item, item=2) is None
    other_head = table_box("mask.0.allowed", (2, 5, 7), rows, columns, item=0, head=1)
    assert table_cells("mask.0.allowed", (2, 5, 7), other_head, item=9, head=1) == (rows, columns)
    assert table_cells("mask.0.allowed", (2, 5, 7), other_head, item=0, head=0) is None


def test_a_vector_is_a_table_of_one_row() -> None:
    assert table_box("b_query", (6,), slice(0, 1), slice(2, 4)) == (slice(2, 4),)
    assert table_cells("b_query", (6,), (slice(2, 4),)) == (slice(0, 1), slice(2, 4))
