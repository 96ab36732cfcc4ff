"""Names of the score functions in the present language, and the form of each in formulas."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import Evaluation
from attn_gui.engine.graph.nodes import cell_latex, matrix_latex, symbol
from attn_gui.engine.scores import SCORES, Score


def score_name(score: str) -> str:
    """The name of a score function."""
    return QCoreApplication.translate("Scores", SCORES[score].label)


def score_latex(evaluation: Evaluation) -> str:
    """The scores of all queries and keys as one letter of a formula: Q Kᵀ, or a(Q, K)."""
    return _score(evaluation).matrix.format(**_letters(evaluation, large=True))


def score_text(evaluation: Evaluation) -> str:
    """The scores of all queries and keys in plain characters."""
    q, k = map(symbol, _sides(evaluation))
    return _score(evaluation).text.format(q=q, k=k)


def score_cell_latex(evaluation: Evaluation) -> str:
    """The formula of the score of one query and one key: `s_ij = …`; for dot products the whole product."""
    cell = _score(evaluation).cell_of(evaluation.problem.score_params)
    if not cell:
        return "S = " + score_latex(evaluation)
    return "S_{ij} = " + cell.format(**_letters(evaluation, large=False))


def _score(evaluation: Evaluation) -> Score:
    return SCORES[evaluation.problem.score]


def _letters(evaluation: Evaluation, *, large: bool) -> dict[str, str]:
    write = matrix_latex if large else cell_latex
    q, k = map(write, _sides(evaluation))
    return {"q": q, "k": k}


def _sides(evaluation: Evaluation) -> tuple[str, ...]:
    """The stages that are compared; where the weights are given, what they might have been made of."""
    sides = ("query", "key")
    return sides if evaluation.logits is None else tuple(map(evaluation.latest, sides))
