"""A worked solution as files: PDF, LaTeX and Markdown, by the endings of their names. Imports lessons and figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO

from attn_gui.engine.checks import as_whole
from attn_gui.engine.evaluation.trace import evaluation_of, problem_in
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import Tell, silent
from attn_gui.figure.output.devices import write_pages
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.formats.saving import replacing
from attn_gui.languages import LANGUAGES
from attn_gui.lessons.solutions import (
    ENDINGS,
    Part,
    Solution,
    latex_document,
    markdown_text,
    parts_of,
    solution_of_all,
    solution_of_cell,
)

from .solution_pages import solution_pages

Writer = Callable[[Sequence[Part], Ink, IO[bytes], Tell], None]


def _write_pdf(parts: Sequence[Part], ink: Ink, file: IO[bytes], tell: Tell) -> None:
    ensure_gui()
    write_pages(solution_pages(parts, ink, tell), file)


def _write_latex(parts: Sequence[Part], ink: Ink, file: IO[bytes], tell: Tell) -> None:
    file.write(latex_document(parts, ink.lang).encode())


def _write_markdown(parts: Sequence[Part], ink: Ink, file: IO[bytes], tell: Tell) -> None:
    file.write(markdown_text(parts).encode())


SHEETS: Mapping[str, Writer] = MappingProxyType(
    dict(zip(ENDINGS, (_write_pdf, _write_latex, _write_markdown), strict=True))
)
"""The writers by the words of the command line, which are the endings."""


def write_solution(
    problem: Problem,
    path: str | Path,
    *,
    stage: str | None = None,
    cell: tuple[int, int] | None = None,
    head: int = 0,
    batch: int = 0,
    index: Sequence[int] | None = None,
    lang: str = "en",
) -> Path:
    """Write the worked solution of a cell (row, column), or of a whole batch item, as the path ends: .pdf, .tex or .md.

    In place of cell, head and batch `index` may have one integer per axis of the stage, as for `explain`. LaTeX is a
    document of its own, for pdflatex, in Chinese for xelatex. ValueError with a sentence for what is too large to be
    read on paper.
    """
    problem, path = problem_in(problem, "write_solution", ", path"), Path(path)
    if (stage is None) != (index is None and cell is None):
        raise ValueError("A cell needs stage and cell, a whole problem neither.")
    if index is not None and (batch or head or cell is not None):
        raise ValueError("The place of a cell stands in its index: leave out batch, cell and head.")
    if lang not in LANGUAGES:
        raise ValueError(f"{lang!r} is not one of {', '.join(LANGUAGES)}.")
    evaluation = evaluation_of(problem)
    if stage is not None and cell is not None:
        heads = (head,) if "head" in evaluation.axes(stage) else ()
        index = (batch, *heads, *cell)
    if head and (index is None or len(index) < 4):
        raise ValueError("head is for a cell of a stage that has heads; here it would change nothing.")
    if stage is None or index is None:
        save_solution(solution_of_all(evaluation, as_whole("batch", batch)), path, lang)
    else:
        save_solution(solution_of_cell(evaluation, stage, index), path, lang)
    return path


def save_solution(solution: Solution, path: Path, lang: str, tell: Tell = silent) -> None:
    """Write a solution as the path ends; ValueError with a sentence for another ending.

    `tell` is told the share that is done; what it raises ends the writing, and an old file is untouched.
    """
    ending, ink = path.suffix.removeprefix(".").lower(), Ink("light", lang)
    if ending not in SHEETS:
        raise ValueError(
            f"A worked solution is a {', '.join(SHEETS)} file, got {ending or 'a path without an ending'}."
        )
    parts = list(parts_of(solution, lambda text: ink.translate("Solutions", text), lang))
    with replacing(path) as file:
        SHEETS[ending](parts, ink, file, tell)


def solution_name(stem: str, stage: str | None, index: Sequence[int] | None) -> str:
    """The name of a file without its ending: NAME-solution, NAME-solution-STAGE-hHEAD-ROW-COLUMN of a cell."""
    if stage is None or index is None:
        return f"{stem}-solution"
    head = [f"h{index[1]}"] if len(index) == 4 else []
    return "-".join([stem, "solution", stage, *head, *map(str, index[-2:])])
