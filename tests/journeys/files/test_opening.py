"""Large files: read beside the window, which stays as it is until they are there, and never stands still."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QToolButton

from attn_gui.app.files import files
from attn_gui.formats import file_format, open_file, save
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.progress import WorkLine
from tests.failing import each
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
BUTTONS = QMessageBox.StandardButton
LIMIT = 100_000
ROWS = 701


@pytest.fixture
def limit(monkeypatch):
    monkeypatch.setattr(files, "LARGE", LIMIT)


@pytest.fixture
def gate(limit, monkeypatch):
    """Holds up the reading of large files where a slow disk would; everything else goes on."""
    found = Gate()
    monkeypatch.setattr(file_format._ProgressFile, "readinto", found.before(file_format._ProgressFile.readinto))
    yield found
    found.open()


def large(path, rows=ROWS, **more):
    """A file just over the limit."""
    random = np.random.default_rng(rows)
    np.savez(
        path,
        **{
            "query": random.normal(size=(rows, 7)),
            "key": random.normal(size=(5, 7)),
            "value": random.normal(size=(5, 23)),
            "w_output": random.normal(size=(23, 421)),
            **more,
        },
    )
    assert path.stat().st_size > LIMIT
    return path


def rest(person):
    """Until the reading is through, and whoever hears of it has heard."""
    person.program.files.opening.wait()
    for _ in range(3):
        QApplication.processEvents()


def shown(person):
    line = person.find("opening.progress", WorkLine)
    return line.text() if line.isVisible() else ""


def idle(person):
    return not person.program.files.opening.busy and person.program.computation.notified


def rows(person):
    return person.program.document.problem.n


def answer_with(button):
    return lambda box: box.button(button).click()


# --- beside the window -----------------------------------------------------------------------------


def test_the_window_works_on_while_a_large_file_is_read(person, gate, tmp_path):
    ticks = []
    clock = QTimer(person.window, interval=5)
    clock.timeout.connect(lambda: ticks.append(1))
    clock.start()
    person.open(large(tmp_path / "big.npz"))
    gate.await_work()
    ticks.clear()
    person.until(lambda: shown(person) and len(ticks) > 10)
    assert shown(person).startswith("Opening big.npz")
    assert person.window.windowTitle() == "Worked example, five steps[*]"
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    person.click_cell("weights", 0, 1)
    assert "0.5" in person.explanation()
    gate.open()
    person.until(lambda: idle(person))
    clock.stop()
    assert shown(person) == ""
    assert (rows(person), person.window.windowTitle()) == (ROWS, "big[*]")
    assert person.number("query", 700, 6) == np.load(tmp_path / "big.npz")["query"][700, 6]
    assert not person.window.isWindowModified()

    person.again("a small file whose arrays are large is read beside the window too")
    gate.close()
    path = tmp_path / "packed.npz"
    np.savez_compressed(path, query=np.zeros((ROWS, 37)), key=np.zeros((5, 37)), value=np.zeros((5, 2)))
    assert path.stat().st_size < LIMIT
    person.drop(path)
    gate.await_work()
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("the second of two wins")
    gate.close()
    person.drop(large(tmp_path / "first.npz", 701))
    gate.await_work()
    person.drop(large(tmp_path / "second.npz", 709))
    gate.open()
    person.until(lambda: idle(person))
    rest(person)
    assert (rows(person), person.window.windowTitle()) == (709, "second[*]")
    assert [path.name for path in person.program.settings.recent()][:1] == ["second.npz"]

    person.again("an example opened meanwhile stays")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.do("example_thinking")
    gate.open()
    rest(person)
    assert person.has("table.x")
    assert shown(person) == ""

    person.again("a dialog is waited for")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    met = []

    def look(dialog):
        gate.open()
        rest(person)
        met.append(rows(person))
        dialog.reject()

    person.answering(ActionSearch, look, lambda: person.do("search_actions"))
    assert met == [2]
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("a number that is being typed is waited for")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.go_to("query", 0, 0)
    person.type("4")
    gate.open()
    rest(person)
    assert person.focus().text() == "4"
    person.press("Return")
    person.until(lambda: idle(person))
    assert person.number("query", 0, 0) == 4
    assert "was changed while it was read" in person.banner()

    person.again("the button in the status bar is not cut")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: shown(person))
    button = person.find("opening.cancel", QToolButton)
    image = button.grab().toImage()
    ground = image.pixelColor(0, 0)
    inked = [y for y in range(image.height()) if any(image.pixelColor(x, y) != ground for x in range(image.width()))]
    assert len(inked) >= button.fontMetrics().tightBoundingRect("C").height()


def test_what_was_read_can_be_edited_and_what_is_damaged_or_does_not_fit_is_said(person, limit, tmp_path):
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: idle(person))
    before = person.number("query", 3, 5)
    person.type_into("query", 3, 5, "1/3")
    assert person.number("query", 3, 5) == pytest.approx(1 / 3)
    person.press("Ctrl+Z")
    assert person.number("query", 3, 5) == before

    person.again("a large file that is damaged says its sentence")
    path = large(tmp_path / "big.npz")
    data = bytearray(path.read_bytes())
    data[3000] ^= 1  # the checksum tells
    path.write_bytes(data)
    person.drop(path)
    person.until(lambda: idle(person))
    assert person.banner().startswith("big.npz")
    assert person.banner().endswith(".")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]
    assert person.window.windowTitle() == "Worked example, five steps[*]"

    person.again("a large file whose matrices do not fit offers to make them fit")
    person.drop(large(tmp_path / "big.npz", value=np.ones((23, 5))))
    person.until(lambda: idle(person))
    person.button("Transpose V", "banner").click()
    assert rows(person) == ROWS


def test_a_large_session_comes_back_with_its_view_and_is_listed(launch, limit, tmp_path):
    person = launch(SMALL)
    person.drop(large(tmp_path / "big.npz"))
    person.until(lambda: idle(person))
    person.show_stage("scaled")
    person.do("decimals_4")
    person.save_as(tmp_path / "kept.attn")
    again = launch(SMALL)
    again.open(tmp_path / "kept.attn")
    person.until(lambda: idle(again))
    assert again.find("heatmap.scaled").isVisible()
    assert again.action("decimals_4").isChecked()
    assert again.program.settings.recent()[0].name == "kept.attn"
    again.type_into("query", 0, 0, "4")
    again.press("Ctrl+S")  # asks for no name
    assert not again.window.isWindowModified()


def test_a_large_file_given_at_the_start_takes_the_place_of_the_example(launch, gate, tmp_path):
    person = launch(large(tmp_path / "big.npz"))
    assert person.window.windowTitle() == "MiniLM, layer 2[*]"
    assert person.find("heatmap.weights").isVisible()
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS


# --- another wish ----------------------------------------------------------------------------------


@pytest.fixture
def small(launch):
    return launch(SMALL)


@each("how", ["esc", "button"])
def test_calling_it_off_leaves_everything_as_it_is(small, gate, tmp_path, how):
    person = small
    person.again(how)
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.drop(large(tmp_path / "big.npz")))
    person.until(lambda: shown(person))
    person.press("Esc", "Esc") if how == "esc" else person.click("opening.cancel")  # the first one leaves the table
    assert shown(person) == ""
    gate.open()
    rest(person)
    assert (person.number("query", 0, 0), person.window.isWindowModified()) == (4, True)
    assert person.banner() == ""
    person.press("Ctrl+Z")
    assert person.number("query", 0, 0) == 1


def test_what_is_changed_while_it_is_read_is_not_lost(person, gate, tmp_path):
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.type_into("query", 0, 0, "4")
    gate.open()
    person.until(lambda: idle(person))
    assert person.banner() == "big.npz was not opened: worked-example was changed while it was read."
    assert person.number("query", 0, 0) == 4
    person.type_into("query", 0, 1, "5")  # the keyboard is still in the table, and the way to the file stays
    person.answering(QMessageBox, answer_with(BUTTONS.Discard), lambda: person.button("Open it now", "banner").click())
    person.until(lambda: idle(person))
    assert (rows(person), person.banner()) == (ROWS, "")

    person.again("a snapshot taken while it is read is not lost")
    gate.close()
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.do("snapshot")
    gate.open()
    person.until(lambda: idle(person))
    assert person.banner() == "big.npz was not opened: worked-example was changed while it was read."
    assert len(person.program.document.snapshots.all) == 1

    person.again("changes that are saved meanwhile are no obstacle")
    gate.close()
    person.save_as(tmp_path / "kept.attn")
    person.drop(large(tmp_path / "big.npz"))
    gate.await_work()
    person.type_into("query", 0, 0, "4")
    person.press("Ctrl+S")
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS

    person.again("changes are asked for before the reading")
    gate.close()
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.drop(large(tmp_path / "big.npz")))
    rest(person)
    assert not gate.reached
    assert person.number("query", 0, 0) == 4


# --- the end ---------------------------------------------------------------------------------------


def test_a_window_that_is_closed_reads_no_further(launch, gate, tmp_path, monkeypatch):
    monkeypatch.setattr(file_format, "STEP", 1000)
    held, read = file_format._ProgressFile.readinto, []
    monkeypatch.setattr(file_format._ProgressFile, "readinto", lambda *given: read.append(held(*given)) or read[-1])
    person = launch(SMALL)
    path = large(tmp_path / "big.npz")
    person.drop(path)
    gate.await_work()
    later = threading.Timer(0.1, gate.open)
    later.start()
    person.leave()
    later.join()
    assert len(read) <= 1
    assert not person.program.files.opening.busy


def test_a_file_rewritten_while_it_was_read_is_not_written_over_unasked(launch, gate, tmp_path):
    """It was stamped once it was on the table: what another program had written by then counted as read."""
    path, theirs = tmp_path / "big.attn", tmp_path / "theirs.attn"
    save(open_file(large(tmp_path / "big.npz", scale=1.0)).problem, path)
    save(open_file(large(tmp_path / "other.npz", scale=2.0)).problem, theirs)
    written = theirs.read_bytes()
    person = launch(SMALL)
    person.open(path)
    gate.await_work()
    theirs.replace(path)
    gate.open()
    person.until(lambda: idle(person))
    assert rows(person) == ROWS
    person.type_into("query", 0, 0, "4")
    person.answering(QMessageBox, answer_with(BUTTONS.Cancel), lambda: person.press("Ctrl+S"))
    assert path.read_bytes() == written
