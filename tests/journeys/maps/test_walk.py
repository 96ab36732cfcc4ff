"""The walk through one cell, by keys and mouse: what it says, what ends it, and where the keyboard is afterwards."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from attn_gui.engine import Problem
from attn_gui.views.product.product_layout import axis_labels
from attn_gui.views.walk_view import BeatBar, WalkPlayer, words_of
from tests.failing import share
from tests.seen import fault

LEFT = Qt.MouseButton.LeftButton


def player(person) -> WalkPlayer:
    return person.find("walk").findChild(WalkPlayer)


def said(person, name: str) -> str:
    return words_of(person.find(f"walk.{name}", QLabel).text())


def walked_by_space(person, stage: str, row: int, column: int) -> WalkPlayer:
    person.choose_cell(stage, row, column)
    person.press("Space")
    found = player(person)
    assert found.playing
    found.pause()  # from here on no clock
    return found


def sentences(person) -> list[str]:
    """The sentence of every step, one press of → after another."""
    person.press("Home")
    found = [said(person, "sentence")]
    for _ in range(player(person).beat, len(player(person).walk.beats) - 1):
        person.press("Right")
        found.append(said(person, "sentence"))
    return found


def test_it_is_found_played_scrubbed_and_left(person, tmp_path):
    causal = person.program.document.snapshot().replace(mask="causal")
    # the weight of the worked example is walked through by keys
    person.window.resize(1366, 700)
    found = walked_by_space(person, "weights", 1, 1)
    assert person.find("walk").hasFocus()
    assert not person.find("inspector").isVisible()
    assert found.walk.seconds == pytest.approx(8.0)
    lines = sentences(person)
    assert len(lines) == 7
    assert "0.6405" in lines[5]
    assert person.find("walk.step.6").accessibleName().endswith("2.281")
    assert fault(person.find("walk.sentence")) == ""
    assert "step 7 of 7" in person.status()
    person.press("Esc")
    assert not person.has("walk") or not person.find("walk").isVisible()
    heatmap = person.find("heatmap.weights")
    assert heatmap.isVisible()
    assert heatmap.hasFocus()
    assert person.program.view.look.cell == ("weights", 1, 1)
    assert person.find("inspector").isVisible()

    person.again("it is found")
    assert not person.action("walk").isEnabled()
    person.choose_cell("scores", 0, 0)
    person.do("walk")
    assert person.find("walk").isVisible()

    person.again("a typed number ends it at once and the status bar says so")
    walked_by_space(person, "weights", 1, 1)
    person.type_into("query", 1, 0, "1")
    assert person.find("heatmap.weights").isVisible()
    assert "Walk stopped: a number was changed" in person.status()
    assert person.table("query").hasFocus(), "typing goes on where it was"

    person.again("the bar is scrubbed and a row of the list goes to its step")
    found = walked_by_space(person, "weights", 1, 1)
    bar = person.find("walk.bar", BeatBar)
    first, fourth = bar.segments()[0], bar.segments()[3]
    person.press("Home", "Space")
    QTest.mousePress(bar, LEFT, pos=first.topLeft().toPoint())
    QTest.mouseMove(bar, fourth.center().toPoint())
    QTest.mouseRelease(bar, LEFT, pos=fourth.center().toPoint())
    assert found.beat == 3
    person.click("walk.step.1")
    assert found.beat == 1
    person.press("Esc")
    assert person.find("heatmap.weights").hasFocus()

    one = Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]])  # the shortest film
    person.again("it is written as gif beside the window", one)
    walked_by_space(person, "scores", 0, 0)
    path = tmp_path / "score.gif"

    def ask() -> None:
        person.find("walk").findChild(QMenu).actions()[0].trigger()

    person.choose_file(path, ask)
    assert person.program.late.walk.wait()
    QTest.qWait(1)
    assert QImage(str(path)).size().width() == 800
    assert "score.gif" in person.banner()

    person.again("a masked cell says why it is closed", causal)
    found = walked_by_space(person, "weights", 0, 1)
    person.press("End")
    place = next(k for k, beat in enumerate(found.walk.beats) if beat.stage == "masked")
    assert "1 > 0" in person.find(f"walk.step.{place}").accessibleName()
    assert person.find("walk.step.6").accessibleName().endswith("= 0")

    person.again("reduced motion counts steps and is remembered")
    person.do("language_zh", "reduced_motion")
    walked_by_space(person, "weights", 1, 1)
    person.press("Right")
    assert said(person, "time") == "第 2 / 7 步"
    assert "减少动态" in said(person, "about")
    person.do("reduced_motion")
    assert said(person, "time").endswith("秒")
    assert person.program.settings.text("reduced_motion", "") == "false"

    person.again("the button of the explanation does the same and another language keeps the place")
    person.choose_cell("weights", 1, 1)
    person.click("inspector.walk")
    found = player(person)
    person.press("Space", "Right", "Right")
    moment = found.seconds
    person.do("language_zh")
    assert found.seconds == pytest.approx(moment)
    assert said(person, "time").endswith("秒")
    assert "第 3 步，共 7 步" in person.status()
    person.do("theme_dark")
    assert found.seconds == pytest.approx(moment)
    person.press("Esc")
    assert person.find("inspector.walk").hasFocus(), "where the keyboard was"

    person.again("in an exercise it goes as far as the numbers that are seen")
    person.choose_cell("weights", 1, 1)
    person.do("leave_out")
    person.click_cell("weights", 1, 1)
    person.press("Space")
    found = player(person)
    found.pause()
    person.press("End")
    assert [beat.stage for beat in found.walk.beats] == ["scores", "scores", "scaled"]
    assert "0.64" not in said(person, "conclusion")
    assert "0.64" not in person.find("walk.step.2").accessibleName()

    person.again(
        "space walks from the strip and from a computed table but types in a given one", "transformer-layer.npz"
    )
    person.choose_cell("weights", 1, 1)
    node = person.find("node.scores")
    node.setFocus()
    person.press("Space")
    assert player(person).walk.title.endswith("[1, 1]")
    person.press("Esc")
    person.rest()
    assert node.hasFocus()
    person.go_to("query", 0, 5)
    person.press("Space")
    assert person.program.view.look.cell == ("query", 0, 1)
    assert "Q[0, 5]" in player(person).walk.title
    assert axis_labels(person.window.product.maps, "query")[1][1] == "5", "as the table and the walk count it"
    person.press("Esc")
    person.rest()
    person.go_to("x", 0, 0)
    person.press("Space")
    assert not person.has("walk") or not person.find("walk").isVisible()
    assert not person.find("inspector.walk.key").isVisible(), "Space types here"
    person.press("Esc")  # out of the cell: a space is no number

    for way in share(("stage", "undo", "document"), 3):
        person.again(way)
        person.type_into("query", 1, 0, "2")
        person.rest()
        walked_by_space(person, "weights", 1, 1)
        if way == "stage":
            person.click("node.weights")  # the one that is shown: the map comes back
        elif way == "undo":
            person.do("undo")
        else:
            person.program.files.open_problem(Problem(query=[[1.0]], key=[[1.0]], value=[[1.0]]), "small")
        person.wait()
        assert not any(part.isVisible() for part in person.window.findChildren(QWidget, "walk"))
        assert person.find("inspector").isVisible()
