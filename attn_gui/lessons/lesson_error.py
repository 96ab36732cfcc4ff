"""Refusals of a lesson: one sentence with the line, what was expected and what is there."""

from __future__ import annotations

from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError, Note, quoted

LINE = QT_TRANSLATE_NOOP("Sentences", "In the lesson {file}, line {line}: expected {expected}, got {got}.")

NOTHING = Note(QT_TRANSLATE_NOOP("Sentences", "nothing"))
LONGEST_ECHO = 60  # letters of the file that are said again


class LessonError(FormatError):
    """A lesson that cannot be taken; `expected` is a text or a Note that can be translated."""

    def __init__(self, line: int, expected: object, got: object) -> None:
        found = got if hasattr(got, "template") else quoted(str(got), LONGEST_ECHO) or NOTHING
        super().__init__(LINE, line=line, expected=expected, got=found)
