"""Frames of a page: a picture for every place of its slider, from numbers that are computed once, and their files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Tell, within
from attn_gui.figure.options import FigureOptions
from attn_gui.figure.output.page import Page
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.pictures import content_page, page_aim
from attn_gui.figure.sheet import File, session_of, write_moving, write_page
from attn_gui.formats.catalog import IMAGES

DIGITS = 3

Write = Callable[[Evaluation, Tell], object]


class Frames:
    """The frames of a page for one head; ValueError with a sentence where a problem has no such page."""

    def __init__(self, kind: PageKind[Any], options: FigureOptions, head: int) -> None:
        self._kind, self._options, self._head = kind, options, head
        self._read: tuple[Evaluation, Aim, Any] | None = None

    def count(self, evaluation: Evaluation) -> int:
        """The number of places of the slider."""
        aim, slide = page_aim(self._kind, evaluation, self._options, self._head), self._kind.slide
        return 1 if slide is None else slide.last(aim, aim.knobs) + 1

    def page(self, evaluation: Evaluation, place: int, tell: Tell) -> Page:
        """The picture at one of them; the first that is asked for computes the numbers."""
        kind, slide = self._kind, self._kind.slide
        if self._read is None or self._read[0] is not evaluation:
            aim = page_aim(kind, evaluation, self._options, self._head)
            self._read = evaluation, aim, kind.read(evaluation, aim, tell)
        _, aim, content = self._read
        knobs = dict(aim.knobs) if slide is None else {**aim.knobs, slide.key: place}
        moved = kind.turned(content, aim.knobs, knobs)
        if moved is None:
            moved = kind.read(evaluation, replace(aim, knobs=knobs), tell)
        tell(1.0)
        return content_page(kind, moved, self._options)

    def pages(self, evaluation: Evaluation, tell: Tell) -> list[Page]:
        """The pictures at all of them."""
        count = self.count(evaluation)
        return [self.page(evaluation, place, within(tell, place, count)) for place in range(count)]

    def files(self, evaluation: Evaluation, file: File, path: Path) -> list[tuple[Path, Write]]:
        """The files that hold them and how each is written: one of all where the form moves, else one for each."""
        if IMAGES[file.form].moving:
            return [(path, lambda now, tell: self._write_moving(now, file, path, tell))]
        session = session_of(evaluation.problem, self._options, (self._head,))

        def written(place: int, target: Path) -> Write:
            return lambda now, tell: write_page(replace(self.page(now, place, tell), session=session), file, target)

        targets = [frame_path(path, place) for place in range(self.count(evaluation))]
        return [(target, written(place, target)) for place, target in enumerate(targets)]

    def _write_moving(self, evaluation: Evaluation, file: File, path: Path, tell: Tell) -> None:
        """Compute all frames, then paint them."""
        write_moving(self.pages(evaluation, within(tell, 0, 2)), file, path, within(tell, 1, 2))


def frame_path(path: Path, place: int) -> Path:
    """The file of a frame: a-sweep-h0-007.png."""
    return path.with_name(f"{path.stem}-{place:0{DIGITS}d}{path.suffix}")
