"""Recalculates workbooks with other programs: LibreOffice, and the package formulas, which reads Excel's formulas.

    apt-get install libreoffice-calc; .venv/bin/python packaging/trials/try_workbooks.py libreoffice
    .venv/bin/python -m pip install formulas openpyxl; .venv/bin/python packaging/trials/try_workbooks.py formulas

The problems are those of tests/formats/test_scripts.py, which have every entry of the catalogs, and the examples.
Prints the largest difference of each; exit code 1 where it is more than rounding. Not collected by pytest.

formulas takes 3 ms of a processor for a cell and keeps 80 kB of each: of a problem that is large for it, as those of
models are, the first tokens are taken, whose cells have the same formulas. LibreOffice has them whole.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np
from problems_of_tests import problems_of_tests

from attn_gui import Problem, compute, load
from attn_gui.engine.creation.resize import resize
from attn_gui.formats.xlsx_formulas import ArraySheet
from attn_gui.formats.xlsx_writer import workbook_bytes

ROOT = Path(__file__).resolve().parents[2]

CLOSED = -1e299
ROUNDING = 64 * 2.0**-52
"""What a cell of some dozen steps may lose, times the largest number: a weight is e to a score."""
KEPT = MappingProxyType({"float64": 0.0, "float32": 2.0**-24})
"""What the engine's own number loses when it is read: all is computed in double precision, and rounded last."""
ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode"><value>0</value></prop>
</item>
</oor:items>
"""
"""A setting of LibreOffice: compute a workbook anew whenever it is opened, whatever numbers it holds."""

Cells = Callable[[str, int, int], float]
"""The number in a cell of a sheet, rows and columns counted from 1."""


def main(words: list[str]) -> int:
    if len(words) != 1 or words[0] not in PROGRAMS:
        print(__doc__)
        return 2
    warnings.simplefilter("ignore")
    examples = {path.stem: load(path) for path in sorted((ROOT / "resources" / "examples").glob("*.npz"))}
    recalculate, most = PROGRAMS[words[0]]
    problems = {name: _cut(problem, most) for name, problem in (problems_of_tests() | examples).items()}
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        paths = [Path(work, f"{number}.xlsx") for number in range(len(problems))]
        for path, problem in zip(paths, problems.values(), strict=True):
            path.write_bytes(workbook_bytes(problem))
        recalculated = recalculate(paths, Path(work))
        for (name, problem), cells in zip(problems.items(), recalculated, strict=True):
            failed += not _agrees(name, problem, cells)
    return 1 if failed else 0


def _cut(problem: Problem, most: int) -> Problem:
    """Return the problem with as many of its first tokens as have so many cells in all steps."""
    while problem.n > 1 and sum(np.asarray(cells).size for cells in _steps(problem)) > most:
        n, m = problem.n - 1, min(problem.m, problem.n - 1)
        problem = problem.replace(**resize(problem, n=n).fields)
        problem = problem.replace(**resize(problem, m=m).fields)
    return problem


def _steps(problem: Problem) -> Iterator[object]:
    trace = compute(problem)
    return (trace[stage] for stage in trace.stages)


def _agrees(name: str, problem: Problem, number: Cells) -> bool:
    """Return whether every cell of every step is the engine's, apart from rounding."""
    trace, count, apart, largest = compute(problem), 0, 0.0, 1.0
    for stage in trace.stages:
        array = np.asarray(trace[stage], dtype=np.float64)
        board, count = ArraySheet(stage, array.shape), count + array.size
        for index in np.ndindex(*array.shape):
            place, expected = board.place(index), array[index]
            got = number(stage, place.row, place.column)
            if not (np.isneginf(expected) and got < CLOSED):
                difference = abs(got - expected) / max(1.0, abs(expected))
                apart, largest = np.fmax(apart, difference), max(largest, abs(expected))
                apart = np.inf if np.isnan(difference) else apart
    most = ROUNDING * largest + KEPT[problem.dtype]
    print(
        f"{name:<28} {count:>5} cells {apart:8.1e} apart, {most:.1e} allowed  {'ok' if apart <= most else 'FAILED'}",
        flush=True,
    )
    return bool(apart <= most)


def _by_libreoffice(paths: Sequence[Path], work: Path) -> Iterator[Cells]:
    """Yield every workbook opened, computed and saved by LibreOffice, in a profile of its own."""
    import openpyxl

    (work / "profile/user").mkdir(parents=True)
    (work / "profile/user/registrymodifications.xcu").write_text(ALWAYS, encoding="utf-8")
    profile = f"-env:UserInstallation={(work / 'profile').as_uri()}"
    command = ["libreoffice", profile, "--headless", "--convert-to", "xlsx", "--outdir", str(work / "out")]
    subprocess.run([*command, *map(str, paths)], check=True, stdout=subprocess.DEVNULL)
    for path in paths:
        book = openpyxl.load_workbook(work / "out" / path.name, data_only=True)
        yield lambda sheet, row, column, book=book: float(book[sheet].cell(row, column).value)


def _by_formulas(paths: Sequence[Path], work: Path) -> Iterator[Cells]:
    """Yield every workbook computed by the Python package."""
    import formulas
    from openpyxl.utils import get_column_letter

    for path in paths:
        found = formulas.ExcelModel().loads(str(path)).finish().calculate()
        cells = {str(place).upper(): cell for place, cell in found.items()}
        book = f"[{path.name}]".upper()
        yield lambda sheet, row, column, book=book, cells=cells: float(
            cells[f"'{book}{sheet.upper()}'!{get_column_letter(column)}{row}"].value[0, 0]
        )


PROGRAMS: Mapping[str, tuple[Callable[[Sequence[Path], Path], Iterator[Cells]], int]] = MappingProxyType(
    {"libreoffice": (_by_libreoffice, 10**6), "formulas": (_by_formulas, 8_000)}
)
"""What recalculates workbooks, and the cells of a problem that it is given at most."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
