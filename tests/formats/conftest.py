"""A small problem, and what every refusal must be like."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from attn_gui.engine import Problem
from attn_gui.engine.errors import say
from attn_gui.formats import FormatError


@pytest.fixture
def problem() -> Problem:
    return Problem(query=np.eye(2, 6), key=np.eye(5, 6), value=np.eye(5, 4), num_heads=2, mask=[{"kind": "causal"}])


@pytest.fixture
def refused() -> Callable[..., str]:
    """Call what must be refused for a file, and give the sentence."""

    def run(call: Callable[..., object], *arguments: object, path: Path) -> str:
        with pytest.raises(FormatError) as caught:
            call(*arguments)
        sentence = str(caught.value)
        assert say(caught.value.template, caught.value.values) == sentence
        assert caught.value.path == path
        assert path.name[:20] in sentence
        assert sentence.endswith((".", "…"))
        assert len(sentence) < 320
        assert sentence.isprintable()
        return sentence

    return run
