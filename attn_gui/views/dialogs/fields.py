"""What the export dialogs have in common: a list to tick, a folder with a name, a table of captions and editors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
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

from attn_gui.document.phrases import Refusal
from attn_gui.figure.tokens import SPACING
from attn_gui.views.controls.number_field import NumberField
from attn_gui.views.theme import dress

KEY = Qt.ItemDataRole.UserRole
SHOWN_ROWS = 7
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
        self.itemChanged.connect(lambda _: self.ticked.emit())

    def keys(self) -> tuple[str, ...]:
        """The ticked ones, in the order of the list."""
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
        """Titles in the present language."""
        with QSignalBlocker(self):
            for item in self._items():
                item.setText(self._title(item.data(KEY)))

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]


class CentimeterField(NumberField):
    """A length in centimeters; none stands for a length that suits the figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, optional=True, positive=True)

    def typed(self) -> float | None:
        """The length that is typed now. Raises ValueError with a sentence if it is none."""
        try:
            return self.read(self.text().strip())
        except Refusal as refusal:
            raise ValueError(refusal.sentence()) from None

    def read(self, text: str) -> float | None:
        length = super().read(text)
        if length is not None and length > LONGEST_CM:
            raise ValueError(self.tr("A side of a figure is at most {most} cm long.").format(most=LONGEST_CM))
        return length


class TargetFields(QWidget):
    """The folder to write into, with a button that looks for one."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder, self.browse = QLineEdit(self), QPushButton(self)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.s)
        line.addWidget(self.folder, 1)
        line.addWidget(self.browse)
        self.setFocusProxy(self.folder)
        self.browse.setAutoDefault(False)
        self.folder.textChanged.connect(lambda _: self.changed.emit())
        self.browse.clicked.connect(self._on_browse_clicked)
        self.retranslate()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.browse.setText(self.tr("Browse…"))
        self.folder.setAccessibleName(self.tr("Folder"))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def objection(self) -> str:
        """Why nothing can be written there, as a sentence; empty if it can."""
        if not self.folder.text().strip():
            return self.tr("Choose a folder to write into.")
        if not Path(self.folder.text()).expanduser().is_dir():
            return self.tr("There is no folder “{folder}”.").format(folder=self.folder.text())
        return ""

    def path(self) -> str:
        """The folder, with ~ written out."""
        return str(Path(self.folder.text()).expanduser())

    def _on_browse_clicked(self) -> None:
        found = QFileDialog.getExistingDirectory(self, self.tr("Folder for the files"), self.path())
        if found:
            self.folder.setText(found)


def caption(editor: QWidget, parent: QWidget) -> QLabel:
    """A caption that leads to its editor; its words come with retranslate."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setBuddy(editor)
    return label


Field = tuple[QLabel | None, QWidget, int]  # caption above it, editor, columns that it takes


def lay_out(grid: QGridLayout, rows: Sequence[Sequence[Field]]) -> None:
    """Rows of captions above their editors, with a gap between rows; an editor without a caption stands alone."""
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(SPACING.m)
    grid.setVerticalSpacing(SPACING.xs)
    for place, row in enumerate(rows):
        column = 0
        for label, editor, span in row:
            if label is not None:
                dress(label, letters="small", tone="text2")
                grid.addWidget(label, 3 * place, column, 1, span)
            grid.addWidget(editor, 3 * place + 1, column, 1, span)
            column += span
        grid.setRowMinimumHeight(3 * place + 2, SPACING.s)


def files_sentence(names: Sequence[str], folder: str, one: str, many: str, replaced: str) -> str:
    """`one` ({name}) or `many` ({count}, {first}, {last}), and `replaced` ({count}) for those that exist."""
    if not names:
        return ""
    said = one.format(name=names[0]) if len(names) == 1 else many.format(
        count=len(names), first=names[0], last=names[-1])
    there = sum((Path(folder) / name).exists() for name in names)
    return f"{said} {replaced.format(count=there)}" if there else said
