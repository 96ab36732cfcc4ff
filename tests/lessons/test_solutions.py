"""Worked solutions: every number on them is the engine's, all writers say the same, and no sheet is too long."""

import re
from contextlib import suppress

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.worksheet_files import SHEETS, solution_pages, write_solution
from attn_gui.figure.writers import image_of
from attn_gui.formats import FormatError, load, open_file
from attn_gui.lessons.exercises import CoveredEvaluation
from attn_gui.lessons.worked_solutions import (
    SolutionSentence,
    WrittenEquation,
    WrittenMatrix,
    given_matrices,
    latex_document,
    markdown_text,
    parts_of,
    solution_of_all,
    solution_of_cell,
)
from attn_gui.paths import resource
from tests.failing import each
from tests.formats.test_scripts import PROBLEMS
from tests.printed import disagreement, is_checked
from tests.seen import pixels_of

WORKED, MINILM = (resource("examples", f"{name}.npz") for name in ("worked-example", "minilm-layer2"))
PLAIN = Problem(query=[[2.0, 3], [3, 0]], key=[[1.0, 1], [0, 1]], value=[[1.0], [2]])
ONE_BY_ONE = {"query": [[1.0]], "key": [[2.0]], "value": [[3.0]]}


def of_all(problem):
    return solution_of_all(evaluation_of(problem))


def parts(solution, lang="en"):
    return list(parts_of(solution, PageStyle("light", lang).translate, lang))


def several():
    random = np.random.default_rng(5)
    return Problem(
        query=random.normal(size=(2, 4)),
        key=random.normal(size=(3, 4)),
        value=random.normal(size=(3, 4)),
        num_heads=2,
        w_output=random.normal(size=(4, 2)),
        mask=[{"kind": "causal"}],
        interventions=[{"kind": "set", "stage": "weights", "at": {"head": 0, "query": 1, "key": 0}, "values": 0.25}],
    )


@each("problem", [load(WORKED), several()])
def test_every_equation_ends_with_the_number_of_the_engine(problem):
    trace, checked = compute(problem), 0
    for step in of_all(problem).steps:
        for cell in step.cells:
            if not step.stage.startswith("computed."):
                exact = trace[step.stage][cell.index]
                assert float(cell.value_latex.strip("{}")) == pytest.approx(exact, rel=5e-4, abs=5e-5)
                checked += 1
    assert checked >= 16


def test_matrices_of_the_sheet_are_the_stages():
    problem = several()
    trace, written = compute(problem), [part for part in parts(of_all(problem)) if isinstance(part, WrittenMatrix)]
    masked = [part for part in written if part.letter == "Sᵐ"]
    assert len(masked) == 2
    assert np.array_equal(masked[1].values, trace["masked"][0, 1])
    assert masked[0].rows[0][1] == r"{-\infty}"
    assert np.array_equal(written[-1].values, trace["output"][0])


def sentences(solution):
    return [part.text for part in parts(solution) if isinstance(part, SolutionSentence)]


def test_a_cell_that_is_changed_by_hand_says_so():
    """A number without a reason would look like a mistake of the sheet."""
    evaluation, said = evaluation_of(several()), "a (1, 0) is 0.25: changed by hand. Computed, it would be 0."
    cell = (0, 0, 1, 0)
    for solution in (solution_of_all(evaluation), solution_of_cell(evaluation, "head_output", cell)):
        assert sum(said in text for text in sentences(solution)) == 1
    left = evaluation_of(several().replace(interventions=[{"kind": "scale", "stage": "weights", "factor": 1.0}]))
    words = sentences(solution_of_cell(left, "weights", cell))
    assert any("(1, 0) is 0.7980: a change by hand leaves it as computed." in text for text in words)
    scaled = several().replace(interventions=[{"kind": "scale", "stage": "weights", "factor": 0.5}])
    sheet = parts(solution_of_cell(evaluation_of(scaled), "weights", cell))
    assert sheet[-3].sides[-1] == sheet[-1].sides[-1]


def test_what_is_changed_by_hand_is_reckoned_as_it_was_computed_first():
    doubled = PLAIN.replace(interventions=[{"kind": "scale", "stage": "scaled", "factor": 2.0}])
    text = markdown_text(parts(solution_of_cell(evaluation_of(doubled), "weights", (0, 0, 0, 0))))
    assert text.index(r"\frac{q_{0} \cdot k_{0}}{\sqrt{2}} = \frac{5}{1.41421} = 3.5355") < text.index(
        "s′ (0, 0) is 7.071"
    )


