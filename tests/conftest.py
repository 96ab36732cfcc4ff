"""Ground of every test: no screen, settings of its own, and nothing left behind for the tests after it."""

import gc
import importlib.util
import math
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before the first import of Qt
# the sentences of the command line are those of the locale; a test asks for the Chinese ones by itself
os.environ |= {name: "C" for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name, "").startswith("zh")}
if "PYTEST_XDIST_WORKER" in os.environ:  # before that of NumPy: threads of BLAS in each of many processes would spin
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for cores that the others have

if sys.dont_write_bytecode and sys.prefix != sys.base_prefix:
    # Nothing is wanted beside the sources; compiling them anew in every process takes half a minute of a run. What is
    # compiled stands in the virtual environment then, for the processes that are started here, too.
    sys.dont_write_bytecode = False
    sys.pycache_prefix = str(Path(sys.prefix, "compiled"))
    os.environ |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": sys.pycache_prefix}

import pytest

from attn_gui.libraries import COLLECTING, DRAWING, complaint

if missing := complaint(DRAWING | COLLECTING):
    raise SystemExit(missing)


from hypothesis import settings
from PySide6.QtCore import QCoreApplication, QEvent, QSettings
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QWidget
from pytestqt.qtbot import QtBot

from attn_gui.app.state.settings import set_language
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.text.fonts import load_fonts
from attn_gui.views.theme import apply_theme, current_theme, scaled
from tests import failing

# no deadline: the first drawing of a widget is slow on a busy machine, and that is not what the properties are about
settings.register_profile("fresh", deadline=None, max_examples=50, database=None)
settings.register_profile("house", settings.get_profile("fresh"), derandomize=True)

PATIENCE_MS = 120_000
"""Tests wait for events; so long they wait on a machine that has other work for all its cores."""

ASIDE = 30_000

GARBAGE = 20_000
"""So many new objects are looked through for garbage at a time."""

YOUNG, ALL = 1, 2
"""What was made since garbage was looked for last; and everything, which takes ten times as long."""

gc.disable()  # else it may run on a thread of the program, and an object of Qt must not be deleted there

QTS_OWN = ("QTipLabel",)  # Qt keeps the last tooltip for a while


class Still(QProxyStyle):
    """The style of a desktop that asks for no motion."""

    def styleHint(self, hint: QStyle.StyleHint, *more: Any) -> int:
        return 0 if hint == QStyle.StyleHint.SH_Widget_Animation_Duration else super().styleHint(hint, *more)


@pytest.fixture
def still(qapp: QApplication) -> Iterator[None]:
    """A desktop that asks for no motion."""
    qapp.setStyle(Still("Fusion"))
    yield
    qapp.setStyle("Fusion")


class Patient(QtBot):
    """A bot whose waits end with the event, on a busy machine too."""

    def waitUntil(self, callback: Callable[[], object], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> Patient:
    return Patient(request)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="families of cases whole, not the share of every day")
    parser.addoption("--kills", type=int, default=0, help="so many kills of the program instead of a few")
    parser.addoption("--inputs", type=int, default=0, help="so many damaged files instead of a few")
    parser.addoption("--first", type=int, default=0, help="the number of the first of these kills or files")
    parser.addoption("--fresh", action="store_true", help="properties on new examples, not those of every other run")


def pytest_configure(config: pytest.Config) -> None:
    _compile_texts()
    config.addinivalue_line("markers", "family(every): many cases of one kind; one of so many runs without --long")
    config.addinivalue_line("markers", "long: a dear case of what a cheaper test proves, too; runs with --long alone")
    failing.whole = _whole(config)
    profile = settings.get_profile("fresh" if config.getoption("fresh") else "house")
    settings.register_profile("run", profile, max_examples=failing.examples(profile.max_examples))
    settings.load_profile("run")


