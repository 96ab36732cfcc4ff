"""A walk of thousands of steps through one window, from document to document, as on a long working day.

`python3 packaging/dev.py soak --actions 10000 --seed 0` prints what it came to; `--seed 7 --actions 150` walks through
the document of seed 7 alone.
"""

import faulthandler
import time
import traceback
from itertools import count
from typing import Any

import pytest
from pyqtgraph.util.garbage_collector import GarbageCollector
from PySide6.QtTest import QTest

from attn_gui.app.state.computation import LEFT_MS
from attn_gui.engine.arrays import silent
from attn_gui.formats import open_file
from attn_gui.formats.session import ModelNeeded
from attn_gui.formats.snapshots import Snapshot
from attn_gui.models.study import opened_study

from .caught_errors import make_errors_whole
from .conftest import SLOW, Figures
from .invariants import differing, image
from .walk import Beginning, Walk, beginning

SMALL = -1  # the seed of the document in which the process is weighed: always the same, or its size would be weighed
SIZE = 1440, 900  # of the window when it is weighed: its pixels make a difference of 10 MB
STRETCH = 150  # steps in one document
STANDSTILL = 600  # seconds after which the window is not slow but stands still, three walks on two cores
STDERR = 2  # a descriptor: no object that pytest puts in its place
BURST = 20  # actions in haste, one after the other
WEIGHED = 4  # documents from one weighing to the next: what the last one left is given back first, which takes a while


@pytest.fixture
def _garbage_is_looked_for() -> Any:
    """As the program does, in pauses of the window's thread."""
    collector = GarbageCollector()
    yield
    collector.timer.stop()


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("_garbage_is_looked_for")
def walk_in_haste(launch, tmp_path, qtlog, capsys, pytestconfig):
    """Only what is done in haste, judged at the end of each burst."""
    make_errors_whole()
    seed = pytestconfig.getoption("seed")
    walk = Walk(launch(), beginning(seed, tmp_path, larger=False), qtlog)
    faults, bursts = list[str](), pytestconfig.getoption("actions") // BURST
    for number in range(bursts):
        try:
            walk.step_of(lambda: walk.actions.answers.during(lambda: walk.actions.hasty.burst(BURST)))
        except Exception:
            faults.append(f"{traceback.format_exc(limit=-3)}\n{walk.tale()}")
            tell(capsys, f"fault: {faults[-1]}")
        if number % 50 == 49:
            tell(capsys, f"{(number + 1) * BURST} actions in haste, {len(faults)} faults")
    assert not faults


@pytest.mark.timeout(0)
@pytest.mark.usefixtures("_garbage_is_looked_for")
def walk_far(launch, tmp_path, qtlog, capsys, figures, pytestconfig):
    make_errors_whole()
    person, actions = launch(), pytestconfig.getoption("actions")
    first = pytestconfig.getoption("seed")
    small = beginning(SMALL, tmp_path, larger=False)
    for seed in count(first):
        ended = figures.steps >= actions
        if ended or (seed - first) % WEIGHED == 0:
            go_over_to(person, small)
            person.window.resize(*SIZE)
            person.action("zoom_reset").trigger()
            QTest.qWait(LEFT_MS + 500)  # until what the last one left was given back
            tell(capsys, figures.weigh())
        if ended:
            break
        begun = beginning(seed, tmp_path, larger=True)
        change(figures, go_over_to(person, begun), begun, capsys)
        walk = Walk(person, begun, qtlog)
        try:
            stretch(walk, figures, min(actions - figures.steps, STRETCH), capsys)
        except Exception:  # the next document may have others
            figures.faults.append(f"{traceback.format_exc(limit=-3)}\n{walk.tale()}")
            tell(capsys, f"fault: {figures.faults[-1]}")
        walk.end()
    assert not figures.faults
    assert not figures.slow


def change(figures: Figures, seconds: float, begun: Beginning, capsys: pytest.CaptureFixture[str]) -> None:
    """Count a change of documents as a step; tell a slow one."""
    figures.step(seconds, f"from the document before to {begun.told}")
    if seconds > SLOW:
        tell(capsys, f"slow, {seconds:.1f} s of the window's thread: to {begun.told}")


def go_over_to(person: Any, begun: Beginning) -> float:
    """Save the document that is open, and drop the file of the next one on the window; the seconds that the window's
    thread computed for the second."""
    kept = begun.path.with_name(f"kept-before-{begun.seed}.attn")
    kept.unlink(missing_ok=True)
    person.choose_file(kept, lambda: person.do("save_as"))
    while person.program.files.saving.busy:  # a large one is written beside the window
        QTest.qWait(5)
    document = person.program.document
    try:
        found = open_file(kept)
    except ModelNeeded as needed:
        study = opened_study(needed.record, [], silent)
        problem, snapshots = study.problem, study.snapshots
    else:
        problem, snapshots = found.problem, found.snapshots
    wrong = differing(image(problem), image(document.problem))
    assert wrong is None, f"the file saved before seed {begun.seed} holds something else: {wrong}"
    assert [told(each) for each in snapshots] == [told(each) for each in document.snapshots.all]
    before = time.thread_time()
    person.drop(begun.path)
    person.wait()
    assert person.program.document.name == begun.path.stem, person.banner()
    return time.thread_time() - before


def told(snapshot: Snapshot) -> tuple[object, ...]:
    """Everything that a snapshot holds."""
    parts = {name: (part.array().shape, part.array().tobytes()) for name, part in snapshot.parts.items()}
    return snapshot.name, snapshot.note, snapshot.by_itself, parts


def stretch(walk: Walk, figures: Figures, steps: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Take so many steps in one document, then go to its start and back; tell what came before a slow one."""
    for _ in range(steps):
        end_at_standstill()
        seconds = walk.step()
        figures.step(seconds, f"{walk.told[-1]} ({walk.told[0]})")
        if seconds > SLOW:
            tell(capsys, f"slow, {seconds:.1f} s of the window's thread:\n{walk.tale()}")
    end_at_standstill()
    walk.to_the_start_and_back()
    faulthandler.cancel_dump_traceback_later()


def end_at_standstill() -> None:
    """End the process, and say where it stands, unless this is called again: a loop of events that never returns."""
    faulthandler.dump_traceback_later(STANDSTILL, exit=True, file=STDERR)


def tell(capsys: pytest.CaptureFixture[str], line: str) -> None:
    """Say it at once: the walk takes an hour."""
    with capsys.disabled():
        print(line, flush=True)
