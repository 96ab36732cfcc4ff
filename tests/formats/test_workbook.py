"""Workbooks compute what the engine computes, also after a number is changed in them."""

import io
import math
import re
from functools import cache
from typing import Any

import numpy as np
import openpyxl
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.formats import FormatError, load
from attn_gui.formats.xlsx_formulas import ArraySheet
from attn_gui.formats.xlsx_writer import workbook_bytes
from tests.failing import each

from .test_scripts import EXTREMES, PROBLEMS, STEEP, N, given, layer, projected

_CELL = r"\$?[A-Z]{1,3}\$?\d+"
_REFERENCE = re.compile(rf"(?:(?:'((?:[^']|'')+)'|([A-Za-z_]+))!)?({_CELL})(?::({_CELL}))?(?![\w(])")
_WORDS = {
    "SUM": lambda *parts: np.sum(np.concatenate([np.ravel(part) for part in parts])),
    "SUMPRODUCT": np.sum,
    "MAX": lambda *parts: np.max(np.concatenate([np.ravel(part) for part in parts])),
    "IF": lambda condition, yes, no: yes if condition else no,
    "EXP": lambda power: np.where(power < 709.78, np.exp(power), np.nan),  # where spreadsheets say #NUM!
    "TANH": np.tanh,
    "ERFC": math.erfc,
    "ABS": np.abs,
    "SQRT": np.sqrt,
    "COS": np.cos,
    "SIN": np.sin,
}


class Recalculated:
    """The numbers of a workbook as a spreadsheet shows them; `put` types one over."""

    def __init__(self, data: bytes) -> None:
        self.book = openpyxl.load_workbook(io.BytesIO(data))
        self.value = cache(self._value)

    def put(self, sheet: str, row: int, column: int, number: float) -> None:
        self.book[sheet].cell(row, column).value = number
        self.value.cache_clear()

    def block(self, sheet: str, row: int, column: int, shape: tuple[int, int]) -> np.ndarray:
        return np.array([[self.value(sheet, row + i, column + j) for j in range(shape[1])] for i in range(shape[0])])

    def _value(self, sheet: str, row: int, column: int) -> Any:
        content = self.book[sheet].cell(row, column).value
        if not isinstance(content, str):
            return content
        assert content.startswith("=")
        assert len(content) <= 8192
        code = _REFERENCE.sub(lambda match: self._read(match, sheet), content[1:])
        code = re.sub(r"(?<![<>])=", "==", code).replace("^", "**")
        with np.errstate(all="ignore"):
            return np.float64(eval(code, {"__builtins__": {}}, {**_WORDS, "at": self._cells}))

    def _read(self, match: re.Match[str], sheet: str) -> str:
        name = (match[1] or "").replace("''", "'") or match[2] or sheet
        return f"at({name!r}, {match[3]!r}, {match[4]!r})"

    def _cells(self, sheet: str, first: str, last: str | None) -> Any:
        row, column = _place(first)
        if last is None:
            return np.float64(self.value(sheet, row, column))
        end = _place(last)
        return self.block(sheet, row, column, (end[0] - row + 1, end[1] - column + 1))


def _place(text: str) -> tuple[int, int]:
    row, column = openpyxl.utils.cell.coordinate_from_string(text.replace("$", ""))[::-1]
    return row, openpyxl.utils.column_index_from_string(column)


def numbers_of(book: Recalculated, stage: str, shape: tuple[int, ...]) -> np.ndarray:
    board, found = ArraySheet(stage, shape), np.empty(shape)
    for index in np.ndindex(*shape):
        place = board.place(index)
        found[index] = book.value(stage, place.row, place.column)
    return np.where(found < -1e299, -np.inf, found)


def check(book: Recalculated, problem: Problem) -> None:
    trace, close = compute(problem), 1e-6 if problem.dtype == "float32" else 1e-9
    for stage in trace.stages:
        expected = np.asarray(trace[stage], dtype=np.float64)
        np.testing.assert_allclose(
            numbers_of(book, stage, expected.shape), expected, rtol=close, atol=close, err_msg=stage
        )


@pytest.mark.family(8)
@pytest.mark.parametrize("name", [name for name in PROBLEMS if name not in (EXTREMES | STEEP)])
def test_every_step_is_computed_by_the_sheets_which_open_as_the_problem(name, tmp_path):
    problem, data = PROBLEMS[name], workbook_bytes(PROBLEMS[name])
    check(Recalculated(data), problem)
    (tmp_path / "a.xlsx").write_bytes(data)
    assert load(tmp_path / "a.xlsx") == problem


