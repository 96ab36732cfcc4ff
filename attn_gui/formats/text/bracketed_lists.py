"""Matrices in brackets (Python, np.int64(3), tensor, DataFrame, [1 2; 3 4]), what beside them is refused.

The text is cut into nested groups once (`_grouped`). Groups that are lists of numbers are the matrices (`_search`):

    Q = np.array([[1.5, 2], [3, 4]], dtype=float)   named Q; the constructor and its keywords are left out
    tensor([[1., 2.]], device='cuda:0').detach()    so are methods that keep the numbers (`_KEPT`)
    [1 2; 3 4]   {{1, 2}, {3, 4}}   ((1, 2), (3, 4))   rows of MATLAB and Julia, Mathematica and C, Python
    it: [1, 2] and below was: [3, 4]                rows with names (`_as_rows`)
    (tensor([[1.]]), tensor([[2.]]))                several matrices, which are asked about

Comments and words around are left out and said. Whatever may change the numbers (0.5 * …, ….T, np.exp(…), dtype=int of
1.5) is refused by its own name (`_check`).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from attn_gui.formats.file_messages import FormatError, quoted, shape_text
from attn_gui.formats.text.headings import CellSort, NotANumber, cell_number, is_number, is_switch, sort_of
from attn_gui.languages import N_

Nested = list["str | Nested"]
Rows = list[list[str]]
LOOKED_AT = 20_000  # letters of a long text in which its first list begins, or it has none
LARGE = 1_000_000  # letters of a long text
MOST_DEEP = 50  # brackets within each other
MOST = 64  # matrices of one text that are offered
NEAR = 200  # letters beside a matrix that are looked at
NAMED = 40  # letters of what a sentence names

NO_MATCH = N_("{file}: the brackets do not match; expected as many closed as opened.")
GAP = N_("{file}: a number is missing beside a comma.")
SHORTENED = N_("{file} is a print shortened with “...”; expected all numbers: print the whole matrix and copy that.")
BESIDE = N_("{file}: “{text}” stands beside the matrix and may change it; expected the matrix alone.")
TOO_DEEP = N_("{file} has more than {most} brackets within each other.")
TOO_MANY = N_("{file} holds more than {most} matrices; expected one.")
OTHER_SHAPE = N_("{file} says the shape {said} of a list that has the shape {got}.")

_UNSEEN = dict.fromkeys(map(ord, "\u200b\u2060\ufeff"))
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
    " ".join(
        (
            "array asarray ndarray matrix masked_array float64 float32 float16 int64 int32",  # np.array([[1, 2]])
            "dataframe",  # pd.DataFrame([[1, 2]], columns=["a", "b"])
            "as_tensor from_numpy parameter",  # nn.Parameter(torch.from_numpy(np.array([[1, 2]]))); …tensor: any
            "constant variable to_tensor devicearray",  # tf.constant([[1, 2]]), paddle.to_tensor, JAX before 0.4
            "list tuple print display",  # print(list([1, 2]))
            "disp",  # MATLAB: disp([1 2; 3 4])
            "any vec",  # Any[1 2; 3 4] of Julia; vec![vec![1.0, 2.0]] of Rust
            "c",  # R: c(1, 2)
            "n matrixform",  # Mathematica: N[{{1, 2}}], MatrixForm[{{1, 2}}]
        )
    ).split()
)
"""What stands before a bracket, in small letters and without its module, and keeps the numbers in it."""
_CONTAINERS = frozenset(("dict", "ordereddict", "print", "display", "savez", "list", "tuple"))
"""What may hold several matrices: np.savez("a.npz", q=[[1, 2]], k=[[3, 4]])."""
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
_BULLET = re.compile(r"(?:^|\n)\s*[-*+]$")
_EMPHASIS = re.compile(
    r"(?<![\w\])}(*_`+−-])(?:\*\*(?=[^\s\d(+−-])([^*]+)(?<=\S)\*\*|\*(?=[^\W\d])([^*\d\[\](){}\n]+)(?<=\S)\*"
    r"|__(?=\S)([^_]+)(?<=\S)__|`+(?=\S)([^`]+)(?<=\S)`+)(?![\w*_`(]|[ \t]*[-+−\d])"
)
"""**Q**, *query*, __Q__ and `[[1, 2]]`: a mark touches what it is around, and nothing outside; x**2 has none."""
SUMMARY = re.compile(r"^[ \t]*\d+(?:[×x]\d+|-element) (?=[A-Za-z])[^\[\n]*(?::|matrix|array)[ \t]*$", re.MULTILINE)
"""2×3 Matrix{Float64}: (Julia), 2×3 single matrix (MATLAB)."""
_WRAPPED = re.compile(
    r"\b(?:(?:np|numpy)\.(?:(?:(?:bool|u?int|u?long)\w*|u?short|u?byte)\((True|False|[-+ \d]*)\)"
    r"|(?:(?:float|longdouble)\w*|half|single|double|str_)\(([^()\[\],]*)\)|(True|False)_\b)"
    r"|(?:\w+\.)?(?:tensor|array)\(([^()\[\],]*)\))"
)
"""A number, or true or false, in a type that keeps it."""
_ASKED = re.compile(r"^[ \t]*In ?\[\d*\]:=?", re.MULTILINE)
_SIGN_APART = re.compile(r"(?<=[\[{,])(\s*[-−])[ \t]+(?=[\d.])")
_BETWEEN, _BRACKETED = re.compile(r"[\s,;]+"), re.compile(r"[\[(].*?[\])]")
_SCALARS = ("np.", "numpy.", "tensor(", "array(")
_WHOLE_TYPE = re.compile(
    r"(?:dtype\s*=\s*|,\s*)[\"']?(?:\w+\.)*(?:bool_?|u?int(?:\d+|p|c|_)?|[<>=|]?[iu][1248]|u?long(?:long)?|u?short|u?byte)"
    r"[\"']?(?=\s*[,)])",
    re.IGNORECASE,
)
_WHOLE_WORD = re.compile(r"\b(?:u?int\d*|bool\w*|(?:Long|Int|Short|Byte|Char|Bool)Tensor)$")
_SHARED = re.compile(r"^[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*=[ \t]*\Z", re.MULTILINE)  # Q, K = [[1]], [[2]]
_COLUMNS_APART = re.compile(r";\s*;")  # in Julia numbers go down the columns then
_TRANSPOSED = re.compile(r"\.['’]|~(?!~|\.?\$|[ \t]+[^\W\d])|(?://\s*|\\\[)\w*Transpose")
"""What behind a matrix turns it in MATLAB, PARI and Mathematica, and looks like an end, a rule or a comment."""
_APPLIED = re.compile(r"\}\s*//\s*(?!N\b|\w*Form\b)[A-Z]\w*\s*(?:$|\n)")
"""{{1, 2}} // Inverse of Mathematica, which looks like a comment."""
_SHORTENED = re.compile(r"(?:^|[\s,\[{])(?:\.\.\.|…)(?=$|[\s,\]}])")
_PRECISION, _SUFFIX = re.compile(r"`[\d.]*"), re.compile(r"(?<=[\d.])[fFlL](?=\s*[,}])")
_ACCOUNTED = re.compile(r"(?:^|(?<=[\t\n;,])) *\( *[\d.]+ *\) *(?=[\t\n;,]|$)")
_ACCOUNTED_COMMA = re.compile(r"(?:^|(?<=[\t\n])) *\( *[-+−\d.,]+ *\) *(?=[\t\n]|$)")
_BRACKETS = frozenset("()[]{}")
_NUMBER = r"\s*+[-+]?+(?:\d++\.?+\d*+|\.\d++)(?:e[-+]?+\d++)?+\s*+"
_ROW = rf"{_NUMBER}(?:,{_NUMBER})++"
_ROWS = re.compile(rf"\s*+(?:(?:\({_ROW}\)|\[{_ROW}\])\s*+,?+\s*+)*+", re.ASCII)
"""(1, 2), (3, 4): rows without brackets around them all."""
_NOTHING_SAID = re.compile(
    r"[\s\W_]*|(?:[\s>.,;)]*+(?:(?:const|let|var|auto|return)\s+)?(?:[A-Za-z_][A-Za-z0-9_]*(?:\.(?!m?[TH]\b)[A-Za-z0-9_]+)*\s*(?::?=|<-)\s*+)*[\s.,;>)]*"
    r"|\s*Parameter containing:\s*|\s*<tf\.Tensor: shape=\([\d, ]*\), dtype=\w+, numpy=\s*>?)"
)

