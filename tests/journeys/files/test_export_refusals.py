"""A figure that has no room on its page is refused where it is asked for, in the language of the window."""

from __future__ import annotations

from itertools import product

from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLabel, QWidget

WORKED, SLOW = "worked-example.npz", "sqrt_d_k"
SAVE = QDialogButtonBox.StandardButton.Save
NO_ROOM = {
    "language_en": "A {side} of 1.5 cm leaves no room for the map beside its labels; ",
    "language_zh": "{side} 1.5 厘米放不下热图及其标签；至少要 ",
}
SIDES = {"language_en": {"width": "width", "height": "height"}, "language_zh": {"width": "宽", "height": "高"}}


def drawn(dialog):
    """Until the preview shows what was typed last."""
    while dialog.preview._timer.isActive() or dialog.preview._coming:
        QApplication.processEvents()


def said(dialog):
    return [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]


def refused(person, tmp_path, sentence, **fields):
    """Ask for it, and press Export: the dialog stays and says why; then it is left."""

    def answer(dialog):
        dialog.target.folder.setText(str(tmp_path))
        for name, value in fields.items():
            editor = dialog.findChild(QWidget, f"export.{name}")
            if hasattr(editor, "findData"):
                editor.setCurrentIndex(editor.findData(value))
            else:
                person.overwrite(editor, str(value), end="")
        if fields.get("picture") == SLOW:
            drawn(dialog)  # it comes from another thread
        person.click(dialog.findChild(QDialogButtonBox).button(SAVE))  # else before the preview has followed
        stayed.append(dialog.isVisible())
        drawn(dialog)
        stayed.append(any(text.startswith(sentence) for text in said(dialog)))
        person.click(dialog.findChild(QDialogButtonBox).button(SAVE))
        stayed.append(dialog.isVisible() and any(text.startswith(sentence) for text in said(dialog)))
        stayed.append(dialog.preview.sentence().startswith(sentence))
        dialog.reject()

    stayed = []
    person.answering(QDialog, answer, lambda: person.press("Ctrl+E"))
    assert stayed == [True] * 4
    assert not list(tmp_path.iterdir())


def test_too_small_a_picture_and_too_large_letters_keep_the_dialog_open(launch, tmp_path):
    person = launch(WORKED)
    for language, sentence in NO_ROOM.items():
        person.do(language)
        person.wait()
        for picture, side in product(("map", "product", SLOW), ("width", "height")):
            sizes = {"width": "", "height": "", side: "1.5"}
            refused(person, tmp_path, sentence.format(side=SIDES[language][side]), picture=picture, **sizes)
    refused(person, tmp_path, "宽 4.0 厘米放不下热图及其标签", picture="map", width="4", height="", font_size="40")
