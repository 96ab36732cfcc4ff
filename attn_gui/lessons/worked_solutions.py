"""Worked solutions of a cell or all: which steps and equations, what was changed by hand; LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np

from attn_gui.engine.analysis.explanation import Explanation
from attn_gui.engine.arrays import Array, item_of
from attn_gui.engine.errors import MINUS, spelled
from attn_gui.engine.evaluation.evaluation import Evaluation
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.fields import DIRECT, GIVEN
from attn_gui.engine.graph import indices
from attn_gui.engine.graph.expressions import Cell, Number, Printed, chain_of, subscripted, with_sign
from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import (
    COMPUTED,
    cell_latex,
    cell_symbol,
    is_counted,
    matrix_latex,
    plain_name,
    symbol,
    title,
)
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.engine.problem import Problem
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE, Allowed
from attn_gui.formats.file_messages import FormatError
from attn_gui.formats.text.latex_markdown_reader import latex_text
from attn_gui.languages import N_

MOST_EQUATIONS = 400  # some thirty pages
ALLOWED = Allowed.name  # the stage of all layers that open and close cells
MOST_COLUMNS, MOST_ROWS = 14, 40  # of a matrix that is written out on a page
TOO_MANY = N_(
    "A worked solution would have more than {most} equations, which nobody reads; choose a cell, or a smaller problem.",
)
TOO_WIDE = N_(
    "A worked solution writes matrices of up to {most} columns, {name} has {got}; choose a cell, or a smaller problem.",
)
TOO_HIGH = N_(
    "A worked solution writes matrices of up to {most} rows, {name} has {got}; choose a cell, or a smaller problem.",
)
NO_ITEM = N_("There is no batch item {got}; the problem has {count}, counted from 0.")

WHOLE = N_("Solutions", "Worked solution")
OF_CELL = N_("Solutions", "Worked solution of {cell}")
GIVEN_HEADING = N_("Solutions", "Given")
STEP = N_("Solutions", "Step {number}: {title}")
HEAD = N_("Solutions", "head {head}")
ITEM = N_("Solutions", "item {item}")
AND = N_("Solutions", ", ")  # between a cell, its head and its item
COUNTED = N_("Solutions", "Rows, columns and heads count from 0; numbers are rounded last.")
AS_COMPUTED = N_("Solutions", "{cell} is {value}: a change by hand leaves it as computed.")
BY_HAND = N_("Solutions", "{cell} is {value}: changed by hand. Computed, it would be {computed}.")
RESULT = N_("Solutions", "Result")
MASK = N_("Solutions", "M ({mask}): {rule}")

ROWS = ("batch", "row", "column")

Translate: TypeAlias = Callable[[str, str], str]  # a text of a context
Say: TypeAlias = Callable[[str], str]  # translates a text of the context "Solutions"

ENDINGS = ("pdf", "tex", "md")  # the forms of a worked solution; pages are painted by `figure`

DOCUMENT = r"""% {command}
\documentclass[a4paper]{{article}}
\usepackage{{amsmath,amssymb,graphicx}}
\usepackage[margin=2cm]{{geometry}}
{packages}\setcounter{{MaxMatrixCols}}{{20}}
\allowdisplaybreaks
\setlength{{\parindent}}{{0pt}}
\begin{{document}}
{body}
\end{{document}}
"""
COMMANDS = {"en": "pdflatex NAME.tex", "zh": "xelatex NAME.tex"}
PACKAGES = {"en": "\\usepackage[utf8]{inputenc}\n", "zh": "\\usepackage[UTF8]{ctex}\n"}

SIGNS = str.maketrans({"≤": r"$\le$", "−": "$-$"})  # that pdflatex does not know in a text

WIDE, BETWEEN = 84, 2
"""Signs of what fills a line, and those that the space between two columns takes: a longer chain is broken at its signs
of equality, a longer row made smaller."""


# --- given matrices -------------------------------------------------------------------------------
class GivenMatrix(NamedTuple):
    """A given matrix by field; `head` if each head has its own. `row`: only that row, for the solution of a cell."""

    name: str
    head: int | None
    values: Array
    row: int | None = None


def given_matrices(evaluation: Evaluation, item: int) -> Iterator[GivenMatrix]:
    """Yield the given matrices of one item: of the problem, its score and block, then what is added to the scores."""
    for name, array in evaluation.problem.arrays().items():
        if name == GIVEN:
            yield from _arrays_by_head(name, array, item)
        elif not is_counted(name):
            yield GivenMatrix(name, None, np.atleast_2d(item_of(array, item)))
    for node in evaluation.nodes:
        for ref, field in zip(node.inputs, node.fields, strict=True):
            if Layer.position_of(field) is not None and not node.stage.boolean:
                shape = evaluation.sources[ref.name].shape
                yield from _arrays_by_head(field, evaluation.fetch(ref.name, indices.whole(shape)), item)
    tables = _tables_of_mask(evaluation.problem)
    by_head = any(layer.extent(1, evaluation.problem.map_shape) > 1 for layer in tables)
    for head in range(evaluation.problem.num_heads if by_head else min(1, len(tables))):
        matrix = _mask_of(evaluation, item, head, slice(0, evaluation.problem.n))
        yield GivenMatrix(ALLOWED, head if by_head else None, matrix)


def _tables_of_mask(problem: Problem) -> list[Layer]:
    """Return the layers of a mask that close cells one by one, by no rule that could be said in symbols."""
    return [layer for layer in problem.mask if layer.enabled and layer.paintable]


def _mask_of(evaluation: Evaluation, item: int, head: int, rows: slice) -> Array:
    """Return rows of M, which is added to the scores: 0, or −∞ where a layer closes the cell."""
    box = slice(item, item + 1), slice(head, head + 1), rows, slice(0, evaluation.problem.m)
    return np.where(evaluation.fetch(ALLOWED, box)[0, 0], 0.0, -np.inf)


def _arrays_by_head(name: str, values: Array, item: int) -> Iterator[GivenMatrix]:
    """Yield the matrices that a layer adds, one for each head; leading axes of batch and head are often missing."""
    heads = values[min(item, len(values) - 1)] if values.ndim == 4 else values
    for head, matrix in enumerate(heads.reshape(-1, *heads.shape[-2:])):
        yield GivenMatrix(name, head if heads.ndim > 2 and len(heads) > 1 else None, matrix)


def given_numbers(problem: Problem) -> dict[str, float]:
    """Return {field: number} of score, softcap, temperature and the like, and of a scale other than 1/√d_k."""
    found = {name: value for name, value in problem.scalars().items() if not is_counted(name)}
    if problem.scale is None and SCORES[problem.score].root_scale:
        found.pop("scale", None)
    return found


def mask_sentences(problem: Problem, translate: Translate, *, tables: bool = True) -> Iterator[str]:
    """Yield a sentence for every mask layer that opens and closes cells; without `tables`, which are given as M, for
    those with a rule alone."""
    for layer in problem.mask:
        if layer.enabled and not layer.adds and (tables or not layer.paintable):
            rule = layer.rule(problem.n, problem.m).translated(translate, "Masks")
            yield translate("Solutions", MASK).format(mask=translate("Masks", layer.label), rule=rule)


# --- steps ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class WorkedStep:
    """A stage of one head, or of all (None): its matrix if written out, and its computed cells."""

    stage: str
    head: int | None
    values: Array | None
    cells: tuple[Explanation, ...]


@dataclass(frozen=True)
class WorkedSolution:
    """The steps to a cell, or those of a whole item; `given` are the matrices that they start from."""

    evaluation: Evaluation
    item: int
    steps: tuple[WorkedStep, ...]
    given: tuple[GivenMatrix, ...] = ()
    asked: Explanation | None = None


def solution_of_cell(evaluation: Evaluation, stage: str, index: Sequence[int]) -> WorkedSolution:
    """Return the steps from given numbers to one cell; `index` has one integer per axis, batch included.

    Raises FormatError where they are too many to be read, StageError and PlaceError where there is no such cell.
    """
    asked = Explanation(evaluation, stage, index)
    found: dict[tuple[str, tuple[int, ...]], Explanation] = {(stage, asked.index): asked}
    waiting = [asked]
    while waiting:
        explanation = waiting.pop()
        for cell in explanation.sources:
            key = cell.name, cell.index
            if key not in found and (further := explanation.expand(cell)) is not None:
                found[key] = further
                waiting.append(further)
                _check_count(len(found) // 2)  # at least every second one has an equation
    rows = _rows_read(evaluation, found.values())
    scaled = [each for each in found.values() if STAGE[plain_name(each.stage)].role == Role.SCALE]
    if scaled and evaluation.problem.d_k <= MOST_COLUMNS and len(found) < MOST_EQUATIONS // 2:
        for each in scaled:  # q · k in numbers, which the scaled scores have in one step
            found.setdefault((evaluation.scores, each.index), Explanation(evaluation, evaluation.scores, each.index))
    steps = []
    for name in _names(evaluation):
        own = sorted((each for each in found.values() if each.stage == name), key=lambda each: each.index)
        steps += [WorkedStep(name, head, None, cells) for head, cells in _cells_by_head(own)]
    _check_count(sum(len(step.cells) for step in steps))
    return WorkedSolution(evaluation, asked.index[0], tuple(steps), rows, asked)


def _rows_read(evaluation: Evaluation, cells: Collection[Explanation]) -> tuple[GivenMatrix, ...]:
    """Return the rows of Q, K, V and M that cells read; none of what is computed, nor of what is too wide."""
    problem, heads = evaluation.problem, evaluation.problem.num_heads
    read = {
        (cell.name, each.index[1], cell.index[:-1])
        for each in cells
        if len(each.index) == 4
        for cell in each.sources
        if cell.name in DIRECT and cell.name in problem.arrays()
    }
    found = []
    for name, head, at in sorted(read, key=lambda one: (DIRECT.index(one[0]), one[1:])):
        columns = evaluation.head_columns(name, head)
        values = evaluation.fetch(name, (*indices.cell(at), columns)).reshape(1, -1)
        found.append(GivenMatrix(name, head if heads > 1 else None, values, at[-1]))
    if len(found) > MOST_ROWS or any(one.values.shape[1] > MOST_COLUMNS for one in found):
        found = []
    masked = {cell.index[:3] for cell in cells if len(cell.index) == 4 and _is_behind_mask(evaluation, cell.stage)}
    if _tables_of_mask(problem) and problem.m <= MOST_COLUMNS and len(masked) <= MOST_ROWS:
        for item, head, row in sorted(masked):
            values = _mask_of(evaluation, item, head, slice(row, row + 1))
            found.append(GivenMatrix(ALLOWED, head if heads > 1 else None, values, row))
    return tuple(found)


def _is_behind_mask(evaluation: Evaluation, stage: str) -> bool:
    """Return whether the mask closes cells of a stage, or of one that it is computed from."""
    names = [node.name for node in evaluation.nodes]
    return ALLOWED in names and names.index(stage) > names.index(ALLOWED)


def solution_of_all(evaluation: Evaluation, item: int = 0) -> WorkedSolution:
    """Return all cells of all steps of one item. Raises FormatError where that is too much to be read."""
    problem = evaluation.problem
    if not 0 <= item < problem.batch_size:
        raise FormatError(NO_ITEM, got=item, count=problem.batch_size)
    given = tuple(given_matrices(evaluation, item))
    for name, _, array, _ in given:
        _check_size(name, array)
    cells = sum(
        int(np.prod(evaluation.shape(name)[1:])) for name in evaluation.stages
    )  # of which some have an equation
    _check_count(MOST_EQUATIONS + 1 if is_long(problem) else cells // 4)
    steps: list[WorkedStep] = []
    for name in _names(evaluation):
        steps += _steps_of(evaluation, name, item)
        _check_count(sum(len(step.cells) for step in steps))
    if len(steps) > 1 and _is_copy(
        steps[-1], steps[-2]
    ):  # of a single head, that nothing reads: else its letter has to be there
        steps.pop()
    return WorkedSolution(evaluation, item, tuple(steps), given)


def _is_copy(own: WorkedStep, before: WorkedStep) -> bool:
    """Return whether a step only repeats the numbers of the one before, as joining a single head does."""
    mine, last = own.values, before.values
    return not own.cells and mine is not None and last is not None and np.array_equal(mine, last, equal_nan=True)


def _steps_of(evaluation: Evaluation, name: str, item: int) -> Iterator[WorkedStep]:
    node = evaluation.node(name)
    if node.stage.alias:
        return
    cells = evaluation.box(name, indices.whole(node.shape))[item]
    for head in range(len(cells)) if node.stage.per_head else (None,):
        values = cells if head is None else cells[head]
        _check_size(name, values)
        places = product(*map(range, values.shape))
        index = (item,) if head is None else (item, head)
        explained = (Explanation(evaluation, name, (*index, *place)) for place in places)
        yield WorkedStep(name, head, values, tuple(filter(_is_told, explained)))


def _names(evaluation: Evaluation) -> list[str]:
    """Return the stages in order, those with interventions preceded by themselves as computed."""
    return [node.name for node in evaluation.nodes if not node.stage.hidden or node.name.startswith(COMPUTED)]


def has_equation(cell: Explanation) -> bool:
    """Return whether a cell is computed from something with a letter, as given and set ones are not."""
    made_of = cell.expression
    by_hand = isinstance(made_of, Cell) and Intervention.position_of(made_of.name) is not None
    return bool(cell.numbers_latex) or (" = " in cell.symbols_latex and not by_hand)


def _is_told(cell: Explanation) -> bool:
    """Return whether a cell has more to say than its matrix shows: it is computed, or an intervention changes it."""
    return bool(cell.numbers_latex or cell.by_hand)


def _cells_by_head(cells: Sequence[Explanation]) -> Iterator[tuple[int | None, tuple[Explanation, ...]]]:
    """Yield (head, cells) of cells with an equation or an intervention."""
    heads: dict[int | None, list[Explanation]] = {}
    for each in cells:
        if has_equation(each) or each.by_hand:
            heads.setdefault(each.index[1] if len(each.index) == 4 else None, []).append(each)
    for head, own in heads.items():
        yield head, tuple(own)


def _check_count(count: int) -> None:
    if count > MOST_EQUATIONS:
        raise FormatError(TOO_MANY, most=MOST_EQUATIONS)


def _check_size(name: str, array: Array) -> None:
    if array.shape[-1] > MOST_COLUMNS:
        raise FormatError(TOO_WIDE, name=symbol(name), got=array.shape[-1], most=MOST_COLUMNS)
    if array.ndim > 1 and array.shape[-2] > MOST_ROWS:
        raise FormatError(TOO_HIGH, name=symbol(name), got=array.shape[-2], most=MOST_ROWS)


# --- parts ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class SolutionHeading:
    """A heading; the first of a sheet is its title. The letter of its subject follows, in LaTeX and plain."""

    text: str
    latex: str = ""
    letter: str = ""
    first: bool = False

    def in_latex(self) -> str:
        text = latex_text(self.text) + (f" ${self.latex}$" if self.latex else "")
        return rf"\section*{{{text}}}" if self.first else rf"\subsection*{{{text}}}"

    def in_markdown(self) -> str:
        return f"{'#' if self.first else '##'} {self.text}" + (f" ${self.latex}$" if self.latex else "")


@dataclass(frozen=True)
class SolutionSentence:
    """A line of plain text."""

    text: str

    def in_latex(self) -> str:
        return rf"{latex_text(self.text).translate(SIGNS)}\par"

    def in_markdown(self) -> str:
        return self.text


@dataclass(frozen=True)
class WrittenMatrix:
    """A matrix written out: its letter in LaTeX and in plain text, its numbers, and these in LaTeX."""

    latex: str
    letter: str
    values: Array
    rows: list[list[str]]

    def in_latex(self) -> str:
        widest = max(sum(_signs(number) + BETWEEN for number in row) for row in self.rows)
        matrix = self._matrix()
        return f"\\[ {matrix} \\]" if widest < WIDE else f"\\[ \\resizebox{{\\linewidth}}{{!}}{{${matrix}$}} \\]"

    def in_markdown(self) -> str:
        return f"$$\n{self._matrix()}\n$$"

    def _matrix(self) -> str:
        rows = " \\\\\n".join(" & ".join(row) for row in self.rows)
        return f"{self.latex} = \\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"


@dataclass(frozen=True)
class WrittenEquation:
    """A chain of sides joined by =, and the equations of its named parts."""

    sides: tuple[str, ...]
    parts: tuple[str, ...] = ()

    @property
    def chain(self) -> str:
        """The sides on one line of LaTeX."""
        return chain_of(self.sides)

    def in_latex(self) -> str:
        lines = [self.sides[0], *map(with_sign, self.sides[1:])]
        chain = " ".join(lines) if _signs(self.chain) < WIDE else " \\\\\n &\\quad ".join(lines)
        rows = [f"& {chain}", *(f"& {named}" for named in self.parts)]
        return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"

    def in_markdown(self) -> str:
        return "\n\n".join(f"$$\n{line}\n$$" for line in (self.chain, *self.parts))


Part: TypeAlias = SolutionHeading | SolutionSentence | WrittenMatrix | WrittenEquation


def _signs(latex: str) -> int:
    """Return the number of signs that LaTeX typesets; a command counts as one."""
    return len(re.findall(r"\\[A-Za-z]+|[^{}\\_^\s]", latex))


def parts_of(solution: WorkedSolution, translate: Translate, lang: str) -> Iterator[Part]:
    """Yield the whole sheet in reading order; a number has the same digits everywhere."""
    evaluation, say, printed = solution.evaluation, partial(translate, "Solutions"), PrintedNumbers()
    for each in [*(cell for step in solution.steps for cell in step.cells), *filter(None, [solution.asked])]:
        each.print_with(printed)
    printed.settle()
    yield _title(solution, say, lang)
    yield SolutionSentence(say(COUNTED))
    if solution.given:
        yield SolutionHeading(say(GIVEN_HEADING))
        last: int | None = None
        for name, head, array, row in solution.given:
            if head is not None and head != last:
                yield SolutionSentence(say(HEAD).format(head=head))
            last = head
            if row is None:
                yield _written(matrix_latex(name), symbol(name), array, printed)
            else:
                letter, line = cell_latex(name), f"{cell_symbol(name)}[{row}]"
                yield _written(subscripted(letter, [str(row)]), line, array, printed)
    if solution.steps:
        yield from _sizes(solution)
    if solution.asked is None or _is_behind_mask(evaluation, solution.asked.stage):
        given = any(name == ALLOWED for name, *_ in solution.given)
        yield from map(SolutionSentence, mask_sentences(evaluation.problem, translate, tables=not given))
    number, before = 0, ""
    for step in solution.steps:
        if step.stage != before:
            number, before = number + 1, step.stage
            words = title(plain_name(step.stage), lang)
            yield SolutionHeading(
                say(STEP).format(number=number, title=words), matrix_latex(step.stage), symbol(step.stage)
            )
        yield from _step(solution, step, say, printed)
    if solution.asked is not None:
        yield SolutionHeading(say(RESULT))
        yield WrittenEquation((solution.asked.symbols_latex.split(" = ")[0], solution.asked.value_latex))


def _written(latex: str, letter: str, values: Array, printed: PrintedNumbers) -> WrittenMatrix:
    rows = [[Printed(float(value), printed).write("latex") for value in row] for row in values]
    return WrittenMatrix(latex, letter, values, rows)


def _step(solution: WorkedSolution, step: WorkedStep, say: Say, printed: PrintedNumbers) -> Iterator[Part]:
    if step.head is not None and solution.evaluation.problem.num_heads > 1:
        yield SolutionSentence(say(HEAD).format(head=step.head))
    said: set[str] = set()  # Z of a row is told once
    for cell in step.cells:
        if cell.computed is not None:
            yield SolutionSentence(_by_hand(cell, cell.computed, say, printed))
        if not has_equation(cell):
            continue
        yield WrittenEquation(cell.sides_latex, tuple(part for part in cell.parts_latex if part not in said))
        said.update(cell.parts_latex)
    if step.values is not None:
        yield _written(matrix_latex(step.stage), symbol(step.stage), np.atleast_2d(step.values), printed)


def _by_hand(cell: Explanation, computed: Explanation, say: Say, printed: PrintedNumbers) -> str:
    place = f"{cell_symbol(cell.stage)} ({', '.join(map(str, cell.index[-2:]))})"
    value, before = (
        printed.text(each.value).replace("-", MINUS) if np.isfinite(each.value) else spelled(each.value)
        for each in (cell, computed)
    )
    unmoved = np.array_equal(cell.value, computed.value, equal_nan=True)
    template = AS_COMPUTED if unmoved else BY_HAND
    return say(template).format(cell=place, value=value, computed=before)


def _sizes(solution: WorkedSolution) -> Iterator[WrittenEquation]:
    """Yield the numbers that letters of the formulas stand for."""
    problem = solution.evaluation.problem
    if problem.compares:
        yield WrittenEquation((f"d_k = {problem.d_k}",))
    for name, value in given_numbers(problem).items():
        if name != "scale":  # stands in the formulas as a number
            yield WrittenEquation((cell_latex(name), Number(value).write("latex")))


def _title(solution: WorkedSolution, say: Say, lang: str) -> SolutionHeading:
    asked, problem, places = solution.asked, solution.evaluation.problem, []
    if asked is not None and len(asked.index) > len(ROWS) and problem.num_heads > 1:
        places.append(say(HEAD).format(head=asked.index[1]))
    if problem.batch_size > 1:
        places.append(say(ITEM).format(item=solution.item))
    if asked is None:
        return SolutionHeading(say(AND).join([say(WHOLE), *places]), first=True)
    words = f"{title(plain_name(asked.stage), lang)} ({', '.join(map(str, asked.index[-2:]))})"
    return SolutionHeading(say(OF_CELL).format(cell=say(AND).join([words, *places])), first=True)


# --- typeset --------------------------------------------------------------------------------------
def latex_document(parts: Iterable[Part], lang: str) -> str:
    """Return a document for pdflatex, in Chinese for xelatex with the package ctex."""
    body = "\n".join(part.in_latex() for part in parts)
    return DOCUMENT.format(command=COMMANDS[lang], packages=PACKAGES[lang], body=body)


def markdown_text(parts: Iterable[Part]) -> str:
    """Return the solution as Markdown for GitHub and Jupyter."""
    return "\n\n".join(part.in_markdown() for part in parts) + "\n"
