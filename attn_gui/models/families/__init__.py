"""Families of checkpoints: a new one is one class in a file here and one entry in FAMILIES."""

from __future__ import annotations

from attn_gui.models.families.bert_family import Bert
from attn_gui.models.families.distilbert_family import DistilBert
from attn_gui.models.families.family import Family
from attn_gui.models.families.gpt2_family import Gpt2
from attn_gui.models.families.llama_family import Llama
from attn_gui.models.families.mistral_family import Mistral
from attn_gui.models.families.qwen2_family import Qwen2
from attn_gui.models.families.qwen3_family import Qwen3
from attn_gui.models.families.roberta_family import Roberta

__all__ = ["FAMILIES", "Family"]

FAMILIES: dict[str, Family] = {
    "bert": Bert(),
    "roberta": Roberta(),
    "xlm-roberta": Roberta(),
    "camembert": Roberta(),
    "distilbert": DistilBert(),
    "gpt2": Gpt2(),
    "llama": Llama(),
    "mistral": Mistral(),
    "qwen2": Qwen2(),
    "qwen3": Qwen3(),
}
"""The families by their name in config.json, `model_type`."""
