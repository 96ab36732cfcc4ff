"""Page “Code”: the script of the computation in lines, long ones broken, too many left out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.arrays import Progress
from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    PageCell,
    PageContext,
    PageDrawing,
    PageKind,
    PageLayout,
    PageSpot,
    PageStyle,
    Sides,
    SpotGrid,
    body_width,
    metrics,
    with_frame,
)
from attn_gui.figure.text.fonts import code_font
from attn_gui.figure.text.rich_text import wrapped
from attn_gui.figure.writers import write_text
from attn_gui.formats.scripts import SCRIPTS, script_text
from attn_gui.languages import N_

MOST_LINES = 400
"""Lines that are shown at most; the text itself is whole."""
LEAST_CODE_WIDTH = 180.0
STEP = re.compile(r"(\w+) = ")


@dataclass(frozen=True, eq=False)
class CodeText:
    """A script, the title of what it is written for, the key of that, and the stages that its lines assign."""

    text: str
    title: str
    key: str
    stages: frozenset[str]


class CodePage(PageKind[CodeText]):
    """Shows the computation as a script."""

    name = "code"
    title = N_("Pages", "Code")
    words = "python numpy pytorch torch script program source 代码 脚本 程序"
    reads = frozenset()
    options = (
        ChoiceOption(
            "language",
            N_("Pages", "written for"),
            N_("Pages", "The language and library of the script"),
            lambda context, values: {key: (("", dialect.title),) for key, dialect in SCRIPTS.items()},
        ),
    )

    def read(self, evaluation: Evaluation, context: PageContext, progress: Progress) -> CodeText:
        dialect = SCRIPTS[context.options["language"]]
        text = script_text(evaluation.problem, dialect)
        progress(1.0)
        return CodeText(text, dialect.title, dialect.key, frozenset(evaluation.stages))

    def plan(self, content: CodeText, style: PageStyle, size: Sides) -> PageDrawing:
        return CodeLayout(content, style, size).drawing()


class CodeLayout(PageLayout):
    """Lines below one another, long ones in pieces; those that are too many are counted in the last one."""

    def __init__(self, shown: CodeText, style: PageStyle, size: Sides) -> None:
        self.shown, self.style = shown, style
        self.pitch = metrics("small").height() + SPACING.xs
        across = body_width(size)
        lines = shown.text.rstrip().split("\n")
        pieces = [piece for line in lines[:MOST_LINES] for piece in _pieces(line, across)]
        lines = pieces + lines[MOST_LINES:]
        count = min(len(lines), MOST_LINES)
        self.frame = with_frame(
            style,
            size,
            title=style.translate("Pages", "The problem in {library}").format(library=shown.title),
            tall=lambda across: count * self.pitch,
            least=(LEAST_CODE_WIDTH, count * self.pitch),  # the window scrolls
        )
        self.lines = lines[:count]
        if len(self.lines) < len(lines):
            more = style.translate("Pages", "… {count} more lines").format(count=len(lines) - len(self.lines) + 1)
            self.lines[-1] = more

    def said(self) -> str:
        return f"{self.frame.title}. {self.shown.text}"

    def fields(self) -> tuple[SpotGrid, ...]:
        """Return the lines: a click on that of a stage chooses the stage."""
        fields = []
        for number, line in enumerate(self.lines):
            stage = STEP.match(line)
            if stage is not None and stage[1] in self.shown.stages:
                spot = PageSpot(line, PageCell(stage[1], 0, 0))
                fields.append(SpotGrid(self._place(number), lambda *_, spot=spot: spot))
        return tuple(fields)

    def _place(self, number: int) -> QRectF:
        body = self.frame.body
        return QRectF(body.left(), body.top() + number * self.pitch, body.width(), self.pitch)

    def paint_body(self, painter: QPainter) -> None:
        for number, line in enumerate(self.lines):
            self._paint_line(painter, self._place(number), line)

    def _paint_line(self, painter: QPainter, place: QRectF, line: str) -> None:
        """Paint a line with its comment in gray."""
        theme, letters = self.style.theme, QFontMetricsF(code_font(FONT_SIZE.small))
        bare = line.lstrip(" ")
        indent = letters.horizontalAdvance(" " * (len(line) - len(bare)))
        at = QPointF(place.left() + indent, place.top() + letters.ascent())
        code, sign, comment = bare.partition("  # ")
        step = STEP.match(code)
        strong = step is not None and line == bare and step[1] in self.shown.stages
        color = theme.good if bare.startswith("# ") else theme.text if strong or not sign else theme.text2
        painter.setFont(code_font(FONT_SIZE.small))
        painter.setPen(color)
        write_text(painter, at, code)
        painter.setPen(theme.good)
        write_text(painter, at + QPointF(letters.horizontalAdvance(code + "  "), 0), sign and f"# {comment}")


def _pieces(line: str, across: float) -> list[str]:
    """Return a line of a script in lines of a width: its comment above it, and what goes on indented by four more
    blanks."""
    letters = QFontMetricsF(code_font(FONT_SIZE.small))
    bare = line.lstrip(" ")
    code, sign, comment = bare.partition("  # ")
    blanks = len(line) - len(bare)
    if letters.horizontalAdvance(line) <= across:
        return [line]
    room = across - letters.horizontalAdvance(" " * (blanks + 4))
    above = [f"# {part}" for part in wrapped(comment, room - letters.horizontalAdvance("# "), letters)] if sign else []
    first, *more = wrapped(code, room, letters)
    return [" " * blanks + part for part in (*above, first)] + [" " * (blanks + 4) + part for part in more]
