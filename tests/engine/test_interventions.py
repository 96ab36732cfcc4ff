"""Interventions: carried out as the reference does, explained, pulled back, refused where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from attn_gui.engine import compute, verify

from .by_hand import records, with_record
from .conftest import EVALUATIONS, MAKERS

CASES = [
    (name, stage, kind)
    for name in ("all", "block", "additive", "cross")
    for stage in EVALUATIONS[name].stages
    for kind in range(3)
]


def made(name, stage, kind):
    return with_record(MAKERS[name](), list(records(EVALUATIONS[name], stage))[kind])


@pytest.mark.parametrize(("name", "stage", "kind"), CASES)
def test_every_kind_on_every_stage_is_what_the_reference_makes_of_it(name, stage, kind):
    problem = made(name, stage, kind)
    trace = compute(problem)
    report = verify(trace)
    assert report.ok, str(report)
    assert not np.array_equal(trace[stage], trace.computed(stage), equal_nan=True)
