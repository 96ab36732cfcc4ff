<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AboutDialog</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>Take attention apart by hand: edit Q, K, V and watch every step follow.</source>
        <translation>亲手拆解注意力：修改 Q、K、V，看每一步随之变化。</translation>
    </message>
    <message>
        <source>Made with {parts}.</source>
        <translation>使用 {parts} 构建。</translation>
    </message>
    <message>
        <source>Licenses</source>
        <translation>许可证</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ActionSearch</name>
    <message>
        <source>Search actions</source>
        <translation>搜索操作</translation>
    </message>
    <message>
        <source>Type what you want to do</source>
        <translation>输入想做的事</translation>
    </message>
    <message>
        <source>Actions found</source>
        <translation>找到的操作</translation>
    </message>
    <message>
        <source>Nothing fits “{text}”. Try another word, in English or Chinese.</source>
        <translation>没有与“{text}”相符的操作。换个词试试，中英文皆可。</translation>
    </message>
    <message>
        <source>Switches to the full window</source>
        <translation>将切换到完整界面</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation>计算(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>E&amp;xamples</source>
        <translation>示例(&amp;X)</translation>
    </message>
    <message>
        <source>Models a&amp;t hand</source>
        <translation>现成的模型(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Decimals</source>
        <translation>小数位数(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Memory for history</source>
        <translation>历史记录占用内存(&amp;M)</translation>
    </message>
    <message>
        <source>Copy &amp;as</source>
        <translation>复制为(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;New…</source>
        <translation>新建(&amp;N)…</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Import into the table…</source>
        <translation>导入到表格(&amp;I)…</translation>
    </message>
    <message>
        <source>&amp;Export image…</source>
        <translation>导出图片(&amp;E)…</translation>
    </message>
    <message>
        <source>Export n&amp;umbers…</source>
        <translation>导出数值(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Nothing has been done yet</source>
        <translation>还没有可撤销的操作</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Nothing was undone</source>
        <translation>没有可重做的操作</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Copy with &amp;headers</source>
        <translation>连同表头复制(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;LaTeX matrix</source>
        <translation>&amp;LaTeX 矩阵</translation>
    </message>
    <message>
        <source>&amp;Markdown table</source>
        <translation>&amp;Markdown 表格</translation>
    </message>
    <message>
        <source>&amp;NumPy array</source>
        <translation>&amp;NumPy 数组</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Set to &amp;zero</source>
        <translation>置零(&amp;Z)</translation>
    </message>
    <message>
        <source>Fill &amp;down</source>
        <translation>向下填充(&amp;D)</translation>
    </message>
    <message>
        <source>Fill ri&amp;ght</source>
        <translation>向右填充(&amp;G)</translation>
    </message>
    <message>
        <source>Fill with small &amp;integers</source>
        <translation>设为小整数(&amp;I)</translation>
    </message>
    <message>
        <source>Fill with random &amp;numbers</source>
        <translation>设为随机数(&amp;N)</translation>
    </message>
    <message>
        <source>Fill with the identit&amp;y</source>
        <translation>设为单位矩阵(&amp;Y)</translation>
    </message>
    <message>
        <source>To&amp;kens…</source>
        <translation>词元(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Biases</source>
        <translation>偏置(&amp;B)</translation>
    </message>
    <message>
        <source>Needs X and its weights; here Q, K and V are given</source>
        <translation>需要 X 及其权重；这里直接给出了 Q、K、V</translation>
    </message>
    <message>
        <source>Residual, &amp;LayerNorm, Linear</source>
        <translation>残差、层归一化、线性层(&amp;L)</translation>
    </message>
    <message>
        <source>Needs a softmax</source>
        <translation>需要 softmax</translation>
    </message>
    <message>
        <source>&amp;All stages</source>
        <translation>全部阶段(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Values in cells</source>
        <translation>在单元格中显示数值(&amp;V)</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>显示数值</translation>
    </message>
    <message>
        <source>Show what a cell reac&amp;hes</source>
        <translation>显示单元格影响的范围(&amp;H)</translation>
    </message>
    <message>
        <source>Leave out the &amp;chosen cell</source>
        <translation>将所选单元格留空(&amp;B)</translation>
    </message>
    <message>
        <source>Choose a cell of a map first</source>
        <translation>请先在热图中选择一个单元格</translation>
    </message>
    <message>
        <source>Choose a computed cell that is not left out yet, in a map that is not too large</source>
        <translation>请先在不太大的图中选择一个由计算得到且尚未留空的单元格</translation>
    </message>
    <message>
        <source>Leave out cells at &amp;random…</source>
        <translation>随机留空(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;End the exercise</source>
        <translation>结束练习(&amp;E)</translation>
    </message>
    <message>
        <source>No cell is left out</source>
        <translation>没有留空的单元格</translation>
    </message>
    <message>
        <source>Copy ima&amp;ge of the map</source>
        <translation>复制热图图片(&amp;C)</translation>
    </message>
    <message>
        <source>Colors and l&amp;evels of the map</source>
        <translation>热图的颜色与色阶(&amp;E)</translation>
    </message>
    <message>
        <source>Needs a map on show</source>
        <translation>需要先显示一张图</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>Score &amp;function</source>
        <translation>评分函数(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Previous head</source>
        <translation>上一个头(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Next head</source>
        <translation>下一个头(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Masks…</source>
        <translation>掩码(&amp;M)…</translation>
    </message>
    <message>
        <source>P&amp;aint the mask</source>
        <translation>绘制掩码(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Open or close the chosen cell</source>
        <translation>开放或屏蔽所选单元格(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Softcap</source>
        <translation>软上限(&amp;S)</translation>
    </message>
    <message>
        <source>From scores to &amp;weights</source>
        <translation>从分数到权重(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Temperature</source>
        <translation>温度(&amp;T)</translation>
    </message>
    <message>
        <source>Needs a softmax or a sigmoid</source>
        <translation>需要 softmax 或 sigmoid</translation>
    </message>
    <message>
        <source>&amp;Rotary positions</source>
        <translation>旋转位置编码(&amp;R)</translation>
    </message>
    <message>
        <source>Set the chosen ce&amp;ll to…</source>
        <translation>将所选单元格设为(&amp;L)…</translation>
    </message>
    <message>
        <source>Choose a cell of scores, weights or output first</source>
        <translation>请先选择分数、权重或输出的一个单元格</translation>
    </message>
    <message>
        <source>T&amp;ype a number into the chosen cell</source>
        <translation>在所选单元格中填数(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Compute the rest</source>
        <translation>计算其余部分(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Gradients of the chosen cell</source>
        <translation>所选单元格的梯度(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Verify the numbers</source>
        <translation>验证数值(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Back to the previous cell</source>
        <translation>回到上一个单元格(&amp;B)</translation>
    </message>
    <message>
        <source>Next &amp;zone</source>
        <translation>下一区域(&amp;Z)</translation>
    </message>
    <message>
        <source>Previous zon&amp;e</source>
        <translation>上一区域(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Search actions…</source>
        <translation>搜索操作(&amp;S)…</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>键盘快捷键(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About</source>
        <translation>关于(&amp;A)</translation>
    </message>
    <message>
        <source>Show the &amp;log</source>
        <translation>查看日志(&amp;L)</translation>
    </message>
    <message>
        <source>Choose no &amp;cell</source>
        <translation>取消选中单元格(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Scientific</source>
        <translation>科学记数法(&amp;S)</translation>
    </message>
    <message>
        <source>Show where a cell comes &amp;from</source>
        <translation>显示单元格的来源(&amp;F)</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>比较(&amp;M)</translation>
    </message>
    <message>
        <source>Set the &amp;present state as baseline</source>
        <translation>将当前状态设为基准(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Walk through</source>
        <translation>逐步演示(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Reduced motion</source>
        <translation>减少动态(&amp;R)</translation>
    </message>
    <message>
        <source>Reset la&amp;yout</source>
        <translation>恢复默认布局(&amp;Y)</translation>
    </message>
    <message>
        <source>Set as baseline</source>
        <translation>设为基准</translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation>结束比较(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Now</source>
        <translation>现在(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Before</source>
        <translation>之前(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Difference</source>
        <translation>差异(&amp;D)</translation>
    </message>
    <message>
        <source>Page&amp;s</source>
        <translation>页面(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Head on show</source>
        <translation>当前头(&amp;H)</translation>
    </message>
    <message>
        <source>Typing into &amp;weights</source>
        <translation>在权重中填数(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Ask what it means</source>
        <translation>询问含义(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Set the number alone</source>
        <translation>只改这一个数(&amp;S)</translation>
    </message>
    <message>
        <source>Set it and &amp;rescale the others</source>
        <translation>改这个数并按比例缩放其余权重(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Find the query that gives it</source>
        <translation>求能得到它的查询(&amp;F)</translation>
    </message>
    <message>
        <source>Shape of the mas&amp;k brush</source>
        <translation>掩码画笔的形状(&amp;K)</translation>
    </message>
    <message>
        <source>Number &amp;below every head</source>
        <translation>每个头下的读数(&amp;B)</translation>
    </message>
    <message>
        <source>Drag n&amp;umbers to a target</source>
        <translation>拖动数值到目标(&amp;U)</translation>
    </message>
    <message>
        <source>Rows and c&amp;olumns</source>
        <translation>行与列(&amp;O)</translation>
    </message>
    <message>
        <source>Insert &amp;rows above</source>
        <translation>在上方插入行(&amp;R)</translation>
    </message>
    <message>
        <source>Insert &amp;columns before</source>
        <translation>在左侧插入列(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Delete rows</source>
        <translation>删除行(&amp;D)</translation>
    </message>
    <message>
        <source>D&amp;elete columns</source>
        <translation>删除列(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Multiply the chosen cells…</source>
        <translation>所选单元格乘以(&amp;M)…</translation>
    </message>
    <message>
        <source>Take the chosen cells from &amp;elsewhere…</source>
        <translation>所选单元格取自别处(&amp;E)…</translation>
    </message>
    <message>
        <source>Lea&amp;ve the chosen cells as computed</source>
        <translation>所选单元格恢复为计算结果(&amp;V)</translation>
    </message>
    <message>
        <source>Choose a cell that is changed by hand</source>
        <translation>请先选中一个手动修改过的单元格</translation>
    </message>
    <message>
        <source>Choose the whole &amp;row</source>
        <translation>选中整行(&amp;R)</translation>
    </message>
    <message>
        <source>Choose the whole &amp;column</source>
        <translation>选中整列(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;List of changes…</source>
        <translation>修改列表(&amp;L)…</translation>
    </message>
    <message>
        <source>Do it to &amp;all heads</source>
        <translation>应用到所有头(&amp;A)</translation>
    </message>
    <message>
        <source>Choose a cell that is changed by hand in one head</source>
        <translation>请先选中一个只在单个头中手动修改的单元格</translation>
    </message>
    <message>
        <source>&amp;Learn</source>
        <translation>学习(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Lessons</source>
        <translation>课程(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Open a lesson…</source>
        <translation>打开课程文件(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Help pages</source>
        <translation>帮助页面(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Begin with the last file next time</source>
        <translation>下次启动时接着上次的文件(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Open the chosen snapshot</source>
        <translation>打开所选快照(&amp;O)</translation>
    </message>
    <message>
        <source>Choose a snapshot in its list first</source>
        <translation>请先在列表中选一个快照</translation>
    </message>
    <message>
        <source>&amp;Compare with the chosen snapshot</source>
        <translation>与所选快照比较(&amp;C)</translation>
    </message>
    <message>
        <source>Na&amp;me and note of the snapshot…</source>
        <translation>快照的名称与备注(&amp;M)…</translation>
    </message>
    <message>
        <source>De&amp;lete the chosen snapshot</source>
        <translation>删除所选快照(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Which step moved the chosen cell most</source>
        <translation>哪一步对所选单元格影响最大(&amp;W)</translation>
    </message>
    <message>
        <source>Choose a cell of a map, and do two steps first</source>
        <translation>请先选中图中的一个单元格，并至少做两步编辑</translation>
    </message>
    <message>
        <source>&amp;Gradient of the chosen cell</source>
        <translation>所选单元格的梯度(&amp;G)</translation>
    </message>
    <message>
        <source>Choose a cell of a map first; not during an exercise</source>
        <translation>请先在图中选择一个单元格；练习中不显示梯度</translation>
    </message>
    <message>
        <source>Worked solution of the &amp;whole problem…</source>
        <translation>整个算例的完整解答(&amp;W)…</translation>
    </message>
    <message>
        <source>Not during an exercise</source>
        <translation>练习期间不可用</translation>
    </message>
    <message>
        <source>Worked &amp;solution of the cell…</source>
        <translation>所选单元格的完整解答(&amp;S)…</translation>
    </message>
    <message>
        <source>Wor&amp;ksheets for a class…</source>
        <translation>班级练习卷(&amp;K)…</translation>
    </message>
    <message>
        <source>&amp;Layer of a transformer</source>
        <translation>Transformer 层(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Post-norm block (BERT)</source>
        <translation>后归一化块（BERT）(&amp;P)</translation>
    </message>
    <message>
        <source>P&amp;re-norm block (GPT-2, Llama)</source>
        <translation>前归一化块（GPT-2、Llama）(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Gated feed-forward network</source>
        <translation>门控前馈网络(&amp;G)</translation>
    </message>
    <message>
        <source>Needs a post-norm or pre-norm block</source>
        <translation>需要后归一化块或前归一化块</translation>
    </message>
    <message>
        <source>&amp;Normalize the heads of Q and K</source>
        <translation>对 Q、K 的各头做归一化(&amp;N)</translation>
    </message>
    <message>
        <source>Attention &amp;sink in every head</source>
        <translation>每个头的注意力汇点(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Find ne&amp;xt</source>
        <translation>查找下一个(&amp;K)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>Go to a c&amp;ell…</source>
        <translation>转到单元格(&amp;E)…</translation>
    </message>
    <message>
        <source>Open a &amp;model…</source>
        <translation>打开模型(&amp;L)…</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>模型(&amp;M)</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开一个模型</translation>
    </message>
    <message>
        <source>Take the chosen cells from the state &amp;before</source>
        <translation>所选单元格取自基准状态(&amp;B)</translation>
    </message>
    <message>
        <source>Compare with another state, and choose a cell of a map</source>
        <translation>请先与另一状态比较，并在热图中选中一格</translation>
    </message>
    <message>
        <source>Take this row from the second te&amp;xt</source>
        <translation>从第二段文本取这一行(&amp;X)</translation>
    </message>
    <message>
        <source>Open a model, give a second text, and choose a cell of a map</source>
        <translation>请先打开模型，给出第二段文本，并在热图中选中一格</translation>
    </message>
    <message>
        <source>Paste &amp;special</source>
        <translation>选择性粘贴(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Transposed</source>
        <translation>转置(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Added to the cells</source>
        <translation>与原数相加(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Multiplied with the cells</source>
        <translation>与原数相乘(&amp;M)</translation>
    </message>
    <message>
        <source>Second se&amp;quence</source>
        <translation>第二个序列(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Work on Q, K, V directly</source>
        <translation>直接编辑 Q、K、V(&amp;W)</translation>
    </message>
    <message>
        <source>Matrix &amp;product</source>
        <translation>矩阵乘法(&amp;P)</translation>
    </message>
    <message>
        <source>F&amp;ull screen</source>
        <translation>全屏(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;All lessons</source>
        <translation>全部课程(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Side by side</source>
        <translation>并排(&amp;S)</translation>
    </message>
    <message>
        <source>W&amp;ipe</source>
        <translation>卷帘(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Tour of the window</source>
        <translation>窗口导览(&amp;T)</translation>
    </message>
    <message>
        <source>Start &amp;page</source>
        <translation>起始页(&amp;P)</translation>
    </message>
    <message>
        <source>Make a car&amp;d…</source>
        <translation>做成卡片(&amp;D)…</translation>
    </message>
    <message>
        <source>Card</source>
        <translation>卡片</translation>
    </message>
    <message>
        <source>Ed&amp;it results</source>
        <translation>修改结果(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Take snapshot</source>
        <translation>保存快照(&amp;T)</translation>
    </message>
    <message>
        <source>Edit results</source>
        <translation>修改结果</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Normal si&amp;ze</source>
        <translation>原始大小(&amp;N)</translation>
    </message>
    <message>
        <source>Simple wi&amp;ndow</source>
        <translation>简洁界面(&amp;J)</translation>
    </message>
    <message>
        <source>Choose a computed cell of a map first, one that no exercise covers</source>
        <translation>请先在图中选中一个算出来的单元格（练习盖住的除外）</translation>
    </message>
    <message>
        <source>Nothing is compared yet: choose “With / without …” above, or pin a state</source>
        <translation>还没有比较：先在上方选择“有 / 无 …”，或把当前状态设为基准</translation>
    </message>
    <message>
        <source>Scale by √&amp;dₖ</source>
        <translation>按 √dₖ 缩放(&amp;Q)</translation>
    </message>
    <message>
        <source>Output pro&amp;jection</source>
        <translation>输出投影(&amp;J)</translation>
    </message>
</context>
<context>
    <name>AlignField</name>
    <message>
        <source>the first query and key</source>
        <translation>首个查询与首个键</translation>
    </message>
    <message>
        <source>the last query and key</source>
        <translation>末个查询与末个键</translation>
    </message>
</context>
<context>
    <name>AnswerButtons</name>
    <message>
        <source>OK</source>
        <translation>确定</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>Answers</name>
    <message>
        <source>The present numbers have no such cell: go back to the step first.</source>
        <translation>当前的数里没有这个单元格：请先回到这一步。</translation>
    </message>
    <message>
        <source>{place} {mistake}</source>
        <translation>{place}{mistake}</translation>
    </message>
    <message>
        <source>{number} is {cell} ({title}).</source>
        <translation>{number} 是{title} {cell}。</translation>
    </message>
    <message>
        <source>Nearly: more decimals are asked for.</source>
        <translation>很接近了：题目要求保留更多位小数。</translation>
    </message>
</context>
<context>
    <name>ArraySlot</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>ArraysDialog</name>
    <message>
        <source>Arrays of {file}</source>
        <translation>{file} 里的数组</translation>
    </message>
    <message>
        <source>Find an array</source>
        <translation>查找数组</translation>
    </message>
    <message>
        <source>Arrays of the file</source>
        <translation>文件里的数组</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>The arrays of this file can be read in several ways: choose one.</source>
        <translation>此文件中的数组有多种读法，请选择一种。</translation>
    </message>
    <message>
        <source>Choose how the numbers are read.</source>
        <translation>请选择数值的读法。</translation>
    </message>
    <message>
        <source>Which array is which? What the names tell is filled in; drag an array onto its place, or pick it.</source>
        <translation>各数组分别是什么？能从名称看出的已经填好；也可以把数组拖到对应的位置，或在那里选择。</translation>
    </message>
</context>
<context>
    <name>ArraysModel</name>
    <message>
        <source>Array</source>
        <translation>数组</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数值类型</translation>
    </message>
    <message>
        <source>Used as</source>
        <translation>用作</translation>
    </message>
</context>
<context>
    <name>AxesFields</name>
    <message>
        <source>item</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Axes of Q, K, V</source>
        <translation>Q、K、V 的轴</translation>
    </message>
    <message>
        <source>Axes of weights</source>
        <translation>权重的轴</translation>
    </message>
    <message>
        <source>In the mask</source>
        <translation>掩码中</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>K/V heads</source>
        <translation>K/V 头数</translation>
    </message>
    <message>
        <source>True may attend</source>
        <translation>True 表示允许关注</translation>
    </message>
    <message>
        <source>True may not attend</source>
        <translation>True 表示禁止关注</translation>
    </message>
    <message>
        <source>numbers are added to the scores</source>
        <translation>数值加到分数上</translation>
    </message>
    <message>
        <source>Q, K, V in one array</source>
        <translation>Q、K、V 合在一个数组中</translation>
    </message>
    <message>
        <source>choose how they lie</source>
        <translation>请选择排列方式</translation>
    </message>
    <message>
        <source>all of Q, all of K, all of V</source>
        <translation>先全部 Q，再全部 K，再全部 V</translation>
    </message>
    <message>
        <source>Q, K, V of each head in turn</source>
        <translation>逐个头依次为 Q、K、V</translation>
    </message>
    <message>
        <source>Chosen by the names and the other arrays of the file.</source>
        <translation>已根据名称和文件中的其他数组选定。</translation>
    </message>
    <message>
        <source>As it was chosen for such names before.</source>
        <translation>沿用上次为这类名称所作的选择。</translation>
    </message>
    <message>
        <source>in</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>out</source>
        <translation>输出</translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>What the last action has led to, and what can be done about it</source>
        <translation>上一步操作的结果，以及接下来可以怎么做</translation>
    </message>
    <message>
        <source>Close this line</source>
        <translation>关闭此行</translation>
    </message>
</context>
<context>
    <name>BlameView</name>
    <message>
        <source>What moved {cell} most</source>
        <translation>对 {cell} 影响最大的步骤</translation>
    </message>
    <message>
        <source>All other steps done as they were, each step left out alone: {cell} is computed again</source>
        <translation>其余步骤照原样执行，逐一去掉每一步，重新计算 {cell}</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>BlockReading</name>
    <message>
        <source>{cells} is gone: {block} numbers were dropped.</source>
        <translation>{cells} 已不存在：已放弃这 {block} 个数。</translation>
    </message>
    <message>
        <source>{name} was dropped: another block was asked for before it was read.</source>
        <translation>已放弃读取 {name}：尚未读完时又要求读取另一块数。</translation>
    </message>
    <message>
        <source>All at once: {matrices}</source>
        <translation>一次全部：{matrices}</translation>
    </message>
</context>
<context>
    <name>Breadcrumbs</name>
    <message>
        <source>Back to {cell}</source>
        <translation>回到 {cell}</translation>
    </message>
</context>
<context>
    <name>BrushBar</name>
    <message>
        <source>Mask brush</source>
        <translation>掩码画笔</translation>
    </message>
    <message>
        <source>Drag over a map; or Space, arrows, Space. An open first cell closes what is covered, a closed one opens it. Esc drops it.</source>
        <translation>在图上拖动；或按空格、方向键、空格。起点开放则屏蔽所覆盖的单元格，起点已屏蔽则将其开放。按 Esc 放弃。</translation>
    </message>
    <message>
        <source>Put the brush away</source>
        <translation>收起画笔</translation>
    </message>
</context>
<context>
    <name>Card</name>
    <message>
        <source>{first} gives {value} |of its attention |to {second}</source>
        <translation>{first}把{value}的注意力|给了{second}</translation>
    </message>
    <message>
        <source>{first} does not see |{second}</source>
        <translation>{first}看不到|{second}</translation>
    </message>
    <message>
        <source>{first} and {second}, |{title}: {value}</source>
        <translation>{first}与{second}的|{title}：{value}</translation>
    </message>
    <message>
        <source>{first}, {title}, |column {column}: {value}</source>
        <translation>{first}的{title}，|第{column}列：{value}</translation>
    </message>
    <message>
        <source>{first} and {second}, |{title} by hand: {value}</source>
        <translation>{first}与{second}的|{title}改成了{value}</translation>
    </message>
    <message>
        <source>Query {number}</source>
        <translation>查询 {number}</translation>
    </message>
    <message>
        <source>Key {number}</source>
        <translation>键 {number}</translation>
    </message>
    <message>
        <source>key {number}</source>
        <translation>键 {number}</translation>
    </message>
    <message>
        <source>Open this picture in attn_gui: every number can be opened and changed</source>
        <translation>用 attn_gui 打开这张图片，每个数都能点开、能改</translation>
    </message>
    <message>
        <source>query ↓</source>
        <translation>查询 ↓</translation>
    </message>
    <message>
        <source>key ↓</source>
        <translation>键 ↓</translation>
    </message>
    <message>
        <source>key →</source>
        <translation>键 →</translation>
    </message>
</context>
<context>
    <name>CardDialog</name>
    <message>
        <source>Card</source>
        <translation>卡片</translation>
    </message>
    <message>
        <source>form</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>colors</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>wide, 1,200 × 630</source>
        <translation>横版，1200 × 630</translation>
    </message>
    <message>
        <source>square, 1,080 × 1,080</source>
        <translation>方版，1080 × 1080</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>form of the card</source>
        <translation>卡片的形状</translation>
    </message>
    <message>
        <source>colors of the card</source>
        <translation>卡片的颜色</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Save PNG…</source>
        <translation>保存为 PNG…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>A PNG that opens as a session again</source>
        <translation>保存为 PNG，可作为会话重新打开</translation>
    </message>
    <message>
        <source>Wide for a post or a slide, square for a chat</source>
        <translation>横版适合发帖和幻灯片，方版适合聊天</translation>
    </message>
    <message>
        <source>The colors of the card, whatever those of the window are</source>
        <translation>卡片的颜色，与窗口的主题无关</translation>
    </message>
    <message>
        <source>Leave without a card</source>
        <translation>不做卡片</translation>
    </message>
    <message>
        <source>preview of the card</source>
        <translation>卡片预览</translation>
    </message>
    <message>
        <source>Copy the picture, to paste it wherever you like</source>
        <translation>把图片复制到剪贴板，粘贴到需要的地方</translation>
    </message>
</context>
<context>
    <name>CellBlocks</name>
    <message>
        <source>Numbers are typed into the present state; show Now first.</source>
        <translation>只能修改“现在”的状态，请先切换到“现在”。</translation>
    </message>
    <message>
        <source>Multiply {cells}</source>
        <translation>{cells} 乘以</translation>
    </message>
    <message>
        <source>Each of these numbers is multiplied by this one; 0 switches them off.</source>
        <translation>这些数都乘以该数；填 0 即置零。</translation>
    </message>
    <message>
        <source>{block} numbers do not fit into {stage} from row {row}, column {column} on: it has {map} cells.</source>
        <translation>{block} 个数从第 {row} 行第 {column} 列起放不进{stage}：它有 {map} 个单元格。</translation>
    </message>
</context>
<context>
    <name>CellButtons</name>
    <message>
        <source>As one equation</source>
        <translation>写成一个等式</translation>
    </message>
    <message>
        <source>Set to…</source>
        <translation>设为…</translation>
    </message>
    <message>
        <source>All steps of this query in one equation, such as a = softmax(q Kᵀ / √dₖ)</source>
        <translation>把该查询的各步写成一个等式，如 a = softmax(q Kᵀ / √dₖ)</translation>
    </message>
    <message>
        <source>Give this cell another number: what Q, K, V or X have to be for it is solved</source>
        <translation>为该单元格指定一个值，反推 Q、K、V 或 X 应取的值</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>As text</source>
        <translation>复制为文本</translation>
    </message>
    <message>
        <source>As LaTeX</source>
        <translation>复制为 LaTeX</translation>
    </message>
    <message>
        <source>Copy the equations on show, with their numbers, as plain text or LaTeX</source>
        <translation>把显示的等式连同其中的数值复制为纯文本或 LaTeX</translation>
    </message>
</context>
<context>
    <name>CellDelegate</name>
    <message>
        <source>Row {row}, column {column}</source>
        <translation>第 {row} 行，第 {column} 列</translation>
    </message>
</context>
<context>
    <name>CellHistoryController</name>
    <message>
        <source>No step moved it</source>
        <translation>没有哪一步影响它</translation>
    </message>
</context>
<context>
    <name>CentimeterField</name>
    <message>
        <source>A side of a figure is at most {most} cm long.</source>
        <translation>图的边长最大为 {most} 厘米。</translation>
    </message>
</context>
<context>
    <name>CodeControls</name>
    <message>
        <source>Copy the code</source>
        <translation>复制代码</translation>
    </message>
    <message>
        <source>The whole script as text, onto the clipboard</source>
        <translation>把整个脚本作为文本复制到剪贴板</translation>
    </message>
    <message>
        <source>Save as .py…</source>
        <translation>另存为 .py…</translation>
    </message>
    <message>
        <source>The script as a file, which prints the same numbers without this program</source>
        <translation>把脚本存为文件；不需要本程序，它也打印出同样的数值</translation>
    </message>
</context>
<context>
    <name>CodeSaving</name>
    <message>
        <source>The code is on the clipboard.</source>
        <translation>代码已复制到剪贴板。</translation>
    </message>
    <message>
        <source>Python script (*.py)</source>
        <translation>Python 脚本 (*.py)</translation>
    </message>
    <message>
        <source>Save the code</source>
        <translation>保存代码</translation>
    </message>
    <message>
        <source>Wrote {path}</source>
        <translation>已写入 {path}</translation>
    </message>
</context>
<context>
    <name>ColorBar</name>
    <message>
        <source>not allowed</source>
        <translation>已屏蔽</translation>
    </message>
    <message>
        <source>now − before</source>
        <translation>现在 − 之前</translation>
    </message>
    <message>
        <source>Colors of {title}</source>
        <translation>{title}的配色</translation>
    </message>
    <message>
        <source>A number x has the color at (x − low) / (high − low) of the bar. Drag an end to move that level; click: levels and colors</source>
        <translation>数值 x 的颜色位于色条的 (x − 下限) / (上限 − 下限) 处。拖动一端可移动该端的色阶，单击可设置色阶和配色</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
</context>
<context>
    <name>CompareBox</name>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>State on show</source>
        <translation>显示的状态</translation>
    </message>
    <message>
        <source>Nothing to compare with: pin a state first, or choose one in the menu Compare</source>
        <translation>尚无可比较的状态：请先将一个状态设为基准，或在“比较”菜单中选择</translation>
    </message>
    <message>
        <source>Gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Choose a cell of a map first; not during an exercise</source>
        <translation>请先在图中选择一个单元格；练习中不显示梯度</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>并排</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>卷帘</translation>
    </message>
</context>
<context>
    <name>CompareController</name>
    <message>
        <source>{before}: {old} → {now}: {new} ({change})</source>
        <translation>{before}：{old} → {now}：{new}（{change}）</translation>
    </message>
    <message>
        <source>{before}: {old} → {now}: {new}</source>
        <translation>{before}：{old} → {now}：{new}</translation>
    </message>
    <message>
        <source>The state to compare with is being computed …</source>
        <translation>正在计算基准状态…</translation>
    </message>
    <message>
        <source>Shown: {now}. It has other shapes than {before}: the two cannot be compared.</source>
        <translation>显示的是：{now}。其形状与{before}不同，无法比较。</translation>
    </message>
    <message>
        <source>Shown: {now}. Compared with: {before}.</source>
        <translation>显示的是：{now}。比较对象：{before}。</translation>
    </message>
    <message>
        <source>Shown: {before}. Compared with: {now}.</source>
        <translation>显示的是：{before}。比较对象：{now}。</translation>
    </message>
    <message>
        <source>Shown: the difference, {now} − {before}.</source>
        <translation>显示的是差异：{now} − {before}。</translation>
    </message>
    <message>
        <source>Left of the bar: {before}. Right of it: {now}.</source>
        <translation>分隔线左侧：{before}。右侧：{now}。</translation>
    </message>
    <message>
        <source>{title}, side by side</source>
        <translation>{title}，并排</translation>
    </message>
    <message>
        <source>If the numbers of Q and K are independent with mean 0 and variance 1, the scores without ÷ √dₖ have a variance of about dₖ: the larger dₖ, the closer each row comes to a single 1, and its gradient to 0.</source>
        <translation>若 Q、K 的各数相互独立，均值为 0、方差为 1，不除以 √dₖ 时分数的方差约为 dₖ：dₖ 越大，每一行越接近“一个 1、其余为 0”，梯度也越接近 0。</translation>
    </message>
    <message>
        <source>{stage}, the same cell in both</source>
        <translation>{stage}，两边同一个单元格</translation>
    </message>
</context>
<context>
    <name>Compared</name>
    <message>
        <source>the baseline</source>
        <translation>基准状态</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>未变</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>已屏蔽</translation>
    </message>
</context>
<context>
    <name>ComparisonBar</name>
    <message>
        <source>End the comparison</source>
        <translation>结束比较</translation>
    </message>
    <message>
        <source>Place of the bar between before and now</source>
        <translation>之前与现在之间分隔线的位置</translation>
    </message>
    <message>
        <source>Gradient of</source>
        <translation>求谁的梯度</translation>
    </message>
    <message>
        <source>Both states as whole maps: one zoom, one chosen cell, one color bar</source>
        <translation>两个状态各成一张完整的热图：同步缩放，同一个单元格，同一色条</translation>
    </message>
    <message>
        <source>One map with a bar to drag: before on its left, now on its right</source>
        <translation>一张热图加一条可拖动的分隔线：左边是之前，右边是现在</translation>
    </message>
    <message>
        <source>Now − before, in every map and table</source>
        <translation>所有热图和表格都显示现在 − 之前</translation>
    </message>
</context>
<context>
    <name>CopyController</name>
    <message>
        <source>Nothing to copy here: click a cell of a table, a map or a list first.</source>
        <translation>这里没有可复制的内容：请先单击表格、热图或列表中的一格。</translation>
    </message>
    <message>
        <source>copied {rows} × {columns}</source>
        <translation>已复制 {rows} × {columns}</translation>
    </message>
    <message>
        <source>{rows} × {columns} cells are too many for the clipboard (at most {most}): export the numbers.</source>
        <translation>{rows} × {columns} 格超出剪贴板上限（最多 {most} 格）：请改用“导出数值”。</translation>
    </message>
</context>
<context>
    <name>CountBox</name>
    <message>
        <source>A whole number is needed. Esc keeps {old}.</source>
        <translation>需要一个整数。按 Esc 保留 {old}。</translation>
    </message>
    <message>
        <source>{number} is out of range: {low} to {high}. Esc keeps {old}.</source>
        <translation>{number} 超出范围：{low} 到 {high}。按 Esc 保留 {old}。</translation>
    </message>
</context>
<context>
    <name>CurveFitting</name>
    <message>
        <source>No other w predicts the points better.</source>
        <translation>没有别的 w 能更好地预测这些点。</translation>
    </message>
</context>
<context>
    <name>DialogTips</name>
    <message>
        <source>Tables of Q, K and V themselves: S = Q Kᵀ reads them as they are</source>
        <translation>直接给出 Q、K、V 的表：S = Q Kᵀ 原样读取</translation>
    </message>
    <message>
        <source>A table X and its projections: Q = X W_Q, K = X W_K, V = X W_V</source>
        <translation>一张表 X 及其投影：Q = X W_Q，K = X W_K，V = X W_V</translation>
    </message>
    <message>
        <source>Queries from X, keys and values from X₂: K = X₂ W_K, V = X₂ W_V</source>
        <translation>查询来自 X，键和值来自 X₂：K = X₂ W_K，V = X₂ W_V</translation>
    </message>
    <message>
        <source>How many queries: rows of Q, of S, of A and of O</source>
        <translation>查询的个数：Q、S、A 和 O 的行数</translation>
    </message>
    <message>
        <source>How many keys: rows of K and V, columns of S and A</source>
        <translation>键的个数：K 和 V 的行数，S 和 A 的列数</translation>
    </message>
    <message>
        <source>How many heads: each has dₖ columns of Q and K and weights of its own</source>
        <translation>头的个数：每个头有 Q 和 K 的 dₖ 列，并有自己的权重</translation>
    </message>
    <message>
        <source>Columns of V in one head, and so of its output O = A V</source>
        <translation>一个头中 V 的列数，也就是输出 O = A V 的列数</translation>
    </message>
    <message>
        <source>The folder that the files are written into; it has to be there</source>
        <translation>文件写入的文件夹，必须已经存在</translation>
    </message>
    <message>
        <source>Look for a folder</source>
        <translation>选择文件夹</translation>
    </message>
    <message>
        <source>What the names of the files begin with, or the name of the only one</source>
        <translation>文件名的开头；只有一个文件时就是它的名称</translation>
    </message>
    <message>
        <source>Which item of the batch, counted from 0</source>
        <translation>批量中的第几个样本，从 0 数起</translation>
    </message>
    <message>
        <source>What is drawn: the map alone, or with the matrices that it is made of</source>
        <translation>画什么：只画该图，或连同计算它所用的矩阵</translation>
    </message>
    <message>
        <source>The head on show, all of them, or some by their numbers</source>
        <translation>当前显示的头、所有头，或按编号指定的头</translation>
    </message>
    <message>
        <source>A file for each head, or one with all of them under the same colors</source>
        <translation>每个头一个文件，或以同一色阶把所有头画在一张图上</translation>
    </message>
    <message>
        <source>Whether the numbers stand in the cells</source>
        <translation>是否在单元格中写出数值</translation>
    </message>
    <message>
        <source>Light on white for paper, dark for a screen</source>
        <translation>浅色白底适合纸面，深色适合屏幕</translation>
    </message>
    <message>
        <source>The colors from the lowest level to the highest</source>
        <translation>从最低到最高所用的颜色</translation>
    </message>
    <message>
        <source>The numbers at the two ends of the colors: those of the window, of each map, or typed</source>
        <translation>色条两端的数值：与窗口一致、按每张图各自确定，或手动输入</translation>
    </message>
    <message>
        <source>Size and type for a place: a screen, a column of a paper, a slide</source>
        <translation>按用途确定尺寸和字号：屏幕、论文单栏、幻灯片</translation>
    </message>
    <message>
        <source>Columns of Q and K in one head; at first scores are divided by √dₖ</source>
        <translation>每个头中 Q 和 K 的列数；新建时分数除以 √dₖ</translation>
    </message>
    <message>
        <source>A first layer of the mask, Sᵐ = S′ + M; more can be added later</source>
        <translation>掩码的第一层，Sᵐ = S′ + M；之后还可以再加</translation>
    </message>
    <message>
        <source>Its tokens become the names of the rows, and their number n</source>
        <translation>句子的词元成为各行的名称，词元数成为 n</translation>
    </message>
    <message>
        <source>What stands in the tables at first; of small integers and random numbers W_Q, W_K and W_V are scaled down, so that Q, K and V vary by about 1</source>
        <translation>表中最初的数值；选小整数或随机数时，W_Q、W_K 和 W_V 会相应缩小，使 Q、K、V 的标准差约为 1</translation>
    </message>
    <message>
        <source>The kind of file</source>
        <translation>文件类型</translation>
    </message>
    <message>
        <source>Which steps are drawn, each in its own file</source>
        <translation>绘制哪些步骤，各存为一个文件</translation>
    </message>
    <message>
        <source>Which tables and steps are written, in full precision</source>
        <translation>写出哪些表和步骤，数值保持完整精度</translation>
    </message>
    <message>
        <source>Which of two states: now, before, now − before, or both halves; or gradients of the chosen cell</source>
        <translation>两个状态中的哪一个：现在、之前、现在 − 之前，或左右各半；也可以是所选单元格的梯度</translation>
    </message>
    <message>
        <source>Height of the figure in centimeters; automatic: it follows from the width</source>
        <translation>图的高度（厘米）；自动：由宽度决定</translation>
    </message>
    <message>
        <source>Size of the type in points, as on the paper</source>
        <translation>印在纸上的字号（磅）</translation>
    </message>
    <message>
        <source>Pixels for each inch (2.54 cm): 300 for print, 150 for a screen</source>
        <translation>每英寸（2.54 厘米）的像素数：印刷用 300，屏幕用 150</translation>
    </message>
    <message>
        <source>Draw beside the map which color stands for which number</source>
        <translation>在图旁画出颜色与数值的对应</translation>
    </message>
    <message>
        <source>No background behind the figure: what lies below it shows through</source>
        <translation>图没有底色：透出下面的内容</translation>
    </message>
    <message>
        <source>The figure carries the problem, so that it can be opened again from it</source>
        <translation>图中带有整个算例，可以从图重新打开</translation>
    </message>
    <message>
        <source>Three bytes at the start of the file by which Excel knows the letters</source>
        <translation>文件开头的三个字节，Excel 据此识别编码</translation>
    </message>
    <message>
        <source>A first row and a first column with the names of queries, keys and columns</source>
        <translation>首行和首列写出查询、键和各列的名称</translation>
    </message>
    <message>
        <source>Whose names these are: of the queries, of the keys, or of both</source>
        <translation>这些名称属于谁：查询、键，或两者</translation>
    </message>
    <message>
        <source>One row of numbers for each token: tokens that stay keep their numbers, new ones are zeros, masks follow</source>
        <translation>每个词元一行数值：保留的词元数值不变，新增的为零，掩码随之调整</translation>
    </message>
    <message>
        <source>Words, numbers and signs become tokens; where Chinese has blanks, they part its words</source>
        <translation>单词、数字和符号各成词元；中文里有空格时，按空格分词</translation>
    </message>
    <message>
        <source>A double click or F2 edits a token: a blank in it splits it, without letters it goes</source>
        <translation>双击或按 F2 编辑词元：加空格即拆分，清空即删除</translation>
    </message>
    <message>
        <source>The smallest change of the query&apos;s row of Q that reaches it</source>
        <translation>达到目标所需的 Q 中该查询行的最小改动</translation>
    </message>
    <message>
        <source>The smallest change of the key&apos;s row of K that reaches it</source>
        <translation>达到目标所需的 K 中该键行的最小改动</translation>
    </message>
    <message>
        <source>The smallest change of the query&apos;s row of X that reaches it</source>
        <translation>达到目标所需的 X 中该查询行的最小改动</translation>
    </message>
    <message>
        <source>The smallest numbers added to the scores of the row, S′ + M, that reach it; Q, K and V stay</source>
        <translation>达到目标所需加到该行分数上的最小数值，即 S′ + M；Q、K、V 不变</translation>
    </message>
    <message>
        <source>Enter does the chosen one; a gray one says what it needs</source>
        <translation>Enter 执行所选操作；灰色的注明所需条件</translation>
    </message>
    <message>
        <source>How many sheets, one for each student, each with numbers of its own</source>
        <translation>练习卷的份数，每名学生一份，各份数值不同</translation>
    </message>
    <message>
        <source>The number that the chosen cell should have</source>
        <translation>所选单元格应取的数值</translation>
    </message>
    <message>
        <source>Width of the figure in centimeters; automatic: cells of 0.5 cm or more, smaller in large maps</source>
        <translation>图的宽度（厘米）；自动：单元格不小于 0.5 厘米，大图中会更小</translation>
    </message>
    <message>
        <source>Whether the other weights of the row keep their ratios to each other</source>
        <translation>这一行其余权重之间的比例是否保持不变</translation>
    </message>
    <message>
        <source>Type the answer; Enter takes it, Esc leaves everything as it is</source>
        <translation>输入回答；Enter 采用，Esc 保持原样</translation>
    </message>
    <message>
        <source>From where: another head, row, column or item</source>
        <translation>取自何处：另一个头、行、列或样本</translation>
    </message>
    <message>
        <source>Which one, counted from 0; the cells are taken as they are computed there</source>
        <translation>第几个，从 0 数起；取该处的计算结果</translation>
    </message>
    <message>
        <source>A part of a name, a menu or another word for it, in either language</source>
        <translation>名称、菜单或近义词的一部分，中英文均可</translation>
    </message>
    <message>
        <source>The same seed gives the same sheets again</source>
        <translation>相同的种子得到相同的练习卷</translation>
    </message>
    <message>
        <source>The language of the sheets</source>
        <translation>练习卷的语言</translation>
    </message>
    <message>
        <source>What the names of the files begin with</source>
        <translation>文件名的开头</translation>
    </message>
    <message>
        <source>Write the title and the shape above; without, the picture has their room</source>
        <translation>在上方写出标题和形状；省去后，空间归图使用</translation>
    </message>
    <message>
        <source>Draw letters as paths in an SVG or PDF, for viewers without the fonts</source>
        <translation>在 SVG 或 PDF 中把文字画成轮廓，供没有这些字体的软件打开</translation>
    </message>
    <message>
        <source>How many numbers are left out of the steps</source>
        <translation>各步一共留空多少个数</translation>
    </message>
    <message>
        <source>The same seed leaves out the same cells again</source>
        <translation>种子相同，留空的单元格也相同</translation>
    </message>
    <message>
        <source>What is left to the student: the weights, every step, or to find one wrong number</source>
        <translation>留给学生做什么：补全权重、算出每一步，或找出一个错误的数</translation>
    </message>
    <message>
        <source>Write the answers, too, several on a page, with the numbers that usual mistakes give</source>
        <translation>同时生成答案：每页几份，并列出常见错误会得到的数</translation>
    </message>
</context>
<context>
    <name>DkPanel</name>
    <message>
        <source>Gradient ‖∂a/∂s′‖, row {row}</source>
        <translation>梯度 ‖∂a/∂s′‖，第 {row} 行</translation>
    </message>
    <message>
        <source>Mean entropy (bits)</source>
        <translation>平均熵（比特）</translation>
    </message>
    <message>
        <source>Variance of the scores</source>
        <translation>分数的方差</translation>
    </message>
    <message>
        <source>random Q and K (seed 0)</source>
        <translation>随机 Q、K（种子 0）</translation>
    </message>
    <message>
        <source>this example</source>
        <translation>本算例</translation>
    </message>
    <message>
        <source>this example, columns repeated</source>
        <translation>本算例，列重复</translation>
    </message>
    <message>
        <source>Q and K of the maps</source>
        <translation>图中的 Q、K</translation>
    </message>
    <message>
        <source>This example, 16 random tokens, or this example with columns of Q and K repeated or left out</source>
        <translation>本算例；16 个随机词元；或本算例的 Q、K，列重复或截去</translation>
    </message>
    <message>
        <source>Let go, and random Q and K become the example; one undo (Ctrl+Z) brings yours back.</source>
        <translation>松开后，随机的 Q、K 成为当前算例；撤销一次（Ctrl+Z）即恢复原来的 Q、K。</translation>
    </message>
    <message>
        <source>Let go, and Q and K of this width become the example; one undo (Ctrl+Z) brings yours back.</source>
        <translation>松开后，列重复的 Q、K 成为当前算例；撤销一次（Ctrl+Z）即恢复原来的 Q、K。</translation>
    </message>
    <message>
        <source>Drag: both maps follow. Arrow keys go from point to point of the curve.</source>
        <translation>拖动时两张热图同步变化。方向键在曲线的点之间移动。</translation>
    </message>
    <message>
        <source>Mean entropy (bits) of random Q and K, not of this example</source>
        <translation>平均熵（比特）：随机 Q、K，不是本算例</translation>
    </message>
    <message>
        <source>Mean entropy (bits) of random Q and K; the dots are the maps above</source>
        <translation>平均熵（比特）：随机 Q、K；圆点即上面两图</translation>
    </message>
    <message>
        <source>Mean entropy (bits), columns repeated; the dots are the maps above</source>
        <translation>平均熵（比特）：本算例列重复；圆点即上面两图</translation>
    </message>
    <message>
        <source>d_k, from 2 to 512</source>
        <translation>d_k，2 到 512</translation>
    </message>
    <message>
        <source>Columns of Q and K in one head: any whole number from 2 to 512</source>
        <translation>每个头中 Q、K 的列数：2 到 512 的任意整数</translation>
    </message>
    <message>
        <source>d_k on a logarithmic axis</source>
        <translation>对数轴上的 d_k</translation>
    </message>
</context>
<context>
    <name>EditRunner</name>
    <message>
        <source>The problem is still being computed: nothing was changed.</source>
        <translation>算例还在计算中，没有做任何修改。</translation>
    </message>
    <message>
        <source>“{step}” was dropped: the problem was changed while its numbers were made.</source>
        <translation>已放弃“{step}”：生成数值期间算例已被修改。</translation>
    </message>
</context>
<context>
    <name>EndView</name>
    <message>
        <source>Try it: {what}</source>
        <translation>试一试：{what}</translation>
    </message>
    <message>
        <source>In this lesson:</source>
        <translation>这一课讲了：</translation>
    </message>
    <message>
        <source>Answer shown: </source>
        <translation>看了答案：</translation>
    </message>
    <message>
        <source>Skipped: </source>
        <translation>跳过：</translation>
    </message>
</context>
<context>
    <name>Examples</name>
    <message>
        <source>Worked example, five steps</source>
        <translation>手算示例，五步</translation>
    </message>
    <message>
        <source>Thinking Machines, projected</source>
        <translation>Thinking Machines，投影</translation>
    </message>
    <message>
        <source>Two queries and two keys of three numbers: every step can be checked by hand.</source>
        <translation>两个查询和两个键，各三个数：每一步都可以手算核对。</translation>
    </message>
    <message>
        <source>Nadaraya–Watson, 50 points</source>
        <translation>Nadaraya–Watson，50 个点</translation>
    </message>
    <message>
        <source>Attention as regression: 50 noisy points of 2 sin x + x^0.8, asked for on a grid; a Gaussian of x − xᵢ says how much each point counts.</source>
        <translation>把注意力当作回归：50 个带噪声的点来自 2 sin x + x^0.8，在网格上求值；x − xᵢ 的高斯函数决定每个点的分量。</translation>
    </message>
    <message>
        <source>MiniLM, layer 2</source>
        <translation>MiniLM，第 2 层</translation>
    </message>
    <message>
        <source>Layer 2 of MiniLM reading “{text}”</source>
        <translation>MiniLM 第 2 层，读入“{text}”</translation>
    </message>
    <message>
        <source>SmolLM2, layer 10, causal</source>
        <translation>SmolLM2，第 10 层，因果</translation>
    </message>
    <message>
        <source>Layer 10 of SmolLM2 reading “{text}”</source>
        <translation>SmolLM2 第 10 层，读入“{text}”</translation>
    </message>
    <message>
        <source>A transformer layer, pre-norm</source>
        <translation>一个 Transformer 层（前归一化）</translation>
    </message>
    <message>
        <source>Six words through a whole layer: layer norm, two causal heads, layer norm, feed-forward network.</source>
        <translation>六个词经过完整的一层：层归一化、两个因果头、层归一化、前馈网络。</translation>
    </message>
    <message>
        <source>Thinking Machines, dₖ = 64</source>
        <translation>Thinking Machines，dₖ = 64</translation>
    </message>
    <message>
        <source>Two words as rows of X; their projections give Q, K and V; dₖ is 4.</source>
        <translation>两个词是 X 的两行，经三个投影得到 Q、K、V；dₖ 为 4。</translation>
    </message>
    <message>
        <source>The same two words with dₖ = 64: scores are divided by √64 = 8.</source>
        <translation>同样两个词，dₖ = 64：分数除以 √64 = 8。</translation>
    </message>
</context>
<context>
    <name>ExercisePanel</name>
    <message>
        <source>Exercise</source>
        <translation>练习</translation>
    </message>
    <message>
        <source>{left} of {count} left</source>
        <translation>还剩 {left} 个，共 {count} 个</translation>
    </message>
    <message>
        <source>Every cell is right.</source>
        <translation>全部填对了。</translation>
    </message>
    <message>
        <source>Choose a cell with “?” and type its number.</source>
        <translation>选择带“?”的单元格，键入它的值。</translation>
    </message>
    <message>
        <source>Right: {number}</source>
        <translation>正确：{number}</translation>
    </message>
    <message>
        <source>End the exercise and show all numbers</source>
        <translation>结束练习并显示所有数值</translation>
    </message>
</context>
<context>
    <name>Exercises</name>
    <message>
        <source>These matrices are too large to be gone through by hand.</source>
        <translation>这些矩阵太大，无法手算逐格作答。</translation>
    </message>
    <message>
        <source>The exercise has ended: the matrices have become too large to be gone through by hand.</source>
        <translation>练习已结束：矩阵变得太大，无法手算逐格作答。</translation>
    </message>
</context>
<context>
    <name>Export</name>
    <message>
        <source>There is no such picture of “{stage}” in this problem.</source>
        <translation>此算例中“{stage}”没有这种图。</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>The numbers are still being computed: export them once they are there.</source>
        <translation>数值仍在计算，算完后再导出。</translation>
    </message>
    <message>
        <source>Cells are covered: answer, or end the exercise, before you export.</source>
        <translation>有单元格被盖住：请先作答或结束练习，再导出。</translation>
    </message>
    <message>
        <source>Save the card</source>
        <translation>保存卡片</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>The card is on the clipboard.</source>
        <translation>卡片已复制到剪贴板。</translation>
    </message>
</context>
<context>
    <name>ExportDataDialog</name>
    <message>
        <source>Tick at least one matrix.</source>
        <translation>请至少勾选一个矩阵。</translation>
    </message>
    <message>
        <source>Export numbers</source>
        <translation>导出数值</translation>
    </message>
    <message>
        <source>matrices and stages</source>
        <translation>矩阵与阶段</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>item</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>None</source>
        <translation>全不选</translation>
    </message>
    <message>
        <source>tokens and column numbers as headers</source>
        <translation>以词元和列号作表头</translation>
    </message>
    <message>
        <source>mark the file as UTF-8 for Excel (BOM)</source>
        <translation>为 Excel 标记 UTF-8（BOM）</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>all, or numbers such as 0, 2-3</source>
        <translation>全部，或编号，例如 0, 2-3</translation>
    </message>
    <message>
        <source>{name}, a matrix each</source>
        <translation>{name}，每个矩阵一个文件</translation>
    </message>
    <message>
        <source>{name}, all in one file</source>
        <translation>{name}，全部存入一个文件</translation>
    </message>
    <message>
        <source>{name}, every step as formulas</source>
        <translation>{name}，每一步都是公式</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Tick at least one stage.</source>
        <translation>请至少勾选一个阶段。</translation>
    </message>
    <message>
        <source>Export image</source>
        <translation>导出图片</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>item</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>dots per inch</source>
        <translation>分辨率（dpi）</translation>
    </message>
    <message>
        <source>numbers in cells</source>
        <translation>单元格数值</translation>
    </message>
    <message>
        <source>width in cm</source>
        <translation>宽度（厘米）</translation>
    </message>
    <message>
        <source>height in cm</source>
        <translation>高度（厘米）</translation>
    </message>
    <message>
        <source>where they fit</source>
        <translation>放得下时</translation>
    </message>
    <message>
        <source>always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>light, on white</source>
        <translation>浅色，白底</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>color bar</source>
        <translation>色条</translation>
    </message>
    <message>
        <source>{stage}, head {head}</source>
        <translation>{stage}，头 {head}</translation>
    </message>
    <message>
        <source>picture</source>
        <translation>图的类型</translation>
    </message>
    <message>
        <source>several heads</source>
        <translation>多个头</translation>
    </message>
    <message>
        <source>type in points</source>
        <translation>字号（磅）</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>色阶范围</translation>
    </message>
    <message>
        <source>color map</source>
        <translation>颜色映射</translation>
    </message>
    <message>
        <source>theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>one file each</source>
        <translation>每头一个文件</translation>
    </message>
    <message>
        <source>all on one sheet</source>
        <translation>全部放在一页</translation>
    </message>
    <message>
        <source>as in the window</source>
        <translation>与窗口一致</translation>
    </message>
    <message>
        <source>transparent background</source>
        <translation>透明背景</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>session inside</source>
        <translation>内含会话</translation>
    </message>
    <message>
        <source>made for</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>letters as outlines</source>
        <translation>文字转为轮廓</translation>
    </message>
</context>
<context>
    <name>ExportForm</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Writes {name}.</source>
        <translation>将写入 {name}。</translation>
    </message>
    <message>
        <source>Writes {count} files, {first} to {last}.</source>
        <translation>将写入 {count} 个文件，从 {first} 到 {last}。</translation>
    </message>
    <message>
        <source>file name</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>A file name cannot hold {signs}</source>
        <translation>文件名不能包含 {signs}</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>存放文件的文件夹</translation>
    </message>
    <message>
        <source>Replace {name}?</source>
        <translation>替换 {name} 吗？</translation>
    </message>
    <message>
        <source>Replace {count} files, {first} to {last}?</source>
        <translation>替换从 {first} 到 {last} 的 {count} 个文件吗？</translation>
    </message>
    <message>
        <source>What is in {folder} under that name now is lost.</source>
        <translation>{folder} 中现有的同名内容将会丢失。</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>The file name is too long.</source>
        <translation>文件名太长。</translation>
    </message>
    <message>
        <source>Writes {first} and {last}.</source>
        <translation>将写入 {first} 和 {last}。</translation>
    </message>
    <message>
        <source>Replace {first} and {last}?</source>
        <translation>替换 {first} 和 {last} 吗？</translation>
    </message>
    <message>
        <source>{said} Already there: {count}; you will be asked before anything is replaced.</source>
        <translation>{said}已有 {count} 个同名文件，替换前会询问。</translation>
    </message>
</context>
<context>
    <name>Faults</name>
    <message>
        <source>The log is in {folder}.</source>
        <translation>日志在 {folder} 中。</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
    <message>
        <source>Where it happened and the versions of everything, none of your numbers</source>
        <translation>出错的位置和各部件的版本，不含你的任何数值</translation>
    </message>
    <message>
        <source>Something went wrong inside the program: {fault}.</source>
        <translation>程序内部出错：{fault}。</translation>
    </message>
    <message>
        <source>The details are on the clipboard.</source>
        <translation>详细信息已复制到剪贴板。</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>Screen</source>
        <translation>屏幕</translation>
    </message>
    <message>
        <source>Paper column (8.5 cm)</source>
        <translation>论文单栏（8.5 厘米）</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>幻灯片</translation>
    </message>
</context>
<context>
    <name>FilesController</name>
    <message>
        <source>untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>{file} was not opened: {name} was changed while it was read.</source>
        <translation>未打开 {file}：读取期间 {name} 有更改。</translation>
    </message>
    <message>
        <source>It is asked first whether to save the changes</source>
        <translation>会先询问是否保存更改</translation>
    </message>
    <message>
        <source>Open it now</source>
        <translation>立即打开</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>另存为</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Session ({patterns})</source>
        <translation>会话 ({patterns})</translation>
    </message>
    <message>
        <source>Problems ({patterns})</source>
        <translation>算例文件 ({patterns})</translation>
    </message>
    <message>
        <source>Matrices ({patterns})</source>
        <translation>矩阵文件 ({patterns})</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in {where}</source>
        <translation>在 {where} 中查找</translation>
    </message>
    <message>
        <source>number, token, or row, column</source>
        <translation>数值、词元，或“行, 列”</translation>
    </message>
    <message>
        <source>A number as it is shown, a token, or row and column as in 2, 5: Enter goes there</source>
        <translation>输入显示的数值、词元，或行、列（如 2, 5），按 Enter 转到该处</translation>
    </message>
    <message>
        <source>The one before (Shift+F3)</source>
        <translation>上一个（Shift+F3）</translation>
    </message>
    <message>
        <source>The next one (F3)</source>
        <translation>下一个（F3）</translation>
    </message>
    <message>
        <source>End the search (Esc)</source>
        <translation>结束查找（Esc）</translation>
    </message>
</context>
<context>
    <name>FindController</name>
    <message>
        <source>Row and column, counted from 0, or a token</source>
        <translation>行和列（从 0 数起），或词元</translation>
    </message>
    <message>
        <source>Go to a cell of {where}</source>
        <translation>转到 {where} 的单元格</translation>
    </message>
    <message>
        <source>Expected a row and a column such as 2, 3, or a token.</source>
        <translation>应为行和列，例如 2, 3，或词元。</translation>
    </message>
    <message>
        <source>{where} has {rows} rows and {columns} columns.</source>
        <translation>{where} 有 {rows} 行、{columns} 列。</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 个，共 {count} 个</translation>
    </message>
</context>
<context>
    <name>FirstSteps</name>
    <message>
        <source>No cell chosen</source>
        <translation>未选中单元格</translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation>键盘</translation>
    </message>
    <message>
        <source>{click} in any map: its formula appears here.</source>
        <translation>在任意热图中{click}：这里会显示它的公式。</translation>
    </message>
    <message>
        <source>Click a cell</source>
        <translation>单击单元格</translation>
    </message>
    <message>
        <source>Type a number</source>
        <translation>输入一个数</translation>
    </message>
    <message>
        <source>{click} in the strip above to see it large.</source>
        <translation>在上方{click}，即可放大查看。</translation>
    </message>
    <message>
        <source>Click a step</source>
        <translation>单击某一步</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
    <message>
        <source>Examples, lessons, models and recent files</source>
        <translation>算例、课程、模型和最近的文件</translation>
    </message>
    <message>
        <source>move the chosen cell</source>
        <translation>移动所选单元格</translation>
    </message>
    <message>
        <source>type a number into it</source>
        <translation>输入数值</translation>
    </message>
    <message>
        <source>go to its table cell</source>
        <translation>转到对应的表格单元格</translation>
    </message>
    <message>
        <source>previous, next head</source>
        <translation>上一个、下一个头</translation>
    </message>
    <message>
        <source>step of the formula</source>
        <translation>公式的某一步</translation>
    </message>
    <message>
        <source>export image</source>
        <translation>导出图片</translation>
    </message>
    <message>
        <source>help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>{type} in a table on the left: every map follows.</source>
        <translation>在左侧表格中{type}：所有热图随之变化。</translation>
    </message>
</context>
<context>
    <name>FitControls</name>
    <message>
        <source>Fit w to the points</source>
        <translation>由数据点拟合 w</translation>
    </message>
    <message>
        <source>Every point predicted from the others: mean squared error {error}</source>
        <translation>用其余各点预测每一点：均方误差 {error}</translation>
    </message>
</context>
<context>
    <name>Gestures</name>
    <message>
        <source>Copy image</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Save image…</source>
        <translation>保存图片…</translation>
    </message>
</context>
<context>
    <name>GradientController</name>
    <message>
        <source>The gradient is being computed …</source>
        <translation>正在计算梯度…</translation>
    </message>
    <message>
        <source>Shown: the gradient of {name} = {value}, its change per unit of each number.</source>
        <translation>当前显示 {name} = {value} 的梯度，即各个数每变化一个单位时它的变化量。</translation>
    </message>
    <message>
        <source>{name} = {value} depends on no number of the tables.</source>
        <translation>{name} = {value} 不随表格中的任何数变化。</translation>
    </message>
    <message>
        <source>Largest by {number}: {exact}.</source>
        <translation>对 {number} 的梯度最大：{exact}。</translation>
    </message>
    <message>
        <source>{first} {second}</source>
        <translation>{first}{second}</translation>
    </message>
    <message>
        <source>{name} (head {head})</source>
        <translation>{name}（头 {head}）</translation>
    </message>
    <message>
        <source>Largest by {number}: {exact}; by finite differences {beside}.</source>
        <translation>对 {number} 的梯度最大：{exact}；有限差分为 {beside}。</translation>
    </message>
</context>
<context>
    <name>HeadEdits</name>
    <message>
        <source>Scale head {head}</source>
        <translation>缩放头 {head}</translation>
    </message>
    <message>
        <source>Its result is multiplied by this number; 0 switches it off, 1 leaves it as computed.</source>
        <translation>它的结果乘以这个数；0 表示关闭，1 表示保持计算结果。</translation>
    </message>
    <message>
        <source>Another head in place of head {head}</source>
        <translation>用另一个头代替头 {head}</translation>
    </message>
    <message>
        <source>The result of which head? 0 to {last}</source>
        <translation>用哪个头的结果？0 到 {last}</translation>
    </message>
    <message>
        <source>Each of these heads gets the mean of their Q, K and V: all, or such as 0, 2-3</source>
        <translation>这些头的 Q、K、V 都换成它们的平均值：all，或如 0, 2-3</translation>
    </message>
    <message>
        <source>Average Q, K and V of heads</source>
        <translation>对各头的 Q、K、V 取平均</translation>
    </message>
</context>
<context>
    <name>HeadGrid</name>
    <message>
        <source>Heads of the model</source>
        <translation>模型的各个头</translation>
    </message>
    <message>
        <source>Layers down, heads across: a click puts the layer on the table</source>
        <translation>每行一层，每列一个头：单击后，该层的数值显示在表格中</translation>
    </message>
</context>
<context>
    <name>HeadModel</name>
    <message>
        <source>Layer {place}</source>
        <translation>第 {place} 层</translation>
    </message>
    <message>
        <source>Head {place}</source>
        <translation>头 {place}</translation>
    </message>
    <message>
        <source>Layer {layer}, head {head}</source>
        <translation>第 {layer} 层，头 {head}</translation>
    </message>
    <message>
        <source>{head}: {reading} {value}</source>
        <translation>{head}：{reading} {value}</translation>
    </message>
    <message>
        <source>{head}, changed by hand</source>
        <translation>{head}，已手动修改</translation>
    </message>
</context>
<context>
    <name>HeadRuler</name>
    <message>
        <source>Head {head} of {count}</source>
        <translation>头 {head}，共 {count} 个</translation>
    </message>
    <message>
        <source>Head {head}: columns {first} to {last}</source>
        <translation>头 {head}：第 {first} 至 {last} 列</translation>
    </message>
</context>
<context>
    <name>HeadThumb</name>
    <message>
        <source>Head {head}, {reading} {value}, chosen</source>
        <translation>头 {head}，{reading} {value}，已选中</translation>
    </message>
    <message>
        <source>Head {head}, {reading} {value}</source>
        <translation>头 {head}，{reading} {value}</translation>
    </message>
    <message>
        <source>{head}, {state}</source>
        <translation>{head}，{state}</translation>
    </message>
    <message>
        <source>Show head {head}: its weights A, and its output O = A V</source>
        <translation>显示头 {head}：它的权重 A 和输出 O = A V</translation>
    </message>
</context>
<context>
    <name>Heads</name>
    <message>
        <source>“{text}” is not a list of heads: write all, or numbers such as 0, 2-3.</source>
        <translation>“{text}”不是头的列表：请写 all，或编号，例如 0, 2-3。</translation>
    </message>
    <message>
        <source>There is no head {head}: heads go from 0 to {last}.</source>
        <translation>没有头 {head}：头的编号从 0 到 {last}。</translation>
    </message>
    <message>
        <source>Needs two heads or more</source>
        <translation>需要至少两个头</translation>
    </message>
    <message>
        <source>Switch the head o&amp;ff</source>
        <translation>关闭该头(&amp;F)</translation>
    </message>
    <message>
        <source>S&amp;witch the head on again</source>
        <translation>重新打开该头(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Only this head</source>
        <translation>只留该头(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Scale the head…</source>
        <translation>该头乘以系数(&amp;S)…</translation>
    </message>
    <message>
        <source>Put &amp;another head in its place…</source>
        <translation>用另一个头代替(&amp;A)…</translation>
    </message>
    <message>
        <source>Leave the head as &amp;computed</source>
        <translation>恢复为计算结果(&amp;C)</translation>
    </message>
    <message>
        <source>The head is as computed</source>
        <translation>该头就是计算结果</translation>
    </message>
    <message>
        <source>&amp;Duplicate the head</source>
        <translation>复制该头(&amp;D)</translation>
    </message>
    <message>
        <source>Dele&amp;te the head</source>
        <translation>删除该头(&amp;T)</translation>
    </message>
    <message>
        <source>Move the head to the &amp;left</source>
        <translation>把该头左移(&amp;L)</translation>
    </message>
    <message>
        <source>Move the head to the &amp;right</source>
        <translation>把该头右移(&amp;R)</translation>
    </message>
    <message>
        <source>Give every K/V head its &amp;K and V</source>
        <translation>让所有 K/V 头都用它的 K 和 V(&amp;K)</translation>
    </message>
    <message>
        <source>There is only one K/V head</source>
        <translation>只有一个 K/V 头</translation>
    </message>
    <message>
        <source>off</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>from {head}</source>
        <translation>取自 {head}</translation>
    </message>
    <message>
        <source>by hand</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>A&amp;verage Q, K and V of heads…</source>
        <translation>对各头的 Q、K、V 取平均(&amp;V)…</translation>
    </message>
</context>
<context>
    <name>HeadsFields</name>
    <message>
        <source>this head ({head})</source>
        <translation>当前头（{head}）</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>chosen heads</source>
        <translation>所选的头</translation>
    </message>
    <message>
        <source>Numbers of the chosen heads</source>
        <translation>所选头的编号</translation>
    </message>
    <message>
        <source>Numbers such as 0, 2-3</source>
        <translation>编号，例如 0, 2-3</translation>
    </message>
</context>
<context>
    <name>HeadsStrip</name>
    <message>
        <source>All heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>Head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>of {count}</source>
        <translation>共 {count} 个</translation>
    </message>
    <message>
        <source>of {count} · {kv} K/V heads, {each} query heads each</source>
        <translation>共 {count} 个 · {kv} 个 K/V 头，各带 {each} 个查询头</translation>
    </message>
    <message>
        <source>Number below every head</source>
        <translation>每个头下的读数</translation>
    </message>
    <message>
        <source>All heads together</source>
        <translation>各头合并</translation>
    </message>
</context>
<context>
    <name>Heatmap</name>
    <message>
        <source>not allowed</source>
        <translation>已屏蔽</translation>
    </message>
    <message>
        <source>{row_name} → {column_name} ({row}, {column}): {value}</source>
        <translation>{row_name} → {column_name} ({row}, {column}): {value}</translation>
    </message>
    <message>
        <source>{row_name} ({row}, {column}): {value}</source>
        <translation>{row_name} ({row}, {column}): {value}</translation>
    </message>
    <message>
        <source>({row}, {column}): {value}</source>
        <translation>({row}, {column}): {value}</translation>
    </message>
    <message>
        <source>{rows} × {columns} cells chosen.</source>
        <translation>已选中 {rows} × {columns} 个单元格。</translation>
    </message>
</context>
<context>
    <name>HelpWindow</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Pages of the help</source>
        <translation>帮助页面列表</translation>
    </message>
    <message>
        <source>Text of the page</source>
        <translation>页面正文</translation>
    </message>
</context>
<context>
    <name>Histogram</name>
    <message>
        <source>How the values are spread</source>
        <translation>数值的分布</translation>
    </message>
    <message>
        <source>no finite value</source>
        <translation>没有有限数值</translation>
    </message>
    <message>
        <source>from {low} to {high}</source>
        <translation>从 {low} 到 {high}</translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>heads {old} → {new}</source>
        <translation>头数 {old} → {new}</translation>
    </message>
    <message>
        <source>K/V heads {old} → {new}</source>
        <translation>K/V 头数 {old} → {new}</translation>
    </message>
    <message>
        <source>queries {old} → {new}</source>
        <translation>查询数 {old} → {new}</translation>
    </message>
    <message>
        <source>keys {old} → {new}</source>
        <translation>键数 {old} → {new}</translation>
    </message>
    <message>
        <source>d_model {old} → {new}</source>
        <translation>d_model {old} → {new}</translation>
    </message>
    <message>
        <source>items {old} → {new}</source>
        <translation>样本数 {old} → {new}</translation>
    </message>
    <message>
        <source>added mask {kind}</source>
        <translation>添加{kind}掩码</translation>
    </message>
    <message>
        <source>removed mask {kind}</source>
        <translation>移除{kind}掩码</translation>
    </message>
    <message>
        <source>switched mask {kind}</source>
        <translation>开关{kind}掩码</translation>
    </message>
    <message>
        <source>changed mask {kind}</source>
        <translation>修改{kind}掩码</translation>
    </message>
    <message>
        <source>filled mask {kind}</source>
        <translation>填充{kind}掩码</translation>
    </message>
    <message>
        <source>precision {dtype}</source>
        <translation>精度 {dtype}</translation>
    </message>
    <message>
        <source>scale none</source>
        <translation>不缩放</translation>
    </message>
    <message>
        <source>scale {value}</source>
        <translation>缩放 {value}</translation>
    </message>
    <message>
        <source>closed {cell}</source>
        <translation>屏蔽 {cell}</translation>
    </message>
    <message>
        <source>opened {cell}</source>
        <translation>开放 {cell}</translation>
    </message>
    <message>
        <source>added W_O</source>
        <translation>添加 W_O</translation>
    </message>
    <message>
        <source>removed W_O</source>
        <translation>移除 W_O</translation>
    </message>
    <message>
        <source>added biases</source>
        <translation>添加偏置</translation>
    </message>
    <message>
        <source>removed biases</source>
        <translation>移除偏置</translation>
    </message>
    <message>
        <source>added a second sequence</source>
        <translation>添加第二个序列</translation>
    </message>
    <message>
        <source>removed the second sequence</source>
        <translation>移除第二个序列</translation>
    </message>
    <message>
        <source>Q, K, V directly</source>
        <translation>直接给出 Q、K、V</translation>
    </message>
    <message>
        <source>pasted {block} at {cell}</source>
        <translation>在 {cell} 处粘贴 {block}</translation>
    </message>
    <message>
        <source>imported {block} at {cell}</source>
        <translation>在 {cell} 处导入 {block}</translation>
    </message>
    <message>
        <source>pasted X and its weights</source>
        <translation>粘贴 X 及其权重</translation>
    </message>
    <message>
        <source>grew {symbol} to {size}</source>
        <translation>将 {symbol} 扩大到 {size}</translation>
    </message>
    <message>
        <source>put {block} numbers into {symbol}</source>
        <translation>将 {block} 个数放入 {symbol}</translation>
    </message>
    <message>
        <source>cleared {cell}</source>
        <translation>置零 {cell}</translation>
    </message>
    <message>
        <source>filled down {cell}</source>
        <translation>向下填充 {cell}</translation>
    </message>
    <message>
        <source>filled right {cell}</source>
        <translation>向右填充 {cell}</translation>
    </message>
    <message>
        <source>filled {cell}</source>
        <translation>填充 {cell}</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>renamed row {row}</source>
        <translation>重命名第 {row} 行</translation>
    </message>
    <message>
        <source>softcap {value}</source>
        <translation>软上限 {value}</translation>
    </message>
    <message>
        <source>temperature {value}</source>
        <translation>温度 {value}</translation>
    </message>
    <message>
        <source>rotary positions, θ = {value}</source>
        <translation>旋转位置编码，θ = {value}</translation>
    </message>
    <message>
        <source>hidden units of the score {value}</source>
        <translation>评分函数的隐藏单元数 {value}</translation>
    </message>
    <message>
        <source>ε of the LayerNorm {value}</source>
        <translation>层归一化的 ε = {value}</translation>
    </message>
    <message>
        <source>removed the softcap</source>
        <translation>移除软上限</translation>
    </message>
    <message>
        <source>removed the temperature</source>
        <translation>移除温度</translation>
    </message>
    <message>
        <source>removed rotary positions</source>
        <translation>移除旋转位置编码</translation>
    </message>
    <message>
        <source>sinks</source>
        <translation>注意力汇点</translation>
    </message>
    <message>
        <source>normalization: {name}</source>
        <translation>归一化：{name}</translation>
    </message>
    <message>
        <source>normalization: {name}; removed the {gone}</source>
        <translation>归一化：{name}；已移除{gone}</translation>
    </message>
    <message>
        <source>temperature and sinks</source>
        <translation>温度和注意力汇点</translation>
    </message>
    <message>
        <source>score {name}</source>
        <translation>评分函数改为{name}</translation>
    </message>
    <message>
        <source>added the block</source>
        <translation>添加块</translation>
    </message>
    <message>
        <source>removed the block</source>
        <translation>移除块</translation>
    </message>
    <message>
        <source>added W_O and the block</source>
        <translation>添加 W_O 和块</translation>
    </message>
    <message>
        <source>w fitted to the points: {value}</source>
        <translation>由数据点拟合 w：{value}</translation>
    </message>
    <message>
        <source>new problem</source>
        <translation>新算例</translation>
    </message>
    <message>
        <source>cut {cell}</source>
        <translation>剪切 {cell}</translation>
    </message>
    <message>
        <source>shown from Python</source>
        <translation>由 Python 显示</translation>
    </message>
    <message>
        <source>{cell}: {old} → {new}</source>
        <translation>{cell}：{old} → {new}</translation>
    </message>
    <message>
        <source>{symbol} of the score {value}</source>
        <translation>评分函数的参数 {symbol} = {value}</translation>
    </message>
    <message>
        <source>opened {shape} {cell} … {last}</source>
        <translation>开放{shape} {cell} … {last}</translation>
    </message>
    <message>
        <source>closed {shape} {cell} … {last}</source>
        <translation>屏蔽{shape} {cell} … {last}</translation>
    </message>
    <message>
        <source>head {head} off</source>
        <translation>关闭头 {head}</translation>
    </message>
    <message>
        <source>head {head} on</source>
        <translation>打开头 {head}</translation>
    </message>
    <message>
        <source>only head {head}</source>
        <translation>只留头 {head}</translation>
    </message>
    <message>
        <source>head {head} × {factor}</source>
        <translation>头 {head} × {factor}</translation>
    </message>
    <message>
        <source>head {head} from head {source}</source>
        <translation>头 {head} 取自头 {source}</translation>
    </message>
    <message>
        <source>head {head} as computed</source>
        <translation>头 {head} 恢复为计算结果</translation>
    </message>
    <message>
        <source>averaged heads {heads}</source>
        <translation>头 {heads} 取平均</translation>
    </message>
    <message>
        <source>duplicated head {head}</source>
        <translation>复制头 {head}</translation>
    </message>
    <message>
        <source>deleted head {head}</source>
        <translation>删除头 {head}</translation>
    </message>
    <message>
        <source>moved head {head} to {place}</source>
        <translation>头 {head} 移到 {place}</translation>
    </message>
    <message>
        <source>K and V of head {head} for all</source>
        <translation>所有头都用头 {head} 的 K 和 V</translation>
    </message>
    <message>
        <source>{cell}: {old} → {new} by hand</source>
        <translation>手动修改 {cell}：{old} → {new}</translation>
    </message>
    <message>
        <source>drew {cell} from {old} to {new}</source>
        <translation>将 {cell} 从 {old} 拖到 {new}</translation>
    </message>
    <message>
        <source>inserted {cells}</source>
        <translation>插入 {cells}</translation>
    </message>
    <message>
        <source>deleted {cells}</source>
        <translation>删除 {cells}</translation>
    </message>
    <message>
        <source>{cells} set to {new} by hand</source>
        <translation>手动将 {cells} 设为 {new}</translation>
    </message>
    <message>
        <source>on: {what}</source>
        <translation>启用：{what}</translation>
    </message>
    <message>
        <source>off: {what}</source>
        <translation>停用：{what}</translation>
    </message>
    <message>
        <source>removed: {what}</source>
        <translation>移除：{what}</translation>
    </message>
    <message>
        <source>removed all that was changed by hand</source>
        <translation>移除全部手动修改</translation>
    </message>
    <message>
        <source>for all heads: {what}</source>
        <translation>应用到所有头：{what}</translation>
    </message>
    <message>
        <source>{cells} × {factor} by hand</source>
        <translation>手动将 {cells} × {factor}</translation>
    </message>
    <message>
        <source>{cells} taken from {place}</source>
        <translation>{cells} 取自{place}</translation>
    </message>
    <message>
        <source>{cells} as computed</source>
        <translation>{cells} 恢复为计算结果</translation>
    </message>
    <message>
        <source>lesson, step {place}</source>
        <translation>课程第 {place} 步</translation>
    </message>
    <message>
        <source>snapshot “{name}”</source>
        <translation>快照“{name}”</translation>
    </message>
    <message>
        <source>ε of the norms {value}</source>
        <translation>归一化的 ε：{value}</translation>
    </message>
    <message>
        <source>ε of the norms of Q and K {value}</source>
        <translation>Q、K 归一化的 ε：{value}</translation>
    </message>
    <message>
        <source>norm {name}</source>
        <translation>归一化 {name}</translation>
    </message>
    <message>
        <source>activation {name}</source>
        <translation>激活函数 {name}</translation>
    </message>
    <message>
        <source>gated the feed-forward network</source>
        <translation>为前馈网络加门控</translation>
    </message>
    <message>
        <source>removed the gate of the feed-forward network</source>
        <translation>去掉前馈网络的门控</translation>
    </message>
    <message>
        <source>normalized the heads of Q and K</source>
        <translation>对 Q、K 的各头做归一化</translation>
    </message>
    <message>
        <source>removed the norms of the heads of Q and K</source>
        <translation>去掉 Q、K 各头的归一化</translation>
    </message>
    <message>
        <source>added a sink to every head</source>
        <translation>为每个头添加汇点</translation>
    </message>
    <message>
        <source>removed the sinks</source>
        <translation>去掉汇点</translation>
    </message>
    <message>
        <source>all heads of layer {layer} off</source>
        <translation>关闭第 {layer} 层的所有头</translation>
    </message>
    <message>
        <source>all heads of layer {layer} on</source>
        <translation>恢复第 {layer} 层的所有头</translation>
    </message>
    <message>
        <source>layer {layer}</source>
        <translation>第 {layer} 层</translation>
    </message>
    <message>
        <source>text “{text}”</source>
        <translation>文本“{text}”</translation>
    </message>
    <message>
        <source>{cells} taken from the state before</source>
        <translation>{cells} 取自基准状态</translation>
    </message>
    <message>
        <source>row {row} of {stage} taken from row {place} of the second text</source>
        <translation>{stage} 的第 {row} 行取自第二段文本的第 {place} 行</translation>
    </message>
    <message>
        <source>all rows of {stage} taken from the second text</source>
        <translation>{stage} 的所有行取自第二段文本</translation>
    </message>
    <message>
        <source>filled {cell} with {value}</source>
        <translation>以 {value} 填充 {cell}</translation>
    </message>
    <message>
        <source>pasted Q, K and V</source>
        <translation>粘贴 Q、K、V</translation>
    </message>
    <message>
        <source>{cell}: {old} → {new} by {cells}</source>
        <translation>改 {cells} 使 {cell}：{old} → {new}</translation>
    </message>
    <message>
        <source>dₖ = {width}, columns repeated</source>
        <translation>dₖ = {width}，重复各列</translation>
    </message>
    <message>
        <source>dₖ = {width}, random Q and K</source>
        <translation>dₖ = {width}，随机 Q、K</translation>
    </message>
    <message>
        <source>dₖ {old} → {new}</source>
        <translation>dₖ {old} → {new}</translation>
    </message>
    <message>
        <source>dᵥ {old} → {new}</source>
        <translation>dᵥ {old} → {new}</translation>
    </message>
    <message>
        <source>scale 1/√dₖ</source>
        <translation>缩放 1/√dₖ</translation>
    </message>
</context>
<context>
    <name>HistoryController</name>
    <message>
        <source>Opened {name}</source>
        <translation>打开 {name}</translation>
    </message>
    <message>
        <source>&amp;Undo {step}</source>
        <translation>撤销(&amp;U) {step}</translation>
    </message>
    <message>
        <source>&amp;Redo {step}</source>
        <translation>重做(&amp;R) {step}</translation>
    </message>
    <message>
        <source>New problem, {n} × {m}, heads: {heads}</source>
        <translation>新建算例，{n} × {m}，头数：{heads}</translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>{step}, the present step</source>
        <translation>{step}，当前步骤</translation>
    </message>
</context>
<context>
    <name>HistoryView</name>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Show or fold away the steps so far</source>
        <translation>展开或收起历史步骤</translation>
    </message>
    <message>
        <source>Every change so far, the last below: a click goes back to one, or forward again</source>
        <translation>到目前为止的每一步更改，最近的在最下面：单击可退回到某一步，也可重新前进</translation>
    </message>
</context>
<context>
    <name>IncomingFiles</name>
    <message>
        <source>In windows of their own: {files}. Not opened: {count} more files.</source>
        <translation>已在各自的窗口中打开：{files}。另有 {count} 个文件未打开。</translation>
    </message>
    <message>
        <source>In windows of their own: {files}.</source>
        <translation>已在各自的窗口中打开：{files}。</translation>
    </message>
</context>
<context>
    <name>InputsView</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Explain</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>The chosen cell explained, all steps verified, exact gradients, and further pages</source>
        <translation>解释所选单元格、验证所有步骤、精确的梯度，以及其他页面</translation>
    </message>
    <message>
        <source>The terms of the number above, such as q · k: a click on one goes to the cell that it comes from</source>
        <translation>上面这个数的各项，例如 q · k：单击某一项可转到它所来自的单元格</translation>
    </message>
    <message>
        <source>by size</source>
        <translation>按大小</translation>
    </message>
    <message>
        <source>All keys of this query</source>
        <translation>该查询的所有键</translation>
    </message>
    <message>
        <source>Keys of this query, {count} of {all}</source>
        <translation>该查询的键，{all} 个中的 {count} 个</translation>
    </message>
    <message>
        <source>Terms {product}, {count} of {all}</source>
        <translation>各项 {product}，{all} 个中的 {count} 个</translation>
    </message>
    <message>
        <source>Terms {product}</source>
        <translation>各项 {product}</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>A right answer uncovers the numbers here and in the maps.</source>
        <translation>答对之后，这里和图中盖住的数都会揭开。</translation>
    </message>
</context>
<context>
    <name>InterventionPanel</name>
    <message>
        <source>Changed by hand</source>
        <translation>手动修改</translation>
    </message>
    <message>
        <source>Every number is as computed. Choose a cell of any map and press F2 to type into it, or switch a head off in its menu.</source>
        <translation>所有数值均为计算结果。在任意图中选中单元格并按 F2 即可填数，也可在头的菜单中关闭该头。</translation>
    </message>
    <message>
        <source>What follows reads the changed cells; one whose box is not ticked is as computed.</source>
        <translation>后续步骤读取修改后的单元格；未勾选的保持计算结果。</translation>
    </message>
    <message>
        <source>Show its cells</source>
        <translation>显示其单元格</translation>
    </message>
    <message>
        <source>Do it to all heads</source>
        <translation>应用到所有头</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Interventions</name>
    <message>
        <source>copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Cells take what was computed in another place</source>
        <translation>单元格改用另一处计算出的数值</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Cells are multiplied by a factor</source>
        <translation>单元格乘以一个系数</translation>
    </message>
    <message>
        <source>set</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>Cells take given numbers</source>
        <translation>单元格改为给定的数值</translation>
    </message>
    <message>
        <source>{cells} taken from {source}</source>
        <translation>{cells} 取自{source}</translation>
    </message>
    <message>
        <source>{cells}, {place}</source>
        <translation>{cells}、{place}</translation>
    </message>
    <message>
        <source>item {place}</source>
        <translation>样本 {place}</translation>
    </message>
    <message>
        <source>head {place}</source>
        <translation>头 {place}</translation>
    </message>
    <message>
        <source>query {place}</source>
        <translation>查询 {place}</translation>
    </message>
    <message>
        <source>key {place}</source>
        <translation>键 {place}</translation>
    </message>
    <message>
        <source>row {place}</source>
        <translation>第 {place} 行</translation>
    </message>
    <message>
        <source>column {place}</source>
        <translation>第 {place} 列</translation>
    </message>
    <message>
        <source>{cells} × {factor}</source>
        <translation>{cells} × {factor}</translation>
    </message>
    <message>
        <source>{cells} set to {value}</source>
        <translation>{cells} 设为 {value}</translation>
    </message>
    <message>
        <source>{cells} set to {count} numbers</source>
        <translation>{cells} 设为 {count} 个数</translation>
    </message>
    <message>
        <source>{cells} of head {head}</source>
        <translation>头 {head} 的 {cells}</translation>
    </message>
    <message>
        <source>{cells} of heads {first} … {last}</source>
        <translation>头 {first} … {last} 的 {cells}</translation>
    </message>
    <message>
        <source>{cells} of all heads</source>
        <translation>所有头的 {cells}</translation>
    </message>
    <message>
        <source>{cells} in item {item}</source>
        <translation>样本 {item} 中{cells}</translation>
    </message>
    <message>
        <source>{cells} in items {first} … {last}</source>
        <translation>样本 {first} … {last} 中{cells}</translation>
    </message>
    <message>
        <source>item</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>layer {layer}: {what}</source>
        <translation>第 {layer} 层：{what}</translation>
    </message>
    <message>
        <source>{cells} of {matrix} typed</source>
        <translation>{matrix} 中手动输入了 {cells} 个数</translation>
    </message>
    <message>
        <source>{matrix} changed</source>
        <translation>{matrix} 已修改</translation>
    </message>
    <message>
        <source>{cells} ← second text, {token} ({row})</source>
        <translation>{cells} ← 第二段文本，{token}（{row}）</translation>
    </message>
    <message>
        <source>{cells} ← second text</source>
        <translation>{cells} ← 第二段文本</translation>
    </message>
    <message>
        <source>and {count} more</source>
        <translation>另有 {count} 处</translation>
    </message>
</context>
<context>
    <name>Journaling</name>
    <message>
        <source>There is no copy of the unsaved changes, should the program crash. {reason}</source>
        <translation>万一程序崩溃，未保存的更改没有备份。{reason}</translation>
    </message>
</context>
<context>
    <name>LayerController</name>
    <message>
        <source>New problem…</source>
        <translation>新建算例…</translation>
    </message>
    <message>
        <source>The block adds X to the output, but Q, K and V are given here: there is no X.</source>
        <translation>块要把 X 加到输出上，但这里直接给出了 Q、K、V，没有 X。</translation>
    </message>
    <message>
        <source>The block adds X to the output, so the output must be as wide as X: {expected} columns, not {got}.</source>
        <translation>块要把 X 加到输出上，所以输出必须与 X 同宽：应为 {expected} 列，而不是 {got} 列。</translation>
    </message>
    <message>
        <source>Add W_O and the block</source>
        <translation>添加 W_O 和块</translation>
    </message>
    <message>
        <source>Make W_O {expected} columns wide and add the block</source>
        <translation>把 W_O 改为 {expected} 列并添加块</translation>
    </message>
</context>
<context>
    <name>LayerRow</name>
    <message>
        <source>{layer} layer on</source>
        <translation>启用{layer}层</translation>
    </message>
    <message>
        <source>Remove {layer}</source>
        <translation>移除{layer}层</translation>
    </message>
    <message>
        <source>Paint in the map</source>
        <translation>在热图中绘制</translation>
    </message>
    <message>
        <source>Fill</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>All cells of this layer at once: M is 0 where they are open, −∞ where closed</source>
        <translation>一次设置该层的所有单元格：开放处 M 为 0，屏蔽处为 −∞</translation>
    </message>
    <message>
        <source>Show its table</source>
        <translation>显示其表格</translation>
    </message>
    <message>
        <source>The numbers of this layer among the tables, to be typed and pasted there</source>
        <translation>在左侧的表中显示该层的数值，可在那里输入和粘贴</translation>
    </message>
    <message>
        <source>Open all cells</source>
        <translation>开放所有单元格</translation>
    </message>
    <message>
        <source>Close all cells</source>
        <translation>屏蔽所有单元格</translation>
    </message>
    <message>
        <source>Swap open and closed</source>
        <translation>互换开放与屏蔽</translation>
    </message>
    <message>
        <source>Mirror at the diagonal</source>
        <translation>沿对角线镜像</translation>
    </message>
    <message>
        <source>Show the masked scores, with a brush in hand that opens and closes cells</source>
        <translation>显示掩码后的分数，并拿起用来开放和屏蔽单元格的画笔</translation>
    </message>
</context>
<context>
    <name>LeaveOutDialog</name>
    <message>
        <source>Leave out cells</source>
        <translation>留空</translation>
    </message>
    <message>
        <source>cells left out</source>
        <translation>留空的单元格数</translation>
    </message>
    <message>
        <source>random seed</source>
        <translation>随机种子</translation>
    </message>
</context>
<context>
    <name>LengthsField</name>
    <message>
        <source>Lengths are whole numbers from 0 to {m}, such as {example}.</source>
        <translation>长度是 0 到 {m} 的整数，例如 {example}。</translation>
    </message>
    <message>
        <source>Items: {batch}, lengths: {got}. Give one for all, or one for each.</source>
        <translation>{batch} 个样本却有 {got} 个长度：请给出一个共用的长度，或每个样本一个。</translation>
    </message>
</context>
<context>
    <name>LessonButton</name>
    <message>
        <source>{number}. {title}, {done} of {count} steps done, {minutes} min</source>
        <translation>第 {number} 课，{title}，共 {count} 步，已完成 {done} 步，{minutes} 分钟</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} 分钟</translation>
    </message>
</context>
<context>
    <name>LessonList</name>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>{count} lessons, about {minutes} min. {done} finished; leave at any time and go on later.</source>
        <translation>共 {count} 课，约 {minutes} 分钟。已完成 {done} 课；随时可以离开，下次从原处继续。</translation>
    </message>
    <message>
        <source>Open a lesson of your own…</source>
        <translation>打开自己的课程…</translation>
    </message>
    <message>
        <source>Close the list</source>
        <translation>关闭列表</translation>
    </message>
    <message>
        <source>Start over</source>
        <translation>从头开始</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Go on with: {title}</source>
        <translation>接着学：{title}</translation>
    </message>
    <message>
        <source>Begin with: {title}</source>
        <translation>从“{title}”开始</translation>
    </message>
    <message>
        <source>Step {place} of {count}</source>
        <translation>第 {place} 步，共 {count} 步</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} 分钟</translation>
    </message>
    <message>
        <source>In the last lesson you learned to {what}</source>
        <translation>上一课你学会了：{what}</translation>
    </message>
</context>
<context>
    <name>LessonMenu</name>
    <message>
        <source>Lessons (*{ending})</source>
        <translation>课程 (*{ending})</translation>
    </message>
    <message>
        <source>Open a lesson</source>
        <translation>打开课程文件</translation>
    </message>
</context>
<context>
    <name>LessonPanel</name>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Do it for me</source>
        <translation>替我完成</translation>
    </message>
    <message>
        <source>The numbers are no longer those of this step.</source>
        <translation>当前的数已与这一步不同。</translation>
    </message>
    <message>
        <source>Back to the step</source>
        <translation>回到这一步</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Make a card</source>
        <translation>做成卡片</translation>
    </message>
    <message>
        <source>Close the lesson; its place is kept</source>
        <translation>关闭课程（进度会保留）</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>✓ Done</source>
        <translation>✓ 已完成</translation>
    </message>
    <message>
        <source>Way through the lesson</source>
        <translation>课程的上一步与下一步</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>All lessons</source>
        <translation>全部课程</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Step {place} of {count}</source>
        <translation>第 {place} 步，共 {count} 步</translation>
    </message>
    <message>
        <source>{done} of {count} steps done</source>
        <translation>完成 {done} / {count} 步</translation>
    </message>
</context>
<context>
    <name>Lessons</name>
    <message>
        <source>Hands on</source>
        <translation>先动手</translation>
    </message>
    <message>
        <source>Why it is computed so</source>
        <translation>为什么这样算</translation>
    </message>
    <message>
        <source>Heads and the whole block</source>
        <translation>多头与整个块</translation>
    </message>
    <message>
        <source>Words and models</source>
        <translation>词与模型</translation>
    </message>
</context>
<context>
    <name>Levels</name>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>± the largest on show; of weights 0 … 1 where that can be seen, else 0 … the largest</source>
        <translation>所示数值的 ± 最大绝对值；权重在能看清时取 0 … 1，否则取 0 … 最大值</translation>
    </message>
    <message>
        <source>0 … 1</source>
        <translation>0 … 1</translation>
    </message>
    <message>
        <source>All that a weight can be, so that maps can be compared by eye</source>
        <translation>权重的全部取值范围，便于目测比较各图</translation>
    </message>
    <message>
        <source>0 … largest</source>
        <translation>0 … 最大值</translation>
    </message>
    <message>
        <source>The largest number on show has the strongest color</source>
        <translation>所示数值中最大的一个颜色最深</translation>
    </message>
    <message>
        <source>Automatic for 99 % of the values</source>
        <translation>自动（覆盖 99 % 的数值）</translation>
    </message>
    <message>
        <source>One number in a hundred, the largest, may lie outside and has the color of the end</source>
        <translation>最大的百分之一可以在范围之外，用端点的颜色</translation>
    </message>
    <message>
        <source>99 %</source>
        <translation>99 %</translation>
    </message>
    <message>
        <source>From – to</source>
        <translation>从 – 到</translation>
    </message>
    <message>
        <source>Your own numbers at the two ends; what lies outside has the color of the nearer end</source>
        <translation>两端的数值由你指定；范围之外的用端点的颜色</translation>
    </message>
    <message>
        <source>typed</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Locked as they are</source>
        <translation>锁定为当前值</translation>
    </message>
    <message>
        <source>The present levels, whatever is computed next</source>
        <translation>固定为当前的范围，之后无论算出什么都不变</translation>
    </message>
    <message>
        <source>locked</source>
        <translation>锁定</translation>
    </message>
</context>
<context>
    <name>LevelsFields</name>
    <message>
        <source>The lower level has to be below the upper one.</source>
        <translation>下限必须小于上限。</translation>
    </message>
    <message>
        <source>as in the window</source>
        <translation>与窗口一致</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>typed</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Lower level</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Upper level</source>
        <translation>上限</translation>
    </message>
</context>
<context>
    <name>LevelsPopup</name>
    <message>
        <source>Lowest value</source>
        <translation>最低值</translation>
    </message>
    <message>
        <source>Highest value</source>
        <translation>最高值</translation>
    </message>
    <message>
        <source>Colors</source>
        <translation>配色</translation>
    </message>
    <message>
        <source>A number x has the color at (x − low) / (high − low) of the bar</source>
        <translation>数值 x 的颜色位于色条的 (x − 下限) / (上限 − 下限) 处</translation>
    </message>
    <message>
        <source>The colors from the lowest level to the highest; of signed ones 0 is the middle</source>
        <translation>从最低值到最高值的颜色；有正负之分的以 0 为中间色</translation>
    </message>
</context>
<context>
    <name>LimitField</name>
    <message>
        <source>However far away, keys on this side are seen</source>
        <translation>这一侧的键无论多远都可见</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>{name}: no limit</source>
        <translation>{name}：不限</translation>
    </message>
</context>
<context>
    <name>LinkRow</name>
    <message>
        <source>Explain {cell}</source>
        <translation>解释 {cell}</translation>
    </message>
</context>
<context>
    <name>LintLines</name>
    <message>
        <source>Go to the row</source>
        <translation>转到该行</translation>
    </message>
</context>
<context>
    <name>MapsDialog</name>
    <message>
        <source>Attention weights of {file}</source>
        <translation>{file} 的注意力权重</translation>
    </message>
    <message>
        <source>The file does not say how these weights are laid out. Which are meant? Each shows its first map.</source>
        <translation>文件没有说明这些权重的排列方式。要打开哪一种？图中是各自的第一张权重图。</translation>
    </message>
    <message>
        <source>Readings of the weights</source>
        <translation>权重的读法</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>layer {layer}</source>
        <translation>第 {layer} 层</translation>
    </message>
    <message>
        <source>all, as items of a batch</source>
        <translation>全部，作为一批样本</translation>
    </message>
    <message>
        <source>all, as heads</source>
        <translation>全部，作为各个头</translation>
    </message>
</context>
<context>
    <name>MaskBox</name>
    <message>
        <source>{caption}: {choice}</source>
        <translation>{caption}：{choice}</translation>
    </message>
</context>
<context>
    <name>MaskPanel</name>
    <message>
        <source>Mask layers</source>
        <translation>掩码层</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>No layer: every query sees every key.</source>
        <translation>没有掩码层：每个查询都能看到所有键。</translation>
    </message>
    <message>
        <source>Add layer</source>
        <translation>添加层</translation>
    </message>
    <message>
        <source>One more rule for M in Sᵐ = S′ + M: a key is seen if every layer allows it</source>
        <translation>为 Sᵐ = S′ + M 中的 M 再加一条规则：所有层都开放的键才可见</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>As in nn.MultiheadAttention; scaled_dot_product_attention means the opposite. Only the words and the tables turn, no cell changes. A key is open if no layer that is on blocks it; biases add.</source>
        <translation>与 nn.MultiheadAttention 一致；scaled_dot_product_attention 的含义相反。只有文字和表格的读法改变，单元格不变。只要没有已启用的层屏蔽某个键，它就是开放的；偏置相加。</translation>
    </message>
    <message>
        <source>As in scaled_dot_product_attention; in nn.MultiheadAttention True means the opposite. A key is open if every layer that is on opens it; biases add.</source>
        <translation>与 scaled_dot_product_attention 一致；在 nn.MultiheadAttention 中 True 的含义相反。只有所有已启用的层都开放某个键，它才是开放的；偏置相加。</translation>
    </message>
</context>
<context>
    <name>Masks</name>
    <message>
        <source>causal</source>
        <translation>因果</translation>
    </message>
    <message>
        <source>window</source>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>How many keys before its own a query sees: i − j is at most this number</source>
        <translation>查询能看到自身位置之前多少个键：i − j 不超过此数</translation>
    </message>
    <message>
        <source>How many keys after its own a query sees: j − i is at most this number</source>
        <translation>查询能看到自身位置之后多少个键：j − i 不超过此数</translation>
    </message>
    <message>
        <source>prefix</source>
        <translation>前缀</translation>
    </message>
    <message>
        <source>How many of the first keys every query sees, later than itself or not</source>
        <translation>所有查询都能看到的开头键数，无论键是否在查询之后</translation>
    </message>
    <message>
        <source>padding</source>
        <translation>填充</translation>
    </message>
    <message>
        <source>custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>ALiBi</source>
        <translation>ALiBi</translation>
    </message>
    <message>
        <source>No query sees a later key</source>
        <translation>查询看不到后面的键</translation>
    </message>
    <message>
        <source>A query sees the keys near it</source>
        <translation>查询只看到附近的键</translation>
    </message>
    <message>
        <source>All see the first keys, the others causally</source>
        <translation>都能看到开头的键，其余按因果</translation>
    </message>
    <message>
        <source>Keys past the end of an item are closed</source>
        <translation>超出样本长度的键被屏蔽</translation>
    </message>
    <message>
        <source>Cells opened and closed one by one</source>
        <translation>逐格开放或屏蔽</translation>
    </message>
    <message>
        <source>A number added to every score</source>
        <translation>给每个分数加上一个数</translation>
    </message>
    <message>
        <source>Distant keys are given less, by a slope for each head</source>
        <translation>键越远分数越低，每个头有各自的斜率</translation>
    </message>
    <message>
        <source>lined up at</source>
        <translation>对齐于</translation>
    </message>
    <message>
        <source>keys before</source>
        <translation>之前的键</translation>
    </message>
    <message>
        <source>keys after</source>
        <translation>之后的键</translation>
    </message>
    <message>
        <source>first keys</source>
        <translation>开头的键</translation>
    </message>
    <message>
        <source>lengths</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Matters when n and m differ. First: query 0 belongs to key 0, as in PyTorch&apos;s is_causal. Last: the last query belongs to the last key, as in a decoder that goes on from earlier tokens.</source>
        <translation>n 与 m 不同时才有区别。首个：查询 0 对应键 0，与 PyTorch 的 is_causal 一致。末个：最后一个查询对应最后一个键，如解码器接着先前的词元继续生成。</translation>
    </message>
    <message>
        <source>open: {open} of {all} cells</source>
        <translation>开放：{all} 个单元格中的 {open} 个</translation>
    </message>
    <message>
        <source>open everywhere</source>
        <translation>处处开放</translation>
    </message>
    <message>
        <source>open where {rule}</source>
        <translation>在 {rule} 处开放</translation>
    </message>
    <message>
        <source>{one} or {other}</source>
        <translation>{one} 或 {other}</translation>
    </message>
    <message>
        <source>Keys that are open in each item: one number for all, or one for each item</source>
        <translation>每个样本中开放的键数：一个数共用，或每个样本一个数</translation>
    </message>
    <message>
        <source>adds {rule}</source>
        <translation>加上 {rule}</translation>
    </message>
    <message>
        <source>adds a table of {shape}</source>
        <translation>加上一张 {shape} 的表</translation>
    </message>
    <message>
        <source>Row {row} has no open key: its weights and its output are 0.</source>
        <translation>第 {row} 行没有开放的键：它的权重和输出都是 0。</translation>
    </message>
    <message>
        <source>{count} rows have no open key, row {row} first: weights and output are 0.</source>
        <translation>有 {count} 行没有开放的键，最先是第 {row} 行：权重和输出都是 0。</translation>
    </message>
    <message>
        <source>{value} is added to every open key of row {row}: finite, so it closes none, and the scores decide.</source>
        <translation>第 {row} 行每个开放的键都加上了 {value}：这是有限的数，一个键也没有屏蔽，权重仍由分数决定。</translation>
    </message>
    <message>
        <source>{value} is added to every open key of row {row}: finite, so the weights are even and not 0.</source>
        <translation>第 {row} 行每个开放的键都加上了 {value}：这是有限的数，因此权重是均匀的，而不是 0。</translation>
    </message>
    <message>
        <source>{value} or less is added to every open key of row {row}: finite, so it closes none.</source>
        <translation>第 {row} 行每个开放的键都加上了 {value} 或更小的数：这是有限的数，一个键也没有屏蔽。</translation>
    </message>
    <message>
        <source>{layer}: {n} queries, {m} keys; query 0 belongs to key 0.</source>
        <translation>{layer}：{n} 个查询，{m} 个键；查询 0 对应键 0。</translation>
    </message>
    <message>
        <source>{layer}: {n} queries, {m} keys; query {last} belongs to key {last_key}.</source>
        <translation>{layer}：{n} 个查询，{m} 个键；查询 {last} 对应键 {last_key}。</translation>
    </message>
    <message>
        <source>Line up the last ones</source>
        <translation>改为末尾对齐</translation>
    </message>
    <message>
        <source>Line up the first ones</source>
        <translation>改为开头对齐</translation>
    </message>
    <message>
        <source>Up to {count} keys are open in a row, and d_k = {width}: a weight can surely be set to a target, the other odds kept, only where at most {most} are open.</source>
        <translation>一行最多有 {count} 个开放的键，而 d_k = {width}：要保持其余比值不变，只有开放的键不超过 {most} 个时目标才必定能达到。</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>Every cell that is passed</source>
        <translation>经过的每个单元格</translation>
    </message>
    <message>
        <source>rectangle</source>
        <translation>矩形</translation>
    </message>
    <message>
        <source>All cells from one corner to the other</source>
        <translation>从一角到对角的所有单元格</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>整行</translation>
    </message>
    <message>
        <source>Whole rows: all keys of a query</source>
        <translation>整行：一个查询的所有键</translation>
    </message>
    <message>
        <source>columns</source>
        <translation>整列</translation>
    </message>
    <message>
        <source>Whole columns: a key for all queries</source>
        <translation>整列：所有查询的同一个键</translation>
    </message>
    <message>
        <source>diagonal band</source>
        <translation>对角带</translation>
    </message>
    <message>
        <source>All diagonals from one cell&apos;s to the other&apos;s</source>
        <translation>从起点到终点之间的所有对角线</translation>
    </message>
    <message>
        <source>True = blocked</source>
        <translation>True = 屏蔽</translation>
    </message>
    <message>
        <source>True = may attend</source>
        <translation>True = 允许关注</translation>
    </message>
    <message>
        <source>blocked unless {rule}</source>
        <translation>除 {rule} 外均屏蔽</translation>
    </message>
    <message>
        <source>blocked nowhere</source>
        <translation>无处屏蔽</translation>
    </message>
    <message>
        <source>blocked: {closed} of {all} cells</source>
        <translation>已屏蔽：{all} 个单元格中的 {closed} 个</translation>
    </message>
    <message>
        <source>Close them with True and False</source>
        <translation>改用 True 和 False 屏蔽</translation>
    </message>
    <message>
        <source>Layer {number} ({layer}) looks like a boolean mask: its 0 and 1 are added to scores and close no key.</source>
        <translation>第 {number} 层（{layer}）看起来是布尔掩码：其中的 0 和 1 被加到分数上，一个键也没有屏蔽。</translation>
    </message>
    <message>
        <source>Open keys at 1, close them at 0</source>
        <translation>改为：1 开放键，0 屏蔽键</translation>
    </message>
</context>
<context>
    <name>MasksController</name>
    <message>
        <source>Mask read as {polarity}</source>
        <translation>掩码按 {polarity} 读入</translation>
    </message>
</context>
<context>
    <name>MatrixView</name>
    <message>
        <source>Esc keeps {value}.</source>
        <translation>按 Esc 保留 {value}。</translation>
    </message>
    <message>
        <source>{sentence} {kept}</source>
        <translation>{sentence}{kept}</translation>
    </message>
</context>
<context>
    <name>MatrixWords</name>
    <message>
        <source>It goes into {formulas}.</source>
        <translation>用于 {formulas}。</translation>
    </message>
    <message>
        <source>Hatched cells are closed by the mask: they have no number.</source>
        <translation>画斜线的单元格被掩码屏蔽，没有数值。</translation>
    </message>
    <message>
        <source>A click on a cell explains its number; a number typed on it takes its place.</source>
        <translation>单击单元格可查看这个数的由来；在单元格上键入数字即可改写它。</translation>
    </message>
    <message>
        <source>Type a number over a cell or paste a block: every step after it follows.</source>
        <translation>在单元格中输入一个数或粘贴一块数据，其后的每一步都随之重新计算。</translation>
    </message>
    <message>
        <source>These numbers are shown to be read; they cannot be typed over.</source>
        <translation>这些数仅供查看，不能改写。</translation>
    </message>
</context>
<context>
    <name>Minimap</name>
    <message>
        <source>Overview of {title}</source>
        <translation>{title}的缩略图</translation>
    </message>
    <message>
        <source>The whole map. Drag the frame or press the arrow keys to move, Esc to go back.</source>
        <translation>整幅图。拖动方框或按方向键移动，按 Esc 返回。</translation>
    </message>
</context>
<context>
    <name>Mistakes</name>
    <message>
        <source>Masked scores were set to 0, and e⁰ = 1 still counts: they have to be −∞ before the softmax.</source>
        <translation>被屏蔽的分数置成了 0，而 e⁰ = 1 仍会计入：softmax 之前应置为 −∞。</translation>
    </message>
    <message>
        <source>The mask came after the softmax: it has to come before, so that the open weights add up to 1.</source>
        <translation>掩码加在了 softmax 之后：应加在之前，这样未屏蔽的权重之和才等于 1。</translation>
    </message>
    <message>
        <source>The mask was read the wrong way round: the hatched keys are those that must not count.</source>
        <translation>掩码的含义弄反了：画斜线的键才是不参与计算的键。</translation>
    </message>
    <message>
        <source>The heads were split in turns, column by column: each head takes d_k columns side by side.</source>
        <translation>各头是逐列轮流划分的：每个头应取相邻的 d_k 列。</translation>
    </message>
    <message>
        <source>Rows of Q were multiplied by columns of K: a score takes a row of Q and a row of K, Q·Kᵀ.</source>
        <translation>用 Q 的行乘了 K 的列：分数应由 Q 的一行与 K 的一行相乘得到，即 Q·Kᵀ。</translation>
    </message>
    <message>
        <source>The values were added up as they are: each has to be multiplied by its weight first.</source>
        <translation>把各个值直接相加了：每个值应先乘以它的权重。</translation>
    </message>
    <message>
        <source>Rows of X were multiplied by rows of W: it has to be X·W, with the columns of W.</source>
        <translation>用 X 的行乘了 W 的行：应为 X·W，即与 W 的列相乘。</translation>
    </message>
    <message>
        <source>Queries and keys were exchanged: rows belong to the queries and columns to the keys, Q·Kᵀ.</source>
        <translation>查询与键颠倒了：行对应查询，列对应键，即 Q·Kᵀ。</translation>
    </message>
    <message>
        <source>A column of the weights was taken: the values are weighted by the row of their query.</source>
        <translation>取的是权重的一列：应按该查询所在的那一行对值加权。</translation>
    </message>
    <message>
        <source>The scores were divided by the root of the width of all heads: each head has d_k columns only.</source>
        <translation>分数除以了所有头总宽度的平方根：每个头只有 d_k 列。</translation>
    </message>
    <message>
        <source>The scores were divided by d_k: it has to be its square root, √d_k.</source>
        <translation>分数除以了 d_k：应除以它的平方根 √d_k。</translation>
    </message>
    <message>
        <source>The scores were multiplied by √d_k: they have to be divided by it.</source>
        <translation>分数乘以了 √d_k：应当除以它。</translation>
    </message>
    <message>
        <source>The scale came after the mask or bias that is added: it has to come before, on the scores alone.</source>
        <translation>缩放放在了加性掩码或偏置之后：应在此之前，只对分数缩放。</translation>
    </message>
    <message>
        <source>The softmax went down the columns: each row, the keys of one query, has to add up to 1.</source>
        <translation>softmax 按列做了：应让每一行（同一个查询的所有键）之和为 1。</translation>
    </message>
    <message>
        <source>These are the powers of e alone: each has to be divided by Z, the sum of its row.</source>
        <translation>这只是 e 的幂本身：每一项还要除以 Z，即该行各幂之和。</translation>
    </message>
    <message>
        <source>The scores were divided by their own sum: the softmax takes e to each score first.</source>
        <translation>分数直接除以了它们的和：softmax 要先对每个分数取指数。</translation>
    </message>
    <message>
        <source>e to a very large score overflows (and to a very small one vanishes): take the row&apos;s largest score off first, the shares stay the same.</source>
        <translation>分数很大时，e 的幂会溢出（很小时则变为 0）：先减去该行的最大分数，权重不变。</translation>
    </message>
    <message>
        <source>The mask was added to the scores as 0 and 1: what is added is 0 for an open key, −∞ for a closed one.</source>
        <translation>掩码以 0 和 1 加到了分数上：开放的键应加 0，被屏蔽的键应加 −∞。</translation>
    </message>
    <message>
        <source>The causal mask closed one key too many: a query sees the key at its own position, too.</source>
        <translation>因果掩码多屏蔽了一个键：查询也能看到自己位置上的键。</translation>
    </message>
    <message>
        <source>The causal mask left one key too many open: a query sees none after its own position.</source>
        <translation>因果掩码多开放了一个键：查询看不到自己位置之后的键。</translation>
    </message>
    <message>
        <source>The heads were cut by view or reshape alone, which mixes tokens: split the columns of each row into heads, then exchange the axes of tokens and heads.</source>
        <translation>拆分多头时只用了 view 或 reshape，混淆了不同的词元：应先把每一行的列拆成各个头，再交换词元轴与头轴。</translation>
    </message>
    <message>
        <source>The heads were put together by view or reshape alone: exchange the axes of heads and tokens first, so that each row holds all heads of its token.</source>
        <translation>合并多头时只用了 view 或 reshape：应先交换头轴与词元轴，使每一行包含该词元的所有头。</translation>
    </message>
    <message>
        <source>The shared K/V heads were tiled, 0 1 0 1: each has to be repeated for its own group of query heads, 0 0 1 1.</source>
        <translation>共享的键值头按 0 1 0 1 平铺了：应让每个键值头在自己那一组查询头中重复，即 0 0 1 1。</translation>
    </message>
    <message>
        <source>The softmax went over the heads: each row of a head, the keys of one query, has to add up to 1.</source>
        <translation>softmax 在各头之间计算了：应使每个头中每一行（一个查询的所有键）之和为 1。</translation>
    </message>
    <message>
        <source>This comes from the mean of the weights over the heads, as nn.MultiheadAttention returns it: each head has weights of its own.</source>
        <translation>这里用了各头权重的平均（nn.MultiheadAttention 默认返回它）：每个头有自己的权重。</translation>
    </message>
    <message>
        <source>The rows of X were weighted themselves: the values V = X·W_V have to be computed first.</source>
        <translation>直接对 X 的行加权求和了：应先计算值 V = X·W_V。</translation>
    </message>
    <message>
        <source>The rotation paired neighboring columns, (0, 1), (2, 3) …: here each column turns with the one half a head further on, (0, d_k/2) …</source>
        <translation>旋转时把相邻的列配成了一对，即 (0, 1)、(2, 3)……：这里每一列与相隔半个头的列配对，即 (0, d_k/2)……</translation>
    </message>
    <message>
        <source>The root was forgotten: this is the number under it.</source>
        <translation>忘了开平方：这是根号下的数。</translation>
    </message>
    <message>
        <source>This is one over the root: the root itself is asked for.</source>
        <translation>这是平方根的倒数：题目要的是平方根本身。</translation>
    </message>
    <message>
        <source>The scores were taken as they are: the softmax makes each row of them weights that add up to 1.</source>
        <translation>直接用了分数：还要对每一行做 softmax，得到和为 1 的权重。</translation>
    </message>
    <message>
        <source>This is 1/0.9 of the right number: dropout (p = 0.1) was left on, which enlarges what it keeps.</source>
        <translation>这是正确结果的 1/0.9 倍：dropout（p = 0.1）没有关闭，它会放大保留下来的权重。</translation>
    </message>
    <message>
        <source>K not transposed</source>
        <translation>K 没有转置</translation>
    </message>
    <message>
        <source>Q and K exchanged</source>
        <translation>Q 与 K 弄反</translation>
    </message>
    <message>
        <source>no scaling</source>
        <translation>忘记缩放</translation>
    </message>
    <message>
        <source>The scores were not scaled: before the softmax each is divided by √d_k, or multiplied by a scale that is given.</source>
        <translation>分数没有缩放：softmax 之前每个分数要除以 √d_k；另外给出缩放系数时，乘以该系数。</translation>
    </message>
    <message>
        <source>divided by {d_k}, not √{d_k}</source>
        <translation>除以 {d_k} 而非 √{d_k}</translation>
    </message>
    <message>
        <source>normalized by column</source>
        <translation>按列归一化</translation>
    </message>
    <message>
        <source>not divided by the sum</source>
        <translation>没有除以行和</translation>
    </message>
    <message>
        <source>no exponential</source>
        <translation>没有取指数</translation>
    </message>
    <message>
        <source>mask the wrong way round</source>
        <translation>掩码弄反</translation>
    </message>
    <message>
        <source>masked with 0, not −∞</source>
        <translation>用 0 而非 −∞ 屏蔽</translation>
    </message>
    <message>
        <source>mask after the softmax</source>
        <translation>在 softmax 之后才加掩码</translation>
    </message>
</context>
<context>
    <name>ModelController</name>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Copied. Let the line run in a terminal, then open the model again; the window can stay.</source>
        <translation>已复制。在终端中运行这一行，然后再打开该模型；不必关闭窗口。</translation>
    </message>
    <message>
        <source>Copy the line</source>
        <translation>复制这一行</translation>
    </message>
</context>
<context>
    <name>ModelRunController</name>
    <message>
        <source>{name}: {family}, {layers} layers of {heads} heads</source>
        <translation>{name}：{family}，{layers} 层，每层 {heads} 个头</translation>
    </message>
    <message>
        <source>their weights</source>
        <translation>注意力权重</translation>
    </message>
    <message>
        <source>Embedding of the text, now and before: cosine {cosine}</source>
        <translation>文本的嵌入，现在与之前：余弦 {cosine}</translation>
    </message>
    <message>
        <source>Embeddings of both texts: cosine {cosine}</source>
        <translation>两段文本的嵌入：余弦 {cosine}</translation>
    </message>
    <message>
        <source>After “{token}”</source>
        <translation>“{token}”之后</translation>
    </message>
    <message>
        <source>In the place of “{token}”</source>
        <translation>“{token}”处</translation>
    </message>
</context>
<context>
    <name>ModelSteps</name>
    <message>
        <source>“{step}” is still being computed: wait for it, or stop it with Esc.</source>
        <translation>“{step}”仍在计算：请稍候，或按 Esc 停止。</translation>
    </message>
    <message>
        <source>“{step}” was dropped: the problem was changed while it was computed.</source>
        <translation>已放弃“{step}”：计算期间算例已被修改。</translation>
    </message>
</context>
<context>
    <name>ModelView</name>
    <message>
        <source>Changed in the model</source>
        <translation>模型中的改动</translation>
    </message>
    <message>
        <source>Nothing is changed by hand</source>
        <translation>没有手动修改</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;Text</source>
        <translation>文本(&amp;T)</translation>
    </message>
    <message>
        <source>Text that the model reads</source>
        <translation>模型读入的文本</translation>
    </message>
    <message>
        <source>Text that the model reads; Enter runs it</source>
        <translation>模型读入的文本；按 Enter 运行</translation>
    </message>
    <message>
        <source>&amp;Second text</source>
        <translation>第二段文本(&amp;S)</translation>
    </message>
    <message>
        <source>Text to compare with</source>
        <translation>用于比较的文本</translation>
    </message>
    <message>
        <source>Text to compare with and to patch into the first; empty for none</source>
        <translation>用于比较并做激活修补的文本；不用则留空</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Let the model read the text</source>
        <translation>让模型读入这段文本</translation>
    </message>
    <message>
        <source>Heads &amp;by</source>
        <translation>各头显示(&amp;B)</translation>
    </message>
    <message>
        <source>Switch the head &amp;on again</source>
        <translation>重新打开该头(&amp;O)</translation>
    </message>
    <message>
        <source>Switch the head &amp;off</source>
        <translation>关闭该头(&amp;O)</translation>
    </message>
    <message>
        <source>Switch the la&amp;yer&apos;s heads on again</source>
        <translation>重新打开本层所有头(&amp;Y)</translation>
    </message>
    <message>
        <source>Switch the la&amp;yer&apos;s heads off</source>
        <translation>关闭本层所有头(&amp;Y)</translation>
    </message>
    <message>
        <source>What is shown of every head</source>
        <translation>每个头显示的内容</translation>
    </message>
    <message>
        <source>Small maps of the weights, or one number for every head</source>
        <translation>注意力权重的缩略图，或每个头一个数</translation>
    </message>
    <message>
        <source>Leave the result of the head on show as computed</source>
        <translation>让所示头的结果恢复为计算值</translation>
    </message>
    <message>
        <source>Multiply the result of the head on show by 0</source>
        <translation>将所示头的结果乘以 0</translation>
    </message>
    <message>
        <source>Leave the results of all heads of the layer on the table as computed</source>
        <translation>让表格中这一层所有头的结果恢复为计算值</translation>
    </message>
    <message>
        <source>Multiply the results of all heads of the layer on the table by 0</source>
        <translation>将表格中这一层所有头的结果乘以 0</translation>
    </message>
    <message>
        <source>Space switches a row, Enter goes to its layer, Delete removes it</source>
        <translation>空格键开关一行，Enter 转到所在的层，Delete 删除</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>Induction toy: predicts letters</source>
        <translation>归纳玩具模型：预测字母</translation>
    </message>
    <message>
        <source>Comes along: after a letter that it has seen before, it predicts what followed it then</source>
        <translation>随程序附带：遇到出现过的字母时，预测当时跟在它后面的字母</translation>
    </message>
    <message>
        <source>MiniLM: embeds sentences</source>
        <translation>MiniLM：句子嵌入</translation>
    </message>
    <message>
        <source>A BERT of 6 layers: turns a sentence into a vector, alike for alike meanings</source>
        <translation>6 层的 BERT：把句子变成向量，意思相近则向量相近</translation>
    </message>
    <message>
        <source>SmolLM2: predicts words</source>
        <translation>SmolLM2：预测下一个词</translation>
    </message>
    <message>
        <source>A Llama of 30 layers: says which word comes next; its first opening takes a while</source>
        <translation>30 层的 Llama：给出下一个词；第一次打开需要一些时间</translation>
    </message>
</context>
<context>
    <name>ModelsAtHand</name>
    <message>
        <source>not installed</source>
        <translation>未安装</translation>
    </message>
</context>
<context>
    <name>Names</name>
    <message>
        <source>Query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>A row for each query: what it looks for among the keys</source>
        <translation>每行是一个查询：它与所有的键比较，决定关注谁</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>A row for each key: what the queries are compared with</source>
        <translation>每行是一个键：供查询与之比较，得到注意力分数</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>A row for each key: what a query takes from it, by its weight</source>
        <translation>每行是与一个键配对的值：按注意力权重加权求和，得到输出</translation>
    </message>
    <message>
        <source>Rotated query</source>
        <translation>旋转后的查询</translation>
    </message>
    <message>
        <source>Rotated key</source>
        <translation>旋转后的键</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>注意力分数</translation>
    </message>
    <message>
        <source>Scaled scores</source>
        <translation>缩放后的分数</translation>
    </message>
    <message>
        <source>Capped scores</source>
        <translation>软上限后的分数</translation>
    </message>
    <message>
        <source>Biased scores</source>
        <translation>加偏置后的分数</translation>
    </message>
    <message>
        <source>Masked scores</source>
        <translation>掩码后的分数</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>注意力权重</translation>
    </message>
    <message>
        <source>Head output</source>
        <translation>单头输出</translation>
    </message>
    <message>
        <source>Concatenated heads</source>
        <translation>拼接</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Residual</source>
        <translation>残差连接</translation>
    </message>
    <message>
        <source>Block output</source>
        <translation>块输出</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Second sequence</source>
        <translation>第二个序列</translation>
    </message>
    <message>
        <source>Query projection</source>
        <translation>查询投影</translation>
    </message>
    <message>
        <source>Key projection</source>
        <translation>键投影</translation>
    </message>
    <message>
        <source>Value projection</source>
        <translation>值投影</translation>
    </message>
    <message>
        <source>Output projection</source>
        <translation>输出投影</translation>
    </message>
    <message>
        <source>Query bias</source>
        <translation>查询偏置</translation>
    </message>
    <message>
        <source>Key bias</source>
        <translation>键偏置</translation>
    </message>
    <message>
        <source>Value bias</source>
        <translation>值偏置</translation>
    </message>
    <message>
        <source>Output bias</source>
        <translation>输出偏置</translation>
    </message>
    <message>
        <source>Score weights of the query</source>
        <translation>查询的评分权重</translation>
    </message>
    <message>
        <source>Score weights of the key</source>
        <translation>键的评分权重</translation>
    </message>
    <message>
        <source>Score weights of the hidden units</source>
        <translation>隐藏单元的评分权重</translation>
    </message>
    <message>
        <source>LayerNorm weight</source>
        <translation>层归一化的缩放</translation>
    </message>
    <message>
        <source>without scaling</source>
        <translation>无缩放</translation>
    </message>
    <message>
        <source>with scaling</source>
        <translation>有缩放</translation>
    </message>
    <message>
        <source>without the mask</source>
        <translation>无掩码</translation>
    </message>
    <message>
        <source>with the mask</source>
        <translation>有掩码</translation>
    </message>
    <message>
        <source>LayerNorm bias</source>
        <translation>层归一化的平移</translation>
    </message>
    <message>
        <source>Linear weight</source>
        <translation>线性层权重</translation>
    </message>
    <message>
        <source>Linear bias</source>
        <translation>线性层偏置</translation>
    </message>
    <message>
        <source>Allowed cells of mask layer {k}</source>
        <translation>掩码层 {k} 的开放单元格</translation>
    </message>
    <message>
        <source>Values of mask layer {k}</source>
        <translation>掩码层 {k} 的数值</translation>
    </message>
    <message>
        <source>position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>score</source>
        <translation>评分函数</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>softcap</source>
        <translation>软上限</translation>
    </message>
    <message>
        <source>bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>normalize</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>concat</source>
        <translation>拼接</translation>
    </message>
    <message>
        <source>project</source>
        <translation>投影</translation>
    </message>
    <message>
        <source>add</source>
        <translation>相加</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>线性</translation>
    </message>
    <message>
        <source>layer norm</source>
        <translation>层归一化</translation>
    </message>
    <message>
        <source>without head {head}</source>
        <translation>关闭头 {head}</translation>
    </message>
    <message>
        <source>with head {head}</source>
        <translation>保留头 {head}</translation>
    </message>
    <message>
        <source>without what was set by hand</source>
        <translation>无手动修改</translation>
    </message>
    <message>
        <source>with what was set by hand</source>
        <translation>有手动修改</translation>
    </message>
    <message>
        <source>Value-weighted attention</source>
        <translation>值加权注意力</translation>
    </message>
    <message>
        <source>Head contribution</source>
        <translation>单头贡献</translation>
    </message>
    <message>
        <source>Numbers of intervention {k}</source>
        <translation>干预 {k} 的数值</translation>
    </message>
    <message>
        <source>Normalized query</source>
        <translation>归一化后的查询</translation>
    </message>
    <message>
        <source>Normalized key</source>
        <translation>归一化后的键</translation>
    </message>
    <message>
        <source>Normalized</source>
        <translation>层归一化</translation>
    </message>
    <message>
        <source>Up</source>
        <translation>升维</translation>
    </message>
    <message>
        <source>up</source>
        <translation>升维</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>门控</translation>
    </message>
    <message>
        <source>gate</source>
        <translation>门控</translation>
    </message>
    <message>
        <source>Activated</source>
        <translation>激活结果</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Down</source>
        <translation>降维</translation>
    </message>
    <message>
        <source>down</source>
        <translation>降维</translation>
    </message>
    <message>
        <source>Block residual</source>
        <translation>块内残差连接</translation>
    </message>
    <message>
        <source>Query norm weight</source>
        <translation>查询归一化的缩放</translation>
    </message>
    <message>
        <source>Key norm weight</source>
        <translation>键归一化的缩放</translation>
    </message>
    <message>
        <source>Rotary frequencies</source>
        <translation>旋转频率</translation>
    </message>
    <message>
        <source>Attention sink</source>
        <translation>注意力汇点</translation>
    </message>
    <message>
        <source>Norm 1 weight</source>
        <translation>归一化 1 的缩放</translation>
    </message>
    <message>
        <source>Norm 1 bias</source>
        <translation>归一化 1 的平移</translation>
    </message>
    <message>
        <source>Norm 2 weight</source>
        <translation>归一化 2 的缩放</translation>
    </message>
    <message>
        <source>Norm 2 bias</source>
        <translation>归一化 2 的平移</translation>
    </message>
    <message>
        <source>Up projection</source>
        <translation>升维投影</translation>
    </message>
    <message>
        <source>Up bias</source>
        <translation>升维偏置</translation>
    </message>
    <message>
        <source>Gate projection</source>
        <translation>门控投影</translation>
    </message>
    <message>
        <source>Gate bias</source>
        <translation>门控偏置</translation>
    </message>
    <message>
        <source>Down projection</source>
        <translation>降维投影</translation>
    </message>
    <message>
        <source>Down bias</source>
        <translation>降维偏置</translation>
    </message>
    <message>
        <source>Normalized sequence</source>
        <translation>归一化后的序列</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>归一化层</translation>
    </message>
    <message>
        <source>Normalized second sequence</source>
        <translation>归一化后的第二个序列</translation>
    </message>
    <message>
        <source>Layer {layer}</source>
        <translation>第 {layer} 层</translation>
    </message>
    <message>
        <source>Weights, mean over heads</source>
        <translation>各头权重的平均</translation>
    </message>
    <message>
        <source>Weights, largest over heads</source>
        <translation>各头权重的最大值</translation>
    </message>
    <message>
        <source>With / without scaling</source>
        <translation>有 / 无缩放</translation>
    </message>
    <message>
        <source>With / without the mask</source>
        <translation>有 / 无掩码</translation>
    </message>
    <message>
        <source>With / without head {head}</source>
        <translation>保留 / 关闭头 {head}</translation>
    </message>
    <message>
        <source>With / without what was set by hand</source>
        <translation>有 / 无手动修改</translation>
    </message>
    <message>
        <source>query {row}</source>
        <translation>查询 {row}</translation>
    </message>
    <message>
        <source>key {column}</source>
        <translation>键 {column}</translation>
    </message>
    <message>
        <source>Value through the output projection</source>
        <translation>经输出投影的值</translation>
    </message>
    <message>
        <source>Length of a value through the output projection</source>
        <translation>经输出投影的值的范数</translation>
    </message>
</context>
<context>
    <name>NewDialog</name>
    <message>
        <source>New problem</source>
        <translation>新建算例</translation>
    </message>
    <message>
        <source>Q, K, V directly</source>
        <translation>直接给出 Q、K、V</translation>
    </message>
    <message>
        <source>Self-attention from X</source>
        <translation>由 X 计算自注意力</translation>
    </message>
    <message>
        <source>Cross-attention from X and a second sequence X₂</source>
        <translation>由 X 和第二个序列 X₂ 计算交叉注意力</translation>
    </message>
    <message>
        <source>queries n</source>
        <translation>查询 n</translation>
    </message>
    <message>
        <source>keys m</source>
        <translation>键 m</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>filled with</source>
        <translation>初始值</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>d_model, all heads</source>
        <translation>d_model（所有头）</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>句子</translation>
    </message>
    <message>
        <source>d_k, width of a query and a key in one head</source>
        <translation>d_k，一个头中查询和键的宽度</translation>
    </message>
    <message>
        <source>d_v, width of a value in one head</source>
        <translation>d_v，一个头中值的宽度</translation>
    </message>
    <message>
        <source>d_model, width of all heads together</source>
        <translation>d_model，所有头的总宽度</translation>
    </message>
    <message>
        <source>small integers</source>
        <translation>小整数</translation>
    </message>
    <message>
        <source>random numbers</source>
        <translation>随机数</translation>
    </message>
    <message>
        <source>identity</source>
        <translation>单位矩阵</translation>
    </message>
    <message>
        <source>zeros</source>
        <translation>零</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Every query may read every key</source>
        <translation>每个查询都可以看所有的键</translation>
    </message>
    <message>
        <source>Its tokens set n and name the rows</source>
        <translation>其词元决定 n，并作为各行的名称</translation>
    </message>
    <message>
        <source>d_model = heads · dₖ: once it is typed, dₖ follows; of an X both can be typed</source>
        <translation>d_model = 头数 · dₖ：输入后 dₖ 随之变化；有 X 时两者都可以输入</translation>
    </message>
    <message>
        <source>d_model = heads · dₖ = {heads} · {d_k}. Scores of each head: {n} × {m}. Output: {n} × {width}.</source>
        <translation>d_model = 头数 · dₖ = {heads} · {d_k}。每个头的分数：{n} × {m}。输出：{n} × {width}。</translation>
    </message>
    <message>
        <source>X is {d_model} wide. Scores of each head, dₖ = {d_k}: {n} × {m}. Output: {n} × {width}.</source>
        <translation>X 宽 {d_model}。每个头的分数（dₖ = {d_k}）：{n} × {m}。输出：{n} × {width}。</translation>
    </message>
    <message>
        <source>{count} tokens for {n} rows: the last {left} are left out.</source>
        <translation>{n} 行有 {count} 个词元；最后 {left} 个不用。</translation>
    </message>
    <message>
        <source>The same seed gives the same numbers again</source>
        <translation>随机种子相同，得到的数也相同</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>{heads} heads cannot share d_model = {width} evenly.</source>
        <translation>{heads} 个头无法平分 d_model = {width}。</translation>
    </message>
    <message>
        <source>d_model = {width} takes at least {heads} heads, as dₖ is at most {most}.</source>
        <translation>dₖ 最大为 {most}，因此 d_model = {width} 至少需要 {heads} 个头。</translation>
    </message>
    <message>
        <source>In self-attention the keys are the rows of X too</source>
        <translation>自注意力中，键也来自 X 的各行</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>As wide as dₖ until it is typed</source>
        <translation>未输入时与 dₖ 同宽</translation>
    </message>
</context>
<context>
    <name>NextBand</name>
    <message>
        <source>Next lesson · about {minutes} min</source>
        <translation>下一课 · 约 {minutes} 分钟</translation>
    </message>
</context>
<context>
    <name>Normalizers</name>
    <message>
        <source>softmax</source>
        <translation>softmax</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>φ / Σ φ</source>
        <translation>φ / Σ φ</translation>
    </message>
    <message>
        <source>sigmoid</source>
        <translation>sigmoid</translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>A number above 0 is needed. Esc keeps {old}.</source>
        <translation>需要大于 0 的数。按 Esc 保留 {old}。</translation>
    </message>
    <message>
        <source>A finite number is needed. Esc keeps {old}.</source>
        <translation>需要有限的数。按 Esc 保留 {old}。</translation>
    </message>
</context>
<context>
    <name>PageCanvas</name>
    <message>
        <source>Drawn from the present numbers, as they are after every edit; rest on a mark to read it</source>
        <translation>根据当前的数绘制，每次编辑后随之更新；将指针停在图形上可读出数值</translation>
    </message>
    <message>
        <source>Drawn from the present numbers, as they are after every edit; rest on a curve to read its points, turn the wheel or press + and − to zoom it, drag to move it, double-click or press 0 to see all of it</source>
        <translation>根据当前的数绘制，每次编辑后随之更新；将指针停在曲线上可读出各点的数值，滚动滚轮或按 + 和 − 缩放，拖动可平移，双击或按 0 显示全部</translation>
    </message>
</context>
<context>
    <name>Pages</name>
    <message>
        <source>Regression curve</source>
        <translation>回归曲线</translation>
    </message>
    <message>
        <source>Needs keys and values of one column, as in the Nadaraya–Watson example</source>
        <translation>需要只有一列的键和值，如 Nadaraya–Watson 示例</translation>
    </message>
    <message>
        <source>keys and their values</source>
        <translation>键及其值</translation>
    </message>
    <message>
        <source>output for every query</source>
        <translation>各查询的输出</translation>
    </message>
    <message>
        <source>query, key</source>
        <translation>查询、键</translation>
    </message>
    <message>
        <source>value, output</source>
        <translation>值、输出</translation>
    </message>
    <message>
        <source>{points} points, {queries} queries</source>
        <translation>{points} 个点，{queries} 个查询</translation>
    </message>
    <message>
        <source>query {row}: {query} → {output}</source>
        <translation>查询 {row}：{query} → {output}</translation>
    </message>
    <message>
        <source>Head contributions</source>
        <translation>各头的贡献</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Head contributions, query {query}</source>
        <translation>各头的贡献，查询 {query}</translation>
    </message>
    <message>
        <source>The sum of the parts differs from the output Y by at most {difference}; its largest cell is {largest}.</source>
        <translation>各部分之和与输出 Y 最多相差 {difference}；Y 中绝对值最大的元素为 {largest}。</translation>
    </message>
    <message>
        <source>The parts add up to the output Y, to the last bit.</source>
        <translation>各部分之和与输出 Y 逐位相等。</translation>
    </message>
    <message>
        <source>{percent} of Y</source>
        <translation>占 Y 的 {percent}</translation>
    </message>
    <message>
        <source>share of Y</source>
        <translation>占 Y 的比例</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>范数</translation>
    </message>
    <message>
        <source>the chosen cell</source>
        <translation>所选单元格</translation>
    </message>
    <message>
        <source>the chosen weight</source>
        <translation>所选权重</translation>
    </message>
    <message>
        <source>the largest weight</source>
        <translation>最大权重</translation>
    </message>
    <message>
        <source>norm of the head&apos;s output</source>
        <translation>该头输出的范数</translation>
    </message>
    <message>
        <source>variance of the scores</source>
        <translation>分数的方差</translation>
    </message>
    <message>
        <source>variance of what enters the softmax</source>
        <translation>softmax 输入的方差</translation>
    </message>
    <message>
        <source>saturation ‖diag(a) − aaᵀ‖</source>
        <translation>饱和度 ‖diag(a) − aaᵀ‖</translation>
    </message>
    <message>
        <source>gradient of the chosen weight, ‖∂a/∂q‖</source>
        <translation>所选权重的梯度 ‖∂a/∂q‖</translation>
    </message>
    <message>
        <source>Sweep: {quantity}</source>
        <translation>参数扫描：{quantity}</translation>
    </message>
    <message>
        <source>{reading}: {value} at {quantity} = {number}</source>
        <translation>{quantity} = {number} 时，{reading}：{value}</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>A: keys →, queries ↓</source>
        <translation>A：键 →，查询 ↓</translation>
    </message>
    <message>
        <source>curve and maps</source>
        <translation>曲线和热图</translation>
    </message>
    <message>
        <source>the curve alone</source>
        <translation>只有曲线</translation>
    </message>
    <message>
        <source>the maps alone</source>
        <translation>只有热图</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>The first state that is shown; of two the one that is subtracted</source>
        <translation>显示的第一个状态；只有两个时，它是减数</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <source>Sweep, a picture for each value</source>
        <translation>参数扫描，每个取值一张图</translation>
    </message>
    <message>
        <source>what runs</source>
        <translation>变化的量</translation>
    </message>
    <message>
        <source>The number that is moved; the problem itself stays as it is</source>
        <translation>让哪个数变化；算例本身保持不变</translation>
    </message>
    <message>
        <source>The first value that it takes</source>
        <translation>它取的第一个值</translation>
    </message>
    <message>
        <source>The last value that it takes</source>
        <translation>它取的最后一个值</translation>
    </message>
    <message>
        <source>values</source>
        <translation>取值个数</translation>
    </message>
    <message>
        <source>How many values are computed from the first to the last</source>
        <translation>从第一个到最后一个共计算多少个值</translation>
    </message>
    <message>
        <source>what is read</source>
        <translation>读数</translation>
    </message>
    <message>
        <source>What the curve shows at each value</source>
        <translation>曲线在每个值处画什么</translation>
    </message>
    <message>
        <source>The curve, the maps at each value, or both</source>
        <translation>只画曲线、只画各个值处的图，或两者都画</translation>
    </message>
    <message>
        <source>The value whose map is framed, and at which the curve is read</source>
        <translation>加框的是哪个值处的图，也在该值处读曲线</translation>
    </message>
    <message>
        <source>ranked</source>
        <translation>排名</translation>
    </message>
    <message>
        <source>as maps</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>Heads that matter</source>
        <translation>重要的头</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Change of the logit of {name} without a head</source>
        <translation>去掉一个头后 {name} 的 logit 的变化</translation>
    </message>
    <message>
        <source>each head off in turn</source>
        <translation>逐个关闭各头</translation>
    </message>
    <message>
        <source>−Σ gradient · result</source>
        <translation>−Σ 梯度 · 输出</translation>
    </message>
    <message>
        <source>value</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Value-weighted attention</source>
        <translation>值加权注意力</translation>
    </message>
    <message>
        <source>X and the output of the layer</source>
        <translation>X 与该层的输出</translation>
    </message>
    <message>
        <source>V and the result of the head</source>
        <translation>V 与该头的结果</translation>
    </message>
    <message>
        <source>Meaning before and after</source>
        <translation>注意力前后的语义</translation>
    </message>
    <message>
        <source>Needs self-attention: every query is a key, too</source>
        <translation>需要自注意力：每个查询同时也是键</translation>
    </message>
    <message>
        <source>compared</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Which vectors of the tokens are compared by their cosines, before and after attention</source>
        <translation>用余弦比较词元的哪些向量，注意力之前与之后</translation>
    </message>
    <message>
        <source>Cosine between tokens: 1 is the same direction, 0 nothing in common</source>
        <translation>词元之间的余弦相似度：1 表示方向相同，0 表示正交</translation>
    </message>
    <message>
        <source>before: {name}</source>
        <translation>之前：{name}</translation>
    </message>
    <message>
        <source>after: {name}</source>
        <translation>之后：{name}</translation>
    </message>
    <message>
        <source>after − before</source>
        <translation>之后 − 之前</translation>
    </message>
    <message>
        <source>token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Mean cosine of two different tokens: {before} before, {after} after.</source>
        <translation>不同词元之间的平均余弦：之前 {before}，之后 {after}。</translation>
    </message>
    <message>
        <source>Most like “{token}” before: {before}; after: {after}.</source>
        <translation>与“{token}”最相似的词元，之前：{before}；之后：{after}。</translation>
    </message>
    <message>
        <source>Tokens {first} to {last} of {count}.</source>
        <translation>共 {count} 个词元，所示为第 {first} 至 {last} 个。</translation>
    </message>
    <message>
        <source>all heads</source>
        <translation>所有头</translation>
    </message>
    <message>
        <source>the head on show</source>
        <translation>当前头</translation>
    </message>
    <message>
        <source>Relations between tokens</source>
        <translation>词元之间的关系</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头</translation>
    </message>
    <message>
        <source>Lines of all heads, each in its own color, or of the head on show alone</source>
        <translation>画出所有头的连线，每个头一种颜色，或只画所选的头</translation>
    </message>
    <message>
        <source>weight at least</source>
        <translation>权重不小于</translation>
    </message>
    <message>
        <source>Smaller weights are drawn as no line</source>
        <translation>权重小于它时不画连线</translation>
    </message>
    <message>
        <source>lines a query</source>
        <translation>每个查询的连线数</translation>
    </message>
    <message>
        <source>At most so many lines from each query, its largest weights</source>
        <translation>每个查询最多画这么多条连线，取最大的权重</translation>
    </message>
    <message>
        <source>Every query on the left looks at keys on the right</source>
        <translation>左侧每个查询关注右侧的键</translation>
    </message>
    <message>
        <source>“{token}” (query {query}) looks at the keys on the right</source>
        <translation>“{token}”（查询 {query}）关注右侧的键</translation>
    </message>
    <message>
        <source>The {lines} lines carry {percent} % of the weight of the queries shown.</source>
        <translation>{lines} 条连线占所示查询全部权重的 {percent} %。</translation>
    </message>
    <message>
        <source>Queries {first} to {last} of {count}.</source>
        <translation>共 {count} 个查询，所示为第 {first} 至 {last} 个。</translation>
    </message>
    <message>
        <source>The first {kept} of {count} keys.</source>
        <translation>共 {count} 个键，所示为前 {kept} 个。</translation>
    </message>
    <message>
        <source>Of {count} keys the {kept} that these lines lead to most.</source>
        <translation>共 {count} 个键，所示为这些连线最集中的 {kept} 个。</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Average pooling</source>
        <translation>平均汇聚</translation>
    </message>
    <message>
        <source>Dot product q · k</source>
        <translation>点积 q · k</translation>
    </message>
    <message>
        <source>not drawn</source>
        <translation>不画</translation>
    </message>
    <message>
        <source>Ways to pool</source>
        <translation>各种汇聚方式</translation>
    </message>
    <message>
        <source>true function</source>
        <translation>真实函数</translation>
    </message>
    <message>
        <source>The curve behind the points, to compare the answers with</source>
        <translation>生成这些点的曲线，用来与各种回答比较</translation>
    </message>
    <message>
        <source>MSE {error}</source>
        <translation>均方误差 {error}</translation>
    </message>
    <message>
        <source>Points: keys and their values. Line: output for every query. Dashed: {function}, the function of this textbook example, which explains {percent} % of the variance of the values; MSE: mean squared distance from it at the queries.</source>
        <translation>点：键及其值。线：每个查询的输出。虚线：{function}，即教材例子中的真实函数，可解释值的方差的 {percent} %；均方误差是各查询处与它的距离平方的平均。</translation>
    </message>
    <message>
        <source>Points: keys and their values. Line: output for every query.</source>
        <translation>点：键及其值。线：每个查询的输出。</translation>
    </message>
    <message>
        <source>Retrieval</source>
        <translation>检索</translation>
    </message>
    <message>
        <source>keys by name</source>
        <translation>列出的键数</translation>
    </message>
    <message>
        <source>Compared with every key, then the values are mixed by the weights</source>
        <translation>先与每个键比较，再按权重混合各个值</translation>
    </message>
    <message>
        <source>Retrieval, query {query}</source>
        <translation>检索，查询 {query}</translation>
    </message>
    <message>
        <source>How many keys have a row of their own, largest weights first; the rest are one row</source>
        <translation>多少个键单独占一行，权重大的在前；其余的合为一行</translation>
    </message>
    <message>
        <source>Of {count} columns the {shown} of largest magnitude.</source>
        <translation>共 {count} 列，所示为绝对值最大的 {shown} 列。</translation>
    </message>
    <message>
        <source>The parts add up to the result O, to the last bit.</source>
        <translation>各部分之和与结果 O 逐位相同。</translation>
    </message>
    <message>
        <source>The sum of the parts differs from the result O by at most {difference}.</source>
        <translation>各部分之和与结果 O 至多相差 {difference}。</translation>
    </message>
    <message>
        <source>{count} others</source>
        <translation>其余 {count} 个</translation>
    </message>
    <message>
        <source>O = Σ a · v, column by column</source>
        <translation>O = Σ a · v，逐列</translation>
    </message>
    <message>
        <source>RNN, CNN and attention</source>
        <translation>RNN、CNN 与注意力</translation>
    </message>
    <message>
        <source>Needs self-attention over one sequence: every query is a key, too</source>
        <translation>需要单个序列上的自注意力：每个查询同时也是键</translation>
    </message>
    <message>
        <source>convolutions</source>
        <translation>卷积层数</translation>
    </message>
    <message>
        <source>How many layers of convolution are stacked: each reaches one neighbor farther</source>
        <translation>堆叠多少层卷积：每多一层，向两侧各多看一个</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Other random weights for the RNN and the convolutions</source>
        <translation>为 RNN 和卷积换一组随机权重</translation>
    </message>
    <message>
        <source>RNN</source>
        <translation>循环神经网络</translation>
    </message>
    <message>
        <source>CNN × {layers}</source>
        <translation>卷积 × {layers}</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>‖∂y_i/∂x_j‖: how much output i moves with input j</source>
        <translation>‖∂y_i/∂x_j‖：输出 i 随输入 j 变化的程度</translation>
    </message>
    <message>
        <source>output i</source>
        <translation>输出 i</translation>
    </message>
    <message>
        <source>input j</source>
        <translation>输入 j</translation>
    </message>
    <message>
        <source>multiplications</source>
        <translation>乘法次数</translation>
    </message>
    <message>
        <source>steps in sequence</source>
        <translation>顺序操作数</translation>
    </message>
    <message>
        <source>longest path</source>
        <translation>最长路径</translation>
    </message>
    <message>
        <source>last by first token</source>
        <translation>末词元对首词元</translation>
    </message>
    <message>
        <source>Below the numbers the orders of “Attention Is All You Need”, table 1. Costs are for {n} tokens of {d} numbers and layers as wide; the RNN and the CNN (width 3) drawn here have {channels} seeded channels.</source>
        <translation>数字下方是论文 “Attention Is All You Need” 表 1 给出的复杂度的阶。开销按 {n} 个词元、每个词元 {d} 个数、各层同宽来计算；图中的循环神经网络与卷积（核宽 3）各有 {channels} 个由随机种子生成的通道。</translation>
    </message>
    <message>
        <source>This many convolutions do not connect both ends; {needed} would.</source>
        <translation>这些卷积层尚不能连通首尾；需要 {needed} 层。</translation>
    </message>
    <message>
        <source>Attention with this mask does not join both ends, however many its layers are.</source>
        <translation>带此掩码的注意力无论叠多少层都不能连通首尾。</translation>
    </message>
    <message>
        <source>One layer of attention with this mask does not join both ends; {needed} would.</source>
        <translation>带此掩码的一层注意力尚不能连通首尾；需要 {needed} 层。</translation>
    </message>
    <message>
        <source>Projections of attention: {count} multiplications more.</source>
        <translation>注意力的投影另需 {count} 次乘法。</translation>
    </message>
    <message>
        <source>Without X the input of a token is its Q, K and V side by side.</source>
        <translation>没有 X 时，以各词元并排的 Q、K、V 作为其输入。</translation>
    </message>
    <message>
        <source>The first {shown} of {count} tokens, as a sequence of their own.</source>
        <translation>共 {count} 个词元，取前 {shown} 个作为单独的序列。</translation>
    </message>
    <message>
        <source>the sum of its row</source>
        <translation>所在行之和</translation>
    </message>
    <message>
        <source>its row, weighted by itself</source>
        <translation>所在行，以自身加权</translation>
    </message>
    <message>
        <source>every step before it</source>
        <translation>它之前的每一步</translation>
    </message>
    <message>
        <source>the tables</source>
        <translation>各输入表</translation>
    </message>
    <message>
        <source>one for each map</source>
        <translation>每图各一</translation>
    </message>
    <message>
        <source>the same for all</source>
        <translation>全部相同</translation>
    </message>
    <message>
        <source>gradient of</source>
        <translation>求导对象</translation>
    </message>
    <message>
        <source>Which number is differentiated</source>
        <translation>对哪个数求导</translation>
    </message>
    <message>
        <source>with respect to</source>
        <translation>对…求导</translation>
    </message>
    <message>
        <source>Which matrices it is differentiated by</source>
        <translation>对哪些矩阵求导</translation>
    </message>
    <message>
        <source>color bar</source>
        <translation>色条</translation>
    </message>
    <message>
        <source>One range of colors for each map, or the same for all, to compare their sizes</source>
        <translation>每幅图各用一个色条，或全部共用一个以便比较大小</translation>
    </message>
    <message>
        <source>Gradient of {name}</source>
        <translation>{name} 的梯度</translation>
    </message>
    <message>
        <source>{name} = {value}; its change for each unit of a number</source>
        <translation>{name} = {value}；某个数每增加一个单位，它的变化量如下</translation>
    </message>
    <message>
        <source>It depends on no number of the problem.</source>
        <translation>它不随本算例中任何数变化。</translation>
    </message>
    <message>
        <source>Beside the exact gradient the finite difference (f(x + h) − f(x − h)) / 2h, computed anew.</source>
        <translation>精确梯度旁是重新计算的有限差分 (f(x + h) − f(x − h)) / 2h。</translation>
    </message>
    <message>
        <source>It does not change with {names}.</source>
        <translation>它不随 {names} 变化。</translation>
    </message>
    <message>
        <source>Of each block of a large map the gradient of largest magnitude.</source>
        <translation>大图的每一块显示其中绝对值最大的梯度。</translation>
    </message>
    <message>
        <source>{name}: {exact}, by differences {other}, apart by {share} of it</source>
        <translation>{name}：{exact}，差分 {other}，相对相差 {share}</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差分</translation>
    </message>
    <message>
        <source>apart</source>
        <translation>相对误差</translation>
    </message>
    <message>
        <source>largest by</source>
        <translation>最大者</translation>
    </message>
    <message>
        <source>Nadaraya–Watson</source>
        <translation>Nadaraya–Watson 核回归</translation>
    </message>
    <message>
        <source>Fitted w = {w}</source>
        <translation>拟合的 w = {w}</translation>
    </message>
    <message>
        <source>Gradient maps</source>
        <translation>梯度图</translation>
    </message>
    <message>
        <source>Shapes as symbols, such as n × d_k, or as the numbers here</source>
        <translation>形状写成符号（如 n × d_k），或写成这里的数字</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>written for</source>
        <translation>所用的库</translation>
    </message>
    <message>
        <source>The language and library of the script</source>
        <translation>脚本所用的语言和库</translation>
    </message>
    <message>
        <source>The problem in {library}</source>
        <translation>用 {library} 写出本算例</translation>
    </message>
    <message>
        <source>… {count} more lines</source>
        <translation>… 还有 {count} 行</translation>
    </message>
    <message>
        <source>unscaled, × 1</source>
        <translation>不缩放，× 1</translation>
    </message>
    <message>
        <source>another scale, × {scale}</source>
        <translation>其他系数，× {scale}</translation>
    </message>
    <message>
        <source>Weights of this row are changed by hand: the softmax alone does not make them.</source>
        <translation>这一行有手动修改过的权重，它们不全由 softmax 得出。</translation>
    </message>
    <message>
        <source>This row has no open key.</source>
        <translation>这一行没有开放的键。</translation>
    </message>
    <message>
        <source>This row has one open key: its weight is the same at any scale.</source>
        <translation>这一行只有一个开放的键，无论系数多大，它的权重都不变。</translation>
    </message>
    <message>
        <source>Weights of this row are not numbers at every scale.</source>
        <translation>这一行的权重并非在每个系数下都是数。</translation>
    </message>
    <message>
        <source>At none of the three scales does the softmax of this row saturate (a weight above {limit}).</source>
        <translation>在这三个系数下，这一行的 softmax 都没有饱和（没有权重超过 {limit}）。</translation>
    </message>
    <message>
        <source>The softmax saturates at the scale {scale}: one weight takes {weight}, ‖diag(a) − aaᵀ‖ is {jacobian} of at most 0.5.</source>
        <translation>系数为 {scale} 时 softmax 饱和：一个权重占了 {weight}，‖diag(a) − aaᵀ‖ 只有 {jacobian}（最大为 0.5）。</translation>
    </message>
    <message>
        <source>Of this long problem {rows} rows at even distances are read.</source>
        <translation>序列较长，只等间隔地读取了 {rows} 行。</translation>
    </message>
    <message>
        <source>Needs a softmax of dot products</source>
        <translation>需要对点积取 softmax</translation>
    </message>
    <message>
        <source>A third factor of the scores, drawn beside 1/√d_k and no scaling</source>
        <translation>分数的第三种系数，与 1/√d_k 和不缩放并列画出</translation>
    </message>
    <message>
        <source>random, unscaled</source>
        <translation>随机数，不缩放</translation>
    </message>
    <message>
        <source>these: {variance}</source>
        <translation>本算例：{variance}</translation>
    </message>
    <message>
        <source>the numbers of the problem</source>
        <translation>本算例的数值</translation>
    </message>
    <message>
        <source>random Q and K</source>
        <translation>随机的 Q 和 K</translation>
    </message>
    <message>
        <source>softmax of</source>
        <translation>softmax 的对象</translation>
    </message>
    <message>
        <source>Whose softmax is drawn: that of the numbers in the tables, or that of random Q and K</source>
        <translation>画谁的 softmax：表格中的数，或随机的 Q 与 K</translation>
    </message>
    <message>
        <source>How many columns the random Q and K have: their scores spread with √d_k</source>
        <translation>随机 Q 与 K 的列数：分数的标准差随 √d_k 增大</translation>
    </message>
    <message>
        <source>another scale</source>
        <translation>其他系数</translation>
    </message>
    <message>
        <source>symbols</source>
        <translation>符号</translation>
    </message>
    <message>
        <source>numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Shapes</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>written in</source>
        <translation>写成</translation>
    </message>
    <message>
        <source>changed by hand</source>
        <translation>手动修改</translation>
    </message>
    <message>
        <source>× {heads} heads</source>
        <translation>× {heads} 个头</translation>
    </message>
    <message>
        <source>up to nine</source>
        <translation>最多九个</translation>
    </message>
    <message>
        <source>two, and their difference</source>
        <translation>两个及其差异</translation>
    </message>
    <message>
        <source>Snapshots side by side</source>
        <translation>快照并排</translation>
    </message>
    <message>
        <source>Up to nine states side by side, or two and what changed between them</source>
        <translation>并排最多九个状态，或两个状态及其变化</translation>
    </message>
    <message>
        <source>The last state that is shown; of two the one that the other is subtracted from</source>
        <translation>显示的最后一个状态；只有两个时，它是被减数</translation>
    </message>
    <message>
        <source>Snapshots: {stage}</source>
        <translation>快照：{stage}</translation>
    </message>
    <message>
        <source>Without this map: {names}.</source>
        <translation>没有这张图的快照：{names}。</translation>
    </message>
    <message>
        <source>The two have different shapes: there is no difference.</source>
        <translation>两者形状不同，没有差异可显示。</translation>
    </message>
    <message>
        <source>Needs a model that predicts tokens: File › Open a model</source>
        <translation>需要一个能预测词元的模型：文件 › 打开模型</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元数</translation>
    </message>
    <message>
        <source>In the place of “{token}”</source>
        <translation>“{token}”处</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>Probability of each token: softmax of the logits</source>
        <translation>每个词元的概率：logits 的 softmax</translation>
    </message>
    <message>
        <source>layer {layer}</source>
        <translation>第 {layer} 层</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>head</source>
        <translation>头</translation>
    </message>
    <message>
        <source>results of the heads</source>
        <translation>各头的输出</translation>
    </message>
    <message>
        <source>tokens after each layer</source>
        <translation>每层之后的词元</translation>
    </message>
    <message>
        <source>What the columns of the map are, layer by layer: heads or tokens</source>
        <translation>图中逐层的各列是什么：头或词元</translation>
    </message>
    <message>
        <source>Effect of the changes</source>
        <translation>改动的影响</translation>
    </message>
    <message>
        <source>Needs a model: File › Open a model</source>
        <translation>需要一个模型：文件 › 打开模型</translation>
    </message>
    <message>
        <source>of</source>
        <translation>对象</translation>
    </message>
    <message>
        <source>Nothing is changed by hand: nothing has moved.</source>
        <translation>没有手动修改，因此没有变化。</translation>
    </message>
    <message>
        <source>‖now − before‖ / ‖before‖, 0 where nothing moved</source>
        <translation>‖现在 − 之前‖ / ‖之前‖，没有变化处为 0</translation>
    </message>
    <message>
        <source>Logit lens</source>
        <translation>Logit 透镜</translation>
    </message>
    <message>
        <source>embeddings</source>
        <translation>词嵌入</translation>
    </message>
    <message>
        <source>after layer {layer}</source>
        <translation>第 {layer} 层之后</translation>
    </message>
    <message>
        <source>Likeliest token at every place, as though the model ended after a layer</source>
        <translation>假设模型在某一层之后结束时，每个位置最可能的词元</translation>
    </message>
    <message>
        <source>The color of a cell is the probability of its token, from 0 to 1.</source>
        <translation>单元格的颜色表示其词元的概率，从 0 到 1。</translation>
    </message>
    <message>
        <source>After “{token}”</source>
        <translation>“{token}”之后</translation>
    </message>
    <message>
        <source>How many of the likeliest next tokens are listed</source>
        <translation>列出多少个可能性最大的下一词元</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>logit of</source>
        <translation>logit 取自</translation>
    </message>
    <message>
        <source>The token whose logit is explained, one of the likeliest</source>
        <translation>要解释哪个词元的 logit，从可能性最大的几个中选</translation>
    </message>
    <message>
        <source>less that of</source>
        <translation>减去</translation>
    </message>
    <message>
        <source>A second token whose logit is taken off: what makes the first one likelier than it</source>
        <translation>减去另一个词元的 logit：看是什么使前一个更可能</translation>
    </message>
    <message>
        <source>The heads ranked by what they change, or as maps of layers and heads</source>
        <translation>把各个头按影响大小排列，或画成层与头的图</translation>
    </message>
    <message>
        <source>Parts of a logit</source>
        <translation>Logit 的组成</translation>
    </message>
    <message>
        <source>Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}: together {total}; the logit is {logit}.</source>
        <translation>词嵌入 {embedding}，各头 {heads}，MLP {mlps}，偏置与归一化 {rest}：合计 {total}；logit 为 {logit}。</translation>
    </message>
    <message>
        <source>Embeddings {embedding}, heads {heads}, MLPs {mlps}, biases and norm {rest}, changes by hand {by_hand}: together {total}; the logit is {logit}.</source>
        <translation>词嵌入 {embedding}，各头 {heads}，MLP {mlps}，偏置与归一化 {rest}，手动修改 {by_hand}：合计 {total}；logit 为 {logit}。</translation>
    </message>
    <message>
        <source>Parts of the logit of {name}</source>
        <translation>{name} 的 logit 的组成</translation>
    </message>
    <message>
        <source>What each head adds to it directly</source>
        <translation>每个头的直接贡献</translation>
    </message>
    <message>
        <source>as patched</source>
        <translation>只看修补</translation>
    </message>
    <message>
        <source>beside what the gradient predicts</source>
        <translation>与梯度的估计并列</translation>
    </message>
    <message>
        <source>Patching from the first text</source>
        <translation>从第一段文本做激活修补</translation>
    </message>
    <message>
        <source>What each patch does to the logit, alone or beside what the gradient predicts of it</source>
        <translation>每次修补对 logit 的影响，可与梯度的预测并排</translation>
    </message>
    <message>
        <source>patched</source>
        <translation>修补</translation>
    </message>
    <message>
        <source>Σ gradient · (first − second)</source>
        <translation>Σ 梯度 ·（第一段 − 第二段）</translation>
    </message>
    <message>
        <source>Recovered part of the logit of {name}</source>
        <translation>{name} 的 logit 恢复的比例</translation>
    </message>
    <message>
        <source>0 as in the second text, 1 as in the first</source>
        <translation>0 表示与第二段文本相同，1 表示与第一段相同</translation>
    </message>
    <message>
        <source>{number}, the largest in magnitude</source>
        <translation>{number}（其中绝对值最大）</translation>
    </message>
    <message>
        <source>All heads together</source>
        <translation>各头合并</translation>
    </message>
    <message>
        <source>Needs several heads</source>
        <translation>需要多个头</translation>
    </message>
    <message>
        <source>The weight in each head, from head 0 on</source>
        <translation>各头中的权重，从头 0 开始</translation>
    </message>
    <message>
        <source>There is no snapshot yet: “Take snapshot” keeps the present state.</source>
        <translation>还没有快照：用“保存快照”保留当前状态。</translation>
    </message>
    <message>
        <source>‖diag(a) − aaᵀ‖ is the size of the softmax&apos;s derivative: near 0, almost no gradient passes.</source>
        <translation>‖diag(a) − aaᵀ‖ 是 softmax 导数的大小：接近 0 时，几乎没有梯度能传回去。</translation>
    </message>
    <message>
        <source>entropy of the row (bits)</source>
        <translation>该行的熵（比特）</translation>
    </message>
    <message>
        <source>{scale}: entropy {entropy} of {most} bits · ‖diag(a) − aaᵀ‖ {jacobian} · ‖∂a/∂q‖ {gradient}</source>
        <translation>{scale}：熵 {entropy} 比特，最大 {most} · ‖diag(a) − aaᵀ‖ {jacobian} · ‖∂a/∂q‖ {gradient}</translation>
    </message>
    <message>
        <source>The entropy is 0 bits for one key only, log₂ m for m keys alike.</source>
        <translation>熵以比特计：只看一个键时为 0，m 个键均等时为 log₂ m。</translation>
    </message>
    <message>
        <source>query {query}: entropy {numbers} bits; at most {most}</source>
        <translation>查询 {query}：熵 {numbers} 比特；最大 {most}</translation>
    </message>
    <message>
        <source>entropy of each row in bits; dashed: the most it can be</source>
        <translation>每一行的熵（比特）；虚线：可能的最大值</translation>
    </message>
    <message>
        <source>What the weights mix; but the head is off, and its O counts as 0</source>
        <translation>按权重混合的结果；但该头已关闭，其 O 计为 0</translation>
    </message>
    <message>
        <source>What the weights mix; the result O is then changed by hand</source>
        <translation>按权重混合的结果；之后 O 又被手动修改</translation>
    </message>
    <message>
        <source>Σ a · v, column by column</source>
        <translation>Σ a · v，逐列</translation>
    </message>
    <message>
        <source>dₖ of random Q and K</source>
        <translation>随机 Q、K 的 dₖ</translation>
    </message>
    <message>
        <source>Why √dₖ</source>
        <translation>为什么要除以 √dₖ</translation>
    </message>
    <message>
        <source>random Q and K, dₖ = {width}</source>
        <translation>随机的 Q 和 K，dₖ = {width}</translation>
    </message>
    <message>
        <source>scaled, × 1/√dₖ = {scale}</source>
        <translation>缩放，× 1/√dₖ = {scale}</translation>
    </message>
    <message>
        <source>dₖ = {width}: variance of q · k {variance}, after × 1/√dₖ {scaled}</source>
        <translation>dₖ = {width}：q · k 的方差为 {variance}，乘以 1/√dₖ 后为 {scaled}</translation>
    </message>
    <message>
        <source>random, × 1/√dₖ</source>
        <translation>随机数，× 1/√dₖ</translation>
    </message>
    <message>
        <source>variance of q · k against dₖ</source>
        <translation>q · k 的方差随 dₖ 的变化</translation>
    </message>
    <message>
        <source>Why √dₖ, a picture for each dₖ</source>
        <translation>为什么要除以 √dₖ，每个 dₖ 一张图</translation>
    </message>
    <message>
        <source>distance to float64</source>
        <translation>与 float64 之差</translation>
    </message>
    <message>
        <source>the numbers</source>
        <translation>数值本身</translation>
    </message>
    <message>
        <source>Number types</source>
        <translation>数值类型</translation>
    </message>
    <message>
        <source>It is too long to be computed once more in each type</source>
        <translation>问题太长，不能用每种类型各重算一遍</translation>
    </message>
    <message>
        <source>How far each type is from float64, or the numbers themselves</source>
        <translation>显示各类型与 float64 的差距，或显示数值本身</translation>
    </message>
    <message>
        <source>{stage} in four number types</source>
        <translation>{stage}：四种数值类型</translation>
    </message>
    <message>
        <source>Inputs and the result of each step are rounded to the type; sums within a step are made in float64. The list: largest distance to float64, divided by the largest number of the step.</source>
        <translation>输入和每一步的结果都舍入到该类型，步骤内部的求和用 float64。列表：与 float64 的最大差，除以该步骤中的最大数。</translation>
    </message>
    <message>
        <source>{type} overflows: its largest number is {largest}.</source>
        <translation>{type} 溢出：它的最大数是 {largest}。</translation>
    </message>
    <message>
        <source>{distance} from float64</source>
        <translation>与 float64 相差 {distance}</translation>
    </message>
    <message>
        <source>up to {distance} from float64</source>
        <translation>与 float64 最多相差 {distance}</translation>
    </message>
    <message>
        <source>{count} not finite</source>
        <translation>{count} 个非有限数</translation>
    </message>
    <message>
        <source>{type}: {step}, {departure}</source>
        <translation>{type}：{step}，{departure}</translation>
    </message>
    <message>
        <source>{words}; first at {cell}</source>
        <translation>{words}；第一处在 {cell}</translation>
    </message>
    <message>
        <source>{words}; most at {cell}</source>
        <translation>{words}；最大处在 {cell}</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步骤</translation>
    </message>
</context>
<context>
    <name>PagesController</name>
    <message>
        <source>Stopped. Choose the page again to compute it.</source>
        <translation>已停止。再次选择此页即可重新计算。</translation>
    </message>
    <message>
        <source>Not shown while cells are covered: pages would give them away.</source>
        <translation>有单元格被盖住时不显示：页面会泄露答案。</translation>
    </message>
</context>
<context>
    <name>PagesPanel</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Beside the maps</source>
        <translation>放回图旁</translation>
    </message>
    <message>
        <source>In the place of the maps</source>
        <translation>在热图的位置显示</translation>
    </message>
    <message>
        <source>Export the page</source>
        <translation>导出此页面</translation>
    </message>
</context>
<context>
    <name>PaintingController</name>
    <message>
        <source>Query {query} does not see key {key}: layer {place} of the mask ({kind}) closes it, and another layer cannot open it. Switch layer {place} off, or change it.</source>
        <translation>查询 {query} 看不到键 {key}：掩码的第 {place} 层（{kind}）把它屏蔽了，其他层无法将它开放。请先停用或修改第 {place} 层。</translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: the {kind} mask closes it, and a custom mask cannot open it. Switch that layer off, or change it.</source>
        <translation>查询 {query} 看不到键 {key}：{kind}掩码把它屏蔽了，自定义掩码无法将它开放。请先停用或修改那一层。</translation>
    </message>
</context>
<context>
    <name>Palettes</name>
    <message>
        <source>Blue – orange</source>
        <translation>蓝 – 橙</translation>
    </message>
    <message>
        <source>Green – navy</source>
        <translation>绿 – 深蓝</translation>
    </message>
    <message>
        <source>Gray</source>
        <translation>灰度</translation>
    </message>
    <message>
        <source>Blue – red (CET-D1)</source>
        <translation>蓝 – 红（CET-D1）</translation>
    </message>
</context>
<context>
    <name>PartSlots</name>
    <message>
        <source>Queries, keys and values</source>
        <translation>查询、键和值</translation>
    </message>
    <message>
        <source>A sequence X and the weights that make them</source>
        <translation>序列 X 和生成它们的权重</translation>
    </message>
</context>
<context>
    <name>Pictures</name>
    <message>
        <source>The map alone</source>
        <translation>仅该图</translation>
    </message>
    <message>
        <source>The matrices around it, as in the window</source>
        <translation>连同相关矩阵，如窗口所示</translation>
    </message>
    <message>
        <source>A card of one cell, wide</source>
        <translation>一个单元格的卡片，横版</translation>
    </message>
    <message>
        <source>A card of one cell, square</source>
        <translation>一个单元格的卡片，方版</translation>
    </message>
</context>
<context>
    <name>PointsField</name>
    <message>
        <source>Type is {low} to {high} points large.</source>
        <translation>字号应在 {low} 到 {high} 磅之间。</translation>
    </message>
</context>
<context>
    <name>PredictionList</name>
    <message>
        <source>Predicted tokens</source>
        <translation>预测的词元</translation>
    </message>
    <message>
        <source>The likeliest tokens with their probabilities: softmax of the logits</source>
        <translation>最可能的词元及其概率：logits 的 softmax</translation>
    </message>
</context>
<context>
    <name>PredictionModel</name>
    <message>
        <source>Token</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>{token}: probability {now}</source>
        <translation>{token}：概率 {now}</translation>
    </message>
    <message>
        <source>{token}: probability {now}, before {before}</source>
        <translation>{token}：概率 {now}，之前 {before}</translation>
    </message>
</context>
<context>
    <name>Preview</name>
    <message>
        <source>The preview is being drawn…</source>
        <translation>正在绘制预览…</translation>
    </message>
</context>
<context>
    <name>ProductPicture</name>
    <message>
        <source>query ↓</source>
        <translation>查询 ↓</translation>
    </message>
    <message>
        <source>key ↓</source>
        <translation>键 ↓</translation>
    </message>
    <message>
        <source>head {head}</source>
        <translation>头 {head}</translation>
    </message>
    <message>
        <source>item {item}</source>
        <translation>样本 {item}</translation>
    </message>
    <message>
        <source>key →</source>
        <translation>键 →</translation>
    </message>
    <message>
        <source>Tokens…</source>
        <translation>词元…</translation>
    </message>
    <message>
        <source>Name the queries and keys (Ctrl+T)</source>
        <translation>给查询和键命名 (Ctrl+T)</translation>
    </message>
</context>
<context>
    <name>ProgressController</name>
    <message>
        <source>{percent} % of the maps computed · Esc stops</source>
        <translation>热图已计算 {percent} % · 按 Esc 停止</translation>
    </message>
    <message>
        <source>Stopped: dotted cells are not computed · F9 computes the rest</source>
        <translation>已停止：带点的部分尚未计算 · 按 F9 计算其余部分</translation>
    </message>
    <message>
        <source>No maps: {why}</source>
        <translation>无法显示热图：{why}</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>%1 File</source>
        <translation>%1 文件</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>%1 already exists.
Do you want to replace it?</source>
        <translation>%1 已存在。要替换吗？</translation>
    </message>
</context>
<context>
    <name>QFileSystemModel</name>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
</context>
<context>
    <name>QuestionView</name>
    <message>
        <source>Check</source>
        <translation>核对</translation>
    </message>
    <message>
        <source>Show the answer</source>
        <translation>显示答案</translation>
    </message>
    <message>
        <source>Walk through the steps before</source>
        <translation>演示前几步</translation>
    </message>
    <message>
        <source>Your answer</source>
        <translation>你的答案</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>再试一次。</translation>
    </message>
    <message>
        <source>Not yet. </source>
        <translation>还不对。</translation>
    </message>
    <message>
        <source>Correct. </source>
        <translation>正确。</translation>
    </message>
    <message>
        <source>The answer is {answer}. </source>
        <translation>答案是 {answer}。</translation>
    </message>
</context>
<context>
    <name>Questions</name>
    <message>
        <source>Save the changes to {name}?</source>
        <translation>要保存对“{name}”的更改吗？</translation>
    </message>
    <message>
        <source>{name} was changed by another program since it was opened or saved.</source>
        <translation>自打开或保存以来，{name} 已被其他程序更改。</translation>
    </message>
    <message>
        <source>Saving over it loses those changes, reloading it loses yours.</source>
        <translation>覆盖保存会丢失那些更改，重新载入会丢失你的更改。</translation>
    </message>
    <message>
        <source>Save over it</source>
        <translation>覆盖保存</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Reload it</source>
        <translation>重新载入</translation>
    </message>
</context>
<context>
    <name>Readings</name>
    <message>
        <source>stable rank</source>
        <translation>稳定秩</translation>
    </message>
    <message>
        <source>largest weight</source>
        <translation>最大权重</translation>
    </message>
    <message>
        <source>the largest weight of the head, 0 … 1</source>
        <translation>该头中最大的权重，0 … 1</translation>
    </message>
    <message>
        <source>the largest weight of the head; one set by hand may be any number</source>
        <translation>该头中最大的权重；手动设定的权重可为任意数值</translation>
    </message>
    <message>
        <source>the largest weight of the head, which may be any number</source>
        <translation>该头的最大权重，可以是任意数</translation>
    </message>
    <message>
        <source>sink mass</source>
        <translation>汇点占比</translation>
    </message>
    <message>
        <source>share of the weights on key 0</source>
        <translation>落在键 0 上的权重所占的比例</translation>
    </message>
    <message>
        <source>Needs queries and keys of one sequence, with tokens, and weights whose rows add up to 1</source>
        <translation>需要查询和键来自同一个带词元的序列，且每行权重之和为 1</translation>
    </message>
    <message>
        <source>previous token</source>
        <translation>前一词元</translation>
    </message>
    <message>
        <source>duplicate token</source>
        <translation>重复词元</translation>
    </message>
    <message>
        <source>induction</source>
        <translation>归纳</translation>
    </message>
    <message>
        <source>&amp;Mark the counted cells</source>
        <translation>标出所计入的单元格(&amp;M)</translation>
    </message>
    <message>
        <source>Mark</source>
        <translation>标出计入的单元格</translation>
    </message>
    <message>
        <source>This number counts every cell</source>
        <translation>该读数计入所有单元格</translation>
    </message>
    <message>
        <source>Σσ² / σ₁², 1 (all rows alike) … {most}</source>
        <translation>Σσ² / σ₁²，1（各行相同）… {most}</translation>
    </message>
    <message>
        <source>share on the token before: j = i − 1</source>
        <translation>落在前一个词元上的权重所占的比例：j = i − 1</translation>
    </message>
    <message>
        <source>share on the same token before: j &lt; i</source>
        <translation>落在前面相同词元上的权重所占的比例：j &lt; i</translation>
    </message>
    <message>
        <source>share on what followed the same token</source>
        <translation>前面相同词元之后那个词元所占的权重比例</translation>
    </message>
    <message>
        <source>entropy (bits)</source>
        <translation>熵（比特）</translation>
    </message>
    <message>
        <source>Needs weights whose rows add up to 1</source>
        <translation>需要每行权重之和为 1</translation>
    </message>
    <message>
        <source>mean entropy in bits, 0 … log₂ {keys} = {most}</source>
        <translation>每行的平均熵（比特），0 … log₂ {keys} = {most}</translation>
    </message>
    <message>
        <source>mean entropy of rows in bits: 0 for one key only, log₂ {keys} = {most} for all keys alike</source>
        <translation>每行的平均熵，以比特计：只看一个键时为 0，各键均等时为 log₂ {keys} = {most}</translation>
    </message>
    <message>
        <source>mean entropy in bits, 0 … {most}</source>
        <translation>每行的平均熵（比特），0 … {most}</translation>
    </message>
</context>
<context>
    <name>ReadingsDialog</name>
    <message>
        <source>How to read {name}</source>
        <translation>读法：{name}</translation>
    </message>
    <message>
        <source>The text can be read in several ways. Which numbers are meant?</source>
        <translation>这段文本有多种读法。应读作哪些数？</translation>
    </message>
    <message>
        <source>The text holds several matrices. Which numbers are meant?</source>
        <translation>文本中有多个矩阵。要取哪一个？</translation>
    </message>
</context>
<context>
    <name>RecentFiles</name>
    <message>
        <source>Take the &amp;missing ones off this list</source>
        <translation>移除已不存在的文件(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Empty this list</source>
        <translation>清空此列表(&amp;E)</translation>
    </message>
</context>
<context>
    <name>Recovery</name>
    <message>
        <source>Folder of the model</source>
        <translation>模型所在的文件夹</translation>
    </message>
    <message>
        <source>Choose its folder…</source>
        <translation>选择它的文件夹…</translation>
    </message>
    <message>
        <source>The same checkpoint at its new place; its weights are compared</source>
        <translation>同一检查点的新位置；会核对权重</translation>
    </message>
    <message>
        <source>The program ended before {name} was saved: n = {n}, m = {m}, heads: {heads}, changed {when}.</source>
        <translation>程序在保存 {name} 之前意外退出：{n} 个查询、{m} 个键、{heads} 个头，最后修改于 {when}。</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Open it as it was; no file is touched before you save</source>
        <translation>按当时的样子打开；在你保存之前不会改动任何文件</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Delete these changes for good; the file keeps what was saved</source>
        <translation>永久删除这些更改；文件仍保持上次保存的内容</translation>
    </message>
    <message>
        <source>Unsaved changes that cannot be read were set aside: {names} in {folder}.</source>
        <translation>无法读取的未保存更改已另行存放：{folder} 中的 {names}。</translation>
    </message>
</context>
<context>
    <name>RefusalTip</name>
    <message>
        <source>“{typed}” was not taken; {old} stays.</source>
        <translation>“{typed}”未被采用，仍为 {old}。</translation>
    </message>
</context>
<context>
    <name>Relations</name>
    <message>
        <source>Comes from</source>
        <translation>来自</translation>
    </message>
    <message>
        <source>Reaches</source>
        <translation>影响</translation>
    </message>
    <message>
        <source>Show in tables and maps all that this cell is computed from</source>
        <translation>在表格和图中显示计算该单元格所用到的一切</translation>
    </message>
    <message>
        <source>Show in tables and maps all that is computed from this cell</source>
        <translation>在表格和图中显示由该单元格计算得到的一切</translation>
    </message>
    <message>
        <source>{cell}, head {head}</source>
        <translation>{cell}，头 {head}</translation>
    </message>
    <message>
        <source>{symbol}, {count} cells</source>
        <translation>{symbol}，{count} 个单元格</translation>
    </message>
    <message>
        <source>Show its origin</source>
        <translation>在图中显示来源</translation>
    </message>
    <message>
        <source>Show its reach</source>
        <translation>在图中显示影响</translation>
    </message>
</context>
<context>
    <name>ScaleBox</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>typed…</source>
        <translation>手动输入…</translation>
    </message>
    <message>
        <source>scale, a factor</source>
        <translation>缩放系数</translation>
    </message>
    <message>
        <source>scale, from 0 to 1/√dₖ</source>
        <translation>缩放，从 0 到 1/√dₖ</translation>
    </message>
    <message>
        <source>0: no score counts (average pooling, unless a bias is added). 1/√dₖ: scaled dot product.</source>
        <translation>0：分数不起作用（没有加偏置时即平均汇聚）。1/√dₖ：缩放点积。</translation>
    </message>
    <message>
        <source>with / without scaling, side by side</source>
        <translation>有 / 无缩放，并排</translation>
    </message>
</context>
<context>
    <name>Scores</name>
    <message>
        <source>dot</source>
        <translation>点积</translation>
    </message>
    <message>
        <source>additive</source>
        <translation>加性</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Gaussian</source>
        <translation>高斯核</translation>
    </message>
    <message>
        <source>average</source>
        <translation>平均汇聚</translation>
    </message>
</context>
<context>
    <name>SecondText</name>
    <message>
        <source>Second text</source>
        <translation>第二段文本</translation>
    </message>
    <message>
        <source>Tokens of the second text</source>
        <translation>第二段文本的词元</translation>
    </message>
    <message>
        <source>Drag a token onto one of the first text: its row stands there instead; or press Enter</source>
        <translation>把一个词元拖到第一段文本的词元上，用它的那一行替换后者的那一行；也可以按 Enter</translation>
    </message>
    <message>
        <source>&amp;Row of</source>
        <translation>取这一步的行(&amp;R)</translation>
    </message>
    <message>
        <source>Step of which a row is taken</source>
        <translation>取哪一步的行</translation>
    </message>
    <message>
        <source>The step of the layer on the table of which a row of the second text is taken</source>
        <translation>当前层的哪一步，从第二段文本取它的一行</translation>
    </message>
    <message>
        <source>&amp;in the place of</source>
        <translation>替换词元(&amp;I)</translation>
    </message>
    <message>
        <source>Token of the first text</source>
        <translation>第一段文本的词元</translation>
    </message>
    <message>
        <source>The token of the first text whose row it stands in for</source>
        <translation>第一段文本中被替换那一行的词元</translation>
    </message>
    <message>
        <source>Take the row</source>
        <translation>取这一行</translation>
    </message>
    <message>
        <source>Put the row of the chosen token of the second text there, as one step</source>
        <translation>把第二段文本中所选词元的那一行放到那里，作为一步</translation>
    </message>
    <message>
        <source>Take all rows</source>
        <translation>取所有行</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare the layer on the table with the same layer of the second text</source>
        <translation>把当前层与第二段文本的同一层比较</translation>
    </message>
    <message>
        <source>Put every row of this step there, as one step</source>
        <translation>把这一步的所有行放到那里，作为一步</translation>
    </message>
    <message>
        <source>Needs texts of the same number of tokens; these have {second} and {first}</source>
        <translation>两段文本的词元数必须相同；现在是 {second} 和 {first}</translation>
    </message>
</context>
<context>
    <name>SecondTextController</name>
    <message>
        <source>The text is still being run: try again once it is.</source>
        <translation>文本仍在运行，完成后再试。</translation>
    </message>
    <message>
        <source>The texts have {first} and {second} tokens: only texts of the same number of tokens can be compared cell by cell. Rows of one can be put into the other all the same.</source>
        <translation>两段文本分别有 {first} 个和 {second} 个词元：只有词元数相同的文本才能逐格比较；一段的行仍然可以放进另一段。</translation>
    </message>
</context>
<context>
    <name>SensitivityPage</name>
    <message>
        <source>How much {name} changes when one number of the problem grows by a little, for each unit:</source>
        <translation>梯度（灵敏度）：算例中的某个数增加一点时，{name} 随之变化多少（按每单位计）：</translation>
    </message>
    <message>
        <source>Choose a cell: the numbers that it changes most with are listed here.</source>
        <translation>请选择一个单元格：这里会列出对它影响最大的数。</translation>
    </message>
    <message>
        <source>{name} does not change with any number of the problem.</source>
        <translation>算例中没有哪个数会改变 {name}。</translation>
    </message>
    <message>
        <source>Taking the gradients …</source>
        <translation>正在计算梯度…</translation>
    </message>
    <message>
        <source>Go to {cell} in its table</source>
        <translation>转到表格中的 {cell}</translation>
    </message>
    <message>
        <source>Not shown while cells are covered: gradients would give them away.</source>
        <translation>有单元格被盖住时不显示：梯度会泄露答案。</translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>A cell needs a number.</source>
        <translation>单元格需要一个数。</translation>
    </message>
    <message>
        <source>“{text}” has a comma: use a point, as in 1.5.</source>
        <translation>“{text}”含有逗号：请用小数点，例如 1.5。</translation>
    </message>
    <message>
        <source>“{text}” is not a number.</source>
        <translation>“{text}”不是数字。</translation>
    </message>
    <message>
        <source>“{text}” divides by zero.</source>
        <translation>“{text}”的除数为零。</translation>
    </message>
    <message>
        <source>“{text}” is too large for {dtype}: the largest is {largest}.</source>
        <translation>“{text}”超出 {dtype} 的范围：最大为 {largest}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is damaged: its header cannot be read.</source>
        <translation>{file}：“{name}”已损坏：无法读取文件头。</translation>
    </message>
    <message>
        <source>{file}: “{name}” has {got} axes; expected at most {expected}.</source>
        <translation>{file}：“{name}”有 {got} 个轴；上限为 {expected} 个。</translation>
    </message>
    <message>
        <source>{file}: “{name}” has no cells, its shape is {got}.</source>
        <translation>{file}：“{name}”没有单元格，形状为 {got}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds whole numbers such as {got} as {dtype}: all of them are the bits of bfloat16, here of {value}. Expected float32, or BF16 of safetensors; whole numbers that are meant as a wider type.</source>
        <translation>{file}：“{name}”以 {dtype} 存有 {got} 这样的整数，它们全都是 bfloat16 数的二进制位，此例即 {value}。请存为 float32，或 safetensors 的 BF16；若确为整数，请存为更宽的类型。</translation>
    </message>
    <message>
        <source>{file}: “{name}” of shape {shape} needs {got} of memory; expected at most {expected}.</source>
        <translation>{file}：形状为 {shape} 的“{name}”需要 {got} 内存；上限为 {expected}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is not a NumPy array.</source>
        <translation>{file}：“{name}”不是 NumPy 数组。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds Python objects, which could run code; expected numbers.</source>
        <translation>{file}：“{name}”含有 Python 对象，可能会执行代码；应为数值。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {got}; expected float16, float32, float64, whole numbers or true and false.</source>
        <translation>{file}：“{name}”的内容是 {got}；应为 float16、float32、float64、整数或布尔值。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is damaged or cut off: expected {expected} bytes of numbers, got {got}.</source>
        <translation>{file}：“{name}”已损坏或不完整：应有 {expected} 字节数据，实有 {got} 字节。</translation>
    </message>
    <message>
        <source>{file} is a folder; expected a file.</source>
        <translation>{file} 是文件夹；应为文件。</translation>
    </message>
    <message>
        <source>{file} is a pipe; expected a regular file.</source>
        <translation>{file} 是管道；应为普通文件。</translation>
    </message>
    <message>
        <source>{file} is a device or socket; expected a regular file.</source>
        <translation>{file} 是设备或套接字；应为普通文件。</translation>
    </message>
    <message>
        <source>{file} does not exist.</source>
        <translation>{file} 不存在。</translation>
    </message>
    <message>
        <source>{file} may not be read: you have no permission.</source>
        <translation>无法读取 {file}：没有权限。</translation>
    </message>
    <message>
        <source>{file} could not be read: {reason}.</source>
        <translation>无法读取 {file}：{reason}。</translation>
    </message>
    <message>
        <source>{file}: {reason}</source>
        <translation>{file}：{reason}</translation>
    </message>
    <message>
        <source>{file} does not fit into the memory of this computer.</source>
        <translation>这台计算机的内存装不下 {file}。</translation>
    </message>
    <message>
        <source>{file} is empty.</source>
        <translation>{file} 是空文件。</translation>
    </message>
    <message>
        <source>{file} is too large: {got}; expected at most {expected}.</source>
        <translation>{file} 太大：{got}；上限为 {expected}。</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>NumPy arrays by name</source>
        <translation>按名称存放的 NumPy 数组</translation>
    </message>
    <message>
        <source>Safetensors arrays by name</source>
        <translation>按名称存放的 Safetensors 数组</translation>
    </message>
    <message>
        <source>JSON lists by name</source>
        <translation>按名称存放的 JSON 列表</translation>
    </message>
    <message>
        <source>Excel workbook</source>
        <translation>Excel 工作簿</translation>
    </message>
    <message>
        <source>NumPy array</source>
        <translation>NumPy 数组</translation>
    </message>
    <message>
        <source>Comma-separated numbers</source>
        <translation>逗号分隔的数值</translation>
    </message>
    <message>
        <source>Tab-separated numbers</source>
        <translation>制表符分隔的数值</translation>
    </message>
    <message>
        <source>{file} is compressed; unpack it first and open what is inside.</source>
        <translation>{file} 是压缩文件；请先解压，再打开其中的内容。</translation>
    </message>
    <message>
        <source>{file} has the unknown suffix “{got}”; expected {expected}.</source>
        <translation>{file} 的扩展名“{got}”无法识别；应为 {expected}。</translation>
    </message>
    <message>
        <source>{file} holds no numbers.</source>
        <translation>{file}：没有数值。</translation>
    </message>
    <message>
        <source>{file}: {count} cells are not numbers; by (row, column), counted from 0: {cells}.</source>
        <translation>{file}：有 {count} 个单元格不是数字；按（行，列）从 0 起数：{cells}。</translation>
    </message>
    <message>
        <source>{file}: the options are {got} long; expected at most {expected}.</source>
        <translation>{file}：选项长 {got}；上限为 {expected}。</translation>
    </message>
    <message>
        <source>{file} is cut off or is not a .npz: its end is missing.</source>
        <translation>{file} 不完整或不是 .npz：缺少结尾。</translation>
    </message>
    <message>
        <source>{file}: the options are {got} long, too much for a .npz; save a session (.attn) instead.</source>
        <translation>{file}：选项长 {got}，超出 .npz 的限度；请改为保存会话（.attn）。</translation>
    </message>
    <message>
        <source>{file} has a directory of {got}; expected at most {expected}.</source>
        <translation>{file} 的目录为 {got}；上限为 {expected}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is there twice.</source>
        <translation>{file}：“{name}”出现了两次。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is there twice, by itself and in “meta”.</source>
        <translation>{file}：“{name}”出现了两次，一次单独给出，一次在“meta”中。</translation>
    </message>
    <message>
        <source>{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}. By their names {turned} may be transposed, so they are taken for nothing unasked.</source>
        <translation>{file} 不含算例：应有数组 query、key 和 value，或 x 及其权重；实有 {got}。从名称看，{turned} 可能已转置，因此未经确认不作为任何部分读取。</translation>
    </message>
    <message>
        <source>{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}. By their names {halves} hold the columns of heads with positions or those without, so none is taken for a whole unasked.</source>
        <translation>{file} 不含算例：应有数组 query、key 和 value，或 x 及其权重；实有 {got}。从名称看，{halves} 只是各头中带位置或不带位置的那部分列，因此未经确认不作为整体读取。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is encrypted or packed in an unusual way.</source>
        <translation>{file}：“{name}”已加密，或打包方式不常见。</translation>
    </message>
    <message>
        <source>{file}: “meta” is not a text; expected JSON options.</source>
        <translation>{file}：“meta”不是文本；应为 JSON 选项。</translation>
    </message>
    <message>
        <source>{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}.</source>
        <translation>{file} 不含算例：应有数组 query、key 和 value，或 x 及其权重；实有 {got}。</translation>
    </message>
    <message>
        <source>{file} could not be saved: there is no room left. Nothing was changed.</source>
        <translation>无法保存 {file}：空间不足。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} could not be saved: you may not write there. Nothing was changed.</source>
        <translation>无法保存 {file}：没有写入权限。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} could not be saved: its folder {folder} does not exist. Nothing was changed.</source>
        <translation>无法保存 {file}：文件夹 {folder} 不存在。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} could not be saved: the name is too long. Nothing was changed.</source>
        <translation>无法保存 {file}：文件名太长。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} could not be saved: {reason}. Nothing was changed.</source>
        <translation>无法保存 {file}：{reason}。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} could not be saved: there is a folder of that name.</source>
        <translation>无法保存 {file}：已有同名文件夹。</translation>
    </message>
    <message>
        <source>{file} could not be saved: it is not a regular file.</source>
        <translation>无法保存 {file}：它不是普通文件。</translation>
    </message>
    <message>
        <source>{file} could not be saved: it does not read back the same. Nothing was changed.</source>
        <translation>无法保存 {file}：读回的内容不一致。没有任何改动。</translation>
    </message>
    <message>
        <source>{file} is cut off or is not a session.</source>
        <translation>{file} 不完整或不是会话文件。</translation>
    </message>
    <message>
        <source>{file} is a safetensors file, but not a session of attn_gui.</source>
        <translation>{file} 是 safetensors 文件，但不是 attn_gui 的会话。</translation>
    </message>
    <message>
        <source>{file} has the session version {got}; expected a number from 1.</source>
        <translation>{file} 的会话版本为 {got}；应为从 1 起的整数。</translation>
    </message>
    <message>
        <source>{file} was saved by a newer attn_gui (session version {got}; this one reads up to {expected}).</source>
        <translation>{file} 由更新的 attn_gui 保存（会话版本 {got}；本程序最高支持 {expected}）。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {got}; expected {expected}.</source>
        <translation>{file}：“{name}”的内容是 {got}；应为 {expected}。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is the sum of {count} products.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是 {count} 个乘积之和。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is minus half their squared distance, times {w} squared.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是二者距离平方的一半取负，再乘以 {w} 的平方。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is minus half their squared distance, in which the squared length of the key counts {norm} times, times {w} squared.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是二者距离平方的一半取负，其中键的长度的平方按 {norm} 倍计入，再乘以 {w} 的平方。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is minus half their squared distance.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是二者距离平方的一半取负。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the score, not scaled.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，即原分数，未缩放。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the score times {scale}.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，等于分数乘以 {scale}。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, divided by √{count}.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，是 {count} 个乘积之和除以 √{count}。</translation>
    </message>
    <message>
        <source>On the way to it a number is too large for {dtype}, whose largest is {largest}.</source>
        <translation>计算途中有数超出了 {dtype} 的范围（最大为 {largest}）。</translation>
    </message>
    <message>
        <source>{cell} is {value}: {layer} closes it, and a change by hand leaves it closed.</source>
        <translation>{cell} 为 {value}：{layer}把它屏蔽了，手动修改后仍然被屏蔽。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, not scaled.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，是 {count} 个乘积之和，未缩放。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, times {scale}.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，是 {count} 个乘积之和乘以 {scale}。</translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the score, divided by √{count}.</source>
        <translation>查询 {query} 与键 {key} 缩放后的分数：{value}，等于分数除以 √{count}。</translation>
    </message>
    <message>
        <source>Capped score of query {query} and key {key}: {value}.</source>
        <translation>查询 {query} 与键 {key} 经软上限后的分数：{value}。</translation>
    </message>
    <message>
        <source>Capped score of query {query} and key {key}: {value}. It stays between −{cap} and {cap}.</source>
        <translation>查询 {query} 与键 {key} 经软上限后的分数：{value}，始终介于 −{cap} 与 {cap} 之间。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key} with its bias: {value}.</source>
        <translation>查询 {query} 与键 {key} 加偏置后的分数：{value}。</translation>
    </message>
    <message>
        <source>Masked score of query {query} and key {key}: {value}. No mask layer closes it.</source>
        <translation>查询 {query} 与键 {key} 加掩码后的分数：{value}，没有掩码层屏蔽它。</translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: {layer} closes it, so its score is {value}.</source>
        <translation>查询 {query} 看不到键 {key}：{layer}把它屏蔽了，所以分数为 {value}。</translation>
    </message>
    <message>
        <source>Query {query} sees no key: weights 0, output 0.</source>
        <translation>查询 {query} 看不到任何键：权重为 0，输出为 0。</translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: {layer} closes it, so its weight is {value}.</source>
        <translation>查询 {query} 看不到键 {key}：{layer}把它屏蔽了，所以权重为 {value}。</translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: its score is −∞, so its weight is {value}.</source>
        <translation>查询 {query} 看不到键 {key}：它的分数为 −∞，所以权重为 {value}。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}: it sees no other key.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}：它看不到别的键。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, the largest of {count}.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}，在 {count} 个键中最大。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, number {rank} of {count} by size.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}，在 {count} 个键中第 {rank} 大。</translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query} in head {head}: {value}. It is the sum of {count} values, each times its weight.</source>
        <translation>查询 {query} 在头 {head} 中输出的第 {column} 列：{value}，是 {count} 个值各乘以其权重之和。</translation>
    </message>
    <message>
        <source>Column {column} of the joined heads of query {query}: {value}. It is column {inner} of head {head}.</source>
        <translation>查询 {query} 拼接后的第 {column} 列：{value}，即头 {head} 的第 {inner} 列。</translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. Without W_O it is the joined heads themselves.</source>
        <translation>查询 {query} 输出的第 {column} 列：{value}。没有 W_O 时，输出就是拼接的结果。</translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. It is the sum of {count} products of the joined heads and W_O.</source>
        <translation>查询 {query} 输出的第 {column} 列：{value}，是拼接的结果与 W_O 的 {count} 个乘积之和。</translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. It is the sum of {count} products of the joined heads and W_O, plus {shift}.</source>
        <translation>查询 {query} 输出的第 {column} 列：{value}，是拼接的结果与 W_O 的 {count} 个乘积之和，加上 {shift}。</translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}. It is the sum of {count} products of {source} and {projection}, plus {shift}.</source>
        <translation>查询 {query} 的第 {column} 列：{value}。它是 {source} 与 {projection} 的 {count} 个乘积之和，加上 {shift}。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}. It is given, not computed.</source>
        <translation>查询 {query} 给键 {key} 的权重为 {value}，是直接给定的，不是算出来的。</translation>
    </message>
    <message>
        <source>Column {column} of {matrix} for {token}: {value}. It is given, not computed.</source>
        <translation>{matrix} 中{token} 的列 {column}：{value}，是给定的，不是算出来的。</translation>
    </message>
    <message>
        <source>Column {column} of {matrix} for {token}: {value}. It is the sum of {count} products of {source} and {projection}.</source>
        <translation>{matrix} 中{token} 的列 {column}：{value}，是 {source} 与 {projection} 的 {count} 个乘积之和。</translation>
    </message>
    <message>
        <source>the {kind} mask</source>
        <translation>{kind}掩码</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is the sum of {count} hidden units, each times its weight.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是 {count} 个隐藏单元各乘以其权重之和。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is the cosine of the angle between them.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}，是二者夹角的余弦。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. Average pooling does not look: every key scores the same.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}。平均汇聚不看内容：每个键分数都相同。</translation>
    </message>
    <message>
        <source>Column {column} for {token}, turned by its position {row}: {value}.</source>
        <translation>{token} 的列 {column}，按其位置 {row} 旋转后：{value}。</translation>
    </message>
    <message>
        <source>query {query}</source>
        <translation>查询 {query}</translation>
    </message>
    <message>
        <source>key {key}</source>
        <translation>键 {key}</translation>
    </message>
    <message>
        <source>The problem has no array named {field}.</source>
        <translation>算例中没有名为 {field} 的数组。</translation>
    </message>
    <message>
        <source>{field}: expected numbers of shape {expected}, got {got}.</source>
        <translation>{field}：数值的形状应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>{field}: the cells lie outside its shape {shape}.</source>
        <translation>{field}：单元格超出其形状 {shape}。</translation>
    </message>
    <message>
        <source>A cell that allows or not takes 1 or 0.</source>
        <translation>表示是否允许的单元格只能填 1 或 0。</translation>
    </message>
    <message>
        <source>A number is too large for {dtype}.</source>
        <translation>有一个数超出 {dtype} 的范围。</translation>
    </message>
    <message>
        <source>{file} would hold {got} numbers as text, more than {most}; choose NPY instead.</source>
        <translation>{file} 作为文本将含 {got} 个数，多于 {most} 个；请改用 NPY。</translation>
    </message>
    <message>
        <source>Arrays not used: {names}.</source>
        <translation>未使用的数组：{names}。</translation>
    </message>
    <message>
        <source>Options not used: {names}.</source>
        <translation>未使用的选项：{names}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” belongs to no mask layer; expected a layer {place} in the options.</source>
        <translation>{file}：“{name}”不属于任何掩码层；选项中应有第 {place} 层。</translation>
    </message>
    <message>
        <source>{field} is missing: give query, key and value, or x with w_query, w_key and w_value.</source>
        <translation>缺少 {field}：请给出 query、key 和 value，或者 x 以及 w_query、w_key 和 w_value。</translation>
    </message>
    <message>
        <source>The weights are given here: there are no queries and keys from which they follow.</source>
        <translation>这里的权重是直接给定的，没有可以算出它们的查询和键。</translation>
    </message>
    <message>
        <source>There are no values here: the weights have nothing to mix.</source>
        <translation>这里没有值，权重没有可加权求和的对象。</translation>
    </message>
    <message>
        <source>{field} and {other} exclude each other: give query, key and value, or x with weights.</source>
        <translation>{field} 与 {other} 不能同时给出：请给出 query、key 和 value，或者 x 及其权重。</translation>
    </message>
    <message>
        <source>{field} is not a field of a problem.</source>
        <translation>算例中没有 {field} 这个字段。</translation>
    </message>
    <message>
        <source>{field} needs {other}.</source>
        <translation>有 {field} 就必须有 {other}。</translation>
    </message>
    <message>
        <source>{field} has no part in the weights where normalize is {normalize}: choose {choices}, or leave it out.</source>
        <translation>归一化方式为“{normalize}”时，权重与{field}无关：请改选 {choices}，或将其去掉。</translation>
    </message>
    <message>
        <source>{field} must be one of {choices}, got {got}.</source>
        <translation>{field} 只能是 {choices} 之一，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be a whole number, got {got}.</source>
        <translation>{field} 必须是整数，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be at least 1, got {got}.</source>
        <translation>{field} 至少为 1，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be a number, got {got}.</source>
        <translation>{field} 必须是数，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be finite, got {got}.</source>
        <translation>{field} 必须有限，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be greater than 0, got {got}.</source>
        <translation>{field} 必须大于 0，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be True or False, got {got}.</source>
        <translation>{field} 必须是 True 或 False，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be texts, got {got}.</source>
        <translation>{field} 必须是文本，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be a mapping, got {got}.</source>
        <translation>{field} 必须是映射，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must hold real numbers, got {got}.</source>
        <translation>{field} 的内容必须是实数，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must hold True and False, got {got}.</source>
        <translation>{field} 的内容必须是 True 和 False，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be a contiguous array of {expected} to be read in place, got {got}.</source>
        <translation>{field} 必须是 {expected} 的连续数组才能就地读取，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be one of the mask layers {choices}, got {got}.</source>
        <translation>{field} 只能是掩码层 {choices} 之一，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} does not have the parameter {got}; it has {choices}.</source>
        <translation>{field} 没有参数 {got}，只有 {choices}。</translation>
    </message>
    <message>
        <source>cells that are no numbers, or too large for any type of them</source>
        <translation>不是数的单元格，或任何数值类型都放不下的大数</translation>
    </message>
    <message>
        <source>{matrix} must have {expected} axes, got the shape {shape}.</source>
        <translation>{matrix} 必须有 {expected} 个轴，实际形状为 {shape}。</translation>
    </message>
    <message>
        <source>{matrix} has the shape {shape}, and its first axis may be {got} heads or {got} batch items: for heads give it four axes, for items call Problem(weights=…, value=…, num_heads={got}, batch_axis=True).</source>
        <translation>{matrix} 的形状为 {shape}，第一个轴可能是 {got} 个头，也可能是 {got} 个样本：若是头，请给出四个轴；若是样本，请调用 Problem(weights=…, value=…, num_heads={got}, batch_axis=True)。</translation>
    </message>
    <message>
        <source>{field} holds {got}, too large for {dtype}: it is {value} now.</source>
        <translation>{field} 中的 {got} 超出 {dtype} 的范围，现为 {value}。</translation>
    </message>
    <message>
        <source>{field} holds {got}, a whole number that {dtype} has not got: it is {value} now.</source>
        <translation>{field} 中的整数 {got} 无法用 {dtype} 精确表示，现为 {value}。</translation>
    </message>
    <message>
        <source>weights do not add up to 1 along their last axis but along axis {axis}, as they do along the keys.</source>
        <translation>weights 沿最后一个轴的和不是 1，沿轴 {axis} 的和才是 1，而注意力权重沿键的和为 1。</translation>
    </message>
    <message>
        <source>{matrix} has an axis without cells: its shape is {shape}.</source>
        <translation>{matrix} 有一个轴没有单元格：形状为 {shape}。</translation>
    </message>
    <message>
        <source>num_kv_heads must divide num_heads: {heads} heads cannot share {got} K/V heads evenly.</source>
        <translation>num_kv_heads 必须整除 num_heads：{heads} 个头无法平分 {got} 个 K/V 头。</translation>
    </message>
    <message>
        <source>{matrix} has {got} columns, which {heads} heads cannot share evenly.</source>
        <translation>{matrix} 有 {got} 列，{heads} 个头无法平分。</translation>
    </message>
    <message>
        <source>A head of {matrix} must be as wide as a head of {other}: expected {expected} columns, got {got}.</source>
        <translation>{matrix} 的一个头必须与 {other} 的一个头同宽：应为 {expected} 列，实为 {got} 列。</translation>
    </message>
    <message>
        <source>Rotary positions pair the columns of a head: {matrix} must have an even number, got {got}.</source>
        <translation>旋转位置编码把一个头的各列两两配对：{matrix} 每个头的列数必须是偶数，实为 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must have as many rows as {other}: expected {expected}, got {got}.</source>
        <translation>{matrix} 的行数必须与 {other} 相同：应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must have as many batch items as {other}: expected {expected}, got {got}.</source>
        <translation>{matrix} 的样本数必须与 {other} 相同：应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must have as many rows as {other} has columns: expected {expected}, got {got}.</source>
        <translation>{matrix} 的行数必须等于 {other} 的列数：应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must have as many columns as {other}: expected {expected}, got {got}.</source>
        <translation>{matrix} 的列数必须与 {other} 相同：应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must have one number for each column of {other}: expected {expected}, got {got}.</source>
        <translation>{matrix} 必须与 {other} 的各列一一对应：应有 {expected} 个数，实有 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must have one matrix for each head: expected {expected}, got {got}.</source>
        <translation>{matrix} 的每个头必须有一个矩阵：应为 {expected} 个，实为 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must have the axes (query, key), (head, query, key) or (batch, head, query, key), got the shape {shape}.</source>
        <translation>{matrix} 的轴必须是 (query, key)、(head, query, key) 或 (batch, head, query, key)，实际形状为 {shape}。</translation>
    </message>
    <message>
        <source>{matrix} must have one text for each row of {other}: expected {expected}, got {got}.</source>
        <translation>{matrix} 必须与 {other} 的各行一一对应：应有 {expected} 个文本，实有 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must have one number, or one for each batch item: expected {expected}, got {got}.</source>
        <translation>{matrix} 只能有一个数，或每个样本一个数：应有 {expected} 个，实有 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must broadcast to (batch, head, query, key) = {expected}, got the shape {got}.</source>
        <translation>{matrix} 必须能广播到（样本，头，查询，键）= {expected}，实际形状为 {got}。</translation>
    </message>
    <message>
        <source>The residual adds x, so {matrix} must be as wide as x: expected {expected} columns, got {got}.</source>
        <translation>残差要加上 x，所以 {matrix} 必须与 x 同宽：应为 {expected} 列，实为 {got} 列。</translation>
    </message>
    <message>
        <source>Transpose {matrix}: {before} becomes {shape}.</source>
        <translation>转置 {matrix}：{before} 变为 {shape}。</translation>
    </message>
    <message>
        <source>Change the number of {matrix} from {before} to {shape}.</source>
        <translation>将{matrix}数由 {before} 改为 {shape}。</translation>
    </message>
    <message>
        <source>{call} reads one state, no difference: take comparison.before or comparison.after.</source>
        <translation>{call} 只能读取一个状态，不能读取差异：请改用 comparison.before 或 comparison.after。</translation>
    </message>
    <message>
        <source>{matrix} cannot be compared: its shape is {expected} before and {got} after, other in {named}.</source>
        <translation>{matrix} 无法比较：之前的形状是 {expected}，之后是 {got}，在 {named} 轴上不同。</translation>
    </message>
    <message>
        <source>{stage} is not a stage of this problem; it has {choices}.</source>
        <translation>这个算例没有阶段 {stage}，只有 {choices}。</translation>
    </message>
    <message>
        <source>A box of {stage} must lie within its shape {shape}, got {got}.</source>
        <translation>{stage} 的区域必须在其形状 {shape} 之内，实为 {got}。</translation>
    </message>
    <message>
        <source>{stage} has a map for every head: say which one.</source>
        <translation>{stage} 的每个头各有一张图：请指明是哪个头。</translation>
    </message>
    <message>
        <source>{stage} would take {size} GB: read it in parts with trace.block.</source>
        <translation>{stage} 需要 {size} GB：请用 trace.block 分块读取。</translation>
    </message>
    <message>
        <source>The score {score} takes too long for {heads} heads of {n} × {m} cells; only dot products can be so large.</source>
        <translation>对 {heads} 个头、每头 {n} × {m} 个单元格，{score}评分函数耗时太长；只有点积能算这么大。</translation>
    </message>
    <message>
        <source>Fitting w takes two points or more, and no more than can be tried at once; got {got}.</source>
        <translation>拟合 w 至少需要两个点，且点数不能太多；现有 {got} 个。</translation>
    </message>
    <message>
        <source>Give either an index or a cotangent, not {got}.</source>
        <translation>索引和余切向量只能给出一个，实为 {got}。</translation>
    </message>
    <message>
        <source>The cotangent must have the shape of {stage}: expected {expected}, got {got}.</source>
        <translation>余切向量的形状必须与 {stage} 相同：应为 {expected}，实为 {got}。</translation>
    </message>
    <message>
        <source>Change one size at a time, got {got}.</source>
        <translation>一次只能改变一个尺寸，实为 {got}。</translation>
    </message>
    <message>
        <source>{got} heads cannot share the columns evenly; {choices} can.</source>
        <translation>{got} 个头无法平分各列；可以的头数有 {choices}。</translation>
    </message>
    <message>
        <source>{got} K/V heads cannot serve {heads} heads evenly; {choices} can.</source>
        <translation>{heads} 个头无法平均分给 {got} 个 K/V 头；可以的 K/V 头数有 {choices}。</translation>
    </message>
    <message>
        <source>Rotary positions pair the columns of a head: d_k must be even, got {got}.</source>
        <translation>旋转位置编码把一个头的各列两两配对：d_k 必须是偶数，实为 {got}。</translation>
    </message>
    <message>
        <source>d_model is {heads} × {width} = {expected} here: change the heads or d_k instead.</source>
        <translation>这里的 d_model 是 {heads} × {width} = {expected}：请改变头数或 d_k。</translation>
    </message>
    <message>
        <source>The block adds x to the output, so d_model and the width of w_output change together.</source>
        <translation>残差要把 x 加到输出上，所以 d_model 与 w_output 的宽度必须一起改变。</translation>
    </message>
    <message>
        <source>There is not enough memory to compute this.</source>
        <translation>内存不足，无法计算。</translation>
    </message>
    <message>
        <source>This could not be computed.</source>
        <translation>无法算出结果。</translation>
    </message>
    <message>
        <source>In self-attention the keys are the queries: change n instead of m.</source>
        <translation>自注意力中键与查询来自同一序列：请改变 n，而不是 m。</translation>
    </message>
    <message>
        <source>K/V heads have {after} columns now instead of {before}, so that they fit the query heads.</source>
        <translation>为与查询头匹配，K/V 头由 {before} 列改为 {after} 列。</translation>
    </message>
    <message>
        <source>K/V heads: {before} do not divide {heads} heads, {after} do.</source>
        <translation>K/V 头数由 {before} 改为 {after}：前者不能整除头数 {heads}。</translation>
    </message>
    <message>
        <source>Head {head} reads another K/V head now.</source>
        <translation>头 {head} 现在读取另一个 K/V 头。</translation>
    </message>
    <message>
        <source>{count} heads read other K/V heads now, head {head} first.</source>
        <translation>有 {count} 个头现在读取别的 K/V 头，最先是头 {head}。</translation>
    </message>
    <message>
        <source>A change by hand went with its cells.</source>
        <translation>有 1 处手动修改已随其所在的单元格一并移除。</translation>
    </message>
    <message>
        <source>{count} changes by hand went with their cells.</source>
        <translation>有 {count} 处手动修改已随其所在的单元格一并移除。</translation>
    </message>
    <message>
        <source>Heads share {kv} K/V heads in groups of {group}, and one head more or less would leave them uneven: make as many K/V heads as heads first.</source>
        <translation>每 {group} 个头共用一个 K/V 头，共 {kv} 个；多一个或少一个头就分不均匀了：请先让 K/V 头数等于头数。</translation>
    </message>
    <message>
        <source>One head has to stay.</source>
        <translation>至少要留一个头。</translation>
    </message>
    <message>
        <source>The slopes of {layer} follow from the number of heads and the place of each: they are worked out anew.</source>
        <translation>{layer} 的斜率由头数和每个头的位置决定：现已重新计算。</translation>
    </message>
    <message>
        <source>A cell may differ by what rounding can add up to along the formulas that lead to it, with these numbers.</source>
        <translation>单元格允许的差异，是舍入误差以这些数值沿通向它的公式所能累积的上限。</translation>
    </message>
    <message>
        <source>The reference does not know the score {name}: no stage is judged.</source>
        <translation>参考实现不认识评分函数 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>The reference does not know the normalization {name}: no stage is judged.</source>
        <translation>参考实现不认识归一化 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>The reference does not know the mask layer {name}: no stage is judged.</source>
        <translation>参考实现不认识掩码层 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>The reference does not know the stage {name}: no stage is judged.</source>
        <translation>参考实现不认识阶段 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>Rows of weights sum to 1, or to 0 without an open key: worst difference {difference}; {wrong} rows do not, {wild} rows hold NaN.</source>
        <translation>权重的每一行之和为 1，没有开放的键时为 0：最大差异 {difference}；{wrong} 行不满足，{wild} 行含有 NaN。</translation>
    </message>
    <message>
        <source>Rows of weights sum to 1: does not apply without a normalization that makes shares of them.</source>
        <translation>每行权重之和为 1：不适用，所选的归一化方式不保证这一点。</translation>
    </message>
    <message>
        <source>Weights behind a mask are exactly 0: {wrong} of {count} are not.</source>
        <translation>被掩码屏蔽的权重恰好为 0：{count} 个中有 {wrong} 个不是。</translation>
    </message>
    <message>
        <source>Weights behind a mask are exactly 0: there is no mask.</source>
        <translation>被掩码屏蔽的权重恰好为 0：这里没有掩码。</translation>
    </message>
    <message>
        <source>The weights are given and taken as they are: {wrong} of {count} rows miss the sum 1 by more than {least}; largest difference {difference}, negative weights: {negative}, not finite: {wild}.</source>
        <translation>权重是给定的，按原样使用：{count} 行中有 {wrong} 行的和与 1 相差超过 {least}；最大差值 {difference}，负权重 {negative} 个，非有限数 {wild} 个。</translation>
    </message>
    <message>
        <source>Splitting into heads and concatenating gives the same back; heads: {heads}.</source>
        <translation>拆分成头再拼接，结果不变；头数：{heads}。</translation>
    </message>
    <message>
        <source>Permuting keys with their values changes nothing: worst difference {difference} in {count} rows.</source>
        <translation>键连同其值一起重排，结果不变：{count} 行中最大差异为 {difference}。</translation>
    </message>
    <message>
        <source>Permuting keys with their values changes nothing: does not apply where positions count.</source>
        <translation>键连同其值一起重排，结果不变：计算与位置有关时不适用。</translation>
    </message>
    <message>
        <source>The causal future has no influence: NaN put into later keys {count} times, earlier rows compared bit by bit.</source>
        <translation>因果掩码之后的未来没有影响：{count} 次把后面的键设为 NaN，并逐位比较前面的行。</translation>
    </message>
    <message>
        <source>The causal future has no influence: there is no causal layer.</source>
        <translation>因果掩码之后的未来没有影响：这里没有因果层。</translation>
    </message>
    <message>
        <source>The causal future has no influence: no query has a later key.</source>
        <translation>因果掩码之后的未来没有影响：没有一个查询后面还有键。</translation>
    </message>
    <message>
        <source>{sentence} A sample: {count} of {all} rows of weights were looked at.</source>
        <translation>{sentence}抽查：在 {all} 行权重中看了 {count} 行。</translation>
    </message>
    <message>
        <source>{sentence} A sample: {count} of {all} query rows were looked at.</source>
        <translation>{sentence}抽查：在 {all} 个查询行中看了 {count} 行。</translation>
    </message>
    <message>
        <source>{stage} cannot be solved for: choose a weight, a score or a cell of the output.</source>
        <translation>不能对 {stage} 求解：请选择一个权重、一个分数或输出的一个单元格。</translation>
    </message>
    <message>
        <source>A weight lies between 0 and 1: choose a target in between, not {got}.</source>
        <translation>权重介于 0 与 1 之间：请在其间选择目标值，而不是 {got}。</translation>
    </message>
    <message>
        <source>An output cell reads every key: change the query row or a bias instead.</source>
        <translation>输出的单元格要读取所有的键：请改为调整查询的行或偏置。</translation>
    </message>
    <message>
        <source>{stage} comes before the bias: change the query or the key row instead.</source>
        <translation>{stage} 在加偏置之前：请改为调整查询或键的行。</translation>
    </message>
    <message>
        <source>Average pooling reads neither queries nor keys: change a bias instead.</source>
        <translation>平均汇聚既不读取查询也不读取键：请改为调整偏置。</translation>
    </message>
    <message>
        <source>Solving needs finite numbers: {stage} of this row holds NaN or infinity.</source>
        <translation>求解需要有限的数：这一行的 {stage} 含有 NaN 或无穷大。</translation>
    </message>
    <message>
        <source>A bias of its own for this row would take {count} numbers, more than {most}.</source>
        <translation>为这一行单设偏置需要 {count} 个数，超过上限 {most}。</translation>
    </message>
    <message>
        <source>Reached by the smallest change of the {by} row that keeps the odds among the other open keys.</source>
        <translation>已达到：对 {by} 的行做了最小的改动，且其余开放的键之间权重比例不变。</translation>
    </message>
    <message>
        <source>Reached by the smallest change of the key row; in other rows its weights change too.</source>
        <translation>已达到：对键的行做了最小的改动；其他行中该键的权重也会改变。</translation>
    </message>
    <message>
        <source>Reached but for rounding, which leaves {residual}: numbers are large here (condition number {condition}).</source>
        <translation>除舍入误差 {residual} 外已达到：这里的数值很大（条件数 {condition}）。</translation>
    </message>
    <message>
        <source>Not reached: with a row as long as is needed, rounding leaves {residual} (condition number {condition}).</source>
        <translation>未达到：所需的行太长，舍入误差为 {residual}（条件数 {condition}）。</translation>
    </message>
    <message>
        <source>No query row reaches this and keeps the odds among the other open keys: the system has the rank {rank}, with the target {more}. This is the nearest in least squares of the logits.</source>
        <translation>没有哪个查询行能达到目标，又保持其余开放的键之间的权重比例：方程组的秩为 {rank}，加上目标后为 {more}。这是 logits 最小二乘意义下最接近的解。</translation>
    </message>
    <message>
        <source>Key {key} is closed to this query by a mask or by a bias of −∞: its weight stays 0.</source>
        <translation>键 {key} 被掩码或值为 −∞ 的偏置屏蔽，该查询看不到它：其权重始终为 0。</translation>
    </message>
    <message>
        <source>Key {key} is the only one open to this query: its weight stays 1.</source>
        <translation>对该查询开放的键只有 {key}：其权重始终为 1。</translation>
    </message>
    <message>
        <source>No key row changes the score of key {key} for this query: {why} is 0.</source>
        <translation>对这个查询，任何键的行都改变不了键 {key} 的分数：{why} 为 0。</translation>
    </message>
    <message>
        <source>The softcap keeps scores between −{cap} and {cap}, and this would need {needed}. This is the nearest.</source>
        <translation>软上限使分数介于 −{cap} 与 {cap} 之间，而这里需要 {needed}。这是最接近的解。</translation>
    </message>
    <message>
        <source>No key row has such a score for this query; {most} is the nearest.</source>
        <translation>对这个查询，没有哪个键的行能得到这个分数；最接近的是 {most}。</translation>
    </message>
    <message>
        <source>A nearby solution, found step by step (Gauss–Newton, {steps} steps); a smaller change may do.</source>
        <translation>逐步求得的邻近解（高斯–牛顿法，{steps} 步）；也许有更小的改动。</translation>
    </message>
    <message>
        <source>Not reached: the open keys hold values from {low} to {high} here, and an output is a mean of them.</source>
        <translation>未达到：这里开放的键的值介于 {low} 与 {high} 之间，而输出是它们的加权平均。</translation>
    </message>
    <message>
        <source>Not reached: the open keys hold values from {low} to {high} here, and beside a sink an output lies between them and 0.</source>
        <translation>未达到：这里开放的键的值介于 {low} 与 {high} 之间，而有汇点时输出介于它们与 0 之间。</translation>
    </message>
    <message>
        <source>Not reached: no key is open to this query, so that its output stays 0.</source>
        <translation>未达到：没有对该查询开放的键，因此它的输出始终为 0。</translation>
    </message>
    <message>
        <source>the tokens of the queries</source>
        <translation>查询的词元</translation>
    </message>
    <message>
        <source>the tokens of the keys</source>
        <translation>键的词元</translation>
    </message>
    <message>
        <source>{file} holds no text: copy the numbers as plain text, or save them as a file and open that.</source>
        <translation>{file}中没有文本：请以纯文本形式复制数值，或将其存为文件后打开。</translation>
    </message>
    <message>
        <source>A worksheet has no steps for rotary positions, norms of Q and K, or a norm before the projections: without them the numbers on the sheet would not follow from each other.</source>
        <translation>练习单没有旋转位置编码、Q 和 K 的归一化以及投影之前的归一化这几步；缺了这些步骤，单上的数就无法前后推出。</translation>
    </message>
    <message>
        <source>{field} in {other}, beside {file}, has to give a record with a content for each id.</source>
        <translation>{file} 旁的 {other} 中，{field} 应为每个 id 给出一条含 content 的记录。</translation>
    </message>
    <message>
        <source>{sentence} {next}</source>
        <translation>{sentence}{next}</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>That takes {size} of new numbers; at most {share} may be taken, as {free} of memory are free.</source>
        <translation>这需要 {size} 的新数值；可用内存为 {free}，最多只能占用 {share}。</translation>
    </message>
    <message>
        <source>There is not enough memory for {size} of new numbers.</source>
        <translation>内存不足，放不下 {size} 的新数值。</translation>
    </message>
    <message>
        <source>Resize {matrix} from {before} to {shape}; new cells are 0.</source>
        <translation>将 {matrix} 的大小由 {before} 改为 {shape}；新单元格为 0。</translation>
    </message>
    <message>
        <source>Multiply {matrix} by a new matrix of random numbers, {shape}: {before} becomes {after}.</source>
        <translation>用一个由随机数组成的新矩阵（{shape}）右乘 {matrix}：{before} 变为 {after}。</translation>
    </message>
    <message>
        <source>Add {matrix}, {shape} random numbers, so that the output is as wide as x.</source>
        <translation>添加由随机数组成的 {matrix}（{shape}），使输出与 X 同宽。</translation>
    </message>
    <message>
        <source>{symbol} {before} → {after}</source>
        <translation>{symbol} {before} → {after}</translation>
    </message>
    <message>
        <source>With it changes {others}; new cells are 0.</source>
        <translation>随之改变：{others}；新单元格为 0。</translation>
    </message>
    <message>
        <source>New cells are 0.</source>
        <translation>新单元格为 0。</translation>
    </message>
    <message>
        <source>{changes}; new cells are 0</source>
        <translation>{changes}；新单元格为 0</translation>
    </message>
    <message>
        <source>{file}: “mask” holds 0 and 1 as decimal numbers, which may close and open cells or be added to scores; expected booleans (True = may attend), or a layer of the kind bias.</source>
        <translation>{file}：“mask”中的 0 和 1 是浮点数，既可能表示屏蔽和开放，也可能是要加到分数上的数；应为布尔值（True 表示允许关注），或 bias 类型的层。</translation>
    </message>
    <message>
        <source>{field} cannot be read as an array: {reason}.</source>
        <translation>无法将 {field} 读作数组：{reason}。</translation>
    </message>
    <message>
        <source>{field} has masked cells, which no number stands for: fill them, and close them with a mask layer.</source>
        <translation>{field} 中有被遮盖而没有数值的单元格：请先填上数值，再用掩码层屏蔽它们。</translation>
    </message>
    <message>
        <source>{matrix} must have {expected} axes, got the shape {shape}: heads on an axis of their own are taken by Problem.from_heads(query, key, value).</source>
        <translation>{matrix} 必须有 {expected} 个轴，实际形状为 {shape}：头自成一轴时，请用 Problem.from_heads(query, key, value)。</translation>
    </message>
    <message>
        <source>{matrix} has the shape {shape}, and its first axis may be {got} heads or {got} batch items: for heads call Problem.from_heads(query, key, value), for items Problem(…, batch_axis=True).</source>
        <translation>{matrix} 的形状为 {shape}，第一个轴可能是 {got} 个头，也可能是 {got} 个样本：若是头，请用 Problem.from_heads(query, key, value)；若是样本，请用 Problem(…, batch_axis=True)。</translation>
    </message>
    <message>
        <source>{matrix} must have the axes (head, row, column) or (batch, head, row, column), got the shape {shape}.</source>
        <translation>{matrix} 的轴必须是（头，行，列）或（样本，头，行，列），实际形状为 {shape}。</translation>
    </message>
    <message>
        <source>{call} takes a trace, got {got}: call {right}.</source>
        <translation>{call} 需要计算结果（trace），实际得到 {got}：请调用 {right}。</translation>
    </message>
    <message>
        <source>{call} takes a problem, got {got}: call {right}.</source>
        <translation>{call} 需要算例（Problem），实际得到 {got}：请调用 {right}。</translation>
    </message>
    <message>
        <source>A block takes its rows and columns as slices without a step, got {got}: call {call}.</source>
        <translation>块的行与列须为不带步长的切片，实际得到 {got}：请调用 {call}。</translation>
    </message>
    <message>
        <source>{stage} takes an index of {expected} whole numbers ({axes}) within {shape}, got ({got}).</source>
        <translation>{stage} 的索引是 {expected} 个整数（{axes}），范围为 {shape}，实际为 ({got})。</translation>
    </message>
    <message>
        <source>{file} has {got} characters; expected at most {most}.</source>
        <translation>{file} 有 {got} 个字符；上限为 {most} 个。</translation>
    </message>
    <message>
        <source>{file} has a cell that is too long or a quote that is not closed.</source>
        <translation>{file} 中有过长的单元格，或有未闭合的引号。</translation>
    </message>
    <message>
        <source>{file}: the label of row {row} is “{text}”; expected a name or a count as in the rows above.</source>
        <translation>{file}：第 {row} 行的标签是“{text}”；应与上面各行一样是名称或序号。</translation>
    </message>
    <message>
        <source>The first row was left out as headings: {names}.</source>
        <translation>第一行作为表头略去：{names}。</translation>
    </message>
    <message>
        <source>The first column was left out as labels: {names}.</source>
        <translation>第一列作为标签略去：{names}。</translation>
    </message>
    <message>
        <source>{file} can be read in {count} ways: {readings}; expected decimal points, tabs between columns, and names above.</source>
        <translation>{file} 有 {count} 种读法：{readings}；应使用小数点，列间用制表符分隔，表头用名称。</translation>
    </message>
    <message>
        <source>{shape} numbers from {first} on</source>
        <translation>{shape} 个数，以 {first} 开头</translation>
    </message>
    <message>
        <source>{shape} numbers with decimal commas from {first} on</source>
        <translation>{shape} 个数，逗号为小数点，以 {first} 开头</translation>
    </message>
    <message>
        <source>{shape} numbers with commas between thousands from {first} on</source>
        <translation>{shape} 个数，逗号为千位分隔符，以 {first} 开头</translation>
    </message>
    <message>
        <source>{reading} without the first row</source>
        <translation>{reading}（略去第一行）</translation>
    </message>
    <message>
        <source>{reading} without the first column</source>
        <translation>{reading}（略去第一列）</translation>
    </message>
    <message>
        <source>{reading} without the first row and column</source>
        <translation>{reading}（略去第一行和第一列）</translation>
    </message>
    <message>
        <source>{file} holds more than {most} numbers.</source>
        <translation>{file} 中的数超过 {most} 个。</translation>
    </message>
    <message>
        <source>Points were read as decimal points: {text} as {value}.</source>
        <translation>点已读作小数点：{text} 读作 {value}。</translation>
    </message>
    <message>
        <source>Commas were read as decimal points: {text} as {value}.</source>
        <translation>逗号已读作小数点：{text} 读作 {value}。</translation>
    </message>
    <message>
        <source>Commas were read as thousands separators: {text} as {value}.</source>
        <translation>逗号已读作千位分隔符：{text} 读作 {value}。</translation>
    </message>
    <message>
        <source>row {row}, column {column}</source>
        <translation>第 {row} 行第 {column} 列</translation>
    </message>
    <message>
        <source>row {row}, column {column} (line {line})</source>
        <translation>第 {row} 行第 {column} 列（文本第 {line} 行）</translation>
    </message>
    <message>
        <source>{file}: {place} is “{text}”; expected a number.</source>
        <translation>{file}：{place}是“{text}”；应为一个数。</translation>
    </message>
    <message>
        <source>{file}: {place} is empty; expected a number.</source>
        <translation>{file}：{place}为空；应为一个数。</translation>
    </message>
    <message>
        <source>{file}: {place} is “{text}”, an error or a missing value; expected a number.</source>
        <translation>{file}：{place}是“{text}”，即错误值或缺失值；应为一个数。</translation>
    </message>
    <message>
        <source>{file}: {place} is “{text}”; expected a point, as in 1.5, not a comma.</source>
        <translation>{file}：{place}是“{text}”；应使用小数点（如 1.5），而不是逗号。</translation>
    </message>
    <message>
        <source>{file}: {place}: {reason}</source>
        <translation>{file}：{place}：{reason}</translation>
    </message>
    <message>
        <source>{file}: row {row} (line {line}) is empty; expected a number.</source>
        <translation>{file}：第 {row} 行（文本第 {line} 行）为空；应为一个数。</translation>
    </message>
    <message>
        <source>Numbers in parentheses were read as negative ones: {text} as {value}.</source>
        <translation>括号中的数已读作负数：{text} 读作 {value}。</translation>
    </message>
    <message>
        <source>Among numbers “{text}” was read as {value}.</source>
        <translation>数之间的“{text}”已读作 {value}。</translation>
    </message>
    <message>
        <source>{text} is too small to be kept and was read as 0.</source>
        <translation>{text} 的绝对值太小，无法表示，已读作 0。</translation>
    </message>
    <message>
        <source>The first column is empty and was left out.</source>
        <translation>第一列为空，已略去。</translation>
    </message>
    <message>
        <source>Commas were read as lying between numbers: {text} as {cells}.</source>
        <translation>逗号已读作数与数之间的分隔符：{text} 读作 {cells}。</translation>
    </message>
    <message>
        <source>{file}: row {row} (line {line}) has {got} cells; expected {expected}, as in the first row.</source>
        <translation>{file}：第 {row} 行（文本第 {line} 行）有 {got} 个单元格；应与第 0 行一样有 {expected} 个。</translation>
    </message>
    <message>
        <source>{file}: row {row} has {got} cells; expected {expected}, as in the first row.</source>
        <translation>{file}：第 {row} 行有 {got} 个单元格；应与第 0 行一样有 {expected} 个。</translation>
    </message>
    <message>
        <source>Whole numbers beyond 2⁵³ were rounded to float64: {text} is {value} now.</source>
        <translation>超过 2⁵³ 的整数已舍入为 float64：{text} 现为 {value}。</translation>
    </message>
    <message>
        <source>{file} holds {count} arrays, not one matrix: {names}. Open it instead.</source>
        <translation>{file} 里有 {count} 个数组（{names}），不是一个矩阵；请改用“打开”。</translation>
    </message>
    <message>
        <source>{file} holds one matrix, not a problem; expected {expected}. Import it into a table of an open problem.</source>
        <translation>{file} 只含一个矩阵，不是完整的算例；应为 {expected}。请打开一个算例，再将它导入其中的表格。</translation>
    </message>
    <message>
        <source>{file} holds a whole problem, not one matrix; expected {expected}.</source>
        <translation>{file} 含有完整的算例，而不是单个矩阵；应为 {expected}。</translation>
    </message>
    <message>
        <source>The clipboard</source>
        <translation>剪贴板</translation>
    </message>
    <message>
        <source>{file}: the brackets do not match; expected as many closed as opened.</source>
        <translation>{file}：括号不配对；左右括号的数目应相等。</translation>
    </message>
    <message>
        <source>{file} holds {count} matrices; expected one of them.</source>
        <translation>{file} 中有 {count} 个矩阵；只能有一个。</translation>
    </message>
    <message>
        <source>{file}: a number is missing beside a comma.</source>
        <translation>{file}：逗号旁缺少一个数。</translation>
    </message>
    <message>
        <source>{file} is a print shortened with “...”; expected all numbers: print the whole matrix and copy that.</source>
        <translation>{file} 是用“...”缩短的打印结果；应包含全部数值：请完整打印矩阵后再复制。</translation>
    </message>
    <message>
        <source>{file} is damaged or is not what its name says.</source>
        <translation>{file} 已损坏，或内容与文件名不符。</translation>
    </message>
    <message>
        <source>{file}: no file can have this name.</source>
        <translation>{file}：文件不能使用这个名称。</translation>
    </message>
    <message>
        <source>{file}: the options are not names with values in braces.</source>
        <translation>{file}：选项不是花括号中的名称和值。</translation>
    </message>
    <message>
        <source>“{name}” holds {got}, too large for {dtype}: it is {value} now.</source>
        <translation>“{name}”中的 {got} 超出 {dtype} 的范围，现为 {value}。</translation>
    </message>
    <message>
        <source>{file}: the options are not valid JSON from character {place} on.</source>
        <translation>{file}：选项从第 {place} 个字符起不是有效的 JSON。</translation>
    </message>
    <message>
        <source>{file}: the options hold {got}, which is not a JSON number.</source>
        <translation>{file}：选项中的 {got} 不是 JSON 的数。</translation>
    </message>
    <message>
        <source>{file}: the options are nested too deeply.</source>
        <translation>{file}：选项嵌套过深。</translation>
    </message>
    <message>
        <source>{file}: the options have {got} lists and records; expected at most {expected}.</source>
        <translation>{file}：选项中有 {got} 个列表和记录；上限为 {expected} 个。</translation>
    </message>
    <message>
        <source>{file}: the options hold a number that is too long.</source>
        <translation>{file}：选项中有位数过多的数。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is given twice in the options.</source>
        <translation>{file}：选项中“{name}”出现了两次。</translation>
    </message>
    <message>
        <source>{file}: what it says about “{name}” is damaged.</source>
        <translation>{file}：关于“{name}”的说明已损坏。</translation>
    </message>
    <message>
        <source>{file} is damaged: its arrays overlap or leave a gap.</source>
        <translation>{file} 已损坏：其中的数组重叠或留有空隙。</translation>
    </message>
    <message>
        <source>{file} lists too many arrays: {got} of names; expected at most {expected}.</source>
        <translation>{file} 列出的数组过多：名称占 {got}；上限为 {expected}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is not names with values in braces.</source>
        <translation>{file}：“{name}”不是花括号中的名称和值。</translation>
    </message>
    <message>
        <source>{file}: the option “{name}” is {got}; expected a list.</source>
        <translation>{file}：选项“{name}”是{got}；应为列表。</translation>
    </message>
    <message>
        <source>{file}: the option “{name}” is {got}; expected names with values.</source>
        <translation>{file}：选项“{name}”是{got}；应为名称和值。</translation>
    </message>
    <message>
        <source>{field} has {got} layers; at most {most} are possible.</source>
        <translation>{field} 有 {got} 层；最多可有 {most} 层。</translation>
    </message>
    <message>
        <source>{field}: text {place} has {got} letters; at most {most} are possible.</source>
        <translation>{field}：第 {place} 个文本有 {got} 个字符；最多可有 {most} 个。</translation>
    </message>
    <message>
        <source>In the lesson {file}, line {line}: expected {expected}, got {got}.</source>
        <translation>课程 {file} 第 {line} 行：应为{expected}，实际为 {got}。</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空值</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>真或假</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>一个数</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>a list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>names with values</source>
        <translation>名称和值</translation>
    </message>
    <message>
        <source>an array</source>
        <translation>数组</translation>
    </message>
    <message>
        <source>something else</source>
        <translation>其他内容</translation>
    </message>
    <message>
        <source>rows of different lengths</source>
        <translation>长度不同的行</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, as each of {count} keys.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}，{count} 个键的权重都相等。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, the largest of {count}, which {equals} keys share.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}，在 {count} 个键中最大，有 {equals} 个键并列。</translation>
    </message>
    <message>
        <source>Column {column} of {matrix} for {token}: {value}. It is the sum of {count} products of {source} and {projection}, plus {shift}.</source>
        <translation>{matrix} 中{token} 的列 {column}：{value}，是 {source} 与 {projection} 的 {count} 个乘积之和，加上 {shift}。</translation>
    </message>
    <message>
        <source>{column} (head {head}, its column {inner})</source>
        <translation>{column}（头 {head} 的第 {inner} 列）</translation>
    </message>
    <message>
        <source>The {by} row is computed from X here: change the row of X or a bias instead, or work on Q, K, V directly.</source>
        <translation>这里 {by} 的行由 X 计算得出：请改动 X 的行或偏置，或直接在 Q、K、V 上操作。</translation>
    </message>
    <message>
        <source>There is no X here: change the query row instead.</source>
        <translation>这里没有 X：请改动查询的行。</translation>
    </message>
    <message>
        <source>The {score} score is not linear in the query row: let the odds go free, or change the key row or a bias.</source>
        <translation>{score}评分函数对查询行不是线性的：请放开权重比例，或改动键的行或偏置。</translation>
    </message>
    <message>
        <source>With a softcap, logits are not linear in the query row: let the odds go free, or change the key row or a bias.</source>
        <translation>使用软上限时，logits 对查询行不是线性的：请放开权重比例，或改动键的行或偏置。</translation>
    </message>
    <message>
        <source>The Gaussian score is not linear in the query row: let the odds go free, or change the key row, or solve for a weight.</source>
        <translation>高斯核评分函数对查询行不是线性的：请放开权重比例，或改动键的行，或改为对权重求解。</translation>
    </message>
    <message>
        <source>Beside a sink, a norm of Q or K, or a change by hand, or without a softmax, nothing keeps the odds among the other keys: let them go free.</source>
        <translation>有注意力汇点、Q 或 K 的归一化、手动修改，或没有 softmax 时，其余键之间的比值无法保持：请让它们自由变化。</translation>
    </message>
    <message>
        <source>Reached by a small change of the row of X that keeps the odds among the other open keys ({steps} steps); other rows change too where they read it.</source>
        <translation>已达到：对 X 的行做了小的改动，其余开放的键之间权重比例不变（{steps} 步）；读取这一行的其他行也随之改变。</translation>
    </message>
    <message>
        <source>Reached by the smallest change of the {by} row that {steps} steps found; the odds among the other open keys change with it.</source>
        <translation>已达到：{by} 的行的改动是 {steps} 步内找到的最小改动；其余开放的键之间的权重比例随之改变。</translation>
    </message>
    <message>
        <source>Reached by the smallest change of the {by} row that {steps} steps found. The odds among the other keys change with it: with {open} open keys and d_k = {width} hardly any target can be reached that keeps them.</source>
        <translation>已达到：{by} 的行的改动是 {steps} 步内找到的最小改动。其余的键之间的权重比例随之改变：有 {open} 个开放的键而 d_k = {width} 时，几乎没有目标能在保持比例的同时达到。</translation>
    </message>
    <message>
        <source>No {by} row gives key {key} a weight above {most}: its vector is a weighted mean of those of the other open keys. This is the nearest.</source>
        <translation>无论怎样改动 {by} 的行，键 {key} 的权重都不会超过 {most}：它的向量是其余开放的键的向量的加权平均。这是最接近的解。</translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}.</source>
        <translation>查询 {query} 与键 {key} 的分数：{value}。</translation>
    </message>
    <message>
        <source>{title} of query {query} and key {key}: {value}.</source>
        <translation>查询 {query} 与键 {key} 的{title}：{value}。</translation>
    </message>
    <message>
        <source>{title}, column {column} for {token}: {value}.</source>
        <translation>{token} 的{title}，第 {column} 列：{value}。</translation>
    </message>
    <message>
        <source>There is no head {got}; there are {heads}, counted from 0.</source>
        <translation>没有头 {got}；共有 {heads} 个头，从 0 数起。</translation>
    </message>
    <message>
        <source>Heads share K/V heads in groups of {group}: head {head} can only change places within its own group.</source>
        <translation>每 {group} 个头共用一个 K/V 头：头 {head} 只能在自己的组内换位置。</translation>
    </message>
    <message>
        <source>Head {head} reads the same K/V head and would change too: average whole groups of {group} heads.</source>
        <translation>头 {head} 读取同一个 K/V 头，也会随之改变：请按每组 {group} 个头整组取平均。</translation>
    </message>
    <message>
        <source>An average takes two heads or more.</source>
        <translation>取平均至少需要两个头。</translation>
    </message>
    <message>
        <source>The slopes of {layer} belong to the places of the heads and stay there.</source>
        <translation>{layer} 的斜率属于头的位置，不随头移动。</translation>
    </message>
    <message>
        <source>{file}: “{name}” belongs to no intervention; expected one numbered {place} in the options.</source>
        <translation>{file}：“{name}”不属于任何干预；选项中应有编号为 {place} 的干预。</translation>
    </message>
    <message>
        <source>{field} must be a tuple of interventions, got {got}.</source>
        <translation>{field} 应为干预组成的元组，实际为{got}。</translation>
    </message>
    <message>
        <source>{field} must be one of the interventions {choices}, got {got}.</source>
        <translation>{field} 应为以下干预之一：{choices}；实际为{got}。</translation>
    </message>
    <message>
        <source>{field} has {got} entries; at most {most} are possible.</source>
        <translation>{field} 有 {got} 项；最多允许 {most} 项。</translation>
    </message>
    <message>
        <source>{field} hold {got} numbers; at most {most} are possible.</source>
        <translation>{field} 共含 {got} 个数；最多允许 {most} 个。</translation>
    </message>
    <message>
        <source>{field} must be a name, got {got}.</source>
        <translation>{field} 应为名称，实际为{got}。</translation>
    </message>
    <message>
        <source>{field} must be a stage of this problem, one of {choices}; got {got}.</source>
        <translation>{field} 应为本算例的一个阶段：{choices}；实际为{got}。</translation>
    </message>
    <message>
        <source>{field}: {stage} has no axis {got}; it has {choices}.</source>
        <translation>{field}：{stage} 没有轴 {got}；它的轴为 {choices}。</translation>
    </message>
    <message>
        <source>{field} must be a whole number or a stretch (start, stop) with start &lt; stop, got {got}.</source>
        <translation>{field} 应为整数或区间 (start, stop)，且 start &lt; stop；实际为 {got}。</translation>
    </message>
    <message>
        <source>{field} must be one whole number, got {got}.</source>
        <translation>{field} 应为一个整数，实际为 {got}。</translation>
    </message>
    <message>
        <source>{matrix}: {other} has {expected} cells along its axis {axis}, got {got}.</source>
        <translation>{matrix}：{other} 沿轴 {axis} 有 {expected} 个单元格，实际给出 {got}。</translation>
    </message>
    <message>
        <source>{matrix} must broadcast to the cells of {other} that are set, {expected}; got the shape {got}.</source>
        <translation>{matrix} 应能广播到 {other} 中被设定的单元格 {expected}；实际形状为 {got}。</translation>
    </message>
    <message>
        <source>Only the w of a Gaussian score can be fitted to the data; the {score} score has none.</source>
        <translation>只有高斯核评分函数的 w 可以由数据拟合，{score}评分函数没有可拟合的 w。</translation>
    </message>
    <message>
        <source>The reference does not know the intervention {name}: no stage is judged.</source>
        <translation>参考实现不认识干预 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>Splitting into heads and concatenating gives the same back: there are no values.</source>
        <translation>拆分成头再拼接，结果不变：这里没有值。</translation>
    </message>
    <message>
        <source>Permuting keys with their values changes nothing: there are no values.</source>
        <translation>键连同其值一起重排，结果不变：这里没有值。</translation>
    </message>
    <message>
        <source>The causal future has no influence: does not apply where cells are changed by hand.</source>
        <translation>因果掩码之后的未来没有影响：有单元格被手动修改时不适用。</translation>
    </message>
    <message>
        <source>{cell} is {value}: a change by hand leaves it as computed.</source>
        <translation>{cell} 为 {value}：经手动修改后仍等于计算值。</translation>
    </message>
    <message>
        <source>{cell} is {value}: changed by hand. Computed, it would be {computed}.</source>
        <translation>{cell} 为 {value}，是手动修改的；按公式计算应为 {computed}。</translation>
    </message>
    <message>
        <source>There is no place {got}; places go from 0 to {most}.</source>
        <translation>没有位置 {got}；位置从 0 到 {most}。</translation>
    </message>
    <message>
        <source>Rows or columns of {symbol} cannot come or go by themselves.</source>
        <translation>{symbol} 的行或列不能单独增减。</translation>
    </message>
    <message>
        <source>Choose columns of one head: each head has {width}, and all change alike.</source>
        <translation>请选择同一个头内的列：每个头有 {width} 列，各头同时增减。</translation>
    </message>
    <message>
        <source>“English | 中文”, once “ | ” between them</source>
        <translation>“English | 中文”，两者之间恰有一个“ | ”</translation>
    </message>
    <message>
        <source>“# title | 标题” as the first line</source>
        <translation>首行“# title | 标题”</translation>
    </message>
    <message>
        <source>a step that begins with “## title | 标题”</source>
        <translation>以“## title | 标题”开头的步骤</translation>
    </message>
    <message>
        <source>“### English”, “### 中文” or “### Question”</source>
        <translation>“### English”“### 中文”或“### Question”</translation>
    </message>
    <message>
        <source>each part of a step once</source>
        <translation>步骤的每个部分各出现一次</translation>
    </message>
    <message>
        <source>“- word: …” with one of {words}</source>
        <translation>“- 词: …”，其中的词为 {words} 之一</translation>
    </message>
    <message>
        <source>“- ask:”, “- answer:”, “- tolerance:”, “- wrong:”, “- because:” or “- [ ] choice”</source>
        <translation>“- ask:”、“- answer:”、“- tolerance:”、“- wrong:”、“- because:”或“- [ ] 选项”</translation>
    </message>
    <message>
        <source>“- wrong: number | what it is”, at most {most} times</source>
        <translation>“- wrong: 数 | 它是什么”，最多 {most} 行</translation>
    </message>
    <message>
        <source>a text under “### English” and one under “### 中文”</source>
        <translation>“### English”与“### 中文”之下各有正文</translation>
    </message>
    <message>
        <source>a card of its own size (--width or --height gives it another)</source>
        <translation>尺寸未指定的卡片（可用 --width 或 --height 指定）</translation>
    </message>
    <message>
        <source>{file} holds no problem: expected matrices named Q, K and V, or X, W_Q, W_K and W_V, none of them a transpose, that fit together; got {names}.</source>
        <translation>{file} 不含算例：应有名为 Q、K 和 V，或 X、W_Q、W_K 和 W_V，不是转置且形状相配的矩阵；实有 {names}。</translation>
    </message>
    <message>
        <source>The text is not UTF-8; its letters were read as {encoding}.</source>
        <translation>文本不是 UTF-8；其中的文字按 {encoding} 读取。</translation>
    </message>
    <message>
        <source>{file} is not text in UTF-8, GB 18030 or Windows-1252; expected numbers.</source>
        <translation>{file} 不是 UTF-8、GB 18030 或 Windows-1252 文本；应为数值。</translation>
    </message>
    <message>
        <source>the number in {cell} is too large for float64: the largest is {largest}.</source>
        <translation>单元格 {cell} 中的数超出 float64 的范围：最大为 {largest}。</translation>
    </message>
    <message>
        <source>“- ask:” and either “- answer:” or 2 to 8 choices, one of them “- [x]”</source>
        <translation>“- ask:”，以及“- answer:”或 2 至 8 个选项（其中一个为“- [x]”）</translation>
    </message>
    <message>
        <source>plain text without HTML</source>
        <translation>不含 HTML 的纯文本</translation>
    </message>
    <message>
        <source>an expression such as {{weights[1, 1]}}</source>
        <translation>形如 {{weights[1, 1]}} 的表达式</translation>
    </message>
    <message>
        <source>“- tolerance:” beside “- answer:” alone, not with choices</source>
        <translation>“- tolerance:”只能与“- answer:”同用，不能与选项同用</translation>
    </message>
    <message>
        <source>“- wrong: what it is” once below a choice “- [ ]”</source>
        <translation>“- [ ]”选项下面的一行“- wrong: 它错在哪里”</translation>
    </message>
    <message>
        <source>a number between 0 and 1, written as 0.001</source>
        <translation>0 与 1 之间、写成 0.001 这种形式的数</translation>
    </message>
    <message>
        <source>at most {most} letters in a line</source>
        <translation>每行至多 {most} 个字符</translation>
    </message>
    <message>
        <source>1 to {most} steps</source>
        <translation>1 至 {most} 个步骤</translation>
    </message>
    <message>
        <source>text in UTF-8</source>
        <translation>UTF-8 文本</translation>
    </message>
    <message>
        <source>the name of an example, or of a problem file beside the lesson</source>
        <translation>示例名，或课程文件旁的算例文件名</translation>
    </message>
    <message>
        <source>“kind=self n=4 num_heads=2 d_k=3 fill=random seed=1” as JSON values</source>
        <translation>“kind=self n=4 num_heads=2 d_k=3 fill=random seed=1”（值为 JSON）</translation>
    </message>
    <message>
        <source>“field = JSON value” or “field[row, column] = number” that fits</source>
        <translation>合适的“字段 = JSON 值”或“字段[行, 列] = 数”</translation>
    </message>
    <message>
        <source>a cell such as weights[1, 1], or weights[head, row, column]</source>
        <translation>形如 weights[1, 1] 或 weights[头, 行, 列] 的单元格</translation>
    </message>
    <message>
        <source>a cell that is computed, such as weights[1, 1]</source>
        <translation>算出来的单元格，如 weights[1, 1]</translation>
    </message>
    <message>
        <source>the number of a head</source>
        <translation>头的编号</translation>
    </message>
    <message>
        <source>a number that the problem of this step has</source>
        <translation>这一步的算例中存在的数</translation>
    </message>
    <message>
        <source>a number that is not taken as the answer</source>
        <translation>一个不会被当作正确答案的数</translation>
    </message>
    <message>
        <source>an answer that is a finite number</source>
        <translation>一个有限的数作为答案</translation>
    </message>
    <message>
        <source>something that holds for the numbers of this step</source>
        <translation>对这一步的数成立的结论</translation>
    </message>
    <message>
        <source>a problem of at most {most} cells</source>
        <translation>至多 {most} 个单元格的算例</translation>
    </message>
    <message>
        <source>{file} is too large for a worksheet: {got} cells of the maps; expected at most {expected}.</source>
        <translation>{file} 太大，不适合做成练习卷：各图共有 {got} 个单元格，至多 {expected} 个。</translation>
    </message>
    <message>
        <source>There are only {got} cells to leave out; {expected} were asked for.</source>
        <translation>可留空的单元格只有 {got} 个，而要求 {expected} 个。</translation>
    </message>
    <message>
        <source>{file}: the document is too large to be kept beside its file.</source>
        <translation>{file}：文档太大，无法在文件之外另留备份。</translation>
    </message>
    <message>
        <source>{file} is damaged: nothing can be recovered from it.</source>
        <translation>{file} 已损坏，无法从中恢复任何内容。</translation>
    </message>
    <message>
        <source>{file}: the edits belong to {base} as it was; it was changed or removed since.</source>
        <translation>{file}：这些编辑基于 {base} 当时的内容；该文件此后已被更改或删除。</translation>
    </message>
    <message>
        <source>Figure with its session</source>
        <translation>含会话的图</translation>
    </message>
    <message>
        <source>{file} is a figure that carries no session.</source>
        <translation>{file} 是一幅图，其中没有会话。</translation>
    </message>
    <message>
        <source>{file}: the session that this figure carries is damaged.</source>
        <translation>{file}：图中所含的会话已损坏。</translation>
    </message>
    <message>
        <source>{file} carries a session of more than {expected}.</source>
        <translation>{file} 所含的会话超过 {expected}。</translation>
    </message>
    <message>
        <source>{file} is a pickle, which could run code, and is not opened. In Python: t = torch.load({path}, weights_only=True); numpy.savez({to}, query=t[…], key=t[…], value=t[…]), with the names of its tensors; then open that file.</source>
        <translation>{file} 是 pickle 文件，可能执行代码，因此不予打开。请在 Python 中运行：t = torch.load({path}, weights_only=True); numpy.savez({to}, query=t[…], key=t[…], value=t[…])，方括号中填写其张量的名称；然后打开所得文件。</translation>
    </message>
    <message>
        <source>A script would hold {count} numbers; up to {most} are written. Export them as NPZ instead.</source>
        <translation>脚本里将有 {count} 个数，最多写出 {most} 个；请改为导出 NPZ。</translation>
    </message>
    <message>
        <source>A script is written for finite numbers only; {field} holds others.</source>
        <translation>脚本只能写出有限的数；{field} 中有非有限的数。</translation>
    </message>
    <message>
        <source>There is no script for the stage {stage} yet.</source>
        <translation>阶段 {stage} 还不能写成脚本。</translation>
    </message>
    <message>
        <source>There is no script for the mask layer {kind} yet.</source>
        <translation>掩码层 {kind} 还不能写成脚本。</translation>
    </message>
    <message>
        <source>There is no script for the intervention {kind} yet.</source>
        <translation>干预 {kind} 还不能写成脚本。</translation>
    </message>
    <message>
        <source>Snapshots in it, which the window opens: {names}.</source>
        <translation>其中的快照可在窗口中打开：{names}。</translation>
    </message>
    <message>
        <source>There are {count} snapshots, which is the most; delete one first.</source>
        <translation>已有 {count} 个快照，达到上限；请先删除一个。</translation>
    </message>
    <message>
        <source>The snapshots in the file are damaged; they were left out.</source>
        <translation>文件中的快照已损坏，未读入。</translation>
    </message>
    <message>
        <source>{file} is not valid JSON from character {place} on.</source>
        <translation>{file} 从第 {place} 个字符起不是合法的 JSON。</translation>
    </message>
    <message>
        <source>{file} is nested too deeply.</source>
        <translation>{file} 的嵌套太深。</translation>
    </message>
    <message>
        <source>{file} holds {got} lists and records; expected at most {most}.</source>
        <translation>{file} 里有 {got} 个列表和记录；上限为 {most} 个。</translation>
    </message>
    <message>
        <source>{file} holds no lists of numbers.</source>
        <translation>{file} 里没有由数组成的列表。</translation>
    </message>
    <message>
        <source>{file}: “{name}” has a part of the shape {got}; expected {expected}.</source>
        <translation>{file}：“{name}”有一部分的形状是 {got}；应为 {expected}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {got}; expected numbers.</source>
        <translation>{file}：“{name}”里有 {got}；应为数值。</translation>
    </message>
    <message>
        <source>{file} holds a number that is too long.</source>
        <translation>{file} 里有位数过多的数。</translation>
    </message>
    <message>
        <source>{file} is cut off or is no safetensors file.</source>
        <translation>{file} 不完整，或者不是 safetensors 文件。</translation>
    </message>
    <message>
        <source>{file} is damaged or is no workbook of Excel.</source>
        <translation>{file} 已损坏，或者不是 Excel 工作簿。</translation>
    </message>
    <message>
        <source>{file} unpacks to {got}; expected at most {expected}.</source>
        <translation>{file} 解压后有 {got}；上限为 {expected}。</translation>
    </message>
    <message>
        <source>{file} has {got} parts; expected at most {expected}.</source>
        <translation>{file} 有 {got} 个部分；上限为 {expected} 个。</translation>
    </message>
    <message>
        <source>{file} declares entities in its XML, as no workbook does, and is not opened.</source>
        <translation>{file} 的 XML 里声明了实体，正常的工作簿不会这样，因此没有打开。</translation>
    </message>
    <message>
        <source>{file}: the sheet “{name}” has more than {most} cells; save it as .csv instead.</source>
        <translation>{file}：工作表“{name}”的单元格超过 {most} 个；请另存为 .csv。</translation>
    </message>
    <message>
        <source>{file}, sheet “{name}”: {reason}</source>
        <translation>{file}，工作表“{name}”：{reason}</translation>
    </message>
    <message>
        <source>{file} holds no sheet of numbers.</source>
        <translation>{file} 里没有含数值的工作表。</translation>
    </message>
    <message>
        <source>Hidden rows, columns or sheets were read as all others.</source>
        <translation>隐藏的行、列或工作表与其他部分一样读取。</translation>
    </message>
    <message>
        <source>{file}: the sheet “{name}” has formulas without values; open it in a spreadsheet and save it there.</source>
        <translation>{file}：工作表“{name}”里的公式没有保存值；请在电子表格软件里打开并保存一次。</translation>
    </message>
    <message>
        <source>{file}: {name} and {other} contradict each other.</source>
        <translation>{file}：{name} 与 {other} 相互矛盾。</translation>
    </message>
    <message>
        <source>{file}: {heads} heads cannot share {columns} columns evenly.</source>
        <translation>{file}：{heads} 个头无法均分 {columns} 列。</translation>
    </message>
    <message>
        <source>{file}: head_dim must be even for rotary positions, got {got}.</source>
        <translation>{file}：使用旋转位置编码时 head_dim 必须是偶数，实际为 {got}。</translation>
    </message>
    <message>
        <source>{file}: the model type {got} is not supported; expected {choices}.</source>
        <translation>{file}：不支持模型类型 {got}；应为 {choices}。</translation>
    </message>
    <message>
        <source>Nothing is predicted: the tensor “lm_head.weight” is missing, and by config.json (tie_word_embeddings) the embeddings do not take its place.</source>
        <translation>不作预测：缺少张量“lm_head.weight”，且按 config.json（tie_word_embeddings）不以词嵌入代替它。</translation>
    </message>
    <message>
        <source>By config.json (tie_word_embeddings) logits are products with the embeddings; the files hold another matrix for them, which is taken, as transformers 5 does.</source>
        <translation>按 config.json（tie_word_embeddings），logit 由词嵌入矩阵算出；文件里却另有一个不同的矩阵，这里读取后者，与 transformers 5 一致。</translation>
    </message>
    <message>
        <source>{file}: quantized weights (quantization_config) are not supported.</source>
        <translation>{file}：不支持量化权重（quantization_config）。</translation>
    </message>
    <message>
        <source>Give either a text or ids.</source>
        <translation>文本和 ids 只能给其中之一，且必须给一个。</translation>
    </message>
    <message>
        <source>text must be a text, or a pair of them, got {got}.</source>
        <translation>text 必须是一个文本或一对文本，实为 {got}。</translation>
    </message>
    <message>
        <source>{field} is no table of a layer of this model; it has {choices}.</source>
        <translation>{field} 不是该模型某一层的表；该层有 {choices}。</translation>
    </message>
    <message>
        <source>There is no layer {got}; the model has {layers}, counted from 0.</source>
        <translation>没有第 {got} 层；该模型有 {layers} 层，从 0 数起。</translation>
    </message>
    <message>
        <source>{field} must name its layer, a whole number; got {got}.</source>
        <translation>{field} 必须写明 layer，它是一个整数；实际为 {got}。</translation>
    </message>
    <message>
        <source>{other}, beside {file}, has to give a whole number for each token.</source>
        <translation>{file} 旁的 {other} 应为每个词元给出一个整数。</translation>
    </message>
    <message>
        <source>{file} gives the token {name} the id {got}, but {other} the id {expected}.</source>
        <translation>{file} 中词元 {name} 的 id 为 {got}，而 {other} 中写的是 {expected}。</translation>
    </message>
    <message>
        <source>The text gives no token; a model reads at least one.</source>
        <translation>文本没有切出任何词元；模型至少要读一个。</translation>
    </message>
    <message>
        <source>{got} tokens are too many: this model reads at most {expected}.</source>
        <translation>{got} 个词元太多：该模型最多读 {expected} 个。</translation>
    </message>
    <message>
        <source>{field}: there is no token {got}; the model has {expected}, counted from 0.</source>
        <translation>{field}：没有词元 {got}；该模型有 {expected} 个，从 0 数起。</translation>
    </message>
    <message>
        <source>{field} has {got} entries; expected one for each of the {expected} tokens.</source>
        <translation>{field} 有 {got} 项；应为每个词元一项，共 {expected} 项。</translation>
    </message>
    <message>
        <source>This model has no token types: leave out type_ids.</source>
        <translation>该模型没有词元类型：请不要给 type_ids。</translation>
    </message>
    <message>
        <source>mask closes every token; at least one must be open.</source>
        <translation>mask 屏蔽了所有词元；至少要开放一个。</translation>
    </message>
    <message>
        <source>{file}: {name} is missing.</source>
        <translation>{file}：缺少 {name}。</translation>
    </message>
    <message>
        <source>{file}: {name} must be a whole number from {least} to {most}, got {got}.</source>
        <translation>{file}：{name} 必须是 {least} 到 {most} 的整数，实际为 {got}。</translation>
    </message>
    <message>
        <source>{file}: {name} must be a number above 0, got {got}.</source>
        <translation>{file}：{name} 必须是大于 0 的数，实际为 {got}。</translation>
    </message>
    <message>
        <source>{file}: {name} must be true or false, got {got}.</source>
        <translation>{file}：{name} 必须是 true 或 false，实际为 {got}。</translation>
    </message>
    <message>
        <source>{file}: {name} is {got}, which is not supported; expected {choices}.</source>
        <translation>{file}：{name} 为 {got}，暂不支持；应为 {choices}。</translation>
    </message>
    <message>
        <source>{file} is no folder; expected one with config.json and model.safetensors.</source>
        <translation>{file} 不是文件夹；应为含有 config.json 和 model.safetensors 的文件夹。</translation>
    </message>
    <message>
        <source>{file} holds no config.json, and so no published model.</source>
        <translation>{file} 里没有 config.json，因此不是发布的模型。</translation>
    </message>
    <message>
        <source>{file} holds no weights; expected model.safetensors or its index.</source>
        <translation>{file} 里没有权重；应有 model.safetensors 或它的索引。</translation>
    </message>
    <message>
        <source>{file} holds an adapter (adapter_config.json), which changes another model; merge the two first.</source>
        <translation>{file} 里是适配器（adapter_config.json），它修改的是另一个模型；请先将二者合并。</translation>
    </message>
    <message>
        <source>{file} holds its weights as a pickle (pytorch_model.bin), which could run code, and is not opened; in Python: model.save_pretrained(folder, safe_serialization=True).</source>
        <translation>{file} 的权重存为 pickle（pytorch_model.bin），可能会执行代码，因此不打开；请在 Python 中运行：model.save_pretrained(folder, safe_serialization=True)。</translation>
    </message>
    <message>
        <source>The files of {file} were written anew after the model was opened: no session can name the weights that it has. Open the model again.</source>
        <translation>{file} 的文件在打开模型之后又被写过，会话已无法指明当前的权重。请重新打开模型。</translation>
    </message>
    <message>
        <source>{file}: rope_parameters and rope_scaling name different scalings: {got}; expected one.</source>
        <translation>{file}：rope_parameters 与 rope_scaling 给出了不同的缩放方式：{got}；应只有一种。</translation>
    </message>
    <message>
        <source>{file}: the pooling of sentences by {got} is not supported.</source>
        <translation>{file}：不支持用 {got} 汇聚句子。</translation>
    </message>
    <message>
        <source>{file}: expected a list of modules, each with its type and path.</source>
        <translation>{file}：应为模块的列表，每个模块有 type 和 path。</translation>
    </message>
    <message>
        <source>{file}: layer_types must name one of {choices} for each of {layers} layers.</source>
        <translation>{file}：layer_types 必须为 {layers} 层中的每一层写明 {choices} 之一。</translation>
    </message>
    <message>
        <source>{file} is cut off or no safetensors file: its header does not fit into it.</source>
        <translation>{file} 不完整或不是 safetensors 文件：文件头超出了文件。</translation>
    </message>
    <message>
        <source>{file}: the tensor “{name}” lies outside the file.</source>
        <translation>{file}：张量“{name}”在文件之外。</translation>
    </message>
    <message>
        <source>{file}: the tensor “{name}” is missing.</source>
        <translation>{file}：缺少张量“{name}”。</translation>
    </message>
    <message>
        <source>{file}: the tensor “{name}” has the shape {got}; expected {expected}.</source>
        <translation>{file}：张量“{name}”的形状为 {got}；应为 {expected}。</translation>
    </message>
    <message>
        <source>{file}: the tensor “{name}” holds {got}; expected F32, F16 or BF16.</source>
        <translation>{file}：张量“{name}”存的是 {got}；应为 F32、F16 或 BF16。</translation>
    </message>
    <message>
        <source>{file}: the tensor “{name}” holds numbers that are not finite.</source>
        <translation>{file}：张量“{name}”中有非有限的数。</translation>
    </message>
    <message>
        <source>{file}: {name} must say for every tensor which file holds it.</source>
        <translation>{file}：{name} 必须写明每个张量在哪个文件里。</translation>
    </message>
    <message>
        <source>{file}: the numbers of this model take {size} of memory in single precision; {free} are free.</source>
        <translation>{file}：这个模型的数字按单精度需要 {size} 内存；空闲的只有 {free}。</translation>
    </message>
    <message>
        <source>{file} names the shard “{name}”; expected a file of the same folder.</source>
        <translation>{file} 写的分片是“{name}”；应为同一文件夹中的文件。</translation>
    </message>
    <message>
        <source>config.json names code of its own (auto_map), which is not run: numbers are computed as for any model of type {family}.</source>
        <translation>config.json 指定了自带的代码（auto_map），但不会运行：数值按一般的 {family} 模型计算。</translation>
    </message>
    <message>
        <source>{file} is not there, and a text cannot be cut into tokens; give ids instead.</source>
        <translation>没有 {file}，无法把文本切成词元；请改给 ids。</translation>
    </message>
    <message>
        <source>Cutting a text into tokens needs the package tokenizers; this line brings it: {line}</source>
        <translation>把文本切分成词元需要 tokenizers 包；这一行可以安装它：{line}</translation>
    </message>
    <message>
        <source>{file} cannot be read as a tokenizer: {reason}.</source>
        <translation>无法将 {file} 读作分词器：{reason}。</translation>
    </message>
    <message>
        <source>The text has {got} letters; expected at most {expected}.</source>
        <translation>文本有 {got} 个字符；上限为 {expected} 个。</translation>
    </message>
    <message>
        <source>This model has no head that predicts tokens.</source>
        <translation>该模型没有预测词元的输出头。</translation>
    </message>
    <message>
        <source>There is no place {got} among the tokens; there are {count} of them.</source>
        <translation>词元中没有位置 {got}；共有 {count} 个词元。</translation>
    </message>
    <message>
        <source>“{got}” is no token of this model.</source>
        <translation>“{got}”不是该模型的词元。</translation>
    </message>
    <message>
        <source>Table in Markdown</source>
        <translation>Markdown 表格</translation>
    </message>
    <message>
        <source>Table in LaTeX</source>
        <translation>LaTeX 表格</translation>
    </message>
    <message>
        <source>There is no formula for a spreadsheet of {kind} yet.</source>
        <translation>{kind} 还没有电子表格公式。</translation>
    </message>
    <message>
        <source>A workbook would hold {got} cells; up to {most} are written. Export them as NPZ instead.</source>
        <translation>工作簿将有 {got} 个单元格，最多写入 {most} 个。请改为导出 NPZ。</translation>
    </message>
    <message>
        <source>The formulas of {stage} would be longer than a spreadsheet takes. Export the numbers as NPZ instead.</source>
        <translation>{stage} 的公式会超出电子表格允许的长度。请改为导出 NPZ 数值。</translation>
    </message>
    <message>
        <source>A spreadsheet holds finite numbers only; {field} has others.</source>
        <translation>电子表格只能存有限数，而 {field} 含有其他值。</translation>
    </message>
    <message>
        <source>Two texts of different lengths: expected {expected} tokens, got {got}.</source>
        <translation>两段文本长度不同：应有 {expected} 个词元，实际为 {got} 个。</translation>
    </message>
    <message>
        <source>The logits of this model are not a sum of what its layers add: norms stand between them, or a layer of its head.</source>
        <translation>该模型的 logit 不是各层贡献之和：中间隔着归一化层，或隔着输出头自己的一层。</translation>
    </message>
    <message>
        <source>The two runs give the same logit, {value}: there is no difference that could be recovered.</source>
        <translation>两次运行得到的 logit 相同，都是 {value}：没有差可以恢复。</translation>
    </message>
    <message>
        <source>{file} is not the file that is known by this name: its SHA-256 is another one.</source>
        <translation>{file} 不是以此名登记的文件：SHA-256 不同。</translation>
    </message>
    <message>
        <source>{name} is not installed; this line brings it: {line}</source>
        <translation>{name} 没有安装；运行这一行即可安装：{line}</translation>
    </message>
    <message>
        <source>A worked solution would have more than {most} equations, which nobody reads; choose a cell, or a smaller problem.</source>
        <translation>完整解答将超过 {most} 个等式，无法阅读；请只选一个单元格，或换小一些的算例。</translation>
    </message>
    <message>
        <source>A worked solution writes matrices of up to {most} columns, {name} has {got}; choose a cell, or a smaller problem.</source>
        <translation>完整解答最多写出 {most} 列的矩阵，而 {name} 有 {got} 列；请只选一个单元格，或换小一些的算例。</translation>
    </message>
    <message>
        <source>A worked solution writes matrices of up to {most} rows, {name} has {got}; choose a cell, or a smaller problem.</source>
        <translation>完整解答最多写出 {most} 行的矩阵，而 {name} 有 {got} 行；请只选一个单元格，或换小一些的算例。</translation>
    </message>
    <message>
        <source>There is no batch item {got}; the problem has {count}, counted from 0.</source>
        <translation>没有样本 {got}；该算例共有 {count} 个样本，从 0 开始编号。</translation>
    </message>
    <message>
        <source>The sink of its head takes {share}.</source>
        <translation>所属头的汇点占去 {share}。</translation>
    </message>
    <message>
        <source>{field} and {other} exclude each other: give one of them.</source>
        <translation>{field} 与 {other} 不能同时给出：只给其中一个。</translation>
    </message>
    <message>
        <source>{matrix} must have one number for each column of a head of {partner}: expected {expected}, got {got}.</source>
        <translation>{matrix} 必须为 {partner} 每个头的每一列给出一个数：应有 {expected} 个，实有 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must have one number for each pair of columns of a head of {partner}: expected {expected}, got {got}.</source>
        <translation>{matrix} 必须为 {partner} 每个头的每一对列给出一个数：应有 {expected} 个，实有 {got} 个。</translation>
    </message>
    <message>
        <source>{matrix} must have one number for each head: expected {expected}, got {got}.</source>
        <translation>{matrix} 必须为每个头给出一个数：应有 {expected} 个，实有 {got} 个。</translation>
    </message>
    <message>
        <source>The reference does not know {name} of the block: no stage is judged.</source>
        <translation>参考实现不认识块的 {name}：各阶段均未验证。</translation>
    </message>
    <message>
        <source>Rows of weights and the share of the sink sum to 1, or to 0 without an open key: worst difference {difference}; {wrong} rows do not, {wild} rows hold NaN.</source>
        <translation>权重的每一行与汇点所占份额之和为 1，没有开放的键时为 0：最大差异 {difference}；{wrong} 行不满足，{wild} 行含有 NaN。</translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}. It is {first} plus {second}.</source>
        <translation>查询 {query} 的第 {column} 列：{value}。它是 {first} 加 {second}。</translation>
    </message>
    <message>
        <source>{matrix} in its head</source>
        <translation>所属头中 {matrix}</translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}. It is the sum of {count} products of {source} and {projection}.</source>
        <translation>查询 {query} 的第 {column} 列：{value}。它是 {source} 与 {projection} 的 {count} 个乘积之和。</translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}. It is {function} of {source}.</source>
        <translation>查询 {query} 的第 {column} 列：{value}。它是 {source} 的 {function}。</translation>
    </message>
    <message>
        <source>Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, then multiplied by {weight}.</source>
        <translation>{token} 的列 {column}：{value}。{source} 的这一行除以其均方根，再乘以 {weight}。</translation>
    </message>
    <message>
        <source>Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, then multiplied by {weight}.</source>
        <translation>{token} 的列 {column}：{value}。{source} 的这一行化为均值 0、方差 1，再乘以 {weight}。</translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}. It is {function} of {source}, the gate, times {factor}.</source>
        <translation>查询 {query} 的第 {column} 列：{value}。它是门控 {source} 的 {function} 乘以 {factor}。</translation>
    </message>
    <message>
        <source>Column {column} of {token}: {value}. The row of {source} is divided by the root of its mean square, then multiplied by {weight}, plus {shift}.</source>
        <translation>{token} 的列 {column}：{value}。{source} 的这一行除以其均方根，再乘以 {weight}，加上 {shift}。</translation>
    </message>
    <message>
        <source>Column {column} of {token}: {value}. The row of {source} is brought to mean 0 and variance 1, then multiplied by {weight}, plus {shift}.</source>
        <translation>{token} 的列 {column}：{value}。{source} 的这一行化为均值 0、方差 1，再乘以 {weight}，加上 {shift}。</translation>
    </message>
    <message>
        <source>{file} holds no arrays by name; expected {expected}.</source>
        <translation>{file} 里没有按名称存放的数组；应为 {expected}。</translation>
    </message>
    <message>
        <source>{file} has no array “{name}”; it has {got}.</source>
        <translation>{file} 里没有数组“{name}”；有的是 {got}。</translation>
    </message>
    <message>
        <source>“{name}” is not a part of a problem; expected one of {expected}.</source>
        <translation>“{name}”不是算例的组成部分；应为以下之一：{expected}。</translation>
    </message>
    <message>
        <source>“{option}” is “{got}”; expected one of {expected}.</source>
        <translation>“{option}”是“{got}”；应为以下之一：{expected}。</translation>
    </message>
    <message>
        <source>“{option}” is “{got}”; expected an order of batch, head, token and column, such as “head,token,column”, or of attention weights alone one of layer, batch, head, query and key, such as “head,query,key”.</source>
        <translation>“{option}”为“{got}”；应为 batch、head、token、column 的某种次序，例如“head,token,column”；只有注意力权重时，应为 layer、batch、head、query、key 的某种次序，例如“head,query,key”。</translation>
    </message>
    <message>
        <source>{file}: “{name}” has the shape {got}; expected query, key and value in one axis of columns after the tokens, or each as an array of its own.</source>
        <translation>{file}：“{name}”的形状为 {got}；query、key、value 应并排在词元之后的同一个列轴上，或各为一个数组。</translation>
    </message>
    <message>
        <source>{file}: “{option}” tells how to read {expected}, and there is none; the parts are {got}.</source>
        <translation>{file}：“{option}”说明怎样读取 {expected}，但这里一个也没有；各部分为 {got}。</translation>
    </message>
    <message>
        <source>“{name}” in the file holds other weights than those computed here: they differ by up to {apart}.</source>
        <translation>文件中的“{name}”与此处算出的权重不同，最大相差 {apart}。</translation>
    </message>
    <message>
        <source>“{name}” in the file has the shape {got}, that computed here {expected}.</source>
        <translation>文件中的“{name}”形状为 {got}，此处算出的为 {expected}。</translation>
    </message>
    <message>
        <source>The first axis of query was read as {items} items of {count} tokens, which share their keys; heads that share them are read where key and value have an axis of one head.</source>
        <translation>query 的第一轴按 {items} 个样本读入，每个样本 {count} 个词元，共用同一组键；若是共用键的多个头，请让 key 和 value 也带上长度为 1 的头轴。</translation>
    </message>
    <message>
        <source>“scale” is √d_k = {got}: the scores were multiplied by it; where they are divided expected {expected}.</source>
        <translation>“scale”为 √d_k = {got}：分数乘以了它；若本应除以它，请写 {expected}。</translation>
    </message>
    <message>
        <source>“{name}” in the file differs from the weights computed here by up to {apart}: it has a causal mask, which is not in the file. Add one, and they agree.</source>
        <translation>文件中的“{name}”与此处算出的权重最大相差 {apart}：它带有因果掩码，而文件中没有给出掩码。加上因果掩码后，两者一致。</translation>
    </message>
    <message>
        <source>{file}: the shapes {got} fit together in no order of axes as query, key and value.</source>
        <translation>{file}：形状 {got} 无论怎样解读各轴，都不能一起作为查询、键和值。</translation>
    </message>
    <message>
        <source>{file}: the shapes {got} can be read in no order of axes as query, key and value of {heads} heads.</source>
        <translation>{file}：形状 {got} 无论怎样解读各轴，都不能作为有 {heads} 个头的查询、键和值。</translation>
    </message>
    <message>
        <source>{file}: what it says about its model is damaged.</source>
        <translation>{file}：其中关于模型的内容已损坏。</translation>
    </message>
    <message>
        <source>{file} is a session of the model {name}, whose folder it needs; the window opens it with that.</source>
        <translation>{file} 是模型 {name} 的会话，需要该模型的文件夹；在窗口中可与模型一起打开。</translation>
    </message>
    <message>
        <source>The model {name} (SHA-256 {sha}…) is not where it was; open its folder, and then this file again.</source>
        <translation>模型 {name}（SHA-256 {sha}…）不在原处；请先打开它的文件夹，再打开此文件。</translation>
    </message>
    <message>
        <source>The session names layer {got}; the model {name} has {layers}.</source>
        <translation>会话中提到第 {got} 层，而模型 {name} 只有 {layers} 层。</translation>
    </message>
    <message>
        <source>This model predicts no token here.</source>
        <translation>该模型在此处不预测词元。</translation>
    </message>
    <message>
        <source>Type a second text of {count} tokens below the first: its run is what is patched.</source>
        <translation>请在第一段文本下方输入另一段 {count} 个词元的文本：修补在它的运行上进行。</translation>
    </message>
    <message>
        <source>the name of a model that comes along</source>
        <translation>自带模型的名称</translation>
    </message>
    <message>
        <source>something that does not hold until the person has done it</source>
        <translation>读者完成之前不成立的结论</translation>
    </message>
    <message>
        <source>“{name}” was split as {split}, as models have an array of this name; another split can be chosen.</source>
        <translation>“{name}”已按 {split} 拆分，与使用此名称的模型一致；也可选择别的拆分方式。</translation>
    </message>
    <message>
        <source>{file}: “{name}” cannot be split into query, key and value: {got} columns are not {heads} heads of queries and {kv_heads} of keys and of values.</source>
        <translation>{file}：“{name}”不能拆成查询、键和值：{got} 列不等于 {heads} 个查询头加上键、值各 {kv_heads} 个头。</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {parts} already; choose either.</source>
        <translation>{file}：“{name}”已经包含 {parts}；两者只能选其一。</translation>
    </message>
    <message>
        <source>{file}: query, key and value can lie in “{name}” in two ways; choose the split: {expected}.</source>
        <translation>{file}：查询、键和值在“{name}”中有两种可能的排列；请选择拆分方式：{expected}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” fits {heads} heads with as many K/V heads, and with {kv_heads}; say how many there are.</source>
        <translation>{file}：“{name}”既符合 {heads} 个头配同样多的 K/V 头，也符合配 {kv_heads} 个；请说明有几个 K/V 头。</translation>
    </message>
    <message>
        <source>The other text has no row {got}; it has {count} tokens.</source>
        <translation>另一段文本没有第 {got} 行；它有 {count} 个词元。</translation>
    </message>
    <message>
        <source>A row of {stage} has {got} numbers in the other text and {expected} here; only rows of the same length can stand in for each other.</source>
        <translation>{stage} 的一行在另一段文本中有 {got} 个数，这里有 {expected} 个；只有长度相同的行才能互相替换。</translation>
    </message>
    <message>
        <source>The folder of the model {name} holds other numbers now (SHA-256 {got}…) than when this file was saved ({sha}…); open a folder that has those, and then this file again.</source>
        <translation>模型 {name} 的文件夹中的数值（SHA-256 {got}…）与保存此文件时（{sha}…）不同；请先打开含有原数值的文件夹，再打开此文件。</translation>
    </message>
    <message>
        <source>{file} was not saved: the document was changed while it was written. Save it again.</source>
        <translation>{file} 没有保存：写入期间文档有改动。请再保存一次。</translation>
    </message>
    <message>
        <source>The picture would have {width} × {height} pixels, more than {most} in all or {longest} a side; choose fewer dots per inch or a smaller size.</source>
        <translation>图像将有 {width} × {height} 像素，超过了总数 {most} 或每边 {longest} 的上限；请降低分辨率或减小尺寸。</translation>
    </message>
    <message>
        <source>The moving picture would have {count} × {width} × {height} pixels, more than {most}; choose fewer dots per inch, a smaller size or fewer values.</source>
        <translation>动图将有 {count} × {width} × {height} 像素，超过了上限 {most}；请降低分辨率、减小尺寸或减少取值个数。</translation>
    </message>
    <message>
        <source>A GIF has no pixels that are partly transparent; choose an opaque background.</source>
        <translation>GIF 不支持半透明像素；请选择不透明的背景。</translation>
    </message>
    <message>
        <source>There is no memory for a picture of {width} × {height} pixels.</source>
        <translation>内存不足，无法生成 {width} × {height} 像素的图像。</translation>
    </message>
    <message>
        <source>A width of {given} cm leaves no room for the map beside its labels; {least} cm is the least.</source>
        <translation>宽 {given} 厘米放不下热图及其标签；至少要 {least} 厘米。</translation>
    </message>
    <message>
        <source>A height of {given} cm leaves no room for the map beside its labels; {least} cm is the least.</source>
        <translation>高 {given} 厘米放不下热图及其标签；至少要 {least} 厘米。</translation>
    </message>
    <message>
        <source>{letter} has {rows} × {columns} numbers, too many for a product picture.</source>
        <translation>{letter} 有 {rows} × {columns} 个数，在乘积图中放不下。</translation>
    </message>
    <message>
        <source>The stage {stage} is no product of matrices here: there is nothing to stand around it.</source>
        <translation>{stage} 在这里不是矩阵的乘积：周围没有可画的矩阵。</translation>
    </message>
    <message>
        <source>The width of a figure is above 0 and up to {most} cm, got {got}.</source>
        <translation>图的宽度应大于 0 且不超过 {most} 厘米，实为 {got}。</translation>
    </message>
    <message>
        <source>The height of a figure is above 0 and up to {most} cm, got {got}.</source>
        <translation>图的高度应大于 0 且不超过 {most} 厘米，实为 {got}。</translation>
    </message>
    <message>
        <source>The figure would be {width} × {height} cm, more than {most} a side.</source>
        <translation>图的大小将为 {width} × {height} 厘米，每边不能超过 {most} 厘米。</translation>
    </message>
    <message>
        <source>Two states stand side by side as maps alone, without the matrices around them.</source>
        <translation>两个状态只能以热图并排显示，周围不带矩阵。</translation>
    </message>
    <message>
        <source>“{name}” is {first} in {one} and {second} in {other}; expected the same in all files of one problem.</source>
        <translation>“{name}”在 {one} 中是 {first}，在 {other} 中是 {second}；同一个算例的各个文件应当一致。</translation>
    </message>
    <message>
        <source>{file}: the mask holds {got}; expected 0 and 1, or true and false, where it means “{meaning}”; “add” takes any.</source>
        <translation>{file}：掩码中有 {got}；含义为“{meaning}”时应为 0 和 1，或真和假；含义为“add”时可以是任意数。</translation>
    </message>
    <message>
        <source>{file}: “{text}” stands beside the matrix; expected the matrix without a factor, a sign, a power or a transpose.</source>
        <translation>{file}：矩阵旁边有“{text}”；矩阵不应带系数、正负号、幂或转置。</translation>
    </message>
    <message>
        <source>{file}: “{text}” above the table has a number; expected a title, or words without a number.</source>
        <translation>{file}：表格上方的“{text}”含有数字；只能是标题，或不含数字的文字。</translation>
    </message>
    <message>
        <source>A head of {stage} has other columns in the two states: compare the matrix as a whole.</source>
        <translation>{stage} 的同一个头在两个状态中占据不同的列：请比较整个矩阵。</translation>
    </message>
    <message>
        <source>There is no cell {cell} in {name}: its rows are counted from 0 to {bottom}, its columns from 0 to {last}.</source>
        <translation>{name} 中没有单元格 {cell}：行从 0 到 {bottom} 编号，列从 0 到 {last} 编号。</translation>
    </message>
    <message>
        <source>Numbers of {field} are too large or too small for a spreadsheet to square. Export them as NPZ instead.</source>
        <translation>{field} 中有的数过大或过小，其平方超出电子表格的数值范围。请改为导出 NPZ 数值。</translation>
    </message>
    <message>
        <source>What it predicts is shown as it was before.</source>
        <translation>显示的预测仍是改动之前的。</translation>
    </message>
    <message>
        <source>Layer {layer} as it was changed has {got} heads; every layer of the model has {expected}.</source>
        <translation>改动后的第 {layer} 层有 {got} 个头；模型的每一层都有 {expected} 个头。</translation>
    </message>
    <message>
        <source>Layer {layer} as it was changed gives an output of {got}; the model goes on from {expected} only.</source>
        <translation>改动后的第 {layer} 层输出为 {got}；模型只能从 {expected} 继续。</translation>
    </message>
    <message>
        <source>{file} holds attention weights that can be read in several ways; choose one of {choices}.</source>
        <translation>{file} 中的注意力权重有多种读法，请选择其一：{choices}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” does not add up to 1 along its last axis but along axis {axis}, as attention weights do along the keys; choose one of {choices}.</source>
        <translation>{file}：“{name}”沿最后一个轴的和不是 1，沿轴 {axis} 的和才是 1，而注意力权重沿键的和为 1；请选择其一：{choices}。</translation>
    </message>
    <message>
        <source>{file}: “{name}” of the shape {got} cannot be read so; choose one of {choices}.</source>
        <translation>{file}：“{name}”的形状为 {got}，不能这样读；请选择其一：{choices}。</translation>
    </message>
    <message>
        <source>“{name}” was read as {axes}; other readings have to be said: {others}.</source>
        <translation>“{name}”按 {axes} 读入；若应按其他方式读，请指明：{others}。</translation>
    </message>
    <message>
        <source>Rows of “{name}” do not add up to 1: they were read as attention weights all the same.</source>
        <translation>“{name}”中有的行之和不为 1，仍按注意力权重读入。</translation>
    </message>
    <message>
        <source>{file}: “{name}” of the shape {got} fits the weights of the shape {maps} in {count} orders of axes; expected one: give both to Problem.from_weights.</source>
        <translation>{file}：“{name}”的形状为 {got}，与形状为 {maps} 的权重有 {count} 种轴顺序相配，应只有一种；请把两者交给 Problem.from_weights。</translation>
    </message>
    <message>
        <source>{file} carries no problem; a session (.attn), a .npz, or a figure as PNG, SVG or PDF does.</source>
        <translation>{file} 不含算例；会话（.attn）、.npz 以及 PNG、SVG、PDF 格式的图中才有。</translation>
    </message>
    <message>
        <source>{file}: {name} is missing; expected query, key and value, or x with w_query, w_key and w_value.</source>
        <translation>{file}：缺少 {name}；应有 query、key 和 value，或 x 及 w_query、w_key、w_value。</translation>
    </message>
    <message>
        <source>{file} holds {count} matrices: {readings}; expected one of them.</source>
        <translation>{file} 中有 {count} 个矩阵：{readings}；只能取其中一个。</translation>
    </message>
    <message>
        <source>The text around the matrix was left out: “{text}”.</source>
        <translation>矩阵周围的文字已略去：“{text}”。</translation>
    </message>
    <message>
        <source>{file} has more than {most} lines.</source>
        <translation>{file} 超过 {most} 行。</translation>
    </message>
    <message>
        <source>{file}: “{text}” stands beside the matrix and may change it; expected the matrix alone.</source>
        <translation>{file}：矩阵旁边有“{text}”，可能改变矩阵；应只有矩阵本身。</translation>
    </message>
    <message>
        <source>{file} has more than {most} brackets within each other.</source>
        <translation>{file} 的括号嵌套超过 {most} 层。</translation>
    </message>
    <message>
        <source>{file} says the shape {said} of a list that has the shape {got}.</source>
        <translation>{file} 注明的形状是 {said}，而列表的形状是 {got}。</translation>
    </message>
    <message>
        <source>{file} has a row of more than {most} cells; save it as .csv instead.</source>
        <translation>{file} 中有一行超过 {most} 个单元格；请改存为 .csv。</translation>
    </message>
    <message>
        <source>row {row}, column {column} is “{text}”; expected a number.</source>
        <translation>第 {row} 行第 {column} 列是“{text}”；应为数值。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is {got}; expected true or false.</source>
        <translation>{file}：“{name}”为{got}；应为 true 或 false。</translation>
    </message>
    <message>
        <source>{file}: “{name}” is {got} and “{other}” is {held}; expected the same.</source>
        <translation>{file}：“{name}”为 {got}，而“{other}”为 {held}；两者应当相同。</translation>
    </message>
    <message>
        <source>“{name}” was read as {got}.</source>
        <translation>“{name}”已读作 {got}。</translation>
    </message>
    <message>
        <source>“{name}” was read as the causal mask {rule}.</source>
        <translation>“{name}”已读作因果掩码 {rule}。</translation>
    </message>
    <message>
        <source>{matrix} must have as many heads as {other}: expected {expected}, got {got} in the shape {shape}, whose axes are (head, row, column) or (batch, head, row, column) unless axes says others.</source>
        <translation>{matrix} 的头数必须与 {other} 相同：应为 {expected}，实际为 {got}；形状为 {shape}，其轴依次为（头，行，列）或（样本，头，行，列）（除非 axes 另有说明）。</translation>
    </message>
    <message>
        <source>{expected} heads of {other} cannot share {got} heads of {matrix} evenly: its shape is {shape}, whose axes are (head, row, column) or (batch, head, row, column) unless axes says others.</source>
        <translation>{other} 的 {expected} 个头无法平分 {matrix} 的 {got} 个头：后者的形状为 {shape}，其轴依次为（头，行，列）或（样本，头，行，列）（除非 axes 另有说明）。</translation>
    </message>
    <message>
        <source>{matrix} has {got} heads and not {expected}: its shape is {shape}, whose axes are (head, row, column) or (batch, head, row, column) unless axes says others.</source>
        <translation>{matrix} 有 {got} 个头，而不是 {expected} 个：形状为 {shape}，其轴依次为（头，行，列）或（样本，头，行，列）（除非 axes 另有说明）。</translation>
    </message>
    <message>
        <source>query, key and value can be read in {got} orders of axes; say which: {expected}.</source>
        <translation>query、key、value 的轴有 {got} 种读法，请指明其一：{expected}。</translation>
    </message>
    <message>
        <source>{matrix} must have {expected} axes, {named}; got the shape {shape}.</source>
        <translation>{matrix} 应有 {expected} 个轴（{named}），实际形状为 {shape}。</translation>
    </message>
    <message>
        <source>{field} must be an order of batch, head, token, column, the first two where there are such axes; got {got}.</source>
        <translation>{field} 应为 batch、head、token、column 的某种次序（前两个仅在有此轴时给出），实际为 {got}。</translation>
    </message>
    <message>
        <source>query, key and value were read as {reading}: no other order of axes fits.</source>
        <translation>query、key、value 已读作 {reading}：轴的其他次序都不相符。</translation>
    </message>
    <message>
        <source>{file}: {names} cannot be read as {axes}; expected {expected}.</source>
        <translation>{file}：{names} 不能按 {axes} 读取；应为 {expected}。</translation>
    </message>
    <message>
        <source>items {count}</source>
        <translation>样本 {count}</translation>
    </message>
    <message>
        <source>heads {count}</source>
        <translation>头 {count}</translation>
    </message>
    <message>
        <source>K/V heads {count}</source>
        <translation>K/V 头 {count}</translation>
    </message>
    <message>
        <source>tokens {count}</source>
        <translation>词元 {count}</translation>
    </message>
    <message>
        <source>queries {count}</source>
        <translation>查询 {count}</translation>
    </message>
    <message>
        <source>keys {count}</source>
        <translation>键 {count}</translation>
    </message>
    <message>
        <source>True may attend</source>
        <translation>True 表示允许关注</translation>
    </message>
    <message>
        <source>True may not attend</source>
        <translation>True 表示禁止关注</translation>
    </message>
    <message>
        <source>added to the scores</source>
        <translation>加到分数上</translation>
    </message>
    <message>
        <source>left out</source>
        <translation>不使用</translation>
    </message>
    <message>
        <source>{file}: “{name}” holds the whole number {got}, which is neither 0 nor 1; {reading} adds it to the scores.</source>
        <translation>{file}：“{name}”中有整数 {got}，既非 0 也非 1；用 {reading} 可将其加到分数上。</translation>
    </message>
    <message>
        <source>{file}: {names} can be read in {count} ways: {readings}; say which.</source>
        <translation>{file}：{names} 有 {count} 种读法：{readings}；请指明其一。</translation>
    </message>
    <message>
        <source>{names}: read as {reading}; another reading can be chosen.</source>
        <translation>{names}：已读作 {reading}；也可选择别的读法。</translation>
    </message>
    <message>
        <source>x W, as in a textbook</source>
        <translation>x W，与教科书一致</translation>
    </message>
    <message>
        <source>as torch.nn.Linear has them</source>
        <translation>与 torch.nn.Linear 一致</translation>
    </message>
    <message>
        <source>as Keras and Flax have them</source>
        <translation>与 Keras 和 Flax 一致</translation>
    </message>
    <message>
        <source>as TransformerLens has them</source>
        <translation>与 TransformerLens 一致</translation>
    </message>
    <message>
        <source>as torch.nn.Linear, heads apart</source>
        <translation>与 torch.nn.Linear 一致，各头分开</translation>
    </message>
    <message>
        <source>{file} does not say what kind of model this is: model_type is missing; expected {choices}.</source>
        <translation>{file} 没有说明这是哪种模型：缺少 model_type；应为 {choices} 之一。</translation>
    </message>
    <message>
        <source>Tensors not read: {names} ({count} in all); a model of type {family} with this config.json does not use them.</source>
        <translation>未读取的张量：{names}（共 {count} 个）；按此 config.json，{family} 类型的模型用不到它们。</translation>
    </message>
    <message>
        <source>Nothing is predicted: by its config.json (architectures) this is a {got}, which has no head for that.</source>
        <translation>不作预测：按其 config.json（architectures），这是 {got}，没有用于预测词元的输出头。</translation>
    </message>
    <message>
        <source>{file} cannot cut this text into tokens: {reason}.</source>
        <translation>{file} 无法把这段文本切分成词元：{reason}。</translation>
    </message>
    <message>
        <source>{file} could make {got} out of this text while it cuts it into tokens; expected at most {expected}.</source>
        <translation>{file} 切分这段文本时可能生成多达 {got} 的内容；最多允许 {expected}。</translation>
    </message>
    <message>
        <source>{file} would look through a word of {got} letters for its parts; expected at most {expected}.</source>
        <translation>{file} 要在一个长达 {got} 个字符的单词中查找子词；最多允许 {expected} 个。</translation>
    </message>
    <message>
        <source>{file} has a token of {got} letters; expected at most {expected}.</source>
        <translation>{file} 中有一个长达 {got} 个字符的词元；最多允许 {expected} 个。</translation>
    </message>
    <message>
        <source>{field} must hold True and False, got {got}: numbers that are to be added to the scores make a layer of the kind bias, with values.</source>
        <translation>{field} 的内容必须是 True 和 False，实为 {got}：要加到分数上的数应写成 bias 层的 values。</translation>
    </message>
    <message>
        <source>Not reached: found step by step (Gauss–Newton, {steps} steps), {residual} away. That nothing comes nearer is not proved.</source>
        <translation>未达到：逐步求得的解（高斯–牛顿法，{steps} 步）仍差 {residual}；不能证明没有更接近的解。</translation>
    </message>
    <message>
        <source>{field} must be mask layers, such as &quot;causal&quot; or {{&quot;kind&quot;: &quot;padding&quot;, &quot;lengths&quot;: 3}}, or an array of True and False (True = may attend); got {got}.</source>
        <translation>{field} 必须是掩码层，例如 &quot;causal&quot; 或 {{&quot;kind&quot;: &quot;padding&quot;, &quot;lengths&quot;: 3}}，或由 True 和 False 组成的数组（True 表示允许关注），实为 {got}。</translation>
    </message>
    <message>
        <source>{field} holds 0 and 1 as numbers: where 1 means may attend, give {field}=array.astype(bool); where they are added to the scores, write {field}=[{{&quot;kind&quot;: &quot;bias&quot;, &quot;values&quot;: array}}].</source>
        <translation>{field} 中的 0 和 1 是数值：若 1 表示允许关注，请写 {field}=array.astype(bool)；若要加到分数上，请写 {field}=[{{&quot;kind&quot;: &quot;bias&quot;, &quot;values&quot;: array}}]。</translation>
    </message>
    <message>
        <source>{field} holds numbers: to add them to the scores, write {field}=[{{&quot;kind&quot;: &quot;bias&quot;, &quot;values&quot;: array}}]; to open and close keys, give True and False (True = may attend).</source>
        <translation>{field} 中是数值：要加到分数上，请写 {field}=[{{&quot;kind&quot;: &quot;bias&quot;, &quot;values&quot;: array}}]；要开放和屏蔽键，请给出 True 和 False（True 表示允许关注）。</translation>
    </message>
    <message>
        <source>{file} needs openpyxl, which is not installed: python -m pip install openpyxl.</source>
        <translation>读取 {file} 需要 openpyxl，但尚未安装：python -m pip install openpyxl。</translation>
    </message>
    <message>
        <source>The snapshot “{name}” does not fit the model.</source>
        <translation>快照“{name}”与该模型不相符。</translation>
    </message>
    <message>
        <source>{name}: {reading}</source>
        <translation>{name}：{reading}</translation>
    </message>
    <message>
        <source>{file} holds more than {most} matrices; expected one.</source>
        <translation>{file} 中的矩阵超过 {most} 个；只能有一个。</translation>
    </message>
    <message>
        <source>{file}: the first axis of “{name}”, {shape}, may be {got} items or {got} heads; expected four axes, the other of the two of length 1.</source>
        <translation>{file}：“{name}”（{shape}）的首轴可能是 {got} 个样本，也可能是 {got} 个头；应写成四个轴，其中另一个轴的长度为 1。</translation>
    </message>
    <message>
        <source>{argument} ({words})</source>
        <translation>{argument}（{words}）</translation>
    </message>
    <message>
        <source>{file} holds no problem by the names of its arrays; say which are which, for one layer load(…, arrays={arrays}).</source>
        <translation>按数组名称看，{file} 中没有算例；请指明各数组是什么，例如只取一层：load(…, arrays={arrays})。</translation>
    </message>
    <message>
        <source>expected all, or heads such as 0,2-3, got {got}</source>
        <translation>应为 all 或 0,2-3 这样的头，得到 {got}</translation>
    </message>
    <message>
        <source>expected a row and a column such as 10,13, got {got}</source>
        <translation>应为 10,13 这样的行和列，得到 {got}</translation>
    </message>
    <message>
        <source>expected NAME=VALUE, got {got}</source>
        <translation>应为 NAME=VALUE，得到 {got}</translation>
    </message>
    <message>
        <source>{name} is given two values; expected one</source>
        <translation>{name} 给了两个值；应只有一个</translation>
    </message>
    <message>
        <source>expected a whole number from {least} to {most}, got {got}</source>
        <translation>应为 {least} 到 {most} 的整数，得到 {got}</translation>
    </message>
    <message>
        <source>expected points from 4 to 72, got {got}</source>
        <translation>应为 4 到 72 磅，得到 {got}</translation>
    </message>
    <message>
        <source>expected two numbers such as -5,7, the lower one first, got {got}</source>
        <translation>应为 -5,7 这样的两个数，小的在前，得到 {got}</translation>
    </message>
    <message>
        <source>expected centimeters from 1 to 500, got {got}</source>
        <translation>应为 1 到 500 厘米，得到 {got}</translation>
    </message>
    <message>
        <source>{choice} means something with {needed} only; it was given without</source>
        <translation>{choice} 单独使用没有意义，还需要：{needed}</translation>
    </message>
    <message>
        <source>{choice} means nothing with {needed}; leave one of the two out</source>
        <translation>{choice} 与 {needed} 一起使用没有意义，请去掉其中一个</translation>
    </message>
    <message>
        <source>a figure (--format)</source>
        <translation>图（--format）</translation>
    </message>
    <message>
        <source>a table as text (--format)</source>
        <translation>文本表格（--format）</translation>
    </message>
    <message>
        <source>csv or tsv (--format)</source>
        <translation>csv 或 tsv（--format）</translation>
    </message>
    <message>
        <source>a figure that carries one (--format)</source>
        <translation>能内含会话的图（--format）</translation>
    </message>
    <message>
        <source>svg or pdf (--format)</source>
        <translation>svg 或 pdf（--format）</translation>
    </message>
    <message>
        <source>The output could not be written: {reason}.</source>
        <translation>无法写出输出：{reason}。</translation>
    </message>
    <message>
        <source>There is neither a file nor a command {word}{near}; “attn-gui --help” lists them.</source>
        <translation>没有名为 {word} 的文件，也没有这个命令{near}；“attn-gui --help”列出全部命令。</translation>
    </message>
    <message>
        <source>Options on arrays need a FILE that holds them.</source>
        <translation>关于数组的选项需要一个含有这些数组的 FILE。</translation>
    </message>
    <message>
        <source>Options on arrays are about one problem; {names} hold one each.</source>
        <translation>关于数组的选项只针对一个算例；{names} 各含一个算例。</translation>
    </message>
    <message>
        <source>{file} also holds {names}, not read: the lines above are about the rest only.</source>
        <translation>{file} 还含有未读取的 {names}：以上各行只涉及其余部分。</translation>
    </message>
    <message>
        <source>{message}{near}.</source>
        <translation>{message}{near}。</translation>
    </message>
    <message>
        <source>argument {option}: {reason}</source>
        <translation>选项 {option}：{reason}</translation>
    </message>
    <message>
        <source>the following arguments are required: {options}</source>
        <translation>缺少必需的参数：{options}</translation>
    </message>
    <message>
        <source>unrecognized arguments: {words}</source>
        <translation>无法识别的参数：{words}</translation>
    </message>
    <message>
        <source>invalid choice: {got} (choose from {choices})</source>
        <translation>没有 {got} 这个选择（可选：{choices}）</translation>
    </message>
    <message>
        <source>expected one argument</source>
        <translation>后面应有一个值</translation>
    </message>
    <message>
        <source>expected at least one argument</source>
        <translation>后面应至少有一个值</translation>
    </message>
    <message>
        <source>ignored explicit argument {got}</source>
        <translation>不接受值，得到 {got}</translation>
    </message>
    <message>
        <source>{option} not allowed with argument {other}</source>
        <translation>{option} 不能与 {other} 一起使用</translation>
    </message>
    <message>
        <source> (the nearest is {word})</source>
        <translation>（最接近的是 {word}）</translation>
    </message>
    <message>
        <source>This does not fit into the memory of this computer.</source>
        <translation>这台计算机的内存不够。</translation>
    </message>
    <message>
        <source>{sentence} Say which is which: --array {arrays}.</source>
        <translation>{sentence}请指明各个数组：--array {arrays}。</translation>
    </message>
    <message>
        <source>{file} also holds {names}, which would change the numbers and is not read; nothing is written. Say which arrays count: --array query=query ….</source>
        <translation>{file} 还含有 {names}，它会改变结果却没有读取；没有写入任何文件。请指明使用哪些数组：--array query=query …。</translation>
    </message>
    <message>
        <source>Changed by hand: {changes}.</source>
        <translation>手动更改：{changes}。</translation>
    </message>
    <message>
        <source>Completion needs the package shtab, which is not installed: python -m pip install shtab</source>
        <translation>补全需要 shtab 包，但尚未安装：python -m pip install shtab</translation>
    </message>
    <message>
        <source>This does not fit into the memory of this computer; choose fewer heads or stages.</source>
        <translation>这台计算机的内存不够；请少选一些头或阶段。</translation>
    </message>
    <message>
        <source>-o - writes one file, and {count} were asked for: name one stage, head and format.</source>
        <translation>-o - 只写一个文件，而要求了 {count} 个：请只指定一个阶段、一个头和一种格式。</translation>
    </message>
    <message>
        <source>{name} cannot be compared: the other state has nothing that stands for it.</source>
        <translation>{name} 无法比较：另一个状态中没有与之对应的内容。</translation>
    </message>
    <message>
        <source>There is no batch item {item}; the problem has {known}.</source>
        <translation>没有样本 {item}；这个算例中的样本：{known}。</translation>
    </message>
    <message>
        <source>There is no head {head}; the problem has {known}.</source>
        <translation>没有头 {head}；这个算例中的头：{known}。</translation>
    </message>
    <message>
        <source>--name is {got}; expected a name without folders, which -o says.</source>
        <translation>--name 是 {got}；应为不含文件夹的名称，文件夹由 -o 指定。</translation>
    </message>
    <message>
        <source>There is no stage {got}; the problem has {known}.</source>
        <translation>没有阶段 {got}；这个算例的阶段：{known}。</translation>
    </message>
    <message>
        <source>--heads is {got} of {name}; expected all, heads such as 0,2-3, or as in {words}.</source>
        <translation>{name} 的 --heads 是 {got}；应为 all、0,2-3 这样的头，或如 {words}。</translation>
    </message>
    <message>
        <source>{path} is a file; expected a folder.</source>
        <translation>{path} 是文件；应为文件夹。</translation>
    </message>
    <message>
        <source>only 0</source>
        <translation>仅 0</translation>
    </message>
    <message>
        <source>0 to {last}</source>
        <translation>0 到 {last}</translation>
    </message>
    <message>
        <source>{name} is a matrix of the problem, no stage: it is written as numbers only.</source>
        <translation>{name} 是算例的矩阵，不是阶段：只能作为数值写出。</translation>
    </message>
    <message>
        <source>{name} is a matrix of the problem, and two states are compared by stages: leave out --compare.</source>
        <translation>{name} 是算例的矩阵，而两个状态按阶段比较：请去掉 --compare。</translation>
    </message>
    <message>
        <source>A page shows one state: leave out --compare.</source>
        <translation>页面只显示一个状态：请去掉 --compare。</translation>
    </message>
    <message>
        <source>A page looks at one stage; --stage names {count}.</source>
        <translation>页面只看一个阶段；--stage 指定了 {count} 个。</translation>
    </message>
    <message>
        <source>A page is written as {forms}, not as {got}.</source>
        <translation>页面可写为 {forms}，不能写为 {got}。</translation>
    </message>
    <message>
        <source>The page {page} has no slider, and so no frames.</source>
        <translation>页面 {page} 没有滑块，因此没有逐帧图片。</translation>
    </message>
    <message>
        <source>There is no head {head}; expected 0 to {last}.</source>
        <translation>没有头 {head}；应为 0 到 {last}。</translation>
    </message>
    <message>
        <source>--intervene has {count} letters; expected at most {most}.</source>
        <translation>--intervene 有 {count} 个字符；最多 {most} 个。</translation>
    </message>
    <message>
        <source>--intervene is not valid JSON; expected a record such as {example}.</source>
        <translation>--intervene 不是有效的 JSON；应为这样的记录：{example}。</translation>
    </message>
    <message>
        <source>A script computes one state: leave out --compare.</source>
        <translation>脚本只计算一个状态：请去掉 --compare。</translation>
    </message>
    <message>
        <source>A {ending} computes one state: leave out --compare.</source>
        <translation>{ending} 文件只计算一个状态：请去掉 --compare。</translation>
    </message>
    <message>
        <source>A cell needs --stage and --cell, a whole problem neither.</source>
        <translation>单元格同时需要 --stage 和 --cell，整个算例则两者都不需要。</translation>
    </message>
    <message>
        <source>--head is for a cell of a stage that has heads; here it would change nothing.</source>
        <translation>--head 用于有头的阶段中的单元格；在这里不起作用。</translation>
    </message>
    <message>
        <source>{name} would compare the problem with itself: it has nothing of the kind.</source>
        <translation>{name} 会把算例与它自身比较：其中没有这样的内容。</translation>
    </message>
    <message>
        <source>{name} is no file, and none of {known}.</source>
        <translation>{name} 不是文件，也不是 {known} 之一。</translation>
    </message>
    <message>
        <source>{got} is not one of {known}.</source>
        <translation>{got} 不是 {known} 之一。</translation>
    </message>
    <message>
        <source>There is no page {got}; there are {known}.</source>
        <translation>没有页面 {got}；可用的有：{known}。</translation>
    </message>
    <message>
        <source>There is nothing to set called {got}; there is {known}.</source>
        <translation>没有名为 {got} 的设置；可设置的有：{known}。</translation>
    </message>
    <message>
        <source>There is nothing to set called {got}; there is nothing.</source>
        <translation>没有名为 {got} 的设置；这里没有可设置的内容。</translation>
    </message>
    <message>
        <source>{name} cannot be {got} here; expected one of {choices}.</source>
        <translation>{name} 在这里不能是 {got}；应为 {choices} 之一。</translation>
    </message>
    <message>
        <source>{name} cannot be {got} here.</source>
        <translation>{name} 在这里不能是 {got}。</translation>
    </message>
    <message>
        <source>This problem has no page {page}. {needs}</source>
        <translation>这个算例没有页面 {page}。{needs}</translation>
    </message>
    <message>
        <source>This problem has no page {page}. {needs}.</source>
        <translation>这个算例没有页面 {page}。{needs}。</translation>
    </message>
    <message>
        <source>“{name}” in the file holds NaN in {rows} of its {count} rows, as where a mask closes every key; these were left out when it was compared with the weights computed here.</source>
        <translation>文件中“{name}”的 {count} 行里有 {rows} 行是 NaN，如同掩码屏蔽了所有键的行；与此处计算的权重比较时未计入这些行。</translation>
    </message>
    <message>
        <source>{file} holds one array whose rows add up to 1, as those of attention do; choose one of {choices}.</source>
        <translation>{file} 只有一个数组，其各行之和为 1，与注意力权重相同，请选择其一：{choices}。</translation>
    </message>
    <message>
        <source>{file} holds one array of the shape {got}, which is neither a matrix nor attention weights, whose rows add up to 1; expected an array of two axes, or several arrays by name.</source>
        <translation>{file} 只有一个形状为 {got} 的数组，它既不是矩阵，也不是各行之和为 1 的注意力权重；应为二维数组，或按名称存放的多个数组。</translation>
    </message>
    <message>
        <source>The model {name} (SHA-256 {sha}…) is not where it was. Choose its folder, or put it back as {folder}: what was changed is kept, and offered again at the next start.</source>
        <translation>模型 {name}（SHA-256 {sha}…）已不在原处。请选择它所在的文件夹，或将其放回 {folder}：所做的更改仍保留着，下次启动时会再次询问。</translation>
    </message>
    <message>
        <source>a text under “### English” or “### 中文”</source>
        <translation>“### English”或“### 中文”下的文字</translation>
    </message>
    <message>
        <source>“- can:”, “- try:” or “- next:” below the heading of the end</source>
        <translation>结尾标题下的“- can:”“- try:”或“- next:”</translation>
    </message>
    <message>
        <source>1 to {most} lines “- can: …” at the end</source>
        <translation>结尾处 1 到 {most} 行“- can: …”</translation>
    </message>
    <message>
        <source>a matrix that is given, such as {of}: {name} is computed from {of} here</source>
        <translation>给出的矩阵，如 {of}：这里 {name} 由 {of} 算出</translation>
    </message>
    <message>
        <source>the name of a lesson beside this one</source>
        <translation>同一文件夹中的课程文件名</translation>
    </message>
    <message>
        <source>Weight that query {query} gives key {key}: {before} {old}, {now} {value}.</source>
        <translation>查询 {query} 给键 {key} 的权重：{before} {old}，{now} {value}。</translation>
    </message>
    <message>
        <source>{title} of query {query} and key {key}: {before} {old}, {now} {value}.</source>
        <translation>查询 {query} 与键 {key} 的{title}：{before} {old}，{now} {value}。</translation>
    </message>
    <message>
        <source>{title}, column {column} for {token}: {before} {old}, {now} {value}.</source>
        <translation>{token} 的{title}，第 {column} 列：{before} {old}，{now} {value}。</translation>
    </message>
    <message>
        <source>“- open:”, “- make:”, “- model:” or “- words:” in the first step</source>
        <translation>第一步中的“- open:”“- make:”“- model:”或“- words:”</translation>
    </message>
    <message>
        <source>computed cells such as weights[1, 1] or weights[1, :], or “none”</source>
        <translation>算出的单元格，如 weights[1, 1] 或 weights[1, :]，或“none”</translation>
    </message>
    <message>
        <source>A worksheet of this level has nothing to leave out of this problem.</source>
        <translation>按这一级别，这个算例没有可留空的数。</translation>
    </message>
    <message>
        <source>{file}: steps: {steps}, questions: {questions}; every number computed</source>
        <translation>{file}：{steps} 步，{questions} 个问题；每个数都已算出</translation>
    </message>
    <message>
        <source>A card shows one state, and not the difference of two or a gradient.</source>
        <translation>卡片只显示一个状态，不显示两个状态的差，也不显示梯度。</translation>
    </message>
    <message>
        <source>A card shows a cell of a step, but {name} is not a step: name one, such as weights.</source>
        <translation>卡片展示某一步骤的一个单元格，而 {name} 不是步骤：请指定一个步骤，例如 weights。</translation>
    </message>
    <message>
        <source>A card is wide or square, got {got}.</source>
        <translation>卡片应为 wide 或 square，得到 {got}。</translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. It is the sum of {count} values, each times its weight.</source>
        <translation>查询 {query} 输出的第 {column} 列：{value}，是 {count} 个值各乘以其权重之和。</translation>
    </message>
    <message>
        <source>This model does not know {parts}: “{token}” stands there instead.</source>
        <translation>这个模型的词表中没有 {parts}，以“{token}”代替。</translation>
    </message>
    <message>
        <source>“{name}” in the file holds other numbers than those computed here: they differ by up to {apart}.</source>
        <translation>文件中的“{name}”与这里算出的数不同，相差至多 {apart}。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, the smallest of {count}.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}，在 {count} 个键中最小。</translation>
    </message>
    <message>
        <source>words of the table that comes along, such as “cat dog king queen” (English alone)</source>
        <translation>自带词表中的英文词（没有中文词），如“cat dog king queen”</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}. It is the score itself: without a softmax a row adds up to anything.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}。它就是分数本身：没有 softmax，一行之和可以是任意数。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}. It is φ of the score over the sum of the row; φ(s) is s + 1 above 0, else e^s.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}。它是分数的 φ 值除以该行 φ 值之和；s &gt; 0 时 φ(s) = s + 1，否则 φ(s) = e^s。</translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}. It is the sigmoid of the score alone: a row adds up to anything.</source>
        <translation>查询 {query} 给键 {key} 的权重是 {value}。它只由这个分数决定，即其 sigmoid 值；一行之和可以是任意数。</translation>
    </message>
    <message>
        <source>a stage, “all”, “model”, “reach”, “target”, or the name of a page, where the problem has it</source>
        <translation>算例中有的阶段、“all”、“model”、“reach”、“target”或页面名</translation>
    </message>
    <message>
        <source>There is no cell {cell} in {name}: columns are counted within the head, from 0 to {last}.</source>
        <translation>{name} 中没有单元格 {cell}：列在头内编号，从 0 到 {last}。</translation>
    </message>
    <message>
        <source>A walk goes through one head, but {name} is made of all heads: name another stage.</source>
        <translation>逐步演示只针对一个头，而 {name} 汇总了所有头：请指定其他步骤。</translation>
    </message>
    <message>
        <source>At a width of {given} cm the letters of the walk would be smaller than {points} points; it needs at least {least} cm.</source>
        <translation>宽 {given} 厘米时，逐步演示的字会小于 {points} 磅；至少需要 {least} 厘米。</translation>
    </message>
    <message>
        <source>At a height of {given} cm the letters of the walk would be smaller than {points} points; it needs at least {least} cm.</source>
        <translation>高 {given} 厘米时，逐步演示的字会小于 {points} 磅；至少需要 {least} 厘米。</translation>
    </message>
</context>
<context>
    <name>SessionSaving</name>
    <message>
        <source>{name} is still being saved.</source>
        <translation>仍在保存 {name}。</translation>
    </message>
    <message>
        <source>Go on working</source>
        <translation>继续编辑</translation>
    </message>
    <message>
        <source>{name} was not saved: the saving was canceled.</source>
        <translation>{name} 没有保存：保存已取消。</translation>
    </message>
    <message>
        <source>{name} is being saved. There is not enough memory for a copy of it to go on working with.</source>
        <translation>正在保存 {name}。内存不足以再留一份副本，保存期间不能继续编辑。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Choose another name or folder for the document</source>
        <translation>为文档选择另一个名称或文件夹</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>base of the rotary positions</source>
        <translation>旋转位置编码的基数</translation>
    </message>
    <message>
        <source>softcap</source>
        <translation>软上限</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>w, one over the width of the kernel</source>
        <translation>w，核宽度的倒数</translation>
    </message>
    <message>
        <source>κ, how much the squared length of a key counts</source>
        <translation>κ，‖k‖² 项的系数</translation>
    </message>
    <message>
        <source>hidden units of the additive score</source>
        <translation>加性评分的隐藏单元数</translation>
    </message>
    <message>
        <source>ε of the LayerNorm</source>
        <translation>层归一化的 ε</translation>
    </message>
    <message>
        <source>ε of the norms</source>
        <translation>归一化的 ε</translation>
    </message>
    <message>
        <source>ε of the norms of Q and K</source>
        <translation>Q、K 归一化的 ε</translation>
    </message>
</context>
<context>
    <name>ShapeFixes</name>
    <message>
        <source>Cut it to {after}</source>
        <translation>裁剪为 {after}</translation>
    </message>
    <message>
        <source>Fit it to {after}</source>
        <translation>裁剪或补 0 为 {after}</translation>
    </message>
    <message>
        <source>Transpose {matrix}</source>
        <translation>转置 {matrix}</translation>
    </message>
    <message>
        <source>Change the number of {matrix} to {after}</source>
        <translation>将{matrix}数改为 {after}</translation>
    </message>
    <message>
        <source>Resize {matrix} to {after}</source>
        <translation>将 {matrix} 改为 {after}</translation>
    </message>
    <message>
        <source>Project {matrix} with a new {shape}</source>
        <translation>用新的 {shape} 矩阵投影 {matrix}</translation>
    </message>
    <message>
        <source>Add {matrix}, {shape}</source>
        <translation>添加 {matrix}（{shape}）</translation>
    </message>
</context>
<context>
    <name>ShapePanel</name>
    <message>
        <source>heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>K/V heads</source>
        <translation>K/V 头数</translation>
    </message>
    <message>
        <source>Key and value heads</source>
        <translation>键和值的头数</translation>
    </message>
    <message>
        <source>d_k, width of a query and a key in one head</source>
        <translation>d_k，一个头中查询和键的宽度</translation>
    </message>
    <message>
        <source>d_v, width of a value in one head</source>
        <translation>d_v，一个头中值的宽度</translation>
    </message>
    <message>
        <source>queries n</source>
        <translation>查询 n</translation>
    </message>
    <message>
        <source>Queries n</source>
        <translation>查询 n</translation>
    </message>
    <message>
        <source>keys m</source>
        <translation>键 m</translation>
    </message>
    <message>
        <source>Keys m</source>
        <translation>键 m</translation>
    </message>
    <message>
        <source>d_model, width of all heads together</source>
        <translation>d_model，所有头的总宽度</translation>
    </message>
    <message>
        <source>of</source>
        <translation>共</translation>
    </message>
    <message>
        <source>Items in the batch</source>
        <translation>批量大小（样本数）</translation>
    </message>
    <message>
        <source>Item shown</source>
        <translation>显示的样本</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Computed in float64, and float32 rounds each number once, when it is read; long or wide problems of float32 are computed in it</source>
        <translation>以 float64 计算，选 float32 时每个数在读出时舍入一次；很长或很宽的 float32 算例直接以 float32 计算</translation>
    </message>
    <message>
        <source>How many heads share the work</source>
        <translation>分担计算的头数</translation>
    </message>
    <message>
        <source>Heads of K and V; each serves the same number of query heads</source>
        <translation>K 和 V 的头数；每个头由同样多的查询头共用</translation>
    </message>
    <message>
        <source>Columns of Q and K in one head</source>
        <translation>一个头中 Q 和 K 的列数</translation>
    </message>
    <message>
        <source>Columns of V in one head</source>
        <translation>一个头中 V 的列数</translation>
    </message>
    <message>
        <source>Rows of Q</source>
        <translation>Q 的行数</translation>
    </message>
    <message>
        <source>Rows of A</source>
        <translation>A 的行数</translation>
    </message>
    <message>
        <source>m follows n: keys and values come from the same X as the queries</source>
        <translation>m 与 n 相同：键、值与查询来自同一个 X</translation>
    </message>
    <message>
        <source>Rows of K and V</source>
        <translation>K 和 V 的行数</translation>
    </message>
    <message>
        <source>Columns of A</source>
        <translation>A 的列数</translation>
    </message>
    <message>
        <source>Columns of X</source>
        <translation>X 的列数</translation>
    </message>
    <message>
        <source>How many items the batch holds</source>
        <translation>批量大小：批量中有多少个样本</translation>
    </message>
    <message>
        <source>Which item of the batch is shown, counted from 0</source>
        <translation>显示批量中的哪个样本，从 0 起数</translation>
    </message>
    <message>
        <source>{number} heads cannot share {query} columns of Q and {value} of V evenly.</source>
        <translation>{number} 个头无法平分 Q 的 {query} 列和 V 的 {value} 列。</translation>
    </message>
    <message>
        <source>batch item</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Type into a cell: maps and explanation follow at once.</source>
        <translation>直接在单元格里输入数，图和解释立刻跟着变。</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保持</translation>
    </message>
    <message>
        <source>Keep d_model</source>
        <translation>保持 d_model</translation>
    </message>
    <message>
        <source>When the number of heads changes: pressed, d_model stays and only the cut into heads moves; else dₖ stays, and heads join or leave with their columns.</source>
        <translation>头数改变时：按下则 d_model 不变，只改变头的划分；否则 dₖ 不变，头连同其各列一起增减。</translation>
    </message>
    <message>
        <source>All heads of Q together; change the heads or dₖ instead</source>
        <translation>Q 所有头的总列数；请改变头数或 dₖ</translation>
    </message>
    <message>
        <source>heads · dₖ</source>
        <translation>头数 · dₖ</translation>
    </message>
</context>
<context>
    <name>ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search shortcuts</source>
        <translation>搜索快捷键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>任何位置</translation>
    </message>
    <message>
        <source>In a map</source>
        <translation>在热图中</translation>
    </message>
    <message>
        <source>In a table</source>
        <translation>在表格中</translation>
    </message>
    <message>
        <source>Move the chosen cell</source>
        <translation>移动所选单元格</translation>
    </message>
    <message>
        <source>Move it by 10</source>
        <translation>一次移动 10 格</translation>
    </message>
    <message>
        <source>Shift + arrows</source>
        <translation>Shift + 方向键</translation>
    </message>
    <message>
        <source>Go to its table cell, and back</source>
        <translation>转到对应的表格单元格，再返回</translation>
    </message>
    <message>
        <source>Previous or next head</source>
        <translation>上一个或下一个头</translation>
    </message>
    <message>
        <source>Step of the formula</source>
        <translation>公式的某一步</translation>
    </message>
    <message>
        <source>Numbers in cells</source>
        <translation>在单元格中显示数值</translation>
    </message>
    <message>
        <source>Zoom at the chosen cell, show everything</source>
        <translation>以所选单元格为中心缩放，显示全部</translation>
    </message>
    <message>
        <source>Walk through the chosen cell</source>
        <translation>演示所选的单元格</translation>
    </message>
    <message>
        <source>Open or close the cell of a custom mask</source>
        <translation>开放或屏蔽自定义掩码的单元格</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>In a walk: play or pause, step, back to the map</source>
        <translation>演示中：播放或暂停，上一步、下一步，回到原来的图</translation>
    </message>
    <message>
        <source>Space, ←  →, Esc</source>
        <translation>空格，←  →，Esc</translation>
    </message>
    <message>
        <source>Type over the number</source>
        <translation>直接输入新数</translation>
    </message>
    <message>
        <source>Edit the number</source>
        <translation>编辑该数</translation>
    </message>
    <message>
        <source>Down, right; with Shift back</source>
        <translation>向下、向右；按住 Shift 则反向</translation>
    </message>
    <message>
        <source>Keep the old number</source>
        <translation>保留原来的数</translation>
    </message>
    <message>
        <source>Set to zero</source>
        <translation>置零</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Delete 键</translation>
    </message>
    <message>
        <source>Show what the chosen cell reaches, where it comes from</source>
        <translation>显示所选单元格影响的范围、来源</translation>
    </message>
    <message>
        <source>Type a number into the chosen cell</source>
        <translation>在所选单元格中填数</translation>
    </message>
</context>
<context>
    <name>SideBySide</name>
    <message>
        <source>one bar</source>
        <translation>同一色条</translation>
    </message>
</context>
<context>
    <name>SimpleSwitch</name>
    <message>
        <source>Simple</source>
        <translation>简洁</translation>
    </message>
    <message>
        <source>Simple window: what a first lesson needs</source>
        <translation>简洁界面：第一课用得到的部分</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>Full window: everything</source>
        <translation>完整界面：全部功能</translation>
    </message>
</context>
<context>
    <name>SizeBox</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>{number} is not possible.</source>
        <translation>不能是 {number}。</translation>
    </message>
    <message>
        <source>{why} Possible: {listed}. Esc keeps {old}.</source>
        <translation>{why}可选：{listed}。按 Esc 保留 {old}。</translation>
    </message>
</context>
<context>
    <name>SizeFields</name>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>SnapshotDialog</name>
    <message>
        <source>Snapshot</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>N&amp;ote</source>
        <translation>备注(&amp;O)</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>By this name it is listed, and called in maps and figures</source>
        <translation>列表、图和插图中都用这个名称</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Whatever is worth knowing about this state; it is saved with it</source>
        <translation>关于这个状态值得记下的内容，随快照一起保存</translation>
    </message>
</context>
<context>
    <name>SnapshotModel</name>
    <message>
        <source>Kept by itself: undo and another edit would have lost it</source>
        <translation>自动保留：撤销后再编辑本会丢失这个状态</translation>
    </message>
    <message>
        <source>Compared with the present state</source>
        <translation>正与当前状态比较</translation>
    </message>
</context>
<context>
    <name>SnapshotsController</name>
    <message>
        <source>The snapshot “{name}” was deleted.</source>
        <translation>快照“{name}”已删除。</translation>
    </message>
    <message>
        <source>Put it back</source>
        <translation>放回</translation>
    </message>
    <message>
        <source>It takes its place in the list again</source>
        <translation>它会回到列表中原来的位置</translation>
    </message>
    <message>
        <source>The snapshot “{name}” is of layer {layer} with the text “{text}”: go there, then open it.</source>
        <translation>快照“{name}”属于第 {layer} 层、文本“{text}”：请先转到那里再打开。</translation>
    </message>
</context>
<context>
    <name>SnapshotsView</name>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>Snapshots</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>Show or fold away the states that were kept</source>
        <translation>展开或收起保留的状态</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Make the chosen snapshot the present state, as one step</source>
        <translation>把所选快照变为当前状态，算作一步</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Show what differs from the chosen snapshot</source>
        <translation>显示当前状态与所选快照的差异</translation>
    </message>
    <message>
        <source>Name and note…</source>
        <translation>名称与备注…</translation>
    </message>
    <message>
        <source>Give the chosen snapshot another name, and a note</source>
        <translation>修改所选快照的名称，并写备注</translation>
    </message>
    <message>
        <source>Keep the present state under a name, in the file, too</source>
        <translation>给当前状态命名并保留，也存入文件</translation>
    </message>
    <message>
        <source>States kept under a name: each can be opened, or compared with the present one</source>
        <translation>以名称保存的状态：可以打开，也可以与当前状态比较</translation>
    </message>
    <message>
        <source>Take snapshot</source>
        <translation>保存快照</translation>
    </message>
</context>
<context>
    <name>SolutionSaving</name>
    <message>
        <source>Save the worked solution</source>
        <translation>保存完整解答</translation>
    </message>
</context>
<context>
    <name>Solutions</name>
    <message>
        <source>Worked solution</source>
        <translation>完整解答</translation>
    </message>
    <message>
        <source>Worked solution of {cell}</source>
        <translation>{cell} 的完整解答</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>已知</translation>
    </message>
    <message>
        <source>Step {number}: {title}</source>
        <translation>第 {number} 步：{title}</translation>
    </message>
    <message>
        <source>head {head}</source>
        <translation>头 {head}</translation>
    </message>
    <message>
        <source>item {item}</source>
        <translation>样本 {item}</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>Rows, columns and heads count from 0; numbers are rounded last.</source>
        <translation>行、列、头均从 0 开始编号；数值在最后才舍入。</translation>
    </message>
    <message>
        <source>{cell} is {value}: a change by hand leaves it as computed.</source>
        <translation>{cell} 为 {value}：经手动修改后仍等于计算值。</translation>
    </message>
    <message>
        <source>{cell} is {value}: changed by hand. Computed, it would be {computed}.</source>
        <translation>{cell} 为 {value}，是手动修改的；按公式计算应为 {computed}。</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>M ({mask}): {rule}</source>
        <translation>M（{mask}）：{rule}</translation>
    </message>
</context>
<context>
    <name>Spine</name>
    <message>
        <source>Steps of the formula</source>
        <translation>公式的步骤</translation>
    </message>
</context>
<context>
    <name>StageMaps</name>
    <message>
        <source>{title}, {rows} × {columns}</source>
        <translation>{title}，{rows} × {columns}</translation>
    </message>
</context>
<context>
    <name>StageNode</name>
    <message>
        <source>{title}, {shape}, chosen</source>
        <translation>{title}，{shape}，已选中</translation>
    </message>
    <message>
        <source>{title}, {shape}</source>
        <translation>{title}，{shape}</translation>
    </message>
    <message>
        <source>{node}, {state}</source>
        <translation>{node}，{state}</translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>{n} × {width}, {heads} heads</source>
        <translation>{n} × {width}，{heads} 个头</translation>
    </message>
    <message>
        <source>{n} × {width}</source>
        <translation>{n} × {width}</translation>
    </message>
    <message>
        <source>One sentence</source>
        <translation>一句话</translation>
    </message>
    <message>
        <source>The vectors are random: the weights say nothing about meaning yet.</source>
        <translation>向量是随机的：这些权重还反映不出词义。</translation>
    </message>
    <message>
        <source>Vectors of MiniLM, compared by their cosine; temperature 0.25. No query or key projection is learned here.</source>
        <translation>MiniLM 的词向量，按余弦比较，温度 0.25；这里没有训练得到的查询、键投影。</translation>
    </message>
</context>
<context>
    <name>StartView</name>
    <message>
        <source>Where would you like to start?</source>
        <translation>从哪里开始？</translation>
    </message>
    <message>
        <source>All three lead to the same picture: every number can be opened and changed.</source>
        <translation>三条路都通到同一个画面：每个数都能点开、能改。</translation>
    </message>
    <message>
        <source>By hand, 2 × 3</source>
        <translation>手算 2 × 3</translation>
    </message>
    <message>
        <source>One sentence</source>
        <translation>一句话</translation>
    </message>
    <message>
        <source>A real model</source>
        <translation>真实模型</translation>
    </message>
    <message>
        <source>The small example of the textbooks; every step can be checked with a pencil.</source>
        <translation>教程里的小例子，每一步都能用笔核对。</translation>
    </message>
    <message>
        <source>Write a sentence and see which word each word attends to. Random vectors at first.</source>
        <translation>写一句话，看看每个词关注哪些词。先用随机向量。</translation>
    </message>
    <message>
        <source>Open the example</source>
        <translation>打开算例</translation>
    </message>
    <message>
        <source>Show attention</source>
        <translation>看注意力</translation>
    </message>
    <message>
        <source>Open this layer</source>
        <translation>打开这一层</translation>
    </message>
    <message>
        <source>Begin</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>All lessons…</source>
        <translation>全部课程…</translation>
    </message>
    <message>
        <source>Toy model</source>
        <translation>玩具模型</translation>
    </message>
    <message>
        <source>Others…</source>
        <translation>其他模型…</translation>
    </message>
    <message>
        <source>Models at hand, and the folder of any other</source>
        <translation>现有的模型，或其他模型的文件夹</translation>
    </message>
    <message>
        <source>the cat sat on the mat</source>
        <translation>今天天气很好</translation>
    </message>
    <message>
        <source>Follow along</source>
        <translation>跟着做</translation>
    </message>
    <message>
        <source>about 5 minutes</source>
        <translation>约 5 分钟</translation>
    </message>
    <message>
        <source>Attention in five steps. You fill in one number at each step; if it is wrong, you are told why.</source>
        <translation>五步算完一次注意力：输入、点积、缩放、softmax、加权求和。每一步由你填一个数，填错会告诉你错在哪里。</translation>
    </message>
    <message>
        <source>Recent files</source>
        <translation>最近的文件</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>还没有</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open a file…</source>
        <translation>打开文件…</translation>
    </message>
    <message>
        <source>or drop one here: {endings} and others</source>
        <translation>也可以把文件拖进来：{endings} 等</translation>
    </message>
    <message>
        <source>Begin with the last file next time</source>
        <translation>下次启动时接着上次的文件</translation>
    </message>
    <message>
        <source>Layer 2 of MiniLM reads a sentence: {word} attends to {other}, {weight}.</source>
        <translation>MiniLM 第 2 层读一个句子：{word} 关注 {other}，{weight}。</translation>
    </message>
    <message>
        <source>A 2-layer model that predicts letters</source>
        <translation>预测字母的 2 层模型</translation>
    </message>
    <message>
        <source>Once more</source>
        <translation>再学一遍</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Write a sentence and see which word each word attends to. Vectors of MiniLM, by cosine.</source>
        <translation>写一句话，看看每个词关注哪些词。这里用 MiniLM 的词向量，按余弦比较。</translation>
    </message>
</context>
<context>
    <name>StatusController</name>
    <message>
        <source>exact, {dtype} · {sizes}</source>
        <translation>精确，{dtype} · {sizes}</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>已屏蔽</translation>
    </message>
    <message>
        <source>{stage} · {place} = {number}</source>
        <translation>{stage} · {place} = {number}</translation>
    </message>
    <message>
        <source>{stage} · head {head} · {place} = {number}</source>
        <translation>{stage} · 头 {head} · {place} = {number}</translation>
    </message>
    <message>
        <source>1 score</source>
        <translation>1 个分数</translation>
    </message>
    <message>
        <source>{count} scores</source>
        <translation>{count} 个分数</translation>
    </message>
    <message>
        <source>1 weight</source>
        <translation>1 个权重</translation>
    </message>
    <message>
        <source>{count} weights</source>
        <translation>{count} 个权重</translation>
    </message>
    <message>
        <source>1 output</source>
        <translation>1 个输出</translation>
    </message>
    <message>
        <source>{count} outputs</source>
        <translation>{count} 个输出</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>{place}: {text}</source>
        <translation>{place}：{text}</translation>
    </message>
    <message>
        <source>head {head}, row {row}</source>
        <translation>头 {head}，第 {row} 行</translation>
    </message>
    <message>
        <source>head {head}</source>
        <translation>头 {head}</translation>
    </message>
    <message>
        <source>{number}, changed by hand</source>
        <translation>{number}（手动修改）</translation>
    </message>
    <message>
        <source>{before} {old}, {now} {new}</source>
        <translation>{before} {old}，{now} {new}</translation>
    </message>
</context>
<context>
    <name>StatusLine</name>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
</context>
<context>
    <name>TableBlocks</name>
    <message>
        <source>Import into {symbol}</source>
        <translation>导入到 {symbol}</translation>
    </message>
    <message>
        <source>{file} has the shape {shape}; a table takes rows and columns.</source>
        <translation>{file} 的形状为 {shape}；表格需要行和列。</translation>
    </message>
    <message>
        <source>{file} holds {block} numbers. Where do they go?</source>
        <translation>{file} 含有 {block} 个数。放到哪里？</translation>
    </message>
    <message>
        <source>{symbol}, head {head}</source>
        <translation>{symbol}，头 {head}</translation>
    </message>
    <message>
        <source>From row {row}, column {column} on</source>
        <translation>从第 {row} 行第 {column} 列起</translation>
    </message>
    <message>
        <source>{file} into {cell}</source>
        <translation>{file} 已读入 {cell}</translation>
    </message>
    <message>
        <source>Matrices ({patterns})</source>
        <translation>矩阵文件 ({patterns})</translation>
    </message>
    <message>
        <source>One matrix is on the clipboard, {shape}: click the cell to begin at, then paste.</source>
        <translation>剪贴板里只有一个矩阵（{shape}）：请先单击起始单元格，再粘贴。</translation>
    </message>
    <message>
        <source>{file} into {cell}, {polarity}</source>
        <translation>{file} 已读入 {cell}，{polarity}</translation>
    </message>
    <message>
        <source>A mask has no numbers to add to or to multiply.</source>
        <translation>掩码中没有可以相加或相乘的数。</translation>
    </message>
</context>
<context>
    <name>TableEdits</name>
    <message>
        <source>{sentence} {cell} keeps {value}.</source>
        <translation>{sentence}{cell} 仍为 {value}。</translation>
    </message>
    <message>
        <source>This command acts on a table: click one of its cells first.</source>
        <translation>此命令作用于表格：请先单击表格中的一格。</translation>
    </message>
    <message>
        <source>{symbol} is computed, so it cannot be typed into.</source>
        <translation>{symbol} 是算出来的，不能直接输入。</translation>
    </message>
    <message>
        <source>Edit {symbol}</source>
        <translation>编辑 {symbol}</translation>
    </message>
    <message>
        <source>Work on Q, K, V directly</source>
        <translation>直接编辑 Q、K、V</translation>
    </message>
    <message>
        <source>This is not the present state, so it cannot be typed into.</source>
        <translation>这里显示的不是当前状态，不能输入。</translation>
    </message>
    <message>
        <source>Show the present state</source>
        <translation>显示当前状态</translation>
    </message>
</context>
<context>
    <name>TableMenu</name>
    <message>
        <source>Select row</source>
        <translation>选择整行</translation>
    </message>
    <message>
        <source>Select column</source>
        <translation>选择整列</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>Fit columns to their numbers</source>
        <translation>列宽适应数值</translation>
    </message>
    <message>
        <source>Usual column widths</source>
        <translation>恢复默认列宽</translation>
    </message>
</context>
<context>
    <name>TablesController</name>
    <message>
        <source>= {x}·{w} (computed)</source>
        <translation>= {x}·{w}（计算所得）</translation>
    </message>
    <message>
        <source>{title}, head {head}</source>
        <translation>{title}，头 {head}</translation>
    </message>
</context>
<context>
    <name>TakeDialog</name>
    <message>
        <source>Take {cells} from elsewhere</source>
        <translation>{cells} 取自别处</translation>
    </message>
    <message>
        <source>The cells of which place, as computed, stand there instead?</source>
        <translation>用哪个位置的计算结果代替？</translation>
    </message>
    <message>
        <source>Kind of place</source>
        <translation>位置类别</translation>
    </message>
    <message>
        <source>Number of the place, counted from 0</source>
        <translation>位置编号，从 0 开始</translation>
    </message>
    <message>
        <source>Take</source>
        <translation>取用</translation>
    </message>
</context>
<context>
    <name>TargetDialog</name>
    <message>
        <source>Set {name}</source>
        <translation>设定 {name}</translation>
    </message>
    <message>
        <source>{name} should be</source>
        <translation>{name} 设为</translation>
    </message>
    <message>
        <source>now {value}</source>
        <translation>当前为 {value}</translation>
    </message>
    <message>
        <source>target</source>
        <translation>目标值</translation>
    </message>
    <message>
        <source>by its query row</source>
        <translation>改动查询的行</translation>
    </message>
    <message>
        <source>by its key row</source>
        <translation>改动键的行</translation>
    </message>
    <message>
        <source>by a bias</source>
        <translation>改动偏置</translation>
    </message>
    <message>
        <source>Take the nearest</source>
        <translation>采用最接近的解</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>It reaches {value}.</source>
        <translation>可达到 {value}。</translation>
    </message>
    <message>
        <source>Changes {cells}, by a length of {norm}.</source>
        <translation>改动 {cells}，改动量的长度为 {norm}。</translation>
    </message>
    <message>
        <source>by its row of X</source>
        <translation>改动 X 的行</translation>
    </message>
    <message>
        <source>The odds among the other keys</source>
        <translation>其余的键之间的权重比例</translation>
    </message>
    <message>
        <source>are kept where they can be</source>
        <translation>尽可能保持</translation>
    </message>
    <message>
        <source>are kept</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>go free</source>
        <translation>放开</translation>
    </message>
</context>
<context>
    <name>TargetDragController</name>
    <message>
        <source>Press on a number of a map and draw it up or down: the smallest change of its query follows.</source>
        <translation>在图中按住一个数上下拖动，会随之求出改动最小的查询。</translation>
    </message>
    <message>
        <source>Cells are left out: end the exercise before you draw numbers.</source>
        <translation>练习中有留空的单元格：请先结束练习，再拖动数值。</translation>
    </message>
</context>
<context>
    <name>TargetFields</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Choose a folder to write into.</source>
        <translation>请选择要写入的文件夹。</translation>
    </message>
    <message>
        <source>There is no folder “{folder}”.</source>
        <translation>没有文件夹“{folder}”。</translation>
    </message>
</context>
<context>
    <name>TermsModel</name>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>还有 {count} 项</translation>
    </message>
    <message>
        <source>value</source>
        <translation>取值</translation>
    </message>
</context>
<context>
    <name>Tips</name>
    <message>
        <source>How alike a query and a key are: S = a(Q, K); the dot product is S = Q Kᵀ</source>
        <translation>查询与键有多相似：S = a(Q, K)；点积为 S = Q Kᵀ</translation>
    </message>
    <message>
        <source>Makes weights of the scores: a softmax, nothing at all, φ(s) / Σ φ(s) with φ(s) = elu(s) + 1, or a sigmoid</source>
        <translation>由分数得到权重的方式：softmax、不作处理、φ(s) / Σ φ(s)（φ(s) = elu(s) + 1）或 sigmoid</translation>
    </message>
    <message>
        <source>What the scores are multiplied by: S′ = S / √dₖ keeps their variance near 1</source>
        <translation>分数乘以的系数：S′ = S / √dₖ 使分数的方差保持在 1 左右</translation>
    </message>
    <message>
        <source>The factor α of the scores: S′ = α · S</source>
        <translation>分数的缩放系数 α：S′ = α · S</translation>
    </message>
    <message>
        <source>The factor α of the scores from 0 to 1/√dₖ: S′ = α · S</source>
        <translation>分数的缩放系数 α，从 0 到 1/√dₖ：S′ = α · S</translation>
    </message>
    <message>
        <source>Which keys a query may see: Sᵐ = S′ + M, where M is 0 or −∞</source>
        <translation>查询可以看到哪些键：Sᵐ = S′ + M，M 为 0 或 −∞</translation>
    </message>
    <message>
        <source>Keeps scores between −cap and cap: S″ = cap · tanh(S′ / cap)</source>
        <translation>使分数介于 −cap 与 cap 之间：S″ = cap · tanh(S′ / cap)</translation>
    </message>
    <message>
        <source>Turns pairs of columns of Q and K by i · θ^(−2p/dₖ) at position i</source>
        <translation>在位置 i 处把 Q 和 K 的成对列旋转 i · θ^(−2p/dₖ)</translation>
    </message>
    <message>
        <source>One over the width of the kernel: a = −(w · ‖q − k‖)² / 2</source>
        <translation>核宽度的倒数：a = −(w · ‖q − k‖)² / 2</translation>
    </message>
    <message>
        <source>The factor κ of ‖k‖² in the Gaussian score; 0 leaves a dot product</source>
        <translation>高斯核评分中 ‖k‖² 项的系数 κ；为 0 时即为点积</translation>
    </message>
    <message>
        <source>How many units the additive score has: a = tanh(q W_q + k W_k) · w</source>
        <translation>加性评分的隐藏单元数：a = tanh(q W_q + k W_k) · w</translation>
    </message>
    <message>
        <source>Added to the variance: N = γ (R − μ) / √(σ² + ε) + β</source>
        <translation>加到方差上：N = γ (R − μ) / √(σ² + ε) + β</translation>
    </message>
    <message>
        <source>The function between the products of the feed-forward network: F = a(Fᵘ); gated F = a(Fᵍ) · Fᵘ</source>
        <translation>前馈网络两次乘积之间的函数：F = a(Fᵘ)；带门控时 F = a(Fᵍ) · Fᵘ</translation>
    </message>
    <message>
        <source>The head on show, counted from 0: O = A V of its columns alone</source>
        <translation>显示哪个头，从 0 起数：O = A V 只用该头的各列</translation>
    </message>
    <message>
        <source>Which of two states the maps show: now, before, now − before; or gradients of the chosen cell</source>
        <translation>图中显示两个状态中的哪一个：现在、之前、现在 − 之前；或者所选单元格的梯度</translation>
    </message>
    <message>
        <source>Which sum the gradient ∂ is of: one cell, its row, or ½ Σ of the row squared</source>
        <translation>对哪个量求梯度 ∂：一个单元格、它所在的行之和，或该行平方和的一半 ½ Σ</translation>
    </message>
    <message>
        <source>Draws a bar in the maps: before on its left, now on its right</source>
        <translation>在图中画一条分隔线：左边是之前，右边是现在</translation>
    </message>
    <message>
        <source>Which page is shown: each looks at the present numbers in its own way</source>
        <translation>显示哪个页面：每个页面以自己的方式查看当前数值</translation>
    </message>
    <message>
        <source>The item of the batch on show, counted from 0</source>
        <translation>显示批量中的哪个样本，从 0 起数</translation>
    </message>
    <message>
        <source>How many heads share the columns of Q: each computes its own A = softmax(Q Kᵀ / √dₖ)</source>
        <translation>Q 的各列分给多少个头：每个头各自计算 A = softmax(Q Kᵀ / √dₖ)</translation>
    </message>
    <message>
        <source>How many heads K and V have; each serves num_heads / num_kv_heads query heads</source>
        <translation>K 和 V 的头数；每个头由 num_heads / num_kv_heads 个查询头共用</translation>
    </message>
    <message>
        <source>Columns of Q and K in one head; the scale 1/√dₖ depends on it</source>
        <translation>每个头中 Q 和 K 的列数；缩放 1/√dₖ 由它决定</translation>
    </message>
    <message>
        <source>Columns of X, or of all heads together where Q is given; mostly d_model = heads · dₖ</source>
        <translation>X 的列数；直接给出 Q 时为所有头的总列数；通常 d_model = 头数 · dₖ</translation>
    </message>
    <message>
        <source>Columns of V in one head, and so of its output O = A V</source>
        <translation>一个头中 V 的列数，也就是输出 O = A V 的列数</translation>
    </message>
    <message>
        <source>Rows of Q: a row of S, of A and of O for each query</source>
        <translation>Q 的行数：每个查询对应 S、A 和 O 的一行</translation>
    </message>
    <message>
        <source>Rows of K and V: a column of S and of A for each key</source>
        <translation>K 和 V 的行数：每个键对应 S 和 A 的一列</translation>
    </message>
    <message>
        <source>Whether d_model or dₖ stays when the number of heads changes: d_model = heads · dₖ</source>
        <translation>头数改变时保持 d_model 还是 dₖ 不变：d_model = 头数 · dₖ</translation>
    </message>
    <message>
        <source>How many items are computed side by side, each with its own Q, K and V</source>
        <translation>并列计算多少个样本，每个样本有各自的 Q、K、V</translation>
    </message>
    <message>
        <source>Which number stands below every head, read off its weights A</source>
        <translation>每个头下显示哪个读数，由它的权重 A 算出</translation>
    </message>
    <message>
        <source>A = softmax(S′ / T): below 1 it sharpens the weights, above 1 it evens them out</source>
        <translation>A = softmax(S′ / T)：小于 1 时权重更尖锐，大于 1 时更平均</translation>
    </message>
    <message>
        <source>True opens a key, as in scaled_dot_product_attention: M is 0 there</source>
        <translation>True 开放一个键，与 scaled_dot_product_attention 一致：该处 M 为 0</translation>
    </message>
    <message>
        <source>True closes a key, as in nn.MultiheadAttention: M is −∞ there</source>
        <translation>True 屏蔽一个键，与 nn.MultiheadAttention 一致：该处 M 为 −∞</translation>
    </message>
    <message>
        <source>Added to the variance or the mean square: N = γ R / √(mean R² + ε)</source>
        <translation>加到方差或均方上：N = γ R / √(R² 的均值 + ε)</translation>
    </message>
    <message>
        <source>Added to the mean square of a head: Qⁿ = γ Q / √(mean Q² + ε)</source>
        <translation>加到一个头的均方上：Qⁿ = γ Q / √(Q² 的均值 + ε)</translation>
    </message>
    <message>
        <source>Which norm the block uses: LayerNorm takes the mean off, RMSNorm does not</source>
        <translation>块使用哪种归一化：LayerNorm 先减去均值，RMSNorm 不减</translation>
    </message>
</context>
<context>
    <name>TitleController</name>
    <message>
        <source>Start page</source>
        <translation>起始页</translation>
    </message>
</context>
<context>
    <name>TokenHeader</name>
    <message>
        <source>Token of row {row}</source>
        <translation>第 {row} 行的词元</translation>
    </message>
</context>
<context>
    <name>TokenRow</name>
    <message>
        <source>Tokens of the text</source>
        <translation>文本的词元</translation>
    </message>
    <message>
        <source>The text as the tokenizer cuts it: the prediction is read at the chosen token</source>
        <translation>分词器切分后的文本：在所选词元处读取预测</translation>
    </message>
</context>
<context>
    <name>TokensDialog</name>
    <message>
        <source>Tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>sentence</source>
        <translation>句子</translation>
    </message>
    <message>
        <source>names of</source>
        <translation>用于</translation>
    </message>
    <message>
        <source>Type a sentence; blanks keep Chinese words together</source>
        <translation>输入一个句子；用空格分隔可保留中文词语</translation>
    </message>
    <message>
        <source>Sentence</source>
        <translation>句子</translation>
    </message>
    <message>
        <source>Join the selected</source>
        <translation>合并所选词元</translation>
    </message>
    <message>
        <source>Make one token of neighbors that are selected</source>
        <translation>把所选的相邻词元合并为一个</translation>
    </message>
    <message>
        <source>Names of</source>
        <translation>用于</translation>
    </message>
    <message>
        <source>Tokens, in order</source>
        <translation>依次的词元</translation>
    </message>
    <message>
        <source>queries and keys</source>
        <translation>查询和键</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>keys</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Use as labels</source>
        <translation>用作标签</translation>
    </message>
    <message>
        <source>Add or remove rows, so that {sizes} = {count}</source>
        <translation>增减行，使 {sizes} = {count}</translation>
    </message>
    <message>
        <source>No tokens: rows are labeled by number.</source>
        <translation>没有词元：各行以编号标注。</translation>
    </message>
    <message>
        <source>Queries: {rows} rows become {count}.</source>
        <translation>查询：{rows} 行变为 {count} 行。</translation>
    </message>
    <message>
        <source>Keys: {rows} rows become {count}.</source>
        <translation>键：{rows} 行变为 {count} 行。</translation>
    </message>
    <message>
        <source>Queries: a token for each of {rows} rows.</source>
        <translation>查询：{rows} 行各有一个词元。</translation>
    </message>
    <message>
        <source>Keys: a token for each of {rows} rows.</source>
        <translation>键：{rows} 行各有一个词元。</translation>
    </message>
    <message>
        <source>Queries: {count} tokens for {rows} rows; the rest are labeled by number.</source>
        <translation>查询：{rows} 行有 {count} 个词元；其余以编号标注。</translation>
    </message>
    <message>
        <source>Keys: {count} tokens for {rows} rows; the rest are labeled by number.</source>
        <translation>键：{rows} 行有 {count} 个词元；其余以编号标注。</translation>
    </message>
    <message>
        <source>Queries: {count} tokens for {rows} rows; the last {left} are left out.</source>
        <translation>查询：{rows} 行有 {count} 个词元；最后 {left} 个不用。</translation>
    </message>
    <message>
        <source>Keys: {count} tokens for {rows} rows; the last {left} are left out.</source>
        <translation>键：{rows} 行有 {count} 个词元；最后 {left} 个不用。</translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>What goes in</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Tables of numbers. Type over any of them: everything else follows at once.</source>
        <translation>这些表格里都是数。改任何一个，其余立刻跟着变。</translation>
    </message>
    <message>
        <source>The formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Each step with a small map, from left to right. Click one to see it large.</source>
        <translation>从左到右，每一步一张小图。单击哪一步，就放大哪一步。</translation>
    </message>
    <message>
        <source>The map</source>
        <translation>热图</translation>
    </message>
    <message>
        <source>A row for each query, a column for each key. Click a cell to choose it.</source>
        <translation>每行一个查询，每列一个键。单击一格，就选中它。</translation>
    </message>
    <message>
        <source>Why it is this number</source>
        <translation>为什么是这个数</translation>
    </message>
    <message>
        <source>Learn and find</source>
        <translation>学习与查找</translation>
    </message>
    <message>
        <source>The chosen cell, computed with its own numbers. “Walk through this cell” plays it step by step.</source>
        <translation>用实际的数写出选中的这一格是怎样算出来的。“演示这一格”会一步步放给你看。</translation>
    </message>
    <message>
        <source>Lessons explain it step by step. Search actions finds everything else, in either language.</source>
        <translation>“课程”会一步步讲解。其他功能都可以用“搜索操作”找到，中英文均可。</translation>
    </message>
</context>
<context>
    <name>TourBubble</name>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 个，共 {count} 个</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>End the tour (Esc); Help › Tour brings it back</source>
        <translation>结束导览（Esc）；可从 帮助 › 窗口导览 再看</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
</context>
<context>
    <name>TwoStates</name>
    <message>
        <source>{title}, before</source>
        <translation>{title}，之前</translation>
    </message>
    <message>
        <source>{title}, now − before</source>
        <translation>{title}，现在 − 之前</translation>
    </message>
    <message>
        <source>{title}, gradient</source>
        <translation>{title}，梯度</translation>
    </message>
</context>
<context>
    <name>UnfitBlocks</name>
    <message>
        <source>{refusal} {reason}</source>
        <translation>{refusal}{reason}</translation>
    </message>
    <message>
        <source>{block} numbers do not fit into {symbol} ({size}) at row {row}, column {column}.</source>
        <translation>从第 {row} 行第 {column} 列起，{symbol}（{size}）放不下 {block} 个数。</translation>
    </message>
    <message>
        <source>Grow {symbol} to {size}</source>
        <translation>将 {symbol} 扩大到 {size}</translation>
    </message>
    <message>
        <source>Make {symbol} {block}</source>
        <translation>将 {symbol} 换成 {block}</translation>
    </message>
</context>
<context>
    <name>VerifyPage</name>
    <message>
        <source>worst difference</source>
        <translation>最大差异</translation>
    </message>
    <message>
        <source>Verify now</source>
        <translation>立即验证</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Compute every stage a second time, cell by cell, and say where it differs</source>
        <translation>逐单元格重新计算每个阶段，指出不同之处</translation>
    </message>
    <message>
        <source>All {count} rows were computed a second time, in plain loops. The worst difference:</source>
        <translation>全部 {count} 行已用简单循环重算一遍。最大差异：</translation>
    </message>
    <message>
        <source>A sample of {count} of {all} rows was computed a second time, in plain loops. The worst difference:</source>
        <translation>从 {all} 行中抽取 {count} 行，已用简单循环重算一遍。最大差异：</translation>
    </message>
    <message>
        <source>Computing everything a second time …</source>
        <translation>正在全部重算一遍…</translation>
    </message>
    <message>
        <source>Stopped: nothing was verified.</source>
        <translation>已停止：没有验证任何数值。</translation>
    </message>
    <message>
        <source>The numbers have changed since.</source>
        <translation>此后数值已有改动。</translation>
    </message>
    <message>
        <source>Computes every number a second time, in plain loops that share nothing with the program, and checks what must always hold.</source>
        <translation>用与本程序毫无共用代码的简单循环把每个数重算一遍，并检查始终应当成立的性质。</translation>
    </message>
    <message>
        <source>Explain the cell that differs most</source>
        <translation>解释相差最大的单元格</translation>
    </message>
</context>
<context>
    <name>Walk</name>
    <message>
        <source>query {number}</source>
        <translation>查询 {number}</translation>
    </message>
    <message>
        <source>key {number}</source>
        <translation>键 {number}</translation>
    </message>
    <message>
        <source>{value} (the other {count})</source>
        <translation>{value}（其余 {count} 个）</translation>
    </message>
    <message>
        <source>Cap</source>
        <translation>软上限</translation>
    </message>
    <message>
        <source>Normalize: {name}</source>
        <translation>归一化：{name}</translation>
    </message>
    <message>
        <source>Pour into {value}</source>
        <translation>汇入 {value}</translation>
    </message>
    <message>
        <source>column {number}</source>
        <translation>第 {number} 列</translation>
    </message>
    <message>
        <source>{count} other keys</source>
        <translation>其余 {count} 个键</translation>
    </message>
    <message>
        <source>{count} others</source>
        <translation>其余 {count} 个</translation>
    </message>
    <message>
        <source>key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>{count} masked</source>
        <translation>已屏蔽 {count} 个</translation>
    </message>
    <message>
        <source>Exponentiate</source>
        <translation>取指数</translation>
    </message>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>Add up</source>
        <translation>求和</translation>
    </message>
    <message>
        <source>sum of {count} = {value}</source>
        <translation>{count} 项之和 = {value}</translation>
    </message>
    <message>
        <source>Divide</source>
        <translation>相除</translation>
    </message>
    <message>
        <source>Divide each by the sum: {equations}. These are the weights of {query}.</source>
        <translation>每一项除以总和：{equations}。这就是 {query} 的权重。</translation>
    </message>
    <message>
        <source>÷ {total}: now the whole bar is 1 long</source>
        <translation>÷ {total} 之后，整条长度是 1</translation>
    </message>
    <message>
        <source>Divide by {root}: {before} becomes {after}</source>
        <translation>除以 {root}：{before} 变成 {after}</translation>
    </message>
    <message>
        <source>Multiply by {factor}: {before} becomes {after}</source>
        <translation>乘以 {factor}：{before} 变成 {after}</translation>
    </message>
    <message>
        <source>, the {before} in its row {after}</source>
        <translation>，同一行的 {before} 变成 {after}</translation>
    </message>
    <message>
        <source>.</source>
        <translation>。</translation>
    </message>
    <message>
        <source>row {number}</source>
        <translation>第 {number} 行</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>The mask: {query} sees {count} of {all} keys.</source>
        <translation>掩码：{query} 能看到 {all} 个键中的 {count} 个。</translation>
    </message>
    <message>
        <source>The mask ({rules}): allowed, {query} sees {key}. {value} stays.</source>
        <translation>掩码（{rules}）：允许，{query} 能看到 {key}，{value} 不变。</translation>
    </message>
    <message>
        <source>{count} of {all} allowed</source>
        <translation>{all} 个中允许 {count} 个</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>masked</source>
        <translation>屏蔽</translation>
    </message>
    <message>
        <source>Given</source>
        <translation>已知</translation>
    </message>
    <message>
        <source>{cell} is given, not computed: {value}.</source>
        <translation>{cell} 是已知的，不是算出来的：{value}。</translation>
    </message>
    <message>
        <source>{cell} is {source} itself: {value}.</source>
        <translation>{cell} 就是 {source}：{value}。</translation>
    </message>
    <message>
        <source>Edited</source>
        <translation>已修改</translation>
    </message>
    <message>
        <source>{cell} is edited: {before} as computed, now {value}.</source>
        <translation>{cell} 被修改过：算出来是 {before}，现在是 {value}。</translation>
    </message>
    <message>
        <source>Exponentiate: negative numbers turn positive, gaps become ratios. {equations}.</source>
        <translation>取指数：负数也变成正数，差变成比。{equations}。</translation>
    </message>
    <message>
        <source>Row × column</source>
        <translation>行 × 列</translation>
    </message>
    <message>
        <source>Line up {row} of {left} with {column} of {top}: {count} numbers each, one to one.</source>
        <translation>把 {left} 的{row}和 {top} 的{column}对齐：各有 {count} 个数，一一配对。</translation>
    </message>
    <message>
        <source>{pair}, {count} pairs</source>
        <translation>{pair}，{count} 对</translation>
    </message>
    <message>
        <source>Add the products</source>
        <translation>乘积相加</translation>
    </message>
    <message>
        <source>{count} products = {value}</source>
        <translation>{count} 个乘积之和 = {value}</translation>
    </message>
    <message>
        <source>sum</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>{sum}, the last is still to come</source>
        <translation>{sum}，还差最后一个</translation>
    </message>
    <message>
        <source>Walk through {cell}</source>
        <translation>演示 {cell}</translation>
    </message>
    <message>
        <source>the weight that {query} gives {key}</source>
        <translation>{query} 给{key}的权重</translation>
    </message>
    <message>
        <source>the score of {query} and {key}</source>
        <translation>{query} 与{key}的分数</translation>
    </message>
    <message>
        <source>Result: {subtitle}, {letter} = {value}</source>
        <translation>结果：{subtitle} {letter} = {value}</translation>
    </message>
    <message>
        <source>{layer}: {rule}</source>
        <translation>{layer}：{rule}</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>常数</translation>
    </message>
    <message>
        <source>{cell} depends on no number: it is {value}.</source>
        <translation>{cell} 与任何数都无关，恒为 {value}。</translation>
    </message>
    <message>
        <source>powers of e: {count}</source>
        <translation>{count} 个指数</translation>
    </message>
    <message>
        <source>weights: {count}, sum {value}</source>
        <translation>{count} 个权重，和为 {value}</translation>
    </message>
    <message>
        <source>No key is seen by {query}: {cell} = {value}.</source>
        <translation>{query} 看不到任何键：{cell} = {value}。</translation>
    </message>
    <message>
        <source>Divide its part by the sum: {equation}, so {query} gives {percent} of its attention to {key}.</source>
        <translation>自己的那一项除以总和：{equation}。{query} 把 {percent} 的注意力给了 {key}。</translation>
    </message>
    <message>
        <source>The mask ({rules}) does not hold, so {query} does not see {key}: {before} becomes {value}.</source>
        <translation>掩码（{rules}）：不成立，屏蔽；{query} 看不到 {key}，{before} 变成 {value}。</translation>
    </message>
    <message>
        <source>Subtract the largest score, then exponentiate: {equations}.</source>
        <translation>先减去最大的分数，再取指数：{equations}。</translation>
    </message>
    <message>
        <source>Carry over</source>
        <translation>沿用</translation>
    </message>
    <message>
        <source>The weights pour into the rows of {matrix}: {equation}, which lands in {cell}.</source>
        <translation>权重汇入 {matrix} 的各行：{equation}，落进 {cell}。</translation>
    </message>
    <message>
        <source>Add up the powers of this row: {equation}.</source>
        <translation>把这一行的指数加起来：{equation}。</translation>
    </message>
    <message>
        <source>{name}: {equation}.</source>
        <translation>{name}：{equation}。</translation>
    </message>
    <message>
        <source>{name} = {equation}.</source>
        <translation>{name} = {equation}。</translation>
    </message>
    <message>
        <source>Row and column</source>
        <translation>行与列</translation>
    </message>
    <message>
        <source>Add the squares</source>
        <translation>平方相加</translation>
    </message>
    <message>
        <source>Square each difference, then add up: {equation}.</source>
        <translation>把每个差平方，再加起来：{equation}。</translation>
    </message>
    <message>
        <source>Take each pair, then add up: {equation}.</source>
        <translation>逐对计算，再加起来：{equation}。</translation>
    </message>
    <message>
        <source>Add up: {equation}, which is {cell}.</source>
        <translation>加起来：{equation}，这就是 {cell}。</translation>
    </message>
    <message>
        <source>Multiply each pair and add up: {equation}, which is {cell}.</source>
        <translation>每对相乘，再加起来：{equation}，这就是 {cell}。</translation>
    </message>
    <message>
        <source>{count} squares = {value}</source>
        <translation>{count} 个平方之和 = {value}</translation>
    </message>
    <message>
        <source>{cell} is {source} of {head}: {value}.</source>
        <translation>{cell} 就是{head}的 {source}：{value}。</translation>
    </message>
    <message>
        <source>−∞ becomes 0</source>
        <translation>−∞ 变成 0</translation>
    </message>
    <message>
        <source>{source} is −∞, so the weight {cell} is {value}.</source>
        <translation>{source} 为 −∞，所以权重 {cell} 为 {value}。</translation>
    </message>
</context>
<context>
    <name>WalkButton</name>
    <message>
        <source>Walk through this cell</source>
        <translation>演示这一格</translation>
    </message>
    <message>
        <source>Show step by step, with its numbers, how this cell is computed</source>
        <translation>用实际的数，一步一步演示这一格是怎样算出来的</translation>
    </message>
    <message>
        <source>Space key</source>
        <translation>空格键</translation>
    </message>
</context>
<context>
    <name>WalkController</name>
    <message>
        <source>Walk · step {place} of {count}: {title}</source>
        <translation>演示 · 第 {place} 步，共 {count} 步：{title}</translation>
    </message>
    <message>
        <source>Walk stopped: a number was changed</source>
        <translation>演示已停止：数被改动</translation>
    </message>
    <message>
        <source>Export step panels</source>
        <translation>导出分步图</translation>
    </message>
    <message>
        <source>Export GIF</source>
        <translation>导出 GIF</translation>
    </message>
</context>
<context>
    <name>WalkSteps</name>
    <message>
        <source>Steps</source>
        <translation>每一步</translation>
    </message>
    <message>
        <source>Click a step to go there</source>
        <translation>点一步，就跳到那里</translation>
    </message>
    <message>
        <source>Space: play or pause   ← →: previous, next step
Esc: back to the map. Any edit stops the walk.</source>
        <translation>空格：播放或暂停&#x3000;← →：上一步、下一步
Esc：回到原来的图。改了任何数，演示就停下。</translation>
    </message>
</context>
<context>
    <name>WalkView</name>
    <message>
        <source>Step {place} of {count}: {title}. {sentence}</source>
        <translation>第 {place} 步，共 {count} 步：{title}。{sentence}</translation>
    </message>
    <message>
        <source>Export &amp;GIF…</source>
        <translation>导出 GIF(&amp;G)…</translation>
    </message>
    <message>
        <source>Export step &amp;panels…</source>
        <translation>导出分步图(&amp;P)…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Back to the map</source>
        <translation>回到原来的图</translation>
    </message>
    <message>
        <source>Previous step</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Steps of the walk</source>
        <translation>演示的各步</translation>
    </message>
    <message>
        <source>Reduced motion: each step at once</source>
        <translation>减少动态：每一步直接到位</translation>
    </message>
    <message>
        <source>Step {place} / {count}</source>
        <translation>第 {place} / {count} 步</translation>
    </message>
    <message>
        <source>{now} / {all} s</source>
        <translation>{now} / {all} 秒</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>{what} (Space)</source>
        <translation>{what}（空格键）</translation>
    </message>
</context>
<context>
    <name>WeightDialog</name>
    <message>
        <source>Set {name} to {value}</source>
        <translation>将 {name} 设为 {value}</translation>
    </message>
    <message>
        <source>The softmax gives a row of weights that adds up to 1, together with the share of the sink. What should happen to the other weights?</source>
        <translation>由 softmax 得出的一行权重（连同汇点所占份额）之和为 1。其余权重怎么处理？</translation>
    </message>
    <message>
        <source>A row of weights adds up to 1 here. What should happen to the other weights?</source>
        <translation>这里每行权重之和为 1。其余权重怎么处理？</translation>
    </message>
    <message>
        <source>Do the same from now on</source>
        <translation>以后都这样处理</translation>
    </message>
    <message>
        <source>Set</source>
        <translation>设定</translation>
    </message>
    <message>
        <source>Set it, and rescale the other weights so that the row adds up to 1</source>
        <translation>改这个数，并按比例缩放该行其余权重，使该行之和为 1</translation>
    </message>
    <message>
        <source>Set this number alone: the row need not add up to 1</source>
        <translation>只改这一个数，该行之和不必为 1</translation>
    </message>
    <message>
        <source>Find the smallest change of the query that gives it</source>
        <translation>求能得到它的、改动最小的查询</translation>
    </message>
    <message>
        <source>Set it, and rescale the other weights and the share of the sink so that all add up to 1</source>
        <translation>改这个数，并按比例缩放该行其余权重与汇点所占的份额，使总和为 1</translation>
    </message>
    <message>
        <source>To be asked again, or to choose another meaning: Compute › Edit results › Typing into weights.</source>
        <translation>可在“计算 › 修改结果 › 在权重中填数”中恢复询问，或改用其他方式。</translation>
    </message>
</context>
<context>
    <name>WorkLine</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>What moved {name}, {percent} %</source>
        <translation>{name} 的变化来源，{percent} %</translation>
    </message>
    <message>
        <source>Exporting, {percent} %</source>
        <translation>正在导出，{percent} %</translation>
    </message>
    <message>
        <source>Cancel the export</source>
        <translation>取消导出</translation>
    </message>
    <message>
        <source>Snapshot {name}, {percent} %</source>
        <translation>快照 {name}，{percent} %</translation>
    </message>
    <message>
        <source>Fitting {name}, {percent} %</source>
        <translation>正在拟合 {name}，{percent} %</translation>
    </message>
    <message>
        <source>Cancel the fit</source>
        <translation>取消拟合</translation>
    </message>
    <message>
        <source>Cancel the change</source>
        <translation>取消更改</translation>
    </message>
    <message>
        <source>Opening {name}, {percent} %</source>
        <translation>正在打开 {name}，{percent} %</translation>
    </message>
    <message>
        <source>Cancel the opening</source>
        <translation>取消打开</translation>
    </message>
    <message>
        <source>Computing the page, {percent} %</source>
        <translation>正在计算页面，{percent} %</translation>
    </message>
    <message>
        <source>Stop computing the page</source>
        <translation>停止计算页面</translation>
    </message>
    <message>
        <source>Reading {name}, {percent} %</source>
        <translation>正在读取 {name}，{percent} %</translation>
    </message>
    <message>
        <source>Cancel the reading</source>
        <translation>取消读取</translation>
    </message>
    <message>
        <source>Saving {name}, {percent} %</source>
        <translation>正在保存 {name}，{percent} %</translation>
    </message>
    <message>
        <source>Cancel the saving</source>
        <translation>取消保存</translation>
    </message>
    <message>
        <source>{name}, {percent} %</source>
        <translation>{name}，{percent} %</translation>
    </message>
</context>
<context>
    <name>WorksheetDialog</name>
    <message>
        <source>Worksheets for a class</source>
        <translation>班级练习卷</translation>
    </message>
    <message>
        <source>worksheets</source>
        <translation>练习卷份数</translation>
    </message>
    <message>
        <source>random seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>and the teacher&apos;s pages with the answers, in a file of their own</source>
        <translation>另存一个文件：含答案的教师页</translation>
    </message>
</context>
<context>
    <name>Worksheets</name>
    <message>
        <source>Scaled dot-product attention, step by step</source>
        <translation>缩放点积注意力：一步一步算</translation>
    </message>
    <message>
        <source>Attention, step by step</source>
        <translation>注意力：一步一步算</translation>
    </message>
    <message>
        <source>{heading}: answers</source>
        <translation>{heading}（答案）</translation>
    </message>
    <message>
        <source>No. {number}</source>
        <translation>第 {number} 份</translation>
    </message>
    <message>
        <source>Student</source>
        <translation>姓名</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>班级</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Score</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>Working</source>
        <translation>演算</translation>
    </message>
    <message>
        <source>attn_gui worksheet · seed {seed} · answers on the teacher&apos;s page</source>
        <translation>attn_gui 练习卷 · 种子 {seed} · 答案见教师页</translation>
    </message>
    <message>
        <source>These matrices do not fit on one page with room for working; choose a smaller problem.</source>
        <translation>这些矩阵加上演算的空白，一页放不下；请选较小的算例。</translation>
    </message>
    <message>
        <source>Tokens that fit at this level: {tokens}.</source>
        <translation>按这一级别最多放得下 {tokens} 个词元。</translation>
    </message>
    <message>
        <source>{letter}: {score}</source>
        <translation>{letter}：{score}</translation>
    </message>
    <message>
        <source>columns of heads {heads}: {columns}</source>
        <translation>头 {heads} 的列：{columns}</translation>
    </message>
    <message>
        <source>The wrong number: step ____ , head ____ , row ____ , column ____ ; it should be ________ .</source>
        <translation>错误的数：第 ____ 步，头 ____ ，第 ____ 行，第 ____ 列；应为 ________ 。</translation>
    </message>
    <message>
        <source>No. {first}–{last} of {count} · teacher&apos;s page {page} of {pages}</source>
        <translation>第 {first}–{last} 份，共 {count} 份 · 教师页 {page} / {pages}</translation>
    </message>
    <message>
        <source>{level} · seed {seed}</source>
        <translation>{level} · 种子 {seed}</translation>
    </message>
    <message>
        <source>These matrices do not fit on one page with room for working; choose a smaller problem, or a level that asks for less.</source>
        <translation>这些矩阵加上演算的空白，一页放不下；请选较小的算例，或填得较少的级别。</translation>
    </message>
    <message>
        <source>Sum of each row:</source>
        <translation>每行之和：</translation>
    </message>
    <message>
        <source>row {row}</source>
        <translation>第 {row} 行</translation>
    </message>
    <message>
        <source>Row {row}: </source>
        <translation>第 {row} 行：</translation>
    </message>
    <message>
        <source>sum {total}</source>
        <translation>和 {total}</translation>
    </message>
    <message>
        <source>softmax</source>
        <translation>softmax</translation>
    </message>
    <message>
        <source>The wrong number: step ____ , row ____ , column ____ ; it should be ________ .</source>
        <translation>错误的数：第 ____ 步，第 ____ 行，第 ____ 列；应为 ________ 。</translation>
    </message>
    <message>
        <source>Usual mistakes, seen at {cell}</source>
        <translation>常见的错，看 {cell}</translation>
    </message>
    <message>
        <source>Scaling</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>Bias</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>Weighted sum</source>
        <translation>加权求和</translation>
    </message>
    <message>
        <source>Each row of Q with each row of K: multiply, add up.</source>
        <translation>Q 的每一行与 K 的每一行做点积。</translation>
    </message>
    <message>
        <source>Fill in the boxes, to two decimals; go on with these rounded numbers, and round nothing in between. Rows and columns count from 0. Use a calculator; show every step.</source>
        <translation>在加粗的方框里填数，保留两位小数；后面用这些舍入后的数续算，中间不再舍入。行与列从 0 数起。可以用计算器；每一步都写出算式。</translation>
    </message>
    <message>
        <source>Fill the weights</source>
        <translation>补全权重</translation>
    </message>
    <message>
        <source>All steps</source>
        <translation>全部步骤</translation>
    </message>
    <message>
        <source>Find the mistake</source>
        <translation>找错</translation>
    </message>
    <message>
        <source>What went wrong:</source>
        <translation>错在哪里：</translation>
    </message>
    <message>
        <source>Wrong: {cell} is printed as {wrong}; it should be {right}.</source>
        <translation>错误：{cell} 印成 {wrong}，应为 {right}。</translation>
    </message>
    <message>
        <source>Each row of A weights the rows of V.</source>
        <translation>用 A 的每一行对 V 的各行加权。</translation>
    </message>
    <message>
        <source>One number in the tables on the right is wrong. Find it, correct it, and say what went wrong. Rows and columns count from 0.</source>
        <translation>右边表格中有一个数是错的。把它找出来，改正，并说明错在哪里。行与列从 0 数起。</translation>
    </message>
    <message>
        <source>No. {first} of {count} · teacher&apos;s page {page} of {pages}</source>
        <translation>第 {first} 份，共 {count} 份 · 教师页 {page} / {pages}</translation>
    </message>
    <message>
        <source>{cell} of {head}</source>
        <translation>{head} 的 {cell}</translation>
    </message>
    <message>
        <source>Worked with rounded boxes; last digit {spread} is right.</source>
        <translation>用方框里舍入后的数续算；末位差 {spread} 也算对。</translation>
    </message>
</context>
<context>
    <name>WritingController</name>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Wrote {names} to {folder}</source>
        <translation>已将 {names} 写入 {folder}</translation>
    </message>
    <message>
        <source>The export was canceled; nothing was written.</source>
        <translation>导出已取消；没有写入任何文件。</translation>
    </message>
    <message>
        <source>The export was canceled. Files written before that: {count}.</source>
        <translation>导出已取消。此前已写入的文件：{count} 个。</translation>
    </message>
    <message>
        <source>An export is still being written: wait, or cancel it.</source>
        <translation>上一次导出还在写入：请等待，或取消它。</translation>
    </message>
</context>
</TS>
