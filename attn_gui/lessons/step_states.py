"""What the instructions of a lesson's step do (open, set, cover, show), when it is done, whether its claims hold."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from attn_gui.engine.arrays import Array, Box, silent
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.evaluation import Blank, Evaluation
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.fields import DIRECT
from attn_gui.engine.grading import is_same
from attn_gui.engine.graph import indices
from attn_gui.engine.problem import Problem
from attn_gui.engine.stages import STAGE
from attn_gui.formats import open_file
from attn_gui.formats.catalog import problem_formats, suffixes
from attn_gui.formats.file_messages import FileNote, FormatError
from attn_gui.languages import N_
from attn_gui.lessons.lesson import Lesson, LessonError, LessonInstruction, LessonQuestion, LessonStep
from attn_gui.lessons.live_numbers import (
    ExpressionError,
    LessonExpression,
    ModelRuns,
    NumberSource,
    cell_index,
    expression,
)
from attn_gui.lessons.word_vectors import problem_of
from attn_gui.models.model import read_model
from attn_gui.models.study import OpenedStudy, Study, open_layer, sample_text
from attn_gui.modes import ALL, MODEL, PRODUCT
from attn_gui.paths import is_lesson, resource

NAME, SETTING = re.compile(r"[\w.-]+"), re.compile(r"(\w+)(?:\[(\d+), *(\d+)\])? *= *(.+)")

CELLS = re.compile(r"(\w+)\[([\d:, ]*)\]")
PROBLEM = FileNote(N_("the name of an example, or of a problem file beside the lesson"))
WORDS = FileNote(N_("words of the table that comes along, such as “cat dog king queen” (English alone)"))
MODEL_NAME = FileNote(N_("the name of a model that comes along"))
SIZES = FileNote(N_("“kind=self n=4 num_heads=2 d_k=3 fill=random seed=1” as JSON values"))
CHANGE = FileNote(N_("“field = JSON value” or “field[row, column] = number” that fits"))

MOST_BY_HAND = 200_000  # cells of the maps of a problem of which cells can be covered
MOST_COVERED = 2_000  # cells of a stage that follow from the one asked for; of more nobody reads it off
ASKED_PARTS = ("reach", "target")  # buttons of the explanation: what a cell reaches; one equation, and “Set to…”
MOST_NUMBERS = 1_000_000  # cells of the maps of a problem of a lesson: each step of it is at once

CELL = FileNote(N_("a cell such as weights[1, 1], or weights[head, row, column]"))
PLAYED = FileNote(N_("a cell that is computed, such as weights[1, 1]"))
HEAD = FileNote(N_("the number of a head"))
SHOWN = FileNote(N_("a stage, “all”, “model”, “reach”, “target”, or the name of a page, where the problem has it"))
BEGUN = FileNote(N_("“- open:”, “- make:”, “- model:” or “- words:” in the first step"))
COMPUTED = FileNote(N_("a number that the problem of this step has"))
OTHER = FileNote(N_("a number that is not taken as the answer"))
FINITE = FileNote(N_("an answer that is a finite number"))
TRUE = FileNote(N_("something that holds for the numbers of this step"))
OPEN = FileNote(N_("something that does not hold until the person has done it"))
COVER = FileNote(N_("computed cells such as weights[1, 1] or weights[1, :], or “none”"))
FROM_X = N_("a matrix that is given, such as {of}: {name} is computed from {of} here")
NEXT = FileNote(N_("the name of a lesson beside this one"))
SMALL = FileNote(N_("a problem of at most {most} cells"), most=f"{MOST_NUMBERS:,}")


@dataclass(frozen=True, eq=False)
class LessonScene:
    """A problem; for a layer of a model its study, and the head on show."""

    problem: Problem
    study: Study | None = None
    head: int = 0

    def has_numbers_of(self, other: LessonScene) -> bool:
        """Return whether all numbers are the same; of a model whichever layer is on the table."""
        if self.study is None or other.study is None:
            return self.study is other.study and self.problem == other.problem
        mine, theirs = self.study.edits(self.problem), other.study.edits(other.problem)
        alike = mine.keys() == theirs.keys() and all(edit.is_like(theirs[layer]) for layer, edit in mine.items())
        return self.study.is_of(other.study) and alike

    def is_like(self, other: LessonScene) -> bool:
        """Return whether the same layer is on the table, with the same numbers."""
        here, there = (None if scene.study is None else scene.study.layer for scene in (self, other))
        return here == there and self.has_numbers_of(other)

    def said(self, lang: str) -> LessonScene:
        """Return the scene with its tokens in one language, where they are given in both, as "book | 书"."""
        fields, place = self.problem.fields(), ("en", "zh").index(lang)
        tokens = {name: fields[name] for name in ("query_tokens", "key_tokens") if fields.get(name)}
        said = {name: tuple(_side(token, place) for token in each) for name, each in tokens.items()}
        return self if self.study is not None or said == tokens else replace(self, problem=self.problem.replace(**said))

    def number_source(self) -> NumberSource:
        """Return the source of its numbers. Raises ValueError where a layer no longer fits its model."""
        evaluation, study = evaluation_of(self.problem), self.study
        if study is None:
            return NumberSource(evaluation, head=self.head)
        before, edits = study.model.run(study.text), study.edits(self.problem)
        now = before.replace(model=study.model.with_edits(edits)) if edits else before
        return NumberSource(evaluation, ModelRuns(now, before), study.layer, self.head)


def _side(token: str, place: int) -> str:
    """Return the token, or the part of it in one language."""
    sides = token.split(" | ")
    return sides[place] if len(sides) == 2 else token


# --- beginning -----------------------------------------------------------------------------------
def _opened(lesson: Lesson, order: LessonInstruction) -> LessonScene:
    """Return the problem of an example, or of a file next to the lesson, but never of one anywhere else."""
    _check_name(order, PROBLEM)
    endings = suffixes(problem_formats())
    folder, names = resource("examples"), [f"{order.rest}{ending}" for ending in endings]
    places = [folder / name for name in names]
    if order.rest.lower().endswith(tuple(endings)):
        places.append(lesson.path.parent / order.rest)
    for place in places:
        if place.is_file() and not place.is_symlink():
            return LessonScene(_read(place, order))
    raise LessonError(order.line, PROBLEM, order.rest)


def _read(place: Path, order: LessonInstruction) -> Problem:
    try:
        return open_file(place).problem
    except FormatError as error:
        raise LessonError(order.line, PROBLEM, error) from error


def _made(_lesson: Lesson, order: LessonInstruction) -> LessonScene:
    try:
        given = {name: _json(text) for name, text in (part.split("=", 1) for part in order.rest.split())}
        kind = given.pop("kind", "direct")
        counts = [value for name, value in given.items() if name not in ("fill", "seed")]
        if any(type(count) is not int or not 1 <= count <= 512 for count in counts):
            raise ValueError
        problem = Problem.over(new_fields(kind, **given))
        if problem.m != given.get("m", problem.m):  # self-attention has as many keys as queries
            raise ValueError
        return LessonScene(problem)
    except (ValueError, TypeError):
        raise LessonError(order.line, SIZES, order.rest) from None


def _modeled(_lesson: Lesson, order: LessonInstruction) -> LessonScene:
    """Return the first layer of a model that comes with the program, with a text that suits it."""
    _check_name(order, MODEL_NAME)
    folder = resource("models", order.rest)
    if not folder.is_dir():
        raise LessonError(order.line, MODEL_NAME, order.rest)
    try:
        model = read_model(folder)
        return _scene(open_layer(model, sample_text(model), 0, {}, silent))
    except FormatError as error:
        raise LessonError(order.line, MODEL_NAME, error) from error


def _check_name(order: LessonInstruction, expected: FileNote) -> None:
    if NAME.fullmatch(order.rest) is None or order.rest.startswith("."):
        raise LessonError(order.line, expected, order.rest)


def _worded(_lesson: Lesson, order: LessonInstruction) -> LessonScene:
    """Return a problem whose queries, keys and values are vectors of words, compared by their cosines."""
    try:
        return LessonScene(problem_of(order.rest.split()))
    except ValueError:
        raise LessonError(order.line, WORDS, order.rest) from None


BEGINNINGS: Mapping[str, Callable[[Lesson, LessonInstruction], LessonScene]] = MappingProxyType(
    {"open": _opened, "make": _made, "model": _modeled, "words": _worded}
)
"""Orders that begin with something new, by their words; what they raise is a LessonError."""


# --- changing ------------------------------------------------------------------------------------
def changed(scene: LessonScene, order: LessonInstruction) -> LessonScene:
    """Return the scene with one field, one number of a matrix, or its place changed. Raises LessonError."""
    match = SETTING.fullmatch(order.rest)
    try:
        if match is None:
            raise ValueError
        name, row, column, value = match[1], match[2], match[3], _json(match[4])
        if row is None:
            if scene.study is not None and name in PLACES:
                return PLACES[name](scene, scene.study, value)
            problem = scene.problem.replace(**{name: value})
            if name in problem.arrays():
                _check_held(problem.arrays()[name], value)
            return replace(scene, problem=problem)
        array = np.array(scene.problem.arrays()[name])
        if type(value) not in (int, float):
            raise ValueError
        place = ..., int(row), int(column)
        with np.errstate(over="ignore"):
            array[place] = value
        _check_held(array[place], value)
        return replace(scene, problem=scene.problem.replace(**{name: array}))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        raise LessonError(order.line, _expected_of(scene.problem, match), order.rest) from None


def _expected_of(problem: Problem, match: re.Match[str] | None) -> FileNote:
    """Return what to expect in place of a wrong change: for a computed matrix, the ones that can be changed."""
    name = "" if match is None else match[1]
    if problem.projected and name in DIRECT:
        of = "context" if name != "query" and problem.context is not None else "x"
        return FileNote(FROM_X, name=name, of=of)
    return CHANGE


def _check_held(held: Array, value: Any) -> None:
    """Raise ValueError where a finite number has become ±∞ in the dtype of the problem."""
    if np.isinf(held).any() and not np.isinf(np.asarray(value, dtype=float)).any():
        raise ValueError


def _at_layer(scene: LessonScene, study: Study, layer: Any) -> LessonScene:
    return _scene(study.at(scene.problem, _count(layer, study.model.num_layers), silent), scene.head)


def _at_head(scene: LessonScene, study: Study, head: Any) -> LessonScene:
    return replace(scene, head=_count(head, study.model.num_heads))


def _with_text(scene: LessonScene, study: Study, text: Any) -> LessonScene:
    if not isinstance(text, str):
        raise TypeError
    return _scene(study.with_text(scene.problem, text, silent), scene.head)


PLACES: Mapping[str, Callable[[LessonScene, Study, Any], LessonScene]] = MappingProxyType(
    {"layer": _at_layer, "head": _at_head, "text": _with_text}
)
"""Settings of a model beside the fields of its layer; what they raise is a ValueError or TypeError."""


def _scene(found: OpenedStudy, head: int = 0) -> LessonScene:
    return LessonScene(found.problem, found.study, head)


def _count(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value < most:
        raise ValueError
    return value


def _json(text: str) -> Any:
    """Return a JSON value, or a plain word as it is."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        if re.fullmatch(r"[a-z]+", text):
            return text
        raise ValueError(text) from None


