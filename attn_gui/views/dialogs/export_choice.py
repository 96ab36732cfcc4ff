"""The choices made in an export dialog, and lists of heads as people write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.formats.catalog import IMAGES
from attn_gui.modes import NOW

# --- The choices made in an export dialog ---


WINDOW, AUTOMATIC, TYPED = "window", "automatic", "typed"
LEVELS = (WINDOW, AUTOMATIC, TYPED)
VALUES = {"auto": None, "always": True, "never": False}
REMEMBERED = (
    "format",
    "style",
    "width",
    "height",
    "dpi",
    "font_size",
    "values",
    "colorbar",
    "title",
    "outlines",
    "transparent",
    "sheet",
    "theme",
    "folder",
)
"""The settings that are proposed again the next time."""


@dataclass(frozen=True)
class ExportChoice(ExportSettings):
    """Settings of figures to write, and what the dialog asks beside them: which `stages` are drawn, in files of which
    `format` in which `folder`. Levels are those of the window, automatic, or the pair in `typed`; a color map of None
    is the window's.

    `name` is what the files are called: the whole name if there is one, else what stands before stage and head.
    A page looks at `cell` of `stage` and has options, in `options_by_page`. `compare` is one of `modes.STATES`, or
    GRADIENT.
    """

    heads: tuple[int, ...] = (0,)
    session: bool | None = False
    stages: tuple[str, ...] = (SHOWN_FIRST,)
    format: str = "png"
    sheet: bool = False
    levels: str = WINDOW
    typed: tuple[float, float] | None = None
    colormap: str | None = None
    folder: str = ""
    name: str = ""
    options_by_page: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    compare: str = NOW

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.format in tuple(IMAGES) and isinstance(self.sheet, bool) and isinstance(self.folder, str)):
            raise ValueError("No format, sheet or folder of an export.")

    @classmethod
    def recalled(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the last time, without what is missing or impossible."""
        found = {}
        for name in (name for name in REMEMBERED if name in state):
            with suppress(ValueError):
                if state[name] is not None or getattr(cls, name) is None:
                    found[name] = getattr(cls(**{name: state[name]}), name)
        return found


@dataclass(frozen=True)
class DataChoice:
    """Numbers to write: fields and stages by name; heads only where a file holds one matrix."""

    arrays: tuple[str, ...] = ()
    heads: tuple[int, ...] = (0,)
    batch: int = 0
    format: str = "npz"
    bom: bool = False
    headers: bool = False
    folder: str = ""
    name: str = ""


def first_of(names: Sequence[str]) -> tuple[str, ...]:
    """Return the name that is proposed: the stage that is shown first, else the first of them."""
    return (SHOWN_FIRST,) if SHOWN_FIRST in names else tuple(names[:1])


ALL = ("", "all", "全部")
_PART = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")  # Python refuses to read thousands of digits
_SIGNS = str.maketrans({"–": "-", "−": "-", "~": "-", "、": ",", ";": ","})


def heads_from_text(text: str, count: int) -> tuple[int, ...]:
    """Return the heads that `text` names, in order, each once; empty text or "all" means every one of `count`.

    Raises ValueError with a sentence in the language of the window.
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS).strip().lower()
    if plain in ALL:
        return tuple(range(count))
    heads: set[int] = set()
    for part in filter(None, (part.strip() for part in plain.split(","))):
        found = _PART.fullmatch(part)
        if found is None:
            raise ValueError(
                QCoreApplication.translate(
                    "Heads", "“{text}” is not a list of heads: write all, or numbers such as 0, 2-3."
                ).format(text=part[:24])
            )
        first, last = int(found[1]), int(found[2] or found[1])
        if max(first, last) >= count:
            raise ValueError(
                QCoreApplication.translate("Heads", "There is no head {head}: heads go from 0 to {last}.").format(
                    head=max(first, last), last=count - 1
                )
            )
        heads.update(range(min(first, last), max(first, last) + 1))
    return tuple(sorted(heads))
