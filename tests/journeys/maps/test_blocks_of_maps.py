"""Cells of maps: blocks chosen by mouse and keys, typed, pasted, taken from elsewhere; menus on every zone."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from attn_gui.app.editing import targets
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import Problem, compute, verify
from attn_gui.views.dialogs.small_dialogs import AskDialog, TakeDialog
from attn_gui.views.theme import current_theme
from tests.failing import share

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier
ROWS, COLUMNS = slice(1, 4), slice(2, 6)
SMALL = "worked-example.npz"


def problem_of(**more):
    rng = np.random.default_rng(8)
    shapes = {"query": (5, 12), "key": (7, 12), "value": (7, 8)}
    return Problem(**{name: rng.normal(size=shape) for name, shape in shapes.items()}, num_heads=4, **more)


@pytest.fixture
def person(launch):
    person = launch(SMALL)
    person.program.document.open(problem_of(), name="four")
    person.wait()
    person.program.view.set(head=2)
    return person


def anew(person, about):
    """The problem as it was first, with no cell chosen."""
    print(about)
    assert person.program.document.problem == problem_of()
    person.program.view.set(cell=None)


def choose(person, stage, rows=ROWS, columns=COLUMNS):
    """One corner with a click, the other with Shift and a click."""
    person.choose_cell(stage, rows.start, columns.start)
    heatmap = person.find(f"heatmap.{stage}")
    QTest.mouseClick(heatmap, LEFT, SHIFT, heatmap.cell_rect(rows.stop - 1, columns.stop - 1).center())
    assert heatmap.overlay.marks.block == (rows, columns)
    return heatmap


def set_to(values, stage="scores", rows=(1, 4), columns=(2, 6), last="key"):
    at = {"batch": 0, "head": 2, "query": rows, last: columns}
    return problem_of(interventions=[{"kind": "set", "stage": stage, "at": at, "values": values}])


def shown(person, stage):
    return np.array(person.values(stage))


def test_a_block_is_chosen_by_clicks_by_a_drag_by_keys_and_by_menu_and_set_as_one(person, monkeypatch):
    heatmap = choose(person, "scores")
    assert heatmap.chosen == (1, 2)
    assert "3 × 4 cells" in heatmap.accessibleDescription()
    person.click_cell("scores", 1, 2)
    assert heatmap.overlay.marks.block is None
    QTest.mousePress(heatmap, LEFT, SHIFT, heatmap.cell_rect(2, 2).center())
    QTest.mouseMove(heatmap, heatmap.cell_rect(0, 5).center())
    assert heatmap.overlay.marks.block == (slice(0, 2), slice(2, 6))
    QTest.mouseRelease(heatmap, LEFT, SHIFT, heatmap.cell_rect(0, 5).center())
    assert heatmap.chosen == (1, 2)
    person.press("Right")
    assert (heatmap.chosen, heatmap.overlay.marks.block) == ((1, 3), None)
    person.press("Ctrl+Shift+Down", "Ctrl+Shift+Left", "Ctrl+Shift+Left")
    assert heatmap.overlay.marks.block == (slice(1, 3), slice(1, 4))
    person.press("Ctrl+Shift+Up", "Ctrl+Shift+Up", "Ctrl+Shift+End")
    assert heatmap.overlay.marks.block == (slice(0, 2), slice(3, 7))
    person.do("choose_row")
    assert heatmap.overlay.marks.block == (slice(1, 2), slice(0, 7))
    person.do("choose_column")
    assert heatmap.overlay.marks.block == (slice(0, 5), slice(3, 4))
    assert heatmap.chosen == (1, 3)
    person.press("Escape")
    assert (heatmap.chosen, heatmap.overlay.marks.block) == (None, None)

    anew(person, "a block is outlined and nothing else is drawn anew")
    heatmap = choose(person, "scores")
    edge, inner = heatmap.cell_rect(3, 3), heatmap.cell_rect(2, 3).center()
    image = heatmap.grab().toImage()
    assert image.pixelColor(edge.center().x(), edge.bottom()).name() == current_theme().accent.name()
    plain = image.pixelColor(inner).name()
    person.press("Escape")
    assert heatmap.grab().toImage().pixelColor(inner).name() == plain

    anew(person, "a block of numbers is pasted where the cell is")
    values = np.arange(6.0).reshape(2, 3)
    person.clipboard("\n".join("\t".join(map(str, row)) for row in values))
    person.choose_cell("scores", 1, 2)
    person.do("paste")
    expected = compute(set_to(values, rows=(1, 3), columns=(2, 5)))
    np.testing.assert_allclose(shown(person, "weights"), expected["weights"][0, 2], rtol=1e-12)
    heatmap = person.find("heatmap.scores")
    assert heatmap.overlay.marks.block == (slice(1, 3), slice(2, 5))
    person.do("copy")
    assert [line.split("\t") for line in person.clipboard().splitlines()] == [list("012"), list("345")]
    assert person.steps()[-1].startswith("pasted 2 × 3 at S[1 … 2, 2 … 4]")
    person.do("undo")
    assert person.program.document.problem == problem_of()

    anew(person, "what does not fit or is no number is said and changes nothing")
    person.choose_cell("scores", 4, 5)
    for text, words in (("1\t2\t3\n4\t5\t6", "2 × 3 numbers do not fit"), ("a lion", "lipboard")):
        person.clipboard(text)
        person.do("paste")
        assert words in person.banner()
        assert person.program.document.problem == problem_of()

    anew(person, "a row is multiplied twice and stays one entry")
    person.choose_cell("weights", 3, 1)
    person.do("choose_row")
    before = shown(person, "weights")

    def answer(dialog):
        person.overwrite(dialog.line, "half")
        assert dialog.said()
        person.overwrite(dialog.line, "0.5")

    for times in (1, 2):
        person.answering(AskDialog, answer, lambda: person.do("multiply_cells"))
        np.testing.assert_allclose(shown(person, "weights")[3], before[3] * 0.5**times, rtol=1e-15)
    (record,) = person.program.document.problem.interventions
    assert (record.factor, dict(record.at)["query"]) == (0.25, 3)
    np.testing.assert_array_equal(np.delete(shown(person, "weights"), 3, 0), np.delete(before, 3, 0))
    person.do("undo", "undo")
    assert person.program.document.problem == problem_of()

    anew(person, "a part of what was set is left as computed")
    choose(person, "scores")
    person.press("F2", "Ctrl+A")
    person.type("7", end="Return")
    choose(person, "scores", slice(2, 3), slice(0, 7))
    plain = compute(problem_of())["scores"][0, 2]
    person.press("Del")
    found = shown(person, "scores")
    np.testing.assert_allclose(found[2], plain[2], rtol=1e-12)
    assert (found[[1, 3], 2:6] == 7).all()
    choose(person, "scores", slice(0, 5), slice(0, 7))
    person.do("free_cells")
    assert person.program.document.problem == problem_of()
    assert not person.action("free_cells").isEnabled()

    anew(person, "blocks of a given matrix are numbers of its table")
    choose(person, "query", slice(1, 3), slice(0, 2))
    query = np.array(problem_of().query)

    def answer(dialog):
        person.overwrite(dialog.line, "-2")

    person.answering(AskDialog, answer, lambda: person.do("multiply_cells"))
    query[1:3, 6:8] *= -2
    np.testing.assert_array_equal(person.program.document.problem.query, query)
    person.clipboard("1\t2")
    person.do("paste")
    query[1:3, 6:8] = [1, 2]
    np.testing.assert_array_equal(person.program.document.problem.query, query)
    assert person.program.document.problem.interventions == ()
    for _ in range(2):
        person.do("undo")
    assert person.program.document.problem == problem_of()

    anew(person, "what is too large for the precision is said and changes nothing")
    small = problem_of(dtype="float32")
    person.again("a small one", small)
    person.choose_cell("scores", 0, 0)
    person.clipboard("1e300\t2")
    person.do("paste")
    assert "too large for float32" in person.banner()
    assert person.program.document.problem == small

    person.again("one number is typed for all", problem_of())
    person.program.view.set(head=2)
    choose(person, "weights")
    person.press("F2", "Ctrl+A")
    person.type("0.25", end="Return")
    expected = compute(set_to(0.25, "weights"))
    for stage in ("weights", "head_output"):
        np.testing.assert_allclose(shown(person, stage), expected[stage][0, 2], rtol=1e-12)
    assert person.steps()[-1].endswith("[1 … 3, 2 … 5] set to 0.25 by hand")
    assert verify(person.program.document.problem).ok
    person.do("undo")
    assert person.program.document.problem == problem_of()

    for stage, axis, place in share((("weights", "head", 0), ("query", "row", 4)), 2):
        anew(person, f"cells of {stage} are taken from another {axis}")
        plain = compute(problem_of())[stage][0]
        if stage == "query":
            plain = plain.reshape(5, 4, 3).transpose(1, 0, 2)
        choose(person, stage, slice(1, 2), slice(0, plain.shape[-1]))
        expected = plain[0, 1] if axis == "head" else plain[2, 4]

        def answer(dialog, axis=axis, place=place):
            person.choose(dialog.axis, axis)
            dialog.place.setFocus()
            person.press("Ctrl+A")
            person.type(str(place))
            dialog.accept()

        person.answering(TakeDialog, answer, lambda: person.do("take_cells"))
        np.testing.assert_allclose(shown(person, stage)[1], expected, rtol=1e-12)
        assert (person.program.document.problem.interventions == ()) == (stage == "query"), "into a table as if typed"
        assert person.steps()[-1].endswith(f"taken from {axis} {place}")
        person.do("undo")
        assert person.program.document.problem == problem_of()

    person.again("every zone has a menu that acts on what it was opened on", "minilm-layer2.npz")
    person.click_cell("weights", 1, 0)
    for zone, offered in (
        ("node.weights", {"action.copy", "menu.copy_as", "action.masks", "action.export_image"}),
        ("head.0", {"action.copy", "action.next_head"}),
        ("history.steps", {"action.undo", "action.redo", "action.copy"}),
        ("inspector.terms", {"action.copy", "action.previous_place", "action.release_cell"}),
    ):
        for keyboard in (False, True):
            target = person.find(zone)
            if keyboard:
                target.setFocus()
            menu = _menu(target, keyboard=keyboard)
            assert offered <= _names(menu), zone
            assert target.hasFocus(), zone
            menu.close()

    person.again("a map offers to copy itself and to let its cell go", SMALL)
    heatmap = person.find("heatmap.weights")
    heatmap.setFocus()
    menu = _menu(heatmap, heatmap.cell_rect(1, 0).center())
    assert {"action.copy", "menu.copy_as", "action.release_cell", "action.show_reach"} <= _names(menu)
    assert heatmap.chosen == (1, 0)
    person.action("release_cell").trigger()
    menu.close()
    assert heatmap.chosen is None
    assert not person.action("release_cell").isEnabled()

    person.again("escape or a click beside the maps lets the chosen cell go", SMALL)
    person.click_cell("weights", 1, 0)
    person.press("Esc")
    assert person.find("heatmap.weights").chosen is None
    person.click_cell("weights", 1, 0)
    background = person.program.window.product
    QTest.mouseClick(background, Qt.MouseButton.LeftButton, pos=QPoint(2, background.height() - 3))
    assert person.find("heatmap.weights").chosen is None

    rng = np.random.default_rng(3)
    long = Problem(**{name: rng.normal(size=(400, 3)) for name in ("query", "key", "value")})
    person.again("a block is not changed while its numbers are computed and the text stays", long)
    choose(person, "scores")
    person.type("-7")
    person.program.document.apply(SetFields({"scale": 2.0}, Label("scale")))
    assert person.program.computation.pending
    person.press("Return")
    assert person.program.document.problem.interventions == ()
    assert "still being computed" in person.banner()
    person.wait()
    person.press("Return")
    person.wait()
    assert [person.value("scores", row, column) for row in (1, 3) for column in (2, 5)] == [-7] * 4

    # nor is it asked for the target of a cell that may be gone: its dialog told of an error of the program
    opened = []
    monkeypatch.setattr(targets, "asked", opened.append)
    person.choose_cell("scores", 399, 0)
    person.program.document.apply(
        SetFields({name: np.ones((390, 3)) for name in ("query", "key", "value")}, Label("n"))
    )
    assert person.program.computation.pending
    person.do("set_target")
    assert not opened
    assert "still being computed" in person.banner()


def _menu(widget: QWidget, place: QPoint | None = None, *, keyboard: bool = False) -> QMenu:
    """The menu that a right click, or the Menu key, opens on a widget."""
    at = place or widget.rect().center()
    reason = QContextMenuEvent.Reason.Keyboard if keyboard else QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu), f"no menu on {widget.objectName()}"
    return menu


def _names(menu: QMenu) -> set[str]:
    return {
        action.objectName() or action.menu().objectName()
        for action in menu.actions()
        if action.objectName() or action.menu()
    }
