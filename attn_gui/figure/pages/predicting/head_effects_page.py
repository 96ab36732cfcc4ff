"""Page of the heads that matter: what a logit loses without each, beside what its gradient foretells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Array
from attn_gui.engine.progress import Tell, within
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.page_drawing import Drawing, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.asked_token import AGAINST, TOKEN, asked, logit_name
from attn_gui.figure.pages.predicting.bar_rows import BarRow, BarRows
from attn_gui.figure.pages.predicting.layer_grid import RESULT, LayerGrid, LayerMap
from attn_gui.figure.pages.predicting.prediction_page import NEEDS
from attn_gui.figure.text.numbers import format_number
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.attribution import head_effects
from attn_gui.models.model import Run

RANKED, MAPS = "ranked", "maps"
SHOWN = {
    RANKED: page_words(QT_TRANSLATE_NOOP("Pages", "ranked")),
    MAPS: page_words(QT_TRANSLATE_NOOP("Pages", "as maps")),
}
MOST_ROWS = 16


@dataclass(frozen=True, eq=False)
class HeadEffects:
    """(layers, heads): the change of a logit without a head, and −Σ gradient · result of it."""

    name: str
    true: Array
    foretold: Array
    layer: int
    ranked: bool


class HeadEffectsPage(PageKind[HeadEffects]):
    """Shows each head switched off in turn, and how far a first-order estimate is from that."""

    name = "heads_off"
    title = QT_TRANSLATE_NOOP("Pages", "Heads that matter")
    words = "importance ablation knock out ranking gradient attribution patching 重要性 消融 排名 归因 梯度"
    needs = NEEDS
    of_model = True
    reads = frozenset()
    knobs = (TOKEN, AGAINST, Choice("shown", QT_TRANSLATE_NOOP("Pages", "shown"), lambda aim, values: SHOWN))

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> HeadEffects:
        model, token, against = asked(aim)
        true = head_effects(model.now, token, against, model.position, within(tell, 0, 2))
        foretold = _foretold(model.now, token, against, model.position, within(tell, 1, 2))
        ranked = aim.knobs["shown"] == RANKED
        return HeadEffects(logit_name(model.now, token, against), true, foretold, model.layer, ranked)

    def at(self, content: HeadEffects, aim: Aim) -> HeadEffects:
        assert aim.model is not None, "it is only there with a model"
        return content if content.layer == aim.model.layer else replace(content, layer=aim.model.layer)

    def plan(self, content: HeadEffects, ink: Ink, width: float | None, height: float | None) -> Drawing:
        title = ink.translate("Pages", "Change of the logit of {name} without a head").format(name=content.name)
        names = ink.translate("Pages", "each head off in turn"), ink.translate("Pages", "−Σ gradient · result")
        if content.ranked:
            rows = _rows(content, ink, names)
            layout = BarRows(
                rows,
                ink,
                (width, height),
                title=title,
                subtitle=" | ".join(names),
                written=lambda value: format_number(value, 3),
            )
            return layout.drawing(ink.translate("Pages", self.title))
        maps = tuple(LayerMap(name, cells) for name, cells in zip(names, (content.true, content.foretold), strict=True))
        grid = LayerGrid(maps, heads=True, chosen=(content.layer, -1), signed=True)
        return grid.drawing(ink, (width, height), title=title, subtitle=" | ".join(names))


def _rows(content: HeadEffects, ink: Ink, names: tuple[str, str]) -> list[BarRow]:
    """The heads with the largest effects, the largest first."""
    order = np.argsort(-np.abs(content.true), axis=None, kind="stable")[:MOST_ROWS]
    found = []
    for layer, head in zip(*np.unravel_index(order, content.true.shape), strict=True):
        name = ink.translate("Pages", "layer {layer}").format(layer=layer) + f" · {ink.words.head.format(head)}"
        values = float(content.true[layer, head]), float(content.foretold[layer, head])
        said = ", ".join(f"{what} {format_number(value, 4)}" for what, value in zip(names, values, strict=True))
        found.append(BarRow(name, values, Spot(f"{name}: {said}", head=(int(layer), int(head)))))
    return found


def _foretold(run: Run, token: str, against: str | None, position: int, tell: Tell) -> Array:
    """−Σ gradient · result of every head: the first-order estimate of switching it off."""
    layers, found = run.model.num_layers, []
    for layer, slopes in run.gradients(token, RESULT, against, position):
        found.append(-(slopes * run.stage(layer, RESULT)).sum(axis=(0, -2, -1)))
        tell(1 - layer / layers)
    return np.array(found[::-1])
