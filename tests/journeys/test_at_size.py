"""Long problems in front of a person: what is not computed yet, stopping and going on, what nothing can hold."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QTabBar

from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import DenseEvaluation, Problem, arrays, sensitivity
from attn_gui.engine.analysis.sensitivity import strongest
from attn_gui.engine.evaluation import streaming_kernels
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.colors import UNKNOWN
from attn_gui.pictures import tile
from attn_gui.pictures.tile import place_of

N, HEADS, WIDTH = 1201, 2, 3


def problem(rows=N, **more):
    numbers = np.random.default_rng(rows).standard_normal((3, rows, HEADS * WIDTH)).astype(np.float32)
    return Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=HEADS, dtype="float32", **more)


@pytest.fixture
def person(launch, monkeypatch, qtbot):
    """In front of a long problem whose pictures come in many parts; the first of them is on its way."""
    monkeypatch.setattr(tile, "BAND", 64 * N)
    found = launch("worked-example.npz")
    open_long(found, qtbot)
    return found


def open_long(person, qtbot):
    person.program.document.open(problem(), name="long")
    qtbot.waitUntil(lambda: not person.program.computation.pending)
    person.program.view.notify_all()


def known(person, stage="weights"):
    heatmap = person.find(f"heatmap.{stage}")
    heatmap.grab()
    return heatmap.cells.display.flags != UNKNOWN


def settled(person, qtbot):
    qtbot.waitUntil(lambda: not person.program.computation.busy)


def exact(person, stage, head):
    """The picture of a stage that NumPy gives."""
    document, heatmap = person.program.document, person.find(f"heatmap.{stage}")
    q, k = (
        getattr(document.problem, name)[:, head * WIDTH : (head + 1) * WIDTH].astype(float) for name in ("query", "key")
    )
    scores = q @ k.T / np.sqrt(WIDTH)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shown = shares / shares.sum(axis=1, keepdims=True) if stage == "weights" else scores
    return pool(shown, None, heatmap.placement.rows.bins, heatmap.placement.columns.bins)[0]


def test_maps_and_largest_gradients_fill_in_behind_and_esc_stops_and_f9_goes_on(person, qtbot, monkeypatch):
    heatmap = person.find("heatmap.weights")
    assert not known(person).all()
    settled(person, qtbot)
    assert known(person).all()
    np.testing.assert_allclose(heatmap.cells.values, exact(person, "weights", 0), rtol=1e-4, atol=1e-7)
    person.press("Ctrl+]")
    known(person)  # painted, and so asked for
    settled(person, qtbot)
    assert known(person).all()
    np.testing.assert_allclose(heatmap.cells.values, exact(person, "weights", 1), rtol=1e-4, atol=1e-7)
    person.press("Ctrl+[")
    person.type_into("key", 3, 2, "4.5")
    settled(person, qtbot)
    assert known(person).all()
    np.testing.assert_allclose(heatmap.cells.values, exact(person, "weights", 0), rtol=1e-4, atol=1e-7)

    # the largest gradients are those of whole maps
    open_long(person, qtbot)
    person.program.view.set(head=1, cell=ChosenCell("weights", 700, 31))
    bar = person.find("inspector").findChild(QTabBar)
    place = next(k for k in range(bar.count()) if bar.tabText(k) == "Gradients")
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())
    person.type_into("query", 700, WIDTH, "2.5")
    wanted = largest(person)
    assert len(wanted) == 12
    qtbot.waitUntil(lambda: listed(person) == wanted)
    with monkeypatch.context() as scarce:
        scarce.setattr(arrays, "available", lambda: 100)
        person.program.view.set(cell=ChosenCell("weights", 700, 32))
        said = person.find("inspector.sensitivity").findChildren(QLabel)
        qtbot.waitUntil(lambda: any("of memory are free" in label.text() for label in said))

    # Esc stops and F9 goes on
    open_long(person, qtbot)
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    pressing = heatmap.numbersArrived.connect(  # with the first numbers: soon all of them may be there
        lambda: QTest.keyClick(heatmap, Qt.Key.Key_Escape)
    )
    settled(person, qtbot)
    heatmap.disconnect(pressing)
    assert 0 < known(person).mean() < 1
    assert "F9" in person.program.first.progress._words.text()
    assert person.program.first.progress._words.isVisible()
    own, values = own_rows(person, heatmap), heatmap.cells.values
    np.testing.assert_allclose(values[own], exact(person, "weights", 0)[own], rtol=1e-4, atol=1e-7)
    QTest.keyClick(heatmap, Qt.Key.Key_F9)
    settled(person, qtbot)
    assert known(person).all()
    assert not person.program.first.progress._words.isVisible()


def own_rows(person, heatmap):
    """Rows of which the map has numbers of its own, and not those of a smaller picture meanwhile."""
    sheets = person.program.computation.tiles._of(place_of(heatmap.plane))
    return next(sheet.known for sheet in sheets if sheet.shape == heatmap.cells.values.shape)


def test_what_no_evaluation_can_hold_is_said_in_a_sentence_and_exported_as_nothing_else(launch, qtbot, monkeypatch):
    """The worked example's numbers were written as those of the other document."""
    person = launch("worked-example.npz")
    person.do("dimensions")
    panel = person.program.window.inspector.pages
    qtbot.waitUntil(lambda: panel.pages["dimensions"].content is not None)
    numbers = np.zeros((66_000, 64), np.float32)
    large = Problem(query=numbers, key=numbers, value=numbers[:, :1], score="gaussian", dtype="float32")
    person.program.document.open(large, name="large")
    actions = "export_data", "export_image", "copy_image", "card"
    for action in actions:
        person.find("banner").hide()
        person.do(action)
        assert "being computed" in person.banner(), action
    qtbot.waitUntil(lambda: person.program.computation.refusal is not None)
    for action in actions:
        person.find("banner").hide()
        person.do(action)
        assert "66,000" in person.banner(), action
    qtbot.waitUntil(lambda: panel.pages["dimensions"].content is None)

    person.again("tables and one sentence are shown")
    # 65,536 tokens with a score that is no dot product: never a freeze, and undo brings everything back.
    monkeypatch.setattr(streaming_kernels, "HEAVIEST", 1 << 32)  # as if there were 8 heads of 64
    numbers = np.zeros((65_536, 2), np.float32)
    person.program.document.open(
        Problem(query=numbers, key=numbers, value=numbers, num_heads=1, dtype="float32"), name="long"
    )
    qtbot.waitUntil(lambda: not person.program.computation.pending)
    window = person.program.window
    assert window.pictures.currentWidget() is window.product
    person.pick("score", "additive")
    qtbot.waitUntil(lambda: person.program.computation.refusal is not None)
    notice = person.find("maps.refused", QLabel)
    assert notice.isVisible()
    assert "65,536" in notice.text()
    assert "No maps" in notice.text()
    assert person.find("control.score").currentData() == "additive"
    assert not window.product.isVisible()
    assert person.table("query").isVisible()
    assert person.table("query").model().rowCount() == 65_536
    person.do("all_stages")
    assert notice.isVisible()
    person.do("undo")
    qtbot.waitUntil(lambda: not person.program.computation.pending and person.program.computation.notified)
    assert not notice.isVisible()
    assert person.find("heatmap.weights").isVisible()
    assert isinstance(person.program.computation.evaluation, StreamingEvaluation)


def listed(person):
    """{number: gradient} as the page of the explanation shows it."""
    page = person.find("inspector.sensitivity")
    numbers = [label.text() for label in page.findChildren(QLabel) if label.isVisible()][2:]
    return {link.text(): float(text.replace("−", "-")) for link, text in zip(page.links(), numbers, strict=False)}


def largest(person):
    """The same from an evaluation that keeps every map, as two digits tell it."""
    gradients = sensitivity(DenseEvaluation(person.program.document.snapshot()), "weights", (0, 1, 700, 31))
    letters = {"query": "Q", "key": "K", "value": "V", "scale": "α"}
    return {
        letters[field] + (f"[{at[-2]}, {at[-1]}]" if at else ""): pytest.approx(value, rel=5e-2)
        for field, at, value in strongest(gradients, 12)
    }
