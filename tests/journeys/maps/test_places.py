"""Where maps stand, in small windows too, and that places of one are not of another."""

import time
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from attn_gui.app.maps.gradients import REST_MS
from attn_gui.app.state import computation, view_state
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem
from attn_gui.formats import open_file
from attn_gui.paths import resource
from attn_gui.views.product.map_labels import AxisLabels
from tests.failing import share
from tests.journeys.gate import Gate
from tests.seen import fault

WORKED, SENTENCE = "worked-example.npz", "minilm-layer2.npz"
LONG_SENTENCE = "Something was refused, and this sentence says at some length what, where and why it was so. " * 2
LEFT = Qt.MouseButton.LeftButton


def laid_out(person):
    person.wait()
    for _ in range(5):
        QApplication.processEvents()


def place(person, stage):
    """The pixels of the cells of a stage in the window, once that is shown."""
    person.show_stage(stage)
    laid_out(person)
    heatmap = person.find(f"heatmap.{stage}")
    assert not fault(heatmap)
    return QRect(heatmap.mapTo(person.window, heatmap.placement.cells.topLeft()), heatmap.placement.cells.size())


def test_examples_fill_a_small_screen_with_numbers_and_come_back_to_their_place(launch):
    person = launch(WORKED, lang="zh", width=1366, height=700)
    fills_the_screen(person)

    person.again("a map comes back to its place after all stages and a zoom")
    before = place(person, "weights")
    person.do("all_stages", "product")
    assert place(person, "weights") == before
    person.find("heatmap.weights").setFocus()
    person.press("+", "0")
    assert place(person, "weights") == before
    assert lined(person), "lines part large cells"

    person.again("a sentence of a real model shows its numbers", SENTENCE)
    assert not lined(person), "and not small ones"
    assert not fault(person.find("heads.weights"))
    for stage in ("weights", "scores"):
        assert place(person, stage).height() >= 16 * 18
    assert person.find("heatmap.weights").cells.numbers is not None  # scores have no room for a decimal

    stages = ("scores", "scaled", "biased", "masked", "weights")
    problem = open_file(resource("examples", SENTENCE)).problem
    person.again("two layers", problem.replace(mask=({"kind": "causal"}, {"kind": "alibi"})))
    for size in ((1366, 700), (1024, 700)):
        person.window.resize(*size)
        laid_out(person)
        assert len({place(person, stage).getRect() for stage in stages}) == 1, size

    person.again("in English and in the dark")
    person.do("language_en", "theme_dark")
    fills_the_screen(person)


def fills_the_screen(person):
    cells = place(person, "weights")
    assert min(cells.width(), cells.height()) >= 300
    for name in ("heatmap.weights", "operand.left", "operand.top", "operand.factor", "operand.result"):
        assert not fault(person.find(name))
        assert person.find(name).cells.numbers is not None, name
    assert not person.find("heads.weights").isVisible()
    assert not person.has("node.concat")


def lined(person):
    """Whether a line parts two cells."""
    heatmap = person.find("heatmap.weights")
    image, cell = heatmap.grab().toImage(), heatmap.cell_rect(0, 1)
    return image.pixelColor(cell.left(), cell.top() + 3) != image.pixelColor(cell.left() + 1, cell.top() + 3)


def shown(person):
    """Until the window is laid out."""
    person.wait()
    for _ in range(5):
        QApplication.processEvents()


