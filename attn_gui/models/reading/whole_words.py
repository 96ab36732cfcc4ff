"""Tokenizer of whole words between blanks, the one kind that needs no package: the toy model opens anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

UNDERSTOOD = {"version", "model", "pre_tokenizer", "post_processor", "decoder"}
"""Parts of a tokenizer.json that are read, or that say nothing of how a text is cut; all others must be empty."""

WORD = re.compile(r"[\S\x1c-\x1f]+")
"""Run of letters between blanks; U+001C to U+001F are blanks to Python, not to Unicode nor to the package."""


class Encoded(NamedTuple):
    """A text cut into tokens, as the package `tokenizers` gives it."""

    ids: list[int]
    type_ids: list[int]


class _Part(NamedTuple):
    """A part of a template: a special token, or the words of one of the texts."""

    token: str
    text: int
    type_id: int


Template = tuple[_Part, ...]
MOST_PARTS = 16  # of a template; the package's own limits hold for more
TEXTS = ("A", "B")  # of a pair, as templates name them
ALONE, PAIR = (_Part("", 0, 0),), (_Part("", 0, 0), _Part("", 1, 1))


class WholeWords:
    """Cuts at blanks and looks every word up; special tokens round a text, or a pair, as the file's templates say.

    Source: WordLevel, WhitespaceSplit and TemplateProcessing of https://github.com/huggingface/tokenizers.
    """

    def __init__(self, words: Mapping[str, int], unknown: str, templates: tuple[Template, Template]) -> None:
        self._ids, self._unknown, self._templates = dict(words), unknown, templates
        self._words = {number: word for word, number in words.items()}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> WholeWords | None:
        """The tokenizer that a tokenizer.json describes; None where that is of another kind."""
        try:
            model, cut, after = given["model"], given["pre_tokenizer"], given.get("post_processor")
            plain = not any(given[name] for name in given.keys() - UNDERSTOOD)
            if not plain or (model["type"], cut["type"]) != ("WordLevel", "WhitespaceSplit"):
                return None
            words = {str(word): int(number) for word, number in model["vocab"].items()}
            templates = (ALONE, PAIR) if after is None else _templates(after)
            if max(map(len, templates)) > MOST_PARTS:
                return None
            known = all(part.token in words for template in templates for part in template if part.token)
            return cls(words, model["unk_token"], templates) if known and model["unk_token"] in words else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def encode(self, *texts: str) -> Encoded:
        """The tokens of a text, or of a pair of them."""
        found = Encoded([], [])
        for part in self._templates[len(texts) - 1]:
            words = [part.token] if part.token else WORD.findall(texts[part.text])
            found.ids.extend(self._ids.get(word, self._ids[self._unknown]) for word in words)
            found.type_ids.extend([part.type_id] * len(words))
        return found

    def id_to_token(self, number: int) -> str | None:
        """The word of an id."""
        return self._words.get(number)

    def token_to_id(self, token: str) -> int | None:
        """The id of a word."""
        return self._ids.get(token)


def _templates(after: Mapping[str, Any]) -> tuple[Template, Template]:
    """The parts of a text, and of a pair. Raises ValueError for another kind."""
    if after["type"] != "TemplateProcessing":
        raise ValueError(after["type"])
    return tuple(map(_part, after["single"])), tuple(map(_part, after["pair"]))


def _part(given: Mapping[str, Any]) -> _Part:
    if special := given.get("SpecialToken"):
        return _Part(special["id"], 0, special["type_id"])
    text = given["Sequence"]
    return _Part("", TEXTS.index(text["id"]), text["type_id"])
