"""A program of its own that types and saves until it is killed: kills/test_kills.py starts it.

On its standard output stands each number with the time at which it was in the document, and each number before it is
saved.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QTableView

from attn_gui.app.shell.program import Program

PAUSE_MS = 15
SAVED = 40  # every so many edits


def main(path: Path) -> None:
    app = QApplication(sys.argv[:1])
    program = Program(app)
    program.begin(path)
    table = program.window.findChild(QTableView, "table.query").model()
    clock, number = QTimer(interval=PAUSE_MS), 0

    def go_on() -> None:
        nonlocal number
        number += 1
        table.setData(table.index(0, 0), str(number))
        assert program.document.problem.query[0, 0] == number
        print("typed", number, time.monotonic(), flush=True)
        if number % SAVED == 0:
            print("saving", number, time.monotonic(), flush=True)
            program.files.save()

    clock.timeout.connect(go_on)
    clock.start()
    app.exec()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
