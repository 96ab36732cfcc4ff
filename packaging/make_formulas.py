"""Typeset the formulas of the steps once, for resources/formulas.zip: the window then starts without the typesetter.

    python3 packaging/make_formulas.py

The same file comes out every time. Run it again when a formula of a step reads differently; what is not in it is
typeset when it is first shown. tests/views/test_formula_shelf.py says what is missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.create import new_problem, with_biases, with_output
from attn_gui.formats import load
from attn_gui.views.formula import sides_of
from attn_gui.views.formula_shelf import NAME, SIZE, STAND_INS, entry_name
from attn_gui.views.spine.catalog import formula_latex
from attn_gui.views.stage_formulas import short_stage_latex, stage_latex
from attn_gui.views.typeset import RoleColors, typeset_anew

RESOURCES = Path(__file__).resolve().parents[1] / "resources"
THE_DAY_ZIP_WAS_BORN = (1980, 1, 1, 0, 0, 0)
SWITCHES: tuple[tuple[dict[str, object], ...], ...] = (
    ({}, {"softcap": 2.0}),
    ({}, {"temperature": 2.0}),
    ({}, {"mask": ({"kind": "causal"},)}, {"mask": ({"kind": "alibi"},)},
     {"mask": ({"kind": "alibi"}, {"kind": "causal"})}),
)  # fmt: skip


def main() -> None:
    with ZipFile(RESOURCES / NAME, "w", ZIP_DEFLATED, compresslevel=9) as shelf:
        for latex in formulas():
            entry = ZipInfo(entry_name(latex), THE_DAY_ZIP_WAS_BORN)
            entry.compress_type = ZIP_DEFLATED
            shelf.writestr(entry, typeset_anew(latex, SIZE, RoleColors(*STAND_INS)).svg)


def formulas() -> list[str]:
    """The LaTeX of every step of the usual problems, and of their whole formula as the spine cuts it."""
    found: dict[str, None] = {}
    for evaluation in map(Evaluation, problems()):
        for form in (stage_latex, short_stage_latex):
            found |= dict.fromkeys(form(evaluation, stage) for stage in evaluation.stages)
        found |= dict.fromkeys(sides_of(formula_latex(evaluation)))
    return sorted(filter(None, found))


def problems() -> Iterator[Problem]:
    """The examples, new problems, and one with each choice of score, scale, softcap, temperature and mask."""
    yield from (load(path) for path in sorted((RESOURCES / "examples").glob("*.npz")))
    for kind in ("direct", "self", "cross"):
        problem = new_problem(kind, n=3, m=3, num_heads=2, d_k=2, d_v=2)
        for fields in ({}, with_output(problem, True), with_biases(problem, True) if problem.projected else {}):
            yield problem.replace(**fields)
    plain = new_problem("direct", n=3, m=3, num_heads=2, d_k=2, d_v=2)
    for choice in itertools.product(*SWITCHES):
        yield plain.replace(**{name: value for fields in choice for name, value in fields.items()})
    yield plain.replace(scale=1.0)
    yield plain.replace(rotary_theta=10000.0)
    for score in ("cosine", "gaussian", "average"):
        yield plain.replace(score=score)
    yield plain.replace(score="additive", score_params={
        "w_score_query": np.ones((2, 2)), "w_score_key": np.ones((2, 2)), "w_score": np.ones(2)})  # fmt: skip


if __name__ == "__main__":
    main()
