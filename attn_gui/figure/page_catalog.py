"""The catalog of pages: pictures that show more than one stage, beside the maps and in files alike."""

from __future__ import annotations

from typing import Any

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation
from attn_gui.figure.options import FigureOptions
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.differentials.gradient_page import GradientPage
from attn_gui.figure.pages.head_contributions import HeadContributions
from attn_gui.figure.pages.knobs import checked
from attn_gui.figure.pages.over_heads import OverHeadsPage
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.effect_page import EffectPage
from attn_gui.figure.pages.predicting.head_effects_page import HeadEffectsPage
from attn_gui.figure.pages.predicting.lens_page import LensPage
from attn_gui.figure.pages.predicting.logit_parts_page import LogitPartsPage
from attn_gui.figure.pages.predicting.patching_page import PatchingPage
from attn_gui.figure.pages.predicting.prediction_page import PredictionPage
from attn_gui.figure.pages.reaching.dependence_page import DependencePage
from attn_gui.figure.pages.relating.meaning import MeaningPage
from attn_gui.figure.pages.relating.relation_lines import RelationsPage
from attn_gui.figure.pages.retrieving.curve import CurvePage
from attn_gui.figure.pages.retrieving.poolings_page import PoolingsPage
from attn_gui.figure.pages.retrieving.retrieval import RetrievalPage
from attn_gui.figure.pages.states.states_page import StatesPage
from attn_gui.figure.pages.sweep_page import SweepPage
from attn_gui.figure.pages.teaching.code_page import CodePage
from attn_gui.figure.pages.teaching.dimensions_page import DimensionsPage
from attn_gui.figure.pages.teaching.root_page import RootPage
from attn_gui.figure.pages.value_weighted import ValueWeightedPage
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

_KINDS = (
    CurvePage(),
    PoolingsPage(),
    RetrievalPage(),
    HeadContributions(),
    ValueWeightedPage(),
    OverHeadsPage(),
    SweepPage(),
    RelationsPage(),
    MeaningPage(),
    DependencePage(),
    GradientPage(),
    RootPage(),
    CodePage(),
    DimensionsPage(),
    StatesPage(),
    PredictionPage(),
    LensPage(),
    EffectPage(),
    HeadEffectsPage(),
    LogitPartsPage(),
    PatchingPage(),
)

PAGES: dict[str, PageKind[Any]] = {kind.name: kind for kind in _KINDS}
"""Every page by its name, read when one of them is asked for."""

_NO_PAGE = QT_TRANSLATE_NOOP("Sentences", "There is no page {got}; there are {known}.")


def page_of_name(name: str) -> PageKind[Any]:
    """A page by its name; ValueError with a sentence for another."""
    if name not in PAGES:
        raise Refusal(_NO_PAGE, got=repr(name), known=", ".join(PAGES))
    return PAGES[name]


def check_knobs(name: str, evaluation: Evaluation, options: FigureOptions, head: int) -> None:
    """Refuse what cannot be set on a page; ValueError with a sentence."""
    if options.knobs:
        page_of_name(name).check(evaluation.problem, options.model)
        aim = Aim.at(evaluation, options.batch, head, options.stage, options.cell, options.states)
        checked(page_of_name(name).knobs, aim, options.knobs)
