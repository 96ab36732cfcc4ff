"""Options that would mean nothing among the others are refused in a sentence; those of several values add up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import attn_gui
from attn_gui.cli import main
from attn_gui.formats import FormatError, load
from attn_gui.paths import resource
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
