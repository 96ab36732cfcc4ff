"""What the code keeps to: one direction, light imports, translatable texts, nothing dead, keys in catalogs alone."""

import ast
import importlib
import re
import subprocess
import sys
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
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.formats.catalog import FORMATS, IMAGES
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "attn_gui"
MODULES = sorted(PACKAGE.rglob("*.py"))
# what a script may import, whoever else does
FACES = ("attn_gui", "attn_gui.engine", "attn_gui.formats", "attn_gui.models")
# the calls that a heatmap answers to outside tools; a part of the output, of which there is no map yet
CALLED = {"cell_at", "cell_rect", "part_block"}
MARKS = {"tr", "translate", "N_"}


@cache
def nodes(path: Path) -> list[ast.AST]:
    """All nodes of a file, the whole first; a file is read once for all tests."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@pytest.fixture(autouse=True, scope="module")
def _forgotten() -> Iterator[None]:
    """A million nodes would be looked through for garbage after every later test."""
    yield
    nodes.cache_clear()


def of_kind(kind: type) -> Iterator[tuple[str, ast.AST]]:
    """Every node of a kind, with its file."""
    for path in MODULES:
        yield from ((named(path), node) for node in nodes(path) if isinstance(node, kind))


def named(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


# --- imports -------------------------------------------------------------------------------------
def test_imports_go_in_one_direction():
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


NEVER = {  # in the order in which one imports the other
    "attn_gui": ("numpy", "PySide6", "pyqtgraph"),
    "attn_gui.cli": ("numpy", "PySide6", "pyqtgraph"),
    "attn_gui.engine": ("PySide6", "pyqtgraph"),
    "attn_gui.formats": ("PySide6", "pyqtgraph"),
    "attn_gui.models": ("PySide6", "pyqtgraph", "tokenizers"),
    "attn_gui.lessons.step_states": ("PySide6", "pyqtgraph"),
    "attn_gui.document.document": ("PySide6.QtWidgets", "pyqtgraph"),
    "attn_gui.figure.render": ("PySide6.QtWidgets", "pyqtgraph", "attn_gui.figure.walk"),
    "attn_gui.app.late_controllers": (  # all that a start imports
        "attn_gui.engine.analysis.target_solvers",
        "attn_gui.figure.walk",
        "attn_gui.formats.text.delimited",
        "attn_gui.formats.text.latex_markdown_reader",
        "attn_gui.lessons.worked_solutions",
    ),
}


def test_importing_stays_light():
    code = f"import sys, importlib\nfor module, never in {NEVER}.items():\n    importlib.import_module(module)\n"
    code += "    print(*[f'{module} brings {name}' for name in never if name in sys.modules], sep='\\n', end='')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, known: set[str]) -> set[str]:
    """The modules of the package that one names anywhere in it: at the top, in a function, for types alone."""
    name, found = module_name(path), set[str]()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            inner = {f"{source}.{alias.name}" for alias in node.names}
            found |= (inner & known) | ({source} if inner - known else set())
    return (found & known) - {name}


def reached_from(start: str, arrows: Mapping[str, set[str]]) -> set[str]:
    seen, left = set[str](), [start]
    while left:
        fresh = arrows[left.pop()] - seen
        seen |= fresh
        left += fresh
    return seen


def test_no_circle_of_imports_has_more_than_two_files():
    """Imports for types alone count: a circle is one room, whoever enters it has to read all of it."""
    known = {module_name(path): path for path in MODULES}
    arrows = {name: imported(path, set(known)) for name, path in known.items()}
    assert sum(map(len, arrows.values())) > 1000
    reached = {name: reached_from(name, arrows) for name in arrows}
    circles = {frozenset(other for other in reached[name] if name in reached[other]) for name in arrows}
    assert [sorted(circle) for circle in circles if len(circle) > 2] == []


# --- texts ---------------------------------------------------------------------------------------
def called_name(call: ast.AST) -> str:
    """The function's name; a painter's `translate` is none of ours."""
    target = call.func if isinstance(call, ast.Call) else None
    if not isinstance(target, ast.Attribute):
        return target.id if isinstance(target, ast.Name) else ""
    moved = target.attr == "translate" and ast.unparse(target.value) != "QCoreApplication"
    return "" if moved else target.attr


def is_put_together(text: ast.expr) -> bool:
    return called_name(text) == "format" or isinstance(text, ast.JoinedStr | ast.BinOp)


def test_texts_are_literals_and_filled_in_after_translation():
    """lupdate cannot see an f-string, what stands inside one, a sum or a formatted text."""
    wrong = [
        f"{path}, line {node.lineno}: {ast.unparse(node)}"
        for path, node in of_kind(ast.JoinedStr | ast.Call)
        if (isinstance(node, ast.JoinedStr) and any(called_name(inner) in MARKS for inner in ast.walk(node)))
        or (called_name(node) in MARKS and any(map(is_put_together, node.args)))
    ]
    assert not wrong


# --- what stands in one place, or nowhere --------------------------------------------------------
@each(
    ("name", "places"),
    [
        ("QMessageBox", {"views/dialogs/dialog_base.py"}),  # where names are kept from being read as HTML
        # PySide keeps what it returns under its address, also once Qt has deleted it: a widget that was made there was
        # handed to an event filter as an item, which ended the program now and then
        ("itemAt", set()),
    ],
)
def test_a_call_stands_where_it_is_safe(name, places):
    assert {path for path, call in of_kind(ast.Call) if called_name(call) == name} == places


def test_a_painter_ends_with_its_block():
    """One that an error left at work on the window ended the process."""
    managed = {id(item.context_expr) for _, node in of_kind(ast.With) for item in node.items}
    painters = [(path, call.lineno, id(call)) for path, call in of_kind(ast.Call) if called_name(call) == "QPainter"]
    assert len(painters) > 40
    assert not [(path, line) for path, line, call in painters if call not in managed]


def test_the_name_of_a_class_is_used_once():
    count = Counter(node.name for _, node in of_kind(ast.ClassDef))
    assert not [name for name, times in count.items() if times > 1]


def definitions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(class or nothing, name) of every function, class and method of a module; constants have no class."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield "", node.name
        if isinstance(node, ast.ClassDef):
            yield from ((node.name, method.name) for method in node.body if isinstance(method, ast.FunctionDef))
        if isinstance(node, ast.Assign):
            yield from (("", target.id) for target in node.targets if isinstance(target, ast.Name))


def names_read(path: Path) -> Iterator[str]:
    """Every name that is read, on its own or of something; an import alone reads nothing."""
    for node in nodes(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def is_asked_from_outside(path: Path, owner: str, name: str) -> bool:
    """Whether another library calls it: by a name of its own, as `__eq__`, or because a class of its own has it."""
    if name.startswith("_") and name.endswith("_"):
        return True
    if not owner:
        return False
    kind = getattr(importlib.import_module(module_name(path)), owner)
    return any(hasattr(base, name) for base in kind.__mro__[1:] if not base.__module__.startswith("attn_gui"))


def test_nothing_is_there_for_tests_alone():
    """A name that neither the package nor its packaging reads is dead, or a promise of the face for scripts."""
    promised = {name for face in FACES for name in importlib.import_module(face).__all__}
    readers = [*MODULES, *(ROOT / "packaging").rglob("*.py")]
    known = CALLED | promised | {name for path in readers for name in names_read(path)}
    dead = [
        f"{named(path)}: {owner}.{name}".replace(": .", ": ")
        for path in MODULES
        for owner, name in definitions(nodes(path)[0])
        if name not in known and owner not in promised and not is_asked_from_outside(path, owner, name)
    ]
    assert not dead, "only tests read these, or nothing does:\n" + "\n".join(dead)


# --- documents that name files -------------------------------------------------------------------
def test_every_path_that_the_documents_name_is_there():
    pages = [ROOT / "README.md", *(ROOT / "packaging").glob("*.md"), *(ROOT / "resources" / "help").glob("*/*.md")]
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    paths = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|md|ts|toml|json))`", text)
    assert len(paths) > 10
    assert [path for path in paths if not ((ROOT / path).exists() or (PACKAGE / path).exists())] == []


def test_the_map_has_a_line_for_every_file_which_is_its_first_sentence():
    """Elsewhere it names files by the end of a path."""
    script = ROOT / "packaging" / "update_map.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = (ROOT / "packaging" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    there = {path.name for folder in (PACKAGE, ROOT / "packaging") for path in folder.rglob("*.py")}
    assert [name for name in re.findall(r"`(\w+\.py)`", text) if name not in there] == []


# --- keys of the catalogs ------------------------------------------------------------------------
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
    "page": ("figure/pages/", "engine/stages.py"),  # a page of a derived map is called as the map
    "format": ("formats/catalog.py", "figure/writers.py"),
}

# what is written, {where: how often}: the fewer, the better
ALLOWED: dict[tuple[str, str], Mapping[str, int]] = {
    # the contract's defaults
    ("score", "dot"): {"fields.py": 1, "live_numbers.py": 1},  # and a function of lessons: the product of two rows
    ("score", "cosine"): {"live_numbers.py": 1, "word_vectors.py": 1},  # another one, and how words are compared
    ("normalization", "softmax"): {"fields.py": 1, "array_names.py": 1},  # and in the names of other people's arrays
    ("fill", "integers"): {"new_dialog.py": 2},  # the first choice, and the words of every fill
    ("fill", "random"): {"new_dialog.py": 1, "sqrt_d_k.py": 1},  # and a way to make Q and K in a figure
    ("fill", "identity"): {"new_dialog.py": 1},
    ("fill", "zeros"): {"new_dialog.py": 1, "table_edits.py": 1},  # which a table has as "clear"
    ("format", "png"): {"export_command.py": 1, "render.py": 1, "form_fields.py": 1},
    ("format", "npz"): {"form_fields.py": 1},
    ("format", "svg"): {"render.py": 1},  # what a notebook shows
    ("format", ".npy"): {"numpy_files.py": 2},  # members of a .npz
    ("format", ".md"): {"paths.py": 1},  # a lesson is Markdown, too
    ("format", "pdf"): {"worked_solutions.py": 1},  # what worked solutions are written as
    ("format", "tex"): {"worked_solutions.py": 1},
    ("format", "md"): {"worked_solutions.py": 1},
    ("format", ".pdf"): {"worksheet_files.py": 1},  # worksheets are pages to print
    ("format", ".svg"): {"theme.py": 1},  # the program's own pictures
    ("format", "attn"): {
        "array_names.py": 1,
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
        "walk.py": 1,
        # the bias of a projection, in the names of other people's arrays
        "array_names.py": 2,
        "attention_maps.py": 1,
    },
    # the window of the program: its color, its place, its levels
    ("mask layer", "window"): {"design_tokens.py": 2, "theme.py": 1, "shell.py": 1, "form_fields.py": 1},
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
    "mapped_problem.py": 2,  # these axes, too
    "arrays_dialog.py": 3,  # and here
    "colors.py": 2,
    "create.py": 1,
    "fields.py": 1,
    "gguf.py": 2,
    "tables.py": 1,
    "changed_layers.py": 1,
    "design_tokens.py": 2,
    "spine_controls.py": 1,
    "array_names.py": 7,
    "resize.py": 1,
    "shape_errors.py": 5,
    "target_solution.py": 1,
    "spine_items.py": 1,
}


@cache
def strings(path: Path) -> list[str]:
    """Every string of a module, but for English texts that are marked for translation."""
    marked = {id(text) for node in nodes(path) if called_name(node) in MARKS for text in node.args}
    constants = (node.value for node in nodes(path) if isinstance(node, ast.Constant) and id(node) not in marked)
    return [value for value in constants if isinstance(value, str)]


def literals(path: Path, keys: frozenset[str]) -> list[str]:
    return [text for text in strings(path) if text in keys]


def place(path: Path) -> str:
    """How ALLOWED names a module: by its name, a package's own by its folder too."""
    return path.name if path.name != "__init__.py" else f"{path.parent.name}/{path.name}"


