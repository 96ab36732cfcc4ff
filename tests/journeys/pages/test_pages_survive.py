"""Long pages: a click that changes nothing of what a page reads neither stops it nor throws it away."""

from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from attn_gui.figure.page_catalog import PAGES
from tests.journeys.conftest import Person
from tests.journeys.gate import Gate

TEXT, SECOND = "k x b p f k x b p", "k x b p h k x b p"


@pytest.fixture
def gate(monkeypatch):
    """In the way of the page of patching once it has begun."""
    gate, read = Gate(), type(PAGES["patching"]).read

    def held(page, evaluation, aim, tell):
        gate.hold_telling(tell)
        return read(page, evaluation, aim, tell)

    monkeypatch.setattr(type(PAGES["patching"]), "read", held)
    yield gate
    gate.open()


@pytest.fixture
def toy(launch):
    return launch(lang="zh", width=1366, height=700).beginning(partial(Person.open_toy, text=TEXT, other=SECOND))


def rest(person, qtbot):
    """Until the page is there, too."""
    person.wait()
    qtbot.waitUntil(lambda: not person.program.late.pages.busy)


def page(person):
    return person.find("page.patching")


def progress(person):
    return person.find("page.patching.progress")


def of_layer(person, layer, qtbot):
    qtbot.waitUntil(lambda: person.program.document.study.layer == layer)


def test_another_head_and_layer_leave_the_page_that_is_computed_alone(toy, gate, qtbot):
    toy.do("patching")
    gate.await_work()
    qtbot.waitUntil(lambda: "50" in progress(toy).text())
    toy.click_head(0, 2)
    toy.click_head(1, 1)
    of_layer(toy, 1, qtbot)
    qtbot.waitUntil(lambda: not toy.program.late.model.busy)
    qtbot.waitUntil(lambda: progress(toy).isVisible())
    assert "50" in progress(toy).text(), "it has begun anew"
    gate.open()
    rest(toy, qtbot)
    shown = page(toy).content
    assert (shown.layer, shown.shares.shape) == (1, (2, 4)), "the layer on the table is the marked one"
    toy.press("Ctrl+Z")
    rest(toy, qtbot)
    assert page(toy).content.layer == 0
    assert page(toy).content.shares is shown.shares


def test_a_page_that_was_computed_is_shown_again_at_once(toy, gate, qtbot):
    gate.open()
    toy.do("patching")
    rest(toy, qtbot)
    shown = page(toy).content
    gate.close()
    toy.do("code")
    toy.click_head(0, 3)
    toy.do("patching")
    rest(toy, qtbot)
    assert page(toy).content is shown
    assert not gate.reached
    toy.click("model.head_off")
    qtbot.waitUntil(lambda: gate.reached)
    qtbot.waitUntil(lambda: progress(toy).isVisible())


def test_a_page_goes_on_while_another_is_looked_at(toy, gate, qtbot):
    toy.do("patching")
    gate.await_work()
    toy.do("code")
    qtbot.waitUntil(lambda: toy.find("page.code").content is not None)
    gate.open()
    rest(toy, qtbot)
    gate.close()
    toy.do("patching")
    qtbot.waitUntil(lambda: page(toy).content is not None)
    assert not gate.reached


def test_a_page_that_was_stopped_is_computed_when_it_is_chosen_again(toy, gate, qtbot):
    toy.do("patching")
    gate.await_work()
    qtbot.waitUntil(lambda: progress(toy).isVisible())
    button = toy.find("page.patching.cancel", QToolButton)
    assert button.visibleRegion().boundingRect() == button.rect(), "it is cut"
    assert progress(toy).rect().contains(QRect(button.mapTo(progress(toy), QPoint()), button.size()))
    toy.click(button)
    rest(toy, qtbot)
    assert page(toy).content is None
    toy.click_head(0, 2)
    rest(toy, qtbot)
    assert page(toy).content is None
    gate.open()
    toy.do("patching")
    rest(toy, qtbot)
    assert page(toy).content is not None


def test_a_click_on_a_head_of_the_page_goes_there(toy, gate, qtbot):
    gate.open()
    toy.do("patching")
    rest(toy, qtbot)
    canvas = page(toy).canvas
    gate.close()
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 1, 2).toPoint())
    of_layer(toy, 1, qtbot)
    rest(toy, qtbot)
    assert toy.program.view.look.head == 2
    assert page(toy).content.layer == 1
    assert not gate.reached
