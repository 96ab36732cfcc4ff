"""The reader of a lesson's file: steps, questions, paragraphs, errors by line; digits of numbers in its sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from attn_gui.engine.errors import MINUS, short_power
from attn_gui.engine.grading import TOLERANCE
from attn_gui.engine.graph.printed_digits import PrintedNumbers
from attn_gui.formats.file_format import PathText, reading
from attn_gui.formats.file_messages import FileNote, FormatError, quoted
from attn_gui.languages import LANGUAGES, N_
from attn_gui.lessons.curriculum import BETWEEN, LONGEST_LINE
from attn_gui.lessons.live_numbers import ExpressionError, LessonExpression, NumberSource, WithheldError, expression
from attn_gui.paths import resource

# --- sentences: live numbers between braces, and the digits with which these are printed ------------
#
# "so {scores[0, 1]} ÷ √3 = {scaled[0, 1]}" becomes a `LessonText`; what stands in braces is read and computed by
# `live_numbers`. Where the signs between numbers make an equation, each gets as many digits as it takes to hold as it
# is printed.


LIVE = re.compile(r"\{([^{}]*)\}|[{}]")
DECIMALS = re.compile(r"(.*):(\d)\s*", re.DOTALL)
MISSING = "–"  # stands for a number that the present problem does not have
COVERED = "?"  # stands for a number that is made of a covered cell
HUGE = 1e9  # from here on digits are written as a power of ten: the last of them would be invented

PLACE = 0xE000  # letters from here on, which no text has, stand for the live numbers of a sentence
OPERAND = r"[\ue000-\uf8ff]"
EQUATION = re.compile(rf"((?:[\d\s.()+−·×/÷√^e]|{OPERAND})+) = ({OPERAND})")
SPELLED = (
    (re.compile(rf"e\^({OPERAND}|\d+(?:\.\d+)?)"), r"exp(\1)"),
    (re.compile(rf"√({OPERAND}|\d+(?:\.\d+)?)"), r"sqrt(\1)"),
    (re.compile("[·×]"), "*"),
    (re.compile("÷"), "/"),
    (re.compile("−"), "-"),
    (re.compile(r"\^"), "**"),
)
"""How a sentence writes arithmetic, and the grammar of live numbers."""


@dataclass(frozen=True)
class LessonNumber:
    """A number that is computed when it is shown; with `decimals` None up to four. `line` is its line in the file."""

    expression: LessonExpression
    line: int
    decimals: int | None = None

    def text(self, number_source: NumberSource, more: int = 0) -> str:
        """Return the number as text, with `more` digits where an equation needs them."""
        try:
            return written(self.expression.number(number_source), self.decimals, more)
        except WithheldError:
            return COVERED
        except ExpressionError:
            return MISSING

    def number(self, number_source: NumberSource) -> float | None:
        """Return the number; None where the present problem does not have it, or it is covered."""
        try:
            return self.expression.number(number_source)
        except ExpressionError:
            return None


Piece = str | LessonNumber


@dataclass(frozen=True)
class LessonText:
    """A text in English and Chinese, split at its live numbers; empty lines separate paragraphs."""

    en: tuple[Piece, ...]
    zh: tuple[Piece, ...]

    def said(self, lang: str, number_source: NumberSource) -> str:
        """Return the text in one language, with the present numbers."""
        pieces = {"en": self.en, "zh": self.zh}[lang]
        more = digits_of_equations(pieces, number_source)
        return "".join(
            piece if isinstance(piece, str) else piece.text(number_source, more.get(place, 0))
            for place, piece in enumerate(pieces)
        )

    def plain(self, lang: str) -> str:
        """Return the text in one language without its live numbers."""
        pieces = {"en": self.en, "zh": self.zh}[lang]
        return "".join(piece for piece in pieces if isinstance(piece, str))

    def live(self) -> Iterator[LessonNumber]:
        """Yield its live numbers, of both languages."""
        return (piece for piece in (*self.en, *self.zh) if isinstance(piece, LessonNumber))


def pieces(text: str, line_at: Callable[[int], int]) -> tuple[Piece, ...]:
    """Return the parts of a text split at braces; `line_at` gives the line of a character.

    Raises LessonError for an expression that cannot be read, and for a brace without its other half.
    """
    found: list[Piece] = []
    end = 0
    for match in LIVE.finditer(text):
        inside, decimals, line = match[1], None, line_at(match.start())
        if inside is None:
            raise LessonError(line, NUMBER, text[match.start() :].split("\n", 1)[0])
        if parted := DECIMALS.fullmatch(inside):
            inside, decimals = parted[1], int(parted[2])
        try:
            live = LessonNumber(expression(inside), line, decimals)
        except ExpressionError:
            raise LessonError(line, NUMBER, match[0]) from None
        found += [text[end : match.start()], live]
        end = match.end()
    return tuple(piece for piece in (*found, text[end:]) if piece != "")


def written(number: float, decimals: int | None = None, more: int = 0) -> str:
    """Return a number as text: rounded to so many decimals, or to up to four without trailing zeros.

    Never "−0"; a number that is huge, or too small for four decimals, gets a power of ten. `more` digits are added.
    """
    if HUGE <= abs(number) < math.inf:
        text = f"{number:.2e}"
    elif decimals is not None:
        text = f"{number:.{decimals + more}f}"
    elif number != 0 and abs(number) < 1e-3:
        text = f"{number:.{2 + more}e}"
    else:
        text = f"{number:.{4 + more}f}".rstrip("0").rstrip(".")
    text = text if text.strip("-0.") else text.removeprefix("-")
    return short_power(text).replace("-", MINUS).replace("nan", "NaN").replace("inf", "∞")


# Live numbers with signs between them, "{a} · 2 + {b} · 4 = {c}": the printed ones give the printed result.
def digits_of_equations(pieces: tuple[Piece, ...], number_source: NumberSource) -> dict[int, int]:
    """Return {place: digits} that live numbers need beyond their own, so that printed equations hold."""
    letters = "".join(piece if isinstance(piece, str) else chr(PLACE + place) for place, piece in enumerate(pieces))
    found: dict[int, int] = {}
    for match in EQUATION.finditer(letters):
        for word in re.finditer(r"\S+", match[1]):  # the words before it do not belong to it
            more = _digits_of_equation(match[1][word.start() :], ord(match[2]) - PLACE, pieces, number_source)
            if more is not None:
                found |= more
                break
    return found


def _digits_of_equation(
    left: str, result: int, pieces: tuple[Piece, ...], number_source: NumberSource
) -> dict[int, int] | None:
    """Return the digits of the numbers in one formula; None if it is none, or not equal to its result."""
    places = [ord(letter) - PLACE for letter in re.findall(OPERAND, left)]
    live = {place: piece for place in (*places, result) if isinstance(piece := pieces[place], LessonNumber)}
    numbers = {place: one.number(number_source) for place, one in live.items()}
    known = {place: number for place, number in numbers.items() if number is not None and math.isfinite(number)}
    for pattern, spelled in SPELLED:
        left = pattern.sub(spelled, left)

    def computed(operands: Sequence[float]) -> float:
        following = iter(operands)
        formula = re.sub(OPERAND, lambda _: f"({next(following)!r})", left)
        return expression(formula).number(number_source)

    try:
        operands = [known[place] for place in places]
        exact = computed(operands)
        if len(known) < len(live) or not math.isclose(exact, known[result], rel_tol=1e-6, abs_tol=1e-9):
            return None
        decimals = {known[place]: live[place].decimals for place in places}
        printed = PrintedNumbers(lambda number, more: written(number, decimals[number], more))
        printed.add(known[result], computed, operands, _decimals(known[result], live[result].decimals))
        printed.settle()
    except (ExpressionError, KeyError):
        return None
    return {place: printed.more(known[place]) for place in places}


def _decimals(number: float, decimals: int | None) -> int:
    """Return the decimals with which a number is written."""
    small = decimals is None and 0 < abs(number) < 1e-3
    return 2 - math.floor(math.log10(abs(number))) if small else 4 if decimals is None else decimals


LINE = N_("In the lesson {file}, line {line}: expected {expected}, got {got}.")

NOTHING = FileNote(N_("nothing"))
LONGEST_ECHO = 60  # letters of the file that are said again

LARGEST_FILE, MOST_STEPS, MOST_CHOICES, MOST_CANS, MOST_WRONG = 200_000, 60, 8, 8, 8
LEAST_MINUTES = 3
ORDERS = ("open", "make", "model", "words", "set", "choose", "head", "show", "cover", "play", "holds", "until")
TASK = "do"
PARTS = {"English": "en", "中文": "zh", "Question": "question"}
ITEM, CHOICE = re.compile(r"- (\w+): *(.*)"), re.compile(r"- \[( |x)\] (.*)")

BOTH = FileNote(N_("“English | 中文”, once “ | ” between them"))
TITLE = FileNote(N_("“# title | 标题” as the first line"))
STEP = FileNote(N_("a step that begins with “## title | 标题”"))
PART = FileNote(N_("“### English”, “### 中文” or “### Question”"))
ONCE = FileNote(N_("each part of a step once"))
WORD = FileNote(N_("“- word: …” with one of {words}"), words=", ".join((*ORDERS, TASK)))
ASKED = FileNote(N_("“- ask:”, “- answer:”, “- tolerance:”, “- wrong:”, “- because:” or “- [ ] choice”"))
TEXT = FileNote(N_("a text under “### English” and one under “### 中文”"))
ONE_TEXT = FileNote(N_("a text under “### English” or “### 中文”"))
END = FileNote(N_("“- can:”, “- try:” or “- next:” below the heading of the end"))
CANS = FileNote(N_("1 to {most} lines “- can: …” at the end"), most=MOST_CANS)
CHECK = FileNote(N_("“- ask:” and either “- answer:” or 2 to 8 choices, one of them “- [x]”"))
PLAIN = FileNote(N_("plain text without HTML"))
NUMBER = FileNote(N_("an expression such as {{weights[1, 1]}}"))
OF_NUMBER = FileNote(N_("“- tolerance:” beside “- answer:” alone, not with choices"))
OF_CHOICE = FileNote(N_("“- wrong: what it is” once below a choice “- [ ]”"))
WRONG = FileNote(N_("“- wrong: number | what it is”, at most {most} times"), most=MOST_WRONG)
POSITIVE = FileNote(N_("a number between 0 and 1, written as 0.001"))
SHORT = FileNote(N_("at most {most} letters in a line"), most=LONGEST_LINE)
FEW = FileNote(N_("1 to {most} steps"), most=MOST_STEPS)
UTF8 = FileNote(N_("text in UTF-8"))
CHINESE = r"[\u3000-\u9fff\uff00-\uffef]"  # letters, and signs as wide as they are; takes 3 ms to compile
HTML = re.compile(r"<[a-zA-Z!/]|&#?\w+;|\]\(")


# --- records --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class LessonInstruction:
    """One instruction of a step: its word, its argument, and its line in the file."""

    word: str
    rest: str
    line: int


@dataclass(frozen=True)
class WrongAnswer:
    """A number that is often given in place of the right one, and what it is; `line` is its line in the file."""

    number: LessonExpression
    said: LessonText
    line: int


@dataclass(frozen=True)
class LessonQuestion:
    """A question with its check: a computed number, or one of several choices.

    `wrong` are answers that the lesson comments on itself, before the usual mistakes; `wrong_choices` are the comments
    on each choice, None on the right one.
    """

    text: LessonText
    answer: LessonExpression | None = None
    line: int = 0  # of the answer
    tolerance: float = 0.0
    choices: tuple[LessonText, ...] = ()
    right: int = 0  # the place of the right choice
    wrong_choices: tuple[LessonText | None, ...] = ()
    because: LessonText | None = None  # said once it is answered
    wrong: tuple[WrongAnswer, ...] = ()


@dataclass(frozen=True)
class LessonStep:
    """A step: its text, the state of the window, and what the reader is asked to change or answer."""

    title: LessonText
    text: LessonText
    line: int
    orders: tuple[LessonInstruction, ...] = ()
    tasks: tuple[LessonInstruction, ...] = ()  # changes that the person makes
    question: LessonQuestion | None = None

    @property
    def texts(self) -> tuple[LessonText, ...]:
        """Its texts before it is answered."""
        asked = () if self.question is None else (self.question.text, *self.question.choices)
        return (self.title, self.text, *asked)


@dataclass(frozen=True)
class EndCard:
    """The end of a lesson: what the reader can do by now, something to try, and the next lesson."""

    title: LessonText
    can: tuple[LessonText, ...]
    tries: LessonText | None = None
    next: str = ""  # the name of a file beside the lesson
    line: int = 0  # of that name


@dataclass(frozen=True)
class Lesson:
    """A whole lesson; `path` is its file, next to which problems that it opens may be."""

    title: LessonText
    steps: tuple[LessonStep, ...]
    path: Path = field(default_factory=Path)
    end: EndCard | None = None

    @property
    def minutes(self) -> int:
        """Its minutes: reading at 300 Chinese characters or 180 words a minute, and 0.8 for each question."""
        text = " ".join(piece for step in self.steps for piece in step.text.zh if isinstance(piece, str))
        characters = len(re.findall(CHINESE, text))
        reading = characters / 300 if characters else len(text.split()) / 180
        questions = sum(step.question is not None for step in self.steps)
        return max(LEAST_MINUTES, round(reading + 0.8 * questions))

    @property
    def name(self) -> str:
        """The name of its file, after which its problem is called."""
        return self.path.stem

    @property
    def key(self) -> str:
        """The key of its progress: the name of a lesson that comes with the program, the path of any other file."""
        return self.name if self.path.parent == resource("lessons") else str(self.path.absolute())


class LessonError(FormatError):
    """An error in a lesson; `expected` is a text or a Note that can be translated."""

    def __init__(self, line: int, expected: object, got: object) -> None:
        found = got if hasattr(got, "template") else quoted(str(got), LONGEST_ECHO) or NOTHING
        super().__init__(LINE, line=line, expected=expected, got=found)


# --- reading --------------------------------------------------------------------------------------
@dataclass
class _Draft:
    """A step while it is read; `both`: all its texts are in two languages."""

    title: LessonText
    line: int
    both: bool
    orders: list[LessonInstruction] = field(default_factory=list)
    texts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    question: dict[str, tuple[int, str]] = field(default_factory=dict)
    choices: list[tuple[int, bool, str]] = field(default_factory=list)
    wrong_choices: dict[int, tuple[int, str]] = field(default_factory=dict)  # by the place of the choice
    wrong: list[tuple[int, str]] = field(default_factory=list)


def read_lesson(path: PathText) -> Lesson:
    """Read a lesson. Raises FormatError; for errors in the text LessonError with the line, expected and got."""
    with reading(path, LARGEST_FILE) as source:
        try:
            text = source.file.read(LARGEST_FILE).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise LessonError(1, UTF8, f"{error.object[error.start]:#x}") from None
        return replace(_lesson(text), path=Path(path))


def _lesson(text: str) -> Lesson:
    lines = _lines(text)
    number, first = next(lines, (1, ""))
    if not first.startswith("# "):
        raise LessonError(number, TITLE, first)
    both, end = BETWEEN in first, None
    top, title, drafts, part = number, _said(first[2:], number, both), list[_Draft](), ""
    for number, line in lines:
        if line.startswith("# ") and drafts:
            end = _end(_said(line[2:], number, both), lines, number, both)
        elif line.startswith("## "):
            drafts.append(_Draft(_said(line[3:], number, both), number, both))
            part = ""
        elif not drafts:
            if line:
                raise LessonError(number, STEP, line)
        elif line.startswith("### "):
            part = _part(drafts[-1], line[4:], number)
        elif part in LANGUAGES:
            drafts[-1].texts[part].append((number, line))
        elif line:
            _item(drafts[-1], part, line, number)
    if not 1 <= len(drafts) <= MOST_STEPS:
        raise LessonError(number, FEW, len(drafts))
    if not both and any(draft.texts.keys() >= {*LANGUAGES} for draft in drafts):  # else one of them would be lost
        raise LessonError(top, BOTH, first[2:])
    return Lesson(title, tuple(map(_step, drafts)), end=end)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line without trailing blanks), without empty lines at the beginning."""
    begun = False
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise LessonError(number, SHORT, len(line))
        line = line.rstrip()
        if html := HTML.search(line):
            raise LessonError(number, PLAIN, line[html.start() : html.start() + 20])
        begun = begun or bool(line)
        if begun:
            yield number, line


