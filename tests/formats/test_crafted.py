"""Files made to hurt: refused in words, or shown, before much memory is taken; no sentence speaks Python."""

from __future__ import annotations

import io
import json
import re
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as safetensors_bytes

from attn_gui.formats import FormatError, load, save
from attn_gui.formats import foreign_arrays as boundary
from tests.failing import each

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


def header(entries: dict[str, object]) -> bytes:
    text = json.dumps(entries).encode()
    return struct.pack("<Q", len(text)) + text


def zeros(side: int) -> bytes:
    """A zip whose arrays are a thousand times as large as it is."""
    file, start = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(start, {"descr": "<f8", "fortran_order": False, "shape": (side, side)})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in ONES:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                member.write(start.getvalue())
                for _ in range(side):
                    member.write(bytes(8 * side))
    return file.getvalue()


EMPTY = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "20,000 layers": (lambda: npz({"mask": [{"kind": "causal"}] * 20_000}), "lists and records"),
    "65 layers": (lambda: npz({"mask": [{"kind": "causal"}] * 65}), "mask has 65 layers; at most 64 are possible."),
    "many names": (lambda: header({f"a{k:06d}": EMPTY for k in range(400_000)}), "not a session"),
    "many arrays": (
        lambda: header({"__metadata__": {"attn_gui": "{}"}} | {f"a{k:06d}": EMPTY for k in range(100_000)}),
        "is a safetensors file, but not a session",
    ),
    "many arrays of a session": (
        lambda: (
            header({"__metadata__": {"attn_gui": "{}"}} | {f"a{k:06d}": EMPTY for k in range(100_000)})
            .replace(b'": {"', b'":{"')
            .replace(b'": "{}"', b'":"{}"')
        ),
        "",
    ),
    "deep": (lambda: npz('{"a":' + "[" * 15_000 + "]" * 15_000 + "}"), "nested too deeply"),
    "flat lists": (lambda: session(strange=[[1]] * 1_000_000), "lists and records"),
    "a string without end": (lambda: npz("[" * 20_001 + '"' + '\\"' * 200_000), "lists and records"),
    "lists behind a string without end": (lambda: npz('{"a":"' + '\\"[' * 200_000), "not valid JSON from character 5"),
    "a name twice": (
        lambda: npz("{" + ",".join(f'"{k:x}":0' for k in range(90_000)) + ',"15f8f":1}'),
        "“15f8f” is given twice",
    ),
    "a long token": (lambda: session(query_tokens=["x" * 10_000_000, "b"]), "text 0 has 10000000 letters"),
    "too many tokens": (lambda: session(query_tokens=["ab"] * 100_000), "expected 2, got 100000"),
    "heads of 400 digits": (lambda: npz('{"num_heads":1' + "0" * 400 + "}"), "10^400 heads"),
    "a scale of 400 digits": (lambda: npz('{"scale":-1' + "0" * 400 + "}"), "scale must be finite, got −∞."),
    "a scale of 5,000 digits": (lambda: npz('{"scale":1' + "0" * 5000 + "}"), "a number that is too long"),
    "heads 1.0": (lambda: npz({"num_heads": 1.0}), "num_heads must be a whole number, got 1.0."),
    "heads −0.0": (lambda: npz('{"num_heads":-0.0}'), "num_heads must be a whole number, got −0.0."),
    "heads −0": (lambda: npz('{"num_heads":-0}'), "num_heads must be at least 1, got 0."),
    "no options": (lambda: npz("null"), "the options are not names with values"),
    "half of the options": (lambda: npz('{"scale":'), "not valid JSON from character 9 on"),
}


@each("name", REFUSED)
def test_a_crafted_file_is_refused_before_it_takes_memory(
    name: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    data, path = REFUSED[name][0](), tmp_path / "crafted"
    path = path.with_suffix(".npz" if data[:2] == b"PK" else ".attn")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        sentence = refused(load, path, path=path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert REFUSED[name][1] in sentence
    assert not PYTHON.search(sentence), sentence
    assert sentence.endswith(".")
    assert peak < MOST


def test_arrays_that_are_too_large_together_are_refused_by_their_headers(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(boundary, "LARGEST_TOTAL", 20_000_000)
    path = tmp_path / "zeros.npz"
    path.write_bytes(zeros(1000))
    tracemalloc.start()
    try:
        sentence = refused(load, path, path=path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "“value” of shape 1000 × 1000 needs 8.0 MB of memory; expected at most 4.0 MB." in sentence
    assert peak < 2_000_000


def test_what_a_file_holds_must_fit_into_the_free_memory(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ones.npz"
    path.write_bytes(npz({}))
    monkeypatch.setattr(boundary, "available", lambda: 100)
    assert "needs 32 bytes of memory; expected at most 18 bytes." in refused(load, path, path=path)


def test_whole_numbers_of_any_size_and_half_letters_come_in(tmp_path: Path) -> None:
    path = tmp_path / "wild.npz"
    layer = {"kind": "window", "left": 10**20, "right": -(10**20)}
    path.write_bytes(npz({"mask": [layer], "query_tokens": ["\ud800", "a\udfffb"], "key_tokens": ["😀", "b"]}))
    problem = load(path)
    assert (problem.mask[0].left, problem.mask[0].right) == (10**20, -(10**20))  # type: ignore[attr-defined]
    assert problem.query_tokens == ("�", "a�b")
    assert problem.key_tokens == ("😀", "b")
    save(problem, tmp_path / "again.attn")
    assert load(tmp_path / "again.attn") == problem


# --- words -------------------------------------------------------------------------------------------


def said_of(read: Callable[[Path], Any], path: Path) -> str:
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        try:
            read(path)
        except FormatError as error:
            return str(error)
    return " ".join(str(note.message) for note in notes)


VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "abc",
    "x" * 500,
    "\x00\u202e",
    [],
    [None],
    ["a"],
    [[1], [1, 2]],
    {},
    {"a": {}},
    [{}],
)
NAMES = (
    "num_heads",
    "num_kv_heads",
    "score",
    "score_params",
    "scale",
    "softcap",
    "temperature",
    "rotary_theta",
    "mask",
    "block",
    "query_tokens",
    "key_tokens",
    "dtype",
    "tokens",
    "view",
    "about",
    "format_version",
    "strange",
)
INNER = {
    "mask": [
        {"kind": k, name: v}
        for k in ("window", "padding", "custom", "bias", "prefix", None, 5, [1], "x" * 300)
        for name in ("left", "lengths", "allowed", "values", "length", "enabled", "align", "y" * 300)
        for v in VALUES[:12]
    ],
    "block": [
        {"ln_weight": v, "ln_bias": [1, 1], "w_linear": [[1, 1], [1, 1]], "ln_eps": w} for v in VALUES for w in VALUES
    ],
    "score_params": [{"w": v, "key_norm": w} for v in VALUES for w in VALUES],
}


def test_no_option_of_another_sort_is_told_in_pythons_words(tmp_path: Path) -> None:
    path = tmp_path / "file.attn"
    options = [{name: value} for name in NAMES for value in VALUES]
    options += [{"mask": [layer]} for layer in INNER["mask"][::5]] + [{"block": block} for block in INNER["block"][::5]]
    options += [
        {"score_params": params, "score": score}
        for params in INNER["score_params"][::5]
        for score in ("gaussian", "additive")
    ]
    bad = []
    for option in options:
        path.write_bytes(session(**option))
        sentence = said_of(load, path)
        if sentence and (PYTHON.search(sentence) or not sentence.endswith(".") or len(sentence) > 320):
            bad.append(sentence)
    assert not bad
