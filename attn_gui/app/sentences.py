"""Errors and notes of the packages without Qt, said in the language of the window."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.sentences import spoken


def sentence(said: object) -> str:
    """The translated sentence of an error or note that carries its template and values, else its own words."""
    template, values = getattr(said, "template", None), getattr(said, "values", None)
    if not isinstance(template, str) or not isinstance(values, Mapping):
        return str(said)
    words = {name: sentence(value) if hasattr(value, "template") else spoken(value) for name, value in values.items()}
    return QCoreApplication.translate("Sentences", template).format(**words)


def saying(said: object) -> Callable[[], str]:
    """The sentence as something that can be asked again after the language was switched."""
    return lambda: sentence(said)
