"""Remembered settings may have been written by an older version, another program or a hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions, format_captured_exceptions

from attn_gui.app.program import Program
from attn_gui.app.state.settings import MOST_RECENT, Settings

RUBBISH = ("", "null", '{"files": [3, null, {}]}', '{"query": {"columns": 384, "widths": {"x": 9, "7": 1e99}}}', "nan")
KEYS = (
    "language",
    "theme",
    "zoom",
    "recent",
    "new",
    "export_image",
    "export_data",
    "window/geometry",
    "window/columns",
    "window/widths",
    "told/minilm",
    "history_megabytes",
    "history",
)


@pytest.fixture
def store() -> QSettings:
    return QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "attn_gui", "attn_gui")


@pytest.mark.parametrize("rubbish", RUBBISH)
def test_the_program_starts_with_rubbish_in_its_settings(qapp: QApplication, store, rubbish):
    for key in KEYS:
        store.setValue(key, rubbish)
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


def test_what_is_put_is_found(store):
    settings = Settings()
    settings.put("zoom", 1.25)
    settings.put("told/one", True)
    settings.put("new", {"n": 4, "kind": "self"})
    settings.put_geometry("window/geometry", QByteArray(b"1234"))
    again = Settings()
    assert again.number("zoom", 1.0) == 1.25
    assert again.flag("told/one", False)
    assert not again.flag("told/two", False)
    assert again.record("new") == {"n": 4, "kind": "self"}
    assert again.geometry("window/geometry") == QByteArray(b"1234")
    again.forget("window")
    assert Settings().geometry("window/geometry") is None


def test_recent_files_are_the_newest_first_once_each():
    settings = Settings()
    for number in (*range(MOST_RECENT + 3), 5):
        settings.add_recent(Path(f"/somewhere/{number}.attn"))
    names = [path.stem for path in settings.recent()]
    assert names[:3] == ["5", "12", "11"]
    assert len(names) == len(set(names)) == MOST_RECENT


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
