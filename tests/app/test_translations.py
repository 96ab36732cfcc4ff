"""Chinese is complete, filled in rightly and switched live."""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QLabel

from attn_gui.app.translations import language_of, set_language

ROOT = Path(__file__).resolve().parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
PLACE = re.compile(r"\{[^{}]*\}")
# a text made only of these words, of symbols and of places needs no Chinese
SAME_IN_CHINESE = {"softmax", "ALiBi", "model", "Thinking", "Machines"}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """packaging/translate.py."""
    spec = importlib.util.spec_from_file_location("translate_script", ROOT / "packaging" / "translate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    yield qapp
    set_language(qapp, "en")


def messages(path: Path) -> dict[tuple[str, str], str]:
    """Translations by (context, English text)."""
    found = {}
    for context in ElementTree.parse(path).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            assert translation is not None
            texts = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
            for text in texts:
                found[(context.findtext("name", ""), message.findtext("source", ""))] = text
    return found


def test_every_text_of_the_program_is_collected(tool, tmp_path):
    fresh = tmp_path / tool.CHINESE.name
    shutil.copy(tool.CHINESE, fresh)
    tool.collect(fresh)
    assert set(messages(fresh)) == set(messages(tool.CHINESE)), "run packaging/translate.py"


def test_every_text_is_translated(tool):
    assert tool.unfinished(tool.CHINESE) == []


def test_chinese_is_chinese(tool):
    wrong = []
    for (context, source), text in messages(tool.CHINESE).items():
        words = re.findall(r"[A-Za-z]{2,}", PLACE.sub("", source))
        if not CHINESE.search(text) and not set(words) <= SAME_IN_CHINESE:
            wrong.append((context, source, text))
    assert wrong == []


def test_places_to_fill_in_are_kept(tool):
    for (_context, source), text in messages(tool.CHINESE).items():
        assert sorted(PLACE.findall(source)) == sorted(PLACE.findall(text)), source


def test_menus_keep_one_letter_to_reach_them(tool):
    for (_context, source), text in messages(tool.CHINESE).items():
        assert len(re.findall("&[^&]", source)) == len(re.findall("&[^&]", text)), source


def test_what_is_compiled_is_what_is_written(tool, tmp_path):
    fresh = tmp_path / "fresh.qm"
    tool.compile_texts(tool.CHINESE, fresh)
    assert fresh.read_bytes() == tool.CHINESE.with_suffix(".qm").read_bytes(), "run packaging/translate.py"


@pytest.mark.parametrize(("wanted", "language"), [
    (["zh-Hans-CN", "zh-CN"], "zh"), (["zh_TW"], "zh"), (["zh"], "zh"), (["ZH-HK"], "zh"),
    (["en-GB", "zh-CN"], "en"), (["zha"], "en"), (["de"], "en"), ([], "en"),
])  # fmt: skip
def test_every_chinese_system_gets_chinese(wanted, language):
    assert language_of(wanted) == language


def test_the_language_is_switched_live(app, qtbot):
    heard = []

    class Listener(QLabel):
        def changeEvent(self, event: QEvent) -> None:
            if event.type() == QEvent.Type.LanguageChange:
                heard.append(QCoreApplication.translate("Actions", "&Undo"))

    label = Listener()
    qtbot.addWidget(label)
    set_language(app, "zh")
    app.processEvents()
    assert CHINESE.search(heard[-1])
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(buttons)
    assert buttons.buttons()[0].text() == "取消"
    set_language(app, "en")
    app.processEvents()
    assert heard[-1] == "&Undo"


def test_an_unknown_language_is_refused(app):
    with pytest.raises(ValueError, match="fr"):
        set_language(app, "fr")
