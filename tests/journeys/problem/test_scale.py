"""The scale: divided by √d_k, none, typed."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyle, QStyleOptionSlider

SMALL = "worked-example.npz"
SCORES = [[1, 1], [1, 2]]


def scaled_by(person, factor):
    return person.values("scaled") == [pytest.approx([factor * s for s in row]) for row in SCORES]


def test_the_scale_is_a_root_none_or_typed(person):
    assert scaled_by(person, 3**-0.5)
    person.pick("scale", "none")
    assert scaled_by(person, 1)
    person.pick("scale", "typed")
    field = person.find("control.scale_value")
    assert field.isVisible()
    assert field.hasFocus()
    person.overwrite(field, "1/4")
    assert scaled_by(person, 0.25)
    assert person.find("control.scale").currentData() == "typed"
    person.pick("scale", "sqrt")
    assert scaled_by(person, 3**-0.5)
    assert not field.isVisible()

    person.again("what is picked ends the typing where no number changes")
    for key in ("sqrt", "none"):
        person.pick("scale", key)
        person.pick("scale", "typed")
        person.pick("scale", key)
        assert not person.find("control.scale_value").isVisible(), key
        assert person.find("control.scale").currentData() == key

    person.again("every step is undone")
    person.pick("scale", "none")
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "0.5")
    assert person.steps()[-1] == "scale 0.5"
    while person.action("undo").isEnabled():
        person.press("Ctrl+Z")
    assert scaled_by(person, 3**-0.5)
    assert person.find("control.scale").currentData() == "sqrt"
    assert not person.window.isWindowModified()

    person.again("a bad scale is refused")
    person.pick("scale", "typed")
    field = person.find("control.scale_value")
    steps = person.steps()
    for text in ("abc", "1,500", ""):
        person.overwrite(field, text)
        assert person.steps() == steps, text
        assert field.property("wrong") == "true", text
        person.press("Esc")
    assert scaled_by(person, 3**-0.5)

    person.again("the divisor follows d k")
    person.size("d_k", 1)
    assert "√1" in person.find("control.scale").currentText()
    assert person.values("scaled") == person.values("scores")


def slide(slider, *shares):
    """Press the handle, go through parts of the way, let go."""
    at = handle(slider)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=at)
    for share in shares:
        at = QPoint(handle_x(slider, share), at.y())
        QTest.mouseMove(slider, at)
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=at)


def handle(slider):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center()


def handle_x(slider, share):
    length = slider.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, slider)
    return round(length / 2 + share * (slider.width() - length))


def test_a_gesture_on_the_slider_is_one_step_and_takes_no_other_away(launch):
    person = launch()
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "0.1")
    slider, steps = person.find("control.scale_slider"), person.steps()
    slide(slider, 0.4, 0.2, -0.3)
    assert person.values("weights") == [pytest.approx([1 / 16] * 16)] * 16
    assert person.steps() == [*steps, "scale 0"]
    slide(slider, 0.3, 0.6, 1.3)
    assert len(person.steps()) == len(steps) + 2
    dot = person.values("weights")
    person.pick("scale", "sqrt")
    assert person.values("weights") == dot
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.find("control.scale_value").text() == "0.1"

    person.again("keys on the slider are one step")
    person.pick("scale", "typed")
    slider, steps = person.find("control.scale_slider"), person.steps()
    person.find("control.scale").setFocus()
    slider.setFocus()
    person.press("Left", "Left", "Left")
    assert len(person.steps()) == len(steps) + 1
    assert person.program.document.problem.scale == pytest.approx(0.97 * 32**-0.5)
    person.press("Ctrl+Z")
    assert person.steps()[: len(steps)] == steps
    assert person.program.document.problem.scale is None or person.program.document.problem.scale == 32**-0.5

    person.again("a gesture on the slider is one step and takes no other away", SMALL)
    # It took the place of the number that was typed before it, and that could not be undone.
    person.pick("scale", "typed")
    slider = person.find("control.scale_slider")
    slide(slider, 0.8)
    person.type_into("query", 0, 0, "7")
    steps, scale = person.steps(), person.program.document.problem.scale
    slide(slider, 0.7, 0.8, 0.85)
    assert person.steps()[:-1] == steps
    assert person.number("query", 0, 0) == 7
    person.press("Ctrl+Z")
    assert (person.number("query", 0, 0), person.program.document.problem.scale) == (7, scale)

    person.again("a gesture stays one step where the oldest ones go for it", SMALL)
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "0.1")
    for number in range(3):
        person.type_into("query", 0, 0, str(number + 5))
    person.program.document.limit_history(sum(person.program.document._history._costs))
    slide(person.find("control.scale_slider"), 0.2, 0.4, 0.7)
    assert [step.startswith("scale") for step in person.steps()[-2:]] == [False, True]
