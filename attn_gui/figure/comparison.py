"""Figures of two states: the one before, the difference, or both side by side under one color bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attn_gui.engine import Evaluation, Plane
from attn_gui.engine.errors import StageError
from attn_gui.engine.evaluation.proxies import BeforeState, Difference
from attn_gui.figure.text.figure_words import FigureWords
from attn_gui.modes import BEFORE, BOTH, DIFFERENCE, NOW, SIDE_BY_SIDE, STATES

Before = Callable[[Evaluation], Evaluation]
"""The evaluation before, by the one now: what is ready made is made of that."""


@dataclass(frozen=True)
class ComparedState:
    """A state beside the one that is drawn: what of the two is shown, and what they are called, before and now.

    Raises ValueError for a mode that is none.
    """

    before: Before
    mode: str = SIDE_BY_SIDE
    names: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if self.mode not in STATES:
            raise ValueError(f"{self.mode!r} is not one of {', '.join(STATES)}.")

    def evaluation_drawn(self, now: Evaluation, stage: str) -> Evaluation:
        """Return the evaluation that a figure reads: the state before, or the difference, which holds both.

        Raises ValueError with a sentence where a stage cannot be compared.
        """
        if self.mode == NOW:
            return now
        difference = Difference(self.before(now), now)
        try:
            difference.pair(stage)
        except StageError as error:
            raise ValueError(str(error)) from error
        return BeforeState(difference) if self.mode == BEFORE else difference

    def titled(self, words: FigureWords) -> list[str]:
        """Return words of a title about the states; those of the language stand where they have no names."""
        before, now = (own or other for own, other in zip(self.names, words.states, strict=True))
        return {BEFORE: [before], DIFFERENCE: [f"{now} − {before}"]}.get(self.mode, [])

    def planes(
        self, evaluation: Evaluation, planes: Sequence[Plane], titles: Sequence[str], names: tuple[str, str]
    ) -> tuple[list[Plane], list[str]]:
        """Return the maps of a figure and their titles: side by side each stands twice, before and now."""
        if self.mode not in BOTH:
            return list(planes), list(titles)
        called = [own or other for own, other in zip(self.names, names, strict=True)]
        found = [
            (Plane(side, stage, plane.batch, plane.head), " · ".join(filter(None, (title, name))))
            for plane, title in zip(planes, titles, strict=True)
            for (side, stage), name in zip(evaluation.sides(plane.stage), called, strict=True)
        ]
        return [plane for plane, _ in found], [title for _, title in found]
