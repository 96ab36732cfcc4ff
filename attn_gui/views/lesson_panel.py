"""The panel of a lesson: text of the step, bar of steps and its colors, buttons, the end; the panel of an exercise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QShowEvent,
    QTextLayout,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.views.question_view import Asked, QuestionView
from attn_gui.views.text_views import Link, SentenceRun, SentenceView, WrappedLabel, laid_out_sentence, with_scripts
from attn_gui.views.theme import current_theme, restyle, scaled, style_text, theme_signal, ui_font
from attn_gui.views.widgets import (
    CloseButton,
    FittingPage,
    KeyboardButton,
    Reflowed,
    Retranslated,
    arrange,
    clear_layout,
    paint_focus_ring,
    set_name,
)
from attn_gui.views.zones import hairline

LEAST_EXPLAINED, MOST_EXPLAINED, SEEN_EXPLAINED = 96, 0.25, 72
"""Logical pixels that a long step leaves to the explanation, in large type no more than this part of the column, and
none with a question where that would be its tabs alone; of a shorter step it has all that is left."""
LEAST_TEXT, WAY, BAR = 24, 44, (4, 6)
"""Logical pixels: of the step's text where there is no room, and the rest of it scrolls; of the buttons below; of the
height of the progress bar and between its parts."""
STRONG = re.compile(r"\*\*(.+?)\*\*")


@dataclass(frozen=True)
class StepWords:
    """A step as it is said now: `key` names the lesson in every language, `place` counts from 1 to `count`."""

    key: str
    lesson: str
    place: int
    count: int
    title: str
    paragraphs: tuple[str, ...]
    done: bool | None = None  # whether what the person is asked to do is done; None where nothing is asked
    asked: Asked | None = None


class DoneStep(NamedTuple):
    """A step behind the last one: whether it is done, and if not, whether its answer was shown."""

    title: str
    done: bool
    shown: bool


@dataclass(frozen=True)
class EndWords:
    """What is said behind the last step; `next`: the title of the lesson to go on with, and its minutes."""

    key: str
    lesson: str
    title: str
    can: tuple[str, ...]
    steps: tuple[DoneStep, ...]
    tries: str = ""
    next: tuple[str, int] | None = None

    @property
    def left(self) -> int:
        """How many steps are not done."""
        return sum(not step.done for step in self.steps)


class ProgressBar(QWidget):
    """One part for every step: done, on show, or still to come; an outline where the answer was shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson.progress")
        self._done, self._shown, self._place, self._count = frozenset[int](), frozenset[int](), -1, 0
        theme_signal.changed.connect(self._fit_height)
        self._fit_height()

    def set_progress(self, done: frozenset[int], shown: frozenset[int], place: int, count: int) -> None:
        """Set which steps are done, of which the answer was shown, the one on show (`count` or more: none) and their
        number."""
        if (done, shown, place, count) != (self._done, self._shown, self._place, self._count):
            self._done, self._shown, self._place, self._count = done, shown, place, count
            self.update()

    def _fit_height(self, *_: object) -> None:
        self.setFixedHeight(scaled(BAR[0]))

    def color_of(self, step: int) -> QColor:
        """Return the color of a step."""
        theme = current_theme()
        return theme.accent if step == self._place else theme.good if step in self._done else theme.line

    def paintEvent(self, event: QPaintEvent) -> None:
        count, gap = max(self._count, 1), scaled(BAR[1])
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            width, height = (self.width() - gap * (count - 1)) / count, self.height()
            for step in range(self._count):
                outlined = step in self._shown and step != self._place
                painter.setPen(QPen(current_theme().good, 1) if outlined else Qt.PenStyle.NoPen)
                painter.setBrush(self.color_of(step))
                part, inset = QRectF(step * (width + gap), 0, width, height), outlined / 2
                painter.drawRoundedRect(part.adjusted(inset, inset, -inset, -inset), height / 2, height / 2)


