"""Fields of forms: a list to tick, levels, the target of an export, captions, and a form that scrolls."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from attn_gui.document.edits import Refusal
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.export_settings import FONT_SIZES
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.dialogs.export_choice import AUTOMATIC, LEVELS, TYPED, WINDOW
from attn_gui.views.theme import style_text
from attn_gui.views.widgets import FittingPage, Retranslated, arrange
from attn_gui.views.zones import stops_in

# --- Fields of the export dialogs: a list to tick, a folder with a name, a table of captions and editors ---


KEY = Qt.ItemDataRole.UserRole
SHOWN_ROWS = 5
LONGEST_CM = 200


class CheckList(QListWidget):
    """Names to tick; Space and a click anywhere in the row do it."""

    ticked = Signal()

    def __init__(self, keys: Sequence[str], title: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        for key in keys:
            item = QListWidgetItem(self)
            item.setData(KEY, key)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.setCurrentRow(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.retranslate()
        rows = min(SHOWN_ROWS, max(1, self.count()))
        self.setMinimumHeight(rows * self.sizeHintForRow(0) + 2 * self.frameWidth())
        self.itemChanged.connect(self.ticked)

    def keys(self) -> tuple[str, ...]:
        """Return the ticked ones, in the order of the list."""
        return tuple(item.data(KEY) for item in self._items() if item.checkState() == Qt.CheckState.Checked)

    def set_keys(self, keys: Iterable[str]) -> None:
        """Tick exactly these."""
        wanted = set(keys)
        with QSignalBlocker(self):
            for item in self._items():
                item.setCheckState(Qt.CheckState.Checked if item.data(KEY) in wanted else Qt.CheckState.Unchecked)
        first = next((row for row, item in enumerate(self._items()) if item.data(KEY) in wanted), 0)
        self.setCurrentRow(first)

    def retranslate(self) -> None:
        """Set titles in the present language."""
        with QSignalBlocker(self):
            for item in self._items():
                item.setText(self._title(item.data(KEY)))

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]


class LiveNumber(NumberField):
    """A number that a form reads while it is typed."""

    def typed(self) -> float | None:
        """Return the number that is typed now. Raises ValueError with a sentence if it is none."""
        try:
            return self.read(self.text().strip())
        except Refusal as refusal:
            raise ValueError(refusal.sentence()) from None


class CentimeterField(LiveNumber):
    """A length in centimeters; none stands for a length that suits the figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, optional=True, positive=True)

    def read(self, text: str) -> float | None:
        length = super().read(text)
        if length is not None and length > LONGEST_CM:
            raise ValueError(self.tr("A side of a figure is at most {most} cm long.").format(most=LONGEST_CM))
        return length


class PointsField(LiveNumber):
    """A size of type in points; none stands for one that suits the figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, optional=True, positive=True)

    def read(self, text: str) -> float | None:
        size, (low, high) = super().read(text), FONT_SIZES
        if size is not None and not low <= size <= high:
            raise ValueError(self.tr("Type is {low} to {high} points large.").format(low=f"{low:g}", high=f"{high:g}"))
        return size


class LevelsFields(QWidget):
    """Fields for the levels of a figure: as in the window, automatic, or two numbers typed beside the choice."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = ChoiceBox(LEVELS, self)
        self.choice.setObjectName("export.which_levels")
        self.low, self.high = LiveNumber(self, finite=True), LiveNumber(self, finite=True)
        self._dots = QLabel("…", self)
        line = arrange(QHBoxLayout(self), (self.choice, 2), margins=0, spacing=SPACING.s)
        for field, name in ((self.low, "low"), (self.high, "high")):
            field.setObjectName(f"export.{name}")
            field.textChanged.connect(self.changed)
        for widget in (self.low, self._dots, self.high):
            line.addWidget(widget, 0 if widget is self._dots else 1)
        self.setFocusProxy(self.choice)
        self.choice.picked.connect(self._on_choice_picked)
        self._show_numbers()
        self.retranslate()

    def key(self) -> str:
        """Return the rule of the levels."""
        return str(self.choice.currentData())

    def typed(self) -> tuple[float, float] | None:
        """Return the two numbers where they count. Raises ValueError with a sentence if they are no levels."""
        if self.key() != TYPED:
            return None
        low, high = self.low.typed(), self.high.typed()
        if low is None or high is None or not low < high:
            raise ValueError(self.tr("The lower level has to be below the upper one."))
        return low, high

    def set_levels(self, key: str, typed: tuple[float, float] | None) -> None:
        """Show a choice."""
        self.choice.set_key(key)
        for field, number in zip((self.low, self.high), typed or (0.0, 1.0), strict=True):
            field.set_value(number)
        self._show_numbers()

    def retranslate(self) -> None:
        self.choice.set_words(
            {WINDOW: self.tr("as in the window"), AUTOMATIC: self.tr("automatic"), TYPED: self.tr("typed")}
        )
        self.low.setAccessibleName(self.tr("Lower level"))
        self.high.setAccessibleName(self.tr("Upper level"))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.choice.setAccessibleName(name)

    def _show_numbers(self) -> None:
        for widget in (self.low, self._dots, self.high):
            widget.setVisible(self.key() == TYPED)

    def _on_choice_picked(self, key: str) -> None:
        self._show_numbers()
        if key == TYPED:
            self.low.setFocus()
            self.low.selectAll()
        self.changed.emit()


