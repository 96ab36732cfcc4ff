"""Sessions of others, snapshots, figures with their session: bit-equal, little, and refused where a file lies."""

import json
import re
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load as safetensors_arrays
from safetensors.numpy import save as safetensors_bytes

from attn_gui import render
from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import IMAGES, FormatError, load, open_file, open_small, save_session
from attn_gui.formats.snapshots import SnapshotLayer, packed, snapshot_entries, snapshots_in
from attn_gui.formats.untrusted_bytes import parse_object
from attn_gui.paths import resource
from tests.costs import is_slow, taking
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
    assert load(tmp_path / "a.attn").query.tobytes() == numbers.astype(float).tobytes()


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


# --- snapshots ------------------------------------------------------------------------------------
NUMBERS = st.sampled_from([0.0, -0.0, np.nan, np.inf, -np.inf, 1e-320, 1.5])
MB = 2**20


@pytest.fixture
def rng():
    return np.random.default_rng(20261122)


def image(problem):
    arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in problem.arrays().items()}
    return arrays, repr([(name, value) for name, value in problem.fields().items() if name not in arrays])


def small(rng, **fields):
    arrays = {name: rng.normal(size=(n, 6)) for name, n in (("query", 5), ("key", 7), ("value", 7))}
    return Problem(**arrays, num_heads=2, **fields)


def reopened(snapshots, path, problem):
    save_session(problem, path, snapshots=snapshots)
    return open_file(path).snapshots


@given(edits=st.lists(st.tuples(st.sampled_from(["query", "key", "value"]), st.integers(0, 29), NUMBERS), max_size=8))
def test_every_state_of_a_history_is_the_same_bit_for_bit(edits, tmp_path_factory):
    problem = small(np.random.default_rng(3), mask=[{"kind": "causal"}], query_tokens=list("abcde"))
    states, snapshots = [problem], [packed(problem, [], "0")]
    for name, place, number in edits:
        array = states[-1].arrays()[name].copy()
        array.reshape(-1)[place] = number
        states.append(states[-1].replace(**{name: array}))
        snapshots.append(packed(states[-1], snapshots, str(len(snapshots)), "a note", by_itself=True))
    found = reopened(snapshots, tmp_path_factory.mktemp("session") / "a.attn", problem)
    assert [(each.name, each.note, each.by_itself) for each in found] == [
        (each.name, each.note, each.by_itself) for each in snapshots
    ]
    for state, kept, read in zip(states, snapshots, found, strict=True):
        assert image(kept.problem()) == image(state)
        assert image(read.problem()) == image(state)


@each(
    "changed",
    [
        {"num_heads": 1},
        {"scale": 0.5, "softcap": 3.0, "temperature": 2.0},
        {
            "mask": [
                {"kind": "custom", "allowed": np.eye(5, 7, dtype=bool)},
                {"kind": "bias", "values": np.ones((1, 7))},
            ]
        },
        {"score": "gaussian", "score_params": {"w": 2.0}},
        {"dtype": "float32"},
        {"interventions": [{"kind": "set", "stage": "scaled", "at": {"query": 1}, "values": -np.inf}]},
        {"key_tokens": ["词", "\ud800", "", "a", "b", "c", "d"]},
    ],
)
def test_other_fields_are_kept_too(changed, rng, tmp_path):
    before = small(rng)
    after = before.replace(**changed)
    snapshots = [packed(before, [], "before")]
    snapshots.append(packed(after, snapshots, "after"))
    for found in (snapshots, reopened(snapshots, tmp_path / "a.attn", after)):
        assert [image(each.problem()) for each in found] == [image(before), image(after)]


def test_saving_twice_gives_the_same_bytes_and_load_tells_of_them(rng, tmp_path):
    problem = small(rng)
    snapshots = [packed(problem, [], "first")]
    snapshots.append(packed(problem.replace(query=problem.query + 1), snapshots, "second"))
    again = reopened(snapshots, tmp_path / "a.attn", problem)
    save_session(problem, tmp_path / "b.attn", snapshots=again)
    assert (tmp_path / "a.attn").read_bytes() == (tmp_path / "b.attn").read_bytes()
    with pytest.warns(UserWarning, match="first, second"):
        assert load(tmp_path / "a.attn") == problem


# --- what others write ---------------------------------------------------------------------------
def lied(data, words=None, **arrays):
    """The file with other words, and other arrays (None takes one away)."""
    header = parse_object(data[8 : 8 + int.from_bytes(data[:8], "little")].decode(), MB)
    options = json.loads(header["__metadata__"]["attn_gui"])
    if words is not None:
        options["snapshots"] = words(options["snapshots"])
    found = safetensors_arrays(data) | {f"snapshots.{name}": array for name, array in arrays.items()}
    kept = {name: array for name, array in found.items() if array is not None}
    return safetensors_bytes(kept, {"attn_gui": json.dumps(options)})


LIES = {
    "no list": lambda data: lied(data, lambda words: {}),
    "too many": lambda data: lied(data, lambda words: words * 300),
    "no name": lambda data: lied(data, lambda words: [word | {"name": 7} for word in words]),
    "an array twice": lambda data: lied(data, lambda words: [word | {"arrays": word["arrays"] * 2} for word in words]),
    "a name of another thing": lambda data: lied(
        data, lambda words: [word | {"arrays": ["__class__", *word["arrays"][1:]]} for word in words]
    ),
    "no table": lambda data: lied(data, table=None),
    "no such base": lambda data: lied(data, table=np.full((8, 2), 99)),
    "counts past all": lambda data: lied(data, table=np.full((8, 2), 2**62)),
    "places outside": lambda data: lied(data, places=np.array([2**40])),
    "fewer cells": lambda data: lied(data, cells=np.zeros(3, np.uint8)),
}


