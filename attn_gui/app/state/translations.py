"""The language of the window: English in the source, Simplified Chinese beside it, switched live.

What Qt loads is made of the .ts file by packaging/texts.py; a checkout of which it was never made says so.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from attn_gui.languages import LANGUAGES
from attn_gui.paths import resource

QTS_OWN = {"zh": "qtbase_zh_CN.qm"}
NAME = "language"  # without one to look for, PySide makes everything below the application known to Python
NOT_COMPILED = "The Chinese texts of this checkout are not compiled yet; python packaging/texts.py does it."


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
    """The way from a text of the source and its context to its words in all languages, whichever is on show."""
    translators = []
    for language in LANGUAGES[1:]:
        translator = QTranslator()
        translator.load(str(resource("translations", f"attn_gui_{language}.qm")))
        translators.append(translator)
    return lambda source, context: " ".join((source, *(each.translate(context, source) or "" for each in translators)))
