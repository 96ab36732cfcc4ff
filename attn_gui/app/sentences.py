"""Errors and notes of the packages without Qt, said in the language of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.sentences import spoken
from attn_gui.engine.symbols import symbol
from attn_gui.views.names import TITLES

NAMED = ("matrix", "other", "field", "stage", "by", "why")  # places where the engine names a matrix or a stage


def sentence(said: object) -> str:
    """The translated sentence of an error or note that carries its template and values, else its own words."""
    template, values = getattr(said, "template", None), getattr(said, "values", None)
    if not isinstance(template, str) or not isinstance(values, Mapping):
        return str(said)
    words = {place: _word(place, value) for place, value in values.items()}
    return QCoreApplication.translate("Sentences", template).format(**words)


def _word(place: str, value: object) -> str:
    """What fills a place: matrices by the letters that the window shows, lists with the commas of the language."""
    if hasattr(value, "template"):
        return sentence(value)
    if place in NAMED and isinstance(value, str) and value in TITLES:
        return symbol(value)
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        return QCoreApplication.translate("Sentences", ", ").join(value)
    return spoken(value)


def saying(said: object) -> Callable[[], str]:
    """The sentence as something that can be asked again after the language was switched."""
    return lambda: sentence(said)
