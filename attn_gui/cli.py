"""The command line. Answers --help and --version with the standard library alone; the rest is imported when needed.

The help of an export names every format, and asks those, which need NumPy; no help needs Qt.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from attn_gui.arguments import cell, centimeters, heads, joined, levels, points, setting, whole
from attn_gui.command_ground import Parser, Refusal, Unnamed, add_arrangement, arranged, opened, told
from attn_gui.libraries import DRAWING, complaint
from attn_gui.no_window import obstacle
from attn_gui.version import VERSION

DONE, REFUSED, INTERRUPTED = 0, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code: 0 done, 2 one sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        commands = {"export": _export, "verify": _verify, "model": _model, **_teaching()}
        command = commands.get(words[0]) if words else None
        return command(words[1:]) if command else _window(words)
    except Refusal as refusal:
        return _refuse(str(refusal))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the paths has heard enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _teaching() -> dict[str, Callable[[list[str]], int]]:
    from attn_gui.teaching import lesson, solution, worksheet

    return {"lesson": lesson, "worksheet": worksheet, "solution": solution}


def _model(words: list[str]) -> int:
    from attn_gui.commands.model_command import model

    return model(words)


def _refuse(sentence: str) -> int:
    print(f"attn-gui: {sentence}", file=sys.stderr)
    return REFUSED


def _window(words: list[str]) -> int:
    chosen = _window_parser().parse_args(words)
    if chosen.file is not None:
        _check(chosen)  # a bad file is refused here, before a window appears
    if reason := obstacle():
        raise Refusal(reason)
    from attn_gui.app.shell.start import run

    return run(chosen.file, chosen.lang, arranged(chosen))


def _check(chosen: argparse.Namespace) -> None:
    """Refuse a file that cannot be opened in the window: a problem, or a lesson."""
    from attn_gui.formats import FormatError
    from attn_gui.lessons.lesson_ending import is_lesson
    from attn_gui.lessons.lesson_file import read_lesson

    if not is_lesson(chosen.file):
        with suppress(Unnamed):  # the window asks
            opened(chosen)
        return
    try:
        read_lesson(chosen.file)
    except FormatError as error:
        raise Refusal(str(error)) from error


def _export(words: list[str]) -> int:
    chosen = _export_parser().parse_args(joined(words))
    if reason := complaint(DRAWING):
        raise Refusal(reason)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"  # with a display, too: the same figure everywhere
    from attn_gui.batch import export

    loaded = told(opened(chosen))
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="surrogateescape")  # names that are not UTF-8 leave as they came
    try:
        for path in export(loaded, chosen):
            print(path, flush=True)
    except BrokenPipeError:
        raise
    except (ValueError, OSError) as error:
        raise Refusal(str(error)) from error
    except MemoryError as error:
        raise Refusal("This does not fit into the memory of this computer; choose fewer heads or stages.") from error
    return DONE


def _verify(words: list[str]) -> int:
    chosen = _verify_parser().parse_args(words)
    from attn_gui.engine import verify
    from attn_gui.formats.problem_fields import listed

    loaded = told(opened(chosen))
    try:
        found = verify(loaded.problem)
    except MemoryError as error:
        raise Refusal("This does not fit into the memory of this computer.") from error
    for line in found.lines():
        print(line, flush=True)
    if found.complaint:
        raise Refusal(found.complaint)
    if found.unjudged is not None:
        raise Refusal(str(found.unjudged))
    if loaded.left_out:
        names = ", ".join(listed(loaded.left_out))
        raise Refusal(f"{chosen.file.name} also holds {names}, not read: the lines above are about the rest only.")
    return DONE


def _window_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "attn-gui",
        usage="attn-gui [FILE] [--lang en|zh]\n       attn-gui export FILE -o DIR [options]\n"
        "       attn-gui verify FILE\n       attn-gui lesson check FILE\n"
        "       attn-gui worksheet FILE -o DIR [options]\n       attn-gui solution FILE -o DIR [options]\n"
        "       attn-gui model FOLDER --text TEXT [options]",
        description="Take attention apart by hand: edit Q, K, V and watch every step follow.",
        epilog="“attn-gui export --help” tells how to write figures and numbers without a window, “attn-gui verify "
        "--help” how to have every number checked.",
        allow_abbrev=False,
    )
    known = "a session (.attn), arrays (.npz, .safetensors, .json, .xlsx) or a lesson (.md) to open"
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help=known)
    parser.add_argument("--lang", choices=("en", "zh"), help="language of the window (default: the system's)")
    add_arrangement(parser)
    parser.add_argument("--version", action="version", version=f"attn-gui {VERSION}")
    return parser


def _forms() -> dict[str, str]:
    """What an export can be written as, by the word for it, with what is to be said of it."""
    from attn_gui.formats import IMAGES, numbers
    from attn_gui.formats.scripts import SCRIPTS

    said = {key: "" if kind.holds_matrix else " (all stages in one file)" for key, kind in numbers().items()}
    return dict.fromkeys(IMAGES, "") | said | dict.fromkeys(SCRIPTS, " (a script)")


def _export_parser() -> argparse.ArgumentParser:
    forms = _forms()
    parser = Parser(
        "attn-gui export",
        usage="attn-gui export FILE -o DIR [options]",
        description="Write figures or numbers of a problem; needs no display. Prints one written path a line.",
        epilog="Files are DIR/NAME-STAGE-hHEAD[-bITEM].EXT, the item only where there are several. A stage without "
        "heads, such as output, is written once, under the first head chosen. An existing file is replaced.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", metavar="FILE", type=Path, help="a session (.attn), or arrays (.npz, .safetensors, …)")
    add("-o", dest="folder", metavar="DIR", type=Path, required=True, help="where to; made if it is not there")
    add("--stage", metavar="NAME", nargs="+", help="stages to write (default: weights; npz: all)")
    add("--page", metavar="NAME", help="a page in place of a stage: curve, head_contributions, …")
    add("--cell", type=cell, metavar="ROW,COLUMN", help="the cell of the stage that a page looks at")
    add("--frames", action="store_true", help="a figure for each place of a page's slider (gif: one that moves)")
    add("--set", type=setting, nargs="+", default=[], metavar="NAME=VALUE", help="what can be chosen on a page")
    add("--heads", type=heads, default=None, metavar="all|0,2-3", help="which heads (default: all; npz has all)")
    add("--batch", type=whole(0, 10**6), default=0, metavar="ITEM", help="which batch item (default: 0; npz has all)")
    add(
        "--format",
        nargs="+",
        choices=tuple(forms),
        default=["png"],
        metavar="EXT",
        help=f"{', '.join(key + said for key, said in forms.items())}; several at once (default: png)",
    )
    _add_comparison(parser)
    _add_figure_options(parser)
    add_arrangement(parser)
    return parser


def _add_comparison(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--compare",
        metavar="with-scale|with-mask|FILE",
        help="two states: the problem without and with its scale or mask, or FILE and the problem",
    )
    add(
        "--show",
        choices=("split", "difference", "before", "now"),
        default="split",
        help="what of two states (default: split, side by side under one color bar; as numbers the difference)",
    )


def _add_figure_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--sheet", action="store_true", help="figures: all chosen heads on one sheet")
    add("--width", type=centimeters, metavar="CM", help="of the figure (default: as its cells need, 0.5 cm or more)")
    add("--height", type=centimeters, metavar="CM", help="of the figure (default: as its cells need)")
    add("--dpi", type=whole(30, 2400), metavar="N", help="dots per inch of a png or gif (default: 300, or the style's)")
    add(
        "--style",
        metavar="NAME",
        default="screen",
        help="what it is made for, which gives width, type and resolution: screen, paper-column (8.5 cm, 8 points) or "
        "slide (25.4 × 14.3 cm, 16 points; default: screen)",
    )
    add(
        "--font-size",
        type=points,
        metavar="PT",
        help="of numbers and labels (default: 7.5 points, more on figures wider than 12 cm)",
    )
    add("--levels", type=levels, metavar="LO,HI", help="values at the ends of the colors (default: from the numbers)")
    add(
        "--colormap",
        metavar="NAME",
        help="signed, weights, viridis, cividis, magma, grey or CET-D1 (default: signed "
        "for numbers of both signs, weights for weights)",
    )
    add("--values", action=argparse.BooleanOptionalAction, help="numbers in cells (default: where they fit)")
    add(
        "--session",
        action=argparse.BooleanOptionalAction,
        help="carry the problem inside, so that the figure opens as a session (default: up to 1 MB)",
    )
    add("--transparent", action="store_true", help="no ground behind the figure (png, svg, pdf)")
    add("--colorbar", action=argparse.BooleanOptionalAction, default=True, help="the color bar (default: with it)")
    add("--lang", choices=("en", "zh"), default="en", help="language of the figure (default: en)")
    add("--theme", choices=("light", "dark"), default="light", help="colors of the figure (default: light)")


def _verify_parser() -> argparse.ArgumentParser:
    parser = Parser(
        "attn-gui verify",
        usage="attn-gui verify FILE",
        description="Recompute a problem by an independent plain reference and print the worst difference of every "
        "stage, and whether what must always hold does; needs no display.",
        epilog="Exit code 0 if every difference is one that rounding explains; else 2, with a sentence on the first "
        "that is not. Above 200000 cells of n·m·h a seeded sample of rows is recomputed.",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="a session (.attn), or arrays (.npz, .safetensors, …)")
    add_arrangement(parser)
    return parser
