"""The list of steps on the right: the present place in the history, and jumps to another."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject

from attn_gui.app.actions.actions import Actions, Command, choices
from attn_gui.app.state.settings import Settings
from attn_gui.document.document import Change, Document
from attn_gui.views.main_window import MainWindow

LIMITS_MB = (64, 256, 1024, 4096)
DEFAULT_MB = 256


class HistoryController(QObject):
    """Ties the history view to the document's undo stack."""

    def __init__(self, window: MainWindow, document: Document, settings: Settings, actions: Actions) -> None:
        super().__init__(window)
        self._view, self._document, self._settings = window.history, document, settings
        self._actions = actions
        document.limit_history(self.limit_mb << 20)
        self._view.set_stack(document.stack)
        self._view.stepRequested.connect(document.stack.setIndex)
        document.changed.connect(self._on_document_changed)
        self._view.listed.connect(self._name_next)  # else the bar would be laid out before the maps are painted
        document.stack.indexChanged.connect(self._enable_next)
        self.retranslate()

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        stack = self._document.stack
        limits = choices({f"history_{limit}": limit for limit in LIMITS_MB}, lambda: self.limit_mb, self.set_limit_mb)
        return {"undo": Command(stack.undo), "redo": Command(stack.redo), **limits}

    def retranslate(self) -> None:
        """All words in the present language."""
        self.show_origin()
        self._enable_next()
        self._name_next()

    def finish(self) -> None:
        """Forget the steps; at their own end they would tell of it, when their listeners are gone."""
        self._view.set_stack(None)
        self._document.stack.blockSignals(True)

    @property
    def limit_mb(self) -> int:
        """The megabytes of steps that are kept: one of `LIMITS_MB`."""
        chosen = self._settings.number("history_mb", DEFAULT_MB)
        return int(chosen) if chosen in LIMITS_MB else DEFAULT_MB

    def set_limit_mb(self, limit: int) -> None:
        """Keep so many from the next step on, in this session and later ones."""
        self._settings.put("history_mb", limit)
        self._document.limit_history(limit << 20)

    def show_origin(self) -> None:
        name, problem = self._document.name, self._document.problem
        untitled = ("untitled", QCoreApplication.translate("FilesController", "untitled"))
        if self._document.path is None and name in untitled:
            new = self.tr("New problem, {n} × {m}, heads: {heads}")
            self._view.set_origin(new.format(n=problem.n, m=problem.m, heads=problem.num_heads))
        else:
            self._view.set_origin(self.tr("Opened {name}").format(name=name))

    def _on_document_changed(self, change: Change) -> None:
        if change.opened:
            self.show_origin()

    def _enable_next(self, *_: object) -> None:
        stack = self._document.stack
        self._actions["undo"].setEnabled(stack.canUndo())
        self._actions["redo"].setEnabled(stack.canRedo())

    def _name_next(self) -> None:
        """Undo and redo say what they would undo and redo."""
        stack = self._document.stack
        undone, redone = (text.replace("&", "&&") for text in (stack.undoText(), stack.redoText()))  # no access keys
        self._actions["undo"].setText(self.tr("&Undo {step}").format(step=undone).rstrip())
        self._actions["redo"].setText(self.tr("&Redo {step}").format(step=redone).rstrip())
