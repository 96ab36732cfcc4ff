"""Figures as files that open: what was exported is dropped on the window, and the document is there again."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QDialog


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_a_figure_that_is_dropped_opens_as_the_document_that_it_was_made_of(launch, tmp_path, form):
    person = launch("worked-example.npz")
    person.type_into("query", 0, 0, "7")
    problem = person.program.document.snapshot()

    def export(dialog):
        assert dialog.session.isChecked()
        person.choose(dialog.format, form)
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    person.answering(QDialog, export, lambda: person.do("export_image"))
    (path,) = tmp_path.glob(f"*.{form}")
    person.press("Ctrl+Z")
    assert person.program.document.problem != problem
    person.drop(path)
    person.wait()
    assert person.program.document.problem == problem