def test_every_letter_of_an_equation_is_given_or_made_before():
    gaussian = Problem(**ONE_BY_ONE, score="gaussian", score_params={"w": 2.0, "key_norm": 0.5})
    text = markdown_text(parts(of_all(gaussian)))
    assert text.index("w = 2\n") < text.index(r"\kappa = 0.5") < text.index("w^{2}")
    assert text.index("S' = ") < text.index("e^{s'_{0,0}}")
    joined = Problem(**ONE_BY_ONE, w_output=[[2.0]])
    assert [step.stage for step in of_all(joined).steps[-2:]] == ["concat", "output"]
    assert [step.stage for step in of_all(Problem(**ONE_BY_ONE)).steps][-1] == "head_output"
    cell = solution_of_cell(evaluation_of(PLAIN.replace(scale=1.0)), "weights", (0, 0, 0, 0))
    assert r"s'_{0,0} = q_{0} \cdot k_{0} = 5" in markdown_text(parts(cell))


def test_a_cell_begins_with_the_rows_that_it_reads_and_works_out_their_product():
    written = parts(solution_of_cell(evaluation_of(load(WORKED)), "head_output", (0, 0, 1, 1)))
    rows = {part.latex: part.values[0].tolist() for part in written if isinstance(part, WrittenMatrix)}
    assert rows == {"q_{1}": [0, 1, 1], "k_{0}": [1, 1, 0], "k_{1}": [0, 1, 1], "v_{0}": [1, 2], "v_{1}": [3, 4]}
    first = next(part for part in written if isinstance(part, WrittenEquation) and len(part.sides) > 2)
    assert first.sides[1:] == (r"0 \cdot 1 + 1 \cdot 1 + 1 \cdot 0", "1")


def test_a_sheet_of_one_cell_names_it_and_says_its_head_once_above_what_is_given():
    batched = several().replace(**{name: [getattr(several(), name)] * 2 for name in ("query", "key", "value")})
    cell = solution_of_cell(evaluation_of(batched), "head_output", (0, 1, 1, 0))
    for lang, title in (
        ("en", "# Worked solution of Head output (1, 0), head 1, item 0"),
        ("zh", "# 单头输出 (1, 0)，头 1，样本 0 的完整解答"),
    ):
        assert markdown_text(parts(cell, lang)).partition("\n")[0] == title
    given = markdown_text(parts(cell)).partition("## Given")[2].partition("## Step")[0]
    assert (given.count("head 1"), given.count("bmatrix")) == (1, 10)


def test_the_name_of_a_head_does_not_stick_to_the_matrix_above_it():
    matrix = WrittenMatrix("A", "A", np.eye(2), [["1", "0"], ["0", "1"]])
    (page,) = solution_pages([matrix, SolutionSentence("head 1"), matrix], PageStyle())
    inked = (pixels_of(image_of(page, 96)) & 255 < 160).any(axis=1)
    _, end, top, bottom, begin, *_ = np.flatnonzero(np.diff(inked.astype(int)))
    assert top - end > 0.8 * (begin - bottom)


@each("lang", ["en", "zh"])
def test_writers_say_the_same(lang):
    sheet = parts(of_all(load(WORKED)), lang)
    latex, markdown = latex_document(sheet, lang), markdown_text(sheet)
    for part in sheet:
        if isinstance(part, WrittenEquation):
            assert part.chain in latex
            assert part.chain in markdown
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    assert markdown.count("$$") % 2 == 0
    assert ("第 1 步" in latex) == (lang == "zh")
    assert ("ctex" in latex) == (lang == "zh")
    if lang == "en":  # all that pdflatex takes without further packages
        assert latex.isascii()


@each(
    ("solve", "said"),
    [
        (lambda: of_all(open_file(MINILM).problem), "matrices of up to 14 columns, Q has 384"),
        (
            lambda: of_all(Problem(query=np.ones((50, 1)), key=[[1.0]], value=[[1.0]])),
            "matrices of up to 40 rows, Q has 50",
        ),
        (
            lambda: of_all(Problem(query=np.ones((40, 2)), key=np.ones((12, 2)), value=np.ones((12, 2)))),
            "more than 400",
        ),
        (lambda: solution_of_cell(evaluation_of(open_file(MINILM).problem), "concat", (0, 99, 0)), "99"),
    ],
)
def test_what_nobody_could_read_is_refused_in_a_sentence(solve, said):
    with pytest.raises((FormatError, LookupError), match=said):
        solve()


