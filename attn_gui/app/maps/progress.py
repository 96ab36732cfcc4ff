"""Progress of the pictures of a long problem: told, stopped by Esc; stands in for maps too large to be held."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel

from attn_gui.app.actions.actions import Command
from attn_gui.app.state.computation import PATIENCE_MS, Computation
from attn_gui.app.state.translated_errors import sentence
from attn_gui.app.state.view_state import ViewState
from attn_gui.engine.errors import FieldError
from attn_gui.figure.tokens import SPACING
from attn_gui.views.main_window import MainWindow
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import dress, scaled

FINE = 1000  # steps of the thin line


class ProgressController(QObject):
    """Tells in the status bar of work that is not done at once."""

    def __init__(self, window: MainWindow, computation: Computation, view: ViewState) -> None:
        super().__init__(window)
        self._window, self._computation, self._view = window, computation, view
        self._share = 1.0
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._show)
        self._words = QLabel(window)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        window.statusBar().insertPermanentWidget(0, self._words)
        dress(self._words, tone="text2")
        self._words.hide()
        self._notice = WrappedLabel(window.pictures)
        self._notice.setObjectName("maps.refused")
        self._notice.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._notice.setMargin(scaled(SPACING.xxl))
        window.pictures.addWidget(self._notice)
        computation.drawing.connect(self._on_computation_drawing)
        computation.refused.connect(self._on_computation_refused)
        view.follow(self._withdraw, "evaluation")
        window.installEventFilter(self)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        return {"compute_rest": Command(self.resume)}

    def resume(self) -> None:
        """Compute what was given up."""
        if self._computation.supply is not None:
            self._computation.supply.resume()

    # --- how far ---------------------------------------------------------------------------------
    def _on_computation_drawing(self, share: float) -> None:
        """`share` of what is looked at is drawn."""
        before, self._share = self._share, share
        if share >= 1:
            self._patience.stop()
            self._show()
        elif before >= 1:
            self._patience.start()
        elif not self._patience.isActive():
            self._show()

    def _show(self) -> None:
        bar, supply = self._window.progress, self._computation.supply
        stopped = supply is not None and supply.stopped
        if not self._computation.pending:  # else the line says that there is no evaluation yet
            bar.setRange(0, FINE)
            bar.setValue(round(FINE * self._share))
            bar.setVisible(self._share < 1)
        self._words.setVisible(self._share < 1 or stopped)
        if self._share < 1:
            said = self.tr("{percent} % of the maps computed · Esc stops")
            self._words.setText(said.format(percent=int(100 * self._share)))
        elif stopped:
            self._words.setText(self.tr("Stopped: dotted cells are not computed · F9 computes the rest"))

    # --- stopping --------------------------------------------------------------------------------
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Cancel on Esc, where no other widget uses it."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() == Qt.Key.Key_Escape:
            supply = self._computation.supply
            if supply is not None and self._computation.stoppable:
                supply.stop()
                self._show()
                return True
        return super().eventFilter(watched, event)

    # --- what nothing can hold -------------------------------------------------------------------
    def _on_computation_refused(self, why: FieldError) -> None:
        """The tables stay, one sentence takes the place of the maps."""
        self._view.set(cell=None)
        self._say(why)
        self._show_maps(False)

    def _say(self, why: FieldError) -> None:
        self._notice.setText(self.tr("No maps: {why}").format(why=sentence(why)))

    def _withdraw(self) -> None:
        """Withdraw the notice: there is an evaluation again."""
        if self._window.pictures.currentWidget() is self._notice:
            self._show_maps(True)
            self._window.set_mode(self._view.look.mode)

    def _show_maps(self, shown: bool) -> None:
        if not shown:
            self._window.pictures.setCurrentWidget(self._notice)
        self._window.set_heads_shown(shown)
        self._window.spine.set_maps_shown(shown)

    def retranslate(self) -> None:
        """The language has changed."""
        self._show()
        if self._computation.refusal is not None:
            self._say(self._computation.refusal)
