"""What the beats of a walk share: names of query, key and head, colors, digits, blanks between Chinese and numbers."""

from __future__ import annotations

import re
from copy import copy

import numpy as np

from attn_gui.engine import Evaluation, Explanation, explain
from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import MINUS
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.design_tokens import Theme
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import colored, escaped, strong, token_label
from attn_gui.figure.walk.matrix_board import MatrixBoard
from attn_gui.languages import N_

Index = tuple[int, ...]


class WalkContext:
    """What the beats of one walk share."""

    def __init__(
        self, evaluation: Evaluation, batch: int, head: int, style: PageStyle, cover: Evaluation | None = None
    ) -> None:
        """Let boards show what a `cover` leaves of the numbers."""
        self.evaluation, self.batch, self.head, self.style = evaluation, batch, head, style
        self._seen = evaluation if cover is None else cover
        self.printed = PrintedNumbers()
        self._boards: dict[tuple[int, str, int, int | None], MatrixBoard] = {}

    def at_head(self, head: int) -> WalkContext:
        """Return the context of another head in the same walk: its numbers are printed as here."""
        found = copy(self)
        found.head = head
        return found

    @property
    def theme(self) -> Theme:
        """The colors."""
        return self.style.theme

    def words(self, text: str, **values: object) -> str:
        """Return a text of the walk in its language; `values` are rich text."""
        said = self.style.translate("Walk", text).format(**values)
        return spaced(said) if self.style.lang == "zh" else said

    # --- numbers ---------------------------------------------------------------------------------
    def number(self, value: float) -> str:
        """Return a number as it is printed everywhere in this walk."""
        return self.printed.text(value).replace("-", MINUS) if np.isfinite(value) else format_number(value, 0)

    def strong(self, value: float) -> str:
        """Return a number in strong type."""
        return strong(self.number(value))

    def value(self, stage: str, index: Index) -> float:
        """Return the number of a cell."""
        return float(self.evaluation.box(stage, indices.cell(index)).item())

    def row(self, stage: str, index: Index) -> Array:
        """Return the numbers of the row of a cell."""
        box = (*indices.cell(index[:-1]), slice(0, self.evaluation.shape(stage)[-1]))
        return np.array(self.evaluation.box(stage, box), np.float64).reshape(-1)

    def explain(self, stage: str, index: Index) -> Explanation:
        """Return the explanation of a cell."""
        return explain(self.evaluation, stage, index)

    # --- stages ----------------------------------------------------------------------------------
    def map_before(self, stage: str) -> str | None:
        """Return the map that the cells of a map are computed from, cell by cell or row by row; None for others."""
        node = self.evaluation.node(self.evaluation.computed(stage))
        before = node.inputs[0].name if node.inputs else ""
        maps = before in self.evaluation.stages and self.evaluation.node(before).stage.square
        return before if maps and node.stage.square else None

    def mask_before(self, stage: str) -> str | None:
        """Return the map behind the mask that a map is computed from; None without a mask."""
        before = self.map_before(stage)
        while before is not None and self.evaluation.node(before).stage.role is not Role.CLOSE:
            before = self.map_before(before)
        return before

    # --- names -----------------------------------------------------------------------------------
    def query(self, row: int) -> str:
        """Return a query by its token, or by its number, in its color."""
        return colored(escaped(self.plain_query(row)), self.theme.query)

    def key(self, place: int) -> str:
        """Return a key by its token, or by its number, in its color."""
        return colored(escaped(self.plain_key(place)), self.theme.key)

    def plain_query(self, row: int) -> str:
        """Return the name of a query: its token, or `query 1`."""
        return _token(self.evaluation.problem.query_tokens, row) or self.long_query(row)

    def plain_key(self, place: int) -> str:
        """Return the name of a key: its token, or `key 1`."""
        return _token(self.evaluation.problem.names_of_keys, place) or self.long_key(place)

    def long_query(self, row: int) -> str:
        """Return `query 1` or `query it`, as rich text."""
        token = escaped(_token(self.evaluation.problem.query_tokens, row))
        return self.words(N_("Walk", "query {number}"), number=token or row)

    def long_key(self, place: int) -> str:
        """Return `key 1` or `key animal`, as rich text."""
        token = escaped(_token(self.evaluation.problem.names_of_keys, place))
        return self.words(N_("Walk", "key {number}"), number=token or place)

    def letter(self, name: str) -> str:
        """Return the letter of a stage or field, which is a word where heads are joined."""
        return self.style.translate("Names", symbol(name))

    def cell(self, name: str, index: Index) -> str:
        """Return `A[1, 1]`: a cell as tables and formulas have it, where the columns of all heads are counted on."""
        places = ", ".join(map(str, index[-2:]))
        return escaped(self.letter(name)) + (f"[{places}]" if places else "")

    def head_name(self, stage: str, index: Index) -> str:
        """Return `head 2` for a cell of one head among several; else nothing."""
        evaluation, heads = self.evaluation, range(self.evaluation.problem.num_heads)
        entry, head = evaluation.node(stage).stage, self.head
        if len(heads) == 1 or not (entry.heads or entry.per_head):
            return ""
        if entry.joined:
            head = next(one for one in heads if index[-1] < evaluation.head_columns(stage, one).stop)
        return self.style.words.head.format(head)

    # --- board -----------------------------------------------------------------------------------
    def board(self, stage: str, index: Index, *, column: bool = True) -> MatrixBoard:
        """Return the board of a stage at a cell, or of its row alone; made once."""
        row, place = self.shown(stage, index)
        key = self.head, stage, row, place if column else None
        if key not in self._boards:
            cell = (row, place if column else None)
            self._boards[key] = MatrixBoard(self._seen, stage, self.batch, self.head, cell, self.style)
        return self._boards[key]

    def shown(self, stage: str, index: Index) -> tuple[int, int]:
        """Return row and column of a cell as its map shows it."""
        plane = stage_plane(self.evaluation, stage, self.batch, self.head)
        first = plane.index(0, 0)
        return index[-2] - first[-2], index[-1] - first[-1]


def _token(tokens: tuple[str, ...] | None, place: int) -> str:
    return "" if tokens is None else token_label(tokens[place])


_HAN = "[\u4e00-\u9fff]"
_TAGS = "((?:<[^>]*>)*)"
_TIGHT = re.compile(f"(?<={_HAN}){_TAGS} +{_TAGS}(?={_HAN})")
_NARROW = re.compile(f"(?<={_HAN}){_TAGS}(?=[A-Za-z0-9√]|\\[[A-Z])|(?<=[A-Za-z0-9\\]%]){_TAGS}(?={_HAN})")


def spaced(rich: str) -> str:
    """Return Chinese rich text with a blank between characters and Latin names or numbers, and none between characters.

    A template cannot have it right: a key is 键 1, or a token.
    """
    tight = _TIGHT.sub(r"\1\2", rich)
    return _NARROW.sub(lambda found: f"{found[1] or ''} " if found[1] is not None else f" {found[2] or ''}", tight)
