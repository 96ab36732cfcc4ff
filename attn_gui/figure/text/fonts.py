"""Fonts that come along; the application that painting needs without a window, without Qt's lines on the locale."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QCoreApplication, qInstallMessageHandler
from PySide6.QtGui import QFont, QFontDatabase, QGuiApplication

from attn_gui.figure.design_tokens import CHINESE_FAMILIES, CODE_FAMILIES, FONT_FAMILIES, FONT_WEIGHT
from attn_gui.paths import resource

LATIN = ("Inter-Regular.otf", "Inter-SemiBold.otf")
CHINESE = "NotoSansCJKsc-Subset.otf"
WIDER_FONT = 1.2
"""A viewer of an SVG may have to take a wider font."""


def ensure_gui() -> QGuiApplication:
    """Return the running application, or one without a display, so that figures come out of a command line and a
    notebook.

    RuntimeError where an application without fonts runs already (a QCoreApplication): it cannot be replaced.
    """
    running = QCoreApplication.instance()
    if running is None:
        with without_locale_advice():
            _kept.append(QGuiApplication(["attn_gui", "-platform", "offscreen"]))
    elif not isinstance(running, QGuiApplication):
        raise RuntimeError("Figures need a QGuiApplication, and this process already runs a QCoreApplication.")
    load_fonts()
    application = QCoreApplication.instance()
    assert isinstance(application, QGuiApplication)
    return application


@contextmanager
def without_locale_advice() -> Iterator[None]:
    """Make an application without the four lines that Qt writes where the locale is no UTF-8: it takes the UTF-8 one of
    the same language by itself, and figures do not go by it."""

    def pass_on(_kind: object, _context: object, message: str) -> None:
        if not message.startswith("Detected locale"):
            print(message, file=sys.stderr)

    before = qInstallMessageHandler(pass_on)
    try:
        yield
    finally:
        qInstallMessageHandler(before)


def release_gui() -> None:
    """Give up the application that `ensure_gui` made, so that one with windows can take its place."""
    while _kept:
        _kept.pop().shutdown()
    _loaded.clear()


def load_fonts() -> None:
    """Make the shipped fonts known to Qt: Inter always, Chinese where the system has none of the same quality.

    Once a process is enough, more does no harm. Needs a QGuiApplication.
    """
    for name in LATIN:
        _load(name)
    if not set(CHINESE_FAMILIES) & set(QFontDatabase.families()):  # others, such as Droid Sans Fallback, lack weights
        _load(CHINESE)


def figure_font(pixels: float, *, strong: bool = False) -> QFont:
    """Return the font of figures: unhinted, so that the same text takes the same room on paper and at every
    resolution."""
    font = QFont(list(FONT_FAMILIES))
    font.setPixelSize(round(pixels))
    font.setWeight(QFont.Weight(FONT_WEIGHT.strong if strong else FONT_WEIGHT.text))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def code_font(pixels: float) -> QFont:
    """Return the font of code, in which every letter has one width; Chinese comes from the families of figures."""
    font = figure_font(pixels)
    font.setFamilies([*CODE_FAMILIES, *FONT_FAMILIES])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    return font


def _load(name: str) -> None:
    """Load a font; one that cannot be read is no reason to stop: the family list goes on to the next."""
    if name not in _loaded and QFontDatabase.addApplicationFont(str(resource("fonts", name))) >= 0:
        _loaded.add(name)


_loaded: set[str] = set()
_kept: list[QGuiApplication] = []
