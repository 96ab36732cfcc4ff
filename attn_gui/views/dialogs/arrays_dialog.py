"""Arrays of a file whose names are foreign: each is dragged or picked onto a part of a problem."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from attn_gui.engine.head_axis import parsed
from attn_gui.figure.tokens import SPACING
from attn_gui.formats import FormatError
from attn_gui.formats.base import Listing
from attn_gui.formats.file_sentences import SeveralReadings
from attn_gui.formats.named.arranged import Settled, answered, complaint
from attn_gui.formats.named.arrangement import Arrangement
from attn_gui.formats.named.roles import is_problem
from attn_gui.formats.named.weight_layouts import FUSED, Columns, runs_text
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.arrays.arrays_model import ArraysModel, part_symbol
from attn_gui.views.dialogs.arrays.axes_fields import AxesFields
from attn_gui.views.dialogs.arrays.number_preview import NumberPreview
from attn_gui.views.dialogs.arrays.part_slots import PartSlots
from attn_gui.views.dialogs.asking import BUTTONS, FormDialog
from attn_gui.views.theme import dress, scaled

ROWS, COLUMNS = 4, 5  # of the preview
WIDTH, HEIGHT = 1060, 700
FORM = 440


class ArraysDialog(Retranslated, FormDialog):
    """`previewAsked` carries the name of the array whose first numbers are wanted, `picturesAsked` the arrangements
    whose first maps are, by question and reading."""

    previewAsked = Signal(str)
    picturesAsked = Signal(object)

    def __init__(
        self, name: str, listing: Listing, say: Callable[[object], str], parent: QWidget | None = None
    ) -> None:
        """`say` puts notes and errors into the language of the window."""
        super().__init__(parent)
        self.setObjectName("dialog.arrays")
        self._name, self._listing, self._say = name, listing, say
        self._own = is_problem(array.name for array in listing.arrays)
        self.model = ArraysModel(listing.arrays, self)
        self.sieve = QSortFilterProxyModel(self)
        self.sieve.setSourceModel(self.model)
        self.sieve.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.intro, self.line, self.table = WrappedLabel(self), QLineEdit(self), QTableView(self)
        self.about, self.preview = WrappedLabel(self), NumberPreview(ROWS, COLUMNS, self)
        self.parts, self.fields = PartSlots(listing.arrays, self), AxesFields(say, self)
        self._found: NDArray[Any] | str | None = None  # the numbers that are looked at, or why there are none
        self._pictured: dict[tuple[str, str], Arrangement] = {}
        self.complaint = WrappedLabel(self)
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        self._build()
        self.parts.changed.connect(self._look)
        self.fields.changed.connect(self._look)
        self.retranslate()
        self.table.selectRow(0)

    def sizeHint(self) -> QSize:
        return QSize(scaled(WIDTH), scaled(HEIGHT))

    def arrangement(self) -> Arrangement:
        """The arrangement on show."""
        return self.fields.arrangement(self.parts.names())

    def set_arrangement(self, arrangement: Arrangement, remembered: bool = False) -> None:
        """Propose an arrangement; `remembered`: the one of the last file with such names."""
        self.parts.set_names(arrangement.arrays)
        self.fields.set_arrangement(arrangement, remembered)
        self._look()

    def ask_about(self, question: SeveralReadings) -> None:
        """Ask what only the numbers left open when they were read."""
        self.fields.force(question)
        self._look()

    def set_pictures(self, pictures: Mapping[tuple[str, str], QImage]) -> None:
        """Show the first map of every reading, by question and reading."""
        self.fields.set_pictures(pictures)

    def set_preview(self, name: str, found: NDArray[Any] | str) -> None:
        """Show the first numbers of an array, or in a sentence why there are none, if it still is the chosen one."""
        if name == self.chosen():
            self._found = found
            self._show_preview()

    def chosen(self) -> str:
        """The name of the array that is looked at; empty where there is none."""
        index = self.table.currentIndex()
        return self.model.arrays[self.sieve.mapToSource(index).row()].name if index.isValid() else ""

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setWindowTitle(self.tr("Arrays of {file}").format(file=self._name))
        self.intro.setText(
            self.tr("Which array is which? What the names tell is filled in; drag an array onto its place, or pick it.")
            if not self._own
            else self.tr("The arrays of this file can be read in several ways: choose one.")
        )
        self.line.setPlaceholderText(self.tr("Find an array"))
        self.line.setAccessibleName(self.tr("Find an array"))
        self.table.setAccessibleName(self.tr("Arrays of the file"))
        self.buttons.button(BUTTONS.Ok).setText(self.tr("Open"))
        self.buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        self.model.retranslate()
        self._look()

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        self._set_up_table()
        dress(self.about, letters="small", tone="text2")
        dress(self.complaint, tone="error")
        left, right, sides, column = QVBoxLayout(), QVBoxLayout(), QHBoxLayout(), QVBoxLayout(self)
        for widget in (self.line, self.table, self.about, self.preview):
            left.addWidget(widget, int(widget is self.table))
        right.addWidget(self._form())
        sides.addLayout(left, 1)
        sides.addLayout(right)
        sides.setSpacing(SPACING.xl)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.l)
        column.addWidget(self.intro)
        column.addLayout(sides, 1)
        column.addWidget(self.complaint)
        column.addWidget(self.buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.line.textChanged.connect(self.sieve.setFilterFixedString)

    def _form(self) -> QScrollArea:
        """The questions and the places; they scroll where a screen is low."""
        inner, area = QWidget(self), QScrollArea(self)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, SPACING.m, 0)
        column.setSpacing(SPACING.l)
        column.addWidget(self.fields)  # first: what has to be chosen is in sight
        column.addWidget(self.parts)
        column.addStretch(1)
        area.setWidget(inner)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(scaled(FORM))
        return area

    def _set_up_table(self) -> None:
        self.table.setObjectName("arrays.table")
        self.table.setModel(self.sieve)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setDragEnabled(True)
        self.table.setTabKeyNavigation(False)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        self.table.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def _on_current_row_changed(self, _now: QModelIndex, _before: QModelIndex) -> None:
        name = self.chosen()
        self._found = None
        self._show_preview()
        if name:
            self.previewAsked.emit(name)

    def _offer(self, names: Mapping[str, str]) -> Settled | None:
        """What fits these arrays and what the file settles; None where they do not fit at all."""
        try:
            return answered(Arrangement(dict(names), split=self.arrangement().split), self._listing)
        except (ValueError, TypeError):  # which the complaint tells
            return None

    def _ask_for_pictures(self, now: Arrangement) -> None:
        """Ask for the first map of every reading, the other questions answered as they are, or by their first one."""
        questions = self.fields.open_questions()
        first = {name: _said(name, keys[0]) for name, keys in questions.items() if getattr(now, name) is None}
        whole = replace(now, **first)
        places = [(name, key) for name, keys in questions.items() for key in keys]
        ways = {place: replace(whole, **{place[0]: _said(*place)}) for place in places}
        if ways != self._pictured:
            self._pictured = ways
            self.picturesAsked.emit(ways)

    def _show_preview(self) -> None:
        """The first numbers of the chosen array; of one that holds Q, K and V the first of each, line by line."""
        name, values = self.chosen(), None if isinstance(self._found, str) else self._found
        said = self._found if isinstance(self._found, str) else name
        now = self.arrangement()
        for role, columns in self._columns(now).items():
            if now.arrays[role] == name and values is not None:
                line = np.moveaxis(values, now.shared_axis(role), -1)[(0,) * (values.ndim - 1)]
                values = np.stack([line[places[: COLUMNS + 1]] for places in columns])
                parts = zip(FUSED[role], columns, strict=True)
                said = " · ".join(f"{part_symbol(part)}: {runs_text(places)}" for part, places in parts)
                break
        self.preview.set_values(values)
        self.about.setText(said)

    def _columns(self, arrangement: Arrangement) -> dict[str, Columns]:
        try:
            return arrangement.columns(self._listing)
        except FormatError:  # which the complaint tells
            return {}

    def _look(self) -> None:
        """Bring questions and complaint up to what is chosen."""
        names = self.parts.names()
        self.fields.set_questions(names, self._offer(names))
        now = self.arrangement()
        self.model.set_parts(now.arrays)
        self._show_preview()
        said = self._objection(now)
        self.complaint.setText(said)
        self.complaint.setVisible(bool(said))
        self.buttons.button(BUTTONS.Ok).setEnabled(not said)
        self._ask_for_pictures(now)

    def _objection(self, now: Arrangement) -> str:
        """The reason why an arrangement makes no problem, as a sentence; empty where it makes one."""
        error = complaint(now, self._listing)
        if isinstance(error, SeveralReadings) or (error is None and self.fields.unanswered()):
            return self.tr("Choose how the numbers are read.")
        if isinstance(error, FormatError):
            error.at(self._name)
        return "" if error is None else self._say(error)


def _said(option: str, value: str) -> Any:
    """The value of a field of an arrangement."""
    return parsed(value.split(",")) if option == "axes" else value
