"""`render` and writing figures: forms, limits of size, the session inside, a file for each stage, head and frame."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from attn_gui.document.edits import Refusal
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.arrays import Progress, check, silent, within
from attn_gui.engine.stages import over_heads
from attn_gui.figure.colors import color_scale_from
from attn_gui.figure.compose import Source, chosen_heads, evaluation_of_source
from attn_gui.figure.export_settings import ExportSettings, Heads, check_company, heads_part, resolution
from attn_gui.figure.figure_kinds import (
    FRAMES,
    FigureKind,
    card_picture,
    check_options,
    content_page,
    kind_of,
    page_context,
)
from attn_gui.figure.overlays import ComparedState
from attn_gui.figure.pages.page_kind import PageContext, PageKind
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.writers import ANIMATORS, ENCODERS, LOGICAL_DPI, LONGEST_PAGE_CM, Page, image_of
from attn_gui.formats import session as session_file
from attn_gui.formats.atomic_writing import replacing
from attn_gui.formats.catalog import IMAGES
from attn_gui.formats.file_format import Loaded
from attn_gui.languages import N_
from attn_gui.modes import BOTH, SIDE_BY_SIDE, state_key
from attn_gui.notebook import MOST_SVG_CELLS, NOTEBOOK_DPI

# --- figures --------------------------------------------------------------------------------------
FORMATS: tuple[str, ...] = tuple(ENCODERS)
PIXELS = "png"  # what is shown as a file of this form would be
USUAL, FOR_NOTEBOOK = ExportSettings(), ExportSettings(dpi=NOTEBOOK_DPI)

_TOO_LONG = {
    "width": N_("The width of a figure is above 0 and up to {most} cm, got {got}."),
    "height": N_("The height of a figure is above 0 and up to {most} cm, got {got}."),
}
_TOO_LARGE = N_("The figure would be {width} × {height} cm, more than {most} a side.")
_MAPS_ALONE = N_("Two states stand side by side as maps alone, without the matrices around them.")


def write(
    source: Source,
    path: str | os.PathLike[str],
    settings: ExportSettings = USUAL,
    *,
    format: str | None = None,  # noqa: A002  the command line's word
    sheet: bool = False,
    progress: Progress = silent,
    **choices: Any,
) -> list[Path]:
    """Write a figure of a problem, trace or evaluation and return the files written; `choices` change the settings.

    One head, or with `sheet` all chosen ones, goes to `path`; several without `sheet` to STEM-hHEAD.EXT beside it.
    The format is one of FORMATS, by default as the path ends. Sizes in cm are the whole figure's; without them cells
    have at least 0.5 cm, less where the maps would be longer than 60 cm, of more than 10,000 cells than 40 cm. A map
    of more cells than pixels, or too long to be held, is pooled and the figure says so. `progress` hears the share that
    is done. A file is replaced wholly or not at all. Raises ValueError with a sentence for everything refused.
    """
    path = Path(path)
    settings = replace(settings, **choices)
    file = FigureFile(format or path.suffix.removeprefix("."), settings.dpi)
    ensure_gui()
    now = evaluation_of_source(source, settings.stage)
    problem, evaluation = now.problem, evaluation_drawn(now, settings)
    chosen = _chosen(evaluation, settings)
    if settings.walk:
        from attn_gui.figure.walk.walk_export import export_walk, walk_for  # 13 modules that no other figure needs

        walk, session = walk_for(evaluation, settings, chosen[0]), session_of(problem, settings, chosen)
        return [export_walk(walk, path, file.form, settings, session=session, progress=progress)]
    groups = [chosen] if sheet or len(chosen) == 1 else [(head,) for head in chosen]
    written = []
    for number, group in enumerate(groups):
        page = page_of(evaluation, settings, group, file, within(progress, number, len(groups)))
        page = replace(page, session=session_of(problem, settings, group))
        target = path if len(groups) == 1 else path.with_name(f"{path.stem}-h{group[0]}{path.suffix}")
        write_page(page, file, target)
        written.append(target)
    return written


def to_image(
    source: Source,
    settings: ExportSettings = FOR_NOTEBOOK,
    *,
    file: FigureFile | None = None,
    progress: Progress = silent,
    **choices: Any,
) -> QImage:
    """Return the figure as an image, for previews and the clipboard: what the PNG shows at this resolution.

    As a preview of a `file` it says of pooling what that will say.
    """
    settings = replace(settings, **choices)
    ensure_gui()
    evaluation = evaluation_drawn(evaluation_of_source(source, settings.stage), settings)
    page = page_of(
        evaluation, settings, _chosen(evaluation, settings), file or FigureFile(PIXELS, settings.dpi), progress
    )
    return image_of(page, settings.dpi)


def to_bytes(source: Source, settings: ExportSettings, *, progress: Progress = silent) -> bytes:
    """Return the PNG of a figure of one head, with the session that it carries."""
    ensure_gui()
    now = evaluation_of_source(source, settings.stage)
    evaluation, file, buffer = evaluation_drawn(now, settings), FigureFile(PIXELS, settings.dpi), io.BytesIO()
    chosen = _chosen(evaluation, settings)
    page = page_of(evaluation, settings, chosen, file, progress)
    ENCODERS[PIXELS](replace(page, session=session_of(now.problem, settings, chosen)), settings.dpi, buffer)
    return buffer.getvalue()


def render(
    problem: Source,
    path: str | os.PathLike[str] | None = None,
    *,
    stage: str = ExportSettings.stage,
    heads: Heads = ExportSettings.heads,
    batch: int = ExportSettings.batch,
    width: float | None = ExportSettings.width,
    height: float | None = ExportSettings.height,
    dpi: float | None = None,
    values: bool | None = ExportSettings.values,
    colorbar: bool = ExportSettings.colorbar,
    title: bool = ExportSettings.title,
    theme: str = ExportSettings.theme,
    lang: str = ExportSettings.lang,
    levels: Sequence[float] | None = None,
    colormap: str | None = None,
    font_size: float | None = ExportSettings.font_size,
    style: str = ExportSettings.style,
    picture: str = ExportSettings.picture,
    card: bool | str = False,
    transparent: bool = ExportSettings.transparent,
    outlines: bool = ExportSettings.outlines,
    walk: bool = ExportSettings.walk,
    cell: tuple[int, int] | None = ExportSettings.cell,
    set: Mapping[str, Any] | None = None,  # noqa: A002  the command line's word
    before: Source | None = None,
    compare: str = SIDE_BY_SIDE,
    session: bool | None = ExportSettings.session,
) -> Picture:
    """Draw a stage of a problem; written to `path` (png, svg, pdf, gif) when one is given. A notebook shows it.

    Several heads, or "all", come on one sheet; "mean" and "largest" make one map of the weights of all heads. Width
    and height are in cm, the font size in points (7.5, and more on pages wider than 12 cm), dots per inch 150; where
    one is left out, the `style` ("screen", "paper-column", "slide") may say otherwise. `levels` (low, high) are the
    values at the ends of the colors, `colormap` is one of the window's: signed, weights, viridis, cividis, magma,
    grey, CET-D1. `picture` is "map", "product" (with the matrices that the stage is made of) or the name of a page,
    such as "head_contributions"; a page looks at `cell`, (row, column) of the stage; `set` is what can be chosen on
    it, by name. With `walk` it is the walk through `cell` (by default the largest of the last row): a GIF that moves,
    or a panel for each beat. A `card` (True, or "square") is a picture of that cell to send: what it says, its formula
    and its map on 1,200 × 630 pixels, or 1,080 a side. With another problem `before` it shows what `compare` says of
    the two: "side_by_side" (under one color bar), "difference" (problem − before), "before" or "now". Without `title`
    title and shape are left out; with `outlines` an SVG or PDF draws its letters as paths, for viewers without the
    fonts. A file carries the problem and opens as a session; not above a megabyte unless `session` is True, nor if
    it is False. Raises ValueError with a sentence for bad choices.
    """
    picture = card_picture(card) or picture
    chosen = {name: value for name, value in locals().items() if name in ExportSettings.__dataclass_fields__}
    company = {"levels": levels, "colormap": colormap, "before": before, "values": values, "font_size": font_size}
    kind, given = kind_of(picture), {**company, "set": set or None}
    check_company(not kind.of_stage, walk, kind.of_stage and kind.of_cell, given, colorbar, compare)
    stage, heads = over_heads(stage, heads)
    usual = LOGICAL_DPI if walk and _ending_of(path) in ANIMATORS else NOTEBOOK_DPI
    chosen |= {"stage": stage, "heads": heads, "dpi": resolution(dpi, style, usual), "page_options": dict(set or {})}
    beside = (
        None if before is None else ComparedState(lambda _now: evaluation_of_source(before, stage), state_key(compare))
    )
    settings = ExportSettings(**chosen, color_scales={stage: color_scale_from(levels, colormap)}, beside=beside)
    drawn = _drawn(evaluation_of_source(problem, stage), settings, FigureFile(_ending_of(path), settings.dpi))
    if path is not None:
        drawn.save(path)
    return drawn


def _ending_of(path: str | os.PathLike[str] | None) -> str:
    """Return the form that a path asks for; a figure without one is pixels."""
    return PIXELS if path is None else Path(path).suffix.removeprefix(".")


def _drawn(now: Evaluation, settings: ExportSettings, file: FigureFile) -> Picture:
    ensure_gui()
    evaluation = evaluation_drawn(now, settings)
    chosen = _chosen(evaluation, settings)
    check_options(settings.picture.removesuffix(FRAMES), evaluation, settings, chosen[0] or 0)
    session = session_of(now.problem, settings, chosen)
    if settings.walk:
        from attn_gui.figure.walk.walk_export import export_walk, walk_for, walk_sheet  # as in `write`

        walk = walk_for(evaluation, settings, chosen[0])
        export = partial(export_walk, walk, settings=settings, session=session)
        return Picture(lambda _file: walk_sheet(walk, settings), file, session, export)
    return Picture(partial(page_of, evaluation, settings, chosen), file, session)


class Picture:
    """A figure that a notebook shows by itself, and that can be saved."""

    def __init__(
        self,
        make: Callable[[FigureFile], Page],
        file: FigureFile,
        session: Callable[[], bytes] | None,
        export: Callable[[Path], Path] | None = None,
    ) -> None:
        """Take the maker of the page, and how a file is written where that is no page alone."""
        self._make, self._file, self._session, self._export = make, file, session, export
        self._page = make(file)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure as png, svg, pdf or gif, as the path ends. Raises ValueError with a sentence when that
        fails."""
        path = Path(path)
        file = FigureFile(path.suffix.removeprefix("."), self._file.dpi)
        if self._export is not None:
            return self._export(path)
        write_page(replace(self._as(file.form), session=self._session), file, path)
        return path

    def image(self) -> QImage:
        """Return the figure in pixels."""
        return image_of(self._as(PIXELS), self._file.dpi)

    def _as(self, form: str) -> Page:
        """Return the page as a form holds it: pixels have room for fewer cells, and the figure says which it shows."""
        alike = IMAGES[form].pixels is IMAGES[self._file.form].pixels
        return self._page if alike else self._make(FigureFile(form, self._file.dpi))

    def _encoded(self, form: str) -> bytes:
        buffer = io.BytesIO()
        ENCODERS[form](self._as(form), self._file.dpi, buffer)
        return buffer.getvalue()

    def _repr_png_(self) -> bytes:
        return self._encoded(PIXELS)

    def _repr_svg_(self) -> str | None:
        return self._encoded("svg").decode("utf-8") if self._page.cells <= MOST_SVG_CELLS else None

    def __repr__(self) -> str:
        width, height = self._page.centimeters
        return f"<figure {self._page.title!r}, {width:.1f} × {height:.1f} cm>"


