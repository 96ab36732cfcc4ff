"""Long problems in front of a person: what is not computed yet, stopping and going on, what nothing can hold."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from attn_gui.app.state import view_state
from attn_gui.document.edits import Label, SetCells
from attn_gui.engine import Problem
from attn_gui.engine.evaluation import streaming_kernels
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure.display import UNKNOWN
from attn_gui.pictures import tile
from attn_gui.pictures.tile import Tile, place_of

N, HEADS, WIDTH = 1201, 2, 3


def problem(rows=N, **more):
    numbers = np.random.default_rng(rows).standard_normal((3, rows, HEADS * WIDTH)).astype(np.float32)
    return Problem(query=numbers[0], key=numbers[1], value=numbers[2], num_heads=HEADS, dtype="float32", **more)


@pytest.fixture
def person(launch, monkeypatch, qtbot):
    """In front of a long problem whose pictures come in many parts; the first of them is on its way."""
    monkeypatch.setattr(tile, "BAND", 64 * N)
    found = launch()
    found.program.document.open(problem(), name="long")
    qtbot.waitUntil(lambda: not found.program.computation.pending)
    found.program.view.notify_all()
    return found


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


def test_maps_fill_in_behind_follow_what_is_typed_and_are_exact_in_the_end(person, qtbot):
    heatmap = person.find("heatmap.weights")
    assert not known(person).all()
    settled(person, qtbot)
    assert known(person).all()
    assert heatmap.cells.values == pytest.approx(exact(person, "weights", 0), rel=1e-4, abs=1e-7)
    person.press("Ctrl+]")
    known(person)  # painted, and so asked for
    settled(person, qtbot)
    assert known(person).all()
    assert heatmap.cells.values == pytest.approx(exact(person, "weights", 1), rel=1e-4, abs=1e-7)
    person.press("Ctrl+[")
    person.type_into("key", 3, 2, "4.5")
    settled(person, qtbot)
    assert known(person).all()
    assert heatmap.cells.values == pytest.approx(exact(person, "weights", 0), rel=1e-4, abs=1e-7)


def test_an_edit_is_drawn_turn_by_turn_and_shown_once_it_is_drawn(person, qtbot, monkeypatch):
    """In one turn an edit of K held the window for 18 ms. Meanwhile no outline of the edit before fades: each step of
    that would paint every map."""
    settled(person, qtbot)
    person.type_into("key", 5, 1, "-2.5")
    settled(person, qtbot)
    flash = person.find("heatmap.weights").overlay._flash
    assert flash.state() == flash.State.Running
    cache, computation = person.program.computation.tiles, person.program.computation
    monkeypatch.setattr(tile, "SLICE", 0.0)
    turn, drawn, behind, shown, draw = [0], {}, [], [], Tile.drawn
    monkeypatch.setattr(Tile, "drawn", lambda sheet, *part: drawn.update({sheet.place: turn[0]}) or draw(sheet, *part))
    clock = QTimer(interval=0)
    clock.timeout.connect(lambda: turn.append(turn.pop() + 1))
    for told in (computation.updated, computation.drawable):
        told.connect(lambda *_: behind.append((cache.behind, flash.state())))
    computation.drawable.connect(lambda: shown.append(turn[0]))
    computation.moving.connect(lambda *_: person.program.first.maps._rest.start(0))  # levels of the edit before are due
    clock.start()
    person.type_into("key", 3, 2, "4.5")
    qtbot.waitUntil(lambda: len(behind) == 2)
    clock.stop()
    assert behind == [(True, flash.State.Paused), (False, flash.State.Running)]
    assert {"scores", "scaled", "weights"} <= {place.name for place in drawn}
    assert len(set(drawn.values())) == len(drawn)
    assert shown >= [max(drawn.values())]
    settled(person, qtbot)
    found = person.find("heatmap.weights").cells.values
    assert found == pytest.approx(exact(person, "weights", 0), rel=1e-4, abs=1e-7)


def test_the_turn_of_a_small_edit_is_for_its_table_alone(person, qtbot):
    """With the maps drawn in it, too, it held the window for twice as long."""
    settled(person, qtbot)
    behind, computation = [], person.program.computation
    for told in (computation.updated, computation.drawable):
        told.connect(lambda *_: behind.append(computation.tiles.behind))
    document = person.program.document
    document.apply(SetCells("query", (slice(3, 4), slice(2, 3)), np.float32([[4.5]]), Label("x")))
    assert behind == [True]
    qtbot.waitUntil(lambda: len(behind) == 2)
    assert behind == [True, False]
    found = person.find("heatmap.weights").cells.values
    assert found == pytest.approx(exact(person, "weights", 0), rel=1e-4, abs=1e-7)


def test_another_long_problem_is_told_turn_by_turn_and_maps_show_the_one_before_meanwhile(person, qtbot, monkeypatch):
    """Told at once it held the window for 20 to 50 ms; an ended cache would leave maps that are painted then blank."""
    settled(person, qtbot)
    monkeypatch.setattr(view_state, "SLICE", 0.0)
    computation, heatmap = person.program.computation, person.find("heatmap.weights")
    before, met = computation.evaluation, []

    def look():
        if computation.evaluation is not before and heatmap.plane.evaluation is before:
            heatmap.cells.render()
            met.append(bool((heatmap.cells.display.flags != UNKNOWN).all()))

    clock = QTimer(interval=0)
    clock.timeout.connect(look)
    clock.start()
    person.size("d_v", WIDTH + 1)
    qtbot.waitUntil(lambda: computation.evaluation is not before and not computation.busy)
    clock.stop()
    assert met, "told in the turn in which it came"
    assert all(met)
    assert heatmap.plane.evaluation is computation.evaluation
    assert heatmap.cells.values == pytest.approx(exact(person, "weights", 0), rel=1e-4, abs=1e-7)
    assert not before.tiles.busy


def own_rows(person, heatmap):
    """Rows of which the map has numbers of its own, and not those of a smaller picture meanwhile."""
    sheets = person.program.computation.tiles._of(place_of(heatmap.plane))
    return next(sheet.known for sheet in sheets if sheet.shape == heatmap.cells.values.shape)


def test_esc_stops_and_f9_goes_on(person, qtbot):
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
    assert values[own] == pytest.approx(exact(person, "weights", 0)[own], rel=1e-4, abs=1e-7)
    QTest.keyClick(heatmap, Qt.Key.Key_F9)
    settled(person, qtbot)
    assert known(person).all()
    assert not person.program.first.progress._words.isVisible()


def test_esc_in_a_table_is_the_tables_own(person, qtbot):
    """The first one leaves the table, only the next one stops."""
    person.program.computation.tiles.stop()
    settled(person, qtbot)
    person.program.computation.tiles.resume()
    person.go_to("query", 2, 1)
    QTest.keyClick(person.table("query"), Qt.Key.Key_Escape)
    assert not person.program.computation.tiles.stopped


def test_a_map_of_which_nothing_is_known_names_no_levels(person):
    heatmap, bar = person.find("heatmap.weights"), person.program.window.product.maps.bar("weights")
    assert not heatmap.taken.known
    before = bar.grab().toImage()
    person.program.computation.tiles.finish()
    assert before == bar.grab().toImage()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_no_evaluation_can_hold_shows_tables_and_one_sentence(launch, qtbot, monkeypatch, language):
    """65,536 tokens with a score that is no dot product: never a freeze, and undo brings everything back."""
    monkeypatch.setattr(streaming_kernels, "HEAVIEST", 1 << 32)  # as if there were 8 heads of 64
    person = launch()
    person.do(f"language_{language}")
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
    assert "65536" in notice.text()
    assert ("No maps" in notice.text()) == (language == "en")
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


def test_nothing_of_the_document_before_is_exported_in_the_place_of_what_nothing_can_hold(launch, qtbot):
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
        assert "66000" in person.banner(), action
    qtbot.waitUntil(lambda: panel.pages["dimensions"].content is None)
