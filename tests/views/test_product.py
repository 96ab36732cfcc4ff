"""The product picture and all stages: what stands where, what a chosen cell marks, and no pixel that is left behind."""

import itertools
import random

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.figure.design_tokens import SPACING, THEMES
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.names import AxisNames
from attn_gui.views.product.all_stages import AllStages
from attn_gui.views.product.map_labels import LEVEL, UPRIGHT, label_width
from attn_gui.views.product.product import ProductPicture
from attn_gui.views.product.product_layout import (
    TALLEST_COLUMN_LABEL,
    WIDEST_ROW_LABEL_COMPACT,
    ProductNeeds,
    label_font,
    lay_out,
)
from attn_gui.views.theme import apply_theme
from tests.failing import each, examples
from tests.seen import colors_of
from tests.views.conftest import on_screen, turn_wheel

N, M, D_K, D_V = 7, 11, 5, 2
SQUARES = ("scores", "scaled", "masked", "weights")
LARGE_TYPE = {"least_side": 160, "least_top": 128, "gap": 36, "padding": 24, "row_labels": 122, "bars": 72}
LARGE_TYPE |= {"comfortable_cell": 36, "largest_cell": 128}

HEADS, LEFT = 2, Qt.MouseButton.LeftButton


@pytest.fixture
def pictured(qtbot):
    """A picture of an evaluation, on show."""

    def make(evaluation, size=(775, 595), head=0):
        product, problem = ProductPicture(), evaluation.problem
        qtbot.addWidget(product)
        product.resize(*size)
        product.set_evaluation(evaluation, 0, head)
        product.set_tokens(problem.query_tokens, problem.key_tokens)
        product.show()
        QApplication.processEvents()
        return product

    return make


@pytest.fixture
def picture(pictured, evaluation):
    return pictured(evaluation, head=1)


@pytest.fixture
def projected():
    shapes = {
        "x": (3, 5),
        "context": (4, 5),
        "w_query": (5, 6),
        "w_key": (5, 6),
        "w_value": (5, 14),
        "w_output": (14, 11),
    }
    normal = np.random.default_rng(4).standard_normal
    return DenseEvaluation(Problem(**{name: normal(shape) for name, shape in shapes.items()}, num_heads=2))


def random_problem(seed, n, m, width, **fields):
    rng = np.random.default_rng(seed)
    return DenseEvaluation(
        Problem(query=rng.random((n, width)), key=rng.random((m, width)), value=rng.random((m, width)), **fields)
    )


def in_picture(product, heatmap, row, column):
    """The pixels of a cell in the coordinates of the picture."""
    return heatmap.cell_rect(row, column).translated(heatmap.mapTo(product, heatmap.rect().topLeft()))


def near(image, rect, color):
    return color in colors_of(image.copy(rect))


@each("stage", SQUARES)
@each(("size", "compact"), [((775, 595), False), ((523, 461), True)], one_of=2)
def test_rows_and_columns_meet_to_the_pixel(picture, stage, size, compact):
    picture.set_compact(compact)
    picture.resize(*size)
    picture.set_stage(stage)
    stage_map, maps = picture.stage_map(), picture.operands.shown
    assert set(maps) == {"left", "top", "factor", "result"}
    for row in range(N):
        cell = in_picture(picture, stage_map, row, 0)
        for place in ("left", "result"):
            other = in_picture(picture, maps[place], row, 0)
            assert (other.top(), other.height()) == (cell.top(), cell.height())
    for column in range(M):
        cell, above = in_picture(picture, stage_map, 0, column), in_picture(picture, maps["top"], 0, column)
        assert (above.left(), above.width()) == (cell.left(), cell.width())
    for column in range(D_V):
        value, result = in_picture(picture, maps["factor"], 0, column), in_picture(picture, maps["result"], 0, column)
        assert (value.left(), value.width()) == (result.left(), result.width())
    sizes = {stage_map.cell_rect(row, column).size().toTuple() for row in range(N) for column in range(M)}
    assert len(sizes) == 1  # whole pixels, all the same
    for heatmap in (stage_map, *maps.values()):
        assert picture.rect().contains(heatmap.geometry())


def test_the_operands_hold_the_matrices_of_the_head(picture, evaluation):
    maps, problem = picture.operands.shown, evaluation.problem
    shapes = {"left": (N, D_K), "top": (D_K, M), "factor": (M, D_V), "result": (N, D_V)}
    assert {place: maps[place].shape for place in shapes} == shapes
    assert maps["left"].cell_at(3, 4)[0] == problem.query[3, 1 * D_K + 4]
    assert maps["top"].cell_at(4, 10)[0] == problem.key[10, 1 * D_K + 4]
    assert maps["factor"].cell_at(10, 1)[0] == problem.value[10, 1 * D_V + 1]
    assert maps["result"].cell_at(6, 1)[0] == evaluation.block("head_output", 0, 1, slice(6, 7), slice(1, 2))[0, 0]


