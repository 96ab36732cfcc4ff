"""Reach of a chosen cell: it stands out in every map, all else steps back behind a veil."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Plane
from attn_gui.figure.colors import luminance
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.operands import stage_plane
from attn_gui.pictures.planes import FieldPlane
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.map.marks import ReachMarks, reached_areas
from attn_gui.views.map.thumbnail import Thumbnail
from attn_gui.views.theme import apply_theme
from tests.failing import each

ROW = (slice(2, 3), slice(0, 11))


def box(*places):
    return tuple(slice(place, place + 1) if isinstance(place, int) else place for place in places)


def contrast(one: QColor, other: QColor) -> float:
    low, high = sorted(float(luminance(color.rgb())) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


@each("scheme", ["light", "dark"])
@each("side", [20, 4, 2])
def test_what_is_reached_keeps_its_color_and_the_rest_steps_back(qapp, evaluation, shown_map, screen, scheme, side):
    apply_theme(qapp, scheme)
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 1), side, side)
    heatmap.set_shown(replace(heatmap.shown, values=False))
    before = screen(heatmap)
    heatmap.overlay.set_marks(reached=(ROW,))
    after, ground = screen(heatmap), THEMES[scheme].surface
    for row in range(7):
        for column in range(11):
            place = heatmap.cell_rect(row, column).center()
            old, new = before.pixelColor(place), after.pixelColor(place)
            if row == 2:
                assert new == old
            elif row not in (1, 3):  # beside the row runs the line
                assert contrast(new, ground) <= max(contrast(old, ground), 1.01)
                assert contrast(new, ground) < 2.2  # less than any line or letter has
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
        veiled = image.pixelColor(cell.center().x(), heatmap.cell_rect(5, 5).center().y())
        assert contrast(line, veiled) >= 4.5


def test_a_map_of_which_nothing_is_reached_steps_back_as_a_whole(evaluation, shown_map, screen):
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 1))
    before = screen(heatmap)
    heatmap.overlay.set_marks(reached=())
    after = screen(heatmap)
    for row in range(7):
        place = heatmap.cell_rect(row, 3).topLeft()
        assert after.pixelColor(place) != before.pixelColor(place)


def test_the_chosen_cell_stands_out_only_where_it_is_reached(evaluation, shown_map, screen):
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 1))
    ink, rect = THEMES["light"].ink, heatmap.cell_rect(2, 4)
    for areas, stands_out in (((ROW,), True), ((), False)):
        heatmap.set_chosen((2, 4))
        heatmap.overlay.set_marks(reached=areas)
        assert (screen(heatmap).pixelColor(rect.left(), rect.center().y()) == ink) is stands_out


def reach(evaluation, name, *places):
    return ReachMarks(name, box(*places), evaluation.forward({name: [box(*places)]}))


def reached(evaluation, stage, found, head=1):
    return {cell for area in reached_areas(stage_plane(evaluation, stage, 0, head), found) for cell in cells(area)}


def test_behind_a_mask_only_open_cells_are_reached(evaluation):
    found = reach(evaluation, "key", 8, 6)  # a column of head 1; open for queries from 4 on
    allowed = evaluation.allowed(0, 1, slice(0, 7), slice(0, 11))
    assert reached(evaluation, "scores", found) == {(i, 8) for i in range(7)}
    assert reached(evaluation, "masked", found) == {(i, 8) for i in range(4, 7)}
    assert reached(evaluation, "weights", found) == {(i, j) for i in range(4, 7) for j in range(11) if allowed[i, j]}
    assert reached(evaluation, "head_output", found) == {(i, c) for i in range(4, 7) for c in range(2)}
    assert reached(evaluation, "weights", found, head=0) == set()


def test_of_other_heads_and_as_a_transpose(evaluation):
    found = reach(evaluation, "key", 4, 6)
    assert reached_areas(stage_plane(evaluation, "scores", 0, 0), found) == ()
    assert reached_areas(stage_plane(evaluation, "scores", 0, 1), found) == ((slice(0, 7), slice(4, 5)),)
    assert reached_areas(Plane(evaluation, "key", 0, 1, transposed=True), found) == ((slice(1, 2), slice(4, 5)),)
    assert reached_areas(FieldPlane(evaluation, "key", 0), found) == ((slice(4, 5), slice(6, 7)),)
    assert reached_areas(FieldPlane(evaluation, "query", 0), found) == ()


def test_a_map_without_numbers_or_without_a_question_is_left_alone(evaluation, shown_map):
    found = reach(evaluation, "value", 4, 1)
    assert reached_areas(None, found) is None
    assert reached_areas(stage_plane(evaluation, "scores", 0, 0), None) is None
    assert reached_areas(stage_plane(evaluation, "scores", 0, 0), found) == ()
    heatmap = shown_map(stage_plane(evaluation, "scores", 0, 0))
    heatmap.overlay.set_marks(reached=(ROW,))
    heatmap.set_shown(replace(heatmap.shown, plane=stage_plane(evaluation, "value", 0, 0)))  # of another size
    QApplication.processEvents()
    assert heatmap.overlay.marks.reached is None


def cells(area):
    rows, columns = area
    return {(i, j) for i in range(rows.start, rows.stop) for j in range(columns.start, columns.stop)}
