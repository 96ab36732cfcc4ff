"""The window: places the panels and nothing else."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QLabel, QMainWindow, QProgressBar, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from attn_gui.figure.tokens import SIZE, SPACING
from attn_gui.views.banner import Banner
from attn_gui.views.controls.mask_panel import MaskPanel
from attn_gui.views.controls.shape_panel import ShapePanel
from attn_gui.views.heads.strip import HeadsStrip
from attn_gui.views.heatmaps.product import ProductPicture
from attn_gui.views.heatmaps.tiles import AllStages
from attn_gui.views.inputs import InputsView
from attn_gui.views.inspector.history import HistoryView
from attn_gui.views.inspector.inspector import Inspector
from attn_gui.views.spine.spine import Spine
from attn_gui.views.tables import MatrixPanel
from attn_gui.views.theme import dress, set_ground


class MainWindow(QMainWindow):
    """Spine across the top; inputs left, pictures in the middle, explanation right; status below."""

    closeAsked = Signal(object)  # the QCloseEvent: whoever listens may ignore it
    dropped = Signal(object, str)  # Path, and the field of the table that it was dropped on
    zoomAsked = Signal(int)
    compactChanged = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAcceptDrops(True)
        self._compact: bool | None = None
        self.spine = Spine(self)
        self.shape_panel = ShapePanel(self)
        self.mask_panel = MaskPanel(self)
        self.inputs = InputsView(self)
        self.banner = Banner(self)
        self.product = ProductPicture(self)
        self.all_stages = AllStages(self.product.maps, self)
        self.heads = HeadsStrip(self)
        self.inspector, self.history = Inspector(self), HistoryView(self)
        self.pictures = QStackedWidget(self)
        self.columns = QSplitter(Qt.Orientation.Horizontal, self)
        self.place, self.recomputed, self.precision = QLabel(self), QLabel(self), QLabel(self)
        self.progress = QProgressBar(self)
        self._build()

    def set_mode(self, mode: str) -> None:
        """Show the product picture ("product") or every stage ("all")."""
        self.pictures.setCurrentWidget(self.product if mode == "product" else self.all_stages)

    def reset_columns(self) -> None:
        """The widths of the look for the present width of the window."""
        left, right = (SIZE.left_compact, SIZE.right_compact) if self._compact else (SIZE.left, SIZE.right)
        left = max(left, self._sides[0].minimumSizeHint().width())
        self.columns.setSizes([left, max(1, self.width() - left - right), right])

    def _build(self) -> None:
        self.pictures.addWidget(self.product)
        self.pictures.addWidget(self.all_stages)
        left = _column(
            self.shape_panel,
            _hairline(),
            self.inputs,
            stretch=self.inputs,
            padding=SPACING.panel_padding,
            name="zone.inputs",
        )
        middle = _column(
            self.banner, self.pictures, _hairline(), self.heads, stretch=self.pictures, name="zone.product"
        )
        right = _column(
            self.inspector,
            _hairline(),
            self.history,
            stretch=self.inspector,
            padding=SPACING.panel_padding,
            name="zone.explain",
        )
        self._sides = (left, right)
        for zone in (left, middle, right):
            self.columns.addWidget(zone)
            set_ground(zone, "surface")
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(1)
        self.setCentralWidget(_column(self.spine, _hairline(), self.columns, stretch=self.columns))
        self.banner.hide()
        self.mask_panel.hide()
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        bar.setContentsMargins(SPACING.panel_padding, 0, SPACING.panel_padding, 0)
        self.progress.setRange(0, 0)
        self.progress.setTextVisible(False)
        self.progress.hide()
        bar.addPermanentWidget(self.progress)
        for label, stretch in ((self.place, 1), (self.recomputed, 1), (self.precision, 0)):
            label.setTextFormat(Qt.TextFormat.PlainText)
            bar.addPermanentWidget(label, stretch)
        dress(self.recomputed, tone="edit")

    # --- what Qt asks ----------------------------------------------------------------------------
    def closeEvent(self, event: QCloseEvent) -> None:
        self.closeAsked.emit(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        compact = self.width() < SIZE.compact_below_width
        if compact != self._compact:
            self._compact = compact
            for panel in (self.spine, self.shape_panel, self.inputs, self.product, self.heads):
                panel.set_compact(compact)
            padding = SPACING.panel_padding_compact if compact else SPACING.panel_padding
            for zone in self._sides:
                zone.setContentsMargins(padding, padding, padding, padding)
            self.compactChanged.emit(compact)
            self.reset_columns()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.zoomAsked.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if path := _dropped_file(event.mimeData()):
            event.acceptProposedAction()
            self.dropped.emit(path, self._field_at(event.position().toPoint()))

    def _field_at(self, place: QPoint) -> str:
        widget: QWidget | None = self.childAt(place)
        while widget is not None and not isinstance(widget, MatrixPanel):
            widget = widget.parentWidget()
        return widget.field if widget is not None else ""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange and self._compact is not None:
            self.reset_columns()
        super().changeEvent(event)


def _dropped_file(data: QMimeData) -> Path | None:
    files = [url.toLocalFile() for url in data.urls() if url.isLocalFile()]
    return Path(files[0]) if len(files) == 1 else None


def _hairline() -> QFrame:
    line = QFrame()
    line.setFrameShape(QFrame.Shape.HLine)
    line.setProperty("hairline", "true")
    line.setFixedHeight(1)
    return line


def _column(*widgets: QWidget, stretch: QWidget, padding: int = 0, name: str = "") -> QWidget:
    zone = QWidget()
    zone.setObjectName(name)
    column = QVBoxLayout(zone)
    column.setContentsMargins(0, 0, 0, 0)
    zone.setContentsMargins(padding, padding, padding, padding)
    column.setSpacing(SPACING.m if padding else 0)
    for widget in widgets:
        column.addWidget(widget, 1 if widget is stretch else 0)
    return zone