def test_projected_stages_stand_between_their_factors(picture, projected):
    expected = {
        "query": ({"left": (3, 5), "top": (5, 3)}, (3, 3)),
        "key": ({"left": (4, 5), "top": (5, 3)}, (4, 3)),
        "value": ({"left": (4, 5), "top": (5, 7)}, (4, 7)),
        "head_output": ({"left": (3, 4), "top": (4, 7)}, (3, 7)),
        "output": ({"left": (3, 14), "top": (14, 11)}, (3, 11)),
        "concat": ({}, (3, 14)),
    }
    picture.set_evaluation(projected, 0, 1)
    for stage, (operands, shape) in expected.items():
        picture.set_stage(stage)
        assert {place: heatmap.shape for place, heatmap in picture.operands.shown.items()} == operands
        assert picture.stage_map().shape == shape
    picture.set_stage("query")
    problem = projected.problem
    assert picture.operands.shown["left"].cell_at(2, 4)[0] == problem.x[2, 4]
    assert picture.operands.shown["top"].cell_at(4, 2)[0] == problem.w_query[4, 3 + 2]


def test_a_weight_marks_q_k_v_and_o_and_a_score_only_q_and_k(picture):
    def marks(place):
        return picture.operands.maps[place].overlay.marks

    picture.set_chosen(("weights", 3, 6))
    assert picture.stage_map().chosen == (3, 6)
    for place, expected in {"left": (3, "query"), "factor": (6, "key"), "result": (3, "query")}.items():
        assert (marks(place).row, marks(place).row_role) == expected, place
    assert (marks("top").column, marks("top").column_role) == (6, "key")
    picture.set_stage("scaled")
    picture.set_chosen(("scaled", 2, 5))
    assert (marks("left").row, marks("top").column) == (2, 5)
    assert (marks("factor").row, marks("result").row) == (None, None)
    picture.set_stage("head_output")
    picture.set_chosen(("head_output", 2, 1))
    assert (marks("left").row, marks("top").column) == (2, 1)
    picture.set_chosen(None)
    assert all(heatmap.overlay.marks.row is None for heatmap in picture.operands.maps.values())


@each("scheme", ["light", "dark"])
def test_the_lines_run_through_the_gaps(qapp, picture, screen, scheme):
    apply_theme(qapp, scheme)
    theme = THEMES[scheme]
    picture.set_chosen(("weights", 3, 6))
    image, places = screen(picture), picture.places
    row, column = in_picture(picture, picture.stage_map(), 3, 0), in_picture(picture, picture.stage_map(), 0, 6)
    beside = row.adjusted(-8, 0, 0, 0)
    beside.setWidth(4)
    assert near(image, beside, theme.query)
    above = column.adjusted(0, -8, 0, 0)
    above.setHeight(4)
    assert near(image, above, theme.key)
    after = row.translated(places.stage.right() + 5 - row.left(), 0)
    after.setWidth(4)
    assert near(image, after, theme.query)
    picture.set_chosen(None)
    assert not near(screen(picture), beside, theme.query)


def test_tokens_stand_at_rows_and_columns_and_the_chosen_ones_as_chips(picture, screen):
    theme, place = THEMES["light"], picture.places.left
    plain, first = screen(picture), in_picture(picture, picture.stage_map(), 0, 0)
    label = plain.copy(12, first.top(), place.left() - 12 - 8, first.height())
    assert len(colors_of(label)) > 2
    assert len(colors_of(plain.copy(label.rect().translated(12, first.top() - label.height() - 3)))) > 1
    assert len(colors_of(plain.copy(12, first.top() - 3, label.width(), 3))) == 1, "the name of the axis is above them"
    picture.set_chosen(("weights", 3, 6))
    image, cell = screen(picture), in_picture(picture, picture.stage_map(), 3, 0)
    chip = cell.translated(place.left() - 12 - cell.left(), 0)
    chip.setWidth(6)
    assert near(image, chip, theme.query_soft)
    assert not near(plain, chip, theme.query_soft)


def longest_run(line):
    return max(len(list(run)) if dark else 0 for dark, run in itertools.groupby(line))


