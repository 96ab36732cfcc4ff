"""The walk in the window: picture, play bar, speeds, keys, and the list of its steps with its height."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
    QTextDocument,
    QTextDocumentFragment,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SPACING
from attn_gui.figure.text.rich_text import lowered, rich_width, strong, write_rich
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, icon, scaled, set_background, style_text, ui_font
from attn_gui.views.widgets import (
    ChoiceBox,
    ElidedLabel,
    FittingPage,
    KeyboardButton,
    Retranslated,
    arrange,
    clear_layout,
    paint_focus_ring,
    set_tip,
)
from attn_gui.views.zones import hairline

if TYPE_CHECKING:
    from attn_gui.figure.walk import Walk

SPEEDS = {"half": 0.5, "usual": 1.0, "double": 2.0}
STILL_SECONDS = 2.0
"""How long a step stands where nothing moves."""
LEFT_TO_WALK = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape)
BEFORE_END = 1e-3
"""Seconds before a step's end at which all of it is there and the next has not begun."""


class WalkPlayer(QVariantAnimation):
    """Plays a walk: `moved` with every moment, `turned` with every other step, `renewed` with all words set anew.

    Its own value is the moment in seconds; with `still` it is the step, which is shown as it ends. An animation of Qt
    can be set to any time, so tests need no clock.
    """

    moved = Signal()
    turned = Signal()
    renewed = Signal()
    played = Signal()  # whether it plays has changed

    def __init__(self, walk: Walk, parent: QWidget, *, still: bool = False) -> None:
        super().__init__(parent)
        self.walk, self.still, self.playing = walk, still, False
        self.seconds, self.speed = self._shown_at(0.0), 1.0
        self.valueChanged.connect(self._on_value_changed)
        self.finished.connect(lambda: self._set_playing(False))

    @property
    def beat(self) -> int:
        """The step on show, from 0."""
        return self.walk.beat_at(self.seconds)[0]

    @property
    def ended(self) -> bool:
        """Whether all of it has been shown."""
        return self.seconds >= self.walk.seconds - BEFORE_END

    def toggle(self) -> None:
        """Play on, from the start where it has ended, or pause."""
        if self.playing:
            self.pause_here()
            return
        if self.ended:
            self._move(0.0)
        self._run()

    def pause_here(self) -> None:
        """Stand still."""
        self.stop()
        self._set_playing(False)

    def go_to(self, beat: int) -> None:
        """Go to a step: where it plays to its beginning, else to its end, when all that its sentence says is there."""
        beat = max(0, min(beat, len(self.walk.beats) - 1))
        self.scrub(self.walk.starts[beat] if self.playing and not self.still else self._end_of(beat))

    def scrub(self, seconds: float) -> None:
        """Go to a moment, and play on from there if it plays."""
        self.stop()
        self._move(max(0.0, min(seconds, self.walk.seconds)))
        if self.playing:
            self._run()

    def set_speed(self, speed: float) -> None:
        """Play so many times as fast."""
        self.speed = speed
        self.scrub(self.seconds)

    def set_still(self, still: bool) -> None:
        """Set whether each step is there at once and nothing slides."""
        self.still = still
        self.scrub(self.seconds)
        self.turned.emit()

    def set_walk(self, walk: Walk) -> None:
        """Show the same walk in another language or other colors, at the same moment."""
        beat, share = self.beat, self.seconds - self.walk.starts[self.beat]
        self.walk = walk
        self.scrub(walk.starts[beat] + share)
        self.renewed.emit()

    def _end_of(self, beat: int) -> float:
        last = beat == len(self.walk.beats) - 1
        return self.walk.seconds if last else self.walk.starts[beat + 1] - BEFORE_END

    def _run(self) -> None:
        """Let the animation go on from the moment on show."""
        here, end = (self.beat, len(self.walk.beats)) if self.still else (self.seconds, self.walk.seconds)
        self.setStartValue(float(here))
        self.setEndValue(float(end))
        self.setDuration(round((end - here) * (STILL_SECONDS if self.still else 1.0) * 1000 / self.speed))
        self._set_playing(True)
        self.start()

    def _on_value_changed(self, value: object) -> None:
        assert isinstance(value, float)
        if self.playing:
            self._move(self._end_of(min(int(value), len(self.walk.beats) - 1)) if self.still else value)

    def _shown_at(self, seconds: float) -> float:
        """Return the moment that is shown in the place of another one: where nothing moves, the end of its step."""
        return self._end_of(self.walk.beat_at(seconds)[0]) if self.still else seconds

    def _move(self, seconds: float) -> None:
        before, self.seconds = self.beat, self._shown_at(seconds)
        if self.beat != before:
            self.turned.emit()
        self.moved.emit()

    def _set_playing(self, playing: bool) -> None:
        if playing != self.playing:
            self.playing = playing
            self.played.emit()