class StepText(Reflowed, FittingPage):
    """The words of a step: as high as they are at the present width, or less, and then whole lines of them scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verticalScrollBar().valueChanged.connect(self._show_whole_lines)

    def sizeHint(self) -> QSize:
        body = self.widget()
        layout = body.layout() if body is not None else None
        height = layout.minimumHeightForWidth(self.contentsRect().width()) if layout is not None else 0
        return QSize(super().sizeHint().width(), height)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), min(scaled(LEAST_TEXT), self.sizeHint().height()))

    def fit(self) -> None:
        """Give the page its size, and show the lines that have room."""
        super().fit()
        self._show_whole_lines()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def _show_whole_lines(self) -> None:
        """Leave out the lines at the ends that would be cut."""
        body = self.widget()
        if body is None:
            return
        parts = [part for part in body.findChildren(SentenceView) if not part.isHidden()]
        lines = [line.translated(part.mapTo(body, QPoint())) for part in parts for line in part.lines()]
        top = self.verticalScrollBar().value()
        end = top + self.viewport().height()
        first = max((line.bottom() + 1 for line in lines if line.top() < top <= line.bottom()), default=0)
        last = min((line.top() for line in lines if line.top() < end <= line.bottom()), default=body.height())
        if first < last and (first, last) != (0, body.height()):
            body.setMask(QRegion(0, first, body.width(), last - first))
        else:
            body.clearMask()


class EndView(Retranslated, QWidget):
    """What the person can do by now, line by line; while a step is not done, the steps instead, each a way back."""

    placeAsked = Signal(int)  # a step that is not done, from 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson.end")
        self._words: EndWords | None = None
        self._title, self._lines, self._tries = WrappedLabel(self), QVBoxLayout(), SentenceView(self)
        self._rule, self._links = hairline(self), dict[int, Link]()
        self._tries.setObjectName("lesson.try")
        self._title.setObjectName("lesson.end_title")
        style_text(self._title, "heading", strong=True)
        self._lines.setSpacing(SPACING.m)
        parts = self._title, self._lines, self._rule, self._tries, 1
        arrange(QVBoxLayout(self), *parts, margins=(0, SPACING.m, 0, 0), spacing=SPACING.l)

    def set_end(self, words: EndWords) -> None:
        """Show the end of a lesson."""
        before, self._words = self._words, words
        if before is None or (before.can, before.steps) != (words.can, words.steps):
            clear_layout(self._lines)
            self._links.clear()
            for place, step in enumerate(words.steps) if words.left else ():
                self._add_line(step.title, place, done=step.done)
            for text in () if words.left else words.can:
                self._add_line(text, None, done=True)
        self.retranslate()

    def retranslate(self) -> None:
        if self._words is None:
            return
        self._title.setText(self.tr("In this lesson:") if self._words.left else self._words.title)
        for place, link in self._links.items():
            step = self._words.steps[place]
            link.set_words(step.title, lead=self.tr("Answer shown: ") if step.shown else self.tr("Skipped: "))
        tries = self.tr("Try it: {what}").format(what=self._words.tries) if self._words.tries else ""
        self._tries.set_sentence([SentenceRun(tries, "text2")])
        for part in (self._rule, self._tries):
            part.setVisible(bool(tries))

    def _add_line(self, text: str, place: int | None, *, done: bool) -> None:
        """Add a line with a tick, or the way back to a step without one."""
        line = QWidget(self)
        mark = QLabel("✓" if done else "○", line)
        style_text(mark, "sentence", "good" if done else "text3", strong=True)
        mark.setFixedWidth(QFontMetrics(ui_font("sentence", weight=600)).horizontalAdvance("✓○"))
        said: SentenceView | Link = SentenceView(line) if done else Link("", line, size="sentence")
        if isinstance(said, Link) and place is not None:
            self._links[place] = said
            said.setObjectName(f"lesson.open.{place}")
            said.clicked.connect(lambda: self.placeAsked.emit(place))
        elif isinstance(said, SentenceView):
            said.set_sentence([SentenceRun(text)])
        side = Qt.AlignmentFlag.AlignTop if done else Qt.AlignmentFlag.AlignVCenter
        arrange(QHBoxLayout(line), (mark, 0, side), (said, 1), margins=0, spacing=0)
        self._lines.addWidget(line)


class LessonPanel(Retranslated, Reflowed, QWidget):
    """Shows one step, or the end; the signals say what the person wants.

    Only the text scrolls: what is asked, and what is said of an answer, stays in sight. The way on, `way`, is put at
    the foot of the column, where no text moves it, and comes and goes with the panel.
    """

    stepAsked = Signal(int)  # 1 forward, -1 back
    placeAsked = Signal(int)  # a step, from 0
    closeAsked = Signal()
    nextAsked = Signal()  # the lesson to go on with

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson")
        self._words: StepWords | None = None
        self._ended: EndWords | None = None
        self._ready = False
        self._room = (0, 0)  # height of the column, and what of it is kept for what stands below
        self.way = QWidget(self)
        self.filled = False
        self.retranslate()

    def fill(self) -> None:
        """Make the parts, with the first lesson: most windows show none."""
        self.filled = True
        self._lesson, self._place, self._close = SentenceView(self, size="small"), QLabel(self), CloseButton(self)
        self.progress = ProgressBar(self)
        self._page = StepText(self)
        self._body = QWidget(self._page.viewport())
        self._page.hold(self._body)
        self._place.setTextFormat(Qt.TextFormat.PlainText)
        self._title, self._texts = SentenceView(self._body, size="heading"), QVBoxLayout()
        self._paragraphs: list[SentenceView] = []
        self.do, self._done = QPushButton(self), QLabel(self)
        self.question, self._end_page = QuestionView(self), StepText(self)
        self._end = EndView(self._end_page.viewport())
        self._end_page.hold(self._end)
        self._left, self.way_back = WrappedLabel(self), Link("", self)
        self._following = NextBand(self)
        self._back, self._skip, self._next = QPushButton(self.way), QPushButton(self.way), QPushButton(self.way)
        self.all, self.card, self._on = QPushButton(self.way), QPushButton(self.way), QPushButton(self.way)
        self._column = QVBoxLayout(self)
        self._name_parts()
        self._build()
        self.retranslate()

    def set_step(self, words: StepWords) -> None:
        """Show a step: another one, which takes the keyboard, or the same with its present numbers."""
        before, self._words = self._words, words
        fresh = self._ended is not None or before is None or (before.key, before.place) != (words.key, words.place)
        self._ended = None
        self._lesson.set_sentence([SentenceRun(words.lesson, "text2")])
        self._title.set_sentence([SentenceRun(words.title, strong=True)])
        self._set_paragraphs(words.paragraphs)
        if words.done is not False and self.do.hasFocus():
            self._take_focus()  # Qt would put it anywhere
        self.do.setVisible(words.done is False)
        self._done.setVisible(words.done is True)
        self.question.set_question(words.asked, fresh=fresh)
        self._back.setEnabled(words.place > 1)
        self._show_parts()
        self.retranslate()
        self._lay_out()
        if fresh:
            self._page.verticalScrollBar().setValue(0)
            self._take_focus()

    def set_end(self, words: EndWords) -> None:
        """Show the end of the lesson."""
        fresh, self._ended = self._ended is None or self._ended.key != words.key, words
        self._lesson.set_sentence([SentenceRun(words.lesson, "text2")])
        self._end.set_end(words)
        self._following.set_next(words.next)
        self._show_parts()
        self.retranslate()
        self._lay_out()
        if fresh:
            (self._on if words.next is not None else self.all).setFocus(Qt.FocusReason.OtherFocusReason)

    def set_ready(self, ready: bool) -> None:
        """Set whether the step is done, and the way on is open; leaving it out is possible all the same."""
        self._ready = ready
        if not ready and self._next.hasFocus():
            self._skip.setFocus(Qt.FocusReason.OtherFocusReason)  # Qt would put it anywhere
        self._next.setEnabled(ready)
        self._next.setProperty("filled", str(ready).lower())
        restyle(self._next)
        self.question.set_main(not ready)
        focus = QApplication.focusWidget()
        if ready and focus is not None and (focus is self._skip or self.question.isAncestorOf(focus)):
            self._next.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Put the lesson away; whichever step is said next is another one."""
        self._words = self._ended = None
        self.hide()

    def set_left(self, left: bool) -> None:
        """Set whether the numbers are others than those of the step."""
        left = left and self._ended is None
        if not left and self.way_back.hasFocus():
            self._take_focus()  # Qt would put it on the way back, where Enter leaves the step
        self._left.setVisible(left)
        self.way_back.setVisible(left)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Lesson"))
        self.way.setAccessibleName(self.tr("Way through the lesson"))
        if self.filled:
            self._label_parts()

    def _label_parts(self) -> None:
        self.do.setText(self.tr("Do it for me"))
        self._done.setText(self.tr("✓ Done"))
        self._fit_zoom()
        self._left.setText(self.tr("The numbers are no longer those of this step."))
        self.way_back.set_words(self.tr("Back to the step"))
        self._back.setText(self.tr("Back"))
        self._skip.setText(self.tr("Skip"))
        self._next.setText(self.tr("Next"))
        self.all.setText(self.tr("All lessons"))
        self.card.setText(self.tr("Make a card"))
        self._on.setText(self.tr("Next lesson"))
        set_name(self._close, self.tr("Close the lesson; its place is kept"))
        if self._ended is not None:
            count, left = len(self._ended.steps), self._ended.left
            said = self.tr("{done} of {count} steps done") if left else self.tr("Finished")
            self._place.setText(said.format(done=count - left, count=count))
        elif self._words is not None:
            place, count = self._words.place, self._words.count
            self._place.setText(self.tr("Step {place} of {count}").format(place=place, count=count))
        self.progress.setAccessibleName(self._place.text())

    def room_below(self) -> int:
        """Return the height that the step leaves to what stands below it, its way aside."""
        column = self.parentWidget()
        layout = None if column is None else column.layout()
        if column is None or layout is None:
            return 0
        layout.activate()  # of a panel that has just come the width is not known yet
        return column.contentsRect().height() - self.sizeHint().height() - self.way.sizeHint().height()

    def hasHeightForWidth(self) -> bool:
        return False  # else Qt would take the height that is best for the least

    def sizeHint(self) -> QSize:
        hint, height = super().sizeHint(), self._column.heightForWidth(self.width())
        wanted = max(hint.height(), height)  # the height is −1 where nothing is wrapped
        column, least = self.parentWidget(), self.minimumSizeHint().height()
        if column is None:
            return QSize(hint.width(), wanted)
        whole = self._height_of(column)
        if self._ended is not None:
            return QSize(hint.width(), max(least, whole))
        return QSize(hint.width(), min(wanted, max(least, whole - self._kept_below(column))))

    def _height_of(self, column: QWidget) -> int:
        """Return what the column has above the way on."""
        return column.contentsRect().height() - self.way.sizeHint().height()

    def _kept_below(self, column: QWidget) -> int:
        """Return the height that the explanation, or the steps of a walk, is left, with the gaps between.

        The verdict on a refused answer has its room of it, not of the text above: the field or the choices that are
        pressed next would move from under the pointer.
        """
        layout = column.layout()
        assert layout is not None
        # not by `itemAt`: PySide keeps what that returns under its address, where the next widget may be made
        direct = column.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        parts = [widget for widget in direct if layout.indexOf(widget) >= 0 and not widget.isHidden()]
        least = sum(part.minimumSizeHint().height() for part in parts if part not in (self, self.way))
        most = round(self._height_of(column) * MOST_EXPLAINED)
        if most < scaled(SEEN_EXPLAINED) and not self.question.isHidden():
            most = 0
        kept = max(min(scaled(LEAST_EXPLAINED), most) - self.question.refused_height, least)
        return kept + layout.spacing() * (len(parts) - 1)

    def minimumSizeHint(self) -> QSize:
        hint, height = super().minimumSizeHint(), self._column.minimumHeightForWidth(self.width())
        return QSize(hint.width(), max(hint.height(), height))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        focus = QApplication.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focus, QRadioButton | QToolButton):
            focus.click()  # which Qt leaves to Space
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        self.way.show()
        if (column := self.parentWidget()) is not None:
            column.installEventFilter(self)
        super().showEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask for a new layout when the widgets below need another height: Qt caches the size hint until then."""
        column = self.parentWidget()
        if watched is column and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            room = column.height(), self._kept_below(column)
            if room != self._room:
                self._room = room
                self.updateGeometry()
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.isHidden():
            self.way.hide()

    def _show_parts(self) -> None:
        """Show the parts of a step, or those of the end."""
        ended, leads_on = self._ended is not None, self._ended is not None and self._ended.next is not None
        of_step: tuple[QWidget, ...] = (self._page, self._back, self._skip, self._next)
        of_end: tuple[QWidget, ...] = (self._end_page, self.all, self.card)
        asked: tuple[QWidget, ...] = (self.do, self._done, self.question, self._left, self.way_back)
        for parts, shown in ((of_step, not ended), (of_end, ended), ((self._following, self._on), leads_on)):
            for part in parts:
                part.setVisible(shown)
        for part in asked if ended else ():
            part.hide()
        self.updateGeometry()

    def _lay_out(self) -> None:
        """Give all parts their places at once: what has just come would be painted where it stood in another step."""
        for layout in (self._column, self.way.layout()):
            assert layout is not None
            layout.activate()

    def _take_focus(self) -> None:
        """Put the keyboard on the question, or on the way on where nothing is asked."""
        if self._words is not None and self._words.asked is not None:
            self.question.take_focus()
        else:
            (self._next if self._next.isEnabled() else self._skip).setFocus(Qt.FocusReason.OtherFocusReason)

    def _set_paragraphs(self, paragraphs: Sequence[str]) -> None:
        if len(self._paragraphs) != len(paragraphs):
            clear_layout(self._texts)
            self._paragraphs = [SentenceView(self._body) for _ in paragraphs]
            for view in self._paragraphs:
                self._texts.addWidget(view)
        for view, text in zip(self._paragraphs, paragraphs, strict=True):
            if view.text() != STRONG.sub(r"\1", text):
                view.set_sentence(_runs(text))

    def _name_parts(self) -> None:
        names = {
            "close": self._close,
            "do": self.do,
            "return": self.way_back,
            "back": self._back,
            "skip": self._skip,
            "next": self._next,
            "all": self.all,
            "card": self.card,
            "next_lesson": self._on,
            "way": self.way,
            "title": self._title,
            "place": self._place,
            "left": self._left,
            "done": self._done,
        }
        for name, part in names.items():
            part.setObjectName(f"lesson.{name}")
        self._close.clicked.connect(self.closeAsked)
        self._back.clicked.connect(lambda: self.stepAsked.emit(-1))
        self._skip.clicked.connect(lambda: self.stepAsked.emit(1))
        self._next.clicked.connect(lambda: self.stepAsked.emit(1))
        self._on.clicked.connect(self.nextAsked)
        self._end.placeAsked.connect(self.placeAsked)
        self._following.clicked.connect(self.nextAsked)

    def _build(self) -> None:
        style_text(self._place, "small", "text2")
        style_text(self._left, "small", "edit")
        style_text(self._done, "body", "good", strong=True)
        self._on.setProperty("filled", "true")
        self.do.setAutoDefault(True)  # Enter presses it
        for button in (self._back, self._skip, self._next, self.all, self.card, self._on):
            button.setAutoDefault(True)
            button.setProperty("tall", "true")
        self._lesson.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head = arrange(QHBoxLayout(), (self._lesson, 1, Qt.AlignmentFlag.AlignVCenter), self._place, self._close)
        task = arrange(QHBoxLayout(), self.do, self._done, 1)
        self._texts.setSpacing(SPACING.m)
        arrange(QVBoxLayout(self._body), self._title, self._texts, 1, margins=0, spacing=SPACING.m)
        column = arrange(self._column, head, self.progress, margins=(0, 0, 0, SPACING.m), spacing=SPACING.s)
        column.addSpacing(SPACING.s)
        column.addWidget(self._page)
        column.addSpacing(SPACING.s)
        below = task, self._left, self.way_back, self.question, (self._end_page, 1000), 1, self._following
        arrange(column, *below)
        self._build_way()

    def _build_way(self) -> None:
        theme_signal.changed.connect(self._fit_zoom)
        buttons = self._back, self.all, 1, self._skip, self._next, self.card, self._on
        arrange(QHBoxLayout(self.way), *buttons, margins=(0, SPACING.s, 0, 0), spacing=SPACING.m)
        self.way.hide()

    def _fit_zoom(self, *_: object) -> None:
        self.way.setFixedHeight(scaled(WAY))
        self._done.setMinimumHeight(self.do.sizeHint().height())  # what is asked below stays where it is


class NextBand(Reflowed, KeyboardButton):
    """The lesson to go on with, and the minutes that it takes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lesson.next_band")
        self._minutes = 0

    def set_next(self, words: tuple[str, int] | None) -> None:
        """Set the title of the lesson and its minutes."""
        title, self._minutes = words or ("", 0)
        self.setText(title)
        self.setAccessibleName(title)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        height = QFontMetrics(ui_font("small")).height() + self._title(self.width() - SPACING.l - SPACING.m)[1]
        return QSize(scaled(120), round(height) + 2 * SPACING.l)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), theme.accent_soft)
            room = self.rect().adjusted(SPACING.l, SPACING.m, -SPACING.m, -SPACING.m)
            painter.setFont(ui_font("small"))
            painter.setPen(theme.text2)
            said = self.tr("Next lesson · about {minutes} min").format(minutes=self._minutes)
            painter.drawText(room, Qt.AlignmentFlag.AlignTop, said)
            title, height = self._title(room.width())
            title.draw(painter, QPointF(room.left(), room.bottom() - height))
            if self.ring_shown():
                paint_focus_ring(painter, self.rect())

    def _title(self, width: float) -> tuple[QTextLayout, int]:
        return laid_out_sentence(with_scripts(SentenceRun(self.text())), ui_font("sentence", weight=600), width)


