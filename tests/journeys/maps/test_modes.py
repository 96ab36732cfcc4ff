"""Other forms of the window: all stages or one, large type, other colors; nothing is lost on the way."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QTabBar

from attn_gui.engine import new_problem
from attn_gui.formats import save


def test_the_keyboard_stays_in_its_map_when_all_stages_are_shown_and_when_they_go(launch, tmp_path):
    person = launch("minilm-layer2.npz")
    person.find("heatmap.weights").setFocus()
    person.do("all_stages")
    assert person.focus() is person.find("heatmap.weights")
    person.find("heatmap.scores").setFocus()
    person.do("product")
    assert person.focus() is person.find("heatmap.weights")  # the only one that is left
    person.press("Right")
    assert "(0, 0)" in person.status()

    person.again("every map of all stages is reached walked and typed into by keys")
    person.do("all_stages")
    person.find("heatmap.scores").setFocus()
    met = {person.focus().objectName()}
    for _ in range(2 * len(person.program.computation.evaluation.stages)):
        person.press("Tab")
        met.add(person.focus().objectName())
    assert {"heatmap.scaled", "heatmap.weights", "heatmap.head_output", "heatmap.concat"} <= met
    person.find("heatmap.weights").setFocus()
    person.press("Home", "Right", "Down")
    assert person.program.view.look.cell == ("weights", 1, 1)
    person.press("F2")
    assert isinstance(person.focus(), QLineEdit)
    assert person.find("heatmap.weights").isAncestorOf(person.focus())
    person.press("Esc")
    assert person.focus() is person.find("heatmap.weights")
    assert person.program.view.look.mode == "all"

    person.again("a change of mode takes the keyboard from nobody else")
    person.go_to("query", 3, 96)
    before = person.focus()
    person.do("all_stages")
    assert person.focus() is before

    person.again("a cell of another head can be chosen in concat")
    person.click("node.concat")
    person.click_cell("concat", 4, 300)
    assert "(4, 300)" in person.status()
    assert any("[4, 300]" in label.text() for label in person.find("inspector").findChildren(QLabel))

    person.again("large type makes the window compact instead of larger than the screen")
    explain = person.find("zone.explain").width()
    for _ in range(3):
        person.do("zoom_in")
    QApplication.processEvents()
    assert person.window.size().toTuple() == (1440, 900)
    assert person.find("zone.explain").width() > explain
    tabs = person.find("zone.explain").findChild(QTabBar)
    assert tabs.tabRect(tabs.count() - 1).right() < tabs.width()  # no tab is cut
    stage = person.find("heatmap.weights")
    assert min(stage.width(), stage.height()) > 200
    person.do("zoom_reset")
    QApplication.processEvents()
    assert person.find("zone.explain").width() == explain
    assert person.table("key").isVisible()  # all tables again

    person.again("other colors leave the columns as they were drawn")
    columns = person.window.columns
    columns.setSizes([400, 600, 440])
    before = columns.sizes()
    person.do("theme_dark")
    QApplication.processEvents()
    assert columns.sizes() == before
    person.do("theme_light")

    person.again("a cell that the next document does not have marks nothing there")
    # Looking for what belongs to such a cell went on for ever.
    for d_v in (3, 1):
        save(new_problem("direct", n=4, m=4, num_heads=1, d_k=1, d_v=d_v, fill="integers"), tmp_path / f"{d_v}.npz")
    person.drop(tmp_path / "3.npz")
    person.wait()
    person.do("all_stages")
    person.click_cell("head_output", 0, 2)
    assert person.program.view.look.cell == ("head_output", 0, 2)
    person.drop(tmp_path / "1.npz")
    assert person.program.view.look.cell is None
