"""Dialogs of tokens, new problems and arrays: what is proposed, typed and refused."""

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping
from attn_gui.views.dialogs.arrays_dialog import ARRAY_MIME, ArraysDialog, ArraySlot
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.dialogs.small_dialogs import AskDialog, LeaveOutDialog
from attn_gui.views.dialogs.tokens_dialog import TokensDialog
from attn_gui.views.text_views import SentenceView
from tests.failing import each

ARRAYS = (
    ListedArray("q", (2, 5, 3), "float32"),
    ListedArray("k", (2, 5, 3), "float32"),
    ListedArray("v", (2, 5, 3), "float32"),
    ListedArray("other", (2, 6, 3), "float16"),
    ListedArray("w", (3, 3), "float64"),
    ListedArray("attn_mask", (5, 5), "bool"),
)

LISTING = ArrayListing(ARRAYS, lambda _source, _names: {})


def _tokens(qtbot: QtBot, **state: object) -> TokensDialog:
    dialog = TokensDialog()
    qtbot.addWidget(dialog)
    dialog.set_state(**({"n": 3, "m": 5} | state))
    dialog.show()
    dialog.sentence.setFocus()
    return dialog


def _words(dialog: TokensDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())


def test_an_empty_sentence_takes_the_tokens_away(qtbot):
    present = ("Thinking", "Machines")
    dialog = _tokens(qtbot, n=2, m=2, query_tokens=present, key_tokens=present)
    assert dialog.sentence.toPlainText() == "Thinking Machines"
    qtbot.keyClick(dialog.sentence, Qt.Key.Key_Delete)
    assert dialog.result_fields() == {"query_tokens": None, "key_tokens": None}
    assert "labeled by number" in _words(dialog)


def test_tokens_of_a_model_are_there_and_stay_whole_while_others_are_typed(qtbot):
    present = ("[CLS]", " didn", "'", "t", "##s", ".")
    dialog = _tokens(qtbot, n=6, m=6, query_tokens=present, key_tokens=present, may_resize=True)
    assert dialog.tokens() == present
    assert dialog.result_fields() == {"query_tokens": present, "key_tokens": present}
    dialog.sentence.setPlainText(dialog.sentence.toPlainText() + " [SEP] now")
    assert dialog.tokens() == (*present, "[", "SEP", "]", "now")
    assert "n = m = 10" in dialog.resize_rows.text()


def test_tokens_that_no_sentence_gives_are_there_as_they_are(qtbot):
    """One has a blank inside: as a sentence it would be torn, and dropped it would take the names away."""
    present = ("New York", "the")
    dialog = _tokens(qtbot, n=2, m=2, query_tokens=present, key_tokens=present, may_resize=True)
    assert dialog.sentence.toPlainText() == ""
    assert dialog.result_fields() == {"query_tokens": present, "key_tokens": present}
    assert not dialog.resize_rows.isEnabled()
    qtbot.keyClicks(dialog.sentence, "one two three")
    assert dialog.tokens() == ("one", "two", "three")
    assert dialog.resize_rows.isEnabled()


@each("keys", [("I", "am"), None])
def test_each_side_begins_with_its_own_tokens_and_keeps_what_is_typed(qtbot, keys):
    dialog = _tokens(qtbot, n=2, m=2, query_tokens=("je", "suis"), key_tokens=keys)
    assert dialog.result_fields() == {"query_tokens": ("je", "suis")}
    dialog.side.setCurrentIndex(dialog.side.findData("keys"))
    assert dialog.result_fields() == {"key_tokens": keys}
    dialog.side.setCurrentIndex(dialog.side.findData("both"))
    assert dialog.tokens() == ("je", "suis")
    qtbot.keyClicks(dialog.sentence, "we are")
    dialog.side.setCurrentIndex(dialog.side.findData("keys"))
    assert dialog.result_fields() == {"key_tokens": ("we", "are")}
    assert [dialog.pieces.item(row).text() for row in range(dialog.pieces.count())] == ["0  we", "1  are"]


def test_tokens_that_are_cut_by_hand_know_the_rows_that_they_come_from(qtbot):
    present = tuple("aabaa")
    dialog = _tokens(qtbot, n=5, m=5, query_tokens=present, key_tokens=present)
    dialog.pieces.item(0).setText("")
    dialog.pieces.item(2).setText("a x")
    assert dialog.tokens() == ("a", "b", "a", "x", "a")
    assert dialog.old_places("n") == dialog.old_places("m") == [1, 2, 3, -1, 4]
    dialog.pieces.clearSelection()
    for piece in (3, 4):
        dialog.pieces.item(piece).setSelected(True)
    qtbot.mouseClick(dialog.join, Qt.MouseButton.LeftButton)
    assert dialog.tokens() == ("a", "b", "a", "xa")
    assert dialog.old_places("n") == [1, 2, 3, 4]


