"""What a field is called in labels and titles: its symbol, as papers write it."""

from __future__ import annotations

from collections.abc import Sequence

SYMBOLS = {
    "query": "Q", "key": "K", "value": "V", "x": "X", "context": "C",
    "w_query": "W_Q", "w_key": "W_K", "w_value": "W_V", "w_output": "W_O",
    "b_query": "b_Q", "b_key": "b_K", "b_value": "b_V", "b_output": "b_O",
    "score_params.w_score_query": "W_q", "score_params.w_score_key": "W_k", "score_params.w_score": "w",
    "block.ln_weight": "γ", "block.ln_bias": "β", "block.w_linear": "W_L", "block.b_linear": "b_L",
}  # fmt: skip
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def field_symbol(field: str) -> str:
    """The symbol of an array field, the same in every language: "Q", "W_O", "M₁" for an array of mask layer 1."""
    if field.startswith("mask."):
        return "M" + field.split(".")[1].translate(_SUBSCRIPTS)
    return SYMBOLS.get(field, field)


def cell_name(field: str, index: Sequence[int]) -> str:
    """One cell in a label: "Q[10, 97]"."""
    return f"{field_symbol(field)}[{', '.join(str(int(place)) for place in index)}]"
