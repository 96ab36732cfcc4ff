"""Parts of the window: tokens letter by letter, pages and the banner, the strip of heads, the list of steps."""

from typing import Any

import numpy as np
import pytest
from PySide6 import QtGui
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QImage, QTextDocument, QUndoCommand, QUndoStack
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.graph.indices import cell
from attn_gui.figure.design_tokens import FONT_FAMILIES
from attn_gui.figure.text.fonts import load_fonts
from attn_gui.views.banner import Banner, BannerOffer, Words
from attn_gui.views.dialogs.dialog_base import message_box
from attn_gui.views.head_strip import HeadsStrip, HeadThumb
from attn_gui.views.history_panel import HistoryView
from attn_gui.views.widgets import ElidedLabel, FittingPage, LineEdit, Veil, plain_tip, set_tip
from tests.failing import each
from tests.views.conftest import on_screen

TAGS = ("<s>", "<b>x</b>", "&lt;", "<img src=x>", "a <b>bold & <s>.attn", "two\n<b>lines</b>")
MANY = 300
STEPS = ("Q[10, 97] 2.5 → 0.5", "heads 12 → 6", "masks", "K[3, 4] 1 → 2", "<b>scale</b> none")


def as_shown(tip: str) -> str:
    """The letters that Qt shows for a tip."""
    if not QtGui.Qt.mightBeRichText(tip):
        return tip
    page = QTextDocument()
    page.setHtml(tip)
    return page.toPlainText()


@each("text", [*TAGS, "", "a < b & c", "it → animal (10, 2)\nplain"])
def test_a_tip_shows_every_letter(qapp, text):
    assert as_shown(plain_tip(text)) == text


def test_labels_and_links_do_too():
    label, control = ElidedLabel(), QLabel()
    label.setText("<b>x</b>")
    set_tip(control, "<b>x</b>")
    assert [as_shown(tip) for tip in (label.toolTip(), control.toolTip(), control.whatsThis())] == ["<b>x</b>"] * 3


def test_words_stand_in_the_middle_of_a_line_in_chinese_too(qtbot):
    """They stood three pixels high at 150 %."""
    load_fonts()
    for text in ("H", "国", "国 H"):
        line = LineEdit(text)
        qtbot.addWidget(line)
        font = QFont(list(FONT_FAMILIES))
        font.setPixelSize(18)
        line.setFont(font)
        line.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        line.resize(120, 40)
        image = line.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
        cells = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)[4:-4, 4:116]
        rows = np.flatnonzero((cells < int(cells.max()) - 90).any(1)) + 4
        assert abs((rows[0] + rows[-1]) / 2 - (image.height() - 1) / 2) <= 1.5, text


def test_a_box_reads_nothing_as_html(qtbot):
    box = message_box(None, "Save the changes to <s>?", "What is in <b> is lost.")
    qtbot.addWidget(box)
    labels = [label for label in box.findChildren(QLabel) if label.text()]
    assert len(labels) == 2
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}


class Square(QWidget):
    """As high as it is wide, like a picture."""

    asked = 0

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        self.asked += 1
        return width if self.asked < 10 * MANY else 10  # a page that does not come to rest is let go


@each("height", [200, 296, 299, 300, 400])
def test_a_picture_that_is_lower_where_it_is_narrower_comes_to_rest(qtbot, height):
    page, square = QWidget(), Square()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(square)
    area = FittingPage()
    area.hold(page)
    qtbot.addWidget(area)
    area.resize(300, height)
    area.show()
    for _ in range(50):
        QApplication.processEvents()
    assert square.asked < MANY
    assert area.verticalScrollBar().isVisible() == (height < 300)
    assert page.width() == area.viewport().width()
    assert page.height() == max(page.width(), area.viewport().height())


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
def host(qtbot):
    return Host(qtbot)


def test_the_cross_closes_it_and_tells_what_it_was_about(qtbot, host):
    host.banner.show_info("Layer 2", about="told/minilm")
    qtbot.mouseClick(host.banner.findChild(QToolButton), Qt.MouseButton.LeftButton)
    assert not host.banner.isVisible()
    assert host.closed == ["told/minilm"]


