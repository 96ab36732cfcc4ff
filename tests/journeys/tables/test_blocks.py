"""Blocks of numbers: pasted from wherever people have them, grown into, imported; late ones go where they belong."""

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from attn_gui import Problem
from attn_gui.app.tables import table_pasting
from attn_gui.document.edits import Label, SetFields
from attn_gui.formats.text import text_table
from attn_gui.views.dialogs.ambiguity_dialogs import ReadingsDialog
from tests.journeys.gate import Gate

ROWS = [["1.5", "-2", "0.25"], ["3", "4", "5"], ["6", "7", "8e-5"], ["-9", "10", "11"]]
TSV = "\n".join("\t".join(row) for row in ROWS)

LAYOUTS = {
    "tab-separated": TSV + "\n",
    "LaTeX": r"\begin{bmatrix} 1.5 & -2 & 0.25 \\ 3 & 4 & 5 \\ 6 & 7 & 8e-05 \\ -9 & 10 & 11 \end{bmatrix}",
    "Python lists": str([[float(text) for text in row] for row in ROWS]),
}

THREE = "Q:\n tensor([[1., 0., 2.]])\nK:\n tensor([[1., 1., 0.],\n        [0., 1., 3.]])\nV = [[1.5], [-2]]  # both"
SHOWN = {"query": [["1", "0", "2"]], "key": [["1", "1", "0"], ["0", "1", "3"]], "value": [["1.5"], ["-2"]]}
WITH_X = {
    "X": [[1, 2], [3, 4], [5, 7]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [[2, 0], [0, 1]],
    "W_V": [[1, 1, 3], [2, 0, 2]],
}
BLOCK = "7\t8\n9\t4"


@pytest.fixture
def ways(tmp_path):
    """Paste, import and drop: each puts a text into Q."""

    def paste(person, text):
        person.clipboard(text)
        person.go_to("query", 0, 0)
        person.press("Ctrl+V")

    def bring(person, text):
        path = tmp_path / "a.csv"
        path.write_text(text, encoding="utf-8", newline="")
        person.go_to("query", 0, 0)
        person.choose_file(path, lambda: person.do("import_matrix"))

    def drop(person, text):
        path = tmp_path / "b.csv"
        path.write_text(text, encoding="utf-8", newline="")
        table = person.table("query").viewport()
        person.drop(path, at=table.mapTo(person.window, table.rect().center()))

    return {"paste": paste, "import": bring, "drop": drop}


def test_what_a_block_means_is_asked_and_what_was_made_of_it_or_against_it_said(person, ways, tmp_path):
    before = person.numbers("query")

    # what is no block is refused with a sentence
    person.clipboard("1\t2\n3\n")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    assert person.banner() == "The clipboard: row 1 (line 2) has 1 cells; expected 2, as in the first row."
    for text in ("hello", "", "1 2 x"):
        person.press("Esc")
        person.clipboard(text)
        person.go_to("query", 0, 0)
        person.press("Ctrl+V")
        assert person.banner().endswith("."), text
    assert person.numbers("query") == before
    assert len(person.steps()) == 1

    # what may mean two is asked
    def second(dialog):
        assert {"0", "5", "25", "0.05", "0.25"} <= {label.text() for label in dialog.findChildren(QLabel)}
        person.click(dialog.choices[1])
        dialog.accept()

    for put in ways.values():
        person.answering(ReadingsDialog, second, lambda put=put: put(person, "0,05\n0,25"))
        assert [row[0] for row in person.numbers("query")] == ["0.05", "0.25"]
        assert [row[1:] for row in person.numbers("query")] == [row[1:] for row in before]
        assert "decimal points" in person.banner()
        person.press("Ctrl+Z")
        person.answering(ReadingsDialog, ReadingsDialog.reject, lambda put=put: put(person, "0,05\n0,25"))
        assert person.numbers("query") == before

    # what was left out is said until the next change
    for put in ways.values():
        put(person, "\ta\tb\nit\t7\t8\nwas\t9\t6")
        assert "The first row was left out as headings: a, b." in person.banner()
        assert "The first column was left out as labels: it, was." in person.banner()
        person.type_into("query", 0, 0, "3")
        assert not person.banner()
    formatted = QMimeData()  # as a table of a web page, without plain text beside it
    formatted.setHtml("<table><tr><td>7</td></tr></table>")
    QGuiApplication.clipboard().setMimeData(formatted)
    person.press("Ctrl+V")
    assert "copy the numbers as plain text" in person.banner()

    person.again("fills of the whole table")
    person.go_to("query", 0, 0)
    person.do("fill_identity")
    assert person.numbers("query") == [["1", "0", "0"], ["0", "1", "0"]]
    person.do("fill_random")
    assert len({text for row in person.numbers("query") for text in row}) > 3
    person.do("undo", "undo")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    # a matrix from a file is imported as a step, and the next one begins in its folder
    (tmp_path / "q.csv").write_text("7,8,9\n10,11,12\n")
    person.go_to("query", 1, 1)
    person.choose_file(tmp_path / "q.csv", lambda: person.do("import_matrix"))
    assert person.steps()[-1] == "imported 2 × 3 at Q[0, 0] … [1, 2]"
    seen = []

    def look(dialog):
        seen.append(dialog.directory().absolutePath())
        dialog.reject()

    person.answering(QFileDialog, look, lambda: person.do("import_matrix"))
    assert seen == [str(tmp_path)]

    # of a text with Q, K and V all can be taken at once
    # Whatever has their sizes follows, X and its weights go, and one Ctrl+Z brings all of it back.
    person.program.files.open_example_unasked("layer")
    person.wait()
    before, steps = person.program.document.problem.fields(), len(person.steps())

    def paste():
        person.clipboard(THREE)
        person.go_to("x", 0, 0)
        person.press("Ctrl+V")

    def all_of_them(dialog):
        assert dialog.choices[0].text() == "All at once: Q 1 × 3, K 2 × 3, V 2 × 1"
        assert dialog.choices[0].isChecked()
        dialog.accept()

    person.answering(ReadingsDialog, all_of_them, paste)
    assert {name: person.numbers(name) for name in SHOWN} == SHOWN
    assert len(person.steps()) == steps + 1
    assert "# both" in person.banner()
    person.press("Ctrl+Z")
    after = person.program.document.problem.fields()
    for name, value in before.items():
        np.testing.assert_array_equal(np.asarray(after[name], object), np.asarray(value, object))

    person.again("so are X and its weights")
    texts = (f"{name} = {rows}" for name, rows in WITH_X.items())
    person.clipboard("\n\n".join(texts))
    person.go_to("query", 0, 0)
    person.answering(ReadingsDialog, lambda dialog: dialog.accept(), lambda: person.press("Ctrl+V"))
    problem = person.program.document.problem
    fields = dict(zip(("x", "w_query", "w_key", "w_value"), map(np.array, WITH_X.values()), strict=True))
    assert problem == Problem(**fields, query_tokens=problem.query_tokens)
    assert person.steps()[-1] == "pasted X and its weights"

    # The note on headings stood in its place, and the status bar told of an import.
    small = {name: np.eye(2, dtype=np.float32) for name in ("query", "key", "value")}
    person.again("a refusal is not covered by what would have been said", Problem(**small, dtype="float32"))
    text = "\ta\tb\nit\t7\t1e300\nwas\t9\t6"
    for put in ways.values():
        put(person, text)
        assert person.banner() == "A number is too large for float32."
        assert "into Q" not in person.status()
    person.choose_cell("scores", 0, 0)
    person.clipboard(text)
    person.press("Ctrl+V")
    assert person.banner() == "A number is too large for float32."
    assert len(person.steps()) == 1

    person.again("a larger block offers to grow and is one step")
    before = person.numbers("query")
    block = [[str(10 * i + j) for j in range(4)] for i in range(6)]
    person.clipboard("\n".join("\t".join(row) for row in block))
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    assert person.numbers("query") == before
    assert "6 × 4" in person.banner()
    person.click(person.button("Grow Q to 6 × 4", "banner"))
    assert person.numbers("query") == block
    assert person.find("heatmap.weights").shape == (6, 2)
    assert person.steps()[1:] == ["grew Q to 6 × 4"]
    assert person.window.inputs.panels["query"].selection() == (slice(0, 6), slice(0, 4))
    assert not person.banner()
    person.press("Ctrl+Z")
    assert person.numbers("query") == before
    assert person.table("key").model().columnCount() == 3

    person.again("the offer to grow can be taken with enter and left with esc")
    person.clipboard("1\t2\t3\n4\t5\t6\n7\t8\t9")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V", "Esc")
    assert not person.banner()
    assert person.table("query").hasFocus()
    assert len(person.steps()) == 1
    person.press("Ctrl+V", "Return")
    assert person.number("query", 2, 2) == 9
    assert person.table("query").hasFocus()

    person.again("what is added is added where the matrix was, too")
    for operation, sums in (("paste_added", ["10", "11", "11"]), ("paste_multiplied", ["0", "10", "10"])):
        person.clipboard("10\t10\t10\n20\t20\t20")
        person.go_to("query", 1, 0)
        person.do(operation)
        person.click(person.button("Grow Q to 3 × 3", "banner"))
        assert person.numbers("query")[1:] == [sums, ["20", "20", "20"]]
        person.press("Ctrl+Z")

    # what grows beside is said before and after and gets zeros
    person.clipboard("\n".join("\t".join(str(4 * i + j) for j in range(4)) for i in range(2)))
    person.go_to("key", 0, 0)
    person.press("Ctrl+V")
    assert "With it changes Q 2 × 3 → 2 × 4; new cells are 0." in person.banner()
    assert "Q 2 × 3 → 2 × 4" in person.button("Grow K to 2 × 4", "banner").toolTip()
    person.click(person.button("Grow K to 2 × 4", "banner"))
    assert person.numbers("query") == [["1", "0", "1", "0"], ["0", "1", "1", "0"]]
    assert "Q 2 × 3 → 2 × 4, K 2 × 3 → 2 × 4; new cells are 0" in person.status()
    person.press("Ctrl+Z")
    assert "new cells" not in person.status()

    # a size typed into its box makes zeros and says which matrices changed
    person.size("d_k", 5)
    assert "Q 2 × 3 → 2 × 5, K 2 × 3 → 2 × 5; new cells are 0" in person.status()
    assert {row[4] for row in person.numbers("query") + person.numbers("key")} == {"0"}
    person.size("n", 3)
    assert "Q 2 × 5 → 3 × 5; new cells are 0" in person.status()
    assert set(person.numbers("query")[2]) == {"0"}
    person.size("n", 2)
    assert "Q 3 × 5 → 2 × 5" in person.status()
    assert "0" not in person.status().partition("2 × 5")[2]

    person.again("a block goes where the cell or the selection is", "minilm-layer2.npz")
    person.program.view.set(head=3)
    before, map_before, query = person.numbers("query"), person.values("weights"), person.program.document.problem.query
    for name, text in LAYOUTS.items():
        person.clipboard(text)
        person.go_to("query", 2, 96)
        person.press("Ctrl+V")
        block = [[person.number("query", row, column) for column in range(96, 99)] for row in range(2, 6)]
        assert block == [[float(text) for text in row] for row in ROWS], name
        assert len(person.steps()) == 2, name
        assert person.values("weights") != map_before
        person.press("Ctrl+Z")
        assert np.array_equal(person.program.document.problem.query, query), name
        assert person.values("weights") == map_before
    assert person.numbers("query") == before
    assert not person.window.isWindowModified()

    # a block fills a selection that is a multiple of it
    for block, size, filled in (
        ("7", (2, 3), [["7"] * 3] * 2),
        ("1\t2", (2, 4), [["1", "2", "1", "2"]] * 2),
        ("1\n2", (4, 1), [["1"], ["2"], ["1"], ["2"]]),
        ("1\t2", (2, 3), [["1", "2"]]),
        ("1\t2\n3\t4", (1, 1), [["1", "2"], ["3", "4"]]),
    ):
        expected = person.numbers("query")
        person.clipboard(block)
        person.select("query", 2, 97, *size)
        person.press("Ctrl+V")
        for i, row in enumerate(filled):
            expected[2 + i][97 : 97 + len(row)] = row
        assert person.numbers("query") == expected, block
        selected = slice(2, 2 + len(filled)), slice(97, 97 + len(filled[0]))
        assert person.window.inputs.panels["query"].selection() == selected
        person.press("Ctrl+Z")

    # a file dropped on a map asks for its table and goes to the head on show
    path, before = tmp_path / "block.csv", person.numbers("key")
    path.write_text("7,8,9\n1,2,3\n")
    head = person.program.view.look.head
    assert head > 0
    person.drop(path, at=QPoint(700, 300))
    assert person.banner().startswith("block.csv holds 2 × 3 numbers. Where do they go?")
    assert person.program.document.stack.index() == 0
    person.click(person.button(f"K, head {head}", "banner"))
    column = head * person.program.document.problem.d_k
    before[0][column : column + 3], before[1][column : column + 3] = ["7", "8", "9"], ["1", "2", "3"]
    assert person.numbers("key") == before
    assert f"block.csv into K[0, {column}]" in person.status()


@pytest.fixture
def gate(monkeypatch):
    """Everything is large, and the reading waits until the gate is opened."""
    found, read = Gate(), text_table._read

    def slow(text, tell):
        found.hold_telling(tell)
        return read(text, tell)

    monkeypatch.setattr(table_pasting, "LARGE_TEXT", 0)
    monkeypatch.setattr(text_table, "_read", slow)
    yield found
    found.open()


def idle(person):
    return not person.program.late.table_blocks.reading.busy


def test_a_large_block_is_read_beside_the_window_and_goes_where_it_was_meant_to(person, ways, gate):
    for put in ways.values():
        gate.close()
        put(person, "7\t8\t9\n4\t5\t6")
        gate.await_work()
        person.until(lambda: person.find("reading.progress").isVisible())
        assert "Reading" in person.status()
        person.type_into("value", 0, 0, "33")
        gate.open()
        person.until(lambda: idle(person))
        assert person.numbers("query") == [["7", "8", "9"], ["4", "5", "6"]]
        assert person.numbers("value")[0][0] == "33"
        assert not person.find("reading.progress").isVisible()
        person.press("Ctrl+Z", "Ctrl+Z")

    person.again("esc drops a block that is read")
    gate.close()
    before = person.numbers("query")
    ways["paste"](person, "7\t8\t9\n4\t5\t6")
    gate.await_work()
    person.press("Esc")
    person.until(lambda: idle(person))
    assert (person.numbers("query"), len(person.steps())) == (before, 1)

    person.again("another document drops a block that is read")
    gate.close()
    ways["paste"](person, "7\t8\t9\n4\t5\t6")
    gate.await_work()
    person.program.files.open_example_unasked("worked")
    person.look()
    before = person.numbers("query")
    gate.open()
    person.until(lambda: idle(person))
    assert (person.numbers("query"), len(person.steps())) == (before, 1)

    gate.close()
    normal = np.random.default_rng(5).normal
    arrays = {name: normal(size=(2, 20, 20)) for name in ("query", "key", "value")}
    bias = {"kind": "bias", "values": np.zeros((2, 2, 20, 20))}
    two = Problem(**arrays, num_heads=2, batch_axis=True, mask=(bias,))
    person.again("a block goes into the item that was on show", two)
    before = person.program.document.snapshot()
    person.go_to("query", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.program.view.set(batch=1)
    settle(person, gate)
    query = person.program.document.problem.query
    assert query[0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]
    assert np.array_equal(query[1], before.query[1])

    person.again("what is added is added to the numbers there, whatever is on show then", two)
    gate.close()
    before = person.program.document.snapshot().query
    person.go_to("query", 3, 4)
    person.clipboard(BLOCK)
    asked(person, gate, lambda: person.do("paste_added"))
    person.program.view.set(batch=1)
    person.go_to("value", 0, 0)
    settle(person, gate)
    query = person.program.document.problem.query
    np.testing.assert_array_equal(query[0, 3:5, 4:6], before[0, 3:5, 4:6] + [[7, 8], [9, 4]])
    assert np.array_equal(query[1], before[1])

    person.again("a block for a table that is gone is said to be dropped", two)
    gate.close()
    person.go_to("mask.0.values", 3, 4)
    asked(person, gate, lambda: paste(person))
    person.program.document.apply(SetFields({"mask": ()}, Label("no mask")))
    settle(person, gate)
    assert "is gone: 2 × 2 numbers were dropped." in person.banner()


def settle(paster, gate):
    gate.open()
    paster.until(lambda: not (paster.program.late.table_blocks.reading.busy or paster.program.runner.busy))
    paster.wait()


def asked(paster, gate, ask):
    ask()
    gate.await_work()


def paste(paster):
    paster.clipboard(BLOCK)
    paster.press("Ctrl+V")
