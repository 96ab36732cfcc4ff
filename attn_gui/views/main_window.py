"""Where every panel stands: widths of columns, narrow and low forms (heads hidden), what may be dropped, zoom wheel."""

from __future__ import annotations

from collections.abc import Callable, Set
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QMainWindow,
    QProgressBar,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.design_tokens import SIZE, SPACING
from attn_gui.modes import ALL, PRODUCT, SIDE_BY_SIDE
from attn_gui.views.theme import current_theme, scaled, set_background, style_text, theme_signal
from attn_gui.views.widgets import FittingPage, Veil, arrange, commit_focused_editor
from attn_gui.views.zones import hairline, handing_on, step, zone_in

if TYPE_CHECKING:
    from attn_gui.views.banner import Banner
    from attn_gui.views.bars import ComparisonBar
    from attn_gui.views.controls.mask_panel import MaskPanel
    from attn_gui.views.controls.shape_panel import ShapePanel
    from attn_gui.views.head_strip import HeadsStrip
    from attn_gui.views.history_panel import HistoryView
    from attn_gui.views.inspector.inspector import Inspector
    from attn_gui.views.product.all_stages import AllStages
    from attn_gui.views.product.product import ProductPicture
    from attn_gui.views.product.side_by_side import SideBySide
    from attn_gui.views.spine.spine import Spine
    from attn_gui.views.tables.inputs import InputsView

WIDEST_SIDE = 0.28  # of the window: with large type the pictures would be left with nothing


