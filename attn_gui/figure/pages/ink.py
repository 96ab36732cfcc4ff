"""Colors and language in which a page is painted: a figure's language is its own, not the window's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QTranslator
from PySide6.QtGui import QFontMetricsF

from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.text.words import WORDS, Words
from attn_gui.figure.tokens import FONT_SIZE, THEMES, Theme
from attn_gui.paths import resource


@dataclass(frozen=True)
class Ink:
    """A theme and a language, both by their names; `layer` is the one of a model that a page looks at."""

    theme_name: str = "light"
    lang: str = "en"
    layer: int | None = None

    def titled(self, title: str) -> str:
        """A title with the layer of a model before it."""
        return title if self.layer is None else f"{self.words.layer.format(self.layer)} · {title}"

    @property
    def theme(self) -> Theme:
        """The colors."""
        return THEMES[self.theme_name]

    @property
    def words(self) -> Words:
        """The words that stand in maps, too."""
        return WORDS[self.lang]

    def translate(self, context: str, text: str) -> str:
        """A text of the program in this language; one that has no translation stays as it is."""
        return _translator(self.lang).translate(context, text) or text


def metrics(size: str, *, strong: bool = False) -> QFontMetricsF:
    """The measures of the figures' font in a size of the tokens ("micro" … "sentence")."""
    return QFontMetricsF(figure_font(getattr(FONT_SIZE, size), strong=strong))


@cache
def _translator(lang: str) -> QTranslator:
    """The translations of a language, which need not be that of the window."""
    found = QTranslator()
    found.load(str(resource("translations", f"attn_gui_{lang}.qm")))
    return found
