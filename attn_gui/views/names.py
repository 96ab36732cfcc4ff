"""Names on screen: steps, cells by tokens, heads, masks; What's This of maps and tables, formulas in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import nlargest
from typing import overload

from PySide6.QtCore import QCoreApplication

from attn_gui.engine import STAGE, Evaluation, Problem
from attn_gui.engine.creation.interventions import AXIS, whole_heads
from attn_gui.engine.errors import Note
from attn_gui.engine.graph.symbols_and_titles import about, is_named, symbol, title
from attn_gui.engine.interventions import Copy, Intervention, Scale
from attn_gui.engine.masks import MASKS, Layer, Parameter, as_blocked
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.figure.stage_formulas import shown_latex, stage_latex
from attn_gui.figure.text.number_formats import significant
from attn_gui.figure.text.rich_text import token_text
from attn_gui.languages import N_

LAST = {
    "allowed": N_("Names", "Allowed cells of mask layer {k}"),
    "values": N_("Names", "Values of mask layer {k}"),
}
BY_HAND = N_("Names", "Numbers of intervention {k}")


def stage_title(name: str) -> str:
    """Return the title of a stage or field: `Scores`, `Query projection`, `Allowed cells of mask layer 0`."""
    if (k := Layer.position_of(name)) is not None:
        return QCoreApplication.translate("Names", LAST[name.rpartition(".")[2]]).format(k=k)
    if (k := Intervention.position_of(name)) is not None:
        return QCoreApplication.translate("Names", BY_HAND).format(k=k)
    english = title(name, "en") if is_named(name) else ""
    return QCoreApplication.translate("Names", english) if english else name.rsplit(".", 1)[-1]


def layer_words(layer: int) -> str:
    """Return a layer of a model: `Layer 1`."""
    return QCoreApplication.translate("Names", "Layer {layer}").format(layer=layer)


def letter(name: str) -> str:
    """Return the letter of a stage or field on screen, which is a word where heads are joined."""
    return QCoreApplication.translate("Names", symbol(name))


def place_words(problem: Problem, axes: Sequence[str], row: int, column: int) -> str:
    """Return `it → tired (10, 13)`, a cell by its tokens; without them `it → key 1 (1, 1)` and so on, or `(1, 1)`."""
    place = f"({row}, {column})"
    if axes[-1] != "key":
        return place
    query = QCoreApplication.translate("Names", "query {row}").format(row=row)
    key = QCoreApplication.translate("Names", "key {column}").format(column=column)
    if problem.query_tokens:
        query = token_text(problem.query_tokens[row])
    if problem.names_of_keys:  # either may have none: a second sequence at first
        key = token_text(problem.names_of_keys[column])
    return f"{query} → {key} {place}"


def said_in(part: object, context: str) -> str:
    """Return a note in the present language, notes within it too; `context` is that of its templates."""
    return part.translated(QCoreApplication.translate, context) if isinstance(part, Note) else str(part)


def unbroken(sentence: str) -> str:
    """Return the sentence with sizes ("4 × 5") and cuts ("2 · 3") unbroken: no line ends inside one.

    One may end behind each 、 of a list of endings (.csv、.tex), which to Qt is one word.
    """
    whole = sentence.replace(" × ", "\u00a0×\u00a0").replace(" · ", "\u00a0·\u00a0")
    return whole.replace("、.", "、\u200b.")


class AxisNames(Sequence[str]):
    """Names of the rows or columns of a map, of which there may be 65,536: each is written when it is read."""

    def __init__(self, tokens: Sequence[object]) -> None:
        self._tokens = tokens

    def __len__(self) -> int:
        return len(self._tokens)

    @overload
    def __getitem__(self, cell: int) -> str: ...

    @overload
    def __getitem__(self, cell: slice) -> AxisNames: ...

    def __getitem__(self, cell: int | slice) -> str | AxisNames:
        return AxisNames(self._tokens[cell]) if isinstance(cell, slice) else token_text(str(self._tokens[cell]))

    def longest(self, most: int) -> list[str]:
        """Return the names of the tokens with most letters, `most` at most."""
        return [token_text(token) for token in nlargest(most, map(str, self._tokens), key=len)]


NO_NAMES = AxisNames(())


# --- score functions ------------------------------------------------------------------------------


def score_name(score: str) -> str:
    """Return the name of a score function."""
    return QCoreApplication.translate("Scores", SCORES[score].label)


def normalizer_name(key: str) -> str:
    """Return the name of what makes weights of the scores."""
    return QCoreApplication.translate("Normalizers", NORMALIZERS[key].label)


# --- changes by hand ------------------------------------------------------------------------------


def head_words(problem: Problem) -> dict[int, str]:
    """Return a word for every head that is not as computed: "off", "× 0.5", "from 2", "by hand"."""
    return {head: _word(record) for head, record in whole_heads(problem).items()}


def off_word() -> str:
    """Return the word for a head whose result is multiplied by 0."""
    return QCoreApplication.translate("Heads", "off")


def _word(record: Intervention) -> str:
    if isinstance(record, Scale):
        return off_word() if record.factor == 0 else f"× {significant(record.factor)}"
    if isinstance(record, Copy) and AXIS in record.source:
        return QCoreApplication.translate("Heads", "from {head}").format(head=record.source[AXIS])
    return QCoreApplication.translate("Heads", "by hand")


# --- mask layers ----------------------------------------------------------------------------------


def mask_name(kind: str) -> str:
    """Return the name of a kind of layer."""
    return QCoreApplication.translate("Masks", MASKS[kind].label)


def mask_about(kind: str) -> str:
    """Return the effect of a kind of layer, in half a line."""
    return QCoreApplication.translate("Masks", MASKS[kind].about)


def mask_parameter_name(parameter: Parameter) -> str:
    """Return the name of a parameter."""
    return QCoreApplication.translate("Masks", parameter.label or parameter.name)


def mask_parameter_about(parameter: Parameter) -> str:
    """Return the effect of a parameter on the rule; empty where nothing is said of it."""
    return QCoreApplication.translate("Masks", parameter.about) if parameter.about else ""


def mask_summary(layers: Sequence[Layer]) -> str:
    """Return the layers in force, short enough for the box in the spine: "none", "causal", "causal + 2"."""
    kinds = [layer.kind for layer in layers if layer.enabled]
    if not kinds:
        return QCoreApplication.translate("Masks", "none")
    return mask_name(kinds[0]) + (f" + {len(kinds) - 1}" if len(kinds) > 1 else "")


def mask_polarity(blocked: bool) -> str:
    """Return the way in which True is read."""
    if blocked:
        return QCoreApplication.translate("Masks", "True = blocked")
    return QCoreApplication.translate("Masks", "True = may attend")


def mask_rule(layer: Layer, n: int, m: int, blocked: bool) -> str:
    """Return the rule of a layer: "open where j ≤ i + 2", "blocked unless j ≤ i + 2", "adds −slopeₕ · |i − j|"."""
    return mask_note(as_blocked(layer.rule(n, m)) if blocked else layer.rule(n, m))


def mask_lint_text(text: str) -> str:
    """Return words of the lint in the present language; empty ones stay so."""
    return QCoreApplication.translate("Masks", text) if text else ""


def mask_note(part: object) -> str:
    """Return a note in the present language, notes within it too."""
    return said_in(part, "Masks")


# --- a typed weight -------------------------------------------------------------------------------
ASK = "ask"
ALONE, RESCALED, SOLVED = "alone", "rescaled", "solved"
WEIGHT_MEANINGS = {
    RESCALED: N_("WeightDialog", "Set it, and rescale the other weights so that the row adds up to 1"),
    ALONE: N_("WeightDialog", "Set this number alone: the row need not add up to 1"),
    SOLVED: N_("WeightDialog", "Find the smallest change of the query that gives it"),
}
WEIGHT_MEANINGS_WITH_SINK = WEIGHT_MEANINGS | {
    RESCALED: N_(
        "WeightDialog", "Set it, and rescale the other weights and the share of the sink so that all add up to 1"
    )
}


# --- formulas in words ----------------------------------------------------------------------------
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|[0-9.]+|\s+|.", re.DOTALL)
# fmt: off
_SIGNS = {
    r"\cdot": "·", r"\circ": "∘", r"\times": "×", r"\cdots": "…", r"\sum": "∑", r"\infty": "∞", r"\partial": "∂",
    r"\Delta": "Δ", r"\approx": "≈", r"\le": "≤", r"\in": "∈", r"\lparen": "(", r"\rparen": ")", r"\|": "‖",
    r"\,": " ", r"\;": " ", r"\quad": "  ", r"\ell": "l",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\varepsilon": "ε", r"\theta": "θ",
    r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\sigma": "σ", r"\tau": "τ", r"\varphi": "φ",
    r"\left": "", r"\right": "", r"\mathrm": "", r"\text": "",
    "-": "−", "'": "′",
}
# fmt: on
_SUBSCRIPTS = {ord(digit): small for digit, small in zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)}


def spoken(latex: str) -> str:
    """Return a formula of the engine in words, on one line; `latex` uses the few commands that the engine writes."""
    return " ".join(_Reader(_TOKEN.findall(latex)).rest().split())


class _Reader:
    """Reads tokens from left to right, a group or a command with its arguments at a time."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens, self._at = tokens, 0

    def rest(self, end: str = "") -> str:
        """Return words up to `end`, or to the end of the formula."""
        said = []
        while self._at < len(self._tokens) and self._tokens[self._at] != end:
            said.append(self._next())
        self._at += 1
        return "".join(said)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        if token == "{":
            return self.rest("}")
        if token == r"\frac":
            return f"{_tight(self._argument())}/{_tight(self._argument())}"
        if token == r"\sqrt":
            return f"√{_tight(self._argument())}"
        if token == "^":
            return f"^{_tight(self._argument())}"
        if token == "_":
            index = self._argument()
            return index.translate(_SUBSCRIPTS) if re.fullmatch(r"[\d,]+", index) else f"_{_tight(index)}"
        return _SIGNS.get(token, token.removeprefix("\\") if len(token) > 1 else token)

    def _argument(self) -> str:
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        return self._next().strip() if self._at < len(self._tokens) else ""


