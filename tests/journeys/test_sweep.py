"""Long pages: a sweep by hand, and clicks that change nothing of what a page reads, which neither stop nor drop it."""

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QImageReader
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QSlider

from attn_gui.cli import main
from attn_gui.engine import compute
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.paths import resource
from tests.failing import each
from tests.journeys.conftest import Person
from tests.journeys.gate import Gate

SMALL = "worked-example.npz"
PATH = resource("examples", SMALL)
TEXT, SECOND = "k x b p f k x b p", "k x b p h k x b p"


@pytest.fixture
def person(launch):

    def begin(person):
        person.click_cell("weights", 1, 0)
        person.do("sweep")
        person.settle("pages")

    return launch(SMALL).beginning(begin)


def shown(person):
    return person.find("page.sweep").content


def entropy(problem, **changes):
    row = compute(problem.replace(**changes))["weights"][0, 0, 1]
    return -(row * np.log2(row)).sum()


def test_the_curve_is_that_of_the_row_follows_edits_and_other_rows_and_leaves_the_document(person):
    found, problem = shown(person), person.program.document.problem
    assert found.row.query == 1
    assert found.readings.tolist() == pytest.approx([entropy(problem, scale=value) for value in found.values])
    assert found.readings[0] == pytest.approx(1)
    for end in ("low", "high"):  # twice 1 / √dₖ, with all its digits
        field = person.find(f"page.sweep.{end}", QLineEdit)
        assert field.width() > field.fontMetrics().horizontalAdvance(field.text())
    assert len(person.steps()) == 1
    before = found.readings
    person.type_into("query", 1, 0, "3")
    person.settle("pages")
    assert shown(person).readings[-1] != before[-1]
    person.click_cell("weights", 0, 1)
    person.settle("pages")
    assert shown(person).row.query == 0

    person.again("the slider and a click on a map move the value without computing")
    slider, canvas = person.find("page.sweep.place", QSlider), person.find("page.sweep").canvas
    readings = shown(person).readings
    slider.setFocus()
    person.press("Home", "Right", "Right")
    assert shown(person).place == 2
    assert shown(person).readings is readings
    last = len(canvas.drawing.fields) - 1
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(last).toPoint())
    assert shown(person).place == slider.value() == len(readings) - 1
    canvas.setFocus()
    person.press("Left", "Return")
    assert shown(person).place < len(readings) - 1

    person.again("the ends and the number of values are typed and what runs and is read is chosen")
    person.overwrite(person.find("page.sweep.low", QLineEdit), "0.5")
    person.overwrite(person.find("page.sweep.steps", QLineEdit), "3")
    person.settle("pages")
    assert len(shown(person).values) == 3
    assert shown(person).values[0] == 0.5
    person.overwrite(person.find("page.sweep.steps", QLineEdit), "1")  # no sweep: the usual number stays
    person.settle("pages")
    assert len(shown(person).values) == 25
    person.choose(person.find("page.sweep.quantity", QComboBox), "temperature")
    person.choose(person.find("page.sweep.reading", QComboBox), "largest")
    person.settle("pages")
    found, problem = shown(person), person.program.document.problem
    assert found.now == 1.0
    wanted = [compute(problem.replace(temperature=value))["weights"][0, 0, 1].max() for value in found.values]
    assert found.readings.tolist() == pytest.approx(wanted)


def test_the_command_line_writes_the_strip_and_the_frames(tmp_path, capsys):
    call = ["export", str(PATH), "-o", str(tmp_path), "--page", "sweep", "--cell", "1,0", "--dpi", "40"]
    assert main([*call, "--set", "part=strip", "quantity=d_k", "reading=score_variance", "--format", "svg"]) == 0
    assert "dₖ of random Q and K" in (tmp_path / "worked-example-sweep-h0.svg").read_text("utf-8")
    assert main([*call, "--set", "steps=3", "--frames"]) == 0
    assert [line.rpartition("/")[2] for line in capsys.readouterr().out.split()[1:]] == [
        f"worked-example-sweep-h0-{place:03d}.png" for place in range(3)
    ]
    assert main([*call[:4], "--page", "head_contributions", "--frames"]) == 2
    assert "has no slider" in capsys.readouterr().err


