"""All heads together by hand: opened from the strip of heads, clicked through to a head, exported as a map."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from attn_gui import load
from attn_gui.cli import main
from attn_gui.engine import compute
from attn_gui.paths import resource

NAME = "over_heads"


@pytest.fixture
def person(launch):
    found = launch("minilm-layer2.npz")
    found.wait()
    return found


def test_a_button_of_the_strip_shows_the_mean_and_the_largest_and_clicks_lead_to_a_head(person, qtbot):
    button = person.find("heads.together")
    assert not button.visibleRegion().isEmpty()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    person.wait()
    page, weights = person.find(f"page.{NAME}"), compute(person.program.document.problem)["weights"][0]
    mean, largest = (cells for cells, _ in page.content.maps)
    np.testing.assert_allclose(mean, weights.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(largest, weights.max(axis=0), rtol=1e-6)

    person.again("a click on the number of a head chooses its weight")
    person.do(NAME)
    person.wait()
    page = person.find(f"page.{NAME}")
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(0, 10, 13).toPoint())
    qtbot.waitUntil(lambda: page.content.cell == (10, 13))
    weights = compute(person.program.document.problem)["weights"][0, :, 10, 13]
    assert page.content.each == pytest.approx(weights.tolist(), rel=1e-6)
    assert f"/ 12 = {weights.mean():.4g}" in page.canvas.accessibleDescription()
    QTest.mouseClick(page.canvas, Qt.MouseButton.LeftButton, pos=page.canvas.place_of(2, 0, 7).toPoint())
    person.wait()
    look = person.program.view.look
    assert (look.cell[:3], look.head) == (("weights", 10, 13), 7)

    person.again("the keyboard stays on the button that makes the page large")
    person.do(NAME)
    person.wait()
    button = person.find("button.page_large")
    button.setFocus()
    for _ in range(2):
        person.press("Space")
        person.wait()
        assert person.focus() is button
        assert not button.visibleRegion().isEmpty()

    # one head has no such page and no button
    person.program.files.begin_with_example("worked")
    person.wait()
    assert person.find("heads.together").visibleRegion().isEmpty()
    assert not person.action(NAME).isEnabled()


@pytest.mark.parametrize(("word", "rule"), [("mean", np.mean), ("largest", np.max)])
def test_the_command_line_knows_it_as_a_word_for_heads(word, rule, tmp_path):
    example = str(resource("examples/thinking-machines.npz"))
    assert main(["export", example, "-o", str(tmp_path), "--heads", word, "--format", "npy", "svg"]) == 0
    (table,) = tmp_path.glob("*.npy")
    np.testing.assert_allclose(np.load(table), rule(compute(load(example))["weights"][0], axis=0), rtol=1e-12)
    (figure,) = tmp_path.glob("*.svg")
    assert f"{word} over heads" in figure.read_text("utf-8")


def test_other_maps_have_no_mean_over_heads(tmp_path, capsys):
    example = str(resource("examples/thinking-machines.npz"))
    assert main(["export", example, "-o", str(tmp_path), "--heads", "mean", "--stage", "scores"]) == 2
    said = capsys.readouterr().err
    assert (
        "--heads is 'mean' of scores; expected all, heads such as 0,2-3, or as in --stage weights --heads mean" in said
    )
