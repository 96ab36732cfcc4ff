"""Model in the window: fields of both texts, buttons that switch heads off, list of changes, predicted tokens, room."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QPushButton,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.clipboard import CopiedCells
from attn_gui.document.matrix_model import Index, ShapedModel
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.pages.model import share_text
from attn_gui.formats.untrusted_bytes import visible_text
from attn_gui.models.attribution import LikelyToken
from attn_gui.views.controls.intervention_panel import InterventionList, InterventionModel, InterventionRow
from attn_gui.views.head_grid import STALE, HeadGrid
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, restyle, scaled, style_text, theme_signal
from attn_gui.views.token_row import SecondText, TokenRow
from attn_gui.views.widgets import (
    ChoiceBox,
    ElidedLabel,
    FlowLayout,
    LineEdit,
    Retranslated,
    arrange,
    plain_tip,
    space_grid,
)

# --- predictions: the likeliest tokens, their probabilities now and before, as numbers and bars -----
SHARE_ROLE = Qt.ItemDataRole.UserRole
TOKEN, NOW, BEFORE = range(3)
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PredictionModel(ShapedModel):
    """A row a token, the likeliest first; without anything changed there is no column for before."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[LikelyToken, ...] = ()
        self._two = False

    def set_rows(self, rows: Sequence[LikelyToken], *, two: bool) -> None:
        """Show these; `two` with what was before."""
        self.beginResetModel()
        self._rows, self._two, self._shape = tuple(rows), two, (len(rows), BEFORE + two)
        self.endResetModel()

    def headerData(self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if way == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole and section != TOKEN:
            return int(RIGHT)
        if role == Qt.ItemDataRole.DisplayRole:
            return (self.tr("Token"), self.tr("Now"), self.tr("Before"))[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        share = (None, row.now, row.before)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return visible_text(row.text) if share is None else share_text(share)
        if role == Qt.ItemDataRole.TextAlignmentRole and share is not None:
            return int(RIGHT)
        if role == SHARE_ROLE:
            return share
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._words(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._words(row)
        return None

    def _words(self, row: LikelyToken) -> str:
        numbers = {"token": visible_text(row.text), "now": share_text(row.now)}
        if not self._two:
            return self.tr("{token}: probability {now}").format(**numbers)
        return self.tr("{token}: probability {now}, before {before}").format(**numbers, before=share_text(row.before))


BAR, FAINT = 3, 0.5
ROW = 22


class BarDelegate(QStyledItemDelegate):
    """Draws a bar below the number of a probability: what is now in the accent, what was before fainter.

    All of it is faint while it is `stale`: of a state that is gone.
    """

    stale = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        painter.setOpacity(STALE if self.stale else 1.0)
        self._paint(painter, option, index)
        painter.restore()

    def _paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if isinstance(share, float) and share > 0:
            theme, place, high = current_theme(), QRectF(option.rect), scaled(BAR)
            color = theme.accent if index.column() == NOW else theme.line_strong
            margin = scaled(BAR)
            width = (place.width() - 2 * margin) * min(share, 1.0)
            painter.fillRect(QRectF(place.left() + margin, place.bottom() - high, width, high), color)


class PredictionList(Retranslated, QTableView):
    """Table of the likeliest next tokens with their probabilities; nothing in it can be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("model.predictions")
        self.rows = PredictionModel(self)
        self.setModel(self.rows)
        self._bars = BarDelegate(self)
        self.setItemDelegate(self._bars)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        style_text(self, "small")
        theme_signal.changed.connect(self._fit_rows)
        self._fit_rows()
        self.retranslate()

    def set_stale(self, stale: bool) -> None:
        """Set whether the tokens are out of date, because new ones are being computed."""
        self._bars.stale = stale
        self.viewport().update()

    def token(self, row: int) -> str:
        """Return the token of a row as it is written."""
        return str(self.rows.index(row, TOKEN).data())

    def copied(self) -> CopiedCells | None:
        """Return every token, with its probabilities in full."""
        model = self.rows
        heads = [str(model.headerData(column, Qt.Orientation.Horizontal)) for column in range(NOW, model.columnCount())]
        rows = range(model.rowCount())
        shares = [[np.float64(model.index(row, NOW + k).data(SHARE_ROLE)) for k in range(len(heads))] for row in rows]
        return (
            CopiedCells((len(rows), len(heads)), lambda: shares, list(map(self.token, rows)), heads) if rows else None
        )

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Predicted tokens"))
        self.setToolTip(self.tr("The likeliest tokens with their probabilities: softmax of the logits"))
        self.rows.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self.rows.columnCount() - 1, 0))

    def _fit_rows(self, *_: object) -> None:
        """Make rows as high as the present zoom asks."""
        self.verticalHeader().setDefaultSectionSize(scaled(ROW))


# --- the view -------------------------------------------------------------------------------------
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
        top = space_grid(QGridLayout(), SPACING.m, SPACING.s, 1)
        for row, (label, field) in enumerate(((self._text_label, self._text), (self._other_label, self._other))):
            top.addWidget(label, row, 0)
            top.addWidget(field, row, 1)
        top.addWidget(self._run, 0, 2)
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
