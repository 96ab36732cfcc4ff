"""Readings of a prediction: parts, lens, heads off, patches, and gradients against differences in float64."""

import numpy as np
import pytest

from attn_gui.engine import STAGE, FieldError, Problem, ShapeError, StageError, compute
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.engine.fields import with_leaves
from attn_gui.models import (
    Run,
    backward_pass,
    direct_logits,
    head_effects,
    logit_difference,
    logit_lens,
    moved,
    open_model,
    patch_foretold,
    patch_sweep,
    recovered,
)
from attn_gui.models.attribution import likely, rows_taken
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.forward_pass import final_states, logits_of
from tests.failing import each, share

from .golden_folders import NAMES, OTHERS, TOY, golden
from .made_folders import BERT, LAYERS, bert_tensors, write_folder
from .test_variants import VARIANTS

DECODERS = ("tiny-gpt2", "tiny-llama", "toy-induction")


@pytest.fixture(scope="module")
def toy():
    return open_model(TOY)


def first(name):
    known = golden(name)
    return known.run(next(iter(known.told["cases"])))


@each("by_hand", [False, True])
@each("name", DECODERS)
def test_the_parts_of_a_logit_add_up_to_it(name, by_hand):
    run = first(name)
    if by_hand:
        double = {"layer": 1, "kind": "scale", "stage": "residual", "factor": 2.0}
        run = run.replace(interventions=[double, {**double, "stage": "head_output", "at": {"head": 0}}])
    for position in (0, -1):
        parts = direct_logits(run, 7, position=position)
        assert parts.heads.shape == (run.model.num_layers, run.model.num_heads)
        wanted = logit_difference(run, 7, position=position)
        size = sum(np.abs(part).sum() for part in (parts.heads, parts.mlps, parts.biases, parts.by_hand))
        assert parts.total == pytest.approx(wanted, abs=1e-5 * (1 + size))
        assert np.any(parts.by_hand) == by_hand
    difference = direct_logits(run, 7, 3)
    np.testing.assert_allclose(difference.heads, direct_logits(run, 7).heads - direct_logits(run, 3).heads, atol=1e-9)


def test_where_norms_stand_between_there_are_no_such_parts():
    with pytest.raises(FieldError, match="not a sum"):
        direct_logits(first("tiny-bert"), 5)


@each("name", [*DECODERS, "tiny-bert"])
def test_the_lens_ends_with_the_logits_themselves(name):
    run = first(name)
    lens = logit_lens(run, 1)
    assert lens.shape == (run.model.num_layers + 1, run.model.sizes.vocabulary)
    np.testing.assert_allclose(lens[-1], run.logits[1], atol=1e-5)


def test_the_heads_that_matter_most_are_those_of_the_first_layer(toy):
    """Of the second layer any one can be missed: the others look at the same letter."""
    run = toy.run("q w e r t y q w e r")
    found = head_effects(run, "t")
    assert set(np.argsort(found, axis=None)[:2]) == {0, 2}
    assert (found[1] > found[0].max() - 2).all()
    off = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
    wanted = logit_difference(run.replace(interventions=[off]), "t") - logit_difference(run, "t")
    assert found[0, 0] == wanted


# --- patches -------------------------------------------------------------------------------------
@pytest.fixture
def pair(toy):
    return toy.run("a b e f a b"), toy.run("a b c d a b")  # changed, clean


def test_a_patch_of_everything_brings_all_of_it_back(pair):
    changed, clean = pair
    for layer in range(2):
        assert recovered(changed, clean, changed.patch(clean, layer, "block_output"), "c", "e") == 1.0
    assert recovered(changed, clean, changed, "c", "e") == 0.0


def test_a_sweep_finds_the_letter_that_was_changed(pair):
    changed, clean = pair
    found = patch_sweep(changed, clean, "c", "e", stage="block_output", axis="query")
    assert found.shape == (2, 7)
    assert found[0].argmax() == 3  # after layer 0 the letter that came after "b" knows both of them
    assert found[1].argmax() == 6  # after layer 1 all of it is where the prediction is made
    assert found[1, 6] == 1.0
    by_head = patch_sweep(changed, clean, "c", "e", stage="head_output", axis="head")
    assert by_head.shape == (2, 4)
    one = changed.patch(clean, 1, "head_output", {"head": 2})
    assert by_head[1, 2] == recovered(changed, clean, one, "c", "e")


