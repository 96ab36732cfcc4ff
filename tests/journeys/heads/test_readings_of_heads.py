"""Readings below every head: chosen, true after every edit, of long problems too, and remembered."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.analysis.head_readings import READINGS, rows_of
from attn_gui.formats import save
from attn_gui.views.head_strip import HeadThumb
from attn_gui.views.widgets import ElidedLabel
from tests.seen import fault

SMALL = "worked-example.npz"


def shown(person):
    """The numbers below the heads, by what is said of each to a screen reader."""
    thumbs = sorted(person.find("heads.weights").findChildren(HeadThumb), key=lambda thumb: thumb.head)
    said = [thumb.accessibleName() for thumb in thumbs if not thumb.isHidden()]  # the strip of one head is
    return [re.fullmatch(r"Head \d+, [a-z() ]+ (\S*?)(, chosen)?", text)[1] for text in said]


def expected(person, key):
    evaluation = DenseEvaluation(person.program.document.problem)
    item, problem = person.program.view.look.batch, evaluation.problem
    reading = READINGS[key]
    rows = [partial(rows_of, evaluation, item, head) for head in range(problem.num_heads)]
    return [reading.written(reading.measure(problem, each)) for each in rows]


def test_a_reading_is_chosen_and_stays_true(launch, qtbot):
    person = launch()
    for key in READINGS:
        person.do(f"reading_{key}")
        qtbot.waitUntil(lambda key=key: shown(person) == expected(person, key))
        before = shown(person)
        person.type_into("query", 5, person.program.document.problem.d_k * 3 + 1, "9")
        qtbot.waitUntil(lambda key=key: shown(person) == expected(person, key))
        moved = [head for head, (old, new) in enumerate(zip(before, shown(person), strict=True)) if old != new]
        assert moved in ([3], [])  # the largest of all may stand in another row
        person.press("Ctrl+Z")
        qtbot.waitUntil(lambda before=before: shown(person) == before)


@pytest.mark.parametrize("moment", ["_go_on", "_begin"])
def test_heads_of_the_document_before_are_not_measured_in_the_next_one(launch, moment):
    person = launch()
    person.do("reading_rank")
    person.wait()
    readings, computation = person.program.first.readings, person.program.computation
    readings._waiting = list(range(12))  # as long as they are being measured
    met = []

    def on_rebuilt():
        met.append(computation.notified)
        getattr(readings, moment)()

    computation.rebuilt.connect(on_rebuilt)
    rng = np.random.default_rng(5)
    fields = {name: rng.normal(size=(331, 7)) for name in ("query", "key", "value")}
    person.program.document.open(Problem(**fields))
    person.wait()
    while readings._soon.isActive() or readings._job.busy:
        QTest.qWait(1)
    assert met == [False]
    assert shown(person) == expected(person, "rank")


def test_a_reading_says_and_marks_what_is_counted(launch):
    person = launch()
    person.do("reading_induction")
    assert "share on what followed the same token" in {
        label.text() for label in person.find("heads.weights").findChildren(type(person.find("heads.weights")._about))
    }
    assert person.find("control.reading", QComboBox).currentData() == "induction"

    person.again("the cells that count are marked on demand")
    person.do("reading_previous_token")
    assert counted(person) == set()
    person.click(person.button("Mark", "heads.weights"))
    assert counted(person) == {(i, i - 1) for i in range(1, 16)}
    clear, veiled = person.pixel("weights", 5, 4), person.pixel("weights", 5, 6)
    assert clear[0] == clear[1]
    assert veiled[0] != veiled[1]
    person.do("reading_sink")
    assert counted(person) == {(i, 0) for i in range(16)}
    person.do("reading_largest")
    weights = np.array(person.values("weights"))
    assert counted(person) == {tuple(map(int, np.unravel_index(weights.argmax(), weights.shape)))}
    person.press("Ctrl+]")
    weights = np.array(person.values("weights"))
    assert counted(person) == {tuple(map(int, np.unravel_index(weights.argmax(), weights.shape)))}
    person.do("reading_entropy")
    assert counted(person) == set()
    assert not person.action("show_counted").isEnabled()
    person.do("reading_sink")
    person.do("show_counted")
    assert counted(person) == set()

    person.again("what a cell reaches comes before what is counted")
    person.do("reading_sink")
    person.do("show_counted")
    person.click_cell("weights", 3, 4)
    person.do("show_reach")
    person.program.late.reach.show()
    assert counted(person) == {(3, 4)}
    person.do("show_reach")
    person.program.late.reach.show()
    assert counted(person) == {(i, 0) for i in range(16)}

    # readings of tokens are offered where there are tokens
    person.program.files.begin_with_example("worked")
    person.wait()
    box = person.find("control.reading", QComboBox)
    keys = [box.itemData(k) for k in range(box.count())]
    assert keys == ["entropy", "rank", "largest", "sink"]
    assert not person.action("reading_induction").isEnabled()


def test_one_that_a_problem_does_not_have_gives_way_and_comes_back(launch, tmp_path):
    person = launch()
    person.do("reading_duplicate_token")
    tokens = person.program.document.problem.query_tokens
    rng = np.random.default_rng(1)
    path = tmp_path / "bare.attn"
    save(Problem(query=rng.normal(size=(4, 3)), key=rng.normal(size=(5, 3)), value=rng.normal(size=(5, 2))), path)
    person.program.files.open_path(path)
    person.look()
    assert person.find("control.reading", QComboBox).currentData() == "entropy"
    again = launch()
    assert again.program.document.problem.query_tokens == tokens
    assert again.find("control.reading", QComboBox).currentData() == "duplicate_token"


def test_long_heads_are_read_beside_the_window(launch, tmp_path, qtbot):
    rng = np.random.default_rng(4)
    arrays = {name: rng.normal(size=(1021, 3 * 4)).astype(np.float32) for name in ("query", "key", "value")}
    path = tmp_path / "long.attn"
    problem = Problem(**arrays, num_heads=3, mask=({"kind": "causal"},), dtype="float32")
    save(problem, path)
    person = launch(path)
    person.wait()
    person.pick("reading", "sink")
    qtbot.waitUntil(lambda: "" not in shown(person), timeout=60_000)
    assert shown(person) == expected(person, "sink")
    person.pick("reading", "rank")
    qtbot.waitUntil(lambda: "" not in shown(person), timeout=60_000)
    weights = DenseEvaluation(problem).block("weights", 0, 1, slice(0, 1021), slice(0, 1021)).astype(float)
    rank = np.linalg.norm(weights) ** 2 / np.linalg.norm(weights, 2) ** 2
    assert float(shown(person)[1]) == pytest.approx(rank, rel=5e-3)  # three digits are written


def counted(person):
    """The cells of the large map before the veil."""
    areas = person.find("heatmap.weights").overlay.marks.clear
    cells = ((down, right) for down, right in areas or ())
    return {(i, j) for down, right in cells for i in range(*down.indices(99)) for j in range(*right.indices(99))}


def test_a_head_that_waits_for_its_number_goes_with_its_document(launch, qtbot):
    person = launch()
    for key in (key for key in READINGS if key != "entropy"):
        person.do(f"reading_{key}")
        person.type_into("query", 5, person.program.document.problem.d_k * 3 + 1, "9")
        person.program.files.begin_with_example("worked")
        person.look()
        qtbot.waitUntil(lambda: person.program.document.problem.num_heads == 1)
        if READINGS[key].fits(person.program.document.problem):
            qtbot.waitUntil(lambda key=key: shown(person) == expected(person, key))
        person.wait()
        person.program.files.begin_with_example("minilm")
        person.wait()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_number_below_the_heads_counts_is_whole(launch, lang):
    person = launch("minilm-layer2.npz", lang=lang, width=1366, height=820)
    strip = person.find("heads.weights")
    for key, _ in person.find("control.reading").choices():
        person.program.view.set(reading=key)
        person.wait()
        about = next(label for label in strip.findChildren(ElidedLabel) if label.isVisible())
        assert about.fontMetrics().horizontalAdvance(about.text()) <= about.width(), about.text()

    # on a low screen the strip is one row and the number of a head is named where it is pointed at
    person.program.view.set(reading="entropy")
    person.window.resize(1366, 700)
    person.until(lambda: not person.busy())
    QTest.qWait(1)
    thumb = person.find("head.3", HeadThumb)
    assert not fault(thumb)
    assert thumb.y() + thumb.parentWidget().y() < thumb.height()
    title = person.find("control.reading").currentText()
    assert f"{title} {thumb.reading}" in thumb.toolTip()
