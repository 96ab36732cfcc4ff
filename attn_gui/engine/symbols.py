"""What stages and fields are called: their letters in text and formulas, and their titles in both languages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """The letter in plain text, the LaTeX of the matrix and of one cell, and the title in English and Chinese."""

    letter: str
    matrix: str
    cell: str
    en: str = ""
    zh: str = ""


NAMES = {
    "query": Name("Q", "Q", "q", "Query", "查询"),
    "key": Name("K", "K", "k", "Key", "键"),
    "value": Name("V", "V", "v", "Value", "值"),
    "rotated_query": Name("Q′", "Q'", "q'", "Rotated query", "旋转后的查询"),
    "rotated_key": Name("K′", "K'", "k'", "Rotated key", "旋转后的键"),
    "scores": Name("S", "S", "s", "Scores", "注意力分数"),
    "scaled": Name("S′", "S'", "s'", "Scaled scores", "缩放后的分数"),
    "capped": Name("S″", "S''", "s''", "Capped scores", "软截断后的分数"),
    "biased": Name("Sᵇ", r"S^{\mathrm{b}}", r"s^{\mathrm{b}}", "Biased scores", "加偏置后的分数"),
    "masked": Name("Sᵐ", r"S^{\mathrm{m}}", r"s^{\mathrm{m}}", "Masked scores", "掩码后的分数"),
    "weights": Name("A", "A", "a", "Weights", "注意力权重"),
    "head_output": Name("O", "O", "o", "Head output", "单头输出"),
    "concat": Name("concat", r"\mathrm{concat}(O)", "c", "Concatenated heads", "多头拼接"),
    "output": Name("Y", "Y", "y", "Output", "输出"),
    "residual": Name("R", "R", "r", "Residual", "残差连接"),
    "normalized": Name("N", "N", "n", "Normalized", "层归一化"),
    "block_output": Name("L", "L", r"\ell", "Block output", "块输出"),
    "allowed": Name("M", "M", "m"),
    "query_angle": Name("φ", r"\varphi", r"\varphi"),
    "key_angle": Name("φ", r"\varphi", r"\varphi"),
    "x": Name("X", "X", "x", "Sequence", "序列"),
    "context": Name("X₂", "X_2", "x^{(2)}", "Second sequence", "第二个序列"),
    "w_query": Name("W_Q", "W_Q", "w^Q", "Query projection", "查询投影"),
    "w_key": Name("W_K", "W_K", "w^K", "Key projection", "键投影"),
    "w_value": Name("W_V", "W_V", "w^V", "Value projection", "值投影"),
    "w_output": Name("W_O", "W_O", "w^O", "Output projection", "输出投影"),
    "b_query": Name("b_Q", "b_Q", "b^Q", "Query bias", "查询偏置"),
    "b_key": Name("b_K", "b_K", "b^K", "Key bias", "键偏置"),
    "b_value": Name("b_V", "b_V", "b^V", "Value bias", "值偏置"),
    "b_output": Name("b_O", "b_O", "b^O", "Output bias", "输出偏置"),
    "score_params.w_score_query": Name("W_q", "W_q", "w^q", "Score weights of the query", "查询的评分权重"),
    "score_params.w_score_key": Name("W_k", "W_k", "w^k", "Score weights of the key", "键的评分权重"),
    "score_params.w_score": Name("w", "w", "w", "Score weights of the hidden units", "隐藏单元的评分权重"),
    "score_params.w": Name("w", "w", "w"),
    "score_params.key_norm": Name("κ", r"\kappa", r"\kappa"),
    "scale": Name("α", r"\alpha", r"\alpha"),
    "softcap": Name("cap", r"\mathrm{cap}", r"\mathrm{cap}"),
    "temperature": Name("T", "T", "T"),
    "rotary_theta": Name("θ", r"\theta", r"\theta"),
    "block.ln_weight": Name("γ", r"\gamma", r"\gamma", "LayerNorm weight", "层归一化的缩放"),
    "block.ln_bias": Name("β", r"\beta", r"\beta", "LayerNorm bias", "层归一化的平移"),
    "block.ln_eps": Name("ε", r"\varepsilon", r"\varepsilon"),
    "block.w_linear": Name("W_L", "W_L", "w^L", "Linear weight", "线性层权重"),
    "block.b_linear": Name("b_L", "b_L", "b^L", "Linear bias", "线性层偏置"),
}
LETTERS = {"d": "c", "f": "c", "o": "c", "a": "p"}  # how a summed index is called in a formula


def symbol(name: str) -> str:
    """The plain symbol of a stage or a field; a mask layer is B (it adds) or M."""
    return _entry(name).letter


def cell_symbol(name: str) -> str:
    """The plain letter of one cell: s′ of S′, w of W_Q."""
    return "c" if name == "concat" else symbol(name).partition("_")[0].lower()


def cell_latex(name: str) -> str:
    """The LaTeX of one cell, without its indices."""
    return _entry(name).cell


def matrix_latex(name: str) -> str:
    """The LaTeX of the whole matrix."""
    return _entry(name).matrix


def title(name: str, language: str) -> str:
    """What a stage or a field is called in "en" or "zh"; empty for what has a letter alone."""
    found: str = getattr(_entry(name), language)
    return found


def _entry(name: str) -> Name:
    if name.startswith("mask."):
        plain = "M" if name.endswith("allowed") else "B"
        return Name(plain, plain, f"{plain.lower()}^{{({name.split('.')[1]})}}")
    return NAMES[name]
