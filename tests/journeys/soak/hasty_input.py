"""Hasty input: the pointer moves, clicks and keys come while another document, structure or state is still shown.

Nothing is waited for. What is on show is whatever takes a while to follow: gradients, pages, two states, readings.
"""

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from attn_gui.engine import Problem
from attn_gui.engine.creation.create import new_fields
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.views.map.heatmap import Heatmap

LEFT = Qt.MouseButton.LeftButton
KINDS = "direct", "self", "cross"
SHOWN = "show_gradient", "pin", "unpin", "show_difference", "show_before", "show_now", "show_reach", "mask_tool"
STRUCTURES = "output_projection", "biases", "block", "second_sequence", "softcap", "rotary_positions"
KEYS = "Right", "Down", "Left", "Up", "Space", "Return", "Esc", "]", "[", "Shift+Right", "F2", "Del"
DUE = 0.155  # seconds after which what waits for a rest is due


class HastyInput:
    """`any` does one of these things, and lets the window have a turn or none."""

    def __init__(self, person: Any, rnd: Random) -> None:
        self._person, self._rnd = person, rnd
        self._program, self._window = person.program, person.window

    def burst(self, count: int = 12) -> str:
        """So many of them, one after the other."""
        return ", ".join(self.any() for _ in range(count))

    def any(self) -> str:
        """One of them; what it was."""
        deeds: Sequence[tuple[Callable[[], str], float]] = (
            (self._point, 10),
            (self._click, 3),
            (self._press, 2),
            (self._open, 2),
            (self._restructure, 2),
            (self._back_and_forth, 4),
            (self._show, 4),
            (self._page, 2),
            (self._type, 2),
            (self._stroke, 1),
        )
        kinds, weights = zip(*deeds, strict=True)
        deed = self._rnd.choices(kinds, weights)[0]
        said = deed()
        if self._rnd.random() < 0.2:
            end = time.monotonic() + DUE
            while time.monotonic() < end:  # the window is busy: timers are due in the turn that follows
                pass
        for _ in range(self._rnd.choice((0, 0, 1, 1, 2, 6))):
            QApplication.processEvents()
        return f"{deed.__name__} {said}".strip()

    # --- the pointer and the keyboard ------------------------------------------------------------
    def _point(self) -> str:
        """Somewhere over a map, a thumbnail, a page, a table."""
        widget = self._anything()
        for _ in range(self._rnd.randint(1, 3)):
            QTest.mouseMove(widget, self._place(widget))
        return widget.objectName()

    def _click(self) -> str:
        widget = self._anything()
        QTest.mouseClick(widget, LEFT, pos=self._place(widget))
        return widget.objectName()

    def _press(self) -> str:
        key = self._rnd.choice(KEYS)
        heatmap = self._window.product.stage_map()
        if heatmap is not None and heatmap.isVisible():
            heatmap.setFocus()
            self._person.press(key)
        return key

    def _stroke(self) -> str:
        """A press, something else, and its release elsewhere: of a block, a brush or a target."""
        widget = self._anything()
        start, shift = self._place(widget), self._rnd.choice((Qt.KeyboardModifier.ShiftModifier, None))
        QTest.mousePress(widget, LEFT, shift or Qt.KeyboardModifier.NoModifier, start)
        said = self._rnd.choice((self._open, self._back_and_forth, self._restructure))()
        QTest.mouseMove(widget, self._place(widget))
        QTest.mouseRelease(widget, LEFT, Qt.KeyboardModifier.NoModifier, self._place(widget))
        return said

    def _anything(self) -> QWidget:
        found = [each for each in self._window.findChildren(Heatmap) if each.isVisible()]
        found += [page.canvas for page in self._window.inspector.pages.pages.values() if page.canvas is not None]
        names = "heads.weights", "inspector", "spine", "history"
        found += [self._window.findChild(QWidget, name) for name in names]
        seen = [each for each in found if each is not None and each.isVisible() and each.width() and each.height()]
        return self._rnd.choice(seen)

    def _place(self, widget: QWidget) -> QPoint:
        return QPoint(self._rnd.randrange(max(1, widget.width())), self._rnd.randrange(max(1, widget.height())))

    # --- what changes beneath them ---------------------------------------------------------------
    def _open(self) -> str:
        """Another document, larger or smaller, of other tokens or none."""
        self._program.files.open_problem(self._problem(), "haste")
        return "another"

    def _problem(self) -> Problem:
        rnd, limit = self._rnd, self._rnd.choice((1, 3, 17))
        kind, n = rnd.choice(KINDS), rnd.randint(1, limit)
        m = n if kind == "self" else rnd.randint(1, limit)
        heads = rnd.randint(1, 3)
        sizes: dict[str, Any] = {"n": n, "m": m, "num_heads": heads, "d_k": rnd.randint(1, 4), "d_v": rnd.randint(1, 4)}
        problem = Problem.over(new_fields(kind, seed=rnd.randrange(1000), fill="random", **sizes))
        if rnd.random() < 0.5:
            queries = tuple(f"q{row}" for row in range(n))
            keys = queries if kind == "self" else tuple(f"k{row}" for row in range(m))
            problem = problem.replace(query_tokens=queries, key_tokens=keys)
        return problem

    def _restructure(self) -> str:
        return self._trigger(STRUCTURES)

    def _back_and_forth(self) -> str:
        """Undo, redo, a jump."""
        stack = self._program.document.stack
        if self._rnd.random() < 0.3 and stack.count():
            stack.setIndex(self._rnd.randrange(stack.count() + 1))
            return f"jump to {stack.index()}"
        return self._trigger(("undo", "undo", "redo"))

    def _type(self) -> str:
        tables = [panel for panel in self._window.inputs.panels.values() if panel.isVisible()]
        if not tables:
            return ""
        model = self._rnd.choice(tables).view.model()
        if model.rowCount() and model.columnCount():
            place = model.index(self._rnd.randrange(model.rowCount()), self._rnd.randrange(model.columnCount()))
            model.setData(place, self._rnd.choice(("1.5", "-2", "0")))
        return "a number"

    # --- what is on show -------------------------------------------------------------------------
    def _show(self) -> str:
        return self._trigger((*SHOWN, "show_gradient", "product", "all_stages", "next_head", "previous_head"))

    def _page(self) -> str:
        """A page beside the maps or in their place, or a spot of one."""
        if self._rnd.random() < 0.3:
            buttons = [each for each in self._window.inspector.pages.findChildren(QAbstractButton) if each.isVisible()]
            if buttons:
                button = self._rnd.choice(buttons)
                if "…" not in button.text():
                    button.click()
                return button.text()
        return self._trigger(tuple(PAGES))

    def _trigger(self, names: Sequence[str]) -> str:
        name = self._rnd.choice(names)
        action = self._person.action(name)
        if not action.isEnabled():
            return f"no {name}"
        action.trigger()
        return name
