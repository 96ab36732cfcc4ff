"""Tips with formulas, and What's This, of controls outside dialogs: formula row, sizes, head, comparison, pages."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QApplication, QTableView, QWidget
from shiboken6 import isValid

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.engine.scores import SCORES
from attn_gui.languages import N_
from attn_gui.views.names import map_words, table_words

TIPS = {
    "score": N_("Tips", "How alike a query and a key are: S = a(Q, K); the dot product is S = Q Kᵀ"),
    "normalize": N_(
        "Tips",
        "Makes weights of the scores: a softmax, nothing at all, φ(s) / Σ φ(s) with φ(s) = elu(s) + 1, or a sigmoid",
    ),
    "scale": N_("Tips", "What the scores are multiplied by: S′ = S / √dₖ keeps their variance near 1"),
    "scale_value": N_("Tips", "The factor α of the scores: S′ = α · S"),
    "scale_slider": N_("Tips", "The factor α of the scores from 0 to 1/√dₖ: S′ = α · S"),
    "mask": N_("Tips", "Which keys a query may see: Sᵐ = S′ + M, where M is 0 or −∞"),
    "softcap": N_("Tips", "Keeps scores between −cap and cap: S″ = cap · tanh(S′ / cap)"),
    "temperature": N_("Tips", "A = softmax(S′ / T): below 1 it sharpens the weights, above 1 it evens them out"),
    "rotary_theta": N_("Tips", "Turns pairs of columns of Q and K by i · θ^(−2p/dₖ) at position i"),
    "d_a": N_("Tips", "How many units the additive score has: a = tanh(q W_q + k W_k) · w"),
    "block.ln_eps": N_("Tips", "Added to the variance: N = γ (R − μ) / √(σ² + ε) + β"),
    "block.norm_eps": N_("Tips", "Added to the variance or the mean square: N = γ R / √(mean R² + ε)"),
    "qk_norm_eps": N_("Tips", "Added to the mean square of a head: Qⁿ = γ Q / √(mean Q² + ε)"),
    "norm": N_("Tips", "Which norm the block uses: LayerNorm takes the mean off, RMSNorm does not"),
    "activation": N_(
        "Tips", "The function between the products of the feed-forward network: F = a(Fᵘ); gated F = a(Fᵍ) · Fᵘ"
    ),
    "head": N_("Tips", "The head on show, counted from 0: O = A V of its columns alone"),
    "reading": N_("Tips", "Which number stands below every head, read off its weights A"),
    "mask_reading.attend": N_("Tips", "True opens a key, as in scaled_dot_product_attention: M is 0 there"),
    "mask_reading.blocked": N_("Tips", "True closes a key, as in nn.MultiheadAttention: M is −∞ there"),
    "compare": N_(
        "Tips", "Which of two states the maps show: now, before, now − before; or gradients of the chosen cell"
    ),
    "gradient": N_("Tips", "Which sum the gradient ∂ is of: one cell, its row, or ½ Σ of the row squared"),
    "wipe": N_("Tips", "Draws a bar in the maps: before on its left, now on its right"),
    "page": N_("Tips", "Which page is shown: each looks at the present numbers in its own way"),
    "batch": N_("Tips", "The item of the batch on show, counted from 0"),
    "num_heads": N_("Tips", "How many heads share the columns of Q: each computes its own A = softmax(Q Kᵀ / √dₖ)"),
    "num_kv_heads": N_("Tips", "How many heads K and V have; each serves num_heads / num_kv_heads query heads"),
    "d_k": N_("Tips", "Columns of Q and K in one head; the scale 1/√dₖ depends on it"),
    "d_v": N_("Tips", "Columns of V in one head, and so of its output O = A V"),
    "n": N_("Tips", "Rows of Q: a row of S, of A and of O for each query"),
    "m": N_("Tips", "Rows of K and V: a column of S and of A for each key"),
    "d_model": N_("Tips", "Columns of X, or of all heads together where Q is given; mostly d_model = heads · dₖ"),
    "d_model_fixed": N_("Tips", "Whether d_model or dₖ stays when the number of heads changes: d_model = heads · dₖ"),
    "batch_size": N_("Tips", "How many items are computed side by side, each with its own Q, K and V"),
}
SOON_MS = 30
CONTROL = "control."
TABLE = "table."
GIVEN = "given_tip"  # a property of a control: the tip that its What's This was given


class TipsController(Controller):
    """Gives controls their tips, and What's This, each with the formula that it changes or shows, once `show` is asked
    for; a tip of its own stays.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._parts: list[Callable[[], None]] = []
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)  # once another problem is painted
        self._soon.timeout.connect(self._on_soon_timeout)
        context.view.follow(self._begin, "evaluation", "overlay", "compare", "mode")
        context.view.follow(self._begin_maps, "stage")

    def show(self) -> None:
        """Bring tips and What's This up to date, with what still waits for its turn."""
        self._soon.stop()
        self._parts = []
        for describe in (self._describe_controls, self._describe_maps, self._describe_tables):
            describe()

    retranslate = show

    def _begin(self) -> None:
        self._parts = [self._describe_controls, self._describe_maps, self._describe_tables]
        self._soon.start()

    def _begin_maps(self) -> None:
        """Leave controls as they are, unless they wait."""
        waiting = [describe for describe in self._parts if describe == self._describe_controls]
        self._parts = [*waiting, self._describe_maps, self._describe_tables]
        self._soon.start()

    def _on_soon_timeout(self) -> None:
        """Give tips to one part in a turn, so that the window paints and answers between."""
        self._parts.pop(0)()
        if self._parts:
            self._soon.start()

    def _describe_controls(self) -> None:
        tips = _tips()
        for control in self._controls():
            name = control.objectName()
            if name.startswith(CONTROL) and (tip := tips.get(name.removeprefix(CONTROL))):
                said = QCoreApplication.translate("Tips", tip)
                if control.toolTip() in ("", control.whatsThis()):
                    control.setToolTip(said)
                control.setWhatsThis(said)
            if control.toolTip() and control.whatsThis() == (control.property(GIVEN) or ""):
                control.setProperty(GIVEN, control.toolTip())
                control.setWhatsThis(control.toolTip())

    def _describe_maps(self) -> None:
        """Describe those in sight; the others once their stage or all are shown."""
        shown, product = self._view.shown, self._window.product
        maps = [(stage, product.maps.map(stage)) for stage in product.maps.stages]
        maps += [(product.operands.source(place), heatmap) for place, heatmap in product.operands.shown.items()]
        for name, heatmap in maps:
            if heatmap.isVisible():
                heatmap.setWhatsThis(map_words(shown, name))

    def _describe_tables(self) -> None:
        for table in self._window.findChildren(QTableView):
            if table.objectName().startswith(TABLE) and (model := table.model()) is not None:
                editable = bool(model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable)
                name = table.objectName().removeprefix(TABLE)
                table.setWhatsThis(table_words(self._view.shown, name, editable=editable))

    def _controls(self) -> list[QWidget]:
        """Return what is named a control in the window, its popups and dialogs, and what takes the focus and has a tip.

        `findChildren` would keep what Qt itself has made in it.
        """
        ours = {window for window in filter(isValid, QApplication.topLevelWidgets()) if self._holds(window)}
        none, every = Qt.FocusPolicy.NoFocus, filter(isValid, QApplication.allWidgets())  # some may be about to go
        return [
            widget
            for widget in every
            if (widget.objectName().startswith(CONTROL) or (widget.toolTip() and widget.focusPolicy() != none))
            and widget.window() in ours
        ]

    def _holds(self, window: QWidget | None) -> bool:
        while window is not None and window is not self._window:
            window = window.parentWidget()
        return window is not None


def _tips() -> dict[str, str]:
    """Return the English tips of controls by their names; numbers of a score function have them on their entry."""
    numbers = [entry for score in SCORES.values() for entry in score.numbers.items()]
    return TIPS | {f"score_params.{part}": setting.about for part, setting in numbers}
