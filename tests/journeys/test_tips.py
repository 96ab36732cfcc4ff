"""Every control of the computation says what it does, with the formula that it changes, in both languages."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QRegularExpression
from PySide6.QtWidgets import QApplication, QWidget

from attn_gui.views.dialogs.tokens_dialog import TokensDialog


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_control_has_a_tip_and_a_whats_this(launch, lang):
    person = launch(lang=lang)
    for action in ("softcap", "temperature", "rotary_positions"):
        person.do(action)
    person.pick("scale", "typed")
    for score in ("gaussian", "additive"):
        person.pick("score", score)
        controls = person.window.findChildren(QWidget, QRegularExpression("^control[.]"))
        assert len(controls) > 15
        assert [control.objectName() for control in controls if not control.toolTip()] == []
        assert [control.objectName() for control in controls if not control.whatsThis()] == []
        if lang == "zh":
            texts = [control.whatsThis() for control in controls]
            assert [text for text in texts if not re.search("[一-鿿]", text)] == []


def test_tips_follow_the_language(launch):
    person = launch()
    assert "S / √dₖ" in person.find("control.scale").toolTip()
    person.do("language_zh")
    QApplication.processEvents()
    assert re.search("[一-鿿]", person.find("control.scale").whatsThis())
    assert re.search("[一-鿿]", person.find("control.score").toolTip())


def test_a_button_at_the_axes_names_the_tokens(launch):
    person = launch("worked-example.npz", width=1024, height=700)
    person.show_stage("scores")
    person.answering(TokensDialog, lambda dialog: dialog.reject(), lambda: person.click("product.tokens"))
