"""The view of a walk: what is on show at a moment, its keys, its bar, and where nothing moves."""

from typing import NamedTuple

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from attn_gui.views.walk_view import BeatBar, WalkPlayer, WalkSteps, WalkView
from tests.seen import fault


class Beat(NamedTuple):
    title: str
    sentence: str
    result: str
    seconds: float
    stage: str


class Walk:
    """Three steps of a made-up walk; it remembers what it was asked to paint."""

    title, subtitle, seconds = "Walk A[1, 1]", "query 1, key 1", 4.0
    conclusion, announcement, landing = "a = 0.64", "a = …", 4.0
    starts = (0.0, 1.0, 3.0)
    beats = (
        Beat("Multiply", "One <b>times</b> two.", "1 · 2", 1.0, "scores"),
        Beat("Scale", "Divide by three.", "2 ÷ 3", 2.0, "scaled"),
        Beat("Softmax", "Exponentiate and divide.", "0.64", 1.0, "weights"),
    )

    def __init__(self) -> None:
        self.painted: list[tuple[float, bool]] = []

    def beat_at(self, seconds: float) -> tuple[int, float]:
        beat = max(place for place, start in enumerate(self.starts) if start <= seconds)
        return beat, (seconds - self.starts[beat]) / self.beats[beat].seconds

    def paint(self, painter: QPainter, rect: QRectF, seconds: float, *, still: bool = False) -> None:
        self.painted.append((seconds, still))


@pytest.fixture
def shown(qtbot):
    hosts: list[QWidget] = []

    def show(*, still: bool = False) -> tuple[WalkPlayer, WalkView, WalkSteps, Walk]:
        walk, host = Walk(), QWidget()
        host.resize(1200, 520)
        player = WalkPlayer(walk, host, still=still)
        view = WalkView(player, host)
        steps = WalkSteps(player, view, host)
        view.setGeometry(0, 0, 788, 520)
        steps.setGeometry(800, 0, 320, 520)
        qtbot.addWidget(host)
        host.show()
        host.activateWindow()
        qtbot.waitUntil(host.isActiveWindow)
        view.setFocus()
        hosts.append(host)
        return player, view, steps, walk

    return show


def at(player: WalkPlayer, share: float) -> None:
    """Let it have played so much of what is ahead, by no clock."""
    player.pause()
    player.setCurrentTime(round(share * player.duration()))


def said(view: QWidget, name: str) -> str:
    return view.findChild(QLabel, f"walk.{name}").text()


def test_it_plays_from_step_to_step_and_stands_at_the_last(shown):
    player, view, steps, _walk = shown()
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert player.playing
    at(player, 0.5)
    assert (player.seconds, player.beat, said(view, "time")) == (2.0, 1, "2.0 / 4.0 s")
    assert said(view, "sentence") == "Divide by three."
    assert view.accessibleDescription() == "Step 2 of 3: Scale. Divide by three."
    rows = [steps.findChild(QWidget, f"walk.step.{place}").accessibleName() for place in range(3)]
    assert rows == ["1. Multiply: 1 · 2", "2. Scale: 2 ÷ 3", "3. Softmax"]
    assert said(steps, "conclusion") == "a = …"
    player.resume()
    at(player, 1.0)
    assert (player.seconds, player.playing) == (4.0, False)
    assert said(steps, "conclusion") == "a = 0.64"
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert player.seconds < 1.0, "from the start again"


def test_keys_step_and_a_paused_step_shows_all_that_its_sentence_says(shown):
    player, view, _steps, _walk = shown()
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert player.beat == 1
    assert player.seconds == pytest.approx(3.0, abs=0.01), "its end"
    QTest.keyClick(view, Qt.Key.Key_End)
    assert player.seconds == 4.0
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert player.seconds == 0.0
    QTest.keyClick(view, Qt.Key.Key_Space)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert player.playing
    assert player.seconds == pytest.approx(1.0, abs=0.2), "where it plays, the beginning"


def test_where_nothing_moves_each_step_is_there_at_once(shown):
    player, view, _steps, walk = shown(still=True)
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert player.duration() == 6000, "two seconds a step"
    for share, place in ((0.1, 0), (0.3, 0), (0.4, 1), (0.6, 1), (0.7, 2)):
        at(player, share)
        view.grab()
        assert said(view, "time") == f"Step {place + 1} / 3"
    assert {round(seconds, 2) for seconds, still in walk.painted if still} == {1.0, 3.0, 4.0}
    assert "Reduced motion" in said(view, "about")


def test_another_language_names_the_steps_on_the_bar_and_has_room_for_its_sentences(shown, qtbot):
    player, view, _steps, walk = shown()
    bar, sentence, before = view.findChild(BeatBar), view.findChild(QLabel, "walk.sentence"), Walk()
    names = bar.grab().toImage()
    walk.beats = tuple(
        beat._replace(title=title, sentence=beat.sentence * 12)
        for beat, title in zip(walk.beats, ("相乘", "缩放", "归一化"), strict=True)
    )
    player.set_walk(walk)
    assert bar.grab().toImage() != names, "the names are those of the other language"
    qtbot.waitUntil(lambda: fault(sentence) == "")
    player.set_walk(before)
    assert bar.grab().toImage() == names
