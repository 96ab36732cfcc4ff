"""Base of dialogs and message boxes, tips in them; lines of work (“Saving x, 10 %”, Cancel) and when they appear."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMessageBox,
    QRadioButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.languages import N_
from attn_gui.views.widgets import Retranslated, arrange, commit_focused_editor

# --- tips; what depends on a choice the dialog says itself -----------------------------------------
TIPS = {
    "new.direct": N_("DialogTips", "Tables of Q, K and V themselves: S = Q Kᵀ reads them as they are"),
    "new.self": N_("DialogTips", "A table X and its projections: Q = X W_Q, K = X W_K, V = X W_V"),
    "new.cross": N_("DialogTips", "Queries from X, keys and values from X₂: K = X₂ W_K, V = X₂ W_V"),
    "new.n": N_("DialogTips", "How many queries: rows of Q, of S, of A and of O"),
    "new.m": N_("DialogTips", "How many keys: rows of K and V, columns of S and A"),
    "new.num_heads": N_("DialogTips", "How many heads: each has dₖ columns of Q and K and weights of its own"),
    "new.d_k": N_("DialogTips", "Columns of Q and K in one head; at first scores are divided by √dₖ"),
    "new.d_v": N_("DialogTips", "Columns of V in one head, and so of its output O = A V"),
    "new.mask": N_("DialogTips", "A first layer of the mask, Sᵐ = S′ + M; more can be added later"),
    "new.sentence": N_("DialogTips", "Its tokens become the names of the rows, and their number n"),
    "new.fill": N_(
        "DialogTips",
        "What stands in the tables at first; of small integers and random numbers W_Q, W_K and W_V are scaled down, "
        "so that Q, K and V vary by about 1",
    ),
    "export.folder": N_("DialogTips", "The folder that the files are written into; it has to be there"),
    "export.browse": N_("DialogTips", "Look for a folder"),
    "export.name": N_("DialogTips", "What the names of the files begin with, or the name of the only one"),
    "export.item": N_("DialogTips", "Which item of the batch, counted from 0"),
    "export.format": N_("DialogTips", "The kind of file"),
    "export.stages": N_("DialogTips", "Which steps are drawn, each in its own file"),
    "export.arrays": N_("DialogTips", "Which tables and steps are written, in full precision"),
    "export.picture": N_("DialogTips", "What is drawn: the map alone, or with the matrices that it is made of"),
    "export.compare": N_(
        "DialogTips", "Which of two states: now, before, now − before, or both halves; or gradients of the chosen cell"
    ),
    "export.which_heads": N_("DialogTips", "The head on show, all of them, or some by their numbers"),
    "export.arrangement": N_("DialogTips", "A file for each head, or one with all of them under the same colors"),
    "export.values": N_("DialogTips", "Whether the numbers stand in the cells"),
    "export.theme": N_("DialogTips", "Light on white for paper, dark for a screen"),
    "export.colormap": N_("DialogTips", "The colors from the lowest level to the highest"),
    "export.which_levels": N_(
        "DialogTips", "The numbers at the two ends of the colors: those of the window, of each map, or typed"
    ),
    "export.style": N_("DialogTips", "Size and type for a place: a screen, a column of a paper, a slide"),
    "export.width": N_(
        "DialogTips", "Width of the figure in centimeters; automatic: cells of 0.5 cm or more, smaller in large maps"
    ),
    "export.height": N_("DialogTips", "Height of the figure in centimeters; automatic: it follows from the width"),
    "export.font_size": N_("DialogTips", "Size of the type in points, as on the paper"),
    "export.dpi": N_("DialogTips", "Pixels for each inch (2.54 cm): 300 for print, 150 for a screen"),
    "export.colorbar": N_("DialogTips", "Draw beside the map which color stands for which number"),
    "export.title": N_("DialogTips", "Write the title and the shape above; without, the picture has their room"),
    "export.outlines": N_("DialogTips", "Draw letters as paths in an SVG or PDF, for viewers without the fonts"),
    "export.transparent": N_("DialogTips", "No background behind the figure: what lies below it shows through"),
    "export.session": N_("DialogTips", "The figure carries the problem, so that it can be opened again from it"),
    "export.bom": N_("DialogTips", "Three bytes at the start of the file by which Excel knows the letters"),
    "export.headers": N_("DialogTips", "A first row and a first column with the names of queries, keys and columns"),
    "tokens.side": N_("DialogTips", "Whose names these are: of the queries, of the keys, or of both"),
    "tokens.resize_rows": N_(
        "DialogTips",
        "One row of numbers for each token: tokens that stay keep their numbers, new ones are zeros, masks follow",
    ),
    "tokens.sentence": N_(
        "DialogTips", "Words, numbers and signs become tokens; where Chinese has blanks, they part its words"
    ),
    "tokens.pieces": N_(
        "DialogTips", "A double click or F2 edits a token: a blank in it splits it, without letters it goes"
    ),
    "target.value": N_("DialogTips", "The number that the chosen cell should have"),
    "target.query": N_("DialogTips", "The smallest change of the query's row of Q that reaches it"),
    "target.key": N_("DialogTips", "The smallest change of the key's row of K that reaches it"),
    "target.x": N_("DialogTips", "The smallest change of the query's row of X that reaches it"),
    "target.bias": N_(
        "DialogTips", "The smallest numbers added to the scores of the row, S′ + M, that reach it; Q, K and V stay"
    ),
    "target.odds": N_("DialogTips", "Whether the other weights of the row keep their ratios to each other"),
    "ask.answer": N_("DialogTips", "Type the answer; Enter takes it, Esc leaves everything as it is"),
    "leave_out.count": N_("DialogTips", "How many numbers are left out of the steps"),
    "leave_out.seed": N_("DialogTips", "The same seed leaves out the same cells again"),
    "take.axis": N_("DialogTips", "From where: another head, row, column or item"),
    "take.place": N_("DialogTips", "Which one, counted from 0; the cells are taken as they are computed there"),
    "palette.search": N_("DialogTips", "A part of a name, a menu or another word for it, in either language"),
    "palette.found": N_("DialogTips", "Enter does the chosen one; a gray one says what it needs"),
    "worksheets.count": N_("DialogTips", "How many sheets, one for each student, each with numbers of its own"),
    "worksheets.seed": N_("DialogTips", "The same seed gives the same sheets again"),
    "worksheets.level": N_(
        "DialogTips", "What is left to the student: the weights, every step, or to find one wrong number"
    ),
    "worksheets.lang": N_("DialogTips", "The language of the sheets"),
    "worksheets.name": N_("DialogTips", "What the names of the files begin with"),
    "worksheets.keys": N_(
        "DialogTips", "Write the answers, too, several on a page, with the numbers that usual mistakes give"
    ),
}


# --- bases -----------------------------------------------------------------------------------------
BUTTONS = QDialogButtonBox.StandardButton
ASKING = "asking"  # a property of the application


class AnswerButtons(QDialogButtonBox):
    """The button `ok` that takes the answer of a dialog, and Cancel; `set_words` names the first, else OK."""

    def __init__(self, dialog: QDialog, words: str = "", which: QDialogButtonBox.StandardButton = BUTTONS.Ok) -> None:
        super().__init__(which | BUTTONS.Cancel, dialog)
        self.ok = self.button(which)
        self.accepted.connect(dialog.accept)
        self.rejected.connect(dialog.reject)
        self.set_words(words)

    def set_words(self, words: str) -> None:
        """Set the words of `ok`, and those of Cancel, in the present language: Qt's own depend on the desktop."""
        self.ok.setText(words or QCoreApplication.translate("AnswerButtons", "OK"))
        self.button(BUTTONS.Cancel).setText(QCoreApplication.translate("AnswerButtons", "Cancel"))


