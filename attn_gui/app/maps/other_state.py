"""Figures of more than the state of now: of another state, or of a gradient."""

from __future__ import annotations

from attn_gui.app.maps.compared import side_names
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.view_state import Look
from attn_gui.figure.comparison import Beside
from attn_gui.figure.gradients import GradientBeside, SumPlace
from attn_gui.modes import GRADIENT, NOW


def beside_of(baseline: Baseline, mode: str, look: Look) -> Beside | None:
    """The state that the document is compared with, or the gradient of the chosen cell, where a figure shows it."""
    if mode == GRADIENT and look.cell is not None:
        stage, row, column = look.cell
        return GradientBeside(lambda now: now, place=SumPlace(stage, look.batch, look.head, row, column, look.gradient))
    if mode == NOW or not baseline.comparable:
        return None
    return Beside(baseline.before_of(), mode, side_names(baseline))
