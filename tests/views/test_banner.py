"""The banner says one thing, offers ways out, and gives the keyboard back."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.banner import Banner, BannerOffer, Words
from tests.failing import each


class Host(QWidget):
    """A column with a banner on top and a place to type below."""

    def __init__(self, qtbot: QtBot) -> None:
        super().__init__()
        self.banner, self.line = Banner(self), QLineEdit(self)
        column = QVBoxLayout(self)
        column.addWidget(self.banner)
        column.addWidget(self.line)
        self.picked: list[str] = []
        self.closed: list[str] = []
        self.banner.closed.connect(self.closed.append)
        self.resize(700, 200)
        qtbot.addWidget(self)
        self.show()
        self.activateWindow()
        qtbot.waitUntil(self.isActiveWindow)
        self.line.setFocus()

    def offer(self, key: str, label: Words) -> BannerOffer:
        return BannerOffer(label, "", lambda: self.picked.append(key))


@pytest.fixture
def host(qtbot: QtBot) -> Host:
    return Host(qtbot)


def test_the_cross_closes_it_and_tells_what_it_was_about(qtbot: QtBot, host: Host) -> None:
    host.banner.show_info("Layer 2", about="told/minilm")
    qtbot.mouseClick(host.banner.findChild(QToolButton), Qt.MouseButton.LeftButton)
    assert not host.banner.isVisible()
    assert host.closed == ["told/minilm"]


def test_the_keyboard_stays_unless_it_is_asked_over(qtbot: QtBot, host: Host) -> None:
    host.banner.show_error("Refused", offers=[host.offer("undo", "Undo")])
    assert host.line.hasFocus()
    host.banner.show_info("Offer", offers=[host.offer("grow", "Grow Q"), host.offer("no", "No")], focus=True)
    assert host.banner.buttons()[0].hasFocus()
    qtbot.keyClick(host.banner.buttons()[0], Qt.Key.Key_Escape)
    assert not host.banner.isVisible()
    assert host.line.hasFocus()


def test_the_focus_goes_nowhere_if_its_old_place_is_gone(qtbot: QtBot, host: Host) -> None:
    host.banner.show_info("Offer", offers=[host.offer("grow", "Grow Q")], focus=True)
    host.line.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qtbot.keyClick(host.banner.buttons()[0], Qt.Key.Key_Return)
    assert host.picked == ["grow"]
    assert not host.banner.isVisible()


def test_a_way_out_is_let_go_with_the_line_and_not_with_the_window(host: Host) -> None:
    def way() -> None:
        pass

    held = weakref.ref(way)
    host.banner.show_error("It does not fit.", offers=[BannerOffer("Make it fit", "", way)])
    del way
    host.hide()
    host.show()
    assert held() is not None
    host.banner.hide()
    gc.collect()
    assert held() is None
    assert host.banner.text() == "It does not fit."


def test_file_text_is_never_taken_for_markup(host: Host) -> None:
    host.banner.show_error("<b>x</b> & <img src=y>")
    label = next(label for label in host.banner.findChildren(QLabel) if "img" in label.text())
    assert label.textFormat() == Qt.TextFormat.PlainText


@each("width", [900, 420, 300])
def test_nothing_is_cut_off(host: Host, width: int) -> None:
    sentence = "A block of 60 × 40 does not fit into W_Q (16 × 384) at row 12, column 380, so nothing was written."
    offers = [host.offer("grow", "Grow W_Q to 72 × 420"), host.offer("cut", "Work on Q, K, V directly")]
    host.banner.show_info(sentence, offers=offers)
    host.resize(width, 300)
    for _ in range(3):
        QApplication.processEvents()
    for button in host.banner.buttons():
        assert button.width() >= button.minimumSizeHint().width()
        assert host.banner.rect().contains(button.geometry().translated(button.parentWidget().pos()))
    label = next(label for label in host.banner.findChildren(QLabel) if label.text() == sentence)
    assert label.height() >= label.heightForWidth(label.width())
    assert label.width() >= 90