@pytest.mark.parametrize(("stage", "axis", "position"), [("head_output", "head", -1), ("block_output", "query", 5)])
def test_what_the_gradient_foretells_of_a_patch_is_its_first_order(pair, stage, axis, position):
    changed, clean = pair
    found = patch_foretold(changed, clean, "c", "e", stage=stage, axis=axis, position=position)
    low, high = (logit_difference(run, "c", "e", position) for run in (changed, clean))
    step = 0.02
    for layer, place in np.ndindex(*found.shape):
        own, other = (run.stage(layer, stage) for run in (changed, clean))
        axes = STAGE[stage].axes
        cut = tuple(slice(place, place + 1) if name == axis else slice(None) for name in axes)
        sides = []
        for part in (step, -step):
            values = (own + part * (other - own))[cut]
            hand = {"layer": layer, "kind": "set", "stage": stage, "at": {axis: place}, "values": values}
            sides.append(logit_difference(changed.replace(interventions=[hand]), "c", "e", position))
        assert found[layer, place] == pytest.approx((sides[0] - sides[1]) / (2 * step) / (high - low), abs=5e-3)


def test_what_cannot_be_swept_is_said(pair, toy):
    with pytest.raises(StageError):
        patch_sweep(*pair, "c", "e", stage="gates", axis="head")
    with pytest.raises(FieldError, match="no axis row"):
        patch_sweep(*pair, "c", "e", stage="weights", axis="row")
    with pytest.raises(FieldError, match="same logit"):
        patch_sweep(pair[0], pair[0], "c", "e", stage="head_output", axis="head")
    with pytest.raises(ShapeError):
        patch_sweep(pair[0], toy.run("a b c"), "c", "e", stage="weights", axis="head")
    with pytest.raises(ShapeError, match="different lengths"):
        moved(pair[0], toy.run("a b c"))


