"""What all commands share: help of --array, --axes, other options of files; notes on stderr, Chinese ones; progress."""

from __future__ import annotations

import argparse
import errno
import os
import re
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from attn_gui import arguments
from attn_gui.arguments import SettingsAction, setting, whole
from attn_gui.languages import N_, locale_language
from attn_gui.libraries import DRAWING, complaint
from attn_gui.paths import resource

if TYPE_CHECKING:
    from attn_gui.formats import Loaded
    from attn_gui.formats.named.array_mapping import ArrayMapping

DONE = 0  # the exit code of a command that did what it was asked
MOST_CHANGES = 6  # that are said of a file
SAY_WHICH = N_("{sentence} Say which is which: --array {arrays}.")
ALSO_HOLDS = N_(
    "{file} also holds {names}, which would change the numbers and is not read; nothing is written. Say which arrays "
    "count: --array query=query ….",
)
AND_MORE = N_("Interventions", "and {count} more")
BY_HAND = N_("Changed by hand: {changes}.")

PATIENCE = 0.5  # seconds before progress is shown


def say(words: object, end: str = "\n") -> None:
    """Write to stdout at once. Raises OutputError."""
    try:
        print(words, end=end, flush=True)
    except OSError as error:
        raise arguments.OutputError(error) from error


def say_bytes(data: bytes) -> None:
    """Write the bytes of a file to stdout. Raises OutputError, also where stdout is closed."""
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise arguments.OutputError(error) from error


class Parser(argparse.ArgumentParser):
    """A parser that refuses words in one sentence, without the usage in front of it; options are written in full."""

    def __init__(self, prog: str, **words: Any) -> None:
        super().__init__(prog, allow_abbrev=False, **words)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or the version. Raises OutputError, where argparse itself would say nothing."""
        say(message, end="")

    def error(self, message: str) -> NoReturn:
        raise arguments.UsageRefusal(message, self._nearest(message))

    def _nearest(self, message: str) -> str:
        """Name the option, or the choice of an option, that is nearest to the word that is refused."""
        if found := re.search(r"unrecognized arguments: (--\S+)", message):
            return arguments.nearest(found[1], [option for action in self._actions for option in action.option_strings])
        if found := re.search(r"argument (\S+): invalid choice: '([^']*)'", message):
            choices = [action.choices or () for action in self._actions if found[1] in action.option_strings]
            return arguments.nearest(found[2], [str(choice) for of_one in choices for choice in of_one])
        return ""


class _FirstFile(argparse.Action):
    """Stores all files as `files`, and the first one, which gives its name to what is written, as `file`."""

    def __call__(self, _parser: object, chosen: argparse.Namespace, values: Any, _option: str | None = None) -> None:
        chosen.files = tuple(values)
        chosen.file = chosen.files[0]


def add_problem(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for a file, or several whose arrays make one problem, and which arrays are which parts."""
    known = "a session (.attn), or arrays (.npz, .safetensors, …); several files of arrays are one problem"
    parser.add_argument("file", metavar="FILE", nargs="+", action=_FirstFile, type=Path, help=known)
    add_mapping_options(parser)


