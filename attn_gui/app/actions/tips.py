"""Tips with formulas, and What's This, of controls outside dialogs: formula row, sizes, head, comparison, pages."""

from __future__ import annotations

import re
from typing import cast

from PySide6.QtCore import QCoreApplication, QRegularExpression, Qt, QTimer
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.engine.scores import SCORES
from attn_gui.languages import N_
from attn_gui.views.map.heatmap import Heatmap
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
    """Gives controls their tips, each with the formula that it changes, unless they have one of their own; and whatever
    gets the keyboard its What's This, which Shift+F1 shows of that alone.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._described: list[QWidget] = []  # what has the keyboard, and what that lies in
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)  # once another problem is painted
        self._soon.timeout.connect(self.show)
        context.view.follow(self._soon.start, "evaluation", "overlay", "compare", "mode", "stage")
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._on_focus_changed)

    def show(self) -> None:
        """Bring tips, and What's This of what has the keyboard, up to date."""
        tips = _tips()
        for control in self._window.findChildren(QWidget, QRegularExpression("^" + re.escape(CONTROL))):
            if tip := tips.get(control.objectName().removeprefix(CONTROL)):
                said = QCoreApplication.translate("Tips", tip)
                if control.toolTip() in ("", control.whatsThis()) and control.property(GIVEN) is None:
                    control.setToolTip(said)
                control.setWhatsThis(said)
        self._described.clear()
        self._on_focus_changed(None, QApplication.focusWidget())

    retranslate = show

    def _on_focus_changed(self, _before: QWidget | None, widget: QWidget | None) -> None:
        """Describe what gets the keyboard, and what it lies in, such as the table of an open editor, unless it was the
        last."""
        around = []
        while widget is not None and widget is not self._window:
            around.append(widget)
            widget = widget.parentWidget()
        if widget is not None:  # a notebook or a script has windows of its own
            for part in around:
                if part not in self._described:
                    self.describe(part)
            self._described = around

    def describe(self, widget: QWidget) -> None:
        """Give a widget of the window its What's This, as a map or table, or as what its tip says."""
        shown, product, name = self._view.shown, self._window.product, widget.objectName()
        if isinstance(widget, Heatmap):
            maps = {product.maps.map(stage): stage for stage in product.maps.stages}
            maps |= {heatmap: product.operands.source(place) for place, heatmap in product.operands.shown.items()}
            widget.setWhatsThis(map_words(shown, maps[widget]) if widget in maps else widget.toolTip())
        elif isinstance(widget, QTableView) and name.startswith(TABLE) and (model := widget.model()) is not None:
            editable = bool(model.flags(model.index(0, 0)) & Qt.ItemFlag.ItemIsEditable)
            widget.setWhatsThis(table_words(shown, name.removeprefix(TABLE), editable=editable))
        elif widget.toolTip() and widget.whatsThis() == (widget.property(GIVEN) or ""):
            widget.setProperty(GIVEN, widget.toolTip())
            widget.setWhatsThis(widget.toolTip())


def _tips() -> dict[str, str]:
    """Return the English tips of controls by their names; numbers of a score function have them on their entry."""
    numbers = [entry for score in SCORES.values() for entry in score.numbers.items()]
    return TIPS | {f"score_params.{part}": setting.about for part, setting in numbers}
