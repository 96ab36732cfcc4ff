"""Names of mask layers, and the rule of each in symbols, in the present language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from attn_gui.engine.masks import MASKS, Layer, Parameter, as_blocked
from attn_gui.views.words.names import said_in


def kind_name(kind: str) -> str:
    """The name of a kind of layer."""
    return QCoreApplication.translate("Masks", MASKS[kind].label)


def kind_about(kind: str) -> str:
    """The effect of a kind of layer, in half a line."""
    return QCoreApplication.translate("Masks", MASKS[kind].about)


def parameter_name(parameter: Parameter) -> str:
    """The name of a parameter."""
    return QCoreApplication.translate("Masks", parameter.label or parameter.name)


def parameter_about(parameter: Parameter) -> str:
    """The effect of a parameter on the rule; empty where nothing is said of it."""
    return QCoreApplication.translate("Masks", parameter.about) if parameter.about else ""


def mask_summary(layers: Sequence[Layer]) -> str:
    """The layers in force, short enough for the box in the spine: "none", "causal", "causal + 2"."""
    kinds = [layer.kind for layer in layers if layer.enabled]
    if not kinds:
        return QCoreApplication.translate("Masks", "none")
    return kind_name(kinds[0]) + (f" + {len(kinds) - 1}" if len(kinds) > 1 else "")


def polarity(blocked: bool) -> str:
    """The way in which True is read."""
    if blocked:
        return QCoreApplication.translate("Masks", "True = blocked")
    return QCoreApplication.translate("Masks", "True = may attend")


def rule(layer: Layer, n: int, m: int, blocked: bool = False) -> str:
    """The rule of a layer: "open where j ≤ i + 2", "blocked unless j ≤ i + 2", "adds −slopeₕ · |i − j|"."""
    return said(as_blocked(layer.rule(n, m)) if blocked else layer.rule(n, m))


def lint_text(text: str) -> str:
    """Words of the lint in the present language; empty ones stay so."""
    return QCoreApplication.translate("Masks", text) if text else ""


def said(part: object) -> str:
    """A note in the present language, notes within it too."""
    return said_in(part, "Masks")
