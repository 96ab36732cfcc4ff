"""Arrays by name in files of every kind: each is read, noted or refused, the same in each, nothing in silence."""

import io
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import (
    FormatError,
    json_arrays,
    list_arrays,
    load,
    open_file,
    open_matrix,
    save,
    save_arrays,
    xlsx_reader,
)
from attn_gui.formats.named.several_files import open_several
from attn_gui.formats.numpy_files import members_of
from attn_gui.paths import resource
from tests.costs import is_slow, taking
from tests.failing import each

from .writing import put

CELLS = {name: np.arange(12.0).reshape(3, 4) / 16 for name in ("query", "key", "value")}
OPEN = np.tril(np.ones((3, 3), bool))
SUFFIXES = (".safetensors", ".json", ".xlsx")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_of_fields_make_a_problem(suffix: str, tmp_path: Path) -> None:
    meta = {"num_heads": 2, "tokens": ["a", "b", "c"], "key_tokens": ["x", "y", "z"], "model": "some model"}
    loaded = open_file(put(tmp_path / f"a{suffix}", CELLS | {"mask": OPEN, "extra": np.ones((2, 2))}, meta))
    expected = Problem(
        **CELLS,
        num_heads=2,
        mask=[{"kind": "custom", "allowed": OPEN}],
        query_tokens=["a", "b", "c"],
        key_tokens=("x", "y", "z"),
    )
    assert loaded.problem == expected
    assert loaded.model == "some model"
    assert loaded.left_out == ("extra",)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_of_one_array_is_a_matrix(suffix: str, tmp_path: Path) -> None:
    path = put(tmp_path / f"a{suffix}", {"any name": CELLS["key"]})
    np.testing.assert_array_equal(open_matrix(path).values, CELLS["key"])
    several = put(tmp_path / f"b{suffix}", {"a": np.eye(2), "b": np.eye(2)})
    with pytest.raises(FormatError, match="holds 2 arrays, not one matrix: a, b"):
        open_matrix(several)


# --- safetensors ---------------------------------------------------------------------------------
@each(("kind", "dtype"), [("BF16", "<u2"), ("F16", "<f2"), ("F32", "<f4"), ("I64", "<i8")])
def test_every_kind_of_numbers_is_read(kind: str, dtype: str, tmp_path: Path) -> None:
    values = np.array([[1.0, -0.5], [3.0, 2.0**-3]], np.float32)
    if kind == "I64":
        values = np.array([[1.0, -5], [3.0, 2]], np.float32)
    cells = (values.view("<u4") >> 16).astype(dtype) if kind == "BF16" else values.astype(dtype)
    entries = {
        name: {"dtype": kind, "shape": [2, 2], "data_offsets": [k * cells.nbytes, (k + 1) * cells.nbytes]}
        for k, name in enumerate(("query", "key", "value"))
    }
    header = json.dumps(entries).encode()
    path = tmp_path / "a.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + cells.tobytes() * 3)
    np.testing.assert_array_equal(load(path).value, values)


def test_a_name_of_many_letters_takes_no_time(tmp_path: Path) -> None:
    began = time.process_time()
    loaded = open_file(put(tmp_path / "a.npz", CELLS | {"a." * 30_000: np.eye(2), "causal." * 2_000: np.eye(2)}))
    assert (len(loaded.left_out), len(loaded.missed)) == (2, 1)
    assert not is_slow(time.process_time() - began, 2.0)


def test_the_arrays_of_a_whole_model_take_no_time(tmp_path: Path) -> None:
    """Each name was compared with all others: of 1,152 arrays it took nine seconds to say what they may be."""
    parts = ("q", "k", "v", "o", "up", "down", "gate", "norm1", "norm2")
    path = put(tmp_path / "a.json", {f"h.{layer}.attn.{part}": np.eye(2) for layer in range(200) for part in parts})
    began = time.process_time()
    with pytest.raises(FormatError, match=r"say which are which.*'query': 'h\.0\.attn\.q'"):
        load(path)
    assert not is_slow(time.process_time() - began, 2.0)


def test_what_is_not_asked_for_is_not_read(tmp_path: Path) -> None:
    big = np.zeros((4000, 500))
    path = put(tmp_path / "a.safetensors", CELLS | {"a": big, "z": big})
    assert big.nbytes > 2e6
    with taking(2e6):
        assert open_file(path).left_out == ("a", "z")


def broken_safetensors(**entry: object) -> bytes:
    places = {name: [32 * place, 32 * place + 32] for place, name in enumerate(reversed(CELLS))}
    parts = {name: {"dtype": "F64", "shape": [2, 2], "data_offsets": place} for name, place in places.items()}
    header = json.dumps(parts | {"query": parts["query"] | entry})
    return len(header).to_bytes(8, "little") + header.encode() + bytes(96)


