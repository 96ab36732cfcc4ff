"""Between the product picture and all stages: the keyboard stays with the map that it was in."""

from __future__ import annotations


def test_the_keyboard_stays_in_its_map_when_all_stages_are_shown_and_when_they_go(launch):
    person = launch("minilm-layer2.npz")
    person.find("heatmap.weights").setFocus()
    person.do("all_stages")
    assert person.focus() is person.find("heatmap.weights")
    person.find("heatmap.scores").setFocus()
    person.do("product")
    assert person.focus() is person.find("heatmap.weights")  # the only one that is left
    person.press("Right")
    assert "(0, 0)" in person.status()


def test_a_change_of_mode_takes_the_keyboard_from_nobody_else(launch):
    person = launch("minilm-layer2.npz")
    person.go_to("query", 3, 96)
    before = person.focus()
    person.do("all_stages")
    assert person.focus() is before
