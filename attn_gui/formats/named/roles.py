"""Parts of a problem that an array of another name may be, guessed from the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from attn_gui.engine.fields import DIRECT, MATRICES, WEIGHTS
from attn_gui.formats.base import Listed
from attn_gui.formats.named.fused import FUSED, parts_of

MASK = "mask"
ROLES = (*MATRICES, *FUSED, MASK)
_MAKING = (name for name in (*MATRICES, *FUSED) if name.startswith(("w_", "b_")) and "output" not in name)
PROJECTED = ("x", "context", *_MAKING)
AT_ONCE = tuple(role for role in ROLES if role in DIRECT or FUSED.get(role) == DIRECT)
_PARTS = {
    "query": ("q", "query", "queries", "qs"),
    "key": ("k", "key", "keys", "ks"),
    "value": ("v", "value", "values", "val", "vals", "vs"),
    "output": ("o", "out", "output"),
}
_PART_OF = {word: part for part, words in _PARTS.items() for word in words}
_PART_OF |= {f"{kind}{word}": part for part, words in _PARTS.items() for word in words[:1] for kind in "wb"}
_WEIGHT = frozenset(("weight", "kernel", "w", "matrix", "wq", "wk", "wv", "wo"))
_BIAS = frozenset(("bias", "b", "bq", "bk", "bv", "bo"))
_PROJECTION = frozenset(("proj", "projection", "dense", "linear"))
_MASK = frozenset(("mask", "allowed"))
_SECOND = frozenset(("context", "memory", "encoder", "ctx", "source"))
_INPUT = frozenset(("x", "hidden", "input", "inputs", "embedding", "embeddings", "embeds", "emb"))
_ELSEWHERE = frozenset(
    ("mlp", "ffn", "feed", "norm", "layernorm", "rmsnorm", "ln", "lm", "fc", "intermediate", "pooler")
)
_FUSED = frozenset(("qkv", "wqkv", "bqkv"))
_TOGETHER = (" c attn ", " in proj ")  # in names of three in one: GPT-2's and PyTorch's
_MAPS = frozenset(("pattern", "attentions", "weights", "scores", "probs", "logits", "softmax"))
_TOKEN_IDS = frozenset(("input_ids", "tokens", "token_ids", "ids"))
_ATTENTION = frozenset(("attn", "attention", "mha", "self"))


class Guess(NamedTuple):
    """The part that a name means, and what it has in common with names of other parts of the same layer."""

    role: str
    numbers: tuple[str, ...]
    others: tuple[str, ...]


@lru_cache(2**14)  # a file of a whole model has thousands, and each is asked about with every choice in the dialog
def guess(name: str) -> Guess | None:
    """The part of a problem that may be meant by a name; None where it says nothing."""
    words = _words(name)
    role = _role(words)
    if role is None:
        return None
    known = {*_PART_OF, *_WEIGHT, *_BIAS, *_PROJECTION, *_MASK, *_INPUT, *_FUSED, "c", "in", "states", "heads"}
    others = tuple(word for word in words if word not in known)
    return Guess(role, tuple(re.findall(r"\d+", name)), others)


@lru_cache(2**14)
def is_map(name: str) -> bool:
    """Whether an array of this name has a cell for every query and key: weights or scores of attention."""
    words = _words(name)
    return bool(_MAPS & set(words)) and not _MASK & set(words) and "weight" not in words


def is_token_ids(name: str) -> bool:
    """Whether an array of this name has a number for every token."""
    return name.rpartition(".")[2] in _TOKEN_IDS


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Za-z]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name))]


def _role(words: Sequence[str]) -> str | None:
    said = set(words)
    part = next((_PART_OF[word] for word in reversed(words) if word in _PART_OF), None)
    if "norm" in said and f"{part}_norm" in ROLES:
        return f"{part}_norm"
    if said & _ELSEWHERE:
        return None
    weight, bias = bool(said & (_WEIGHT | {"wqkv"})), bool(said & (_BIAS | {"bqkv"}))
    if _is_fused(words):
        return next(role for role in FUSED if role.startswith("b_" if bias else "w_" if weight else DIRECT[0]))
    if said & _MASK or ("bias" in said and said & _ATTENTION and not said & (set(_PART_OF) | _PROJECTION | {"c"})):
        return MASK
    if "c" in said and "proj" in said:  # as GPT-2 calls it
        part = "output"
    if part == "output":
        if "dense" in said and not said & _ATTENTION:
            return None
        return "b_output" if bias else "w_output" if weight or said & _PROJECTION else None
    if part is not None:
        return f"b_{part}" if bias else f"w_{part}" if weight else part
    if weight or bias:
        return None
    return "context" if said & _SECOND else "x" if said & _INPUT else None


def _is_fused(words: Sequence[str]) -> bool:
    """Whether a name is that of query, key and value in one array."""
    said = set(words)
    return bool(said & _FUSED) or set(DIRECT) <= said or any(pair in f" {' '.join(words)} " for pair in _TOGETHER)


def suggested(arrays: Iterable[Listed]) -> dict[str, str]:
    """The names that are likely for the parts of one problem: those of one layer before those of several."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, str]] = {}
    for array in arrays:
        found = guess(array.name)
        if found is not None and array.shape:
            groups.setdefault((found.numbers, found.others), {}).setdefault(found.role, array.name)
    if not groups:
        return {}
    best = max(groups, key=lambda group: (_worth(groups[group]), len(groups[group])))
    ordered = sorted(groups, key=lambda group: (group != best, group[0] != best[0]))
    found_names: dict[str, str] = {}
    for group in ordered:
        found_names = groups[group] | found_names
    for fused, parts in FUSED.items():
        if fused in found_names and (apart := found_names.keys() & set(parts)):
            for role in [fused] if len(apart) == len(parts) else apart:
                del found_names[role]
    return one_way(found_names, projected=_worth(found_names) and not set(DIRECT) <= parts_of(found_names))


def one_way(names: Mapping[str, str], *, projected: bool) -> dict[str, str]:
    """The parts that make one problem together: Q, K, V, or X with its weights; W_O and a mask with both."""
    away = AT_ONCE if projected else PROJECTED
    return {role: names[role] for role in ROLES if role in names and role not in away}


def _worth(names: Mapping[str, str]) -> bool:
    parts = parts_of(names)
    return set(DIRECT) <= parts or set(WEIGHTS) <= parts
