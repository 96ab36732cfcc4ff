"""Collect every text of the program into resources/translations and compile what is translated.

.venv/bin/python packaging/update_translations.py            after a text was added, changed or translated
.venv/bin/python packaging/update_translations.py --missing  list the texts that have no finished translation
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from compile_translations import ROOT, compile_texts, run

from attn_gui.engine.comparison import READY
from attn_gui.engine.graph.symbols_and_titles import titles as all_titles

TRANSLATIONS = ROOT / "resources" / "translations"
CHINESE = TRANSLATIONS / "attn_gui_zh.ts"
# the engine's sentences are plain constants, for it imports no Qt that could mark them
PLAIN = tuple(ROOT / "attn_gui" / "engine" / name for name in ("errors.py", "verdicts.py"))


def main(arguments: list[str]) -> int:
    if arguments == ["--missing"]:
        for context, source in unfinished(CHINESE):
            print(f"{context}: {source}")
        return 1 if unfinished(CHINESE) else 0
    collect(CHINESE)
    compile_texts(CHINESE, CHINESE.with_suffix(".qm"))
    print(f"{CHINESE.name}: {len(unfinished(CHINESE))} texts are not translated")
    return 0


def collect(target: Path) -> None:
    """Merge every marked text of the sources into the .ts file; what is gone from the sources leaves it."""
    sources = sorted(str(path) for path in (ROOT / "attn_gui").rglob("*.py"))
    # line numbers would change the file with every edit
    options = ["-no-obsolete", "-locations", "none", "-source-language", "en", "-target-language", "zh_CN"]
    with tempfile.TemporaryDirectory() as folder:
        engine = Path(folder) / "engine.py"
        texts = [
            *(("Sentences", text) for text in plain_templates()),
            *marked(),
            *(("Names", text) for text in titles()),
        ]
        engine.write_text(marked_as_texts(texts), encoding="utf-8")
        run("lupdate", *options, *sources, str(engine), "-ts", str(target))
    target.write_text(with_titles(target.read_text(encoding="utf-8")), encoding="utf-8")


def titles() -> dict[str, str]:
    """Return the Chinese words of every stage, field and ready-made comparison by the English ones: both stand
    there."""
    return dict(all_titles()) | {en: zh for ready in READY.values() for en, zh in ready.words().items()}


def with_titles(text: str) -> str:
    """Return the .ts file with the titles in it."""
    before, names, after = re.split(r"(?s)(<name>Names</name>.*?</context>)", text, maxsplit=1)
    for english, chinese in titles().items():
        found = rf"(?s)(<source>{re.escape(escape(english))}</source>\s*)<translation.*?</translation>"
        names = re.sub(found, rf"\g<1><translation>{chinese}</translation>", names)
    return before + names + after


def plain_templates() -> list[str]:
    """Return every sentence of the engine, in the order of its modules."""
    found = []
    for path in PLAIN:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                found += re.findall(r"(?s)^.*[a-z].*$", str(node.value.value))  # a sign is no sentence
    return found


def marked() -> list[tuple[str, str]]:
    """Return (context, text) of all that `N_` marks, in the order of the files."""
    sources = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "attn_gui").rglob("*.py")))
    nodes = [node for text in sources if "N_" in text for node in ast.walk(ast.parse(text))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    words = [[ast.literal_eval(word) for word in call.args] for call in calls if call.func.id == "N_"]
    return [(context[0] if context else "Sentences", text) for *context, text in words]


def marked_as_texts(texts: Iterable[tuple[str, str]]) -> str:
    """Return a module that lupdate understands, of (context, text) pairs."""
    return "\n".join(
        f'QT_TRANSLATE_NOOP("{context}", {json.dumps(text, ensure_ascii=False)})' for context, text in texts
    )


def unfinished(path: Path) -> list[tuple[str, str]]:
    """(context, text) of everything that still waits for its translation."""
    found = []
    for context in ElementTree.parse(path).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type") == "unfinished" or not "".join(translation.itertext()):
                found.append((context.findtext("name", ""), message.findtext("source", "")))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
