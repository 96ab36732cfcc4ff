"""The window without a mouse, to every command; what is refused and told; closed while files are written."""

from __future__ import annotations

import shutil
import threading

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QLineEdit, QMessageBox, QSpinBox, QWidget

from attn_gui.paths import resource
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.dialogs.help_window import ShortcutsDialog

ROUND = ("zone.product", "heads.weights", "zone.explain", "spine", "zone.inputs")
SMALL = "worked-example.npz"
WORKED = "worked-example.npz"


def head(person):
    return person.find("control.head", QSpinBox).value()


def large_map(person):
    """The map that has the keyboard, by its stage."""
    name = person.focus().objectName()
    assert name.startswith("heatmap."), name
    return name.removeprefix("heatmap.")


def sentence(person):
    """What the explanation says of the chosen cell."""
    return person.find("inspector.sentence").accessibleName()


def tab_to(person, inside, name):
    """Press Tab until the keyboard is in the editor of this name; it must be found on the way round."""
    editor = inside.findChild(QWidget, name)
    for _ in range(60):
        focus = person.focus()
        if focus is editor or editor.isAncestorOf(focus):
            return focus
        person.press("Tab")
    raise AssertionError(f"Tab does not lead to {name}")


def test_the_window_without_a_mouse(launch, qtbot):
    person = launch()
    for name in (*ROUND[1:], *ROUND):
        person.press("F6")
        zone = person.find(name)
        assert zone is person.focus() or zone.isAncestorOf(person.focus()), name
        assert person.focus().isVisible()
    while not person.focus().objectName().startswith("heatmap."):
        person.press("F6")
    person.press("Down", "Right")
    assert person.focus().chosen == (0, 1)

    person.again("heads stages and values have keys")
    person.press("]")
    assert head(person) == 4
    person.press("[", "[")
    assert head(person) == 2
    assert person.action("values").isChecked()
    person.press("V")
    assert not person.action("values").isChecked()
    person.press("v")
    seen = []
    for digit in "123456789":
        person.press(digit)
        seen.append(large_map(person))
        assert person.focus().isVisible()
    assert seen[:3] == ["query", "key", "scores"]
    assert len(set(seen)) >= 6
    person.press("Right")
    assert person.focus().chosen is not None

    person.again("arrows choose and enter leads to the row and esc back")
    assert large_map(person) == "weights"
    person.press("Ctrl+Home", "Down", "Down", "Right")
    assert person.focus().chosen == (2, 1)
    assert "(2, 1)" in person.status()
    said = sentence(person)
    person.press("Enter")
    assert person.table("query").hasFocus()
    assert person.cell("query") == (2, 96)  # the first column of head 3
    before, weights = person.numbers("query"), person.values("weights")
    person.press("Right")
    person.type("1.25", end="Return")
    assert person.number("query", 2, 97) == 1.25
    assert person.cell("query") == (3, 97)
    assert person.values("weights") != weights
    qtbot.waitUntil(lambda: sentence(person) != said)  # the explanation follows when the maps are painted
    person.press("Ctrl+Z")
    assert person.numbers("query") == before
    assert person.values("weights") == weights
    qtbot.waitUntil(lambda: sentence(person) == said)
    person.press("Esc")
    assert large_map(person) == "weights"
    assert person.focus().chosen == (2, 1)

    person.again("enter in a map of any head leads to its column of the table")
    # The columns of head 3 stand behind those of heads 0 to 2.
    width = person.program.document.problem.d_k
    person.overwrite(person.find("control.head", QSpinBox), "3")
    person.choose_cell("query", 2, 5)
    person.press("Return")
    index = person.table("query").currentIndex()
    assert (index.row(), index.column()) == (2, 3 * width + 5)


def test_an_edit_undo_another_refusal_and_another_document_take_a_refusal_away_and_not_what_is_told(launch, qtbot):
    person = launch()
    told = person.banner()
    assert told
    person.type_into("query", 0, 100, "2")
    person.press("Ctrl+Z")
    assert person.banner() == told, "what is told of an example stays"
    for text, gesture in (
        ("seven", lambda: person.type_into("query", 0, 100, "2")),
        ("five", lambda: person.do("undo")),
        ("three", lambda: person.open(resource("examples", WORKED))),
    ):
        for refused in ("one", text):
            paste(person, refused)
            assert refused in person.banner()
        gesture()
        qtbot.waitUntil(lambda: not person.banner())


