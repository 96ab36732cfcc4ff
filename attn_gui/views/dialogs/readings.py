"""Attention weights that can be read in several ways: a picture of the first map of each, to choose from."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QIcon, QImage, QPixmap
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QListView,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from attn_gui.figure.tokens import SPACING
from attn_gui.formats.named.attention_maps import BATCH, MapChoice
from attn_gui.views.bases.wrapped_label import WrappedLabel
from attn_gui.views.dialogs.asking import BUTTONS
from attn_gui.views.theme import scaled

SIDE, CELL, WIDTH, HEIGHT = 96, 148, 660, 460


class MapsDialog(QDialog):
    """A list of readings of which none is chosen at first; `chosen` is the place of the one that was picked."""

    def __init__(self, name: str, choices: Sequence[MapChoice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.maps")
        self.setWindowTitle(self.tr("Attention weights of {file}").format(file=name))
        question = WrappedLabel(self)
        question.setText(
            self.tr("The file does not say how these weights are laid out. Which are meant? Each shows its first map.")
        )
        self.list = QListWidget(self)
        self.list.setObjectName("maps.choices")
        self.list.setAccessibleName(self.tr("Readings of the weights"))
        self.list.setViewMode(QListView.ViewMode.IconMode)
        self.list.setMovement(QListView.Movement.Static)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setWordWrap(True)
        self.list.setIconSize(QSize(scaled(SIDE), scaled(SIDE)))
        self.list.setGridSize(QSize(scaled(CELL), scaled(SIDE) + 3 * self.fontMetrics().height()))
        blank = QPixmap(scaled(SIDE), scaled(SIDE))
        blank.fill(Qt.GlobalColor.transparent)
        several = len({choice.name for choice in choices}) > 1
        for choice in choices:
            words = self._words(choice)
            text = "\n".join([choice.name, words] if several else [words])
            self.list.addItem(QListWidgetItem(QIcon(blank), text))
        self.buttons = QDialogButtonBox(BUTTONS.Ok | BUTTONS.Cancel, self)
        self.buttons.button(BUTTONS.Ok).setText(self.tr("Open"))
        self.buttons.button(BUTTONS.Cancel).setText(self.tr("Cancel"))
        self.buttons.button(BUTTONS.Ok).setEnabled(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACING.xl, SPACING.xl, SPACING.xl, SPACING.xl)
        column.setSpacing(SPACING.l)
        for widget in (question, self.list, self.buttons):
            column.addWidget(widget)
        self.list.itemSelectionChanged.connect(self._on_selection_changed)
        self.list.itemActivated.connect(lambda _item: self.accept())
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.resize(scaled(WIDTH), scaled(HEIGHT))

    def set_pictures(self, pictures: Sequence[QImage]) -> None:
        """Show the first map of each choice."""
        for place, picture in enumerate(pictures):
            fitted = picture.scaled(
                self.list.iconSize(), Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.FastTransformation
            )
            self.list.item(place).setIcon(QIcon(QPixmap.fromImage(fitted)))

    @property
    def chosen(self) -> int | None:
        """The place of the choice that was picked; None while there is none."""
        picked = self.list.selectedIndexes()
        return picked[0].row() if picked else None

    def _words(self, choice: MapChoice) -> str:
        if choice.layer is not None:
            return self.tr("layer {layer}").format(layer=choice.layer)
        return self.tr("all, as items of a batch") if BATCH in choice.axes else self.tr("all, as heads")

    def _on_selection_changed(self) -> None:
        self.buttons.button(BUTTONS.Ok).setEnabled(self.chosen is not None)
