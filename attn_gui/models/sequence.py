"""Tokens of a text checked for a model: too many, unknown, padding, token types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attn_gui.engine import messages
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import kind_of
from attn_gui.engine.errors import FieldError, FieldTypeError
from attn_gui.engine.masks import Causal, Custom, Layer, Padding, Window
from attn_gui.formats.file_messages import FileNote
from attn_gui.languages import N_
from attn_gui.models.families import Architecture

_EMPTY = N_("The text gives no token; a model reads at least one.")
_LONG = N_("{got} tokens are too many: this model reads at most {expected}.")
_ID = N_("{field}: there is no token {got}; the model has {expected}, counted from 0.")
_LENGTH = N_("{field} has {got} entries; expected one for each of the {expected} tokens.")
_NO_TYPES = N_("This model has no token types: leave out type_ids.")
_CLOSED = N_("mask closes every token; at least one must be open.")


@dataclass(frozen=True, eq=False)
class TokenSequence:
    """Tokens of one text; `mask` is None where none of them is padding."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    mask: Array | None
    tokens: tuple[str, ...]
    texts: tuple[str, ...]  # of the tokens, as a reader expects them
    notes: tuple[FileNote, ...] = ()  # what the tokenizer does not know of the text

    def positions(self, sizes: Architecture) -> Array:
        """Return the row of the table of positions for each token."""
        if sizes.padding_id is None:
            return np.arange(len(self.ids))
        real = np.asarray(self.ids) != sizes.padding_id
        return np.where(real, np.cumsum(real), 0) + sizes.padding_id

    def seen(self, sizes: Architecture, window: int | None) -> Array | None:
        """Return (query, key) booleans: keys that a query sees; None where all see all."""
        n = len(self.ids)
        if not sizes.causal:
            return None if self.mask is None else np.broadcast_to(self.mask, (n, n))
        behind = np.arange(n)[:, None] - np.arange(n)
        found = (behind >= 0) & (behind < (window or n))
        return found if self.mask is None else found & self.mask

    def mask_layers(self, sizes: Architecture, window: int | None) -> list[Layer]:
        """Return the mask layers of a problem that leave each query the keys it sees."""
        found: list[Layer] = [Causal()] if sizes.causal else []
        if window is not None:
            found.append(Window(left=window - 1, right=None))
        if self.mask is not None:
            count = int(self.mask.sum())
            whole = self.mask[:count].all()
            found.append(Padding(lengths=(count,)) if whole else Custom(allowed=self.mask[None, :]))
        return found


def checked_sequence(
    sizes: Architecture, ids: object, types: object | None, mask: object | None
) -> tuple[tuple[int, ...], tuple[int, ...], Array | None]:
    """Return ids, types and padding of one length. Raises FieldError or FieldTypeError."""
    found = _wholes("ids", ids)
    if not found:
        raise FieldError(_EMPTY)
    if len(found) > sizes.most_tokens:
        raise FieldError(_LONG, got=f"{len(found):,}", expected=f"{sizes.most_tokens:,}")
    _within("ids", found, sizes.vocabulary)
    if types is not None and not sizes.token_types and any(_wholes("type_ids", types)):
        raise FieldError(_NO_TYPES)
    kinds = (0,) * len(found)
    if types is not None and sizes.token_types:
        kinds = _alike("type_ids", _wholes("type_ids", types), len(found))
        _within("type_ids", kinds, sizes.token_types)
    opened = None
    if mask is not None:
        opened = np.array(_alike("mask", _wholes("mask", mask), len(found)), bool)
        if not opened.any():
            raise FieldError(_CLOSED)
    return found, kinds, None if opened is None or opened.all() else opened


def _wholes(field: str, given: Any) -> tuple[int, ...]:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise FieldTypeError(messages.NOT_WHOLE, field=field, got=kind_of(given)) from error
    if array.size == 0:
        return ()
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise FieldTypeError(messages.NOT_WHOLE, field=field, got=kind_of(given))
    return tuple(map(int, array))


def _alike(field: str, given: tuple[int, ...], count: int) -> tuple[int, ...]:
    if len(given) != count:
        raise FieldError(_LENGTH, field=field, got=len(given), expected=count)
    return given


def _within(field: str, given: Sequence[int], count: int) -> None:
    wrong = [number for number in given if not 0 <= number < count]
    if wrong:
        raise FieldError(_ID, field=field, got=wrong[0], expected=count)
