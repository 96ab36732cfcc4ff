"""Settings written by anybody, and unexpected errors: one line, details to copy, a log without anybody's numbers."""

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QSettings, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton, QTableView, QWidget
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions
from pytestqt.qtbot import QtBot

from attn_gui.app import unexpected_errors
from attn_gui.app.program import Program
from attn_gui.app.state.settings import MOST_RECENT, Settings
from attn_gui.views.map.thumbnail import Thumbnail
from tests.seen import colors_of

RUBBISH = ("null", '{"files": [3, null, {}]}', '{"query": {"columns": 384, "widths": {"x": 9, "7": 1e99}}}')

KEYS = (
    "language", "theme", "zoom", "recent", "new", "export_image", "export_data", "window/geometry", "window/columns",
    "window/widths", "told/minilm", "history_megabytes", "history",
)  # fmt: skip

WRITES = """
import sys
from pathlib import Path
from PySide6.QtCore import QSettings
from attn_gui.app.state.settings import Settings
QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, sys.argv[1])
settings = Settings()
settings.add_recent(Path("/somewhere/other.attn"))
settings.add("lessons", {"other": 3})
"""

SECRET = 271828.1828


@pytest.fixture
def store():
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "attn_gui", "attn_gui")


@pytest.mark.family(2)
@pytest.mark.parametrize("shift", [0, 1])
def test_the_program_starts_with_rubbish_in_its_settings(qapp, store, shift):
    for place, key in enumerate(KEYS):
        store.setValue(key, RUBBISH[(place + shift) % len(RUBBISH)])
    store.sync()
    with capture_exceptions() as raised:
        program = Program(qapp)
        program.begin(None)
        program.window.show()
        qapp.processEvents()
        assert program.window.width() > 300
        assert program.appearance.language in ("en", "zh")
        assert 0.5 < program.appearance.zoom <= 3
        assert program.document.name == "minilm-layer2"
        program.end()
    assert not raised, format_captured_exceptions(raised)
    store.clear()
    store.sync()
    Program(qapp, lang="en").end()  # the language and the theme belong to the application


def test_recent_files_are_the_newest_first_once_each():
    settings = Settings()
    for number in (*range(MOST_RECENT + 3), 5):
        settings.add_recent(Path(f"/somewhere/{number}.attn"))
    names = [path.stem for path in settings.recent()]
    assert names[:3] == ["5", "12", "11"]
    assert len(names) == len(set(names)) == MOST_RECENT
    assert settings.last_folder() == Path.home()  # the stick is gone: an export to it was refused
    settings.add_recent(Path(__file__))
    assert settings.last_folder() == Path(__file__).parent


def test_two_windows_lose_nothing_of_each_other(store):
    """A window wrote the list as it knew it: the file that the other had opened was gone."""
    mine = Settings()
    mine.add_recent(Path("/somewhere/old.attn"))
    mine.add("lessons", {"old": 1})
    store.sync()
    subprocess.run([sys.executable, "-c", WRITES, Path(store.fileName()).parents[1]], check=True, timeout=120)
    mine.add_recent(Path("/somewhere/mine.attn"))
    mine.add("lessons", {"mine": 2})
    assert [path.stem for path in mine.recent()] == ["mine", "other", "old"]
    assert mine.record("lessons") == {"old": 1, "other": 3, "mine": 2}


@pytest.fixture
def program(qapp, qtbot, monkeypatch):
    """The program on the screen, its reports hooked in as at the start."""
    program = Program(qapp, lang="en")
    program.begin(None)
    program.window.show()
    qtbot.waitUntil(program.window.isVisible)
    monkeypatch.setattr(sys, "excepthook", program.faults.report)
    monkeypatch.setattr(threading, "excepthook", program.faults.report_from_thread)
    yield program
    program.end()


def broken(*_: object) -> None:
    """Fail as a program does: the message, a local variable and the error behind it hold numbers."""
    values = np.array([SECRET, 1.0])
    try:
        raise KeyError(f"token {SECRET}")
    except KeyError:
        raise RuntimeError(f"cannot use {values} of /home/somebody/{SECRET}.npz")  # noqa: B904 - found behind it


def log_text() -> str:
    return (unexpected_errors.log_folder() / "attn_gui.log").read_text(encoding="utf-8")


def press(qtbot: QtBot, program: Program, words: str) -> None:
    (button,) = [button for button in program.window.banner.buttons() if button.text() == words]
    button.click()


def fail(program: Program, slot: Callable[..., object] = broken) -> None:
    """Press a button that has this slot."""
    button = QPushButton(program.window)
    button.clicked.connect(slot)
    button.click()


def test_an_error_in_a_slot_is_told_once_in_one_line_with_details_to_copy_and_nothing_of_the_person(
    qtbot, program, monkeypatch
):
    for _ in range(9):
        fail(program)
    banner = program.window.banner
    assert banner.isVisible()
    assert banner.text() == "Something went wrong inside the program: RuntimeError."
    assert log_text().count("RuntimeError:") == 1
    press(qtbot, program, "Copy details")
    copied = QGuiApplication.clipboard().text()
    assert "attn_gui 0." in copied
    assert "Qt 6." in copied
    assert copied.index("KeyError:") < copied.index("RuntimeError:")
    assert "test_settings.py:" in copied
    assert copied in log_text()
    assert banner.text() == "The details are on the clipboard."
    assert not banner.buttons()
    for secret in (str(SECRET), "token", "somebody", str(Path.home()) + "/", "raise"):
        assert secret not in log_text()
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    program.late.window_commands.actions["show_log"].trigger()
    assert [Path(url.toLocalFile()) for url in opened] == [unexpected_errors.log_folder()]


def test_an_error_names_its_place_in_our_code_and_comes_from_other_threads_without_a_log_too(
    qtbot, program, monkeypatch
):
    with monkeypatch.context() as fault:
        fault.setattr(program.document.stack, "push", broken)
        table = program.window.findChild(QTableView, "table.query")
        table.model().setData(table.model().index(0, 0), str(SECRET))
    assert "attn_gui/document/" in program.window.banner.text()
    assert "stack.push(" in log_text()
    assert str(SECRET) not in log_text()
    program.window.banner.hide()
    monkeypatch.setattr(unexpected_errors, "log_folder", lambda: Path(__file__) / "no folder")
    thread = threading.Thread(target=broken)
    thread.start()
    thread.join()
    qtbot.waitUntil(program.window.banner.isVisible)
    assert program.window.banner.text() == "Something went wrong inside the program: RuntimeError."


@pytest.mark.qt_log_ignore("Painter ended with 1 saved states", extend=True)
def test_an_error_while_a_map_is_painted_is_told_and_the_program_goes_on(qtbot, program, monkeypatch):
    """A painter that nobody ended was still at work on the window when Qt took its picture: it ended the process."""
    thumbnail = program.window.findChild(QWidget, "node.weights").findChild(Thumbnail)
    with monkeypatch.context() as fault:
        fault.setattr(thumbnail, "paint_cells", broken)
        thumbnail.update()
        qtbot.waitUntil(lambda: program.window.banner.text().startswith("Something went wrong inside the program"))
    assert len(colors_of(thumbnail.grab().toImage())) > 1


def test_what_a_notebook_typed_is_not_repeated():
    code = compile("value = [271828.1828]\nvalue[3]", "/tmp/ipykernel_1/cell.py", "exec")
    with pytest.raises(IndexError) as met:
        exec(code, {})
    assert "271828" not in unexpected_errors.details(met.value)
    assert "cell.py:2" in unexpected_errors.details(met.value)
