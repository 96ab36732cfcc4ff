"""Settings: language, theme, zoom steps, which files are recent in all windows, whatever is kept; words of Qt's
dialogs."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QCoreApplication, QLibraryInfo, QLocale, QObject, QSettings, QTranslator, Signal
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command, choices
from attn_gui.languages import LANGUAGES, N_
from attn_gui.paths import resource
from attn_gui.views.theme import SCHEMES, apply_theme, motion_reduced, reduce_motion

if TYPE_CHECKING:
    from attn_gui.engine import Problem


# --- settings --------------------------------------------------------------------------------------
MOST_RECENT = 10
REOPEN = "reopen_last"
"""Begin with the document opened or saved last, not with the start page."""
_RECENT_FILES = "recent", "files"  # the record, and its list
_SIZES = "recent_sizes"  # of those files, by path
MOST_FOLDERS = 10
_MODEL_FOLDERS = "models/opened", "folders"


class Settings:
    """Reads and writes what outlives a session: keys and values in one INI file, never indices or labels."""

    def __init__(self) -> None:
        self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "attn_gui", "attn_gui")

    def text(self, key: str, default: str) -> str:
        return str(self._store.value(key, default))

    def number(self, key: str, default: float) -> float:
        try:
            found = float(str(self._store.value(key, default)))
        except ValueError:
            return default
        return found if math.isfinite(found) else default

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """Return one of several words; what another version may have written counts as nothing."""
        found = self.text(key, default)
        return found if found in choices else default

    def flag(self, key: str, default: bool) -> bool:
        return self.text(key, "true" if default else "false") == "true"

    def record(self, key: str) -> dict[str, Any]:
        """Return a small mapping, such as the last choice of a dialog; anything unreadable counts as nothing."""
        try:
            found = json.loads(self.text(key, "{}"))
        except json.JSONDecodeError:
            return {}
        return found if isinstance(found, dict) else {}

    def put(self, key: str, value: str | float | bool | dict[str, Any]) -> None:
        if isinstance(value, bool):
            value = "true" if value else "false"
        self._store.setValue(key, json.dumps(value) if isinstance(value, dict) else value)

    def add(self, key: str, more: dict[str, Any]) -> None:
        """Add to a record, to which another window may have added a moment ago."""
        self._store.sync()
        self.put(key, self.record(key) | more)

    def entries(self, key: str, name: str) -> list[Any]:
        """Return the list that a record holds under a name; anything unreadable counts as empty."""
        found = self.record(key).get(name)
        return found if isinstance(found, list) else []

    def put_first(self, key: str, name: str, entry: object, most: int, alike: Callable[[Any], bool]) -> None:
        """Put an entry before all others of such a list, in the place of one that is alike."""
        self._store.sync()
        others = [other for other in self.entries(key, name) if not alike(other)]
        self.put(key, {name: [entry, *others][:most]})

    def geometry(self, key: str) -> QByteArray | None:
        found = self._store.value(key)
        return found if isinstance(found, QByteArray) else None

    def put_geometry(self, key: str, value: QByteArray) -> None:
        self._store.setValue(key, value)

    def forget(self, group: str) -> None:
        self._store.remove(group)

    def recent(self) -> list[Path]:
        """Return the files opened or saved last, in any window, newest first, missing ones included."""
        self._store.sync()
        return [Path(name) for name in self.entries(*_RECENT_FILES) if isinstance(name, str)]

    def first(self) -> Path | None:
        """Return the document that a start without a file begins with, where that is wanted; it may be gone."""
        found = self.recent()[:1] if self.flag(REOPEN, False) else []
        return found[0] if found else None

    def add_recent(self, path: Path, problem: Problem | None = None) -> None:
        """Put a file first, with the sizes of the problem that it holds where that is known."""
        self.put_first(*_RECENT_FILES, str(path), MOST_RECENT, str(path).__eq__)
        known = self.record(_SIZES)
        if problem is not None:
            width = problem.num_heads * problem.d_k if problem.compares else problem.m
            known[str(path)] = [problem.n, width, problem.num_heads]
        listed = [name for name in self.entries(*_RECENT_FILES) if isinstance(name, str)]  # read a moment ago
        self.put(_SIZES, {name: known[name] for name in listed if name in known})

    def last_folder(self) -> Path:
        """Return the folder of the file opened or saved last, or that of the person where it is gone."""
        recent = self.recent()
        return recent[0].parent if recent and recent[0].parent.is_dir() else Path.home()

    def model_folders(self) -> list[Path]:
        """Return the folders of the models opened last, newest first."""
        return [Path(name) for name in self.entries(*_MODEL_FOLDERS) if isinstance(name, str)]

    def add_model_folder(self, folder: Path) -> None:
        """Put the folder of a model first."""
        self.put_first(*_MODEL_FOLDERS, str(folder), MOST_FOLDERS, str(folder).__eq__)

    def sizes_of(self, path: Path) -> tuple[int, ...]:
        """Return rows and columns of the Q of a recent file, or of weights alone, and how many heads.

        Empty if unknown.
        """
        found = self.record(_SIZES).get(str(path))
        if not isinstance(found, list) or len(found) != 3 or any(type(size) is not int for size in found):
            return ()
        return tuple(found)

    def keep_recent(self, paths: Iterable[Path]) -> None:
        """Let the list be these files alone."""
        key, name = _RECENT_FILES
        self.put(key, {name: [str(path) for path in paths]})


# --- language, theme and zoom ----------------------------------------------------------------------
QTS_OWN = {"zh": "qtbase_zh_CN.qm"}

QTS_LACK: tuple[str, ...] = (  # words of Qt's file dialog that its own Chinese has not, or that no desktop says
    N_("QAbstractFileIconProvider", "Folder"),
    N_("QAbstractFileIconProvider", "File"),
    N_("QAbstractFileIconProvider", "%1 File"),
    N_("QFileSystemModel", "Size"),
    N_("QFileDialog", "%1 already exists.\nDo you want to replace it?"),
)
NAME = "language"  # without one to look for, PySide makes everything below the application known to Python
NOT_COMPILED = (
    "The Chinese texts of this checkout are not compiled yet; python packaging/compile_translations.py does it."
)

PIXMAPS_KB = 1024
"""Of pixels of icons, gone ones too, Qt keeps so many; by itself 10 MB, to which each question and file dialog adds. A
window has 20 KB of its own."""

STILL = "reduced_motion"
"""Setting that takes the place of what the desktop says of motion."""
ZOOM_STEPS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)


def language_of(wanted: list[str]) -> str:
    """Return our language for a list of language tags, the most wanted first ("zh-Hans-CN", "en_GB", …)."""
    return "zh" if wanted and wanted[0].replace("_", "-").split("-")[0].lower() == "zh" else "en"


def set_language(app: QCoreApplication, language: str) -> None:
    """Set the language of every text; widgets get a QEvent.LanguageChange."""
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    for installed in app.findChildren(QTranslator, NAME):
        app.removeTranslator(installed)
        installed.deleteLater()
    if language == "en":
        return
    ours = resource("translations", f"attn_gui_{language}.qm")
    if not ours.exists():
        warnings.warn(NOT_COMPILED, stacklevel=2)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for path in (f"{folder}/{QTS_OWN[language]}", str(ours)):
        translator = QTranslator(app)
        translator.setObjectName(NAME)
        if translator.load(path):  # a Qt without its own texts still gets ours
            app.installTranslator(translator)


def in_every_language() -> Callable[[str, str], str]:
    """Return the way from a text of the source and its context to its words in all languages, whichever is on show."""
    translators = []
    for language in LANGUAGES[1:]:
        translator = QTranslator()
        translator.load(str(resource("translations", f"attn_gui_{language}.qm")))
        translators.append(translator)
    return lambda source, context: " ".join((source, *(each.translate(context, source) or "" for each in translators)))


class AppearanceController(QObject):
    """Applies theme, language and zoom, keeps them and whether the window is simple in the settings, and tells when one
    of them changed.
    """

    changed = Signal()

    def __init__(self, app: QApplication, settings: Settings, lang: str | None = None) -> None:
        super().__init__(app)
        self._app, self._settings = app, settings
        QPixmapCache.setCacheLimit(PIXMAPS_KB)
        self.language = lang or settings.choice("language", LANGUAGES, language_of(QLocale.system().uiLanguages()))
        self.scheme = settings.choice("theme", SCHEMES, "system")
        self.simple = settings.flag("simple", True)
        self.zoom = min(max(settings.number("zoom", 1.0), ZOOM_STEPS[0]), ZOOM_STEPS[-1])
        set_language(app, self.language)
        reduce_motion({"true": True, "false": False}.get(settings.text(STILL, "")))
        apply_theme(app, self.scheme, self.zoom)

    def commands(self) -> dict[str, Command]:
        languages = {f"language_{key}": key for key in LANGUAGES}
        schemes = {f"theme_{key}": key for key in SCHEMES}
        steps = {"zoom_in": 1, "zoom_out": -1, "zoom_reset": 0}
        return {
            **choices(languages, lambda: self.language, self.set_language),
            **choices(schemes, lambda: self.scheme, self.set_scheme),
            **{name: Command(partial(self.step_zoom, step)) for name, step in steps.items()},
            "reduced_motion": Command(self.set_reduced_motion, motion_reduced),
            "simple": Command(self.set_simple, lambda: self.simple),
        }

    def set_language(self, language: str) -> None:
        self.language = language
        self._settings.put("language", language)
        set_language(self._app, language)
        self.changed.emit()

    def set_scheme(self, scheme: str) -> None:
        self.scheme = scheme
        self._settings.put("theme", scheme)
        apply_theme(self._app, scheme, self.zoom)
        self.changed.emit()

    def set_simple(self, simple: bool) -> None:
        """Show what a first lesson needs, or everything."""
        self.simple = simple
        self._settings.put("simple", simple)
        self.changed.emit()

    def set_reduced_motion(self, reduced: bool) -> None:
        self._settings.put(STILL, reduced)
        reduce_motion(reduced)
        self.changed.emit()

    def step_zoom(self, step: int) -> None:
        """Show everything larger (1), smaller (-1) or in normal size (0)."""
        nearest = min(range(len(ZOOM_STEPS)), key=lambda k: abs(ZOOM_STEPS[k] - self.zoom))
        self.zoom = ZOOM_STEPS[max(0, min(len(ZOOM_STEPS) - 1, nearest + step))] if step else 1.0
        self._settings.put("zoom", self.zoom)
        apply_theme(self._app, self.scheme, self.zoom)
        self.changed.emit()
