"""Rows of the table of terms or addends: order, column titles (a, v, a⁰), keys, numbers as written, “… more”."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Qt

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, ShapedModel
from attn_gui.engine import STAGE, Cell, Explanation, Term
from attn_gui.engine.analysis.explanation import Terms
from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.engine.graph.stage import Role, Stage
from attn_gui.engine.graph.symbols_and_titles import cell_symbol, plain_name
from attn_gui.engine.scores import SCORES
from attn_gui.figure.text.number_formats import is_whole
from attn_gui.views.inspector.cell_relations import (
    ExplainContext,
    OtherState,
    cell_name,
    column_number,
    column_writer,
    role_of,
    running_name,
)
from attn_gui.views.widgets import plain_tip

Write = Callable[[float], str]


class TermCell(NamedTuple):
    """The contents of one cell of the table; `value` where a bar stands beside it."""

    text: str
    value: float | None
    chosen: bool
    color: str


TOP = 10
ALL_UP_TO = 20  # so many terms are listed without a tail


class Tightness(IntEnum):
    """What a table of terms leaves out where it has no room; each leaves out what those before it do, too."""

    NOTHING = 0
    SIGNS = 1  # "c =" in its rows
    DECIMAL = 2  # the last one of its numbers
    CELLS = 3  # the cells that its headers name


class TermsModel(ShapedModel):
    """Columns: what the term is, the numbers that it is made of, its value. A last row may hold the sum of the tail."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._terms: Terms | None = None
        self._context: ExplainContext | None = None
        self._stage, self._letter, self._wording, self._chosen = "", "", "", -1
        self._entry: Stage | None = None  # None for a number that is no stage
        self._fractions = False
        self._values = np.empty(0)
        self._order = np.empty(0, int)
        self._headers: tuple[tuple[str, str], ...] = ()  # text and color of the number columns
        self._expanded = False
        self.tight = Tightness.NOTHING
        self._shape = 0, 2
        self._row_cells: dict[tuple[int, int], tuple[TermCell, ...]] = {}  # by row and tightness
        self._writers: dict[int, tuple[tuple[Write, ...], Write]] = {}  # of columns and of values, by tightness
        self._largest: float | None = None

    # --- what is shown ---------------------------------------------------------------------------
    def set_explanation(self, explanation: Explanation | None, context: ExplainContext | None) -> None:
        """Set the terms of a cell; the tail stays open while the stage stays the same."""
        terms, stage = (explanation.row, plain_name(explanation.stage)) if explanation is not None else (None, "")
        entry = explanation.entry if explanation is not None and stage in STAGE else None
        expanded = self._expanded and stage == self._stage
        headers = _number_headers(terms, entry, context)
        shape = _table_shape(len(terms) if terms is not None else 0, expanded, headers)
        written, same = self._written_headers(), shape == self._shape and min(shape) > 0
        if not same:
            self.beginResetModel()
        self._terms, self._stage, self._entry, self._expanded = terms, stage, entry, expanded
        self._context, self._headers = context, headers
        self._set_facts(explanation)
        self._forget_rows()
        if not same:
            self.endResetModel()
            return
        last = self.index(shape[0] - 1, shape[1] - 1)  # a table laid out as it is stays so
        if written != self._written_headers():
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last.column())
        self.dataChanged.emit(self.index(0, 0), last)

    def _written_headers(self) -> list[object]:
        return [self.headerData(column, Qt.Orientation.Horizontal) for column in range(self.columnCount())]

    def _set_facts(self, explanation: Explanation | None) -> None:
        """Set what follows from an explanation and its terms."""
        self._letter = cell_symbol(explanation.stage) if explanation is not None else ""
        self._fractions = self._entry is not None and self._entry.fractions  # which may look at all that is set by hand
        self._wording = "" if explanation is None else explanation.entry.wording
        self._chosen = explanation.index[-1] if explanation is not None and self.of_weights() else -1
        self._values = self._terms.values if self._terms is not None else np.empty(0)
        size = self._values if self.of_weights() else np.abs(self._values)
        self._order = np.argsort(-np.nan_to_num(size, nan=np.inf), kind="stable")

    def expand(self) -> None:
        """List the tail too."""
        if self.has_tail():
            self.beginResetModel()
            self._expanded = True
            self._forget_rows()
            self.endResetModel()

    def _forget_rows(self) -> None:
        """Count the rows again and forget what they hold: other terms are shown, or more of them."""
        self._row_cells.clear()
        self._writers.clear()
        self._largest = None
        self._shape = _table_shape(len(self._order), self._expanded, self._headers)

    def has_no_factors(self, row: int) -> bool:
        """Return whether a row has a name and a value and nothing between: the tail, a bias among products."""
        return self._is_tail(row) or len(self._term(row).cells) != len(self._headers)

    def has_tail(self) -> bool:
        """Return whether the last row stands for several terms."""
        return len(self._order) > ALL_UP_TO and not self._expanded

    def shown(self) -> int:
        """Return the number of terms with a row of their own."""
        return TOP if self.has_tail() else len(self._order)

    def count(self) -> int:
        """Return the number of terms."""
        return len(self._order)

    def of_weights(self) -> bool:
        """Return whether the terms are the weights of a row."""
        return _is_weight(self._entry)

    @property
    def two_states(self) -> OtherState | None:
        """The row of weights in the state before, where it stands beside the present one."""
        return _state_beside(self._entry, self._context)

    def _over_keys(self) -> bool:
        return _is_over_keys(self._entry)

    def product(self) -> str:
        """Return `q·k`: what a term is, in letters; empty where the terms are no products."""
        return self._value_header() if self._headers and not self.of_weights() else ""

    def largest(self) -> float:
        """Return the length that a full bar stands for: 1 for weights up to 1, else the largest finite row."""
        if self._fractions:
            return 1.0
        if self._largest is None:
            rows = [abs(self._row_value(row)) for row in range(min(self.rowCount(), ALL_UP_TO))]
            self._largest = max((value for value in rows if np.isfinite(value)), default=0.0) or 1.0
        return self._largest

    def signed(self) -> bool:
        """Return whether bars differ by sign."""
        return not self._fractions

    def cell(self, index: Index) -> Cell | None:
        """Return the cell that a row or number leads to: the number's own cell, or the first one of the term."""
        if not index.isValid() or self._is_tail(index.row()):
            return None
        cells = self._term(index.row()).cells
        return cells[min(max(index.column() - 1, 0), len(cells) - 1)] if cells else None

    def copied(self) -> CopiedCells:
        """Return every term, the tail too, with its numbers in full precision."""
        columns = [str(self.headerData(k, Qt.Orientation.Horizontal) or "") for k in range(1, self.columnCount())]
        names = [self._name(row) for row in range(self.count())]
        return CopiedCells(
            (self.count(), len(columns)), lambda: list(map(self._numbers, range(self.count()))), names, columns
        )

    def _name(self, row: int) -> str:
        term = self._term(row)
        if len(term.cells) != len(self._headers):
            return cell_name(term.cells[0].name, term.cells[0].index) if term.cells else ""
        return self._label(term)

    def _numbers(self, row: int) -> list[object]:
        cells = self._term(row).cells
        factors: list[object] = [np.float64(cell.value) for cell in cells]
        if self.two_states is not None:
            factors = [np.float64(self._old_value(row))]
        return [
            *(factors if len(cells) == len(self._headers) else [""] * len(self._headers)),
            np.float64(self._values[self._order[row]]),
        ]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            last = section == self.columnCount() - 1 or self.two_states is not None
            side = Qt.AlignmentFlag.AlignRight if section and not last else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == 0:
            return (
                self.tr("key") if self._over_keys() else "c" if self.tight >= Tightness.SIGNS and self._headers else ""
            )
        if section <= len(self._headers):
            text, _color = self._headers[section - 1]
            return text.partition("[")[0] if self.tight >= Tightness.CELLS else text
        return self._value_header()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.ToolTipRole and column == 0:
            return plain_tip(self.term_cell(row, 0).text)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.term_cell(row, column).text
        if role == Qt.ItemDataRole.TextAlignmentRole and column:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def term_cell(self, row: int, column: int) -> TermCell:
        """Return the contents of a cell, made once."""
        place = row, self.tight
        if place not in self._row_cells:
            self._row_cells[place] = self._make_row_cells(row)
        return self._row_cells[place][column]

    def forget_words(self) -> None:
        """Write everything again, in another language."""
        self._row_cells.clear()

    def _make_row_cells(self, row: int) -> tuple[TermCell, ...]:
        """Return the name, the numbers and the value of a row."""
        tail, value, chosen = self._is_tail(row), self._row_value(row), self._is_chosen(row)
        name = self.tr("{count} more").format(count=self.count() - self.shown()) if tail else self._name(row)
        cells = () if tail else self._term(row).cells
        writers, write_value = self._ways_of_writing()
        if len(cells) == len(self._headers):
            texts = [write(cell.value) for write, cell in zip(writers, cells, strict=True)]
        else:  # the tail, a bias among products, or addends of different matrices
            texts = [""] * len(self._headers)
        numbers = [TermCell(text, None, chosen, color) for text, (_, color) in zip(texts, self._headers, strict=True)]
        if self.two_states is not None:
            old, least = self._old_value(row), 10.0 ** -self._decimals(4)
            write_value = partial(_small_written, write=write_value, least=least)
            numbers = [TermCell(write_value(old), old, chosen, "text")]
        return TermCell(name, None, chosen, "text"), *numbers, TermCell(write_value(value), value, chosen, "text")

    def _ways_of_writing(self) -> tuple[tuple[Write, ...], Write]:
        """Return how the columns of numbers and values are written, the values as the largest asks for."""
        if self.tight not in self._writers:
            decimals = self._decimals(4 if self.of_weights() else 3)
            rows = [row for row in range(min(self.shown(), ALL_UP_TO)) if not self.has_no_factors(row)]
            values = [self._row_value(row) for row in rows]
            factors = [tuple(cell.value for cell in self._term(row).cells) for row in rows]
            write_value = column_writer((self._row_value(first) for first in range(min(self.shown(), 1))), decimals)
            if rows and not self.of_weights() and all(map(is_whole, [*values, *self._tail_value()])):
                write_value = partial(column_number, decimals=0)
            columns = _factor_writers(factors, values, decimals) if rows else ()
            self._writers[self.tight] = columns or (column_writer((), decimals),) * len(self._headers), write_value
        return self._writers[self.tight]

    def _tail_value(self) -> list[float]:
        return [self._row_value(self.shown())] if self.has_tail() else []

    def _decimals(self, most: int) -> int:
        return most - 1 if self.tight >= Tightness.DECIMAL else most

    def _label(self, term: Term) -> str:
        """Return the key of a term, or the column that its first cell has in the tables, which count all heads."""
        place = term.cells[0].index[-1]
        if self._over_keys() and self._context is not None:
            return self._context.key_name(place)
        return str(place) if self.tight >= Tightness.SIGNS else f"c = {place}"

    def _row_value(self, row: int) -> float:
        if self._is_tail(row):
            with np.errstate(all="ignore"):  # ∞ beside −∞
                return float(self._values[self._order[self.shown() :]].sum())
        return float(self._values[self._order[row]])

    def _old_value(self, row: int) -> float:
        """Return the weight of a row of the table, or the sum of those of the tail, in the state before."""
        assert self.two_states is not None
        order = self._order[self.shown() :] if self._is_tail(row) else self._order[row : row + 1]
        keys = [self._terms[int(place)].cells[0].index[-1] for place in order] if self._terms is not None else []
        return float(self.two_states.row[keys].sum())

    def _is_tail(self, row: int) -> bool:
        return self.has_tail() and row == self.shown()

    def _is_chosen(self, row: int) -> bool:
        return self._chosen >= 0 and not self._is_tail(row) and self._term(row).cells[0].index[-1] == self._chosen

    def _term(self, row: int) -> Term:
        assert self._terms is not None, "a row stands for a term"
        return self._terms[int(self._order[row])]

    def _value_header(self) -> str:
        if self.two_states is not None:
            return self.two_states.names[1]
        if self.of_weights():
            return self._letter  # a⁰ of weights that a change by hand left behind
        if not self._terms:
            return "a"
        if self._wording == "norm":
            return cell_symbol(self._stage)
        of_score = self._context is not None and self._wording == "score"
        score = SCORES[self._context.problem.score] if self._context is not None and of_score else None
        if score is not None and score.term:
            return score.term
        if not self._headers or (score is not None and not score.dot):
            return self.tr("value")
        return "·".join(cell_symbol(cell.name) for cell in self._terms[0].cells)


