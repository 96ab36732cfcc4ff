"""All stages at once: the same large maps as the product picture's, each as a tile with its title and color bar."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from attn_gui.figure.tokens import SPACING
from attn_gui.views.product.stage_maps import StageMaps
from attn_gui.views.theme import scaled, set_ground
from attn_gui.views.tiles.tile import StageTile

LEAST_TILE = (220, 168)


class AllStages(QScrollArea):
    """Borrows the maps while it is visible; what they show is set where they live, in `StageMaps`."""

    stagePicked = Signal(str)
    groundClicked = Signal()

    def __init__(self, maps: StageMaps, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._maps = maps
        self._tiles: dict[str, StageTile] = {}
        self._floor = QWidget(self)
        self.setWidget(self._floor)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_ground(self._floor, "surface")
        set_ground(self, "surface")
        self._arranged: object = None  # what the tiles were arranged for
        maps.rearranged.connect(self._on_maps_rearranged)
        maps.renamed.connect(self._on_maps_rearranged)
        maps.marked.connect(self._on_maps_marked)

    @property
    def tiles(self) -> dict[str, StageTile]:
        """The tiles by stage, in order."""
        return self._tiles

    def arrange(self) -> None:
        """A tile for every stage, in rows that fill the width."""
        if not self.isVisible():
            return
        for stage in [stage for stage in self._tiles if stage not in self._maps.stages]:
            self._maps.send_home(stage)
            self._tiles.pop(stage).deleteLater()
        for stage in self._maps.stages:
            if stage not in self._tiles:
                self._tiles[stage] = StageTile(stage, self._maps, self._floor)
                self._tiles[stage].picked.connect(self.stagePicked)
            self._tiles[stage].adopt()
        self._place_tiles()

    def _on_maps_rearranged(self) -> None:
        """Leave the tiles as they are where only the numbers are others, as those of another head."""
        if self._arranged != self._needs():
            self.arrange()

    def _needs(self) -> object:
        """All that tells how the tiles are laid out and lettered, but for the room, the look and the language."""
        maps = self._maps
        return maps.stages, [maps.map(stage).shape for stage in maps.stages], maps.query_tokens, maps.key_tokens

    def _place_tiles(self) -> None:
        stages = self._maps.stages
        gap, room = scaled(SPACING.l), self.viewport().size()
        least = QSize(scaled(LEAST_TILE[0]), scaled(LEAST_TILE[1]))
        across = _across(len(stages), room, least, gap)
        down = -(-len(stages) // across) or 1
        width = (room.width() - gap) // across - gap
        height = max(least.height(), (room.height() - gap) // down - gap)
        self._floor.resize(room.width(), down * (height + gap) + gap)
        for position, stage in enumerate(stages):
            row, column = divmod(position, across)
            tile = self._tiles[stage]
            tile.setGeometry(gap + column * (width + gap), gap + row * (height + gap), width, height)
            tile.show()
            tile.arrange()
        self._arranged = self._needs()

    def _on_maps_marked(self) -> None:
        for tile in self._tiles.values():
            tile.repaint_marks()

    # --- what Qt asks ----------------------------------------------------------------------------
    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # so that the release comes here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.groundClicked.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.LanguageChange):
            self.arrange()


def _across(count: int, room: QSize, least: QSize, gap: int) -> int:
    """Number of tiles in a row, so that the shorter side of each is as long as can be; of equals the fewest rows."""

    def shorter_side(across: int) -> int:
        down = -(-count // across)
        width, height = (room.width() - gap) // across - gap, (room.height() - gap) // down - gap
        return min(width, max(least.height(), height))

    most = max(1, min(count, (room.width() - gap) // (least.width() + gap)))
    return max(range(most, 0, -1), key=shorter_side)
