"""The table of actions: every name once, every shortcut for one action only, the usual keys on every system."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence

from attn_gui.app.actions.action_table import ACTIONS, MENUS, Row
from attn_gui.app.actions.actions import TOOLBAR, Actions


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


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("known", [["Ctrl+Y"], ["Ctrl+Shift+Z"], ["Ctrl+Y", "Alt+Shift+Backspace", "Ctrl+Shift+Z"]])
def test_both_keys_for_redo_work_whatever_the_system_calls_standard(monkeypatch, rows, known):
    """Windows knows Ctrl+Y, GNOME and macOS Ctrl+Shift+Z; people move between them."""
    monkeypatch.setattr(QKeySequence, "keyBindings", lambda _key: [QKeySequence(keys) for keys in known])
    found = keys_of(rows["redo"])
    assert found[0] == known[0]
    assert {"Ctrl+Y", "Ctrl+Shift+Z"} <= set(found)
    assert len(found) == len(set(found))


def test_the_keys_are_those_of_the_actions(qapp, rows):
    parent = QObject()
    actions = Actions(parent, lambda: True)
    for name, row in rows.items():
        assert actions[name].objectName() == f"action.{name}"
        assert actions[name].shortcuts() == row.shortcuts()
    parent.deleteLater()
