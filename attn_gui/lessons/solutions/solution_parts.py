"""Parts of a worked solution on paper: headings, matrices and equations, which every writer puts in its own form."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.engine.arrays import Array
from attn_gui.engine.graph.expressions import Number
from attn_gui.engine.graph.nodes import cell_latex, cell_symbol, matrix_latex, plain_name, symbol, title
from attn_gui.engine.sentences import spelled
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

from .given_matrices import given_numbers
from .solution_steps import Solution, Step, has_equation

WHOLE = QT_TRANSLATE_NOOP("Solutions", "Worked solution")
OF_CELL = QT_TRANSLATE_NOOP("Solutions", "Worked solution of {cell}")
GIVEN = QT_TRANSLATE_NOOP("Solutions", "Given")
STEP = QT_TRANSLATE_NOOP("Solutions", "Step {number}: {title}")
HEAD = QT_TRANSLATE_NOOP("Solutions", "head {head}")
ITEM = QT_TRANSLATE_NOOP("Solutions", "item {item}")
COUNTED = QT_TRANSLATE_NOOP("Solutions", "Rows, columns and heads count from 0; numbers are rounded last.")
AS_COMPUTED = QT_TRANSLATE_NOOP("Solutions", "{cell} is {value}: a change by hand leaves it as computed.")
BY_HAND = QT_TRANSLATE_NOOP("Solutions", "{cell} is {value}: changed by hand. Computed, it would be {computed}.")
RESULT = QT_TRANSLATE_NOOP("Solutions", "Result")

ROWS = ("batch", "row", "column")

Say: TypeAlias = Callable[[str], str]
"""Translates a text of the context "Solutions"."""


@dataclass(frozen=True)
class Heading:
    """A heading; the first of a sheet is its title. The letter of what it is about follows, in LaTeX and plain."""

    text: str
    latex: str = ""
    letter: str = ""
    first: bool = False


@dataclass(frozen=True)
class Sentence:
    """A line of plain text."""

    text: str


@dataclass(frozen=True)
class Matrix:
    """A matrix that is written out: its letter in LaTeX and in plain text, and its numbers."""

    latex: str
    letter: str
    values: Array

    @property
    def rows(self) -> list[list[str]]:
        """The numbers in LaTeX."""
        return [[Number(float(value)).write("latex") for value in row] for row in self.values]


@dataclass(frozen=True)
class Equation:
    """A chain of sides with = between them, and the equations of what has a name of its own in it."""

    sides: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @property
    def chain(self) -> str:
        """The sides in one line of LaTeX."""
        return " = ".join(self.sides)


Part: TypeAlias = Heading | Sentence | Matrix | Equation


def parts_of(solution: Solution, say: Say, lang: str) -> Iterator[Part]:
    """The whole sheet, in the order in which it is read."""
    yield _title(solution, say, lang)
    yield Sentence(say(COUNTED))
    if solution.given:
        yield Heading(say(GIVEN))
        for name, head, array in solution.given:
            if head is not None:
                yield Sentence(say(HEAD).format(head=head))
            yield Matrix(matrix_latex(name), symbol(name), array)
    yield from _sizes(solution)
    number, before = 0, ""
    for step in solution.steps:
        if step.stage != before:
            number, before = number + 1, step.stage
            words = title(plain_name(step.stage), lang)
            yield Heading(say(STEP).format(number=number, title=words), matrix_latex(step.stage), symbol(step.stage))
        yield from _step(solution, step, say)
    if solution.asked is not None:
        yield Heading(say(RESULT))
        yield Equation((solution.asked.symbols_latex.split(" = ")[0], solution.asked.value_latex))


def _step(solution: Solution, step: Step, say: Say) -> Iterator[Part]:
    if step.head is not None and solution.problem.num_heads > 1:
        yield Sentence(say(HEAD).format(head=step.head))
    said: set[str] = set()  # Z of a row is told once
    for cell in step.cells:
        if cell.computed is not None:
            yield Sentence(_by_hand(cell, cell.computed, say))
        if not has_equation(cell):
            continue
        sides = cell.symbols_latex, cell.numbers_latex, cell.value_latex
        yield Equation(tuple(filter(None, sides)), tuple(part for part in cell.parts_latex if part not in said))
        said.update(cell.parts_latex)
    if step.values is not None:
        yield Matrix(matrix_latex(step.stage), symbol(step.stage), np.atleast_2d(step.values))


def _by_hand(cell: Explanation, computed: Explanation, say: Say) -> str:
    place = f"{cell_symbol(cell.stage)} ({', '.join(map(str, cell.index[-2:]))})"
    value, before = (spelled(each.value + 0.0) for each in (cell, computed))  # a head that is off has −0
    unmoved = np.array_equal(cell.value, computed.value, equal_nan=True)
    template = AS_COMPUTED if unmoved else BY_HAND
    return say(template).format(cell=place, value=value, computed=before)


def _sizes(solution: Solution) -> Iterator[Equation]:
    """The numbers that the formulas have letters for."""
    problem = solution.problem
    if problem.compares:
        yield Equation((f"d_k = {problem.d_k}",))
    for name, value in given_numbers(problem).items():
        if name != "scale":  # stands in the formulas as a number
            yield Equation((cell_latex(name), Number(value).write("latex")))


def _title(solution: Solution, say: Say, lang: str) -> Heading:
    asked, places = solution.asked, []
    if asked is not None and len(asked.index) > len(ROWS) and solution.problem.num_heads > 1:
        places.append(say(HEAD).format(head=asked.index[1]))
    if solution.problem.batch_size > 1:
        places.append(say(ITEM).format(item=solution.item))
    if asked is None:
        return Heading(", ".join([say(WHOLE), *places]), first=True)
    words = f"{title(plain_name(asked.stage), lang)} ({', '.join(map(str, asked.index[-2:]))})"
    text = say(OF_CELL).format(cell=", ".join([words, *places]))
    return Heading(text, cell_latex(asked.stage), cell_symbol(asked.stage), first=True)
