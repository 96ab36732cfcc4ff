"""One equation from the scores of a query to its result: o = 1/Z Σ e^(q·k/√d_k) v, with Z = Σ e^(q·k/√d_k).

Softmax attention as one sum over the keys, as in Nadaraya-Watson regression (Watson, 1964) and in equation 1 of
Tsai et al., "Transformer Dissection" (2019). The maximum that the computation takes off first cancels out here.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.chain.hand_node import ByHand
from attn_gui.engine.chain.node import shown
from attn_gui.engine.chain.symbols import cell_latex, plain_name, symbol
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.graph.expressions.expression import Cell, Expression, Number, Product, Style, Sum, add, subscripted
from attn_gui.engine.graph.expressions.functions import Function, Named, Quotient
from attn_gui.engine.graph.indices import cell
from attn_gui.engine.stages import STAGE

from .exponents import exponent_latex, exponent_text, logit_latex, logit_text

Place = tuple[int, int, int]  # batch, head, query


class PerQuery:
    """The sum behind one weight or one cell of the heads' results; `symbols`, `numbers` and `value` are its sides.

    `total_…` are the sides of Z. Closed keys are left out; a row that sees none is 0 and has no Z. Where e^x leaves
    the range of numbers, Z stays unevaluated.
    """

    def __init__(self, evaluation: Evaluation, stage: str, index: tuple[int, ...], value: float) -> None:
        self._evaluation, self._stage, self._index, self._value = evaluation, stage, index, value
        self._place, self._key, self._column = _place(evaluation, stage, index)

    # --- the numbers -----------------------------------------------------------------------------
    @cached_property
    def _row(self) -> tuple[str, Array]:
        """The input of the softmax: the stage before it, and its row."""
        name = self._evaluation.logits
        assert name is not None, "given weights have no such equation"
        row = self._evaluation.fetch(name, (*cell(self._place), slice(0, self._evaluation.problem.m)))
        return name, np.array(row[0, 0, 0])

    @cached_property
    def _keys(self) -> Array:
        """The keys that have a part in the sum."""
        return np.flatnonzero(~np.isneginf(self._row[1]))

    @cached_property
    def _exp_scores(self) -> Array:
        """e^x of every such key."""
        temperature = self._evaluation.problem.temperature or 1.0
        with np.errstate(all="ignore"):
            return np.asarray(np.exp(self._row[1][self._keys] / temperature))

    def _exp_score(self, key: int) -> Expression:
        name, row = self._row
        return self._powered(Cell(name, (*self._place, key), float(row[key]), cell_latex(name), (self._place[2], key)))

    def _powered(self, logit: Expression) -> Expression:
        """e^x of a logit over the temperature."""
        temperature = self._evaluation.problem.temperature
        return Function("exp", logit if temperature is None else Quotient(logit, Number(temperature), inline=True))

    @cached_property
    def _denominator(self) -> Named:
        keys = self._keys
        total: Expression = Sum(len(keys), lambda k: self._exp_score(int(keys[k])), self._exp_scores)
        return _Denominator("Z", "Z", total if self._sink is None else add(total, self._powered(self._sink)))

    @cached_property
    def _sink(self) -> Cell | None:
        """The logit of the head that has no key."""
        sink, head = self._evaluation.problem.sink, self._place[1]
        return None if sink is None else Cell("sink", (head,), float(sink[head]), cell_latex("sink"), ())

    @cached_property
    def expression(self) -> Expression:
        """The equation as a tree; its value is the cell's, to rounding, unless e^x overflows."""
        if not self._keys.size or (self._key is not None and self._key not in self._keys):
            return Number(0.0)
        front = Quotient(Number(1.0), self._denominator)
        return Product(front, self._exp_score(self._key) if self._key is not None else self._mixed())

    def _mixed(self) -> Sum:
        problem, batch = self._evaluation.problem, self._place[0]
        column = self._flat_column
        box = (slice(batch, batch + 1), slice(0, problem.m), slice(column, column + 1))
        values = self._evaluation.fetch("value", box)[0, self._keys, 0]
        counts = np.isfinite(values) | (self._weights != 0)  # a zero weight holds NaN and infinity back
        keys, values, exp_scores = self._keys[counts], values[counts], self._exp_scores[counts]

        letter = cell_latex("value")

        def term(k: int) -> Expression:
            key = int(keys[k])
            cell = Cell("value", (batch, key, column), float(values[k]), letter, (key, column))
            return Product(self._exp_score(key), cell)

        with np.errstate(all="ignore"):
            return Sum(len(keys), term, exp_scores * values)

    @cached_property
    def _weights(self) -> Array:
        row = self._evaluation.fetch(
            self._evaluation.weights, (*cell(self._place), slice(0, self._evaluation.problem.m))
        )
        return np.asarray(row[0, 0, 0, self._keys])

    @property
    def _empty(self) -> bool:
        return isinstance(self.expression, Number)

    # --- LaTeX -----------------------------------------------------------------------------------
    @property
    def symbols_latex(self) -> str:
        """`o_{10,5} = \\frac{1}{Z} \\sum_j e^{q_{10} \\cdot k_j / 8}\\,v_{j,5}`; the left side alone for a 0."""
        stage, axes = self._stage, STAGE[self._stage].target.axes
        left = subscripted(cell_latex(stage), [str(k) for k in shown(axes, self._index)])
        if self._empty:
            return left
        if self._key is not None:
            return rf"{left} = \frac{{1}}{{Z}}\,e^{{{self._exponent_latex(str(self._key))}}}"
        value = subscripted(cell_latex("value"), ["j", str(self._flat_column)])
        return rf"{left} = \frac{{1}}{{Z}} {self._sum_latex}\,{value}"

    @property
    def numbers_latex(self) -> str:
        return "" if self._empty else self.expression.write("latex")

    @property
    def value_latex(self) -> str:
        return Number(self._value).write("latex")

    @property
    def total_symbols_latex(self) -> str:
        """`Z = \\sum_j e^{…}`; empty for a row that sees no key."""
        return "" if self._empty else f"Z = {self._sum_latex}{self._sink_latex}"

    @property
    def total_numbers_latex(self) -> str:
        return "" if self._empty else self._denominator.part.write("latex")

    @property
    def total_latex(self) -> str:
        """The value of Z; empty where it is too large or too small to be written."""
        written = not self._empty and _written(self._denominator.value)
        return Number(self._denominator.value).write("latex") if written else ""

    @property
    def latex(self) -> str:
        """LaTeX of the whole equation and of its denominator, to be copied."""
        sides = [self.symbols_latex, self.numbers_latex, self.value_latex]
        denominator = [self.total_symbols_latex, self.total_numbers_latex, self.total_latex]
        return r", \quad ".join(" = ".join(filter(None, one)) for one in (sides, denominator) if any(one))

    @property
    def _sum_latex(self) -> str:
        masked = self._evaluation.allowed(*self._place[:2], slice(0, 1), slice(0, 1)) is not None
        row = self._place[2]
        over = rf"j\,:\,m_{{{row},j}} = 1" if masked else "j"
        return rf"\sum_{{{over}}} e^{{{self._exponent_latex('j')}}}"

    @property
    def _sink_latex(self) -> str:
        """` + e^{sink}`, where there is one."""
        return "" if self._sink is None else f" + {self._powered(self._sink).write('symbols')}"

    def _exponent_latex(self, key: str) -> str:
        row, problem = str(self._place[2]), self._evaluation.problem
        if self._evaluation.elementary:
            return exponent_latex(self._evaluation, row, key)
        return logit_latex(problem, self._row[0], row, key)

    def _exponent_text(self, key: str) -> str:
        row, problem = str(self._place[2]), self._evaluation.problem
        if self._evaluation.elementary:
            return exponent_text(self._evaluation, row, key)
        return logit_text(problem, self._row[0], row, key)

    @property
    def _flat_column(self) -> int:
        start: int = self._evaluation.head_columns("value", self._place[1]).start
        return start + self._column

    # --- plain text ------------------------------------------------------------------------------
    @property
    def text(self) -> str:
        """Six lines: the cell in symbols, in numbers with every digit, its value, and Z the same way."""
        place = f"{symbol(self._stage)}[{', '.join(map(str, self._index))}]"
        if self._empty:
            return f"{place} = 0"
        sides = [f"{place} = {self._symbols_text}", f"= {self.expression.write('text')}", f"= {self._value!r}"]
        own = "" if self._sink is None else f" + e^(sink[{self._place[1]}]{self._heat_text})"
        denominator = [f"Z = {self._sum_text}{own}", f"= {self._denominator.part.write('text')}"]
        value = [f"= {self._denominator.value!r}"] if _written(self._denominator.value) else []
        return "\n".join([*sides, *denominator, *value])

    @property
    def _symbols_text(self) -> str:
        if self._key is not None:
            return f"1/Z · e^({self._exponent_text(str(self._key))})"
        return f"1/Z · {self._sum_text} · V[j, {self._flat_column}]"

    @property
    def _heat_text(self) -> str:
        temperature = self._evaluation.problem.temperature
        return "" if temperature is None else f" / {temperature!r}"

    @property
    def _sum_text(self) -> str:
        row = str(self._place[2])
        masked = self._evaluation.allowed(*self._place[:2], slice(0, 1), slice(0, 1)) is not None
        over = f"{{j: M[{row}, j] = 1}}" if masked else "j"
        return f"Σ_{over} e^({self._exponent_text('j')})"


