"""Worksheets: all different, the same for the same seed, whole in their keys, and refused in a sentence."""

import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from attn_gui import Problem, load, save
from attn_gui.cli import main
from attn_gui.engine.graph.indices import whole
from attn_gui.figure import worksheet_pages
from attn_gui.figure.answer_keys import closing_lines, key_pages, result_lines, row_sums
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.worksheet_files import check_sheet
from attn_gui.figure.worksheet_pages import (
    FRAME,
    HEIGHT,
    INNER,
    MARGIN,
    Pen,
    WorksheetLayout,
    facts,
    given_tables,
    page_of_sheet,
    sheet_layout,
    stage_tables,
    whole_formula,
)
from attn_gui.figure.writers import image_of
from attn_gui.lessons.exercises import LEVELS, worksheets
from attn_gui.lessons.worked_solutions import solution_of_all
from attn_gui.paths import resource
from tests.failing import each, examples, share
from tests.printed import equations_in, wrong_equations
from tests.seen import overlapping, pixels_of

WORKED = resource("examples", "worked-example.npz")
STYLE, FRAMED = PageStyle(), Pen.frame
COUNT = examples(10)


def fingerprint(sheet):
    return tuple(array.tobytes() for array in sheet.evaluation.problem.arrays().values()), sheet.blanks, sheet.slip


def tables_of(sheet, *, solved=False):
    """Every table of a sheet: what is given, then the steps."""
    given, computed = given_tables(sheet, STYLE)
    steps = (table for names in sheet.steps for table in stage_tables(sheet, names, STYLE, solved=solved))
    return [*given, *computed, *steps]


def numbers(table):
    return [[float(text.replace("−", "-").replace("∞", "inf")) for text in row] for row in table.cells]


@each("level", LEVELS, one_of=3)
def test_ten_sheets_are_ten_different_ones_and_the_seed_repeats_them(level):
    problem = load(WORKED)
    first, again, other = (list(worksheets(problem, COUNT, seed, level)) for seed in (1, 1, 500))
    assert len({fingerprint(sheet) for sheet in first}) == COUNT
    assert [fingerprint(sheet) for sheet in first] == [fingerprint(sheet) for sheet in again]
    assert not {fingerprint(sheet) for sheet in first} & {fingerprint(sheet) for sheet in other}


def test_every_sheet_asks_for_something_that_has_to_be_computed():
    for sheet in worksheets(load(WORKED), COUNT, 1):
        weights, value = sheet.evaluation.box("weights", whole((1, 1, 2, 2))), sheet.evaluation.problem.value
        assert weights.max() <= 0.97
        assert np.abs(weights - 0.5).min() >= 0.02
        assert (value != 0).all()
        assert all(len({*column}) > 1 for column in value.T)
        assert len({*map(tuple, value)}) == len(value)


def by_hand(problem, *, rounding):
    """A student with a pocket calculator, who rounds every box, or none before the end."""
    keep = (lambda each: np.round(each, 2)) if rounding else (lambda each: each)
    found = {"S": keep(problem.query @ problem.key.T)}
    found["S′"] = keep(found["S"] / np.sqrt(problem.d_k))
    powers = np.exp(found["S′"])
    found["A"] = keep(powers / powers.sum(axis=1, keepdims=True))
    found["O"] = keep(found["A"] @ problem.value)
    return found


THREE = Problem(**dict.fromkeys(("query", "key", "value"), np.ones((3, 2))))


@each("level", LEVELS, one_of=3)
@each("problem", [load(WORKED), THREE])
def test_a_key_marks_right_who_rounds_every_box_and_who_never_rounds(problem, level):
    for sheet in worksheets(problem, COUNT, 1, level):
        paper, exact = (by_hand(sheet.evaluation.problem, rounding=each) for each in (True, False))
        tables = {table.title.split()[0]: table for table in tables_of(sheet, solved=True)}
        *line, (rule, _) = result_lines(sheet, STYLE)
        allowed = re.search(r"last digit ±(\d+)(?:, O ±(\d+))? is right", rule)
        for letter in ("S", "S′", "A", "O")[: 4 if line else 3]:
            key = np.array(numbers(tables[letter]))
            np.testing.assert_allclose(key, paper[letter], atol=1e-9)
            off = int((letter == "O" and allowed[2]) or allowed[1])
            np.testing.assert_allclose(key, exact[letter], atol=0.01 * off + 0.005001)
        for text, _ in line:  # its operands are those of the tables
            weights, result = tables["A"].cells[0], tables["O"].cells[0][0]
            assert re.findall(r"(\S+) · ", text) == [weight for weight in weights if weight != "0.00"]
            assert text.endswith(f"= {result}")
            assert equations_in(text)
            assert wrong_equations(text) == []


