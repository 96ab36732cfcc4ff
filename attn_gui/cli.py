"""`attn-gui` itself: usage, files and folders that open the window, `verify`, `completion`, letters that stdout lacks.
Answers --help and --version with the standard library alone; the rest is imported when needed.

The help of an export names every format, and asks those, which need NumPy; no help needs Qt.
"""

from __future__ import annotations

import argparse
import codecs
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from attn_gui.arguments import AmbiguousFileRefusal, CommandRefusal, OutputError, nearest
from attn_gui.commands.command_base import (
    DONE,
    FileProgress,
    Parser,
    add_mapping_options,
    add_problem,
    mapping_from_options,
    note_on_stderr,
    noted,
    open_input,
    say,
)
from attn_gui.languages import LANGUAGES, N_
from attn_gui.no_window import obstacle
from attn_gui.version import VERSION

_NO_MEMORY = N_("This does not fit into the memory of this computer.")
_UNWRITTEN = N_("The output could not be written: {reason}.")
_NO_COMMAND = N_("There is neither a file nor a command {word}{near}; “attn-gui --help” lists them.")
_NO_FILE = N_("Options on arrays need a FILE that holds them.")
_ONE_EACH = N_("Options on arrays are about one problem; {names} hold one each.")
_NO_SHTAB = N_("Completion needs the package shtab, which is not installed: python -m pip install shtab")
_REST_ONLY = N_("{file} also holds {names}, not read: the lines above are about the rest only.")

SHELLS = ("bash", "zsh")  # whose scripts `attn-gui completion` prints
REFUSED, INTERRUPTED = 2, 130
AS_IT_CAN = "as-it-can"
"""The way in which stdout writes letters that it has no place for."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 where it has done its work, 2 after one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    codecs.register_error(AS_IT_CAN, _as_it_can)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors=AS_IT_CAN)
    try:
        command = COMMANDS.get(words[0]) if words else None
        return command.run(words[1:]) if command else _window(words)
    except CommandRefusal as refusal:
        return _refuse(refusal)
    except MemoryError:
        return _refuse(CommandRefusal(_NO_MEMORY))
    except KeyboardInterrupt:
        return INTERRUPTED
    except OutputError as unheard:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still in its buffer goes nowhere
        if isinstance(unheard.reason, BrokenPipeError):  # the reader of the pipe has closed it
            return DONE
        return _refuse(CommandRefusal(_UNWRITTEN, reason=unheard.reason.strerror))


def _as_it_can(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode what stdout cannot: bytes of file names as they came, other letters as \\u escapes."""
    try:
        return codecs.lookup_error("surrogateescape")(error)
    except UnicodeError:
        return codecs.backslashreplace_errors(error)


def _export(words: list[str]) -> int:
    from attn_gui.commands.export_command import export

    return export(words)


def _model(words: list[str]) -> int:
    from attn_gui.commands.model_command import model

    return model(words)


def _lesson(words: list[str]) -> int:
    from attn_gui.commands.teaching_commands import lesson

    return lesson(words)


def _worksheet(words: list[str]) -> int:
    from attn_gui.commands.teaching_commands import worksheet

    return worksheet(words)


def _solution(words: list[str]) -> int:
    from attn_gui.commands.teaching_commands import solution

    return solution(words)


def _completion(words: list[str]) -> int:
    chosen = _completion_parser().parse_args(words)
    try:
        from shtab import complete
    except ImportError as error:
        raise CommandRefusal(_NO_SHTAB) from error
    say(complete(_whole_parser(), shell=chosen.shell))
    return DONE


def _refuse(refusal: CommandRefusal) -> int:
    note_on_stderr(refusal)
    return REFUSED


