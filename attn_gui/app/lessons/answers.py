"""Answers to the question of a step: judged beside the window, the verdict in words, the right one shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication, QObject, Signal

from attn_gui.app.state.background_task import BackgroundTask
from attn_gui.app.state.settings import AppearanceController
from attn_gui.document.typed_numbers import NumberError, parse_number, shortest
from attn_gui.engine.evaluation.evaluation import Place
from attn_gui.engine.grading import is_same
from attn_gui.engine.graph.symbols_and_titles import title
from attn_gui.lessons.exercises import verdict_on
from attn_gui.lessons.lesson import LessonQuestion, written
from attn_gui.lessons.live_numbers import ExpressionError, NumberSource
from attn_gui.views.inspector.cell_relations import cell_name
from attn_gui.views.question_view import QuestionView


class _Verdict(NamedTuple):
    """Verdict on an answer: why it is right or wrong, or the mistake that leads to it; `given` is the answer if shown.

    `place` is the cell that a wrong number is the number of; `near`: the right one to too few decimals.
    """

    right: bool
    why: str = ""
    mistake: str = ""
    given: str | None = None
    number: float = 0.0
    place: Place | None = None
    near: bool = False


class Answers(QObject):
    """Judges what is answered to the question on show."""

    accepted = Signal(bool)  # whether a right answer was given, or it was shown

    def __init__(
        self,
        view: QuestionView,
        number_source: Callable[[], Callable[[], NumberSource]],
        ready: Callable[[], bool],
        appearance: AppearanceController,
    ) -> None:
        """Judge what is typed into `view`.

        `number_source` returns a function that makes the present numbers, to be called beside the window; `ready` tells
        whether those of a model are there.
        """
        super().__init__(view)
        self._view, self._number_source, self._ready, self._appearance = view, number_source, ready, appearance
        self._early = False  # judged by numbers that were not ready
        self._filled = False  # whether the right answer was put into the field; another language leaves it
        self._question: LessonQuestion | None = None
        self._judged: Callable[[LessonQuestion, NumberSource, str], _Verdict] | None = None  # the last answer to it
        self._job = BackgroundTask(self)
        self._job.ended.connect(self._on_job_ended)
        view.typed.connect(self._on_view_typed)
        view.chosen.connect(self._on_view_chosen)
        view.showAsked.connect(lambda: self._judge(_shown))

    @property
    def busy(self) -> bool:
        """Whether a verdict is still to come."""
        return self._job.busy

    def ask(self, question: LessonQuestion | None) -> None:
        """Judge answers to this question from now on."""
        self._job.forget()
        self._question, self._judged, self._filled = question, None, False

    def judge_again(self, *_: object) -> None:
        """Begin anew where numbers change under an answer that is being judged."""
        if (self._job.busy or self._early) and self._judged is not None:
            self._judge(self._judged)

    def retranslate(self) -> None:
        """Judge the last answer again, in the present language."""
        if self._judged is not None:
            self._judge(self._judged)

    def _on_view_typed(self, text: str) -> None:
        try:
            number = parse_number(text)
        except NumberError as refusal:
            self._job.forget()  # its verdict would take the place of the refusal
            self._judged = None
            self._view.set_verdict(refusal.sentence(), "error", offered=False)
            return
        self._judge(lambda question, number_source, lang: _typed(question, number_source, lang, number))

    def _on_view_chosen(self, place: int) -> None:
        self._judge(lambda question, number_source, lang: _chosen(question, number_source, lang, place))

    def _judge(self, judged: Callable[[LessonQuestion, NumberSource, str], _Verdict]) -> None:
        question, number_source, lang = self._question, self._number_source(), self._appearance.language
        assert question is not None
        self._judged, self._early = judged, not self._ready()
        self._job.start(lambda _: judged(question, number_source(), lang))

    def _on_job_ended(self, outcome: Future[_Verdict]) -> None:
        try:
            found = outcome.result()
        except ExpressionError:
            said = self.tr("The present numbers have no such cell: go back to the step first.")
            self._view.set_verdict(said, "error", offered=False)
        else:
            self._say(found)

    def _say(self, found: _Verdict) -> None:
        question = self._question
        assert question is not None
        if not found.right:
            near = self.tr("Nearly: more decimals are asked for.") if found.near else ""
            self._view.set_wrong(
                found.why or near or self.tr("{place} {mistake}").format(**self._reasons(found)).strip()
            )
            return
        if found.given is None:
            self._view.set_right(found.why)
        else:
            if not self._filled:
                self._view.set_answer(found.given, question.right)
                self._filled = not self._early
            self._view.set_shown(found.given, found.why)
        self.accepted.emit(found.given is None)

    def _reasons(self, found: _Verdict) -> dict[str, str]:
        """Say of which cell a wrong answer is the number, and which mistake leads to it."""
        mistake = QCoreApplication.translate("Mistakes", found.mistake) if found.mistake else ""
        if found.place is None:
            return {"place": "", "mistake": mistake}
        stage, index = found.place
        titled = title(stage, self._appearance.language)
        said = self.tr("{number} is {cell} ({title}).").format(
            number=written(found.number), cell=cell_name(stage, index), title=titled
        )
        return {"place": said, "mistake": mistake}


# --- beside the window ---------------------------------------------------------------------------
def _typed(question: LessonQuestion, number_source: NumberSource, lang: str, number: float) -> _Verdict:
    verdict = verdict_on(question, number_source, number)
    if verdict.right:
        return _Verdict(True, _why(question, number_source, lang))
    for wrong in question.wrong:
        if is_same(number, wrong.number.number(number_source), question.tolerance):
            return _Verdict(False, wrong.said.said(lang, number_source))
    mistake = next((mistake.said for mistake in verdict.mistakes), "")
    if not mistake and number in [round(verdict.expected, decimals) for decimals in (1, 2, 3)]:
        return _Verdict(False, near=True)
    return _Verdict(False, mistake=mistake, number=number, place=verdict.place)


def _chosen(question: LessonQuestion, number_source: NumberSource, lang: str, place: int) -> _Verdict:
    if place == question.right:
        return _Verdict(True, _why(question, number_source, lang))
    said = question.wrong_choices[place]
    return _Verdict(False, "" if said is None else said.said(lang, number_source))


def _shown(question: LessonQuestion, number_source: NumberSource, lang: str) -> _Verdict:
    if question.answer is None:
        given = question.choices[question.right].said(lang, number_source)
    else:
        given = _given(question.answer.number(number_source), question.tolerance)
    return _Verdict(True, _why(question, number_source, lang), given=given)


def _given(number: float, tolerance: float) -> str:
    """Return the right number as it is written in texts.

    To its last digit where that would not be taken as an answer.
    """
    text = written(number)
    if not math.isfinite(number) or is_same(parse_number(text), number, tolerance):
        return text
    return shortest(number)


def _why(question: LessonQuestion, number_source: NumberSource, lang: str) -> str:
    return "" if question.because is None else question.because.said(lang, number_source)
