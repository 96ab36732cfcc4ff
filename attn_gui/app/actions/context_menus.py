"""Which entries a right click on a map, table, head, the formula row or history offers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import QMenu, QWidget

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.tables.tables import TablesController
from attn_gui.document.clipboard import copy_source
from attn_gui.engine import STAGE
from attn_gui.views.tables.matrix_panel import MatrixPanel
from attn_gui.views.widgets import MenuZone, entries_of

COPY = ("copy", "copy_with_headers", "copy_as")
# fmt: off
MAP = (  # a part of the menu to a line
    "release_cell", "walk", "show_origin", "show_reach", "toggle_mask_cell", None,
    "set_number", "take_before", "free_cells", "by_hand", None,
    *COPY, None,
    "levels", "values", "product", "all_stages", None,
)
"""Actions in the menus of large maps, before those of their picture; None is a line."""

TABLE = (
    "cut", *COPY, "paste", "paste_special", None,
    "clear", "fill_down", "fill_right", None,
    "fill_integers", "fill_random", "fill_identity", None,
    "rows",
)
"""In the menu of a table."""

ZONES = {
    "spine": (
        *COPY, None,
        "export_image", None,
        "masks", "softcap", "temperature", "rotary_positions", None,
        "output_projection", "biases", "block",
    ),
    "heads.weights": (
        "head_off", "head_only", "head_scale", "head_copy", "head_free", None,
        "head_left", "head_right", "head_duplicate", "head_delete", "head_average", "head_equal", None,
        *COPY, None,
        "previous_head", "next_head", "readings", None,
        "export_image",
    ),
    "inspector": (*COPY, None, "walk", "previous_place", "set_target", "show_origin", "show_reach", "release_cell"),
    "snapshots": (
        "open_snapshot", "compare_with_snapshot", "name_snapshot", "delete_snapshot", None,
        "copy", None,
        "snapshot",
    ),
    "history": ("undo", "redo", None, "blame", None, *COPY, None, "history"),
}
# fmt: on
"""Entries of the menus of whole zones of the window."""


class ContextMenus(Controller):
    """Opens the menu of a map, the spine, heads, inspector or history on a right click or the Menu key; what lies under
    the pointer takes the keyboard first.
    """

    def __init__(self, context: AppContext, tables: TablesController) -> None:
        super().__init__(context)
        for name, actions in ZONES.items():
            zone = context.window.findChild(QWidget, name)
            assert isinstance(zone, MenuZone), f"the window has no {name}"
            zone.menuAsked.connect(partial(self._open, zone, actions))
        context.window.product.set_menu_actions([self._action(name, context.window) for name in MAP])
        settable = [name for name, stage in STAGE.items() if stage.settable]
        context.window.product.maps.add_action(context.bars.actions["set_target"], settable)
        tables.on_new_table(self._add_to_table)

    def _add_to_table(self, _field: str, panel: MatrixPanel) -> None:
        """Add the commands that act on a table to its own menu, and the number formats."""
        commands = [self._action(name, panel) if name else None for name in TABLE]
        panel.menu.set_commands(commands, [self._action("decimals", panel)])

    def _open(self, zone: QWidget, actions: Sequence[str | None], event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            _take_keyboard(zone.childAt(event.pos()))
        menu = QMenu(zone)
        menu.setObjectName("menu.context")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(entries_of(self._action(name, menu) for name in actions))
        menu.popup(event.globalPos())

    def _action(self, name: str | None, owner: QObject) -> QAction:
        """Return an action, the entry of a submenu, or a line."""
        if name is None:
            line = QAction(owner)
            line.setSeparator(True)
            return line
        return self._bars.menus[name].menuAction() if name in self._bars.menus else self._bars.actions[name]


def _take_keyboard(widget: QWidget | None) -> None:
    """Give the keyboard to the widget on which the menu was opened."""
    source = copy_source(widget)
    if isinstance(source, QWidget) and source.focusPolicy() != Qt.FocusPolicy.NoFocus:
        source.setFocus(Qt.FocusReason.MouseFocusReason)
