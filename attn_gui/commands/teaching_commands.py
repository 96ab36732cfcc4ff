"""`attn-gui lesson`, `worksheet` and `solution`: their options and what they print or refuse."""

from __future__ import annotations

from pathlib import Path

from attn_gui.arguments import CommandRefusal, cell, whole
from attn_gui.commands import command_base
from attn_gui.languages import LANGUAGES, N_

_CHECKED = N_("{file}: steps: {steps}, questions: {questions}; every number computed")
_HALF_A_CELL = N_("A cell needs --stage and --cell, a whole problem neither.")
_IDLE_HEAD = N_("--head is for a cell of a stage that has heads; here it would change nothing.")


def lesson(words: list[str]) -> int:
    """Go through a lesson."""
    chosen = lesson_parser().parse_args(words)
    command_base.need_drawing()
    from attn_gui.figure.pages.catalog import PAGES
    from attn_gui.formats import FormatError
    from attn_gui.formats.file_messages import FileNote
    from attn_gui.lessons.lesson import read_lesson
    from attn_gui.lessons.step_states import states_of

    try:
        states = states_of(read_lesson(chosen.file), PAGES)
    except FormatError as error:
        refusal = CommandRefusal(error)
        refusal.lang = chosen.lang
        raise refusal from error
    questions = sum(state.step.question is not None for state in states)
    command_base.say(
        command_base.said_in(
            FileNote(_CHECKED, file=chosen.file.name, steps=len(states), questions=questions), chosen.lang
        )
    )
    return command_base.DONE


def worksheet(words: list[str]) -> int:
    """Write the worksheets of a class and their keys."""
    chosen = worksheet_parser().parse_args(words)
    command_base.need_drawing()
    from attn_gui.commands.export_files import make_folder
    from attn_gui.figure.worksheet_files import write_class

    problem = command_base.complete(command_base.noted(command_base.open_input(chosen)), chosen.file).problem
    try:
        make_folder(chosen.folder)
        with command_base.FileProgress(chosen.file) as progress:
            written = write_class(
                problem,
                chosen.folder,
                chosen.file.stem,
                count=chosen.count,
                seed=chosen.seed,
                level=chosen.level,
                lang=chosen.lang,
                keys=not chosen.no_key,
                progress=progress.show,
            )
            for path in written:
                progress.clear()
                command_base.say(path)
    except (ValueError, KeyError, OSError) as error:
        raise CommandRefusal(error) from error
    return command_base.DONE


def solution(words: list[str]) -> int:
    """Write the worked solution of a cell, or of a whole problem."""
    chosen = solution_parser().parse_args(words)
    if (chosen.cell is None) != (chosen.stage is None):
        raise CommandRefusal(_HALF_A_CELL)
    command_base.need_drawing()
    from attn_gui.commands.export_files import make_folder
    from attn_gui.engine.evaluation.trace import evaluation_of
    from attn_gui.figure.worksheet_files import save_solution, solution_name
    from attn_gui.lessons.worked_solutions import ENDINGS, solution_of_all, solution_of_cell

    loaded = command_base.noted(command_base.open_input(chosen))
    evaluation = evaluation_of(command_base.complete(loaded, chosen.file).problem)
    try:
        axes = () if chosen.cell is None else evaluation.axes(chosen.stage)
        if chosen.head and len(axes) != 4:
            raise CommandRefusal(_IDLE_HEAD)
        if chosen.cell is None:
            index, found = None, solution_of_all(evaluation, chosen.batch)
        else:
            index = (chosen.batch, *([chosen.head] if len(axes) == 4 else ()), *chosen.cell)
            found = solution_of_cell(evaluation, chosen.stage, index)
        make_folder(chosen.folder)
        stem = solution_name(chosen.file.stem, chosen.stage, index)
        for ending in dict.fromkeys(chosen.format or ENDINGS[:1]):
            path = chosen.folder / f"{stem}.{ending}"
            with command_base.FileProgress(path) as progress:
                save_solution(found, path, chosen.lang, progress.show)
            command_base.say(path)
    except (ValueError, LookupError, OSError) as error:
        raise CommandRefusal(error) from error
    return command_base.DONE


