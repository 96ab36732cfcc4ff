"""The help stands beside the window, in either language, and names every action as the menus do."""

import re
from collections import defaultdict

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import attn_gui
from attn_gui.cli import main
from attn_gui.engine.stages import STAGE
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.lessons.lesson import ORDERS
from attn_gui.lessons.live_numbers import FUNCTIONS, HERE, MEASURES
from attn_gui.lessons.step_states import PLACES
from attn_gui.models import KnownModel
from attn_gui.paths import resource
from attn_gui.views.dialogs.help_window import CODE, HelpWindow, help_pages
from attn_gui.views.zones import stops
from tests.failing import share

KEYS = [page.key for page in help_pages("en", defaultdict(str))]
WRITTEN = "9-writing-lessons"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_page_on_writing_names_all_that_a_lesson_can_show_and_its_example_is_one(tmp_path, lang):
    text = resource("help", lang, f"{WRITTEN}.md").read_text(encoding="utf-8")
    examples = [path.stem for path in resource("examples").glob("*.npz")]
    models = [path.name for path in resource("models").iterdir()]
    names = {*STAGE, *PAGES, *FUNCTIONS, *MEASURES, *HERE, *PLACES, *ORDERS, *examples, *models}
    assert not [name for name in names if name not in text]
    lines = text.splitlines()
    path = tmp_path / "mine.md"
    end = next(place for place, line in enumerate(lines) if line.startswith(("A text on one", "写在一行")))
    begin = lines.index("    # The title | 标题")
    path.write_text("\n".join(line[4:] for line in lines[begin:end]), encoding="utf-8")
    assert main(["lesson", "check", str(path)]) == 0


@pytest.fixture
def person(launch):
    return launch("worked-example.npz")


def opened(person):
    person.press("F1")
    (window,) = person.window.findChildren(HelpWindow)
    assert window.isVisible()
    assert not window.isModal()
    return window


def read(window, key):
    window.titles.setCurrentRow(KEYS.index(key))
    return window.text.toPlainText()


def prose(window):
    """All of the page but its code."""
    block, said = window.text.document().begin(), []
    while block.isValid():
        said += [] if block.blockFormat().hasProperty(CODE) else [block.text()]
        block = block.next()
    return "\n".join(said)


def is_whole(person, help_window, lang):
    """Every page is there, with the words of the menus."""
    assert help_window.titles.count() == len(KEYS) == len(list(resource("help", lang).glob("*.md")))
    for row, key in enumerate(KEYS):
        said = read(help_window, key)
        assert help_window.titles.item(row).text() in said
        assert help_window.text.horizontalScrollBar().maximum() == 0, key
        if key != WRITTEN:  # which shows Markdown and live numbers as they are written
            assert not re.search(r"\{\w+\}", said)
            assert "*" not in prose(help_window)  # all Markdown is understood
    numbers = [int(key.partition("-")[0]) for key in KEYS]
    assert numbers == sorted(numbers)
    assert numbers[-1] > 9
    undo = person.action("undo")
    assert f"({undo.shortcut().toString()})" in read(help_window, KEYS[0])


def test_it_opens_at_what_has_the_keyboard_is_whole_in_each_language_and_leaves_out_what_is_not_to_be_had(
    qtbot, person, monkeypatch
):
    person.go_to("query", 1, 1)
    help_window = opened(person)
    assert help_window.text.toPlainText().startswith("Tables")
    person.window.activateWindow()
    assert QTest.qWaitForWindowActive(person.window)
    person.click_cell("weights", 1, 1)
    assert opened(person) is help_window
    assert help_window.text.toPlainText().startswith("Maps")

    person.again("it follows the language and is gone when closed")
    help_window = opened(person)
    help_window.titles.setCurrentRow(KEYS.index("4-masks"))
    person.do("language_zh")
    qtbot.waitUntil(lambda: help_window.text.toPlainText().startswith("掩码"))
    assert help_window.titles.currentRow() == KEYS.index("4-masks")
    assert "计算 › 掩码" in help_window.text.toPlainText()
    for lang in share(("zh", "en"), 2):
        person.do(f"language_{lang}")
        QApplication.processEvents()
        is_whole(person, help_window, lang)
    help_window.close()
    qtbot.waitUntil(lambda: not person.window.findChildren(HelpWindow))
    assert QApplication.activeModalWidget() is None

    person.again("what is not to be had in a bundle is left out")
    # The models that packages of Python bring: a paragraph named their actions, and no page opened.
    monkeypatch.setattr(KnownModel, "obtainable", property(lambda known: not known.module))
    for lang, words in (("en", "which packages bring"), ("zh", "由软件包提供")):
        person.do(f"language_{lang}")
        help_window = opened(person)
        assert help_window.titles.count() == len(KEYS)
        said = read(help_window, "8-models")
        assert "config.json" in said
        assert "{" not in said
        assert words not in said

    for action, part, title in (("masks", "panel.mask", "Masks"), ("retrieval", "panel.pages", "Pages")):
        person.again(part)
        person.do(action)
        person.wait()
        qtbot.waitUntil(person.find(part).isVisible)
        next(each for each in stops(person.window) if person.find(part).isAncestorOf(each)).setFocus()
        assert opened(person).text.toPlainText().startswith(title)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_lines_of_the_page_on_python_run_and_every_name_is_there(lang, capsys, monkeypatch):
    monkeypatch.chdir(resource("models").parents[1])
    text = resource("help", lang, "9-python.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    there = dict[str, object]()
    exec(code, there)  # lines of our own
    assert capsys.readouterr().out.endswith("True\n")
    assert [there[name].predictions()[0][0] for name in ("run", "off")] == ["t", "z"]
    assert attn_gui.solve(there["problem"], "weights", (0, 0, 0, 1), 0.9).feasible
    assert not [name for name in re.findall(r"attn_gui\.(\w+)", text) if not hasattr(attn_gui, name)]
