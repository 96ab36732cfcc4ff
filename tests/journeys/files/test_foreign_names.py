"""Files whose arrays have other names than ours: opened by choosing, once; dropped, typed, remembered."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
import safetensors.numpy
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from attn_gui.app.files import import_arrays
from attn_gui.engine import Problem
from attn_gui.formats.named.array_mapping import ArrayMapping
from attn_gui.views.dialogs.arrays_dialog import ArraysDialog
from tests.failing import each
from tests.journeys.gate import Gate

RANDOM = np.random.default_rng(3)


def hooked(path: Path, layer: int, names: str = "qkv") -> dict[str, np.ndarray]:
    """A file as a hook in a model leaves it: heads on an axis of their own."""
    arrays = {f"h.{layer}.attn.{name}": RANDOM.normal(size=(2, 5, 3)) for name in names}
    np.savez(path, **arrays, loss=1.5)
    return arrays


def written(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """The same arrays in the format that the suffix says."""
    if path.suffix == ".json":
        path.write_text(json.dumps({name: array.tolist() for name, array in arrays.items()}))
    elif path.suffix == ".safetensors":
        safetensors.numpy.save_file(arrays, path)
    else:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, array in arrays.items():
            sheet = book.create_sheet(name)
            for row in array.tolist():
                sheet.append(row)
        book.save(path)


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
    """Begin again, with nothing chosen for any file before."""
    person.again(about)
    person.program.settings.put("arrays", {})


def take(dialog: ArraysDialog) -> None:
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)


@pytest.fixture
def person(launch: Callable[..., Any]) -> Any:
    return launch("worked-example.npz")


@each("lang", ["en", "zh"])
def test_axes_that_can_be_read_in_several_ways_are_asked_for_in_sight(person: Any, lang: str, tmp_path: Path) -> None:
    arrays = hooked(tmp_path / "dump.npz", 3)
    anew(person, lang)
    person.do(f"language_{lang}")

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
        assert dialog.complaint.text().isascii() == (lang == "en")
        for row in rows:
            assert row.visibleRegion().boundingRect() == row.rect(), "it is in sight"
        person.click(rows[0])
        take(dialog)

    open_by_choosing(person, tmp_path / "dump.npz", choose, drop=True)
    expected = Problem.from_heads(*arrays.values(), axes="head,token,column")
    document = person.program.document
    assert document.snapshot() == expected
    assert (document.name, document.path, document.modified) == ("dump", None, False)
    assert "loss" in person.banner()
    assert person.program.settings.recent()[0].name == "dump.npz"


def test_readings_of_arrays_too_large_to_be_drawn_have_no_empty_squares(
    person: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked(tmp_path / "dump.npz", 3)
    monkeypatch.setattr(import_arrays, "LARGEST_PICTURED", 1)

    def choose(dialog: ArraysDialog) -> None:
        rows = [dialog.fields.axes.button(key) for key, _ in dialog.fields.axes.choices()]
        person.until(lambda: all(row.icon().isNull() for row in rows))
        assert len(rows) > 1
        person.click(rows[0])
        take(dialog)

    open_by_choosing(person, tmp_path / "dump.npz", choose, drop=True)


def test_what_was_chosen_once_is_proposed_for_the_next_such_file(launch: Callable[..., Any], tmp_path: Path) -> None:
    first, second = hooked(tmp_path / "a.npz", 3, "abc"), hooked(tmp_path / "b.npz", 7, "abc")
    person = launch("worked-example.npz", lang="zh")

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

    anew(person, "leaving the dialog leaves everything as it is")
    hooked(tmp_path / "a.npz", 0)
    before = person.program.document.snapshot()
    looked: list[str] = []

    def look(dialog: ArraysDialog) -> None:
        person.until(lambda: bool(dialog.preview.text()))
        looked.append(dialog.preview.text())
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    def ask() -> None:
        person.program.files.open_path(tmp_path / "a.npz")
        person.until(lambda: not person.program.late.arrays.busy)

    person.answering(ArraysDialog, look, ask)
    assert len(looked[0].splitlines()) == 5
    assert person.program.document.snapshot() == before
    assert person.program.settings.record("arrays") == {}

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

    for dtype in ("bool", "int64", "float64"):
        rows = {name: RANDOM.normal(size=(4, 3)) for name in ("query", "key", "value")}
        path = tmp_path / dtype / "a.npz"
        path.parent.mkdir()
        np.savez(path, **rows, attn_mask=(1 - allowed).astype(dtype))
        person.program.settings.put("arrays", {})  # else what was chosen for the last one is proposed
        open_by_choosing(person, path, choose)
        expected = Problem(**rows, mask=[{"kind": "custom", "allowed": allowed == 1}])
        assert person.program.document.snapshot() == expected

    anew(person, "an array of three is taken apart as it is known or chosen")
    x, fused, bias = (RANDOM.normal(size=size) for size in ((5, 4), (4, 12), (12,)))
    np.savez(tmp_path / "a.npz", hidden_states=x, **{"h.3.attn.c_attn.weight": fused, "h.3.attn.c_attn.bias": bias})
    np.savez(tmp_path / "b.npz", hidden_states=x, **{"h.3.attn.qkv.weight": fused, "h.3.attn.qkv.bias": bias})
    seen: list[str] = []

    def accept(dialog: ArraysDialog) -> None:
        for row in range(dialog.sieve.rowCount()):
            if "c_attn.weight" in str(dialog.sieve.index(row, 0).data()):
                dialog.table.selectRow(row)
        dialog.fields.heads.setValue(2)
        person.until(lambda: "W_Q: 0–3" in dialog.about.text())
        seen.append(dialog.preview.text())
        person.click(dialog.buttons.button(dialog.buttons.StandardButton.Ok))

    open_by_choosing(person, tmp_path / "a.npz", accept)
    weights, biases = np.split(fused, 3, axis=1), np.split(bias, 3)
    parts = dict(zip(("w_query", "w_key", "w_value"), weights, strict=True))
    parts |= dict(zip(("b_query", "b_key", "b_value"), biases, strict=True))
    assert person.program.document.snapshot() == Problem(x=x, **parts, num_heads=2)
    assert len(seen[0].splitlines()) == 3, "a line for each of Q, K and V"

    def choose(dialog: ArraysDialog) -> None:
        dialog.fields.heads.setValue(2)
        ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
        assert not ok.isEnabled(), "two readings are possible"
        assert "qkv" in dialog.complaint.text()
        person.choose(dialog.fields.split, "head,part,column")
        person.click(ok)

    open_by_choosing(person, tmp_path / "b.npz", choose)
    by_head = fused.reshape(4, 2, 3, 2)
    found = person.program.document.problem
    for place, name in enumerate(("w_query", "w_key", "w_value")):
        np.testing.assert_array_equal(getattr(found, name), by_head[:, :, place].reshape(4, 4))
    open_by_choosing(person, tmp_path / "b.npz", take)  # as it was chosen once
    assert person.program.document.snapshot() == found


def test_arrays_by_name_lead_to_a_document_or_into_a_table(launch: Callable[..., Any], tmp_path: Path) -> None:
    person = launch("worked-example.npz")
    for number, suffix in enumerate((".json", ".safetensors", ".xlsx")):
        arrays = {name: np.arange(6.0).reshape(3, 2) / 4 + k + number for k, name in enumerate(("Q", "K", "V"))}
        written(tmp_path / f"a{suffix}", arrays)
        open_by_choosing(person, tmp_path / f"a{suffix}", take)
        expected = Problem(query=arrays["Q"], key=arrays["K"], value=arrays["V"])
        assert person.program.document.snapshot() == expected

    anew(person, "whole numbers that are no switches are added also from a file that was written anew")
    rows = {role: RANDOM.normal(size=(4, 3)) for role in ("query", "key", "value")}
    added = np.where(np.tril(np.ones((4, 4))), 0, -10000)
    for name in ("attn_mask", "attention_mask"):
        arrays = {f"layer.{role[0]}": array for role, array in rows.items()} | {name: added}
        np.savez(tmp_path / "a.npz", **arrays)
        open_by_choosing(person, tmp_path / "a.npz", take)
        assert person.program.document.snapshot() == Problem(**rows, mask=[{"kind": "bias", "values": added}])

    anew(person, "weights of linear layers open with one enter and it says why")
    x, weights = RANDOM.normal(size=(5, 4)), {name: RANDOM.normal(size=(4, 4)) for name in "qkv"}
    np.savez(tmp_path / "a.npz", hidden_states=x, **{f"{name}_proj.weight": array for name, array in weights.items()})
    said = list[str]()

    def look(dialog: ArraysDialog) -> None:
        said.append(dialog.fields.reason.text())
        take(dialog)

    open_by_choosing(person, tmp_path / "a.npz", look)
    turned = dict(zip(("w_query", "w_key", "w_value"), (array.T for array in weights.values()), strict=True))
    assert person.program.document.snapshot() == Problem(x=x, **turned)
    assert said == ["Chosen by the names and the other arrays of the file."]

    anew(person, "heads that the file counts are those of the dialog")
    rows = {name: RANDOM.normal(size=(4, 6)) for name in ("q", "k", "v")}
    np.savez(tmp_path / "a.npz", **rows, n_heads=3)
    open_by_choosing(person, tmp_path / "a.npz", take)
    expected = Problem(query=rows["q"], key=rows["k"], value=rows["v"], num_heads=3)
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
    for suffix in (".json", ".safetensors", ".xlsx"):
        written(tmp_path / f"one{suffix}", {"anything": np.arange(np.prod(shape), dtype=float).reshape(shape) / 4})
        person.go_to("query", 0, 0)
        person.choose_file(tmp_path / f"one{suffix}", lambda: person.do("import_matrix"))
        person.until(lambda: not person.program.late.table_blocks.reading.busy)
        person.wait()
        assert person.number("query", 0, 1) == 0.25
        person.press("Ctrl+Z")
        person.wait()
        assert person.number("query", 0, 1) == 0

    anew(person, "every part has its place")
    # Norms of Q and K stand with both ways; nothing lies over anything else.
    hooked(tmp_path / "a.npz", 0)

    def look(dialog: ArraysDialog) -> None:
        for radio in (dialog.parts.direct, dialog.parts.projected):
            person.click(radio)
            QTest.qWait(20)
            shown = [slot for slot in dialog.parts.slots.values() if slot.isVisible()]
            places = [slot.rect().translated(slot.mapTo(dialog.parts, slot.rect().topLeft())) for slot in shown]
            assert len(shown) > 5
            assert all(slot.parentWidget() is not dialog.parts for slot in shown), "each is in a block"
            assert not any(one.intersects(other) for k, one in enumerate(places) for other in places[:k])
        QTest.keyClick(dialog, Qt.Key.Key_Escape)

    def ask() -> None:
        person.program.files.open_path(tmp_path / "a.npz")
        person.until(lambda: not person.program.late.arrays.busy)

    person.answering(ArraysDialog, look, ask)

    anew(person, "what is said with files of other names stands in the dialog")
    arrays = {f"attn.{name}": RANDOM.normal(size=(5, 6)) for name in "qkv"}
    np.savez(tmp_path / "a.npz", **arrays)
    np.savez(tmp_path / "b.npz", other=np.ones(3))
    met = list[int]()
    paths, said = (tmp_path / "a.npz", tmp_path / "b.npz"), ArrayMapping(num_heads=3)

    def look(dialog: ArraysDialog) -> None:
        met.append(dialog.fields.heads.value())
        dialog.reject()

    arrays_controller = person.program.late.arrays
    for number, ask in enumerate(
        (lambda: arrays_controller.open_arranged(paths[0], said), lambda: arrays_controller.open_together(paths, said))
    ):

        def ask_and_wait(ask: Callable[[], None] = ask, number: int = number) -> None:
            ask()
            person.until(lambda: len(met) > number)

        person.answering(ArraysDialog, look, ask_and_wait)
    assert met == [3, 3]

    anew(person, "unsaved work is asked about before it is left")
    hooked(tmp_path / "a.npz", 0)
    person.type_into("query", 0, 0, "7")
    person.wait()

    def stay(box: QMessageBox) -> None:
        box.button(QMessageBox.StandardButton.Cancel).click()

    def ask() -> None:
        person.program.late.arrays.open_arranged(tmp_path / "a.npz", ArrayMapping({"query": "h.0.attn.q"}))

    person.answering(QMessageBox, stay, ask)
    assert person.number("query", 0, 0) == 7


def test_a_file_that_the_command_line_arranges_opens_with_the_window(qapp: QApplication, tmp_path: Path) -> None:
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


def test_it_is_not_asked_about_arrays_once_another_document_was_opened(
    launch: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooked(tmp_path / "dump.npz", 3)
    gate, met = Gate(), list[ArraysDialog]()
    monkeypatch.setattr(import_arrays, "list_arrays", gate.before(import_arrays.list_arrays))
    monkeypatch.setattr(import_arrays, "asked", met.append)
    person = launch("worked-example.npz")
    person.drop(tmp_path / "dump.npz")
    gate.await_work()
    person.program.files.open_example("thinking")
    gate.open()
    person.program.late.arrays._listed.wait()
    QTest.qWait(1)
    assert met == []
