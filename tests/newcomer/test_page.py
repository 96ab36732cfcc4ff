"""A new page in this one file: it is in the menu, the search and the window, follows edits, and is exported.

It shows how far each query's row of weights is from uniform, as bars.
"""

from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from attn_gui import render
from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.figure.design_tokens import FONT_SIZE
from attn_gui.figure.figure_kinds import PAGES
from attn_gui.figure.pages.page_kind import (
    ChoiceOption,
    NumberOption,
    PageCell,
    PageDrawing,
    PageKind,
    PageSpot,
    SpotGrid,
    with_frame,
)
from attn_gui.figure.writers import write_line
from attn_gui.formats import save
from attn_gui.languages import page_words
from attn_gui.views.dialogs.action_search import ActionSearch
from attn_gui.views.dialogs.export_dialog import ExportDialog
from tests.failing import each

SMALL = "worked-example.npz"
ROW = 20.0
ORDERS = {"rows": page_words("Rows in order"), "size": page_words("Rows by size")}


class Peaks(PageKind):
    """The largest weight of every row less the uniform one, times a factor."""

    name = "peaks"
    title = "Peaks of the rows"
    words = "sharp 尖锐"
    needs = "Needs at least two keys"
    options = (
        ChoiceOption("order", "order", "Which order the rows have", ORDERS),
        NumberOption("factor", "factor", "What each number is multiplied by", 1.0, lambda _c, _v, value: value > 0),
    )

    def applies(self, problem):
        return problem.m > 1

    def read(self, evaluation, context, tell):
        problem = evaluation.problem
        rows = evaluation.block("weights", context.batch, context.head, slice(0, problem.n), slice(0, problem.m))
        peaks = context.options["factor"] * (rows.max(axis=1) - 1 / problem.m)
        order = np.argsort(-peaks) if context.options["order"] == "size" else np.arange(problem.n)
        tell(1.0)
        return [(int(row), float(peaks[row])) for row in order]

    def plan(self, content, style, size):
        high = ROW * len(content)
        frame = with_frame(style, size, title=self.title, tall=lambda across: high, least=(100, high))

        def paint(painter):
            frame.paint(painter)
            for place, (row, peak) in enumerate(content):
                top = frame.body.top() + place * ROW
                painter.fillRect(QRectF(frame.body.left(), top, peak * 100, ROW - 2), style.theme.query)
                at = QRectF(frame.body.left(), top, 1, ROW).bottomLeft()
                write_line(painter, at, f"row {row}: {peak:.3f}", style.theme.text, FONT_SIZE.small)

        place = QRectF(frame.body.left(), frame.body.top(), frame.body.width(), high)

        def spot(number, _column):
            row, peak = content[number]
            return PageSpot(f"row {row} is {peak:.3f} above uniform", PageCell("weights", row, 0))

        fields = (SpotGrid(place, spot, len(content)),)
        return PageDrawing(frame.width, frame.height, self.title, "Peaks, row by row", paint, fields)


@pytest.fixture(autouse=True)
def peaks(monkeypatch):
    monkeypatch.setitem(PAGES, "peaks", Peaks())


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    return Problem(query=rng.normal(size=(5, 3)), key=rng.normal(size=(7, 3)), value=rng.normal(size=(7, 2)))


