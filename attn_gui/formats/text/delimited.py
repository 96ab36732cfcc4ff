"""Rows between tabs, commas, semicolons, blanks; labels (Q: 1 2), prompts, prints of R, MATLAB (1.0e+03 *), pandas.

Words around a table, prompts, shapes and types of its print are lines of their own (`LINES_OF_WORDS`), a label stands
in its first row (Q: 1 2) or in each (it: 1 2, `named_rows`). R and MATLAB print wide tables in parts, one below the
other, and MATLAB a factor above all (`unprinted`). Empty lines and words part several tables (`blocks_of`).

clevercsv 0.8.5 was tried on the samples of the tests and not taken: it finds the same delimiters, six times slower,
and says nothing of decimal commas and headings, which are what is hard to tell here.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attn_gui.formats.file_messages import FormatError, quoted
from attn_gui.formats.text.bracketed_lists import BESIDE, NAMED, SUMMARY
from attn_gui.formats.text.headings import CellSort, find_headings, is_count, is_number, normalized, sort_of

DELIMITERS = ("\t", ";", ",", " ")  # a tie goes to the first: commas are decimals more often than tabs are
SAMPLE = 64  # rows
WIDE_SAMPLE = 10_000  # cells of a row
LONGEST_WORDS = 500  # letters of a line of words, or of a label
_WIDE = str.maketrans({"，": ",", "；": ";", "、": ",", "\u3000": " "})
_BLANK = re.compile(r"(?<=[\d.])[\u00a0\u202f]+(?=[-+−.\d])")  # of web pages, unless between thousands: 1 234
_THOUSANDS = re.compile(r"\d[\u00a0\u202f]\d{3}(?!\d)")
_DRAWN = str.maketrans("⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠", " " * 12)
_DRAWN_TOP = re.compile(r"[⎡⎛](?:[^\n\t,]|,(?=\d))*[⎤⎞][ \t]*$", re.MULTILINE)  # both ends: one alone is a label
_BETWEEN = re.compile(r"(?<=\d)\s*[，；、]\s*(?=[-+−－.\d])")
_NEW_LINES = str.maketrans({"\v": "\n", "\f": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"})
_FIRST_LINE = re.compile(r'"?sep=([^\w"\n])"?\n', re.IGNORECASE)  # as Excel begins a file
COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_QUOTED = re.compile(r'(?:^|(?<=[\t,;\n]))"(?![^"\w]*\d)(?:[^"]|"")*"(?=[\t,;\n]|$)')
ONE_COMMA = re.compile(r"[-+]?\d+,\d+(?:[eE][-+]?\d+)?")


class TextRow(NamedTuple):
    """One row of a text and its last line, counted from 1; a quoted cell may span several lines."""

    line: int
    cells: list[str]

    @property
    def first_line(self) -> int:
        """The line in which the row begins."""
        return self.line - sum(cell.count("\n") for cell in self.cells)


class Dialect(NamedTuple):
    """How rows of a text are split; `begun`, `ended`: each line begins or ends with a delimiter that parts nothing."""

    delimiter: str
    begun: bool = False
    ended: bool = False


def tidy(text: str) -> str:
    """Return the text with one kind of line end, and with delimiters in ASCII where it has no others."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\n" not in text:
        text = text.translate(_NEW_LINES)
    if not text.isascii() and _DRAWN_TOP.search(text):
        text = text.translate(_DRAWN)
    if text.isascii() or "\t" in text or '"' in text:
        return text
    if not _THOUSANDS.search(text):
        text = _BLANK.sub(" ", text)
    wide = not any(mark in text for mark in ";,")
    return text.translate(_WIDE) if wide else _BETWEEN.sub(lambda mark: mark[0].translate(_WIDE), text)


def outlined(text: str) -> str:
    """Return the text with a word in place of every quoted cell that is no number, whose marks would mislead."""
    return _QUOTED.sub('"x"', text) if '"' in text else text


