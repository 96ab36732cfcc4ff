"""Knobs of a page: what can be chosen on it beside the cell, as plain values that files of settings could hold."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from attn_gui.document.edits import Refusal
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.text.page_words import Words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

_UNKNOWN = QT_TRANSLATE_NOOP("Sentences", "There is nothing to set called {got}; there is {known}.")
_NONE = QT_TRANSLATE_NOOP("Sentences", "There is nothing to set called {got}; there is nothing.")
_NO_CHOICE = QT_TRANSLATE_NOOP("Sentences", "{name} cannot be {got} here; expected one of {choices}.")
_NO_VALUE = QT_TRANSLATE_NOOP("Sentences", "{name} cannot be {got} here.")

Values = Mapping[str, Any]
"""Values of knobs by their keys."""


@dataclass(frozen=True)
class Knob(ABC):
    """Knob of a page: its key, and its caption (marked for translation in the context "Pages")."""

    key: str
    caption: str

    @abstractmethod
    def default(self, aim: Aim, values: Values) -> Any:
        """The value that is taken unless another one is chosen; `values` are those of the knobs before it."""

    @abstractmethod
    def fits(self, aim: Aim, values: Values, value: Any) -> bool:
        """Whether a value can be chosen."""

    @abstractmethod
    def parsed(self, text: str) -> Any:
        """The value that a text on the command line means; ValueError for none."""


@dataclass(frozen=True)
class Choice(Knob):
    """One of several keys; `choices` gives the words of each: English ones, each with the context of its translation,
    to be joined by colons."""

    choices: Callable[[Aim, Values], Mapping[str, Words]]

    def default(self, aim: Aim, values: Values) -> Any:
        return next(iter(self.choices(aim, values)))

    def fits(self, aim: Aim, values: Values, value: Any) -> bool:
        return value in tuple(self.choices(aim, values))

    def parsed(self, text: str) -> Any:
        return text


@dataclass(frozen=True)
class Amount(Knob):
    """A finite number, a whole one if `whole`; `usual` gives the default and `may` says which can be."""

    usual: Callable[[Aim, Values], float]
    may: Callable[[Aim, Values, float], bool] = lambda aim, values, value: True
    whole: bool = False

    def default(self, aim: Aim, values: Values) -> Any:
        found = self.usual(aim, values)
        return round(found) if self.whole else float(found)

    def fits(self, aim: Aim, values: Values, value: Any) -> bool:
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        return number and (not self.whole or value == int(value)) and self.may(aim, values, value)

    def parsed(self, text: str) -> Any:
        number = float(text)
        return int(text) if self.whole and math.isfinite(number) else number


@dataclass(frozen=True)
class Slide(Knob):
    """A place on a slider, 0 … `last`, of which `told` gives the words beside it."""

    last: Callable[[Aim, Values], int]
    told: Callable[[Aim, Values, int], str] = lambda aim, values, place: str(place)

    def default(self, aim: Aim, values: Values) -> Any:
        return self.last(aim, values) // 2

    def fits(self, aim: Aim, values: Values, value: Any) -> bool:
        return isinstance(value, int) and 0 <= value <= self.last(aim, values)

    def parsed(self, text: str) -> Any:
        return int(text)


def settled(knobs: tuple[Knob, ...], aim: Aim, given: Values) -> dict[str, Any]:
    """A value for every knob: the given one where it can be, else the default."""
    found: dict[str, Any] = {}
    for knob in knobs:
        value = given.get(knob.key)
        fits = value is not None and knob.fits(aim, found, value)
        found[knob.key] = value if fits else knob.default(aim, found)
    return found


def from_texts(knobs: tuple[Knob, ...], aim: Aim, texts: Mapping[str, str]) -> dict[str, Any]:
    """The values of knobs from texts; ValueError with a sentence for what is no knob, or no value of one."""
    return checked(knobs, aim, texts, lambda knob, text: knob.parsed(text))


def checked(
    knobs: tuple[Knob, ...], aim: Aim, given: Values, read: Callable[[Knob, Any], Any] = lambda knob, value: value
) -> dict[str, Any]:
    """The values of knobs, as `read` has what is given; ValueError with a sentence for what is no knob, or no value."""
    known = {knob.key: knob for knob in knobs}
    if unknown := [key for key in given if key not in known]:
        raise Refusal(_UNKNOWN if known else _NONE, got=repr(unknown[0]), known=", ".join(known))
    found: dict[str, Any] = {}
    for key, knob in known.items():
        if key not in given:
            found[key] = knob.default(aim, found)
            continue
        try:
            value = read(knob, given[key])
        except ValueError:
            value = None
        if value is None or not knob.fits(aim, found, value):
            choices = ", ".join(knob.choices(aim, found)) if isinstance(knob, Choice) else ""
            raise Refusal(_NO_CHOICE if choices else _NO_VALUE, name=key, got=repr(given[key]), choices=choices)
        found[key] = value
    return found
