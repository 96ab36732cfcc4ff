"""What the score functions are called in the present language, and how each is written in formulas."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import Evaluation, Problem
from attn_gui.formats.sentences import QT_TRANSLATE_NOOP


@dataclass(frozen=True)
class Score:
    """`name` in lists; `matrix` for all pairs and `cell` for one, in LaTeX; `text` the same for a screen reader."""

    name: str
    matrix: str = "a({q}, {k})"
    cell: str = ""
    text: str = "a({q}, {k})"


SCORES = {
    "dot": Score(QT_TRANSLATE_NOOP("Scores", "dot"), "{q} {{{k}}}^T", "", "{q} {k}ᵀ"),
    "additive": Score(QT_TRANSLATE_NOOP("Scores", "additive"), cell=r"\tanh\left({q}_i W_q + {k}_j W_k\right) w"),
    "cosine": Score(
        QT_TRANSLATE_NOOP("Scores", "cosine"), cell=r"\frac{{{q}_i \cdot {k}_j}}{{\|{q}_i\| \, \|{k}_j\|}}"
    ),
    "gaussian": Score(QT_TRANSLATE_NOOP("Scores", "Gaussian"), cell=r"-\frac{{\|{q}_i - {k}_j\|^2}}{{2}}"),
    "average": Score(QT_TRANSLATE_NOOP("Scores", "average"), "0", "0", "0"),
}
WIDE = r"-\frac{{w^2}}{{2}} \|{q}_i - {k}_j\|^2"
WITH_NORM = r"-\frac{{w^2}}{{2}} \left(\|{q}_i - {k}_j\|^2 + (\kappa - 1) \|{k}_j\|^2\right)"


def score_name(score: str) -> str:
    """What a score function is called."""
    return QCoreApplication.translate("Scores", SCORES[score].name)


def score_latex(evaluation: Evaluation) -> str:
    """The scores of all queries and keys as one letter of a formula: Q Kᵀ, or a(Q, K)."""
    return SCORES[evaluation.problem.score].matrix.format(**_letters(evaluation, large=True))


def score_text(evaluation: Evaluation) -> str:
    """The same in plain characters."""
    q, k = ("Q′", "K′") if "rotated_query" in evaluation.stages else ("Q", "K")
    return SCORES[evaluation.problem.score].text.format(q=q, k=k)


def score_cell_latex(evaluation: Evaluation) -> str:
    """How the score of one query and one key is made: `s_ij = …`; for dot products the whole product."""
    problem = evaluation.problem
    if problem.score == "dot":
        return "S = " + score_latex(evaluation)
    cell = SCORES[problem.score].cell
    if problem.score == "gaussian":
        cell = _gaussian(problem)
    return "S_{ij} = " + cell.format(**_letters(evaluation, large=False))


def _gaussian(problem: Problem) -> str:
    """As short as its two numbers allow."""
    params = problem.score_params
    if params["key_norm"] != 1:
        return WITH_NORM
    return SCORES["gaussian"].cell if params["w"] == 1 else WIDE


def _letters(evaluation: Evaluation, *, large: bool) -> dict[str, str]:
    q, k = ("Q", "K") if large else ("q", "k")
    turned = "'" if "rotated_query" in evaluation.stages else ""
    return {"q": q + turned, "k": k + turned}
