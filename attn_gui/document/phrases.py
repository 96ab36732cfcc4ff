"""Sentences that can be said again after the language was switched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QCoreApplication

from attn_gui.formats.file_sentences import quoted

__all__ = ["Label", "Refusal", "quoted"]


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
        return QCoreApplication.translate(self.context, str(self.source)).format(**self.args)


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
        return QCoreApplication.translate("Sentences", self.template).format(**self.values)
