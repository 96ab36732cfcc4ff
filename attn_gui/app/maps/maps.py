"""What is redrawn after an edit or choice, in turns; single keys on a map: V, R, [ ], 1 … 9 (or an answer), Esc."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.app.tables.tables import TablesController
from attn_gui.engine import Evaluation, Recomputed
from attn_gui.figure.stage_formulas import shown_latex
from attn_gui.modes import ACTIONS, ALL, COMPARED, OF_ANY, PRODUCT
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.marks import BACKWARD, FORWARD
from attn_gui.views.theme import theme_signal

REST_MS = 150  # after the last edit the colors take the new levels


class MapsController(Controller):
    """Spine, product picture, tiles and heads: rebuilt with a new evaluation, refreshed by rectangles."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._rest = QTimer(self, singleShot=True)
        self._levels: list[Callable[[], None]] = []  # to be taken again, zone by zone
        self._rest.timeout.connect(self._retake_levels)
        self._undrawn: list[tuple[Evaluation, Recomputed]] = []  # what edits have changed of what is shown
        context.computation.updated.connect(self._on_computation_updated)
        context.computation.drawable.connect(self._on_computation_drawable)
        context.computation.working.connect(context.window.product.set_dimmed)  # the last picture stays
        self._flashes_held = False  # whether outlines stand still
        self._shown: Evaluation | None = None  # by all maps; None while some show another
        context.view.follow(self.show, "evaluation", "head", "batch")
        context.view.follow(self._show_other, "compare", "baseline", "overlay")
        context.view.follow(self._show_stage, "stage")
        context.view.follow(self._show_chosen, "cell")
        context.view.follow(self._show_mode, "mode", "compare", "baseline", "evaluation")
        context.view.follow(self._show_values, "values")
        context.window.spine.stagePicked.connect(self._on_spine_stage_picked)
        context.window.heads.headPicked.connect(lambda head: context.view.set(head=head))
        context.window.product.maps.cellChosen.connect(
            lambda *cell: context.view.set(cell=ChosenCell(*cell), block=None)
        )
        context.window.all_stages.stagePicked.connect(lambda stage: context.view.set(stage=stage, mode=PRODUCT))
        theme_signal.changed.connect(self._show_formula)
        self._show_mode()
        self._show_values()

    def _show_other(self) -> Iterator[None] | None:
        """Show another of two states; a state that is pinned changes nothing of the one on show."""
        return self.show() if self._view.shown is not self._shown else None

    def show(self) -> Iterator[None]:
        """Show the present evaluation, also before the first answer; new maps are made first, one a turn."""
        shown, self._shown = self._view.shown, None
        yield from self._window.spine.make_maps(self._view.shown)
        self._show_spine()
        yield
        self._show_heads()
        yield
        yield from self._window.product.maps.make_maps(self._view.shown.stages)
        self._show_product()
        self._shown = shown

    def _show_spine(self) -> None:
        look = self._view.look
        self._window.spine.set_layer(self._layer())
        self._window.spine.set_evaluation(self._view.shown, look.batch, look.head, look.stage)
        self._window.spine.set_chosen(look.cell)

    def _show_heads(self) -> None:
        look = self._view.look
        self._window.heads.set_evaluation(self._view.shown, look.batch, look.head)

    def _show_product(self) -> None:
        look = self._view.look
        with self._window.product.arranged_once():  # not for the maps before, in the room that these have
            self._window.set_several_heads(self._view.shown.problem.num_heads > 1)
            self._window.product.set_layer(self._layer())
            self._window.product.set_evaluation(self._view.shown, look.batch, look.head, look.stage)
            self._show_formula()
            problem = self._document.problem
            self._window.product.set_tokens(problem.query_tokens, problem.names_of_keys)
            self._window.product.set_chosen(look.cell)

    def _layer(self) -> int | None:
        """Return the number of the layer of a model that is on the table; None where there is no model."""
        return None if self._document.layer is None else self._document.layer.number

    def _show_stage(self) -> None:
        self._window.spine.set_stage(self._view.look.stage)
        self._window.product.set_stage(self._view.look.stage, self._formula())

    def _show_formula(self, *_: object) -> None:
        """Show the formula of the stage in the corner of the product picture."""
        self._window.product.set_formula(*self._formula())

    def _formula(self) -> tuple[str, ...]:
        return shown_latex(self._view.shown, self._view.look.stage)

    def _show_chosen(self) -> None:
        cell = self._view.look.cell
        for shown in (self._window.spine, self._window.product):
            shown.set_chosen(cell)

    def _show_values(self) -> None:
        self._window.product.set_values_shown(self._view.look.values)

    def _show_mode(self) -> None:
        """Show the mode; the keyboard stays in the map that it was in, or goes to the one that is left."""
        if self._computation.refusal is not None:
            return  # a sentence stands there instead
        maps, look, focus = self._window.product.maps, self._view.look, QApplication.focusWidget()
        focused, here, middle = maps.focused, self._window.pictures.currentWidget(), self._view.middle
        if here is self._window.modes[middle]:
            return
        if focus is None or (focused is None and not here.isAncestorOf(focus)):
            self._window.set_mode(middle)
            return
        focus.clearFocus()  # else Qt goes through the whole window for one that could have it
        self._window.set_mode(middle)
        heatmap = maps.map(look.stage if focused is None or look.mode == PRODUCT else focused)
        left = focus if focused is None and focus.isVisible() else heatmap
        shown = left if left.isVisible() else self._window.modes[middle]
        shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        self._undrawn.append((self._view.shown, self._baseline.changed_boxes(self._view.look.compare, recomputed)))
        self._rest.stop()  # levels are taken of what the edit reaches, once that is drawn
        if self._computation.tiles is not None:
            self._hold_flashes(True)  # in the turns until it is shown they would cost a paint of every map

    def _hold_flashes(self, held: bool) -> None:
        self._flashes_held = held
        for zone in (self._window.spine, self._window.product):
            zone.hold_flashes(held)

    def _on_computation_drawable(self) -> None:
        """Draw what edits have changed; an evaluation that came meanwhile is drawn as a whole."""
        spine, heads, product = self._window.spine, self._window.heads, self._window.product
        undrawn, self._undrawn = self._undrawn, []
        for evaluation, recomputed in undrawn:
            if evaluation is self._view.shown:
                spine.refresh(recomputed)
                heads.refresh(recomputed)
                product.refresh(recomputed)
        if self._flashes_held:
            self._hold_flashes(False)
        self._levels = [zone.retake_levels for zone in (spine, product.maps, product.operands, heads)]
        self._rest.start(REST_MS)

    def _retake_levels(self) -> None:
        """Take the levels anew in one zone after another, so that the window paints and answers between."""
        self._levels.pop(0)()
        if self._levels:
            self._rest.start(0)

    def commands(self) -> dict[str, Command]:
        view = self._view
        return {
            "previous_head": Command(lambda: self.step_head(-1)),
            "next_head": Command(lambda: self.step_head(1)),
            **choices(
                {ACTIONS[mode]: mode for mode in OF_ANY}, lambda: view.look.mode, lambda mode: view.set(mode=mode)
            ),
            "levels": Command(self._open_levels, enabled=lambda: self._computation.refusal is None),
            "values": Command(lambda on: view.set(values=on), lambda: view.look.values),
        }

    def _open_levels(self) -> None:
        """Open the levels of the map that has the keyboard, else of the one in the middle."""
        maps, operands = self._window.product.maps, self._window.product.operands
        bar = operands.focused_bar() or maps.bar(maps.focused or self._view.look.stage)
        if not bar.isVisible():
            self._view.bring_map(self._view.look.stage)
        bar.toggle_popup()

    def step_head(self, step: int) -> None:
        """Go to the next or previous head."""
        head = self._view.look.head + step
        if 0 <= head < self._document.problem.num_heads:
            self._view.set(head=head)

    def _on_spine_stage_picked(self, stage: str) -> None:
        self._view.set(stage=stage, mode=ALL if self._view.look.mode == ALL else PRODUCT)


# --- single keys -----------------------------------------------------------------------------------
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
        tables.on_new_table(lambda _field, panel: panel.view.left.connect(self.to_map))

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
        the chosen cell. Tiles under way `ProgressController` has stopped before this is asked."""
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
            self._go_to_table(stage, row, column)
            return
        rows, _ = self._tables.marked()
        field, place = next(((field, marks[0][0]) for field, marks in rows.items() if field in panels), (None, 0))
        if field is not None:
            self._go_to_table(field, place, 0)

    def _go_to_table(self, field: str, row: int, column: int) -> None:
        """Give the keyboard to a cell of a table; `column` counts from the first of the head on show."""
        evaluation, view = self._computation.evaluation, self._window.inputs.panels[field].view
        first = evaluation.head_columns(field, self._view.look.head).start if field in evaluation.stages else 0
        self._window.inputs.show_field(field)
        view.choose(row, first + column)
        view.setFocus(Qt.FocusReason.OtherFocusReason)

    def commands(self) -> dict[str, Command]:
        return {"release_cell": Command(self.release, enabled=lambda: self._view.look.cell is not None)}

    def to_map(self) -> bool:
        """Give the keyboard to the large map; False if there is none."""
        return self._window.product.focus_map()
