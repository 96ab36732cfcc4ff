"""Try folders of random models against transformers: tied, untied, with tensors that their config does not announce.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install -e '.[models]' torch transformers
    /tmp/torch/bin/python packaging/trials/try_random_models.py

Each model is saved by transformers, its file is changed where the case says so, and both read it again. Prints a line a
case: the largest difference of attention, hidden states and logits (÷ the largest value, if that is above 1), and what
is said of the folder. Exit code 1 where one is above 2e-5, or where tensors were put in that are not named.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

from attn_gui.models.model import read_model

LARGEST = 2e-5
WIDTH, HEADS, WORDS = 24, 4, 41
Tensors = dict[str, torch.Tensor]
BERT = {"hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": HEADS, "intermediate_size": 20}
LLAMA = BERT | {"num_key_value_heads": 2, "max_position_embeddings": 64}
SIZES: Mapping[str, Mapping[str, Any]] = {
    "Bert": BERT,
    "Roberta": BERT,
    "XLMRoberta": BERT,
    "Camembert": BERT,
    "DistilBert": {"dim": WIDTH, "n_layers": 2, "n_heads": HEADS, "hidden_dim": 20},
    "GPT2": {"n_embd": WIDTH, "n_layer": 2, "n_head": HEADS, "n_positions": 64},
    "Llama": LLAMA,
    "Mistral": LLAMA | {"sliding_window": 5},
    "Qwen2": LLAMA,
    "Qwen3": LLAMA | {"head_dim": 10},
}
PREDICTING = ("ForMaskedLM", "ForCausalLM", "LMHeadModel")
ENCODERS = ("Bert", "Roberta", "XLMRoberta", "Camembert", "DistilBert")
FOREIGN = {
    "Bert": {
        "encoder.layer.0.attention.self.distance_embedding.weight": (63, 6),
        "encoder.layer.1.extra_norm.weight": WIDTH,
    },
    "DistilBert": {"transformer.layer.0.attention.q_norm.weight": 6},
    "GPT2": {"h.0.attn.q_norm.weight": 6, "h.1.ln_3.weight": WIDTH, "h.1.mlp.c_gate.weight": (WIDTH, 20)},
    "Llama": {
        "layers.0.self_attn.q_proj.bias": WIDTH,
        "layers.0.mlp.up_proj.bias": 20,
        "layers.1.self_attn.q_norm.weight": 6,
        "layers.1.post_feedforward_layernorm.weight": WIDTH,
    },
}
"""Tensors that no model of a family has, by the names after the prefix of its base model."""


def main() -> int:
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(f"torch {torch.__version__}, transformers {transformers.__version__}")
    fine = True
    for seed, (name, kind, options, change) in enumerate(cases()):
        torch.manual_seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            fine &= tried(name, Path(folder), saved(Path(folder), kind, options, change), bool(change))
    return int(not fine)


def cases() -> Iterator[tuple[str, str, dict[str, Any], Callable[[Tensors], None] | None]]:
    """Each with its name, the class, options of its config, and what is done to the tensors of its file."""
    for family in SIZES:
        task = {"GPT2": "LMHeadModel"}.get(family, "ForMaskedLM" if family in ENCODERS else "ForCausalLM")
        for tied in (True, False):
            yield f"{family} {'tied' if tied else 'untied'}", family + task, {"tie_word_embeddings": tied}, None
        yield f"{family} classifier", f"{family}ForSequenceClassification", {"pad_token_id": 1}, None
        yield f"{family} base", f"{family}Model", {}, None
        yield f"{family} foreign", family + task, {}, foreign(family)
    for family in ("Bert", "Roberta"):
        yield f"{family} untied in the file alone", f"{family}ForMaskedLM", {}, with_own_head
    for family, options in (("Llama", {"attention_bias": True, "mlp_bias": True}), ("Qwen3", {"attention_bias": True})):
        yield f"{family} biases", f"{family}ForCausalLM", options, None
    for family in ("Mistral", "Qwen2"):
        yield f"{family} biases said, foreign", f"{family}ForCausalLM", {"attention_bias": True}, foreign(family)


def foreign(family: str) -> Callable[[Tensors], None]:
    """Puts tensors into a file that the family does not have."""

    def put(tensors: Tensors) -> None:
        kin = family if family in FOREIGN else "Bert" if family in ENCODERS else "Llama"
        own = {"GPT2": "transformer.", "Bert": "bert.", "DistilBert": "distilbert."}
        within = "model." if kin == "Llama" else own.get(family, "roberta.")
        for name, shape in FOREIGN[kin].items():
            if within + name not in tensors:
                tensors[within + name] = torch.randn(shape)

    return put


def with_own_head(tensors: Tensors) -> None:
    """Another matrix and bias of the output, though config.json says that they are tied."""
    base = "cls.predictions." if any(name.startswith("cls.") for name in tensors) else "lm_head."
    tensors[f"{base}decoder.weight"], tensors[f"{base}decoder.bias"] = torch.randn(WORDS, WIDTH), torch.randn(WORDS)


def saved(folder: Path, kind: str, options: dict[str, Any], change: Callable[[Tensors], None] | None) -> Any:
    """Return a model of random numbers, biases and norms too, saved, changed in its file, and read again by
    transformers."""
    family = next(name for name in sorted(SIZES, key=len, reverse=True) if kind.startswith(name))
    config = getattr(transformers, f"{family}Config")(vocab_size=WORDS, **{**SIZES[family], **options})
    model = getattr(transformers, kind)(config)
    with torch.no_grad():
        for name, numbers in model.named_parameters():
            around = 1.0 if numbers.ndim == 1 and ("norm" in name.lower() or "ln_" in name) else 0.0
            numbers.copy_(around + 0.3 * torch.randn_like(numbers))
    model.save_pretrained(folder)
    if change is not None:
        file = folder / "model.safetensors"
        tensors = load_file(file)
        change(tensors)
        save_file(tensors, file, {"format": "pt"})
    return getattr(transformers, kind).from_pretrained(folder, attn_implementation="eager").eval()


def tried(name: str, folder: Path, theirs: Any, changed: bool) -> bool:
    """Return whether a folder gives the numbers of transformers, and names what was put into it."""
    model = read_model(folder)
    ids = [5, 11, 3, 30, 1, 8, 21, 17, 1, 40, 9]
    with torch.no_grad():
        found = theirs(torch.tensor([ids]), output_attentions=True, output_hidden_states=True)
    run = model.run(ids=ids)
    attention = np.stack([run.attention(layer) for layer in range(model.num_layers)])
    apart = {
        "attention": difference(attention, torch.stack(found.attentions)[:, 0]),
        "hidden": difference(run.hidden, torch.stack(found.hidden_states)[:, 0]),
    }
    predicts = type(theirs).__name__.endswith(PREDICTING)
    if predicts:
        apart["logits"] = difference(run.logits, found.logits[0])
    named = bool(model.notes) or not changed
    fine = max(apart.values()) < LARGEST and predicts == (model.ends.head is not None) and named
    words = ", ".join(f"{what} {value:.1e}" for what, value in apart.items())
    print(f"{name}: {words}  {'ok' if fine else 'WRONG'}  {' '.join(model.notes)}")
    return fine


def difference(here: np.ndarray, there: torch.Tensor) -> float:
    wanted = there.numpy()
    return float(np.abs(here - wanted).max() / max(1.0, np.abs(wanted).max()))


if __name__ == "__main__":
    sys.exit(main())
