"""The buttons that choose a table: every name whole, in the narrowest column."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from attn_gui.views.tables.inputs import GroupSwitch, shares
from tests.failing import each

NARROWEST = 300  # pixels of the column of tables
NAMES = ("X", "W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O", "b_O", "W_score_Q", "W_score_K", "w_score", "β")


@each("count", range(2, len(NAMES) + 1))
def test_no_name_of_a_table_is_cut_however_many_there_are(qtbot, count):
    switch = GroupSwitch()
    qtbot.addWidget(switch)
    switch.set_choices([(name, name, "") for name in NAMES[:count]], NAMES[0])
    switch.resize(NARROWEST, switch.sizeHint().height())
    switch.show()
    qtbot.waitExposed(switch)
    buttons = switch.buttons()
    assert all(button.width() >= button.fontMetrics().horizontalAdvance(button.text()) for button in buttons)
    assert all(button.geometry().right() < NARROWEST for button in buttons)
    assert len({button.geometry().topLeft().toTuple() for button in buttons}) == count


def test_what_is_still_to_choose_keeps_its_button_and_the_keyboard(qtbot):
    switch = GroupSwitch()
    qtbot.addWidget(switch)
    switch.set_choices([(name, name, "") for name in "ABC"], "A")
    switch.show()
    qtbot.waitExposed(switch)
    first, second, _ = switch.buttons()
    second.setFocus()
    switch.set_choices([(name, name.lower(), "") for name in "DBA"], "B")
    assert switch.focusWidget() is second
    assert switch.buttons()[1:] == [second, first]
    assert [(button.text(), button.isChecked()) for button in switch.buttons()] == [
        ("d", False),
        ("b", True),
        ("a", False),
    ]
    qtbot.waitUntil(lambda: switch.buttons()[0].isVisible())
    places = [button.x() for button in switch.buttons()]
    assert places == sorted(set(places))
    assert len([button for button in switch.findChildren(QPushButton) if not button.isHidden()]) == 3


def test_tables_take_what_they_need_of_the_column_and_leave_the_rest_to_others():
    assert shares([70, 70, 60], 400) == [98, 98, 204]  # all whole, with a step between
    assert shares([60, 300, 300], 460) == [60, 200, 200]
    assert shares([300, 60, 500], 460) == [200, 60, 200]
