"""Notebook display of a problem or a trace: drawn by the package's figures, which are loaded on demand."""

from __future__ import annotations

from importlib import import_module

FIGURES = "attn_gui.notebook"  # by name: the engine draws nothing and must not import what does


class Pictured:
    """Shows itself in a notebook: its picture and its shapes. Where nothing can be drawn, the shapes alone."""

    def _repr_png_(self) -> bytes | None:
        picture: bytes | None = import_module(FIGURES).png(self)
        return picture

    def _repr_html_(self) -> str:
        return str(import_module(FIGURES).html(self))
