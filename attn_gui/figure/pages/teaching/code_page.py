"""Page of the code: the present problem as a script of NumPy or PyTorch that prints the same numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from attn_gui.engine import Evaluation
from attn_gui.engine.progress import Tell
from attn_gui.figure.output.text import write_line
from attn_gui.figure.pages.aim import Aim
from attn_gui.figure.pages.frame import body_width, framed
from attn_gui.figure.pages.ink import Ink, metrics
from attn_gui.figure.pages.knobs import Choice
from attn_gui.figure.pages.page_drawing import Cell, Drawing, Field, Spot
from attn_gui.figure.pages.page_kind import PageKind
from attn_gui.figure.text.labels import wrapped
from attn_gui.figure.tokens import FONT_SIZE, SPACING
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP
from attn_gui.formats.scripts import SCRIPTS, script_text

MOST_LINES = 400
"""Lines that are shown at most; the text itself is whole."""
LEAST_WIDTH = 180.0
INDENT = 5.0
"""Pixels of a blank at the beginning of a line."""
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
    title = QT_TRANSLATE_NOOP("Pages", "Code")
    words = "python numpy pytorch torch script program source 代码 脚本 程序"
    reads = frozenset()
    knobs = (
        Choice(
            "language",
            QT_TRANSLATE_NOOP("Pages", "written for"),
            lambda aim, values: {key: (("", dialect.title),) for key, dialect in SCRIPTS.items()},
        ),
    )

    def read(self, evaluation: Evaluation, aim: Aim, tell: Tell) -> CodeText:
        dialect = SCRIPTS[aim.knobs["language"]]
        text = script_text(evaluation.problem, dialect)
        tell(1.0)
        return CodeText(text, dialect.title, dialect.key, frozenset(evaluation.stages))

    def plan(self, content: CodeText, ink: Ink, width: float | None, height: float | None) -> Drawing:
        return _Layout(content, ink, width, height).drawing()


class _Layout:
    """Lines below one another, long ones in pieces; those that are too many are counted in the last one."""

    def __init__(self, shown: CodeText, ink: Ink, width: float | None, height: float | None) -> None:
        self.shown, self.ink = shown, ink
        self.pitch = metrics("small").height() + SPACING.xs
        across = body_width(width)
        lines = shown.text.rstrip().split("\n")
        pieces = [piece for line in lines[:MOST_LINES] for piece in _pieces(line, across)]
        lines = pieces + lines[MOST_LINES:]
        count = min(len(lines), MOST_LINES)
        self.frame = framed(
            ink,
            width,
            height,
            title=ink.translate("Pages", "The problem in {library}").format(library=shown.title),
            tall=lambda across: count * self.pitch,
            least=(LEAST_WIDTH, count * self.pitch),  # the window scrolls
        )
        self.lines = lines[:count]
        if len(self.lines) < len(lines):
            more = ink.translate("Pages", "… {count} more lines").format(count=len(lines) - len(self.lines) + 1)
            self.lines[-1] = more

    def drawing(self) -> Drawing:
        """The page; a click on the line of a stage chooses the stage."""
        frame, fields = self.frame, []
        for number, line in enumerate(self.lines):
            stage = STEP.match(line)
            if stage is not None and stage[1] in self.shown.stages:
                spot = Spot(line, Cell(stage[1], 0, 0))
                fields.append(Field(self._place(number), partial(_same, spot)))
        said = f"{frame.title}. {self.shown.text}"
        return Drawing(frame.width, frame.height, frame.title, said, self._paint, tuple(fields))

    def _place(self, number: int) -> QRectF:
        body = self.frame.body
        return QRectF(body.left(), body.top() + number * self.pitch, body.width(), self.pitch)

    def _paint(self, painter: QPainter) -> None:
        self.frame.paint(painter)
        for number, line in enumerate(self.lines):
            self._paint_line(painter, self._place(number), line)

    def _paint_line(self, painter: QPainter, place: QRectF, line: str) -> None:
        """A line with its comment in gray."""
        theme, small = self.ink.theme, metrics("small")
        bare = line.lstrip(" ")
        at = QPointF(place.left() + (len(line) - len(bare)) * INDENT, place.top() + small.ascent())
        code, sign, comment = bare.partition("  # ")
        step = STEP.match(code)
        strong = step is not None and line == bare and step[1] in self.shown.stages
        color = theme.good if bare.startswith("# ") else theme.text if strong or not sign else theme.text2
        write_line(painter, at, code, color, FONT_SIZE.small)
        at += QPointF(small.horizontalAdvance(code) + SPACING.l, 0)
        write_line(painter, at, sign and f"# {comment}", theme.good, FONT_SIZE.small)


def _pieces(line: str, across: float) -> list[str]:
    """A line of a script in lines of a width: its comment above it, and what goes on indented by four more blanks."""
    small = metrics("small")
    bare = line.lstrip(" ")
    code, sign, comment = bare.partition("  # ")
    blanks = len(line) - len(bare)
    wide = small.horizontalAdvance(code) + (SPACING.l + small.horizontalAdvance(f"# {comment}") if sign else 0)
    if blanks * INDENT + wide <= across:
        return [line]
    room = across - (blanks + 4) * INDENT
    above = [f"# {part}" for part in wrapped(comment, room - small.horizontalAdvance("# "), small)] if sign else []
    first, *more = wrapped(code, room, small)
    return [" " * blanks + part for part in (*above, first)] + [" " * (blanks + 4) + part for part in more]


def _same(spot: Spot, *_: int) -> Spot:
    """The spot of a field that has only one."""
    return spot
