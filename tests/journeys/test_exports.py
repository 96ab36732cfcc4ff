"""Figures and numbers out of the window, through the dialogs."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QDialogButtonBox

SVG = "{http://www.w3.org/2000/svg}"


def export(person, action: str, folder: Path, kind: str) -> None:
    """Choose a form and a folder in the dialog, and press Save."""

    def answer(dialog: QDialog) -> None:
        forms = next(box for box in dialog.findChildren(QComboBox) if box.findData(kind) >= 0)
        forms.setCurrentIndex(forms.findData(kind))
        dialog.target.folder.setText(str(folder))
        dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
        if dialog.isVisible():
            dialog.reject()

    person.answering(QDialog, answer, lambda: person.action(action).trigger())


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_figure_is_written_in_every_form(launch, tmp_path, kind):
    person = launch()
    export(person, "export_image", tmp_path, kind)
    path = tmp_path / f"minilm-layer2-weights-h3.{kind}"
    assert path.stat().st_size > 1000
    if kind == "png":
        assert QImage(str(path)).width() > 500
    elif kind == "svg":
        texts = {"".join(text.itertext()).strip() for text in ElementTree.parse(path).iter(f"{SVG}text")}
        assert {"tired", "0.61"} <= texts
    else:
        assert path.read_bytes().startswith(b"%PDF")


def test_numbers_are_written_as_they_are(launch, tmp_path):
    person = launch()
    export(person, "export_data", tmp_path, "npy")
    found = np.load(tmp_path / "minilm-layer2-weights-h3.npy")
    assert found.shape == (16, 16)
    assert found[10, 13] == pytest.approx(person.value("weights", 10, 13), abs=0)


def test_the_map_goes_to_the_clipboard(launch):
    person = launch()
    QGuiApplication.clipboard().clear()
    person.action("copy_image").trigger()
    assert QApplication.clipboard().image().width() > 300


def test_a_folder_that_is_not_there_is_said_and_nothing_is_written(launch, tmp_path):
    person = launch()
    said: list[str] = []

    def answer(dialog: QDialog) -> None:
        dialog.target.folder.setText(str(tmp_path / "nowhere"))
        said.append(dialog.objection())
        dialog.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Save).click()
        assert dialog.isVisible()
        dialog.reject()

    person.answering(QDialog, answer, lambda: person.action("export_image").trigger())
    assert "nowhere" in said[0]
    assert list(tmp_path.iterdir()) == []
