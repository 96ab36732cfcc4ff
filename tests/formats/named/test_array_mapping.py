"""Foreign names and axes, in one file or several: suggested, read as said, remembered, or refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.engine.head_axis import READINGS, heads_of, laid_shape, readings, with_axes_in_order
from attn_gui.formats import FormatError, load, save
from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.array_mapping import (
    ArrayMapping,
    parse_mapping,
    propose_mapping,
    recall_mapping,
    record_of,
)
from attn_gui.formats.named.array_names import ForeignNames, suggested
from attn_gui.formats.named.mapped_problem import complaint
from attn_gui.formats.named.several_files import list_several, open_several, several_name, whole_ones
from tests.failing import each

RANDOM = np.random.default_rng(7)


def listing(*names: str, shape: tuple[int, ...] = (3, 4)) -> ArrayListing:
    return ArrayListing(tuple(ListedArray(name, shape, "float64") for name in names), lambda _source, _names: {})


# --- names ---------------------------------------------------------------------------------------
LLAMA, BERT = "model.layers.1.self_attn.", "encoder.layer.0.attention."
SUGGESTED = [
    {"query": "q", "key": "K", "value": "val"},
    {"query": "queries", "key": "keys", "value": "values", "mask": "attn_mask"},
    {"query": "unet2d.to_q", "key": "unet2d.to_k", "value": "unet2d.to_v"},
    {"query": "h.0.attn.q", "key": "h.0.attn.k", "value": "h.0.attn.v"},
    {"x": "hidden_states", "b_query": f"{LLAMA}q_proj.bias", "query_norm": f"{LLAMA}q_norm.weight"}
    | {f"w_{name}": f"{LLAMA}{name[0]}_proj.weight" for name in ("query", "key", "value", "output")},
    {f"w_{name}": f"{BERT}self.{name}.weight" for name in ("query", "key", "value")}
    | {"w_output": f"{BERT}output.dense.weight"},
    {"x": "X", "w_query": "W_Q", "b_query": "b_Q", "w_key": "W_K", "w_value": "W_V", "w_output": "W_O"},
    {"x": "x", "w_query": "wq", "w_key": "wk", "w_value": "wv"},
    {},
]
OTHERS = (
    "model.layers.1.mlp.up_proj.weight",
    "model.layers.1.input_layernorm.weight",
    "loss",
    "b1",
    "h.3.attn.b",
    "dQ",
    "q.grad",
    "grad_k",
)
OTHERS += (f"{BERT}output.LayerNorm.weight", "encoder.layer.0.output.dense.weight")


@each("wanted", SUGGESTED)
def test_names_suggest_the_parts(wanted: dict[str, str]) -> None:
    assert suggested(listing(*wanted.values(), *OTHERS).arrays) == wanted
    halves = ("q_nope", "q_pe", "k_nope", "k_rope")  # each is a part of a head alone
    whole = wanted if "query" in wanted else {}
    assert suggested(listing(*whole.values(), *halves).arrays) == whole


def test_parts_that_may_be_transposed_are_told_from_others(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = put(tmp_path / "a.npz", Q=np.eye(3), K_t=np.eye(3), value=np.eye(3))
    said = refused(lambda: load(path), path=path)
    assert said.endswith("By their names K_t may be transposed, so they are taken for nothing unasked.")
    path = put(tmp_path / "b.npz", q_nope=np.eye(3), k_nope=np.eye(3), v=np.eye(3))
    said = refused(lambda: load(path), path=path)
    assert "By their names q_nope, k_nope hold the columns of heads with positions or those without" in said
    whole = {"query": "q_nope", "key": "k_nope", "value": "v"}
    assert load(path, arrays=whole) == Problem(query=np.eye(3), key=np.eye(3), value=np.eye(3))


# --- axes ----------------------------------------------------------------------------------------
@given(st.sampled_from(READINGS), st.tuples(*[st.integers(1, 4)] * 4))
def test_a_reading_is_a_permutation(axes: tuple[str, ...], sizes: tuple[int, ...]) -> None:
    shape = sizes[: len(axes)]
    array = np.arange(np.prod(shape)).reshape(shape)
    names = [axis for axis in ("batch", "head", "token", "column") if axis in axes]
    expected = np.einsum(array, [ord(axis[0]) - 97 for axis in axes], [ord(axis[0]) - 97 for axis in names])
    assert np.array_equal(with_axes_in_order(axes, array).reshape(-1), expected.reshape(-1))
    assert np.prod(laid_shape(axes, shape)) == array.size
    assert heads_of(axes, shape) == (shape[axes.index("head")] if "head" in axes else None)


def test_both_readings_are_offered_where_both_fit() -> None:
    same = dict.fromkeys(("query", "key", "value"), (2, 5, 3))
    assert readings(same) == (("head", "token", "column"), ("batch", "token", "column"), ("token", "head", "column"))
    grouped = {"query": (4, 5, 3), "key": (2, 6, 3), "value": (2, 6, 7)}
    assert readings(grouped) == (("head", "token", "column"),)
    assert readings({"query": (1, 4, 5, 3), "key": (1, 5, 4, 3)}) == ()
    assert readings({"query": (3, 2), "key": (4, 2), "value": (5, 2)}) == ()


# --- the rest ------------------------------------------------------------------------------------
@each(
    ("mask", "meaning", "allowed"),
    [
        (np.tril(np.ones((3, 3), bool)), None, np.tril(np.ones((3, 3), bool))),
        (np.tril(np.ones((3, 3), bool)), "block", ~np.tril(np.ones((3, 3), bool))),
        (np.tril(np.ones((3, 3))), "keep", np.tril(np.ones((3, 3), bool))),
        (np.array([[1, 1, 0], [1, 0, 0]]), None, np.array([[1, 1, 0], [1, 0, 0]], bool)[:, None, None]),
        (np.ones((2, 3, 3), bool), None, np.ones((2, 1, 3, 3), bool)),
        (np.ones((2, 1, 3, 3), bool), None, np.ones((2, 1, 3, 3), bool)),
    ],
)
def test_a_mask_means_what_is_said(mask: np.ndarray, meaning: str | None, allowed: np.ndarray, tmp_path: Path) -> None:
    one = RANDOM.normal(size=(2, 3, 4))
    np.savez(tmp_path / "a.npz", q=one, k=one, v=one, attention_mask=mask)
    names = {"query": "q", "key": "k", "value": "v", "mask": "attention_mask"}
    found = load(tmp_path / "a.npz", arrays=names, axes="batch,token,column", mask=meaning).mask[0]
    assert found.kind == "custom"
    np.testing.assert_array_equal(found.allowed, allowed)


def test_what_was_chosen_is_found_again_in_the_next_layer_and_file() -> None:
    names = [f"h.{layer}.attn.{part}" for layer in (4, 7) for part in ("aa", "bb", "cc")]
    chosen = ArrayMapping(
        {"query": "h.4.attn.bb", "key": "h.4.attn.aa", "value": "h.4.attn.cc"}, ("token", "column"), num_heads=2
    )
    record = json.loads(json.dumps(record_of(chosen)))
    assert recall_mapping([record], listing(*names)) == chosen
    other = recall_mapping(
        [{"arrays": {"query": "nowhere"}}, record], listing(*[name.replace("4", "9") for name in names])
    )
    assert other is not None
    assert set(other.arrays.values()) == {"h.9.attn.bb", "h.9.attn.aa", "h.9.attn.cc"}
    assert recall_mapping([record], listing("h.4.attn.aa", "h.4.attn.bb")) is None
    masked = recall_mapping([record], listing(*names, "decoder_mask"))
    assert masked == replace(chosen, arrays={"mask": "decoder_mask", **chosen.arrays}), "which the last file had not"
    assert recall_mapping([record | {"mask": "none"}], listing(*names, "decoder_mask")) == replace(chosen, mask="none")
    maps = ArrayMapping({"weights": "aa"})
    assert recall_mapping([record_of(maps)], listing("aa", "decoder_mask")) == maps, "they go with no mask"
    assert recall_mapping([{}, {"arrays": {"nonsense": "h.#.attn.aa"}}, {"arrays": []}], listing(*names)) is None


COMPLAINTS = [
    (ArrayMapping({"value": "a"}), "query is missing"),
    (ArrayMapping({"query": "a", "key": "a"}), "value is missing"),
    (ArrayMapping({"key": "key"}, num_heads=2), "query is missing"),
    (ArrayMapping({"query": "a", "key": "a", "value": "a"}, num_heads=3), "which 3 heads cannot share"),
    (ArrayMapping({"query": "a", "key": "a", "value": "a"}, axes=("head", "token", "column")), "cannot be read as"),
    (ArrayMapping({"x": "a", "w_query": "d", "w_key": "d", "w_value": "d"}), "w_query must have as many rows as x"),
    (ArrayMapping({"x": "e", "w_query": "c", "w_key": "c", "w_value": "c"}), "got the shape (2, 3, 4, 5)"),
]


@each(("mapping", "words"), COMPLAINTS)
def test_what_makes_no_problem_is_said_before_anything_is_read(mapping: ArrayMapping, words: str) -> None:
    shapes = {"a": (3, 4), "b": (2, 3, 4), "c": (5, 4), "d": (5, 5), "e": (2, 3, 4, 5), "key": (2, 3, 4)}
    arrays = tuple(ListedArray(name, shape, "float32") for name, shape in shapes.items())
    found = complaint(mapping, ArrayListing(arrays, lambda _source, _names: {}))
    assert words in str(found)


@each(
    ("words", "said"),
    [
        ({"arrays": {"nonsense": "a"}}, "“nonsense” is not a part of a problem"),
        ({"arrays": {}, "axes": "head,column"}, "“axes” is “head,column”"),
        ({"arrays": {}, "weights": "x"}, "“weights” is “x”; expected one of “in,out”, “out,in”"),
        ({"arrays": {}, "mask": "x"}, "expected one of “keep”, “block”, “add”"),
    ],
)
def test_a_word_that_means_nothing_is_refused(words: dict[str, object], said: str) -> None:
    with pytest.raises(FormatError, match=said):
        parse_mapping(**words)


HOOKS = {"query": "blocks.0.attn.hook_q", "key": "blocks.0.attn.hook_k", "value": "blocks.0.attn.hook_v"}


def test_a_cache_of_many_layers_is_refused_with_the_line_that_reads_one(tmp_path, capsys):
    """The names were listed, and nobody was told which to say; the window proposed them."""
    rng, path = np.random.default_rng(0), tmp_path / "cache of hooks.npz"
    arrays = {f"blocks.{layer}.attn.hook_{part}": rng.normal(size=(1, 6, 4, 3)) for layer in (0, 1) for part in "qkv"}
    np.savez(path, **arrays)
    with pytest.raises(FormatError, match="for one layer load") as refused:
        load(path)
    assert f"arrays={HOOKS})" in str(refused.value)
    with pytest.warns(UserWarning, match="read as axes|not used"):
        assert load(path, arrays=HOOKS).num_heads == 4
    assert main(["verify", str(path)]) == 2
    assert f"--array {' '.join(f'{part}={name}' for part, name in HOOKS.items())}." in capsys.readouterr().err
    np.savez(path, **{name: array for name, array in arrays.items() if name.endswith("q")})
    with pytest.raises(FormatError, match="expected arrays query, key and value"):
        load(path)


# --- arrays under their own names -----------------------------------------------------------------
ARRAYS = {name: RANDOM.normal(size=(3, 4)) for name in ("query", "key", "value")}
OPEN = np.tril(np.ones((3, 3)))


def put(path: Path, **arrays: object) -> Path:
    np.savez(path, **arrays)
    return path


@each("meaning", ["keep", "block"])
def test_what_is_added_to_scores_neither_opens_nor_closes(
    meaning: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS, mask=np.where(OPEN == 1, 0, -np.inf))
    said = refused(lambda: load(path, mask=meaning), path=path)
    assert f"the mask holds -inf; expected 0 and 1, or true and false, where it means “{meaning}”" in said
    assert load(path, mask="add").mask[0].kind == "bias"


@pytest.mark.parametrize(
    ("word", "about"),
    [
        ({"mask": "keep"}, "“mask” tells how to read mask"),
        ({"weights": "out,in"}, "“weights” tells how to read w_query, w_key, w_value, w_output"),
    ],
)
def test_a_word_on_what_is_not_there_is_refused(
    word: dict[str, str], about: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS)
    said = refused(lambda: load(path, **word), path=path)
    assert f"{about}, and there is none; the parts are query, key, value." in said


# --- axes and heads ------------------------------------------------------------------------------


@each("said", ["here", "in the file"])
def test_a_number_of_heads_decides_what_an_axis_is(said: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    one = RANDOM.normal(size=(8, 5, 12))
    path = put(tmp_path / "a.npz", q=one, k=one, v=one, **({} if said == "here" else {"num_heads": 4}))
    names = {"query": "q", "key": "k", "value": "v"}
    more = {"num_heads": 4} if said == "here" else {}
    found = load(path, arrays=names, **more)
    assert (found.batch_size, found.num_heads, found.d_k) == (8, 4, 3)
    contradiction = refused(lambda: load(path, arrays=names, axes="head,token,column", **more), path=path)
    assert "cannot be read as head,token,column; expected batch,token,column" in contradiction
    for order in ((4, 5, 12), (5, 4, 12)):  # a second axis was taken for tokens, in silence
        one = RANDOM.normal(size=order)
        put(path, query=one, key=one, value=one, num_heads=4)
        axes = "head,token,column" if order[0] == 4 else "token,head,column"
        assert f'axes="{axes}" (heads 4, tokens 5)' in refused(lambda: load(path), path=path)
        assert load(path, axes=axes).map_shape == (1, 4, 5, 5)


# --- what cannot be applied ----------------------------------------------------------------------
def test_a_session_has_no_arrays_by_name(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.attn"
    save(Problem(**ARRAYS), path)
    assert "holds no arrays by name" in refused(lambda: load(path, num_heads=2), path=path)
    assert load(path, weights="in,out") == Problem(**ARRAYS), "which says nothing"
    with pytest.warns(UserWarning, match="Arrays not used: attn_gui"):  # the options of a session by another suffix
        load(path.rename(tmp_path / "a.safetensors"), num_heads=2)


def test_the_command_line_applies_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = put(tmp_path / "a.npz", **ARRAYS)
    assert main(["export", str(path), "-o", str(tmp_path), "--num-heads", "2", "--format", "csv"]) == 0
    assert (tmp_path / "a-weights-h1.csv").exists()
    save(Problem(**ARRAYS), tmp_path / "a.attn")
    capsys.readouterr()
    for words in (["verify", str(tmp_path / "a.attn"), "--num-heads", "2"], ["--num-heads", "2"]):
        assert main(words) == 2
    said = capsys.readouterr().err
    assert "a.attn holds no arrays by name" in said
    assert "Options on arrays need a FILE" in said


# --- several files together -----------------------------------------------------------------------
ONE_EACH = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}


def put_each(folder: Path, **arrays: np.ndarray) -> list[Path]:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [folder / f"{name}.npy" for name in arrays]


@pytest.mark.parametrize("text", ["True,False,True,True\n" * 4, ",0,1,2,3\n" + "0,true,FALSE,true,true\n"])
def test_a_mask_in_words_says_who_may_attend(tmp_path: Path, text: str) -> None:
    (tmp_path / "mask.csv").write_text(text)
    found = open_several([*put_each(tmp_path, **ONE_EACH), tmp_path / "mask.csv"], None).problem
    allowed = np.tile([True, False, True, True], (len(text.splitlines()) - text.startswith(","), 1))
    assert found == Problem(**ONE_EACH, mask=[{"kind": "custom", "allowed": allowed}])


def test_others_are_proposed_by_the_names_of_their_files(tmp_path: Path) -> None:
    paths = put_each(tmp_path, q=ONE_EACH["query"], k=ONE_EACH["key"], v=ONE_EACH["value"])
    with pytest.raises(ForeignNames):
        open_several(paths, None)
    listing = list_several(paths)
    assert [array.name for array in listing.arrays] == ["q", "k", "v"]
    assert open_several(paths, propose_mapping(listing)).problem == Problem(**ONE_EACH)


def test_equal_names_are_told_apart_by_their_files(tmp_path: Path) -> None:
    for name in "ab":
        np.savez(tmp_path / f"{name}.npz", q=ONE_EACH["query"], **{f"k{name}": ONE_EACH["key"]})
    names = [array.name for array in list_several([tmp_path / "a.npz", tmp_path / "b.npz"]).arrays]
    assert names == ["a.npz/q", "ka", "b.npz/q", "kb"]
    roles = {"query": "b.npz/q", "key": "ka", "value": "kb"}
    found = open_several([tmp_path / "a.npz", tmp_path / "b.npz"], ArrayMapping(roles)).problem
    np.testing.assert_array_equal(found.query, ONE_EACH["query"])


def test_problems_stay_apart_unless_a_matrix_lies_beside_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", **ONE_EACH)
    np.savez(tmp_path / "b.npz", q=ONE_EACH["query"])
    both = [tmp_path / "a.npz", tmp_path / "b.npz"]
    assert whole_ones(both) == both[:1]
    assert whole_ones([*both, *put_each(tmp_path, mask=np.eye(4))]) == []


def test_what_is_wrong_names_the_file_that_is(tmp_path: Path) -> None:
    paths = put_each(tmp_path, q=ONE_EACH["query"], k=ONE_EACH["key"])
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(FormatError, match=r"^v\.npy: "):
        list_several([*paths, tmp_path / "v.npy"])
    with pytest.raises(FormatError, match=r"^q\.npy, k\.npy has no array|^q\.npy, k\.npy: "):
        open_several(paths, ArrayMapping({"query": "z"}))
    assert several_name(paths) == "q.npy, k.npy"


def test_the_command_line_takes_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = put_each(tmp_path, q=ONE_EACH["query"], k=ONE_EACH["key"], v=ONE_EACH["value"])
    arrays = ["--array", "query=q", "key=k", "value=v"]
    words = ["verify", *map(str, paths)]
    assert main(words) == 2
    assert f"Say which is which: {' '.join(arrays)}." in capsys.readouterr().err
    assert main([*words, *arrays]) == 0
    assert main(["export", *words[1:], "-o", str(tmp_path), "--format", "npy", *arrays]) == 0
    assert (tmp_path / "q-weights-h0.npy").exists()
