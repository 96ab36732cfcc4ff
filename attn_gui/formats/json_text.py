"""JSON of foreign hands: capped, strict, finite. Imports nothing but the sentences."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, TypeAlias

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown, size_text

Json: TypeAlias = Any  # what json.loads gives

TOO_LONG = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are {got} long; expected at most {expected}.")
NOT_MAPPING = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are not names with values in braces.")
_BAD = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are not valid JSON from character {place} on.")
_WILD = QT_TRANSLATE_NOOP("Sentences", "{file}: the options hold {got}, which is not a JSON number.")
_DEEP = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are nested too deeply.")
_MANY = QT_TRANSLATE_NOOP("Sentences", "{file}: the options have {got} lists and records; expected at most {expected}.")
_LONG_NUMBER = QT_TRANSLATE_NOOP("Sentences", "{file}: the options hold a number that is too long.")
_TWICE = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” is given twice in the options.")
_STRINGS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
"""Strings, the last of which may have no end: else each of its quotes would be tried for the beginning of another."""
MOST_PARTS = 20_000  # lists and records: each takes a hundred times the memory of its text


def parse_object(text: str, largest: int) -> dict[str, Json]:
    """A JSON object of at most `largest` characters.

    Refused: anything but an object, NaN and Infinity, numbers too large for a float, a name given twice, deep nesting,
    thousands of lists.
    """
    if len(text) > largest:
        raise FormatError(TOO_LONG, got=size_text(len(text)), expected=size_text(largest))
    _check_parts(text)
    try:
        found = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=unique)
    except FormatError:
        raise
    except RecursionError as error:
        raise FormatError(_DEEP) from error
    except json.JSONDecodeError as error:
        raise FormatError(_BAD, place=error.pos) from error
    except ValueError as error:  # Python reads no number of thousands of digits
        raise FormatError(_LONG_NUMBER) from error
    if not isinstance(found, dict):
        raise FormatError(NOT_MAPPING)
    return found


def _check_parts(text: str) -> None:
    if text.count("[") + text.count("{") <= MOST_PARTS:
        return
    outside = _STRINGS.sub("", text)
    parts = outside.count("[") + outside.count("{")
    if parts > MOST_PARTS:
        raise FormatError(_MANY, got=parts, expected=MOST_PARTS)


def dump(content: Mapping[str, object]) -> str:
    """Sorted, compact, ASCII (so that any text survives, lone surrogates included): the same content, the same text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _refuse(name: str) -> float:
    raise FormatError(_WILD, got=name)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(shown(text))


def unique(pairs: list[tuple[str, Json]], twice: str = _TWICE) -> dict[str, Json]:
    """The names with their values. Raises FormatError, with the sentence `twice`, for a name that is given twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        raise FormatError(twice, name=shown(next(name for name, count in counted.items() if count > 1)))
    return found
