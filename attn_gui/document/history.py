"""The undo stack: steps with names that can be said in another language, and a limit in bytes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QUndoCommand, QUndoStack

from attn_gui.document.edits import Change
from attn_gui.document.phrases import Label
from attn_gui.document.states.past_states import StateBeside

LIMIT = 256 * 2**20
# what the records around a step's cells take, so that a million one-cell steps do count
OVERHEAD = 1024
# dropping a part at once: the stack is rebuilt for it
KEPT = 0.75


class Step(Protocol):
    """One step that can be gone forth and back, bit by bit, in the document or beside it."""

    @property
    def label(self) -> Label: ...
    @property
    def cost(self) -> int: ...
    @property
    def apart(self) -> bool: ...
    @property
    def looks(self) -> bool: ...
    def redo(self) -> Change: ...
    def undo(self) -> Change: ...
    def back(self, state: StateBeside) -> None: ...
    def forth(self, state: StateBeside) -> None: ...


class _Command(QUndoCommand):
    def __init__(self, step: Step, report: Callable[[Change], None], done: bool) -> None:
        super().__init__()
        self.step, self._report, self._done = step, report, done
        self.say_again()

    def say_again(self) -> None:
        self.setText(" ".join(str(self.step.label).split()))

    def redo(self) -> None:
        if self._done:  # a push calls redo, but the step has been tried before it was pushed
            self._done = False
            return
        self._run(self.step.redo)

    def undo(self) -> None:
        self._run(self.step.undo)

    def _run(self, go: Callable[[], Change]) -> None:
        try:
            self._report(go())
        except Exception:  # an exception that leaves this call ends the program: PySide 6.10.3 crashes on it
            sys.excepthook(*sys.exc_info())


class History:
    """Keeps `stack` under `limit` bytes: the oldest steps are forgotten, the newest never."""

    def __init__(self, report: Callable[[Change], None], parent: QObject, limit: int = LIMIT) -> None:
        self.stack = QUndoStack(parent)
        self.limit = limit
        self._report = report
        self._costs: list[int] = []  # of the steps on the stack, oldest first
        self._total = 0

    def push(self, step: Step) -> None:
        """Add a step that has just been done; what had been undone before it is forgotten."""
        command, cost = _Command(step, self._report, done=True), step.cost + OVERHEAD
        self._uncount_undone()
        self._costs.append(cost)
        self._total += cost
        if self._total > self.limit:
            self._forget_oldest()
        self.stack.push(command)

    @property
    def modified(self) -> bool:
        """Whether steps lie between the clean state and the present one that do more than look at another layer."""
        clean, now = self.stack.cleanIndex(), self.stack.index()
        places = range(min(clean, now), max(clean, now))
        return clean < 0 or any(not cast(_Command, self.stack.command(place)).step.looks for place in places)

    def undone(self) -> list[Step]:
        """The steps that were undone, the one that redo would do first: the next push forgets them."""
        return [command.step for command in self._commands()[self.stack.index() :]]

    def forget_undone(self) -> None:
        """Forget the steps that were undone, although none takes their place."""
        self._uncount_undone()
        self._rebuild(0)

    def done(self, most: int) -> list[Step]:
        """The newest of the steps that led to the present state, the oldest of them first.

        None from before the last step to another place in a model: a cell there is another quantity.
        """
        index = self.stack.index()
        found: list[Step] = []
        for command in reversed(self._commands()[max(0, index - most) : index]):
            if command.step.apart:
                break
            found.insert(0, command.step)
        return found

    def clear(self) -> None:
        self._costs, self._total = [], 0
        self.stack.clear()
        self.stack.setClean()

    def retranslate(self) -> None:
        """Say the names of all steps in the present language, also in actions that follow the stack."""
        for command in self._commands():
            command.say_again()
        self.stack.undoTextChanged.emit(self.stack.undoText())
        self.stack.redoTextChanged.emit(self.stack.redoText())
        self.stack.indexChanged.emit(self.stack.index())

    def _commands(self) -> list[_Command]:
        return [cast(_Command, self.stack.command(place)) for place in range(self.stack.count())]

    def _uncount_undone(self) -> None:
        self._total -= sum(self._costs[self.stack.index() :])
        del self._costs[self.stack.index() :]

    def _forget_oldest(self) -> None:
        dropped = 0
        while dropped < self.stack.index() and self._total > KEPT * self.limit:
            self._total -= self._costs[dropped]
            dropped += 1
        del self._costs[:dropped]
        self._rebuild(dropped)

    def _rebuild(self, dropped: int) -> None:
        """Build the stack anew of what is done, without its oldest steps: QUndoStack itself can only count them."""
        steps = [command.step for command in self._commands()[dropped : self.stack.index()]]
        clean = self.stack.cleanIndex() - dropped
        was_blocked = self.stack.blockSignals(True)
        self.stack.clear()
        self.stack.resetClean()
        for place, step in enumerate([None, *steps]):
            if step is not None:
                self.stack.push(_Command(step, self._report, done=True))
            if place == clean:
                self.stack.setClean()
        self.stack.blockSignals(was_blocked)
