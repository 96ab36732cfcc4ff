"""Texts of What's This for maps and tables: the matrix, the formula that makes it and those that read it."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import STAGE, Evaluation
from attn_gui.engine.graph.nodes import about, is_named
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.words.names import letter, stage_title
from attn_gui.views.words.spoken import spoken
from attn_gui.views.words.stage_formulas import shown_latex, stage_latex

READ_BY = QT_TRANSLATE_NOOP("MatrixWords", "It goes into {formulas}.")
HATCHED = QT_TRANSLATE_NOOP("MatrixWords", "Hatched cells are closed by the mask: they have no number.")
MAP = QT_TRANSLATE_NOOP("MatrixWords", "A click on a cell explains its number; a number typed on it takes its place.")
TABLE = QT_TRANSLATE_NOOP("MatrixWords", "Type a number over a cell or paste a block: every step after it follows.")
READ_ONLY = QT_TRANSLATE_NOOP("MatrixWords", "These numbers are shown to be read; they cannot be typed over.")
_RAISED, _SMALL = re.compile(r"\^([Tbgmnu])(?![\w(])"), str.maketrans("Tbgmnu", "ᵀᵇᵍᵐⁿᵘ")


def map_words(evaluation: Evaluation, name: str) -> str:
    """Text for the map of a stage or field, line by line."""
    made = [_written(name, form) for form in _made_by(evaluation, name)]
    hatched = [HATCHED] if evaluation.mask is not None and name in STAGE and STAGE[name].behind_mask else []
    return _lines(evaluation, name, made, [*hatched, *([] if evaluation.kind else [MAP])])


def table_words(evaluation: Evaluation, name: str, *, editable: bool) -> str:
    """Text for the table of a field, line by line."""
    return _lines(evaluation, name, [], [TABLE if editable else READ_ONLY])


def _lines(evaluation: Evaluation, name: str, made: list[str], more: list[str]) -> str:
    said = about(name) if is_named(name) else ""
    lines = [f"{letter(name)} · {stage_title(name)}" if is_named(name) else stage_title(name)]
    lines += [QCoreApplication.translate("Names", said)] if said else []
    lines += made
    if not evaluation.kind and (read := _read_by(evaluation, name)):
        lines.append(QCoreApplication.translate("MatrixWords", READ_BY).format(formulas=", ".join(read)))
    return "\n".join((*lines, *(QCoreApplication.translate("MatrixWords", line) for line in more)))


def _made_by(evaluation: Evaluation, name: str) -> tuple[str, ...]:
    """The formula that makes a stage; none of a difference or a gradient, which is no stage but made of two."""
    return shown_latex(evaluation, name)[:1] if name in evaluation.stages and not evaluation.kind else ()


def _read_by(evaluation: Evaluation, name: str) -> list[str]:
    """The formulas of the stages that read a matrix and are shown."""
    readers = [node for node in evaluation.nodes if name in node.fields and node.name in evaluation.stages]
    found = ((node.name, stage_latex(evaluation, node.name)) for node in readers if not node.stage.alias)
    return list(dict.fromkeys(_written(stage, form) for stage, form in found if form))


def _written(name: str, latex: str) -> str:
    """A formula in plain characters, with the letter of what it makes."""
    text = _RAISED.sub(lambda found: found[1].translate(_SMALL), spoken(latex))
    return text if "=" in text else f"{letter(name)} = {text}"
