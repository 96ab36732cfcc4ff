"""Groups and order of the lessons that come along, which follows which, and the title of a lesson's file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from attn_gui.languages import N_
from attn_gui.paths import ENDING, resource

if TYPE_CHECKING:
    from attn_gui.lessons.lesson import Lesson

BETWEEN = " | "  # between the two languages of a line. A title without it is that of a lesson in one language alone
LONGEST_LINE = 2_000

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (N_("Lessons", "Hands on"), ("06-worked-example", "01-shapes", "02-soft-retrieval", "05-masks")),
    (
        N_("Lessons", "Why it is computed so"),
        ("03-root-d-k", "04-operators", "09-pooling", "17-capacity"),
    ),
    (
        N_("Lessons", "Heads and the whole block"),
        ("07-thinking-machines", "08-eight-heads", "16-batches", "13-cross-attention", "12-block"),
    ),
    (
        N_("Lessons", "Words and models"),
        ("10-words", "11-itself", "14-rnn-cnn-attention", "15-induction"),
    ),
)
"""Titles of the groups, context "Lessons", with the names of their files in the order in which they are learned."""


def path_of(name: str) -> Path:
    """Return the file of a lesson that comes along."""
    return resource("lessons", f"{name}{ENDING}")


def names() -> Iterator[str]:
    """Yield the names of all lessons that come along, in order."""
    for _title, lessons in GROUPS:
        yield from lessons


def following(lesson: Lesson) -> Path | None:
    """Return the file of the lesson to go on with: the one that it names, or that comes next; None behind the last."""
    if lesson.end is not None and lesson.end.next:
        return lesson.path.parent / lesson.end.next
    order = list(names())
    if lesson.path.parent != resource("lessons") or lesson.name not in order[:-1]:
        return None
    return path_of(order[order.index(lesson.name) + 1])


def title_of(path: Path, lang: str) -> str | None:
    """Return the title in the first line of a lesson; None for a file that does not begin as a lesson."""
    with path.open(encoding="utf-8") as file:
        line = file.readline(LONGEST_LINE)
    sides = line.removeprefix("# ").strip().split(BETWEEN)
    return sides[lang == "zh"] if line.startswith("# ") and len(sides) == 2 else None
