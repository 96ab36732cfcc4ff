"""A block that is too large: the matrix grows by what is missing, and keeps what it had where it was."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.app.tables.table_blocks import grown_fields, grown_outline
from attn_gui.engine import Problem, clash_of, new_problem
from attn_gui.engine.shape_errors import shapes_of

DIRECT = new_problem("direct", n=3, m=5, num_heads=1, d_k=2, d_v=7, fill="random")
PROJECTED = new_problem("self", n=3, m=3, num_heads=2, d_k=2, d_v=2, fill="random")


def table(problem: Problem, field: str) -> np.ndarray:
    return getattr(problem, field).reshape(-1, getattr(problem, field).shape[-1])


@given(field=st.sampled_from(["query", "key", "value"]), more=st.tuples(st.integers(0, 4), st.integers(0, 4)))
def test_the_matrix_has_the_size_that_is_asked_for_and_its_old_numbers(field, more):
    before = table(DIRECT, field)
    rows, columns = before.shape[0] + more[0], before.shape[1] + more[1]
    fields = grown_fields(DIRECT, field, rows, columns)
    grown = table(DIRECT.replace(**fields), field)
    assert grown.shape == (rows, columns)
    assert np.array_equal(grown[: before.shape[0], : before.shape[1]], before)
    assert not grown[before.shape[0] :].any()
    assert not grown[:, before.shape[1] :].any()
    assert shapes_of(grown_outline(DIRECT, field, rows, columns)) == shapes_of(DIRECT.replace(**fields))


def test_x_takes_its_matrices_along():
    fields = grown_fields(PROJECTED, "x", 5, 6)
    problem = PROJECTED.replace(**fields)
    assert table(problem, "x").shape == (5, 6)
    assert problem.w_query.shape[0] == 6
    assert np.array_equal(table(problem, "x")[:3, :4], table(PROJECTED, "x"))


def test_what_could_grow_is_decided_without_making_it(monkeypatch):
    """A batch of 64 GB and its mask are outlined in the memory of a few numbers."""
    cells = np.broadcast_to(np.zeros(()), (16, 65536, 8192))
    mask = DIRECT.replace(mask=({"kind": "custom", "allowed": np.ones((3, 5), bool)},)).mask[0]
    huge = object.__new__(Problem)
    for name, value in vars(DIRECT).items():
        object.__setattr__(huge, name, value)
    for name, value in {
        "query": cells,
        "key": cells,
        "value": cells,
        "mask": (mask.changed(allowed=np.broadcast_to(np.ones((), bool), (16, 1, 65536, 65536))),),
    }.items():
        object.__setattr__(huge, name, value)
    grown = grown_outline(huge, "query", 65537, 8193)
    assert (grown.query.shape, grown.key.shape) == ((16, 65537, 8193), (16, 65536, 8193))
    assert grown.mask[0].allowed.shape == (16, 1, 65537, 65536)
    assert clash_of(huge, {"query": (16, 65537, 8193)}).fixes