@dataclass(frozen=True)
class FigureFile:
    """The form (png, svg, pdf or gif) and resolution of a file. Raises ValueError for another form."""

    form: str
    dpi: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "form", self.form.lower())
        if self.form not in ENCODERS:
            got = self.form or "a path without an ending"
            raise ValueError(f"Figures are {', '.join(ENCODERS)} files, got {got!r}.")


def page_of(
    evaluation: Evaluation,
    settings: ExportSettings,
    heads: Sequence[int | None],
    file: FigureFile,
    progress: Progress = silent,
) -> Page:
    """Return the page of a figure as a file will hold it; `heads` are checked already."""
    for name, side in zip(("width", "height"), settings.sides, strict=True):
        if side is not None and not 0 < side <= LONGEST_PAGE_CM:
            raise Refusal(_TOO_LONG[name], most=f"{LONGEST_PAGE_CM:.0f}", got=f"{side:g}")
    dpi = file.dpi if IMAGES[file.form].pixels else None
    page = kind_of(settings.picture).page(evaluation, settings, heads, dpi, progress)
    width, height = (round(side, 6) for side in page.centimeters)  # in pixels, 500 cm may have a last digit more
    if max(width, height) > LONGEST_PAGE_CM:
        raise Refusal(_TOO_LARGE, width=f"{width:.0f}", height=f"{height:.0f}", most=f"{LONGEST_PAGE_CM:.0f}")
    return page


