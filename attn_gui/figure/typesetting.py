"""Reader of the LaTeX that the engine writes: few commands, their spaces by the classes of TeX, colors by role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QTransform

from attn_gui.figure.typesetting import boxes
from attn_gui.figure.typesetting.boxes import SCALES, Box

ROLES = {"q": "query", "Q": "query", "k": "key", "K": "key", "v": "key", "V": "key"}
TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\S", re.DOTALL)

ORD, OP, BIN, REL, OPEN, CLOSE, PUNCT = range(7)
THIN, MEDIUM, THICK = 3 / 18, 4 / 18, 5 / 18
# the space between two classes, the left one by row; in scripts only that of operators stays
SPACES = (
    (0, THIN, MEDIUM, THICK, 0, 0, 0),
    (THIN, THIN, 0, THICK, 0, 0, 0),
    (MEDIUM, MEDIUM, 0, 0, MEDIUM, 0, 0),
    (THICK, THICK, 0, 0, THICK, 0, 0),
    (0, 0, 0, 0, 0, 0, 0),
    (0, THIN, MEDIUM, THICK, 0, 0, 0),
    (THIN, THIN, 0, THIN, THIN, THIN, THIN),
)
SIGNS = {
    "+": ("+", BIN),
    "-": ("\N{MINUS SIGN}", BIN),
    r"\cdot": ("⋅", BIN),
    r"\circ": ("∘", BIN),
    r"\times": ("×", BIN),
    "=": ("=", REL),
    "<": ("<", REL),
    ">": (">", REL),
    r"\le": ("≤", REL),
    r"\in": ("∈", REL),
    "(": ("(", OPEN),
    "[": ("[", OPEN),
    ")": (")", CLOSE),
    "]": ("]", CLOSE),
    r"\lparen": ("(", OPEN),
    r"\rparen": (")", CLOSE),
    ",": (",", PUNCT),
    r"\|": ("‖", ORD),
    "|": ("|", ORD),
    "/": ("/", ORD),
    r"\infty": ("∞", ORD),
    r"\cdots": ("⋯", ORD),
    r"\ell": ("ℓ", ORD),
    r"\partial": ("𝜕", ORD),
    r"\Delta": ("𝛥", ORD),
    r"\{": ("{", OPEN),
    r"\}": ("}", CLOSE),
}
GREEK = dict(
    zip(
        (
            r"\alpha",
            r"\beta",
            r"\gamma",
            r"\delta",
            r"\theta",
            r"\kappa",
            r"\lambda",
            r"\mu",
            r"\sigma",
            r"\tau",
            r"\varphi",
            r"\varepsilon",
        ),
        "𝛼𝛽𝛾𝛿𝜃𝜅𝜆𝜇𝜎𝜏𝜑𝜀",
        strict=True,
    )
)
WORDS = (r"\max", r"\min", r"\tanh", r"\exp", r"\cos", r"\sin", r"\log")
VERBATIM = (r"\mathrm", r"\text", r"\operatorname")
BLANKS = {r"\,": THIN, r"\;": THICK, r"\quad": 1.0, r"\ ": MEDIUM}


class Style(NamedTuple):
    """The style of a part: the size of scripts, alone on its line, upright, its color, whether letters have roles."""

    level: int = 0
    display: bool = True
    role: str = "text"
    colored: bool = True

    @property
    def scale(self) -> float:
        return SCALES[self.level]

    def script(self, *, colored: bool) -> Style:
        return self._replace(level=min(self.level + 1, 2), display=False, colored=self.colored and colored)

    def within_fraction(self) -> Style:
        return self._replace(display=False) if self.display else self.script(colored=True)


class Atom(NamedTuple):
    """A box with the class at its left and right side, which decide on spaces; `limits` below and not beside it."""

    box: Box
    left: int = ORD
    right: int = ORD
    limits: bool = False


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula laid out at one unit an em: its size about the baseline, and an outline for each role."""

    width: float
    ascent: float
    descent: float
    paths: Mapping[str, QPainterPath]

    @property
    def height(self) -> float:
        return self.ascent + self.descent

    def paint(self, painter: QPainter, corner: QPointF, size: float, colors: Mapping[str, QColor]) -> None:
        """Draw it at `size` pixels an em, its top left corner at `corner`, each role in its color."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(corner.x(), corner.y() + self.ascent * size)
        painter.scale(size, size)
        for role, path in self.paths.items():
            painter.fillPath(path, colors[role])
        painter.restore()


@lru_cache(maxsize=128)  # more than a window shows; one takes some 25 KB
def typeset(latex: str) -> Formula:
    """The formula laid out; `latex` comes from the engine, never from a token. Raises ValueError."""
    try:
        box = Reader(latex).formula()
    except (ValueError, IndexError) as error:
        raise ValueError(f"cannot typeset {latex}") from error
    paths: dict[str, QPainterPath] = {}
    for mark in box.marks:
        place = QTransform(mark.across, 0, 0, mark.up, mark.x, mark.y)
        paths.setdefault(mark.role, QPainterPath()).addPath(place.map(mark.path))
    for path in paths.values():
        path.setFillRule(Qt.FillRule.WindingFill)
    return Formula(box.width, box.ascent, box.descent, paths)


class Reader:
    """Reads tokens from left to right; every method takes what it reads away."""

    def __init__(self, latex: str) -> None:
        self._tokens: list[str] = TOKEN.findall(latex)
        self._at = 0

    def formula(self) -> Box:
        """The whole of it."""
        box = self._row(Style())
        if self._at < len(self._tokens):
            raise ValueError(f"{self._tokens[self._at]} closes nothing")
        return box

    # --- tokens ----------------------------------------------------------------------------------
    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, token: str) -> None:
        if self._take() != token:
            raise ValueError(f"{token} is missing")

    # --- rows ------------------------------------------------------------------------------------
    def _row(self, style: Style) -> Box:
        """Row up to what closes it, with the spaces between."""
        atoms: list[Atom] = []
        while self._peek() not in ("", "}", r"\right"):
            atoms.append(self._scripted(style))
        return boxes.beside(_spaced(_binary(atoms), style))

    def _argument(self, style: Style) -> Box:
        """A group, or the single token that stands for one."""
        if self._peek() != "{":
            return self._nucleus(self._take(), style).box
        self._expect("{")
        box = self._row(style)
        self._expect("}")
        return box

    def _scripted(self, style: Style) -> Atom:
        """A nucleus with primes, raised and lowered parts; all of them in the color of its role."""
        token = self._take()
        own = style._replace(role=ROLES[token]) if style.colored and style.role == "text" and token in ROLES else style
        atom = self._nucleus(token, own)
        above: list[Box] = []
        below: Box | None = None
        while (mark := self._peek()) in ("^", "_", "'") and mark:
            self._take()
            if mark == "'":
                above.append(boxes.prime(own.scale, own.role))
            elif mark == "^":
                above.append(self._argument(own.script(colored=self._peek() == "{")))
            else:
                below = self._argument(own.script(colored=False))
        if not above and below is None:
            return atom
        if atom.limits and below is not None and not above:
            return atom._replace(box=boxes.limits(atom.box, below, own.scale))
        raised = boxes.beside(above) if above else None
        return atom._replace(box=boxes.scripts(atom.box, raised, below, own.scale))

    def _nucleus(self, token: str, style: Style) -> Atom:
        """One sign, group or command."""
        if token == "{":
            box = self._row(style)
            self._expect("}")
            return Atom(box)
        if token in SIGNS:
            character, kind = SIGNS[token]
            return Atom(boxes.letter(character, style.scale, style.role), kind, kind)
        if token in BLANKS:
            return Atom(boxes.space(BLANKS[token] * style.scale))
        if token in WORDS:
            return Atom(self._upright(token[1:], style), OP, OP)
        if token in VERBATIM:
            return self._verbatim(style)
        if token == r"\sum":
            return Atom(boxes.big("∑", style.scale, style.role, display=style.display), OP, OP, style.display)
        return self._structure(token, style)

    def _structure(self, token: str, style: Style) -> Atom:
        if token == r"\frac":
            top, bottom = (self._argument(style.within_fraction()) for _ in range(2))
            return Atom(boxes.fraction(top, bottom, style.scale, style.role, display=style.display))
        if token == r"\sqrt":
            return Atom(boxes.root(self._argument(style), style.scale, style.role, display=style.display))
        if token == r"\left":
            left = SIGNS[self._take()][0]
            inside = self._row(style)
            self._expect(r"\right")
            right = SIGNS[self._take()][0]
            return Atom(boxes.fenced(inside, left, right, style.scale, style.role), OPEN, CLOSE)
        return Atom(boxes.letter(_slanted(token), style.scale, style.role))

    def _verbatim(self, style: Style) -> Atom:
        """Upright letters as they stand; a word behaves like the name of a function."""
        self._expect("{")
        word = ""
        while self._peek() != "}":
            word += self._take()
        self._expect("}")
        kind = OP if len(word) > 1 and style.level == 0 else ORD
        return Atom(self._upright(word, style), kind, kind)

    def _upright(self, word: str, style: Style) -> Box:
        return boxes.beside([boxes.letter(character, style.scale, style.role) for character in word])


def _slanted(token: str) -> str:
    """The character of a letter in a formula: slanted letters, upright digits. Raises ValueError."""
    if token in GREEK:
        return GREEK[token]
    if len(token) != 1 or token in "}^_&$#%~":
        raise ValueError(f"{token} is not known")
    if token == "h":
        return "ℎ"
    if token.isascii() and token.isalpha():
        return chr((0x1D44E - ord("a") if token.islower() else 0x1D434 - ord("A")) + ord(token))
    return token


def _binary(atoms: Sequence[Atom]) -> list[Atom]:
    """A plus or minus with nothing to its left or right to bind is a sign of what follows."""
    out: list[Atom] = []
    for place, atom in enumerate(atoms):
        before = out[-1].right if out else OPEN
        after = atoms[place + 1].left if place + 1 < len(atoms) else CLOSE
        alone = before in (BIN, OP, REL, OPEN, PUNCT) or after in (REL, CLOSE, PUNCT)
        out.append(atom._replace(left=ORD, right=ORD) if atom.left == BIN and alone else atom)
    return out


def _spaced(atoms: Sequence[Atom], style: Style) -> list[Box]:
    out: list[Box] = []
    for place, atom in enumerate(atoms):
        if place:
            width = SPACES[atoms[place - 1].right][atom.left]
            if width and (style.level == 0 or (width == THIN and OP in (atoms[place - 1].right, atom.left))):
                out.append(boxes.space(width * style.scale))
        out.append(atom.box)
    return out
