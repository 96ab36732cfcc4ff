"""A map too long to be read as a whole: zoomed and moved with the mouse, until every cell says its exact number."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Problem
from attn_gui.figure.colors import TYPED, ColorScale
from attn_gui.formats import save
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.product import map_labels

N, D, HEADS = 1031, 5, 2
LEFT = Qt.MouseButton.LeftButton


class Numbers:
    """A matrix that NumPy has computed in one go."""

    def __init__(self, values, signed):
        self.values, self.signed, self.shape = values, signed, values.shape

    def block(self, rows, columns):
        return self.values[rows, columns], None


@pytest.fixture
def problem():
    rng = np.random.default_rng(31)
    matrices = {name: rng.standard_normal((N, HEADS * D)) for name in ("query", "key", "value")}
    return Problem(
        **matrices, num_heads=HEADS, query_tokens=[f"q{i}" for i in range(N)], key_tokens=[f"k{j}" for j in range(N)]
    )


@pytest.fixture
def person(launch, problem, tmp_path):
    save(problem, tmp_path / "long.npz")
    person = launch(tmp_path / "long.npz")
    person.wait()
    return person


def anew(person, about):
    """The same, all of it in view again."""
    print(about)
    person.find("heatmap.weights").box.set_window((0, N, 0, N))


@pytest.fixture
def expected(problem):
    """The weights of head 0 in one formula."""
    weights = np.exp(problem.query[:, :D] @ problem.key[:, :D].T / np.sqrt(D))
    return weights / weights.sum(axis=1, keepdims=True)


def zoom_to_numbers(person, heatmap):
    """Turn the wheel until few cells are in view."""
    while heatmap.box.in_view[1] - heatmap.box.in_view[0] > 4:
        person.turn_wheel(heatmap, 2, heatmap.placement.cells.center() + QPoint(40, 25))
        QApplication.processEvents()


def drag(heatmap, way):
    start = heatmap.placement.cells.center()
    QTest.mousePress(heatmap, LEFT, pos=start)
    for part in (0.5, 1.0):
        QTest.mouseMove(heatmap, start + way * part)
    QTest.mouseRelease(heatmap, LEFT, pos=start + way)
    QApplication.sendEvent(heatmap, QEvent(QEvent.Type.Leave))
    QApplication.processEvents()


def cells_of(heatmap):
    """The pixels of the cells."""
    return heatmap.grab(heatmap.placement.cells).toImage().convertToFormat(QImage.Format.Format_RGB32)


@pytest.fixture
def words(monkeypatch):
    """The labels that are painted: text and place."""
    painted = []
    paint = map_labels._paint_label

    def listen(painter, label, chosen, place, *rest):
        painted.append((label, painter.combinedTransform().mapRect(place)))
        paint(painter, label, chosen, place, *rest)

    monkeypatch.setattr(map_labels, "_paint_label", listen)
    return painted


def test_a_zoomed_map_is_numpys_moved_exported_overlooked_and_shown_beside_others(person, words, qtbot, expected):
    heatmap, product = person.find("heatmap.weights"), person.window.product
    zoom_to_numbers(person, heatmap)
    for way in (QPoint(-90, -70), QPoint(45, 20)):
        words.clear()
        drag(heatmap, way)
        top, bottom, left, right = heatmap.box.in_view
        whole_rows = range(int(np.ceil(top)), int(bottom))
        whole_columns = range(int(np.ceil(left)), int(right))
        places = {label: place for label, place in words if label[0] in "qk"}
        for row in whole_rows:
            cell = heatmap.cell_rect(row, whole_columns[0]).translated(heatmap.mapTo(product, QPoint()))
            assert places[f"q{row}"].center().y() == pytest.approx(cell.center().y(), abs=1.5)
        for column in whole_columns:
            cell = heatmap.cell_rect(whole_rows[0], column).translated(heatmap.mapTo(product, QPoint()))
            assert places[f"k{column}"].center().x() == pytest.approx(cell.center().x(), abs=1.5)

    anew(person, "what is exported is the same zoomed or not")
    heatmap, clipboard = person.find("heatmap.weights"), QGuiApplication.clipboard()

    def copied():
        clipboard.clear()
        person.do("copy_image")
        qtbot.waitUntil(lambda: not clipboard.image().isNull())
        return clipboard.image()

    heatmap.setFocus()
    before = copied()
    zoom_to_numbers(person, heatmap)
    assert person.window.product.maps.minimap("weights").isVisible()
    assert copied() == before

    anew(person, "from the map tab leads to its overview which speaks the language of the window")
    heatmap, minimap = person.find("heatmap.weights"), person.window.product.maps.minimap("weights")
    heatmap.setFocus()
    person.press("Tab")
    assert not minimap.hasFocus()
    heatmap.setFocus()
    person.press("+", "+", "+", "Tab")
    assert minimap.hasFocus()
    before = heatmap.box.in_view
    person.press("Left")
    assert heatmap.box.in_view[2] < before[2]
    assert minimap.accessibleName() == "Overview of Weights"
    person.do("language_zh")
    QApplication.processEvents()
    assert "Overview" not in minimap.accessibleName()
    assert "Drag" not in minimap.toolTip()
    person.do("language_en")
    person.press("0")
    assert not minimap.isVisible()
    assert heatmap.hasFocus()

    anew(person, "the frame of the overview is dragged to other cells")
    heatmap, minimap = person.find("heatmap.weights"), person.window.product.maps.minimap("weights")
    zoom_to_numbers(person, heatmap)
    heatmap.box.set_window((100, 400, 100, 400))
    before, at = heatmap.box.in_view, minimap.mapTo(person.window, minimap.frame().center())
    place, target = minimap.geometry(), person.window.childAt(at)
    assert minimap.isAncestorOf(target)
    start = target.mapFrom(person.window, at)
    QTest.mousePress(target, LEFT, pos=start)
    for step in range(1, 9):
        QTest.mouseMove(target, start + QPoint(3, 2) * step)
        QApplication.processEvents()
    QTest.mouseRelease(target, LEFT, pos=start + QPoint(24, 16))
    cells, after = minimap.cells(), heatmap.box.in_view
    assert after[2] - before[2] == pytest.approx(24 * N / cells.width(), rel=0.01)
    assert after[0] - before[0] == pytest.approx(16 * N / cells.height(), rel=0.01)
    assert after[1] - after[0] == pytest.approx(300)
    assert minimap.geometry() == place
    assert person.find("operand.left").box.in_view[:2] == after[:2]

    anew(person, "all stages show the same cells while one is zoomed and moved")
    person.do("all_stages")
    stages = [person.find(f"heatmap.{stage}") for stage in ("scores", "scaled", "weights")]
    query = person.find("heatmap.query")
    whole = query.box.in_view
    first, *others = stages
    person.turn_wheel(first, 6, first.placement.cells.center())
    QApplication.processEvents()
    zoomed = first.box.in_view
    assert zoomed[1] - zoomed[0] < N
    assert [heatmap.box.in_view for heatmap in others] == [zoomed, zoomed]
    drag(others[0], QPoint(-30, 20))
    moved = others[0].box.in_view
    assert moved != zoomed
    assert [heatmap.box.in_view for heatmap in stages] == [moved] * 3
    assert query.box.in_view == whole
    QTest.mouseDClick(first, LEFT, pos=first.placement.cells.center())
    assert [heatmap.box.in_view for heatmap in stages] == [(0, N, 0, N)] * 3

    anew(person, "close up every cell is that of NumPy in color and number")
    stage = "weights"
    person.do("product")
    heatmap = person.find(f"heatmap.{stage}")
    zoom_to_numbers(person, heatmap)
    drag(heatmap, QPoint(-90, -70))
    drag(heatmap, QPoint(30, 50))
    person.program.window.product.maps.minimap(stage).hide()  # it lies over some cells
    QApplication.processEvents()

    same = Heatmap()
    qtbot.addWidget(same)
    same.resize(heatmap.size())
    same.set_shown(replace(same.shown, plane=Numbers(expected, signed=False)))
    same.set_shown(replace(same.shown, color_scale=ColorScale(TYPED, heatmap.levels)))
    same.set_shown(replace(same.shown, values=True))
    same.box.set_window(heatmap.box.in_view)
    same.show()
    assert cells_of(heatmap) == cells_of(same)
    same.set_shown(replace(same.shown, values=False))
    assert cells_of(heatmap) != cells_of(same)  # there are numbers in the cells
