"""A random walk through the window: whatever the order, nothing breaks and nothing false is shown.

`python3 packaging/dev.py soak` takes thousands of steps, through larger problems.
"""

import pytest

from tests.failing import examples

from .soak.caught_errors import make_errors_whole
from .soak.walk import Walk, beginning

STEPS = examples(40)
BURSTS = examples(4)


@pytest.fixture(autouse=True)
def _errors_are_told() -> None:
    make_errors_whole()


@pytest.mark.parametrize("seed", [1, 4])
def test_a_walk(launch, tmp_path, qtlog, seed):
    begun = beginning(seed, tmp_path, larger=False)
    walk = Walk(launch(begun.path, lang=begun.rnd.choice(("en", "zh"))), begun, qtlog)
    for _ in range(STEPS):
        walk.step()
    walk.to_the_start_and_back()


def test_a_walk_in_haste(launch, tmp_path, qtlog):
    """Documents change beneath the pointer."""
    walk = Walk(launch(), beginning(0, tmp_path, larger=False), qtlog)
    for _ in range(BURSTS):
        walk.step_of(lambda: walk.actions.answers.during(walk.actions.hasty.burst))
