"""How stages and fields are written: in plain text, and as one cell of a formula in LaTeX."""

from __future__ import annotations

# name: (plain text, LaTeX of the matrix, LaTeX of one cell)
SYMBOLS = {
    "query": ("Q", "Q", "q"),
    "key": ("K", "K", "k"),
    "value": ("V", "V", "v"),
    "rotated_query": ("Q′", "Q'", "q'"),
    "rotated_key": ("K′", "K'", "k'"),
    "scores": ("S", "S", "s"),
    "scaled": ("S′", "S'", "s'"),
    "capped": ("S″", "S''", "s''"),
    "biased": ("S+B", "S+B", r"s^{\mathrm{b}}"),
    "masked": ("S+M", "S+M", r"s^{\mathrm{m}}"),
    "weights": ("A", "A", "a"),
    "head_output": ("O", "O", "o"),
    "concat": ("concat", r"\mathrm{concat}(O)", "c"),
    "output": ("Y", "Y", "y"),
    "residual": ("R", "R", "r"),
    "normalized": ("N", "N", "z"),
    "block_output": ("L", "L", r"\ell"),
    "allowed": ("M", "M", "m"),
    "query_angle": ("φ", r"\varphi", r"\varphi"),
    "key_angle": ("φ", r"\varphi", r"\varphi"),
    "x": ("X", "X", "x"),
    "context": ("X₂", "X_2", "x^{(2)}"),
    "w_query": ("W_Q", "W_Q", "w^Q"),
    "w_key": ("W_K", "W_K", "w^K"),
    "w_value": ("W_V", "W_V", "w^V"),
    "w_output": ("W_O", "W_O", "w^O"),
    "b_query": ("b_Q", "b_Q", "b^Q"),
    "b_key": ("b_K", "b_K", "b^K"),
    "b_value": ("b_V", "b_V", "b^V"),
    "b_output": ("b_O", "b_O", "b^O"),
    "score_params.w_score_query": ("W_q", "W_q", "w^q"),
    "score_params.w_score_key": ("W_k", "W_k", "w^k"),
    "score_params.w_score": ("w", "w", "w"),
    "score_params.w": ("w", "w", "w"),
    "score_params.key_norm": ("κ", r"\kappa", r"\kappa"),
    "scale": ("α", r"\alpha", r"\alpha"),
    "softcap": ("cap", r"\mathrm{cap}", r"\mathrm{cap}"),
    "temperature": ("T", "T", "T"),
    "rotary_theta": ("θ", r"\theta", r"\theta"),
    "block.ln_weight": ("γ", r"\gamma", r"\gamma"),
    "block.ln_bias": ("β", r"\beta", r"\beta"),
    "block.ln_eps": ("ε", r"\varepsilon", r"\varepsilon"),
    "block.w_linear": ("W_L", "W_L", "w^L"),
    "block.b_linear": ("b_L", "b_L", "b^L"),
}
LETTERS = {"d": "c", "f": "c", "o": "c", "a": "p"}  # how a summed index is called in a formula


def symbol(name: str) -> str:
    """The plain symbol of a stage or a field; a mask layer is B (it adds) or M."""
    return _entry(name)[0]


def cell_latex(name: str) -> str:
    return _entry(name)[2]


def _entry(name: str) -> tuple[str, str, str]:
    if name.startswith("mask."):
        plain = "M" if name.endswith("allowed") else "B"
        return plain, plain, f"{plain.lower()}^{{({name.split('.')[1]})}}"
    return SYMBOLS[name]