def named(person, monkeypatch):
    """The tokens beside the rows and over the columns, as they are painted anew."""
    found = []
    paint = AxisLabels._paint_one

    def note(labels, painter, cell, *, chosen):
        found.append((labels.way, cell))
        paint(labels, painter, cell, chosen=chosen)

    monkeypatch.setattr(AxisLabels, "_paint_one", note)
    person.program.window.product.arrange()
    person.program.window.product.grab()
    monkeypatch.undo()
    return set(found)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_on_a_small_screen_the_map_is_large_names_every_token_and_is_moved_by_no_notice(launch, monkeypatch, lang):
    person = launch("minilm-layer2.npz", lang=lang)
    product = person.program.window.product
    for size in ((1440, 900), (1366, 700), (1024, 700)):
        person.window.resize(*size)
        person.find("banner").hide()
        shown(person)
        assert min(product.places.stage.width(), product.places.stage.height()) >= 240, size
        assert not fault(person.find("heatmap.weights")), size
        labels = named(person, monkeypatch)
        assert {cell for way, cell in labels if way == "rows"} == set(range(16)), size
        assert {cell for way, cell in labels if way != "rows"} == set(range(16)), size
        before = QRect(product.places.stage), product.mapTo(person.window, product.rect().topLeft())
        person.program.window.banner.show_error(LONG_SENTENCE + "x" * 200)
        shown(person)
        assert (product.places.stage, product.mapTo(person.window, product.rect().topLeft())) == before, size
        assert not fault(person.find("banner")), size
        assert (person.window.width(), person.window.height()) == size
    person.program.files.open_example_unasked("layer")
    for size in ((1366, 700), (1440, 900), (1024, 700)):
        person.window.resize(*size)
        shown(person)
        assert not fault(person.find("node.weights")), "a formula row that scrolls keeps its steps whole"


def small() -> Problem:
    """Two queries and three keys, of tokens that the other document has not."""
    tokens = {"query_tokens": ("zwei", "drei"), "key_tokens": ("x", "y", "z")}
    return Problem(query=np.eye(2), key=np.ones((3, 2)), value=np.eye(3), **tokens)


@pytest.fixture
def person(launch):
    """Who looks at the weights of 16 tokens."""
    return launch(SENTENCE).beginning(lambda person: person.show_stage("weights"))


def told(person) -> None:
    person.look()
    person.wait()


