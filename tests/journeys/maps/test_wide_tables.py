"""Widths that a person types: no large table is read or computed by the thread of the window."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from attn_gui.engine import DenseEvaluation, Plane, Problem, compute
from attn_gui.pictures.planes import FieldPlane
from tests.failing import each

WIDE = 40_000
LARGE = 16 * WIDE // 4
"""Cells that are more than what is in sight or what one edited row or column reaches."""


@pytest.fixture
def read(monkeypatch):
    """The sizes of large blocks that were read or computed by the window's thread, by the names of their matrices."""
    found, window = [], threading.get_ident()

    def watch(kind, name, size):
        work = getattr(kind, name)

        def watched(self, *given, **more):
            result = work(self, *given, **more)
            if threading.get_ident() == window and size(result) > LARGE:
                found.append((kind.__name__, name, size(result)))
            return result

        monkeypatch.setattr(kind, name, watched)

    watch(Plane, "block", lambda block: block[0].size)
    watch(FieldPlane, "block", lambda block: block[0].size)
    watch(DenseEvaluation, "_compute", lambda count: count)
    return found


@pytest.fixture
def person(launch):
    return launch()


@each(("name", "field"), [("d_v", "value"), ("d_k", "key")])
def test_a_wide_table_is_typed_edited_and_undone_with_no_large_read_on_the_windows_thread(person, read, name, field):
    numbers = np.random.default_rng(1).standard_normal((3, 16, 4))
    person.again(name, Problem(query=numbers[0], key=numbers[1], value=numbers[2]))
    read.clear()
    person.size(name, WIDE)
    person.wait()
    assert person.program.document.problem.arrays()[field].shape == (16, WIDE)
    for edited in ("query", "key", "value"):
        person.type_into(edited, 3, 1, "1.25")
        person.wait()
    person.table(field).horizontalScrollBar().setValue(WIDE // 2)
    person.wait()
    for _ in range(4):
        person.press("Ctrl+Z")
        person.wait()
    person.press("Ctrl+Y")
    person.wait()
    assert person.program.document.problem.arrays()[field].shape == (16, WIDE)
    assert read == []


def test_wide_heads_of_few_numbers_are_wide_all_the_same(launch):
    """X of two columns and its weights are 160,000 numbers, the keys that come of them 640,000."""
    person = launch()
    x, query, key, value = np.random.default_rng(2).standard_normal((4, 16, 2))
    problem = Problem(x=x, w_query=query[:2], w_key=key[:2], w_value=value[:2])
    person.program.document.open(problem, name="narrow")
    person.wait()
    person.size("d_k", WIDE)
    person.wait()
    assert person.program.document.problem.d_k == WIDE
    for stage in ("key", "scores"):
        person.program.view.set(stage=stage)
        person.wait()
    weights = person.find("heatmap.weights").cells.values
    assert weights == pytest.approx(compute(person.program.document.problem)["weights"][0, 0], rel=1e-9)
