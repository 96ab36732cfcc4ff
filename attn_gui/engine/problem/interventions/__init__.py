"""Interventions by kind: a new one is one class in a file here and one entry in INTERVENTIONS. Imports the checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from attn_gui.engine.problem import sentences
from attn_gui.engine.problem.checks import echo, kind_of, told
from attn_gui.engine.problem.errors import FieldError, FieldTypeError

from .copy_cells import Copy
from .intervention import Intervention
from .scale_cells import Scale
from .set_cells import Set

__all__ = ["INTERVENTIONS", "Intervention", "intervention_from_mapping", "settled"]

INTERVENTIONS: dict[str, type[Intervention]] = {entry.kind: entry for entry in (Set, Scale, Copy)}

MOST = 256  # interventions of a problem
MOST_CELLS = 1 << 22  # numbers that they hold, all together


def intervention_from_mapping(mapping: Mapping[str, Any] | Intervention, name: str = "interventions") -> Intervention:
    """A record from {"kind": …, parameters}; a record is returned as it is. Raises ValueError or TypeError."""
    if isinstance(mapping, Intervention):
        return mapping
    if not isinstance(mapping, Mapping):
        raise FieldTypeError(sentences.NOT_RECORD, field=name, got=kind_of(mapping))
    given = dict(mapping)
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in INTERVENTIONS:
        raise FieldError(sentences.UNKNOWN_INTERVENTION, field=name, choices=tuple(INTERVENTIONS), got=told(kind))
    entry = INTERVENTIONS[kind]
    known = tuple(f.name for f in fields(entry))
    for unknown in given.keys() - known:
        raise FieldError(sentences.UNKNOWN_PARAMETER, field=name, got=echo(unknown), choices=known)
    for needed in ("stage", *entry.needed):
        if given.get(needed) is None:
            raise FieldError(sentences.NEEDS, field=f"{name} ({kind})", other=needed)
    return entry(**given)


def settled(given: object, dtype: np.dtype[Any], copy: bool) -> tuple[Intervention, ...]:
    """Records of all interventions as a problem keeps them; no more of them than `MOST`, nor of their numbers."""
    if isinstance(given, (str, Mapping, Intervention)) or not isinstance(given, Sequence):
        raise FieldTypeError(sentences.NOT_INTERVENTIONS, field="interventions", got=kind_of(given))
    if len(given) > MOST:
        raise FieldError(sentences.TOO_MANY_INTERVENTIONS, field="interventions", got=len(given), most=MOST)
    names = [Intervention.name_at(k) for k in range(len(given))]
    records = [intervention_from_mapping(one, name) for one, name in zip(given, names, strict=True)]
    count = sum(np.size(record.cells) for record in records if record.cells is not None)
    if count > MOST_CELLS:
        raise FieldError(sentences.TOO_MANY_NUMBERS, field="interventions", got=count, most=MOST_CELLS)
    return tuple(record.settled(name, dtype, copy) for record, name in zip(records, names, strict=True))
