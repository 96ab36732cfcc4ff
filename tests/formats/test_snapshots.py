"""Snapshots: bit-equal after memory and file, little beside their base, and harmless where a file lies about them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load as safetensors_arrays
from safetensors.numpy import save as safetensors_bytes

from attn_gui.engine import Problem
from attn_gui.formats import load, open_file, save_session
from attn_gui.formats.file_sentences import FormatError
from attn_gui.formats.foreign_arrays import parse_object
from attn_gui.formats.snapshots import Snapshot, SnapshotLayer, nbytes, packed, snapshot_entries, snapshots_in

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
@settings(max_examples=40, deadline=None)
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


@pytest.mark.parametrize(
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
    ids=lambda changed: next(iter(changed)),
)
def test_other_fields_are_kept_too(changed, rng, tmp_path):
    before = small(rng)
    after = before.replace(**changed)
    snapshots = [packed(before, [], "before")]
    snapshots.append(packed(after, snapshots, "after"))
    for found in (snapshots, reopened(snapshots, tmp_path / "a.attn", after)):
        assert [image(each.problem()) for each in found] == [image(before), image(after)]


def test_two_hundred_of_a_thousand_tokens_take_less_than_64_megabytes(rng, tmp_path):
    problem = Problem(**{name: rng.normal(size=(1024, 512)) for name in ("query", "key", "value")}, num_heads=8)
    arrays, snapshots, told = {name: array.copy() for name, array in problem.arrays().items()}, [], []
    for number in range(200):
        name = ("query", "key", "value")[number % 3]
        arrays[name][rng.integers(1024), rng.integers(512, size=3)] = rng.normal(size=3)
        snapshots.append(packed(Problem.over({**problem.fields(), **arrays}), snapshots, f"state {number}"))
        told.append({name: hash(array.tobytes()) for name, array in arrays.items()})
    assert nbytes(snapshots) < 16 * MB
    found = reopened(snapshots, tmp_path / "a.attn", problem)
    assert (tmp_path / "a.attn").stat().st_size < 64 * MB
    for number in (0, 1, 57, 199):
        assert {n: hash(a.tobytes()) for n, a in found[number].problem().arrays().items()} == told[number]


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
    "no record": lambda data: lied(data, lambda words: [1, 2]),
    "no name": lambda data: lied(data, lambda words: [word | {"name": 7} for word in words]),
    "a long name": lambda data: lied(data, lambda words: [word | {"name": "x" * 10_000} for word in words]),
    "a long note": lambda data: lied(data, lambda words: [word | {"note": "x" * 100_000} for word in words]),
    "no options": lambda data: lied(data, lambda words: [word | {"arrays": ["query"] * 4} for word in words]),
    "an array twice": lambda data: lied(data, lambda words: [word | {"arrays": word["arrays"] * 2} for word in words]),
    "a name of another thing": lambda data: lied(
        data, lambda words: [word | {"arrays": ["__class__", *word["arrays"][1:]]} for word in words]
    ),
    "fewer arrays": lambda data: lied(data, lambda words: words[:1]),
    "no table": lambda data: lied(data, table=None),
    "a table of decimals": lambda data: lied(data, table=np.zeros((8, 2))),
    "no such base": lambda data: lied(data, table=np.full((8, 2), 99)),
    "negative": lambda data: lied(data, table=np.full((8, 2), -1)),
    "counts past all": lambda data: lied(data, table=np.full((8, 2), 2**62)),
    "a missing base": lambda data: lied(data, **{"base.0": None}),
    "places outside": lambda data: lied(data, places=np.array([2**40])),
    "places before": lambda data: lied(data, places=np.array([-1])),
    "fewer cells": lambda data: lied(data, cells=np.zeros(3, np.uint8)),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_about_snapshots_costs_none_but_them(lie, rng, tmp_path):
    problem = small(rng)
    snapshots = [packed(problem, [], "first")]
    changed = problem.query.copy()
    changed[2, 3] = 9
    snapshots.append(packed(problem.replace(query=changed), snapshots, "second"))
    path = tmp_path / "a.attn"
    save_session(problem, path, snapshots=snapshots)
    path.write_bytes(lie(path.read_bytes()))
    found = open_file(path)
    assert found.problem == problem
    assert found.snapshots == ()
    assert [str(note) for note in found.notes] == ["The snapshots in the file are damaged; they were left out."]


def test_one_that_makes_no_problem_says_so_when_it_is_asked_for(rng, tmp_path):
    problem = small(rng)
    save_session(problem, tmp_path / "a.attn", snapshots=[packed(problem, [], "first")])
    data = lied((tmp_path / "a.attn").read_bytes(), **{"base.0": rng.normal(size=(5, 4))})
    (tmp_path / "a.attn").write_bytes(data)
    (found,) = open_file(tmp_path / "a.attn").snapshots
    with pytest.raises(ValueError, match="query"):
        found.problem()


def test_a_state_whose_mask_holds_no_flags_is_refused_in_a_sentence(rng):
    """As `dev.py mutations` found it: a file may say that the flags are numbers."""
    kept = packed(small(rng, mask=[{"kind": "custom", "allowed": np.ones((5, 7), bool)}]), [], "as it was")
    parts = {**kept.parts, "mask.0.allowed": kept.parts["query"]}
    with pytest.raises(ValueError, match=r"custom.allowed must hold True and False, got float64: numbers"):
        Snapshot("as it was", parts).problem()


@pytest.mark.parametrize("wrong", [[0], [-1, "a"], ["0", "a"], [True, "a"], [0, 1], {}, 0, "0"])
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
