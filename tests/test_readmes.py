"""README and the pages of the help, in two languages: the same commands, pictures that are there, marks that agree."""

import re
from pathlib import Path

from attn_gui.commands.export_command import export_parser
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.formats import IMAGES, number_formats
from attn_gui.formats.scripts import SCRIPTS
from tests.failing import each

ROOT = Path(__file__).resolve().parents[1]
HELP = ROOT / "resources" / "help"
READMES = {"en": ROOT / "README.md", "zh": HELP / "README.zh.md"}
KEYS = ["README", *sorted(path.stem for path in (HELP / "en").glob("*.md"))]
COMMAND = re.compile(r"^(?:\.venv/bin/|python3 |attn-gui ).*$", re.MULTILINE)
DOCUMENTS = [*READMES.values(), *(ROOT / "packaging").glob("*.md"), ROOT / "resources" / "examples" / "README.md"]


def text_of(key: str, lang: str) -> str:
    path = READMES[lang] if key == "README" else HELP / lang / f"{key}.md"
    return path.read_text(encoding="utf-8")


def blocks(text: str) -> list[tuple[str, str]]:
    """The language and the text of every fenced block."""
    return re.findall(r"^```(\w*)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(text: str) -> list[str]:
    return [line for kind, code in blocks(text) if not kind for line in COMMAND.findall(code)]


def code(text: str) -> list[str]:
    """Every block of Python, without its comments."""
    return [re.sub(r"  # .*", "", lines) for kind, lines in blocks(text) if kind == "python"]


def test_the_readme_is_read_in_minutes():
    assert len(text_of("README", "en").split()) <= 900


def test_every_page_is_there_in_both_languages():
    assert KEYS[1:] == sorted(path.stem for path in (HELP / "zh").glob("*.md"))


@each("key", KEYS)
def test_both_languages_have_the_same_commands_code_and_tables(key):
    english, chinese = text_of(key, "en"), text_of(key, "zh")
    assert [line.replace("--name zh --lang zh", "--name en") for line in commands(chinese)] == commands(english)
    assert code(chinese) == code(english)
    rows = [len(re.findall(r"^\|", text, re.MULTILINE)) for text in (english, chinese)]
    assert rows[0] == rows[1]
    headings = [len(re.findall(r"^#+ ", text, re.MULTILINE)) for text in (english, chinese)]
    assert headings[0] == headings[1]


@each("key", KEYS)
def test_inline_commands_and_options_are_in_both(key):
    texts = [text_of(key, lang) for lang in READMES]
    for pattern in (r"`attn-gui (\w+)[^`]*`", r"`(--[a-z-]+)", r"`(\w+=)", r"packaging/dev\.py (\w+)"):
        assert set(re.findall(pattern, texts[0])) == set(re.findall(pattern, texts[1])), pattern


@each("path", DOCUMENTS)
def test_pictures_and_files_that_are_linked_are_there(path):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert len(links) > 8 or path not in READMES.values()
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []


@each("lang", READMES)
def test_every_form_of_numbers_is_told(lang):
    text = text_of("7-numbers-out", lang)
    for key in (*number_formats(), *SCRIPTS):
        assert f"`{key}`" in text, key
    assert all(key.upper() in text for key in IMAGES)


@each("lang", READMES)
def test_every_page_is_told(lang):
    rows = re.findall(r"^\| (`.*)", text_of("3-pages", lang), re.MULTILINE)
    assert not [name for name in PAGES if not any(f"`{name}`" in row for row in rows)]


def test_the_comparison_has_the_same_marks_in_both():
    marks = [re.findall("[●◐○]", text_of("README", lang)) for lang in READMES]
    assert marks[0] == marks[1]
    assert marks[0].count("○") > 20


def test_every_command_is_told_once_and_exports_are_understood():
    found = commands("\n".join(text_of(key, "en") for key in KEYS))
    assert len(found) > 25
    assert sorted(set(found)) == sorted(found)
    for words in map(str.split, found):
        if words[1:2] == ["export"] and any("resources" in word for word in words):
            export_parser().parse_args(words[2:])


def test_the_code_of_the_readme_runs(monkeypatch, tmp_path, capsys):
    """All of it but the last line, which opens the window."""
    (lines,) = code(text_of("README", "en"))
    *without, last = lines.strip().splitlines()
    assert last.startswith("attn_gui.explore(")
    assert len(lines.strip().splitlines()) <= 8
    monkeypatch.chdir(tmp_path)
    exec("\n".join(without), {})  # lines of our own
    assert "exp(" in capsys.readouterr().out
    assert (tmp_path / "weights.svg").exists()
