"""Exports from the command line and Python: options, numbers, two states, the words and files of the dialogs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import attn_gui
from attn_gui.app.files.export_tasks import ExportNaming, number_tasks
from attn_gui.cli import main
from attn_gui.commands.export_command import ExportOptions, export_parser
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.engine.progress import silent
from attn_gui.formats import FormatError, load, load_matrix, open_file, open_matrix, save
from attn_gui.paths import resource
from attn_gui.views.dialogs.export_choice import DataChoice, ExportChoice
from tests.failing import each

WORKED = resource("examples", "worked-example.npz")
TOY = Path(resource("models", "toy-induction"))
PAGE = ("--page", "sqrt_d_k")
IDLE = [
    ((*PAGE, "--levels", "0,1"), "--levels means nothing with --page"),
    ((*PAGE, "--colormap", "nosuch"), "--colormap means nothing with --page"),
    ((*PAGE, "--sheet"), "--sheet means nothing with --page"),
    ((*PAGE, "--picture", "product"), "--picture means nothing with --page"),
    ((*PAGE, "--stage", "weights", "scores"), "A page looks at one stage; --stage names 2."),
    ((*PAGE, "--stage", "query", "--show", "difference"), "--show means something with --compare only"),
    (("--format", "csv", "--show", "before"), "--show means something with --compare only"),
    (("--show", "split"), "--show means something with --compare only"),
    (("--set", "a=b"), "--set means something with --page only"),
    (("--format", "csv", "--cell", "0,0"), "--cell means something with a figure (--format) only"),
    (("--frames",), "--frames means something with --page only"),
    ((*PAGE, "--no-values"), "--no-values means nothing with --page"),
    ((*PAGE, "--no-colorbar"), "--no-colorbar means nothing with --page"),
    ((*PAGE, "--format", "svg", "csv", "--bom"), "--bom means nothing with --page"),
    (("--picture", "product", "--sheet"), "--sheet means nothing with --picture"),
    (("--format", "csv", "npz", "--picture", "product"), "--picture means something with a figure (--format) only"),
    (("--format", "csv", "--style", "slide"), "--style means something with a figure (--format) only"),
    (("--format", "csv", "--transparent"), "--transparent means something with a figure (--format) only"),
    (("--format", "csv", "--no-title"), "--no-title means something with a figure (--format) only"),
    (("--format", "png", "--outlines"), "--outlines means something with svg or pdf (--format) only"),
    (("--headers",), "--headers means something with a table as text (--format) only"),
    (("--format", "png", "md", "--bom"), "--bom means something with csv or tsv (--format) only"),
    (("--format", "gif", "--session"), "--session means something with a figure that carries one (--format) only"),
    ((*PAGE, "--set", "numbers=random", "--set", "numbers=ones"), "numbers is given two values; expected one"),
    (("--array", "query=a", "query=e"), "query is given two values; expected one"),
]


@each(("words", "said"), IDLE)
def test_an_option_that_would_be_ignored_is_refused(words, said, tmp_path, capsys):
    assert main(["export", str(WORKED), "-o", str(tmp_path / "out"), *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_an_option_is_of_use_to_one_of_the_formats(tmp_path):
    words = ["--format", "csv", "svg", "--headers", "--bom", "--dpi", "300", "--no-colorbar"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *words]) == 0
    assert len(list(tmp_path.iterdir())) == 2
    assert main(["export", str(WORKED), "-o", str(tmp_path), "--format", "gif", "--no-session"]) == 0


def test_frames_leave_title_and_letters_out_as_every_figure_does(tmp_path):
    sweep = ["--page", "sweep", "--cell", "0,0", "--set", "steps=2", "--frames", "--no-session", "--no-title"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *sweep, "--format", "svg", "--outlines"]) == 0
    assert all("<text" not in path.read_text("utf-8") for path in tmp_path.iterdir())
    assert main(["export", str(WORKED), "-o", str(tmp_path / "gif"), *sweep[:-1], "--format", "gif"]) == 0
    assert main(["export", str(WORKED), "-o", str(tmp_path / "bare"), *sweep, "--format", "gif"]) == 0
    paths = [next((tmp_path / name).iterdir()) for name in ("gif", "bare")]
    with Image.open(paths[0]) as titled, Image.open(paths[1]) as bare:
        assert titled.n_frames == bare.n_frames > 1
        assert bare.height < titled.height


def test_what_any_call_may_say_of_figures_stands_beside_numbers(tmp_path):
    words = ["--sheet", "--width", "9", "--height", "9", "--dpi", "300", "--levels", "0,1", "--colormap", "grey"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), "--format", "csv", *words, "--font-size", "8"]) == 0
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(("words", "carried"), [((), True), (("--no-session",), False)])
def test_frames_carry_the_session_as_every_figure_does(words, carried, tmp_path):
    sweep = ["--page", "sweep", "--cell", "0,0", "--set", "steps=2", "--frames", "--format", "svg"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *sweep, *words]) == 0
    paths = list(tmp_path.iterdir())
    assert len(paths) > 1
    for path in paths:
        if carried:
            assert load(path) == load(WORKED)
        else:
            with pytest.raises(FormatError):
                load(path)


def test_a_matrix_has_no_page(tmp_path, capsys):
    example = resource("examples", "thinking-machines.npz")
    assert main(["export", str(example), "-o", str(tmp_path), "--stage", "w_query", "--format", "csv", *PAGE]) == 2
    assert "w_query is a matrix of the problem, no stage" in capsys.readouterr().err


def test_options_of_several_values_may_be_repeated(tmp_path, capsys):
    words = ["--stage", "scores", "--stage", "weights", "--format", "csv", "--format", "md"]
    assert main(["export", str(WORKED), "-o", str(tmp_path), *words]) == 0
    names = {Path(line).name for line in capsys.readouterr().out.splitlines()}
    expected = [f"worked-example-{stage}-h0.{ending}" for stage in ("scores", "weights") for ending in ("csv", "md")]
    assert names == set(expected)
    words = [*PAGE, "--set", "numbers=random", "--set", "d_k=8", "--format", "svg"]
    assert main(["export", str(WORKED), "-o", str(tmp_path / "a"), *words]) == 0
    assert main(["export", str(WORKED), "-o", str(tmp_path / "b"), *PAGE, "--set", *words[3::2][:2], *words[-2:]]) == 0
    first, second = (next((tmp_path / name).iterdir()).read_bytes() for name in "ab")
    assert first == second


def test_python_refuses_alike(tmp_path):
    problem = load(WORKED)
    with pytest.raises(ValueError, match="--show means something with --compare only"):
        attn_gui.export_files(problem, tmp_path, show="before", format="csv")
    with pytest.raises(ValueError, match="--levels means nothing with --page"):
        attn_gui.export_files(problem, tmp_path, page="curve", levels=(0, 1))
    assert not list(tmp_path.iterdir())


@each("option", [{"num_heads": 2}, {"mask": "block"}, {"array": {"query": "q"}}, {"help": True}])
def test_python_has_no_options_on_a_file(option, tmp_path):
    with pytest.raises(TypeError, match=f"no option '{next(iter(option))}'"):
        attn_gui.export_files(load(WORKED), tmp_path, **option)
    assert not list(tmp_path.iterdir())


@each(
    ("choices", "said"),
    [
        ({"picture": "sqrt_d_k", "levels": np.array([0.0, 1.0])}, "levels means nothing with a page"),
        ({"picture": "sqrt_d_k", "colormap": "nosuch"}, "colormap means nothing with a page"),
        ({"set": {"d_k": 8}}, "set means something with a page only"),
        ({"compare": "difference"}, "compare means something with before only"),
        ({"cell": (99, 99)}, r"There is no cell 99,99 in weights\."),
        ({"cell": (99, 99), "picture": "product"}, r"There is no cell 99,99 in weights\."),
        ({"picture": "sqrt_d_k", "values": False}, "values means nothing with a page"),
        ({"picture": "sqrt_d_k", "colorbar": False}, "colorbar means nothing with a page"),
    ],
)
def test_a_figure_in_python_refuses_alike(choices, said):
    with pytest.raises(ValueError, match=said):
        attn_gui.render(load(WORKED), **choices)


def test_the_looks_of_figures_mean_nothing_where_none_are_written(capsys):
    assert main(["model", str(TOY), "--text", "q w q", "--theme", "dark"]) == 2
    assert "--theme means something with -o only" in capsys.readouterr().err


def test_a_stage_that_a_model_lacks_is_said_without_figures_too(capsys):
    assert main(["model", str(TOY), "--text", "q w q", "--stage", "nope"]) == 2
    assert "'nope' is not a stage" in capsys.readouterr().err
    assert main(["model", str(TOY), "--text", "q w q", "--stage", "scores"]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--page", "lens", "--stage", "scores"), "--stage means nothing with --page"),
        (("--second", "q w e"), "--second means something with --page only"),
        (("--set", "of=tokens"), "--set means something with --page only"),
    ],
)
def test_a_model_is_asked_nothing_in_vain(words, said, tmp_path, capsys):
    assert main(["model", str(TOY), "--text", "q w q", "-o", str(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err


def test_pages_of_a_model_may_be_named_one_by_one(tmp_path):
    words = ["--page", "lens", "--page", "prediction", "--format", "svg"]
    assert main(["model", str(TOY), "--text", "q w e q w", "-o", str(tmp_path), *words]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["toy-induction-lens.svg", "toy-induction-prediction.svg"]


def test_a_name_stays_in_its_folder(tmp_path, capsys):
    words = ["--name", "../x", "--format", "csv"]
    assert main(["export", str(WORKED), "-o", str(tmp_path / "out"), *words]) == 2
    assert "--name is '../x'; expected a name without folders, which -o says." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "call",
    [
        ("export", WORKED),
        ("solution", WORKED, "--format", "md"),
        ("worksheet", WORKED, "--count", "1"),
        ("model", TOY, "--text", "q w"),
    ],
    ids=lambda call: call[0],
)
def test_a_file_in_place_of_the_folder_is_said(call, tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main([*map(str, call), "-o", str(tmp_path / "taken")]) == 2
    assert f"{tmp_path / 'taken'} is a file; expected a folder." in capsys.readouterr().err


def test_columns_of_a_head_have_the_numbers_that_they_have_in_the_whole_matrix(tmp_path):
    numbers = np.ones((2, 12))
    attn_gui.save(attn_gui.Problem(query=numbers, key=numbers, value=numbers, num_heads=4), tmp_path / "a.attn")
    words = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--stage", "query", "--format", "md", "svg"]
    assert main([*words, "--heads", "2"]) == 0
    assert main([*words[:-2], "svg", "--sheet"]) == 0
    assert (tmp_path / "a-query-h2.md").read_text().split()[:8] == ["|", "|", "6", "|", "7", "|", "8", "|"]
    assert ">7<" in (tmp_path / "a-query-h2.svg").read_text()
    sheet = (tmp_path / "a-query-all.svg").read_text()
    assert all(f"head {head} · {3 * head} … {3 * head + 2}" in sheet for head in range(4))


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


@pytest.mark.parametrize("ending", ["csv", "tsv", "md", "tex"])
def test_a_head_has_headings_for_its_own_columns(exported, ending):
    folder = exported(PROJECTED, "--stage", "query", "--headers", "--format", ending)
    found = open_matrix(folder / f"a-query-h1.{ending}")
    assert (found.row_labels, found.column_labels) == (("0", "1", "2"), ("2", "3")), "as the tables count them"
    np.testing.assert_array_equal(found.values, compute(PROJECTED)["query"][0][:, 2:])


@pytest.mark.parametrize("field", ["w_query", "b_query"])
def test_a_matrix_of_the_problem_has_headings_when_they_are_asked_for(exported, field):
    folder = exported(PROJECTED, "--stage", field, "--headers", "--format", "csv")
    lines = (folder / f"a-{field}.csv").read_text("utf-8").splitlines()
    assert lines[0] == ",0,1,2,3"
    assert lines[1].startswith("0,0.0,1.0")
    np.testing.assert_array_equal(load_matrix(folder / f"a-{field}.csv"), np.atleast_2d(getattr(PROJECTED, field)))
    exported(PROJECTED, "--stage", field, "--format", "csv")
    assert (folder / f"a-{field}.csv").read_text("utf-8").startswith("0.0,1.0,2.0,3.0\n")


def test_npy_keeps_the_axes_of_a_field(exported):
    folder = exported(PROJECTED, "--stage", "b_query", "w_query", "--format", "npy")
    assert [np.load(folder / f"a-{name}.npy").shape for name in ("b_query", "w_query")] == [(4,), (4, 4)]


def test_an_item_of_a_field_has_a_file_of_its_own(exported):
    for item in (0, 1):
        folder = exported(BATCHED, "--stage", "x", "w_query", "--batch", item, "--format", "csv")
    assert sorted(path.name for path in folder.iterdir()) == ["a-w_query.csv", "a-x-b0.csv", "a-x-b1.csv"]
    np.testing.assert_array_equal(load_matrix(folder / "a-x-b1.csv"), BATCHED.x[1])


def test_the_window_tells_items_apart_as_well(tmp_path):
    choice = DataChoice(("x", "output", "w_query", "weights"), batch=1, format="csv", folder=str(tmp_path), heads=(0,))
    tasks = list(number_tasks(choice, DenseEvaluation(BATCHED), ExportNaming("a")))
    assert [task.path.name for task in tasks] == [
        "a-x-b1.csv",
        "a-output-b1.csv",
        "a-w_query.csv",
        "a-weights-h0-b1.csv",
    ]
    tasks[0].write(DenseEvaluation(BATCHED), silent)
    np.testing.assert_array_equal(load_matrix(tmp_path / "a-x-b1.csv"), BATCHED.x[1])


# --- two states in one export ---------------------------------------------------------------------
RANDOM = np.random.default_rng(4)
DRAWN_WEIGHTS = {f"w_{name}": RANDOM.normal(size=(4, 4)) for name in ("query", "key", "value", "output")}
PLAIN = Problem(x=RANDOM.normal(size=(3, 4)), num_heads=2, **DRAWN_WEIGHTS, mask=[{"kind": "causal"}])
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


# --- exports from the command line and from Python have the words of the dialogs ------------------
THINKING = resource("examples", "thinking-machines.npz")
# what a dialog calls a choice, and the option for it
OPTIONS = {
    "stage": "stage",
    "stages": "stage",
    "arrays": "stage",
    "heads": "heads",
    "batch": "batch",
    "picture": "picture",
    "format": "format",
    "style": "style",
    "width": "width",
    "height": "height",
    "dpi": "dpi",
    "font_size": "font_size",
    "values": "values",
    "colorbar": "colorbar",
    "title": "title",
    "outlines": "outlines",
    "transparent": "transparent",
    "sheet": "sheet",
    "session": "session",
    "levels": "levels",
    "typed": "levels",
    "colormap": "colormap",
    "theme": "theme",
    "folder": "folder",
    "name": "name",
    "cell": "cell",
    "page_options": "set",
    "options_by_page": "set",
    "compare": "show",
    "beside": "compare",
    "color_scales": "levels",
    "lang": "lang",
    "bom": "bom",
    "headers": "headers",
    "states": "page",  # the page of snapshots shows those of the file
    "walk": "walk",  # is no choice of the dialog: the walk has a button of its own
    "model": "page",  # is no choice: a page of a model shows the one on the table
}


def test_every_choice_of_the_dialogs_has_an_option():
    known = {action.dest for action in export_parser()._actions}
    chosen = {*ExportChoice.__dataclass_fields__, *DataChoice.__dataclass_fields__}
    assert chosen == set(OPTIONS)
    assert set(OPTIONS.values()) <= known


def test_every_option_has_a_type_in_python():
    parser = export_parser()
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


def test_python_is_refused_in_the_sentences_of_the_command_line(tmp_path):
    problem = load(WORKED)
    with pytest.raises(TypeError, match="no option 'stages'"):
        attn_gui.export_files(problem, tmp_path, stages="weights")
    with pytest.raises(ValueError, match="There is no head 7"):
        attn_gui.export_files(problem, tmp_path, heads=7)
    with pytest.raises(ValueError, match="invalid choice: 'bmp'"):
        attn_gui.export_files(problem, tmp_path, format="bmp")
    assert attn_gui.export_files(problem, tmp_path, levels=(-5, 7), set={}, sheet=False)[0].name.startswith("problem-")


def test_matrices_of_the_problem_leave_as_numbers(tmp_path, capsys):
    words = ["export", str(THINKING), "-o", str(tmp_path), "--stage", "w_query", "weights"]
    assert main([*words, "--format", "csv", "json", "--name", "tm"]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tm-stages.json", "tm-w_query.csv", "tm-weights-h0.csv"]
    assert np.array_equal(load_matrix(tmp_path / "tm-w_query.csv"), open_file(THINKING).problem.w_query)
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
