"""Says which matrices change their shape, before it happens and after."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from attn_gui.document.matrix_model import field_symbol
from attn_gui.languages import QT_TRANSLATE_NOOP

Shape = tuple[int, ...]
Shapes = Mapping[str, tuple[Shape, Shape]]  # before and after, by field
CHANGE = QT_TRANSLATE_NOOP("Sentences", "{symbol} {before} → {after}")
FOLLOW = QT_TRANSLATE_NOOP("Sentences", "With it changes {others}; new cells are 0.")
ZEROS = QT_TRANSLATE_NOOP("Sentences", "New cells are 0.")
DONE = QT_TRANSLATE_NOOP("Sentences", "{changes}; new cells are 0")


def shape_text(*shape: int) -> str:
    return " × ".join(map(str, shape))


def followers_text(field: str, shapes: Shapes) -> str:
    """One sentence on what changes beside a field that grows."""
    others = {name: pair for name, pair in shapes.items() if name != field}
    if not others:
        return said(ZEROS)
    return said(FOLLOW, others=_listed(others))


def done_text(shapes: Shapes) -> str:
    """The effect of a change of sizes, for the status bar; empty if no array has another shape."""
    grown = any(len(new) > len(old) or any(map(int.__gt__, new, old)) for old, new in shapes.values())
    return said(DONE, changes=_listed(shapes)) if grown else _listed(shapes)


def _listed(shapes: Shapes) -> str:
    parts = [
        said(CHANGE, symbol=field_symbol(name), before=shape_text(*old), after=shape_text(*new))
        for name, (old, new) in shapes.items()
    ]
    return said(", ").join(parts)


def said(template: str, **words: object) -> str:
    """A sentence in the language of the moment, its places filled."""
    return QCoreApplication.translate("Sentences", template).format(**words)
