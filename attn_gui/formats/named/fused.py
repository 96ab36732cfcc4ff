"""Arrays that hold queries, keys and values in one: which parts each is, and the ways in which it lies. Imports NumPy.

The axis that they share is as long as (h + 2·h_kv) heads. A split is one order of part, head and column along it; a way
that another publisher has is one more entry of SPLITS.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attn_gui.engine.fields import DIRECT, WEIGHTS
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, shown
from attn_gui.formats.foreign_arrays import Array

Columns = tuple[Array, Array, Array]  # places along the shared axis, of Q, K and V
BIASES = ("b_query", "b_key", "b_value")
FUSED: Mapping[str, tuple[str, ...]] = {
    "query_key_value": DIRECT,
    "w_query_key_value": WEIGHTS,
    "b_query_key_value": BIASES,
}
"""Part of a problem that is three in one → these, in the order query, key, value."""

MOST_RUNS = 2
"""Runs of places that are written out."""

_NO_PARTS = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file}: “{name}” cannot be split into query, key and value: {got} columns are not {heads} heads of queries and "
    "{kv_heads} of keys and of values.",
)
_TWICE = QT_TRANSLATE_NOOP("Sentences", "{file}: “{name}” holds {parts} already; choose either.")
_TWO_SPLITS = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: query, key and value can lie in “{name}” in two ways; choose the split: {expected}."
)
_TWO_COUNTS = QT_TRANSLATE_NOOP(
    "Sentences",
    "{file}: “{name}” fits {heads} heads with as many K/V heads, and with {kv_heads}; say how many there are.",
)


class Count(NamedTuple):
    """Numbers of heads of queries, and of keys and values; None: as many."""

    heads: int
    kv_heads: int | None

    def shared(self, length: int) -> tuple[int, int, int]:
        """(h, h_kv, d) of an axis of this length; d is 0 where there is none."""
        kv_heads = self.kv_heads or self.heads
        width, rest = divmod(length, self.heads + 2 * kv_heads)
        return self.heads, kv_heads, 0 if rest or self.heads % kv_heads else width


class Split(NamedTuple):
    """One order along the shared axis: its words, its places, and names that are known to hold it."""

    key: str
    places: Callable[[int, int, int], Columns]
    names: re.Pattern[str]

    def columns(self, name: str, length: int, count: Count) -> Columns:
        """The places of Q, K and V along an axis of this length. Raises FormatError where they do not fit."""
        heads, kv_heads, width = count.shared(length)
        if not width:
            raise FormatError(_NO_PARTS, name=shown(name), got=length, heads=heads, kv_heads=kv_heads)
        return self.places(heads, kv_heads, width)


def _part_by_part(heads: int, kv_heads: int, width: int) -> Columns:
    query, key, value = np.split(np.arange((heads + 2 * kv_heads) * width), [heads * width, (heads + kv_heads) * width])
    return query, key, value


def _head_by_head(heads: int, kv_heads: int, width: int) -> Columns:
    """Heads of keys, each behind the queries that read it."""
    shared = heads // kv_heads
    places = np.arange((heads + 2 * kv_heads) * width).reshape(kv_heads, shared + 2, width)
    return places[:, :shared].ravel(), places[:, shared].ravel(), places[:, shared + 1].ravel()


PART_BY_PART = Split("part,head,column", _part_by_part, re.compile(r"(^|[._])(c_attn|in_proj|qkv_proj|Wqkv)([._]|$)"))
HEAD_BY_HEAD = Split("head,part,column", _head_by_head, re.compile(r"(^|[._])query_key_value([._]|$)"))
SPLITS = {split.key: split for split in (PART_BY_PART, HEAD_BY_HEAD)}


def known_split(name: str) -> Split | None:
    """The split in which the publishers of models have an array of this name; None where none is known."""
    return next((split for split in SPLITS.values() if split.names.search(name)), None)


def known_of(names: Iterable[str]) -> Split | None:
    """The split that arrays of all these names are known to have; None where none is, or not for all of them."""
    known = {known_split(name) for name in names}
    return known.pop() if len(known) == 1 else None


def split_of(names: Sequence[str], said: Split | None, count: Count) -> Split:
    """The split of arrays of these names: what is said, else what is known of them. Raises FormatError for two."""
    found = said or known_of(names) or (PART_BY_PART if count.heads == 1 else None)  # one head lies in one way
    if found is None:
        raise FormatError(_TWO_SPLITS, name=shown(names[0]), expected=tuple(SPLITS))
    return found


def runs_text(places: Array) -> str:
    """Places as runs, of many the first ones: "0–63, 192–255, …"."""
    runs = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1)
    said = [f"{run[0]}–{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs[:MOST_RUNS]]
    return ", ".join([*said, "…"] if len(runs) > MOST_RUNS else said)


def check_count(name: str, length: int, d_in: int, count: Count) -> None:
    """Raise FormatError where a weight fits another number of K/V heads too, and none is given."""
    if count.kv_heads is not None or length == 3 * d_in:
        return
    for kv_heads in range(1, count.heads):
        heads, _, width = Count(count.heads, kv_heads).shared(length)
        if width and heads * width == d_in and count.shared(length)[2]:
            raise FormatError(_TWO_COUNTS, name=shown(name), heads=heads, kv_heads=kv_heads)


def check_once(roles: Mapping[str, str]) -> None:
    """Raise FormatError where a part is chosen apart and in an array of three."""
    for fused, parts in FUSED.items():
        if fused in roles and any(part in roles for part in parts):
            raise FormatError(_TWICE, name=shown(roles[fused]), parts=parts)


def parts_of(roles: Iterable[str]) -> set[str]:
    """The parts that are there, those of an array of three apart."""
    return {part for role in roles for part in FUSED.get(role, (role,))}
