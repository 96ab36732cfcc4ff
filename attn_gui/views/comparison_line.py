"""The line above the pictures that says what is compared with what, or of what the gradient is shown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from attn_gui.figure.gradients import OF
from attn_gui.figure.text.words import joined
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.tool_line import ToolLine
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.controls.choice_box import ChoiceBox
from attn_gui.views.theme import dress, scaled

STEPS = 100  # of the slider
WIDEST = 160


class ComparisonLine(Retranslated, ToolLine):
    """One sentence, and a cross that ends the comparison; there only while there is one."""

    endRequested = Signal()
    gradientPicked = Signal(str)  # a key of `differentiated.OF`
    splitMoved = Signal(float)  # the share of the width at which split maps have their bar

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        self._text = WrappedLabel(self)
        self._gradient = ChoiceBox(OF, self)
        self._gradient.setObjectName("control.gradient")
        self._gradient.picked.connect(self.gradientPicked)
        self._gradient.hide()
        self._split = QSlider(Qt.Orientation.Horizontal, self)
        self._split.setObjectName("control.split")
        self._split.setRange(0, STEPS)
        self._split.setPageStep(STEPS // 10)
        self._split.setMaximumWidth(scaled(WIDEST))
        self._split.valueChanged.connect(lambda step: self.splitMoved.emit(step / STEPS))
        self._split.hide()
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        dress(self._text, letters="body")
        self._close.clicked.connect(self.endRequested)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._gradient)
        self._row.addWidget(self._split)
        self._row.addWidget(self._close)
        self.retranslate()
        self.hide()

    def set_text(self, text: str) -> None:
        """Say it; nothing for an empty text."""
        self._text.setText(text)
        self.setAccessibleName(text)
        self.setVisible(bool(text))

    def set_split(self, share: float | None) -> None:
        """Take the place of the bar of split maps; None for whole maps."""
        self._split.setVisible(share is not None)
        if share is not None:
            with QSignalBlocker(self._split):
                self._split.setValue(round(share * STEPS))

    def set_gradient(self, of: str | None) -> None:
        """Take the sum that a gradient is of; None where none is shown."""
        self._gradient.setVisible(of is not None)
        if of is not None:
            self._gradient.set_key(of)

    def text(self) -> str:
        """The sentence as it reads now."""
        return self._text.text()

    def retranslate(self) -> None:
        """All words in the present language."""
        words = self.tr("End the comparison")
        self._close.setAccessibleName(words)
        self._close.setToolTip(words)
        self._split.setAccessibleName(self.tr("Place of the bar between before and now"))
        self._split.setToolTip(self._split.accessibleName())
        self._gradient.setAccessibleName(self.tr("Gradient of"))
        self._gradient.set_words({key: joined(words, QCoreApplication.translate) for key, words in OF.items()})
