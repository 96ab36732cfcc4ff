"""Problems in words: what a Python prompt and a notebook print. Imports NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .fields import Fields
from .interventions import Intervention
from .masks import Layer


def problem_text(problem: Fields) -> str:
    """`Problem(query (7, 13), …, num_heads=2, mask=(causal()))`: every field that is not its default."""
    return f"Problem({', '.join(field_texts(problem))})"


def field_texts(problem: Fields) -> Iterator[str]:
    """Every field that is not its default, and the number of heads always; arrays by their shape."""
    fields = {"num_heads": problem.num_heads} | problem.fields()
    first = {name: value for name, value in fields.items() if isinstance(value, np.ndarray)}
    yield from entry_texts(first | fields)


def entry_texts(entries: Mapping[str, Any]) -> Iterator[str]:
    """`name (3, 4)` for an array, `name=value` for anything else."""
    for name, value in entries.items():
        yield f"{name} {value.shape}" if isinstance(value, np.ndarray) else f"{name}={_short(name, value)}"


def _short(name: str, value: Any) -> str:
    if name == "mask":
        return f"({', '.join(map(_layer, value))})"
    if name == "interventions":
        return f"({', '.join(map(_intervention, value))})"
    if name.endswith("_tokens"):
        return f"{len(value)} texts"
    if isinstance(value, Mapping):
        return f"{{{', '.join(entry_texts(value))}}}"
    return repr(value)


def _layer(layer: Layer) -> str:
    """`causal(align='end')`: what is not its default."""
    defaults = {"enabled": True} | {parameter.name: parameter.default for parameter in layer.parameters}
    given = {name: value for name, value in layer.to_mapping().items() if name != "kind"}
    kept = {
        name: value for name, value in given.items() if isinstance(value, np.ndarray) or value != defaults.get(name)
    }
    return f"{layer.kind}({', '.join(entry_texts(kept))})"


def _intervention(record: Intervention) -> str:
    """`set(stage='weights', at={head=3}, values (2,))`: what is not its default."""
    given = {name: value for name, value in record.to_mapping().items() if name != "kind"}
    kept = {name: value for name, value in given.items() if (name, value) != ("enabled", True)}
    return f"{record.kind}({', '.join(entry_texts(kept))})"
