"""The walk through one cell: true numbers in its sentences, a picture at any moment, and its files."""

import math
import re
from itertools import accumulate, combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from attn_gui import load, render
from attn_gui.cli import main
from attn_gui.engine import Evaluation, Problem, explain
from attn_gui.engine.creation.create import with_score
from attn_gui.engine.creation.layer_parts import with_block
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.engine.graph import indices
from attn_gui.engine.scores import SCORES
from attn_gui.figure.pages.page_kind import PageStyle
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.figure.text.rich_text import rich_width
from attn_gui.figure.walk import Walk, export_walk, walk_canvas, walk_of
from attn_gui.figure.walk.softmax_beats import percent
from attn_gui.paths import resource
from tests.costs import taking
from tests.failing import each, examples
from tests.seen import pixels_of

WORKED, LAYER = (resource("examples", f"{name}.npz") for name in ("worked-example", "transformer-layer"))
WIDTH, HEIGHT, MARGIN = 788, 360, 12


@pytest.fixture(autouse=True, scope="module")
def _fonts() -> None:
    ensure_gui()


@pytest.fixture
def worked() -> Evaluation:
    return evaluation_of(load(WORKED))


# --- read back ------------------------------------------------------------------------------------


SIGNS = {"·": "*", "×": "*", "÷": "/", "−": "-", "&gt;": ">", "√": "R"}
FUNCTIONS = {"E": math.exp, "R": math.sqrt, "T": math.tanh, "C": math.cos, "S": math.sin, "F": math.erfc}
WORDS = {"tanh": "T", "cos": "C", "sin": "S", "erfc": "F"}


def plain(rich: str) -> str:
    """Rich text as Python would write it: e^(…) as E(…), powers as **, no words before an equals sign."""
    text = re.sub(r"</?b>|</?span[^>]*>", "", rich)
    text = re.sub(r" \(the other \d+\)|（其余 \d+ 个）", "", text)
    text = re.sub(r"e<sup>(.*?)</sup>", r"E(\1)", text)
    text = re.sub(r"<sup>(\d)</sup>", r"**\1", text)
    text = re.sub(r"<su[bp]>.*?</su[bp]>", "", text)
    for word, sign in (*WORDS.items(), *SIGNS.items()):
        text = text.replace(word, sign)
    return re.sub(r"R([\d.]+)", r"R(\1)", text)


def equations(rich: str) -> list[tuple[str, str]]:
    """The equations of a sentence: the computation before an equals sign, the number after it."""
    sides = plain(rich).split(" = ")
    found = []
    for left, right in pairwise(sides):
        formula, number = re.search(r"[-+*/(). \deERTCSF]*$", left), re.match(r"-?[\d.]+(e-?\d+)?", right)
        if formula and number and re.search(r"[^\d. ]", formula[0]) and "∞" not in left:
            found.append((formula[0].lstrip(". "), number[0].rstrip(".")))
    return found


def assert_true(left: str, right: str) -> None:
    """Compute a formula from its printed numbers: the result is the printed one, rounded."""
    while left.count("(") < left.count(")"):  # what stood before it was in brackets of the sentence
        left = left[: left.rindex(")")]
    value = eval(left, {"__builtins__": {}}, FUNCTIONS)  # a sentence of our own
    printed, size = float(right), abs(float(right))
    digits = len(right.partition("e")[0].partition(".")[2]) - int(right.partition("e")[2] or 0)
    least = min(3 - math.floor(math.log10(size)), 4) if size >= 1e-3 else 4 if size == 0 else digits
    assert abs(value - printed) <= 0.5 * 10.0 ** -max(digits, least) * (1 + 1e-6), (left, value, right)


# --- the worked example ---------------------------------------------------------------------------


SAID = [
    "把 Q 的第 1 行和 Kᵀ 的第 1 列对齐：各有 3 个数，一一配对。",
    "每对相乘，再加起来：0·0 + 1·1 + 1·1 = 2，这就是 S[1, 1]。",
    "除以 √d<sub>k</sub> = √3 = 1.732：2 变成 1.1547，同一行的 1 变成 0.5774。",
    "取指数：负数也变成正数，差变成比。e<sup>0.5774</sup> = 1.781，e<sup>1.1547</sup> = 3.173。",
    "把这一行的指数加起来：1.781 + 3.173 = 4.954。",
    "自己的那一项除以总和：3.173 ÷ 4.954 = 0.6405。查询 1 把 64% 的注意力给了键 1。",
    "权重汇入 V 的各行：0.3595 × 1 + 0.6405 × 3 = 2.281，落进 O[1, 0]。",
]


def untagged(rich: str) -> str:
    return re.sub(r"</?b>|</?span[^>]*>", "", rich)


