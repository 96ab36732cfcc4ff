"""Saving: never costs the old file, writes rows as the whole, and comes back bit for bit, in whatever is written."""

import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save as official

import attn_gui
from attn_gui import export_files
from attn_gui.engine import DenseEvaluation, Evaluation, Problem, compute
from attn_gui.engine.blocks import BLOCKS, CHOICES
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.formats import (
    IMAGES,
    ArrayRows,
    FormatError,
    load,
    number_formats,
    open_file,
    open_matrix,
    rows_of,
    save,
    save_members,
    save_rows,
    save_session,
    stage_rows,
)
from attn_gui.formats.array_rows import block_rows
from attn_gui.formats.atomic_writing import write_file
from attn_gui.formats.catalog import FORMATS
from attn_gui.formats.scripts import SCRIPTS
from attn_gui.paths import resource
from tests.failing import each

OLD = b"the old file"
FULL_DISK = """
import resource, signal, sys
from attn_gui.formats import FormatError
from attn_gui.formats.atomic_writing import write_file
path, size = sys.argv[1], int(sys.argv[2])
for limit in range(0, size, max(size // 40, 1)):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        write_file(path, bytes(size))
    except FormatError as error:
        assert str(error) == "a.bin could not be saved: there is no room left. Nothing was changed.", error
    else:
        sys.exit(f"saved {size} bytes into {limit}")
"""


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "a.bin"
    path.write_bytes(OLD)
    return path


