"""A map as a person meets it: mouse, keys, focus, marks, and pixels that agree with what it says of its cells."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget

from attn_gui.app.state.settings import set_language
from attn_gui.figure.colors import lut
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.text.number_formats import sentence_number
from attn_gui.views.map.gestures import moved_cell
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.map_drawing import MapState
from attn_gui.views.product.product import ProductPicture
from attn_gui.views.theme import apply_theme
from tests import seen
from tests.failing import each
from tests.views.conftest import turn_wheel

MODIFIER = Qt.KeyboardModifier
NONE, SHIFT, CTRL = MODIFIER.NoModifier, MODIFIER.ShiftModifier, MODIFIER.ControlModifier
KEY = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@each(
    ("key", "modifiers", "expected"),
    [
        (KEY.Key_Right, NONE, (5, 8)), (KEY.Key_Left, NONE, (5, 6)), (KEY.Key_Up, NONE, (4, 7)),
        (KEY.Key_Down, NONE, (6, 7)), (KEY.Key_Right, SHIFT, (5, 17)), (KEY.Key_Down, SHIFT, (12, 7)),
        (KEY.Key_Left, SHIFT, (5, 0)), (KEY.Key_PageUp, NONE, (0, 7)), (KEY.Key_PageDown, NONE, (12, 7)),
        (KEY.Key_Home, NONE, (5, 0)), (KEY.Key_End, NONE, (5, 18)), (KEY.Key_Home, CTRL, (0, 0)),
        (KEY.Key_End, CTRL, (12, 18)), (KEY.Key_A, NONE, None), (KEY.Key_Left, Qt.KeyboardModifier.AltModifier, None),
    ],
)  # fmt: skip
def test_a_key_leads_to_a_cell(key, modifiers, expected):
    assert moved_cell(key, modifiers, (5, 7), (13, 19)) == expected


@pytest.fixture
def values():
    return np.random.default_rng(0).standard_normal((5, 7))


def near(image: QImage, rect, color) -> bool:
    return color in seen.colors_of(image.copy(rect.adjusted(-4, -4, 4, 4) & image.rect()))


def test_a_click_beside_the_cells_or_after_a_drag_chooses_nothing(values, plane, shown_map, qtbot):
    heatmap = shown_map(plane(values))
    with qtbot.assertNotEmitted(heatmap.gestures.signals.cellChosen):
        QTest.mouseClick(heatmap, LEFT, pos=QPoint(1, 1))
        QTest.mousePress(heatmap, LEFT, pos=heatmap.cell_rect(0, 0).center())
        QTest.mouseMove(heatmap, heatmap.cell_rect(2, 4).center())
        QTest.mouseRelease(heatmap, LEFT, pos=heatmap.cell_rect(2, 4).center())


def test_the_zoom_of_the_window_reaches_the_window(values, plane, qtbot):
    class Window(QWidget):
        def __init__(self):
            super().__init__()
            self.wheels = 0

        def wheelEvent(self, event):
            self.wheels += 1

    window = Window()
    qtbot.addWidget(window)
    heatmap = Heatmap(window)
    QVBoxLayout(window).addWidget(heatmap)
    heatmap.set_shown(replace(heatmap.shown, plane=plane(values)))
    window.resize(300, 200)
    window.show()
    there = QPointF(heatmap.mapTo(window, heatmap.cell_rect(2, 3).center()))
    QTest.wheelEvent(window.windowHandle(), there, QPoint(0, 120), QPoint(), Qt.KeyboardModifier.ControlModifier)
    assert window.wheels == 1
    assert heatmap.placement.rows.whole
    QTest.wheelEvent(window.windowHandle(), there, QPoint(0, 120))
    assert window.wheels == 1
    assert not heatmap.placement.rows.whole


def test_the_wheel_zooms_at_the_pointer_and_a_double_click_shows_all(plane, shown_map, screen, colors_of):
    values = np.random.default_rng(0).standard_normal((50, 70))
    heatmap = shown_map(plane(values), 5, 5)
    spot = heatmap.cell_rect(31, 40).center()
    for _ in range(6):
        turn_wheel(heatmap, spot, 120)
    assert not heatmap.placement.rows.whole
    assert heatmap.cell_under(spot) == (31, 40)
    image = screen(heatmap)
    value, color = heatmap.cell_at(31, 40)
    assert value == values[31, 40]
    assert colors_of(heatmap, image, 31, 40) == {color.name()}
    assert heatmap.cell_rect(0, 0).isNull()
    assert heatmap.cell_at(0, 0)[0] == values[0, 0]
    QTest.mouseDClick(heatmap, LEFT, pos=spot)
    assert heatmap.placement.rows.whole
    assert heatmap.placement.columns.whole


def test_zooming_never_leaves_the_matrix_nor_closes_in_on_less_than_two_cells(plane, shown_map):
    heatmap = shown_map(plane(np.zeros((50, 70))), 5, 5)
    for delta in (120, -120):
        for _ in range(80):
            turn_wheel(heatmap, heatmap.placement.cells.topLeft() + QPoint(3, 3), delta)
        top, bottom, left, right = heatmap.box.in_view
        assert 0 <= top < bottom <= 50
        assert 0 <= left < right <= 70
        assert bottom - top >= 2
    assert heatmap.placement.rows.whole


def test_choosing_a_cell_out_of_view_brings_it_into_view(plane, shown_map):
    heatmap = shown_map(plane(np.zeros((50, 70))), 5, 5)
    heatmap.box.set_window((0, 10, 0, 10))
    heatmap.set_chosen((33, 5))
    assert not heatmap.cell_rect(33, 5).isNull()
    assert heatmap.box.in_view == (24, 34, 0, 10)


def test_the_chosen_cell_is_squared_and_described(values, plane, shown_map, screen):
    heatmap = shown_map(plane(values))
    heatmap.set_shown(
        replace(heatmap.shown, row_names=[f"row {i}" for i in range(5)], column_names=[f"<b>{j}</b>" for j in range(7)])
    )
    before = screen(heatmap)
    heatmap.set_chosen((1, 2))
    after, theme = screen(heatmap), THEMES["light"]
    assert near(after, heatmap.cell_rect(1, 2), theme.ink)
    assert not near(before, heatmap.cell_rect(1, 2), theme.ink)
    number = f"{abs(values[1, 2]):.6f}"
    assert heatmap.accessibleDescription().startswith("row 1 → <b>2</b> (1, 2): ")
    assert number in heatmap.accessibleDescription()
    heatmap.set_chosen((99, 2))
    assert heatmap.chosen is None
    assert heatmap.accessibleDescription() == ""
    assert screen(heatmap) == before


def test_a_screen_reader_says_the_chosen_cell_where_the_keyboard_is(values, plane, shown_map, monkeypatch):
    heatmap, said = shown_map(plane(values)), []
    monkeypatch.setattr(QAccessible, "updateAccessibility", said.append)
    heatmap.clearFocus()
    heatmap.set_chosen((1, 2))
    assert said == []  # chosen elsewhere: whoever has the keyboard speaks
    heatmap.setFocus(Qt.FocusReason.TabFocusReason)
    heatmap.gestures.signals.cellChosen.connect(lambda _source, row, column: heatmap.set_chosen((row, column)))
    QTest.keyClick(heatmap, Qt.Key.Key_Right)
    heatmap.set_chosen((1, 3))  # told again, as after an edit elsewhere: nothing new
    assert [event.message() for event in said] == [heatmap.accessibleDescription()]
    assert said[0].message().startswith("(1, 3): ")


@pytest.mark.parametrize(("row", "column", "apart"), [(3, 4, (0, 0)), (0, 0, (3, 4))])
def test_lines_run_along_a_row_and_a_column_in_the_colors_of_their_roles(
    values, plane, shown_map, screen, row, column, apart
):
    heatmap, theme = shown_map(plane(values)), THEMES["light"]
    before = screen(heatmap)
    heatmap.overlay.set_marks(row=row, column=column)
    image = screen(heatmap)
    for other in (0, 6):
        assert near(image, heatmap.cell_rect(row, other), theme.query)
    for other in (0, 4):
        assert near(image, heatmap.cell_rect(other, column), theme.key)
    assert not near(image, heatmap.cell_rect(*apart), theme.query)
    heatmap.overlay.set_marks(row=None, column=3, row_role="key")
    assert not near(screen(heatmap), heatmap.cell_rect(3, 0), theme.query)
    heatmap.overlay.set_marks(row=None, column=None)
    assert screen(heatmap) == before


def test_without_motion_the_outline_stays_until_the_next_action(values, plane, shown_map, still, qtbot):
    heatmap = shown_map(plane(values))
    heatmap.overlay.flash([(slice(2, 3), slice(0, 7))])
    qtbot.wait(50)
    assert heatmap.overlay.strength == 1.0
    heatmap.set_chosen((0, 0))
    assert not heatmap.overlay.marks.edited


def test_a_ring_shows_where_the_keyboard_is_but_not_after_a_click(values, plane, shown_map, screen):
    heatmap, accent = shown_map(plane(values)), THEMES["light"].accent
    corner = heatmap.placement.cells
    heatmap.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not near(screen(heatmap), corner, accent)
    heatmap.clearFocus()
    heatmap.setFocus(Qt.FocusReason.TabFocusReason)
    assert near(screen(heatmap), corner, accent)
    heatmap.clearFocus()
    assert not near(screen(heatmap), corner, accent)


def test_plus_minus_and_0_zoom_at_the_chosen_cell(values, plane, shown_map):
    heatmap = shown_map(plane(values))
    heatmap.set_chosen((2, 2))
    QTest.keyClicks(heatmap, "+")
    top, bottom, left, right = heatmap.box.in_view
    assert (top, left) > (0, 0)
    assert bottom - top < 5
    assert right - left < 7
    assert not heatmap.cell_rect(2, 2).isEmpty()
    QTest.keyClicks(heatmap, "=")
    closer = heatmap.box.in_view
    assert closer[1] - closer[0] < bottom - top
    QTest.keyClicks(heatmap, "-")
    assert heatmap.box.in_view[1] - heatmap.box.in_view[0] > closer[1] - closer[0]
    QTest.keyClicks(heatmap, "0")
    assert heatmap.box.in_view == (0, 5, 0, 7)


@pytest.fixture
def reader():
    """A screen reader that runs."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