def test_the_worked_example_is_walked_in_eight_seconds_with_the_numbers_of_the_mock_up(worked):
    walk = walk_of(worked, 0, 0, "weights", (1, 1), PageStyle("light", "zh"))
    assert [untagged(beat.sentence) for beat in walk.beats] == SAID
    assert [beat.seconds for beat in walk.beats] == [1.2, 1.4, 1.0, 1.2, 0.9, 1.1, 1.2]
    assert walk.seconds == 8.0
    assert (walk.title, walk.subtitle) == ("演示 A[1, 1]", "查询 1 给键 1 的权重")
    assert untagged(walk.conclusion) == "结果：查询 1 给键 1 的权重 a<sub>1,1</sub> = 0.6405"
    lit = ["scores", "scores", "scaled", "weights", "weights", "weights", "head_output"]
    assert [beat.stage for beat in walk.beats] == lit
    assert len(walk_of(worked, 0, 0, "weights", (1, 1), pour=False).beats) == 6
    assert walk.beat_at(2.6 + 0.5) == (2, pytest.approx(0.5))
    assert walk.beat_at(99.0) == (6, 1.0)


def test_a_share_is_called_all_or_nothing_only_where_it_is():
    """0.9983 was "100% of its attention", and 3.4e-9 "3e-07%"."""
    shares = (0.0, 3.4e-9, 0.004, 0.36, 0.9949, 0.9983, 0.99999, 1.0)
    assert [*map(percent, shares)] == ["0%", "3e−7%", "0.4%", "36%", "99%", "99.8%", "100%", "100%"]


def test_columns_have_the_numbers_of_the_tables(tmp_path):
    numbers = np.arange(24.0).reshape(2, 12)
    heads = evaluation_of(Problem(x=np.eye(2), w_query=numbers, w_key=numbers, w_value=numbers, num_heads=4))
    walk = walk_of(heads, 0, 2, "query", (1, 1))
    assert (walk.title, walk.subtitle) == ("Walk through Q[1, 7]", "Query · head 2")
    assert "column 7" in untagged(walk.beats[0].sentence)
    assert untagged(walk.conclusion).endswith("q<sub>1,7</sub> = 19")
    for name in ("value", "concat"):
        assert explain(heads, name, (0, 1, 7)).index[-2:] == (1, 7)
    joined = walk_of(heads, 0, 0, "concat", (1, 7))
    assert "concat[1, 7] is O[1, 1] of head 2" in untagged(joined.beats[-1].sentence)
    sheet = export_walk(walk_of(heads, 0, 2, "weights", (1, 1)), tmp_path / "a.svg").read_text()
    assert "column 6" in sheet
    assert all(f">{number}<" in export_walk(walk, tmp_path / "b.svg").read_text() for number in (6, 7, 8))


# --- any cell of any problem ----------------------------------------------------------------------


MASK_LAYERS: dict[str, dict[str, Any]] = {
    "causal": {"kind": "causal", "align": "end"},
    "window": {"kind": "window", "left": 2, "right": 0},
    "prefix": {"kind": "prefix", "length": 2},
    "padding": {"kind": "padding", "lengths": 3},
    "alibi": {"kind": "alibi"},
}
BLOCKS = ("linear", "post", "pre")


def problem_of(rng: np.random.Generator) -> Problem:
    """Whatever the catalogs hold, in problems of a few cells, with numbers of any size."""

    def one_of(*choices: Any) -> Any:
        return choices[rng.integers(len(choices))]

    unit, coin = one_of(1e-4, 1.0, 1.0, 1.0, 40.0), (False, True)
    n, m, d, e = one_of((2, 2, 2, 3), (3, 5, 4, 4), (5, 9, 6, 8), (1, 12, 8, 6))

    def numbers(*shape: int) -> np.ndarray:
        return np.round(rng.normal(size=shape) * unit, 6)

    if one_of(*coin):
        fields: dict[str, Any] = {"query": numbers(n, 2 * d), "key": numbers(m, 2 * d), "value": numbers(m, 2 * d)}
    else:
        fields = {"x": numbers(n, e), "b_key": numbers(2 * d)}
        fields |= {f"w_{name}": numbers(e, 2 * d) for name in ("query", "key", "value")}
        fields |= {"w_output": numbers(2 * d, e), "b_output": numbers(e)}
        m = n
    layers = [MASK_LAYERS[one_of(*sorted(MASK_LAYERS))] for _ in range(one_of(0, 1, 2))]
    if one_of(*coin):
        layers.append({"kind": "custom", "allowed": rng.random((n, m)) > 0.4})
    fields |= {"softcap": one_of(None, 1.5), "temperature": one_of(None, 0.7), "rotary_theta": one_of(None, 20.0)}
    problem = Problem(**fields, num_heads=2, mask=tuple(layers), sink=numbers(2) if one_of(*coin) else None)
    problem = problem.replace(**with_score(problem, one_of(*sorted(SCORES))))
    if problem.projected and (kind := one_of(None, *BLOCKS)) is not None:
        problem = problem.replace(**with_block(problem, kind))
    if one_of(*coin):
        step = {"kind": "scale", "stage": one_of("scaled", "weights", "head_output", "query"), "at": {}, "factor": 0.5}
        problem = problem.replace(interventions=(step,))
    return problem


