"""View settings: the item, head, stage, cells and mode on show, as far as the problem has them; notifies in turns.

Changing them never makes the document modified.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent, QHelpEvent, QInputEvent, QKeyEvent, QMouseEvent

from attn_gui.app.state.baseline import Baseline
from attn_gui.app.state.computation import Computation
from attn_gui.engine import Evaluation
from attn_gui.engine.analysis.head_readings import Entropy
from attn_gui.engine.evaluation.evaluation import Blank
from attn_gui.engine.evaluation.proxies import EvaluationProxy
from attn_gui.engine.graph import indices
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.overlays import CELL
from attn_gui.figure.stage_formulas import stage_plane
from attn_gui.modes import ALL, BEFORE, GRADIENT, NOW, PRODUCT, SIDE_BY_SIDE, STATES, WIPE
from attn_gui.views.names import ASK

Show = Callable[[], Iterator[None] | None]
"""A follower: shows the present look at once, or, where that takes longer than a frame, yields between its turns."""
POINTING = {QEvent.Type.MouseMove, QEvent.Type.HoverMove, QEvent.Type.ToolTip}
"""Events that say where the pointer is, and come again; with a button held they do something, too."""
ACTING = {
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.ContextMenu,
    QEvent.Type.ShortcutOverride,
    QEvent.Type.KeyPress,
    QEvent.Type.Drop,
}
"""Events that do something where the pointer or the keyboard is."""
INPUT = (QInputEvent, QHelpEvent, QDropEvent)
"""The kinds of both: most events are of no such kind, and this is quickly seen."""
SLICE = 0.004
"""Seconds after which the window may paint and answer before the rest is notified."""

WIDE = frozenset({"baseline", "compare", "overlay"})
"""Those that change every map and table, as another evaluation does."""


class ChosenCell(NamedTuple):
    """A cell of a stage as it is shown: row and column within the shown head."""

    stage: str
    row: int
    column: int


class ChosenBlock(NamedTuple):
    """Rows and columns of a map that are chosen together with a cell of them."""

    cell: ChosenCell
    rows: slice
    columns: slice


@dataclass(frozen=True)
class ViewSettings:
    """One state of the view."""

    stage: str = SHOWN_FIRST
    head: int = 0
    batch: int = 0
    cell: ChosenCell | None = None
    block: ChosenBlock | None = None  # of several cells, the chosen one among them
    mode: str = PRODUCT
    values: bool = True
    decimals: int = 3
    scientific: bool = False
    compare: str = NOW  # one of `modes.STATES`, which of two states is shown; or GRADIENT, that of the chosen cell
    gradient: str = CELL  # a key of `overlays.OF`: the sum that GRADIENT is of
    split: float = 0.5  # where the bar of split maps stands, as a share of their width
    blocked: bool = False  # True in a mask is read as blocked, as in nn.MultiheadAttention; no number changes
    reading: str = Entropy.key  # a key of READINGS: the number below every head
    counted: bool = False  # whether the cells that it counts are marked in the map of the weights
    weights_typed: str = ASK  # what a number typed into a weight means: ASK, or a key of MEANINGS
    blanks: frozenset[Blank] = frozenset()  # cells of an exercise, whose numbers are not shown
    second_text: str = ""  # of a model, to compare with and to take rows from
    reach: str = ""  # a key of `marks.DIRECTIONS`: what of the chosen cell is shown
    parts: frozenset[str] = frozenset()  # of the window, which a step of a lesson asks for


PARTS = frozenset(field.name for field in fields(ViewSettings)) | {"evaluation", "baseline", "document", "overlay"}
"""Parts that can change: the fields of the look, the evaluation that is looked at, what it is compared with, the
document that it is of, and what is laid over it."""


class ViewState(QObject):
    """The present look, always one that the present evaluation can give.

    A new look or evaluation is resolved and compared with what was shown before anybody is notified: each follower is
    called once, and only for the parts that it asked for, so their order means nothing. Turns are taken here alone:
    a follower that yields goes on in the next slice, or begins anew where another look has come meanwhile.

    While some still show the evaluation before, no place in it is taken for one of the present evaluation: the pointer
    says nothing, and a press or a key waits until everybody is notified (`eventFilter`); so it is with another head. Of
    another document nothing is painted until then.
    """

    mapWanted = Signal()  # whatever is in the place of the maps gives way

    def __init__(
        self, computation: Computation, baseline: Baseline, look: ViewSettings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._computation, self._baseline = computation, baseline
        self._followers: list[tuple[Show, frozenset[str]]] = []
        self._waiting: dict[Show, Iterator[None] | None] = {}  # the next one first, with what is left of its turns
        self._painted = False  # whether the window has had a turn since somebody was notified
        self._next: dict[str, Any] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._go_on)
        computation.moving.connect(self.notify_all)
        self.look_at_opened: Callable[[], ViewSettings] = lambda: self.look  # of a document just opened
        self.overlay: EvaluationProxy | None = None  # a gradient or an exercise that is laid over the evaluation
        self.look = resolve(look, computation.evaluation)
        computation.rebuilt.connect(self._on_computation_rebuilt)
        baseline.changed.connect(lambda: self._show(self.look, frozenset({"baseline"})))

    @property
    def shown(self) -> Evaluation:
        """Evaluation that the maps show: the state now, the one before, their difference, or the overlay."""
        if self.overlay is not None:
            return self.overlay
        return self._baseline.evaluation_for(NOW if self.look.compare == GRADIENT else self.look.compare)

    @property
    def explained(self) -> Evaluation:
        """Evaluation that the inspector explains: the state before where that is shown, else the one now."""
        before = self._baseline.difference
        return before.before if before is not None and self.look.compare == BEFORE else self._computation.evaluation

    @property
    def shows_now(self) -> bool:
        """Whether the maps show the present state: by choice, or since there is nothing to compare it with."""
        return self.look.compare == NOW or (self.look.compare != GRADIENT and not self._baseline.comparable)

    @property
    def middle(self) -> str:
        """What stands in the middle of the window: a mode, or in the place of the product picture both states."""
        both = self.look.compare == SIDE_BY_SIDE and self._baseline.comparable
        return SIDE_BY_SIDE if both and self.look.mode == PRODUCT else self.look.mode

    @property
    def differentiable(self) -> bool:
        """Whether there is a cell of which a gradient or its steps can be shown: they give away what is left out."""
        return self.look.cell is not None and not self.look.blanks

    def chosen_blank(self) -> Blank | None:
        """Return the chosen cell as an exercise has it, or the blank whose number it has, too.

        None where none is chosen.
        """
        cell = self.look.cell
        if cell is None or cell.stage not in self._computation.evaluation.stages:
            return None
        index = self.index_of(cell)
        covered = self.overlay.left_out_as(cell.stage, index) if self.overlay is not None else None
        return Blank(*(covered or (cell.stage, index)))

    def hides(self, cell: ChosenCell | None) -> bool:
        """Return whether the number of a cell of the maps is left out."""
        if cell is None or self.overlay is None:
            return False
        return bool(self.overlay.left_out(cell.stage, indices.cell(self.index_of(cell))))

    def withholds(self, cell: ChosenCell) -> bool:
        """Return whether the explanation of a cell would give away a number that is left out."""
        return self.overlay is not None and self.overlay.gives_away(cell.stage, self.index_of(cell))

    def index_of(self, cell: ChosenCell) -> tuple[int, ...]:
        """Return the place of a cell of the maps on show in the axes of its stage, which the evaluation has to have."""
        look, evaluation = self.look, self._computation.evaluation
        return stage_plane(evaluation, cell.stage, look.batch, look.head).index(cell.row, cell.column)

    def follow(self, show: Show, *parts: str) -> None:
        """Call `show` after every change of one of these parts."""
        if unknown := set(parts) - PARTS:
            raise ValueError(f"a view has no {', '.join(sorted(unknown))}, only {', '.join(sorted(PARTS))}")
        self._followers.append((show, frozenset(parts)))

    @contextmanager
    def adding_followers(self) -> Iterator[None]:
        """Call each follower that is added in this block once, at its end, as for a document just opened."""
        there = len(self._followers)
        yield
        for show, _parts in self._followers[there:]:
            show_whole(show)

    def set(self, **values: Any) -> None:
        """Take new values in; followers are notified once, and only if something differs."""
        self._show(replace(self.look, **values), frozenset())

    def bring_map(self, stage: str) -> None:
        """Bring the map of a stage into sight, where a page or another mode is in its place."""
        self.mapWanted.emit()
        self.set(**({} if self.look.mode == ALL else {"mode": PRODUCT, "stage": stage}))
        self.notify_all()

    def set_with_next(self, **values: Any) -> None:
        """Take new values in together with the next evaluation."""
        self._next = values

    def notify_all(self) -> None:
        """Notify all that still wait of the present look at once: something else is about to happen."""
        self._soon.start()  # so that the rest is notified even if a follower raises
        self._guard(False)
        while self._waiting:
            self._take_turn()
        self._end_notifying()

    def _end_notifying(self) -> None:
        self._soon.stop()
        self._computation.all_notified()

    def _guard(self, on: bool) -> None:
        """Filter the events of the whole application (`eventFilter`), or no longer: it costs a call for each event.

        Not while followers are called: the widgets that they make get hundreds of events, none of them from a person.
        """
        app = QCoreApplication.instance()
        assert app is not None
        app.installEventFilter(self) if on else app.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow movements of the pointer while followers wait; notify all of them before a press, a key or a drop."""
        if not isinstance(event, INPUT):
            return False
        kind, drags = event.type(), isinstance(event, QMouseEvent) and event.buttons() != Qt.MouseButton.NoButton
        if kind in ACTING or (kind in POINTING and drags):
            if not (isinstance(event, QKeyEvent) and event.isAutoRepeat()):
                self.notify_all()
            return False
        return kind in POINTING

    def show_all(self) -> None:
        """Notify every follower of the present evaluation, as of a document just opened."""
        self._on_computation_rebuilt(True)

    def set_overlay(self, overlay: EvaluationProxy | None) -> None:
        """Lay a gradient or an exercise over the evaluation, or show that again."""
        if overlay is not self.overlay:
            self.overlay = overlay
            self._show(self.look, frozenset({"overlay"}))

    def finish(self) -> None:
        """Notify nobody any more; for the end of the program."""
        self._soon.stop()
        self._guard(False)
        self._waiting.clear()
        self._followers.clear()

    def _on_computation_rebuilt(self, opened: bool, in_turns: bool = False) -> None:
        look = self.look_at_opened() if opened else self.look
        look, self._next = replace(look, **self._next), {}
        self.overlay = None  # of numbers that are gone
        changed = frozenset({"evaluation", "baseline", *(("document",) if opened else ())})
        self._show(look, changed, in_turns=in_turns)

    def _show(self, look: ViewSettings, changed: frozenset[str], *, in_turns: bool = False) -> None:
        before, self.look = self.look, self._resolved(look)
        if self.overlay is not None and not self._keeps_overlay(self.overlay):
            self.overlay = None
            changed |= {"overlay"}
        changed |= {name for name, value in vars(self.look).items() if value != getattr(before, name)}
        shows = [show for show, parts in self._followers if changed & parts]
        if not shows:
            return
        if in_turns or (self._computation.notifies_in_turns and changed & WIDE):
            self.notify_in_turns(shows, whole="document" in changed)
        else:
            self._waiting |= dict.fromkeys(shows)
            self.notify_all()

    def _resolved(self, look: ViewSettings) -> ViewSettings:
        """Return the look as far as the evaluation, and the state that it is compared with, can give it."""
        compare = look.compare if look.compare in STATES and self._baseline.key else NOW
        found = resolve(look, self._baseline.evaluation_for(compare))
        if found.blanks:
            compare = NOW  # what was before tells what is
        elif look.compare == GRADIENT and found.cell is not None:
            compare = GRADIENT
        if compare == SIDE_BY_SIDE and found.mode == ALL:  # side by side stands one stage: whatever was set last wins
            if self.look.compare == SIDE_BY_SIDE:
                compare = WIPE
            else:
                found = replace(found, mode=PRODUCT)
        return replace(found, compare=compare)

    def _keeps_overlay(self, overlay: EvaluationProxy) -> bool:
        """Return whether the look still asks for what is laid over the evaluation."""
        return bool(self.look.blanks) if overlay.covers else self.look.compare == GRADIENT

    def notify_in_turns(self, shows: Iterable[Show], *, whole: bool) -> None:
        """Call each of these once in later turns of the event loop, between which the window answers, and paints too
        unless it is to change as a `whole`."""
        self._waiting |= dict.fromkeys(shows)
        self._computation.begin_notifying(whole)
        self._guard(True)
        self._soon.start()

    def _go_on(self) -> None:
        """Notify as many as there is time for, in every other turn: what they show is painted between."""
        self._painted = not self._painted
        self._soon.start()  # so that the rest is notified even if a follower raises
        if self._painted:
            return
        self._guard(False)
        end = time.perf_counter() + SLICE
        try:
            while self._waiting:
                self._take_turn()
                if time.perf_counter() >= end:
                    break
        finally:
            self._guard(bool(self._waiting))
        if self._waiting:
            self._soon.start()  # a follower that changes the look in its turn has stopped it
        else:
            self._end_notifying()

    def _take_turn(self) -> None:
        """Let the next follower take its first or next turn; one that fails is not called again."""
        show = next(iter(self._waiting))
        turns = self._waiting.pop(show) or show()
        if turns is None:
            return
        with suppress(StopIteration):
            next(turns)
            # it goes on first; where it changed the look in this turn, it waits already, and begins anew instead
            self._waiting = {show: turns, **self._waiting}


