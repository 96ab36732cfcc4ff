"""The real program killed while somebody types and saves: at most a second is lost, and never a file.

`packaging/dev.py kills` does it a thousand times; `--kills N` says how often.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attn_gui.app.files.journaling import journals_folder, lock_of
from attn_gui.formats import FormatError, open_file, save_session
from attn_gui.formats.sessions.journal import recover
from attn_gui.paths import resource

TYPIST = Path(__file__).with_name("typist.py")
MOST_LOST = 1.0  # seconds; as much longer as every thread waits for a core
EDITS = 25  # after which a kill may come, so that the program is warm
BY_CHANCE = 1.2  # seconds at most until it does


def killed(session: Path, dice: random.Random) -> tuple[list[tuple[int, float]], set[int], float]:
    """The numbers typed with their times, those on their way into the file, and the time of the kill."""
    typist = subprocess.Popen([sys.executable, str(TYPIST), str(session)], stdout=subprocess.PIPE, text=True)
    assert typist.stdout is not None
    lines = []
    while len(lines) < EDITS:
        line = typist.stdout.readline()
        assert line, f"the program ended by itself after {len(lines)} edits"
        lines.append(line)
    time.sleep(dice.uniform(0, BY_CHANCE))
    moment = time.monotonic()
    typist.send_signal(signal.SIGKILL)
    lines += [line for line in typist.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
    words = [line.split() for line in lines]
    typed = [(int(number), float(when)) for what, number, when in words if what == "typed"]
    return typed, {int(number) for what, number, _ in words if what == "saving"}, moment


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.timeout(0)
def test_a_kill_costs_a_second_at_most_and_no_file(tmp_path, request):
    dice = random.Random(11)
    began = open_file(resource("examples", "worked-example.npz")).problem
    for _ in range(request.config.getoption("kills") or (50 if request.config.getoption("long") else 2)):
        session = tmp_path / "mine.attn"
        save_session(began, session)
        typed, saved, moment = killed(session, dice)
        held = open_file(session).problem.query[0, 0]
        assert held in saved | {began.query[0, 0]}, "the file is one that was saved, whole"
        kept = [held]
        for path in journals_folder().glob("*.journal"):
            assert lock_of(path).tryLock(0), "the lock of the dead is free"
            try:
                kept.append(recover(path).loaded.problem.query[0, 0])
            except FormatError:
                assert held == max(saved, default=0)
        most = MOST_LOST * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        due = max((number for number, when in typed if when < moment - most), default=0)
        assert max(kept) >= due, "what is older than a second is there"
        stray = [name for name in os.listdir(tmp_path) if name != session.name]
        left = [path for path in journals_folder().iterdir() if path.suffix not in (".journal", ".lock")]
        assert len(stray) + len(left) <= 1
        for path in [*journals_folder().iterdir(), *(tmp_path / name for name in stray)]:
            path.unlink()
