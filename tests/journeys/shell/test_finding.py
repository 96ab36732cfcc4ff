"""Find a number, a token, a cell or an action: by keys alone, at any length, by other words in both languages."""

from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import numpy as np
from PySide6.QtWidgets import QLabel, QLineEdit, QTreeWidget

from attn_gui.engine import Problem
from attn_gui.views.dialogs import action_search
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.small_dialogs import AskDialog
from tests.failing import share

SMALL = "worked-example.npz"

FOUND = {
    "en": (
        ("theme", "View › Theme › Light"),
        ("dark", "View › Theme › Dark"),
        ("主题", "View › Theme › Light"),
        ("撤销", "Edit › Undo"),
        ("exp img", "File › Export image…"),
        ("latex", "Edit › Copy as › LaTeX matrix"),
        ("exprot", "File › Export image…"),
        ("how do I undo that", "Edit › Undo"),
        ("compare", "Compare › Compare with the chosen snapshot"),
    ),
    "zh": (
        ("主题", "视图 › 主题 › 浅色"),
        ("exp img", "文件 › 导出图片…"),
        ("theme", "视图 › 主题 › 浅色"),
        ("undo", "编辑 › 撤销"),
        ("缩放", "比较 › 有 / 无缩放，并排"),
        ("examples", "文件 › 示例 › 手算示例，五步"),
        ("填充掩码", "计算 › 掩码…"),
        ("例题", "学习 › 课程 › 算例：五步算完注意力"),
        ("怎么撤回？", "编辑 › 撤销"),
        ("切换语言", "视图 › 语言 › English"),
        ("导入excel", "文件 › 打开…"),
        ("作业", "学习 › 班级练习卷…"),
    ),
}
"""What is typed, and the path of the action that comes first."""


def said(person: Any) -> str:
    return str(person.find("find").said())


def test_weights_tokens_and_numbers_are_found_and_gone_to_and_actions_in_both_languages(launch, monkeypatch):
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

    # a number is found in the table with the keyboard
    query = np.arange(24.0).reshape(4, 6)
    query[3, 1] = query[1, 5] = query[2, 2] = 0.25
    person.again("a number is found in the table", Problem(query=query, key=np.ones((5, 6)), value=np.ones((5, 2))))
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
    assert said(person) == "Not found"
    assert person.cell("query") == (2, 2)
    for text, found in (("0,25", "2 of 3"), ("9, 9", "Not found"), ("2, 3", "")):
        person.press("Ctrl+A")
        person.type(text)
        person.settle("finding")
        assert said(person) == found, f"{text}: a place only where there is one"
    assert person.cell("query") == (2, 3)
    person.press("Esc")
    assert not person.find("find").isVisible()
    assert person.table("query").hasFocus()

    person.again("a search begins anew where numbers are others", SMALL)
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

    person.again("slips are looked for only where nothing fits and what cannot be done says why", SMALL)
    # "theme" is no slip of "the" in fifty paths.
    found, _said = search(person, "theme")
    assert [path for path, _keys in found] == [f"View › Theme › {name}" for name in ("Light", "Dark", "As the system")]

    # where nothing fits it says so
    found, told = search(person, "xyzzy")
    assert found == []
    assert told == ["Nothing fits “xyzzy”. Try another word, in English or Chinese."]

    # of a long phrase no part is looked up that nothing holds
    measured = Mock(side_effect=action_search._distance)
    with monkeypatch.context() as patched:
        patched.setattr(action_search, "_distance", measured)
        assert search(person, "𠀀𠀁𠀂𠀃𠀄𠀅𠀆𠀇𠀈𠀉𠀊𠀋𠀌𠀍𠀎𠀏𠀐𠀑𠀒𠀓")[0] == []
    assert measured.call_count < 1_000, "all 190 parts were held against every action: half a second at each key"

    # what cannot be done now is listed with its reason and does nothing
    found, _said = search(person, "undo")
    assert ("Edit › Undo", "Nothing has been done yet") in found
    steps = person.steps()

    def press(palette):
        person.type("undo", end="Return")
        assert palette.isVisible()
        person.press("Esc")

    person.answering(ActionSearch, press, lambda: person.press("Ctrl+Shift+P"))
    assert person.steps() == steps

    # a setting of the spine is reached by its name
    person.answering(
        ActionSearch, lambda _: (person.type("scale"), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    assert person.focus() is person.find("control.scale")

    # a number is reached selected, so that the next key takes its place
    person.answering(
        ActionSearch, lambda _: (person.type("gqa"), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    person.press("2")
    assert person.find("control.num_kv_heads").cleanText() == "2"
    person.press("Esc")  # one head has no two groups

    person.again("an action is found by its menu and by other words in both languages", SMALL)
    for lang in share(FOUND, 2):
        person.do(f"language_{lang}")
        for letters, first in FOUND[lang]:
            found, told = search(person, letters)
            assert found, f"nothing for {letters}"
            assert found[0][0] == first, letters
            assert told == []
        phrase, undo = {"en": ("please undo", "Edit › Undo"), "zh": ("怎么撤销", "编辑 › 撤销")}[lang]
        assert [path for path, _beside in search(person, phrase)[0]] == [undo], "and nothing that has to do with it"


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
