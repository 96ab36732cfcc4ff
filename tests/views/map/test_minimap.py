"""Over the maps: the overview of a zoomed one, and the reach of a chosen cell, which stands out in all."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.minimap import Minimap
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.theme import apply_theme
from tests.failing import each
from tests.views.conftest import contrast, turn_wheel

ROWS, COLUMNS = 23, 29
LEFT = Qt.MouseButton.LeftButton
ROW = (slice(2, 3), slice(0, 11))


@pytest.fixture
def matrix(plane):
    values = np.full((ROWS, COLUMNS), -1.0)
    values[:10, :10] = 1.0
    return plane(values)


@pytest.fixture
def zoomed(shown_map, matrix):
    """A map with the cells around its middle in view, and its minimap."""
    heatmap = shown_map(matrix)
    minimap = Minimap(heatmap)
    heatmap.box.set_window((6, 18, 8, 22))
    QApplication.processEvents()
    return heatmap, minimap


def under(widget, position):
    """What gets the events of the mouse there; it covers the whole widget."""
    return widget.childAt(position) or widget


def drag(minimap, start, *stations):
    widget = under(minimap, start)
    QTest.mousePress(widget, LEFT, pos=start)
    for station in stations:
        QTest.mouseMove(widget, station)
        QApplication.processEvents()
    QTest.mouseRelease(widget, LEFT, pos=stations[-1])


def in_minimap(minimap, row, column):
    """The pixel in the middle of a cell of the whole map."""
    cells = minimap.cells()
    return QPoint(
        cells.left() + int((column + 0.5) * cells.width() / COLUMNS),
        cells.top() + int((row + 0.5) * cells.height() / ROWS),
    )


def middle(window):
    return (window[0] + window[1]) / 2, (window[2] + window[3]) / 2


def test_it_is_there_while_the_map_is_zoomed(shown_map, matrix):
    heatmap = shown_map(matrix)
    minimap = Minimap(heatmap)
    assert not minimap.isVisible()
    turn_wheel(heatmap, heatmap.placement.cells.center(), 360)
    QApplication.processEvents()
    assert minimap.isVisible()
    assert heatmap.placement.cells.contains(minimap.geometry())
    for resized in (heatmap.size() * 0.7, heatmap.size()):
        heatmap.resize(resized)
        corner = heatmap.placement.cells.bottomRight() - minimap.geometry().bottomRight()
        assert 0 < corner.x() == corner.y() < 20
    heatmap.hide()
    heatmap.box.reset()  # while nobody sees it
    heatmap.show()
    assert not minimap.isVisible()
    turn_wheel(heatmap, heatmap.placement.cells.center(), 360)
    assert minimap.isVisible()
    QTest.mouseDClick(heatmap, LEFT, pos=QPoint(30, 30))
    assert not minimap.isVisible()


@each("theme", ["light", "dark"])
def test_it_shows_the_whole_map_with_a_frame_round_what_is_in_view(qapp, zoomed, screen, theme):
    apply_theme(qapp, theme)
    heatmap, minimap = zoomed
    heatmap.overlay.set_marks(row=None, column=None)
    image = screen(minimap)
    for cell in [(7, 9), (7, 15), (17, 21), (16, 9)]:
        assert image.pixelColor(in_minimap(minimap, *cell)) == heatmap.cell_at(*cell)[1]
    outside = {cell: image.pixelColor(in_minimap(minimap, *cell)) for cell in ((1, 1), (1, 28), (22, 1), (22, 28))}
    for cell, color in outside.items():
        assert color != heatmap.cell_at(*cell)[1]  # dimmed
    assert outside[1, 1] != outside[22, 1]  # and yet told apart
    frame, ink = minimap.frame(), THEMES[theme].ink
    for corner in (frame.topLeft(), frame.topRight(), frame.bottomLeft(), frame.bottomRight()):
        assert image.pixelColor(corner) == ink
    across = minimap.cells().width() / COLUMNS
    assert frame.width() == pytest.approx(14 * across, abs=1)
    assert frame.left() - minimap.cells().left() == pytest.approx(8 * across, abs=1)


def test_an_edit_out_of_view_is_seen_in_it(zoomed, matrix, screen):
    minimap = zoomed[1]
    matrix.values[20:, 24:] = 1.0
    minimap.refresh([(slice(20, ROWS), slice(24, COLUMNS))])
    QApplication.processEvents()
    image = screen(minimap)
    edited, same, other = (image.pixelColor(in_minimap(minimap, *cell)) for cell in ((21, 26), (2, 2), (2, 26)))
    assert edited == same
    assert edited != other


def test_a_click_beside_the_frame_goes_there_and_a_double_click_shows_everything(zoomed):
    heatmap, minimap = zoomed
    heatmap.box.set_window((16, 22, 18, 26))
    QTest.mouseClick(under(minimap, QPoint(9, 9)), LEFT, pos=in_minimap(minimap, 6, 7))
    assert middle(heatmap.box.in_view) == pytest.approx((6.5, 7.5), abs=1)
    QTest.mouseDClick(under(minimap, QPoint(9, 9)), LEFT, pos=in_minimap(minimap, 6, 7))
    assert heatmap.box.in_view == (0, ROWS, 0, COLUMNS)


def test_no_press_on_it_is_one_on_the_cell_behind_it(zoomed):
    heatmap, minimap = zoomed
    told = []
    signals = heatmap.gestures.signals
    for signal in (signals.cellChosen, signals.clicked, signals.hovered):
        signal.connect(lambda *cell: told.append(cell))
    for start in (minimap.frame().center(), in_minimap(minimap, 2, 2)):
        QTest.mouseClick(under(minimap, start), LEFT, pos=start)
        drag(minimap, start, start + QPoint(3, 1), start + QPoint(6, 5))
    assert not told


def test_keys_move_what_is_in_view(zoomed):
    heatmap, minimap = zoomed
    minimap.setFocus()
    QTest.keyClick(minimap, Qt.Key.Key_Left)
    QTest.keyClick(minimap, Qt.Key.Key_Down)
    assert heatmap.box.in_view == pytest.approx((9, 21, 4.5, 18.5))
    QTest.keyClick(minimap, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert heatmap.box.in_view == pytest.approx((9, 21, 15, 29))
    QTest.keyClick(minimap, Qt.Key.Key_PageUp)
    assert heatmap.box.in_view == pytest.approx((0, 12, 15, 29))
    QTest.keyClick(minimap, Qt.Key.Key_End)
    assert heatmap.box.in_view == pytest.approx((11, 23, 15, 29))
    QTest.keyClick(minimap, Qt.Key.Key_Home)
    assert heatmap.box.in_view == pytest.approx((0, 12, 0, 14))


@each("window", [(6, 18, 8, 22), (3, 5, 7, 9), (2.5, 4.5, 6.5, 8.5), (0, 3, 0, 29)])
def test_it_never_covers_the_value_of_the_chosen_cell(zoomed, window):
    heatmap, minimap = zoomed
    heatmap.box.set_window(window)
    places = set()
    for row in range(int(window[0]), int(-(-window[1] // 1))):
        for column in range(int(window[2]), int(-(-window[3] // 1))):
            heatmap.set_chosen((row, column))
            heatmap.box.set_window(window)
            minimap.follow()
            cell = heatmap.cell_rect(row, column)
            value = cell.adjusted(cell.width() // 4, cell.height() // 4, -cell.width() // 4, -cell.height() // 4)
            assert minimap.isVisible()
            assert not minimap.geometry().intersects(value)
            places.add(minimap.pos().toTuple())
    assert len(places) > 1


@each("scheme", ["light", "dark"])
@each("side", [20, 4, 2])
def test_what_is_reached_keeps_its_color_and_the_rest_steps_back(qapp, evaluation, shown_map, screen, scheme, side):
    apply_theme(qapp, scheme)
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 1), side, side)
    heatmap.set_shown(replace(heatmap.shown, values=False))
    before = screen(heatmap)
    heatmap.overlay.set_marks(reached=(ROW,))
    after, background = screen(heatmap), THEMES[scheme].surface
    for row in range(7):
        for column in range(11):
            place = heatmap.cell_rect(row, column).center()
            old, new = before.pixelColor(place), after.pixelColor(place)
            if row == 2:
                assert new == old
            elif row not in (1, 3):  # beside the row runs the line
                assert contrast(new, background) <= max(contrast(old, background), 1.01)
                assert contrast(new, background) < 2.2  # less than any line or letter has
    heatmap.overlay.set_marks(reached=None)
    assert screen(heatmap) == before


@each("scheme", ["light", "dark"])
@each("kind", [Heatmap, Thumbnail])
def test_a_line_runs_round_what_is_reached(qapp, evaluation, shown_map, screen, scheme, kind):
    apply_theme(qapp, scheme)
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 1), 4, 4, kind=kind)
    heatmap.overlay.set_marks(reached=(ROW,))
    image, theme = screen(heatmap), THEMES[scheme]
    cell = heatmap.cell_rect(2, 5)
    for y in (cell.top() - 1, cell.bottom() + 1):
        line = image.pixelColor(cell.center().x(), y)
        assert line == theme.ink
        assert contrast(line, image.pixelColor(cell.center().x(), heatmap.cell_rect(5, 5).center().y())) >= 4.5
