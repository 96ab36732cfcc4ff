"""The list of mask layers, in a frame below the mask box of the spine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QRadioButton, QToolButton, QVBoxLayout, QWidget

from attn_gui.engine.masks import MASKS, Layer
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.controls.masks.lint_lines import Line, LintLines
from attn_gui.views.controls.masks.mask_layer import LayerRow
from attn_gui.views.controls.masks.mask_words import kind_about, kind_name, polarity
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.icons import icon
from attn_gui.views.theme import dress
from attn_gui.views.words.tip import set_tip

WIDTH = 340


class MaskPanel(Retranslated, PopupFrame):
    """Every layer with its switch and parameters; each gesture is one signal with the whole new list.

    `layersChanged` carries the layers as mappings, what was done ("add", "remove", "switch", "change") and the
    kind of the layer it was done to.
    """

    layersChanged = Signal(object, str, str)
    fillRequested = Signal(int, str)  # the cells of a custom layer: one of FILLS
    paintRequested = Signal(int)  # a custom layer, to be painted in the masked map
    tableRequested = Signal(str)  # the field of the cells of a layer: mask.1.values
    blockedPicked = Signal(bool)  # True is to be read as blocked
    opened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(WIDTH, parent)
        self.setObjectName("panel.mask")
        self._layers: tuple[Layer, ...] = ()
        self._sizes = (1, 1, 1)
        self._rows: list[LayerRow] = []
        self._next_focus: tuple[int, str] | None = None  # the row and button that a gesture goes on from
        self._blocked = False
        self._title, self._none, self._polarity = QLabel(self), WrappedLabel(self), WrappedLabel(self)
        self._readings = {False: QRadioButton(self), True: QRadioButton(self)}  # whether True is read as blocked
        self.lint = LintLines(self)
        self._close, self.add = QToolButton(self), QPushButton(self)
        self.kinds = QMenu(self)
        self._list = QVBoxLayout()
        self._build()
        self.retranslate()
        self.hide()

    # --- down ------------------------------------------------------------------------------------
    def set_layers(self, layers: Sequence[Layer], n: int, m: int, batch: int = 1) -> None:
        """Show the layers of the document."""
        self._layers, self._sizes = tuple(layers), (n, m, batch)
        if self.isVisible():
            self._show_layers()
        else:
            self._forget_rows()  # they hold the cells of their layers

    def _show_layers(self) -> None:
        n, m, batch = self._sizes
        if [row.kind for row in self._rows] != [layer.kind for layer in self._layers]:
            self._forget_rows()
            self._make_rows()
        for row, layer in zip(self._rows, self._layers, strict=True):
            row.set_layer(layer, n, m, batch)
        self._none.setVisible(not self._rows)
        self._restore_focus()
        self.fit()

    def set_blocked(self, blocked: bool) -> None:
        """Read True as blocked, or as may attend: words alone."""
        self._blocked = blocked
        self._readings[blocked].setChecked(True)
        for row in self._rows:
            row.set_blocked(blocked)
        self._say_polarity()

    def set_findings(self, lines: Sequence[Line]) -> None:
        """Show what is seldom meant in the present mask."""
        self.lint.set_lines(lines)
        self.fit()

    def _say_polarity(self) -> None:
        if self._blocked:
            words = self.tr(
                "As in nn.MultiheadAttention; scaled_dot_product_attention means the opposite. Only the words and the "
                "tables turn, no cell changes. A key is open if no layer that is on blocks it; biases add."
            )
        else:
            words = self.tr(
                "As in scaled_dot_product_attention; in nn.MultiheadAttention True means the opposite. A key is open "
                "if every layer that is on opens it; biases add."
            )
        self._polarity.setText(words)
        self.fit()

    def retranslate(self) -> None:
        """All words in the present language."""
        self.setAccessibleName(self.tr("Mask layers"))
        self._title.setText(self.tr("Mask"))
        self._none.setText(self.tr("No layer: every query sees every key."))
        for blocked, button in self._readings.items():
            button.setText(polarity(blocked))
            button.setAccessibleName(polarity(blocked))
        self.add.setText(self.tr("Add layer"))
        set_tip(self.add, self.tr("One more rule for M in Sᵐ = S′ + M: a key is seen if every layer allows it"))
        self._close.setToolTip(self.tr("Close"))
        self._close.setAccessibleName(self.tr("Close"))
        for action in self.kinds.actions():
            if not action.isSeparator():
                action.setText(f"{kind_name(action.data())}  –  {kind_about(action.data())}")
        for row in self._rows:
            row.retranslate()
        self._say_polarity()

    def first_stop(self) -> QWidget:
        return self._rows[0].switch if self._rows else self.add

    # --- gestures --------------------------------------------------------------------------------
    def add_layer(self, kind: str) -> None:
        """Ask for a new layer at the end of the list."""
        self._next_focus = (len(self._layers), "switch")
        self._ask([*self._mappings(), {"kind": kind} | MASKS[kind].first(*self._sizes)], "add", kind)

    def _on_row_switched(self, place: int, enabled: bool) -> None:
        self._replace(place, {"enabled": enabled}, "switch")

    def _on_row_value_picked(self, place: int, name: str, value: object) -> None:
        self._replace(place, {name: value}, "change")

    def _on_row_removed(self, place: int) -> None:
        mappings = self._mappings()
        del mappings[place]
        self._next_focus = (min(place, len(mappings) - 1), "remove")
        self._ask(mappings, "remove", self._layers[place].kind)

    def _on_row_paint_requested(self, place: int) -> None:
        self.hide()
        self.paintRequested.emit(place)

    def _on_row_table_requested(self, place: int) -> None:
        self.hide()
        self.tableRequested.emit(self._layers[place].field(place))

    def _replace(self, place: int, values: dict[str, Any], what: str) -> None:
        mappings = self._mappings()
        mappings[place] |= values
        self._ask(mappings, what, self._layers[place].kind)

    def _ask(self, mappings: list[dict[str, Any]], what: str, kind: str) -> None:
        self.layersChanged.emit(tuple(mappings), what, kind)

    def _mappings(self) -> list[dict[str, Any]]:
        return [layer.to_mapping() for layer in self._layers]

    # --- what Qt asks ----------------------------------------------------------------------------
    def showEvent(self, event: QShowEvent) -> None:
        self._show_layers()  # not before: a file may bring sixty layers that are not looked at
        super().showEvent(event)
        self.opened.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        for row in self._rows:
            row.finish()
        super().hideEvent(event)

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._close)
        dress(self._title, letters="section", strong=True)
        dress(self._none, tone="text2")
        dress(self._polarity, letters="small", tone="text3")
        self._close.setIcon(icon("close"))
        self._close.clicked.connect(self.close_panel)
        self._fill_kinds()
        self.add.setMenu(self.kinds)
        column = QVBoxLayout(self.content)
        column.setContentsMargins(SPACING.l, SPACING.m, SPACING.l, SPACING.l)
        column.setSpacing(SPACING.m)
        self._list.setSpacing(0)
        column.addLayout(head)
        column.addLayout(self._list)
        column.addWidget(self._none)
        column.addWidget(self.lint)
        column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        readings = QHBoxLayout()
        readings.setSpacing(SPACING.l)
        for blocked, button in self._readings.items():
            button.setObjectName("control.mask_reading.blocked" if blocked else "control.mask_reading.attend")
            button.clicked.connect(lambda _=False, blocked=blocked: self.blockedPicked.emit(blocked))
            readings.addWidget(button)
        readings.addStretch(1)
        column.addLayout(readings)
        column.addWidget(self._polarity)

    def _fill_kinds(self) -> None:
        """Layers that open and close cells, then those that add to the scores."""
        for adds in (False, True):
            if adds:
                self.kinds.addSeparator()
            for kind, record in MASKS.items():
                if record.adds == adds:
                    action = self.kinds.addAction(kind)
                    action.setData(kind)
                    action.setObjectName(f"action.add_{kind}_mask")
                    action.triggered.connect(lambda _=False, kind=kind: self.add_layer(kind))

    def _forget_rows(self) -> None:
        for row in self._rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = []

    def _make_rows(self) -> None:
        for place, layer in enumerate(self._layers):
            row = LayerRow(layer, *self._sizes, self.content)
            row.switched.connect(lambda on, place=place: self._on_row_switched(place, on))
            row.valuePicked.connect(lambda name, value, place=place: self._on_row_value_picked(place, name, value))
            row.removed.connect(lambda place=place: self._on_row_removed(place))
            row.filled.connect(lambda how, place=place: self.fillRequested.emit(place, how))
            row.paintRequested.connect(lambda place=place: self._on_row_paint_requested(place))
            row.tableRequested.connect(lambda place=place: self._on_row_table_requested(place))
            row.set_blocked(self._blocked)
            self._list.addWidget(row)
            row.show()  # now, so that it can take the focus
            self._rows.append(row)

    def _restore_focus(self) -> None:
        """Return the keyboard to its layer after layers came or went."""
        wanted, self._next_focus = self._next_focus, None
        if wanted is None or not self.isVisible():
            return
        place, name = wanted
        row = self._rows[place] if 0 <= place < len(self._rows) else None
        target = getattr(row, name) if row is not None else self.add
        target.setFocus(Qt.FocusReason.OtherFocusReason)
