"""The rows of the table of actions: names, menus, words to find them by, shortcuts, and what they need."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QKeySequence

Shortcut = QKeySequence.StandardKey | str | None
Keys = QKeySequence.StandardKey


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # lupdate looks for this name
    """Mark a text for translation; that of the formats would bring NumPy along before the first paint."""
    return text


@dataclass(frozen=True)
class Row:
    """One action: its name (its object name is `action.NAME`), menu, label, shortcut, icon, group."""

    name: str
    menu: str
    label: str
    shortcut: Shortcut = None
    icon: str = ""
    group: str = ""
    checkable: bool = False
    separator: bool = False
    short: str = ""  # on the tool bar, where the label is too long
    words: str = ""  # what else people call it, in both languages, for the search
    needs: str = ""  # why it can be disabled
    context: str = "Actions"  # of its words, for translators
    also: tuple[str, ...] = ()  # more shortcuts: + without Shift is =, and systems that know fewer standard keys

    def shortcuts(self) -> list[QKeySequence]:
        """Every shortcut, the one that is shown first; a standard key has several on most systems."""
        first = self.shortcut
        found = QKeySequence.keyBindings(first) if isinstance(first, Keys) else [QKeySequence(first)] if first else []
        return found + [keys for keys in map(QKeySequence, self.also) if keys not in found]


MENUS = (
    ("file", QT_TRANSLATE_NOOP("Actions", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Actions", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Actions", "&View")),
    ("compare", QT_TRANSLATE_NOOP("Actions", "Co&mpare")),
    ("compute", QT_TRANSLATE_NOOP("Actions", "&Compute")),
    ("help", QT_TRANSLATE_NOOP("Actions", "&Help")),
    ("recent", QT_TRANSLATE_NOOP("Actions", "Open &recent")),
    ("examples", QT_TRANSLATE_NOOP("Actions", "E&xamples")),
    ("decimals", QT_TRANSLATE_NOOP("Actions", "&Decimals")),
    ("language", QT_TRANSLATE_NOOP("Actions", "&Language")),
    ("theme", QT_TRANSLATE_NOOP("Actions", "&Theme")),
    ("history", QT_TRANSLATE_NOOP("Actions", "&Memory for history")),
    ("copy_as", QT_TRANSLATE_NOOP("Actions", "Copy &as")),
    ("pages", QT_TRANSLATE_NOOP("Actions", "Page&s")),
    ("heads", QT_TRANSLATE_NOOP("Actions", "&Head on show")),
    ("brush", QT_TRANSLATE_NOOP("Actions", "Shape of the mask &brush")),
    ("readings", QT_TRANSLATE_NOOP("Actions", "Number below every &head")),
)
MENU_WORDS = {
    "compare": "baseline difference before after with without 对比 比较 基准 之前 差值 有无",
    "recent": "recently last files history 最近 打开过",
    "examples": "examples example sample demo 示例 例子 范例",
    "decimals": "decimal digits precision 小数 位数 精度",
    "language": "language locale translation 语言 翻译",
    "theme": "theme appearance colors style 主题 外观 配色",
    "history": "undo memory limit 历史 内存 撤销",
    "copy_as": "clipboard format 剪贴板 格式",
    "heads": "head arithmetic ablation 头 运算",
    "brush": "paint draw rectangle row column diagonal 画笔 涂 矩形 对角",
    "readings": "reading head score entropy sink induction rank 读数 头 指标",
    "pages": "page picture plot diagram 页面 图 分析",
}
"""Other words for a menu, by which its actions are found, too."""

SUBMENUS = {
    "file": ("recent", "examples"),
    "edit": ("copy_as", "history"),
    "compute": ("heads", "brush"),
    "view": ("pages", "readings", "decimals", "language", "theme"),
}

# fmt: off
ACTIONS = (  # a table, a row to two lines
    Row("new", "file", QT_TRANSLATE_NOOP("Actions", "&New…"), Keys.New,
        words="create problem empty blank 新建 空白 创建 问题"),
    Row("open", "file", QT_TRANSLATE_NOOP("Actions", "&Open…"), Keys.Open, "open",
        words="load file read 载入 读取 文件"),
    Row("save", "file", QT_TRANSLATE_NOOP("Actions", "&Save"), Keys.Save, "save", separator=True,
        words="store write 存储"),
    Row("save_as", "file", QT_TRANSLATE_NOOP("Actions", "Save &as…"), Keys.SaveAs, also=("Ctrl+Shift+S",),
        words="store copy rename 副本"),
    Row("import_matrix", "file", QT_TRANSLATE_NOOP("Actions", "&Import into the table…"), "Ctrl+I", separator=True,
        words="csv tsv npy matrix load table 读入 矩阵"),
    Row("export_image", "file", QT_TRANSLATE_NOOP("Actions", "&Export image…"), "Ctrl+E", "export-image",
        words="img picture figure png svg pdf 图片 图像 插图"),
    Row("export_data", "file", QT_TRANSLATE_NOOP("Actions", "Export n&umbers…"), "Ctrl+Shift+E",
        words="numbers csv npz npy tsv values 数据 数值"),
    Row("quit", "file", QT_TRANSLATE_NOOP("Actions", "&Quit"), "Ctrl+Q", separator=True,
        words="exit close end 关闭"),
    Row("undo", "edit", QT_TRANSLATE_NOOP("Actions", "&Undo"), Keys.Undo, "undo",
        words="back revert 后退 返回",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing has been done yet")),
    Row("redo", "edit", QT_TRANSLATE_NOOP("Actions", "&Redo"), Keys.Redo, "redo", also=("Ctrl+Y", "Ctrl+Shift+Z"),
        words="again forward repeat 前进",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing was undone")),
    Row("cut", "edit", QT_TRANSLATE_NOOP("Actions", "Cu&t"), Keys.Cut, separator=True,
        words="move 移动"),
    Row("copy", "edit", QT_TRANSLATE_NOOP("Actions", "&Copy"), Keys.Copy, "copy",
        words="clipboard tsv 剪贴板"),
    Row("copy_with_headers", "edit", QT_TRANSLATE_NOOP("Actions", "Copy with &headers"), "Ctrl+Shift+C",
        words="clipboard tokens labels 表头 剪贴板"),
    Row("copy_latex", "copy_as", QT_TRANSLATE_NOOP("Actions", "&LaTeX matrix"),
        words="tex bmatrix formula 公式"),
    Row("copy_markdown", "copy_as", QT_TRANSLATE_NOOP("Actions", "&Markdown table"),
        words="md table"),
    Row("copy_numpy", "copy_as", QT_TRANSLATE_NOOP("Actions", "&NumPy array"),
        words="python code array 代码 数组"),
    Row("paste", "edit", QT_TRANSLATE_NOOP("Actions", "&Paste"), Keys.Paste,
        words="insert clipboard 插入 剪贴板"),
    Row("clear", "edit", QT_TRANSLATE_NOOP("Actions", "Set to &zero"), None,
        words="zero delete empty 清零 清除 删除"),
    Row("fill_down", "edit", QT_TRANSLATE_NOOP("Actions", "Fill &down"), "Ctrl+D",
        words="repeat extend 填充"),
    Row("fill_right", "edit", QT_TRANSLATE_NOOP("Actions", "Fill ri&ght"), "Ctrl+R",
        words="repeat extend 填充"),
    Row("fill_integers", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with small &integers"), None, separator=True,
        words="small numbers 整数 填充"),
    Row("fill_random", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with random &numbers"), None,
        words="noise normal seed 随机 填充"),
    Row("fill_identity", "edit", QT_TRANSLATE_NOOP("Actions", "Fill with the identit&y"), None,
        words="unit diagonal matrix 单位阵 对角"),
    Row("tokens", "edit", QT_TRANSLATE_NOOP("Actions", "To&kens…"), "Ctrl+T", separator=True,
        words="token word sentence label name 词元 分词 句子 单词 标签"),
    Row(
        "output_projection",
        "edit",
        QT_TRANSLATE_NOOP("Actions", "Output projection &W_O"),
        None,
        checkable=True,
        separator=True,
        words="W_O output projection 输出 投影"),
    Row("biases", "edit", QT_TRANSLATE_NOOP("Actions", "&Biases"), None, checkable=True,
        words="b_Q b_K b_V bias 偏置",
        needs=QT_TRANSLATE_NOOP("Actions", "Needs X and its weights; here Q, K and V are given")),
    Row("block", "edit", QT_TRANSLATE_NOOP("Actions", "Residual, &LayerNorm, Linear"), None, checkable=True,
        words="transformer layernorm residual ffn linear 残差 层归一化 块"),
    Row("second_sequence", "edit", QT_TRANSLATE_NOOP("Actions", "&Second sequence"), None, checkable=True,
        words="cross attention context encoder decoder 交叉注意力 编码器",
        needs=QT_TRANSLATE_NOOP("Actions", "Needs X and its weights; here Q, K and V are given")),
    Row("make_direct", "edit", QT_TRANSLATE_NOOP("Actions", "Work on &Q, K, V directly"), None,
        words="given Q K V matrices 直接",
        needs=QT_TRANSLATE_NOOP("Actions", "Needs X and its weights; here Q, K and V are given")),
    Row("history_64", "history", "64 MB", group="history", checkable=True,
        words="undo memory limit 撤销 内存"),
    Row("history_256", "history", "256 MB", group="history", checkable=True,
        words="undo memory limit 撤销 内存"),
    Row("history_1024", "history", "1 GB", group="history", checkable=True,
        words="undo memory limit 撤销 内存"),
    Row("history_4096", "history", "4 GB", group="history", checkable=True,
        words="undo memory limit 撤销 内存"),
    Row("product", "view", QT_TRANSLATE_NOOP("Actions", "&Product"), "Ctrl+1", "product", group="mode", checkable=True,
        words="matmul matrix multiplication 乘积 矩阵"),
    Row(
        "all_stages",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&All stages"),
        "Ctrl+2",
        "all-stages",
        group="mode",
        checkable=True,
        words="overview compare steps tiles 全部 对比 比较 总览"),
    Row(
        "values",
        "view",
        QT_TRANSLATE_NOOP("Actions", "&Values in cells"),
        "Ctrl+Shift+V",
        "values",
        checkable=True,
        short=QT_TRANSLATE_NOOP("Actions", "Values"),
        words="numbers digits cells 数字 数值"),
    Row(
        "show_reach",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Show what a cell reac&hes"),
        "Ctrl+Shift+R",
        checkable=True,
        words="influence affects forward highlight 影响 范围"),
    Row(
        "show_origin",
        "view",
        QT_TRANSLATE_NOOP("Actions", "Show where a cell comes &from"),
        "Ctrl+Alt+R",
        checkable=True,
        words="origin source backward trace inputs 来源 来自 追溯 反向"),
    Row("release_cell", "view", QT_TRANSLATE_NOOP("Actions", "Choose no &cell"),
        words="deselect unselect 取消 选择",
        needs=QT_TRANSLATE_NOOP("Actions", "Choose a cell of a map first")),
    Row("copy_image", "view", QT_TRANSLATE_NOOP("Actions", "Copy ima&ge of the map"), "Ctrl+Alt+C",
        words="picture screenshot png 截图 图片"),
    Row("zoom_in", "view", QT_TRANSLATE_NOOP("Actions", "Zoom &in"), Keys.ZoomIn, also=("Ctrl+=",), separator=True,
        words="larger bigger font 放大 字号"),
    Row("zoom_out", "view", QT_TRANSLATE_NOOP("Actions", "Zoom &out"), Keys.ZoomOut,
        words="smaller font 缩小 字号"),
    Row("zoom_reset", "view", QT_TRANSLATE_NOOP("Actions", "&Normal size"), "Ctrl+0",
        words="100 % actual 原始 字号"),
    Row("reset_layout", "view", QT_TRANSLATE_NOOP("Actions", "&Reset layout"), None, separator=True,
        words="panels columns windows default 布局 面板"),
    Row("decimals_2", "decimals", "2", group="decimals", checkable=True,
        words="digits precision 精度 位数"),
    Row("decimals_3", "decimals", "3", group="decimals", checkable=True,
        words="digits precision 精度 位数"),
    Row("decimals_4", "decimals", "4", group="decimals", checkable=True,
        words="digits precision 精度 位数"),
    Row("decimals_6", "decimals", "6", group="decimals", checkable=True,
        words="digits precision 精度 位数"),
    Row("scientific", "decimals", QT_TRANSLATE_NOOP("Actions", "&Scientific"), None, checkable=True, separator=True,
        words="exponent e notation power format 科学 记数 指数 格式"),
    Row("language_en", "language", "English", group="language", checkable=True,
        words="language english locale 语言 英语 英文"),
    Row("language_zh", "language", "简体中文", group="language", checkable=True,
        words="language chinese locale 语言 中文 汉语"),
    Row("theme_light", "theme", QT_TRANSLATE_NOOP("Actions", "&Light"), group="theme", checkable=True,
        words="bright white day 亮色 白色"),
    Row("theme_dark", "theme", QT_TRANSLATE_NOOP("Actions", "&Dark"), group="theme", checkable=True,
        words="night black 暗色 黑色 夜间"),
    Row("theme_system", "theme", QT_TRANSLATE_NOOP("Actions", "As the &system"), group="theme", checkable=True,
        words="automatic appearance 自动"),
    Row("pin", "compare", QT_TRANSLATE_NOOP("Actions", "&Pin the present state"), "Ctrl+B", "pin",
        short=QT_TRANSLATE_NOOP("Actions", "Pin"),
        words="baseline keep remember snapshot compare 基准 固定 保留 对比"),
    Row("unpin", "compare", QT_TRANSLATE_NOOP("Actions", "&End the comparison"), "Ctrl+Shift+B",
        words="unpin release baseline stop 取消 固定 结束 对比",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing is compared yet: pin a state first")),
    Row("show_now", "compare", QT_TRANSLATE_NOOP("Actions", "&Now"), "Ctrl+3", group="compare", checkable=True,
        separator=True, words="present after 现在 当前",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing is compared yet: pin a state first")),
    Row("show_before", "compare", QT_TRANSLATE_NOOP("Actions", "&Before"), "Ctrl+4", group="compare", checkable=True,
        words="baseline old pinned 之前 原来",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing is compared yet: pin a state first")),
    Row("show_difference", "compare", QT_TRANSLATE_NOOP("Actions", "&Difference"), "Ctrl+5", group="compare",
        checkable=True, words="delta change minus 差值 变化",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing is compared yet: pin a state first")),
    Row("show_split", "compare", QT_TRANSLATE_NOOP("Actions", "&Split"), "Ctrl+6", group="compare", checkable=True,
        words="half side by side bar 分屏 并排",
        needs=QT_TRANSLATE_NOOP("Actions", "Nothing is compared yet: pin a state first")),
    Row("score", "compute", QT_TRANSLATE_NOOP("Actions", "Score &function"), None,
        words="scoring dot additive cosine gaussian average similarity 评分 点积 加性 余弦 高斯核 平均汇聚 相似度"),
    Row("scale", "compute", QT_TRANSLATE_NOOP("Actions", "Scale by √&d_k"), None,
        words="sqrt d_k root divide alpha factor 缩放 根号 除以"),
    Row("previous_head", "compute", QT_TRANSLATE_NOOP("Actions", "&Previous head"), "Ctrl+[",
        words="heads multi 多头"),
    Row("next_head", "compute", QT_TRANSLATE_NOOP("Actions", "&Next head"), "Ctrl+]",
        words="heads multi 多头"),
    Row("masks", "compute", QT_TRANSLATE_NOOP("Actions", "&Masks…"), "Ctrl+M", separator=True,
        words="mask causal padding window alibi layers 掩码 因果 遮挡 屏蔽"),
    Row("mask_tool", "compute", QT_TRANSLATE_NOOP("Actions", "P&aint the mask"), None, checkable=True,
        words="draw brush 画 涂"),
    Row("toggle_mask_cell", "compute", QT_TRANSLATE_NOOP("Actions", "&Open or close the chosen cell"), None,
        words="mask allow 屏蔽 开放",
        needs=QT_TRANSLATE_NOOP("Actions", "Choose a cell of a map first")),
    Row("softcap", "compute", QT_TRANSLATE_NOOP("Actions", "&Softcap"), None, checkable=True, separator=True,
        words="tanh limit clip gemma 截断"),
    Row("temperature", "compute", QT_TRANSLATE_NOOP("Actions", "&Temperature"), None, checkable=True,
        words="softmax sharp flat T 锐化"),
    Row("rotary_positions", "compute", QT_TRANSLATE_NOOP("Actions", "&Rotary positions"), None, checkable=True,
        words="rope position theta encoding 位置 编码"),
    Row("set_target", "compute", QT_TRANSLATE_NOOP("Actions", "Set the chosen ce&ll to…"), "Ctrl+G",
        words="solve goal inverse weight 求解 目标 反推",
        needs=QT_TRANSLATE_NOOP("Actions", "Choose a cell of scores, weights or output first")),
    Row("compute_rest", "compute", QT_TRANSLATE_NOOP("Actions", "&Compute the rest"), "F9",
        words="continue finish 继续"),
    Row("gradients", "compute", QT_TRANSLATE_NOOP("Actions", "&Gradients of the chosen cell"), None,
        words="gradient sensitivity derivative backprop 梯度 灵敏度 导数 反向传播"),
    Row("verify", "compute", QT_TRANSLATE_NOOP("Actions", "&Verify the numbers"), None, separator=True,
        words="check test correct reference compare 检查 核对 校验 对比"),
    Row(
        "previous_place",
        "compute",
        QT_TRANSLATE_NOOP("Actions", "&Back to the previous cell"),
        "Alt+Left",
        separator=True,
        words="back trail breadcrumb 返回"),
    Row("next_zone", "compute", QT_TRANSLATE_NOOP("Actions", "Next &zone"), "F6",
        words="focus keyboard panel 焦点 面板"),
    Row("previous_zone", "compute", QT_TRANSLATE_NOOP("Actions", "Previous zon&e"), "Shift+F6",
        words="focus keyboard panel 焦点 面板"),
    Row("search_actions", "help", QT_TRANSLATE_NOOP("Actions", "&Search actions…"), "Ctrl+Shift+P", "search",
        words="find command palette 查找 命令"),
    Row("shortcuts", "help", QT_TRANSLATE_NOOP("Actions", "&Keyboard shortcuts"), "F1",
        words="keys keyboard help 按键 热键"),
    Row("show_log", "help", QT_TRANSLATE_NOOP("Actions", "Show the &log"), None, separator=True,
        words="error details report 日志 错误"),
    Row("about", "help", QT_TRANSLATE_NOOP("Actions", "&About"), None,
        words="version license info 版本 许可"),
)
# fmt: on
