"""Figures as they are asked for: levels and colors, background, the product picture and the curve."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.figure.colors import ColorScale, Levels, color_table, lut, to_display
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap_layout import plan
from attn_gui.figure.product import PLACES, ProductFigure, compose_product, plan_product
from attn_gui.figure.render import render, to_image, write
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


@pytest.fixture(scope="module")
def worked() -> Problem:
    return open_file(resource("examples", "worked-example.npz")).problem


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
@each("colormap", ["viridis", "CET-D1", None])
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


@each(
    ("changed", "sentence"),
    [
        ({"levels": (3, 3)}, "below the upper one"),
        ({"levels": (0, float("inf"))}, "finite numbers"),
        ({"levels": (1, 2, 3)}, "two numbers"),
        ({"picture": "film"}, "'film' is not"),
        ({"colormap": "rainbow"}, "'rainbow' is not one of signed, weights, viridis"),
        ({"font_size": 3}, "4 to 72 points, got 3"),
        ({"picture": "curve"}, "Needs keys and values of one column"),
        ({"picture": "product", "heads": [0, 1]}, "one head, got 2"),
        ({"picture": "product", "stage": "query"}, "no product of matrices here"),
        ({"picture": "product", "width": 1.0}, "leaves no room"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(minilm: Problem, changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as said:
        render(minilm, **changed)
    assert str(said.value).endswith(".")


# --- background --------------------------------------------------------------------------------------
@each("picture", ["map", "product", "curve"], one_of=3)
def test_a_transparent_figure_has_no_background(curve: Problem, worked: Problem, tmp_path: Path, picture: str) -> None:
    problem = curve if picture == "curve" else worked
    with pytest.raises(ValueError, match="partly transparent"):
        render(problem, tmp_path / "a.gif", picture=picture, transparent=True)
    for transparent, alpha in ((False, 255), (True, 0)):
        for ending in ("png", "svg", "pdf"):
            render(problem, tmp_path / f"a.{ending}", picture=picture, transparent=transparent, dpi=96, width=9)
        image = QImage(str(tmp_path / "a.png"))
        assert image.pixelColor(1, 1).alpha() == alpha
        assert ("#ffffff" in (tmp_path / "a.svg").read_text("utf-8").split("<text")[0]) != transparent
        assert image == to_image(problem, picture=picture, transparent=transparent, dpi=96, width=9).convertToFormat(
            image.format()
        )


# --- product -------------------------------------------------------------------------------------


def test_a_product_of_one_row_is_seen_and_its_own_size_is_never_too_small() -> None:
    def figure(n: int, m: int) -> ProductFigure:
        problem = Problem(query=np.ones((n, 3)), key=np.ones((m, 3)), value=np.ones((m, 3)))
        return compose_product(DenseEvaluation(problem), ExportSettings(stage="scores", picture="product"), 0, 1024)

    thin = plan_product(figure(1, 500), 5 * PX_PER_CM).maps  # the stage was 0.9 pixels high
    assert min(min(rect.width(), rect.height()) for rect in thin.values()) >= 4
    own = plan_product(figure(1, 1))
    assert plan_product(figure(1, 1), own.width + 0.01).maps.keys() == own.maps.keys()


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


# --- without a title, without letters ------------------------------------------------------------
@each(("picture", "heads"), [("map", "all"), ("product", 0), ("head_contributions", 0)], one_of=3)
def test_a_figure_without_its_title_gives_the_room_to_the_picture(
    worked: Problem, tmp_path: Path, picture: str, heads: Any
) -> None:
    sides = {}
    for shown in (True, False):
        render(worked, tmp_path / f"{shown}.svg", picture=picture, heads=heads, width=12, title=shown)
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
            assert (f"{worked.n} × {worked.m}" in said) is shown, "the shape beside it goes, too"
    assert sides[False] < sides[True] - 3
    render(worked, tmp_path / "fixed.png", picture=picture, heads=heads, width=12, height=12, title=False)
    assert QImage(str(tmp_path / "fixed.png")).height() == pytest.approx(12 / 2.54 * 150, abs=2)


@each(("picture", "lang"), [("map", "en"), ("product", "zh"), ("curve", "en")], one_of=3)
def test_outlines_need_no_fonts_and_look_the_same(
    curve: Problem, worked: Problem, tmp_path: Path, picture: str, lang: str
) -> None:
    problem = curve if picture == "curve" else worked
    for outlined in (False, True):
        for ending in ("svg", "pdf", "png"):
            chosen = {"picture": picture, "lang": lang, "width": 10, "outlines": outlined}
            render(problem, tmp_path / f"{outlined}.{ending}", **chosen, session=False)
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
