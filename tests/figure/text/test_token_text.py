"""Words of tokens."""

from __future__ import annotations

from attn_gui.figure.text.labels import token_text
from tests.failing import each


@each(
    ("token", "expected"),
    [
        (" Mary", "Mary"),
        ("Ġgave", "gave"),
        ("▁drink", "drink"),
        ("▁▁two", "two"),
        ("it", "it"),
        ("[CLS]", "[CLS]"),
        ("##ed", "##ed"),
        ("Ġ", "Ġ"),
        ("▁", "▁"),
        (" ", " "),
        ("", ""),
        ("a b", "a b"),
        ("naĠve", "naĠve"),
    ],
)
def test_a_token_is_shown_as_its_word(token: str, expected: str) -> None:
    assert token_text(token) == expected
