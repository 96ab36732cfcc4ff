"""The step on show in words: with the present numbers, computed in the background, as expressions may take long."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from attn_gui.app.app_context import AppContext
from attn_gui.app.model_run_controller import ModelRunController
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.engine import Evaluation
from attn_gui.engine.evaluation.evaluation import Place
from attn_gui.engine.graph import indices
from attn_gui.engine.stages import STAGE
from attn_gui.figure.operands import stage_plane
from attn_gui.lessons.lesson import Lesson, LessonQuestion
from attn_gui.lessons.live_numbers import ModelRuns, NumberSource, cell_index
from attn_gui.lessons.step_states import LessonScene, StepState
from attn_gui.views.lesson_panel import StepWords
from attn_gui.views.question_view import Asked

QUICK = 1 << 14
"""Scores of so many are small enough for a step to be said in the turn that shows its maps."""


class PresentNumbers:
    """What is on the table, as lessons ask for it: the scene, its numbers, and places in it."""

    def __init__(self, context: AppContext, model: ModelRunController) -> None:
        self._document, self._computation, self._view = context.document, context.computation, context.view
        self._runner, self._model = context.runner, model
        self._runs: ModelRuns | None = None  # of the last run, with what lessons have read from it

    @property
    def complete(self) -> bool:
        """Whether the evaluation is that of the document, and no edit is on its way."""
        return not (self._computation.pending or self._runner.busy)

    @property
    def quick(self) -> bool:
        """Whether all numbers are there, and few."""
        document = self._document
        return document.study is None and prod(document.problem.map_shape) <= QUICK and self.complete

    def scene(self) -> LessonScene:
        """Return the scene on the table."""
        return LessonScene(self._document.problem, self._document.study, self._view.look.head)

    def source(self, overlay: Evaluation | None = None) -> NumberSource:
        """Return the present numbers, or those of the proxy shown over them; of a model those of its last run."""
        evaluation, study, found = overlay or self._computation.evaluation, self._document.study, self._model.answer
        if study is None or found is None:
            return NumberSource(evaluation)
        if self._runs is None or (self._runs.now, self._runs.before) != (found.run, found.clean):
            self._runs = ModelRuns(found.run, found.clean)
        return NumberSource(evaluation, self._runs, study.layer, self._view.look.head)

    def view_of(self, stage: str, index: tuple[int, ...]) -> dict[str, object]:
        """Return the item, head and cell of an index, as the view has them."""
        evaluation, head = self._computation.evaluation, self._view.look.head
        if len(index) == 4:
            head = index[1]
        elif STAGE[stage].heads:  # the heads lie side by side: the one that the column belongs to
            every = range(evaluation.problem.num_heads)
            head = next(one for one in every if index[-1] < evaluation.head_columns(stage, one).stop)
        cells = stage_plane(evaluation, stage, index[0], head).cells(indices.cell(index))
        assert cells is not None
        chosen = ChosenCell(stage, cells[0].start, cells[1].start)
        return {"batch": index[0], "head": head, "cell": chosen}

    def asked_cell(self, question: LessonQuestion | None) -> Place | None:
        """Return the cell whose number a question asks for; None where it asks for no cell."""
        if question is None or question.answer is None or question.answer.cell is None:
            return None
        stage, places = question.answer.cell
        return stage, cell_index(self._computation.evaluation, stage, places)


@dataclass(frozen=True)
class ShownStep:
    """A step of a lesson on show: its place, and how many there are."""

    lesson: Lesson
    state: StepState
    place: int
    count: int


class SaidStep(NamedTuple):
    """The words of a step now; `left`: whether the person has gone on to numbers other than those of the step."""

    words: StepWords
    left: bool


def said_step(
    step: ShownStep, lang: str, number_source: NumberSource, shown: NumberSource, scene: LessonScene, *, ready: bool
) -> SaidStep:
    """Return the words of a step in one language.

    Whether it is done is judged by `number_source`, and not before the numbers of a model are `ready`; the texts tell
    the numbers of `shown`, in which some may be covered.
    """
    lesson, state, question = step.lesson, step.state, step.state.step.question
    done = ready and state.is_done(scene, number_source)
    asked = None
    if question is not None:
        of = shown if shown.evaluation.covers else state.asked_of(scene, number_source)
        asked = Asked(question.text.said(lang, of), tuple(choice.said(lang, of) for choice in question.choices))
    words = StepWords(
        lesson.key,
        lesson.title.said(lang, shown),
        step.place + 1,
        step.count,
        state.step.title.said(lang, shown),
        tuple(state.step.text.said(lang, shown).split("\n\n")),
        done if state.step.tasks else None,
        asked,
    )
    return SaidStep(words, not done and not scene.has_numbers_of(state.begin))
