"""The card of a cell: what it says is true, it holds on both forms and themes, and its file opens as the session."""

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from attn_gui import explain, load, render, save
from attn_gui.cli import main
from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.figure.card import SQUARE, WIDE, compose_card, plan_card, sentence
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.paths import resource
from tests.failing import each

TOKENS = ("[CLS]", "the", "animal", "didn", "'", "t", "cross", ".", "[SEP]")


@pytest.fixture
def problem():
    q, k, v = np.random.default_rng(0).standard_normal((3, 9, 4))
    return Problem(query=q, key=k, value=v, query_tokens=TOKENS, key_tokens=TOKENS, mask=({"kind": "causal"},))


def said(problem, stage, cell, lang):
    settings = ExportSettings(stage=stage, cell=cell, lang=lang)
    return compose_card(DenseEvaluation(problem), settings, 0, lambda share: None).title


@each(
    ("stage", "cell", "en", "zh"),
    [
        ("weights", (2, 1), "animal gives {:.2f} of its attention to the", "animal 把 {:.2f} 的注意力给了 the"),
        ("masked", (1, 2), "the does not see animal", "the 看不到 animal"),
        ("scores", (2, 6), "animal and cross, scores: {:.2f}", "animal 与 cross 的注意力分数：{:.2f}"),
        ("head_output", (2, 3), "animal, head output, column 3: {:.2f}", "animal 的单头输出，第 3 列：{:.2f}"),
        ("key", (6, 0), "cross, key, column 0: {:.2f}", "cross 的键，第 0 列：{:.2f}"),
    ],
)
def test_the_finding_is_what_is_true_of_the_cell(problem, stage, cell, en, zh):
    trace = compute(problem)
    value = explain(trace, stage, (0, *cell) if trace[stage].ndim == 3 else (0, 0, *cell)).value
    for lang, words in (("en", en), ("zh", zh)):
        assert said(problem, stage, cell, lang) == words.format(value).replace("-", "−")


def test_without_tokens_queries_and_keys_have_their_numbers():
    worked = load(resource("examples", "worked-example.npz"))
    assert said(worked, "weights", (1, 1), "en") == "Query 1 gives 0.64 of its attention to key 1"
    assert said(worked, "weights", (1, 1), "zh") == "查询 1 把 0.64 的注意力给了键 1"
    assert said(worked, "weights", None, "en") == "Query 1 gives 0.64 of its attention to key 1"  # the largest


def test_tokens_become_the_sentence_again():
    assert "".join(run.text for run in sentence(TOKENS, {})) == "the animal didn't cross."
    assert "".join(run.text for run in sentence(("un", "##likely", "今", "天", "Ġok"), {})) == "unlikely 今天 ok"


@each("size", [WIDE, SQUARE])
@each("stage", ["weights", "head_output"])
def test_everything_stands_on_the_card_and_nothing_on_the_map(problem, size, stage):
    figure = compose_card(DenseEvaluation(problem), ExportSettings(stage=stage, cell=(2, 1)), 0, lambda share: None)
    layout = plan_card(figure, size)
    assert 0 < layout.map.left() < layout.map.right() < layout.width
    assert layout.map.bottom() < layout.foot.top()
    for at, formula, em in layout.formulas:
        right, bottom = at.x() + formula.width * em, at.y() + formula.height * em
        assert right <= layout.width - 20
        assert bottom <= layout.foot.top()
        assert right <= layout.map.left() or at.x() >= layout.map.right() or bottom < layout.map.top()


@each("theme", ["light", "dark"])
@each(("form", "size"), [(True, (1200, 630)), ("square", (1080, 1080))])
def test_a_card_has_its_size_and_opens_as_the_session(problem, tmp_path, form, size, theme):
    path = tmp_path / "card.png"
    render(problem, path, card=form, cell=(2, 1), theme=theme)
    image = QImage(str(path))
    assert image.size().toTuple() == size
    assert image.pixelColor(4, 4) == THEMES[theme].surface
    assert image.pixelColor(4, size[1] - 4) == THEMES[theme].raised
    assert load(path) == problem


def test_the_chosen_cell_has_the_color_of_its_number_and_a_ring(problem):
    settings = ExportSettings(stage="weights", cell=(2, 1))
    figure = compose_card(DenseEvaluation(problem), settings, 0, lambda share: None)
    place = plan_card(figure, WIDE).map
    image = render(problem, card=True, cell=(2, 1), dpi=96).image()
    width, height = place.width() / 9, place.height() / 9
    left, top = place.left() + width, place.top() + 2 * height
    values = figure.map.panels[0].values
    expected = QColor.fromRgb(int(figure.map.table[round(float(values[2, 1]) * (len(figure.map.table) - 1))]))
    seen = image.pixelColor(round(left + width / 2), round(top + height * 0.8))
    assert max(abs(a - b) for a, b in zip(seen.getRgb(), expected.getRgb(), strict=True)) <= 4
    ring = {image.pixelColor(round(left + dx), round(top + height / 2)).name() for dx in (-2, -1, 0, 1)}
    assert THEMES["light"].ink.name() in ring


def test_the_command_line_writes_cards(tmp_path, capsys):
    example = str(resource("examples", "worked-example.npz"))
    assert main(["export", example, "-o", str(tmp_path), "--card", "square", "--cell", "1,1", "--lang", "zh"]) == 0
    (path,) = tmp_path.iterdir()
    assert path.name == "worked-example-weights-card-h0.png"
    assert QImage(str(path)).size().toTuple() == (1080, 1080)
    assert main(["export", example, "-o", str(tmp_path), "--card", "--cell", "7,1"]) == 2
    assert "7,1" in capsys.readouterr().err


@each("picture", ["--card", "--walk"])
def test_joined_heads_have_one_card_and_one_walk_of_no_head(tmp_path, capsys, picture):
    q, k, v = np.random.default_rng(0).standard_normal((3, 3, 4))
    problem = Problem(query=q, key=k, value=v, num_heads=2)
    save(problem, tmp_path / "a.attn")
    out = tmp_path / "out"
    words = ["export", str(tmp_path / "a.attn"), "-o", str(out), "--stage", "concat", "--format", "svg", picture]
    assert main(words) == 0
    assert [path.name for path in out.iterdir()] == [f"a-concat-{picture[2:]}-h0.svg"]
    assert main([*words, "--heads", "1"]) == 0
    assert f"a-concat-{picture[2:]}-h1.svg" in capsys.readouterr().out
    figure = compose_card(DenseEvaluation(problem), ExportSettings(stage="concat"), 1, lambda share: None)
    assert (figure.source, figure.map.panels[0].values.shape) == ("Concatenated heads", (3, 4))
    assert figure.cell[1] in (2, 3), "without a cell that is chosen it is one of the head that is asked for"
