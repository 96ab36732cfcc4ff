"""Folders with reference numbers of transformers: four checkpoints, their cases, and seven edits of each."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attn_gui.models import Model, Run, open_model
from attn_gui.paths import resource

DATA = Path(__file__).parents[1] / "data" / "models"
TOY = resource("models", "toy-induction")
NAMES = ("tiny-bert", "tiny-gpt2", "tiny-llama", "toy-induction", "tiny-xlmr")
ATTENTION, OTHERS = 1e-5, 2e-5  # absolute; of the largest magnitude, at least 1
STAGES = {"q": "query", "k": "key", "v": "value", "probs": "weights", "ctx": "head_output"}


class Golden(NamedTuple):
    """One folder: the model, what it was fed and what came out."""

    model: Model
    told: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]

    def run(self, case: str, edit: str | None = None) -> Run:
        fed = self.told["cases"][case]
        changes = [] if edit is None else [self.change(edit)]
        return self.model.run(ids=fed["ids"], type_ids=fed["type_ids"], mask=fed["mask"], interventions=changes)

    def change(self, name: str) -> dict[str, Any]:
        """An edit as an intervention."""
        edit, sizes = self.told["edits"][name], self.model.sizes
        head, site = edit["head"], edit["site"]
        if site in ("q", "k", "v"):
            stage = STAGES[site] if sizes.frequencies is None or site == "v" else f"rotated_{STAGES[site]}"
            first = head * sizes.d_head
            columns = first + edit["col"] if "col" in edit else (first, first + sizes.d_head)
            at = {"column": columns} | ({"row": edit["row"]} if "row" in edit else {})
        else:
            stage = STAGES.get(site, "masked" if sizes.causal else "scaled")
            names = {"row": "query", "col": "column" if site == "ctx" else "key"}
            at = {"head": head} | {axis: edit[side] for side, axis in names.items() if side in edit}
        return {"layer": edit["layer"], "kind": "set", "stage": stage, "at": at, "values": edit["value"]}


@lru_cache
def golden(name: str) -> Golden:
    folder = DATA / name
    model = open_model(TOY if name == TOY.name else folder)
    return Golden(
        model, json.loads((folder / "golden.json").read_text(encoding="utf-8")), np.load(folder / "golden.npz")
    )


def cases() -> list[tuple[str, str]]:
    return [(name, case) for name in NAMES for case in golden(name).told["cases"]]


def edits() -> list[tuple[str, str]]:
    return [(name, edit) for name in NAMES for edit in golden(name).told["edits"]]


def slip(found: np.ndarray, wanted: np.ndarray, *, attention: bool = False) -> float:
    """The largest difference, as a part of what is tolerated."""
    assert found.shape == wanted.shape
    tolerated = ATTENTION if attention else OTHERS * max(1.0, float(np.abs(wanted).max()))
    return float(np.abs(found - wanted).max()) / tolerated
