"""Tokenizer of whole words between blanks, the one kind that needs no package: the toy model opens anywhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

UNDERSTOOD = {"version", "model", "pre_tokenizer", "post_processor", "decoder"}
"""Parts of a tokenizer.json that are read, or that say nothing of how a text is cut; all others must be empty."""


class Encoded(NamedTuple):
    """A text cut into tokens, as the package `tokenizers` gives it."""

    ids: list[int]
    type_ids: list[int]


class WholeWords:
    """Cuts at blanks and looks every word up; special tokens before the text as the file's template says.

    Source: WordLevel, WhitespaceSplit and TemplateProcessing of https://github.com/huggingface/tokenizers.
    """

    def __init__(self, words: Mapping[str, int], unknown: str, template: tuple[str, ...]) -> None:
        self._ids, self._unknown, self._template = dict(words), unknown, template
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
            template = ("",) if after is None else _template(after)
            known = all(part in words for part in template if part)
            return cls(words, model["unk_token"], template) if known and model["unk_token"] in words else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def encode(self, text: str) -> Encoded:
        """The ids of a text."""
        found: list[int] = []
        for part in self._template:
            words = [part] if part else text.split()
            found += [self._ids.get(word, self._ids[self._unknown]) for word in words]
        return Encoded(found, [0] * len(found))

    def id_to_token(self, number: int) -> str | None:
        """The word of an id."""
        return self._words.get(number)

    def token_to_id(self, token: str) -> int | None:
        """The id of a word."""
        return self._ids.get(token)


def _template(after: Mapping[str, Any]) -> tuple[str, ...]:
    """The special tokens round a text, "" where the text stands. Raises ValueError for another kind."""
    if after["type"] != "TemplateProcessing":
        raise ValueError(after["type"])
    return tuple(part["SpecialToken"]["id"] if "SpecialToken" in part else "" for part in after["single"])