# --- files ---------------------------------------------------------------------------------------
@each(
    ("choices", "said"),
    [
        ({"stage": "weights"}, "A cell needs stage and cell"),
        ({"stage": "weights", "index": (0, 0, 1, 1), "batch": 1}, "leave out batch"),
        ({"lang": "fr"}, "'fr' is not one of en, zh"),
        ({"batch": 0.0}, "batch must be a whole number"),
        ({"stage": "output", "cell": (0, 0), "head": 3}, "head is for a cell of a stage that has heads"),
        ({"stage": "weights", "index": (0, 0, 1, 1), "head": 2}, "leave out batch, cell and head"),
    ],
)
def test_choices_that_mean_nothing_together_are_refused(choices, said, tmp_path):
    with pytest.raises((ValueError, TypeError), match=said):
        write_solution(load(WORKED), tmp_path / "a.md", **choices)
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_it(tmp_path, capsys):
    words = ["solution", str(WORKED), "-o", str(tmp_path), "--format", "pdf", "tex", "md"]
    assert main(words) == 0
    assert main([*words, "--stage", "head_output", "--cell", "1,0"]) == 0
    names = [line.rpartition("/")[2] for line in capsys.readouterr().out.splitlines()]
    assert names == [
        f"worked-example-solution{part}.{ending}"
        for part in ("", "-head_output-h0-1-0")
        for ending in ("pdf", "tex", "md")
    ]
    assert "2.281" in (tmp_path / names[-1]).read_text("utf-8")


@each(
    ("more", "said"),
    [
        (["--stage", "weights"], "A cell needs --stage and --cell"),
        (["--stage", "weight", "--cell", "0,0"], "'weight' is not a stage of this problem"),
        (["--head", "2"], "--head is for a cell of a stage that has heads"),
        (["--batch", "3"], "There is no batch item 3"),
    ],
)
def test_a_bad_argument_is_one_sentence(more, said, tmp_path, capsys):
    assert main(["solution", str(WORKED), "-o", str(tmp_path / "out"), *more]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"attn-gui: [^\n]+\.\n", err)
    assert said in err


def test_what_would_be_wider_than_the_paper_is_broken_or_made_smaller():
    """The four parts of a score, in letters and in numbers, ran off the page that pdflatex made of them."""
    latex = latex_document(parts(of_all(load(resource("examples", "thinking-machines.npz")))), "en")
    assert r"q_{0,3}\,k_{0,3} \\" in latex
    wide = Problem(query=np.full((1, 14), -0.55534), key=np.full((1, 14), -0.55534), value=[[1.0]])
    assert r"\[ \resizebox{\linewidth}{!}{$Q = \begin{bmatrix}" in latex_document(parts(of_all(wide)), "en")


def test_what_a_mask_adds_is_given_with_its_head_and_layers_that_open_and_close_are_in_words():
    arrays = {name: np.eye(2) for name in ("query", "key", "value")}
    values = np.arange(8.0).reshape(2, 2, 2)
    layers = [{"kind": "custom", "allowed": np.ones((2, 2), bool)}, {"kind": "bias", "values": values}]
    problem = Problem(**arrays, num_heads=2, mask=layers)
    found = [(name, head) for name, head, *_ in given_matrices(evaluation_of(problem), 0)]
    assert found[:3] == [("query", None), ("key", None), ("value", None)]
    assert found[3:] == [("mask.1.values", 0), ("mask.1.values", 1), ("allowed", None)]
    two = {name: np.stack([array, array]) for name, array in arrays.items()}
    bias = {"kind": "bias", "values": np.arange(16.0).reshape(2, 2, 2, 2)}
    batch = Problem(**two, num_heads=2, mask=[bias], batch_axis=True)
    assert [one.values[0, 0] for one in given_matrices(evaluation_of(batch), 1)][3:] == [8.0, 12.0]
    alone = Problem.from_weights(np.full((2, 2, 2), 0.5))
    assert [one.head for one in given_matrices(evaluation_of(alone), 0)] == [0, 1]
    assert not any("custom" in text for text in sentences(of_all(problem)))  # M says it, cell by cell
    assert r"M (causal): open where j $\le$ i\par" in latex_document(parts(of_all(several())), "en")
    for stage, said in (("query", False), ("scaled", False), ("output", True)):
        solution = solution_of_cell(evaluation_of(several()), stage, (0, 0, 0, 0)[: 4 if stage == "scaled" else 3])
        assert any(text.startswith("M (causal)") for text in sentences(solution)) == said
        assert ("d_k" in markdown_text(parts(solution))) == (stage != "query")
    closed = Problem(query=np.eye(4)[:, :2], key=np.eye(2), value=np.eye(2), mask=[{"kind": "causal", "align": "end"}])
    solution = solution_of_cell(evaluation_of(closed), "weights", (0, 0, 0, 0))
    assert "M (causal): open where j ≤ i − 2" in sentences(solution)
    prefix = closed.replace(mask=[{"kind": "prefix", "length": 1}])
    assert "在 j < 1 或 j ≤ i 处开放" in markdown_text(parts(of_all(prefix), "zh"))


