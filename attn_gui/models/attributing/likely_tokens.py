"""Likeliest tokens at a position, with their probabilities in two runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attn_gui.models.run import Run


class Likely(NamedTuple):
    """A token as the tokenizer writes it and as a reader expects it, with its probabilities, now and before."""

    token: str
    text: str
    now: float
    before: float


def likely(now: Run, before: Run, position: int, count: int) -> tuple[Likely, ...]:
    """The likeliest tokens at a position of a run, with their probabilities there and in another run."""
    shares = [run.probabilities(position) for run in (now, before)]
    order = [int(number) for number in np.argsort(-shares[0], kind="stable")[:count]]
    tokenizer = now.model.tokenizer
    names = zip(tokenizer.tokens(order), tokenizer.texts(order), order, strict=True)
    return tuple(Likely(token, text, float(shares[0][k]), float(shares[1][k])) for token, text, k in names)


def asked_places(run: Run) -> list[int]:
    """The positions whose prediction is of interest: the last one, or those of an encoder that are to be filled in."""
    if run.model.ends.head is None:
        return []
    if run.model.sizes.causal:
        return [len(run.ids) - 1]
    mask = run.model.tokenizer.mask_token
    return [place for place, token in enumerate(run.tokens) if token == mask]


def asked_place(run: Run) -> int:
    """The position that is looked at until another one is chosen."""
    return next(iter(asked_places(run)), len(run.ids) - 1)
