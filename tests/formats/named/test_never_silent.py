"""Contents of files of arrays: each is read, noted or refused, the same in every kind, nothing in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pytest
import safetensors.numpy

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import list_arrays, load, open_file, save, save_arrays
from attn_gui.formats.named.several_files import open_several
from attn_gui.formats.npz import members_of
from attn_gui.paths import resource

from .writing import put

RANDOM = np.random.default_rng(13)
ARRAYS = {name: RANDOM.normal(size=(3, 4)).round(3) for name in ("query", "key", "value")}
STACKED = {name: RANDOM.normal(size=(2, 3, 4)) for name in ARRAYS}
LISTS = {name: array.tolist() for name, array in ARRAYS.items()}


def book(path: Path, **sheets: list[list[object]]) -> Path:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in (LISTS | sheets).items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def text(path: Path, **parts: str) -> Path:
    """A JSON file in which parts of the text are as they are given."""
    held = {name: json.dumps(value) for name, value in LISTS.items()} | parts
    path.write_text("{" + ", ".join(f'"{name.rstrip("_")}": {value}' for name, value in held.items()) + "}")
    return path


# --- sheets --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "rows", "words"),
    [
        ("mask", [[True, None], [True, True]], "sheet “mask”: row 0, column 1"),
        ("scale", [["none"]], "sheet “scale”: row 0, column 0"),
        ("meta", [["num_heads", 2]], "sheet “meta”: the options are not names with values"),
    ],
)
def test_a_sheet_of_a_problem_that_cannot_be_read_is_refused(
    name: str, rows: list[list[object]], words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = book(tmp_path / "a.xlsx", **{name: rows})
    assert words in refused(load, path, path=path)
    assert main(["verify", str(path)]) == 2


def test_any_other_sheet_is_said(tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", readme=[["made by hand"]], Sheet1=[])
    loaded = open_file(path)
    assert loaded.left_out == ("readme",)
    assert loaded.notes == ("Arrays not used: readme.",)


# --- kinds of numbers that are not read ----------------------------------------------------------
def eight_bits(path: Path, name: str) -> Path:
    """A safetensors file with an array of numbers of eight bits."""
    data = safetensors.numpy.save({other: array for other, array in ARRAYS.items() if other != name})
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    end = len(data) - 8 - length
    header[name] = {"dtype": "F8_E4M3", "shape": [3, 4], "data_offsets": [end, end + 12]}
    packed = json.dumps(header).encode()
    path.write_bytes(len(packed).to_bytes(8, "little") + packed + data[8 + length :] + bytes(12))
    return path


def test_numbers_of_an_unknown_kind_are_refused_or_said(tmp_path: Path, refused: Callable[..., str]) -> None:
    for name in ("w_output", "query"):
        path = eight_bits(tmp_path / "a.safetensors", name)
        assert f"“{name}” holds F8_E4M3; expected F64" in refused(load, path, path=path)
    other = eight_bits(tmp_path / "b.safetensors", "other")
    assert open_file(other).left_out == ("other",)
    assert list_arrays(other).arrays[-1] == ("other", (3, 4), "F8_E4M3")


@pytest.mark.parametrize("name", ["minilm-layer2.npz", "smollm2-layer10.npz"])
def test_steps_beside_the_problem_are_compared_with_those_computed_and_said_where_they_differ(
    tmp_path: Path, name: str
) -> None:
    with np.load(resource("examples", name)) as file:
        held = dict(file)
    assert {"weights", "concat"} <= held.keys()
    assert open_file(resource("examples", name)).notes == ()
    held["concat"] = held["concat"].copy()
    held["concat"][3, 5] += 0.5
    np.savez(tmp_path / "a.npz", **held)
    assert open_file(tmp_path / "a.npz").notes == (
        "Arrays not used: concat.",
        "“concat” in the file holds other numbers than those computed here: they differ by up to 0.5.",
    )


# --- heads or items ------------------------------------------------------------------------------
SUFFIXES = (".json", ".npz", ".safetensors")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_first_axis_that_may_be_heads_is_refused(suffix: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / f"a{suffix}"
    put(path, STACKED, {"num_heads": 2})
    said = refused(load, path, path=path)
    assert 'axes="batch,token,column" (items 2, tokens 3), axes="head,token,column" (heads 2, tokens 3)' in said
    put(path, STACKED, {"num_heads": 2, "batch_axis": True})
    assert load(path).batch_size == 2


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_the_program_wrote_opens_for_ever(suffix: str, tmp_path: Path) -> None:
    problem = Problem(**STACKED, num_heads=2, batch_axis=True)
    save(problem, tmp_path / "b.attn")
    save_arrays(members_of(open_file(tmp_path / "b.attn")), tmp_path / f"a{suffix}")
    assert load(tmp_path / f"a{suffix}") == problem
    options = {"dtype": "float64", "num_heads": 2}
    put(tmp_path / f"c{suffix}", STACKED, {"meta": options} if suffix == ".json" else options)
    assert load(tmp_path / f"c{suffix}") == problem


# --- JSON ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"block": '{"w": 1, "w": 2}'}, "“w” is there twice."),
        ({"query": "[[1e400, 2, 3, 4]]"}, "“1e400” is too large for float64"),
        ({"num_heads": "4", "meta": '{"num_heads": 2}'}, "“num_heads” is there twice, by itself and in “meta”"),
        ({"mask": "[[1]]", "meta": '{"mask": []}'}, "“mask” is there twice, by itself and in “meta”"),
    ],
)
def test_json_refuses_what_others_refuse(
    parts: dict[str, str], words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = text(tmp_path / "a.json", **parts)
    assert words in refused(load, path, path=path)


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("[[1e-400, 2, 3, 4]]", "1e-400 is too small to be kept and was read as 0."),
        (
            "[[9007199254740993, 2, 3, 4]]",
            "Whole numbers beyond 2⁵³ were rounded to float64: 9007199254740993 is 9007199254740992 now.",
        ),
    ],
)
def test_json_notes_what_others_note(query: str, note: str, tmp_path: Path) -> None:
    assert open_file(text(tmp_path / "a.json", query=query)).notes == (note,)


def test_what_json_holds_besides_is_said(tmp_path: Path) -> None:
    loaded = open_file(text(tmp_path / "a.json", labels='["a", "b"]', model='"some model"', nothing="null"))
    assert loaded.left_out == ("labels",)
    assert loaded.model == "some model"
    within = '{"rate": 0.1, "run": {"name": "x", "steps": [1, 2], "parts": [{}], "nothing": null}}'
    loaded = open_file(text(tmp_path / "a.json", config=within, layer="3", num_heads="2"))
    assert set(loaded.left_out) == {"config.rate", "config.run.name", "config.run.steps", "config.run.parts"}
    assert loaded.about == {"layer": "3"}


# --- one row or column ---------------------------------------------------------------------------
@pytest.mark.parametrize("turned", [False, True])
def test_a_table_of_one_row_or_column_is_a_field_of_one_axis(turned: bool, tmp_path: Path) -> None:
    x, sink = RANDOM.normal(size=(3, 4)), np.array([0.5, -1])
    weights = {f"w_{name}": np.eye(4) for name in ARRAYS}
    block = {"ln_weight": np.ones(4), "ln_bias": np.arange(4.0), "w_linear": np.eye(4), "b_linear": np.ones(4)}
    problem = Problem(x=x, **weights, b_query=np.arange(4.0), num_heads=2, sink=sink, block=block)
    paths = [tmp_path / f"{name}.csv" for name in problem.arrays()]
    for path, array in zip(paths, problem.arrays().values(), strict=True):
        flat = array[:, None] if turned and array.ndim == 1 else np.atleast_2d(array)
        np.savetxt(path, flat, delimiter=",", fmt="%r")
    (tmp_path / "options.json").write_text('{"num_heads": 2, "none": [0]}')
    assert open_several([*paths, tmp_path / "options.json"], None).problem == problem


# --- several files -------------------------------------------------------------------------------
def test_options_of_several_files_must_agree(tmp_path: Path, refused: Callable[..., str]) -> None:
    for file, (name, array) in zip("abc", ARRAYS.items(), strict=True):
        np.savez(tmp_path / f"{file}.npz", **{name: array}, meta=json.dumps({"num_heads": 2, "title": file}))
    paths = [tmp_path / f"{file}.npz" for file in "abc"]
    assert open_several(paths, None).problem.num_heads == 2
    np.savez(paths[1], key=ARRAYS["key"], num_heads=4)
    with pytest.raises(ValueError, match=r"“num_heads” is 2 in a\.npz and 4 in b\.npz; expected the same"):
        open_several(paths, None)