def test_the_keyboard_stays_unless_it_is_asked_over(qtbot, host):
    host.banner.show_error("Refused", offers=[host.offer("undo", "Undo")])
    assert host.line.hasFocus()
    host.banner.show_info("Offer", offers=[host.offer("grow", "Grow Q"), host.offer("no", "No")], focus=True)
    assert host.banner.buttons()[0].hasFocus()
    qtbot.keyClick(host.banner.buttons()[0], Qt.Key.Key_Escape)
    assert not host.banner.isVisible()
    assert host.line.hasFocus()


def test_what_becomes_a_refusal_takes_its_color_as_a_whole(qtbot, host):
    def corners() -> set[int]:
        QApplication.processEvents()
        picture, frame = on_screen(host), host.banner.geometry()
        return {picture.pixel(frame.center().x(), y) for y in (frame.top() + 1, frame.bottom() - 1)}

    host.banner.show_error("The same length")
    refused = corners()
    host.banner.show_info("The same length")
    told = corners()
    host.banner.show_error("The same length")
    assert corners() == refused != told


def test_file_text_is_never_taken_for_markup(host):
    host.banner.show_error("<b>x</b> & <img src=y>")
    label = next(label for label in host.banner.findChildren(QLabel) if "img" in label.text())
    assert label.textFormat() == Qt.TextFormat.PlainText


@each("width", [900, 420, 300])
def test_nothing_is_cut_off(host, width):
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


def problem_of(num_heads: int = 6, num_kv_heads: int = 6, **more: Any) -> Problem:
    """n = 5, m = 7, d_k = 3, d_v = 2."""
    rng = np.random.default_rng(7)
    fields: dict[str, Any] = {
        "query": rng.normal(size=(5, 3 * num_heads)),
        "key": rng.normal(size=(7, 3 * num_kv_heads)),
        "value": rng.normal(size=(7, 2 * num_kv_heads)),
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
    }
    return Problem(**fields | more)


def shown(qtbot: QtBot, problem: Problem, head: int = 2, width: int = 774) -> HeadsStrip:
    strip = HeadsStrip()
    qtbot.addWidget(strip)
    strip.set_evaluation(DenseEvaluation(problem), 0, head)
    strip.resize(width, strip.sizeHint().height())
    strip.show()
    qtbot.waitExposed(strip)
    return strip


def thumbs(strip: HeadsStrip) -> list[HeadThumb]:
    return sorted((t for t in strip.findChildren(HeadThumb) if t.isVisible()), key=lambda thumb: thumb.head)


def test_the_keyboard_goes_along_with_the_chosen_head(qtbot):
    problem = problem_of()
    strip = shown(qtbot, problem)
    evaluation = DenseEvaluation(problem)
    strip.set_evaluation(evaluation, 0, 2)
    strip.activateWindow()
    qtbot.waitUntil(strip.isActiveWindow)
    strip.headPicked.connect(lambda head: strip.set_evaluation(evaluation, 0, head))
    thumbs(strip)[2].setFocus()
    key = Qt.Key
    for pressed, head in ((key.Key_Right, 3), (key.Key_Home, 0), (key.Key_End, 5), (key.Key_Left, 4)):
        QTest.keyClick(QApplication.focusWidget(), pressed)
        assert QApplication.focusWidget() is thumbs(strip)[head]
    assert [thumb.head for thumb in thumbs(strip) if thumb.focusPolicy() & Qt.FocusPolicy.TabFocus] == [4]


def test_an_edit_changes_the_entropy_of_its_head_alone(qtbot):
    problem = problem_of()
    evaluation = DenseEvaluation(problem)
    strip = shown(qtbot, problem)
    strip.set_evaluation(evaluation, 0, 2)
    before = [thumb.accessibleName() for thumb in thumbs(strip)]
    query = problem.query.copy()
    query[3, 4] = 60
    strip.refresh(evaluation.update(problem.replace(query=query), {"query": [cell((3, 4))]}))
    after = [thumb.accessibleName() for thumb in thumbs(strip)]
    assert [k for k in range(6) if before[k] != after[k]] == [1]
    fresh = shown(qtbot, problem.replace(query=query))
    assert [thumb.accessibleName() for thumb in thumbs(fresh)] == after


