"""The base of pages: one entry of the catalog is all that the window, exports and the command line know of a page."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.evaluation.choice import is_long
from attn_gui.figure.pages.drawing import Drawing
from attn_gui.figure.pages.ink import Ink
from attn_gui.figure.pages.knobs import Knob
from attn_gui.figure.reading import Tell

C = TypeVar("C")


@dataclass(frozen=True)
class Aim:
    """The things that a page looks at: item, head, a stage with the chosen cell (row and column as shown, or None),
    and the values of the page's knobs."""

    batch: int = 0
    head: int = 0
    stage: str = ""
    cell: tuple[int, int] | None = None
    knobs: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def query(self, evaluation: Evaluation) -> int | None:
        """The chosen query; None where none is."""
        if self.cell is None or evaluation.node(self.stage).stage.by_key:
            return None
        return self.cell[0]

    def key(self, evaluation: Evaluation) -> int | None:
        """The chosen key; None where none is."""
        if self.cell is None:
            return None
        stage = evaluation.node(self.stage).stage
        return self.cell[1] if stage.square else self.cell[0] if stage.by_key else None


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
    """Why it may not be there."""
    knobs: ClassVar[tuple[Knob, ...]] = ()
    per_head: ClassVar[bool] = True
    """Whether it looks at the head on show."""

    def applies(self, problem: Problem) -> bool:
        """Whether a problem has it."""
        return True

    def is_quick(self, problem: Problem, aim: Aim) -> bool:
        """Whether it is read within a frame."""
        return not is_long(problem)

    @abstractmethod
    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> C:
        """Compute what it shows; `tell` hears the share that is done, and ends the work by raising."""

    @abstractmethod
    def plan(self, content: C, ink: Ink, width: float | None, height: float | None) -> Drawing:
        """Lay it out at its own size, or to a width, a height or both, in logical pixels; NoRoom if too small."""
