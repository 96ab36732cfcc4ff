"""Theme, language and size of everything: chosen in View, remembered in the settings."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPixmapCache
from PySide6.QtWidgets import QApplication

from attn_gui.app.actions.actions import Command, choices
from attn_gui.app.state.settings import Settings
from attn_gui.app.state.translations import set_language, system_language
from attn_gui.languages import LANGUAGES
from attn_gui.views.theme import SCHEMES, apply_theme

PIXMAPS_KB = 1024
"""Of pixels of icons, gone ones too, Qt keeps so many; by itself 10 MB, to which each question and file dialog adds. A
window has 20 KB of its own."""
ZOOM_STEPS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)


class LookController(QObject):
    """Applies theme, language and zoom, and tells when one of them changed."""

    changed = Signal()

    def __init__(self, app: QApplication, settings: Settings, lang: str | None = None) -> None:
        super().__init__(app)
        self._app, self._settings = app, settings
        QPixmapCache.setCacheLimit(PIXMAPS_KB)
        self.language = lang or settings.choice("language", LANGUAGES, system_language())
        self.scheme = settings.choice("theme", SCHEMES, "system")
        self.zoom = min(max(settings.number("zoom", 1.0), ZOOM_STEPS[0]), ZOOM_STEPS[-1])
        set_language(app, self.language)
        apply_theme(app, self.scheme, self.zoom)

    def commands(self) -> dict[str, Command]:
        """The rows of the table of actions that it answers."""
        languages = {f"language_{key}": key for key in LANGUAGES}
        schemes = {f"theme_{key}": key for key in SCHEMES}
        steps = {"zoom_in": 1, "zoom_out": -1, "zoom_reset": 0}
        return {
            **choices(languages, lambda: self.language, self.set_language),
            **choices(schemes, lambda: self.scheme, self.set_scheme),
            **{name: Command(partial(self.step_zoom, step)) for name, step in steps.items()},
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

    def step_zoom(self, step: int) -> None:
        """Larger (1), smaller (-1) or normal (0)."""
        nearest = min(range(len(ZOOM_STEPS)), key=lambda k: abs(ZOOM_STEPS[k] - self.zoom))
        self.zoom = ZOOM_STEPS[max(0, min(len(ZOOM_STEPS) - 1, nearest + step))] if step else 1.0
        self._settings.put("zoom", self.zoom)
        apply_theme(self._app, self.scheme, self.zoom)
        self.changed.emit()