_PARTS = frozenset(("q", "k", "v", "query", "key", "value", "queries", "keys", "values"))


class BracketGroup(list["str | BracketGroup"]):
    """The text between two brackets, with the word in front of them."""

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
    """A matrix: the readings of its rows, their names, and its own name."""

    name: str
    readings: list[Rows]
    labels: tuple[str, ...] | None = None


class GroupedText(NamedTuple):
    """A text as nested groups, with the places of comments; also whether a bracket is closed that was never opened."""

    root: BracketGroup
    comments: list[tuple[int, int]]
    stray: bool

    def broken(self) -> list[BracketGroup]:
        """Return the groups that are not closed by a bracket of their kind."""
        return [group for group in _groups(self.root) if group.broken]


class FoundLists(NamedTuple):
    """The matrices of a text, and the text around them."""

    matrices: list[NamedRows]
    left_out: str


def unwrapped(text: str) -> str:
    """Return the text with numbers freed from the types that libraries print around them, such as np.float64(1.5)."""
    return _WRAPPED.sub(r"\1\2\3\4", text) if any(name in text for name in _SCALARS) else text


def find_lists(text: str) -> FoundLists | None:
    """Return the matrices in brackets in a text; None where its numbers are not in brackets.

    Raises FormatError for brackets that do not match, prints that leave numbers out, and anything that may change a
    matrix.
    """
    written = _plainly_written(text)
    text = _unsaid(_folded(written))
    if _ROWS.fullmatch(text):  # each would be looked at by itself, and what stands beside it
        text = written = f"[{text.rstrip(' ,')}]"
    groups = _grouped(text)
    found = _search(groups.root, text)
    matrices = [one for one in found if _depth(one.value) > 1] or [one for one in found if _counts(one, text)]
    if not matrices:
        if groups.broken() and _is_begun(text):
            raise FormatError(NO_MATCH)
        return None
    beside = next(filter(_is_row, _around(text, matrices).split("\n")), None)
    for one in matrices:
        _check(one, text)
    if beside:
        raise FormatError(BESIDE, text=quoted(beside, NAMED))
    if groups.stray or any(_holds(group, matrices) for group in groups.broken()):
        raise FormatError(NO_MATCH)
    matrices = _with_vectors(matrices, found, text)
    left_out = _left_out(written, matrices, groups.comments)
    return _as_rows(matrices, text, left_out) or _singly(matrices, text, left_out)