def test_shared_heads_stand_together_over_a_line(qtbot):
    strip = shown(qtbot, problem_of(6, 2))
    gaps = [b.x() - a.geometry().right() for a, b in zip(thumbs(strip), thumbs(strip)[1:], strict=False)]
    assert gaps[0] == gaps[1] == gaps[3] == gaps[4] < gaps[2]
    words = {label.text() for label in strip.findChildren(QLabel) if label.isVisible()}
    assert "of 6 · 2 K/V heads, 3 query heads each" in words


def test_nan_is_said_and_not_hidden(qtbot):
    query = np.ones((5, 18))
    query[2, 3] = np.nan
    strip = shown(qtbot, problem_of(query=query))
    assert "entropy (bits) NaN" in thumbs(strip)[1].accessibleName()
    assert "entropy (bits) NaN" not in thumbs(strip)[0].accessibleName()


@each("head", [0, 11, 23])
def test_more_heads_than_fit_scroll_with_the_chosen_one_in_view(qtbot, head):
    strip = shown(qtbot, problem_of(24, 24), head, width=400)
    viewport = strip.findChild(QScrollArea).viewport()
    thumb = thumbs(strip)[head]
    qtbot.waitUntil(
        lambda: viewport.rect().contains(QRect(thumb.mapTo(viewport, thumb.rect().topLeft()), thumb.size()))
    )


@pytest.fixture
def view(qtbot):
    view = HistoryView()
    qtbot.addWidget(view)
    view.model.set_origin("Opened minilm-layer2")
    view.show()
    return view


def stack_of(*texts: str) -> QUndoStack:
    stack = QUndoStack()
    for text in texts:
        stack.push(QUndoCommand(text))
    return stack


def test_steps_follow_the_stack_and_a_click_asks_for_one(view, qtbot):
    stack, steps = stack_of(*STEPS), view.findChild(QListView)
    view.model.set_stack(stack)
    view.stepRequested.connect(stack.setIndex)

    def present(text: str) -> bool:
        return steps.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole) == f"{text}, the present step"

    def click(row: int) -> None:
        steps.scrollTo(steps.model().index(row, 0))
        place = steps.visualRect(steps.model().index(row, 0)).center()
        QTest.mouseClick(steps.viewport(), Qt.MouseButton.LeftButton, pos=place)

    qtbot.waitUntil(lambda: present(STEPS[-1]))
    assert [steps.model().index(row, 0).data() for row in range(6)] == ["Opened minilm-layer2", *STEPS]
    with qtbot.waitSignal(view.stepRequested) as caught:
        click(2)
    assert (caught.args, stack.index()) == ([2], 2)
    qtbot.waitUntil(lambda: present(STEPS[1]))
    with qtbot.assertNotEmitted(view.stepRequested):
        click(2)


def test_in_a_low_column_the_steps_fold_away_until_they_are_asked_for(qtbot):
    column = QWidget()
    qtbot.addWidget(column)
    view = HistoryView(column)
    QVBoxLayout(column).addWidget(view)
    view.model.set_stack(stack_of(*STEPS))
    column.resize(300, 800)
    column.show()
    steps, fold = view.findChild(QListView), view.findChild(QAbstractButton, "history.fold")
    assert steps.isVisible()
    column.resize(300, 400)
    QApplication.processEvents()
    assert not steps.isVisible()
    QTest.mouseClick(fold, Qt.MouseButton.LeftButton)
    assert steps.isVisible()
    column.resize(300, 390)
    assert steps.isVisible()  # as the person wanted it
    QTest.keyClick(fold, Qt.Key.Key_Return)
    assert not steps.isVisible()


def test_a_veil_covers_a_panel_that_grows(qtbot):
    panel = QWidget()
    qtbot.addWidget(panel)
    panel.resize(100, 20)
    panel.show()
    veil = Veil(panel, QColor("white"))
    panel.resize(150, 30)
    assert veil.geometry() == panel.rect()
