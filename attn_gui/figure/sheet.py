"""Figures as files, as images and in notebooks: everything that leaves the program as a picture goes through here."""

from __future__ import annotations

import math
import os
from pathlib import Path

from PySide6.QtGui import QImage

from attn_gui.figure.compose import Heads, Source, chosen_heads, compose, evaluation_of
from attn_gui.figure.devices import ENCODERS, LONGEST_PAGE_CM, Encoder, image_of
from attn_gui.figure.fonts import ensure_gui
from attn_gui.figure.layout import PX_PER_CM, Layout, plan
from attn_gui.figure.map_figure import MapFigure
from attn_gui.formats.saving import write_file

FORMATS: tuple[str, ...] = tuple(ENCODERS)
SVG_CELLS_IN_NOTEBOOK = 2_500
"""A notebook keeps every picture that it shows: larger maps go into it as PNG only."""


def write(
    source: Source, path: str | os.PathLike[str], *, stage: str = "weights", heads: Heads = 0, batch: int = 0,
    format: str | None = None,  # noqa: A002  the command line's word for it
    width_cm: float | None = None, height_cm: float | None = None, dpi: float = 300,
    theme: str = "light", lang: str = "en", values: bool | None = None, colorbar: bool = True, sheet: bool = False,
) -> list[Path]:  # fmt: skip
    """Write a stage of a problem, trace or evaluation as a figure and give the files written.

    One head, or with `sheet` all chosen ones, goes to `path`; several without `sheet` to STEM-hHEAD.EXT beside it.
    The format is png, svg or pdf, by default as the path ends. Sizes in cm are the whole figure's; without them cells
    have at least 0.5 cm. A file is replaced wholly or not at all. ValueError with a sentence for everything refused.
    """
    path = Path(path)
    encode = _encoder(format or path.suffix.removeprefix("."))
    ensure_gui()
    evaluation = evaluation_of(source)
    chosen = chosen_heads(evaluation, stage, heads)
    groups = [chosen] if sheet or len(chosen) == 1 else [(head,) for head in chosen]
    written = []
    for group in groups:
        figure = compose(
            evaluation, stage=stage, heads=group, batch=batch, theme=theme, lang=lang, values=values, colorbar=colorbar
        )
        target = path if len(groups) == 1 else path.with_name(f"{path.stem}-h{group[0]}{path.suffix}")
        write_file(target, encode(figure, _layout(figure, width_cm, height_cm), dpi))
        written.append(target)
    return written


def to_image(
    source: Source, *, stage: str = "weights", heads: Heads = 0, batch: int = 0,
    width_cm: float | None = None, height_cm: float | None = None, dpi: float = 150,
    theme: str = "light", lang: str = "en", values: bool | None = None, colorbar: bool = True,
) -> QImage:  # fmt: skip
    """The figure as an image, for previews and the clipboard: exactly the pixels of the PNG at this resolution."""
    ensure_gui()
    evaluation = evaluation_of(source)
    figure = compose(
        evaluation, stage=stage, heads=chosen_heads(evaluation, stage, heads), batch=batch, theme=theme, lang=lang,
        values=values, colorbar=colorbar,
    )  # fmt: skip
    return image_of(figure, _layout(figure, width_cm, height_cm), dpi)


def render(
    problem: Source, path: str | os.PathLike[str] | None = None, *, stage: str = "weights", heads: Heads = 0,
    batch: int = 0, width: float | None = None, height: float | None = None, dpi: float = 150,
    values: bool | None = None, colorbar: bool = True, theme: str = "light", lang: str = "en",
) -> Picture:  # fmt: skip
    """Draw a stage of a problem; written to `path` (png, svg or pdf) when one is given. A notebook shows the result.

    Several heads, or "all", come on one sheet. Width and height are in cm. ValueError with a sentence for bad choices.
    """
    ensure_gui()
    evaluation = evaluation_of(problem)
    figure = compose(
        evaluation, stage=stage, heads=chosen_heads(evaluation, stage, heads), batch=batch, theme=theme, lang=lang,
        values=values, colorbar=colorbar,
    )  # fmt: skip
    picture = Picture(figure, _layout(figure, width, height), dpi)
    if path is not None:
        picture.save(path)
    return picture


class Picture:
    """A figure that a notebook shows by itself, and that can be saved."""

    def __init__(self, figure: MapFigure, layout: Layout, dpi: float) -> None:
        self._figure, self._layout, self._dpi = figure, layout, dpi

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure as png, svg or pdf, as the path ends; ValueError with a sentence when that fails."""
        path = Path(path)
        write_file(path, self._encoded(path.suffix.removeprefix(".")))
        return path

    def image(self) -> QImage:
        """The figure in pixels."""
        return image_of(self._figure, self._layout, self._dpi)

    def _encoded(self, ending: str) -> bytes:
        return _encoder(ending)(self._figure, self._layout, self._dpi)

    def _repr_png_(self) -> bytes:
        return self._encoded("png")

    def _repr_svg_(self) -> str | None:
        rows, columns = self._figure.shape
        if rows * columns * len(self._figure.panels) > SVG_CELLS_IN_NOTEBOOK:
            return None
        return self._encoded("svg").decode("utf-8")

    def __repr__(self) -> str:
        width, height = self._layout.width / PX_PER_CM, self._layout.height / PX_PER_CM
        return f"<figure {self._figure.title!r}, {width:.1f} × {height:.1f} cm>"


def _encoder(ending: str) -> Encoder:
    if ending.lower() not in ENCODERS:
        raise ValueError(f"Figures are {', '.join(ENCODERS)} files, got {ending or 'a path without an ending'!r}.")
    return ENCODERS[ending.lower()]


def _layout(figure: MapFigure, width_cm: float | None, height_cm: float | None) -> Layout:
    sides = []
    for name, side in (("width", width_cm), ("height", height_cm)):
        if side is not None and not (math.isfinite(side) and 0 < side <= LONGEST_PAGE_CM):
            raise ValueError(f"The {name} of a figure is up to {LONGEST_PAGE_CM:.0f} cm, got {side:g}.")
        sides.append(None if side is None else side * PX_PER_CM)
    layout = plan(figure, *sides)
    width, height = layout.width / PX_PER_CM, layout.height / PX_PER_CM
    if max(width, height) > LONGEST_PAGE_CM:
        raise ValueError(f"The figure would be {width:.0f} × {height:.0f} cm, more than {LONGEST_PAGE_CM:.0f} a side.")
    return layout
