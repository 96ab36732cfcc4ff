"""A workbook recalculated: its formulas as Python, evaluated cell by cell."""

from __future__ import annotations

import io
import re
from functools import cache
from typing import Any

import numpy as np
import openpyxl

_CELL = r"\$?[A-Z]{1,3}\$?\d+"
_REFERENCE = re.compile(rf"(?:(?:'((?:[^']|'')+)'|([A-Za-z_]+))!)?({_CELL})(?::({_CELL}))?(?![\w(])")
_WORDS = {
    "SUM": lambda *parts: np.sum(np.concatenate([np.ravel(part) for part in parts])),
    "SUMPRODUCT": np.sum,
    "MAX": lambda *parts: np.max(np.concatenate([np.ravel(part) for part in parts])),
    "IF": lambda condition, yes, no: yes if condition else no,
    "EXP": np.exp,
    "TANH": np.tanh,
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
