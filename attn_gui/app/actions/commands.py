"""Commands about the window and about the other commands; tips, and What's This of its controls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QApplication, QTableView, QWidget
from shiboken6 import isValid

from attn_gui.app.actions.actions import Command, translated
from attn_gui.app.actions.context_menus import MapKeys
from attn_gui.app.app_context import AppContext
from attn_gui.app.files.files import FilesController
from attn_gui.app.simple_window import SimpleWindowController
from attn_gui.app.state.settings import in_every_language
from attn_gui.engine.scores import SCORES
from attn_gui.languages import QT_TRANSLATE_NOOP
from attn_gui.modes import PRODUCT
from attn_gui.paths import notices
from attn_gui.views.dialogs.asking import asked
from attn_gui.views.spoken_formulas import map_words, table_words
from attn_gui.views.zones import ZONES, stops_of, zone_with_focus

if TYPE_CHECKING:
    from attn_gui.views.dialogs.action_search import ActionOffer
    from attn_gui.views.dialogs.help_window import HelpPage


HELP = {
    "zone.inputs": "2-tables",
    "zone.product": "3-maps",
    "heads.weights": "3-maps",
    "panel.pages": "3-pages",
    "panel.mask": "4-masks",
    "panel.interventions": "5-changing-any-number",
    "model.view": "8-models",
    "lesson": "9-learning",
}
"""Pages of the help about parts of the window; any other place has the first one."""

TIPS = {
    "score": QT_TRANSLATE_NOOP("Tips", "How alike a query and a key are: S = a(Q, K); the dot product is S = Q Kᵀ"),
    "normalize": QT_TRANSLATE_NOOP(
        "Tips",
        "Makes weights of the scores: a softmax, nothing at all, φ(s) / Σ φ(s) with φ(s) = elu(s) + 1, or a sigmoid",
    ),
    "scale": QT_TRANSLATE_NOOP("Tips", "What the scores are multiplied by: S′ = S / √dₖ keeps their variance near 1"),
    "scale_value": QT_TRANSLATE_NOOP("Tips", "The factor α of the scores: S′ = α · S"),
    "scale_slider": QT_TRANSLATE_NOOP("Tips", "The factor α of the scores from 0 to 1/√dₖ: S′ = α · S"),
    "mask": QT_TRANSLATE_NOOP("Tips", "Which keys a query may see: Sᵐ = S′ + M, where M is 0 or −∞"),
    "softcap": QT_TRANSLATE_NOOP("Tips", "Keeps scores between −cap and cap: S″ = cap · tanh(S′ / cap)"),
    "temperature": QT_TRANSLATE_NOOP(
        "Tips", "A = softmax(S′ / T): below 1 it sharpens the weights, above 1 it evens them out"
    ),
    "rotary_theta": QT_TRANSLATE_NOOP("Tips", "Turns pairs of columns of Q and K by i · θ^(−2p/dₖ) at position i"),
    "d_a": QT_TRANSLATE_NOOP("Tips", "How many units the additive score has: a = tanh(q W_q + k W_k) · w"),
    "block.ln_eps": QT_TRANSLATE_NOOP("Tips", "Added to the variance: N = γ (R − μ) / √(σ² + ε) + β"),
    "block.norm_eps": QT_TRANSLATE_NOOP("Tips", "Added to the variance or the mean square: N = γ R / √(mean R² + ε)"),
    "qk_norm_eps": QT_TRANSLATE_NOOP("Tips", "Added to the mean square of a head: Qⁿ = γ Q / √(mean Q² + ε)"),
    "norm": QT_TRANSLATE_NOOP("Tips", "Which norm the block uses: LayerNorm takes the mean off, RMSNorm does not"),
    "activation": QT_TRANSLATE_NOOP(
        "Tips", "The function between the products of the feed-forward network: F = a(Fᵘ); gated F = a(Fᵍ) · Fᵘ"
    ),
    "head": QT_TRANSLATE_NOOP("Tips", "The head on show, counted from 0: O = A V of its columns alone"),
    "reading": QT_TRANSLATE_NOOP("Tips", "Which number stands below every head, read off its weights A"),
    "mask_reading.attend": QT_TRANSLATE_NOOP(
        "Tips", "True opens a key, as in scaled_dot_product_attention: M is 0 there"
    ),
    "mask_reading.blocked": QT_TRANSLATE_NOOP("Tips", "True closes a key, as in nn.MultiheadAttention: M is −∞ there"),
    "compare": QT_TRANSLATE_NOOP(
        "Tips", "Which of two states the maps show: now, before, now − before; or gradients of the chosen cell"
    ),
    "gradient": QT_TRANSLATE_NOOP(
        "Tips", "Which sum the gradient ∂ is of: one cell, its row, or ½ Σ of the row squared"
    ),
    "wipe": QT_TRANSLATE_NOOP("Tips", "Draws a bar in the maps: before on its left, now on its right"),
    "page": QT_TRANSLATE_NOOP("Tips", "Which page is shown: each looks at the present numbers in its own way"),
    "batch": QT_TRANSLATE_NOOP("Tips", "The item of the batch on show, counted from 0"),
    "num_heads": QT_TRANSLATE_NOOP(
        "Tips", "How many heads share the columns of Q: each computes its own A = softmax(Q Kᵀ / √dₖ)"
    ),
    "num_kv_heads": QT_TRANSLATE_NOOP(
        "Tips", "How many heads K and V have; each serves num_heads / num_kv_heads query heads"
    ),
    "d_k": QT_TRANSLATE_NOOP("Tips", "Columns of Q and K in one head; the scale 1/√dₖ depends on it"),
    "d_v": QT_TRANSLATE_NOOP("Tips", "Columns of V in one head, and so of its output O = A V"),
    "n": QT_TRANSLATE_NOOP("Tips", "Rows of Q: a row of S, of A and of O for each query"),
    "m": QT_TRANSLATE_NOOP("Tips", "Rows of K and V: a column of S and of A for each key"),
    "d_model": QT_TRANSLATE_NOOP(
        "Tips", "Columns of X, or of all heads together where Q is given; mostly d_model = heads · dₖ"
    ),
    "d_model_fixed": QT_TRANSLATE_NOOP(
        "Tips", "Whether d_model or dₖ stays when the number of heads changes: d_model = heads · dₖ"
    ),
    "batch_size": QT_TRANSLATE_NOOP("Tips", "How many items are computed side by side, each with its own Q, K and V"),
}
SOON_MS = 30
CONTROL = "control."
TABLE = "table."
GIVEN = "told"  # the tip that What's This was given


class CommandsController(QObject):
    """Moves the keyboard through the window, and shows what can be done in it: search, shortcuts, About."""

    def __init__(
        self, context: AppContext, keys: MapKeys, files: FilesController, parts: SimpleWindowController
    ) -> None:
        super().__init__(context.window)
        self._parts = parts
        self._appearance = context.appearance
        self._window, self._bars = context.window, context.bars
        self._view, self._keys, self._files = context.view, keys, files
        self.actions = context.bars.actions

    def commands(self) -> dict[str, Command]:
        return {
            "quit": Command(self._window.close),
            "score": Command(partial(self._to_control, "score")),
            "scale": Command(partial(self._to_control, "scale")),
            "normalize": Command(partial(self._to_control, "normalize")),
            "next_zone": Command(partial(self.step_zone, 1)),
            "previous_zone": Command(partial(self.step_zone, -1)),
            "search_actions": Command(self.search),
            "help": Command(self.show_help),
            "shortcuts": Command(self.show_shortcuts),
            "about": Command(self.show_about),
        }

    def step_zone(self, way: int) -> None:
        """Move the focus to the next zone of the window (1), or to the one before (-1)."""
        here = zone_with_focus(self._window)
        present = min(-way, 0) if here is None else here
        for places in range(1, len(ZONES) + 1):
            zone = ZONES[(present + way * places) % len(ZONES)]
            first = next(iter(stops_of(self._window, zone)), None)
            if first is not None:
                if not self._focus_map(zone):
                    first.setFocus(Qt.FocusReason.TabFocusReason)
                return

    def _focus_map(self, zone: str) -> bool:
        """Among the pictures the large map comes before the line above it."""
        return zone == "zone.product" and self._view.look.mode == PRODUCT and self._keys.to_map()

    def _to_control(self, name: str) -> None:
        """Put the keyboard where a setting of the computation is chosen."""
        control = self._window.findChild(QWidget, f"control.{name}")
        if control is not None:
            control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def search(self) -> None:
        from attn_gui.views.dialogs.action_search import ActionSearch

        self._files.recent.fill()
        asked(ActionSearch(self._offers(), self._window))

    def show_help(self) -> None:
        """Open the help beside the window, at the page on what has the keyboard."""
        from attn_gui.views.dialogs.help_window import HelpWindow

        help_window = self._window.findChild(HelpWindow) or HelpWindow(self._help_pages, self._window)
        help_window.open_page(_page_on(QApplication.focusWidget()))
        help_window.show()
        help_window.activateWindow()

    def _help_pages(self) -> Sequence[HelpPage]:
        """Return the pages in the present language, with the way to every action in its words."""
        from attn_gui.app.model_controller import out_of_reach
        from attn_gui.views.dialogs.action_search import way_to
        from attn_gui.views.dialogs.help_window import help_pages

        # an action may be called for what it would do now, as Undo is for the last step: a page is read later, too
        labels = {row.name: translated(row.label, row.context) for row in self.actions.rows}
        ways = {}
        for menus, _words, action in self._bars.every_action():
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            name = action.objectName().removeprefix("action.")
            way = way_to(menus, labels.get(name, action.text()))
            ways[name] = f"{way} ({keys})" if keys else way
        return help_pages(self._appearance.language, ways, out_of_reach())

    def show_shortcuts(self) -> None:
        from attn_gui.views.dialogs.action_search import without_access_key
        from attn_gui.views.dialogs.help_window import ShortcutsDialog

        rows = [
            (without_access_key(action.text()), action.shortcut().toString())
            for action in self._listed()
            if not action.shortcut().isEmpty()
        ]
        asked(ShortcutsDialog(rows, self._window))

    def show_about(self) -> None:
        from attn_gui.views.dialogs.help_window import AboutDialog

        asked(AboutDialog(self._window, notices=notices()))

    def _offers(self) -> list[ActionOffer]:
        """Return every action of the full menus with its way there, examples, recent files and parts of the window.

        What the simple window leaves out is offered with the switch to the full one.
        """
        from attn_gui.views.dialogs.action_search import ActionOffer, without_access_key

        rows = {f"action.{row.name}": row for row in self.actions.rows}
        offers, said = [], in_every_language()
        for menus, words, action in self._bars.every_action():
            row = rows.get(action.objectName())
            words = f"{words} {row.words} {without_access_key(said(row.label, row.context))}" if row else words
            switch = self._to_full if self._bars.is_left_out(action) else None
            offers.append(ActionOffer(action, menus, words, self.actions.needs(row) if row else "", switch))
        for action, words, in_sight in self._parts.offers():
            offers.append(ActionOffer(action, words=words, switch=None if in_sight else self._to_full))
        return offers

    def _to_full(self) -> None:
        self._appearance.set_simple(False)

    def _listed(self) -> list[QAction]:
        return [self.actions[row.name] for row in self.actions.rows]


def _page_on(part: QWidget | None) -> str:
    """Return the key of the page on the innermost part of the window that has one and holds the keyboard."""
    while part is not None and part.objectName() not in HELP:
        part = part.parentWidget()
    return HELP[part.objectName()] if part is not None else ""


class TipsController(QObject):
    """Gives controls their tips, and What's This, each with the formula that it changes or shows, once `show` is asked
    for; a tip of its own stays.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.window)
        self._window, self._view = context.window, context.view
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
        """Return all that takes the focus in the window, its popups and dialogs, and what is named a control.

        `findChildren` would keep what Qt itself has made in it.
        """
        ours = {window for window in filter(isValid, QApplication.topLevelWidgets()) if self._holds(window)}
        none, every = Qt.FocusPolicy.NoFocus, filter(isValid, QApplication.allWidgets())  # some may be about to go
        wanted = (w for w in every if w.focusPolicy() != none or w.objectName().startswith(CONTROL))
        return [widget for widget in wanted if widget.window() in ours]

    def _holds(self, window: QWidget | None) -> bool:
        while window is not None and window is not self._window:
            window = window.parentWidget()
        return window is not None

    def retranslate(self) -> None:
        """Take over the new language; widgets that have tips of their own have heard of it."""
        self.show()


def _tips() -> dict[str, str]:
    """Return the English tips of controls by their names; numbers of a score function have them on their entry."""
    numbers = [entry for score in SCORES.values() for entry in score.numbers.items()]
    return TIPS | {f"score_params.{part}": setting.about for part, setting in numbers}
