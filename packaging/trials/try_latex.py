"""Typesets tables that are larger than a page, and says which of them have no room or no number that TeX takes.

    apt-get install texlive-latex-recommended; .venv/bin/python packaging/trials/try_latex.py

Prints what TeX says of each; exit code 1 where it says anything. Not collected by pytest.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from attn_gui.formats import rows_of, save_rows

SHAPES = ((3, 8), (28, 28), (100, 5), (4, 60))
WHOLE = r"\documentclass{article}\begin{document}\input{table.tex}\end{document}"
FAULT = re.compile(r"Overfull.*|.*Float too large.*|.*Missing.*")


def main() -> int:
    failed = 0
    for shape in SHAPES:
        for dtype in ("float64", "float32"):
            values = np.random.default_rng(shape).normal(size=shape).astype(dtype)
            values[:: max(1, shape[0] // 3)] *= 1e-9
            fault = _fault(values)
            failed += bool(fault)
            print(f"{shape[0]:>4} × {shape[1]:<3} {dtype}  {fault or 'ok'}", flush=True)
    return 1 if failed else 0


def _fault(values: np.ndarray) -> str:
    """Return the first complaint of TeX; empty where it has none."""
    across = tuple(f"token{number}" for number in range(values.shape[1]))
    with tempfile.TemporaryDirectory() as work:
        save_rows(rows_of(values), Path(work, "table.tex"), column_labels=across)
        command = ["pdflatex", "-interaction=batchmode", "-jobname=out", WHOLE]
        done = subprocess.run(command, cwd=work, check=False, stdout=subprocess.DEVNULL)
        found = FAULT.search(Path(work, "out.log").read_text(errors="replace"))
    return found[0] if found else f"exit code {done.returncode}" if done.returncode else ""


if __name__ == "__main__":
    sys.exit(main())
