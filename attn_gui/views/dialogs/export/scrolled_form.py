"""A form that scrolls where a screen is low, and the size in which its dialog opens."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QGridLayout, QWidget

from attn_gui.views.dialogs.form_fields import Field, lay_out
from attn_gui.views.inspector.pages.scrolled_page import FittingPage

ROOM = 0.9  # of the screen: a title bar needs some of it


class ScrolledForm(FittingPage):
    """Has room for a scroll bar beside its fields, whether there is one or not: none of them is cut."""

    def lay_out(self, rows: Sequence[Sequence[Field]]) -> None:
        """Hold rows of captions above their editors, in columns of one width; the first row has the height to spare."""
        page = QWidget(self.viewport())
        grid = QGridLayout(page)
        lay_out(grid, rows)
        for column in range(grid.columnCount()):
            grid.setColumnStretch(column, 1)
        grid.setRowStretch(1, 1)
        self.hold(page)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint() + self._bar()

    def sizeHint(self) -> QSize:
        return super().sizeHint() + self._bar()

    def _bar(self) -> QSize:
        return QSize(self.verticalScrollBar().sizeHint().width(), 0)


def opening_size(dialog: QDialog) -> QSize:
    """The size in which all of a dialog is seen, or as much as its screen has room for; Qt stops at two thirds."""
    return dialog.sizeHint().boundedTo(dialog.screen().availableSize() * ROOM)
