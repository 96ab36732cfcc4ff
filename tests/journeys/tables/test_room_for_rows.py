"""Rows of the tables in sight, and windows that keep to the size of a small screen."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.engine import new_problem
from attn_gui.formats import save

SCREENS = [(1440, 900), (1366, 700), (1024, 700)]


def shown_rows(person) -> dict[str, int]:
    """Whole rows in sight of every table in sight."""
    panels = person.program.window.inputs.panels
    return {
        field: min(panel.view.visible_rows(), panel.view.model().rowCount())
        for field, panel in panels.items()
        if panel.isVisible()
    }


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_rows_are_in_sight_and_the_window_fits_a_small_screen(launch, lang):
    person = launch("smollm2-layer10.npz", lang, 1440, 900)
    person.window.resize(1024, 700)
    QApplication.processEvents()
    assert (person.window.width(), person.window.height()) == (1024, 700)

    person.again("small tables stand above one another on a low screen", "worked-example.npz")  # two rows each
    person.window.resize(1366, 700)
    person.until(lambda: shown_rows(person) == {"query": 2, "key": 2, "value": 2})

    six = new_problem("direct", n=6, m=6, num_heads=2, d_k=4, d_v=4, fill="integers", seed=1)
    person.again("six rows are in sight", six)
    for size in ((1366, 700), *SCREENS, (1366, 700)):  # the tables share the column again where there is room
        person.window.resize(*size)
        person.until(lambda size=size: [*shown_rows(person).values()] == [6] * (3 if size == (1440, 900) else 1))
        assert (person.window.width(), person.window.height()) == size
    for zoom in (1.0, 1.25, 1.5):
        while person.program.appearance.zoom < zoom:
            person.do("zoom_in")
        person.window.resize(1024, 700)
        QTest.qWait(80)
        assert (person.window.width(), person.window.height()) == (1024, 700), zoom
        assert min(shown_rows(person).values()) >= (6 if zoom == 1 else 1), zoom


def test_a_single_column_keeps_its_width_when_the_table_begins_to_scroll(launch, tmp_path):
    save(new_problem("direct", n=2, m=9, d_k=3, d_v=1, fill="random"), tmp_path / "one.npz")
    person = launch(tmp_path / "one.npz", width=1366, height=1000)
    person.wait()
    table = person.table("value")
    width = table.columnWidth(0)
    person.window.resize(1366, 700)
    for _ in range(5):
        QApplication.processEvents()
    assert table.verticalScrollBar().isVisible()
    assert table.columnWidth(0) == width
    assert table.viewport().width() >= width
