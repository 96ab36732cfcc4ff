"""Worksheets, their keys and worked solutions as pages of A4 and as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.document.number_text import shown
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import as_whole
from attn_gui.engine.evaluation.trace import evaluation_of, problem_in
from attn_gui.engine.graph.nodes import symbol
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Progress, silent
from attn_gui.engine.scores import SCORES
from attn_gui.engine.sentences import spelled
from attn_gui.engine.stages import STAGE
from attn_gui.figure.pages.base import PageStyle, metrics
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.tokens import FONT_SIZE
from attn_gui.figure.typesetting import Formula, baselines_of, laid_out, line_heights, typeset
from attn_gui.figure.writers import END, MIDDLE, PX_PER_CM, Page, write_line, write_pages
from attn_gui.formats.saving import replacing
from attn_gui.languages import LANGUAGES, QT_TRANSLATE_NOOP
from attn_gui.lessons.exercises import Covered, Worksheet, worksheets
from attn_gui.lessons.lesson import written
from attn_gui.lessons.solutions import (
    ENDINGS,
    Equation,
    Heading,
    Part,
    Sentence,
    WorkedSolution,
    WrittenMatrix,
    given_matrices,
    given_numbers,
    latex_document,
    markdown_text,
    parts_of,
    solution_of_all,
    solution_of_cell,
)

# --- tables ---------------------------------------------------------------------------------------
# Tables of a worksheet: matrices with a label a row and column, cells that are left out, and the keys to them.


DECIMALS = 2


@dataclass(frozen=True)
class WorksheetTable:
    """One matrix on paper: `cells` are texts, `left` the places that are left out of it."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    left: frozenset[tuple[int, int]] = frozenset()


def tables_of(sheet: Worksheet, style: PageStyle) -> Iterator[WorksheetTable]:
    """The given matrices, then every stage, head by head; of a batch the first item."""
    for name, head, values in given_matrices(sheet.evaluation, 0):
        yield _table(symbol(name) + _of_head(head, style), values, write=_given)
    if sheet.evaluation.problem.projected:
        for name in ("query", "key", "value"):
            yield from _stage(sheet, name, style)
    for name in sheet.stages:
        yield from _stage(sheet, name, style)


def facts_of(sheet: Worksheet, style: PageStyle) -> str:
    """Facts that a pupil needs besides: the score, unless it is the dot product, and the numbers that are given."""
    problem, score = sheet.evaluation.problem, SCORES[sheet.evaluation.problem.score]
    facts = [f"{symbol(name)} = {spelled(value)}" for name, value in given_numbers(problem).items()]
    if not score.dot:
        facts.insert(0, f"{symbol(sheet.evaluation.scores)}: {style.translate('Scores', score.label)}")
    return "    ".join(facts)


def _stage(sheet: Worksheet, name: str, style: PageStyle) -> Iterator[WorksheetTable]:
    evaluation, covered = sheet.evaluation, Covered(sheet.evaluation, sheet.blanks)
    stage, shape = STAGE[name], evaluation.shape(name)
    values = evaluation.box(name, tuple(slice(0, size) for size in shape))[0]
    called = stage.called.zh if style.lang == "zh" else stage.called.en
    title = f"{stage.symbol}  {called}"
    left_out = covered.left_out(name, tuple(slice(0, size) for size in shape))
    if values.ndim == 2:
        yield _table(title, values, frozenset((at[1], at[2]) for at in left_out if at[0] == 0))
        return
    for head, matrix in enumerate(values):
        more = _of_head(head if len(values) > 1 else None, style)
        left = frozenset((at[2], at[3]) for at in left_out if at[:2] == (0, head))
        yield _table(title + more, matrix, left)


def _of_head(head: int | None, style: PageStyle) -> str:
    return "" if head is None else f"  {style.words.head.format(head)}"


def _given(value: float) -> str:
    return written(round(value, DECIMALS + 1))  # one decimal more than is asked for


def _number(value: float) -> str:
    return shown(value, 0 if value.is_integer() else DECIMALS)


def _table(
    title: str, values: Array, left: frozenset[tuple[int, int]] = frozenset(), write: Callable[[float], str] = _number
) -> WorksheetTable:
    rows, columns = values.shape
    cells = tuple(tuple(map(write, row)) for row in values.tolist())
    return WorksheetTable(title, tuple(map(str, range(rows))), tuple(map(str, range(columns))), cells, left)


