"""Text of HTML as a browser shows it, tables as lines with tabs between cells; for a clipboard without text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

CELLS = {"td", "th"}
LINES = {"caption", "dd", "div", "dt", "hr", "li", "p", "tr", *(f"h{level}" for level in range(1, 7))}
BLOCKS = {"blockquote", "ol", "pre", "table", "ul"}  # set apart by an empty line
UNSEEN = {"script", "style", "template", "title"}
NEW_LINE, NEW_BLOCK = "\f", "\v"  # several in a row are one
_BREAKS = re.compile(rf"[ {NEW_LINE}{NEW_BLOCK}]*[{NEW_LINE}{NEW_BLOCK}][ {NEW_LINE}{NEW_BLOCK}]*")


def html_text(html: str) -> str:
    """Return what is read in HTML, a row of a table as a line with tabs between its cells."""
    reader = _HtmlReader()
    reader.feed(html)
    reader.close()
    lines = _BREAKS.sub(lambda run: "\n\n" if NEW_BLOCK in run[0] else "\n", "".join(reader.text))
    return re.sub(r" *([\t\n]) *", r"\1", lines).strip("\n ")


class _HtmlReader(HTMLParser):
    """Collects the text of HTML as it goes through its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.text: list[str] = []
        self._around = {"pre": 0, "unseen": 0}  # how many such elements
        self._cells = 0  # of the row so far
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._pass(tag, 1)
        if tag in CELLS:
            self.text += ["\t"] if self._cells else []
            self._cells += 1
            self._in_cell = True
        elif tag == "br":
            self.text.append(" " if self._in_cell else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._pass(tag, -1)
        if tag in CELLS:
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if not self._around["unseen"]:
            self.text.append(data if self._around["pre"] else re.sub(r"[ \t\r\n\f\v]+", " ", data))

    def _pass(self, tag: str, step: int) -> None:
        """Begin or end an element, on a line of its own where a browser does; in a cell none ends the row."""
        kind = "unseen" if tag in UNSEEN else tag
        if kind in self._around:
            self._around[kind] = max(0, self._around[kind] + step)
        if tag in {"table", "tr"}:
            self._cells, self._in_cell = 0, False
        if tag in LINES | BLOCKS:
            self.text.append(" " if self._in_cell else NEW_BLOCK if tag in BLOCKS else NEW_LINE)
