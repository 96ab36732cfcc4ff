"""The teacher's pages of worksheets: answers, powers of e and sums of rows, usual mistakes, “last digit … is right”."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.engine.errors import spelled
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.grading import number_at
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.printed_digits import printed_operands
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.engine.mistakes import Mistake
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.figure.formula_typesetting import typeset
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import wrapped
from attn_gui.figure.worksheet_pages import (
    HEIGHT,
    LEAST,
    MM,
    NUMBER,
    NUMBERED,
    PT,
    SIZES,
    TEXT,
    WIDTH,
    Pen,
    TableSize,
    WorksheetTable,
    alike,
    asks_row_sums,
    does_not_fit,
    flow,
    given_tables,
    heading_of,
    stage_tables,
    width_of,
)
from attn_gui.figure.writers import END, Page
from attn_gui.languages import N_
from attn_gui.lessons.exercises import DECIMALS, PROJECTED, Worksheet, mistaken_numbers
from attn_gui.lessons.lesson import written

KEYS = N_("Worksheets", "{heading}: answers")
PAGES = N_("Worksheets", "No. {first}–{last} of {count} · teacher's page {page} of {pages}")
PAGE_OF_ONE = N_("Worksheets", "No. {first} of {count} · teacher's page {page} of {pages}")
SEEDED = N_("Worksheets", "{level} · seed {seed}")
OF_HEAD = N_("Worksheets", "{cell} of {head}")
OF_ROW = N_("Worksheets", "Row {row}: ")
SUM = N_("Worksheets", "sum {total}")
PRINTED = N_("Worksheets", "Wrong: {cell} is printed as {wrong}; it should be {right}.")
ROUNDED = N_("Worksheets", "Worked with rounded boxes; last digit {spread} is right.")
USUAL = N_("Worksheets", "Usual mistakes, seen at {cell}")
KEY_GIVEN = TableSize(6.6 * MM, 5.4 * MM, LEAST, title=4.8 * MM, header=3.6 * MM, gap=3 * MM)
KEY_SIZE = TableSize(12 * MM, 5.6 * MM, TEXT, title=4.8 * MM, header=3.6 * MM)
GRIDS = (2, 2, 1.0), (2, 2, SIZES[1]), (2, 2, SIZES[2]), (1, 2, 1.0), (1, 2, SIZES[2]), (1, 1, 1.0)
"""Columns and rows of keys on a page and the size of their tables, tried one after another until each key fits."""
KEY_MARGIN, KEY_GAP, INSIDE = 17.5 * MM, 5 * MM, 4 * MM
FEW_KEYS = 4


@dataclass(frozen=True)
class KeyPart:
    """Something of a key that is as high as it is, and how it is painted at a corner."""

    height: float
    paint: Callable[[Pen, float, float], None]


def key_pages(sheets: Sequence[Worksheet], style: PageStyle) -> list[Page]:
    """Return the teacher's pages, several keys on each. Raises ValueError with a sentence where one does not fit."""
    for across, down, scale in GRIDS:
        wide = (WIDTH - 2 * KEY_MARGIN - (across - 1) * KEY_GAP) / across
        high = (HEIGHT - 21.5 * MM - 15 * MM - (down - 1) * KEY_GAP) / down
        made = (_fitting(_key(sheet, style, wide - 2 * INSIDE, scale), high - 2 * INSIDE) for sheet in sheets)
        keys = list(takewhile(bool, made))  # no further than to the first that does not fit
        if len(keys) == len(sheets):
            break
    else:
        raise ValueError(does_not_fit(sheets[0], style))
    each, pages = across * down, math.ceil(len(sheets) / (across * down))
    return [
        _key_page(sheets, keys[first : first + each], first, (number, pages), (across, wide, high), style)
        for number, first in enumerate(range(0, len(sheets), each), 1)
    ]


def _fitting(key: Iterable[KeyPart], most: float) -> list[KeyPart]:
    """Return the parts of a key, none where they are too high together: then no further ones are made."""
    parts, high = list[KeyPart](), 0.0
    for part in key:
        parts.append(part)
        high += part.height
        if high > most:
            return []
    return parts


