"""A worksheet on A4: heading, Student, Class, tables, boxes, formulas and hints of each step, what does not fit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from attn_gui.engine.analysis.explanation import LATEX
from attn_gui.engine.arrays import Array
from attn_gui.engine.errors import spelled
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import matrix_latex, symbol, title
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE
from attn_gui.figure.formula_typesetting import typeset
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import format_number
from attn_gui.figure.text.rich_text import elided, token_label, wrapped
from attn_gui.figure.writers import END, MIDDLE, PX_PER_CM, START, Page, write_line
from attn_gui.formats.file_format import stage_labels
from attn_gui.languages import N_
from attn_gui.lessons.exercises import DECIMALS, PROJECTED, Worksheet
from attn_gui.lessons.lesson import written
from attn_gui.lessons.worked_solutions import ALLOWED, given_matrices, given_numbers, mask_sentences

MM = PX_PER_CM / 10
PT = PX_PER_CM * 2.54 / 72
WIDTH, HEIGHT, MARGIN = 210 * MM, 297 * MM, 20 * MM
INNER = WIDTH - 2 * MARGIN
SIZES = 1.0, 0.86, 0.74
"""Of tables, tried one after another until a page holds them: 11 points, and not less than 8."""
NUMBER, TEXT, LEAST = 11 * PT, 9 * PT, 8 * PT
THIN = 0.6
FRAME = 1.6
"""Widths of a faint line and of that around a cell to be filled in, in pixels of 1/96 inch."""


# --- tables ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class WorksheetTable:
    """One matrix on paper: `cells` are texts, `asked` the places that are to be filled in, `marked` one in a key."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    asked: frozenset[tuple[int, int]] = frozenset()
    marked: tuple[int, int] | None = None


BEHIND = "w_output", "b_output", ALLOWED
"""What is behind the last step of a sheet, and the mask, whose −∞ stand in the tables of masked scores."""
PROJECTING = "x", "context", *(f"{letter}_{name}" for name in PROJECTED for letter in "wb"), "block."
"""How names begin of what Q, K and V are computed from, and of what a block does before and after."""


def given_tables(
    sheet: Worksheet, style: PageStyle, *, named: bool = False
) -> tuple[list[WorksheetTable], list[WorksheetTable]]:
    """Return the matrices that the reckoning begins with, and the stages that are given; of a batch the first item.

    `named`: Q, K and V have their names beside the letters.
    """
    evaluation = sheet.evaluation
    after = [table for names in sheet.given for table in stage_tables(sheet, names, style)]
    given = {name for names in sheet.given for name in names}
    if given.issuperset((*PROJECTED, evaluation.scores)):
        return [], after  # what they were computed from is of no use
    projected = given.issuperset(PROJECTED)
    own = []
    for name, head, values, _names in given_matrices(evaluation, 0):
        if name not in BEHIND and not (projected and name.startswith(PROJECTING)):
            words = f"  {title(name, style.lang)}" if named and name in PROJECTED else ""
            heading = _titled(name, head, style) + words
            own.append(_table(heading, _labels(evaluation, name, len(values)), values, _given))
    return own, after


def stage_tables(
    sheet: Worksheet, names: Sequence[str], style: PageStyle, *, solved: bool = False
) -> list[WorksheetTable]:
    """Return the tables of a step, one a head: with blanks, with the wrong number of the sheet, or solved."""
    evaluation, name = sheet.worked, names[-1]
    values = evaluation.box(name, indices.whole(evaluation.shape(name)))[:1]
    asked = {blank.index for blank in sheet.blanks if blank.stage == name}
    slip = sheet.slip
    if slip is not None and not solved:
        if slip.at.stage == name:
            values = values.copy()
            values[slip.at.index] = slip.number
        asked = set()
    labels, write = _labels(evaluation, name, values.shape[-2]), alike(values)
    if values.ndim == 3:
        return [_table(symbol(name), labels, values[0], write, {(at[1], at[2]) for at in asked})]
    heads = values.shape[1]
    return [
        _table(
            _titled(name, head if heads > 1 else None, style), labels, values[0, head], write,
            {(at[2], at[3]) for at in asked if at[1] == head},
        )
        for head in range(heads)
    ]  # fmt: skip


