"""View of a model: its text above, its heads layer by layer, and beside them what it predicts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.controls.intervention_panel import InterventionList, InterventionModel, InterventionRow
from attn_gui.views.head_grid import HeadGrid
from attn_gui.views.predictions import PredictionList
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import restyle, style_text
from attn_gui.views.token_row import SecondText, TokenRow
from attn_gui.views.widgets import ChoiceBox, ElidedLabel, FlowLayout, LineEdit, Retranslated, arrange

PICTURES = ""
"""The key of the choice that shows small maps in place of numbers."""


class ModelView(Retranslated, QWidget):
    """Says what is wanted of the model; what it shows comes through setters."""

    textAsked = Signal(str)  # the text that is to be read
    otherAsked = Signal(str)  # a second text, empty for none
    changeSwitched = Signal(int, bool)  # a row of the list, and whether it is on
    changeAsked = Signal(int)  # a row, to be gone to
    changeRemoved = Signal(int)  # a row

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.view")
        self._about, self._text = ElidedLabel(self), LineEdit(self)
        self._text_label, self._run = QLabel(self), QPushButton(self)
        self._other, self._other_label = LineEdit(self), QLabel(self)
        self.tokens, self.heads = TokenRow(self), HeadGrid(self)
        self.second = SecondText(self.tokens, self)
        self._reading_label, self.reading = QLabel(self), ChoiceBox((), self)
        self._prediction_title, self.predictions = WrappedLabel(self), PredictionList(self)
        self._similar = WrappedLabel(self)
        self._changes_title, self._changes = WrappedLabel(self), InterventionModel(self)
        self.changes = InterventionList(self._changes, self)
        self.head_off, self.off = QPushButton(self), QPushButton(self)
        self._read, self._asked_text = "", ""  # the text of the model, and the one that was asked for last
        self._asked_second = ""  # the second text that was asked for last
        self._are_off = False, False  # the head on show, and all of the layer on the table
        self.setFocusProxy(self.heads)
        self._name_parts()
        self._connect()
        self._build()
        self.retranslate()

    def set_model(self, about: str, text: str) -> None:
        """Say which model it is, and the text that it reads; another one that was typed stays to be mended."""
        self._about.setText(about)
        if self._text.text() in (self._read, text):
            self._text.setText(text)
            self._asked_text = text
        self._read = text

    def set_stale(self, stale: bool) -> None:
        """Dim maps, prediction and list of changes while their next state is computed."""
        self.heads.heads.set_stale(stale)
        self.predictions.set_stale(stale)
        for label in (self._prediction_title, self._changes_title, self._similar):
            label.setProperty("tone", "text3" if stale else "text2" if label is self._similar else "")
            restyle(label)

    def set_second_text(self, text: str) -> None:
        """Say with which text the first is compared."""
        self._asked_second = text
        self._other.setText(text)

    def clear(self) -> None:
        """Show nothing of a run, nor what was typed for it."""
        self._text.setText(self._read)
        self._other.setText(self._asked_second)
        self.heads.heads.set_shape(0, 0)
        self.tokens.set_tokens((), -1)
        self.predictions.rows.set_rows((), two=False)
        self.set_prediction_title("")
        self.set_similar("")
        self.set_changes(())
        self._changes_title.setText("")  # nor whether anything is changed

    def set_readings(self, choices: Sequence[tuple[str, str]], key: str) -> None:
        """Set the choices of what is shown of every head, and the chosen one."""
        if choices != self.reading.choices():
            self.reading.set_choices(choices)
        self.reading.set_key(key)

    def set_off(self, head: bool, layer: bool) -> None:
        """Set whether the head on show is off, and whether all heads of the layer on the table are."""
        if (head, layer) != self._are_off:
            self._are_off = head, layer
            self._name_switches()

    def set_prediction_title(self, words: str) -> None:
        """Say what is predicted, and where."""
        self._prediction_title.setText(words)
        self.predictions.setVisible(bool(words))
        self._prediction_title.setVisible(bool(words))

    def set_similar(self, words: str) -> None:
        """Set a sentence on the embedding of the whole text; nothing for an empty one."""
        self._similar.setText(words)
        self._similar.setVisible(bool(words))

    def set_changes(self, lines: Sequence[InterventionRow]) -> None:
        """Show the changes by hand in the model, over all of its layers."""
        row = self.changes.row
        self._changes.set_lines(lines)
        self.changes.setVisible(bool(lines))
        self._changes_title.setText(self.tr("Changed in the model") if lines else self.tr("Nothing is changed by hand"))
        if lines:
            self.changes.choose(row)
        self.changes.updateGeometry()

    def take_focus(self) -> None:
        """Put the keyboard on the text."""
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        self._text.selectAll()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Model"))
        self._text_label.setText(self.tr("&Text"))
        self._text.setAccessibleName(self.tr("Text that the model reads"))
        self._text.setToolTip(self.tr("Text that the model reads; Enter runs it"))
        self._other_label.setText(self.tr("&Second text"))
        self._other.setAccessibleName(self.tr("Text to compare with"))
        self._other.setToolTip(self.tr("Text to compare with and to patch into the first; empty for none"))
        self._run.setText(self.tr("Run"))
        self._run.setToolTip(self.tr("Let the model read the text"))
        self._reading_label.setText(self.tr("Heads &by"))
        self.reading.setAccessibleName(self.tr("What is shown of every head"))
        self.reading.setToolTip(self.tr("Small maps of the weights, or one number for every head"))
        self._name_switches()
        self.changes.setAccessibleName(self.tr("Changed in the model"))
        self.changes.setToolTip(self.tr("Space switches a row, Enter goes to its layer, Delete removes it"))

    def commit_typed(self) -> bool:
        """Hand on what is typed: never refused here, for it is read beside the window."""
        self._on_text_editing_finished()
        self._on_other_editing_finished()
        return True

    def _on_text_editing_finished(self) -> None:
        if self._text.text() not in (self._read, self._asked_text):
            self._ask_for_text()

    def _ask_for_text(self) -> None:
        """Ask for the text, however often: what was refused or stopped may be tried again."""
        self._asked_text = self._text.text()
        self.textAsked.emit(self._asked_text)

    def _on_other_editing_finished(self) -> None:
        if self._other.text() != self._asked_second:
            self._asked_second = self._other.text()
            self.otherAsked.emit(self._asked_second)

    def _name_switches(self) -> None:
        """Name each button for what it does next."""
        head, layer = self._are_off
        self.head_off.setText(self.tr("Switch the head &on again") if head else self.tr("Switch the head &off"))
        self.head_off.setToolTip(
            self.tr("Leave the result of the head on show as computed")
            if head
            else self.tr("Multiply the result of the head on show by 0")
        )
        self.off.setText(
            self.tr("Switch the la&yer's heads on again") if layer else self.tr("Switch the la&yer's heads off")
        )
        self.off.setToolTip(
            self.tr("Leave the results of all heads of the layer on the table as computed")
            if layer
            else self.tr("Multiply the results of all heads of the layer on the table by 0")
        )

    def _name_parts(self) -> None:
        self._text.setObjectName("control.text")
        self._run.setObjectName("model.run")
        self.reading.setObjectName("control.model_reading")
        self._other.setObjectName("control.other_text")
        self._other_label.setBuddy(self._other)
        self.head_off.setObjectName("model.head_off")
        self.off.setObjectName("model.layer_off")
        self.changes.setObjectName("model.changes")
        self._prediction_title.setObjectName("model.prediction_title")
        self._similar.setObjectName("model.similar")
        self._text_label.setBuddy(self._text)
        self._reading_label.setBuddy(self.reading)

    def _connect(self) -> None:
        for asked in (self._text.returnPressed, self._run.clicked):
            asked.connect(self._ask_for_text)
        self._text.editingFinished.connect(self._on_text_editing_finished)
        self._other.editingFinished.connect(self._on_other_editing_finished)
        self._changes.switched.connect(self.changeSwitched)
        self.changes.goRequested.connect(lambda: self.changeAsked.emit(self.changes.row))
        self.changes.removeRequested.connect(lambda: self.changeRemoved.emit(self.changes.row))

    def _build(self) -> None:
        style_text(self._about, "small", "text2")
        for title in (self._prediction_title, self._changes_title):
            style_text(title, "section", strong=True)
        style_text(self._similar, "small", "text2")
        top = QGridLayout()
        top.setHorizontalSpacing(SPACING.m)
        top.setVerticalSpacing(SPACING.s)
        for row, (label, field) in enumerate(((self._text_label, self._text), (self._other_label, self._other))):
            top.addWidget(label, row, 0)
            top.addWidget(field, row, 1)
        top.addWidget(self._run, 0, 2)
        top.setColumnStretch(1, 1)
        parts = QSplitter(Qt.Orientation.Horizontal, self)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self._left_side(parts))
        parts.addWidget(self._right_side(parts))
        parts.setStretchFactor(0, 5)
        parts.setStretchFactor(1, 3)
        parts.setSizes([5000, 3000])  # as far as there is room, in this proportion
        pad = SPACING.panel_padding
        column = self._about, top, self.tokens, self.second, (parts, 1)
        arrange(QVBoxLayout(self), *column, margins=(pad, pad, pad, SPACING.m), spacing=SPACING.m)
        self.clear()

    def _left_side(self, parts: QSplitter) -> QWidget:
        side = QWidget(parts)  # where it stands: with all that is in it a widget that moves is styled again
        row = arrange(QHBoxLayout(), self._reading_label, self.reading, 1, spacing=SPACING.m)
        return _column(side, row, self.heads)

    def _right_side(self, parts: QSplitter) -> QWidget:
        side = QWidget(parts)
        row = FlowLayout(between=SPACING.s)  # a narrow window has room for one of them beside the heads
        row.addWidget(self.head_off)
        row.addWidget(self.off)
        side.setContentsMargins(SPACING.m, 0, 0, 0)
        return _column(
            side, self._prediction_title, self.predictions, self._similar, self._changes_title, self.changes, row
        )


def _column(side: QWidget, *parts: QWidget | QLayout) -> QWidget:
    """Put parts from top to bottom into a widget."""
    stretched = [(part, 1) if isinstance(part, (HeadGrid, PredictionList)) else part for part in parts]
    arrange(QVBoxLayout(side), *stretched, margins=0, spacing=SPACING.m)
    return side
