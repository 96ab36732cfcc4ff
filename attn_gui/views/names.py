"""Names of stages and fields on screen, in the present language."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import overload

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.errors import Note
from attn_gui.engine.graph.nodes import is_named, symbol, title
from attn_gui.engine.interventions import Intervention
from attn_gui.engine.masks import Layer
from attn_gui.figure.text.labels import token_text
from attn_gui.languages import QT_TRANSLATE_NOOP

LAST = {
    "allowed": QT_TRANSLATE_NOOP("Names", "Allowed cells of mask layer {k}"),
    "values": QT_TRANSLATE_NOOP("Names", "Values of mask layer {k}"),
}
BY_HAND = QT_TRANSLATE_NOOP("Names", "Numbers of intervention {k}")


def stage_title(name: str) -> str:
    """The title of a stage or field: `Scores`, `Query projection`, `Allowed cells of mask layer 0`."""
    if (k := Layer.position_of(name)) is not None:
        return QCoreApplication.translate("Names", LAST[name.rpartition(".")[2]]).format(k=k)
    if (k := Intervention.position_of(name)) is not None:
        return QCoreApplication.translate("Names", BY_HAND).format(k=k)
    english = title(name, "en") if is_named(name) else ""
    return QCoreApplication.translate("Names", english) if english else name.rsplit(".", 1)[-1]


def layer_words(layer: int) -> str:
    """A layer of a model: `Layer 1`."""
    return QCoreApplication.translate("Names", "Layer {layer}").format(layer=layer)


def letter(name: str) -> str:
    """The letter of a stage or field on screen, which is a word where heads are joined."""
    return QCoreApplication.translate("Names", symbol(name))


def said_in(part: object, context: str) -> str:
    """A note in the present language, notes within it too; `context` is that of its templates."""
    if not isinstance(part, Note):
        return str(part)
    values = {name: said_in(value, context) for name, value in part.values.items()}
    return QCoreApplication.translate(context, part.template).format(**values)


def unbroken(sentence: str) -> str:
    """The sentence with its sizes ("4 × 5") and cuts ("2 · 3") whole, for Qt to lay out: no line ends inside one.

    One may end behind each 、 of a list of endings (.csv、.tex), which to Qt is one word.
    """
    whole = sentence.replace(" × ", "\u00a0×\u00a0").replace(" · ", "\u00a0·\u00a0")
    return whole.replace("、.", "、\u200b.")


class AxisNames(Sequence[str]):
    """Names of the rows or columns of a map, of which there may be 65,536: each is written when it is read."""

    def __init__(self, tokens: Sequence[object]) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    @overload
    def __getitem__(self, cell: int) -> str: ...

    @overload
    def __getitem__(self, cell: slice) -> AxisNames: ...

    def __getitem__(self, cell: int | slice) -> str | AxisNames:
        return AxisNames(self._tokens[cell]) if isinstance(cell, slice) else token_text(str(self._tokens[cell]))

    def longest(self, most: int) -> list[str]:
        """The names of the tokens with most letters, `most` at most."""
        return [token_text(token) for token in nlargest(most, map(str, self._tokens), key=len)]


NO_NAMES = AxisNames(())
