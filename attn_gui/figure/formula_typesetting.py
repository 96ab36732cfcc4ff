"""Formulas drawn from LaTeX: known commands, glyphs, fractions, brackets; a chain a = b = c broken into lines."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QRawFont, QTransform

from attn_gui.figure.design_tokens import FONT_SIZE, SPACING
from attn_gui.paths import resource

__all__ = ["Formula", "typeset"]


FONT = "STIXTwoMath-Subset.ttf"
TALLER = "()[]√∑"
"""Characters of which the shipped font holds taller forms, from `FIRST_TALLER` on, `FORMS` places for each."""

FIRST_TALLER, FORMS = 0xE000, 16


class Glyph(NamedTuple):
    """An outline at one unit an em, its baseline at 0 and y downward; `ascent` and `descent` are those of its ink."""

    path: QPainterPath
    advance: float
    ascent: float
    descent: float

    @property
    def overhang(self) -> float:
        """The overhang of the ink of a slanted letter on the right."""
        return max(0.0, self.path.boundingRect().right() - self.advance)


@cache
def glyph(character: str) -> Glyph:
    """Return the outline of a character. Raises ValueError for one that the font lacks."""
    font = _font()
    found = font.glyphIndexesForString(character)
    if len(found) != 1 or not found[0]:
        raise ValueError(f"no glyph for {character!r}")
    em = font.pixelSize()
    path = QTransform.fromScale(1 / em, 1 / em).map(font.pathForGlyph(found[0]))
    style = path.boundingRect()
    return Glyph(path, font.advancesForGlyphIndexes(found)[0].x() / em, -style.top(), style.bottom())


@cache
def forms(character: str) -> tuple[Glyph, ...]:
    """Return the character and its taller forms, from low to high."""
    if character not in TALLER:
        return (glyph(character),)
    first = FIRST_TALLER + FORMS * TALLER.index(character)
    codes = (chr(code) for code in range(first, first + FORMS))
    return glyph(character), *(glyph(code) for code in codes if _font().supportsCharacter(ord(code)))


class _Fonts(threading.local):
    """The font of each thread: Qt lets one be used only in the thread that made it."""

    font: QRawFont | None = None


_FONTS = _Fonts()


def _font() -> QRawFont:
    if _FONTS.font is None:
        _FONTS.font = QRawFont(str(resource("fonts", FONT)), 1000.0, QFont.HintingPreference.PreferNoHinting)
        assert _FONTS.font.isValid(), "the font of formulas comes with the program"
    return _FONTS.font


# --- Layout of a formula: boxes set beside, above and into one another by the rules of TeX ---
#
# Lengths are in em of the whole formula; y points down. The constants are those in the MATH table of STIX Two Math.
# Source: Knuth, "The TeXbook" (1984), appendix G; OpenType specification 1.9, MATH table.


SCALES = (1.0, 0.7, 0.55)  # of formula, scripts and scripts of scripts
AXIS = 0.258  # the height of a minus
RULE = 0.068
FRACTION_SHIFT, FRACTION_GAP = {True: 0.64, False: 0.585}, {True: 0.15, False: 0.068}  # by display style
SUPER_UP, SUPER_BOTTOM_LEAST, SUPER_DROP_MOST = 0.36, 0.12, 0.23
SUB_DOWN, SUB_TOP_MOST, SUB_DROP_LEAST = 0.21, 0.368, 0.16
BETWEEN_SCRIPTS, AFTER_SCRIPT = 0.15, 0.04
LIMIT_GAP, LIMIT_DROP = 0.135, 0.67
ROOT_GAP, ROOT_ABOVE = {True: 0.17, False: 0.085}, 0.078
COVERED = 0.901  # of its content that a bracket is at least as high as


class PlacedGlyph(NamedTuple):
    """An outline at its place: scaled by `across` and `up`, in the color of a role."""

    path: QPainterPath
    x: float
    y: float
    across: float
    up: float
    role: str


class FormulaBox(NamedTuple):
    """A part of a formula about its baseline; `overhang` is that of a slanted letter at its right."""

    width: float = 0.0
    ascent: float = 0.0
    descent: float = 0.0
    marks: tuple[PlacedGlyph, ...] = ()
    overhang: float = 0.0
    letter: bool = False  # scripts stand at the height that they have at every single letter

    def moved(self, x: float, y: float = 0.0) -> Iterable[PlacedGlyph]:
        """Return the outlines at another place."""
        return (mark._replace(x=mark.x + x, y=mark.y + y) for mark in self.marks)


def letter(character: str, scale: float, role: str) -> FormulaBox:
    """Return one character."""
    return _drawn(glyph(character), scale, scale, role)


def prime(scale: float, role: str) -> FormulaBox:
    """Return the prime as a raised part: the font draws it at its height already."""
    drawn = _drawn(glyph("′"), scale, scale, role)
    down = SUPER_UP * scale
    return FormulaBox(drawn.width, drawn.ascent - down, drawn.descent + down, tuple(drawn.moved(0.0, down)))


def space(width: float) -> FormulaBox:
    """Return a blank of this width."""
    return FormulaBox(width)


def beside(boxes: Iterable[FormulaBox]) -> FormulaBox:
    """Return boxes after one another on one baseline; one alone stays what it is."""
    found = list(boxes)
    if len(found) == 1:
        return found[0]
    x = 0.0
    marks: list[PlacedGlyph] = []
    for box in found:
        marks += box.moved(x)
        x += box.width
    return FormulaBox(
        x,
        max((box.ascent for box in found), default=0.0),
        max((box.descent for box in found), default=0.0),
        tuple(marks),
        found[-1].overhang if found else 0.0,
    )


def fraction(top: FormulaBox, bottom: FormulaBox, scale: float, role: str, *, display: bool) -> FormulaBox:
    """Return one box over another with a rule between them."""
    shift, gap, half = FRACTION_SHIFT[display] * scale, FRACTION_GAP[display] * scale, RULE * scale / 2
    axis, side = AXIS * scale, 0.06 * scale
    up = max(shift, axis + half + gap + top.descent)
    down = max(shift, bottom.ascent + gap + half - axis)
    width = max(top.width, bottom.width) + 2 * side
    marks = (
        *top.moved((width - top.width) / 2, -up),
        *bottom.moved((width - bottom.width) / 2, down),
        _rule(0.0, -axis - half, width, 2 * half, role),
    )
    return _padded(FormulaBox(width, up + top.ascent, down + bottom.descent, marks), 0.09 * scale)


def root(inside: FormulaBox, scale: float, role: str, *, display: bool) -> FormulaBox:
    """Return a box under a root."""
    rule = RULE * scale
    gap = ROOT_GAP[display] * scale
    sign = _tall("√", scale, inside.ascent + inside.descent + gap + rule, role)
    spare = max(0.0, sign.ascent + sign.descent - rule - inside.ascent - inside.descent - gap) / 2
    top = inside.ascent + gap + spare + rule
    marks = (
        *sign.moved(0.0, sign.ascent - top),
        *inside.moved(sign.width),
        _rule(sign.width - 0.01, -top, inside.width + 0.01, rule, role),
    )
    return FormulaBox(
        sign.width + inside.width + 0.05 * scale,
        top + ROOT_ABOVE * scale,
        max(inside.descent, sign.ascent + sign.descent - top),
        marks,
    )


def scripts(base: FormulaBox, above: FormulaBox | None, below: FormulaBox | None, scale: float) -> FormulaBox:
    """Return a base with what is raised and lowered at its right."""
    up = max(SUPER_UP * scale, 0.0 if base.letter else base.ascent - SUPER_DROP_MOST * scale)
    down = max(SUB_DOWN * scale, 0.0 if base.letter else base.descent + SUB_DROP_LEAST * scale)
    if above is not None:
        up = max(up, SUPER_BOTTOM_LEAST * scale + above.descent)
    if below is not None:
        down = max(down, below.ascent - SUB_TOP_MOST * scale)
    if above is not None and below is not None:
        down = max(down, BETWEEN_SCRIPTS * scale + below.ascent - (up - above.descent))
    marks, width, ascent, descent = base.marks, base.width, base.ascent, base.descent
    if above is not None:
        marks += tuple(above.moved(base.width + base.overhang, -up))
        width, ascent = base.width + base.overhang + above.width, max(ascent, up + above.ascent)
    if below is not None:
        marks += tuple(below.moved(base.width, down))
        width, descent = max(width, base.width + below.width), max(descent, down + below.descent)
    return FormulaBox(width + AFTER_SCRIPT * scale, ascent, descent, marks)


def limits(base: FormulaBox, below: FormulaBox, scale: float) -> FormulaBox:
    """Return a sign with its limit centered below it."""
    width = max(base.width, below.width)
    down = max(LIMIT_DROP * scale, base.descent + LIMIT_GAP * scale + below.ascent)
    marks = (*base.moved((width - base.width) / 2), *below.moved((width - below.width) / 2, down))
    return FormulaBox(width, base.ascent, down + below.descent, marks)


def big(character: str, scale: float, role: str, *, display: bool) -> FormulaBox:
    """Return a sum sign, larger where a formula stands on lines of its own; centered on the axis."""
    drawn = _drawn(forms(character)[-1 if display else 0], scale, scale, role)
    return _on_axis(drawn, scale)


def fenced(inside: FormulaBox, left: str, right: str, scale: float, role: str) -> FormulaBox:
    """Return a box between brackets as high as it."""
    axis = AXIS * scale
    height = 2 * max(inside.ascent - axis, inside.descent + axis) * COVERED
    ends = [
        _on_axis(_tall(sign, scale, height, role), scale) if sign != "." else FormulaBox() for sign in (left, right)
    ]
    return beside((ends[0], inside._replace(letter=False), ends[1]))


def _drawn(found: Glyph, across: float, up: float, role: str) -> FormulaBox:
    marks = (PlacedGlyph(found.path, 0.0, 0.0, across, up, role),)
    return FormulaBox(
        found.advance * across, found.ascent * up, found.descent * up, marks, found.overhang * across, True
    )


def _tall(character: str, scale: float, height: float, role: str) -> FormulaBox:
    """Return the lowest form of a sign that is so high; the highest one stretched where none is."""
    found = forms(character)
    fitting = (form for form in found if (form.ascent + form.descent) * scale >= height)
    form = next(fitting, found[-1])
    return _drawn(form, scale, max(scale, height / (form.ascent + form.descent)), role)


def _on_axis(box: FormulaBox, scale: float) -> FormulaBox:
    down = (box.ascent - box.descent) / 2 - AXIS * scale
    return FormulaBox(box.width, box.ascent - down, box.descent + down, tuple(box.moved(0.0, down)))


def _padded(box: FormulaBox, side: float) -> FormulaBox:
    return FormulaBox(box.width + 2 * side, box.ascent, box.descent, tuple(box.moved(side)))


def _rule(x: float, top: float, width: float, height: float, role: str) -> PlacedGlyph:
    path = QPainterPath()
    path.addRect(0.0, 0.0, width, height)
    return PlacedGlyph(path, x, top, 1.0, 1.0, role)


# --- Reader of the LaTeX that the engine writes: few commands, their spaces by the classes of TeX, colors by role ---
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
# fmt: off
SIGNS = {
    "+": ("+", BIN), "-": ("\N{MINUS SIGN}", BIN), r"\cdot": ("⋅", BIN), r"\circ": ("∘", BIN), r"\times": ("×", BIN),
    "=": ("=", REL), "<": ("<", REL), ">": (">", REL), r"\approx": ("≈", REL), r"\le": ("≤", REL), r"\in": ("∈", REL),
    "(": ("(", OPEN), "[": ("[", OPEN), ")": (")", CLOSE), "]": ("]", CLOSE),
    r"\lparen": ("(", OPEN), r"\rparen": (")", CLOSE), ",": (",", PUNCT),
    r"\|": ("‖", ORD), "|": ("|", ORD), "/": ("/", ORD), r"\infty": ("∞", ORD), r"\cdots": ("⋯", ORD),
    r"\ell": ("ℓ", ORD), r"\partial": ("𝜕", ORD), r"\Delta": ("𝛥", ORD), r"\{": ("{", OPEN), r"\}": ("}", CLOSE),
}
GREEK = {
    r"\alpha": "𝛼", r"\beta": "𝛽", r"\gamma": "𝛾", r"\delta": "𝛿", r"\theta": "𝜃", r"\kappa": "𝜅", r"\lambda": "𝜆",
    r"\mu": "𝜇", r"\sigma": "𝜎", r"\tau": "𝜏", r"\varphi": "𝜑", r"\varepsilon": "𝜀",
}
# fmt: on
WORDS = (r"\max", r"\min", r"\tanh", r"\exp", r"\cos", r"\sin", r"\log")
VERBATIM = (r"\mathrm", r"\text", r"\operatorname")
BLANKS = {r"\,": THIN, r"\;": THICK, r"\quad": 1.0, r"\ ": MEDIUM}


class FormulaStyle(NamedTuple):
    """The style of a part: the size of scripts, alone on its line, upright, its color, whether letters have roles."""

    level: int = 0
    display: bool = True
    role: str = "text"
    colored: bool = True

    @property
    def scale(self) -> float:
        return SCALES[self.level]

    def script(self, *, colored: bool) -> FormulaStyle:
        return self._replace(level=min(self.level + 1, 2), display=False, colored=self.colored and colored)

    def within_fraction(self) -> FormulaStyle:
        return self._replace(display=False) if self.display else self.script(colored=True)


class Atom(NamedTuple):
    """A box with the class at its left and right side, which decide on spaces; `limits` below and not beside it."""

    box: FormulaBox
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
    """Return the formula laid out; `latex` comes from the engine, never from a token. Raises ValueError."""
    try:
        box = LatexReader(latex).formula()
    except (ValueError, IndexError) as error:
        raise ValueError(f"cannot typeset {latex}") from error
    paths: dict[str, QPainterPath] = {}
    for mark in box.marks:
        place = QTransform(mark.across, 0, 0, mark.up, mark.x, mark.y)
        paths.setdefault(mark.role, QPainterPath()).addPath(place.map(mark.path))
    for path in paths.values():
        path.setFillRule(Qt.FillRule.WindingFill)
    return Formula(box.width, box.ascent, box.descent, paths)


class LatexReader:
    """Reads tokens from left to right; every method takes what it reads away."""

    def __init__(self, latex: str) -> None:
        self._tokens: list[str] = TOKEN.findall(latex)
        self._at = 0

    def formula(self) -> FormulaBox:
        """Return the whole of it."""
        box = self._row(FormulaStyle())
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
    def _row(self, style: FormulaStyle) -> FormulaBox:
        """Return row up to what closes it, with the spaces between."""
        atoms: list[Atom] = []
        while self._peek() not in ("", "}", r"\right"):
            atoms.append(self._scripted(style))
        return beside(_spaced(_binary(atoms), style))

    def _argument(self, style: FormulaStyle) -> FormulaBox:
        """Return a group, or the single token that stands for one."""
        if self._peek() != "{":
            return self._nucleus(self._take(), style).box
        self._expect("{")
        box = self._row(style)
        self._expect("}")
        return box

    def _scripted(self, style: FormulaStyle) -> Atom:
        """Return a nucleus with primes, raised and lowered parts; all of them in the color of its role."""
        token = self._take()
        own = style._replace(role=ROLES[token]) if style.colored and style.role == "text" and token in ROLES else style
        atom = self._nucleus(token, own)
        above: list[FormulaBox] = []
        below: FormulaBox | None = None
        while (mark := self._peek()) in ("^", "_", "'") and mark:
            self._take()
            if mark == "'":
                above.append(prime(own.scale, own.role))
            elif mark == "^":
                above.append(self._argument(own.script(colored=self._peek() == "{")))
            else:
                below = self._argument(own.script(colored=False))
        if not above and below is None:
            return atom
        if atom.limits and below is not None and not above:
            return atom._replace(box=limits(atom.box, below, own.scale))
        raised = beside(above) if above else None
        return atom._replace(box=scripts(atom.box, raised, below, own.scale))

    def _nucleus(self, token: str, style: FormulaStyle) -> Atom:
        """Return one sign, group or command."""
        if token == "{":
            box = self._row(style)
            self._expect("}")
            return Atom(box)
        if token in SIGNS:
            character, kind = SIGNS[token]
            return Atom(letter(character, style.scale, style.role), kind, kind)
        if token in BLANKS:
            return Atom(space(BLANKS[token] * style.scale))
        if token in WORDS:
            return Atom(self._upright(token[1:], style), OP, OP)
        if token in VERBATIM:
            return self._verbatim(style)
        if token == r"\sum":
            return Atom(big("∑", style.scale, style.role, display=style.display), OP, OP, style.display)
        return self._structure(token, style)

    def _structure(self, token: str, style: FormulaStyle) -> Atom:
        if token == r"\frac":
            top, bottom = (self._argument(style.within_fraction()) for _ in range(2))
            return Atom(fraction(top, bottom, style.scale, style.role, display=style.display))
        if token == r"\sqrt":
            return Atom(root(self._argument(style), style.scale, style.role, display=style.display))
        if token == r"\left":
            left = SIGNS[self._take()][0]
            inside = self._row(style)
            self._expect(r"\right")
            right = SIGNS[self._take()][0]
            return Atom(fenced(inside, left, right, style.scale, style.role), OPEN, CLOSE)
        return Atom(letter(_slanted(token), style.scale, style.role))

    def _verbatim(self, style: FormulaStyle) -> Atom:
        """Return upright letters as they stand; a word behaves like the name of a function."""
        self._expect("{")
        word = ""
        while self._peek() != "}":
            word += self._take()
        self._expect("}")
        kind = OP if len(word) > 1 and style.level == 0 else ORD
        return Atom(self._upright(word, style), kind, kind)

    def _upright(self, word: str, style: FormulaStyle) -> FormulaBox:
        return beside([letter(character, style.scale, style.role) for character in word])


def _slanted(token: str) -> str:
    """Return the character of a letter in a formula: slanted letters, upright digits. Raises ValueError."""
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
    """Return the atoms; a plus or minus with nothing to its left or right to bind is a sign of what follows."""
    out: list[Atom] = []
    for place, atom in enumerate(atoms):
        before = out[-1].right if out else OPEN
        after = atoms[place + 1].left if place + 1 < len(atoms) else CLOSE
        alone = before in (BIN, OP, REL, OPEN, PUNCT) or after in (REL, CLOSE, PUNCT)
        out.append(atom._replace(left=ORD, right=ORD) if atom.left == BIN and alone else atom)
    return out


def _spaced(atoms: Sequence[Atom], style: FormulaStyle) -> list[FormulaBox]:
    out: list[FormulaBox] = []
    for place, atom in enumerate(atoms):
        if place:
            width = SPACES[atoms[place - 1].right][atom.left]
            if width and (style.level == 0 or (width == THIN and OP in (atoms[place - 1].right, atom.left))):
                out.append(space(width * style.scale))
        out.append(atom.box)
    return out


# --- Chains of equations in LaTeX: cut where a line may break ---
CHAIN_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|.", re.DOTALL)


def sides_of(chain: str) -> tuple[str, ...]:
    """Return the sides of a chain as "a = b", "= c", "= d": the first "=" stays with what it defines."""
    left, *others = split_chain(chain)
    return (f"{left} {others[0]}", *others[1:]) if others else (left,)


EQUALS = ("=", r"\approx")


def split_chain(latex: str, marks: Sequence[str] = EQUALS) -> tuple[str, ...]:
    """Return the formula cut before each of `marks` that stands outside braces, brackets and fences; a sign stays
    whole."""
    depth, parts, part = 0, [], ""
    for token in CHAIN_TOKEN.findall(latex):
        depth += (token in ("{", "(", "[", r"\left")) - (token in ("}", ")", "]", r"\right"))
        if token in marks and depth == 0 and part.strip("=+- "):
            parts.append(part.strip())
            part = ""
        part += token
    return (*parts, part.strip())


def unfenced(latex: str) -> str:
    """Return the formula with its outermost fences as plain parentheses: then `split_chain` may cut between them."""
    depth, out = 0, ""
    tokens = [token for token in re.split(r"(\\left\(|\\right\)|\\[a-zA-Z]+|\\.|[{}])", latex) if token]
    for token in tokens:
        outermost = (depth, token) in ((0, r"\left("), (1, r"\right)"))
        depth += (token in ("{", r"\left(")) - (token in ("}", r"\right)"))
        out += {r"\left(": r"\lparen ", r"\right)": r"\rparen "}[token] if outermost else token
    return out


# --- Lines of formulas: chains "a = b = c" broken at "=" where they are too wide, at "+" where one side alone is ---
INDENT = 24.0
CHAIN_GAP = 24.0
FRACTION_DESCENT = 0.6
"""Em that only fractions and what is as tall reach below their baseline."""
START = "{} "


class FormulaPiece(NamedTuple):
    """A piece of a formula on its line; smaller than the others where it alone is wider than the line."""

    formula: Formula
    x: float
    line: int
    size: float  # pixels an em

    @property
    def width(self) -> float:
        return self.formula.width * self.size


def laid_out(chains: Sequence[str], width: float, size: float, indent: float = INDENT) -> list[FormulaPiece]:
    """Return the pieces of chains within a width, `size` pixels an em; a new line in a chain is indented."""
    pieces: list[FormulaPiece] = []
    x, line = 0.0, 0
    for chain in chains:
        sides = [typeset(side) for side in _sides(chain, width / size)]
        whole = sum(side.width for side in sides) * size
        if pieces and x + CHAIN_GAP + whole <= width:
            x += CHAIN_GAP
        elif pieces:
            x, line = 0.0, line + 1
        first = sides[0].width * size
        halved = x + whole > width >= indent + whole - first  # the numbers together on the second line
        for position, side in enumerate(sides):
            if position and (x + side.width * size > width or (halved and position == 1)):
                x, line = indent, line + 1
            factor = min(1.0, max(width - x, 1.0) / max(side.width * size, 1.0))
            pieces.append(FormulaPiece(side, x, line, size * factor))
            x += pieces[-1].width
    return pieces


@lru_cache(maxsize=512)
def whole_sides(chain: str) -> tuple[str, ...]:
    """Return the sides of a chain as they are typeset where they fit: START before a sign, so that it keeps its
    space."""
    first, *others = sides_of(chain)
    return (first, *(START + side for side in others))


def _sides(chain: str, width: float) -> Iterator[str]:
    """Yield the sides of a chain.

    One wider than the line (in em) is cut at its signs, if need be between parentheses.
    """
    for position, whole in enumerate(whole_sides(chain)):
        room = width - (INDENT / FONT_SIZE.formula if position else 0)
        if typeset(whole).width <= room:
            yield whole
        else:
            start = START if position else ""
            side = whole[len(start) :]
            parts = split_chain(side, (*EQUALS, "+", "-"))
            if any(typeset(part).width > room for part in parts):
                parts = split_chain(unfenced(side), (*EQUALS, "+", "-"))
            yield start + parts[0]
            yield from (f"{{}} {part}" for part in parts[1:])


def line_heights(pieces: Sequence[FormulaPiece]) -> list[tuple[float, float]]:
    """Return ascent and descent of every line, a gap included between two: a larger one below a fraction."""
    heights: list[tuple[float, float]] = []
    for line in range(pieces[-1].line + 1 if pieces else 0):
        own = [piece for piece in pieces if piece.line == line]
        gap = (SPACING.m if heights[-1][1] > FRACTION_DESCENT * own[0].size else SPACING.s) if heights else 0
        heights.append(
            (max(p.formula.ascent * p.size for p in own) + gap, max(p.formula.descent * p.size for p in own))
        )
    return heights


def baselines_of(pieces: Sequence[FormulaPiece]) -> list[float]:
    """Return the baseline of every line, from the top."""
    heights = line_heights(pieces)
    baselines = [heights[0][0]] if heights else []
    for (_, below), (above, _) in pairwise(heights):
        baselines.append(baselines[-1] + below + above)
    return baselines
