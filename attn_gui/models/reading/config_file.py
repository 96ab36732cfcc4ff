"""Entries of a config.json, each checked when it is asked for; null means that the default holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.foreign_arrays import Json

MOST = 10**7
_NEEDED = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} is missing.")
_WHOLE = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} must be a whole number from {least} to {most}, got {got}.")
_NUMBER = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} must be a number above 0, got {got}.")
_FLAG = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} must be true or false, got {got}.")
_CHOICE = QT_TRANSLATE_NOOP("Sentences", "{file}: {name} is {got}, which is not supported; expected {choices}.")


class Config:
    """The entries of a config.json."""

    def __init__(self, entries: Mapping[str, Json], path: Path) -> None:
        self._entries, self._path = entries, path

    def given(self, name: str) -> Any:
        """The entry just as it stands; None where there is none."""
        return self._entries.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def count(self, name: str, default: int | None = None, *, least: int = 1, most: int = MOST) -> int:
        """A whole number; needed where there is no default. Raises FormatError."""
        found = self._found(name, default)
        if type(found) is not int or not least <= found <= most:
            raise self.refusal(_WHOLE, name=name, least=least, most=most, got=_said(found))
        return found

    def number(self, name: str, default: float | None = None) -> float:
        """A number above 0 that single precision holds with its inverse. Raises FormatError."""
        found = self._found(name, default)
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 1e-30 < found < 1e30:
            raise self.refusal(_NUMBER, name=name, got=_said(found))
        return float(found)

    def flag(self, name: str, default: bool) -> bool:
        """True or false. Raises FormatError."""
        found = self._found(name, default)
        if not isinstance(found, bool):
            raise self.refusal(_FLAG, name=name, got=_said(found))
        return found

    def choice(self, name: str, choices: Mapping[Any, Any], default: object) -> Any:
        """The meaning of one of several words. Raises FormatError that names them for any other."""
        found = self._found(name, default)
        if not isinstance(found, (str, bool, int, float)) or found not in choices:
            raise self.refusal(_CHOICE, name=name, got=_said(found), choices=", ".join(map(_said, choices)))
        return choices[found]

    def check(self, **wanted: object) -> None:
        """Raise FormatError for an entry that is there and other than the one that is supported."""
        for name, value in wanted.items():
            self.choice(name, {value: value}, value)

    def part(self, name: str) -> Config | None:
        """Entries below an entry; None where there are none."""
        found = self._entries.get(name)
        return Config(found, self._path) if isinstance(found, dict) and found else None

    def refusal(self, template: str, **values: object) -> FormatError:
        """The error of an entry, which names the file."""
        return FormatError(template, **values).at(self._path)

    def _found(self, name: str, default: object) -> Any:
        found = self._entries.get(name)
        if found is None and default is None:
            raise self.refusal(_NEEDED, name=name)
        return default if found is None else found


def _said(value: object) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else shown(str(value))
