"""`attn-gui model`: its options and which need what, pages, texts, predictions printed, figures."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attn_gui.arguments import VECTOR, CommandRefusal, SettingsAction, parse_options, setting, whole
from attn_gui.commands.command_base import (
    DONE,
    FileProgress,
    Parser,
    muted_stderr,
    need_drawing,
    note_on_stderr,
    say,
)
from attn_gui.figure.export_settings import add_options
from attn_gui.languages import N_

if TYPE_CHECKING:
    from attn_gui.models import Model, Run

_NO_HEAD = N_("There is no head {head}; expected 0 to {last}.")
_LONG_JSON = N_("--intervene has {count} letters; expected at most {most}.")
_NO_JSON = N_("--intervene is not valid JSON; expected a record such as {example}.")
_RECORD = '{"layer": 0, "kind": "scale", "stage": "head_output", "at": {"head": 0}, "factor": 0}'
MOST_LAYERS, MOST_TOKENS = 10**4, 10**6
LONGEST_JSON = 1 << 24
NEEDS = {"--second": "--page", "--set": "--page", "--page": "-o", "--format": "-o"}
NEEDS |= dict.fromkeys(("--layer", "--head", "--stage", "--lang", "--theme", "--dpi", "--title"), "-o") | {
    "--outlines": VECTOR
}
CLASHES = {"--page": ("--stage",)}
OWN_WORDS: Mapping[str, Mapping[str, Any]] = {
    "lang": {"help": "language of the figures (default: en)"},
    "theme": {"help": "colors of the figures (default: light)"},
    "dpi": {"default": 150, "help": "dots per inch of a png (default: 150)"},
}
TOKENS_OFFERED = 20  # to pages that ask for the logit of a token; the likeliest one is taken


def model(words: list[str]) -> int:
    """Run a text through a model and print what it predicts."""
    chosen = parse_options(model_parser(), words, NEEDS, CLASHES, _formats_have)
    chosen.format = chosen.format or _image_endings()[:1]
    if chosen.folder_out is not None:
        need_drawing()
    from attn_gui.models.model import read_model

    changes = _interventions(chosen.intervene)
    try:
        _pages_of(chosen)
        with FileProgress(chosen.folder) as progress:
            found = read_model(_folder(chosen.folder, progress), progress.show)
        for note in found.notes:
            note_on_stderr(note)
        with muted_stderr():
            found.read(chosen.text)
        with FileProgress(chosen.folder) as progress:
            run = found.run(chosen.text, interventions=changes, progress=progress.show)
        for note in run.notes:
            note_on_stderr(note)
        _check(run, chosen)
        for line in _lines(run, chosen.top, chosen.position):
            say(line)
        for path in _files(found, run, chosen) if chosen.folder_out is not None else ():
            say(path)
    except (ValueError, TypeError, LookupError, OSError) as error:
        raise CommandRefusal(error) from error
    return DONE


def _formats_have(chosen: argparse.Namespace) -> set[str]:
    """Return what options need and one of the chosen formats has."""
    from attn_gui.formats import IMAGES

    return {VECTOR for ending in chosen.format or () if not IMAGES[ending].pixels}


def _pages_of(chosen: argparse.Namespace) -> list[Any]:
    """Return the chosen pages. Raises ValueError for a name of none, which is known before a model has run."""
    if not chosen.page:
        return []
    from attn_gui.figure.pages.catalog import page_of_name

    return [page_of_name(name) for name in chosen.page]


def _folder(given: Path, progress: FileProgress) -> Path:
    """Return a folder, or that of a model that is known by this name."""
    from attn_gui.models import KNOWN

    known = KNOWN.get(str(given))
    return given if known is None or given.exists() else known.folder(progress.show)


def _check(run: Run, chosen: argparse.Namespace) -> None:
    """Raise FieldError, StageError or CommandRefusal for what is not there: a layer, a head, a token or a stage.

    Whether anything is asked for there makes no difference.
    """
    from attn_gui.engine.evaluation.proxies import reading
    from attn_gui.engine.evaluation.trace import evaluation_of
    from attn_gui.models.changed_layers import checked_layer

    if chosen.layer is not None:
        checked_layer(chosen.layer, run.model.num_layers)
    if chosen.head is not None and chosen.head >= run.model.num_heads:
        raise CommandRefusal(_NO_HEAD, head=chosen.head, last=run.model.num_heads - 1)
    if chosen.position is not None:
        run.place(chosen.position)
    if chosen.stage is not None:
        reading(evaluation_of(run.problem(chosen.layer or 0)), chosen.stage).node(chosen.stage)


def _lines(run: Run, top: int, position: int | None) -> Iterator[str]:
    """Return lines about a run: its model, its tokens, the most probable tokens where the model predicts any."""
    from attn_gui.models.attribution import asked_places

    model = run.model
    yield f"{model.family}: {model.num_layers} layers, {model.num_heads} heads, {len(run.ids)} tokens"
    width = len(str(len(run.ids) - 1))
    for place, (number, token) in enumerate(zip(run.ids, run.tokens, strict=True)):
        yield f"  {place:>{width}}  {token}  (id {number})"
    for place in [position] if position is not None and model.ends.head is not None else asked_places(run):
        what = "the token after" if model.sizes.causal else "in place of"
        yield f"predicted: {what} {run.tokens[place]} ({place})"
        yield from (f"  {share:.6f}  {token}" for token, share in run.predictions(place, top))
    if run.embedding is not None:
        yield f"embedding: {run.embedding.size} numbers, length {float((run.embedding**2).sum() ** 0.5):.6g}"


def _files(model: Model, run: Run, chosen: argparse.Namespace) -> Iterator[Path]:
    """Write the chosen pages, and figures of a stage where no page is chosen."""
    from attn_gui.commands.export_files import make_folder

    make_folder(chosen.folder_out)
    yield from _pages(model, run, chosen) if chosen.page else _figures(run, chosen)


def _pages(model: Model, run: Run, chosen: argparse.Namespace) -> Iterator[Path]:
    """Write the pages, at the chosen token or where the window reads a prediction: one of the model once, with a mark
    at the chosen layer alone, one of a layer for each chosen one."""
    from attn_gui.figure.export_settings import file_stem
    from attn_gui.figure.pages.page_kind import NO_LAYER, ModelContext, PageContext, from_texts
    from attn_gui.figure.render import write
    from attn_gui.models.attribution import asked_place, likely

    place = asked_place(run) if chosen.position is None else chosen.position
    before = run.replace(interventions=())
    tokens = likely(run, before, place, TOKENS_OFFERED) if model.ends.head is not None else ()
    other = None if chosen.second is None else model.run(chosen.second)
    for page, ending in product(_pages_of(chosen), dict.fromkeys(chosen.format)):
        marked = NO_LAYER if chosen.layer is None else chosen.layer
        for layer in [marked] if page.of_model else _layers(run, chosen):
            context, problem = ModelContext(run, before, layer, place, tokens, other), run.problem(max(layer, 0))
            parts = ("", "") if page.of_model else (f"layer{layer}", _head_part(run, chosen))
            path = chosen.folder_out / f"{file_stem(_name(chosen), parts[0], page.name, parts[1])}.{ending}"
            with FileProgress(path) as progress:
                yield from write(
                    problem,
                    path,
                    picture=page.name,
                    heads=chosen.head or 0,
                    model=context,
                    page_options=from_texts(page.options, PageContext(problem, model=context), dict(chosen.set)),
                    session=False,
                    progress=progress.show,
                    **_looks(chosen),
                )


def _name(chosen: argparse.Namespace) -> str:
    return str(chosen.folder.resolve().name)


def _layers(run: Run, chosen: argparse.Namespace) -> Iterable[int]:
    return range(run.model.num_layers) if chosen.layer is None else (chosen.layer,)


def _head_part(run: Run, chosen: argparse.Namespace, stage: str = "") -> str:
    """Return the part of a file's name for the chosen head; empty where none is."""
    from attn_gui.figure.export_settings import heads_part

    return "" if chosen.head is None else heads_part((chosen.head,), run.model.num_heads, stage)


