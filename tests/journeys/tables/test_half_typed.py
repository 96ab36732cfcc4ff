"""Text that is typed but not entered: every command hands it on first, and stops where it cannot be."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCloseEvent, QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLabel, QMessageBox

from attn_gui.app.actions.action_table import ACTIONS
from attn_gui.formats import open_file, save
from attn_gui.paths import resource
from attn_gui.views.controls.mask_panel import LimitField
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.tables.delegate import CellEditor

SMALL = "worked-example.npz"


@pytest.fixture
def saved(launch, tmp_path):
    save(open_file(resource("examples", SMALL)).problem, tmp_path / "kept.attn")
    return launch(tmp_path / "kept.attn")


def type_without_enter(person, text="77"):
    person.go_to("query", 0, 0)
    person.type(text)
    assert isinstance(person.focus(), CellEditor)


def begin_a_size(person, text):
    box = person.find("control.n")
    box.setFocus()
    person.press("Ctrl+A")
    person.type(text)


def test_what_is_typed_is_asked_about_refused_and_given_up(saved, tmp_path):
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
    person.type("4")
    person.press("Return")
    assert person.number("query", 1, 1) == 4
    assert not person.banner()

    saved.again("after a refusal the table can be typed into")
    for text, begin in (("9", "double click"), ("8", "F2"), ("7", "type")):
        person.type_into("query", 0, 0, "x1")
        table = person.go_to("query", 1, 0)
        if begin == "double click":
            place = table.visualRect(table.model().index(1, 0)).center()
            QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
            person.press("Ctrl+A")
        elif begin == "F2":
            person.press("F2", "Ctrl+A")
        person.type(text)
        person.press("Return")
        assert person.number("query", 1, 0) == int(text), begin

    saved.again("the refusal leaves the cell and the next row in sight")
    person.type_into("query", 0, 0, "x1")
    table = person.table("query")
    said = next(
        label
        for label in person.window.findChildren(QLabel)
        if label.property("bubble") == "error" and label.isVisible()
    )
    place = said.geometry()
    for row in (0, 1):
        cell = table.visualRect(table.model().index(row, 0))
        cell.moveTopLeft(table.viewport().mapTo(person.window, cell.topLeft()))
        assert not place.intersects(cell)

    saved.again("a dialog does not go on with another number than what is typed")
    # A click on its button came after the field had gone back to the number before, in silence.
    person, met = saved, []

    def press(dialog, field, typed, words):
        person.overwrite(field, typed, end="")
        person.click(person.button(words, dialog))
        met.append((dialog.isVisible(), field.text(), field.hasFocus()))
        dialog.reject()

    def export(dialog):
        person.overwrite(dialog.target.folder, str(tmp_path), end="Tab")
        press(dialog, dialog.width_cm, "7,500", "Export")

    person.answering(ExportDialog, export, lambda: person.do("export_image"))
    person.answering(ExportDialog, lambda d: press(d, d.dpi, "9", "Export"), lambda: person.do("export_image"))
    person.answering(NewDialog, lambda d: press(d, d.boxes["n"], "9x", "Create"), lambda: person.do("new"))
    assert met == [(True, "7,500", True), (True, "9", True), (True, "9x", True)]
    assert not list(tmp_path.glob("*.png"))


def test_a_dropped_file_and_an_example_ask_about_what_is_typed(saved, tmp_path, qtbot):
    other = tmp_path / "other.attn"
    other.write_bytes((tmp_path / "kept.attn").read_bytes())
    type_without_enter(saved)
    saved.answering(QMessageBox, lambda _: saved.press("Esc"), lambda: saved.drop(other))
    assert saved.number("query", 0, 0) == 77
    saved.do("undo")
    type_without_enter(saved, "78")
    saved.answering(QMessageBox, lambda _: saved.press("Esc"), lambda: saved.do("example_minilm"))
    assert saved.number("query", 0, 0) == 78

    saved.again("a dropped matrix comes after what is typed")
    matrix = tmp_path / "m.csv"
    matrix.write_text("5;6\n")
    type_without_enter(saved)
    saved.drop(matrix, at=saved.table("key").mapTo(saved.window, QPoint(20, 30)))
    assert saved.number("query", 0, 0) == 77
    assert saved.number("key", 0, 0) == 5

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
    saved.type("7")
    saved.press("Return")
    assert saved.number("query", 0, 0) == 77
    saved.type_into("key", 0, 0, "5")
    type_without_enter(saved, "78")
    saved.do("undo")
    assert saved.number("query", 0, 0) == 77
    assert saved.number("key", 0, 0) == 5
    qtbot.waitUntil(lambda: saved.action("redo").text().endswith("Q[0, 0]: 77 → 78"))

    saved.again("ctrl e while typing exports")
    for begin in (type_without_enter, lambda person: begin_a_size(person, "4")):
        begin(saved)
        saved.answering(ExportDialog, lambda _: saved.press("Esc"), lambda: saved.press("Ctrl+E"))
    assert saved.number("query", 0, 0) == 77
    assert saved.program.document.problem.n == 4

    saved.again("a minimized window keeps what is typed")
    type_without_enter(saved)
    minimize_and_restore(saved)
    assert saved.focus().text() == "77"
    saved.type("8")
    saved.press("Return")
    assert saved.number("query", 0, 0) == 778

    saved.again("a number is entered before a lower column hides its table")
    saved.go_to("key", 0, 0)
    saved.type("77")
    lower(saved)
    assert saved.number("key", 0, 0) == 77

    saved.again("a text that is hidden by a lower column is refused aloud")
    saved.window.resize(1440, 900)
    before = saved.numbers("key")
    saved.go_to("key", 0, 0)
    saved.type("x1")
    lower(saved)
    assert saved.numbers("key") == before
    assert "x1" in saved.banner()


def test_no_command_passes_a_bad_text_by(saved, monkeypatch):
    """Each of them: the text stays, is refused where it stands, and nothing has happened."""
    person = saved
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


def test_save_takes_what_is_typed_and_a_bad_size_stops_it(saved, tmp_path):
    before = (tmp_path / "kept.attn").read_bytes()
    begin_a_size(saved, "0")
    saved.press("Ctrl+S")
    box = saved.find("control.n")
    assert box.hasFocus()
    assert box.text() == "0"
    assert saved.find("refusal").isVisible()
    assert (tmp_path / "kept.attn").read_bytes() == before

    saved.again("save takes what is typed")
    type_without_enter(saved)
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.query[0, 0] == 77
    assert not saved.window.isWindowModified()
    begin_a_size(saved, "4")
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.n == 4
    saved.pick("scale", "typed")
    saved.press("Ctrl+A")
    saved.type("0.3")
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.scale == 0.3

    saved.again("save takes a mask limit and a token")
    saved.do("masks")
    saved.find("panel.mask").add_layer("window")
    limit = saved.find("panel.mask").findChildren(LimitField)[0].box
    limit.setFocus()
    saved.press("Ctrl+A")
    saved.type("3")
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.mask[0].left == 3
    saved.press("Esc")
    saved.table("query").verticalHeader().rename(0)
    saved.press("Ctrl+A")
    saved.type("cat")
    saved.press("Ctrl+S")
    assert open_file(tmp_path / "kept.attn").problem.query_tokens[0] == "cat"


def test_a_field_that_is_left_says_what_it_did_not_take(launch):
    person = launch("minilm-layer2.npz")
    person.pick("scale", "typed")
    for field, typed in (("n", "9x"), ("head", "77"), ("scale_value", "7,500")):
        box = person.find(f"control.{field}")
        before = box.text()
        person.overwrite(box, typed, end="Tab")
        assert not box.hasFocus(), field
        assert box.text() == before
        said = [tip.text() for tip in person.window.findChildren(QLabel, "refusal") if tip.isVisible()]
        assert said == [f"“{typed}” was not taken; {before} stays."]
        person.press("Tab")
        assert not any(tip.isVisible() for tip in person.window.findChildren(QLabel, "refusal")), field


def minimize_and_restore(person):
    person.window.showMinimized()
    person.look()
    person.window.showNormal()
    person.look()


def lower(person):
    """The window is made as low as it goes, so that one table has the column."""
    typed = person.focus()
    person.window.resize(person.window.width(), person.window.minimumSizeHint().height())
    person.look()
    assert not typed.isVisible()
