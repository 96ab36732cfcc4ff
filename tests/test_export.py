"""Exports from the command line and Python: options, numbers, two states, the words and files of the dialogs."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import attn_gui
from attn_gui.app.files.export_tasks import figure_tasks, number_tasks
from attn_gui.cli import main
from attn_gui.commands.export_command import ExportOptions, export_parser
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.arrays import silent
from attn_gui.formats import FormatError, load, open_file, open_matrix, save
from attn_gui.paths import resource
from attn_gui.views.dialogs.form_fields import DataChoice, ExportChoice
from tests.failing import each

WORKED, THINKING = (resource("examples", f"{name}.npz") for name in ("worked-example", "thinking-machines"))
PAGE = ("--page", "sqrt_d_k")
IDLE = [
    ((*PAGE, "--levels", "0,1"), "--levels means nothing with --page"),
    ((*PAGE, "--stage", "weights", "scores"), "A page looks at one stage; --stage names 2."),
    ((*PAGE, "--stage", "query", "--show", "difference"), "--show means something with --compare only"),
    (("--show", "split"), "--show means something with --compare only"),
    ((*PAGE, "--format", "svg", "csv", "--bom"), "--bom means nothing with --page"),
    (("--format", "csv", "npz", "--picture", "product"), "--picture means something with a figure (--format) only"),
    (("--format", "png", "--outlines"), "--outlines means something with svg or pdf (--format) only"),
    (("--headers",), "--headers means something with a table as text (--format) only"),
    (("--format", "png", "md", "--bom"), "--bom means something with csv or tsv (--format) only"),
    (("--format", "gif", "--session"), "--session means something with a figure that carries one (--format) only"),
    ((*PAGE, "--set", "numbers=random", "--set", "numbers=ones"), "numbers is given two values; expected one"),
    (("--card", "--font-size", "9"), "--font-size means nothing with --card"),
    (("--card", "--format", "svg", "--dpi", "300"), "--dpi means nothing with a card of its own size"),
    (("--walk", "--style", "slide"), "--style means nothing with --walk"),
    (("--name", "../x", "--format", "csv"), "--name is '../x'; expected a name without folders, which -o says."),
]


@each(("words", "said"), IDLE)
def test_an_option_that_would_be_ignored_is_refused(words, said, tmp_path, capsys):
    assert main(["export", str(WORKED), "-o", str(tmp_path / "out"), *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_option_is_of_use_to_one_of_the_formats(tmp_path, capsys):
    words = ["--format", "csv", "svg", "--headers", "--bom", "--dpi", "300", "--no-colorbar"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *words]) == 0
    assert len(list(tmp_path.iterdir())) == 2
    looks = {
        "sheet": (),
        "width": "9",
        "height": "9",
        "dpi": "300",
        "levels": "0,1",
        "colormap": "grey",
        "font-size": "8",
    }
    for name, value in (looks | {"theme": "dark", "no-title": ()}).items():
        words = [
            "export",
            str(WORKED),
            "-o",
            str(tmp_path),
            "--format",
            "csv",
            f"--{name}",
            *([value] if value else []),
        ]
        assert main(words) == 2
        assert f"--{name} means something with a figure (--format) only" in capsys.readouterr().err


def test_frames_carry_session_title_and_letters_or_leave_them_out_as_every_figure_does(tmp_path):
    sweep = ["export", str(WORKED), "--page", "sweep", "--cell", "0,0", "--set", "steps=2", "--frames"]
    assert main([*sweep, "-o", str(tmp_path / "with"), "--format", "svg"]) == 0
    assert main([*sweep, "-o", str(tmp_path / "without"), "--format", "svg", "--no-session", "--outlines"]) == 0
    frames, bare = (sorted((tmp_path / name).iterdir()) for name in ("with", "without"))
    assert len(frames) == len(bare) > 1
    assert all(load(path) == load(WORKED) for path in frames)
    assert all("<text" not in path.read_text("utf-8") for path in bare)
    with pytest.raises(FormatError):
        load(bare[0])
    for name, more in (("gif", []), ("untitled", ["--no-title"])):
        assert main([*sweep, "-o", str(tmp_path / name), "--format", "gif", "--no-session", "--dpi", "40", *more]) == 0
    paths = [next((tmp_path / name).iterdir()) for name in ("gif", "untitled")]
    with Image.open(paths[0]) as titled, Image.open(paths[1]) as untitled:
        assert titled.n_frames == untitled.n_frames == len(frames)
        assert untitled.height < titled.height


def test_options_of_several_values_may_be_repeated(tmp_path, capsys):
    words = ["--stage", "scores", "--stage", "weights", "--format", "csv", "--format", "md"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *words]) == 0
    names = {Path(line).name for line in capsys.readouterr().out.splitlines()}
    expected = [f"worked-example-{stage}-h0.{ending}" for stage in ("scores", "weights") for ending in ("csv", "md")]
    assert names == set(expected)
    for name, words in (
        ("a", ["--set", "numbers=random", "--set", "d_k=8"]),
        ("b", ["--set", "numbers=random", "d_k=8"]),
    ):
        call = ["export", str(WORKED), "-o", str(tmp_path / name), *PAGE, *words, "--format", "svg"]
        assert main(call) == 0
    first, second = (next((tmp_path / name).iterdir()).read_bytes() for name in "ab")
    assert first == second


# --- models --------------------------------------------------------------------------------------
@each(
    ("words", "said"),
    [
        (("-o", "out", "--page", "lens", "--stage", "scores"), "--stage means nothing with --page"),
        (("-o", "out", "--second", "q w e"), "--second means something with --page only"),
        (("--theme", "dark"), "--theme means something with -o only"),
        (("--layer", "1"), "--layer means something with -o only"),
        (("-o", "out", "--stage", "nope"), "'nope' is not a stage"),
    ],
)
def test_a_model_is_asked_nothing_in_vain(words, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["model", str(resource("models", "toy-induction")), "--text", "q w q", *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_pages_of_a_model_may_be_named_one_by_one(tmp_path):
    words = ["--page", "lens", "--page", "prediction", "--format", "svg"]
    call = ["model", str(resource("models", "toy-induction")), "--text", "q w e q w", "-o", str(tmp_path), *words]
    assert main(call) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["toy-induction-lens.svg", "toy-induction-prediction.svg"]


# --- exported numbers -----------------------------------------------------------------------------
WEIGHTS = {f"w_{name}": np.arange(16.0).reshape(4, 4) for name in ("query", "key", "value")}
PROJECTED = Problem(x=np.arange(12.0).reshape(3, 4), num_heads=2, **WEIGHTS, b_query=np.arange(4.0))
BATCHED = Problem(x=np.arange(24.0).reshape(2, 3, 4), num_heads=2, **WEIGHTS)


@pytest.fixture
def exported(tmp_path: Path) -> object:
    """Export a problem from the command line; gives the folder of its files."""

    def export(problem: Problem, *words: object) -> Path:
        save(problem, tmp_path / "a.attn")
        assert main(["export", str(tmp_path / "a.attn"), "-o", str(tmp_path / "out"), *map(str, words)]) == 0
        return tmp_path / "out"

    return export


def test_a_head_has_headings_for_its_own_columns(exported):
    endings = ("csv", "tsv", "md", "tex")
    folder = exported(PROJECTED, "--stage", "query", "--headers", "--format", *endings)
    for ending in endings:
        found = open_matrix(folder / f"a-query-h1.{ending}")
        assert (found.row_labels, found.column_labels) == (("0", "1", "2"), ("2", "3")), "as the tables count them"
        np.testing.assert_array_equal(found.values, compute(PROJECTED)["query"][0][:, 2:])
    sheet = exported(PROJECTED, "--stage", "query", "--sheet", "--format", "svg") / "a-query-all.svg"
    assert all(f"head {head} · {2 * head} … {2 * head + 1}" in sheet.read_text("utf-8") for head in range(2))


def test_a_matrix_of_the_problem_has_headings_when_they_are_asked_for_and_keeps_its_axes(exported):
    fields = ("w_query", "b_query")
    folder = exported(PROJECTED, "--stage", *fields, "--headers", "--format", "csv")
    for field in fields:
        lines = (folder / f"a-{field}.csv").read_text("utf-8").splitlines()
        assert lines[0] == ",0,1,2,3"
        assert lines[1].startswith("0,0.0,1.0")
        found = open_matrix(folder / f"a-{field}.csv").values
        np.testing.assert_array_equal(found, np.atleast_2d(getattr(PROJECTED, field)))
    exported(PROJECTED, "--stage", *fields, "--format", "csv", "npy")
    assert (folder / "a-w_query.csv").read_text("utf-8").startswith("0.0,1.0,2.0,3.0\n")
    assert [np.load(folder / f"a-{field}.npy").shape for field in fields] == [(4, 4), (4,)]


def test_an_item_of_a_field_has_a_file_of_its_own(exported):
    for item in (0, 1):
        folder = exported(BATCHED, "--stage", "x", "w_query", "--batch", item, "--format", "csv")
    assert sorted(path.name for path in folder.iterdir()) == ["a-w_query.csv", "a-x-b0.csv", "a-x-b1.csv"]
    np.testing.assert_array_equal(open_matrix(folder / "a-x-b1.csv").values, BATCHED.x[1])


def test_the_window_tells_items_apart_as_well(tmp_path):
    choice = DataChoice(("x", "output", "w_query", "weights"), batch=1, format="csv", folder=str(tmp_path), heads=(0,))
    tasks = list(number_tasks(choice, DenseEvaluation(BATCHED), "a"))
    names = ["a-x-b1.csv", "a-output-b1.csv", "a-w_query.csv", "a-weights-h0-b1.csv"]
    assert [task.path.name for task in tasks] == names
    headed = DenseEvaluation(Problem(**dict.fromkeys(("query", "key", "value"), np.eye(2)), num_heads=2))
    for heads, names in (((0, 1), ["t-weights-h0.png", "t-weights-h1.png"]), ((0,), ["t.png"])):
        figures = ExportChoice(heads=heads, name="t", folder=str(tmp_path))
        assert [task.path.name for task in figure_tasks(figures, headed, "a", {})] == names
    shared = DenseEvaluation(headed.problem.replace(w_output=np.eye(2)))
    for kind in ("map", "product", "card", "dimensions"):
        figures = ExportChoice(stages=("output",), heads=(0, 1), picture=kind, folder=str(tmp_path))
        assert len(figure_tasks(figures, shared, "a", {})) == 1, "heads share it: once, as on the command line"
    tasks[0].write(DenseEvaluation(BATCHED), silent)
    np.testing.assert_array_equal(open_matrix(tmp_path / "a-x-b1.csv").values, BATCHED.x[1])


def test_matrices_of_the_problem_leave_as_numbers(tmp_path, capsys):
    words = ["export", str(THINKING), "-o", str(tmp_path), "--stage", "w_query", "weights"]
    assert main([*words, "--format", "csv", "json", "--name", "tm"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tm-stages.json", "tm-w_query.csv", "tm-weights-h0.csv"]
    assert np.array_equal(open_matrix(tmp_path / "tm-w_query.csv").values, open_file(THINKING).problem.w_query)
    capsys.readouterr()
    assert main([*words, "--format", "png"]) == 2
    assert "w_query is a matrix of the problem, no stage" in capsys.readouterr().err


def test_headers_and_the_mark_for_excel(tmp_path):
    for name, more in (("plain", ["--no-headers"]), ("usual", []), ("all", ["--headers", "--bom"])):
        words = ["export", str(WORKED), "-o", str(tmp_path), "--format", "csv", "--name", name]
        assert main([*words, *more]) == 0
    plain, usual, every = (tmp_path / f"{name}-weights-h0.csv" for name in ("plain", "usual", "all"))
    assert open_matrix(plain).row_labels is None
    assert usual.read_bytes() == plain.read_bytes()  # it has no tokens
    assert every.read_bytes().startswith(b"\xef\xbb\xbf,0,1\n0,")


def test_the_matrices_around_a_stage(tmp_path):
    words = ["export", str(WORKED), "-o", str(tmp_path), "--picture", "product", "--format", "svg"]
    assert main(words) == 0
    (path,) = tmp_path.iterdir()
    assert path.name == "worked-example-weights-product-h0.svg"
    assert "Kᵀ" in path.read_text("utf-8")


# --- two states in one export ---------------------------------------------------------------------
RANDOM = np.random.default_rng(4)
DRAWN_WEIGHTS = {f"w_{name}": RANDOM.normal(size=(4, 4)) for name in ("query", "key", "value", "output")}
PLAIN = Problem(x=RANDOM.normal(size=(3, 4)), num_heads=2, **DRAWN_WEIGHTS, mask=[{"kind": "causal"}])
MLP = {name: RANDOM.normal(size=(4, 4)) for name in ("w_up", "w_down")}
WITH_BLOCK = PLAIN.replace(block={"kind": "post", "norm1_weight": np.ones(4), "norm2_weight": np.ones(4), **MLP})
NO_FIELD = "w_query is a matrix of the problem, and two states are compared by stages: leave out --compare."
NO_STAGE = "up cannot be compared: the other state has nothing that stands for it."


@each(
    ("problem", "words", "said"),
    [
        (PLAIN, ("--stage", "w_query", "weights", "--show", "difference", "--format", "csv"), NO_FIELD),
        (PLAIN, ("--stage", "w_query", "weights", "--show", "difference", "--format", "npz"), NO_FIELD),
        (WITH_BLOCK, ("--format", "npz"), NO_STAGE),
        (WITH_BLOCK, ("--stage", "up", "--format", "png"), NO_STAGE),
    ],
)
def test_what_the_other_state_lacks_is_not_compared(problem, words, said, tmp_path, capsys):
    save(PLAIN, tmp_path / "o.attn")
    save(problem, tmp_path / "q.attn")
    call = ["export", str(tmp_path / "q.attn"), "-o", str(tmp_path / "out"), "--compare", str(tmp_path / "o.attn")]
    assert main([*call, *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list((tmp_path / "out").glob("*"))


def test_the_state_before_has_its_own_tokens(tmp_path):
    save(PLAIN.replace(query_tokens=("a", "b", "c")), tmp_path / "q.attn")
    save(PLAIN.replace(query_tokens=("d", "e", "f")), tmp_path / "o.attn")
    words = ["--compare", str(tmp_path / "o.attn"), "--show", "before", "--format", "csv"]
    assert main(["export", str(tmp_path / "q.attn"), "-o", str(tmp_path / "out"), *words]) == 0
    found = open_matrix(tmp_path / "out" / "q-weights-h0-vs-o-before.csv")
    assert (found.row_labels, found.column_labels) == (("d", "e", "f"), ("d", "e", "f"))


# --- the words of the dialogs, on the command line and in Python -----------------------------------
OTHER_WORDS = {  # what a dialog calls a choice that an option calls otherwise
    "stages": "stage",
    "arrays": "stage",
    "typed": "levels",
    "color_scales": "levels",
    "page_options": "set",
    "options_by_page": "set",
    "compare": "show",
    "beside": "compare",
    "states": "page",
    "model": "page",  # the page of snapshots shows those of the file, one of a model its own
}


def test_every_choice_of_the_dialogs_has_an_option_and_every_option_a_type_in_python():
    parser = export_parser()
    chosen = {*ExportChoice.__dataclass_fields__, *DataChoice.__dataclass_fields__}
    assert {OTHER_WORDS.get(choice, choice) for choice in chosen} <= {action.dest for action in parser._actions}
    options = {action.dest for action in parser._actions if action.option_strings}
    assert set(ExportOptions.__annotations__) == options - {"help", "folder", *parser.get_default("arranging")}


def test_python_writes_the_bytes_of_the_command_line(tmp_path):
    words = ["--stage", "weights", "output", "--heads", "0", "--format", "svg", "csv", "--style", "paper-column"]
    assert main(["export", str(WORKED), "-o", str(tmp_path / "a"), *words, "--no-session"]) == 0
    written = attn_gui.export_files(
        load(WORKED),
        tmp_path / "b",
        name="worked-example",
        stage=["weights", "output"],
        heads=[0],
        format=("svg", "csv"),
        style="paper-column",
        session=False,
    )
    assert sorted(path.name for path in written) == sorted(path.name for path in (tmp_path / "a").iterdir())
    for path in written:
        assert path.read_bytes() == (tmp_path / "a" / path.name).read_bytes()


@each(
    ("options", "said"),
    [
        ({"stages": "weights"}, "no option 'stages'"),
        ({"num_heads": 2}, "no option 'num_heads'"),
        ({"heads": 7}, "There is no head 7"),
        ({"format": "bmp"}, "invalid choice: 'bmp'"),
        ({"show": "before", "format": "csv"}, "--show means something with --compare only"),
        ({"page": "curve", "levels": (0, 1)}, "--levels means nothing with --page"),
    ],
)
def test_python_is_refused_in_the_sentences_of_the_command_line(options, said, tmp_path):
    with pytest.raises((TypeError, ValueError), match=said):
        attn_gui.export_files(load(WORKED), tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_a_figure_in_python_refuses_alike():
    with pytest.raises(ValueError, match="levels means nothing with a page"):
        attn_gui.render(load(WORKED), picture="sqrt_d_k", levels=np.array([0.0, 1.0]))
    for choice in ("card", "walk"):
        with pytest.raises(ValueError, match=f"font_size means nothing with a {choice}"):
            attn_gui.render(load(WORKED), **{choice: True}, font_size=9.0)
    with pytest.raises(ValueError, match="compare means something with before only"):
        attn_gui.render(load(WORKED), compare="difference")
    with pytest.raises(
        ValueError, match=r"no cell 99,99 in weights: its rows are counted from 0 to 1, its columns from 0 to 1\."
    ):
        attn_gui.render(load(WORKED), cell=(99, 99))
