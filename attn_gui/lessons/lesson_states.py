"""States of a lesson: the problem that each step begins with, the one after its tasks, and what is to be shown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.problem.problem import Problem
from attn_gui.formats import Loaded, open_file
from attn_gui.formats.catalog import problems, suffixes
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.paths import resource

from .lesson import Lesson, Order, Step
from .lesson_error import LessonError
from .live_expression import ExpressionError, cell_index, expression

MOST_NUMBERS = 1_000_000  # cells of the maps of a problem of a lesson: each step of it is at once
NAME, SETTING = re.compile(r"[\w.-]+"), re.compile(r"(\w+)(?:\[(\d+), *(\d+)\])? *= *(.+)")

PROBLEM = Note(QT_TRANSLATE_NOOP("Sentences", "the name of an example, or of a problem file beside the lesson"))
SIZES = Note(QT_TRANSLATE_NOOP("Sentences", "“kind=self n=4 num_heads=2 d_k=3 fill=random seed=1” as JSON values"))
CHANGE = Note(QT_TRANSLATE_NOOP("Sentences", "“field = JSON value” or “field[row, column] = number” that fits"))
CELL = Note(QT_TRANSLATE_NOOP("Sentences", "a cell such as weights[1, 1], or weights[head, row, column]"))
HEAD = Note(QT_TRANSLATE_NOOP("Sentences", "the number of a head"))
SHOWN = Note(QT_TRANSLATE_NOOP("Sentences", "a stage, “all”, or the name of a page that the problem has"))
BEGUN = Note(QT_TRANSLATE_NOOP("Sentences", "“- open:” or “- make:” in the first step"))
COMPUTED = Note(QT_TRANSLATE_NOOP("Sentences", "a number that the problem of this step has"))
TRUE = Note(QT_TRANSLATE_NOOP("Sentences", "something that holds for the numbers of this step"))
SMALL = Note(QT_TRANSLATE_NOOP("Sentences", "a problem of at most {most} cells"), most=MOST_NUMBERS)


@dataclass(frozen=True)
class Shown:
    """Parts of the view that a step asks for; what it does not say stays as it is."""

    stage: str | None = None
    head: int | None = None
    cell: tuple[str, tuple[int, ...]] | None = None
    every: bool | None = None  # all stages, or the product picture
    page: str | None = None


@dataclass(frozen=True)
class State:
    """A step ready to be gone through: `begin` and `end` are the problem before and after the tasks of the person."""

    step: Step
    begin: Problem
    end: Problem
    shown: Shown = field(default_factory=Shown)


Applies = Callable[[Problem], bool]


def states_of(lesson: Lesson, pages: Mapping[str, Applies]) -> tuple[State, ...]:
    """Every state of a lesson; `pages` are those that can be shown.

    Each order is carried out and each number computed once. Raises FormatError, for what the file says LessonError.
    """
    found: list[State] = []
    problem: Problem | None = None
    try:
        for step in lesson.steps:
            state = _state(lesson, step, problem, pages)
            _compute(state)
            found.append(state)
            problem = state.end
    except FormatError as error:
        raise error.at(lesson.path) from error.__cause__
    return tuple(found)


def _state(lesson: Lesson, step: Step, problem: Problem | None, pages: Mapping[str, Applies]) -> State:
    for order in step.orders:
        if order.word == "open":
            problem = _opened(lesson, order)
        elif order.word == "make":
            problem = _made(order)
        elif problem is not None and order.word == "set":
            problem = _changed(problem, order)
    if problem is None:
        raise LessonError(step.line, BEGUN, "")
    if np.prod(problem.map_shape) > MOST_NUMBERS:
        raise LessonError(step.line, SMALL, int(np.prod(problem.map_shape)))
    end = problem
    for task in step.tasks:
        end = _changed(end, task)
    return State(step, problem, end, _shown(step, problem, pages))


# --- problems ------------------------------------------------------------------------------------
def _opened(lesson: Lesson, order: Order) -> Problem:
    """An example, or a file beside the lesson; never one anywhere else."""
    if NAME.fullmatch(order.rest) is None or order.rest.startswith("."):
        raise LessonError(order.line, PROBLEM, order.rest)
    endings = suffixes(problems())
    folder, names = resource("examples"), [f"{order.rest}{ending}" for ending in endings]
    places = [folder / name for name in names]
    if order.rest.lower().endswith(tuple(endings)):
        places.append(lesson.path.parent / order.rest)
    for place in places:
        if place.is_file() and not place.is_symlink():
            return _read(place, order).problem
    raise LessonError(order.line, PROBLEM, order.rest)


def _read(place: Any, order: Order) -> Loaded:
    try:
        return open_file(place)
    except FormatError as error:
        raise LessonError(order.line, PROBLEM, error) from error


def _made(order: Order) -> Problem:
    try:
        given = {name: _json(text) for name, text in (part.split("=", 1) for part in order.rest.split())}
        kind = given.pop("kind", "direct")
        counts = [value for name, value in given.items() if name not in ("fill", "seed")]
        if any(type(count) is not int or not 1 <= count <= 512 for count in counts):
            raise ValueError
        return Problem.over(new_fields(kind, **given))
    except (ValueError, TypeError):
        raise LessonError(order.line, SIZES, order.rest) from None


def _changed(problem: Problem, order: Order) -> Problem:
    """The problem with one field, or one number of a matrix, changed."""
    match = SETTING.fullmatch(order.rest)
    try:
        if match is None:
            raise ValueError
        name, row, column, value = match[1], match[2], match[3], _json(match[4])
        if row is None:
            return problem.replace(**{name: value})
        array = np.array(problem.arrays()[name])
        if type(value) not in (int, float):
            raise ValueError
        array[..., int(row), int(column)] = value
        return problem.replace(**{name: array})
    except (ValueError, TypeError, KeyError, IndexError):
        raise LessonError(order.line, CHANGE, order.rest) from None


def _json(text: str) -> Any:
    """A JSON value, or a word as it is."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        if re.fullmatch(r"[a-z]+", text):
            return text
        raise ValueError(text) from None


