"""Page shown before a cell is chosen: three first steps, ways to begin, the examples, the keyboard."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.formats.catalog import keepers, listings, matrices, suffixes
from attn_gui.views.bases.retranslated import Retranslated
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.inspector.pages.link_grid import LinkGrid, Rows
from attn_gui.views.inspector.runs import SentenceView, runs, strong
from attn_gui.views.theme import dress
from attn_gui.views.words.tip import set_tip

KEYS = ("←↑↓→", "F2", "Enter", "[  ]", "1 … 9", "Ctrl+E", "F1")


class StartPage(Retranslated, QWidget):
    """First steps in a window that is seen for the first time."""

    exampleRequested = Signal(str)
    newRequested = Signal()
    openRequested = Signal()
    lessonsRequested = Signal()
    modelRequested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._withheld = False
        self._titles = [WrappedLabel(self) for _ in range(4)]
        self._steps = [SentenceView(self) for _ in range(3)]
        self._examples, self._models = LinkGrid(self, "example"), LinkGrid(self, "model")
        self._new, self._open, self._drop = QPushButton(self), QPushButton(self), WrappedLabel(self)
        self._lessons = QPushButton(self)
        self._lessons.setObjectName("start.lessons")
        self._keys = [(QLabel(self), QLabel(self)) for _ in KEYS]
        self._new.clicked.connect(self.newRequested)
        self._open.clicked.connect(self.openRequested)
        self._lessons.clicked.connect(self.lessonsRequested)
        self._build()
        self.retranslate()

    def set_withheld(self, withheld: bool) -> None:
        """Whether a cell is chosen that is not explained, for the sake of an exercise."""
        if withheld != self._withheld:
            self._withheld = withheld
            self.retranslate()

    def set_examples(self, examples: Rows) -> None:
        """Every example as a link with its shape at the right."""
        self._examples.set_rows(examples)
        self._order()

    def set_models(self, models: Rows) -> None:
        """Every known model as a link with its size at the right."""
        self._models.set_rows(models)
        self._titles[2].setVisible(bool(models))
        self._order()

    def _order(self) -> None:
        """The keyboard goes down the page."""
        links = [link for grid in (self._examples, self._models) for link, _ in grid.rows]
        for before, after in pairwise((self, self._new, self._open, self._lessons, *links)):
            QWidget.setTabOrder(before, after)
        self._show_shapes()

    def retranslate(self) -> None:
        """All words in the present language."""
        first = self.tr("No cell chosen")
        if self._withheld:
            first = self.tr("Not explained during the exercise: that would give away a cell that is left out.")
        titles = (first, self.tr("Examples"), self.tr("Whole models"), self.tr("Keyboard"))
        for label, text in zip(self._titles, titles, strict=True):
            label.setText(text)
        steps = (
            runs(self.tr("{click} in any map: its formula appears here."), click=strong(self.tr("Click a cell"))),
            runs(self.tr("{type} in a table at the left: every map follows."), type=strong(self.tr("Type a number"))),
            runs(self.tr("{click} in the strip above to see it large."), click=strong(self.tr("Click a step"))),
        )
        for line, step in zip(self._steps, steps, strict=True):
            line.set_sentence(step)
        self._steps[0].setVisible(not self._withheld)  # it promises what is withheld
        self._new.setText(self.tr("New…"))
        self._open.setText(self.tr("Open…"))
        self._lessons.setText(self.tr("Lessons…"))
        set_tip(self._new, self.tr("A problem of your own: softmax(Q Kᵀ / √dₖ) V of any size"))
        set_tip(self._open, self.tr("A session, arrays by name, a table of numbers, a model or a lesson"))
        set_tip(self._lessons, self.tr("Attention step by step, with tasks in this window"))
        endings = QCoreApplication.translate("Sentences", ", ").join(
            dict.fromkeys(suffixes((*keepers(), *listings(), *matrices())))
        )
        self._drop.setText(self.tr("or drop an {endings} file on the window").format(endings=endings))
        meanings = (
            self.tr("move the chosen cell"),
            self.tr("type a number into it"),
            self.tr("go to its table cell"),
            self.tr("previous, next head"),
            self.tr("step of the formula"),
            self.tr("export image"),
            self.tr("help"),
        )
        for (keys, meaning), name, text in zip(self._keys, KEYS, meanings, strict=True):
            keys.setText(name)
            meaning.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_shapes()

    def _show_shapes(self) -> None:
        for grid in (self._examples, self._models):
            grid.show_notes(self.width())

    def _build(self) -> None:
        for title in self._titles:
            dress(title, "section", strong=True)
        dress(self._titles[0], "sentence")
        dress(self._drop, "small", "text2")
        self._examples.picked.connect(self.exampleRequested)
        self._models.picked.connect(self.modelRequested)
        self._titles[2].hide()
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACING.m)
        for button in (self._new, self._open, self._lessons):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING.m)
        column.addWidget(self._titles[0])
        for step in self._steps:
            column.addWidget(step)
        column.addLayout(buttons)
        column.addWidget(self._drop)
        column.addWidget(_hairline(self))
        column.addWidget(self._titles[1])
        column.addLayout(self._examples)
        column.addWidget(self._titles[2])
        column.addLayout(self._models)
        column.addStretch(1)
        column.addWidget(self._titles[3])
        column.addLayout(self._keyboard())

    def _keyboard(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACING.l)
        grid.setVerticalSpacing(SPACING.xs)
        grid.setColumnStretch(1, 1)
        for row, (keys, meaning) in enumerate(self._keys):
            dress(keys, "body", "text")
            dress(meaning, "body", "text2")
            grid.addWidget(keys, row, 0)
            grid.addWidget(meaning, row, 1)
        return grid


def _hairline(parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setProperty("hairline", True)
    line.setFixedHeight(1)
    return line