def test_a_screen_reader_meets_a_map_as_a_table(qtbot, reader, values, plane):
    host = QWidget()
    qtbot.addWidget(host)
    heatmap = Heatmap(host)
    heatmap.setAccessibleName("Weights")
    heatmap.resize(200, 160)
    heatmap.set_shown(MapState(plane(values), ("it", "was"), ("the", "animal")))
    host.show()
    qtbot.waitExposed(host)
    (table,) = heatmap.findChildren(QTableView)
    told = QAccessible.queryAccessibleInterface(table)
    assert told.role() == QAccessible.Role.Table
    assert told.text(QAccessible.Text.Name) == "Weights"
    parts = [told.child(place) for place in range(told.childCount())]
    assert [part.text(QAccessible.Text.Name) for part in parts[1:8]] == ["the", "animal", "2", "3", "4", "5", "6"]
    assert parts[8].text(QAccessible.Text.Name) == "it"
    assert parts[9].role() == QAccessible.Role.Cell
    assert parts[9].text(QAccessible.Text.Name) == sentence_number(float(values[0, 0]))
    before = heatmap.grab().toImage()
    table.hide()
    assert heatmap.grab().toImage() == before, "it is not seen"
    table.show()
    assert host.childAt(heatmap.geometry().center()) is heatmap, "the mouse goes through it"
    heatmap.setAccessibleName("Scores")  # another stage, another size, another language
    assert told.text(QAccessible.Text.Name) == "Scores"


