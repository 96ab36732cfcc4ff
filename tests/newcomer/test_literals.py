"""Keys of the catalogs stand as literals in their catalogs and in the reference alone: a list of them elsewhere
knows nothing of a newcomer. Where a key is a word for something else, ALLOWED says so, with the reason."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from attn_gui.engine import FILLS
from attn_gui.engine.masks import MASKS
from attn_gui.engine.normalizers import NORMALIZERS
from attn_gui.engine.scores import SCORES
from attn_gui.engine.stages import STAGE
from attn_gui.figure.page_catalog import PAGES
from attn_gui.figure.writers import ENCODERS
from attn_gui.formats import FORMATS, IMAGES

SOURCES = Path(__file__).resolve().parents[2] / "attn_gui"
ENDINGS = {ending for kind in FORMATS.values() for ending in kind.suffixes} | {f".{key}" for key in IMAGES}
KEYS = {
    "score": frozenset(SCORES),
    "normalization": frozenset(NORMALIZERS) - {"none", "sum"},  # which are everyday words
    "mask layer": frozenset(MASKS),
    "fill": frozenset(FILLS),
    "page": frozenset(PAGES),
    "format": frozenset({*FORMATS, *IMAGES, *ENDINGS, *(ending[1:] for ending in ENDINGS)}),
}
CATALOGS = {  # the modules, wherever they lie
    "score": ("engine/scores.py", "engine/verdicts.py", "engine/analysis/reference.py"),
    "normalization": ("engine/normalizers.py", "engine/analysis/reference.py"),
    "mask layer": ("engine/masks.py", "engine/analysis/reference.py"),
    "fill": ("engine/creation/",),
    "page": ("figure/pages/", "engine/derived_stages.py"),  # a page of a derived map is called as the map
    "format": ("formats/catalog.py", "figure/writers.py"),
}

# what is written, {where: how often}: the fewer, the better
ALLOWED: dict[tuple[str, str], Mapping[str, int]] = {
    # the contract's defaults
    ("score", "dot"): {"fields.py": 1, "live_numbers.py": 1},  # and a function of lessons: the product of two rows
    ("score", "cosine"): {"live_numbers.py": 1, "word_table.py": 1},  # another one, and how words are compared
    ("normalization", "softmax"): {"fields.py": 1, "roles.py": 1},  # and in the names of other people's arrays
    ("fill", "integers"): {"new_dialog.py": 2},  # the first choice, and the words of every fill
    ("fill", "random"): {"new_dialog.py": 1, "sqrt_d_k.py": 1},  # and a way to make Q and K in a figure
    ("fill", "identity"): {"new_dialog.py": 1},
    ("fill", "zeros"): {"new_dialog.py": 1, "table_edits.py": 1},  # which a table has as "clear"
    ("format", "png"): {"export_command.py": 1, "render.py": 1, "export_choice.py": 1},
    ("format", "npz"): {"export_choice.py": 1},
    ("format", "svg"): {"render.py": 1},  # what a notebook shows
    ("format", ".npy"): {"npz.py": 2},  # members of a .npz
    ("format", ".md"): {"file_kinds.py": 1},  # a lesson is Markdown, too
    ("format", "pdf"): {"worked_solutions.py": 1},  # what worked solutions are written as
    ("format", "tex"): {"worked_solutions.py": 1},
    ("format", "md"): {"worked_solutions.py": 1},
    ("format", ".pdf"): {"worksheets.py": 1},  # worksheets are pages to print
    ("format", ".svg"): {"theme.py": 1},  # the program's own pictures
    ("format", "attn"): {
        "roles.py": 1,
        "attention_maps.py": 1,
    },  # short for attention in the names of other people's arrays
    # the choice whether a figure carries one
    ("format", "session"): {"export_settings.py": 1, "export_command.py": 1, "export_dialog.py": 1},
    ("page", "side_by_side"): {"modes.py": 1},  # two states beside each other, as the contract calls it
    # a bias as the way to a target, one of the ways of `solve`
    ("mask layer", "bias"): {
        "shortest_change.py": 1,
        # and the sum of all bias layers as a step of the spine
        "stages.py": 3,
        "cell_sentences.py": 1,
        "beats_of_stages.py": 1,
        # the bias of a projection, in the names of other people's arrays
        "roles.py": 2,
        "attention_maps.py": 1,
    },
    # the window of the program: its color, its place, its levels
    ("mask layer", "window"): {"design_tokens.py": 2, "theme.py": 1, "shell.py": 1, "export_choice.py": 1},
}


# Names of stages that stand elsewhere, {module: how many}, each for something else than a stage: a palette, a color of
# the look, an operator of the spine, a variable of the formulas, a number of a verdict; the joined heads as the
# side of a clash of shapes; a switch of a token in tokenizer.json; W_O as one of the projections and in the names of
# other people's arrays; weights that are given, as a field. Words that are fields or axes too (query, key, value) are
# not counted.
STAGES = frozenset(STAGE) - {"query", "key", "value"}
STAGES_LEFT: Mapping[str, int] = {
    "array_mapping.py": 1,  # the axes of the weights of projections
    "attention_maps.py": 3,
    "arranged_problem.py": 5,  # these axes, too
    "axes_fields.py": 3,  # and here
    "colors.py": 1,
    "command_base.py": 1,  # an option
    "create.py": 1,
    "fields.py": 1,
    "gguf.py": 2,
    "tables.py": 1,
    "changed_layers.py": 1,
    "design_tokens.py": 2,
    "levels.py": 1,
    "operator_boxes.py": 1,
    "roles.py": 7,
    "rows_and_columns.py": 1,
    "shape_errors.py": 5,
    "target_solution.py": 1,
    "spine_items.py": 1,
}


def literals(source: str, keys: frozenset[str]) -> Iterator[str]:
    """Every string of a module that is a key; English texts that are marked for translation are none."""
    return (text for text in _strings(source) if text in keys)


@cache
def _strings(source: str) -> tuple[str, ...]:
    """Every string of a module that is not marked, read once for all catalogs."""
    nodes = list(ast.walk(ast.parse(source)))
    marked = {
        id(argument)
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in MARKS
        for argument in node.args
    }
    constants = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in marked)
    return tuple(node.value for node in constants if isinstance(node.value, str))


MARKS = ("tr", "translate", "QT_TRANSLATE_NOOP", "_")


def place(path: Path) -> str:
    """How ALLOWED names a module: by its name, a package's own by its folder too."""
    return path.name if path.name != "__init__.py" else f"{path.parent.name}/{path.name}"


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_a_literal_in_its_catalog_alone(kind):
    found = Counter(
        (key, place(path))
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(part in path.as_posix() for part in CATALOGS[kind])
        for key in literals(path.read_text(encoding="utf-8"), KEYS[kind])
    )
    mine = {key: places for (of, key), places in ALLOWED.items() if of == kind}
    allowed = {(key, name): count for key, places in mine.items() for name, count in places.items()}
    more = {where: count for where, count in found.items() if count > allowed.get(where, 0)}
    assert not more, f"ask the entry of the {kind} instead"
    assert not allowed.keys() - found.keys(), "these are gone: take them from ALLOWED, too"


