"""Panel of mask layers: a row with parameters for each, Add layer, Fill, how True is read, lines of warnings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QRadioButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.edits import fill_template
from attn_gui.engine.creation.mask_cells import FILLS
from attn_gui.engine.masks import MASKS, Layer, Parameter
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.banner import IconLabel
from attn_gui.views.controls.count_box import SizeBox, whole_number
from attn_gui.views.controls.popup_frame import PopupFrame
from attn_gui.views.controls.typed_field import TypedField
from attn_gui.views.names import (
    mask_about,
    mask_name,
    mask_parameter_about,
    mask_parameter_name,
    mask_polarity,
    mask_rule,
)
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import icon, style_text
from attn_gui.views.widgets import ChoiceBox, Retranslated, arrange, clear_layout, set_name, set_tip

FAR = 2**31 - 1  # what a spin box holds


class WholeBox(SizeBox):
    """A whole number of a layer; one from a file that no spin box holds is shown until another one is typed."""

    # on the class, since Qt asks for texts while it still builds the box
    _beyond: int | None = None  # what is on show though no spin box holds it
    _given = 0

    def set_value(self, value: int) -> None:
        """Show the number of the document."""
        held = max(self.minimum(), min(value, self.maximum()))
        self._given, self._beyond = value, None if held == value else value
        super().set_value(held)

    def restore(self) -> None:
        """Go back to the number before the visit."""
        self.set_value(self._given)

    def number(self) -> int:
        """Return the number on show."""
        return self.value() if self._beyond is None else self._beyond

    def textFromValue(self, value: int) -> str:
        return super().textFromValue(value) if self._beyond is None else str(self._beyond)

    def stepBy(self, steps: int) -> None:
        self._beyond = None
        super().stepBy(steps)

    def finish(self) -> None:
        if self._beyond is None:
            super().finish()

    def _on_line_text_edited(self) -> None:
        self._beyond = None
        super()._on_line_text_edited()


class LimitField(QWidget):
    """A whole number, or no limit at all (None)."""

    committed = Signal(object)  # the value of the parameter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box, self.unlimited = WholeBox(self, minimum=-FAR, maximum=FAR), QCheckBox(self)
        arrange(QHBoxLayout(self), self.box, self.unlimited, 1, margins=0, spacing=SPACING.m)
        self.setFocusProxy(self.box)
        self.box.committed.connect(lambda value: self.committed.emit(value))
        self.unlimited.toggled.connect(self._on_unlimited_toggled)

    def set_value(self, value: int | None) -> None:
        """Show the limit of the document."""
        with QSignalBlocker(self.unlimited):
            self.unlimited.setChecked(value is None)
        self.box.setEnabled(value is not None)
        if value is not None:
            self.box.set_value(value)

    def say(self, name: str, about: str) -> None:
        """Set all words anew, the parameter's name and what it does among them."""
        self.box.setToolTip(about)
        self.unlimited.setToolTip(self.tr("However far away, keys on this side are seen"))
        self.unlimited.setText(self.tr("no limit"))
        self.unlimited.setAccessibleName(self.tr("{name}: no limit").format(name=name))
        self.box.setAccessibleName(name)

    def _on_unlimited_toggled(self, unlimited: bool) -> None:
        self.box.setEnabled(not unlimited)
        self.committed.emit(None if unlimited else self.box.number())


class WholeField(WholeBox):
    """A whole number from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, minimum=0, maximum=FAR)

    def say(self, name: str, about: str) -> None:
        """Set all words anew, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.setToolTip(about)


class AlignField(ChoiceBox):
    """Choice of the end at which queries and keys are lined up when their numbers differ."""

    committed = Signal(object)  # the value of the parameter

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(("start", "end"), parent)
        self.picked.connect(lambda key: self.committed.emit(key))

    def set_value(self, value: str) -> None:
        """Show the alignment of the document."""
        self.set_key(value)

    def say(self, name: str, about: str) -> None:
        """Set all words anew, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.set_words({"start": self.tr("the first query and key"), "end": self.tr("the last query and key")})
        self.setToolTip(about)


class LengthsField(TypedField):
    """One length for every item, or one for each, with commas between."""

    def __init__(self, m: int, batch: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._m, self._batch = m, batch

    def set_sizes(self, m: int, batch: int) -> None:
        """Set the longest possible length and the number of items."""
        self._m, self._batch = m, batch

    def read(self, text: str) -> tuple[int, ...]:
        parts = [whole_number(part) for part in re.split(r"[,;、\s]+", unicodedata.normalize("NFKC", text)) if part]
        lengths = tuple(part for part in parts if part is not None and 0 <= part <= self._m)
        if not parts or len(lengths) < len(parts):
            raise ValueError(
                self.tr("Lengths are whole numbers from 0 to {m}, such as {example}.").format(
                    m=self._m, example=", ".join([str(self._m)] * min(self._batch, 3))
                )
            )
        if len(lengths) not in (1, self._batch):
            raise ValueError(
                self.tr("Items: {batch}, lengths: {got}. Give one for all, or one for each.").format(
                    got=len(lengths), batch=self._batch
                )
            )
        return lengths

    def written(self, value: tuple[int, ...] | None) -> str:
        return ", ".join(map(str, value or ()))

    def say(self, name: str, about: str) -> None:
        """Set all words anew, the parameter's name and what it does among them."""
        self.setAccessibleName(name)
        self.setToolTip(about)


