"""Words of pages and of what can be chosen on them, with the context in which translators find them."""

from __future__ import annotations

from collections.abc import Callable

Words = tuple[tuple[str, str], ...]
"""(context, English) of words that are joined by colons."""


def page_words(text: str) -> Words:
    """A text of the context "Pages" alone."""
    return (("Pages", text),)


def joined(words: Words, translate: Callable[[str, str], str]) -> str:
    """Words in a language; those without a context need no translation."""
    return ": ".join(translate(context, text) if context else text for context, text in words)
