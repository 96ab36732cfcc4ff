"""Names of fields in labels and titles: the symbols that papers use."""

from __future__ import annotations

from collections.abc import Sequence

from attn_gui.engine.graph.nodes import is_named, symbol
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def field_symbol(field: str) -> str:
    """The symbol of an array field, the same in every language: "Q", "W_O", "M₁" for an array of mask layer 1."""
    for letter, kind in (("M", Layer), ("H", Intervention)):
        if (position := kind.position_of(field)) is not None:
            return letter + str(position).translate(_SUBSCRIPTS)
    return symbol(field) if is_named(field) else field


def cell_name(field: str, index: Sequence[int]) -> str:
    """One cell in a label: "Q[10, 97]"."""
    return f"{field_symbol(field)}[{', '.join(str(int(place)) for place in index)}]"