def _titled(name: str, head: int | None, style: PageStyle) -> str:
    return symbol(name) if head is None else f"{symbol(name)}  {style.words.head.format(head)}"


def _labels(evaluation: Evaluation, name: str, count: int) -> list[str]:
    """Return the numbers of rows, and of Q, K, V and what they are computed from the tokens, too."""
    tokens = (stage_labels(evaluation, name)[0] if name in STAGE and not STAGE[name].square else None) or ()
    named = list(tokens)[:count] if len(tokens) == count else []
    return [f"{row} {token_label(named[row])}".strip() if named else str(row) for row in range(count)]


def _given(value: float) -> str:
    return written(round(value, DECIMALS + 1))  # one decimal more than is asked for


def alike(values: Array) -> Callable[[float], str]:
    """Return how the numbers of a table are written: all of them with decimals unless all are whole."""
    finite = values[np.isfinite(values)]
    return partial(format_number, decimals=0 if (finite == np.rint(finite)).all() else DECIMALS)


def _table(
    name: str,
    labels: Sequence[str],
    values: Array,
    write: Callable[[float], str],
    asked: Collection[tuple[int, int]] = (),
) -> WorksheetTable:
    cells = tuple(tuple(map(write, row)) for row in values.tolist())
    return WorksheetTable(name, tuple(labels), tuple(map(str, range(values.shape[1]))), cells, frozenset(asked))


# --- words and formulas ---------------------------------------------------------------------------
HEADING = N_("Worksheets", "Scaled dot-product attention, step by step")
OTHER_HEADING = N_("Worksheets", "Attention, step by step")
NUMBERED = N_("Worksheets", "No. {number}")
NAME = N_("Worksheets", "Student")
CLASS = N_("Worksheets", "Class")
DATE = N_("Worksheets", "Date")
SCORE = N_("Worksheets", "Score")
WORKING = N_("Worksheets", "Working")
FOOT = N_("Worksheets", "attn_gui worksheet · seed {seed} · answers on the teacher's page")
FULL = N_(
    "Worksheets",
    "These matrices do not fit on one page with room for working; choose a smaller problem, or a level that asks for "
    "less.",
)
FULL_OF_ONE = N_("Worksheets", "These matrices do not fit on one page with room for working; choose a smaller problem.")
WOULD_FIT = N_("Worksheets", "Tokens that fit at this level: {tokens}.")
SCORE_FUNCTION = N_("Worksheets", "{letter}: {score}")
COLUMNS = N_("Worksheets", "columns of heads {heads}: {columns}")
ROW_SUMS = N_("Worksheets", "Sum of each row:")
ROW = N_("Worksheets", "row {row}")
WHERE = N_("Worksheets", "The wrong number: step ____ , row ____ , column ____ ; it should be ________ .")
WHERE_OF_HEADS = N_(
    "Worksheets", "The wrong number: step ____ , head ____ , row ____ , column ____ ; it should be ________ ."
)
REASON = N_("Worksheets", "What went wrong:")
TITLES: Mapping[Role | None, str] = {
    Role.SCALE: N_("Worksheets", "Scaling"),
    Role.BIAS: N_("Worksheets", "Bias"),
    Role.CLOSE: N_("Worksheets", "Mask"),
    Role.WEIGHT: N_("Worksheets", "softmax"),
    Role.MIX: N_("Worksheets", "Weighted sum"),
}
"""What a step is called that does this; any other by the title of its stage."""
HINTS: Mapping[Role | None, str] = {
    Role.SCORE: N_("Worksheets", "Each row of Q with each row of K: multiply, add up."),
    Role.MIX: N_("Worksheets", "Each row of A weights the rows of V."),
}
"""What is done in a step, where its formula does not say it."""


def heading_of(sheet: Worksheet) -> str:
    problem = sheet.evaluation.problem
    return HEADING if SCORES[problem.score].root_scale and problem.scale is None else OTHER_HEADING