def _said(text: str, line: int, both: bool) -> LessonText:
    """Return a text of one line in both languages; in a lesson of one language the same text for both."""
    sides = [side.strip() for side in (text.split(BETWEEN) if both else (text, text))]
    if len(sides) != 2 or not all(sides):
        raise LessonError(line, BOTH if both else TITLE, text)
    en, zh = (pieces(side, lambda place: line) for side in sides)
    return LessonText(en, zh)


def _end(title: LessonText, lines: Iterator[tuple[int, str]], number: int, both: bool) -> EndCard:
    """Read everything after the last step."""
    can, others = list[LessonText](), dict[str, tuple[int, str]]()
    heading = number
    for number, line in lines:
        item = ITEM.fullmatch(line)
        if item is not None and item[1] == "can":
            can.append(_said(item[2], number, both))
        elif item is not None and item[1] in ("try", "next") and item[1] not in others:
            others[item[1]] = number, item[2]
        elif line:
            raise LessonError(number, END, line)
    if not 1 <= len(can) <= MOST_CANS:
        raise LessonError(heading, CANS, len(can))
    tries = _said(others["try"][1], others["try"][0], both) if "try" in others else None
    named, name = others.get("next", (0, ""))
    return EndCard(title, tuple(can), tries, name, named)


def _part(draft: _Draft, name: str, line: int) -> str:
    part = PARTS.get(name.strip())
    if part is None:
        raise LessonError(line, PART, name)
    if part in draft.texts:
        raise LessonError(line, ONCE, name)
    draft.texts[part] = []
    return part


