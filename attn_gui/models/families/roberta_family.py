"""RoBERTa, XLM-RoBERTa and CamemBERT: BERT with positions that count from behind the padding, a head of other names."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.bert_family import Bert, HeadNames
from attn_gui.models.reading.config_file import Config


class Roberta(Bert):
    """RoBERTa. Source: Liu et al., "RoBERTa" (2019).

    XLM-RoBERTa and CamemBERT are the same with other vocabularies: Conneau et al. (2020), Martin et al. (2020).
    """

    prefixes = ("roberta.",)
    head_names: ClassVar = HeadNames(
        "lm_head.dense",
        "lm_head.layer_norm",
        "lm_head.decoder.weight",
        ("lm_head.decoder.bias", "lm_head.bias"),
        activation="gelu",
    )

    def architecture(self, config: Config) -> Architecture:
        padding = config.count("pad_token_id", 1, least=0)
        most = config.count("max_position_embeddings", least=padding + 2) - padding - 1
        return replace(super().architecture(config), most_tokens=most, first_position=padding + 1, padding_id=padding)
