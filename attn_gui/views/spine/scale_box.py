"""The scale of the scores: ÷ √dₖ, none, or a number that is typed or slid between average and dot product."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent
from PySide6.QtWidgets import QSlider, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.focused_wheel import FocusedWheel
from attn_gui.views.controls.number_field import NumberField
from attn_gui.views.spine.operators import CHEVRON, LEAST_WIDTH, ListBox
from attn_gui.views.theme import scaled

SCALE_SAMPLE = "0.0000"
PARTS = 100  # of the way from no scale at all to 1/√dₖ


class ScaleSlider(FocusedWheel, QSlider):
    """A slider from 0, where no score counts, to 1/√dₖ, the scaled dot product."""

    slid = Signal(float, bool)  # the share of the way; whether another gesture has begun with it

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._begun = False
        self.setObjectName("control.scale_slider")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(0, PARTS)
        self.setPageStep(PARTS // 10)
        self.sliderPressed.connect(self._end_gesture)
        self.sliderReleased.connect(self._end_gesture)
        self.valueChanged.connect(self._on_self_value_changed)

    def set_share(self, share: float) -> None:
        """Stand at a part of the way, without a word."""
        with QSignalBlocker(self):
            self.setValue(round(PARTS * min(max(share, 0.0), 1.0)))

    def _end_gesture(self) -> None:
        self._begun = False

    def _on_self_value_changed(self, value: int) -> None:
        first, self._begun = not self._begun, True
        self.slid.emit(value / PARTS, first)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._end_gesture()
        super().focusInEvent(event)


class ScaleBox(ListBox):
    """÷ √dₖ, none or a typed number, whose field takes the place of the list; its arrow leads back."""

    scalePicked = Signal(str, object)  # key, the number if it was typed
    scaleSlid = Signal(float, bool)  # the number; False while one gesture goes on

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("scale", parent)
        self._width, self._factor = 1, 1.0
        self.value = NumberField(self)
        self.value.setObjectName("control.scale_value")
        self.value.hide()
        self.slider = ScaleSlider(self)
        self.hold(self.slider)
        self.slider.slid.connect(lambda share, first: self.scaleSlid.emit(share * self._root, first))
        self.value.committed.connect(lambda number: self.scalePicked.emit("typed", number))
        self.picked.connect(self._on_self_picked)
        self.set_scale("sqrt", None, 1)

    def set_scale(self, key: str, value: float | None, d_k: int) -> None:
        """The scale that is in force; `value` where it is typed."""
        self._width = d_k
        self._factor = {"sqrt": self._root, "none": 1.0}.get(key, value if value is not None else 1.0)
        self.retranslate()
        self.set_key(key)
        self.value.set_value(self._factor)
        self.slider.set_share(self._factor / self._root)
        self._show_field(key == "typed" or self.slider.isSliderDown())

    def retranslate(self) -> None:
        """The list in the present language."""
        self.set_choices([("sqrt", f"÷ √{self._width}"), ("none", self.tr("none")), ("typed", self.tr("typed…"))])
        self.value.setAccessibleName(self.tr("scale, a factor"))
        self.slider.setAccessibleName(self.tr("scale, from 0 to 1/√dₖ"))
        self.slider.setToolTip(
            self.tr("0: no score counts (average pooling, unless a bias is added). 1/√dₖ: scaled dot product.")
        )

    @property
    def _root(self) -> float:
        return float(self._width**-0.5)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_field()

    def _show_field(self, shown: bool) -> None:
        typed = self.value.fontMetrics().horizontalAdvance(SCALE_SAMPLE) + scaled(CHEVRON) + 2 * SPACING.m
        self.list.setMinimumWidth(typed if shown else scaled(LEAST_WIDTH))
        self.value.setVisible(shown)
        self.slider.setVisible(shown)
        self._place_field()

    def _place_field(self) -> None:
        """Over the list's text; the list's arrow stays free."""
        self._column.activate()
        self.value.setGeometry(self.list.geometry().adjusted(0, 0, -scaled(CHEVRON), 0))
        self.value.raise_()

    def _on_self_picked(self, key: str) -> None:
        self._show_field(False)
        self.scalePicked.emit(key, self._factor if key == "typed" else None)
        if key == "typed":
            self.set_key("typed")  # a factor of 1 or 1/√dₖ is the document's "none" or "sqrt" until another is typed
            self._show_field(True)
            self.value.setFocus(Qt.FocusReason.OtherFocusReason)
            self.value.selectAll()
