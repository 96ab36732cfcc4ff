"""Hands the evaluation to everything that draws it, and the person's choices back to the view state."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer

from attn_gui.app.computation import Computation
from attn_gui.app.explain import exists
from attn_gui.app.view_state import ChosenCell, ViewState
from attn_gui.document.document import Change, Document
from attn_gui.engine import Recomputed
from attn_gui.views.main_window import MainWindow
from attn_gui.views.stage_formulas import short_stage_latex, stage_latex
from attn_gui.views.theme import theme_signal

REST_MS = 150  # after the last edit the colors take the new levels


class MapsController(QObject):
    """Spine, product picture, tiles and heads: rebuilt with a new evaluation, refreshed by rectangles."""

    def __init__(self, window: MainWindow, document: Document, computation: Computation, view: ViewState) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._rebuilding = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._retake_levels)
        computation.replaced.connect(self._on_computation_replaced)
        computation.rebuilt.connect(lambda _opened: self._show_everything())
        computation.updated.connect(self._on_computation_updated)
        view.changed.connect(self._on_view_changed)
        document.changed.connect(self._on_document_changed)
        window.spine.stagePicked.connect(lambda stage: view.set(stage=stage))
        window.heads.headPicked.connect(lambda head: view.set(head=head))
        window.product.stageCellChosen.connect(self._on_product_cell_chosen)
        window.all_stages.stagePicked.connect(lambda stage: view.set(stage=stage, mode="product"))
        theme_signal.changed.connect(self._show_formula)
        window.product.set_values_shown(view.look.values)

    # --- down ------------------------------------------------------------------------------------
    def _on_computation_replaced(self, opened: bool) -> None:
        """Whoever shows a place of the view must not meet one that is gone, in whatever order they are told."""
        look, evaluation = self._view.look, self._computation.evaluation
        problem = evaluation.problem
        stage = look.stage if look.stage in evaluation.stages else "weights"
        head = min(look.head, problem.num_heads - 1)
        batch = min(look.batch, problem.batch_size - 1)
        cell = look.cell if look.cell and not opened and exists(evaluation, look.cell) else None
        self._rebuilding = True  # everything is shown once, below
        self._view.set(stage=stage, head=head, batch=batch, cell=cell)
        self._rebuilding = False

    def _show_head(self) -> None:
        look, evaluation = self._view.look, self._computation.evaluation
        for shown in (self._window.spine, self._window.heads, self._window.product):
            shown.set_evaluation(evaluation, look.batch, look.head)

    def show(self) -> None:
        """Show the evaluation that there is, also before the first answer."""
        self._show_everything()

    def _show_everything(self) -> None:
        look = self._view.look
        self._show_head()
        for shown in (self._window.spine, self._window.product):
            shown.set_stage(look.stage)
        self._show_tokens()
        self._show_chosen()
        self._show_formula()

    def _show_formula(self, *_: object) -> None:
        """The formula of the stage on show, in the corner of the product picture."""
        evaluation, stage = self._computation.evaluation, self._view.look.stage
        forms = dict.fromkeys((stage_latex(evaluation, stage), short_stage_latex(evaluation, stage)))
        self._window.product.set_formula(*filter(None, forms))

    def _show_tokens(self) -> None:
        problem = self._document.problem
        self._window.product.set_tokens(problem.query_tokens, problem.names_of_keys)

    def _show_chosen(self) -> None:
        cell = self._view.look.cell
        for shown in (self._window.spine, self._window.product):
            shown.set_chosen(cell)

    def _on_view_changed(self, names: frozenset[str]) -> None:
        look = self._view.look
        if self._rebuilding:
            return
        if names & {"head", "batch"}:
            self._show_head()
        if "stage" in names:
            self._window.spine.set_stage(look.stage)
            self._window.product.set_stage(look.stage)
            self._show_formula()
        if "cell" in names:
            self._show_chosen()
        if "mode" in names:
            self._show_mode()
        if "values" in names:
            self._window.product.set_values_shown(look.values)

    def _show_mode(self) -> None:
        """The keyboard stays in the map that it was in, or goes to the one that is left."""
        maps, look = self._window.product.maps, self._view.look
        held = maps.focused
        self._window.set_mode(look.mode)
        if held is not None:
            maps.map(look.stage if look.mode == "product" else held).setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_computation_updated(self, recomputed: Recomputed) -> None:
        for shown in (self._window.spine, self._window.heads, self._window.product):
            shown.refresh(recomputed)
        self._rest.start()

    def _retake_levels(self) -> None:
        for shown in (self._window.spine, self._window.heads, self._window.product):
            shown.retake_levels()

    def _on_document_changed(self, change: Change) -> None:
        if {"query_tokens", "key_tokens"} & set(change.fields):
            self._show_tokens()

    def step_head(self, step: int) -> None:
        """The next or previous head."""
        head = self._view.look.head + step
        if 0 <= head < self._document.problem.num_heads:
            self._view.set(head=head)

    # --- up --------------------------------------------------------------------------------------
    def _on_product_cell_chosen(self, stage: str, row: int, column: int) -> None:
        self._view.set(cell=ChosenCell(stage, row, column))
