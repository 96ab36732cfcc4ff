"""The program and its start: a window at once, everything in it soon after; each action answered by one part."""

import gc
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.action_table import ACTIONS, Row
from attn_gui.app.program import Program
from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).resolve().parents[2]

SCREEN = {"name": "wide", "x": 0, "y": 0, "width": 1600, "height": 1000}
SCREEN |= {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}

ZONES = ("zone.inputs", "zone.product", "zone.explain")

WATCHED = """
import json, linecache, sys
from PySide6.QtCore import QEvent, QObject, QPoint, QTimer
from PySide6.QtWidgets import QApplication, QWidget

app = QApplication([])
told = {}


class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            self.painted(watched.objectName())
        return False

    def painted(self, name):
        if name == "mainWindow" and "first" not in told:
            told["first"] = state()
        elif name == LAST and "maps" not in told:
            told["maps"] = state()
            QTimer.singleShot(0, app.exit)


def state():
    window = next(widget for widget in app.topLevelWidgets() if widget.objectName() == "mainWindow")
    zones = [window.findChild(QWidget, name) for name in ZONES]
    places = [zone.mapTo(window, QPoint(0, 0)) for zone in zones]
    focus = app.focusWidget()
    return {
        "modules": sorted(sys.modules),
        "sources": sorted(linecache.cache),
        "zones": [[place.x(), place.y(), zone.width(), zone.height()] for place, zone in zip(places, zones)],
        "menus": [action.text() for action in window.menuBar().actions()],
        "tables": sum(table.isVisible() for table in map(lambda n: window.findChild(QWidget, n), TABLES) if table),
        "focus": focus.objectName() if focus else "",
    }


watch = Watch()
app.installEventFilter(watch)
from attn_gui.app.start import run

code = run(FILES)
print(json.dumps(told))
sys.exit(code)
"""

BROKEN = """
import attn_gui.app.program
def fail(*_, **__): raise RuntimeError("no program")
attn_gui.app.program.Program.__init__ = fail
import sys
from attn_gui.app.start import run
sys.exit(run())
"""

HEAVY = ("numpy", "pyqtgraph", "safetensors", "threadpoolctl")

SELDOM = (
    "PIL.Image", "difflib", "attn_gui.app.tables.finding", "attn_gui.app.lessons.lessons",
    "attn_gui.app.late_controllers", "attn_gui.figure.heatmap", "attn_gui.figure.figure_kinds",
    "attn_gui.figure.pages.page_kind", "attn_gui.figure.render", "attn_gui.figure.heatmap_layout",
    "attn_gui.engine.analysis.target_solution", "attn_gui.engine.analysis.verification",
    "attn_gui.engine.analysis.reference", "attn_gui.engine.evaluation.streaming",
    "attn_gui.formats.text.delimited", "attn_gui.formats.text.text_table",
    "attn_gui.formats.text.latex_markdown_reader", "attn_gui.lessons.exercises", "attn_gui.lessons.lesson",
    "attn_gui.models", "attn_gui.views.map.levels_popup",
    "attn_gui.views.page_canvas",
)  # fmt: skip
EARLY_DIALOGS = {"attn_gui.views.dialogs.dialog_base"}
ASKED_FOR = {
    "attn_gui.models.model", "attn_gui.models.attribution", "attn_gui.views.model_view", "attn_gui.lessons.lesson",
    "attn_gui.lessons.exercises", "attn_gui.engine.grading", "attn_gui.figure.figure_kinds", "attn_gui.figure.render",
    "attn_gui.views.dialogs.form_fields",
}  # fmt: skip

GARBAGE = """
import gc, sys, threading, weakref
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

app = QApplication([])


class Cycle(QObject):
    def __init__(self):
        super().__init__()
        self.me = self
        self.destroyed.connect(lambda: None)


def look():
    if not gc.get_freeze_count():  # the start is not over
        QTimer.singleShot(20, look)
        return
    gone = []
    weakref.finalize(Cycle(), lambda: gone.append(threading.current_thread() is threading.main_thread()))
    busy = threading.Thread(target=lambda: [[] for _ in range(200_000)])
    busy.start()
    busy.join()
    kept = [[] for _ in range(5_000)]
    tell(gone, kept)


def tell(gone, kept):
    if gone:
        print(gone, len(kept), *sys.modules)
        app.exit()
    else:
        QTimer.singleShot(20, lambda: tell(gone, kept))


QTimer.singleShot(0, look)
from attn_gui.app.start import run

sys.exit(run())
"""
SIDES, TITLE_BAR = 10, 40
"""What the frame of a window adds at most in openbox and in Windows."""


