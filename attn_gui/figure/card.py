"""The card of a cell (1,200 × 630 or square): its sentence, formula, map, labels, foot with source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from attn_gui.document.edits import Refusal
from attn_gui.engine import STAGE, Evaluation
from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.engine.arrays import Progress
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.graph.symbols_and_titles import symbol, title
from attn_gui.engine.stages import is_derived
from attn_gui.figure.cell_painting import paint_cell_lines, paint_values
from attn_gui.figure.colors import ALLOWED
from attn_gui.figure.compose import aimed_cell, compose_figure, title_of
from attn_gui.figure.design_tokens import LINE, SIZE, THEMES, Theme
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.formula_typesetting import Formula, typeset
from attn_gui.figure.heatmap import MapFigure, paint_cells, snapped
from attn_gui.figure.heatmap_painting import begin_page, paint_frame
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import KEY, QUERY, picture_of, shown_latex, stage_plane
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.number_formats import CellNumbers, cell_decimals, format_number, significant
from attn_gui.figure.text.rich_text import elided, label_step, token_label
from attn_gui.figure.writers import END, MIDDLE, START, write_line
from attn_gui.languages import N_

# --- What is true of a cell, in one sentence; "|" is where a line may end first, before the key ---
SEES, BLIND = (
    N_("Card", "{first} gives {value} |of its attention |to {second}"),
    N_("Card", "{first} does not see |{second}"),
)
OF_PAIR = N_("Card", "{first} and {second}, |{title}: {value}")
OF_COLUMN = N_("Card", "{first}, {title}, |column {column}: {value}")
BY_HAND = N_("Card", "{first} and {second}, |{title} by hand: {value}")
FIRST = {QUERY: N_("Card", "Query {number}"), KEY: N_("Card", "Key {number}")}
SECOND = N_("Card", "key {number}")
DOWN = {QUERY: N_("Card", "query ↓"), KEY: N_("Card", "key ↓")}
ACROSS = {KEY: N_("Card", "key →")}
OPENS = N_("Card", "Open this picture in attn_gui: every number can be opened and changed")
_ONE_STATE = N_("A card shows one state, and not the difference of two or a gradient.")
_NO_STEP = N_("A card shows a cell of a step, but {name} is not a step: name one, such as weights.")

LEAST_WRITTEN = 0.01
_CHINESE, _PARTS = "\u4e00-\u9fff", re.compile(r"(\{\w+\}|\|)")


class CardRun(NamedTuple):
    """Some words of one role: "text", "query" or "key"."""

    text: str
    role: str = "text"


Line = tuple[CardRun, ...]


def finding(explained: Explanation, style: PageStyle, tokens: tuple[Sequence[str], Sequence[str]]) -> tuple[Line, ...]:
    """Return the sentence on a cell in pieces, each of which would rather not be broken."""
    entry, index = explained.entry, explained.index
    row, column = index[-2:]
    first_role = KEY if STAGE[explained.stage].by_key else QUERY
    names = tokens[0 if first_role == QUERY else 1], tokens[1]
    value = explained.value
    template = OF_COLUMN
    if STAGE[explained.stage].square:
        closed = explained.closed_by is not None
        template = BY_HAND if explained.by_hand else BLIND if closed else SEES if entry.shares else OF_PAIR
    digits = 2 if abs(value) >= LEAST_WRITTEN or value == 0 or not np.isfinite(value) else None
    words = {
        "first": _named(names[0], row, FIRST[first_role], first_role, style),
        "second": _named(names[1], column, SECOND, KEY, style),
        "title": CardRun(_lower(title(explained.stage, style.lang), style.lang)),
        "column": CardRun(str(column)),
        "value": CardRun(significant(value, 2) if digits is None else format_number(value, digits)),
    }
    parts: list[Line] = [()]
    for part in _PARTS.split(style.translate("Card", template)):
        if part == "|":
            parts.append(())
        elif part:
            parts[-1] += (words[part[1:-1]] if part.startswith("{") else CardRun(part),)
    return tuple(map(_spaced, filter(None, parts)))


def _named(tokens: Sequence[str], place: int, template: str, role: str, style: PageStyle) -> CardRun:
    if place < len(tokens):
        return CardRun(token_label(tokens[place]), role)
    return CardRun(style.translate("Card", template).format(number=place), role)


def _lower(words: str, lang: str) -> str:
    return words[:1].lower() + words[1:] if lang == "en" else words


def _spaced(line: Line) -> Line:
    """Put a space where a Chinese character meets a letter or a number, as it is set."""
    found = list(line[:1])
    for run in line[1:]:
        meet = found[-1].text[-1:] + run.text[:1]
        apart = re.fullmatch(rf"[{_CHINESE}][^\s{_CHINESE}：，。]|[^\s{_CHINESE}：，。][{_CHINESE}]", meet)
        found.append(run._replace(text=" " + run.text) if apart else run)
    return tuple(found)


ENDS = {"[CLS]", "[SEP]", "[PAD]", "<s>", "</s>", "<|endoftext|>", "<pad>", "<eos>", "<bos>"}
CLOSING, TIGHT = frozenset(".,;:!?)]}%…”’。，；：？！、）》"), frozenset("'’-([{“‘（《")


def sentence(tokens: Sequence[str], marked: Mapping[int, str]) -> list[CardRun]:
    """Return words with the space before each; those at marked places have their role."""
    found: list[CardRun] = []
    before = ""
    for place, token in enumerate(tokens):
        word = token_label(token).removeprefix("##")
        if token.strip() in ENDS or not word:
            continue
        chinese = re.fullmatch(f"[{_CHINESE}]{{2}}", before[-1:] + word[0])
        glued = token.startswith("##") or word[0] in CLOSING or word[0] in "'’" or before[-1:] in TIGHT or chinese
        found.append(CardRun(word if glued or not found else " " + word, marked.get(place, "text")))
        before = word
    return found


# --- figure ---------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class CardFigure:
    """All that a card shows of a cell; `under` are the sentences or the shapes below the finding, `source` is where
    the map is from, and `opens` says that the file opens as a session, where it does."""

    finding: tuple[Line, ...]
    under: tuple[Sequence[CardRun], ...]
    formulas: tuple[tuple[str, ...], ...]
    map: MapFigure
    cell: tuple[int, int]
    roles: tuple[str, str]
    square: bool
    source: str
    opens: str
    theme: Theme
    axes: tuple[str, str] = ("", "")
    """What rows and columns count where they are numbers; tokens say it themselves."""

    @property
    def title(self) -> str:
        """The finding as a text."""
        return "".join(run.text for run in _spaced(tuple(run for part in self.finding for run in part)))


PIXELS = 600
"""Blocks a side of a map that is too long to be shown cell by cell."""


def compose_card(evaluation: Evaluation, settings: ExportSettings, head: int | None, progress: Progress) -> CardFigure:
    """Return the card of the chosen cell of a stage, or of the largest of its last row where none is chosen.

    Raises ValueError with a sentence for a cell that is not there, for what is no step, and for two states.
    """
    if evaluation.kind:
        raise Refusal(_ONE_STATE)
    if is_derived(settings.stage):
        raise Refusal(_NO_STEP, name=settings.stage)
    problem, stage = evaluation.problem, settings.stage
    own = None if evaluation.node(stage).stage.joined else head
    shown = compose_figure(evaluation, settings, (own,), lambda figure: (PIXELS, PIXELS), progress)
    plane = stage_plane(evaluation, stage, settings.batch, head or 0)
    cell = aimed_cell(evaluation, settings, head)
    style = PageStyle(settings.theme, settings.lang)
    explained = Explanation(evaluation, stage, plane.index(*cell))
    names = tuple(problem.query_tokens or ()), tuple(problem.names_of_keys or ())
    picture = picture_of(stage, evaluation)
    return CardFigure(
        finding(explained, style, names),
        tuple(_under(evaluation, names, cell, (picture.rows, picture.columns))),
        tuple(_formulas(evaluation, stage, explained)),
        shown,
        cell,
        (picture.rows, picture.columns),
        STAGE[stage].square,
        " · ".join(title_of(problem, settings, (own,))),
        style.translate("Card", OPENS) if settings.carries(problem) else "",
        THEMES[settings.theme],
        _axes(picture.rows, picture.columns, names, style),
    )


def _axes(rows: str, columns: str, names: tuple[Sequence[str], Sequence[str]], style: PageStyle) -> tuple[str, str]:
    if any(names):
        return "", ""
    down, across = DOWN.get(rows, ""), ACROSS.get(columns, "")
    return style.translate("Card", down) if down else "", style.translate("Card", across) if across else ""


def _under(
    evaluation: Evaluation, names: tuple[Sequence[str], Sequence[str]], cell: tuple[int, int], roles: tuple[str, str]
) -> Iterator[Sequence[CardRun]]:
    """Yield the sentence of the tokens, two where keys are those of another one.

    Without tokens the shapes of Q, K and V.
    """
    marked: dict[str, dict[int, str]] = {QUERY: {}, KEY: {}}
    for role, place in zip(roles, cell, strict=True):
        if role in marked:
            marked[role][place] = role
    if not any(names):
        shapes = [(stage, evaluation.shape(stage)) for stage in DIRECT if stage in evaluation.stages]
        yield [CardRun("   ".join(f"{symbol(stage)} {shape[-2]} × {shape[-1]}" for stage, shape in shapes))]
    elif names[0] == names[1]:
        yield sentence(names[0], {**marked[KEY], **marked[QUERY]})
    else:
        yield from (sentence(tokens, marked[role]) for role, tokens in zip((QUERY, KEY), names, strict=True) if tokens)


def _formulas(evaluation: Evaluation, stage: str, explained: Explanation) -> Iterator[tuple[str, ...]]:
    """Yield the formula of the stage, and that of the cell with its numbers in pieces that begin with "="."""
    yield from ((form,) for form in shown_latex(evaluation, stage)[:1] if "=" in form)
    name = explained.symbols_latex.partition(" = ")[0]
    sides = [side for side in (explained.numbers_latex, explained.value_latex) if side]
    yield (f"{name} = {sides[0]}", *(f"= {side}" for side in sides[1:])) if sides else (name,)


# --- layout ---------------------------------------------------------------------------------------
WIDE, SQUARE = (1200.0, 630.0), (1080.0, 1080.0)
FOOT = 56.0, 76.0
MARGIN = 56.0
TITLES = {WIDE: (46, 40, 34, 28), SQUARE: (54, 48, 40, 32)}
"""Sizes of the finding, the first with which it has room."""

LABEL, LARGE_LABEL, VALUES, LARGEST_CELL = 13.0, 22.0, (28.0, 20.0, 16.0), 280.0
LARGE_EM, LEAST_EM = 26.0, 17.0
"""Sizes of a formula: the one it has where there is room, and the least beside a map."""

MOST_UNDER = 2
"""Lines of a sentence; what is more is cut."""

LEADING = 1.28


@dataclass(frozen=True, eq=False)
class CardLayout:
    """A card and what stands where on it: lines of runs with their baselines, formulas, the cells of the map."""

    width: float
    height: float
    lines: tuple[tuple[QPointF, Line, float, bool], ...]
    formulas: tuple[tuple[QPointF, Formula, float], ...]
    map: QRectF
    foot: QRectF
    foot_lines: tuple[tuple[QPointF, str, str], ...]
    source: QPointF | None


def plan_card(figure: CardFigure, size: tuple[float, float]) -> CardLayout:
    """Lay a card out at one of its two sizes."""
    return _plan_wide(figure) if size == WIDE else _plan_square(figure)


def _plan_wide(figure: CardFigure) -> CardLayout:
    width, height = WIDE
    foot = QRectF(0, height - FOOT[0], width, FOOT[0])
    beside = 648.0
    words, bottom = _words(figure, WIDE, beside - 2 * MARGIN, 20.0)
    room = QRectF(MARGIN, bottom + 40.0, beside - 2 * MARGIN, foot.top() - 32.0 - bottom - 40.0)
    base = foot.center().y() + 6.0
    ends = ((QPointF(MARGIN, base), figure.source, START), (QPointF(width - MARGIN, base), figure.opens, END))
    around = QRectF(beside, 48.0, width - MARGIN - beside, foot.top() - 84.0)
    formulas = tuple(_stacked(figure.formulas, room))
    return CardLayout(width, height, words, formulas, _map_place(figure, around), foot, ends, None)


def _plan_square(figure: CardFigure) -> CardLayout:
    width, height = SQUARE
    foot = QRectF(0, height - FOOT[1], width, FOOT[1])
    words, bottom = _words(figure, SQUARE, width - 2 * 64.0, 24.0)
    top, beside = max(bottom + 36.0, 230.0), 776.0
    place = _map_place(figure, QRectF(56.0, top, beside - 24.0 - 56.0, foot.top() - 48.0 - top))
    room = QRectF(beside + 12.0, place.top(), width - 40.0 - beside - 12.0, place.height() - 60.0)
    formulas = tuple(_stacked(figure.formulas, room))
    if formulas and formulas[0][2] < LEAST_EM:  # longer ones stand above the map
        formulas = tuple(_stacked(figure.formulas, QRectF(64.0, bottom + 36.0, width - 2 * 64.0, 240.0)))
    end = max((at.y() + formula.height * em for at, formula, em in formulas), default=room.top())
    source = QPointF(formulas[0][0].x() if formulas else room.left(), end + 64.0)
    if source.x() < place.right():
        top = source.y() + 36.0
        place = _map_place(figure, QRectF(56.0, top, width - 2 * 60.0, foot.top() - 48.0 - top))
    middle = ((QPointF(width / 2, foot.center().y() + 7.0), figure.opens, MIDDLE),)
    return CardLayout(width, height, words, formulas, place, foot, middle, source)


def _words(
    figure: CardFigure, size: tuple[float, float], room: float, pixels: float
) -> tuple[tuple[tuple[QPointF, Line, float, bool], ...], float]:
    """Return the lines of the finding and of what stands under it, and where they end."""
    left = MARGIN if size == WIDE else 64.0
    for large in TITLES[size]:
        metrics = QFontMetricsF(figure_font(large, strong=True))
        lines = _joined(figure.finding, room, metrics)
        if len(lines) <= 2 and all(_width(line, metrics) <= room for line in lines):
            break
    else:
        lines = _broken([run for part in figure.finding for run in part], room, metrics, 3)
    found: list[tuple[QPointF, Line, float, bool]] = []
    y = left
    for line in lines:
        found.append((QPointF(left, y + metrics.ascent()), line, large, True))
        y += large * LEADING
    y += pixels * 0.8
    small = QFontMetricsF(figure_font(pixels))
    for runs in figure.under:
        for line in _broken(list(runs), room, small, MOST_UNDER if len(figure.under) == 1 else 1):
            found.append((QPointF(left, y + small.ascent()), line, pixels, False))
            y += pixels * 1.6
    return tuple(found), y


def _joined(parts: Sequence[Line], room: float, metrics: QFontMetricsF) -> list[Line]:
    """Return parts on as few lines as have room for them whole."""
    lines: list[Line] = []
    for part in parts:
        if lines and _width(lines[-1] + part, metrics) <= room:
            lines[-1] = _spaced(lines[-1] + part)
        else:
            lines.append((part[0]._replace(text=part[0].text.lstrip()), *part[1:]))
    return lines


def _broken(runs: Sequence[CardRun], room: float, metrics: QFontMetricsF, most: int) -> list[Line]:
    """Return runs on lines that end between words; what has no room on so many lines is cut."""
    pieces = [
        CardRun(piece, run.role)
        for run in runs
        for piece in re.findall(rf"\s*[{_CHINESE}]|\s*[^\s{_CHINESE}]+|\s+", run.text)
    ]
    lines: list[list[CardRun]] = [[]]
    for piece in pieces:
        if lines[-1] and _width((*lines[-1], piece), metrics) > room and piece.text[0] not in CLOSING:
            if len(lines) == most:
                lines[-1].append(CardRun("…"))
                break
            lines.append([])
        first = not lines[-1]
        text = piece.text.lstrip() if first else piece.text
        lines[-1].append(piece._replace(text=elided(text, room, metrics) if first else text))
    return [tuple(line) for line in lines if line]


def _width(line: Sequence[CardRun], metrics: QFontMetricsF) -> float:
    return sum(metrics.horizontalAdvance(run.text) for run in line)


def _stacked(formulas: Sequence[tuple[str, ...]], room: QRectF) -> Iterator[tuple[QPointF, Formula, float]]:
    """Return formulas below one another, as large as they have room; their pieces side by side where these have."""
    lines, em = list[list[Formula]](), LARGE_EM
    for pieces in formulas:
        whole = typeset(" ".join(pieces))
        lines.append([whole] if whole.width * em <= room.width() else list(map(typeset, pieces)))
    every = [formula for line in lines for formula in line]
    gap, small = 26.0, 10.0
    tall = sum(formula.height for formula in every)
    gaps = gap * (len(lines) - 1) + small * (len(every) - len(lines))
    widest = max(formula.width for formula in every)
    em = max(min(em, room.width() / widest, (room.height() - gaps) / tall), 9.0)
    y = room.top()
    for line in lines:
        for number, formula in enumerate(line):
            yield QPointF(room.left() + (em if number else 0.0), y), formula, em
            y += formula.height * em + (small if number < len(line) - 1 else gap)


def _map_place(figure: CardFigure, around: QRectF) -> QRectF:
    """Return the place of the cells, with their labels in the middle of a room: square cells of queries and keys."""
    rows, columns = figure.map.shape
    side = min(around.width(), around.height())
    size = _label_size(figure, side)
    left = max(_label_room(labels, 0.24 * side, size) for labels in (figure.map.rows.labels, figure.axes))
    turned = _is_turned(figure, side, size)
    above = _label_room(figure.map.columns.labels, 0.24 * side, size) if turned else size * LEADING
    above += size * LEADING * (all(figure.axes) and not turned)
    width, height = around.width() - left - 10.0, around.height() - above - 10.0
    if figure.square:
        cell = min(width / columns, height / rows, LARGEST_CELL)
        wide, tall = cell * columns, cell * rows
    else:
        wide, tall = min(width, columns * LARGEST_CELL), min(height, rows * LARGEST_CELL)
    spare = around.width() - left - 10.0 - wide
    return QRectF(around.left() + left + 10.0 + spare, around.top() + above + 10.0 + (height - tall) / 2, wide, tall)


def _label_size(figure: CardFigure, side: float) -> float:
    """Return the size of labels, larger for few cells."""
    return min(max(LABEL, 0.3 * 0.8 * side / max(figure.map.shape)), LARGE_LABEL)


def _is_turned(figure: CardFigure, side: float, size: float) -> bool:
    """Return whether the labels of columns are read from below: some of them is wider than its column."""
    metrics, columns = QFontMetricsF(figure_font(size, strong=True)), figure.map.shape[1]
    widest = max(map(metrics.horizontalAdvance, map(token_label, figure.map.columns.labels[:200])), default=0.0)
    return widest + 8.0 > min(0.8 * side / columns, LARGEST_CELL)


def _label_room(labels: Sequence[str], most: float, size: float) -> float:
    metrics = QFontMetricsF(figure_font(size, strong=True))
    return min(max(map(metrics.horizontalAdvance, map(token_label, labels[:200])), default=0.0), most)


# --- painter --------------------------------------------------------------------------------------
def paint_card(painter: QPainter, figure: CardFigure, layout: CardLayout, *, transparent: bool = False) -> None:
    """Paint a card at the origin, in pixels of 1/96 inch."""
    theme = figure.theme
    painter.save()
    begin_page(painter, QRectF(0, 0, layout.width, layout.height), None if transparent else theme)
    colors = {"text": theme.text, QUERY: theme.query, KEY: theme.key}
    for at, line, pixels, strong in layout.lines:
        _paint_runs(painter, at, line, pixels, colors if strong else {**colors, "text": theme.text2}, strong=strong)
    for at, formula, em in layout.formulas:
        formula.paint(painter, at, em, colors)
    _paint_map(painter, figure, layout.map)
    if any(text for _, text, _ in layout.foot_lines):
        painter.fillRect(layout.foot, theme.raised)
        painter.fillRect(QRectF(0, layout.foot.top(), layout.width, 1), theme.line)
    for at, text, anchor in layout.foot_lines:
        write_line(painter, at, text, theme.text2, 20.0 if layout.source is not None else 17.0, anchor=anchor)
    if layout.source is not None:
        write_line(painter, layout.source, figure.source, theme.text2, 20.0)
    painter.restore()


def _paint_runs(
    painter: QPainter, at: QPointF, line: Line, pixels: float, colors: Mapping[str, QColor], *, strong: bool
) -> None:
    x = at.x()
    for run in line:
        heavy = strong or run.role != "text"
        write_line(painter, QPointF(x, at.y()), run.text, colors[run.role], pixels, strong=heavy)
        x += QFontMetricsF(figure_font(pixels, strong=heavy)).horizontalAdvance(run.text)


def _paint_map(painter: QPainter, figure: CardFigure, place: QRectF) -> None:
    place, own, theme = snapped(painter, place), figure.map, figure.theme
    rows, columns = own.shape
    width, height = place.width() / columns, place.height() / rows
    paint_cells(painter, place, own, own.panels[0])
    if min(width, height) >= SIZE.lined_cell:
        paint_cell_lines(painter, place, (rows, columns), theme)
    if not own.as_image and own.cells is None:
        for pixels in VALUES:
            if (numbers := _numbers(own, width, height, pixels)) is not None:
                painter.setFont(figure_font(pixels))
                paint_values(painter, place, own.panels[0].values, own.displays[0], own.table, numbers)
                break
    paint_frame(painter, place, theme)
    row, column = figure.cell
    band = QRectF(place.left(), place.top() + row * height, place.width(), height)
    stripe = QRectF(place.left() + column * width, place.top(), width, place.height())
    _paint_pair(painter, band, theme.query if figure.roles[0] == QUERY else theme.key, theme, rows=True)
    if figure.roles[1] == KEY:
        _paint_pair(painter, stripe, theme.key, theme, rows=False)
    _paint_ring(painter, band & stripe, theme)
    _paint_labels(painter, figure, place)


def _numbers(own: MapFigure, width: float, height: float, pixels: float) -> CellNumbers | None:
    values = np.where(own.displays[0].flags == ALLOWED, own.panels[0].values, 0.0)
    metrics = QFontMetricsF(figure_font(pixels))
    if height < 1.6 * pixels or width < 2.6 * pixels:
        return None
    return cell_decimals(values, width - 0.5 * pixels, height, metrics, own.weights)


def _paint_pair(painter: QPainter, rect: QRectF, color: QColor, theme: Theme, *, rows: bool) -> None:
    """Paint a pair of lines along a row or column, each between two of casing, so that it shows on any color."""
    thick, casing = LINE.row_and_column, LINE.casing
    ends = (rect.top(), rect.bottom()) if rows else (rect.left(), rect.right())
    for at in ends:
        for depth, paint in ((thick + 2 * casing, theme.casing), (thick, color)):
            low = at - depth / 2
            across = QRectF(rect.left(), low, rect.width(), depth)
            painter.fillRect(across if rows else QRectF(low, rect.top(), depth, rect.height()), paint)


def _paint_ring(painter: QPainter, cell: QRectF, theme: Theme) -> None:
    for reach, depth, color in ((2.5, 4.5, theme.casing), (1.5, 2.5, theme.ink)):
        outer = cell.adjusted(-reach, -reach, reach, reach)
        inner = outer.adjusted(depth, depth, -depth, -depth)
        for side in (
            QRectF(outer.left(), outer.top(), outer.width(), depth),
            QRectF(outer.left(), inner.bottom(), outer.width(), depth),
            QRectF(outer.left(), inner.top(), depth, inner.height()),
            QRectF(inner.right(), inner.top(), depth, inner.height()),
        ):
            painter.fillRect(side, color)


def _paint_labels(painter: QPainter, figure: CardFigure, place: QRectF) -> None:
    """Paint names of rows and columns, every k-th that has room, and the chosen ones always, in their roles' colors."""
    own, theme = figure.map, figure.theme
    side = min(place.width(), place.height()) / 0.8
    size = _label_size(figure, side)
    metrics = QFontMetricsF(figure_font(size, strong=True))
    rows, columns = own.shape
    down, across = metrics.capHeight() / 2, place.width() / columns
    turned = _is_turned(figure, side, size)
    left, above = place.left() - 10.0, place.top() - 10.0
    for cell, text, color, strong in _labels(
        own.rows.labels, place.height() / rows, figure.cell[0], figure.roles[0], theme, size
    ):
        at = QPointF(left, place.top() + (cell + 0.5) * place.height() / rows + down)
        write_line(painter, at, elided(text, 160.0, metrics), color, size, strong=strong, anchor=END)
    for cell, text, color, strong in _labels(own.columns.labels, across, figure.cell[1], figure.roles[1], theme, size):
        foot = QPointF(place.left() + (cell + 0.5) * across, above)
        painter.save()
        painter.translate(foot)
        if turned:
            painter.rotate(-90)
        start = QPointF(0, down) if turned else QPointF(0, 0)
        text = elided(text, 110.0, metrics)
        write_line(painter, start, text, color, size, strong=strong, anchor=START if turned else MIDDLE)
        painter.restore()
    for line, (text, role) in enumerate(zip(figure.axes[::-1], figure.roles[::-1], strict=True)):
        at = QPointF(left, above - line * size * LEADING)
        write_line(painter, at, text, getattr(theme, role, theme.text), size, anchor=END)


def _labels(
    labels: Sequence[str], pitch: float, chosen: int, role: str, theme: Theme, size: float
) -> Iterator[tuple[int, str, QColor, bool]]:
    """Yield place, text, color and weight of the labels of an axis."""
    step = label_step(size * LEADING, pitch)
    for cell in sorted({*range(0, len(labels), step), chosen}):
        if cell == chosen:
            yield cell, token_label(labels[cell]), getattr(theme, role, theme.text), True
        elif abs(cell - chosen) * pitch >= size * LEADING or step == 1:
            yield cell, token_label(labels[cell]), theme.text2, False
