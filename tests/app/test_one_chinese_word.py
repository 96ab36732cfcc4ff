"""One English text has one Chinese text, wherever it stands; where it means two things these are listed here."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

CHINESE = Path(__file__).resolve().parents[2] / "resources" / "translations" / "attn_gui_zh.ts"
TWO_MEANINGS = {
    ", ",  # between words of a list, and between parts of a sentence
    "heads",  # which ones, and how many
    "norm",  # the layer, and the length of a vector
    "nothing",  # in the place of a choice, and of a value
    "of",  # what a number is read of, and how many there are
    "tokens",  # themselves, and how many
    "{place} of {count}",  # cells that were found, and steps of a lesson
}


def translated() -> dict[str, dict[str, list[str]]]:
    """The contexts of every Chinese text of every English one."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for context in ElementTree.parse(CHINESE).getroot().iter("context"):
        for message in context.iter("message"):
            chinese = found[message.findtext("source", "")]
            chinese[message.findtext("translation", "")].append(context.findtext("name", ""))
    return found


def test_one_english_text_has_one_chinese_text():
    several = {english: dict(chinese) for english, chinese in translated().items() if len(chinese) > 1}
    assert {english: where for english, where in several.items() if english not in TWO_MEANINGS} == {}
    assert several.keys() == TWO_MEANINGS
