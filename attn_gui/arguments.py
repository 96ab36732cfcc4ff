"""Words of options read (heads 0,2-3; cell 10,13; ends -5,7), options without effect; refusals, “the nearest is …”.

Imports nothing heavy."""

from __future__ import annotations

import argparse
import difflib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.engine.errors import Note


_HEADS = N_("expected all, or heads such as 0,2-3, got {got}")
_CELL = N_("expected a row and a column such as 10,13, got {got}")
_SETTING = N_("expected NAME=VALUE, got {got}")
_TWICE = N_("{name} is given two values; expected one")
_WHOLE = N_("expected a whole number from {least} to {most}, got {got}")
_POINTS = N_("expected points from 4 to 72, got {got}")
_LEVELS = N_("expected two numbers such as -5,7, the lower one first, got {got}")
_CENTIMETERS = N_("expected centimeters from 1 to 500, got {got}")
_NEEDS = N_("{choice} means something with {needed} only; it was given without")
_CLASHES = N_("{choice} means nothing with {needed}; leave one of the two out")
FIGURE = N_("a figure (--format)")
TEXT = N_("a table as text (--format)")
SPREADSHEET = N_("csv or tsv (--format)")
CARRIER = N_("a figure that carries one (--format)")
VECTOR = N_("svg or pdf (--format)")
OWN_PIXELS = N_("a card of its own size (--width or --height gives it another)")
"""Things that options need and a format has."""

SENTENCES: tuple[str, ...] = (_HEADS, _CELL, _SETTING, _TWICE, _WHOLE, _POINTS, _LEVELS, _CENTIMETERS, _NEEDS, _CLASHES)
SENTENCES += (FIGURE, TEXT, SPREADSHEET, CARRIER, VECTOR, OWN_PIXELS)

_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?")


def heads(text: str) -> tuple[int, ...] | str | None:
    """Return `all` (None), heads and ranges of them (0,2-3), or another word for what is to be made of all of them."""
    if text == "all":
        return None
    if text.isalpha():
        return text
    found: dict[int, None] = {}
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or int(match[2] or match[1]) < int(match[1]):
            raise argparse.ArgumentTypeError(_HEADS.format(got=repr(text)))
        found |= dict.fromkeys(range(int(match[1]), int(match[2] or match[1]) + 1))
    return tuple(found)


def cell(text: str) -> tuple[int, int]:
    parts = text.split(",")
    if len(parts) != 2 or not all(re.fullmatch(r"\d{1,9}", part.strip(), re.ASCII) for part in parts):
        raise argparse.ArgumentTypeError(_CELL.format(got=repr(text)))
    return int(parts[0]), int(parts[1])


def setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise argparse.ArgumentTypeError(_SETTING.format(got=repr(text)))
    return name, value


class SettingsAction(argparse.Action):
    """Settings of an option, which may be given several times; a second value for a name is a mistake."""

    def __call__(self, _parser: object, chosen: argparse.Namespace, values: Any, _option: str | None = None) -> None:
        found = dict(getattr(chosen, self.dest) or ())
        for name, value in values:
            if name in found:
                raise argparse.ArgumentError(self, _TWICE.format(name=name))
            found[name] = value
        setattr(chosen, self.dest, list(found.items()))


def whole(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text, re.ASCII) or not lowest <= int(text) <= highest:
            raise argparse.ArgumentTypeError(_WHOLE.format(least=lowest, most=highest, got=repr(text)))
        return int(text)

    return parse


