"""Sentences whose places are filled in."""

from __future__ import annotations

import pytest

from attn_gui.document.phrases import Label, filled


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("添加{kind}掩码", {"kind": "ALiBi"}, "添加 ALiBi 掩码"),
        ("添加{kind}掩码", {"kind": "因果"}, "添加因果掩码"),
        ("放不进{stage}：它有 {map} 个", {"stage": "W_Q", "map": 3}, "放不进 W_Q：它有 3 个"),
        ("“{text}”不是数", {"text": "abc"}, "“abc”不是数"),
        ("{n:.2f}倍", {"n": 2.0}, "2.00 倍"),
        ("{a}{b}", {"a": "我", "b": "k"}, "我k"),
        ("added mask {kind}", {"kind": "ALiBi"}, "added mask ALiBi"),
        ("显示{token}", {"token": "我k你"}, "显示我k你"),
    ],
)
def test_a_blank_parts_latin_letters_from_chinese_ones_where_they_meet(
    template: str, values: dict[str, object], said: str
) -> None:
    assert filled(template, values) == said


def test_labels_within_labels_are_filled_in_too() -> None:
    assert str(Label("添加{kind}掩码", {"kind": Label("ALiBi")})) == "添加 ALiBi 掩码"
