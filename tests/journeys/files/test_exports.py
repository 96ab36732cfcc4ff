"""Figures and numbers out of the window: through the dialogs, and by the clipboard."""

from __future__ import annotations

import csv
import re

import numpy as np
import pypdfium2
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QMessageBox,
    QWidget,
)

from attn_gui.engine import DenseEvaluation
from attn_gui.figure.compose import compose_figure
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.heatmap_layout import plan
from attn_gui.formats import open_file
from attn_gui.paths import resource
from attn_gui.views.map.colorbar import ColorBar
from attn_gui.views.map.levels_popup import LevelsPopup

SMALL = "worked-example.npz"
SAVE = QDialogButtonBox.StandardButton.Save


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
    person.again(name)
    for dialog in ("export_image", "export_data"):
        person.program.settings.put(dialog, {})
    (tmp_path / name).mkdir()
    return tmp_path / name


def test_figures_and_numbers_of_the_weights(launch, tmp_path):
    person = launch()
    stem = tmp_path / "minilm-layer2-weights-h3"
    for kind in ("png", "svg", "pdf"):
        export(person, tmp_path, format=kind)
        assert stem.with_suffix(f".{kind}").name in person.banner()
    image = QImage(str(stem.with_suffix(".png")))
    assert image.width() > 16 * 0.5 / 2.54 * 300  # cells of half a centimeter at least
    assert image.dotsPerMeterX() == round(300 / 0.0254)
    largest = person.find("heatmap.weights").cell_at(10, 13)[1].name()
    svg = stem.with_suffix(".svg").read_text(encoding="utf-8")
    assert largest in svg.lower()
    assert "tired" in svg
    pdf = stem.with_suffix(".pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    found = {image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}
    assert largest in found

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
    weights = person.find("heatmap.weights")
    numbers = np.array([row[1:] for row in rows[1:]]).astype(np.float32)
    assert (
        numbers.tobytes()
        == np.array([[weights.cell_at(i, j)[0] for j in range(16)] for i in range(16)], np.float32).tobytes()
    )

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
    found = {image.pixelColor(x, y).name() for x in range(0, image.width(), 5) for y in range(0, image.height(), 5)}
    assert largest in found

    person.again("the menu of a map copies and saves that map")
    person.show_stage("scores")
    heatmap = person.find("heatmap.scores")
    QTest.mouseClick(heatmap, Qt.MouseButton.LeftButton, pos=heatmap.cell_rect(1, 1).center())
    place = heatmap.cell_rect(1, 1).center()
    QApplication.sendEvent(
        heatmap, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, heatmap.mapToGlobal(place))
    )
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    copy = next(action for action in menu.actions() if action.text() == "Copy image")
    QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=QRectF(menu.actionGeometry(copy)).center().toPoint())
    assert not QGuiApplication.clipboard().image().isNull()


def test_every_cell_of_every_form_has_the_color_of_the_window(launch, tmp_path):
    person = launch()
    problem = open_file(resource("examples", "minilm-layer2.npz")).problem
    for stage in ("weights", "scaled"):
        person.show_stage(stage)
        heatmap = person.find(f"heatmap.{stage}")
        shown = [[heatmap.cell_at(i, j)[1].name() for j in range(16)] for i in range(16)]
        stem = tmp_path / f"minilm-layer2-{stage}-h3"
        for kind in ("png", "svg", "pdf"):
            export(person, tmp_path, format=kind, values="never")
        place = plan(compose_figure(DenseEvaluation(problem), ExportSettings(stage=stage, values=False), (3,))).maps[0]
        for image in (QImage(f"{stem}.png"), svg_picture(f"{stem}.svg"), pdf_picture(f"{stem}.pdf")):
            scale = image.width() / (QImage(f"{stem}.png").width() * 96 / 300)
            across, down = (
                [int((start + (k + 0.5) * length / 16) * scale) for k in range(16)]
                for start, length in ((place.left(), place.width()), (place.top(), place.height()))
            )
            assert [[image.pixelColor(x, y).name() for x in across] for y in down] == shown


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


def test_a_file_has_the_size_the_name_and_the_place_that_were_typed(person, tmp_path):
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

    # browse names one file and asks by itself
    folder = part(person, tmp_path, "browse")
    (folder / "there.svg").write_text("old")

    def choose(files):
        line = files.findChild(QLineEdit, "fileNameEdit")
        line.setCompleter(None)
        person.overwrite(line, str(folder / "there"), end="")
        person.answering(
            QMessageBox,
            lambda box: person.click(box.button(QMessageBox.StandardButton.Yes)),
            lambda: person.press("Return"),
        )

    def answer(dialog):
        fill_in(person, dialog, folder, format="svg")
        person.answering(QFileDialog, choose, lambda: person.click(dialog.target.browse))
        assert dialog.name.text() == "there.svg"  # the ending came by itself
        press_save(person, dialog)

    person.answering(QDialog, answer, lambda: person.press("Ctrl+E"))
    assert (folder / "there.svg").read_text("utf-8").startswith("<?xml")

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


def test_a_figure_has_the_levels_and_colors_of_the_window(launch, tmp_path):
    person, stage = launch(), "scores"
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
    shown = [[heatmap.cell_at(i, j)[1].name() for j in range(16)] for i in range(16)]
    problem = open_file(resource("examples", "minilm-layer2.npz")).problem
    place = plan(compose_figure(DenseEvaluation(problem), ExportSettings(stage=stage, values=False), (3,))).maps[0]

    def cells(image):
        scale = image.dotsPerMeterX() * 0.0254 / 96
        across, down = (
            [int((start + (k + 0.5) * length / 16) * scale) for k in range(16)]
            for start, length in ((place.left(), place.width()), (place.top(), place.height()))
        )
        return [[image.pixelColor(x, y).name() for x in across] for y in down]

    export(person, tmp_path, format="png", values="never", name="a")
    assert cells(QImage(str(tmp_path / "a.png"))) == shown
    export(person, tmp_path, format="png", values="never", name="b", which_levels="automatic", colormap="signed")
    assert cells(QImage(str(tmp_path / "b.png"))) != shown
    export(person, tmp_path, format="png", values="never", name="c", which_levels="typed", low=low, high=high)
    assert cells(QImage(str(tmp_path / "c.png"))) == shown


def test_the_product_and_the_curve_are_figures_too(launch, tmp_path):
    person = launch("nadaraya-watson.npz")
    for kind in ("png", "svg", "pdf"):
        for picture in ("product", "curve"):
            export(person, tmp_path, format=kind, picture=picture, dpi="60" if kind == "png" else None)
    names = {
        f"nadaraya-watson-{part}-h0.{kind}" for part in ("weights-product", "curve") for kind in ("png", "svg", "pdf")
    }
    assert {path.name for path in tmp_path.iterdir()} == names
    person.do("example_worked")  # which has no curve
    offered = []

    def look(dialog):
        box = dialog.findChild(QWidget, "export.picture")
        offered.extend(box.itemData(place) for place in range(box.count()))
        person.press("Esc")

    person.answering(QDialog, look, lambda: person.press("Ctrl+E"))
    assert offered[:2] == ["map", "product"]
    assert "curve" not in offered