def test_an_intervention_moves_what_comes_after_it(toy):
    run = toy.run("q w e r t y q w e r")
    off = {"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0, "query": (4, 11)}, "factor": 0.0}
    found = moved(run, run.replace(interventions=[off]))
    assert not found.heads[0].any()
    assert (found.heads[1] > 0.1).all()
    assert not found.states[0].any()
    assert not found.states[:, :4].any()  # no earlier token sees a later one
    assert (found.states[1:, 4:] > 0).all()


# --- what moved ----------------------------------------------------------------------------------
@each("value", [1e200, np.nan], one_of=2)
def test_numbers_beyond_float32_spread_and_nothing_is_said(toy, value):
    """A warning of NumPy would be an error here: whoever types such a number is shown what becomes of it."""
    clean = toy.run("q w e r t y q w e r")
    base = clean.problem(0)
    norm = np.where(np.arange(64) == 3, value, base.block.norm2_weight.astype(np.float64))
    wild = Problem.of(with_leaves(base, {"dtype": "float64", "block.norm2_weight": norm}))
    model = toy.with_edits({0: LayerEdit.between(base, wild)})
    for run in (model.run("q w e r t y q w e r"), clean.replace(model=model)):
        assert not np.isfinite(run.logits).all()
        assert len(run.predictions()) == 20
        every_reading(clean, run)


@each(("layer", "bare"), [(0, {"block": None}), (1, {"block": None, "w_output": None, "b_output": None})], one_of=2)
def test_a_layer_without_its_network_is_read_as_any_other(toy, layer, bare):
    clean = toy.run("q w e r t y q w e r")
    base = clean.problem(layer)
    run = clean.replace(model=toy.with_edits({layer: LayerEdit.between(base, base.replace(**bare))}))
    every_reading(clean, run)
    parts = direct_logits(run, "t")
    assert parts.mlps[layer] == 0
    size = sum(np.abs(part).sum() for part in (parts.heads, parts.mlps, parts.biases, parts.by_hand))
    assert parts.total == pytest.approx(logit_difference(run, "t"), abs=1e-5 * (1 + size))


def every_reading(clean: Run, run: Run) -> None:
    assert len(likely(run, clean, 3, 5)) == 5
    run.hidden, run.pooled, run.embedding  # noqa: B018  computed when they are asked for
    assert logit_lens(run).shape[1] == run.model.sizes.vocabulary
    assert head_effects(run, "t").shape == direct_logits(run, "t").heads.shape
    assert moved(clean, run).heads.shape == (2, 4)
    assert patch_sweep(run, clean, "t", stage="head_output", axis="head").shape == (2, 4)
    for layer in range(2):
        assert run.gradient("t", layer, "weights").shape == run.stage(layer, "weights").shape
        assert run.query(layer).shape == run.key(layer).shape == run.value(layer).shape
    assert run.patch(clean, 0, "weights").attention(0).shape == run.attention(1).shape


# --- rows of one run for another ----------------------------------------------------------------------
N = 7


def run(name: str, seed: int, count: int = N) -> Run:
    model = golden(name).model
    ids = np.random.default_rng(seed).integers(3, min(model.sizes.vocabulary, 27), count)
    return model.run(ids=[int(number) for number in ids])


def with_cells(changed: Run, layer: int, stage: str, box, values) -> Run:
    cuts = {axis: (cut.start, cut.stop) for axis, cut in zip(STAGE[stage].axes, box, strict=True)}
    record = {"layer": layer, "kind": "set", "stage": stage, "at": cuts, "values": values}
    return changed.replace(interventions=[record])


@each("name", NAMES)
def test_all_rows_of_a_layers_end_are_the_other_run(name):
    changed, clean = run(name, 1), run(name, 2)
    for layer in range(changed.model.num_layers):
        patched = with_cells(changed, layer, "block_output", *rows_taken(changed, clean, layer, "block_output"))
        wanted = clean.hidden[-1]
        assert np.abs(patched.hidden[-1] - wanted).max() <= OTHERS * max(1.0, float(np.abs(wanted).max()))
        if clean.model.ends.head is not None:
            token, against = int(np.argmax(clean.logits[-1])), int(np.argmin(clean.logits[-1]))
            assert recovered(changed, clean, patched, token, against) == pytest.approx(1, abs=1e-3)


def test_readings_of_all_heads_are_public_by_name(toy):
    run = toy.run("k x b p f k x b p")
    found = run.readings()
    assert found.keys() == READINGS.keys()
    assert found["induction"].shape == (2, 4)
    assert found["induction"][1].min() > 3 * found["induction"][0].max()  # the circuit that it was trained for
    assert found["previous_token"][0].argmax() == 0
    for key, values in run.readings(layer=1).items():
        np.testing.assert_array_equal(values, found[key][1])
        mine = compute(run.problem(1)).readings()[key]
        np.testing.assert_allclose(mine, values[None], rtol=1e-4, atol=1e-6)
    with pytest.raises(FieldError, match="no layer 2"):
        run.readings(layer=2)


# --- the gradient of a logit through the whole model against finite differences through the whole model ---
STEP = 1e-4


def logit(run, layer, stage, place, value, token):
    """The logit at the last position where one cell of a stage has a value, every layer in float64."""
    x = None
    for number in range(layer, run.model.num_layers):
        fields = {"dtype": "float64"} if x is None else {"dtype": "float64", "x": x}
        if number == layer:
            at = dict(zip(STAGE[stage].axes, map(int, place), strict=True))
            set_ = {"kind": "set", "stage": stage, "at": at, "values": value}
            fields["interventions"] = [*run.problem(number).interventions, set_]
        x = compute(run.problem(number).replace(**fields))["block_output"][0]
    ends, sizes = run.model.ends, run.model.sizes
    return logits_of(ends, sizes, final_states(ends, sizes, x))[-1, token]


def check(run, layer, stage, token, random):
    found = run.gradient(token, layer, stage)
    cells = compute(run.problem(layer))[stage]
    assert found.shape == cells.shape
    steepest = np.unravel_index(np.abs(np.where(np.isfinite(cells), found, 0)).argmax(), found.shape)
    for place in (steepest, tuple(map(random.integers, found.shape))):
        if not np.isfinite(cells[place]):
            assert found[place] == 0  # what stands behind the mask
            continue
        here = float(cells[place])
        after, before = (logit(run, layer, stage, place, here + step, token) for step in (STEP, -STEP))
        assert found[place] == pytest.approx((after - before) / (2 * STEP), rel=2e-3, abs=2e-4 * np.abs(found).max())


@each(("layer", "name"), [(0, "tiny-bert"), (1, "tiny-llama"), (0, "toy-induction")], one_of=4)
def test_it_is_the_slope_of_the_whole_model(name, layer):
    run = golden(name).run({"tiny-bert": "mask", "toy-induction": "short"}.get(name, "cat"))
    for stage in share([*STAGE][layer::2], 2):
        if stage in compute(run.problem(layer)).stages:
            check(run, layer, stage, 5, np.random.default_rng(layer))
        else:
            with pytest.raises(StageError):
                run.gradient(5, layer, stage)


@each(
    "name",
    ["bert: holes", "distilbert", "gpt2: scale falls", "llama: one K/V head", "llama: biases", "qwen3: window"],
    one_of=4,
)
def test_it_is_the_gradient_of_the_engine_layer_by_layer(name, tmp_path, monkeypatch):
    """The fast walk down, in float32, against the engine's own in float64: every stage of each kind of layer."""
    run = VARIANTS[name].run(tmp_path)
    stages = compute(run.problem(1)).stages
    fast = {stage: dict(run.gradients(7, stage, against=9)) for stage in stages}
    with monkeypatch.context() as patched:
        patched.setattr(backward_pass, "_fast_gradients", lambda *_: None)
        slow = {stage: dict(run.gradients(7, stage, against=9)) for stage in stages}
    for stage in stages:
        for layer in range(LAYERS):
            found, wanted = fast[stage][layer], slow[stage][layer]
            assert found.shape == wanted.shape
            assert found.dtype == np.float64
            there = np.isfinite(run.stage(layer, stage))
            np.testing.assert_allclose(found[there], wanted[there], rtol=0, atol=2e-5 * max(1.0, np.abs(wanted).max()))
            assert not found[~there].any()


def test_what_has_no_gradient_is_said(tmp_path):
    run = golden("toy-induction").run("short")
    with pytest.raises(FieldError, match="no token"):
        run.gradient("cc", 0, "weights")
    with pytest.raises(FieldError, match="There is no layer 2"):
        run.gradient("c", 2, "weights")
    with pytest.raises(StageError, match="gate"):
        run.gradient("c", 0, "gate")
    headless = open_model(write_folder(tmp_path / "model", BERT, bert_tensors(BERT, head=False)))
    with pytest.raises(FieldError, match="no head"):
        headless.run(ids=[1, 2]).gradient(3, 0, "weights")


def test_nothing_comes_through_cells_that_were_typed_over_what_the_layers_below_give():
    """A head was foretold to move a logit that it cannot reach."""
    run = golden("toy-induction").run("short")
    layer = run.problem(1)
    typed = run.replace(model=run.model.with_edits({1: LayerEdit.between(layer, layer.replace(x=layer.x + 1))}))
    assert np.abs(run.gradient(5, 0, "weights")).max() > 0
    assert np.abs(typed.gradient(5, 1, "weights")).max() > 0
    assert not typed.gradient(5, 0, "weights").any()
    one = layer.x.copy()
    one[-1, 0] += 1
    typed = run.replace(model=run.model.with_edits({1: LayerEdit.between(layer, layer.replace(x=one))}))
    by_output = typed.gradient(5, 0, "block_output")[0]
    assert by_output[-1, 0] == 0
    assert by_output[-1, 1:].all()