def test_a_gif_moves_and_shows_what_the_numbered_pictures_show(tmp_path, capsys):
    call = ["export", str(PATH), "-o", str(tmp_path), "--page", "sweep", "--cell", "1,0", "--dpi", "60"]
    assert main([*call, "--set", "steps=4", "--format", "gif"]) == 0
    stem = tmp_path / "worked-example-sweep-h0"
    assert capsys.readouterr().out.split() == [f"{stem}.gif"]
    assert main([*call, "--set", "steps=4", "--format", "png", "--frames"]) == 0
    reader = QImageReader(f"{stem}.gif")
    assert reader.supportsAnimation()
    assert reader.loopCount() == -1  # again and again
    frames = [reader.read() for _ in range(reader.imageCount())]
    assert len(frames) == 4
    for place, frame in enumerate(frames):
        still = QImage(f"{stem}-{place:03d}.png")
        assert frame.size() == still.size()
        assert frame.pixelColor(0, 0) == still.pixelColor(0, 0) == QColor("white")
        apart = pixels(frame) - pixels(still)
        assert np.abs(apart).mean() < 1.0  # of 255: 256 colors for all frames
        assert np.abs(apart).max() < 64


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4).astype(int)


@each(
    ("words", "said"),
    [
        (["quantity=color"], "quantity cannot be 'color' here; expected one of scale, temperature"),
        (["reading="], "reading cannot be '' here; expected one of entropy"),
        (["low=nan"], "low cannot be 'nan'"),
        (["quantity=temperature", "low=0"], "low cannot be '0'"),
        (["quantity=d_k", "high=1e9"], "high cannot be '1e9'"),
        (["steps=1"], "steps cannot be '1'"),
        (["steps=1000000000"], "steps cannot be '1000000000'"),
        (["steps=" + "9" * 5000], "steps cannot be"),
        (["place=25"], "place cannot be '25'"),
        (["speed=2"], "There is nothing to set called 'speed'"),
    ],
)
def test_what_cannot_be_swept_is_said_in_one_sentence(tmp_path, capsys, words, said):
    call = ["export", str(PATH), "-o", str(tmp_path / "out"), "--page", "sweep", "--format", "gif"]
    assert main([*call, "--set", *words]) == 2
    found = capsys.readouterr()
    assert said in found.err
    assert (found.out, found.err.count("\n")) == ("", 1)
    assert not (tmp_path / "out").exists()


@pytest.fixture
def gate(monkeypatch):
    """In the way of the page of patching once it has begun."""
    gate, read = Gate(), type(PAGES["patching"]).read

    def held(page, evaluation, aim, tell):
        gate.hold_telling(tell)
        return read(page, evaluation, aim, tell)

    monkeypatch.setattr(type(PAGES["patching"]), "read", held)
    yield gate
    gate.open()


@pytest.fixture
def toy(launch):
    return launch("worked-example.npz", lang="zh", width=1366, height=700).beginning(
        partial(Person.open_toy, text=TEXT, other=SECOND)
    )


def page(person):
    return person.find("page.patching")


def progress(person):
    return person.find("page.patching.progress")


def test_another_head_and_layer_leave_the_page_that_is_computed_alone(toy, gate, qtbot):
    toy.do("patching")
    gate.await_work()
    qtbot.waitUntil(lambda: "50" in progress(toy).text())
    toy.click_head(0, 2)
    toy.click_head(1, 1)
    qtbot.waitUntil(lambda: toy.program.document.study.layer == 1)
    qtbot.waitUntil(lambda: not toy.program.late.model.busy)
    qtbot.waitUntil(lambda: progress(toy).isVisible())
    assert "50" in progress(toy).text(), "it has begun anew"
    gate.open()
    toy.settle("pages")
    shown = page(toy).content
    assert (shown.layer, shown.shares.shape) == (1, (2, 4)), "the layer on the table is the marked one"
    toy.press("Ctrl+Z")
    toy.settle("pages")
    assert page(toy).content.layer == 0
    assert page(toy).content.shares is shown.shares
