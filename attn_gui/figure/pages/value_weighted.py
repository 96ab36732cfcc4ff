"""Page of value-weighted attention: beside each weight how far it moves the output, ‖a_ij · v_j W_O‖."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.engine import Evaluation, explain
from attn_gui.engine.derived_stages import ValueWeighted
from attn_gui.engine.evaluation.proxies import with_derived
from attn_gui.engine.graph.expressions import Negative
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pages.two_maps import TwoMaps, TwoMapsLayout, is_quick, read_maps
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.rows import stage_labels


@dataclass(frozen=True, eq=False, kw_only=True)
class Weighted(TwoMaps):
    """Weights and what they move, of a head; the chosen cell with its formula.

    `numbers` are the factors of the chosen cell and its value: of a weight of 0 that holds back what is no number, 0
    alone. `negative` says that the weight is, by hand: its magnitude is the factor.
    """

    numbers: tuple[float, ...]
    negative: bool
    projected: bool

    @property
    def formula(self) -> str:
        """The chosen cell as the product that it is."""
        *factors, value = (f"{number:.4g}".replace("-", "−") for number in self.numbers)
        length = "‖v W_O‖" if self.projected else "‖v‖"
        weight = "|a|" if self.negative else "a"
        sides = f"{weight} · {length}", *([" · ".join(factors)] if factors else []), value
        return f"{symbol(self.names[1])}[{self.cell[0]}, {self.cell[1]}] = {' = '.join(sides)}"


class ValueWeightedPage(PageKind[Weighted]):
    """Shows the weights of a head and, of the same cells, how far each of them moves the output."""

    name = ValueWeighted.name
    title = QT_TRANSLATE_NOOP("Pages", "Value-weighted attention")
    roles = (Role.MIX,)
    words = "norm value contribution moves W_O 值加权 范数 贡献 移动"

    def is_quick(self, aim: Aim) -> bool:
        return is_quick(aim)

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> Weighted:
        names = evaluation.weights, ValueWeighted.name
        row, column = aim.query(evaluation) or 0, aim.key(evaluation) or 0
        seen, problem = with_derived(evaluation), evaluation.problem
        found = explain(seen, ValueWeighted.name, (aim.batch, aim.head, row, column))
        parts = found.expression.parts
        return Weighted(
            stage=names[0],
            names=names,
            maps=read_maps(seen, names, aim.batch, aim.head, tell),
            weights=(True, False),
            shape=(problem.n, problem.m),
            tokens=stage_labels(evaluation, names[0]),
            head=aim.head,
            heads=problem.num_heads,
            cell=(row, column),
            numbers=(*(part.value for part in parts), found.value),
            negative=any(isinstance(part, Negative) for part in parts),
            projected=problem.w_output is not None,
        )

    def plan(self, content: Weighted, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return TwoMapsLayout(ink.translate("Pages", self.title), content, ink, width, height).drawing()
