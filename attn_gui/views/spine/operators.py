"""Boxes and signs between maps of the formula row: width, caption, arrow, list, plain frame without a choice."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from attn_gui.figure.design_tokens import RADIUS, SIZE, SPACING
from attn_gui.views.theme import current_theme, icon, scaled, style_text, theme_signal, ui_font
from attn_gui.views.widgets import ChoiceBox, arrange, inset, paint_rounded

CHEVRON = 20
ARROW = 9
LEAST_WIDTH = 60


class OperatorSign(QWidget):
    """`·`, `=` or `→`, at the height of the middle of the maps."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._small = text, False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_small(self, small: bool) -> None:
        if small != self._small:
            self._small = small
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(_sign_font())
        return QSize(metrics.horizontalAdvance(self._text) + 2, top_of_maps(self._small) + map_side(self._small))

    def paintEvent(self, event: QPaintEvent) -> None:
        _paint_sign(self, self._text, small=self._small)


def _paint_sign(widget: QWidget, sign: str, *, small: bool) -> None:
    with QPainter(widget) as painter:
        painter.setFont(_sign_font())
        painter.setPen(current_theme().text)
        room = QRect(0, top_of_maps(small), widget.width(), map_side(small))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, sign)


class OperatorBox(QWidget):
    """A box between two maps of the spine: a caption, the control of a step, and an arrow to the next map."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self._caption = QLabel(self)
        self._held: list[QWidget] = []
        self._sign, self._small = "", False
        self._arrow = Arrow(self)
        caption = (self._caption, 0, Qt.AlignmentFlag.AlignHCenter)
        margins = 0, scaled(SPACING.s), 0, 0
        self._column = arrange(QVBoxLayout(self), caption, self._arrow, margins=margins, spacing=SPACING.xs)
        theme_signal.changed.connect(self.fit_zoom)
        style_text(self._caption, "small", "text2")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_caption(self, text: str) -> None:
        self._caption.setText(text)

    def set_small(self, small: bool) -> None:
        """Set the compact form: a control with a row of numbers below it leaves no room for an arrow."""
        self._small = small
        self._column.setContentsMargins(0, 0 if small else scaled(SPACING.s), 0, 0)
        crowded = small and sum(not control.isHidden() for control in self._held) > 1
        self._arrow.setHidden(crowded or bool(self._sign))

    def fit_zoom(self, *_: object) -> None:
        """Take the sizes of the present zoom, which layouts and controls keep."""
        self.set_small(self._small)

    def set_sign(self, sign: str) -> None:
        """Show a sign in the place of caption, control and arrow, or these again where it is empty."""
        self._sign = sign
        for part in (self._caption, self._held[0], self._arrow):
            policy = part.sizePolicy()
            policy.setRetainSizeWhenHidden(bool(sign))
            part.setSizePolicy(policy)
            part.setVisible(not sign)
        self.set_small(self._small)
        self.update()

    def hold(self, control: QWidget) -> None:
        """Put a control between caption and arrow."""
        self._held.append(control)
        self._column.insertWidget(self._column.count() - 1, control)
        stop = next(iter(_stops(control)), None)
        if stop is not None and self._caption.buddy() is None:
            self._caption.setBuddy(stop)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._sign:
            _paint_sign(self, self._sign, small=self._small)

    def stops(self) -> list[QWidget]:
        """Return the stops of Tab, from top to bottom."""
        return [stop for widget in self._held if not widget.isHidden() for stop in _stops(widget)]


class Arrow(QWidget):
    """A thin arrow to the right, as wide as its box."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(scaled(24), scaled(ARROW) + SPACING.m)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().text3, 1.3))
            y, right, head = self.height() / 2 + 1, self.width() - scaled(SPACING.s), scaled(ARROW) / 2
            painter.drawLine(QPointF(scaled(SPACING.s), y), QPointF(right, y))
            painter.drawLine(QPointF(right - head, y - head), QPointF(right, y))
            painter.drawLine(QPointF(right - head, y + head), QPointF(right, y))


