"""PySide6 6.12.0 loses references to None, True and False until Python 3.11 aborts; the pinned version must not.

Each call is made hundreds of times while the references are counted. A gain, as by QUndoStack.push in 6.10.3, only
keeps alive what never dies; a loss ends in an abort after an hour of work.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CALLS = 500
SCRIPT = f"""
import ctypes, json, os, sys
for value in (True, False, None):  # so that a leak downward ends in a number and not in an abort
    ctypes.c_ssize_t.from_address(id(value)).value += 10**8
import numpy as np
from PySide6 import QtCore, QtGui, QtWidgets
from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetCells
from attn_gui.document.matrix_model import MatrixModel
from attn_gui.engine.problem import Problem

app = QtWidgets.QApplication([])
found = {{}}

def probe(name, act, calls={CALLS}):
    act()
    before = [sys.getrefcount(value) for value in (True, False, None)]
    for _ in range(calls):
        act()
    after = [sys.getrefcount(value) for value in (True, False, None)]
    found[name] = [(b - a) / calls for a, b in zip(before, after)]

class Paints(QtWidgets.QWidget):
    seen = QtCore.Signal(object)
    painted = 0
    def paintEvent(self, event):
        self.painted += 1
        painter = QtGui.QPainter(self)
        painter.drawText(1, 9, "x")
        painter.end()

eye = np.eye(3)
document = Document(Problem(query=eye, key=eye, value=eye))
box = (slice(0, 1), slice(0, 1))
one, two = (SetCells("query", box, np.full((1, 1), k), Label("typed", {{}})) for k in (1.5, 2.5))
def edit():
    document.apply(one); document.apply(two); document.stack.undo(); document.stack.undo()
probe("edit and undo", edit)
model = MatrixModel()
model.set_matrix(document.reader("query"))
table = QtWidgets.QTableView()
table.setModel(model)
table.show()
app.processEvents()
probe("cells_changed", lambda: model.cells_changed(slice(0, 1), slice(0, 1)))
probe("setData", lambda: model.setData(model.index(0, 0), "7"))
probe("table repaint", lambda: table.viewport().repaint(), 100)
widget = Paints()
widget.show()
app.processEvents()
probe("repaint", widget.repaint)
probe("update", widget.update)
probe("setVisible", lambda: widget.setVisible(True))
probe("emit", lambda: widget.seen.emit(None))
probe("connect", lambda: (widget.seen.connect(print), widget.seen.disconnect(print)))
probe("addAction", lambda: QtWidgets.QMenu().addAction("x"))
found["painted"] = widget.painted
print(json.dumps(found), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None, True and False are immortal from Python 3.12 on")
def test_calls_into_qt_keep_the_count_of_none_true_and_false() -> None:
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.strip().splitlines()[-1])
    assert found.pop("painted") >= CALLS
    assert len(found) == 10
    lost = {name: drift for name, drift in found.items() if min(drift) < -0.05}
    assert not lost, "references to True, False, None lost per call"