def causal(n, heads=1):
    same = dict.fromkeys(("query", "key", "value"), np.ones((n, 2 * heads)))
    return Problem(**same, num_heads=heads, mask="causal")


@each("problem", [load(WORKED), causal(3), causal(2, 2)], one_of=3)
def test_a_key_answers_the_sums_of_rows_that_a_sheet_asks_for(problem):
    for sheet in worksheets(problem, 5, 1, "fill"):
        found, logits = row_sums(sheet, STYLE), sheet.worked.box(sheet.worked.logits, whole(problem.map_shape))
        assert len(found) == (problem.n if problem.num_heads == 1 else 0)  # with several heads none is asked for
        for row, (label, powers, total) in enumerate(found):
            assert label == f"Row {row}: "
            right = np.exp(logits[0, 0, row]).sum()
            parts = [float(text.replace("−", "-")) for text in re.findall(r"= ([-−.\de]+)", powers)]
            assert float(total.removeprefix("sum ")) == pytest.approx(right, abs=0.005001)
            assert sum(parts) == pytest.approx(right, abs=0.01)
            exponents = [float(text) for text in re.findall(r"e\^\{([^}]+)\}", powers)]
            assert exponents == pytest.approx(logits[0, 0, row][np.isfinite(logits[0, 0, row])])
    assert all(not row_sums(sheet, STYLE) for sheet in worksheets(problem, 1, 1, "mistake"))


def test_a_key_has_the_sums_of_rows_that_are_too_long_or_too_large_for_their_powers():
    large = Problem(**dict.fromkeys(("query", "key", "value"), np.ones((2, 6))), scale=4.0)
    long = Problem(query=np.ones((2, 2)), key=np.ones((6, 2)), value=np.ones((6, 2)))
    for problem in share((large, long), 2):
        found = [(sheet, row_sums(sheet, STYLE)) for sheet in worksheets(problem, examples(5), 1, "fill", draws=1)]
        assert any(not powers for _, rows in found for _, powers, _ in rows)
        for sheet, rows in found:
            logits = sheet.worked.box(sheet.worked.logits, whole(problem.map_shape))[0, 0]
            sums = [float(total.removeprefix("sum ").replace(",", "")) for *_, total in rows]
            np.testing.assert_allclose(sums, np.exp(logits).sum(axis=1), rtol=0.005)  # three digits
    cold, left_out = Problem(query=np.ones((3, 2)), key=np.ones((3, 2)), value=np.ones((3, 2)), temperature=0.002), 0
    for sheet in worksheets(cold, 5, 1, "fill", draws=1):
        scores = sheet.worked.box(sheet.worked.logits, whole(cold.map_shape))[0, 0] / 0.002
        finite = [row for row in range(3) if scores[row].max() <= 700]  # e^710 is no finite number
        assert [label for label, *_ in row_sums(sheet, STYLE)] == [f"Row {row}: " for row in finite]
        for row, (*_, total) in zip(finite, row_sums(sheet, STYLE), strict=True):
            found = float(total.removeprefix("sum ").replace(",", ""))
            assert found == pytest.approx(np.exp(scores[row]).sum(), rel=0.005)
        left_out += 3 - len(finite)
    assert left_out


def test_of_several_heads_the_key_says_which_one_it_means():
    for sheet in worksheets(causal(2, 2), COUNT, 1, "mistake"):
        (told, _), *_ = closing_lines(sheet, STYLE, INNER)
        _, head, row, column = sheet.slip.at.index
        assert f"[{row}, {column}] of head {head} is printed as" in told
    (sheet,) = worksheets(causal(2, 2), 1, 1)
    assert result_lines(sheet, STYLE)[0][0].startswith("O[0, 0] of head 0 = ")


