"""Page of the prediction: the likeliest tokens at a place of the text, now and before anything was changed."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Amount
from attn_gui.figure.pages.page_drawing import Drawing, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.predicting.bar_rows import BarRow, BarRows
from attn_gui.figure.text.numbers import format_number, scientific
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.visible_text import visible_text
from attn_gui.models.attribution import Likely, likely

USUAL, MOST = 10, 20
DECIMALS = 4
NEEDS = QT_TRANSLATE_NOOP("Pages", "Needs a model that predicts tokens: File › Open a model")


def share_text(share: float) -> str:
    """A probability with four decimals; with a power of ten where none of these says anything."""
    return format_number(share, DECIMALS) if share == 0 or share >= 0.5 * 10**-DECIMALS else scientific(share, 2)


@dataclass(frozen=True, eq=False)
class Predictions:
    """The likeliest tokens after (or, `inside`, in the place of) a token; `changed`: anything is changed by hand."""

    token: str
    inside: bool
    changed: bool
    rows: tuple[Likely, ...]


class PredictionPage(PageKind[Predictions]):
    """Shows the softmax of the logits at the chosen token of the text."""

    name = "prediction"
    title = QT_TRANSLATE_NOOP("Pages", "Prediction")
    words = "next token probability logits 预测 下一个 词元 概率"
    needs = NEEDS
    of_model = True
    reads = frozenset()
    knobs = (
        Amount(
            "count",
            QT_TRANSLATE_NOOP("Pages", "tokens"),
            lambda aim, values: USUAL,
            lambda aim, values, value: 1 <= value <= MOST,
            whole=True,
        ),
    )

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Predictions:
        assert aim.model is not None, "it is only there with a model"
        model = aim.model
        rows = likely(model.now, model.before, model.position, int(aim.knobs["count"]))
        tell(1.0)
        token = visible_text(model.now.texts[model.position])
        return Predictions(token, not model.now.model.sizes.causal, model.now is not model.before, rows)

    def plan(self, content: Predictions, ink: Ink, width: float | None, height: float | None) -> Drawing:
        words = ink.translate("Pages", "In the place of “{token}”") if content.inside else None
        title = words or ink.translate("Pages", "After “{token}”")
        now, before = ink.translate("Pages", "now"), ink.translate("Pages", "before")
        rows = []
        for row in content.rows:
            token = visible_text(row.text)
            said = f"{token}: {now} {share_text(row.now)}"
            if content.changed:
                said += f", {before} {share_text(row.before)}"
            values = (row.now, row.before) if content.changed else (row.now,)
            rows.append(BarRow(token, values, Spot(said)))
        subtitle = ink.translate("Pages", "Probability of each token: softmax of the logits")
        if content.changed:
            subtitle += f" · {now} | {before}"
        layout = BarRows(
            rows,
            ink,
            (width, height),
            title=title.format(token=content.token),
            subtitle=subtitle,
            written=share_text,
        )
        return layout.drawing(ink.translate("Pages", self.title))