@each(
    ("data", "words"),
    [
        (b"\xff" * 20, "cut off or is no safetensors file"),
        (broken_safetensors()[:-8], "damaged or cut off"),
        (broken_safetensors(shape=[2, 10**9], data_offsets=[64, 64 + 16 * 10**9]), "16.0 GB of memory"),
        (broken_safetensors(data_offsets=[32, 64]), "overlap or leave a gap"),
        (broken_safetensors(data_offsets=[72, 104]) + bytes(8), "overlap or leave a gap"),
        (broken_safetensors() + bytes(8), "overlap or leave a gap"),
        (broken_safetensors(dtype="F4"), "“query” holds F4; expected F64, F32"),
    ],
)
def test_a_bad_safetensors_is_one_sentence(
    data: bytes, words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(data)
    assert words in refused(load, path, path=path)


# --- JSON ----------------------------------------------------------------------------------------
@given(st.lists(st.lists(st.floats(), min_size=3, max_size=3), min_size=1, max_size=4))
def test_numbers_of_json_come_back_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float]]
) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(rows))
    found = open_matrix(path).values
    np.testing.assert_array_equal(found, rows)
    assert not (np.signbit(found) != np.signbit(rows))[~np.isnan(rows)].any()


@each(
    ("text", "words"),
    [
        ("{", "not valid JSON from character 1"),
        ("{}", "holds no lists of numbers"),
        ('{"query": [[1, 2], [3]], "key": [[1]], "value": [[1]]}', "a part of the shape 1; expected 2"),
        ('{"query": [[1, null]]}', "holds null; expected numbers"),
        ('{"query": [[], []]}', "no cells"),
        ('{"query": [[1' + "0" * 400 + "]]}", "a number that is too long"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ("[" * 2_000_000, "2,000,000 lists and records"),
        ('{"' + "a" * 2**20 + '": [[1]], "b": [[1]]}', "lists too many arrays: 1.0 MB of names"),
        # a megabyte of text, and eight gigabytes of names
        ('{"' + "a" * 10**6 + '": {' + ", ".join(f'"{k}": [[1]]' for k in range(8000)) + "}}", "MB of names; expected"),
    ],
)
def test_a_bad_json_is_one_sentence(text: str, words: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    assert words in refused(load, path, path=path)


def test_a_json_that_is_too_long_is_not_read(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(json_arrays.LARGEST_FILE + 1)
    assert "too large" in refused(load, path, path=path)


# --- workbooks -----------------------------------------------------------------------------------
def put_sheet(folder: Path, rows: Sequence[Sequence[object]]) -> Path:
    """A workbook with these rows in its one sheet."""
    book, path = openpyxl.Workbook(), folder / "a.xlsx"
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_headings_labels_and_empty_margins_are_left_out(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row, cells in enumerate([["", "c0", "c1"], ["the", 1, 2.5], ["cat", 3, -4]], 3):
        for column, cell in enumerate(cells, 2):
            sheet.cell(row, column, cell)
    book.save(tmp_path / "a.xlsx")
    np.testing.assert_array_equal(open_matrix(tmp_path / "a.xlsx").values, [[1, 2.5], [3, -4]])


@each("hidden", ["row", "column", "sheet", ""])
def test_what_is_hidden_is_read_and_said(hidden: str, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [[1, 2], [3, 4], [5, 6]]:
        book.active.append(row)
    if hidden == "sheet":
        book.create_sheet("other")  # one has to be seen
        book.active.sheet_state = "hidden"
    else:
        book.active.row_dimensions[2].hidden = hidden == "row"
        book.active.column_dimensions["B"].hidden = hidden == "column"
    book.save(tmp_path / "a.xlsx")
    found = open_matrix(tmp_path / "a.xlsx")
    assert found.values.shape == (3, 2)
    assert [str(note) for note in found.notes] == ["Hidden rows, columns or sheets were read as all others."] * bool(
        hidden
    )


@each("prefix", [b"", b"x:"])  # the latter as Open XML SDK writes them, which computes none
def test_values_are_read_and_never_formulas(prefix: bytes, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = put_sheet(tmp_path, [[1, "=A1+1"]])
    if prefix:
        patched(path, SHEET, lambda data: re.sub(rb"<(/?)(?=\w)", rb"<\1x:", data).replace(b"xmlns=", b"xmlns:x="))
    assert "has formulas without values" in refused(open_matrix, path, path=path)
    empty, full = rb"<%bv ?/>|<%bv></%bv>" % (prefix, prefix, prefix), b"<%bv>2</%bv>" % (prefix, prefix)
    patched(path, SHEET, lambda data: re.sub(empty, full, data))
    np.testing.assert_array_equal(open_matrix(path).values, [[1, 2]])


def test_excels_list_of_all_formulas_is_no_row(tmp_path: Path) -> None:
    """Of a workbook with more formulas than a sheet has columns it was said that a row had too many cells."""
    path = put(tmp_path / "a.xlsx", {"any": np.eye(2)})
    with zipfile.ZipFile(path, "a") as archive:
        cells = "".join(f'<c r="A{row}" i="1"/>' for row in range(xlsx_reader.MOST_COLUMNS + 1, 0, -1))
        archive.writestr("xl/calcChain.xml", f'<calcChain xmlns="http://x">{cells}</calcChain>')
    np.testing.assert_array_equal(open_matrix(path).values, np.eye(2))


def test_a_row_may_begin_at_the_end_of_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells came after those of the row before in the same row: a sheet of some MB was said to be damaged."""
    path = put(tmp_path / "a.xlsx", {"any": np.eye(9)})
    for length in range(64, 72):
        monkeypatch.setattr(xlsx_reader, "CHUNK", length)
        np.testing.assert_array_equal(open_matrix(path).values, np.eye(9))


@each(
    ("cells", "words"),
    [
        ([[1, "x"], [2, 3]], "sheet “Sheet”: row 0, column 1 (line 1) is “x”; expected a number"),
        ([[1, None], [2, 3]], "row 0, column 1 (line 1)"),
        ([], "holds no sheet of numbers"),
    ],
)
def test_a_cell_that_is_no_number_is_named(
    cells: list[list[object]], words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    path = put_sheet(tmp_path, cells)
    assert words in refused(open_matrix, path, path=path)


Q, K, V = [[1, 0.5], [0, 1]], [[1, 1], [0, 1]], [[1, 2, 3], [3, 4, 5]]


def below(names: Sequence[str | None]) -> list[list[object]]:
    rows: list[list[object]] = []
    for name, table in zip(names, (Q, K, V), strict=True):
        rows += [*([[name]] if name else []), *map(list, table), []]
    return rows


def beside(names: Sequence[str | None]) -> list[list[object]]:
    rows: list[list[object]] = [[], [], []]
    for name, table in zip(names, (Q, K, V), strict=True):
        for row, cells in zip(rows, [[name, *[None] * (len(table[0]) - 1)], *table], strict=True):
            row += [*cells, None]
    return rows[0 if any(names) else 1 :]


@each("layout", [below, beside])
@each("names", [("query", "key", "value"), ("Queries:", "Keys:", "Values:")])
def test_tables_of_one_sheet_go_by_the_names_above_them(
    layout: Callable[..., list[list[object]]], names: Sequence[str], tmp_path: Path
) -> None:
    found = load(put_sheet(tmp_path, layout(names)))
    assert (found.query.tolist(), found.key.tolist(), found.value.tolist()) == (Q, K, V)


@each("layout", [below, beside])
def test_tables_of_one_sheet_without_names_are_asked_about(
    layout: Callable[..., list[list[object]]], tmp_path: Path, refused: Callable[..., str]
) -> None:
    """The window asks which is which, as of any arrays whose names say nothing."""
    path = put_sheet(tmp_path, layout((None, None, None)))
    assert "got Sheet 0, Sheet 1, Sheet 2" in refused(load, path, path=path)
    assert [array.shape for array in list_arrays(path).arrays] == [(2, 2), (2, 2), (2, 3)]
    assert load(path, arrays={"query": "Sheet 0", "key": "Sheet 1", "value": "Sheet 2"}).value.tolist() == V


@each("name", ["K^T", "Kᵀ", "K'", "K.T", "key transposed", "K 转置"])
def test_a_transpose_is_not_read_as_what_it_is_of(name: str, tmp_path: Path, refused: Callable[..., str]) -> None:
    path = put_sheet(tmp_path, beside(("Q", name, "V")))
    assert f"By their names {name} may be transposed" in refused(load, path, path=path)
    text = tmp_path / "a.md"
    text.write_text(f"Q = [[1, 0.5], [0, 1]]\n{name} = [[1, 2], [0, 1]]\nV = [[1, 2, 3], [3, 4, 5]]", "utf-8")
    assert f"none of them a transpose, that fit together; got Q, {name}, V" in refused(open_file, text, path=text)
    text.write_text("1 2\n3 4\n\n5 6\n7 8\n", "utf-8")  # two tables, or one
    assert refused(open_file, text, path=text).endswith("got “”.")


@each(
    ("cells", "numbers"), [([["1.5", 2], [3, 4]], [[1.5, 2], [3, 4]]), ([["-inf", 2], [3, 4]], [[-np.inf, 2], [3, 4]])]
)
def test_numbers_kept_as_texts_stay_what_they_are_beside_whole_ones(
    cells: list[list[object]], numbers: list[list[float]], tmp_path: Path
) -> None:
    assert open_matrix(put_sheet(tmp_path, cells)).values.tolist() == numbers


def patched(path: Path, part: str, change: Callable[[bytes], bytes]) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            content = old.read(info)
            new.writestr(info.filename, change(content) if info.filename.endswith(part) else content)
    path.write_bytes(data.getvalue())


def long_and_wide(data: bytes) -> bytes:
    """The sheet with a cell in the last column, and 500 rows of one cell below it: 65 MB, were they filled up."""
    rows = b"".join(b'<row r="%d"><c r="A%d"><v>1</v></c></row>' % (row, row) for row in range(3, 503))
    return data.replace(b'r="B1"', b'r="XFD1"').replace(b"</sheetData>", rows + b"</sheetData>")


SHEET = "sheet1.xml"
BOMBS: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "entities": ("workbook.xml", lambda data: b'<!DOCTYPE a [<!ENTITY b "c">]>' + data, "declares entities"),
    "wide": (SHEET, lambda data: data.replace(b'r="B1"', b'r="XFD1"'), "row 0, column 1 .* is empty"),
    "a row of a million cells": (
        SHEET,
        lambda data: data.replace(b"<sheetData>", b"<sheetData><row>" + b"<c><v>1</v></c>" * 1_000_000 + b"</row>"),
        "a row of more than 16,384 cells",
    ),
    "wide and long": (
        SHEET,
        lambda data: data.replace(b'r="B1"', b'r="XFD1"').replace(b'<row r="2"', b'<row r="60000"'),
        "are not numbers|is empty",
    ),
    "wide, and long": (SHEET, long_and_wide, "are not numbers"),
    "far down": (SHEET, lambda data: data.replace(b'<row r="2"', b'<row r="99999999999"'), "more than 4,000,000 cells"),
    "says to be huge": (SHEET, lambda data: data.replace(b"A1:B2", b"A1:XFD1048576"), ""),
    "zeros": (SHEET, lambda data: data + b" " * xlsx_reader.LARGEST_UNPACKED, "unpacks to 134.2 MB"),
    "a number beyond all": (
        SHEET,
        lambda data: data.replace(b"<v>3</v>", b"<v>-1e400</v>"),
        "sheet “any”: the number in B2 is too large for float64: the largest is 1.798e",
    ),
    "no xml": (SHEET, lambda _data: b"<sheet", "damaged"),
    "a row twice": (SHEET, lambda data: data.replace(b'<row r="2"', b'<row r="1"'), "damaged"),
    "a row before the last": (SHEET, lambda data: data.replace(b'<row r="1"', b'<row r="3"'), "damaged"),
    "a cell twice": (SHEET, lambda data: data.replace(b'r="B', b'r="A'), "damaged"),
    "another encoding": (SHEET, lambda data: data.decode().encode("utf-16"), "damaged"),
    "tags without an end": (SHEET, lambda _data: b"<row " * 30_000, "damaged"),
    "no book": ("workbook.xml", lambda _data: b"", "damaged"),
}


@pytest.mark.family(4)
@pytest.mark.parametrize("name", BOMBS)
def test_a_workbook_that_lies_is_refused_before_it_goes_off(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part, change, words = BOMBS[name]
    monkeypatch.setattr(xlsx_reader, "MOST_ROWS", 2**16)  # a million take long where memory is watched
    path = put(tmp_path / "a.xlsx", {"any": np.arange(4.0).reshape(2, 2)})
    patched(path, part, change)
    began = time.process_time()
    with taking(60e6):
        if words:
            with pytest.raises(FormatError, match=words):
                open_matrix(path)
        else:
            np.testing.assert_array_equal(open_matrix(path).values, [[0, 1], [2, 3]])
    assert not is_slow(time.process_time() - began, 10.0)


def test_what_is_missing_to_read_it_is_said(
    tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "a.xlsx", CELLS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert "python -m pip install openpyxl." in refused(load, path, path=path)


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


# --- what the file holds besides, and files of our own -------------------------------------------
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


TYPES = (".json", ".npz", ".safetensors")


@pytest.mark.parametrize("suffix", TYPES)
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
        ({"a": '{"q": [[1]]}', "a.q": "[[2]]"}, "“a.q” is there twice."),
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
        ("[[1, 2, 3, true]]", "Among numbers “true” was read as 1."),
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
