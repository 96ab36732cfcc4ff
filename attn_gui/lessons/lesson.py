"""Lessons: their records, and the reader of their Markdown files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from attn_gui.engine.mistakes.grading import TOLERANCE
from attn_gui.formats.file_format import PathText, reading
from attn_gui.formats.file_messages import FileNote, FormatError, quoted
from attn_gui.languages import LANGUAGES, N_
from attn_gui.lessons.lesson_text import LessonText, Piece, pieces
from attn_gui.lessons.live_numbers import ExpressionError, LessonExpression, expression
from attn_gui.paths import resource

LINE = N_("In the lesson {file}, line {line}: expected {expected}, got {got}.")

NOTHING = FileNote(N_("nothing"))
LONGEST_ECHO = 60  # letters of the file that are said again

LARGEST_FILE, LONGEST_LINE, MOST_STEPS, MOST_CHOICES, MOST_CANS, MOST_WRONG = 200_000, 2_000, 60, 8, 8, 8
LEAST_MINUTES = 3
ORDERS = ("open", "make", "model", "words", "set", "choose", "head", "show", "cover", "play", "holds", "until")
TASK = "do"
BETWEEN = " | "  # between the two languages of a line. A title without it is that of a lesson in one language alone
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
            text = source.file.read(LARGEST_FILE + 1).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise LessonError(1, UTF8, f"{error.object[error.start]:#x}") from None
        return replace(_lesson(text), path=Path(path))


def _lesson(text: str) -> Lesson:
    lines = _lines(text)
    number, first = next(lines, (1, ""))
    if not first.startswith("# "):
        raise LessonError(number, TITLE, first)
    both, end = BETWEEN in first, None
    title, drafts, part = _said(first[2:], number, both), list[_Draft](), ""
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
    en, zh = (pieces(side, lambda place: line, _no_number) for side in sides)
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
            cut = pieces(joined, partial(_line_at, ends), _no_number)
            found += ["\n\n", *cut] if found else list(cut)
            joined, ends = "", []
    return tuple(found)


def _line_at(ends: list[tuple[int, int]], place: int) -> int:
    """Return the line of a character in joined lines, given where these end."""
    return next(number for end, number in ends if place < end)


def _no_number(line: int, got: str) -> LessonError:
    return LessonError(line, NUMBER, got)


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


def title_of(path: Path, lang: str) -> str | None:
    """Return the title in the first line of a lesson; None for a file that does not begin as a lesson."""
    with path.open(encoding="utf-8") as file:
        line = file.readline(LONGEST_LINE)
    sides = line.removeprefix("# ").strip().split(BETWEEN)
    return sides[lang == "zh"] if line.startswith("# ") and len(sides) == 2 else None
