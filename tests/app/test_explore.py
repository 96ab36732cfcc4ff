"""The window from Python, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
import attn_gui
from PySide6.QtCore import QTimer
drawn = attn_gui.render(attn_gui.Problem(query=[[1, 0]], key=[[1, 0]], value=[[2]]))  # an application without windows
drawn.image()
from PySide6.QtWidgets import QApplication

seen = []
def look():
    seen.extend(w for w in QApplication.topLevelWidgets() if w.objectName() == "mainWindow" and w.isVisible())
    seen[0].close() if seen else QTimer.singleShot(20, look)

import attn_gui.app.explore as module
make = module._application
def application():
    app = make()
    QTimer.singleShot(0, look)
    return app
module._application = application
explorer = attn_gui.explore(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]])
assert seen, "no window was shown"
assert explorer.problem.value.tolist() == [[1, 2], [3, 4]]
print("closed")
"""


def test_a_script_goes_on_when_the_window_is_closed(tmp_path):
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("closed")


def test_without_a_display_there_is_one_sentence():
    environment = {name: value for name, value in os.environ.items() if "DISPLAY" not in name and "QT_QPA" not in name}
    done = subprocess.run(
        [sys.executable, "-c", "import attn_gui; attn_gui.explore()"],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1].startswith("RuntimeError: There is no display")
