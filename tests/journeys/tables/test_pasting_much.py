"""A clipboard of megabytes in places that take one number: refused as a whole, and no long line laid out for it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLineEdit

from attn_gui.document.number_text import NumberError, parse_number

MUCH = 2_500_000
SHOWN = 500  # letters that a field may lay out at most


def test_into_a_cell_a_size_or_the_scale_it_is_refused_and_what_was_there_stays(person):
    before = person.numbers("query")
    for text in ("1" * MUCH, "0." + "1" * MUCH, "word " * (MUCH // 5), "1\t2\n" * (MUCH // 4)):
        person.go_to("query", 0, 0)
        person.press("F2", "Ctrl+A")
        person.clipboard(text)
        person.press("Ctrl+V")
        editor = person.focus()
        assert isinstance(editor, QLineEdit)
        assert len(editor.text()) < SHOWN
        with pytest.raises(NumberError):
            parse_number(editor.text())  # what is left of it is no number either
        person.press("Return")
        assert person.numbers("query") == before
        person.press("Escape", "Escape")
        assert person.numbers("query") == before
    box = person.find("control.n")
    person.clipboard("1" * MUCH)
    box.setFocus()
    person.press("Ctrl+A", "Ctrl+V")
    assert len(box.cleanText()) < SHOWN
    person.press("Return")
    assert person.program.document.problem.n == 2
    person.press("Escape")
    assert box.cleanText() == "2"
    person.pick("scale", "typed")
    field = person.find("control.scale_value", QLineEdit)
    person.overwrite(field, "2")
    person.clipboard("1" * MUCH)
    field.setFocus()
    person.press("Ctrl+A", "Ctrl+V")
    assert len(field.text()) < SHOWN
    person.press("Return")
    assert person.program.document.problem.scale == 2
