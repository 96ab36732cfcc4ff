"""A lesson that plays a walk: on arrival, or where the question covers the cell, as far as it is not given away."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

from attn_gui.paths import resource
from attn_gui.views.walk_view import WalkPlayer


def shown(person) -> WalkPlayer | None:
    """The walk in the place of the maps, once the lesson has turned to its step."""
    person.wait()
    while person.program.late.lessons.busy:
        QTest.qWait(5)
    walks = [walk for walk in person.window.findChildren(QWidget, "walk") if walk.isVisible()]
    return walks[0].findChild(WalkPlayer) if walks else None


def test_the_worked_example_plays_its_products_and_the_steps_before_its_weight(launch):
    person = launch("worked-example.npz", width=1366, height=700)
    person.program.take_in(resource("lessons", "06-worked-example.md"))
    assert shown(person) is None
    person.click("lesson.skip")
    found = shown(person)
    assert found is not None
    assert found.playing
    found.pause_here()
    assert [beat.stage for beat in found.walk.beats] == ["scores", "scores"]
    assert found.walk.beats[0].board.map.covered == ((0, 1),), "what is asked for is not seen in it"
    assert person.find("lesson.answer").hasFocus(), "the keyboard stays where one answers"
    person.click("lesson.skip")
    assert shown(person) is None
    person.click("lesson.skip")
    assert shown(person) is None, "its weight is asked for"
    person.click("lesson.walk")
    found = shown(person)
    assert [beat.stage for beat in found.walk.beats] == ["scores", "scores", "scaled"]
    assert person.find("walk").hasFocus()
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.64")
    assert shown(person) is None, "all numbers are seen again"
    assert not person.find("lesson.walk").isVisible()
    assert person.find("heatmap.weights").isVisible()
