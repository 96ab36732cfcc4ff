"""Settings of a figure for dialog, command line, Python: defaults, help, what excludes what, styles; file names.

Imports no Qt: `attn-gui export --help` names them.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from operator import index
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from attn_gui.arguments import cell, centimeters, idle, points, whole
from attn_gui.engine.stages import OVER_HEADS, SHOWN_FIRST, over_heads
from attn_gui.languages import LANGUAGES, N_
from attn_gui.modes import SIDE_BY_SIDE

if TYPE_CHECKING:
    from attn_gui.engine import Evaluation, Problem
    from attn_gui.figure.colors import ColorScale
    from attn_gui.figure.overlays import ComparedState
    from attn_gui.figure.pages.page_kind import ModelContext
    from attn_gui.formats.snapshots import Snapshot


# --- styles, by the words of the command line: a new one is one entry of STYLES --------------------
@dataclass(frozen=True)
class FigureStyle:
    """The place that a figure is made for: its sides in cm, None for what suits; its type in points, less where that
    is needed, None for what suits; and its dots per inch where there are any, None for what is usual."""

    key: str
    title: str  # English; context "Figures"
    width: float | None = None
    height: float | None = None
    font_size: float | None = None
    dpi: int | None = None


SCREEN = FigureStyle("screen", N_("Figures", "Screen"))
_ENTRIES = (
    SCREEN,
    FigureStyle("paper-column", N_("Figures", "Paper column (8.5 cm)"), width=8.5, font_size=8.0, dpi=600),
    FigureStyle("slide", N_("Figures", "Slide"), width=25.4, height=14.3, font_size=16.0, dpi=144),
)
STYLES: Mapping[str, FigureStyle] = MappingProxyType({style.key: style for style in _ENTRIES})
"""The one list that dialogs, the command line and Python go by."""


def resolution(dpi: float | None, style: str, usual: float) -> float:
    """Return the dots per inch that are asked for, else those of the style, else the usual ones."""
    of_style = STYLES[style].dpi if style in STYLES else None
    return next(each for each in (dpi, of_style, usual) if each is not None)


# --- settings --------------------------------------------------------------------------------------


Heads: TypeAlias = int | Sequence[int] | str | None
"""One head, several, "all", None for a matrix as a whole; of weights "mean" or "largest": of all heads one map."""

THEMES = ("light", "dark")
FONT_SIZES = (4.0, 72.0)
USUAL_DPI = 300
MOST_CARRIED = 2**20
"""Bytes of arrays that a figure carries unasked."""

MEASURES = ("width", "height", "dpi", "font_size")
SWITCHES = ("values", "colorbar", "title", "outlines", "transparent", "session")
PAGE, WALK, CARD = "a page", "a walk", "a card"
NEEDS = {"set": PAGE, "compare": "before"}
_OF_MAPS = ("levels", "colormap", "before", "values", "colorbar")
CLASHES = {
    PAGE: (*_OF_MAPS, WALK),
    WALK: (*_OF_MAPS, CARD, "font_size"),
    CARD: ("before", "values", "colorbar", "font_size"),
}
"""Choices that mean something with another one only, and those that mean nothing with it."""


def _setting(default: Any, words: str, **option: Any) -> Any:
    """Return a field with an option of its own: `words` are its help, `option` the rest that `add_argument` takes."""
    return field(default=default, metadata={"default": default, "help": words, **option})


_SWITCH: Mapping[str, Any] = {"action": argparse.BooleanOptionalAction}


@dataclass(frozen=True)
class ExportSettings:
    """Settings of a figure of a stage. Sizes in cm and points, None for what suits the `style`; `values` None writes
    them where they fit.

    `color_scales` are the levels and colors of matrices by name; others are colored by their numbers. A page looks at
    `cell` of the stage, (row, column) as shown, and has `page_options`; a `walk` leads to it. A state `beside` the
    one drawn is shown with it; a page may show the `states` kept beside the problem, or the `model` that it is a layer
    of. With `outlines` an SVG or PDF draws its letters as paths. A file carries its `session`, from which the figure
    can be opened; None: where that is up to a megabyte. Raises ValueError with a sentence for what is none of the
    choices.
    """

    stage: str = SHOWN_FIRST
    heads: Heads = 0
    batch: int = _setting(
        0, "which item (default: 0; a file of all stages has all)", type=whole(0, 10**6), metavar="ITEM"
    )
    picture: str = _setting("map", "the map alone, or the matrices around it, too", choices=("map", "product"))
    width: float | None = _setting(
        None,
        "of the figure (default: as its cells need, 0.5 cm or more, less in large maps)",
        type=centimeters,
        metavar="CM",
    )
    height: float | None = _setting(None, "of the figure (default: as its cells need)", type=centimeters, metavar="CM")
    dpi: float = _setting(
        USUAL_DPI,
        f"dots per inch of a png or gif (default: {USUAL_DPI}, or the style's)",
        type=whole(30, 2400),
        metavar="N",
    )
    style: str = _setting(
        SCREEN.key,
        "what it is made for, which gives width, type and resolution: screen, paper-column (8.5 cm, 8 points) or "
        "slide (25.4 × 14.3 cm, 16 points; default: screen)",
        metavar="NAME",
    )
    font_size: float | None = _setting(
        None, "of numbers and labels (default: 7.5 points, more on figures wider than 12 cm)", type=points, metavar="PT"
    )
    values: bool | None = _setting(None, "numbers in cells (default: where they fit)", **_SWITCH)
    session: bool | None = _setting(
        None, "carry the problem inside, so that the figure opens as a session (default: up to 1 MB)", **_SWITCH
    )
    transparent: bool = _setting(False, "no background behind the figure (png, svg, pdf)", action="store_true")
    colorbar: bool = _setting(True, "the color bar (default: with it)", **_SWITCH)
    title: bool = _setting(True, "the title, and the shape beside it (default: with them)", **_SWITCH)
    outlines: bool = _setting(False, "letters as paths, for viewers without the fonts (svg, pdf)", action="store_true")
    lang: str = _setting("en", "language of the figure (default: en)", choices=LANGUAGES)
    theme: str = _setting("light", "colors of the figure (default: light)", choices=THEMES)
    walk: bool = _setting(
        False,
        "the walk through one cell in place of its map: a gif that moves, or a panel for each beat on a sheet",
        action="store_true",
    )
    cell: tuple[int, int] | None = _setting(
        None,
        "the cell of the stage, its column counted within the head, that a page, a walk or a card looks at (default: "
        "the largest of the last row); a map "
        "always names its row and column, even where others are left out for room",
        type=cell,
        metavar="ROW,COLUMN",
    )
    page_options: Mapping[str, Any] = field(default_factory=dict)
    color_scales: Mapping[str, ColorScale] = field(default_factory=dict)
    beside: ComparedState | None = None
    states: tuple[Snapshot, ...] = ()
    model: ModelContext | None = None

    def __post_init__(self) -> None:
        for name, meant in zip(("stage", "heads"), over_heads(self.stage, self.heads), strict=True):
            object.__setattr__(self, name, meant)
        for given, known in ((self.theme, THEMES), (self.lang, LANGUAGES), (self.style, STYLES)):
            if given not in tuple(known):
                from attn_gui.document.edits import Refusal
                from attn_gui.figure.colors import NONE_OF

                raise Refusal(NONE_OF, got=repr(given), known=", ".join(known))
        for name in MEASURES:
            object.__setattr__(self, name, _measured(name, getattr(self, name)))
        for chosen in (getattr(self, name) for name in SWITCHES):
            if not isinstance(chosen, bool | np.bool_ | None):
                raise ValueError(f"What a figure has or leaves out is True or False, got {chosen!r}.")
        try:
            object.__setattr__(self, "batch", index(self.batch))
        except TypeError:
            raise ValueError(f"A batch item is a whole number, got {self.batch!r}.") from None
        low, high = FONT_SIZES
        if self.font_size is not None and not low <= self.font_size <= high:
            raise ValueError(f"The font size is {low:g} to {high:g} points, got {self.font_size:g}.")

    @property
    def sides(self) -> tuple[float | None, float | None]:
        """Width and height in cm, those of the style where neither is given; None for what suits the figure."""
        if self.width is None and self.height is None:
            return STYLES[self.style].width, STYLES[self.style].height
        return self.width, self.height

    def carries(self, problem: Problem) -> bool:
        """Return whether a file of the figure carries the problem."""
        return is_small(problem) if self.session is None else self.session

    def color_scale(self, name: str) -> ColorScale:
        """Return levels and colors of a stage or field."""
        from attn_gui.figure.colors import PLAIN

        return self.color_scales.get(name, PLAIN)


def is_small(problem: Problem) -> bool:
    """Return whether a figure carries the problem unasked."""
    return sum(array.nbytes for array in problem.arrays().values()) <= MOST_CARRIED


def add_options(parser: argparse.ArgumentParser, *names: str, **others: Mapping[str, Any]) -> None:
    """Give a parser the options of some settings, `--font-size` for `font_size`; `others` are what differs in them."""
    for name in names:
        option = {**ExportSettings.__dataclass_fields__[name].metadata, **others.get(name, {})}
        parser.add_argument(f"--{name.replace('_', '-')}", **option)


def given_options(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that options of the command line give, by their names."""
    fields = ExportSettings.__dataclass_fields__
    return {name: value for name, value in vars(chosen).items() if name in fields and fields[name].metadata}


