"""Tokens dialog: sentence, list of tokens split and joined, for queries or keys, and what becomes of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QListView,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.sentence_tokens import places_before, split_tokens
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.dialogs.dialog_base import AnswerButtons
from attn_gui.views.dialogs.form_fields import caption
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text
from attn_gui.views.widgets import ChoiceBox

SIDES = ("both", "queries", "keys")
Tokens = tuple[str, ...] | None


class TokenPiece(QListWidgetItem):
    """A token with its place; what is edited is the token alone."""

    def __init__(self, place: int, token: str, pieces: QListWidget) -> None:
        super().__init__(token, pieces)
        self._place = place
        self.setFlags(self.flags() | Qt.ItemFlag.ItemIsEditable)

    def data(self, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self._place}  {super().data(Qt.ItemDataRole.EditRole)}"
        return super().data(role)


class TokensDialog(QDialog):
    """Shows how a sentence is cut and what its tokens do to the rows there are."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.tokens")
        self._n, self._m, self._may_resize = 1, 1, False
        self._present: dict[str, Tokens] = dict.fromkeys(("query_tokens", "key_tokens"))
        self._known: frozenset[str] = frozenset()
        self.sentence, self.side = QPlainTextEdit(self), ChoiceBox(SIDES, self)
        self.pieces, self.resize_rows = QListWidget(self), QCheckBox(self)
        self.sentence.setObjectName("tokens.sentence")
        self.pieces.setObjectName("tokens.pieces")
        self.side.setObjectName("tokens.side")
        self.resize_rows.setObjectName("tokens.resize_rows")
        self._said, self.join = WrappedLabel(self), QPushButton(self.tr("Join the selected"), self)
        self._own: tuple[str, ...] | None = None  # cut by hand, until the sentence changes
        self._uncut: tuple[str, ...] = ()  # what those were cut from
        self._origins: tuple[int, ...] = ()  # and their places in it, −1 for what a split added
        self._loaded: tuple[str, ...] = ()  # those that were there before anything was typed
        self.buttons = AnswerButtons(self, self.tr("Use as labels"))
        self._build()
        self._show_tokens()

    def set_state(
        self,
        *,
        n: int,
        m: int,
        query_tokens: Tokens = None,
        key_tokens: Tokens = None,
        self_attention: bool = False,
        may_resize: bool = False,
    ) -> None:
        """Set the rows there are and the names that they show; `may_resize` offers to give every token a row."""
        self._n, self._m, self._may_resize = n, m, may_resize
        self._present = {"query_tokens": query_tokens, "key_tokens": key_tokens}
        self._known = frozenset((*(query_tokens or ()), *(key_tokens or ())))
        alike = query_tokens == key_tokens  # else one sentence for both would take the names of the keys away
        self.side.set_key("both" if alike and (self_attention or n == m) else "queries")
        self.side.setEnabled(not (alike and self_attention))
        self._load()

    def tokens(self) -> tuple[str, ...]:
        """Return the tokens of the sentence as it stands."""
        return self._own if self._own is not None else split_tokens(self.sentence.toPlainText(), self._known)

    def result_fields(self) -> dict[str, Tokens]:
        """Return `query_tokens`, `key_tokens` or both, one for each row; rows past the sentence get their number."""
        tokens, sizes = self.tokens(), {"query_tokens": self._n, "key_tokens": self._m} | self._resized_rows()
        return {name: _fitted(tokens, sizes[name]) for name in self._sides()}

    def result_sizes(self) -> dict[str, int]:
        """Return n, m or both where rows are to be added or removed so that each token has one; else empty."""
        rows = self._resized_rows()
        return {{"query_tokens": "n", "key_tokens": "m"}[name]: count for name, count in rows.items()}

    def old_places(self, size: str) -> list[int]:
        """Return the row, of n or m before, that each token stands for.

        −1 for a new one. A cut by hand knows its place.
        """
        name, rows = {"n": ("query_tokens", self._n), "m": ("key_tokens", self._m)}[size]
        before = self._present[name] or (None,) * rows
        if self._own is None:
            return places_before(self.tokens(), before)
        uncut = places_before(self._uncut, before)
        return [uncut[place] if place >= 0 else -1 for place in self._origins]

    def _build(self) -> None:
        self.setWindowTitle(self.tr("Tokens"))
        self.sentence.setPlaceholderText(self.tr("Type a sentence; blanks keep Chinese words together"))
        self.join.setToolTip(self.tr("Make one token of neighbors that are selected"))
        self.pieces.setAccessibleName(self.tr("Tokens, in order"))
        self.side.set_words(
            {"both": self.tr("queries and keys"), "queries": self.tr("queries"), "keys": self.tr("keys")}
        )
        lines = self.sentence.fontMetrics().lineSpacing() * 3 + 2 * SPACING.m
        self.sentence.setFixedHeight(lines)
        self.sentence.setTabChangesFocus(True)
        self.pieces.setFlow(QListView.Flow.LeftToRight)
        self.pieces.setWrapping(True)
        self.pieces.setResizeMode(QListView.ResizeMode.Adjust)
        self.pieces.setSpacing(SPACING.xs)
        self.pieces.setSelectionMode(QListWidget.SelectionMode.ContiguousSelection)
        self.join.setEnabled(False)
        self.pieces.setMinimumHeight(scaled(88))
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.xs)
        for words, editor in ((self.tr("sentence"), self.sentence), (self.tr("names of"), self.side)):
            label = caption(words, editor, self)
            style_text(label, letters="small", tone="text2")
            column.addWidget(label)
            column.addWidget(editor)
        self.sentence.setAccessibleName(self.tr("Sentence"))
        self.side.setAccessibleName(self.tr("Names of"))
        column.addSpacing(SPACING.m)
        column.addWidget(self.pieces, 1)
        column.addWidget(self.join, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(SPACING.s)
        column.addWidget(self._said)
        column.addWidget(self.resize_rows)
        column.addSpacing(SPACING.m)
        column.addWidget(self.buttons)
        style_text(self._said, tone="text2")
        self.resize_rows.hide()
        self.sentence.textChanged.connect(lambda: self._take(None))
        self.pieces.itemChanged.connect(self._on_piece_changed)
        self.pieces.itemSelectionChanged.connect(lambda: self.join.setEnabled(len(self.pieces.selectedItems()) > 1))
        self.join.clicked.connect(self._join_selected)
        self.side.picked.connect(self._on_side_picked)
        self.resize_rows.toggled.connect(self._show_tokens)

    def _load(self) -> None:
        """Begin with the present tokens of the side that is picked."""
        self._loaded = present = self._present[self._sides()[0]] or ()
        sentence = " ".join(map(str.strip, present))
        # tokens with blanks inside would be torn apart there, and "the" taken for " the" where both are present
        again = split_tokens(sentence, self._known) == present
        self.sentence.setPlainText(sentence if again else "")
        self.sentence.selectAll()
        self._take(None if again else present)

    def _on_side_picked(self) -> None:
        """Show what the sentence does to another side; where nothing was typed yet, begin with the tokens there."""
        if self.tokens() == self._loaded:
            self._load()
        else:
            self._show_tokens()

    def _take(self, tokens: tuple[str, ...] | None) -> None:
        """Take these tokens as they are, or those of the sentence."""
        self._own, self._uncut, self._origins = tokens, tokens or (), tuple(range(len(tokens or ())))
        self._show_tokens()

    def _cut_by_hand(self, start: int, stop: int, cut: Sequence[str]) -> None:
        """Put others in the place of some tokens, the first of them in their row; the keyboard goes on there."""
        if self._own is None:
            self._take(self.tokens())
        tokens, origins = self.tokens(), self._origins
        first = next((place for place in origins[start:stop] if place >= 0), -1)
        self._own = (*tokens[:start], *cut, *tokens[stop:])
        self._origins = (*origins[:start], *(first, *[-1] * len(cut))[: len(cut)], *origins[stop:])
        self._show_tokens()
        self.pieces.setCurrentRow(min(start, self.pieces.count() - 1))

    def _on_piece_changed(self, piece: QListWidgetItem) -> None:
        """Take over an edited token: a blank in it splits it, nothing in it takes it away."""
        place = self.pieces.row(piece)
        self._cut_by_hand(place, place + 1, str(piece.data(Qt.ItemDataRole.EditRole)).split())

    def _join_selected(self) -> None:
        rows = sorted(self.pieces.row(piece) for piece in self.pieces.selectedItems())
        start, stop = rows[0], rows[-1] + 1
        self._cut_by_hand(start, stop, ["".join(self.tokens()[start:stop])])

    def sizeHint(self) -> QSize:
        return QSize(scaled(420), super().sizeHint().height())

    def _sides(self) -> tuple[str, ...]:
        """Return the fields that get new tokens."""
        picked = self.side.currentData()
        return {"both": ("query_tokens", "key_tokens"), "queries": ("query_tokens",)}.get(picked, ("key_tokens",))

    def _resized_rows(self) -> dict[str, int]:
        offered = self.resize_rows.isVisibleTo(self) and self.resize_rows.isEnabled() and self.resize_rows.isChecked()
        return {name: len(self.tokens()) for name in self._sides()} if offered else {}

    def _show_tokens(self) -> None:
        """Show the pieces, and what they do to the rows."""
        tokens = self.tokens()
        rows = {"query_tokens": self._n, "key_tokens": self._m}
        used = max((rows | self._resized_rows())[name] for name in self._sides())
        with QSignalBlocker(self.pieces):
            self.pieces.clear()
            for place, token in enumerate(tokens):
                piece = TokenPiece(place, token, self.pieces)
                if place >= used:
                    piece.setForeground(current_theme().disabled)  # left out: shown, but pale
        self.join.setEnabled(False)
        self.resize_rows.setVisible(self._may_resize and bool(tokens))
        self.resize_rows.setEnabled(any(rows[name] != len(tokens) for name in self._sides()))
        names = " = ".join({"query_tokens": "n", "key_tokens": "m"}[name] for name in self._sides())
        self.resize_rows.setText(
            self.tr("Add or remove rows, so that {sizes} = {count}").format(sizes=names, count=len(tokens))
        )
        self._said.setText("\n".join(dict.fromkeys(self._fate(name, rows[name]) for name in self._sides())))

    def _fate(self, name: str, rows: int) -> str:
        """Return the effect on the rows of one side, in one sentence."""
        count, queries = len(self.tokens()), name == "query_tokens"
        if not count:
            return self.tr("No tokens: rows are labeled by number.")
        if self._resized_rows() and count != rows:
            return (
                self.tr("Queries: {rows} rows become {count}.")
                if queries
                else self.tr("Keys: {rows} rows become {count}.")
            ).format(rows=rows, count=count)
        if count == rows:
            return (
                self.tr("Queries: a token for each of {rows} rows.")
                if queries
                else self.tr("Keys: a token for each of {rows} rows.")
            ).format(rows=rows)
        if count < rows:
            return (
                self.tr("Queries: {count} tokens for {rows} rows; the rest are labeled by number.")
                if queries
                else self.tr("Keys: {count} tokens for {rows} rows; the rest are labeled by number.")
            ).format(rows=rows, count=count)
        return (
            self.tr("Queries: {count} tokens for {rows} rows; the last {left} are left out.")
            if queries
            else self.tr("Keys: {count} tokens for {rows} rows; the last {left} are left out.")
        ).format(rows=rows, count=count, left=count - rows)


def _fitted(tokens: tuple[str, ...], rows: int) -> Tokens:
    """Return one token for each row; None when there are none at all."""
    return (tokens[:rows] + tuple(str(row) for row in range(len(tokens), rows))) if tokens else None
