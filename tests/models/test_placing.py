"""Placing of a layer: what the last run of a text knows is taken, and everything is to the bit as without it."""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attn_gui.document.draft import given_up
from attn_gui.models import Model, Run, changed_layers, open_model
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.models.study import open_layer
from attn_gui.paths import resource

FOLDERS = (*(f"tests/data/models/tiny-{family}" for family in ("bert", "gpt2", "llama")), "toy-induction")
OFF = {"kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0.0}
TEXT = "the cat"


def silent(_share: float) -> None:
    """Ignore the progress."""


@pytest.fixture(params=FOLDERS)
def model(request: pytest.FixtureRequest) -> Model:
    name = str(request.param)
    return open_model(Path(__file__).parents[2] / name if "/" in name else resource("models", name))


def edits_of(model: Model) -> dict[int, LayerEdit]:
    """A head off in the first layer, a weight of the second."""
    first, second = (open_layer(model, TEXT, layer, {}, silent).problem for layer in (0, 1))
    weights = np.array(second.w_value)
    weights[1, 2] = 7.5
    return {
        0: LayerEdit.between(first, first.replace(interventions=[OFF])),
        1: LayerEdit.between(second, second.replace(w_value=weights)),
    }


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("whole", [True, False], ids=["of a run of all", "of a run of none"])
def test_a_known_run_changes_no_bit(model: Model, layer: int, whole: bool) -> None:
    edits = edits_of(model)
    known = model.with_edits(edits).run(TEXT) if whole else model.run(TEXT)
    fresh, quick = open_layer(model, TEXT, layer, edits, silent), open_layer(model, TEXT, layer, edits, silent, known)
    assert quick.problem == fresh.problem
    assert quick.study.base == fresh.study.base
    assert quick.study.edits(quick.problem).keys() == edits.keys()


def walked_layers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the layers that are walked from now on, edited ones included."""
    found: list[int] = []
    cells_of = changed_layers.stage_cells

    def counted(layer: changed_layers.AnyLayer, *rest: Any, **telling: Any) -> object:
        found.append(layer.number)
        return cells_of(layer, *rest, **telling)

    monkeypatch.setattr("attn_gui.models.model.stage_cells", counted)
    return found


def test_of_a_run_with_the_same_changes_nothing_is_computed_again(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    edits = edits_of(model)
    start = open_layer(model, TEXT, 0, edits, silent)
    known = model.with_edits(edits).run(TEXT)
    walked = walked_layers(monkeypatch)
    above = start.study.at(start.problem, 1, silent, known)
    assert not walked
    again = above.study.edits(above.problem)
    assert known.replace(model=known.model.with_edits(again)) is known
    assert not walked
    below = above.study.at(above.problem, 0, silent)  # without one the layers are run
    assert walked == [*range(model.num_layers)]
    assert below.problem == start.problem


def test_only_what_is_not_the_same_below_the_layer_is_computed(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    edits, known = edits_of(model), model.run(TEXT)
    walked = walked_layers(monkeypatch)
    open_layer(model, TEXT, 1, edits, silent, known)
    assert walked == [0]


def test_a_run_tells_which_layers_it_has_in_common_with_another(model: Model) -> None:
    edits, run = edits_of(model), model.run(TEXT)
    above: Run = run.replace(model=run.model.with_edits({1: edits[1]}))
    assert above.is_same(run, 0)
    assert not above.is_same(run, 1)
    off = {"layer": 1, "kind": "scale", "stage": "head_output", "factor": 0.0}
    assert not run.replace(interventions=[off]).is_same(run, 1)
    assert not any(model.run(TEXT).is_same(run, layer) for layer in (0, 1))  # another run, though it is alike


def test_an_edit_keeps_what_it_was_when_the_arrays_are_written_into(model: Model) -> None:
    start = open_layer(model, TEXT, 0, {}, silent)
    given = np.zeros((1, start.problem.n, start.problem.m))
    changed = start.problem.replace(mask=[{"kind": "bias", "values": given}])
    edit = LayerEdit.between(start.study.base, changed)
    kept = edit.of(start.study.base)
    given_up(changed)["mask.0.values"][...] = 5.0
    assert edit.of(start.study.base) == kept
    assert not edit.is_like(LayerEdit.between(start.study.base, changed))


def test_texts_share_the_weights_of_a_layer_for_as_long_as_one_of_them_is_held(model: Model) -> None:
    first = open_layer(model, TEXT, 1, {}, silent).study.base
    second, third = (open_layer(model, text, 1, {}, silent).study.base for text in ("the", "a cat"))
    weights = [name for name in first.arrays() if name.startswith(("w_", "b_", "block."))]
    assert len(weights) > 5
    for name in weights:
        assert np.shares_memory(first.arrays()[name], second.arrays()[name]), name
        assert np.shares_memory(first.arrays()[name], third.arrays()[name]), name
    assert not np.shares_memory(first.x, second.x)
    held = weakref.ref(first.w_query)
    del first, second
    assert np.shares_memory(third.w_query, open_layer(model, TEXT, 1, {}, silent).study.base.w_query)
    assert held() is None


def test_a_layer_in_another_precision_follows_its_text_and_the_layers_below(model: Model) -> None:
    """All of x was kept as it was when the precision was chosen: what was changed below it had no effect."""
    start = open_layer(model, TEXT, 1, {}, silent)
    weights = np.array(start.problem.w_value, np.float64)
    weights[1, 2] = 0.1
    changed = start.problem.replace(dtype="float64", w_value=weights)
    edit = start.study.edits(changed)[1]
    assert (edit.cells.keys(), edit.fields.keys()) == ({"w_value"}, {"dtype"})
    assert edit.of(start.study.base) == changed
    other = start.study.with_text(changed, "a cat", silent)
    assert other.problem == open_layer(model, "a cat", 1, {}, silent).problem.replace(dtype="float64", w_value=weights)
    below = start.study.at(changed, 0, silent)
    off = below.problem.replace(interventions=[OFF])
    above = below.study.at(off, 1, silent)
    below_off = {0: LayerEdit.between(below.study.base, off)}
    assert above.problem == open_layer(model, TEXT, 1, below_off, silent).problem.replace(
        dtype="float64", w_value=weights
    )
    assert edit.without("dtype").of(start.study.base) == start.problem.replace(w_value=np.float64(weights))


@pytest.mark.parametrize("layer", [0, 1])
def test_a_text_that_a_change_in_any_layer_does_not_fit_is_refused(model: Model, layer: int) -> None:
    """One above the layer on the table was taken, and no file could hold the study any more."""
    start = open_layer(model, TEXT, 1 - layer, {}, silent)
    other = open_layer(model, TEXT, layer, {}, silent).problem
    last = other.replace(interventions=[{"kind": "set", "stage": "weights", "at": {"query": other.n - 1}, "values": 0}])
    found = open_layer(model, TEXT, 1 - layer, {layer: LayerEdit.between(other, last)}, silent)
    with pytest.raises(ValueError, match="query"):
        found.study.with_text(found.problem, "the", silent)
    longer = found.study.with_text(found.problem, f"{TEXT} {TEXT}", silent)
    assert longer.study.edits(longer.problem).keys() == {layer}
    assert start.study.with_text(start.problem, "the", silent).study.text == "the"