class ListBox(OperatorBox):
    """An operator that is chosen from a list; item data is the key."""

    picked = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.list = ChoiceBox(parent=self)
        self.list.setObjectName(f"control.{name}")
        self.list.setMinimumWidth(scaled(LEAST_WIDTH))
        self.list.picked.connect(self.picked)
        self.hold(self.list)

    def set_caption(self, text: str) -> None:
        super().set_caption(text)
        self.list.setAccessibleName(text)
        self.list.setAccessibleDescription(text)  # on Linux Qt takes what is chosen for the name

    def fit_zoom(self, *_: object) -> None:
        super().fit_zoom()
        self.list.setMinimumWidth(scaled(LEAST_WIDTH))

    def set_choices(self, choices: list[tuple[str, str]]) -> None:
        """Set (key, text) of every choice; the chosen key stays if it is still there."""
        self.list.set_choices(choices)

    def set_key(self, key: str) -> None:
        self.list.set_key(key)


class QuietBox(ListBox):
    """A list of the spine that can be replaced by its chosen text in a frame, where nothing is to be chosen."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._frame = FramedLabel(self)
        style_text(self._frame, "body")
        self._frame.hide()
        self._column.insertWidget(1, self._frame)

    def fit_zoom(self, *_: object) -> None:
        super().fit_zoom()
        self._say()

    def set_quiet(self, quiet: bool) -> None:
        """Show the frame in the place of the list, or the list."""
        self.list.setHidden(quiet)
        self._frame.setHidden(not quiet)

    def set_choices(self, choices: list[tuple[str, str]]) -> None:
        super().set_choices(choices)
        self._say()

    def set_key(self, key: str) -> None:
        super().set_key(key)
        self._say()

    def _say(self) -> None:
        self._frame.setText(self.list.currentText())
        self._frame.setMinimumWidth(self.list.sizeHint().width())  # what stands beside it does not move


class MaskBox(OperatorBox):
    """Names the masks that are on; a press opens their panel below it."""

    pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("mask", parent)
        self.button = QPushButton(self)
        self.button.setObjectName("control.mask")
        self.button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self.button.setIcon(icon("chevron-down"))
        self.button.clicked.connect(self.pressed)
        self.hold(self.button)
        self.fit_zoom()

    def fit_zoom(self, *_: object) -> None:
        super().fit_zoom()
        self.button.setMinimumWidth(scaled(LEAST_WIDTH))

    def set_caption(self, text: str) -> None:
        super().set_caption(text)
        self._name()

    def set_text(self, text: str) -> None:
        """Set the mask's short text: `none`, `causal`, `causal + 2`."""
        self.button.setText(text)
        self._name()

    def _name(self) -> None:
        name = self.tr("{caption}: {choice}").format(caption=self._caption.text(), choice=self.button.text())
        self.button.setAccessibleName(name)


class PlainBox(OperatorBox):
    """An operator without a choice: its name in a quiet frame."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self._text = FramedLabel(self)
        style_text(self._text, "body")
        self.hold(self._text)

    def set_text(self, text: str) -> None:
        self._text.setText(text)


class FramedLabel(QLabel):
    """A label as high as a control, in the frame of a control that cannot be changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setContentsMargins(SPACING.m, 0, SPACING.m, 0)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(max(hint.width(), scaled(LEAST_WIDTH)), max(scaled(SIZE.control), hint.height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_rounded(painter, inset(self.rect(), 0.5), RADIUS.control, edge=current_theme().line)
        super().paintEvent(event)


def _stops(widget: QWidget) -> list[QWidget]:
    inner = [widget, *widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)]
    return [one for one in inner if one.focusPolicy() & Qt.FocusPolicy.TabFocus and one.focusProxy() is None]


def map_side(small: bool) -> int:
    """Return the height of the maps of the spine."""
    return scaled(SIZE.strip_map_compact if small else SIZE.strip_map)


def top_of_maps(small: bool) -> int:
    """Return the room above the maps, and below the shapes."""
    return scaled(SPACING.s if small else SPACING.s + 2)


def _sign_font() -> QFont:
    return ui_font("formula", 600)
