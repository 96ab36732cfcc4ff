"""Exports from the command line and from Python have the words of the dialogs, and write the same files."""

from __future__ import annotations

import numpy as np
import pytest

import attn_gui
from attn_gui.cli import main
from attn_gui.commands.export_command import ExportOptions, export_parser
from attn_gui.formats import load, load_matrix, open_file, open_matrix
from attn_gui.paths import resource
from attn_gui.views.dialogs.export_choice import DataChoice, ExportChoice

WORKED = resource("examples", "worked-example.npz")
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
    problem = open_file(THINKING).problem
    assert np.array_equal(load_matrix(tmp_path / "tm-w_query.csv"), problem.w_query)
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
