"""Sentences that can be said again after the language was switched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from attn_gui.formats.file_sentences import quoted

__all__ = ["Label", "Refusal", "filled", "quoted"]

_HAN = re.compile("[\u4e00-\u9fff]")
_BEGIN, _END = "\ue000", "\ue001"  # of what is filled in; no text has these
_MEETING = re.compile(f"(?<=[\u4e00-\u9fff]){_BEGIN}(?=[A-Za-z0-9])|(?<=[A-Za-z0-9]){_END}(?=[\u4e00-\u9fff])")


class _Filling:
    """A value between two marks, formatted as it would be alone."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        return f"{_BEGIN}{format(self._value, spec)}{_END}"


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with its {places} filled in; a blank parts Latin letters that come to stand beside Chinese ones."""
    if not _HAN.search(template):
        return template.format(**values)
    said = template.format(**{name: _Filling(value) for name, value in values.items()})
    return _MEETING.sub(" ", said).replace(_BEGIN, "").replace(_END, "")


@dataclass(frozen=True)
class Label:
    """The name of an edit in the history: `str(label)` is in the language of the moment.

    `source` is the English text, marked with `QT_TRANSLATE_NOOP("History", "…")`; `args` fill its {places} and may be
    labels themselves.
    """

    source: object  # a text; Qt's stubs say that QT_TRANSLATE_NOOP gives an object
    args: Mapping[str, object] = field(default_factory=dict)
    context: str = "History"

    def __str__(self) -> str:
        return filled(QCoreApplication.translate(self.context, str(self.source)), self.args)


class Refusal(ValueError):
    """Input that is not taken, with one sentence that says why.

    `str(error)` is the English sentence, `error.sentence()` the same in the language of the moment. `template` is the
    English text, marked with `QT_TRANSLATE_NOOP("Sentences", "…")`, and `values` what fills its {places}.
    """

    def __init__(self, template: object, **values: object) -> None:
        self.template = str(template)
        super().__init__(self.template.format(**values))
        self.values = values

    def sentence(self) -> str:
        return filled(QCoreApplication.translate("Sentences", self.template), self.values)