def _runs(text: str) -> list[SentenceRun]:
    """Return a text as runs, in which **words** stand out."""
    return [SentenceRun(part, strong=bool(place % 2)) for place, part in enumerate(STRONG.split(text)) if part]


class ExercisePanel(Retranslated, QWidget):
    """Asks for the number of the chosen cell, if it is one that was left out."""

    closeAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exercise")
        self._counts, self._right = (0, 0), ""
        self._title, self._left, self._close = QLabel(self), QLabel(self), CloseButton(self)
        self._hint = WrappedLabel(self)
        self.question = QuestionView(self, "exercise")
        self._build()
        self.retranslate()

    def set_counts(self, left: int, count: int) -> None:
        """Show how many of the cells that were left out are still open."""
        self._counts, self._right = (left, count), self._right if left < count else ""
        self.retranslate()

    def set_right(self, number: str) -> None:
        """Say that this was the number of the cell that was asked for, until another one is."""
        self._right = number
        self.retranslate()

    def set_cell(self, name: str, *, fresh: bool) -> None:
        """Ask for a cell by its name; with an empty one say how to go on. `fresh`: another cell than before."""
        self._right = "" if name else self._right
        self.question.set_question(Asked(name) if name else None, fresh=fresh)
        self._hint.setVisible(not name)

    def retranslate(self) -> None:
        left, count = self._counts
        self.setAccessibleName(self.tr("Exercise"))
        self._title.setText(self.tr("Exercise"))
        self._left.setText(self.tr("{left} of {count} left").format(left=left, count=count))
        done = self.tr("Every cell is right.")
        hint = self.tr("Choose a cell with “?” and type its number.") if left or not count else done
        right = self.tr("Right: {number}").format(number=self._right) if self._right else ""
        self._hint.setText("\n".join(filter(None, (right, hint))))
        set_name(self._close, self.tr("End the exercise and show all numbers"))

    def _build(self) -> None:
        style_text(self._title, "sentence", strong=True)
        style_text(self._left, "small", "text3")
        style_text(self._hint, "body", "text2")
        self._hint.setObjectName("exercise.hint")
        self._left.setObjectName("exercise.left")
        self._close.setObjectName("exercise.close")
        self._close.clicked.connect(self.closeAsked)
        head = arrange(QHBoxLayout(), (self._title, 1), self._left, self._close)
        arrange(QVBoxLayout(self), head, self._hint, self.question, margins=(0, 0, 0, SPACING.m), spacing=SPACING.s)
