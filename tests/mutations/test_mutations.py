"""Damaged files of every kind: each opens or is refused in one sentence, at once, in little memory.

`packaging/dev.py mutations` takes a million of them; `--inputs N` says how many. An input is made of its name and its
number alone: what is told of one finds it again, and `--first` goes on behind those of another run.
"""

import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest

from attn_gui.formats import FormatError, session, untrusted_bytes
from tests.costs import is_slow

from .inputs import Input, inputs
from .mutator import mutated

CAP = 16 * 2**20  # bytes that the arrays of a file, and what a figure carries, may take here
MOST = 2 * CAP
SLOW, HUNG = 1.0, 10.0  # seconds of the processor
SHARE, WHOLE = 400, 5_000
NAMES = (
    *("session.attn", "arrays.npz", "lists.json", "tensors.safetensors", "book.xlsx", "matrix.npy", "matrix.csv"),
    *("matrix.tsv", "clipboard", "figure.png", "figure.svg", "figure.pdf", "left.journal", "lesson.md"),
    *("config.json", "model.safetensors", "tokenizer.json"),
)


class Hung(BaseException):
    """Nothing that reads a file may catch it."""


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder in memory where there is one: a disk takes as long as all the reading."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def known(place: Path) -> dict[str, Input]:
    return {each.name: each for each in inputs(place)}


def test_every_input_is_damaged(known: dict[str, Input]) -> None:
    assert tuple(known) == NAMES


@pytest.mark.timeout(0)
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of the memory is read where Linux says it")
@pytest.mark.parametrize("name", NAMES)
def test_what_is_damaged_opens_or_is_refused_in_a_sentence(
    name: str, known: dict[str, Input], place: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(untrusted_bytes, "LARGEST_TOTAL", CAP)
    monkeypatch.setattr(session, "LARGEST", CAP)
    each, whole = known[name], request.config.getoption("long")
    count = (request.config.getoption("inputs") or (WHOLE if whole else SHARE)) // len(NAMES)
    first = request.config.getoption("first") // len(NAMES)
    path = place / (name if "." in name else f"{name}.txt")
    faults = [
        f"{name} {number}: {fault}"
        for number in range(first, first + count)
        if (fault := fault_of(each, number, path)) is not None
    ]
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults[:20])


def fault_of(each: Input, number: int, path: Path) -> str | None:
    """What is wrong with how an input was taken; None where nothing is."""
    dice = Random(f"{each.name} {number}")
    part = dice.choice(each.parts)
    path.write_bytes(part.wrapped(mutated(part.data, dice)))
    before, began, said = resident(anew=True), time.process_time(), ""
    try:
        with ended_after(HUNG), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            each.read(path)
    except FormatError as error:
        said = str(error)
        if not said.isprintable() or "\n" in said or not said.endswith((".", "…", "。")):
            return f"is told as {said!r}"
    except Hung:
        return f"takes more than {HUNG:g} s"
    except Exception as error:
        return f"raises {error!r}"
    spent, peak = time.process_time() - began, resident() - before
    if is_slow(spent, SLOW):
        return f"takes {spent:.1f} s; {said}"
    return f"takes {peak / 2**20:.0f} MB; {said}" if peak > MOST else None


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    def end(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def resident(*, anew: bool = False) -> int:
    """The largest memory of this process since it was asked `anew`, in bytes."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024
