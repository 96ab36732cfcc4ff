"""Copying from whatever has the keyboard, never from a table out of sight; a clipboard of megabytes."""

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit

from attn_gui import Problem
from attn_gui.app.tables import table_edits
from attn_gui.document.typed_numbers import NumberError, parse_number
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
MUCH = 1_000_000
SHOWN = 500  # letters that a field may lay out at most


def _rows(text: str) -> list[list[str]]:
    return [line.split("\t") for line in text.splitlines()]


def test_a_copy_on_a_map_takes_the_map_and_what_cannot_be_copied_or_pasted_changes_nothing(person, monkeypatch, qtbot):
    person.go_to("query", 1, 1)
    person.click_cell("weights", 1, 0)
    person.press("Ctrl+C")
    expected = [[str(value) for value in row] for row in person.values("weights")]
    assert [[str(float(text)) for text in row] for row in _rows(person.clipboard())] == expected
    before = person.numbers("query")
    person.clipboard("7")
    for keys in ("Ctrl+X", "Ctrl+D"):
        person.press(keys)
        assert person.numbers("query") == before
        assert "acts on a table" in person.banner()
    for name in ("clear", "fill_right", "fill_random", "fill_identity"):
        person.do(name)
    assert person.numbers("query") == before
    assert person.clipboard() == "7"
    assert len(person.steps()) == 1
    person.press("Ctrl+V")
    assert person.value("weights", 1, 0) == 7
    assert person.numbers("query") == before

    person.again("latex and numpy give the numbers back and small maps and operands are copied too")
    person.click_cell("weights", 0, 0)
    person.do("copy_numpy")
    assert eval(person.clipboard(), {"np": np}).tolist() == person.values("weights")
    person.do("copy_latex")
    text = person.clipboard()
    assert text.startswith(r"\begin{bmatrix}")
    inner = text.removeprefix(r"\begin{bmatrix}").removesuffix(r"\end{bmatrix}")
    assert [[float(cell) for cell in row.split("&")] for row in inner.split(r"\\")] == person.values("weights")
    for name, stage in (("node.scores", "scores"), ("operand.left", "query")):
        person.find(name).setFocus()
        person.press("Ctrl+C")
        assert [[float(text) for text in row] for row in _rows(person.clipboard())] == person.values(stage)

    person.again("terms are copied in full with the table they stand in")
    person.choose_cell("scores", 1, 1)
    person.find("inspector.terms").setFocus()
    person.press("Ctrl+Shift+C")
    rows = _rows(person.clipboard())
    assert len(rows) == 1 + 3
    assert sum(float(row[-1]) for row in rows[1:]) == person.value("scores", 1, 1)
    assert all(float(row[1]) * float(row[2]) == float(row[3]) for row in rows[1:])

    person.again("where nothing can be copied it is said and the clipboard stays")
    person.clipboard("mine")
    person.find("control.score").setFocus()
    person.do("copy")
    assert "Nothing to copy" in person.banner()
    assert person.clipboard() == "mine"
    before = person.program.document.snapshot()
    person.table("query").clearFocus()
    person.window.setFocus()
    person.do("cut")
    assert "Nothing to copy here" in person.banner()
    assert person.program.document.problem == before
    with monkeypatch.context() as small:
        small.setattr(table_edits, "MOST", 2)
        person.go_to("query", 0, 0)
        person.press("Ctrl+A", "Ctrl+X")
    assert "too many for the clipboard" in person.banner()
    assert (person.program.document.problem, person.clipboard()) == (before, "mine")

    person.again("a copy is a table for word processors too")
    person.select("query", 0, 0, 2, 2)
    person.press("Ctrl+Shift+C")
    html = QGuiApplication.clipboard().mimeData().html()
    assert "<tr><th></th><th>0</th><th>1</th></tr>" in html
    assert "<td>1</td><td>0</td>" in html
    person.press("Ctrl+C")
    assert "<th>" not in QGuiApplication.clipboard().mimeData().html()
    assert person.clipboard() == "1\t0\n0\t1"

    person.again("a block is pasted transposed added and multiplied")
    person.clipboard("1\t2\n3\t4")
    person.go_to("query", 0, 0)
    person.do("paste_transposed")
    assert person.numbers("query") == [["1", "3", "1"], ["2", "4", "1"]]
    person.do("paste_added")
    assert person.numbers("query") == [["2", "5", "1"], ["5", "8", "1"]]
    person.clipboard("10")
    person.select("query", 0, 0, 1, 3)
    person.do("paste_multiplied")
    assert person.numbers("query") == [["20", "50", "10"], ["5", "8", "1"]]
    assert len(person.steps()) == 4
    for _ in range(3):
        person.press("Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    person.again("megabytes are refused by a cell and what was there stays")
    before = person.numbers("query")
    for text in ("1" * MUCH, "1\t2\n" * (MUCH // 4)):
        person.go_to("query", 0, 0)
        person.press("F2", "Ctrl+A")
        person.clipboard(text)
        person.press("Ctrl+V")
        editor = person.focus()
        assert isinstance(editor, QLineEdit)
        assert len(editor.text()) < SHOWN
        with pytest.raises(NumberError):
            parse_number(editor.text())  # what is left of it is no number either
        person.press("Return")
        assert person.numbers("query") == before
        person.press("Escape", "Escape")
        assert person.numbers("query") == before

    tokens = dict.fromkeys(("query_tokens", "key_tokens"), ("it", "is|was"))
    person.again(
        "headers are the tokens of the map", Problem(query=np.eye(2), key=[[1, 1], [0, 1]], value=[[1], [2]], **tokens)
    )
    person.click_cell("weights", 0, 0)
    person.press("Ctrl+Shift+C")
    rows = _rows(person.clipboard())
    assert rows[0] == ["", "it", "is|was"]
    assert [row[0] for row in rows[1:]] == ["it", "is|was"]
    person.do("copy_markdown")
    lines = person.clipboard().splitlines()
    assert len(lines) == 4
    assert lines[0].replace(" ", "") == r"||it|is\|was|"

    problem = Problem(query=[[1e-7, 3]], key=[[np.inf, 1], [np.nan, 1]], value=[[1], [2]], dtype="float32")
    person.again("what is not finite and what is float32 is written as it is", problem)
    person.go_to("key", 0, 0)
    person.press("Ctrl+A")
    person.do("copy_numpy")
    array = eval(person.clipboard(), {"np": np})
    assert array.dtype == np.float32
    assert np.array_equal(array, problem.key, equal_nan=True)
    person.do("copy_latex")
    assert r"\infty & 1" in person.clipboard()
    assert r"\mathrm{NaN}" in person.clipboard()
    person.go_to("query", 0, 0)
    person.do("copy_latex")
    assert r"1 \times 10^{-7}" in person.clipboard()

    normal = np.random.default_rng(7).normal
    problem = Problem(query=normal(size=(3, 4)), key=normal(size=(5, 4)), value=normal(size=(5, 2)), num_heads=2)
    person.again("predictions and readings of heads are copied in full")
    person.open_toy()
    listed = person.find("model.predictions")
    listed.setFocus()
    person.press("Ctrl+C")
    shares = [float(row[0]) for row in _rows(person.clipboard())]
    assert len(shares) == listed.model().rowCount()
    assert sum(shares) <= 1 + 1e-12
    assert shares == sorted(shares, reverse=True)
    grid, box = person.find("model"), person.find("control.model_reading")
    grid.setFocus()
    person.clipboard("untouched")
    person.press("Ctrl+C")
    assert person.clipboard() == "untouched"  # pictures are no numbers
    box.setFocus()
    person.press("Down")
    qtbot.waitUntil(lambda: bool(grid.model().index(0, 0).data()), timeout=60_000)
    grid.setFocus()
    person.press("Ctrl+C")
    rows = _rows(person.clipboard())
    assert (len(rows), len(rows[0])) == (grid.model().rowCount(), grid.model().columnCount())
    assert all(np.isfinite(float(text)) for row in rows for text in row)


@pytest.fixture
def gate(monkeypatch):
    """Holds the writing of a copy up until it is opened."""
    found = Gate()
    monkeypatch.setattr(table_edits, "AT_ONCE", 0)
    monkeypatch.setattr(
        table_edits, "FORMS", [form._replace(write=found.before(form.write)) for form in table_edits.FORMS]
    )
    yield found
    found.open()


def settle(person, gate):
    gate.open()
    person.let_work_end()
    for _ in range(3):
        QApplication.processEvents()


@pytest.fixture
def copied(launch, gate):
    person = launch(SMALL)
    person.clipboard("99")
    person.go_to("query", 0, 0)
    person.press("Ctrl+A", "Ctrl+C")
    gate.await_work()
    return person


def test_what_was_copied_before_is_not_pasted_in_its_place(copied, gate):
    before = copied.program.document.snapshot()
    copied.go_to("key", 0, 0)
    copied.press("Ctrl+V")
    assert copied.program.document.problem == before
    assert "holds no text" in copied.banner()
    settle(copied, gate)
    assert "copied 2 × 3" in copied.status()
    copied.press("Ctrl+V")
    assert copied.numbers("key") == copied.numbers("query")

    # what was copied since stays
    gate.close()
    copied.again("copied since")
    copied.clipboard("99")
    copied.go_to("query", 0, 0)
    copied.press("Ctrl+A", "Ctrl+C")
    gate.await_work()
    copied.clipboard("elsewhere")
    settle(copied, gate)
    assert copied.clipboard() == "elsewhere"
    assert "copied" not in copied.status()
