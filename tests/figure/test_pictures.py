"""Figures as they are asked for: levels and colors, type, background, the product picture and the curve."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.figure.colors import lut
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.display import Levels, to_display
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap_layout import plan
from attn_gui.figure.levels import MOST, ColorScale, color_table
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.product import PLACES, compose_product, plan_product
from attn_gui.figure.render import render, to_image, write
from attn_gui.figure.text.fonts import figure_font
from attn_gui.figure.writers import PX_PER_CM
from attn_gui.formats import open_file
from attn_gui.paths import resource
from tests.failing import each

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def minilm() -> Problem:
    return open_file(resource("examples", "minilm-layer2.npz")).problem


@pytest.fixture(scope="module")
def curve() -> Problem:
    return open_file(resource("examples", "nadaraya-watson.npz")).problem


def texts(path: Path) -> list[tuple[str, float, float, str, float]]:
    """Every text of an SVG: what it says, x, y, anchor, size in points on the page."""
    root = ElementTree.parse(path).getroot()
    points = float(root.get("width", "")[:-2]) / 25.4 * 72 / float(root.get("viewBox", "").split()[2])
    return [
        (
            text.text or "",
            float(text.get("x", "")),
            float(text.get("y", "")),
            group.get("text-anchor", ""),
            float(group.get("font-size", "")) * points,
        )
        for group in root.iter(f"{SVG}g")
        for text in group.findall(f"{SVG}text")
    ]


# --- levels and colors ---------------------------------------------------------------------------
@each("colormap", ["signed", "viridis", "CET-D1", None])
def test_cells_have_the_levels_and_the_map_that_were_asked_for(minilm: Problem, tmp_path: Path, colormap: Any) -> None:
    picture = render(minilm, stage="scaled", heads=3, levels=(-2, 7), colormap=colormap, values=False, dpi=96)
    image = picture.image()
    options = ExportSettings(
        stage="scaled", values=False, color_scales={"scaled": ColorScale("typed", Levels(-2, 7), colormap)}
    )
    place = plan(compose_figure(DenseEvaluation(minilm), options, (3,))).maps[0]
    values = compute(minilm)["scaled"][0, 3]
    table = color_table(colormap or "signed", "light", Levels(-2.0, 7.0))
    wanted = table[to_display(values, None, Levels(-2.0, 7.0)).indices]
    across = (place.left() + (np.arange(16) + 0.5) * place.width() / 16).astype(int)
    down = (place.top() + (np.arange(16) + 0.5) * place.height() / 16).astype(int)
    found = np.array([[image.pixel(int(x), int(y)) for x in across] for y in down], np.uint32)
    assert (found == wanted).all()
    picture.save(tmp_path / "a.svg")
    ticks = [text for text, *_ in texts(tmp_path / "a.svg")]
    assert "−2" in ticks
    assert "7" in ticks


def test_a_rule_of_the_window_is_followed_head_by_head(minilm: Problem) -> None:
    evaluation = DenseEvaluation(minilm)
    for head in (0, 3):
        figure = compose_figure(
            evaluation, ExportSettings(stage="scores", color_scales={"scores": ColorScale(MOST)}), (head,)
        )
        values = compute(minilm)["scores"][0, head]
        assert figure.levels.high == pytest.approx(np.percentile(np.abs(values), 99))


@each(
    ("changed", "sentence"),
    [
        ({"levels": (3, 3)}, "below the upper one"),
        ({"levels": (0, float("inf"))}, "finite numbers"),
        ({"levels": "12"}, "two numbers"),
        ({"levels": (1, 2, 3)}, "two numbers"),
        ({"picture": "film"}, "'film' is not"),
        ({"colormap": "rainbow"}, "'rainbow' is not one of signed, weights, viridis"),
        ({"font_size": 3}, "4 to 72 points, got 3"),
        ({"font_size": float("nan")}, "4 to 72 points"),
        ({"picture": "curve"}, "Needs keys and values of one column"),
        ({"picture": "product", "heads": [0, 1]}, "one head, got 2"),
        ({"picture": "product", "stage": "query"}, "no product of matrices here"),
        ({"picture": "product", "width": 1.0}, "leaves no room"),
        ({"picture": "product", "batch": 1}, "no batch item 1"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(minilm: Problem, changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as said:
        render(minilm, **changed)
    assert str(said.value).endswith(".")


# --- type ----------------------------------------------------------------------------------------
@each(("width", "least", "most"), [(8.5, 7.4, 7.6), (12.0, 7.4, 7.6), (24.0, 14.0, 15.1)])
def test_type_grows_with_the_page_so_that_a_slide_can_be_read(
    minilm: Problem, tmp_path: Path, width: float, least: float, most: float
) -> None:
    for stage, picture in (("weights", "map"), ("weights", "product"), ("scaled", "map")):
        path = render(minilm, stage=stage, heads=3, width=width, picture=picture).save(tmp_path / "a.svg")
        sizes = {text: size for text, _, _, _, size in texts(path)}
        numbered = stage == "scaled" or picture == "product"  # whose numbers fit into their cells in smaller type
        assert least <= min(sizes.values()) <= most or (numbered and min(sizes.values()) > 7.4)
        assert float(ElementTree.parse(path).getroot().get("width", "")[:-2]) == pytest.approx(width * 10)
    numbers = [text for text, *_ in texts(write(minilm, tmp_path / "b.svg", heads=3, width=24)[0])]
    assert ".61" in numbers


def test_numbers_stay_on_a_wide_page_if_smaller_type_lets_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    problem = Problem(query=rng.normal(size=(28, 4)), key=rng.normal(size=(28, 4)), value=rng.normal(size=(28, 4)))
    found = texts(write(problem, tmp_path / "a.svg", width=24, values=True)[0])
    cells = [size for text, _, _, _, size in found if re.fullmatch(r"0?\.\d\d", text)]
    assert len(cells) > 300
    assert 7.5 < min(cells) < 15


def test_text_in_an_svg_is_anchored_to_what_it_belongs_to(minilm: Problem, tmp_path: Path) -> None:
    """No viewer's font can move a number out of the middle of its cell or a label into the frame."""
    path = write(minilm, tmp_path / "a.svg", heads=3, colorbar=False)[0]
    place = plan(compose_figure(DenseEvaluation(minilm), ExportSettings(colorbar=False), (3,))).maps[0]
    found = texts(path)
    middles = {round(place.left() + (column + 0.5) * place.width() / 16, 2) for column in range(16)}
    cells = [(round(x, 2), anchor) for text, x, _, anchor, _ in found if re.fullmatch(r"0?\.\d\d|·", text)]
    assert len(cells) == 256
    assert {anchor for _, anchor in cells} == {"middle"}
    assert all(min(abs(x - middle) for middle in middles) < 0.02 for x, _ in cells)
    assert [(anchor, x < place.left()) for text, x, _, anchor, _ in found if text == "animal"].count(("end", True)) == 1
    svg = path.read_text("utf-8")
    assert "<path" not in svg, "text is text"
    assert "sans-serif" in svg


