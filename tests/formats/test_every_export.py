"""Every kind of file that the program writes opens again in it, or says which would."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import attn_gui
from attn_gui.formats import FORMATS, IMAGES, FormatError, load, load_matrix, numbers, open_file, open_matrix
from attn_gui.formats.scripts import SCRIPTS
from attn_gui.paths import resource

WITHOUT = {"gif": "carries no problem; a session", "numpy": "carries no problem; a session"}
WITHOUT["pytorch"] = WITHOUT["numpy"]
AS_IT_IS = ("xlsx", "png", "svg", "pdf")  # the very problem; arrays by name lose X and its weights, as README says


@pytest.mark.parametrize("example", ["worked-example", "thinking-machines", "transformer-layer"])
@pytest.mark.parametrize("form", [*numbers(), *IMAGES, *SCRIPTS])
def test_every_file_that_is_exported_opens_again_or_says_what_would(form: str, example: str, tmp_path: Path) -> None:
    problem = load(resource("examples", f"{example}.npz"))
    weights = attn_gui.compute(problem)["weights"]
    for head, path in enumerate(attn_gui.export_files(problem, tmp_path, format=[form])):
        if form in WITHOUT:
            with pytest.raises(FormatError, match=WITHOUT[form]):
                load(path)
        elif form in FORMATS and FORMATS[form].holds_matrix:
            np.testing.assert_array_equal(open_matrix(path).values, weights[0, head])
        elif form in AS_IT_IS:
            assert load(path) == problem
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.testing.assert_allclose(attn_gui.compute(load(path))["weights"], weights, rtol=1e-12)


@pytest.mark.parametrize("form", ["md", "tex"])
def test_a_worked_solution_opens_as_its_q_k_and_v(form: str, tmp_path: Path) -> None:
    problem = load(resource("examples", "worked-example.npz"))
    path = tmp_path / f"a.{form}"
    attn_gui.write_solution(problem, path)
    found = open_file(path)
    assert found.problem.query.tolist() == problem.query.tolist()
    assert found.problem.value.tolist() == problem.value.tolist()
    assert load_matrix(path, name="K").tolist() == problem.key.tolist()
    with pytest.raises(FormatError, match="holds 7 matrices: Q: 2 × 3"):
        load_matrix(path)
