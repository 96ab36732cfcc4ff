"""The Compare menu: pin, end, before, now, difference, side by side, wipe; the line on what is compared with what."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QAction

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.state.baseline import cell_move, side_names
from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.document.edits import fill_template
from attn_gui.engine import STAGE, Evaluation, Plane, Problem, Recomputed
from attn_gui.engine.comparison import READY, WITH_SCALE
from attn_gui.engine.errors import FieldError
from attn_gui.modes import BEFORE, COMPARED, DIFFERENCE, GRADIENT, NOW, PRODUCT, SIDE_BY_SIDE, STATES, WIPE
from attn_gui.pictures.planes import FieldPlane, PlaneLike
from attn_gui.views.map.map_drawing import MapCanvas, MapWipe
from attn_gui.views.names import stage_title
from attn_gui.views.product.side_by_side import TwoSides
from attn_gui.views.zones import handing_on


class CompareController(Controller):
    """Answers the menu, the button and the box; says above the pictures what is compared with what."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._box = context.bars.compare
        self._ready = {key: self._make_action(key) for key in READY}
        context.bars.put_first("compare", tuple(self._ready.values()))
        context.bars.menus["compare"].aboutToShow.connect(self.show_offers)
        self._soon = QTimer(self, singleShot=True, interval=0)  # the edit is painted first
        self._soon.timeout.connect(self.show_cell)
        context.computation.drawable.connect(self._soon.start)
        context.view.follow(self.show, "baseline", "compare", "document", "cell", "blanks", "stage")
        context.view.follow(self.show_offers, "evaluation", "head")
        context.view.follow(
            self.show_cell, "baseline", "overlay", "cell", "head", "batch", "evaluation", "compare", "mode"
        )
        context.window.spine.boxes.scale.compareAsked.connect(partial(self._on_action_triggered, WITH_SCALE))
        self._box.picked.connect(lambda mode: context.view.set(compare=mode))
        context.window.comparison.modes.picked.connect(lambda mode: context.view.set(compare=mode))
        context.window.comparison.endRequested.connect(self._on_line_end_requested)
        context.window.escapePressed.connect(self._on_escape_pressed)
        self.retranslate()

    # --- commands --------------------------------------------------------------------------------
    def commands(self) -> dict[str, Command]:
        view, modes = self._view, {f"show_{mode}": mode for mode in STATES}
        shown = choices(modes, lambda: view.look.compare, lambda mode: view.set(compare=mode))
        return {
            "pin": Command(self.pin, enabled=lambda: self._computation.refusal is None),
            "unpin": Command(self.unpin, enabled=self._compares),
            **{name: command._replace(enabled=self._compares) for name, command in shown.items()},
            "show_now": shown["show_now"]._replace(enabled=lambda: self._compares() or view.look.compare == GRADIENT),
        }

    def pin(self) -> None:
        """Keep the present state as the one before."""
        try:
            self._baseline.pin()
        except FieldError as error:
            self._window.banner.show_error(saying(error))

    def unpin(self) -> None:
        """Compare with nothing."""
        self._view.set(compare=NOW)
        self._baseline.release()

    def _on_line_end_requested(self) -> None:
        """End what the line above the maps names: a gradient alone, or the comparison."""
        with handing_on(self._window, self._window.product.focus_map):
            if self._view.look.compare == GRADIENT:
                self._view.set(compare=NOW)
            else:
                self.unpin()

    def _on_escape_pressed(self) -> None:
        """Show the present state alone; a pinned one stays pinned."""
        beside = self._window.pictures.currentWidget() is self._window.modes[self._view.middle]  # and no walk or page
        if self._view.look.compare in COMPARED and beside and not self._window.start_shown:
            if self._baseline.pinned:
                self._view.set(compare=NOW)
            else:
                self.unpin()

    def compare_with(self, key: str) -> None:
        """Compare with the document without one thing, and show both side by side at once: of a stage that may differ,
        in the place of whatever stands before the maps."""
        stage = self._view.look.stage
        if (entry := STAGE.get(stage)) is None or entry.input_side:
            stage = self._computation.evaluation.weights
        self._baseline.compare_with(key, self._view.look.head)
        self._view.set(compare=SIDE_BY_SIDE, mode=PRODUCT, stage=stage)
        self._view.bring_map(stage)

    def compare_with_state(self, problem: Problem, name: str) -> None:
        """Compare with another state by its name, and show the difference where only one state was on show."""
        self._baseline.pin_problem(problem, name)
        if self._view.look.compare in (NOW, GRADIENT):
            self._view.set(compare=DIFFERENCE)

    def _compares(self) -> bool:
        return bool(self._baseline.key)

    # --- what is said ----------------------------------------------------------------------------
    def show(self) -> None:
        """Bring the box and the line up to date."""
        look = self._view.look
        self._box.set_offered(compared=self._compares(), gradient=self._view.differentiable)
        self._box.set_key(look.compare)
        if look.compare != GRADIENT:  # whoever takes it says what it is of
            ready = READY.get(self._baseline.key)
            title = "" if ready is None else self._title(ready.title[0])
            self._window.comparison.set_text(self._sentence(), title)
        there = look.compare != GRADIENT and self._baseline.comparable
        self._window.comparison.set_modes(look.compare if there else None)

    def show_offers(self) -> None:
        """Offer the ready-made comparisons that would change something."""
        for key, action in self._ready.items():
            words, problem = READY[key].title[0], self._document.problem
            action.setText(self.tr("{title}, side by side").format(title=self._title(words)))
            of_one_head = words != words.format(head=0)
            action.setVisible(problem.num_heads > 1 or not of_one_head)
            action.setEnabled(action.isVisible() and READY[key].applies(problem))

    def _title(self, words: str) -> str:
        """Return what a ready-made comparison is called."""
        return QCoreApplication.translate("Names", words).format(head=self._view.look.head)

    def show_cell(self) -> None:
        """Say in the inspector what the chosen cell was and is."""
        look = self._view.look
        found = None
        beside = self._view.middle == SIDE_BY_SIDE  # then the sentence of the cell says both
        remark = self.tr(
            "If the numbers of Q and K are independent with mean 0 and variance 1, the scores without ÷ √dₖ have a "
            "variance of about dₖ: the larger dₖ, the closer each row comes to a single 1, and its gradient to 0."
        )
        self._window.inspector.set_remark(remark if beside and self._baseline.key == WITH_SCALE else "")
        if look.cell is not None and not beside and not self._view.hides(look.cell):
            found = cell_move(self._baseline, look.cell.stage, look.batch, look.head, *look.cell[1:])
        if found is None:
            self._window.inspector.set_compared("")
            return
        before, now = side_names(self._baseline)
        words = (
            self.tr("{before}: {old} → {now}: {new} ({change})")
            if found.change
            else self.tr("{before}: {old} → {now}: {new}")
        )
        text = words.format(before=before, now=now, old=found.before, new=found.now, change=found.change)
        self._window.inspector.set_compared(text[:1].upper() + text[1:])

    def retranslate(self) -> None:
        self.show()
        self.show_offers()
        self.show_cell()

    def _sentence(self) -> str:
        """Return the sentence of the state that the maps show, and of the one beside it."""
        if not self._compares():
            return ""
        if self._baseline.why is not None:
            return sentence(self._baseline.why)
        if self._baseline.pending:
            return self.tr("The state to compare with is being computed …")
        before, now = side_names(self._baseline)
        if not self._baseline.comparable:
            return fill_template(
                self.tr("Shown: {now}. It has other shapes than {before}: the two cannot be compared."),
                {"before": before, "now": now},
            )
        words = {
            NOW: self.tr("Shown: {now}. Compared with: {before}."),
            BEFORE: self.tr("Shown: {before}. Compared with: {now}."),
            DIFFERENCE: self.tr("Shown: the difference, {now} − {before}."),
            WIPE: self.tr("Left of the bar: {before}. Right of it: {now}."),
            SIDE_BY_SIDE: self.tr("{stage}, the same cell in both"),
        }
        stage = stage_title(self._view.look.stage)
        return words[self._view.look.compare].format(before=before, now=now, stage=stage)

    def _make_action(self, key: str) -> QAction:
        action = QAction(self)
        action.setObjectName(f"action.compare_{key.replace('-', '_')}")
        action.triggered.connect(partial(self._on_action_triggered, key))
        self._window.addAction(action)
        return action

    def _on_action_triggered(self, key: str) -> None:
        if self._window.commit_typed():
            self.compare_with(key)