def _unsaid(text: str) -> str:
    """Return the text of the same length with blanks for prompts, for lines that say a shape, and for Markdown's marks
    of emphasis, so that every * that is left is an operator."""
    text = SUMMARY.sub(lambda line: " " * len(line[0]), _ASKED.sub(lambda prompt: " " * len(prompt[0]), text))
    return _EMPHASIS.sub(_undressed, text) if any(mark in text for mark in ("*", "__", "`")) else text


def _undressed(found: re.Match[str]) -> str:
    inner = found.lastindex or 0
    return " " * (found.start(inner) - found.start()) + found[inner] + " " * (found.end() - found.end(inner))


def _plainly_written(text: str) -> str:
    """Return the text with 1.5*^-3, 1.5` (Mathematica) and 1.5f (C) as 1.5e-3 and 1.5, signs next to their digits,
    and nothing where web pages let a line break unseen."""
    text = text if text.isascii() else text.translate(_UNSEEN)
    if "{" in text:
        text = _SUFFIX.sub("", _PRECISION.sub("", text) if "`" in text and "```" not in text else text)
        text = text.replace("*^", "e")
    return _SIGN_APART.sub(r"\1", text) if "- " in text or "− " in text else text


def may_hold(text: str) -> bool:
    """Return whether a text may hold a list, judging by its brackets, and if it is long by its beginning."""
    text = _folded(text)
    return not _BRACKETS.isdisjoint(text) and not _is_accounted(text) and (len(text) <= LARGE or _may_begin(text))