class TargetFields(Retranslated, QWidget):
    """The folder to write into, with a button that looks for one."""

    changed = Signal()
    browseRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder, self.browse = QLineEdit(self), QPushButton(self)
        arrange(QHBoxLayout(self), (self.folder, 1), self.browse, margins=0, spacing=SPACING.s)
        self.folder.setObjectName("export.folder")
        self.browse.setObjectName("export.browse")
        self.setFocusProxy(self.folder)
        self.browse.setAutoDefault(False)
        self.folder.textChanged.connect(self.changed)
        self.browse.clicked.connect(self.browseRequested)
        self.retranslate()

    def retranslate(self) -> None:
        self.browse.setText(self.tr("Browse…"))
        self.folder.setAccessibleName(self.tr("Folder"))

    def objection(self) -> str:
        """Return the reason why nothing can be written there, as a sentence; empty if it can."""
        if not self.folder.text().strip():
            return self.tr("Choose a folder to write into.")
        if not os.path.isdir(self.path()):
            return self.tr("There is no folder “{folder}”.").format(folder=self.folder.text())
        return ""

    def path(self) -> str:
        """Return the folder, with ~ written out where it names a home."""
        return os.path.expanduser(self.folder.text())


class EditorKind(NamedTuple):
    """How an editor shows and reads a value (ValueError for what is none), and the name of its signal of another."""

    editor: type[QWidget]
    show: Callable[[Any, Any], object]
    read: Callable[[Any], Any]
    changed: str


_EDITORS = (
    EditorKind(CheckList, CheckList.set_keys, CheckList.keys, "ticked"),
    EditorKind(ChoiceBox, ChoiceBox.set_key, ChoiceBox.currentData, "picked"),
    EditorKind(LiveNumber, LiveNumber.set_value, LiveNumber.typed, "textChanged"),
    EditorKind(CountBox, lambda box, value: box.setValue(int(value)), CountBox.value, "valueChanged"),
    EditorKind(QCheckBox, QCheckBox.setChecked, lambda box: box.isChecked() and box.isEnabled(), "toggled"),
)


def kind_of(editor: QWidget) -> EditorKind:
    """Return how to show and read the value of an editor in a form."""
    return next(kind for kind in _EDITORS if isinstance(editor, kind.editor))


def caption(editor: QWidget, parent: QWidget) -> QLabel:
    """Return a caption that leads to its editor; its words come with retranslate."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setBuddy(editor)
    return label


FormField = tuple[QLabel | None, QWidget, int]  # caption above it, editor, columns that it takes


def lay_out(grid: QGridLayout, rows: Sequence[Sequence[FormField]]) -> None:
    """Lay out captions above their editors, with a gap between rows; an editor without a caption stands alone."""
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(SPACING.m)
    grid.setVerticalSpacing(SPACING.xs)
    for place, row in enumerate(rows):
        column = 0
        for label, editor, span in row:
            if label is not None:
                style_text(label, letters="small", tone="text2")
                grid.addWidget(label, 3 * place, column, 1, span)
            grid.addWidget(editor, 3 * place + 1, column, 1, span)
            column += span
        grid.setRowMinimumHeight(3 * place + 2, SPACING.s)
    for before, after in pairwise(stop for row in rows for _, editor, _ in row for stop in stops_in(editor)):
        QWidget.setTabOrder(before, after)


# --- A form that scrolls where a screen is low, and the size in which its dialog opens ---


ROOM = 0.9  # of the screen: a title bar needs some of it


class ScrolledForm(FittingPage):
    """Has room for a scroll bar beside its fields, whether there is one or not: none of them is cut."""

    def lay_out(self, rows: Sequence[Sequence[FormField]]) -> None:
        """Hold rows of captions above their editors, in columns of one width; the first row has the height to spare."""
        page = QWidget(self.viewport())
        grid = QGridLayout(page)
        lay_out(grid, rows)
        for column in range(grid.columnCount()):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        self.hold(page)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + self._bar()

    def sizeHint(self) -> QSize:
        return super().sizeHint() + self._bar()

    def _bar(self) -> QSize:
        return QSize(self.verticalScrollBar().sizeHint().width(), 0)


def opening_size(dialog: QDialog) -> QSize:
    """Return the size in which all of a dialog is seen, or as much as its screen has room for.

    Qt stops at two thirds.
    """
    return dialog.sizeHint().boundedTo(dialog.screen().availableSize() * ROOM)
