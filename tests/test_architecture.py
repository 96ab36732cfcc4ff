"""The house holds: one direction of imports, a light package, translatable texts, nothing dead."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "attn_gui"
PACKAGES = ("engine", "formats", "models", "lessons", "document", "pictures", "figure", "views", "app")
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = sorted(path for folder in ("attn_gui", "packaging", "tests") for path in (ROOT / folder).rglob("*.py"))
OF_THE_PROCESS = {  # Qt has one application and one set of fonts
    "figure/text/fonts.py:_loaded",
    "figure/text/fonts.py:_kept",
}
FILLING = {"add", "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}
# what a script may import, whoever else does
FACES = ("attn_gui", "attn_gui.engine", "attn_gui.formats", "attn_gui.models")
# the calls that a heatmap answers to outside tools; a part of the output, of which there is no map yet
CALLED = {"cell_at", "cell_rect", "part_block"}
TRANSLATED = {"tr", "translate", "QT_TRANSLATE_NOOP", "QT_TR_NOOP", "_"}


def loaded_by(statement: str) -> set[str]:
    """The modules in memory after a statement in a fresh Python."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_imports_go_in_one_direction():
    code = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "never"),
    [
        ("attn_gui", ("numpy", "PySide6", "pyqtgraph")),
        ("attn_gui.cli", ("numpy", "PySide6", "pyqtgraph")),
        ("attn_gui.engine", ("PySide6", "pyqtgraph")),
        ("attn_gui.formats", ("PySide6", "pyqtgraph")),
        ("attn_gui.models", ("PySide6", "pyqtgraph", "tokenizers")),
        ("attn_gui.lessons.scenes", ("PySide6", "pyqtgraph")),
        ("attn_gui.document.document", ("PySide6.QtWidgets", "pyqtgraph")),
        ("attn_gui.figure.render", ("PySide6.QtWidgets", "pyqtgraph", "attn_gui.figure.walk")),
        (  # all that a start imports
            "attn_gui.app.late_controllers",
            (
                "attn_gui.engine.analysis.target_solvers",
                "attn_gui.figure.walk",
                "attn_gui.formats.text.delimited",
                "attn_gui.formats.text.typeset",
                "attn_gui.lessons.worked_solutions",
            ),
        ),
    ],
)
def test_importing_stays_light(module, never):
    assert not loaded_by(f"import {module}") & set(never)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_what_lives_there_and_what_it_imports(package):
    source = (PACKAGE / package / "__init__.py").read_text(encoding="utf-8")
    first = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
    assert "Imports" in first or "knows everybody" in first


def test_a_package_names_files_that_it_has():
    stale = []
    for path in PACKAGE.rglob("__init__.py"):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        there = {entry.stem for entry in path.parent.iterdir()}
        stale += [f"{path.parent.name}: {name}" for name in re.findall(r"`([a-z_]+)`", doc) if name not in there]
    assert not stale


def called_name(call: ast.Call) -> str:
    """The function's name; a painter's `translate` is none of ours."""
    target = call.func
    if not isinstance(target, ast.Attribute):
        return target.id if isinstance(target, ast.Name) else ""
    moved = target.attr == "translate" and ast.unparse(target.value) != "QCoreApplication"
    return "" if moved else target.attr


def test_texts_are_literals_and_filled_in_after_translation():
    """lupdate cannot see an f-string, what stands inside one, a sum or a formatted text."""
    wrong = [
        f"{path.relative_to(PACKAGE)}, line {node.lineno}: {ast.unparse(node)}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.JoinedStr) and any(map(is_translated, ast.walk(node))))
        or (isinstance(node, ast.Call) and is_translated(node) and any(map(is_put_together, node.args)))
    ]
    assert not wrong