def test_tokens_that_are_cut_by_hand_after_others_were_typed_know_their_rows(qtbot):
    dialog = _tokens(qtbot, n=3, m=3, query_tokens=("very", "very", "good"), key_tokens=None)
    dialog.sentence.setPlainText("so very very good")
    dialog.pieces.item(1).setText("")
    assert dialog.tokens() == ("so", "very", "good")
    assert dialog.old_places("n") == [-1, 1, 2]
    assert dialog.old_places("m") == [0, 2, -1]  # keys without names
    dialog.sentence.setPlainText("so very good")
    assert dialog.old_places("n") == [0, 1, 2]


@pytest.fixture
def dialog(qtbot):
    dialog = NewDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def _type(qtbot: QtBot, dialog: NewDialog, **sizes: int) -> None:
    for name, value in sizes.items():
        dialog.boxes[name].selectAll()
        qtbot.keyClicks(dialog.boxes[name], str(value))


def _shapes(dialog: NewDialog) -> str:
    """What is said of them."""
    return dialog.findChild(SentenceView, "new.shapes").text()


def test_in_self_attention_the_keys_are_the_rows_of_x(qtbot, dialog):
    _type(qtbot, dialog, n=3, m=5, num_heads=2, d_k=7, d_v=11)
    qtbot.mouseClick(dialog.radios["self"], Qt.MouseButton.LeftButton, pos=dialog.radios["self"].rect().center() / 4)
    assert _shapes(dialog) == "X 3 × 14, W_Q 14 × 14, W_K 14 × 14, W_V 14 × 22"
    assert not dialog.boxes["m"].isEnabled()
    assert dialog.boxes["m"].value() == dialog.result_choice().m == 3
    _type(qtbot, dialog, n=13)
    assert dialog.result_choice().m == 13
    dialog.radios["cross"].click()
    assert dialog.result_choice().m == 5
    assert _shapes(dialog) == "X 13 × 14, X₂ 5 × 14, W_Q 14 × 14, W_K 14 × 14, W_V 14 × 22"


def test_tab_goes_down_the_form_by_what_is_chosen(qtbot):
    dialog = NewDialog()
    qtbot.addWidget(dialog)
    dialog.set_state({"kind": "self", "mask": "causal"})
    dialog.show()
    dialog.activateWindow()
    dialog.sentence.setFocus()
    stops = []
    for _ in range(10):
        stops.append(dialog.focusWidget().objectName().removeprefix("new."))
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    sizes = ["num_heads", "d_model", "d_k", "d_v", "fill", "seed"]
    assert stops == ["sentence", "self", "n", "mask.causal", *sizes]
    assert dialog.focusWidget() is dialog.buttons.ok


@each("made", [lambda: AskDialog("", "", "", str, None), lambda: LeaveOutDialog(lambda *_: (), None)])
def test_what_is_typed_at_once_goes_into_the_first_field(qtbot, made):
    dialog = made()
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(lambda: dialog.focusWidget() is not None)
    qtbot.keyClicks(dialog.focusWidget(), "7")
    assert "7" in dialog.findChild(QLineEdit).text()


def _sizes(dialog: NewDialog) -> tuple[int, int, int, int]:
    boxes = dialog.boxes
    return dialog.d_model.value(), boxes["num_heads"].value(), boxes["d_k"].value(), boxes["d_v"].value()


def _type_d_model(qtbot: QtBot, dialog: NewDialog, width: int) -> None:
    dialog.d_model.selectAll()
    qtbot.keyClicks(dialog.d_model, str(width))


def _says(dialog: NewDialog, words: str) -> bool:
    return any(words in sentence.text() for sentence in dialog.findChildren(SentenceView))


def test_a_typed_d_model_stays_whenever_the_heads_are_typed(qtbot, dialog):
    dialog.radios["self"].click()
    _type_d_model(qtbot, dialog, 64)
    assert _sizes(dialog) == (64, 2, 32, 32)
    _type(qtbot, dialog, num_heads=8)
    assert _sizes(dialog) == (64, 8, 8, 8)
    assert _says(dialog, "d_model = heads · dₖ = 8 · 8.")
    _type_d_model(qtbot, dialog, 128)
    assert _sizes(dialog) == (128, 8, 16, 16)