def _item(draft: _Draft, part: str, line: str, number: int) -> None:
    """Read an instruction of the step, or a line of its question."""
    item = ITEM.fullmatch(line)
    if part == "":
        if item is None or item[1] not in (*ORDERS, TASK):
            raise LessonError(number, WORD, line)
        draft.orders.append(LessonInstruction(item[1], item[2], number))
    elif choice := CHOICE.fullmatch(line):
        draft.choices.append((number, choice[1] == "x", choice[2]))
    elif item is not None and item[1] == "wrong" and draft.choices:
        place = len(draft.choices) - 1
        if draft.choices[place][1] or place in draft.wrong_choices:
            raise LessonError(number, OF_CHOICE, line)
        draft.wrong_choices[place] = number, item[2]
    elif item is not None and item[1] == "wrong":
        draft.wrong.append((number, item[2]))
    elif item is not None and item[1] in ("ask", "answer", "tolerance", "because") and item[1] not in draft.question:
        draft.question[item[1]] = number, item[2]
    else:
        raise LessonError(number, ASKED, line)


def _step(draft: _Draft) -> LessonStep:
    texts = {lang: _paragraphs(lines) for lang, lines in draft.texts.items() if any(line for _, line in lines)}
    if len(texts.keys() & set(LANGUAGES)) < (2 if draft.both else 1):
        raise LessonError(draft.line, TEXT if draft.both else ONE_TEXT, "")
    if not draft.both:
        texts = dict.fromkeys(LANGUAGES, next(iter(texts.values())))
    orders = tuple(order for order in draft.orders if order.word != TASK)
    tasks = tuple(order for order in draft.orders if order.word == TASK)
    asked = _question(draft) if "question" in draft.texts else None
    return LessonStep(draft.title, LessonText(texts["en"], texts["zh"]), draft.line, orders, tasks, asked)


