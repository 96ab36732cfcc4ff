"""PySide6 6.12.0 loses references to None, True and False until Python 3.11 aborts; the pinned version must not.

A gain, as by QUndoStack.push in 6.10.3, only keeps alive what never dies; a loss ends in an abort after an hour.
"""

import json
import subprocess
import sys

import pytest

SCRIPT = """
import ctypes, json, os, sys
for value in (True, False, None):  # so that a leak downward ends in a number and not in an abort
    ctypes.c_ssize_t.from_address(id(value)).value += 10**8
import numpy as np
from PySide6 import QtGui, QtWidgets
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.engine.problem import Problem

app = QtWidgets.QApplication([])

class Paints(QtWidgets.QWidget):
    def paintEvent(self, event):
        painter = QtGui.QPainter(self)
        painter.drawText(1, 9, "x")
        painter.end()

eye = np.eye(3)
document = Document(Problem(query=eye, key=eye, value=eye))
edit = SetCells("query", (slice(0, 1), slice(0, 1)), np.full((1, 1), 1.5), Label("typed", {}))
model, table, widget = MatrixModel(), QtWidgets.QTableView(), Paints()
model.set_matrix(document.reader("query"))
table.setModel(model)
for shown in (table, widget):
    shown.show()
app.processEvents()
acts = {
    "edit and undo": lambda: (document.apply(edit), document.stack.undo()),
    "cells_changed": lambda: model.cells_changed(slice(0, 1), slice(0, 1)),
    "setData": lambda: model.setData(model.index(0, 0), "7"),
    "table repaint": lambda: table.viewport().repaint(),
    "repaint": widget.repaint,
    "setVisible": lambda: widget.setVisible(True),
    "addAction": lambda: QtWidgets.QMenu().addAction("x"),
}
found = {}
for name, act in acts.items():
    act()
    before = [sys.getrefcount(value) for value in (True, False, None)]
    for _ in range(200):
        act()
    found[name] = [(sys.getrefcount(value) - b) / 200 for value, b in zip((True, False, None), before)]
print(json.dumps(found), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None, True and False are immortal from Python 3.12 on")
def test_calls_into_qt_keep_the_count_of_none_true_and_false() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.strip().splitlines()[-1])
    lost = {name: drift for name, drift in found.items() if min(drift) < -0.05}
    assert not lost, "references to True, False, None lost per call"
