from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from attn_gui.document.matrix_model import MatrixModel

Role = Qt.ItemDataRole
ROWS, COLUMNS = Qt.Orientation.Vertical, Qt.Orientation.Horizontal


@pytest.fixture
def shown(qapp: Any) -> Iterator[SimpleNamespace]:
    """A model over `array`, watched by Qt's own tester, which ends the run at the first fault."""
    model = MatrixModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    made = SimpleNamespace(model=model, array=np.arange(15.0).reshape(3, 5) / 7, tester=tester, said=[], resets=0)
    model.typed.connect(lambda *what: made.said.append(("typed", *what)))
    model.refused.connect(lambda *what: made.said.append(("refused", *what)))
    model.renamed.connect(lambda *what: made.said.append(("renamed", *what)))
    model.dataChanged.connect(
        lambda a, b: made.said.append(("changed", a.row(), b.row() + 1, a.column(), b.column() + 1))
    )
    model.modelReset.connect(lambda: setattr(made, "resets", made.resets + 1))
    model.set_matrix(lambda: made.array)
    made.said.clear()
    return made


def text(model: MatrixModel, row: int, column: int, role: int = Role.DisplayRole) -> Any:
    return model.data(model.index(row, column), role)


def test_a_cell_is_shown_rounded_and_edited_exactly(shown: SimpleNamespace) -> None:
    shown.array[0, :4] = [-1 / 3, np.nan, -np.inf, -0.0]
    assert [text(shown.model, 0, k) for k in range(4)] == ["−0.333", "NaN", "−∞", "0.000"]
    assert [text(shown.model, 0, k, Role.EditRole) for k in range(4)] == ["-0.3333333333333333", "nan", "-inf", "-0"]
    assert text(shown.model, 1, 0, MatrixModel.ValueRole) == 5 / 7
    assert shown.model.cell(1, 0) == ("0.714", 5 / 7)
    assert Qt.AlignmentFlag(text(shown.model, 0, 0, Role.TextAlignmentRole)) & Qt.AlignmentFlag.AlignRight
    shown.model.set_decimals(1)
    assert text(shown.model, 1, 0) == "0.7"
    assert shown.said == [("changed", 0, 3, 0, 5)]


def test_typing_a_number_asks_for_it_and_changes_nothing(shown: SimpleNamespace) -> None:
    before = shown.array.copy()
    assert shown.model.setData(shown.model.index(2, 4), " 1/3 ")
    assert shown.model.setData(shown.model.index(0, 0), 2.5)
    assert shown.said == [("typed", 2, 4, 1 / 3), ("typed", 0, 0, 2.5)]
    assert np.array_equal(shown.array, before)


def test_an_unchanged_number_is_no_wish(shown: SimpleNamespace) -> None:
    shown.array[0, :3] = [0.5, np.frombuffer(b"\x01\0\0\0\0\0\xf8\x7f")[0], 0.0]
    for column, words in enumerate(["5e-1", "nan", "0"]):
        assert shown.model.setData(shown.model.index(0, column), words)
    assert shown.said == []
    assert shown.model.setData(shown.model.index(0, 2), "-0")
    assert shown.said == [("typed", 0, 2, 0.0)]


def test_bad_text_is_refused_with_a_sentence(shown: SimpleNamespace) -> None:
    assert not shown.model.setData(shown.model.index(1, 2), "1,500")
    ((kind, row, column, sentence),) = shown.said
    assert (kind, row, column) == ("refused", 1, 2)
    assert "use a point" in sentence


def test_a_single_precision_table_keeps_to_its_numbers(shown: SimpleNamespace) -> None:
    shown.array = np.full((3, 5), 0.1, np.float32)
    assert text(shown.model, 0, 0, Role.EditRole) == "0.1"
    assert shown.model.setData(shown.model.index(0, 0), "0.10000000001")
    assert not shown.model.setData(shown.model.index(0, 0), "1e39")
    assert shown.said[0][:3] == ("refused", 0, 0)


def test_one_signal_for_a_rectangle_cut_to_the_table(shown: SimpleNamespace) -> None:
    shown.array[1:3, 2:4] = 7
    shown.model.cells_changed(slice(1, 3), slice(2, 4))
    shown.model.cells_changed(slice(2, 99), slice(0, 99))
    shown.model.cells_changed(slice(3, 9), slice(0, 1))
    assert shown.said == [("changed", 1, 3, 2, 4), ("changed", 2, 3, 0, 5)]
    assert text(shown.model, 2, 3) == "7.000"