def whole_formula(evaluation: Evaluation) -> str:
    """Return what the sheet computes in one line of LaTeX."""
    problem, logits = evaluation.problem, evaluation.logits
    if logits is None:
        return "O = A V"
    score = SCORES[problem.score]
    made = partial(NORMALIZERS[problem.normalize].latex_of, closes=evaluation.closes)
    if not score.dot or problem.softcap is not None or problem.temperature is not None or problem.sink is not None:
        over = "" if problem.temperature is None else " / T"
        return rf"A = {made(matrix_latex(logits) + over)}, \quad O = A V"
    roots = problem.scale is None and score.root_scale
    inside = r"\frac{Q K^{T}}{\sqrt{d_k}}" if roots else "Q K^{T}" if problem.scale == 1 else r"\alpha\,Q K^{T}"
    roles = [STAGE[stage].role for stage in evaluation.stages]
    added = "".join(sign for role, sign in ((Role.BIAS, " + B"), (Role.CLOSE, " + M")) if role in roles)
    return f"O = {made(inside + added)} V"


def step_formulas(evaluation: Evaluation, names: Sequence[str]) -> list[str]:
    """Return LaTeX of the stages of a step."""
    return [_formula(evaluation, name) for name in names]


def _formula(evaluation: Evaluation, name: str) -> str:
    problem, stage = evaluation.problem, STAGE[name]
    before = matrix_latex(_before(evaluation, name))
    score, letter = SCORES[problem.score], stage.latex
    compared = score.exponent("q_i", "k_j", problem.score_params, LATEX)
    of_role: dict[Role | None, Callable[[], str]] = {
        Role.SCORE: lambda: rf"{letter} = Q K^{{T}}" if score.dot else f"s_{{i,j}} = {compared}",
        Role.SCALE: lambda: (
            rf"{letter} = \frac{{{before}}}{{\sqrt{{d_k}}}}" if problem.scale is None and score.root_scale
            else rf"{letter} = \alpha\,{before}"
        ),
        Role.CAP: lambda: rf"{letter} = \mathrm{{cap}} \cdot \tanh\left(\frac{{{before}}}{{\mathrm{{cap}}}}\right)",
        Role.BIAS: lambda: f"{letter} = {before} + B",
        Role.CLOSE: lambda: f"{letter} = {before} + M",
        Role.WEIGHT: lambda: _weights(evaluation),
        Role.MIX: lambda: f"{letter} = A V",
    }  # fmt: skip
    if stage.role in of_role:
        return of_role[stage.role]()
    added = f" + {matrix_latex(f'b_{name}')}" if getattr(problem, f"b_{name}", None) is not None else ""
    source = "X" if name == "query" or problem.context is None else "X_2"
    return f"{letter} = {source} {matrix_latex(f'w_{name}')}{added}"


def _before(evaluation: Evaluation, name: str) -> str:
    """Return the stage of scores before another one; itself for the first."""
    square = [stage for stage in evaluation.stages if STAGE[stage].square]
    return square[max(0, square.index(name) - 1)] if name in square else name


def _weights(evaluation: Evaluation) -> str:
    if evaluation.logits is None:
        return "A"
    if not is_softmax(evaluation):
        entry = NORMALIZERS[evaluation.problem.normalize]
        return f"A = {entry.latex_of(matrix_latex(evaluation.logits), evaluation.closes)}"
    problem, base = evaluation.problem, STAGE[evaluation.logits].called.cell
    over = "" if problem.temperature is None else " / T"
    sink = "" if problem.sink is None else rf" + e^{{\mathrm{{sink}}{over}}}"
    return rf"a_{{i,j}} = \frac{{e^{{{base}_{{i,j}}{over}}}}}{{\sum_l e^{{{base}_{{i,l}}{over}}}{sink}}}"


def is_softmax(evaluation: Evaluation) -> bool:
    return evaluation.logits is not None and evaluation.node(evaluation.weights).stage.elementary


def asks_row_sums(sheet: Worksheet) -> bool:
    """Return whether the sums of rows are to be written down beside the weights."""
    problem = sheet.evaluation.problem
    few = problem.n <= FEW_ROWS and problem.num_heads == 1
    return few and sheet.slip is None and is_softmax(sheet.evaluation)