def _folded(text: str) -> str:
    """Return the text of the same length with brackets and separators in ASCII."""
    return text if text.isascii() else text.translate(_FOLDED)


def refuse_shortened(text: str) -> None:
    """Raise FormatError where a print leaves numbers out."""
    if ("..." in text or "…" in text) and _SHORTENED.search(text):  # the search alone takes 35 ms a megabyte
        raise FormatError(SHORTENED)


def _is_accounted(text: str) -> bool:
    """Return whether every bracket is around one number that is a whole cell, as negative numbers in accounts are.

    A comma in such a number is a decimal comma, or one between thousands, only where cells are not separated by commas.
    """
    if "(" not in text:
        return False
    rest = (_ACCOUNTED_COMMA if "\t" in text else _ACCOUNTED).sub("", text)
    return rest != text and _BRACKETS.isdisjoint(rest)


def _may_begin(text: str) -> bool:
    """Return whether a long text begins with a list: a bracket, a number, then another number or the end."""
    return re.search(r"[\[({]\s*[-+−]?[\d.]+(?:e[-+]?\d+)?\s*(?:[,;\s]\s*[-+−\d.]|\])", text[:LOOKED_AT]) is not None


def _is_begun(text: str) -> bool:
    return re.match(r"\s*(?:[\w.]+\s*[=(]\s*)*[\[{(]\s*[\[{(\d+.−-]", text) is not None


# --- groups --------------------------------------------------------------------------------------
def _grouped(text: str) -> GroupedText:
    """Return the text as nested groups. Raises FormatError for more than MOST_DEEP levels."""
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
    return GroupedText(root, comments, stray)


def _groups(group: BracketGroup) -> Iterator[BracketGroup]:
    for item in group:
        if isinstance(item, BracketGroup):
            yield item
            if any(isinstance(inner, BracketGroup) for inner in item):
                yield from _groups(item)


def _holds(group: BracketGroup, matrices: Sequence[FoundList]) -> bool:
    return any(group.start <= one.group.start and one.group.end <= group.end for one in matrices)


def _named(group: BracketGroup) -> tuple[str, str, bool]:
    """Return the key and the word in front of a bracket, and whether nothing else is there."""
    found = _WORD.fullmatch(group.word)
    if found is None:
        return "", group.word, False
    return (found["key"] or "").rstrip("=:").strip("\"' "), found["word"] or "", True


def _is_constructor(word: str) -> bool:
    name = word.rstrip("!").rpartition(".")[2].lower()
    return not word or name in _CONSTRUCTORS or name.endswith("tensor")


def _search(group: BracketGroup, text: str, name: str = "") -> list[FoundList]:
    """Return all lists of numbers in a group that is none. Raises FormatError for what may change one."""
    found: list[FoundList] = []
    key = before = ""
    for item in group:
        if isinstance(item, str):
            named = _KEY.fullmatch(item)
            key, before = named[2] if named else item.strip("\"'") if _is_text(item) else "", item
            continue
        if before.lower() in _SHAPES and not item.word and _is_shape(item):
            continue
        before = ""
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
        found += inside
    return found


