"""Tables at the left: their groups, order, how the height of the column is shared, one at a time in narrow windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from PySide6.QtCore import QChildEvent, QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QGridLayout, QSplitter, QVBoxLayout, QWidget

from attn_gui.views.names import stage_title
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.text_views import ScriptsButton
from attn_gui.views.theme import restyle
from attn_gui.views.widgets import arrange, set_tip, space_grid

HANDLE, GAP = 4, 8
AFTER = 28  # pixels at most between a table that is shown whole and the next
ROW, ROOM, SIDES = 4, 300, 20  # pixels: between rows of buttons, of a row in the narrowest column, beside a name
FEWEST_ROWS = 4  # where not even so many of every table have room, one table has the column
MOST_ROWS = 200  # no column is higher
Group = tuple[str, str, tuple[str, ...]]  # key, text, fields


class GroupSwitch(QWidget):
    """Buttons of which one is down, in as many rows as it takes to show every name whole."""

    picked = Signal(str)  # the key of the group

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._buttons = QButtonGroup(self)
        self._rows = space_grid(QGridLayout(self), 0, ROW)
        self._buttons.buttonClicked.connect(lambda button: self.picked.emit(button.property("key")))

    def set_choices(self, choices: Sequence[tuple[str, str, str]], current: str) -> None:
        """Set (key, text, tip) of every button; hidden when there is nothing to choose.

        A key keeps its button, which may have the keyboard.
        """
        kept = {button.property("key"): button for button in self._buttons.buttons()}
        for button in kept.values():
            self._buttons.removeButton(button)
        columns = self._columns([text for _, text, _ in choices])
        for place, (key, text, tip) in enumerate(choices):
            row, column = divmod(place, columns)
            ends = column == columns - 1 or place == len(choices) - 1
            button = kept.pop(key) if key in kept else self._new_button(key)
            button.setText(text)
            set_tip(button, tip)
            segment = "last" if ends else "true"
            if segment != button.property("segment"):
                button.setProperty("segment", segment)
                restyle(button)
            button.setChecked(key == current)
            self._buttons.addButton(button)
            self._rows.addWidget(button, row, column)
        for button in kept.values():
            button.hide()
            button.deleteLater()
        self.setVisible(len(choices) > 1)

    def _new_button(self, key: str) -> ScriptsButton:
        button = ScriptsButton(self)
        button.setCheckable(True)
        button.setProperty("key", key)
        return button

    def buttons(self) -> list[QAbstractButton]:
        """Return the buttons from left to right."""
        return self._buttons.buttons()

    def _columns(self, texts: Sequence[str]) -> int:
        """Return the buttons of a row, so that all rows but the last are equally long."""
        widest = max((self.fontMetrics().horizontalAdvance(text) for text in texts), default=0) + SIDES
        rows = -(-len(texts) // (ROOM // widest or 1))
        return -(-len(texts) // (rows or 1))


class TableColumn(QSplitter):
    """Tables one above the other; `resized` once they have their new heights."""

    resized = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setChildrenCollapsible(False)
        self.setProperty("quiet", "true")
        self.setHandleWidth(HANDLE)

    def childEvent(self, event: QChildEvent) -> None:
        """Take no table in before it is added: it is made here, since what moves is styled again."""
        if not event.added():
            super().childEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


def shares(needs: Sequence[int], room: int) -> list[int]:
    """Divide the height of a column among tables that need so much to be whole: who needs less than an even share
    leaves the rest to the others; what nobody needs stays below the last one.
    """
    given, left = [0] * len(needs), room
    for count, place in zip(range(len(needs), 0, -1), sorted(range(len(needs)), key=lambda at: needs[at]), strict=True):
        given[place] = min(needs[place], left // count)
        left -= given[place]
    between = min(AFTER, left // len(needs))
    return [height + between for height in given[:-1]] + [given[-1] + left - between * (len(needs) - 1)]


class InputsView(QWidget):
    """Panels of the chosen group, one above the other, or one at a time in the compact form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panels: dict[str, MatrixPanel] = {}
        self._shown: set[str] = set()  # the tables in sight
        self._stretched = ""  # the one that has the whole column
        self._heights: dict[str, int] = {}  # of an earlier session, not yet taken up
        self._groups: tuple[Group, ...] = ()
        self._group, self._field, self._compact, self._alone = "", "", False, False
        self._groups_switch, self._fields_switch = GroupSwitch(self), GroupSwitch(self)
        self._splitter = TableColumn(self)
        self._drawn = False  # whether a person gave the tables in sight their heights
        arrange(
            QVBoxLayout(self), self._groups_switch, self._fields_switch, (self._splitter, 1), margins=0, spacing=GAP
        )
        self._splitter.splitterMoved.connect(self._on_splitter_moved)
        self._splitter.resized.connect(self._share_room)
        self._groups_switch.picked.connect(self.show_group)
        self._fields_switch.picked.connect(self.show_field)

    def set_panels(self, panels: dict[str, MatrixPanel], groups: Sequence[Group]) -> None:
        """Take over the panels of a new problem; the chosen group and table stay if they still exist."""
        for field in self.panels.keys() - panels.keys():
            self.panels[field].set_present(False)
        self.panels, self._groups = panels, tuple(groups)
        for panel in panels.values():
            self.hold(panel)
            panel.set_compact(self._compact)
            panel.set_present(True)
        keys = [key for key, _, _ in self._groups]
        self._group = self._group if self._group in keys else keys[0]
        self._arrange()

    def new_panel(self, field: str) -> MatrixPanel:
        """Return the panel of a table that is not taken in yet."""
        return MatrixPanel(field, self._splitter)

    def hold(self, panel: MatrixPanel) -> None:
        """Take a panel in, which `set_panels` may show."""
        if self._splitter.indexOf(panel) < 0:
            panel.hide()  # else all are laid out, those too that are out of sight
            self._splitter.addWidget(panel)
            self._splitter.setStretchFactor(self._splitter.indexOf(panel), 1)  # all grow alike

    def show_first(self) -> None:
        """Show the tables that a new problem is entered with."""
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
        stretched, self._stretched = self._stretched, field
        if stretched == field and self._drawn:
            self.share_out()
        else:
            self._drawn = True
            self._splitter.setSizes([10_000 * (one is self.panels[field]) for one in self._in_order()])

    def _in_order(self) -> list[MatrixPanel]:
        """Return all panels that the column holds, from top to bottom."""
        held = map(self._splitter.widget, range(self._splitter.count()))
        return [panel for panel in held if isinstance(panel, MatrixPanel)]

    def heights(self) -> dict[str, int]:
        """Return the heights that a person gave the tables in sight, by field."""
        if not self._drawn:
            return {}
        return self._sizes()

    def _sizes(self) -> dict[str, int]:
        sizes = self._splitter.sizes()
        return {
            field: sizes[self._splitter.indexOf(panel)] for field, panel in self.panels.items() if not panel.isHidden()
        }

    def set_heights(self, heights: Mapping[str, int]) -> None:
        """Share the column out as it was, as soon as these are the tables in sight."""
        self._heights = dict(heights)
        self._take_heights()

    def _take_heights(self) -> None:
        if self._heights and set(self._heights) == set(self._sizes()):
            self._drawn = True
            by_place = {self._splitter.indexOf(self.panels[field]): height for field, height in self._heights.items()}
            self._splitter.setSizes([by_place.get(place, 0) for place in range(self._splitter.count())])
            self._heights = {}

    def share_out(self) -> None:
        """Give every table the height that it needs, as far as there is room."""
        self._drawn = False
        self._share_room()

    def _share_room(self) -> None:
        panels = [panel for panel in self._in_order() if not panel.isHidden()]
        if panels and not self._drawn:
            room = self._splitter.height() - HANDLE * (len(panels) - 1)
            heights = dict(zip(panels, shares([panel.height_for(MOST_ROWS) for panel in panels], room), strict=True))
            self._splitter.setSizes([heights.get(panel, 0) for panel in self._in_order()])

    def _on_splitter_moved(self) -> None:
        self._drawn = True

    def minimumSizeHint(self) -> QSize:
        """Return one table, since the others give way where the column is low."""
        switches = [one for one in (self._groups_switch, self._fields_switch) if not one.isHidden()]
        around = sum(switch.sizeHint().height() + GAP for switch in switches)
        panels = [panel.minimumSizeHint() for panel in self.panels.values() if not panel.isHidden()]
        return QSize(
            max((hint.width() for hint in panels), default=0),
            around + max((hint.height() for hint in panels), default=0),
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._groups and self._one_by_one() != self._alone:
            self._arrange()

    def _fields(self) -> tuple[str, ...]:
        return next(fields for key, _, fields in self._groups if key == self._group)

    def _one_by_one(self) -> bool:
        """Return whether the group has too many tables, or the column too little room, for all at once."""
        fields = self._fields()
        if len(fields) > 3 or (self._compact and len(fields) > 1):
            return True
        needed = sum(self.panels[field].height_for(FEWEST_ROWS) for field in fields) + HANDLE * (len(fields) - 1)
        return len(fields) > 1 and needed > self._height_of_tables()

    def _height_of_tables(self) -> int:
        """Return the height of the column without the row of buttons for the tables."""
        groups = self._groups_switch
        return self.height() - (0 if groups.isHidden() else groups.sizeHint().height() + GAP)

    def _arrange(self) -> None:
        if not self._groups:
            return
        fields, one_by_one = self._fields(), self._one_by_one()
        self._alone = one_by_one
        if self._field not in fields:
            self._field = fields[0]
        shown = {self._field} if one_by_one else set(fields)
        if len(fields) > 3 and not self._compact:  # the sequence and a matrix that it meets, one above the other
            shown |= {fields[0], fields[1] if self._field == fields[0] else self._field}
        groups = [(key, text, self.tr(", ").join(map(stage_title, own))) for key, text, own in self._groups]
        self._groups_switch.set_choices(groups, self._group)
        names = [(field, self.panels[field].symbol(), stage_title(field)) for field in fields] if one_by_one else []
        self._fields_switch.set_choices(names, self._field)
        for position, field in enumerate(field for _, _, group in self._groups for field in group):
            panel = self.panels[field]
            if self._splitter.indexOf(panel) != position:
                self._splitter.insertWidget(position, panel)
            panel.setVisible(field in shown)
        self._order_stops()
        if shown != self._shown:
            self._shown, self._drawn = shown, False
        self._share_room()
        self._take_heights()

    def _order_stops(self) -> None:
        """Have Tab go from top to bottom, whatever was made first."""
        tables = [self.panels[field].view for _, _, group in self._groups for field in group]
        stops = [*self._groups_switch.buttons(), *self._fields_switch.buttons(), *tables]
        for before, after in pairwise(stops):
            QWidget.setTabOrder(before, after)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange and self._groups:
            self._arrange()
        super().changeEvent(event)
