"""Cells of the state compared with, put in the place of those of now: one step, in whichever mode they are seen."""

from __future__ import annotations

import numpy as np


def test_cells_of_the_pinned_state_come_back(launch):
    person = launch("worked-example.npz")
    person.click_cell("weights", 0, 0)
    assert not person.action("take_before").isEnabled(), "there is no other state"
    before = np.array(person.values("weights"))
    person.do("pin")
    person.wait()
    person.type_into("query", 1, 0, "7")
    person.wait()
    moved = np.array(person.values("weights"))
    assert not np.array_equal(moved[1], before[1])
    for mode in ("show_now", "show_before", "show_difference", "show_side_by_side", "show_wipe"):
        person.do(mode)
        person.click_cell("weights", 1, 0)
        person.do("choose_row")
        person.do("take_before")
        person.wait()
        person.do("show_now")
        assert np.array_equal(np.array(person.values("weights"))[1], before[1])
        assert [record.kind for record in person.program.document.problem.interventions] == ["set"]
        person.press("Ctrl+Z")
        person.wait()
        assert np.array_equal(person.values("weights"), moved)

    person.again("a matrix that is given takes the numbers themselves")
    person.do("pin")
    person.wait()
    old = person.number("query", 1, 0)
    person.type_into("query", 1, 0, "7")
    person.wait()
    person.show_stage("query")
    person.click_cell("query", 1, 0)
    person.do("take_before")
    person.wait()
    assert person.number("query", 1, 0) == old
    assert person.program.document.problem.interventions == ()

    person.again("a step that the other state has not takes what stands there before")
    person.do("pin")
    person.do("masks")
    person.window.mask_panel.add_layer("causal")
    person.window.mask_panel.close_panel()
    person.wait()
    before = np.array(person.values("scaled"))
    person.show_stage("masked")
    person.click_cell("masked", 0, 1)
    person.do("take_before")
    person.wait()
    assert np.array(person.values("masked"))[0, 1] == before[0, 1]
    (record,) = person.program.document.problem.interventions
    assert (record.kind, record.stage) == ("set", "masked")
