"""Widget of one page: what belongs above it, the canvas, its knobs below, and what is said while it is not there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.base import PageKind
from attn_gui.figure.tokens import SPACING
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.pages.canvas import PageCanvas
from attn_gui.views.pages.knob_fields import KnobFields
from attn_gui.views.pages.page_progress import PageProgress
from attn_gui.views.theme import dress


class PageWidget(QWidget):
    """The widget `page.NAME`: asks for nothing by itself, `fill` makes it when it is first shown."""

    spotChosen = Signal(object)  # Spot
    turned = Signal(str, object)  # a knob's key, and its new value
    stopRequested = Signal()

    def __init__(self, kind: PageKind[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.setObjectName(f"page.{kind.name}")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACING.s)
        self.canvas: PageCanvas | None = None
        self.content: Any = None

    def put_above(self, widget: QWidget) -> None:
        """Controls of its own for a page, above it."""
        self._column.insertWidget(0, widget)

    def fill(self, lang: str) -> PageCanvas:
        """Make what it consists of, unless that is there; its canvas."""
        if self.canvas is None:
            self._fields = KnobFields(self.kind.name, self.kind.knobs, self)
            self._sentence, self._progress = WrappedLabel(self), PageProgress(self.kind.name, self)
            self._sentence.hide()
            dress(self._sentence, "sentence", "text2")
            self.canvas = PageCanvas(self.kind, self)
            for part in (self._sentence, self._progress):
                self._column.addWidget(part)
            self._column.addWidget(self.canvas, 1)
            self._column.addWidget(self._fields)
            self._fields.turned.connect(self.turned)
            self.canvas.spotChosen.connect(self.spotChosen)
            self._progress.cancelRequested.connect(self.stopRequested)
        self.canvas.set_language(lang)
        return self.canvas

    # --- silent setters --------------------------------------------------------------------------
    def set_knobs(self, aim: Aim) -> None:
        """The values of the knobs, and what can be chosen."""
        if self.kind.knobs:
            self._fields.set_values(aim, aim.knobs)
            self._fields.show()

    def set_content(self, content: Any, layer: int | None = None) -> None:
        """Show what was read, of a layer of a model where it looks at one."""
        assert self.canvas is not None
        self.content = content
        self._progress.end()
        self._sentence.hide()
        self.canvas.show()
        self.canvas.set_content(content, layer)

    def set_stale(self, stale: bool) -> None:
        """Show faintly what was read of a state that is gone."""
        if self.canvas is not None:
            self.canvas.set_stale(stale)

    def set_sentence(self, text: str) -> None:
        """Say why there is nothing to be seen."""
        assert self.canvas is not None
        self.content = None
        self._progress.end()
        self._sentence.setText(text)
        self._sentence.show()
        self.canvas.set_content(None)
        self.canvas.hide()

    def set_needs(self, text: str) -> None:
        """Say what the problem has not, so that there is nothing to be turned either."""
        self.set_sentence(text)
        self._fields.hide()

    def begin_work(self) -> None:
        """Something is being computed; it is said if it lasts."""
        self._progress.begin()

    def end_work(self) -> None:
        """Nothing is being computed."""
        self._progress.end()

    def set_share(self, share: float) -> None:
        """Say how much of the work is done."""
        self._progress.set_share(share)

    def title(self) -> str:
        """Its title in the present language."""
        return QCoreApplication.translate("Pages", self.kind.title)
