"""Numbers typed into tables: the keys, what is refused and why; text not entered yet, which commands hand on first."""

import math

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QCloseEvent, QFocusEvent
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QLineEdit, QMessageBox

from attn_gui.app.actions.action_table import ACTIONS
from attn_gui.formats import open_file, save
from attn_gui.paths import resource
from attn_gui.views.controls.mask_panel import LimitField
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.tables.delegate import CellEditor
from tests.failing import share

WRITTEN = {
    "1/3": 1 / 3,
    "-2/5": -0.4,
    "1e-3": 1e-3,
    ".5": 0.5,
    "1２": 12.0,
    "３．５": 3.5,
    "−4": -4.0,
    "-inf": -math.inf,
    "  7": 7.0,
    "nan": math.nan,
}

REFUSED = {
    "1,500": "use a point",
    "abc": "not a number",
    "1/0": "divides by zero",
    "1e999": "too large",
    "1.2.3": "not a number",
}

SMALL, MINILM = "worked-example.npz", "minilm-layer2.npz"


def editor(person):
    """The line that is being typed into."""
    focus = person.focus()
    assert isinstance(focus, QLineEdit), focus
    return focus


def refusal(person):
    """The sentence below the cell."""
    said = [
        label.text()
        for label in person.window.findChildren(QLabel)
        if label.property("bubble") == "error" and label.isVisible()
    ]
    return said[0] if said else ""


