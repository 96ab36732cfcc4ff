"""Files of a walk: a GIF of its stage with the sentence below, or the end of every beat as a panel on a sheet."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Progress, silent
from attn_gui.figure.compose import aimed_cell
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import USUAL_DPI, ExportSettings
from attn_gui.figure.pages.base import PageStyle
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.walk.canvas import HEIGHT, WIDTH
from attn_gui.figure.walk.rich_text import escaped, strong, write_paragraph, write_rich
from attn_gui.figure.walk.walk import Walk, walk_of
from attn_gui.figure.writers import ANIMATORS, ENCODERS, LOGICAL_DPI, PX_PER_CM, Page, write_moving_gif
from attn_gui.formats.saving import replacing

FRAME = 800.0, 420.0
SENTENCE = QRectF(24, 364, 752, 52)
"""Size of a frame of a GIF, in pixels, and where its sentence stands."""
FRAME_MS = 80

PANELS_ACROSS, PANEL_GAP, HEAD, SAID = 2, 24.0, 30.0, 56.0
"""Panels in a row of a sheet, the gap between them, and the heights of their title and of their sentence."""
USUAL_CM, NARROW_CM = 24.0, 14.0
"""Width of a sheet of two panels in a row, and below which width there is one in a row."""


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
    A file is replaced wholly or not at all. Raises ValueError with a sentence for what cannot be written.
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

    Raises ValueError with a sentence for a cell that is not there.
    """
    cell = aimed_cell(evaluation, settings, head)
    style = PageStyle(settings.theme, settings.lang)
    return walk_of(evaluation, settings.batch, head or 0, settings.stage, cell, style)


def walk_frames(walk: Walk, settings: ExportSettings) -> list[Page]:
    """Return the frames of a walk in time, each the stage with the sentence of its beat below."""
    count = round(walk.seconds * 1000 / FRAME_MS)
    moments = [walk.seconds * (number + 1) / count for number in range(count)]
    sides = zip(settings.sides, FRAME, strict=True)
    scale = min((given * PX_PER_CM / own for given, own in sides if given is not None), default=1.0)
    title, ground = walk.plain_title, walk.theme.surface
    return [Page(*FRAME, title, partial(_paint_frame, walk, at), ground, scale) for at in moments]


def _paint_frame(walk: Walk, seconds: float, painter: QPainter) -> None:
    walk.paint(painter, QRectF((FRAME[0] - WIDTH) / 2, 0, WIDTH, HEIGHT), seconds)
    number, _ = walk.beat_at(seconds)
    write_paragraph(painter, SENTENCE, walk.beats[number].sentence, walk.theme.text, 16)


def walk_sheet(walk: Walk, settings: ExportSettings, session: Callable[[], bytes] | None = None) -> Page:
    """Return the sheet of a walk: title, a panel for the end of every beat, conclusion."""
    narrow = settings.sides[0] is not None and settings.sides[0] < NARROW_CM
    across = 1 if narrow else min(PANELS_ACROSS, len(walk.beats))
    down = -(-len(walk.beats) // across)
    width = across * (WIDTH + PANEL_GAP) + PANEL_GAP
    height = 2 * HEAD + down * (HEAD + HEIGHT + SAID + PANEL_GAP) + 2 * PANEL_GAP
    sides = [(given, own) for given, own in zip(settings.sides, (width, height), strict=True) if given is not None]
    scale = min((given * PX_PER_CM / own for given, own in sides), default=USUAL_CM * across / 2 * PX_PER_CM / width)
    paint = partial(_paint_sheet, walk, across, width, height, settings.title)
    ground = THEMES[walk.theme.name].surface
    return Page(width, height, walk.plain_title, paint, ground, scale, session=session, outlines=settings.outlines)


def _paint_sheet(walk: Walk, across: int, width: float, height: float, heading: bool, painter: QPainter) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    theme = walk.theme
    if heading:
        write_rich(painter, QPointF(PANEL_GAP, PANEL_GAP + 20), strong(walk.title), theme.text, 20)
        said = QPointF(width - PANEL_GAP, PANEL_GAP + 20)
        write_rich(painter, said, walk.subtitle, theme.text2, 16, share=1.0)
    for number, beat in enumerate(walk.beats):
        row, column = divmod(number, across)
        left = PANEL_GAP + column * (WIDTH + PANEL_GAP)
        top = PANEL_GAP + HEAD + row * (HEAD + HEIGHT + SAID + PANEL_GAP)
        head = f"{strong(escaped(str(number + 1)))}   {strong(beat.title)}"
        write_rich(painter, QPointF(left + 24, top + HEAD), head, theme.accent, 16)
        walk.paint_beat(painter, QRectF(left, top + HEAD + 4, WIDTH, HEIGHT), number)
        place = QRectF(left + 24, top + HEAD + HEIGHT + 6, WIDTH - 48, SAID)
        write_paragraph(painter, place, beat.sentence, theme.text, 16)
        painter.setPen(QPen(theme.line, 1.0))
        painter.drawLine(QPointF(left, place.bottom() + 8), QPointF(left + WIDTH, place.bottom() + 8))
    write_rich(painter, QPointF(PANEL_GAP + 24, height - PANEL_GAP - 6), walk.conclusion, theme.text, 18)