def test_a_typed_d_k_is_followed_by_d_model(qtbot, dialog):
    _type_d_model(qtbot, dialog, 64)
    _type(qtbot, dialog, d_k=5)
    assert _sizes(dialog)[:3] == (10, 2, 5)
    _type(qtbot, dialog, num_heads=3)
    assert _sizes(dialog)[:3] == (15, 3, 5)
    assert _says(dialog, "d_model = heads · dₖ = 3 · 5.")


def test_an_x_may_have_a_width_of_its_own_in_either_order_and_next_time(qtbot, dialog):
    """As in the Illustrated Transformer: d_model = 4 and two heads of d_k = 3."""
    dialog.radios["self"].click()
    _type_d_model(qtbot, dialog, 4)
    _type(qtbot, dialog, n=2, d_k=3)
    assert _sizes(dialog) == (4, 2, 3, 3)
    assert _shapes(dialog) == "X 2 × 4, W_Q 4 × 6, W_K 4 × 6, W_V 4 × 6"
    assert _says(dialog, "X is 4 wide.")
    fields = dialog.result_choice().fields()
    assert (fields["x"].shape, fields["w_value"].shape) == ((2, 4), (4, 6))
    again = NewDialog()
    qtbot.addWidget(again)
    again.set_state(dialog.state())
    assert _shapes(again) == _shapes(dialog)
    _type(qtbot, dialog, d_k=4)
    _type_d_model(qtbot, dialog, 5)
    assert _sizes(dialog) == (5, 2, 4, 4)
    _type_d_model(qtbot, dialog, 8)
    assert _says(dialog, "d_model = heads · dₖ = 2 · 4.")
    _type_d_model(qtbot, dialog, 5)
    dialog.radios["direct"].click()
    assert _sizes(dialog) == (8, 2, 4, 4)
    assert _shapes(dialog) == "Q 2 × 8, K 5 × 8, V 5 × 8"


def test_heads_that_cannot_share_d_model_are_told_and_not_made(qtbot, dialog):
    create = dialog.buttons.buttons()[0]
    _type_d_model(qtbot, dialog, 64)
    _type(qtbot, dialog, num_heads=3)
    assert _says(dialog, "3 heads cannot share d_model = 64 evenly.")
    assert (dialog.d_model.value(), create.isEnabled(), _shapes(dialog)) == (64, False, "")
    qtbot.keyClick(dialog.d_model, Qt.Key.Key_Return)
    assert dialog.isVisible()
    _type(qtbot, dialog, num_heads=2)
    _type_d_model(qtbot, dialog, 4096)
    assert _says(dialog, "d_model = 4096 takes at least 4 heads, as dₖ is at most 1024.")
    assert not create.isEnabled()
    _type(qtbot, dialog, num_heads=4)
    assert _sizes(dialog) == (4096, 4, 1024, 1024)
    assert create.isEnabled()


def test_a_sentence_sets_the_rows_and_a_mask_is_chosen(qtbot, dialog):
    dialog.sentence.setFocus()
    qtbot.keyClicks(dialog.sentence, "The cat sat down")
    dialog.masks["causal"].click()
    choice = dialog.result_choice()
    assert (choice.n, choice.m, choice.mask, choice.tokens) == (4, 4, "causal", ("The", "cat", "sat", "down"))
    assert not _says(dialog, "left out")
    _type(qtbot, dialog, n=3)
    assert _says(dialog, "4 tokens for 3 rows: the last 1 are left out.")


@pytest.fixture
def chooser(qtbot):
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


def test_what_the_names_suggest_is_proposed_and_both_readings_are_offered(chooser, qtbot):
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


def test_an_array_is_dragged_onto_its_place(chooser):
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


def test_enter_takes_what_is_proposed_and_finding_looks_at_names(chooser, qtbot):
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
    assert dialog.preview.text() == "0 0.3333 0.6667\n1 1.3333 1.6667\n2 2.3333 2.6667\n3 3.3333 3.6667\n⋮"
    dialog.set_preview("other", np.arange(20.0).reshape(4, 5))
    assert dialog.preview.text().endswith("\n15 16 17 18 19"), "all of it has room"
    dialog.set_preview("other", "It is damaged.")
    assert (dialog.preview.text(), dialog.about.text()) == ("", "It is damaged.")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert dialog.result() == QDialog.DialogCode.Accepted