@each("lie", LIES)
def test_a_lie_about_snapshots_costs_none_but_them(lie, rng, tmp_path):
    problem = small(rng)
    snapshots = [packed(problem, [], "first")]
    changed = problem.query.copy()
    changed[2, 3] = 9
    snapshots.append(packed(problem.replace(query=changed), snapshots, "second"))
    path = tmp_path / "a.attn"
    save_session(problem, path, snapshots=snapshots)
    path.write_bytes(LIES[lie](path.read_bytes()))
    found = open_file(path)
    assert found.problem == problem
    assert found.snapshots == ()
    assert [str(note) for note in found.notes] == ["The snapshots in the file are damaged; they were left out."]


@each("wrong", [[0], [-1, "a"], [True, "a"], {}, "0"])
def test_the_layer_that_a_state_is_of_comes_back_and_a_wrong_one_is_damage(rng, tmp_path, wrong):
    problem = small(rng)
    here, there = (
        packed(problem, [], name, layer=layer) for name, layer in (("a", SnapshotLayer(3, "it 它")), ("b", None))
    )
    assert [each.layer for each in reopened([here, there], tmp_path / "a.attn", problem)] == [(3, "it 它"), None]
    arrays, words = snapshot_entries([here, there])
    assert [each.layer for each in snapshots_in(arrays, words)] == [(3, "it 它"), None]
    with pytest.raises(FormatError, match="damaged"):
        snapshots_in(arrays, [{**words[0], "layer": wrong}, words[1]])


# --- figures that carry their session -------------------------------------------------------------
KINDS = [key for key, figures in IMAGES.items() if figures.carries]


@pytest.fixture
def carried() -> Problem:
    numbers = np.random.default_rng(3)
    q, k, v = (numbers.normal(size=(3, 4)) for _ in range(3))
    q[0, 0] = -0.0
    return Problem(q, k, v, num_heads=2, mask=[{"kind": "causal"}], query_tokens=("猫", "<s>", "\ud800"))


@each("kind", KINDS)
def test_a_figure_opens_as_the_very_problem(carried, tmp_path, kind):
    render(carried, tmp_path / f"a.{kind}", heads=1)
    found = open_file(tmp_path / f"a.{kind}")
    assert found.problem == carried
    assert found.view == {"stage": "weights", "head": 1, "item": 0}


def test_a_large_problem_goes_along_when_asked_alone(tmp_path):
    large = Problem(*(np.ones((300, 400)) for _ in range(3)))
    for session, held in ((None, False), (True, True)):
        render(large, tmp_path / "a.svg", session=session)
        if held:
            assert load(tmp_path / "a.svg") == large
        else:
            with pytest.raises(FormatError, match="carries no session"):
                load(tmp_path / "a.svg")


def test_a_session_that_unpacks_to_more_than_its_cap_is_refused(carried, tmp_path, monkeypatch):
    monkeypatch.setattr("attn_gui.formats.session.LARGEST", 10_000)
    path = tmp_path / "a.pdf"
    render(carried, path)
    data = path.read_bytes()
    bomb = zlib.compress((2).to_bytes(8, "little") + b"{" + bytes(10**6))
    number = re.search(rb"/EF <</F (\d+) 0 R>>", data)[1]
    start = re.search(rb"\n%s 0 obj\s*<<[^>]*>>\s*stream\r?\n" % number, data).end()
    path.write_bytes(data[:start] + bomb + data[start:])
    with pytest.raises(FormatError, match="more than 10"):
        load(path)


@each("start", ["", "AgAAAAAAAAB7"], one_of=2)  # of nothing, and of a session
def test_a_text_that_inflates_is_no_work_for_the_window(tmp_path, start):
    """0.4 MB of it took 1.2 s of the window's thread and 0.7 GB: it was weighed as it is packed."""
    path = tmp_path / "a.png"
    chunk = b"zTXtattn_gui\0\0" + zlib.compress(start.encode() + b"A" * 100_000_000, 9)
    framed = (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + framed)
    with taking(8 * 2**20):
        assert open_small(path, 4 * 2**20) is None
        if not start:
            with pytest.raises(FormatError, match="is damaged"):
                open_file(path)


def test_a_pdf_of_many_beginnings_of_its_session_is_refused_at_once(tmp_path):
    """Each was followed to the end of the file: one of half a megabyte held the window up for minutes."""
    path = tmp_path / "a.pdf"
    named = b"%PDF-1.4\n/EF <</F 5 0 R>> /Type/Filespec /Subtype/application#2Fx-attn"
    path.write_bytes(named + b"\n5 0 obj<<" * 50_000)
    began = time.process_time()
    with pytest.raises(FormatError, match="is damaged"):
        open_file(path)
    assert not is_slow(time.process_time() - began, 2.0)


def test_the_command_line_can_leave_it_out(tmp_path, capsys):
    example = resource("examples", "worked-example.npz")
    every = ["export", str(example), "-o", str(tmp_path), "--format", *KINDS]
    assert main(every) == 0
    for path in capsys.readouterr().out.split():
        assert load(path) == load(example)
    assert main([*every, "--no-session"]) == 0
    for path in capsys.readouterr().out.split():
        with pytest.raises(FormatError, match="carries no session"):
            load(path)