def test_numbers_as_people_write_them_are_kept_whole_and_keys_go_round_as_in_a_spreadsheet(person):
    for text, value in WRITTEN.items():
        person.type_into("query", 0, 2, text)
        found = person.number("query", 0, 2)
        assert found == value or (math.isnan(found) and math.isnan(value)), text
    assert len(person.steps()) == 1 + len(WRITTEN)
    person.type_into("query", 0, 0, "1/3")
    index = person.table("query").model().index(0, 0)
    assert index.data(Qt.ItemDataRole.DisplayRole) == "0.333"
    person.do("decimals_6")
    assert index.data(Qt.ItemDataRole.DisplayRole) == "0.333333"
    assert person.number("query", 0, 0) == 1 / 3
    assert len(person.steps()) == 2 + len(WRITTEN)

    person.again("bad text stays with the reason until esc restores or it is mended")
    before = person.numbers("query")
    for text, reason in REFUSED.items():
        person.type_into("query", 0, 1, text)
        assert editor(person).text() == text
        assert reason in refusal(person)
        assert "Esc" in refusal(person)
        person.press("Esc")
        assert person.numbers("query") == before
        assert not refusal(person)
        assert person.table("query").hasFocus()
    assert len(person.steps()) == 1
    person.type_into("query", 0, 1, "1.5x")
    line = editor(person)
    person.press("Backspace", "Backspace", "Backspace")
    assert not refusal(person)
    person.type(".5")
    assert line.text() == "1.5"
    person.press("Return")
    assert person.number("query", 0, 1) == 1.5
    assert len(person.steps()) == 2

    person.again("delete zeroes the selection as one step and what is cut is on the clipboard too")
    before = person.numbers("key")
    person.select("key", 0, 1, 2, 2)
    person.press("Del")
    assert person.numbers("key") == [[before[0][0], "0", "0"], [before[1][0], "0", "0"]]
    assert len(person.steps()) == 2
    person.press("Ctrl+Z")
    assert person.numbers("key") == before
    person.select("key", 0, 1, 2, 2)
    person.press("Ctrl+X")
    assert person.clipboard() == "\n".join("\t".join(row[1:]) for row in before)
    assert person.numbers("key") == [[row[0], "0", "0"] for row in before]
    assert person.steps()[1:] == ["cut K[0, 1] … [1, 2]"]
    person.go_to("key", 0, 1)
    person.press("Ctrl+V")
    assert person.numbers("key") == before

    person.again("fill down and right and all of a selection")
    person.type_into("query", 0, 0, "4")
    person.select("query", 0, 0, 2, 1)
    person.press("Ctrl+D")
    assert [row[0] for row in person.numbers("query")] == ["4", "4"]
    person.select("query", 1, 0, 1, 3)
    person.press("Ctrl+R")
    assert person.numbers("query")[1] == ["4", "4", "4"]
    person.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    person.press("Ctrl+Shift+Z")
    assert person.number("query", 0, 0) == 4
    before = person.numbers("value")
    person.clipboard("2.5")
    person.select("value", 0, 0, 2, 2)
    person.press("Ctrl+V")
    assert person.numbers("value") == [["2.5", "2.5"], ["2.5", "2.5"]]
    person.press("Ctrl+Z")  # one step
    assert person.numbers("value") == before

    person.again("nan and infinity are marked never hidden")
    person.type_into("query", 0, 0, "nan")
    person.show_stage("scores")
    assert math.isnan(person.value("scores", 0, 0))
    assert not math.isnan(person.value("scores", 1, 0))
    clean = person.colors("scores", 1, 0)
    assert person.colors("scores", 0, 0) != clean
    person.type_into("query", 0, 0, "inf")
    assert math.isinf(person.value("scores", 0, 0))
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.value("scores", 0, 0) == 1

    person.again("enter and tab go round as in a spreadsheet")
    person.size("n", 3)
    person.go_to("query", 0, 0)
    typed(person, ("1", "Tab"), ("2", "Tab"), ("3", "Return"), ("4", "Tab"), ("5", "Tab"), ("6", "Return"))
    assert person.cell("query") == (2, 0)
    assert person.numbers("query")[:2] == [["1", "2", "3"], ["4", "5", "6"]]

    person.again("tab goes on in the next row and round the table")
    person.go_to("query", 0, 2)
    typed(person, ("7", "Tab"))
    assert person.cell("query") == (1, 0)
    person.press("Shift+Tab")
    assert person.cell("query") == (0, 2)
    person.go_to("query", 1, 2)
    person.press("Tab")
    assert person.cell("query") == (0, 0)
    person.press("Shift+Tab")
    assert person.cell("query") == (1, 2)
    person.press("Return")  # no row below: it stays
    assert person.cell("query") == (1, 2)

    person.again("within a selection tab and enter go round")
    person.select("query", 0, 1, 2, 2)
    seen = []
    for key in ("Tab",) * 4:
        person.press(key)
        seen.append(person.cell("query"))
    start = seen[-1]
    assert sorted(seen) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert len(person.table("query").selectedIndexes()) == 4
    seen = []
    for _ in range(4):
        person.type("5", end="Return")
        seen.append(person.cell("query"))
    assert seen[-1] == start
    assert len(set(seen)) == 4
    assert [row[1:] for row in person.numbers("query")] == [["5", "5"], ["5", "5"]]
    assert len(person.table("query").selectedIndexes()) == 4

    person.again("ctrl tab and f6 lead out of a table")
    for typing in (False, True):
        for way in ("Ctrl+Tab", "Ctrl+Shift+Tab", "F6", "Shift+F6"):
            table = person.go_to("query", 0, 0)
            if typing:
                person.type("4")
            person.press(way)
            assert person.focus() is not table, way
            assert not table.isAncestorOf(person.focus()), way
        assert person.number("query", 0, 0) == (4 if typing else 1)

    person.again("arrows commit what was typed over a cell and stay in a text that is corrected")
    person.go_to("query", 0, 0)
    person.type("5", end="Right")
    assert (person.cell("query"), person.number("query", 0, 0)) == ((0, 1), 5)
    person.type("6", end="Left")
    assert (person.cell("query"), person.number("query", 0, 1)) == ((0, 0), 6)
    person.press("F2", "Right")
    assert person.cell("query") == (0, 0)
    person.press("End")
    person.type("1", end="Left")
    person.type("2", end="Return")
    assert person.number("query", 0, 0) == 521
    person.type("7")
    person.press("F2", "Left")  # from now on it is corrected
    person.type("3", end="Return")
    assert person.number("query", 1, 0) == 37

    person.again("ctrl enter fills the selection in one step")
    person.select("query", 0, 0, 2, 2)
    person.type("=1/4", end="Ctrl+Return")
    assert person.numbers("query") == [["0.25", "0.25", "1"], ["0.25", "0.25", "1"]]
    assert person.steps()[-1] == "filled Q[0, 0] … [1, 1] with 0.25"
    person.press("Ctrl+Z")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]

    person.again("an unchanged value is no edit, and a changed one is said", MINILM)
    person.go_to("query", 3, 97)
    person.press("F2", "Return")
    person.press("F2", "Tab")
    person.go_to("query", 3, 97)
    person.type(str(person.number("query", 3, 97)), end="Return")
    assert len(person.steps()) == 1
    assert not person.action("undo").isEnabled()
    assert not person.window.isWindowModified()
    person.type_into("query", 2, 97, "-2.5")
    assert "head 3, row 2: 16 scores, 16 weights, 32 outputs" in person.status()

    # a field that is left says what it did not take
    person.pick("scale", "typed")
    for field, text in (("n", "9x"), ("head", "77"), ("scale_value", "7,500")):
        box = person.find(f"control.{field}")
        before = box.text()
        person.overwrite(box, text, end="Tab")
        assert not box.hasFocus(), field
        assert box.text() == before
        said = [tip.text() for tip in person.window.findChildren(QLabel, "refusal") if tip.isVisible()]
        assert said == [f"“{text}” was not taken; {before} stays."]
        person.press("Tab")
        assert not any(tip.isVisible() for tip in person.window.findChildren(QLabel, "refusal")), field

    for field, stage, cell in share((("key", "weights", (10, 4)), ("value", "head_output", (10, 1))), 2):
        person.again(f"a number in {field} repaints what it reaches", MINILM)
        person.program.view.set(head=3)
        person.show_stage(stage)
        before, drawn_before = person.value(stage, *cell), person.pixel(stage, *cell)[0]
        person.type_into(field, 4, 97, "40")
        assert person.value(stage, *cell) != before
        painted, told = person.pixel(stage, *cell)
        assert painted == told
        assert painted != drawn_before
        (step,) = person.steps()[1:]
        assert step.startswith(f"{'K' if field == 'key' else 'V'}[4, 97]: ")
        assert step.endswith(" → 40")


