"""File › New says what it will make, and makes what it says."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.text_views import SentenceView


@pytest.fixture
def dialog(qtbot: QtBot) -> NewDialog:
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


def test_in_self_attention_the_keys_are_the_rows_of_x(qtbot: QtBot, dialog: NewDialog) -> None:
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


def test_the_seed_matters_only_where_numbers_are_drawn(dialog: NewDialog) -> None:
    enabled = {}
    for key in ("integers", "random", "identity", "zeros"):
        dialog.fill.setCurrentIndex(dialog.fill.findData(key))
        enabled[dialog.result_choice().fill] = dialog.seed.isEnabled()
    assert enabled == {"integers": True, "random": True, "identity": False, "zeros": False}


def _sizes(dialog: NewDialog) -> tuple[int, int, int, int]:
    boxes = dialog.boxes
    return dialog.d_model.value(), boxes["num_heads"].value(), boxes["d_k"].value(), boxes["d_v"].value()


def _type_d_model(qtbot: QtBot, dialog: NewDialog, width: int) -> None:
    dialog.d_model.selectAll()
    qtbot.keyClicks(dialog.d_model, str(width))


def _says(dialog: NewDialog, words: str) -> bool:
    return any(words in sentence.text() for sentence in dialog.findChildren(SentenceView))


def test_a_typed_d_model_stays_whenever_the_heads_are_typed(qtbot: QtBot, dialog: NewDialog) -> None:
    dialog.radios["self"].click()
    _type_d_model(qtbot, dialog, 64)
    assert _sizes(dialog) == (64, 2, 32, 32)
    _type(qtbot, dialog, num_heads=8)
    assert _sizes(dialog) == (64, 8, 8, 8)
    assert _says(dialog, "d_model = heads · dₖ = 8 · 8.")
    _type_d_model(qtbot, dialog, 128)
    assert _sizes(dialog) == (128, 8, 16, 16)


def test_a_typed_d_k_is_followed_by_d_model(qtbot: QtBot, dialog: NewDialog) -> None:
    _type_d_model(qtbot, dialog, 64)
    _type(qtbot, dialog, d_k=5)
    assert _sizes(dialog)[:3] == (10, 2, 5)
    _type(qtbot, dialog, num_heads=3)
    assert _sizes(dialog)[:3] == (15, 3, 5)
    assert _says(dialog, "d_model = heads · dₖ = 3 · 5.")


def test_d_v_is_as_wide_as_d_k_until_it_is_typed(qtbot: QtBot, dialog: NewDialog) -> None:
    _type(qtbot, dialog, num_heads=2, d_k=5)
    assert _sizes(dialog) == (10, 2, 5, 5)
    _type(qtbot, dialog, d_v=4)
    _type(qtbot, dialog, d_k=6)
    assert _sizes(dialog) == (12, 2, 6, 4)
    other = NewDialog()
    qtbot.addWidget(other)
    other.set_state(dialog.state())
    _type(qtbot, other, d_k=7)
    assert _sizes(other) == (14, 2, 7, 4)


def test_heads_that_cannot_share_d_model_are_told_and_not_made(qtbot: QtBot, dialog: NewDialog) -> None:
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


def test_tokens_that_have_no_row_are_told(qtbot: QtBot, dialog: NewDialog) -> None:
    dialog.sentence.setText("The cat sat down")
    assert not _says(dialog, "left out")
    _type(qtbot, dialog, n=3)
    assert _says(dialog, "4 tokens for 3 rows: the last 1 are left out.")
    dialog.sentence.setText("a " * 5000)
    assert _says(dialog, "5000 tokens for 4096 rows: the last 904 are left out.")


def test_a_sentence_sets_the_rows_and_a_mask_is_chosen(qtbot: QtBot, dialog: NewDialog) -> None:
    dialog.sentence.setFocus()
    qtbot.keyClicks(dialog.sentence, "The cat sat down")
    dialog.masks["causal"].click()
    choice = dialog.result_choice()
    assert (choice.n, choice.m, choice.mask, choice.tokens) == (4, 4, "causal", ("The", "cat", "sat", "down"))
