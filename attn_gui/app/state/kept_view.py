"""Keeps how things are shown, such as decimals and mode, from one session of the program to the next."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import DECIMALS
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import Look, ViewState
from attn_gui.engine.analysis.head_readings import READINGS
from attn_gui.modes import OF_ANY
from attn_gui.views.names import ASK, WEIGHT_MEANINGS

KEPT = ("mode", "decimals", "values", "scientific", "blocked", "reading", "weights_typed")


class KeptView(QObject):
    """Puts every change into the settings."""

    def __init__(self, view: ViewState, settings: Settings) -> None:
        super().__init__(view)
        self._view, self._settings = view, settings
        for name in KEPT:
            view.follow(partial(self._keep, name), name)

    def _keep(self, name: str) -> None:
        self._settings.put(f"view/{name}", getattr(self._view.look, name))


def kept_look(settings: Settings, head: int) -> Look:
    """The look to begin with: as things were shown last, at one head of the first problem."""
    decimals = settings.choice("view/decimals", [str(digits) for digits in DECIMALS], str(Look.decimals))
    return Look(
        head=head,
        mode=settings.choice("view/mode", OF_ANY, Look.mode),
        decimals=int(decimals),
        values=settings.flag("view/values", Look.values),
        scientific=settings.flag("view/scientific", Look.scientific),
        reading=settings.choice("view/reading", READINGS, Look.reading),
        weights_typed=settings.choice("view/weights_typed", (ASK, *WEIGHT_MEANINGS), Look.weights_typed),
        blocked=settings.flag("view/blocked", Look.blocked),
    )
