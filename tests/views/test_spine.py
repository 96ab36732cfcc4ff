"""The spine: what stands in it for each kind of problem, what a click asks for, and how it gives way."""

from typing import Any

import numpy as np
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.app.state.settings import set_language
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.graph.indices import cell
from attn_gui.views.names import letter
from attn_gui.views.spine.operators import OperatorBox
from attn_gui.views.spine.spine import Spine
from attn_gui.views.spine.spine_items import ChangeDot, StageNode
from attn_gui.views.text_views import FormulaView
from attn_gui.views.theme import current_theme, ui_font

WIDE = 1440


def direct(**more: Any) -> Problem:
    """n = 5, m = 7, two heads, d_k = 3, d_v = 2."""
    rng = np.random.default_rng(3)
    fields: dict[str, Any] = {
        "query": rng.normal(size=(5, 6)),
        "key": rng.normal(size=(7, 6)),
        "value": rng.normal(size=(7, 4)),
        "num_heads": 2,
    }
    return Problem(**fields | more)


def projected(**more: Any) -> Problem:
    rng = np.random.default_rng(5)
    fields: dict[str, Any] = {
        "x": rng.normal(size=(5, 11)),
        "w_query": rng.normal(size=(11, 6)),
        "w_key": rng.normal(size=(11, 6)),
        "w_value": rng.normal(size=(11, 4)),
        "num_heads": 2,
    }
    return Problem(**fields | more)


def shown(qtbot: QtBot, problem: Problem, width: int = WIDE, stage: str = "weights") -> Spine:
    spine = Spine()
    qtbot.addWidget(spine)
    spine.boxes.scale.set_scale("sqrt", None, problem.d_k)
    spine.set_mask_text("none")
    spine.set_evaluation(DenseEvaluation(problem), 0, 1)
    spine.set_stage(stage)
    spine.resize(width, spine.minimumHeight())
    spine.show()
    qtbot.waitExposed(spine)
    return spine


def nodes(spine: Spine) -> list[StageNode]:
    found = [node for node in spine.findChildren(StageNode) if node.isVisible()]
    return sorted(found, key=lambda node: node.mapTo(spine, node.rect().topLeft()).x())


def names(spine: Spine) -> list[str]:
    return [node.objectName().removeprefix("node.") for node in nodes(spine)]


def node(spine: Spine, name: str) -> StageNode:
    return spine.findChild(StageNode, f"node.{name}")


def test_no_box_lies_over_a_map(qtbot):
    for problem in (direct(), projected()):
        spine = shown(qtbot, problem)
        boxes = [box for box in spine.findChildren(OperatorBox) if box.isVisible()]
        assert len(boxes) > 2
        assert not [box.name for box in boxes for one in nodes(spine) if box.geometry().intersects(one.geometry())]


ALWAYS = ["query", "key", "scores", "scaled", "weights", "value", "head_output", "concat"]


MAPS = [
    (direct(), ALWAYS),
    (direct(mask=({"kind": "causal"},)), [*ALWAYS[:4], "masked", *ALWAYS[4:]]),
    (direct(mask=({"kind": "alibi"}, {"kind": "causal"})), [*ALWAYS[:4], "biased", "masked", *ALWAYS[4:]]),
    (direct(mask=({"kind": "causal", "enabled": False},)), ALWAYS),
    (direct(softcap=3.0), [*ALWAYS[:4], "capped", *ALWAYS[4:]]),
    (direct(w_output=np.ones((4, 13))), [*ALWAYS, "output"]),
    (projected(), ["x", *ALWAYS]),
    (projected(context=np.ones((3, 11))), ["x", "context", *ALWAYS]),
]


def test_a_map_stands_where_the_problem_has_the_stage(qtbot):
    """In one row, whichever problem it showed before."""
    spine = shown(qtbot, direct(), 2000)
    for problem, expected in MAPS:
        spine.set_evaluation(DenseEvaluation(problem), 0, 0)
        qtbot.waitUntil(lambda expected=expected: names(spine) == expected)


def test_a_chinese_name_below_a_map_is_not_cut(qtbot, qapp):
    set_language(qapp, "zh")
    spine = shown(qtbot, direct(), 2000)
    below = node(spine, "concat")
    alone = QPixmap(below.size())
    alone.fill(current_theme().window)
    painter = QPainter(alone)
    painter.setFont(ui_font("stage_symbol", 600))
    painter.setPen(current_theme().text)
    painter.drawText(alone.rect(), Qt.AlignmentFlag.AlignCenter, letter("concat"))
    painter.end()
    words = QRect(0, below.map_rect().bottom() + 3, below.width(), below.height())
    assert dark_rows(below.grab(words & below.rect())) == dark_rows(alone) > 8


def dark_rows(picture: QPixmap) -> int:
    """How many rows of pixels have one of nearly the color of text."""
    image, text = picture.toImage(), current_theme().text.lightness()
    rows = ([image.pixelColor(x, y).lightness() for x in range(image.width())] for y in range(image.height()))
    return sum(min(row) < text + 40 for row in rows)


