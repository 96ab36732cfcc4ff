"""Figures as files that open: what was exported is dropped on the window, and the document is there again."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog


def test_a_figure_that_is_dropped_opens_as_the_document_that_it_was_made_of(person, tmp_path):
    for form, number in (("png", "7"), ("svg", "8"), ("pdf", "9")):
        person.do("example_worked")
        person.type_into("query", 0, 0, number)
        problem = person.program.document.snapshot()

        def export(dialog, form=form):
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
