"""Files of worksheets and solutions: names, how many tokens fit on a page, pages of a solution."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.checks import as_whole
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.evaluation.trace import evaluation_of, problem_in
from attn_gui.engine.problem import Problem
from attn_gui.figure.answer_keys import key_pages
from attn_gui.figure.design_tokens import FONT_SIZE
from attn_gui.figure.formula_typesetting import Formula, baselines_of, laid_out, line_heights, typeset
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.worksheet_pages import HEIGHT, WIDTH, WOULD_FIT, page_of_sheet, sheet_layout
from attn_gui.figure.writers import END, PX_PER_CM, Page, write_line, write_pages
from attn_gui.formats.atomic_writing import replacing
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import LANGUAGES
from attn_gui.lessons.exercises import USUAL_LEVEL, Worksheet, worksheets
from attn_gui.lessons.worked_solutions import (
    ENDINGS,
    Part,
    SolutionHeading,
    SolutionSentence,
    WorkedSolution,
    WrittenEquation,
    WrittenMatrix,
    latex_document,
    markdown_text,
    parts_of,
    solution_of_all,
    solution_of_cell,
)

PARTS = "worksheets", "keys"
"""Parts of the file names."""


MOST_TOKENS = 16
"""No page has room for so many."""


def class_files(name: str, *, keys: bool = True) -> list[str]:
    """Return the names of the files of a class."""
    return [f"{name}-{part}.pdf" for part in (PARTS if keys else PARTS[:1])]


def check_sheet(problem: Problem, level: str, lang: str = "en") -> bool:
    """Return whether a page has room for the projections, too; without it Q, K and V are given.

    Raises ValueError with one sentence where the problem makes no worksheet, or one that does not fit on a page.
    """
    ensure_gui()
    style = PageStyle("light", lang)
    for projections in (True, False):
        try:  # where things stand hardly depends on the numbers
            for sheet in worksheets(problem, 1, 0, level, projections=projections, draws=1):
                sheet_layout(sheet, style)
                key_pages([sheet], style)
        except ValueError:
            if not projections or not problem.projected:
                raise
        else:
            break
    return projections


def _with_tokens_that_fit(full: ValueError, problem: Problem, level: str, lang: str) -> ValueError:
    """Return the refusal of a problem that is too large, with how many tokens would fit.

    A page is laid out for each number that is tried, a second in all: the dialog, which checks as one chooses, does
    without.
    """
    fewer = range(1, min(problem.n + problem.m, MOST_TOKENS))
    most = bisect_left(fewer, True, key=lambda tokens: not _fits(problem, tokens, level, lang))
    if most == 0:
        return full
    style = PageStyle("light", lang)
    said = style.translate("Worksheets", WOULD_FIT).format(tokens=most)
    return ValueError(style.translate("Sentences", "{sentence} {next}").format(sentence=full, next=said))


def _fits(problem: Problem, tokens: int, level: str, lang: str) -> bool:
    """Return whether a page has room for a problem of so many tokens at most."""
    try:
        problem = problem.replace(**resize(problem, n=min(problem.n, tokens)).fields)
        if problem.m > tokens:
            problem = problem.replace(**resize(problem, m=tokens).fields)
        check_sheet(problem, level, lang)
    except ValueError:
        return False
    return True


def write_class(
    problem: Problem,
    folder: Path,
    name: str,
    *,
    count: int,
    seed: int,
    level: str = USUAL_LEVEL,
    lang: str = "en",
    keys: bool = True,
    progress: Progress = silent,
) -> Iterator[Path]:
    """Write NAME-worksheets.pdf, a page for each student, and NAME-keys.pdf for the teacher, several keys on a page;
    gives each path once it is written.

    Raises ValueError with a sentence for what cannot be, and how many tokens fit where these do not.
    """
    try:
        projections = check_sheet(problem, level, lang)
    except FormatError:
        raise
    except ValueError as full:
        raise _with_tokens_that_fit(full, problem, level, lang) from None
    style, sheets = PageStyle("light", lang), list[Worksheet]()
    for sheet in worksheets(problem, count, seed, level, projections=projections):
        progress((sheet.number - 1) / (count + 1))
        sheets.append(sheet)
    for file, part in zip(class_files(name, keys=keys), PARTS, strict=False):
        pages = key_pages(sheets, style) if part == "keys" else [page_of_sheet(sheet, style) for sheet in sheets]
        progress(count / (count + 1))
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
class WorksheetBlock:
    """Something of the full width, as high as it is; `before` is left free above it unless it begins a page."""

    height: float
    before: float
    paint: Callable[[QPainter, float], None]
    needs: float = 0.0


def solution_pages(parts: Sequence[Part], style: PageStyle, progress: Progress = silent) -> list[Page]:
    """Lay out a solution on pages. Calls `progress` with the share that is done; an exception from it ends the work."""
    blocks: list[WorksheetBlock] = []
    for place, part in enumerate(parts):
        blocks += _blocks_of(part, style, below=parts[place - 1] if place else part)
        progress(place / len(parts))
    pages: list[list[tuple[float, WorksheetBlock]]] = [[]]
    y = SOLUTION_MARGIN
    for block in blocks:
        before = block.before if pages[-1] else 0.0
        if pages[-1] and y + before + block.height + block.needs > HEIGHT - SOLUTION_MARGIN - FOOT:
            pages.append([])
            y, before = SOLUTION_MARGIN, 0.0
        pages[-1].append((y + before, block))
        y += before + block.height
    title = next((part.text for part in parts if isinstance(part, SolutionHeading)), "")
    return [_page(own, number, len(pages), title, style) for number, own in enumerate(pages, 1)]


def _page(blocks: list[tuple[float, WorksheetBlock]], number: int, count: int, title: str, style: PageStyle) -> Page:
    def paint(painter: QPainter) -> None:
        for top, block in blocks:
            block.paint(painter, top)
        foot = QPointF(WIDTH - SOLUTION_MARGIN, HEIGHT - SOLUTION_MARGIN)
        write_line(painter, foot, f"{number} / {count}", style.theme.text3, FONT_SIZE.body, anchor=END)

    return Page(WIDTH, HEIGHT, title, paint, style.theme.surface)


def _blocks_of(part: Part, style: PageStyle, below: Part) -> Iterator[WorksheetBlock]:
    if isinstance(part, SolutionHeading):
        size = FONT_SIZE.section if not part.first else FONT_SIZE.section * 1.4
        text = f"{part.text}  {part.letter}" if part.letter else part.text
        yield WorksheetBlock(LINE, HEADING_GAP, partial(_write, text, size, style.theme.text, True), KEPT)
    elif isinstance(part, SolutionSentence):
        before = 0.0 if isinstance(below, SolutionHeading) else PART_GAP
        yield WorksheetBlock(LINE, before, partial(_write, part.text, FONT_SIZE.body, style.theme.text2, False), LINE)
    elif isinstance(part, WrittenEquation):
        yield _equation(part, style)
    else:
        yield _matrix(part, style)


def _write(text: str, size: float, color: QColor, strong: bool, painter: QPainter, top: float) -> None:
    write_line(painter, QPointF(SOLUTION_MARGIN, top + LINE * 0.72), text, color, size, strong=strong)


def _colors(style: PageStyle) -> dict[str, QColor]:
    return {"text": style.theme.text, "query": style.theme.query, "key": style.theme.key}


def _equation(part: WrittenEquation, style: PageStyle) -> WorksheetBlock:
    pieces = laid_out((part.chain, *part.parts), ROOM, EM)
    height = sum(up + down for up, down in line_heights(pieces))

    def paint(painter: QPainter, top: float) -> None:
        baselines = baselines_of(pieces)
        for piece in pieces:
            at = QPointF(SOLUTION_MARGIN + piece.x, top + baselines[piece.line] - piece.formula.ascent * piece.size)
            piece.formula.paint(painter, at, piece.size, _colors(style))

    return WorksheetBlock(height, PART_GAP, paint)


def _matrix(part: WrittenMatrix, style: PageStyle) -> WorksheetBlock:
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

    return WorksheetBlock(height, PART_GAP, paint)


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
    parts = list(parts_of(solution, style.translate, lang))
    with replacing(path) as file:
        SHEETS[ending](parts, style, file, progress)


def solution_name(stem: str, stage: str | None, index: Sequence[int] | None) -> str:
    """Return the name of a file without its ending: NAME-solution, NAME-solution-STAGE-hHEAD-ROW-COLUMN of a cell."""
    if stage is None or index is None:
        return f"{stem}-solution"
    head = [f"h{index[1]}"] if len(index) == 4 else []
    return "-".join([stem, "solution", stage, *head, *map(str, index[-2:])])