def add_mapping_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which arrays of a file are which parts of a problem."""
    add = parser.add_argument
    added = [
        add(
            "--array",
            type=setting,
            nargs="+",
            action=SettingsAction,
            metavar="PART=NAME",
            help="arrays of other names: query=h.3.attn.q key=h.3.attn.k … (parts are query, key, value, or x, "
            "context, w_query, …; w_query_key_value, b_query_key_value, query_key_value for three in one; and mask)",
        ),
        add(
            "--axes",
            metavar="A,B,…",
            help="of query, key, value: head,token,column or token,head,column; with batch, …; of attention weights"
            " alone: layer, batch, head, query, key in any order, such as batch,head,query,key (default: as the "
            "rest of the file and the names settle it, else they are asked for)",
        ),
        add(
            "--weights",
            metavar="in,out|out,in|…",
            help="axes of weights: out,in as torch.nn.Linear, in,head,column as Keras, head,in,column as "
            "TransformerLens (default: likewise)",
        ),
        add(
            "--mask",
            metavar="keep|block|add|none",
            help="what True in the mask means, that it is added to the scores, or left out (default: likewise)",
        ),
        add(
            "--split",
            metavar="A,B,C",
            help="how query, key and value lie in one array, such as w_query_key_value=c_attn.weight: part,head,column "
            "or head,part,column (default: as models have an array of its name)",
        ),
        add(
            "--num-heads",
            type=whole(1, 65536),
            metavar="N",
            help="where no axis says it (default: as the file, else 1)",
        ),
        add("--layer", type=whole(0, 65535), metavar="N", help="of attention weights that are of several layers"),
        add("--num-kv-heads", type=whole(1, 65536), metavar="N", help="of keys and values (default: as many)"),
    ]
    parser.set_defaults(mapping_options=[option.dest for option in added])


def mapping_from_options(chosen: argparse.Namespace) -> ArrayMapping | None:
    """Return the mapping that the options say; None where they say nothing. Raises CommandRefusal."""
    given = {name: value for name in chosen.mapping_options if (value := getattr(chosen, name)) is not None}
    if not given:
        return None
    from attn_gui.formats import FormatError
    from attn_gui.formats.named.array_mapping import parse_mapping

    try:
        return parse_mapping(dict(given.pop("array", ())), **given)
    except FormatError as error:
        raise arguments.CommandRefusal(error) from error


def open_input(chosen: argparse.Namespace) -> Loaded:
    """Return the problem in the chosen file. Raises CommandRefusal, AmbiguousFileRefusal for several readings."""
    from attn_gui.formats import FormatError, open_file, open_mapped
    from attn_gui.formats.file_messages import SeveralReadings
    from attn_gui.formats.named.array_names import ForeignNames
    from attn_gui.formats.named.attention_maps import SeveralMaps
    from attn_gui.formats.named.several_files import likely_arrays, open_several

    mapping = mapping_from_options(chosen)
    try:
        if len(chosen.files) > 1:
            return open_several(chosen.files, mapping)
        return open_file(chosen.file) if mapping is None else open_mapped(chosen.file, mapping)
    except ForeignNames as error:
        likely = likely_arrays(*chosen.files) or dict.fromkeys(("query", "key", "value"), "NAME")
        arrays = shlex.join(f"{part}={name}" for part, name in likely.items())
        raise arguments.AmbiguousFileRefusal(SAY_WHICH, sentence=error, arrays=arrays) from error
    except (SeveralMaps, SeveralReadings) as error:
        raise arguments.AmbiguousFileRefusal(error) from error
    except FormatError as error:
        raise arguments.CommandRefusal(error) from error


def complete(loaded: Loaded, path: Path) -> Loaded:
    """Return what was loaded. Raises CommandRefusal where the file holds more that would change the numbers."""
    if loaded.missed:
        from attn_gui.formats.problem_fields import listed

        raise arguments.CommandRefusal(ALSO_HOLDS, file=path.name, names=", ".join(listed(loaded.missed)))
    return loaded


def need_drawing() -> None:
    """Get ready to draw without a window, with a display, too: the same figure everywhere. Raises CommandRefusal."""
    if reason := complaint(DRAWING):
        raise arguments.CommandRefusal("{reason}", reason=reason)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"


def noted(loaded: Loaded) -> Loaded:
    """Say on stderr what was left out of the file, and which numbers interventions change; return what was loaded."""
    for note in loaded.notes:
        note_on_stderr(note.on_command_line())
    if changes := _changes(loaded):
        from attn_gui.formats.file_messages import FileNote

        note_on_stderr(FileNote(BY_HAND, changes=changes))
    return loaded


def _changes(loaded: Loaded) -> arguments.ChangeNotes:
    """Return the changes by hand in a problem; of many the first ones, and how many more there are."""
    from attn_gui.engine.errors import Note
    from attn_gui.engine.graph.intervention_nodes import phrase

    records = [record for record in loaded.problem.interventions if record.enabled]
    said = [phrase(loaded.problem, record) for record in records[:MOST_CHANGES]]
    more = len(records) - MOST_CHANGES
    return arguments.ChangeNotes([*said, Note(AND_MORE, {"count": more})] if more > 0 else said)


def note_on_stderr(said: object) -> None:
    """Write an error or a note to stderr, in the language of the locale or, of a refusal, that it was asked for in."""
    lang, values = getattr(said, "lang", None), getattr(said, "values", {})
    sentence = said_in(said, lang)
    if "known" in values and (
        near := arguments.nearest_known(str(values.get("got", values.get("name"))), values["known"])
    ):
        from attn_gui.formats.file_messages import FileNote

        sentence = f"{sentence[:-1]}{said_in(FileNote(arguments.NEAREST, word=near), lang)}{sentence[-1]}"
    print(f"attn-gui: {sentence}", file=sys.stderr)


def said_in(said: object, lang: str | None) -> str:
    """Return the sentence of an error or a note in a language; None: in that of the locale."""
    if (lang or locale_language()) == "en" or complaint(DRAWING):
        return str(said)
    with muted_stderr():  # Qt says at length that a locale is not installed
        return _chinese(said)


@contextmanager
def muted_stderr() -> Iterator[None]:
    """Discard what libraries write to stderr by themselves, as Rust does before it panics."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with Path(os.devnull).open("w") as sink:
        os.dup2(sink.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class FileProgress:
    """Progress of a file, on one line of a terminal; none where stderr goes into a pipe."""

    def __init__(self, path: Path) -> None:
        self._name, self._shown, self._begun = path.name, "", time.monotonic()
        self._terminal = sys.stderr is not None and sys.stderr.isatty()  # None: it was closed

    def __enter__(self) -> FileProgress:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def clear(self) -> None:
        """Clear the line."""
        if self._shown:
            self._shown = ""
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, share: float) -> None:
        """Write the share done, from any thread; the first half second is silent."""
        said = f"{self._name}: {share:.0%}"
        if self._terminal and said != self._shown and time.monotonic() > self._begun + PATIENCE:
            self._shown = said
            print(f"\r{said}\x1b[K", end="", file=sys.stderr, flush=True)


