"""Changes of score, scale, softmax, softcap, positions, block, sinks: first values, what goes with them,
history names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from PySide6.QtCore import Qt

from attn_gui.app.actions.actions import Command
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem
from attn_gui.engine.blocks import ACTIVATIONS, BLOCKS, NORMS
from attn_gui.engine.creation.create import fitting_output, with_hidden_width, with_score
from attn_gui.engine.creation.layer_parts import with_block, with_choice, with_gate, with_head_norms, with_sink
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.figure.stage_formulas import scale_kind
from attn_gui.figure.text.number_formats import significant
from attn_gui.languages import N_
from attn_gui.views.banner import BannerOffer
from attn_gui.views.names import mask_summary
from attn_gui.views.spine.spine_controls import HIDDEN_WIDTH, setting_of

LABELS = {
    "softcap": N_("History", "softcap {value}"),
    "temperature": N_("History", "temperature {value}"),
    "rotary_theta": N_("History", "rotary positions, θ = {value}"),
    HIDDEN_WIDTH: N_("History", "hidden units of the score {value}"),
    "block.ln_eps": N_("History", "ε of the LayerNorm {value}"),
    "block.norm_eps": N_("History", "ε of the norms {value}"),
    "qk_norm_eps": N_("History", "ε of the norms of Q and K {value}"),
}
REMOVED = {
    "softcap": N_("History", "removed the softcap"),
    "temperature": N_("History", "removed the temperature"),
    "rotary_theta": N_("History", "removed rotary positions"),
}
READ = {"temperature": Label("temperature", context="Settings"), "sink": Label(N_("History", "sinks"))}
"""What only some normalizations read."""
FIRST = {"softcap": 5.0, "temperature": 1.0, "rotary_theta": 10_000.0}  # what a step begins with when it is added

CHOSEN: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "norm": (N_("History", "norm {name}"), NORMS),
    "activation": (N_("History", "activation {name}"), ACTIVATIONS),
}
"""Choices of the block: the name of the step, and the catalog with the labels."""

SWITCHED: Mapping[str, tuple[Callable[[Problem, bool], dict[str, Any]], str, str]] = {
    "gated_network": (
        with_gate,
        N_("History", "gated the feed-forward network"),
        N_("History", "removed the gate of the feed-forward network"),
    ),
    "head_norms": (
        with_head_norms,
        N_("History", "normalized the heads of Q and K"),
        N_("History", "removed the norms of the heads of Q and K"),
    ),
    "sinks": (with_sink, N_("History", "added a sink to every head"), N_("History", "removed the sinks")),
}
"""Parts that are there or not: how each is added and taken away, and the names of both steps."""
NO_STEP = -1


class VariantsController(Controller):
    """Turns what a person asks of scores, scale, softcap, temperature and positions into edits; keeps spine and menu in
    step with the document.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._slid_to = NO_STEP  # the place in the history of the step that the slider of the scale is making
        context.window.spine.boxes.scale.scalePicked.connect(self._on_spine_scale_picked)
        context.window.spine.boxes.scale.scaleSlid.connect(self._on_spine_scale_slid)
        context.window.spine.boxes.score.picked.connect(self.set_score)
        context.window.spine.boxes.normalizer.picked.connect(self.set_normalizer)
        context.window.spine.boxes.numberCommitted.connect(self.set_number)
        context.view.follow(self.show_state, "evaluation")
        context.runner.refused.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the document's values in every control, and the words on the mask."""
        problem, spine = self._document.problem, self._window.spine
        spine.set_mask_text(mask_summary(problem.mask))
        if problem.d_k:
            spine.boxes.scale.set_scale(scale_kind(problem), problem.scale, problem.d_k)
        spine.set_score(problem.score)
        spine.set_normalizer(problem.normalize)
        numbers = problem.scalars()
        if units := SCORES[problem.score].units:
            numbers[HIDDEN_WIDTH] = problem.score_params[units].shape[-1]
        spine.set_numbers(numbers, problem.dtype)

    retranslate = show_state

    def commands(self) -> dict[str, Command]:
        turns = Command(partial(self.switch, "rotary_theta"), lambda: self._document.problem.turns)
        return {"rotary_positions": turns, **{name: self._switching(name) for name in ("softcap", "temperature")}}

    def _switching(self, field: str) -> Command:
        document = self._document
        there, read = lambda: getattr(document.problem, field) is not None, partial(_is_read, document, field)
        return Command(partial(self.switch, field), there, read if field in READ else None)

    def set_score(self, score: str) -> None:
        """Take another score function, with numbers and matrices of its own; undo brings back those before."""
        name = Label(SCORES[score].label, context="Scores")
        label = Label(N_("History", "score {name}"), {"name": name})
        self._runner.change(label, lambda: with_score(self._document.problem, score))

    def set_normalizer(self, key: str) -> None:
        """Make weights of the scores in another way; a temperature and sinks that it does not read go with the step."""
        problem = self._document.problem
        gone = [name for name in READ if getattr(problem, name) is not None and name not in NORMALIZERS[key].reads]
        values: dict[str, object] = {"name": Label(NORMALIZERS[key].label, context="Normalizers")}
        template = N_("History", "normalization: {name}")
        if gone:
            template = N_("History", "normalization: {name}; removed the {gone}")
            values["gone"] = READ[gone[0]] if len(gone) == 1 else Label(N_("History", "temperature and sinks"))
        change = {"normalize": key} | dict.fromkeys(gone)
        self._runner.change(Label(template, values), lambda: change)

    def set_number(self, name: str, value: float | None) -> None:
        """Set a number of a step; None takes the step away."""
        if value is None:
            self._runner.change(Label(REMOVED[name]), lambda: {name: None} | _excluded(self._document.problem, name))
            return
        label = _label(name, {"value": significant(value)})
        self._runner.change(label, lambda: _changed(self._document.problem, name, value))

    def switch(self, name: str, present: bool) -> None:
        """Add a step with a first value and put the keyboard on it, or take the step away."""
        self.set_number(name, FIRST[name] if present else None)
        self._view.notify_all()  # a field is there once the spine shows its step
        field = self._window.spine.boxes.field(name)
        if present and field is not None and field.isVisible():
            field.setFocus(Qt.FocusReason.OtherFocusReason)
            field.selectAll()

    def _on_spine_scale_picked(self, key: str, value: float | None) -> None:
        typed = "" if value is None else significant(value)
        labels = {
            "sqrt": Label(N_("History", "scale 1/√dₖ"), {}),
            "none": Label(N_("History", "scale none"), {}),
            "typed": Label(N_("History", "scale {value}"), {"value": typed}),
        }
        own = SCORES[self._document.problem.score].root_scale
        root = None if own else self._document.problem.d_k**-0.5
        scale = {"sqrt": root, "none": 1.0 if own else None, "typed": value}[key]
        self._runner.change(labels[key], lambda: {"scale": scale})

    def _on_spine_scale_slid(self, value: float, first: bool) -> None:
        """Put each new scale of a gesture in the place of the one before, so that the gesture leaves one step."""
        stack, before = self._document.stack, self._document.generation
        if not first and stack.index() == self._slid_to:
            label = Label(N_("History", "scale {value}"), {"value": significant(value)})
            stepped = self._runner.apply(SetFields({"scale": value}, label), instead=True)
        else:
            self._on_spine_scale_picked("typed", value)
            stepped = self._document.generation != before  # not the index: the oldest steps may have gone for it
        self._slid_to = stack.index() if stepped else NO_STEP  # else the last step is none of the slider's


