"""The node cases of ONNX's Attention operator: expectations that were not written here.

onnx 1.23 builds them in memory with fixed seeds. "Native" are those that keep the operator; the others hold the same
numbers with the operator written out as a graph.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
from onnx import helper

from tests.failing import failing

from .onnx_attention import attention

BFLOAT16_RTOL = 2**-6  # two units in the last place, as the suite's own runner has it


@pytest.fixture(scope="module")
def cases() -> dict[str, Any]:
    """{name: case}; built here, as it takes a second, which every process that collects the tests would spend."""
    from onnx.backend.test.case import node
    from onnx.backend.test.case.node import attention  # noqa: F401  (the import fills node's list)

    models = [(case.name, case, case.model.graph.node) for case in node._NodeTestCases]
    return {name: case for name, case, nodes in models if nodes[0].op_type == "Attention" and len(nodes) == 1}


@pytest.fixture(scope="module")
def results(cases: dict[str, Any]) -> dict[str, list[tuple[Any, Any]]]:
    """{case: [(found, expected) for every output that the case asks for]}."""
    return {name: _run(case) for name, case in cases.items()}


def _run(case: Any) -> list[tuple[Any, Any]]:
    operator = case.model.graph.node[0]
    ((given, expected),) = case.data_sets
    values = iter(given)
    inputs = [next(values) if name else None for name in operator.input]
    options = {option.name: helper.get_attribute_value(option) for option in operator.attribute}
    found = [output for output, name in zip(attention(*inputs, **options), operator.output, strict=False) if name]
    return list(zip(found, expected, strict=True))


def _agree(found: Any, expected: Any, rtol: float, atol: float) -> None:
    """Shape, dtype and numbers; NaN and infinities must stand in the same places."""
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    if found.dtype.name == "bfloat16":
        rtol = max(rtol, BFLOAT16_RTOL)
    np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=atol)


def test_there_are_93_native_cases(cases):
    assert len(cases) == 93


def test_the_engine_agrees(cases, results):
    def check(name):
        for found, expected in results[name]:
            _agree(found, expected, cases[name].rtol, cases[name].atol)

    assert not failing(cases, check)


def test_float32_cases_agree_a_hundred_times_closer_than_asked(results):
    float32 = {name: pairs for name, pairs in results.items() if pairs[0][1].dtype == np.float32}
    assert len(float32) == 82
    within = partial(np.allclose, rtol=1e-5, atol=1e-7, equal_nan=True)
    close = [name for name, pairs in float32.items() if all(within(found, expected) for found, expected in pairs)]
    print(f"{len(close)} of {len(float32)} float32 cases within rtol 1e-5")
    assert len(close) == len(float32), sorted(float32.keys() - close)
