"""The menus, in order: titles, other words to find them by, and which open out of which."""

from __future__ import annotations

from attn_gui.languages import QT_TRANSLATE_NOOP

MENUS = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Actions", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("compare", QT_TRANSLATE_NOOP("Actions", "Co&mpare")),
    ("compute", QT_TRANSLATE_NOOP("Actions", "&Compute")),
    ("learn", QT_TRANSLATE_NOOP("Actions", "&Learn")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
    ("lessons", QT_TRANSLATE_NOOP("Actions", "&Lessons")),
    ("recent", QT_TRANSLATE_NOOP("Actions", "Open &recent")),
    ("examples", QT_TRANSLATE_NOOP("Actions", "E&xamples")),
    ("models", QT_TRANSLATE_NOOP("Actions", "Models a&t hand")),
    ("decimals", QT_TRANSLATE_NOOP("Actions", "&Decimals")),
    ("language", QT_TRANSLATE_NOOP("Actions", "&Language")),
    ("theme", QT_TRANSLATE_NOOP("Actions", "&Theme")),
    ("by_hand", QT_TRANSLATE_NOOP("Actions", "B&y hand")),
    ("weights_typed", QT_TRANSLATE_NOOP("Actions", "Typing into &weights")),
    ("history", QT_TRANSLATE_NOOP("Actions", "&Memory for history")),
    ("rows", QT_TRANSLATE_NOOP("Actions", "Rows and c&olumns")),
    ("layer", QT_TRANSLATE_NOOP("Actions", "&Layer of a transformer")),
    ("copy_as", QT_TRANSLATE_NOOP("Actions", "Copy &as")),
    ("paste_special", QT_TRANSLATE_NOOP("Actions", "Paste &special")),
    ("pages", QT_TRANSLATE_NOOP("Actions", "Page&s")),
    ("heads", QT_TRANSLATE_NOOP("Actions", "&Head on show")),
    ("brush", QT_TRANSLATE_NOOP("Actions", "Shape of the mas&k brush")),
    ("readings", QT_TRANSLATE_NOOP("Actions", "Number &below every head")),
)
MENU_WORDS = {
    "compare": "baseline difference before after with without 对比 比较 基准 之前 差值 有无",
    "recent": "recently last files history 最近 打开过",
    "lessons": "tutorial course teach learn 课程 教程 学习",
    "learn": "exercise lesson quiz 练习 题目",
    "examples": "examples example sample demo 示例 例子 范例",
    "models": "model toy induction gpt2 letters prediction bert llama 模型 玩具 归纳 字母 预测",
    "decimals": "decimal digits precision 小数 位数 精度",
    "language": "language locale translation 语言 翻译",
    "theme": "theme appearance colors style 主题 外观 配色",
    "history": "undo memory limit 历史 内存 撤销",
    "by_hand": "intervention change override set cell 干预 手动 修改",
    "weights_typed": "intervention edit set weight sum 1 rescale 干预 权重 填数 重新归一",
    "rows": "insert delete remove add row column 插入 删除 行 列",
    "layer": "transformer block residual norm ffn mlp 层 块 残差 前馈",
    "copy_as": "clipboard format 剪贴板 格式",
    "paste_special": "clipboard transpose add multiply 剪贴板 转置 相加 相乘",
    "heads": "head arithmetic ablation 头 运算",
    "brush": "paint draw rectangle row column diagonal 画笔 涂 矩形 对角",
    "readings": "reading head score entropy sink induction rank 读数 头 指标",
    "pages": "page picture plot diagram 页面 图 分析",
}
"""Other words for a menu, by which its actions are found, too."""

SUBMENUS = {
    "file": ("recent", "examples", "models"),
    "learn": ("lessons",),
    "edit": ("copy_as", "paste_special", "rows", "layer", "history"),
    "compute": ("heads", "brush", "by_hand"),
    "by_hand": ("weights_typed",),
    "view": ("pages", "readings", "decimals", "language", "theme"),
}
