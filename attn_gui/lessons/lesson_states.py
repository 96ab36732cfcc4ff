"""States of a lesson: its problem and view at each step, before and after the tasks are done."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

import numpy as np

from attn_gui.engine.evaluation.dense import Evaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.problem import Problem
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.modes import ALL, MODEL, PRODUCT

from .lesson import Lesson, Order, Step
from .lesson_error import LessonError
from .live_expression import Expression, ExpressionError, cell_index, expression
from .measures import Ground
from .scenes import BEGINNINGS, Scene, changed

MOST_NUMBERS = 1_000_000  # cells of the maps of a problem of a lesson: each step of it is at once

CELL = Note(QT_TRANSLATE_NOOP("Sentences", "a cell such as weights[1, 1], or weights[head, row, column]"))
HEAD = Note(QT_TRANSLATE_NOOP("Sentences", "the number of a head"))
SHOWN = Note(QT_TRANSLATE_NOOP("Sentences", "a stage, “all”, “model”, or the name of a page, where the problem has it"))
BEGUN = Note(QT_TRANSLATE_NOOP("Sentences", "“- open:”, “- make:” or “- model:” in the first step"))
COMPUTED = Note(QT_TRANSLATE_NOOP("Sentences", "a number that the problem of this step has"))
FINITE = Note(QT_TRANSLATE_NOOP("Sentences", "an answer that is a finite number"))
TRUE = Note(QT_TRANSLATE_NOOP("Sentences", "something that holds for the numbers of this step"))
OPEN = Note(QT_TRANSLATE_NOOP("Sentences", "something that does not hold until the person has done it"))
SMALL = Note(QT_TRANSLATE_NOOP("Sentences", "a problem of at most {most} cells"), most=MOST_NUMBERS)


@dataclass(frozen=True)
class Shown:
    """Parts of the view that a step asks for; what it does not say stays as it is."""

    stage: str | None = None
    head: int | None = None
    cell: tuple[str, tuple[int, ...]] | None = None
    mode: str | None = None
    page: str | None = None


@dataclass(frozen=True)
class State:
    """A step ready to be gone through: `begin` and `end` are there before and after the tasks of the person.

    `until` are the claims by which it is seen that the person has done them, however; without any it is by `end`.
    """

    step: Step
    begin: Scene
    end: Scene
    shown: Shown = field(default_factory=Shown)
    until: tuple[Expression, ...] = ()

    def said(self, lang: str) -> State:
        """The state with its tokens in one language."""
        begin = self.begin.said(lang)
        return replace(self, begin=begin, end=begin if self.end is self.begin else self.end.said(lang))

    def is_done(self, scene: Scene, ground: Ground) -> bool:
        """Whether the tasks are done, from what is on the table now."""
        return all(claim.holds(ground) for claim in self.until) if self.until else scene.is_like(self.end)

    def asked_of(self, scene: Scene, ground: Ground) -> Ground:
        """The ground of its question: what is on the table, or what the tasks lead to while none of them is begun."""
        waits = self.step.tasks and scene.has_numbers_of(self.begin) and not self.is_done(scene, ground)
        return self.end.ground() if waits else ground


class Page(Protocol):
    """Page that a lesson can show, by what has to be there for it."""

    of_model: ClassVar[bool]

    def applies(self, problem: Problem) -> bool: ...


def states_of(lesson: Lesson, pages: Mapping[str, Page]) -> tuple[State, ...]:
    """Every state of a lesson; `pages` are those that can be shown.

    Each order is carried out and each number computed once. Raises FormatError, for what the file says LessonError.
    """
    found: list[State] = []
    scene: Scene | None = None
    try:
        for step in lesson.steps:
            state = _state(lesson, step, scene, pages)
            _compute(state)
            found.append(state)
            scene = state.end
    except FormatError as error:
        raise error.at(lesson.path) from error.__cause__
    return tuple(found)


def _state(lesson: Lesson, step: Step, scene: Scene | None, pages: Mapping[str, Page]) -> State:
    for order in step.orders:
        if order.word in BEGINNINGS:
            scene = BEGINNINGS[order.word](lesson, order)
        elif order.word == "set":
            if scene is None:
                raise LessonError(order.line, BEGUN, order.rest)
            scene = changed(scene, order)
    if scene is None:
        raise LessonError(step.line, BEGUN, "")
    if np.prod(scene.problem.map_shape) > MOST_NUMBERS:
        raise LessonError(step.line, SMALL, int(np.prod(scene.problem.map_shape)))
    shown = _shown(step, scene, pages)
    begin = scene if shown.head is None else replace(scene, head=shown.head)
    end = begin
    for task in step.tasks:
        end = changed(end, task)
    until = tuple(_claim(order) for order in step.orders if order.word == "until")
    return State(step, begin, end, shown, until)


def _claim(order: Order) -> Expression:
    try:
        return expression(order.rest)
    except ExpressionError as error:
        raise LessonError(order.line, COMPUTED, error) from None


# --- the view ------------------------------------------------------------------------------------
def _shown(step: Step, scene: Scene, pages: Mapping[str, Page]) -> Shown:
    evaluation, shown = evaluation_of(scene.problem), Shown()
    for order in step.orders:
        if order.word == "head":
            if not order.rest.isdecimal() or int(order.rest) >= scene.problem.num_heads:
                raise LessonError(order.line, HEAD, order.rest)
            shown = replace(shown, head=int(order.rest))
        elif order.word == "choose":
            cell = _cell(evaluation, order)
            shown = replace(shown, cell=cell, stage=cell[0])
        elif order.word == "show":
            shown = _picture(shown, evaluation, order, scene, pages)
    return shown


def _cell(evaluation: Evaluation, order: Order) -> tuple[str, tuple[int, ...]]:
    try:
        cell = expression(order.rest).cell
        if cell is None:
            raise ExpressionError(order.rest)
        return cell[0], cell_index(evaluation, *cell)
    except ExpressionError as error:
        raise LessonError(order.line, CELL, error) from None


def _picture(shown: Shown, evaluation: Evaluation, order: Order, scene: Scene, pages: Mapping[str, Page]) -> Shown:
    name = order.rest
    if name == ALL or (name == MODEL and scene.study is not None):
        return replace(shown, mode=name)
    if name in evaluation.stages:
        return replace(shown, stage=name, mode=PRODUCT)
    page = pages.get(name)
    if page is not None and page.applies(scene.problem) and (scene.study is not None or not page.of_model):
        return replace(shown, page=name)
    raise LessonError(order.line, SHOWN, name)


# --- numbers -------------------------------------------------------------------------------------
def _compute(state: State) -> None:
    """Compute every number of a step at its beginning and its end."""
    question, step = state.step.question, state.step
    begin = _ground(state.begin, step)
    end = begin if state.end is state.begin else _ground(state.end, step)
    for order in step.orders:
        if order.word == "holds":
            _check_claim(order, end)
        elif order.word == "until":
            _check_claim(order, end)
            if _claim(order).holds(begin):
                raise LessonError(order.line, OPEN, order.rest)
    texts = [step.title, step.text]
    if question is not None:
        texts += [question.text, *question.choices, *filter(None, [question.because])]
        if question.answer is not None:
            _check_answer(question.answer, question.line, end)
    for live in (live for text in texts for live in text.live()):
        for ground in (begin, end):
            _check_number(live.expression, live.line, ground)


def _ground(scene: Scene, step: Step) -> Ground:
    try:
        return scene.ground()
    except ValueError as error:
        raise LessonError(step.line, COMPUTED, error) from None


def _check_claim(order: Order, ground: Ground) -> None:
    """Refuse what the numbers do not show."""
    claim = _claim(order)
    try:
        if claim.number(ground) == 1.0:
            return
        sides = claim.sides(ground)
    except ExpressionError as error:
        raise LessonError(order.line, COMPUTED, error) from None
    raise LessonError(order.line, TRUE, f"{order.rest} ({sides})" if sides else order.rest)


def _check_answer(answer: Expression, line: int, ground: Ground) -> None:
    """Refuse an answer that cannot be typed or graded: ∞ and NaN are numbers of a text alone."""
    if not math.isfinite(_check_number(answer, line, ground)):
        raise LessonError(line, FINITE, answer.text)
    if answer.cell is not None:
        try:
            cell_index(ground.evaluation, *answer.cell)
        except ExpressionError as error:
            raise LessonError(line, COMPUTED, error) from None


def _check_number(wanted: Expression, line: int, ground: Ground) -> float:
    try:
        return wanted.number(ground)
    except ExpressionError as error:
        raise LessonError(line, COMPUTED, error) from None