def _is_shape(group: BracketGroup) -> bool:
    """Return whether a group is whole numbers in parentheses."""
    return group.bracket == "(" and all(isinstance(item, str) and _whole(item) >= 0 for item in group)


def _value(group: BracketGroup) -> Nested | str | None:
    """Return the list, or the single number, that a group is; None for anything else."""
    _, word, plain = _named(group)
    if not plain or not _is_constructor(word):
        return None
    if word and group.bracket == "(":
        given = _arguments(group)
        return None if given is None else _unwrapped(group, word, *given)
    items = _items(group)
    return None if items is None else _unwrapped(group, word, items)


def _items(group: BracketGroup) -> Nested | None:
    """Return the items of a list; None where one of them has a key, or is a name beside lists."""
    items: Nested = []
    nested = any(isinstance(item, list) for item in group)
    for item in group:
        if isinstance(item, str):
            if _key(item) is not None or (nested and _is_text(item)):
                return None
            items.append(item.strip("\"'"))
        elif _named(item)[0] or (inner := _inner(item)) is None:
            return None
        else:
            items.append(inner)
    return items


def _is_text(item: str) -> bool:
    """Return whether an item is a text in quotes, such as a name, and no number."""
    return item[0] in "\"'" and not _is_value(item.strip("\"'"))


def _arguments(group: BracketGroup) -> tuple[Nested, tuple[str, ...] | None] | None:
    """Return the arguments of a call without keywords and types, and the shape among them; None where it reshapes."""
    items: Nested = []
    shape = None
    key = ""  # of the argument that comes next
    for item in group:
        if isinstance(item, str):
            named = _key(item)
            if (item.partition("=")[0] if named is None else named) in _RESHAPING:
                return None
            if named is not None:
                key = named
            elif key or "=" in item:
                key = ""
            elif not (items and _TYPE.fullmatch(item)):
                items.append(item.strip("\"'"))
            continue
        own, key = _named(item)[0] or key, ""
        if own in _SHAPES:
            shape = tuple(cell for cell in item if isinstance(cell, str))
        elif not own or own in _HOLDERS:
            inner = _inner(item)
            if inner is None:
                return None
            items.append(inner)
    return items, shape


def _key(word: str) -> str | None:
    """Return a word as a key; None where it is none."""
    found = _KEY.fullmatch(word) if word[-1] in "=:" else None
    return None if found is None else found[2]


def _inner(group: BracketGroup) -> Nested | str | None:
    """Return the value of a group inside a list; of one that is no value its first text, unless it holds lists."""
    value = _value(group)
    if value is None and not any(isinstance(part, BracketGroup) for part in group):
        return f"{group.word}{group.bracket}…"
    return value


def _unwrapped(
    group: BracketGroup, word: str, items: Nested, said: tuple[str, ...] | None = None
) -> Nested | str | None:
    """Return the single value of a constructor or of parentheses, else the list of all.

    Raises FormatError where the list has another shape than the one given.
    """
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
    """Return whether half of the first cells of a list are numbers, or nearly so: then a typing error can be named."""
    cells = list(itertools.islice(_cells(value), 64))
    return 0 < len(cells) <= 2 * sum(map(_is_value, cells))


def _is_value(cell: str) -> bool:
    return cell in ("...", "…") or is_switch(cell) or sort_of(cell) is CellSort.NUMBER


def _before(text: str, start: int) -> str:
    """Return the text just before a place."""
    return text[max(0, start - NEAR) : start]


def _around(text: str, matrices: Sequence[FoundList]) -> str:
    """Return the text without the matrices."""
    place, parts = 0, []
    for one in matrices:
        parts.append(text[place : one.group.start])
        place = max(place, one.group.end)
    return "".join([*parts, text[place:]])


def _is_row(line: str) -> bool:
    """Return whether a line is numbers without brackets."""
    cells = re.split(r"[\s,;]+", line.strip()) if _BRACKETS.isdisjoint(line) else []
    return any(cells) and all(map(is_number, filter(None, cells)))


