"""“Set … to” dialog: target number, by query, key, bias or X, odds kept or free, and what it would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QRadioButton, QVBoxLayout, QWidget

from attn_gui.document.edits import Refusal
from attn_gui.engine.analysis.shortest_change import BIAS, WAYS
from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.dialogs.dialog_base import AnswerButtons, FormDialog
from attn_gui.views.inspector.cell_relations import number
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text
from attn_gui.views.widgets import ChoiceBox, arrange

ODDS = ("", "kept", "free")  # by what can be reached, or as a person says
WIDTH = 400
REASON_LINES = 4  # so that the dialog keeps its size while a person types


@dataclass(frozen=True)
class TargetAnswer:
    """The answer to a target: `norm` is that of the change of the cells `where`; 0 where nothing can change."""

    reached: float
    feasible: bool
    norm: float
    where: str
    reason: str


class TargetDialog(FormDialog):
    """Asks for a target and shows what it leads to; the listener to `asked` answers or refuses, until `withdrawn`."""

    asked = Signal(float, str, object)  # the target, what is changed for it, and odds that are "kept", "free", or None
    withdrawn = Signal()  # nothing that is typed now is a target

    def __init__(
        self, name: str, value: float, ways: Sequence[str], *, odds: bool, parent: QWidget | None = None
    ) -> None:
        """Ask for a way among `ways`, the first one proposed; `odds`: whether the row has odds to be kept."""
        super().__init__(parent)
        self.setObjectName("dialog.target")
        self.setWindowTitle(self.tr("Set {name}").format(name=name))
        self._answer: TargetAnswer | None = None
        self._refusal = ""
        self._waiting = self._accepting = False  # for the answer; and whether it is taken as soon as it is there
        self.field, self._group = NumberField(self, finite=True), QButtonGroup(self)
        words = {
            "query": self.tr("by its query row"),
            "key": self.tr("by its key row"),
            BIAS: self.tr("by a bias"),
            "x": self.tr("by its row of X"),
        }
        self.radios = {way: QRadioButton(words[way], self) for way in WAYS if way in ways}
        self.odds = ChoiceBox(ODDS, self)
        self.reached, self.change, self.reason = (WrappedLabel(self) for _ in range(3))
        self.buttons = AnswerButtons(self)
        self.radios[ways[0]].setChecked(True)
        self._build(name, value, odds)
        self._show()
        self.field.setFocus()

    def set_answer(self, answer: TargetAnswer) -> None:
        """Show the answer to the present target."""
        self._answer, self._refusal, self._waiting = answer, "", False
        self._show()
        if self._accepting:
            self.accept()

    def set_refusal(self, sentence: str) -> None:
        """Show the reason why the present target makes no sense."""
        self._answer, self._refusal, self._waiting, self._accepting = None, sentence, False, False
        self._show()

    def accept(self) -> None:
        """Accept an answered target only; Enter may come before the answer."""
        self._accepting = self._waiting
        if self._may():
            super().accept()

    def _build(self, name: str, value: float, has_odds: bool) -> None:
        caption = QLabel(self.tr("{name} should be").format(name=name), self)
        now = QLabel(self.tr("now {value}").format(value=number(value)), self)
        odds_label = QLabel(self.tr("The odds among the other keys"), self)
        choices = {"": self.tr("are kept where they can be"), "kept": self.tr("are kept"), "free": self.tr("go free")}
        self.odds.set_words(choices)
        self.field.setAccessibleName(self.tr("target"))
        row = arrange(QHBoxLayout(), caption, self.field, now)
        ways = arrange(QHBoxLayout(), *self.radios.values(), 1)
        odds = arrange(QHBoxLayout(), odds_label, (self.odds, 1))
        words = arrange(QVBoxLayout(), self.reached, self.change, self.reason, spacing=SPACING.xs)
        for way, radio in self.radios.items():
            radio.setObjectName(f"target.{way}")
            self._group.addButton(radio)
        self.odds.setObjectName("target.odds")
        odds_label.setBuddy(self.odds)
        odds_label.setVisible(has_odds)
        self.odds.setVisible(has_odds)
        self.reason.setMinimumHeight(REASON_LINES * self.reason.fontMetrics().lineSpacing())
        self.reason.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.field.setObjectName("target.value")
        style_text(now, tone="text2")
        style_text(self.change, tone="text2")
        caption.setTextFormat(Qt.TextFormat.PlainText)
        arrange(QVBoxLayout(self), row, ways, odds, words, 1, self.buttons, margins=SPACING.xl, spacing=SPACING.l)
        self.setMinimumWidth(scaled(WIDTH))
        self.field.textChanged.connect(self._ask)
        self._group.buttonClicked.connect(self._ask)
        self.odds.picked.connect(self._ask)

    def way(self) -> str:
        """Return the part that is changed for the target."""
        return next(way for way, radio in self.radios.items() if radio.isChecked())

    def _ask(self) -> None:
        text, self._answer, self._refusal, self._accepting = self.field.text().strip(), None, "", False
        try:
            target = self.field.read(text) if text else None
        except Refusal as refusal:
            self._refusal = refusal.sentence()
            target = None
        except ValueError as error:
            self._refusal = str(error)
            target = None
        self._waiting = target is not None
        if target is not None:
            self.asked.emit(target, self.way(), self.odds.currentData() or None)
        else:
            self.withdrawn.emit()
        self._show()

    def _may(self) -> bool:
        return self._answer is not None and self._answer.norm > 0

    def _show(self) -> None:
        answer = self._answer
        self.buttons.ok.setEnabled(self._may() or self._waiting)
        nearest = answer is not None and not answer.feasible
        self.buttons.set_words(self.tr("Take the nearest") if nearest else self.tr("Set"))
        style_text(self.reached, tone="text" if answer is None else "good" if answer.feasible else "error", strong=True)
        style_text(self.reason, tone="error" if self._refusal else "text2")
        reached = self.tr("It reaches {value}.").format(value=number(answer.reached)) if answer is not None else ""
        changed = self.tr("Changes {cells}, by a length of {norm}.")
        self.reached.setText(reached)
        self.change.setText(
            changed.format(cells=answer.where, norm=number(answer.norm)) if answer is not None and answer.norm else ""
        )
        self.reason.setText(self._refusal if answer is None else answer.reason)
