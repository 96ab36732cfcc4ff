"""Panel of sizes: boxes for n, m, heads, d_k, d_v, d_model, items, precision; tips by state, narrow form, a clash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attn_gui.engine import DTYPES
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.controls.count_box import ItemCell, SizeBox
from attn_gui.views.text_views import WrappedLabel, scripts_markup
from attn_gui.views.theme import icon, style_text
from attn_gui.views.widgets import ChoiceBox, arrange

__all__ = ["ShapePanel", "ShapeState"]


class ShapeState(NamedTuple):
    """The sizes of the problem on show; `head_counts` empty means that any count of heads will do."""

    num_heads: int
    num_kv_heads: int
    d_k: int
    d_v: int
    n: int
    m: int
    d_model: int
    batch_size: int = 1
    item: int = 0
    dtype: str = "float64"
    projected: bool = False
    self_attention: bool = False
    keep: str = "d_model"  # or "d_k": what stays when heads change
    head_counts: tuple[int, ...] = ()
    lacking: Mapping[str, str] = MappingProxyType({})  # sizes that the problem has not, and why

    @property
    def kv_head_counts(self) -> tuple[int, ...]:
        """The counts of K/V heads that share out the heads evenly."""
        return tuple(count for count in range(1, self.num_heads + 1) if self.num_heads % count == 0)

    @property
    def cut(self) -> str:
        """The cut of the columns of Q into heads, as the panel writes it after d_model."""
        if not self.d_k:
            return ""
        heads = f"{self.num_heads} · {self.d_k}"
        if self.d_model == self.num_heads * self.d_k:
            return f"= {heads}"
        return f"→ {heads}"


LARGEST = {"num_heads": 1024, "num_kv_heads": 1024, "batch_size": 4096}
SIZES = ("num_heads", "num_kv_heads", "d_k", "d_v", "n", "m", "d_model", "batch_size")
TOP = ("n", "m", "d_k", "d_v")
COLUMNS = 4
UNBOUNDED = (1 << 24) - 1  # QWIDGETSIZE_MAX, which PySide does not name


class ShapePanel(QWidget):
    """Every size of the problem in a box of its own; what a person asks for is signaled, nothing is decided.

    `foot` can stand somewhere else, as it does in the window below the tables. What the simple window leaves out of a
    row keeps its room there, so that nothing moves.
    """

    sizeCommitted = Signal(str, int)  # a name of SIZES and the number asked for
    itemPicked = Signal(int)  # the item, from 0
    refused = Signal(str)  # the sentence that the box shows

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: ShapeState | None = None
        self._compact: bool | None = None
        self.boxes = {name: self._size_box(name) for name in SIZES}
        self._items = ItemCell(self.boxes["batch_size"], self)
        self.dtype, self.keep, self._cut = ChoiceBox(DTYPES, self), QPushButton(self), QLabel(self)
        self._labels = {name: QLabel(self) for name in (*SIZES[:7], "dtype")}
        self._labels |= {"batch": self._items.caption, "batch_size": self._items.of}
        self.foot = QWidget(self)
        in_foot = ("num_heads", "num_kv_heads", "dtype")
        self._cells = {name: _cell(self._labels[name], self._editor(name), self) for name in TOP}
        self._cells |= {name: _cell(self._labels[name], self._editor(name), self.foot) for name in in_foot}
        self._items.setParent(self.foot)
        self._line, self._hint = QWidget(self.foot), WrappedLabel(self.foot)
        self._grid, self._foot_grid = QGridLayout(), QGridLayout(self.foot)
        for grid in (self._grid, self._foot_grid):
            grid.setContentsMargins(0, 0, 0, 0)
            grid.setVerticalSpacing(SPACING.m)
            for column in range(COLUMNS):
                grid.setColumnStretch(column, 1)
        self.foot.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._outer = arrange(QVBoxLayout(self), self._grid, self.foot, margins=0, spacing=SPACING.m)
        self._build()
        self.retranslate()
        self._compact = False
        self._arrange()

    def set_state(self, state: ShapeState) -> None:
        """Show the sizes of the document."""
        self._state = state
        for name in SIZES:
            self.boxes[name].set_value(getattr(state, name))
        self.boxes["num_kv_heads"].set_allowed(state.kv_head_counts)
        self._items.item.set_items(state.item, state.batch_size)
        self.dtype.set_key(state.dtype)
        self.keep.setChecked(state.keep == "d_model")
        self._cut.setText(state.cut)
        self._show_what_follows()
        self._explain()

    def set_compact(self, compact: bool) -> None:
        """Set the form for windows under 1200 wide, or the full one."""
        if compact != self._compact:
            self._compact = compact
            self._arrange()
            for layout in (self._line_layout, self._grid, self._foot_grid, self._outer):
                layout.activate()  # at once, since the window asks for the least width before the next event

    def set_parts(self, shown: Set[str]) -> None:
        """Show these parts of the foot; in the place of the last line a word on what to do.

        A row without any leaves its height to the tables; its width stays, so that the column has the same.
        """
        parts = self._parts()
        for name, part in parts.items():
            kept = name == "d_model" or not shown.isdisjoint(parts.keys() - {"d_model"})
            part.setMaximumHeight(UNBOUNDED if kept else 0)
            part.setVisible(name in shown)
        self._hint.setVisible("d_model" not in shown)

    def finish(self) -> None:
        """Hand on what is still being typed, as leaving the box would."""
        for box in self.boxes.values():
            box.finish()

    def retranslate(self) -> None:
        """Set all words in the present language."""
        words = {
            "num_heads": (self.tr("heads"), self.tr("Heads")),
            "num_kv_heads": (self.tr("K/V heads"), self.tr("Key and value heads")),
            "d_k": ("dₖ", self.tr("d_k, width of a query and a key in one head")),
            "d_v": ("dᵥ", self.tr("d_v, width of a value in one head")),
            "n": (self.tr("queries n"), self.tr("Queries n")),
            "m": (self.tr("keys m"), self.tr("Keys m")),
            "d_model": (scripts_markup("d_model"), self.tr("d_model, width of all heads together")),
            "batch_size": (self.tr("of"), self.tr("Items in the batch")),
            "batch": (self.tr("batch item"), self.tr("Item shown")),
            "dtype": (self.tr("precision"), self.tr("Precision")),
        }
        for name, (text, accessible) in words.items():
            self._labels[name].setText(text)
            self._labels[name].buddy().setAccessibleName(accessible)
        self._hint.setText(self.tr("Type into a cell: maps and explanation follow at once."))
        self.keep.setText(self.tr("Keep"))
        self.keep.setAccessibleName(self.tr("Keep d_model"))
        self.keep.setToolTip(
            self.tr(
                "When the number of heads changes: pressed, d_model stays and only the cut into heads moves; "
                "else dₖ stays, and heads join or leave with their columns."
            )
        )
        self.dtype.setToolTip(
            self.tr(
                "Computed in float64, and float32 rounds each number once, when it is read; long or wide problems of "
                "float32 are computed in it"
            )
        )
        self._explain()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.FontChange) and self._compact is not None:
            self.retranslate()
        super().changeEvent(event)

    def _explain(self) -> None:
        """Set tooltips that depend on the state."""
        state = self._state
        direct = state is None or not state.projected
        tips = {
            "num_heads": self.tr("How many heads share the work"),
            "num_kv_heads": self.tr("Heads of K and V; each serves the same number of query heads"),
            "d_k": self.tr("Columns of Q and K in one head"),
            "d_v": self.tr("Columns of V in one head"),
            "n": self.tr("Rows of Q") if state is None or state.d_k else self.tr("Rows of A"),
            "m": self.tr("m follows n: keys and values come from the same X as the queries")
            if state is not None and state.self_attention
            else self.tr("Rows of K and V")
            if state is None or state.d_k
            else self.tr("Columns of A"),
            "d_model": self.tr("All heads of Q together; change the heads or dₖ instead")
            if direct
            else self.tr("Columns of X"),
            "batch_size": self.tr("How many items the batch holds"),
        }
        for name, tip in tips.items():
            self.boxes[name].setToolTip(tip)
        for name, reason in (state.lacking if state is not None else {}).items():
            self.boxes[name].setToolTip(reason)
        self._items.item.setToolTip(self.tr("Which item of the batch is shown, counted from 0"))
        self._cut.setToolTip(self.tr("heads · dₖ"))
        if state is not None:
            self.boxes["num_heads"].set_allowed(
                state.head_counts,
                self.tr("{number} heads cannot share {query} columns of Q and {value} of V evenly.").format(
                    number="{number}", query=state.num_heads * state.d_k, value=state.num_heads * state.d_v
                ),
            )

    def _size_box(self, name: str) -> SizeBox:
        box = SizeBox(self, maximum=LARGEST.get(name, 65536))
        box.setObjectName(f"control.{name}")
        box.committed.connect(lambda value: self.sizeCommitted.emit(name, value))
        box.refused.connect(self.refused)
        return box

    def _build(self) -> None:
        self._items.item.setObjectName("control.batch")
        self._items.item.picked.connect(self.itemPicked)
        self.dtype.setObjectName("control.dtype")
        self.keep.setObjectName("control.d_model_fixed")
        self.keep.setCheckable(True)
        self.keep.setChecked(True)
        self.keep.toggled.connect(self._on_keep_toggled)
        self._on_keep_toggled(True)
        self._cut.setTextFormat(Qt.TextFormat.PlainText)
        style_text(self._cut, tone="text2")
        for name, label in self._labels.items():
            label.setBuddy(self._editor(name))
            style_text(label, letters="body" if name == "d_model" else "small", tone="text2")
        self.boxes["d_model"].set_digits(3)
        style_text(self._hint, "small", "text2")
        self._hint.hide()
        for part in (*self._parts().values(), self._hint):
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            part.setSizePolicy(policy)
        line = self._labels["d_model"], self.boxes["d_model"], self._cut, 1, self.keep
        self._line_layout = arrange(QHBoxLayout(self._line), *line, margins=0, spacing=SPACING.s)
        order = list(self._in_order())
        for before, after in pairwise(order):
            self.setTabOrder(before, after)

    def _on_keep_toggled(self, kept: bool) -> None:
        self.keep.setIcon(icon("lock" if kept else "unlock"))

    def _editor(self, name: str) -> QWidget:
        return {"batch": self._items.item, "dtype": self.dtype}.get(name) or self.boxes[name]

    def _parts(self) -> dict[str, QWidget]:
        """Return what stands in the foot, by the names of the parts."""
        return {
            **{name: self._cells[name] for name in ("num_heads", "num_kv_heads", "dtype")},
            "batch": self._items,
            "d_model": self._line,
        }

    def _in_order(self) -> Iterator[QWidget]:
        yield from (self.boxes[name] for name in (*TOP, "num_heads", "num_kv_heads"))
        yield from (self._items.item, self.boxes["batch_size"], self.dtype, self.boxes["d_model"], self.keep)

    def _show_what_follows(self) -> None:
        """Show sizes that cannot be set here, without letting them be edited."""
        state = self._state
        assert state is not None
        for name, box in self.boxes.items():
            box.setEnabled(name not in state.lacking and not (name == "m" and state.self_attention))
        self.keep.setEnabled("d_model" not in state.lacking)
        width = self.boxes["d_model"]
        width.setReadOnly(not state.projected)
        buttons = QAbstractSpinBox.ButtonSymbols
        width.setButtonSymbols(buttons.UpDownArrows if state.projected else buttons.NoButtons)

    def _arrange(self) -> None:
        """Lay out four columns of captions above boxes, and a line below, in the compact form one for the items too."""
        grid, foot, compact = self._grid, self._foot_grid, bool(self._compact)
        for widget in (*self._cells.values(), self._items, self._line, self._hint):
            foot.removeWidget(widget)
        for column, name in enumerate(TOP):
            grid.addWidget(self._cells[name], 0, column)
        foot.addWidget(self._cells["num_heads"], 0, 0)
        foot.addWidget(self._cells["num_kv_heads"], 0, 1)
        self._items.set_one_line(compact)
        if compact:
            foot.addWidget(self._cells["dtype"], 0, 2, 1, 2)
            foot.addWidget(self._items, 1, 0, 1, COLUMNS)
        else:
            foot.addWidget(self._items, 0, 2)
            foot.addWidget(self._cells["dtype"], 0, 3)
        for widget in (self._line, self._hint):  # one of them at a time
            foot.addWidget(widget, 2, 0, 1, COLUMNS)
        for each in (grid, foot):
            each.setHorizontalSpacing(SPACING.s if compact else SPACING.m)
        self._cut.setVisible(not compact)


def _cell(caption: QLabel, editor: QWidget, parent: QWidget) -> QWidget:
    """Return a caption above its editor, the editor at the bottom so that a row of cells lines up."""
    cell = QWidget(parent)
    arrange(QVBoxLayout(cell), 1, caption, editor, margins=0, spacing=SPACING.xs)
    return cell