def _paragraphs(lines: list[tuple[int, str]]) -> tuple[Piece, ...]:
    """Return consecutive lines joined to paragraphs, without a blank between Chinese characters."""
    joined, ends = "", list[tuple[int, int]]()
    found: list[Piece] = []
    for number, line in [*lines, (0, "")]:
        if line:
            line = line.strip()
            joined += ("" if not joined or re.search(CHINESE, joined[-1] + line[0]) else " ") + line
            ends.append((len(joined), number))
        elif joined:
            cut = pieces(joined, partial(_line_at, ends))
            found += ["\n\n", *cut] if found else list(cut)
            joined, ends = "", []
    return tuple(found)


def _line_at(ends: list[tuple[int, int]], place: int) -> int:
    """Return the line of a character in joined lines, given where these end."""
    return next(number for end, number in ends if place < end)


def _question(draft: _Draft) -> LessonQuestion:
    given = draft.question
    line, asked = given.get("ask", (draft.line, ""))
    marked = [place for place, (_, right, _) in enumerate(draft.choices) if right]
    counted = 2 <= len(draft.choices) <= MOST_CHOICES and len(marked) == 1
    if not asked or not (counted if draft.choices else "answer" in given) or (draft.choices and "answer" in given):
        raise LessonError(line, CHECK, asked)
    because = _said(given["because"][1], given["because"][0], draft.both) if "because" in given else None
    question = LessonQuestion(_said(asked, line, draft.both), because=because)
    if draft.choices:
        for number, text in draft.wrong:
            raise LessonError(number, OF_CHOICE, text)
        if "tolerance" in given:
            raise LessonError(given["tolerance"][0], OF_NUMBER, given["tolerance"][1])
        choices = tuple(_said(text, number, draft.both) for number, _, text in draft.choices)
        said = {place: _said(text, number, draft.both) for place, (number, text) in draft.wrong_choices.items()}
        wrong_choices = tuple(said.get(place) for place in range(len(choices)))
        return replace(question, choices=choices, right=marked[0], wrong_choices=wrong_choices)
    number, text = given["answer"]
    answer, wrong = _expression(text, number), tuple(_wrong(draft))
    return replace(question, answer=answer, line=number, tolerance=_tolerance(given), wrong=wrong)


def _wrong(draft: _Draft) -> Iterator[WrongAnswer]:
    """Yield the wrong answers of a question, each with what it is."""
    for place, (line, text) in enumerate(draft.wrong):
        number, between, said = text.partition(BETWEEN)
        if not between or place >= MOST_WRONG:
            raise LessonError(line, WRONG, text)
        yield WrongAnswer(_expression(number, line), _said(said, line, draft.both), line)


def _expression(text: str, line: int) -> LessonExpression:
    try:
        return expression(text)
    except ExpressionError as error:
        raise LessonError(line, NUMBER, error) from None


def _tolerance(given: dict[str, tuple[int, str]]) -> float:
    if "tolerance" not in given:
        return TOLERANCE
    line, text = given["tolerance"]
    if re.fullmatch(r"0?\.\d{1,9}", text) is None or not float(text):
        raise LessonError(line, POSITIVE, text)
    return float(text)