def test_a_stage_is_a_literal_in_its_catalog_alone():
    # a model's pass walks through them, and a family says how a checkpoint calls the weights of some
    engine = ("stages.py", "derived_stages.py", "blocks.py", "scores.py", "normalizers.py", "verdicts.py")
    engine += ("analysis/reference.py",)
    homes = (*(f"/engine/{name}" for name in engine), "/models/forward_pass.py", "/models/families.py")
    found = Counter(
        place(path)
        for path in sorted(SOURCES.rglob("*.py"))
        if not any(part in path.as_posix() for part in homes)
        for _ in literals(path.read_text(encoding="utf-8"), STAGES)
    )
    more = {name: count for name, count in found.items() if count > STAGES_LEFT.get(name, 0)}
    assert not more, "ask the entry of the stage, or the evaluation for the part that it takes"
    assert found == STAGES_LEFT, "these are fewer: lower the count in STAGES_LEFT, too"


def test_every_image_of_the_catalog_has_a_device_that_writes_it():
    assert list(ENCODERS) == list(IMAGES)


def test_a_new_literal_is_seen():
    assert list(literals("if problem.score == 'dot':\n    pass", KEYS["score"])) == ["dot"]
    assert list(literals("SCORES = {'cosine': 1, 'other': 2}", KEYS["score"])) == ["cosine"]
    assert list(literals("match kind:\n    case 'causal':\n        pass", KEYS["mask layer"])) == ["causal"]
    assert not list(literals("QT_TRANSLATE_NOOP('Scores', 'dot')", KEYS["score"]))
    assert list(literals("save(path + '.tsv')", KEYS["format"])) == [".tsv"]
