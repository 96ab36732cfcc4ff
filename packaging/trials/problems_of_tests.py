"""Problems of the tests, in which every entry of the catalogs is used, for trials outside of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from attn_gui.engine import Problem

ROOT = Path(__file__).resolve().parents[2]


def problems_of_tests() -> dict[str, Problem]:
    """Return the problems of tests/formats/test_scripts.py by name, but for extreme numbers."""
    spec = importlib.util.spec_from_file_location("scripts", ROOT / "tests" / "formats" / "test_scripts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {name: problem for name, problem in module.PROBLEMS.items() if name not in (module.EXTREMES | module.STEEP)}