def painted(walk: Walk, seconds: float, *, still: bool = False) -> QImage:
    """A moment of a walk in the middle of a picture of one color."""
    image = QImage(WIDTH + 2 * MARGIN, HEIGHT + 2 * MARGIN, QImage.Format.Format_RGB32)
    image.fill(QColor("magenta"))
    painter = QPainter(image)
    walk.paint(painter, QRectF(MARGIN, MARGIN, WIDTH, HEIGHT), seconds, still=still)
    painter.end()
    return image


def assert_inside(image: QImage) -> None:
    rim = pixels_of(image)
    rim[MARGIN:-MARGIN, MARGIN:-MARGIN] = QColor("magenta").rgb()
    assert (rim == QColor("magenta").rgb()).all(), "something is painted outside"


@settings(max_examples=examples(20), phases=(Phase.explicit, Phase.generate))  # smaller seeds are no simpler problems
@given(st.integers(0, 2**32 - 1), st.sampled_from(("en", "zh")), st.sampled_from(("light", "dark")))
def test_any_walk_comes_to_its_cell_and_can_be_computed_again(seed, lang, theme):
    rng = np.random.default_rng(seed)
    evaluation = evaluation_of(problem_of(rng))
    for stage in evaluation.stages:
        head = int(rng.integers(2))
        plane = stage_plane(evaluation, stage, 0, head)
        cell = tuple(int(rng.integers(length)) for length in plane.shape)
        walk = walk_of(evaluation, 0, head, stage, cell, PageStyle(theme, lang), pour=False)
        value = float(evaluation.box(stage, indices.cell(plane.index(*cell))).item())
        assert walk.beats[-1].value == pytest.approx(value, rel=1e-9, abs=1e-300, nan_ok=True), (stage, cell)
        for beat in walk.beats:
            assert beat.title
            assert beat.stage in evaluation.stages
            for left, right in equations(beat.sentence) + equations(beat.result):
                assert_true(left, right)
        assert_inside(painted(walk, float(rng.uniform(0, walk.seconds)), still=bool(rng.integers(2))))


def test_the_walk_of_a_weight_ends_in_the_output_whatever_is_edited(worked):
    edited = worked.problem.replace(
        interventions=({"kind": "set", "stage": "weights", "at": {"query": 1, "key": 1}, "values": 0.9},)
    )
    walk = walk_of(evaluation_of(edited), 0, 0, "weights", (1, 1))
    assert untagged(walk.beats[-2].sentence) == "A[1, 1] is edited: 0.6405 as computed, now 0.9."
    assert walk.beats[-1].value == pytest.approx(0.3595425243 + 0.9 * 3)
    given_ = evaluation_of(Problem.from_weights([[0.2, 0.8], [0.5, 0.5]], value=[[1.0], [2.0]]))
    assert [beat.stage for beat in walk_of(given_, 0, 0, "weights", (0, 1)).beats] == ["weights", "head_output"]
    closed = walk_of(evaluation_of(worked.problem.replace(mask="causal")), 0, 0, "weights", (0, 1))
    said = "".join(untagged(beat.sentence) for beat in closed.beats)
    assert "causal: 1 ≤ 0" in said, "the layer that closes it"


def test_a_long_problem_is_walked_without_its_maps():
    side = np.random.default_rng(0).normal(size=(4096, 16)).astype(np.float32)
    evaluation = evaluation_of(Problem(query=side, key=side[::-1], value=side, num_heads=2, dtype="float32"))
    with taking(4096 * 4096):  # no map of one byte a cell
        walk = walk_of(evaluation, 0, 1, "weights", (4000, 17))
        assert_inside(painted(walk, walk.seconds * 0.7))
    assert "4089" in walk.beats[4].sentence  # all but the six largest and its own


# --- picture --------------------------------------------------------------------------------------