def test_hovering_tells_the_cell_and_leaving_too(values, plane, shown_map, qtbot):
    heatmap = shown_map(plane(values))
    told = []
    heatmap.gestures.signals.hovered.connect(lambda _source, row, column: told.append((row, column)))
    for cell in ((1, 2), (1, 2), (4, 6)):
        QTest.mouseMove(heatmap, heatmap.cell_rect(*cell).center())
    assert told == [(1, 2), (4, 6)]
    with qtbot.waitSignal(heatmap.gestures.signals.hoverLeft):
        QTest.mouseMove(heatmap, QPoint(1, 1))


def test_the_chosen_cell_is_said_in_the_language_of_now(values, plane, shown_map, qapp):
    allowed = np.ones(values.shape, dtype=bool)
    allowed[1, 2] = False
    heatmap = shown_map(plane(values, allowed))
    heatmap.set_chosen((1, 2))
    before = heatmap.accessibleDescription()
    set_language(qapp, "zh")
    QApplication.processEvents()
    assert "not allowed" in before
    assert "not allowed" not in heatmap.accessibleDescription()
    set_language(qapp, "en")
    QApplication.processEvents()
    assert heatmap.accessibleDescription() == before


def test_the_outline_of_an_edit_fades_by_itself(values, plane, shown_map, screen, qtbot):
    heatmap, theme = shown_map(plane(values)), THEMES["light"]
    before = screen(heatmap)
    heatmap.overlay.flash([(slice(2, 3), slice(0, 7))])
    assert near(screen(heatmap), heatmap.cell_rect(2, 3), theme.edit)
    qtbot.waitUntil(lambda: not heatmap.overlay.marks.edited)
    assert screen(heatmap) == before


def test_another_size_forgets_the_marks_of_the_old_one(values, plane, shown_map):
    heatmap = shown_map(plane(values))
    heatmap.set_chosen((4, 6))
    heatmap.overlay.set_marks(row=4, column=6)
    heatmap.set_shown(replace(heatmap.shown, plane=plane(np.zeros((2, 2)))))
    assert heatmap.chosen is None
    assert heatmap.overlay.marks.row is None
    heatmap.set_shown(replace(heatmap.shown, plane=None))
    assert heatmap.shape == (0, 0)


