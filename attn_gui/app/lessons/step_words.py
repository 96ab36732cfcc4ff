"""Words of a lesson's step with the numbers of now; their expressions may be dear, so they are computed beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from attn_gui.lessons.lesson import Lesson
from attn_gui.lessons.live_numbers import Ground
from attn_gui.lessons.scenes import Scene, State
from attn_gui.views.lesson_panel import Asked, StepWords


@dataclass(frozen=True)
class Step:
    """A step of a lesson on show: its place, and how many there are."""

    lesson: Lesson
    state: State
    place: int
    count: int


class SaidStep(NamedTuple):
    """A step as it is said now; `left` where the numbers are others than those of the step."""

    words: StepWords
    left: bool


def said_step(step: Step, lang: str, ground: Ground, scene: Scene, *, settled: bool) -> SaidStep:
    """Say a step in one language; nothing counts as done before the numbers of a model have `settled`."""
    lesson, state, question = step.lesson, step.state, step.state.step.question
    done = settled and state.is_done(scene, ground)
    asked = None
    if question is not None:
        of = state.asked_of(scene, ground)
        asked = Asked(question.text.said(lang, of), tuple(choice.said(lang, of) for choice in question.choices))
    words = StepWords(
        lesson.key,
        lesson.title.said(lang, ground),
        step.place + 1,
        step.count,
        state.step.title.said(lang, ground),
        tuple(state.step.text.said(lang, ground).split("\n\n")),
        done if state.step.tasks else None,
        asked,
    )
    return SaidStep(words, not done and not scene.has_numbers_of(state.begin))
