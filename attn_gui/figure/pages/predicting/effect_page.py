"""Page of effects: which heads and tokens of which layers a change by hand has moved, as shares of what they were."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Array
from attn_gui.engine.progress import Tell
from attn_gui.figure.display import Values
from attn_gui.figure.pages.aim import Aim, ModelAim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.map_grid import token_of
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.layer_grid import HEADS, OF, RESULT, LayerGrid, LayerMap
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.model import Run


@dataclass(frozen=True, eq=False)
class Effects:
    """(layers, heads or tokens) of ‖now − before‖ / ‖before‖."""

    moved: Values
    heads: bool
    names: tuple[str, ...]
    layer: int
    changed: bool


class EffectPage(PageKind[Effects]):
    """Shows how far a change goes through the layers above it."""

    name = "effect"
    title = QT_TRANSLATE_NOOP("Pages", "Effect of the changes")
    words = "difference layers heads intervention downstream propagate 影响 效果 干预 传播 差异"
    needs = QT_TRANSLATE_NOOP("Pages", "Needs a model: File › Open a model")
    of_model = True
    reads = frozenset()
    knobs = (OF,)

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Effects:
        assert aim.model is not None, "it is only there with a model"
        model, heads = aim.model, aim.knobs["of"] == HEADS
        tokens = tuple(token_of(model.now.texts, place) for place in range(len(model.now.texts)))
        moved = _of_heads(model, tell) if heads else _of_tokens(model)
        return Effects(moved, heads, tokens, model.layer, model.now is not model.before)

    def at(self, content: Effects, aim: Aim) -> Effects:
        assert aim.model is not None, "it is only there with a model"
        return content if content.layer == aim.model.layer else replace(content, layer=aim.model.layer)

    def plan(self, content: Effects, ink: Ink, width: float | None, height: float | None) -> Drawing:
        chosen = (content.layer, -1)
        note = "" if content.changed else ink.translate("Pages", "Nothing is changed by hand: nothing has moved.")
        grid = LayerGrid((LayerMap("", content.moved),), content.heads, content.names, chosen)
        return grid.drawing(
            ink,
            (width, height),
            title=ink.translate("Pages", self.title),
            subtitle=ink.translate("Pages", "‖now − before‖ / ‖before‖, 0 where nothing moved"),
            note=note,
        )


def _of_heads(model: ModelAim, tell: Tell) -> Values:
    found = []
    layers = model.now.model.num_layers
    for layer in range(layers):
        now, before = (run.stage(layer, RESULT)[0].astype(np.float64) for run in (model.now, model.before))
        rows = now.reshape(len(now), -1), before.reshape(len(before), -1)
        found.append(_shares(*rows) if now.shape == before.shape else np.full(len(now), np.nan))
        tell((layer + 1) / layers)
    return np.array(found)


def _of_tokens(model: ModelAim) -> Values:
    now, before = (_hidden(run) for run in (model.now, model.before))
    return np.array([_shares(*pair) for pair in zip(now, before, strict=True)])


def _hidden(run: Run) -> Array:
    """The layers' outputs, none behind the final norm, without the embeddings, which no change by hand reaches."""
    return np.stack(run.states[1:]).astype(np.float64)


def _shares(now: Array, before: Array) -> Values:
    """‖now − before‖ / ‖before‖ of every row; of a row of zeros that moved, infinite."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(before, axis=-1)
        apart = np.linalg.norm(now - before, axis=-1)
        return np.where(apart == 0, 0.0, apart / lengths)
