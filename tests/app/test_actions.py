"""The table of actions: every name once, every shortcut for one action only, the usual keys on every system."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QKeySequence

from attn_gui.app.actions.action_table import ACTIONS, MENUS, Row
from attn_gui.app.actions.actions import TOOLBAR


def keys_of(row: Row) -> list[str]:
    return [keys.toString(QKeySequence.SequenceFormat.PortableText) for keys in row.shortcuts()]


@pytest.fixture
def rows() -> dict[str, Row]:
    return {row.name: row for row in ACTIONS}


def test_rows_have_names_of_their_own_and_stand_in_a_menu(rows):
    assert len(rows) == len(ACTIONS)
    assert {row.menu for row in ACTIONS} <= {key for key, _label in MENUS}
    assert {name for group in TOOLBAR for name in group} - {"compare"} <= set(rows)


@pytest.mark.usefixtures("qapp")
def test_no_shortcut_belongs_to_two_actions():
    counted = Counter(keys for row in ACTIONS for keys in keys_of(row))
    assert [keys for keys, count in counted.items() if count > 1] == []
