"""The chooser of arrays: its model, picking and dropping, both readings, what it says is wrong."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping
from attn_gui.views.dialogs.arrays_dialog import ARRAY_MIME, ArraysDialog, ArraySlot, ArraysModel

ARRAYS = (
    ListedArray("q", (2, 5, 3), "float32"),
    ListedArray("k", (2, 5, 3), "float32"),
    ListedArray("v", (2, 5, 3), "float32"),
    ListedArray("other", (2, 6, 3), "float16"),
    ListedArray("w", (3, 3), "float64"),
    ListedArray("attn_mask", (5, 5), "bool"),
)
LISTING = ArrayListing(ARRAYS, lambda _source, _names: {})


@pytest.fixture
def chooser(qtbot: QtBot) -> Callable[..., ArraysDialog]:
    def build(listing: ArrayListing = LISTING) -> ArraysDialog:
        dialog = ArraysDialog("a.npz", listing, str)
        qtbot.addWidget(dialog)
        dialog.set_arrangement(propose_mapping(listing))
        dialog.show()
        dialog.activateWindow()
        qtbot.waitActive(dialog)
        return dialog

    return build


def drop(slot: ArraySlot, data: QMimeData) -> None:
    how = Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(slot, QDragEnterEvent(slot.rect().center(), *how))
    QApplication.sendEvent(slot, QDropEvent(QPointF(slot.rect().center()), *how))


def test_the_models_pass_qts_own_tester(chooser: Callable[..., ArraysDialog]) -> None:
    dialog = chooser()
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    testers = [QAbstractItemModelTester(model, mode) for model in (dialog.model, dialog.sieve)]
    dialog.line.setText("k")
    dialog.model.set_parts({"query": "other", "key": "other"})
    dialog.line.clear()
    assert dialog.model.index(3, 3).data() == "Q, K"
    dialog.retranslate()
    assert dialog.model.index(3, 3).data() == ""
    assert [dialog.model.headerData(k, Qt.Orientation.Horizontal) for k in range(2)] == ["Array", "Shape"]
    empty = ArraysModel(())
    testers.append(QAbstractItemModelTester(empty, mode))
    empty.set_parts({})
    assert len(testers) == 3


def test_what_the_names_suggest_is_proposed_and_both_readings_are_offered(
    chooser: Callable[..., ArraysDialog], qtbot: QtBot
) -> None:
    dialog = chooser()
    names = {"query": "q", "key": "k", "value": "v", "mask": "attn_mask"}
    assert dialog.arrangement() == ArrayMapping(names)
    assert [word for _, word in dialog.fields.axes.choices()] == [
        "head × token × column\nheads 2, tokens 5",
        "item × token × column\nitems 2, tokens 5",
        "token × head × column\nheads 5, tokens 2",
    ]
    assert [word for _, word in dialog.fields.mask_means.choices()] == ["True may attend", "True may not attend"]
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert dialog.isVisible(), "Enter does nothing until the readings are chosen"
    assert dialog.complaint.text() == "Choose how the numbers are read."
    qtbot.mouseClick(dialog.fields.mask_means.button("keep"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(dialog.fields.axes.button("head,token,column"), Qt.MouseButton.LeftButton)
    assert dialog.arrangement() == ArrayMapping(names, axes=("head", "token", "column"), mask="keep")
    assert not dialog.fields.heads.isVisible()
    QApplication.processEvents()  # the arrows follow the layout
    qtbot.keyClick(dialog.fields.axes.button("head,token,column"), Qt.Key.Key_Down)
    assert dialog.arrangement().axes == ("batch", "token", "column")
    assert dialog.fields.heads.isVisible()
    dialog.fields.heads.setValue(3)
    assert (dialog.arrangement().num_heads, dialog.arrangement().num_kv_heads) == (3, None)
    assert dialog.complaint.text() == ""
    dialog.fields.kv_heads.setValue(1)
    assert dialog.arrangement().num_kv_heads == 1
    assert "as wide as a head of query" in dialog.complaint.text()


def test_an_array_is_dragged_onto_its_place(chooser: Callable[..., ArraysDialog]) -> None:
    dialog = chooser()
    row = dialog.model.index(3, 0)
    drop(dialog.parts.slots["key"], dialog.model.mimeData([row]))
    assert dialog.parts.names()["key"] == "other"
    assert dialog.complaint.isVisible()
    assert "fit together in no order" in dialog.complaint.text()
    assert not dialog.buttons.button(dialog.buttons.StandardButton.Ok).isEnabled()
    drop(dialog.parts.slots["value"], dialog.model.mimeData([row]))
    assert dialog.complaint.text() == "Choose how the numbers are read."
    strange = QMimeData()
    strange.setData(ARRAY_MIME, b"nowhere")
    drop(dialog.parts.slots["query"], strange)
    drop(dialog.parts.slots["query"], QMimeData())
    assert dialog.parts.names()["query"] == "q"


def test_x_and_weights_take_the_place_of_q_k_and_v(chooser: Callable[..., ArraysDialog], qtbot: QtBot) -> None:
    dialog = chooser()
    qtbot.mouseClick(dialog.parts.projected, Qt.MouseButton.LeftButton)
    assert dialog.parts.names() == {"mask": "attn_mask"}
    assert "missing" in dialog.complaint.text()
    for role, name in {"x": "w", "w_query": "w", "w_key": "w", "w_value": "w"}.items():
        slot = dialog.parts.slots[role]
        assert slot.isVisible()
        slot.setCurrentIndex(slot.findData(name))
    dialog.parts.slots["mask"].setCurrentIndex(0)
    assert dialog.fields.weights.isVisible()
    assert dialog.complaint.text() == "Choose how the numbers are read."
    qtbot.mouseClick(dialog.fields.weights.button("in,out"), Qt.MouseButton.LeftButton)
    assert dialog.complaint.text() == ""
    QApplication.processEvents()
    qtbot.keyClick(dialog.fields.weights.button("in,out"), Qt.Key.Key_Down)
    assert dialog.arrangement().weights == "out,in"


def test_enter_takes_what_is_proposed_and_finding_looks_at_names(
    chooser: Callable[..., ArraysDialog], qtbot: QtBot
) -> None:
    flat = tuple(ListedArray(array.name, array.shape[-2:], array.dtype) for array in ARRAYS[:4])
    dialog = chooser(ArrayListing(flat, lambda _source, _names: {}))
    with qtbot.waitSignal(dialog.previewAsked) as asked:
        qtbot.keyClicks(dialog.line, "OTH")
        assert dialog.sieve.rowCount() == 1
        dialog.table.selectRow(0)
    assert asked.args == ["other"]
    dialog.set_preview("q", np.zeros((2, 2)))
    assert dialog.preview.text() == ""
    dialog.set_preview("other", np.arange(36.0).reshape(2, 6, 3) / 3)
    assert dialog.preview.text().startswith("0 0.3333 0.6667\n1 1.3333")
    dialog.set_preview("other", "It is damaged.")
    assert (dialog.preview.text(), dialog.about.text()) == ("", "It is damaged.")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted
