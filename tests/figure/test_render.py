"""Figures of problems and of two states: files, images, notebooks, and what is marked as by hand."""

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from attn_gui import render
from attn_gui.engine import DenseEvaluation, Plane, Problem, compute
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.colors import LEVEL_RULES
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import STYLES, ExportSettings
from attn_gui.figure.figure_kinds import PAGES, PICTURES
from attn_gui.figure.overlays import ComparedState
from attn_gui.figure.render import Picture, evaluation_drawn, write
from attn_gui.formats import load
from attn_gui.lessons.exercises import CoveredEvaluation
from attn_gui.paths import resource
from attn_gui.views.map.color_scales import levels_of_plane
from tests.failing import each
from tests.seen import colors_of

SMALL = load(resource("examples", "worked-example.npz"))
NADARAYA = load(resource("examples", "nadaraya-watson.npz"))
WORDS = ("when", "mary", "and", "john", "went")


def a_problem(**fields: Any) -> Problem:
    """Grouped heads, n = 5, m = 7, d_k = 3, d_v = 2, two items, causal."""
    rng = np.random.default_rng(11)
    given: dict[str, Any] = {
        "query": rng.standard_normal((2, 5, 4 * 3)),
        "key": rng.standard_normal((2, 7, 2 * 3)),
        "value": rng.standard_normal((2, 7, 2 * 2)),
        "num_heads": 4,
        "num_kv_heads": 2,
        "query_tokens": WORDS,
        "key_tokens": (*WORDS, "to", "the"),
        "mask": ({"kind": "causal"},),
    }
    return Problem(**{**given, **fields})


