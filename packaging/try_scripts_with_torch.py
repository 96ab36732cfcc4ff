"""Run the scripts of PyTorch that the program writes, on the problems of tests/formats/test_scripts.py.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install -e . torch pytest
    /tmp/torch/bin/python packaging/try_scripts_with_torch.py

Prints the largest difference of every problem; exit code 1 where it is more than rounding. Not collected by pytest.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from attn_gui.engine import Problem, compute  # noqa: E402  # from this checkout
from attn_gui.formats.scripts import SCRIPTS, script_text  # noqa: E402

MOST = {"float64": 1e-12, "float32": 1e-6}


def main() -> int:
    checks = [_agrees(name, problem) for name, problem in _tests().PROBLEMS.items()]
    return 0 if all(checks) else 1


def _agrees(name: str, problem: Problem) -> bool:
    """Whether every stage of a script is that of the engine."""
    names: dict[str, dict[str, torch.Tensor]] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(script_text(problem, SCRIPTS["pytorch"]), names)
    trace, worst = compute(problem), 0.0
    for stage, numbers in names["stages"].items():
        wanted = trace[stage]
        found = np.broadcast_to(numbers.numpy(), wanted.shape)
        seen = np.isfinite(wanted)
        if not np.array_equal(np.isfinite(found), seen):
            worst = np.inf
        apart = np.abs(found[seen] - wanted[seen]) / np.maximum(1.0, np.abs(wanted[seen]))
        worst = max(worst, float(apart.max(initial=0.0)))
    fine = worst <= MOST[problem.dtype]
    print(f"{name:<24} {worst:.1e} apart  {'ok' if fine else 'FAILED'}")
    return fine


def _tests() -> ModuleType:
    """The module of the tests, whose problems have every entry of the catalogs."""
    spec = importlib.util.spec_from_file_location("scripts", ROOT / "tests" / "formats" / "test_scripts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    sys.exit(main())