class MainWindow(QMainWindow):
    """Spine across the top; inputs left, pictures in the middle, explanation right; status below."""

    closeAsked = Signal(object)  # the QCloseEvent: whoever listens may ignore it
    dropped = Signal(list, str)  # Paths, and the field of the table that they were dropped on
    zoomAsked = Signal(int)  # 1: larger, −1: smaller
    compactChanged = Signal(bool)  # whether the window has its compact form
    startShown = Signal(bool)  # the start page stands in the place of everything, or goes
    pageShown = Signal()  # another page, or the document again
    languageChanged = Signal()  # before its widgets set their words anew: some show names of actions and steps
    escapePressed = Signal()  # where no other widget uses it
    spacePressed = Signal()  # where no other widget uses it

    spine: Spine
    shape_panel: ShapePanel
    mask_panel: MaskPanel
    inputs: InputsView
    banner: Banner
    comparison: ComparisonBar
    product: ProductPicture
    all_stages: AllStages
    sides: SideBySide
    heads: HeadsStrip
    inspector: Inspector
    history: HistoryView
    pictures: QStackedWidget
    modes: dict[str, QWidget]  # by key: what can stand in the middle

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAcceptDrops(True)
        self._compact: bool | None = None
        self._low = False
        self._roomy = scaled(SIZE.compact_below_width)  # pixels that the full form asks for
        self._filled, self.kept_columns = False, QByteArray()  # widths that it takes once it is shown
        self._heads_shown, self._several_heads, self._with_heads = True, True, set[QWidget]()
        self._history_shown, self._history_asked, self._precision_asked = True, True, True
        self._foot_asked = False
        self.stop_drawing: Callable[[], bool] = lambda: False  # Esc asks it first; returns whether any was stopped
        self._walk: tuple[QWidget, QWidget] | None = None  # and its steps, while there is one
        self._behind: list[QWidget] = []  # what a walk stands in the place of
        center = QWidget(self)
        self._work = QWidget(center)  # spine and columns
        self._start: QWidget | None = None  # the page in their place
        self.instead: QWidget | None = None  # that, or another one, while it is shown
        self._strip, self.columns = zone_in(self._work), QSplitter(Qt.Orientation.Horizontal, self._work)
        self._left_page = FittingPage(self.columns)  # large type needs more height than a low screen has
        self._left = zone_in(self._left_page.viewport(), SPACING.panel_padding, "zone.inputs")
        self._left_page.hold(self._left)
        self._middle = zone_in(self.columns, name="zone.product")
        self.right = zone_in(self.columns, SPACING.panel_padding, "zone.explain")
        self.place, self.recomputed, self.precision = QLabel(self), QLabel(self), QLabel(self)
        self._veils: list[Veil] = []
        self.progress = QProgressBar(self)
        self._build_center(center)
        self._build_status()
        theme_signal.changed.connect(self._follow_zoom)  # all that stands in it is dressed by then

    def fill(self) -> None:
        """Make the panels, which takes longer than all that the first paint needs.

        Each is made where it stands: a widget that moves is styled again, with everything in it.
        """
        from attn_gui.views.banner import Banner
        from attn_gui.views.bars import BrushBar, ComparisonBar, FindBar
        from attn_gui.views.controls.mask_panel import MaskPanel
        from attn_gui.views.controls.shape_panel import ShapePanel
        from attn_gui.views.head_strip import HeadsStrip
        from attn_gui.views.history_panel import HistoryView
        from attn_gui.views.inspector.inspector import Inspector
        from attn_gui.views.product.all_stages import AllStages
        from attn_gui.views.product.product import ProductPicture
        from attn_gui.views.product.side_by_side import SideBySide
        from attn_gui.views.spine.spine import Spine
        from attn_gui.views.tables.inputs import InputsView

        self.spine = Spine(self._strip)
        self.shape_panel, self.mask_panel, self.inputs = ShapePanel(self._left), MaskPanel(self), InputsView(self._left)
        self.pictures = QStackedWidget(self._middle)
        self.find_bar, self._rule = FindBar(self._middle), hairline(self._middle)
        self.comparison, self.brush_bar = ComparisonBar(self._middle), BrushBar(self._middle)
        self.product = ProductPicture(self.pictures)
        self.all_stages = AllStages(self.product.maps, self.pictures)
        self.sides = SideBySide(self.product.maps, self.pictures)
        self.modes = {PRODUCT: self.product, ALL: self.all_stages, SIDE_BY_SIDE: self.sides}
        self.heads = HeadsStrip(self._middle)
        self.banner, self.inspector, self.history = Banner(self.right), Inspector(self.right), HistoryView(self.right)
        self.banner.changed.connect(self._on_banner_changed)
        self._fold = hairline(self.right)
        self._build_panels()
        self._filled = True
        self._fit_start()  # it may have been there first

    def conceal(self) -> None:
        """Keep the zones of a window that is on the screen out of sight while panels are put into them."""
        self._work.hide()

    def reveal(self) -> None:
        """Show zones and panels, all of them laid out, unless the start page stands in their place."""
        self._work.setVisible(not self.start_shown)
        self._fit_status()

    @property
    def start_shown(self) -> bool:
        """Whether the start page stands in the place of spine, tables and maps."""
        return self._start is not None and not self._start.isHidden()

    def show_start(self, page: QWidget, status: QWidget) -> None:
        """Show the start page, with what it has for the status bar."""
        if self._start is None:
            self._start, self._status = zone_in(self.centralWidget()), status
            column = self._start.layout()
            assert column is not None
            column.addWidget(page)
            self.statusBar().addPermanentWidget(status, 1)
        self.show_instead(self._start)

    def _fit_start(self) -> None:
        """Give status bar and banner to the start page or to what is shown in its place."""
        if self._start is None:
            return
        shown = self.start_shown
        self.startShown.emit(shown)
        self._status.setVisible(shown)
        if self._filled and not shown:  # what it says of a document stays with that
            self._place_banner()

    def _place_banner(self) -> None:
        """Put the banner where it is seen: on the start page with what is said while that is shown."""
        shown = self.start_shown
        zone = self._start if shown else self.right
        column = zone.layout() if zone is not None else None
        assert isinstance(column, QBoxLayout)
        if column.indexOf(self.banner) < 0:
            self.banner.move_into(column, 0 if shown else column.indexOf(self.inspector))

    def _on_banner_changed(self) -> None:
        if self.start_shown and not self.banner.isHidden():
            self._place_banner()

    def fit_panels(self) -> None:
        """Give the panels the form for a narrow window, a low one or a roomy one, once its size and they are there."""
        if self._compact is None:
            return
        if self._filled:
            for panel in (self.spine, self.product, self.sides, self.heads):
                panel.set_compact(self._compact, low=self._low)
            for column in (self.shape_panel, self.inputs):
                column.set_compact(self._compact)
            self._fit_walk()
        else:
            small = self._compact or self._low
            self._strip.setMinimumHeight(scaled(SIZE.strip_compact if small else SIZE.strip))
        self.compactChanged.emit(self._compact)

    def set_veiled(self, veiled: bool) -> None:
        """Cover whatever describes the document's numbers, while the maps show others."""
        if veiled == bool(self._veils):
            return
        for veil in self._veils:
            veil.hide()
            veil.deleteLater()
        theme, self._veils = current_theme(), []
        if veiled:
            backgrounds = dict.fromkeys((self._strip, self.place, self.precision), theme.raised)
            backgrounds |= dict.fromkeys((self._left, self.right), theme.surface)
            self._veils = [Veil(panel, background) for panel, background in backgrounds.items() if panel.isVisible()]

    def hold_picture(self, held: bool) -> None:
        """Let all that is painted stay as it is, or paint all anew."""
        if held != self.updatesEnabled():
            return
        self.setUpdatesEnabled(not held)
        if not held:
            self.repaint()  # what was marked while held counts as asked for already, and an update alone would be lost

    @staticmethod
    def set_busy(busy: bool) -> None:
        """Have the pointer say that the window, which is not painted, works."""
        if not busy:
            QGuiApplication.restoreOverrideCursor()
        elif QGuiApplication.overrideCursor() is None:
            QGuiApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)

    def set_mode(self, mode: str) -> None:
        """Show one of `modes`, unless a page is large in their place."""
        if self.pictures.indexOf(self.inspector.pages) < 0:
            with handing_on(self.pictures, self._focus_picture):
                self.pictures.setCurrentWidget(self.modes[mode])

    def _focus_picture(self) -> None:
        """Give the keyboard to the stage on show, in whichever picture that is large."""
        if self.product.isVisible():
            self.product.focus_map()

    def add_mode(self, key: str, widget: QWidget) -> None:
        """Add a mode that can stand in the middle, and shows the heads itself."""
        self.modes[key] = widget
        self._with_heads.add(widget)
        self.pictures.addWidget(widget)

    def set_parts(self, shown: Set[str]) -> None:
        """Show these parts, and leave out the others that the simple window need not have."""
        for panel in (self.shape_panel, self.spine, self.product, self.heads, self.inspector, self.history):
            panel.set_parts(shown)
        self._history_asked = not shown.isdisjoint(("history", "snapshots"))
        self._precision_asked = "dtype" in shown
        self._fit_history()
        self._fit_status()

    def set_history_shown(self, shown: bool, *, foot: bool = False) -> None:
        """Set whether the history has its place, which a lesson takes; `foot`: whether it leaves the explanation its
        buttons."""
        self._history_shown, self._foot_asked = shown, foot
        self._fit_history()

    def _fit_history(self) -> None:
        room = self._history_shown and self._walk is None
        for part in (self._fold, self.history):
            part.setVisible(room and self._history_asked)
        self.inspector.set_foot_shown(room or (self._foot_asked and self._walk is None))

    def show_instead(self, page: QWidget | None) -> None:
        """Show a page in the place of spine, tables, maps and explanation; None brings these back."""
        whole = self.centralWidget().layout()
        assert isinstance(whole, QVBoxLayout)
        if page is not None and whole.indexOf(page) < 0:
            whole.addWidget(page, 1)
        shown = self._work if page is None else page
        items = filter(None, map(whole.itemAt, range(whole.count())))
        parts = sorted(filter(None, (item.widget() for item in items)), key=lambda part: part is shown)
        for part in parts:  # first those that go: together they would make the window higher
            part.setVisible(part is shown)
        self._fit_status()
        self._fit_start()
        self.instead = page
        self.pageShown.emit()

    def _fit_status(self) -> None:
        """Show the labels of the status bar beside the maps, of which they speak."""
        for label in (self.place, self.recomputed):
            label.setVisible(not self._work.isHidden())
        self.precision.setVisible(not self._work.isHidden() and self._precision_asked)

    def set_heads_shown(self, shown: bool) -> None:
        """Set whether there is anything to show in the strip of heads."""
        self._heads_shown = shown
        self._fit_heads()

    def set_several_heads(self, several: bool) -> None:
        """Set whether there is a head to choose: a single one is what all the other maps show."""
        if several != self._several_heads:
            self._several_heads = several
            self._fit_heads()
            column = self._middle.layout()
            assert column is not None
            column.activate()  # at once: the maps that are shown next are laid out in the room that they have then

    def _fit_heads(self) -> None:
        shown = self.pictures.currentWidget()
        room = not self._low or shown not in (*self._with_heads, self.sides)  # two maps need its height
        walked = self._walk is not None and shown is self._walk[0]
        for part in (self._rule, self.heads):
            part.setVisible(self._heads_shown and self._several_heads and room and not walked)

    def set_pages_large(self, large: bool) -> None:
        """Show the pages in the place of the maps, or beside them; `set_mode` brings the maps back."""
        self.inspector.set_pages_here(not large)
        if large:
            self.pictures.setCurrentIndex(self.pictures.addWidget(self.inspector.pages))

    def begin_walk(self, walk: QWidget, steps: QWidget) -> None:
        """Show a walk in the place of the maps and its steps in that of the explanation, until `end_walk`."""
        column = self.right.layout()
        assert isinstance(column, QBoxLayout)
        beside = [part for part in (self.inspector, self._fold, self.history) if not part.isHidden()]
        self._walk, self._behind = (walk, steps), [self.pictures.currentWidget(), *beside]
        for part in beside:
            part.hide()
        self.inspector.set_foot_shown(False)
        column.insertWidget(column.indexOf(self.inspector), steps, 1)
        self.pictures.setCurrentIndex(self.pictures.addWidget(walk))
        steps.show()
        self._fit_walk()

    def _fit_walk(self) -> None:
        """Leave a walk the room of the tables in a narrow window: its picture has numbers to be read."""
        self._left_page.setVisible(not (self._walk is not None and self._compact))

    def end_walk(self) -> None:
        """Show what was there before, unless something else is in the place of the maps by now."""
        assert self._walk is not None, "there is no walk"
        (walk, steps), (picture, *beside) = self._walk, self._behind
        if self.pictures.currentWidget() is walk and self.pictures.indexOf(picture) >= 0:
            self.pictures.setCurrentWidget(picture)
        self._walk, self._behind = None, []
        for part in (walk, steps):
            part.hide()
            part.deleteLater()
        self.pictures.removeWidget(walk)
        for part in beside:
            part.show()
        self._fit_history()
        self._fit_walk()
        self._fit_heads()

    def reset_columns(self) -> None:
        """Restore the widths of the look for the present width of the window."""
        left = SIZE.left_compact if self._compact or self._low else SIZE.left
        right = SIZE.right_compact if self._compact else SIZE.right
        most = round(self.width() * WIDEST_SIDE)
        left, right = min(scaled(left), most), min(scaled(right), most)
        left = max(left, self._left_page.minimumSizeHint().width())
        self.columns.setSizes([left, max(1, self.width() - left - right), right])

    def _build_center(self, center: QWidget) -> None:
        for zone in (self._left_page, self._middle, self.right):
            self.columns.addWidget(zone)
            set_background(zone, "surface")
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        self.columns.setHandleWidth(1)
        set_background(self._strip, "raised")
        whole = QVBoxLayout(center)
        parts = self._strip, hairline(self._work), (self.columns, 1)
        arrange(QVBoxLayout(self._work), *parts, margins=0, spacing=0)
        arrange(whole, self._work, margins=0, spacing=0)
        self.setCentralWidget(center)

    def _build_status(self) -> None:
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
        style_text(self.recomputed, tone="edit")

    def _build_panels(self) -> None:
        self._strip.setMinimumHeight(0)
        for picture in self.modes.values():
            self.pictures.addWidget(picture)
        lines = hairline(self._left), hairline(self._left)
        for zone, panels in (
            (self._strip, ((self.spine, 1),)),
            (self._left, (self.shape_panel, lines[0], (self.inputs, 1), lines[1], self.shape_panel.foot)),
            (
                self._middle,
                (self.find_bar, self.comparison, self.brush_bar, (self.pictures, 1), self._rule, self.heads),
            ),
            (self.right, (self.banner, (self.inspector, 1), self._fold, self.history, self.inspector.foot)),
        ):
            column = zone.layout()
            assert isinstance(column, QBoxLayout)
            arrange(column, *panels)
            if zone is self._left:
                column.setSpacing(SPACING.s)  # three tables of six rows need every pixel
        self.mask_panel.hide()
        self.pictures.currentChanged.connect(self._fit_heads)

    def commit_typed(self) -> bool:
        """End the visit to the open editor, as every command does first; False if its text is refused."""
        return commit_focused_editor(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            if not self.stop_drawing():
                self.escapePressed.emit()
        elif event.key() == Qt.Key.Key_Space and not event.modifiers():
            self.spacePressed.emit()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closeAsked.emit(event)

    def setVisible(self, visible: bool) -> None:
        if visible:
            self._choose_form()  # Qt asks for the least size before it tells the size
        super().setVisible(visible)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return step(self, forward)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose_form()
        if self._filled:
            self._fit_heads()

    def _follow_zoom(self) -> None:
        """Choose columns and form anew where the type has another size; other colors leave them as they were drawn."""
        roomy = scaled(SIZE.compact_below_width)
        if roomy != self._roomy:
            self._roomy = roomy
            if self._compact is not None:
                self._choose_form()
                self.reset_columns()

    def _choose_form(self) -> None:
        self.setMinimumWidth(scaled(SIZE.least_width))  # else the full form would not get narrow enough for the other
        compact, low = self.width() < self._roomy, self.height() < scaled(SIZE.low_below_height)
        if low != self._low:
            self._low = low
            if compact == self._compact:
                self.fit_panels()
        if compact != self._compact:
            self._compact = compact
            padding = SPACING.panel_padding_compact if compact else SPACING.panel_padding
            for zone in (self._left, self.right):
                zone.setContentsMargins(padding, padding, padding, padding)
            self.fit_panels()
            kept, self.kept_columns = self.kept_columns, QByteArray()
            if kept.isEmpty() or not self.columns.restoreState(kept):
                self.reset_columns()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier and event.angleDelta().y():
            self.zoomAsked.emit(1 if event.angleDelta().y() > 0 else -1)
            event.accept()
        else:
            super().wheelEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped_files(event.mimeData()):
            _accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := _dropped_files(event.mimeData()):
            _accept_copy(event)
            self.dropped.emit(paths, self._field_at(event.position().toPoint()))

    def _field_at(self, place: QPoint) -> str:
        from attn_gui.views.tables.matrix_panel import MatrixPanel

        widget: QWidget | None = self.childAt(place)
        while widget is not None and not isinstance(widget, MatrixPanel):
            widget = widget.parentWidget()
        return widget.field if widget is not None else ""

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.languageChanged.emit()
            if self._compact is not None:
                self.reset_columns()
        super().changeEvent(event)


def _accept_copy(event: QDropEvent) -> None:
    """Take files as copies, whatever was proposed: a file manager that hears of a move deletes its own file."""
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()


def _dropped_files(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
