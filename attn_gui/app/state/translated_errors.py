"""Errors and notes of the engine in the window's language, and the words in their places (“the tokens of the keys”)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import reduce, wraps
from typing import ParamSpec, TypeVar

from PySide6.QtCore import QCoreApplication

from attn_gui.document.edits import fill_template
from attn_gui.document.matrix_model import field_symbol
from attn_gui.engine import Problem
from attn_gui.engine.analysis.shortest_change import BIAS
from attn_gui.engine.errors import spoken
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.graph.symbols_and_titles import is_named
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import lacking
from attn_gui.languages import N_
from attn_gui.views.names import normalizer_name, score_name

P = ParamSpec("P")
R = TypeVar("R")
NAMED = ("matrix", "other", "field", "stage", "by", "why")  # places where the engine names what it speaks of
SCORE = "score"  # where it says which score function it means
NORMALIZE = "normalize"  # and which normalization
NUMBERS = {
    "scale": ("Names", "scale"),
    BIAS: ("Names", BIAS),  # a way to a target
    "softcap": ("Settings", "softcap"),
    "temperature": ("Settings", "temperature"),
    "sink": ("Names", "Attention sink"),
    "rotary_theta": ("Settings", "base of the rotary positions"),
    "block.ln_eps": ("Settings", "ε of the LayerNorm"),
    "block.norm_eps": ("Settings", "ε of the norms"),
    "qk_norm_eps": ("Settings", "ε of the norms of Q and K"),
    "query_tokens": ("Sentences", N_("the tokens of the queries")),
    "key_tokens": ("Sentences", N_("the tokens of the keys")),
}


def sentence(said: object, named: Callable[[str], str] | None = None) -> str:
    """Return the translated sentence of an error or note that carries its template and values, else its own words.

    Matrices and numbers are `named`, by default as in the window; what is wrong with a file keeps the names of its
    arrays.
    """
    return _sentence(said, named or called)


def sentences(said: Iterable[object]) -> str:
    """Return several notes, one after another; between Chinese sentences stands no blank."""
    both = QCoreApplication.translate("Sentences", "{sentence} {next}")
    return reduce(lambda text, more: both.format(sentence=text, next=more), map(sentence, said))


def why_lacking(problem: Problem, roles: Collection[Role]) -> str:
    """Return the reason why a problem cannot have a part of attention, in the language of the window.

    "" where it can.
    """
    said = lacking(problem, roles)
    return QCoreApplication.translate("Sentences", said) if said is not None else ""


def _sentence(said: object, named: Callable[[str], str]) -> str:
    template, values = getattr(said, "template", None), getattr(said, "values", None)
    if not isinstance(template, str) or not isinstance(values, Mapping):
        return str(said)
    words = {place: _filling(place, value, named) for place, value in values.items()}
    said = fill_template(QCoreApplication.translate("Sentences", template), words)
    first = template.removeprefix("{").partition("}")[0]
    begins = named is called and first in NAMED and values.get(first) in tuple(NUMBERS)  # with a word, and no name
    return said[:1].upper() + said[1:] if begins else said


def _filling(place: str, value: object, named: Callable[[str], str]) -> str:
    """Return words of a value for its place in a sentence."""
    if place == SCORE and value in SCORES:
        return score_name(str(value))
    if place == NORMALIZE:
        return normalizer_name(str(value))
    return named(value) if place in NAMED and isinstance(value, str) else _word(value)


def _word(value: object) -> str:
    if hasattr(value, "template"):
        return _sentence(value, str)
    if isinstance(value, tuple) and value and all(isinstance(part, str) for part in value):
        return QCoreApplication.translate("Sentences", ", ").join(map(_word, value))
    return spoken(value)


def called(name: str) -> str:
    """Return the letter of a matrix, the word for a number or for tokens."""
    if name in NUMBERS:
        return QCoreApplication.translate(*NUMBERS[name])
    return field_symbol(name) if is_named(name) else name


def saying(said: object) -> Callable[[], str]:
    """Return the sentence as something that can be asked again after the language was switched."""
    return lambda: sentence(said)


def translating(do: Callable[P, R]) -> Callable[P, R]:
    """Wrap a function so that its refusals are words of the window's language, for widgets that know no engine."""

    @wraps(do)
    def done(*args: P.args, **named: P.kwargs) -> R:
        try:
            return do(*args, **named)
        except (ValueError, OSError, MemoryError) as error:
            raise ValueError(sentence(error)) from error

    return done