# --- worksheet page -------------------------------------------------------------------------------
# A worksheet and its key as pages of A4: one painter, the key with the numbers in the places of the blanks.


WIDTH, HEIGHT, SHEET_MARGIN = 21 * PX_PER_CM, 29.7 * PX_PER_CM, 1.5 * PX_PER_CM
CELL, ROW_HEIGHT, LABEL, TABLE_GAP, TITLE = 44.0, 24.0, 18.0, 24.0, 18.0
TOP = 72.0  # of the tables, below the name, the task and the facts
BASELINE = 0.68  # of a line

SHEET = QT_TRANSLATE_NOOP("Worksheets", "Worksheet {number}")
KEY = QT_TRANSLATE_NOOP("Worksheets", "Answer key {number}")
NAME = QT_TRANSLATE_NOOP("Worksheets", "Name:")
TASK = QT_TRANSLATE_NOOP("Worksheets", "Fill in the empty cells, to two decimals. Rows and columns count from 0.")
FULL = QT_TRANSLATE_NOOP("Worksheets", "These matrices do not fit on a page; choose a smaller problem.")


def page_of_sheet(sheet: Worksheet, style: PageStyle, *, solved: bool) -> Page:
    """Return a page to print; `solved` fills the blanks in. Raises ValueError where the tables do not fit on it."""
    places = _placed(list(tables_of(sheet, style)), style)
    title = style.translate("Worksheets", KEY if solved else SHEET).format(number=sheet.number)
    facts = facts_of(sheet, style)

    def paint(painter: QPainter) -> None:
        _paint_head(painter, style, title, solved)
        write_line(painter, QPointF(SHEET_MARGIN, SHEET_MARGIN + 62), facts, style.theme.text, FONT_SIZE.body)
        for corner, table in places:
            _paint_table(painter, style, corner, table, solved)

    return Page(WIDTH, HEIGHT, title, paint, style.theme.surface)


def _placed(tables: list[WorksheetTable], style: PageStyle) -> list[tuple[QPointF, WorksheetTable]]:
    """Return the corner of every table: side by side while there is room, then in a new row."""
    found, x, y, high = [], SHEET_MARGIN, SHEET_MARGIN + TOP, 0.0
    for table in tables:
        named = metrics("body", strong=True).horizontalAdvance(table.title)
        wide, tall = (LABEL + max(CELL * len(table.columns), named), TITLE + LABEL + ROW_HEIGHT * len(table.rows))
        if x > SHEET_MARGIN and x + wide > WIDTH - SHEET_MARGIN:
            x, y, high = SHEET_MARGIN, y + high + TABLE_GAP, 0.0
        if x + wide > WIDTH - SHEET_MARGIN + 1 or y + tall > HEIGHT - SHEET_MARGIN:
            raise ValueError(style.translate("Worksheets", FULL))
        found.append((QPointF(x, y), table))
        x, high = x + wide + TABLE_GAP, max(high, tall)
    return found


def _paint_head(painter: QPainter, style: PageStyle, title: str, solved: bool) -> None:
    theme, right = style.theme, WIDTH - SHEET_MARGIN
    write_line(painter, QPointF(SHEET_MARGIN, SHEET_MARGIN + 14), title, theme.text, FONT_SIZE.section, strong=True)
    if solved:
        return
    middle = WIDTH / 2
    write_line(
        painter, QPointF(middle, SHEET_MARGIN + 14), style.translate("Worksheets", NAME), theme.text2, FONT_SIZE.body
    )
    painter.setPen(QPen(theme.line_strong, 1))
    painter.drawLine(QPointF(middle + 48, SHEET_MARGIN + 16), QPointF(right, SHEET_MARGIN + 16))
    write_line(
        painter,
        QPointF(SHEET_MARGIN, SHEET_MARGIN + 46),
        style.translate("Worksheets", TASK),
        theme.text2,
        FONT_SIZE.body,
    )