class _Denominator(Named):
    """Z, as a number only where it is one."""

    def write(self, style: Style) -> str:
        return self.symbols if style == "latex" and not _written(self.value) else super().write(style)


def per_query(evaluation: Evaluation, stage: str, index: tuple[int, ...], value: float) -> PerQuery | None:
    """The equation of a weight, or of a cell that is one head's sum over the keys; None for any other stage.

    None also where a number on the way from the softmax to the cell was set by hand.
    """
    if not is_a_sum(evaluation, stage) or _by_hand(evaluation, stage, index):
        return None
    return PerQuery(evaluation, plain_name(stage), index, value)


def is_a_sum(evaluation: Evaluation, stage: str) -> bool:
    """Whether a cell is a weight or a sum of values by weights, also by another name or beside other heads."""
    entry = STAGE.get(plain_name(stage))
    if entry is None or evaluation.logits is None:  # a map that is derived from others, or weights that are given
        return False
    node = evaluation.node(evaluation.computed(stage))
    if entry.shares or entry.over_keys:
        return True
    if not (node.stage.alias or (entry.joined and entry.heads)):
        return False
    before = node.inputs[0].name
    return before in evaluation.stages and is_a_sum(evaluation, before)


def _by_hand(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> bool:
    """Whether an intervention changes the row of any stage from the softmax to this one."""
    item, head, row = _place(evaluation, plain_name(stage), index)[0]
    for node in evaluation.nodes[: evaluation.nodes.index(evaluation.node(stage)) + 1]:
        follows = node.stage.shares or (not node.stage.square and not node.stage.input_side)
        place = cell((item, head, row) if node.stage.per_head else (item, row))
        if follows and isinstance(node, ByHand) and node.touching((*place, slice(0, node.shape[-1]))):
            return True
    return False


def _place(evaluation: Evaluation, stage: str, index: tuple[int, ...]) -> tuple[Place, int | None, int]:
    """(the row of weights, the key of a weight, the column within its head)."""
    if STAGE[stage].shares:
        return (index[0], index[1], index[2]), index[3], 0
    if STAGE[stage].per_head:
        return (index[0], index[1], index[2]), None, index[3]
    head, column = divmod(index[2], evaluation.problem.d_v)
    return (index[0], head, index[1]), None, column


def _written(denominator: float) -> bool:
    return bool(np.isfinite(denominator)) and denominator > 0