def lesson_parser() -> command_base.Parser:
    parser = command_base.Parser(
        "attn-gui lesson",
        usage="attn-gui lesson check FILE [--lang en|zh]",
        description="Go through a lesson: read it, carry out every step and compute every number; needs no display.",
        epilog="Exit code 0 if the lesson can be opened; else 2, with the line, what was expected and what is there. "
        "The format is told in the help of the window, and in resources/help/en/9-writing-lessons.md.",
    )
    parser.add_argument("what", metavar="check", choices=("check",), help="what to do with it")
    parser.add_argument("file", metavar="FILE", type=Path, help="a lesson (.md)")
    parser.add_argument("--lang", choices=LANGUAGES, help="language of what is said (default: that of the locale)")
    return parser


def worksheet_parser() -> command_base.Parser:
    from attn_gui.lessons.exercises import LEVELS, SEED, SHEETS, USUAL_LEVEL

    parser = command_base.Parser(
        "attn-gui worksheet",
        usage="attn-gui worksheet FILE -o DIR [options]",
        description="Write worksheets for a class and the keys to them as two PDF files: a page of A4 for each "
        "student, the form of the problem with other small whole numbers and room for working, and pages for the "
        "teacher; needs no display.",
        epilog="The files are DIR/NAME-worksheets.pdf and DIR/NAME-keys.pdf. The same seed gives the same sheets.",
    )
    add = parser.add_argument
    command_base.add_problem(parser)
    add("-o", dest="folder", metavar="DIR", type=Path, required=True, help="where to; made if it is not there")
    numbers = (
        ("--count", SHEETS, "how many sheets, all different"),
        ("--seed", SEED, "where the numbers begin"),
    )
    for name, of, said in numbers:
        add(name, type=whole(of.least, of.most), default=of.usual, metavar="N", help=f"{said} (default: {of.usual})")
    add(
        "--level",
        choices=LEVELS,
        default=USUAL_LEVEL,
        help=f"fill the weights, all steps, or find the wrong number (default: {USUAL_LEVEL})",
    )
    add("--no-key", action="store_true", help="no file of keys")
    add("--lang", choices=LANGUAGES, default="en", help="language of the sheets (default: en)")
    return parser


def solution_parser() -> command_base.Parser:
    from attn_gui.lessons.worked_solutions import ENDINGS

    parser = command_base.Parser(
        "attn-gui solution",
        usage="attn-gui solution FILE -o DIR [options]",
        description="Write the worked solution of a problem, step by step with its own numbers, or of one cell: a "
        "teacher's answer sheet; needs no display.",
        epilog="The file is DIR/NAME-solution.EXT, of a cell DIR/NAME-solution-STAGE-hHEAD-ROW-COLUMN.EXT. LaTeX is a "
        "document for pdflatex, in Chinese for xelatex with ctex.",
    )
    add = parser.add_argument
    command_base.add_problem(parser)
    add("-o", dest="folder", metavar="DIR", type=Path, required=True, help="where to; made if it is not there")
    add("--stage", metavar="NAME", help="the stage of the cell (default: the whole problem)")
    add("--cell", type=cell, metavar="ROW,COLUMN", help="the cell")
    add("--head", type=whole(0, 10**6), default=0, metavar="N", help="the head of the cell (default: 0)")
    add("--batch", type=whole(0, 10**6), default=0, metavar="ITEM", help="which batch item (default: 0)")
    add(
        "--format",
        nargs="+",
        action="extend",
        choices=ENDINGS,
        metavar="EXT",
        help=f"{', '.join(ENDINGS)}; several at once (default: {ENDINGS[0]})",
    )
    add("--lang", choices=LANGUAGES, default="en", help="language of the sheet (default: en)")
    return parser