def said_dialect(text: str) -> tuple[Dialect, str] | None:
    """Return how rows are split by the first line of a text, and the text without it; None where nothing is said."""
    said = _FIRST_LINE.match(text)
    if said is None:
        return None
    rest = "\n" + text[said.end() :]  # whose lines keep their numbers
    return Dialect(said[1], ended=_ends_lines(rest, said[1])), rest


def find_dialect(text: str) -> Dialect:
    """Return the delimiter with which the first rows are all numbers and headings, or which gives most numbers."""
    text = outlined(text)
    dialects = [Dialect(mark, _begins_lines(text, mark), _ends_lines(text, mark)) for mark in DELIMITERS]
    quoting = '"' in text  # then what cannot be split has a quote that is not closed, which has to be said

    def score(dialect: Dialect) -> tuple[bool, bool, int, int]:
        sample = sample_of(text, dialect)
        return (quoting or bool(sample), *_score(sample, dialect.delimiter))

    return max(dialects, key=score)


def sample_of(text: str, dialect: Dialect) -> list[list[str]]:
    try:
        return [row.cells for row in itertools.islice(rows_of(text, dialect), SAMPLE)]
    except csv.Error:
        return []


def rows_of(text: str, dialect: Dialect) -> Iterator[TextRow]:
    """Yield every row that is not blank."""
    blank, mark = dialect.delimiter == " ", dialect.delimiter
    lines = _lines(text)
    if blank:
        lines = (" ".join(filter(None, line.strip().split(" "))) + "\n" for line in lines)
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=blank, strict=True)
    for cells in reader:
        if dialect.ended and cells and not cells[-1].strip():
            cells.pop()
        if dialect.begun and cells and not cells[0].strip():
            del cells[0]
        if len(cells) > 1 or (cells and cells[0].strip()):
            yield TextRow(reader.line_num, cells)


