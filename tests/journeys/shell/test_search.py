"""The search of actions: by menus, by other words in both languages, and what is said where nothing fits."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QTreeWidget

from attn_gui.views.dialogs.action_search import ActionSearch

SMALL = "worked-example.npz"


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


def test_slips_are_looked_for_only_where_nothing_fits_and_what_cannot_be_done_says_why(person):
    """ "theme" is no slip of "the" in fifty paths."""
    found, _said = search(person, "theme")
    assert [path for path, _keys in found] == [f"View › Theme › {name}" for name in ("Light", "Dark", "As the system")]

    person.again("where nothing fits it says so")
    found, said = search(person, "xyzzy")
    assert found == []
    assert said == ["Nothing fits “xyzzy”. Try another word, in English or Chinese."]

    person.again("what cannot be done now is listed with its reason and does nothing")
    found, _said = search(person, "undo")
    assert ("Edit › Undo", "Nothing has been done yet") in found
    steps = person.steps()

    def press(palette):
        person.type("undo")
        person.press("Return")
        assert palette.isVisible()
        person.press("Esc")

    person.answering(ActionSearch, press, lambda: person.press("Ctrl+Shift+P"))
    assert person.steps() == steps

    person.again("a setting of the spine is reached by its name")
    person.answering(
        ActionSearch, lambda _: (person.type("scale"), person.press("Return")), lambda: person.press("Ctrl+Shift+P")
    )
    assert person.focus() is person.find("control.scale")
