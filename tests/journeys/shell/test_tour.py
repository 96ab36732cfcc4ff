"""The tour: five bubbles on the real window, begun once by itself, skipped with Esc, brought back by the menu."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.engine import Problem
from tests.seen import covered, fault, faults, worded

PARTS = ["zone.inputs", "spine", "zone.product", "zone.explain", "toolbar"]


def shown(person):
    bubble = person.window.findChild(QWidget, "tour")
    return bubble is not None and not covered(bubble).isEmpty()


def pointed_at(person):
    """The part whose rectangle the ring stands in."""
    ring = next(one for one in person.window.findChildren(QWidget) if type(one).__name__ == "TourRing")
    inside = {}
    for name in PARTS:
        part = person.find(name)
        inside[name] = QRect(part.mapTo(person.window, QPoint()), part.size())
    middle = ring.geometry().center()
    return min((name for name in PARTS if inside[name].contains(middle)), key=lambda name: inside[name].height())


@pytest.fixture
def first(launch):
    return launch(page=True)


def test_the_first_document_from_the_start_page_brings_the_tour_and_no_other_does(first, qtbot):
    first.click("start.worked")
    qtbot.waitUntil(lambda: shown(first))
    met = []
    for _ in PARTS:
        met.append(pointed_at(first))
        assert first.find("tour").isAncestorOf(first.focus())
        first.press("Return")
    assert met == PARTS
    assert not shown(first)
    assert first.focus().objectName() == "heatmap.weights"
    first.do("start")
    first.click("start.minilm")
    first.wait()
    QApplication.processEvents()
    assert not shown(first)


def test_escape_skips_it_for_good_and_the_menu_brings_it_back(first, launch, qtbot):
    first.click("start.minilm")
    qtbot.waitUntil(lambda: shown(first))
    first.press("Esc")
    assert not shown(first)
    assert not first.find("start").isVisible()
    first.leave()
    again = launch(page=True)
    again.click("start.worked")
    again.wait()
    QApplication.processEvents()
    assert not shown(again)
    again.do("start")
    again.do("tour")
    assert shown(again)
    assert not again.find("start").isVisible()
    again.press("Right", "Right", "Left")
    assert pointed_at(again) == "spine"
    again.click("tour.skip")
    assert not shown(again)


def test_begun_on_the_start_page_it_leads_to_the_worked_example_and_always_has_a_chosen_cell(first, launch, qtbot):
    first.do("tour")
    qtbot.waitUntil(lambda: shown(first))
    assert first.program.document.name == "worked-example"
    assert "0.6405" in first.explanation()
    first.leave()
    person = launch("minilm-layer2.npz")
    person.do("tour")
    assert "[SEP]" in person.explanation()


def test_begun_on_the_start_page_it_leaves_what_somebody_has_made(first, qtbot):
    problem = Problem(query=[[1.0, 2.0]], key=[[3.0, 4.0]], value=[[5.0]])
    first.program.files.begin_problem(problem, "typed")
    first.program.start_page.show()
    first.do("tour")
    qtbot.waitUntil(lambda: shown(first))
    assert first.program.document.problem == problem


def test_it_stands_in_no_lessons_way(first, qtbot):
    first.click("start.begin")
    qtbot.waitUntil(lambda: first.find("lesson").isVisible())
    QApplication.processEvents()
    assert not shown(first)
    first.do("start")
    first.click("start.worked")
    qtbot.waitUntil(lambda: shown(first))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_bubble_lies_in_sight_beside_what_it_speaks_of(launch, lang):
    person = launch("worked-example.npz", lang=lang)
    for size in ((1024, 700), (1366, 700), (1920, 1080)):
        person.window.resize(*size)
        QApplication.processEvents()
        person.do("tour")
        for name in PARTS:
            QApplication.processEvents()
            bubble = person.find("tour")
            assert (fault(bubble), faults(worded(bubble))) == ("", []), (size, name)
            part = person.find(name)
            about = QRect(part.mapTo(person.window, QPoint()), part.size())
            assert about.intersected(bubble.geometry()).isEmpty(), (size, name)
            person.press("Return")


def test_whoever_does_what_a_bubble_says_is_led_on(person):
    person.do("tour")
    person.type_into("query", 0, 0, "3")
    assert pointed_at(person) == "spine"
    person.type_into("query", 0, 0, "4")
    assert pointed_at(person) == "spine"
    person.click("node.scores")
    assert pointed_at(person) == "zone.product"
    person.click_cell("scores", 0, 1)
    assert pointed_at(person) == "zone.explain"
    person.click_cell("scores", 0, 0)
    assert pointed_at(person) == "zone.explain"
    person.click("tour.back")
    assert pointed_at(person) == "zone.product"


def test_the_window_can_be_used_meanwhile_and_another_document_ends_it(person):
    person.do("tour")
    person.type_into("query", 0, 0, "4")
    assert person.number("query", 0, 0) == 4
    assert shown(person)
    person.press("Ctrl+Z")
    person.do("example_minilm")
    assert not shown(person)