def _counts(one: FoundList, text: str) -> bool:
    """Return whether a row is meant as one: not a number in parentheses, and without numbers next to it on its line."""
    cells, body = list(_cells(one.value)), text[one.group.start : one.group.end]
    if (one.group.bracket == "(" and len(cells) < 2) or re.match(r"\[\s*,", body):  # R counts columns as [,1]
        return False
    if not all(map(_is_value, cells)) and "," not in body:
        return False
    behind = text[one.group.end : one.group.end + NEAR].partition("\n")[0].partition("#")[0]
    before = _before(text, one.group.start).rpartition("\n")[2]
    if re.match(r"\s*(?:[*/@^×·÷]|[-+−] )", behind) or re.search(r"[*/@^×·÷]\s*$", before):
        return True
    fields = _BETWEEN.split(_BRACKETED.sub(" ", behind).strip())[:3]
    if not any(map(str.isalpha, before)):
        fields += _BETWEEN.split(_BRACKETED.sub(" ", before).strip())[-3:]
    return not any(map(is_number, fields))


def _with_vectors(matrices: list[FoundList], found: Sequence[FoundList], text: str) -> list[FoundList]:
    """Return the matrices with the rows between them that are vectors, such as biases, in the order of the text."""
    if _depth(matrices[0].value) == 1:
        return matrices
    shapes = {_shape(one.value) for one in matrices}
    vectors = [one for one in found if _depth(one.value) == 1 and _is_vector(one, text, shapes)]
    return sorted([*matrices, *vectors], key=lambda one: one.group.start)


def _is_vector(one: FoundList, text: str, shapes: set[tuple[int, ...]]) -> bool:
    """Return whether a row beside a matrix is a vector: it has a name or a line of its own, and is not a shape."""
    whole = tuple(map(_whole, _cells(one.value)))
    if whole in shapes or any(tuple(s for s in shape if s != 1) == whole for shape in shapes):
        return False
    before = _before(text, one.group.start).rstrip(" \t")
    return before[-1:] in ("=", "\n", "") or (before[-1:] in (":", ",") and bool(one.name) and -1 in whole)


def _check(one: FoundList, text: str) -> None:
    """Raise FormatError for an error in a matrix, or an operation next to it."""
    start, end = one.group.start, one.group.end
    refuse_shortened(text[start:end])
    if re.search(r"[\[,]\s*,", text[start:end]):
        raise FormatError(GAP)
    if parted := _COLUMNS_APART.search(text, start, end):
        raise FormatError(BESIDE, text=parted[0])
    kinds = (_rounding_type(group, text) for group in (one.group, *_groups(one.group)))
    if kind := next(filter(None, kinds), ""):
        raise FormatError(BESIDE, text=quoted(kind, NAMED))
    if counted := _counted_before(_before(text, start)):
        raise FormatError(BESIDE, text=quoted(counted, NAMED))
    kept = _KEPT.match(text, end)
    end = kept.end() if kept else end
    rest = text[end : end + 2 * NAMED]
    if _APPLIED.match(text, end - 1) or _counts_behind(
        rest, in_quotes=_before(text, start).rstrip()[-1:] in ("'", "‘")
    ):
        raise FormatError(BESIDE, text=quoted(rest.partition("\n")[0], NAMED))


def _counted_before(near: str) -> str:
    """Return the end of the text before a matrix if that changes it: an operator, or a number as a factor."""
    before = near.rstrip()
    line = before.rpartition("\n")[2]
    operator = before[-1:] in _OPERATORS and not (
        before.endswith("<-") or _RULE.fullmatch(line.strip()) or _BULLET.search(before)
    )
    in_line = "\n" not in near[len(before) :] and line[-1:] not in ":=)],;|>"
    number = in_line and any(map(str.isdigit, line)) and not any(map(str.isalpha, line))
    return line[-NAMED:] if operator or number else ""


