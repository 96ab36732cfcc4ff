"""How a problem or a trace shows itself in a notebook: picture, shapes, tokens. Loads the figures on demand."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import Any

from attn_gui.engine import Problem, Trace
from attn_gui.engine.evaluation.trace import stage_texts
from attn_gui.engine.problem import field_texts

MOST_CELLS = 4096 * 4096
"""Cells of a map up to which a picture comes at once."""
MOST_SVG_CELLS = 2_500
"""A notebook keeps every picture that it shows: larger maps go into it as PNG only."""
NOTEBOOK_DPI = 150
"""Dots per inch of a figure that is no file."""
MOST_TOKENS = 24


def png(source: Any) -> bytes | None:
    """Return a picture of the weights of the first head; None where that would take long or nothing can be drawn."""
    problem = source.problem if isinstance(source, Trace) else source
    if problem.n * problem.m > MOST_CELLS:
        return None
    try:
        from attn_gui.figure.render import render

        return render(source.evaluation if isinstance(source, Trace) else source)._repr_png_()
    except (ImportError, RuntimeError, ValueError, MemoryError):  # the shapes are there in any case
        return None


def html(source: Any) -> str:
    """Return the shapes of a problem or a trace as a table, with the tokens, and the picture below."""
    rows = stage_texts(source) if isinstance(source, Trace) else _fields(source)
    cells = "".join(f"<tr><th style='text-align:left'>{escape(a)}</th><td>{escape(b)}</td></tr>" for a, b in rows)
    return f"<div><b>{type(source).__name__}</b><table>{cells}</table>{_image(png(source))}</div>"


def _fields(problem: Problem) -> Iterable[tuple[str, str]]:
    for text in field_texts(problem):
        name, _, value = text.partition(" " if " (" in text.split("=")[0] else "=")
        yield name, _tokens(getattr(problem, name)) if name.endswith("_tokens") else value


def _tokens(tokens: tuple[str, ...]) -> str:
    shown = " ".join(tokens[:MOST_TOKENS])
    return shown if len(tokens) <= MOST_TOKENS else f"{shown} … ({len(tokens)})"


def _image(picture: bytes | None) -> str:
    if picture is None:
        return ""
    return f"<img alt='weights' style='max-width:100%' src='data:image/png;base64,{b64encode(picture).decode()}'>"
