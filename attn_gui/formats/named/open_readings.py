"""Refusals of arrays that can be read in several ways, each spelled out as the argument that chooses it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note

_SEVERAL = QT_TRANSLATE_NOOP("Sentences", "{file}: {names} can be read in {count} ways: {readings}; say which.")
ARGUMENT, OPTION = QT_TRANSLATE_NOOP("Sentences", '{option}="{value}" ({words})'), "--{option} {value} ({words})"
READ_AS = QT_TRANSLATE_NOOP("Sentences", "{names}: read as {reading}; another reading can be chosen.")


class Unsettled(FormatError):
    """A file of arrays about which a person has to say more."""


class SeveralReadings(Unsettled):
    """`option` of `load` and of the command line chooses among `choices`, from its values to what they mean."""

    def __init__(self, option: str, names: Iterable[str], choices: Mapping[str, Note]) -> None:
        self.option, self.choices = option, choices
        super().__init__(_SEVERAL, names=tuple(names), count=len(choices), readings=self._spelled(ARGUMENT))

    def on_command_line(self) -> str:
        """The sentence with the readings as options of the command line."""
        return str(Note(self.template, **{**self.values, "readings": self._spelled(OPTION)}))

    def _spelled(self, template: str) -> tuple[Note, ...]:
        return tuple(reading(self.option, value, words, template) for value, words in self.choices.items())


def reading(option: str, value: str, words: Note, template: str = ARGUMENT) -> Note:
    """A reading as the argument that chooses it."""
    return Note(template, option=option, value=value, words=words)
