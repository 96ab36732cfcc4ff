"""The pages beside the explanation: all numbers computed a second time, and what a cell changes most with."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTabBar

from attn_gui import engine
from attn_gui.engine.analysis.verification import VerificationStopped, verify
from tests.failing import each

WORKED = "worked-example.npz"


def turn_to(fields, title: str) -> None:
    """Click a tab of the inspector."""
    bar = fields.person.find("inspector").findChild(QTabBar)
    place = next(k for k in range(bar.count()) if bar.tabText(k) == title)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())


def words(fields, page: str) -> list[str]:
    labels = fields.person.find(page).findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


def test_the_numbers_are_verified_and_an_edit_takes_the_verdict_back(fields, qtbot):
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

    # without a cell the page says what to do
    fields.open(WORKED)
    turn_to(fields, "Gradients")
    assert words(fields, "inspector.sensitivity") == [
        "Choose a cell: the numbers that it changes most with are listed here."
    ]

    # a cell names the numbers that it changes most with
    fields.open(WORKED)
    person = fields.person
    person.show_stage("scores")
    person.click_cell("scores", 1, 0)
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


def until_stopped(begun, stopped):
    """A verification that goes on until it is stopped, and tells the threads in which it began and ended."""

    def verify(problem, *, cancelled):
        begun.append(threading.current_thread().name)
        while not cancelled():
            time.sleep(0.002)
        stopped.append(threading.current_thread().name)
        raise VerificationStopped

    return verify


@pytest.fixture
def endless(monkeypatch):
    """A verification that goes on until it is stopped: the threads in which some began, and in which some ended."""
    begun, stopped = list[str](), list[str]()
    monkeypatch.setattr(engine, "verify", until_stopped(begun, stopped))
    return begun, stopped


@each("how", ["button", "escape"])
def test_a_long_verification_can_be_stopped_and_begun_again(how, fields, qtbot, endless, monkeypatch):
    begun, stopped = endless
    begun.clear()
    stopped.clear()
    monkeypatch.setattr(engine, "verify", until_stopped(begun, stopped))
    fields.open(WORKED)
    person = fields.person
    turn_to(fields, "Verify")
    page = person.find("inspector.verify")
    person.click(page.button)
    assert page.button.text() == "Stop"
    assert words(fields, "inspector.verify") == ["Computing everything a second time …"]
    qtbot.waitUntil(lambda: len(begun) == 1)  # what has not begun is dropped without
    if how == "button":
        person.click(page.button)
    else:
        QTest.keyClick(page.button, Qt.Key.Key_Escape)
    assert page.button.text() == "Verify now"
    qtbot.waitUntil(lambda: len(stopped) == 1)
    assert threading.main_thread().name not in stopped
    assert words(fields, "inspector.verify") == ["Stopped: nothing was verified."]
    monkeypatch.setattr(engine, "verify", verify)
    person.click(page.button)
    qtbot.waitUntil(lambda: "✓" in words(fields, "inspector.verify"))


def test_an_edit_stops_a_verification_of_the_numbers_before(fields, qtbot, endless):
    fields.open(WORKED)
    person = fields.person
    begun, stopped = endless
    person.do("verify")
    qtbot.waitUntil(lambda: len(begun) == 1)
    person.type_into("query", 0, 0, "3")
    qtbot.waitUntil(lambda: len(stopped) == 1)
    assert fields.person.find("inspector.verify").button.text() == "Verify now"


@each("score", ["additive", "cosine", "gaussian"])
def test_gradients_foretell_what_a_small_step_does(fields, score):
    fields.open(WORKED)
    person = fields.person
    fields.pick("score", score)
    person.click_cell("weights", 1, 1)
    turn_to(fields, "Gradients")
    shown = dict(
        zip(
            (link.text() for link in person.find("inspector.sensitivity").links()),
            words(fields, "inspector.sensitivity")[2:],
            strict=True,
        )
    )
    name, told = next((name, text) for name, text in shown.items() if name.startswith(("Q", "K")))
    field = {"Q": "query", "K": "key"}[name[0]]
    row, column = (int(part) for part in name[2:-1].split(","))
    before, step = person.value("weights", 1, 1), 1e-5
    person.type_into(field, row, column, repr(person.number(field, row, column) + step))
    slope = (person.value("weights", 1, 1) - before) / step
    assert np.isclose(slope, float(told.replace("−", "-")), atol=2e-4)
