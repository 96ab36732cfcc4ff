"""Base of a page: when it is there and why not, its options, its frame, words of a hover, where a click leads.

`read` computes the content of a page from an evaluation, once for each state of what `reads` names and of the options;
`turned` and `at` make another content of it where that needs no computing; `plan` lays the content out at a size, and
the `PageDrawing` paints itself and says of each place (`SpotGrid`) what a hover shows and where a click leads
(`PageSpot`). The window, an exported file and a notebook take the same road. A whole page in 60 lines:
`tests/newcomer/test_page.py`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar
from weakref import ref

from PySide6.QtCore import QPointF, QRectF, QTranslator
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.document.edits import Label, Refusal
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.stages import lacking
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING, THEMES, Theme
from attn_gui.figure.heatmap import FIGURE_WORDS, FigureWords
from attn_gui.figure.heatmap_layout import MARGIN
from attn_gui.figure.heatmap_painting import paint_note
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.fonts import WIDER_FONT, figure_font
from attn_gui.figure.text.rich_text import wrapped, write_symbols
from attn_gui.figure.writers import PX_PER_CM
from attn_gui.formats.snapshots import Snapshot
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.languages import N_, Words
from attn_gui.paths import resource

if TYPE_CHECKING:
    from attn_gui.models.attribution import LikelyToken
    from attn_gui.models.model import Run


# --- aim: the item, the head and the cell that a page looks at, and what has been chosen on it -----
NO_LAYER = -1
CHOSEN = ("batch", "head", "stage", "cell", "states")
"""Fields of a context that the person chooses beside the numbers."""


@dataclass(frozen=True, eq=False)
class ModelContext:
    """A model that the problem is a layer of: its run as it is now, the one before anything was changed by hand, the
    layer on the table or NO_LAYER, the token at which predictions are read with the likeliest ones there, and the run
    of a second text, where there is one."""

    now: Run
    before: Run
    layer: int
    position: int
    likely: tuple[LikelyToken, ...] = ()
    other: Run | None = None

    def key(self) -> tuple[object, ...]:
        """Return what it reads: equal for contexts at the same runs, whatever the layer; keeps no run alive."""
        runs = (self.now, self.before, self.other)
        return (*(None if run is None else ref(run) for run in runs), self.position)


@dataclass(frozen=True)
class PageContext:
    """What a page looks at: the problem, an item, a head, a stage with the chosen `cell` (row and column as shown, or
    None), its `place` in the axes of the stage and its `value`; the page's `options`, the `states` kept beside the
    problem, and the `model` that it is a layer of."""

    problem: Problem
    batch: int = 0
    head: int = 0
    stage: str = ""
    cell: tuple[int, int] | None = None
    place: tuple[int, ...] = ()
    value: float = 0.0
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    states: tuple[Snapshot, ...] = ()
    model: ModelContext | None = None

    @classmethod
    def at(
        cls,
        evaluation: Evaluation,
        batch: int,
        head: int,
        stage: str,
        cell: tuple[int, int] | None,
        states: tuple[Snapshot, ...] = (),
    ) -> PageContext:
        """Return the context at a cell of an evaluation, its place and number read there."""
        if cell is None:
            return cls(evaluation.problem, batch, head, stage, states=states)
        place = stage_plane(evaluation, stage, batch, head).index(*cell)
        value = float(evaluation.box(stage, indices.cell(place)).item())
        return cls(evaluation.problem, batch, head, stage, cell, place, value, states=states)

    def query(self, evaluation: Evaluation) -> int | None:
        """Return the chosen query; None where none is."""
        if self.cell is None or evaluation.node(self.stage).stage.by_key:
            return None
        return self.cell[0]

    def key(self, evaluation: Evaluation) -> int | None:
        """Return the chosen key; None where none is."""
        if self.cell is None:
            return None
        stage = evaluation.node(self.stage).stage
        return self.cell[1] if stage.square else self.cell[0] if stage.by_key else None


# --- looks: a figure's colors and language are its own, not the window's ---------------------------
@dataclass(frozen=True)
class PageStyle:
    """A theme and a language, both by their names; `layer` is the one of a model that a page looks at.

    Without `heading` the title is not drawn.
    """

    theme_name: str = "light"
    lang: str = "en"
    layer: int | None = None
    heading: bool = True

    def titled(self, title: str) -> str:
        """Return a title with the layer of a model before it."""
        return title if self.layer is None else f"{self.words.layer.format(self.layer)} · {title}"

    @property
    def theme(self) -> Theme:
        """The colors."""
        return THEMES[self.theme_name]

    @property
    def words(self) -> FigureWords:
        """The words that stand in maps, too."""
        return FIGURE_WORDS[self.lang]

    def translate(self, context: str, text: str) -> str:
        """Return a text of the program in this language; one that has no translation stays as it is."""
        return _translator(self.lang).translate(context, text) or text


def metrics(size: str, *, strong: bool = False) -> QFontMetricsF:
    """Return the measures of the figures' font in a size of the tokens ("micro" … "sentence")."""
    return QFontMetricsF(figure_font(getattr(FONT_SIZE, size), strong=strong))


