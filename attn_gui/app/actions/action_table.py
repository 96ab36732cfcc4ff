"""Every action: label with its underlined letter, menu, shortcut, words for the search, why it is gray."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtGui import QKeySequence

from attn_gui.languages import N_

# --- rows -----------------------------------------------------------------------------------------
Shortcut = QKeySequence.StandardKey | str | None
Keys = QKeySequence.StandardKey


class Row(NamedTuple):
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
    needs: str = ""  # the sentence shown while it is gray
    reads: tuple[str, ...] = ()  # names of the `Role`s that it is about, which a problem may lack
    context: str = "Actions"  # of its words, for translators
    back: str = ""  # the label while it is in force, where that is better said in words than by a check mark
    also: tuple[str, ...] = ()  # more shortcuts: + without Shift is =, and systems that know fewer standard keys
    full: bool = False  # whether menus and tool bar of the simple window leave it out; its keys and the search remain

    def shortcuts(self) -> list[QKeySequence]:
        """Return every shortcut, the one that is shown first; a standard key has several on most systems."""
        first = self.shortcut
        found = QKeySequence.keyBindings(first) if isinstance(first, Keys) else [QKeySequence(first)] if first else []
        return found + [keys for keys in map(QKeySequence, self.also) if keys not in found]


DECIMALS = (2, 3, 4, 6)
SCORE, MIX = ("SCORE",), ("MIX",)  # by name: the first paint does not wait for the engine
NO_PROJECTION = N_("Actions", "Needs X and its weights; here Q, K and V are given")
NO_PAIR = N_("Actions", "Nothing is compared yet: choose “With / without …” above, or pin a state")
NO_CELL = N_("Actions", "Choose a cell of a map first")
NO_SNAPSHOT = N_("Actions", "Choose a snapshot in its list first")
HISTORY_SIZES = (64, 256, 1024, 4096)  # MB
# fmt: off
ACTIONS = (  # a table, a row to one line or two
    Row("new", "file", N_("Actions", "&New…"), Keys.New, "new",
        words="create problem empty blank 新建 空白 创建 算例 问题"),
    Row("open", "file", N_("Actions", "&Open…"), Keys.Open, "open",
        words="load file read excel xlsx csv 载入 读取 导入 文件"),
    Row("start", "file", N_("Actions", "Start &page"), words="begin welcome home cards first 起始页 开始 首页 欢迎"),
    Row("open_model", "file", N_("Actions", "Open a &model…"), "Ctrl+Alt+O",
        words="checkpoint transformer bert gpt llama weights folder huggingface 模型 权重 检查点 打开", full=True),
    Row("save", "file", N_("Actions", "&Save"), Keys.Save, "save", separator=True, words="store write 存储"),
    Row("save_as", "file", N_("Actions", "Save &as…"), Keys.SaveAs, also=("Ctrl+Shift+S",),
        words="store copy rename 副本"),
    Row("import_matrix", "file", N_("Actions", "&Import into the table…"), "Ctrl+I", separator=True,
        words="csv tsv npy matrix load table 读入 矩阵", full=True),
    Row("export_image", "file", N_("Actions", "&Export image…"), "Ctrl+E", "export-image",
        words="export img picture figure slide png svg pdf gif vector 保存图片 图像 插图 矢量图 热图 heatmap"),
    Row("export_data", "file", N_("Actions", "Export n&umbers…"), "Ctrl+Shift+E",
        words="export numbers csv npz npy tsv values 数据 数值", full=True),
    Row("card", "file", N_("Actions", "Make a car&d…"), "Ctrl+K", "card", short=N_("Actions", "Card"),
        words="card share send friend post picture png social 卡片 分享 发送 图片"),
    Row("reopen_last", "file", N_("Actions", "&Begin with the last file next time"), None, checkable=True,
        separator=True, words="reopen start restore session last document 启动 上次 文档"),
    Row("quit", "file", N_("Actions", "&Quit"), "Ctrl+Q", separator=True, also=("Ctrl+W",),
        words="exit close end 关闭"),
    Row("undo", "edit", N_("Actions", "&Undo"), Keys.Undo, "undo", words="back revert 后退 返回 撤消 撤回",
        needs=N_("Actions", "Nothing has been done yet")),
    Row("redo", "edit", N_("Actions", "&Redo"), Keys.Redo, "redo", also=("Ctrl+Y", "Ctrl+Shift+Z"),
        words="again forward repeat 前进", needs=N_("Actions", "Nothing was undone")),
    Row("cut", "edit", N_("Actions", "Cu&t"), Keys.Cut, separator=True, words="move 移动"),
    Row("copy", "edit", N_("Actions", "&Copy"), Keys.Copy, "copy", words="clipboard tsv 剪贴板"),
    Row("copy_with_headers", "edit", N_("Actions", "Copy with &headers"), "Ctrl+Shift+C",
        words="clipboard tokens labels 表头 剪贴板", full=True),
    Row("copy_latex", "copy_as", N_("Actions", "&LaTeX matrix"), words="tex bmatrix formula 公式", full=True),
    Row("copy_markdown", "copy_as", N_("Actions", "&Markdown table"), words="md table", full=True),
    Row("copy_numpy", "copy_as", N_("Actions", "&NumPy array"), words="python code array 代码 数组", full=True),
    Row("paste", "edit", N_("Actions", "&Paste"), Keys.Paste, words="insert clipboard 插入 剪贴板"),
    Row("paste_transposed", "paste_special", N_("Actions", "&Transposed"), None,
        words="paste transpose rows columns 转置 粘贴", full=True),
    Row("paste_added", "paste_special", N_("Actions", "&Added to the cells"), None,
        words="paste add sum plus 相加 粘贴", full=True),
    Row("paste_multiplied", "paste_special", N_("Actions", "&Multiplied with the cells"), None,
        words="paste multiply product times scale 相乘 粘贴", full=True),
    Row("clear", "edit", N_("Actions", "Set to &zero"), None, words="zero delete empty 清零 清除 清空 删除"),
    Row("fill_down", "edit", N_("Actions", "Fill &down"), "Ctrl+D", words="repeat extend 填充"),
    Row("fill_right", "edit", N_("Actions", "Fill ri&ght"), "Ctrl+R", words="repeat extend 填充", full=True),
    Row("insert_rows", "rows", N_("Actions", "Insert &rows above"), "Ctrl+Shift+I", words="add query key 插入 添加 行",
        full=True),
    Row("insert_columns", "rows", N_("Actions", "Insert &columns before"), None,
        words="add dimension d_k d_v 插入 添加 列", full=True),
    Row("delete_rows", "rows", N_("Actions", "&Delete rows"), "Ctrl+Shift+K", separator=True,
        words="remove query key 删除 移除 行", full=True),
    Row("delete_columns", "rows", N_("Actions", "D&elete columns"), None, words="remove dimension d_k d_v 删除 移除 列",
        full=True),
    Row("fill_integers", "edit", N_("Actions", "Fill with small &integers"), None, separator=True,
        words="small numbers 整数 填充", full=True),
    Row("fill_random", "edit", N_("Actions", "Fill with random &numbers"), None, words="noise normal seed 随机 填充"),
    Row("fill_identity", "edit", N_("Actions", "Fill with the identit&y"), None,
        words="unit diagonal matrix 单位阵 对角", full=True),
    Row("tokens", "edit", N_("Actions", "To&kens…"), "Ctrl+T", separator=True,
        words="token word sentence label name 词元 分词 句子 单词 标签"),
    Row("output_projection", "edit", N_("Actions", "Output pro&jection"), None, checkable=True, separator=True,
        words="W_O output projection 输出 投影", reads=MIX, full=True),
    Row("biases", "edit", N_("Actions", "&Biases"), None, checkable=True, words="b_Q b_K b_V bias 偏置",
        needs=NO_PROJECTION, reads=SCORE, full=True),
    Row("block", "layer", N_("Actions", "Residual, &LayerNorm, Linear"), None, checkable=True,
        words="transformer layernorm residual ffn linear 残差 层归一化 块", reads=SCORE, full=True),
    Row("post_norm_block", "layer", N_("Actions", "&Post-norm block (BERT)"), None, checkable=True,
        words="transformer layer encoder ffn mlp residual post norm 编码器 前馈 残差 后归一化 块", reads=SCORE,
        full=True),
    Row("pre_norm_block", "layer", N_("Actions", "P&re-norm block (GPT-2, Llama)"), None, checkable=True,
        words="transformer layer decoder ffn mlp residual pre norm 解码器 前馈 残差 前归一化 块", reads=SCORE,
        full=True),
    Row("gated_network", "layer", N_("Actions", "&Gated feed-forward network"), checkable=True,
        words="glu swiglu mlp 门控 前馈", reads=SCORE, needs=N_("Actions", "Needs a post-norm or pre-norm block"),
        full=True),
    Row("head_norms", "layer", N_("Actions", "&Normalize the heads of Q and K"), checkable=True, separator=True,
        words="rmsnorm qk norm qwen 查询 键 归一化", reads=SCORE, full=True),
    Row("sinks", "layer", N_("Actions", "Attention &sink in every head"), checkable=True, words="汇点", reads=SCORE,
        full=True, needs=N_("Actions", "Needs a softmax")),
    Row("second_sequence", "edit", N_("Actions", "Second se&quence"), None, checkable=True,
        words="cross attention context encoder decoder 交叉注意力 编码器",
        needs=NO_PROJECTION, reads=SCORE, full=True),
    Row("make_direct", "edit", N_("Actions", "&Work on Q, K, V directly"), None, words="given Q K V matrices 直接",
        needs=NO_PROJECTION, reads=SCORE, full=True),
    *(Row(f"history_{size}", "history", f"{size} MB" if size < 1024 else f"{size // 1024} GB", group="history",
          checkable=True, words="undo memory limit 撤销 内存", full=True) for size in HISTORY_SIZES),
    Row("product", "view", N_("Actions", "Matrix &product"), "Ctrl+1", "product", group="mode", checkable=True,
        words="matmul matrix multiplication 乘积 矩阵", full=True),
    Row("all_stages", "view", N_("Actions", "&All stages"), "Ctrl+2", "all-stages", group="mode", checkable=True,
        words="overview compare steps tiles 全部步骤 对比 比较 总览", full=True),
    Row("model", "view", N_("Actions", "&Model"), "Ctrl+Alt+M", "model", group="mode", checkable=True,
        words="checkpoint layers heads prediction next token 模型 层 头 预测",
        needs=N_("Actions", "Open a model first"), full=True),
    Row("values", "view", N_("Actions", "&Values in cells"), "Ctrl+Shift+V", "values", checkable=True,
        short=N_("Actions", "Values"), words="numbers digits cells 数字 数值"),
    Row("show_reach", "view", N_("Actions", "Show what a cell reac&hes"), "Ctrl+Shift+R", checkable=True,
        words="influence affects forward highlight 影响 范围", full=True),
    Row("show_origin", "view", N_("Actions", "Show where a cell comes &from"), "Ctrl+Alt+R", checkable=True,
        words="origin source backward trace inputs 来源 来自 追溯 反向", full=True),
    Row("release_cell", "view", N_("Actions", "Choose no &cell"), words="deselect unselect 取消 选择",
        needs=NO_CELL, full=True),
    Row("walk", "view", N_("Actions", "&Walk through"),
        words="animation animate play step by step explain show video gif 动画 演示 播放 逐步 分步 一步一步 讲解",
        needs=N_("Actions", "Choose a computed cell of a map first, one that no exercise covers")),
    Row("copy_image", "view", N_("Actions", "Copy ima&ge of the map"), "Ctrl+Alt+C",
        words="picture screenshot png 截图 图片", full=True),
    Row("levels", "view", N_("Actions", "Colors and l&evels of the map"),
        words="color bar palette range colorblind 颜色 色阶 配色 色盲 范围",
        needs=N_("Actions", "Needs a map on show"), full=True),
    Row("zoom_in", "view", N_("Actions", "Zoom &in"), Keys.ZoomIn, also=("Ctrl+=",), separator=True,
        words="larger bigger font 放大 字号 字体 字太小"),
    Row("zoom_out", "view", N_("Actions", "Zoom &out"), Keys.ZoomOut, words="smaller font 缩小 字号"),
    Row("zoom_reset", "view", N_("Actions", "Normal si&ze"), "Ctrl+0", words="100 % actual 原始 字号"),
    Row("full_screen", "view", N_("Actions", "F&ull screen"), "F11", checkable=True,
        words="fullscreen maximize presentation 全屏 最大化 演示"),
    Row("simple", "view", N_("Actions", "Simple wi&ndow"), checkable=True,
        words="simple full beginner advanced expert hide everything 简洁 完整 简单 高级 隐藏 界面"),
    Row("reduced_motion", "view", N_("Actions", "&Reduced motion"), checkable=True,
        words="animation still accessibility dizzy 动画 动态 静止 无障碍"),
    Row("reset_layout", "view", N_("Actions", "Reset la&yout"), None, separator=True,
        words="panels columns windows default 布局 面板 重置", full=True),
    *(Row(f"decimals_{digits}", "decimals", str(digits), group="decimals", checkable=True,
          words="digits precision 精度 位数") for digits in DECIMALS),
    Row("scientific", "decimals", N_("Actions", "&Scientific"), None, checkable=True, separator=True,
        words="exponent e notation power format 科学 记数 指数 格式", full=True),
    Row("language_en", "language", "English", group="language", checkable=True,
        words="language english locale 语言 英语 英文"),
    Row("language_zh", "language", "简体中文", group="language", checkable=True,
        words="language chinese locale 语言 中文 汉语"),
    Row("theme_light", "theme", N_("Actions", "&Light"), group="theme", checkable=True,
        words="bright white day 亮色 白色"),
    Row("theme_dark", "theme", N_("Actions", "&Dark"), group="theme", checkable=True,
        words="night black 暗色 黑色 夜间"),
    Row("theme_system", "theme", N_("Actions", "As the &system"), group="theme", checkable=True,
        words="automatic appearance 自动"),
    Row("pin", "compare", N_("Actions", "Set the &present state as baseline"), "Ctrl+B", "pin",
        short=N_("Actions", "Set as baseline"), words="baseline keep remember snapshot compare 基准 固定 保留 对比",
        full=True),
    Row("unpin", "compare", N_("Actions", "&End the comparison"), "Ctrl+Shift+B",
        words="unpin release baseline stop 取消 基准 固定 结束 对比",
        needs=NO_PAIR),
    Row("show_now", "compare", N_("Actions", "&Now"), "Ctrl+3", group="compare", checkable=True, separator=True,
        words="present after 现在 当前",
        needs=NO_PAIR),
    Row("show_before", "compare", N_("Actions", "&Before"), "Ctrl+4", group="compare", checkable=True,
        words="baseline old pinned 之前 原来",
        needs=NO_PAIR),
    Row("show_difference", "compare", N_("Actions", "&Difference"), "Ctrl+5", group="compare", checkable=True,
        words="delta change minus 差值 变化",
        needs=NO_PAIR),
    Row("show_side_by_side", "compare", N_("Actions", "&Side by side"), "Ctrl+6", group="compare", checkable=True,
        words="two panels split beside 并排 分屏 两边",
        needs=NO_PAIR),
    Row("show_wipe", "compare", N_("Actions", "W&ipe"), group="compare", checkable=True,
        words="half bar split slide 卷帘 分屏",
        needs=NO_PAIR),
    Row("show_gradient", "compare", N_("Actions", "&Gradient of the chosen cell"), "Ctrl+7", group="compare",
        checkable=True, words="sensitivity derivative backprop overlay 梯度 灵敏度 导数 反向传播",
        needs=N_("Actions", "Choose a cell of a map first; not during an exercise"), full=True),
    Row("snapshot", "compare", N_("Actions", "&Take snapshot"), "Ctrl+Alt+B", separator=True,
        words="keep state version remember name note 快照 保存 版本 状态", full=True),
    Row("open_snapshot", "compare", N_("Actions", "&Open the chosen snapshot"),
        words="restore go back version state 快照 恢复 回到 版本",
        needs=NO_SNAPSHOT, full=True),
    Row("compare_with_snapshot", "compare", N_("Actions", "&Compare with the chosen snapshot"),
        words="baseline difference version state 快照 对比 比较 差值",
        needs=NO_SNAPSHOT, full=True),
    Row("name_snapshot", "compare", N_("Actions", "Na&me and note of the snapshot…"),
        words="rename comment describe 快照 重命名 备注 注释",
        needs=NO_SNAPSHOT, full=True),
    Row("delete_snapshot", "compare", N_("Actions", "De&lete the chosen snapshot"), words="remove 快照 删除",
        needs=NO_SNAPSHOT, full=True),
    Row("blame", "compare", N_("Actions", "&Which step moved the chosen cell most"), separator=True,
        words="blame edit cause history responsible undo 哪一步 编辑 原因 历史 归因",
        needs=N_("Actions", "Choose a cell of a map, and do two steps first"), full=True),
    Row("score", "compute", N_("Actions", "Score &function"), None,
        words="scoring dot additive cosine gaussian average similarity 评分 点积 加性 余弦 高斯核 平均汇聚 相似度",
        reads=SCORE, full=True),
    Row("scale", "compute", N_("Actions", "Scale by √&dₖ"), None,
        words="sqrt d_k root divide alpha factor 缩放 根号 除以", reads=SCORE, full=True),
    Row("previous_head", "compute", N_("Actions", "&Previous head"), "Ctrl+[", words="heads multi 多头", full=True),
    Row("next_head", "compute", N_("Actions", "&Next head"), "Ctrl+]", words="heads multi 多头", full=True),
    Row("masks", "compute", N_("Actions", "&Masks…"), "Ctrl+M", separator=True,
        words="mask causal padding window alibi layers 掩码 因果 下三角 填充 滑动窗口 遮挡 遮住 屏蔽",
        reads=SCORE, full=True),
    Row("mask_tool", "compute", N_("Actions", "P&aint the mask"), None, checkable=True, words="draw brush 画 涂",
        reads=SCORE, full=True),
    Row("toggle_mask_cell", "compute", N_("Actions", "&Open or close the chosen cell"), None,
        words="mask allow 屏蔽 开放", needs=NO_CELL, reads=SCORE, full=True),
    Row("softcap", "compute", N_("Actions", "&Softcap"), None, checkable=True, separator=True,
        words="tanh limit clip gemma 截断", reads=SCORE, full=True),
    Row("normalize", "compute", N_("Actions", "From scores to &weights"), None,
        words="normalize softmax none sigmoid linear attention elu sum 归一化 没有 去掉 线性注意力", reads=SCORE,
        full=True),
    Row("temperature", "compute", N_("Actions", "&Temperature"), None, checkable=True,
        words="softmax sharp flat T 锐化", reads=SCORE, full=True, needs=N_("Actions", "Needs a softmax or a sigmoid")),
    Row("rotary_positions", "compute", N_("Actions", "&Rotary positions"), None, checkable=True,
        words="rope position theta encoding 位置 编码", reads=SCORE, full=True),
    Row("set_target", "compute", N_("Actions", "Set the chosen ce&ll to…"), "Ctrl+G",
        words="solve goal inverse weight 求解 目标 反推",
        needs=N_("Actions", "Choose a cell of scores, weights or output first"), reads=SCORE, full=True),
    Row("target_tool", "compute", N_("Actions", "Drag n&umbers to a target"), None, checkable=True,
        words="pull mouse solve target live 拖动 拖拽 目标 求解", reads=SCORE, full=True),
    Row("set_number", "by_hand", N_("Actions", "T&ype a number into the chosen cell"), None,
        words="intervention edit by hand F2 override knock out 干预 手动 修改 填数",
        needs=NO_CELL, full=True),
    Row("multiply_cells", "by_hand", N_("Actions", "&Multiply the chosen cells…"), None,
        words="scale factor zero ablate knock out 乘以 缩放 系数 归零 消融",
        needs=NO_CELL, full=True),
    Row("take_cells", "by_hand", N_("Actions", "Take the chosen cells from &elsewhere…"), None,
        words="copy patch head row activation patching 复制 替换 取自",
        needs=NO_CELL, full=True),
    Row("take_before", "by_hand", N_("Actions", "Take the chosen cells from the state &before"), None,
        words="patch copy pinned snapshot second text compare 取自 对比 固定 快照 修补",
        needs=N_("Actions", "Compare with another state, and choose a cell of a map"), full=True),
    Row("free_cells", "by_hand", N_("Actions", "Lea&ve the chosen cells as computed"), None,
        words="reset remove delete intervention 恢复 还原 清除",
        needs=N_("Actions", "Choose a cell that is changed by hand"), full=True),
    Row("choose_row", "by_hand", N_("Actions", "Choose the whole &row"), None, separator=True,
        words="select line block 选择 整行", needs=NO_CELL, full=True),
    Row("choose_column", "by_hand", N_("Actions", "Choose the whole &column"), None,
        words="select line block 选择 整列", needs=NO_CELL, full=True),
    Row("interventions", "by_hand", N_("Actions", "&List of changes…"), "Ctrl+H", "by-hand",
        short=N_("Actions", "Edit results"),
        words="interventions list override set scale copy ablate 干预 列表 手动 修改", full=True),
    Row("all_heads_by_hand", "by_hand", N_("Actions", "Do it to &all heads"), None,
        words="intervention every head spread 干预 所有头 全部",
        needs=N_("Actions", "Choose a cell that is changed by hand in one head"), full=True),
    Row("weights_ask", "weights_typed", N_("Actions", "&Ask what it means"), None, group="weights_typed",
        checkable=True, full=True),
    Row("weights_alone", "weights_typed", N_("Actions", "&Set the number alone"), None, group="weights_typed",
        checkable=True, full=True),
    Row("weights_rescaled", "weights_typed", N_("Actions", "Set it and &rescale the others"), None,
        group="weights_typed", checkable=True, full=True),
    Row("weights_solved", "weights_typed", N_("Actions", "&Find the query that gives it"), None, group="weights_typed",
        checkable=True, reads=SCORE, full=True),
    Row("compute_rest", "compute", N_("Actions", "&Compute the rest"), "F9", words="continue finish 继续", full=True),
    Row("gradients", "compute", N_("Actions", "&Gradients of the chosen cell"), None,
        words="gradient sensitivity derivative backprop 梯度 灵敏度 导数 反向传播", full=True),
    Row("verify", "compute", N_("Actions", "&Verify the numbers"), None, separator=True,
        words="check test correct reference compare 检查 核对 校验 对比", full=True),
    Row("previous_place", "compute", N_("Actions", "&Back to the previous cell"), "Alt+Left", separator=True,
        words="back trail breadcrumb 返回", full=True),
    Row("next_zone", "compute", N_("Actions", "Next &zone"), "F6", words="focus keyboard panel 焦点 面板", full=True),
    Row("previous_zone", "compute", N_("Actions", "Previous zon&e"), "Shift+F6", words="focus keyboard panel 焦点 面板",
        full=True),
    Row("lessons", "learn", N_("Actions", "&All lessons"), None, "lessons", short=N_("Actions", "Lessons"),
        words="tutorial course list progress 课程 教程 目录 进度 列表"),
    Row("open_lesson", "learn", N_("Actions", "&Open a lesson…"), None,
        words="tutorial course markdown 课程 教程 打开"),
    Row("search_actions", "help", N_("Actions", "&Search actions…"), "Ctrl+Shift+P", "search",
        words="find command palette 查找 命令"),
    Row("help", "help", N_("Actions", "&Help pages"), "F1",
        words="manual guide documentation how to 帮助 手册 说明 教程"),
    Row("tour", "help", N_("Actions", "&Tour of the window"),
        words="guide introduction first steps bubbles 导览 引导 入门 介绍"),
    Row("shortcuts", "help", N_("Actions", "&Keyboard shortcuts"), "Ctrl+F1", words="keys keyboard help 按键 热键"),
    Row("show_log", "help", N_("Actions", "Show the &log"), None, separator=True,
        words="error details report 日志 错误", full=True),
    Row("about", "help", N_("Actions", "&About"), None, words="version license info 版本 许可"),
)
# fmt: on


# --- menus ----------------------------------------------------------------------------------------
# The menus, in order: titles, other words to find them by, and which open out of which.
MENUS = (
    ("file", N_("Actions", "&File")),
    ("edit", N_("Actions", "&Edit")),
    ("view", N_("Actions", "&View")),
    ("compare", N_("Actions", "Co&mpare")),
    ("compute", N_("Actions", "&Compute")),
    ("learn", N_("Actions", "&Learn")),
    ("help", N_("Actions", "&Help")),
    ("lessons", N_("Actions", "&Lessons")),
    ("recent", N_("Actions", "Open &recent")),
    ("examples", N_("Actions", "E&xamples")),
    ("models", N_("Actions", "Models a&t hand")),
    ("decimals", N_("Actions", "&Decimals")),
    ("language", N_("Actions", "&Language")),
    ("theme", N_("Actions", "&Theme")),
    ("by_hand", N_("Actions", "Ed&it results")),
    ("weights_typed", N_("Actions", "Typing into &weights")),
    ("history", N_("Actions", "&Memory for history")),
    ("rows", N_("Actions", "Rows and c&olumns")),
    ("layer", N_("Actions", "&Layer of a transformer")),
    ("copy_as", N_("Actions", "Copy &as")),
    ("paste_special", N_("Actions", "Paste &special")),
    ("pages", N_("Actions", "Page&s")),
    ("heads", N_("Actions", "&Head on show")),
    ("brush", N_("Actions", "Shape of the mas&k brush")),
    ("readings", N_("Actions", "Number &below every head")),
)
MENU_WORDS = {
    "compare": "baseline difference before after with without 对比 比较 基准 之前 差值 有无",
    "recent": "recently last files history 最近 打开过",
    "lessons": "tutorial course teach learn 课程 教程 学习 例题",
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
FULL_MENUS = frozenset(("lessons",))
"""Submenus that the simple window leaves out: each lesson stands in the list of all of them."""


# --- finding --------------------------------------------------------------------------------------
# `tables.finding`, which carries these out, is built after the first maps.
# fmt: off
FIND_ROWS = (
    Row("find", "edit", N_("Actions", "&Find…"), Keys.Find, "search", separator=True,
        words="search number value token look up 查找 搜索 数值 词元"),
    Row("find_next", "edit", N_("Actions", "Find ne&xt"), "F3", words="search again 查找 下一个", full=True),
    Row("find_previous", "edit", N_("Actions", "Find pre&vious"), "Shift+F3", words="查找 上一个", full=True),
    Row("go_to_cell", "edit", N_("Actions", "Go to a c&ell…"), "F5",
        words="jump row column goto place 转到 定位 单元格 行 列", full=True),
)
# fmt: on


# --- heads ----------------------------------------------------------------------------------------
# `editing.heads`, which carries these out, is built after the first maps.
SEVERAL = N_("Heads", "Needs two heads or more")
_head = partial(Row, menu="heads", context="Heads", full=True)

# fmt: off
HEAD_ROWS = (
    _head("head_off", label=N_("Heads", "Switch the head o&ff"), words="knock out ablate disable 关闭 消融",
        shortcut="Ctrl+Shift+O", back=N_("Heads", "S&witch the head on again"), reads=MIX),
    _head("head_only", label=N_("Heads", "&Only this head"), words="isolate alone 仅 单独", needs=SEVERAL, reads=MIX),
    _head("head_scale", label=N_("Heads", "&Scale the head…"), words="factor multiply 系数 倍", reads=MIX),
    _head("head_copy", label=N_("Heads", "Put &another head in its place…"), words="copy patch 复制 替换",
        needs=SEVERAL, reads=MIX),
    _head("head_free", label=N_("Heads", "Leave the head as &computed"), words="reset on 恢复 还原", reads=MIX,
        needs=N_("Heads", "The head is as computed")),
    _head("head_average", label=N_("Heads", "A&verage Q, K and V of heads…"),
        words="mean merge average heads 平均 合并 对头取平均", needs=SEVERAL),
    _head("head_duplicate", label=N_("Heads", "&Duplicate the head"), words="clone second two 复制 两个头 增加头"),
    _head("head_delete", label=N_("Heads", "Dele&te the head"), words="remove 删除", needs=SEVERAL),
    _head("head_left", label=N_("Heads", "Move the head to the &left"), words="reorder order 左移 顺序"),
    _head("head_right", label=N_("Heads", "Move the head to the &right"), words="reorder order 右移 顺序"),
    _head("head_equal", label=N_("Heads", "Give every K/V head its &K and V"), words="multi-query shared 共用",
        reads=MIX, needs=N_("Heads", "There is only one K/V head")),
)
# fmt: on
"""Of the menu of heads, all about the head on show."""
