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


@pytest.mark.parametrize(("asked", "passed"), [((), 5), (("--long",), 15)])
def test_a_share_is_run_and_all_of_them_with_long(suite, asked, passed):
    suite.runpytest_subprocess("-p", "no:randomly", *asked).assert_outcomes(passed=passed, deselected=15 - passed)


def test_another_share_with_another_seed(suite):
    runs = [
        {line for line in suite.runpytest_subprocess("-v", f"--randomly-seed={seed}").outlines if "PASSED" in line}
        for seed in (1, 2)
    ]
    assert len(runs[0]) == len(runs[1]) == 5
    assert {line.split()[0] for line in runs[0]} != {line.split()[0] for line in runs[1]}


def test_one_of_two_journeys_is_made(suite, pytester):
    pytester.makepyfile(test_walks="from test_one_of_two_journeys_is_made import launch\n" + WALKS)
    suite.runpytest_subprocess("-p", "no:randomly").assert_outcomes(passed=5 + 6, deselected=10 + 6)
    suite.runpytest_subprocess("--long").assert_outcomes(passed=15 + 12)


@pytest.mark.parametrize(("named", "passed"), [("::test_many[7]", 1), ("", 15)])
def test_what_is_named_is_run_whole(suite, named, passed):
    suite.runpytest_subprocess("-p", "no:randomly", MODULE + named).assert_outcomes(passed=passed)


MODULE = "test_what_is_named_is_run_whole.py"
