"""The worksheets of a class and their keys, each as one PDF file. Imports lessons and figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attn_gui.engine.problem.problem import Problem
from attn_gui.figure.output.devices import write_pages
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.formats.saving import replacing
from attn_gui.lessons.worksheets import worksheets

from .worksheet_page import page_of_sheet

PARTS = {"worksheets": False, "keys": True}


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
) -> Iterator[Path]:
    """Write NAME-worksheets.pdf and NAME-keys.pdf, a page for each student; gives each path once it is written.

    Raises ValueError with one sentence for what cannot be.
    """
    ensure_gui()
    sheets, ink = list(worksheets(problem, count, seed, stages, blanks)), Ink("light", lang)
    for part, solved in PARTS.items():
        pages = [page_of_sheet(sheet, ink, solved=solved) for sheet in sheets]
        path = folder / f"{name}-{part}.pdf"
        with replacing(path) as file:
            write_pages(pages, file)
        yield path
