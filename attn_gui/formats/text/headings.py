"""Headings and labels of a table told from numbers; one cell as a number (True, ✓, missing values).

a b                    words above numbers are headings, words beside them labels
1 2

       a b             above labels the first row may lack a cell, as pandas prints it, or begin with an empty one
it     1 2

token, 0, 1, 2         a count beside words may be headings or numbers: both are readings
it, 0.5, 0.2, 0.3

[empty], it, 2024      tokens may be numbers where the same stand on both sides of an empty corner
it, 0.5, 0.5
2024, 0.2, 0.8"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from attn_gui.formats.file_messages import quoted
from attn_gui.languages import N_

# --- one number, as people, spreadsheets and programs write it -------------------------------------
LONGEST_NUMBER = 400  # characters of its text
MOST_NUMBERS = 10_000_000  # that a text holds
NOT_A_NUMBER = N_("“{text}” is not a number.")
COMMA = N_("“{text}” has a comma: use a point, as in 1.5.")
EMPTY = N_("A cell needs a number.")
BY_ZERO = N_("“{text}” divides by zero.")
TOO_LARGE = N_("“{text}” is too large for {dtype}: the largest is {largest}.")

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FRACTION = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))\s*/\s*([0-9]+\.?[0-9]*|\.[0-9]+)")
_SPECIAL = {"nan": math.nan, "inf": math.inf, "infinity": math.inf, "∞": math.inf}
_COMMAS = set(",、،٫。")
# superscripts, ½ or ① would silently become other numbers: 10² is not 102
_KEPT_FORMS = ("<wide>", "<narrow>", "<font>", "<noBreak>", "<compat>")
# cannot be seen, and yet means something: a minus that was copied out of a PDF, what formulas leave unwritten, and what
# turns digits around, so that 21 is seen as 12
_MEANT = frozenset("\u00ad\u202e\u2061\u2062\u2063\u2064")
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "–": "-", "﹣": "-"})


class NotANumber(ValueError):
    """Text that is no number, in one sentence: `template` with `values` filled in."""

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template, self.values = template, values


def number(text: str, dtype: DTypeLike = np.float64) -> float:
    """Return the number that `text` means, whatever the locale: 0.5, 1e-3, -2/5, nan, inf, ∞, full-width digits.

    Raises NotANumber for anything else, for a comma, and for a finite number that `dtype` cannot hold.
    """
    if len(text) > LONGEST_NUMBER:
        raise NotANumber(NOT_A_NUMBER, text=quoted(text[:LONGEST_NUMBER]))
    plain = normalized(text)
    if not plain:
        raise NotANumber(EMPTY)
    if _COMMAS & set(plain):
        raise NotANumber(COMMA, text=quoted(text))
    value = _special(plain) if plain[-1:].lower() in "nfy∞" else _finite(plain, text)
    if value is None:
        raise NotANumber(NOT_A_NUMBER, text=quoted(text))
    with np.errstate(over="ignore"):
        cast = np.float64(value).astype(dtype)
    if math.isfinite(value) and np.isinf(cast):
        raise _too_large(text, dtype)
    return value


def normalized(text: str) -> str:
    """Return `text` in ASCII where that is safe, without invisible signs; "?" where it would become another number."""
    if text.isascii():
        return text.strip()
    forms = (unicodedata.decomposition(letter).split(" ")[0] for letter in text)
    if any(form.startswith("<") and form not in _KEPT_FORMS for form in forms) or not _MEANT.isdisjoint(text):
        return "?"
    seen = (letter for letter in text if unicodedata.category(letter) != "Cf")
    return unicodedata.normalize("NFKC", "".join(seen)).translate(_MINUS).strip()


def _special(plain: str) -> float | None:
    value = _SPECIAL.get(plain.lstrip("+-").lower())
    if value is None or len(plain) - len(plain.lstrip("+-")) > 1:
        return None
    return -value if plain.startswith("-") else value


def _finite(plain: str, text: str) -> float | None:
    if _DECIMAL.fullmatch(plain):
        value = float(plain)
        if math.isinf(value):
            raise _too_large(text, np.float64)
        return value
    fraction = _FRACTION.fullmatch(plain)
    return None if fraction is None else _divided(fraction[1], fraction[2], text)


def _divided(upper: str, lower: str, text: str) -> float:
    from fractions import Fraction  # seldom, and takes a while

    divisor = Fraction(lower)
    if divisor == 0:
        raise NotANumber(BY_ZERO, text=quoted(text))
    try:
        value = float(Fraction(upper) / divisor)
    except OverflowError:
        raise _too_large(text, np.float64) from None
    return -value if upper.startswith("-") and value == 0 else value


def _too_large(text: str, dtype: DTypeLike) -> NotANumber:
    largest = f"{np.finfo(dtype).max:.4g}"
    return NotANumber(TOO_LARGE, text=quoted(text), dtype=np.dtype(dtype).name, largest=largest)


# --- headings and labels ---------------------------------------------------------------------------
SWITCHES = {"true": 1.0, "false": 0.0, "✓": 1.0}
MISSING = frozenset(
    ("null", "(null)", "nil", "none", "na", "n/a", "<na>", "nat", "missing", "undefined", "\\n", "-nan(ind)")
)
_ERROR = re.compile(r"#[A-Z0-9_/ ]+[!?]?|#\w+[!?！？]|err:\d+|[+-]?nan\(\w*\)", re.IGNORECASE)
_CALL = re.compile(r"(?:np|numpy)\.[\w.]+\((?:[-+.\d]|…)")  # a number that NumPy would compute
_COMMANDED = re.compile(r"[-+]?\\[A-Za-z]+[-+]?[.\d]")  # a number in a command of LaTeX that is not known here
_DECIMALS = re.compile(r"\d[.,eE]|[.,]\d")
FORMULA = "=+-@\t\r"  # what spreadsheets would run
_BEFORE = "\"'([{<>≤≥=≈~±+-−–×$€£¥￥₩₹#.,، \t"  # may stand before a number

SYNTAX = frozenset('|│&{}[]()\\;,"')  # letters that stand between the cells of other layouts


class CellSort(Enum):
    """The sort of a cell."""

    NUMBER = 1  # or what somebody may have meant for one
    BROKEN = 2  # no number, and no name either: #DIV/0!, null
    WORD = 3
    MARK = 4  # punctuation or nothing


class Headings(NamedTuple):
    """The headings above and beside the numbers."""

    header: bool = False
    labels: bool = False
    short: bool = False  # the first row lacks the cell above the labels
    said: bool = False  # by the syntax, whatever the labels are


class FirstRow(Enum):
    """What the syntax of a table says of its first row."""

    NUMBERS = 1
    EITHER = 2  # headings may stand there
    HEADINGS = 3  # as in Markdown


def sort_of(cell: str) -> CellSort:
    """Return the sort of a cell in any script and spelling."""
    text = cell.strip()
    if text.startswith("'"):  # so a spreadsheet marks a text that would be something else
        return CellSort.WORD
    plain = normalized(text[:LONGEST_NUMBER])
    if is_number(plain):
        return CellSort.NUMBER
    if plain.lower() in MISSING or _ERROR.fullmatch(plain):
        return CellSort.BROKEN
    first = text.lstrip(_BEFORE)[:1]
    if _COMMANDED.match(plain) or _CALL.match(text) or (first and unicodedata.category(first) in ("Nd", "Nl", "No")):
        return CellSort.NUMBER
    return CellSort.WORD if any(map(str.isalpha, text)) else CellSort.MARK


def is_number(cell: str) -> bool:
    """Return whether a cell can be read as a number, also with a decimal comma."""
    try:
        cell_number(cell.replace(",", ".", 1))
    except NotANumber:
        return False
    return True


def cell_number(cell: str) -> float:
    """Return a number, or 1 and 0 for the words of masks. Raises NotANumber."""
    if cell.isascii() and "_" not in cell:
        with suppress(ValueError):
            if math.isfinite(value := float(cell)):
                return value
    switch = SWITCHES.get(cell.strip().lower())
    return number(cell) if switch is None else switch


def is_switch(cell: str) -> bool:
    """Return whether a cell says true or false."""
    return cell.strip().lower() in SWITCHES


def are_words(cells: Sequence[str]) -> bool:
    """Return whether cells can be names: at least one is a word, and none can be a number."""
    sorts = set(map(sort_of, cells))
    return CellSort.WORD in sorts and not sorts & {CellSort.NUMBER, CellSort.BROKEN}


def is_count(cells: Sequence[str], first: int | None = None) -> bool:
    """Return whether the cells count up by one, from `first` if given."""
    if not cells or not all(cell.isascii() and re.fullmatch(r"0|[1-9]\d{0,8}", cell.strip()) for cell in cells):
        return False
    start = int(cells[0].strip()) if first is None else first
    return all(int(cell.strip()) == start + place for place, cell in enumerate(cells))


_BOTH, _ABOVE, _BESIDE, _NONE = Headings(True, True), Headings(header=True), Headings(labels=True), Headings()


def find_headings(rows: Sequence[Sequence[str]], first: FirstRow = FirstRow.NUMBERS) -> tuple[Headings, ...]:
    """Return the readings of a table's first rows: two where numbers may be headings or not, else one."""
    if len(rows) > 1 and {len(row) for row in rows[1:]} == {len(rows[0]) + 1} and _agree(rows):
        return (Headings(True, True, short=True),)
    rows = [row for row in rows if len(row) == len(rows[0])]  # the others are refused when they are read
    if not rows[0]:
        return (_NONE,)
    several, beside, headed = len(rows) > 1, [row[0] for row in rows], first is FirstRow.HEADINGS
    if several and len(rows[0]) > 1 and (found := _with_corner(rows, headed)):
        return found
    if several and (are_words(rows[0]) or (headed and _is_named(rows[0]))):
        return (_ABOVE,)
    if several and (is_count(rows[0]) if headed else first is FirstRow.EITHER and _is_count_above(rows)):
        return _ABOVE, _NONE
    if first is FirstRow.EITHER and _is_count_beside(rows):
        return _BESIDE, _NONE
    return (_BESIDE if len(rows[0]) > 1 and are_words(beside) else _NONE,)


