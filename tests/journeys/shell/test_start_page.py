"""The start page and the tour: cards with live maps, a lesson, recent files; every way into the window and back."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from attn_gui.engine import Problem, compute
from attn_gui.lessons.word_vectors import word_vectors
from attn_gui.paths import resource
from attn_gui.views.dialogs.ambiguity_dialogs import ReadingsDialog
from attn_gui.views.text_views import SentenceView
from attn_gui.views.zones import stops
from tests.seen import covered, fault, faults, worded

LEFT = Qt.MouseButton.LeftButton
PARTS = ["zone.inputs", "spine", "zone.product", "zone.explain", "toolbar"]


def seen(person, name):
    return not covered(person.find(name)).isEmpty()


def cell(person, card, stage, row, column):
    picture = person.find(f"start.map.{card}")
    return picture, picture.cell_rect(stage, row, column).center()


def hover(person, *place):
    picture, at = cell(person, *place)
    QTest.mouseMove(picture, at)
    QApplication.processEvents()
    return person.status()


def click(person, *place):
    picture, at = cell(person, *place)
    QTest.mouseClick(picture, LEFT, pos=at)
    person.wait()


@pytest.fixture
def first(launch):
    """The program as it starts without a file."""
    return launch(page=True)


def test_the_first_start_shows_the_page_and_each_way_from_it_opens_what_it_says(first, qtbot):
    assert seen(first, "start")
    assert not any(seen(first, name) for name in ("spine", "zone.inputs", "heatmap.weights", "inspector"))
    assert (first.status(), first.find("start.language").text()) == ("Start page", "中文")
    assert first.banner() == ""
    first.press("Esc")
    assert not seen(first, "start")
    assert all(seen(first, name) for name in ("spine", "zone.inputs", "heatmap.weights", "inspector"))
    assert first.focus().objectName() == "heatmap.weights"
    assert first.value("weights", 10, 13) == pytest.approx(0.610984, abs=1e-6)
    assert not seen(first, "start.language")
    first.do("start")
    assert seen(first, "start")
    assert not seen(first, "spine")

    # the small example is the product of its operands
    picture = first.find("start.map.worked")
    maps = {name: picture.map_of(name) for name in ("query", "key", "weights", "value", "head_output")}
    grid = {
        name: np.array([[one.cell_at(i, j)[0] for j in range(one.shape[1])] for i in range(one.shape[0])])
        for name, one in maps.items()
    }
    scores = grid["query"] @ grid["key"] / np.sqrt(3)
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    assert np.allclose(grid["weights"], weights)
    assert np.allclose(grid["head_output"], weights @ grid["value"])
    query, key, weights_, value, output = (maps[name].geometry() for name in maps)
    assert (query.top(), query.bottom()) == (weights_.top(), weights_.bottom()) == (output.top(), output.bottom())
    assert (key.left(), key.right()) == (weights_.left(), weights_.right())
    assert (value.left(), value.right()) == (output.left(), output.right())

    # models at hand open in a list and the toy at once
    first.click("start.models")
    popup = QApplication.activePopupWidget()
    assert popup is not None
    assert popup.objectName() == "menu.models"
    popup.close()
    assert seen(first, "start")
    first.click("start.toy")
    first.wait()
    assert not seen(first, "start")
    assert first.program.document.study is not None

    # the band begins the worked example as a lesson
    first.do("start")
    first.click("start.begin")
    qtbot.waitUntil(lambda: not seen(first, "start"))
    assert seen(first, "lesson")
    assert first.program.document.problem.query.shape == (2, 3)
    first.click("lesson.skip")
    first.do("start")
    assert first.find("start.begin").text() == "Go on"
    first.do("start")

    # the list of lessons takes the place of the page
    first.do("start")
    first.click("start.lessons")
    qtbot.waitUntil(lambda: first.has("lessons") and seen(first, "lessons"))
    assert not seen(first, "start")

    first.again("Q, K and V pasted onto it are a new problem, and one matrix is said to need a cell")
    # Ctrl+V showed the example, with nothing pasted and nothing said.
    first.clipboard("1 2\n3 4")
    first.do("lessons")
    first.settle("lessons")
    first.press("Ctrl+V")
    assert seen(first, "zone.inputs"), "a list of lessons has no use for it"
    first.do("start")
    first.press("Ctrl+V")
    assert seen(first, "start")
    assert "2 × 2" in first.banner()
    first.clipboard("Q = [[1, 0], [0, 2], [1, 1]]; K = [[1, 1]]; V = [[4]]")
    first.answering(ReadingsDialog, ReadingsDialog.accept, lambda: first.press("Ctrl+V"))
    first.wait()
    assert not seen(first, "start")
    assert first.values("query") == [[1, 0], [0, 2], [1, 1]]
    assert (first.program.document.name, first.program.document.problem.query_tokens) == ("untitled", None)
    for lang, title in (("zh", "未命名[*]"), ("en", "untitled[*]")):  # it stayed in the language it was begun in
        first.do(f"language_{lang}")
        assert first.window.windowTitle() == title

    first.again("a cell of a card or a sentence says its number and is opened")
    for place, said in (
        (("worked", "weights", 1, 1), "Attention weights · (1, 1) = 0.640457"),
        (("minilm", "weights", 10, 13), "it → tired (10, 13) = 0.610984"),
        (("sentence", "weights", 1, 4), "cat → the (1, 4) = 0.3"),
    ):
        if not seen(first, "start"):
            first.do("start")
        assert said.split(" = ")[1] in hover(first, *place)
        assert said.split(" = ")[0].split(" · ")[-1] in first.status()
        click(first, *place)
        assert not seen(first, "start")
        card, stage, row, column = place
        assert tuple(first.program.view.look.cell) == (stage, row, column)
        assert seen(first, "heatmap.weights")
        picture = first.find(f"start.map.{card}").map_of(stage)
        shown = picture.cell_at(column, row) if stage == "key" else picture.cell_at(row, column)
        assert first.value(stage, row, column) == shown[0]
        assert first.find("inspector").isVisible()
        assert str(row) in first.explanation()

    for typed, vectors in (("The cat and the dog", "MiniLM"), ("The cat and the fridge", "random")):
        # Random vectors stood for words of which the program has real ones.
        first.do("start")
        first.overwrite(first.find("start.sentence"), typed, end="")
        first.look()
        views = first.find("start").findChildren(SentenceView)
        sentence = next(view.text() for view in views if "attends to." in view.text())
        assert ("MiniLM" in sentence) == (vectors == "MiniLM")
        first.press("Return")
        first.wait()
        problem = first.program.document.problem
        assert vectors in first.banner()
        assert problem.query_tokens == tuple(typed.split())
        if typed.startswith("The cat and the dog"):
            weights = first.values("weights")
            assert weights[1][4] > weights[1][2]  # the cat attends rather to the dog than to “and”
        if vectors == "MiniLM":
            assert np.allclose(problem.query, [[*word_vectors()[word.lower()]] for word in typed.split()])

    # a long sentence is shown whole
    first.do("start")
    first.overwrite(first.find("start.sentence"), " ".join("abcdefghijklmnopqrstuvwx"), end="")
    map_of = first.find("start.map.sentence").map_of("weights")
    assert map_of.shape == (24, 24)
    assert fault(map_of) == ""
    assert "d → u (3, 20)" in hover(first, "sentence", "weights", 3, 20)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_all_of_it_and_every_bubble_lies_in_sight_and_whoever_does_what_one_says_is_led_on(launch, lang):
    person = launch(lang=lang, width=1024, height=700, page=True)
    page, maps = person.find("start"), [person.find(f"start.map.{card}") for card in ("worked", "sentence", "minilm")]
    for size in ((1024, 700), (1366, 700), (1440, 900), (1920, 1080)):
        person.window.resize(*size)
        for _ in range(3):
            QApplication.processEvents()
        assert faults((*worded(page), *maps)) == [], size
        wide = [one.width() for one in maps]
        assert max(wide) - min(wide) <= 1, size

    # every bubble lies in sight beside what it speaks of
    person.click("start.worked")
    person.wait()
    QApplication.processEvents()
    person.click("tour.skip")
    for size in ((1024, 700), (1366, 700), (1920, 1080)):
        person.window.resize(*size)
        QApplication.processEvents()
        person.do("tour")
        for name in PARTS:
            QApplication.processEvents()
            bubble = person.find("tour")
            assert (fault(bubble), faults(worded(bubble))) == ("", []), (size, name)
            part = person.find(name)
            about = QRect(part.mapTo(person.window, QPoint()), part.size())
            assert about.intersected(bubble.geometry()).isEmpty(), (size, name)
            person.press("Return")

    # whoever does what a bubble says is led on
    person.do("tour")
    person.type_into("query", 0, 0, "3")
    assert pointed_at(person) == "spine"
    person.type_into("query", 0, 0, "4")
    assert pointed_at(person) == "spine"
    person.click("node.scores")
    assert pointed_at(person) == "zone.product"
    person.click_cell("scores", 0, 1)
    assert pointed_at(person) == "zone.explain"
    person.click_cell("scores", 0, 0)
    assert pointed_at(person) == "zone.explain"
    person.click("tour.back")
    assert pointed_at(person) == "zone.product"


def test_recent_files_stand_with_their_sizes_in_sight_and_open_and_one_that_is_gone_is_said(launch, tmp_path):
    person = launch("worked-example.npz", page=False)
    person.save_as(tmp_path / "kept.attn")
    person.open(resource("examples", "smollm2-layer10.npz"))
    person.do("start")
    links = [person.find(f"start.recent.{place}") for place in (0, 1)]
    assert [link.text() for link in links] == ["smollm2-layer10.npz", "kept.attn"]
    said = [label.text() for label in person.find("start").findChildren(QWidget) if hasattr(label, "text")]
    assert {"14 × 576, 9 heads", "2 × 3"} <= set(said)
    person.click("start.recent.1")
    person.wait()
    assert not seen(person, "start")
    assert person.program.document.name == "kept"

    # a file that is gone is said above the cards
    person.save_as(tmp_path / "gone.attn")
    (tmp_path / "gone.attn").unlink()
    person.do("start")
    person.click("start.recent.0")
    assert "gone.attn" in person.banner()
    assert fault(person.find("banner")) == ""
    assert seen(person, "start")
    person.press("Esc")
    assert fault(person.find("banner")) == ""

    # a low screen, 1366 × 700 in a frame, shows all of it with recent files, in Chinese, too
    person.again("a low screen")
    person.do("language_zh")
    person.window.resize(1350, 656)
    for name in ("a", "b", "c"):
        person.save_as(tmp_path / f"{name}.attn")
    person.do("start")
    person.find("start.recent.2")
    for _ in range(3):
        QApplication.processEvents()
    assert person.find("start").verticalScrollBar().maximum() == 0


def shown(person):
    bubble = person.window.findChild(QWidget, "tour")
    return bubble is not None and not covered(bubble).isEmpty()


def pointed_at(person):
    """The part whose rectangle the ring stands in."""
    ring = next(one for one in person.window.findChildren(QWidget) if type(one).__name__ == "TourRing")
    inside = {}
    for name in PARTS:
        part = person.find(name)
        inside[name] = QRect(part.mapTo(person.window, QPoint()), part.size())
    middle = ring.geometry().center()
    return min((name for name in PARTS if inside[name].contains(middle)), key=lambda name: inside[name].height())


def test_the_first_document_brings_the_tour_and_the_page_is_gone_through_by_keys_in_both_languages(first, qtbot):
    first.click("start.worked")
    qtbot.waitUntil(lambda: shown(first))
    met = []
    for _ in PARTS:
        met.append(pointed_at(first))
        assert first.find("tour").isAncestorOf(first.focus())
        first.press("Return")
    assert met == PARTS
    assert not shown(first)
    assert first.focus().objectName() == "heatmap.weights"
    first.do("start")
    first.click("start.minilm")
    first.wait()
    QApplication.processEvents()
    assert not shown(first)

    # Tab goes down the page and F6 stays
    first.do("start")
    assert [stop.objectName() for stop in stops(first.window)][:3] == ["start.worked", "start.sentence", "start.show"]
    first.press("Tab")
    assert first.focus().objectName() == "start.worked"
    first.press("F6")
    assert first.focus().objectName() == "start.worked"
    first.press("Return")
    first.wait()
    assert first.program.document.name == "worked-example"
    assert not seen(first, "start")
    assert tuple(first.program.view.look.cell) == ("weights", 1, 1)  # the one that tells most
    first.do("start")
    first.click("start.minilm")
    first.wait()
    look = first.program.view.look
    assert (look.head, tuple(look.cell)) == (3, ("weights", 10, 13))

    # the language is switched in the status bar
    first.do("start")
    first.click("start.language")
    QApplication.processEvents()
    first.look()
    assert first.find("start.worked").text() == "打开算例"
    assert first.find("start.sentence").text() == "今天天气很好"
    assert first.find("start.map.sentence").map_of("weights").shape == (6, 6)
    assert (first.status(), first.find("start.language").text()) == ("起始页", "English")
    first.click("start.language")
    QApplication.processEvents()
    assert first.find("start.worked").text() == "Open the example"

    # the last file next time is one setting on the page and in the menu
    box = first.find("start.reopen", QCheckBox)
    first.click("start.reopen")
    assert box.isChecked()
    assert first.action("reopen_last").isChecked()
    assert first.program.settings.flag("reopen_last", False)
    first.do("reopen_last")
    assert not box.isChecked()

    # the map follows while a sentence is typed
    field = first.find("start.sentence")
    map_of = first.find("start.map.sentence").map_of("weights")
    before = map_of.grab().toImage()
    first.overwrite(field, "", end="")
    assert not first.find("start.show").isEnabled()
    first.type("今天天气很好")
    assert map_of.shape == (6, 6)
    assert map_of.grab().toImage() != before
    values = [[map_of.cell_at(i, j)[0] for j in range(6)] for i in range(6)]
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((5, 8))
    w_query, w_key = rng.standard_normal((2, 8, 8)) / np.sqrt(8)
    trace = compute(Problem(x=vectors[[0, 1, 1, 2, 3, 4]], w_query=w_query, w_key=w_key, w_value=np.eye(8)))
    assert np.allclose(values, trace["weights"][0, 0], atol=1e-12)
    assert values[1] == values[2]  # the same character has the same vector
    first.press("Return")
    first.wait()
    assert not seen(first, "start")
    assert first.program.document.problem.query_tokens == tuple("今天天气很好")
    assert first.program.document.path is None
    assert first.values("weights") == values
    assert not first.window.isWindowModified()


def test_escape_skips_it_for_good_and_the_menu_brings_it_back(first, launch, qtbot):
    first.click("start.minilm")
    qtbot.waitUntil(lambda: shown(first))
    first.press("Esc")
    assert not shown(first)
    assert not first.find("start").isVisible()
    first.leave()
    again = launch(page=True)
    again.click("start.worked")
    again.wait()
    QApplication.processEvents()
    assert not shown(again)
    again.do("start", "tour")
    assert shown(again)
    assert not again.find("start").isVisible()
    again.press("Right", "Right", "Left")
    assert pointed_at(again) == "spine"
    again.click("tour.skip")
    assert not shown(again)
