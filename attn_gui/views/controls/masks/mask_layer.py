"""One layer in the mask panel: its switch, its parameters, its rule, and the way to remove it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.edits import filled
from attn_gui.engine.creation.mask_cells import FILLS
from attn_gui.engine.masks import Layer
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.controls.masks.mask_fields import Field, LengthsField, make_field
from attn_gui.views.controls.masks.mask_words import kind_about, kind_name, parameter_about, parameter_name, rule
from attn_gui.views.icons import icon
from attn_gui.views.theme import dress


class LayerRow(QWidget):
    """Shows one layer and signals what a person wants of it."""

    switched = Signal(bool)
    valuePicked = Signal(str, object)  # parameter, value
    removed = Signal()
    filled = Signal(str)  # one of FILLS
    paintRequested = Signal()
    tableRequested = Signal()

    def __init__(self, layer: Layer, n: int, m: int, batch: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = layer.kind
        self._layer, self._sizes = layer, (n, m, batch)
        self.switch = QCheckBox(self)
        self.remove = QToolButton(self)
        self.paint, self.fill, self.table = QPushButton(self), QPushButton(self), QPushButton(self)
        self.fills = QMenu(self)
        self.fields: dict[str, Field] = {}
        self._names: dict[str, QLabel] = {}
        self._blocked = False
        self._rule = WrappedLabel(self)
        self._build()
        self.set_layer(layer, n, m, batch)

    def set_layer(self, layer: Layer, n: int, m: int, batch: int) -> None:
        """Show the layer of the document."""
        self._layer, self._sizes = layer, (n, m, batch)
        with QSignalBlocker(self.switch):
            self.switch.setChecked(layer.enabled)
        for name, field in self.fields.items():
            if isinstance(field, LengthsField):
                field.set_sizes(m, batch)
            field.set_value(getattr(layer, name))
        self.fills.actions()[FILLS.index("transpose")].setEnabled(n == m)
        self.retranslate()

    def set_blocked(self, blocked: bool) -> None:
        """Whether True is read as blocked."""
        self._blocked = blocked
        self.retranslate()

    def finish(self) -> None:
        """Hand on what is still being typed."""
        for field in self.fields.values():
            inner = getattr(field, "box", field)
            if hasattr(inner, "finish"):
                inner.finish()

    def retranslate(self) -> None:
        """All words in the present language."""
        name, (n, m, _batch) = kind_name(self.kind), self._sizes
        self.switch.setText(name)
        self.switch.setAccessibleName(filled(self.tr("{layer} layer on"), {"layer": name}))
        self.switch.setToolTip(kind_about(self.kind))
        remove = filled(self.tr("Remove {layer}"), {"layer": name})
        self.remove.setToolTip(remove)
        self.remove.setAccessibleName(remove)
        for parameter in self._layer.parameters:
            if parameter.name in self.fields:
                self._names[parameter.name].setText(parameter_name(parameter))
                self.fields[parameter.name].say(parameter_name(parameter), parameter_about(parameter))
        self.paint.setText(self.tr("Paint in the map"))
        self.paint.setToolTip(self.tr("Show the masked scores, with a brush in hand that opens and closes cells"))
        self.fill.setText(self.tr("Fill"))
        self.fill.setToolTip(self.tr("All cells of this layer at once: M is 0 where they are open, −∞ where closed"))
        self.table.setText(self.tr("Show its table"))
        self.table.setToolTip(self.tr("The numbers of this layer among the tables, to be typed and pasted there"))
        words = (
            self.tr("Open all cells"),
            self.tr("Close all cells"),
            self.tr("Swap open and closed"),
            self.tr("Mirror at the diagonal"),
        )
        for action, word in zip(self.fills.actions(), words, strict=True):
            action.setText(word)
        self._rule.setText(rule(self._layer, n, m, self._blocked))

    # --- inside ----------------------------------------------------------------------------------
    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(SPACING.xs)
        head.addWidget(self.switch, 1)
        self.remove.setIcon(icon("close"))
        self.remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        head.addWidget(self.remove)
        dress(self.switch, strong=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SPACING.s, 0, SPACING.s)
        column.setSpacing(SPACING.s)
        column.addLayout(head)
        column.addLayout(self._form())
        dress(self._rule, letters="small", tone="text3")
        self.switch.toggled.connect(self.switched)
        self.remove.clicked.connect(self.removed)
        self.paint.clicked.connect(self.paintRequested)
        self.table.clicked.connect(self.tableRequested)
        for key in FILLS:
            self.fills.addAction(key).triggered.connect(lambda _=False, key=key: self.filled.emit(key))
        self.fill.setMenu(self.fills)

    def _form(self) -> QFormLayout:
        """The parameters under one another, indented below the switch."""
        form = QFormLayout()
        form.setContentsMargins(SPACING.xxl - SPACING.s, 0, 0, 0)
        form.setHorizontalSpacing(SPACING.m)
        form.setVerticalSpacing(SPACING.s)
        _n, m, batch = self._sizes
        for parameter in self._layer.parameters:
            field = make_field(parameter, m, batch, self)
            if field is not None:
                self.fields[parameter.name] = field
                self._names[parameter.name] = label = QLabel(self)
                dress(label, tone="text2")
                form.addRow(label, field)
                field.committed.connect(lambda value, name=parameter.name: self.valuePicked.emit(name, value))
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACING.s)
        paintable, table = self._layer.paintable, bool(self._layer.table)
        for button, shown in ((self.paint, paintable), (self.fill, paintable), (self.table, table)):
            button.setVisible(shown)
            if shown:
                buttons.addWidget(button)
        buttons.addStretch(1)
        form.addRow(buttons)
        form.addRow(self._rule)
        return form