def _agree(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a header without a corner belongs to the labels, as pandas prints them: words or counts."""
    header, labels = rows[0], [row[0] for row in rows[1:]]
    if are_words(header):
        return are_words(labels) or is_count(labels, 0) or is_count(labels, 1)
    return is_count(header, 0) and (are_words(labels) or (is_count(labels, 0) and len(rows) > 2))


def _is_count_beside(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether rows may be counted beside numbers that all have a fraction: pandas prints a Series so, and lists
    have 1. and 2. before their items, where NumPy prints 1. for 1 beside others that end so."""
    beside, others = [row[0].strip() for row in rows], [cell.strip() for row in rows for cell in row[1:]]
    dotted = len(rows) > 1 and all(cell.endswith(".") for cell in beside) and not any(c.endswith(".") for c in others)
    beside = [cell.removesuffix(".") for cell in beside] if dotted else beside
    counted = is_count(beside, 0) or is_count(beside, 1)
    return (dotted or len(rows) > 2) and len(rows[0]) > 1 and counted and all(map(_DECIMALS.search, others))


def _is_count_above(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether columns may be counted above numbers that all have a fraction, as in pandas."""
    decimals = (_DECIMALS.search(cell) for row in rows[1:] for cell in row)
    return len(rows[0]) > 1 and is_count(rows[0], 0) and all(decimals)


def _with_corner(rows: Sequence[Sequence[str]], headed: bool) -> tuple[Headings, ...]:
    """Return the headings of a table whose first row and first column meet in a cell that belongs to neither.

    An empty corner is no number, so that something is left out: both sides where neither can be numbers (a, b above
    1, 2; 0, 1 above it, was) or where they are the same tokens; where one side is numbers perhaps that is not.
    Beside words a corner with a name may belong to a count: token, 0, 1, 2.
    """
    corner, header, labels = rows[0][0], rows[0][1:], [row[0] for row in rows[1:]]
    if not corner.strip():
        # Markdown has an empty first row where there are no headings, and then the first column holds numbers
        if headed and (any(map(str.strip, header)) or not any(map(str.strip, labels))):
            return (_BOTH._replace(said=True),)
        return _with_empty_corner(header, labels)
    if sort_of(corner) is not CellSort.WORD or not are_words(labels):
        return ()
    if are_words(header):
        return (_BOTH,)
    counts = is_count(header) and (len(header) > 2 or (len(header) == 2 and int(header[0].strip()) == 0))
    return (_BOTH, _BESIDE) if counts else ()


def _with_empty_corner(header: Sequence[str], labels: Sequence[str]) -> tuple[Headings, ...]:
    if not any(map(str.strip, labels)) and (is_count(header) or not any(map(str.strip, header))):
        return ()  # an empty column beside numbers, or nothing at all
    names = [cell for cell in labels if sort_of(cell) is not CellSort.NUMBER]
    beside = _is_named(labels) or is_count(labels) or are_words(names)
    if list(header) == labels or (beside and (_is_named(header) or is_count(header))):
        return (_BOTH,)
    if CellSort.BROKEN in map(sort_of, (*header, *labels)):
        return ()
    return (_BOTH, _ABOVE) if are_words(header) else (_BOTH, _BESIDE) if are_words(labels) else ()


def _is_named(side: Sequence[str]) -> bool:
    """Return whether no cell can be a number."""
    return not set(map(sort_of, side)) & {CellSort.NUMBER, CellSort.BROKEN}


def label_check(sample: Sequence[str], said: bool) -> Callable[[int, str], bool]:
    """Return a function of (place, label): whether a label further down fits those of the sample.

    A name fits names, the next number a count. Every label fits where the syntax has `said` that these are labels.
    """
    if said:
        return lambda _place, _label: True
    if is_count(sample):
        start = int(sample[0].strip())
        return lambda place, label: label.strip() == str(start + place)
    if _is_named(sample):
        return lambda _place, label: sort_of(label) in (CellSort.WORD, CellSort.MARK)
    return lambda _place, label: sort_of(label) is not CellSort.BROKEN


def marked(label: str) -> str:
    """Return a label as written into a table, so that no program takes it for a formula, a number or an empty cell."""
    return f"'{label}" if _needs_mark(label) else label


def is_plain(label: str) -> bool:
    """Return whether a label has nothing in it that separates cells or lines in any layout."""
    return label.isprintable() and label == label.strip() and SYNTAX.isdisjoint(label)


def unmarked(label: str) -> str:
    """Return a label without the mark of `marked`."""
    return label[1:] if label.startswith("'") and _needs_mark(label) else label


def _needs_mark(label: str) -> bool:
    inner = label.lstrip("'")
    return (
        not inner or not is_plain(inner) or inner[0] in FORMULA or sort_of(inner) in (CellSort.NUMBER, CellSort.BROKEN)
    )
