"""Turns what a person asks of mask layers into edits of the document, and says what is seldom meant in them."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import Command
from attn_gui.app.maps.status import Tell
from attn_gui.app.problem.painting import PaintingController
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Making
from attn_gui.app.state.view_state import ChosenCell, ViewState
from attn_gui.document.document import Document
from attn_gui.document.edits import Label
from attn_gui.engine import Problem
from attn_gui.engine.analysis.mask_lint import SUNK, Finding, lint
from attn_gui.engine.creation.mask_cells import layer_of, refilled, with_booleans
from attn_gui.engine.masks import MASKS
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.modes import PRODUCT
from attn_gui.pictures.threads import outcome_of
from attn_gui.views.controls.mask_panel import LintLine
from attn_gui.views.main_window import MainWindow
from attn_gui.views.names import mask_lint_text, mask_note, mask_polarity

LABELS = {
    "add": QT_TRANSLATE_NOOP("History", "added mask {kind}"),
    "remove": QT_TRANSLATE_NOOP("History", "removed mask {kind}"),
    "switch": QT_TRANSLATE_NOOP("History", "switched mask {kind}"),
    "change": QT_TRANSLATE_NOOP("History", "changed mask {kind}"),
    "fill": QT_TRANSLATE_NOOP("History", "filled mask {kind}"),
}

QUICK_CELLS = 1 << 18  # of the maps of all heads: the lines are there at once


class MasksController(QObject):
    """The mask panel on one side, the document on the other; lint is taken while the panel is open."""

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        making: Making,
        painting: PaintingController,
        tell: Tell,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._making, self._painting, self._tell = making, painting, tell
        self._findings: tuple[Finding, ...] = ()
        self._stopped = threading.Event()  # of the count that is under way
        self._background = BackgroundTask(self)
        self._background.ended.connect(self._on_background_answered)
        panel = window.mask_panel
        window.spine.maskPressed.connect(self.show_masks)
        panel.layersChanged.connect(self._on_panel_layers_changed)
        panel.paintRequested.connect(self._on_panel_paint_requested)
        panel.tableRequested.connect(self._on_panel_table_requested)
        panel.fillRequested.connect(self._on_panel_fill_requested)
        panel.blockedPicked.connect(lambda blocked: view.set(blocked=blocked))
        panel.opened.connect(self._look_over)
        panel.lint.goRequested.connect(self._on_lint_go_requested)
        panel.lint.remedyRequested.connect(self._on_lint_remedy_requested)
        making.refused.connect(self.show_state)
        computation.refused.connect(self.show_state)
        document.changed.connect(self._on_document_changed)
        view.follow(self.show_state, "evaluation")
        view.follow(self._show_reading, "blocked")
        view.follow(self._tell_reading, "document")
        self.show_state()
        self._show_reading()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"masks": Command(self.show_masks)}

    def finish(self) -> None:
        """Stop counting; for the end of the program."""
        self._forget()
        self._background.finish()

    def retranslate(self) -> None:
        """The language has changed."""
        self.show_state()
        self._show_findings()

    # --- down ------------------------------------------------------------------------------------
    def show_state(self, *_: object) -> None:
        """The panel as the document has the mask."""
        problem = self._document.problem
        self._window.mask_panel.set_layers(problem.mask, problem.n, problem.m, problem.batch_size)

    def _show_reading(self) -> None:
        self._window.mask_panel.set_blocked(self._view.look.blocked)

    def _tell_reading(self) -> None:
        """Say of a file with booleans which way they were read."""
        if any(layer.paintable for layer in self._document.problem.mask):
            self._tell(lambda: self.tr("Mask read as {polarity}").format(polarity=mask_polarity(False)))

    # --- lint ------------------------------------------------------------------------------------
    def _on_document_changed(self, *_: object) -> None:
        self._forget()
        if self._window.mask_panel.isVisible():
            self._look_over()

    def _forget(self) -> None:
        self._stopped.set()
        self._background.forget()

    def _look_over(self) -> None:
        """Find what is seldom meant: at once in a small mask, else beside the window."""
        self._forget()
        problem = self._document.problem
        if math.prod(problem.map_shape) <= QUICK_CELLS:
            self._on_background_answered(outcome_of(partial(lint, problem)))
            return
        self._findings = ()
        self._show_findings()
        stopped = self._stopped = threading.Event()
        self._background.start(lambda _: lint(problem, stopped.is_set))

    def _on_background_answered(self, outcome: Future[tuple[Finding, ...] | None]) -> None:
        findings = outcome.result()
        assert findings is not None, "what was stopped is not answered"
        self._findings = findings
        self._show_findings()

    def _show_findings(self) -> None:
        lines = [
            LintLine(mask_note(one.note), one.place is not None, mask_lint_text(one.remedy)) for one in self._findings
        ]
        self._window.mask_panel.set_findings(lines)

    def _on_lint_go_requested(self, number: int) -> None:
        """Choose the first key of the row, in the map that the mask is painted in."""
        place = self._findings[number].place
        assert place is not None, "only a line with a place offers to go there"
        item, head, row = place
        self._window.mask_panel.close_panel()
        stage = self._painting.stage()
        look = self._view.look
        problem = self._document.problem
        self._view.set(
            stage=stage,
            mode=PRODUCT,
            batch=item if _tells(problem, 0) else look.batch,
            head=head if _tells(problem, 1) else look.head,
            cell=ChosenCell(stage, row, 0),
        )
        self._painting.focus_map()

    def _on_lint_remedy_requested(self, number: int) -> None:
        finding, layers = self._findings[number], self._document.problem.mask
        place = finding.layer
        assert place is not None, "only a line of a layer offers to change it"
        before, layer, after = layers[:place], layers[place], layers[place + 1 :]
        label = Label(LABELS["change"], {"kind": Label(layer.label, context="Masks")})
        change = finding.change
        if change is not None:
            self._making.change(label, lambda: {"mask": (*before, layer.changed(**change), *after)})
        else:
            self._making.change(label, lambda: {"mask": (*before, *with_booleans(layer, SUNK), *after)})

    # --- up --------------------------------------------------------------------------------------
    def _on_panel_layers_changed(self, layers: tuple[Mapping[str, Any], ...], what: str, kind: str) -> None:
        label = Label(LABELS[what], {"kind": Label(MASKS[kind].label, context="Masks")})
        dtype = self._document.problem.dtype
        self._making.change(label, lambda: {"mask": tuple(layer_of(layer, dtype) for layer in layers)})

    def _on_panel_fill_requested(self, place: int, how: str) -> None:
        layers = self._document.problem.mask
        before, layer, after = layers[:place], layers[place], layers[place + 1 :]
        label = Label(LABELS["fill"], {"kind": Label(layer.label, context="Masks")})
        self._making.change(label, lambda: {"mask": (*before, refilled(layer, how), *after)})

    def _on_panel_paint_requested(self, _layer: int) -> None:
        """Show the map that cells are opened and closed in, with the keyboard on it."""
        self._window.mask_panel.close_panel()
        self._painting.set_painting(True)
        self._view.set(stage=self._painting.stage(), mode=PRODUCT)
        self._painting.focus_map()

    def _on_panel_table_requested(self, field: str) -> None:
        self._window.mask_panel.close_panel()
        self._window.inputs.show_field(field)
        self._window.inputs.panels[field].view.setFocus()

    def show_masks(self) -> None:
        """Open the list of mask layers below its box in the spine."""
        self._window.mask_panel.popup_below(self._window.spine.mask_box())


def _tells(problem: Problem, axis: int) -> bool:
    """Whether the mask tells items (0) or heads (1) apart."""
    return any(layer.enabled and layer.extent(axis, problem.map_shape) > 1 for layer in problem.mask)
