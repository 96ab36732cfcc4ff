"""Changes of size and precision, W_O, biases, second sequence; which shapes followed, said; buttons after a clash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QObject
from shiboken6 import isValid

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.editing.edit_runner import Arrays, EditRunner
from attn_gui.app.state.translated_errors import called, saying, sentences, why_lacking
from attn_gui.app.title_and_status import StatusNote
from attn_gui.document.edits import Label, SetFields, fill_template
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import Fix, Resized, ShapeError, head_counts, reshaped, resize
from attn_gui.engine.creation.create import made_direct, with_biases, with_context, with_dtype, with_output
from attn_gui.engine.errors import Shape
from attn_gui.engine.graph.stage import Role
from attn_gui.languages import N_
from attn_gui.views.banner import Banner, BannerOffer, Words
from attn_gui.views.controls.shape_panel import ShapeState
from attn_gui.views.tables.inputs import InputsView
from attn_gui.views.tables.matrix_panel import MatrixPanel

# --- a clash of shapes: what is said, the ways out, and what a change of sizes does to others ------
Shapes = Mapping[str, tuple[Shape, Shape]]  # before and after, by field
CHANGE = N_("{symbol} {before} → {after}")
FOLLOW = N_("With it changes {others}; new cells are 0.")
ZEROS = N_("New cells are 0.")
DONE = N_("{changes}; new cells are 0")


Fields = Mapping[str, object]
Accept = Callable[[Fields, Arrays], None]  # with the arrays that were made for it

AXES = {"row": 0, "column": 1}


def shape_text(*shape: int) -> str:
    return " × ".join(map(str, shape))


def followers_text(field: str, shapes: Shapes) -> str:
    """Return one sentence on what changes beside a field that grows."""
    others = {name: pair for name, pair in shapes.items() if name != field}
    if not others:
        return translated_sentence(ZEROS)
    return translated_sentence(FOLLOW, others=_listed(others))


def done_text(shapes: Shapes) -> str:
    """Return the effect of a change of sizes, for the status bar; empty if no array has another shape."""
    grown = any(len(new) > len(old) or any(map(int.__gt__, new, old)) for old, new in shapes.values())
    return translated_sentence(DONE, changes=_listed(shapes)) if grown else _listed(shapes)


def _listed(shapes: Shapes) -> str:
    parts = [
        translated_sentence(CHANGE, symbol=field_symbol(name), before=shape_text(*old), after=shape_text(*new))
        for name, (old, new) in shapes.items()
    ]
    return translated_sentence(", ").join(parts)


def translated_sentence(template: str, **words: object) -> str:
    """Return a sentence in the language of the moment, its places filled."""
    return QCoreApplication.translate("Sentences", template).format(**words)


class ShapeFixes(QObject):
    """Says why matrices do not fit together, and offers every change that would make them fit; nothing is changed until
    one is picked.
    """

    def __init__(self, banner: Banner, parent: QObject, runner: EditRunner, inputs: InputsView | None = None) -> None:
        """Mark clashes; `inputs` are the tables of the document, where what is brought clashes with one of them."""
        super().__init__(parent)
        self._runner, self._banner, self._inputs = runner, banner, inputs
        self._marked: list[MatrixPanel] = []
        banner.changed.connect(self._unmark)

    def offer(
        self,
        clash: ShapeError,
        base: Callable[[], Fields],
        changes: Callable[[], Fields],
        accept: Accept,
        *,
        words: Words | None = None,
        before: Sequence[BannerOffer] = (),
        brought: str = "",
    ) -> None:
        """Say what clashes, `words` instead of the clash's own, and offer what is in `before` and every fix.

        `brought` is the matrix that a person wants to put in: where it can be turned to fit, that was most likely
        meant; where `before` makes the others follow it, only changes of its own are left to offer.

        `base` gives the fields as they are when a button is pressed, `changes` those that are to be put in their
        place then; `accept` takes what is to be changed then, or raises the ShapeError that is left.
        """

        def offered(fix: Fix) -> BannerOffer:
            own = fix.matrix == brought
            return BannerOffer(
                lambda: self._label(fix, own), saying(fix), lambda: self._take(fix, base, changes, accept)
            )

        first = [fix for fix in clash.fixes if fix.kind == "transpose" and brought in (fix.matrix, "")]
        last = [fix for fix in clash.fixes if fix not in first and (not before or fix.matrix == brought)]
        offers = [*map(offered, first), *before, *map(offered, last)]
        self._banner.show_error(words or saying(clash), offers=offers, focus=True)
        self._mark(clash, brought)

    def _mark(self, clash: ShapeError, brought: str) -> None:
        """Mark the number in the shape of the table that something does not fit to.

        What is brought is in no table yet.
        """
        panels = self._inputs.panels if self._inputs is not None else {}
        for matrix, axis in zip(clash.matrices, clash.axes, strict=False):
            panel = panels.get(matrix)
            if panel is not None and matrix != brought and axis in AXES:
                panel.set_wrong([AXES[axis]])
                self._marked.append(panel)

    def _unmark(self) -> None:
        for panel in self._marked:
            if isValid(panel):
                panel.set_wrong([])
        self._marked.clear()

    def _take(self, fix: Fix, base: Callable[[], Fields], changes: Callable[[], Fields], accept: Accept) -> None:
        def make() -> Fields:
            from attn_gui.engine import apply_fix

            given = changes()
            return {**given, **apply_fix(fix, {**base(), **given})}

        def take(fixed: Fields, fresh: Arrays) -> None:
            try:
                accept(fixed, fresh)
            except ShapeError as clash:  # one thing is put right, another is not
                self.offer(clash, base, lambda: fixed, accept)

        self._runner.begin(self._label(fix), make, take)

    def _label(self, fix: Fix, own: bool = False) -> str:
        """Return the words of a way out; one that changes what is brought, `own`, does not name the matrix there is."""
        if own and fix.kind == "resize" and fix.before:
            cut = all(new <= old for new, old in zip(fix.after, fix.before, strict=True))
            return (self.tr("Cut it to {after}") if cut else self.tr("Fit it to {after}")).format(
                after=shape_text(*fix.after)
            )
        words = {
            "add": self.tr("Add {matrix}, {shape}"),
            "transpose": self.tr("Transpose {matrix}"),
            "resize": self.tr("Change the number of {matrix} to {after}")
            if fix.counts
            else self.tr("Resize {matrix} to {after}"),
            "project": self.tr("Project {matrix} with a new {shape}"),
        }[fix.kind if fix.before else "add"]
        shapes = {"after": shape_text(*fix.after), "shape": shape_text(*fix.shape)}
        return fill_template(words, {"matrix": called(fix.matrix), **shapes})


# --- edits -----------------------------------------------------------------------------------------
SIZE_LABELS = {
    "num_heads": N_("History", "heads {old} → {new}"),
    "num_kv_heads": N_("History", "K/V heads {old} → {new}"),
    "d_k": N_("History", "dₖ {old} → {new}"),
    "d_v": N_("History", "dᵥ {old} → {new}"),
    "n": N_("History", "queries {old} → {new}"),
    "m": N_("History", "keys {old} → {new}"),
    "d_model": N_("History", "d_model {old} → {new}"),
    "batch_size": N_("History", "items {old} → {new}"),
}

SIZE_OF = {"d_k": Role.SCORE, "d_model": Role.SCORE, "d_v": Role.MIX, "num_kv_heads": Role.MIX}
"""Sizes of what is there for some part of attention alone."""


class ShapeController(Controller):
    """Turns what a person asks of shapes, precision and parts in the panel or the menu into edits."""

    def __init__(self, context: AppContext, note: StatusNote) -> None:
        super().__init__(context)
        self._note = note
        self.keep = "d_model"
        self._lost: Callable[[], str] | None = None  # what is said of numbers that another precision has not got
        panel = context.window.shape_panel
        panel.sizeCommitted.connect(self._on_panel_size_committed)
        panel.dtype.picked.connect(self._on_panel_dtype_picked)
        panel.keep.clicked.connect(self._on_panel_keep_picked)
        panel.itemPicked.connect(lambda item: context.view.set(batch=item))
        context.runner.refused.connect(self.show_state)
        context.document.changed.connect(self._show_lost)
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

    def _show_lost(self, *_: object) -> None:
        """Say what the newest step has lost, after a redo as well, until another one is the newest."""
        if self._lost is not None:
            self._window.banner.withdraw(self._lost)
        if notes := self._document.notes:
            self._lost = lambda: sentences(notes)
            self._window.banner.show_info(self._lost)

    def _on_panel_keep_picked(self, keep_d_model: bool) -> None:
        self.keep = "d_model" if keep_d_model else "d_k"
        self.show_state()

    def _on_panel_dtype_picked(self, dtype: str) -> None:
        label = Label(N_("History", "precision {dtype}"), {"dtype": dtype})

        def take(changed: Resized, fresh: Arrays) -> None:
            self._document.apply(SetFields(changed.fields, label, changed.notes), fresh)

        self._runner.begin(label, lambda: with_dtype(self._document.problem, dtype), take)

    def set_output_projection(self, present: bool) -> None:
        label = Label(N_("History", "added W_O") if present else N_("History", "removed W_O"))
        self._runner.change(label, lambda: with_output(self._document.problem, present))

    def set_biases(self, present: bool) -> None:
        label = Label(N_("History", "added biases") if present else N_("History", "removed biases"))
        self._runner.change(label, lambda: with_biases(self._document.problem, present))

    def set_second_sequence(self, present: bool) -> None:
        label = Label(
            N_("History", "added a second sequence") if present else N_("History", "removed the second sequence")
        )
        self._runner.change(label, lambda: with_context(self._document.problem, present))

    def make_direct(self) -> None:
        """Keep the computed Q, K, V as the matrices that are edited."""
        label, computation = Label(N_("History", "Q, K, V directly")), self._computation
        if self._document.problem.projected and not computation.pending and computation.refusal is None:
            self._runner.change(label, lambda: made_direct(computation.evaluation))
