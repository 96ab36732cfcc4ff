"""Copied cells as text: between tabs, with headers, LaTeX, Markdown, NumPy, HTML; copies that are still to come."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable
from uuid import uuid4

import numpy as np
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage

from attn_gui.document.edits import quoted
from attn_gui.document.typed_numbers import shortest
from attn_gui.formats.csv_latex_markdown import markdown
from attn_gui.formats.text.headings import CellSort, sort_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

Cells = Sequence[Sequence[object]]  # rows of NumPy numbers or texts

LATEX = {"nan": r"\mathrm{NaN}", "inf": r"\infty", "-inf": r"-\infty"}
BOOL = {"bool": "bool_"}  # its name in every version
NUMPY = {"nan": "np.nan", "inf": "np.inf", "-inf": "-np.inf", "-0": "-0.0"}


@dataclass(frozen=True)
class CopiedCells:
    """Cells that can be copied: `read` returns them as they are then; `shape` tells beforehand how many they are."""

    shape: tuple[int, int]
    read: Callable[[], Cells]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()

    def row_names(self) -> list[str]:
        """Return the names of the rows, or their numbers."""
        return list(self.rows) or list(map(str, range(self.shape[0])))

    def column_names(self) -> list[str]:
        """Return the names of the columns, or their numbers."""
        return list(self.columns) or list(map(str, range(self.shape[1])))


class TextForm(NamedTuple):
    """One way to write cells as text; `action` is the command that copies so."""

    action: str
    write: Callable[[CopiedCells], str]
    html: Callable[[CopiedCells], str] | None = None  # the same for programs that take tables: word processors, mail


def tab_separated(copied: CopiedCells) -> str:
    """Return rows of numbers between tabs, as spreadsheets paste them."""
    return "\n".join("\t".join(map(_text, row)) for row in copied.read())


def with_headers(copied: CopiedCells) -> str:
    """Return rows of numbers between tabs, with the names of rows and columns; the corner is empty."""
    lines = ["\t".join(["", *map(_label, copied.column_names())])]
    for name, row in zip(copied.row_names(), copied.read(), strict=True):
        lines.append("\t".join([_label(name), *map(_text, row)]))
    return "\n".join(lines)


def latex_matrix(copied: CopiedCells) -> str:
    """Return a `bmatrix` of amsmath."""
    rows = (" & ".join(map(_latex, row)) for row in copied.read())
    return "\\begin{bmatrix}\n" + " \\\\\n".join(rows) + "\n\\end{bmatrix}"


def markdown_table(copied: CopiedCells) -> str:
    """Return a table of GitHub's Markdown, names of rows and columns included."""
    names = map(_line, copied.row_names())
    rows = [[name, *map(_line, row)] for name, row in zip(names, copied.read(), strict=True)]
    return markdown(rows, ["", *map(_line, copied.column_names())])


def numpy_array(copied: CopiedCells) -> str:
    """Return an expression of Python that gives the same array."""
    cells = copied.read()
    rows = "".join("    [" + ", ".join(map(_numpy, row)) + "],\n" for row in cells)
    kinds = {cell.dtype.name if isinstance(cell, np.generic) else "" for row in cells for cell in row}
    name = kinds.pop() if len(kinds) == 1 else ""
    return f"np.array([\n{rows}]" + (f", dtype=np.{BOOL.get(name, name)})" if name else ")")


def html_table(copied: CopiedCells, headers: bool = False) -> str:
    """Return a table of HTML, which word processors and mail programs paste as one."""
    lines = ["<table>"]
    if headers:
        lines.append(_html_row([("th", name) for name in ("", *map(_line, copied.column_names()))]))
    for name, row in zip(copied.row_names(), copied.read(), strict=True):
        cells = [("td", _line(cell)) for cell in row]
        lines.append(_html_row([("th", _line(name)), *cells] if headers else cells))
    return "\n".join([*lines, "</table>"])


def _html_row(cells: Sequence[tuple[str, str]]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for tag, text in cells) + "</tr>"


FORMS = (
    TextForm("copy", tab_separated, html_table),
    TextForm("copy_with_headers", with_headers, partial(html_table, headers=True)),
    TextForm("copy_latex", latex_matrix),
    TextForm("copy_markdown", markdown_table),
    TextForm("copy_numpy", numpy_array),
)


def _text(cell: object) -> str:
    return shortest(float(cell), cell.dtype) if isinstance(cell, np.generic) else _label(str(cell))


def _label(text: str) -> str:
    """Return a text that cannot break the table, nor be taken for a formula, an error or a number."""
    line = quoted(text, longest=1000)
    taken = sort_of(line) is CellSort.BROKEN or (sort_of(line) is CellSort.NUMBER and not line.isdecimal())
    if taken or re.match(r"[=+\-@]", line):
        line = "'" + line
    return '"' + line.replace('"', '""') + '"' if '"' in line else line


def _latex(cell: object) -> str:
    if not isinstance(cell, np.generic):
        return r"\text{" + "".join(f"\\{sign}" if sign in "&%$#_{}" else sign for sign in str(cell)) + "}"
    digits, mark, power = _text(cell).partition("e")
    return LATEX.get(digits, digits) + (rf" \times 10^{{{power}}}" if mark else "")


def _line(cell: object) -> str:
    return _text(cell) if isinstance(cell, np.generic) else quoted(str(cell), longest=1000)


def _numpy(cell: object) -> str:
    text = _text(cell)
    return NUMPY.get(text, text) if isinstance(cell, np.generic) else repr(str(cell))


# --- what is copied from ---------------------------------------------------------------------------
@runtime_checkable
class CopySource(Protocol):
    """A table, map or list that a copy takes cells from."""

    def copied(self) -> CopiedCells | None:
        """Return the cells that a copy takes now; None where there is nothing."""


def copy_source(widget: QWidget | None) -> CopySource | None:
    """Return the innermost source that a widget belongs to."""
    while widget is not None and not isinstance(widget, CopySource):
        widget = widget.parentWidget()
    return widget


# --- copies that take a while: nothing can be pasted until they are there --------------------------
LATE_COPY = "application/x-attn-gui-late-copy"


class LateCopy:
    """A text or a picture that is still to come; the clipboard holds a mark in its place."""

    def __init__(self) -> None:
        self._mark = b""

    def begin(self) -> None:
        """Let the mark take the place of what was copied before."""
        self._mark, data = uuid4().bytes, QMimeData()
        data.setData(LATE_COPY, self._mark)
        QGuiApplication.clipboard().setMimeData(data)

    def put(self, found: object) -> bool:
        """Copy it if the mark is still there; whether it was."""
        clipboard = QGuiApplication.clipboard()
        held = clipboard.mimeData()
        if held is None or held.data(LATE_COPY).data() != self._mark:
            return False
        if isinstance(found, QImage):
            clipboard.setImage(found)
        elif isinstance(found, QMimeData):
            clipboard.setMimeData(found)
        else:
            clipboard.setText(str(found))
        return True


def picture_data(png: bytes) -> QMimeData:
    """Return a picture for the clipboard, and the bytes of its PNG, with all that these carry."""
    data = QMimeData()
    data.setImageData(QImage.fromData(png))
    data.setData("image/png", png)
    return data


def mime_data(text: str, html: str = "") -> QMimeData:
    """Return a text for the clipboard, with the same as HTML beside it where there is some."""
    data = QMimeData()
    data.setText(text)
    if html:
        data.setHtml(html)
    return data
