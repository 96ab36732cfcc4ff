"""Fields for what shapes alone do not say: axes of Q, K, V, axes of weights, the meaning of a mask, heads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.formats.named.arrangement import LINEAR, ROWS_IN, ROWS_OUT, WEIGHT_AXES, Arrangement
from attn_gui.formats.named.fused import FUSED, HEAD_BY_HEAD, PART_BY_PART, SPLITS, known_of, parts_of
from attn_gui.formats.named.head_axes import BATCH, COLUMN, HEAD, TOKEN, Axes
from attn_gui.formats.named.mask_meanings import ADD, BLOCK, KEEP, MASK_MEANINGS
from attn_gui.formats.named.roles import MASK
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.form_fields import caption
from attn_gui.views.theme import dress

AUTOMATIC = ""
UNSAID = ""
MOST_HEADS = 65536


class AxesFields(Retranslated, QWidget):
    """A row for every question that the chosen arrays leave open; the others are not shown."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.axes, self.weights = ChoiceBox((), self), ChoiceBox(WEIGHT_AXES, self)
        self.mask_means = ChoiceBox((AUTOMATIC, *MASK_MEANINGS), self)
        self.heads = CountBox(self, minimum=1, maximum=MOST_HEADS)
        self.kv_heads = CountBox(self, minimum=1, maximum=MOST_HEADS)
        self.split = ChoiceBox((UNSAID, *SPLITS), self)
        self._readings: tuple[Axes, ...] = ()
        self._alike = True  # as many heads of keys as of queries, as long as nobody types another number
        self._editors: dict[str, QWidget] = {
            "axes": self.axes,
            "weight_axes": self.weights,
            "split": self.split,
            "mask_means": self.mask_means,
            "num_heads": self.heads,
            "num_kv_heads": self.kv_heads,
        }
        self._captions = {name: caption(editor, self) for name, editor in self._editors.items()}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACING.m)
        grid.setVerticalSpacing(SPACING.s)
        for row, (name, editor) in enumerate(self._editors.items()):
            editor.setObjectName(f"arrays.{name}")
            dress(self._captions[name], letters="small", tone="text2")
            grid.addWidget(self._captions[name], row, 0)
            grid.addWidget(editor, row, 1)
        grid.setColumnStretch(1, 1)
        for choice in (self.axes, self.weights, self.split, self.mask_means):
            choice.picked.connect(lambda _key: self.changed.emit())
        self.heads.valueChanged.connect(self._on_heads_changed)
        self.kv_heads.valueChanged.connect(self._on_kv_heads_changed)
        self.retranslate()

    def set_arrangement(self, arrangement: Arrangement) -> None:
        """Show how an arrangement reads its arrays."""
        self.weights.set_key(arrangement.weights)
        self.mask_means.set_key(arrangement.mask or AUTOMATIC)
        self.split.set_key(arrangement.split.key if arrangement.split else UNSAID)
        self._alike = arrangement.num_kv_heads is None
        with QSignalBlocker(self.heads), QSignalBlocker(self.kv_heads):
            self.heads.setValue(arrangement.num_heads or 1)
            self.kv_heads.setValue(arrangement.num_kv_heads or arrangement.num_heads or 1)

    def arrangement(self, names: dict[str, str]) -> Arrangement:
        """The arrangement of these arrays as the fields say."""
        found = Arrangement(names)
        axes = self._axes()
        counted = axes is not None and HEAD in axes and found.direct
        return replace(
            found,
            axes=axes if found.direct else None,
            weights=str(self.weights.currentData()) if _has_weights(names) else ROWS_IN,
            split=SPLITS.get(str(self.split.currentData())) if FUSED.keys() & names.keys() else None,
            mask=str(self.mask_means.currentData()) or None if MASK in names else None,
            num_heads=None if counted else self.heads.value(),
            num_kv_heads=None if counted or self._alike else self.kv_heads.value(),
        )

    def set_questions(self, arrangement: Arrangement, readings: Sequence[Axes]) -> None:
        """Show the fields that these arrays need, the axes among those that fit, the split that is known of a name."""
        together = [name for role, name in arrangement.arrays.items() if role in FUSED]
        known = known_of(together)
        if known is not None and self.split.currentData() == UNSAID:
            self.split.set_key(known.key)
        self._readings = tuple(readings)
        self.axes.set_choices([(",".join(axes), self._words(axes)) for axes in readings])
        if arrangement.axes in self._readings:
            self.axes.set_key(",".join(arrangement.axes or ()))
        axes = self._axes()
        counted = arrangement.direct and axes is not None and HEAD in axes
        shown = {
            "axes": arrangement.direct and bool(readings),
            "weight_axes": _has_weights(arrangement.arrays),
            "split": bool(together),
            "mask_means": MASK in arrangement.arrays,
            "num_heads": not counted,
            "num_kv_heads": not counted,
        }
        for name, editor in self._editors.items():
            editor.setVisible(shown[name])
            self._captions[name].setVisible(shown[name])

    def _axes(self) -> Axes | None:
        place = self.axes.currentIndex()
        return self._readings[place] if 0 <= place < len(self._readings) else None

    def _words(self, axes: Axes) -> str:
        words = {
            BATCH: self.tr("item"),
            HEAD: self.tr("head"),
            TOKEN: self.tr("token"),
            COLUMN: self.tr("column"),
        }
        return " × ".join(words[axis] for axis in axes)

    def retranslate(self) -> None:
        """All words in the present language."""
        captions = {
            "axes": self.tr("Axes of Q, K, V"),
            "weight_axes": self.tr("Axes of weights"),
            "split": self.tr("Q, K, V in one array"),
            "mask_means": self.tr("In the mask"),
            "num_heads": self.tr("Heads"),
            "num_kv_heads": self.tr("K/V heads"),
        }
        for name, text in captions.items():
            self._captions[name].setText(text)
            self._editors[name].setAccessibleName(text)
        self.axes.set_words({",".join(axes): self._words(axes) for axes in self._readings})
        self.weights.set_words(
            {ROWS_IN: self.tr("in × out, as here"), ROWS_OUT: self.tr("out × in, as torch.nn.Linear has them")}
        )
        self.split.set_words(
            {
                UNSAID: self.tr("choose how they lie"),
                PART_BY_PART.key: self.tr("all of Q, all of K, all of V"),
                HEAD_BY_HEAD.key: self.tr("Q, K, V of each head in turn"),
            }
        )
        self.mask_means.set_words(
            {
                AUTOMATIC: self.tr("by its kind of numbers"),
                KEEP: self.tr("True may attend"),
                BLOCK: self.tr("True may not attend"),
                ADD: self.tr("numbers are added to the scores"),
            }
        )

    def _on_heads_changed(self, count: int) -> None:
        if self._alike:
            with QSignalBlocker(self.kv_heads):
                self.kv_heads.setValue(count)
        self.changed.emit()

    def _on_kv_heads_changed(self, count: int) -> None:
        self._alike = count == self.heads.value()
        self.changed.emit()


def _has_weights(names: Iterable[str]) -> bool:
    """Whether some of the parts have two axes that may lie either way."""
    return not parts_of(names).isdisjoint(LINEAR)
