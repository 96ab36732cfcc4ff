"""Page of the parts of a logit: what each head and everything else adds to it directly."""

from __future__ import annotations

from dataclasses import dataclass, replace

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.asked_token import AGAINST, TOKEN, asked, logit_name
from attn_gui.figure.pages.predicting.layer_grid import LayerGrid, LayerMap
from attn_gui.figure.pages.predicting.prediction_page import NEEDS
from attn_gui.figure.text.numbers import format_number
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.models.attribution import DirectLogits, direct_logits, logit_difference


@dataclass(frozen=True, eq=False)
class LogitParts:
    """A logit, its name and its parts; `layer` is on the table."""

    name: str
    logit: float
    parts: DirectLogits
    layer: int


class LogitPartsPage(PageKind[LogitParts]):
    """Shows that a logit is a sum over embeddings, heads and MLPs, and says the difference of both."""

    name = "logit_parts"
    title = QT_TRANSLATE_NOOP("Pages", "Parts of a logit")
    words = "direct logit attribution contributions heads mlp residual stream 直接归因 贡献 残差流 logit"
    needs = NEEDS
    of_model = True
    reads = frozenset()
    knobs = (TOKEN, AGAINST)

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> LogitParts:
        model, token, against = asked(aim)
        parts = direct_logits(model.now, token, against, model.position)
        tell(1.0)
        logit = logit_difference(model.now, token, against, model.position)
        return LogitParts(logit_name(model.now, token, against), logit, parts, model.layer)

    def at(self, content: LogitParts, aim: Aim) -> LogitParts:
        assert aim.model is not None, "it is only there with a model"
        return content if content.layer == aim.model.layer else replace(content, layer=aim.model.layer)

    def plan(self, content: LogitParts, ink: Ink, width: float | None, height: float | None) -> Drawing:
        parts = content.parts
        shown = {
            "embedding": parts.embedding,
            "heads": parts.heads.sum(),
            "mlps": parts.mlps.sum(),
            "rest": parts.biases.sum() + parts.constant,
            "by_hand": parts.by_hand.sum(),
            "total": parts.total,
            "logit": content.logit,
        }
        note = ink.translate(
            "Pages",
            "Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}: together {total}; "
            "the logit is {logit}.",
        )
        if parts.by_hand.any():
            note = ink.translate(
                "Pages",
                "Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}, "
                "changes by hand {by_hand}: together {total}; the logit is {logit}.",
            )
        return LayerGrid((LayerMap("", parts.heads),), heads=True, chosen=(content.layer, -1), signed=True).drawing(
            ink,
            (width, height),
            title=ink.translate("Pages", "Parts of the logit of {name}").format(name=content.name),
            subtitle=ink.translate("Pages", "What each head adds to it directly"),
            note=note.format(**{key: format_number(float(value), 3) for key, value in shown.items()}),
        )
