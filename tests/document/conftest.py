"""Small problems with a prime on every axis, and a document that writes down what it says."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from attn_gui.document.document import Document, DocumentChange
from attn_gui.engine.problem import Problem


def _direct(**fields: Any) -> Problem:
    r = np.random.default_rng(3)
    given = {"query": r.normal(size=(5, 6)), "key": r.normal(size=(7, 6)), "value": r.normal(size=(7, 22))}
    return Problem(**{**given, "num_heads": 2, **fields})


def _masked(**fields: Any) -> Problem:
    layers = (
        {"kind": "custom", "allowed": np.tri(5, 7, dtype=bool)},
        {"kind": "causal"},
        {"kind": "bias", "values": np.arange(35.0).reshape(5, 7)},
    )
    return _direct(mask=layers, **fields)


class _Heard:
    """A document and the changes that it told."""

    def __init__(self, problem: Problem, **given: Any) -> None:
        self.document = Document(problem, **given)
        self.changes: list[DocumentChange] = []
        self.titles = 0
        self.document.changed.connect(self.changes.append)
        self.document.titleChanged.connect(self._on_title_changed)

    def _on_title_changed(self) -> None:
        self.titles += 1


@pytest.fixture
def direct() -> Callable[..., Problem]:
    """Makes a problem of n = 5, m = 7, h = 2, d_k = 3, d_v = 11."""
    return _direct


@pytest.fixture
def masked() -> Callable[..., Problem]:
    """Makes the same with three mask layers: custom, causal, bias."""
    return _masked


@pytest.fixture
def heard(qapp: QApplication) -> Callable[..., _Heard]:
    """Makes a document that is listened to: `.document`, `.changes`, `.titles`."""
    return _Heard
