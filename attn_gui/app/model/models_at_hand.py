"""Models that are known by name: in their menu and among the first steps, each with what it is."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt

from attn_gui.app.actions.actions import Command, Row
from attn_gui.app.actions.bars import Bars
from attn_gui.app.model.model_controller import ModelController
from attn_gui.models import KNOWN, KnownModel
from attn_gui.views.main_window import MainWindow

MENU, CONTEXT = "models", "Models"


class ModelsAtHand(QObject):
    """Offers every known model; one that is not installed says how to install it when it is asked for."""

    def __init__(self, window: MainWindow, models: ModelController, bars: Bars) -> None:
        super().__init__(window)
        self._window, self._models = window, models
        self._known = {key: known for key, known in KNOWN.items() if known.obtainable}
        bars.add([_row(key, known) for key, known in self._known.items()])
        window.inspector.start.modelRequested.connect(models.open_known)
        bars.menus[MENU].aboutToShow.connect(self.retranslate)
        models.opened.connect(self.retranslate, Qt.ConnectionType.QueuedConnection)
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {_action(key): Command(partial(self._models.open_known, key)) for key in self._known}

    def retranslate(self) -> None:
        """The rows among the first steps, in the present language: one may have been installed meanwhile."""
        absent = self.tr("not installed")
        rows = [
            (key, _said(known.label), _said(known.about), known.size if known.installed else absent)
            for key, known in self._known.items()
        ]
        self._window.inspector.start.set_models(rows)


def out_of_reach() -> list[str]:
    """Names of the actions of models that are not to be had here."""
    return [_action(key) for key, known in KNOWN.items() if not known.obtainable]


def _action(key: str) -> str:
    return f"known_{key.replace('-', '_')}"


def _row(key: str, known: KnownModel) -> Row:
    return Row(_action(key), MENU, known.label, words=f"{known.title} {known.package}", context=CONTEXT)


def _said(words: str) -> str:
    return QCoreApplication.translate(CONTEXT, words)
