"""The base of pages: one entry of the catalog is all that the window, exports and the command line know of a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, TypeVar

from attn_gui.document.edits import Label, Refusal
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.trace import is_long
from attn_gui.engine.graph.stage import Role
from attn_gui.engine.progress import Tell
from attn_gui.engine.stages import lacking
from attn_gui.figure.pages.aim import CHOSEN, Aim, ModelAim
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Knob, Slide, Values
from attn_gui.figure.pages.page_drawing import Drawing
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP

C = TypeVar("C")
_NO_PAGE = QT_TRANSLATE_NOOP("Sentences", "This problem has no page {page}. {needs}")
_NO_PAGE_BUT = QT_TRANSLATE_NOOP("Sentences", "This problem has no page {page}. {needs}.")


class PageKind(ABC, Generic[C]):
    """A page: `read` computes its content (no Qt, off the window's thread where that takes a while), `plan` lays it
    out and paints it, for the window and for every file alike."""

    name: ClassVar[str]
    """In `page.NAME`, `action.NAME` and `--page NAME`."""
    title: ClassVar[str]
    """In English, marked for translation in the context "Pages", as are all its words."""
    words: ClassVar[str] = ""
    """Other names for it, in both languages, for the search."""
    needs: ClassVar[str] = ""
    """The reason why it may not be there."""
    knobs: ClassVar[tuple[Knob, ...]] = ()
    frames: ClassVar[str] = ""
    """Title of its pictures one by one, if it has a slider that runs through them."""
    reads: ClassVar[frozenset[str]] = frozenset(CHOSEN)
    """What it reads of the view, names of CHOSEN: while these, the knobs and the numbers stay, so does its content."""

    roles: tuple[Role, ...] = ()
    """Parts of attention that it shows, and that a problem may lack."""

    of_model: ClassVar[bool] = False
    """Whether it looks at a whole model, and not at the layer on the table."""

    @property
    def per_head(self) -> bool:
        """Whether it looks at the head on show."""
        return "head" in self.reads

    def applies(self, problem: Problem) -> bool:
        """Whether a problem has it."""
        return True

    def is_there(self, problem: Problem, model: ModelAim | None) -> bool:
        """Whether a problem has it, that may be a layer of a model."""
        return self.can_show(problem) and (model is not None or not self.of_model)

    def can_show(self, problem: Problem) -> bool:
        """Whether a problem has it, and all that it reads."""
        return lacking(problem, self.roles) is None and self.applies(problem)

    def check(self, problem: Problem, model: ModelAim | None = None) -> None:
        """Raise ValueError, with a sentence, for a problem that has no such page."""
        if not self.is_there(problem, model):
            text, context = self.reason(problem)
            template = _NO_PAGE if text.endswith(".") else _NO_PAGE_BUT
            raise Refusal(template, page=self.name, needs=Label(text, context=context))

    def reason(self, problem: Problem) -> tuple[str, str]:
        """The reason why a problem has it not, and the context of these words for translators."""
        lacks = lacking(problem, self.roles)
        return (self.needs, "Pages") if lacks is None else (lacks, "Sentences")

    def is_quick(self, aim: Aim) -> bool:
        """Whether it is read within a frame."""
        return not self.of_model and not is_long(aim.problem)

    @property
    def slide(self) -> Slide | None:
        """The slider that its frames run through."""
        slides = (knob for knob in self.knobs if isinstance(knob, Slide))
        return next(slides, None) if self.frames else None

    @abstractmethod
    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> C:
        """Compute what it shows; `tell` hears the share that is done, and ends the work by raising."""

    def turned(self, content: C, before: Values, after: Values) -> C | None:
        """The content with other values of the knobs, where nothing has to be computed for them; else None."""
        return None

    def at(self, content: C, aim: Aim) -> C:
        """The content with the mark of what is chosen now, of what `read` takes from the aim for that alone."""
        return content

    @abstractmethod
    def plan(self, content: C, ink: Ink, width: float | None, height: float | None) -> Drawing:
        """Lay it out at its own size, or to a width, a height or both, in logical pixels; NoRoom if too small."""
