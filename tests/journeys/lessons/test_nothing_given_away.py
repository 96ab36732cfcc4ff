"""No question is answered on the screen: the number asked for is in nothing that the window says, draws or copies."""

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QTableView, QWidget

from attn_gui.document.clipboard import FORMS
from attn_gui.engine import Problem
from attn_gui.engine.grading import is_same
from attn_gui.engine.graph import indices
from attn_gui.formats import save
from attn_gui.lessons.live_numbers import cell_index
from attn_gui.views.dialogs.export_dialog import CardDialog, ExportDataDialog, ExportDialog
from attn_gui.views.map.heatmap import Heatmap
from tests.failing import share
from tests.journeys.lessons.test_lessons import WORKED, begin, state

NUMBER = re.compile(r"(?<![\w.])[−-]?\d+\.\d+(?![\w.])")


@pytest.fixture
def problem():
    random = np.random.default_rng(12).standard_normal
    weights = {f"w_{name}": random((4, 4)) for name in ("query", "key", "value")}
    return Problem(x=random((4, 4)), **weights, num_heads=2, mask=[{"kind": "causal"}])


@pytest.fixture
def person(launch, problem, tmp_path):
    path = tmp_path / "secret.npz"
    save(problem, path)
    return launch(path)


def digits(number):
    """How a number begins, whatever decimals it is written with, from three significant digits on."""
    size = f"{abs(number):.12f}".lstrip("0")
    plain = {f"{abs(number):.{places}f}" for places in (3, 4, 6)}
    power = {f"{abs(number):.{places}e}".split("e")[0] for places in (2, 3, 5)}
    return {text for text in plain | power | {size[:5]} if sum(map(str.isdigit, text.lstrip("0."))) >= 3}


def said(person):
    """Everything that the window says: texts, tips, descriptions, titles, tables, and the numbers of maps."""
    found = []
    for widget in filter(QWidget.isVisible, [person.window, *person.window.findChildren(QWidget)]):
        found += [widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.whatsThis()]
        if isinstance(widget, (QLabel, QAbstractButton, QLineEdit)):
            found.append(widget.text())
        if isinstance(widget, QComboBox):
            found += [widget.itemText(place) for place in range(widget.count())]
        if isinstance(widget, QTableView) and widget.model() is not None:
            model = widget.model()
            rows, columns = range(model.rowCount()), range(model.columnCount())
            found += [str(model.index(i, j).data(role)) for i in rows for j in columns for role in (0, 2, 11)]
    found += [action.text() + action.toolTip() for action in person.window.findChildren(type(person.action("copy")))]
    return found


def drawn(person):
    """The numbers of every map that there is, large and small."""
    found = []
    for heatmap in person.window.findChildren(Heatmap):
        if heatmap.plane is not None:
            found += list(heatmap.plane.block(*(slice(0, length) for length in heatmap.plane.shape))[0].ravel())
    return found


def copied(person, stage):
    """A whole map in every form of text."""
    person.find(f"heatmap.{stage}").setFocus()
    found = []
    for form in FORMS:
        person.do(form.action)
        found.append(QGuiApplication.clipboard().text())
    return found


def leave_out(person, stage, row, column):
    person.choose_cell(stage, row, column)
    number = person.value(stage, row, column)
    person.do("leave_out")
    person.settle("exercises", "pages", "gradients", "cell_history")
    return number


def exported(person, folder):
    """The words of the figure of the step on show, exported as SVG with its number."""

    def accept(dialog):
        dialog.set_choice(
            replace(dialog.result_choice(), format="svg", folder=str(folder), name="secret", session=True)
        )
        assert not dialog.session.isVisible(), "the session would give the number away"
        dialog.accept()

    person.answering(ExportDialog, accept, lambda: person.do("export_image"))
    person.settle("exercises", "pages", "gradients", "cell_history")
    (path,) = folder.glob("secret*.svg")
    return path.read_text(encoding="utf-8")


