"""Maps of a long problem: what is not computed yet shows no color, what is known is exact, what is late is dropped."""

from dataclasses import replace
from threading import Event
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QColor
from shiboken6 import isValid

from attn_gui.engine import Plane, Problem
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.engine.graph import indices
from attn_gui.figure.colors import UNKNOWN
from attn_gui.pictures import tile, tile_cache
from attn_gui.pictures.tile import Tile
from attn_gui.pictures.tile_cache import TileCache
from attn_gui.views.map.heatmap import Heatmap
from attn_gui.views.theme import current_theme
from tests.failing import each

N, M, HEADS, WIDTH = 211, 173, 3, 7


class Document:
    """Working arrays that are edited in place, as the document's are."""

    def __init__(self, **more: Any) -> None:
        random = np.random.default_rng(5)
        sizes = {"query": N, "key": M, "value": M}
        self.arrays = {name: random.normal(size=(rows, HEADS * WIDTH)) for name, rows in sizes.items()}
        self.problem = Problem.over(self.arrays | {"num_heads": HEADS} | more)
        self.evaluation = StreamingEvaluation(self.problem)
        self.tile_cache = TileCache(self.evaluation)

    def edit(self, field: str, row: int, column: int, value: float) -> None:
        self.edit_box(field, indices.cell((row, column)), value)

    def edit_box(self, field: str, box: Any, value: Any) -> None:
        self.arrays[field][box] = value
        self.tile_cache.follow(self.evaluation.update(self.problem, {field: [box]}).boxes)

    def exact(self, stage: str, head: int, rows: int, columns: int) -> np.ndarray:
        """The picture that NumPy gives."""
        plane = Plane(StreamingEvaluation(Problem(**self.problem.fields())), stage, 0, head, stage == "key")
        values, allowed = plane.block(*(slice(0, length) for length in plane.shape))
        return pool(values, allowed, rows, columns)[0]


@pytest.fixture
def document(monkeypatch):
    """Documents whose pictures come in many small parts."""
    monkeypatch.setattr(tile, "BAND", 5 * M)
    made: list[Document] = []

    def make(**more: Any) -> Document:
        made.append(Document(**more))
        return made[-1]

    yield make
    for one in made:
        if not isValid(one.tile_cache):  # a test has ended it
            continue
        one.tile_cache.end()
        one.tile_cache.finish()


@pytest.fixture
def shown(qtbot):
    def make(document, stage, head=0, side=53, kind=Heatmap, **options):
        heatmap = kind(**options)
        qtbot.addWidget(heatmap)
        heatmap.resize(side + 2 * heatmap.margin, side + 2 * heatmap.margin)
        heatmap.set_shown(replace(heatmap.shown, plane=Plane(document.evaluation, stage, 0, head, stage == "key")))
        heatmap.show()
        heatmap.grab()
        return heatmap

    return make


def flags(heatmap: Heatmap) -> np.ndarray:
    return np.array(heatmap.cells.display.flags)


def values(heatmap: Heatmap) -> np.ndarray:
    return np.array(heatmap.cells.values)


def pixel(heatmap: Heatmap, x: int, y: int) -> QColor:
    return heatmap.grab().toImage().pixelColor(QPoint(heatmap.margin + x, heatmap.margin + y))


def wait(qtbot: Any, document: Document) -> None:
    qtbot.waitUntil(lambda: not document.tile_cache.busy)


@each("stage", ["weights", "head_output", "key"])
def test_nothing_is_computed_when_a_map_is_painted_and_in_the_end_all_is_exact(qtbot, document, shown, stage):
    made = document()
    made.arrays["value"][:] = 0.0  # which is known, too
    heatmap = shown(made, stage)
    assert (flags(heatmap) == UNKNOWN).all()
    assert not made.evaluation.known(0, 0).any()
    assert pixel(heatmap, 1, 1) == current_theme().sunken
    wait(qtbot, made)
    heatmap.grab()
    assert not (flags(heatmap) == UNKNOWN).any()
    assert values(heatmap) == pytest.approx(made.exact(stage, 0, *values(heatmap).shape), abs=1e-12)
    assert pixel(heatmap, 1, 1) != current_theme().sunken


def test_on_the_way_every_number_is_exact_and_everything_else_has_no_color(qtbot, document, shown):
    made = document()
    heatmap = shown(made, "weights")
    seen: list[float] = []

    def check() -> None:
        known = flags(heatmap) != UNKNOWN
        assert values(heatmap)[known] == pytest.approx(exact[known], abs=1e-12)
        seen.append(known.mean())

    exact = made.exact("weights", 0, 53, 53)
    heatmap.numbersArrived.connect(lambda: (heatmap.grab(), check()))
    wait(qtbot, made)
    assert len(seen) > 8
    assert seen == sorted(seen)
    assert seen[0] < 0.2
    assert seen[-1] == 1.0


def test_what_was_given_up_stays_undrawn_until_it_is_taken_up(qtbot, document, shown):
    made, told = document(), []
    heatmap = shown(made, "weights")
    made.tile_cache.progressed.connect(told.append)
    heatmap.numbersArrived.connect(made.tile_cache.stop)
    heatmap.numbersArrived.connect(lambda *_: told.append("stopped"))
    wait(qtbot, made)
    assert told[told.index("stopped") - 1] == 1.0  # nothing is left to wait for
    heatmap.grab()
    known = flags(heatmap) != UNKNOWN
    assert made.tile_cache.stopped
    assert 0 < known.mean() < 0.5
    assert values(heatmap)[known] == pytest.approx(made.exact("weights", 0, 53, 53)[known], abs=1e-12)
    heatmap.numbersArrived.disconnect(made.tile_cache.stop)
    made.tile_cache.resume()
    wait(qtbot, made)
    heatmap.grab()
    assert not made.tile_cache.stopped
    assert not (flags(heatmap) == UNKNOWN).any()