# --- background --------------------------------------------------------------------------------------
@each("picture", ["map", "product", "curve"])
def test_a_transparent_figure_has_no_background(curve: Problem, tmp_path: Path, picture: str) -> None:
    with pytest.raises(ValueError, match="partly transparent"):
        render(curve, tmp_path / "a.gif", picture=picture, transparent=True)
    for transparent, alpha in ((False, 255), (True, 0)):
        for ending in ("png", "svg", "pdf"):
            render(curve, tmp_path / f"a.{ending}", picture=picture, transparent=transparent, dpi=96, width=9)
        image = QImage(str(tmp_path / "a.png"))
        assert image.pixelColor(1, 1).alpha() == alpha
        assert ("#ffffff" in (tmp_path / "a.svg").read_text("utf-8").split("<text")[0]) != transparent
        assert image == to_image(curve, picture=picture, transparent=transparent, dpi=96, width=9).convertToFormat(
            image.format()
        )


# --- product -------------------------------------------------------------------------------------


def test_the_matrices_of_a_product_meet_and_show_their_numbers(minilm: Problem) -> None:
    evaluation, options = DenseEvaluation(minilm), ExportSettings(stage="scaled", picture="product", values=False)
    maps = plan_product(compose_product(evaluation, options, 3, 1024)).maps
    assert set(maps) == set(PLACES)
    stage, left, top, factor, result = (maps[place] for place in ("stage", "left", "top", "factor", "result"))
    assert (left.top(), left.bottom()) == (stage.top(), stage.bottom()) == (result.top(), result.bottom())
    assert (top.left(), top.right()) == (stage.left(), stage.right())
    assert (factor.left(), factor.right()) == (result.left(), result.right())
    image = to_image(minilm, stage="scaled", picture="product", heads=3, values=False, dpi=192)
    trace = compute(minilm)
    whole = slice(96, 128)  # columns of head 3
    for place, values in (
        ("stage", trace["scaled"][0, 3]),
        ("left", trace["query"][0, :, whole]),
        ("top", trace["key"][0, :, whole].T),
        ("factor", trace["value"][0, :, whole]),
        ("result", trace["head_output"][0, 3]),
    ):
        rect, bound = maps[place], float(np.abs(values).max())
        wanted = lut("signed")[to_display(values, None, Levels(-bound, bound)).indices]
        rows, columns = values.shape
        for row, column in np.ndindex(rows, columns):
            x = (rect.left() + (column + 0.5) * rect.width() / columns) * 2
            y = (rect.top() + (row + 0.5) * rect.height() / rows) * 2
            assert image.pixel(int(x), int(y)) == wanted[row, column]