def is_nowhere(person, blank, folder):
    """A number that is left out."""
    number = leave_out(person, *blank)
    secret = digits(number)
    stages = person.program.computation.evaluation.stages

    def look_for(where, texts):
        leaks = [(text, part) for text in texts for part in secret if part in text]
        assert not leaks, (where, leaks[:3])

    for mode in ("product", "all_stages"):
        person.do(mode)
        person.settle("exercises", "pages", "gradients", "cell_history")
        look_for(mode, said(person))
        assert not np.isclose(np.nan_to_num(drawn(person)), number, rtol=1e-9, atol=0).any(), mode
    person.do("product")
    for stage in stages:  # every step large, some of its cells chosen and hovered, all of it copied
        person.program.view.set(stage=stage)
        columns = person.find(f"heatmap.{stage}").shape[1]
        look_for(f"copies of {stage}", copied(person, stage))
        for row in (blank[1], 0):
            person.click_cell(stage, row, min(row, columns - 1))
            person.wait()
            QTest.qWait(1)
            look_for(f"{stage}[{row}]", [*said(person), person.explanation(), person.status()])
    person.show_stage(blank[0])
    person.click_cell(*blank)
    for action in ("gradients", "verify", "relations", "retrieval", "head_contributions", "code"):
        if person.action(action).isEnabled():
            person.do(action)
            person.settle("exercises", "pages", "gradients", "cell_history")
            look_for(action, said(person))
    for dialog, action in ((ExportDataDialog, "export_data"), (CardDialog, "card")):
        person.do(action)
        assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, dialog) and one.isVisible()]
    person.show_stage(blank[0])
    figure = exported(person, folder)
    assert ">?<" in figure
    look_for("export", [figure])
    assert not person.action("set_target").isEnabled()
    assert not person.action("show_gradient").isEnabled()


def test_a_number_that_is_left_out_is_nowhere_nor_told_by_what_was_pinned_until_it_is_answered(person, tmp_path):
    for blank, lang in share(((("weights", 2, 1), "zh"), (("query", 0, 1), "en")), 2):
        (tmp_path / lang).mkdir()
        person.do(f"language_{lang}")
        is_nowhere(person, blank, tmp_path / lang)
        person.again("what was pinned before tells nothing")
    person.do("pin")
    number = leave_out(person, "weights", 2, 1)
    person.type_into("x", 0, 0, "1.5")
    person.settle("exercises", "pages", "gradients", "cell_history")
    for mode in ("show_before", "show_difference", "show_side_by_side", "show_wipe"):
        person.do(mode)
        person.settle("exercises", "pages", "gradients", "cell_history")
        assert not np.isclose(np.nan_to_num(drawn(person)), number, rtol=1e-9, atol=0).any()
        assert not [text for text in said(person) for part in digits(number) if part in text]
    person.do("end_exercise")
    person.settle("exercises", "pages", "gradients", "cell_history")
    assert np.isfinite(person.value("weights", 2, 1))

    # a right answer uncovers what was covered and opens the way on
    person.program.document.mark_kept()  # nobody is asked
    begin(person, WORKED)
    for _ in range(3):
        person.click("lesson.skip")
        person.settle("lessons")
    row, result = np.isnan, person.program.view.look.blanks
    assert {blank.stage for blank in result} == {"weights", "head_output", "concat", "output"}
    assert row([person.value("weights", 1, column) for column in (0, 1)]).all()
    assert row([person.value("head_output", 1, column) for column in (0, 1)]).all()
    assert person.value("weights", 0, 0) == 0.5
    assert "?" in person.explanation()
    assert "(1, 1) = ?" in person.status()
    assert not any("0.6405" in text or "0.641" in text for text in copied(person, "weights"))
    assert not person.find("lesson.next").isEnabled()
    person.overwrite(person.find("lesson.answer", QLineEdit), "0.64")
    person.settle("lessons")
    assert person.program.view.look.blanks == frozenset()
    assert "0.6405" in person.explanation()
    assert person.find("lesson.next").isEnabled()
    assert person.focus().objectName() == "lesson.next"


def told(person):
    """Every number with decimals in the texts, tables and explanation of the window, but for those that are given."""
    lines = [*said(person), person.explanation(), person.status()]
    found = {float(text.replace("−", "-")) for line in lines for text in NUMBER.findall(line)}
    given = np.concatenate([array.ravel() for array in person.program.document.problem.arrays().values()])
    return found - {round(float(number), decimals) for number in given for decimals in (2, 3, 4, 17)}


def given_away(person):
    """Faults of the step on show: where its screen says or draws the number that is asked for."""
    question = state(person).step.question
    answer = None if question is None else question.answer
    if answer is None:
        return
    number = answer.number(state(person).end.number_source())
    if abs(number - round(number)) > 1e-9:  # others are told apart from all that is counted by nobody
        if answer.cell is not None and np.isclose(np.nan_to_num(drawn(person)), number, rtol=1e-9, atol=0).any():
            yield f"{answer.text} is drawn"
        told_too = [text for text in told(person) if is_same(text, number, question.tolerance / 2)]
        yield from (f"{answer.text} is told: {text}" for text in told_too)
    if answer.cell is not None:
        stage, places = answer.cell
        box = indices.cell(cell_index(person.program.computation.evaluation, stage, places))
        if not np.isnan(person.program.view.shown.box(stage, box)).all():
            yield f"{answer.text} is not covered"
