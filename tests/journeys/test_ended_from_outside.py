"""The program ended from outside, by signals, while something is unsaved.

Real processes: each types a number in which every bit counts, says so, and is ended. What was typed comes back.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from attn_gui.app.files.journaling import journals_folder, lock_of
from attn_gui.formats.journal import recover
from attn_gui.paths import resource

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 300.0  # seconds
TYPED = 0.1 + 0.2  # 0.30000000000000004: no rounding on the way is lost
PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMessageBox, QTableView, QWidget
from attn_gui.app import program, start

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have none,
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and under nohup they hear of no hangup
path, way, typed = sys.argv[1:]

def say(word):
    print(word, flush=True)

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    sum(range(1000))  # Python looks at signals here

def at_rest(self):
    rest(self)
    window = self.program.window
    table = window.findChild(QTableView, "table.query").model()
    if typed:
        table.setData(table.index(0, 0), typed)
    globals()[way](window)

def waiting(window):
    say("ready")

def painting(window):
    global canvas
    canvas = Canvas(window)
    canvas.show()

class Canvas(QWidget):
    def paintEvent(self, event):
        painter = QPainter(self)
        interrupt()

def hanging(window):
    say("ready")
    while signal.getsignal(signal.SIGINT) != signal.SIG_DFL:
        time.sleep(0.001)
    say("hangs on")
    time.sleep(1000)

rest, start.Start._rest = start.Start._rest, at_rest
sys.exit(start.run([Path(path)]))
"""


class Ended:
    """A program that somebody else ends."""

    def __init__(self, way: str = "waiting", typed: str = repr(TYPED), **environment: str) -> None:
        command = [sys.executable, "-c", PROGRAM, str(resource("examples", "worked-example.npz")), way, typed]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ | environment
        )
        assert self.process.stdout is not None
        self._said = self.process.stdout

    def wait_for(self, word: str) -> None:
        assert self._said.readline().strip() == word

    def end(self) -> tuple[int, str]:
        """The exit code, and what it said on stderr."""
        _, said = self.process.communicate(timeout=PATIENCE)
        assert "Traceback" not in said, said
        return self.process.returncode, said


@pytest.fixture
def begin():
    """Begin a program, which is gone after the test."""
    begun: list[Ended] = []

    def begin(*given: str, **named: str) -> Ended:
        begun.append(Ended(*given, **named))
        return begun[-1]

    yield begin
    for each in begun:
        each.process.kill()
        each.process.communicate()


def recovered() -> list[float]:
    """The typed number as the journal holds it that the next start offers."""
    paths = list(journals_folder().glob("*.journal"))
    assert all(lock_of(path).tryLock(0) for path in paths), "the lock of the dead is free"
    return [recover(path).loaded.problem.query[0, 0].item() for path in paths]


@pytest.mark.family(3)
@pytest.mark.parametrize(("name", "wanted"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_ends_the_program_and_what_was_typed_right_before_comes_back(name, wanted, begin):
    ended = begin()
    ended.wait_for("ready")
    ended.process.send_signal(signal.Signals[name])
    code, said = ended.end()
    assert code == wanted, said
    assert recovered() == [TYPED]
    assert "worked-example" in said, "the terminal reads where it is"


@pytest.mark.long
def test_control_c_amid_painting_ends_it_as_elsewhere(begin):
    code, said = begin("painting").end()
    assert code == 130, said
    assert "QPaint" not in said


@pytest.mark.long
def test_a_second_control_c_ends_what_hangs(begin):
    """The first one waits for the window's thread."""
    ended = begin("hanging")
    ended.wait_for("ready")
    ended.process.send_signal(signal.SIGINT)
    ended.wait_for("hangs on")
    ended.process.send_signal(signal.SIGINT)
    assert ended.end()[0] == -signal.SIGINT


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
def test_a_display_that_goes_away_takes_nothing_along(begin):
    """What is in the journal stays there: Xlib may end the process at once, so that nothing more is written."""
    with ExitStack() as open_files:
        read, write = os.pipe()
        open_files.callback(os.close, read)
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        open_files.callback(server.wait)
        open_files.callback(server.kill)
        os.close(write)
        ended = begin(QT_QPA_PLATFORM="xcb", DISPLAY=":" + os.read(read, 16).decode().strip())
        ended.wait_for("ready")
        end = time.monotonic() + PATIENCE
        while not list(journals_folder().glob("*.journal")):
            assert time.monotonic() < end, "nothing is kept"
            time.sleep(0.01)  # another process writes it; the disk tells nobody
        server.kill()
        code, said = ended.end()
    assert code == 1, said
    assert recovered() == [TYPED]