@each(("field", "row"), [("query", 2), ("key", 101), ("value", 60), ("settled", 2)])
def test_an_answer_to_numbers_of_before_an_edit_is_dropped(qtbot, document, shown, monkeypatch, field, row):
    """The part is drawn from old numbers, then comes the edit, then the answer."""
    made = document()
    late, further, drawn = [], Event(), Tile.drawn

    def slow(sheet: Tile, down: slice, right: slice | None = None) -> Any:
        found = drawn(sheet, down, right)
        if sheet.row_edges[down.start] <= row and right is None and not late:
            late.append(down)
            further.wait()
            return found[0] + 1.0, found[1]
        return found

    monkeypatch.setattr(Tile, "drawn", slow)
    heatmap = shown(made, "head_output" if field == "value" else "weights")
    qtbot.waitUntil(lambda: bool(late))
    if field == "settled":
        made.tile_cache.draw_anew({(0, 0)})
    else:
        made.edit(field, row, 3, 9.0)
    further.set()
    wait(qtbot, made)
    heatmap.grab()
    stage = heatmap.plane.stage
    assert values(heatmap) == pytest.approx(made.exact(stage, 0, *values(heatmap).shape), abs=1e-9)


def test_one_that_has_ended_goes_once_nothing_of_it_is_drawn(qtbot, document, shown, monkeypatch):
    """Its pool must not be taken away from under a drawing: Qt waits for that, and it waits for Python's lock."""
    made, begun, further, drawn = document(), Event(), Event(), Tile.drawn

    def slow(*of: Any) -> Any:
        begun.set()
        further.wait()
        return drawn(*of)

    monkeypatch.setattr(Tile, "drawn", slow)
    heatmap = shown(made, "weights")
    qtbot.waitUntil(begun.is_set)
    made.tile_cache.end()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert isValid(made.tile_cache)
    further.set()
    qtbot.waitUntil(lambda: not isValid(made.tile_cache))
    other = document()
    heatmap.set_shown(replace(heatmap.shown, plane=Plane(other.evaluation, "weights", 0, 0)))
    heatmap.grab()
    wait(qtbot, other)
    heatmap.grab()
    assert values(heatmap) == pytest.approx(other.exact("weights", 0, 53, 53), abs=1e-12)


@each("field", ["query", "key", "value"], one_of=3)
def test_a_small_edit_is_there_at_once_also_in_a_map_that_was_hidden(qtbot, document, shown, field):
    made = document()
    maps = [shown(made, stage) for stage in ("scores", "weights", "head_output")]
    wait(qtbot, made)
    maps[1].hide()
    maps[1].show()
    maps[1].grab()
    made.edit(field, 17, 4, -6.5)
    for heatmap in maps:
        heatmap.refresh(*(slice(0, length) for length in heatmap.shape))
        heatmap.grab()
        exact = made.exact(heatmap.plane.stage, 0, *values(heatmap).shape)
        assert values(heatmap) == pytest.approx(exact, abs=1e-9)
    assert not made.tile_cache.busy


def test_a_large_edit_leaves_the_old_picture_until_the_new_one_is_there(qtbot, document, shown, monkeypatch):
    monkeypatch.setattr(tile_cache, "AT_ONCE", 1000)
    made = document()
    heatmap = shown(made, "weights")
    wait(qtbot, made)
    heatmap.grab()
    before = values(heatmap)
    everything = np.random.default_rng(1).normal(size=(N, HEADS * WIDTH))
    made.edit_box("query", (slice(0, N), slice(0, HEADS * WIDTH)), everything)
    assert not made.evaluation.known(0, 0).any()  # nothing was computed for the edit itself
    heatmap.grab()
    assert np.array_equal(values(heatmap), before)
    assert made.tile_cache.busy
    wait(qtbot, made)
    heatmap.grab()
    assert values(heatmap) == pytest.approx(made.exact("weights", 0, 53, 53), abs=1e-12)


def test_a_zoomed_map_is_exact_in_the_end(qtbot, document, shown):
    made = document(mask=({"kind": "causal"},))
    heatmap = shown(made, "weights")
    wait(qtbot, made)
    heatmap.box.set_window((20.0, 140.0, 11.0, 131.0))
    heatmap.grab()
    wait(qtbot, made)
    heatmap.grab()
    cells, span = heatmap.cells, heatmap.placement.rows
    for down, right in ((0, 0), (30, 12), (52, 52)):
        rows, columns = cells.rows.cells_of(slice(down, down + 1)), cells.columns.cells_of(slice(right, right + 1))
        block, allowed = heatmap.plane.block(rows, columns)
        expected, opened = pool(block, allowed, 1, 1)
        assert bool(cells.display.flags[down, right]) != bool(opened[0, 0])
        if opened[0, 0]:
            assert values(heatmap)[down, right] == pytest.approx(expected[0, 0], abs=1e-12)
    assert span.pooled
