"""Fill the map of the code: each line "- `path`: …" of ARCHITECTURE.md is the first sentence of that file's docstring.

.venv/bin/python packaging/update_map.py          after a first sentence has changed, or a file has come, moved or gone
.venv/bin/python packaging/update_map.py --check  change nothing; say what the map lacks
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from tokenize import COMMENT, NL, STRING, generate_tokens

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "attn_gui"
MAP = ROOT / "packaging" / "ARCHITECTURE.md"
LINE = re.compile(r"^- `([\w/]+\.py)`:.*$", re.MULTILINE)


def main(arguments: list[str]) -> int:
    text = MAP.read_text(encoding="utf-8")
    filled = LINE.sub(lambda line: f"- `{line[1]}`: {first_sentence(file_of(line[1]))}", text)
    wrong = faults(LINE.findall(text))
    if "--check" not in arguments:
        MAP.write_text(filled, encoding="utf-8")
    elif filled != text:
        wrong.append("a line is not the first sentence of its file: run packaging/update_map.py")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


def faults(named: list[str]) -> list[str]:
    """Return what is wrong with the paths that the map names; packages whose `__init__` says little need no line."""
    files = [path.relative_to(PACKAGE).as_posix() for path in sorted(PACKAGE.rglob("*.py"))]
    tools = [*MAP.parent.glob("*.py"), *MAP.parent.glob("installers/*.py")]
    files += [path.relative_to(ROOT).as_posix() for path in sorted(tools)]
    needed = [name for name in files if not name.endswith("__init__.py")]
    return [
        *(f"{name} has no line in the map" for name in needed if name not in named),
        *(f"{name} has {named.count(name)} lines in the map" for name in sorted(set(named)) if named.count(name) > 1),
        *(f"{name} has a line and is no file" for name in named if not file_of(name).exists()),
        *(f"{name} has no docstring" for name in named if file_of(name).exists() and not first_sentence(file_of(name))),
    ]


def file_of(name: str) -> Path:
    """Return the file of a line, whose path begins in the package, or with `packaging`."""
    return ROOT / name if name.startswith("packaging/") else PACKAGE / name


def first_sentence(path: Path) -> str:
    """Return the first sentence of a module's docstring on one line, without its period; "" without one."""
    if not path.exists():
        return ""
    with path.open(encoding="utf-8") as lines:  # no further than needed: to parse every file whole takes seconds
        first = next(token for token in generate_tokens(lines.readline) if token.type not in (COMMENT, NL))
    said = ast.literal_eval(first.string) if first.type == STRING else ""
    return re.split(r"\.\s", " ".join(said.split()) + " ", maxsplit=1)[0].strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
