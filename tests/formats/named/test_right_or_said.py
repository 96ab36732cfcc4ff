"""A known problem under other axes, orders, kinds of numbers and names: in every door right, or said, or asked."""

import itertools
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.numpy

from attn_gui.cli import main
from attn_gui.engine import Problem, compute
from attn_gui.formats import FormatError, list_arrays, load, open_file, open_mapped, open_matrix
from attn_gui.formats.file_messages import SeveralReadings
from attn_gui.formats.named.array_mapping import propose_mapping
from attn_gui.formats.named.mapped_problem import mapping_with_answers
from tests.failing import each

from .writing import put, said_by

RANDOM = np.random.default_rng(35)
FULL = ("batch", "head", "token", "column")
Rows = dict[str, np.ndarray]
NAMES = {
    "own": ("query", "key", "value"),
    "letters": ("q", "k", "v"),
    "hooks": tuple(f"blocks.0.attn.hook_{letter}" for letter in "qkv"),
    "layer": tuple(f"h.3.attn.{letter}" for letter in "qkv"),
}


@pytest.fixture
def rows() -> Rows:
    """Q, K and V of five tokens and four columns."""
    return {role: RANDOM.normal(size=(5, 4)) for role in ("query", "key", "value")}


def heads(kv_heads: int = 4, batch: int = 1) -> dict[str, np.ndarray]:
    """Q, K and V with the axes batch, head, token, column."""
    counts = {"query": 4, "key": kv_heads, "value": kv_heads}
    return {name: RANDOM.normal(size=(batch, count, 5, 3)) for name, count in counts.items()}


def softmax(scores: np.ndarray) -> np.ndarray:
    found = np.exp(scores - scores.max(-1, keepdims=True))
    return found / found.sum(-1, keepdims=True)


