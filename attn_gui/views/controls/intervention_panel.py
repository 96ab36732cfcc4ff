"""The list of what is changed by hand, in a frame below its button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.by_hand.intervention_list import InterventionList
from attn_gui.views.by_hand.intervention_model import InterventionModel, Line
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.icons import icon
from attn_gui.views.theme import dress

WIDTH = 380


class InterventionPanel(Retranslated, PopupFrame):
    """Every intervention in words with its switch; the buttons act on the row with the keyboard."""

    switched = Signal(int, bool)
    goRequested = Signal(int)
    removeRequested = Signal(int)
    allHeadsRequested = Signal(int)
    clearRequested = Signal()
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setObjectName("panel.interventions")
        self._title, self._none, self._hint = QLabel(self), WrappedLabel(self), WrappedLabel(self)
        self._model = InterventionModel(self)
        self.list = InterventionList(self._model, self)
        self._close = QToolButton(self)
        self.go, self.all_heads = QPushButton(self), QPushButton(self)
        self.remove, self.remove_all = QPushButton(self), QPushButton(self)
        self._connect()
        self._build()
        self.retranslate()
        self.hide()

    # --- down ------------------------------------------------------------------------------------
    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these interventions, in order."""
        row = self.list.row
        held = self.list.hasFocus()
        self._model.set_lines(lines)
        for widget in (self.list, self._hint, self.go, self.all_heads, self.remove, self.remove_all):
            widget.setVisible(bool(lines))
        self._none.setVisible(not lines)
        if lines:
            self.list.choose(row)
        elif held:
            self._close.setFocus(Qt.FocusReason.OtherFocusReason)
        self.list.updateGeometry()
        self._offer()
        self.fit()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Changed by hand"))
        self.list.setAccessibleName(self.tr("Changed by hand"))
        self._title.setText(self.tr("Changed by hand"))
        self._none.setText(
            self.tr(
                "Every number is as computed. Choose a cell of any map and press F2 to type into it, or switch a head "
                "off in its menu."
            )
        )
        self._hint.setText(self.tr("What follows reads the changed cells; one whose box is not ticked is as computed."))
        self.go.setText(self.tr("Show its cells"))
        self.all_heads.setText(self.tr("Do it to all heads"))
        self.remove.setText(self.tr("Remove"))
        self.remove_all.setText(self.tr("Remove all"))
        self._close.setToolTip(self.tr("Close"))
        self._close.setAccessibleName(self.tr("Close"))
        self.fit()

    def first_stop(self) -> QWidget:
        return self.list if self._model.lines else self._close

    # --- gestures --------------------------------------------------------------------------------
    def _offer(self) -> None:
        """The button for more heads is for rows that name some."""
        lines, row = self._model.lines, self.list.row
        self.all_heads.setEnabled(0 <= row < len(lines) and lines[row].spreads)

    def _connect(self) -> None:
        self._model.switched.connect(self.switched)
        self.list.chosen.connect(self._offer)
        for button, asked in ((self.go, self.goRequested), (self.all_heads, self.allHeadsRequested)):
            button.clicked.connect(lambda _=False, asked=asked: asked.emit(self.list.row))
        self.remove.clicked.connect(lambda: self.removeRequested.emit(self.list.row))
        self.remove_all.clicked.connect(self.clearRequested)
        self.list.goRequested.connect(self.go.click)
        self.list.removeRequested.connect(self.remove.click)
        self._close.clicked.connect(self.close_panel)

    # --- what Qt asks ----------------------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:
        self.opened.emit()  # words are written when somebody looks at them
        super().showEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        dress(self._title, letters="section", strong=True)
        dress(self._none, tone="text2")
        dress(self._hint, letters="small", tone="text3")
        self._close.setIcon(icon("close"))
        self._close.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        head, buttons = QHBoxLayout(), QGridLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._close)
        buttons.setSpacing(SPACING.s)
        buttons.addWidget(self.go, 0, 0)
        buttons.addWidget(self.all_heads, 0, 1)
        buttons.addWidget(self.remove, 1, 0)
        buttons.addWidget(self.remove_all, 1, 1)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(SPACING.l, SPACING.m, SPACING.l, SPACING.l)
        column.setSpacing(SPACING.m)
        column.addLayout(head)
        for widget in (self._none, self.list):
            column.addWidget(widget)
        column.addLayout(buttons)
        column.addWidget(self._hint)
