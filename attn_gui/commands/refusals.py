"""Kinds of refusals of the command line, and “the nearest is …” for a slip of typing. Imports nothing heavy."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.engine.errors import Note

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