def facts(sheet: Worksheet, style: PageStyle) -> str:
    """Return what a student needs besides: columns of the heads, score, mask in words, numbers that are given."""
    problem, score = sheet.evaluation.problem, SCORES[sheet.evaluation.problem.score]
    named = {"letter": symbol(sheet.evaluation.scores), "score": style.translate("Scores", score.label)}
    found = [] if score.dot else [style.translate("Worksheets", SCORE_FUNCTION).format(**named)]
    found += [f"{symbol(name)} = {spelled(value)}" for name, value in given_numbers(problem).items()]
    found += mask_sentences(problem, style.translate)
    if problem.num_heads > 1:
        heads = ", ".join(map(str, range(problem.num_heads)))
        columns = _columns_of_heads(sheet.evaluation)
        found.append(style.translate("Worksheets", COLUMNS).format(heads=heads, columns=columns))
    return "    ".join(found)


def _columns_of_heads(evaluation: Evaluation) -> str:
    """Return the columns of Q, K and V that each head takes, with these letters where they differ."""
    own = {}
    for name in (name for name in PROJECTED if name in evaluation.stages):
        cuts = [evaluation.head_columns(name, head) for head in range(evaluation.problem.num_heads)]
        own[symbol(name)] = ", ".join("–".join(map(str, sorted({cut.start, cut.stop - 1}))) for cut in cuts)
    if len(set(own.values())) == 1:
        return next(iter(own.values()))
    return "; ".join(f"{letter} {columns}" for letter, columns in own.items())


# --- painting -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Pen:
    """Writes and draws in black on white, in a language."""

    painter: QPainter
    style: PageStyle

    def say(self, text: str, **values: object) -> str:
        """Return a text of worksheets in the language."""
        found = self.style.translate("Worksheets", text)
        return found.format(**values) if values else found

    def text(
        self, x: float, y: float, text: str, size: float = TEXT, *, strong: bool = False, faint: bool = False,
        anchor: str = START,
    ) -> None:  # fmt: skip
        """Write a line, its baseline at y."""
        color = self.style.theme.text3 if faint else self.style.theme.text
        write_line(self.painter, QPointF(x, y), text, color, size, strong=strong, anchor=anchor)

    def line(self, x: float, y: float, right: float, width: float = 1.0, *, faint: bool = False) -> None:
        """Draw a line from left to right."""
        self._draw(width, faint=faint)
        self.painter.drawLine(QPointF(x, y), QPointF(right, y))

    def frame(self, place: QRectF, width: float = 1.0, *, faint: bool = False) -> None:
        """Draw a rectangle."""
        self._draw(width, faint=faint)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRect(place)

    def _draw(self, width: float, *, faint: bool) -> None:
        """Take a pen; a faint one is thin and gray, and still there on a copy."""
        theme = self.style.theme
        self.painter.setPen(QPen(theme.line_strong, THIN * width) if faint else QPen(theme.text, width))

    def formula(self, x: float, top: float, latex: str, size: float) -> None:
        """Draw a formula, its top left corner at (x, top)."""
        colors = dict.fromkeys(("text", "query", "key"), self.style.theme.text)
        typeset(latex).paint(self.painter, QPointF(x, top), size, colors)


@lru_cache(maxsize=4096)  # the same numbers stand in every table, each of which is laid out at several sizes
def width_of(text: str, size: float = TEXT, *, strong: bool = False) -> float:
    """Return the width of a line of text."""
    return QFontMetricsF(figure_font(size, strong=strong)).horizontalAdvance(text)


