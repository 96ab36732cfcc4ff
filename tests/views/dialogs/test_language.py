"""Every word of panels and dialogs follows the language while they are open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.engine.masks import layer_from_mapping
from attn_gui.views.controls.mask_panel import MaskPanel
from attn_gui.views.controls.shape_panel import ShapePanel, ShapeState
from attn_gui.views.dialogs.export_data_dialog import ExportDataDialog
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.help_window import AboutDialog, ShortcutsDialog
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.dialogs.tokens_dialog import TokensDialog

MARK = "§"
SAME_EVERYWHERE = {"dₖ", "dᵥ", "= 2 · 3", "float64", "float32", "PNG", "SVG", "PDF", "GIF"} | {
    "Q 4 × 6, K 5 × 6, V 5 × 8"
}


class Marked(QTranslator):
    """A language in which every text of the program begins with a mark."""

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str:
        return MARK + source

    def isEmpty(self) -> bool:
        return False


@pytest.fixture
def marked(qapp: QApplication) -> Iterator[Callable[[], None]]:
    translator = Marked()
    yield lambda: QCoreApplication.installTranslator(translator)
    QCoreApplication.removeTranslator(translator)


def _shape_panel(_folder: Path) -> QWidget:
    panel = ShapePanel()
    panel.set_state(ShapeState(num_heads=2, num_kv_heads=1, d_k=3, d_v=4, n=4, m=5, d_model=6))
    return panel


def _mask_panel(_folder: Path) -> QWidget:
    window = QWidget()
    window.resize(600, 900)
    anchor, panel = QPushButton("§", window), MaskPanel(window)
    layers = (
        {"kind": "causal"},
        {"kind": "window", "left": 1},
        {"kind": "prefix", "length": 2},
        {"kind": "padding", "lengths": (4,)},
        {"kind": "custom", "allowed": np.ones((4, 5), bool)},
        {"kind": "bias", "values": np.zeros((4, 5))},
        {"kind": "alibi"},
    )
    panel.set_layers([layer_from_mapping(layer) for layer in layers], 4, 5)
    window.show()
    panel.popup_below(anchor)
    return window


def _export(folder: Path) -> QWidget:
    dialog = ExportDialog(("weights",), heads=2, draw=lambda _: QImage(), names=lambda _: ["§"])
    dialog.target.folder.setText(str(folder))
    return dialog


def _export_data(folder: Path) -> QWidget:
    dialog = ExportDataDialog(("weights",), heads=2, names=lambda _: ["§"])
    dialog.target.folder.setText(str(folder))
    return dialog


@pytest.mark.parametrize(
    "make",
    [
        _shape_panel,
        _mask_panel,
        _export,
        _export_data,
        lambda _: NewDialog(),
        lambda _: TokensDialog(),
        lambda _: ShortcutsDialog([]),
        lambda _: AboutDialog(notices="§"),
    ],
)
def test_every_word_follows_the_language(
    qtbot: QtBot, marked: Callable[[], None], tmp_path: Path, make: Callable[[Path], QWidget]
) -> None:
    widget = make(tmp_path)
    qtbot.addWidget(widget)
    widget.show()
    marked()
    QApplication.processEvents()
    left = [text for text in _texts(widget) if MARK not in text and text not in SAME_EVERYWHERE]
    assert not [text for text in left if "attn_gui" not in text and "model</span>" not in text]
    assert any(MARK in text for text in _texts(widget))


def _texts(widget: QWidget) -> Iterator[str]:
    yield widget.windowTitle() or MARK
    for child in widget.findChildren(QWidget):
        if child.isVisible():
            yield from filter(None, (child.toolTip(), child.accessibleName(), *_own_texts(child)))


def _own_texts(child: QWidget) -> Iterator[str]:
    if isinstance(child, (QLabel, QAbstractButton)):
        yield child.text()
    if isinstance(child, QLineEdit):
        yield child.placeholderText()
    if isinstance(child, QComboBox):
        yield from (child.itemText(row) for row in range(child.count()))
