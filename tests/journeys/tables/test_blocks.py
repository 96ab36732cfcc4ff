"""Blocks of numbers: pasted from wherever people have them, grown into, imported; late ones go where they belong."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog, QLabel

from attn_gui import Problem, save
from attn_gui.app.editing import edit_runner
from attn_gui.app.tables import table_blocks
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import memory
from attn_gui.formats.text import text_table
from attn_gui.views.dialogs.readings import ReadingsDialog
from attn_gui.views.tables.matrix_panel import ShapeBadge
from tests.failing import each
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
ROWS = [["1.5", "-2", "0.25"], ["3", "4", "5"], ["6", "7", "8e-5"], ["-9", "10", "11"]]
TSV = "\n".join("\t".join(row) for row in ROWS)

LAYOUTS = {
    "tab-separated": TSV + "\n",
    "a NumPy print": "array([[ 1.5e+00, -2.0e+00,  2.5e-01],\n       [ 3.0e+00,  4.0e+00,  5.0e+00],\n"
    "       [ 6.0e+00,  7.0e+00,  8.0e-05],\n       [-9.0e+00,  1.0e+01,  1.1e+01]])",
    "a bare NumPy print": "[[ 1.5  -2.    0.25]\n [ 3.    4.    5.  ]\n [ 6.    7.    8e-05]\n [-9.   10.   11.  ]]",
    "a torch print": "tensor([[ 1.5, -2.0, 0.25],\n [3, 4, 5],\n [6, 7, 8e-05],\n [-9, 10, 11]])",
    "LaTeX": r"\begin{bmatrix} 1.5 & -2 & 0.25 \\ 3 & 4 & 5 \\ 6 & 7 & 8e-05 \\ -9 & 10 & 11 \end{bmatrix}",
    "CSV": "\n".join(",".join(row) for row in ROWS),
    "blanks": "\n".join("  ".join(row) for row in ROWS),
    "Python lists": str([[float(text) for text in row] for row in ROWS]),
}

SAMPLES = json.loads((Path(__file__).parents[2] / "data" / "tables.json").read_text(encoding="utf-8"))
NUMBERS = [["1.5", "-2", "3"], ["0.25", "5", "0.001"]]
THREE = "Q:\n tensor([[1., 0., 2.]])\nK:\n tensor([[1., 1., 0.],\n        [0., 1., 3.]])\nV = [[1.5], [-2]]  # both"
SHOWN = {"query": [["1", "0", "2"]], "key": [["1", "1", "0"], ["0", "1", "3"]], "value": [["1.5"], ["-2"]]}
READ = text_table._read
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


@each("example", ["worked", "layer", "minilm"])
def test_of_a_text_with_q_k_and_v_all_can_be_taken_at_once(person, example):
    """Whatever has their sizes follows, X and its weights go, and one Ctrl+Z brings all of it back."""
    person.program.files.begin_with_example(example)
    person.wait()
    before, steps = person.program.document.problem.fields(), len(person.steps())
    first = "x" if person.program.document.problem.projected else "query"

    def paste():
        person.clipboard(THREE)
        person.go_to(first, 0, 0)
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


def test_what_a_block_means_is_asked_and_what_was_made_of_it_said(person, ways, tmp_path):
    before = person.numbers("query")

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

    person.again("what was left out is said until the next change")
    for put in ways.values():
        put(person, "\ta\tb\nit\t7\t8\nwas\t9\t6")
        assert "The first row was left out as headings: a, b." in person.banner()
        assert "The first column was left out as labels: it, was." in person.banner()
        person.type_into("query", 0, 0, "3")
        assert not person.banner()

    person.again("one of several matrices is taken into the table")

    def second(dialog):
        assert [button.text().partition(":")[0] for button in dialog.choices] == ["A", "B"]
        person.click(dialog.choices[1])
        dialog.accept()

    def paste():
        person.clipboard("A = [[7, 8]]\nB = [[9]]")
        person.go_to("query", 0, 0)
        person.press("Ctrl+V")

    person.answering(ReadingsDialog, second, paste)
    assert person.numbers("query")[0][0] == "9"
    assert len(person.steps()) == 2

    person.again("decimal commas out of a spreadsheet are read and said")
    person.clipboard("1,5\t2,25\n3,5\t4,0")
    person.go_to("value", 0, 0)
    person.press("Ctrl+V")
    assert person.numbers("value") == [["1.5", "2.25"], ["3.5", "4"]]
    assert "Commas were read as decimal points: 1,5 as 1.5." in person.banner()
    person.press("Ctrl+Z")
    assert not person.banner()

    person.again("what is no block is refused with a sentence")
    before = person.numbers("query")
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

    person.again("fills of the whole table")
    person.go_to("query", 0, 0)
    person.do("fill_identity")
    assert person.numbers("query") == [["1", "0", "0"], ["0", "1", "0"]]
    person.do("fill_random")
    assert len({text for row in person.numbers("query") for text in row}) > 3
    person.do("undo", "undo")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    person.again("a matrix from a file is imported as a step and the next one begins in its folder")
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

    person.again("whole numbers that float64 cannot hold are said")
    np.save(tmp_path / "a.npy", np.array([[2**53 + 1, 2, 3]]))
    person.go_to("query", 0, 0)
    person.choose_file(tmp_path / "a.npy", lambda: person.do("import_matrix"))
    assert "9007199254740993 is 9007199254740992 now" in person.banner()

    person.again("a matrix that is opened is offered to the tables")
    # As one that is dropped: it is no problem by itself.
    np.save(tmp_path / "a.npy", np.eye(2))
    person.open(tmp_path / "a.npy")
    assert "a.npy holds 2 × 2 numbers. Where do they go?" in person.banner()

    person.again("every layout means the same and is refused alike pasted imported and dropped")
    before = person.numbers("query")
    for way, put in ways.items():
        person.again(way)
        for name, (text, words) in SAMPLES["refused"].items():
            put(person, text)
            person.until(lambda: idle(person))
            assert words in person.banner(), (way, name)
            assert (person.numbers("query"), len(person.steps())) == (before, 1), (way, name)
        for name, text in SAMPLES["layouts"].items():
            put(person, text)
            assert person.numbers("query") == NUMBERS, (way, name)
            person.press("Ctrl+Z")
            assert person.numbers("query") == before, (way, name)


def test_a_block_goes_where_the_cell_or_the_selection_is(launch, tmp_path):
    person = launch()
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

    person.again("columns that would join many heads are refused not cut")
    before = person.numbers("query")
    person.clipboard("\n".join("\t".join("1" for _ in range(4)) for _ in range(2)))
    person.go_to("query", 0, 382)
    person.press("Ctrl+V")
    assert "do not fit into Q (16 × 384)" in person.banner()
    assert person.numbers("query") == before

    person.again("copy with headers names rows and columns and pastes without them")
    person.select("query", 1, 96, 2, 2)
    person.press("Ctrl+Shift+C")
    lines = [line.split("\t") for line in person.clipboard().splitlines()]
    assert lines[0] == ["", "96", "97"]
    assert [line[0] for line in lines[1:]] == ["the", "animal"]
    person.go_to("value", 5, 40)
    person.press("Ctrl+V")
    assert [row[40:42] for row in person.numbers("value")[5:7]] == [row[96:98] for row in person.numbers("query")[1:3]]

    person.again("paste selects what was pasted")
    person.clipboard("1\t2\t3\n4\t5\t6")
    person.go_to("query", 3, 98)
    person.press("Ctrl+V")
    assert person.window.inputs.panels["query"].selection() == (slice(3, 5), slice(98, 101))
    person.press("Ctrl+C")
    assert person.clipboard() == "1\t2\t3\n4\t5\t6"
    person.press("Del")
    assert {text for row in person.numbers("query")[3:5] for text in row[98:101]} == {"0"}

    person.again("a block fills a selection that is a multiple of it")
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

    person.again("a file dropped on a map asks for its table and goes to the head on show")
    path, before = tmp_path / "block.csv", person.numbers("key")
    path.write_text("7,8,9\n1,2,3\n")
    head = person.program.view.look.head
    assert head > 0
    person.drop(path, at=QPoint(700, 300))
    assert person.banner().startswith("block.csv holds 2 × 3 numbers. Where do they go?")
    assert len(person.steps()) == 1
    person.click(person.button(f"K, head {head}", "banner"))
    column = head * person.program.document.problem.d_k
    before[0][column : column + 3], before[1][column : column + 3] = ["7", "8", "9"], ["1", "2", "3"]
    assert person.numbers("key") == before
    assert f"block.csv into K[0, {column}]" in person.status()


def test_a_larger_block_offers_to_grow_and_is_one_step(person):
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

    person.again("an offer that was left is gone")
    person.clipboard("1\t2\t3\n4\t5\t6\n7\t8\t9")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    grow = person.button("Grow Q to 3 × 3", "banner")
    person.type_into("query", 0, 0, "5")
    if grow.isVisible():  # an offer that still stands has to keep what was typed since
        person.click(grow)
        assert person.numbers("query") == [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
        person.press("Ctrl+Z")
    assert person.numbers("query")[0][0] == "5"

    person.again("an offer to grow makes no matrix smaller that has grown since")
    # It cut Q back to the size that the block had needed when it came.
    block = [[str(10 * i + j) for j in range(4)] for i in range(3)]
    person.clipboard("\n".join("\t".join(row) for row in block))
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    grow = person.button("Grow Q to 3 × 4", "banner")
    person.size("n", 9)
    person.type_into("query", 8, 0, "77")
    if grow.isVisible():
        person.click(grow)
        assert person.numbers("query")[:3] == block
        assert person.steps()[-1] == "grew Q to 9 × 4"
    assert person.program.document.problem.n == 9
    assert person.number("query", 8, 0) == 77

    person.again("what grows beside is said before and after and gets zeros")
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

    person.again("a size typed into its box makes zeros and says which matrices changed")
    person.size("d_k", 5)
    assert "Q 2 × 3 → 2 × 5, K 2 × 3 → 2 × 5; new cells are 0" in person.status()
    assert {row[4] for row in person.numbers("query") + person.numbers("key")} == {"0"}
    person.size("n", 3)
    assert "Q 2 × 5 → 3 × 5; new cells are 0" in person.status()
    assert set(person.numbers("query")[2]) == {"0"}
    person.size("n", 2)
    assert "Q 3 × 5 → 2 × 5" in person.status()
    assert "0" not in person.status().partition("2 × 5")[2]


def test_a_block_goes_to_the_mask_as_it_is_shown_and_to_the_head_that_was_offered(person, tmp_path):
    arrays = {name: np.arange(12.0).reshape(3, 4) for name in ("query", "key", "value")}
    allowed = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    person.again("a row of a mask", Problem(**arrays, mask=[{"kind": "custom", "allowed": allowed}]))
    for blocked in (False, True):
        person.program.view.set(blocked=blocked)
        person.select("mask.0.allowed", 0, 0, 2, 3)
        person.do("fill_down")
        assert person.program.document.problem.mask[0].allowed.tolist() == allowed[[0, 0, 2]].tolist(), blocked
        person.do("undo")

    person.again("a file goes to the head that was offered wherever that is then", Problem(**arrays, num_heads=2))
    person.program.view.set(head=1)
    (tmp_path / "block.csv").write_text("7,8\n9,6\n")
    person.drop(tmp_path / "block.csv", at=QPoint(700, 300))
    offer = person.button("Q, head 1", "banner")
    person.size("d_k", 4)
    person.wait()
    person.click(offer)
    assert person.program.document.problem.query[:2, 4:6].tolist() == [[7, 8], [9, 6]]

    arrays = {"query": np.ones((3, 4)), "key": np.zeros((3, 6)), "value": np.ones((3, 4))}
    weights = {"w_score_query": np.ones((2, 3)), "w_score_key": np.ones((3, 3)), "w_score": np.ones(3)}
    wide = Problem(**arrays, num_heads=2, score="additive", score_params=weights)
    person.again("a file goes to a head of keys that is wider than one of queries", wide)
    person.program.view.set(head=1)
    assert person.window.inputs.panels["key"].findChild(ShapeBadge).text() == "3 × 6 = 3 × (2 · 3)"
    (tmp_path / "block.csv").write_text("7,8\n9,6\n")
    person.drop(tmp_path / "block.csv", at=QPoint(700, 300))
    person.click(person.button("K, head 1", "banner"))
    assert person.program.document.problem.key[:2].tolist() == [[0, 0, 0, 7, 8, 0], [0, 0, 0, 9, 6, 0]]


# --- beside the window ---------------------------------------------------------------------------
@pytest.fixture
def gate(monkeypatch):
    """Everything is large, and the reading waits until the gate is opened."""
    found, read = Gate(), text_table._read

    def slow(text, tell):
        found.hold_telling(tell)
        return read(text, tell)

    monkeypatch.setattr(table_blocks, "LARGE_TEXT", 0)
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

    person.again("a large text with two meanings is asked about when it is read")
    gate.close()

    def ask():
        ways["paste"](person, "0,05\n0,25")
        gate.await_work()
        gate.open()
        person.until(lambda: idle(person))

    person.answering(ReadingsDialog, ReadingsDialog.accept, ask)
    assert [row[:2] for row in person.numbers("query")] == [["0", "5"], ["0", "25"]]

    person.again("another document drops a block that is read")
    gate.close()
    ways["paste"](person, "7\t8\t9\n4\t5\t6")
    gate.await_work()
    person.program.files.begin_with_example("worked")
    person.look()
    before = person.numbers("query")
    gate.open()
    person.until(lambda: idle(person))
    assert (person.numbers("query"), len(person.steps())) == (before, 1)


@pytest.fixture
def held(monkeypatch):
    """What is read is large, and held up."""
    found = Gate()
    monkeypatch.setattr(table_blocks, "LARGE_TEXT", 0)
    monkeypatch.setattr(text_table, "_read", found.before(text_table._read))
    yield found
    found.open()


@pytest.fixture
def paster(launch, tmp_path):
    """In front of two items with two heads."""
    normal = np.random.default_rng(5).normal
    arrays = {name: normal(size=(2, 20, 20)) for name in ("query", "key", "value")}
    bias = {"kind": "bias", "values": np.zeros((2, 2, 20, 20))}
    save(Problem(**arrays, num_heads=2, batch_axis=True, mask=(bias,)), tmp_path / "a.attn")
    paster = launch(tmp_path / "a.attn")
    paster.wait()
    return paster


def settle(paster, held):
    held.open()
    paster.until(lambda: not (paster.program.late.table_blocks.reading.busy or paster.program.runner.busy))
    paster.wait()


def asked(paster, held, ask):
    ask()
    held.await_work()


def paste(paster):
    paster.clipboard(BLOCK)
    paster.press("Ctrl+V")


def test_a_block_goes_into_the_item_and_the_head_that_was_on_show(paster, held, tmp_path, monkeypatch):
    before = paster.program.document.snapshot()
    paster.go_to("query", 3, 4)
    asked(paster, held, lambda: paste(paster))
    paster.program.view.set(batch=1)
    settle(paster, held)
    query = paster.program.document.problem.query
    assert query[0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]
    assert np.array_equal(query[1], before.query[1])

    paster.again("a pasted block goes into the head that was on show")
    held.close()
    paster.go_to("mask.0.values", 3, 4)
    asked(paster, held, lambda: paste(paster))
    paster.program.view.set(head=1)
    settle(paster, held)
    values = paster.program.document.problem.mask[0].values
    assert values[0, 0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]
    assert not values[0, 1].any()

    paster.again("an imported block goes into the item that was on show")
    held.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    before = paster.program.document.snapshot()
    paster.go_to("query", 5, 5)  # another cell than before: the table is the one in use again
    asked(paster, held, lambda: paster.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    paster.program.view.set(batch=1)
    settle(paster, held)
    query = paster.program.document.problem.query
    assert query[0, :2, :2].tolist() == [[7, 8], [9, 4]]
    assert np.array_equal(query[1], before.query[1])

    paster.again("a block for a table that is gone is said to be dropped")
    held.close()
    paster.go_to("mask.0.values", 3, 4)
    asked(paster, held, lambda: paste(paster))
    paster.program.document.apply(SetFields({"mask": ()}, Label("no mask")))
    settle(paster, held)
    assert "is gone: 2 × 2 numbers were dropped." in paster.banner()

    paster.again("a block for an item that is gone is said to be dropped")
    held.close()
    paster.program.view.set(batch=1)
    paster.go_to("query", 3, 4)
    asked(paster, held, lambda: paste(paster))
    paster.size("batch_size", 1)
    before = paster.program.document.snapshot()
    settle(paster, held)
    assert "is gone: 2 × 2 numbers were dropped." in paster.banner()
    assert paster.program.document.problem == before

    paster.again("of two large blocks the first is said to be dropped")
    held.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    paster.go_to("query", 3, 4)
    asked(paster, held, lambda: paster.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    paste(paster)
    assert paster.banner() == "a.csv was dropped: another block was asked for before it was read."
    settle(paster, held)
    assert len(paster.steps()) == 2
    assert paster.program.document.problem.query[0, 3:5, 4:6].tolist() == [[7, 8], [9, 4]]

    paster.again("a number pasted meanwhile leaves a large import alone")
    held.close()
    (tmp_path / "a.csv").write_text("7,8\n9,4\n")
    paster.go_to("query", 0, 0)
    asked(paster, held, lambda: paster.program.late.table_blocks.import_path(tmp_path / "a.csv"))
    monkeypatch.setattr(table_blocks, "LARGE_TEXT", 100)
    monkeypatch.setattr(text_table, "_read", READ)
    paster.clipboard("5")
    paster.go_to("value", 0, 0)
    paster.press("Ctrl+V")
    assert paster.number("value", 0, 0) == 5
    settle(paster, held)
    assert paster.program.document.problem.query[0, :2, :2].tolist() == [[7, 8], [9, 4]]

    paster.again("a large fill goes into the item that was on show")
    held.close()
    monkeypatch.setattr(edit_runner, "LARGE", 1000)
    monkeypatch.setattr(memory._Reporter, "made", held.after(memory._Reporter.made))
    before = paster.program.document.snapshot()
    paster.go_to("query", 0, 0)
    paster.press("Ctrl+A")
    asked(paster, held, lambda: paster.do("clear"))
    paster.program.view.set(batch=1)
    settle(paster, held)
    query = paster.program.document.problem.query
    assert not query[0].any()
    assert np.array_equal(query[1], before.query[1])


def test_a_block_for_a_cell_that_is_gone_or_not_seen_is_said_to_be_dropped(paster, held):
    pasted_into_weights(paster, held)
    paster.size("n", 2)
    settle(paster, held)
    assert paster.banner() == "A[3, 4] is gone: 2 × 2 numbers were dropped."
    assert not paster.program.document.problem.interventions

    paster.again("a block for a map is not put in unseen")
    held.close()
    pasted_into_weights(paster, held)
    paster.do("pin", "show_before")
    settle(paster, held)
    assert "show Now first" in paster.banner()
    assert not paster.program.document.problem.interventions


# --- maps ----------------------------------------------------------------------------------------
def pasted_into_weights(paster, held):
    paster.choose_cell("weights", 3, 4)
    asked(paster, held, lambda: paste(paster))


@each("other", ["cell", "stage", "head", "item", "nothing"])
def test_a_block_pasted_into_a_map_goes_to_the_cell_that_was_chosen(paster, held, other):
    paster.again(other)
    held.close()
    pasted_into_weights(paster, held)
    if other == "cell":
        paster.click_cell("weights", 9, 9)
    elif other == "stage":
        paster.choose_cell("scores", 1, 1)
    elif other == "nothing":
        paster.program.view.set(cell=None)
    else:
        paster.program.view.set(**{"head" if other == "head" else "batch": 1})
    chosen = paster.program.view.look.cell
    settle(paster, held)
    (record,) = paster.program.document.problem.interventions
    box = record.box(("batch", "head", "query", "key"), (2, 2, 20, 20))
    assert record.stage == "weights"
    assert box == (slice(0, 1), slice(0, 1), slice(3, 5), slice(4, 6))
    assert paster.program.view.look.cell == chosen
    assert paster.program.view.look.block is None
