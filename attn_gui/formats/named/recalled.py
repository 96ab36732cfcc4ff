"""Arrangements remembered by the pattern of their names: what was chosen once is proposed for the next such file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from attn_gui.engine.head_axis import parsed
from attn_gui.formats.base import Listing
from attn_gui.formats.file_sentences import FormatError
from attn_gui.formats.named.arrangement import WEIGHT_AXES, Arrangement
from attn_gui.formats.named.fused import SPLITS
from attn_gui.formats.named.mask_meanings import MASK_MEANINGS

_NUMBER = re.compile(r"\d+")


def pattern(name: str) -> str:
    """`h.#.attn.q` of `h.3.attn.q`: names that differ by the number of a layer are alike."""
    return _NUMBER.sub("#", name)


def record_of(arrangement: Arrangement) -> dict[str, Any]:
    """An arrangement as JSON, its names as patterns."""
    return {
        "arrays": {role: pattern(name) for role, name in arrangement.arrays.items()},
        "axes": list(arrangement.axes or ()),
        "weight_axes": arrangement.weights,
        "mask": arrangement.mask,
        "num_heads": arrangement.num_heads,
        "num_kv_heads": arrangement.num_kv_heads,
        "split": arrangement.split.key if arrangement.split else None,
    }


def recalled(records: Iterable[Mapping[str, Any]], listing: Listing) -> Arrangement | None:
    """The first of some remembered arrangements all of whose names the file has, in its first layer that has them."""
    for record in records:
        patterns = record.get("arrays")
        if not isinstance(patterns, dict) or not patterns:
            continue
        names = _names(patterns, listing)
        if names:
            try:
                found = _arrangement(names, record)
                heads, kv_heads = Arrangement().said_counts(listing)  # this file knows better than the last one
                return replace(found, num_heads=heads, num_kv_heads=kv_heads) if heads else found
            except FormatError:  # of another version
                continue
    return None


def _names(patterns: Mapping[str, str], listing: Listing) -> dict[str, str]:
    """A name for every pattern, with the same numbers where there are such; none where one has none."""
    alike: dict[str, list[str]] = {}
    for array in listing.arrays:
        alike.setdefault(pattern(array.name), []).append(array.name)
    found = {role: alike.get(wanted, []) for role, wanted in patterns.items()}
    if not all(found.values()):
        return {}
    numbers = max((_NUMBER.findall(names[0]) for names in found.values()), key=len)

    def nearest(names: list[str]) -> str:
        return next((name for name in names if _NUMBER.findall(name) == numbers), names[0])

    return {role: nearest(names) for role, names in found.items()}


def _arrangement(names: Mapping[str, str], record: Mapping[str, Any]) -> Arrangement:
    weights, mask = record.get("weight_axes"), record.get("mask")
    counts = [record.get(name) for name in ("num_heads", "num_kv_heads")]
    heads, kv_heads = (count if type(count) is int and count > 0 else None for count in counts)
    return Arrangement(
        names,
        axes=parsed(map(str, record.get("axes") or ())),
        weights=weights if weights in WEIGHT_AXES else None,
        mask=mask if mask in MASK_MEANINGS else None,
        num_heads=heads,
        num_kv_heads=kv_heads,
        split=SPLITS.get(str(record.get("split"))),
    )
