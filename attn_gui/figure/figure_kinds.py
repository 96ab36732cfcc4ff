"""Kinds of figures (map alone, matrices around it, page, card): which there are, size, type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Progress
from attn_gui.engine.stages import is_derived
from attn_gui.figure.card import SQUARE, WIDE, compose_card, paint_card, plan_card
from attn_gui.figure.compose import check_item, compose_figure
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import STYLES, ExportSettings, own_heads
from attn_gui.figure.heatmap import MapFigure
from attn_gui.figure.heatmap_layout import HeatmapLayout, begin, fitting_numbers, paint_map, plan
from attn_gui.figure.pages.catalog import PAGES, page_of_name
from attn_gui.figure.pages.page_kind import (
    ModelContext,
    NoRoom,
    PageContext,
    PageKind,
    PageStyle,
    Sides,
    checked_options,
    option_values,
)
from attn_gui.figure.product import (
    ProductFigure,
    ProductLayout,
    compose_product,
    has_product,
    paint_product,
    plan_product,
)
from attn_gui.figure.stage_formulas import STAGE_PLACE
from attn_gui.figure.writers import BASE_PT, LOGICAL_DPI, PX_PER_CM, Page, TooSmall, pixels_of
from attn_gui.formats.catalog import IMAGES
from attn_gui.languages import N_


def check_options(name: str, evaluation: Evaluation, settings: ExportSettings, head: int) -> None:
    """Refuse what cannot be set on a page. Raises ValueError with a sentence."""
    if settings.page_options:
        page_of_name(name).check(evaluation.problem, settings.model)
        context = PageContext.at(evaluation, settings.batch, head, settings.stage, settings.cell, settings.states)
        checked_options(page_of_name(name).options, context, settings.page_options)


# --- size of a page --------------------------------------------------------------------------------
UNSCALED_CM = 12.0
"""Up to this side a page has type of 7.5 points; a larger one is magnified, as far as its numbers still fit."""

SCALE_STEPS = 10
LEAST_PT = 5.0
"""Type of a style is made smaller down to this where a page has no room for more."""


def scale_of(settings: ExportSettings, fits: Callable[[Sides, float], bool]) -> float:
    """Return the size of a page's type over 7.5 points: as asked for, or as its size suggests.

    `fits` tells whether the numbers have room on a page of some sides before it is magnified.
    """
    if settings.font_size is not None:
        return settings.font_size / BASE_PT
    width, height = settings.sides
    side, wanted = width or height or 0.0, STYLES[settings.style].font_size
    least = 1.0 if wanted is None else LEAST_PT / BASE_PT
    largest = max(1.0, side / UNSCALED_CM) if wanted is None else wanted / BASE_PT
    if largest == least:
        return largest
    steps = [least * (largest / least) ** (step / SCALE_STEPS) for step in range(SCALE_STEPS, -1, -1)]
    return next((scale for scale in steps if fits(sides_of(settings, scale), scale)), largest)


def sides_of(settings: ExportSettings, scale: float) -> Sides:
    """Return width and height before a page is magnified, in logical pixels."""
    width, height = (None if side is None else side * PX_PER_CM / scale for side in settings.sides)
    return width, height


def has_room_for(work: Callable[[], bool]) -> bool:
    """Return what `work` returns, or False where it raises ValueError for lack of room."""
    try:
        return work()
    except ValueError:
        return False


# --- what makes a page -----------------------------------------------------------------------------
FRAMES = ".frames"
"""The end of the key of a page's pictures one by one."""

BLOCKS = 1024
"""Blocks a side of the long maps of a product picture."""

Laid = TypeVar("Laid", HeatmapLayout, ProductLayout)
MakePage = Callable[[Evaluation, ExportSettings, Sequence[int | None], float | None, Progress], Page]
"""A page for some heads; the float is the resolution of a file that has pixels."""


