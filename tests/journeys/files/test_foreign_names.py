"""Files whose arrays have other names than ours, opened by choosing, once; and dumps of attention weights alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox

from attn_gui.engine import Problem
from attn_gui.formats import load
from attn_gui.formats.named.array_mapping import ArrayMapping
from attn_gui.views.dialogs.ambiguity_dialogs import MapsDialog
from attn_gui.views.dialogs.arrays_dialog import ArraysDialog
from attn_gui.views.page_canvas import OptionFields

RANDOM = np.random.default_rng(3)
LEFT = Qt.MouseButton.LeftButton
TOKENS = ("the", "cat", "sat", "here")
NEED_SCORES = ("score", "scale", "masks", "softcap", "temperature", "rotary_positions", "set_target", "make_direct")


def hooked(path: Path, layer: int, names: str = "qkv") -> dict[str, np.ndarray]:
    """A file as a hook in a model leaves it: heads on an axis of their own."""
    arrays = {f"h.{layer}.attn.{name}": RANDOM.normal(size=(2, 5, 3)) for name in names}
    np.savez(path, **arrays, loss=1.5)
    return arrays


def open_by_choosing(person: Any, path: Path, choose: Callable[[ArraysDialog], None], drop: bool = False) -> None:
    """Open or drop a file, choose in the dialog that comes once its arrays are listed, wait for the document."""
    before = person.program.document.problem

    def ask() -> None:
        person.drop(path) if drop else person.program.files.open_path(path)
        person.until(lambda: not person.program.files.opening.busy and not person.program.late.arrays.busy)

    person.answering(ArraysDialog, choose, ask)
    person.until(lambda: person.program.document.problem is not before and not person.program.files.opening.busy)
    person.wait()


def anew(person: Any, about: str) -> None:
    """Begin again, with nothing chosen for any file before, and a damaged entry."""
    person.again(about)
    person.program.settings.put("arrays", {"known": ["damaged"]})


def take(dialog: ArraysDialog) -> None:
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)


def test_a_dump_is_asked_about_in_sight_and_once_and_goes_to_the_figure_and_back(launch, tmp_path, weights):
    arrays = hooked(tmp_path / "dump.npz", 3)
    person = launch("worked-example.npz", lang="zh")

    def choose(dialog: ArraysDialog) -> None:
        dialog.resize(1000, 640)
        rows = [dialog.fields.axes.button(key) for key, _ in dialog.fields.axes.choices()]
        assert [key for key, _ in dialog.fields.axes.choices()] == [
            "head,token,column",
            "batch,token,column",
            "token,head,column",
        ]
        person.until(lambda: len({row.icon().pixmap(50).toImage().pixel(25, 25) for row in rows}) > 1)
        assert dialog.fields.axes.key() is None
        take(dialog)
        assert dialog.isVisible(), "Enter takes nothing that nobody has chosen"
        assert not dialog.complaint.text().isascii()
        for row in rows:
            assert row.visibleRegion().boundingRect() == row.rect(), "it is in sight"
        person.click(rows[0])
        for box in (dialog.fields.heads, dialog.fields.kv_heads):
            assert not box.isVisible(), "an axis counts them"
        take(dialog)

    open_by_choosing(person, tmp_path / "dump.npz", choose, drop=True)
    expected = Problem.from_heads(*arrays.values(), axes="head,token,column")
    document = person.program.document
    assert document.snapshot() == expected
    assert (document.name, document.path, document.modified) == ("dump", None, False)
    assert "loss" in person.banner()
    assert person.program.settings.recent()[0].name == "dump.npz"

    anew(person, "what was chosen once is proposed for the next such file")
    first, second = hooked(tmp_path / "a.npz", 3, "abc"), hooked(tmp_path / "b.npz", 7, "abc")

    def choose(dialog: ArraysDialog) -> None:
        assert dialog.parts.names() == {}
        assert dialog.complaint.text()
        assert not dialog.complaint.text().isascii()
        for role, letter in (("query", "c"), ("key", "a"), ("value", "b")):
            person.choose(dialog.parts.slots[role], f"h.3.attn.{letter}")
        person.click(dialog.fields.axes.button("token,head,column"))
        person.click(dialog.buttons.button(dialog.buttons.StandardButton.Ok))

    open_by_choosing(person, tmp_path / "a.npz", choose)
    swapped = [first[f"h.3.attn.{letter}"].swapaxes(0, 1) for letter in "cab"]
    assert person.program.document.snapshot() == Problem.from_heads(*swapped, axes="head,token,column")
    open_by_choosing(person, tmp_path / "b.npz", take)
    swapped = [second[f"h.7.attn.{letter}"].swapaxes(0, 1) for letter in "cab"]
    assert person.program.document.snapshot() == Problem.from_heads(*swapped, axes="head,token,column")

    anew(person, "a mask that may open or close is asked about whatever its type")
    # Only the numbers show that they are 0 and 1.
    allowed = np.tril(np.ones((4, 4)))

    def choose(dialog: ArraysDialog) -> None:
        assert "attn_mask" in dialog.parts.names().values()
        means = dialog.fields.mask_means
        assert means.key() is None
        take(dialog)
        assert dialog.isVisible(), "Enter takes nothing that nobody has chosen"
        person.click(means.button("block"))
        take(dialog)

    rows = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}
    np.savez(tmp_path / "mask.npz", **rows, attn_mask=1 - allowed)
    open_by_choosing(person, tmp_path / "mask.npz", choose)
    assert person.program.document.snapshot() == Problem(**rows, mask=[{"kind": "custom", "allowed": allowed == 1}])

    anew(person, "an array of three is taken apart as it is chosen")
    x, fused, bias = (RANDOM.normal(size=size) for size in ((5, 4), (4, 12), (12,)))
    np.savez(tmp_path / "b.npz", hidden_states=x, **{"h.3.attn.qkv.weight": fused, "h.3.attn.qkv.bias": bias})

    def choose(dialog: ArraysDialog) -> None:
        assert dialog.fields.heads.isVisible()
        assert dialog.fields.kv_heads.isVisible()
        dialog.fields.heads.setValue(2)
        ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
        assert not ok.isEnabled(), "two readings are possible"
        assert "qkv" in dialog.complaint.text()
        person.choose(dialog.fields.split, "head,part,column")
        dialog.table.selectRow(2)
        person.until(lambda: dialog.about.text() == "b_Q: 0–1, 6–7 · b_K: 2–3, 8–9 · b_V: 4–5, 10–11")
        person.click(ok)

    open_by_choosing(person, tmp_path / "b.npz", choose)
    by_head = fused.reshape(4, 2, 3, 2)
    found = person.program.document.problem
    for place, name in enumerate(("w_query", "w_key", "w_value")):
        np.testing.assert_array_equal(getattr(found, name), by_head[:, :, place].reshape(4, 4))
    open_by_choosing(person, tmp_path / "b.npz", take)  # as it was chosen once
    assert person.program.document.snapshot() == found

    anew(person, "one of several layers, from the file to the figure and back")
    np.savez(tmp_path / "dump.npz", attentions=weights, tokens=np.array(TOKENS))
    open_layer(person, tmp_path / "dump.npz", 1)
    expected = Problem.from_weights(weights[1], tokens=TOKENS)
    assert person.program.document.snapshot() == expected
    assert not person.has("table.query")
    assert person.window.windowTitle().startswith("dump-layer1")  # as do the names of its figures

    np.savez(tmp_path / "turned.npz", attn=weights[1, 0].transpose(0, 2, 1), tokens=np.array(TOKENS))
    open_layer(person, tmp_path / "turned.npz", 0)  # head,key,query
    assert person.program.document.snapshot() == Problem.from_weights(weights[1, 0], tokens=TOKENS)
    open_layer(person, tmp_path / "dump.npz", 1)

    person.click_cell("weights", 2, 1)
    said = person.explanation()
    assert "sat" in said
    assert "cat" in said
    assert f"{weights[1, 0, 0, 2, 1]:.4f}" in said
    person.click("head.1")
    assert person.value("weights", 2, 1) == weights[1, 0, 1, 2, 1]
    assert person.number("weights", 2, 1) == weights[1, 0, 1, 2, 1]  # the table shows the same head

    person.click_cell("weights", 2, 1)
    person.press("F2", "Ctrl+A", "Del")
    person.type("0.5", end="Return")
    assert person.value("weights", 2, 1) == person.number("weights", 2, 1) == 0.5
    person.type_into("weights", 0, 3, "0.25")
    assert person.value("weights", 0, 3) == 0.25
    changed = person.program.document.snapshot()
    person.press("Ctrl+Z", "Ctrl+Z")
    assert person.program.document.snapshot() == expected
    person.press("Ctrl+Y", "Ctrl+Y")
    assert person.program.document.snapshot() == changed

    def export(dialog: QDialog) -> None:
        dialog.target.folder.setText(str(tmp_path))
        person.click(dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save))

    person.answering(QDialog, export, lambda: person.do("export_image"))
    person.until(lambda: bool(list(tmp_path.glob("dump-layer1*.png"))))
    assert not QImage(str(next(iter(tmp_path.glob("*.png"))))).isNull()

    person.choose_file(tmp_path / "kept.attn", lambda: person.do("save_as"))
    person.until(lambda: not person.program.document.modified)
    assert load(tmp_path / "kept.attn") == changed


def test_arrays_by_name_lead_to_a_document_or_into_a_table_and_weights_alone_are_asked_about(person, tmp_path, weights):
    arrays = {name: np.arange(6.0).reshape(3, 2) / 4 + k for k, name in enumerate(("Q", "K", "V"))}
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, array in arrays.items():
        sheet = book.create_sheet(name)
        for row in array.tolist():
            sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    open_by_choosing(person, tmp_path / "a.xlsx", take)
    expected = Problem(query=arrays["Q"], key=arrays["K"], value=arrays["V"])
    assert person.program.document.snapshot() == expected

    anew(person, "what is taken by name is said in the window")
    rows = {name: RANDOM.normal(size=(4, 6)) for name in ("query", "key", "value")}
    np.savez(tmp_path / "a.npz", **rows, is_causal=True, n_heads=2)
    person.drop(tmp_path / "a.npz")
    person.until(lambda: person.program.document.name == "a")
    assert person.program.document.snapshot() == Problem(**rows, num_heads=2, mask=[{"kind": "causal"}])
    assert "“is_causal” was read as the causal mask j ≤ i." in person.banner()

    anew(person, "what cannot be read is said")
    (tmp_path / "a.json").write_text(json.dumps({"a": [[1, 2], [3]]}))
    person.drop(tmp_path / "a.json")
    person.until(lambda: "a part of the shape" in person.banner())
    for name in ("model.pt", "model.pkl"):
        (tmp_path / name).write_bytes(b"\x80\x04x")
        person.drop(tmp_path / name)
        assert "torch.load" in person.banner()
        assert "numpy.savez" in person.banner()

    anew(person, "a file of one array goes into a table")
    shape = person.program.document.problem.query.shape
    np.save(tmp_path / "one.npy", np.arange(np.prod(shape), dtype=float).reshape(shape) / 4)
    person.go_to("query", 0, 0)
    person.choose_file(tmp_path / "one.npy", lambda: person.do("import_matrix"))
    person.until(lambda: not person.program.late.table_blocks.reading.busy)
    person.wait()
    assert person.number("query", 0, 1) == 0.25
    person.press("Ctrl+Z")
    person.wait()
    assert person.number("query", 0, 1) == 0

    anew(person, "weights without a name are asked about")
    np.save(tmp_path / "dump.npy", weights[:, 0])
    np.savez(tmp_path / "dump.npz", attention=weights[0, 0], tokens=np.array(TOKENS))
    person.do("retrieval")
    person.wait()
    options = person.find("page.retrieval").findChild(OptionFields)
    assert options.isVisible()
    person.drop(tmp_path / "dump.npz")
    person.wait()
    assert not options.isVisible()
    open_layer(person, tmp_path / "dump.npy", 2)
    assert person.program.document.snapshot() == Problem.from_weights(weights[1, 0])

    anew(person, "what needs queries and keys is off and says why")
    reason = "The weights are given here"
    np.savez(tmp_path / "dump.npz", attention=weights[0, 0], tokens=np.array(TOKENS))
    usual = {name: person.action(name).isEnabled() for name in NEED_SCORES}
    person.drop(tmp_path / "dump.npz")
    person.wait()
    person.click_cell("weights", 0, 0)
    for name in NEED_SCORES:
        assert not person.action(name).isEnabled(), name
        assert reason in person.action(name).toolTip(), name
    for size in ("d_k", "d_model"):
        box = person.find(f"control.{size}")
        assert not box.isEnabled()
        assert reason in box.toolTip()
        assert box.text() == "–"
    for name in ("node.weights", "heatmap.weights", "table.weights", "heads.weights"):
        assert not person.find(name).visibleRegion().isEmpty()
    for name in ("node.query", "node.scores", "control.scale", "control.score"):
        assert not person.has(name) or person.find(name).visibleRegion().isEmpty(), name
    person.do("relations", "verify")
    person.wait()
    person.again("another document")
    assert {name: person.action(name).isEnabled() for name in NEED_SCORES} == usual
    assert reason not in person.action("scale").toolTip()


def test_a_file_that_the_command_line_arranges_opens_with_the_window(qapp, tmp_path):
    from attn_gui.app.program import Program

    arrays = hooked(tmp_path / "a.npz", 1)
    names = dict(zip(("query", "key", "value"), arrays, strict=True))
    program = Program(qapp, lang="en")
    try:
        program.begin(tmp_path / "a.npz", ArrayMapping(names, axes=("head", "token", "column")))
        for _ in range(2000):
            if program.document.name == "a":
                break
            QTest.qWait(5)
        assert program.document.snapshot() == Problem.from_heads(*arrays.values(), axes="head,token,column")
    finally:
        program.end()


@pytest.fixture
def weights():
    return np.random.default_rng(5).dirichlet(np.ones(4), size=(3, 1, 2, 4))


def open_layer(person: Any, path: Path, layer: int) -> None:
    """Drop the file, look at the pictures, click that of a layer, press Open."""

    def answer(dialog: MapsDialog) -> None:
        button = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
        assert dialog.chosen is None  # nothing is proposed
        items = [dialog.list.item(place).text() for place in range(dialog.list.count())]
        assert len(set(items)) == len(items)
        assert not button.isEnabled()
        place = dialog.list.visualItemRect(dialog.list.item(layer))
        assert dialog.list.viewport().visibleRegion().contains(place.center())
        person.until(lambda: dialog.list.item(layer).icon().pixmap(32).toImage().pixelColor(16, 16).alpha() > 0)
        QTest.mouseClick(dialog.list.viewport(), LEFT, pos=place.center())
        assert dialog.chosen == layer
        person.click(button)

    before = person.program.document.problem

    def ask() -> None:
        person.drop(path)
        person.until(lambda: not person.program.files.opening.busy and not person.program.late.arrays.busy)

    person.answering(MapsDialog, answer, ask)
    person.until(lambda: person.program.document.problem is not before and not person.program.files.opening.busy)
    person.wait()
