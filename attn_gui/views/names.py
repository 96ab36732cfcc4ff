"""What stages and fields are called on screen, in the present language."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from attn_gui.formats.sentences import QT_TRANSLATE_NOOP

TITLES = {
    "query": QT_TRANSLATE_NOOP("Names", "Query"),
    "key": QT_TRANSLATE_NOOP("Names", "Key"),
    "value": QT_TRANSLATE_NOOP("Names", "Value"),
    "rotated_query": QT_TRANSLATE_NOOP("Names", "Rotated query"),
    "rotated_key": QT_TRANSLATE_NOOP("Names", "Rotated key"),
    "scores": QT_TRANSLATE_NOOP("Names", "Scores"),
    "scaled": QT_TRANSLATE_NOOP("Names", "Scaled scores"),
    "capped": QT_TRANSLATE_NOOP("Names", "Capped scores"),
    "biased": QT_TRANSLATE_NOOP("Names", "Biased scores"),
    "masked": QT_TRANSLATE_NOOP("Names", "Masked scores"),
    "weights": QT_TRANSLATE_NOOP("Names", "Weights"),
    "head_output": QT_TRANSLATE_NOOP("Names", "Head output"),
    "concat": QT_TRANSLATE_NOOP("Names", "Concatenated heads"),
    "output": QT_TRANSLATE_NOOP("Names", "Output"),
    "residual": QT_TRANSLATE_NOOP("Names", "Residual"),
    "normalized": QT_TRANSLATE_NOOP("Names", "Normalized"),
    "block_output": QT_TRANSLATE_NOOP("Names", "Block output"),
    "x": QT_TRANSLATE_NOOP("Names", "Sequence"),
    "context": QT_TRANSLATE_NOOP("Names", "Second sequence"),
    "w_query": QT_TRANSLATE_NOOP("Names", "Query projection"),
    "w_key": QT_TRANSLATE_NOOP("Names", "Key projection"),
    "w_value": QT_TRANSLATE_NOOP("Names", "Value projection"),
    "w_output": QT_TRANSLATE_NOOP("Names", "Output projection"),
    "b_query": QT_TRANSLATE_NOOP("Names", "Query bias"),
    "b_key": QT_TRANSLATE_NOOP("Names", "Key bias"),
    "b_value": QT_TRANSLATE_NOOP("Names", "Value bias"),
    "b_output": QT_TRANSLATE_NOOP("Names", "Output bias"),
    "score_params.w_score_query": QT_TRANSLATE_NOOP("Names", "Score weights of the query"),
    "score_params.w_score_key": QT_TRANSLATE_NOOP("Names", "Score weights of the key"),
    "score_params.w_score": QT_TRANSLATE_NOOP("Names", "Score weights of the hidden units"),
    "block.ln_weight": QT_TRANSLATE_NOOP("Names", "LayerNorm weight"),
    "block.ln_bias": QT_TRANSLATE_NOOP("Names", "LayerNorm bias"),
    "block.w_linear": QT_TRANSLATE_NOOP("Names", "Linear weight"),
    "block.b_linear": QT_TRANSLATE_NOOP("Names", "Linear bias"),
}
LAST = {
    "allowed": QT_TRANSLATE_NOOP("Names", "Allowed cells of mask layer {k}"),
    "values": QT_TRANSLATE_NOOP("Names", "Values of mask layer {k}"),
}


def stage_title(name: str) -> str:
    """The title of a stage or field: `Scores`, `Query projection`, `Allowed cells of mask layer 0`."""
    if name.startswith("mask."):
        _mask, k, last = name.split(".")
        return QCoreApplication.translate("Names", LAST[last]).format(k=k)
    return QCoreApplication.translate("Names", TITLES[name]) if name in TITLES else name.rsplit(".", 1)[-1]


def token_text(token: str) -> str:
    """A token without the blanks and the marks for a blank (Ġ, ▁) that tokenizers put around words.

    One of nothing else stays as it is.
    """
    return token.strip().lstrip("Ġ▁").strip() or token
