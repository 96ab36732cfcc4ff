"""The items of the spine side by side, in the form that there is room for; the row scrolls when none fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from attn_gui.views.inspector.links import take_widgets
from attn_gui.views.spine.operators import OperatorBox, Sign
from attn_gui.views.spine.shelf import Shelf
from attn_gui.views.spine.spine_items import Entry
from attn_gui.views.spine.stage_node import StageNode
from attn_gui.views.theme import set_ground

GAP = 6
Item = StageNode | OperatorBox | Sign


class Form(NamedTuple):
    """A form of the row, by the room that it needs."""

    formula: bool
    concat: bool
    small: bool


FORMS = (Form(True, True, False), Form(False, True, False), Form(False, False, False), Form(False, False, True))
LOW_FORMS = (Form(True, True, True), Form(False, True, True), Form(False, False, True))


class SpineRow(Shelf):
    """Holds the items; spreads them over the width, never breaks the row."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.row = QWidget()
        super().__init__(self.row, parent)
        self._items: list[tuple[Entry, Item]] = []
        self._layout = QHBoxLayout(self.row)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(GAP)
        for part in (self.viewport(), self.row):
            set_ground(part, "raised")

    def set_items(self, items: Sequence[tuple[Entry, Item]]) -> None:
        """Take these items in; signs that are no longer shown are dropped, everything else belongs to the caller."""
        for widget in take_widgets(self._layout):
            if isinstance(widget, Sign):
                widget.hide()  # at once: what is deleted later is painted until then
                widget.deleteLater()
        self.keep_in_view(None)
        self._items = list(items)
        for _entry, widget in self._items:
            self._layout.addStretch(1)
            self._layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addStretch(1)

    def width_of(self, form: Form, keep: str) -> int:
        """The width that the items need in a form; `keep` names a node that never gives way."""
        widths = [
            item.width_for(form.small) if isinstance(item, StageNode) else item.sizeHint().width()
            for entry, item in self._items
            if _stands(entry, form, keep)
        ]
        return sum(widths) + GAP * len(widths)

    def set_form(self, form: Form, keep: str, height: int) -> None:
        """Show the items in a form, in the middle of a height."""
        highest = 0
        self._layout.setEnabled(False)  # else Qt lays the row out for each item that is shown
        for entry, item in self._items:
            item.setVisible(_stands(entry, form, keep))
            item.set_small(form.small)
            if isinstance(item, StageNode):
                highest = max(highest, item.height_for(form.small))
        self._layout.setEnabled(True)
        self._layout.setContentsMargins(0, max(height - highest, 0) // 2, 0, 0)
        self._layout.activate()


def _stands(entry: Entry, form: Form, keep: str) -> bool:
    return form.concat or not entry.gives_way or keep == entry.gives_way
