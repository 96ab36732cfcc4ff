"""The worksheets of a class and their keys, each as one PDF file. Imports lessons and figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell, silent
from attn_gui.figure.output.devices import write_pages
from attn_gui.figure.output.page import Page
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.formats.saving import replacing
from attn_gui.lessons.exercises import Worksheet, worksheets

from .worksheet_page import page_of_sheet

PARTS = {"worksheets": False, "keys": True}
"""Parts of the file names, and whether the cells that are left out are filled in."""


def class_files(name: str, *, keys: bool = True) -> list[str]:
    """The names of the files of a class."""
    return [f"{name}-{part}.pdf" for part, solved in PARTS.items() if keys or not solved]


def check_sheet(problem: Problem, seed: int, stages: Sequence[str], blanks: int, lang: str = "en") -> None:
    """Raise ValueError with one sentence where the problem makes no worksheet, or one that does not fit on a page."""
    ensure_gui()
    for sheet in worksheets(problem, 1, seed, stages, blanks):
        page_of_sheet(sheet, Ink("light", lang), solved=True)


def write_class(
    problem: Problem,
    folder: Path,
    name: str,
    *,
    count: int,
    seed: int,
    blanks: int,
    stages: Sequence[str] = (),
    lang: str = "en",
    keys: bool = True,
    tell: Tell = silent,
) -> Iterator[Path]:
    """Write NAME-worksheets.pdf and NAME-keys.pdf, a page for each student; gives each path once it is written.

    Raises ValueError with one sentence for what cannot be.
    """
    ensure_gui()
    ink = Ink("light", lang)
    files, sheets = class_files(name, keys=keys), list[Worksheet]()
    for sheet in worksheets(problem, count, seed, stages, blanks):
        tell((sheet.number - 1) / (count * (1 + len(files))))
        sheets.append(sheet)
    for done, (file, solved) in enumerate(zip(files, PARTS.values(), strict=False), 1):
        pages = list[Page]()
        for sheet in sheets:
            tell((count * done + len(pages)) / (count * (1 + len(files))))
            pages.append(page_of_sheet(sheet, ink, solved=solved))
        with replacing(folder / file) as target:
            write_pages(pages, target)
        yield folder / file