# --- states ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class LessonView:
    """Parts of the view that a step sets; the others stay."""

    stage: str | None = None
    head: int | None = None
    cell: tuple[str, tuple[int, ...]] | None = None
    mode: str | None = None
    page: str | None = None
    play: bool = False  # whether the cell is walked through
    parts: frozenset[str] = frozenset()  # those of `ASKED_PARTS` that the simple window shows for it


@dataclass(frozen=True)
class StepState:
    """A step ready to be done: `begin` and `end` are the scenes before and after its tasks.

    The cells of `covered` are hidden until its question is answered. `until` are claims that hold once the reader has
    done the tasks in any way; without them it is done when the scene is like `end`.
    """

    step: LessonStep
    begin: LessonScene
    end: LessonScene
    shown: LessonView = field(default_factory=LessonView)
    until: tuple[LessonExpression, ...] = ()
    covered: frozenset[Blank] = frozenset()  # until its question is answered

    def said(self, lang: str) -> StepState:
        """Return the state with its tokens in one language."""
        begin = self.begin.said(lang)
        return replace(self, begin=begin, end=begin if self.end is self.begin else self.end.said(lang))

    def is_done(self, scene: LessonScene, number_source: NumberSource) -> bool:
        """Return whether the tasks are done in a scene."""
        return all(claim.holds(number_source) for claim in self.until) if self.until else scene.is_like(self.end)

    @property
    def measured(self) -> bool:
        """Whether its texts or claims take long to compute even for a small problem."""
        lives = (live.expression for text in self.step.texts for live in text.live())
        return any(each.measured for each in (*self.until, *lives))

    def asked_of(self, scene: LessonScene, number_source: NumberSource) -> NumberSource:
        """Return what its question is about: the scene, or `end` while no task has been begun."""
        waits = self.step.tasks and scene.has_numbers_of(self.begin) and not self.is_done(scene, number_source)
        return self.end.number_source() if waits else number_source


