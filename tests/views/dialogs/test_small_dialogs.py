"""Tokens, the list of shortcuts, and About."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from attn_gui.views.dialogs.help_window import AboutDialog, ShortcutsDialog
from attn_gui.views.dialogs.tokens_dialog import TokensDialog
from tests.failing import each


def _tokens(qtbot: QtBot, **state: object) -> TokensDialog:
    dialog = TokensDialog()
    qtbot.addWidget(dialog)
    dialog.set_state(**({"n": 3, "m": 5} | state))
    dialog.show()
    dialog.sentence.setFocus()
    return dialog


def _words(dialog: TokensDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())


def test_an_empty_sentence_takes_the_tokens_away(qtbot: QtBot) -> None:
    present = ("Thinking", "Machines")
    dialog = _tokens(qtbot, n=2, m=2, query_tokens=present, key_tokens=present)
    assert dialog.sentence.toPlainText() == "Thinking Machines"
    qtbot.keyClick(dialog.sentence, Qt.Key.Key_Delete)
    assert dialog.result_fields() == {"query_tokens": None, "key_tokens": None}
    assert "labeled by number" in _words(dialog)


def test_tokens_of_a_model_are_there_and_stay_whole_while_others_are_typed(qtbot: QtBot) -> None:
    present = ("[CLS]", " didn", "'", "t", "##s", ".")
    dialog = _tokens(qtbot, n=6, m=6, query_tokens=present, key_tokens=present, may_resize=True)
    assert dialog.tokens() == present
    assert dialog.result_fields() == {"query_tokens": present, "key_tokens": present}
    dialog.sentence.setPlainText(dialog.sentence.toPlainText() + " [SEP] now")
    assert dialog.tokens() == (*present, "[", "SEP", "]", "now")
    assert "n = m = 10" in dialog.resize_rows.text()


def test_tokens_that_no_sentence_gives_are_there_as_they_are(qtbot: QtBot) -> None:
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
def test_each_side_begins_with_its_own_tokens_and_keeps_what_is_typed(qtbot: QtBot, keys: tuple[str, ...]) -> None:
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


@pytest.fixture
def shortcuts(qtbot: QtBot) -> ShortcutsDialog:
    dialog = ShortcutsDialog([("Undo", "Ctrl+Z"), ("Export image…", "Ctrl+E")])
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_about_shows_the_notices_from_their_top_and_takes_no_html(qtbot: QtBot) -> None:
    dialog = AboutDialog(notices="# Notices\n<b>Inter</b>, SIL Open Font License 1.1\n" + "\nand so on\n" * 99)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.notices.isVisible()
    assert dialog.notices.toPlainText().startswith("Notices\n<b>Inter</b>")
    assert dialog.notices.verticalScrollBar().value() == 0
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    plain = AboutDialog()
    qtbot.addWidget(plain)
    plain.show()
    assert not plain.notices.isVisible()


def test_tokens_that_are_cut_by_hand_know_the_rows_that_they_come_from(qtbot: QtBot) -> None:
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


def test_tokens_that_are_cut_by_hand_after_others_were_typed_know_their_rows(qtbot: QtBot) -> None:
    dialog = _tokens(qtbot, n=3, m=3, query_tokens=("very", "very", "good"), key_tokens=None)
    dialog.sentence.setPlainText("so very very good")
    dialog.pieces.item(1).setText("")
    assert dialog.tokens() == ("so", "very", "good")
    assert dialog.old_places("n") == [-1, 1, 2]
    assert dialog.old_places("m") == [0, 2, -1]  # keys without names
    dialog.sentence.setPlainText("so very good")
    assert dialog.old_places("n") == [0, 1, 2]