def test_usual_mistakes_are_seen_where_a_row_has_more_than_one_key():
    """The one open key of a first row weighs 1 whatever the scale is."""
    cells = ((load(WORKED), "A[0, 1]"), (causal(3), "A[1, 1]"), (causal(2, 2), "A[1, 1] of head 0"))
    for problem, cell in share(cells, 3):
        for sheet in worksheets(problem, examples(5), 1):
            (heading, _), *lines = closing_lines(sheet, STYLE, INNER)
            assert heading == f"Usual mistakes, seen at {cell}"
            assert any("no scaling" in text for text, _ in lines)
    for sheet in worksheets(load(WORKED), examples(20), 1, "fill"):  # who forgets the sum goes on with rounded boxes
        power = np.exp(np.round(sheet.evaluation.box("scaled", whole((1, 1, 2, 2)))[0, 0, 0, 1], 2))
        told = " ".join(text for text, _ in closing_lines(sheet, STYLE, INNER))
        if said := re.findall(r"not divided by the sum (\S+)", told):
            assert said == [f"{power:.2f}"]
    for sheet in worksheets(causal(3), examples(5), 1, "fill"):  # which prints the scores
        said = " ".join(text for text, _ in closing_lines(sheet, STYLE, INNER))
        assert "no scaling" in said
        assert "transposed" not in said
        assert "exchanged" not in said


def test_a_wrong_number_does_not_give_itself_away():
    for problem in share((load(WORKED), THREE), 2):
        for sheet in worksheets(problem, COUNT, 1, "mistake"):
            for table in tables_of(sheet):
                assert len({"." in text for row in table.cells for text in row}) == 1, table
            assert sheet.slip.at.stage != "weights" or 0.02 < sheet.slip.number < 0.98


def test_the_levels_ask_for_less_or_for_one_wrong_number():
    problem = load(WORKED)
    (weights,), (slip,) = (worksheets(problem, 1, 3, level) for level in ("fill", "mistake"))
    assert {table.title for table in tables_of(weights) if table.asked} == {"A"}
    assert [table.title for table in tables_of(weights)] == ["Q", "K", "V", "S", "S′", "A"]
    printed, right = (np.concatenate([np.ravel(numbers(table)) for table in tables_of(slip, solved=solved)])
                      for solved in (False, True))  # fmt: skip
    assert (printed != right).sum() == 1
    assert printed[printed != right] == pytest.approx(slip.slip.number, abs=0.005001)
    assert not any(table.asked for table in tables_of(slip))


def test_the_wrong_number_is_one_that_its_mistake_gives_and_clearly_off():
    for sheet in worksheets(load(WORKED), COUNT, 1, "mistake"):
        at, number, mistake = sheet.slip
        made = mistake.made_in(sheet.evaluation.problem)
        assert float(made.box(at.stage, at.box).item()) == pytest.approx(number)
        assert abs(float(sheet.evaluation.box(at.stage, at.box).item()) - number) > 0.05
        before = [names[-1] for names in sheet.steps[: [names[-1] for names in sheet.steps].index(at.stage)]]
        for stage in {*before} & {*made.stages}:  # what is printed before is right, so it was made in this step
            wrong, right = (each.box(stage, whole(each.shape(stage))) for each in (made, sheet.evaluation))
            np.testing.assert_allclose(wrong, right)


def sheet_of(**fields):
    given = {"query": np.eye(2), "key": np.eye(2), "value": np.eye(2)}
    return next(worksheets(Problem(**given, **fields), 1, 1))