def test_what_is_pointed_at_clicked_painted_or_pressed_is_what_is_seen_then(person, monkeypatch, qtbot):
    """A press is never lost: the rest is told first, and it means the cell of the new map below the pointer."""
    heatmap = person.find("heatmap.weights")
    old = heatmap.cell_rect(12, 13).center()
    person.program.files.open_problem(small(), "small")
    QTest.mouseClick(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old)
    assert person.program.computation.notified
    cell = person.program.view.look.cell
    assert cell is None or (cell.stage == "weights" and (cell.row, cell.column) == heatmap.cell_under(old))

    person.again("a key pressed in the same turn acts on the new document")
    person.click_cell("weights", 12, 13)
    person.program.files.open_problem(small(), "small")
    person.press("Space", "F2", "Return")
    told(person)
    assert person.program.document.problem == small(), "no cell of it is chosen"

    person.again("a brush never paints into another document by the old picture")
    person.do("mask_tool")
    told(person)
    heatmap = person.find("heatmap.masked" if person.has("heatmap.masked") else "heatmap.scaled")
    old = heatmap.cell_rect(12, 13).center()
    QTest.mousePress(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old)
    person.program.files.open_problem(small(), "small")
    QTest.mouseMove(heatmap, old + QPoint(30, 0))
    QTest.mouseRelease(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, old + QPoint(30, 0))
    told(person)
    assert person.program.document.problem == small(), "the stroke was of the other document"

    person.again("a pointer that moves says nothing of the new document by the picture of the old")
    heatmap = person.find("heatmap.weights")
    old = heatmap.cell_rect(12, 13).center()
    person.program.files.open_problem(small(), "small")
    QTest.mouseMove(heatmap, old)
    assert not person.program.computation.notified, "the window may paint before the next map is told"
    assert "(" not in person.window.place.text()
    told(person)
    QTest.mouseMove(heatmap, heatmap.cell_rect(1, 2).center())
    assert "drei → z (1, 2)" in person.window.place.text()

    person.again("nothing is painted while the maps show the problem before")
    # A long problem is computed beside the window; until then its mask is not the one that is seen.
    person.do("mask_tool")
    told(person)
    gate = Gate()
    quick = computation.evaluation_of, computation.QUICK_CELLS
    monkeypatch.setattr(computation, "evaluation_of", gate.before(computation.evaluation_of))
    monkeypatch.setattr(computation, "QUICK_CELLS", 0)
    person.program.files.open_problem(small(), "small")
    assert person.program.computation.pending
    heatmap = person.program.window.product.stage_map()
    QTest.mouseClick(heatmap, LEFT, Qt.KeyboardModifier.NoModifier, heatmap.cell_rect(12, 13).center())
    problem, said = person.program.document.snapshot(), person.banner()
    person.press("Esc")
    assert person.banner() == "", "it closes the line, and leaves the brush"
    assert person.action("mask_tool").isChecked()
    gate.open()
    told(person)
    assert problem == small()
    assert "still being computed" in said

    monkeypatch.setattr(computation, "evaluation_of", quick[0])
    monkeypatch.setattr(computation, "QUICK_CELLS", quick[1])
    for way in share(("another document", "another structure", "a smaller one"), 3):
        person.again(f"the difference beside a gradient is of the problem that it was taken of, then {way}")
        # The timer of the finite difference fires between the new evaluation and the turn in which maps are told.
        additive = {"w_score_query": np.eye(2), "w_score_key": np.eye(2), "w_score": np.ones(2)}
        problem = Problem(query=np.eye(2), key=np.eye(2), value=np.eye(2), score="additive", score_params=additive)
        person.program.files.open_problem(problem, "additive")
        told(person)
        person.choose_cell("weights", 0, 0)
        person.press("Ctrl+7")
        assert person.program.late.gradients.busy
        end = time.monotonic() + (REST_MS + 5) / 1000
        while time.monotonic() < end:  # the window is busy, and the timer is due
            pass
        if way == "another structure":
            person.program.document.apply(SetFields({"score": "dot", "score_params": {}}, Label("other")))
        elif way == "a smaller one":
            person.program.files.open_problem(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]), "one")
        else:
            weights = {name: np.eye(2) for name in ("w_query", "w_key", "w_value")}
            person.program.files.open_problem(Problem(x=np.eye(2), **weights), "projected")
        person.program.late.gradients._check()  # as where it is due before anybody is told
        told(person)
        person.until(lambda: not person.program.late.gradients.busy)

    person.again("the window says that it works on a long way to another document", "transformer-layer.npz")
    # A layer of 512 heads left it unpainted for three seconds, and nothing said so; painted on the way, both states
    # of a step that the next document lacks ended the process.
    following, busy = person.program.computation, []
    following.slow.connect(lambda _: busy.append(QApplication.overrideCursor() is not None))
    person.show_stage("up")
    person.do("compare_with_mask")
    painted = PaintedWhile(lambda: not following.notified)
    person.window.sides.installEventFilter(painted)
    with monkeypatch.context() as slow:
        slow.setattr(computation, "PATIENCE_MS", 0)
        slow.setattr(view_state, "SLICE", 0.0)
        person.program.document.open(small(), name="next")
        assert not person.window.updatesEnabled()
        person.until(lambda: following.notified)
    assert busy == [True, False]
    assert not painted.widgets
    laid_out(person)
    assert fault(person.window.product.maps.map("weights")) == ""

    person.again("a fault on the way, of which not even the banner was painted")

    def fail():
        raise RuntimeError("a fault")

    monkeypatch.setattr(person.program.view, "look_at_opened", fail)
    with qtbot.capture_exceptions() as raised:
        person.program.document.open(long(), name="next")
        assert not person.window.updatesEnabled()
        person.until(lambda: not person.program.computation.pending)
    assert [str(error) for _, error, _ in raised] == ["a fault"]
    assert person.window.updatesEnabled()


class PaintedWhile(QObject):
    """Which widgets are painted while something is so."""

    def __init__(self, so: Callable[[], bool]) -> None:
        super().__init__()
        self._so, self.widgets = so, set[QObject]()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self._so():
            self.widgets.add(watched)
        return False


def long() -> Problem:
    """So long that it is not computed in the turn in which it is opened."""
    numbers = np.random.default_rng(3).standard_normal((3, 1201, 6)).astype(np.float32)
    return Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=2, dtype="float32")
