"""Vectors of everyday words, for lessons and the sentence typed on the start page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from attn_gui.engine.arrays import Array
from attn_gui.engine.problem import Problem
from attn_gui.paths import resource

MOST_WORDS = 64


@cache
def word_vectors() -> Mapping[str, Array]:
    """Return {word: 384 float32 numbers} from the embedding table of sentence-transformers/all-MiniLM-L6-v2.

    The model reads English alone; its table has no Chinese words.
    """
    with np.load(resource("words", "minilm-words.npz"), allow_pickle=False) as file:
        return MappingProxyType(dict(zip(file["words"].tolist(), file["vectors"], strict=True)))


def are_known(words: Sequence[str]) -> bool:
    """Return whether the table has all words, in any case; False for none of them, or too many."""
    return 1 <= len(words) <= MOST_WORDS and word_vectors().keys() >= {word.lower() for word in words}


def problem_of(words: Sequence[str], temperature: float | None = None) -> Problem:
    """Return a problem whose queries, keys and values are vectors of words, compared by their cosines.

    Raises ValueError for no word, more than `MOST_WORDS`, or one that the table does not have.
    """
    if not are_known(words):
        raise ValueError(words)
    rows = np.array([word_vectors()[word.lower()] for word in words], dtype=np.float64)
    tokens = tuple(words)
    return Problem(
        query=rows,
        key=rows,
        value=rows,
        score="cosine",
        temperature=temperature,
        query_tokens=tokens,
        key_tokens=tokens,
    )