def test_it_resets_only_when_the_shape_changes(shown: SimpleNamespace) -> None:
    resets = shown.resets
    shown.array = np.ones((3, 5))
    shown.model.set_matrix(lambda: shown.array)
    assert shown.resets == resets
    assert shown.said == [("changed", 0, 3, 0, 5)]
    shown.array = np.ones((11, 2))
    assert text(shown.model, 0, 0) == ""  # the views have not been told about the new shape yet
    assert text(shown.model, 2, 4) == ""
    shown.model.set_matrix(lambda: shown.array)
    assert shown.resets == resets + 1
    assert (shown.model.rowCount(), shown.model.columnCount()) == (11, 2)
    shown.model.set_matrix(lambda: None)
    assert (shown.model.rowCount(), shown.model.columnCount()) == (0, 0)
    assert shown.model.cell(0, 0)[0] == ""


def test_the_same_numbers_shown_alike_are_no_news(shown: SimpleNamespace) -> None:
    everything = ("changed", 0, 3, 0, 5)
    shown.model.set_matrix(lambda: shown.array)
    assert shown.said == []
    shown.model.set_matrix(lambda: shown.array, row_labels=["it"])
    assert shown.said == [everything]
    shown.array = shown.array.copy()
    shown.model.set_matrix(lambda: shown.array, row_labels=["it"])
    assert shown.said == [everything] * 2
    shown.model.covered = True
    shown.model.set_matrix(lambda: shown.array, row_labels=["it"])
    assert shown.said == [everything] * 3
    shown.array = shown.array[::-1]  # the same memory, in another order
    shown.model.set_matrix(lambda: shown.array, row_labels=["it"])
    assert shown.said == [everything] * 4


def test_a_mask_is_shown_by_ticks_and_takes_one_or_zero(shown: SimpleNamespace) -> None:
    shown.array = np.array([[True, False]])
    shown.model.set_matrix(lambda: shown.array)
    shown.said.clear()
    assert [text(shown.model, 0, k) for k in (0, 1)] == ["✓", ""]
    assert [text(shown.model, 0, k, Role.EditRole) for k in (0, 1)] == ["1", "0"]
    assert [text(shown.model, 0, k, Role.AccessibleTextRole) for k in (0, 1)] == ["1", "0"]
    for words in ("0.5", "maybe", "", "nan"):
        assert not shown.model.setData(shown.model.index(0, 0), words)
    assert [what[0] for what in shown.said] == ["refused"] * 4
    for words in ("True", "1.0", "✓"):
        assert shown.model.setData(shown.model.index(0, 1), words)
    assert shown.said[4:] == [("typed", 0, 1, 1.0)] * 3


def test_headers_show_tokens_and_whole_matrix_numbers(shown: SimpleNamespace) -> None:
    shown.model.set_matrix(lambda: shown.array, row_labels=("it", "a\nb"), renamable=True)
    model = shown.model
    assert [model.headerData(k, ROWS) for k in range(3)] == ["it", "a␣b", "2"]
    assert [model.headerData(k, COLUMNS) for k in range(5)] == ["0", "1", "2", "3", "4"]
    assert model.headerData(1, ROWS, Role.EditRole) == "a\nb"
    assert model.headerData(9, ROWS) is None
    shown.said.clear()
    assert model.setHeaderData(0, ROWS, "it")
    assert model.setHeaderData(2, ROWS, "animal")
    assert not model.setHeaderData(2, COLUMNS, "animal")
    assert shown.said == [("renamed", 2, "animal")]
    model.set_matrix(lambda: shown.array)
    assert not model.setHeaderData(2, ROWS, "animal")


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("numbers", [[[0.5, -1e-9], [np.nan, 2e6]], [[True, False], [False, True]], [-0.0, np.inf]])
def test_a_block_has_the_texts_of_its_cells(qapp: Any, numbers: Any, inverted: bool) -> None:
    model, array = MatrixModel(), np.array(numbers)
    model.inverted, model.covered = inverted, True
    model.set_matrix(lambda: array)
    rows, columns = model.rowCount(), model.columnCount()
    cells = [[text(model, row, column) for row in range(rows)] for column in range(columns)]
    assert model.texts(slice(0, rows + 5), slice(0, columns)) == cells


def test_a_number_that_is_left_out_is_said_as_it_is_shown(qapp: Any) -> None:
    model, array = MatrixModel(), np.array([[np.nan, 2.5]])
    model.covered = True
    model.set_matrix(lambda: array)
    assert [text(model, 0, column, Role.AccessibleTextRole) for column in range(2)] == ["?", "2.5"]
    model.covered = False
    assert text(model, 0, 0, Role.AccessibleTextRole) == "nan"