def _table_shape(count: int, expanded: bool, headers: tuple[tuple[str, str], ...]) -> tuple[int, int]:
    """Return rows and columns of a table of so many terms: the tail is one row unless it is listed, too."""
    return count if expanded or count <= ALL_UP_TO else TOP + 1, len(headers) + 2


def _is_weight(entry: Stage | None) -> bool:
    return entry is not None and entry.role is Role.WEIGHT


def _is_over_keys(entry: Stage | None) -> bool:
    return entry is not None and (_is_weight(entry) or entry.over_keys)


def _state_beside(entry: Stage | None, context: ExplainContext | None) -> OtherState | None:
    return context.before if context is not None and _is_weight(entry) else None


def _number_headers(
    terms: Terms | None, entry: Stage | None, context: ExplainContext | None
) -> tuple[tuple[str, str], ...]:
    """Return one column a number of the first term: `Q[10, c]`, with a letter where the index runs, beside it
    `K[3, c − 2]` where heads share K."""
    if not terms:
        return ()
    first = terms[0]
    if (before := _state_beside(entry, context)) is not None:
        return ((before.names[0], "text"),)
    if _is_weight(entry):
        return ((cell_symbol(first.cells[0].name), "text2"),)
    last = next(term for term in reversed(terms) if len(term.cells) == len(first.cells))
    if any(a.name != b.name for a, b in zip(first.cells, last.cells, strict=True)):
        return ()  # one of each kind: every row names its own cell
    letter = "j" if _is_over_keys(entry) else "c"
    ends = zip(first.cells, last.cells, strict=True)
    start = first.cells[0].index[-1]
    return tuple((running_name(a, b, letter, start), role_of(a.name) or "text2") for a, b in ends)