@each("token", ["一", "一一", "一一一"])
def test_chinese_over_columns_stands_upright_however_narrow_they_are(pictured, screen, token):
    names = [token] * 32
    product = pictured(random_problem(2, 32, 32, 8, query_tokens=names, key_tokens=names), (700, 540))
    image, top = screen(product), product.places.top
    above = image.copy(top.left() - 8, 0, top.width(), top.top() - 1)
    pixels = [[above.pixelColor(x, y).lightness() < 160 for x in range(above.width())] for y in range(above.height())]
    across, down = (max(map(longest_run, lines)) for lines in (pixels, zip(*pixels, strict=True)))
    assert across > 2 * down, "the stroke of 一 lies, as it is written"


def test_an_edit_redraws_and_outlines_what_it_reaches(picture, evaluation, screen):
    weights, before = picture.stage_map(), screen(picture)
    query = np.array(evaluation.problem.query)
    query[4, D_K] = 40.0
    changed = {"query": [(slice(4, 5), slice(D_K, D_K + 1))]}
    picture.refresh(evaluation.update(evaluation.problem.replace(query=query), changed))
    QApplication.processEvents()
    assert weights.overlay.marks.edited == ((slice(4, 5), slice(0, M)),)
    assert picture.operands.shown["left"].overlay.marks.edited == ((slice(4, 5), slice(0, 1)),)
    for heatmap in (weights, *picture.operands.shown.values()):
        heatmap.overlay.clear_flash()
    after = screen(picture)
    for row in range(N):
        rect = in_picture(picture, weights, row, 0)
        strip = rect.united(in_picture(picture, weights, row, M - 1)).adjusted(0, 3, 0, -3)
        assert (before.copy(strip) != after.copy(strip)) == (row == 4)
    assert weights.cell_at(4, 0)[0] == evaluation.block("weights", 0, 1, slice(4, 5), slice(0, 1))[0, 0]


def test_zooming_the_stage_takes_its_neighbours_along(picture):
    maps = picture.operands.shown
    picture.stage_map().box.set_window((1, 5, 2, 8))
    assert maps["left"].box.in_view == (1, 5, 0, D_K)
    assert maps["result"].box.in_view == (1, 5, 0, D_V)
    assert maps["top"].box.in_view == (0, D_K, 2, 8)
    maps["left"].box.set_window((2, 6, 1, 4))
    assert picture.stage_map().box.in_view == (2, 6, 2, 8)
    picture.stage_map().box.reset()
    assert maps["left"].placement.rows.whole


def test_the_keyboard_goes_on_to_the_stage_that_is_shown(picture):
    picture.window().activateWindow()
    picture.stage_map().setFocus()
    picture.set_stage("scores")
    assert picture.stage_map().hasFocus()
    operand = picture.operands.shown["left"]
    operand.setFocus()
    picture.set_stage("weights")
    assert operand.hasFocus()


def test_going_through_the_stages_leaves_every_map_as_it_was(picture, projected):
    picture.set_evaluation(projected, 0, 0)
    for stage in (*projected.stages, *reversed(projected.stages)):
        picture.set_stage(stage)
        for heatmap in (picture.stage_map(), *picture.operands.shown.values()):
            assert heatmap.box.in_view == heatmap.box.home
    picture.set_stage("weights")
    picture.stage_map().box.set_window((0, 2, 1, 3))
    picture.set_stage("query")
    picture.set_stage("weights")
    assert picture.stage_map().box.in_view == (0, 2, 1, 3)  # a zoom waits for its stage
    assert picture.operands.shown["left"].box.in_view[:2] == (0, 2)
    assert picture.operands.shown["top"].box.in_view[2:] == (1, 3)


def test_a_stage_that_another_document_has_not_got_leaves_nothing_behind(picture, evaluation):
    """The color bar of a block's last step lay over the weights of the next lesson."""
    picture.set_stage("masked")
    picture.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 0, "weights")
    shown = {widget for kind in (Heatmap, ColorBar) for widget in picture.findChildren(kind) if widget.isVisible()}
    operands = picture.operands
    parts = [picture.stage_map(), picture.maps.bar("weights"), *operands.shown.values(), *operands.shown_bars.values()]
    assert shown == {*parts}


def test_clicks_tell_the_stage_also_in_the_operands(picture, qtbot):
    maps = picture.operands.shown
    for heatmap, cell, told in (
        (picture.stage_map(), (2, 9), ["weights", 2, 9]),
        (maps["left"], (6, 4), ["query", 6, 4]),
        (maps["top"], (4, 10), ["key", 10, 4]),
        (maps["result"], (5, 1), ["head_output", 5, 1]),
    ):
        with qtbot.waitSignal(picture.maps.cellChosen) as chosen:
            QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(*cell).center())
        assert chosen.args == told
    picture.set_chosen(("key", 10, 4))
    assert maps["top"].chosen == (4, 10)


