"""The parts of a problem as places for arrays: Q, K and V, or X and its weights, and what goes with both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QRadioButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.formats.base import Listed
from attn_gui.formats.named.roles import AT_ONCE, MASK, PROJECTED, ROLES, one_way
from attn_gui.formats.named.weight_layouts import FUSED
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.dialogs.arrays.array_slot import ArraySlot
from attn_gui.views.dialogs.arrays.arrays_model import part_symbol
from attn_gui.views.dialogs.form_fields import caption, lay_out

_PROJECTED_ROWS = (("x", "context"), ("w_query", "b_query"), ("w_key", "b_key"), ("w_value", "b_value"))
_FUSED_ROW = tuple(role for role in PROJECTED if role in FUSED)  # in place of the three rows above it
_OUTPUT_ROW, _MASK_ROW = ("w_output", "b_output"), (MASK,)
_PLACED = {*AT_ONCE, *_OUTPUT_ROW, *_MASK_ROW, *_FUSED_ROW, *(role for row in _PROJECTED_ROWS for role in row)}
_OTHERS = [role for role in ROLES if role not in _PLACED]  # such as norms of Q and K, with either way
_BOTH_ROWS = (_OUTPUT_ROW, _MASK_ROW, *(_OTHERS[place : place + 2] for place in range(0, len(_OTHERS), 2)))


class PartSlots(Retranslated, QWidget):
    """`changed` when another array is picked or dropped, or the other way is chosen."""

    changed = Signal()

    def __init__(self, arrays: Sequence[Listed], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.slots = {role: ArraySlot(role, arrays, self) for role in ROLES}
        self.direct, self.projected = QRadioButton(self), QRadioButton(self)
        self.direct.setObjectName("arrays.direct")
        self.projected.setObjectName("arrays.projected")
        self._ways = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.m)
        for radio in (self.direct, self.projected):
            self._ways.addButton(radio)
            column.addWidget(radio)
        self._direct = self._block([[role] for role in AT_ONCE])
        self._projected, both = self._block((*_PROJECTED_ROWS, _FUSED_ROW)), self._block(_BOTH_ROWS)
        for block in (self._direct, self._projected, both):
            column.addWidget(block)
        column.addStretch(1)
        for slot in self.slots.values():
            slot.picked.connect(lambda _name: self.changed.emit())
        self.projected.toggled.connect(self._on_way_toggled)
        self.direct.setChecked(True)
        self._projected.hide()
        self.retranslate()

    def names(self) -> dict[str, str]:
        """The arrays of the way that is chosen, by part."""
        held = {role: slot.array() for role, slot in self.slots.items() if slot.array()}
        return one_way(held, projected=self.projected.isChecked())

    def set_names(self, names: Mapping[str, str]) -> None:
        """Show these arrays in their places, and the way that they go."""
        for role, slot in self.slots.items():
            slot.set_key(names.get(role, ""))
        radio = self.projected if set(names) & set(PROJECTED) else self.direct
        with QSignalBlocker(self):
            radio.setChecked(True)

    def retranslate(self) -> None:
        """All words in the present language."""
        self.direct.setText(self.tr("Queries, keys and values"))
        self.projected.setText(self.tr("A sequence X and the weights that make them"))

    def _block(self, rows: Sequence[Sequence[str]]) -> QWidget:
        block = QWidget(self)
        grid = QGridLayout(block)
        fields = [[(caption(self.slots[role], block), self.slots[role], 1) for role in row] for row in rows]
        for row, found in zip(rows, fields, strict=True):
            for role, (label, _, _) in zip(row, found, strict=True):
                label.setText(part_symbol(role))
        lay_out(grid, fields)
        for column in range(max(map(len, rows))):
            grid.setColumnStretch(column, 1)
        return block

    def _on_way_toggled(self, projected: bool) -> None:
        self._direct.setVisible(not projected)
        self._projected.setVisible(projected)
        self.changed.emit()
