"""Scenes of a lesson: problems and models, as its file has them opened, made or changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.problem import Problem
from attn_gui.engine.progress import silent
from attn_gui.formats import open_file
from attn_gui.formats.catalog import problems, suffixes
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note
from attn_gui.models.model import read_model
from attn_gui.models.studies.sample_texts import sample_text
from attn_gui.models.studies.study import Placed, Study, placed
from attn_gui.paths import resource

from .lesson import Lesson, Order
from .lesson_error import LessonError
from .measures import Ground, Runs

NAME, SETTING = re.compile(r"[\w.-]+"), re.compile(r"(\w+)(?:\[(\d+), *(\d+)\])? *= *(.+)")

PROBLEM = Note(QT_TRANSLATE_NOOP("Sentences", "the name of an example, or of a problem file beside the lesson"))
MODEL = Note(QT_TRANSLATE_NOOP("Sentences", "the name of a model that comes along"))
SIZES = Note(QT_TRANSLATE_NOOP("Sentences", "“kind=self n=4 num_heads=2 d_k=3 fill=random seed=1” as JSON values"))
CHANGE = Note(QT_TRANSLATE_NOOP("Sentences", "“field = JSON value” or “field[row, column] = number” that fits"))


@dataclass(frozen=True, eq=False)
class Scene:
    """A problem; where it is a layer of a model, the study around it, and the head on show."""

    problem: Problem
    study: Study | None = None
    head: int = 0

    def has_numbers_of(self, other: Scene) -> bool:
        """Whether all numbers are the same; of a model, whichever of its layers is on the table."""
        if self.study is None or other.study is None:
            return self.study is other.study and self.problem == other.problem
        mine, theirs = self.study.edits(self.problem), other.study.edits(other.problem)
        alike = mine.keys() == theirs.keys() and all(edit.is_like(theirs[layer]) for layer, edit in mine.items())
        return self.study.is_of(other.study) and alike

    def is_like(self, other: Scene) -> bool:
        """Whether the same is on the table."""
        here, there = (None if scene.study is None else scene.study.layer for scene in (self, other))
        return here == there and self.has_numbers_of(other)

    def said(self, lang: str) -> Scene:
        """The scene with its tokens in one language, where the file gives them in both, as "book | 书"."""
        fields, place = self.problem.fields(), ("en", "zh").index(lang)
        tokens = {name: fields[name] for name in ("query_tokens", "key_tokens") if fields.get(name)}
        said = {name: tuple(_side(token, place) for token in each) for name, each in tokens.items()}
        return self if self.study is not None or said == tokens else replace(self, problem=self.problem.replace(**said))

    def ground(self) -> Ground:
        """The ground that its numbers are computed from. Raises ValueError where a layer no longer fits its model."""
        evaluation, study = evaluation_of(self.problem), self.study
        if study is None:
            return Ground(evaluation, head=self.head)
        before, edits = study.model.run(study.text), study.edits(self.problem)
        now = before.replace(model=study.model.with_edits(edits)) if edits else before
        return Ground(evaluation, Runs(now, before), study.layer, self.head)


def _side(token: str, place: int) -> str:
    """The token, or the part of it in one language."""
    sides = token.split(" | ")
    return sides[place] if len(sides) == 2 else token


# --- beginning -----------------------------------------------------------------------------------
def _opened(lesson: Lesson, order: Order) -> Scene:
    """An example, or a file beside the lesson; never one anywhere else."""
    _check_name(order, PROBLEM)
    endings = suffixes(problems())
    folder, names = resource("examples"), [f"{order.rest}{ending}" for ending in endings]
    places = [folder / name for name in names]
    if order.rest.lower().endswith(tuple(endings)):
        places.append(lesson.path.parent / order.rest)
    for place in places:
        if place.is_file() and not place.is_symlink():
            return Scene(_read(place, order))
    raise LessonError(order.line, PROBLEM, order.rest)


def _read(place: Path, order: Order) -> Problem:
    try:
        return open_file(place).problem
    except FormatError as error:
        raise LessonError(order.line, PROBLEM, error) from error


def _made(_lesson: Lesson, order: Order) -> Scene:
    try:
        given = {name: _json(text) for name, text in (part.split("=", 1) for part in order.rest.split())}
        kind = given.pop("kind", "direct")
        counts = [value for name, value in given.items() if name not in ("fill", "seed")]
        if any(type(count) is not int or not 1 <= count <= 512 for count in counts):
            raise ValueError
        problem = Problem.over(new_fields(kind, **given))
        if problem.m != given.get("m", problem.m):  # self-attention has as many keys as queries
            raise ValueError
        return Scene(problem)
    except (ValueError, TypeError):
        raise LessonError(order.line, SIZES, order.rest) from None


def _modeled(_lesson: Lesson, order: Order) -> Scene:
    """The first layer of a model that comes along, with a text that suits it."""
    _check_name(order, MODEL)
    folder = resource("models", order.rest)
    if not folder.is_dir():
        raise LessonError(order.line, MODEL, order.rest)
    try:
        model = read_model(folder)
        return _scene(placed(model, sample_text(model), 0, {}, silent))
    except FormatError as error:
        raise LessonError(order.line, MODEL, error) from error


def _check_name(order: Order, expected: Note) -> None:
    if NAME.fullmatch(order.rest) is None or order.rest.startswith("."):
        raise LessonError(order.line, expected, order.rest)


BEGINNINGS: Mapping[str, Callable[[Lesson, Order], Scene]] = MappingProxyType(
    {"open": _opened, "make": _made, "model": _modeled}
)
"""Orders that begin with something new, by their words; what they raise is a LessonError."""


# --- changing ------------------------------------------------------------------------------------
def changed(scene: Scene, order: Order) -> Scene:
    """The scene with one field, one number of a matrix, or the place in its model changed. Raises LessonError."""
    match = SETTING.fullmatch(order.rest)
    try:
        if match is None:
            raise ValueError
        name, row, column, value = match[1], match[2], match[3], _json(match[4])
        if row is None:
            return _with_field(scene, name, value)
        array = np.array(scene.problem.arrays()[name])
        if type(value) not in (int, float):
            raise ValueError
        place = ..., int(row), int(column)
        with np.errstate(over="ignore"):
            array[place] = value
        _check_held(array[place], value)
        return replace(scene, problem=scene.problem.replace(**{name: array}))
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        raise LessonError(order.line, CHANGE, order.rest) from None


def _with_field(scene: Scene, name: str, value: Any) -> Scene:
    if scene.study is not None and name in PLACES:
        return PLACES[name](scene, scene.study, value)
    problem = scene.problem.replace(**{name: value})
    if name in problem.arrays():
        _check_held(problem.arrays()[name], value)
    return replace(scene, problem=problem)


def _check_held(held: Array, value: Any) -> None:
    """Refuse a number that the dtype of the problem has no finite one for, as a table does."""
    if np.isinf(held).any() and not np.isinf(np.asarray(value, dtype=float)).any():
        raise ValueError


def _at_layer(scene: Scene, study: Study, layer: Any) -> Scene:
    return _scene(study.at(scene.problem, _count(layer, study.model.num_layers), silent), scene.head)


def _at_head(scene: Scene, study: Study, head: Any) -> Scene:
    return replace(scene, head=_count(head, study.model.num_heads))


def _with_text(scene: Scene, study: Study, text: Any) -> Scene:
    if not isinstance(text, str):
        raise TypeError
    return _scene(study.with_text(scene.problem, text, silent), scene.head)


PLACES: Mapping[str, Callable[[Scene, Study, Any], Scene]] = MappingProxyType(
    {"layer": _at_layer, "head": _at_head, "text": _with_text}
)
"""Settings of a model beside the fields of its layer; what they raise is a ValueError or TypeError."""


def _scene(found: Placed, head: int = 0) -> Scene:
    return Scene(found.problem, found.study, head)


def _count(value: Any, most: int) -> int:
    if type(value) is not int or not 0 <= value < most:
        raise ValueError
    return value


def _json(text: str) -> Any:
    """A JSON value, or a word as it is."""
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        if re.fullmatch(r"[a-z]+", text):
            return text
        raise ValueError(text) from None