def _lines(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _begins_lines(text: str, mark: str) -> bool:
    """Return whether a delimiter begins every line of several, so that nothing is in the first column alone."""
    lines = [line for line in itertools.islice(_lines(text), SAMPLE) if line.strip()]
    begun = mark != " " and len(lines) > 1 and all(line.startswith(mark) for line in lines)
    return begun and any(line.split(mark, 2)[1].strip() for line in lines)


def _ends_lines(text: str, mark: str) -> bool:
    """Return whether a delimiter ends every line, except perhaps the last."""
    lines = [line.rstrip(" \n") for line in itertools.islice(_lines(text), SAMPLE) if line.strip()]
    if mark == " " or not lines:
        return False
    needed = lines[:-1] if len(lines) > 1 else lines if mark != "\t" else []
    return bool(needed) and all(line.endswith(mark) for line in needed)


def _score(sample: list[list[str]], delimiter: str) -> tuple[bool, int, int]:
    """Return (whether all but headings are numbers, number of such cells, minus the number of other cells).

    In a single column 1,5 counts as two numbers, not as one and a half, which would have been quoted between commas.
    """
    comma = delimiter == "," or all(len(cells) > 1 for cells in sample)
    marks = [[_numeric(cell, comma) for cell in cells[:WIDE_SAMPLE]] for cells in sample]
    found = find_headings(sample)[0] if sample else None
    body = [row[found.labels :] for row in marks[found.header :]] if found else []
    even = len({len(row) for row in sample[found.short if found else 0 :]}) == 1
    clean = bool(body) and even and all(map(all, body))
    numbers = sum(map(sum, marks))
    return clean, numbers, 0 if clean else numbers - sum(map(len, marks))


def _numeric(cell: str, comma: bool) -> bool:
    if "," in cell:
        return comma and COMMA.fullmatch(normalized(cell)) is not None
    return is_number(cell)


# --- what stands around a table ------------------------------------------------------------------
_FENCE = re.compile(r"[ \t]*(?:```|~~~)[\w ]*$")
_ASKED = re.compile(r"[ \t]*(?:>>>|\.\.\. |In ?\[\d*\]:=?|julia>|octave:\d+>|(?:>>?|\$)(?= +[^\W\d])|>>\s*$)")
LINES_OF_WORDS = {
    ">>> Q": _ASKED,
    "```python": _FENCE,
    "2×3 Matrix{Float64}:": SUMMARY,
    "torch.Size([2, 3])": re.compile(
        r"[ \t]*(?:(?:torch\.)?[Ss]ize|[Ss]hape)?[ \t]*[:=]?[ \t]*[(\[]+\d+,(?: ?\d+,?)*[)\]]+[ \t]*$"
    ),
    "Name: q, dtype: float64": re.compile(
        r"\s*(?:(?:[a-z]+\.)?(?:b?float|u?int)\d+|(?:Name|Length|dtype): .*|\[\[\d+\]\])\s*$"
    ),
    "## Weights": re.compile(r"\s*#{1,6} +\D*$"),
}
"""Lines beside a table that are words, whatever is in them: an example of each, and what they have in common."""
_PROMPT = re.compile(r"^[ \t]*(?:Out ?\[\d*\]: ?|Out\[\d+\](?://\w+)?= ?)", re.MULTILINE)  # Out[3]//MatrixForm=
_QUOTED_LINE = re.compile(r"[ \t]*(?:#+>?|//|%+|>+)(?: |$)")  # of a mail, a comment, and ##> of knitr
_COMMENT = re.compile(r"(?<=[\d.])[ \t]+(?:#|//|%) *[^\W\d][^\n]*$", re.MULTILINE)  # 1.5 2  # keys
_WORDS_END = frozenset("])}>:=：＝。.*`")
_ENDS = (":", "：", "=", "＝", "→", ":**", "：**")
_LABEL = re.compile(
    r"(?=[^\n]*?[^\W\d_])([^\n\t:：=＝]*(?:[:=→]\**(?= )|[：＝]\**)|[^\d\n\t]*?(?= )) *(?=[-+−－.]?[.\d])"
)  # no blank stands behind a colon that is as wide as a letter
_GLUED = re.compile(r"^([ \t]*[^\W\d][^\n\t:=→]*[:=→])([-+−－.\d][^\n]*)$", re.MULTILINE)  # t0:1 2
_NUMBERS = re.compile(r"[\s.,;+-]*\d[\s\d.,;eE+-]*")
_PUNCTUATED = re.compile(r"[:：，。！？(（]")
_RULE = re.compile(r"\s*[-=_~]{3,}(?:\s+[-=_~]{3,})*\s*")
_PIPED_RULE = re.compile(r"(?=.*\|)[ \t|:+-]*-{3,}[ \t|:+-]*")  # of a table in Markdown
_ROW, _WORD, _EMPTY = "row", "word", "empty"


class TextBlock(NamedTuple):
    """A table in a text, whose lines keep their numbers; `words` are those above it."""

    words: str
    text: str


def without_prompts(text: str) -> str:
    """Return the text without prompts of outputs, and marks of comments or quotes that begin all lines."""
    lines = [line for line in text.split("\n", SAMPLE)[:SAMPLE] if line.strip()]
    starts = {found[0].strip() if (found := _QUOTED_LINE.match(line)) else "" for line in lines}
    if len(lines) > 1 and len(starts) == 1 and "" not in starts:
        text = uncommented(text)
    return _PROMPT.sub(lambda prompt: " " * len(prompt[0]), text) if "Out" in text else text


def uncommented(text: str) -> str:
    """Return the text with its comments as ordinary lines."""
    return "\n".join(_QUOTED_LINE.sub("", line, count=1) for line in text.split("\n"))


def without_comments(text: str) -> tuple[str, str]:
    """Return a plain table without comments behind its rows, and these comments."""
    return _COMMENT.sub("", text), " ".join(comment.strip() for comment in _COMMENT.findall(text))


def blocks_of(text: str) -> tuple[list[TextBlock], str]:
    """Return the tables of a text, separated by lines of words or empty lines, and the words below the last one.

    Single rows with empty lines between them are one table; so is a column, in which an empty line is a gap.
    """
    lines = text.split("\n")
    kinds: list[str] = []
    piped = any(map(_PIPED_RULE.fullmatch, lines))
    for place, line in enumerate(lines):
        if piped and line.strip() and "|" not in line:
            kinds.append(_WORD)
        elif _NUMBERS.fullmatch(line):
            kinds.append(_ROW)
        elif _RULE.fullmatch(line) and _heads(lines[:place], kinds):
            lines[place] = ""
            kinds.append(_ROW)
        else:
            kinds.append(_kind(place, lines))
    if _ROW not in kinds:
        return [TextBlock("", text)], ""
    runs = itertools.groupby(range(len(kinds)), kinds.__getitem__)
    rows = [list(places) for kind, places in runs if kind == _ROW]
    words = _WORD in kinds[rows[0][0] : rows[-1][-1]]
    cells = re.split(r"[\t,;|]|(?<=\S) +(?=\S)", lines[rows[0][-1]].strip())
    if not words and (max(map(len, rows)) == 1 or len(cells) == 1):
        rows = [list(range(rows[0][0], rows[-1][-1] + 1))]
    elif not words and len(rows[0]) == 1 and not any(map(is_number, _fields(lines[rows[0][0]]))):
        rows = [[*rows[0], *range(rows[0][0] + 1, rows[1][-1] + 1)], *rows[2:]]  # headings above an empty line
    blocks, last = [], 0
    for places in rows:
        words_above = _words_in(lines[last : places[0]], kinds[last : places[0]])
        last = places[-1] + 1
        blocks.append(TextBlock(words_above, "\n" * places[0] + "\n".join(lines[places[0] : last])))
    return blocks, _words_in(lines[last:], kinds[last:])


def _heads(lines: Sequence[str], kinds: Sequence[str]) -> bool:
    """Return whether the last line that is not empty holds the headings of a table."""
    above = next((place for place in range(len(lines) - 1, -1, -1) if kinds[place] != _EMPTY), None)
    return above is not None and kinds[above] == _ROW and not any(map(is_number, lines[above].split()))


def _words_in(lines: Sequence[str], kinds: Sequence[str]) -> str:
    said = [line for line, kind in zip(lines, kinds, strict=True) if kind == _WORD and not _FENCE.match(line)]
    said = [line for line in said if any(map(str.isalnum, line))]
    return " ".join(" ".join(line.split()) for line in said)


def _kind(place: int, lines: Sequence[str]) -> str:
    """Return the kind of a line: row or headings of a table, empty, or words (sentences, labels, code)."""
    line = lines[place]
    if not line.strip():
        return _EMPTY
    if "|" in line or "│" in line:
        return _ROW
    labeled = "\t" in line.strip() and is_number(line.split()[-1])  # a row of a table whose label is such as "$ A"
    signs = (sign for sign in LINES_OF_WORDS.values() if not (labeled and sign is _ASKED))
    if any(sign.match(line) for sign in signs) or _RULE.fullmatch(line):
        return _WORD
    if len(line) > LONGEST_WORDS or not any(map(str.isalpha, line)):
        return _ROW
    last = line.replace(",", " ").split()[-1]
    if last[-1] in _WORDS_END and last != "*" and "\t" not in line and not is_number(last):
        return _WORD
    below = [other for other in lines[place + 1 : place + 4] if other.strip() and not _RULE.fullmatch(other)]
    return _WORD if below and is_title(line, below) and not is_counted(below) else _ROW


def _fields(line: str) -> list[str]:
    """Return the cells of a line, split at the first delimiter that it has."""
    mark = next((mark for mark in DELIMITERS[:-1] if mark in line.strip()), None)
    return [cell.strip() for cell in line.strip().split(mark) if cell.strip()]


def is_title(line: str, below: Sequence[str]) -> bool:
    """Return whether a line is a title above rows of several numbers: neither headings, nor a row with a label."""
    row = _fields(below[0])
    if len(row) < 2 or not is_number(row[0]) or sort_of(line) is not CellSort.WORD:
        return False
    mark = next((mark for mark in DELIMITERS[:-1] if mark in below[0].strip()), None)
    cells = [cell for cell in line.split(mark) if cell.strip()]
    if mark is not None or len(cells) == 1:
        return len(cells) == 1
    sentence = len(cells) > len(row) or _PUNCTUATED.search(line) is not None
    return sentence and _numbers_at_end(line) < len(row)


def _numbers_at_end(line: str) -> int:
    """Return how many numbers are at the end of a line."""
    cells = re.split(r"[\s,;:=：＝]+", line.strip())
    return len(list(itertools.takewhile(is_number, reversed(cells))))


def is_counted(below: Sequence[str]) -> bool:
    """Return whether rows of two numbers may be one column with a count, as pandas and R print it."""
    rows = [_fields(line) for line in below]
    return len(rows[0]) == 2 and is_count([row[0] for row in rows if row], int(rows[0][0] == "1"))


def unglued(text: str) -> str:
    """Return the text with a blank between a label's colon and a number right behind it, where the rest of the line is
    numbers: t0: 1 2 for t0:1 2. The colon may also belong to a name such as head:1."""
    return _GLUED.sub(_parted, text) if any(sign in text for sign in ":=→") else text


def _parted(line: re.Match[str]) -> str:
    cells = re.split(r"[\s,;]+", line[2].rstrip(" \t,;"))
    alone = len(cells) == 1 and "\n" not in line.string.strip()  # localhost:8080
    numbers = not alone and all(map(is_number, cells)) and sort_of(line[1] + cells[0]) is not CellSort.BROKEN
    return f"{line[1]} {line[2]}" if numbers else line[0]


def label_of(text: str) -> tuple[str, str, bool]:
    """Return the words before the first row of a table on its line, the table, and whether the line may be a heading.

    The line may be the heading of a column, or a row with its label. There are no words where other rows have some.
    """
    first, *below = [line for line in text.split("\n", SAMPLE)[:SAMPLE] if line.strip()] or [""]
    label = _LABEL.match(first[:LONGEST_WORDS])
    rest = re.split(r"[\s,;]+", first[label.end() :].strip()) if label else []
    if label is None or not all(map(is_number, rest)) or any(_LABEL.match(line[:LONGEST_WORDS]) for line in below):
        return "", text, False
    if sort_of(label[0]) is not CellSort.WORD or any(map(is_number, label[0].split())):
        return "", text, False
    said = label[0].rstrip().endswith(_ENDS)
    if below and len(rest) != len(_fields(below[0])):
        return "", text, False
    if not said and (len(rest) == 1 and rest[0].isdigit() if below else "\t" not in first):
        return "", text, False  # head 0: the number belongs to the name; or the name has a cell of its own
    place = text.index(first)
    doubtful = len(rest) == 1 if below else not said
    return label[0].strip(), text[:place] + text[place + label.end() :], doubtful


def named_rows(text: str) -> tuple[tuple[str, ...], str] | None:
    """Return the names before the rows of a plain table, each with a colon, and the table without them."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:
        return None
    names, rows = [], []
    for line in lines:
        label = _LABEL.match(line[:LONGEST_WORDS])
        if label is None or not label[1].endswith(_ENDS):
            return None
        names.append(label[1].strip(" :：=＝→*"))
        rows.append(line[label.end() :])
    return tuple(names), "\n".join(rows)


# --- prints of R and MATLAB ----------------------------------------------------------------------
_R_ROW = re.compile(r"^\s*\[\d+,\]")  # [1,] 0.5 0.5
_R_VECTOR = re.compile(r"(?:^[ \t]*\[\d+\][ \t].*(?:\n|$))+", re.MULTILINE)  # [1] 0.1 0.2, with [3] below
_COLUMNS = r"(?:\[,\d+\][ \t]*)+|Columns? \d+(?: (?:through|and|to) \d+)?:?[ \t]*"  # [,1] [,2]; Columns 1 through 2
_PARTED = re.compile(rf"^[ \t]*(?:{_COLUMNS})$\n?", re.MULTILINE)
_FACTOR = re.compile(r"^[ \t]*1\.0+e([+-]\d+)[ \t]*\*[ \t]*$", re.MULTILINE)  # 1.0e+03 * above a matrix
_POWER = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))(?:e([-+]?\d+))?|[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_BETWEEN_CELLS = re.compile(r"[\s,;|:=]+")


def unprinted(text: str) -> str:
    """Return a text without what R prints around a table, with its parts side by side, times MATLAB's factor
    above it. Raises FormatError for a factor that cannot be multiplied into the rows below it."""
    if _FACTOR.search(text):
        text = "\n".join(_multiplied(text.split("\n")))
    if parted := _PARTED.search(text):
        parts = [part.split("\n") for part in _PARTED.split(text[parted.start() :]) if part.strip()]
        parts = [[_R_ROW.sub("", line) for line in lines if line.strip()] for lines in parts]
        if len(set(map(len, parts))) == 1:
            return text[: parted.start()] + "\n".join(map(" ".join, zip(*parts, strict=True)))
    return _R_VECTOR.sub(_one_row, text) if _R_VECTOR.match(text) else text


def _multiplied(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with each factor multiplied into the block of rows below it, and in its own place nothing.

    Raises FormatError where no row is below it, where one cannot be multiplied, and where an empty line before a row
    leaves open whether it is of the same block.
    """
    factor, begun, inside, gap = None, False, False, False
    for line in lines:
        found = _FACTOR.fullmatch(line)
        if found and (factor is None or begun):
            factor, begun, inside, gap, line = found, False, False, False, ""
        elif factor is None or not line.strip():
            gap = inside
        elif _PARTED.fullmatch(line):
            inside = gap = False
        elif (row := _times(line, int(factor[1]))) is not None and not gap:
            line, begun, inside = row, True, True
        elif row is None and begun and (gap or not any(map(is_number, _BETWEEN_CELLS.split(line)))):
            factor = None
        else:
            raise FormatError(BESIDE, text=quoted(factor[0], NAMED))
        yield line
    if factor is not None and not begun:
        raise FormatError(BESIDE, text=quoted(factor[0], NAMED))


def _times(row: str, exponent: int) -> str | None:
    """Return a row of numbers times a power of ten; None for any other line."""
    cells = [_POWER.fullmatch(normalized(cell)) for cell in row.split()]
    if None in cells:
        return None
    found = iter(filter(None, cells))
    return re.sub(r"\S+", lambda _cell: _shifted(next(found), exponent), row)


def _shifted(cell: re.Match[str], exponent: int) -> str:
    """Return a number times a power of ten; nan and inf as they are."""
    return f"{cell[1]}e{int(cell[2] or 0) + exponent}" if cell[1] else cell[0]


def _one_row(vector: re.Match[str]) -> str:
    """Return the numbers that R prints after running counts, as one row; the same text where they do not fit."""
    rows = [line.split() for line in vector[0].strip().split("\n")]
    counts = itertools.accumulate((len(row) - 1 for row in rows), initial=1)
    fits = all(row[0] == f"[{count}]" for row, count in zip(rows, counts, strict=False))
    return " ".join(" ".join(row[1:]) for row in rows) if fits else vector[0]