ParameterField = LimitField | WholeField | AlignField | LengthsField


def make_field(parameter: Parameter, m: int, batch: int, parent: QWidget) -> ParameterField | None:
    """Return the editor for a parameter; None where a table or the map is the editor."""
    if parameter.kind == "int":
        return LimitField(parent) if parameter.default is None else WholeField(parent)
    if parameter.kind == "align":
        return AlignField(parent)
    if parameter.kind == "lengths":
        return LengthsField(m, batch, parent)
    assert parameter.kind == "array", f"no editor for a parameter of the kind {parameter.kind}"
    return None


class LayerRow(QWidget):
    """Shows one layer and signals what a person wants of it."""

    switched = Signal(bool)  # whether the layer is on
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
        self.fields: dict[str, ParameterField] = {}
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

    def set_place(self, place: int) -> None:
        """Name what can be operated by the place of the layer: `mask.1.switch`."""
        buttons = {name: getattr(self, name) for name in ("switch", "remove", "paint", "fill", "table")}
        for name, control in {**self.fields, **buttons}.items():
            control.setObjectName(f"mask.{place}.{name}")
        for key, action in zip(FILLS, self.fills.actions(), strict=True):
            action.setObjectName(f"action.{key}_cells_of_mask_{place}")

    def set_blocked(self, blocked: bool) -> None:
        """Set whether True is read as blocked."""
        self._blocked = blocked
        self.retranslate()

    def finish(self) -> None:
        """Hand on what is still being typed."""
        for field in self.fields.values():
            inner = getattr(field, "box", field)
            if hasattr(inner, "finish"):
                inner.finish()

    def retranslate(self) -> None:
        name, (n, m, _batch) = mask_name(self.kind), self._sizes
        self.switch.setText(name)
        self.switch.setAccessibleName(fill_template(self.tr("{layer} layer on"), {"layer": name}))
        self.switch.setToolTip(mask_about(self.kind))
        remove = fill_template(self.tr("Remove {layer}"), {"layer": name})
        set_name(self.remove, remove)
        for parameter in self._layer.parameters:
            if parameter.name in self.fields:
                self._names[parameter.name].setText(mask_parameter_name(parameter))
                self.fields[parameter.name].say(mask_parameter_name(parameter), mask_parameter_about(parameter))
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
        self._rule.setText(mask_rule(self._layer, n, m, self._blocked))

    def _build(self) -> None:
        self.remove.setIcon(icon("close"))
        self.remove.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        head = arrange(QHBoxLayout(), (self.switch, 1), self.remove, spacing=SPACING.xs)
        style_text(self.switch, strong=True)
        arrange(QVBoxLayout(self), head, self._form(), margins=(0, SPACING.s, 0, SPACING.s), spacing=SPACING.s)
        style_text(self._rule, letters="small", tone="text3")
        self.switch.toggled.connect(self.switched)
        self.remove.clicked.connect(self.removed)
        self.paint.clicked.connect(self.paintRequested)
        self.table.clicked.connect(self.tableRequested)
        for key in FILLS:
            self.fills.addAction(key).triggered.connect(lambda _=False, key=key: self.filled.emit(key))
        self.fill.setMenu(self.fills)

    def _form(self) -> QFormLayout:
        """Return the parameters under one another, indented below the switch."""
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
                style_text(label, tone="text2")
                form.addRow(label, field)
                field.committed.connect(lambda value, name=parameter.name: self.valuePicked.emit(name, value))
        paintable, table = self._layer.paintable, bool(self._layer.table)
        offered = {self.paint: paintable, self.fill: paintable, self.table: table}
        for button, shown in offered.items():
            button.setVisible(shown)
        shown_ones = (button for button, shown in offered.items() if shown)
        form.addRow(arrange(QHBoxLayout(), *shown_ones, 1, spacing=SPACING.s))
        form.addRow(self._rule)
        return form


class LintLine(NamedTuple):
    """A sentence, whether there is a row to go to, and the words of what would end it, if anything would."""

    text: str
    place: bool
    remedy: str


