"""A sentence cut into tokens (words, signs, Chinese characters) and joined again; which token is an old one."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, pairwise

_JOINER = "\u200d"
_APOSTROPHES = set("'’")
_POINTS = set(".,")
MOST_EXACT = 2_000
"""Tokens between those that two texts have alike at both ends; in more of them frequent ones are passed over, as the
time grows with the square."""

# scripts that are written without blanks and read sign by sign
_SINGLE = (
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x312F),
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFD),
)


def split_tokens(sentence: str, known: Collection[str] = ()) -> tuple[str, ...]:
    """Return words, numbers and signs of `sentence`, in order; every Chinese character is a token of its own.

    Where blanks stand between Chinese characters they cut instead: "我 喜欢 苹果" has three tokens.
    An apostrophe between letters and a point between digits stay inside ("don't", "3.14"); what belongs to one
    visible sign (accents, emoji sequences, flags) is never torn apart. `known` tokens ("[CLS]", " the") are found again
    where they stand between blanks, whether or not they bring some of their own.
    """
    spaced = _is_spaced(sentence)
    if not known:
        return _cut(sentence, spaced)
    whole = {token.strip(): token for token in known}
    pieces = ((whole[piece],) if piece in whole else _cut(piece, spaced) for piece in sentence.split())
    return tuple(chain.from_iterable(pieces))


def _is_spaced(sentence: str) -> bool:
    """Return whether the Chinese words are cut with blanks already."""
    kinds = [_kind(sign) for sign in _signs(" ".join(sentence.split()))]
    return any(kinds[place - 1 : place + 2] == ["single", "blank", "single"] for place in range(1, len(kinds) - 1))


def _cut(sentence: str, spaced: bool) -> tuple[str, ...]:
    tokens: list[str] = []
    before = ""  # the kind of what the last sign may be joined with
    signs = list(_signs(sentence))
    kinds = [_kind(sign) for sign in signs]
    for place, (sign, kind) in enumerate(zip(signs, kinds, strict=True)):
        joins = "word" if kind == "word" or _is_inside(signs, kinds, place) else "single" if spaced else ""
        joins = joins if kind in ("word", "single") or joins == "word" else ""
        if joins and joins == before:
            tokens[-1] += sign
        elif kind != "blank":
            tokens.append(sign)
        before = joins
    return tuple(tokens)


def _signs(text: str) -> Iterator[str]:
    """Yield the visible signs of `text`: a letter with the marks on it, an emoji sequence, a flag."""
    start, flags = 0, 0
    for end, (before, letter) in enumerate(pairwise(text), start=1):
        flags = flags + 1 if _is_flag(before) else 0
        if _extends(letter) or (before == _JOINER and _kind(letter) == "sign"):
            continue
        if flags % 2 and _is_flag(letter):
            continue
        yield text[start:end]
        start = end
    if text:
        yield text[start:]


def _extends(letter: str) -> bool:
    emoji_part = "\U0001f3fb" <= letter <= "\U0001f3ff" or "\U000e0020" <= letter <= "\U000e007f"
    return emoji_part or letter in "\u200c\u200d" or unicodedata.category(letter).startswith("M")


def _is_flag(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def _kind(sign: str) -> str:
    """Return blank, word (joins with its neighbors), single (a Chinese character) or sign (punctuation, emoji)."""
    letter = sign[0]
    category = unicodedata.category(letter)
    if letter.isspace() or category[0] == "Z" or category in ("Cc", "Cf"):
        return "blank"
    if any(low <= ord(letter) <= high for low, high in _SINGLE):
        return "single"
    return "word" if category[0] in "LNM" or letter == "_" else "sign"


def _is_inside(signs: list[str], kinds: list[str], place: int) -> bool:
    """Return whether an apostrophe or a point has letters, or digits, on both sides."""
    if not 0 < place < len(signs) - 1 or kinds[place - 1] != "word" or kinds[place + 1] != "word":
        return False
    before, after = signs[place - 1][0], signs[place + 1][0]
    if signs[place] in _APOSTROPHES:
        return before.isalpha() and after.isalpha()
    return signs[place] in _POINTS and before.isdecimal() and after.isdecimal()


def row_names(tokens: Sequence[str], n: int, m: int, self_attention: bool) -> dict[str, tuple[str, ...]]:
    """Return the fields that name n queries, and m keys where they are as many: by tokens, then by numbers."""
    if not tokens:
        return {}
    names = tuple(tokens[:n]) + tuple(str(row) for row in range(len(tokens), n))
    return {"query_tokens": names} | ({"key_tokens": names} if m == n and not self_attention else {})


def places_before(tokens: Sequence[str], before: Sequence[str | None]) -> list[int]:
    """Return the place that each token had among those before, −1 where it is new.

    Of a stretch that reads otherwise the first tokens take over the places; one that was split keeps its own first.
    """
    from difflib import SequenceMatcher  # which no start needs

    shared = min(len(before), len(tokens))
    start = next((k for k in range(shared) if before[k] != tokens[k]), shared)
    shared -= start
    alike = next((k for k in range(shared) if before[-1 - k] != tokens[-1 - k]), shared)  # at the end
    end = len(before) - alike
    one, other = before[start:end], tokens[start : len(tokens) - alike]
    between = SequenceMatcher(None, one, other, autojunk=max(len(one), len(other)) > MOST_EXACT)
    places = [*range(start)]
    for _how, low, high, first, last in between.get_opcodes():
        kept = range(start + low, start + min(high, low + last - first))
        places += [*kept, *[-1] * (last - first - len(kept))]
    return [*places, *range(end, len(before))]
