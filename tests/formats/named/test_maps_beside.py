"""Attention weights that a file holds beside Q, K and V: where they are others than those computed, it is said."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from attn_gui import Problem, compute, load
from tests.failing import each

PARTS = ("query", "key", "value")


def dump(path: Path, mask: str | None, noise: float = 0.0, closed: slice = slice(0)) -> Path:
    """A cache of one layer, (batch, token, head, column), with the pattern that the model had."""
    random = np.random.default_rng(7)
    arrays = {part: random.normal(size=(1, 5, 2, 3)) for part in PARTS}
    flat = {part: array.reshape(5, 6) for part, array in arrays.items()}
    pattern = compute(Problem(**flat, num_heads=2, mask=mask or ()))["weights"] + noise
    pattern[..., closed, :] = np.nan  # PyTorch's rows without an allowed key
    named = {f"blocks.0.attn.hook_{part[0]}": array for part, array in arrays.items()}
    np.savez(path, **named, **{"blocks.0.attn.hook_pattern": pattern})
    return path


def said(path: Path) -> str:
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        load(path, arrays={part: f"blocks.0.attn.hook_{part[0]}" for part in PARTS})
    return " ".join(str(note.message) for note in notes)


@each(
    ("mask", "noise", "words"),
    [
        (None, 0.0, None),
        (None, 1e-3, None),
        ("causal", 0.0, "it has a causal mask, which is not in the file"),
        (None, 0.3, "holds other weights than those computed here: they differ by up to 0.3"),
    ],
)
def test_a_pattern_that_is_not_what_is_computed_is_said(
    tmp_path: Path, mask: str | None, noise: float, words: str | None
) -> None:
    found = said(dump(tmp_path / "cache.npz", mask, noise))
    assert (words in found) if words else ("differ" not in found), found


@pytest.mark.parametrize(
    ("noise", "closed", "words"), [(0.0, slice(2), None), (0.3, slice(2), "by up to 0.3"), (0.0, slice(5), None)]
)
def test_rows_without_numbers_are_left_out_of_it_and_that_is_said(
    tmp_path: Path, noise: float, closed: slice, words: str | None
) -> None:
    found = said(dump(tmp_path / "cache.npz", None, noise, closed))
    assert f"holds NaN in {2 * closed.stop} of its 10 rows" in found, "of two heads"
    assert (words in found) if words else ("differ" not in found), found
