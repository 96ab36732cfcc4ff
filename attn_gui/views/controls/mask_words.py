"""What mask layers are called, and the rule of each in symbols, in the present language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

NAMES: dict[str, Any] = {
    "causal": QT_TRANSLATE_NOOP("Masks", "causal"),
    "window": QT_TRANSLATE_NOOP("Masks", "window"),
    "prefix": QT_TRANSLATE_NOOP("Masks", "prefix"),
    "padding": QT_TRANSLATE_NOOP("Masks", "padding"),
    "custom": QT_TRANSLATE_NOOP("Masks", "custom"),
    "bias": QT_TRANSLATE_NOOP("Masks", "bias"),
    "alibi": QT_TRANSLATE_NOOP("Masks", "ALiBi"),
}
ABOUT: dict[str, Any] = {
    "causal": QT_TRANSLATE_NOOP("Masks", "No query sees a later key"),
    "window": QT_TRANSLATE_NOOP("Masks", "A query sees the keys near it"),
    "prefix": QT_TRANSLATE_NOOP("Masks", "All see the first keys, the others causally"),
    "padding": QT_TRANSLATE_NOOP("Masks", "Keys past the end of an item are closed"),
    "custom": QT_TRANSLATE_NOOP("Masks", "Cells opened and closed one by one"),
    "bias": QT_TRANSLATE_NOOP("Masks", "A number added to every score"),
    "alibi": QT_TRANSLATE_NOOP("Masks", "Distant keys are given less, by a slope for each head"),
}
PARAMETERS: dict[str, Any] = {
    "align": QT_TRANSLATE_NOOP("Masks", "lined up at"),
    "left": QT_TRANSLATE_NOOP("Masks", "keys before"),
    "right": QT_TRANSLATE_NOOP("Masks", "keys after"),
    "length": QT_TRANSLATE_NOOP("Masks", "first keys"),
    "lengths": QT_TRANSLATE_NOOP("Masks", "lengths"),
}


def kind_name(kind: str) -> str:
    """What a kind of layer is called."""
    return QCoreApplication.translate("Masks", NAMES[kind]) if kind in NAMES else kind


def kind_about(kind: str) -> str:
    """What a kind of layer does, in half a line."""
    return QCoreApplication.translate("Masks", ABOUT[kind]) if kind in ABOUT else ""


def parameter_name(name: str) -> str:
    """What a parameter is called."""
    return QCoreApplication.translate("Masks", PARAMETERS[name]) if name in PARAMETERS else name


def mask_summary(layers: Sequence[Any]) -> str:
    """What is on, short enough for the box in the spine: "none", "causal", "causal + 2"."""
    kinds = [layer.kind for layer in layers if layer.enabled]
    if not kinds:
        return QCoreApplication.translate("Masks", "none")
    return kind_name(kinds[0]) + (f" + {len(kinds) - 1}" if len(kinds) > 1 else "")


def rule(layer: Any, n: int, m: int) -> str:
    """The rule of a layer: "open where j ≤ i + 2", "adds −slopeₕ · |i − j|"."""
    if layer.kind in ("bias", "alibi"):
        return _adds(layer, n, m)
    if layer.kind == "custom":
        said = QCoreApplication.translate("Masks", "open: {open} of {all} cells")
        return said.format(open=int(np.count_nonzero(layer.allowed)), all=layer.allowed.size)
    if layer.kind not in NAMES:
        return ""
    condition = _condition(layer, _shift(layer, n, m))
    if not condition:
        return QCoreApplication.translate("Masks", "open everywhere")
    return QCoreApplication.translate("Masks", "open where {rule}").format(rule=condition)


def _condition(layer: Any, shift: int) -> str:
    """Which keys j a query i may see, in symbols; empty when there is no condition."""
    causal = f"j ≤ {_query(shift)}"
    if layer.kind == "prefix":
        either = QCoreApplication.translate("Masks", "{one} or {other}")
        return either.format(one=f"j < {layer.length}", other=causal)
    if layer.kind == "padding":
        lengths = sorted(set(layer.lengths))
        return f"j < {lengths[0]}" if len(lengths) == 1 else f"j < {lengths[0]} … {lengths[-1]}"
    if layer.kind == "window":
        first = "" if layer.left is None else f"{_query(shift - layer.left)} ≤ "
        last = "" if layer.right is None else f" ≤ {_query(shift + layer.right)}"
        return f"{first}j{last}" if first or last else ""
    return causal if layer.kind == "causal" else ""


def _adds(layer: Any, n: int, m: int) -> str:
    if layer.kind == "alibi":
        addend = f"−slopeₕ · |{_query(_shift(layer, n, m))} − j|"
        return QCoreApplication.translate("Masks", "adds {rule}").format(rule=addend)
    shape = " × ".join(map(str, layer.values.shape))
    return QCoreApplication.translate("Masks", "adds a table of {shape}").format(shape=shape)


def _shift(layer: Any, n: int, m: int) -> int:
    return m - n if getattr(layer, "align", "start") == "end" else 0


def _query(shift: int) -> str:
    return f"i {'+' if shift > 0 else '−'} {abs(shift)}" if shift else "i"
