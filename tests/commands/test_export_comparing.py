"""Two states in one export: what is compared, what is refused, and whose tokens stand beside the numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import open_matrix, save

RANDOM = np.random.default_rng(4)
WEIGHTS = {f"w_{name}": RANDOM.normal(size=(4, 4)) for name in ("query", "key", "value", "output")}
PLAIN = Problem(x=RANDOM.normal(size=(3, 4)), num_heads=2, **WEIGHTS, mask=[{"kind": "causal"}])
MLP = {name: RANDOM.normal(size=(4, 4)) for name in ("w_up", "w_down")}
WITH_BLOCK = PLAIN.replace(
    block={"kind": "post", "norm1_weight": np.ones(4), "norm2_weight": np.ones(4), **MLP}, mask=[{"kind": "causal"}]
)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    save(PLAIN, tmp_path / "o.attn")
    return tmp_path / "o.attn"


def refused(capsys: pytest.CaptureFixture[str], problem: Problem, folder: Path, *words: object) -> str:
    """The one sentence that an export is refused with; nothing is written."""
    save(problem, folder / "q.attn")
    assert main(["export", str(folder / "q.attn"), "-o", str(folder / "out"), *map(str, words)]) == 2
    assert not list((folder / "out").glob("*"))
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_a_matrix_of_the_problem_is_not_compared(ending, plain, tmp_path, capsys):
    words = ("--stage", "w_query", "weights", "--compare", plain, "--show", "difference", "--format", ending)
    said = "w_query is a matrix of the problem, and two states are compared by stages: leave out --compare."
    assert said in refused(capsys, PLAIN, tmp_path, *words)


@pytest.mark.parametrize(
    "words", [("--format", "npz"), ("--stage", "up", "--format", "csv"), ("--stage", "up", "--format", "png")]
)
def test_a_stage_that_the_other_state_lacks_is_not_compared(words, plain, tmp_path, capsys):
    said = "up cannot be compared: the other state has nothing that stands for it."
    assert said in refused(capsys, WITH_BLOCK, tmp_path, "--compare", plain, *words)


def test_the_state_before_has_its_own_tokens(tmp_path):
    save(PLAIN.replace(query_tokens=("a", "b", "c")), tmp_path / "q.attn")
    save(PLAIN.replace(query_tokens=("d", "e", "f")), tmp_path / "o.attn")
    words = ["--compare", str(tmp_path / "o.attn"), "--show", "before", "--format", "csv"]
    assert main(["export", str(tmp_path / "q.attn"), "-o", str(tmp_path / "out"), *words]) == 0
    found = open_matrix(tmp_path / "out" / "q-weights-h0-vs-o-before.csv")
    assert (found.row_labels, found.column_labels) == (("d", "e", "f"), ("d", "e", "f"))
