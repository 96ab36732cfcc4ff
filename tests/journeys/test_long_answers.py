"""Questions about one cell of a problem whose maps are too large to be kept: gradients, and a target."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel, QTabBar

from attn_gui.app import inspector_tabs
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import DenseEvaluation, Problem, sensitivity, symbol
from attn_gui.engine.analysis.sensitivity import strongest
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.formats import save_session
from attn_gui.views.dialogs.target_dialog import TargetDialog
from attn_gui.views.text_views import Link

ROWS, COLUMNS, HEADS, WIDTH = 1201, 1009, 2, 3
ROW, COLUMN = 700, 31
OK = QDialogButtonBox.StandardButton.Ok


@pytest.fixture
def person(launch, tmp_path, qtbot, request):
    """Somebody before a problem of 2.4 million weights, of which one is chosen."""
    rng = np.random.default_rng(11)
    problem = Problem(
        query=rng.normal(size=(ROWS, HEADS * WIDTH)).round(2),
        key=rng.normal(size=(COLUMNS, HEADS * WIDTH)).round(2),
        value=rng.normal(size=(COLUMNS, HEADS)).round(2),
        num_heads=HEADS,
        mask=getattr(request, "param", ()),
    )
    save_session(problem, tmp_path / "long.attn", {"stage": "weights", "head": 1})

    def choose(person):
        qtbot.waitUntil(lambda: isinstance(person.program.computation.evaluation, StreamingEvaluation))
        person.program.view.set(cell=ChosenCell("weights", ROW, COLUMN))

    return launch(tmp_path / "long.attn").beginning(choose)


def turn_to(person, title):
    bar = person.find("inspector").findChild(QTabBar)
    place = next(k for k in range(bar.count()) if bar.tabText(k) == title)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(place).center())


def listed(person):
    """{number: gradient} as the page shows it."""
    page = person.find("inspector.sensitivity")
    numbers = [label.text() for label in page.findChildren(QLabel) if label.isVisible()][2:]
    return {link.text(): float(text.replace("−", "-")) for link, text in zip(page.links(), numbers, strict=False)}


def expected(person):
    """The same from an evaluation that keeps every map, as three digits tell it."""
    gradients = sensitivity(DenseEvaluation(person.program.document.snapshot()), "weights", (0, 1, ROW, COLUMN))
    return {name_of(field, at): pytest.approx(value, rel=5e-3) for field, at, value in strongest(gradients, 12)}


def name_of(field, at):
    letter = {"query": "Q", "key": "K", "value": "V"}.get(field, symbol(field))
    return f"{letter}[{at[-2]}, {at[-1]}]" if at else letter


def test_the_gradients_of_a_long_problem_are_those_of_its_whole_maps(person, qtbot, monkeypatch):
    turn_to(person, "Gradients")
    wanted = expected(person)
    assert len(wanted) == 12
    qtbot.waitUntil(lambda: listed(person) == wanted)
    person.type_into("query", ROW, WIDTH, "2.5")
    wanted = expected(person)
    qtbot.waitUntil(lambda: listed(person) == wanted)

    # a weight of a long problem is set by its key row
    while person.action("undo").isEnabled():
        person.do("undo")
    turn_to(person, "Explain")
    before = person.numbers("key")[COLUMN]

    def answer(dialog):
        radio = dialog.radios["key"]
        QTest.mouseClick(radio, Qt.MouseButton.LeftButton, pos=QPoint(8, radio.height() // 2))
        QTest.keyClicks(dialog.field, "0.25")
        qtbot.waitUntil(lambda: dialog.reached.text() == "It reaches 0.25.")
        QTest.mouseClick(dialog.buttons.button(OK), Qt.MouseButton.LeftButton)

    person.answering(TargetDialog, answer, lambda: person.do("set_target"))
    person.wait()
    assert np.isclose(person.value("weights", ROW, COLUMN), 0.25, atol=1e-9)
    after = person.numbers("key")[COLUMN]
    assert after[:WIDTH] == before[:WIDTH]  # of the other head
    assert after[WIDTH:] != before[WIDTH:]
    assert person.steps()[1:] == [f"A[{ROW}, {COLUMN}]: 4.687e−5 → 0.25 by K[{COLUMN}, {WIDTH} … {2 * WIDTH - 1}]"]
    person.press("Ctrl+Z")
    assert person.numbers("key")[COLUMN] == before

    person.again("an answer for numbers that have changed is not shown")
    gate, threads = threading.Event(), []

    def slow(*question):
        threads.append(threading.current_thread())
        found = sensitivity(*question)
        gate.wait(120)
        return found

    monkeypatch.setattr(inspector_tabs, "sensitivity", slow)
    shown = []
    page = person.find("inspector.sensitivity")
    monkeypatch.setattr(page, "set_gradients", lambda name, gradients: shown.append((name, gradients)))
    turn_to(person, "Gradients")
    qtbot.waitUntil(lambda: len(threads) == 1)
    qtbot.waitUntil(lambda: any(label.text() == "Taking the gradients …" for label in page.findChildren(QLabel)))
    person.program.view.set(cell=ChosenCell("weights", ROW, COLUMN + 1))
    QApplication.processEvents()
    gate.set()
    qtbot.waitUntil(lambda: bool(shown))
    person.program.late.sensitivity.finish()
    QApplication.processEvents()
    assert [name for name, _ in shown] == [f"A[{ROW}, {COLUMN + 1}]"]
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("person", [({"kind": "causal"},)], indirect=True)
def test_behind_a_mask_a_long_problem_names_only_the_rows_that_are_reached(person, qtbot):
    person.program.view.set(stage="key", cell=ChosenCell("key", COLUMN, 1))
    rows = f"{COLUMN} … {ROWS - 1}"

    def reached():
        return [link.text() for link in person.window.inspector.findChildren(Link) if link.isVisible()]

    qtbot.waitUntil(lambda: f"O[{rows}, 0]" in reached())
    assert reached() == [
        f"S[·, {COLUMN}]",
        f"S′[·, {COLUMN}]",
        f"Sᵐ[{rows}, {COLUMN}]",
        f"A[{rows}, ·]",
        f"O[{rows}, 0]",
        f"concat[{rows}, 1]",
    ]


def test_what_is_no_longer_asked_for_is_not_called_under_way(person, qtbot, monkeypatch, request):
    gate = threading.Event()
    request.addfinalizer(gate.set)
    monkeypatch.setattr(inspector_tabs, "_strongest", lambda *question: (gate.wait(120), strongest({}, 0))[1])
    page, controller = person.find("inspector.sensitivity"), person.program.late.sensitivity
    for left in ("page", "cell"):
        turn_to(person, "Gradients")
        qtbot.waitUntil(lambda: controller._patience.isActive())
        if left == "cell":
            person.program.view.set(cell=None)
            qtbot.waitUntil(lambda: any(label.text().startswith("Choose") for label in page.findChildren(QLabel)))
        else:
            turn_to(person, "Explain")
        assert not controller._patience.isActive(), left