class LessonPage(Protocol):
    """A page that a lesson can show, with what it needs."""

    of_model: ClassVar[bool]

    def applies(self, problem: Problem) -> bool: ...


def states_of(lesson: Lesson, pages: Mapping[str, LessonPage]) -> tuple[StepState, ...]:
    """Return all states of a lesson; `pages` are those that can be shown.

    Every instruction is carried out and every number computed once. Raises FormatError; for errors in the text
    LessonError.
    """
    found: list[StepState] = []
    scene: LessonScene | None = None
    try:
        for step in lesson.steps:
            state = _state(lesson, step, scene, pages)
            _compute(state)
            found.append(state)
            scene = state.end
        _check_next(lesson)
    except FormatError as error:
        raise error.at(lesson.path) from error.__cause__
    return tuple(found)


def _state(lesson: Lesson, step: LessonStep, scene: LessonScene | None, pages: Mapping[str, LessonPage]) -> StepState:
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
    return StepState(step, begin, end, shown, until, _covered(step, evaluation_of(end.problem)))


def _check_next(lesson: Lesson) -> None:
    """Raise LessonError for a next lesson that is no file next to this one."""
    if lesson.end is not None and lesson.end.next:
        name = lesson.end.next
        place = lesson.path.parent / name
        if NAME.fullmatch(name) is None or name.startswith(".") or not (place.is_file() and is_lesson(place)):
            raise LessonError(lesson.end.line, NEXT, name)


