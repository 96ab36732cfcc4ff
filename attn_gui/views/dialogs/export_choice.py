"""The choices made in an export dialog, and lists of heads as people write them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.figure.pages.aim import ModelAim
from attn_gui.figure.styles import SCREEN, STYLES
from attn_gui.formats.catalog import IMAGES
from attn_gui.formats.snapshots import Snapshot
from attn_gui.modes import NOW

# --- The choices made in an export dialog ---


WINDOW, AUTOMATIC, TYPED = "window", "automatic", "typed"
LEVELS = (WINDOW, AUTOMATIC, TYPED)
THEMES = ("light", "dark")
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
"""The options of a figure that are proposed again the next time."""


@dataclass(frozen=True)
class ExportChoice:
    """Figures to write; a width, height or font size of None is that of the `style`, `values` None means where they
    fit. Levels are those of the window, automatic, or the pair in `typed`; a color map of None is the window's.

    `name` is what the files are called: the whole name if there is one, else what stands before stage and head.
    A page looks at `cell` (stage, row, column) and has `knobs` of its own, by the name of the page.
    `compare` is one of `modes.STATES`, or GRADIENT; `states` are the snapshots that a page may show,
    `model` is the one that the problem is a layer of.
    """

    stages: tuple[str, ...] = (SHOWN_FIRST,)
    heads: tuple[int, ...] = (0,)
    batch: int = 0
    picture: str = "map"
    format: str = "png"
    style: str = SCREEN.key
    width: float | None = None
    height: float | None = None
    dpi: int = 300
    font_size: float | None = None
    values: bool | None = None
    colorbar: bool = True
    title: bool = True
    outlines: bool = False
    transparent: bool = False
    sheet: bool = False
    session: bool = False
    levels: str = WINDOW
    typed: tuple[float, float] | None = None
    colormap: str | None = None
    theme: str = "light"
    folder: str = ""
    states: tuple[Snapshot, ...] = ()
    model: ModelAim | None = None
    name: str = ""
    cell: tuple[str, int, int] | None = None
    knobs: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    compare: str = NOW

    @staticmethod
    def recalled(state: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the last time, without what is missing or impossible."""
        return {name: state[name] for name in REMEMBERED if name in state and _is_possible(name, state[name])}


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
    """The name that is proposed: the stage that is shown first, else the first of them."""
    return (SHOWN_FIRST,) if SHOWN_FIRST in names else tuple(names[:1])


def _is_possible(name: str, value: object) -> bool:
    if name in ("format", "style", "theme", "folder"):
        choices = {"format": tuple(IMAGES), "style": tuple(STYLES), "theme": THEMES}.get(name)
        return isinstance(value, str) and (choices is None or value in choices)
    if name in ("colorbar", "title", "outlines", "sheet", "transparent"):
        return isinstance(value, bool)
    if name in ("values", "width", "height", "font_size") and value is None:
        return True
    return isinstance(value, bool) if name == "values" else isinstance(value, (int, float))


# --- Lists of heads as people write them: "all", "0, 2-3" ---


ALL = ("", "all", "全部")
_PART = re.compile(r"(\d{1,9})(?:\s*-\s*(\d{1,9}))?")  # Python refuses to read thousands of digits
_SIGNS = str.maketrans({"–": "-", "−": "-", "~": "-", "、": ",", ";": ","})


def heads_from_text(text: str, count: int) -> tuple[int, ...]:
    """The heads that `text` names, in order, each once; empty text or "all" means every one of `count`.

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
