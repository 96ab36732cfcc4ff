"""Time from the start of the process to the first window and to its maps, against windows with nothing in them."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 9
ROOT = Path(__file__).resolve().parents[2]

BARE = """
import time
{imports}
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, done)
def done():
    print("window", time.time(), flush=True)
    app.quit()
window = Window()
window.show()
app.exec()
"""
PROGRAM = """
import time
from PySide6.QtWidgets import QApplication
from attn_gui.app.start import Start, run
from attn_gui.paths import resource
fill, paint_maps, painted = Start._fill, Start._paint, []
def filled(start):
    tell("window")
    fill(start)
def watched(start):
    from attn_gui.views.map.map_view import MapView
    paint = MapView.paintEvent
    def paint_and_note(view, event):
        paint(view, event)
        painted.append(view.parentWidget().objectName())
    MapView.paintEvent = paint_and_note
    paint_maps(start)
def completed(start):
    assert "heatmap.weights" in painted
    tell("maps")
    QApplication.instance().exit()
def tell(what):
    print(what, time.time(), flush=True)
Start._paint = watched
Start._fill = filled  # an event filter of the application would be asked twenty thousand times
Start._complete = completed  # what it does comes after the maps
run([resource("examples", "minilm-layer2.npz")])
"""
SCRIPTS = {
    "bare": BARE.format(imports="import numpy"),
    "with pyqtgraph": BARE.format(imports="import numpy, pyqtgraph"),
    "program": PROGRAM,
}


def bench_start(benchmark, figures, tmp_path):
    for script in SCRIPTS.values():
        marks_of(script, tmp_path)  # into the cache of the disk
    rounds = [{name: marks_of(script, tmp_path) for name, script in SCRIPTS.items()} for _ in range(RUNS)]
    benchmark.pedantic(marks_of, args=(PROGRAM, tmp_path), rounds=1)

    def median(script: str, mark: str) -> float:
        return statistics.median(marks[script][mark] for marks in rounds)

    first = median("program", "window") / median("bare", "window")
    figures.add("start to window ÷ bare PySide6 + NumPy", "", first, 1.3)
    maps = median("program", "maps") / median("with pyqtgraph", "window")
    figures.add("start to maps ÷ bare PySide6 + NumPy + pyqtgraph", "", maps, 2.3)
    for script, mark in (("bare", "window"), ("with pyqtgraph", "window"), ("program", "window"), ("program", "maps")):
        figures.add(f"start: {script}, {mark}, ms", "", median(script, mark) * 1e3)


def marks_of(script: str, home: Path) -> dict[str, float]:
    """Seconds from the start of a process to each thing that it tells."""
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(home), "PYTHONPATH": str(ROOT)}
    # compiled, as an installed program is
    env |= {"PYTHONPYCACHEPREFIX": str(home / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    start = time.time()
    said = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True).stdout
    return {what: float(at) - start for what, at in map(str.split, said.splitlines())}
