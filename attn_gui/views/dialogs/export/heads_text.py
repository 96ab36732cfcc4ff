"""Lists of heads as people write them: "all", "0, 2-3"."""

from __future__ import annotations

import re
import unicodedata

from PySide6.QtCore import QCoreApplication

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
