"""Small dialogs: type a number, meaning of a typed weight, cells to leave out, Take from elsewhere, snapshot's name."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Generic, TypeVar

from PySide6.QtCore import QCoreApplication
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

from attn_gui.figure.design_tokens import SPACING
from attn_gui.lessons.exercises import BLANKS, SEED
from attn_gui.views.controls.count_box import CountBox
from attn_gui.views.dialogs.dialog_base import AnswerButtons, FormDialog
from attn_gui.views.dialogs.form_fields import FormField, caption, lay_out
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
