"""Second text of a model: its tokens, and how rows of its run are put into the first one's."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.text.labels import token_label
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.model.token_row import CarriedTokens, TokenRow
from attn_gui.views.theme import dress

MOST_LETTERS, FEWEST_LETTERS = 12, 10
"""Letters of a token in the list of places, and its number before them; of a step, where the list is narrow."""


class SecondText(Retranslated, QWidget):
    """A token that is dragged onto one of the first text, or the button, asks for its row; nothing is decided here."""

    rowAsked = Signal(str, int, int)  # stage, row of the second text, row of the first that it stands in for
    allAsked = Signal(str)
    compareAsked = Signal()

    def __init__(self, first: TokenRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.second")
        self._first = first
        self.tokens = CarriedTokens(self)
        self._stage_label, self._stage = QLabel(self), ChoiceBox((), self)
        self._place_label, self._place = QLabel(self), ChoiceBox((), self)
        self._row, self._all, self._compare = QPushButton(self), QPushButton(self), QPushButton(self)
        self._counts = 0, 0
        self._name_parts()
        self._connect()
        self._build()
        self.retranslate()
        self.hide()

    # --- silent setters --------------------------------------------------------------------------
    def set_tokens(self, tokens: Sequence[str], first: Sequence[str]) -> None:
        """Show the tokens of the second text, and those of the first as places; nothing for no tokens."""
        known = min(max(self.tokens.currentIndex().row(), 0), len(tokens) - 1)
        self._counts = len(tokens), len(first)
        self.tokens.set_tokens(tokens, known)
        self._place.set_choices([(str(place), _named(place, token)) for place, token in enumerate(first)])
        self._all.setEnabled(len(tokens) == len(first))
        self._say_of_all()
        self.setVisible(bool(tokens))

    def set_stages(self, stages: Sequence[tuple[str, str]]) -> None:
        """(key, words) of the stages whose rows can be taken; the last one is proposed."""
        if list(stages) != self._stage.choices():
            known = self._stage.currentData()
            self._stage.set_choices(stages)
            if stages and known not in dict(stages):
                self._stage.set_key(stages[-1][0])

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Second text"))
        self.tokens.setAccessibleName(self.tr("Tokens of the second text"))
        self.tokens.setToolTip(
            self.tr("Drag a token onto one of the first text: its row stands there instead; or press Enter")
        )
        self._stage_label.setText(self.tr("&Row of"))
        self._stage.setAccessibleName(self.tr("Step of which a row is taken"))
        self._stage.setToolTip(self.tr("The step of the layer on the table of which a row of the second text is taken"))
        self._place_label.setText(self.tr("&in the place of"))
        self._place.setAccessibleName(self.tr("Token of the first text"))
        self._place.setToolTip(self.tr("The token of the first text whose row it stands in for"))
        self._row.setText(self.tr("Take the row"))
        self._row.setToolTip(self.tr("Put the row of the chosen token of the second text there, as one step"))
        self._all.setText(self.tr("Take all rows"))
        self._compare.setText(self.tr("Compare"))
        self._compare.setToolTip(self.tr("Compare the layer on the table with the same layer of the second text"))
        self._say_of_all()

    # --- gestures --------------------------------------------------------------------------------
    def _ask_for_row(self) -> None:
        place = self._place.currentData()
        if self.tokens.currentIndex().isValid() and place is not None:
            self.rowAsked.emit(self._stage.currentData(), self.tokens.currentIndex().row(), int(place))

    def _on_tokens_token_picked(self, position: int) -> None:
        """The place at the same position is proposed."""
        self._place.set_key(str(min(position, self._counts[1] - 1)))

    def _on_tokens_carried(self, _position: int, at: QPoint) -> None:
        self._first.set_target(self._first.position_at(at))

    def _on_tokens_dropped(self, position: int, at: QPoint) -> None:
        target = self._first.position_at(at)
        self._first.set_target(-1)
        if target >= 0:
            self._place.set_key(str(target))
            self.rowAsked.emit(self._stage.currentData(), position, target)

    # --- inside ----------------------------------------------------------------------------------
    def _say_of_all(self) -> None:
        second, first = self._counts
        tip = self.tr("Put every row of this step there, as one step")
        if second != first:
            words = self.tr("Needs texts of the same number of tokens; these have {second} and {first}")
            tip = words.format(second=second, first=first)
        self._all.setToolTip(tip)

    def _name_parts(self) -> None:
        self.tokens.setObjectName("model.second_tokens")
        self._stage.setObjectName("control.taken_stage")
        self._place.setObjectName("control.taken_place")
        self._row.setObjectName("model.take_row")
        self._all.setObjectName("model.take_all")
        self._compare.setObjectName("model.compare")
        self._stage_label.setBuddy(self._stage)
        self._place_label.setBuddy(self._place)

    def _connect(self) -> None:
        self.tokens.tokenPicked.connect(self._on_tokens_token_picked)
        self.tokens.activated.connect(lambda _index: self._ask_for_row())
        self.tokens.carried.connect(self._on_tokens_carried)
        self.tokens.dropped.connect(self._on_tokens_dropped)
        self._row.clicked.connect(self._ask_for_row)
        self._all.clicked.connect(lambda: self.allAsked.emit(self._stage.currentData()))
        self._compare.clicked.connect(self.compareAsked)

    def _build(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(SPACING.m)
        for part in (self._stage_label, self._stage, self._place_label, self._place, self._row, self._all):
            line.addWidget(part, part is self._stage)
        line.addStretch(1)
        self._stage.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._stage.setMinimumContentsLength(FEWEST_LETTERS)
        top = QHBoxLayout()
        top.setSpacing(SPACING.m)
        top.addWidget(self.tokens, 1)
        top.addWidget(self._compare)
        for label in (self._stage_label, self._place_label):
            dress(label, tone="text2")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.s)
        column.addLayout(top)
        column.addLayout(line)


def _named(place: int, token: str) -> str:
    """A place with its token, cut when long."""
    text = token_label(token)
    return f"{place}  {text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + '…'}"