def run(script: str, home: Path) -> subprocess.CompletedProcess[str]:
    screen = home / "screen.json"
    screen.write_text(json.dumps({"screens": [SCREEN]}))
    platform = f"offscreen:configfile={screen}"
    env = {**os.environ, "QT_QPA_PLATFORM": platform, "XDG_CONFIG_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, timeout=300)


def watched(home: Path, files: str, last: str) -> dict[str, Any]:
    names = f"ZONES = {ZONES!r}\nTABLES = ('table.query', 'table.key', 'table.value')\n"
    done = run(f"from pathlib import Path\n{names}FILES = {files}\nLAST = {last!r}\n{WATCHED}", home)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What there was when the window was painted first, and when the maps of a file were."""
    example = str(resource("examples", "minilm-layer2.npz"))
    return watched(tmp_path_factory.mktemp("home"), f"[Path({example!r})]", "heatmap.weights")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """What there was when the window was painted first, and when the start page was."""
    return watched(tmp_path_factory.mktemp("home"), "[]", "start.map.minilm")


@pytest.mark.long
def test_a_start_without_a_file_paints_the_start_page_before_spine_tables_and_maps(first):
    assert not {name.split(".")[0] for name in first["first"]["modules"]} & set(HEAVY)
    modules = first["maps"]["modules"]
    assert "pyqtgraph" not in modules
    assert "attn_gui.app.program" not in modules
    assert set(modules) & set(SELDOM) == set()
    assert first["maps"]["zones"] == first["first"]["zones"], "no zone flashes up below it"
    assert first["maps"]["tables"] == 0


def test_the_window_is_painted_before_anything_heavy_is_imported(told):
    modules = told["first"]["modules"]
    assert "attn_gui.app.shell" in modules
    assert not {name.split(".")[0] for name in modules} & set(HEAVY)
    packages = ("attn_gui.engine", "attn_gui.formats", "attn_gui.document", "attn_gui.app.program")
    assert [name for name in modules if name.startswith(packages)] == []


def test_the_maps_are_painted_before_anything_is_imported_that_only_some_ask_for(told):
    modules = told["maps"]["modules"]
    assert "attn_gui.app.program" in modules
    assert set(modules) & set(SELDOM) == set()
    assert {name for name in modules if name.startswith("attn_gui.views.dialogs.")} <= EARLY_DIALOGS


def test_nothing_moves_once_the_window_is_painted(told):
    first, maps = told["first"], told["maps"]
    assert first["zones"] == maps["zones"]
    assert all(width > 200 and height > 500 for _, _, width, height in first["zones"])
    assert first["menus"] == maps["menus"]
    assert len(first["menus"]) == 7


def test_tables_come_with_the_maps_and_the_keyboard_is_on_the_map(told):
    assert told["first"]["tables"] == 0
    assert told["maps"]["tables"] == 3
    assert told["maps"]["focus"] == "heatmap.weights"


@pytest.mark.long
def test_a_program_that_cannot_be_made_leaves_no_empty_window(tmp_path):
    done = run(BROKEN, tmp_path)
    assert done.returncode == 1
    assert "no program" in done.stderr


@pytest.mark.long
def test_after_the_start_garbage_is_collected_on_the_thread_of_the_window_and_models_and_lessons_are_to_come(tmp_path):
    done = run(GARBAGE, tmp_path)
    assert done.returncode == 0, done.stderr
    collected, _kept, *modules = done.stdout.split()
    assert collected == "[True]"
    assert set(modules) & ASKED_FOR == set()


def test_what_is_asked_for_before_everything_is_there_is_done_then(qapp):
    program = Program(qapp, lang="en")
    try:
        program.show_first(None)
        program.window.show()
        for name in ("find", "unpin", "values", "head_off"):
            program.bars.actions[name].trigger()
        assert not program.view.look.values
        assert not program.document.problem.interventions
        program.complete()
        assert program.window.find_bar.isVisible()
        assert not program.view.look.values
        assert [record.at["head"] for record in program.document.problem.interventions] == [program.view.look.head]
    finally:
        program.end()


@each(
    ("before", "after"),
    [
        ({"QT_IM_MODULE": "fcitx"}, {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULES": "wayland;fcitx5;ibus"}, {"QT_IM_MODULES": "wayland;ibus"}),
        ({"QT_IM_MODULE": "ibus"}, None), ({"QT_IM_MODULE": "xim"}, None), ({}, None),
    ],
)  # fmt: skip
def test_fcitx_is_reached_as_ibus_where_qt_has_no_plugin_for_it(tmp_path, before, after):
    from attn_gui.app.start import replace_missing_fcitx

    (tmp_path / "libibusplatforminputcontextplugin.so").touch()
    environment = dict(before)
    said = replace_missing_fcitx(environment, tmp_path)
    assert environment == (after or before)
    assert (said is not None) == (after is not None)


@pytest.fixture
def program(qapp):
    opened = Program(qapp, lang="en")
    opened.begin(None)
    yield opened
    opened.end()


def parts_of(program: Program) -> dict[str, object]:
    """By name, each of its controllers among them."""
    return vars(program) | vars(program.first) | vars(program.late)


def test_every_action_is_answered_by_one_part_and_every_part_is_ended_with_the_program(program, monkeypatch):
    parts, ended = parts_of(program), Counter[str]()
    answered = Counter(name for part in parts.values() if hasattr(part, "commands") for name in part.commands())
    assert answered == Counter(row.name for row in program.bars.actions.rows)
    parts = {name: part for name, part in parts.items() if hasattr(part, "finish")}
    for name, part in parts.items():
        monkeypatch.setattr(part, "finish", lambda name=name, finish=part.finish: (ended.update([name]), finish()))
    program.end()
    assert set(ended) == set(parts)


def test_no_work_and_no_timer_outlives_the_program(program):
    begun, ended, over = Event(), Event(), Event()

    def work(progress):
        try:
            while not over.is_set():
                begun.set()
                progress(0.0)
        finally:
            ended.set()

    task, timer = BackgroundTask(program.late.pages), QTimer(program.late.pages)
    task.start(work)
    timer.start(0)
    assert begun.wait(10)
    try:
        program.end()
        assert ended.is_set()
        assert not timer.isActive()
    finally:
        over.set()


@pytest.mark.family(2)
@pytest.mark.parametrize("name", ["bad.npz", "gone.npz"])
def test_a_window_says_itself_what_is_wrong_with_the_file_that_it_starts_with(qapp, qtbot, tmp_path, name):
    if name.startswith("bad"):
        (tmp_path / name).write_bytes(b"nonsense")
    program = Program(qapp, lang="en", opens=True)
    try:
        program.show_first(tmp_path / name)
        program.window.show()
        program.complete()
        qtbot.waitUntil(program.window.banner.isVisible)
        assert name in program.window.banner.text()
        assert not program.document.modified
        assert (program.document.name, program.view.look.head) == ("minilm-layer2", 3)
    finally:
        program.end()


def test_a_window_closed_before_everything_is_built_closes_once_it_is_and_lies_on_the_screen_with_its_frame(qapp):
    program = Program(qapp, lang="en")
    program.show_first(None)
    program.window.show()
    program.window.close()
    assert program.window.isVisible()
    program.complete()
    assert not program.window.isVisible()
    screen = QGuiApplication.primaryScreen().availableSize()
    for again in (lambda: None, program.layout.reset):
        again()
        assert program.window.width() + SIDES <= screen.width()
        assert program.window.height() + TITLE_BAR <= screen.height()
    program.end()


# --- end ------------------------------------------------------------------------------------------
# The end of a program: whoever opens one window after another from Python holds one of them.


def objects_after_a_program(app: QApplication) -> int:
    """How many objects of Qt there are once a program has ended."""
    program = Program(app, lang="zh")
    program.begin(None)
    program.window.show()
    program.end()
    del program
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return sum(isinstance(found, QObject) for found in gc.get_objects())


@pytest.mark.long
def test_a_program_that_has_ended_leaves_no_object_behind(qapp):
    before = [objects_after_a_program(qapp) for _ in range(2)][-1]
    assert objects_after_a_program(qapp) == before


def keys_of(row: Row) -> list[str]:
    return [keys.toString(QKeySequence.SequenceFormat.PortableText) for keys in row.shortcuts()]


@pytest.fixture
def rows():
    return {row.name: row for row in ACTIONS}


@pytest.mark.usefixtures("qapp")
def test_no_shortcut_belongs_to_two_actions():
    counted = Counter(keys for row in ACTIONS for keys in keys_of(row))
    assert [keys for keys, count in counted.items() if count > 1] == []
