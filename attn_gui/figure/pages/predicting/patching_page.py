"""Page of patching: cells of one text put into another, layer by layer, and what comes back of the prediction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import FieldError
from attn_gui.engine.progress import Tell, within
from attn_gui.engine.stages import STAGE
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.map_grid import token_of
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.asked_token import AGAINST, TOKEN, asked, logit_name
from attn_gui.figure.pages.predicting.layer_grid import HEADS, OF, RESULT, TOKENS, LayerGrid, LayerMap
from attn_gui.figure.pages.predicting.prediction_page import NEEDS
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.attribution import patch_foretold, patch_sweep

PATCHED, BOTH = "patched", "both"
BESIDE = {
    PATCHED: page_words(QT_TRANSLATE_NOOP("Pages", "as patched")),
    BOTH: page_words(QT_TRANSLATE_NOOP("Pages", "beside what the gradient predicts")),
}
BLOCK = tuple(STAGE)[-1]
"""The output of a layer."""
AXES = {HEADS: (RESULT, "head"), TOKENS: (BLOCK, "query")}
"""The stage that is put over, and its axis that is swept."""
NO_OTHER = QT_TRANSLATE_NOOP(
    "Sentences", "Type a second text of {count} tokens below the first: its run is what is patched."
)


@dataclass(frozen=True, eq=False)
class Patched:
    """(layers, heads or tokens): the share of the logit that comes back, and to first order where it is asked for; the
    first text as tokens."""

    name: str
    shares: Array
    foretold: Array | None
    heads: bool
    tokens: tuple[str, ...]
    layer: int


class PatchingPage(PageKind[Patched]):
    """Shows where in the model what the two texts differ in is carried.

    The second text is run, and in it one head or token of one layer at a time is as in the first. Source: Meng, Bau,
    Andonian, Belinkov (2022), "Locating and Editing Factual Associations in GPT".
    """

    name = "patching"
    title = QT_TRANSLATE_NOOP("Pages", "Patching from the first text")
    words = "activation patching causal tracing clean corrupted 激活修补 因果追踪 对照"
    needs = NEEDS
    of_model = True
    reads = frozenset()
    knobs = (
        OF,
        TOKEN,
        AGAINST,
        Choice("shown", QT_TRANSLATE_NOOP("Pages", "shown"), lambda aim, values: BESIDE),
    )

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Patched:
        model, token, against = asked(aim)
        count = len(model.now.ids)
        if model.other is None or len(model.other.ids) != count:
            raise FieldError(NO_OTHER, count=count)
        stage, axis = AXES[aim.knobs["of"]]
        both = aim.knobs["shown"] == BOTH
        sweep = partial(patch_sweep, model.other, model.now, token, against, position=model.position)
        slopes = partial(patch_foretold, model.other, model.now, token, against, position=model.position)
        shares = sweep(stage=stage, axis=axis, tell=within(tell, 0, 1 + both))
        foretold = slopes(stage=stage, axis=axis, tell=within(tell, 1, 2)) if both else None
        tokens = tuple(token_of(model.now.texts, place) for place in range(count))
        name = logit_name(model.now, token, against)
        return Patched(name, shares, foretold, aim.knobs["of"] == HEADS, tokens, model.layer)

    def at(self, content: Patched, aim: Aim) -> Patched:
        assert aim.model is not None, "it is only there with a model"
        return content if content.layer == aim.model.layer else replace(content, layer=aim.model.layer)

    def plan(self, content: Patched, ink: Ink, width: float | None, height: float | None) -> Drawing:
        maps: tuple[LayerMap, ...] = (LayerMap("", content.shares),)
        if content.foretold is not None:
            names = ink.translate("Pages", "patched"), ink.translate("Pages", "Σ gradient · (first − second)")
            maps = (LayerMap(names[0], content.shares), LayerMap(names[1], content.foretold))
        grid = LayerGrid(maps, content.heads, content.tokens, (content.layer, -1), signed=True)
        title = ink.translate("Pages", "Recovered part of the logit of {name}").format(name=content.name)
        return grid.drawing(
            ink,
            (width, height),
            title=title,
            subtitle=ink.translate("Pages", "0 as in the second text, 1 as in the first"),
        )