def texts(path: Path) -> list[str]:
    return [element.text or "" for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


def test_a_figure_shows_the_numbers_of_the_chosen_head_and_item() -> None:
    trace = compute(a_problem())
    for stage, head, expected in (
        ("scores", 3, trace["scores"][1, 3]),
        ("head_output", 2, trace["head_output"][1, 2]),
        ("query", 2, trace["query"][1, :, 6:9]),
        ("key", 2, trace["key"][1, :, 3:6]),  # heads 2 and 3 share K/V head 1
        ("output", None, trace["output"][1]),
        ("concat", None, trace["concat"][1]),
    ):
        figure = compose_figure(trace.evaluation, ExportSettings(stage=stage, batch=1), (head,))
        assert (figure.panels[0].values == expected).all()


def test_what_a_mask_closes_is_hatched_in_the_stages_behind_it_only() -> None:
    evaluation = DenseEvaluation(a_problem())
    closed = np.arange(7) > np.arange(5)[:, None]
    for stage in ("masked", "weights"):
        panel = compose_figure(evaluation, ExportSettings(stage=stage), (0,)).panels[0]
        assert panel.allowed is not None
        assert (panel.allowed == ~closed).all()
    assert compose_figure(evaluation, ExportSettings(stage="scaled"), (0,)).panels[0].allowed is None


@each(
    ("changed", "sentence"),
    [
        ({"stage": "wights"}, "There is no stage 'wights'"),
        ({"heads": 4}, "There is no head 4; the problem has 0 to 3."),
        ({"heads": "some"}, "or 'largest'; got 'some'."),
        ({"batch": 2}, "There is no batch item 2; the problem has 0 to 1."),
        ({"theme": "blue"}, "'blue' is not one of"),
        ({"format": "bmp"}, "got 'bmp'."),
        ({"dpi": 1}, "dots per inch, got 1."),
        ({"dpi": "300"}, "dpi is a number, got '300'."),
        ({"font_size": "8 pt"}, "font_size is a number, got '8 pt'."),
        ({"colorbar": "no"}, "is True or False, got 'no'."),
        ({"width": -3}, "The width of a figure is"),
        ({"width": 1}, "leaves no room"),
        ({"width": 400, "dpi": 2400}, "smaller size."),
        ({"stage": "key", "width": 480}, "more than 500 a side."),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(
    changed: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "w.png"
    path.write_bytes(b"the old figure")
    with pytest.raises(ValueError, match=r".*") as said:
        write(a_problem(), path, **changed)
    assert sentence in str(said.value)
    assert path.read_bytes() == b"the old figure"
    assert os.listdir(tmp_path) == ["w.png"]


def test_a_notebook_shows_a_picture(tmp_path: Path) -> None:
    picture = render(a_problem(), heads=2, width=8)
    assert isinstance(picture, Picture)
    assert picture._repr_png_().startswith(b"\x89PNG")
    svg = picture._repr_svg_()
    assert svg is not None
    ElementTree.fromstring(svg.encode())
    assert "Weights · head 2" in repr(picture)
    assert "8.0 × " in repr(picture)
    assert picture.save(tmp_path / "p.pdf").read_bytes().startswith(b"%PDF")
    render(a_problem(), tmp_path / "q.png")
    assert QImage(str(tmp_path / "q.png")).width() > 100


@each("style", STYLES, one_of=2)
@each("picture", ["map", "product", *(name for name, kind in PAGES.items() if not kind.of_model)], one_of=4)
def test_every_picture_has_a_figure_for_every_place(style: str, picture: str, tmp_path: Path) -> None:
    problem = next(
        one for one in (SMALL, NADARAYA, a_problem()) if PICTURES[picture].has(DenseEvaluation(one), "weights")
    )
    made, looks = STYLES[style], {"cell": (0, 0)} if picture in PAGES else {}
    path = tmp_path / "a.svg"
    if picture == "code" and made.height is not None:
        with pytest.raises(ValueError, match="leaves no room"):  # a script is no slide
            render(problem, path, picture=picture, style=style, dpi=72, **looks)
        return
    render(problem, path, picture=picture, style=style, dpi=72, **looks)
    assert path.stat().st_size > 500
    if made.width is not None and picture != "code":
        width, height = (
            float(length.removesuffix("mm"))
            for length in map(ElementTree.parse(path).getroot().attrib.get, ("width", "height"))
        )
        assert width == pytest.approx(10 * made.width, abs=0.5)
        assert made.height is None or height == pytest.approx(10 * made.height, abs=0.5)


@each("picture", ("map", "product"))
def test_covered_cells_take_nothing_from_the_colors_of_the_others_and_no_level_gives_them_away(
    picture: str, tmp_path: Path
) -> None:
    evaluation = DenseEvaluation(SMALL)
    covered = CoveredEvaluation(evaluation, [Blank("scores", (0, 0, 1, 1))])  # the largest one
    settings = ExportSettings(stage="scores")
    levels = compose_figure(evaluation, settings, (0,)).levels
    assert compose_figure(covered, settings, (0,)).levels == levels
    assert levels_of_plane(Plane(covered, "scores"), LEVEL_RULES["auto"]) == levels
    render(covered, tmp_path / "a.svg", stage="scores", picture=picture, session=False)
    said = texts(tmp_path / "a.svg")
    assert "?" in said
    assert "−2" not in said, "of a bar"


def test_titles_name_stage_head_and_item(tmp_path: Path) -> None:
    write(a_problem(), tmp_path / "a.svg", stage="scaled", heads=3, batch=1)
    write(a_problem(), tmp_path / "b.svg", stage="scaled", heads=3, batch=1, lang="zh")
    assert "Scaled scores · head 3 · item 1" in texts(tmp_path / "a.svg")
    chinese = "".join(texts(tmp_path / "b.svg"))
    assert "缩放" in chinese
    assert "Scaled" not in chinese
    assert "when" in chinese  # tokens are no words of ours


# --- figures of two states ------------------------------------------------------------------------


@pytest.fixture
def states():
    rng = np.random.default_rng(3)
    problem = Problem(
        **{name: rng.normal(size=(n, 6)) for name, n in (("query", 5), ("key", 7), ("value", 7))}, num_heads=2
    )
    return problem.replace(scale=1.0), problem.replace(mask=[{"kind": "causal", "align": "end"}])


def figure(states, mode, made=DenseEvaluation, **choices):
    before, now = map(made, states)
    beside = ComparedState(lambda _now: before, mode, choices.pop("names", ("", "")))
    options = ExportSettings(stage="weights", beside=beside, **choices)
    return compose_figure(evaluation_drawn(now, options), options, (1,))


@each("made", [DenseEvaluation, StreamingEvaluation])
def test_two_states_stand_side_by_side_under_one_bar(states, made):
    found = figure(states, "side_by_side", made, names=("as it was", "as it is"))
    before, now = (compute(state)["weights"][0, 1] for state in states)
    assert [panel.title for panel in found.panels] == ["as it was", "as it is"]
    for panel, expected in zip(found.panels, (before, now), strict=True):
        assert np.allclose(panel.values, expected, atol=1e-15)
    assert found.panels[0].allowed is None
    assert not found.panels[1].allowed.all()
    assert (found.levels.low, found.levels.high) == (0.0, 1.0)


def test_a_difference_has_symmetric_levels_and_says_what_it_is(states):
    found = figure(states, "difference")
    before, now = (compute(state)["weights"][0, 1] for state in states)
    assert np.array_equal(found.panels[0].values, now - before)
    assert found.levels.symmetric
    assert found.levels.high == np.abs(now - before).max()
    assert found.palette == "signed"
    assert found.title == "Weights · head 1 · now − before"
    assert figure(states, "difference", lang="zh").title.endswith("现在 − 之前")


def test_what_cannot_be_compared_is_said(states, tmp_path):
    before, now = states
    with pytest.raises(ValueError, match=r"^weights cannot be compared"):
        render(now, before=before.replace(key=before.key[:4], value=before.value[:4], mask=()))
    with pytest.raises(ValueError, match="side by side as maps alone"):
        render(now, before=before, picture="product")
    with pytest.raises(ValueError, match="'both' is not one of now, before, difference, side_by_side, wipe"):
        render(now, before=before, compare="both")
    assert write(
        now,
        tmp_path / "product.svg",
        picture="product",
        beside=ComparedState(lambda _now: DenseEvaluation(before), "difference"),
    )


def test_axes_have_the_tokens_of_both_states_where_they_differ(states):
    """The map before stood under the words of now."""
    before, now = states
    keys = [list("abcdefg"), list("abXdefg")]
    named = [state.replace(key_tokens=tokens) for state, tokens in zip((before, now), keys, strict=True)]
    assert list(figure(named, "side_by_side").columns.labels) == ["a", "b", "c / X", *"defg"]
    assert list(figure(named, "before").columns.labels) == keys[0]
    assert list(figure((named[0], now), "side_by_side").columns.labels) == list("0123456")


@each("stage", ["query", "concat"])
def test_heads_with_other_columns_are_not_compared(tmp_path, stage):
    """Other columns were subtracted in silence, or a traceback said that a box lies outside."""
    rng = np.random.default_rng(3)
    two = Problem(**{name: rng.normal(size=(3, 8)) for name in ("query", "key", "value")}, num_heads=2)
    four = two.replace(num_heads=4)
    for heads in (0, 3):
        for compare in ("side_by_side", "difference"):
            with pytest.raises(ValueError, match="other columns in the two states"):
                render(four, tmp_path / "a.svg", stage=stage, heads=heads, before=two, compare=compare)
    render(four, tmp_path / "a.svg", stage=stage, heads=None, before=two)
    assert (tmp_path / "a.svg").exists()


# --- figures mark the cells that are changed by hand ----------------------------------------------
RECORD = {"kind": "set", "stage": "weights", "at": {"head": 1, "query": 2, "key": (1, 4)}, "values": 0.5}


def problem_of(n=6, **more):
    rng = np.random.default_rng(3)
    return Problem(**{name: rng.normal(size=(n, 8)) for name in ("query", "key", "value")}, num_heads=2, **more)


@each(("theme", "picture"), [("light", "map"), ("dark", "product")])
def test_cells_changed_by_hand_are_ringed_in_their_head_alone(tmp_path, theme, picture):
    problem, mark = problem_of(interventions=[RECORD]), THEMES[theme].edit.rgb() & 0xFFFFFF
    found = {}
    for head in (0, 1):
        path = tmp_path / f"{head}.png"
        render(problem, path, heads=head, theme=theme, picture=picture)
        found[head] = mark in {color.rgb() & 0xFFFFFF for color in colors_of(QImage(str(path)))}
    assert found == {0: False, 1: True}


@each(("lang", "words"), [("en", "changed by hand"), ("zh", "手动修改")])
def test_a_line_under_the_map_says_so(tmp_path, lang, words):
    texts = {}
    for name, records in (("with", [RECORD]), ("without", []), ("off", [{**RECORD, "enabled": False}])):
        path = tmp_path / f"{name}.svg"
        render(problem_of(interventions=records), path, heads=1, lang=lang)
        texts[name] = words in path.read_text(encoding="utf-8")
    assert texts == {"with": True, "without": False, "off": False}