def session_of(problem: Problem, settings: ExportSettings, heads: Sequence[int | None]) -> Callable[[], bytes] | None:
    """Return the maker of the session that a figure carries, or None; it raises FieldError where there is no room."""
    if not settings.carries(problem):
        return None
    view: dict[str, object] = {"stage": settings.stage, "head": heads[0] or 0, "item": settings.batch}
    if settings.cell is not None and kind_of(settings.picture).of_stage:
        view["cell"] = [settings.stage, *settings.cell]

    def made() -> bytes:
        check(2 * sum(array.nbytes for array in problem.arrays().values()))  # packed beside it
        return b"".join(session_file.parts(Loaded(problem, view=view)))

    return made


def evaluation_drawn(evaluation: Evaluation, settings: ExportSettings) -> Evaluation:
    """Return what a figure reads: the evaluation, or where another state stands beside it what is shown of the
    two.

    A page shows the present state alone. Raises ValueError with a sentence for what cannot stand side by side.
    """
    kind = kind_of(settings.picture)
    if settings.beside is None or not kind.of_stage:
        return evaluation
    if settings.beside.mode in BOTH and not kind.on_sheets:
        raise Refusal(_MAPS_ALONE)
    return settings.beside.evaluation_drawn(evaluation, settings.stage)


def _chosen(evaluation: Evaluation, settings: ExportSettings) -> tuple[int | None, ...]:
    """Return the heads that are drawn; those of a picture that is no map always by their numbers."""
    kind = kind_of(settings.picture)
    chosen = chosen_heads(evaluation, settings.stage if kind.of_stage else evaluation.weights, settings.heads)
    if not kind.on_sheets and len(chosen) > 1:
        raise ValueError(f"A {settings.picture} picture shows one head, got {len(chosen)}.")
    return chosen