def test_a_mask_cell_by_cell_is_given_as_what_is_added():
    allowed = np.array([[[True, False, True]], [[False, True, True]]])  # by head, the same for all queries
    problem = several().replace(mask=[{"kind": "custom", "allowed": allowed}, {"kind": "causal"}], interventions=())
    matrices = [part for part in parts(of_all(problem)) if isinstance(part, WrittenMatrix) and part.letter == "M"]
    closed = np.array([[[0, 1, 1], [0, 1, 1]], [[1, 1, 1], [1, 0, 1]]], bool)  # by the layers together
    assert np.array_equal([np.isneginf(part.values) for part in matrices], closed)
    for stage, index, rows in (
        ("weights", (0, 1, 1, 1), {"m_{1}": [-np.inf, 0, -np.inf]}),
        ("weights", (0, 1, 0, 0), {"m_{0}": [-np.inf] * 3}),  # there are no steps
        ("scaled", (0, 1, 1, 1), {}),
    ):
        sheet = parts(solution_of_cell(evaluation_of(problem), stage, index))
        given = {part.latex: part.values[0].tolist() for part in sheet if isinstance(part, WrittenMatrix)}
        assert {name: row for name, row in given.items() if name.startswith("m")} == rows
    layer = {"kind": "custom", "allowed": np.arange(18 * 18).reshape(18, 18) % 5 > 0}
    wide = Problem(query=np.eye(18)[:, :2], key=np.eye(18)[:, :2], value=np.eye(18)[:, :2], mask=[layer])
    sheet = solution_of_cell(evaluation_of(wide), "weights", (0, 0, 3, 1))
    assert {one.name for one in sheet.given} == {"query", "key"}  # M alone is too wide
    assert "M (custom): open: 259 of 324 cells" in sentences(sheet)
    with pytest.raises(FormatError, match="up to 14 columns, M has 18"):
        of_all(wide)


def test_a_cell_is_named_as_on_the_command_line(tmp_path):
    problem = several()
    for by_index, by_cell in (
        ({"stage": "weights", "index": (0, 1, 1, 0)}, {"stage": "weights", "cell": (1, 0), "head": 1}),
        ({"stage": "output", "index": (0, 1, 1)}, {"stage": "output", "cell": (1, 1)}),
    ):
        one, other = (
            write_solution(problem, tmp_path / name, **words) for name, words in (("a.md", by_index), ("b.md", by_cell))
        )
        assert one.read_bytes() == other.read_bytes()


# --- formulas ------------------------------------------------------------------------------------
TWO_EXPONENTS = re.compile(r"\^(?:\{(?:[^{}]|\{[^{}]*\})*\}|.)(?:_(?:\{[^{}]*\}|.))?\^")


@each("problem", list(PROBLEMS.values())[::7], one_of=4)
def test_tex_takes_every_equation(problem):
    """A letter with two exponents is an error of TeX, and in Jupyter; fields of an environment stand by themselves."""
    evaluation = evaluation_of(problem)
    for stage in evaluation.stages:
        for part in parts(solution_of_cell(evaluation, stage, (0,) * len(evaluation.axes(stage)))):
            if isinstance(part, WrittenEquation):
                assert not TWO_EXPONENTS.search(" & ".join((part.chain, *part.parts))), stage