def _claim(order: LessonInstruction) -> LessonExpression:
    try:
        return expression(order.rest)
    except ExpressionError as error:
        raise LessonError(order.line, COMPUTED, error) from None


def _covered(step: LessonStep, evaluation: Evaluation) -> frozenset[Blank]:
    """Return the cells that would tell the answer: those asked for, their rows, and what is computed from them."""
    asked = _asked_cells(step, evaluation)
    found, given = set[Blank](), evaluation.problem.arrays()
    if np.prod(evaluation.problem.map_shape) > MOST_BY_HAND:
        return frozenset()
    for stage, box in asked:
        if stage in given:
            continue  # nobody could answer from nothing
        if STAGE[stage].shares:
            box = (*box[:-1], slice(0, evaluation.shape(stage)[-1]))
        reached = evaluation.forward({stage: [box]})
        for name in evaluation.stages:
            boxes = [box] if name == stage else reached.boxes(name)
            if sum(map(indices.count, boxes)) <= MOST_COVERED:
                ranges = (product(*(range(cut.start, cut.stop) for cut in each)) for each in boxes)
                found |= {Blank(name, place, follows=name != stage) for places in ranges for place in places} - found
    return frozenset(found)


def _asked_cells(step: LessonStep, evaluation: Evaluation) -> list[tuple[str, Box]]:
    """Return the cells that a step orders to cover, and the one that it asks for unless it says `cover none`."""
    orders = [order for order in step.orders if order.word == "cover"]
    found = [_covered_box(evaluation, order) for order in orders if order.rest != "none"]
    answer = None if step.question is None else step.question.answer
    if answer is not None and answer.cell is not None and len(found) == len(orders):
        with suppress(ExpressionError):  # which is refused with the line of the answer
            found.append((answer.cell[0], indices.cell(cell_index(evaluation, *answer.cell))))
    return found


def _covered_box(evaluation: Evaluation, order: LessonInstruction) -> tuple[str, Box]:
    """Return the box of cells to cover: one, or a whole row or column, as in weights[1, :]."""
    match = CELLS.fullmatch(order.rest)
    name, places = ("", []) if match is None else (match[1], [part.strip() for part in match[2].split(",")])
    if name not in evaluation.stages or name in evaluation.problem.arrays() or len(places) < 2:
        raise LessonError(order.line, COVER, order.rest)
    shape = evaluation.shape(name)
    places = ["0"] * (len(shape) - len(places)) + places
    box = tuple(
        slice(0, size) if place == ":" else slice(int(place or size), int(place or size) + 1)
        for place, size in zip(places, shape, strict=False)
    )
    if len(places) != len(shape) or any(cut.stop > size for cut, size in zip(box, shape, strict=True)):
        raise LessonError(order.line, COVER, order.rest)
    return name, box


