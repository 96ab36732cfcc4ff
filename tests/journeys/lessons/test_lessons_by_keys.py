"""Lessons by keys, in small windows, in Chinese: all that is said, asked or focused is in sight, and no answer is."""

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QRect
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit

from attn_gui.app.lessons.lesson_list import PROGRESS
from attn_gui.lessons.curriculum import path_of, title_of
from attn_gui.views.dialogs.export_dialog import CardDialog
from attn_gui.views.lesson_panel import StepText
from attn_gui.views.text_views import Link, SentenceView
from tests.failing import share
from tests.journeys.lessons.test_lessons import LESSONS, answer, state, verdict
from tests.journeys.lessons.test_nothing_given_away import given_away
from tests.seen import covered, fault, faults, worded

MOST_TABS = 80


VERDICTS = {"en": ("Correct.", "Not yet"), "zh": ("正确。", "还不对")}  # of a right answer, and of a wrong one
PAGE = 240  # pixels of a page by which one sees what it is about
TURNS = 50  # of the loop, in which everything is laid out


def tab_to(person, name, key="Tab"):
    for _ in range(MOST_TABS):
        if person.focus().objectName() == name:
            return
        person.press(key)
    raise AssertionError(f"Tab does not lead to {name}")


def answer_by_keys(person, text):
    """Type an answer over what stands in the field; the field and what is said of it stay in sight."""
    person.find("lesson.answer", QLineEdit).setFocus()
    person.press("Ctrl+A")
    person.type(text, end="Return")
    person.settle("lessons")
    assert not faults(map(person.find, ("lesson.answer", "lesson.verdict")))


def press(person, name, key="Tab"):
    tab_to(person, name, key)
    person.press("Space")
    person.settle("lessons")


def buttons(person):
    """Where the buttons of the way stand."""
    parts = [person.find(f"lesson.{name}") for name in ("back", "skip", "next")]
    return [QRect(part.mapTo(person.window, QPoint()), part.size()) for part in parts]


def give(person, text):
    person.overwrite(person.find("lesson.answer", QLineEdit), text)
    person.settle("lessons")


