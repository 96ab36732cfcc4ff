"""The end of a program: whoever opens one window after another from Python holds one of them."""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from attn_gui.app.program import Program


def objects_after_a_program(app: QApplication) -> int:
    """How many objects of Qt there are once a program has ended."""
    program = Program(app, lang="zh")
    program.begin(None)
    program.window.show()
    program.end()
    del program
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    return sum(isinstance(found, QObject) for found in gc.get_objects())


def test_a_program_that_has_ended_leaves_no_object_behind(qapp):
    before = [objects_after_a_program(qapp) for _ in range(2)][-1]
    assert objects_after_a_program(qapp) == before