@dataclass(frozen=True)
class TableSize:
    """Sizes of a table: its cells, its letters, and what stands around it."""

    cell: float
    row: float
    number: float
    title: float = 5.5 * MM
    header: float = 4.5 * MM
    gap: float = 7 * MM

    def scaled(self, by: float) -> TableSize:
        """Return smaller ones; letters stay readable."""
        number, header = max(LEAST, self.number * by), max(LEAST, self.header * by)
        title = max(1.5 * LEAST, self.title * by)
        return TableSize(self.cell * by, self.row * by, number, title, header, self.gap * by)

    def label(self, table: WorksheetTable) -> float:
        """Return the width of the names of rows."""
        return max(5 * MM, min(22 * MM, max(width_of(name, LEAST) for name in table.rows) + 2 * MM))

    def of(self, table: WorksheetTable) -> tuple[float, float]:
        """Return the width and height of a table; a column is as wide as its longest number."""
        named = width_of(table.title, max(TEXT, self.number), strong=True)
        width = self.label(table) + max(self.across(table) * len(table.columns), named)
        return width, self.title + self.header + self.row * len(table.rows)

    def across(self, table: WorksheetTable) -> float:
        """Return the width of a cell."""
        longest = max(width_of(text, self.number) for row in table.cells for text in row)
        return max(self.cell, longest + 2.6 * MM)


GIVEN_SIZE, ASKED_SIZE = TableSize(11 * MM, 7.5 * MM, NUMBER), TableSize(15.6 * MM, 9.8 * MM, NUMBER)


@dataclass(frozen=True)
class TableFlow:
    """Tables side by side, in as many rows as a width asks for: their places, and the size of all."""

    tables: tuple[WorksheetTable, ...]
    size: TableSize
    places: tuple[QPointF, ...] = field(default=())
    width: float = 0.0
    height: float = 0.0

    def paint(self, pen: Pen, corner: QPointF, *, tinted: bool = True) -> None:
        """Paint them from a corner on; `tinted`: cells with a number have a ground of their own."""
        for place, table in zip(self.places, self.tables, strict=True):
            _paint_table(pen, corner + place, table, self.size, tinted=tinted)


def flow(tables: Sequence[WorksheetTable], size: TableSize, room: float, anew: int = 0) -> TableFlow:
    """Place tables within a width, those from `anew` on in a new row; one that is wider makes the whole wider."""
    places, x, y, high, wide = [], 0.0, 0.0, 0.0, 0.0
    for position, table in enumerate(tables):
        width, height = size.of(table)
        if x and (x + width > room or position == anew):
            x, y, high = 0.0, y + high + 3.5 * MM, 0.0
        places.append(QPointF(x, y))
        wide, high, x = max(wide, x + width), max(high, height), x + width + size.gap
    return TableFlow(tuple(tables), size, tuple(places), wide, y + high)


def _paint_table(pen: Pen, corner: QPointF, table: WorksheetTable, size: TableSize, *, tinted: bool) -> None:
    theme, cell, row_high = pen.style.theme, size.across(table), size.row
    left, top = corner.x() + size.label(table), corner.y() + size.title + size.header
    pen.text(left, corner.y() + size.title * 0.62, table.title, max(TEXT, size.number), strong=True)
    for column, name in enumerate(table.columns):
        pen.text(left + (column + 0.5) * cell, top - 1.2 * MM, name, LEAST, faint=True, anchor=MIDDLE)
    metrics = QFontMetricsF(figure_font(LEAST))
    for row, cells in enumerate(table.cells):
        middle = top + (row + 0.5) * row_high
        name = elided(table.rows[row], size.label(table) - 1.5 * MM, metrics)
        pen.text(left - 1.5 * MM, middle + LEAST * 0.36, name, LEAST, faint=True, anchor=END)
        for column, text in enumerate(cells):
            place = QRectF(left + column * cell, top + row * row_high, cell, row_high)
            empty = (row, column) in table.asked
            pen.painter.fillRect(place, theme.raised if tinted and not empty else theme.surface)
            pen.frame(place, 1.0, faint=True)
            if not empty:
                strong, base = (row, column) == table.marked, middle + size.number * 0.36
                pen.text(place.center().x(), base, text, size.number, strong=strong, anchor=MIDDLE)
    for row, column in table.asked:
        pen.frame(QRectF(left + column * cell, top + row * row_high, cell, row_high), FRAME)


# --- the page of a student ------------------------------------------------------------------------
HEAD, BAND, NOTES = 13 * MM, 20 * MM, 48 * MM
STEP_GAP, LEAST_WORKING, MOST_WORKING = 5.5 * MM, 17 * MM, 70 * MM
WORKING_BESIDE = *((scale, 34 * MM) for scale in SIZES), (SIZES[-1], 28 * MM)
"""The size of the answers, and the least width of the working beside them, tried one after another."""
MOST_ALONE = 160 * MM  # of the working of one step
DOTS = 5 * MM
BOTTOM = HEIGHT - 25 * MM
REASON_HIGH = 30 * MM