@each(
    ("fields", "titles"),
    [
        ({}, ["Q", "K", "V"]),
        ({"mask": [{"kind": "bias", "values": [[1.0, 0.125], [0.0, -2.0]]}, {"kind": "causal"}]}, ["Q", "K", "V", "B"]),
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
)
def test_every_matrix_that_is_needed_is_given(fields, titles):
    """On the sheet and in the worked solution."""
    sheet = sheet_of(**fields)
    tables = given_tables(sheet, STYLE)[0]
    assert [table.title for table in tables] == titles
    assert not any(table.asked for table in tables)
    given = solution_of_all(sheet.evaluation).given
    assert [tuple(map(len, table.cells)) for table in tables] == [tuple(map(len, part.values)) for part in given]
    if titles[-1] == "B":
        assert tables[-1].cells == (("1", "0.125"), ("0", "−2"))
        computed = Problem(x=np.eye(2), **{f"w_{name}": np.eye(2) for name in ("query", "key", "value")}, **fields)
        without = next(worksheets(computed, 1, 1, projections=False))
        assert [table.title for table in given_tables(without, STYLE)[0]] == ["B"]


def test_a_sheet_says_what_its_formulas_need_besides():
    """Which columns a head takes, the factor of scores that no root divides, and the temperature."""
    shared = Problem(query=np.ones((2, 4)), key=np.eye(2), value=np.eye(2), num_heads=2, num_kv_heads=1)
    weights = Problem.from_weights(np.full((2, 2, 2), 0.5), value=np.ones((2, 4)))
    for problem, lang, said in (
        (shared, "en", "columns of heads 0, 1: Q 0–1, 2–3; K 0–1, 0–1; V 0–1, 0–1"),
        (
            shared.replace(mask=[{"kind": "causal"}]),
            "zh",
            "M（因果）：在 j ≤ i 处开放    头 0, 1 的列：Q 0–1, 2–3; K 0–1, 0–1; V 0–1, 0–1",
        ),
        (weights, "en", "columns of heads 0, 1: 0–1, 2–3"),
        (sheet_of(score="cosine").evaluation.problem, "en", "S: cosine    α = 1"),
        (sheet_of(score="cosine").evaluation.problem, "zh", "S：余弦    α = 1"),
        (sheet_of(scale=1.0).evaluation.problem, "en", "α = 1"),
        (sheet_of().evaluation.problem, "en", ""),
    ):
        assert facts(next(worksheets(problem, 1, 1)), PageStyle("light", lang)) == said
    assert r"S' / T" in whole_formula(sheet_of(temperature=2).evaluation)
    eight = Problem(**dict.fromkeys(("query", "key", "value"), np.ones((2, 8))), num_heads=8, mask=[{"kind": "causal"}])
    assert worksheet_pages.width_of(facts(next(worksheets(eight, 1, 1)), STYLE), worksheet_pages.LEAST) < INNER


def test_a_class_is_written_in_one_command(tmp_path, capsys):
    assert main(["worksheet", str(WORKED), "-o", str(tmp_path / "out"), "--lang", "zh", "--count", "8"]) == 0
    paths = capsys.readouterr().out.split()
    assert [path.rpartition("/")[2] for path in paths] == ["worked-example-worksheets.pdf", "worked-example-keys.pdf"]
    for path in paths:
        data = Path(path).read_bytes()
        assert data.startswith(b"%PDF-")
        assert len(re.findall(rb"/Type\s*/Page\b", data)) == (2 if "keys" in path else 8)
    said = pypdfium2.PdfDocument(paths[0])[0].get_textpage().get_text_range()
    assert re.search("得分 _+ / 16$", said.strip()), said[-60:]


def test_no_sheets_what_does_not_fit_and_what_has_no_step_are_refused(tmp_path, capsys):
    assert main(["worksheet", str(WORKED), "-o", str(tmp_path), "--count", "0"]) == 2
    assert "expected a whole number from 1 to 200" in capsys.readouterr().err
    for size, level, refused, less in (
        (100, "steps", "is too large for a worksheet", ""),
        (20, "fill", "do not fit on one page", "choose a smaller problem."),
        (20, "steps", "do not fit on one page", "or a level that asks for less."),
    ):
        save(Problem(**dict.fromkeys(("query", "key", "value"), np.ones((size, 4)))), tmp_path / "large.attn")
        assert main(["worksheet", str(tmp_path / "large.attn"), "-o", str(tmp_path), "--level", level]) == 2
        said = capsys.readouterr().err.strip()
        assert refused in said
        if less:
            most = int(re.search(rf"{re.escape(less)} Tokens that fit at this level: (\d+)\.$", said)[1])
            check_sheet(Problem(**dict.fromkeys(("query", "key", "value"), np.ones((most, 4)))), level)
            with pytest.raises(ValueError, match="do not fit on one page"):
                check_sheet(Problem(**dict.fromkeys(("query", "key", "value"), np.ones((most + 1, 4)))), level)
    for hidden in ({"rotary_theta": 100.0}, {"query_norm": [1.0, 1.0]}):  # the key said 0.84 where the formula gives 0
        with pytest.raises(ValueError, match="no steps for rotary positions, norms of Q and K"):
            check_sheet(Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), **hidden), "steps")


