"""The one boundary: only regular files come in; what is wrong, made to hurt or a pickle is refused in a sentence."""

import io
import json
import os
import pickle
import re
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

from attn_gui.engine import Problem
from attn_gui.formats import (
    FormatError,
    file_format,
    list_arrays,
    load,
    open_matrix,
    save,
    save_arrays,
    untrusted_bytes,
)
from tests.costs import taking
from tests.failing import each

from .named.writing import said_by
from .test_npz import with_end64


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
@pytest.mark.parametrize("read", [load, open_matrix])
def test_only_regular_files_are_opened(
    read: Callable[[Path], object], tmp_path: Path, refused: Callable[..., str]
) -> None:
    os.mkfifo(tmp_path / "pipe.npz")
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "empty.npz").touch()
    (tmp_path / "loop.npz").symlink_to("loop.npz")
    for name, words in (
        ("pipe.npz", "is a pipe; expected a regular file"),
        ("folder.npz", "is a folder; expected a file"),
        ("empty.npz", "is empty"),
        ("missing.npz", "does not exist"),
        ("empty.npz/under.npz", "does not exist"),
        ("loop.npz", "could not be read"),
        ("x" * 300, "could not be read"),
    ):
        assert words in refused(read, tmp_path / name, path=tmp_path / name)
    assert "device or socket" in refused(read, Path("/dev/zero"), path=Path("/dev/zero"))


