"""New numbers: weighed before they are made, made within a little more than they take, told and stopped."""

import tracemalloc

import numpy as np
import pytest

from attn_gui.engine import FieldError, Problem, arrays, fill, resize
from attn_gui.engine.creation.create import (
    fitting_output,
    made_direct,
    new_fields,
    with_biases,
    with_context,
    with_dtype,
    with_hidden_width,
    with_output,
    with_score,
)
from attn_gui.engine.creation.layer_parts import with_block
from attn_gui.engine.evaluation.trace import evaluation_of
from tests.failing import each

WIDE = 700
ONES = np.ones
DIRECT = Problem(query=ONES((4, 4)), key=ONES((4, 4)), value=ONES((4, WIDE)))

SELF = Problem(x=ONES((4, WIDE)), w_query=ONES((WIDE, 4)), w_key=ONES((WIDE, 4)), w_value=ONES((WIDE, WIDE)))
LONG = SELF.replace(x=ONES((WIDE, WIDE)))
COMPUTED = evaluation_of(LONG)
BLOCK = SELF.replace(**with_output(SELF, True)).replace(**with_block(SELF, "linear"))
MASKED = Problem(
    query=ONES((WIDE, 4)),
    key=ONES((WIDE, 4)),
    value=ONES((WIDE, 3)),
    mask=({"kind": "custom", "allowed": ONES((WIDE, WIDE), bool)}, {"kind": "bias", "values": ONES((WIDE, WIDE))}),
)
ADDITIVE = Problem(
    query=ONES((4, 500)),
    key=ONES((4, 600)),
    value=ONES((4, 4)),
    score="additive",
    score_params={"w_score_query": ONES((500, 4)), "w_score_key": ONES((600, 4)), "w_score": ONES(4)},
)
CASES = {
    "w_output": lambda: with_output(DIRECT, True),
    "biases": lambda: with_biases(BLOCK, True),
    "second sequence": lambda: with_context(LONG, True),
    "block": lambda: with_block(SELF, "linear"),
    "output as wide as x": lambda: fitting_output(SELF),
    "additive": lambda: with_score(DIRECT, "additive"),
    "hidden units": lambda: with_hidden_width(ADDITIVE, 900),
    "direct": lambda: made_direct(COMPUTED),
    "float32": lambda: with_dtype(MASKED, "float32").fields,
    "n": lambda: resize(DIRECT, n=90_000).fields,
    "m": lambda: resize(MASKED, m=2 * WIDE).fields,
    "d_k": lambda: resize(DIRECT, d_k=90_000).fields,
    "d_model": lambda: resize(BLOCK, d_model=2 * WIDE).fields,
    "heads": lambda: resize(DIRECT, num_heads=500, keep="d_k").fields,
    "items": lambda: resize(DIRECT, batch_size=500).fields,
    "new": lambda: new_fields("cross", n=900, m=800, num_heads=2, d_k=300, d_v=200),
    **{f"fill {kind}": lambda kind=kind: {"x": fill(kind, (900, 900))} for kind in ("integers", "random", "identity")},
    "fill many items": lambda: {"x": fill("random", (90_000, 3, 3))},
}


def peak_of(make):
    tracemalloc.start()
    try:
        return make(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@each("name", CASES)
def test_new_numbers_need_little_more_than_their_own_memory(name):
    make = CASES[name]
    weighed, light = peak_of(lambda: arrays.weigh(make))
    (_, made), heavy = peak_of(lambda: arrays.carried_out(make))
    assert weighed == sum(array.nbytes for array in made) > 0
    assert light < 200_000 + weighed // 100, "something is allocated to weigh it"
    if weighed > 4_000_000:
        assert heavy <= 1.5 * weighed


def test_weighing_takes_no_memory_however_large_it_is():
    def make():
        return resize(MASKED, n=65_536).fields, new_fields("direct", n=65_536, num_heads=4096, d_k=65_536)

    size, peak = peak_of(lambda: arrays.weigh(make))
    assert size > 65_536 * 4096 * 65_536 * 8
    assert peak < 10_000_000


def test_what_is_too_large_even_for_a_shape_is_refused():
    with pytest.raises(FieldError, match="of new numbers"):
        arrays.weigh(lambda: new_fields("self", n=65_536, num_heads=65_536, d_k=65_536))


def test_a_share_of_the_free_memory_may_be_taken(monkeypatch):
    monkeypatch.setattr(arrays, "available", lambda: 1_000_000_000)
    arrays.check(1_000_000_000 // arrays.SHARE)
    with pytest.raises(FieldError) as refusal:
        arrays.check(1_000_000_000 // arrays.SHARE + 1)
    assert str(refusal.value) == (
        "That takes 250.0 MB of new numbers; at most 250.0 MB may be taken, as 1.0 GB of memory are free."
    )


def test_the_free_memory_is_known_and_guessed_where_it_is_not(monkeypatch):
    assert 10**7 < arrays.available() < 10**14
    monkeypatch.setattr("builtins.open", lambda *_, **__: (_ for _ in ()).throw(OSError()))
    assert 10**7 < arrays.available() < 10**14
    monkeypatch.delattr("os.sysconf")
    assert arrays.available() == arrays.UNKNOWN


def test_filling_tells_how_far_it_is_and_can_be_stopped():
    told = []
    arrays.carried_out(lambda: fill("random", (1000, 1000)), told.append, 8_000_000)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 10

    def stop(share):
        if share > 0.3:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        arrays.carried_out(lambda: fill("random", (1000, 1000)), stop, 8_000_000)
    assert arrays.weigh(lambda: fill("random", (2, 2))) == 32  # nothing is left of it


def test_of_a_seed_the_same_numbers_come_for_ever():
    for shape, told in (((2, 3, 7, 5), -3202), ((300, 300), 68_935)):
        cells = fill("integers", shape, seed=5, field="w_query").ravel().astype(int)
        assert (cells * (np.arange(cells.size) % 97)).sum() == told
