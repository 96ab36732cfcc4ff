"""An exercise gives no answer away: the number left out is looked for in all that the window says and copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QTableView, QWidget

from attn_gui.document.clipboard import FORMS
from attn_gui.engine import Problem
from attn_gui.formats import save
from attn_gui.views.dialogs.card_dialog import CardDialog
from attn_gui.views.dialogs.export_data_dialog import ExportDataDialog
from attn_gui.views.dialogs.export_dialog import ExportDialog
from attn_gui.views.map.heatmap import Heatmap
from tests.failing import each

BLANKS = (("weights", 2, 1), ("head_output", 1, 0), ("scaled", 3, 2), ("query", 0, 1))
LANGUAGES = ("en", "zh", "en", "zh")


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


def settle(person):
    person.wait()
    program = person.program
    rooms, tools = program.late, program.late
    parts = rooms.exercises, rooms.pages, tools.gradients, tools.cell_history
    while any(part.busy for part in parts):
        QTest.qWait(2)
    QTest.qWait(5)


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
    heatmap = person.find(f"heatmap.{stage}")
    heatmap.setFocus()
    found = []
    for form in FORMS:
        person.do(form.action)
        found.append(QGuiApplication.clipboard().text())
    return found


def leave_out(person, stage, row, column):
    person.show_stage(stage)
    person.click_cell(stage, row, column)
    number = person.value(stage, row, column)
    person.do("leave_out")
    settle(person)
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
    settle(person)
    (path,) = folder.glob("secret*.svg")
    return path.read_text(encoding="utf-8")


@each(("blank", "lang"), [*zip(BLANKS, LANGUAGES, strict=True)])
def test_a_number_that_is_left_out_is_nowhere(person, blank, lang, tmp_path):
    person.again(str(blank))
    person.do(f"language_{lang}")
    number = leave_out(person, *blank)
    secret = digits(number)
    stages = person.program.computation.evaluation.stages

    def look_for(where, texts):
        leaks = [(text, part) for text in texts for part in secret if part in text]
        assert not leaks, (where, leaks[:3])

    for mode in ("product", "all_stages"):
        person.do(mode)
        settle(person)
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
            settle(person)
            look_for(action, said(person))
    for dialog, action in ((ExportDataDialog, "export_data"), (CardDialog, "card")):
        person.do(action)
        assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, dialog) and one.isVisible()]
    person.show_stage(blank[0])
    figure = exported(person, tmp_path)
    assert ">?<" in figure
    look_for("export", [figure])
    assert not person.action("set_target").isEnabled()
    assert not person.action("show_gradient").isEnabled()


def test_what_was_pinned_before_tells_nothing_and_after_the_exercise_all_is_there(person):
    person.do("pin")
    number = leave_out(person, "weights", 2, 1)
    person.type_into("x", 0, 0, "1.5")
    settle(person)
    for mode in ("show_before", "show_difference", "show_side_by_side", "show_wipe"):
        person.do(mode)
        settle(person)
        assert not np.isclose(np.nan_to_num(drawn(person)), number, rtol=1e-9, atol=0).any()
        assert not [text for text in said(person) for part in digits(number) if part in text]
    person.do("end_exercise")
    settle(person)
    assert np.isfinite(person.value("weights", 2, 1))


def test_a_cell_that_is_left_out_is_promised_no_formula_and_its_copy_takes_the_answer(person):
    leave_out(person, "weights", 1, 0)
    for lang, told, promised in (
        ("en", "A right answer uncovers the numbers", "its formula appears here"),
        ("zh", "盖住的数都会揭开", "这里会显示它的公式"),
    ):
        person.do(f"language_{lang}")
        words = person.explanation()
        assert " = ?" in words
        assert told in words
        assert promised not in words
    person.again("the copy of a blank takes its answer")
    number = leave_out(person, "head_output", 1, 0)
    person.show_stage("concat")
    person.click_cell("concat", 1, 0)
    person.type(f"{number:.3f}".replace("−", "-"))
    person.press("Return")
    settle(person)
    assert person.program.view.look.blanks == frozenset()
    assert person.value("concat", 1, 0) == number
