"""What all controllers have at hand, and their base class."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from attn_gui.app.actions.actions import Bars
from attn_gui.app.editing.edit_runner import EditRunner
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.settings import AppearanceController, Settings
from attn_gui.app.state.view_state import ViewState
from attn_gui.document.document import Document
from attn_gui.views.main_window import MainWindow


@dataclass(frozen=True)
class AppContext:
    """The window and the document in it, the numbers of its problem, and what of them is looked at.

    Every `Controller` is given one, and beside it the other controllers that it asks.
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


class Controller(QObject):
    """Base of the controllers: it goes with the window, and has all of the context at hand.

    `Program` calls by name what a controller has of these: `commands()`, which answer actions; `retranslate()`, where
    no widget translates its words; `wait()`, which returns whether its files are written; `finish()`, where it has more
    to end than tasks and timers.
    """

    def __init__(self, context: AppContext) -> None:
        super().__init__(context.window)
        self._window, self._settings, self._appearance = context.window, context.settings, context.appearance
        self._bars, self._document, self._computation = context.bars, context.document, context.computation
        self._baseline, self._view, self._runner = context.baseline, context.view, context.runner
