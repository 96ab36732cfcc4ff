"""Figures, numbers and cards out of the window: through the dialogs and the clipboard, long ones beside the work."""

import csv
import os
import re

import numpy as np
import pypdfium2
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QWidget,
)

from attn_gui.engine import DenseEvaluation, Problem, compute
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap_layout import plan
from attn_gui.formats import open_file, save, session
from attn_gui.paths import resource
from attn_gui.views.dialogs.dialog_base import WorkLine
from attn_gui.views.dialogs.export_dialog import CardDialog
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.levels_popup import LevelsPopup
from tests.seen import colors_of, fault, worded

SMALL = "worked-example.npz"
SAVE = QDialogButtonBox.StandardButton.Save
TOKENS, HEADS = 1201, 2


def choose_heads(person, dialog, text):
    """This head, all, or some by their numbers."""
    key = {"this": "this", "all": "all"}.get(text, "some")
    by_arrows(dialog.findChild(QWidget, "export.which_heads"), key)
    if key == "some":
        person.overwrite(dialog.findChild(QLineEdit, "export.head_numbers"), text, end="Tab")


def fill_in(person, dialog, folder, **fields):
    """Type and choose in the dialog, by the names of its editors; nothing is said about the others."""
    dialog.target.folder.setText(str(folder))
    for name, value in fields.items():
        if value is None:
            continue
        if name == "heads" and dialog.findChild(QWidget, "export.which_heads") is not None:
            choose_heads(person, dialog, str(value))
            continue
        editor = dialog.findChild(QWidget, f"export.{name}")
        if isinstance(editor, QListWidget):
            tick(editor, value)
        elif hasattr(editor, "findData"):
            by_arrows(editor, value)
        else:
            person.overwrite(editor, str(value), end="Tab")


def by_arrows(box, key):
    """Choose from a list that stays closed."""
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(box.findData(key)):
        QTest.keyClick(box, Qt.Key.Key_Down)


def tick(listing, keys):
    """Exactly these, by Space."""
    listing.setFocus()
    for row in range(listing.count()):
        item = listing.item(row)
        listing.setCurrentItem(item)
        if (item.data(Qt.ItemDataRole.UserRole) in keys) != (item.checkState() == Qt.CheckState.Checked):
            QTest.keyClick(listing, Qt.Key.Key_Space)


def export(person, folder, keys="Ctrl+E", replacing=None, look=lambda _dialog: None, **fields):
    """Fill the dialog in, look at it, and press Export; the words that stood in it."""
    said = []

    def answer(dialog):
        fill_in(person, dialog, folder, **fields)
        look(dialog)
        said.extend(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())
        press_save(person, dialog, replacing)

    person.answering(QDialog, answer, lambda: person.press(keys))
    return said


def press_save(person, dialog, replacing=None):
    """Press Export; where a question is expected, "Replace" or "Cancel" it."""
    save = dialog.findChild(QDialogButtonBox).button(SAVE)
    if replacing is None:
        person.click(save)
        return

    def answer(box):
        asked.append(box.text())
        person.click(next(button for button in box.buttons() if button.text().replace("&", "") == replacing))

    asked = []
    person.answering(QMessageBox, answer, lambda: person.click(save))
    dialog.asked = asked


