"""Sessions of others: what is taken, and what is refused."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
from safetensors.numpy import save as safetensors_bytes

from attn_gui.engine import Problem
from attn_gui.formats import load, open_file, packed_arrays
from tests.failing import each

ONES = {"query": np.ones((5, 2)), "key": np.ones((3, 2)), "value": np.ones((3, 2))}
OPTIONS = {"format_version": 1, "num_heads": 1, "dtype": "float64"}


def session(options: object, arrays: dict[str, np.ndarray] | None = None) -> bytes:
    text = options if isinstance(options, str) else json.dumps(options)
    return safetensors_bytes(ONES if arrays is None else arrays, {"attn_gui": text})


def raw(header: object, data: bytes = b"") -> bytes:
    """A safetensors file written by hand."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensor(dtype: str, shape: list[int], start: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


META = {"__metadata__": {"attn_gui": json.dumps(OPTIONS)}}
GOOD = session(OPTIONS)
REFUSED = {
    "not a session": (safetensors_bytes(ONES, {"format": "pt"}), "not a session"),
    "no words at all": (safetensors_bytes(ONES), "not a session"),
    "newer": (session(OPTIONS | {"format_version": 2}), "saved by a newer attn_gui (session version 2"),
    "no version": (session({"num_heads": 1}), "session version null"),
    "a strange version": (session(OPTIONS | {"format_version": "1"}), 'session version "1"'),
    "version true": (session(OPTIONS | {"format_version": True}), "session version true"),
    "a view that is a list": (session(OPTIONS | {"view": []}), "“view” is not names with values"),
    "options in pieces": (session("{"), "not valid JSON"),
    "deep options": (session("[" * 100_000), "lists and records"),
    "a mask that is none": (session(OPTIONS | {"mask": {}}), "expected a list"),
    "cells without a layer": (session(OPTIONS, ONES | {"mask.1.values": np.ones((1, 1))}), "belongs to no mask layer"),
    "a lie about the header": (struct.pack("<Q", 2**60) + GOOD[8:], "cut off or is not a session"),
    "a header that is too long": (struct.pack("<Q", 101 * 2**20) + GOOD[8:], "cut off or is not a session"),
    "shorter than the header": (GOOD[:40], "cut off or is not a session"),
    "a header of noise": (raw(b"\xff" * 40), "damaged"),
    "eight bits": (raw(META | {"query": tensor("F8_E4M3", [1, 2], 0, 2)}, bytes(2)), "“query” holds F8_E4M3"),
    "complex": (raw(META | {"query": tensor("C64", [1, 2], 0, 16)}, bytes(16)), "“query” holds C64"),
    "no cells": (raw(META | {"query": tensor("F32", [0, 10**15], 0, 0)}), "no cells"),
    "five axes": (raw(META | {"query": tensor("I8", [1] * 5, 0, 1)}, b"1"), "5 axes; expected at most 4"),
    "a gap": (raw(META | {"query": tensor("I8", [1], 1, 2)}, b"12"), "damaged"),
    "an overlap": (raw(META | {"query": tensor("I8", [2], 0, 2), "key": tensor("I8", [1], 1, 2)}, b"12"), "damaged"),
    "another length": (raw(META | {"query": tensor("F64", [2, 2], 0, 8)}, bytes(8)), "damaged"),
    "a gap at the end": (raw(META | {"query": tensor("I8", [1], 0, 1)}, b"12"), "overlap or leave a gap"),
    "cut off in an array": (raw(META | {"query": tensor("F64", [2], 0, 16)}, bytes(9)), "expected 16 bytes of numbers"),
    "a negative size": (raw(META | {"query": tensor("I8", [-1, -1], 0, 1)}, b"1"), "no cells"),
    "half a cell": (raw(META | {"query": tensor("I8", [0.5, 2], 0, 1)}, b"1"), "damaged"),
    "broken sizes": (raw(META | {"query": tensor("I8", [1.0, 2], 0, 2)}, b"12"), "damaged"),
    "broken places": (raw(META | {"query": tensor("I8", [2], 0.0, 2.0)}, b"12"), "damaged"),
    "places in words": (raw(META | {"query": {"dtype": "I8", "shape": [1], "data_offsets": "01"}}, b"1"), "damaged"),
    "no places": (raw(META | {"query": {"dtype": "I8", "shape": [1]}}, b"1"), "damaged"),
    "an array that is a number": (raw(META | {"query": 1}), "damaged"),
    "a dtype that is a list": (raw(META | {"query": tensor([], [1], 0, 1)}, b"1"), "damaged"),  # type: ignore[arg-type]
    "an array twice": (raw(b'{"a":' + json.dumps(tensor("I8", [1], 0, 1)).encode() + b',"a":1}', b"1"), "given twice"),
    "words twice": (raw(b'{"__metadata__":{"attn_gui":"1","attn_gui":"2"}}'), "given twice"),
    "trailing bytes": (GOOD + b"!", "damaged"),
}


