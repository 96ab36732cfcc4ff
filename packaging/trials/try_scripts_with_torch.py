"""Run the scripts of PyTorch that the program writes, on the problems of tests/formats/test_scripts.py.

    python -m venv /tmp/torch && /tmp/torch/bin/pip install -e . torch pytest
    /tmp/torch/bin/python packaging/trials/try_scripts_with_torch.py

Prints the largest difference of every problem; exit code 1 where it is more than rounding. Not collected by pytest.
"""

from __future__ import annotations

import contextlib
import io
import sys

import numpy as np
import torch
from problems_of_tests import problems_of_tests

from attn_gui.engine import Problem, compute
from attn_gui.formats.scripts import SCRIPTS, script_text

MOST = {"float64": 1e-12, "float32": 1e-6}


def main() -> int:
    checks = [_agrees(name, problem) for name, problem in problems_of_tests().items()]
    return 0 if all(checks) else 1


def _agrees(name: str, problem: Problem) -> bool:
    """Return whether every stage of a script is that of the engine."""
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


if __name__ == "__main__":
    sys.exit(main())
