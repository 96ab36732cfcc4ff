"""Long maps out of the window: the files are written beside the work, and can be called off."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from attn_gui.engine import Problem, compute
from attn_gui.figure.render import to_image
from attn_gui.formats import FORMATS, save
from attn_gui.views.dialogs.progress import WorkLine
from tests.journeys.files.test_exports import export

TOKENS, HEADS = 1201, 2


@pytest.fixture
def problem():
    random = np.random.default_rng(5)
    arrays = {name: random.normal(size=(TOKENS, 3 * HEADS)) for name in ("query", "key", "value")}
    return Problem(**arrays, num_heads=HEADS, mask=[{"kind": "causal"}])


@pytest.fixture
def person(launch, problem, tmp_path):
    save(problem, tmp_path / "long.attn")
    return launch(tmp_path / "long.attn")


@pytest.fixture
def out(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def shown(person):
    progress = person.find("export.progress", WorkLine)
    return progress.text() if progress.isVisible() else ""


def test_a_long_map_is_written_as_it_was_when_it_was_asked_for(person, problem, out):
    export(person, out, format="png", width="9", dpi="72")
    person.type_into("query", 1, 0, "55")
    assert person.number("query", 1, 0) == 55
    person.until(lambda: "Wrote long-weights-h0.png" in person.banner())
    image = QImage(str(out / "long-weights-h0.png"))
    assert image.width() == 256
    assert shown(person) == ""
    export(person, out, "Ctrl+Shift+E", format="npy")
    person.until(lambda: "Wrote long-weights-h0.npy" in person.banner())
    found = np.load(out / "long-weights-h0.npy")
    edited = problem.query.copy()
    edited[1, 0] = 55
    expected = compute(problem.replace(query=edited)).block("weights", 0, 0, slice(0, TOKENS), slice(0, TOKENS))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)

    person.again("what cannot be written is said")
    (out / "long-weights-h1.npy").mkdir()
    export(person, out, "Ctrl+Shift+E", format="npy", heads="1")
    person.until(lambda: "long-weights-h1.npy" in person.banner())
    assert "there is a folder of that name" in person.banner()

    person.again("the preview comes and says that cells are pooled")
    seen = []

    def look(dialog):
        preview = dialog.preview
        person.until(lambda: not (preview._timer.isActive() or preview.image().isNull()))  # that of the last field
        seen.append(dialog.preview.image().height())

    for dpi in ("72", "600"):
        export(person, out, look=look, format="png", width="9", dpi=dpi, replacing="Replace")
        person.until(lambda: "Wrote" in person.banner())
        person.find("banner").hide()
    assert seen[0] > seen[1]  # by the sentence at its foot

    person.again("a long map goes to the clipboard when it is drawn")
    person.clipboard("before")
    person.press("Ctrl+Alt+C")
    person.until(lambda: not QGuiApplication.clipboard().image().isNull())
    copied = QGuiApplication.clipboard().image()
    assert copied.width() > 2000
    whole = to_image(problem, stage="weights", dpi=200)
    assert copied.size() == whole.size()  # no word of pooling: there are pixels enough
    assert QApplication.activeModalWidget() is None


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr("attn_gui.formats.rows.AT_ONCE", 1)


@pytest.mark.parametrize("way", ["cancel", "close"])
def test_an_export_can_be_called_off(person, out, slow, way):
    (out / "long-weights-h0.npy").write_bytes(b"the old file")
    export(person, out, "Ctrl+Shift+E", format="npy", heads="all", replacing="Replace")
    person.until(lambda: shown(person) not in ("", "Exporting, 0 %"))
    person.do("export_image")
    assert "still being written" in person.banner()
    if way == "close":
        return  # the end of the program must not wait for it, nor leave anything behind
    person.click("export.cancel")
    person.until(lambda: "canceled" in person.banner())
    assert person.banner() == "The export was canceled; nothing was written."
    assert os.listdir(out) == ["long-weights-h0.npy"]
    assert (out / "long-weights-h0.npy").read_bytes() == b"the old file"
    assert shown(person) == ""


def test_too_many_numbers_for_a_text_are_refused(person, out, monkeypatch):
    monkeypatch.setitem(FORMATS, "csv", replace(FORMATS["csv"], most=10**6))
    export(person, out, "Ctrl+Shift+E", format="csv")
    person.until(lambda: "as text" in person.banner())
    assert "1,442,401 numbers as text, more than 1,000,000" in person.banner()
    assert os.listdir(out) == []