def _rounding_type(call: BracketGroup, text: str) -> str:
    """Return the type that a call gives to numbers in it that it would change; "" for none, and for other brackets."""
    if not call.word or call.bracket != "(":
        return ""
    kind = _WHOLE_WORD.search(call.word) or _WHOLE_TYPE.search(_said_in(call, text))
    if kind is None or _are_whole(call, most=1 if "bool" in kind[0].lower() else math.inf):
        return ""
    return kind[0].lstrip(", ")


def _said_in(call: BracketGroup, text: str) -> str:
    """Return the text in a call without that in brackets within it, such as names of columns."""
    inner = [item for item in call if isinstance(item, BracketGroup)]
    starts, ends = [call.opened, *(group.end for group in inner)], [*(group.opened for group in inner), call.end]
    return "[]".join(text[low:high] for low, high in zip(starts, ends, strict=True))


def _are_whole(group: BracketGroup, most: float) -> bool:
    """Return whether the numbers in a group are whole, and at most `most` apart from their signs."""
    for item in group:
        if isinstance(item, BracketGroup):
            if _named(item)[0] not in _SHAPES and not _are_whole(item, most):
                return False
        else:
            with suppress(NotANumber):
                value = cell_number(item.strip("\"'"))
                if not value.is_integer() or abs(value) > most:
                    return False
    return True


def _counts_behind(rest: str, *, in_quotes: bool) -> bool:
    """Return whether the text after a matrix changes it: an index, an attribute, an operator."""
    near, apart = rest[:1], rest.lstrip(" \t")
    touches = near and (near in "'ᵀ²[(^’" or (near.isascii() and near.isalnum())) and not in_quotes
    attribute = apart[:1] == "." and apart[1:2].isalpha()
    turned = not in_quotes and _TRANSPOSED.match(apart)
    operator = apart[:1] in _OPERATORS and not apart.startswith("--") and not _COMMENT.match(rest)
    return bool(touches or turned) or attribute or operator or apart.startswith(("==", "!="))


# --- rows ----------------------------------------------------------------------------------------
def _listed(one: FoundList, text: str, *, whole: bool = True) -> Iterator[NamedRows]:
    """Yield the matrices of a list; there are several where it is nested deeper than a matrix.

    `whole`: it is all that stands in its brackets, so that lines in these may be rows.
    """
    name = one.name or name_before(text, one.group.start)
    value = one.value
    while len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if any(isinstance(item, list) and any(isinstance(inner, list) for inner in item) for item in value):
        for place, item in enumerate(value):
            inner = one._replace(name=f"{name}[{place}]", value=item if isinstance(item, list) else [item])
            yield from _listed(inner, text, whole=False)
        return
    readings = [_rows_of(value)]
    body = text[one.group.opened : one.group.end]
    if whole and "\n" in body and _depth(value) == 1 and len(value) > 1:
        group = next(item for item in _grouped(_cut_at_lines(body)).root if isinstance(item, BracketGroup))
        cut = _value(group)
        rows = _rows_of(cut) if isinstance(cut, list) else []
        readings += [rows] if len(rows) > 1 and len({len(cells) for cells in rows}) == 1 else []
    yield NamedRows(name, readings)


def _cut_at_lines(body: str) -> str:
    """Return a list with a semicolon for each line end, except after a comma, where Python goes on."""
    body = body[body.rfind("[") if "[" in body else 0 :] if body.count("[") == 1 else body
    lines = [line.strip() for line in body.split("\n")]
    ends = [
        " " if ahead.endswith(",") or behind.startswith(",") else ";" for ahead, behind in itertools.pairwise(lines)
    ]
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))