def _figures(run: Run, chosen: argparse.Namespace) -> Iterator[Path]:
    """Write a figure for each chosen layer: of one head, or of all of them on a sheet."""
    from attn_gui.engine.stages import SHOWN_FIRST
    from attn_gui.figure.export_settings import file_stem
    from attn_gui.figure.pages.page_kind import ModelContext
    from attn_gui.figure.render import write

    stage = chosen.stage or SHOWN_FIRST
    heads: Any = "all" if chosen.head is None else (chosen.head,)
    part = _head_part(run, chosen, stage)
    for layer, ending in product(_layers(run, chosen), dict.fromkeys(chosen.format)):
        name = file_stem(_name(chosen), f"layer{layer}", stage, part)
        path = chosen.folder_out / f"{name}.{ending}"
        model = ModelContext(run, run, layer, len(run.ids) - 1)
        figure = {"stage": stage, "heads": heads, "sheet": True, "model": model, **_looks(chosen)}
        with FileProgress(path) as progress:
            yield from write(run.problem(layer), path, progress=progress.show, **figure)


def _looks(chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of all figures."""
    return {name: getattr(chosen, name) for name in ("dpi", "lang", "theme", "title", "outlines")}


def _interventions(text: str | None) -> list[Any]:
    """Return interventions given as JSON: a list of records, or one record."""
    if text is None:
        return []
    if len(text) > LONGEST_JSON:
        raise CommandRefusal(_LONG_JSON, count=f"{len(text):,}", most=f"{LONGEST_JSON:,}")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CommandRefusal(_NO_JSON, example=_RECORD) from error
    return found if isinstance(found, list) else [found]


def model_parser() -> Parser:
    from attn_gui.models import KNOWN
    from attn_gui.models.families import FAMILIES

    parser = Parser(
        "attn-gui model",
        usage="attn-gui model FOLDER --text TEXT [options]",
        description="Run a text through a published checkpoint (config.json, safetensors, tokenizer.json): print its "
        "tokens and what it predicts, and write figures; needs no display.",
        epilog=f"Families: {', '.join(FAMILIES)}. A folder may be named by {', '.join(KNOWN)}, which come along or are "
        "installed by the line that is told. Figures are "
        "DIR/NAME-layerLAYER-STAGE[-hHEAD].EXT, without a head all of them on one sheet; pages DIR/NAME-PAGE.EXT, of "
        "a layer DIR/NAME-layerLAYER-PAGE[-hHEAD].EXT.",
    )
    add = parser.add_argument
    add("folder", metavar="FOLDER", type=Path, help="the folder of the checkpoint")
    add("--text", metavar="TEXT", required=True, help="what it reads")
    add("--layer", type=whole(0, MOST_LAYERS), metavar="N", help="the layer of the figures (default: each)")
    add("--head", type=whole(0, MOST_LAYERS), metavar="N", help="the head of the figures (default: all on one sheet)")
    add("--stage", metavar="NAME", help="the stage of the figures (default: weights)")
    add("--intervene", metavar="JSON", help="interventions, each a record with its layer, kind, stage and at")
    add("--top", type=whole(0, 1000), default=10, metavar="N", help="how many predictions (default: 10)")
    add("-o", dest="folder_out", metavar="DIR", type=Path, help="write figures there; made if it is not there")
    _add_figures(parser)
    return parser


def _add_figures(parser: Parser) -> None:
    """Add the options that say how figures are drawn."""
    add, endings = parser.add_argument, _image_endings()
    several: dict[str, Any] = {"nargs": "+", "action": "extend"}
    add("--page", **several, metavar="NAME", help="write pages in place of maps: prediction, lens, effect, …")
    add("--second", metavar="TEXT", help="a second text, for the page that patches the first one into it")
    add(
        "--position",
        type=whole(0, MOST_TOKENS),
        metavar="N",
        help="the token that predictions are read at (default: the last, or those to be filled in; of pages the first)",
    )
    add(
        "--set",
        nargs="+",
        action=SettingsAction,
        type=setting,
        default=[],
        metavar="NAME=VALUE",
        help="what can be chosen on a page",
    )
    add("--format", **several, choices=endings, metavar="EXT", help=f"of {', '.join(endings)} (default: {endings[0]})")
    add_options(parser, "lang", "theme", "title", "outlines", "dpi", **OWN_WORDS)


def _image_endings() -> tuple[str, ...]:
    from attn_gui.formats import IMAGES

    return tuple(name for name, figures in IMAGES.items() if not figures.moving)
