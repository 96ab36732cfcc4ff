"""The list of steps: where the document stands, and how to get to another step."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QUndoCommand, QUndoStack
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QListView, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.views.history_panel import HistoryView

STEPS = ("Q[10, 97] 2.5 → 0.5", "heads 12 → 6", "masks", "K[3, 4] 1 → 2", "<b>scale</b> none")


@pytest.fixture
def view(qtbot: QtBot) -> HistoryView:
    view = HistoryView()
    qtbot.addWidget(view)
    view.set_origin("Opened minilm-layer2")
    view.show()
    return view


def stack_of(*texts: str) -> QUndoStack:
    stack = QUndoStack()
    for text in texts:
        stack.push(QUndoCommand(text))
    return stack


def test_steps_follow_the_stack_and_a_click_asks_for_one(view: HistoryView, qtbot: QtBot) -> None:
    stack, steps = stack_of(*STEPS), view.findChild(QListView)
    view.set_stack(stack)
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


def test_four_rows_are_seen_and_the_present_one_is_among_them(view: HistoryView, qtbot: QtBot) -> None:
    stack = stack_of(*(f"step {k}" for k in range(40)))
    view.set_stack(stack)
    steps = view.findChild(QListView)
    heights = {}
    for count in (1, 4, 5):
        view.set_stack(stack_of(*(f"step {k}" for k in range(count - 1))))
        heights[count] = steps.sizeHint().height()
    assert heights[4] == heights[5] == 4 * heights[1]
    view.set_stack(stack)
    qtbot.waitUntil(lambda: steps.viewport().rect().contains(steps.visualRect(steps.currentIndex())))


def test_in_a_low_column_the_steps_fold_away_until_they_are_asked_for(qtbot: QtBot) -> None:
    column = QWidget()
    qtbot.addWidget(column)
    view = HistoryView(column)
    QVBoxLayout(column).addWidget(view)
    view.set_stack(stack_of(*STEPS))
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
