"""Pages of the help: Markdown files of a language, in the order of their numbers."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from attn_gui.paths import resource

ACTION = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class HelpPage:
    """One page: its key is the name of its file, the same in every language."""

    key: str
    title: str
    text: str  # Markdown


def help_pages(language: str, actions: Mapping[str, str], absent: Collection[str] = ()) -> tuple[HelpPage, ...]:
    """All pages of a language; `{name}` stands for the words of an action.

    Paragraphs about actions that are `absent` in this program are left out. Raises KeyError for an unknown one.
    """
    return tuple(_page(path, actions, absent) for path in sorted(resource("help", language).glob("*.md"), key=_place))


def _place(path: Path) -> tuple[int, str]:
    """Where a page stands: by the number that its name begins with, then by its name."""
    return int(path.stem.partition("-")[0]), path.stem


def _page(path: Path, actions: Mapping[str, str], absent: Collection[str]) -> HelpPage:
    parts = path.read_text(encoding="utf-8").split("\n\n")
    said = "\n\n".join(part for part in parts if not any(name in absent for name in ACTION.findall(part)))
    text = ACTION.sub(lambda found: f"**{actions[found[1]]}**", said)
    return HelpPage(path.stem, text.partition("\n")[0].removeprefix("# "), text)
