"""`attn-gui export` of long problems, in processes of their own: memory, progress, what is left after Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem, compute
from attn_gui.formats import save
from attn_gui.paths import resource

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
import attn_gui.formats.saving
saving = sys.modules["attn_gui.formats.saving"]
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


def measured(*arguments: object) -> tuple[list[str], int]:
    """The lines that an export prints, and the peak of its memory above its imports in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "export", *map(str, arguments)], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    *lines, peak = done.stdout.splitlines()
    return lines, int(peak)


@pytest.mark.parametrize("ending", ["png", "npy"])
def test_an_export_never_holds_the_weights(long: Path, tmp_path: Path, ending: str) -> None:
    lines, peak = measured(long, "-o", tmp_path, "--heads", "3", "--format", ending)
    assert lines == [str(tmp_path / f"long-weights-h3.{ending}")]
    assert peak < 0.4 * LONG * LONG * HEADS * 4
    if ending == "npy":
        assert peak < 2 * LONG * LONG * 4
        found = np.load(lines[0], mmap_mode="r")
        assert (found.shape, found.dtype) == ((LONG, LONG), np.float32)
        np.testing.assert_allclose(found[1:].sum(axis=1, dtype=float), 1, atol=1e-5)
        assert not found[7, 8:].any()


def test_what_is_too_much_for_a_text_is_refused(long: Path, tmp_path: Path) -> None:
    done = exporting(long, tmp_path, "--format", "csv")
    _, error = done.communicate(timeout=300)
    assert done.returncode == 2
    assert error == (
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


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_ctrl_c_leaves_no_half_file(long: Path, tmp_path: Path, ending: str) -> None:
    (tmp_path / "long-weights-h0.npy").write_bytes(b"the old file")
    words = ["export", str(long), "-o", str(tmp_path), "--format", ending, "--stage", "weights"]
    command = [sys.executable, "-c", HALFWAY, *words]
    running = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "halfway\n"
    assert any(name.endswith(".saving") for name in os.listdir(tmp_path))
    running.send_signal(signal.SIGINT)
    out, error = running.communicate(timeout=300)
    assert (running.returncode, out, error) == (130, "", "")
    assert os.listdir(tmp_path) == ["long-weights-h0.npy"]
    assert (tmp_path / "long-weights-h0.npy").read_bytes() == b"the old file"


def test_a_terminal_sees_progress_and_nothing_of_it_stays(long: Path, tmp_path: Path) -> None:
    terminal, theirs = os.openpty()
    running = exporting(long, tmp_path, "--heads", "0", "--format", "npz", "--stage", "weights", error=theirs)
    os.close(theirs)
    said = rest_of(terminal)
    running.communicate(timeout=300)
    assert running.returncode == 0
    shown = [text.removesuffix("\x1b[K") for text in said.decode().split("\r")]
    shares = [int(text.removeprefix("long-stages.npz: ").removesuffix("%")) for text in shown if "%" in text]
    assert len(shares) > 2
    assert shares == sorted(shares)
    assert shown[-1] == ""


def rest_of(terminal: int) -> bytes:
    """What is said on a terminal until its other side has gone; it is closed then."""
    said = b""
    with os.fdopen(terminal, "rb", buffering=0) as reader, suppress(OSError):  # that is how such a terminal ends
        while part := reader.read(1000):
            said += part
    return said


def exporting(long: Path, folder: Path, *options: str, error: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "attn_gui", "export", str(long), "-o", str(folder), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=error, text=True)


def test_a_long_npz_opens_again(tmp_path: Path) -> None:
    random = np.random.default_rng(9)
    arrays = {name: random.standard_normal((1031, 6)) for name in ("query", "key", "value")}
    problem = Problem(**arrays, num_heads=2)
    save(problem, tmp_path / "a.attn")
    measured(tmp_path / "a.attn", "-o", tmp_path, "--format", "npz", "--stage", "weights", "output")
    trace = compute(problem)
    with np.load(tmp_path / "a-stages.npz") as found:
        np.testing.assert_allclose(found["weights"], trace["weights"], rtol=1e-12)
        np.testing.assert_array_equal(found["query"], problem.query)
        np.testing.assert_allclose(found["output"], trace["output"], rtol=1e-12)


SLOW = {"verify": ["verify"], "worksheet": ["worksheet", "--count", "200", "-o", "sheets"]}


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A problem whose reference takes seconds."""
    random = np.random.default_rng(5)
    arrays = {name: random.standard_normal((1500, 256)) for name in ("query", "key", "value")}
    save(Problem(**arrays, num_heads=8), tmp_path / "wide.attn")
    return tmp_path / "wide.attn"


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("name", SLOW)
def test_ctrl_c_while_progress_is_shown_ends_with_130(name: str, wide: Path, tmp_path: Path) -> None:
    """`verify` and `worksheet` tell a terminal how far they are, and leave nothing of it."""
    path = wide if name == "verify" else resource("examples", "worked-example.npz")
    command, *options = SLOW[name]
    terminal, theirs = os.openpty()
    words = [sys.executable, "-m", "attn_gui", command, str(path), *options]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=theirs, text=True, cwd=tmp_path)
    os.close(theirs)
    said = b""
    while b"%" not in said:
        said += os.read(terminal, 1000)
    running.send_signal(signal.SIGINT)
    said += rest_of(terminal)
    out, _ = running.communicate(timeout=300)
    assert running.returncode == 130
    written = [tmp_path / line for line in out.splitlines() if line.endswith(".pdf")]
    assert f"{path.name}: " in said.decode()
    assert said.decode().split("\r")[-1] == "\x1b[K"
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path / "wide.attn", *written}
    assert all(path.read_bytes().rstrip().endswith(b"%%EOF") for path in written), "what is there is whole"