class SidesController(Controller):
    """Shows one stage in both states; nothing of it costs anything while they are shown in another way."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._sides = context.window.sides
        self._undrawn: list[Recomputed] = []  # what edits have changed of the state before
        context.computation.updated.connect(self._on_computation_updated)
        context.computation.drawable.connect(self._on_computation_drawable)
        context.view.follow(self.show, "evaluation", "baseline", "compare", "stage", "head", "batch", "mode")
        context.view.follow(self._sides.follow, "values")
        context.computation.working.connect(lambda _: self._sides.follow())

    def show(self) -> None:
        """Show them, or nothing any more."""
        sides = None
        if self._view.middle == SIDE_BY_SIDE:
            sides = TwoSides(self._baseline.evaluation_for(BEFORE), self._view.shown, side_names(self._baseline))
        self._sides.set_sides(sides, self._view.look.stage)

    retranslate = show

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        if self._view.middle == SIDE_BY_SIDE and not self._baseline.pinned:
            self._undrawn.append(self._baseline.changed_boxes(BEFORE, recomputed))

    def _on_computation_drawable(self) -> None:
        undrawn, self._undrawn = self._undrawn, []
        for recomputed in undrawn:
            self._sides.refresh(recomputed)


class WipeController(Controller):
    """Gives each split map the state before as its left half, and all of them one bar; costs nothing while none is
    split.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._splits: dict[MapCanvas, MapWipe] = {}
        self._before: dict[tuple[object, ...], PlaneLike] = {}  # the same one for as long as the states are the same
        context.view.follow(self.show, "evaluation", "baseline", "compare", "stage", "head", "batch", "mode", "split")
        context.computation.drawable.connect(self._on_computation_drawable)
        context.window.comparison.splitMoved.connect(lambda share: context.view.set(split=share))

    def show(self) -> None:
        """Split every map, or none."""
        look = self._view.look
        split = look.compare == WIPE and self._baseline.comparable
        self._window.comparison.set_split(look.split if split else None)
        if not split and not self._splits:
            self._before.clear()
            return
        evaluation = self._baseline.evaluation_for(BEFORE)
        self._before = {
            key: plane for key, plane in self._before.items() if getattr(plane, "evaluation", None) is evaluation
        }
        canvases = self._window.findChildren(MapCanvas)
        for canvas in canvases:
            before = self._before_of(canvas.plane, evaluation) if split else None
            if before is not None:
                self._split(canvas).set_before(before, look.split)
            elif canvas in self._splits:
                canvas.split = None
                self._splits.pop(canvas).end()
        for gone in self._splits.keys() - set(canvases):
            del self._splits[gone]

    def _split(self, canvas: MapCanvas) -> MapWipe:
        if canvas not in self._splits:
            found = canvas.split = self._splits[canvas] = MapWipe(canvas)
            found.moved.connect(lambda share: self._view.set(split=share))
            found.gone.connect(partial(self._splits.pop, canvas, None))  # a stage or a head that is gone
        return self._splits[canvas]

    def _before_of(self, plane: PlaneLike | None, evaluation: Evaluation) -> PlaneLike | None:
        """Return the matrix of the state before; None where it was not there."""
        if isinstance(plane, Plane) and plane.stage in evaluation.stages and _is_there(plane, evaluation):
            key: tuple[object, ...] = (plane.stage, plane.batch, plane.head, plane.transposed)
            return self._before.setdefault(key, replace(plane, evaluation=evaluation))
        if (
            isinstance(plane, FieldPlane)
            and evaluation.has_field(plane.field)
            and plane.batch < evaluation.problem.batch_size
        ):
            key = (plane.field, plane.batch, plane.head)
            return self._before.setdefault(key, FieldPlane(evaluation, plane.field, plane.batch, plane.head))
        return None

    def _on_computation_drawable(self) -> None:
        """Follow an edit with the ready-made state."""
        if not self._baseline.pinned:
            for split in self._splits.values():
                split.forget()


def _is_there(plane: Plane, evaluation: Evaluation) -> bool:
    """Return whether an evaluation has the item and the head of a plane: a map out of sight may show what is gone."""
    return all(k < length for k, length in zip(plane.index(0, 0), evaluation.shape(plane.stage), strict=True))
