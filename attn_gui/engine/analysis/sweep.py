"""Quantities that a sweep can move: a new one is one class and its place in `quantities_of`.

Words are pairs (context, English) for translators, to be joined by a colon.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attn_gui.engine.chain.symbols import symbol
from attn_gui.engine.problem.interventions.set_cells import Set
from attn_gui.engine.problem.masks import Layer, Parameter
from attn_gui.engine.problem.problem import Problem
from attn_gui.engine.problem.sentences import QT_TRANSLATE_NOOP
from attn_gui.engine.scores import SCORES, Setting
from attn_gui.engine.stages import STAGE

Words = tuple[tuple[str, str], ...]

CHOSEN_CELL = QT_TRANSLATE_NOOP("Pages", "the chosen cell")

WIDEST = 256
"""Columns of the seeded Q and K at most."""
LONGEST = 512
"""Rows of them at most."""
SEED = 0


@dataclass(frozen=True)
class Row:
    """A row of a map with one of its keys: item, head, query, key."""

    batch: int = 0
    head: int = 0
    query: int = 0
    key: int = 0


class Quantity(ABC):
    """One number of a problem: how it is called, what it is now, where it usually runs, and how it is put in."""

    words: Words
    whole = False
    seeded = False
    """Whether random numbers stand in the place of the problem's, and no token is theirs."""

    @abstractmethod
    def now(self, problem: Problem) -> float | None:
        """Its value in a problem; None where it has none."""

    @abstractmethod
    def span(self, problem: Problem) -> tuple[float, float]:
        """The two ends between which it runs unless told otherwise."""

    @abstractmethod
    def put(self, problem: Problem, value: float) -> Problem:
        """The problem with this value."""

    def fits(self, problem: Problem, value: float) -> bool:
        """Whether it can have a value."""
        return math.isfinite(value)

    def row(self, problem: Problem, row: Row) -> Row:
        """The row to read in a problem that `put` gave."""
        return row


@dataclass(frozen=True)
class Option(Quantity):
    """A number that a problem has as a field of its own; one that is not set counts as `unset`."""

    field: str
    words: Words
    low: float
    high: float
    unset: float | None = None
    positive: bool = True

    def now(self, problem: Problem) -> float | None:
        found = getattr(problem, self.field)
        return self.unset if found is None else float(found)

    def span(self, problem: Problem) -> tuple[float, float]:
        return self.low, self.high

    def put(self, problem: Problem, value: float) -> Problem:
        return problem.replace(**{self.field: value})

    def fits(self, problem: Problem, value: float) -> bool:
        return super().fits(problem, value) and (value > 0 or not self.positive)


class ScaleFactor(Option):
    """The factor of the scores; without one it is 1/√d_k, or 1."""

    def now(self, problem: Problem) -> float | None:
        return problem.effective_scale

    def span(self, problem: Problem) -> tuple[float, float]:
        return 0.0, max(1.0, 2 * problem.effective_scale)


@dataclass(frozen=True)
class ScoreNumber(Quantity):
    """A number of the score function."""

    name: str
    setting: Setting

    @property
    def words(self) -> Words:  # type: ignore[override]  # nothing sets it
        return (("Settings", self.setting.title),)

    def now(self, problem: Problem) -> float | None:
        return float(problem.score_params[self.name])

    def span(self, problem: Problem) -> tuple[float, float]:
        return 0.0, 2 * max(1.0, abs(float(problem.score_params[self.name])))

    def put(self, problem: Problem, value: float) -> Problem:
        return problem.replace(score_params={**problem.score_params, self.name: value})


@dataclass(frozen=True)
class LayerNumber(Quantity):
    """A whole number of a mask layer, such as how far a window reaches."""

    position: int
    layer: Layer
    parameter: Parameter

    whole = True

    @property
    def words(self) -> Words:  # type: ignore[override]  # nothing sets it
        return ("Masks", self.layer.label), ("Masks", self.parameter.label)

    def now(self, problem: Problem) -> float | None:
        found = getattr(problem.mask[self.position], self.parameter.name)
        return None if found is None else float(found)

    def span(self, problem: Problem) -> tuple[float, float]:
        return 0.0, float(max(problem.m - 1, 1))

    def put(self, problem: Problem, value: float) -> Problem:
        layers = list(problem.mask)
        numbers: dict[str, Any] = {self.parameter.name: round(value)}
        layers[self.position] = replace(layers[self.position], **numbers)
        return problem.replace(mask=tuple(layers))


@dataclass(frozen=True)
class GivenCell(Quantity):
    """One cell of a table of the problem."""

    field: str
    index: tuple[int, ...]

    @property
    def words(self) -> Words:  # type: ignore[override]  # nothing sets it
        return (("Pages", CHOSEN_CELL), ("", f"{symbol(self.field)}[{', '.join(map(str, self.index[-2:]))}]"))

    def now(self, problem: Problem) -> float | None:
        return float(problem.arrays()[self.field][self.index])

    def span(self, problem: Problem) -> tuple[float, float]:
        return _around(self.now(problem) or 0.0)

    def put(self, problem: Problem, value: float) -> Problem:
        array = np.array(problem.arrays()[self.field])
        array[self.index] = value
        return problem.replace(**{self.field: array})