def join_signed_values(words: Sequence[str]) -> list[str]:
    """Return the words with `--levels -5,7` as one: argparse would take -5,7 for an option."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "--levels":
            found[-1] = f"--levels={word}"
        else:
            found.append(word)
    return found


def parse_options(
    parser: argparse.ArgumentParser,
    words: Sequence[str],
    needs: Mapping[str, str],
    clashes: Mapping[str, Collection[str]],
    beside: Callable[[argparse.Namespace], Collection[str]],
) -> argparse.Namespace:
    """Parse `words`; an option that would change nothing, given the others, is refused (see `idle`).

    `beside` gives from the parsed options what else `needs` may name, such as FIGURE where a format is one.
    """
    chosen = parser.parse_args(words)
    given = {}
    for action in parser._actions:
        value = getattr(chosen, action.dest, action.default)
        if action.option_strings and value != action.default:
            given[action.option_strings[0]] = action.option_strings[value is False]  # --no-title
    if reason := idle({*given, *beside(chosen)}, needs, clashes):
        for option, said in given.items():
            reason = reason.replace(option, said) if option != said else reason
        parser.error(reason)
    return chosen


def idle(given: Collection[str], needs: Mapping[str, str], clashes: Mapping[str, Collection[str]]) -> str:
    """Return why a given option would change nothing: it is without the one that it `needs`, or beside one that it
    `clashes` with; empty where every option has an effect.

    `needs` maps an option to what it needs, `clashes` an option to those that mean nothing beside it.
    """
    for choice, other in needs.items():
        if choice in given and other not in given:
            return f"{_NEEDS.format(choice=choice, needed=other)}."
    for other, choices in clashes.items():
        if other in given and (found := [choice for choice in choices if choice in given]):
            return f"{_CLASHES.format(choice=found[0], needed=other)}."
    return ""


def points(text: str) -> float:
    size = _number(text)
    if size is None or not 4 <= size <= 72:
        raise argparse.ArgumentTypeError(_POINTS.format(got=repr(text)))
    return size


def levels(text: str) -> tuple[float, float]:
    found = [_number(part) for part in text.split(",")]
    if len(found) != 2 or found[0] is None or found[1] is None or not found[0] < found[1]:
        raise argparse.ArgumentTypeError(_LEVELS.format(got=repr(text)))
    return found[0], found[1]


def _number(text: str) -> float | None:
    """Return a finite number; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def centimeters(text: str) -> float:
    length = _number(text)
    if length is None or not 1 <= length <= 500:
        raise argparse.ArgumentTypeError(_CENTIMETERS.format(got=repr(text)))
    return length


# --- refusals -------------------------------------------------------------------------------------
MISUSE = N_("{message}{near}.")
NEAREST = N_(" (the nearest is {word})")


class CommandRefusal(Exception):
    """A refusal, in one sentence: a template and what fills its {places}, or an error that says it."""

    lang: str | None = None
    """The language that it was asked for in; None: that of the locale."""

    def __init__(self, said: object, **values: object) -> None:
        if hasattr(said, "on_command_line"):  # an error about a file
            said = said.on_command_line()
        self.template: str | None = getattr(said, "template", None)
        self.values: Mapping[str, object] = getattr(said, "values", {})
        if isinstance(said, str) and self.template is None:
            self.template, self.values, said = said, values, said.format(**values)
        super().__init__(str(said))


class AmbiguousFileRefusal(CommandRefusal):
    """A refusal of a file about whose arrays a person has to say more: which is which, or how they lie."""


class UsageRefusal(CommandRefusal):
    """A refusal of words by their parser, in the words of argparse, and what may have been meant."""

    def __init__(self, message: str, near: str) -> None:
        self.message, self.near = message.rstrip("."), near
        super().__init__(MISUSE, message=self.message[:1].upper() + self.message[1:], near=near)


class OutputError(Exception):
    """What was to be said could not be written to stdout, for `reason`: a full disk, a pipe that nobody reads."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


class ChangeNotes(tuple["Note", ...]):
    """Changes by hand as notes of the engine, which are said one after another."""

    def __str__(self) -> str:
        return "; ".join(map(str, self))


def nearest(word: str, known: Sequence[str]) -> str:
    """Return the known word that a slip was meant for, in brackets and with a space in front; empty where none is."""
    near = nearest_known(word, known)
    return NEAREST.format(word=near) if near else ""


def nearest_known(word: str, known: str | Sequence[str]) -> str:
    """Return the known word, of several or of a list in words, that a slip was meant for; empty where none is."""
    words = known.split(", ") if isinstance(known, str) else known
    return next(iter(difflib.get_close_matches(word.strip("'"), words, n=1)), "")
