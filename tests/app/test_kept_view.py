"""The view that a session file carries: files can say anything, and what does not fit is left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions

from attn_gui.app.program import Program
from attn_gui.app.state.view_state import ViewSettings
from attn_gui.figure.levels import ColorScale, Levels
from attn_gui.formats import save_session

HUGE = 10**400
NUMBERS = st.sampled_from([0, 1, 3, 5, -1, 17, 18, HUGE, -HUGE, 0.5, float("nan"), float("inf"), True, False])
JSON = st.recursive(
    NUMBERS | st.none() | st.text(max_size=3) | st.sampled_from(["weights", "query", "product", "all"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["weights", "query", ""]), inner),
    max_leaves=6,
)
KEYS = ("stage", "head", "item", "mode", "values", "decimals", "levels", "cell", "rules", "colormaps", "other")


@pytest.fixture
def program(qapp: QApplication) -> Iterator[Program]:
    opened = Program(qapp, lang="en")
    opened.files.begin_with_example("worked")
    opened.view.notify_all()
    yield opened
    opened.end()


RUBBISH = {
    "stage": ["nothing", ["weights"], {"weights": 1}],
    "head": [7, -1, "0", True, HUGE],
    "item": [1.0],
    "mode": ["everything", []],
    "values": ["no"],
    "decimals": [-1, HUGE, 3.5],
    "levels": [
        *([], {"none": [0, 1]}),
        *({"weights": pair} for pair in ([1, 0], [0, HUGE], [0, None], [float("nan"), 1], [False, True])),
    ],
    "rules": [{"weights": "locked"}, {"weights": 3}, ["weights"], {"none": "full"}],
    "colormaps": [{"weights": "rainbow"}, {"weights": ["viridis"]}, {"none": "grey"}],
    "cell": [
        *(["weights", 0], ["weights", 0, 2], ["weights", -1, 0], ["weights", 0.0, 0], ["weights", True, 0]),
        *([["weights"], 0, 0], {"weights": 0}, HUGE),
    ],
}


def test_rubbish_changes_nothing(program):
    heatmap = program.window.product.maps.map("weights")
    levels = heatmap.levels
    for record in ({key: value} for key, values in RUBBISH.items() for value in values):
        with capture_exceptions() as raised:
            program.first.session_view.apply(record)
        assert not raised, f"{record}: {format_captured_exceptions(raised)}"
        assert program.view.look == ViewSettings(), record
        assert heatmap.levels == levels, record


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_record_breaks_the_window(program, record):
    with capture_exceptions() as raised:
        program.first.session_view.apply(record)
    assert not raised, format_captured_exceptions(raised)
    look, problem = program.view.look, program.document.problem
    assert look.stage in program.computation.evaluation.stages
    assert 0 <= look.head < problem.num_heads
    assert look.mode in ("product", "all")
    assert not program.document.modified


def test_levels_and_colors_are_written_and_taken_up_by_name(program, tmp_path):
    color_scales = program.window.product.color_scales
    wanted = {
        "weights": ColorScale("full", None, "viridis"),
        "query": ColorScale("typed", Levels(-3.0, 4.0)),
        "scores": ColorScale("locked", Levels(-1.0, 2.0), "CET-D1"),
        "value": ColorScale(palette="magma"),
    }
    color_scales.replace_all(wanted)
    save_session(program.document.snapshot(), tmp_path / "kept.attn", program.first.session_view.record())
    program.files.begin_with_example("thinking")
    program.view.notify_all()
    assert color_scales.chosen() == {}
    assert program.files.open_path(tmp_path / "kept.attn")
    assert program.first.session_view.record()["rules"] == {"weights": "full", "scores": "locked"}, "not those before"
    assert color_scales.chosen() == wanted
    assert program.window.product.maps.map("scores").shown.color_scale == wanted["scores"]
