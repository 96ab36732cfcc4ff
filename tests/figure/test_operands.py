"""Operands of the product picture and of the row of stages, where the two states have other matrices."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.figure.operands import picture_of
from attn_gui.figure.stage_formulas import shown_latex
from attn_gui.views.spine.spine_items import NODE, entries_of, formula_latex
from tests.failing import each

N, D = 3, 4


def layer(kind, rng):
    """A layer of one head with a norm before or after its attention."""
    arrays = {name: rng.normal(size=(D, D)) for name in ("w_query", "w_key", "w_value", "w_output")}
    norms = {f"norm{number}_{part}": rng.normal(size=D) for number in (1, 2) for part in ("weight", "bias")}
    ups = {"w_up": rng.normal(size=(D, 5)), "w_down": rng.normal(size=(5, D))}
    return Problem(x=rng.normal(size=(N, D)), **arrays, block={"kind": kind, "activation": "relu", **norms, **ups})


def direct(rng):
    return Problem(**{name: rng.normal(size=(N, D)) for name in ("query", "key", "value")})


def projected(rng, width):
    weights = {f"w_{name}": rng.normal(size=(width, D)) for name in ("query", "key", "value")}
    return Problem(x=rng.normal(size=(N, width)), **weights)


STATES = {
    "pre": lambda rng: layer("pre", rng),
    "post": lambda rng: layer("post", rng),
    "direct": direct,
    "normed": lambda rng: direct(rng).replace(query_norm=np.ones(D), key_norm=np.ones(D)),
    "turned": lambda rng: direct(rng).replace(rotary_theta=100.0),
    "projected": lambda rng: projected(rng, 7),
    "wider": lambda rng: projected(rng, 11),
}


def before_state(before, after, stages=None):
    return BeforeState(Difference(before, after, stages))


@each("face_of", [Difference, before_state])
@each(("before", "after"), [*permutations(STATES, 2)])
def test_every_matrix_beside_a_stage_can_be_read(face_of, before, after):
    rng = np.random.default_rng(0)
    now = DenseEvaluation(STATES[after](rng))
    face = face_of(DenseEvaluation(STATES[before](rng)), now, now.stages)
    operands = [operand for stage in face.stages for operand in picture_of(stage, face).operands().values()]
    for beside in (*operands, *(entry for entry in entries_of(face) if entry.kind == NODE)):
        plane = beside.plane(face, 0, 0)
        rows, columns = plane.shape
        values, _ = plane.block(slice(0, rows), slice(0, columns))
        assert values.shape == (rows, columns)


@each("face_of", [Difference, before_state])
@each("name", ["query", "value"])
def test_states_of_other_widths_have_no_matrices_beside_a_stage_that_lacks_one(face_of, name):
    rng = np.random.default_rng(0)
    now = direct(rng)
    wide = now.replace(value=rng.normal(size=(N, 7))) if name == "value" else now.replace(query=now.key, key=now.query)
    face = face_of(DenseEvaluation(wide), DenseEvaluation(now))
    assert bool(picture_of("weights", face).operands()) == (name == "query")


def test_each_state_is_headed_by_the_formula_of_its_own_problem():
    rng = np.random.default_rng(2)
    plain = Problem(**{name: rng.normal(size=(4, 3)) for name in ("query", "key", "value")})
    masked = plain.replace(mask=[{"kind": "causal"}])
    now = DenseEvaluation(masked)
    state = BeforeState(Difference(DenseEvaluation(plain), now))
    assert "+ M" not in shown_latex(state, "weights")[0]
    assert shown_latex(state, "masked") == shown_latex(DenseEvaluation(plain), "scaled")
    assert "+ M" in shown_latex(now, "weights")[0]
    gained = BeforeState(Difference(now, DenseEvaluation(plain)))
    assert shown_latex(gained, "weights") == shown_latex(now, "weights")
    assert [formula_latex(each) for each in (state, gained)] == [
        formula_latex(DenseEvaluation(each)) for each in (plain, masked)
    ], "so does the line of steps"