@dataclass(frozen=True)
class HandCell(Quantity):
    """One computed cell of a stage, set by hand: everything after it follows."""

    stage: str
    place: tuple[int, ...]
    value: float

    @property
    def words(self) -> Words:  # type: ignore[override]  # nothing sets it
        shown = ", ".join(map(str, self.place[-2:]))
        return (("Pages", CHOSEN_CELL), ("", f"{symbol(self.stage)}[{shown}]"))

    def now(self, problem: Problem) -> float | None:
        return self.value

    def span(self, problem: Problem) -> tuple[float, float]:
        return (0.0, 1.0) if STAGE[self.stage].shares else _around(self.value)

    def put(self, problem: Problem, value: float) -> Problem:
        at = dict(zip(STAGE[self.stage].axes, self.place, strict=True))
        by_hand = Set(stage=self.stage, at=at, values=value)
        return problem.replace(interventions=(*problem.interventions, by_hand))


class SeededWidth(Quantity):
    """d_k of Q and K with independent standard normal numbers, one head; narrower ones are the first columns of the
    widest. Masks that are rules, softcap, temperature and the scale are the problem's."""

    words = (("Pages", QT_TRANSLATE_NOOP("Pages", "d_k of random Q and K")),)
    whole = True
    seeded = True

    def now(self, problem: Problem) -> float | None:
        return None

    def span(self, problem: Problem) -> tuple[float, float]:
        return 1.0, float(WIDEST)

    def fits(self, problem: Problem, value: float) -> bool:
        return 1 <= value <= WIDEST

    def put(self, problem: Problem, value: float) -> Problem:
        n, m, width = min(problem.n, LONGEST), min(problem.m, LONGEST), round(value)
        rng = np.random.default_rng(SEED)
        query, key = rng.standard_normal((n, WIDEST)), rng.standard_normal((m, WIDEST))
        return Problem(
            query=query[:, :width],
            key=key[:, :width],
            value=rng.standard_normal((m, 1)),
            scale=problem.scale,
            softcap=problem.softcap,
            temperature=problem.temperature,
            mask=tuple(layer for layer in problem.mask if layer.cells is None and _is_shared(layer)),
        )

    def row(self, problem: Problem, row: Row) -> Row:
        return Row(query=min(row.query, problem.n - 1), key=min(row.key, problem.m - 1))


def _is_shared(layer: Layer) -> bool:
    """Whether a rule is the same for every item."""
    return len(layer.shape((2, 1, 1, 1))) < 4


def _around(value: float) -> tuple[float, float]:
    """A stretch with a value in its middle."""
    middle = value if math.isfinite(value) else 0.0
    reach = max(1.0, 2 * abs(middle))
    return middle - reach, middle + reach


def quantity_of_cell(problem: Problem, stage: str, place: tuple[int, ...], value: float) -> Quantity:
    """A cell of a stage: of Q, K or V as they are given the number itself, else what is set there by hand."""
    array = problem.arrays().get(stage)
    if array is None:
        return HandCell(stage, place, value)
    return GivenCell(stage, place[len(place) - array.ndim :])


def quantities_of(problem: Problem, cell: Quantity | None = None) -> Mapping[str, Quantity]:
    """Every quantity of a problem by its key; `cell` is that of the chosen cell."""
    found: dict[str, Quantity] = {
        "scale": ScaleFactor("scale", (("Names", "scale"),), 0.0, 1.0, positive=False),
        "temperature": Option("temperature", (("Settings", "temperature"),), 0.1, 4.0, unset=1.0),
        "softcap": Option("softcap", (("Settings", "softcap"),), 0.5, 30.0),
        "d_k": SeededWidth(),
    }
    if problem.rotary_theta is not None:
        theta = float(problem.rotary_theta)
        found["rotary_theta"] = Option(
            "rotary_theta", (("Settings", "base of the rotary positions"),), min(1.0, theta), 2 * theta
        )
    for name, setting in SCORES[problem.score].numbers.items():
        found[f"score_params.{name}"] = ScoreNumber(name, setting)
    for position, layer in enumerate(problem.mask):
        if layer.enabled:
            for parameter in layer.parameters:
                if parameter.kind == "int":
                    found[f"{layer.name_at(position)}.{parameter.name}"] = LayerNumber(position, layer, parameter)
    return found if cell is None else {**found, "cell": cell}


def values_between(quantity: Quantity, low: float, high: float, steps: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """`steps` values from one end to the other, evenly apart; of a whole number fewer where there are no more."""
    found = 2 * np.linspace(low / 2, high / 2, max(steps, 2))  # the two may be farther apart than a number reaches
    if not quantity.whole:
        return found
    rounded = np.unique(np.rint(found))
    return rounded if low <= high else rounded[::-1]
