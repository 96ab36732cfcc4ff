"""Dimensions of every step: their numbers are those of the arrays, a product fits, and each symbol means one number."""

from math import prod

import numpy as np

from attn_gui.engine import Problem, compute
from attn_gui.engine.analysis.dimensions import counts_of, steps_of, written
from attn_gui.engine.evaluation.dense import DenseEvaluation
from tests.failing import each

N, M, D_K, D_V, HEADS, MODEL, OUT, ITEMS = 5, 7, 2, 3, 4, 11, 13, 3  # no two of them equal, but for N in self-attention


def array(*shape):
    return np.random.default_rng(sum(shape)).normal(size=shape)


def given(**fields):
    shapes = {"query": (N, HEADS * D_K), "key": (M, HEADS * D_K), "value": (M, HEADS * D_V)}
    return Problem(**{name: array(*shape) for name, shape in shapes.items()} | {"num_heads": HEADS} | fields)


def projected(**fields):
    widths = {"w_query": D_K, "w_key": D_K, "w_value": D_V}
    weights = {name: array(MODEL, HEADS * width) for name, width in widths.items()}
    return Problem(
        **{"x": array(N, MODEL), "num_heads": HEADS, "w_output": array(HEADS * D_V, MODEL)} | weights | fields
    )


BLOCK = {"ln_weight": array(MODEL), "ln_bias": array(MODEL), "w_linear": array(MODEL, 17), "b_linear": array(17)}
PROBLEMS = {
    "given": given(),
    "one head": given(num_heads=1),
    "output": given(w_output=array(HEADS * D_V, OUT), b_output=array(OUT)),
    "shared heads": given(key=array(M, 2 * D_K), value=array(M, 2 * D_V), num_kv_heads=2),
    "batch": given(query=array(ITEMS, N, HEADS * D_K), mask=[{"kind": "padding", "lengths": (1, 2, 3)}]),
    "cosine": given(score="cosine", mask=[{"kind": "causal"}]),
    "average": given(score="average", softcap=2.0),
    "additive": given(
        key=array(M, HEADS * 6),
        score="additive",
        score_params={"w_score_query": array(D_K, 19), "w_score_key": array(6, 19), "w_score": array(19)},
    ),
    "rotary": projected(rotary_theta=100.0),
    "cross-attention": projected(context=array(M, 9), w_key=array(9, HEADS * D_K), w_value=array(9, HEADS * D_V)),
    "block": projected(block=BLOCK),
    "by hand": given(interventions=[{"kind": "set", "stage": "weights", "at": {"head": 1}, "values": 0.0}]),
}


@each("name", PROBLEMS)
def test_sizes_are_those_of_the_arrays_products_fit_and_a_symbol_is_one_number(name):
    problem = PROBLEMS[name]
    trace, steps, counts = compute(problem), steps_of(DenseEvaluation(problem)), counts_of(problem)
    assert [step.stage for step in steps] == list(trace.stages)
    assert any(step.product for step in steps)
    for step in steps:
        batch, *shape = trace[step.stage].shape
        wanted, found = shape[1:] if step.per_head else shape, [dim.size for dim in step.result]
        assert found == ([batch, *wanted] if problem.batch_size > 1 else wanted)
        assert step.per_head == (len(shape) == 3)
        for dim in (*step.result, *(dim for operand in step.operands for dim in operand.dims)):
            assert prod(counts.get(part) or int(part) for part in dim.symbol.split("·")) == dim.size, (step.stage, dim)
        if step.product:
            first, second = (np.zeros([dim.size for dim in operand.dims]) for operand in step.operands)
            assert np.matmul(first, second).shape == tuple(found)
            inner = step.operands[0].dims[-1].symbol, step.operands[1].dims[-2].symbol
            assert inner[0] == inner[1] or {"n", "m"} == set(inner)  # of one sequence they are the same number


def shapes(problem, symbols=True):
    return {step.stage: step.shape(symbols=symbols) for step in steps_of(DenseEvaluation(problem))}


def test_the_chain_reads_as_in_the_textbook():
    found = shapes(Problem(query=array(2, 3), key=array(4, 3), value=array(4, 5)))
    assert (found["query"], found["key"], found["value"]) == ("n × d_k", "m × d_k", "m × d_v")
    assert found["scores"] == "n × d_k · d_k × m → n × m"
    assert found["weights"] == "n × m"
    assert found["head_output"] == "n × m · m × d_v → n × d_v"
    numbers = shapes(Problem(query=array(2, 3), key=array(4, 3), value=array(4, 5)), symbols=False)
    assert numbers["scores"] == "2 × 3 · 3 × 4 → 2 × 4"


def sides(problem, stage):
    step = next(step for step in steps_of(DenseEvaluation(problem)) if step.stage == stage)
    return {name: written(dims, symbols=True) for name, dims in step.sides.items()}


def test_no_symbol_is_guessed_from_a_number_that_is_equal():
    arrays = {name: array(4, 8) for name in ("query", "key", "value")}
    assert sides(Problem(**arrays, num_heads=4, sink=array(4)), "weights")["sink"] == "h"
    tables = {"w_score_query": array(2, 3), "w_score_key": array(5, 3), "w_score": array(3)}
    additive = Problem(query=array(2, 2), key=array(3, 5), value=array(3, 5), score="additive", score_params=tables)
    assert set(sides(additive, "scores").values()) == {"2 × 3", "5 × 3", "3"}
    assert sides(PROBLEMS["output"], "output") == {"b_output": "d_out"}
    assert sides(PROBLEMS["block"], "residual") == {"x": "n × d_model"}
    assert sides(PROBLEMS["block"], "normalized")["block.ln_weight"] == "d_model"
