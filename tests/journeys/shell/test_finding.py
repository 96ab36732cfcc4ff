"""Find a number, a token, a cell or an action: by keys alone, at any length, by other words in both languages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QLabel, QLineEdit, QTreeWidget

from attn_gui.app.tables import finding
from attn_gui.engine import Problem, new_problem
from attn_gui.formats import save
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.questions import AskDialog
from tests.failing import each

SMALL = "worked-example.npz"

FOUND = {
    "en": (
        ("theme", "View › Theme › Light"),
        ("dark", "View › Theme › Dark"),
        ("主题", "View › Theme › Light"),
        ("decimal", "View › Decimals › 2"),
        ("语言", "View › Language › English"),
        ("导出", "File › Export image…"),
        ("撤销", "Edit › Undo"),
        ("exp img", "File › Export image…"),
        ("gradient", "View › Pages › Gradient maps"),
        ("mask", "Compute › Masks…"),
        ("token", "Edit › Tokens…"),
        ("latex", "Edit › Copy as › LaTeX matrix"),
        ("exprot", "File › Export image…"),
        ("256", "Edit › Memory for history › 256 MB"),
        ("minilm", "File › Examples › MiniLM, layer 2"),
        ("compare", "Compare › Compare with the chosen snapshot"),
    ),
    "zh": (
        ("主题", "视图 › 主题 › 浅色"),
        ("exp img", "文件 › 导出图片…"),
        ("theme", "视图 › 主题 › 浅色"),
        ("小数", "视图 › 小数位数 › 2"),
        ("dark", "视图 › 主题 › 深色"),
        ("undo", "编辑 › 撤销"),
        ("worksheets", "学习 › 班级练习卷…"),
        ("language", "视图 › 语言 › English"),
        ("梯度", "视图 › 页面 › 梯度图"),
        ("缩放", "比较 › 有 / 无缩放，并排"),
        ("曲线", "视图 › 页面 › 回归曲线"),
        ("比较", "比较 › 结束比较"),
        ("mask", "计算 › 掩码…"),
        ("token", "编辑 › 词元…"),
        ("examples", "文件 › 示例 › 手算示例，五步"),
    ),
}
"""What is typed, and the path of the action that comes first."""


def said(person: Any) -> str:
    return str(person.find("find").said())


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_number_is_found_in_the_table_with_the_keyboard(launch, lang, tmp_path):
    query = np.arange(24.0).reshape(4, 6)
    query[3, 1] = query[1, 5] = query[2, 2] = 0.25
    save(Problem(query=query, key=np.ones((5, 6)), value=np.ones((5, 2))), tmp_path / "a.attn")
    person = launch(tmp_path / "a.attn", lang=lang)
    person.go_to("query", 2, 0)
    person.press("Ctrl+F")
    person.type("0.25")
    person.settle("finding")
    assert person.cell("query") == (2, 2), "the first one from the cell that was chosen"
    assert "2" in said(person)
    assert "3" in said(person)
    person.press("Return")
    assert person.cell("query") == (3, 1)
    person.press("F3")
    assert person.cell("query") == (1, 5)
    person.press("Shift+F3")
    assert person.cell("query") == (3, 1)
    person.press("Shift+Return")
    assert person.cell("query") == (2, 2)
    person.press("Ctrl+A")
    person.type("0.26")
    person.settle("finding")
    assert said(person) == ("Not found" if lang == "en" else "未找到")
    assert person.cell("query") == (2, 2)
    person.press("Esc")
    assert not person.find("find").isVisible()
    assert person.table("query").hasFocus()


def test_a_weight_and_a_token_are_found_in_the_map_and_gone_to(launch):
    person = launch("minilm-layer2.npz")
    person.wait()
    person.show_stage("weights")
    weights = np.array(person.values("weights"))
    row, column = np.unravel_index(np.argmax(weights), weights.shape)
    person.click_cell("weights", 0, 0)
    person.press("Ctrl+F")
    person.type(f"{weights[row, column]:.3f}")
    person.settle("finding")
    near = np.argwhere(np.abs(weights - round(float(weights[row, column]), 3)) <= 0.0005)
    assert person.find("heatmap.weights").chosen == tuple(near[0])
    tokens = person.program.document.problem.query_tokens
    person.press("Ctrl+A")
    person.type(tokens[10])
    person.settle("finding")
    assert person.find("heatmap.weights").chosen[0] == tokens.index(tokens[10])
    person.press("Ctrl+A")
    person.type("3, 4")
    assert person.find("heatmap.weights").chosen == (3, 4)

    person.again("a number that is asked for is not found")
    # An exercise gives no answer away.
    person.wait()
    person.show_stage("weights")
    weights = np.array(person.values("weights"))
    row, column = map(int, np.unravel_index(np.argmax(weights), weights.shape))
    person.click_cell("weights", row, column)
    person.do("leave_out")
    person.wait()
    person.click_cell("weights", 15, 15)
    person.press("Ctrl+F")
    person.type(f"{weights[row, column]:.6f}")
    person.settle("finding")
    assert said(person) == "Not found"

    person.again("f5 goes to a cell")
    person.wait()
    tokens = person.program.document.problem.query_tokens

    def place(text: str, refused: str = "") -> Callable[[AskDialog[Any]], None]:
        def answer(dialog: AskDialog[Any]) -> None:
            person.overwrite(dialog.line, "99, 0", end="")
            assert "16" in dialog.said()
            person.overwrite(dialog.line, "zebra", end="")
            assert dialog.said()
            person.overwrite(dialog.line, text)

        return answer

    person.choose_cell("weights", 0, 0)
    person.answering(AskDialog, place("12, 3"), lambda: person.press("F5"))
    assert person.find("heatmap.weights").chosen == (12, 3)
    person.answering(AskDialog, place(tokens[7]), lambda: person.press("F5"))
    assert person.find("heatmap.weights").chosen == (tokens.index(tokens[7]), 3)
    field = next(iter(person.program.first.tables.models))
    person.go_to(field, 0, 0)
    person.answering(AskDialog, place("5, 2"), lambda: person.press("F5"))
    assert person.cell(field) == (5, 2)


def test_a_search_begins_anew_where_numbers_or_the_language_are_others(person):
    person.go_to("query", 0, 0)
    person.press("Ctrl+F")
    person.type("7")
    person.settle("finding")
    assert said(person) == "Not found"
    person.program.window.find_bar.hide()
    person.type_into("query", 1, 1, "7")
    person.wait()
    person.go_to("query", 0, 0)
    person.press("F3")
    person.settle("finding")
    assert person.cell("query") == (1, 1)

    person.again("a search begins anew where other numbers are shown")
    person.do("pin")
    person.type_into("query", 0, 0, "7")
    person.wait()
    person.go_to("query", 0, 0)
    person.press("Ctrl+F")
    person.type("7")
    person.settle("finding")
    assert said(person) == "1 of 1"
    person.do("show_before")
    person.wait()
    person.press("F3")
    person.settle("finding")
    assert said(person) == "Not found"

    person.again("the line says in the present language what is searched")
    person.choose_cell("weights", 0, 0)
    person.press("Ctrl+F")
    line = person.find("find.line")
    assert line.accessibleName() == "Find in A"
    person.do("language_zh")
    QCoreApplication.processEvents()
    person.look()
    assert line.accessibleName() == "在 A 中查找"

    # a search goes on backward after the numbers have changed
    query = np.zeros((4, 6))
    query[0, 1] = query[2, 2] = query[3, 4] = 0.25
    person.again("backward", Problem(query=query, key=np.ones((5, 6)), value=np.ones((5, 2))))
    person.go_to("query", 0, 0)
    person.press("Ctrl+F")
    person.type("0.25")
    person.settle("finding")
    person.type_into("key", 0, 0, "3")
    person.go_to("query", 3, 0)
    person.press("Shift+F3")
    person.settle("finding")
    assert person.cell("query") == (2, 2)

    person.again("slips are looked for only where nothing fits and what cannot be done says why")
    # "theme" is no slip of "the" in fifty paths.
    found, _said = search(person, "theme")
    assert [path for path, _keys in found] == [f"View › Theme › {name}" for name in ("Light", "Dark", "As the system")]

    person.again("where nothing fits it says so")
    found, told = search(person, "xyzzy")
    assert found == []
    assert told == ["Nothing fits “xyzzy”. Try another word, in English or Chinese."]

    person.again("what cannot be done now is listed with its reason and does nothing")
    found, _said = search(person, "undo")
    assert ("Edit › Undo", "Nothing has been done yet") in found
    steps = person.steps()

    def press(palette):
        person.type("undo", end="Return")
        assert palette.isVisible()
        person.press("Esc")

    person.answering(ActionSearch, press, lambda: person.press("Ctrl+Shift+P"))
    assert person.steps() == steps

    person.again("a setting of the spine is reached by its name")
    person.answering(
        ActionSearch, lambda _: (person.type("scale"), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    assert person.focus() is person.find("control.scale")


def test_a_long_map_is_searched_between_events(launch, tmp_path):
    n, random = 1024, np.random.default_rng(1)
    query, key, value = (random.normal(size=(n, 32)).astype("f4") for _ in range(3))
    save(Problem(query=query, key=key, value=value, num_heads=8, dtype="float32"), tmp_path / "long.npz")
    person = launch(tmp_path / "long.npz")
    person.until(lambda: person.program.document.problem.n == n)
    person.wait()
    person.show_stage("weights")
    person.find("heatmap.weights").setFocus()
    turns: list[int] = []
    clock = QTimer(person.window, interval=0)
    clock.timeout.connect(lambda: turns.append(1))
    clock.start()
    person.press("Ctrl+F")
    person.type("7")
    person.settle("finding")
    clock.stop()
    assert said(person) == "Not found"
    assert len(turns) >= n / 64, "other events have their turn after every piece"


def test_a_search_that_ends_before_the_end_says_that_there_may_be_more(launch, monkeypatch, tmp_path):
    save(Problem(query=np.zeros((40, 6)), key=np.ones((5, 6)), value=np.ones((5, 2))), tmp_path / "a.attn")
    person = launch(tmp_path / "a.attn")
    person.go_to("query", 0, 0)
    monkeypatch.setattr(finding, "ROWS", 1)
    for most, expected in ((100, "1 of 102+"), (10**6, "1 of 240")):
        monkeypatch.setattr(finding, "MOST", most)
        person.press("Ctrl+F", "Ctrl+A")
        person.type("0")
        person.settle("finding")
        assert said(person) == expected
        person.press("Esc")


@each("key", ["F3", "Shift+F3", "Ctrl+F", "Esc"])
def test_a_search_ends_with_its_table(person, key):
    person.again(key, new_problem("self", n=4, m=4, num_heads=1, d_k=3, d_v=3, fill="integers"))
    person.go_to("x", 1, 0)
    person.press("Ctrl+F")
    person.type("1")
    person.settle("finding")
    person.do("make_direct")
    person.settle("finding")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    person.do("undo")
    person.find("heatmap.weights").setFocus()
    person.press(key)
    person.settle("finding")


def search(person, letters):
    """What the list shows for letters that are typed: (path, what stands beside it), and the sentence above it."""
    seen = []

    def look(palette):
        person.type(letters) if letters.isascii() else palette.findChild(QLineEdit).insert(letters)
        tree = palette.findChild(QTreeWidget)
        rows = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
        said = [label.text() for label in palette.findChildren(QLabel) if label.isVisible()]
        seen.append(([(row.text(0), row.text(1)) for row in rows], said))
        person.press("Esc")

    person.answering(ActionSearch, look, lambda: person.press("Ctrl+Shift+P"))
    return seen[0]


@pytest.mark.parametrize("lang", FOUND)
def test_an_action_is_found_by_its_menu_and_by_other_words_in_both_languages(launch, lang):
    person = launch(SMALL, lang=lang)
    for letters, first in FOUND[lang]:
        found, said = search(person, letters)
        assert found, f"nothing for {letters}"
        assert found[0][0] == first, letters
        assert said == []

    person.again("long reasons leave the names of the actions their room")

    def measure(dialog):
        names = dialog.findChild(QTreeWidget)
        needed = max(
            names.fontMetrics().horizontalAdvance(names.topLevelItem(row).text(0))
            for row in range(names.topLevelItemCount())
        )
        assert names.columnWidth(0) >= needed
        dialog.reject()

    person.answering(ActionSearch, measure, lambda: person.press("Ctrl+Shift+P"))
