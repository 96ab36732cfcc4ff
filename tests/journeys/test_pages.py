"""Pages by hand: scaling, shapes, code, ranking, mixture, relations of tokens, all heads, value-weighted attention."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from attn_gui import load
from attn_gui.cli import main
from attn_gui.engine import compute
from attn_gui.formats import save_session
from attn_gui.paths import resource
from attn_gui.views.dialogs.export_dialog import ExportDialog

SMALL = "worked-example.npz"
MINILM, PROJECTED = "minilm-layer2.npz", "thinking-machines.npz"
OVER_HEADS = "over_heads"
VALUE_WEIGHTED = "value_weighted"


@pytest.fixture
def teacher(launch):
    return launch(SMALL).beginning(lambda teacher: teacher.click_cell("weights", 1, 0))


def opened(teacher, page):
    teacher.do(page)
    teacher.settle("pages")
    return teacher.find(f"page.{page}")


def row(problem, scale, query=1):
    return compute(problem.replace(scale=scale))["weights"][0, 0, query]


def test_pages_of_a_row_of_code_and_of_values_follow_edits_and_clicks(teacher, tmp_path):
    page, problem = opened(teacher, "sqrt_d_k"), teacher.program.document.problem
    teacher.overwrite(teacher.find("page.sqrt_d_k.scale", QLineEdit), "20")
    teacher.settle("pages")
    assert [found.scale for found in page.content.rows] == [3**-0.5, 1.0, 20.0]
    for found in page.content.rows:
        assert found.weights == pytest.approx(row(problem, found.scale))
    assert [found.saturated for found in page.content.rows] == [False, False, True]
    assert "saturates at the scale 20" in page.canvas.drawing.said
    assert page.content.here == (3.0, pytest.approx(np.var(problem.query @ problem.key.T)))
    assert len(teacher.steps()) == 1  # the document is as it was

    # it follows an edit and the chosen row
    teacher.type_into("query", 1, 0, "30")
    teacher.settle("pages")
    assert page.content.rows[0].saturated
    left = page.canvas.drawing.fields[1].rect(0, 0).center()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=(page.canvas.place_of(1) * 0 + left).toPoint())
    teacher.settle("pages")
    assert page.content.row.query == 0
    assert not page.content.rows[0].saturated

    # a saved script prints the numbers of the window
    teacher.press("Ctrl+Z")
    opened(teacher, "code")
    (tmp_path / "mine.py").write_text("kept")
    save = partial(teacher.click, "button.save_code")
    assert "mine.py" in teacher.refuse_to_replace(tmp_path / "mine", save)
    assert (tmp_path / "mine.py").read_text() == "kept"
    (tmp_path / "mine.py").unlink()
    teacher.choose_file(tmp_path / "mine", save)
    assert "mine.py" in teacher.banner()
    done = subprocess.run([sys.executable, str(tmp_path / "mine.py")], capture_output=True, text=True, check=True)
    assert "weights 2 2\n[[0.5    0.5   ]\n [0.3595 0.6405]]\n" in done.stdout

    # the code follows an edit and the whole script is copied
    page = teacher.find("page.code")
    assert "[0.0, 1.0, 1.0]" in page.content.text
    teacher.type_into("query", 1, 2, "-2.5")
    teacher.settle("pages")
    assert "[0.0, 1.0, -2.5]" in page.content.text
    teacher.click("button.copy_code")
    assert QGuiApplication.clipboard().text() == page.content.text
    assert "on the clipboard" in teacher.banner()
    teacher.choose(teacher.find("page.code.language", QComboBox), "pytorch")
    teacher.settle("pages")
    assert "import torch" in page.content.text

    teacher.again("value-weighted attention stands beside the weights and follows an edit and a click")
    reader = teacher
    reader.do("output_projection")
    reader.wait()
    reader.do(VALUE_WEIGHTED)
    page = reader.find(f"page.{VALUE_WEIGHTED}")
    assert not reader.has(f"heatmap.{VALUE_WEIGHTED}"), "no stage of the window is a derived map"
    weights, found = (cells for cells, _ in page.content.maps)
    assert weights.tolist() == reader.values("weights")
    assert found.tolist() == moved(reader).tolist()
    reader.type_into("value", 1, 0, "9")
    QTest.qWait(1)
    assert page.content.maps[1][0].tolist() == moved(reader).tolist() != found.tolist()
    assert len(reader.steps()) == 3

    # a click chooses the weight and the page says what it is made of
    canvas = reader.find(f"page.{VALUE_WEIGHTED}").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1, 0).toPoint())
    assert reader.program.view.look.cell[:3] == ("weights", 1, 0)
    QTest.qWait(1)
    weight, norm, value = reader.find(f"page.{VALUE_WEIGHTED}").content.numbers
    assert value == moved(reader)[1, 0] == pytest.approx(weight * norm, rel=1e-15)
    assert f"{weight:.4g} · {norm:.4f} = {value:.4g}" in canvas.accessibleDescription()

    # it is among the stages of an export and of the command line
    def answer(dialog):
        dialog.stages.set_keys((VALUE_WEIGHTED,))
        dialog.format.set_key("svg")
        dialog.target.folder.setText(str(tmp_path))
        assert dialog.objection() == ""
        dialog.accept()

    reader.answering(ExportDialog, answer, lambda: reader.do("export_image"))
    assert "Value-weighted attention" in (tmp_path / f"worked-example-{VALUE_WEIGHTED}-h0.svg").read_text("utf-8")
    save_session(reader.program.document.snapshot(), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path), "--stage", VALUE_WEIGHTED, "head_contribution"]
    assert main([*call, "--format", "csv", "npz"]) == 0
    rows = (tmp_path / f"a-{VALUE_WEIGHTED}-h0.csv").read_text("utf-8").splitlines()
    assert np.array([row.split(",")[-2:] for row in rows[-2:]], float).tolist() == moved(reader).tolist()
    with np.load(tmp_path / "a-stages.npz") as members:
        assert members[VALUE_WEIGHTED][0, 0].tolist() == moved(reader).tolist()
        assert members["head_contribution"].shape[:2] == (1, 1)


def test_the_command_line_writes_scripts_and_pages(tmp_path, capsys):
    save_session(load(resource("examples", "worked-example.npz")), tmp_path / "a.attn")
    call = ["export", str(tmp_path / "a.attn"), "-o", str(tmp_path / "out")]
    assert main([*call, "--format", "numpy", "pytorch"]) == 0
    names = [line.rpartition("/")[2] for line in capsys.readouterr().out.split()]
    assert names == ["a-numpy.py", "a-pytorch.py"]
    assert main([*call, "--format", "numpy", "--compare", "with-scale"]) == 2
    assert "leave out --compare" in capsys.readouterr().err
    assert main([*call, "--page", "sqrt_d_k", "--set", "numbers=random", "d_k=3", "--format", "svg"]) == 0
    assert "dₖ = 8" in (tmp_path / "out" / "a-sqrt_d_k-h0.svg").read_text("utf-8")
    assert main([*call, "--page", "dimensions", "--set", "shapes=numbers", "--format", "svg", "pdf"]) == 0
    assert "2 × 3 · 3 × 2 → 2 × 2" in (tmp_path / "out" / "a-dimensions-h0.svg").read_text("utf-8")
    assert main([*call, "--page", "code", "--set", "language=pytorch", "--format", "svg", "--lang", "zh"]) == 0
    assert "import torch" in (tmp_path / "out" / "a-code-h0.svg").read_text("utf-8")


def settled(person, name):
    """What the page shows once it is there."""
    person.settle("pages")
    return person.find(f"page.{name}").content


def expected(person, head, query, keys):
    trace = compute(person.program.document.snapshot())
    weights = np.array(trace["weights"][0, head, query], float)
    width = trace["head_output"].shape[-1]
    value = np.array(trace["value"][0][:, head * width : (head + 1) * width], float)
    order = np.argsort(-weights, kind="stable")[:keys]
    return order.tolist(), weights[order, None] * value[order]


def content(person, name):
    person.wait()
    QTest.qWait(1)  # the edit is painted first
    return person.find(f"page.{name}").content


def cosine(a, b):
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def brute(person, heads, least, most):
    """Every line that there should be."""
    weights = compute(person.program.document.snapshot())["weights"][0]
    found = set()
    for head in heads:
        for query, row in enumerate(weights[head]):
            order = sorted(range(len(row)), key=lambda key, row=row: -row[key])[:most]
            found |= {(head, query, key) for key in order if row[key] >= least}
    return found


def lines(person):
    return {(line.head, line.query, line.key) for line in content(person, "relations").lines}


def test_pages_of_tokens_and_heads_follow_the_chosen_query_edits_knobs_and_lead_to_cells(launch, qtbot):
    person = launch(MINILM)
    person.do("relations")
    best = max((line for line in content(person, "relations").lines if line.query == 8), key=lambda line: line.weight)
    canvas = person.find("page.relations").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 8).toPoint())
    look = person.program.view.look
    assert (look.cell[:3], look.head) == (("weights", 8, best.key), best.head)
    assert content(person, "relations").chosen == (8, best.key)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(2 + 5).toPoint())
    assert person.program.view.look.head == 5
    assert person.program.view.look.cell[:3] == ("weights", 8, best.key)

    # the lines are the largest weights and follow edits and knobs
    assert lines(person) == brute(person, range(12), 0.1, 3)
    person.type_into("query", 10, 97, "-2.5")
    assert lines(person) == brute(person, range(12), 0.1, 3)
    person.overwrite(person.find("page.relations.least", QLineEdit), "0.3")
    person.overwrite(person.find("page.relations.most", QLineEdit), "1")
    assert lines(person) == brute(person, range(12), 0.3, 1)
    person.choose(person.find("page.relations.heads", QComboBox), "shown")
    assert lines(person) == brute(person, [person.program.view.look.head], 0.3, 1)
    person.press("Ctrl+Z")
    assert lines(person) == brute(person, [person.program.view.look.head], 0.3, 1)

    person.again("a click on a key chooses its weight and one on a bar the output", "worked-example.npz")
    person.do("retrieval")
    canvas = person.find("page.retrieval").canvas
    best = settled(person, "retrieval").found.keys[1]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(0, 1).toPoint())
    assert person.program.view.look.cell[:3] == ("weights", 0, best)
    settled(person, "retrieval")
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1).toPoint())
    assert person.program.view.look.cell[:3] == ("head_output", 0, 1)

    person.again("a button of the strip shows the mean and the largest")
    button = person.find("heads.together")
    assert not button.visibleRegion().isEmpty()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    person.wait()
    page, weights = person.find(f"page.{OVER_HEADS}"), compute(person.program.document.problem)["weights"][0]
    mean, largest = (cells for cells, _ in page.content.maps)
    np.testing.assert_allclose(mean, weights.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(largest, weights.max(axis=0), rtol=1e-6)

    # a click on the number of a head chooses its weight
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(0, 10, 13).toPoint())
    qtbot.waitUntil(lambda: page.content.cell == (10, 13))
    weights = compute(person.program.document.problem)["weights"][0, :, 10, 13]
    assert page.content.each == pytest.approx(weights.tolist(), rel=1e-6)
    assert f"/ 12 = {weights.mean():.4g}" in page.canvas.accessibleDescription()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(2, 0, 7).toPoint())
    person.wait()
    look = person.program.view.look
    assert (look.cell[:3], look.head) == (("weights", 10, 13), 7)

    # the keyboard stays on the button that makes the page large
    button = person.find("button.page_large")
    button.setFocus()
    for _ in range(2):
        person.press("Space")
        person.wait()
        assert person.focus() is button
        assert not button.visibleRegion().isEmpty()

    # one head has no such page and no button
    person.program.files.open_example_unasked("worked")
    person.wait()
    assert person.find("heads.together").visibleRegion().isEmpty()
    assert not person.action(OVER_HEADS).isEnabled()

    person.again("the ranking and the parts follow the chosen query edits and the knob")
    person.do("retrieval")
    head = person.program.view.look.head
    for query in (10, 4):
        person.click_cell("weights", query, 2)
        person.find("inspector").turn_to(person.find("panel.pages"))
        shown = settled(person, "retrieval")
        keys, parts = expected(person, head, query, 8)
        assert (shown.query, list(shown.found.keys)) == (query, keys)
        assert shown.found.parts == pytest.approx(parts, abs=1e-12)
    person.overwrite(person.find("page.retrieval.keys", QLineEdit), "3")
    person.type_into("query", 4, head * 32, "9")
    shown = settled(person, "retrieval")
    keys, parts = expected(person, head, 4, 3)
    assert list(shown.found.keys) == keys
    assert shown.found.parts == pytest.approx(parts, abs=1e-12)
    assert shown.found.others == 13

    person.again("meaning is the cosine of x and of the output", PROJECTED)
    person.do("meaning")
    for value in (None, "3"):
        if value is not None:
            person.type_into("x", 0, 1, value)
        shown, problem = content(person, "meaning"), person.program.document.snapshot()
        output = compute(problem)["output"][0]
        assert shown.before[0, 1] == pytest.approx(cosine(problem.x[0], problem.x[1]), abs=1e-14)
        assert shown.after[0, 1] == pytest.approx(cosine(output[0], output[1]), abs=1e-14)
    person.choose(person.find("page.meaning.of", QComboBox), "head")
    shown, trace = content(person, "meaning"), compute(person.program.document.snapshot())
    value = trace["value"][0]
    assert shown.before[0, 1] == pytest.approx(cosine(value[0], value[1]), abs=1e-14)
    canvas = person.find("page.meaning").canvas
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.place_of(1, 1, 0).toPoint())
    assert person.program.view.look.cell[:3] == ("head_output", 1, 0)
    assert content(person, "meaning").chosen == 1


def moved(reader):
    return compute(reader.program.document.problem)[VALUE_WEIGHTED][0, 0]
