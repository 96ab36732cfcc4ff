"""The change of a cell in words."""

from __future__ import annotations

import pytest

from attn_gui.app.state.baseline import signed_text


@pytest.mark.parametrize(
    ("change", "text"),
    [(0.387, "+0.387000"), (-0.387, "−0.387000"), (-3e-9, "−3.00000e−9"), (3e-9, "+3.00000e−9")],
)
def test_a_change_has_its_own_sign_and_is_never_0(change, text):
    assert signed_text(change) == text
