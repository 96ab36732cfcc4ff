"""`attn-gui export` of long problems: memory, progress, what is left after Ctrl-C."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import save
from attn_gui.paths import resource
from tests.failing import each

LONG, HEADS, WIDTH = 4096, 8, 64
MEASURED = """
import sys
import PySide6.QtGui, PySide6.QtSvg
import attn_gui.commands.export_files, attn_gui.engine.evaluation.streaming, attn_gui.figure.render
from attn_gui.cli import main
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024
floor = peak()
code = main()
print(peak() - floor)
sys.exit(code)
"""

HALFWAY = """
import sys
from attn_gui.cli import main
import attn_gui.formats.atomic_writing
saving = sys.modules["attn_gui.formats.atomic_writing"]
write = saving.FileSink.write
def write_and_wait(sink, data):
    count = write(sink, data)
    if sink.size > 1000000:
        saving.FileSink.write = write
        print("halfway", flush=True)
        sys.stdin.read()
    return count
saving.FileSink.write = write_and_wait
sys.exit(main())
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc, sends signals")


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(4)
    arrays = {name: random.standard_normal((LONG, HEADS * WIDTH)).astype("f4") for name in ("query", "key", "value")}
    path = tmp_path_factory.mktemp("long") / "long.attn"
    save(Problem(**arrays, num_heads=HEADS, dtype="float32", mask=[{"kind": "causal"}]), path)
    return path


@pytest.mark.long
def test_an_export_never_holds_the_weights(long, tmp_path):
    words = ["export", str(long), "-o", str(tmp_path), "--heads", "3", "--format", "png", "npy"]
    done = subprocess.run([sys.executable, "-c", MEASURED, *words], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    *written, peak = done.stdout.splitlines()
    assert written == [str(tmp_path / f"long-weights-h3.{ending}") for ending in ("png", "npy")]
    assert int(peak) < 0.4 * LONG * LONG * HEADS * 4
    found = np.load(written[1], mmap_mode="r")
    assert (found.shape, found.dtype) == ((LONG, LONG), np.float32)
    np.testing.assert_allclose(found[1:].sum(axis=1, dtype=float), 1, atol=1e-5)
    assert not found[7, 8:].any()


def test_what_is_too_much_for_a_text_is_refused(long, tmp_path, capsys):
    assert main(["export", str(long), "-o", str(tmp_path), "--format", "csv"]) == 2
    assert capsys.readouterr().err == (
        "attn-gui: long-weights-h0.csv would hold 16,777,216 numbers as text, more than 10,000,000; "
        "choose NPY instead.\n"
    )
    assert os.listdir(tmp_path) == []


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A child inherits the deafness of a run that a shell has put into the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def begun(words: list[object], **pipes: int) -> subprocess.Popen[str]:
    command = [sys.executable, *map(str, words)]
    return subprocess.Popen(command, **({"stdout": -1, "stderr": -1} | pipes), text=True)


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_leaves_no_half_file(long, tmp_path):
    old = tmp_path / "long-stages.npz"
    old.write_bytes(b"the old file")
    words = ["-c", HALFWAY, "export", long, "-o", tmp_path, "--format", "npz", "--stage", "weights"]
    running = begun(words, stdin=subprocess.PIPE)
    assert running.stdout.readline() == "halfway\n"
    assert any(name.endswith(".saving") for name in os.listdir(tmp_path))
    running.send_signal(signal.SIGINT)
    out, error = running.communicate(timeout=300)
    assert (running.returncode, out, error) == (130, "", "")
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_bytes() == b"the old file"


@pytest.mark.usefixtures("_interruptible")
@each("command", ["export", "verify", "worksheet"], one_of=3)
def test_a_terminal_sees_progress_of_which_ctrl_c_leaves_nothing(command, long, tmp_path):
    path = resource("examples", "worked-example.npz") if command == "worksheet" else long
    options = {
        "export": ["-o", tmp_path, "--format", "npz", "--stage", "weights"],
        "worksheet": ["-o", tmp_path, "--count", "200"],
    }
    terminal, theirs = os.openpty()
    running = begun(["-m", "attn_gui", command, path, *options.get(command, [])], stderr=theirs)
    os.close(theirs)
    said = b""
    with os.fdopen(terminal, "rb", buffering=0) as reader, suppress(OSError):  # that is how such a terminal ends
        while b"%" not in said:
            said += reader.read(1000)
        running.send_signal(signal.SIGINT)
        while part := reader.read(1000):
            said += part
    out, _ = running.communicate(timeout=300)
    assert running.returncode == 130
    assert re.search(rb"[\w.-]+: \d+%", said)
    assert said.split(b"\r")[-1] == b"\x1b[K"
    written = [Path(line) for line in out.splitlines() if line.endswith(".pdf")]
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == set(written)
    assert all(path.read_bytes().rstrip().endswith(b"%%EOF") for path in written), "what is there is whole"
