"""Pages of a model after changes by hand: what moved is told as it moved, and what is by hand is called so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.pages.map_grids import BarRow, BarRows
from attn_gui.figure.pages.model import HeadEffectsPage, LogitPartsPage
from attn_gui.figure.pages.page_context import ModelContext, PageContext
from attn_gui.figure.pages.page_kind import PageSpot, PageStyle, checked_options, option_values
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.models.changed_layers import LayerEdit
from attn_gui.paths import resource
from tests.failing import each
from tests.models.golden_folders import DATA


@pytest.fixture(scope="module")
def clean():
    return open_model(resource("models", "toy-induction")).run("k x b p f k x b p")


def read(name, clean, run, **options):
    page, position = PAGES[name], len(run.ids) - 1
    model = ModelContext(run, clean, 0, position, likely(run, run, position, 2))
    context = PageContext(run.problem(0), model=model)
    context = replace(context, options=option_values(page.options, context, options))
    return page.read(evaluation_of(context.problem), context, lambda share: None)


def test_the_last_layer_moves_as_far_as_the_others_though_a_norm_comes_after_it(clean):
    last = clean.model.num_layers - 1
    double = {"layer": last, "kind": "scale", "stage": "block_output", "at": {"query": 1}, "factor": 2.0}
    found = read("effect", clean, clean.replace(interventions=[double]), of="tokens")
    expected = np.zeros(found.moved.shape)
    expected[last, 1] = 1.0
    assert found.moved == pytest.approx(expected, abs=1e-6)


def test_heads_of_another_width_have_no_effect_that_could_be_told(clean):
    base = clean.problem(0)
    heads, width = base.num_heads, base.d_v
    rows = np.asarray(base.w_value).reshape(len(base.w_value), heads, width)[:, :, 1:]
    out = np.asarray(base.w_output).reshape(heads, width, -1)[:, 1:]
    changed = base.replace(
        w_value=rows.reshape(len(rows), -1),
        w_output=out.reshape(-1, out.shape[-1]),
        b_value=None if base.b_value is None else np.zeros(heads * (width - 1)),
    )
    run = clean.replace(model=clean.model.with_edits({0: LayerEdit.between(base, changed)}))
    found = read("effect", clean, run, of="heads")
    assert np.isnan(found.moved[0]).all()
    assert np.isfinite(found.moved[1:]).all()
    assert PAGES["effect"].plan(found, PageStyle(), (None, None)).said


def test_changes_by_hand_are_a_part_of_a_logit_of_their_own(clean):
    double = {"layer": 1, "kind": "scale", "stage": "residual", "factor": 2.0}
    page = PAGES["logit_parts"]
    notes = []
    for run in (clean, clean.replace(interventions=[double])):
        content = read("logit_parts", clean, run)
        notes.append(page.plan(content, PageStyle(), (None, None)).said)
        rest = content.parts.biases.sum() + content.parts.constant
        assert f"biases and norm {rest:.3f}".replace("-", "−") in notes[-1]
    assert "by hand" not in notes[0]
    assert f"changes by hand {content.parts.by_hand.sum():.3f}".replace("-", "−") in notes[1]


def test_bars_that_are_all_below_zero_take_the_whole_width(qapp):
    rows = [BarRow("a", (-0.2,), PageSpot("a")), BarRow("b", (-0.1,), PageSpot("b"))]
    found = BarRows(rows, PageStyle(), (None, None), title="t", written=str)
    assert (found.low, found.high) == (-0.2, 0.0)
    nothing = BarRows([BarRow("a", (0.0,), PageSpot("a"))], PageStyle(), (None, None), title="t", written=str)
    assert (nothing.low, nothing.high) == (0.0, 1.0)


def test_the_lens_of_an_encoder_tells_what_stands_in_the_place_of_a_token(clean):
    run = open_model(DATA / "tiny-bert").run("John gave the [MASK] to Mary.")
    for one, words in ((run, "In the place of “[MASK]”"), (clean, "After “p”")):
        found = read("lens", one, one)
        (field,) = PAGES["lens"].plan(found, PageStyle(), (None, None)).fields
        assert words in field.spot(0, 4).text


@each("page", [HeadEffectsPage(), LogitPartsPage()])
@each("taken_off", [False, True])
def test_the_share_that_is_done_only_rises_and_ends_at_one(page, taken_off, clean):
    run = clean
    position = len(run.ids) - 1
    tokens = likely(run, run, position, 2)
    context = PageContext(run.problem(0), model=ModelContext(run, run, 0, position, tokens))
    options = checked_options(page.options, context, {"against": tokens[1].token} if taken_off else {})
    told = []
    page.read(evaluation_of(context.problem), replace(context, options=options), told.append)
    assert told == sorted(set(told))
    assert told[-1] == 1.0
