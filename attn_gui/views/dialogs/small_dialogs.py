"""Small dialogs: type a number, “Set … to”, meaning of a typed weight, cells to leave out, Take, a snapshot's name."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPlainTextEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.document.edits import Refusal
from attn_gui.engine.analysis.shortest_change import BIAS, WAYS
from attn_gui.figure.design_tokens import SPACING
from attn_gui.lessons.exercises import BLANKS, SEED
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.dialogs.dialog_base import AnswerButtons, FormDialog
from attn_gui.views.dialogs.form_fields import FormField, caption, lay_out
from attn_gui.views.inspector.cell_relations import number
from attn_gui.views.names import WEIGHT_MEANINGS, WEIGHT_MEANINGS_WITH_SINK
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import scaled, style_text
from attn_gui.views.widgets import ChoiceBox, LineEdit, arrange

T = TypeVar("T")
WIDTH = 340


class ReadDialog(FormDialog, Generic[T]):
    """Base of dialogs that make their `answer` of what is typed, as it is typed, or say why there is none."""

    def __init__(self, name: str, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setObjectName(f"dialog.{name}")
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(WIDTH))
        self.answer: T | None = None
        self._said = WrappedLabel(self)
        style_text(self._said, letters="small", tone="error")

    def _arrange(self, *fields: QWidget | QLayout) -> None:
        """Put the fields above what is said of them; Tab comes to the buttons last, being made last."""
        self.buttons = AnswerButtons(self)
        arrange(QVBoxLayout(self), *fields, self._said, self.buttons, spacing=SPACING.m)
        self.look()

    def said(self) -> str:
        """Return the sentence that says why what is typed is refused; empty where it is taken."""
        return self._said.text()

    def read(self) -> T:
        """Return the answer. Raises ValueError with a sentence."""
        raise NotImplementedError  # not abstract: Qt's metaclass is not that of abstract classes

    def look(self, *_: object) -> None:
        """Read what is typed, as it stands."""
        try:
            self.answer, wrong = self.read(), ""
        except ValueError as error:
            self.answer, wrong = None, str(error)
        self._said.setText(wrong)
        self.buttons.ok.setEnabled(not wrong)


class AskDialog(ReadDialog[T]):
    """Asks for a line; `read` makes the `answer` of it, or raises ValueError with a sentence."""

    def __init__(self, title: str, words: str, text: str, read: Callable[[str], T], parent: QWidget | None) -> None:
        super().__init__("ask", title, parent)
        self._read, self.line, asked = read, LineEdit(text, self), WrappedLabel(self)
        self.line.setObjectName("ask.answer")
        asked.setText(words)
        self.line.setAccessibleName(words)
        self.line.selectAll()
        self.line.textChanged.connect(self.look)
        self._arrange(asked, self.line)

    def read(self) -> T:
        return self._read(self.line.text())


class LeaveOutDialog(ReadDialog[T]):
    """`draw` makes the answer of a count and a seed, or raises ValueError with a sentence; `answer` is what it made."""

    def __init__(self, draw: Callable[[int, int], T], parent: QWidget | None) -> None:
        super().__init__("leave_out", self.tr("Leave out cells"), parent)
        self._draw = draw
        self.count = CountBox(self, minimum=BLANKS.least, maximum=BLANKS.most)
        self.seed = CountBox(self, minimum=SEED.least, maximum=SEED.most)
        self.count.setValue(BLANKS.usual)
        self.seed.setValue(SEED.usual)
        grid = QGridLayout()
        fields = ("count", self.count, self.tr("cells left out")), ("seed", self.seed, self.tr("random seed"))
        lay_out(grid, (tuple(self._field(*one) for one in fields),))
        self._arrange(grid)

    def read(self) -> T:
        return self._draw(self.count.value(), self.seed.value())

    def _field(self, name: str, editor: CountBox, words: str) -> FormField:
        editor.setObjectName(f"leave_out.{name}")
        editor.valueChanged.connect(self.look)
        return caption(words, editor, self), editor, 1


WEIGHT_WIDTH = 420


class WeightDialog(QDialog):
    """Asks what a typed weight means for the rest of its row, and whether the answer holds from now on."""

    def __init__(
        self, name: str, value: str, meanings: Container[str], *, sink: bool, parent: QWidget | None = None
    ) -> None:
        """Ask what `value` in the cell `name` means, one of the keys `meanings`; `sink`: it has a share."""
        super().__init__(parent)
        self.setObjectName("dialog.weight")
        self.setWindowTitle(self.tr("Set {name} to {value}").format(name=name, value=value))
        intro = WrappedLabel(self)
        intro.setText(
            self.tr(
                "The softmax gives a row of weights that adds up to 1, together with the share of the sink. "
                "What should happen to the other weights?"
            )
            if sink
            else self.tr("A row of weights adds up to 1 here. What should happen to the other weights?")
        )
        self._group = QButtonGroup(self)
        self.radios: dict[str, QRadioButton] = {}
        for key, text in (WEIGHT_MEANINGS_WITH_SINK if sink else WEIGHT_MEANINGS).items():
            radio = self.radios[key] = QRadioButton(QCoreApplication.translate("WeightDialog", text), self)
            radio.setObjectName(f"weight.{key}")
            radio.setEnabled(key in meanings)
            self._group.addButton(radio)
        first = next(key for key in WEIGHT_MEANINGS if key in meanings)
        self.radios[first].setChecked(True)
        self.remembered = QCheckBox(self.tr("Do the same from now on"), self)
        self.remembered.setObjectName("weight.remembered")
        hint = WrappedLabel(self)
        hint.setText(
            self.tr("To be asked again, or to choose another meaning: Compute › Edit results › Typing into weights.")
        )
        style_text(hint, tone="text2")
        parts = intro, *self.radios.values(), self.remembered, hint, AnswerButtons(self, self.tr("Set"))
        arrange(QVBoxLayout(self), *parts, margins=SPACING.xl, spacing=SPACING.l)
        self.setMinimumWidth(scaled(WEIGHT_WIDTH))
        self.radios[first].setFocus()

    def meaning(self) -> str:
        """Return the chosen key of MEANINGS."""
        return next(key for key, radio in self.radios.items() if radio.isChecked())


class TakeDialog(QDialog):
    """Asks from which other head, item or row cells are taken: a list of axes, and a number on the chosen one."""

    def __init__(self, cells: str, axes: Mapping[str, tuple[str, int, int]], parent: QWidget | None = None) -> None:
        """Ask for a place on each of `axes`: by key its name, how many places it has, and the one that is proposed."""
        super().__init__(parent)
        self.setObjectName("dialog.take")
        self.setWindowTitle(self.tr("Take {cells} from elsewhere").format(cells=cells))
        self._axes = axes
        self.axis, self.place = ChoiceBox(parent=self), CountBox(self)
        self.axis.setObjectName("take.axis")
        self.place.setObjectName("take.place")
        words = WrappedLabel(self)
        words.setText(self.tr("The cells of which place, as computed, stand there instead?"))
        for key, (name, _count, _proposed) in axes.items():
            self.axis.addItem(name, key)
        self.axis.setAccessibleName(self.tr("Kind of place"))
        self.place.setAccessibleName(self.tr("Number of the place, counted from 0"))
        self.axis.currentIndexChanged.connect(self._follow_axis)
        self._follow_axis()
        buttons = AnswerButtons(self, self.tr("Take"))
        line = arrange(QHBoxLayout(), (self.axis, 1), (self.place, 1), spacing=SPACING.m)
        arrange(QVBoxLayout(self), words, line, buttons, spacing=SPACING.l)
        self.setMinimumWidth(scaled(WIDTH))
        self.place.setFocus()
        self.place.selectAll()

    def source(self) -> dict[str, int]:
        """Return the place on the axis that is chosen, by its key."""
        return {self.axis.currentData(): self.place.value()}

    def _follow_axis(self, *_: object) -> None:
        _name, count, proposed = self._axes[self.axis.currentData()]
        self.place.setRange(0, count - 1)
        self.place.setValue(proposed)


SNAPSHOT_WIDTH, LINES = 360, 5


class SnapshotDialog(QDialog):
    """Asks for a snapshot's name, which may not be empty, and a note; `longest` limits both, in letters."""

    def __init__(self, name: str, note: str, longest: tuple[int, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.snapshot")
        self.setWindowTitle(self.tr("Snapshot"))
        self._longest = longest
        self.name, self.note = LineEdit(name, self), QPlainTextEdit(note, self)
        captions = QLabel(self.tr("&Name"), self), QLabel(self.tr("N&ote"), self)
        self.name.setMaxLength(longest[0])
        self.name.selectAll()
        self.name.setAccessibleName(self.tr("Name"))
        self.name.setToolTip(self.tr("By this name it is listed, and called in maps and figures"))
        self.note.setAccessibleName(self.tr("Note"))
        self.note.setToolTip(self.tr("Whatever is worth knowing about this state; it is saved with it"))
        self.note.setTabChangesFocus(True)
        self.note.setFixedHeight(LINES * self.note.fontMetrics().lineSpacing() + scaled(SPACING.l))
        self.buttons = AnswerButtons(self)
        self.name.textChanged.connect(self._look)
        self.note.textChanged.connect(self._look)
        for words, field in zip(captions, (self.name, self.note), strict=True):
            words.setBuddy(field)
        parts = captions[0], self.name, captions[1], self.note, self.buttons
        arrange(QVBoxLayout(self), *parts, spacing=SPACING.m)
        self.setMinimumWidth(scaled(SNAPSHOT_WIDTH))
        self._look()

    def answer(self) -> tuple[str, str]:
        """Return name and note as they were typed."""
        return " ".join(self.name.text().split()), self.note.toPlainText().strip()

    def _look(self) -> None:
        name, note = self.answer()
        self.buttons.ok.setEnabled(bool(name) and len(note) <= self._longest[1])


ODDS = ("", "kept", "free")  # by what can be reached, or as a person says
TARGET_WIDTH = 400
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
        self.setMinimumWidth(scaled(TARGET_WIDTH))
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
