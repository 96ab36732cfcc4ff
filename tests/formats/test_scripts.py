"""Scripts of problems, run by another Python: they give the numbers of the engine, or a sentence says why not."""

import json
import subprocess
import sys

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.formats import FormatError
from attn_gui.formats.scripts import SCRIPTS, script_text
from tests.failing import each

N, M = 3, 4
RUN = """
import contextlib, io, json, runpy, sys
found = []
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        stages = runpy.run_path(path)["stages"]
    numbers = {name: array.tolist() for name, array in stages.items()}
    found.append({"stages": numbers, "printed": printed.getvalue()})
assert "attn_gui" not in sys.modules
print(json.dumps(found))
"""


def random(*shape):
    return np.random.default_rng(sum(shape) * 7 + len(shape)).normal(size=shape).round(3)


def given(**fields):
    """Q, K and V of two heads, d_k = 2 and d_v = 3, unless told otherwise."""
    return Problem(**{"query": random(N, 4), "key": random(M, 4), "value": random(M, 6), "num_heads": 2} | fields)


def block():
    names = {"ln_weight": random(4), "ln_bias": random(4) + 1, "ln_eps": 0.01}
    return names | {"w_linear": random(4, 4), "b_linear": random(4)}


def projected(**fields):
    weights = {name: random(4, 4) + k for k, name in enumerate(("w_query", "w_key", "w_value", "w_output"))}
    return Problem(
        **{"x": random(N, 4), "num_heads": 2, "b_query": random(4), "b_output": random(4)} | weights | fields
    )


ADDITIVE = {"w_score_query": random(2, 5), "w_score_key": random(2, 5) + 1, "w_score": random(5)}
SCORE_PROBLEMS = {
    "dot": given(),
    "additive": given(score="additive", score_params=ADDITIVE),
    "cosine": given(score="cosine", query=np.vstack([random(2, 4), np.zeros((1, 4))])),
    "gaussian": given(score="gaussian", score_params={"w": 1.5, "key_norm": 0.25}),
    "average": given(score="average"),
}
NORMALIZED = {
    key: given(
        normalize=key,
        mask=[{"kind": "causal", "align": "end"}],
        temperature=0.7 if "temperature" in entry.reads else None,
    )
    for key, entry in NORMALIZERS.items()
}
MASK_PROBLEMS = {
    "causal": given(mask=[{"kind": "causal", "align": "end"}]),
    "window": given(mask=[{"kind": "window", "left": 0, "right": 1}, {"kind": "window"}]),
    "prefix": given(mask=[{"kind": "prefix", "length": 2}]),
    "padding": given(
        query=random(3, N, 4),
        key=random(3, M, 4),
        value=random(3, M, 6),
        mask=[{"kind": "padding", "lengths": (2, 0, M)}],
    ),
    "custom": given(mask=[{"kind": "custom", "allowed": random(2, N, M) > 0}, {"kind": "causal", "enabled": False}]),
    "bias": given(mask=[{"kind": "bias", "values": np.where(random(N, M) > 1, -np.inf, random(N, M))}]),
    "alibi": given(mask=[{"kind": "alibi", "align": "end"}, {"kind": "causal"}]),
}
INTERVENTION_PROBLEMS = {
    "set": given(
        mask=[{"kind": "causal"}],
        interventions=[
            {"kind": "set", "stage": "weights", "at": {"head": 1, "query": (0, 2)}, "values": random(2, M)},
            {"kind": "set", "stage": "masked", "at": {"query": 0, "key": 2}, "values": -np.inf},
            {"kind": "set", "stage": "masked", "at": {"query": 1, "key": 3}, "values": 2.0},
            {"kind": "set", "stage": "output", "values": 1.0, "enabled": False},
        ],
    ),
    "scale": projected(
        mask=[{"kind": "causal"}],
        interventions=[
            {"kind": "scale", "stage": "masked", "at": {"head": 1}, "factor": 0.0},
            {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0},
        ],
    ),
    "copy": given(
        query=random(3, N, 4),
        interventions=[
            {"kind": "copy", "stage": "key", "at": {"row": 0}, "source": {"row": 2}},
            {"kind": "copy", "stage": "scores", "at": {"batch": 0}, "source": {"batch": 1}},
            {"kind": "scale", "stage": "scores", "at": {"head": 1}, "factor": 2.0},
        ],
    ),
}


def layer(kind, *, gated, **choices):
    """A whole layer of a transformer with a feed-forward network of 5 numbers."""
    shapes = {"norm1_weight": (4,), "norm2_weight": (4,), "norm2_bias": (4,), "w_up": (4, 5), "w_down": (5, 4)}
    shapes |= {"w_gate": (4, 5), "b_gate": (5,)} if gated else {"b_up": (5,)}
    tables = {name: random(*shape) + k / 10 for k, (name, shape) in enumerate(shapes.items())}
    return {"kind": kind, "norm_eps": 0.01} | tables | choices