def _key_page(
    sheets: Sequence[Worksheet], keys: Sequence[Sequence[KeyPart]], first: int, of: tuple[int, int],
    box: tuple[int, float, float], style: PageStyle,
) -> Page:  # fmt: skip
    across, wide, high = box
    heading = style.translate("Worksheets", KEYS).format(heading=style.translate("Worksheets", heading_of(sheets[0])))

    def paint(painter: QPainter) -> None:
        pen = Pen(painter, style)
        words = PAGES if len(keys) > 1 else PAGE_OF_ONE
        label = pen.say(words, first=first + 1, last=first + len(keys), count=len(sheets), page=of[0], pages=of[1])
        room = WIDTH - 2 * KEY_MARGIN - width_of(label, TEXT) - 12 * MM
        size = 15 * PT * min(1.0, room / width_of(heading, 15 * PT, strong=True))
        pen.text(KEY_MARGIN, 16.5 * MM, heading, size, strong=True)
        pen.text(WIDTH - KEY_MARGIN, 16.5 * MM, label, TEXT, faint=True, anchor=END)
        for place, key in enumerate(keys):
            left = KEY_MARGIN + place % across * (wide + KEY_GAP)
            top = 21.5 * MM + place // across * (high + KEY_GAP)
            pen.frame(QRectF(left, top, wide, high), faint=True)
            y = top + INSIDE
            for part in key:
                part.paint(pen, left + INSIDE, y)
                y += part.height

    return Page(WIDTH, HEIGHT, heading, paint, style.theme.surface)


def _key(sheet: Worksheet, style: PageStyle, room: float, scale: float) -> Iterator[KeyPart]:
    """Yield the parts of one key from top to bottom; the last ones, with the usual mistakes, take most computing."""
    steps, given, computed = list(_solved(sheet, style)), *given_tables(sheet, style)
    if not given:  # Q, K and V are computed, and begin the sheet
        given, computed = computed[: len(PROJECTED)], computed[len(PROJECTED) :]
    given, small, usual = list(map(_counted, given)), KEY_GIVEN.scaled(scale), KEY_SIZE.scaled(scale)
    squares = [table for name, table in steps if not STAGE[name].shares and STAGE[name].square]
    before = [table for name, table in steps if name in PROJECTED]
    rest = [table for _, table in steps if table not in squares and table not in before]
    yield KeyPart(7 * MM, partial(_paint_key_head, sheet, room))
    yield _tables_part(given, small, room)
    yield _rule_part(room)
    yield from (_tables_part(tables, usual, room) for tables in (computed, before, squares) if tables)
    yield from _row_parts(sheet, style, room)
    yield KeyPart(2 * MM, lambda pen, x, y: None)
    if rest:
        yield _tables_part(rest, usual, room)
    yield from _text_parts(result_lines(sheet, style), room)
    if closing := closing_lines(sheet, style, room):
        yield _rule_part(room)
        yield from _text_parts(closing, room)


def _solved(sheet: Worksheet, style: PageStyle) -> Iterator[tuple[str, WorksheetTable]]:
    slip = sheet.slip
    for number, names in enumerate(sheet.steps, 1):
        for head, table in enumerate(stage_tables(sheet, names, style, solved=True)):
            at = slip.at.index if slip is not None and slip.at.stage == names[-1] else ()
            marked = (at[-2], at[-1]) if at and (len(at) < 4 or at[1] == head) else None
            counted = tuple(map(str, range(len(table.rows))))
            yield (
                names[-1],
                replace(table, rows=counted, title=f"{number}  {table.title}", asked=frozenset(), marked=marked),
            )


def _counted(table: WorksheetTable) -> WorksheetTable:
    """Return a table with numbers alone before its rows."""
    return replace(table, rows=tuple(map(str, range(len(table.rows)))))


def _paint_key_head(sheet: Worksheet, room: float, pen: Pen, x: float, y: float) -> None:
    pen.text(x, y + 3.5 * MM, pen.say(NUMBERED, number=sheet.number), NUMBER, strong=True)
    label = pen.say(SEEDED, level=pen.say(sheet.level.label), seed=sheet.seed)
    pen.text(x + room, y + 3.5 * MM, label, LEAST, faint=True, anchor=END)


def _tables_part(tables: Sequence[WorksheetTable], size: TableSize, room: float) -> KeyPart:
    placed = flow(tables, size, room)
    return KeyPart(placed.height + 2 * MM, lambda pen, x, y: placed.paint(pen, QPointF(x, y), tinted=False))


def _rule_part(room: float) -> KeyPart:
    return KeyPart(3 * MM, lambda pen, x, y: pen.line(x, y + 1.5 * MM, x + room, faint=True))


