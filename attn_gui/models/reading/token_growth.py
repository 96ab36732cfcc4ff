"""Limits of what a tokenizer makes of a text: found from its parts, before it makes anything."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, size_text

LONGEST = 1 << 22  # bytes that a text may become on the way, and tokens
LONGEST_TOKEN = 1 << 10  # letters
LONGEST_WORD = 1 << 11  # letters of a word that WordPiece looks through, for which it takes the cube of them in time
STEEPEST = 11  # times as many bytes: U+FDFA in NFKC and NFKD
GROWTH = {
    "Nmt": 1,
    "Strip": 1,
    "StripAccents": 1,
    "Lowercase": 2,
    "NFC": 3,
    "NFD": 3,
    "ByteLevel": 2,
    "BertNormalizer": 12,
}
"""How many times as many bytes a normalizer makes at most; of others `STEEPEST`."""
_GROWS = QT_TRANSLATE_NOOP(
    "Sentences", "{file} could make {got} out of this text while it cuts it into tokens; expected at most {expected}."
)
_WORD = QT_TRANSLATE_NOOP(
    "Sentences", "{file} would look through a word of {got} letters for its parts; expected at most {expected}."
)
_TOKEN = QT_TRANSLATE_NOOP("Sentences", "{file} has a token of {got} letters; expected at most {expected}.")


class TokenGrowth:
    """The parts of a tokenizer of the package `tokenizers` that can make a text longer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def check_tokens(self) -> None:
        """Raise FormatError for a token, or a part of each, that is too long: every place in a text may hold it."""
        model = self._tokenizer.model
        parts = [getattr(model, name, None) or "" for name in ("continuing_subword_prefix", "end_of_word_suffix")]
        longest = max(map(len, (*parts, *self._tokenizer.get_vocab())))
        if longest > LONGEST_TOKEN:
            raise FormatError(_TOKEN, got=longest, expected=LONGEST_TOKEN)

    def check(self, texts: Sequence[str]) -> None:
        """Raise FormatError where one of the texts could become too long."""
        repeated, added = self._laid_round
        for text in map(self._normalized, texts):
            self._weigh(len(text.encode()) * self._by_pieces * repeated + added)
            self._check_words(text)

    def _check_words(self, text: str) -> None:
        """Raise FormatError for a word that WordPiece would be busy with for minutes."""
        if getattr(self._tokenizer.model, "max_input_chars_per_word", 0) <= LONGEST_WORD:
            return  # longer ones are unknown to it at once
        cut = self._tokenizer.pre_tokenizer
        words = [text] if cut is None else [word for word, _ in cut.pre_tokenize_str(text)]
        if (longest := max(map(len, words), default=0)) > LONGEST_WORD:
            raise FormatError(_WORD, got=longest, expected=LONGEST_WORD)

    def _normalized(self, text: str) -> str:
        """A text after the normalizers, each of which is tried once it cannot make too much."""
        from tokenizers import normalizers

        for told in self._normalizers:
            self._weigh(_most(told, text))
            one = normalizers.Sequence([])
            one.__setstate__(json.dumps(told).encode())
            text = one.normalize_str(text)
        return text

    def _weigh(self, size: int) -> None:
        if size > LONGEST:
            raise FormatError(_GROWS, got=size_text(size), expected=size_text(LONGEST))

    @cached_property
    def _normalizers(self) -> list[Mapping[str, Any]]:
        return list(_parts(self._tokenizer.normalizer, "normalizers"))

    @cached_property
    def _by_pieces(self) -> int:
        """How many times as many bytes the pre-tokenizers make at most."""
        found = 1
        for told in _parts(self._tokenizer.pre_tokenizer, "pretokenizers"):
            if told["type"] == "ByteLevel":
                found *= 3  # a letter of two bytes for each byte, and a blank before each piece
            elif told["type"] == "Metaspace":
                found *= 2 * len(told["replacement"].encode())
        return found

    @cached_property
    def _laid_round(self) -> tuple[int, int]:
        """How often templates repeat a text at most, and the letters of the tokens that they lay round it."""
        repeated, added = 1, 0
        for told in _parts(self._tokenizer.post_processor, "processors"):
            for template in (told["single"], told["pair"]) if told["type"] == "TemplateProcessing" else ():
                texts = Counter(part["Sequence"]["id"] for part in template if "Sequence" in part)
                ids = Counter(part["SpecialToken"]["id"] for part in template if "SpecialToken" in part)
                repeated = max(repeated, *texts.values(), 1)
                for name, count in ids.items():
                    added += count * sum(len(token) + 1 for token in told["special_tokens"][name]["tokens"])
        return repeated, added


def _parts(part: Any, inner: str) -> Iterator[Mapping[str, Any]]:
    """A part of a tokenizer as its file tells it, those of sequences one by one."""
    if part is not None:
        yield from _flat(json.loads(part.__getstate__()), inner)


def _flat(told: Mapping[str, Any], inner: str) -> Iterator[Mapping[str, Any]]:
    if told["type"] != "Sequence":
        yield told
        return
    for one in told[inner]:
        yield from _flat(one, inner)


def _most(told: Mapping[str, Any], text: str) -> int:
    """The bytes that a normalizer makes of a text at most."""
    size, kind = len(text.encode()), told["type"]
    if kind == "Prepend":
        return size + len(told["prepend"].encode())
    if kind == "Replace":
        plain = told["pattern"].get("String")
        places = text.count(plain) if plain else len(text) + 1
        return size + places * len(told["content"].encode())
    if kind == "Precompiled":
        data = base64.b64decode(told["precompiled_charsmap"])
        texts = data[4 + int.from_bytes(data[:4], "little") :]  # behind the table that points to them
        return size * max(map(len, texts.split(b"\0")))
    return size * GROWTH.get(kind, STEEPEST)
