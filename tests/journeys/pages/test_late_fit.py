"""A fit that is still under way when something else is: it waits for dialogs, can be canceled, and needs points."""

from __future__ import annotations

import pytest
from PySide6.QtTest import QTest

from attn_gui.app import pages
from attn_gui.app.state import computation
from attn_gui.views.dialogs.action_search import ActionSearch
from tests.journeys.gate import Gate


@pytest.fixture
def gate(monkeypatch):
    """Holds every fit up until it is opened, as many points would."""
    found, fit_width = Gate(), pages.fit_width

    def fit(points, tell):
        found.hold_telling(tell)
        return fit_width(points)

    monkeypatch.setattr(pages, "fit_width", fit)
    yield found
    found.open()


@pytest.fixture
def person(launch):
    return launch("nadaraya-watson.npz").beginning(lambda person: person.do("curve"))


def settle(person):
    person.program.late.curve._fits.wait()
    for _ in range(3):
        QTest.qWait(1)
    person.wait()


def test_a_fit_changes_nothing_under_a_dialog_and_can_be_canceled(person, gate, qtbot):
    person.click("button.fit")
    gate.await_work()
    met = []

    def look(dialog):
        gate.open()
        settle(person)
        met.append(len(person.steps()))
        dialog.reject()

    person.answering(ActionSearch, look, lambda: person.do("search_actions"))
    assert met == [1]
    qtbot.waitUntil(lambda: len(person.steps()) == 2)

    person.again("a fit is told and can be canceled")
    gate.close()
    person.click("button.fit")
    gate.await_work()
    assert not person.find("button.fit").isEnabled()
    qtbot.waitUntil(person.find("fitting.progress").isVisible)
    assert "Fitting w" in person.status()
    person.click("fitting.cancel")
    assert person.find("button.fit").isEnabled()
    settle(person)
    assert len(person.steps()) == 1


def test_nothing_is_fitted_to_points_that_are_gone(person, gate, monkeypatch):
    gate.open()
    numbers = Gate()
    monkeypatch.setattr(computation, "evaluation_of", numbers.before(computation.evaluation_of))
    monkeypatch.setattr(computation, "is_quickly_computed", lambda _problem: False)
    person.pick("score", "dot")
    assert person.program.computation.pending
    assert not person.find("button.fit").isEnabled()
    person.program.late.curve.fit()
    numbers.open()
    settle(person)
    assert not gate.reached
    assert len(person.steps()) == 2
    assert not person.find("button.fit").isVisible()
