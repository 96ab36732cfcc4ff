"""A layer opened as a problem of the engine gives what the pass gives: all families, every case and every edit."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import compute, verify
from tests.failing import each

from .golden_folders import cases, edits, golden, slip
from .test_variants import VARIANTS


def opened(run):
    """(attention, last state) of a run whose layers are opened one after the other, each on the one before."""
    attention, x = [], run.states[0]
    for layer in range(run.model.num_layers):
        trace = compute(run.problem(layer).replace(x=x))
        attention.append(trace["weights"][0])
        x = trace["block_output"][0]
    return np.stack(attention), x


def finished(run, state):
    return run.replace().__class__(run.model, run.sequence, (), (*run.states[:-1], state))


@each(("name", "case"), cases())
def test_a_text_through_opened_layers(name, case):
    known, run = golden(name), golden(name).run(case)
    attention, last = opened(run)
    found = finished(run, last)
    assert slip(attention, known.arrays[f"{case}.attn"], attention=True) < 1
    assert slip(found.hidden[-1], known.arrays[f"{case}.hidden"][-1]) < 1
    assert slip(found.logits, known.arrays[f"{case}.logits"]) < 1


@each(("name", "edit"), edits())
def test_an_edit_through_opened_layers(name, edit):
    known = golden(name)
    run = known.run(known.told["edits"][edit]["case"], edit)
    attention, last = opened(run)
    found = finished(run, last)
    assert slip(attention, known.arrays[f"{edit}.attn"], attention=True) < 1
    assert slip(found.hidden[-1], known.arrays[f"{edit}.last"]) < 1
    wanted = known.arrays[f"{edit}.logits"]
    assert slip(found.logits[-1:] if len(wanted) == 1 else found.logits[:2], wanted) < 1


@pytest.mark.family(8)
@pytest.mark.parametrize("name", VARIANTS)
def test_every_stage_of_every_variant_is_that_of_the_pass(name, tmp_path):
    run = VARIANTS[name].run(tmp_path)
    for layer in range(run.model.num_layers):
        problem = run.problem(layer)
        trace = compute(problem)
        for stage in trace.stages:
            wanted = run.stage(layer, stage)
            closed = np.isneginf(wanted)
            np.testing.assert_array_equal(np.isneginf(trace[stage]), closed)
            found = np.where(closed, 0, trace[stage])
            assert slip(found, np.where(closed, 0, wanted), attention=stage == "weights") < 1, stage
        if layer + 1 < run.model.num_layers:
            assert slip(trace["block_output"][0], run.states[layer + 1]) < 1
    assert verify(run.problem(0)).ok


@each(
    ("name", "kind"),
    [("bert", "set"), ("gpt2", "scale"), ("qwen3", "copy"), ("qwen3", "set"), ("bert", "copy")],
)
def test_an_intervention_at_any_stage_is_the_same_in_both(name, kind, tmp_path):
    run = VARIANTS[name].run(tmp_path)
    trace = compute(run.problem(0))
    for stage in trace.stages:
        axes = trace.axes(stage)
        at = {axes[-2]: (2, 5), axes[-1]: 1}
        more = {"set": {"values": 0.25}, "scale": {"factor": -0.5}, "copy": {"source": {axes[-1]: 0}}}[kind]
        change = {"layer": 0, "kind": kind, "stage": stage, "at": at, **more}
        found = run.replace(interventions=[change])
        after = compute(found.problem(0))
        assert slip(after["weights"], found.stage(0, "weights"), attention=True) < 1, stage
        assert slip(after["block_output"][0], found.states[1]) < 1, stage


def test_tokens_and_masks_come_along():
    run = golden("tiny-bert").run("pad")
    problem = run.problem(0)
    assert problem.query_tokens == run.tokens
    assert [layer.kind for layer in problem.mask] == ["padding"]
    assert [layer.kind for layer in golden("tiny-gpt2").run("cat").problem(0).mask] == ["causal"]


def test_a_weight_typed_into_an_opened_layer_goes_into_the_model():
    run = golden("tiny-llama").run("cat")
    matrix = np.array(run.problem(1).block.w_gate)
    matrix[2, 3] = 4.0
    edited = run.problem(1).replace(block={**run.problem(1).block, "w_gate": matrix})
    model = run.model.with_weights(1, {"block.w_gate": edited.arrays()["block.w_gate"]})
    found = run.replace(model=model)
    assert slip(compute(edited)["block_output"][0], found.states[2]) < 1
    assert not np.allclose(found.logits, run.logits, atol=1e-4)
