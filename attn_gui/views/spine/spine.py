"""The formula row: its items in order, how they give way in a narrow or low window, which step is marked as chosen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from attn_gui.engine import Evaluation
from attn_gui.figure.design_tokens import FONT_SIZE, SIZE, SPACING, Theme
from attn_gui.figure.stage_formulas import repeated
from attn_gui.views.names import layer_words
from attn_gui.views.spine.operators import OperatorBox, OperatorSign
from attn_gui.views.spine.spine_controls import SpineBoxes
from attn_gui.views.spine.spine_items import (
    NODE,
    OPERATOR,
    SpineEntry,
    StageNode,
    StageNodes,
    entries_of,
    formula_latex,
    formula_text,
    node_height,
    operator_texts,
)
from attn_gui.views.text_views import FormulaView
from attn_gui.views.theme import scaled, set_background, style_text, theme_signal
from attn_gui.views.widgets import HorizontalScroller, MenuZone, arrange, take_widgets

GAP = 6
Item = StageNode | OperatorBox | OperatorSign


class RowForm(NamedTuple):
    """A form of the row, by the room that it needs."""

    formula: bool
    concat: bool
    small: bool


FORMS = (
    RowForm(True, True, False),
    RowForm(False, True, False),
    RowForm(False, False, False),
    RowForm(False, False, True),
)
LOW_FORMS = (RowForm(True, True, True), RowForm(False, True, True), RowForm(False, False, True))


class SpineRow(HorizontalScroller):
    """Holds the items; spreads them over the width, never breaks the row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.row = QWidget()
        super().__init__(self.row, parent)
        self._items: list[tuple[SpineEntry, Item]] = []
        self._layout = arrange(QHBoxLayout(self.row), margins=0, spacing=GAP)
        for part in (self.viewport(), self.row):
            set_background(part, "raised")

    def set_items(self, items: Sequence[tuple[SpineEntry, Item]]) -> None:
        """Take these items in; signs that are no longer shown are dropped, everything else belongs to the caller."""
        for widget in take_widgets(self._layout):
            if isinstance(widget, OperatorSign):
                widget.hide()  # at once: what is deleted later is painted until then
                widget.deleteLater()
        self.keep_in_view(None)
        self._items = list(items)
        for _entry, widget in self._items:
            self._layout.addStretch(1)
            self._layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addStretch(1)

    def width_of(self, form: RowForm, keep: str) -> int:
        """Return the width that the items need in a form; `keep` names a node that never gives way."""
        widths = [
            item.width_for(form.small) if isinstance(item, StageNode) else item.sizeHint().width()
            for entry, item in self._items
            if _stands(entry, form, keep)
        ]
        return sum(widths) + GAP * len(widths)

    def set_form(self, form: RowForm, keep: str, height: int) -> None:
        """Show the items in a form, in the middle of a height."""
        self._layout.setEnabled(False)  # else Qt lays the row out for each item that is shown
        for entry, item in self._items:
            item.setVisible(_stands(entry, form, keep))
            item.set_small(form.small)
        self._layout.setEnabled(True)
        self._layout.setContentsMargins(0, max(height - node_height(form.small), 0) // 2, 0, 0)
        self._layout.activate()


def _stands(entry: SpineEntry, form: RowForm, keep: str) -> bool:
    return form.concat or not entry.gives_way or keep == entry.gives_way


class Spine(MenuZone):
    """Shows the steps of a problem; a click on a map asks for it, the boxes between are the controls of their steps.

    When the width is short the formula gives way, then concat, then the size of the maps; then the row scrolls.
    """

    stagePicked = Signal(str)  # the stage

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("spine")
        self._evaluation: Evaluation | None = None
        self._place = (0, 0)  # item, head
        self._stage = ""
        self._cell: tuple[str, int, int] | None = None
        self._compact = self._small = self._scrolls = False
        self._entries: tuple[SpineEntry, ...] = ()
        self._arranged: dict[str, object] = {}  # what there is room for in the boxes, by name
        self._items: list[Item] = []
        self._formula = FormulaView(self, size=FONT_SIZE.formula_strip)
        self._layer: int | None = None  # of a model
        self._layer_label = QLabel(self)
        self._line, self._row = QFrame(self), SpineRow(self)
        self._nodes = nodes = StageNodes(self._row.row, self.stagePicked.emit)
        self.refresh, self.hold_flashes, self.retake_levels = nodes.refresh, nodes.hold_flashes, nodes.retake_levels
        self.set_walk_offered = nodes.set_walk_offered
        self.boxes = SpineBoxes(self._row.row)
        theme_signal.changed.connect(self.set_theme)
        self._build()
        self.retranslate()

    def set_evaluation(self, evaluation: Evaluation, batch: int, head: int, stage: str = "") -> None:
        """Show the steps of an evaluation, for one item and head, with the present step framed or another."""
        self._evaluation, self._place = evaluation, (batch, head)
        entries = entries_of(evaluation)
        if entries != self._entries:
            self._rebuild(entries)
        self._formula.set_formula(formula_latex(evaluation), formula_text(evaluation))
        self._show_planes()
        self._mark()
        self._set_height()
        self.set_stage(stage or self._stage)

    def make_maps(self, evaluation: Evaluation) -> Iterator[None]:
        """Make the maps that the steps of an evaluation still need, and yield after each."""
        return self._nodes.make_nodes(entries_of(evaluation))

    def set_stage(self, stage: str) -> None:
        """Frame the step that is shown large, and bring it into view."""
        self._stage = stage
        self._nodes.choose(self._chosen_node())
        self._give_way()
        self._show_chosen_step()

    def set_chosen(self, cell: tuple[str, int, int] | None) -> None:
        """Mark the row and column of a cell in every map that takes part in it."""
        if cell != self._cell:
            self._cell = cell
            self._mark()

    def set_layer(self, layer: int | None) -> None:
        """Name the layer of a model whose steps these are; None where there is no model."""
        if layer != self._layer:
            self._layer = layer
            self._name_layer()

    def _name_layer(self) -> None:
        layer = self._layer
        self._layer_label.setText("" if layer is None else layer_words(layer))
        self._layer_label.setVisible(layer is not None)
        self._give_way()

    def set_theme(self, _theme: Theme) -> None:
        """Take over the colors and sizes of a theme."""
        self._nodes.follow_theme()
        self._set_height()
        self._give_way()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """Set the low form, which where it is narrow leaves out formula and concat."""
        self._compact, self._small = compact, compact or low
        self._set_height()
        self._give_way()

    def set_parts(self, shown: Set[str]) -> None:
        """Show the choices of the score function and of what makes weights, or what stands for the usual ones."""
        self.boxes.score.set_sign("" if "score" in shown else "=")
        self.boxes.normalizer.set_quiet("normalize" not in shown)
        self._order_tabs()

    def set_score(self, score: str) -> None:
        """Set the score function in force."""
        self.boxes.set_score(score)
        self._after_change_of_boxes("score", score)

    def set_normalizer(self, key: str) -> None:
        """Set what makes weights of the scores."""
        self.boxes.normalizer.set_key(key)
        self._after_change_of_boxes("normalize", key)

    def set_choice(self, name: str, key: str) -> None:
        """Set the norm or the activation in force."""
        self.boxes.set_choice(name, key)
        self._after_change_of_boxes(name, key)

    def set_numbers(self, values: Mapping[str, float | None], dtype: str) -> None:
        """Set the numbers of the steps, by name."""
        self.boxes.set_numbers(values, dtype)
        self._after_change_of_boxes("numbers", {field: value is None for field, value in values.items()})

    def set_mask_text(self, text: str) -> None:
        """Set the text of the mask box."""
        self.boxes.mask.set_text(text)
        self._after_change_of_boxes("mask", text)

    def set_maps_shown(self, shown: bool) -> None:
        """Set whether there is anything to show in the maps."""
        self._nodes.set_maps_shown(shown)

    def stages(self) -> tuple[str, ...]:
        """Return the stages of the maps from left to right, as the keys 1 … 9 choose them."""
        return self._nodes.stages()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Steps of the formula"))
        self.boxes.retranslate()
        self._name_layer()
        if self._evaluation is not None:
            self._show_planes()
            self._give_way()

    def sizeHint(self) -> QSize:
        return QSize(scaled(SIZE.compact_below_width), self.minimumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(SIZE.left), self.minimumHeight())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._give_way()
        self._show_chosen_step()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._give_way()
        self._show_chosen_step()

    def _rebuild(self, entries: tuple[SpineEntry, ...]) -> None:
        """Put the items of these entries in the row; those that stay are kept."""
        self._nodes.set_entries(entries)
        self._entries, self._items = entries, [self._item(entry) for entry in entries]
        self._row.set_items(tuple(zip(entries, self._items, strict=True)))
        for box in set(self.boxes.made()) - set(self._items):
            box.hide()
        self._order_tabs()

    def _item(self, entry: SpineEntry) -> Item:
        if entry.kind == NODE:
            return self._nodes[entry.name]
        if entry.kind == OPERATOR:
            return self.boxes.box(entry.name)
        return OperatorSign(entry.name, self._row.row)

    def _order_tabs(self) -> None:
        stops: list[QWidget] = []
        for item in self._items:
            stops += [item] if isinstance(item, StageNode) else item.stops() if isinstance(item, OperatorBox) else []
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _after_change_of_boxes(self, name: str, shown: object) -> None:
        """Make room for what a box shows, unless it has shown that before in this row of steps."""
        given = self._entries, shown
        if self._arranged.get(name) == given:
            return
        self._arranged[name] = given
        self._order_tabs()
        self._set_height()
        self._give_way()

    def _show_planes(self) -> None:
        evaluation = self._evaluation
        if evaluation is None:
            return
        self._nodes.set_planes(evaluation, self._place)
        for name, text in operator_texts(evaluation).items():
            self.boxes.set_text(name, text)

    def _mark(self) -> None:
        self._nodes.mark(self._evaluation, self._place, self._cell)

    def _give_way(self) -> None:
        """Take the first form that fits the width; the last one scrolls. What is hidden takes it once it is shown."""
        if not self.isVisible():
            return
        forms = FORMS[-1:] if self._compact else LOW_FORMS if self._small else FORMS
        keep = self._chosen_node()
        room = self.width() - SPACING.l - SPACING.m
        if self._layer is not None:
            room -= self._layer_label.sizeHint().width() + SPACING.l
        formula = self._formula.sizeHint().width() + 2 * SPACING.l + 1
        fitting = (form for form in forms if self._row.width_of(form, keep) + (formula if form.formula else 0) <= room)
        form = next(fitting, None)
        self._scrolls, form = form is None, form or FORMS[-1]
        self._set_height()
        if form.formula == self._formula.isHidden():
            self._formula.setVisible(form.formula)
            self._line.setVisible(form.formula)
            self._outer.activate()  # at once: a paint before would show it in the corner
        self._row.set_form(form, keep, self.height() - self._bar_height())

    def _chosen_node(self) -> str:
        """Return the node of the chosen stage, or of the one that it only repeats."""
        stage, evaluation = self._stage, self._evaluation
        while evaluation is not None and stage in evaluation.stages and (before := repeated(evaluation, stage)):
            stage = before
        return stage

    def _show_chosen_step(self) -> None:
        self._row.keep_in_view(self._nodes.get(self._chosen_node()))

    def _set_height(self) -> None:
        boxes = (item.sizeHint().height() for item in self._items if isinstance(item, OperatorBox))
        highest = max(self._nodes.height(self._small), *boxes, 0) + self._bar_height()
        self.setFixedHeight(max(scaled(SIZE.strip_compact if self._small else SIZE.strip), highest))

    def _bar_height(self) -> int:
        return self._row.horizontalScrollBar().sizeHint().height() if self._scrolls else 0

    def _build(self) -> None:
        set_background(self, "raised")
        self._line.setProperty("hairline", True)
        self._line.setFixedWidth(1)
        self._formula.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._layer_label.setObjectName("spine.layer")
        style_text(self._layer_label, "section", strong=True)
        words = ((label, 0, Qt.AlignmentFlag.AlignVCenter) for label in (self._layer_label, self._formula))
        margins = SPACING.l, 0, SPACING.m, 0
        self._outer = arrange(QHBoxLayout(self), *words, self._line, (self._row, 1), margins=margins, spacing=SPACING.l)
        self._set_height()
