"""The gradient of a logit through the whole model against finite differences through the whole model, in float64."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import FieldError, StageError, compute
from attn_gui.engine.creation.create import made_direct
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.stages import STAGE
from attn_gui.models import backward_pass, open_model
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.forward_pass import final_states, logits_of

from .golden_folders import NAMES, golden
from .made_folders import BERT, LAYERS, bert_tensors, write_folder
from .test_variants import VARIANTS

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


@pytest.mark.family(4)
@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_slope_of_the_whole_model(name, layer):
    """Every stage in one of two layers."""
    run = golden(name).run({"tiny-bert": "mask", "toy-induction": "short"}.get(name, "cat"))
    for stage in [*STAGE][layer::2]:
        if stage in compute(run.problem(layer)).stages:
            check(run, layer, stage, 5, np.random.default_rng(layer))
        else:
            with pytest.raises(StageError):
                run.gradient(5, layer, stage)


@pytest.mark.family(8)
@pytest.mark.parametrize("name", VARIANTS)
def test_it_is_the_gradient_of_the_engine_layer_by_layer(name, tmp_path, monkeypatch):
    """The fast walk down, in float32, against the engine's own in float64: every stage of every family."""
    run = VARIANTS[name].run(tmp_path)
    if run.model.ends.head is None:
        return
    stages = compute(run.problem(1)).stages
    fast = {stage: dict(run.gradients(7, stage, against=9)) for stage in stages}
    with monkeypatch.context() as patched:
        patched.setattr(backward_pass, "_fast_slopes", lambda *_: None)
        slow = {stage: dict(run.gradients(7, stage, against=9)) for stage in stages}
    for stage in stages:
        for layer in range(LAYERS):
            found, wanted = fast[stage][layer], slow[stage][layer]
            assert found.shape == wanted.shape
            assert found.dtype == np.float64
            there = np.isfinite(run.stage(layer, stage))
            np.testing.assert_allclose(found[there], wanted[there], rtol=0, atol=2e-5 * max(1.0, np.abs(wanted).max()))
            assert not found[~there].any()


def test_all_layers_at_once_are_each_of_them_and_a_difference_is_that_of_two():
    run = golden("tiny-gpt2").run("cat")
    both = dict(run.gradients(5, "weights", against=8))
    assert list(both) == [2, 1, 0]
    for layer, found in both.items():
        wanted = run.gradient(5, layer, "weights") - run.gradient(8, layer, "weights")
        np.testing.assert_allclose(found, wanted, atol=1e-5 * np.abs(wanted).max())
    assert list(dict(run.gradients(5, "weights", layers=[1]))) == [1]
    assert not any(found.any() for _, found in run.gradients(5, "weights", against=5))


def test_it_follows_interventions():
    run = golden("tiny-llama").run("cat")
    off = {"layer": 1, "kind": "scale", "stage": "head_output", "at": {"head": 2}, "factor": 0.0}
    run = run.replace(interventions=[off])
    for stage in ("weights", "value", "up"):
        check(run, 0, stage, 9, np.random.default_rng(3))
    at_hand = run.gradient(9, 1, "weights")
    assert not at_hand[0, 2].any()  # of a head that is off no weight matters
    assert at_hand[0, 3].any()


def test_by_the_text_of_a_token_and_at_another_position():
    run = golden("toy-induction").run("short")
    np.testing.assert_array_equal(run.gradient("c", 0, "weights"), run.gradient(3, 0, "weights"))
    early = run.gradient("c", 0, "block_output", position=2)
    assert early[0, 2].any()
    assert not early[0, 3:].any()  # no later token reaches it


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


def test_nothing_comes_through_an_x_that_was_given_as_a_whole_or_taken_away():
    """It was a slope of what the typed rows lie over, and a word of Python where there is no x."""
    run = golden("toy-induction").run("short")
    layer = run.problem(1)
    whole = LayerEdit({}, {"x": layer.x + 1})  # a row was inserted, and then a text read that is longer by one
    direct = LayerEdit.between(layer, layer.replace(**made_direct(evaluation_of(layer))))
    for edit in (whole, direct):
        typed = run.replace(model=run.model.with_edits({1: edit}))
        assert np.abs(typed.gradient(5, 1, "weights")).max() > 0
        for stage in ("weights", "head_output", "block_output"):
            assert not typed.gradient(5, 0, stage).any()
