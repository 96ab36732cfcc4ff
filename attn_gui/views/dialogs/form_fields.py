"""Fields of forms: captions, ticked lists, heads as 0, 2-3, levels, folder; Tab in a row's parts, scrolling if low."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QSignalBlocker, QSize, Qt, Signal
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
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.export_settings import FONT_SIZES, ExportSettings
from attn_gui.formats.catalog import IMAGES, number_formats
from attn_gui.modes import NOW
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.theme import style_text
from attn_gui.views.widgets import ChoiceBox, FittingPage, LineEdit, arrange, space_grid
from attn_gui.views.zones import stops_in

# --- choices of an export, and lists of heads as people write them ---------------------------------
WINDOW, AUTOMATIC, TYPED = "window", "automatic", "typed"
LEVELS = (WINDOW, AUTOMATIC, TYPED)
VALUES = {"auto": None, "always": True, "never": False}
# fmt: off
REMEMBERED = (
    "format", "style", "width", "height", "dpi", "font_size", "values",
    "colorbar", "title", "outlines", "transparent", "sheet", "theme", "folder",
)
# fmt: on
"""The settings that are proposed again the next time."""


@dataclass(frozen=True)
class ExportChoice(ExportSettings):
    """Settings of figures to write, and what the dialog asks beside them: which `stages` are drawn, in files of which
    `format` in which `folder`. Levels are those of the window, automatic, or the pair in `typed`; a color map of None
    is the window's.

    `name` is what the files are called: the whole name if there is one, else what stands before stage and head.
    A page looks at `cell` of `stage` and has options, in `options_by_page`. `compare` is one of `modes.STATES`, or
    GRADIENT.
    """

    heads: tuple[int, ...] = (0,)
    session: bool | None = False
    stages: tuple[str, ...] = (SHOWN_FIRST,)
    format: str = "png"
    sheet: bool = False
    levels: str = WINDOW
    typed: tuple[float, float] | None = None
    colormap: str | None = None
    folder: str = ""
    name: str = ""
    options_by_page: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    compare: str = NOW

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.format in tuple(IMAGES) and isinstance(self.sheet, bool) and isinstance(self.folder, str)):
            raise ValueError("No format, sheet or folder of an export.")


@dataclass(frozen=True)
class DataChoice:
    """Numbers to write: fields and stages by name; heads only where a file holds one matrix."""

    arrays: tuple[str, ...] = ()
    heads: tuple[int, ...] = (0,)
    batch: int = 0
    format: str = "npz"
    bom: bool = False
    headers: bool = False
    folder: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        kinds = [type(self.bom), type(self.headers), type(self.folder)]
        if self.format not in tuple(number_formats()) or kinds != [bool, bool, str]:
            raise ValueError("No format, switch or folder of numbers.")


def first_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the name that is proposed: the stage that is shown first, else the first of them."""
    return (SHOWN_FIRST,) if SHOWN_FIRST in names else tuple(names[:1])


ALL = ("", "all", "全部")
_PART = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")  # Python refuses to read thousands of digits
_SIGNS = str.maketrans({"–": "-", "−": "-", "~": "-", "、": ",", ";": ","})