def test_a_name_that_cannot_be_is_refused() -> None:
    with pytest.raises(FormatError, match="no file can have this name"):
        load("a\0b.npz")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_a_pipe_that_takes_the_place_of_a_file_is_seen(
    problem: Problem, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pipe = tmp_path / "a.attn", tmp_path / "pipe"
    save(problem, path)
    os.mkfifo(pipe)
    open_it = os.open
    monkeypatch.setattr("os.open", lambda name, flags: open_it(pipe, flags))
    assert "is a pipe" in refused(load, path, path=path)


def test_permission_and_memory_are_said_in_words(
    problem: Problem, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.npz"
    save(problem, path)
    for error, words in (
        (PermissionError(13, "Permission denied"), "you have no permission"),
        (OSError(5, "Input/output error"), "could not be read: Input/output error"),
        (MemoryError(), "does not fit into the memory"),
        (ZeroDivisionError(), "damaged"),
    ):

        def fail(*arguments: object, error: BaseException = error) -> int:
            raise error

        monkeypatch.setattr("os.open", fail)
        assert words in refused(load, path, path=path)


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, refused: Callable[..., str]) -> None:
    for read, name, size in ((load, "a.json", file_format.LARGEST_FILE), (open_matrix, "a.csv", 256 * 2**20)):
        path = tmp_path / name
        with path.open("wb") as file:
            file.truncate(size + 1)  # a hole: no room is taken
        assert "too large" in refused(read, path, path=path)


def test_a_matrix_is_no_problem_and_a_problem_no_matrix(
    problem: Problem, tmp_path: Path, refused: Callable[..., str]
) -> None:
    np.save(tmp_path / "a.npy", np.ones((2, 2)))
    (tmp_path / "a.csv").write_text("1,2\n")
    save(problem, tmp_path / "a.npz")
    for name in ("a.npy", "a.csv"):
        assert "holds one matrix" in refused(load, tmp_path / name, path=tmp_path / name)
    said = refused(load, tmp_path / "a.csv", path=tmp_path / "a.csv")
    assert "expected .attn, .npz, .safetensors, .json, .xlsx. Import it into a table" in said
    assert "holds a whole problem" in refused(open_matrix, tmp_path / "a.npz", path=tmp_path / "a.npz")


def test_the_content_counts_more_than_the_name(problem: Problem, tmp_path: Path) -> None:
    for suffix in (".attn", ".npz"):
        save(problem, tmp_path / f"a{suffix}")
        renamed = (tmp_path / f"a{suffix}").rename(tmp_path / f"b{suffix}.download")
        assert load(renamed) == problem


@each("name", ["a.csv.gz", "a.npy.bz2", "a.tsv.XZ", "a.npz.zst"])
def test_compressed_files_are_refused(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    (tmp_path / name).write_bytes(b"\x1f\x8b\x08")
    assert "compressed; unpack it first" in refused(open_matrix, tmp_path / name, path=tmp_path / name)


def test_an_unknown_file_is_told_what_there_is(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(b"something")
    assert "“.docx”; expected .attn, .npz, .safetensors, .json, .xlsx." in refused(load, path, path=path)


def test_names_from_files_cannot_break_the_sentence(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / ("a\n\x1b[31m\u202e" + "x" * 90 + ".npz")
    path.write_bytes(b"PK\5\6" + bytes(18))
    with pytest.raises(FormatError) as caught:
        load(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


# --- files made to hurt ---------------------------------------------------------------------------
ONES = {name: np.ones((2, 2)) for name in ("query", "key", "value")}
MOST = 50_000_000  # bytes that a small file may take
PYTHON = re.compile(
    r"\b(int|str|dict|tuple|set|NoneType|None|ndarray|objects?|bytes-like|bool|float|codec|argument|expected str)\b"
    r"|Error|Traceback|not supported|<class|0x[0-9a-f]{4}|\bgot (True|False)\b"
)


def npz(meta: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **ONES, meta=np.array(meta if isinstance(meta, str) else json.dumps(meta)))  # type: ignore[arg-type]
    return file.getvalue()


def session(**options: object) -> bytes:
    return safetensors_bytes(ONES, {"attn_gui": json.dumps({"format_version": 1, "num_heads": 1, **options})})


def header(*entries: str) -> bytes:
    text = ("{" + ",".join(entries) + "}").encode()
    return struct.pack("<Q", len(text)) + text


NAMED = '"a{:06d}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}'.format
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "20,000 layers": (lambda: npz({"mask": [{"kind": "causal"}] * 20_000}), "lists and records"),
    "many names": (lambda: header(*map(NAMED, range(400_000))), "not a session"),
    "many arrays": (
        lambda: header('"__metadata__": {"attn_gui": "{}"}', *map(NAMED, range(100_000))),
        "is a safetensors file, but not a session",
    ),
    "deep": (lambda: npz('{"a":' + "[" * 15_000 + "]" * 15_000 + "}"), "nested too deeply"),
    "flat lists": (lambda: session(strange=[[1]] * 1_000_000), "lists and records"),
    "a string without end": (lambda: npz("[" * 20_001 + '"' + '\\"' * 200_000), "lists and records"),
    "lists behind a string without end": (lambda: npz('{"a":"' + '\\"[' * 200_000), "not valid JSON from character 5"),
    "a name twice": (
        lambda: npz("{" + ",".join(f'"{k:x}":0' for k in range(90_000)) + ',"15f8f":1}'),
        "“15f8f” is given twice",
    ),
    "a long token": (lambda: session(query_tokens=["x" * 10_000_000, "b"]), "text 0 has 10,000,000 letters"),
    "too many tokens": (lambda: session(query_tokens=["ab"] * 100_000), "expected 2, got 100000"),
    "heads of 400 digits": (lambda: npz('{"num_heads":1' + "0" * 400 + "}"), "10^400 heads"),
    "a scale of 400 digits": (lambda: npz('{"scale":-1' + "0" * 400 + "}"), "scale must be finite, got −∞."),
    "a scale of 5,000 digits": (lambda: npz('{"scale":1' + "0" * 5000 + "}"), "a number that is too long"),
    "heads −0.0": (lambda: npz('{"num_heads":-0.0}'), "num_heads must be a whole number, got −0.0."),
    "heads −0": (lambda: npz('{"num_heads":-0}'), "num_heads must be at least 1, got 0."),
    "no options": (lambda: npz("null"), "the options are not names with values"),
}


@each("name", REFUSED, one_of=3)
def test_a_crafted_file_is_refused_before_it_takes_memory(
    name: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    data, path = REFUSED[name][0](), tmp_path / "crafted"
    path = path.with_suffix(".npz" if data[:2] == b"PK" else ".attn")
    path.write_bytes(data)
    with taking(MOST):
        sentence = refused(load, path, path=path)
    assert REFUSED[name][1] in sentence
    assert not PYTHON.search(sentence), sentence
    assert sentence.endswith(".")


def test_what_a_file_holds_must_fit_into_the_free_memory(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ones.npz"
    path.write_bytes(npz({}))
    monkeypatch.setattr(untrusted_bytes, "available", lambda: 100)
    assert "needs 32 bytes of memory; expected at most 18 bytes." in refused(load, path, path=path)


# --- words -------------------------------------------------------------------------------------------
VALUES = (None, True, -1, 1.5, 10**30, "x" * 500, "\x00\u202e", [], [None], [[1], [1, 2]], {"a": {}}, [{}])
NAMES = "num_heads num_kv_heads score score_params scale softcap temperature rotary_theta mask block query_tokens"
NAMES += " key_tokens dtype tokens view about format_version strange"


def test_no_option_of_another_sort_is_told_in_pythons_words(tmp_path: Path) -> None:
    path, bad = tmp_path / "file.attn", []
    options = [{name: value} for name in NAMES.split() for value in VALUES]
    for value in VALUES:
        options += [{"mask": [{"kind": kind, name: value}]} for kind, name in (("window", "left"), ("bias", "values"))]
        options += [{"mask": [{"kind": value, "enabled": value}]}, {"score": "gaussian", "score_params": {"w": value}}]
        options += [{"block": {"ln_weight": value, "ln_bias": [1, 1], "w_linear": [[1, 1], [1, 1]], "ln_eps": value}}]
    for option in options:
        path.write_bytes(session(**option))
        try:
            sentence = " ".join(said_by(lambda: load(path))[1])
        except FormatError as error:
            sentence = str(error)
        if sentence and (PYTHON.search(sentence) or not sentence.endswith(".") or len(sentence) > 320):
            bad.append(sentence)
    assert not bad


# --- pickles are never opened ---------------------------------------------------------------------
@each("ending", [".pt", ".pickle", ".PT"])
def test_a_pickle_is_refused_with_the_lines_that_convert_it(tmp_path, ending):
    ran = tmp_path / "ran"

    class Hostile:
        def __reduce__(self):
            return open, (str(ran), "w")

    path = tmp_path / f"layer{ending}"
    path.write_bytes(pickle.dumps({"q": Hostile()}))
    for read in (load, open_matrix):
        with pytest.raises(FormatError) as refused:
            read(path)
        assert f"torch.load('layer{ending}', weights_only=True)" in str(refused.value)
    assert not ran.exists()


def saved_by_torch(compression: int = zipfile.ZIP_STORED) -> bytes:
    """What `torch.save` writes: a zip with an end as zips of more than 4 GiB have."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"q": 1}, protocol=2))
        archive.writestr("archive/data/0", np.ones(12, np.float32).tobytes())
        archive.writestr("archive/version", "3\n")
    return with_end64(out.getvalue())


TORCHES = {
    "a zip": saved_by_torch(),
    "TorchScript": saved_by_torch(zipfile.ZIP_DEFLATED),
    "before 1.6": b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
    "by pickle": pickle.dumps({"q": [1.0]}),
}


@each("name", ["a.bin", "c.npz", "e", "f.csv"])
@each("kind", TORCHES)
def test_what_torch_saves_is_told_by_its_content(tmp_path, kind, name):
    path = tmp_path / name
    path.write_bytes(TORCHES[kind])
    for read in (load, open_matrix, list_arrays):
        with pytest.raises(FormatError, match="is a pickle, which could run code") as refused:
            read(path)
        assert f"torch.load('{name}', weights_only=True)" in str(refused.value)


def test_a_safetensors_file_that_begins_as_a_pickle_does_is_none(tmp_path):
    path, arrays = tmp_path / "q.safetensors", {name: np.eye(2) for name in ("query", "key", "value")}
    for width in range(0x280):  # its first bytes are the length of its header
        save_arrays({**arrays, "x" * (width + 1): np.eye(2)}, path)
        if path.read_bytes()[:2] == b"\x80\2":
            break
    assert path.read_bytes()[:2] == b"\x80\2"
    assert len(list_arrays(path).arrays) == 4