def _paint_table(painter: QPainter, style: PageStyle, corner: QPointF, table: WorksheetTable, solved: bool) -> None:
    theme, size = style.theme, FONT_SIZE.body
    left, top = corner.x() + LABEL, corner.y() + TITLE + LABEL
    write_line(painter, QPointF(left, corner.y() + 12), table.title, theme.text, size, strong=True)
    for column, name in enumerate(table.columns):
        at = QPointF(left + (column + 0.5) * CELL, top - 6)
        write_line(painter, at, name, theme.text3, FONT_SIZE.micro, anchor=MIDDLE)
    for row, cells in enumerate(table.cells):
        line = top + (row + BASELINE) * ROW_HEIGHT
        write_line(painter, QPointF(left - 6, line), table.rows[row], theme.text3, FONT_SIZE.micro, anchor=END)
        for column, text in enumerate(cells):
            _paint_cell(painter, style, QRectF(left + column * CELL, top + row * ROW_HEIGHT, CELL, ROW_HEIGHT),
                        text, (row, column) in table.left, solved)  # fmt: skip
    painter.setPen(QPen(theme.text, 1))
    for row, column in table.left:
        painter.drawRect(QRectF(left + column * CELL, top + row * ROW_HEIGHT, CELL, ROW_HEIGHT))


def _paint_cell(painter: QPainter, style: PageStyle, place: QRectF, text: str, left: bool, solved: bool) -> None:
    """A given number on a light ground; one that is left out on white, in the key in the accent."""
    theme = style.theme
    painter.fillRect(place, theme.surface if left else theme.raised)
    painter.setPen(QPen(theme.line, 1))
    painter.drawRect(place)
    if left and not solved:
        return
    at = QPointF(place.center().x(), place.top() + BASELINE * ROW_HEIGHT)
    color = theme.accent if left else theme.text
    write_line(painter, at, text, color, FONT_SIZE.body, strong=left, anchor=MIDDLE)


# --- a class --------------------------------------------------------------------------------------
# The worksheets of a class and their keys, each as one PDF file.


PARTS = {"worksheets": False, "keys": True}
"""Parts of the file names, and whether the cells that are left out are filled in."""


def class_files(name: str, *, keys: bool = True) -> list[str]:
    """Return the names of the files of a class."""
    return [f"{name}-{part}.pdf" for part, solved in PARTS.items() if keys or not solved]


def check_sheet(problem: Problem, seed: int, stages: Sequence[str], blanks: int, lang: str = "en") -> None:
    """Raise ValueError with one sentence where the problem makes no worksheet, or one that does not fit on a page."""
    ensure_gui()
    for sheet in worksheets(problem, 1, seed, stages, blanks):
        page_of_sheet(sheet, PageStyle("light", lang), solved=True)


def write_class(
    problem: Problem,
    folder: Path,
    name: str,
    *,
    count: int,
    seed: int,
    blanks: int,
    stages: Sequence[str] = (),
    lang: str = "en",
    keys: bool = True,
    progress: Progress = silent,
) -> Iterator[Path]:
    """Write NAME-worksheets.pdf and NAME-keys.pdf, a page for each student; gives each path once it is written.

    Raises ValueError with one sentence for what cannot be.
    """
    ensure_gui()
    style = PageStyle("light", lang)
    files, sheets = class_files(name, keys=keys), list[Worksheet]()
    for sheet in worksheets(problem, count, seed, stages, blanks):
        progress((sheet.number - 1) / (count * (1 + len(files))))
        sheets.append(sheet)
    for done, (file, solved) in enumerate(zip(files, PARTS.values(), strict=False), 1):
        pages = list[Page]()
        for sheet in sheets:
            progress((count * done + len(pages)) / (count * (1 + len(files))))
            pages.append(page_of_sheet(sheet, style, solved=solved))
        with replacing(folder / file) as target:
            write_pages(pages, target)
        yield folder / file


# --- solution pages -------------------------------------------------------------------------------


SOLUTION_MARGIN = 1.8 * PX_PER_CM
ROOM = WIDTH - 2 * SOLUTION_MARGIN
FOOT = 24.0
PART_GAP, HEADING_GAP = 10.0, 20.0
LINE = 22.0
EM, SMALLER = 15.0, 13.0
"""Pixels an em of equations and of matrices."""
COLUMN_GAP, BRACKET = 18.0, 5.0
KEPT = 90.0
"""Below a heading there is room for so much, or it goes to the next page."""


@dataclass(frozen=True)
class Slab:
    """Something of the full width, as high as it is; `before` is left free above it unless it begins a page."""

    height: float
    before: float
    paint: Callable[[QPainter, float], None]
    needs: float = 0.0