def test_a_cell_is_empty_until_its_number_lands(worked):
    walk = walk_of(worked, 0, 0, "weights", (1, 1))
    at = MARGIN + 270, MARGIN + 255  # in the cell, beside its number
    before, landed = (painted(walk, seconds).pixelColor(*at).name() for seconds in (2.0, 3.0))
    assert before == walk.theme.surface.name()
    assert landed == "#7a1a0c"
    assert painted(walk, 2.0, still=True).pixelColor(*at).name() == "#7a1a0c"


@each("rows", [2, 4, 6, 8, 12], one_of=2)
def test_a_number_can_be_read_wherever_it_is_on_its_way(rows, monkeypatch):
    side = np.random.default_rng(0).normal(size=(rows, 3)).round(2) * 1.37
    walk = walk_of(evaluation_of(Problem(query=side, key=side[::-1], value=side)), 0, 0, "weights", (rows - 1, 0))
    written = []

    def write(painter, at, rich, _color, pixels, share=0.0):
        width = rich_width(rich, pixels)
        place = QRectF(at.x() - share * width + 1, at.y() - 0.7 * pixels, width - 2, 0.6 * pixels)
        written.append((rich, pixels, painter.transform().mapRect(place)))

    monkeypatch.setattr(walk_canvas, "write_rich", write)
    for seconds in np.linspace(0, walk.seconds, 40):
        painted(walk, seconds)
    assert min(pixels for rich, pixels, _ in written if rich) >= 10
    for seconds in accumulate(beat.seconds for beat in walk.beats):  # all has landed: none stands over another
        written.clear()
        painted(walk, seconds - 1e-6)
        pairs = combinations([(rich, place) for rich, _, place in written if rich], 2)
        assert not [(one, other) for (one, here), (other, there) in pairs if here.intersects(there)]


# --- files ----------------------------------------------------------------------------------------


def test_the_command_line_writes_sheets(tmp_path, capsys):
    words = ["export", str(WORKED), "-o", str(tmp_path), "--walk", "--dpi", "96", "--lang", "zh"]
    assert main([*words, "--format", "png", "svg", "pdf"]) == 0
    paths = [tmp_path / f"worked-example-weights-walk-h0.{ending}" for ending in ("png", "svg", "pdf")]
    assert capsys.readouterr().out.split() == [str(path) for path in paths]
    assert load(paths[0]) == load(paths[1]) == load(paths[2]) == load(WORKED)
    text = paths[1].read_text("utf-8")
    assert "演示 A[1, 1]" in re.sub(r"<[^>]*>", "", text)  # the default: the largest of the last row
    assert "3.173 ÷ 4.954 = " in text


def test_python_draws_a_walk_to_any_cell(tmp_path):
    drawn = render(load(WORKED), tmp_path / "o.svg", walk=True, stage="head_output", cell=(0, 1), width=15)
    assert "O[0, 1]" in (tmp_path / "o.svg").read_text("utf-8")
    assert drawn.image().width() > 100
    with pytest.raises(ValueError, match=r"There is no cell 0,7 in weights: .* columns from 0 to 1\."):
        render(load(WORKED), walk=True, cell=(0, 7))
    with pytest.raises(ValueError, match="levels means nothing with a walk"):
        render(load(WORKED), walk=True, levels=(0, 1))


@pytest.mark.parametrize(
    ("ending", "sides", "least"), [("pdf", {"width": 8.5}, "12.1"), ("svg", {"width": 30, "height": 14.3}, "")]
)
def test_a_walk_too_small_to_be_read_is_refused(tmp_path: Path, ending: str, sides: dict[str, Any], least: str) -> None:
    with pytest.raises(ValueError, match=rf"smaller than 5 points; it needs at least {least}"):
        render(load(WORKED), tmp_path / f"a.{ending}", walk=True, **sides)
    assert not list(tmp_path.iterdir())


@each("picture", [["--walk"], ["--page", "gradient_maps"]])
def test_columns_of_a_head_are_counted_within_it_and_named_in_the_whole_matrix(
    tmp_path: Path, capsys: Any, picture: list[str]
) -> None:
    words = ["export", str(LAYER), "-o", str(tmp_path), "--stage", "query", "--heads", "1", "--format", "svg", *picture]
    assert main([*words, "--cell", "1,3"]) == 0
    assert "Q[1, 7]" in Path(capsys.readouterr().out.strip()).read_text("utf-8")
    assert main([*words, "--cell", "1,7"]) == 2
    assert "counted within the head, from 0 to 3" in capsys.readouterr().err


@pytest.mark.long
def test_the_progress_of_a_moving_picture_goes_on_to_its_end(tmp_path, worked):
    shares: list[float] = []
    export_walk(walk_of(worked, 0, 0, "weights", (1, 1)), tmp_path / "a.gif", progress=shares.append)
    steps = np.diff(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert steps.min() > 0
    assert steps.max() < 0.05
