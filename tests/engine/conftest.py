"""Problems that together use every stage, mask layer and score function, with another prime on every axis."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Evaluation, Problem
from attn_gui.engine.creation.create import with_score
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES

B, G, R, N, M, D, C = 3, 2, 5, 7, 11, 13, 17  # batch, K/V heads, heads each, queries, keys, d_k, d_v
E, F, S, U = 19, 23, 29, 31  # width of x, of the context, hidden width of the additive score, width of the block's end
P = 37  # width of the block's feed-forward network


def numbers(rng: np.random.Generator, **shapes: tuple[int, ...]) -> dict[str, Any]:
    """Weights are small, so that no softmax and no tanh saturates: every change then shows."""
    return {name: rng.normal(size=shape) * (0.2 if name.startswith("w_") else 1.0) for name, shape in shapes.items()}


def direct(rng: np.random.Generator, *, d: int = D, d_key: int | None = None, **more: Any) -> Problem:
    arrays = numbers(rng, query=(B, N, G * R * d), key=(B, M, G * (d_key or d)), value=(B, M, G * C))
    return Problem(**arrays | {"num_heads": G * R, "num_kv_heads": G} | more)


def block(rng: np.random.Generator, **more: Any) -> Problem:
    arrays = numbers(
        rng,
        x=(B, N, E),
        w_query=(E, G * R * 4),
        w_key=(E, G * 4),
        w_value=(E, G * C),
        w_output=(G * R * C, E),
        b_query=(G * R * 4,),
        b_value=(G * C,),
        b_output=(E,),
    )
    record = numbers(rng, ln_weight=(E,), ln_bias=(E,), w_linear=(E, U), b_linear=(U,)) | {"ln_eps": 0.1}
    return Problem(**arrays, num_heads=G * R, num_kv_heads=G, block=record, **more)


def layer(rng: np.random.Generator, kind: str, *, gated: bool, biased: bool, **more: Any) -> Problem:
    """A whole layer of a transformer: a block with a feed-forward network."""
    problem = block(rng)
    tables = numbers(rng, norm1_weight=(E,), norm2_weight=(E,), w_up=(E, P), w_down=(P, E))
    if gated:
        tables |= numbers(rng, w_gate=(E, P))
    if biased:
        tables |= numbers(rng, norm1_bias=(E,), norm2_bias=(E,), b_up=(P,), b_down=(E,))
        tables |= numbers(rng, b_gate=(P,)) if gated else {}
    record = tables | {"kind": kind, "norm_eps": 0.1} | {name: more.pop(name) for name in ("norm", "activation")}
    return problem.replace(block=record, **more)


def cross(rng: np.random.Generator) -> Problem:
    arrays = numbers(rng, x=(N, E), context=(B, M, F), w_query=(E, 6), w_key=(F, 6), w_value=(F, 10), b_key=(6,))
    return Problem(**arrays, num_heads=2)


def given(rng: np.random.Generator, **more: Any) -> Problem:
    """Weights that nothing makes; without values nothing follows from them either."""
    weights = rng.dirichlet(np.ones(M), size=(B, G * R, N))
    return Problem(weights=weights, num_heads=G * R, num_kv_heads=G, **more)


def every_layer(rng: np.random.Generator) -> tuple[dict[str, Any], ...]:
    return (
        {"kind": "causal", "align": "end"},
        {"kind": "alibi", "align": "end"},
        {"kind": "padding", "lengths": (M, M - 2, M - 5)},
        {"kind": "bias", "values": rng.normal(size=(N, M))},
        {"kind": "custom", "allowed": rng.random((B, 1, N, M)) > 0.2},
        {"kind": "custom", "allowed": np.zeros((N, M), bool), "enabled": False},
        {"kind": "window", "left": 6, "right": None},
        {"kind": "bias", "values": rng.normal(size=(G * R, 1, M))},
        {"kind": "prefix", "length": 3, "align": "end"},
    )


def everything() -> dict[str, Callable[[], Problem]]:
    """{name: a function that makes the problem anew}."""

    def rng() -> np.random.Generator:
        return np.random.default_rng(1)

    def additive(d: int = D, d_key: int = 3, **more: Any) -> Problem:
        params = numbers(rng(), w_score_query=(d, S), w_score_key=(d_key, S), w_score=(S,))
        return direct(rng(), d=d, d_key=d_key, score="additive", score_params=params, **more)

    known = {
        "plain": lambda: direct(rng()),
        "all": lambda: direct(
            rng(), d=4, softcap=1.7, temperature=0.8, rotary_theta=100.0, scale=0.7, mask=every_layer(rng())
        ),
        "block": lambda: block(rng(), mask=({"kind": "causal"},), rotary_theta=10.0),
        "window": lambda: direct(rng(), mask=({"kind": "window", "left": 1, "right": 1},)),
        "gaussian": lambda: direct(rng(), score="gaussian", score_params={"w": 0.3, "key_norm": 0.6}, temperature=1.3),
        "additive": additive,
        "turned": lambda: additive(4, 6, rotary_theta=50.0),
        "cosine": lambda: direct(rng(), score="cosine", scale=3.0),
        "average": lambda: direct(rng(), score="average", mask=({"kind": "causal"},)),
        "cross": lambda: cross(rng()),
        "given": lambda: given(rng(), **numbers(rng(), value=(B, M, G * C), w_output=(G * R * C, E), b_output=(E,))),
        "given alone": lambda: given(rng()),
        "post": lambda: layer(rng(), "post", gated=False, biased=True, norm="layer", activation="gelu"),
        "post, gated": lambda: layer(
            rng(), "post", gated=True, biased=True, norm="rms", activation="gelu_tanh", mask=({"kind": "causal"},)
        ),
        "pre": lambda: layer(
            rng(),
            "pre",
            gated=True,
            biased=False,
            norm="rms",
            activation="silu",
            mask=({"kind": "causal"},),
            temperature=0.9,
            qk_norm_eps=0.2,
            **numbers(rng(), query_norm=(4,), key_norm=(4,), rotary_frequencies=(2,), sink=(G * R,)),
        ),
        "pre, cross": lambda: layer(
            rng(),
            "pre",
            gated=False,
            biased=True,
            norm="layer",
            activation="silu",
            context=rng().normal(size=(B, M, E)),
            **numbers(rng(), sink=(G * R,)),
        ),
    }
    known |= {f"normalize {key}": partial(normalized, key) for key in [*NORMALIZERS][1:]}
    scores = {make().score for make in known.values()}
    return known | {score: partial(scored, score) for score in SCORES if score not in scores}


def normalized(key: str) -> Problem:
    """A normalization of the catalog but for the softmax, which all the others have."""
    rng = np.random.default_rng(1)
    heat = {"temperature": 0.8} if "temperature" in NORMALIZERS[key].reads else {}
    return direct(rng, d=4, normalize=key, softcap=1.7, mask=every_layer(rng), **heat)


def scored(score: str) -> Problem:
    """A score of the catalog that no problem above has, with the parameters that it begins with."""
    problem = direct(np.random.default_rng(1))
    return problem.replace(**with_score(problem, score))


MAKERS = everything()
COMPUTED = [name for name in MAKERS if not name.startswith("given")]
"""Of which problems the weights are computed."""
EVALUATIONS = {name: DenseEvaluation(make()) for name, make in MAKERS.items()}


@pytest.fixture
def makers() -> dict[str, Callable[[], Problem]]:
    return MAKERS


@pytest.fixture
def evaluations() -> dict[str, Evaluation]:
    """Shared, and never updated."""
    return EVALUATIONS


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def typeset(qapp: object) -> Callable[[Iterable[str]], int]:
    """Lays out the sides of formulas and says how many they were: a command that is not known raises ValueError."""
    from attn_gui.figure.formula_typesetting import split_chain, typeset

    def draw(formulas: Iterable[str]) -> int:
        sides = dict.fromkeys(side for latex in formulas for side in split_chain(latex))
        for side in sides:
            assert typeset(side).width > 0, side
        return len(sides)

    return draw
