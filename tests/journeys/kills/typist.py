"""A program of its own that types, undoes, redoes, jumps and saves until it is killed: kills/test_kills.py starts it.

It has everything imported, and becomes the program, in a process of its own, for the session of each line of its
standard input: the imports take most of a start. On its standard output stand the process that types; the number of
each action with its time and the state that it led to; the number of the last action before each saving; and that the
process is gone.
"""

import os
import sys
import time
from pathlib import Path
from random import Random

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTableView

import attn_gui.app.late_controllers
import attn_gui.models.study  # noqa: F401  # before the fork: no child waits for it
from attn_gui.app.program import Program
from attn_gui.engine import Problem
from attn_gui.figure.text.fonts import load_fonts
from attn_gui.formats import SESSION

PAUSE_MS = 15
CORNER = slice(0, 2), slice(0, 2)  # of Q and K: the cells that are typed into
FIELDS = "query", "key"
BACK = 20  # steps that a jump may go
SAVED = 40  # every so many edits
TURNED = 15  # so many edits, then another layer of the model


def say(*words: object) -> None:
    """Write a line at one go: a kill must not leave half of one, to which the next would be joined."""
    os.write(sys.stdout.fileno(), f"{' '.join(map(str, words))}\n".encode())


def state_of(problem: Problem) -> str:
    """The bits of all cells that are typed into."""
    return ",".join(number.hex() for field in FIELDS for number in getattr(problem, field)[CORNER].ravel().tolist())


def type_into(program: Program, field: str, row: int, column: int, value: float) -> None:
    """Type all digits of a number, which the document has to hold then."""
    table = program.window.findChild(QTableView, f"table.{field}").model()
    table.setData(table.index(row, column), repr(value))
    assert program.document.problem.arrays()[field][row, column] == value


def act(program: Program, number: int, dice: Random) -> str:
    """Type a number, or undo, redo, or jump in the history; the state that it leads to."""
    document, stack = program.document, program.document.stack
    if document.study:
        type_into(program, "w_query", 0, 0, number)
        return str(number)
    way = dice.choices(("type", "undo", "redo", "jump"), (70, 15, 9, 6))[0]
    if way == "undo" and stack.canUndo():
        stack.undo()
    elif way == "redo" and stack.canRedo():
        stack.redo()
    elif way == "jump" and stack.count():
        stack.setIndex(max(0, min(stack.count(), stack.index() + dice.randint(-BACK, BACK))))
    else:
        type_into(program, dice.choice(FIELDS), dice.randrange(2), dice.randrange(2), number + 1 / 3)
    return state_of(document.problem)


def type_and_save(session: Path) -> None:
    """Become the program with this session until somebody ends it."""
    assert session.suffix in SESSION.suffixes
    app = QApplication(sys.argv[:1])
    load_fonts()
    program = Program(app)
    program.begin(session)
    document, clock, number, dice = program.document, QTimer(interval=PAUSE_MS), 0, Random(os.getpid())

    def go_on() -> None:
        nonlocal number
        shown = program.window.findChild(QTableView, "table.w_query" if document.study else "table.query")
        if document.path != session or program.late.models.busy or shown is None:
            return  # still being opened, or turned to another layer
        number += 1
        say("typed", number, time.monotonic(), act(program, number, dice))
        if number % SAVED == 0:
            say("saving", number, time.monotonic(), "-")
            program.files.save()
        elif document.study and number % TURNED == 0:
            program.late.models.set_layer(1 - document.study.layer)

    clock.timeout.connect(go_on)
    clock.start()
    app.exec()


def main() -> None:
    while line := sys.stdin.readline():
        child = os.fork()
        if not child:
            type_and_save(Path(line.removesuffix("\n")))
            os._exit(1)
        say("began", child, time.monotonic(), "-")
        os.waitpid(child, 0)
        say("gone", child, time.monotonic(), "-")


if __name__ == "__main__":
    main()
