"""What controllers share."""

from __future__ import annotations

from dataclasses import dataclass

from attn_gui.app.actions.actions import Bars
from attn_gui.app.editing.edit_runner import EditRunner
from attn_gui.app.state.appearance import AppearanceController
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.views.main_window import MainWindow


@dataclass(frozen=True)
class AppContext:
    """The window and the document in it, the numbers of its problem, and what of them is looked at.

    Every controller is given one, and beside it the other controllers that it asks.
    """

    window: MainWindow
    settings: Settings
    appearance: AppearanceController
    bars: Bars
    document: Document
    computation: Computation
    baseline: Baseline
    view: ViewState
    runner: EditRunner
