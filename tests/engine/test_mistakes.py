"""Usual mistakes are computed, and an answer that one of them alone gives is named by it."""

import math

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.engine.grading import grade, grade_root, mistaken
from attn_gui.engine.mistakes import MISTAKES
from tests.failing import each, share


def numbers(evaluation):
    """Every stage of an evaluation."""
    return {
        stage: evaluation.box(stage, tuple(slice(0, size) for size in evaluation.shape(stage)))
        for stage in evaluation.stages
    }


def apart(answer, others):
    """Whether a number is told from all of these by more than rounding."""
    if math.isnan(answer):
        return not any(map(math.isnan, others))
    return all(
        math.isnan(other) or (answer != other and not abs(answer - other) < 1e-6 * max(1, abs(other)))
        for other in others
    )


ROOTS = {"root_forgotten", "root_inverted"}  # of no cell


def telling_cells(problem, rng, wanted):
    """(mistake, stage, index, answer): of every wanted mistake that can be made a cell where its answer is its own."""
    if not any(MISTAKES[key].applies(problem) for key in wanted):
        return
    right = numbers(compute(problem).evaluation)
    wrong = {key: numbers(each.made_in(problem)) for key, each in MISTAKES.items() if each.applies(problem)}
    for key, mine in ((key, wrong[key]) for key in wrong if key in wanted):
        stages = [stage for stage in right if stage in mine]
        for stage in rng.permutation(stages):
            index = tuple(int(rng.integers(size)) for size in right[stage].shape)
            others = [float(other[stage][index]) for name, other in wrong.items() if name != key and stage in other]
            answer = float(mine[stage][index])
            if apart(answer, [float(right[stage][index]), *others]):
                yield key, str(stage), index, answer
                break


def test_a_mistake_is_named_where_its_answer_is_its_own():
    """In the first random problem where it differs from what is right and from all other mistakes."""
    rng, wanted = np.random.default_rng(0), set(share(sorted(MISTAKES.keys() - ROOTS), 3))
    for seed in range(1000):
        if not wanted:
            break
        problem = random_problem(seed)
        for key, stage, index, answer in telling_cells(problem, rng, wanted):
            verdict = grade(compute(problem).evaluation, stage, index, answer, 1e-9)
            assert not verdict.right
            assert [found.key for found in verdict.mistakes] == [key]
            wanted = wanted - {key}
    assert not wanted


def softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


Q, K, V = (np.random.default_rng(k).normal(size=(4, 8)) for k in range(3))
X = np.random.default_rng(9).normal(size=(4, 8))
OPEN = np.tril(np.ones((4, 4), bool))
BIAS = np.random.default_rng(4).normal(size=(4, 4))


def heads(array, turns=False):
    return [array[:, g::2] if turns else array[:, 4 * g : 4 * g + 4] for g in range(2)]


def attended(scores, values, shares=softmax):
    return np.concatenate([shares(s) @ v for s, v in zip(scores, values, strict=True)], axis=1)


def dots(turns=False, q=Q, k=K):
    return [a @ b.T for a, b in zip(heads(q, turns), heads(k, turns), strict=True)]


CUT = [array.reshape(2, 4, 4) for array in (Q, K, V)]
HALF = [s / 2 for s in dots()]
CAUSAL, BIASED = {"kind": "causal"}, {"kind": "bias", "values": BIAS}
PLAIN = {  # key: (mask, output in plain NumPy); two heads of four columns
    "not_scaled": ((), attended(dots(), heads(V))),
    "divided_by_d_k": ((), attended([s / 4 for s in dots()], heads(V))),
    "divided_by_root_d_model": ((), attended([s / np.sqrt(8) for s in dots()], heads(V))),
    "multiplied_by_root": ((), attended([s * 2 for s in dots()], heads(V))),
    "scaled_after_mask": ((BIASED,), attended([(s + BIAS) / 2 for s in dots()], heads(V))),
    "key_not_transposed": ((), attended([a @ b / 2 for a, b in zip(heads(Q), heads(K), strict=True)], heads(V))),
    "query_key_swapped": ((), attended([s.T for s in HALF], heads(V))),
    "heads_interleaved": ((), attended([s / 2 for s in dots(turns=True)], heads(V, turns=True))),
    "projection_transposed": ((), attended([s / 2 for s in dots(q=X @ Q[:4].repeat(2, 0).T, k=X @ K.repeat(2, 0).T)],
                                           heads(X @ V.repeat(2, 0).T))),
    "softmax_down_columns": ((), attended(HALF, heads(V), lambda s: softmax(s.T).T)),
    "not_divided_by_z": ((), attended(HALF, heads(V), np.exp)),
    "no_exponential": ((), attended(HALF, heads(V), lambda s: s / s.sum(axis=1, keepdims=True))),
    "mask_flipped": ((CAUSAL,), attended([np.where(OPEN, -1e300, s) for s in HALF], heads(V))),
    "closed_as_zero": ((CAUSAL,), attended([np.where(OPEN, s, 0.0) for s in HALF], heads(V))),
    "mask_after_softmax": ((CAUSAL,), attended(HALF, heads(V), lambda s: np.where(OPEN, softmax(s), 0))),
    "plain_sum": ((CAUSAL,), attended([OPEN, OPEN], heads(V), lambda s: s)),
    "weights_transposed": ((), attended(HALF, heads(V), lambda s: softmax(s).T)),
    "heads_cut_by_view": ((), attended([q @ k.T / 2 for q, k in zip(*CUT[:2], strict=True)], CUT[2])),
    "heads_joined_by_view": ((), np.stack([softmax(s) @ v for s, v in zip(HALF, heads(V), strict=True)]).reshape(4, 8)),
    "softmax_over_heads": ((), attended(np.swapaxes(softmax(np.swapaxes(HALF, 0, 2)), 0, 2), heads(V), lambda s: s)),
    "mean_over_heads": ((), attended([np.mean([softmax(s) for s in HALF], axis=0)] * 2, heads(V), lambda s: s)),
    "no_softmax": ((), attended(HALF, heads(V), lambda s: s)),
    "dropout_on": ((), attended(HALF, heads(V), lambda s: softmax(s) / 0.9)),
    "mask_added": ((CAUSAL,), attended([s + OPEN for s in HALF], heads(V))),
    "causal_too_early": ((CAUSAL,), attended([np.where(np.tri(4, k=-1), s, -1e300) for s in HALF], heads(V))),
    "causal_too_late": ((CAUSAL,), attended([np.where(np.tri(4, k=1), s, -1e300) for s in HALF], heads(V))),
}  # fmt: skip


