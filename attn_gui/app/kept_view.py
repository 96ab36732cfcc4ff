"""Keeps how things are shown, such as decimals and mode, from one session of the program to the next."""

from __future__ import annotations

from PySide6.QtCore import QObject

from attn_gui.app.actions import DECIMALS
from attn_gui.app.session_view import MODES
from attn_gui.app.settings import Settings
from attn_gui.app.view_state import Look, ViewState

FLAGS = ("values", "scientific")


class KeptView(QObject):
    """Takes up what was kept and follows every change."""

    def __init__(self, view: ViewState, settings: Settings) -> None:
        super().__init__(view)
        self._view, self._settings = view, settings
        view.set(
            mode=settings.choice("view/mode", MODES, Look.mode),
            decimals=int(settings.choice("view/decimals", [str(digits) for digits in DECIMALS], str(Look.decimals))),
            **{name: settings.flag(f"view/{name}", getattr(Look, name)) for name in FLAGS},
        )
        view.changed.connect(self._on_view_changed)

    def _on_view_changed(self, names: frozenset[str]) -> None:
        for name in names & {"mode", "decimals", *FLAGS}:
            self._settings.put(f"view/{name}", getattr(self._view.look, name))
