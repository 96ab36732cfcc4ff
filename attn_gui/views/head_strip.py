"""Row of all heads below the map: small maps, number, “off”; the choice of the reading, All heads together."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QToolButton, QWidget

from attn_gui.engine import Evaluation, Plane, Recomputed
from attn_gui.engine.analysis.head_readings import READINGS, Entropy, HeadReading
from attn_gui.engine.creation.interventions import off_heads
from attn_gui.figure.design_tokens import SIZE, SPACING, Theme
from attn_gui.pictures.entropies import HeadEntropies
from attn_gui.views.controls.count_box import ItemBox
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.map.thumbnail import MapButton
from attn_gui.views.names import head_words
from attn_gui.views.theme import current_theme, scaled, style_text, theme_signal, ui_font
from attn_gui.views.widgets import (
    ChoiceBox,
    ElidedLabel,
    HorizontalScroller,
    MenuZone,
    arrange,
    listen_once,
    set_tip,
    take_widgets,
)


class HeadThumb(MapButton):
    """A head in the strip: a small map of its weights, its number and a reading; a click or Enter asks for it."""

    def __init__(self, head: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = head
        self.setObjectName(f"head.{head}")
        self._title, self.reading, self._about = "", "", ""
        self._by_hand, self._off = "", False
        self._compact = self._small = False
        self._size = QSize()  # asked for often: laying out 64 heads, forty times each
        self.measure()

    def set_reading(self, title: str, text: str) -> None:
        """Set the number below the map and what it is of; empty while it is not known."""
        if (title, text) != (self._title, self.reading):
            self._title, self.reading = title, text
            self.describe()
            self.update(self.rect().adjusted(0, self.map_rect().bottom() + 1, 0, 0))

    def set_about(self, text: str) -> None:
        """Set what the number says, for the tip."""
        if text != self._about:
            self._about = text
            self.describe()

    def set_by_hand(self, word: str, *, off: bool) -> None:
        """Set a word for what is done to the head's result by hand, empty for nothing.

        A head that is `off` is hatched.
        """
        rows, columns = self.map.shape
        self.map.overlay.set_marks(off=((slice(0, rows), slice(0, columns)),) if off else ())
        if (word, off) != (self._by_hand, self._off):
            self._by_hand, self._off = word, off
            self.describe()
            self.update()

    def set_chosen_head(self, chosen: bool) -> None:
        """Set whether this is the head on show; only that one is reached by Tab, arrows lead to the others."""
        policy = Qt.FocusPolicy.StrongFocus if chosen else Qt.FocusPolicy.ClickFocus
        if (chosen, policy) != (self.isChecked(), self.focusPolicy()):
            self.setChecked(chosen)
            self.setFocusPolicy(policy)
            self.describe()
            self.update()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """Set the form of a small map and the number of the head alone; with `low` less close together."""
        self._compact, self._small = compact, compact or low
        self.measure()
        self.place_map()

    def measure(self) -> None:
        """Take the room that the map, the number and the reading need in the present type."""
        side, pad = self._side(), self._pad()
        metrics = QFontMetrics(ui_font("small", 600, tabular=True))
        text = metrics.horizontalAdvance(f"{self.head}" if self._small else f"{self.head}  0.00")
        self._size = QSize(max(side, text) + 2 * pad, side + 2 * pad + metrics.height())
        self.updateGeometry()

    def describe(self) -> None:
        """Set the accessible name in the present language."""
        words = (
            self.tr("Head {head}, {reading} {value}, chosen")
            if self.isChecked()
            else self.tr("Head {head}, {reading} {value}")
        )
        said = words.format(head=self.head, reading=self._title, value=self.reading)
        self.setAccessibleName(
            self.tr("{head}, {state}").format(head=said, state=self._by_hand) if self._by_hand else said
        )
        tip = self.tr("Show head {head}: its weights A, and its output O = A V").format(head=self.head)
        number = f"{self._title} {self.reading}".strip()
        set_tip(self, "\n".join(filter(None, (tip, number, self._about, self._by_hand))))

    def sizeHint(self) -> QSize:
        return self._size

    def minimumSizeHint(self) -> QSize:
        return self._size

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer the menu for this head; the strip opens it."""
        if not self.isChecked():
            self.click()
        event.ignore()

    def map_rect(self) -> QRect:
        side = self._side()
        return QRect((self.width() - side) // 2, self._pad(), side, side)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            self.paint_background(painter)
            self.paint_focus(painter)
            chosen, top = self.isChecked(), self.map_rect().bottom() + 1
            if event.rect().bottom() < top:
                return  # some cells of the map are being repainted
            font = ui_font("small", 600 if chosen else 400, tabular=True)
            font.setStrikeOut(self._off)
            painter.setFont(font)
            painter.setPen(theme.accent if chosen else theme.text)
            pad = self._pad()
            room = QRect(pad, top, self.width() - 2 * pad, painter.fontMetrics().height())
            middle = Qt.AlignmentFlag.AlignVCenter
            side = Qt.AlignmentFlag.AlignHCenter if self._small else Qt.AlignmentFlag.AlignLeft
            painter.drawText(room, side | middle, str(self.head))
            if not self._small:
                room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(str(self.head)) + scaled(SPACING.xs))
                painter.setFont(ui_font("micro", tabular=True))
                painter.setPen(theme.edit if self._by_hand else theme.text2)
                word = self._by_hand or self.reading
                word = painter.fontMetrics().elidedText(word, Qt.TextElideMode.ElideRight, room.width())
                painter.drawText(room, Qt.AlignmentFlag.AlignRight | middle, word)

    def _side(self) -> int:
        return scaled(SIZE.head_map_compact if self._small else SIZE.head_map)

    def _pad(self) -> int:
        """Return the pixels between the map and the frame of the chosen head."""
        return scaled(SPACING.s - self._compact)


