"""The scale: divided by √d_k, none, typed."""

from __future__ import annotations

import pytest

SMALL = "worked-example.npz"
SCORES = [[1, 1], [1, 2]]


def scaled_by(person, factor):
    return person.values("scaled") == [pytest.approx([factor * s for s in row]) for row in SCORES]


def test_root_none_and_typed(launch):
    person = launch(SMALL)
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


def test_every_step_is_undone(launch):
    person = launch(SMALL)
    person.pick("scale", "none")
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "0.5")
    assert person.steps()[-1] == "scale 0.5"
    while person.action("undo").isEnabled():
        person.press("Ctrl+Z")
    assert scaled_by(person, 3**-0.5)
    assert person.find("control.scale").currentData() == "sqrt"
    assert not person.window.isWindowModified()


def test_a_bad_scale_is_refused(launch):
    person = launch(SMALL)
    person.pick("scale", "typed")
    field = person.find("control.scale_value")
    steps = person.steps()
    for text in ("abc", "1,5", ""):
        person.overwrite(field, text)
        assert person.steps() == steps, text
        assert field.property("wrong") == "true", text
        person.press("Esc")
    assert scaled_by(person, 3**-0.5)


def test_the_divisor_follows_d_k(launch):
    person = launch(SMALL)
    person.size("d_k", 1)
    assert "√1" in person.find("control.scale").currentText()
    assert person.values("scaled") == person.values("scores")
