"""Edits of sizes and precision, and parts added or taken away: W_O, biases, a second sequence."""

from __future__ import annotations

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays
from attn_gui.app.editing.shape_fixes import done_text, translated_sentence
from attn_gui.app.state.translated_errors import sentences, why_lacking
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Resized, head_counts, reshaped, resize
from attn_gui.engine.creation.create import made_direct, with_biases, with_context, with_dtype, with_output
from attn_gui.engine.graph.stage import Role
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.views.controls.shape_panel import ShapeState

SIZE_LABELS = {
    "num_heads": QT_TRANSLATE_NOOP("History", "heads {old} → {new}"),
    "num_kv_heads": QT_TRANSLATE_NOOP("History", "K/V heads {old} → {new}"),
    "d_k": QT_TRANSLATE_NOOP("History", "dₖ {old} → {new}"),
    "d_v": QT_TRANSLATE_NOOP("History", "dᵥ {old} → {new}"),
    "n": QT_TRANSLATE_NOOP("History", "queries {old} → {new}"),
    "m": QT_TRANSLATE_NOOP("History", "keys {old} → {new}"),
    "d_model": QT_TRANSLATE_NOOP("History", "d_model {old} → {new}"),
    "batch_size": QT_TRANSLATE_NOOP("History", "items {old} → {new}"),
}

SIZE_OF = {"d_k": Role.SCORE, "d_model": Role.SCORE, "d_v": Role.MIX, "num_kv_heads": Role.MIX}
"""Sizes of what is there for some part of attention alone."""


class ShapeController(Controller):
    """Turns what a person asks of shapes, precision and parts in the panel or the menu into edits."""

    def __init__(self, context: AppContext, note: StatusNote) -> None:
        super().__init__(context)
        self._note = note
        self.keep = "d_model"
        panel = context.window.shape_panel
        panel.sizeCommitted.connect(self._on_panel_size_committed)
        panel.dtypePicked.connect(self._on_panel_dtype_picked)
        panel.keepPicked.connect(self._on_panel_keep_picked)
        panel.itemPicked.connect(lambda item: context.view.set(batch=item))
        context.runner.refused.connect(self.show_state)
        context.view.follow(self.show_state, "evaluation", "batch")
        self.show_state()

    def commands(self) -> dict[str, Command]:
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

    def show_state(self) -> None:
        """Show the document's values in every control."""
        problem = self._document.problem
        self._window.shape_panel.set_state(
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

    retranslate = show_state

    def _on_panel_size_committed(self, name: str, value: int) -> None:
        problem = self._document.problem
        old = problem.kv_heads if name == "num_kv_heads" else getattr(problem, name)
        label = Label(SIZE_LABELS[name], {"old": old, "new": value})

        def take(resized: Resized, fresh: Arrays) -> None:
            if resized.fields:
                self._document.apply(SetFields(resized.fields, label), fresh)
            now = self._document.problem
            shapes, notes = reshaped(problem, now), resized.notes
            sizes = {size: (getattr(problem, size), getattr(now, size)) for size in ("d_k", "d_v") if size != name}
            cut = [Label(SIZE_LABELS[size], {"old": a, "new": b}) for size, (a, b) in sizes.items() if a != b]

            def said() -> str:
                return done_text(shapes) or translated_sentence(", ").join(map(str, cut))

            self._note(lambda: sentences(notes) if notes else said())

        self._runner.begin(label, lambda: resize(problem, keep=self.keep, **{name: value}), take)

    def _on_panel_keep_picked(self, keep_d_model: bool) -> None:
        self.keep = "d_model" if keep_d_model else "d_k"
        self.show_state()

    def _on_panel_dtype_picked(self, dtype: str) -> None:
        label = Label(QT_TRANSLATE_NOOP("History", "precision {dtype}"), {"dtype": dtype})
        self._runner.change(label, lambda: with_dtype(self._document.problem, dtype))

    def set_output_projection(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added W_O") if present else QT_TRANSLATE_NOOP("History", "removed W_O")
        )
        self._runner.change(label, lambda: with_output(self._document.problem, present))

    def set_biases(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added biases") if present else QT_TRANSLATE_NOOP("History", "removed biases")
        )
        self._runner.change(label, lambda: with_biases(self._document.problem, present))

    def set_second_sequence(self, present: bool) -> None:
        label = Label(
            QT_TRANSLATE_NOOP("History", "added a second sequence")
            if present
            else QT_TRANSLATE_NOOP("History", "removed the second sequence")
        )
        self._runner.change(label, lambda: with_context(self._document.problem, present))

    def make_direct(self) -> None:
        """Keep the computed Q, K, V as the matrices that are edited."""
        label, computation = Label(QT_TRANSLATE_NOOP("History", "Q, K, V directly")), self._computation
        if self._document.problem.projected and not computation.pending and computation.refusal is None:
            self._runner.change(label, lambda: made_direct(computation.evaluation))
