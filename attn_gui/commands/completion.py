"""`attn-gui completion`: scripts for bash and zsh."""

from __future__ import annotations

import argparse

from attn_gui.arguments import CommandRefusal
from attn_gui.commands.command_base import DONE, Parser, say
from attn_gui.languages import N_

_NO_SHTAB = N_("Completion needs the package shtab, which is not installed: python -m pip install shtab")
SHELLS = ("bash", "zsh")


def completion(words: list[str], window: argparse.ArgumentParser, verify: argparse.ArgumentParser) -> int:
    """Print the script of a shell; `window` and `verify` are the parsers of the window and of `attn-gui verify`."""
    chosen = _parser().parse_args(words)
    try:
        from shtab import complete
    except ImportError as error:
        raise CommandRefusal(_NO_SHTAB) from error
    say(complete(_whole(window, verify), shell=chosen.shell))
    return DONE


def command_parsers(verify: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return the parser of every command; `verify` is that of `attn-gui verify`."""
    from attn_gui.commands.export_command import export_parser
    from attn_gui.commands.model_command import model_parser
    from attn_gui.commands.teaching_commands import lesson_parser, solution_parser, worksheet_parser

    return [
        export_parser(),
        verify,
        model_parser(),
        worksheet_parser(),
        solution_parser(),
        lesson_parser(),
        _parser(),
    ]


def _whole(window: argparse.ArgumentParser, verify: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return one parser with the commands in it, as shtab reads them; each command parses its own words otherwise."""
    whole = argparse.ArgumentParser("attn-gui", parents=[window], add_help=False, conflict_handler="resolve")
    commands = whole.add_subparsers()
    for parser in command_parsers(verify):
        commands.add_parser(parser.prog.split()[-1], parents=[parser], add_help=False, help=parser.description)
    return whole


def _parser() -> Parser:
    parser = Parser(
        "attn-gui completion",
        usage="attn-gui completion bash|zsh",
        description="Print a script that completes commands, options and files in a shell.",
        epilog="bash: attn-gui completion bash > ~/.local/share/bash-completion/completions/attn-gui",
    )
    parser.add_argument("shell", metavar="bash|zsh", choices=SHELLS, help="the shell")
    return parser
