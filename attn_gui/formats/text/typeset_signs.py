"""Signs that LaTeX and Markdown take for orders, as they are written in their texts, and back.

Imports the stdlib only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

_LATEX = MappingProxyType(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",  # these three are other signs in the fonts of pdflatex
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "[": "{[}",  # at the beginning of a row the end of the one before would take these two for its own
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")  # TeX stops at one, tabulate at U+0001
_EMPHASIS = re.compile(r"^[ *`]+|(?<!\\)[ *`]+$")
_PLAIN = {written: sign for sign, written in _LATEX.items()}
_MARKDOWN = re.compile(r"[\\|<*_`~&\[\]$]|:(?=//)|(?<=[wW]{3})\.")  # an address would be a link, a picture be loaded
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_WRITTEN = re.compile("|".join(map(re.escape, _PLAIN)))


def latex_text(text: str) -> str:
    """A text in which LaTeX takes no sign for an order, in one line."""
    return "".join(_LATEX.get(sign, sign) for sign in _line(text))


def text_of_latex(latex: str, undressed: Callable[[str], str]) -> str:
    """The text that was written so; `undressed` takes what stands between such signs."""
    between, signs = _WRITTEN.split(latex), _WRITTEN.findall(latex)
    return "".join(undressed(part) + _PLAIN.get(sign, "") for part, sign in zip(between, [*signs, ""], strict=True))


def markdown_text(text: str) -> str:
    """A text in which Markdown takes no sign for an order, in one line."""
    return _MARKDOWN.sub(r"\\\g<0>", _line(text))


def text_of_markdown(cell: str) -> str:
    """The text of a cell of a table, without what makes it bold or code."""
    return _ESCAPED.sub(r"\1", _EMPHASIS.sub("", cell))


def _line(text: str) -> str:
    """A text in one line, without control characters and halves of characters: each by its name, such as U+0001."""
    return _CONTROL.sub(lambda found: f"U+{ord(found[0]):04X}", " ".join(text.splitlines()))
