"""Rows of the table of actions about searching; `finding`, which carries them out, is built after the first maps."""

from __future__ import annotations

from attn_gui.app.actions.action_rows import Keys, Row
from attn_gui.languages import QT_TRANSLATE_NOOP

# fmt: off
FIND_ROWS = (
    Row("find", "edit", QT_TRANSLATE_NOOP("Actions", "&Find…"), Keys.Find, "search", separator=True,
        words="search number value token look up 查找 搜索 数值 词元"),
    Row("find_next", "edit", QT_TRANSLATE_NOOP("Actions", "Find ne&xt"), "F3", words="search again 查找 下一个"),
    Row("find_previous", "edit", QT_TRANSLATE_NOOP("Actions", "Find pre&vious"), "Shift+F3", words="查找 上一个"),
    Row("go_to_cell", "edit", QT_TRANSLATE_NOOP("Actions", "Go to a c&ell…"), "F5",
        words="jump row column goto place 转到 定位 单元格 行 列"),
)
# fmt: on
