"""The inspector: the panel as a whole, the table of terms, and sentences about a cell, which are so."""

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.app.explain import later_stages
from attn_gui.engine import DenseEvaluation, Plane, Problem, compute
from attn_gui.engine.analysis.explanation import explain
from attn_gui.views.inspector.cell_relations import ExplainContext, Relations
from attn_gui.views.inspector.inspector import Inspector
from attn_gui.views.inspector.terms import TermsView
from attn_gui.views.text_views import FormulaView, Link, SentenceView
from attn_gui.views.widgets import FittingPage
from tests.failing import each

QUERIES = ("The", "<s>", "it", "<img src=x>", "tired")
KEYS = ("a", "b", "c", "<b>d</b>", "e", "f", "g")
NAN, INF = np.nan, np.inf
CAUSAL = {"kind": "causal"}
PLAIN = {"query_tokens": None, "key_tokens": None}
BIAS = np.zeros((5, 7))
BIAS[0, 1:] = BIAS[1] = BIAS[2, :3] = -INF
BIASED = PLAIN | {"mask": ({"kind": "bias", "values": BIAS},)}
LARGE = {"query": [[3.0, 0, 0, 3, 0, 0]] * 5, "key": [[0.0] * 6, [2.0] * 6, *[[1.0] * 6] * 5]}
MASKED = {"mask": ({"kind": "padding", "lengths": 7}, CAUSAL)}
BLIND = {"mask": ({"kind": "padding", "lengths": 0},)}
BLANKS = {"query_tokens": ("  ", " the", "{key}", "{0}", "z")}
CLOSED = "the causal mask closes it, so its weight is 0."
NO_KEY = "sees no key: weights 0, output 0."


def rounded(seed: int, shapes: dict[str, Any], fields: dict[str, Any]) -> Problem:
    normal = np.random.default_rng(seed).normal
    return Problem(**{name: normal(size=shape).round(2) for name, shape in shapes.items()} | {"num_heads": 2} | fields)


def direct(**more: Any) -> Problem:
    """n = 5, m = 7, two heads, d_k = 3, d_v = 2: no two axes have the same length."""
    names = {"query_tokens": QUERIES, "key_tokens": KEYS}
    return rounded(3, {"query": (5, 6), "key": (7, 6), "value": (7, 4)}, names | more)


def put(inspector, problem, stage, row, column, head=1, trail=()):
    """Explain a cell, row and column as they stand in the map."""
    evaluation = DenseEvaluation(problem)
    index = Plane(evaluation, stage, 0, head if stage not in ("concat", "output") else None).index(row, column)
    reach, tokens = later_stages(evaluation, stage, index), (problem.query_tokens, problem.key_tokens)
    context = ExplainContext(head, row, column, *tokens, problem=problem, reach=reach, trail=trail)
    inspector.set_explanation(explain(evaluation, stage, index), context)


@pytest.fixture
def shown(qtbot):
    """An inspector on screen that explains a cell."""
    held: list[Inspector] = []  # by nothing else where a test asks for a part of it alone

    def show(problem: Problem, stage: str, row: int, column: int, head: int = 1, width: int = 326) -> Inspector:
        inspector = Inspector()
        held.append(inspector)
        qtbot.addWidget(inspector)
        put(inspector, problem, stage, row, column, head)
        inspector.resize(width, 700)
        inspector.show()
        qtbot.waitExposed(inspector)
        QApplication.processEvents()  # lays the page out
        return inspector

    return show


def links(inspector: Inspector) -> dict[str, Link]:
    return {link.text(): link for link in inspector.findChildren(Link) if link.isVisible()}


def words(inspector: Inspector) -> set[str]:
    return {label.text() for label in inspector.findChildren(QLabel) if label.isVisible()}


def table(inspector: Inspector) -> TermsView:
    return inspector.findChild(TermsView)


def activate(inspector: Inspector, qtbot: QtBot) -> None:
    inspector.activateWindow()
    qtbot.waitUntil(inspector.isActiveWindow)


