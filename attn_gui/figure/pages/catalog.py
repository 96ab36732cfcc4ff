"""The catalog of pages: every kind of page by its name, in the order of their menu."""

from __future__ import annotations

from typing import Any

from attn_gui.document.edits import Refusal
from attn_gui.figure.pages.code import CodePage
from attn_gui.figure.pages.contributions import HeadContributions, OverHeadsPage, ValueWeightedPage
from attn_gui.figure.pages.dependence import DependencePage
from attn_gui.figure.pages.dimensions import DimensionsPage
from attn_gui.figure.pages.gradients import GradientPage
from attn_gui.figure.pages.model import (
    EffectPage,
    HeadEffectsPage,
    LensPage,
    LogitPartsPage,
    PatchingPage,
    PredictionPage,
)
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.precisions import PrecisionPage
from attn_gui.figure.pages.regression import CurvePage, PoolingsPage
from attn_gui.figure.pages.relations import MeaningPage, RelationsPage
from attn_gui.figure.pages.retrieval import RetrievalPage
from attn_gui.figure.pages.snapshots import StatesPage
from attn_gui.figure.pages.sqrt_d_k import RootPage
from attn_gui.figure.pages.sweep import SweepPage
from attn_gui.languages import N_

# fmt: off
_KINDS = (
    CurvePage(), PoolingsPage(), RetrievalPage(), HeadContributions(), ValueWeightedPage(), OverHeadsPage(),
    SweepPage(), RelationsPage(), MeaningPage(), DependencePage(), GradientPage(), RootPage(), PrecisionPage(),
    CodePage(), DimensionsPage(), StatesPage(), PredictionPage(), LensPage(), EffectPage(), HeadEffectsPage(),
    LogitPartsPage(), PatchingPage(),
)
# fmt: on

PAGES: dict[str, PageKind[Any]] = {kind.name: kind for kind in _KINDS}
"""Every page by its name, read when one of them is asked for."""

_NO_PAGE = N_("There is no page {got}; there are {known}.")


def page_of_name(name: str) -> PageKind[Any]:
    """Return a page by its name. Raises ValueError with a sentence for another."""
    if name not in PAGES:
        raise Refusal(_NO_PAGE, got=repr(name), known=", ".join(PAGES))
    return PAGES[name]
