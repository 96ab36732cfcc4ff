"""Families and journeys: a share of their cases each day, all of them with --long or by the name of their file."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

MANY = """
import pytest

@pytest.mark.family(4)
@pytest.mark.parametrize("case", range(12))
def test_many(case):
    assert case < 12

@pytest.fixture
def launch():
    return None

@pytest.mark.parametrize("language", ("en", "zh"))
def test_journey(launch, language):
    pass

def test_alone():
    pass
"""

WALKS = "".join(f"def test_walk_{number}(launch): pass\n" for number in range(12))


@pytest.fixture
def suite(pytester: pytest.Pytester, request: pytest.FixtureRequest) -> pytest.Pytester:
    """A suite with these hooks and nothing else of ours."""
    hooks = "import sys; sys.path.insert(0, {!r})\nfrom tests.conftest import pytest_addoption, pytest_configure"
    pytester.makeconftest(
        hooks.format(str(request.config.rootpath)) + ", pytest_collection_modifyitems, pytest_xdist_auto_num_workers\n"
    )
    pytester.makepyfile(MANY)
    return pytester


def passed(run):
    return {line.split()[0] for line in run.outlines if "PASSED" in line}


def test_a_share_is_run_another_one_with_another_seed_and_all_of_them_with_long(suite, pytester):
    pytester.makepyfile(test_walks=f"from {MODULE} import launch\n{WALKS}")
    runs = [suite.runpytest_subprocess("-v", f"--randomly-seed={seed}") for seed in (1, 2)]
    for run in runs:
        run.assert_outcomes(passed=5 + 6, deselected=10 + 6)
    assert passed(runs[0]) != passed(runs[1])
    suite.runpytest_subprocess("--long").assert_outcomes(passed=15 + 12)


def test_what_is_named_is_run_whole(suite):
    name = "test_what_is_named_is_run_whole.py"
    suite.runpytest_subprocess("-p", "no:randomly", f"{name}::test_many[7]").assert_outcomes(passed=1)
    suite.runpytest_subprocess("-p", "no:randomly", name).assert_outcomes(passed=15)


MODULE = "test_a_share_is_run_another_one_with_another_seed_and_all_of_them_with_long"