@pytest.fixture
def saved(launch, tmp_path):
    save(open_file(resource("examples", SMALL)).problem, tmp_path / "kept.attn")
    return launch(tmp_path / "kept.attn")


def type_without_enter(person, text="77"):
    person.go_to("query", 0, 0)
    person.type(text)
    assert isinstance(person.focus(), CellEditor)


def begin_a_size(person, text):
    person.find("control.n").setFocus()
    person.press("Ctrl+A")
    person.type(text)


def test_what_is_typed_is_asked_about_refused_given_up_and_passed_by_no_command(saved, tmp_path, qtbot, monkeypatch):
    other = tmp_path / "other.attn"
    other.write_bytes((tmp_path / "kept.attn").read_bytes())
    type_without_enter(saved)
    saved.answering(QMessageBox, lambda _: saved.press("Esc"), lambda: saved.drop(other))
    assert saved.number("query", 0, 0) == 77
    saved.do("undo")
    type_without_enter(saved, "78")
    saved.answering(QMessageBox, lambda _: saved.press("Esc"), lambda: saved.do("example_minilm"))
    assert saved.number("query", 0, 0) == 78

    saved.again("menus and other windows do not end a visit and undo takes back what is typed")
    # A person looks something up and goes on typing; only then it is decided what becomes of it.
    type_without_enter(saved, "7")
    line = saved.focus()
    for reason in (
        Qt.FocusReason.PopupFocusReason,
        Qt.FocusReason.MenuBarFocusReason,
        Qt.FocusReason.ActiveWindowFocusReason,
    ):
        QApplication.sendEvent(line, QFocusEvent(QEvent.Type.FocusOut, reason))
        assert saved.focus() is line
    saved.type("7", end="Return")
    assert saved.number("query", 0, 0) == 77
    saved.type_into("key", 0, 0, "5")
    type_without_enter(saved, "78")
    saved.do("undo")
    assert saved.number("query", 0, 0) == 77
    assert saved.number("key", 0, 0) == 5
    qtbot.waitUntil(lambda: saved.action("redo").text().endswith("Q[0, 0]: 77 → 78"))

    for begin in (type_without_enter, lambda person: begin_a_size(person, "4")):
        for close in (lambda: saved.press("Ctrl+Q"), lambda: QApplication.sendEvent(saved.window, QCloseEvent())):
            saved.again("asked before it is closed")
            begin(saved)
            saved.answering(QMessageBox, lambda _: saved.press("Esc"), close)
            assert saved.window.isVisible()
            assert saved.window.isWindowModified()

    saved.again("a click elsewhere gives a refused text up and the table can be typed into")
    person = saved
    before = person.numbers("query")
    person.type_into("query", 0, 0, "x1")
    person.go_to("query", 1, 1)
    assert person.numbers("query") == before
    assert "x1" in person.banner()
    assert "Q[0, 0] keeps 1" in person.banner()
    person.type("4", end="Return")
    assert person.number("query", 1, 1) == 4
    assert not person.banner()

    saved.again("save takes what is typed and a bad size stops it")
    before = (tmp_path / "kept.attn").read_bytes()
    begin_a_size(saved, "0")
    saved.press("Ctrl+S")
    box = saved.find("control.n")
    assert box.hasFocus()
    assert box.text() == "0"
    assert saved.find("refusal").isVisible()
    assert (tmp_path / "kept.attn").read_bytes() == before
    saved.press("Esc")

    # save takes what is typed
    type_without_enter(saved)
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.query[0, 0] == 77
    assert not saved.window.isWindowModified()
    begin_a_size(saved, "4")
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.n == 4
    saved.pick("scale", "typed")
    saved.press("Ctrl+A")
    saved.type("0.3", end="Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.scale == 0.3

    saved.again("save takes a mask limit and a token")
    saved.do("masks")
    saved.find("panel.mask").add_layer("window")
    saved.find("panel.mask").findChildren(LimitField)[0].box.setFocus()
    saved.press("Ctrl+A")
    saved.type("3", end="Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.mask[0].left == 3
    saved.press("Esc")
    saved.table("query").verticalHeader().rename(0)
    saved.press("Ctrl+A")
    saved.type("cat", end="Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.query_tokens[0] == "cat"

    saved.again("a dialog does not go on with another number than what is typed")
    # A click on its button came after the field had gone back to the number before, in silence.
    met = []

    def press(dialog, field, typed, words):
        saved.overwrite(field, typed, end="")
        saved.click(saved.button(words, dialog))
        met.append((dialog.isVisible(), field.text(), field.hasFocus()))
        dialog.reject()

    saved.answering(ExportDialog, lambda d: press(d, d.width_cm, "7,500", "Export"), lambda: saved.do("export_image"))
    saved.answering(ExportDialog, lambda d: press(d, d.dpi, "9", "Export"), lambda: saved.do("export_image"))
    saved.answering(NewDialog, lambda d: press(d, d.boxes["n"], "9x", "Create"), lambda: saved.do("new"))
    assert met == [(True, "7,500", True), (True, "9", True), (True, "9x", True)]

    # No command passes a bad text by: the text stays, is refused where it stands, and nothing has happened.
    saved.again("no command passes a bad text by", SMALL)
    person.type_into("key", 0, 0, "5")
    type_without_enter(person, "x1")
    line, before = person.focus(), (person.program.document.generation, person.program.view.look)
    for kind in (QDialog, QMessageBox):
        monkeypatch.setattr(kind, "exec", lambda *_: pytest.fail("a command went on"))
    for name in ("getOpenFileName", "getOpenFileNames", "getSaveFileName", "getExistingDirectory"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: pytest.fail("a command went on"))
    for row in ACTIONS:
        action = person.action(row.name)
        if action.isEnabled():
            checked = action.isChecked()
            action.trigger()
            assert QApplication.activeModalWidget() is None, row.name
            assert (person.focus(), line.text()) == (line, "x1"), row.name
            assert action.isChecked() == checked, row.name
            assert (person.program.document.generation, person.program.view.look) == before, row.name
            assert line.property("wrong") == "true"
    person.window.close()
    assert person.window.isVisible()
    person.press("Esc")
    assert person.number("query", 0, 0) == 1


def typed(person, *steps):
    for text, key in steps:
        person.type(text)
        person.press(key)
