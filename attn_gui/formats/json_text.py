"""JSON of foreign hands: capped, strict, finite. Imports nothing but the sentences."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from attn_gui.formats.sentences import QT_TRANSLATE_NOOP, FormatError, shown, size_text

Json: TypeAlias = Any  # what json.loads gives

TOO_LONG = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are {got} long; expected at most {expected}.")
_BAD = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are not valid JSON ({reason}).")


def parse_object(text: str, largest: int) -> dict[str, Json]:
    """A JSON object of at most `largest` characters.

    Refused: anything but an object, NaN and Infinity, numbers too large for a float, a name given twice, deep nesting.
    """
    if len(text) > largest:
        raise FormatError(TOO_LONG, got=size_text(len(text)), expected=size_text(largest))
    try:
        found = json.loads(text, parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except FormatError:
        raise
    except RecursionError as error:
        raise FormatError(_BAD, reason="nested too deeply") from error
    except ValueError as error:
        raise FormatError(_BAD, reason=shown(str(error), 120)) from error
    if not isinstance(found, dict):
        template = QT_TRANSLATE_NOOP("Sentences", "{file}: the options are a {got}; expected a JSON object.")
        raise FormatError(template, got=type(found).__name__)
    return found


def dump(content: Mapping[str, object]) -> str:
    """Sorted, compact, ASCII (so that any text survives, lone surrogates included): the same content, the same text."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _refuse(name: str) -> float:
    raise FormatError(_BAD, reason=name)


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(shown(text))


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise FormatError(_BAD, reason=f"“{shown(twice)}” is given twice")
    return found