@cache
def _translator(lang: str) -> QTranslator:
    """Return the translations of a language, which need not be that of the window."""
    found = QTranslator()
    found.load(str(resource("translations", f"attn_gui_{lang}.qm")))
    return found


# --- options, as plain values that files of settings could hold ------------------------------------
_UNKNOWN = N_("There is nothing to set called {got}; there is {known}.")
_NONE = N_("There is nothing to set called {got}; there is nothing.")
_NO_CHOICE = N_("{name} cannot be {got} here; expected one of {choices}.")
_NO_VALUE = N_("{name} cannot be {got} here.")

Chosen = Mapping[str, Any]
"""Values of options by their keys."""


@dataclass(frozen=True)
class PageOption(ABC):
    """Option of a page: its key, its caption, and in a sentence what it changes (both marked for translation in the
    context "Pages")."""

    key: str
    caption: str
    tip: str

    @abstractmethod
    def default(self, context: PageContext, values: Chosen) -> Any:
        """Return the value that is taken unless another one is chosen; `values` are those of the options before it."""

    @abstractmethod
    def fits(self, context: PageContext, values: Chosen, value: Any) -> bool:
        """Return whether a value can be chosen."""

    @abstractmethod
    def parsed(self, text: str) -> Any:
        """Return the value that a text on the command line means. Raises ValueError for none."""


@dataclass(frozen=True)
class ChoiceOption(PageOption):
    """One of several keys; `choices` are the words of each: English ones, each with the context of its translation,
    to be joined by colons. Where they depend on the problem, a function gives them."""

    choices: Mapping[str, Words] | Callable[[PageContext, Chosen], Mapping[str, Words]]

    def offered(self, context: PageContext, values: Chosen) -> Mapping[str, Words]:
        """Return the choices of this problem, beside what is chosen in the other options."""
        return self.choices(context, values) if callable(self.choices) else self.choices

    def default(self, context: PageContext, values: Chosen) -> Any:
        return next(iter(self.offered(context, values)))

    def fits(self, context: PageContext, values: Chosen, value: Any) -> bool:
        return value in tuple(self.offered(context, values))

    def parsed(self, text: str) -> Any:
        return text


@dataclass(frozen=True)
class NumberOption(PageOption):
    """A finite number, a whole one if `whole`: `usual` is the default, and `may` are the least and the largest. Where
    they depend on the problem, functions give them."""

    usual: float | Callable[[PageContext, Chosen], float]
    may: tuple[float, float] | Callable[[PageContext, Chosen, float], bool] = (-math.inf, math.inf)
    whole: bool = False

    def default(self, context: PageContext, values: Chosen) -> Any:
        found = self.usual(context, values) if callable(self.usual) else self.usual
        return round(found) if self.whole else float(found)

    def fits(self, context: PageContext, values: Chosen, value: Any) -> bool:
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        if not number or (self.whole and value != int(value)):
            return False
        return self.may(context, values, value) if callable(self.may) else self.may[0] <= value <= self.may[1]

    def parsed(self, text: str) -> Any:
        number = float(text)
        return int(text) if self.whole and math.isfinite(number) else number


@dataclass(frozen=True)
class SliderOption(PageOption):
    """A place on a slider, 0 … `last`, of which `place_words` gives the words beside it."""

    last: Callable[[PageContext, Chosen], int]
    place_words: Callable[[PageContext, Chosen, int], str]

    def default(self, context: PageContext, values: Chosen) -> Any:
        return self.last(context, values) // 2

    def fits(self, context: PageContext, values: Chosen, value: Any) -> bool:
        return isinstance(value, int) and 0 <= value <= self.last(context, values)

    def parsed(self, text: str) -> Any:
        return int(text)


def option_values(options: tuple[PageOption, ...], context: PageContext, given: Chosen) -> dict[str, Any]:
    """Return a value for every option: the given one where it can be, else the default."""
    found: dict[str, Any] = {}
    for option in options:
        value = given.get(option.key)
        fits = value is not None and option.fits(context, found, value)
        found[option.key] = value if fits else option.default(context, found)
    return found


