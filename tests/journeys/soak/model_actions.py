"""Actions with a whole model on the table: texts, heads, layers, pages, and what its numbers have to be."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTableView

from attn_gui.app.program import Program

LEFT = Qt.MouseButton.LeftButton
TEXTS = ("k x b p f k x b p", "a b c", "q", "z z z z", "", "The cat", "7", " ".join("a" * 40))
PAGES = ("prediction", "lens", "effect", "heads_off", "logit_parts", "patching")


class ModelActions:
    """One method a kind of action; each returns what it did. `see` waits for a page, as long as anybody would."""

    def __init__(self, person: Any, rnd: Random, see: Callable[[str], str]) -> None:
        self._person, self._rnd, self._see = person, rnd, see
        self._program, self._window = person.program, person.window

    def model(self) -> str:
        """The small model in place of the document, if that can be left; else something of the one that is there."""
        if self._program.document.study is None:
            self._person.action("save").trigger()
            self._person.action("known_toy_induction").trigger()
            self._person.wait()
            return "opened" if self._program.document.study is not None else "not now"
        if self._program.view.look.mode != "model" or not self._person.find("model").isVisible():
            self._person.do("model")
        deed = self._rnd.choice((self._text, self._second, self._head, self._head, self._reading, self._token))
        if self._rnd.random() < 0.4:
            deed = self._rnd.choice((self._layer_off, self._changes, self._page))
        return f"{deed.__name__} {deed()}"

    def _text(self) -> str:
        return self._write("control.text")

    def _second(self) -> str:
        return self._write("control.other_text")

    def _write(self, name: str) -> str:
        text = self._rnd.choice(TEXTS)
        self._person.overwrite(self._person.find(name), text)
        return repr(text)

    def _head(self) -> str:
        """Another head of another layer on the table; sometimes one is switched off there."""
        place = self._click("model")
        if self._rnd.random() < 0.4 and self._person.action("head_off").isEnabled():
            self._person.wait()
            self._person.action("head_off").trigger()
            return f"{place} off"
        return place

    def _reading(self) -> str:
        box = self._person.find("control.model_reading", QComboBox)
        box.setFocus()
        self._person.press(self._rnd.choice(("Up", "Down", "Home", "End")))
        return str(box.currentData())

    def _token(self) -> str:
        return self._click("model.tokens")

    def _layer_off(self) -> str:
        self._person.click("model.layer_off")
        return ""

    def _changes(self) -> str:
        """A row of what is changed in the model: switched, gone to, removed."""
        changes = self._person.find("model.changes")
        if not changes.isVisible():
            return "nothing"
        self._click("model.changes")
        key = self._rnd.choice(("Space", "Return", "Del"))
        self._person.press(key)
        return key

    def _page(self) -> str:
        name = self._rnd.choice(PAGES)
        return self._see(name) if self._person.action(name).isEnabled() else "nothing"

    def _click(self, name: str) -> str:
        """One of the cells of a list or grid that are in sight."""
        view = self._person.find(name, QAbstractItemView)
        cells, seen = view.model(), view.viewport().rect()
        rows, columns = range(cells.rowCount()), range(cells.columnCount()) if isinstance(view, QTableView) else (0,)
        found = [cells.index(row, column) for row in rows for column in columns]
        found = [index for index in found if seen.contains(view.visualRect(index).center())]
        if not found:
            return "nothing"
        index = self._rnd.choice(found)
        QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
        return f"({index.row()}, {index.column()})"


def shows_a_fresh_run(program: Program) -> None:
    """Assert that what the model is said to predict is what it computes anew, changed layers and all."""
    study, found = program.document.study, program.late.model.answer
    if study is None:
        return
    try:
        wanted = study.model.with_edits(study.edits(program.document.problem)).run(study.text).logits
    except ValueError:  # a layer that no longer fits leaves the last answer
        return
    assert found is not None, "the model predicts nothing"
    assert found.study is study, "the model predicts from another text or layer"
    assert np.array_equal(found.run.logits, wanted, equal_nan=True), "the model predicts something else"