def test_tokens_are_read_out_as_their_words(evaluation, qtbot):
    picture = ProductPicture()
    qtbot.addWidget(picture)
    picture.set_evaluation(evaluation, 0, 1)
    picture.set_tokens(["Ġit", *"abcdef"], ["▁tired", *"ghijklmnop"])
    picture.set_chosen(("scores", 0, 0))
    assert picture.maps.map("scores").accessibleDescription().startswith("it → tired (0, 0): ")


@each("scheme", ["light", "dark"])
def test_every_cell_has_the_color_of_its_value(qapp, values, plane, shown_map, screen, colors_of, scheme):
    apply_theme(qapp, scheme)
    heatmap = shown_map(plane(values))
    image, largest = screen(heatmap), np.abs(values).max()
    table = lut("signed", scheme)
    for (row, column), value in np.ndenumerate(values):
        exact, color = heatmap.cell_at(row, column)
        assert exact == value
        assert colors_of(heatmap, image, row, column) == {color.name()}
        assert color.rgb() == int(table[int((value + largest) / (2 * largest) * 511 + 0.5)])


@each(("rows", "columns"), [(400, 3), (3, 400), (333, 211), (90, 90)])
def test_pooled_maps_answer_for_every_cell_what_they_show(plane, shown_map, screen, rows, columns):
    values = np.random.default_rng(1).standard_normal((rows, columns))
    heatmap = shown_map(plane(values), 1, 1)
    heatmap.resize(70 + 2 * heatmap.margin, 83 + 2 * heatmap.margin)
    image = screen(heatmap)
    for row, column in np.random.default_rng(2).integers(0, (rows, columns), (60, 2)).tolist():
        value, color = heatmap.cell_at(row, column)
        assert value == values[row, column]
        assert image.pixelColor(heatmap.cell_rect(row, column).center()) == color


def test_a_refresh_redraws_its_cells_and_no_other(values, plane, shown_map, screen, colors_of):
    shown = plane(values.copy())
    heatmap = shown_map(shown)
    before = screen(heatmap)
    shown.values[...] = -values  # only what is refreshed may show it
    shown.asked = 0
    heatmap.refresh(slice(2, 3), slice(4, 6))
    QApplication.processEvents()
    after = screen(heatmap)
    assert shown.asked <= 2
    for row in range(5):
        for column in range(7):
            changed = colors_of(heatmap, before, row, column) != colors_of(heatmap, after, row, column)
            assert changed == (row == 2 and column in (4, 5)), (row, column)


def test_a_refresh_of_a_pooled_map_asks_for_the_band_it_touches_only(plane, shown_map, screen):
    shown = plane(np.zeros((500, 500)))
    heatmap = shown_map(shown, 1, 1)
    heatmap.resize(100 + 2 * heatmap.margin, 100 + 2 * heatmap.margin)
    screen(heatmap)
    shown.values[123] = np.linspace(-1, 1, 500)
    shown.asked = 0
    heatmap.refresh(slice(123, 124), slice(0, 500))
    assert shown.asked == 5 * 500
    assert screen(heatmap).pixelColor(heatmap.cell_rect(123, 499).center()) == heatmap.cell_at(123, 499)[1]


def test_values_are_written_where_they_fit_and_left_out_where_not(values, plane, shown_map, screen, colors_of):
    roomy, tight = shown_map(plane(values), 40, 30), shown_map(plane(values), 40, 10)
    for heatmap in (roomy, tight):
        assert len(colors_of(heatmap, screen(heatmap), 2, 2)) == 1
        heatmap.set_shown(replace(heatmap.shown, values=True))
    assert len(colors_of(roomy, screen(roomy), 2, 2)) > 1
    assert len(colors_of(tight, screen(tight), 2, 2)) == 1


def test_palette_and_theme_recolor_what_is_shown(qapp, values, plane, shown_map, screen, colors_of):
    heatmap = shown_map(plane(values))
    heatmap.set_shown(replace(heatmap.shown, color_scale=replace(heatmap.shown.color_scale, palette="viridis")))
    color = heatmap.cell_at(1, 1)[1]
    assert colors_of(heatmap, screen(heatmap), 1, 1) == {color.name()}
    heatmap.set_shown(replace(heatmap.shown, color_scale=replace(heatmap.shown.color_scale, palette=None)))
    apply_theme(qapp, "dark")
    other = heatmap.cell_at(1, 1)[1]
    assert other != color
    assert colors_of(heatmap, screen(heatmap), 1, 1) == {other.name()}
