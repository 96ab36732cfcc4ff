"""Languages, the one of the locale (LC_ALL, LC_MESSAGES, LANG), and `N_`, which marks a text for translation. Imports
nothing but the standard library."""

from __future__ import annotations

import os
from collections.abc import Callable

LANGUAGES = ("en", "zh")


def N_(first: str, text: str | None = None) -> str:  # as gettext calls what is marked here and translated elsewhere
    """Mark a text for translation, and return it: a sentence, or a text of another context, N_("Masks", "causal").

    In place of Qt's QT_TRANSLATE_NOOP, which engine, formats and command line cannot import, and whose every sentence
    would name its context.
    """
    return first if text is None else text


def locale_language() -> str:
    """Return the language of the locale for messages: that of the first of LC_ALL, LC_MESSAGES and LANG that is set."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    return "zh" if locale.lower().startswith("zh") else "en"


Words = tuple[tuple[str, str], ...]
"""(context, English) of words that are joined by colons."""


def page_words(text: str) -> Words:
    """Return a text of the context "Pages" alone."""
    return (("Pages", text),)


def joined(words: Words, translate: Callable[[str, str], str]) -> str:
    """Return words in a language; those without a context need no translation."""
    return ": ".join(translate(context, text) if context else text for context, text in words)