# --- a map ---------------------------------------------------------------------------------------
def map_page(
    evaluation: Evaluation, settings: ExportSettings, heads: Sequence[int | None], dpi: float | None, progress: Progress
) -> Page:
    """Return the map of a stage for one head, or for several on a sheet; at its foot it says what is pooled."""
    figure = compose_figure(evaluation, settings, heads, lambda bare: _pixels_to_read(bare, settings), progress)
    layout, scale = _planned(figure, settings)
    if dpi is not None or figure.cells is not None:
        pixels = map_pixels(layout, scale, settings.dpi if dpi is None else dpi)
        pooled = [-(-cells // found) for cells, found in zip(figure.shape, pixels, strict=True)]
        if pooled != [1, 1]:
            note = figure.words.pooled.format(rows=pooled[0], columns=pooled[1])
            figure = replace(figure, note=note)
            layout, scale = _planned(figure, settings)
    rows, columns = figure.shape
    rect = QRectF(0, 0, layout.width, layout.height)
    return Page(
        layout.width,
        layout.height,
        figure.title,
        lambda painter: paint_map(painter, rect, figure, layout),
        _background(settings),
        scale,
        rows * columns * len(figure.panels),
        outlines=settings.outlines,
    )


def map_pixels(layout: HeatmapLayout, scale: float, dpi: float) -> tuple[int, int]:
    """Return rows and columns of pixels under the first map of a figure; others may have one more or less by
    rounding."""
    return _pixels(layout.maps[0], scale * dpi / LOGICAL_DPI)


def _pixels_to_read(figure: MapFigure, settings: ExportSettings) -> tuple[int, int]:
    """Return `map_pixels` of a figure. Raises ValueError where its picture would have too many, before any is read."""
    layout, scale = _planned(figure, settings)
    pixels_of(layout.width * scale, layout.height * scale, settings.dpi)
    return map_pixels(layout, scale, settings.dpi)


def _pixels(place: QRectF, scale: float) -> tuple[int, int]:
    left, top, right, bottom = (
        round(side * scale) for side in (place.left(), place.top(), place.right(), place.bottom())
    )
    return max(bottom - top, 1), max(right - left, 1)


def _planned(figure: MapFigure, settings: ExportSettings) -> tuple[HeatmapLayout, float]:
    return _laid_out(figure, settings, partial(plan, figure), lambda layout: layout.maps[0])


def _needs_numbers(figure: MapFigure, settings: ExportSettings) -> bool:
    """Return whether type is made smaller for the numbers in cells: not where the style says how large it has to be."""
    return STYLES[settings.style].font_size is None and not figure.as_image and figure.show_values is not False


def _has_numbers(figure: MapFigure, place: QRectF) -> bool:
    rows, columns = figure.shape
    return fitting_numbers(figure, place.width() / columns, place.height() / rows) is not None


def _laid_out(
    figure: MapFigure, settings: ExportSettings, lay: Callable[..., Laid], place: Callable[[Laid], QRectF]
) -> tuple[Laid, float]:
    """Return a layout on the page that is asked for and its scale, at which the numbers of the map at `place` can be
    read."""

    def fits(sides: Sides, scale: float) -> bool:
        return has_room_for(lambda: _has_numbers(figure, place(lay(*sides, scale))))

    def has_room(sides: Sides, scale: float) -> bool:
        return has_room_for(lambda: place(lay(*sides, scale)).isValid())

    numbered = _needs_numbers(figure, settings) and fits(sides_of(settings, 1.0), 1.0)
    scale = scale_of(settings, fits if numbered else has_room)
    return lay(*sides_of(settings, scale), scale), scale


def product_page(
    evaluation: Evaluation, settings: ExportSettings, heads: Sequence[int | None], dpi: float | None, progress: Progress
) -> Page:
    """Return the matrices that a stage is made of around it, for one head."""
    figure = compose_product(evaluation, settings, heads[0] or 0, BLOCKS, progress)
    layout, scale = _planned_product(figure, settings)
    if note := _pooling(figure, layout, None if dpi is None else scale * dpi / LOGICAL_DPI):
        figure = replace(figure, note=note)
        layout, scale = _planned_product(figure, settings)
    cells = sum(own.shape[0] * own.shape[1] for own in figure.maps.values())
    return Page(
        layout.width,
        layout.height,
        figure.title,
        lambda painter: paint_product(painter, figure, layout),
        _background(settings),
        scale,
        cells,
        outlines=settings.outlines,
    )


def _planned_product(figure: ProductFigure, settings: ExportSettings) -> tuple[ProductLayout, float]:
    return _laid_out(figure.stage, settings, partial(plan_product, figure), lambda layout: layout.maps[STAGE_PLACE])


def _pooling(figure: ProductFigure, layout: ProductLayout, scale: float | None) -> str:
    """Return the note that maps show fewer blocks, or pixels, than they have cells; empty where none do."""
    most = [1, 1]
    for place, own in figure.maps.items():
        shown = own.panels[0].values.shape
        seen = shown if scale is None else _pixels(layout.maps[place], scale)
        for axis in (0, 1):
            most[axis] = max(most[axis], -(-own.shape[axis] // min(shown[axis], seen[axis])))
    return "" if most == [1, 1] else figure.stage.words.pooled_blocks.format(rows=most[0], columns=most[1])


def card_page(
    size: tuple[float, float],
    evaluation: Evaluation,
    settings: ExportSettings,
    heads: Sequence[int | None],
    dpi: float | None,
    progress: Progress,
) -> Page:
    """Return the card of the chosen cell: as many pixels as its size says, or within the sides that are asked for."""
    figure = compose_card(evaluation, settings, heads[0], progress)
    layout = plan_card(figure, size)
    sides = zip((settings.width, settings.height), size, strict=True)
    shares = [side * PX_PER_CM / own for side, own in sides if side is not None]
    return Page(
        *size,
        figure.title,
        lambda painter: paint_card(painter, figure, layout, transparent=settings.transparent),
        _background(settings),
        min(shares, default=1.0 if dpi is None else LOGICAL_DPI / dpi),
        outlines=settings.outlines,
    )


# --- a page of the catalog -------------------------------------------------------------------------
def catalog_page(
    kind: PageKind[Any],
    evaluation: Evaluation,
    settings: ExportSettings,
    heads: Sequence[int | None],
    dpi: float | None,
    progress: Progress,
) -> Page:
    """Return a page as the window paints it, for one head. Raises ValueError with a sentence where a problem has no
    such page."""
    content = kind.read(evaluation, page_context(kind, evaluation, settings, heads[0] or 0), progress)
    return content_page(kind, content, settings)


def page_context(kind: PageKind[Any], evaluation: Evaluation, settings: ExportSettings, head: int) -> PageContext:
    """Return the things that a page looks at. Raises ValueError with a sentence where a problem has no such page."""
    problem = evaluation.problem
    check_item(problem, settings.batch)
    kind.check(problem, settings.model)
    context = PageContext.at(evaluation, settings.batch, head, settings.stage, settings.cell, settings.states)
    context = replace(context, model=settings.model)
    return replace(context, options=option_values(kind.options, context, settings.page_options))


def content_page(kind: PageKind[Any], content: object, settings: ExportSettings) -> Page:
    """Return a page of what was read for it."""
    layer = None if settings.model is None or kind.of_model else settings.model.layer
    style = PageStyle(settings.theme, settings.lang, layer, settings.title)
    scale = scale_of(settings, lambda sides, _: has_room_for(lambda: bool(kind.plan(content, style, sides).width)))
    try:
        drawing = kind.plan(content, style, sides_of(settings, scale))
    except NoRoom as lack:
        raise TooSmall(lack.side, lack.given * scale, lack.least * scale) from lack

    def paint(painter: QPainter) -> None:
        painter.save()
        begin(painter, QRectF(0, 0, drawing.width, drawing.height), None if settings.transparent else style.theme)
        drawing.paint_all(painter)
        painter.restore()

    return Page(
        drawing.width, drawing.height, drawing.title, paint, _background(settings), scale, outlines=settings.outlines
    )


def _background(settings: ExportSettings) -> QColor | None:
    return None if settings.transparent else THEMES[settings.theme].surface


# --- catalog -------------------------------------------------------------------------------------
@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: when it is there, how a page of it is made, and what its files hold."""

    key: str
    title: str
    part: str  # of the names of its files
    page: MakePage
    has: Callable[[Evaluation, str], bool]  # whether it is there for a stage
    on_sheets: bool = False  # whether several heads share a sheet
    of_stage: bool = True  # whether it shows the stage that was asked for
    per_head: bool = True  # where it is of no stage: whether each head has one
    context: str = "Pictures"  # of its title, for translators
    frames: PageKind[Any] | None = None  # the page whose slider runs through it
    apart: bool = False  # whether each place of the slider is a file, where a file holds only one picture
    quick: bool = True  # whether it takes no more than a frame
    of_model: bool = False  # whether it needs a model
    of_cell: bool = False  # whether it may depend on the chosen cell

    def moves(self, form: str) -> bool:
        """Return whether a file of a form, or several, hold all places of its slider."""
        return self.frames is not None and (self.apart or IMAGES[form].moving)

    def own_heads(self, evaluation: Evaluation, stage: str, heads: tuple[int, ...], walk: bool) -> tuple[int, ...]:
        """Return those of some heads that have a figure of their own: the first alone of what heads share.

        A card, and a `walk`, show joined heads side by side, as the window does.
        """
        if self.of_stage:
            whole = (walk or self.of_cell) and evaluation.node(stage).stage.joined
            return heads[:1] if whole else own_heads(evaluation, stage, heads)
        return heads if self.per_head else heads[:1]

    def is_there(self, evaluation: Evaluation, model: ModelContext | None) -> bool:
        """Return whether any stage of a problem has it, that may be a layer of a model."""
        return (model is not None or not self.of_model) and any(self.has(evaluation, one) for one in evaluation.stages)


_OWN: Mapping[str, FigureKind] = MappingProxyType(
    {
        kind.key: kind
        for kind in (
            FigureKind(
                "map", N_("Pictures", "The map alone"), "", map_page, lambda evaluation, stage: True, on_sheets=True
            ),
            FigureKind(
                "product",
                N_("Pictures", "The matrices around it, as in the window"),
                "product",
                product_page,
                has_product,
            ),
            FigureKind(
                "card",
                N_("Pictures", "A card of one cell, wide"),
                "card",
                partial(card_page, WIDE),
                lambda evaluation, stage: not is_derived(stage),
                of_cell=True,
            ),
            FigureKind(
                "square_card",
                N_("Pictures", "A card of one cell, square"),
                "card",
                partial(card_page, SQUARE),
                lambda evaluation, stage: not is_derived(stage),
                of_cell=True,
            ),
        )
    }
)


class _Pictures(Mapping[str, FigureKind]):
    """The kinds that are about a stage, and every page of the catalog as it is at the time."""

    def __getitem__(self, key: str) -> FigureKind:
        if key in _OWN:
            return _OWN[key]
        kind = PAGES[key.removesuffix(FRAMES)]
        apart = key.endswith(FRAMES)
        return FigureKind(
            key,
            kind.frames if apart else kind.title,
            kind.name,
            partial(catalog_page, kind),
            lambda evaluation, stage: kind.can_show(evaluation.problem),
            of_stage=False,
            per_head=kind.per_head,
            of_cell=True,
            context="Pages",
            frames=kind if kind.frames else None,
            apart=apart,
            quick=not kind.frames and not kind.of_model,
            of_model=kind.of_model,
        )

    def __iter__(self) -> Iterator[str]:
        yield from _OWN
        for name, kind in PAGES.items():
            yield name
            if kind.frames:
                yield name + FRAMES

    def __len__(self) -> int:
        return len(list(iter(self)))


PICTURES: Mapping[str, FigureKind] = _Pictures()
"""The kinds by their keys."""


CARDS = {True: "card", "wide": "card", "square": "square_card"}
_NO_CARD = N_("A card is wide or square, got {got}.")


def card_picture(card: bool | str) -> str:
    """Return the key of the kind that a card is; empty for none. Raises ValueError for another form."""
    if card is False:
        return ""
    if card not in CARDS:
        raise Refusal(_NO_CARD, got=repr(card))
    return CARDS[card]


def kind_of(key: str) -> FigureKind:
    """Return a kind by its key. Raises ValueError for another."""
    if key not in PICTURES:
        raise ValueError(f"{key!r} is not one of {', '.join(PICTURES)}.")
    return PICTURES[key]
