"""Cut the fonts that the program ships out of Debian's fonts-inter and fonts-noto-cjk, and ziamath's STIX Two Math.

    apt-get install fonts-inter fonts-noto-cjk && pip install fonttools ziamath==0.13
    .venv/bin/python packaging/make_fonts.py

Run it again when a new Chinese translation uses a character that the subset lacks (tests/test_packaging.py says so).
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from attn_gui.figure.formula_typesetting import FIRST_TALLER, FORMS, TALLER
from attn_gui.figure.formula_typesetting import FONT as MATH_FONT

ROOT = Path(__file__).resolve().parents[1]
FONTS = ROOT / "resources" / "fonts"
INTER = Path("/usr/share/fonts/opentype/inter")
NOTO = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
SIMPLIFIED = "Noto Sans CJK SC"

LATIN = (
    (0x20, 0x7F),
    (0xA0, 0x250),
    (0x2B0, 0x370),  # Latin with its extensions, accents
    (0x370, 0x400),
    (0x400, 0x530),
    (0x1D00, 0x1DC0),
    (0x1E00, 0x2000),  # Greek, Cyrillic, raised and lowered letters
    (0x2000, 0x20D0),
    (0x2100, 0x2400),
    (0x25A0, 0x2600),
    (0x2700, 0x2780),  # punctuation, arrows, mathematics
)
PUNCTUATION = ((0x20, 0x7F), (0xA0, 0x100), (0x2000, 0x2070), (0x2190, 0x21A0), (0x3000, 0x3020), (0xFF01, 0xFF5F))
# calt is left out on purpose: it draws the token "->" as an arrow and "2x3" with a multiplication sign
INTER_FEATURES = ["kern", "mark", "mkmk", "ccmp", "locl", "tnum", "case", "zero", "frac", "sups", "subs"]
# what formulas are written with: digits and signs, upright and slanted letters, Greek, operators
MATHEMATICS = (
    (0x20, 0x7F),
    (0xD7, 0xD8),
    (0x2016, 0x2017),
    (0x2032, 0x2033),
    (0x210E, 0x2114),
    (0x2202, 0x2203),
    (0x2207, 0x2223),
    (0x2248, 0x2249),
    (0x2260, 0x2266),
    (0x22A4, 0x22A5),
    (0x22C5, 0x22C6),
    (0x22EF, 0x22F0),
    (0x1D434, 0x1D468),
    (0x1D6E2, 0x1D71C),
)
SIGNS = {  # code: a letter, the share of its width, and how it is laid down: xx, xy, yx, yy, dx, dy
    0x1D40: ("T", 0.62, ((0.62, 0, 0, 0.62, 0, 800),)),  # ᵀ
    0x22EE: (".", 1.0, ((1, 0, 0, 1, 0, 0), (1, 0, 0, 1, 0, 620), (1, 0, 0, 1, 0, 1240))),  # ⋮
    0x2423: ("_", 1.2, ((1.2, 0, 0, 1, 0, 0), (0, 0.3, -1, 0, 0, 0), (0, 0.3, -1, 0, 1311, 0))),  # ␣
}
NOTO_FEATURES = ["kern", "ccmp"]  # locl would bring the Japanese, Korean and Taiwanese form of every character along


def main() -> None:
    FONTS.mkdir(parents=True, exist_ok=True)
    regular = TTFont(INTER / "Inter-Regular.otf")
    _add_signs(regular)
    _cut(regular, _span(LATIN), INTER_FEATURES, FONTS / "Inter-Regular.otf")
    strong = TTFont(INTER / "Inter-SemiBold.otf")
    _name_as_bold(strong)
    _add_signs(strong)
    _cut(strong, _span(LATIN), INTER_FEATURES, FONTS / "Inter-SemiBold.otf")
    mathematics = TTFont(_stix())
    _add_taller_forms(mathematics)
    taller = range(FIRST_TALLER, FIRST_TALLER + FORMS * len(TALLER))
    _cut(mathematics, _span(MATHEMATICS) | set(taller), [], FONTS / MATH_FONT)
    chinese = _span(PUNCTUATION) | _gb2312() | _translated()
    _cut(_face(NOTO, SIMPLIFIED), chinese, NOTO_FEATURES, FONTS / "NotoSansCJKsc-Subset.otf")


def _span(ranges: tuple[tuple[int, int], ...]) -> set[int]:
    return {code for start, stop in ranges for code in range(start, stop)}


def _gb2312() -> set[int]:
    """Return the 6763 simplified characters of the standard, both levels: people type their own tokens."""
    characters = ""
    for row in range(16, 88):
        for cell in range(1, 95):
            characters += bytes((0xA0 + row, 0xA0 + cell)).decode("gb2312", errors="ignore")
    return set(map(ord, characters))


def _translated() -> set[int]:
    """Return every character of our own Chinese texts, so that none of them can be missing."""
    sources = (ROOT / "resources" / "translations").glob("*_zh.ts")
    return {ord(letter) for path in sources for letter in path.read_text(encoding="utf-8") if ord(letter) > 0x7F}


def _stix() -> Path:
    found = find_spec("ziamath")
    assert found is not None, "pip install ziamath"
    return Path(str(found.origin)).with_name("fonts") / "STIXTwoMath-Regular.ttf"


def _add_taller_forms(font: TTFont) -> None:
    """Give the taller forms of brackets, roots and sums characters of the private use area, by which Qt finds them."""
    variants, names, taller = font["MATH"].table.MathVariants, font.getBestCmap(), {}
    for place, character in enumerate(TALLER):
        at = variants.VertGlyphCoverage.glyphs.index(names[ord(character)])
        _own, *records = variants.VertGlyphConstruction[at].MathGlyphVariantRecord
        taller |= {FIRST_TALLER + FORMS * place + step: record.VariantGlyph for step, record in enumerate(records)}
    for table in font["cmap"].tables:
        others = {code: name for code, name in table.cmap.items() if not 0xE000 <= code < 0xF900}
        table.cmap = others | taller if table.isUnicode() and table.format in (4, 12) else others
    del font["MATH"]


def _face(collection: Path, family: str) -> TTFont:
    for number in range(64):
        font = TTFont(collection, fontNumber=number, recalcTimestamp=False)
        if font["name"].getDebugName(1) == family:
            return font
    raise SystemExit(f"{collection} has no face {family}")


def _add_signs(font: TTFont) -> None:
    """Draw the signs that Inter lacks and a system without fonts cannot lend: made of its own letters."""
    glyphs, cff, names = font.getGlyphSet(), font["CFF "].cff, font.getBestCmap()
    top, private = cff.topDictIndex[0], cff.topDictIndex[0].Private
    for code, (letter, width, places) in SIGNS.items():
        source, name = names[ord(letter)], f"uni{code:04X}"
        advance = round(width * font["hmtx"][source][0])
        pen = T2CharStringPen(advance, glyphs)
        for place in places:
            glyphs[source].draw(TransformPen(pen, place))
        top.CharStrings.charStringsIndex.append(pen.getCharString(private, cff.GlobalSubrs))
        top.CharStrings.charStrings[name] = len(top.CharStrings.charStringsIndex) - 1
        top.charset.append(name)
        font["hmtx"][name] = advance, 0
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[code] = name
    font.setGlyphOrder(top.charset)
    font["maxp"].numGlyphs = len(top.charset)


def _name_as_bold(font: TTFont) -> None:
    """Make SemiBold the bold style of Inter; under its own family name Qt would never find it."""
    names = font["name"]
    for record in list(names.names):
        if record.nameID in (16, 17, 21, 22):
            names.removeNames(nameID=record.nameID)
        elif record.nameID in (1, 2):
            record.string = "Inter" if record.nameID == 1 else "Bold"
    font["head"].macStyle = 1
    font["OS/2"].fsSelection = font["OS/2"].fsSelection & ~0x40 | 0x20
    if "CFF " in font:
        top = font["CFF "].cff.topDictIndex[0]
        top.FamilyName, top.Weight = "Inter", "Bold"


def _cut(font: TTFont, characters: set[int], features: list[str], target: Path) -> None:
    options = Options()
    options.layout_features = features
    options.name_IDs = ["*"]
    options.notdef_outline = True
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    font.recalcTimestamp = False  # the same input gives the same bytes
    subsetter.subset(font)
    font.save(target)
    print(f"{target.relative_to(ROOT)}  {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
