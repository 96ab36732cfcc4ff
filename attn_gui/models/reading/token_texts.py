"""Texts of tokens as a reader expects them, from the letters by which a tokenizer stands for bytes and blanks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SHOWN = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""Signs for what cannot be seen in a text; one that a text has itself is spelled by its number."""
CONTINUED = "…"  # before a token that goes on with a word, where nothing stands before one that begins it
BLANK = "▁"  # of SentencePiece, where no file says another one
_SIGNS = str.maketrans(SHOWN | {sign: f"‹U+{ord(sign):04X}›" for sign in SHOWN.values()})
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def _byte_letters() -> Mapping[str, int]:
    """The letter that stands for each byte. Source: bytes_to_unicode of https://github.com/openai/gpt-2."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_LETTERS = _byte_letters()


@dataclass(frozen=True)
class TokenTexts:
    """Letters by which a tokenizer stands for bytes and blanks, and what it writes before the rest of a word."""

    by_bytes: bool = False  # each letter is a byte
    by_fallback: bool = False  # <0xE2> is a byte that is no token otherwise
    blank: str = ""
    rest: str = ""  # before the rest of a word, ## of WordPiece
    added: Collection[str] = frozenset()  # tokens that are as they are

    @classmethod
    def of(cls, tokenizer: Any) -> TokenTexts:
        """Read them off a tokenizer of the package `tokenizers`; tokens of another one are as they are."""
        kinds = {
            str(part.get("type")): part for side in ("pre_tokenizer", "decoder") for part in _parts(tokenizer, side)
        }
        spaced = kinds.get("Metaspace", {}).get("replacement", "")
        if not spaced and _replaces(kinds.get("Replace", {}), BLANK):
            spaced = BLANK
        added: Mapping[int, Any] = getattr(tokenizer, "get_added_tokens_decoder", dict)()
        return cls(
            by_bytes="ByteLevel" in kinds,
            by_fallback="ByteFallback" in kinds,
            blank=str(spaced),
            rest=str(getattr(getattr(tokenizer, "model", None), "continuing_subword_prefix", None) or ""),
            added=frozenset(str(one.content) for one in added.values()),
        )

    def text(self, token: str) -> str:
        """The text of a token: a blank as ␣, what is no whole character as its bytes, ‹E2 80›."""
        if token in self.added:
            return _seen(token)
        if self.by_bytes and all(letter in _LETTERS for letter in token):
            return _decoded(bytes(_LETTERS[letter] for letter in token))
        if self.by_fallback and (byte := _BYTE.fullmatch(token)):
            return _decoded(bytes.fromhex(byte[1]))
        if self.rest and token.startswith(self.rest) and token != self.rest:
            return CONTINUED + _seen(token.removeprefix(self.rest))
        return _seen(token.replace(self.blank, " ") if self.blank else token)


def _seen(text: str) -> str:
    return text.translate(_SIGNS)


def _decoded(data: bytes) -> str:
    """UTF-8 as far as it has whole characters."""
    found, torn = "", b""
    while data:
        try:
            whole, wrong, data = data.decode(), b"", b""
        except UnicodeDecodeError as error:
            whole, wrong, data = data[: error.start].decode(), data[error.start : error.end], data[error.end :]
        found += (_bytes(torn) if whole else "") + _seen(whole)
        torn = wrong if whole else torn + wrong
    return found + _bytes(torn)


def _bytes(data: bytes) -> str:
    return f"‹{data.hex(' ').upper()}›" if data else ""


def _parts(tokenizer: Any, side: str) -> Iterator[Mapping[str, Any]]:
    """The pre-tokenizers or decoders of a tokenizer, those of a sequence one by one."""
    part = getattr(tokenizer, side, None)
    if part is None:
        return
    told = json.loads(part.__getstate__())  # what the package itself keeps of it
    yield from told.get("pretokenizers", told.get("decoders", [told]))


def _replaces(told: Mapping[str, Any], blank: str) -> bool:
    """Whether a decoder puts a blank in the place of this letter."""
    pattern = told.get("pattern")
    return isinstance(pattern, Mapping) and pattern.get("String") == blank and told.get("content") == " "