def test_tokens_stand_at_their_maps_without_the_blanks_around_them(minilm: Problem) -> None:
    """Of a model's tokens most begin with one: those at the right of V would begin in two columns."""
    tokens = ("the", " cat", "Ġsat", " ", *map(str, range(4, minilm.n)))
    problem = minilm.replace(query_tokens=tokens, key_tokens=tokens)
    options = ExportSettings(picture="product")
    product = plan_product(compose_product(DenseEvaluation(problem), options, 3, 1024))
    layout = plan(compose_figure(DenseEvaluation(problem), ExportSettings(), (3,)))
    assert product.factor_labels is not None
    for labels in (product.row_labels, product.column_labels, product.factor_labels, layout.row_labels):
        assert [labels.texts[cell] for cell in range(4)] == ["the", "cat", "sat", "‹U+0020›"]
    assert problem.query_tokens == tokens


@each("picture", ["map", "product"])
def test_a_narrow_figure_names_the_row_and_the_column_of_the_chosen_cell(tmp_path: Path, picture: str) -> None:
    tokens = tuple(f"token{number}" for number in range(64))
    many = Problem(query=np.ones((64, 2)), key=np.ones((64, 2)), value=np.ones((64, 2)), query_tokens=tokens)
    for cell in (None, (33, 31)):
        render(many.replace(key_tokens=tokens), tmp_path / "a.svg", width=8.5, picture=picture, cell=cell)
        said = (tmp_path / "a.svg").read_text()
        assert all((f">token{number}<" in said) == (cell is not None) for number in (31, 33))


@pytest.mark.parametrize("size", [(13, 61), (2, 3)])
def test_a_product_fills_a_slide(size: tuple[int, int]) -> None:
    """The search for the size of its cells took the bars for wrapped; maps stood in the left half."""
    numbers = np.random.default_rng(2).normal(size=(3, *size))
    problem = Problem(query=numbers[0], key=numbers[1], value=numbers[2])
    figure = compose_product(DenseEvaluation(problem), ExportSettings(picture="product"), 0, 1024)
    width, height = 25.4 * PX_PER_CM, 14.3 * PX_PER_CM
    layout = plan_product(figure, width, height)
    assert max(rect.right() for rect in layout.maps.values()) > 0.9 * width
    assert max(bar.rect.bottom() for bar in layout.bars) > 0.85 * height


