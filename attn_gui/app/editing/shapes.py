"""Turns what a person asks of shapes, scale and precision into edits of the document."""

from __future__ import annotations

from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import Command
from attn_gui.app.maps.status import Tell
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.making import Arrays, Making
from attn_gui.app.state.translated_errors import sentences, why_lacking
from attn_gui.app.state.view_state import ViewState
from attn_gui.app.tables.new_shapes import done_text
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Resized, head_counts, reshaped, resize
from attn_gui.engine.creation.create import made_direct, with_biases, with_context, with_dtype, with_output
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.scores import SCORES
from attn_gui.figure.text.numbers import significant
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.controls.shape_panel import ShapeState
from attn_gui.views.main_window import MainWindow
from attn_gui.views.stage_formulas import scale_kind

SIZE_LABELS = {
    "num_heads": QT_TRANSLATE_NOOP("History", "heads {old} → {new}"),
    "num_kv_heads": QT_TRANSLATE_NOOP("History", "K/V heads {old} → {new}"),
    "d_k": QT_TRANSLATE_NOOP("History", "d_k {old} → {new}"),
    "d_v": QT_TRANSLATE_NOOP("History", "d_v {old} → {new}"),
    "n": QT_TRANSLATE_NOOP("History", "queries {old} → {new}"),
    "m": QT_TRANSLATE_NOOP("History", "keys {old} → {new}"),
    "d_model": QT_TRANSLATE_NOOP("History", "d_model {old} → {new}"),
    "batch_size": QT_TRANSLATE_NOOP("History", "items {old} → {new}"),
}

NO_STEP = -1


SIZE_OF = {"d_k": Role.SCORE, "d_model": Role.SCORE, "d_v": Role.MIX, "num_kv_heads": Role.MIX}
"""Sizes of what is there for some part of attention alone."""