@dataclass(frozen=True)
class WorksheetLayout:
    """Where everything stands on a sheet: the given tables, the answers of each step, the height of a step."""

    given: TableFlow
    steps: tuple[TableFlow, ...]
    top: float  # of the given tables
    first: float  # of the first step
    high: tuple[float, ...]


def sheet_layout(sheet: Worksheet, style: PageStyle) -> WorksheetLayout:
    """Lay a sheet out on one page. Raises ValueError with a sentence where it does not fit."""
    own, computed = given_tables(sheet, style, named=True)
    steps = [stage_tables(sheet, names, style) for names in sheet.steps]
    top = MARGIN + HEAD + 6 * MM + BAND + 5 * MM + (6 * MM if facts(sheet, style) else 0.0)
    bottom = BOTTOM - (REASON_HIGH if sheet.slip is not None else 0.0)
    for scale, narrowest in WORKING_BESIDE:
        before = flow([*own, *computed], GIVEN_SIZE.scaled(scale), INNER, len(own))
        room = INNER - NOTES - narrowest - 2 * 4 * MM
        asked = tuple(flow(tables, ASKED_SIZE.scaled(scale), room) for tables in steps)
        first = top + before.height + 4 * MM
        least = [
            max(one.height, LEAST_WORKING, _notes_height(sheet, names, style)) + STEP_GAP
            for one, names in zip(asked, sheet.steps, strict=True)
        ]
        spare = bottom - first - sum(least)
        if spare >= 0 and before.width <= INNER + 1 and all(one.width <= room + 1 for one in asked):
            each = spare / len(least)
            most = max(MOST_WORKING, MOST_ALONE / len(least))
            high = tuple(min(one + each, max(one, most)) for one in least)
            return WorksheetLayout(before, asked, top, first, high)
    raise ValueError(does_not_fit(sheet, style))


def does_not_fit(sheet: Worksheet, style: PageStyle) -> str:
    """Return the sentence for a sheet that a page does not hold: less cannot be asked for than one step."""
    return style.translate("Worksheets", FULL if len(sheet.steps) > 1 else FULL_OF_ONE)


def page_of_sheet(sheet: Worksheet, style: PageStyle) -> Page:
    """Return the page of a student. Raises ValueError with a sentence where the tables do not fit on it."""
    layout = sheet_layout(sheet, style)
    title = style.translate("Worksheets", NUMBERED).format(number=sheet.number)

    def paint(painter: QPainter) -> None:
        pen = Pen(painter, style)
        _paint_head(pen, sheet)
        _paint_band(pen, sheet)
        layout.given.paint(pen, QPointF(MARGIN, layout.top))
        y = layout.first
        for place, (names, answers, high) in enumerate(zip(sheet.steps, layout.steps, layout.high, strict=True)):
            _paint_step(pen, sheet, place + 1, names, answers, QRectF(MARGIN, y, INNER, high))
            y += high
        if sheet.slip is not None:
            _paint_reason(pen, sheet, y)
        _paint_foot(pen, sheet)

    return Page(WIDTH, HEIGHT, title, paint, style.theme.surface)


def _paint_head(pen: Pen, sheet: Worksheet) -> None:
    right, label = WIDTH - MARGIN, f"{pen.say(NUMBERED, number=sheet.number)} · {pen.say(sheet.level.label)}"
    room = INNER - width_of(label, NUMBER) - 4 * MM
    heading = pen.say(heading_of(sheet))
    size = 17 * PT * min(1.0, room / width_of(heading, 17 * PT, strong=True))
    pen.text(MARGIN, MARGIN + 4 * MM, heading, size, strong=True)
    pen.text(right, MARGIN + 4 * MM, label, NUMBER, faint=True, anchor=END)
    x, base = MARGIN, MARGIN + 12.5 * MM
    for text, room in ((NAME, 48 * MM), (CLASS, 32 * MM), (DATE, 32 * MM)):
        word = pen.say(text)
        pen.text(x, base, word, NUMBER)
        start = x + width_of(word, NUMBER) + 2 * MM
        pen.line(start, base + 1 * MM, start + room)
        x = start + room + 7 * MM