# --- refusals and notes in Chinese: whatever of Qt says them is imported when one is said ----------
_PARSER = (
    N_("argument {option}: {reason}"),
    N_("the following arguments are required: {options}"),
    N_("unrecognized arguments: {words}"),
    N_("invalid choice: {got} (choose from {choices})"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument {got}"),
    N_("{option} not allowed with argument {other}"),
    *arguments.SENTENCES,
    arguments.NEAREST,
)
"""Sentences that argparse hands on filled in, its own and those of `arguments`, from the whole to its parts."""


def _chinese(said: object) -> str:
    """Return the sentence of an error or note in Chinese; one that was never translated in its own words."""
    from PySide6.QtCore import QTranslator

    from attn_gui.app.state.translated_errors import sentence
    from attn_gui.figure.text.fonts import ensure_gui

    application = ensure_gui()
    translator = QTranslator()
    translator.load(str(resource("translations", "attn_gui_zh.qm")))
    application.installTranslator(translator)
    try:
        return sentence(_with_templates(said), named=str)
    finally:
        application.removeTranslator(translator)


def _with_templates(said: object) -> object:
    """Return a refusal of the command line with the templates of what fills its places; others have them."""
    from attn_gui.formats.file_messages import FileNote

    if isinstance(said, arguments.UsageRefusal):
        return FileNote(arguments.MISUSE, message=_recognized(said.message), near=_recognized(said.near))
    if isinstance(said, arguments.CommandRefusal) and said.template is not None:
        values = {
            place: _recognized(value) if isinstance(value, str) else value for place, value in said.values.items()
        }
        return FileNote(said.template, **values)
    if isinstance(said, FileNote):
        return FileNote(said.template, **{place: _change_words(value) for place, value in said.values.items()})
    return said


def _change_words(value: object) -> object:
    """Return changes by hand in the words of the window; any other value as it is."""
    if not isinstance(value, arguments.ChangeNotes):
        return value
    from attn_gui.views.names import said_in as change_in_words

    return "；".join(change_in_words(change, "Interventions") for change in value)


def _recognized(text: str) -> str:
    """Return a text of which a template is known as a note with this; any other as it is."""
    from attn_gui.formats.file_messages import FileNote

    if isinstance(text, FileNote):
        return text
    for template in _PARSER:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template))
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return FileNote(template, **{place: _recognized(part) for place, part in found.groupdict().items()})
    return text