def _window(words: list[str]) -> int:
    chosen = window_parser().parse_args(words)
    if words and re.fullmatch(r"\w+", words[0]) and not Path(words[0]).exists():  # a slip in a command, hardly a file
        raise CommandRefusal(_NO_COMMAND, word=words[0], near=nearest(words[0], list(COMMANDS)))
    if not chosen.files and mapping_from_options(chosen) is not None:
        raise CommandRefusal(_NO_FILE)
    for files in () if chosen.in_window else _apart(chosen.files):
        _check_alone(chosen, files)
        _check(argparse.Namespace(**{**vars(chosen), "files": files, "file": files[0]}))  # refused before a window is
    if reason := obstacle():
        raise CommandRefusal("{reason}", reason=reason)
    from attn_gui.app.start import run

    paths = [file.absolute() for file in chosen.files]  # a journal outlives the current folder
    return run(paths, chosen.lang, mapping_from_options(chosen))


def _apart(files: Sequence[Path]) -> list[tuple[Path, ...]]:
    """Return files of arrays together, as they make one problem, and every other one by itself."""
    if len(files) < 2:
        return [(file,) for file in files]
    from attn_gui.formats.named.several_files import holds_arrays
    from attn_gui.paths import is_lesson, is_model

    together = tuple(file for file in files if holds_arrays(file) and not (is_model(file) or is_lesson(file)))
    return [*([together] if together else []), *((file,) for file in files if file not in together)]


def _check_alone(chosen: argparse.Namespace, files: tuple[Path, ...]) -> None:
    """Refuse options on arrays beside several files that are a problem each: they would open without."""
    from attn_gui.formats import FormatError
    from attn_gui.formats.named.several_files import several_name, whole_ones

    mapping = mapping_from_options(chosen)
    if len(files) < 2 or mapping is None or mapping.arrays:
        return
    try:
        whole = whole_ones(files)
    except FormatError as error:
        raise CommandRefusal(error) from error
    if len(whole) > 1:
        raise CommandRefusal(_ONE_EACH, names=several_name(whole))


def _check(chosen: argparse.Namespace) -> None:
    """Refuse a file that cannot be opened in the window: a problem, a lesson, a model or a session of one."""
    from attn_gui.formats import FormatError
    from attn_gui.formats.session import ModelNeeded
    from attn_gui.lessons.lesson import read_lesson
    from attn_gui.paths import is_lesson, is_model

    alone = mapping_from_options(chosen) is None
    try:
        if is_lesson(chosen.file) and alone:
            read_lesson(chosen.file)
        elif not (is_model(chosen.file) and alone):
            open_input(chosen)
    except AmbiguousFileRefusal:
        pass  # the window asks
    except FormatError as error:
        raise CommandRefusal(error) from error
    except CommandRefusal as refusal:
        if not isinstance(refusal.__cause__, ModelNeeded):  # which the window looks for
            raise


def _verify(words: list[str]) -> int:
    chosen = verify_parser().parse_args(words)
    from attn_gui.engine import verify
    from attn_gui.formats.problem_fields import listed

    loaded = noted(open_input(chosen))
    with FileProgress(chosen.file) as progress:
        found = verify(loaded.problem, progress=progress.show)
    for line in found.lines():
        say(line)
    if found.complaint:
        raise CommandRefusal("{sentence}", sentence=found.complaint)
    if found.unjudged is not None:
        raise CommandRefusal(found.unjudged)
    if loaded.left_out:
        raise CommandRefusal(_REST_ONLY, file=chosen.file.name, names=", ".join(listed(loaded.left_out)))
    return DONE


class Subcommand(NamedTuple):
    """A command, what it does, and its usage, each in a line."""

    run: Callable[[list[str]], int]
    does: str
    usage: str