def test_texts_are_measured_once_in_a_problem_that_is_too_large(monkeypatch):
    """Of layer 2 of MiniLM each of 185,000 numbers was: it took 18 seconds to say no."""
    measured = []
    monkeypatch.setattr(worksheet_pages, "figure_font", lambda *at, **of: measured.append(at) or figure_font(*at, **of))
    with pytest.raises(ValueError, match="do not fit on one page"):
        check_sheet(load(resource("examples", "minilm-layer2.npz")), "fill")
    assert len(measured) < 10_000


KINDS = {
    "worked": load(WORKED),
    "two heads, causal": causal(3, 2),  # their tables stand side by side, with less room for working
    "additive": Problem(
        query=np.eye(2), key=np.eye(2), value=np.eye(2), score="additive",
        score_params={"w_score_query": np.eye(2), "w_score_key": np.eye(2), "w_score": [1.0, 2.0]},
    ),
    "capped, warm, with a sink": Problem(
        query=np.eye(2), key=np.eye(2), value=np.eye(2), softcap=3, temperature=2, sink=[1.0]
    ),
    "biased": Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), mask=[{"kind": "alibi"}]),
    "projections, tokens": load(resource("examples", "thinking-machines.npz")),
}  # fmt: skip


@pytest.mark.family(3)
@pytest.mark.parametrize("kind", KINDS)
@each(("level", "lang"), zip(LEVELS, ("en", "zh", "en"), strict=True), one_of=3)
def test_everything_stands_within_the_margins_and_what_is_asked_for_in_a_frame(level, kind, lang, monkeypatch, written):
    style, drawn = PageStyle("light", lang), []
    monkeypatch.setattr(Pen, "frame", lambda *at, **of: (drawn.append(at[1:]), FRAMED(*at, **of)))
    projections = check_sheet(KINDS[kind], level, lang)
    (sheet,) = worksheets(KINDS[kind], 1, 1, level, projections=projections, draws=3)
    layout: WorksheetLayout = sheet_layout(sheet, style)
    assert layout.top + layout.given.height <= layout.first
    assert layout.first + sum(layout.high) <= HEIGHT - MARGIN
    assert layout.given.width <= INNER + 1
    for flow in (layout.given, *layout.steps):
        ends = {place.y(): 0.0 for place in flow.places}
        for place, table in zip(flow.places, flow.tables, strict=True):
            ends[place.y()] = max(ends[place.y()], place.y() + flow.size.of(table)[1])
        assert all(top - end > 0.75 * flow.size.number for (_, end), (top, _) in pairwise(ends.items()))
    for flow, high in zip(layout.steps, layout.high, strict=True):
        assert flow.height <= high
        assert flow.size.number >= 8 * 96 / 72 - 0.01
    asked = sum(len(table.asked) for flow in layout.steps for table in flow.tables)
    assert bool(asked) == (level != "mistake")
    for page, count in ((page_of_sheet(sheet, style), asked), (key_pages([sheet], style)[0], 0)):
        drawn.clear()
        written.clear()
        dark = pixels_of(image_of(page, 96))[..., None].view(np.uint8)[..., :3].max(axis=2) < 120
        cells = [one[0].toAlignedRect().adjusted(3, 3, -3, -3) for one in drawn if one[-1] == FRAME]
        assert len(cells) == count
        assert not any(dark[cell.top() : cell.bottom(), cell.left() : cell.right()].any() for cell in cells)
        assert overlapping(written) == []
        assert dark.any()
        edge = int(MARGIN) - 12
        assert not dark[:, :edge].any()
        assert not dark[:, -edge:].any()
