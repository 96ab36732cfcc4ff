"""Tokens and names in tips and boxes: shown letter by letter, whatever HTML they look like."""

from __future__ import annotations

import pytest
from PySide6.QtGui import Qt, QTextDocument, QUndoCommand, QUndoStack
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from attn_gui.formats.file_format import ListedArray
from attn_gui.models.attribution import LikelyToken
from attn_gui.views.controls.intervention_panel import InterventionModel, InterventionRow
from attn_gui.views.dialogs.arrays_dialog import ArraysModel
from attn_gui.views.dialogs.asking import message_box
from attn_gui.views.predictions import PredictionModel
from attn_gui.views.snapshots import SnapshotModel, SnapshotRow
from attn_gui.views.step_list import HistoryModel
from attn_gui.views.widgets import ElidedLabel, FittingPage, FlowLayout, clear_layout, plain_tip, set_tip, take_widgets
from tests.failing import each

TAGS = ("<s>", "<b>x</b>", "&lt;", "<img src=x>", "a <b>bold & <s>.attn", "two\n<b>lines</b>")
TIP = Qt.ItemDataRole.ToolTipRole


def as_shown(tip: str) -> str:
    """The letters that Qt shows for a tip."""
    if not Qt.mightBeRichText(tip):
        return tip
    page = QTextDocument()
    page.setHtml(tip)
    return page.toPlainText()


@each("text", [*TAGS, "", "a < b & c", "it → animal (10, 2)\nplain"])
def test_a_tip_shows_every_letter(qapp: object, text: str) -> None:
    assert as_shown(plain_tip(text)) == text


def test_a_tip_that_looks_like_no_html_is_left_as_it_is(qapp: object) -> None:
    assert plain_tip("a < b & c") == "a < b & c"


def tips(text: str) -> dict[str, str]:
    """The tips of lists that hold a token or a name."""
    predicted, snapshots, changes, history = PredictionModel(), SnapshotModel(), InterventionModel(None), HistoryModel()
    predicted.set_rows([LikelyToken(text, text, 0.5, 0.5)], two=False)
    snapshots.set_rows([SnapshotRow(text)])
    changes.set_lines([InterventionRow(text, True, False)])
    stack = QUndoStack(history)
    stack.push(QUndoCommand(text))
    history.set_stack(stack)
    models = {"predicted": predicted, "snapshots": snapshots, "changes": changes, "history": history}
    models["arrays"] = ArraysModel([ListedArray(text, (2,), "float64")])
    return {name: model.index(model.rowCount() - 1, 0).data(TIP) for name, model in models.items()}


def test_lists_tell_tokens_and_names_as_they_are_written(qapp: object) -> None:
    assert {name: as_shown(tip).partition(":")[0] for name, tip in tips("<b>x</b>").items()} == dict.fromkeys(
        tips(""), "<b>x</b>"
    )


def test_labels_and_links_do_too(qtbot: QtBot) -> None:
    label, control = ElidedLabel(), QLabel()
    label.setText("<b>x</b>")
    set_tip(control, "<b>x</b>")
    assert [as_shown(tip) for tip in (label.toolTip(), control.toolTip(), control.whatsThis())] == ["<b>x</b>"] * 3


def test_a_box_reads_nothing_as_html(qtbot: QtBot) -> None:
    box = message_box(None, "Save the changes to <s>?", "What is in <b> is lost.")
    qtbot.addWidget(box)
    labels = [label for label in box.findChildren(QLabel) if label.text()]
    assert len(labels) == 2
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}


# --- Layouts that are filled anew: what held the places of the widgets before is deleted ---


@pytest.fixture
def holder(qtbot: QtBot) -> QWidget:
    widget = QWidget()
    qtbot.addWidget(widget)
    return widget


def _filled(holder: QWidget, kind: type[QHBoxLayout] | type[FlowLayout]) -> tuple[QLayout, list[QLabel]]:
    layout, labels = kind(holder), [QLabel(text, holder) for text in "abc"]
    for label in labels:
        layout.addWidget(label)
        if isinstance(layout, QHBoxLayout):
            layout.addStretch(1)
    return layout, labels


@pytest.mark.parametrize("kind", [QHBoxLayout, FlowLayout])
def test_what_held_the_places_is_deleted(holder: QWidget, kind: type[QHBoxLayout] | type[FlowLayout]) -> None:
    layout, labels = _filled(holder, kind)
    items = [layout.itemAt(place) for place in range(layout.count())]
    assert take_widgets(layout) == labels
    assert not layout.count()
    assert not any(map(isValid, items))
    assert all(map(isValid, labels))


def test_a_cleared_layout_lets_its_widgets_go(qtbot: QtBot, holder: QWidget) -> None:
    layout, labels = _filled(holder, QHBoxLayout)
    clear_layout(layout)
    qtbot.waitUntil(lambda: not any(map(isValid, labels)))


# --- A page that scrolls comes to rest, also where a scroll bar makes it so narrow that it needs none ---


MANY = 300


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
