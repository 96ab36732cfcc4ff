"""How sentences on files quote texts, shapes and arguments of `load`, which on the command line are said as options.

Every sentence is an English template with {places}: `str()` is the English sentence, and whoever has a translator puts
`template` through it (context "Sentences") and fills in `values`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from attn_gui.engine.errors import say, size_text
from attn_gui.languages import N_

__all__ = ["LONGEST_SHOWN", "FileNote", "FormatError", "shape_text", "shown", "size_text"]


# --- sentences ------------------------------------------------------------------------------------


LONGEST_SHOWN = 40  # characters of a text in a sentence


class FormatError(ValueError):
    """A file that cannot be read or written, in one sentence: what, where, expected, got.

    `template` has the place `{file}`; `path` is set by `at`.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template)
        self.template = template
        self.values: dict[str, object] = {"file": "The file", **values}
        self.path: Path | None = None

    def at(self, path: str | os.PathLike[str]) -> Self:
        """Name the file in the sentence, and return the error."""
        self.path = Path(path)
        self.values["file"] = shown(self.path.name or str(self.path))
        return self

    def on_command_line(self) -> FileNote:
        """Return the sentence with the options of the command line in the places of arguments of `load`."""
        return _with_options(self.template, self.values)

    def __str__(self) -> str:
        return say(self.template, self.values)


class FileNote(str):
    """One sentence about a file that was read: what was ignored, what was guessed."""

    template: str
    values: dict[str, object]

    def __new__(cls, template: str, **values: object) -> Self:
        note = super().__new__(cls, say(template, values))
        note.template, note.values = template, values
        return note

    def on_command_line(self) -> FileNote:
        """Return the sentence with the options of the command line in the places of arguments of `load`."""
        return _with_options(self.template, self.values)


class Argument(str):
    """What stands in a sentence for an argument of `load`, or several with their values: axes="layer,query,key",
    layer=1. `option` is what one types for it on the command line: --axes layer,query,key --layer 1."""

    option: str

    def __new__(cls, python: str, option: str) -> Self:
        argument = super().__new__(cls, python)
        argument.option = option
        return argument

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        return type(self), (str(self), self.option)  # else a copy is made of the text alone, which is refused

    @classmethod
    def named(cls, name: str) -> Self:
        return cls(name, f"--{name}")

    @classmethod
    def of(cls, name: str, value: str) -> Self:
        return cls(f'{name}="{value}"', f"--{name} {value}")


def _with_options(template: str, values: Mapping[str, object]) -> FileNote:
    return FileNote(template, **{place: _typed(value) for place, value in values.items()})


def _typed(value: object) -> object:
    """Return what fills a place of a sentence, as a person types it on the command line."""
    if isinstance(value, Argument):
        return value.option
    if isinstance(value, FileNote):
        return value.on_command_line()
    return tuple(map(_typed, value)) if isinstance(value, tuple) else value


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return text from a file as it may stand in a sentence: on one line, nothing invisible, cut when long."""
    line = " ".join("".join(letter if letter.isprintable() else "�" for letter in text[: 4 * longest]).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def quoted(text: str, longest: int = 24) -> str:
    """Return `text` as it may stand in a sentence: on one line, nothing invisible, cut when long."""
    visible = "".join(letter if letter.isprintable() else " " for letter in text)
    line = " ".join(visible.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) if shape else "1"


# --- several readings -----------------------------------------------------------------------------
# Refusals of arrays that can be read in several ways, each spelled out as the argument that chooses it.


_SEVERAL = N_("{file}: {names} can be read in {count} ways: {readings}; say which.")
_READING = N_("{argument} ({words})")
READ_AS = N_("{names}: read as {reading}; another reading can be chosen.")


class AmbiguousFile(FormatError):
    """A file of arrays about which a person has to say more."""


class SeveralReadings(AmbiguousFile):
    """`option` of `load` and of the command line chooses among `choices`, from its values to what they mean."""

    def __init__(self, option: str, names: Iterable[str], choices: Mapping[str, FileNote]) -> None:
        self.option, self.choices = option, choices
        readings = tuple(reading(option, value, words) for value, words in choices.items())
        super().__init__(_SEVERAL, names=tuple(names), count=len(choices), readings=readings)


def reading(option: str, value: str, words: FileNote) -> FileNote:
    """Return a reading as the argument that chooses it."""
    return FileNote(_READING, argument=Argument.of(option, value), words=words)
