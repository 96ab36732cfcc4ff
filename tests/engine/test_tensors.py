"""Tensors of other libraries: read without importing them, refused by the name of the field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attn_gui.engine import FieldTypeError, Problem, ShapeError, compute
from tests.failing import each


class Tensor:
    """What torch does on the CPU: NumPy gets no bfloat16 and nothing that hangs on a gradient."""

    def __init__(self, cells: Any, dtype: str = "torch.float32", requires_grad: bool = False, device: str = "cpu"):
        self.cells, self.dtype, self.requires_grad, self.device = np.asarray(cells), dtype, requires_grad, device
        self.shape = self.cells.shape

    def detach(self) -> Tensor:
        return Tensor(self.cells, self.dtype, device=self.device)

    def float(self) -> Tensor:
        return Tensor(self.cells.astype(np.float32), "torch.float32", self.requires_grad, self.device)

    def item(self) -> object:
        return self.cells.item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.device != "cpu":
            raise TypeError(f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.cells


class Exported:
    """A library that only knows DLPack."""

    def __init__(self, cells: np.ndarray):
        self._cells = cells

    def __dlpack__(self, **options: Any) -> Any:
        return self._cells.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._cells.__dlpack_device__()


class Detached:
    """A library whose tensors are asked for their numbers by name."""

    def __init__(self, cells: np.ndarray):
        self._cells = cells

    def detach(self) -> Detached:
        return self

    def numpy(self) -> np.ndarray:
        return self._cells


CELLS = np.array([[0.5, 1.0], [2.0, -3.0]], np.float32)
TAKEN = {
    "plain": Tensor(CELLS),
    "bfloat16 on a gradient": Tensor(CELLS, "torch.bfloat16", requires_grad=True),
    "rows of tensors": [Tensor(row, requires_grad=True) for row in CELLS],
    "dlpack": Exported(CELLS),
    "by name alone": Detached(CELLS),
    "numbers that NumPy lacks": CELLS.astype(np.float16),
}


@each("name", TAKEN)
def test_tensors_are_taken(name):
    problem = Problem(query=TAKEN[name], key=TAKEN[name], value=CELLS)
    assert problem.query.tolist() == problem.key.tolist() == CELLS.tolist()


def test_masks_and_numbers_are_taken_too():
    layers = (
        {"kind": "custom", "allowed": Tensor([[True, False], [True, True]], "torch.bool")},
        {"kind": "bias", "values": Tensor(CELLS, "torch.bfloat16", requires_grad=True)},
    )
    problem = Problem(
        query=CELLS,
        key=CELLS,
        value=CELLS,
        mask=layers,
        num_heads=Tensor(2, "torch.int64"),
        scale=Tensor(0.5, requires_grad=True),
        query_tokens=np.array(["a", "b"]),
    )
    assert problem.mask[0].allowed.tolist() == [[True, False], [True, True]]
    assert problem.mask[1].values.tolist() == CELLS.tolist()
    assert (problem.num_heads, problem.scale, problem.query_tokens) == (2, 0.5, ("a", "b"))


REFUSED = {
    "elsewhere": (Tensor(CELLS, device="cuda:0"), "key cannot be read as an array: can't convert cuda:0"),
    "complex": (Tensor(CELLS + 1j, "torch.complex64"), "key must hold real numbers, got complex"),
    "ragged": ([[1.0], [1.0, 2.0]], "key must hold real numbers, got rows of different lengths"),
    "masked": (np.ma.masked_greater(CELLS, 1), "key has masked cells"),
    "masked rows": (list(np.ma.masked_greater(CELLS, 1)), "key has masked cells"),
    "no array": ({"a": 1}, "key must hold real numbers, got names with values"),
}


@each("name", REFUSED)
def test_what_cannot_be_read_is_refused_by_its_field(name):
    value, words = REFUSED[name]
    with pytest.raises(FieldTypeError) as caught:
        Problem(query=CELLS, key=value, value=CELLS)
    assert str(caught.value).startswith(words)
    with pytest.raises(FieldTypeError, match=r"^mask|^custom\.allowed"):
        Problem(query=CELLS, key=CELLS, value=CELLS, mask=({"kind": "custom", "allowed": value},))


# --- heads on an axis of their own ---------------------------------------------------------------
def by_hand(q, k, v, share):
    """softmax(q kᵀ / √d) v of every head, in plain NumPy."""
    found = []
    for head in range(q.shape[-3]):
        scores = q[..., head, :, :] @ np.swapaxes(k[..., head // share, :, :], -1, -2) / np.sqrt(q.shape[-1])
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        found.append(weights / weights.sum(-1, keepdims=True) @ v[..., head // share, :, :])
    return np.stack(found, -3)


@pytest.mark.parametrize("lead", [(), (4,)])
def test_heads_are_laid_side_by_side(lead, rng):
    q, k, v = (rng.normal(size=(*lead, *shape)) for shape in ((4, 3, 6), (2, 5, 6), (2, 5, 7)))
    problem = Problem.from_heads(Tensor(q, requires_grad=True), k, v, key_tokens=["abcde"] * 5)
    assert (problem.num_heads, problem.num_kv_heads, problem.n, problem.m) == (4, 2, 3, 5)
    expected = by_hand(q, k, v, 2).reshape(-1, 4, 3, 7)
    np.testing.assert_allclose(compute(problem)["head_output"], expected, atol=1e-15)


@each(
    ("shapes", "fields", "matrices", "words"),
    [
        (((3, 6), (2, 5, 6), (2, 5, 7)), {}, ("query",), "must have the axes (head, row, column)"),
        (((4, 3, 6), (2, 5, 6), (1, 5, 7)), {}, ("value", "key"), "as many heads as key: expected 2, got 1"),
        (((4, 3, 6), (3, 5, 6), (3, 5, 7)), {}, ("key", "query"), "4 heads of query cannot share 3 heads of key"),
        (((3, 4, 6), (3, 4, 6), (3, 4, 7)), {"num_heads": 5}, ("query",), "has 3 heads and not 5: its shape is (3, 4"),
        (((4, 3, 6), (2, 5, 6), (2, 4, 7)), {}, ("value", "key"), "as many rows as key"),
    ],
)
def test_wrong_axes_of_heads_are_named(shapes, fields, matrices, words):
    with pytest.raises(ShapeError) as caught:
        Problem.from_heads(*map(np.ones, shapes), **fields)
    assert caught.value.matrices == matrices
    assert words in str(caught.value)


def test_a_first_axis_that_may_be_heads_is_asked_about():
    stacked = np.ones((4, 3, 8))
    with pytest.raises(ShapeError) as caught:
        Problem(query=stacked, key=stacked, value=stacked, num_heads=4)
    assert str(caught.value) == (
        "query has the shape (4, 3, 8), and its first axis may be 4 heads or 4 batch items: for heads call "
        "Problem.from_heads(query, key, value), for items Problem(…, batch_axis=True)."
    )
    items = Problem(query=stacked, key=stacked, value=stacked, num_heads=4, batch_axis=True)
    heads = Problem.from_heads(stacked, stacked, stacked, axes="head,token,column")
    assert (items.batch_size, items.d_k) == (4, 2)
    assert (heads.batch_size, heads.d_k) == (1, 8)
    assert not hasattr(items, "batch_axis")
    with pytest.raises(ShapeError, match=r"\(1, 4, 3, 8\).*Problem\.from_heads"):
        Problem(query=stacked[None], key=stacked, value=stacked)
    assert Problem.of(items.fields()) == items.replace(num_heads=1).replace(num_heads=4) == items
    x, w = stacked, np.ones((8, 8))
    assert Problem(x=x, w_query=w, w_key=w, w_value=w, num_heads=4).batch_size == 4  # no heads before the projection
