"""Settings kept between sessions, the recent files among them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from attn_gui.engine import Problem


MOST_RECENT = 10
REOPEN = "reopen_last"
"""Begin with the document opened or saved last, not with the start page."""
_RECENT_FILES = "recent", "files"  # the record, and its list
_SIZES = "recent_sizes"  # of those files, by path


class Settings:
    """Reads and writes what outlives a session: keys and values in one INI file, never indices or labels."""

    def __init__(self) -> None:
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "attn_gui", "attn_gui")

    def text(self, key: str, default: str) -> str:
        return str(self._store.value(key, default))

    def number(self, key: str, default: float) -> float:
        try:
            found = float(str(self._store.value(key, default)))
        except ValueError:
            return default
        return found if math.isfinite(found) else default

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Return one of several words; what another version may have written counts as nothing."""
        found = self.text(key, default)
        return found if found in choices else default

    def flag(self, key: str, default: bool) -> bool:
        return self.text(key, "true" if default else "false") == "true"

    def record(self, key: str) -> dict[str, Any]:
        """Return a small mapping, such as the last choice of a dialog; anything unreadable counts as nothing."""
        try:
            found = json.loads(self.text(key, "{}"))
        except json.JSONDecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    def put(self, key: str, value: str | float | bool | dict[str, Any]) -> None:
        if isinstance(value, bool):
            value = "true" if value else "false"
        self._store.setValue(key, json.dumps(value) if isinstance(value, dict) else value)

    def add(self, key: str, more: dict[str, Any]) -> None:
        """Add to a record, to which another window may have added a moment ago."""
        self._store.sync()
        self.put(key, self.record(key) | more)

    def entries(self, key: str, name: str) -> list[Any]:
        """Return the list that a record holds under a name; anything unreadable counts as empty."""
        found = self.record(key).get(name)
        return found if isinstance(found, list) else []

    def put_first(self, key: str, name: str, entry: object, most: int, alike: Callable[[Any], bool]) -> None:
        """Put an entry before all others of such a list, in the place of one that is alike."""
        self._store.sync()
        others = [other for other in self.entries(key, name) if not alike(other)]
        self.put(key, {name: [entry, *others][:most]})

    def geometry(self, key: str) -> QByteArray | None:
        found = self._store.value(key)
        return found if isinstance(found, QByteArray) else None

    def put_geometry(self, key: str, value: QByteArray) -> None:
        self._store.setValue(key, value)

    def forget(self, group: str) -> None:
        self._store.remove(group)

    def recent(self) -> list[Path]:
        """Return the files opened or saved last, in any window, newest first, missing ones included."""
        self._store.sync()
        return [Path(name) for name in self.entries(*_RECENT_FILES) if isinstance(name, str)]

    def first(self) -> Path | None:
        """Return the document that a start without a file begins with, where that is wanted; it may be gone."""
        found = self.recent()[:1] if self.flag(REOPEN, False) else []
        return found[0] if found else None

    def add_recent(self, path: Path, problem: Problem | None = None) -> None:
        """Put a file first, with the sizes of the problem that it holds where that is known."""
        self.put_first(*_RECENT_FILES, str(path), MOST_RECENT, str(path).__eq__)
        known = self.record(_SIZES)
        if problem is not None:
            width = problem.num_heads * problem.d_k if problem.compares else problem.m
            known[str(path)] = [problem.n, width, problem.num_heads]
        self.put(_SIZES, {name: known[name] for name in map(str, self.recent()) if name in known})

    def sizes_of(self, path: Path) -> tuple[int, ...]:
        """Return rows and columns of the Q of a recent file, or of weights alone, and how many heads.

        Empty if unknown.
        """
        found = self.record(_SIZES).get(str(path))
        if not isinstance(found, list) or len(found) != 3 or any(type(size) is not int for size in found):
            return ()
        return tuple(found)

    def keep_recent(self, paths: Iterable[Path]) -> None:
        """Let the list be these files alone."""
        key, name = _RECENT_FILES
        self.put(key, {name: [str(path) for path in paths]})
