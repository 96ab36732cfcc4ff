"""The command line's refusals and notes in Chinese, argparse's own among them. Imports Qt, and so is imported when one
is said."""

from __future__ import annotations

import re

from PySide6.QtCore import QTranslator

from attn_gui import arguments
from attn_gui.app.state.translated_errors import sentence
from attn_gui.arguments import MISUSE, NEAREST, ChangeNotes, CommandRefusal, UsageRefusal
from attn_gui.figure.text.fonts import ensure_gui
from attn_gui.formats.file_messages import FileNote
from attn_gui.languages import N_
from attn_gui.paths import resource
from attn_gui.views.names import said_in

_PARSER = (
    N_("argument {option}: {reason}"),
    N_("the following arguments are required: {options}"),
    N_("unrecognized arguments: {words}"),
    N_("invalid choice: {got} (choose from {choices})"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument {got}"),
    N_("{option} not allowed with argument {other}"),
    *arguments.SENTENCES,
    NEAREST,
)
"""Sentences that argparse hands on filled in, its own and those of `arguments`, from the whole to its parts."""


def chinese(said: object) -> str:
    """Return the sentence of an error or note in Chinese; one that was never translated in its own words."""
    application = ensure_gui()
    translator = QTranslator()
    translator.load(str(resource("translations", "attn_gui_zh.qm")))
    application.installTranslator(translator)
    try:
        return sentence(_with_templates(said), named=str)
    finally:
        application.removeTranslator(translator)


def _with_templates(said: object) -> object:
    """Return a refusal of the command line with the templates of what fills its places; others have them."""
    if isinstance(said, UsageRefusal):
        return FileNote(MISUSE, message=_recognized(said.message), near=_recognized(said.near))
    if isinstance(said, CommandRefusal) and said.template is not None:
        values = {
            place: _recognized(value) if isinstance(value, str) else value for place, value in said.values.items()
        }
        return FileNote(said.template, **values)
    if isinstance(said, FileNote):
        return FileNote(said.template, **{place: _change_words(value) for place, value in said.values.items()})
    return said


def _change_words(value: object) -> object:
    """Return changes by hand in the words of the window; any other value as it is."""
    if not isinstance(value, ChangeNotes):
        return value
    return "；".join(said_in(change, "Interventions") for change in value)


def _recognized(text: str) -> str:
    """Return a text of which a template is known as a note with this; any other as it is."""
    if isinstance(text, FileNote):
        return text
    for template in _PARSER:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return FileNote(template, **{place: _recognized(part) for place, part in found.groupdict().items()})
    return text
