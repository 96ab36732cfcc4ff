"""The dialog “Which array is which?”: arrays dragged to parts, first numbers; questions on axes, masks, heads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QByteArray,
    QMimeData,
    QModelIndex,
    QSignalBlocker,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QRadioButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.matrix_model import Index, ShapedModel, field_symbol
from attn_gui.engine.head_axis import BATCH, COLUMN, HEAD, TOKEN, parsed, spelled
from attn_gui.figure.design_tokens import SPACING
from attn_gui.formats import FormatError
from attn_gui.formats.file_format import ArrayListing, ListedArray
from attn_gui.formats.file_messages import FileNote, SeveralReadings
from attn_gui.formats.named.array_mapping import ArrayMapping
from attn_gui.formats.named.array_names import DIRECT_ROLES, MASK, PROJECTING_ROLES, ROLES, is_problem, one_way
from attn_gui.formats.named.mapped_problem import CompletedMapping, complaint, mapping_with_answers
from attn_gui.formats.named.mask_meanings import ADD, BLOCK, KEEP, NO_MASK
from attn_gui.formats.named.weight_layouts import (
    FUSED,
    HEAD_BY_HEAD,
    LINEAR,
    PART_BY_PART,
    SPLITS,
    Columns,
    known_of,
    parts_of,
    runs_text,
)
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.ambiguity_dialogs import NumberPreview, ReadingList
from attn_gui.views.dialogs.dialog_base import AnswerButtons, FormDialog
from attn_gui.views.dialogs.form_fields import caption, lay_out
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text
from attn_gui.views.widgets import ChoiceBox, LineEdit, arrange, plain_tip, space_grid

# --- questions ------------------------------------------------------------------------------------
UNSAID = ""
MOST_HEADS = 65536
READINGS = ("axes", "weights", MASK)
"""Fields of a mapping that are chosen among readings."""


class AxesFields(QWidget):
    """A row for every question that the chosen arrays leave open; the others are not shown."""

    changed = Signal()

    def __init__(self, say: Callable[[object], str], parent: QWidget | None = None) -> None:
        """Build the fields; `say` puts a note into the language of the window."""
        super().__init__(parent)
        self._say = say
        self.axes, self.weights, self.mask_means = (ReadingList(self) for _ in READINGS)
        self._lists = dict(zip(READINGS, (self.axes, self.weights, self.mask_means), strict=True))
        self.heads = CountBox(self, minimum=1, maximum=MOST_HEADS)
        self.kv_heads = CountBox(self, minimum=1, maximum=MOST_HEADS)
        self.split = ChoiceBox((UNSAID, *SPLITS), self)
        self._offer: Mapping[str, Mapping[str, FileNote]] = {}
        self._given: dict[str, str] = {}  # readings that somebody picked, now or for the last such file
        self._remembered = False
        self._forced: Mapping[str, Mapping[str, FileNote]] = {}
        self._masks = False  # whether there are some that nobody chose
        self._alike = True  # as many heads of keys as of queries, as long as nobody types another number
        self._editors: dict[str, QWidget] = {
            "axes": self.axes,
            "weight_axes": self.weights,
            "mask_means": self.mask_means,
            "split": self.split,
            "num_heads": self.heads,
            "num_kv_heads": self.kv_heads,
        }
        words = {
            "axes": self.tr("Axes of Q, K, V"),
            "weight_axes": self.tr("Axes of weights"),
            "split": self.tr("Q, K, V in one array"),
            "mask_means": self.tr("In the mask"),
            "num_heads": self.tr("Heads"),
            "num_kv_heads": self.tr("K/V heads"),
        }
        self._captions = {name: caption(words[name], editor, self) for name, editor in self._editors.items()}
        self.split.set_words(
            {
                UNSAID: self.tr("choose how they lie"),
                PART_BY_PART.key: self.tr("all of Q, all of K, all of V"),
                HEAD_BY_HEAD.key: self.tr("Q, K, V of each head in turn"),
            }
        )
        self.reason = QLabel(self)
        style_text(self.reason, letters="small", tone="text2")
        self._lay_out()
        for name, readings in self._lists.items():
            readings.picked.connect(lambda key, name=name: self._on_reading_picked(name, key))
        self.split.picked.connect(self.changed)
        self.heads.valueChanged.connect(self._on_heads_changed)
        self.kv_heads.valueChanged.connect(self._on_kv_heads_changed)

    def _lay_out(self) -> None:
        grid = space_grid(QGridLayout(self), SPACING.m, SPACING.s, 1)
        for name, editor in self._editors.items():
            editor.setObjectName(f"arrays.{name}")
            style_text(self._captions[name], letters="small", tone="text2")
            row = grid.rowCount()
            if isinstance(editor, ReadingList):
                grid.addWidget(self._captions[name], row, 0, 1, 2)
                grid.addWidget(editor, row + 1, 0, 1, 2)
                grid.addWidget(self.reason, row + 2, 0, 1, 2)  # below the last of them
            else:
                grid.addWidget(self._captions[name], row, 0)
                grid.addWidget(editor, row, 1)

    def set_mapping(self, mapping: ArrayMapping, remembered: bool = False) -> None:
        """Show how a mapping reads its arrays; `remembered`: it is the one of the last such file."""
        self._remembered = remembered
        said = {"axes": mapping.axes and spelled(mapping.axes), "weights": mapping.weights}
        self._given = {name: value for name, value in (said | {MASK: mapping.mask}).items() if value}
        self.split.set_key(mapping.split.key if mapping.split else UNSAID)
        self._alike = mapping.num_kv_heads is None
        with QSignalBlocker(self.heads), QSignalBlocker(self.kv_heads):
            self.heads.setValue(mapping.num_heads or 1)
            self.kv_heads.setValue(mapping.num_kv_heads or mapping.num_heads or 1)

    def mapping(self, names: dict[str, str]) -> ArrayMapping:
        """Return the mapping of these arrays as the fields say; None for a question that nobody has answered."""
        axes = parsed((self.axes.key() or "").split(","))
        found = ArrayMapping(names, axes=axes, weights=self.weights.key() if _has_weights(names) else None)
        counted = self._counted(found)
        means = self.mask_means.key()
        return replace(
            found,
            split=SPLITS.get(str(self.split.currentData())) if FUSED.keys() & names.keys() else None,
            mask=(means if means == self._given.get(MASK) else None)
            if MASK in names
            else NO_MASK
            if self._masks
            else None,
            num_heads=None if counted else self.heads.value(),
            num_kv_heads=None if counted or self._alike else self.kv_heads.value(),
        )

    def force(self, question: SeveralReadings) -> None:
        """Ask what only the numbers left open when they were read."""
        self._forced = {question.option: question.choices}
        self._given.pop(question.option, None)

    def set_questions(self, names: Mapping[str, str], offer: CompletedMapping | None) -> None:
        """Show the fields that these arrays need, with what fits, and what the file says of it as chosen."""
        known = known_of([name for role, name in names.items() if role in FUSED])
        if known is not None and self.split.currentData() == UNSAID:
            self.split.set_key(known.key)
        self._offer = self._forced if offer is None else {**offer.choices, **self._forced}
        self._masks = offer is not None and bool(offer.masks) and MASK not in names
        by_file = {} if offer is None else self._said_by_file(offer)
        for name, readings in self._lists.items():
            readings.set_choices(self._words(name))
            readings.set_key(self._pick(name, by_file.get(name)))
        self._show_reason()
        self._show_needed(names)

    def _pick(self, name: str, by_file: str | None) -> str | None:
        """Return the choice of a question: what was chosen before or what the file says, else the only one there is."""
        keys, given = [key for key, _ in self._lists[name].choices()], self._given.get(name)
        picks = [by_file, given] if self._remembered else [given, by_file]  # this file says more than the last one
        picks += keys if len(keys) == 1 and name != MASK else []
        return next((key for key in picks if key in keys), None)

    def _show_needed(self, names: Mapping[str, str]) -> None:
        """Show the fields that have something to ask of these arrays."""
        axes = parsed((self.axes.key() or "").split(","))
        counted = self._counted(ArrayMapping(dict(names), axes=axes, weights=self.weights.key()))
        shown = {
            "axes": len(self.axes.choices()) > 1,
            "weight_axes": _has_weights(names) and len(self.weights.choices()) > 1,
            "split": bool(FUSED.keys() & names.keys()),
            "mask_means": MASK in names and bool(self.mask_means.choices()),
            "num_heads": not counted,
            "num_kv_heads": not counted,
        }
        for name, editor in self._editors.items():
            editor.setVisible(shown[name])
            self._captions[name].setVisible(shown[name])

    def set_pictures(self, pictures: Mapping[tuple[str, str], QImage]) -> None:
        """Show the first map of every reading, by its question and its key."""
        for name, readings in self._lists.items():
            readings.set_pictures({key: picture for (about, key), picture in pictures.items() if about == name})

    def open_questions(self) -> dict[str, list[str]]:
        """Return the readings to choose from, by question, where there are several."""
        every = {name: [key for key, _ in readings.choices()] for name, readings in self._lists.items()}
        return {name: keys for name, keys in every.items() if len(keys) > 1}

    def unanswered(self) -> bool:
        """Return whether a question that is on show has no answer yet."""
        return any(not readings.isHidden() and readings.key() is None for readings in self._lists.values())

    def _counted(self, mapping: ArrayMapping) -> bool:
        """Return whether an axis says how many heads there are, or may say it once it is chosen."""
        open_ones = [readings for readings in self._lists.values() if readings.key() is None]
        if any(HEAD in key.split(",") for readings in open_ones for key, _ in readings.choices()):
            return True
        weights = mapping.weights is not None and HEAD in mapping.weights
        return weights or (mapping.direct and mapping.axes is not None and HEAD in mapping.axes)

    @staticmethod
    def _said_by_file(offer: CompletedMapping) -> dict[str, str]:
        """Return the choices that the file leaves no doubt of, by question."""
        found = offer.mapping
        said = {"axes": found.axes and spelled(found.axes), "weights": found.weights}
        means = [meaning for name, (meaning, _) in offer.masks.items() if name == found.arrays.get(MASK)]
        return {name: value for name, value in (said | {MASK: next(iter(means), None)}).items() if value}

    def _show_reason(self) -> None:
        """Say why something is chosen already."""
        keys = {name: readings.key() for name, readings in self._lists.items() if len(readings.choices()) > 1}
        given = any(key is not None and self._given.get(name) == key for name, key in keys.items())
        by_file = any(key is not None and self._given.get(name) != key for name, key in keys.items())
        self.reason.setText(
            self.tr("Chosen by the names and the other arrays of the file.")
            if by_file
            else self.tr("As it was chosen for such names before.")
            if given and self._remembered
            else ""
        )
        self.reason.setVisible(bool(self.reason.text()))

    def _words(self, name: str) -> list[tuple[str, str]]:
        """Return (key, words) of every reading of a question."""
        titles = {
            KEEP: self.tr("True may attend"),
            BLOCK: self.tr("True may not attend"),
            ADD: self.tr("numbers are added to the scores"),
        }
        offer = {key: words for key, words in self._offer.get(name, {}).items() if key != NO_MASK}
        if name == MASK:
            return [(key, titles[key]) for key in offer]
        return [(key, f"{self._axis_words(key)}\n{self._say(words)}") for key, words in offer.items()]

    def _axis_words(self, axes: str) -> str:
        words = {
            BATCH: self.tr("item"),
            HEAD: self.tr("head"),
            TOKEN: self.tr("token"),
            COLUMN: self.tr("column"),
            "in": self.tr("in"),
            "out": self.tr("out"),
        }
        return " × ".join(words[axis] for axis in axes.split(","))

    def _on_reading_picked(self, name: str, key: str) -> None:
        self._given[name], self._remembered = key, False
        self.changed.emit()

    def _on_heads_changed(self, count: int) -> None:
        if self._alike:
            with QSignalBlocker(self.kv_heads):
                self.kv_heads.setValue(count)
        self.changed.emit()

    def _on_kv_heads_changed(self, count: int) -> None:
        self._alike = count == self.heads.value()
        self.changed.emit()


def _has_weights(names: Iterable[str]) -> bool:
    """Return whether some of the parts have axes that may lie either way."""
    return not parts_of(names).isdisjoint(LINEAR)


# --- dialog ---------------------------------------------------------------------------------------
Role = Qt.ItemDataRole
ARRAY_MIME = "application/x-attn-gui-array"
NAME, SHAPE, NUMBERS, PART = range(4)


def part_symbol(role: str) -> str:
    """Return the letter of a part of a problem; a mask has none of its own before it is a layer."""
    return "M" if role == MASK else ", ".join(map(field_symbol, FUSED.get(role, (role,))))


class ArraysModel(ShapedModel):
    """One row an array; a row that is dragged carries its name."""

    def __init__(self, arrays: Sequence[ListedArray], parent: Any = None) -> None:
        super().__init__(parent)
        self.arrays, self._shape = tuple(arrays), (len(arrays), PART + 1)
        self._parts: dict[str, str] = {}

    def set_parts(self, names: Mapping[str, str]) -> None:
        """Show which part each array is, from part → name."""
        parts: dict[str, list[str]] = {}
        for role, name in names.items():
            parts.setdefault(name, []).append(part_symbol(role))
        self._parts = {name: ", ".join(found) for name, found in parts.items()}
        if self.arrays:
            self.dataChanged.emit(self.index(0, PART), self.index(len(self.arrays) - 1, PART))

    def data(self, index: Index, role: int = Role.DisplayRole) -> object:
        if not index.isValid():
            return None
        array = self.arrays[index.row()]
        texts = (array.name, " × ".join(map(str, array.shape)) or "1", array.dtype, self._parts.get(array.name, ""))
        if role == Role.DisplayRole:
            return texts[index.column()]
        if role == Role.ToolTipRole:
            return plain_tip(texts[index.column()])
        return ", ".join(filter(None, texts)) if role == Role.AccessibleTextRole and index.column() == NAME else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or role != Role.DisplayRole:
            return None
        return (self.tr("Array"), self.tr("Shape"), self.tr("Numbers"), self.tr("Used as"))[section]

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsDragEnabled
        return flags if index.isValid() else Qt.ItemFlag.NoItemFlags

    def mimeTypes(self) -> list[str]:
        return [ARRAY_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        if indexes:
            data.setData(ARRAY_MIME, QByteArray(self.arrays[indexes[0].row()].name.encode()))
        return data


NONE = ""
SHORTEST = 8  # letters of a name that are always seen


class ArraySlot(ChoiceBox):
    """List of the arrays that a part of a problem can be, or be dropped on; `picked` carries a name, empty for none."""

    def __init__(self, role: str, arrays: Sequence[ListedArray], parent: QWidget | None = None) -> None:
        super().__init__((NONE, *(array.name for array in arrays)), parent)
        self.setObjectName(f"arrays.{role}")
        self.setAcceptDrops(True)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(SHORTEST)
        self.view().setMinimumWidth(scaled(280))
        self.set_words({NONE: self.tr("none")})

    def array(self) -> str:
        """Return the name of the chosen array; empty where there is none."""
        return str(self.currentData() or NONE)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(ARRAY_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        name = bytes(event.mimeData().data(ARRAY_MIME).data()).decode()
        place = self.findData(name)
        if place >= 0:
            self.setCurrentIndex(place)
            event.acceptProposedAction()


_PROJECTED_ROWS = (("x", "context"), ("w_query", "b_query"), ("w_key", "b_key"), ("w_value", "b_value"))
_FUSED_ROW = tuple(role for role in PROJECTING_ROLES if role in FUSED)  # in place of the three rows above it
_OUTPUT_ROW, _MASK_ROW = ("w_output", "b_output"), (MASK,)
_PLACED = {*DIRECT_ROLES, *_OUTPUT_ROW, *_MASK_ROW, *_FUSED_ROW, *(role for row in _PROJECTED_ROWS for role in row)}
_OTHERS = [role for role in ROLES if role not in _PLACED]  # such as norms of Q and K, with either way
_BOTH_ROWS = (_OUTPUT_ROW, _MASK_ROW, *(_OTHERS[place : place + 2] for place in range(0, len(_OTHERS), 2)))


class PartSlots(QWidget):
    """The parts of a problem with the array of each; `changed` when an array or the other way is chosen."""

    changed = Signal()

    def __init__(self, arrays: Sequence[ListedArray], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slots = {role: ArraySlot(role, arrays, self) for role in ROLES}
        self.direct = QRadioButton(self.tr("Queries, keys and values"), self)
        self.projected = QRadioButton(self.tr("A sequence X and the weights that make them"), self)
        self.direct.setObjectName("arrays.direct")
        self.projected.setObjectName("arrays.projected")
        self._ways = QButtonGroup(self)
        for radio in (self.direct, self.projected):
            self._ways.addButton(radio)
        self._direct = self._block([[role] for role in DIRECT_ROLES])
        self._projected, both = self._block((*_PROJECTED_ROWS, _FUSED_ROW)), self._block(_BOTH_ROWS)
        parts = self.direct, self.projected, self._direct, self._projected, both, 1
        arrange(QVBoxLayout(self), *parts, margins=0, spacing=SPACING.m)
        for slot in self.slots.values():
            slot.picked.connect(self.changed)
        self.projected.toggled.connect(self._on_way_toggled)
        self.direct.setChecked(True)
        self._projected.hide()

    def names(self) -> dict[str, str]:
        """Return the arrays of the way that is chosen, by part."""
        held = {role: slot.array() for role, slot in self.slots.items() if slot.array()}
        return one_way(held, projected=self.projected.isChecked())

    def set_names(self, names: Mapping[str, str]) -> None:
        """Show these arrays in their places, and the way that they go."""
        for role, slot in self.slots.items():
            slot.set_key(names.get(role, ""))
        radio = self.projected if set(names) & set(PROJECTING_ROLES) else self.direct
        with QSignalBlocker(self):
            radio.setChecked(True)

    def _block(self, rows: Sequence[Sequence[str]]) -> QWidget:
        block = QWidget(self)
        grid = QGridLayout(block)
        slots = [[(part_symbol(role), self.slots[role]) for role in row] for row in rows]
        lay_out(grid, [[(caption(symbol, slot, block), slot, 1) for symbol, slot in row] for row in slots])
        for column in range(max(map(len, rows))):
            grid.setColumnStretch(column, 1)
        return block

    def _on_way_toggled(self, projected: bool) -> None:
        self._direct.setVisible(not projected)
        self._projected.setVisible(projected)
        self.changed.emit()


ROWS, COLUMNS = 4, 5  # of the preview
WIDTH, HEIGHT = 1060, 700
FORM = 440


class ArraysDialog(FormDialog):
    """`previewAsked` carries the name of the array whose first numbers are wanted, `picturesAsked` the mappings
    whose first maps are, by question and reading."""

    previewAsked = Signal(str)
    picturesAsked = Signal(object)

    def __init__(
        self, name: str, listing: ArrayListing, say: Callable[[object], str], parent: QWidget | None = None
    ) -> None:
        """Build the dialog; `say` puts notes and errors into the language of the window."""
        super().__init__(parent)
        self.setObjectName("dialog.arrays")
        self._name, self._listing, self._say = name, listing, say
        self.model = ArraysModel(listing.arrays, self)
        self.sieve = QSortFilterProxyModel(self)
        self.sieve.setSourceModel(self.model)
        self.sieve.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.intro, self.line, self.table = WrappedLabel(self), LineEdit(self), QTableView(self)
        self.about, self.preview = WrappedLabel(self), NumberPreview(ROWS, COLUMNS, self)
        self.parts, self.fields = PartSlots(listing.arrays, self), AxesFields(say, self)
        self._found: NDArray[Any] | str | None = None  # the numbers that are looked at, or why there are none
        self._pictured: dict[tuple[str, str], ArrayMapping] = {}
        self.complaint = WrappedLabel(self)
        self.buttons = AnswerButtons(self, self.tr("Open"))
        self._build()
        self.parts.changed.connect(self._look)
        self.fields.changed.connect(self._look)
        self._look()
        self.table.selectRow(0)

    def sizeHint(self) -> QSize:
        return QSize(scaled(WIDTH), scaled(HEIGHT))

    def mapping(self) -> ArrayMapping:
        """Return the mapping on show."""
        return self.fields.mapping(self.parts.names())

    def set_mapping(self, mapping: ArrayMapping, remembered: bool = False) -> None:
        """Propose a mapping; `remembered`: the one of the last file with such names."""
        self.parts.set_names(mapping.arrays)
        self.fields.set_mapping(mapping, remembered)
        self._look()

    def ask_about(self, question: SeveralReadings) -> None:
        """Ask what only the numbers left open when they were read."""
        self.fields.force(question)
        self._look()

    def set_preview(self, name: str, found: NDArray[Any] | str) -> None:
        """Show the first numbers of an array, or in a sentence why there are none, if it still is the chosen one."""
        if name == self.chosen():
            self._found = found
            self._show_preview()

    def chosen(self) -> str:
        """Return the name of the array that is looked at; empty where there is none."""
        index = self.table.currentIndex()
        return self.model.arrays[self.sieve.mapToSource(index).row()].name if index.isValid() else ""

    def _build(self) -> None:
        self.setWindowTitle(self.tr("Arrays of {file}").format(file=self._name))
        self.intro.setText(
            self.tr("The arrays of this file can be read in several ways: choose one.")
            if is_problem(array.name for array in self._listing.arrays)
            else self.tr(
                "Which array is which? What the names tell is filled in; drag an array onto its place, or pick it."
            )
        )
        self.line.setPlaceholderText(self.tr("Find an array"))
        self.line.setAccessibleName(self.tr("Find an array"))
        self.table.setAccessibleName(self.tr("Arrays of the file"))
        self._set_up_table()
        style_text(self.about, letters="small", tone="text2")
        style_text(self.complaint, tone="error")
        left = arrange(QVBoxLayout(), self.line, (self.table, 1), self.about, self.preview)
        sides = arrange(QHBoxLayout(), (left, 1), self._form(), spacing=SPACING.xl)
        column = QVBoxLayout(self)
        arrange(column, self.intro, (sides, 1), self.complaint, self.buttons, margins=SPACING.xl, spacing=SPACING.l)
        self.line.textChanged.connect(self.sieve.setFilterFixedString)

    def _form(self) -> QScrollArea:
        """Return the questions and the places; they scroll where a screen is low."""
        inner, area = QWidget(self), QScrollArea(self)
        # the fields first: what has to be chosen is in sight
        arrange(QVBoxLayout(inner), self.fields, self.parts, 1, margins=(0, 0, SPACING.m, 0), spacing=SPACING.l)
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

    def _offer(self, names: Mapping[str, str]) -> CompletedMapping | None:
        """Return what fits these arrays and what the file settles; None where they do not fit at all."""
        try:
            return mapping_with_answers(ArrayMapping(dict(names), split=self.mapping().split), self._listing)
        except (ValueError, TypeError):  # which the complaint tells
            return None

    def _ask_for_pictures(self, now: ArrayMapping) -> None:
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
        """Show the first numbers of the chosen array; of one that holds Q, K and V the first of each, line by line."""
        name, values = self.chosen(), None if isinstance(self._found, str) else self._found
        said = self._found if isinstance(self._found, str) else name
        now = self.mapping()
        for role, columns in self._columns(now).items():
            if now.arrays[role] == name and values is not None:
                line = np.moveaxis(values, now.shared_axis(role), -1)[(0,) * (values.ndim - 1)]
                values = np.stack([line[places[: COLUMNS + 1]] for places in columns])
                parts = zip(FUSED[role], columns, strict=True)
                said = " · ".join(f"{part_symbol(part)}: {runs_text(places)}" for part, places in parts)
                break
        self.preview.set_values(values)
        self.about.setText(said)

    def _columns(self, mapping: ArrayMapping) -> dict[str, Columns]:
        try:
            return mapping.columns(self._listing)
        except FormatError:  # which the complaint tells
            return {}

    def _look(self) -> None:
        """Bring questions and complaint up to what is chosen."""
        names = self.parts.names()
        self.fields.set_questions(names, self._offer(names))
        now = self.mapping()
        self.model.set_parts(now.arrays)
        self._show_preview()
        said = self._objection(now)
        self.complaint.setText(said)
        self.complaint.setVisible(bool(said))
        self.buttons.ok.setEnabled(not said)
        self._ask_for_pictures(now)

    def _objection(self, now: ArrayMapping) -> str:
        """Return the reason why a mapping makes no problem, as a sentence; empty where it makes one."""
        error = complaint(now, self._listing)
        if isinstance(error, SeveralReadings) or (error is None and self.fields.unanswered()):
            return self.tr("Choose how the numbers are read.")
        if isinstance(error, FormatError):
            error.at(self._name)
        return "" if error is None else self._say(error)


def _said(option: str, value: str) -> Any:
    """Return the value of a field of a mapping."""
    return parsed(value.split(",")) if option == "axes" else value