def _shown(step: LessonStep, scene: LessonScene, pages: Mapping[str, LessonPage]) -> LessonView:
    evaluation, shown = evaluation_of(scene.problem), LessonView()
    for order in step.orders:
        if order.word == "head":
            if not order.rest.isdecimal() or int(order.rest) >= scene.problem.num_heads:
                raise LessonError(order.line, HEAD, order.rest)
            shown = replace(shown, head=int(order.rest))
        elif order.word in ("choose", "play"):
            cell, play = _cell(evaluation, order), order.word == "play"
            if play and cell[0] in scene.problem.arrays():
                raise LessonError(order.line, PLAYED, order.rest)
            shown = replace(shown, cell=cell, stage=cell[0], play=play)
        elif order.word == "show":
            shown = _picture(shown, evaluation, order, scene, pages)
    return shown


def _cell(evaluation: Evaluation, order: LessonInstruction) -> tuple[str, tuple[int, ...]]:
    try:
        cell = expression(order.rest).cell
        if cell is None:
            raise ExpressionError(order.rest)
        return cell[0], cell_index(evaluation, *cell)
    except ExpressionError as error:
        raise LessonError(order.line, CELL, error) from None


def _picture(
    shown: LessonView,
    evaluation: Evaluation,
    order: LessonInstruction,
    scene: LessonScene,
    pages: Mapping[str, LessonPage],
) -> LessonView:
    name = order.rest
    if name == ALL or (name == MODEL and scene.study is not None):
        return replace(shown, mode=name)
    if name in evaluation.stages:
        return replace(shown, stage=name, mode=PRODUCT)
    if name in ASKED_PARTS:
        return replace(shown, parts=shown.parts | {name})
    page = pages.get(name)
    if page is not None and page.applies(scene.problem) and (scene.study is not None or not page.of_model):
        return replace(shown, page=name)
    raise LessonError(order.line, SHOWN, name)


# --- numbers -------------------------------------------------------------------------------------
def _compute(state: StepState) -> None:
    """Compute all numbers of a step at its beginning and end."""
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
    texts = [*step.texts]
    if question is not None:
        texts += filter(None, (question.because, *question.wrong_choices))
        texts += [wrong.said for wrong in question.wrong]
        if question.answer is not None:
            _check_answer(question, end)
    for live in (live for text in texts for live in text.live()):
        for number_source in (begin, end):
            _check_number(live.expression, live.line, number_source)


def _ground(scene: LessonScene, step: LessonStep) -> NumberSource:
    try:
        return scene.number_source()
    except ValueError as error:
        raise LessonError(step.line, COMPUTED, error) from None


def _check_claim(order: LessonInstruction, number_source: NumberSource) -> None:
    """Raise LessonError for a claim that the numbers do not support."""
    claim = _claim(order)
    try:
        if claim.number(number_source) == 1.0:
            return
        sides = claim.sides(number_source)
    except ExpressionError as error:
        raise LessonError(order.line, COMPUTED, error) from None
    raise LessonError(order.line, TRUE, f"{order.rest} ({sides})" if sides else order.rest)


def _check_answer(question: LessonQuestion, number_source: NumberSource) -> None:
    """Raise LessonError for an answer that cannot be typed or graded, and for a wrong one that is right."""
    assert question.answer is not None
    answer, line = question.answer, question.line
    right = _check_number(answer, line, number_source)
    if not math.isfinite(right):
        raise LessonError(line, FINITE, answer.text)
    if answer.cell is not None:
        try:
            cell_index(number_source.evaluation, *answer.cell)
        except ExpressionError as error:
            raise LessonError(line, COMPUTED, error) from None
    for wrong in question.wrong:
        if is_same(_check_number(wrong.number, wrong.line, number_source), right, question.tolerance):
            raise LessonError(wrong.line, OTHER, wrong.number.text)


def _check_number(wanted: LessonExpression, line: int, number_source: NumberSource) -> float:
    try:
        return wanted.number(number_source)
    except ExpressionError as error:
        raise LessonError(line, COMPUTED, error) from None
