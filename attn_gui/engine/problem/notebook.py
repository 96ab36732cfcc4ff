"""Notebook display of a problem or a trace: drawn by the package's figures, which are loaded on demand."""

from __future__ import annotations


class Pictured:
    """Shows itself in a notebook: its picture and its shapes. Where nothing can be drawn, the shapes alone."""

    def _repr_png_(self) -> bytes | None:
        from attn_gui.notebook import png

        return png(self)

    def _repr_html_(self) -> str:
        from attn_gui.notebook import html

        return html(self)
