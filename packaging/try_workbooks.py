"""Recalculates workbooks of small problems with the package formulas, an independent reader of Excel's formulas.

.venv/bin/python -m pip install formulas openpyxl; .venv/bin/python packaging/try_workbooks.py
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from attn_gui.engine import Problem, compute
from attn_gui.formats.spreadsheets.boards import Board
from attn_gui.formats.spreadsheets.workbook import workbook_bytes

TOLERANCE, CLOSED = 1e-12, -1e299


def problems() -> dict[str, Problem]:
    """One of each kind of formula."""
    random = np.random.default_rng(3)
    query, key, value = (random.normal(size=(rows, 4)) for rows in (3, 4, 4))
    plain = {"query": query, "key": key, "value": value, "num_heads": 2}
    by_hand = {"kind": "set", "stage": "weights", "at": {"query": 1}, "values": 0.25}
    return {
        "dot": Problem(**plain),
        "cosine": Problem(**plain, score="cosine"),
        "gaussian": Problem(**plain, score="gaussian", score_params={"w": 1.5, "key_norm": 0.25}),
        "causal, closed row": Problem(**plain, mask=[{"kind": "custom", "allowed": np.tri(3, 4, -1, dtype=bool)}]),
        "softcap, temperature": Problem(**plain, softcap=1.5, temperature=0.7, scale=0.3),
        "by hand": Problem(**plain, interventions=[by_hand]),
    }


def worst(name: str, problem: Problem, folder: Path) -> float:
    """The largest difference of a cell from the engine's, relative to the larger of it and 1."""
    import formulas

    path = folder / "book.xlsx"
    path.write_bytes(workbook_bytes(problem))
    found = formulas.ExcelModel().loads(str(path)).finish().calculate()
    cells = {str(place).upper(): cell for place, cell in found.items()}
    trace, most = compute(problem), 0.0
    for stage in trace.stages:
        array = np.asarray(trace[stage])
        board = Board(stage, array.shape)
        for index in np.ndindex(*array.shape):
            got = float(cells[f"'[BOOK.XLSX]{stage.upper()}'!{board.place(index).letters()}"].value[0, 0])
            expected = float(array[index])
            if np.isneginf(expected) and got < CLOSED:
                continue
            most = max(most, abs(got - expected) / max(1.0, abs(expected)))
    return most


def main() -> int:
    warnings.simplefilter("ignore")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, problem in problems().items():
            difference = worst(name, problem, Path(folder))
            failed += not difference <= TOLERANCE
            print(f"{name}: {difference:.1e}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
