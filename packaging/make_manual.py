"""Write the man page from the parsers of the command line, into packaging/installers/linux/attn-gui.1.

    .venv/bin/python packaging/make_manual.py

The .deb and the wheel install that file; a test says when it is not what the parsers say.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from attn_gui.cli import command_parsers, window_parser
from attn_gui.version import VERSION

LINUX = Path(__file__).resolve().parent / "installers" / "linux"
PAGE = LINUX / "attn-gui.1"
# what no parser knows
EXIT = (
    "0 when all went well, 2 for a file or an argument that cannot be taken, or a check that does not hold: one "
    "sentence on standard error says what and where. 130 when it was interrupted."
)
EXAMPLE = "attn-gui export session.attn -o figures --stage weights --format svg"


def main() -> None:
    PAGE.write_text(manual(), encoding="utf-8")


def manual() -> str:
    """Return the page as groff reads it."""
    window, commands = window_parser(), command_parsers()
    about, _, _ = (window.description or "").partition("\n\n")
    info = ElementTree.parse(LINUX / "attn-gui.metainfo.xml").find("releases/release")
    assert info is not None
    lines = [
        f'.TH ATTN-GUI 1 {info.attrib["date"]} "attn_gui {VERSION}" "User Commands"',
        ".SH NAME",
        rf"attn-gui \- {about.partition(':')[0][:1].lower()}{about.partition(':')[0][1:]}",
        ".SH SYNOPSIS",
        *_joined([_usage(window)[:1], *map(_usage, commands)], ".br"),
        ".SH DESCRIPTION",
        _text(about),
        *_options(window, of_arrays=False),
        ".SH COMMANDS",
    ]
    for parser in commands:
        lines += [f".SS {parser.prog}", _text(parser.description), *_options(parser, of_arrays=False)]
        lines += [".PP", _text(parser.epilog)]
    lines += [".SH OPTIONS ON ARRAYS", "Every command that reads a problem takes them, and the window:"]
    lines += [*_options(window, of_arrays=True), ".SH LANGUAGE", *map(_text, (window.epilog or "").splitlines()[1:])]
    lines += [".SH EXIT STATUS", _text(EXIT), ".SH EXAMPLE", ".nf", _text(EXAMPLE), ".fi"]
    return "\n".join(lines) + "\n"


def _usage(parser: argparse.ArgumentParser) -> list[str]:
    """How a command is called: `.B` with its name, then the words after it; of the window itself first, too."""
    lines = []
    for usage in (parser.usage or "").splitlines():
        name = re.match(r"\s*attn-gui( [a-z]\w*)?", usage)
        assert name is not None
        lines.append(f".B {name[0].strip()}\n{_text(usage[name.end() :].strip())}")
    return lines


def _options(parser: argparse.ArgumentParser, *, of_arrays: bool) -> Iterable[str]:
    """Yield what can be given, and what it means: the options on arrays, or all others."""
    mapping_options = parser.get_default("mapping_options") or ()
    for action in parser._actions:
        if not isinstance(action, argparse._HelpAction) and (action.dest in mapping_options) == of_arrays:
            yield ".TP"
            yield ", ".join(f"\\fB{_escaped(name)}\\fR" for name in action.option_strings) + _values(action)
            yield _text(parser._get_formatter()._expand_help(action))


def _values(action: argparse.Action) -> str:
    """Return the words after an option, or in place of one."""
    if action.nargs == 0:
        return ""
    name = action.metavar or "|".join(map(str, action.choices or ())) or action.dest.upper()
    several = " ..." if action.nargs in ("+", "*") else ""
    return f"{' ' if action.option_strings else ''}\\fI{_escaped(str(name))}\\fR{several}"


def _text(words: str | None) -> str:
    """Words of a help: options bold, what stands for something italic."""
    found = _escaped(" ".join((words or "").split()))
    found = re.sub(r"(?<![\w\\-])(?:\\-){1,2}[a-z]\w*(?:\\-\w+)*", r"\\fB\g<0>\\fR", found)
    return re.sub(r"^([.'])", r"\\&\1", found)


def _escaped(text: str) -> str:
    """Letters that groff takes for something else: a hyphen before an option's letters is a minus there."""
    return re.sub(r"(?<!\w)-(?=[-\w])|(?<=-)-(?=\w)|(?<=\w)-(?=\w)", r"\\-", text.replace("\\", "\\e"))


def _joined(groups: Sequence[Sequence[str]], between: str) -> Iterable[str]:
    """Yield the lines of all groups, with a line between two."""
    for number, line in enumerate(line for group in groups for line in group):
        yield from (between, line) if number else (line,)


if __name__ == "__main__":
    main()