def _is_read(document: Document, field: str) -> bool:
    """Return whether the weights are made with a temperature, or sinks."""
    return field in NORMALIZERS[document.problem.normalize].reads


def _label(name: str, values: dict[str, object]) -> Label:
    """Return the name in the history of another value of a number; one of a score function goes by its symbol."""
    if name in LABELS:
        return Label(LABELS[name], values)
    template = N_("History", "{symbol} of the score {value}")
    return Label(template, {"symbol": setting_of(name).symbol, **values})


def _changed(problem: Problem, name: str, value: float) -> dict[str, Any]:
    if name == HIDDEN_WIDTH:
        return with_hidden_width(problem, int(value))
    record, _, part = name.rpartition(".")
    if record:
        return {record: {**getattr(problem, record), part: value}}
    return {name: value} | _excluded(problem, name)


def _excluded(problem: Problem, name: str) -> dict[str, Any]:
    """Return the fields that go with or give way to a number: frequencies of their own stand in the place of θ."""
    return {"rotary_frequencies": None} if name == "rotary_theta" and problem.rotary_frequencies is not None else {}


class LayerController(Controller):
    """Edits the transformer layer around attention: block, norm, activation, gate, sinks; keeps menu and spine in step
    with it.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._actions = context.bars.actions
        self._objection: Callable[[], str] | None = None
        context.window.spine.boxes.choicePicked.connect(self.set_choice)
        context.view.follow(self.show_state, "evaluation")
        context.view.follow(self._withdraw, "evaluation")
        context.runner.refused.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the document's choices in the lists of the spine."""
        block = self._document.problem.block
        for name in CHOSEN:
            if block is not None and name in block:
                self._window.spine.set_choice(name, block[name])

    def commands(self) -> dict[str, Command]:
        blocks = {block.action: self._of_kind(kind) for kind, block in BLOCKS.items()}
        present: dict[str, Callable[[], bool]] = {
            "gated_network": lambda: "w_gate" in (self._document.problem.block or {}),
            "head_norms": lambda: self._document.problem.norms_heads,
            "sinks": lambda: self._document.problem.sink is not None,
        }
        possible: dict[str, Callable[[], bool]] = {
            "gated_network": lambda: self._document.problem.d_ff > 0,
            "sinks": partial(_is_read, self._document, "sink"),
        }
        switches = {
            name: Command(partial(self.switch, name), there, possible.get(name)) for name, there in present.items()
        }
        return blocks | switches

    def _of_kind(self, kind: str) -> Command:
        return Command(partial(self.set_block, kind), lambda: self._kind() == kind)

    def _kind(self) -> str | None:
        block = self._document.problem.block
        return None if block is None else str(block["kind"])

    def switch(self, name: str, present: bool) -> None:
        """Add a part of the layer, or take it away."""
        change, added, removed = SWITCHED[name]
        self._runner.change(Label(added if present else removed), lambda: change(self._document.problem, present))

    def set_choice(self, name: str, key: str) -> None:
        """Choose the norm or the activation of the block."""
        template, catalog = CHOSEN[name]
        label = Label(template, {"name": catalog[key].label})
        self._runner.change(label, lambda: with_choice(self._document.problem, name, key))

    def set_block(self, kind: str, present: bool) -> None:
        """Add a block of a kind, or take it away; where it cannot be, offer what is missing."""
        problem = self._document.problem
        if present and not problem.projected:
            new = BannerOffer(lambda: self.tr("New problem…"), "", self._actions["new"].trigger)
            self._object(self._no_x, new)
        elif present and problem.d_out != problem.d_model:
            sizes = {"expected": problem.d_model, "got": problem.d_out}
            way = self._add_output if problem.w_output is None else self._widen_output
            widen = BannerOffer(lambda: way().format(**sizes), "", partial(self._widen, kind))
            self._object(lambda: self._not_as_wide().format(**sizes), widen)
        else:
            label = N_("History", "added the block") if present else N_("History", "removed the block")
            self._runner.change(Label(label), lambda: with_block(problem, kind if present else None))

    def _object(self, words: Callable[[], str], way: BannerOffer) -> None:
        self._objection = words
        self._window.banner.show_error(words, offers=[way])

    def _withdraw(self) -> None:
        """Take back the refusal of a block: the changed problem may have what it lacked."""
        words, self._objection = self._objection, None
        if words is not None and self._window.banner.text() == words():
            self._window.banner.hide()

    # --- what is missing for the block, in the language of the moment ----------------------------------
    def _no_x(self) -> str:
        return self.tr("The block adds X to the output, but Q, K and V are given here: there is no X.")

    def _not_as_wide(self) -> str:
        return self.tr(
            "The block adds X to the output, so the output must be as wide as X: {expected} columns, not {got}."
        )

    def _add_output(self) -> str:
        return self.tr("Add W_O and the block")

    def _widen_output(self) -> str:
        return self.tr("Make W_O {expected} columns wide and add the block")

    def _widen(self, kind: str) -> None:
        problem = self._document.problem
        label = Label(N_("History", "added W_O and the block"))
        self._runner.change(label, lambda: fitting_output(problem) | with_block(problem, kind))
