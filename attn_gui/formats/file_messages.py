"""Sentences that refuse files or note something about them.

Every sentence is an English template with {places}: `str()` is the English sentence, and whoever has a translator puts
`template` through it (context "Sentences") and fills in `values`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from attn_gui.engine.messages import say, size_text
from attn_gui.languages import QT_TRANSLATE_NOOP

__all__ = ["LONGEST", "FileNote", "FormatError", "shape_text", "shown", "size_text"]


# --- sentences ------------------------------------------------------------------------------------


LONGEST = 40


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


def shown(text: str, longest: int = LONGEST) -> str:
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


_SEVERAL = QT_TRANSLATE_NOOP("Sentences", "{file}: {names} can be read in {count} ways: {readings}; say which.")
ARGUMENT, OPTION = QT_TRANSLATE_NOOP("Sentences", '{option}="{value}" ({words})'), "--{option} {value} ({words})"
READ_AS = QT_TRANSLATE_NOOP("Sentences", "{names}: read as {reading}; another reading can be chosen.")


class AmbiguousFile(FormatError):
    """A file of arrays about which a person has to say more."""


class SeveralReadings(AmbiguousFile):
    """`option` of `load` and of the command line chooses among `choices`, from its values to what they mean."""

    def __init__(self, option: str, names: Iterable[str], choices: Mapping[str, FileNote]) -> None:
        self.option, self.choices = option, choices
        super().__init__(_SEVERAL, names=tuple(names), count=len(choices), readings=self._spelled(ARGUMENT))

    def on_command_line(self) -> FileNote:
        """Return the sentence with the readings as options of the command line."""
        return FileNote(self.template, **{**self.values, "readings": self._spelled(OPTION)})

    def _spelled(self, template: str) -> tuple[FileNote, ...]:
        return tuple(reading(self.option, value, words, template) for value, words in self.choices.items())


def reading(option: str, value: str, words: FileNote, template: str = ARGUMENT) -> FileNote:
    """Return a reading as the argument that chooses it."""
    return FileNote(template, option=option, value=value, words=words)