def texts(path):
    return [element.text for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


# --- files ---------------------------------------------------------------------------------------
def test_it_is_rendered_and_written_by_the_command_line(problem, tmp_path, capsys):
    save(problem, tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--page", "peaks", "--format", "svg", "pdf", "png"]
    assert main(call) == 0
    written = capsys.readouterr().out.split()
    assert [name.rpartition("/")[2] for name in written] == ["a-peaks-h0.svg", "a-peaks-h0.pdf", "a-peaks-h0.png"]
    told = texts(tmp_path / "a-peaks-h0.svg")
    assert told[0] == "Peaks of the rows"
    assert main([*call, "--set", "factor=2", "order=size"]) == 0
    rows = [float(text.partition(": ")[2]) for text in texts(tmp_path / "a-peaks-h0.svg")[1:]]
    assert rows == sorted(rows, reverse=True)
    assert sorted(rows) == pytest.approx(sorted(2 * float(text.partition(": ")[2]) for text in told[1:]), abs=2e-3)
    assert render(problem, picture="peaks", set={"factor": 2}).image().width() > 100


@each(
    ("words", "said"),
    [
        (["--page", "peak"], "There is no page 'peak'; there are curve, "),
        (["--page", "peaks", "--set", "factor=-1"], "factor cannot be '-1' here"),
        (["--page", "peaks", "--set", "order=down"], "expected one of rows, size"),
        (["--page", "peaks", "--set", "speed=1"], "There is nothing to set called 'speed'; there is order, factor."),
        (["--page", "curve"], "Needs keys and values of one column"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(problem, tmp_path, capsys, words, said):
    save(problem, tmp_path / "a.attn")
    assert main(["export", str(tmp_path / "a.attn"), "-o", str(tmp_path / "out"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("out/*"))


# --- the window ----------------------------------------------------------------------------------
def spots(person):
    field = person.find("page.peaks").canvas.drawing.fields[0]
    return [field.spot(row, 0).text for row in range(field.rows)]


def expected(person, factor=1.0):
    weights = np.array(person.values("weights"))
    return [f"row {row} is {factor * (weights[row].max() - 0.5):.3f} above uniform" for row in range(2)]


def test_it_is_found_follows_edits_and_knobs_says_what_it_needs_is_made_large_and_painted_alike_in_its_file(
    launch, tmp_path
):
    person = launch(SMALL)

    def look(dialog):
        offers = {offer.action.objectName(): offer for offer in dialog._offers}
        assert offers["action.peaks"].needs == "Needs at least two keys"
        assert offers["action.peaks"].distance("sharp", 4) is not None
        assert offers["action.peaks"].path == "View › Pages › Peaks of the rows"
        dialog.reject()

    person.answering(ActionSearch, look, lambda: person.do("search_actions"))
    assert person.find("menu.pages").actions()[-1] is person.action("peaks")
    person.do("peaks")
    assert person.find("page.peaks").isVisible()
    assert person.find("page.peaks").canvas.accessibleName() == "Peaks of the rows"
    assert spots(person) == expected(person)
    person.type_into("query", 0, 0, "7")
    person.wait()
    QTest.qWait(1)
    assert spots(person) == expected(person)
    person.overwrite(person.find("page.peaks.factor", QLineEdit), "3")
    assert spots(person) == expected(person, 3.0)
    person.choose(person.find("page.peaks.order", QComboBox), "size")
    heights = [float(text.split()[3]) for text in spots(person)]
    assert heights == sorted(heights, reverse=True)
    person.size("m", 1)
    person.wait()
    QTest.qWait(1)
    assert not person.action("peaks").isEnabled()
    assert "Needs at least two keys" in person.explanation()
    person.press("Ctrl+Z")
    person.wait()
    QTest.qWait(1)
    heights = [float(text.split()[3]) for text in spots(person)]
    assert heights == sorted(heights, reverse=True)

    person.choose(person.find("page.peaks.order", QComboBox), "rows")
    person.again("its cells are chosen, it is made large and its file is painted alike")
    person.do("peaks")
    canvas = person.find("page.peaks").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 1).toPoint())
    assert person.program.view.look.cell[:3] == ("weights", 1, 0)
    canvas.setFocus()
    person.press("Up")
    assert canvas.accessibleDescription().startswith("row 0 is ")
    person.press("Return")
    assert person.program.view.look.cell[:3] == ("weights", 0, 0)
    beside = canvas.width()
    person.click("button.page_large")
    assert canvas.width() > 1.5 * beside
    assert not person.find("heatmap.weights").isVisible()
    person.do("product")
    assert canvas.width() == beside
    person.overwrite(person.find("page.peaks.factor", QLineEdit), "2")

    def answer(dialog):
        assert dialog.picture.currentData() == "peaks"
        dialog.format.set_key("svg")
        dialog.target.folder.setText(str(tmp_path))
        dialog.accept()

    person.answering(ExportDialog, answer, lambda: person.click("button.page_export"))
    told = texts(tmp_path / "worked-example-peaks-h0.svg")
    assert told[1:] == [text.replace(" is ", ": ").removesuffix(" above uniform") for text in spots(person)]
