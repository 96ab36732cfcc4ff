"""All lessons, walked through: at every step all that is said, asked or focused is in sight, and no answer is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QTest

from attn_gui.views.banner import BannerOffer
from tests.journeys.lessons.test_covered_answers import given_away
from tests.journeys.lessons.test_lessons import LESSONS, answer, settle, state
from tests.seen import covered, faults, worded

VERDICTS = {"en": ("Correct.", "Not yet"), "zh": ("正确。", "还不对")}  # of a right answer, and of a wrong one
SENTENCE = "This says at some length what was refused, where it was refused, and what was expected instead of it."
PAGE = 240  # pixels of a page by which one sees what it is about
TURNS = 50  # of the loop, in which everything is laid out
SIZES = [(1366, 700), (1440, 900), (1920, 1080)]


def shown(person):
    """Faults of what the lesson says or asks now, but for its text, which scrolls, and of what has the keyboard."""
    for _ in range(TURNS):  # a line more in the question reaches the column in a few: a fault is what stays
        QTest.qWait(1)
        if not (found := faults(dict.fromkeys((*worded(person.find("lesson")), person.focus()))) + page_lost(person)):
            break
    return found


def page_lost(person):
    """What is wrong with the page that the step shows, or that the last one has shown behind the end."""
    lessons = person.program.late.lessons
    name = lessons._states[min(lessons._place, len(lessons._states) - 1)].shown.page
    if name is None or person.program.view.look.blanks:
        return []
    page = person.find(f"page.{name}")
    seen, most = covered(page).boundingRect().height(), min(page.height(), PAGE)
    return [] if seen >= most else [f"page {name}: {seen} pixels of {page.height()} in sight"]


def place_of(person, name):
    """The pixels of a widget in the window."""
    widget = person.find(name)
    return QRect(widget.mapTo(person.window, QPoint()), widget.size())


def walk(person, path):
    """Go through a lesson, with answers wrong and right; yields each place and what has just been said there."""
    person.program.take_in(path)
    settle(person)
    verdicts = VERDICTS[person.program.appearance.language]
    for step in range(1, len(person.program.late.lessons._states) + 1):
        told = f"{path.stem} {step}"
        assert str(step) in person.find("lesson.place").text(), told
        assert person.program.document.problem == state(person).begin.problem, told
        assert [*given_away(person)] == [], told
        yield f"{told} on arrival"
        question = state(person).step.question
        for wrong in (True, False) if question is not None else ():
            answer(person, question, wrong)
            assert person.find("lesson.verdict").text().startswith(verdicts[wrong]), told
            yield f"{told} {'wrong' if wrong else 'right'}"
        if state(person).step.tasks:
            person.click("lesson.do")
            settle(person)
            yield f"{told} done"
        assert person.program.document.problem == state(person).end.problem, told
        assert not person.find("lesson.do").isVisible(), told
        assert not person.find("lesson.left").isVisible(), told
        person.click("lesson.next")
        settle(person)
    assert person.find("lesson.end").isVisible(), path.stem
    yield f"{path.stem} at the end"


@pytest.mark.family(4)
@pytest.mark.parametrize(
    ("lang", "size", "lessons"),
    [
        ("en", SIZES[0], LESSONS),
        ("zh", SIZES[0], LESSONS),
        ("en", SIZES[1], LESSONS[::6]),
        ("zh", SIZES[2], LESSONS[::6]),
    ],
    ids=["small", "small-zh", "usual", "large-zh"],
)
def test_whatever_a_lesson_says_or_asks_is_in_sight(launch, lang, size, lessons):
    """All of them where there is least room; where there is more, some."""
    person = launch("worked-example.npz", lang=lang, width=size[0], height=size[1])
    found, ways_on = [], {}
    for path in lessons:
        for told in walk(person, path):
            found += [f"{told}: {fault}" for fault in shown(person)]
            if person.find("lesson.skip").isVisible():
                ways_on[told] = place_of(person, "lesson.skip")
    assert not found, f"{len(found)} faults\n" + "\n".join(found)
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()
    first = next(iter(ways_on.values()))
    moved = {told: place for told, place in ways_on.items() if not place.contains(first.center())}
    assert not moved, "a click on Skip misses it on another step"
    assert (person.window.width(), person.window.height()) == size


def test_a_notice_during_a_lesson_leaves_the_window_and_the_question_as_they_are(launch):
    size = SIZES[0]
    person = launch("worked-example.npz", lang="zh", width=size[0], height=size[1])
    found = []
    for told in walk(person, LESSONS[4]):
        offers = [BannerOffer(f"A way out, number {place}", "", lambda: None) for place in range(2)]
        person.program.window.banner.show_error(SENTENCE, offers=offers)
        found += [f"{told}: {fault}" for fault in (*shown(person), *faults([person.find("banner")]))]
        assert (person.window.width(), person.window.height()) == size
    assert not found, "\n".join(found)
