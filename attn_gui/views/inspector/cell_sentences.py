"""Sentence on the chosen cell, by kind of step: “It stays between …”, “the smallest of 5”, closed, by hand, before."""

from __future__ import annotations

from math import isnan
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QCoreApplication, QObject

from attn_gui.document.edits import fill_template
from attn_gui.engine import STAGE
from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.engine.blocks import RMSNorm
from attn_gui.engine.graph.expressions import chain_of
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.normalizers import Normalizer
from attn_gui.engine.scores import SCORES
from attn_gui.views.inspector.cell_relations import ExplainContext, cell_name, number
from attn_gui.views.names import mask_name, stage_title
from attn_gui.views.text_views import SentenceRun, runs, strong

Words = dict[str, object]
Sentence = tuple[SentenceRun, ...]


class Sentences(QObject):
    """Writes the sentence of a cell in the present language."""

    def write(self, explanation: Explanation, context: ExplainContext) -> Sentence:
        """Write the meaning of the cell; tokens carry the color of their role, the value stands out."""
        writers = {
            "": self._cell,
            "projection": self._projection,
            "rotation": self._rotated,
            "score": self._score,
            "scale": self._scaled,
            "cap": self._capped,
            "bias": self._biased,
            "mask": self._masked,
            "weight": self._weight,
            "given": self._given,
            "mix": self._head_output,
            "joint": self._concat,
            "product": self._output,
            "addition": self._residual,
            "norm": self._normalized,
            "linear": self._linear,
            "activation": self._activated,
        }
        sentence = self._by_hand if explanation.by_hand else writers[explanation.entry.wording]
        if context.before is not None:
            return self._in_two_states(explanation, context)
        template, more = sentence(explanation, context)
        if explanation.entry.shares and context.problem.sink is not None and not explanation.by_hand:
            both = QCoreApplication.translate("Sentences", "{sentence} {next}")
            template = both.format(sentence=template, next=self.tr("The sink of its head takes {share}."))
            more["share"] = number(explanation.sink_share)
        elif _overflows(explanation):
            both = QCoreApplication.translate("Sentences", "{sentence} {next}")
            said = self.tr("On the way to it a number is too large for {dtype}, whose largest is {largest}.")
            template, dtype = both.format(sentence=template, next=said), context.problem.dtype
            more |= {"dtype": dtype, "largest": number(float(np.finfo(dtype).max))}
        return runs(template, **_words(explanation, context) | more)

    def _in_two_states(self, explanation: Explanation, context: ExplainContext) -> Sentence:
        """Return the cell in the state before and in the present one."""
        assert context.before is not None
        (before, now), old, entry = context.before.names, context.before.value, STAGE[explanation.stage]
        closed = QCoreApplication.translate("Heatmap", "not allowed")
        words: Words = {
            "title": stage_title(explanation.stage),
            "token": self._named_token(explanation, context),
            "before": before,
            "now": now,
            "old": strong(closed if old is None else number(old)),
        }
        if explanation.closed_by is not None:
            words["value"] = strong(closed)
        if entry.role is Role.WEIGHT:
            text = self.tr("Weight that query {query} gives key {key}: {before} {old}, {now} {value}.")
        elif entry.square:
            text = self.tr("{title} of query {query} and key {key}: {before} {old}, {now} {value}.")
        else:
            text = self.tr("{title}, column {column} for {token}: {before} {old}, {now} {value}.")
        return runs(text, **_words(explanation, context) | words)

    def layer_name(self, layer: int, context: ExplainContext) -> str:
        """Return `the causal mask`: the mask layer that closes a cell, by its kind."""
        return fill_template(self.tr("the {kind} mask"), {"kind": mask_name(context.problem.mask[layer].kind)})

    def _by_hand(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        """Return the cell of a person's number, or of one that an intervention made."""
        computed = explanation.computed
        assert computed is not None
        words: Words = {"cell": cell_name(explanation.stage, explanation.index), "computed": number(computed.value)}
        if explanation.closed_by is not None:
            words["layer"] = self.layer_name(explanation.closed_by, context)
            return self.tr("{cell} is {value}: {layer} closes it, and a change by hand leaves it closed."), words
        if np.array_equal(computed.value, explanation.value, equal_nan=True):  # −∞ or 0 times a factor
            return self.tr("{cell} is {value}: a change by hand leaves it as computed."), words
        return self.tr("{cell} is {value}: changed by hand. Computed, it would be {computed}."), words

    # --- the score and what becomes of it --------------------------------------------------------
    def _score(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        problem = context.problem
        template, numbers = SCORES[problem.score].described(problem.score_params, problem.d_k)
        words = {name: value if isinstance(value, int) else number(value) for name, value in numbers.items()}
        return QCoreApplication.translate("Sentences", template), dict(words)

    def _scaled(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        problem = context.problem
        words: Words = {"count": problem.d_k, "scale": number(problem.effective_scale)}
        root = problem.scale is None and SCORES[problem.score].root_scale
        of_products = (
            self.tr(
                "Scaled score of query {query} and key {key}: {value}. "
                "It is the sum of {count} products, divided by √{count}."
            ),
            self.tr(
                "Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, not scaled."
            ),
            self.tr(
                "Scaled score of query {query} and key {key}: {value}. "
                "It is the sum of {count} products, times {scale}."
            ),
        )
        of_score = (
            self.tr("Scaled score of query {query} and key {key}: {value}. It is the score, divided by √{count}."),
            self.tr("Scaled score of query {query} and key {key}: {value}. It is the score, not scaled."),
            self.tr("Scaled score of query {query} and key {key}: {value}. It is the score times {scale}."),
        )
        way = 0 if root else 1 if problem.effective_scale == 1 else 2
        return (of_products if explanation.folds else of_score)[way], words

    def _capped(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        if isnan(explanation.value):  # no cap holds it
            return self.tr("Capped score of query {query} and key {key}: {value}."), {}
        template = self.tr("Capped score of query {query} and key {key}: {value}. It stays between −{cap} and {cap}.")
        return template, {"cap": number(context.problem.softcap or 0.0)}

    def _biased(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        return self.tr("Score of query {query} and key {key} with its bias: {value}."), {}

    def _masked(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        if explanation.closed_by is None:
            return self.tr("Masked score of query {query} and key {key}: {value}. No mask layer closes it."), {}
        template = self.tr("Query {query} does not see key {key}: {layer} closes it, so its score is {value}.")
        return template, {"layer": self.layer_name(explanation.closed_by, context)}

    def _weight(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        words: Words = {"count": len(explanation.terms), "rank": explanation.rank}
        if not explanation.terms:
            return self.tr("Query {query} sees no key: weights 0, output 0."), words
        if explanation.closed_by is not None:
            words["layer"] = self.layer_name(explanation.closed_by, context)
            return self.tr("Query {query} does not see key {key}: {layer} closes it, so its weight is {value}."), words
        if isinstance(explanation.entry, Normalizer) and explanation.entry.sentence:
            return QCoreApplication.translate("Sentences", explanation.entry.sentence), words
        if explanation.terms.place_of(explanation.index[-1]) is None:
            return self.tr("Query {query} does not see key {key}: its score is −∞, so its weight is {value}."), words
        if len(explanation.terms) == 1:
            return self.tr("Query {query} gives key {key} a weight of {value}: it sees no other key."), words
        words["equals"] = explanation.equals
        if not explanation.equals:  # NaN is as large as nothing, not even as itself
            return self.tr("Query {query} gives key {key} a weight of {value}."), words
        if explanation.equals == len(explanation.terms):
            return self.tr("Query {query} gives key {key} a weight of {value}, as each of {count} keys."), words
        if explanation.rank == 1 and explanation.equals > 1:
            return self.tr(
                "Query {query} gives key {key} a weight of {value}, the largest of {count}, which {equals} keys share."
            ), words
        if explanation.rank == 1:
            return self.tr("Query {query} gives key {key} a weight of {value}, the largest of {count}."), words
        if explanation.rank == len(explanation.terms):
            return self.tr("Query {query} gives key {key} a weight of {value}, the smallest of {count}."), words
        return self.tr("Query {query} gives key {key} a weight of {value}, number {rank} of {count} by size."), words

    # --- from the weights on ---------------------------------------------------------------------
    def _head_output(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        if not explanation.terms:
            return self.tr("Query {query} sees no key: weights 0, output 0."), {}
        if context.problem.num_heads == 1:
            return self.tr(
                "Column {column} of the output of query {query}: {value}. "
                "It is the sum of {count} values, each times its weight."
            ), {"count": len(explanation.terms)}
        return self.tr(
            "Column {column} of the output of query {query} in head {head}: {value}. "
            "It is the sum of {count} values, each times its weight."
        ), {"head": explanation.index[1], "count": len(explanation.terms)}

    def _concat(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        head, column = divmod(explanation.index[-1], context.problem.d_v)
        return self.tr(
            "Column {column} of the joined heads of query {query}: {value}. It is column {inner} of head {head}."
        ), {"head": head, "inner": column}

    def _output(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        if context.problem.w_output is None:
            return self.tr(
                "Column {column} of the output of query {query}: {value}. "
                "Without W_O it is the joined heads themselves."
            ), {}
        return self._products(
            explanation,
            context,
            self.tr(
                "Column {column} of the output of query {query}: {value}. "
                "It is the sum of {count} products of the joined heads and W_O."
            ),
            self.tr(
                "Column {column} of the output of query {query}: {value}. "
                "It is the sum of {count} products of the joined heads and W_O, plus {shift}."
            ),
        )

    @staticmethod
    def _products(explanation: Explanation, context: ExplainContext, plain: str, shifted: str) -> tuple[str, Words]:
        """Return a sum of products: the second sentence where the stage reads a bias, too."""
        source, weight, *bias = explanation.read
        words: Words = {
            "count": context.problem.arrays()[weight].shape[0],
            "source": symbol(source),
            "projection": symbol(weight),
        }
        return (shifted, words | {"shift": symbol(bias[0])}) if bias else (plain, words)

    # --- the block ---------------------------------------------------------------------------------
    def _residual(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        first, second = map(symbol, reversed(explanation.read))
        template = self.tr("Column {column} of query {query}: {value}. It is {first} plus {second}.")
        return template, {"first": first, "second": second}

    def _normalized(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        entry, (source, weight, *more) = explanation.entry, map(symbol, explanation.read)
        assert isinstance(entry, RMSNorm)
        words: Words = {"token": self._named_token(explanation, context), "source": source, "weight": weight}
        if entry.heads:
            words["column"] = self._named_column(explanation, context)
            words["source"] = self.tr("{matrix} in its head").format(matrix=source)
        template = entry.shifted if len(more) > 1 else entry.sentence
        return QCoreApplication.translate("Sentences", template), words | {"shift": more[0]}

    def _linear(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        return self._products(
            explanation,
            context,
            self.tr(
                "Column {column} of query {query}: {value}. "
                "It is the sum of {count} products of {source} and {projection}."
            ),
            self.tr(
                "Column {column} of query {query}: {value}. "
                "It is the sum of {count} products of {source} and {projection}, plus {shift}."
            ),
        )

    def _activated(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        up, *gate = map(symbol, explanation.read)
        words: Words = {"function": explanation.entry.function, "factor": up, "source": gate[0] if gate else up}
        if gate:
            return self.tr(
                "Column {column} of query {query}: {value}. It is {function} of {source}, the gate, times {factor}."
            ), words
        return self.tr("Column {column} of query {query}: {value}. It is {function} of {source}."), words

    def _given(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        return self.tr("Query {query} gives key {key} a weight of {value}. It is given, not computed."), {}

    # --- up to Q, K and V ------------------------------------------------------------------------
    def _projection(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        words: Words = {
            "token": self._named_token(explanation, context),
            "matrix": symbol(explanation.stage),
            "column": self._named_column(explanation, context),
        }
        if not context.problem.projected:
            return self.tr("Column {column} of {matrix} for {token}: {value}. It is given, not computed."), words
        template, more = self._products(
            explanation,
            context,
            self.tr(
                "Column {column} of {matrix} for {token}: {value}. "
                "It is the sum of {count} products of {source} and {projection}."
            ),
            self.tr(
                "Column {column} of {matrix} for {token}: {value}. "
                "It is the sum of {count} products of {source} and {projection}, plus {shift}."
            ),
        )
        return template, words | more

    def _rotated(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        template = self.tr("Column {column} for {token}, turned by its position {row}: {value}.")
        return template, {
            "token": self._named_token(explanation, context),
            "row": explanation.index[-2],
            "column": self._named_column(explanation, context),
        }

    def _named_column(self, explanation: Explanation, context: ExplainContext) -> str:
        """Return `97 (head 3, its column 1)`: the column as tables and formulas count it, and within the head."""
        column = explanation.index[-1]
        if context.problem.num_heads == 1:
            return str(column)
        head, inner = divmod(column, context.head_width(explanation.stage))
        return self.tr("{column} (head {head}, its column {inner})").format(column=column, head=head, inner=inner)

    def _named_token(self, explanation: Explanation, context: ExplainContext) -> Sentence:
        """Return `query it` or `key tired`: what the row of Q, K or V belongs to."""
        row = explanation.index[-2]
        if STAGE[explanation.stage].by_key:
            return runs(self.tr("key {key}"), key=strong(context.key_name(row), "key"))
        return runs(self.tr("query {query}"), query=strong(context.query_name(row), "query"))

    def _cell(self, explanation: Explanation, context: ExplainContext) -> tuple[str, Words]:
        """Return the words for every stage: its title, the place and the number."""
        words: Words = {"title": stage_title(explanation.stage), "token": self._named_token(explanation, context)}
        if STAGE[explanation.stage].square:
            return self.tr("{title} of query {query} and key {key}: {value}."), words
        return self.tr("{title}, column {column} for {token}: {value}."), words


def _overflows(explanation: Explanation) -> bool:
    """Return whether a cell is infinite although all that it is computed from is finite."""
    if not np.isinf(explanation.value) or explanation.by_hand or explanation.closed_by is not None:
        return False
    cells = [cell.value for term in explanation.terms for cell in term.cells]
    return bool(cells) and bool(np.isfinite(cells).all())


def _words(explanation: Explanation, context: ExplainContext) -> Words:
    """Return the words of most sentences: the row as a query, the column as a key or as a number, the value."""
    row, column = explanation.index[-2:]
    return {
        "query": strong(context.query_name(row), "query"),
        "key": strong(context.key_name(column), "key"),
        "column": column,
        "value": strong(number(explanation.value, explanation.number_text)),
    }


class Equations(NamedTuple):
    """The chain "a = … = … = 0.6110", and beside it what has a name of its own in it: "Z = …"."""

    chain: str
    parts: tuple[str, ...]


def by_step(explanation: Explanation) -> Equations:
    """Return the formula of the cell, one step back."""
    return Equations(chain_of(explanation.sides_latex), tuple(explanation.parts_latex))


def as_one(explanation: Explanation) -> Equations | None:
    """Return the sum over the keys, divided by Z; None for a cell that is no such sum."""
    query = explanation.per_query
    if query is None:
        return None
    total = query.total_sides_latex
    return Equations(chain_of(query.sides_latex), (chain_of(total),) if total else ())
