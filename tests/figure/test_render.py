"""Figures of problems, of two states and of operands: files, images, notebooks, and what is marked as by hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from attn_gui import render
from attn_gui.engine import DenseEvaluation, Plane, Problem, compute
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.colors import lut
from attn_gui.figure.comparison import ComparedState
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap import legend_text
from attn_gui.figure.heatmap_layout import plan
from attn_gui.figure.levels import LEVEL_RULES
from attn_gui.figure.operands import picture_of
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.picture_kinds import PICTURES
from attn_gui.figure.render import FORMATS, Picture, evaluation_drawn, to_image, write
from attn_gui.figure.stage_formulas import shown_latex
from attn_gui.figure.styles import STYLES
from attn_gui.formats import load
from attn_gui.lessons.exercises import Blank, CoveredEvaluation
from attn_gui.paths import resource
from attn_gui.views.map.color_scales import levels_of_plane
from attn_gui.views.spine.spine_items import NODE, entries_of, formula_latex
from tests.failing import each

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


@each("ending", FORMATS)
def test_every_stage_can_be_written_in_every_format(ending: str, tmp_path: Path) -> None:
    evaluation = DenseEvaluation(a_problem())
    for stage in evaluation.stages:
        path = tmp_path / f"{stage}.{ending}"
        assert write(evaluation, path, stage=stage, heads=3, batch=1, dpi=50) == [path]
        assert path.stat().st_size > 1000


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
    ("stage", "rows", "columns", "labels"),
    [
        ("weights", "query", "key", (WORDS[0], "the")),
        ("key", "key", "column", (WORDS[0], "5")),
        ("query", "query", "column", (WORDS[0], "8")),
        ("head_output", "query", "column", (WORDS[0], "1")),
        ("output", "query", "column", (WORDS[0], "7")),
    ],
)
def test_axes_are_named_and_labeled(stage: str, rows: str, columns: str, labels: tuple[str, str]) -> None:
    head = None if stage == "output" else 2
    figure = compose_figure(DenseEvaluation(a_problem()), ExportSettings(stage=stage), (head,))
    assert (figure.rows.name, figure.columns.name) == (rows, columns)
    assert (figure.rows.labels[0], figure.columns.labels[-1]) == labels


@each(
    ("knobs", "sentence"),
    [
        ({"quantity": "nope"}, "quantity cannot be 'nope' here; expected one of scale"),
        ({"quantity": ["scale"]}, "quantity cannot be ['scale'] here"),
        ({"steps": 2.5}, "steps cannot be 2.5 here."),
        ({"colour": 1}, "nothing to set called 'colour'; there is quantity"),
    ],
)
def test_what_cannot_be_set_on_a_page_is_refused_with_a_sentence(
    knobs: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        render(a_problem(), tmp_path / "a.png", picture="sweep", cell=(0, 0), set=knobs)
    assert os.listdir(tmp_path) == []


@each(
    ("changed", "sentence"),
    [
        ({"stage": "wights"}, "There is no stage 'wights'"),
        ({"heads": 4}, "There is no head 4; the problem has 0 to 3."),
        ({"heads": "some"}, "or 'largest'; got 'some'."),
        ({"heads": []}, "at least one head"),
        ({"batch": 2}, "There is no batch item 2; the problem has 0 to 1."),
        ({"theme": "blue"}, "'blue' is not one of"),
        ({"lang": "de"}, "'de' is not one of"),
        ({"format": "bmp"}, "got 'bmp'."),
        ({"dpi": 1}, "dots per inch, got 1."),
        ({"dpi": "300"}, "dpi is a number, got '300'."),
        ({"width": "9"}, "width is a number, got '9'."),
        ({"height": [9]}, "height is a number, got [9]."),
        ({"font_size": "8 pt"}, "font_size is a number, got '8 pt'."),
        ({"theme": ["dark"]}, "['dark'] is not one of"),
        ({"colorbar": "no"}, "is True or False, got 'no'."),
        ({"values": "off"}, "is True or False, got 'off'."),
        ({"width": -3}, "The width of a figure is"),
        ({"width": float("nan")}, "The width of a figure is"),
        ({"height": 0}, "The height of a figure is"),
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


def test_a_failing_disk_leaves_the_old_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.pdf"
    write(a_problem(), path)
    before = path.read_bytes()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises((ValueError, OSError), match="no room"):
        write(a_problem(), path, heads=1)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["w.pdf"]


def test_a_cell_of_the_picture_has_the_color_of_its_weight() -> None:
    problem = a_problem(mask=())
    weights = compute(problem)["weights"][0, 1]
    image = to_image(problem, heads=1, dpi=96, values=False)
    place = plan(compose_figure(DenseEvaluation(problem), ExportSettings(stage="weights", values=False), (1,))).maps[0]
    for row, column in np.ndindex(5, 7):
        x, y = place.left() + (column + 0.5) * place.width() / 7, place.top() + (row + 0.5) * place.height() / 5
        assert image.pixel(round(x), round(y)) == lut("weights")[round(float(weights[row, column]) * 511)]


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


def test_a_script_without_a_display_draws(tmp_path: Path) -> None:
    script = (
        "import attn_gui\n"
        "p = attn_gui.Problem(query=[[1, 0]], key=[[1, 2], [3, 4]], value=[[1, 0], [0, 1]], num_heads=1)\n"
        f"attn_gui.render(p, {str(tmp_path / 's.png')!r})\n"
    )
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run([sys.executable, "-c", script], env=bare, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert QImage(str(tmp_path / "s.png")).width() > 100


@pytest.mark.family(8)
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("picture", ["map", "product", *(name for name, kind in PAGES.items() if not kind.of_model)])
def test_every_picture_has_a_figure_for_every_place(style: str, picture: str, tmp_path: Path) -> None:
    problem = next(
        one for one in (SMALL, NADARAYA, a_problem()) if PICTURES[picture].has(DenseEvaluation(one), "weights")
    )
    made, looks = STYLES[style], {"cell": (0, 0)} if picture in PAGES else {}
    for ending in ("png", "svg", "pdf"):
        path = tmp_path / f"a.{ending}"
        if picture == "code" and made.height is not None:
            with pytest.raises(ValueError, match="leaves no room"):  # a script is no slide
                render(problem, path, picture=picture, style=style, dpi=72, **looks)
            continue
        render(problem, path, picture=picture, style=style, dpi=72, **looks)
        assert path.stat().st_size > 500
    if made.width is not None and picture != "code":
        width, height = (
            float(length.removesuffix("mm"))
            for length in map(ElementTree.parse(tmp_path / "a.svg").getroot().attrib.get, ("width", "height"))
        )
        assert width == pytest.approx(10 * made.width, abs=0.5)
        assert made.height is None or height == pytest.approx(10 * made.height, abs=0.5)


def test_heads_and_items_may_be_numbers_of_numpy_and_must_be_whole(tmp_path: Path) -> None:
    """They were a traceback, and a figure of head 0.5 was drawn."""
    twice = SMALL.replace(**{name: np.stack([getattr(SMALL, name)] * 2) for name in ("query", "key", "value")})
    render(twice, tmp_path / "a.png", heads=np.int64(0), batch=np.int64(1))
    render(twice, tmp_path / "b.png", heads=np.arange(1))
    for wrong in ({"heads": 0.5}, {"heads": [0.5]}, {"heads": (None,)}):
        with pytest.raises(ValueError, match=r"Heads are a number, several numbers or 'all', of weights .*; got"):
            render(twice, tmp_path / "c.png", **wrong)
    with pytest.raises(ValueError, match=r"A batch item is a whole number, got 0\.5"):
        render(twice, tmp_path / "c.png", batch=0.5)


def test_what_is_set_on_a_page_goes_by_the_word_of_the_command_line_and_by_the_older_one(tmp_path: Path) -> None:
    page = {"picture": "sweep", "cell": (0, 0), "session": False}
    render(a_problem(), tmp_path / "a.svg", **page, set={"steps": 2})
    render(a_problem(), tmp_path / "b.svg", **page, knobs={"steps": 2})
    render(a_problem(), tmp_path / "c.svg", **page)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


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


def test_a_style_gives_way_to_what_is_asked_for() -> None:
    assert ExportSettings(style="slide", height=5.0).sides == (None, 5.0)
    assert ExportSettings(style="paper-column").sides == (8.5, None)
    assert ExportSettings(style="paper-column", width=12.0).sides == (12.0, None)
    with pytest.raises(ValueError, match="not one of screen"):
        ExportSettings(style="poster")


def test_a_slide_has_type_of_sixteen_points_where_there_is_room(tmp_path: Path) -> None:
    render(SMALL, tmp_path / "a.svg", style="slide")
    render(SMALL, tmp_path / "b.svg", style="screen", font_size=16)
    sizes = [
        {float(found) for found in re.findall(r'font-size="([\d.]+)"', (tmp_path / name).read_text("utf-8"))}
        for name in ("a.svg", "b.svg")
    ]
    assert max(sizes[0]) == pytest.approx(max(sizes[1]))


def test_a_sequence_that_attends_to_itself_has_its_tokens_on_both_axes() -> None:
    rng = np.random.default_rng(4)
    width = {f"w_{name}": rng.standard_normal((3, 4)) for name in ("query", "key", "value")}
    problem = Problem(x=rng.standard_normal((5, 3)), **width, num_heads=2, query_tokens=WORDS)
    for stage, side in (("weights", "columns"), ("weights", "rows"), ("value", "rows"), ("output", "rows")):
        head = None if stage == "output" else 0
        figure = compose_figure(DenseEvaluation(problem), ExportSettings(stage=stage), (head,))
        assert tuple(getattr(figure, side).labels) == WORDS


def test_titles_name_stage_head_and_item(tmp_path: Path) -> None:
    write(a_problem(), tmp_path / "a.svg", stage="scaled", heads=3, batch=1)
    write(a_problem(), tmp_path / "b.svg", stage="scaled", heads=3, batch=1, lang="zh")
    assert "Scaled scores · head 3 · item 1" in texts(tmp_path / "a.svg")
    chinese = "".join(texts(tmp_path / "b.svg"))
    assert "缩放" in chinese
    assert "Scaled" not in chinese
    assert "when" in chinese  # tokens are no words of ours


def test_the_longest_sides_that_may_be_asked_for_are_drawn(tmp_path: Path) -> None:
    (path,) = write(a_problem(), tmp_path / "w.svg", width=500, height=500)
    assert path.is_file()


def test_a_notebook_is_not_burdened_with_a_large_svg() -> None:
    rng = np.random.default_rng(0)
    problem = Problem(
        query=rng.standard_normal((51, 2)),
        key=rng.standard_normal((53, 2)),
        value=rng.standard_normal((53, 2)),
        num_heads=1,
    )
    assert render(problem)._repr_svg_() is None


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


@each("heads", [1, 2, 3, 5])
def test_the_two_states_of_a_head_stay_in_one_row(heads):
    rng = np.random.default_rng(3)
    now = Problem(**{name: rng.normal(size=(7, 2 * heads)) for name in ("query", "key", "value")}, num_heads=heads)
    beside = ComparedState(lambda _now: DenseEvaluation(now.replace(scale=1.0)))
    options = ExportSettings(stage="weights", beside=beside)
    layout = plan(compose_figure(evaluation_drawn(DenseEvaluation(now), options), options, tuple(range(heads))))
    assert [before.top() for before in layout.maps[::2]] == [after.top() for after in layout.maps[1::2]]


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


def test_the_names_of_two_states_do_not_lie_on_each_other(states, tmp_path):
    names = tuple(
        f"a long name of a checkpoint {'before' if side else 'after'} it was trained once more" for side in (1, 0)
    )
    small = [
        state.replace(query=state.query[:2], key=state.key[:3], value=state.value[:3], mask=()) for state in states
    ]
    before, now = map(DenseEvaluation, small)
    write(now, tmp_path / "a.svg", heads=0, beside=ComparedState(lambda _now: before, "side_by_side", names))
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").count("…") >= 2


def test_the_legend_counts_the_cells_of_a_state_once(states):
    _, masked = states
    closed = int(np.isneginf(compute(masked)["masked"][0, 1]).sum())
    for before, said in ((masked.replace(scale=1.0), f"{closed}"), (masked.replace(mask=()), f"0 | {closed}")):
        found = figure((before, masked), "side_by_side")
        assert [legend_text((found,), flag) for flag in plan(found).legend[0]] == [f"not allowed  {said}"]


# --- operands of the product picture and of the row of stages -------------------------------------
N, D = 3, 4


def layer(kind, rng):
    """A layer of one head with a norm before or after its attention."""
    arrays = {name: rng.normal(size=(D, D)) for name in ("w_query", "w_key", "w_value", "w_output")}
    norms = {f"norm{number}_{part}": rng.normal(size=D) for number in (1, 2) for part in ("weight", "bias")}
    ups = {"w_up": rng.normal(size=(D, 5)), "w_down": rng.normal(size=(5, D))}
    return Problem(x=rng.normal(size=(N, D)), **arrays, block={"kind": kind, "activation": "relu", **norms, **ups})


def direct(rng):
    return Problem(**{name: rng.normal(size=(N, D)) for name in ("query", "key", "value")})


def projected(rng, width):
    weights = {f"w_{name}": rng.normal(size=(width, D)) for name in ("query", "key", "value")}
    return Problem(x=rng.normal(size=(N, width)), **weights)


STATES = {
    "pre": lambda rng: layer("pre", rng),
    "post": lambda rng: layer("post", rng),
    "direct": direct,
    "normed": lambda rng: direct(rng).replace(query_norm=np.ones(D), key_norm=np.ones(D)),
    "turned": lambda rng: direct(rng).replace(rotary_theta=100.0),
    "projected": lambda rng: projected(rng, 7),
    "wider": lambda rng: projected(rng, 11),
}


def before_state(before, after, stages=None):
    return BeforeState(Difference(before, after, stages))


@each("face_of", [Difference, before_state])
@each(("before", "after"), [*permutations(STATES, 2)])
def test_every_matrix_beside_a_stage_can_be_read(face_of, before, after):
    rng = np.random.default_rng(0)
    now = DenseEvaluation(STATES[after](rng))
    face = face_of(DenseEvaluation(STATES[before](rng)), now, now.stages)
    operands = [operand for stage in face.stages for operand in picture_of(stage, face).operands().values()]
    for beside in (*operands, *(entry for entry in entries_of(face) if entry.kind == NODE)):
        plane = beside.plane(face, 0, 0)
        rows, columns = plane.shape
        values, _ = plane.block(slice(0, rows), slice(0, columns))
        assert values.shape == (rows, columns)


@each("face_of", [Difference, before_state])
@each("name", ["query", "value"])
def test_states_of_other_widths_have_no_matrices_beside_a_stage_that_lacks_one(face_of, name):
    rng = np.random.default_rng(0)
    now = direct(rng)
    wide = now.replace(value=rng.normal(size=(N, 7))) if name == "value" else now.replace(query=now.key, key=now.query)
    face = face_of(DenseEvaluation(wide), DenseEvaluation(now))
    assert bool(picture_of("weights", face).operands()) == (name == "query")


def test_each_state_is_headed_by_the_formula_of_its_own_problem():
    rng = np.random.default_rng(2)
    plain = Problem(**{name: rng.normal(size=(4, 3)) for name in ("query", "key", "value")})
    masked = plain.replace(mask=[{"kind": "causal"}])
    now = DenseEvaluation(masked)
    state = BeforeState(Difference(DenseEvaluation(plain), now))
    assert "+ M" not in shown_latex(state, "weights")[0]
    assert shown_latex(state, "masked") == shown_latex(DenseEvaluation(plain), "scaled")
    assert "+ M" in shown_latex(now, "weights")[0]
    gained = BeforeState(Difference(now, DenseEvaluation(plain)))
    assert shown_latex(gained, "weights") == shown_latex(now, "weights")
    assert [formula_latex(each) for each in (state, gained)] == [
        formula_latex(DenseEvaluation(each)) for each in (plain, masked)
    ], "so does the line of steps"


# --- figures mark the cells that are changed by hand ----------------------------------------------
RECORD = {"kind": "set", "stage": "weights", "at": {"head": 1, "query": 2, "key": (1, 4)}, "values": 0.5}


def problem_of(n=6, **more):
    rng = np.random.default_rng(3)
    return Problem(**{name: rng.normal(size=(n, 8)) for name in ("query", "key", "value")}, num_heads=2, **more)


def colors(path):
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return {int(pixel) & 0xFFFFFF for pixel in np.unique(raw)}


@each("theme", ["light", "dark"])
@each("picture", ["map", "product"])
def test_cells_changed_by_hand_are_ringed_in_their_head_alone(tmp_path, theme, picture):
    problem, mark = problem_of(interventions=[RECORD]), THEMES[theme].edit.rgb() & 0xFFFFFF
    found = {}
    for head in (0, 1):
        path = tmp_path / f"{head}.png"
        render(problem, path, heads=head, theme=theme, picture=picture)
        found[head] = mark in colors(path)
    assert found == {0: False, 1: True}


@each(("lang", "words"), [("en", "changed by hand"), ("zh", "手动修改")])
def test_a_line_under_the_map_says_so(tmp_path, lang, words):
    texts = {}
    for name, records in (("with", [RECORD]), ("without", []), ("off", [{**RECORD, "enabled": False}])):
        path = tmp_path / f"{name}.svg"
        render(problem_of(interventions=records), path, heads=1, lang=lang)
        texts[name] = words in path.read_text(encoding="utf-8")
    assert texts == {"with": True, "without": False, "off": False}


def test_a_row_of_a_long_map_is_seen_although_its_cells_are_smaller_than_pixels(tmp_path):
    path = tmp_path / "long.png"
    render(problem_of(2100, interventions=[{**RECORD, "at": {"head": 1, "query": 40}}]), path, heads=1, width=10)
    assert THEMES["light"].edit.rgb() & 0xFFFFFF in colors(path)


def test_the_legend_of_a_product_is_about_all_of_its_maps(tmp_path):
    """It counted what is no number in the middle alone, and the ring around a cell of Q had no words."""
    record = {"kind": "set", "stage": "query", "at": {"row": 1, "column": 0}, "values": 0.5}
    problem = problem_of(interventions=[record])
    value = problem.value.copy()
    value[2, 0] = np.inf
    render(problem.replace(value=value), tmp_path / "a.svg", stage="scores", picture="product", heads=0)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "changed by hand" in text
    assert "∞  7" in text, "one cell of V, and its column of six in the output"
