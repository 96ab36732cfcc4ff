"""The base of score functions: the stage that writes `logits`, with all its facts. Imports the stage, NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions.signs import Signs
from attn_gui.engine.graph.facts import Form, Name, Operator, Role
from attn_gui.engine.graph.powers import length
from attn_gui.engine.graph.stage import Stage
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import verdicts
from attn_gui.engine.scores.verdicts import Reason

Params = Mapping[str, Any]

D = 5
"""The axis of a head's columns that is summed, in the order b g r i j d of the factors."""


class Setting(NamedTuple):
    """A number of a score: what it is unless given, and how it is written and called."""

    default: float
    name: Name
    title: str  # English; context "Settings"
    about: str  # English; context "Tips"


class Score(Stage):
    """An entry of SCORES: the arithmetic of a score, and everything that is said of it. Texts are English.

    Tables among its parameters are those that its formula reads beside the query and the key; their shapes follow.
    """

    name = "scores"
    axes = ("batch", "head", "query", "key")
    called = Name("S", "S", "s", "Scores", "注意力分数")
    form = Form("{score_cell}", "{score}", "{score}")
    operator = Operator("score", "score", "评分函数", always=True)
    told, role = "score", Role.SCORE
    label = ""  # in lists; context "Scores"
    matrix = "a({q}, {k})"  # LaTeX of the scores of all pairs
    text = "a({q}, {k})"  # the same for a screen reader
    cell = "a({q}_i, {k}_j)"  # LaTeX of the score of one pair; empty where `matrix` says it all
    sentence = QT_TRANSLATE_NOOP("Sentences", "Score of query {query} and key {key}: {value}.")
    term = ""  # heads the values of the terms that it adds up; empty where they are the products of their cells
    numbers: Mapping[str, Setting] = MappingProxyType({})
    table_names: Mapping[str, Name] = MappingProxyType({})  # a table that is not among them goes by its own name
    units = ""  # its table of one axis that has a number for each hidden unit
    kernel_width = ""  # its number that can be fitted to the data
    dot = False  # the dot product itself: explained together with the scale, and with a kernel of its own
    root_scale = False  # multiplied by 1/√d_k unless told otherwise
    equal_keys = True  # equal keys have equal scores, wherever they stand
    common = False  # adds to `slope` times the dot product a number that all keys of a query share

    @property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The letters of the axes of every table among its parameters."""
        return {ref.name: ref.axes for ref in self.inputs if ref.axes and ref.name not in ("query", "key")}

    @property
    def parameters(self) -> dict[str, Name]:
        """The symbols of every table and number among its parameters."""
        tables = {part: self.table_names.get(part) or Name(part, *2 * (rf"\mathrm{{{part}}}",)) for part in self.tables}
        return tables | {part: setting.name for part, setting in self.numbers.items()}

    @property
    def defaults(self) -> dict[str, float]:
        """Its numbers as they are unless given."""
        return {name: setting.default for name, setting in self.numbers.items()}

    @property
    def looks(self) -> bool:
        """Whether it reads queries and keys at all."""
        return bool(self.inputs)

    @property
    def widths(self) -> dict[str, str]:
        """The letter of the columns of a head, for the query and for the key; one letter where they must be equal."""
        found = {ref.name: ref.axes[-1][-1] for ref in self.inputs if ref.name in ("query", "key")}
        return {"query": "d", "key": "d"} | found

    def work(self, params: Params, width: int) -> int:
        """The count of numbers of each pair that are worked through one by one; 0 where that is left to BLAS."""
        return width

    def multiplications(self, params: Params, width: int) -> int:
        """The multiplications that one pair takes, once the tables have been applied."""
        return width

    def described(self, params: Params, width: int) -> tuple[str, Mapping[str, float]]:
        """The sentence of a score, with the numbers in it; a head of a query is `width` wide."""
        return self.sentence, {}

    def cell_of(self, params: Params) -> str:
        """LaTeX of the score of one pair, as short as the numbers allow."""
        return self.cell

    def exponent(self, q: str, k: str, params: Params, signs: Signs) -> str:
        """The score of one query and one key as it stands in an exponent."""
        return f"a{signs.inside(f'{q}, {k}')}"

    def slope(self, params: Params) -> float | None:
        """Factor of the dot product in a score as the query moves; None where it is not linear in the query."""
        return None

    def move_key(
        self, place: int, query: Array, key: Array, step: float, params: Params
    ) -> tuple[Array, Reason | None] | None:
        """The smallest move of the key at `place` whose score is to grow by `step`, and why it falls short, if it does.

        None where the move has to be found step by step.
        """
        return None


def along_query(place: int, query: Array, step: float) -> tuple[Array, Reason | None]:
    """The smallest move of a key by which its dot product with the query grows by `step`."""
    size = length(query)
    if size == 0:
        return np.zeros(len(query)), Reason(verdicts.NO_LEVER, key=place, why="query")
    return query / size * (step / size), None