def test_tab_goes_from_the_stage_to_its_operands_and_bars(picture):
    shown = [picture.stage_map(), *picture.operands.shown.values()]
    picture.stage_map().setFocus(Qt.FocusReason.TabFocusReason)
    for heatmap in shown:
        assert heatmap.hasFocus()
        assert heatmap.accessibleName()
        QTest.keyClick(heatmap, Qt.Key.Key_Tab)
    assert picture.maps.bar("weights").hasFocus()


@each("size", [(0, 0), (40, 30), (200, 160), (700, 500)])
@each("shape", [(1, 1), (5, 1), (1, 7), (3, 300), (300, 3), (4096, 4096)])
def test_there_is_always_a_cell_to_show(size, shape):
    rows, columns = shape
    places = lay_out(ProductNeeds(rows, columns, 32, 32, factor_rows=columns, result_columns=16), *size)
    assert min(places.stage.width(), places.stage.height()) >= 1
    assert 1 <= places.rows <= rows
    assert 1 <= places.columns <= columns


@pytest.mark.parametrize(("width", "columns"), [(720, 32), (600, 20)])
def test_operands_have_room_for_numbers_where_the_stage_keeps_room_for_its_own(width, columns):
    needs = ProductNeeds(
        8, 8, left_columns=4, top_rows=4, factor_rows=8, result_columns=4, readable_operand=32, still_large=44
    )
    places = lay_out(needs, width, 660)
    assert (places.left.width() // 4, places.result.width() // 4) == (columns, columns)
    assert places.row_height >= 44


def test_large_type_pushes_no_map_of_a_long_sequence_out_of_the_picture():
    needs = ProductNeeds(512, 512, left_columns=32, top_rows=32, factor_rows=512, result_columns=32, **LARGE_TYPE)
    places = lay_out(needs, 684, 660)
    assert places.rows == places.columns == 512
    assert places.stage.width() == places.stage.height() >= 160
    for place in (places.left, places.top, places.factor, places.result):
        assert min(place.width(), place.height()) >= 90
    assert max(places.result.right(), places.factor.right()) < 684 - 24
    assert places.stage.bottom() < 660 - 72


@each(("compact", "most"), [(False, TALLEST_COLUMN_LABEL), (True, WIDEST_ROW_LABEL_COMPACT)])
@each("token", ["because", "Thinking", "Machines"])
def test_a_usual_token_is_not_cut_where_it_is_chosen(qapp, compact, most, token):
    """The strip of a chosen label leaves its letters less by the ends of the chip."""
    room = label_width(AxisNames([token]), label_font(compact), most) - 3 * SPACING.s
    assert room >= QFontMetricsF(label_font(compact, 600)).horizontalAdvance(token)


def test_a_number_of_thousands_is_not_cut_where_it_is_chosen(qapp):
    """Key 3243 was labelled 32…"""
    room = label_width(AxisNames(range(4096)), label_font(False), 1000) - 3 * SPACING.s
    assert all(room >= QFontMetricsF(label_font(False, 600)).horizontalAdvance(str(key)) for key in range(3000, 4096))


@pytest.fixture
def both(qtbot, evaluation):
    """The product picture, which is on show, and all stages."""
    both = QStackedWidget()
    qtbot.addWidget(both)
    both.resize(1800, 1300)  # large enough for tokens beside each other
    both.product = ProductPicture(both)
    both.all = AllStages(both.product.maps, both)
    for widget in (both.product, both.all):
        both.addWidget(widget)
    both.product.set_evaluation(evaluation, 0, 1)
    both.show()
    return both


def test_all_stages_borrows_the_maps_and_gives_them_back(both, evaluation, screen):
    product, tiles = both.product, both.all.tiles
    weights = product.stage_map()
    at_home = weights.geometry()
    both.setCurrentWidget(both.all)
    assert set(tiles) == {*evaluation.stages} - {"output"}  # without W_O it is the joined heads once more
    for stage in tiles:
        heatmap = both.findChild(QWidget, f"heatmap.{stage}")
        assert heatmap.isVisible()
        assert heatmap.parentWidget() is tiles[stage]
        assert tiles[stage].rect().contains(heatmap.geometry())
    screen(both)
    product.set_evaluation(DenseEvaluation(evaluation.problem.replace(mask=())), 0, 1)
    assert "masked" not in tiles
    both.setCurrentWidget(product)
    assert weights.parentWidget() is product
    assert weights.isVisible()
    assert not product.maps.map("scores").isVisible()
    product.set_evaluation(evaluation, 0, 1)
    assert weights.geometry() == at_home


def test_a_click_on_the_title_of_a_tile_asks_for_its_stage(qtbot, both):
    both.setCurrentWidget(both.all)
    with qtbot.waitSignal(both.all.stagePicked) as picked:
        QTest.mouseClick(both.all.tiles["scores"], Qt.MouseButton.LeftButton, pos=QPoint(9, 9))
    assert picked.args == ["scores"]


def test_tiles_show_other_tokens_at_once_upright_where_they_do_not_fit_beside_each_other(both, evaluation):
    both.setCurrentWidget(both.all)
    tile, pictures, ways = both.all.tiles["weights"], [], []
    for name in ("mm", "ii", "mm", "a token as long as a sentence"):
        both.product.set_tokens(["q"] * evaluation.problem.n, [name] * evaluation.problem.m)
        pictures.append(tile.grab().toImage())
        ways.append(tuple(tile._made_labels())[1].way)
    assert pictures[0] == pictures[2] != pictures[1]
    assert ways == [LEVEL, LEVEL, LEVEL, UPRIGHT]
    both.setCurrentWidget(both.product)
    assert tuple(both.product._made_labels())[1].way == UPRIGHT


class Hand:
    """Does something at random: by mouse and wheel, or as an edit and a click in a table do.

    The dashed outline of an edit is left out: Qt draws dashes that are cut off up to a pixel beside where they were.
    """

    ways = ("choose", "press", "hover", "wheel", "drag", "home", "refresh", "mark", "focus", "stage", "head", "resize")

    def __init__(self, product, seed):
        self.product, self.chance = product, random.Random(seed)

    @property
    def heatmap(self):
        return self.product.stage_map()

    def cell(self):
        return tuple(self.chance.randrange(length) for length in self.heatmap.shape)

    def area(self):
        return tuple(slice(min(pair), max(pair) + 1) for pair in zip(self.cell(), self.cell(), strict=True))

    def spot(self):
        heatmap = self.chance.choice([self.heatmap, *self.product.operands.shown.values()])
        return heatmap, QPoint(self.chance.randrange(heatmap.width()), self.chance.randrange(heatmap.height()))

    def choose(self):
        self.product.set_chosen((self.heatmap.objectName().removeprefix("heatmap."), *self.cell()))

    def press(self):
        heatmap, at = self.spot()
        QTest.mouseClick(heatmap, LEFT, pos=at)

    def hover(self):
        QTest.mouseMove(*self.spot())

    def wheel(self):
        turn_wheel(*self.spot(), self.chance.choice((120, 120, -120)))

    def drag(self):
        heatmap, at = self.spot()
        QTest.mousePress(heatmap, LEFT, pos=at)
        QTest.mouseMove(heatmap, at + QPoint(self.chance.randrange(-40, 40), self.chance.randrange(-40, 40)))
        QTest.mouseRelease(heatmap, LEFT, pos=at)

    def home(self):
        self.heatmap.box.reset()

    def refresh(self):
        self.heatmap.refresh(*self.area())

    def mark(self):
        name, area = self.chance.choice(("painted", "by_hand", "blank", "reached", "block")), self.area()
        self.heatmap.overlay.set_marks(painted=(), by_hand=(), blank=(), reached=None, block=None)
        self.heatmap.overlay.set_marks(**{name: area if name == "block" else (area,)})

    def focus(self):
        self.heatmap.overlay.set_marks(focus=self.chance.random() < 0.5)

    def stage(self):
        self.product.set_stage(self.chance.choice(("weights", "masked", "head_output", "query")))

    def head(self):
        self.product.set_evaluation(self.product.maps.evaluation, 0, self.chance.randrange(HEADS))

    def resize(self):
        self.product.resize(420 + self.chance.randrange(3), 380 + self.chance.randrange(3))


def test_no_pixel_is_left_behind(pictured):
    """Some steps are painted together; whatever is on the screen then is what a repaint paints."""
    product = pictured(random_problem(7, 24, 24, 8 * HEADS, num_heads=HEADS, mask="causal"), (420, 380))
    hand = Hand(product, 5)
    for step in range(examples(160)):
        getattr(hand, hand.chance.choice(hand.ways))()
        for _ in range(3):  # a scene tells its view in a turn of its own, and that is painted in the next
            QApplication.processEvents()
        if step % 4 == 3:
            before = on_screen(product)
            product.repaint()
            assert on_screen(product) == before, f"step {step}"