def write_page(page: Page, file: FigureFile, path: Path) -> None:
    """Write a page that is laid out; a file is replaced wholly or not at all."""
    with replacing(path) as target:
        ENCODERS[file.form](page, file.dpi, target)


# Frames of a page: a picture for every place of its slider, from numbers that are computed once, and their files.


DIGITS = 3

Write = Callable[[Evaluation, Progress], object]


class PageFrames:
    """The frames of a page for one head. Raises ValueError with a sentence where a problem has no such page."""

    def __init__(self, kind: PageKind[Any], settings: ExportSettings, head: int) -> None:
        self._kind, self._settings, self._head = kind, settings, head
        self._read: tuple[Evaluation, PageContext, Any] | None = None

    def count(self, evaluation: Evaluation) -> int:
        """Return the number of places of the slider."""
        context, slide = page_context(self._kind, evaluation, self._settings, self._head), self._kind.slide
        return 1 if slide is None else slide.last(context, context.options) + 1

    def page(self, evaluation: Evaluation, place: int, progress: Progress) -> Page:
        """Return the picture at one of them; the first that is asked for computes the numbers."""
        kind, slide = self._kind, self._kind.slide
        if self._read is None or self._read[0] is not evaluation:
            context = page_context(kind, evaluation, self._settings, self._head)
            self._read = evaluation, context, kind.read(evaluation, context, progress)
        _, context, content = self._read
        options = dict(context.options) if slide is None else {**context.options, slide.key: place}
        moved = kind.turned(content, context.options, options)
        if moved is None:
            moved = kind.read(evaluation, replace(context, options=options), progress)
        progress(1.0)
        return content_page(kind, moved, self._settings)

    def pages(self, evaluation: Evaluation, progress: Progress) -> list[Page]:
        """Return the pictures at all of them."""
        count = self.count(evaluation)
        return [self.page(evaluation, place, within(progress, place, count)) for place in range(count)]

    def files(self, evaluation: Evaluation, file: FigureFile, path: Path) -> list[tuple[Path, Write]]:
        """Return the files that hold them and how each is written: one of all where the form moves, else one for
        each."""
        if IMAGES[file.form].moving:
            return [(path, lambda now, progress: self._write_moving(now, file, path, progress))]
        session = session_of(evaluation.problem, self._settings, (self._head,))

        def written(place: int, target: Path) -> Write:
            return lambda now, progress: write_page(
                replace(self.page(now, place, progress), session=session), file, target
            )

        targets = [
            path.with_name(f"{path.stem}-{place:0{DIGITS}d}{path.suffix}") for place in range(self.count(evaluation))
        ]
        return [(target, written(place, target)) for place, target in enumerate(targets)]

    def _write_moving(self, evaluation: Evaluation, file: FigureFile, path: Path, progress: Progress) -> None:
        """Compute all frames, then paint them."""
        with replacing(path) as target:
            ANIMATORS[file.form](
                self.pages(evaluation, within(progress, 0, 2)), file.dpi, target, within(progress, 1, 2)
            )