# --- the view ------------------------------------------------------------------------------------
def _shown(step: Step, problem: Problem, pages: Mapping[str, Applies]) -> Shown:
    evaluation, shown = evaluation_of(problem), Shown()
    for order in step.orders:
        if order.word == "head":
            if not order.rest.isdecimal() or int(order.rest) >= problem.num_heads:
                raise LessonError(order.line, HEAD, order.rest)
            shown = replace(shown, head=int(order.rest))
        elif order.word == "choose":
            cell = _cell(evaluation, order)
            shown = replace(shown, cell=cell, stage=cell[0])
        elif order.word == "show":
            shown = _picture(shown, evaluation, order, pages)
    return shown


def _cell(evaluation: Evaluation, order: Order) -> tuple[str, tuple[int, ...]]:
    try:
        cell = expression(order.rest).cell
        if cell is None:
            raise ExpressionError(order.rest)
        return cell[0], cell_index(evaluation, *cell)
    except ExpressionError as error:
        raise LessonError(order.line, CELL, error) from None


def _picture(shown: Shown, evaluation: Evaluation, order: Order, pages: Mapping[str, Applies]) -> Shown:
    if order.rest == "all":
        return replace(shown, every=True)
    if order.rest in evaluation.stages:
        return replace(shown, stage=order.rest, every=False)
    if order.rest in pages and pages[order.rest](evaluation.problem):
        return replace(shown, page=order.rest)
    raise LessonError(order.line, SHOWN, order.rest)


# --- numbers -------------------------------------------------------------------------------------
def _compute(state: State) -> None:
    """Compute every number of a step at its beginning and its end."""
    question, step = state.step.question, state.step
    begin = evaluation_of(state.begin)
    end = begin if state.end is state.begin else evaluation_of(state.end)
    for order in step.orders:
        if order.word == "holds":
            _check_claim(order, end)
    texts = [step.title, step.text]
    if question is not None:
        texts += [question.text, *question.choices, *filter(None, [question.because])]
        if question.answer is not None:
            _check_number(question.answer, question.line, end)
    for live in (live for text in texts for live in text.live()):
        for evaluation in (begin, end):
            _check_number(live.expression, step.line, evaluation)


def _check_claim(order: Order, evaluation: Evaluation) -> None:
    """Refuse what the numbers do not show."""
    try:
        claim = expression(order.rest)
        if claim.number(evaluation) == 1.0:
            return
        sides = claim.sides(evaluation)
    except ExpressionError as error:
        raise LessonError(order.line, COMPUTED, error) from None
    raise LessonError(order.line, TRUE, f"{order.rest} ({sides})" if sides else order.rest)


def _check_number(wanted: Any, line: int, evaluation: Evaluation) -> None:
    try:
        wanted.number(evaluation)
    except ExpressionError as error:
        raise LessonError(line, COMPUTED, error) from None
