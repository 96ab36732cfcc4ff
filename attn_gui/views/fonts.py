"""The fonts that the program brings along: Inter always, Chinese only where the system has none."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase

from attn_gui.paths import resource

LATIN = ("Inter-Regular.otf", "Inter-SemiBold.otf")
CHINESE = "NotoSansCJKsc-Subset.otf"


def load_fonts() -> None:
    """Make the shipped fonts known to Qt; once a process is enough. Needs a QGuiApplication."""
    for name in LATIN:
        _load(name)
    if not QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese):
        _load(CHINESE)


def _load(name: str) -> None:
    """A font that cannot be read is no reason not to start: the family list goes on to the next."""
    if name not in _loaded and QFontDatabase.addApplicationFont(str(resource("fonts", name))) >= 0:
        _loaded.add(name)


_loaded: set[str] = set()