# --- The thumbnails in a row; heads that share a K/V head stand together over a line ---
GROUP_GAP = 16


class GroupRow(QWidget):
    """Lays thumbnails out and draws the lines of their groups."""

    headPicked = Signal(int)  # the head, from 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._thumbs: tuple[HeadThumb, ...] = ()
        self._group, self._gap = 1, SPACING.xs
        self._layout = QHBoxLayout(self)
        self._layout.setSpacing(0)
        self._layout.setContentsMargins(0, 0, 0, 0)

    def set_thumbs(self, thumbs: Sequence[HeadThumb], group: int) -> None:
        """Set the thumbnails in order; `group` of them share a K/V head."""
        self._thumbs, self._group = tuple(thumbs), group
        take_widgets(self._layout)
        for position, thumb in enumerate(thumbs):
            if self.grouped() and position and position % group == 0:
                self._layout.addSpacing(scaled(GROUP_GAP))
            elif position:
                self._layout.addSpacing(self._gap)
            self._layout.addWidget(thumb, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addStretch(1)
        self._layout.setContentsMargins(0, 0, 0, SPACING.s if self.grouped() else 0)

    def set_compact(self, compact: bool) -> None:
        """Set whether the thumbnails stand closer together."""
        self._gap = 0 if compact else SPACING.xs
        self.set_thumbs(self._thumbs, self._group)

    def grouped(self) -> bool:
        """Return whether heads share K/V heads."""
        return self._group > 1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ask for the neighbor of the chosen head by Left and Right, for the first and last by Home and End."""
        chosen, last = next((thumb.head for thumb in self._thumbs if thumb.isChecked()), 0), len(self._thumbs) - 1
        wanted = {
            Qt.Key.Key_Left: chosen - 1,
            Qt.Key.Key_Right: chosen + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }.get(Qt.Key(event.key()))
        if wanted is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        elif 0 <= wanted <= last and wanted != chosen:
            self.headPicked.emit(wanted)

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.grouped():
            return
        with QPainter(self) as painter:
            painter.setPen(QPen(current_theme().line_strong, 1))
            for first in range(0, len(self._thumbs), self._group):
                left = self._thumbs[first].geometry()
                right = self._thumbs[min(first + self._group, len(self._thumbs)) - 1].geometry()
                y = left.bottom() + SPACING.s - 0.5
                painter.drawLine(QPointF(left.left() + 4, y), QPointF(right.right() - 4, y))


# --- The strip of heads: which one is shown, and how the weights of all of them look ---
class HeadsStrip(MenuZone):
    """Strip below the maps with the weights of every head as small maps, brought up to date after each edit."""

    headPicked = Signal(int)  # the head, from 0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("heads.weights")
        self._evaluation: Evaluation | None = None
        self._item, self._head = 0, 0
        self._known: tuple[object, object, object] = (None, None, None)  # the evaluation, its interventions, the item
        self._compact, self._low = False, False
        self._entropies = HeadEntropies(self)
        self._thumbs: list[HeadThumb] = []
        self._title, self._of, self._about = QLabel(self), QLabel(self), ElidedLabel(self)
        self._reading: HeadReading = READINGS[Entropy.key]
        self._offered: tuple[str, ...] = (Entropy.key,)
        self._read = True
        self.readings, self._mark, self._together = ChoiceBox((), self), QToolButton(self), QToolButton(self)
        self._number = ItemBox(self)
        self._row = GroupRow(self)
        self._scroll = HorizontalScroller(self._row, self, fits=True)
        self._outer = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._entropies.measured.connect(self._on_entropies_measured)
        self._number.picked.connect(self.headPicked)
        self._row.headPicked.connect(self.headPicked)
        theme_signal.changed.connect(self.set_theme)
        self._build()
        self.retranslate()

    def set_evaluation(self, evaluation: Evaluation, batch: int, head: int) -> None:
        """Show all heads of an item, one of them chosen."""
        shown = evaluation, evaluation.problem.interventions, batch
        same, self._known = shown == self._known, shown
        self._evaluation, self._item, self._head = evaluation, batch, head
        if not same:
            self._show_heads(evaluation)
        self._show_chosen()

    def set_reading(self, key: str, offered: Sequence[str]) -> None:
        """Show another reading below every head, one of those that the problem has; its numbers are given by
        `set_value`, but for entropies, which the strip takes itself."""
        self._reading, self._offered = READINGS[key], tuple(offered)
        self._say_reading()
        for thumb in self._thumbs:
            if key == Entropy.key:
                self._on_entropies_measured(thumb.head)
            else:
                thumb.set_reading(self._title_of(key), "")

    def set_action(self, mark: QAction) -> None:
        """Set the action that marks what the reading counts, as a button beside it."""
        self._mark.setDefaultAction(mark)
        listen_once(self._mark, mark)

    def set_together(self, together: QAction) -> None:
        """Set the action that shows all heads as one map, as a button after the count of heads."""
        self._together.setDefaultAction(together)
        listen_once(self._together, together)

    def set_value(self, head: int, value: float | None) -> None:
        """Set the reading of a head; None while it is not known."""
        if head < len(self._thumbs):
            self._thumbs[head].set_reading(
                self._title_of(self._reading.key), "" if value is None else self._reading.written(value)
            )

    def refresh(self, recomputed: Recomputed) -> None:
        """Repaint the weights that are new, and the entropies of their rows."""
        if self._evaluation is None:
            return
        for box in recomputed.boxes.get(self._evaluation.weights, ()):
            for head in range(box[1].start, box[1].stop):
                thumb = self._thumbs[head]
                if (part := self._plane(head).cells(box)) is not None:
                    thumb.map.refresh(*part)
                    self._entropies.follow(head, part[0])

    def retake_levels(self) -> None:
        """Take the levels of the maps again, as at rest after edits."""
        for thumb in self._thumbs:
            if thumb.map.renewed:
                thumb.map.retake_levels()
        self._entropies.go_on()

    def set_theme(self, _theme: Theme) -> None:
        """Take over the colors and sizes of a theme."""
        for thumb in self._thumbs:
            thumb.map.follow_theme()
            thumb.measure()
        self._scroll.fit()

    def set_compact(self, compact: bool, *, low: bool = False) -> None:
        """Set the form of one row, with smaller maps, for narrow or `low` windows.

        They leave the readings out, as they have no room to say what the numbers are.
        """
        self._compact, self._low = compact, low
        one_row, sides = compact or low, QBoxLayout.Direction
        margin = SPACING.xs if one_row else SPACING.s
        self._outer.setContentsMargins(SPACING.l, margin, SPACING.l, margin)
        self._outer.setDirection(sides.LeftToRight if one_row else sides.TopToBottom)
        self._head_row.setDirection(sides.TopToBottom if one_row else sides.LeftToRight)
        for widget in (self._of, self._about):
            widget.setVisible(not one_row)
        self._show_readings()
        self._together.setVisible(not one_row and len(self._thumbs) > 1)
        for thumb in self._thumbs:
            thumb.set_compact(compact, low=low)
        self._row.set_compact(compact)
        self._scroll.fit()

    def set_parts(self, shown: Set[str]) -> None:
        """Show or leave out the choice of the number below every head, and what it counts."""
        self._read = "readings" in shown
        self._show_readings()

    def _show_readings(self) -> None:
        one_row = self._compact or self._low
        for widget in (self.readings, self._mark):
            policy = widget.sizePolicy()
            policy.setRetainSizeWhenHidden(not one_row)  # what stands beside them stays there
            widget.setSizePolicy(policy)
            widget.setVisible(self._read and not one_row)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("All heads"))
        self._title.setText(self.tr("Head"))
        self._number.setAccessibleName(self.tr("Head"))
        self.readings.setAccessibleName(self.tr("Number below every head"))
        self._together.setAccessibleName(self.tr("All heads together"))
        for thumb in self._thumbs:
            thumb.set_reading(self._title_of(self._reading.key), thumb.reading)
            thumb.describe()
        self._say_reading()
        if self._evaluation is not None:
            self._say_counts(self._evaluation)
            self._say_by_hand(self._evaluation)

    def _show_heads(self, evaluation: Evaluation) -> None:
        """Show a thumbnail a head, with its plane and entropy."""
        heads = evaluation.problem.num_heads
        for thumb in self._thumbs[heads:]:
            thumb.hide()
            thumb.deleteLater()
        self._thumbs = self._thumbs[:heads] + [self._thumb(head) for head in range(len(self._thumbs), heads)]
        for before, after in pairwise((self._number, *self._thumbs)):
            QWidget.setTabOrder(before, after)
        self._together.setVisible(not (self._compact or self._low) and heads > 1)
        self._row.set_thumbs(self._thumbs, heads // evaluation.problem.num_kv_heads)
        planes = [self._plane(head) for head in range(heads)]
        for thumb, plane in zip(self._thumbs, planes, strict=True):
            thumb.map.set_shown(MapState(plane))
        self._entropies.set_planes([replace(plane, evaluation=evaluation.behind) for plane in planes])
        self._say_by_hand(evaluation)
        for head in range(heads):
            self._on_entropies_measured(head)  # says nothing where it is not known yet
        self._say_counts(evaluation)
        self._scroll.fit()

    def _say_by_hand(self, evaluation: Evaluation) -> None:
        words, off = head_words(evaluation.problem), off_heads(evaluation.problem)
        for thumb in self._thumbs:
            thumb.set_by_hand(words.get(thumb.head, ""), off=thumb.head in off)

    def _plane(self, head: int) -> Plane:
        assert self._evaluation is not None, "there is something to show"
        return Plane(self._evaluation, self._evaluation.weights, self._item, head)

    def _thumb(self, head: int) -> HeadThumb:
        thumb = HeadThumb(head, self._row)
        thumb.set_compact(self._compact, low=self._low)
        thumb.clicked.connect(lambda: self.headPicked.emit(head))
        return thumb

    def _on_entropies_measured(self, head: int) -> None:
        if self._reading.key == Entropy.key:
            self.set_value(head, self._entropies.mean(head))

    def _title_of(self, key: str) -> str:
        return QCoreApplication.translate("Readings", READINGS[key].title)

    def _say_reading(self) -> None:
        choices = [(key, self._title_of(key)) for key in self._offered]
        if choices != self.readings.choices():  # an open list stays as it is
            self.readings.set_choices(choices)
        self.readings.set_key(self._reading.key)
        if self._evaluation is not None:
            problem = self._evaluation.problem
            values = {"keys": problem.m, "most": self._reading.written(self._reading.most(problem))}
            said, explained = (
                QCoreApplication.translate("Readings", text).format(**values)
                for text in (self._reading.said(problem), self._reading.explained(problem))
            )
            self._about.setText(said)
            set_tip(self._about, explained)
            for thumb in self._thumbs:
                thumb.set_about(explained)

    def _show_chosen(self) -> None:
        focused = any(thumb.hasFocus() for thumb in self._thumbs)
        for thumb in self._thumbs:
            thumb.set_chosen_head(thumb.head == self._head)
        if focused and self._head < len(self._thumbs):
            self._thumbs[self._head].setFocus(Qt.FocusReason.OtherFocusReason)
        self._number.set_items(self._head, len(self._thumbs))
        self._scroll.keep_in_view(self._thumbs[self._head] if self._head < len(self._thumbs) else None)

    def _say_counts(self, evaluation: Evaluation) -> None:
        problem = evaluation.problem
        heads, kv_heads = problem.num_heads, problem.num_kv_heads
        if heads == kv_heads:
            self._of.setText(self.tr("of {count}").format(count=heads))
        else:
            self._of.setText(
                self.tr("of {count} · {kv} K/V heads, {each} query heads each").format(
                    count=heads, kv=kv_heads, each=heads // kv_heads
                )
            )
        self._say_reading()

    def _build(self) -> None:
        self._number.setObjectName("control.head")
        style_text(self._title, "section", strong=True)
        for label, tone in ((self._of, "text2"), (self._about, "text2")):
            style_text(label, "small", tone)
        head = self._title, self._number, self._of, self._together, (self._about, 1), self.readings, self._mark
        self._head_row = arrange(QBoxLayout(QBoxLayout.Direction.LeftToRight), *head, spacing=SPACING.m)
        self.readings.setObjectName("control.reading")
        self._together.setObjectName("heads.together")
        for button in (self._mark, self._together):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._about.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        margins = SPACING.l, SPACING.s, SPACING.l, SPACING.s
        arrange(self._outer, self._head_row, (self._scroll, 1), margins=margins, spacing=SPACING.s)
