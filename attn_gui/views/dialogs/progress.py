"""Lines of work in the status bar (“Saving x, 10 %”) with Cancel: words, height, after how long they appear."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QMessageBox, QSizePolicy, QToolButton, QWidget

from attn_gui.figure.design_tokens import SPACING
from attn_gui.languages import N_
from attn_gui.views.dialogs.dialog_base import asked, message_box
from attn_gui.views.widgets import Retranslated, arrange

LETTERS = 30  # of a name, at most
PATIENCE_MS = 300  # what is done by then needs no word


class WorkWords(NamedTuple):
    """Words of a line about some work, and of the button that cancels it; English, context "WorkLine"."""

    line: str
    cancel: str


CANCEL = N_("WorkLine", "Cancel")
WORK = {
    "blaming": WorkWords(N_("WorkLine", "What moved {name}, {percent} %"), CANCEL),
    "export": WorkWords(N_("WorkLine", "Exporting, {percent} %"), N_("WorkLine", "Cancel the export")),
    "fetching": WorkWords(N_("WorkLine", "Snapshot {name}, {percent} %"), CANCEL),
    "fitting": WorkWords(N_("WorkLine", "Fitting {name}, {percent} %"), N_("WorkLine", "Cancel the fit")),
    "making": WorkWords(N_("WorkLine", "{name}, {percent} %"), N_("WorkLine", "Cancel the change")),
    "opening": WorkWords(N_("WorkLine", "Opening {name}, {percent} %"), N_("WorkLine", "Cancel the opening")),
    "page": WorkWords(N_("WorkLine", "Computing the page, {percent} %"), N_("WorkLine", "Stop computing the page")),
    "reading": WorkWords(N_("WorkLine", "Reading {name}, {percent} %"), N_("WorkLine", "Cancel the reading")),
    "saving": WorkWords(N_("WorkLine", "Saving {name}, {percent} %"), N_("WorkLine", "Cancel the saving")),
}


class WorkLine(Retranslated, QWidget):
    """Says what some of WORK is about and how far it is: `begin`, `set_share` and `end`.

    `cancelRequested` when the person stops the work.
    """

    cancelRequested = Signal()

    def __init__(self, work: str, parent: QWidget | None = None, *, of: str = "") -> None:
        """Build the line of `work`, a key of WORK.

        With `of` (of several alike) it begins the object names of its parts.
        """
        super().__init__(parent)
        name = f"{work}.{of}" if of else work
        self.setObjectName(f"{name}.progress")
        self._work, self._share, self.name = WORK[work], 0.0, ""
        self._text, self.cancel = QLabel(self), QToolButton(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        line = arrange(QHBoxLayout(self), self._text, self.cancel, margins=0, spacing=SPACING.s)
        line.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        # no higher than the words beside it: the status bar keeps its height
        self.cancel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        self.cancel.setObjectName(f"{name}.cancel")
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.retranslate()
        self.hide()

    def cancel_words(self) -> str:
        """Return what its button does, in words."""
        return QCoreApplication.translate("WorkLine", self._work.cancel)

    def begin(self, *, at_once: bool = False) -> None:
        """Work has begun; it is said if it lasts, or at once."""
        self.cancel.setEnabled(True)
        self.set_share(0.0)
        if at_once:
            self.show()
        else:
            self._patience.start()

    def set_share(self, share: float) -> None:
        """Set the share of the work that is done, 0 … 1."""
        self._share = share
        self.retranslate()

    def end(self) -> None:
        """End the progress."""
        self._patience.stop()
        self.hide()

    def text(self) -> str:
        """Return the present text."""
        return self._text.text()

    def retranslate(self) -> None:
        """Set all words anew, in the present language; a long name is cut in its middle."""
        metrics = self.fontMetrics()
        name = metrics.elidedText(self.name, Qt.TextElideMode.ElideMiddle, LETTERS * metrics.averageCharWidth())
        line = QCoreApplication.translate("WorkLine", self._work.line)
        self._text.setText(line.format(name=name, percent=int(100 * self._share)))
        self.cancel.setText(QCoreApplication.translate("WorkLine", CANCEL))
        self.cancel.setAccessibleName(self.cancel_words())

    def _on_cancel_clicked(self) -> None:
        self.cancel.setEnabled(False)  # the piece under way is finished first
        self.cancelRequested.emit()


def soon_over(ended: SignalInstance, busy: Callable[[], bool]) -> bool:
    """Wait for a moment without a word; whether the work is over."""
    soon = QEventLoop()
    ended.connect(soon.quit)
    QTimer.singleShot(PATIENCE_MS, soon, soon.quit)
    soon.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    return not busy()


def wait_for(
    ended: SignalInstance, busy: Callable[[], bool], window: QWidget, words: Callable[[], str], stop: str = ""
) -> bool:
    """Let the person wait until `ended`: at first without a word, then in a box that goes by itself.

    The box is left to go on working, or by `stop`, the words of a button that calls the work off; whether it was.
    """
    if soon_over(ended, busy):
        return False
    roles = QMessageBox.ButtonRole
    box = message_box(window, words())
    stopping = box.addButton(stop, roles.DestructiveRole) if stop else None
    staying = box.addButton(QCoreApplication.translate("SessionSaving", "Go on working"), roles.RejectRole)
    box.setDefaultButton(staying)
    ended.connect(box.accept)
    asked(box)
    return stopping is not None and box.clickedButton() is stopping
