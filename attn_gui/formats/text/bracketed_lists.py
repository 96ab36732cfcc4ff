"""Matrices in brackets, wherever in a text they stand: lists of languages, prints of libraries and notebooks.

The text is cut into nested groups once. Groups that are lists of numbers are the matrices; a constructor around one,
its keywords, methods that keep the numbers, comments and words are left out; whatever may change the numbers (a factor,
a transpose, an unknown function) is refused by its own name. Imports the stdlib only.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attn_gui.formats.file_sentences import FormatError, quoted, shape_text
from attn_gui.formats.text.headings import CellSort, is_number, is_switch, sort_of
from attn_gui.languages import QT_TRANSLATE_NOOP

Nested = list["str | Nested"]
Rows = list[list[str]]
LOOKED_AT = 20_000  # letters of a long text in which its first list begins, or it has none
LARGE = 1_000_000  # letters of a long text
MOST_DEEP = 50  # brackets within each other
MOST = 64  # matrices of one text that are offered
NEAR = 200  # letters beside a matrix that are looked at
NAMED = 40  # letters of what a sentence names

NO_MATCH = QT_TRANSLATE_NOOP("Sentences", "{file}: the brackets do not match; expected as many closed as opened.")
GAP = QT_TRANSLATE_NOOP("Sentences", "{file}: a number is missing beside a comma.")
SHORTENED = QT_TRANSLATE_NOOP(
    "Sentences", "{file} is a print shortened with “...”; expected all numbers: print the whole matrix and copy that."
)
BESIDE = QT_TRANSLATE_NOOP(
    "Sentences", "{file}: “{text}” stands beside the matrix and may change it; expected the matrix alone."
)
TOO_DEEP = QT_TRANSLATE_NOOP("Sentences", "{file} has more than {most} brackets within each other.")
TOO_MANY = QT_TRANSLATE_NOOP("Sentences", "{file} holds more than {most} matrices; expected one.")
OTHER_SHAPE = QT_TRANSLATE_NOOP("Sentences", "{file} says the shape {said} of a list that has the shape {got}.")

_FOLDED = str.maketrans("［］（）｛｝，；：＝、＃", "[](){},;:=,#")
_OPEN, _CLOSE = "[({", {"]": "[", ")": "(", "}": "{"}
_TOKEN = re.compile(
    r"""(?<![\w"'])(?:"[^"\n]*"|'[^'\n]*')(?=[\s\])},:;=]|$):?"""  # a text, or a key
    r"|(?:(?<=[\s\[(,;{])|(?<![\s\S]))(?:#|//|%(?=\s))[^\n]*"  # a comment
    r"|(?<=[;\])}])[ \t]*[#%][^\n]*|\(\*[^*]{0,400}\*\)"
    r"|[^\s\[\](){};,\"']*[\[({]|[\])};]|[^\s\[\](){};,]+",
    re.DOTALL,
)
_KEY = re.compile(r"([\"']?)(.*?)\1\s*(?::|=|=>)")
_WORD = re.compile(r"(?:(?P<key>.*[=:])\s*)?(?P<word>[A-Za-z_][\w.]*(?:<[^<>]*>)?!?)?", re.DOTALL)
_CONSTRUCTORS = frozenset(
    (
        *("array", "ndarray", "devicearray", "asarray", "matrix", "to_tensor", "as_tensor", "from_numpy", "constant"),
        *(
            "variable",
            "parameter",
            "masked_array",
            "dataframe",
            "list",
            "tuple",
            "vec",
            "c",
            "print",
            "display",
            "disp",
        ),
        *("matrixform", "n", "any", "float64", "float32", "float16", "int64", "int32"),
    )
)
_CONTAINERS = frozenset(("dict", "print", "display", "savez", "list", "tuple"))
_SHAPES = frozenset(("shape", "size", "dim", "dims", "ndim"))
_HOLDERS = frozenset(("numpy", "value", "values", "data", "object", "initial_value", "array"))
_RESHAPING = frozenset(("nrow", "ncol", "byrow"))  # of R's matrix
_TYPE = re.compile(r"(?:[\w.]*\.)?(?:b?float|u?int|double|half|long|bool|single|real)\w*")
_KEPT = re.compile(
    r"\s*(?:\.(?:cuda|cpu|float|double|detach|clone|contiguous|numpy|tolist|requires_grad_|copy|block_until_ready)\(\)"
    r"|\.(?:data|to\((?!.*(?:int|bool|long|half|16))[^()\n]*\)|cuda\(\d+\)|requires_grad_\(\w+\)"
    r"|astype\([^()\n]*float(?:32|64)?[\"']?\)|type\(torch\.(?:float|double)\w*\)))+"
)
_OPERATORS = frozenset("*/@^+-−–×·÷√∘⊙⊗%⋅")
_COMMENT = re.compile(r"\s*(?:#|(?://|%)\s*[^\W\d])")
_RULE = re.compile(r"[-=*_+~#]{3,}")
_BOLD = re.compile(r"(?:^|\s)(?:\*\*|__|\*|`+)[^*_`\n]+?(?:\*\*|__|\*|`+)[:：]?$|(?:^|\n)\s*[-*+]$")
_WRAPPED = re.compile(r"\b(?:(?:np|numpy)\.\w+|tensor)\(([^()\[\],]*)\)")
_ASKED = re.compile(r"^[ \t]*In ?\[\d*\]:=?", re.MULTILINE)
_SIGN_APART = re.compile(r"(?<=[\[{,])(\s*[-−])[ \t]+(?=[\d.])")
_BETWEEN, _BRACKETED = re.compile(r"[\s,;]+"), re.compile(r"[\[(].*?[\])]")
_SCALARS = ("np.", "numpy.", "tensor(")
_SHORTENED = re.compile(r"(?:^|[\s,\[{])(?:\.\.\.|…)(?=$|[\s,\]}])")
_PRECISION, _SUFFIX = re.compile(r"`[\d.]*"), re.compile(r"(?<=[\d.])[fFlL](?=\s*[,}])")
_ACCOUNTED = re.compile(r"(?:^|(?<=[\t\n;,])) *\( *[\d.]+ *\) *(?=[\t\n;,]|$)")
_ACCOUNTED_COMMA = re.compile(r"(?:^|(?<=[\t\n])) *\( *[-+−\d.,]+ *\) *(?=[\t\n]|$)")
_BRACKETS = frozenset("()[]{}")
_NOTHING_SAID = re.compile(
    r"[\s\W_]*|(?:[\s>.,;)]*(?:(?:const|let|var|auto|return)\s+)?(?:[A-Za-z_][A-Za-z0-9_.]*\s*:?=\s*)*[\s.,;>)]*"
    r"|\s*Parameter containing:\s*|\s*<tf\.Tensor: shape=\([\d, ]*\), dtype=\w+, numpy=\s*>?)"
)


class BracketGroup(list["str | BracketGroup"]):
    """What stands between two brackets, with the word before them."""

    def __init__(self, word: str, bracket: str, start: int) -> None:
        super().__init__()
        self.word, self.bracket = word, bracket
        self.opened, self.end = start + len(word), -1  # its brackets
        self.start = start + max(word.rfind("="), word.rfind(":")) + 1  # its word, without a key before it
        self.broken = False  # closed by a bracket of another kind, or not at all


class FoundList(NamedTuple):
    """A list of numbers."""

    name: str  # that stands before it
    value: Nested
    group: BracketGroup


class NamedRows(NamedTuple):
    """A matrix: the ways to read its rows, the names of these, and the name of all of it."""

    name: str
    readings: list[Rows]
    labels: tuple[str, ...] | None = None


class FoundLists(NamedTuple):
    """The matrices of a text, and what stands around them."""

    matrices: list[NamedRows]
    left_out: str


def unwrapped(text: str) -> str:
    """Return the text with the numbers that libraries print in their own type, such as np.float64(1.5), alone."""
    return _WRAPPED.sub(r"\1", text) if "(" in text and any(name in text for name in _SCALARS) else text


def find_lists(text: str) -> FoundLists | None:
    """Return the matrices in brackets that a text holds; None where its numbers are in no brackets.

    Raises FormatError for brackets that do not match, prints that leave numbers out, and what may change a matrix.
    """
    if not may_hold(text):
        return None
    if "{" in text:
        text = _SUFFIX.sub("", _PRECISION.sub("", text) if "`" in text and "```" not in text else text)
        text = text.replace("*^", "e")
    written = _SIGN_APART.sub(r"\1", text) if "- " in text or "− " in text else text
    text = _ASKED.sub(lambda prompt: " " * len(prompt[0]), _folded(written))
    root, comments, stray = _grouped(text)
    found = _search(root, text)
    matrices = [one for one in found if _depth(one.value) > 1]
    matrices = matrices or [one for one in found if _counts(one, text)]
    beside = next(filter(_is_row, _around(text, matrices).split("\n")), None) if matrices else None
    if beside and all(not one.group.word and len(one.value) == _depth(one.value) == 1 for one in matrices):
        return None
    if not matrices:
        if any(group.broken for group in _groups(root)) and _is_begun(text):
            raise FormatError(NO_MATCH)
        return None
    for one in matrices:
        _check(one, text)
    if beside:
        raise FormatError(BESIDE, text=quoted(beside, NAMED))
    if stray or any(_holds(group, matrices) for group in _groups(root) if group.broken):
        raise FormatError(NO_MATCH)
    shapes = {_shape(one.value) for one in matrices}
    if _depth(matrices[0].value) > 1:
        matrices += [one for one in found if _depth(one.value) == 1 and _is_vector(one, text, shapes)]
        matrices.sort(key=lambda one: one.group.start)
    left_out = _left_out(written, matrices, comments)
    if rows := _as_rows(matrices, text, left_out):
        return rows
    listed = list(itertools.islice((listed for one in matrices for listed in _listed(one, text)), MOST + 1))
    if len(listed) > MOST:
        raise FormatError(TOO_MANY, most=MOST)
    return FoundLists(listed, _without(left_out, [one.name for one in listed]) if len(listed) > 1 else left_out)


def may_hold(text: str) -> bool:
    """Return whether a text may hold a list, as its brackets and, of a long one, its beginning tell."""
    text = _folded(text)
    return not _BRACKETS.isdisjoint(text) and not _is_accounted(text) and (len(text) <= LARGE or _may_begin(text))


def _folded(text: str) -> str:
    """Return the text with brackets and the marks beside them in ASCII, each in its place."""
    return text if text.isascii() else text.translate(_FOLDED)


def refuse_shortened(text: str) -> None:
    """Raise FormatError where a print leaves numbers out."""
    if _SHORTENED.search(text):
        raise FormatError(SHORTENED)


def _is_accounted(text: str) -> bool:
    """Return whether all brackets are around one number each that is a whole cell: the negative ones of accounts.

    A comma in one is a decimal comma, or one between thousands, only where no commas stand between the cells.
    """
    if "(" not in text:
        return False
    rest = (_ACCOUNTED_COMMA if "\t" in text else _ACCOUNTED).sub("", text)
    return rest != text and _BRACKETS.isdisjoint(rest)


def _may_begin(text: str) -> bool:
    """Return whether a long text has a list at its beginning: a number behind a bracket, and another or the end behind
    it."""
    return re.search(r"[\[({]\s*[-+−]?[\d.]+\s*(?:[,;\s]\s*[-+−\d.]|\])", text[:LOOKED_AT]) is not None


def _is_begun(text: str) -> bool:
    return re.match(r"\s*(?:[\w.]+\s*[=(]\s*)*[\[{(]\s*[\[{(\d+.−-]", text) is not None


# --- groups --------------------------------------------------------------------------------------
def _grouped(text: str) -> tuple[BracketGroup, list[tuple[int, int]], bool]:
    """Return the text as groups within groups, the places of comments, and whether a bracket is closed that was not
    opened."""
    root = BracketGroup("", "", 0)
    root.end = len(text)
    stack, comments, stray = [root], [], False
    for token in _TOKEN.finditer(text):
        word = token[0]
        last = word[-1]
        if last in _OPEN and word[0] not in "\"'#%":
            group = BracketGroup(word[:-1], last, token.start())
            stack[-1].append(group)
            stack.append(group)
            if len(stack) > MOST_DEEP:
                raise FormatError(TOO_DEEP, most=MOST_DEEP)
        elif word in _CLOSE:
            if len(stack) == 1:
                stray = stray or word != ")"
                continue
            closed = stack.pop()
            closed.end = token.end()
            closed.broken = closed.bracket != _CLOSE[word]
        elif word[0] in "#%(" or (word[0] == "/" and word[:2] == "//") or word.lstrip()[:1] in ("#", "%"):
            comments.append(token.span())
        else:
            stack[-1].append(word)
    for group in stack[1:]:
        group.end = len(text)
        group.broken = group.bracket != "(" or not group.word
    return root, comments, stray


def _groups(group: BracketGroup) -> Iterator[BracketGroup]:
    for item in group:
        if isinstance(item, BracketGroup):
            yield item
            if any(isinstance(inner, BracketGroup) for inner in item):
                yield from _groups(item)


def _holds(group: BracketGroup, matrices: Sequence[FoundList]) -> bool:
    return any(group.start <= one.group.start and one.group.end <= group.end for one in matrices)


def _named(group: BracketGroup) -> tuple[str, str, bool]:
    """Return the key and the word before a bracket, and whether there is nothing else."""
    found = _WORD.fullmatch(group.word)
    if found is None:
        return "", group.word, False
    return (found["key"] or "").rstrip("=:").strip("\"' "), found["word"] or "", True


def _is_constructor(word: str) -> bool:
    name = word.rstrip("!").rpartition(".")[2].lower()
    return not word or name in _CONSTRUCTORS or name.endswith("tensor")


def _search(group: BracketGroup, text: str, name: str = "") -> list[FoundList]:
    """Return every list of numbers in a group that is none itself. Raises FormatError for what may change one."""
    found: list[FoundList] = []
    key = ""
    for item in group:
        if isinstance(item, str):
            named = _KEY.fullmatch(item)
            key = named[2] if named else ""
            continue
        own, word, plain = _named(item)
        own, key = own or key or (name if group.bracket == "(" else ""), ""
        if own.lower() in _SHAPES or word.rpartition(".")[2].lower() in _SHAPES:
            continue
        value = _value(item)
        if isinstance(value, list) and _is_numbers(value):
            found.append(FoundList(own, value, item))
            continue
        inside = _search(item, text, own)
        if inside and word and not (plain and word.rpartition(".")[2].lower() in _CONTAINERS):
            raise FormatError(BESIDE, text=quoted(item.word + item.bracket, NAMED))
        if inside and item.bracket == "(" and (between := _operators(item)):
            raise FormatError(BESIDE, text=quoted(between, NAMED))
        found += inside
    return found


def _operators(group: BracketGroup) -> str:
    """Return the first word in a group that counts with what is beside it."""
    words = (item for item in group if isinstance(item, str))
    return next((word for word in words if word[0] in _OPERATORS or word[0] == "."), "")


def _value(group: BracketGroup) -> Nested | str | None:
    """Return the list, or the one number, that a group is; None of anything else."""
    _, word, plain = _named(group)
    if not plain or not _is_constructor(word):
        return None
    call, key, said = bool(word) and group.bracket == "(", "", None
    items: Nested = []
    for item in group:
        if isinstance(item, str):
            named = _KEY.fullmatch(item) if item[-1] in "=:" else None
            if not call and named is not None:
                return None
            if named is not None:
                key = named[2]
                if key in _RESHAPING:
                    return None
            elif call and item.partition("=")[0] in _RESHAPING:
                return None
            elif call and (key or ("=" in item and item != "=")):
                key = ""
            elif call and items and _TYPE.fullmatch(item):
                continue
            else:
                items.append(item.strip("\"'"))
            continue
        own, key = _named(item)[0] or key, ""
        if own and not call:
            return None
        if own in _SHAPES and call:
            said = tuple(cell for cell in item if isinstance(cell, str))
            continue
        if own and own not in _HOLDERS:
            continue
        inner = _value(item)
        if inner is None:
            if any(isinstance(part, BracketGroup) for part in item):
                return None
            inner = f"{item.word}{item.bracket}…"
        items.append(inner)
    return _unwrapped(group, word, items, said)


def _unwrapped(group: BracketGroup, word: str, items: Nested, said: tuple[str, ...] | None) -> Nested | str | None:
    """Return the one value of a constructor or of parentheses, else the list of all."""
    lists = [item for item in items if isinstance(item, list)]
    if said is not None and lists and (got := _shape(lists[0])) != tuple(map(_whole, said)):
        raise FormatError(OTHER_SHAPE, said=" × ".join(said), got=shape_text(got))
    if word and group.bracket == "(":
        if len(items) == 1:
            return items[0]
        return items if word == "c" and not lists else None
    if lists and len(items) == 1 and (word or group.bracket == "("):
        return lists[0]
    return None if group.broken and not lists else items


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else -1


# --- lists ---------------------------------------------------------------------------------------
def _depth(value: Nested) -> int:
    depth, level = 1, value
    while (inner := next((item for item in level if isinstance(item, list)), None)) is not None:
        depth, level = depth + 1, inner
    return depth + (depth == 1 and ";" in value)


def _shape(value: Nested) -> tuple[int, ...]:
    shape, level = [len(value)], value
    while level and isinstance(level[0], list):
        level = level[0]
        shape.append(len(level))
    return tuple(shape)


def _cells(value: Nested) -> Iterator[str]:
    for item in value:
        if isinstance(item, list):
            yield from _cells(item)
        elif item != ";":
            yield item


def _is_numbers(value: Nested) -> bool:
    """Return whether half of the first cells of a list are numbers, or are meant for one, so that a typing error is
    named."""
    cells = list(itertools.islice(_cells(value), 64))
    return 0 < len(cells) <= 2 * sum(map(_is_value, cells))


def _is_value(cell: str) -> bool:
    return cell in ("...", "…") or is_switch(cell) or sort_of(cell) is CellSort.NUMBER


def _before(text: str, start: int) -> str:
    """Return what stands near before a place."""
    return text[max(0, start - NEAR) : start]


def _around(text: str, matrices: Sequence[FoundList]) -> str:
    """Return the text without the matrices."""
    place, parts = 0, []
    for one in matrices:
        parts.append(text[place : one.group.start])
        place = max(place, one.group.end)
    return "".join([*parts, text[place:]])


def _is_row(line: str) -> bool:
    """Return whether a line is numbers in no brackets."""
    cells = re.split(r"[\s,;]+", line.strip()) if _BRACKETS.isdisjoint(line) else []
    return any(cells) and all(map(is_number, filter(None, cells)))


def _counts(one: FoundList, text: str) -> bool:
    """Return whether a row is meant for one: it is no number in parentheses, and no numbers stand beside it in its
    line."""
    cells, body = list(_cells(one.value)), text[one.group.start : one.group.end]
    if (one.group.bracket == "(" and len(cells) < 2) or re.match(r"\[\s*,", body):  # R counts columns as [,1]
        return False
    if not all(map(_is_value, cells)) and "," not in body:
        return False
    behind = text[one.group.end : one.group.end + NEAR].partition("\n")[0]
    before = _before(text, one.group.start).rpartition("\n")[2]
    if re.match(r"\s*(?:[*/@^×·÷]|[-+−] )", behind) or re.search(r"[*/@^×·÷]\s*$", before):
        return True
    fields = _BETWEEN.split(_BRACKETED.sub(" ", behind).strip())[:3]
    if not any(map(str.isalpha, before)):
        fields += _BETWEEN.split(_BRACKETED.sub(" ", before).strip())[-3:]
    return not any(map(is_number, fields))


def _is_vector(one: FoundList, text: str, shapes: set[tuple[int, ...]]) -> bool:
    """Return whether a row beside a matrix is another one: it is given a name or a line, and is not a shape."""
    whole = tuple(map(_whole, _cells(one.value)))
    if whole in shapes or any(tuple(s for s in shape if s != 1) == whole for shape in shapes):
        return False
    before = _before(text, one.group.start).rstrip(" \t")
    return before[-1:] in ("=", "\n", "") or (before[-1:] == ":" and -1 in whole)


def _check(one: FoundList, text: str) -> None:
    """Raise FormatError for what is wrong within a matrix, or stands beside it and counts with it."""
    start, end = one.group.start, one.group.end
    if "..." in text or "…" in text:
        refuse_shortened(text[start:end])
    if re.search(r"[\[,]\s*,", text[start:end]):
        raise FormatError(GAP)
    near = _before(text, start)
    before = near.rstrip()
    line = before.rpartition("\n")[2]
    same = "\n" not in near[len(before) :]
    ends = before[-1:] in _OPERATORS and not _RULE.fullmatch(line.strip()) and not _BOLD.search(before[-200:])
    number = same and not any(map(str.isalpha, line)) and any(map(str.isdigit, line)) and line[-1:] not in ":=)],;|>"
    if ends or number:
        raise FormatError(BESIDE, text=quoted(line[-NAMED:], NAMED))
    kept = _KEPT.match(text, end)
    end = kept.end() if kept else end
    rest = text[end : end + 2 * NAMED]
    near, far = rest[:1], rest.lstrip(" \t")[:1]
    touching = near and (near in "'ᵀ²[(^’" or (near.isascii() and near.isalnum())) and before[-1:] not in ("'", "‘")
    attribute = near == "." and rest[1:2].isalpha()
    counts = far in _OPERATORS and not rest.lstrip(" \t").startswith(("**", "--")) and not _COMMENT.match(rest)
    if touching or attribute or counts or rest.lstrip(" \t").startswith(("==", "!=")):
        raise FormatError(BESIDE, text=quoted(rest.partition("\n")[0], NAMED))


# --- rows ----------------------------------------------------------------------------------------
def _listed(one: FoundList, text: str) -> Iterator[NamedRows]:
    """Yield the matrices of a list, which has several where it is nested deeper than one has rows."""
    name = one.name or name_before(text, one.group.start)
    value = one.value
    while len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if any(isinstance(item, list) and any(isinstance(inner, list) for inner in item) for item in value):
        for place, item in enumerate(value):
            inner = FoundList(f"{name}[{place}]", item if isinstance(item, list) else [item], one.group)
            yield from _listed(inner, text)
        return
    readings = [_rows_of(value)]
    body = text[one.group.opened : one.group.end]
    if "\n" in body and _depth(value) == 1 and len(value) > 1:
        rows = _rows_of(
            _value(next(item for item in _grouped(_cut_at_lines(body))[0] if isinstance(item, BracketGroup))) or []
        )
        readings += [rows] if len(rows) > 1 and len({len(cells) for cells in rows}) == 1 else []
    yield NamedRows(name, readings)


def _cut_at_lines(body: str) -> str:
    """Return a list with a semicolon for every line end, but beside a comma, where Python goes on."""
    body = body[body.rfind("[") if "[" in body else 0 :] if body.count("[") == 1 else body
    lines = [line.strip() for line in body.split("\n")]
    ends = [
        " " if ahead.endswith(",") or behind.startswith(",") else ";" for ahead, behind in itertools.pairwise(lines)
    ]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _rows_of(value: Nested | str) -> Rows:
    if isinstance(value, str):
        return [[value]]
    rows: Rows = [[]]
    if not any(isinstance(item, list) for item in value):
        for item in value:
            if item == ";":
                rows.append([])
            elif isinstance(item, str):
                rows[-1].append(item)
        return [row for row in rows if row] if len(rows) > 1 else rows
    return [[cell for cell in item if isinstance(cell, str)] if isinstance(item, list) else [item] for item in value]


def name_before(text: str, start: int) -> str:
    """Return what stands before a matrix in its line, or in the line above where that ends as labels do."""
    before = _before(text, start)
    line = before.rpartition("\n")[2]
    if not line.strip():
        above = before.rstrip().rpartition("\n")[2].rstrip()
        line = above if above.endswith((":", "=")) else ""
    name = re.split(r"[\])};,]", line)[-1]
    return re.sub(r"^(?:const|let|var)\s+|[\s:=<>(]+$|^[\s#>*`.-]+|[*`\"']", "", name).strip()


def _as_rows(found: Sequence[FoundList], text: str, left_out: str) -> FoundLists | None:
    """Return lists of numbers one below the other as the rows of one matrix; None where they are something else."""
    if len(found) < 2 or any(_depth(one.value) > 1 for one in found):
        return None
    between = [text[one.group.end : other.group.start] for one, other in itertools.pairwise(found)]
    names = tuple(one.name or name_before(text, one.group.start) for one in found)
    rows = [list(_cells(one.value)) for one in found]
    if not any(names):
        return FoundLists([NamedRows("", [rows])], left_out)
    inside = any(one.name for one in found) and "=" not in "".join(between)
    if not all(names) or not (inside or all("\n" in part for part in between)) or len(set(map(len, rows))) > 1:
        return None
    apart = any("=" in part for part in between) or {name.lower() for name in names} <= _PARTS
    together = NamedRows(", ".join(names), [rows], names)
    if not apart:
        return FoundLists([together], _without(left_out, names, "[:：=＝]?"))
    singly = [NamedRows(name, [[row]]) for name, row in zip(names, rows, strict=True)] if len(names) <= MOST else []
    return FoundLists([together, *singly], _without(left_out, names, "[:：=＝]?"))


_PARTS = frozenset(("q", "k", "v", "query", "key", "value", "queries", "keys", "values"))


def _without(left_out: str, names: Sequence[str], sign: str = "[:：=＝]") -> str:
    """Return what was left out but for names, which have a note of their own; each ends with `sign`."""
    for name in filter(None, names[:MOST]):
        left_out = re.sub(rf"{re.escape(name)}\s*{sign}\s*", "", left_out, count=1)
    return left_out if any(map(str.isalnum, left_out)) else ""


def _left_out(text: str, matrices: Sequence[FoundList], comments: Sequence[tuple[int, int]]) -> str:
    """Return the words around the matrices, and the comments in them."""
    parts, place = [], 0
    groups = {one.group.start: one.group for one in matrices}
    for group in groups.values():
        parts.append(text[place : group.start])
        parts += [text[low:high] for low, high in comments if group.start <= low < group.end]
        kept = _KEPT.match(text, group.end)
        place = kept.end() if kept else group.end
    parts.append(text[place:])
    return " ".join(" ".join(part.split()) for part in parts if not _NOTHING_SAID.fullmatch(part)).strip()
