"""Words in figures in both languages: legend, axes, color bar, foot (“pooled …”). A figure's language is its own, not
the window's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple


class FigureWords(NamedTuple):
    """The words of one language; `layer`, `head`, `item` hold a place for a number, `pooled…` for rows and columns."""

    axes: Mapping[str, str]
    layer: str
    head: str
    item: str
    not_allowed: str
    by_hand: str
    pooled: str
    pooled_blocks: str
    states: tuple[str, str]
    gradient: str


WORDS: Mapping[str, FigureWords] = MappingProxyType(
    {
        "en": FigureWords(
            {"query": "query", "key": "key", "row": "row", "column": "column"},
            layer="Layer {}",
            head="head {}",
            item="item {}",
            not_allowed="not allowed",
            by_hand="changed by hand",
            pooled="Pooled: each pixel shows the cell of largest magnitude among up to {rows} × {columns} cells.",
            pooled_blocks="Pooled: long maps show the cell of largest magnitude among up to {rows} × {columns} cells.",
            states=("before", "now"),
            gradient="gradient of {}",
        ),
        "zh": FigureWords(
            {"query": "查询", "key": "键", "row": "行", "column": "列"},
            layer="第 {} 层",
            head="头 {}",
            item="样本 {}",
            not_allowed="已屏蔽",
            by_hand="手动修改",
            pooled="已合并：每个像素显示至多 {rows} × {columns} 个单元格中绝对值最大的一个。",
            pooled_blocks="已合并：较长的图显示至多 {rows} × {columns} 个单元格中绝对值最大的一个。",
            states=("之前", "现在"),
            gradient="{} 的梯度",
        ),
    }
)


Words = tuple[tuple[str, str], ...]
"""(context, English) of words that are joined by colons."""


def page_words(text: str) -> Words:
    """Return a text of the context "Pages" alone."""
    return (("Pages", text),)


def joined(words: Words, translate: Callable[[str, str], str]) -> str:
    """Return words in a language; those without a context need no translation."""
    return ": ".join(translate(context, text) if context else text for context, text in words)