def _rows_of(value: Nested) -> Rows:
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
    """Return the text before a matrix on its line, or the line above if that ends as labels do."""
    before = _before(text, start)
    line = before.rpartition("\n")[2]
    if not line.strip():
        above = before.rstrip().rpartition("\n")[2].rstrip()
        line = above if above.endswith((":", "=")) else ""
    line = " ".join(line.split())
    name = re.sub(r"(?<!\w)'([^']*)'", r"\1", re.split(r"[\])};,]", line)[-1])  # K' is another matrix than 'K'
    return re.sub(r"^(?:const|let|var)\s+|(?:<-|[\s:=<>(])+$|^[\s#>*`.-]+|[*`\"]|(?<!\w)'", "", name).strip()


def _as_rows(found: Sequence[FoundList], text: str, left_out: str) -> FoundLists | None:
    """Return lists of numbers that follow each other as the rows of one matrix; None where they are something else."""
    if len(found) < 2 or any(_depth(one.value) > 1 for one in found):
        return None
    names = tuple(one.name or name_before(text, one.group.start) for one in found)
    rows = [list(_cells(one.value)) for one in found]
    if not any(names):
        return FoundLists([NamedRows("", [rows])], left_out)
    between = [text[one.group.end : other.group.start] for one, other in itertools.pairwise(found)]
    if not all(names) or not _are_rows(found, between) or len(set(map(len, rows))) > 1:
        return None
    matrices = [NamedRows(", ".join(names), [rows], names)]
    apart = "=" in "".join(between) or {name.lower() for name in names} <= _PARTS
    if apart and len(names) <= MOST:
        matrices += [NamedRows(name, [[row]]) for name, row in zip(names, rows, strict=True)]
    return FoundLists(matrices, _without(left_out, names, "[:：=＝]?"))


def _are_rows(found: Sequence[FoundList], between: Sequence[str]) -> bool:
    """Return whether named lists of numbers may be rows: each on its own line, or all entries of one record."""
    entries = any(one.name for one in found) and "=" not in "".join(between)
    return entries or all("\n" in part for part in between)


def _singly(found: Sequence[FoundList], text: str, left_out: str) -> FoundLists:
    """Return each list as one or more matrices. Raises FormatError for more than MOST."""
    matrices = list(itertools.islice((listed for one in found for listed in _listed(one, text)), MOST + 1))
    if len(matrices) > MOST:
        raise FormatError(TOO_MANY, most=f"{MOST:,}")
    if len(matrices) > 1:
        left_out = _without(left_out, [one.name for one in matrices])
        if (shared := _SHARED.search(_before(text, found[0].group.start))) and not any(
            one.name for one in matrices[1:]
        ):
            names = [name.strip() for name in shared[1].split(",")]
            if len(names) == len(matrices):
                matrices = [one._replace(name=name) for one, name in zip(matrices, names, strict=True)]
    return FoundLists(matrices, left_out)


def _without(left_out: str, names: Sequence[str], sign: str = "[:：=＝]") -> str:
    """Return left-out words without names, which have a note of their own, and what parts them; each ends with
    `sign`."""
    for name in filter(None, names[:MOST]):
        left_out = re.sub(rf"{re.escape(name)}\s*{sign}\s*", "", left_out, count=1)
    left_out = re.sub(r"([,;，；、])(?:\s*[,;，；、])+", r"\1", left_out).strip(" ,;，；、")
    return left_out if any(map(str.isalnum, left_out)) else ""


def _left_out(text: str, matrices: Sequence[FoundList], comments: Sequence[tuple[int, int]]) -> str:
    """Return the words around the matrices, and the comments."""
    parts, place = [], 0
    groups = {one.group.start: one.group for one in matrices}
    for group in groups.values():
        parts.append(text[place : group.start])
        parts += [text[low:high] for low, high in comments if group.start <= low < group.end]
        kept = _KEPT.match(text, group.end)
        place = kept.end() if kept else group.end
    parts.append(text[place:])
    return " ".join(" ".join(part.split()) for part in parts if not _NOTHING_SAID.fullmatch(part)).strip()
