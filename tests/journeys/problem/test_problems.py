"""New problems of every kind, projected ones, the scale, and tokens of a sequence that attends to itself."""

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLineEdit, QPlainTextEdit, QStyle, QStyleOptionSlider, QWidget

from attn_gui import Problem
from attn_gui.views.dialogs.tokens_dialog import TokensDialog

PROJECTED = "thinking-machines.npz"
SIZES = {"n": 3, "m": 5, "num_heads": 2, "d_k": 7, "d_v": 4}
WORDS = ("the", "cat", "sat")
SCORES = [[1, 1], [1, 2]]


def make(person, kind, fill="integers", **sizes):
    """File › New, every box typed into."""

    def answer(dialog: QDialog) -> None:
        person.click(dialog.findChild(QWidget, f"new.{kind}"))
        for name, size in (SIZES | sizes).items():
            box = dialog.findChild(QWidget, f"new.{name}")
            if box.isEnabled():
                person.overwrite(box, str(size), end="Tab")
        person.choose(dialog.findChild(QWidget, "new.fill"), fill)
        person.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok))

    person.answering(QDialog, answer, lambda: person.press("Ctrl+N"))


def shape(person, field):
    model = person.table(field).model()
    return model.rowCount(), model.columnCount()


def test_problems_of_every_kind_are_made_scaled_typed_into_and_follow_their_tokens(person, problem):
    make(person, "direct")
    assert [shape(person, field) for field in ("query", "key", "value")] == [(3, 14), (5, 14), (5, 8)]
    assert all(float(text).is_integer() for row in person.numbers("query") for text in row)
    assert person.find("heatmap.weights").shape == (3, 5)
    assert not person.window.isWindowModified()
    assert len(person.steps()) == 1
    assert not person.has("table.x")

    # the first step says as which the problem began, in another language, too
    began = person.steps()[0]
    person.size("n", 4)
    person.do("language_zh")
    person.do("language_en")
    assert person.steps()[0] == began
    assert "3 × 5" in began

    person.again("self attention")
    make(person, "self", fill="random")
    assert shape(person, "x") == (3, 14)
    assert not person.has("table.context")
    assert shape(person, "query") == (3, 14)
    assert shape(person, "key") == (3, 14)
    assert not person.find("control.m").isEnabled()
    person.size("n", 4)
    assert person.find("heatmap.weights").shape == (4, 4)

    person.press("Ctrl+Z")
    make(person, "cross", fill="random")
    assert [shape(person, field)[0] for field in ("x", "context", "query", "key", "value")] == [3, 5, 3, 5, 5]
    assert person.action("second_sequence").isChecked()
    assert person.find("heatmap.weights").shape == (3, 5)

    # the last choice is remembered
    make(person, "self", fill="zeros", n=6)
    seen = {}

    def look(dialog: QDialog) -> None:
        children = {child.objectName(): child for child in dialog.findChildren(QWidget)}
        seen.update(
            n=children["new.n"].value(),
            fill=children["new.fill"].currentData(),
            self_attention=children["new.self"].isChecked(),
        )
        person.press("Esc")

    person.answering(QDialog, look, lambda: person.do("new"))
    assert seen == {"n": 6, "fill": "zeros", "self_attention": True}
    assert shape(person, "x") == (6, 14)

    person.again("an output projection comes and goes")
    output = person.values("output")
    person.do("output_projection")
    assert person.action("output_projection").isChecked()
    rows, columns = shape(person, "w_output")
    assert rows == 2
    assert person.find("heatmap.output").shape == (2, columns)
    person.find("table.w_output")
    person.click(person.button("W_O", "zone.inputs"))
    person.type_into("w_output", 0, 0, "7")
    expected = sum(output[1][k] * person.number("w_output", k, 0) for k in range(2))
    assert person.value("output", 1, 0) == pytest.approx(expected)
    assert person.status().count("2 outputs") == 1  # which is all that W_O reaches
    person.do("output_projection")
    assert not person.has("table.w_output")
    assert person.values("output") == output
    person.press("Ctrl+Z")
    assert person.number("w_output", 0, 0) == 7
    person.press("Ctrl+Z", "Ctrl+Z")
    assert not person.has("table.w_output")
    assert not person.action("output_projection").isChecked()

    person.again("tokens from a sentence")

    def answer(dialog: QDialog) -> None:
        lines = [
            w for w in dialog.findChildren(QWidget) if isinstance(w, (QLineEdit, QPlainTextEdit)) and w.isVisible()
        ]
        lines[0].setFocus()
        person.press("Ctrl+A")
        for letter in "我爱":
            person.type(letter)
        person.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Ok))

    person.answering(QDialog, answer, lambda: person.press("Ctrl+T"))
    assert [person.table("query").model().headerData(row, Qt.Orientation.Vertical) for row in (0, 1)] == ["我", "爱"]
    assert len(person.steps()) == 2
    person.press("Ctrl+Z")

    # the scale is a root, none, typed or slid to, where a gesture is one step
    assert scaled_by(person, 3**-0.5)
    person.pick("scale", "none")
    assert scaled_by(person, 1)
    person.pick("scale", "typed")
    field = person.find("control.scale_value")
    assert field.isVisible()
    assert field.hasFocus()
    person.overwrite(field, "1/4")
    assert scaled_by(person, 0.25)
    assert person.find("control.scale").currentData() == "typed"
    person.pick("scale", "sqrt")
    assert scaled_by(person, 3**-0.5)
    assert not field.isVisible()

    # a bad scale is refused
    person.pick("scale", "typed")
    field = person.find("control.scale_value")
    steps = person.steps()
    for text in ("abc", "1,500", ""):
        person.overwrite(field, text)
        assert person.steps() == steps, text
        assert field.property("wrong") == "true", text
        person.press("Esc")
    assert scaled_by(person, 3**-0.5)

    # the divisor follows d_k
    person.pick("scale", "sqrt")
    person.size("d_k", 1)
    assert "√1" in person.find("control.scale").currentText()
    assert person.values("scaled") == person.values("scores")

    person.again("a gesture on the slider is one step and takes no other away", "minilm-layer2.npz")
    person.pick("scale", "typed")
    person.overwrite(person.find("control.scale_value"), "0.1")
    slider, steps = person.find("control.scale_slider"), person.steps()
    slide(slider, 0.4, 0.2, -0.3)
    assert person.values("weights") == [pytest.approx([1 / 16] * 16)] * 16
    assert person.steps() == [*steps, "scale 0"]
    slide(slider, 0.3, 0.6, 1.3)
    assert len(person.steps()) == len(steps) + 2
    dot = person.values("weights")
    person.pick("scale", "sqrt")
    assert person.values("weights") == dot
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.find("control.scale_value").text() == "0.1"

    person.again("typing into a computed table opens both ways out", PROJECTED)
    person.click(person.button("Q · K · V", "zone.inputs"))
    before = person.numbers("query")
    person.go_to("query", 0, 1)
    person.type("5")
    assert person.numbers("query") == before
    edit_x, direct = person.button("Edit X", "zone.inputs"), person.button("Work on Q, K, V directly", "zone.inputs")
    assert direct.isVisible()
    person.click(edit_x)
    assert person.table("x").isVisible()
    assert person.table("x").hasFocus()
    person.type("5", end="Return")
    assert person.number("x", 0, 0) == 5
    assert person.numbers("query") != before

    person.again("keys of a second sequence lead to that one", PROJECTED)
    make(person, "cross")
    person.click(person.button("Q · K · V", "zone.inputs"))
    person.go_to("key", 0, 1)
    person.type("5")
    person.click(person.button("Edit X₂", "zone.inputs"))
    assert person.table("context").hasFocus()

    person.again("biases and a second sequence come and go", PROJECTED)
    weights = person.values("weights")
    person.do("biases")
    assert shape(person, "b_query")[0] == 1
    assert person.values("weights") == weights  # they begin with zeros
    person.do("second_sequence")
    assert person.has("table.context")
    person.choose_cell("weights", 1, 0)
    assert "Machines → key 0 (1, 0)" in person.status()  # which has no name yet
    person.size("m", 5)
    assert person.find("heatmap.weights").shape == (2, 5)
    assert len(person.steps()) == 4
    while person.action("undo").isEnabled():
        person.do("undo")
    assert not person.has("table.context")
    assert not person.has("table.b_query")
    assert person.values("weights") == weights

    person.again("working on q k v directly is one step", PROJECTED)
    weights, output = person.values("weights"), person.values("output")
    x = person.numbers("x")
    person.click(person.button("Q · K · V", "zone.inputs"))
    person.go_to("query", 0, 1)
    person.type("5")
    person.click(person.button("Work on Q, K, V directly", "zone.inputs"))
    assert person.steps()[1:] == ["Q, K, V directly"]
    assert person.values("weights") == weights
    assert person.values("output") == output
    assert not person.has("table.x")
    person.type_into("query", 0, 1, "5")
    assert person.number("query", 0, 1) == 5
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.numbers("x") == x
    assert person.values("weights") == weights

    # Each token keeps its row of numbers and of the mask; one step back brings the very problem back.
    numbers = np.random.default_rng(0)
    arrays = {name: numbers.normal(size=(6, 4)) for name in ("query", "key", "value")}
    allowed = numbers.random((6, 6)) < 0.7
    tokens = dict.fromkeys(("query_tokens", "key_tokens"), tuple("abcdef"))
    before = Problem(**arrays, **tokens, num_heads=2, mask=[{"kind": "custom", "allowed": allowed}])
    person.again("joined or split", before)

    def use(dialog: TokensDialog, change: Callable[[TokensDialog], None]) -> None:
        change(dialog)
        QTest.mouseClick(dialog.resize_rows, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
        person.click(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok))

    def join(dialog: TokensDialog) -> None:
        for place in (1, 2):
            dialog.pieces.item(place).setSelected(True)
        person.click(dialog.join)

    def split(dialog: TokensDialog) -> None:
        dialog.pieces.item(1).setText("b x")

    for change, places in ((join, [0, 1, 3, 4, 5]), (split, [0, 1, -1, 2, 3, 4, 5])):
        person.answering(TokensDialog, partial(use, change=change), lambda: person.do("tokens"))
        person.wait()
        after, kept = person.program.document.problem, np.array(places) >= 0
        old = [place for place in places if place >= 0]
        assert (after.n, after.m, len(person.steps())) == (len(places), len(places), 2)
        for field in arrays:
            assert np.array_equal(getattr(after, field)[kept], getattr(before, field)[old])
            assert not getattr(after, field)[~kept].any()
        cells = after.mask[0].cells.reshape(len(places), -1)
        assert np.array_equal(cells[kept][:, kept], allowed[old][:, old])
        assert cells[~kept].all()
        person.do("undo")
        person.wait()
        assert person.program.document.problem == before

    person.again("one list", problem)
    person.click_cell("weights", 2, 1)
    assert "sat → cat (2, 1)" in person.status()
    assert "cat" in person.explanation()
    assert list(person.window.product.maps.key_tokens) == list(WORDS)

    keys = ("A", "B", "C")
    person.again("a row of its own names leaves those of the keys", problem.replace(key_tokens=keys))
    person.table("x").verticalHeader().rename(0)
    person.press("Ctrl+A")
    person.type("a", end="Return")
    problem = person.program.document.problem
    assert (problem.query_tokens, problem.key_tokens) == (("a", "cat", "sat"), keys)


@pytest.fixture
def problem():
    random = np.random.default_rng(3)
    weights = {f"w_{name}": random.normal(size=(5, 4)) for name in ("query", "key", "value")}
    return Problem(x=random.normal(size=(3, 5)), **weights, num_heads=2, query_tokens=WORDS)


def scaled_by(person, factor):
    return person.values("scaled") == [pytest.approx([factor * s for s in row]) for row in SCORES]


def slide(slider, *shares):
    """Press the handle, go through parts of the way, let go."""
    at = handle(slider)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=at)
    length = slider.style().pixelMetric(QStyle.PixelMetric.PM_SliderLength, None, slider)
    for share in shares:
        at = QPoint(round(length / 2 + share * (slider.width() - length)), at.y())
        QTest.mouseMove(slider, at)
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=at)


def handle(slider):
    option = QStyleOptionSlider()
    slider.initStyleOption(option)
    part = QStyle.SubControl.SC_SliderHandle
    return slider.style().subControlRect(QStyle.ComplexControl.CC_Slider, option, part, slider).center()