def heads_from_text(text: str, count: int) -> tuple[int, ...]:
    """Return the heads that `text` names, in order, each once; empty text or "all" means every one of `count`.

    Raises ValueError with a sentence in the language of the window.
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS).strip().lower()
    if plain in ALL:
        return tuple(range(count))
    heads: set[int] = set()
    for part in filter(None, (part.strip() for part in plain.split(","))):
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(
                QCoreApplication.translate(
                    "Heads", "“{text}” is not a list of heads: write all, or numbers such as 0, 2-3."
                ).format(text=part[:24])
            )
        first, last = int(found[1]), int(found[2] or found[1])
        if max(first, last) >= count:
            raise ValueError(
                QCoreApplication.translate("Heads", "There is no head {head}: heads go from 0 to {last}.").format(
                    head=max(first, last), last=count - 1
                )
            )
        heads.update(range(min(first, last), max(first, last) + 1))
    return tuple(sorted(heads))


# --- fields ----------------------------------------------------------------------------------------
KEY = Qt.ItemDataRole.UserRole
SHOWN_ROWS = 5
LONGEST_CM = 200


class CheckList(QListWidget):
    """Names to tick; Space and a click anywhere in the row do it."""

    ticked = Signal()

    def __init__(self, keys: Sequence[str], title: Callable[[str], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for key in keys:
            item = QListWidgetItem(title(key), self)
            item.setData(KEY, key)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)
        self.setCurrentRow(0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
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


class TypedChoice(QWidget):
    """A choice, and `beside` it the fields that count while the one of its keys that asks for typing is chosen."""

    changed = Signal()

    def __init__(self, name: str, keys: Sequence[str], typed: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.choice, self._typed = ChoiceBox(keys, self), typed
        self.choice.setObjectName(name)
        self.beside: list[QWidget] = []
        self.setFocusProxy(self.choice)
        self.choice.picked.connect(self._on_choice_picked)

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.choice.setAccessibleName(name)

    def show_beside(self) -> None:
        """Show the fields that count now."""
        for widget in self.beside:
            widget.setVisible(self.choice.currentData() == self._typed)

    def _on_choice_picked(self, key: str) -> None:
        self.show_beside()
        if key == self._typed and isinstance(first := self.beside[0], QLineEdit):
            first.setFocus()
            first.selectAll()
        self.changed.emit()


class LevelsFields(TypedChoice):
    """Fields for the levels of a figure: as in the window, automatic, or two numbers typed beside the choice."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("export.which_levels", LEVELS, TYPED, parent)
        self.low, self.high = LiveNumber(self, finite=True), LiveNumber(self, finite=True)
        dots = QLabel("…", self)
        self.beside = [self.low, dots, self.high]
        arrange(QHBoxLayout(self), (self.choice, 2), (self.low, 1), dots, (self.high, 1), margins=0, spacing=SPACING.s)
        for end, name in ((self.low, "low"), (self.high, "high")):
            end.setObjectName(f"export.{name}")
            end.textChanged.connect(self.changed)
        self.choice.set_words(
            {WINDOW: self.tr("as in the window"), AUTOMATIC: self.tr("automatic"), TYPED: self.tr("typed")}
        )
        self.low.setAccessibleName(self.tr("Lower level"))
        self.high.setAccessibleName(self.tr("Upper level"))
        self.show_beside()

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
        for end, number in zip((self.low, self.high), typed or (0.0, 1.0), strict=True):
            end.set_value(number)
        self.show_beside()


class TargetFields(QWidget):
    """The folder to write into, with a button that looks for one."""

    changed = Signal()
    browseRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.folder, self.browse = LineEdit(self), QPushButton(self.tr("Browse…"), self)
        arrange(QHBoxLayout(self), (self.folder, 1), self.browse, margins=0, spacing=SPACING.s)
        self.folder.setObjectName("export.folder")
        self.browse.setObjectName("export.browse")
        self.setFocusProxy(self.folder)
        self.browse.setAutoDefault(False)
        self.folder.textChanged.connect(self.changed)
        self.browse.clicked.connect(self.browseRequested)
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


def caption(words: str, editor: QWidget, parent: QWidget) -> QLabel:
    """Return a caption that leads to its editor, and name the editor by it."""
    label = QLabel(words, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setBuddy(editor)
    editor.setAccessibleName(words)
    return label


FormField = tuple[QLabel | None, QWidget, int]  # caption above it, editor, columns that it takes


def lay_out(grid: QGridLayout, rows: Sequence[Sequence[FormField]]) -> None:
    """Lay out captions above their editors, with a gap between rows; an editor without a caption stands alone."""
    space_grid(grid, SPACING.m, SPACING.xs)
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


# --- form that scrolls where a screen is low, and the size in which its dialog opens ---------------
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