def _tight(part: str) -> str:
    """Return the text in brackets unless it is read as one thing anyway."""
    outside, before = re.sub(r"\([^()]*\)", "", part), part
    while outside != before:
        outside, before = re.sub(r"\([^()]*\)", "", outside), outside
    return f"({part})" if re.search(r"[\s·/,]", outside) else part


READ_BY = N_("MatrixWords", "It goes into {formulas}.")
HATCHED = N_("MatrixWords", "Hatched cells are closed by the mask: they have no number.")
MAP = N_("MatrixWords", "A click on a cell explains its number; a number typed on it takes its place.")
TABLE = N_("MatrixWords", "Type a number over a cell or paste a block: every step after it follows.")
READ_ONLY = N_("MatrixWords", "These numbers are shown to be read; they cannot be typed over.")
_RAISED, _SMALL = re.compile(r"\^([Tbgmnu])(?![\w(])"), str.maketrans("Tbgmnu", "ᵀᵇᵍᵐⁿᵘ")


def map_words(evaluation: Evaluation, name: str) -> str:
    """Return text for the map of a stage or field, line by line."""
    made = [_written(name, form) for form in _made_by(evaluation, name)]
    hatched = [HATCHED] if evaluation.mask is not None and name in STAGE and STAGE[name].behind_mask else []
    return _lines(evaluation, name, made, [*hatched, *([] if evaluation.kind else [MAP])])


