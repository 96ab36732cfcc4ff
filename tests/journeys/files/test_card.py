"""A card to send: one key, a look at it, and it is on the clipboard or a file that a friend opens."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication, QImage

from attn_gui.formats import session_in_figure
from attn_gui.views.dialogs.card_dialog import CardDialog
from tests.failing import each
from tests.seen import fault, worded


@pytest.fixture
def person(launch):
    return launch("minilm-layer2.npz", width=1366, height=700)


@each("lang", ["en", "zh"])
def test_one_key_and_enter_put_a_card_on_the_clipboard(person, lang):
    person.again(lang)
    person.do(f"language_{lang}")
    person.show_stage("weights")
    person.click_cell("weights", 10, 8)
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
    assert session_in_figure.session_in(png)
    assert person.banner()


def test_a_card_that_is_saved_opens_as_the_document_with_its_cell(launch, tmp_path):
    person = launch("worked-example.npz", lang="zh")
    person.type_into("query", 0, 0, "7")
    person.click_cell("weights", 0, 1)
    problem, path = person.program.document.snapshot(), tmp_path / "friend.png"

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