@each("name", REFUSED)
def test_a_bad_session_is_one_sentence(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    data, words = REFUSED[name]
    path = tmp_path / "file.attn"
    path.write_bytes(data)
    assert words in refused(load, path, path=path)


@each("part", range(1, 16))
def test_a_cut_session_is_refused(part: int, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "file.attn"
    path.write_bytes(GOOD[: len(GOOD) * part // 16])
    refused(load, path, path=path)


def test_half_precision_of_brains_is_converted(tmp_path: Path) -> None:
    numbers = np.array([[1.5, -0.0], [np.inf, 2.0**100]], np.float32)
    halves = (numbers.view(np.uint32) >> 16).astype("<u2").tobytes()
    names = {name: tensor("BF16", [2, 2], 8 * k, 8 * k + 8) for k, name in enumerate(ONES)}
    (tmp_path / "a.attn").write_bytes(raw(META | names, halves * 3))
    query = load(tmp_path / "a.attn").query
    assert query.tobytes() == numbers.astype(float).tobytes()


def test_every_byte_but_zero_is_true(tmp_path: Path) -> None:
    names = {name: tensor("F64", [2, 1], 16 * k, 16 * k + 16) for k, name in enumerate(ONES)}
    options = json.dumps(OPTIONS | {"mask": [{"kind": "custom"}]})
    names["mask.0.allowed"] = tensor("BOOL", [2, 2], 48, 52)
    data = raw({"__metadata__": {"attn_gui": options}} | names, bytes(48) + b"\0\1\2\xff")
    (tmp_path / "a.attn").write_bytes(data)
    np.testing.assert_array_equal(load(tmp_path / "a.attn").mask[0].cells, [[False, True], [True, True]])


def test_the_first_version_opens_for_ever(problem: Problem) -> None:
    """A file written by version 1, kept as it was."""
    loaded = open_file(Path(__file__).parents[1] / "data" / "sessions" / "version-1.attn")
    expected = problem.replace(
        query_tokens=("<s>", "注意"),
        dtype="float32",
        mask=[
            {"kind": "window", "left": 1, "right": None, "enabled": False},
            {"kind": "bias", "values": [[0, 1, 2, 3, 4]]},
        ],
    )
    assert loaded.problem == expected
    assert loaded.view == {"head": 1, "cell": [1, 2]}
    assert loaded.model == "none"


def test_arrays_are_not_copied_out_of_the_file_before_a_problem_takes_them() -> None:
    """The copy of the official reader held up all other threads of the program, for a second where it is large."""
    cells = memoryview(bytes(range(24)))
    header = {"query": tensor("F32", [2, 3], 0, 24)}
    query = packed_arrays.arrays_in(header, cells)["query"]
    assert query.shape == (2, 3)
    assert np.shares_memory(query, np.frombuffer(cells, np.uint8))
