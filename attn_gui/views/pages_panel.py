"""The panel of pages: the list to choose from, large in the place of the maps, Export the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.theme import icon
from attn_gui.views.widgets import ChoiceBox, FittingPage, Retranslated, arrange, set_name

if TYPE_CHECKING:
    from attn_gui.figure.pages.page_kind import PageKind
    from attn_gui.views.page_canvas import PageWidget


class PagesPanel(Retranslated, QWidget):
    """Panel with one page and `choice`, a list of all; `exportAsked` and `largeAsked` say what else a person wants."""

    exportAsked = Signal()
    largeAsked = Signal(bool)  # in the place of the maps, or beside them
    shown = Signal()
    turned = Signal()  # another page is on show, or it is on show again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel.pages")
        self.pages: dict[str, PageWidget] = {}
        self._holders: dict[str, FittingPage] = {}
        self._offered: tuple[str, ...] = ()
        self.large = False
        self.choice, self._stack = ChoiceBox((), self), QStackedWidget(self)
        self._large, self.export = QToolButton(self), QToolButton(self)
        self.choice.setObjectName("control.page")
        self._large.setObjectName("button.page_large")
        self.export.setObjectName("button.page_export")
        self._large.setCheckable(True)
        self.export.clicked.connect(self.exportAsked)
        self._large.clicked.connect(self.largeAsked)
        self._build()
        self.retranslate()

    def add(self, kind: PageKind[Any]) -> PageWidget:
        """Add a page; what it stands in is made when it is first shown, and what it consists of, too.

        The scroll areas of twenty pages were a quarter of all widgets, each of which is dressed for another theme.
        """
        from attn_gui.views.page_canvas import PageWidget  # no first picture needs all that pages import

        page = self.pages[kind.name] = PageWidget(kind, self._stack)
        page.hide()
        page.setAccessibleName(page.title())
        return page

    def set_offered(self, names: Iterable[str]) -> None:
        """Set the pages that the present problem has."""
        offered = tuple(names)
        if offered != self._offered:
            self._offered = offered
            self.choice.set_choices([(name, self.pages[name].title()) for name in offered])

    def set_page(self, name: str) -> None:
        """Show a page."""
        if name not in self._holders:
            holder = self._holders[name] = FittingPage(self._stack)
            self._stack.addWidget(holder)
            holder.hold(self.pages[name])
        self.choice.set_key(name)
        self._stack.setCurrentWidget(self._holders[name])

    def set_large(self, large: bool) -> None:
        """Set whether it stands in the place of the maps."""
        side = SPACING.panel_padding if large else 0
        self.setContentsMargins(side, 0, side, side)
        self.large = large
        self._large.setChecked(large)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Pages"))
        self.choice.setAccessibleName(self.tr("Page"))
        for page in self.pages.values():
            page.setAccessibleName(page.title())
        self.choice.set_words({name: self.pages[name].title() for name in self._offered})
        large = self.tr("Beside the maps") if self._large.isChecked() else self.tr("In the place of the maps")
        for button, words in ((self._large, large), (self.export, self.tr("Export the page"))):
            set_name(button, words)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
        self.turned.emit()

    def _build(self) -> None:
        self.choice.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.choice.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for button, drawn in ((self._large, "large"), (self.export, "export-image")):
            button.setIcon(icon(drawn))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        row = arrange(QHBoxLayout(), (self.choice, 1), self._large, self.export, spacing=SPACING.s)
        arrange(QVBoxLayout(self), row, (self._stack, 1), margins=(0, SPACING.m, 0, 0), spacing=SPACING.m)
