"""The window without a mouse, to every command; what is refused and told; closed while files are written."""

import threading

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMessageBox, QSpinBox, QWidget

from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.export_dialog import ExportDialog

ROUND = ("zone.product", "heads.weights", "zone.explain", "spine", "zone.inputs")
SMALL = "worked-example.npz"


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


def test_the_window_without_a_mouse_to_every_command(launch, qtbot, tmp_path):
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
    person.press("1", "Ctrl+Home", "Down", "Right", "Enter")
    assert person.table("query").hasFocus()
    assert person.cell("query") == (1, 97), "the own cell of a map of Q, in the columns of head 3"

    person.again("commands by keys alone", SMALL)
    person.type_into("query", 0, 0, "4")
    for keys in ("Ctrl+Y", "Ctrl+Shift+Z"):
        person.press("Ctrl+Z")
        assert person.number("query", 0, 0) == 1
        person.press(keys)
        assert person.number("query", 0, 0) == 4, keys

    person.again("a command is found by a few letters", SMALL)

    def look_for(letters, early=""):
        def answer(palette):
            person.window.close()
            assert person.window.isVisible(), "the list is modal"
            for letter in early:  # before the window manager gives the keyboard to the list
                QTest.keyClick(person.window.windowHandle(), Qt.Key(ord(letter.upper())))
            keys = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
            keys.ignore()
            QApplication.sendEvent(person.window.windowHandle(), keys)
            assert keys.isAccepted(), "the window would export behind the list"
            person.type(letters)
            assert len(palette.found()) >= 1
            person.press("Return")

        person.answering(ActionSearch, answer, lambda: person.press("Ctrl+Shift+P"))

    look_for("projection")
    assert person.has("table.w_output")
    look_for("两个头")
    assert person.find("control.num_heads").value() == 2
    look_for(" stages", early="all")
    assert person.action("all_stages").isChecked()
    assert person.find("heatmap.scores").isVisible()
    person.answering(ActionSearch, lambda _: person.press("Esc"), lambda: person.press("Ctrl+Shift+P"))

    person.again("a figure is exported without a mouse", SMALL)

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

    person.again("ctrl w and the list close the window and ask as closing does", SMALL)
    person.type_into("query", 0, 0, "4")
    for answer, leave, stays in (
        ("Cancel", lambda: person.press("Ctrl+W"), True),
        ("Discard", lambda: look_for("quit"), False),
    ):
        button = QMessageBox.StandardButton[answer]
        person.answering(QMessageBox, lambda box, button=button: box.button(button).click(), leave)
        assert person.window.isVisible() is stays


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


@pytest.fixture
def exporter(launch, writing):
    """Who has an export under way, whose writer others share."""
    found = launch(SMALL)
    found.program.late.export.begin(writing)
    return found


def answering(exporter, answer):
    exporter.answering(QMessageBox, answer, exporter.window.close)


def test_closing_waits_for_the_files(exporter, writing):
    said = []

    def answer(box):
        said.append(box.text())
        writing.gate.set()  # and the box goes by itself

    answering(exporter, answer)
    assert said == ["An export is still being written: wait, or cancel it."]
    assert not exporter.window.isVisible()
    assert writing.path.read_text() == "whole"


def test_the_files_can_be_called_off(exporter, writing):
    answering(exporter, lambda box: exporter.click(exporter.button("Cancel the export", box)))
    assert not exporter.window.isVisible()
    assert not writing.path.exists()


def test_whoever_goes_on_working_loses_nothing_and_reads_what_could_not_be_written(exporter, writing):
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

    exporter.again("what could not be written is read before the window goes")
    exporter.program.late.export.begin(writing)
    writing.fails = True
    writing.gate.set()
    exporter.window.close()
    assert exporter.window.isVisible()
    assert exporter.banner()
    exporter.window.close()
    assert not exporter.window.isVisible()