@pytest.mark.family(2)
@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("size", [80, 3_000_000])
def test_a_full_disk_costs_nothing(size: int, target: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK, target, str(size)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


def test_a_disk_that_lies_is_found_out(
    target: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems report every write as done and keep half of it."""
    write = os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:-1]) + 1)
    assert "does not read back the same" in refused(write_file, target, b"the new file", path=target)
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_interruption_at_any_step_costs_nothing(step: str, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"os.{step}", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_file(target, b"the new file")
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["a.bin"]


def test_what_a_crash_left_is_swept_away(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process leaves one hidden file at most, under a name that the next save takes."""
    with monkeypatch.context() as patch:
        patch.setattr("os.replace", lambda *names: os._exit)
        patch.setattr(Path, "unlink", lambda path: None)
        write_file(target, b"killed before the swap")
    left = {name for name in os.listdir(target.parent) if name != "a.bin"}
    assert len(left) == 1
    assert left.pop().startswith(".")
    write_file(target, b"the new file")
    assert os.listdir(target.parent) == ["a.bin"]
    assert target.read_bytes() == b"the new file"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither links for all nor modes")
def test_a_link_stays_a_link_and_the_mode_stays(target: Path) -> None:
    target.chmod(0o640)
    link = target.with_name("link.bin")
    link.symlink_to(target.name)
    write_file(link, b"the new file")
    assert link.is_symlink()
    assert target.read_bytes() == b"the new file"
    assert target.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_only_files_are_replaced(tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    assert "folder of that name" in refused(write_file, tmp_path / "folder", b"", path=tmp_path / "folder")
    assert "not a regular file" in refused(write_file, tmp_path / "pipe", b"", path=tmp_path / "pipe")
    refused(write_file, tmp_path / "loop", b"", path=tmp_path / "loop")
    nowhere = tmp_path / "nowhere" / "a.bin"
    assert "its folder" in refused(write_file, nowhere, b"", path=nowhere)
    long = tmp_path / ("x" * 300)
    assert "name is too long" in refused(write_file, long, b"", path=long)


def test_a_folder_that_may_not_be_written_is_said(
    target: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(*arguments: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", forbid)  # root may write anywhere, so a real folder would prove nothing
    assert "you may not write there" in refused(write_file, target, b"new", path=target)
    assert target.read_bytes() == OLD


# --- numbers written some rows at a time ----------------------------------------------------------


@pytest.fixture(params=[DenseEvaluation, StreamingEvaluation])
def evaluation(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    """Two items, n = 7, m = 5, three heads of d_k = 4, d_v = 2; read in blocks of two or three rows."""
    monkeypatch.setattr("attn_gui.formats.array_rows.AT_ONCE", 11)
    random = np.random.default_rng(2)
    shapes = {"query": (2, 7, 12), "key": (2, 5, 12), "value": (2, 5, 6)}
    arrays = {name: random.normal(size=shape) for name, shape in shapes.items()}
    return request.param(Problem(**arrays, num_heads=3, mask=[{"kind": "causal"}]))


@pytest.mark.parametrize("ending", ["npy", "csv", "tsv"])
def test_a_head_is_written_as_if_it_were_whole(evaluation: Evaluation, tmp_path: Path, ending: str) -> None:
    for stage, head in (("weights", 2), ("masked", 1), ("query", 1), ("output", None)):
        rows = block_rows(evaluation, stage, 1, head)
        whole = evaluation.block(stage, 1, head, slice(0, rows.shape[0]), slice(0, rows.shape[1]))
        names = {"row_labels": [f"={k}" for k in range(len(whole))], "column_labels": rows.column_numbers}
        labels = names | {"excel": ending != "npy"}
        save_rows(rows, tmp_path / f"rows.{ending}", **labels)
        save_rows(rows_of(whole), tmp_path / f"whole.{ending}", **labels)
        assert (tmp_path / f"rows.{ending}").read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()
        np.testing.assert_array_equal(open_matrix(tmp_path / f"rows.{ending}").values, whole)


def test_members_of_an_npz(evaluation: Evaluation, tmp_path: Path) -> None:
    told: list[float] = []
    members = {"weights": stage_rows(evaluation, "weights", told.append), "key": rows_of(np.eye(3))}
    save_members(members, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as found:
        assert set(found) == {"weights", "key"}
        np.testing.assert_array_equal(
            found["weights"], evaluation.box("weights", tuple(map(slice, evaluation.shape("weights"))))
        )
    assert told == sorted({*told})
    assert told[-1] == 1


@each("ending", ["npy", "csv", "npz"])
def test_what_breaks_off_leaves_the_old_file(tmp_path: Path, ending: str) -> None:
    def blocks() -> Iterator[np.ndarray]:
        yield np.ones((2, 3))
        raise KeyboardInterrupt("what was said")

    target = tmp_path / f"a.{ending}"
    target.write_bytes(b"the old file")
    rows = ArrayRows((4, 3), np.dtype(float), blocks)
    with pytest.raises(KeyboardInterrupt, match=r"^what was said$"):
        save_members({"a": rows}, target) if ending == "npz" else save_rows(rows, target)
    assert target.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == [target.name]


def endless(rows: int, columns: int) -> ArrayRows:
    """So many numbers that none must ever be asked for."""

    def blocks() -> Iterator[np.ndarray]:
        raise AssertionError("nothing should be computed")
        yield np.ones(1)

    return ArrayRows((rows, columns), np.dtype(np.float32), blocks)


def test_texts_end_at_ten_million_numbers(tmp_path: Path, refused: Callable[..., str]) -> None:
    for ending in ("csv", "tsv"):
        path = tmp_path / f"a.{ending}"
        sentence = refused(save_rows, endless(65536, 65536), path, path=path)
        assert sentence == (
            f"a.{ending} would hold 4,294,967,296 numbers as text, more than 10,000,000; choose NPY instead."
        )
    assert os.listdir(tmp_path) == []


def test_what_does_not_fit_on_the_disk_is_not_begun(tmp_path: Path, refused: Callable[..., str]) -> None:
    rows = endless(1, shutil.disk_usage(tmp_path).total)
    for write, path in ((save_rows, tmp_path / "a.npy"), (lambda r, p: save_members({"a": r}, p), tmp_path / "a.npz")):
        assert "there is no room left" in refused(write, rows, path, path=path)
    assert os.listdir(tmp_path) == []


# --- saved files come back ------------------------------------------------------------------------
ANY_TEXT = st.text(st.characters(codec="utf-8", categories=None), max_size=6) | st.sampled_from(
    ["<s>", "注意", "e\u0301", "\u202egnp", "👩‍👩‍👧", "\x00", "\n", "=1+1", '"', "\\", " "]
)
LAYERS = st.sampled_from(
    [
        {"kind": "causal"},
        {"kind": "causal", "align": "end", "enabled": False},
        {"kind": "window", "left": -2, "right": None, "align": "end"},
        {"kind": "window", "left": None, "right": 3, "enabled": False},
        {"kind": "prefix", "length": 2, "align": "end"},
        {"kind": "padding", "lengths": 4},
        {"kind": "alibi", "align": "end"},
        {"kind": "custom"},
        {"kind": "bias"},
    ]
)
NUMBERS = st.floats(1e-300, 1e300)


def wild(random: np.random.Generator, dtype: str, *shape: int) -> np.ndarray:
    """Every pattern of bits may come: NaNs with payloads, infinities, subnormals, minus zero."""
    whole = {"float64": np.uint64, "float32": np.uint32}[dtype]
    return random.integers(0, np.iinfo(whole).max, shape, dtype=whole, endpoint=True).view(dtype)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Problems of every kind, with odd sizes, every mask layer and any text."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from(["float64", "float32"]))
    heads, kv_heads = draw(st.sampled_from([(1, 1), (3, 3), (6, 2), (4, 1)]))
    n, d_k, d_v, batch = 3, 2, draw(st.sampled_from([1, 5])), draw(st.sampled_from([None, 1, 2]))
    kind = draw(st.sampled_from(["direct", "self", "cross"]))
    m = n if kind == "self" else 7
    lead = () if batch is None else (batch,)

    def table(*shape: int) -> np.ndarray:
        return wild(random, dtype, *shape)

    fields: dict[str, object] = {}
    if kind == "direct":
        fields = {"query": table(*lead, n, heads * d_k), "key": table(*lead, m, kv_heads * d_k)}
        fields["value"] = table(*lead, m, kv_heads * d_v)
    else:
        fields = {"x": table(*lead, n, 5), "w_query": table(5, heads * d_k), "w_key": table(5, kv_heads * d_k)}
        fields |= {"w_value": table(5, kv_heads * d_v), "b_value": table(kv_heads * d_v)}
        fields |= {"context": table(*lead, m, 5)} if kind == "cross" else {}
    if draw(st.booleans()):
        fields |= {"w_output": table(heads * d_v, 5), "b_output": table(5)}
        if kind != "direct":
            block = {"ln_weight": table(5), "ln_bias": table(5), "w_linear": table(5, 4), "ln_eps": draw(NUMBERS)}
            fields["block"] = block | ({"b_linear": table(4)} if draw(st.booleans()) else {})
            if draw(st.booleans()):
                fields["block"] = layer_of(draw, table)
    score = draw(st.sampled_from(["dot", "gaussian", "additive", "cosine", "average"]))
    if score == "gaussian":
        fields["score_params"] = {"w": draw(NUMBERS), "key_norm": -0.0}
    elif score == "additive":
        fields["score_params"] = {"w_score_query": table(d_k, 3), "w_score_key": table(d_k, 3), "w_score": table(3)}
    mask = [dict(layer) for layer in draw(st.lists(LAYERS, max_size=4))]
    for layer in mask:
        if layer["kind"] == "custom":
            layer["allowed"] = random.random((batch or 1, 1, n, m)) < 0.5
        elif layer["kind"] == "bias":
            layer["values"] = table(heads, 1, m)
    for name in ("scale", "softcap", "temperature", "rotary_theta"):
        fields[name] = draw(st.none() | NUMBERS)
    if draw(st.booleans()):
        fields |= {"query_norm": table(d_k), "qk_norm_eps": draw(NUMBERS), "sink": table(heads)}
        fields |= {"rotary_frequencies": table(d_k // 2), "rotary_theta": None}
    for name, length in (("query_tokens", n), ("key_tokens", m)):
        fields[name] = draw(st.none() | st.lists(ANY_TEXT, min_size=length, max_size=length).map(tuple))
    fields["normalize"] = key = draw(st.sampled_from(["softmax", "none", "sum", "sigmoid"]))
    for name in {"temperature", "sink"} - NORMALIZERS[key].reads:
        fields.pop(name, None)
    return Problem(**fields, num_heads=heads, num_kv_heads=kv_heads, score=score, mask=mask, dtype=dtype)


def layer_of(draw: st.DrawFn, table: Callable[..., np.ndarray]) -> dict[str, object]:
    """A block with a feed-forward network, gated or not."""
    shapes = {"norm1_weight": (5,), "norm2_weight": (5,), "norm2_bias": (5,), "w_up": (5, 3), "w_down": (3, 5)}
    shapes |= {"w_gate": (5, 3), "b_gate": (3,)} if draw(st.booleans()) else {"b_up": (3,)}
    found: dict[str, object] = {name: table(*shape) for name, shape in shapes.items()}
    for name, keys in CHOICES.items():
        found[name] = draw(st.sampled_from(keys))
    kinds = [kind for kind, block in BLOCKS.items() if block.choices]
    return found | {"kind": draw(st.sampled_from(kinds)), "norm_eps": draw(NUMBERS)}


VIEWS = st.dictionaries(st.text(max_size=5), st.none() | st.booleans() | st.integers() | NUMBERS | ANY_TEXT, max_size=3)


@given(problems(), VIEWS)
def test_a_session_comes_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, problem: Problem, view: dict[str, object]
) -> None:
    path = tmp_path_factory.mktemp("session") / "one.attn"
    save_session(problem, path, view, {"model": "a model", "text": "some\x00 text"})
    first = path.read_bytes()
    loaded = open_file(path)
    assert loaded.problem == problem
    assert (loaded.view, loaded.about, loaded.notes) == (view, {"model": "a model", "text": "some\x00 text"}, ())
    save_session(loaded.problem, path, loaded.view, loaded.about)
    assert path.read_bytes() == first
    with safe_open(path, framework="np") as file:  # the official writer gives the same bytes
        assert official({name: file.get_tensor(name) for name in problem.arrays()}, file.metadata()) == first


@given(problems())
def test_an_npz_comes_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, problem: Problem) -> None:
    path = tmp_path_factory.mktemp("npz") / "one.npz"
    save(problem, path)
    first = path.read_bytes()
    loaded = open_file(path)
    assert loaded.problem == problem
    assert loaded.notes == ()
    save(loaded.problem, path)
    assert path.read_bytes() == first
    with np.load(path) as plain:  # anybody's NumPy reads it
        assert all(plain[name].tobytes() == array.tobytes() for name, array in problem.arrays().items())


def test_a_session_is_what_the_contract_says(tmp_path: Path) -> None:
    allowed = np.eye(2, 3, dtype=bool)
    problem = Problem(
        query=np.ones((2, 4)),
        key=np.ones((3, 4)),
        value=np.ones((3, 2)),
        num_heads=2,
        mask=[{"kind": "causal"}, {"kind": "custom", "allowed": allowed, "enabled": False}],
    )
    save_session(problem, tmp_path / "a.attn", {"head": 1})
    with safe_open(tmp_path / "a.attn", framework="np") as file:
        assert set(file.keys()) == {"query", "key", "value", "mask.1.allowed"}
        np.testing.assert_array_equal(file.get_tensor("mask.1.allowed"), allowed)
        assert set(file.metadata()) == {"attn_gui"}
        text = file.metadata()["attn_gui"]
    options = json.loads(text)
    assert text == json.dumps(options, sort_keys=True, separators=(",", ":"))
    assert options["format_version"] == 1
    assert options["view"] == {"head": 1}
    assert options["mask"][1] == {"kind": "custom", "enabled": False}


@each("ending", ["json", "npz", "safetensors"])
@each("how", [{"kind": "scale", "factor": 2.0}, {"kind": "copy", "source": {"row": 1}}, {"kind": "set", "values": 0.5}])
def test_values_changed_by_hand_are_not_changed_again_by_an_export(ending, how, tmp_path):
    by_hand = ({"stage": "value", "at": {}, **how},)
    problem = Problem(query=np.eye(2), key=np.eye(2), value=[[1.0, 2], [3, 5]], interventions=by_hand)
    (path,) = export_files(problem, tmp_path, format=[ending])
    np.testing.assert_array_equal(compute(open_file(path).problem)["output"], compute(problem)["output"])


# --- every kind of file that the program writes opens again in it ---------------------------------
WITHOUT = {"gif": "carries no problem; a session", "numpy": "carries no problem; a session"}
WITHOUT["pytorch"] = WITHOUT["numpy"]
AS_IT_IS = ("xlsx", "png", "svg", "pdf")  # the very problem; arrays by name lose X and its weights, as the help says


@each("form", [*number_formats(), *IMAGES, *SCRIPTS], one_of=3)
def test_every_file_that_is_exported_opens_again_or_says_what_would(form: str, tmp_path: Path) -> None:
    problem = load(resource("examples", "thinking-machines.npz"))
    weights = attn_gui.compute(problem)["weights"]
    for head, path in enumerate(attn_gui.export_files(problem, tmp_path, format=[form])):
        if form in WITHOUT:
            with pytest.raises(FormatError, match=WITHOUT[form]):
                load(path)
        elif form in FORMATS and FORMATS[form].holds_matrix:
            np.testing.assert_array_equal(open_matrix(path).values, weights[0, head])
        elif form in AS_IT_IS:
            assert load(path) == problem
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.testing.assert_allclose(attn_gui.compute(load(path))["weights"], weights, rtol=1e-12)
