"""The view: resolved and told once, the place of a cell in it, and what of it a session file carries."""

import itertools
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions

from attn_gui.app.explain import place_of
from attn_gui.app.program import Program
from attn_gui.app.state import computation, view_state
from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.app.state.view_state import ChosenCell, ViewSettings, ViewState, exists, resolve
from attn_gui.document.document import Document
from attn_gui.engine import DenseEvaluation, Problem
from attn_gui.engine.creation.create import new_fields
from attn_gui.figure.colors import ColorScale, Levels
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.formats import save_session
from tests.failing import each, examples

HUGE = 10**400
NUMBERS = st.sampled_from([0, 1, 3, 5, -1, 17, 18, HUGE, -HUGE, 0.5, float("nan"), float("inf"), True, False])

JSON = st.recursive(
    NUMBERS | st.none() | st.text(max_size=3) | st.sampled_from(["weights", "query", "product", "all"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["weights", "query", ""]), inner),
    max_leaves=6,
)

KEYS = ("stage", "head", "item", "mode", "values", "decimals", "levels", "cell", "rules", "colormaps", "other")

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


def test_a_look_is_what_the_evaluation_can_give():
    evaluation = DenseEvaluation(Problem.over(new_fields(n=3, m=4, num_heads=2, d_k=2, d_v=2)))
    asked = ViewSettings(stage="residual", head=5, batch=3, cell=ChosenCell("weights", 2, 4), mode="all", decimals=6)
    assert resolve(asked, evaluation) == ViewSettings(head=1, mode="all", decimals=6)
    kept = ViewSettings(stage="scores", head=1, cell=ChosenCell("weights", 2, 3))
    assert resolve(kept, evaluation) == kept


@pytest.fixture
def view(qapp):
    document = Document(Problem.over(new_fields(n=3, m=4, num_heads=2, d_k=2, d_v=2)))
    following = Computation(document, document)
    return ViewState(following, Baseline(document, following, document), ViewSettings(), document)


def until_notified(computation: Computation) -> None:
    """Until everybody has heard of the evaluation that there is."""
    while not computation.notified:
        QTest.qWait(1)


def opened(view: ViewState, **sizes: int) -> None:
    view.parent().open(Problem.over(new_fields(d_k=2, d_v=2, **sizes)))
    until_notified(view._computation)


def test_each_follower_hears_once_of_what_it_asked_for(view):
    heard: Counter[str] = Counter()
    view.follow(lambda: heard.update(["place"]), "head", "cell", "evaluation")
    view.follow(lambda: heard.update(["mode"]), "mode")
    view.set(head=1, cell=ChosenCell("weights", 0, 0))
    until_notified(view._computation)
    assert heard == {"place": 1}
    view.set(head=1)
    assert heard == {"place": 1}
    opened(view, n=2, m=2, num_heads=1)
    assert heard == {"place": 2}


def test_whoever_is_told_first_sees_a_look_that_fits_already(view):
    seen: list[tuple[int, int]] = []
    view.follow(lambda: seen.append((view.look.head, view.parent().problem.num_heads)), "head", "evaluation")
    view.set(head=1)
    until_notified(view._computation)
    opened(view, n=3, m=3, num_heads=1)
    assert seen == [(1, 2), (0, 1)]


@pytest.fixture
def behind(view, monkeypatch):
    """A view of a document that is computed beside the window, where nobody waits for what is told of it."""
    monkeypatch.setattr(computation, "QUICK_CELLS", 1)
    monkeypatch.setattr(view_state, "SLICE", 0.0)  # one after another
    opened = view.parent()
    return view, lambda n: opened.open(Problem.over(new_fields(n=n, m=n, num_heads=1, d_k=2, d_v=2)))


def test_everybody_is_told_in_turn_while_the_window_goes_on(behind, qtbot):
    view, begin = behind
    told: list[str] = []

    def in_turns() -> Iterator[None]:
        told.append("first")
        yield
        told.append("second")

    view.follow(in_turns, "evaluation")
    view.follow(lambda: told.append("last"), "evaluation")
    follower = view._computation
    follower.rebuilt.connect(lambda _opened: told.append("busy" if follower.busy else "told"))
    begin(3)
    qtbot.waitUntil(lambda: not follower.busy)
    assert told == ["busy", "first", "second", "last"]


def test_a_follower_under_way_begins_anew_where_another_look_comes(behind, qtbot):
    view, begin = behind
    seen: list[int] = []

    def in_turns() -> Iterator[None]:
        seen.append(view.look.decimals)
        QTimer.singleShot(0, lambda: view.set(decimals=5))  # while the window paints what the first turn has shown
        yield
        seen.append(-view.look.decimals)

    view.follow(in_turns, "evaluation", "decimals")
    begin(3)
    qtbot.waitUntil(lambda: not view._computation.busy)
    assert seen == [3, 5, -5]


