"""`attn-gui export`: its options, their help, which need a format, stdout (-o -); `export_files` in Python.

The help names every format, and asks those, which need NumPy; it needs no Qt.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from attn_gui.arguments import (
    CARRIER,
    FIGURE,
    OWN_PIXELS,
    SPREADSHEET,
    TEXT,
    VECTOR,
    CommandRefusal,
    OutputError,
    SettingsAction,
    heads,
    join_signed_values,
    levels,
    parse_options,
    setting,
)
from attn_gui.commands import command_base
from attn_gui.figure.export_settings import add_options
from attn_gui.languages import N_
from attn_gui.modes import SIDE_BY_SIDE, STATES, WIPE, state_key

if TYPE_CHECKING:
    from attn_gui.engine import Problem

_NO_MEMORY = N_("This does not fit into the memory of this computer; choose fewer heads or stages.")
_SEVERAL = N_("-o - writes one file, and {count} were asked for: name one stage, head and format.")
USUAL_FORMAT, SHOWN = "png", SIDE_BY_SIDE
STDOUT = "-"
NEEDS = {"--set": "--page", "--frames": "--page", "--show": "--compare"}
NEEDS |= {"--session": CARRIER, "--outlines": VECTOR, "--headers": TEXT, "--bom": SPREADSHEET}
LOOKS = ("--width", "--height", "--dpi", "--style", "--font-size", "--transparent", "--title", "--theme")
NEEDS |= dict.fromkeys(("--walk", "--card", "--cell", *LOOKS), FIGURE)
OF_MAPS = ("--levels", "--colormap", "--sheet", "--picture", "--values", "--colorbar")
NEEDS |= dict.fromkeys(OF_MAPS, FIGURE)
CLASHES = {
    "--page": (*OF_MAPS, "--headers", "--bom"),
    "--picture": ("--sheet",),
    "--walk": (*OF_MAPS, "--page", "--compare", "--font-size", "--transparent", "--style"),
    "--card": (
        *("--page", "--walk", "--picture", "--sheet", "--compare", "--values", "--colorbar", "--title", "--style"),
        "--font-size",
    ),
    OWN_PIXELS: ("--dpi",),
}
"""Options that mean something with another one only, or a format that has it, and those that mean nothing with it."""


def export(words: list[str]) -> int:
    """Write figures and numbers of a file."""
    chosen = _chosen(export_parser(), words)
    command_base.need_drawing()
    from attn_gui.commands.export_files import write_files

    loaded = command_base.complete(command_base.noted(command_base.open_input(chosen)), chosen.file)
    try:
        if str(chosen.folder) == STDOUT:
            _write_to_stdout(lambda: write_files(loaded, chosen), chosen)
            return command_base.DONE
        _tell(write_files(loaded, chosen))
    except (ValueError, LookupError, OSError) as error:
        raise CommandRefusal(error) from error
    except MemoryError as error:
        raise CommandRefusal(_NO_MEMORY) from error
    return command_base.DONE


def _tell(written: Iterable[Path]) -> None:
    """Print each path, also where nobody reads any more: the files are written. Raises OutputError then, at the end."""
    unheard: OutputError | None = None
    for path in written:
        try:
            if unheard is None:
                command_base.say(path)
        except OutputError as error:
            if not isinstance(error.reason, BrokenPipeError):
                raise
            unheard = error
    if unheard is not None:
        raise unheard


def _write_to_stdout(write: Callable[[], Iterable[Path]], chosen: argparse.Namespace) -> None:
    """Write the one file of an export to stdout. Raises CommandRefusal where there would be several, OutputError."""
    with tempfile.TemporaryDirectory() as folder:
        chosen.folder = Path(folder)
        paths = list(write())
        if len(paths) != 1:
            raise CommandRefusal(_SEVERAL, count=len(paths))
        command_base.say_bytes(paths[0].read_bytes())


class ExportOptions(TypedDict, total=False):
    """Options of `export_files`: those of the command line, with `_` for `-`."""

    batch: int
    bom: bool
    card: bool | str
    cell: tuple[int, int]
    colorbar: bool
    colormap: str
    compare: str | os.PathLike[str]
    dpi: int
    font_size: float
    format: str | Sequence[str]
    frames: bool
    headers: bool
    heads: int | str | Sequence[int]
    height: float
    lang: str
    levels: tuple[float, float]
    name: str
    outlines: bool
    page: str
    picture: str
    session: bool
    set: Mapping[str, Any]
    sheet: bool
    show: str
    stage: str | Sequence[str]
    style: str
    theme: str
    title: bool
    transparent: bool
    values: bool
    walk: bool
    width: float


def export_files(problem: Problem, folder: str | os.PathLike[str], **options: Unpack[ExportOptions]) -> list[Path]:
    """Write figures and numbers of a problem into a folder and give the paths, as `attn-gui export` does.

    The options are those of the command line but for those on arrays, with `_` for `-`: `stage="weights"`,
    `heads=(0, 2)`, `format=["svg", "xlsx"]`, `levels=(-5, 7)`, `set={"numbers": "random"}`, `sheet=True`; `name` is
    what the files are called.
    Raises TypeError for another option, ValueError with one sentence for what cannot be written.
    """
    from attn_gui.commands.export_files import write_files
    from attn_gui.engine.evaluation.trace import problem_in
    from attn_gui.formats.file_format import Loaded

    problem, parser = problem_in(problem, "export_files", ", folder"), export_parser()
    of_files = {"help", *parser.get_default("mapping_options")}  # a problem is no file of arrays by any name
    known = {action.dest: action for action in parser._actions if action.option_strings and action.dest not in of_files}
    words = [""]
    for name, value in {"folder": os.fsdecode(folder), "name": "problem", **options}.items():
        if name not in known:
            raise TypeError(f"export_files has no option {name!r}; it has {', '.join(sorted(known))}.")
        words += _words(known[name], value)
    try:
        return list(write_files(Loaded(problem), _chosen(parser, words)))
    except (CommandRefusal, LookupError) as error:
        raise ValueError(str(error)) from error


def _chosen(parser: argparse.ArgumentParser, words: list[str]) -> argparse.Namespace:
    """Return the options that words choose. Raises CommandRefusal for one that would mean nothing."""
    chosen = parse_options(parser, join_signed_values(words), NEEDS, CLASHES, _formats_have)
    chosen.format, chosen.show = chosen.format or [USUAL_FORMAT], chosen.show or SHOWN
    return chosen


def _formats_have(chosen: argparse.Namespace) -> set[str]:
    """Return what options need and one of the chosen formats has, or clash with; where no session is wanted, none has
    to carry one."""
    from attn_gui.formats import IMAGES, number_formats

    endings, known = chosen.format or [USUAL_FORMAT], number_formats()
    found = {FIGURE for ending in endings if ending in IMAGES}
    found |= {CARRIER for ending in endings if chosen.session is False or (ending in IMAGES and IMAGES[ending].carries)}
    found |= {VECTOR for ending in endings if ending in IMAGES and not IMAGES[ending].pixels}
    if chosen.card and chosen.width is None and chosen.height is None:
        found.add(OWN_PIXELS)
    kinds = [known[ending] for ending in endings if ending in known]
    return found | {TEXT for kind in kinds if kind.text} | {SPREADSHEET for kind in kinds if kind.spreadsheet}


def _words(action: argparse.Action, value: Any) -> list[str]:
    """Return an option of Python as the command line has it."""
    if value is None or value == {} or (value is False and len(action.option_strings) == 1):
        return []
    if isinstance(value, bool):
        return [action.option_strings[0 if value else 1]]
    several = not isinstance(value, str | os.PathLike) and hasattr(value, "__iter__")
    if isinstance(value, Mapping):
        parts = [f"{name}={one}" for name, one in value.items()]
    else:
        parts = [str(one) for one in value] if several else [str(value)]
    return [action.option_strings[0], *(parts if action.nargs == "+" else [",".join(parts)])]


def _forms() -> dict[str, str]:
    """Return the forms of an export, by the word for each, with what is to be said of it."""
    from attn_gui.formats import IMAGES, number_formats
    from attn_gui.formats.scripts import SCRIPTS

    said = {key: "" if kind.holds_matrix else " (all stages in one file)" for key, kind in number_formats().items()}
    return dict.fromkeys(IMAGES, "") | said | dict.fromkeys(SCRIPTS, " (a script)")


def export_parser() -> argparse.ArgumentParser:
    forms = _forms()
    parser = command_base.Parser(
        "attn-gui export",
        usage="attn-gui export FILE -o DIR [options]",
        description="Write figures or numbers of a problem; needs no display. Prints one written path a line.",
        epilog="Files are DIR/NAME-STAGE-hHEAD[-bITEM].EXT, the item only where there are several. A stage without "
        "heads, such as output, is written once, under the first head chosen; a map of all heads together, such as "
        "mean_weights, bears no head. An existing file is replaced.",
    )
    _add_files(parser, forms)
    _add_page(parser)
    _add_comparison(parser)
    _add_figure_options(parser)
    return parser


def _add_files(parser: argparse.ArgumentParser, forms: Mapping[str, str]) -> None:
    add = parser.add_argument
    command_base.add_problem(parser)
    add(
        "-o",
        dest="folder",
        metavar="DIR",
        type=Path,
        required=True,
        help="where to, made if it is not there; - for stdout",
    )
    add("--name", metavar="NAME", help="what the files are called (default: as FILE)")
    add(
        "--stage",
        metavar="NAME",
        nargs="+",
        action="extend",
        help="stages to write, for numbers also matrices of the problem, such as w_query (default: weights; in a file "
        "that holds all stages: all)",
    )
    add(
        "--heads",
        type=heads,
        metavar="all|0,2-3|mean|largest",
        help="which heads (default: all; a file of all stages has all)",
    )
    add_options(parser, "batch")
    add(
        "--format",
        nargs="+",
        action="extend",
        choices=tuple(forms),
        metavar="EXT",
        help=f"{', '.join(key + said for key, said in forms.items())}; several at once (default: {USUAL_FORMAT})",
    )
    add(
        "--headers",
        action=argparse.BooleanOptionalAction,
        help="names of rows and columns in texts (default: tokens, where there are any)",
    )
    add("--bom", action="store_true", help="mark csv and tsv as UTF-8 for Excel")


def _add_page(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--page", metavar="NAME", help="a page in place of a stage: curve, head_contributions, …")
    add_options(parser, "picture", "walk")
    add(
        "--card",
        nargs="?",
        const="wide",
        choices=("wide", "square"),
        help="a card of one cell to send, with what it says: 1,200 × 630 pixels, or 1,080 a side",
    )
    add_options(parser, "cell")
    add("--frames", action="store_true", help="a figure for each place of a page's slider (gif: one that moves)")
    add(
        "--set",
        type=setting,
        nargs="+",
        action=SettingsAction,
        default=[],
        metavar="NAME=VALUE",
        help="what can be chosen on a page",
    )


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    from attn_gui.engine.comparison import READY

    add = parser.add_argument
    add(
        "--compare",
        metavar="|".join([*READY, "FILE"]),
        help="two states: the problem without and with its scale, its mask, the first chosen head or what was set by "
        "hand, or FILE and the problem",
    )
    add(
        "--show",
        type=state_key,
        choices=STATES,
        help=f"what of two states (default: {SHOWN}, under one color bar, as {WIPE} is in a figure; as numbers the "
        "difference)",
    )


def _add_figure_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--sheet", action="store_true", help="figures: all chosen heads on one sheet")
    add_options(parser, "width", "height", "dpi", "style", "font_size", dpi={"default": None})
    add("--levels", type=levels, metavar="LO,HI", help="values at the ends of the colors (default: from the numbers)")
    add(
        "--colormap",
        metavar="NAME",
        help="signed, weights, viridis, cividis, magma, grey or CET-D1 (default: signed "
        "for numbers of both signs, weights for weights)",
    )
    add_options(parser, "values", "session", "transparent", "colorbar", "title", "outlines", "lang", "theme")