def _compile_texts() -> None:
    """Chinese of these very sources, in a checkout that nobody has set up, too."""
    root = Path(__file__).resolve().parents[1]
    spec = importlib.util.spec_from_file_location("texts_script", root / "packaging" / "compile_translations.py")
    assert spec is not None
    assert spec.loader is not None
    texts = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(texts)
    texts.compile_stale(root)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of families a share, and of the cases of a journey one, which the seed of the run draws anew each time; all of
    them with --long and of a file that is named."""
    if _whole(config):
        return
    cases: Counter[str] = Counter()
    left = []
    for item in items:
        name = item.nodeid.split("[")[0]
        if cases[name] % _one_of(item) or item.get_closest_marker("long"):
            left.append(item)
        cases[name] += 1
    away = set(left)
    items[:] = [item for item in items if item not in away]
    config.hook.pytest_deselected(items=left)


def _one_of(item: pytest.Item) -> float:
    """One of so many cases is run: of a family as it says, of a journey, which starts the program, one of all."""
    family = item.get_closest_marker("family")
    return float(family.args[0]) if family is not None else math.inf if _is_journey(item) else 1.0


def _is_journey(item: pytest.Item) -> bool:
    """Whether it starts the program, which costs more than most tests do."""
    return "launch" in getattr(item, "fixturenames", ())


def _whole(config: pytest.Config) -> bool:
    """Whether every case of everything is run."""
    return config.getoption("long") or not _folders(config)


def _folders(config: pytest.Config) -> bool:
    """Whether everything under some folders was asked for, not files or tests by name."""
    return all(Path(arg).is_dir() for arg in config.args)


def pytest_collection_finish() -> None:
    """What was collected is there until the end: it is no garbage, and most of what would be looked through."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """For folders a process for each core: one more takes a twelfth more of the processors' time, and ends no sooner.
    Files and single tests begin sooner without other processes."""
    return os.cpu_count() or 1 if _folders(config) else 0


@pytest.fixture(scope="session", autouse=True)
def qapp(qapp: QApplication) -> QApplication:
    """Dressed as the program is and there from the first test on: nothing depends on which one comes first.

    Without it a test that draws a figure would make an application of its own, in which no window can be.
    """
    load_fonts()
    set_language(qapp, "en")
    apply_theme(qapp, "light")
    return qapp


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _alone(qapp: QApplication, _homes: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What every test begins with and leaves behind; in one fixture, as pytest takes longer for five than they do."""
    _have_settings_apart(_homes, monkeypatch)
    QCursor.setPos(ASIDE, ASIDE)  # where the last test left it, a button of this one's window would be lit
    before = _top_level_widgets()
    yield
    try:
        monkeypatch.undo()  # of what follows, too, nothing is to be patched
    finally:
        try:
            _assert_no_window_left(before)
        finally:
            _take_garbage()
            _dress_as_it_was(qapp)


def _have_settings_apart(homes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is read from or written to the settings of whoever runs the tests; these ask for the full window, which
    has everything to try."""
    home = Path(tempfile.mkdtemp(dir=homes))
    kept = home / "attn_gui" / "attn_gui.ini"
    kept.parent.mkdir()
    kept.write_text("[General]\nsimple=false\n", "utf-8")
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(home))  # of this process
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))  # of those that it starts
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(home / name))


def _dress_as_it_was(app: QApplication) -> None:
    """Language, theme, zoom, clipboard belong to the application, and outlive the window they were for."""
    set_language(app, "en")
    if current_theme() is not THEMES["light"] or scaled(100) != 100:
        apply_theme(app, "light")
    QGuiApplication.clipboard().clear()


def _take_garbage() -> None:
    """What the program does while it runs: look for garbage on the thread of the window."""
    new, _, times = gc.get_count()
    if new > GARBAGE:
        gc.collect(YOUNG if times < 10 else ALL)


def _assert_no_window_left(before: list[QWidget]) -> None:
    """Fail a test that leaves a top-level widget alive: it would repaint and signal through all later tests."""
    for generation in (YOUNG, ALL):
        if _left_over(before):
            gc.collect(generation)  # a widget held only by a cycle of references counts as gone
    left = _left_over(before)
    names = [f"{type(widget).__name__} {widget.objectName()!r}" for widget in left]
    for widget in left:
        widget.close()
        widget.deleteLater()
    assert not names, f"top-level widgets left behind: {', '.join(names)}"


def _left_over(before: list[QWidget]) -> list[QWidget]:
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    known = set(map(id, before))
    return [widget for widget in _top_level_widgets() if id(widget) not in known]


def _top_level_widgets() -> list[QWidget]:
    if not isinstance(QApplication.instance(), QApplication):
        return []
    return [widget for widget in QApplication.topLevelWidgets() if type(widget).__name__ not in QTS_OWN]
