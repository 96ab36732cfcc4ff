"""The other state of `attn-gui export --compare`: ready made, or another file's. Imports engine and formats."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from attn_gui.commands.command_ground import complete, told
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.comparison import READY
from attn_gui.engine.evaluation.trace import evaluation_of
from attn_gui.formats import FormatError, open_file
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.languages import LANGUAGES

_NOTHING_TO_COMPARE = QT_TRANSLATE_NOOP(
    "Sentences", "{name} would compare the problem with itself: it has nothing of the kind."
)
_NO_STATE = QT_TRANSLATE_NOOP("Sentences", "{name} is no file, and none of {known}.")


class Other(NamedTuple):
    """The evaluation before, what the two states are called, and the part of a file's name that says so."""

    before: Evaluation
    names: tuple[str, str]
    part: str


def other_state(given: str, problem: Problem, own: str, head: int, lang: str) -> Other:
    """The state that `given` names, a ready-made one or a file, beside a problem that is called `own`.

    FormatError for what is neither.
    """
    if given in READY:
        ready, word = READY[given], LANGUAGES.index(lang)  # its words are in this order
        if not ready.applies(problem):
            raise FormatError(_NOTHING_TO_COMPARE, name=given)
        names = ready.before[word].format(head=head), ready.after[word].format(head=head)
        return Other(evaluation_of(ready.made(problem, head)), names, given)
    path = Path(given)
    if not path.exists():
        raise FormatError(_NO_STATE, name=given, known=tuple(READY))
    return Other(evaluation_of(complete(told(open_file(path)), path).problem), (path.stem, own), f"vs-{path.stem}")