class ShapeController(QObject):
    """Shape panel and spine operators on one side, the document on the other."""

    def __init__(
        self,
        window: MainWindow,
        document: Document,
        computation: Computation,
        view: ViewState,
        making: Making,
        tell: Tell,
    ) -> None:
        super().__init__(window)
        self._window, self._document, self._computation, self._view = window, document, computation, view
        self._making, self._tell = making, tell
        self.keep = "d_model"
        self._slid_to = NO_STEP  # the place in the history of the step that the slider of the scale is making
        panel, spine = window.shape_panel, window.spine
        panel.sizeCommitted.connect(self._on_panel_size_committed)
        panel.dtypePicked.connect(self._on_panel_dtype_picked)
        panel.keepPicked.connect(self._on_panel_keep_picked)
        panel.itemPicked.connect(lambda item: view.set(batch=item))
        spine.scalePicked.connect(self._on_spine_scale_picked)
        spine.scaleSlid.connect(self._on_spine_scale_slid)
        making.refused.connect(self.show_state)
        view.follow(self.show_state, "evaluation", "batch")
        self.show_state()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        document = self._document

        def projected() -> bool:
            return document.problem.projected

        return {
            "output_projection": Command(self.set_output_projection, lambda: document.problem.w_output is not None),
            "biases": Command(self.set_biases, lambda: document.problem.b_query is not None, projected),
            "second_sequence": Command(
                self.set_second_sequence, lambda: projected() and not document.problem.self_attention, projected
            ),
            "make_direct": Command(self.make_direct, enabled=projected),
        }

    def retranslate(self) -> None:
        """The language has changed."""
        self.show_state()

    # --- down ------------------------------------------------------------------------------------
    def show_state(self) -> None:
        """Every control as the document has it."""
        problem, panel, spine = self._document.problem, self._window.shape_panel, self._window.spine
        panel.set_state(
            ShapeState(
                num_heads=problem.num_heads,
                num_kv_heads=problem.kv_heads,
                d_k=problem.d_k,
                d_v=problem.d_v,
                n=problem.n,
                m=problem.m,
                d_model=problem.d_model,
                batch_size=problem.batch_size,
                item=self._view.look.batch,
                dtype=problem.dtype,
                projected=problem.projected,
                self_attention=problem.self_attention,
                keep=self.keep,
                head_counts=head_counts(problem) if self.keep == "d_model" else (),
                lacking={size: said for size, role in SIZE_OF.items() if (said := why_lacking(problem, [role]))},
            )
        )
        if problem.d_k:
            spine.set_scale(scale_kind(problem), problem.scale, problem.d_k)

    # --- up --------------------------------------------------------------------------------------
    def _on_panel_size_committed(self, name: str, value: int) -> None:
        problem = self._document.problem
        old = problem.kv_heads if name == "num_kv_heads" else getattr(problem, name)
        label = Label(SIZE_LABELS[name], {"old": old, "new": value})

        def take(resized: Resized, fresh: Arrays) -> None:
            if resized.fields:
                self._document.apply(SetFields(resized.fields, label), fresh)
            shapes, notes = reshaped(problem, self._document.problem), resized.notes
            self._tell(lambda: sentences(notes) if notes else done_text(shapes))

        self._making.begin(label, lambda: resize(problem, keep=self.keep, **{name: value}), take)

    def _on_panel_keep_picked(self, keep_d_model: bool) -> None:
        self.keep = "d_model" if keep_d_model else "d_k"
        self.show_state()

    def _on_panel_dtype_picked(self, dtype: str) -> None:
        label = Label(QT_TRANSLATE_NOOP("History", "precision {dtype}"), {"dtype": dtype})
        self._making.change(label, lambda: with_dtype(self._document.problem, dtype))

    def _on_spine_scale_picked(self, key: str, value: float | None) -> None:
        typed = "" if value is None else significant(value)
        labels = {
            "sqrt": Label(QT_TRANSLATE_NOOP("History", "scale 1/√d_k"), {}),
            "none": Label(QT_TRANSLATE_NOOP("History", "scale none"), {}),
            "typed": Label(QT_TRANSLATE_NOOP("History", "scale {value}"), {"value": typed}),
        }
        own = SCORES[self._document.problem.score].root_scale
        root = None if own else self._document.problem.d_k**-0.5
        scale = {"sqrt": root, "none": 1.0 if own else None, "typed": value}[key]
        self._making.change(labels[key], lambda: {"scale": scale})

    def _on_spine_scale_slid(self, value: float, first: bool) -> None:
        """While the slider is moved its step gives way to the next, so that one gesture leaves one step."""
        stack, before = self._document.stack, self._document.generation
        if not first and stack.index() == self._slid_to:
            label = Label(QT_TRANSLATE_NOOP("History", "scale {value}"), {"value": significant(value)})
            stepped = self._making.apply_instead(SetFields({"scale": value}, label))
        else:
            self._on_spine_scale_picked("typed", value)
            stepped = self._document.generation != before  # not the index: the oldest steps may have gone for it
        self._slid_to = stack.index() if stepped else NO_STEP  # else the last step is none of the slider's

    def set_output_projection(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added W_O") if present else QT_TRANSLATE_NOOP("History", "removed W_O")
        )
        self._making.change(label, lambda: with_output(self._document.problem, present))

    def set_biases(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added biases") if present else QT_TRANSLATE_NOOP("History", "removed biases")
        )
        self._making.change(label, lambda: with_biases(self._document.problem, present))

    def set_second_sequence(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added a second sequence")
            if present
            else QT_TRANSLATE_NOOP("History", "removed the second sequence")
        )
        self._making.change(label, lambda: with_context(self._document.problem, present))

    def make_direct(self) -> None:
        """Keep the computed Q, K, V as the matrices that are edited."""
        label, computation = Label(QT_TRANSLATE_NOOP("History", "Q, K, V directly")), self._computation
        if self._document.problem.projected and not computation.pending and computation.refusal is None:
            self._making.change(label, lambda: made_direct(computation.evaluation))