def _text_parts(lines: Sequence[tuple[str, bool]], room: float) -> Iterator[KeyPart]:
    """Return lines of text, broken where they are too wide."""
    metrics = QFontMetricsF(figure_font(LEAST))
    for text, strong in lines:
        for line in wrapped(text, room, metrics):
            yield KeyPart(4.1 * MM, partial(_paint_line, line, strong))


def _paint_line(text: str, strong: bool, pen: Pen, x: float, y: float) -> None:
    pen.text(x, y + 3.2 * MM, text, LEAST, strong=strong)


def _row_parts(sheet: Worksheet, style: PageStyle, room: float) -> Iterator[KeyPart]:
    for label, latex, total in row_sums(sheet, style):
        yield KeyPart(ROW_HIGH, partial(_paint_row, label, latex, total, room))


def row_sums(sheet: Worksheet, style: PageStyle) -> list[tuple[str, str, str]]:
    """Return "Row 0: ", "e^{1.15} = 3.16, e^{2.89} = 17.99" and "sum 21.15" of each row whose sum is asked for; of long
    rows, and of numbers as large as e^12, no powers, and no sum that is no finite number."""
    evaluation = sheet.worked
    problem, logits = evaluation.problem, evaluation.logits
    if logits is None or problem.sink is not None or not asks_row_sums(sheet):
        return []
    rows = evaluation.box(logits, indices.whole(evaluation.shape(logits)))[0, 0] / (problem.temperature or 1.0)
    open_scores = [scores[np.isfinite(scores)].tolist() for scores in rows]
    summed = [row for row, scores in enumerate(open_scores) if max(scores, default=0.0) <= MOST_SUMMED]
    return [_row_sum(row, open_scores[row], problem, style) for row in summed]


def _row_sum(row: int, scores: list[float], problem: Problem, style: PageStyle) -> tuple[str, str, str]:
    powers = [math.exp(score) for score in scores]
    total, latex = math.fsum(powers), ""
    if scores and problem.m <= FEW_KEYS and max(scores) <= MOST_EXPONENT:
        texts = printed_operands(powers, lambda *each: math.fsum(each), total, _decimals(total), _with_digits)
        signs = zip((_exponent(score, problem.temperature) for score in scores), texts, strict=True)
        latex = r",\,\, ".join(f"e^{{{exponent}}} = {power}".replace("−", "-") for exponent, power in signs)
    label = style.translate("Worksheets", OF_ROW).format(row=row)
    return label, latex, style.translate("Worksheets", SUM).format(total=_with_digits(total))


MOST_EXPONENT, MOST_SUMMED = 12.0, 700.0
LARGEST_WHOLE = 1e7  # from here on it is written with a power of ten, and needs its digits
ROW_HIGH = 5.2 * MM


def _exponent(score: float, temperature: float | None) -> str:
    """Return the exponent of a score over a temperature: the number that stands in the box."""
    if temperature is None:
        return _with_two(score)
    return f"{_with_two(score * temperature)} / {spelled(temperature)}"


def _paint_row(label: str, latex: str, total: str, room: float, pen: Pen, x: float, y: float) -> None:
    base, left = y + 4.4 * MM, x + width_of(label, LEAST)
    pen.text(x, base, label, LEAST)
    if latex:
        formula = typeset(latex)
        size = min(TEXT * 1.05, (x + room - left - width_of(total, LEAST) - 3 * MM) / formula.width)
        pen.formula(left, base - formula.ascent * size, latex, size)
        left += formula.width * size + 3 * MM
    pen.text(left, base, total, LEAST)


def _with_two(value: float) -> str:
    return format_number(value, 0 if value == int(value) else DECIMALS)


def _with_digits(value: float, more: int = 0) -> str:
    whole = value == int(value) and abs(value) < LARGEST_WHOLE
    return format_number(value, 0 if whole else _decimals(value) + more)


def _decimals(value: float) -> int:
    """Return two, or as many as show three digits of a small number."""
    return max(DECIMALS, 2 - math.floor(math.log10(value))) if value else DECIMALS


