"""Facts of a catalog entry beside its arithmetic: names, formulas as templates, the box of its operator."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypedDict


class Name(NamedTuple):
    """The letter in plain text, the LaTeX of the matrix and of one cell, and the title in English and Chinese.

    `letter_zh` is the letter in Chinese where that is a word, `cell_letter` that of a cell in plain text; `about` and
    `about_zh` say what its rows stand for where the title alone does not.
    """

    letter: str
    matrix: str
    cell: str
    en: str = ""
    zh: str = ""
    letter_zh: str = ""
    about: str = ""
    about_zh: str = ""

    @property
    def cell_letter(self) -> str:
        """The plain letter of one cell: s′ of S′, w of W_Q, c of a word."""
        return self.cell if self.letter_zh else self.letter.partition("_")[0].lower()

    def words(self) -> dict[str, str]:
        """The Chinese words by the English ones."""
        said = (self.en, self.zh), (self.letter, self.letter_zh), (self.about, self.about_zh)
        return {en: zh for en, zh in said if zh}


class Form(NamedTuple):
    """The formula of a stage as a template; `views.stage_formulas` says what may stand in braces.

    `whole` stands over its map, in LaTeX; `inner` is what it contributes to what the softmax is taken of, and `text`
    the same in plain characters: {before} there is what the stages before it have contributed.
    """

    whole: str = "{letter}"
    inner: str = "{letter}"
    text: str = "{symbol}"


class Operator(NamedTuple):
    """The box before a stage in the spine: its key, the text in it where there is no choice, and its caption.

    `always`: it stands there in problems without the stage, too, since one press of it adds the stage.
    """

    key: str
    en: str
    zh: str
    text: str = ""
    always: bool = False

    def words(self) -> dict[str, str]:
        """The Chinese words by the English ones."""
        return {self.en: self.zh}


class Role(Enum):
    """Part of a stage in attention: code that has to know a stage asks for its part, never for a name."""

    SCORE = "compares queries with keys"
    SCALE = "multiplies the scores by a number"
    CAP = "bends the scores below a bound"
    BIAS = "adds layers to the scores"
    CLOSE = "closes keys to queries"
    WEIGHT = "makes each row of scores weights, by a softmax"
    MIX = "sums values by the weights"
    JOIN = "lays the results of the heads side by side"
    PROJECT = "multiplies the joined heads by W_O, where there is one"


class Facts(TypedDict, total=False):
    """Facts of a stage beside its arithmetic, for stages that have no class of their own."""

    called: Name
    form: Form
    operator: Operator
    heads: str
    transposed: bool
    elementary: bool
    shares: bool
    told: str
    role: Role
    block: str
    when: tuple[str, ...]
