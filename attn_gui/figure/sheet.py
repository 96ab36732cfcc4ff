"""Figures as files, as images and in notebooks: everything that leaves the program as a picture goes through here."""

from __future__ import annotations

import io
import math
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from PySide6.QtGui import QImage

from attn_gui.engine import Evaluation
from attn_gui.figure.compose import Heads, Source, chosen_heads, compose, evaluation_of
from attn_gui.figure.devices import ENCODERS, LONGEST_PAGE_CM, image_of, map_pixels
from attn_gui.figure.fonts import ensure_gui
from attn_gui.figure.layout import PX_PER_CM, Layout, plan
from attn_gui.figure.map_figure import MapFigure
from attn_gui.figure.reading import Tell, silent, within
from attn_gui.formats.saving import replacing

Size: TypeAlias = tuple[float | None, float | None]
"""Width and height of a figure; None for what suits it."""

FORMATS: tuple[str, ...] = tuple(ENCODERS)
SVG_CELLS_IN_NOTEBOOK = 2_500
"""A notebook keeps every picture that it shows: larger maps go into it as PNG only."""


def write(
    source: Source, path: str | os.PathLike[str], *, stage: str = "weights", heads: Heads = 0, batch: int = 0,
    format: str | None = None,  # noqa: A002  the command line's word for it
    width_cm: float | None = None, height_cm: float | None = None, dpi: float = 300,
    theme: str = "light", lang: str = "en", values: bool | None = None, colorbar: bool = True, sheet: bool = False,
    tell: Tell = silent,
) -> list[Path]:  # fmt: skip
    """Write a stage of a problem, trace or evaluation as a figure and give the files written.

    One head, or with `sheet` all chosen ones, goes to `path`; several without `sheet` to STEM-hHEAD.EXT beside it.
    The format is png, svg or pdf, by default as the path ends. Sizes in cm are the whole figure's; without them cells
    have at least 0.5 cm. A map of more cells than pixels, or too long to be held, is pooled and the figure says so.
    `tell` hears the share that is done. A file is replaced wholly or not at all. ValueError with a sentence for
    everything refused.
    """
    path = Path(path)
    file = File(format or path.suffix.removeprefix("."), dpi)
    ensure_gui()
    evaluation = evaluation_of(source)
    chosen = chosen_heads(evaluation, stage, heads)
    groups = [chosen] if sheet or len(chosen) == 1 else [(head,) for head in chosen]
    written = []
    for number, group in enumerate(groups):
        figure, layout = _composed(
            evaluation, (width_cm, height_cm), dpi, file, within(tell, number, len(groups)), stage=stage, heads=group,
            batch=batch, theme=theme, lang=lang, values=values, colorbar=colorbar,
        )  # fmt: skip
        target = path if len(groups) == 1 else path.with_name(f"{path.stem}-h{group[0]}{path.suffix}")
        _write(figure, layout, file, target)
        written.append(target)
    return written


def to_image(
    source: Source, *, stage: str = "weights", heads: Heads = 0, batch: int = 0,
    width_cm: float | None = None, height_cm: float | None = None, dpi: float = 150,
    theme: str = "light", lang: str = "en", values: bool | None = None, colorbar: bool = True,
    file: File | None = None, tell: Tell = silent,
) -> QImage:  # fmt: skip
    """The figure as an image, for previews and the clipboard: what the PNG shows at this resolution.

    As a preview of a `file` it says of pooling what that will say.
    """
    ensure_gui()
    evaluation = evaluation_of(source)
    figure, layout = _composed(
        evaluation, (width_cm, height_cm), dpi, file or File("png", dpi), tell, stage=stage,
        heads=chosen_heads(evaluation, stage, heads), batch=batch, theme=theme, lang=lang, values=values,
        colorbar=colorbar,
    )  # fmt: skip
    return image_of(figure, layout, dpi)


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
    file = File("png" if path is None else Path(path).suffix.removeprefix("."), dpi)
    figure, layout = _composed(
        evaluation, (width, height), dpi, file, silent, stage=stage, heads=chosen_heads(evaluation, stage, heads),
        batch=batch, theme=theme, lang=lang, values=values, colorbar=colorbar,
    )  # fmt: skip
    picture = Picture(figure, layout, dpi)
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
        _write(self._figure, self._layout, File(path.suffix.removeprefix("."), self._dpi), path)
        return path

    def image(self) -> QImage:
        """The figure in pixels."""
        return image_of(self._figure, self._layout, self._dpi)

    def _encoded(self, ending: str) -> bytes:
        buffer = io.BytesIO()
        ENCODERS[ending](self._figure, self._layout, self._dpi, buffer)
        return buffer.getvalue()

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


@dataclass(frozen=True)
class File:
    """The form (png, svg or pdf) and resolution of a file; ValueError for another form."""

    form: str
    dpi: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", self.form.lower())
        if self.form not in ENCODERS:
            got = self.form or "a path without an ending"
            raise ValueError(f"Figures are {', '.join(ENCODERS)} files, got {got!r}.")


def _write(figure: MapFigure, layout: Layout, file: File, path: Path) -> None:
    with replacing(path) as target:
        ENCODERS[file.form](figure, layout, file.dpi, target)


def _composed(
    evaluation: Evaluation, size_cm: Size, dpi: float, file: File, tell: Tell, **what: Any
) -> tuple[MapFigure, Layout]:  # fmt: skip
    """The figure and its layout; at its foot it says so if the file will have fewer pixels than cells."""
    figure = compose(evaluation, pixels=lambda bare: map_pixels(_layout(bare, *size_cm), dpi), tell=tell, **what)
    layout = _layout(figure, *size_cm)
    if file.form != "png" and figure.cells is None:
        return figure, layout  # a pixel a cell
    pooled = [-(-cells // pixels) for cells, pixels in zip(figure.shape, map_pixels(layout, file.dpi), strict=True)]
    if pooled == [1, 1]:
        return figure, layout
    rows, columns = pooled
    figure = replace(figure, note=figure.words.pooled.format(rows=rows, columns=columns))
    return figure, _layout(figure, *size_cm)


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
