"""The way back, where a cell is given a target; all numbers computed a second time; what a cell changes most with."""

import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QMenu, QTabBar

from attn_gui import engine
from attn_gui.engine.analysis.verification import VerificationStopped
from attn_gui.views.dialogs.small_dialogs import TargetDialog
from tests.failing import share

WORKED = "worked-example.npz"
OK = QDialogButtonBox.StandardButton.Ok
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def target(fields, qtbot):
    """Open the dialog for the chosen cell, type, and press a button once it can be pressed; its words are kept."""
    said: dict[str, str] = {}

    def ask(text: str, by: str = "", button=OK) -> dict[str, str]:
        def answer(dialog: TargetDialog) -> None:
            if by:
                QTest.mouseClick(dialog.radios[by], LEFT, pos=QPoint(8, dialog.radios[by].height() // 2))
            QTest.keyClicks(dialog.field, text)
            qtbot.waitUntil(lambda: bool(dialog.reason.text()))
            said.update(
                reached=dialog.reached.text(),
                change=dialog.change.text(),
                reason=dialog.reason.text(),
                ok=dialog.buttons.button(OK).text(),
                can=str(dialog.buttons.button(OK).isEnabled()),
            )
            QTest.mouseClick(dialog.buttons.button(button), LEFT)
            if dialog.isVisible():
                dialog.reject()

        fields.person.answering(TargetDialog, answer, lambda: fields.person.do("set_target"))
        fields.back_in_the_window()
        return said

    return ask


def test_a_weight_is_set_by_a_row_or_a_bias_in_one_step_and_the_numbers_are_verified(
    fields, target, qtbot, monkeypatch
):
    fields.open(WORKED)
    person = fields.person
    assert not person.action("set_target").isEnabled()
    heatmap = person.find("heatmap.weights")
    place = heatmap.cell_rect(1, 1).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, heatmap.mapToGlobal(place))
    QApplication.sendEvent(heatmap, event)
    menu = heatmap.findChild(QMenu)
    assert person.action("set_target") in menu.actions()
    menu.close()
    assert person.find("inspector").isVisible()
    assert fields.sentence().startswith("Query 1 gives key 1")
    opened = []
    person.answering(
        TargetDialog,
        lambda dialog: (opened.append(dialog.windowTitle()), dialog.reject()),
        lambda: person.click(person.button("Set to…", "zone.explain")),
    )
    assert opened == ["Set A[1, 1]"]
    person.choose_cell("query", 0, 0)
    assert not person.action("set_target").isEnabled()

    # a target that makes no sense is refused and changes nothing
    fields.person.choose_cell("weights", 1, 0)
    for text, reason in (
        ("1.5", "A weight lies between 0 and 1"),
        ("inf", "A finite number"),
        ("1,500", "use a point"),
    ):
        said = target(text)
        assert reason in said["reason"]
        assert said["can"] == "False"
        assert len(fields.person.steps()) == 1

    # an output cell finds a nearby solution
    fields.person.choose_cell("head_output", 0, 0)
    said = target("2.5")  # a mean of 1 and 3
    assert "Gauss–Newton" in said["reason"]
    assert fields.map("head_output")[0, 0] == pytest.approx(2.5)

    # what no row reaches is said and the nearest offered
    fields.open("nadaraya-watson.npz")
    fields.pick("score", "dot")
    fields.person.click_cell("weights", 20, 22)
    said = target("0.9")
    assert said["ok"] == "Take the nearest"
    assert "its vector is a weighted mean of those of the other open keys" in said["reason"]
    assert fields.person.steps()[-1].startswith("A[20, 22]: ")

    # a projected weight is set by its row of x or a bias
    fields.open("thinking-machines.npz")
    fields.person.click_cell("weights", 1, 0)
    said = target("0.3", "x")
    assert said["change"].startswith("Changes X[1, 0 … 7], by a length of ")
    assert "keeps the odds" in said["reason"]
    assert fields.map("weights")[1, 0] == pytest.approx(0.3)

    # a weight is set by its query row in one step
    fields.open(WORKED)
    person = fields.person
    person.click_cell("weights", 1, 0)
    before = person.numbers("query")
    said = target("0.5")
    assert said["reached"] == "It reaches 0.5."
    assert said["change"].startswith("Changes Q[1, 0 … 2], by a length of ")
    assert np.allclose(fields.map("weights"), [[0.5, 0.5], [0.5, 0.5]])
    assert person.numbers("query")[0] == before[0]
    # K₀ − K₁ = (1, 0, −1): with the odds even, the score's difference −1 goes by half along each of the two
    assert np.allclose(np.array(person.numbers("query")[1], float), [0.5, 1, 0.5])
    assert person.steps()[1:] == ["A[1, 0]: 0.3595 → 0.5 by Q[1, 0 … 2]"]
    fields.undo()
    assert person.numbers("query") == before
    person.do("redo")
    fields.save_and_reopen()
    assert np.allclose(fields.export()["weights"], 0.5)

    for by, field in share((("key", "key"), ("bias", "mask.0.values")), 2):
        fields.open(WORKED)
        fields.person.click_cell("weights", 1, 0)
        query = fields.person.numbers("query")
        target("0.9", by)
        assert fields.map("weights")[1, 0] == pytest.approx(0.9)
        assert fields.person.numbers("query") == query
        assert field in fields.export()
        assert len(fields.person.steps()) == 2

    # what is typed after enter is not taken by it
    fields.open(WORKED)
    fields.person.click_cell("weights", 1, 0)

    def answer(dialog: TargetDialog) -> None:
        QTest.keyClicks(dialog.field, "0.2")
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        QTest.keyClick(dialog.field, Qt.Key.Key_End)
        QTest.keyClicks(dialog.field, "5")
        qtbot.waitUntil(lambda: dialog.reached.text() != "" or not dialog.isVisible())
        assert dialog.isVisible()
        dialog.reject()

    fields.person.answering(TargetDialog, answer, lambda: fields.person.do("set_target"))
    assert len(fields.person.steps()) == 1

    # Enter may come before the answer
    def answer(dialog: TargetDialog) -> None:
        QTest.keyClicks(dialog.field, "0.25")
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not dialog.isVisible())

    fields.person.answering(TargetDialog, answer, lambda: fields.person.do("set_target"))
    assert fields.map("weights")[1, 0] == pytest.approx(0.25)

    # the numbers are verified, and an edit takes the verdict back
    fields.open("thinking-machines.npz")
    person = fields.person
    turn_to(fields, "Verify")
    person.click(person.find("inspector.verify").button)
    qtbot.waitUntil(lambda: "✓" in words(fields, "inspector.verify"))
    shown = words(fields, "inspector.verify")
    assert "✗" not in shown
    assert any("All 2 rows were computed a second time" in text for text in shown)
    assert any("Rows of weights sum to 1" in text for text in shown)
    person.type_into("x", 0, 0, "3")
    qtbot.waitUntil(lambda: words(fields, "inspector.verify") == ["The numbers have changed since."])

    # the menu verifies and a stage leads to its worst cell
    fields.open(WORKED)
    person = fields.person
    person.do("verify")
    page = person.find("inspector.verify")
    assert page.isVisible()
    qtbot.waitUntil(lambda: "✓" in words(fields, "inspector.verify"))
    person.click(person.button("Weights", page))
    turn_to(fields, "Explain")
    assert fields.sentence().startswith("Query ")

    # a cell names the numbers that it changes most with
    person.choose_cell("scores", 1, 0)
    turn_to(fields, "Gradients")
    page = person.find("inspector.sensitivity")
    shown = words(fields, "inspector.sensitivity")
    assert shown[0] == "S[1, 0]"
    # s = q · k with q = (0, 1, 1) and k = (1, 1, 0): its gradient is the other row
    gradients = {link.text(): value for link, value in zip(page.links(), shown[2:], strict=True)}
    assert gradients == {"Q[1, 0]": "1.0000", "Q[1, 1]": "1.0000", "K[0, 1]": "1.0000", "K[0, 2]": "1.0000"}
    person.type_into("key", 0, 2, "-4")
    qtbot.waitUntil(lambda: "−4.0000" in words(fields, "inspector.sensitivity"))  # once the maps are painted
    names = [link.text() for link in page.links()]
    gradients = dict(zip(names, words(fields, "inspector.sensitivity")[2:], strict=True))
    assert gradients["Q[1, 2]"] == "−4.0000"
    person.click(next(link for link in page.links() if link.text() == "Q[1, 2]"))
    assert person.find("heatmap.query").isVisible()

    # a long verification is stopped by the person and by an edit
    begun, stopped = list[str](), list[str]()

    def endless(_problem, *, cancelled):
        begun.append(threading.current_thread().name)
        while not cancelled():
            time.sleep(0.002)
        stopped.append(threading.current_thread().name)
        raise VerificationStopped

    monkeypatch.setattr(engine, "verify", endless)
    turn_to(fields, "Verify")
    page = person.find("inspector.verify")
    person.click(page.button)
    assert page.button.text() == "Stop"
    qtbot.waitUntil(lambda: len(begun) == 1)  # what has not begun is dropped without
    person.click(page.button)
    assert page.button.text() == "Verify now"
    qtbot.waitUntil(lambda: len(stopped) == 1)
    assert threading.main_thread().name not in stopped
    assert words(fields, "inspector.verify") == ["Stopped: nothing was verified."]
    person.click(page.button)
    qtbot.waitUntil(lambda: len(begun) == 2)
    person.type_into("query", 0, 0, "3")
    qtbot.waitUntil(lambda: len(stopped) == 2)
    assert page.button.text() == "Verify now"


def turn_to(fields, title: str) -> None:
    """Click a tab of the inspector."""
    bar = fields.person.find("inspector").findChild(QTabBar)
    place = next(k for k in range(bar.count()) if bar.tabText(k) == title)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())


def words(fields, page: str) -> list[str]:
    labels = fields.person.find(page).findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]
