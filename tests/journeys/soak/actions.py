"""Everything that a person may do in the window, each as one move with choices taken from a seed."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtCore import QPoint, QRegularExpression, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)

from attn_gui.app.actions.action_table import ACTIONS
from attn_gui.views.text_views import Link

from .dialog_actions import DialogActions
from .file_actions import FileActions
from .hasty_input import HastyInput
from .lesson_actions import LessonActions
from .map_actions import MapActions
from .model_actions import ModelActions

LEFT = Qt.MouseButton.LeftButton
SIZES = ("num_heads", "num_kv_heads", "d_k", "d_v", "n", "m", "d_model", "batch_size")
TAME = ("1", "-2.5", "0", "1/3", "12", "-0", "3e-7")
WILD = ("nan", "inf", "-inf", "1e200", "1e-320")
REFUSED = ("abc", "1,500", "1/0")
EDITS = tuple(row.name for row in ACTIONS if row.name.startswith(("fill_", "clear", "paste", "copy", "cut")))
SWITCHED = "edit", "layer", "compute"
SWITCHES = ("make_direct", *(row.name for row in ACTIONS if row.checkable and row.menu in SWITCHED))
LOOKS = (
    "product",
    "all_stages",
    "values",
    "decimals_2",
    "decimals_6",
    "decimals_3",
    "next_head",
    "previous_head",
    "previous_place",
    "next_zone",
    "reset_layout",
    "release_cell",
)
DRESSES = "language_zh", "language_en", "theme_dark", "theme_light", "zoom_in", "zoom_out", "zoom_reset"
NUMBERS = {
    "softcap": ("5", "0.5"),
    "temperature": ("2", "0.1"),
    "rotary_theta": ("100", "10000"),
    "scale_value": ("2.5", "-1"),
    "score_params.w": ("0.5", "3"),
    "score_params.key_norm": ("0", "1"),
    "block.ln_eps": ("1e-5", "0.1"),
}
ARROWS = ("Left", "Right", "Up", "Down", "Home", "End", "PgDown", "PgUp", "Ctrl+Home", "Ctrl+End", "Shift+Down")
LEAVING = ("action.quit", "action.show_log")
KINDS = ("causal", "window", "prefix", "padding", "custom", "bias", "alibi")


class Actions:
    """One method a kind of move; `any` makes one of them and tells what it did."""

    def __init__(self, person: Any, rnd: Random, folder: Path, *, wild: bool, largest: int) -> None:
        self._person, self._rnd, self._wild, self._largest = person, rnd, wild, largest
        self._window = person.window
        self.answers = DialogActions(person, rnd, folder)
        file_actions, map_actions = FileActions(person, rnd, folder), MapActions(person, rnd, self._map, wild=wild)
        lesson_actions = LessonActions(person, rnd, folder, self._table_cell)
        self.hasty = HastyInput(person, rnd)
        model_actions, self._map_actions = ModelActions(person, rnd, map_actions.see_page), map_actions
        self._kinds: tuple[tuple[Callable[[], str], float], ...] = (
            (self.type, 8),
            (self.edit_block, 5),
            (self.size, 3),
            (self.switch, 2),
            (self.number, 2),
            (self.pick, 2),
            (self.mask, 2),
            (self.layer, 2),
            (self.space, 1),
            (self.cell, 4),
            (self.arrows, 3),
            (self.stage, 3),
            (self.head, 2),
            (self.look, 3.5),
            (self.dress, 0.5),
            (self.link, 3),
            (self.term, 1),
            (self.page, 1),
            (self.wheel, 2),
            (self.drag, 1),
            (self.window_size, 1),
            (self.undo, 3),
            (self.redo, 1),
            (self.step, 1),
            (self.banner, 1),
            (self.action, 4),
            (file_actions.huge_size, 1),
            (file_actions.paste, 2),
            (file_actions.file, 1),
            (file_actions.dialog, 2),
            (file_actions.menu, 1),
            (map_actions.type_into_map, 3),
            (map_actions.change_block, 2),
            (map_actions.draw_to_target, 1),
            (map_actions.change_head, 2),
            (map_actions.compare, 3),
            (map_actions.page, 2),
            (map_actions.by_hand_list, 2),
            (lesson_actions.lesson, 1),
            (lesson_actions.exercise, 2),
            (lesson_actions.help, 1),
            (lesson_actions.rows, 3),
            (lesson_actions.figure, 1),
            (lesson_actions.journal, 1),
            (self.find, 1),
            (self.go_to_cell, 1),
            (model_actions.model, 3),
            (self.hasty.burst, 3),
        )

    def any(self) -> str:
        """One move; what it was."""
        moves, weights = zip(*self._kinds, strict=True)
        move = self._rnd.choices(moves, weights)[0]
        return f"{move.__name__}: {self.answers.during(move)}"

    # --- searches --------------------------------------------------------------------------------
    def find(self) -> str:
        return self._map_actions.find(self._table_cell, self.cell)

    def go_to_cell(self) -> str:
        return self._map_actions.go_to_cell(self._table_cell, self.cell)

    # --- tables ----------------------------------------------------------------------------------
    def type(self) -> str:
        """A number into a cell, or something that is none."""
        place = self._table_cell()
        texts = (*TAME, *REFUSED, *(WILD if self._wild else ()))
        text = self._rnd.choice(texts)
        if place is None:
            return "nothing"
        self._person.type(text)
        self._person.press("Return")
        if isinstance(QApplication.focusWidget(), QLineEdit):  # it was refused
            self._person.press("Esc")
        return f"{text} into {place}"

    def edit_block(self) -> str:
        place, name = self._table_cell(), self._rnd.choice(EDITS)
        if place is None:
            return "nothing"
        stretched = self._rnd.choices(("Shift+Down", "Shift+Right"), k=self._rnd.randrange(4))
        self._person.press(*stretched)
        self._person.clipboard(self._rnd.choice(("7", "1\t2\n3\t4", "x", "0.5\n0.25")))
        self._person.action(name).trigger()
        return f"{name} at {place} {stretched}"

    def _table_cell(self) -> str | None:
        """Bring a table into sight and click one of its cells."""
        field = self._rnd.choice(sorted(self._window.inputs.panels))
        table = self._table(field)
        if table is None:
            return None
        top, left = table.verticalScrollBar().value(), table.horizontalScrollBar().value()
        index = table.model().index(
            min(top + self._rnd.randrange(3), table.model().rowCount() - 1),
            min(left + self._rnd.randrange(3), table.model().columnCount() - 1),
        )
        QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(index).center())
        if not table.hasFocus():
            return None
        return f"{field}[{index.row()}, {index.column()}]"

    def _table(self, field: str) -> QTableView | None:
        """Through the buttons above the tables."""
        table = self._person.table(field)
        for key in ("direct", "projected", "computed", "output", "score", "block", "masks"):
            if table.isVisible():
                return table
            for wanted in (key, field):
                button = next(
                    (
                        b
                        for b in self._window.inputs.findChildren(QAbstractButton)
                        if b.property("key") == wanted and b.isVisible()
                    ),
                    None,
                )
                if button is not None:
                    button.click()
                    QApplication.processEvents()  # buttons that have just come are on show with the next layout
        return table if table.isVisible() else None

    # --- what is computed ------------------------------------------------------------------------
    def size(self) -> str:
        name = self._rnd.choice(SIZES)
        value = self._rnd.randint(1, self._largest if name in ("n", "m") else 7)
        box = self._person.find(f"control.{name}")
        if not (box.isVisible() and box.isEnabled()):
            return "nothing"
        self._person.overwrite(box, str(value))
        return f"{name} = {value}"

    def switch(self) -> str:
        return self._trigger(SWITCHES)

    def number(self) -> str:
        name = self._rnd.choice(sorted(NUMBERS))
        field = self._window.findChild(QWidget, f"control.{name}")
        if field is None or not (field.isVisible() and field.isEnabled()):
            return "nothing"
        text = self._rnd.choice(NUMBERS[name])
        self._person.overwrite(field, text)
        return f"{name} = {text}"

    def pick(self) -> str:
        name = self._rnd.choice(("scale", "score", "dtype"))
        box, key = self._person.find(f"control.{name}", QComboBox), self._rnd.choice(("Up", "Down", "Home", "End"))
        if not box.isVisible():
            return "nothing"
        box.setFocus()
        self._person.press(key)
        return f"{name} {key}: {box.currentData()}"

    def mask(self) -> str:
        kind = self._rnd.choice(KINDS)
        if len(self._window.mask_panel.findChildren(QToolButton)) > 9:
            return "enough"
        next(a for a in self._window.mask_panel.kinds.actions() if a.data() == kind).trigger()
        return kind

    def layer(self) -> str:
        """Something of a layer in the list of masks, which opens for it and is closed again."""
        panel = self._window.mask_panel
        if not self._person.action("masks").isEnabled():  # of weights that are given
            return "no masks"
        self._person.do("masks")
        buttons = [
            b
            for b in (*panel.findChildren(QCheckBox), *panel.findChildren(QToolButton))
            if b.isVisible() and b.isEnabled()
        ]
        if not buttons:  # a refused text stopped the command
            return "nothing"
        button = self._rnd.choice(buttons)
        said = button.accessibleName() or button.text()
        button.click()
        if panel.isVisible():
            panel.close_panel()
        return said

    # --- maps ------------------------------------------------------------------------------------
    def cell(self) -> str:
        heatmap = self._map()
        if heatmap is None:
            return "nothing"
        rows, columns = heatmap.shape
        place = self._rnd.randrange(rows), self._rnd.randrange(columns)
        rect = heatmap.cell_rect(*place)
        if not rect.isEmpty():
            QTest.mouseClick(heatmap, LEFT, pos=rect.center())
        return f"{heatmap.objectName()} {place}"

    def arrows(self) -> str:
        heatmap = self._map()
        if heatmap is None:
            return "nothing"
        heatmap.setFocus()
        keys = self._rnd.choices((*ARROWS, *"[]V123456789", "Return", "Esc"), k=self._rnd.randint(1, 4))
        self._person.press(*keys)
        return f"{heatmap.objectName()} {keys}"

    def space(self) -> str:
        heatmap = self._map()
        if heatmap is None or heatmap.chosen is None:
            return "nothing"
        heatmap.setFocus()
        self._person.press("Space")
        return f"{heatmap.objectName()} {heatmap.chosen}"

    def wheel(self) -> str:
        heatmap, turn = self._map(), self._rnd.choice((120, 240, -120))
        if heatmap is None:
            return "nothing"
        self._person.turn_wheel(heatmap, turn / 120)
        return f"{heatmap.objectName()} {turn}"

    def drag(self) -> str:
        heatmap = self._map()
        if heatmap is None:
            return "nothing"
        if self._rnd.random() < 0.3:
            QTest.mouseDClick(heatmap, LEFT, pos=heatmap.rect().center())
            QTest.mouseRelease(heatmap, LEFT, pos=heatmap.rect().center())  # which it leaves out
            return f"{heatmap.objectName()} home"
        start = heatmap.rect().center()
        QTest.mousePress(heatmap, LEFT, pos=start)
        for step in (10, 25, 40):
            QTest.mouseMove(heatmap, start + QPoint(step, step // 2))
        QTest.mouseRelease(heatmap, LEFT, pos=start + QPoint(40, 20))
        return heatmap.objectName()

    def _map(self) -> Any:
        """One of the large maps in sight."""
        maps = self._window.product.maps
        seen = [maps.map(stage) for stage in maps.stages if maps.map(stage).isVisible() and all(maps.map(stage).shape)]
        return self._rnd.choice(seen) if seen else None

    def stage(self) -> str:
        nodes = [
            node
            for node in self._window.spine.findChildren(QAbstractButton)
            if node.objectName().startswith("node.") and node.isVisible() and node.isEnabled()
        ]
        if not nodes:  # the start page covers them
            return "nothing"
        node = self._rnd.choice(nodes)
        node.click()
        return node.objectName()

    def head(self) -> str:
        box = self._person.find("control.head")
        head = self._rnd.randrange(box.maximum() + 1)
        if box.isEnabled() and box.isVisible():
            self._person.overwrite(box, str(head))
        return str(head)

    # --- explanation, history, window ------------------------------------------------------------
    def link(self) -> str:
        links = [
            link
            for link in self._window.inspector.findChildren(Link)
            if link.isVisible() and not link.objectName().startswith("example")
        ]
        links = [link for link in links if link.accessibleName() and link.parent() is not None and self._stays(link)]
        if not links:
            return "nothing"
        link = self._rnd.choice(links)
        said = link.text()
        link.click()
        return said

    def _stays(self, link: Link) -> bool:
        """Not one of the first page, which leads to the start page."""
        widget: QWidget | None = link
        while widget is not None and widget.objectName() != "inspector":
            if type(widget).__name__ == "FirstSteps":
                return False
            widget = widget.parentWidget()
        return True

    def term(self) -> str:
        terms = self._person.find("inspector.terms", QTableView)
        if not terms.isVisible() or not terms.model().rowCount():
            return "nothing"
        index = terms.model().index(self._rnd.randrange(terms.model().rowCount()), 0)
        terms.scrollTo(index)
        QTest.mouseClick(terms.viewport(), LEFT, pos=terms.visualRect(index).center())
        return str(index.row())

    def page(self) -> str:
        bar = self._window.inspector.findChild(QTabBar)
        place = self._rnd.randrange(bar.count())
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(place).center())
        return str(place)

    def banner(self) -> str:
        buttons = self._window.banner.buttons() if self._window.banner.isVisible() else ()
        if not buttons:
            return "nothing"
        said = buttons[0].text()
        if "…" not in said:
            buttons[0].click()
        return said

    def look(self) -> str:
        return self._trigger(LOOKS)

    def dress(self) -> str:
        """Language, colors, size of all letters: the whole window is dressed anew, which takes half a second."""
        return self._trigger(DRESSES)

    def window_size(self) -> str:
        size = self._rnd.choice(((1440, 900), (1024, 700), (1300, 760), (1800, 1100)))
        self._window.resize(*size)
        return str(size)

    def action(self) -> str:
        """Anything that the menus can do, but what leaves the window."""
        found = self._window.findChildren(QAction, QRegularExpression(r"^action\."))  # else PySide would keep Qt's own
        free = [action for action in found if action.isEnabled() and action.objectName() not in LEAVING]
        chosen = self._rnd.choice(sorted(free, key=QAction.objectName))
        name = chosen.objectName()  # before a menu that is filled anew lets go of it
        chosen.trigger()
        return name

    def undo(self) -> str:
        return self._trigger(("undo",))

    def redo(self) -> str:
        return self._trigger(("redo",))

    def step(self) -> str:
        """Somewhere in the list of steps."""
        steps = self._person.find("history").findChild(QAbstractItemView)
        index = steps.model().index(self._rnd.randrange(steps.model().rowCount()), 0)
        steps.scrollTo(index)
        QTest.mouseClick(steps.viewport(), LEFT, pos=steps.visualRect(index).center())
        return str(index.row())

    def _trigger(self, names: tuple[str, ...]) -> str:
        name = self._rnd.choice(names)
        self._person.action(name).trigger()
        return name
