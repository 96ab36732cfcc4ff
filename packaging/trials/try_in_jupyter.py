"""Try `explore` in real Jupyter kernels: each road begins in a kernel of its own. Not collected by pytest.

    python -m venv /tmp/kernel && /tmp/kernel/bin/pip install -e . ipykernel jupyter_client
    QT_QPA_PLATFORM=offscreen /tmp/kernel/bin/python packaging/trials/try_in_jupyter.py

(or without QT_QPA_PLATFORM, to see the windows). Prints one line a road; exit code 1 where a window is not alive.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from queue import Empty

from jupyter_client.manager import start_new_kernel

ROOT = Path(__file__).resolve().parents[2]
START = f"""
import sys; sys.path.insert(0, {str(ROOT)!r})
import attn_gui as ag
p = ag.Problem(query=[[1, 0, 1], [0, 1, 1]], key=[[1, 1, 0], [0, 1, 1]], value=[[1, 2], [3, 4]])
"""
ALIVE = """
from PySide6.QtCore import QTimer
ticks = []; timer = QTimer(interval=50); timer.timeout.connect(lambda: ticks.append(1)); timer.start()
"""
ASK = """
image = w._program.window.grab().toImage()
colors = {image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
q = p.replace(scale=2.0); w.show(q)
print(len(ticks), len(ticks) > 5, w._program.window.isVisible(), len(colors) > 20, w.problem == q)
"""
FINE, TRIES = "True True True True", 15
ROADS = {
    "explore at once": ["w = ag.explore(p)"],
    "explore after render": ["ag.render(p)", "w = ag.explore(p)"],
    "explore after render and %gui qt": ["ag.render(p)", "%gui qt", "w = ag.explore(p)"],
    "explore after %gui qt": ["%gui qt", "w = ag.explore(p)"],
    "explore twice, render between": ["v = ag.explore()", "ag.render(p)", "w = ag.explore(p)"],
    "explore of arrays, problem shown before": ["p", "w = ag.explore(query=p.query, key=p.key, value=p.value)"],
    "explore in place of the first one": ["w = ag.explore()", "w.close()", "w = ag.explore(p)"],
}


def main() -> int:
    fine = [_road(name, lines) for name, lines in ROADS.items()]
    return 0 if all(fine) else 1


def _road(name: str, lines: list[str]) -> bool:
    manager, client = start_new_kernel()
    try:
        for line in (START, *lines, ALIVE):
            _run(client, line)
        for _ in range(TRIES):
            time.sleep(1)  # meanwhile the kernel waits, and the window should live
            said = _run(client, ASK)
            if FINE in said:
                break
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    fine = FINE in said
    print(f"{name:<42} {'ok' if fine else f'FAILED: {said.strip()[-1500:]}'}", flush=True)
    return fine


def _run(client: object, code: str) -> str:
    """Run a cell; what it prints and raises."""
    number, said = client.execute(code), []
    while True:
        try:
            message = client.get_iopub_msg(timeout=60)
        except Empty:
            return "".join(said) + "\nno answer within a minute"
        if message["parent_header"].get("msg_id") != number:
            continue
        content = message["content"]
        said.append(content.get("text", "") + "\n".join(content.get("traceback", ())))
        if message["msg_type"] == "status" and content["execution_state"] == "idle":
            return "".join(said)


if __name__ == "__main__":
    sys.exit(main())