class FormDialog(QDialog):
    """A dialog with fields to type into; what is half typed and cannot be read stops its answer."""

    def accept(self) -> None:
        if commit_focused_editor(self):
            super().accept()

    def showEvent(self, event: QShowEvent) -> None:
        for box in self.findChildren(QDialogButtonBox):
            for button in box.buttons():
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click would end the visit before it is judged
        radios = self.findChildren(QRadioButton)
        chosen = [radio.group() or radio.parent() for radio in radios if radio.isChecked()]
        for radio in radios:
            if not radio.isChecked() and (radio.group() or radio.parent()) in chosen:
                radio.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # else Qt leads the first Tab to the first of a group
        super().showEvent(event)


def message_box(parent: QWidget | None, text: str, more: str = "") -> QMessageBox:
    """Return a box without buttons yet; the names in what it says are never read as HTML."""
    box = QMessageBox(parent)
    box.setText(text)
    box.setInformativeText(more)
    box.setTextFormat(Qt.TextFormat.PlainText)  # of all texts that are there
    return box


def asked(dialog: QDialog) -> int:
    """Run `dialog`; its code, as `exec` gives it. It can be read until the next event."""
    for control in dialog.findChildren(QWidget):
        if tip := TIPS.get(control.objectName()):
            control.setWhatsThis(QCoreApplication.translate("DialogTips", tip))
        if control.toolTip() and not control.whatsThis():
            control.setWhatsThis(control.toolTip())
        if control.whatsThis() and not control.toolTip():
            control.setToolTip(control.whatsThis())
    app, outer = QApplication.instance(), asking()
    assert app is not None
    app.setProperty(ASKING, True)
    try:
        return dialog.exec()
    finally:
        app.setProperty(ASKING, outer)
        dialog.deleteLater()


def asking() -> bool:
    """Return whether a dialog has not returned its answer yet, though it may be out of sight already."""
    app = QApplication.instance()
    return app is not None and bool(app.property(ASKING))


# --- lines of work --------------------------------------------------------------------------------
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
        """Say that work has begun, if it lasts, or at once."""
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
    """Wait for a moment without a word; return whether the work is over."""
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