def test_the_product_of_a_long_problem_says_that_it_is_pooled(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    problem = Problem(**{name: rng.normal(size=(3000, 8)) for name in ("query", "key", "value")})
    found = [text for text, *_ in texts(write(problem, tmp_path / "a.svg", picture="product", width=12)[0])]
    assert any("long maps show the cell of largest magnitude" in text for text in found)
    assert "3000 × 3000" in found


# --- curve ---------------------------------------------------------------------------------------
def test_a_curve_has_its_points_and_its_line_where_they_belong(curve: Problem, tmp_path: Path) -> None:
    path = write(curve, tmp_path / "c.svg", picture="curve")[0]
    svg = path.read_text("utf-8")
    dots = re.findall(r"<(?:circle|ellipse)", svg)
    assert len(dots) == 50 + 1  # and the one that says what they are
    said = [text for text, *_ in texts(path)]
    for text in ("Regression curve", "query, key", "value, output", "0", "5"):
        assert text in said
    line = max(re.findall(r'<polyline[^>]*points="([^"]*)"', svg), key=len)
    points = np.array([[float(part) for part in point.split(",")] for point in line.split()])
    assert len(points) == 50
    outputs = compute(curve)["head_output"][0, 0, np.argsort(curve.query[:, 0], kind="stable"), 0]
    assert np.corrcoef(points[:, 1], outputs)[0, 1] == pytest.approx(-1.0, abs=1e-5)  # y runs downward
    assert np.corrcoef(points[:, 0], np.sort(curve.query[:, 0]))[0, 1] == pytest.approx(1.0, abs=1e-5)


def test_a_curve_of_numbers_that_are_none_is_drawn_without_them(curve: Problem, tmp_path: Path) -> None:
    value = curve.value.copy()
    value[3] = np.nan
    value[4] = np.inf
    path = write(curve.replace(value=value), tmp_path / "c.svg", picture="curve")[0]
    assert len(re.findall(r"<(?:circle|ellipse)", path.read_text("utf-8"))) == 48 + 1
    write(curve.replace(value=np.full_like(value, 1e308)), tmp_path / "d.pdf", picture="curve")


@each("width", [8.5, 12.0, 24.0])
@each("lang", ["en", "zh"])
def test_what_a_curve_says_stays_on_its_page_in_a_wider_font(
    curve: Problem, tmp_path: Path, width: float, lang: str
) -> None:
    path = write(curve, tmp_path / "c.svg", picture="curve", width=width, lang=lang)[0]
    page = float(ElementTree.parse(path).getroot().get("viewBox", "").split()[2])
    said = {text: x for text, x, *_ in texts(path)}
    style = PageStyle(lang=lang)
    for part in (style.translate("Pages", text) for text in ("keys and their values", "output for every query")):
        wide = QFontMetricsF(figure_font(11)).horizontalAdvance(part) * 1.15  # as DejaVu Sans is
        assert said[part] + wide <= page


# --- without a title, without letters ------------------------------------------------------------
@each(("picture", "heads"), [("map", 0), ("map", "all"), ("product", 0), ("curve", 0), ("head_contributions", 0)])
def test_a_figure_without_its_title_gives_the_room_to_the_picture(
    curve: Problem, tmp_path: Path, picture: str, heads: Any
) -> None:
    sides = {}
    for shown in (True, False):
        render(curve, tmp_path / f"{shown}.svg", picture=picture, heads=heads, width=12, title=shown)
        said = [text for text, *_ in texts(tmp_path / f"{shown}.svg")]
        text = (tmp_path / f"{shown}.svg").read_text("utf-8")
        head = re.search("<title>(.*?)</title>", text)
        assert head is not None, "viewers and search engines still find the title"
        assert head[1].strip()
        start = head[1].strip().split(" · ")[0]
        assert any(one.startswith(start) for one in said) is shown
        high = re.search(r'height="([\d.]+)mm"', text)
        assert high is not None
        sides[shown] = float(high[1])
        if picture == "map":
            assert (f"{curve.n} × {curve.m}" in said) is shown, "the shape beside it goes, too"
    assert sides[False] < sides[True] - 3
    render(curve, tmp_path / "fixed.png", picture=picture, heads=heads, width=12, height=12, title=False)
    assert QImage(str(tmp_path / "fixed.png")).height() == pytest.approx(12 / 2.54 * 150, abs=2)


@pytest.mark.family(3)
@pytest.mark.parametrize("picture", ["map", "product", "curve"])
@each("lang", ["en", "zh"])
def test_outlines_need_no_fonts_and_look_the_same(curve: Problem, tmp_path: Path, picture: str, lang: str) -> None:
    for outlined in (False, True):
        for ending in ("svg", "pdf", "png"):
            chosen = {"picture": picture, "lang": lang, "width": 10, "outlines": outlined}
            render(curve, tmp_path / f"{outlined}.{ending}", **chosen, session=False)
    assert "<text" not in (tmp_path / "True.svg").read_text("utf-8")
    assert b"/FontFile" in (tmp_path / "False.pdf").read_bytes()
    assert b"/FontFile" not in (tmp_path / "True.pdf").read_bytes()
    assert (tmp_path / "False.png").read_bytes() == (tmp_path / "True.png").read_bytes(), "pixels have no letters"
    drawn = []
    for outlined in (False, True):
        image = QImage(600, 600, QImage.Format.Format_RGB32)
        image.fill(0xFFFFFFFF)
        painter = QPainter(image)
        QSvgRenderer(str(tmp_path / f"{outlined}.svg")).render(painter)
        painter.end()
        drawn.append(np.frombuffer(image.constBits(), np.uint8).reshape(600, 600, 4)[..., :3].astype(float))
    assert np.abs(drawn[0] - drawn[1]).mean() < 4, "letters stand where they stood"
