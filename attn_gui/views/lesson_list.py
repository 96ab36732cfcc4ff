"""The list of lessons as it looks: rows with ticks and minutes, the band to go on with, distances on a low screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import RADIUS, SPACING
from attn_gui.views.text_views import Link, SentenceRun, SentenceView, paint_words
from attn_gui.views.theme import current_theme, scaled, style_text, ui_font
from attn_gui.views.widgets import (
    CloseButton,
    FittingPage,
    KeyboardButton,
    Retranslated,
    arrange,
    clear_layout,
    paint_focus_ring,
    paint_rounded,
    set_name,
)
from attn_gui.views.zones import hairline

ROW, MARK, TICK, WIDEST = 34, 18, (12, 4, 2), 1072
"""Logical pixels: the height of a row, its mark, the width, height and distance of its ticks; the width of the list."""


@dataclass(frozen=True)
class LessonRow:
    """A lesson of the list: `done` are its steps that are done, of `steps`."""

    name: str
    number: int
    title: str
    steps: int
    done: frozenset[int]
    minutes: int

    @property
    def finished(self) -> bool:
        """Whether every step is done."""
        return len(self.done) >= self.steps


@dataclass(frozen=True)
class GoingOn:
    """The lesson to go on with: the step counts from 1, or is 0 where it has not been begun; `learned` is what the one
    before taught."""

    row: LessonRow
    step: int = 0
    learned: str = ""


class LessonButton(Retranslated, KeyboardButton):
    """A row of the list, which opens its lesson."""

    def __init__(self, row: LessonRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"lessons.{row.name}")
        self._row, self._current = row, False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.retranslate()

    def set_current(self, current: bool) -> None:
        """Set whether it is the lesson to go on with."""
        self._current = current
        self.update()

    def retranslate(self) -> None:
        row = self._row
        words = self.tr("{number}. {title}, {done} of {count} steps done, {minutes} min")
        named = words.format(
            number=row.number, title=row.title, done=len(row.done), count=row.steps, minutes=row.minutes
        )
        self.setText(row.title)
        self.setAccessibleName(named)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(320), scaled(ROW))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(260), scaled(ROW))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._current or self.underMouse():
                fill = theme.accent_soft if self._current else theme.raised
                paint_rounded(painter, self.rect(), scaled(RADIUS.control), fill=fill)
            room = self.rect().adjusted(scaled(SPACING.m), 0, -scaled(SPACING.m), 0)
            self._paint_mark(
                painter, QRectF(room.left(), (self.height() - scaled(MARK)) / 2, scaled(MARK), scaled(MARK))
            )
            painter.setFont(ui_font("sentence"))
            painter.setPen(theme.text2)
            minutes = self.tr("{minutes} min").format(minutes=self._row.minutes)
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, minutes)
            right = room.right() - QFontMetrics(painter.font()).horizontalAdvance("00 min") - scaled(SPACING.l)
            left = self._paint_ticks(painter, right)
            start = room.left() + scaled(MARK + SPACING.l)
            words = QRect(start, 0, left - scaled(SPACING.m) - start, self.height())
            paint_words(
                painter, words, SentenceRun(self.text()), ui_font("sentence", weight=600 if self._current else 400)
            )
            if self.ring_shown():
                paint_focus_ring(painter, self.rect())

    def _paint_mark(self, painter: QPainter, place: QRectF) -> None:
        """Paint its number in a circle; a tick in a full one once it is finished."""
        theme = current_theme()
        if self._row.finished:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.good)
            painter.drawEllipse(place)
            painter.setPen(QPen(theme.on_accent, scaled(2), c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
            points = ((0.28, 0.52), (0.44, 0.68), (0.73, 0.36))
            painter.drawPolyline(
                [QPointF(place.x() + x * place.width(), place.y() + y * place.height()) for x, y in points]
            )
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.accent if self._current else theme.line_strong, scaled(1)))
        painter.drawEllipse(place.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setFont(ui_font("micro"))
        painter.setPen(theme.accent if self._current else theme.text2)
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(self._row.number))

    def _paint_ticks(self, painter: QPainter, right: int) -> int:
        """Paint one tick for each step, ending at a pixel; return where they begin."""
        theme, (width, height, gap) = current_theme(), map(scaled, TICK)
        start = right - self._row.steps * (width + gap) + gap
        painter.setPen(Qt.PenStyle.NoPen)
        for step in range(self._row.steps):
            painter.setBrush(theme.good if step in self._row.done else theme.line)
            tick = QRectF(start + step * (width + gap), (self.height() - height) / 2, width, height)
            painter.drawRoundedRect(tick, height / 2, height / 2)
        return start


class LessonList(Retranslated, QWidget):
    """Stands in the place of maps and tables; a row, or the band below, says which lesson is wanted."""

    chosen = Signal(str, bool)  # a name, and whether it begins anew
    leaveAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lessons")
        self.setAutoFillBackground(True)
        self._groups: tuple[tuple[str, tuple[LessonRow, ...]], ...] = ()
        self._going_on: GoingOn | None = None
        self._title, self._summary, self.file = QLabel(self), QLabel(self), Link("", self)
        self._close = CloseButton(self)
        self._page = FittingPage(self)
        self._body = QWidget(self._page.viewport())
        self._grid = QGridLayout()
        self._band = QFrame(self._body)
        self._name, self._learned = SentenceView(self._band), SentenceView(self._band)
        self._anew, self._on = QPushButton(self._band), QPushButton(self._band)
        names = {"title": self._title, "summary": self._summary, "file": self.file, "close": self._close}
        names |= {"band": self._band, "anew": self._anew, "continue": self._on, "going_on": self._name}
        for name, part in names.items():
            part.setObjectName(f"lessons.{name}")
        self._close.clicked.connect(self.leaveAsked)
        for button, anew in ((self._anew, True), (self._on, False)):
            button.setAutoDefault(True)  # for Enter
            button.clicked.connect(lambda _=False, anew=anew: self._choose(anew))
        self._build()
        self.retranslate()

    def set_lessons(self, groups: Sequence[tuple[str, Sequence[LessonRow]]], going_on: GoingOn | None) -> None:
        """Show the groups by their titles, and the lesson to go on with."""
        self._groups = tuple((title, tuple(rows)) for title, rows in groups)
        self._going_on = going_on
        clear_layout(self._grid)
        half = (len(self._groups) + 1) // 2
        for column, own in enumerate((self._groups[:half], self._groups[half:])):
            self._grid.addWidget(self._card(own), 0, column)
        self._band.setVisible(going_on is not None)
        self.retranslate()

    def take_focus(self) -> None:
        """Put the keyboard on the way on."""
        self._on.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        rows = [row for _, own in self._groups for row in own]
        self.setAccessibleName(self.tr("Lessons"))
        self._title.setText(self.tr("Lessons"))
        summary = self.tr("{count} lessons, about {minutes} min. {done} finished; leave at any time and go on later.")
        minutes, done = sum(row.minutes for row in rows), sum(row.finished for row in rows)
        self._summary.setText(summary.format(count=len(rows), minutes=minutes, done=done))
        self.file.set_words(self.tr("Open a lesson of your own…"))
        set_name(self._close, self.tr("Close the list"))
        self._anew.setText(self.tr("Start over"))
        on = self._going_on
        if on is None:
            return
        begun = on.step > 0
        self._on.setText(self.tr("Continue") if begun else self.tr("Begin"))
        self._anew.setVisible(begun)
        lead = self.tr("Go on with: {title}") if begun or on.learned else self.tr("Begin with: {title}")
        step = self.tr("Step {place} of {count}").format(place=on.step, count=on.row.steps) if begun else ""
        words = SentenceRun(lead.format(title=on.row.title), strong=True)
        self._name.set_sentence([words, SentenceRun(f"   {step}", "text2")])
        learned = self.tr("In the last lesson you learned to {what}").format(what=on.learned) if on.learned else ""
        self._learned.set_sentence([SentenceRun(learned, "text2")])
        self._learned.setVisible(bool(learned))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.leaveAsked.emit()
        else:
            super().keyPressEvent(event)

    def _choose(self, anew: bool) -> None:
        if self._going_on is not None:
            self.chosen.emit(self._going_on.row.name, anew)

    def _card(self, groups: Iterable[tuple[str, tuple[LessonRow, ...]]]) -> QWidget:
        """Return a column of groups."""
        card = QFrame(self._body)
        card.setProperty("card", "true")
        column = arrange(QVBoxLayout(card), margins=SPACING.m, spacing=0)
        for place, (title, rows) in enumerate(groups):
            column.addSpacing(SPACING.l if place else 0)
            named, minutes = QLabel(title, card), QLabel(card)
            minutes.setText(self.tr("{minutes} min").format(minutes=sum(row.minutes for row in rows)))
            style_text(named, "sentence", strong=True)
            style_text(minutes, "small", "text2")
            margins = SPACING.m, SPACING.s, SPACING.m, SPACING.m
            column.addLayout(arrange(QHBoxLayout(), (named, 1), minutes, margins=margins))
            column.addWidget(hairline(card))
            column.addSpacing(SPACING.s)
            for row in rows:
                button = LessonButton(row, card)
                button.set_current(self._going_on is not None and row == self._going_on.row)
                button.clicked.connect(lambda _=False, name=row.name: self.chosen.emit(name, False))
                column.addWidget(button)
        column.addStretch(1)
        return card

    def _build(self) -> None:
        style_text(self._title, "title", strong=True)
        style_text(self._summary, "sentence", "text2")
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._on.setProperty("filled", "true")
        self._band.setProperty("band", "true")
        head = arrange(QHBoxLayout(), self._title, (self._summary, 1), self.file, self._close, spacing=SPACING.xl)
        self._grid.setHorizontalSpacing(SPACING.xxl)
        words = arrange(QVBoxLayout(), self._name, self._learned, spacing=SPACING.xs)
        margins = SPACING.xl, SPACING.m, SPACING.xl, SPACING.m
        arrange(QHBoxLayout(self._band), (words, 1), self._anew, self._on, margins=margins, spacing=SPACING.xl)
        arrange(QVBoxLayout(self._body), self._grid, self._band, 1, margins=(0, SPACING.l, 0, 0), spacing=SPACING.l)
        self._page.hold(self._body)
        middle = QWidget(self)
        middle.setMaximumWidth(scaled(WIDEST))
        arrange(QVBoxLayout(middle), head, (self._page, 1), margins=0)
        arrange(QHBoxLayout(self), 1, (middle, 1000), 1, margins=SPACING.xl)