def test_the_first_lesson_is_gone_through_by_keys_and_has_room_on_a_small_screen(launch):
    person = launch("worked-example.npz", lang="zh", width=1366, height=700)
    person.do("lessons")
    person.settle("lessons")
    assert person.find("lessons").isVisible()
    assert not person.find("spine").isVisible()
    assert person.focus().objectName() == "lessons.continue"
    person.press("Space")
    person.settle("lessons")
    assert not person.find("lessons").isVisible()
    assert (person.window.width(), person.window.height()) == (1366, 700)
    assert person.focus().objectName() == "lesson.answer"
    where = buttons(person)

    def on(place):
        assert person.find("lesson.place").text() == f"第 {place} 步，共 5 步"
        assert buttons(person) == where
        assert not person.find("lesson.next").isEnabled()

    on(1)
    answer_by_keys(person, "3")
    assert "忘" in verdict(person)
    answer_by_keys(person, "1.73")
    assert "小数" in verdict(person)
    answer_by_keys(person, "sqrt(3)")
    assert verdict(person) == "正确。"
    assert person.focus().objectName() == "lesson.next"
    person.press("Ctrl+V")
    assert "表格" in person.banner()
    person.press("Space")
    person.settle("lessons")
    on(2)
    assert not person.banner(), "it stood over all further steps"
    answer_by_keys(person, "2")
    assert "2 是例子里的 S[1, 1]" in verdict(person)
    answer_by_keys(person, "1/1")
    assert person.program.view.look.cell[1:] == (0, 1), "the cell that was asked for is the one explained now"
    press(person, "lesson.next")
    on(3)
    answer_by_keys(person, "１．１５５")
    press(person, "lesson.next")
    on(4)
    answer_by_keys(person, "1.155")
    assert verdict(person).startswith("还不对。")
    assert "1.155 是缩放后的分数 S′[1, 1]。" in verdict(person)
    press(person, "lesson.show")
    assert person.find("lesson.answer", QLineEdit).text() == "0.6405"
    assert verdict(person) == "答案是 0.6405。"
    press(person, "lesson.check", "Shift+Tab")  # what was shown and is handed in again is no answer
    press(person, "lesson.next")
    on(5)
    answer_by_keys(person, "3")
    assert "O[0, 1]" in verdict(person)
    press(person, "lesson.back")
    assert person.find("lesson.place").text() == "第 4 步，共 5 步"
    assert person.find("lesson.next").isEnabled()  # it was answered before
    press(person, "lesson.next")
    press(person, "lesson.skip")
    assert person.find("lesson.end_title").text() == "这一课讲了："
    assert not fault(person.find("lesson.end"))
    ways_back = [one for one in person.window.findChildren(Link) if one.objectName().startswith("lesson.open.")]
    assert [one.objectName()[-1] for one in ways_back] == ["3", "4"]  # shown, and skipped: the others are ticked
    assert not faults(ways_back)
    person.click("lesson.open.4")
    person.settle("lessons")
    on(5)
    press(person, "lesson.skip")
    assert person.find("lesson.place").text() == "完成 3 / 5 步"
    bar = person.find("lesson.progress")
    good, line = bar.color_of(0), bar.color_of(4)
    assert [bar.color_of(step) for step in range(5)] == [good] * 3 + [line] * 2
    assert good != line != QColor()
    assert (person.window.width(), person.window.height()) == (1366, 700)
    press(person, "lesson.all", "Shift+Tab")
    assert "3" in person.find("lessons.06-worked-example").accessibleName()
    assert not fault(person.find("lessons.band"))
    person.press("Esc")
    person.settle("lessons")
    assert person.find("spine").isVisible()
    person.do("lessons")
    person.settle("lessons")
    assert person.find("lessons.anew").isVisible()  # a step of it is not done
    press(person, "lessons.anew", "Shift+Tab")
    assert person.find("lesson.place").text() == "第 1 步，共 5 步"

    # the last card leads on to the next lesson
    for _ in range(5):
        press(person, "lesson.skip")
    assert person.focus().objectName() == "lesson.next_lesson"
    person.answering(CardDialog, lambda dialog: dialog.reject(), lambda: person.click("lesson.card"))
    person.find("lesson.next_lesson").setFocus()
    person.press("Space")
    person.settle("lessons")
    assert person.program.document.name == title_of(LESSONS[0], "zh")
    assert person.find("inspector").isVisible()

    person.again("on a small screen a step has its text, its buttons and its choices", "worked-example.npz")
    person.program.settings.put(PROGRESS, {})
    person.program.take_in(path_of("06-worked-example"))
    person.settle("lessons")

    def gap():
        """Pixels between what the lesson says last and the explanation."""
        last = person.find("lesson.verdict").parentWidget()
        below = person.find("inspector")
        return (
            below.mapTo(person.window, below.rect().topLeft()).y()
            - last.mapTo(person.window, last.rect().bottomLeft()).y()
        )

    person.click("lesson.skip")
    person.settle("lessons")
    page = person.find("lesson").findChild(type(person.find("lesson")._page))
    for wrong in ("", "7"):
        if wrong:
            give(person, wrong)
        assert person.find("walk.steps").isVisible()
        assert not page.verticalScrollBar().isVisible(), f"the text is whole beside a walk {wrong}"
        assert not fault(person.find("lesson.verdict")) or not wrong
        assert not person.find("walk.keys").isVisible(), "Space types into the answer"
    person.find("walk").setFocus()
    assert person.find("walk.keys").isVisible()
    give(person, "1")
    assert gap() < 60

    # a button that a step speaks of is there in the simple window, too
    person.program.appearance.set_simple(True)
    person.program.take_in(path_of("13-cross-attention"))
    person.settle("lessons")
    assert "inspector.reach" not in buttons_shown(person)
    person.click("lesson.skip")
    person.settle("lessons")
    assert "inspector.reach" in buttons_shown(person)
    person.click("lesson.close")
    person.settle("lessons")
    assert "inspector.reach" not in buttons_shown(person)

    # arrows lead to a choice and take none
    person.program.appearance.set_simple(False)
    # After a wrong answer the second choice was the next one for whoever went on to the third.
    person.program.take_in(path_of("03-root-d-k"))
    person.settle("lessons")
    person.press("Space")
    person.settle("lessons")
    wrong = verdict(person)
    assert wrong.startswith("还不对")
    for key, place in (("Down", 1), ("Down", 2), ("Down", 2), ("Up", 1)):
        person.press(key)
        person.settle("lessons")
        assert person.focus().objectName() == f"lesson.choice.{place}"
        assert verdict(person) == wrong
    person.press("Space")
    person.settle("lessons")
    assert verdict(person).startswith("正确。")

    # large type on a low screen leaves a step some lines of its text
    person.program.settings.put(PROGRESS, {})
    # At 150 % of 1366 × 700 only its title was left, above an explanation that nobody had asked for.
    person.program.appearance.step_zoom(3)
    person.wait()
    person.window.resize(1350, 652)
    person.look()
    person.program.take_in(path_of("06-worked-example"))
    person.settle("lessons")
    person.look()
    page = person.find("lesson").findChild(StepText)
    title, *lines = (line.height() for part in page.findChildren(SentenceView) for line in part.lines())
    assert page.viewport().height() >= title + 2 * max(lines)
    person.program.take_in(path_of("05-masks"))
    while person.program.late.lessons._place < 3:  # above its question stood nothing but the title
        person.click("lesson.skip")
        person.settle("lessons")
    assert person.find("lesson").question.isVisible()
    person.look()
    assert page.viewport().height() >= title + 2 * max(lines)


