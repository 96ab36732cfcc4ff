"""Request for an export, checked against the problem. Imports engine and formats."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from attn_gui.commands.command_base import complete, noted
from attn_gui.engine import Evaluation, Problem
from attn_gui.engine.comparison import READY
from attn_gui.engine.derived_stages import OVER_HEADS, over_heads
from attn_gui.engine.errors import MessageError, StageError
from attn_gui.engine.evaluation.choice import evaluation_of
from attn_gui.engine.evaluation.proxies import (
    BeforeState,
    Difference,
    derived_maps,
    is_derived,
    pair_of,
    with_derived,
)
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.formats import FormatError, Loaded, open_file
from attn_gui.formats.atomic_writing import saving
from attn_gui.formats.export_names import file_stem, item_part, own_heads
from attn_gui.formats.file_messages import FileNote
from attn_gui.languages import LANGUAGES, QT_TRANSLATE_NOOP
from attn_gui.modes import BOTH

_NOTHING_TO_COMPARE = QT_TRANSLATE_NOOP(
    "Sentences", "{name} would compare the problem with itself: it has nothing of the kind."
)
_NO_STATE = QT_TRANSLATE_NOOP("Sentences", "{name} is no file, and none of {known}.")

_NO_PAIR = QT_TRANSLATE_NOOP("Sentences", "{name} cannot be compared: the other state has nothing that stands for it.")
_NO_ITEM = QT_TRANSLATE_NOOP("Sentences", "There is no batch item {item}; the problem has {known}.")
_NO_HEAD = QT_TRANSLATE_NOOP("Sentences", "There is no head {head}; the problem has {known}.")
_NO_NAME = QT_TRANSLATE_NOOP("Sentences", "--name is {got}; expected a name without folders, which -o says.")
_NO_STAGE = QT_TRANSLATE_NOOP("Sentences", "There is no stage {got}; the problem has {known}.")
_NO_HEADS = QT_TRANSLATE_NOOP(
    "Sentences", "--heads is {got} of {name}; expected all, heads such as 0,2-3, or as in {words}."
)
_NO_FOLDER = QT_TRANSLATE_NOOP("Sentences", "{path} is a file; expected a folder.")

_ALONE, _UP_TO = QT_TRANSLATE_NOOP("Sentences", "only 0"), QT_TRANSLATE_NOOP("Sentences", "0 to {last}")


# --- other state ----------------------------------------------------------------------------------
class ComparedEvaluation(NamedTuple):
    """The evaluation before, what the two states are called, and the part of a file's name that says so."""

    before: Evaluation
    names: tuple[str, str]
    part: str


def other_state(given: str, problem: Problem, own: str, head: int, lang: str) -> ComparedEvaluation:
    """Return the state that `given` names, a ready-made one or a file, beside a problem that is called `own`.

    Raises FormatError for what is neither.
    """
    if given in READY:
        ready, word = READY[given], LANGUAGES.index(lang)  # its words are in this order
        if not ready.applies(problem):
            raise FormatError(_NOTHING_TO_COMPARE, name=given)
        names = ready.before[word].format(head=head), ready.after[word].format(head=head)
        return ComparedEvaluation(evaluation_of(ready.made(problem, head)), names, given)
    path = Path(given)
    if not path.exists():
        raise FormatError(_NO_STATE, name=given, known=tuple(READY))
    return ComparedEvaluation(
        evaluation_of(complete(noted(open_file(path)), path).problem), (path.stem, own), f"vs-{path.stem}"
    )


# --- request --------------------------------------------------------------------------------------
class ExportError(MessageError, ValueError):
    """A request for something that is not there, in one sentence."""


