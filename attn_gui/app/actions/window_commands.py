"""Search actions, help (F1), shortcuts, About and next zone as actions: what each opens, on which page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.app.actions.actions import Command, translated
from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.maps.maps import MapKeys
from attn_gui.app.simple_window import SimpleWindowController
from attn_gui.app.state.settings import in_every_language
from attn_gui.modes import PRODUCT
from attn_gui.paths import notices
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.zones import ZONES, show_in_area, stops_of, zone_with_focus

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


class CommandsController(Controller):
    """Moves the keyboard through the window, and shows what can be done in it: search, shortcuts, About."""

    def __init__(
        self, context: AppContext, keys: MapKeys, files: FilesController, parts: SimpleWindowController
    ) -> None:
        super().__init__(context)
        self._parts = parts
        self._keys, self._files = keys, files
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
                if not (zone == "zone.product" and self._view.look.mode == PRODUCT and self._keys.to_map()):
                    first.setFocus(Qt.FocusReason.TabFocusReason)
                    show_in_area(first)
                return

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
            for action in (self.actions[row.name] for row in self.actions.rows)
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


def _page_on(part: QWidget | None) -> str:
    """Return the key of the page on the innermost part of the window that has one and holds the keyboard."""
    while part is not None and part.objectName() not in HELP:
        part = part.parentWidget()
    return HELP[part.objectName()] if part is not None else ""