LAYERS = {
    f"{kind}, {norm}, {activation}": projected(block=layer(kind, gated=gated, norm=norm, activation=activation))
    for kind, norm, activation, gated in (
        ("post", "layer", "gelu", False),
        ("pre", "rms", "silu", True),
        ("pre", "layer", "gelu_tanh", False),
        ("post", "rms", "relu", True),
    )
}
HEADS = {
    "sink": given(sink=random(2)),
    "sink, one head": given(sink=random(1), num_heads=1, temperature=0.7),
    "sink, temperature, a batch": given(
        sink=random(2), temperature=0.7, query=random(3, N, 4), mask=[{"kind": "causal"}]
    ),
    "head norms": projected(query_norm=random(2), key_norm=random(2) + 1, rotary_frequencies=random(1)),
    "two numbers of one name": given(key_norm=random(2), score="gaussian", score_params={"key_norm": 0.25}),
}
OTHERS = {
    "one head, no batch": given(num_heads=1),
    "shared heads": Problem(query=random(N, 8), key=random(M, 4), value=random(M, 6), num_heads=4, num_kv_heads=2),
    "numbers of the scores": given(scale=0.3, softcap=1.5, temperature=0.7),
    "rotary": projected(rotary_theta=100.0),
    "rotary, additive": given(
        query=random(N, 8),
        score="additive",
        score_params=ADDITIVE | {"w_score_query": random(4, 5)},
        rotary_theta=50.0,
        num_kv_heads=1,
        key=random(M, 2),
        value=random(M, 3),
    ),
    "cross-attention": projected(context=random(M, 4)),
    "block": projected(block=block(), mask=[{"kind": "causal"}]),
    "batched block": projected(x=random(3, N, 4), block=block()),
    "single precision": given(dtype="float32"),
    "large scores": given(query=1000 * random(N, 4)),
}
EXTREMES = {
    "cosines of tiny numbers": given(score="cosine", query=1e-170 * random(N, 4), key=1e-170 * random(M, 4)),
    "cosines of huge numbers": given(score="cosine", query=1e170 * random(N, 4), key=1e170 * random(M, 4)),
    **{
        f"{kind} of huge numbers": projected(
            x=1e170 * random(N, 4), block=layer("pre", gated=False, norm=kind, activation="relu")
        )
        for kind in ("layer", "rms")
    },
}
"""Numbers whose squares are infinite, or 0: no spreadsheet has them."""
STEEP = {
    "distances of huge numbers": Problem(
        query=[[1e160]], key=[[1e160], [1e160]], value=[[1.0], [2.0]], score="gaussian"
    ),
    "the coldest softmax": Problem(query=[[1.0]], key=[[10.0], [20.0]], value=[[1.0], [2.0]], temperature=1e-307),
}
"""Numbers that are exact only where nothing is divided or multiplied too early."""
PROBLEMS = SCORE_PROBLEMS | NORMALIZED | MASK_PROBLEMS | INTERVENTION_PROBLEMS | LAYERS | HEADS | OTHERS
PROBLEMS |= EXTREMES | STEEP


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What every script gives, all run by one Python that has not heard of the program."""
    folder = tmp_path_factory.mktemp("scripts")
    paths = [folder / f"{number}.py" for number in range(len(PROBLEMS))]
    for path, problem in zip(paths, PROBLEMS.values(), strict=True):
        path.write_text(script_text(problem, SCRIPTS["numpy"]), encoding="utf-8")
    command = [sys.executable, "-I", "-W", "error", "-c", RUN, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip(PROBLEMS, json.loads(done.stdout), strict=True))


@each("name", PROBLEMS)
def test_a_script_of_numpy_gives_every_stage(runs, name):
    trace = compute(PROBLEMS[name])
    tolerance = 1e-6 if PROBLEMS[name].dtype == "float32" else 1e-12
    assert list(runs[name]["stages"]) == list(trace.stages)
    for stage, numbers in runs[name]["stages"].items():
        wanted = trace[stage]
        found = np.array(numbers)
        found = np.broadcast_to(found, wanted.shape) if found.ndim < wanted.ndim else found
        assert found.shape == wanted.shape, stage
        assert np.array_equal(np.isneginf(found), np.isneginf(wanted)), stage
        finite = np.isfinite(wanted)
        assert np.allclose(found[finite], wanted[finite], rtol=tolerance, atol=tolerance), stage


def test_a_script_prints_the_numbers_that_the_window_shows(runs):
    printed = runs["one head, no batch"]["printed"]
    assert printed.startswith(f"query {N} 4\n[[")
    output = compute(PROBLEMS["one head, no batch"])["output"][0]
    assert f"output {N} 6\n" in printed
    assert f"{output[0, 0]:.4f}".rstrip("0") in printed


@each("name", PROBLEMS)
def test_a_script_of_pytorch_is_python_and_has_the_same_steps(name):
    text = script_text(PROBLEMS[name], SCRIPTS["pytorch"])
    compile(text, name, "exec")
    assert "np." not in text
    assert steps(text) == steps(script_text(PROBLEMS[name], SCRIPTS["numpy"]))


def steps(text):
    return [
        line.partition(" = ")[0]
        for line in text.split("stages = {")[0].splitlines()
        if line[:1].isalpha() and " = " in line
    ]


BEHIND_THE_MASK = {"kind": "set", "stage": "value", "at": {"row": M - 1, "column": 0}, "values": -np.inf}


@each(
    ("fields", "said"),
    [
        ({"query": np.zeros((9000, 4))}, "up to 30,000 are written"),
        ({"value": np.full((M, 6), np.nan)}, "value holds others"),
        ({"mask": [{"kind": "bias", "values": np.full((N, M), np.inf)}]}, "mask.0.values holds others"),
        ({"mask": [{"kind": "causal"}], "interventions": [BEHIND_THE_MASK]}, "value holds others"),
    ],
)
def test_what_no_script_is_written_for_is_said_in_a_sentence(fields, said):
    with pytest.raises(FormatError, match=said):
        script_text(given(**fields), SCRIPTS["numpy"])
