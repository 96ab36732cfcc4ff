"""Page of the scale 1/√d_k: the variance of q · k against d_k, and the softmax with it, without it and with another."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.analysis.sweep import (
    WIDTHS,
    Row,
    at_scales,
    entropies,
    read_rows,
    score_variance,
    seeded_problem,
    seeded_variances,
)
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.engine.scores import SCORES
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Amount, Choice, Slide, Values
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.teaching.root_layout import RootLayout, Scaling
from attn_gui.figure.text.page_words import page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels

QUICK = 1 << 12
THESE, RANDOM = "these", "random"
NUMBERS = {
    THESE: page_words(QT_TRANSLATE_NOOP("Pages", "the numbers of the problem")),
    RANDOM: page_words(QT_TRANSLATE_NOOP("Pages", "random Q and K")),
}


def _other_scale(aim: Aim, values: Values) -> float:
    """The scale of the problem where it is another one; else 1/d_k, which is taken for the root by mistake."""
    own, root = aim.problem.effective_scale, aim.problem.d_k**-0.5
    return 1 / aim.problem.d_k if own in (1.0, root) else own


class RootPage(PageKind[Scaling]):
    """Shows what the scale 1/√d_k is for."""

    name = "sqrt_d_k"
    title = QT_TRANSLATE_NOOP("Pages", "Why √d_k")
    roles = (Role.SCORE,)
    words = "scale scaling variance saturation saturate entropy gradient vanish d_k 缩放 方差 饱和 熵 梯度 消失 根号"
    needs = QT_TRANSLATE_NOOP("Pages", "Needs dot products as scores")
    frames = QT_TRANSLATE_NOOP("Pages", "Why √d_k, a picture for each d_k")
    knobs = (
        Choice("numbers", QT_TRANSLATE_NOOP("Pages", "softmax of"), lambda aim, values: NUMBERS),
        Slide(
            "d_k",
            "d_k",
            lambda aim, values: len(WIDTHS) - 1,
            lambda aim, values, place: f"= {WIDTHS[place]}",
        ),
        Amount("scale", QT_TRANSLATE_NOOP("Pages", "another scale"), _other_scale),
    )

    def applies(self, problem: Problem) -> bool:
        return SCORES[problem.score].root_scale

    def is_quick(self, aim: Aim) -> bool:
        return aim.problem.n * aim.problem.m <= QUICK

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Scaling:
        problem, knobs, place = evaluation.problem, aim.knobs, aim.knobs["d_k"]
        row = Row(aim.batch, aim.head, aim.query(evaluation) or 0, aim.key(evaluation) or 0)
        variances = seeded_variances()
        here = score_variance(problem, aim.batch, aim.head)
        tell(0.2)
        seen, at, seeded = problem, row, knobs["numbers"] == RANDOM
        if seeded:
            seen = seeded_problem(problem, WIDTHS[place])
            at = Row(query=min(row.query, seen.n - 1), key=min(row.key, seen.m - 1))
        scales = (seen.d_k**-0.5, 1.0, knobs["scale"])
        rows = at_scales(seen, scales, at)
        tell(0.5)
        read, tokens = read_rows(problem), None if seeded else stage_labels(evaluation, evaluation.weights)
        found = Scaling(
            widths=np.array(WIDTHS, dtype=np.float64),
            variances=variances,
            place=place,
            here=(float(problem.d_k), here),
            rows=rows,
            entropies=entropies(seen, scales, at),
            row=at,
            head=aim.head if problem.num_heads > 1 else None,
            seeded=WIDTHS[place] if seeded else None,
            tokens=(None, None) if tokens is None else tokens,
            rows_read=None if len(read) == problem.n else len(read),
            stage=evaluation.weights,
        )
        tell(1.0)
        return found

    def plan(self, content: Scaling, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return RootLayout(content, ink, width, height).drawing(ink.translate("Pages", self.title))