def buttons_shown(person):
    return {button.objectName() for button in person.window.findChildren(QAbstractButton) if button.isVisible()}


def faults_shown(person):
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


def answered_by(person):
    """The name of what the question on show is answered with; None without one."""
    lessons = person.program.late.lessons
    question = lessons._states[lessons._place].step.question if lessons._place < len(lessons._states) else None
    return None if question is None else "lesson.choice.0" if question.choices else "lesson.answer"


def place_of(person, name):
    """The pixels of a widget in the window."""
    widget = person.find(name)
    return QRect(widget.mapTo(person.window, QPoint()), widget.size())


def walk(person, path):
    """Go through a lesson, with answers wrong and right; yields each place and what has just been said there."""
    person.program.take_in(path)
    person.settle("lessons")
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
            person.settle("lessons")
            yield f"{told} done"
        assert person.program.document.problem == state(person).end.problem, told
        assert not person.find("lesson.do").isVisible(), told
        assert not person.find("lesson.left").isVisible(), told
        person.click("lesson.next")
        person.settle("lessons")
    assert person.find("lesson.end").isVisible(), path.stem
    yield f"{path.stem} at the end"


@pytest.mark.parametrize(("lang", "lessons"), [(lang, LESSONS[part::4]) for part in range(4) for lang in ("en", "zh")])
def test_whatever_a_lesson_says_or_asks_is_in_sight(launch, lang, lessons):
    """All of them where there is least room."""
    person = launch("worked-example.npz", lang=lang, width=1366, height=700)
    next(walk(person, LESSONS[0]))  # whichever lessons follow
    found, ways_on, before = [], {"at first": place_of(person, "lesson.skip")}, QRect()
    for path in share(lessons, 3):
        for told in walk(person, path):
            found += [f"{told}: {fault}" for fault in faults_shown(person)]
            if (name := answered_by(person)) and told.endswith(("arrival", "wrong")):
                for _ in range(TURNS):  # the column is laid out a few turns after the words came
                    QCoreApplication.processEvents()
                place = place_of(person, name)
                if told.endswith("wrong") and place.y() != before.y():
                    found += [f"{told}: what is pressed next moved by {place.y() - before.y()}"]
                before = place
            if not told.endswith("at the end"):
                assert person.find("lesson.skip").isVisible(), told
                ways_on[told] = place_of(person, "lesson.skip")
    assert not found, f"{len(found)} faults\n" + "\n".join(found)
    person.click("lesson.close")
    assert not person.find("lesson").isVisible()
    first = ways_on["at first"]
    moved = {told: place for told, place in ways_on.items() if not place.contains(first.center())}
    assert not moved, "a click on Skip misses it on another step"
    assert (person.window.width(), person.window.height()) == (1366, 700)