def solution_pages(parts: Sequence[Part], style: PageStyle, progress: Progress = silent) -> list[Page]:
    """Lay out a solution on pages. Calls `progress` with the share that is done; an exception from it ends the work."""
    slabs: list[Slab] = []
    for place, part in enumerate(parts):
        slabs += _slabs(part, style)
        progress(place / len(parts))
    pages: list[list[tuple[float, Slab]]] = [[]]
    y = SOLUTION_MARGIN
    for slab in slabs:
        before = slab.before if pages[-1] else 0.0
        if pages[-1] and y + before + slab.height + slab.needs > HEIGHT - SOLUTION_MARGIN - FOOT:
            pages.append([])
            y, before = SOLUTION_MARGIN, 0.0
        pages[-1].append((y + before, slab))
        y += before + slab.height
    title = next((part.text for part in parts if isinstance(part, Heading)), "")
    return [_page(own, number, len(pages), title, style) for number, own in enumerate(pages, 1)]


def _page(slabs: list[tuple[float, Slab]], number: int, count: int, title: str, style: PageStyle) -> Page:
    def paint(painter: QPainter) -> None:
        for top, slab in slabs:
            slab.paint(painter, top)
        foot = QPointF(WIDTH - SOLUTION_MARGIN, HEIGHT - SOLUTION_MARGIN)
        write_line(painter, foot, f"{number} / {count}", style.theme.text3, FONT_SIZE.body, anchor=END)

    return Page(WIDTH, HEIGHT, title, paint, style.theme.surface)


def _slabs(part: Part, style: PageStyle) -> Iterator[Slab]:
    if isinstance(part, Heading):
        size = FONT_SIZE.section if not part.first else FONT_SIZE.section * 1.4
        text = f"{part.text}  {part.letter}" if part.letter else part.text
        yield Slab(LINE, HEADING_GAP, partial(_write, text, size, style.theme.text, True), KEPT)
    elif isinstance(part, Sentence):
        yield Slab(LINE, 0.0, partial(_write, part.text, FONT_SIZE.body, style.theme.text2, False), LINE)
    elif isinstance(part, Equation):
        yield _equation(part, style)
    else:
        yield _matrix(part, style)


def _write(text: str, size: float, color: QColor, strong: bool, painter: QPainter, top: float) -> None:
    write_line(painter, QPointF(SOLUTION_MARGIN, top + LINE * 0.72), text, color, size, strong=strong)


def _colors(style: PageStyle) -> dict[str, QColor]:
    return {"text": style.theme.text, "query": style.theme.query, "key": style.theme.key}


def _equation(part: Equation, style: PageStyle) -> Slab:
    pieces = laid_out((part.chain, *part.parts), ROOM, EM)
    height = sum(up + down for up, down in line_heights(pieces))

    def paint(painter: QPainter, top: float) -> None:
        baselines = baselines_of(pieces)
        for piece in pieces:
            at = QPointF(SOLUTION_MARGIN + piece.x, top + baselines[piece.line] - piece.formula.ascent * piece.size)
            piece.formula.paint(painter, at, piece.size, _colors(style))

    return Slab(height, PART_GAP, paint)


def _matrix(part: WrittenMatrix, style: PageStyle) -> Slab:
    """Return the letter, and the numbers between brackets, each column flush right; smaller where they are too wide."""
    cells = [[typeset(text) for text in row] for row in part.rows]
    letter = typeset(f"{part.latex} = {{}}")
    widths = [max(row[column].width for row in cells) for column in range(len(cells[0]))]
    whole = (letter.width + sum(widths)) * SMALLER + COLUMN_GAP * (len(widths) + 1)
    scale = min(1.0, ROOM / whole)
    height = LINE * scale * len(cells)

    def paint(painter: QPainter, top: float) -> None:
        painter.save()
        painter.translate(SOLUTION_MARGIN, top)
        painter.scale(scale, scale)
        _paint_matrix(painter, letter, cells, widths, style)
        painter.restore()

    return Slab(height, PART_GAP, paint)


