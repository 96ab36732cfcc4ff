"""65,536 tokens: an edit that brings or keeps them looks at none of them by itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from attn_gui.document.document import Document
from attn_gui.document.edits import Label, SetFields
from attn_gui.engine import FieldError, Problem
from attn_gui.engine.errors import FieldTypeError
from tests.failing import each

COUNT = 65_536
TOKENS = tuple(f"字{place}" for place in range(COUNT))


@contextmanager
def calls() -> Iterator[Callable[[], int]]:
    """How many functions, in Python or in C, were called in the block."""
    seen = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal seen
        seen += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield lambda: seen
    finally:
        sys.setprofile(None)


@pytest.fixture
def document(qapp: object) -> Document:
    return Document(Problem(query=np.ones((2, 1)), key=np.ones((2, 1)), value=np.ones((2, 1)), query_tokens=("a", "b")))


def test_a_size_with_as_many_tokens_is_applied_without_a_look_at_each(document):
    with calls() as count:
        document.apply(SetFields({"query": np.ones((COUNT, 1)), "query_tokens": TOKENS}, Label("grown")))
        document.stack.undo()
        document.apply(SetFields({"scale": 2.0}, Label("scale")))  # what was undone is kept as a snapshot
    assert document.snapshots.all
    assert count() < COUNT / 4


@each("bad", ["\ud800", "a\udfff"])
def test_half_a_letter_among_them_is_still_mended(bad):
    tokens = (*TOKENS[:-1], bad)
    kept = Problem(query=np.ones((COUNT, 1)), key=[[1.0]], value=[[1.0]], query_tokens=tokens).query_tokens
    assert kept[:-1] == TOKENS[:-1]
    assert "�" in kept[-1]


def test_the_halves_of_a_letter_in_two_tokens_are_not_one():
    kept = Problem(query=np.ones((2, 1)), key=[[1.0]], value=[[1.0]], query_tokens=("\ud83d", "\ude00")).query_tokens
    assert kept == ("�", "�")


def test_what_is_no_text_or_too_long_is_named_among_them():
    with pytest.raises(FieldTypeError):
        Problem(query=np.ones((2, 1)), key=[[1.0]], value=[[1.0]], query_tokens=("a", 1))
    with pytest.raises(FieldError, match="10001"):
        Problem(query=np.ones((2, 1)), key=[[1.0]], value=[[1.0]], query_tokens=("a", "b" * 10_001))
