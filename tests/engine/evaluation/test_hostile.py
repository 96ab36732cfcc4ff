"""Wild numbers, each with its written answer: NaN positions are compared, not skipped."""

from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import STAGE, DenseEvaluation, Problem, ShapeError, compute, explain
from attn_gui.engine.analysis.reference import reference
from attn_gui.engine.evaluation.dense import RowwiseEvaluation
from attn_gui.engine.graph.indices import whole
from tests.failing import each, failing, share

from .hostile import CHAIN, REFUSALS, chain
from .hostile import ROWS as WRITTEN

pytestmark = pytest.mark.filterwarnings("ignore:query holds 1e308, too large for float32")
FORMULAS = Path(__file__).resolve().parents[3] / "resources" / "help" / "en" / "11-formulas.md"
ROWS = {row.id: row for row in WRITTEN}
WRITTEN_OVERFLOWS = ("normed_x", "normalized", "scores")  # as the formula is written, though not the cell: 1e308²


@pytest.fixture(scope="module")
def trace_of():
    """The trace of a row's problem; rows of one problem share it."""
    traces = {}

    def trace(row):
        if id(row.fields) not in traces:
            traces[id(row.fields)] = compute(Problem(**row.fields))
        return traces[id(row.fields)]

    return trace


def test_every_stage_meets_wild_numbers():
    assert len(ROWS) == len(WRITTEN)
    assert {row.stage for row in ROWS.values()} == set(STAGE)


def test_the_help_counts_them():
    plain = sum("dtype" not in row.fields for row in ROWS.values())
    said = f"all {len(ROWS)} matrices by the engine, NaN by place, and all {plain} of float64 by plain loops too; all "
    assert f"| {said}{len(REFUSALS)} empty or odd shapes refused by name |" in FORMULAS.read_text(encoding="utf-8")


def failing_rows(rows, check):
    """Of which rows, a share of them, `check` fails, and why."""
    return failing(share(rows, 3), check, lambda row: row.id)


def test_every_written_answer(trace_of):
    def check(row):
        found, expected = trace_of(row)[row.stage], np.asarray(row.expected, float)
        assert found.shape == (1,) * (found.ndim - expected.ndim) + expected.shape
        assert np.array_equal(np.isnan(found.reshape(expected.shape)), np.isnan(expected))
        np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-13, atol=0)

    assert not failing_rows(ROWS.values(), check)


def test_what_is_computed_while_it_is_read_warns_of_nothing(trace_of):
    def check(row):
        evaluation, trace = RowwiseEvaluation(Problem(**row.fields)), trace_of(row)
        found = evaluation.fetch(row.stage, whole(evaluation.shape(row.stage)))
        with np.errstate(over="ignore"):
            found = found.astype(trace[row.stage].dtype)
        np.testing.assert_allclose(found, trace[row.stage], rtol=1e-13, atol=0)

    assert not failing_rows(ROWS.values(), check)


def test_all_stages_of_these_problems_are_those_of_plain_loops(trace_of):
    def check(row):
        trace = trace_of(row)
        for item in range(trace.problem.batch_size):
            plain = reference(trace.problem, item)
            for stage, cells in ((stage, plain[stage]) for stage in trace.stages):
                found = trace[stage][item]
                np.testing.assert_allclose(found, np.reshape(cells, found.shape), rtol=1e-12, atol=0, err_msg=stage)

    problems = {id(row.fields): row for row in ROWS.values() if "dtype" not in row.fields}
    assert not failing_rows(problems.values(), check)


def test_every_wild_cell_is_explained(trace_of):
    def check(row, index, value):
        found = explain(trace_of(row), row.stage, index)
        assert np.array_equal([found.value], [value], equal_nan=True)
        assert found.text
        assert found.latex
        overflows = row.stage in WRITTEN_OVERFLOWS and ("1e308" in row.id or "1e-320" in row.id)
        with np.errstate(over="ignore"):
            written = np.float64(found.expression.value).astype(value.dtype)
        assert overflows or np.isclose(written, value, rtol=1e-13, atol=0, equal_nan=True), found.text

    rows = share(ROWS.values(), 3)
    cells = ((row, *cell) for row in rows for cell in list(np.ndenumerate(trace_of(row)[row.stage]))[:3])
    assert not failing(cells, lambda cell: check(*cell), lambda cell: f"{cell[0].id} {cell[1]}")


def test_axes_without_cells_are_refused():
    def check(refusal):
        with pytest.raises(ShapeError) as caught:
            Problem(**refusal.fields)
        assert str(caught.value) == refusal.sentence

    assert not failing_rows(REFUSALS, check)


CALM_SHAPES = Problem(**chain()).structure
COMING = {row.id: row.fields for row in CHAIN if row.stage == "weights"}


@each("name", [name for name, f in COMING.items() if Problem(**f).structure == CALM_SHAPES], one_of=4)
def test_wild_numbers_come_and_go(name):
    """An edit that brings them has the very bits of a fresh computation, and leaves nothing behind when undone."""
    calm, wild = Problem(**chain()), Problem(**COMING[name])
    live = DenseEvaluation(calm)
    changed = {field: [whole(array.shape)] for field, array in calm.arrays().items()}
    for problem in (wild, calm):
        live.update(problem, changed)
        for stage in live.stages:
            fresh = compute(problem)[stage]
            assert np.array_equal(live.box(stage, whole(fresh.shape)), fresh, equal_nan=True), stage
