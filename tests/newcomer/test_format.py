"""A new kind of file in this one file: opened, saved, exported, offered in every dialog.

Matrix Market's dense form, .mtx: a heading, the two sizes, and one number a line, column by column.
"""

from typing import IO

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from attn_gui.cli import main
from attn_gui.engine import compute
from attn_gui.formats import FormatError, load, open_file, open_matrix, rows_of, save_rows
from attn_gui.formats.array_rows import ArrayRows
from attn_gui.formats.catalog import FORMATS
from attn_gui.formats.file_format import FileSource, Format, LabeledArray, Labels
from attn_gui.paths import resource

HEADING = b"%%MatrixMarket matrix array real general\n"
SMALL = "worked-example.npz"


def matches(start: bytes) -> bool:
    return start.startswith(HEADING[:16])


def read(source: FileSource) -> LabeledArray:
    sizes, *numbers = source.file.read(source.size).splitlines()[1:]
    rows, columns = map(int, sizes.split())
    return LabeledArray(np.array([float(number) for number in numbers]).reshape(columns, rows).T)


def write_rows(rows: ArrayRows, file: IO[bytes], row_labels: Labels, column_labels: Labels) -> None:
    values = np.concatenate(list(rows.blocks()))
    numbers = "".join(f"{number!r}\n" for number in values.T.reshape(-1).tolist())
    file.write(HEADING + f"{len(values)} {values.shape[1]}\n{numbers}".encode())


@pytest.fixture(autouse=True)
def mtx(monkeypatch):
    name = {"key": "mtx", "suffixes": (".mtx",), "label": "Matrix Market", "kind": "matrix"}
    entry = Format(**name, read=read, matches=matches, write_rows=write_rows)
    monkeypatch.setitem(FORMATS, "mtx", entry)


# --- Python --------------------------------------------------------------------------------------
def test_a_matrix_comes_back_and_both_ways_of_saving_write_the_same(tmp_path):
    values = np.random.default_rng(7).normal(size=(3, 4))
    save_rows(rows_of(values), tmp_path / "a.mtx")
    save_rows(rows_of(values), tmp_path / "b.mtx", row_labels=list("abc"), excel=True)
    assert (tmp_path / "a.mtx").read_bytes() == (tmp_path / "b.mtx").read_bytes()
    assert (tmp_path / "a.mtx").read_bytes().startswith(HEADING)
    assert np.array_equal(open_matrix(tmp_path / "a.mtx").values, values)
    (tmp_path / "a.mtx").rename(tmp_path / "told by its first bytes")
    assert np.array_equal(open_matrix(tmp_path / "told by its first bytes").values, values)


def test_it_is_no_problem_and_is_named_among_those_that_can_be_read(tmp_path):
    save_rows(rows_of(np.eye(2)), tmp_path / "a.mtx")
    with pytest.raises(FormatError, match="holds one matrix, not a problem"):
        open_file(tmp_path / "a.mtx")
    (tmp_path / "a.docx").write_bytes(b"1")
    with pytest.raises(FormatError, match=r"expected \.npy, \.csv, \.tsv, \.md, \.tex, \.mtx"):
        open_matrix(tmp_path / "a.docx")


# --- the command line ----------------------------------------------------------------------------
def test_the_command_line_names_it_and_writes_it(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["export", "--help"])
    assert "mtx" in capsys.readouterr().out
    assert main(["export", str(resource("examples", SMALL)), "-o", str(tmp_path), "--format", "mtx"]) == 0
    expected = compute(load(resource("examples", SMALL)))["weights"][0, 0]
    assert np.array_equal(open_matrix(tmp_path / "worked-example-weights-h0.mtx").values, expected)


# --- the window ----------------------------------------------------------------------------------
def test_the_window_imports_it_offers_it_for_export_and_takes_it_dropped_on_a_table(launch, tmp_path):
    from attn_gui.views.dialogs.export_dialog import ExportDataDialog

    person = launch(SMALL)
    shape = person.program.document.problem.query.shape
    save_rows(rows_of(np.arange(np.prod(shape), dtype=float).reshape(shape)), tmp_path / "a.mtx")
    filters: list[str] = []

    def look(dialog: QFileDialog) -> None:
        filters.extend(dialog.nameFilters())
        dialog.reject()

    person.go_to("query", 0, 0)
    person.answering(QFileDialog, look, lambda: person.do("import_matrix"))
    assert any("*.mtx" in found for found in filters)
    person.choose_file(tmp_path / "a.mtx", lambda: person.do("import_matrix"))
    person.wait()
    assert person.number("query", 0, 1) == 1

    def export(dialog: ExportDataDialog) -> None:
        person.choose(dialog.format, "mtx")
        assert not dialog.headers.isEnabled()
        assert "MTX" in dialog.format.currentText()
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    person.answering(ExportDataDialog, export, lambda: person.do("export_data"))
    written = next(tmp_path.glob("*weights*.mtx"))
    assert np.array_equal(open_matrix(written).values, compute(person.program.document.problem)["weights"][0, 0])
    shape = person.program.document.problem.value.shape
    save_rows(rows_of(np.full(shape, 7.0)), tmp_path / "v.mtx")
    table = person.table("value").viewport()
    person.drop(tmp_path / "v.mtx", at=table.mapTo(person.window, table.rect().center()))
    person.wait()
    assert person.number("value", 0, 0) == 7
