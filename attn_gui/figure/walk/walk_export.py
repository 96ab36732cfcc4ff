"""A walk as a file: GIF frames with the sentence below, or panels on a sheet; its size and type."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Progress, silent
from attn_gui.engine.stages import OVER_HEADS
from attn_gui.figure.compose import aimed_cell
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import USUAL_DPI, ExportSettings
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.text.rich_text import LEADING, escaped, rich_width, strong, write_paragraph, write_rich
from attn_gui.figure.walk.walk import Walk, walk_of
from attn_gui.figure.walk.walk_canvas import HEIGHT, SMALL, WIDTH
from attn_gui.figure.writers import ANIMATORS, ENCODERS, LOGICAL_DPI, PX_PER_CM, Page, write_moving_gif
from attn_gui.formats.atomic_writing import replacing
from attn_gui.languages import N_

T = TypeVar("T")

FRAME = 800.0, 420.0
SENTENCE = QRectF(24, 364, 752, 52)
"""Size of a frame of a GIF, in pixels, and where its sentence stands."""
FRAME_MS = 80

PANELS_ACROSS, PANEL_GAP = 2, 16.0
"""Most panels in a row of a sheet, and the gap between them."""
USUAL_CM = 24.0
"""Width of a sheet of two panels in a row."""
LEAST_PT = 5
LEAST_SCALE = LEAST_PT * LOGICAL_DPI / 72 / SMALL
"""Least points of the smallest letters, and the scale at which they have them."""
TYPE, PRINTED, LINES = (16.0, 24.0), 7.5 * LOGICAL_DPI / 72, 3
"""Least and most pixels of the sentences of a sheet, those that they have on paper where that lets them, and lines."""

_OF_ALL_HEADS = N_("A walk goes through one head, but {name} is made of all heads: name another stage.")
_ILLEGIBLE = {
    "width": N_(
        "At a width of {given} cm the letters of the walk would be smaller than {points} points; it needs at least "
        "{least} cm.",
    ),
    "height": N_(
        "At a height of {given} cm the letters of the walk would be smaller than {points} points; it needs at least "
        "{least} cm.",
    ),
}


def export_walk(
    walk: Walk,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002  the command line's word
    settings: ExportSettings | None = None,
    *,
    session: Callable[[], bytes] | None = None,
    progress: Progress = silent,
) -> Path:
    """Write a walk as a GIF of 800 × 420 pixels, or as panels on a sheet (png, svg, pdf), and return the path.

    The format is by default as the path ends. `settings` give width and height of a sheet in cm (24 cm wide by
    default), whether its letters are outlines, and dots per inch (left out: 96 for a GIF); `session` is the problem
    that a sheet carries. `progress` hears the share that is done; what it raises ends the work.
    A file is replaced wholly or not at all. Raises ValueError with a sentence for what cannot be written, or not read.
    """
    ensure_gui()
    path = Path(path)
    form = (format or path.suffix.removeprefix(".")).lower()
    settings = settings or ExportSettings(dpi=LOGICAL_DPI if form in ANIMATORS else USUAL_DPI)
    if form not in ENCODERS:
        raise ValueError(f"Figures are {', '.join(ENCODERS)} files, got {form or 'a path without an ending'!r}.")
    with replacing(path) as target:
        if form in ANIMATORS:
            write_moving_gif(walk_frames(walk, settings), settings.dpi, target, progress, FRAME_MS)
        else:
            ENCODERS[form](walk_sheet(walk, settings, session), settings.dpi, target)
            progress(1.0)
    return path


def walk_for(evaluation: Evaluation, settings: ExportSettings, head: int | None) -> Walk:
    """Return the walk that settings ask for: to their cell, or to the largest of the last row of their stage.

    Raises ValueError with a sentence for a cell that is not there, or a stage that is made of all heads.
    """
    if settings.stage in {stage.name for stage in OVER_HEADS.values()}:
        raise Refusal(_OF_ALL_HEADS, name=settings.stage)
    cell = aimed_cell(evaluation, settings, head)
    style = PageStyle(settings.theme, settings.lang)
    return walk_of(evaluation, settings.batch, head or 0, settings.stage, cell, style)


def walk_frames(walk: Walk, settings: ExportSettings) -> list[Page]:
    """Return the frames of a walk in time, each the stage with the sentence of its beat below."""
    count = round(walk.seconds * 1000 / FRAME_MS)
    moments = [walk.seconds * (number + 1) / count for number in range(count)]
    scale = _within_sides(settings, lambda *sides: _legible_scale(FRAME, sides, 1.0))
    title, background = walk.plain_title, walk.theme.surface
    return [Page(*FRAME, title, partial(_paint_frame, walk, at), background, scale) for at in moments]


def _paint_frame(walk: Walk, seconds: float, painter: QPainter) -> None:
    walk.paint(painter, QRectF((FRAME[0] - WIDTH) / 2, 0, WIDTH, HEIGHT), seconds)
    number, _ = walk.beat_at(seconds)
    write_paragraph(painter, SENTENCE, walk.beats[number].sentence, walk.theme.text, 16)


def walk_sheet(walk: Walk, settings: ExportSettings, session: Callable[[], bytes] | None = None) -> Page:
    """Return the sheet of a walk: title, a panel for the end of every beat, conclusion."""
    return _within_sides(settings, partial(_sheet_page, walk, settings, session))


def _within_sides(settings: ExportSettings, make: Callable[[float | None, float | None], T]) -> T:
    """Return what is made within the sides that were typed, or those of the style, where it is legible in them."""
    if settings.width is None and settings.height is None:
        with suppress(Refusal):
            return make(*settings.sides)
    return make(settings.width, settings.height)


def _sheet_page(
    walk: Walk, settings: ExportSettings, session: Callable[[], bytes] | None, width: float | None, height: float | None
) -> Page:
    usual = USUAL_CM * PX_PER_CM / _width_of(PANELS_ACROSS)
    two = width is None or width * PX_PER_CM >= _width_of(PANELS_ACROSS) * LEAST_SCALE
    across = min(PANELS_ACROSS if two else 1, len(walk.beats))
    wide = usual if width is None else width * PX_PER_CM / _width_of(across)
    sheet = WalkSheet(walk, across, min(max(PRINTED / wide, TYPE[0]), TYPE[1]), settings.title)
    scale = _legible_scale((sheet.width, sheet.height), (width, height), usual)
    background = THEMES[walk.theme.name].surface
    size = sheet.width, sheet.height
    return Page(*size, walk.plain_title, sheet.paint, background, scale, session=session, outlines=settings.outlines)


def _width_of(across: int) -> float:
    return across * (WIDTH + PANEL_GAP) + PANEL_GAP


def _legible_scale(own: tuple[float, float], sides: tuple[float | None, float | None], usual: float) -> float:
    """Return the scale of what is `own` pixels wide and high within sides in cm, `usual` without any.

    Raises Refusal where its smallest letters would be too small to be read.
    """
    for name, pixels, given in zip(_ILLEGIBLE, own, sides, strict=True):
        least = math.ceil(pixels * LEAST_SCALE / PX_PER_CM * 10) / 10
        if given is not None and given * PX_PER_CM < pixels * LEAST_SCALE:
            raise Refusal(_ILLEGIBLE[name], given=f"{given:g}", least=f"{least:.1f}", points=LEAST_PT)
    fitting = [given * PX_PER_CM / pixels for pixels, given in zip(own, sides, strict=True) if given is not None]
    return min(fitting, default=usual)


class WalkSheet(NamedTuple):
    """A sheet of panels, so many across, with sentences of so many pixels, and a title where it has one."""

    walk: Walk
    across: int
    pixels: float
    titled: bool

    @property
    def width(self) -> float:
        """Its width in pixels."""
        return _width_of(self.across)

    @property
    def height(self) -> float:
        """Its height in pixels."""
        return 2 * PANEL_GAP + 2 * self.head + -(-len(self.walk.beats) // self.across) * self._pitch

    @property
    def head(self) -> float:
        """The height of a title."""
        return self.pixels + 14

    @property
    def _said(self) -> float:
        return LINES * self.pixels * LEADING

    @property
    def _pitch(self) -> float:
        return self.head + HEIGHT + self._said + PANEL_GAP

    def paint(self, painter: QPainter) -> None:
        """Paint its titles, the end of every beat with its sentence, and the conclusion."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        walk, theme, large = self.walk, self.walk.theme, self.pixels + 2
        if self.titled:
            foot, title, room = PANEL_GAP + large, strong(walk.title), self.width - 3 * PANEL_GAP
            write_rich(painter, QPointF(PANEL_GAP, foot), title, theme.text, large + 2)
            if rich_width(title, large + 2) + rich_width(walk.subtitle, self.pixels) <= room:  # else the foot says it
                write_rich(painter, QPointF(self.width - PANEL_GAP, foot), walk.subtitle, theme.text2, self.pixels, 1.0)
        for number in range(len(walk.beats)):
            row, column = divmod(number, self.across)
            corner = QPointF(PANEL_GAP + column * (WIDTH + PANEL_GAP), PANEL_GAP + self.head + row * self._pitch)
            self._paint_panel(painter, number, corner)
        left, height = PANEL_GAP + 24, self.head + PANEL_GAP
        place = QRectF(left, self.height - height, self.width - 2 * left, height - 6)
        write_paragraph(painter, place, walk.conclusion, theme.text, large)

    def _paint_panel(self, painter: QPainter, number: int, corner: QPointF) -> None:
        beat, theme, left, top = self.walk.beats[number], self.walk.theme, corner.x(), corner.y() + self.head
        head = f"{strong(escaped(str(number + 1)))}   {strong(beat.title)}"
        write_rich(painter, QPointF(left + 24, top), head, theme.accent, self.pixels)
        self.walk.paint_beat(painter, QRectF(left, top + 4, WIDTH, HEIGHT), number)
        place = QRectF(left + 24, top + HEIGHT + 6, WIDTH - 48, self._said)
        write_paragraph(painter, place, beat.sentence, theme.text, self.pixels)
        painter.setPen(QPen(theme.line, 1.0))
        painter.drawLine(QPointF(left, place.bottom() + 8), QPointF(left + WIDTH, place.bottom() + 8))