def test_commands_by_keys_alone(person, tmp_path):
    person.type_into("query", 0, 0, "4")
    for keys in ("Ctrl+Y", "Ctrl+Shift+Z"):
        person.press("Ctrl+Z")
        assert person.number("query", 0, 0) == 1
        person.press(keys)
        assert person.number("query", 0, 0) == 4, keys

    person.again("a command is found by a few letters")

    def look_for(letters):
        def answer(palette):
            person.type(letters)
            assert len(palette.found()) >= 1
            person.press("Return")

        person.answering(ActionSearch, answer, lambda: person.press("Ctrl+Shift+P"))

    look_for("projection")
    assert person.has("table.w_output")
    look_for("all stages")
    assert person.action("all_stages").isChecked()
    assert person.find("heatmap.scores").isVisible()
    person.answering(ActionSearch, lambda _: person.press("Esc"), lambda: person.press("Ctrl+Shift+P"))

    person.again("all keys are listed")
    said = []

    def look(dialog):
        groups = [dialog.list.topLevelItem(k) for k in range(dialog.list.topLevelItemCount())]
        said.extend(group.child(k).text(1) for group in groups for k in range(group.childCount()))
        person.press("Esc")

    person.answering(ShortcutsDialog, look, lambda: person.press("Ctrl+F1"))
    for keys in ("Ctrl+E", "F6", "Space"):
        assert keys in said

    person.again("a figure is exported without a mouse")

    def answer(dialog: QDialog) -> None:
        line = tab_to(person, dialog, "export.target")
        while not isinstance(line, QLineEdit):
            person.press("Tab")
            line = person.focus()
        person.press("Ctrl+A")
        person.type(str(tmp_path))
        tab_to(person, dialog, "export.format").setFocus()
        person.press("Down")  # SVG
        person.press("Return")

    person.answering(ExportDialog, answer, lambda: person.press("Ctrl+E"))
    assert [path.name for path in tmp_path.iterdir()] == ["worked-example-weights-h0.svg"]
    assert "worked-example-weights-h0.svg" in person.banner()

    person.again("f11 fills the screen and gives it back")
    assert not person.window.isFullScreen()
    person.press("F11")
    assert person.window.isFullScreen()
    assert person.action("full_screen").isChecked()
    person.press("F11")
    assert not person.window.isFullScreen()
    assert not person.action("full_screen").isChecked()

    person.again("a save that succeeds under this or another name takes the refusal of the one before away")
    # The folder of the document's file went away, and Ctrl+S was refused.
    for name in ("a.attn", "b.attn"):
        folder = tmp_path / name.removesuffix(".attn")
        folder.mkdir()
        person.save_as(folder / "a.attn")
        person.do("undo") if person.number("query", 0, 0) == 6 else person.type_into("query", 0, 0, "6")
        shutil.rmtree(folder)
        saved(person, "Ctrl+S")
        assert "could not be saved" in person.banner()
        folder.mkdir()
        saved(person, "Ctrl+S") if name == "a.attn" else person.save_as(folder / name)
        assert (folder / name).exists()
        assert not person.window.isWindowModified()
        assert not person.banner()

    person.again("ctrl w closes the window and asks as closing does")
    person.type_into("query", 0, 0, "4")
    for answer, stays in (("Cancel", True), ("Discard", False)):
        button = QMessageBox.StandardButton[answer]
        person.answering(
            QMessageBox, lambda box, button=button: box.button(button).click(), lambda: person.press("Ctrl+W")
        )
        assert person.window.isVisible() is stays


def paste(person, text):
    person.clipboard(text)
    person.go_to("query", 0, 96)
    person.press("Ctrl+V")


def saved(person, *keys):
    person.press(*keys)
    person.until(lambda: not person.program.files.saving.busy)


class Writing:
    """A file that is there once the gate is opened; called off as others are."""

    def __init__(self, folder):
        self.path, self.gate, self.fails = folder / "a.txt", threading.Event(), False

    def __call__(self, tell):
        while not self.gate.wait(0.001):
            tell(0.0)
        if self.fails:
            raise OSError("There is no room left.")
        self.path.write_text("whole")
        yield self.path


@pytest.fixture
def writing(tmp_path):
    found = Writing(tmp_path)
    yield found
    found.gate.set()


@pytest.fixture(params=["export", "worksheets", "solutions"])
def writer(request):
    return request.param


@pytest.fixture
def exporter(launch, writing):
    """Who has an export under way, whose writer others share."""
    found = launch(SMALL)
    found.program.late.export._writing.begin(writing)
    return found


def answering(exporter, answer):
    exporter.answering(QMessageBox, answer, exporter.window.close)


def test_closing_waits_for_the_files(launch, writer, writing):
    exporter, said = launch(SMALL), []
    getattr(exporter.program.late, writer)._writing.begin(writing)

    def answer(box):
        said.append(box.text())
        writing.gate.set()  # and the box goes by itself

    answering(exporter, answer)
    assert said == ["An export is still being written: wait, or cancel it."]
    assert not exporter.window.isVisible()
    assert writing.path.read_text() == "whole"


def test_what_is_quick_is_not_asked_about(exporter, writing):
    writing.gate.set()
    exporter.window.close()
    assert not exporter.window.isVisible()
    assert writing.path.read_text() == "whole"


def test_the_files_can_be_called_off(exporter, writing):
    answering(exporter, lambda box: exporter.click(exporter.button("Cancel the export", box)))
    assert not exporter.window.isVisible()
    assert not writing.path.exists()


def test_whoever_goes_on_working_loses_nothing(exporter, writing):
    for leave in (
        lambda box: exporter.click(exporter.button("Go on working", box)),
        lambda _box: exporter.press("Esc"),
    ):
        answering(exporter, leave)
        assert exporter.window.isVisible()
    writing.gate.set()
    while "a.txt" not in exporter.banner():
        QTest.qWait(1)
    assert writing.path.read_text() == "whole"


def test_what_could_not_be_written_is_read_before_the_window_goes(exporter, writing):
    writing.fails = True
    writing.gate.set()
    exporter.window.close()
    assert exporter.window.isVisible()
    assert exporter.banner()
    exporter.window.close()
    assert not exporter.window.isVisible()