# --- the files of an export ----------------------------------------------------------------------
MANY = 1 << 30  # cells, as it were: of what is computed value by value


@dataclass(frozen=True)
class ExportTask:
    """One file, and how it is written, from an evaluation that may be another one; `cells` says how much work that
    is."""

    path: Path
    cells: int
    write: Write


def figure_tasks(
    evaluation: Evaluation,
    kind: FigureKind,
    stages: Sequence[str],
    heads: tuple[int, ...],
    settings_of: Callable[[str], ExportSettings],
    path_of: Callable[[Sequence[str], bool], Path],
    *,
    sheet: bool = False,
) -> list[ExportTask]:
    """Return a file for every stage and head, for every stage with `sheet`, and for every frame of a page.

    What belongs to no stage is of the first one, what heads share of the first head. `path_of` gets the parts of a
    name, empty ones among them, and whether the file is the only one. Raises ValueError with a sentence for a page that
    a problem has not.
    """
    figures: list[tuple[str, tuple[int, ...]]] = []
    for stage in stages if kind.of_stage else stages[:1]:
        own = kind.own_heads(evaluation, stage, heads, settings_of(stage).walk)
        figures += [(stage, group) for group in ([own] if sheet and kind.on_sheets else [(one,) for one in own])]
    tasks: list[ExportTask] = []
    for stage, group in figures:
        settings = settings_of(stage)
        named = stage if kind.of_stage else ""
        parts = [named, "walk" if settings.walk else kind.part, heads_part(group, evaluation.problem.num_heads, named)]
        path = path_of(parts, len(figures) == 1)
        form = path.suffix.removeprefix(".")
        if kind.frames is not None and kind.moves(form):
            frames = PageFrames(kind.frames, settings, group[0])
            files = frames.files(evaluation, FigureFile(form, settings.dpi), path)
            tasks += [ExportTask(target, MANY, written) for target, written in files]
            continue
        cells = prod(evaluation.shape(stage)[-2:]) * len(group) if kind.quick else MANY
        tasks.append(ExportTask(path, cells, _writer(path, replace(settings, heads=group))))
    return tasks


def _writer(path: Path, settings: ExportSettings) -> Write:
    return lambda now, progress: write(now, path, settings, sheet=True, progress=progress)
