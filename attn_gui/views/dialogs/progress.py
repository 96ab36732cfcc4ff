"""Progress lines in the status bar, one class for each kind of work, and waiting for work beside the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEventLoop, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLayout, QMessageBox, QToolButton, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.dialogs.asking import asked, message_box
from attn_gui.views.widgets import Retranslated

# --- Progress line of background work in the status bar, with a way to cancel it: all else stays usable ---


LETTERS = 30  # of a name, at most
PATIENCE_MS = 300  # what is done by then needs no word


class WorkLine(Retranslated, QWidget):
    """`begin`, `set_share` and `end`; `cancelRequested` when the person stops the work."""

    cancelRequested = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` goes before the names of its parts."""
        super().__init__(parent)
        self.setObjectName(f"{name}.progress")
        self._share, self._name = 0.0, ""
        self._text, self.cancel = QLabel(self), QToolButton(self)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(SPACING.s)
        line.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        line.addWidget(self._text)
        line.addWidget(self.cancel)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self.show)
        self.cancel.setObjectName(f"{name}.cancel")
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.hide()

    def words(self, percent: int) -> str:
        """The words of the line."""
        raise NotImplementedError

    def cancel_words(self) -> str:
        """The words of its button."""
        raise NotImplementedError

    def set_name(self, name: str) -> None:
        """Name the subject of the work: a file, a step."""
        self._name = name

    def short_name(self) -> str:
        """The name, cut in its middle where it is long."""
        metrics = self.fontMetrics()
        return metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, LETTERS * metrics.averageCharWidth())

    def begin(self, *, at_once: bool = False) -> None:
        """Work has begun; it is said if it lasts, or at once."""
        self.cancel.setEnabled(True)
        self.set_share(0.0)
        if at_once:
            self.show()
        else:
            self._patience.start()

    def set_share(self, share: float) -> None:
        """The share of the work that is done, 0 … 1."""
        self._share = share
        self.retranslate()

    def end(self) -> None:
        """End the progress."""
        self._patience.stop()
        self.hide()

    def text(self) -> str:
        """The present text."""
        return self._text.text()

    def retranslate(self) -> None:
        """All words in the present language."""
        self._text.setText(self.words(int(100 * self._share)))
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setAccessibleName(self.cancel_words())

    def sizeHint(self) -> QSize:
        """A size no higher than the words beside it: the status bar keeps its height."""
        return QSize(super().sizeHint().width(), self._text.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _on_cancel_clicked(self) -> None:
        self.cancel.setEnabled(False)  # the piece under way is finished first
        self.cancelRequested.emit()


# --- Waiting for work beside the window, with a box that can be left ---


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


# --- Progress of the reading of a file, in the status bar ---


class OpeningProgress(WorkLine):
    """The line of a file that is read."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("opening", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Opening {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the opening")


# --- Progress of the writing of a session, in the status bar ---


class SavingProgress(WorkLine):
    """The line of a file that is written."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("saving", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Saving {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the saving")


# --- Progress of the making of new numbers, in the status bar ---


class MakingProgress(WorkLine):
    """The line of a change that takes a while."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("making", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("{step}, {percent} %").format(step=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the change")


# --- Progress of the reading of a matrix, in the status bar ---


class ReadingProgress(WorkLine):
    """The line of a text or a file of one matrix."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("reading", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Reading {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the reading")


# --- Progress of an export, in the status bar ---


class ExportProgress(WorkLine):
    """The line of an export."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("export", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Exporting, {percent} %").format(percent=percent)

    def busy_words(self) -> str:
        """Words for a second export that is asked for meanwhile."""
        return self.tr("An export is still being written: wait, or cancel it.")

    def cancel_words(self) -> str:
        return self.tr("Cancel the export")


# --- Progress of a snapshot that is put together, in the status bar ---


class FetchingProgress(WorkLine):
    """The line of a large snapshot."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fetching", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Snapshot {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel")


# --- Progress of the fit of a kernel, in the status bar ---


class FittingProgress(WorkLine):
    """The line of a fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fitting", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("Fitting {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel the fit")


# --- Progress of the search for the step that moved a cell most, in the status bar ---


class BlameProgress(WorkLine):
    """The line of a search through the history."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("blaming", parent)
        self.retranslate()

    def words(self, percent: int) -> str:
        return self.tr("What moved {name}, {percent} %").format(name=self.short_name(), percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Cancel")


# --- Progress line of a page that takes a while to be computed ---


class PageProgress(WorkLine):
    """Says how much of the page is computed; its button stops that."""

    def __init__(self, page: str, parent: QWidget | None = None) -> None:
        super().__init__(f"page.{page}", parent)
        self.retranslate()

    def sizeHint(self) -> QSize:
        """As high as its button: no status bar has to keep its height here."""
        return super().sizeHint().expandedTo(self.cancel.sizeHint())

    def words(self, percent: int) -> str:
        return self.tr("Computing the page, {percent} %").format(percent=percent)

    def cancel_words(self) -> str:
        return self.tr("Stop computing the page")