def table_words(evaluation: Evaluation, name: str, *, editable: bool) -> str:
    """Return text for the table of a field, line by line."""
    return _lines(evaluation, name, [], [TABLE if editable else READ_ONLY])


def _lines(evaluation: Evaluation, name: str, made: list[str], more: list[str]) -> str:
    said = about(name) if is_named(name) else ""
    lines = [f"{letter(name)} · {stage_title(name)}" if is_named(name) else stage_title(name)]
    lines += [QCoreApplication.translate("Names", said)] if said else []
    lines += made
    if not evaluation.kind and (read := _read_by(evaluation, name)):
        lines.append(QCoreApplication.translate("MatrixWords", READ_BY).format(formulas=", ".join(read)))
    return "\n".join((*lines, *(QCoreApplication.translate("MatrixWords", line) for line in more)))


def _made_by(evaluation: Evaluation, name: str) -> tuple[str, ...]:
    """Return the formula that makes a stage; none of a difference or a gradient, which is no stage but made of two."""
    return shown_latex(evaluation, name)[:1] if name in evaluation.stages and not evaluation.kind else ()


def _read_by(evaluation: Evaluation, name: str) -> list[str]:
    """Return the formulas of the stages that read a matrix and are shown."""
    readers = [node for node in evaluation.nodes if name in node.fields and node.name in evaluation.stages]
    found = ((node.name, stage_latex(evaluation, node.name)) for node in readers if not node.stage.alias)
    return list(dict.fromkeys(_written(stage, form) for stage, form in found if form))


def _written(name: str, latex: str) -> str:
    """Return a formula in plain characters, with the letter of what it makes."""
    text = _RAISED.sub(lambda found: found[1].translate(_SMALL), spoken(latex))
    return text if "=" in text else f"{letter(name)} = {text}"
