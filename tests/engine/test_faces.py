"""The faces of the engine: traces, planes, blocks, and its import without Qt."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attn_gui import engine
from attn_gui.engine import DenseEvaluation, FieldError, Plane, Problem, StageError, compute
from attn_gui.engine.graph import indices
from attn_gui.engine.scores import SCORES
from tests.failing import each

FORMULAS = Path(__file__).parents[2] / "resources" / "help" / "en" / "11-formulas.md"


def test_a_trace_has_every_stage_with_its_batch_axis(makers):
    trace = compute(makers["all"]())
    assert trace.axes("query") == ("batch", "row", "column")
    assert trace.axes("weights") == ("batch", "head", "query", "key")
    assert trace.axes("head_output") == ("batch", "head", "query", "column")
    assert trace.axes("output") == ("batch", "query", "column")
    assert trace["query"].shape == (3, 7, 40)
    assert np.array_equal(trace["output"], trace["concat"])
    assert trace.problem == makers["all"]()
    assert "residual" not in trace
    with pytest.raises(ValueError, match="read-only"):
        trace["weights"][0, 0, 0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        trace.allowed[0, 0, 0, 0] = True
    with pytest.raises(StageError, match="'residual' is not a stage"):
        trace["residual"]


def test_past_two_gigabytes_a_trace_gives_blocks_only():
    zeros = np.zeros((16500, 1))
    zeros[3] = 1
    trace = compute(Problem(query=zeros, key=zeros, value=zeros))
    with pytest.raises(FieldError, match=r"^scores would take 2.0 GB: read it in parts with trace.block\.$"):
        trace["scores"]
    assert trace.block("scores", 0, 0, slice(2, 5), slice(3, 5)).tolist() == [[0, 0], [1, 0], [0, 0]]
    assert trace["output"][0, 0, 0] == pytest.approx(1 / 16500)


def test_blocks_and_head_columns(makers):
    evaluation = DenseEvaluation(makers["all"]())
    assert evaluation.head_columns("query", 7) == slice(28, 32)
    assert evaluation.head_columns("rotated_key", 7) == slice(4, 8)
    assert evaluation.head_columns("value", 4) == slice(0, 17)
    assert evaluation.head_columns("concat", 7) == slice(119, 136)
    assert evaluation.head_columns("weights", 7) == slice(0, 11)
    key = evaluation.box("key", indices.whole(evaluation.shape("key")))
    assert np.array_equal(evaluation.block("key", 1, None, slice(2, 4), slice(None)), key[1, 2:4])
    assert np.array_equal(evaluation.block("key", 1, 7, slice(2, 4), slice(1, 3)), key[1, 2:4, 5:7])
    weights = evaluation.box("weights", indices.whole(evaluation.shape("weights")))
    assert np.array_equal(evaluation.block("weights", 1, 7, slice(2, 4), slice(0, 99)), weights[1, 7, 2:4])
    with pytest.raises(FieldError, match="weights has a map for every head"):
        evaluation.block("weights", 0, None, slice(None), slice(None))
    assert evaluation.allowed(1, 7, slice(2, 4), slice(0, 5)).shape == (2, 5)
    assert DenseEvaluation(makers["plain"]()).allowed(0, 0, slice(None), slice(None)) is None


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize(
    ("stage", "head"), [("weights", 7), ("key", 7), ("key", None), ("output", 0), ("head_output", 3)]
)
def test_a_plane_shows_one_head_of_one_item(makers, stage, head, transposed):
    evaluation = DenseEvaluation(makers["all"]())
    plane = Plane(evaluation, stage, batch=2, head=head, transposed=transposed)
    rows, columns = plane.shape
    values, allowed = plane.block(slice(0, rows), slice(0, columns))
    assert values.shape == (rows, columns)
    assert (allowed is not None) == (stage == "weights")
    for row, column in [(0, 0), (rows - 1, columns - 1), (1, 2)]:
        assert values[row, column] == evaluation.box(stage, indices.cell(plane.index(row, column))).item()
        assert plane.cells(indices.cell(plane.index(row, column))) == (slice(row, row + 1), slice(column, column + 1))
    assert plane.cells(indices.whole(evaluation.shape(stage))) == (slice(0, rows), slice(0, columns))
    assert plane.cells((slice(0, 2), *indices.whole(evaluation.shape(stage))[1:])) is None
    assert plane.signed == (stage != "weights")


def test_a_plane_shows_nothing_of_other_heads(makers):
    plane = Plane(DenseEvaluation(makers["plain"]()), "weights", head=2)
    assert plane.cells((slice(0, 1), slice(3, 5), slice(0, 1), slice(0, 1))) is None
    query = Plane(DenseEvaluation(makers["plain"]()), "query", head=2)
    assert query.cells((slice(0, 1), slice(0, 1), slice(0, 26))) is None
    assert query.cells((slice(0, 1), slice(0, 1), slice(25, 28))) == (slice(0, 1), slice(0, 2))


def test_the_engine_imports_without_qt():
    script = (
        "import sys; sys.modules['PySide6'] = sys.modules['pyqtgraph'] = None\n"
        "import attn_gui.engine as e\n"
        "print(e.compute(e.new_problem(n=2, d_k=2))['weights'].shape, 'attn_gui.document' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "(1, 1, 2, 2) False"


def public_functions() -> list[str]:
    """Every function of the engine, and the record that all of them take."""
    return [name for name in engine.__all__ if name == "Problem" or inspect.isfunction(getattr(engine, name))]


COMPUTING = ("Problem", "compute", "explain", "sensitivity", "solve", "verify")  # by formulas, from papers
NEVER_RAISES = ("head_counts", "made_direct", "symbol", "with_biases", "clash_of", "reshaped")


@each("name", public_functions())
def test_a_public_function_says_its_shapes_errors_and_source(name):
    said = inspect.getdoc(getattr(engine, name)) or ""
    first, _, rest = said.partition("\n")
    assert first.endswith((".", ";"))
    assert ("Raises" in said) != (name in NEVER_RAISES)
    if name in COMPUTING:
        assert re.search("[Ss]hape", rest)
        assert re.search(r"Source: .*\d{4}", rest, re.DOTALL)


@each("kind", [*SCORES, "softmax", "rotary", "softcap", "layer_norm", "window", "prefix", "alibi"])
def test_what_comes_from_a_paper_names_it(kind):
    """In the page of the help that says what is computed."""
    page = FORMULAS.read_text(encoding="utf-8").partition("\n## ")[0]
    rows = {row.split("|")[1].strip().strip("`").lower(): row for row in page.splitlines() if row.startswith("| ")}
    called = {
        "dot": "scaled dot product, `dot",
        "rotary": "rotary positions",
        "softcap": "softcap c",
        "layer_norm": "layernorm",
    }.get(kind, kind)
    assert called in rows
    assert kind in ("average", "softmax") or re.search(r"(19|20)\d\d", rows[called])
