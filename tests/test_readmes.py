"""The two READMEs: the same commands, pictures that are there, marks that agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attn_gui.commands.export_command import export_parser
from attn_gui.figure.page_catalog import PAGES
from attn_gui.formats import IMAGES, numbers
from attn_gui.formats.scripts import SCRIPTS

ROOT = Path(__file__).resolve().parents[1]
READMES = {"en": ROOT / "README.md", "zh": ROOT / "resources" / "help" / "README.zh.md"}
COMMAND = re.compile(r"^(?:\.venv/bin/|python3 |attn-gui ).*$", re.MULTILINE)


def blocks(lang: str) -> list[tuple[str, str]]:
    """The language and the text of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", READMES[lang].read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands(lang: str) -> set[str]:
    return {line for kind, text in blocks(lang) if not kind for line in COMMAND.findall(text)}


def test_both_name_the_same_commands():
    found = commands("en")
    assert len(found) > 20
    assert {line.replace("--name zh --lang zh", "--name en") for line in commands("zh")} == found


def test_inline_commands_and_options_are_in_both():
    texts = [path.read_text(encoding="utf-8") for path in READMES.values()]
    wanted = {found for found in re.findall(r"`(attn-gui [\w -]+?)[` …]", texts[0]) if found != "attn-gui verify"}
    options = set(re.findall(r"`(--[a-z-]+)", texts[1]))
    tasks = [set(re.findall(r"packaging/dev\.py (\w+)", text)) for text in texts]
    assert tasks[0] == tasks[1]
    assert wanted
    for found in wanted:
        assert found.split()[1] in texts[1], found
    assert all(found in texts[0] for found in options)


@pytest.mark.parametrize("lang", READMES)
def test_pictures_and_files_that_are_linked_are_there(lang):
    path = READMES[lang]
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert len(links) > 8
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("lang", READMES)
def test_every_form_of_numbers_is_told(lang):
    text = READMES[lang].read_text(encoding="utf-8")
    for key in (*numbers(), *SCRIPTS):
        assert f"`{key}`" in text, key
    assert all(key.upper() in text for key in IMAGES)


@pytest.mark.parametrize("lang", READMES)
def test_every_page_is_told(lang):
    rows = re.findall(r"^\| (`.*)", READMES[lang].read_text(encoding="utf-8"), re.MULTILINE)
    assert not [name for name in PAGES if not any(f"`{name}`" in row for row in rows)]


def test_the_comparison_has_the_same_marks_in_both():
    marks = [re.findall("[●◐○]", path.read_text(encoding="utf-8")) for path in READMES.values()]
    assert marks[0] == marks[1]
    assert marks[0].count("○") > 20


def test_exports_in_the_readme_are_understood():
    for line in sorted(commands("en")):
        words = line.split()
        if words[1:2] == ["export"] and "resources" in line:
            export_parser().parse_args(words[2:])