def from_texts(options: tuple[PageOption, ...], context: PageContext, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of options from texts. Raises ValueError with a sentence for what is no option, or no value
    of one."""
    return checked_options(options, context, texts, lambda option, text: option.parsed(text))


def checked_options(
    options: tuple[PageOption, ...],
    context: PageContext,
    given: Chosen,
    read: Callable[[PageOption, Any], Any] = lambda option, value: value,
) -> dict[str, Any]:
    """Return the value of every option, as `read` makes it of what is given, else its default.

    Raises ValueError with a sentence for what is no option, or no value of one.
    """
    known = {option.key: option for option in options}
    if unknown := [key for key in given if key not in known]:
        raise Refusal(_UNKNOWN if known else _NONE, got=repr(unknown[0]), known=", ".join(known))
    found: dict[str, Any] = {}
    for key, option in known.items():
        if key not in given:
            found[key] = option.default(context, found)
            continue
        try:
            value = read(option, given[key])
        except ValueError:
            value = None
        if value is None or not option.fits(context, found, value):
            choices = ", ".join(option.offered(context, found)) if isinstance(option, ChoiceOption) else ""
            raise Refusal(_NO_CHOICE if choices else _NO_VALUE, name=key, got=repr(given[key]), choices=choices)
        found[key] = value
    return found


# --- laid-out page --------------------------------------------------------------------------------
Sides = tuple[float | None, float | None]
"""Width and height of a page in logical pixels; None for its own."""


class NoRoom(ValueError):
    """A size that is too small for a page: the side, what was given and the least, in logical pixels."""

    def __init__(self, side: str, given: float, least: float) -> None:
        super().__init__(f"A {side} of {given:.0f} leaves no room; {least:.0f} is the least.")
        self.side, self.given, self.least = side, given, least


@dataclass(frozen=True)
class PageCell:
    """A cell of a stage as it is shown: row and column within a head; `head` None leaves the head on show."""

    stage: str
    row: int
    column: int
    head: int | None = None


class CellBlock(NamedTuple):
    """The cells that a place of a map stands for: one, or of a pooled map all of a block."""

    rows: range
    columns: range

    @classmethod
    def at(
        cls, place: tuple[int, int], blocks: Sequence[int], shape: tuple[int, int], first: tuple[int, int] = (0, 0)
    ) -> CellBlock:
        """Return the cells at a place of so many blocks over a map of a shape, counted from its first cell."""
        rows, columns = (
            range(start + block * cells // count, start + (block + 1) * cells // count)
            for start, block, cells, count in zip(first, place, shape, blocks, strict=True)
        )
        return cls(rows, columns)

    @property
    def first(self) -> tuple[int, int]:
        """Row and column of its first cell."""
        return self.rows.start, self.columns.start

    @property
    def places(self) -> str:
        """Its rows and its columns: `3, 4`, or of several the first and the last, `3…7, 4…5`."""
        return ", ".join(span(str(side[0]), str(side[-1])) for side in (self.rows, self.columns))

    def number_words(self, number: str, style: PageStyle) -> str:
        """Return the number in words: of several cells that of the largest."""
        if len(self.rows) * len(self.columns) == 1:
            return number
        return style.translate("Pages", "{number}, the largest in magnitude").format(number=number)


def span(first: str, last: str) -> str:
    """Return two ends in words: one where they are the same."""
    return first if first == last else f"{first}…{last}"


@dataclass(frozen=True)
class PageSpot:
    """A place with something to say: the words of a hover, and the cell, the option's value or the head of a model,
    (layer, head), that a click chooses."""

    text: str
    cell: PageCell | None = None
    option: tuple[str, Any] | None = None
    head: tuple[int, int] | None = None


@dataclass(frozen=True)
class SpotGrid:
    """A rectangle of rows × columns places; `spot(row, column)` describes one of them."""

    place: QRectF
    spot: Callable[[int, int], PageSpot]
    rows: int = 1
    columns: int = 1

    def at(self, point: QPointF) -> tuple[int, int] | None:
        """Return row and column under a point."""
        if not self.place.contains(point):
            return None
        down = (point.y() - self.place.top()) / self.place.height() * self.rows
        across = (point.x() - self.place.left()) / self.place.width() * self.columns
        return min(int(down), self.rows - 1), min(int(across), self.columns - 1)

    def rect(self, row: int, column: int) -> QRectF:
        """Return the rectangle of one of its places."""
        width, height = self.place.width() / self.columns, self.place.height() / self.rows
        return QRectF(self.place.left() + column * width, self.place.top() + row * height, width, height)

    def paint(self, painter: QPainter) -> None:
        """Paint what it shows, where `PageDrawing.paint` leaves that to it: a plot, which the window shows
        otherwise."""


@dataclass(frozen=True, eq=False)
class PageDrawing:
    """A page in logical pixels; `title` and `said` are what it shows, in words, `paint` all but its plots."""

    width: float
    height: float
    title: str
    said: str
    paint: Callable[[QPainter], None]
    fields: tuple[SpotGrid, ...] = ()

    def paint_all(self, painter: QPainter) -> None:
        """Paint the page with its plots."""
        self.paint(painter)
        for plot in self.fields:
            plot.paint(painter)

    def field_at(self, point: QPointF) -> tuple[int, int, int] | None:
        """Return (field, row, column) under a point; the last painted wins."""
        for number in range(len(self.fields) - 1, -1, -1):
            found = self.fields[number].at(point)
            if found is not None:
                return number, *found
        return None


# The base of pages: one entry of the catalog is all that the window, exports and the command line know of a page.


C = TypeVar("C")
_NO_PAGE = N_("This problem has no page {page}. {needs}")
_NO_PAGE_BUT = N_("This problem has no page {page}. {needs}.")


class PageKind(ABC, Generic[C]):
    """A page: `read` computes its content (no Qt, off the window's thread where that takes a while), `plan` lays it
    out and paints it, for the window and for every file alike."""

    name: ClassVar[str]
    """In `page.NAME`, `action.NAME` and `--page NAME`."""
    title: ClassVar[str]
    """In English, marked for translation in the context "Pages", as are all its words."""
    words: ClassVar[str] = ""
    """Other names for it, in both languages, for the search."""
    needs: ClassVar[str] = ""
    """The reason why it may not be there."""
    options: ClassVar[tuple[PageOption, ...]] = ()
    frames: ClassVar[str] = ""
    """Title of its pictures one by one, if it has a slider that runs through them."""
    reads: ClassVar[frozenset[str]] = frozenset(CHOSEN)
    """What it reads of the view, names of CHOSEN: while these, the options and numbers stay, so does its content."""

    roles: tuple[Role, ...] = ()
    """Parts of attention that it shows, and that a problem may lack."""

    quick: ClassVar[float | None] = None
    """Queries times keys up to which it is read within a frame; None for every problem that is not long."""
    of_model: ClassVar[bool] = False
    """Whether it looks at a whole model, and not at the layer on the table."""
    layout: ClassVar[type[PageLayout]]
    """Lays its content out in a style, at a size; a page without it has a `plan` of its own."""

    @property
    def per_head(self) -> bool:
        """Whether it looks at the head on show."""
        return "head" in self.reads

    def applies(self, problem: Problem) -> bool:
        """Return whether a problem has it."""
        return True

    def is_there(self, problem: Problem, model: ModelContext | None) -> bool:
        """Return whether a problem has it, that may be a layer of a model."""
        return self.can_show(problem) and (model is not None or not self.of_model)

    def can_show(self, problem: Problem) -> bool:
        """Return whether a problem has it, and all that it reads."""
        return lacking(problem, self.roles) is None and self.applies(problem)

    def check(self, problem: Problem, model: ModelContext | None = None) -> None:
        """Raise ValueError, with a sentence, for a problem that has no such page."""
        if not self.is_there(problem, model):
            text, context = self.reason(problem)
            template = _NO_PAGE if text.endswith(".") else _NO_PAGE_BUT
            raise Refusal(template, page=self.name, needs=Label(text, context=context))

    def reason(self, problem: Problem) -> tuple[str, str]:
        """Return the reason why a problem has it not, and the context of these words for translators."""
        lacks = lacking(problem, self.roles)
        return (self.needs, "Pages") if lacks is None else (lacks, "Sentences")

    def is_quick(self, problem: Problem) -> bool:
        """Return whether it is read within a frame."""
        return not is_long(problem) if self.quick is None else problem.n * problem.m <= self.quick

    @property
    def slide(self) -> SliderOption | None:
        """The slider that its frames run through."""
        slides = (option for option in self.options if isinstance(option, SliderOption))
        return next(slides, None) if self.frames else None

    @abstractmethod
    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> C:
        """Compute what it shows; `progress` gets the share done, and ends the work by raising."""

    def turned(self, content: C, before: Chosen, after: Chosen) -> C | None:
        """Return the content with other values of the options, where nothing has to be computed for them; else None."""
        return None

    def at(self, content: C, context: PageContext) -> C:
        """Return the content with the mark of what is chosen now, where `read` takes that for the mark alone."""
        return content

    def plan(self, content: C, style: PageStyle, size: Sides) -> PageDrawing:
        """Lay it out at its own size, or to a width, a height or both. Raises NoRoom if too small."""
        return self.layout(content, style, size).drawing(style.translate("Pages", self.title))


# --- frame: title above, sentences below, and the room between them --------------------------------
OWN_WIDTH = 14 * PX_PER_CM
BESIDE = 430.0  # from this width of its body on, a page has its two pictures side by side
ROUNDING = 1e-6  # of sums of sizes in pixels


class PageFrame(NamedTuple):
    """A page with a title and what is said below it, sentences at its foot, and `body` for what it shows.

    `heading` and `saying` are the lines of `title` and `subtitle`: nothing of a page is cut.
    """

    style: PageStyle
    width: float
    height: float
    body: QRectF
    title: str
    subtitle: str
    heading: tuple[str, ...]
    saying: tuple[str, ...]
    note: tuple[str, ...]

    def paint(self, painter: QPainter) -> None:
        """Paint title, subtitle and sentences."""
        theme, strong, small = self.style.theme, metrics("sentence", strong=True), metrics("small")
        top = MARGIN
        for line in self.heading:
            at = QPointF(MARGIN, top + strong.ascent())
            write_symbols(painter, at, line, theme.text, FONT_SIZE.sentence, strong=True)
            top += strong.height()
        for line in self.saying:
            at = QPointF(MARGIN, top + SPACING.xs + small.ascent())
            write_symbols(painter, at, line, theme.text2, FONT_SIZE.small)
            top += small.height()
        foot = self.height - MARGIN - len(self.note) * metrics("small").height()
        paint_note(painter, self.note, QPointF(MARGIN, foot), theme)


class PageLayout(ABC):
    """Layout of a page: a subclass lays `frame` out and, in its body, what the page shows."""

    frame: PageFrame

    @abstractmethod
    def __init__(self, content: Any, style: PageStyle, size: Sides) -> None:
        """Lay a content out. Raises NoRoom if too small."""

    def drawing(self, title: str = "") -> PageDrawing:
        """Return the page, under a title other than that of the frame where one is given."""
        frame = self.frame
        return PageDrawing(frame.width, frame.height, title or frame.title, self.said(), self._paint, self.fields())

    @abstractmethod
    def said(self) -> str:
        """Return what the page shows, in words."""

    @abstractmethod
    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the places that a hover reads and a click chooses."""

    @abstractmethod
    def paint_body(self, painter: QPainter) -> None:
        """Paint all but the frame and the plots."""

    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        self.paint_body(painter)


def body_width(size: Sides) -> float:
    """Return the width of the body of a page."""
    return (OWN_WIDTH if size[0] is None else size[0]) - 2 * MARGIN


def with_frame(
    style: PageStyle,
    size: Sides,
    *,
    title: str,
    subtitle: str = "",
    note: str = "",
    tall: Callable[[float], float],
    least: tuple[float, float],
) -> PageFrame:
    """Return a frame at its own size or at a given one; `tall` gives the body's own height for its width.

    Raises NoRoom where less than `least` (width, height) would be left for the body.
    """
    width, height = OWN_WIDTH if size[0] is None else size[0], size[1]
    title, across = style.titled(title), body_width(size)
    note = note.replace("。 ", "。")  # between Chinese sentences stands no blank
    if across < least[0] - ROUNDING:
        raise NoRoom("width", width, least[0] + 2 * MARGIN)
    small, strong = metrics("small"), metrics("sentence", strong=True)
    heading, saying, lines = (
        tuple(map(visible_text, wrapped(text, across / WIDER_FONT, font))) if text else ()
        for text, font in ((title if style.heading else "", strong), (subtitle, small), (note, small))
    )
    top = MARGIN + len(heading) * strong.height() + (SPACING.m if heading or saying else 0)
    top += (len(saying) * small.height() + SPACING.xs) if saying else 0
    foot = MARGIN + (len(lines) * small.height() + SPACING.m if lines else 0)
    height = top + max(tall(across), least[1]) + foot if height is None else height
    room = height - top - foot
    if room < least[1] - ROUNDING:
        raise NoRoom("height", height, least[1] + top + foot)
    return PageFrame(style, width, height, QRectF(MARGIN, top, across, room), title, subtitle, heading, saying, lines)
