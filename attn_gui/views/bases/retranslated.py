"""Words that follow the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent

from attn_gui.views.bases.mixin import WidgetMixin


class Retranslated(WidgetMixin):
    """A widget that says its words again when the language is switched."""

    def retranslate(self) -> None:
        """All words in the present language."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)
