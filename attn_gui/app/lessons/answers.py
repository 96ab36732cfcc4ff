"""Answers to the question of a step: judged beside the window, said with the mistake by its name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject

from attn_gui.app.state.job import Job
from attn_gui.app.state.look import LookController
from attn_gui.document.number_text import NumberError, parse_number
from attn_gui.engine.mistakes.grading import Verdict
from attn_gui.lessons.answering import verdict_on
from attn_gui.lessons.lesson import Question
from attn_gui.lessons.lesson_text import written
from attn_gui.lessons.live_expression import ExpressionError
from attn_gui.lessons.measures import Ground
from attn_gui.views.lessons.question_view import QuestionView


class Answers(QObject):
    """Judges what is answered to the question on show."""

    def __init__(self, view: QuestionView, ground: Callable[[], Ground], look: LookController) -> None:
        super().__init__(view)
        self._view, self._ground, self._look = view, ground, look
        self._question: Question | None = None
        self._job = Job(self)
        self._job.ended.connect(self._on_job_ended)
        view.typed.connect(self._on_view_typed)
        view.chosen.connect(self._on_view_chosen)
        view.showAsked.connect(self._on_view_show_asked)

    @property
    def busy(self) -> bool:
        """Whether a verdict is still to come."""
        return self._job.busy

    def ask(self, question: Question | None) -> None:
        """Judge answers to this question from now on."""
        self._job.forget()
        self._question = question

    def finish(self) -> None:
        """Drop what is being judged; for the end of the program."""
        self._job.finish()

    def _on_view_typed(self, text: str) -> None:
        question = self._question
        assert question is not None
        try:
            number = parse_number(text)
        except NumberError as refusal:
            self._view.set_verdict(refusal.sentence(), "error", offered=False)
            return
        seen = self._ground()
        self._job.begin(lambda _tell: verdict_on(question, seen, number))

    def _on_view_chosen(self, place: int) -> None:
        assert self._question is not None
        self._say(place == self._question.right, "")

    def _on_job_ended(self, found: object) -> None:
        if isinstance(found, ExpressionError):
            said = self.tr("The present numbers have no such cell: go back to the step first.")
            self._view.set_verdict(said, "error", offered=False)
        elif isinstance(found, Exception):
            raise found
        elif isinstance(found, Verdict):
            named = [QCoreApplication.translate("Mistakes", mistake.said) for mistake in found.mistakes]
            self._say(found.right, named[0] if named else "")

    def _say(self, right: bool, mistake: str) -> None:
        question = self._question
        assert question is not None
        if not right:
            text = self.tr("Not yet. {why}").format(why=mistake) if mistake else self.tr("Not yet; try again.")
            self._view.set_verdict(text, "error", offered=True)
            return
        because = question.because
        why = "" if because is None else because.said(self._look.language, self._ground())
        self._view.set_verdict(self.tr("Right. {why}").format(why=why).strip(), "good", offered=False)

    def _on_view_show_asked(self) -> None:
        question = self._question
        assert question is not None
        text = ""
        if question.answer is not None:
            text = written(question.answer.number(self._ground()))
        self._view.set_answer(text, question.right)
        self._say(True, "")