@each("kind", KEYS)
def test_a_key_is_a_literal_in_its_catalog_alone(kind):
    """A list of keys elsewhere knows nothing of a newcomer."""
    found = Counter(
        (key, place(path))
        for path in MODULES
        if not any(part in path.as_posix() for part in CATALOGS[kind])
        for key in literals(path, KEYS[kind])
    )
    mine = {key: places for (of, key), places in ALLOWED.items() if of == kind}
    allowed = {(key, name): count for key, places in mine.items() for name, count in places.items()}
    more = {where: count for where, count in found.items() if count > allowed.get(where, 0)}
    assert not more, f"ask the entry of the {kind} instead"
    assert not allowed.keys() - found.keys(), "these are gone: take them from ALLOWED, too"


def test_a_stage_is_a_literal_in_its_catalog_alone():
    # a model's pass walks through them, and a family says how a checkpoint calls the weights of some
    engine = ("stages.py", "blocks.py", "scores.py", "normalizers.py", "verdicts.py")
    engine += ("analysis/reference.py",)
    models = ("forward_pass.py", "backward_pass.py", "families.py")
    homes = (*(f"/engine/{name}" for name in engine), *(f"/models/{name}" for name in models))
    found = Counter(
        place(path)
        for path in MODULES
        if not any(part in path.as_posix() for part in homes)
        for _ in literals(path, STAGES)
    )
    more = {name: count for name, count in found.items() if count > STAGES_LEFT.get(name, 0)}
    assert not more, "ask the entry of the stage, or the evaluation for the part that it takes"
    assert found == STAGES_LEFT, "these are fewer: lower the count in STAGES_LEFT, too"
