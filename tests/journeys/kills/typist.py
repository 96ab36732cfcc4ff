"""A program of its own that types and saves until it is killed: kills/test_kills.py starts it.

It has everything imported, and becomes the program, in a process of its own, for the session of each line of its
standard input: the imports take most of a start. On its standard output stand the process that types; each number with
the time at which it was in the document; each number before it is saved; and that the process is gone.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTableView

import attn_gui.app.rooms.later_rooms
import attn_gui.models.studies.study_files  # noqa: F401  # before the fork: no child waits for it
from attn_gui.app.shell.program import Program
from attn_gui.figure.text.fonts import load_fonts
from attn_gui.formats import SESSION

PAUSE_MS = 15
SAVED = 40  # every so many edits
TURNED = 15  # so many edits, then another layer of the model


def say(*words: object) -> None:
    """Write a line at one go: a kill must not leave half of one, to which the next would be joined."""
    os.write(sys.stdout.fileno(), f"{' '.join(map(str, words))}\n".encode())


def type_and_save(session: Path) -> None:
    """Become the program with this session until somebody ends it."""
    assert session.suffix in SESSION.suffixes
    app = QApplication(sys.argv[:1])
    load_fonts()
    program = Program(app)
    program.begin(session)
    document, clock, number = program.document, QTimer(interval=PAUSE_MS), 0

    def go_on() -> None:
        nonlocal number
        if document.path != session or program.rooms.models.busy:
            return  # still being opened, or turned to another layer
        number += 1
        name = "w_query" if document.study else "query"
        table = program.window.findChild(QTableView, f"table.{name}").model()
        table.setData(table.index(0, 0), str(number))
        assert document.problem.arrays()[name][0, 0] == number
        say("typed", number, time.monotonic())
        if number % SAVED == 0:
            say("saving", number, time.monotonic())
            program.files.save()
        elif document.study and number % TURNED == 0:
            program.rooms.models.set_layer(1 - document.study.layer)

    clock.timeout.connect(go_on)
    clock.start()
    app.exec()


def main() -> None:
    while line := sys.stdin.readline():
        child = os.fork()
        if not child:
            type_and_save(Path(line.removesuffix("\n")))
            os._exit(1)
        say("began", child, time.monotonic())
        os.waitpid(child, 0)
        say("gone", child, time.monotonic())


if __name__ == "__main__":
    main()