def _paint_band(pen: Pen, sheet: Worksheet) -> None:
    """Paint the formula of the whole beside what is to be done, and below what is given besides."""
    place = QRectF(MARGIN, MARGIN + HEAD + 5 * MM, INNER, BAND)
    pen.painter.fillRect(place, pen.style.theme.raised)
    latex, size = whole_formula(sheet.evaluation), 14 * PT
    formula = typeset(latex)
    size = min(size, 75 * MM / formula.width, (BAND - 3 * MM) / formula.height)
    pen.formula(place.left() + 4 * MM, place.center().y() - formula.height * size / 2, latex, size)
    left = place.left() + 4 * MM + formula.width * size + 7 * MM
    metrics = QFontMetricsF(figure_font(TEXT * 1.05))
    lines = wrapped(pen.say(sheet.level.task), place.right() - 3 * MM - left, metrics)
    y = place.center().y() - (len(lines) - 1) * 2.5 * MM + TEXT * 0.36
    for line in lines:
        pen.text(left, y, line, TEXT * 1.05)
        y += 5 * MM
    if more := facts(sheet, pen.style):
        size = NUMBER * min(1.0, INNER / width_of(more, NUMBER))
        pen.text(MARGIN, place.bottom() + 6.5 * MM, more, size)


def _paint_step(
    pen: Pen, sheet: Worksheet, number: int, names: Sequence[str], answers: TableFlow, place: QRectF
) -> None:
    """Paint the title, formula and hints of a step, room for working, and the answers."""
    pen.line(place.left(), place.top(), place.right())
    top = place.top() + 2.5 * MM
    circle = QRectF(place.left() + 0.5 * MM, top, 5.6 * MM, 5.6 * MM)
    pen.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen.painter.setPen(QPen(pen.style.theme.text, 1.2))
    pen.painter.drawEllipse(circle)
    pen.text(circle.center().x(), circle.center().y() + TEXT * 0.36, str(number), TEXT, strong=True, anchor=MIDDLE)
    heading = _step_title(names, pen.style)
    room = NOTES - 9 * MM
    size = 12 * PT * min(1.0, room / width_of(heading, 12 * PT, strong=True))
    pen.text(circle.right() + 2 * MM, circle.center().y() + 12 * PT * 0.36, heading, size, strong=True)
    y = top + 8 * MM
    for latex in step_formulas(sheet.evaluation, names):
        formula = typeset(latex)
        size = min(13 * PT, (NOTES - 1 * MM) / formula.width)
        pen.formula(place.left(), y, latex, size)
        y += formula.height * size + 1.5 * MM
    for line in _hints(sheet, names, pen.style):
        y += 4.6 * MM
        pen.text(place.left(), y, line, TEXT)
    if _asks_root(sheet, names):
        latex = rf"\sqrt{{d_k}} = \sqrt{{{sheet.evaluation.problem.d_k}}} ="
        formula = typeset(latex)
        pen.formula(place.left(), y + 1 * MM, latex, NUMBER)
        base = y + 1 * MM + formula.ascent * NUMBER
        pen.line(place.left() + formula.width * NUMBER + 1.5 * MM, base + 0.5 * MM, place.left() + NOTES - 6 * MM)
    left, right = place.left() + NOTES + 2 * MM, place.right() - answers.width - 4 * MM
    _paint_working(pen, QRectF(left, top, right - left, place.bottom() - 3 * MM - top))
    answers.paint(pen, QPointF(place.right() - answers.width, top - 1 * MM))


def _step_title(names: Sequence[str], style: PageStyle) -> str:
    named = ((TITLES.get(STAGE[name].role), title(name, style.lang)) for name in names)
    return " + ".join(style.translate("Worksheets", own) if own else usual for own, usual in named)


