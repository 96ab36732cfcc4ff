"""Questions in the dialog of arrays: axes, what the mask means, numbers of heads, by what each was chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from attn_gui.engine.head_axis import BATCH, COLUMN, HEAD, TOKEN, parsed, spelled
from attn_gui.figure.design_tokens import SPACING
from attn_gui.formats.file_messages import FileNote, SeveralReadings
from attn_gui.formats.named.arranged_problem import CompletedMapping
from attn_gui.formats.named.array_mapping import ADD, BLOCK, KEEP, NO_MASK, ArrayMapping
from attn_gui.formats.named.array_names import MASK
from attn_gui.formats.named.weight_layouts import FUSED, HEAD_BY_HEAD, LINEAR, PART_BY_PART, SPLITS, known_of, parts_of
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.ambiguity_dialogs import ReadingList
from attn_gui.views.dialogs.form_fields import caption
from attn_gui.views.theme import style_text
from attn_gui.views.widgets import ChoiceBox

UNSAID = ""
MOST_HEADS = 65536
READINGS = ("axes", "weights", MASK)
"""Fields of an arrangement that are chosen among readings."""


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
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACING.m)
        grid.setVerticalSpacing(SPACING.s)
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
        grid.setColumnStretch(1, 1)

    def set_arrangement(self, arrangement: ArrayMapping, remembered: bool = False) -> None:
        """Show how an arrangement reads its arrays; `remembered`: it is the one of the last such file."""
        self._remembered = remembered
        said = {"axes": arrangement.axes and spelled(arrangement.axes), "weights": arrangement.weights}
        self._given = {name: value for name, value in (said | {MASK: arrangement.mask}).items() if value}
        self.split.set_key(arrangement.split.key if arrangement.split else UNSAID)
        self._alike = arrangement.num_kv_heads is None
        with QSignalBlocker(self.heads), QSignalBlocker(self.kv_heads):
            self.heads.setValue(arrangement.num_heads or 1)
            self.kv_heads.setValue(arrangement.num_kv_heads or arrangement.num_heads or 1)

    def arrangement(self, names: dict[str, str]) -> ArrayMapping:
        """Return the arrangement of these arrays as the fields say; None for a question that nobody has answered."""
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

    def _counted(self, arrangement: ArrayMapping) -> bool:
        """Return whether an axis says how many heads there are, or may say it once it is chosen."""
        open_ones = [readings for readings in self._lists.values() if readings.key() is None]
        if any(HEAD in key.split(",") for readings in open_ones for key, _ in readings.choices()):
            return True
        weights = arrangement.weights is not None and HEAD in arrangement.weights
        return weights or (arrangement.direct and arrangement.axes is not None and HEAD in arrangement.axes)

    @staticmethod
    def _said_by_file(offer: CompletedMapping) -> dict[str, str]:
        """Return the choices that the file leaves no doubt of, by question."""
        found = offer.arrangement
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