@dataclass(frozen=True)
class ExportRequest:
    """The files to write: of stages, and of `fields` of the problem, which have no steps behind them."""

    loaded: Loaded
    evaluation: Evaluation
    stages: tuple[str, ...]
    fields: tuple[str, ...]
    heads: tuple[int, ...]
    options: argparse.Namespace
    other: ComparedEvaluation | None = None

    def heads_of(self, stage: str) -> tuple[int, ...]:
        """Return the heads that have a file of their own."""
        return own_heads(self.evaluation, stage, self.heads)

    def path(self, stage: str, part: str, ending: str) -> Path:
        """Return the file of a stage and a head."""
        return self.base(file_stem(stage, part, self.item, self.compared), ending)

    @property
    def item(self) -> str:
        """The part of a name that tells the batch item, where there are several."""
        return item_part(self.evaluation.problem, self.options.batch)

    @property
    def compared(self) -> str:
        """The part of a name that tells two states and what of them is shown."""
        if self.other is None:
            return ""
        return file_stem(self.other.part, self.options.show if self.options.show not in BOTH else "")

    def read(self, stage: str) -> Evaluation:
        """Return the evaluation that numbers are read from: of two states the difference, unless one of them is asked
        for."""
        if self.other is None or self.options.show == "now":
            return self.evaluation
        try:
            pair_of(self.other.before, self.evaluation, stage)
        except StageError as error:
            raise ExportError(_NO_PAIR, name=stage) from error
        difference = Difference(self.other.before, self.evaluation)
        return BeforeState(difference) if self.options.show == "before" else difference

    @property
    def name(self) -> str:
        """The names of the files before stage and head."""
        return str(self.options.name or self.options.file.stem)

    def base(self, rest: str, ending: str) -> Path:
        """Return a file of the export, by what follows its name."""
        return Path(self.options.folder, file_stem(self.name, rest) + ending)


def request_of(loaded: Loaded, options: argparse.Namespace) -> ExportRequest:
    """Return the request in the options of the command line. Raises ExportError with one sentence for what is not
    there."""
    problem, evaluation = loaded.problem, evaluation_of(loaded.problem)
    if options.batch >= problem.batch_size:
        raise ExportError(_NO_ITEM, item=options.batch, known=_count(problem.batch_size))
    if options.name and Path(options.name).name != options.name:
        raise ExportError(_NO_NAME, got=repr(options.name))
    heads = _chosen_heads(options, problem)
    stages, fields = _chosen_stages(options, evaluation)
    other = None
    if options.compare is not None:
        other = other_state(options.compare, problem, options.file.stem, heads[0], options.lang)
    if any(is_derived(stage) for stage in stages):
        evaluation = with_derived(evaluation)
        other = other and other._replace(before=with_derived(other.before))
    return ExportRequest(loaded, evaluation, stages, fields, heads, options, other)


def _chosen_heads(options: argparse.Namespace, problem: Problem) -> tuple[int, ...]:
    """Return the heads to write; all where one map of all of them is asked for. Raises ExportError."""
    if options.heads is None or isinstance(options.heads, str):
        return tuple(range(problem.num_heads))
    heads: tuple[int, ...] = options.heads
    if missing := [head for head in heads if head >= problem.num_heads]:
        raise ExportError(_NO_HEAD, head=missing[0], known=_count(problem.num_heads))
    return heads


def _chosen_stages(options: argparse.Namespace, evaluation: Evaluation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the stages to write, and the fields of the problem among the names. Raises ExportError."""
    known = (*evaluation.stages, *derived_maps(evaluation))
    named = tuple(dict.fromkeys(options.stage or [SHOWN_FIRST]))
    if isinstance(options.heads, str):
        named = tuple(_over_heads(stage, options.heads) for stage in named)
    fields = tuple(name for name in named if name in evaluation.problem.arrays() and name not in known)
    stages = tuple(name for name in named if name not in fields)
    if unknown := [stage for stage in stages if stage not in known]:
        raise ExportError(_NO_STAGE, got=repr(unknown[0]), known=known)
    return stages, fields


def _over_heads(stage: str, word: str) -> str:
    """Return the map of all heads of a stage together. Raises ExportError where there is none of that name."""
    merged, heads = over_heads(stage, word)
    if heads is not None:
        words = ", ".join(f"--stage {entry.reads} --heads {entry.word}" for entry in OVER_HEADS.values())
        raise ExportError(_NO_HEADS, got=repr(word), name=stage, words=words)
    return merged


def make_folder(folder: Path) -> None:
    """Make the folder of the files, unless it is there. Raises ExportError, FormatError."""
    try:
        with saving(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except FormatError as error:
        if folder.exists():
            raise ExportError(_NO_FOLDER, path=str(folder)) from error
        raise


def _count(size: int) -> FileNote:
    return FileNote(_ALONE) if size == 1 else FileNote(_UP_TO, last=size - 1)