class LintLines(QWidget):
    """Warnings about the mask, with buttons; `goRequested` and `remedyRequested` carry the number of a line."""

    goRequested = Signal(int)  # the place of a line
    remedyRequested = Signal(int)  # the place of a line

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("mask.lint")
        self._lines: tuple[LintLine, ...] = ()
        self._column = arrange(QVBoxLayout(self), margins=0, spacing=SPACING.s)
        self.hide()

    def set_lines(self, lines: Sequence[LintLine]) -> None:
        """Show these lines; none hide it."""
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        clear_layout(self._column)
        for number, line in enumerate(self._lines):
            self._add_row(number, line)
        self.setVisible(bool(self._lines))

    def _add_row(self, number: int, line: LintLine) -> None:
        row, text, sign = QWidget(self), WrappedLabel(), IconLabel()
        text.setText(line.text)
        style_text(text, letters="small", tone="text2")
        sign.set_icon("info")
        buttons = arrange(QHBoxLayout(), spacing=SPACING.s)
        for words, asked, offered in (
            (self.tr("Go to the row"), self.goRequested, line.place),
            (line.remedy, self.remedyRequested, bool(line.remedy)),
        ):
            if offered:
                button = QPushButton(words, row)
                button.setAccessibleDescription(line.text)
                button.clicked.connect(lambda _=False, asked=asked: asked.emit(number))
                buttons.addWidget(button)
        buttons.addStretch(1)
        words_and_buttons = arrange(QVBoxLayout(), text, spacing=SPACING.xs)
        if line.place or line.remedy:
            words_and_buttons.addLayout(buttons)
        arrange(
            QHBoxLayout(row), (sign, 0, Qt.AlignmentFlag.AlignTop), (words_and_buttons, 1), margins=0, spacing=SPACING.s
        )
        self._column.addWidget(row)
        row.show()


WIDTH = 340


class MaskPanel(Retranslated, PopupFrame):
    """Popup that lists the layers of the mask; each gesture is one signal with the whole new list.

    `layersChanged` carries the layers as mappings, what was done ("add", "remove", "switch", "change") and the
    kind of the layer it was done to.
    """

    layersChanged = Signal(object, str, str)  # the layers, what was done, the kind of the layer
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

    def set_findings(self, lines: Sequence[LintLine]) -> None:
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
        self.setAccessibleName(self.tr("Mask layers"))
        self._title.setText(self.tr("Mask"))
        self._none.setText(self.tr("No layer: every query sees every key."))
        for blocked, button in self._readings.items():
            button.setText(mask_polarity(blocked))
            button.setAccessibleName(mask_polarity(blocked))
        self.add.setText(self.tr("Add layer"))
        set_tip(self.add, self.tr("One more rule for M in Sᵐ = S′ + M: a key is seen if every layer allows it"))
        set_name(self._close, self.tr("Close"))
        for action in self.kinds.actions():
            if not action.isSeparator():
                action.setText(f"{mask_name(action.data())}  –  {mask_about(action.data())}")
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

    def showEvent(self, event: QShowEvent) -> None:
        self._show_layers()  # not before: a file may bring sixty layers that are not looked at
        super().showEvent(event)
        self.opened.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        for row in self._rows:
            row.finish()
        super().hideEvent(event)

    def _build(self) -> None:
        head = arrange(QHBoxLayout(), (self._title, 1), self._close)
        style_text(self._title, letters="section", strong=True)
        style_text(self._none, tone="text2")
        style_text(self._polarity, letters="small", tone="text3")
        self._close.setIcon(icon("close"))
        self._close.clicked.connect(self.close_panel)
        self._fill_kinds()
        self.add.setMenu(self.kinds)
        self._list.setSpacing(0)
        for blocked, button in self._readings.items():
            button.setObjectName("control.mask_reading.blocked" if blocked else "control.mask_reading.attend")
            button.clicked.connect(lambda _=False, blocked=blocked: self.blockedPicked.emit(blocked))
        readings = arrange(QHBoxLayout(), *self._readings.values(), 1, spacing=SPACING.l)
        add = (self.add, 0, Qt.AlignmentFlag.AlignLeft)
        parts = head, self._list, self._none, self.lint, add, readings, self._polarity
        margins = SPACING.l, SPACING.m, SPACING.l, SPACING.l
        arrange(QVBoxLayout(self.content), *parts, margins=margins, spacing=SPACING.m)

    def _fill_kinds(self) -> None:
        """List layers that open and close cells, then those that add to the scores."""
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
        clear_layout(self._list)
        self._rows = []

    def _make_rows(self) -> None:
        for place, layer in enumerate(self._layers):
            row = LayerRow(layer, *self._sizes, self.content)
            row.set_place(place)
            row.switched.connect(lambda on, place=place: self._replace(place, {"enabled": on}, "switch"))
            row.valuePicked.connect(lambda name, value, place=place: self._replace(place, {name: value}, "change"))
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