COMMANDS = {
    "export": Subcommand(_export, "write figures and numbers as files", "export FILE -o DIR [options]"),
    "verify": Subcommand(_verify, "recompute every number by an independent reference", "verify FILE [options]"),
    "model": Subcommand(_model, "run a text through a published model", "model FOLDER --text TEXT [options]"),
    "worksheet": Subcommand(
        _worksheet, "write worksheets for a class, and their keys", "worksheet FILE -o DIR [options]"
    ),
    "solution": Subcommand(_solution, "write a worked solution, step by step", "solution FILE -o DIR [options]"),
    "lesson": Subcommand(_lesson, "check a lesson that you wrote", "lesson check FILE"),
    "completion": Subcommand(_completion, "print what completes these words in a shell", "completion bash|zsh"),
}


def window_parser() -> argparse.ArgumentParser:
    """Return the parser of `attn-gui` without a command."""
    parser = Parser(
        "attn-gui",
        usage="\n       ".join(
            ["attn-gui [FILE ...] [--lang en|zh] [options]", *(f"attn-gui {c.usage}" for c in COMMANDS.values())]
        ),
        description="Take attention apart by hand: edit Q, K, V and watch every step follow.\n\ncommands:\n"
        + "\n".join(f"  {name:<12}{command.does}" for name, command in COMMANDS.items()),
        epilog="“attn-gui COMMAND --help” tells the options of a command.\n"
        "Refusals and notes are in Chinese where LC_ALL, LC_MESSAGES or LANG begins with zh;\n"
        "figures and sheets are in the language of --lang.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = "a session (.attn), arrays (.npz, .safetensors, .json, .xlsx), a figure with its session (.png, .svg, "
    known += ".pdf), a lesson (.md) or the folder of a model to open; several files of arrays (.npy, .csv, …) as one "
    known += "problem, several others each in a window of its own"
    parser.add_argument("files", metavar="FILE", nargs="*", type=Path, help=known)
    parser.add_argument("--lang", choices=LANGUAGES, help="language of the window (default: the system's)")
    parser.add_argument(
        "--in-window",
        action="store_true",
        help="open the window in any case and say there, not on stderr, what is wrong with a FILE: for desktops",
    )
    add_mapping_options(parser)
    parser.add_argument("-V", "--version", action="version", version=f"attn-gui {VERSION}")
    return parser


def verify_parser() -> argparse.ArgumentParser:
    """Return the parser of `attn-gui verify`."""
    parser = Parser(
        "attn-gui verify",
        usage="attn-gui verify FILE [options]",
        description="Recompute a problem by an independent plain reference and print the worst difference of every "
        "stage, and whether what must always hold does; needs no display.",
        epilog="Exit code 0 if every difference is one that rounding explains; else 2, with a sentence on the first "
        "that is not. Above 200000 cells of n·m·h a seeded sample of rows is recomputed.",
    )
    add_problem(parser)
    return parser


def command_parsers() -> list[argparse.ArgumentParser]:
    """Return the parser of every command."""
    from attn_gui.commands.export_command import export_parser
    from attn_gui.commands.model_command import model_parser
    from attn_gui.commands.teaching_commands import lesson_parser, solution_parser, worksheet_parser

    return [
        export_parser(),
        verify_parser(),
        model_parser(),
        worksheet_parser(),
        solution_parser(),
        lesson_parser(),
        _completion_parser(),
    ]


def _whole_parser() -> argparse.ArgumentParser:
    """Return one parser with the commands in it, as shtab reads them; each command parses its own words otherwise."""
    whole = argparse.ArgumentParser("attn-gui", parents=[window_parser()], add_help=False, conflict_handler="resolve")
    commands = whole.add_subparsers()
    for parser in command_parsers():
        commands.add_parser(parser.prog.split()[-1], parents=[parser], add_help=False, help=parser.description)
    return whole


def _completion_parser() -> Parser:
    parser = Parser(
        "attn-gui completion",
        usage="attn-gui completion bash|zsh",
        description="Print a script that completes commands, options and files in a shell.",
        epilog="bash: attn-gui completion bash > ~/.local/share/bash-completion/completions/attn-gui",
    )
    parser.add_argument("shell", metavar="bash|zsh", choices=SHELLS, help="the shell")
    return parser
