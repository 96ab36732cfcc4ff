"""Worksheets: all different, the same for the same seed, whole in their keys, and refused in a sentence."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from attn_gui import Problem, load, save
from attn_gui.cli import main
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph.indices import whole
from attn_gui.figure.pages.base import PageStyle
from attn_gui.figure.worksheets import facts_of, tables_of
from attn_gui.lessons.exercises import Blank, random_blanks, worksheets
from attn_gui.lessons.solutions import solution_of_all
from attn_gui.paths import resource

WORKED = resource("examples", "worked-example.npz")


def fingerprint(sheet):
    return tuple(array.tobytes() for array in sheet.evaluation.problem.arrays().values()), sheet.blanks


def test_twenty_sheets_are_twenty_different_ones_and_the_seed_repeats_them():
    problem = load(WORKED)
    first, again, other = (list(worksheets(problem, 20, seed, (), 6)) for seed in (1, 1, 500))
    assert len({fingerprint(sheet) for sheet in first}) == 20
    assert [fingerprint(sheet) for sheet in first] == [fingerprint(sheet) for sheet in again]
    assert not {fingerprint(sheet) for sheet in first} & {fingerprint(sheet) for sheet in other}
    assert all(len(sheet.blanks) == 6 for sheet in first)


def test_a_key_has_the_numbers_of_an_independent_computation():
    (sheet,) = worksheets(load(WORKED), 1, 7, ("weights", "head_output"), 8)
    problem = sheet.evaluation.problem
    scores = problem.query @ problem.key.T / np.sqrt(3)
    powers = np.exp(scores)
    expected = {"A": powers / powers.sum(axis=1, keepdims=True)}
    expected["O"] = expected["A"] @ problem.value
    tables = {table.title.split()[0]: table for table in tables_of(sheet, PageStyle())}
    for letter, matrix in expected.items():
        found = [[float(text.replace("−", "-")) for text in row] for row in tables[letter].cells]
        np.testing.assert_allclose(found, matrix, atol=0.005001)
    assert sum(len(table.left) for table in tables.values()) == 8
    assert tables["S"].left == frozenset()


def test_a_number_that_stands_twice_is_left_out_twice():
    rng = np.random.default_rng(0)
    fields = {name: rng.normal(size=(3, 2)) for name in ("query", "key", "value")}
    (sheet,) = worksheets(Problem(**fields, mask=[{"kind": "causal"}]), 1, 1, ("masked",), 3)
    left = {table.title.split()[0]: table.left for table in tables_of(sheet, PageStyle()) if table.left}
    assert len(left) == 2  # the scaled scores and the masked ones
    assert len(set(left.values())) == 1


def sheet_of(**fields):
    given = {"query": np.eye(2), "key": np.eye(2), "value": np.eye(2)}
    return next(worksheets(Problem(**given, **fields), 1, 1, (), 2))


@pytest.mark.parametrize(
    ("fields", "titles"),
    [
        ({}, ["Q", "K", "V"]),
        ({"mask": [{"kind": "bias", "values": [[1.0, 0.5], [0.0, -2.0]]}, {"kind": "causal"}]}, ["Q", "K", "V", "B"]),
        ({"mask": [{"kind": "bias", "values": np.eye(2), "enabled": False}]}, ["Q", "K", "V"]),
        ({"num_heads": 2, "mask": [{"kind": "alibi"}]}, ["Q", "K", "V", "B  head 0", "B  head 1"]),
        (
            {
                "score": "additive",
                "score_params": {"w_score_query": np.eye(2), "w_score_key": np.eye(2), "w_score": [1.0, 2.0]},
            },
            ["Q", "K", "V", "W_q", "W_k", "w"],
        ),
    ],
    ids=["plain", "bias", "switched off", "ALiBi", "additive"],
)
def test_every_matrix_that_is_needed_is_given(fields, titles):
    """On the sheet and in the worked solution."""
    sheet = sheet_of(**fields)
    tables = [table for table in tables_of(sheet, PageStyle()) if table.title in titles]
    assert [table.title for table in tables] == titles
    assert not any(table.left for table in tables)
    given = solution_of_all(sheet.evaluation).given
    assert [tuple(map(len, table.cells)) for table in tables] == [tuple(map(len, part.values)) for part in given]
    if titles[-1] == "B":
        assert tables[-1].cells == (("1", "0.5"), ("0", "−2"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, ""),
        ({"scale": 0.3, "softcap": 3, "temperature": 2}, "α = 0.3    cap = 3    T = 2"),
        ({"score": "gaussian", "score_params": {"w": 2.0}}, "S: Gaussian    w = 2    κ = 1"),
        ({"score": "cosine"}, "S: cosine"),
        ({"rotary_theta": 100.0}, "θ = 100"),
    ],
)
def test_every_number_that_is_needed_is_given(fields, said):
    assert facts_of(sheet_of(**fields), PageStyle()) == said


def test_no_number_of_a_sheet_is_changed_by_hand():
    by_hand = [{"kind": "set", "stage": "scores", "at": {"query": 0, "key": 0}, "values": 50.0}]
    (plain,), (sheet,) = (worksheets(load(WORKED).replace(interventions=each), 1, 1, (), 6) for each in ((), by_hand))
    assert list(tables_of(sheet, PageStyle())) == list(tables_of(plain, PageStyle()))


def test_every_cell_that_is_left_out_of_a_batch_is_on_the_sheet():
    rng = np.random.default_rng(0)
    problem = Problem(**{name: rng.normal(size=(3, 2, 2)) for name in ("query", "key", "value")})
    for sheet in worksheets(problem, 5, 1, (), 8):
        assert len(sheet.blanks) == 8
        assert (
            sum(len(table.left) for table in tables_of(sheet, PageStyle())) >= 8
        )  # a score of 0 is left out scaled, too
    with pytest.raises(ValueError, match="only 16 cells to leave out; 17"):
        list(worksheets(problem, 1, 1, (), 17))


def test_closed_cells_are_never_left_out():
    rng = np.random.default_rng(0)
    problem = Problem(
        **{name: rng.normal(size=(4, 4)) for name in ("query", "key", "value")}, mask=[{"kind": "causal"}]
    )
    for sheet in worksheets(problem, 20, 1, ("masked", "weights"), 8):
        assert all(blank.index[2] >= blank.index[3] for blank in sheet.blanks)


def test_q_k_and_v_that_are_given_have_nothing_to_leave_out():
    problem = Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2))
    for sheet in worksheets(problem, 5, 1, ("value", "weights"), 4):
        assert {blank.stage for blank in sheet.blanks} == {"weights"}
    with pytest.raises(ValueError, match="only 0 cells to leave out; 1"):
        list(worksheets(problem, 1, 1, ("query",), 1))


@pytest.mark.parametrize("count", [1, 7, 40])
def test_a_seed_draws_the_cells_that_it_draws_from_a_list_of_all(count):
    rng = np.random.default_rng(3)
    shapes = {"query": (3, 10), "key": (5, 10), "value": (5, 14)}
    fields = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    evaluation = evaluation_of(Problem(**fields, num_heads=2, mask=[{"kind": "window", "left": 1, "right": 1}]))
    stages = ("masked", "weights", "head_output")
    closed = np.isneginf(evaluation.box("masked", whole(evaluation.shape("masked"))))
    every = [
        Blank(stage, at)
        for stage in stages
        for at, number in np.ndenumerate(evaluation.box(stage, whole(evaluation.shape(stage))))
        if np.isfinite(number) and not (stage == "weights" and closed[at])
    ]
    drawn = np.random.default_rng(count).choice(len(every), size=count, replace=False)
    assert random_blanks(evaluation, stages, count, count) == {every[place] for place in drawn}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_class_is_written_in_one_command(tmp_path, capsys, lang):
    assert main(["worksheet", str(WORKED), "-o", str(tmp_path / "out"), "--lang", lang]) == 0
    paths = capsys.readouterr().out.split()
    assert [path.rpartition("/")[2] for path in paths] == ["worked-example-worksheets.pdf", "worked-example-keys.pdf"]
    for path in paths:
        data = Path(path).read_bytes()
        assert data.startswith(b"%PDF-")
        assert len(re.findall(rb"/Type\s*/Page\b", data)) == 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--blanks", "99"], "There are only 16 cells to leave out; 99 were asked for."),
        (["--stage", "nope"], "'nope' is not a stage of this problem"),
        (["--count", "0"], "expected a whole number from 1 to 200"),
        (["--lang", "fr"], "invalid choice: 'fr'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(tmp_path, capsys, words, said):
    assert main(["worksheet", str(WORKED), "-o", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("*.pdf"))


def test_what_does_not_fit_on_paper_is_refused(tmp_path, capsys):
    for size, said in ((100, "is too large for a worksheet"), (20, "do not fit on a page")):
        save(Problem(**dict.fromkeys(("query", "key", "value"), np.ones((size, 4)))), tmp_path / "large.attn")
        assert main(["worksheet", str(tmp_path / "large.attn"), "-o", str(tmp_path)]) == 2
        assert said in capsys.readouterr().err
