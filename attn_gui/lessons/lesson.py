"""Records of a lesson: what was read from its file, nothing computed yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from attn_gui.paths import resource

from .lesson_text import Text
from .live_expression import Expression


@dataclass(frozen=True)
class Order:
    """One instruction of a step: its word, what follows it, and its line in the file."""

    word: str
    rest: str
    line: int


@dataclass(frozen=True)
class Question:
    """A question with its check: a number that is computed, or one of several choices."""

    text: Text
    answer: Expression | None = None
    line: int = 0  # of the answer
    tolerance: float = 0.0
    choices: tuple[Text, ...] = ()
    right: int = 0  # the place of the right choice
    because: Text | None = None  # said once it is answered


@dataclass(frozen=True)
class Step:
    """A step: its text, how the window is set up for it, and what the person is asked to change or to answer."""

    title: Text
    text: Text
    line: int
    orders: tuple[Order, ...] = ()
    tasks: tuple[Order, ...] = ()  # changes that the person makes
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    """A whole lesson; `path` is its file, beside which problems that it opens may lie."""

    title: Text
    steps: tuple[Step, ...]
    path: Path = field(default_factory=Path)

    @property
    def name(self) -> str:
        """The name of its file, by which its problem goes."""
        return self.path.stem

    @property
    def key(self) -> str:
        """The name by which progress is kept: that of a lesson that comes along, the path of any other file."""
        return self.name if self.path.parent == resource("lessons") else str(self.path.absolute())
