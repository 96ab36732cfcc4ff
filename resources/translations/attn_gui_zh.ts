<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E&amp;xamples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Decimals</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;New…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Import into the table…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Export image…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export &amp;numbers…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy with &amp;headers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set to &amp;zero</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fill &amp;down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fill &amp;right</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fill with small &amp;integers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fill with random &amp;numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fill with the identit&amp;y</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Tokens…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output projection &amp;W_O</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Biases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Second sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work on Q, K, V &amp;directly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Product</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;All stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Values in cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy &amp;image of the map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Normal size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Reset layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Previous head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Next head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Masks…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open or close the chosen cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Back to the previous cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next &amp;zone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Search actions…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Banner</name>
    <message>
        <source>Close this line</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>CommandsController</name>
    <message>
        <source>&amp;Undo {step}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo {step}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Examples</name>
    <message>
        <source>Worked example, five steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two queries, two keys: every number can be checked by hand.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking Machines, projected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two words as vectors X, multiplied by W_Q, W_K and W_V; d_k = 4.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Thinking Machines, d_k = 64</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same two words with d_k = 64, so that scores are divided by √64 = 8.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiniLM, layer 2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer 2 of MiniLM reading “{text}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SmolLM2, layer 10, causal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer 10 of SmolLM2 reading “{text}”</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>FilesController</name>
    <message>
        <source>untitled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session (*.attn)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the changes to {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems (*.attn *.npz)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Heads</name>
    <message>
        <source>“{text}” is not a list of heads: write all, or numbers such as 0, 2-3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no head {head}: heads go from 0 to {last}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>History</name>
    <message>
        <source>heads {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>K/V heads {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_k {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_v {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queries {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keys {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_model {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>items {old} → {new}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>precision {dtype}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale 1/√d_k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scale {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>masks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>closed {cell}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>opened {cell}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added W_O</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed W_O</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added biases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed biases</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added a second sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed the second sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Q, K, V directly</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryModel</name>
    <message>
        <source>{step}, the present step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>HistoryView</name>
    <message>
        <source>History</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Explain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy LaTeX</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All keys of this query</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys of this query, {count} of {all}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Terms {product}, {count} of {all}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Terms {product}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Names</name>
    <message>
        <source>Query</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rotated query</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rotated key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Capped scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Biased scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Masked scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Head output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Concatenated heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Normalized</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Second sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query projection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key projection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value projection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output projection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query bias</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key bias</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value bias</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output bias</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allowed cells of mask layer {k}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values of mask layer {k}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NewDialog</name>
    <message>
        <source>New problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Q, K, V directly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Self-attention from X</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cross-attention from X and a second sequence C</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queries n</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keys m</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>filled with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_k, width of a query and a key in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_v, width of a value in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>small integers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>random numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>identity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>zeros</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same seed gives the same numbers again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In self-attention the keys are the rows of X too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{heads} × scores {n} × {m}, output {n} × {width}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>NumberField</name>
    <message>
        <source>A number above 0 is needed. Esc keeps {old}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Program</name>
    <message>
        <source>Something went wrong: {error}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Relations</name>
    <message>
        <source>Comes from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reaches</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>Sentences</name>
    <message>
        <source>Nothing is written: a cell needs a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{text}” has a comma: use a point, as in 1.5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{text}” is not a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{text}” divides by zero.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{text}” is too large for {dtype}: the largest is {largest:.4g}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is damaged: its header cannot be read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” has {got} axes; expected at most {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” has no cells, its shape is {got}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” of shape {shape} needs {got} of memory; expected at most {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is not a NumPy array.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” holds Python objects, which could run code; expected numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {got}; expected float16, float32, float64, whole numbers or true and false.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is damaged or cut off: expected {expected} bytes of numbers, got {got}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is a folder; expected a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is a pipe; expected a regular file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is a device or socket; expected a regular file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} does not exist.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} may not be read: you have no permission.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be read: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is damaged or is not what its name says ({reason}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} does not fit into the memory of this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is too large: {got}; expected at most {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Session</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NumPy arrays by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>NumPy array</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comma-separated numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tab-separated numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commas were read as decimal points: 1,5 as 1.5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is not text in UTF-8 or GB 18030; expected numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} holds no numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: row {row} (line {line}) has {got} cells; expected {expected}, as in the first line.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: row {row}, column {column} (line {line}) is “{text}”; expected a point, as in 1.5, not a comma.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: row {row}, column {column} (line {line}) is “{text}”; expected a number.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: {count} cells are not numbers; by (row, column), counted from 0: {cells}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first row and the first column were read as labels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first row was read as labels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first column was read as labels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: the options are not valid JSON ({reason}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: the options are {got} long; expected at most {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: the options are a {got}; expected a JSON object.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: the options are {got} long, more than a .npz may hold; save a session (.attn) instead.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is cut off or is not a .npz: its end is missing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} has a table of contents of {got}; expected at most {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is there twice.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is encrypted or packed in an unusual way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “meta” is not a text; expected JSON options.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} holds no problem: expected arrays query, key and value, or x and its weights; got {got}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: there is no room left. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: you may not write there. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: its folder {folder} does not exist. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: the name is too long. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: {reason}. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: there is a folder of that name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: it is not a regular file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} could not be saved: it does not read back the same. Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is cut off or is not a session.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} is a safetensors file, but not a session of attn_gui.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} has the session version {got}; expected a number from 1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} was saved by a newer attn_gui (session version {got}; this one reads up to {expected}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” holds {got}; expected {expected}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file}: “{name}” is a {got}; expected a JSON object.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the causal mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the window mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the prefix mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the padding mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the custom mask</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score of query {query} and key {key}: {value}. It is the sum of {count} products.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the score times {scale}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, divided by √{count}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, not scaled.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scaled score of query {query} and key {key}: {value}. It is the sum of {count} products, times {scale}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Capped score of query {query} and key {key}: {value}. It stays between −{cap} and {cap}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score of query {query} and key {key} with its bias: {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Masked score of query {query} and key {key}: {value}. No mask layer closes it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: {layer} closes it, so its score is {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} sees no key: weights 0, output 0.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} does not see key {key}: {layer} closes it, so its weight is {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}: it sees no other key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, the largest of {count}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Query {query} gives key {key} a weight of {value}, number {rank} of {count} by size.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query} in head {head}: {value}. It is the sum of {count} values, each times its weight.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of the joined heads of query {query}: {value}. It is column {inner} of head {head}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. Without W_O it is the joined heads themselves.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of the output of query {query}: {value}. It is the sum of {count} products of the joined heads and W_O.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of {matrix} for {token}: {value}. It is given, not computed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of {matrix} for {token}: {value}. It is the sum of {count} products of {source} and {projection}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} for {token}, turned by its position {row}: {value}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Column {column} of query {query}: {value}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ShapePanel</name>
    <message>
        <source>heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>K/V heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key and value heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_k, width of a query and a key in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_v, width of a value in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queries n</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queries n</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keys m</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys m</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>d_model, width of all heads together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Items in the batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Item shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>keep d_model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When the number of heads changes: pressed, d_model stays and only the cut into heads moves; else d_k stays, and heads join or leave with their columns.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision of every number that is computed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many heads share the work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heads of K and V; each serves the same number of query heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns of Q and K in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns of V in one head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of Q</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>m follows n: keys and values come from the same X as the queries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of K and V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All heads of Q together; change the heads or d_k instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns of X</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many items the batch holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which item of the batch is shown, counted from 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads · d_k</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} heads cannot share {query} columns of Q and {value} of V evenly.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>SizeBox</name>
    <message>
        <source>A whole number is needed. Esc keeps {old}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} is out of range: {low} to {high}. Esc keeps {old}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} is not possible.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{why} Possible: {listed}. Esc keeps {old}.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StartPage</name>
    <message>
        <source>No cell chosen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{click} in any map: its formula appears here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{type} in Q, K or V: every map follows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{click} in the strip above to see it large.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or drop an .attn, .npz, .npy or .csv file on the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move the chosen cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>go to its table cell</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>previous, next head</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step of the formula</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>export image</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>StatusController</name>
    <message>
        <source>exact, {dtype} · {sizes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{stage} · head {head} · {place} = {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>head {head}, row {row}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>head {head}</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TargetFields</name>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder to write into.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no folder “{folder}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>TermsModel</name>
    <message>
        <source>key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