def _measured(name: str, value: Any) -> float | None:
    """Return a length, resolution or size as a number, None where it is left out. Raises ValueError for another."""
    if value is None or isinstance(value, int | float):
        return value
    if not isinstance(value, Real):
        raise ValueError(f"{name} is a number, got {value!r}.")
    return float(value)


def check_company(
    page: bool, walk: bool, card: bool, given: Mapping[str, object], colorbar: bool, compare: str
) -> None:
    """Refuse a choice of a figure, None where it is left out, that means nothing among the others, on a `page`, in a
    `walk` or on a `card`.

    Raises ValueError with a sentence.
    """
    choices = {**given, PAGE: page or None, WALK: walk or None, CARD: card or None}
    choices |= {"colorbar": colorbar and None, "compare": None if compare == SIDE_BY_SIDE else compare}
    if reason := idle([choice for choice, value in choices.items() if value is not None], NEEDS, CLASHES):
        raise ValueError(reason)


# --- names of exported files: NAME-STAGE[-hHEAD][-bITEM] -------------------------------------------
def file_stem(*parts: str) -> str:
    """Return the parts of a file's name that are not empty, joined by -."""
    return "-".join(filter(None, parts))


def item_part(problem: Problem, item: int) -> str:
    """Return the part of a file's name for a batch item, b1; empty where there is only one."""
    return f"b{item}" if problem.batch_size > 1 else ""


def has_own_cells(evaluation: Evaluation, stage: str) -> bool:
    """Return whether each head has cells of its own in a stage, a map or columns, and so a file of its own."""
    entry = evaluation.node(stage).stage
    return entry.per_head or bool(entry.heads)


def own_heads(evaluation: Evaluation, stage: str, heads: tuple[int, ...]) -> tuple[int, ...]:
    """Return the heads that get a file of their own; a stage that heads share has that of the first."""
    return heads if has_own_cells(evaluation, stage) else heads[:1]


def heads_part(heads: Sequence[int], count: int, stage: str = "") -> str:
    """Return the part of a file's name for its heads: h3, h0,2-3, or `all` for all of several.

    Empty for a stage that is one map for all heads.
    """
    if any(stage == merged.name for merged in OVER_HEADS.values()):
        return ""
    if len(heads) == count > 1:
        return "all"
    runs: list[list[int]] = []
    for head in sorted(heads):
        if runs and runs[-1][-1] == head - 1:
            runs[-1].append(head)
        else:
            runs.append([head])
    return "h" + ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