@pytest.mark.parametrize("at_once", [False, True])
def test_where_one_follower_fails_the_others_are_told_all_the_same(behind, qtbot, at_once):
    view, begin = behind
    told: list[str] = []

    def fail() -> None:
        told.append("failed")
        raise LookupError("no such map")

    view.follow(fail, "evaluation")
    view.follow(lambda: told.append("last"), "evaluation")
    if at_once:
        view._computation.rebuilt.connect(lambda _opened: view.notify_all())
    with qtbot.capture_exceptions() as raised:
        begin(3)
        qtbot.waitUntil(lambda: not view._computation.busy)
    assert told == ["failed", "last"]
    assert [kind for kind, *_ in raised] == [LookupError]


def test_what_is_still_to_be_told_is_told_before_the_document_changes(behind, qtbot):
    view, begin = behind
    told: list[int] = []
    view.follow(lambda: told.append(view._computation.evaluation.problem.n), "evaluation")
    seen: list[list[int]] = []

    def change(_opened: bool) -> None:
        if not seen:
            seen.append([*told])
            begin(4)
            seen.append([*told])

    view._computation.rebuilt.connect(change)
    begin(3)
    qtbot.waitUntil(lambda: not view._computation.busy)
    assert seen == [[], [3]]
    assert told == [3, 4]


def test_nobody_can_follow_what_there_is_not(view):
    with pytest.raises(ValueError, match=r"no haed, only baseline, batch, blanks, block, blocked, cell"):
        view.follow(lambda: None, "haed")


# --- the place of a cell, and what a session carries ----------------------------------------------


@pytest.fixture(scope="module")
def evaluation():
    """Two items, six heads, two K/V heads, an output projection: no two axes of one length."""
    problem = Problem.over(new_fields("direct", n=3, m=5, num_heads=6, d_k=2, d_v=7, fill="random"))
    key, value = problem.key[..., :4], problem.value[..., :14]
    problem = problem.replace(num_kv_heads=2, key=key, value=value)
    fields = {name: getattr(problem, name)[None].repeat(2, axis=0) for name in ("query", "key", "value")}
    return DenseEvaluation(problem.replace(**fields))


def test_every_cell_is_shown_where_it_is_sought(evaluation):
    for stage in evaluation.stages:
        for index in itertools.product(*map(range, evaluation.shape(stage))):
            for head in (0, 4):
                batch, shown, row, column = place_of(evaluation, stage, index, head)
                assert stage_plane(evaluation, stage, batch, shown).index(row, column) == index, (stage, index)
                assert exists(evaluation, ChosenCell(stage, row, column))


def test_the_present_head_stays_where_it_shows_the_cell(evaluation):
    for head in range(6):
        shared = place_of(evaluation, "key", (1, 4, 2 * (head // 3)), head)
        assert shared == (1, head, 4, 0)  # three heads read each head of K
    assert place_of(evaluation, "key", (0, 0, 3), head=0) == (0, 3, 0, 1)
    assert place_of(evaluation, "query", (0, 2, 11), head=1) == (0, 5, 2, 1)


@each(
    "cell",
    [("weights", 3, 0), ("weights", 0, 5), ("nothing", 0, 0), ("masked", 0, 0), ("key", 0, 2), ("head_output", 0, 7)],
)
def test_cells_that_are_gone(evaluation, cell):
    assert not exists(evaluation, ChosenCell(*cell))


def take_up(program, record):
    """What a session holds of its view, as where it has just been opened."""
    program.files.view = record
    program.view.show_all()


@pytest.fixture
def program(qapp):
    opened = Program(qapp, lang="en")
    opened.files.open_example_unasked("worked")
    opened.view.notify_all()
    yield opened
    opened.end()


def test_rubbish_changes_nothing(program):
    heatmap = program.window.product.maps.map("weights")
    levels = heatmap.levels
    for record in ({key: value} for key, values in RUBBISH.items() for value in values):
        with capture_exceptions() as raised:
            take_up(program, record)
        assert not raised, f"{record}: {format_captured_exceptions(raised)}"
        assert program.view.look == ViewSettings(), record
        assert heatmap.levels == levels, record


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(record=st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_record_breaks_the_window(program, record):
    with capture_exceptions() as raised:
        take_up(program, record)
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
    program.files.open_example_unasked("thinking")
    program.view.notify_all()
    assert color_scales.chosen() == {}
    assert program.files.open_path(tmp_path / "kept.attn")
    assert program.first.session_view.record()["rules"] == {"weights": "full", "scores": "locked"}, "not those before"
    assert color_scales.chosen() == wanted
    assert program.window.product.maps.map("scores").shown.color_scale == wanted["scores"]
