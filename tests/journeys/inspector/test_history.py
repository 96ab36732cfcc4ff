"""The limit of the history: a choice of the person, remembered for later sessions."""

from __future__ import annotations

import numpy as np

from attn_gui.engine import Problem

MEGABYTE = 1 << 20


def long_problem() -> Problem:
    numbers = np.random.default_rng(5).standard_normal((3, 1024, 1024))
    return Problem(query=numbers[0], key=numbers[1][:64], value=numbers[2][:64], num_heads=4)


def fill_query(person, kind):
    person.find("table.query").selectAll()
    person.find("table.query").setFocus()
    person.do(f"fill_{kind}")
    person.wait()


def test_the_oldest_steps_go_when_the_memory_for_them_is_used_up(launch):
    person = launch()
    assert person.action("history_256").isChecked()
    person.do("history_64")
    person.program.document.open(long_problem(), name="long")
    person.wait()
    for kind in ("integers", "random") * 6:  # 8 MB and more each
        fill_query(person, kind)
    kept = len(person.steps()) - 1
    assert 1 < kept < 12
    before = person.program.document.problem.query.copy()
    while person.action("undo").isEnabled():
        person.do("undo")
    for _ in range(kept):
        person.do("redo")
    assert np.array_equal(person.program.document.problem.query, before)
    again = launch()
    assert again.action("history_64").isChecked()