OWN = {"kv_heads_tiled", "value_not_projected", "rotary_neighbors"}  # of other problems, below


def output_of(key, problem):
    assert MISTAKES[key].applies(problem)
    made = MISTAKES[key].made_in(problem)
    return made.box("output", tuple(slice(0, size) for size in made.shape("output")))[0]


def test_tiled_heads_are_read_in_turns():
    query = np.concatenate([Q, K], axis=1)  # four heads, of which 0 and 1 read the first of K and V
    problem = Problem(query=query, key=K, value=V, num_heads=4, num_kv_heads=2)
    parts = [(query[:, 4 * g : 4 * g + 4], heads(K)[g % 2], heads(V)[g % 2]) for g in range(4)]
    expected = np.concatenate([softmax(q @ k.T / 2) @ v for q, k, v in parts], axis=1)
    np.testing.assert_allclose(output_of("kv_heads_tiled", problem), expected, rtol=1e-12)
    assert not MISTAKES["kv_heads_tiled"].applies(problem.replace(key=K[:, :4], value=V[:, :4], num_kv_heads=1))


def test_values_may_be_left_as_the_rows_of_x():
    weights = {name: np.random.default_rng(k).normal(size=(8, 8)) for k, name in enumerate(("query", "key", "value"))}
    problem = Problem(x=X, num_heads=2, **{f"w_{name}": weight for name, weight in weights.items()}, b_value=V[0])
    halves = [s / 2 for s in dots(q=X @ weights["query"], k=X @ weights["key"])]
    np.testing.assert_allclose(output_of("value_not_projected", problem), attended(halves, heads(X)), rtol=1e-12)


def test_neighbors_may_be_turned_together():
    def turned(rows):
        pairs = rows.reshape(4, 2, 2)
        angle = np.arange(4)[:, None] * 10.0 ** (-np.arange(2) / 2)
        first, second = pairs[..., 0], pairs[..., 1]
        cos, sin = np.cos(angle), np.sin(angle)
        return np.stack([first * cos - second * sin, second * cos + first * sin], axis=-1).reshape(4, 4)

    problem = Problem(query=Q, key=K, value=V, num_heads=2, rotary_theta=10.0)
    halves = [turned(q) @ turned(k).T / 2 for q, k in zip(heads(Q), heads(K), strict=True)]
    np.testing.assert_allclose(output_of("rotary_neighbors", problem), attended(halves, heads(V)), rtol=1e-12)


@each(
    ("answer", "keys"),
    [(1.732, None), (3.0, ["root_forgotten"]), (0.577, ["root_inverted"]), (1.5, []), (math.nan, [])],
)
def test_a_root_that_is_asked_for_may_be_forgotten_or_inverted(answer, keys):
    verdict = grade_root(answer, math.sqrt(3))
    assert verdict.right == (keys is None)
    assert [found.key for found in verdict.mistakes] == (keys or [])