def _paint_matrix(
    painter: QPainter, letter: Formula, cells: list[list[Formula]], widths: list[float], style: PageStyle
) -> None:
    colors, height = _colors(style), LINE * len(cells)
    axis = height / 2 + 0.25 * SMALLER
    letter.paint(painter, QPointF(0, axis - letter.ascent * SMALLER), SMALLER, colors)
    left = x = letter.width * SMALLER + COLUMN_GAP / 2
    for column, width in enumerate(widths):
        x += width * SMALLER + (COLUMN_GAP if column else COLUMN_GAP / 2)
        for row, line in enumerate(cells):
            own = line[column]
            baseline = LINE * (row + 0.7)
            own.paint(painter, QPointF(x - own.width * SMALLER, baseline - own.ascent * SMALLER), SMALLER, colors)
    right = x + COLUMN_GAP / 2
    painter.setPen(QPen(style.theme.text, 1))
    for side, inner in ((left, left + BRACKET), (right, right - BRACKET)):
        painter.drawLine(QPointF(side, 0), QPointF(side, height))
        painter.drawLine(QPointF(side, 0), QPointF(inner, 0))
        painter.drawLine(QPointF(side, height), QPointF(inner, height))


# --- solution files -------------------------------------------------------------------------------
# A worked solution as files: PDF, LaTeX and Markdown, by the endings of their names.


Writer = Callable[[Sequence[Part], PageStyle, IO[bytes], Progress], None]


def _write_pdf(parts: Sequence[Part], style: PageStyle, file: IO[bytes], progress: Progress) -> None:
    ensure_gui()
    write_pages(solution_pages(parts, style, progress), file)


def _write_latex(parts: Sequence[Part], style: PageStyle, file: IO[bytes], progress: Progress) -> None:
    file.write(latex_document(parts, style.lang).encode())


def _write_markdown(parts: Sequence[Part], style: PageStyle, file: IO[bytes], progress: Progress) -> None:
    file.write(markdown_text(parts).encode())


SHEETS: Mapping[str, Writer] = MappingProxyType(
    dict(zip(ENDINGS, (_write_pdf, _write_latex, _write_markdown), strict=True))
)
"""The writers by the words of the command line, which are the endings."""


def write_solution(
    problem: Problem,
    path: str | Path,
    *,
    stage: str | None = None,
    cell: tuple[int, int] | None = None,
    head: int = 0,
    batch: int = 0,
    index: Sequence[int] | None = None,
    lang: str = "en",
) -> Path:
    """Write the worked solution of a cell (row, column), or of a whole batch item, as the path ends: .pdf, .tex or
    .md.

    In place of cell, head and batch `index` may have one integer per axis of the stage, as for `explain`. LaTeX is a
    document of its own, for pdflatex, in Chinese for xelatex. Raises ValueError with a sentence for what is too
    large to be read on paper.
    """
    problem, path = problem_in(problem, "write_solution", ", path"), Path(path)
    if (stage is None) != (index is None and cell is None):
        raise ValueError("A cell needs stage and cell, a whole problem neither.")
    if index is not None and (batch or head or cell is not None):
        raise ValueError("The place of a cell stands in its index: leave out batch, cell and head.")
    if lang not in LANGUAGES:
        raise ValueError(f"{lang!r} is not one of {', '.join(LANGUAGES)}.")
    evaluation = evaluation_of(problem)
    if stage is not None and cell is not None:
        heads = (head,) if "head" in evaluation.axes(stage) else ()
        index = (batch, *heads, *cell)
    if head and (index is None or len(index) < 4):
        raise ValueError("head is for a cell of a stage that has heads; here it would change nothing.")
    if stage is None or index is None:
        save_solution(solution_of_all(evaluation, as_whole("batch", batch)), path, lang)
    else:
        save_solution(solution_of_cell(evaluation, stage, index), path, lang)
    return path


def save_solution(solution: WorkedSolution, path: Path, lang: str, progress: Progress = silent) -> None:
    """Write a solution as the path ends. Raises ValueError with a sentence for another ending.

    `progress` gets the share done; what it raises ends the writing, and an old file is untouched.
    """
    ending, style = path.suffix.removeprefix(".").lower(), PageStyle("light", lang)
    if ending not in SHEETS:
        raise ValueError(
            f"A worked solution is a {', '.join(SHEETS)} file, got {ending or 'a path without an ending'}."
        )
    parts = list(parts_of(solution, lambda text: style.translate("Solutions", text), lang))
    with replacing(path) as file:
        SHEETS[ending](parts, style, file, progress)


def solution_name(stem: str, stage: str | None, index: Sequence[int] | None) -> str:
    """Return the name of a file without its ending: NAME-solution, NAME-solution-STAGE-hHEAD-ROW-COLUMN of a cell."""
    if stage is None or index is None:
        return f"{stem}-solution"
    head = [f"h{index[1]}"] if len(index) == 4 else []
    return "-".join([stem, "solution", stage, *head, *map(str, index[-2:])])