def test_click_enter_and_space_ask_for_a_stage_without_taking_it(qtbot):
    spine = shown(qtbot, projected())
    for name, stage, act in (
        ("scaled", "scaled", lambda w: QTest.mouseClick(w, Qt.MouseButton.LeftButton)),
        ("value", "value", lambda w: QTest.keyClick(w, Qt.Key.Key_Return)),
        ("x", "query", lambda w: QTest.keyClick(w, Qt.Key.Key_Space)),
    ):
        with qtbot.waitSignal(spine.stagePicked) as caught:
            act(node(spine, name))
        assert caught.args == [stage]
        assert node(spine, "weights").isChecked()
        assert not node(spine, name).isChecked()


def test_an_edit_repaints_and_dots_what_it_reaches(qtbot):
    problem = direct()
    evaluation = DenseEvaluation(problem)
    spine = shown(qtbot, problem)
    spine.set_evaluation(evaluation, 0, 1)
    query = problem.query.copy()
    query[2, 4] += 5
    changed = evaluation.update(problem.replace(query=query), {"query": [cell((2, 4))]})
    spine.refresh(changed)
    touched = {n.objectName().removeprefix("node.") for n in nodes(spine) if not n.findChild(ChangeDot).isHidden()}
    assert touched == {"query", "scores", "scaled", "weights", "head_output", "concat"}
    value, color = node(spine, "scores").map.cell_at(2, 3)
    assert value == evaluation.block("scores", 0, 1, slice(2, 3), slice(3, 4))[0, 0]
    assert color.isValid()


def test_a_chosen_weight_is_marked_in_all_that_take_part(qtbot):
    spine = shown(qtbot, direct())
    spine.set_chosen(ChosenCell("weights", 2, 6))
    marks = {n.objectName().removeprefix("node."): n.map.overlay.marks for n in nodes(spine)}
    assert {name: (m.row, m.column) for name, m in marks.items()} == {
        "query": (2, None),
        "key": (None, 6),
        "scores": (2, 6),
        "scaled": (2, 6),
        "weights": (2, 6),
        "value": (6, None),
        "head_output": (2, None),
        "concat": (None, None),
    }
    assert marks["value"].row_role == "key"
    spine.set_chosen(ChosenCell("head_output", 2, 1))
    assert (node(spine, "value").map.overlay.marks.row, node(spine, "value").map.overlay.marks.column) == (None, 1)
    spine.set_chosen(None)
    assert all((n.map.overlay.marks.row, n.map.overlay.marks.column) == (None, None) for n in nodes(spine))


def test_formula_then_concat_then_size_give_way_and_then_it_scrolls(qtbot):
    spine = shown(qtbot, direct())
    formula, query = spine.findChild(FormulaView), node(spine, "query")
    large = query.map.width()
    seen = []
    for width in range(1440, 400, -20):
        spine.resize(width, spine.height())
        concat = node(spine, "concat").isVisible()
        seen.append((formula.isVisible(), concat, query.map.width() == large))
        if seen[-1] == (False, False, False):
            break
    assert list(dict.fromkeys(seen)) == [
        (True, True, True),
        (False, True, True),
        (False, False, True),
        (False, False, False),
    ]
    assert len({n.mapTo(spine, n.rect().topLeft()).y() for n in nodes(spine)}) == 1
    spine.resize(500, spine.height())
    assert names(spine) == ALWAYS[:-1]
    spine.hide()
    spine.set_stage("concat")
    spine.show()
    assert "concat" in names(spine), "chosen while it was hidden"


def test_the_compact_form_is_lower_and_has_neither_formula_nor_concat(qtbot):
    spine = shown(qtbot, direct())
    high = spine.height()
    spine.set_compact(True)
    assert spine.height() < high
    assert not spine.findChild(FormulaView).isVisible()
    assert "concat" not in names(spine)
    spine.set_compact(False)
    assert "concat" in names(spine)


def test_everything_is_reached_by_tab_from_left_to_right(qtbot):
    spine = shown(qtbot, direct())
    spine.activateWindow()
    qtbot.waitUntil(spine.isActiveWindow)
    node(spine, "query").setFocus(Qt.FocusReason.TabFocusReason)
    met: list[QWidget] = []
    for _ in range(11):
        met.append(QApplication.focusWidget())
        QTest.keyClick(met[-1], Qt.Key.Key_Tab)
    places = [widget.mapTo(spine, widget.rect().topLeft()).x() for widget in met]
    assert places == sorted(places)
    assert len(set(met)) == 11


def test_the_maps_show_the_numbers_of_the_head(qtbot):
    problem = direct()
    spine = shown(qtbot, problem)
    assert node(spine, "query").map.cell_at(2, 1)[0] == problem.query[2, 3 + 1]
    assert node(spine, "key").map.cell_at(1, 4)[0] == problem.key[4, 3 + 1]
    spine.set_evaluation(DenseEvaluation(problem), 0, 0)
    assert node(spine, "query").map.cell_at(2, 1)[0] == problem.query[2, 1]