@each("key", [key for key in MISTAKES if key not in ("maximum_not_taken_off", *ROOTS, *OWN)])
def test_a_mistake_is_what_plain_numpy_makes_of_it(key):
    mask, expected = PLAIN[key]
    problem = Problem(query=Q, key=K, value=V, num_heads=2, mask=mask)
    if key == "projection_transposed":
        weights = {"w_query": Q[:4].repeat(2, 0), "w_key": K.repeat(2, 0), "w_value": V.repeat(2, 0)}
        problem = Problem(x=X, num_heads=2, **weights)
    assert MISTAKES[key].applies(problem)
    made = MISTAKES[key].made_in(problem)
    found = made.box("output", tuple(slice(0, size) for size in made.shape("output")))[0]
    if key == "mask_flipped":  # the last query has no key left
        found, expected = found[:-1], expected[:-1]
    if key == "causal_too_early":  # nor the first
        assert not found[0].any()
        found, expected = found[1:], expected[1:]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_softmax_as_it_is_written_overflows():
    problem = Problem(query=[[1000.0]], key=[[1.0], [0.5]], value=[[1.0], [2.0]])
    evaluation = compute(problem).evaluation
    found = {mistake.key: number for mistake, number in mistaken(evaluation, "weights", (0, 0, 0, 0))}
    assert math.isnan(found["maximum_not_taken_off"])
    verdict = grade(evaluation, "weights", (0, 0, 0, 0), math.nan)
    assert not verdict.right
    assert verdict.mistakes[0].key == "maximum_not_taken_off"


def test_a_right_answer_is_right_within_the_tolerance_and_another_is_only_wrong():
    evaluation = compute(
        Problem(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]])
    ).evaluation
    at = (0, 0, 1, 1)
    assert grade(evaluation, "weights", at, 0.64).right
    assert grade(evaluation, "weights", at, 0.6405).right
    assert not grade(evaluation, "weights", at, 0.65).right
    assert [found.key for found in grade(evaluation, "weights", at, 0.73).mistakes] == ["not_scaled"]
    assert grade(evaluation, "weights", at, 0.1).mistakes == ()
    assert grade(evaluation, "weights", at, 0.1).expected == pytest.approx(0.6405, abs=1e-4)
    assert not grade(evaluation, "weights", at, math.inf).right


def test_a_wrong_answer_is_judged_where_the_weights_are_given():
    """There d_k is 0, and no score could have been divided by its root."""
    weights = np.random.default_rng(0).dirichlet(np.ones(3), (2, 4))
    problem = Problem.from_weights(weights, value=np.ones((3, 4)))
    assert not grade(compute(problem).evaluation, "head_output", (0, 0, 0, 0), 7.0, 1e-9).right


@each("answer", [0.12, 0.13])
def test_a_number_halfway_between_two_decimals_may_be_rounded_either_way(answer):
    """Eight equal keys: 1/8, to two decimals. Neither 0.125 − 0.12 nor 0.13 − 0.125 is 0.005 in binary digits."""
    evaluation = compute(Problem(query=[[0.0]], key=[[1.0]] * 8, value=[[1.0]] * 8)).evaluation
    assert grade(evaluation, "weights", (0, 0, 0, 0), answer).right
    assert not grade(evaluation, "weights", (0, 0, 0, 0), answer + math.copysign(0.001, answer - 0.125)).right


# --- random problems in which the usual mistakes can be made --------------------------------------


def random_problem(seed: int) -> Problem:
    """Any shape, heads, masks and biases; small enough to compute by hand, sometimes with scores that overflow."""
    rng = np.random.default_rng(seed)
    heads, d_k, d_v = int(rng.integers(1, 5)), int(rng.integers(2, 5)), int(rng.integers(1, 4))
    kv_heads = heads // 2 if heads % 2 == 0 and seed // 4 % 2 else heads
    n = int(rng.integers(2, 6))
    m = [n, d_k, int(rng.integers(2, 6))][seed // 10 % 3]
    size = 40.0 if seed // 7 % 4 == 0 else 1.5
    mask = []
    if seed // 2 % 2:
        mask.append({"kind": "causal"} if seed // 40 % 2 else {"kind": "padding", "lengths": max(1, m - 1)})
    if seed // 20 % 2:
        mask.append({"kind": "bias", "values": rng.normal(size=(n, m))})
    fields = {"num_heads": heads, "num_kv_heads": kv_heads, "mask": mask}
    if d_k == 4 and seed // 6 % 2:
        fields["rotary_theta"] = 10.0
    if seed // 3 % 3 == 2 and kv_heads == heads:
        width = heads * d_k
        x, context = rng.normal(size=(n, width)) * size, rng.normal(size=(m, width))
        weights = {f"w_{name}": rng.normal(size=(width, width)) / 2 for name in ("query", "key", "value")}
        return Problem(x=x, context=context, **weights, **fields)
    return Problem(
        query=rng.normal(size=(n, heads * d_k)) * size,
        key=rng.normal(size=(m, kv_heads * d_k)) * size,
        value=rng.normal(size=(m, kv_heads * d_v)),
        **fields,
    )