def weights_of(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """softmax(Q Kᵀ / √d) of every head, in plain NumPy."""
    keys = np.repeat(arrays["key"], arrays["query"].shape[1] // arrays["key"].shape[1], axis=1)
    return softmax(np.einsum("bhnd,bhmd->bhnm", arrays["query"], keys) / np.sqrt(arrays["query"].shape[-1]))


def is_right(problem: Problem, expected: np.ndarray) -> bool:
    found = compute(problem)["weights"]
    return found.shape == expected.shape and np.allclose(found, expected, atol=1e-3)


def by_load(path: Path, names: dict[str, str], expected: np.ndarray) -> str:
    """`load`: right, and said where it was not the order of a problem itself, or every reading spelled out."""
    arrays = None if all(role == name for role, name in names.items()) else names
    try:
        problem, said = said_by(lambda: load(path, arrays=arrays))
    except SeveralReadings as asked:
        _check_question(asked)
        for value in asked.choices:  # each of them can be given back
            load(path, arrays=arrays, **{asked.option: value})
        return "asked"
    except FormatError:
        return "refused"
    if is_right(problem, expected):
        return "right"
    assert any("read as" in words for words in said), f"{problem!r} in silence"
    return "said"


def _check_question(asked: SeveralReadings) -> None:
    assert asked.option in ("axes", "weights")
    assert all(f'{asked.option}="{value}"' in str(asked) for value in asked.choices)


def by_window(path: Path, _names: dict[str, str], expected: np.ndarray) -> str:
    """The mapping that the window proposes: what is left open is not chosen, what is chosen is right or noted."""
    listing = list_arrays(path)
    mapping = propose_mapping(listing)
    try:
        offer = mapping_with_answers(mapping, listing)
    except FormatError:
        return "refused"
    if offer.questions:
        assert offer.mapping.axes is None or offer.mapping.weights is None
        return "asked"
    loaded = open_mapped(path, mapping)
    return "right" if is_right(loaded.problem, expected) else "said" if loaded.notes else "silent"


def by_python(arrays: dict[str, np.ndarray], expected: np.ndarray, **fields: Any) -> str:
    """`Problem.from_heads`."""
    try:
        problem, said = said_by(lambda: Problem.from_heads(**arrays, **fields))
    except ValueError as error:
        return "asked" if 'axes="' in str(error) else "refused"
    return "right" if is_right(problem, expected) else "said" if said else "silent"


def turned(arrays: dict[str, np.ndarray], order: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The arrays with their axes in another order; without a batch axis where that is not named."""
    found = {name: array if "batch" in order else array[0] for name, array in arrays.items()}
    own = [axis for axis in FULL if axis in order]
    return {name: array.transpose([own.index(axis) for axis in order]) for name, array in found.items()}


ORDERS = [order for size in (3, 4) for order in itertools.permutations(FULL[4 - size :])]
COLUMNS_LAST = [order for order in ORDERS if order[-1] == "column"]
SUFFIXES = (".npz", ".json", ".safetensors")


def in_turn(cases: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Each case in one kind of file, the kinds by turns."""
    return [(SUFFIXES[number % len(SUFFIXES)], *case) for number, case in enumerate(cases)]


@each("kv_heads", [4, 2])
@each("order", ORDERS, one_of=3)
def test_every_order_can_be_said(order: tuple[str, ...], kv_heads: int, tmp_path: Path) -> None:
    arrays = heads(kv_heads, batch=2 if "batch" in order else 1)
    lying, expected = turned(arrays, order), weights_of(arrays)
    assert is_right(Problem.from_heads(**lying, axes=",".join(order)), expected)
    path = put(tmp_path / "a.npz", {f"{name}_of_layer": array for name, array in lying.items()})
    names = {name: f"{name}_of_layer" for name in lying}
    assert is_right(load(path, arrays=names, axes=order), expected)


@each(("suffix", "order", "kv_heads", "named"), in_turn(itertools.product(COLUMNS_LAST, [4, 2], NAMES)), one_of=3)
def test_heads_are_right_or_said(
    suffix: str, order: tuple[str, ...], kv_heads: int, named: str, tmp_path: Path
) -> None:
    arrays = heads(kv_heads)
    lying, expected = turned(arrays, order), weights_of(arrays)
    names = dict(zip(("query", "key", "value"), NAMES[named], strict=True))
    path = put(tmp_path / f"a{suffix}", {names[role]: array for role, array in lying.items()})
    found = {by(path, names, expected) for by in (by_load, by_window)}
    assert found <= {"right", "said", "asked", "refused"}
    assert len(found - {"right", "said"}) <= 1, "all doors take it, or all ask"
    if named == "hooks" and order[-2:] == ("head", "column") and order[0] != "head":
        assert found <= {"right", "said"}
    assert by_python(lying, expected) != "silent"


TOKENS_FIRST = ("batch", "token", "head", "column")
WITNESSES = {
    "tokens": ({}, {"tokens": list("abcde")}),
    "num_heads": ({}, {"num_heads": 4}),
    "n_heads": ({}, {"n_heads": 4}),
    "pattern": ({"attn.pattern": weights_of(heads())}, {}),
    "mask": ({"attention_mask": np.ones((1, 5), int)}, {}),
    "ids": ({"input_ids": np.arange(5)[None]}, {}),
}


@each(("suffix", "order", "witness"), in_turn(itertools.product([FULL, TOKENS_FIRST], WITNESSES)))
def test_the_rest_of_the_file_settles_it(suffix: str, order: tuple[str, ...], witness: str, tmp_path: Path) -> None:
    arrays, (beside, options) = heads(), WITNESSES[witness]
    names = dict(zip(("query", "key", "value"), NAMES["letters"], strict=True))
    lying = {names[role]: array for role, array in turned(arrays, order).items()}
    path = put(tmp_path / f"a{suffix}", lying | beside, options)
    problem, said = said_by(lambda: load(path, arrays=names))
    assert is_right(problem, weights_of(arrays))
    assert any(",".join(order) in words for words in said)


@each(("names", "beside", "options"), [("qkv", {"attn_weights": np.ones((7, 7))}, {}), ((), {}, {"num_heads": 4})])
def test_what_speaks_for_no_order_settles_none(names: str, beside: Any, options: Any, tmp_path: Path) -> None:
    """Nor is a first axis as long as there are heads taken for items."""
    roles = ("query", "key", "value")
    arrays = {name: RANDOM.normal(size=(4, 5, 8)) for name in names or roles}
    path = put(tmp_path / "a.npz", arrays | beside, options)
    with pytest.raises(SeveralReadings, match=r"in [23] ways"):
        load(path, arrays=dict(zip(roles, names, strict=True)) if names else None)


SHAPES = {
    "alike": (5, 5, 4, 4),
    "grouped": (5, 5, 4, 2),
    "one K/V head": (5, 5, 4, 1),
    "two texts": (4, 2, 5, 5),
    "two texts, grouped": (8, 4, 6, 3),
    "one key": (4, 1, 5, 5),
    "one query": (1, 5, 4, 4),
    "one token": (1, 1, 4, 4),
    "one head": (5, 5, 1, 1),
}


@each("batch", [0, 1, 2])
@each("kind", SHAPES, one_of=3)
def test_python_takes_no_order_in_silence_where_another_fits(kind: str, batch: int) -> None:
    """Grouped heads of one text have the shapes of whole heads between two texts, head and token exchanged."""
    queries, keys, heads, kv_heads = SHAPES[kind]
    query = RANDOM.normal(size=(batch or 1, heads, queries, 3))
    key, value = (RANDOM.normal(size=(batch or 1, kv_heads, keys, 3)) for _ in range(2))
    arrays = {"query": query, "key": key, "value": value}
    expected = weights_of(arrays)
    for order in (("head", "token", "column"), ("token", "head", "column")):
        lying = turned(arrays, ("batch", *order) if batch else order)
        assert by_python(lying, expected) != "silent"
        counts = {"num_heads": heads, "num_kv_heads": kv_heads}
        late = queries == 1 and keys == 1 and batch == 2 and order[0] == "token"  # or two tokens before one item
        assert by_python(lying, expected, **counts) == ("asked" if late else "right")
        tokens = {"query_tokens": ["a"] * queries, "key_tokens": ["b"] * keys}
        assert by_python(lying, expected, **tokens) == "right"
        _, said = said_by(lambda fields=lying | tokens: Problem.from_heads(**fields))
        assert bool(said) == (order[0] == "token")


# --- weights -------------------------------------------------------------------------------------
WEIGHT_NAMES = {
    "torch": "layers.0.self_attn.{}_proj.weight",
    "keras": "mha/{}/kernel:0",
    "flax": "attn.{}.kernel",
    "lens": "blocks.0.attn.W_{}",
    "nothing": "array_{}",
}
LAID = {
    "in,out": lambda w: w.reshape(8, 8),
    "out,in": lambda w: w.reshape(8, 8).T,
    "in,head,column": lambda w: w,
    "head,in,column": lambda w: w.transpose(1, 0, 2),
    "head,column,in": lambda w: w.transpose(1, 2, 0),
}
KNOWN = {
    "torch": ("out,in", "head,column,in"),
    "keras": ("in,out", "in,head,column"),
    "flax": ("in,out", "in,head,column"),
    "lens": ("in,out", "head,in,column"),
    "nothing": (),
}


@each("named", WEIGHT_NAMES)
@each("order", LAID, one_of=3)
def test_weights_are_right_or_said(named: str, order: str, tmp_path: Path) -> None:
    x, kernels = RANDOM.normal(size=(5, 8)), {name: RANDOM.normal(size=(8, 2, 4)) for name in ("query", "key", "value")}
    rows = {name: np.einsum("nd,dhc->hnc", x, kernel)[None] for name, kernel in kernels.items()}
    expected = weights_of(rows)
    words = {name: name[0].upper() if named == "lens" else name[0] if named == "torch" else name for name in kernels}
    names = {f"w_{name}": WEIGHT_NAMES[named].format(words[name]) for name in kernels}
    arrays = {names[f"w_{name}"]: LAID[order](kernel) for name, kernel in kernels.items()}
    path = put(tmp_path / "a.npz", {"hidden_states": x, **arrays}, {"num_heads": 2})
    names = {"x": "hidden_states", **names}
    assert by_load(path, names, expected) in ("right", "said", *(() if order in KNOWN[named] else ("asked",)))
    assert is_right(load(path, arrays=names, weights=order), expected)
    if named != "nothing":
        assert by_window(path, names, expected) in ("right", "said", "asked")


@each("axis", [0, 1])
def test_queries_keys_and_values_one_behind_another_are_no_items_in_silence(axis: int, tmp_path: Path) -> None:
    parts = RANDOM.normal(size=(3, 5, 6))
    path = put(tmp_path / "a.npz", {"qkv": np.stack(list(parts), axis)})
    _, said = said_by(lambda: load(path, arrays={"query_key_value": "qkv"}))
    assert any("qkv: read as" in words and "items" in words for words in said)
    _, said = said_by(lambda: load(path, arrays={"query_key_value": "qkv"}, axes="batch,token,column"))
    assert not said
    path = put(tmp_path / "b.npz", {"qkv": RANDOM.normal(size=(2, 5, 6))})
    _, said = said_by(lambda: load(path, arrays={"query_key_value": "qkv"}))
    assert not said


def test_biases_and_outputs_of_keras_are_laid_flat(tmp_path: Path) -> None:
    x, w, b = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(3, 2, 2)), RANDOM.normal(size=(2, 2))
    out = RANDOM.normal(size=(2, 2, 5))
    arrays = {"x": x, **{f"mha/{name}/kernel": w for name in ("query", "key", "value")}}
    arrays |= {"mha/query/bias": b, "mha/attention_output/kernel": out, "mha/attention_output/bias": np.ones(5)}
    path = put(tmp_path / "a.npz", arrays)
    problem = open_mapped(path, propose_mapping(list_arrays(path))).problem
    flat = w.reshape(3, 4)
    expected = {"w_query": flat, "w_key": flat, "w_value": flat, "b_query": b.reshape(4)}
    assert problem == Problem(x=x, **expected, w_output=out.reshape(4, 5), b_output=np.ones(5), num_heads=2)


# --- sequences first -----------------------------------------------------------------------------
@each("suffix", SUFFIXES)
def test_tokens_before_one_item_are_tokens(suffix: str, tmp_path: Path) -> None:
    rows = {name: RANDOM.normal(size=(4, 1, 8)) for name in ("query", "key", "value")}
    path = put(tmp_path / f"a{suffix}", rows, {"num_heads": 2})
    problem, said = said_by(lambda: load(path))
    flat = {name: array[:, 0].reshape(1, 4, 2, 4).swapaxes(1, 2) for name, array in rows.items()}
    assert is_right(problem, weights_of(flat))
    assert 'axes="token,batch,column" (tokens 4)' in said[0]
    assert load(path, axes="batch,token,column").batch_size == 4
    x = RANDOM.normal(size=(4, 1, 8))
    weights = {f"w_{name}": np.eye(8) for name in rows}
    problem, said = said_by(lambda: load(put(tmp_path / f"b{suffix}", {"x": x, **weights})))
    assert (problem.n, problem.batch_size, "token,batch,column" in said[0]) == (4, 1, True)


# --- masks and numbers of heads ------------------------------------------------------------------
OPEN = np.tril(np.ones((5, 5), bool))
LAST_TWO = np.array([[1, 1, 1, 0, 0]])
MASKS: dict[str, tuple[str, Any, np.ndarray | str]] = {
    "causal": ("is_causal", True, OPEN),
    "not causal": ("is_causal", False, np.ones((5, 5), bool)),
    "added": ("attn_mask", np.where(OPEN, 0, -1e9), OPEN),
    "true and false": ("attn_mask", OPEN, "asked"),
    "0 and 1": ("attn_mask", OPEN.astype(int), "asked"),
    "0 and 1 as decimals": ("attention_mask", OPEN.astype(float), "asked"),
    "0 and -10000": ("attn_mask", np.where(OPEN, 0, -10000), OPEN),
    "0 and the least whole number": ("attn_mask", np.where(OPEN, 0, -(2**31)), OPEN),
    "0 and the least of float32": ("attn_mask", np.where(OPEN, 0, np.finfo(np.float32).min), OPEN),
    "0 and -inf": ("decoder_mask", np.where(OPEN, 0, -np.inf), OPEN),
    "Hugging Face": ("attention_mask", LAST_TWO, LAST_TWO * np.ones((5, 5)) == 1),
    "Hugging Face, switches": ("attention_mask", LAST_TWO == 1, LAST_TWO * np.ones((5, 5)) == 1),
    "Hugging Face, extended": ("attention_mask", np.where(OPEN, 0, -10000)[None, None], OPEN),
    "Hugging Face, of maps": ("attention_mask", OPEN[None, None], OPEN),
    "PyTorch": ("key_padding_mask", LAST_TWO == 0, LAST_TWO * np.ones((5, 5)) == 1),
    "PyTorch, one item": ("src_key_padding_mask", LAST_TWO[0] == 0, LAST_TWO * np.ones((5, 5)) == 1),
    "GPT-2": ("attn.bias", OPEN, OPEN),
    "flash-attention": ("causal", True, OPEN),
    "Keras": ("use_causal_mask", True, OPEN),
    "any mask": ("decoder_mask", OPEN, "asked"),
    "Longformer": ("global_attention_mask", np.array([[1, 0, 0, 0, 0]]), "asked"),
    "inverted": ("inverted_attention_mask", 1 - LAST_TWO, "asked"),
    "a word for one": ("tril", OPEN, "asked"),
    "a name of one's own": ("adjacency", OPEN, "asked"),
    "ends": ("is_pad", LAST_TWO[0] == 0, "asked"),
    "turned": ("attn_mask_t", OPEN, "asked"),
}


@each(("suffix", "kind"), [*in_turn((kind,) for kind in MASKS), *((".xlsx", kind) for kind in MASKS)], one_of=3)
def test_masks_are_read_by_their_names_or_asked_for(
    kind: str, suffix: str, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, cells, allowed = MASKS[kind]
    if suffix == ".xlsx" and (np.ndim(cells) > 2 or np.asarray(cells).dtype.kind == "f"):
        pytest.skip("a sheet has two axes, and whole decimals are whole numbers there")
    path = put(tmp_path / f"a{suffix}", {**rows, name: np.asarray(cells)})
    if suffix == ".json" and "causal" in name:
        put(path, rows, {name: cells})
    folder = tmp_path / "out"
    if isinstance(allowed, str):
        with pytest.raises(SeveralReadings, match=r'mask="keep".*mask="block"'):
            load(path)
        assert main(["export", str(path), "-o", str(folder), "--format", "csv"]) == 2
        assert not folder.exists(), "nothing is written"
        said = capsys.readouterr().err
        assert "--mask keep (True may attend), --mask block (True may not attend)" in said
        assert load(path, mask="none").mask == ()
        assert propose_mapping(list_arrays(path)).arrays["mask"] == name, "the window asks, too"
        return
    problem, said = said_by(lambda: load(path))
    scores = rows["query"] @ rows["key"].T / 2
    np.testing.assert_allclose(compute(problem)["weights"][0, 0], softmax(np.where(allowed, scores, -1e9)), atol=1e-12)
    assert (kind == "not causal") == (not said)
    assert main(["export", str(path), "-o", str(folder), "--format", "csv"]) == 0
    assert (name in capsys.readouterr().err) == bool(said)


def test_a_mask_of_items_times_heads_is_that_of_multihead_attention(tmp_path: Path) -> None:
    rows = {role: RANDOM.normal(size=(2, 5, 6)) for role in ("query", "key", "value")}
    closed = RANDOM.random((2, 3, 5, 5)) > 0.8
    path = put(tmp_path / "a.npz", {**rows, "attn_mask": closed.reshape(6, 5, 5)}, {"num_heads": 3})
    np.testing.assert_array_equal(load(path, mask="block").mask[0].allowed, ~closed)
    path = put(tmp_path / "b.npz", {**rows, "mask": closed[0, :2]}, {"num_heads": 2, "batch_axis": True})
    with pytest.raises(FormatError, match="may be 2 items or 2 heads"):
        load(path)


@each("name", ["attn_bias", "position_bias"])
def test_what_is_called_a_bias_is_added(name: str, rows: Rows, tmp_path: Path) -> None:
    for cells in (OPEN.astype(int), OPEN.astype(float), RANDOM.normal(size=(5, 5))):
        problem, said = said_by(lambda cells=cells: load(put(tmp_path / "a.npz", {**rows, name: cells})))
        np.testing.assert_array_equal(problem.mask[0].values, cells)
        assert said == [f'a.npz: {name}: read as mask="add" (added to the scores); another reading can be chosen.']
    with pytest.raises(SeveralReadings, match=r'mask="keep".*mask="block"'):
        load(put(tmp_path / "a.npz", {**rows, name: OPEN}))


@each("name", ["mask_T", "attn_bias_t", "mask'"])
def test_a_turned_mask_is_asked_about(name: str, rows: Rows, tmp_path: Path) -> None:
    path = put(tmp_path / "a.npz", {**rows, name: np.where(OPEN, 0, -1e9)})
    with pytest.raises(SeveralReadings, match=r'in 2 ways: mask="add" .*mask="none"'):
        load(path)
    assert load(path, mask="add").mask[0].values.min() == -1e9
    assert propose_mapping(list_arrays(path)).arrays["mask"] == name


@each("word", ["n_heads", "num_attention_heads", "q_num_heads", "nheads"])
def test_numbers_of_heads_under_other_names_count(word: str, rows: Rows, tmp_path: Path) -> None:
    problem, said = said_by(lambda: load(put(tmp_path / "a.npz", {**rows, word: np.array(2)})))
    assert problem == Problem(**rows, num_heads=2)
    assert said == [f"a.npz: “{word}” was read as num_heads 2."]
    assert said_by(lambda: load(tmp_path / "a.npz", num_heads=4)) == (Problem(**rows, num_heads=4), [])
    with pytest.raises(FormatError, match="“num_heads” is 4; expected the same"):
        load(put(tmp_path / "b.npz", {**rows, word: np.array(2), "num_heads": np.array(4)}))


@pytest.mark.parametrize(
    "said",
    [{"num_heads": "2"}, {"n_heads": "2", "format": "mlx"}, {"num_heads": "2", "dtype": "bfloat16", "scale": "None"}],
)
def test_numbers_of_heads_in_the_metadata_of_safetensors_count(
    said: dict[str, str], rows: Rows, tmp_path: Path
) -> None:
    safetensors.numpy.save_file(rows, tmp_path / "a.safetensors", metadata=said)
    assert load(tmp_path / "a.safetensors") == Problem(**rows, num_heads=2)


def test_no_other_metadata_of_safetensors_are_left_out_in_silence(rows: Rows, tmp_path: Path) -> None:
    said = {"mask": "causal", "sliding_window": "3", "scores": "[1]", "config": "{}", "format": "pt", "title": "A"}
    said |= {"score": "dot", "normalize": "sum"}
    safetensors.numpy.save_file(rows, tmp_path / "a.safetensors", metadata=said)
    loaded = open_file(tmp_path / "a.safetensors")
    assert loaded.problem == Problem(**rows, mask="causal", normalize="sum")
    assert set(loaded.left_out) == {"config", "sliding_window"}
    assert loaded.missed == ("sliding_window",)


@each("dtype", ["<u2", "<i2"])
def test_the_bits_of_bfloat16_are_no_whole_numbers(dtype: str, tmp_path: Path) -> None:
    rows = {role: RANDOM.normal(size=(5, 4)).astype(np.float32) for role in ("query", "key", "value")}
    bits = {role: (array.view("<u4") >> 16).astype("<u2").view(dtype) for role, array in rows.items()}
    with pytest.raises(FormatError, match=r"“query” holds whole numbers .* the bits of bfloat16, here of"):
        load(put(tmp_path / "a.npz", bits))
    np.save(tmp_path / "a.npy", bits["key"])
    with pytest.raises(FormatError, match="the bits of bfloat16"):
        open_matrix(tmp_path / "a.npy")
    counts = {role: np.arange(20, dtype=dtype).reshape(5, 4) for role in rows}
    assert load(put(tmp_path / "a.npz", counts)).query.max() == 19


def test_a_softcap_of_0_is_none(rows: Rows, tmp_path: Path) -> None:
    problem, said = said_by(lambda: load(put(tmp_path / "a.npz", {**rows, "softcap": np.array(0.0)})))
    assert problem == Problem(**rows)
    assert said == ["a.npz: “softcap” was read as None."]


def test_what_the_names_of_fields_settle_although_it_may_be_meant_otherwise_is_said(tmp_path: Path) -> None:
    query, rest = RANDOM.normal(size=(4, 6, 4)), RANDOM.normal(size=(6, 4))
    arrays = {"query": query, "key": rest, "value": rest, "scale": np.array(2.0), "weights": np.ones((1, 4, 6, 6))}
    problem, said = said_by(lambda: load(put(tmp_path / "a.npz", arrays)))
    assert (problem.batch_size, problem.scale) == (4, 2)
    assert any("read as 4 items of 6 tokens, which share their keys" in words for words in said)
    assert any("“scale” is √d_k = 2" in words and "expected 0.5" in words for words in said)
    assert any("has the shape 1 × 4 × 6 × 6, that computed here 4 × 1 × 6 × 6" in words for words in said)


def test_two_words_of_metadata_do_not_make_a_file_one_of_ours(tmp_path: Path) -> None:
    """A first axis of three was taken as three items, without a word."""
    arrays = {"weights": np.full((3, 4, 4), 0.25), "value": RANDOM.normal(size=(3, 4, 6))}
    found = []
    for said in ({"num_heads": "3"}, {"num_heads": "3", "dtype": "float32"}):
        safetensors.numpy.save_file(arrays, tmp_path / "a.safetensors", metadata=said)
        found.append(said_by(lambda: load(tmp_path / "a.safetensors")))
    (one, note), (other, same_note) = found
    assert note == same_note
    assert note
    assert (one.batch_size, one.num_heads) == (other.batch_size, other.num_heads) == (1, 3)


def test_what_changes_nothing_keeps_nobody_from_exporting(tmp_path: Path) -> None:
    rows = {role: RANDOM.normal(size=(3 if role == "query" else 5, 4)) for role in ("query", "key", "value")}
    beside = {"seqlen_q": 3, "seqlen_k": 5, "q_len": 3, "kv_len": 5, "attn_scale": 0.5}
    beside |= {"pad_token_id": 7, "padding": 0, "mask_ratio": 0.15, "seq_len": 3, "windows": [4096, 5]}
    beside |= {"visible": True, "attention_bias": False, "padding_side": "right", "prefix": "model.layers.0"}
    loaded = open_file(put(tmp_path / "a.npz", rows | {name: np.array(value) for name, value in beside.items()}))
    assert loaded.missed == ()
    assert not [note for note in loaded.notes if "shape" in str(note)], "one number is no map"
    assert open_file(put(tmp_path / "a.npz", {**rows, "seqlen_q": np.array(2)})).missed == ("seqlen_q",)


CHANGING = [
    ("sliding_window", 3, None),
    ("window_size", [2, 0], [-1, -1]),
    ("alibi_slopes", [0.5], None),
    ("bias", np.eye(5), None),
    ("key_value_seq_lengths", [4], [5]),
    ("segment_ids", [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]),
    ("sinks", [0.5], None),
    ("sinks", [0], None),  # which counts as e⁰
    ("head_mask", [0], [1]),  # which switches a head off
    ("temp", 2, 1),
    ("norm_factor", 4, 2),
    ("normalization", "sparsemax", "softmax"),
    ("rope_theta", 10000.0, None),
    ("rotary_pairs", "neighbours", None),
    ("position_ids", [0, 1, 2, 3, 4], [0]),
    ("rel_pos_bias", np.eye(5), None),
    ("encoder.rel_pos_bias", np.eye(5), None),
    ("attn_scale", 0.25, 0.5),  # 1/√4
    ("window", 3, -1),
    ("window", [4096, 0], [0, 0]),
    ("window_size", 4, 5),  # no key is so far from a query
    ("prefix", 3, 0),
    ("visible", False, True),
    ("keep_mask", False, None),  # keep nothing, or keep no mask
    ("keep_mask", True, None),
    ("add_bias_kv", True, False),
    ("self_attn.bias_k", [[[0.0] * 4]], None),  # a key more, which counts with e⁰
    ("per_dim_scale", [0.5] * 4, [0] * 4),
    ("use_mask", True, False),
    ("use_rope", True, False),
    ("use_qk_norm", True, False),
    ("num_sink_tokens", 4, 0),
    ("head_dim", 2, 4),
    ("heads", 4, 1),
    ("num_query_groups", 2, 1),
    ("config.num_heads", 2, 1),
    ("seq_len", 3, 5),
    ("unidirectional", 1, 0),
    ("k_scale", 0.02, 1),
    ("attention_multiplier", 1.0, 0.5),
    *((name, 2, None) for name in ("attention_window", "chunk_size", "attn_sink", "logit_cap", "softmax1")),
    *(
        (name, np.eye(5, 4), None)
        for name in ("context_lens", "slopes", "cos", "theta", "q_proj.lora_A", "relative_attention_bias.weight")
    ),
    *((name, np.eye(5, 4), None) for name in ("masked", "rotated_query")),  # of steps that the problem has not got
    *((name, np.eye(4), None) for name in ("attn.o_proj.weight", "w_output_t", "out_proj_weight.T")),
]


@each(
    ("suffix", "name", "on", "off"), [(SUFFIXES[number % 2], *case) for number, case in enumerate(CHANGING)], one_of=3
)
def test_nothing_is_exported_without_what_its_name_says_would_change_it(
    name: str, on: Any, off: Any, suffix: str, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path / f"a{suffix}", {**rows, name: np.asarray(on)})
    words = ["export", str(path), "-o", str(tmp_path / "out"), "--format", "csv"]
    assert main(words) == 2
    assert not (tmp_path / "out").exists()
    assert f"also holds {name}, which would change the numbers" in capsys.readouterr().err
    assert main(["verify", str(path)]) == 2
    if np.shape(on) == (4, 4):  # a part that was left out
        assert main([*words, "--array", *(f"{name}={name}" for name in rows)]) == 0, "somebody has said what counts"
    if off is not None:
        put(path, {**rows, name: np.asarray(off), "properties": np.eye(5), "wavelength": np.ones(1)})
        assert main(words) == 0


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """What is said is looked at by the tests themselves."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