@each(
    ("stage", "row", "column", "expected"),
    [
        ("scores", 2, 3, ["Q[2, ·]", "K[3, ·]", "S′[2, 3]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("scaled", 2, 3, ["Q[2, ·]", "K[3, ·]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("head_output", 2, 1, ["A[2, ·]", "V[·, 3]", "concat[2, 3]"]),
        ("query", 2, 1, ["S[2, ·]", "S′[2, ·]", "A[2, ·]", "O[2, ·]", "concat[2, 2 … 3]"]),
        ("key", 2, 1, ["S[·, 2]", "S′[·, 2]", "A[·, ·]", "O[·, ·]", "concat[·, 2 … 3]"]),
    ],
)
def test_rows_and_columns_are_one_link_to_the_last_stage(shown, stage, row, column, expected):
    neighbors = shown(direct(), stage, row, column).findChild(Relations).findChildren(Link)
    assert [link.text() for link in neighbors if link.isVisible()] == expected


def test_everything_is_reached_by_tab_in_reading_order(shown, qtbot):
    inspector = shown(direct(), "weights", 2, 1)
    put(inspector, direct(), "weights", 2, 1, trail=[("scaled", 2, 1)])
    activate(inspector, qtbot)
    links(inspector)["S′[2, 1]"].setFocus()
    met = []
    for _ in range(10):
        here = QApplication.focusWidget()
        met.append(here.objectName() or here.text())
        QTest.keyClick(here, Qt.Key.Key_Tab)
    assert met.pop(3).startswith("S′[2, 1] = ")
    buttons = [f"inspector.{name}" for name in ("origin", "reach", "copy", "one_equation")]
    assert met == ["S′[2, 1]", "inspector.walk", "inspector.terms", "O[2, ·]", "concat[2, 2 … 3]", *buttons]


def test_following_an_edit_keeps_the_keyboard_where_it_is(shown, qtbot):
    inspector = shown(direct(), "weights", 2, 1)
    activate(inspector, qtbot)
    link = links(inspector)["O[2, ·]"]
    link.setFocus()
    put(inspector, direct(scale=0.5), "weights", 2, 1)
    assert QApplication.focusWidget() is link


def test_what_does_not_fit_scrolls_as_one_and_nothing_gives_way(shown):
    inspector = shown(direct(), "weights", 2, 1, width=248)
    page, terms = inspector.findChild(FittingPage, "inspector.page"), table(inspector)
    relations = inspector.findChild(Relations)
    parts = page.findChildren(FormulaView)[1]
    for height in (900, 500, 300, 200):
        inspector.resize(248, height)
        QApplication.processEvents()
        assert terms.verticalScrollBar().maximum() == 0
        for widget in (parts, relations, terms, *relations.links()):
            page.ensureWidgetVisible(widget)
            assert widget.isVisible()
            assert not widget.visibleRegion().isEmpty(), (height, widget)
    inspector.resize(248, 400)
    QApplication.processEvents()
    assert page.verticalScrollBar().maximum() > 0
    page.verticalScrollBar().setValue(0)
    _wheel_over(terms)
    assert page.verticalScrollBar().value() > 0


def _wheel_over(widget: QAbstractScrollArea) -> None:
    """One notch down over a table, which goes on to whoever can scroll."""
    window = widget.window()
    place = widget.viewport().mapTo(window, QPoint(9, 9))
    QTest.wheelEvent(window.windowHandle(), QPointF(place), QPoint(0, -120))
    QApplication.processEvents()


def test_a_link_to_a_row_leads_to_the_term_that_matters_most(shown, qtbot):
    query, key = np.full((5, 6), 0.1), np.full((7, 6), 0.1)
    query[2, 5] = key[1, 5] = 3.0  # head 1, column 2 of it
    inspector = shown(direct(query=query, key=key), "scores", 2, 1)
    with qtbot.waitSignal(inspector.cellRequested) as caught:
        QTest.mouseClick(links(inspector)["Q[2, ·]"], Qt.MouseButton.LeftButton)
    assert caught.args == ["query", (0, 2, 5)]


@each("width", [232, 302])
def test_no_word_is_cut_at_the_widths_of_the_look(shown, width):
    inspector = shown(direct(), "scaled", 2, 1, width=width)
    assert inspector.minimumSizeHint().width() <= width
    for widget in inspector.findChildren(QWidget):
        if widget.isVisible() and isinstance(widget, (Link, QPushButton, QLabel)):
            assert widget.width() >= widget.sizeHint().width(), widget.text()


def texts(view: TermsView) -> list[list[str]]:
    model = view.model()
    return [
        [model.index(row, column).data() for column in range(model.columnCount())] for row in range(model.rowCount())
    ]


def headers(view: TermsView) -> list[str]:
    return [view.model().headerData(k, Qt.Orientation.Horizontal) for k in range(view.model().columnCount())]


def wide(width: int = 32) -> Problem:
    """One head whose dot product of query 2 and key 3 has `width` products of distinct sizes."""
    query, key = np.zeros((5, width)), np.ones((7, width))
    query[2] = [(k + 1) * (-1) ** k for k in range(width)]
    return direct(query=query, key=key, value=np.ones((7, 2)), num_heads=1)


@each("normalize", ["none", "sigmoid", "sum"])
def test_weights_of_every_normalization_stand_beside_those_of_the_other_keys(shown, normalize):
    problem = direct(normalize=normalize, mask=[{"kind": "causal"}])
    view, trace = table(shown(problem, "weights", 2, 1)), compute(problem)
    keys = [k for k in range(3) if trace["weights"][0, 1, 2, k] != 0]
    order = sorted(keys, key=lambda k: -trace["weights"][0, 1, 2, k])
    assert view.isVisible()
    assert headers(view) == ["key", "s\u1d50", "a"]
    assert [row[0] for row in texts(view)] == [KEYS[k] for k in order]
    for row, k in zip(texts(view), order, strict=True):
        numbers = [float(text.replace("−", "-")) for text in row[1:]]
        assert numbers == pytest.approx([trace[stage][0, 1, 2, k] for stage in ("masked", "weights")], abs=6e-5)
    assert view.terms().signed() == (normalize == "none")


def test_keys_beside_a_weight_set_by_hand_are_named_as_computed(shown):
    """Below “a” stood 0.5369 of a weight that was 0.27 in the map."""
    problem = direct(**by_hand("weights", 0.5))
    inspector = shown(problem, "weights", 0, 2)
    view, computed = table(inspector), compute(direct())["weights"][0, 1, 0]
    assert headers(view)[-1] == "a\u2070"
    assert [float(row[-1]) for row in texts(view)] == pytest.approx(np.sort(computed)[::-1], abs=6e-5)
    put(inspector, direct(), "weights", 0, 2)
    assert headers(view)[-1] == "a"


def test_products_name_their_cells_and_stand_by_magnitude(shown):
    view = table(shown(wide(7), "scores", 2, 3, head=0))
    assert headers(view) == ["", "Q[2, c]", "K[3, c]", "q·k"]
    assert [row[0] for row in texts(view)] == [f"c = {k}" for k in range(6, -1, -1)]
    assert [row[3] for row in texts(view)][:3] == ["7", "−6", "5"]


def test_terms_of_a_head_are_called_as_tables_and_formulas_count_columns(shown):
    rows = np.arange(12.0).reshape(3, 4)
    problem = Problem(query=rows, key=rows, value=rows, num_heads=2)
    view = table(shown(problem, "scores", 0, 1))
    assert headers(view)[1:3] == ["Q[0, c]", "K[1, c]"]
    assert sorted(row[:3] for row in texts(view)) == [["c = 2", "2", "6"], ["c = 3", "3", "7"]]
    shared = problem.replace(num_kv_heads=1, key=rows[:, :2], value=rows[:, :2])
    view = table(shown(shared, "scores", 0, 1))
    assert headers(view)[1:3] == ["Q[0, c]", "K[1, c − 2]"]
    assert sorted(row[:3] for row in texts(view)) == [["c = 2", "2", "4"], ["c = 3", "3", "5"]]


def test_printed_factors_give_their_printed_product(shown):
    scores = np.array([[1 / np.sqrt(3), 2 / np.sqrt(3)]])
    matrices = {"query": np.array([[1.0]]), "key": scores.T, "value": np.array([[1.0], [3.0]])}
    worked = direct(**matrices, **PLAIN, num_heads=1, scale=1.0)
    rows = texts(table(shown(worked, "head_output", 0, 0, head=0)))
    assert rows == [["1", "0.6405", "3", "1.921"], ["0", "0.3595", "1", "0.360"]]
    for row in texts(table(shown(direct(), "head_output", 2, 1))):
        weight, value, product = (float(text.replace("−", "-")) for text in row[1:])
        assert abs(weight * value - product) <= 0.0005 + 1e-9, row
    assert len({len(row[1].partition(".")[2]) for row in rows}) == 1


def test_a_long_list_ends_with_its_tail_which_opens(shown, qtbot):
    inspector = shown(wide(), "scores", 2, 3, head=0)
    view = table(inspector)
    assert view.model().rowCount() == 11
    last = texts(view)[-1]
    assert last[0] == "22 more"
    assert float(last[3].replace("−", "-")) == sum((k + 1) * (-1) ** k for k in range(22))
    assert view.accessibleName() == "Terms q·k, 10 of 32"
    with qtbot.assertNotEmitted(inspector.cellRequested):
        tail = view.visualRect(view.model().index(10, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=tail)
    assert view.model().rowCount() == 32
    assert view.accessibleName() == "Terms q·k"
    opened, before = texts(view), []
    view.model().modelAboutToBeReset.connect(lambda: before.append(texts(view)))
    put(inspector, direct(), "scores", 0, 0)
    assert before == [opened], "its terms are there until it says that others come"


def test_wild_numbers_are_listed_first_and_break_nothing(shown):
    query = np.ones((5, 6))
    query[2, 3:] = [np.nan, np.inf, 1e300]
    view = table(shown(direct(query=query), "scores", 2, 3))
    assert texts(view)[0][3] == "NaN"
    assert texts(view)[1][1] == "+∞"
    assert "e300" in texts(view)[2][1]
    assert not view.grab().isNull()


def test_a_name_that_is_cut_is_told_in_full(shown):
    view = table(shown(direct(key_tokens=("a" * 60, *"bcdefg")), "head_output", 2, 1, width=232))
    assert "a" * 60 in [view.model().index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(7)]


def test_the_keyboard_follows_a_term(shown, qtbot):
    inspector = shown(direct(), "weights", 2, 1)
    view = table(inspector)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Down)
    key = view.currentIndex().siblingAtColumn(0).data()
    with qtbot.waitSignal(inspector.cellRequested) as caught:
        QTest.keyClick(view, Qt.Key.Key_Return)
    name, index = caught.args
    assert (name, index[:3]) == ("scaled", (0, 1, 2))
    assert ("a", "b", "c", "<b>d</b>", "e", "f", "g")[index[3]] == key


def said(inspector):
    return inspector.findChild(SentenceView, "inspector.sentence").text()


def layer():
    """A pre-norm layer of width 6 with every bias and a gated network of 7 columns; n = 5."""
    rng = np.random.default_rng(11)
    shapes = {"w_query": (6, 4), "w_key": (6, 4), "w_value": (6, 2), "w_output": (2, 6)}
    shapes |= {"b_query": (4,), "b_key": (4,), "b_value": (2,), "b_output": (6,)}
    network = {"norm1_weight": (6,), "norm1_bias": (6,), "norm2_weight": (6,), "w_up": (6, 7), "b_up": (7,)}
    network |= {"w_gate": (6, 7), "b_gate": (7,), "w_down": (7, 6), "b_down": (6,)}
    made = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    block = {"kind": "pre", "norm": "rms"} | {name: rng.normal(size=shape) for name, shape in network.items()}
    return Problem(x=rng.normal(size=(5, 6)), num_heads=2, num_kv_heads=2, block=block, **made)


def wider_keys():
    """Heads of keys are three wide, those of queries two."""
    rng, shapes = np.random.default_rng(4), {"query": (5, 4), "key": (7, 6), "value": (7, 2)}
    tables = {"w_score_query": (2, 4), "w_score_key": (3, 4), "w_score": (4,)}
    return Problem(
        **{name: rng.normal(size=shape) for name, shape in shapes.items()},
        num_heads=2,
        score="additive",
        score_params={name: rng.normal(size=shape) for name, shape in tables.items()},
    )


def by_hand(stage, values=None, **more):
    """Changed in query 0 and key 2, or scaled as a whole."""
    put = {"kind": "set", "at": {"query": 0, "key": 2}, "values": values} if values is not None else {"kind": "scale"}
    return {"interventions": ({**put, "stage": stage, **more},)}


def with_key(row, number):
    """One key of head 1 is this number, all others are ones."""
    key = np.ones((7, 6))
    key[row, 3:] = number
    return key


# of the problem of the fixtures with these fields, of head 1: the cell, and a part of what is said of it
TOLD = [
    ({}, "scores", 2, 3, "Score of query it and key <b>d</b>: "),
    ({}, "scaled", 2, 3, "divided by √3."),
    ({}, "head_output", 4, 1, "Column 1 of the output of query tired in head 1: "),
    ({}, "head_output", 4, 1, "It is the sum of 7 values, each times its weight."),
    ({}, "concat", 0, 3, "It is column 1 of head 1."),
    ({}, "output", 0, 3, "Without W_O it is the joined heads themselves."),
    ({}, "query", 3, 2, "Column 5 (head 1, its column 2) of Q for query <img src=x>: "),
    ({}, "value", 3, 1, "Column 3 (head 1, its column 1) of V for key <b>d</b>: "),
    ({}, "query", 3, 2, "It is given, not computed."),
    (PLAIN, "scores", 1, 3, "Score of query 1 and key 3: "),
    (BLANKS, "scores", 1, 3, "Score of query the and"),
    (BLANKS, "scores", 2, 0, "query {key} and"),
    (LARGE, "weights", 2, 1, "gives key b a weight of 0"),
    (LARGE, "weights", 2, 1, ", the largest of 7."),
    (LARGE, "weights", 2, 0, "the smallest of 7"),
    ({"key": with_key(2, NAN)}, "weights", 1, 4, "Query <s> gives key e a weight of NaN."),
    *(
        ({"score": score, "scale": scale}, "scaled", 0, 0, words)
        for score in ("cosine", "gaussian", "average")
        for scale, words in ((None, "It is the score, not scaled."), (1.0, "not scaled."), (0.25, "times 0.25."))
    ),
    (MASKED, "weights", 1, 4, f"Query <s> does not see key e: {CLOSED}"),
    (MASKED, "masked", 1, 4, "the causal mask closes it, so its score is −∞."),
    (MASKED, "masked", 1, 1, "No mask layer closes it."),
    (BLIND, "weights", 2, 3, f"Query it {NO_KEY}"),
    (BLIND, "head_output", 2, 1, f"Query it {NO_KEY}"),
    (BIASED, "weights", 0, 0, "Query 0 gives key 0 a weight of 1: it sees no other key."),
    (BIASED, "weights", 0, 3, "Query 0 does not see key 3: its score is −∞, so its weight is 0."),
    (BIASED, "weights", 1, 0, f"Query 1 {NO_KEY}"),
    (BIASED, "head_output", 2, 0, "It is the sum of 4 values, each times its weight."),
    ({"softcap": 0.25}, "capped", 0, 0, "It stays between −0.25 and 0.25."),
    ({"softcap": 0.25, "key": with_key(2, NAN)}, "capped", 1, 2, ": NaN."),
    (
        {"score": "gaussian", "score_params": {"w": 0.125, "key_norm": 0.0625}},
        "scores", 0, 0, "counts 0.0625 times, times 0.125 squared.",
    ),
    *(
        (by_hand("scores", 9.0) | {"scale": scale}, "scaled", 0, 2, f"It is the score{words}")
        for scale, words in ((None, ", divided by √3."), (1.0, ", not scaled."), (0.25, " times 0.25."))
    ),
    (by_hand("scores", 9.0), "scaled", 0, 1, "It is the sum of 3 products"),
    (by_hand("masked", 3.0) | {"mask": (CAUSAL,)}, "weights", 0, 2, "of 2."),
    (by_hand("masked", 3.0) | {"mask": (CAUSAL,)}, "weights", 0, 3, CLOSED),
    (
        by_hand("masked", factor=2.0) | {"mask": (CAUSAL,)},
        "masked", 0, 3, " is −∞: the causal mask closes it, and a change by hand leaves it closed.",
    ),
    (by_hand("masked", factor=2.0) | {"mask": (CAUSAL,)}, "masked", 0, 0, "Computed, it would be"),
    (by_hand("scores", factor=1.0), "scores", 0, 3, ": a change by hand leaves it as computed."),
    *(({"sink": [-2000.0, -2000.0]}, "weights", row, 0, "The sink of its head takes 0.") for row in range(5)),
    ({"sink": [2.0, -60.0]}, "weights", 0, 0, "e−27."),
    ({"dtype": "float32", "key": with_key(2, 3e38)}, "scores", 1, 2, "for float32, whose largest is 3.403e38."),
    ("wider keys", "key", 3, 2, "Column 5 (head 1, its column 2) of K for key 3: "),
    ("layer", "normed_x", 2, 0, "is divided by the root of its mean square, then multiplied by γ₁, plus β₁."),
    ("layer", "query", 2, 0, "It is the sum of 6 products of Xⁿ and W_Q, plus b_Q."),
    ("layer", "output", 2, 0, "It is the sum of 2 products of the joined heads and W_O, plus b_O."),
    ("layer", "residual", 2, 0, "It is X plus Y."),
    ("layer", "normalized", 2, 0, "is divided by the root of its mean square, then multiplied by γ₂."),
    ("layer", "up", 2, 0, "It is the sum of 6 products of N and W_up, plus b_up."),
    ("layer", "down", 2, 0, "It is the sum of 7 products of F and W_down, plus b_down."),
    ("layer", "block_output", 2, 0, "It is R plus D."),
]  # fmt: skip

OTHER = {"layer": layer, "wider keys": wider_keys}


@pytest.fixture
def inspector(shown):
    return shown(direct(), "weights", 2, 1)


@each(("fields", "stage", "row", "column", "words"), TOLD)
def test_what_is_said_of_a_cell_is_so(inspector, fields, stage, row, column, words):
    put(inspector, OTHER[fields]() if isinstance(fields, str) else direct(**fields), stage, row, column)
    text = said(inspector)
    if words.startswith("Query "):
        assert text == words
    else:
        assert text.startswith(words) if words.endswith(": ") else text.endswith(words) or not words.endswith(".")
        assert words in text
    assert ("sees no key" in text) == (NO_KEY in words)
    assert ("does not see" in text) == ("does not see" in words or "closes it, so" in words)


def test_a_long_token_breaks_the_line_and_not_the_panel(shown):
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 5
    inspector = shown(direct(query_tokens=(long, "b", "c", "d", "e")), "scores", 0, 0, width=248)
    view = inspector.findChild(SentenceView, "inspector.sentence")
    assert inspector.minimumSizeHint().width() <= 248
    assert view.height() >= view.heightForWidth(view.width()) > 4 * view.fontMetrics().height()
    assert view.accessibleName() == view.text()
