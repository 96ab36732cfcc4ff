"""The language of the window: English in the source, Simplified Chinese beside it, switched live.

English has a file of its own only for the plurals ("1 score", "16 scores").
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from attn_gui.paths import resource

LANGUAGES = ("en", "zh")
QTS_OWN = {"zh": "qtbase_zh_CN.qm"}

_installed: list[QTranslator] = []


def system_language() -> str:
    """Chinese for every system language that begins with zh, English for all others."""
    return language_of(QLocale.system().uiLanguages())


def language_of(wanted: list[str]) -> str:
    """Our language for a list of language tags, the most wanted first ("zh-Hans-CN", "en_GB", …)."""
    return "zh" if wanted and wanted[0].replace("_", "-").split("-")[0].lower() == "zh" else "en"


def set_language(app: QCoreApplication, language: str) -> None:
    """Every text from now on; widgets hear of it as QEvent.LanguageChange."""
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    while _installed:
        app.removeTranslator(_installed[-1])
        _installed.pop().deleteLater()
    ours = str(resource("translations", f"attn_gui_{language}.qm"))
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    qts = [f"{folder}/{QTS_OWN[language]}"] if language in QTS_OWN else []
    for path in (*qts, ours):
        translator = QTranslator(app)
        if translator.load(path):  # a Qt without its own texts still gets ours
            app.installTranslator(translator)
            _installed.append(translator)
