"""Gradients of a cell and of a row beside the maps, with finite differences, in the window and in files."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox

from attn_gui import render
from attn_gui.engine import Problem, compute, sensitivity


def settled(person):
    """What the page shows once it is there."""
    person.wait()
    end = time.monotonic() + 120
    QTest.qWait(1)  # the edit is painted first
    while person.program.late.pages.busy:
        assert time.monotonic() < end, "it does not come"
        QApplication.processEvents()
    return person.find("page.gradient_maps").content


def by_name(shown):
    return {one.name: one.cells for one in shown.maps}


def choose_and_open(person):
    person.click_cell("weights", 1, 0)
    person.do("gradient_maps")


@pytest.fixture
def person(launch):
    return launch("worked-example.npz").beginning(choose_and_open)


def test_it_shows_the_gradient_of_the_chosen_cell_and_follows_an_edit_and_a_click(person):
    for value in (None, "7"):
        if value is not None:
            person.type_into("query", 1, 2, value)
        shown, trace = settled(person), compute(person.program.document.snapshot())
        exact, a = sensitivity(trace, "weights", (0, 0, 1, 0)), trace["weights"][0, 0, 1]
        assert shown.name == "A[1, 0]"
        assert by_name(shown)["key"].tolist() == exact["key"].tolist()
        assert by_name(shown)["query"][0].tolist() == exact["query"][1].tolist()
        assert by_name(shown)["scaled"][0] == pytest.approx([a[0] * (1 - a[0]), -a[0] * a[1]], abs=1e-16)
        for one in shown.checked:
            assert one.exact == exact[one.field][one.index]
            assert one.by_difference == pytest.approx(one.exact, rel=1e-7)

    person.again("a click on a gradient chooses the cell that it is by")
    shown = settled(person)
    number = [one.name for one in shown.maps].index("key")
    canvas = person.find("page.gradient_maps").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(number, 1, 2).toPoint())
    assert person.program.view.look.cell[:3] == ("key", 1, 2)
    assert settled(person).name == "K[1, 2]"

    person.again("a row has no gradient in sum and one weighted by itself")
    settled(person)
    person.choose(person.find("page.gradient_maps.of", QComboBox), "sum")
    shown = settled(person)
    assert shown.value == pytest.approx(1.0)  # weights add up to one, whatever the numbers are
    assert max((abs(one.exact) for one in shown.checked), default=0.0) < 1e-15
    person.choose(person.find("page.gradient_maps.of", QComboBox), "weighted")
    person.choose(person.find("page.gradient_maps.by", QComboBox), "tables")
    shown, trace = settled(person), compute(person.program.document.snapshot())
    cotangent = np.zeros((1, 1, 2, 2))
    cotangent[0, 0, 1] = trace["weights"][0, 0, 1]
    exact = sensitivity(trace, "weights", cotangent=cotangent)
    assert shown.value == pytest.approx((trace["weights"][0, 0, 1] ** 2).sum() / 2)
    for field in ("query", "key", "value"):
        assert by_name(shown)[field].tolist() == exact[field].tolist()
    assert "V" in person.find("page.gradient_maps").canvas.accessibleDescription().split("does not change with")[1]


def test_the_columns_of_the_head_on_show_are_shown(launch):
    person = launch("minilm-layer2.npz")
    person.click_cell("head_output" if person.find("heatmap.head_output").isVisible() else "weights", 10, 3)
    person.do("gradient_maps")
    shown, look = settled(person), person.program.view.look
    exact = sensitivity(compute(person.program.document.snapshot()), look.cell.stage, (0, look.head, 10, 3))
    mine = slice(32 * look.head, 32 * look.head + 32)
    assert by_name(shown)["key"] == pytest.approx(exact["key"][:, mine], abs=1e-12)
    assert np.abs(np.delete(exact["key"], np.r_[mine], axis=1)).max() == 0


def test_tiny_gradients_are_written_with_their_power_of_ten_and_long_maps_in_blocks(tmp_path):
    random = np.random.default_rng(4).standard_normal
    problem = Problem(**{name: 3 * random((3000, 16)) for name in ("query", "key", "value")})
    render(problem, tmp_path / "a.svg", picture="gradient_maps", cell=(1500, 3), set={"by": "tables"})
    texts = [element.text for element in ElementTree.parse(tmp_path / "a.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "Of each block of a large map the gradient of largest magnitude." in " ".join(texts)
    assert any("e−" in text for text in texts)
