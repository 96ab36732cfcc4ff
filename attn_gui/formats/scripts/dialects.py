"""The libraries that a script can compute with: a new one is one entry of SCRIPTS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Dialect:
    """A library: its title, the name of its module, the lines that make it ready, and its words for an array, for a
    copy of {name}, for its heads one after another {count} times, and for the complementary error function."""

    key: str
    title: str
    module: str
    imports: tuple[str, ...]
    array: str
    copied: str
    shared: str
    erfc: str


_ENTRIES = (
    Dialect(
        "numpy",
        "NumPy",
        "np",
        ("import numpy as np", "", "np.set_printoptions(precision=4, suppress=True)"),
        "np.array",
        "{name}.copy()",
        "{name}.repeat({count}, axis=-3)",
        "np.vectorize(erfc)",
    ),
    Dialect(
        "pytorch",
        "PyTorch",
        "torch",
        (
            "import torch",
            "",
            "torch.set_default_dtype(torch.float64)",
            "torch.set_printoptions(precision=4, sci_mode=False)",
        ),
        "torch.tensor",
        "{name}.clone()",
        "{name}.repeat_interleave({count}, dim=-3)",
        "torch.erfc",
    ),
)

SCRIPTS: Mapping[str, Dialect] = MappingProxyType({dialect.key: dialect for dialect in _ENTRIES})
"""The libraries by the words of the command line."""
