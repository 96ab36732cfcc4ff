"""A GGUF file made a folder of weights, config.json and tokenizer.json.

Only for files whose digest is known (`known_models.py`): what others could hold is not guarded against here.
"""

from __future__ import annotations

import json
import mmap
import struct
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine.arrays import Array, Progress
from attn_gui.models.checkpoint_files import CONFIG, TOKENIZER, WEIGHTS

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
TEXT, LIST, SPECIAL = 8, 9, 3
GROUP = 32  # numbers that share a scale
PARTS = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
ENDS = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}


class PackedTensor(NamedTuple):
    """A tensor as the file has it."""

    shape: tuple[int, ...]
    kind: int
    start: int


class GgufFile:
    """A GGUF file of version 3: `metadata` by name, and tensors."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._place = 8  # behind the mark and the version
        tensors, entries = self._number("Q"), self._number("Q")
        self.metadata = {self._text(): self._value(self._number("I")) for _ in range(entries)}
        listed = [self._listed() for _ in range(tensors)]
        step = self.metadata.get("general.alignment", 32)
        base = -(-self._place // step) * step
        self.tensors = {name: packed._replace(start=base + packed.start) for name, packed in listed}

    def numbers(self, name: str) -> Array:
        """Return a tensor as float32, row after row as it is used: y = x @ tensor.T."""
        packed = self.tensors[name]
        width, read = KINDS[packed.kind]
        data = np.frombuffer(self._bytes, np.uint8, prod(packed.shape) // GROUP * width, packed.start)
        return read(data.reshape(-1, width)).reshape(packed.shape)

    def _number(self, letter: str) -> Any:
        (found,) = struct.unpack_from(f"<{letter}", self._bytes, self._place)
        self._place += struct.calcsize(f"<{letter}")
        return found

    def _text(self) -> str:
        length = self._number("Q")
        self._place += length
        return self._bytes[self._place - length : self._place].decode("utf-8")

    def _value(self, kind: int) -> Any:
        if kind == TEXT:
            return self._text()
        if kind == LIST:
            inner, length = self._number("I"), self._number("Q")
            return [self._value(inner) for _ in range(length)]
        return self._number(NUMBERS[kind])

    def _listed(self) -> tuple[str, PackedTensor]:
        name = self._text()
        lengths = [self._number("Q") for _ in range(self._number("I"))]
        return name, PackedTensor(tuple(lengths[::-1]), self._number("I"), self._number("Q"))


def _plain(groups: Array) -> Array:
    return groups.reshape(-1).view("<f4")


def _bytes_scaled(groups: Array) -> Array:
    """Return numbers of Q8_0: a scale, then 32 whole numbers."""
    return _halves(groups[:, :2]) * groups[:, 2:].view(np.int8)


def _nibbles_scaled(groups: Array) -> Array:
    """Return numbers of Q4_1: a scale and a smallest number, then 32 half bytes, the low halves first."""
    scales = _halves(groups[:, :4])
    halves = np.concatenate([groups[:, 4:] & 15, groups[:, 4:] >> 4], axis=1).astype(np.float32)
    return scales[:, :1] * halves + scales[:, 1:]


def _halves(cells: Array) -> Array:
    return np.ascontiguousarray(cells).view("<f2").astype(np.float32)


KINDS: dict[int, tuple[int, Callable[[Array], Array]]] = {
    0: (4 * GROUP, _plain),
    3: (4 + GROUP // 2, _nibbles_scaled),
    8: (2 + GROUP, _bytes_scaled),
}
"""Bytes of 32 numbers of each kind, and what they mean."""


def write_gguf_folder(source: Path, folder: Path, progress: Progress) -> None:
    """Write the files of a published folder; `progress` is called with the share of the weights that is written."""
    file = GgufFile(source)
    (folder / CONFIG).write_text(json.dumps(_config(file)), encoding="utf-8")
    (folder / TOKENIZER).write_text(json.dumps(_tokenizer(file.metadata)), encoding="utf-8")
    header: dict[str, Any] = {}
    end = 0
    for name, packed in file.tensors.items():
        start, end = end, end + 4 * prod(packed.shape)
        header[_published(name)] = {"dtype": "F32", "shape": packed.shape, "data_offsets": (start, end)}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with (folder / WEIGHTS).open("wb") as sink:
        sink.write(len(text).to_bytes(8, "little") + text)
        for array in _arrays(file):
            sink.write(np.ascontiguousarray(array, "<f4").data)
            progress((sink.tell() - len(text) - 8) / end)


def _arrays(file: GgufFile) -> Iterator[Array]:
    """Yield the weights in order; rows of Q and K as halves, where GGUF pairs neighbors."""
    heads = {
        "attn_q": file.metadata["llama.attention.head_count"],
        "attn_k": file.metadata["llama.attention.head_count_kv"],
    }
    for name in file.tensors:
        array = file.numbers(name)
        part = name.split(".")[-2]
        if part in heads:
            pairs = array.reshape(heads[part], -1, 2, array.shape[1])
            array = pairs.swapaxes(1, 2).reshape(array.shape)
        yield array


def _published(name: str) -> str:
    parts = name.split(".")
    if len(parts) == 2:
        return f"{ENDS[parts[0]]}.{parts[1]}"
    return f"model.layers.{parts[1]}.{PARTS[parts[2]]}.{parts[3]}"


def _config(file: GgufFile) -> dict[str, Any]:
    entries = {name.removeprefix("llama."): value for name, value in file.metadata.items()}
    eps = entries["attention.layer_norm_rms_epsilon"]
    return {
        "model_type": "llama",
        "hidden_size": entries["embedding_length"],
        "intermediate_size": entries["feed_forward_length"],
        "num_hidden_layers": entries["block_count"],
        "num_attention_heads": entries["attention.head_count"],
        "num_key_value_heads": entries["attention.head_count_kv"],
        "vocab_size": len(entries["tokenizer.ggml.tokens"]),
        "max_position_embeddings": entries["context_length"],
        "rope_theta": entries["rope.freq_base"],
        "rms_norm_eps": float(f"{eps:.6g}"),  # a float32: 1e-05, not 9.999999747378752e-06
        "hidden_act": "silu",
        "tie_word_embeddings": "output.weight" not in file.tensors,
    }


def _tokenizer(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return a byte-level BPE in which every digit is a token, in the form of `tokenizers`."""
    tokens, kinds = entries["tokenizer.ggml.tokens"], entries["tokenizer.ggml.token_type"]
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    by_bytes = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": number, "content": token, **plain}
            for number, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
            if kind == SPECIAL
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, by_bytes]},
        "post_processor": None,
        "decoder": by_bytes,
        "model": {
            "type": "BPE",
            "vocab": {token: number for number, token in enumerate(tokens)},
            "merges": [merge.split(" ") for merge in entries["tokenizer.ggml.merges"]],
        },
    }
