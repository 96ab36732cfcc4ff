"""Run the lines of the help's page "From PyTorch" on small models with random weights. Not collected by pytest.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install -e . torch transformers
    QT_QPA_PLATFORM=offscreen /tmp/torch/bin/python packaging/trials/try_with_torch.py

Prints a line for each model and dtype; exit code 1 where something differs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

import attn_gui

ROOT = Path(__file__).resolve().parents[2]

PAGE = ROOT / "resources" / "help" / "en" / "9-pytorch.md"
LINES = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
IDS = torch.tensor([[1, 2, 3, 4, 5, 6, 7]])
SMALL: dict[str, Any] = {"vocab_size": 99, "bos_token_id": 1, "eos_token_id": 2}
MODELS = {
    "Llama, 8 heads over 2": lambda: LlamaForCausalLM(
        LlamaConfig(
            hidden_size=64,
            intermediate_size=64,
            num_hidden_layers=3,
            num_attention_heads=8,
            num_key_value_heads=2,
            **SMALL,
        )
    ),
    "GPT-2, 4 heads": lambda: GPT2LMHeadModel(GPT2Config(n_embd=64, n_layer=3, n_head=4, **SMALL)),
}


def main() -> int:
    torch.manual_seed(0)
    checks = [_tried(name, make(), kind) for name, make in MODELS.items() for kind in (torch.float32, torch.bfloat16)]
    return 0 if all(checks) else 1


def _tried(name: str, model: Any, kind: torch.dtype) -> bool:
    model = model.eval().to(kind)
    own = _weights(model)
    same = _run(model, lambda problem: problem)
    worst = float(np.abs(attn_gui.compute(same["problem"])["weights"] - own).max())
    equal = torch.equal(same["before"], same["after"])
    other = _run(model, lambda problem: attn_gui.solve(problem, "weights", (0, 0, 6, 2), 0.9).problem)
    moved = float((other["after"] - other["before"]).detach().abs().max())
    fine = worst < (1e-6 if kind == torch.float32 else 1e-2) and equal and moved > 0
    print(
        f"{name:<22} {kind!s:<15} weights {worst:.1e} apart, unedited {'equal' if equal else 'DIFFERENT'}, "
        f"edited {moved:.1e} apart  {'ok' if fine else 'FAILED'}"
    )
    return fine


def _weights(model: Any) -> np.ndarray:
    """Return the layer's weights as the model itself gives them."""
    model.set_attn_implementation("eager")
    return np.asarray(model(IDS, output_attentions=True).attentions[1].detach().float())


def _run(model: Any, edit: Any) -> dict[str, Any]:
    """Return the lines of the page, with this model, its tokens, and an edit in place of the window."""

    def loaded(_name: str, *, attn_implementation: str) -> Any:
        model.set_attn_implementation(attn_implementation)
        return model

    def tokenizer(_text: str, *, return_tensors: str) -> Any:
        return SimpleNamespace(input_ids=IDS)

    tokenizer.convert_ids_to_tokens = lambda ids: [f"t{int(k)}" for k in ids]
    AutoModelForCausalLM.from_pretrained = loaded
    AutoTokenizer.from_pretrained = lambda _name: tokenizer
    attn_gui.explore = lambda problem: SimpleNamespace(problem=edit(problem))
    names: dict[str, Any] = {}
    exec(LINES[1], names)
    return names


if __name__ == "__main__":
    sys.exit(main())
