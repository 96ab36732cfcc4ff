"""Chinese is complete, filled in rightly, switched live, and says one English text in one way."""

import importlib.util
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from attn_gui.app.program import Program
from attn_gui.app.state import settings
from attn_gui.app.state.settings import language_of, set_language
from attn_gui.app.state.translated_errors import sentence, sentences
from attn_gui.app.state.view_state import ChosenCell
from attn_gui.document.edits import fill_template
from attn_gui.engine import Problem
from attn_gui.engine import errors as words_of_the_engine
from attn_gui.engine.creation.create import new_fields
from attn_gui.engine.creation.resize import resize
from attn_gui.engine.errors import FieldError, ShapeError
from attn_gui.views.dialogs.export_dialog import ExportDataDialog, ExportDialog
from attn_gui.views.dialogs.new_dialog import NewDialog
from attn_gui.views.dialogs.tokens_dialog import TokensDialog
from tests.failing import each

ROOT = Path(__file__).resolve().parents[2]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
PLACE = re.compile(r"\{[^{}]*\}")
# a text made only of these words, of symbols and of places needs no Chinese
SAME_IN_CHINESE = {"softmax", "sigmoid", "ALiBi", "model", "Thinking", "Machines"}


@pytest.fixture(scope="module")
def tool():
    """packaging/update_translations.py."""
    spec = importlib.util.spec_from_file_location("translate_script", ROOT / "packaging" / "update_translations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "packaging"))  # as for a script, which finds its neighbors
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


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
    assert set(messages(fresh)) == set(messages(tool.CHINESE)), "run packaging/update_translations.py"


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


def test_sentences_end_alike(tool):
    """A sentence stays one, in the punctuation of the language."""
    for (context, source), text in messages(tool.CHINESE).items():
        if context == "Sentences" and source.endswith("."):
            assert text.endswith("。"), text
            assert not re.search("[\u4e00-\u9fff][,;:?!]", text), text


def test_the_window_says_in_chinese_what_the_engine_refuses(qapp):
    set_language(qapp, "zh")
    problem = Problem.over(new_fields("direct", n=5, m=7, num_heads=3, d_k=2, d_v=2))
    with pytest.raises(ShapeError) as clash:
        problem.replace(value=problem.value[..., :6, :])
    said = sentence(clash.value)
    assert CHINESE.search(said)
    assert not re.search("[A-Za-z]{2,}", said), said
    assert {"V", "K"} <= set(re.findall("[A-Z]", said))
    with pytest.raises(FieldError) as uneven:
        resize(problem, num_heads=5)
    assert sentence(uneven.value) == "5 个头无法平分各列；可以的头数有 1、2、3、6。"
    assert str(uneven.value) == "5 heads cannot share the columns evenly; 1, 2, 3, 6 can."


def test_the_file_dialog_of_qt_speaks_chinese_until_the_language_is_english_again(qapp):
    def said():
        words = (("QFileDialog", "Look in:"), ("QFileSystemModel", "Size"), ("QAbstractFileIconProvider", "Folder"))
        return [qapp.translate(context, text) for context, text in words]

    set_language(qapp, "zh")
    assert said() == ["查找范围：", "大小", "文件夹"]
    set_language(qapp, "en")
    assert said() == ["Look in:", "Size", "Folder"]


def test_what_is_compiled_is_what_is_written(tool, tmp_path):
    fresh = tmp_path / "fresh.qm"
    tool.compile_texts(tool.CHINESE, fresh)
    assert fresh.read_bytes() == tool.CHINESE.with_suffix(".qm").read_bytes()


def test_a_checkout_without_compiled_texts_says_so(qapp, monkeypatch, tmp_path):
    """English in silence would look like a program that knows no Chinese."""
    monkeypatch.setattr(settings, "resource", lambda *parts: tmp_path.joinpath(*parts))
    with pytest.warns(UserWarning, match=r"packaging/compile_translations\.py"):
        set_language(qapp, "zh")
    set_language(qapp, "en")  # in which nothing is missing


@each(
    ("wanted", "language"),
    [
        (["zh-Hans-CN", "zh-CN"], "zh"), (["zh_TW"], "zh"), (["zh"], "zh"), (["ZH-HK"], "zh"),
        (["en-GB", "zh-CN"], "en"), (["zha"], "en"), (["de"], "en"), ([], "en"),
    ],
)  # fmt: skip
def test_every_chinese_system_gets_chinese(wanted, language):
    assert language_of(wanted) == language


@pytest.fixture
def program(qapp):
    opened = Program(qapp, lang="en")
    opened.begin(None)
    opened.files.open_example_unasked("thinking")
    opened.window.banner.hide()
    opened.window.show()
    yield opened
    opened.end()


def test_no_word_of_the_window_or_a_dialog_stays_behind(qapp, qtbot, program):
    program.first.shapes.set_output_projection(True)
    program.view.set(stage="weights", cell=ChosenCell("weights", 1, 1))
    program.view.notify_all()
    assert "Comes from" in shown_words(program.window)
    program.appearance.set_language("zh")
    qapp.processEvents()
    program.view.notify_all()
    image = ExportDialog(("weights",), heads=2, draw=lambda _: QImage(), names=lambda _: [""])
    numbers = ExportDataDialog(("weights",), heads=2, names=lambda _: [""])
    dialogs = NewDialog(), TokensDialog(), image, numbers
    for dialog in dialogs:
        qtbot.addWidget(dialog)
        dialog.show()
    said = "\n".join(map(shown_words, (program.window, *dialogs)))
    assert not re.findall(f"{CHINESE.pattern} {CHINESE.pattern}", said)
    words = re.sub("<[^>]*>|[A-Z]\\w*|Ctrl[+]\\w+", "", said)
    assert set(re.findall("[a-z]{4,}", words)) <= {"softmax", "float", "model", "dmodel", "thinking", "machines"}


def shown_words(window: QWidget) -> str:
    widgets = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    return "\n".join(widget.text() for widget in widgets if widget.isVisible())


def test_sentences_follow_one_another_as_the_language_has_it(qapp):
    notes = [FieldError(words_of_the_engine.NO_STAGE, stage="x", choices=("weights",))] * 2
    set_language(qapp, "en")
    assert sentences(notes) == f"{sentence(notes[0])} {sentence(notes[0])}"
    set_language(qapp, "zh")
    assert sentences(notes) == sentence(notes[0]) * 2


def test_a_noun_in_a_sentence_reads_as_one_would_write_it(qapp):
    with pytest.raises(ShapeError) as clash:
        Problem(query=np.eye(3), key=np.eye(3), value=np.eye(3), query_tokens=("a", "b"))
    fix = clash.value.fixes[0]
    set_language(qapp, "en")
    assert sentence(clash.value).startswith("The tokens of the queries must have one text for each row of Q:")
    assert sentence(fix) == "Change the number of the tokens of the queries from 2 to 3."
    set_language(qapp, "zh")
    assert sentence(clash.value).startswith("查询的词元必须与 Q 的各行一一对应：")
    assert sentence(fix) == "将查询的词元数由 2 改为 3。"


@each(
    ("template", "values", "said"),
    [
        ("添加{kind}掩码", {"kind": "ALiBi"}, "添加 ALiBi 掩码"),
        ("添加{kind}掩码", {"kind": "因果"}, "添加因果掩码"),
        ("放不进{stage}：它有 {map} 个", {"stage": "W_Q", "map": 3}, "放不进 W_Q：它有 3 个"),
        ("“{text}”不是数字", {"text": "abc"}, "“abc”不是数字"),
        ("将 {matrix} 改为 {after}", {"matrix": "查询", "after": 6}, "将查询改为 6"),
        ("{matrix} 与 {other} 不同", {"matrix": "键", "other": "W_Q"}, "键与 W_Q 不同"),
        ("{n:.2f}倍", {"n": 2.0}, "2.00 倍"),
        ("{a}{b}", {"a": "我", "b": "k"}, "我k"),
        ("added mask {kind}", {"kind": "ALiBi"}, "added mask ALiBi"),
        ("显示{token}", {"token": "我k你"}, "显示我k你"),
    ],
)
def test_a_blank_parts_latin_letters_from_chinese_ones_and_no_others(template, values, said):
    assert fill_template(template, values) == said


# --- one chinese word -----------------------------------------------------------------------------
# One English text has one Chinese text, wherever it stands; where it means two things these are listed here.

TWO_MEANINGS = {
    ", ",  # between words of a list, and between parts of a sentence
    "heads",  # which ones, and how many
    "norm",  # the layer, and the length of a vector
    "nothing",  # in the place of a choice, and of a value
    "of",  # what a number is read of, and how many there are
    "tokens",  # themselves, and how many
}


def test_one_english_text_has_one_chinese_text(tool):
    chinese = defaultdict(lambda: defaultdict(list))
    for (context, source), text in messages(tool.CHINESE).items():
        chinese[source][text].append(context)
    several = {english: dict(found) for english, found in chinese.items() if len(found) > 1}
    assert {english: where for english, where in several.items() if english not in TWO_MEANINGS} == {}
    assert several.keys() == TWO_MEANINGS
