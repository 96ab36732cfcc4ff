"""Page of all heads together: the mean and the largest of their weights, and the number of each head."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine import Evaluation, Problem, explain
from attn_gui.engine.derived_stages import LargestOfHeads, MeanOfHeads
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.two_maps import TwoMaps, TwoMapsLayout, is_quick, read_maps
from attn_gui.figure.text.numbers import format_number
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels

WRITTEN = 6
"""So many heads are written out in a sum, the others left out of the line."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Together(TwoMaps):
    """Mean and largest of the heads' weights; the chosen cell of the mean as a sum."""

    mean: float

    @property
    def formula(self) -> str:
        """The chosen cell of the mean as the sum that it is."""
        terms = [format_number(number, 4) for number in self.each[:WRITTEN]]  # with which the sum comes out
        total = " + ".join([*terms, *(["…"] if len(self.each) > WRITTEN else [])])
        place = f"{symbol(self.names[0])}[{self.cell[0]}, {self.cell[1]}]"
        return f"{place} = ({total}) / {len(self.each)} = {self.mean:.4g}"


class OverHeadsPage(PageKind[Together]):
    """Shows the mean of the heads' weights and the largest of them, and at the chosen cell what each head has."""

    name = "over_heads"
    title = QT_TRANSLATE_NOOP("Pages", "All heads together")
    words = "mean average maximum largest heads merge 平均 最大 合并 多头"
    needs = QT_TRANSLATE_NOOP("Pages", "Needs several heads")

    def applies(self, problem: Problem) -> bool:
        return problem.num_heads > 1

    def is_quick(self, aim: Aim) -> bool:
        return is_quick(aim)

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Together:
        names = MeanOfHeads.name, LargestOfHeads.name
        row, column = aim.query(evaluation) or 0, aim.key(evaluation) or 0
        seen, problem = with_derived(evaluation), evaluation.problem
        found = explain(seen, names[0], (aim.batch, row, column))
        return Together(
            stage=evaluation.weights,
            names=names,
            maps=read_maps(seen, names, aim.batch, None, tell),
            weights=(True, True),
            shape=(problem.n, problem.m),
            tokens=stage_labels(evaluation, evaluation.weights),
            head=aim.head,
            heads=problem.num_heads,
            cell=(row, column),
            each=tuple(cell.value for term in found.terms for cell in term.cells),
            said_of_each=QT_TRANSLATE_NOOP("Pages", "The weight in each head, from head 0 on"),
            mean=found.value,
        )

    def plan(self, content: Together, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return TwoMapsLayout(ink.translate("Pages", self.title), content, ink, width, height).drawing()