def part(person, tmp_path, name):
    """A folder for a part of a journey, and dialogs as they are before anybody has used them."""
    print(name)
    for dialog in ("export_image", "export_data"):
        person.program.settings.put(dialog, {})
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_figures_numbers_and_a_card_of_the_weights(launch, tmp_path):
    person = launch()
    # several stages and heads are a file each or all on one sheet
    folder = part(person, tmp_path, "several")
    said = export(person, folder, stages=("scores", "weights"), heads="0, 2-3", format="svg")
    assert any("6 files" in text for text in said)
    assert {path.name for path in folder.iterdir()} == {
        f"minilm-layer2-{stage}-h{head}.svg" for stage in ("scores", "weights") for head in (0, 2, 3)
    }
    sheet = folder / "sheet"
    sheet.mkdir()
    export(person, sheet, stages=("weights",), heads="all", arrangement="sheet", format="svg")
    assert [path.name for path in sheet.iterdir()] == ["minilm-layer2-weights-all.svg"]
    svg = (sheet / "minilm-layer2-weights-all.svg").read_text("utf-8")
    assert all(f">head {head}<" in svg for head in range(12))
    export(person, sheet, heads="this", format="svg")  # the sheet of the last time is no matter now
    assert ">head 1<" not in (sheet / "minilm-layer2-weights-h3.svg").read_text("utf-8")
    assert len(list(sheet.iterdir())) == 2

    # a bad head or folder keeps the dialog open with the reason
    folder = part(person, tmp_path, "bad")
    said = []

    def answer(dialog):
        button = dialog.findChild(QDialogButtonBox).button(SAVE)
        for fields in ({"folder": folder, "heads": "12"}, {"folder": folder / "nowhere", "heads": "0"}):
            fill_in(person, dialog, **fields)
            person.click(button)
            assert dialog.isVisible()
            said.append(" ".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible()))
        person.press("Esc")

    person.answering(QDialog, answer, lambda: person.press("Ctrl+E"))
    assert "0 to 11" in said[0]
    assert "There is no folder" in said[1]
    assert list(folder.iterdir()) == []

    # numbers as csv have tokens and full precision
    folder = part(person, tmp_path, "csv")

    def answer(dialog):
        fill_in(person, dialog, folder, arrays=("weights",), format="csv")
        box = next(b for b in dialog.findChildren(QWidget) if getattr(b, "text", str)().startswith("tokens and"))
        box.setFocus()
        if not box.isChecked():
            person.press("Space")
        person.click(dialog.findChild(QDialogButtonBox).button(SAVE))

    person.answering(QDialog, answer, lambda: person.press("Ctrl+Shift+E"))
    with open(folder / "minilm-layer2-weights-h3.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][14] == rows[14][0] == "tired"
    numbers = np.array([row[1:] for row in rows[1:]]).astype(np.float32)
    assert numbers.tobytes() == np.array(person.values("weights"), np.float32).tobytes()

    # numbers as npz hold every stage
    folder = part(person, tmp_path, "npz")
    person.type_into("query", 0, 0, "0.1")
    export(person, folder, "Ctrl+Shift+E", format="npz", arrays=("query", "weights", "output"))
    with np.load(folder / "minilm-layer2.npz") as found:
        assert set(found) == {"query", "weights", "output"}
        assert found["weights"].shape == (1, 12, 16, 16)
        assert found["query"][0, 0] == np.float32(0.1)
        assert float(found["weights"][0, 3, 10, 13]) == person.value("weights", 10, 13)

    person.again("copy image puts a figure on the clipboard")
    person.clipboard("before")
    person.press("Ctrl+Alt+C")
    image = QGuiApplication.clipboard().image()
    assert image.width() > 200
    largest = person.find("heatmap.weights").cell_at(10, 13)[1].name()
    assert largest in {color.name() for color in colors_of(image)}

    folder = part(person, tmp_path, "levels")
    stage = "scores"
    person.show_stage(stage)
    low, high = "-5", "7"
    heatmap = person.find(f"heatmap.{stage}")
    bar = next(bar for bar in person.window.findChildren(ColorBar) if bar._heatmap is heatmap)
    person.click(bar)
    popup = next(popup for popup in person.window.findChildren(LevelsPopup) if popup.isVisible())
    for edit, text in zip(popup.findChildren(QLineEdit), (low, high), strict=False):
        person.overwrite(edit, text, end="")
    by_arrows(popup.findChild(QWidget, "levels.palette"), "viridis")
    person.press("Esc")
    shown = [heatmap.cell_at(k, 5 * k % 16)[1].name() for k in range(16)]  # a cell of each row and column
    problem = open_file(resource("examples", "minilm-layer2.npz")).problem
    place = plan(compose_figure(DenseEvaluation(problem), ExportSettings(stage=stage, values=False), (3,))).maps[0]

    def cells(image):
        scale = image.width() / (QImage(f"{stem}.png").width() * 96 / 300)
        across, down = (
            [int((start + (k + 0.5) * length / 16) * scale) for k in range(16)]
            for start, length in ((place.left(), place.width()), (place.top(), place.height()))
        )
        return [image.pixelColor(across[5 * k % 16], down[k]).name() for k in range(16)]

    stem = folder / "minilm-layer2-scores-h3"
    for kind in ("png", "svg", "pdf"):
        export(person, folder, format=kind, values="never")
        assert f"{stem.name}.{kind}" in person.banner()
    image = QImage(f"{stem}.png")
    assert image.width() > 16 * 0.5 / 2.54 * 300  # cells of half a centimeter at least
    assert image.dotsPerMeterX() == round(300 / 0.0254)
    assert "tired" in stem.with_suffix(".svg").read_text(encoding="utf-8")
    for picture in (image, svg_picture(f"{stem}.svg"), pdf_picture(f"{stem}.pdf")):
        assert cells(picture) == shown
    export(person, folder, format="png", values="never", name="b", which_levels="automatic", colormap="signed")
    assert cells(QImage(str(folder / "b.png"))) != shown

    person.again("one key and Enter put a card on the clipboard")
    person.window.resize(1366, 700)
    person.do("language_zh")
    person.choose_cell("weights", 10, 8)
    assert not fault(person.program.bars.button("card"))
    sizes = []

    def look(dialog):
        assert not [fault(widget) for widget in worded(dialog) if fault(widget)]
        for form in ("card", "square_card"):
            person.choose(dialog.form, form)
            sizes.append(dialog.preview.image().size().toTuple())
        person.choose(dialog.form, "card")
        person.click(dialog.copy)

    person.answering(CardDialog, look, lambda: person.press("Ctrl+K"))
    assert sizes == [(1200, 630), (1080, 1080)]
    held = QGuiApplication.clipboard().mimeData()
    png = held.data("image/png").data()
    assert QImage.fromData(png).size().toTuple() == held.imageData().size().toTuple() == (1200, 630)
    assert session.session_in(png)
    assert person.banner()


def svg_picture(path):
    """An SVG as another program draws it."""
    renderer = QSvgRenderer(path)
    image = QImage(renderer.defaultSize() * 3, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    renderer.render(painter)
    painter.end()
    return image


def pdf_picture(path):
    """The first page of a PDF as another program draws it."""
    document = pypdfium2.PdfDocument(path)
    pixels = document[0].render(scale=4, rev_byteorder=True, prefer_bgrx=True).to_numpy().copy()
    document.close()
    rows, columns, _ = pixels.shape
    return QImage(pixels.data, columns, rows, pixels.strides[0], QImage.Format.Format_RGBX8888).copy()


def test_a_file_has_the_size_name_and_place_that_were_typed_and_opens_where_it_is_dropped(person, tmp_path):
    person.type_into("query", 0, 0, "7")
    problem = person.program.document.snapshot()

    def with_session(dialog):
        assert dialog.session.isChecked()
        person.choose(dialog.format, "pdf")
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    person.answering(QDialog, with_session, lambda: person.do("export_image"))
    (path,) = tmp_path.glob("*.pdf")
    person.press("Ctrl+Z")
    assert person.program.document.problem != problem
    person.drop(path)
    person.wait()
    assert person.program.document.problem == problem

    # a file has the size that was typed
    person.again("sizes, names and places")
    tmp_path = part(person, tmp_path, "sized")
    export(person, tmp_path, format="png", width="12", height="9", dpi="200")
    image = QImage(str(tmp_path / "worked-example-weights-h0.png"))
    assert (image.width(), image.height()) == (round(12 / 2.54 * 200), round(9 / 2.54 * 200))
    export(person, tmp_path, format="svg")  # the size is remembered
    svg = (tmp_path / "worked-example-weights-h0.svg").read_text(encoding="utf-8")
    assert re.search(r'width="120(\.\d+)?mm"', svg) or re.search(r'width="12(\.\d+)?cm"', svg), svg[:300]

    # nothing is replaced unasked
    folder = part(person, tmp_path, "replaced")
    path = folder / "worked-example-weights-h0.svg"
    path.write_text("mine")

    def refuse(dialog):
        fill_in(person, dialog, folder, format="svg")
        press_save(person, dialog, "Cancel")
        assert dialog.asked == ["Replace worked-example-weights-h0.svg?"]
        assert dialog.isVisible()
        person.click(dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel))

    person.answering(QDialog, refuse, lambda: person.press("Ctrl+E"))
    assert path.read_text() == "mine"
    export(person, folder, format="svg", replacing="Replace")
    assert path.read_text("utf-8").startswith("<?xml")
    numbers = folder / "worked-example-weights-h0.csv"
    numbers.write_text("mine")
    export(person, folder, "Ctrl+Shift+E", arrays=("weights",), format="csv", replacing="Replace")
    assert numbers.read_text() != "mine"

    # a folder that cannot be written to is said
    folder = part(person, tmp_path, "denied")
    (folder / "worked-example-weights-h0.png").mkdir()  # nothing can be written over a folder
    export(person, folder, format="png")
    assert "worked-example-weights-h0.png" in person.banner()
    assert "Wrote" not in person.banner()
    assert person.banner().endswith(".")

    # a file has the name that was typed
    folder = part(person, tmp_path, "named")
    export(person, folder, format="pdf", name="figure 1")
    export(person, folder, format="svg", name="figure 2.svg")
    export(person, folder, "Ctrl+Shift+E", arrays=("weights",), format="csv", name="numbers")
    assert {path.name for path in folder.iterdir()} == {"figure 1.pdf", "figure 2.svg", "numbers.csv"}
    person.save_as(folder / "run.1.attn")
    export(person, folder, format="png")  # without a name: that of the document, with its point
    assert [path.name for path in folder.glob("*.png")] == ["run.1-weights-h0.png"]

    folder = part(person, tmp_path, "curves")
    person.again("the product and the curve are figures, too", "nadaraya-watson.npz")
    for picture in ("product", "curve"):
        export(person, folder, format="svg", picture=picture)
    assert {path.name for path in folder.iterdir()} == {
        "nadaraya-watson-weights-product-h0.svg",
        "nadaraya-watson-curve-h0.svg",
    }

    folder = part(person, tmp_path, "card")
    person.type_into("query", 0, 0, "7")
    person.click_cell("weights", 0, 1)
    problem, path = person.program.document.snapshot(), folder / "friend.png"

    def save(dialog):
        person.choose(dialog.theme, "dark")
        person.click(dialog.save)

    person.choose_file(path, lambda: person.answering(CardDialog, save, lambda: person.do("card")))
    assert path.exists(), person.banner()
    person.press("Ctrl+Z")
    assert person.program.document.problem != problem
    person.drop(path)
    person.wait()
    assert person.program.document.problem == problem
    assert person.program.view.look.cell == ("weights", 0, 1)

    person.again("a small one")
    folder = part(person, tmp_path, "small")
    person.do("language_zh")

    def answer(dialog):
        for sentence, fields in (
            ("高 1.5 厘米放不下热图及其标签；至少要 ", {"height": "1.5"}),
            ("宽 4.0 厘米放不下热图及其标签", {"width": "4", "height": "", "font_size": "40"}),
        ):
            fill_in(person, dialog, folder, **fields)
            person.click(dialog.findChild(QDialogButtonBox).button(SAVE))
            drawn(dialog)
            assert dialog.isVisible()
            labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
            assert any(text.startswith(sentence) for text in labels), labels
        dialog.reject()

    person.answering(QDialog, answer, lambda: person.press("Ctrl+E"))
    assert not list(folder.iterdir())


@pytest.fixture
def problem():
    random = np.random.default_rng(5)
    arrays = {name: random.normal(size=(TOKENS, 3 * HEADS)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=HEADS, mask=[{"kind": "causal"}])


@pytest.fixture
def exporter(launch, problem, tmp_path):
    save(problem, tmp_path / "long.attn")
    return launch(tmp_path / "long.attn")


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def shown(exporter):
    progress = exporter.find("export.progress", WorkLine)
    return progress.text() if progress.isVisible() else ""


def test_a_long_map_is_written_as_it_was_when_it_was_asked_for_or_called_off(exporter, problem, out, monkeypatch):
    export(exporter, out, format="png", width="9", dpi="72")
    exporter.type_into("query", 1, 0, "55")
    assert exporter.number("query", 1, 0) == 55
    exporter.until(lambda: "Wrote long-weights-h0.png" in exporter.banner())
    assert QImage(str(out / "long-weights-h0.png")).width() == 256
    assert shown(exporter) == ""
    export(exporter, out, "Ctrl+Shift+E", format="npy")
    exporter.until(lambda: "Wrote long-weights-h0.npy" in exporter.banner())
    found = np.load(out / "long-weights-h0.npy")
    edited = problem.query.copy()
    edited[1, 0] = 55
    expected = compute(problem.replace(query=edited)).block("weights", 0, 0, slice(0, TOKENS), slice(0, TOKENS))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)

    exporter.again("an export can be called off")
    monkeypatch.setattr("attn_gui.formats.array_rows.AT_ONCE", 1)
    (out / "long-weights-h0.npy").write_bytes(b"the old file")
    export(exporter, out, "Ctrl+Shift+E", format="npy", heads="all", replacing="Replace")
    exporter.until(lambda: shown(exporter) not in ("", "Exporting, 0 %"))
    exporter.do("export_image")
    assert "still being written" in exporter.banner()
    exporter.click("export.cancel")
    exporter.until(lambda: "canceled" in exporter.banner())
    assert exporter.banner() == "The export was canceled; nothing was written."
    assert sorted(os.listdir(out)) == ["long-weights-h0.npy", "long-weights-h0.png"]
    assert (out / "long-weights-h0.npy").read_bytes() == b"the old file"
    assert shown(exporter) == ""


def drawn(dialog):
    """Until the preview shows what was typed last."""
    while dialog.preview._timer.isActive() or dialog.preview._coming:
        QApplication.processEvents()