def is_translated(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and called_name(node) in TRANSLATED


def is_put_together(text: ast.expr) -> bool:
    formatted = isinstance(text, ast.Call) and called_name(text) == "format"
    return formatted or isinstance(text, ast.JoinedStr | ast.BinOp)


def test_packaging_does_not_shadow_the_package_of_that_name():
    assert not (ROOT / "packaging" / "__init__.py").exists()


def test_a_type_that_is_not_checked_says_why():
    ignored = re.compile(r"# type: ignore(?!\[[\w,-]+\]  # \w)")
    lines = [(path, line) for path in MODULES for line in path.read_text(encoding="utf-8").splitlines()]
    assert [f"{path.name}: {line.strip()}" for path, line in lines if ignored.search(line)] == []


def registries(tree: ast.Module) -> set[str]:
    """The containers of a module that a function of it fills: what outlives every window and every document."""
    made = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    filled = set()
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                    filled.add(ast.unparse(node.value))
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILLING:
                    filled.add(ast.unparse(node.func.value))
                elif isinstance(node, ast.Global):
                    filled.update(node.names)
    return made & filled


def test_nothing_is_registered_at_module_level():
    found = {
        f"{path.relative_to(PACKAGE).as_posix()}:{name}"
        for path in MODULES
        for name in registries(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == OF_THE_PROCESS


def test_views_have_no_thread_and_no_timer_that_works_on():
    """A timer of a view waits once for a moment of rest; one that ticks computes, and that is not a view's affair."""
    threads, ticking = [], []
    for path in (PACKAGE / "views").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and re.fullmatch(r"QThread\w*|QRunnable|Thread\w*", node.id):
                threads.append(f"{path.name}:{node.lineno}")
            if isinstance(node, ast.Call) and called_name(node) == "QTimer":
                once = any(word.arg == "singleShot" and ast.unparse(word.value) == "True" for word in node.keywords)
                ticking += [] if once else [f"{path.name}:{node.lineno}"]
    assert threads == []
    assert ticking == []


def test_a_box_is_made_where_its_names_are_kept_from_being_read_as_html():
    made = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "QMessageBox"
    }
    assert made == {"views/dialogs/asking.py"}


def test_every_path_that_the_documents_name_is_there():
    pages = [ROOT / "README.md", *(ROOT / "packaging").glob("*.md"), *(ROOT / "resources" / "help").glob("*/*.md")]
    text = "".join(path.read_text(encoding="utf-8") for path in pages)
    named = re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|md|ts|toml|json))`", text)
    missing = [path for path in named if not ((ROOT / path).exists() or (PACKAGE / path).exists())]
    assert len(named) > 10
    assert not missing


def test_the_map_names_files_that_are_there_in_short_too():
    """In the table of the window below the folder that heads the column, elsewhere by the end of a path."""
    text = (ROOT / "packaging" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.partition("| in `views` | in `app` |")[2].partition("\n\n")[0]
    rows = [row.split("|") for row in table.splitlines()[1:]]
    cells = [(folder, row[at]) for row in rows for at, folder in ((2, "views"), (3, "app"))]
    named = [f"{folder}/{name}.py" for folder, cell in cells for name in re.findall(r"`([^`]+)`", cell)]
    assert len(named) > 80
    assert [path for path in named if not (PACKAGE / path).exists()] == []
    stems = {path.name for folder in (PACKAGE, ROOT / "packaging") for path in folder.rglob("*.py")}
    assert [name for name in re.findall(r"`(\w+\.py)`", text) if name not in stems] == []


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path, known: set[str]) -> set[str]:
    """The modules of the package that one names anywhere in it: at the top, in a function, for types alone."""
    name, found = module_name(path), set[str]()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            source = ".".join(filter(None, (above, node.module)))
            inner = {f"{source}.{alias.name}" for alias in node.names}
            found |= (inner & known) | ({source} if inner - known else set())
    return (found & known) - {name}


def circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """Groups of modules each of which leads to all others of its group."""
    reached: dict[str, set[str]] = {}
    for start in arrows:
        seen, left = set[str](), [start]
        while left:
            fresh = arrows[left.pop()] - seen
            seen |= fresh
            left += fresh
        reached[start] = seen
    found = {frozenset(other for other in seen if name in reached[other]) for name, seen in reached.items()}
    return [set(group) for group in found if len(group) > 1]


def test_no_circle_of_imports_has_more_than_two_files():
    """Imports for types alone count: a circle is one room, whoever enters it has to read all of it."""
    known = {module_name(path): path for path in MODULES}
    arrows = {name: imported(path, set(known)) for name, path in known.items()}
    assert sum(map(len, arrows.values())) > 1000
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]
    assert [sorted(group) for group in circles(arrows) if len(group) > 2] == []


def definitions(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(class or nothing, name) of every function, class and method of a module; constants have no class."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield "", node.name
        if isinstance(node, ast.ClassDef):
            yield from ((node.name, method.name) for method in node.body if isinstance(method, ast.FunctionDef))
        if isinstance(node, ast.Assign):
            yield from (("", target.id) for target in node.targets if isinstance(target, ast.Name))


def names_read(tree: ast.AST) -> Iterator[str]:
    """Every name that is read, on its own or of something; an import alone reads nothing."""
    for node in ast.walk(tree):
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


def test_the_name_of_a_class_is_used_once():
    nodes = (node for path in MODULES for node in ast.walk(ast.parse(path.read_text())))
    named = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert not [name for name, count in named.items() if count > 1]


def test_nothing_is_there_for_tests_alone():
    """A name that neither the package nor its packaging reads is dead, or a promise of the face for scripts."""
    trees = {
        path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES if ROOT / "tests" not in path.parents
    }
    promised = {name for face in FACES for name in importlib.import_module(face).__all__}
    known = CALLED | promised | {name for tree in trees.values() for name in names_read(tree)}
    dead = [
        f"{path.relative_to(PACKAGE)}: {owner}.{name}".replace(": .", ": ")
        for path, tree in trees.items()
        if PACKAGE in path.parents
        for owner, name in definitions(tree)
        if name not in known and owner not in promised and not is_asked_from_outside(path, owner, name)
    ]
    assert not dead, "only tests read these, or nothing does:\n" + "\n".join(dead)


def test_tests_stand_in_folders_of_what_they_test():
    """A folder of tests is called as a folder of the package, or as a module of it that has many."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for package in PACKAGES for path in (tests / package).rglob("*.py")}
    assert len(folders) > len(PACKAGES)
    wrong = [folder for folder in folders if not ((PACKAGE / folder).is_dir() or (PACKAGE / f"{folder}.py").exists())]
    assert [str(folder) for folder in wrong] == []


def test_no_layout_is_asked_for_its_items():
    """PySide keeps what `itemAt` returns under its address, also once Qt has deleted it: a widget that was made there
    was handed to an event filter as an item, which ended the program now and then."""
    asking = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "itemAt"
    ]
    assert asking == []
