"""Rows of the table of actions about heads; `head_edits`, which carries them out, is built after the first maps."""

from __future__ import annotations

from attn_gui.app.actions.action_rows import Row
from attn_gui.engine.graph.stage import Role
from attn_gui.languages import QT_TRANSLATE_NOOP

SEVERAL = QT_TRANSLATE_NOOP("Heads", "Needs two heads or more")


def _row(
    name: str, label: str, words: str, *, shortcut: str = "", back: str = "", needs: str = "", role: Role | None = None
) -> Row:
    reads = () if role is None else (role.name,)
    return Row(
        name, "heads", label, shortcut or None, back=back, words=words, needs=needs, reads=reads, context="Heads"
    )


HEAD_ROWS = (
    _row(
        "head_off",
        QT_TRANSLATE_NOOP("Heads", "Switch the head o&ff"),
        "knock out ablate disable 关闭 消融",
        shortcut="Ctrl+Shift+O",
        back=QT_TRANSLATE_NOOP("Heads", "S&witch the head on again"),
        role=Role.MIX,
    ),
    _row(
        "head_only",
        QT_TRANSLATE_NOOP("Heads", "&Only this head"),
        "isolate alone 仅 单独",
        needs=SEVERAL,
        role=Role.MIX,
    ),
    _row("head_scale", QT_TRANSLATE_NOOP("Heads", "&Scale the head…"), "factor multiply 系数 倍", role=Role.MIX),
    _row(
        "head_copy",
        QT_TRANSLATE_NOOP("Heads", "Put &another head in its place…"),
        "copy patch 复制 替换",
        needs=SEVERAL,
        role=Role.MIX,
    ),
    _row(
        "head_free",
        QT_TRANSLATE_NOOP("Heads", "Leave the head as &computed"),
        "reset on 恢复 还原",
        role=Role.MIX,
        needs=QT_TRANSLATE_NOOP("Heads", "The head is as computed"),
    ),
    _row(
        "head_average",
        QT_TRANSLATE_NOOP("Heads", "A&verage Q, K and V of heads…"),
        "mean merge average heads 平均 合并 对头取平均",
        needs=SEVERAL,
    ),
    _row("head_duplicate", QT_TRANSLATE_NOOP("Heads", "&Duplicate the head"), "clone second 复制"),
    _row("head_left", QT_TRANSLATE_NOOP("Heads", "Move the head to the &left"), "reorder order 左移 顺序"),
    _row("head_right", QT_TRANSLATE_NOOP("Heads", "Move the head to the &right"), "reorder order 右移 顺序"),
    _row(
        "head_equal",
        QT_TRANSLATE_NOOP("Heads", "Give every K/V head its &K and V"),
        "multi-query shared 共用",
        role=Role.MIX,
        needs=QT_TRANSLATE_NOOP("Heads", "There is only one K/V head"),
    ),
)
"""Of the menu of heads, all about the head on show."""
