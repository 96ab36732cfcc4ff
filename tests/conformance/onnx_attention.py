"""ONNX's Attention operator (opset 23 to 25) said in this program's words: a problem, mask layers, a stage.

What the operator has and a problem has not is done here: past keys and values are put before the new ones, half
precision is cast on the way in and out, and queries that stand at another place in every batch item
(`nonpad_kv_seqlen`) are laid into rows that count positions, so that one rule holds for the whole batch.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from attn_gui.engine import Problem, compute, layer_from_mapping

Array = npt.NDArray[Any]
SCORES_OUTPUT = (("scaled",), ("capped", "scaled"), ("masked", "biased", "capped", "scaled"), ("weights",))


def attention(
    query: Array,
    key: Array,
    value: Array,
    attn_mask: Array | None = None,
    past_key: Array | None = None,
    past_value: Array | None = None,
    nonpad_kv_seqlen: Array | None = None,
    *,
    is_causal: int = 0,
    scale: float | None = None,
    softcap: float = 0.0,
    q_num_heads: int = 0,
    kv_num_heads: int = 0,
    left_window_size: int = -1,
    right_window_size: int = -1,
    qk_matmul_output_mode: int = 0,
    softmax_precision: int = 0,  # at least float32 inside, whatever is asked
) -> tuple[Array, Array, Array, Array]:
    """(output, present key, present value, scores as asked), in the shapes and the dtype of the operator."""
    split = query.ndim == 3
    query, key, value = (
        _split(array, heads) if split else array
        for array, heads in ((query, q_num_heads), (key, kv_num_heads), (value, kv_num_heads))
    )
    past = 0
    if past_key is not None and past_value is not None:
        past = past_key.shape[2]
        key, value = np.concatenate([past_key, key], axis=2), np.concatenate([past_value, value], axis=2)

    (items, heads, n, _), m = query.shape, key.shape[2]
    start = np.full(items, past) if nonpad_kv_seqlen is None else nonpad_kv_seqlen - n
    first, rows = int(start.min()), n + int(np.ptp(start))
    laid = np.clip(first + np.arange(rows) - start[:, None], 0, n - 1)  # which query stands in which row
    taken = start[:, None] - first + np.arange(n)  # and in which row each query stands

    layers = _layers(first, rows, m, bool(is_causal), left_window_size, right_window_size)
    if nonpad_kv_seqlen is not None:
        layers.append({"kind": "padding", "lengths": nonpad_kv_seqlen})
    if attn_mask is not None:
        layers.append(_given(attn_mask, items, n, m, laid))
    trace = compute(
        Problem(
            query=_wide(_at_rows(query, laid)),
            key=_wide(key),
            value=_wide(value),
            num_heads=heads,
            num_kv_heads=key.shape[1],
            scale=scale,
            softcap=softcap or None,
            mask=tuple(map(layer_from_mapping, layers)),
            dtype="float32" if query.dtype == np.float32 else "float64",
            batch_axis=True,
        )
    )
    output = _at_rows(_split(trace["output"], heads), taken)
    stage = next(stage for stage in SCORES_OUTPUT[qk_matmul_output_mode] if stage in trace.stages)
    scores = _at_rows(trace[stage], taken)
    return (_joined(output) if split else output).astype(query.dtype), key, value, scores.astype(query.dtype)


def _layers(first: int, rows: int, m: int, causal: bool, left: int, right: int) -> list[dict[str, Any]]:
    """The rules of positions, for queries of which the first stands at `first`."""
    found: list[dict[str, Any]] = []
    align = {0: "start", m - rows: "end"}.get(first)
    if causal:
        found.append({"kind": "causal", "align": align} if align else {"kind": "window", "right": first})
    if left >= 0 or right >= 0:
        limits = (left - first if left >= 0 else None, right + first if right >= 0 else None)
        found.append({"kind": "window", "left": limits[0], "right": limits[1]})
    return found


def _given(mask: Array, items: int, n: int, m: int, laid: Array) -> dict[str, Any]:
    """A mask that is an array; keys beyond its end are closed."""
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, m - mask.shape[-1])]
    mask = np.pad(mask, missing, constant_values=False if mask.dtype == bool else -np.inf)
    mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    mask = _at_rows(np.broadcast_to(mask, (items, mask.shape[1], n, m)), laid)
    return {"kind": "custom", "allowed": mask} if mask.dtype == bool else {"kind": "bias", "values": _number(mask)}


def _at_rows(array: Array, rows: Array) -> Array:
    """From every batch item the given rows, for all heads."""
    return np.take_along_axis(array, rows[:, None, :, None], axis=2)


def _split(array: Array, heads: int) -> Array:
    """(batch, row, head · column) as (batch, head, row, column)."""
    return array.reshape(*array.shape[:2], heads, -1).swapaxes(1, 2)


def _joined(array: Array) -> Array:
    return array.swapaxes(1, 2).reshape(array.shape[0], array.shape[2], -1)


def _wide(array: Array) -> Array:
    return _number(_joined(array))


def _number(array: Array) -> Array:
    """float16 and bfloat16 as numbers that NumPy itself knows."""
    return array if array.dtype == np.float64 else array.astype(np.float32)
