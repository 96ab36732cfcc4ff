"""Small problems whose numbers can be checked by hand, and a window to explain them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from attn_gui.app.explain import later_stages
from attn_gui.engine import DenseEvaluation, Plane, Problem
from attn_gui.engine.analysis.explanation import explain
from attn_gui.views.inspector.inspector import ExplainContext, Inspector

QUERIES = ("The", "<s>", "it", "<img src=x>", "tired")
KEYS = ("a", "b", "c", "<b>d</b>", "e", "f", "g")


def direct(**more: Any) -> Problem:
    """n = 5, m = 7, two heads, d_k = 3, d_v = 2: no two axes have the same length."""
    rng = np.random.default_rng(3)
    fields: dict[str, Any] = {
        "query": rng.normal(size=(5, 6)).round(2),
        "key": rng.normal(size=(7, 6)).round(2),
        "value": rng.normal(size=(7, 4)).round(2),
        "num_heads": 2,
        "query_tokens": QUERIES,
        "key_tokens": KEYS,
    }
    return Problem(**fields | more)


def projected(**more: Any) -> Problem:
    rng = np.random.default_rng(5)
    fields: dict[str, Any] = {
        "x": rng.normal(size=(5, 11)).round(2),
        "w_query": rng.normal(size=(11, 6)).round(2),
        "w_key": rng.normal(size=(11, 6)).round(2),
        "w_value": rng.normal(size=(11, 4)).round(2),
        "b_query": rng.normal(size=6).round(2),
        "w_output": rng.normal(size=(4, 13)).round(2),
        "num_heads": 2,
    }
    return Problem(**fields | more)


def put(
    inspector: Inspector,
    problem: Problem,
    stage: str,
    row: int,
    column: int,
    head: int = 1,
    trail: Sequence[tuple[str, int, int]] = (),
) -> None:
    """Explain a cell, row and column as they stand in the map."""
    evaluation = DenseEvaluation(problem)
    index = Plane(evaluation, stage, 0, head if stage not in ("concat", "output") else None).index(row, column)
    inspector.set_explanation(
        explain(evaluation, stage, index),
        ExplainContext(
            head=head,
            row=row,
            column=column,
            query_tokens=problem.query_tokens,
            key_tokens=problem.key_tokens,
            problem=problem,
            reach=later_stages(evaluation, stage, index),
            trail=trail,
        ),
    )


@pytest.fixture
def make() -> Callable[..., Problem]:
    """A problem of Q, K and V with some fields changed."""
    return direct


@pytest.fixture
def make_projected() -> Callable[..., Problem]:
    """A problem of X and its weights with some fields changed."""
    return projected


@pytest.fixture
def explain_in() -> Callable[..., None]:
    """Explain another cell in an inspector that is there."""
    return put


@pytest.fixture
def shown(qtbot: QtBot) -> Callable[..., Inspector]:
    """An inspector on screen that explains a cell."""

    def show(problem: Problem, stage: str, row: int, column: int, head: int = 1, width: int = 326) -> Inspector:
        inspector = Inspector()
        qtbot.addWidget(inspector)
        put(inspector, problem, stage, row, column, head)
        inspector.resize(width, 700)
        inspector.show()
        qtbot.waitExposed(inspector)
        QApplication.processEvents()  # lays the page out
        return inspector

    return show
