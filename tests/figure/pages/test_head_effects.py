"""Pages of the heads that matter and of the parts of a logit say how far they are, however many logits they read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.figure.pages.base import PageKind, checked
from attn_gui.figure.pages.context import ModelContext, PageContext
from attn_gui.figure.pages.model import HeadEffectsPage, LogitPartsPage
from attn_gui.models import open_model
from attn_gui.models.attribution import likely
from attn_gui.paths import resource
from tests.failing import each


@each("page", [HeadEffectsPage(), LogitPartsPage()])
@each("taken_off", [False, True])
def test_the_share_that_is_done_only_rises_and_ends_at_one(page: PageKind[Any], taken_off: bool) -> None:
    run = open_model(resource("models", "toy-induction")).run("k x b p f k x b p")
    position = len(run.ids) - 1
    tokens = likely(run, run, position, 2)
    context = PageContext(run.problem(0), model=ModelContext(run, run, 0, position, tokens))
    options = checked(page.options, context, {"against": tokens[1].token} if taken_off else {})
    told: list[float] = []
    page.read(evaluation_of(context.problem), replace(context, options=options), told.append)
    assert told == sorted(set(told))
    assert told[-1] == 1.0