@each("name", ["cosine", "padding", "bias"])
def test_a_number_that_is_typed_over_is_followed_by_every_step(name):
    problem = PROBLEMS[name]
    key = problem.key.copy()
    key[..., 1, :] = 40.0  # another key is the largest now
    book = Recalculated(workbook_bytes(problem))
    cells = key if key.ndim == 3 else key[None]
    board = ArraySheet("key", cells.shape)
    for index in np.ndindex(*cells.shape):
        place = board.place(index)
        book.put("key", place.row, place.column, float(cells[index]))
    check(book, problem.replace(key=key))


def test_silu_is_computed_where_its_power_of_e_is_too_large_for_a_spreadsheet():
    feed = layer("pre", gated=False, activation="silu")
    problem = projected(block=feed | {"b_up": np.array([-800.0, -1e6, -720.0, 0.0, 800.0])})
    check(Recalculated(workbook_bytes(problem)), problem)


@each("name", EXTREMES)
def test_numbers_that_no_spreadsheet_can_square_are_refused(name):
    with pytest.raises(FormatError, match="too large or too small for a spreadsheet to square"):
        workbook_bytes(EXTREMES[name])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"query": np.zeros((20_000, 4))}, "up to 60,000 are written"),
        ({"value": np.full((4, 6), np.nan)}, "value has others"),
        (
            {"scale": -0.5, "interventions": [{"kind": "set", "stage": "scores", "values": -np.inf}]},
            "scaled has others",
        ),
    ],
)
def test_what_no_workbook_is_written_for_is_said_in_a_sentence(fields, said):
    with pytest.raises(FormatError, match=said):
        workbook_bytes(given(**fields))


CLOSED_ROW = {"kind": "set", "stage": "scores", "at": {"query": 0}, "values": -np.inf}
CLOSED_BIAS = np.array([[0.0, -np.inf, 1.0, 0.0], [-np.inf] * 4, [0.0] * 4])


@pytest.mark.family(3)
@pytest.mark.parametrize(
    "fields",
    [
        {"query": np.ones((N, 400)), "key": np.ones((4, 400)), "num_heads": 1, "interventions": [CLOSED_ROW]},
        {"scale": 0.01, "mask": [{"kind": "causal"}], "interventions": [CLOSED_ROW]},
        {
            "mask": [{"kind": "bias", "values": CLOSED_BIAS}],
            "interventions": [
                {"kind": "scale", "stage": "biased", "factor": 0.001},
                {"kind": "scale", "stage": "biased", "factor": 0.01},
            ],
        },
    ],
    ids=["usual scale", "small scale", "bias scaled by hand twice"],
)
def test_minus_infinity_stays_what_it_is_when_it_is_multiplied(fields):
    problem = given(**fields)
    check(Recalculated(workbook_bytes(problem)), problem)


def test_a_formula_longer_than_a_cell_takes_is_refused():
    wide = np.ones((600, 2))
    with pytest.raises(FormatError, match="formulas of query would be longer"):
        workbook_bytes(Problem(x=np.ones((2, 600)), w_query=wide, w_key=wide, w_value=wide))


# --- opened again --------------------------------------------------------------------------------


def test_what_was_typed_over_in_a_workbook_is_opened(tmp_path):
    path = tmp_path / "a.xlsx"
    problem = given(softcap=4.0, query_tokens=tuple("abc"), key_tokens=tuple("wxyz"))
    path.write_bytes(workbook_bytes(problem))
    book = openpyxl.load_workbook(path)
    heading, *rows = book["weights"].iter_rows(min_row=3, max_row=6, max_col=5, values_only=True)
    assert (heading[1:], tuple(row[0] for row in rows)) == (problem.key_tokens, problem.query_tokens)
    place = ArraySheet("query", (1, problem.num_heads, problem.n, problem.d_k)).place((0, 0, 1, 0))
    book["query"].cell(place.row, place.column).value = 7.25
    [row] = [row for row in book["parameters"].iter_rows() if row[0].value == "softcap"]
    row[1].value = 2.5
    book.save(path)
    query = problem.query.copy()
    query[1, 0] = 7.25
    assert load(path) == problem.replace(query=query, softcap=2.5)
    book["query"].cell(place.row, place.column).value = "x"
    book.save(path)
    with pytest.raises(FormatError, match=rf"sheet “query”: row {place.row}, column {place.column} is “x”; expected"):
        load(path)
