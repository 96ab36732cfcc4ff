"""The start page as it looks: cards with live maps, field for a sentence, recent files, distances in a low window.

It stands in the place of spine, tables and maps; signals say what was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from attn_gui.engine import Plane
from attn_gui.engine.graph.symbols_and_titles import symbol
from attn_gui.figure.design_tokens import LINE, RADIUS, SIZE, SPACING
from attn_gui.figure.stage_formulas import KEY, QUERY
from attn_gui.figure.text.rich_text import elided, token_label
from attn_gui.formats.catalog import array_formats, matrix_formats, save_formats, suffixes
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.map.marks import Cell
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.text_views import Link, SentenceRun, SentenceView, WrappedLabel, runs, strong
from attn_gui.views.theme import current_theme, icon, scaled, style_text, ui_font
from attn_gui.views.widgets import FittingPage, LineEdit, Retranslated, arrange, clear_layout, inset, paint_rounded

PRODUCT = "product"
"""The place of a product, among those of its operands (`StageOperands`)."""
WIDEST, WIDEST_LOW = 1104, 1072
PICTURE, PICTURE_LOW = 216, 192
ENDINGS = 7  # of files that are named
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
MIDDLE = Qt.AlignmentFlag.AlignVCenter


# --- live maps of a card --------------------------------------------------------------------------
class CardPicture(QWidget):
    """Maps by their place in a product, each cell of which can be pointed at and clicked; a subclass lays them out."""

    pointed = Signal(str, int, int)  # stage, row, column
    left = Signal()
    picked = Signal(str, int, int)  # stage, row, column
    places: tuple[str, ...] = (PRODUCT,)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"start.map.{name}")
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.maps = {place: Thumbnail(self, small=False) for place in self.places}
        self._over: tuple[str, int, int] | None = None

    def set_states(self, states: Mapping[str, MapState]) -> None:
        """Show these matrices, one for each of `places`."""
        for place, state in states.items():
            self.maps[place].set_shown(state)
        self._set_over(None)
        self.place()
        self.update()

    def place(self) -> None:
        """Put the maps where they belong, in whole pixels a cell."""
        raise NotImplementedError

    def map_of(self, stage: str) -> Thumbnail:
        """Return the map that shows a stage."""
        return next(one for one in self.maps.values() if _plane(one).stage == stage)

    def cell_rect(self, stage: str, row: int, column: int) -> QRect:
        """Return the pixels of a cell of a stage, in the widget's coordinates."""
        found = self.map_of(stage)
        return found.cell_rect(*_turned(found, row, column)).translated(found.pos())

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.place()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._set_over(self._cell_at(event.position().toPoint()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the press, of which the release makes a click."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        found = self._cell_at(event.position().toPoint())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(*found)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_over(None)

    def _set_over(self, cell: tuple[str, int, int] | None) -> None:
        if cell == self._over:
            return
        self._over = cell
        for one in self.maps.values():
            here = cell is not None and cell[0] == _plane(one).stage
            one.overlay.set_marks(hovered=_turned(one, *cell[1:]) if here and cell else None)
        if cell is None:
            self.left.emit()
        else:
            self.pointed.emit(*cell)

    def _cell_at(self, at: QPoint) -> tuple[str, int, int] | None:
        for one in self.maps.values():
            placement = one.placement
            inside = at - one.pos() - placement.cells.topLeft()
            row, column = placement.rows.bin_at(inside.y()), placement.columns.bin_at(inside.x())
            if row is not None and column is not None:
                return (_plane(one).stage, *_turned(one, row, column))
        return None


def _plane(one: Thumbnail) -> Plane:
    assert isinstance(one.plane, Plane)
    return one.plane


def _turned(one: Thumbnail, row: int, column: int) -> Cell:
    """Return the row and column in its stage of a cell of the map, or the other way round."""
    return (column, row) if _plane(one).transposed else (row, column)


def _symbol(one: Thumbnail) -> str:
    return symbol(_plane(one).stage) + ("ᵀ" if _plane(one).transposed else "")


def _put(one: Thumbnail, x: int, y: int, cell: tuple[int, int]) -> QRect:
    """Place a map with cells of (width, height) and its frame; return its rectangle."""
    rows, columns = one.shape
    rect = QRect(x, y, columns * cell[0], rows * cell[1])
    one.setGeometry(rect.adjusted(-one.margin, -one.margin, one.margin, one.margin))
    return rect


class ProductSketch(CardPicture):
    """A product as it is drawn on a board: Q left of the weights, Kᵀ above them, V above the result at the right."""

    places = ("left", "top", PRODUCT, "factor", "result")
    LARGE, SMALL, GAP = 40, 24, 8

    def place(self) -> None:
        """Place the maps: cells of weights and result are squares; the operands have their rows and columns."""
        large, small, gap = scaled(self.LARGE), scaled(self.SMALL), scaled(self.GAP)
        query, key, weights, value, output = self.maps.values()
        inner = query.shape[1]
        width = inner * small + (weights.shape[1] + output.shape[1]) * large + 2 * gap
        height = inner * small + weights.shape[0] * large + gap
        x, y = (self.width() - width) // 2, (self.height() - height - scaled(SPACING.l)) // 2
        _put(key, x + inner * small + gap, y, (large, small))
        below = y + inner * small + gap
        _put(query, x, below, (small, large))
        _put(weights, x + inner * small + gap, below, (large, large))
        right = x + inner * small + gap + weights.shape[1] * large + gap
        _put(value, right, below - gap - value.shape[0] * small, (large, small))
        _put(output, right, below, (large, large))

    def paintEvent(self, event: QPaintEvent) -> None:
        room = scaled(SPACING.xl)
        with QPainter(self) as painter:
            painter.setFont(ui_font("stage_symbol", 600))
            painter.setPen(current_theme().text)
            query, key, weights, value, output = (one.geometry() for one in self.maps.values())
            of_query, of_key, of_weights, of_value, of_output = map(_symbol, self.maps.values())
            above = Qt.AlignmentFlag.AlignBottom | LEFT
            painter.drawText(QRect(query.left(), query.top() - room - 2, query.width(), room), above, of_query)
            painter.drawText(QRect(key.left() - 2 * room - 4, key.top(), 2 * room, room), RIGHT, of_key)
            painter.drawText(QRect(value.left(), value.top() - room - 2, value.width(), room), above, of_value)
            for rect, letter in ((weights, of_weights), (output, of_output)):
                below = QRect(rect.left(), rect.bottom() + 2, rect.width(), room)
                painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, letter)


class TokenMap(CardPicture):
    """The weights among the tokens of a sentence, which stand at its rows, and at its columns where they have room."""

    LARGEST, NAMED_FROM, LABEL, LINE = 44, 18, 76, 10

    def set_chosen(self, cell: Cell | None) -> None:
        """Mark a cell, and its row's token in the color of queries."""
        self.maps[PRODUCT].set_chosen(cell)
        self.update()

    def place(self) -> None:
        """Place the map, as large as the card is high."""
        one = self.maps[PRODUCT]
        rows = one.shape[0]
        if not rows:
            return
        named = self.height() - scaled(42) >= rows * scaled(self.NAMED_FROM)
        top = scaled(30) if named else scaled(SPACING.m)
        room = self.height() - top - scaled(SPACING.l if named else SPACING.m)
        cell = max(1, min(room // rows, scaled(self.LARGEST)))
        names, side = self._names_width(), cell * rows
        y = max(top, (self.height() - side + scaled(14)) // 2) if named else (self.height() - side) // 2
        _put(one, (self.width() - side - names) // 2 + names, y, (cell, cell))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, one = current_theme(), self.maps[PRODUCT]
        with QPainter(self) as painter:
            names, chosen, box = one.shown.row_names, one.overlay.marks.chosen, one.geometry()
            side = one.width() // max(1, len(names))
            if side < scaled(self.LINE):
                return
            for row, name in enumerate(names):
                here = chosen is not None and chosen[0] == row
                painter.setFont(ui_font("micro", 600 if here else 400))
                painter.setPen(theme.query if here else theme.text2)
                at = one.cell_rect(row, 0).translated(one.pos())
                width = self._names_width() - scaled(SPACING.m)
                room = QRect(box.left() - width - scaled(SPACING.s), at.top(), width, at.height())
                painter.drawText(room, RIGHT | MIDDLE, elided(token_label(name), width, QFontMetricsF(painter.font())))
            if side < scaled(self.NAMED_FROM):
                return
            painter.setFont(ui_font("micro"))
            painter.setPen(theme.text2)
            for column, name in enumerate(one.shown.column_names):
                at = one.cell_rect(0, column).translated(one.pos())
                room = QRect(at.left() - 2, box.top() - scaled(18), at.width() + 4, scaled(16))
                words = elided(token_label(name), room.width(), QFontMetricsF(painter.font()))
                painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, words)

    def _names_width(self) -> int:
        metrics = QFontMetricsF(ui_font("micro", 600))
        names = self.maps[PRODUCT].shown.row_names
        widest = max((metrics.horizontalAdvance(token_label(name)) for name in names), default=0)
        return min(round(widest) + 1, scaled(self.LABEL)) + scaled(SPACING.m)


# --- cards and the band ---------------------------------------------------------------------------
class Card(QFrame):
    """A picture over a title, a sentence and a row of buttons."""

    def __init__(self, picture: CardPicture, parent: QWidget) -> None:
        super().__init__(parent)
        self.picture, self.title, self.sentence = picture, QLabel(self), SentenceView(self)
        picture.setParent(self)
        style_text(self.title, "heading", strong=True)
        self.row = arrange(QHBoxLayout(), spacing=scaled(SPACING.m))
        words = self.title, self.sentence, 1
        body = arrange(QVBoxLayout(), *words, margins=scaled(SPACING.xl), spacing=scaled(SPACING.s))
        body.addSpacing(scaled(SPACING.m))
        body.addLayout(self.row)
        arrange(QVBoxLayout(self), picture, (body, 1), margins=1, spacing=0)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        with QPainter(self) as painter:
            paint_rounded(painter, inset(self.rect(), 0.5), RADIUS.frame, fill=theme.surface, edge=QPen(theme.line, 1))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            picture = self.picture.geometry()
            painter.fillRect(picture.adjusted(1, 1, -1, 0), theme.raised)
            painter.drawLine(picture.left(), picture.bottom() + 1, picture.right(), picture.bottom() + 1)


class PlaySign(QWidget):
    """A triangle in a disk, the sign for something that is gone through step by step."""

    SIDE = 36

    def sizeHint(self) -> QSize:
        return QSize(scaled(self.SIDE), scaled(self.SIDE))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, side = current_theme(), float(scaled(self.SIDE))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            disk = QRectF(0, (self.height() - side) / 2, side, side)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            painter.drawEllipse(disk)
            pen = QPen(theme.on_accent, LINE.focus * 0.75)
            pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            middle, part = disk.center(), side / 7
            corners = (-0.9 * part, -1.2 * part), (1.3 * part, 0.0), (-0.9 * part, 1.2 * part)
            painter.drawPolygon(QPolygonF([middle + QPointF(*corner) for corner in corners]))


class StartBand(QFrame):
    """A strip on the accent's soft background."""

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_rounded(painter, self.rect(), RADIUS.frame, fill=current_theme().accent_soft)


# --- page -----------------------------------------------------------------------------------------
class RecentRow(NamedTuple):
    """A file opened before: its name, where it is, and its sizes in words."""

    name: str
    tip: str
    sizes: str


class StartView(Retranslated, FittingPage):
    """Three ways to begin, the first lesson, files; the keyboard goes down the page from left to right."""

    exampleAsked = Signal(str)  # its key
    cellAsked = Signal(str, str, int, int)  # name of the card, stage, row, column
    sentenceTyped = Signal(str)  # the sentence
    sentenceAsked = Signal()
    modelsAsked = Signal(QWidget)  # the button that a list opens below
    lessonAsked = Signal()
    lessonsAsked = Signal()
    recentAsked = Signal(int)  # the place in the list
    pointed = Signal(str, str, int, int)  # name of the card, stage, row, column
    pointedNowhere = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("start")
        page = QWidget(self.viewport())
        self._title, self._about = QLabel(page), QLabel(page)
        self.pictures: dict[str, CardPicture] = {
            "worked": ProductSketch("worked", page),
            "sentence": TokenMap("sentence", page),
            "minilm": TokenMap("minilm", page),
        }
        self._cards = {name: Card(picture, page) for name, picture in self.pictures.items()}
        self.field = LineEdit(page)
        self._buttons = {name: _button(name, page) for name in ("worked", "show", "minilm", "begin", "lessons")}
        self.toy, self._others = Link("", page, size="sentence"), Link("", page, size="sentence")
        self._band, self._sign, self._follow, self._minutes = (
            StartBand(page),
            PlaySign(page),
            QLabel(page),
            QLabel(page),
        )
        self._steps = WrappedLabel(page)
        self._recent_title, self._open_title, self._none = QLabel(page), QLabel(page), QLabel(page)
        self._recent = QGridLayout()
        self.open, self._drop, self.reopen = _button("open", page), QLabel(page), QCheckBox(page)
        self._finding = ("", "", "")
        self._begun = self._ended = False  # the first lesson
        self._real = False
        self._sentence = ""  # that stands in the field as long as none is typed
        self._build(page)
        self._connect()
        self.hold(page)
        self.retranslate()

    def set_states(self, card: str, states: Mapping[str, MapState], chosen: Cell | None = None) -> None:
        """Show these matrices in a card; `chosen` is a cell of its weights."""
        picture = self.pictures[card]
        picture.set_states(states)
        if isinstance(picture, TokenMap):
            picture.set_chosen(chosen)

    def set_finding(self, query: str, key: str, weight: str) -> None:
        """Set what the card of the real model says of its chosen cell."""
        self._finding = query, key, weight
        self._say_finding()

    def set_real(self, real: bool) -> None:
        """Set whether the vectors of the sentence are a model's, and not random."""
        if real != self._real:
            self._real = real
            self._say_vectors()

    def _say_vectors(self) -> None:
        said = self.tr("Write a sentence and see which word each word attends to. Random vectors at first.")
        if self._real:
            said = self.tr("Write a sentence and see which word each word attends to. Vectors of MiniLM, by cosine.")
        self._cards["sentence"].sentence.set_sentence([SentenceRun(said, "text2")])

    def set_lesson(self, *, begun: bool, ended: bool) -> None:
        """Set whether the first lesson has been begun, and gone through to its end."""
        self._begun, self._ended = begun, ended
        self._say_begin()

    def _say_begin(self) -> None:
        again = self.tr("Once more") if self._ended else self.tr("Go on")
        self._buttons["begin"].setText(again if self._begun else self.tr("Begin"))

    def set_recent(self, rows: Sequence[RecentRow]) -> None:
        """List the files opened last."""
        clear_layout(self._recent)
        links = []
        for place, row in enumerate(rows):
            link, sizes = Link("", self.widget(), size="sentence"), QLabel(row.sizes, self.widget())
            link.set_words(row.name, tip=row.tip)
            link.setObjectName(f"start.recent.{place}")
            link.clicked.connect(lambda _=False, place=place: self.recentAsked.emit(place))
            style_text(sizes, "body", "text3")
            self._recent.addWidget(link, place, 0, LEFT)
            self._recent.addWidget(sizes, place, 1, RIGHT)
            links.append(link)
        self._none.setVisible(not rows)
        ordered = (*self._stops_before, *links, self.open, self.reopen)
        for before, after in pairwise(ordered):
            QWidget.setTabOrder(before, after)

    def set_low(self, low: bool) -> None:
        """Set whether the window is low: the pictures are then."""
        for picture in self.pictures.values():
            picture.setFixedHeight(scaled(PICTURE_LOW if low else PICTURE))
        margin = scaled(SPACING.m if low else SPACING.xxl)
        self._body.setMaximumWidth(scaled(WIDEST_LOW if low else WIDEST))
        self._outer.setContentsMargins(scaled(SPACING.xxl), margin, scaled(SPACING.xxl), margin)
        self._grid.setVerticalSpacing(scaled(SPACING.l if low else SPACING.xxl))
        self._grid.setHorizontalSpacing(scaled(20 if low else SPACING.xxl))

    def take_keyboard(self) -> None:
        """Put the keyboard before the first button, where Tab leads on to it."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Where would you like to start?"))
        self._about.setText(self.tr("All three lead to the same picture: every number can be opened and changed."))
        titles = (self.tr("By hand, 2 × 3"), self.tr("One sentence"), self.tr("A real model"))
        for card, title in zip(self._cards.values(), titles, strict=True):
            card.title.setText(title)
            card.picture.setAccessibleName(title)
        small = self.tr("The small example of the textbooks; every step can be checked with a pencil.")
        self._cards["worked"].sentence.set_sentence([SentenceRun(small, "text2")])
        self._say_vectors()
        self._say_finding()
        words = {
            "worked": self.tr("Open the example"),
            "show": self.tr("Show attention"),
            "minilm": self.tr("Open this layer"),
            "lessons": self.tr("All lessons…"),
        }
        for name, text in words.items():
            self._buttons[name].setText(text)
        self._say_begin()
        self.toy.set_words(self.tr("Toy model"), tip=self.tr("A 2-layer model that predicts letters"))
        self._others.set_words(self.tr("Others…"), tip=self.tr("Models at hand, and the folder of any other"))
        self.field.setAccessibleName(self.tr("One sentence"))
        first, self._sentence = self._sentence, self.tr("the cat sat on the mat")
        if self.field.text() == first:
            self.field.setText(self._sentence)
        self._follow.setText(self.tr("Follow along"))
        self._minutes.setText(self.tr("about 5 minutes"))
        self._steps.setText(
            self.tr("Attention in five steps. You fill in one number at each step; if it is wrong, you are told why.")
        )
        self._recent_title.setText(self.tr("Recent files"))
        self._none.setText(self.tr("None yet"))
        self._open_title.setText(self.tr("Open"))
        self.open.setText(self.tr("Open a file…"))
        endings = " ".join([*dict.fromkeys(suffixes((*save_formats(), *array_formats(), *matrix_formats())))][:ENDINGS])
        self._drop.setText(self.tr("or drop one here: {endings} and others").format(endings=endings))
        self.reopen.setText(self.tr("Begin with the last file next time"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.set_low(self.window().height() < scaled(SIZE.low_below_height))
        super().resizeEvent(event)

    def _say_finding(self) -> None:
        query, key, weight = self._finding
        said = self.tr("Layer 2 of MiniLM reads a sentence: {word} attends to {other}, {weight}.")
        words = {"word": strong(query, QUERY), "other": strong(key, KEY)}
        quiet = [run if run.strong else replace(run, role="text2") for run in runs(said, **words, weight=weight)]
        self._cards["minilm"].sentence.set_sentence(quiet)

    def _connect(self) -> None:
        for name, picture in self.pictures.items():
            picture.pointed.connect(lambda *cell, name=name: self.pointed.emit(name, *cell))
            picture.picked.connect(lambda *cell, name=name: self.cellAsked.emit(name, *cell))
            picture.left.connect(self.pointedNowhere)
        for name in ("worked", "minilm"):
            self._buttons[name].clicked.connect(lambda _=False, name=name: self.exampleAsked.emit(name))
        self._buttons["show"].clicked.connect(self.sentenceAsked)
        self.field.returnPressed.connect(self.sentenceAsked)
        self.field.textChanged.connect(self._on_text_changed)
        self._buttons["begin"].clicked.connect(self.lessonAsked)
        self._buttons["lessons"].clicked.connect(self.lessonsAsked)
        self._others.clicked.connect(lambda: self.modelsAsked.emit(self._others))

    def _on_text_changed(self, text: str) -> None:
        self._buttons["show"].setEnabled(bool(text.strip()))
        self.sentenceTyped.emit(text)

    @property
    def _stops_before(self) -> tuple[QWidget, ...]:
        """What the keyboard comes to before the files."""
        buttons = self._buttons
        cards = (buttons["worked"], self.field, buttons["show"], buttons["minilm"], self.toy, self._others)
        return (*cards, buttons["begin"], buttons["lessons"])

    def _build(self, page: QWidget) -> None:
        self.field.setObjectName("start.sentence")
        self.field.setMaxLength(200)
        self.field.setProperty("tall", "true")
        self.toy.setObjectName("start.toy")
        self._others.setObjectName("start.models")
        self.reopen.setObjectName("start.reopen")
        self.open.setIcon(icon("open"))
        self._buttons["begin"].setProperty("filled", "true")
        self._cards["sentence"].row.addWidget(self.field, 1)
        for name, button in (("worked", "worked"), ("sentence", "show"), ("minilm", "minilm")):
            self._cards[name].row.addWidget(self._buttons[button])
        self._cards["worked"].row.addStretch(1)
        for link in (self.toy, self._others):
            self._cards["minilm"].row.addWidget(link)
        self._cards["minilm"].row.addStretch(1)
        self._body = body = QWidget(page)
        body.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._grid = grid = QGridLayout(body)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.addLayout(self._head(), 0, 0, 1, 3)
        for column, card in enumerate(self._cards.values()):
            card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            card.setMinimumWidth(scaled(264))
            grid.addWidget(card, 1, column)
            grid.setColumnStretch(column, 1)
        self._fill_band()
        grid.addWidget(self._band, 2, 0, 1, 3)
        grid.addLayout(self._recent_files(), 3, 0)
        grid.addLayout(self._opening(), 3, 1, 1, 2)
        self._outer = outer = QGridLayout(page)
        outer.setSpacing(0)
        outer.addWidget(body, 1, 1)
        for place in (0, 2):
            outer.setRowStretch(place, 1)
            outer.setColumnStretch(place, 1)
        outer.setColumnStretch(1, 1000)
        self.set_low(False)

    def _head(self) -> QHBoxLayout:
        style_text(self._title, "title", strong=True)
        style_text(self._about, "sentence", "text2")
        self._about.setContentsMargins(0, 0, 0, scaled(SPACING.xs))  # down to the line that the title stands on
        bottom = Qt.AlignmentFlag.AlignBottom
        return arrange(QHBoxLayout(), (self._title, 0, bottom), (self._about, 1, bottom), spacing=scaled(SPACING.xxl))

    def _fill_band(self) -> None:
        style_text(self._follow, "heading", strong=True)
        style_text(self._minutes, "body", "text2")
        style_text(self._steps, "sentence", "text2")
        line = arrange(QHBoxLayout(), self._follow, (self._minutes, 1), spacing=scaled(SPACING.l))
        words = arrange(QVBoxLayout(), line, self._steps, spacing=scaled(SPACING.xs))
        parts = self._sign, (words, 1), self._buttons["begin"], self._buttons["lessons"]
        across, down = scaled(SPACING.xl), scaled(SPACING.l)
        arrange(QHBoxLayout(self._band), *parts, margins=(across, down, across, down), spacing=across)

    def _recent_files(self) -> QVBoxLayout:
        style_text(self._recent_title, "section", strong=True)
        style_text(self._none, "sentence", "text2")
        self._recent.setColumnStretch(0, 1)
        self._recent.setVerticalSpacing(scaled(SPACING.xs))
        return arrange(QVBoxLayout(), self._recent_title, self._none, self._recent, 1, spacing=scaled(SPACING.m))

    def _opening(self) -> QVBoxLayout:
        style_text(self._open_title, "section", strong=True)
        style_text(self._drop, "sentence", "text2")
        line = arrange(QHBoxLayout(), self.open, (self._drop, 1), spacing=scaled(SPACING.l))
        return arrange(QVBoxLayout(), self._open_title, line, (self.reopen, 0, LEFT), 1, spacing=scaled(SPACING.m))


def _button(name: str, parent: QWidget) -> QPushButton:
    button = QPushButton(parent)
    button.setObjectName(f"start.{name}")
    button.setAutoDefault(True)  # Enter presses it, as Space does
    button.setProperty("tall", "true")
    return button
