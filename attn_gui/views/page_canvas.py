"""A page as a widget: fields of its options, Copy and Save above code, hover, click and arrow keys on its places.

Over each of its plots lies the same plot in pyqtgraph, which can be zoomed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSlider, QToolTip, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import LINE, SPACING
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    NoRoom,
    NumberOption,
    PageContext,
    PageDrawing,
    PageKind,
    PageOption,
    PageSpot,
    PageStyle,
    SliderOption,
)
from attn_gui.figure.pages.plot import PlotField
from attn_gui.languages import joined
from attn_gui.views.controls.typed_field import NumberField
from attn_gui.views.dialogs.dialog_base import WorkLine
from attn_gui.views.head_grid import STALE
from attn_gui.views.inspector.cell_relations import column_number
from attn_gui.views.map.gestures import shows_whole_map, zoom_delta
from attn_gui.views.text_views import WrappedLabel
from attn_gui.views.theme import current_theme, scaled, style_text, theme_signal
from attn_gui.views.widgets import ChoiceBox, FlowLayout, Retranslated, arrange, paint_focus_ring, plain_tip, set_tip

if TYPE_CHECKING:
    from attn_gui.views.live_plot import LivePlot


# --- canvas ---------------------------------------------------------------------------------------
LEAST_WIDTH, TALL = 200, 380
"""A page that would be taller than this by itself takes what room there is."""
UNIT = 100  # pixels at 100 %; their size now tells the zoom
STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
SpotPlace = tuple[int, int, int]
"""Field, and row and column in it."""


class PageCanvas(QLabel):
    """Shows what a page has read; `spotChosen` carries the `PageSpot` that was clicked, or taken with Enter.

    A label, so that screen readers take it for something that can be read.
    """

    spotChosen = Signal(object)  # the PageSpot

    def __init__(self, kind: PageKind[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind, self._lang = kind, "en"
        self._layer: int | None = None
        self._content: Any = None
        self.drawing: PageDrawing | None = None
        self._image = QImage()
        self._plots: dict[int, LivePlot] = {}  # by the numbers of their fields
        self._at: SpotPlace | None = None
        self._stale = False
        self._heights: dict[tuple[int, float], int] = {}  # of the content, by width and zoom
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme_signal.changed.connect(self._lay_out)

    def set_content(self, content: Any, layer: int | None = None) -> None:
        """Show what was read, of a layer of a model; None shows nothing."""
        self._content, self._layer = content, layer
        self._heights.clear()
        self._lay_out()
        self.updateGeometry()

    def set_stale(self, stale: bool) -> None:
        """Paint the page faint, as long as it is of a state that is gone."""
        if stale != self._stale:
            self._stale = stale
            self.update()

    def set_language(self, lang: str) -> None:
        """Set the language of the words in it."""
        self._lang = lang
        self._heights.clear()
        self._lay_out()

    # --- what is shown ---------------------------------------------------------------------------
    def place_of(self, field: int, row: int = 0, column: int = 0) -> QPointF:
        """Return the middle of a place, in the widget."""
        assert self.drawing is not None
        middle = self.drawing.fields[field].rect(row, column).center()
        return self._plots[field].from_page(middle) if field in self._plots else middle * self._factor()

    def sizeHint(self) -> QSize:
        return QSize(scaled(LEAST_WIDTH), self.heightForWidth(scaled(LEAST_WIDTH)))

    def minimumSizeHint(self) -> QSize:
        return QSize(scaled(LEAST_WIDTH), scaled(LEAST_WIDTH) // 2)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, remembered: Qt asks hundreds of times while it polishes a window."""
        if self._content is None:
            return scaled(LEAST_WIDTH) // 2
        key = width, _zoom()
        if key not in self._heights:
            own, least = self._planned(width / _zoom(), None), 0.0
            try:
                self._kind.plan(self._content, self._style(), (own.width, 1.0))
            except NoRoom as lack:
                least = lack.least
            self._heights[key] = round(min(own.height, max(least, TALL)) * min(width / own.width, _zoom()) + 0.5)
        return self._heights[key]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place_plots()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self.drawing is None:
                return
            if self._image.isNull():
                self._image = self._painted(self.drawing)
            painter.setOpacity(STALE if self._stale else 1.0)
            painter.drawImage(0, 0, self._image)
            painter.setOpacity(1.0)
            if self._at is not None and self._at[0] not in self._plots:
                self._paint_place(painter, self._at)
            if self.hasFocus():
                paint_focus_ring(painter, self.rect())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            spot = self._spot(self._place_at(QPointF(event.pos())))
            QToolTip.showText(event.globalPos(), plain_tip(spot.text) if spot else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self._place_at(event.position()))

    def _read_at(self, point: QPointF) -> None:
        """Point into a plot: what it says there is read at once."""
        self._point_at(self._place_at(point))
        if (spot := self._spot(self._at)) is not None:
            QToolTip.showText(self.mapToGlobal(point).toPoint(), plain_tip(spot.text), self)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        if not self.hasFocus():
            self._point_at(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose_at(event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose()
        elif key in STEPS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._step(*STEPS[key])
        elif self._plots and (delta := zoom_delta(event.text(), event.modifiers())):
            number, _, column = self._at if self._at is not None else (-1, 0, 0)
            for field, plot in self._plots.items():
                plot.zoom(delta, column if field == number else None)
        elif self._plots and shows_whole_map(event.text(), event.modifiers()):
            for plot in self._plots.values():
                plot.show_all()
        else:
            super().keyPressEvent(event)

    # --- places ----------------------------------------------------------------------------------
    def _place_at(self, point: QPointF) -> SpotPlace | None:
        if self.drawing is None:
            return None
        shown = (plot.to_page(point) for plot in self._plots.values())
        page = next((found for found in shown if found is not None), point * (1 / self._factor()))
        return self.drawing.field_at(page)

    def _spot(self, place: SpotPlace | None) -> PageSpot | None:
        if place is None or self.drawing is None:
            return None
        return self.drawing.fields[place[0]].spot(place[1], place[2])

    def _point_at(self, place: SpotPlace | None) -> None:
        if place != self._at:
            self._at = place
            self._mark_plots()
            self._describe()
            self.update()

    def _step(self, down: int, across: int) -> None:
        """Point at the next place, and bring it into view where a plot is zoomed."""
        self._point_beside(down, across)
        if self._at is not None and self._at[0] in self._plots:
            self._plots[self._at[0]].bring(self._at[2])

    def _point_beside(self, down: int, across: int) -> None:
        """Point at the next place in a field, or at the first or last of the field beside it."""
        fields = self.drawing.fields if self.drawing is not None else ()
        if not fields:
            return
        if self._at is None:
            self._point_at((0, 0, 0))
            return
        number, row, column = self._at
        row, column = row + down, column + across
        if 0 <= row < fields[number].rows and 0 <= column < fields[number].columns:
            self._point_at((number, row, column))
            return
        way = down + across
        if 0 <= number + way < len(fields):
            other = fields[number + way]
            end = (0, 0) if way > 0 else (other.rows - 1, other.columns - 1)
            self._point_at((number + way, *end))

    def _choose_at(self, point: QPointF) -> None:
        self._point_at(self._place_at(point))
        self._choose()

    def _choose(self) -> None:
        spot = self._spot(self._at)
        if spot is not None and (spot.cell or spot.option or spot.head):
            self.spotChosen.emit(spot)

    def _describe(self) -> None:
        """Give a screen reader the words of the page, those of the place first."""
        drawing, spot = self.drawing, self._spot(self._at)
        self.setAccessibleName(drawing.title if drawing else "")
        said = drawing.said if drawing else ""
        self.setAccessibleDescription(f"{spot.text}. {said}" if spot else said)

    # --- layout ----------------------------------------------------------------------------------
    def _style(self) -> PageStyle:
        return PageStyle(current_theme().name, self._lang, self._layer)

    def _lay_out(self, *_: object) -> None:
        self._image = QImage()
        if self._content is None or self.width() < 2:
            self.drawing = None
        else:
            self.drawing = self._planned(self.width() / _zoom(), self.height() / _zoom())
            if self._at is not None and not self._holds(self.drawing, self._at):
                self._at = None
        self._place_plots()
        self._describe()
        self.update()

    def _place_plots(self) -> None:
        """Lay a plot of pyqtgraph, which is imported for the first that is looked at, over every plot of the page."""
        if not self.isVisible():
            return
        drawn = enumerate(self.drawing.fields if self.drawing is not None else ())
        plots = {number: field for number, field in drawn if isinstance(field, PlotField)}
        fields = {number: field for number, field in plots.items() if field.plot.axes.is_usual}
        for number in self._plots.keys() - fields.keys():
            gone = self._plots.pop(number)
            gone.hide()
            gone.deleteLater()
        for number, field in fields.items():
            if number not in self._plots:
                from attn_gui.views.live_plot import LivePlot

                self._plots[number] = LivePlot(self)
                self._plots[number].clicked.connect(self._choose_at)
                self._plots[number].pointed.connect(self._read_at)
                self._plots[number].show()
            self._plots[number].set_field(field, self._factor())
        self._mark_plots()
        if self._plots:
            text = self.tr(
                "Drawn from the present numbers, as they are after every edit; rest on a curve to read its points, "
                "turn the wheel or press + and − to zoom it, drag to move it, double-click or press 0 to see all of it"
            )
        else:
            text = self.tr("Drawn from the present numbers, as they are after every edit; rest on a mark to read it")
        self.setWhatsThis(text)

    def _mark_plots(self) -> None:
        for number, plot in self._plots.items():
            plot.set_mark(self._at[2] if self._at is not None and self._at[0] == number else None)

    def _planned(self, width: float, height: float | None) -> PageDrawing:
        """Return the page at a size, or at the least one that it can have."""
        for _ in range(3):
            try:
                return self._kind.plan(self._content, self._style(), (width, height))
            except NoRoom as lack:
                if lack.side == "width":
                    height = None if height is None else height * lack.least / width
                    width = lack.least
                else:
                    height = lack.least
        return self._kind.plan(self._content, self._style(), (width, None))

    @staticmethod
    def _holds(drawing: PageDrawing, place: SpotPlace) -> bool:
        if place[0] >= len(drawing.fields):
            return False
        field = drawing.fields[place[0]]
        return place[1] < field.rows and place[2] < field.columns

    def _factor(self) -> float:
        """Return the pixels of the widget for one of the page: of a page that needs more width, fewer than the zoom
        says."""
        assert self.drawing is not None
        return min(_zoom(), self.width() / self.drawing.width)

    def _painted(self, drawing: PageDrawing) -> QImage:
        ratio = self.devicePixelRatioF()
        image = QImage(self.size() * ratio, QImage.Format.Format_RGB32)
        image.fill(current_theme().surface)
        with QPainter(image) as painter:
            painter.scale(self._factor() * ratio, self._factor() * ratio)
            from attn_gui.figure.heatmap_painting import begin_page  # not before the first page is looked at

            begin_page(painter, QRectF(0, 0, drawing.width, drawing.height), None)
            drawing.paint(painter)
            for number, field in enumerate(drawing.fields):
                if number not in self._plots:
                    field.paint(painter)
        image.setDevicePixelRatio(ratio)
        return image

    def _paint_place(self, painter: QPainter, place: SpotPlace) -> None:
        assert self.drawing is not None
        rect = self.drawing.fields[place[0]].rect(place[1], place[2])
        factor = self._factor()
        painter.setPen(QPen(current_theme().ink, LINE.focus / 2))
        corner, far = rect.topLeft() * factor, rect.bottomRight() * factor
        painter.drawRect(QRectF(corner, far).adjusted(0.5, 0.5, -0.5, -0.5))


def _zoom() -> float:
    return scaled(UNIT) / UNIT


# --- page with its fields -------------------------------------------------------------------------
NUMBER, SLIDER = 64, 200
"""Widths of fields."""


class OptionFields(QWidget):
    """Fields for the options of a page; `turned` carries an option's key and the value that a person chose."""

    turned = Signal(str, object)  # an option's key, and its new value

    def __init__(self, page: str, options: tuple[PageOption, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._options = options
        self._captions: dict[str, QLabel] = {}
        self._fields: dict[str, QWidget] = {}
        flow = FlowLayout(self, gap=SPACING.m, between=SPACING.s)
        for option in sorted(
            options, key=lambda option: not isinstance(option, SliderOption)
        ):  # sliders are turned most
            holder = QWidget(self)
            caption, field = QLabel(holder), self._field(option, holder)
            caption.setTextFormat(Qt.TextFormat.PlainText)
            style_text(caption, "small", "text2")
            field.setObjectName(f"page.{page}.{option.key}")
            arrange(QVBoxLayout(holder), caption, field, margins=0, spacing=SPACING.xs)
            self._captions[option.key], self._fields[option.key] = caption, field
            flow.addWidget(holder)
        theme_signal.changed.connect(self._fit_widths)
        self._fit_widths()
        self.setVisible(bool(options))

    def set_values(self, context: PageContext, values: Mapping[str, Any]) -> None:
        """Show these values, and what can be chosen here."""
        for option in self._options:
            field, value, place = self._fields[option.key], values[option.key], ""
            if isinstance(option, ChoiceOption) and isinstance(field, ChoiceBox):
                words = {
                    key: joined(text, QCoreApplication.translate)
                    for key, text in option.offered(context, values).items()
                }
                if [field.itemData(place) for place in range(field.count())] != list(words):
                    field.set_choices(list(words.items()))
                field.set_words(words)
                field.set_key(value)
            elif isinstance(option, SliderOption) and isinstance(field, QSlider):
                with QSignalBlocker(field):
                    field.setRange(0, option.last(context, values))
                    field.setValue(value)
                place = option.place_words(context, values, value)
            elif isinstance(field, NumberField):
                field.set_value(value)
            caption = _said(option.caption)
            self._captions[option.key].setText(f"{caption} {place}".strip())
            field.setAccessibleName(f"{caption} {place}".strip())
            set_tip(field, _said(option.tip))
        self._fit_widths()

    def _field(self, option: PageOption, parent: QWidget) -> QWidget:
        if isinstance(option, ChoiceOption):
            box = ChoiceBox((), parent)
            box.picked.connect(lambda value, key=option.key: self.turned.emit(key, value))
            return box
        if isinstance(option, SliderOption):
            slider = QSlider(Qt.Orientation.Horizontal, parent)
            slider.valueChanged.connect(lambda value, key=option.key: self.turned.emit(key, value))
            return slider
        assert isinstance(option, NumberOption)
        field = NumberField(parent, finite=True)
        whole = option.whole
        field.committed.connect(
            lambda value, key=option.key: self.turned.emit(key, round(value) if whole else float(value))
        )
        return field

    def _fit_widths(self, *_: object) -> None:
        """Give the fields their widths at the present zoom; what follows from the problem may have all its digits."""
        for field in self._fields.values():
            if isinstance(field, NumberField):
                digits = field.fontMetrics().horizontalAdvance(field.text()) + scaled(3 * SPACING.m)
                field.setFixedWidth(min(max(scaled(NUMBER), digits), scaled(SLIDER)))
            else:
                field.setMinimumWidth(scaled(SLIDER if isinstance(field, QSlider) else NUMBER))


def _said(text: str) -> str:
    return QCoreApplication.translate("Pages", text)


class PageWidget(QWidget):
    """The widget `page.NAME` of a page, empty until `fill` is called when it is first shown."""

    spotChosen = Signal(object)  # PageSpot
    turned = Signal(str, object)  # an option's key, and its new value
    stopRequested = Signal()

    def __init__(self, kind: PageKind[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.setObjectName(f"page.{kind.name}")
        self._column = arrange(QVBoxLayout(self), margins=0, spacing=SPACING.s)
        self.canvas: PageCanvas | None = None
        self.content: Any = None

    def put_above(self, widget: QWidget) -> None:
        """Put a widget with further controls above the page."""
        self._column.insertWidget(0, widget)

    def fill(self, lang: str) -> PageCanvas:
        """Make what it consists of, unless that is there; its canvas."""
        if self.canvas is None:
            self._fields = OptionFields(self.kind.name, self.kind.options, self)
            self._sentence, self.progress = WrappedLabel(self), WorkLine("page", self, of=self.kind.name)
            # as high as its button: no status bar has to keep its height here
            self.progress.cancel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            self._sentence.hide()
            style_text(self._sentence, "sentence", "text2")
            self.canvas = PageCanvas(self.kind, self)
            arrange(self._column, self._sentence, self.progress, (self.canvas, 1), self._fields)
            self._fields.turned.connect(self.turned)
            self.canvas.spotChosen.connect(self.spotChosen)
            self.progress.cancelRequested.connect(self.stopRequested)
        self.canvas.set_language(lang)
        return self.canvas

    def set_options(self, context: PageContext) -> None:
        """Set the values of the options, and what can be chosen."""
        if self.kind.options:
            self._fields.set_values(context, context.options)
            self._fields.show()

    def set_content(self, content: Any, layer: int | None = None) -> None:
        """Show what was read, of a layer of a model where it looks at one."""
        assert self.canvas is not None
        self.content = content
        self.progress.end()
        self._sentence.hide()
        self.canvas.show()
        self.canvas.set_content(content, layer)

    def set_stale(self, stale: bool) -> None:
        """Show faintly what was read of a state that is gone."""
        if self.canvas is not None:
            self.canvas.set_stale(stale)

    def set_sentence(self, text: str) -> None:
        """Say why there is nothing to be seen."""
        assert self.canvas is not None
        self.content = None
        self.progress.end()
        self._sentence.setText(text)
        self._sentence.show()
        self.canvas.set_content(None)
        self.canvas.hide()

    def set_needs(self, text: str) -> None:
        """Say what the problem lacks for this page; the knobs are hidden."""
        self.set_sentence(text)
        self._fields.hide()

    def title(self) -> str:
        """Return its title in the present language."""
        return QCoreApplication.translate("Pages", self.kind.title)


class CodeControls(Retranslated, QWidget):
    """Buttons above the page of code: copy it, save it as a file."""

    copyRequested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._copy, self.save = QPushButton(self), QPushButton(self)
        self._copy.setObjectName("button.copy_code")
        self.save.setObjectName("button.save_code")
        self._copy.clicked.connect(self.copyRequested)
        arrange(QHBoxLayout(self), self._copy, self.save, 1, margins=0, spacing=SPACING.s)
        self.retranslate()

    def retranslate(self) -> None:
        self._copy.setText(self.tr("Copy the code"))
        self._copy.setToolTip(self.tr("The whole script as text, onto the clipboard"))
        self.save.setText(self.tr("Save as .py…"))
        self.save.setToolTip(self.tr("The script as a file, which prints the same numbers without this program"))


DIGITS = 4  # of the error


class FitControls(Retranslated, QWidget):
    """Controls above the page of a curve: the error of predicting each point from the others, a button that fits w."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("fit")
        self._error: float | None = None
        self._missed = WrappedLabel(self)
        self.fit_button = QPushButton(self)
        self.fit_button.setObjectName("button.fit")
        style_text(self._missed, "body", "text2")
        button = (self.fit_button, 0, Qt.AlignmentFlag.AlignLeft)
        arrange(QVBoxLayout(self), self._missed, button, margins=0, spacing=SPACING.s)
        self.retranslate()

    def set_error(self, error: float | None) -> None:
        """Set the mean squared error of every point predicted from the others; None while it is not known."""
        self._error = error
        self.retranslate()

    def retranslate(self) -> None:
        self.fit_button.setText(self.tr("Fit w to the points"))
        number = "…" if self._error is None else column_number(self._error, DIGITS)
        text = self.tr("Every point predicted from the others: mean squared error {error}")
        self._missed.setText(text.format(error=number))
