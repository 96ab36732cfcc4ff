"""The tables on the left: one panel for every array, in groups that fit the column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from attn_gui.views.tables import MatrixPanel

Group = tuple[str, str, tuple[str, ...]]  # key, text, fields


class Switch(QWidget):
    """A row of buttons of which one is down."""

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons = QButtonGroup(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._buttons.buttonClicked.connect(self._on_button_clicked)

    def set_choices(self, choices: Sequence[tuple[str, str]], current: str) -> None:
        """(key, text) of every button; hidden when there is nothing to choose."""
        for button in self._buttons.buttons():
            self._buttons.removeButton(button)
            button.hide()
            button.deleteLater()
        for place, (key, text) in enumerate(choices):
            button = QPushButton(text, self)
            button.setCheckable(True)
            button.setProperty("key", key)
            button.setProperty("segment", "last" if place == len(choices) - 1 else "true")
            button.setChecked(key == current)
            self._buttons.addButton(button)
            self._row.addWidget(button)
        self.setVisible(len(choices) > 1)

    def set_current(self, key: str) -> None:
        for button in self._buttons.buttons():
            button.setChecked(button.property("key") == key)

    def _on_button_clicked(self, button: QAbstractButton) -> None:
        self.picked.emit(button.property("key"))


class InputsView(QWidget):
    """Panels of the chosen group, one above the other, or one at a time in the compact form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panels: dict[str, MatrixPanel] = {}
        self._groups: tuple[Group, ...] = ()
        self._group, self._field, self._compact = "", "", False
        self._groups_switch, self._fields_switch = Switch(self), Switch(self)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.setProperty("quiet", "true")
        self._splitter.setHandleWidth(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (self._groups_switch, self._fields_switch):
            column.addWidget(widget)
        column.addWidget(self._splitter, 1)
        self._groups_switch.picked.connect(self.show_group)
        self._fields_switch.picked.connect(self.show_field)

    def set_panels(self, panels: dict[str, MatrixPanel], groups: Sequence[Group]) -> None:
        """Take over the panels of a new problem; the chosen group and table stay if they still exist."""
        for field, panel in self.panels.items():
            if panels.get(field) is not panel:
                panel.setParent(None)
                panel.deleteLater()
        self.panels, self._groups = panels, tuple(groups)
        for panel in panels.values():
            if panel.parent() is not self._splitter:
                self._splitter.addWidget(panel)
        keys = [key for key, _, _ in self._groups]
        self._group = self._group if self._group in keys else keys[0]
        self._arrange()

    def show_first(self) -> None:
        """The tables that a new problem is entered with."""
        self.show_group(self._groups[0][0])

    def set_compact(self, compact: bool) -> None:
        if compact != self._compact:
            self._compact = compact
            for panel in self.panels.values():
                panel.set_compact(compact)
            self._arrange()

    def show_group(self, key: str) -> None:
        self._group = key
        self._arrange()

    def show_field(self, field: str) -> None:
        """Bring one table to the eye, whatever group it stands in."""
        group = next((key for key, _, fields in self._groups if field in fields), self._group)
        self._group, self._field = group, field
        self._arrange()

    def stretch(self, field: str) -> None:
        """Give one table the whole column, or share it out again."""
        visible = [name for name in self.panels if not self.panels[name].isHidden()]
        alone = self._splitter.sizes()[self._splitter.indexOf(self.panels[field])] > self._splitter.height() * 0.6
        order = sorted(visible, key=lambda name: self._splitter.indexOf(self.panels[name]))
        self._splitter.setSizes([1 if alone else 10_000 * (name == field) for name in order])

    def heights(self) -> dict[str, int]:
        """The heights of the tables in sight, by field."""
        sizes = self._splitter.sizes()
        return {field: sizes[self._splitter.indexOf(panel)] for field, panel in self.panels.items()
                if not panel.isHidden()}

    def set_heights(self, heights: Mapping[str, int]) -> None:
        """Share the column out as it was, if these are the tables in sight."""
        if set(heights) == set(self.heights()):
            by_place = {self._splitter.indexOf(self.panels[field]): height for field, height in heights.items()}
            self._splitter.setSizes([by_place.get(place, 0) for place in range(self._splitter.count())])

    def share_out(self) -> None:
        """The same height for every table."""
        self._splitter.setSizes([1] * self._splitter.count())

    def _arrange(self) -> None:
        if not self._groups:
            return
        fields = next(fields for key, _, fields in self._groups if key == self._group)
        one_by_one = len(fields) > 3 or (self._compact and len(fields) > 1)
        if self._field not in fields:
            self._field = fields[0]
        shown = {self._field} if one_by_one else set(fields)
        if one_by_one and not self._compact:  # the sequence and a matrix that it meets, one above the other
            shown |= {fields[0], fields[1] if self._field == fields[0] else self._field}
        self._groups_switch.set_choices([(key, text) for key, text, _ in self._groups], self._group)
        names = [(field, self.panels[field].symbol()) for field in fields] if one_by_one else []
        self._fields_switch.set_choices(names, self._field)
        for position, field in enumerate(field for _, _, group in self._groups for field in group):
            panel = self.panels[field]
            self._splitter.insertWidget(position, panel)
            panel.setVisible(field in shown)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange and self._groups:
            self._arrange()
        super().changeEvent(event)
