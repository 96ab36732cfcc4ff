"""The menus as they open: every entry has a letter that leads to it alone, in either language."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from PySide6.QtWidgets import QMenu

ACCESS_KEY = re.compile(r"(?<!&)(?:&&)*&([^&\s])")


def letters(texts):
    """How often each access key is given."""
    found = (ACCESS_KEY.search(text) for text in texts)
    return Counter(match.group(1).upper() for match in found if match)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_two_entries_of_a_menu_share_an_access_key(launch, lang):
    window = launch("minilm-layer2.npz", lang=lang).window
    menus = [menu for menu in window.findChildren(QMenu) if menu.objectName().startswith("menu.")]
    assert {"menu.file", "menu.edit", "menu.view", "menu.compute", "menu.help"} <= {m.objectName() for m in menus}
    named = {menu.objectName(): menu.actions() for menu in menus} | {"menu bar": window.menuBar().actions()}
    for menu in menus:
        menu.aboutToShow.emit()
    for name, actions in named.items():
        shown = [action.text() for action in actions if action.isVisible() and not action.isSeparator()]
        counted = letters(shown)
        assert [letter for letter, count in counted.items() if count > 1] == [], name
        if name in ("menu.file", "menu.edit", "menu.view", "menu.compute", "menu.help", "menu bar"):
            assert counted.total() == len(shown), f"{name}: an entry without a letter among {shown}"
