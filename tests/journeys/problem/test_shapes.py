"""Heads, widths, lengths, items, precision, matrices that do not fit: what happens to the numbers, each one step."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QSpinBox

from attn_gui.engine import Problem
from attn_gui.figure.design_tokens import THEMES
from attn_gui.formats import open_file
from attn_gui.views.tables.matrix_panel import ShapeBadge

SMALL = "worked-example.npz"
PROJECTED = "thinking-machines.npz"  # X of 2 × 8, W of 8 × 4


def refusal(person):
    """The sentence below a box."""
    said = [label.text() for label in person.window.findChildren(QLabel, "refusal") if label.isVisible()]
    return said[0] if said else ""


def shown(person, name):
    return person.find(f"control.{name}", QSpinBox).value()


def test_heads_and_widths_change_and_every_step_is_undone(launch):
    person = launch()
    before = [person.numbers(field) for field in ("query", "key", "value")]
    weight = person.value("weights", 10, 13)
    for heads, old, width in ((6, 32, 64), (4, 64, 96)):
        person.size("num_heads", heads)
        assert f"dₖ {old} → {width}, dᵥ {old} → {width}" in person.status()  # no matrix has another shape
        assert shown(person, "d_k") == shown(person, "d_v") == width
        assert [person.numbers(field) for field in ("query", "key", "value")] == before
        assert person.find("heatmap.head_output").shape == (16, width)
    assert person.steps()[1:] == ["heads 12 → 6", "heads 6 → 4"]
    person.press("Ctrl+Z", "Ctrl+Z")
    assert shown(person, "num_heads") == 12
    assert person.value("weights", 10, 13) == weight
    assert not person.window.isWindowModified()

    # a head count that does not divide is refused with those that do
    person.size("num_heads", 5)
    assert "5 heads cannot share 384 columns of Q and 384 of V evenly" in refusal(person)
    assert "4, 6, 8, 12" in refusal(person)
    assert person.find("control.num_heads").hasFocus()
    person.press("Esc")
    assert shown(person, "num_heads") == 12
    assert not refusal(person)
    assert person.program.document.stack.index() == 0

    # the arrows step through counts that divide
    person.find("control.num_heads").setFocus()
    person.press("Down", "Down", "Down")
    assert shown(person, "num_heads") == 4
    person.press("Return")
    assert person.steps()[1:] == ["heads 12 → 4"]
    person.press("Ctrl+Z")

    # k and v heads are shared
    keys = person.numbers("key")
    person.size("num_kv_heads", 3)
    assert person.table("key").model().columnCount() == 3 * 32
    assert person.numbers("key") == [row[:96] for row in keys]
    person.size("num_heads", 4)  # 3 no longer divides: the largest below that does, said in the status bar
    assert shown(person, "num_kv_heads") in (1, 2, 4)
    assert "K/V heads" in person.status()
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.numbers("key") == keys

    # each head keeps its first columns
    query, value = person.numbers("query"), person.numbers("value")
    person.size("d_k", 3)
    assert person.numbers("query") == [[row[32 * h + c] for h in range(12) for c in range(3)] for row in query]
    assert person.numbers("value") == value
    person.size("d_k", 5)
    assert [row[5:8] for row in person.numbers("query")] == [row[32:35] for row in query]
    person.size("d_v", 2)
    assert person.numbers("value") == [[row[32 * h + c] for h in range(12) for c in range(2)] for row in value]
    assert person.steps()[1:] == ["dₖ 32 → 3", "dₖ 3 → 5", "dᵥ 32 → 2"]
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert (person.numbers("query"), person.numbers("value")) == (query, value)

    # heads leave and join with their columns when d k is kept
    before = person.numbers("query")
    person.click("control.d_model_fixed")
    person.size("num_heads", 5)
    assert person.table("query").model().columnCount() == 5 * 32
    assert person.numbers("query") == [row[:160] for row in before]
    assert shown(person, "d_k") == 32
    person.size("num_heads", 13)
    assert person.table("query").model().columnCount() == 13 * 32
    assert [row[:160] for row in person.numbers("query")] == [row[:160] for row in before]
    person.press("Ctrl+Z", "Ctrl+Z")
    person.click("control.d_model_fixed")
    person.size("num_heads", 6)
    assert person.numbers("query") == before, "fixed again, it is shared out anew"
    person.press("Ctrl+Z")

    # d model is shown for direct problems and typed for projected ones
    box = person.find("control.d_model", QSpinBox)
    assert box.value() == 384
    assert box.isReadOnly()
    person.program.files.open_example_unasked("thinking")
    person.wait()
    width = shown(person, "d_model")
    numbers = person.numbers("x")
    person.size("d_model", width + 1)
    assert person.table("x").model().columnCount() == width + 1
    assert person.table("w_query").model().rowCount() == width + 1
    assert [row[:width] for row in person.numbers("x")] == numbers
    person.press("Ctrl+Z")
    assert person.numbers("x") == numbers


def test_lengths_items_and_precision_change_and_what_clashes_is_turned_fitted_or_left(person, tmp_path):
    query, key, value = (person.numbers(field) for field in ("query", "key", "value"))
    person.size("n", 3)
    assert person.numbers("query")[:2] == query
    assert person.find("heatmap.weights").shape == (3, 2)
    person.size("m", 5)
    assert (person.numbers("key")[:2], person.numbers("value")[:2]) == (key, value)
    assert person.find("heatmap.weights").shape == (3, 5)
    added = person.numbers("key")[2:]
    person.press("Ctrl+Z", "Ctrl+Shift+Z")
    assert person.numbers("key")[2:] == added  # the same numbers come again
    person.press("Ctrl+Z", "Ctrl+Z")
    assert [person.numbers(field) for field in ("query", "key", "value")] == [query, key, value]
    assert person.values("weights")[0] == pytest.approx([0.5, 0.5])

    # one visit is one step
    person.find("control.n").setFocus()
    person.press("Up", "Up", "Up", "Up", "Up", "Down", "Tab")
    assert person.steps()[1:] == ["queries 2 → 6"]
    person.press("Ctrl+Z")
    assert shown(person, "n") == 2

    # zero and words are refused
    person.size("d_k", 0)
    assert "0 is out of range" in refusal(person)
    person.press("Esc")
    person.overwrite(person.find("control.d_k"), "")
    assert "whole number" in refusal(person)
    person.press("Esc")
    assert shown(person, "d_k") == 3
    assert person.program.document.stack.index() == 0

    # items of a batch
    assert not person.find("control.batch").isEnabled()
    first = person.numbers("query")
    person.size("batch_size", 3)
    assert person.find("control.batch").isEnabled()
    person.size("batch", 2)
    assert person.numbers("query") != first
    person.type_into("query", 0, 0, "8")
    assert person.number("query", 0, 0) == 8
    person.type_into("key", 0, 0, "1")
    here = person.value("weights", 0, 0)
    person.size("batch", 0)
    assert person.numbers("query") == first
    assert person.values("weights")[0] == pytest.approx([0.5, 0.5])
    assert here != pytest.approx(0.5)
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.numbers("query") == first
    assert shown(person, "batch_size") == 1

    # single precision rounds and undo restores every bit
    person.type_into("query", 0, 0, "0.1234567890123")
    person.pick("dtype", "float32")
    assert person.numbers("query")[0][0] == "0.12345679"
    assert "float32" in person.status()
    person.press("Ctrl+Z")
    assert person.numbers("query")[0][0] == "0.1234567890123"
    assert person.find("control.dtype").currentData() == "float64"
    assert not person.find("banner").isVisible()

    # what single precision has not got is said, and not any more once that is undone
    person.type_into("query", 0, 1, "-1e300")
    person.pick("dtype", "float32")
    assert person.numbers("query")[0][1] == "-inf"
    assert person.find("banner").text() == "Q holds −1e300, too large for float32: it is −∞ now."
    person.do("language_zh")
    assert person.find("banner").text() == "Q 中的 −1e300 超出 float32 的范围，现为 −∞。"
    person.do("language_en")
    person.press("Ctrl+Z")
    assert not person.find("banner").isVisible()
    person.press("Ctrl+Y")
    assert person.find("banner").text() == "Q holds −1e300, too large for float32: it is −∞ now."
    person.type_into("query", 0, 1, "1")
    assert not person.find("banner").isVisible()

    person.again("a half typed size is handed on when the box is left")
    person.overwrite(person.find("control.n"), "4", end="")
    assert len(person.steps()) == 1
    QTest.mouseClick(person.table("key").viewport(), Qt.MouseButton.LeftButton)
    assert person.steps()[1:] == ["queries 2 → 4"]

    person.again("a matrix that clashes is turned fitted or left in both languages")
    before = everything(person)
    for bring in (import_into, paste_into, drop_on):
        bring(person, "key", write_csv(tmp_path / "k.csv", counted(3, 2)))
        assert everything(person)[:2] == before[:2]
        assert "3 × 2" in person.banner()
        assert "2 × 3" in person.banner()
        person.click(person.button("Transpose K", "banner"))
        assert person.numbers("key") == texts(counted(3, 2).T)
        assert not person.banner()
        assert len(person.steps()) == len(before[2]) + 1
        person.press("Ctrl+Z")
        assert everything(person)[:2] == before[:2]

    person.again("the number that clashes stands out and a clash can be left")
    path = write_csv(tmp_path / "k.csv", counted(6, 3))
    before = {field: badge(person, field) for field in ("query", "key", "value")}
    import_into(person, "key", path)
    assert THEMES["light"].error.name() in badge(person, "value")  # V has 2 rows, and K would have 6
    assert {field: badge(person, field) for field in ("query", "key")} == {k: before[k] for k in ("query", "key")}
    person.press("Esc")
    assert badge(person, "value") == before["value"]
    import_into(person, "key", path)
    person.click(person.button("Cut it to 2 × 3", "banner"))  # it said "Resize K to 2 × 3", the size that K has
    assert person.numbers("key") == texts(counted(6, 3)[:2])
    assert person.steps()[-1] == "put 2 × 3 numbers into K"
    person.press("Ctrl+Z")
    import_into(person, "key", path)
    person.click(person.button("Grow K to 6 × 3", "banner"))
    assert THEMES["light"].error.name() not in badge(person, "value")
    assert badge(person, "value").startswith("6 × 2")

    person.again("a dropped projection can be fitted from either side", PROJECTED)
    person.window.inputs.show_field("w_key")
    before = everything(person)
    path = write_csv(tmp_path / "w.csv", counted(5, 9))
    drop_on(person, "w_key", path)
    assert everything(person) == before
    assert "W_K must have as many rows as X has columns: expected 8, got 5." in person.banner()
    person.click(person.button("Fit it to 8 × 4", "banner"))
    assert [row[:4] for row in person.numbers("w_key")[:5]] == texts(counted(5, 9)[:, :4])
    assert not person.banner()
    assert person.steps()[-1] == "put 8 × 4 numbers into W_K"
    person.press("Ctrl+Z")
    assert everything(person)[:2] == before[:2]

    person.again("a new matrix may stand between", PROJECTED)
    before = everything(person)
    person.window.inputs.show_field("w_key")
    drop_on(person, "w_key", write_csv(tmp_path / "w.csv", counted(8, 6)))
    project = next(button for button in person.find("banner").buttons() if button.text().startswith("Project"))
    assert "6 × 4" in project.toolTip()
    person.click(project)
    assert person.find("heatmap.key").shape == (2, 4)
    assert person.numbers("w_key") != before[0]["w_key"]
    person.press("Ctrl+Z")
    assert everything(person)[:2] == before[:2]

    # what is changed by hand in rows that go stands in the way of no offer
    # It was refused for what was changed by hand, and nothing was offered any more.
    record = {"kind": "scale", "stage": "scores", "at": {"query": 3, "key": 0}, "factor": 0}
    by_hand(person, record, num_heads=1, query=(4, 3), key=(4, 3), value=(4, 2))
    paste_into(person, "query", write_csv(tmp_path / "q.csv", counted(2, 4)))
    person.click(person.button("Cut it to 2 × 3", "banner"))
    assert not person.banner()
    assert person.numbers("query") == texts(counted(2, 4)[:, :3])
    assert places(person) == []
    assert "A change by hand went with its cells." in person.status()
    person.press("Ctrl+Z")
    assert places(person) == [{"query": 3, "key": 0}]

    person.again("one that is too large, in Chinese", SMALL)
    person.do("language_zh")
    before = everything(person)
    path = write_csv(tmp_path / "k.csv", counted(6, 4))
    import_into(person, "key", path)
    assert everything(person) == before
    person.click(person.button("裁剪为 2 × 3", "banner"))
    assert not person.banner()  # rows and columns are put right by one press
    assert person.numbers("key") == texts(counted(6, 4)[:2, :3])
    assert person.numbers("query") == before[0]["query"]
    assert len(person.steps()) == len(before[2]) + 1
    person.press("Ctrl+Z")
    assert everything(person)[:2] == before[:2]

    person.again("a file with too few tokens gets the missing ones")
    person.do("language_zh")
    rng = np.random.default_rng(0)
    np.savez(
        tmp_path / "few.npz",
        query=rng.normal(size=(6, 4)),
        key=rng.normal(size=(5, 4)),
        value=rng.normal(size=(5, 2)),
        meta=np.array('{"query_tokens": ["it", "was"]}'),
    )
    person.open(tmp_path / "few.npz")
    person.click(person.button("将查询的词元数改为 6", "banner"))
    header = person.table("query").verticalHeader().model()
    names = [header.headerData(k, Qt.Orientation.Vertical) for k in range(6)]
    assert names == ["it", "was", "_1", "_2", "_3", "_4"]

    person.again("a file whose matrices clash opens once it is put right", SMALL)
    rng = np.random.default_rng(0)
    path = tmp_path / "clash.npz"
    query, key, value = rng.normal(size=(6, 4)), rng.normal(size=(4, 5)), rng.normal(size=(5, 2))
    np.savez(path, query=query, key=key, value=value)
    before = everything(person)
    person.open(path)
    assert everything(person) == before
    assert "clash.npz" in person.banner()
    assert person.window.windowTitle().startswith("Worked example")
    person.click(person.button("Transpose K", "banner"))
    assert person.window.windowTitle().startswith("clash")
    assert not person.banner()
    assert person.value("key", 3, 2) == key.T[3, 2]
    assert person.find("heatmap.weights").shape == (6, 5)
    person.save_as(tmp_path / "right.attn")
    assert open_file(tmp_path / "right.attn").problem.key.shape == (5, 4)


def write_csv(path, rows):
    path.write_text("\n".join(",".join(f"{value:g}" for value in row) for row in rows))
    return path


def counted(rows, columns):
    return np.arange(1, rows * columns + 1, dtype=float).reshape(rows, columns)


def texts(matrix):
    return [[f"{value:g}" for value in row] for row in matrix]


def everything(person):
    """What a person would see changed: all tables, the weights, the history."""
    tables = [name for name in ("query", "key", "value", "x", "w_key") if person.has(f"table.{name}")]
    return {name: person.numbers(name) for name in tables}, person.values("weights"), person.steps()


def import_into(person, field, path):
    person.go_to(field, 0, 0)
    person.choose_file(path, lambda: person.do("import_matrix"))


def paste_into(person, field, path):
    person.clipboard(path.read_text().replace(",", "\t"))
    person.go_to(field, 0, 0)
    person.press("Ctrl+V")


def drop_on(person, field, path):
    """Beside the tables, where the table that was used last is the first to be offered."""
    person.go_to(field, 0, 0)
    person.drop(path)
    person.click(person.find("banner").buttons()[0])


def badge(person, field):
    return person.window.inputs.panels[field].findChild(ShapeBadge).text()


def test_a_file_given_at_the_start_can_be_put_right_too(launch, tmp_path):
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(6, 4)), rng.normal(size=(4, 5)), rng.normal(size=(5, 2))
    np.savez(tmp_path / "clash.npz", query=query, key=key, value=value)
    person = launch(tmp_path / "clash.npz")
    assert person.window.windowTitle().startswith("MiniLM")  # something stands there all the same
    assert "must have as many rows" in person.banner()
    person.click(person.button("Transpose K", "banner"))
    assert person.window.windowTitle().startswith("clash")
    assert person.find("heatmap.weights").shape == (6, 5)


# --- what is changed by hand ----------------------------------------------------------------------
def by_hand(person, record, num_heads=2, **shapes):
    """Open a problem of which one thing is changed by hand."""
    arrays = {name: counted(*shape) for name, shape in shapes.items()}
    person.again(str(record), Problem(**arrays, num_heads=num_heads, interventions=[record]))


def places(person):
    return [dict(record.at) for record in person.program.document.problem.interventions]
