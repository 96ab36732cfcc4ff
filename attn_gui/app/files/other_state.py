"""The state beside the document's as figures take it."""

from __future__ import annotations

from attn_gui.app.maps.compared import side_names
from attn_gui.app.state.baseline import Baseline
from attn_gui.figure.comparing.beside import Beside
from attn_gui.figure.comparing.states import NOW


def beside_of(baseline: Baseline, mode: str) -> Beside | None:
    """The state that the document is compared with, where a figure is to show it."""
    if mode == NOW or not baseline.comparable:
        return None
    return Beside(baseline.before_of(), mode, side_names(baseline))