@each(
    "name", ["worked-example", "thinking-machines", "nadaraya-watson", "transformer-layer", "minilm-layer2"], one_of=5
)
def test_every_equation_of_an_example_is_what_a_calculator_says(name):
    evaluation = evaluation_of(load(resource("examples", f"{name}.npz")))
    try:
        solutions = [solution_of_all(evaluation)]
    except FormatError:  # too many equations to be read: cell by cell
        solutions = []
        for stage in evaluation.stages:
            with suppress(FormatError):
                last = tuple(size - 1 for size in evaluation.shape(stage))
                solutions.append(solution_of_cell(evaluation, stage, last))
    written = [part for solution in solutions for part in parts(solution) if isinstance(part, WrittenEquation)]
    assert [part for part in written if disagreement(part.sides)] == []
    assert sum(is_checked(part.sides) for part in written) >= 16


def test_a_closed_key_has_no_part_in_a_solution():
    problem = several().replace(interventions=())
    solution = solution_of_cell(evaluation_of(problem), "weights", (0, 0, 0, 0))
    assert {cell.index for step in solution.steps for cell in step.cells} <= {(0, 0, 0, 0)}


@each("ending", SHEETS)
def test_python_writes_it(ending, tmp_path):
    path = write_solution(load(WORKED), tmp_path / f"a.{ending}", stage="weights", index=(0, 0, 1, 1), lang="zh")
    assert path.stat().st_size > 300
    with pytest.raises(ValueError, match="a pdf, tex, md file, got docx"):
        write_solution(load(WORKED), tmp_path / "a.docx")


# --- cells left out of an evaluation --------------------------------------------------------------


@pytest.fixture
def evaluation():
    random = np.random.default_rng(0).standard_normal
    fields = {name: random((4, 6)) for name in ("query", "key", "value")}
    return DenseEvaluation(Problem(**fields, num_heads=2, mask=[{"kind": "causal"}]))


def left_out(covered):
    found = {}
    for stage in covered.stages:
        values = covered.box(stage, indices.whole(covered.shape(stage)))
        if places := [tuple(map(int, at)) for at in np.argwhere(np.isnan(values))]:
            found[stage] = places
    return found


def test_a_copy_is_left_out_with_its_original(evaluation):
    covered = CoveredEvaluation(evaluation, {Blank("head_output", (0, 1, 2, 0))})
    assert left_out(covered) == {"head_output": [(0, 1, 2, 0)], "concat": [(0, 2, 3)], "output": [(0, 2, 3)]}
    covered = CoveredEvaluation(evaluation, {Blank("output", (0, 2, 3))})
    assert left_out(covered) == {"head_output": [(0, 1, 2, 0)], "concat": [(0, 2, 3)], "output": [(0, 2, 3)]}
    assert covered.left_out_as("concat", (0, 2, 3)) == ("output", (0, 2, 3))
    covered = CoveredEvaluation(evaluation, {Blank("scaled", (0, 0, 2, 1))})
    assert left_out(covered) == {"scaled": [(0, 0, 2, 1)], "masked": [(0, 0, 2, 1)]}


def test_what_is_computed_from_it_alone_but_differs_stays(evaluation):
    assert left_out(CoveredEvaluation(evaluation, {Blank("scores", (0, 1, 3, 0))})) == {"scores": [(0, 1, 3, 0)]}
    same = DenseEvaluation(evaluation.problem.replace(scale=1.0))
    assert set(left_out(CoveredEvaluation(same, {Blank("scores", (0, 1, 3, 0))}))) == {"scores", "scaled", "masked"}


def test_an_explanation_that_names_it_is_told(evaluation):
    covered = CoveredEvaluation(evaluation, {Blank("weights", (0, 0, 2, 1))})
    assert covered.gives_away("weights", (0, 0, 2, 1))
    assert covered.gives_away("weights", (0, 0, 2, 0))  # its row is listed
    assert covered.gives_away("head_output", (0, 0, 2, 2))
    assert not covered.gives_away("head_output", (0, 0, 1, 2))
    assert not covered.gives_away("weights", (0, 1, 2, 1))
    assert not covered.gives_away("scaled", (0, 0, 2, 1))


def test_what_is_given_in_a_table_is_no_copy_though_it_is_equal():
    """With one key the result is its value: the table keeps it, since nobody could answer from nothing."""
    problem = Problem(query=[[1.0]], key=[[1.0]], value=[[3.0]])
    covered = CoveredEvaluation(DenseEvaluation(problem), {Blank("head_output", (0, 0, 0, 0))})
    assert set(left_out(covered)) == {"head_output", "concat", "output"}