def result_lines(sheet: Worksheet, style: PageStyle) -> list[tuple[str, bool]]:
    """Return "O[0, 0] = 0.15 · 2 + 0.85 · (−1) = −0.55", and how exact an answer has to be."""
    evaluation, loose = sheet.worked, {symbol(name): most for name, most in sheet.spread.items() if most > 1}
    spread = ", ".join(["±1", *(f"{letter} ±{loose[letter]}" for letter in sorted(loose))])
    rule = (style.translate("Worksheets", ROUNDED).format(spread=spread), False)
    problem, name = evaluation.problem, evaluation.mixed
    if not any(name in names for names in sheet.steps) or not problem.mixes or problem.m > FEW_KEYS:
        return [rule]
    weights = evaluation.fetch(evaluation.weights, (*indices.cell((0, 0, 0)), slice(0, problem.m))).reshape(-1)
    values = evaluation.fetch("value", (slice(0, 1), slice(0, problem.m), slice(0, 1))).reshape(-1)
    result = number_at(evaluation, name, (0, 0, 0, 0))
    if not np.isfinite([*weights, *values, result]).all():
        return []
    pairs = zip(weights.tolist(), values.tolist(), strict=True)
    products = (f"{format_number(a, DECIMALS)} · {_factor(v)}" for a, v in pairs if a)
    cell = _cell(Blank(name, (0, 0, 0, 0)), sheet, style)
    return [(f"{cell} = {' + '.join(products)} = {format_number(result, DECIMALS)}", False), rule]


def _factor(value: float) -> str:
    text = written(value, None)
    return f"({text})" if value < 0 else text


def closing_lines(sheet: Worksheet, style: PageStyle, room: float) -> list[tuple[str, bool]]:
    """Return the lines at the end of a key, True those in bold: the wrong number of the sheet, or what usual mistakes
    give."""
    return _slip_lines(sheet, style) or _mistake_lines(sheet, style, room)


def _slip_lines(sheet: Worksheet, style: PageStyle) -> list[tuple[str, bool]]:
    """Return which number is wrong, and what was done."""
    slip = sheet.slip
    if slip is None:
        return []
    right = number_at(sheet.worked, slip.at.stage, slip.at.index)
    words, write = style.translate("Worksheets", PRINTED), alike(np.array([right, slip.number]))
    said = words.format(cell=_cell(slip.at, sheet, style), wrong=write(slip.number), right=write(right))
    return [(said, True), (style.translate("Mistakes", slip.mistake.said), False)]


def _cell(at: Blank, sheet: Worksheet, style: PageStyle) -> str:
    """Return "A[1, 0]", of several heads "A[1, 0] of head 0"."""
    cell = f"{symbol(at.stage)}[{', '.join(map(str, at.index[-2:]))}]"
    if len(at.index) < 4 or sheet.evaluation.problem.num_heads == 1:
        return cell
    return style.translate("Worksheets", OF_HEAD).format(cell=cell, head=style.words.head.format(at.index[1]))


def _mistake_lines(sheet: Worksheet, style: PageStyle, room: float) -> list[tuple[str, bool]]:
    """Return the numbers that usual mistakes give at one weight: none of those that would change printed scores."""
    asked = [blank for blank in sheet.blanks if STAGE[blank.stage].shares]
    in_row = Counter(blank.index[:-1] for blank in asked)  # a weight alone in its row is 1 with most mistakes, too
    at = min(asked, key=lambda one: (in_row[one.index[:-1]] == 1, one.index[:-1], -one.index[-1]), default=None)
    if at is None:
        return []
    right, found = format_number(number_at(sheet.worked, at.stage, at.index), DECIMALS), list[str]()
    for mistake, number in mistaken_numbers(sheet, at):
        if len(found) == MOST_NAMED:
            break
        clear = np.isfinite(number) and format_number(number, DECIMALS) != right
        if clear and _can_be_made(mistake, sheet):
            words = style.translate("Mistakes", mistake.brief).format(d_k=sheet.evaluation.problem.d_k)
            found.append(f"{words} {format_number(number, DECIMALS)}")
    heading = style.translate("Worksheets", USUAL).format(cell=_cell(at, sheet, style))
    return [(heading, True), *((line, False) for line in _side_by_side(found, room))] if found else []


def _can_be_made(mistake: Mistake, sheet: Worksheet) -> bool:
    """Return whether a mistake is left to make: the scores that are printed have none in them."""
    right = sheet.evaluation
    if all(right.scores not in names for names in sheet.given):
        return True
    made = mistake.made_in(right.problem)
    box = indices.whole(right.shape(right.scores))
    return right.scores in made.stages and np.array_equal(made.box(right.scores, box), right.box(right.scores, box))


def _side_by_side(texts: Sequence[str], room: float) -> list[str]:
    """Return texts with dots between them in as few lines as a width asks for, none broken."""
    lines: list[str] = []
    for text in texts:
        if lines and width_of(both := f"{lines[-1]} · {text}", LEAST) <= room:
            lines[-1] = both
        else:
            lines.append(text)
    return lines


MOST_NAMED = 4
