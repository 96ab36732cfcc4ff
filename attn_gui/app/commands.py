"""Ties every row of the action table to what it does.

Dialogs are imported when they are opened, here and in all controllers: the start does not wait for them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from attn_gui.app.actions import ACTIONS, DECIMALS, translated
from attn_gui.app.bars import Bars
from attn_gui.app.curve import is_curve
from attn_gui.app.history import LIMITS_MB
from attn_gui.paths import notices
from attn_gui.views.focus_order import ZONES, stops_of, zone_with_focus
from attn_gui.views.heatmaps.veil import BACKWARD, FORWARD

if TYPE_CHECKING:
    from attn_gui.app.program import Program
    from attn_gui.document.matrix_model import MatrixModel
    from attn_gui.views.dialogs.palette import Offer
    from attn_gui.views.tables import MatrixPanel

TABLE_MENU = ("cut", "copy", "copy_with_headers", "paste", "", "clear", "fill_down", "fill_right", "",
              "fill_integers", "fill_random", "fill_identity")  # fmt: skip


class CommandsController(QObject):
    """Commands of menus, tool bar and shortcuts; which actions are enabled and checked."""

    def __init__(self, program: Program, bars: Bars) -> None:
        super().__init__(program.window)
        self._program, self._window = program, program.window
        self._bars, self.actions = bars, bars.actions
        self._connect()
        program.view.follow(
            self._show_checks, "evaluation", "cell", "mode", "values", "reach", "scientific", "decimals"
        )
        program.look.changed.connect(self._show_checks)
        program.panel.paintingChanged.connect(self._show_checks)
        program.look.changed.connect(bars.size_icons)
        program.document.stack.indexChanged.connect(self._show_history)
        for menu in ("recent", "file"):
            bars.menus[menu].aboutToShow.connect(lambda: program.files.fill_recent(bars.menus["recent"]))
        program.window.installEventFilter(self)
        program.tables.on_new_table(self._add_menu)
        self._show_words()

    # --- connecting ------------------------------------------------------------------------------
    def _connect(self) -> None:
        program, on, table = self._program, self.actions.on, self._program.target.acting
        for name, slot in {
            "new": program.files.new,
            "open": program.files.open,
            "save": program.files.save,
            "save_as": program.files.save_as,
            "quit": program.window.close,
            "import_matrix": program.table_blocks.import_matrix,
            "export_image": program.export.export_image,
            "export_data": program.export.export_data,
            "compute_rest": program.progress.resume,
            "undo": program.document.stack.undo,
            "redo": program.document.stack.redo,
            "cut": table(self.cut),
            "paste": table(program.table_blocks.paste),
            "clear": table(program.table_edits.clear),
            "fill_down": table(program.table_edits.fill_down),
            "fill_right": table(program.table_edits.fill_right),
            "tokens": program.table_edits.edit_tokens,
            "output_projection": program.panel.set_output_projection,
            "biases": program.panel.set_biases,
            "block": program.variants.set_block,
            "second_sequence": program.panel.set_second_sequence,
            "make_direct": program.panel.make_direct,
            "copy_image": program.export.copy_image,
            "release_cell": program.keys.release,
            "masks": program.panel.show_masks,
            "toggle_mask_cell": program.panel.toggle_mask_cell,
            "mask_tool": program.panel.set_painting,
            "verify": program.verify.verify_now,
            "softcap": lambda on: program.variants.switch("softcap", on),
            "temperature": lambda on: program.variants.switch("temperature", on),
            "rotary_positions": lambda on: program.variants.switch("rotary_theta", on),
            "previous_place": program.explain.back,
            "score": lambda: self._to_control("score"),
            "scale": lambda: self._to_control("scale"),
            "gradients": lambda: program.window.inspector.turn_to(program.window.inspector.sensitivity),
            "curve": lambda: program.window.inspector.turn_to(program.window.inspector.curve),
            "next_zone": lambda: self.step_zone(1),
            "previous_zone": lambda: self.step_zone(-1),
            "search_actions": self.search,
            "shortcuts": self.show_shortcuts,
            "show_log": program.faults.show_log,
            "about": self.show_about,
            "reset_layout": program.layout.reset,
        }.items():
            on(name, lambda checked=False, slot=slot, name=name: self._run(name, slot, checked))
        on("set_target", program.targets.open)
        program.window.product.tokensRequested.connect(self.actions["tokens"].trigger)
        program.targets.use_action(self.actions["set_target"])
        for name, direction in (("show_reach", FORWARD), ("show_origin", BACKWARD)):
            on(name, lambda shown, direction=direction: program.view.set(reach=direction if shown else ""))
        self.actions.held.connect(self._show_checks)
        for kind in ("integers", "random", "identity"):
            on(f"fill_{kind}", table(partial(program.table_edits.fill, kind)))
        for mode, key in (("product", "product"), ("all_stages", "all")):
            on(mode, lambda _=False, key=key: program.view.set(mode=key))
        on("values", lambda checked: program.view.set(values=checked))
        on("scientific", lambda checked: program.view.set(scientific=checked))
        for digits in DECIMALS:
            on(f"decimals_{digits}", lambda _=False, digits=digits: program.view.set(decimals=digits))
        for limit in LIMITS_MB:
            on(f"history_{limit}", lambda _=False, limit=limit: program.history.set_limit_mb(limit))
        for language in ("en", "zh"):
            on(f"language_{language}", lambda _=False, language=language: program.look.set_language(language))
        for scheme in ("light", "dark", "system"):
            on(f"theme_{scheme}", lambda _=False, scheme=scheme: program.look.set_scheme(scheme))
        for name, step in (("zoom_in", 1), ("zoom_out", -1), ("zoom_reset", 0)):
            on(name, lambda _=False, step=step: program.look.step_zoom(step))
        program.window.zoomAsked.connect(program.look.step_zoom)
        for name, step in (("previous_head", -1), ("next_head", 1)):
            on(name, lambda _=False, step=step: program.maps.step_head(step))

    def _add_menu(self, _field: str, panel: MatrixPanel, _model: MatrixModel) -> None:
        """The commands that act on a table in its own menu, and the number formats."""
        copy_as, decimals = (self._bars.menus[name].menuAction() for name in ("copy_as", "decimals"))
        commands = [self.actions[name] if name else None for name in TABLE_MENU]
        commands.insert(TABLE_MENU.index("paste"), copy_as)
        panel.menu.set_commands(commands, [decimals])

    def _run(self, name: str, slot: Callable[..., object], checked: bool) -> None:
        if self.actions[name].isCheckable():
            slot(checked)
            self._show_checks()  # what was refused is not checked
        else:
            slot()

    # --- showing ---------------------------------------------------------------------------------
    def retranslate(self) -> None:
        self._bars.retranslate()
        self._program.document.retranslate()
        self._program.verify.retranslate()
        self._program.progress.retranslate()
        for part in (self._program.tables.show, self._program.panel.show_state, self._program.status.show):
            part()  # their words lie in views that are told each of them
        self._show_words()

    def _show_words(self) -> None:
        """Show the words in menus and on pages beside the names of the actions."""
        self._program.files.fill_examples(self._bars.menus["examples"])
        self._program.files.show_examples()
        self._show_checks()
        self._show_history()

    def _show_checks(self, *_: object) -> None:
        look, problem = self._program.view.look, self._program.document.problem
        for name, checked in {
            "product": look.mode == "product",
            "all_stages": look.mode == "all",
            "values": look.values,
            "show_reach": look.reach == FORWARD,
            "show_origin": look.reach == BACKWARD,
            "scientific": look.scientific,
            f"decimals_{look.decimals}": True,
            f"language_{self._program.look.language}": True,
            f"theme_{self._program.look.scheme}": True,
            f"history_{self._program.history.limit_mb}": True,
            "output_projection": problem.w_output is not None,
            "biases": problem.b_query is not None,
            "mask_tool": self._program.panel.painting,
            "block": problem.block is not None,
            "softcap": problem.softcap is not None,
            "temperature": problem.temperature is not None,
            "rotary_positions": problem.rotary_theta is not None,
            "second_sequence": problem.projected and not problem.self_attention,
        }.items():
            self.actions[name].setChecked(checked)
        for name in ("biases", "second_sequence", "make_direct"):
            self.actions[name].setEnabled(problem.projected)
        self.actions["curve"].setEnabled(is_curve(problem))
        for name in ("toggle_mask_cell", "release_cell"):
            self.actions[name].setEnabled(look.cell is not None)

    def _show_history(self, *_: object) -> None:
        """Undo and redo say what they would undo and redo."""
        stack = self._program.document.stack
        for name, can, label, text in (
            ("undo", stack.canUndo(), self.tr("&Undo {step}"), stack.undoText()),
            ("redo", stack.canRedo(), self.tr("&Redo {step}"), stack.redoText()),
        ):
            action = self.actions[name]
            action.setEnabled(can)
            action.setText(label.format(step=text).rstrip())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        return super().eventFilter(watched, event)

    def cut(self) -> None:
        """The selected block to the clipboard, zeros in its place."""
        self.actions["copy"].trigger()
        self._program.table_edits.cut()

    # --- commands about commands -----------------------------------------------------------------
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
        return zone == "zone.product" and self._program.view.look.mode == "product" and self._program.keys.to_map()

    def _to_control(self, name: str) -> None:
        """Put the keyboard where a setting of the computation is chosen."""
        control = self._window.findChild(QWidget, f"control.{name}")
        if control is not None:
            control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def search(self) -> None:
        from attn_gui.views.dialogs.palette import ActionPalette

        self._program.files.fill_recent(self._bars.menus["recent"])
        ActionPalette(self._offers(), self._window).exec()

    def show_shortcuts(self) -> None:
        from attn_gui.views.dialogs.palette import without_access_key
        from attn_gui.views.dialogs.shortcuts import ShortcutsDialog

        rows = [
            (without_access_key(action.text()), action.shortcut().toString())
            for action in self._listed()
            if not action.shortcut().isEmpty()
        ]
        ShortcutsDialog(rows, self._window).exec()

    def show_about(self) -> None:
        from attn_gui.views.dialogs.about import AboutDialog

        AboutDialog(self._window, notices=notices()).exec()

    def _offers(self) -> list[Offer]:
        """Every action of the menus with its way there: examples and recent files, too."""
        from attn_gui.views.dialogs.palette import Offer

        rows = {f"action.{row.name}": row for row in ACTIONS}
        offers = []
        for menus, words, action in self._bars.every_action():
            row = rows.get(action.objectName())
            words = f"{words} {row.words}" if row else words
            offers.append(Offer(action, menus, words, translated(row.needs) if row and row.needs else ""))
        return offers

    def _listed(self) -> list[QAction]:
        return [self.actions[row.name] for row in ACTIONS]
