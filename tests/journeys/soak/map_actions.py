"""Actions on what is computed: numbers typed into maps and drawn to targets, heads, pages, two states."""

import time
from collections.abc import Callable
from random import Random
from typing import Any

from PySide6.QtCore import QPoint, QRegularExpression, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit, QWidget

from attn_gui.figure.figure_kinds import PAGES

LEFT = Qt.MouseButton.LeftButton
TEXTS = ("0", "1", "-2.5", "0.5", "1/3", "abc")
WILD_TEXTS = ("nan", "inf", "-inf", "1e200", "-1e308")
WANTED = ("1", "0.5", "-", "0", "3, 1", "the", "nan", "900, 900", "")
SEARCHES = ("Return", "Shift+Return", "F3", "Shift+F3", "Ctrl+A")
PATIENCE = 10.0  # seconds for a page


class MapActions:
    """One method a kind of action; each returns what it did. `seen`: a large map in sight, if there is one."""

    def __init__(self, person: Any, rnd: Random, seen: Callable[[], Any], *, wild: bool) -> None:
        self._person, self._rnd, self._seen = person, rnd, seen
        self._window, self._texts = person.window, (*TEXTS, *(WILD_TEXTS if wild else ()))

    def type_into_map(self) -> str:
        """F2 on a cell of any stage, a number, Enter."""
        place = self._click()
        if place is None:
            return "nothing"
        text = self._rnd.choice(self._texts)
        self._person.press("F2")
        if isinstance(QApplication.focusWidget(), QLineEdit):
            self._person.press("Ctrl+A")
            self._person.type(text)
            self._person.press("Return")
        if isinstance(QApplication.focusWidget(), QLineEdit):  # it was refused
            self._person.press("Esc")
        return f"{text} into {place}"

    def change_block(self) -> str:
        """Choose several cells of a map, and type, multiply, take, free or paste there."""
        place = self._click()
        if place is None:
            return "nothing"
        self._person.press(*self._rnd.choices(("Ctrl+Shift+Right", "Ctrl+Shift+Down", "Ctrl+Shift+End"), k=2))
        what = self._rnd.choice(("Del", "Ctrl+V", "choose_row", "choose_column", "multiply_cells", "take_cells"))
        if "_" not in what:
            self._person.press(what)
        elif self._person.action(what).isEnabled():
            self._person.do(what)
        if isinstance(QApplication.focusWidget(), QLineEdit):
            self._person.press("Esc")
        return f"{what} from {place} on"

    def draw_to_target(self) -> str:
        """Draw a number up or down with the target tool in hand."""
        tool, heatmap = self._person.action("target_tool"), self._seen()
        if heatmap is None or not tool.isEnabled():
            return "nothing"
        tool.setChecked(True)
        row, column = (self._rnd.randrange(length) for length in heatmap.shape)
        rect, way = heatmap.cell_rect(row, column), self._rnd.choice((30, -30, 90))
        if not rect.isEmpty():
            start = rect.center()
            QTest.mousePress(heatmap, LEFT, pos=start)
            for part in range(1, 4):
                QTest.mouseMove(heatmap, start - QPoint(0, way * part // 3))
            QTest.mouseRelease(heatmap, LEFT, pos=start - QPoint(0, way))
            for _ in range(3):  # the last target is asked about once the one before is answered
                self._person.let_work_end()
                QApplication.processEvents()
        tool.setChecked(False)
        return f"{heatmap.objectName()} ({row}, {column}) by {way}"

    def change_head(self) -> str:
        """Arithmetic of heads."""
        return self._one_of("head_")

    def compare(self) -> str:
        """Pin, compare with the document less something, look at another of two states."""
        shown = "show_now", "show_before", "show_difference", "show_side_by_side", "show_wipe"
        return self._one_of("pin", "unpin", *shown, "compare_with")

    def page(self) -> str:
        """Open a page, turn one of its knobs, click into it, and see it to its end."""
        return self.see_page(self._rnd.choice(sorted(PAGES)))

    def see_page(self, name: str) -> str:
        """The same with one of them."""
        if not self._person.action(name).isEnabled():
            return "nothing"
        self._person.do(name)
        self._see(name)
        page = self._person.find(f"page.{name}")
        found = (*page.findChildren(QComboBox), *page.findChildren(QAbstractButton))
        knobs = [each for each in found if each.isVisible()]
        if knobs and self._rnd.random() < 0.7:
            self._turn(self._rnd.choice(knobs))
            self._see(name)
        if page.canvas is not None and page.canvas.isVisible():
            place = QPoint(self._rnd.randrange(page.canvas.width()), self._rnd.randrange(page.canvas.height()))
            QTest.mouseMove(page.canvas, place)
            QTest.mouseClick(page.canvas, LEFT, pos=place)
        return name

    def by_hand_list(self) -> str:
        """Something of the list of what was set by hand."""
        panel = self._window.findChild(QWidget, "panel.interventions")
        buttons = [
            each
            for each in ([] if panel is None else panel.findChildren(QAbstractButton))
            if each.isVisible() and each.isEnabled()
        ]
        if not buttons:
            return "nothing"
        button = self._rnd.choice(buttons)
        said = button.accessibleName() or button.text()
        button.click()
        return said

    def find(self, *places: Callable[[], str | None]) -> str:
        """Type what is looked for from a table or a map on, go on and back, and leave the search or not."""
        where, text = self._rnd.choice(places)(), self._rnd.choice(WANTED)
        self._person.action("find").trigger()
        bar = self._window.find_bar
        if not bar.isVisible():
            return "nothing"
        self._person.overwrite(bar.line, text, end="")
        keys = self._rnd.choices(SEARCHES, k=self._rnd.randrange(4))
        self._person.press(*keys)
        if self._rnd.random() < 0.7 and bar.isVisible():
            self._person.press("Esc")
        return f"{text!r} from {where} on {keys}"

    def go_to_cell(self, *places: Callable[[], str | None]) -> str:
        """Ask for a cell; what is typed there is drawn elsewhere."""
        where = self._rnd.choice(places)()
        self._person.action("go_to_cell").trigger()
        return str(where)

    # --- how -------------------------------------------------------------------------------------
    def _click(self) -> str | None:
        heatmap = self._seen()
        if heatmap is None:
            return None
        row, column = (self._rnd.randrange(length) for length in heatmap.shape)
        rect = heatmap.cell_rect(row, column)
        if rect.isEmpty():
            return None
        QTest.mouseClick(heatmap, LEFT, pos=rect.center())
        return f"{heatmap.objectName()} ({row}, {column})"

    def _one_of(self, *begun: str) -> str:
        names = QRegularExpression(rf"^action\.({'|'.join(begun)})")  # PySide would keep those that Qt itself has made
        free = [each for each in self._window.findChildren(QAction, names) if each.isEnabled()]
        if not free:
            return "nothing"
        chosen = self._rnd.choice(sorted(free, key=QAction.objectName))
        chosen.trigger()
        return chosen.objectName()

    def _turn(self, knob: QWidget) -> None:
        if isinstance(knob, QComboBox):
            knob.setFocus()
            QTest.keyClick(knob, self._rnd.choice((Qt.Key.Key_Down, Qt.Key.Key_Up)))
        else:
            assert isinstance(knob, QAbstractButton)
            if knob.isEnabled():
                knob.click()

    def _see(self, name: str) -> None:
        """Wait for what a page computes; not for ever: a long one is left under way."""
        end = time.monotonic() + PATIENCE
        while self._person.program.late.pages.busy and time.monotonic() < end:
            QTest.qWait(1)
