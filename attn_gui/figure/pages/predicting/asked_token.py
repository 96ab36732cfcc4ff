"""Token that pages of a logit ask for: one of the likeliest, less another one or none."""

from __future__ import annotations

from collections.abc import Mapping

from attn_gui.engine.errors import FieldError
from attn_gui.figure.pages.aim import Aim, ModelAim
from attn_gui.figure.pages.knobs import Choice, Values
from attn_gui.figure.text.page_words import Words, page_words
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.visible_text import visible_text
from attn_gui.models.model import Run

NO_TOKEN = QT_TRANSLATE_NOOP("Sentences", "This model predicts no token here.")
NONE = ""
"""The key of no other token."""
ALONE = page_words(QT_TRANSLATE_NOOP("Pages", "nothing"))


def _tokens(aim: Aim, _values: Values) -> Mapping[str, Words]:
    rows = () if aim.model is None else aim.model.likely
    return {row.token: (("", visible_text(row.text)),) for row in rows} or {NONE: ALONE}


def _others(aim: Aim, values: Values) -> Mapping[str, Words]:
    return {NONE: ALONE} | {token: words for token, words in _tokens(aim, values).items() if token != values["token"]}


TOKEN = Choice("token", QT_TRANSLATE_NOOP("Pages", "logit of"), _tokens)
AGAINST = Choice("against", QT_TRANSLATE_NOOP("Pages", "less that of"), _others)


def asked(aim: Aim) -> tuple[ModelAim, str, str | None]:
    """The model, the token whose logit is asked for, and the one whose logit is taken off.

    Raises FieldError where the model predicts no token.
    """
    assert aim.model is not None, "it is only there with a model"
    if not aim.knobs["token"]:
        raise FieldError(NO_TOKEN)
    return aim.model, aim.knobs["token"], aim.knobs["against"] or None


def logit_name(run: Run, token: str, against: str | None) -> str:
    """The name of a logit, or of a difference of two."""
    shown = f"“{visible_text(run.text_of(token))}”"
    return shown if against is None else f"{shown} − “{visible_text(run.text_of(against))}”"
