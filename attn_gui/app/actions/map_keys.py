"""Single keys of the maps."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.modes import COMPARED, PRODUCT
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.marks import BACKWARD, FORWARD
from attn_gui.views.tables.matrix_panel import MatrixPanel


class MapKeys(Controller):
    """Answers single keys while a map has the focus: `[` `]` head, 1 … 9 step of the spine or, on a cell that is left
    out, its number, V values, R and Shift+R reach and origin, Enter table, Esc back.
    """

    def __init__(
        self,
        context: AppContext,
        tables: TablesController,
        step_head: Callable[[int], None],
        put_away: Callable[[], bool],
    ) -> None:
        super().__init__(context)
        self._tables = tables
        self._step_head, self._put_away = step_head, put_away
        for picture in (context.window.product, context.window.all_stages, context.window.sides):
            picture.answer = self._answer
            picture.backgroundClicked.connect(self.release)
        context.window.product.maps.activated.connect(self._on_map_activated)
        tables.on_new_table(self._connect_table)

    def _answer(self, event: QKeyEvent) -> bool:
        if event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier):
            return False
        if event.key() == Qt.Key.Key_Escape:
            return self._leave()
        text = event.text()
        if text in ("[", "]"):
            self._step_head(1 if text == "]" else -1)
        elif text and text in "123456789":
            if not self._begins_answer(text):
                self._show_step(int(text))
        elif text in ("v", "V"):
            self._view.set(values=not self._view.look.values)
        elif text in ("r", "R"):
            direction = BACKWARD if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else FORWARD
            self._view.set(reach="" if self._view.look.reach == direction else direction)
        else:
            return False
        return True

    def _begins_answer(self, digit: str) -> bool:
        """Begin an answer with a digit where the chosen cell of the map with the focus is left out: who reads “?” types
        its number."""
        heatmap = QApplication.focusWidget()  # one of a step, or of what it is computed from
        if not isinstance(heatmap, Heatmap) or heatmap.chosen is None or not self._view.hides(self._view.look.cell):
            return False
        self._window.product.maps.typingRequested.emit(heatmap, digit)
        return True

    def _show_step(self, number: int) -> None:
        """Show a step of the spine, counted from 1."""
        stages = self._window.spine.stages()
        if number <= len(stages):
            self._view.set(stage=stages[number - 1])
            if self._view.look.mode == PRODUCT:
                self.to_map()  # the one that had the keyboard is gone from sight

    def _leave(self) -> bool:
        """Take one thing away at Esc: a refusal, a gesture, its tool, a comparison, of which the window is notified,
        the chosen cell; `progress` ends pictures."""
        if self._window.banner.dismiss_refusal() or self._put_away():
            return True
        if self._view.look.compare in COMPARED:
            return False
        leaves = self._view.look.cell is not None and not self._computation.stoppable
        if leaves:
            self.release()
        return leaves

    def release(self) -> None:
        """Choose no cell: the explanation gives way to the first steps."""
        self._view.set(cell=None)

    def _on_map_activated(self, stage: str, row: int, column: int) -> None:
        """Go from a cell of a map to the row of a table that it comes from."""
        panels = self._window.inputs.panels
        if stage in panels:
            first = self._computation.evaluation.head_columns(stage, self._view.look.head).start
            self._window.inputs.show_field(stage)
            panels[stage].view.choose(row, first + column)
            panels[stage].view.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        rows, _ = self._tables.marked()
        field, place = next(((field, marks[0][0]) for field, marks in rows.items() if field in panels), (None, 0))
        if field is not None:
            evaluation, head = self._computation.evaluation, self._view.look.head
            first = evaluation.head_columns(field, head).start if field in evaluation.stages else 0
            self._window.inputs.show_field(field)
            panels[field].view.choose(place, first)
            panels[field].view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _connect_table(self, _field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
        panel.view.left.connect(self.to_map)

    def commands(self) -> dict[str, Command]:
        return {"release_cell": Command(self.release, enabled=lambda: self._view.look.cell is not None)}

    def to_map(self) -> bool:
        """Give the keyboard to the large map; False if there is none."""
        return self._window.product.focus_map()