def show_whole(show: Show) -> None:
    """Call a follower and let it take all its turns."""
    for _turn in show() or ():
        pass


def resolve(look: ViewSettings, evaluation: Evaluation) -> ViewSettings:
    """Return the look as far as an evaluation can give it."""
    problem = evaluation.problem
    cell = look.cell if look.cell is not None and exists(evaluation, look.cell) else None
    return replace(
        look,
        stage=look.stage if look.stage in evaluation.stages else evaluation.weights,
        head=min(look.head, problem.num_heads - 1),
        batch=min(look.batch, problem.batch_size - 1),
        cell=cell,
        block=look.block if look.block is not None and _holds(evaluation, look.block, cell) else None,
        blanks=frozenset(blank for blank in look.blanks if _is_computed(evaluation, blank)),
    )


def _is_computed(evaluation: Evaluation, blank: Blank) -> bool:
    """Return whether an evaluation has the cell of a blank, and computes it."""
    if blank.stage not in evaluation.stages or blank.stage in evaluation.problem.arrays():
        return False
    shape = evaluation.shape(blank.stage)
    return len(shape) == len(blank.index) and all(k < length for k, length in zip(blank.index, shape, strict=True))


def _holds(evaluation: Evaluation, block: ChosenBlock, cell: ChosenCell | None) -> bool:
    """Return whether a block is of the chosen cell, of several cells, and in its map."""
    last = ChosenCell(block.cell.stage, block.rows.stop - 1, block.columns.stop - 1)
    return block.cell == cell and exists(evaluation, last) and block[1:] != indices.cell((cell.row, cell.column))


def exists(evaluation: Evaluation, cell: ChosenCell) -> bool:
    """Return whether an evaluation has the cell."""
    if cell.stage not in evaluation.stages:
        return False
    rows, columns = stage_plane(evaluation, cell.stage, 0, 0).shape
    return 0 <= cell.row < rows and 0 <= cell.column < columns