def _factor_writers(factors: list[tuple[float, ...]], values: list[float], decimals: int) -> tuple[Write, ...]:
    """Return how each column of factors is written: a column of whole numbers without decimals.

    Printed factors give their printed product: where they do not, whole columns get digits more, as few as can be.
    """
    columns = list(zip(*factors, strict=True))
    printed = PrintedNumbers(partial(_written_factor, decimals))
    for column, numbers in enumerate(columns):
        printed.alike(numbers, column)
    for pair, value in zip(factors, values, strict=True):
        if len(pair) == 2 and math.isfinite(value) and math.isclose(pair[0] * pair[1], value, rel_tol=1e-5):
            printed.add(value, math.prod, pair, decimals)
    printed.settle()
    return tuple(_column_writer(column, decimals, printed) for column in columns)


def _written_factor(decimals: int, factor: float, more: int) -> str:
    return column_number(factor, 0) if is_whole(factor) else column_writer((), decimals + more)(factor)


def _column_writer(column: Sequence[float], decimals: int, printed: PrintedNumbers) -> Write:
    """Return how a column is written: whole numbers without decimals, others with those that its products ask for."""
    if column and all(map(is_whole, column)):
        return partial(column_number, decimals=0)
    return column_writer((), decimals + max(map(printed.more, column), default=0))


def _small_written(value: float, *, write: Write, least: float) -> str:
    """Return a weight beside the same one in another state: where it is next to nothing, how small does not matter."""
    return f"< {least:g}" if 0 < value < least / 2 else write(value)