def _paint_working(pen: Pen, place: QRectF) -> None:
    """Paint a frame with a dot every 5 mm, and its name."""
    pen.frame(place, 1.0, faint=True)
    pen.text(place.left() + 2.5 * MM, place.top() + 4.5 * MM, pen.say(WORKING), LEAST, faint=True)
    pen.painter.setPen(Qt.PenStyle.NoPen)
    pen.painter.setBrush(pen.style.theme.text3)
    after = place.left() + 4 * MM + width_of(pen.say(WORKING), LEAST)
    for row in range(1, int(place.height() / DOTS) + 1):
        for column in range(1, int((place.width() - 1 * MM) / DOTS) + 1):
            at = QPointF(place.left() + column * DOTS, place.top() + row * DOTS)
            if at.y() < place.bottom() - 1 * MM and (row > 1 or at.x() > after):
                pen.painter.drawEllipse(at, 0.45, 0.45)
    pen.painter.setBrush(Qt.BrushStyle.NoBrush)


def _hints(sheet: Worksheet, names: Sequence[str], style: PageStyle) -> list[str]:
    """Return lines below a formula: what is done, blanks for √d_k and for the sums of rows."""
    problem, found = sheet.evaluation.problem, list[str]()
    roles = [STAGE[name].role for name in names]
    metrics = QFontMetricsF(figure_font(TEXT))
    for role in roles:
        if role in HINTS and (role != Role.SCORE or SCORES[problem.score].dot):
            found += wrapped(style.translate("Worksheets", HINTS[role]), NOTES + 0.5 * MM, metrics)
    if Role.WEIGHT in roles and asks_row_sums(sheet):
        found.append(style.translate("Worksheets", ROW_SUMS))
        row = style.translate("Worksheets", ROW)
        each = [f"{row.format(row=k)} _____" for k in range(problem.n)]
        found += ["   ".join(each[k : k + 2]) for k in range(0, len(each), 2)]
    return found


def _asks_root(sheet: Worksheet, names: Sequence[str]) -> bool:
    """Return whether √d_k is to be written down beside a step."""
    problem = sheet.evaluation.problem
    roots = problem.scale is None and SCORES[problem.score].root_scale
    return roots and sheet.slip is None and any(STAGE[name].role == Role.SCALE for name in names)


FEW_ROWS = 4


def _notes_height(sheet: Worksheet, names: Sequence[str], style: PageStyle) -> float:
    """Return the height of what stands left of the working."""
    formulas = [typeset(latex) for latex in step_formulas(sheet.evaluation, names)]
    tall = sum(one.height * min(13 * PT, (NOTES - 1 * MM) / one.width) + 1.5 * MM for one in formulas)
    hints = len(_hints(sheet, names, style)) + 1.4 * _asks_root(sheet, names)
    return 10.5 * MM + tall + 4.6 * MM * hints


def _paint_reason(pen: Pen, sheet: Worksheet, y: float) -> None:
    """Paint the lines of who found the wrong number."""
    pen.line(MARGIN, y, WIDTH - MARGIN)
    where = pen.say(WHERE if sheet.evaluation.problem.num_heads == 1 else WHERE_OF_HEADS)
    pen.text(MARGIN, y + 8 * MM, where, NUMBER * min(1.0, INNER / width_of(where, NUMBER)))
    word = pen.say(REASON)
    pen.text(MARGIN, y + 17 * MM, word, NUMBER)
    pen.line(MARGIN + width_of(word, NUMBER) + 2 * MM, y + 18 * MM, WIDTH - MARGIN)
    pen.line(MARGIN, y + 26 * MM, WIDTH - MARGIN)


def _paint_foot(pen: Pen, sheet: Worksheet) -> None:
    y = HEIGHT - 13.5 * MM
    pen.line(MARGIN, y, WIDTH - MARGIN, faint=True)
    pen.text(MARGIN, y + 5 * MM, pen.say(FOOT, seed=sheet.seed), LEAST, faint=True)
    points = 2 if sheet.slip is not None else len(sheet.blanks)
    pen.text(WIDTH - MARGIN, y + 5 * MM, f"{pen.say(SCORE)} ______ / {points}", TEXT, anchor=END)