def key_of(event: QEvent) -> int | None:
    """Return the key of a press that a button leaves to the walk; None for any other event."""
    if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
        return None
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    return event.key() if plain and event.key() in LEFT_TO_WALK else None


def words_of(rich: str) -> str:
    """Return the words of a rich text alone, dₖ with its index."""
    return QTextDocumentFragment.fromHtml(rich.replace(lowered("k"), "ₖ")).toPlainText()


# --- Parts of the transport: the round button, and the bar of the steps with its knob ---
ROUND, KNOB, TRACK = 32, 9, 6
"""Logical pixels: the width of the round button, the radius of the knob, the height of the bar."""
BETWEEN = 3  # segments


class PlayButton(KeyboardButton):
    """Round button that plays or pauses the walk."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._playing = False
        self.setObjectName("walk.play")

    def set_playing(self, playing: bool) -> None:
        """Set whether a press would pause."""
        self._playing = playing
        self.update()

    def sizeHint(self) -> QSize:
        side = scaled(ROUND) + 2 * scaled(SPACING.xs)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            middle, side = QRectF(self.rect()).center(), scaled(ROUND) / 2
            painter.drawEllipse(middle, side, side)
            high = side * 0.36
            if self._playing:
                painter.setPen(QPen(theme.on_accent, side * 0.14, c=Qt.PenCapStyle.RoundCap))
                for x in (middle.x() - high * 0.5, middle.x() + high * 0.5):
                    painter.drawLine(QPointF(x, middle.y() - high), QPointF(x, middle.y() + high))
            else:
                painter.setBrush(theme.on_accent)
                tip = [QPointF(-0.7, -1.1), QPointF(-0.7, 1.1), QPointF(1.1, 0)]
                painter.drawPolygon(QPolygonF([middle + point * high for point in tip]))
            if self.ring_shown():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(theme.accent, 2))
                painter.drawEllipse(middle, side + 2, side + 2)


class BeatBar(QSlider):
    """The steps as parts of one bar, each as long as it lasts, their names below, and a knob at the moment on show.

    A slider to screen readers, in milliseconds; arrows are left to the walk.
    """

    scrubbed = Signal(float)  # seconds
    picked = Signal(int)  # a step

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("walk.bar")
        self._seconds, self._names = [1.0], [""]
        self._drags = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_beats(self, seconds: Sequence[float], names: Sequence[str]) -> None:
        """Set the steps: how long each lasts, and what it is called, as rich text."""
        self._seconds, self._names = list(seconds), list(names)
        self.setRange(0, round(1000 * sum(seconds)))
        self.update()

    # --- places ----------------------------------------------------------------------------------
    def segments(self) -> list[QRectF]:
        """Return the part of the bar of every step."""
        inset, gap = scaled(KNOB), scaled(BETWEEN)
        room, top = self.width() - 2 * inset - gap * (len(self._seconds) - 1), scaled(KNOB) - scaled(TRACK) / 2
        found, x = [], float(inset)
        for seconds in self._seconds:
            width = room * seconds / sum(self._seconds)
            found.append(QRectF(x, top, width, scaled(TRACK)))
            x += width + gap
        return found

    def _x_of(self, seconds: float) -> float:
        left = seconds
        for part, length in zip(self.segments(), self._seconds, strict=True):
            if left <= length:
                return part.left() + part.width() * left / length
            left -= length
        return self.segments()[-1].right()

    def _seconds_at(self, x: float) -> float:
        before = 0.0
        for part, length in zip(self.segments(), self._seconds, strict=True):
            if x <= part.right() + scaled(BETWEEN):
                return before + length * max(0.0, min((x - part.left()) / part.width(), 1.0))
            before += length
        return before

    def _beat_at(self, x: float) -> int:
        ends = [part.right() + scaled(BETWEEN) / 2 for part in self.segments()]
        return min(bisect_right(ends, x), len(ends) - 1)

    def sizeHint(self) -> QSize:
        names = QFontMetrics(ui_font("small")).height()
        return QSize(scaled(300), 2 * scaled(KNOB) + scaled(SPACING.xs) + names)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(80), self.sizeHint().height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        self._drags = at.y() <= 2 * scaled(KNOB)
        if not self._drags or abs(at.x() - self._x_of(self.value() / 1000)) > scaled(KNOB):
            self.picked.emit(self._beat_at(at.x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drags and event.buttons() & Qt.MouseButton.LeftButton:
            self.scrubbed.emit(self._seconds_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drags = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, here = current_theme(), self._x_of(self.value() / 1000)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            round_ = scaled(TRACK) / 2
            for part in self.segments():
                painter.setBrush(theme.line)
                painter.drawRoundedRect(part, round_, round_)
                if here > part.left():
                    painter.setBrush(theme.accent)
                    done = QRectF(part)
                    done.setRight(max(min(here, part.right()), part.left() + scaled(TRACK)))
                    painter.drawRoundedRect(done, round_, round_)
            painter.setBrush(theme.surface)
            painter.setPen(QPen(theme.accent, 2))
            painter.drawEllipse(QPointF(here, scaled(KNOB)), scaled(KNOB) - 1.5, scaled(KNOB) - 1.5)
            self._paint_names(painter)

    def _paint_names(self, painter: QPainter) -> None:
        """Write every name below its part; where they do not fit, that of the step on show alone."""
        theme, parts, now = current_theme(), self.segments(), self._beat_now()
        font = ui_font("small")
        foot = 2 * scaled(KNOB) + scaled(SPACING.xs) + QFontMetrics(font).ascent()
        widths = [rich_width(strong(name), font.pixelSize()) for name in self._names]
        every = all(width <= part.width() + scaled(BETWEEN) for width, part in zip(widths, parts, strict=True))
        for place, (name, width, part) in enumerate(zip(self._names, widths, parts, strict=True)):
            if every or place == now:
                x = max(width / 2, min(part.center().x(), self.width() - width / 2))
                rich, ink = (strong(name), theme.accent) if place == now else (name, theme.text2)
                write_rich(painter, QPointF(x, foot), rich, ink, font.pixelSize(), 0.5)

    def _beat_now(self) -> int:
        ends = list(accumulate(self._seconds))
        return min(bisect_right(ends, self.value() / 1000), len(ends) - 1)


# --- The walk itself ---
TITLE, SENTENCE, TRANSPORT = 40, 52, 68
"""Logical pixels of the line of the title, of the sentence at least, and of the transport."""
LEAST_STAGE = 16
"""Pixels of the picture at the least: in large type on a low screen the bar below, which stays, needs the rest."""


class WalkStage(QWidget):
    """Paints the picture of the walk at the moment on show."""

    def __init__(self, player: WalkPlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = player
        self.setObjectName("walk.stage")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        player.moved.connect(self.update)

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(240), LEAST_STAGE)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._player.walk.paint(painter, QRectF(self.rect()), self._player.seconds, still=self._player.still)


class WalkView(Retranslated, QWidget):
    """The walk in the place of the maps: title, picture, sentence, and the controls to play it.

    Arrows, Home, End and Esc act wherever the focus is in it, and Space where no button has it.
    """

    leaveAsked = Signal()
    exportAsked = Signal(bool)  # whether panels are wanted; else a GIF

    def __init__(self, player: WalkPlayer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walk")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._player, self._sized = player, False
        self._title, self._about = QLabel(self), ElidedLabel(self)
        self.export, self._close, self._menu = QPushButton(self), QToolButton(self), QMenu(self)
        self._gif = self._menu.addAction("", lambda: self.exportAsked.emit(False))
        self._panels = self._menu.addAction("", lambda: self.exportAsked.emit(True))
        self._stage, self._sentence = WalkStage(player, self), QLabel(self)
        self._head, self._transport = QWidget(self), QWidget(self)
        self._back, self._play, self._on = (QToolButton(self), PlayButton(self), QToolButton(self))
        self._bar, self._time, self.speed = BeatBar(self), QLabel(self), ChoiceBox(SPEEDS, self)
        self._connect()
        self._build()
        self.retranslate()

    def words(self) -> str:
        """Return the step on show in words: `Step 2 of 7: Add the products. …`."""
        beat, beats = self._player.beat, self._player.walk.beats
        text = self.tr("Step {place} of {count}: {title}. {sentence}")
        return text.format(
            place=beat + 1, count=len(beats), title=words_of(beats[beat].title), sentence=words_of(beats[beat].sentence)
        )

    def retranslate(self) -> None:
        self._gif.setText(self.tr("Export &GIF…"))
        self._panels.setText(self.tr("Export step &panels…"))
        self.export.setText(self.tr("Export"))
        for button, words in (
            (self._close, self.tr("Back to the map")),
            (self._back, self.tr("Previous step")),
            (self._on, self.tr("Next step")),
            (self.speed, self.tr("Speed")),
            (self._bar, self.tr("Steps of the walk")),
        ):
            button.setAccessibleName(words)
            set_tip(button, words)
        self.speed.set_words({key: f"{_factor(speed)}×" for key, speed in SPEEDS.items()})
        self._show_walk()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not self.act(event.key()):
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the keys of the walk from its buttons and its list of steps, where arrows would lead to the next one."""
        return (key := key_of(event)) is not None and self.act(key)

    def act(self, key: int) -> bool:
        """Do what a key asks for; False where it asks for nothing here."""
        player = self._player
        acts: dict[int, Callable[[], object]] = {
            Qt.Key.Key_Space: player.toggle,
            Qt.Key.Key_Left: lambda: player.go_to(player.beat - 1),
            Qt.Key.Key_Right: lambda: player.go_to(player.beat + 1),
            Qt.Key.Key_Home: lambda: player.scrub(0.0),
            Qt.Key.Key_End: lambda: player.scrub(player.walk.seconds),
            Qt.Key.Key_Escape: lambda: self.leaveAsked.emit(),
        }
        if key in acts:
            acts[key]()
        return key in acts

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus():
            with QPainter(self) as painter:
                paint_focus_ring(painter, self._stage.geometry().adjusted(2, 2, -2, -2))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._show_walk()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._sized = True
        self._fit()

    # --- following -------------------------------------------------------------------------------
    def _show_walk(self) -> None:
        """Show all that is said of another walk, or of the same one in another language."""
        walk = self._player.walk
        self._bar.set_beats([beat.seconds for beat in walk.beats], [beat.title for beat in walk.beats])
        self._fit()
        self._time.setFixedWidth(self._widest_time())
        self._show_beat()
        self._show_moment()
        self._show_playing()

    def _show_beat(self) -> None:
        walk = self._player.walk
        self._title.setText(walk.title)
        about = [walk.subtitle, *([self.tr("Reduced motion: each step at once")] if self._player.still else [])]
        self._about.setText("  ·  ".join(about))
        self._sentence.setText(walk.beats[self._player.beat].sentence)
        words = self.words()
        self.setAccessibleName(words_of(walk.title))
        self.setAccessibleDescription(words)
        self._sentence.setAccessibleName(words)
        if self.isVisible():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    def _show_moment(self) -> None:
        self._bar.setValue(round(1000 * self._player.seconds))
        self._time.setText(self._said_time(self._player.beat, self._player.seconds))

    def _said_time(self, beat: int, seconds: float) -> str:
        walk = self._player.walk
        if self._player.still:
            return self.tr("Step {place} / {count}").format(place=beat + 1, count=len(walk.beats))
        return self.tr("{now} / {all} s").format(now=f"{seconds:.1f}", all=f"{walk.seconds:.1f}")

    def _widest_time(self) -> int:
        walk, metrics = self._player.walk, QFontMetrics(ui_font("body", tabular=True))
        return metrics.horizontalAdvance(self._said_time(len(walk.beats) - 1, walk.seconds)) + 2 * SPACING.xs

    def _show_playing(self) -> None:
        playing = self._player.playing
        self._play.set_playing(playing)
        words = self.tr("Pause") if playing else self.tr("Play")
        self._play.setAccessibleName(words)
        set_tip(self._play, self.tr("{what} (Space)").format(what=words))

    def _fit(self) -> None:
        """Take the heights of the present zoom, of the sentence that of the longest one, so that nothing moves from
        step to step."""
        self._head.setFixedHeight(scaled(TITLE))
        self._transport.setFixedHeight(scaled(TRANSPORT))
        room = max(self.width() - 2 * SPACING.xxl, 1)
        # before it has a size, the width of nobody's choice would break them into many lines, and the window grow
        beats = self._player.walk.beats if self._sized else ()
        highest = max((_document(beat.sentence, "heading", room).size().height() for beat in beats), default=0.0)
        self._sentence.setFixedHeight(max(scaled(SENTENCE), round(highest) + SPACING.m))

    def _connect(self) -> None:
        player = self._player
        player.moved.connect(self._show_moment)
        player.turned.connect(self._show_beat)
        player.renewed.connect(self._show_walk)
        player.played.connect(self._show_playing)
        self._bar.scrubbed.connect(player.scrub)
        self._bar.picked.connect(player.go_to)
        self._play.clicked.connect(player.toggle)
        self._back.clicked.connect(lambda: player.go_to(player.beat - 1))
        self._on.clicked.connect(lambda: player.go_to(player.beat + 1))
        self._close.clicked.connect(self.leaveAsked)
        self.speed.picked.connect(lambda key: player.set_speed(SPEEDS[key]))

    def _build(self) -> None:
        set_background(self, "surface")
        set_background(self._transport, "raised")
        for name in ("title", "about", "sentence", "time"):
            getattr(self, f"_{name}").setObjectName(f"walk.{name}")
        style_text(self._title, "sentence", strong=True)
        style_text(self._about, "body", "text2")
        style_text(self._sentence, "heading")
        style_text(self._time, "body", "text2")
        self._time.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._sentence.setTextFormat(Qt.TextFormat.RichText)
        self._sentence.setWordWrap(True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self._sentence.setContentsMargins(SPACING.xxl, 0, SPACING.xxl, 0)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.export.setIcon(icon("export-image"))
        self.export.setMenu(self._menu)
        for button, name, drawn in (
            (self._close, "close", "close"),
            (self._back, "previous", "previous"),
            (self._on, "next", "next"),
        ):
            button.setObjectName(f"walk.{name}")
            button.setIcon(icon(drawn))
            button.setAutoRaise(True)
        for control in (self._close, self._back, self._play, self._on, self.export):
            control.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click Space still plays
            control.installEventFilter(self)
        self.export.setObjectName("walk.export")
        self.speed.setObjectName("walk.speed")
        head = self._title, (self._about, 1), self.export, self._close
        arrange(QHBoxLayout(self._head), *head, margins=(SPACING.xl, 0, SPACING.l, 0), spacing=SPACING.m)
        transport = self._back, self._play, self._on, (self._bar, 1), self._time, self.speed
        arrange(QHBoxLayout(self._transport), *transport, margins=(SPACING.l, 0, SPACING.l, 0), spacing=SPACING.m)
        picture = (self._stage, 1), self._sentence
        column = self._head, hairline(self), *picture, hairline(self), self._transport
        arrange(QVBoxLayout(self), *column, margins=0, spacing=0)


def _factor(speed: float) -> str:
    return "½" if speed == 0.5 else f"{speed:g}"


# --- The list of the steps, in the place of the explanation ---
ROW = 44  # logical pixels of a row


class StepRow(KeyboardButton):
    """A step: its number or a tick, its name, and what it comes to; a click goes there.

    It is painted: labels would be dressed anew with every step, which takes longer than a moment of the picture.
    """

    def __init__(self, place: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"walk.step.{place}")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._place, self._done, self._now = place, False, False
        self._name = self._result = ""
        self._below: QTextDocument | None = None  # the result, where there is no room for it beside the name

    def set_step(self, name: str, result: str, *, done: bool, now: bool) -> None:
        """Show it as it is now: done, on show, or to come; name and result are rich text."""
        words = name, result
        if words != (self._name, self._result):
            self._name, self._result = words
            self._fit()
        self._done, self._now = done, now
        said = f"{self._place + 1}. {words_of(name)}"
        self.setAccessibleName(f"{said}: {words_of(result)}" if done or now else said)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(scaled(120), self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, known = current_theme(), self._done or self._now
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self._now:
                painter.fillRect(self.rect(), theme.accent_soft)
            pixels, line = ui_font("body").pixelSize(), QFontMetricsF(ui_font("body"))
            below = self._below if known else None
            high = line.height() + (below.size().height() if below is not None else 0.0)
            top = (self.height() - high) / 2
            foot, right = top + line.ascent(), float(self.width() - SPACING.m)
            mark = strong("✓") if self._done else strong(str(self._place + 1)) if self._now else str(self._place + 1)
            ink = theme.good if self._done else theme.accent if self._now else theme.text3
            write_rich(painter, QPointF(SPACING.m, foot), mark, ink, ui_font("small").pixelSize())
            ink = theme.accent if self._now else theme.text if self._done else theme.text2
            name = strong(self._name) if self._now else self._name
            write_rich(painter, QPointF(self._left, foot), name, ink, pixels)
            if below is None:
                result, ink = (self._result, theme.text) if known else ("…", theme.text3)
                write_rich(painter, QPointF(right, foot), result, ink, pixels, 1.0)
            else:
                painter.translate(self._left, top + line.height())
                context = QAbstractTextDocumentLayout.PaintContext()
                context.palette.setColor(QPalette.ColorRole.Text, theme.text)
                below.documentLayout().draw(painter, context)
                painter.resetTransform()
            if self.ring_shown():
                paint_focus_ring(painter, self.rect())

    @property
    def _left(self) -> int:
        return 2 * SPACING.m + scaled(SPACING.xl)

    def _fit(self) -> None:
        """Take the room of all that it will say, also before that is known, so that no row moves."""
        pixels, room = ui_font("body").pixelSize(), self.width() - self._left - SPACING.m
        wide = rich_width(strong(self._name), pixels) + SPACING.m + rich_width(self._result, pixels) > room
        self._below = _document(self._result, "body", room) if wide and self._result else None
        below = 0.0 if self._below is None else self._below.size().height()
        self.setMinimumHeight(max(scaled(ROW), round(below + QFontMetricsF(ui_font("body")).height()) + SPACING.m))


def _document(rich: str, size: str, width: float) -> QTextDocument:
    """Return rich text in a size of the look at the right side of a width, broken into lines."""
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(ui_font(size))
    document.setDefaultTextOption(QTextOption(Qt.AlignmentFlag.AlignRight))
    document.setTextWidth(width)
    document.setHtml(rich)
    return document


LEAST_ROWS = 72
"""Logical pixels of the steps beside a walk, at the least: the rest of them scrolls."""


class WalkSteps(Retranslated, QWidget):
    """The list of a walk's steps in the place of the explanation: what each comes to, the end, and the keys."""

    def __init__(self, player: WalkPlayer, walk: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("walk.steps")
        self._player, self._walk = player, walk
        self._title, self._hint = QLabel(self), ElidedLabel(self)
        self._whole, self._page = QWidget(self), FittingPage(self)
        self._body = QWidget(self._page.viewport())
        self._rows, self._step_rows = QVBoxLayout(), list[StepRow]()
        self._conclusion, self._keys = QLabel(self), WrappedLabel(self)
        self._concluded: tuple[bool, Walk] | None = None  # what is said of which walk
        player.turned.connect(self._show)
        player.renewed.connect(self._show)
        player.moved.connect(self._show_conclusion)
        cast(QApplication, QApplication.instance()).focusChanged.connect(self._on_focus_changed)
        self._build()
        self.retranslate()

    def retranslate(self) -> None:
        self._title.setText(self.tr("Steps"))
        self._hint.setText(self.tr("Click a step to go there"))
        self._keys.setText(
            self.tr("Space: play or pause   ← →: previous, next step\nEsc: back to the map. Any edit stops the walk.")
        )
        self.setAccessibleName(self._title.text())
        self._show()

    def hasHeightForWidth(self) -> bool:
        return False  # else Qt would take the height of what wraps for the least, and a lesson above lose its verdict

    def sizeHint(self) -> QSize:
        """Return no height: the rows scroll, and a step of a lesson above comes first."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return no height: the verdict on an answer may need all that is left.

        What wraps and has no width yet would make the window higher.
        """
        return QSize(super().minimumSizeHint().width(), 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show nothing where there is no room for the title and a row."""
        super().resizeEvent(event)
        self._whole.setVisible(self.height() >= self._title.sizeHint().height() + scaled(LEAST_ROWS))

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Name the keys while they are the walk's: in the field of an answer Space types."""
        if now is not None:
            self._keys.setVisible(any(part is now or part.isAncestorOf(now) for part in (self._walk, self)))

    def _show(self) -> None:
        beats, now = self._player.walk.beats, self._player.beat
        if len(self._step_rows) != len(beats):
            clear_layout(self._rows)
            self._step_rows = [StepRow(place, self._body) for place in range(len(beats))]
            for place, row in enumerate(self._step_rows):
                row.installEventFilter(self._walk)
                row.clicked.connect(lambda _=False, place=place: self._player.go_to(place))
                self._rows.addWidget(row)
        for place, (row, beat) in enumerate(zip(self._step_rows, beats, strict=True)):
            row.set_step(beat.title, beat.result, done=place < now, now=place == now)
            if place == now:
                self._page.ensureWidgetVisible(row, 0, 0)
        self._show_conclusion()

    def _show_conclusion(self) -> None:
        walk = self._player.walk
        landed = self._player.seconds >= walk.landing - 2 * BEFORE_END
        if (landed, walk) != self._concluded:
            self._concluded = landed, walk
            self._conclusion.setText(walk.conclusion if landed else walk.announcement)

    def _build(self) -> None:
        style_text(self._title, "sentence", strong=True)
        style_text(self._hint, "small", "text3")
        style_text(self._conclusion, "body")
        style_text(self._keys, "small", "text3")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._conclusion.setObjectName("walk.conclusion")
        self._conclusion.setTextFormat(Qt.TextFormat.RichText)
        self._conclusion.setWordWrap(True)
        self._keys.setObjectName("walk.keys")
        self._rows.setSpacing(0)
        arrange(QVBoxLayout(self), self._whole, margins=0)
        head = arrange(QHBoxLayout(), self._title, (self._hint, 1))
        arrange(QVBoxLayout(self._body), self._rows, 1, margins=0)
        parts = head, (self._page, 1), hairline(self), self._conclusion, self._keys
        arrange(QVBoxLayout(self._whole), *parts, margins=0, spacing=SPACING.m)
        self._page.hold(self._body)
