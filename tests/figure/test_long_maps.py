"""Maps of more cells than pixels, and maps too long to be held: pooled, streamed to the file, and said so."""

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from attn_gui.engine import DenseEvaluation, Plane, Problem
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.evaluation.streaming import StreamingEvaluation
from attn_gui.figure import heatmap, writers
from attn_gui.figure.compose import compose_figure, evaluation_of_source
from attn_gui.figure.export_settings import ExportSettings
from attn_gui.figure.figure_kinds import map_pixels
from attn_gui.figure.heatmap_layout import plan
from attn_gui.figure.render import FigureFile, page_of, render, write, write_page
from attn_gui.figure.writers import PX_PER_CM
from tests.failing import each, share
from tests.seen import pixels_of

ROWS, COLUMNS = 331, 397
NOTE = "Pooled: each pixel shows the cell of largest magnitude among up to {} × {} cells."


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Two heads of n = 331, m = 397, d_k = 5; causal, with one key that outshines the others and one that is NaN."""
    random = np.random.default_rng(7)
    query, key = random.normal(size=(ROWS, 10)), random.normal(size=(COLUMNS, 10))
    key[3] *= 9
    key[300, 5:] = np.nan
    return Problem(query=query, key=key, value=random.normal(size=(COLUMNS, 6)), num_heads=2, mask=[{"kind": "causal"}])


@pytest.fixture
def long(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> Problem:
    """The same, for a computer that can hold next to nothing."""
    monkeypatch.setattr("attn_gui.engine.evaluation.trace.DENSE", 100)
    monkeypatch.setattr(heatmap, "STRIP", 997)
    return problem


@each("form", ["png", "svg", "pdf"])
def test_pixels_that_no_file_may_hold_are_refused_before_one_is_read(
    long: Problem, form: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """30,000 tokens at 2,400 dots per inch would be read as 7 GB, and that for every head, and thrown away."""
    monkeypatch.setattr(writers, "MOST_PIXELS", 5_000)
    monkeypatch.setattr(Plane, "pooled_once", lambda *_: pytest.fail("it was read"))
    monkeypatch.setattr(Plane, "block", lambda *_: pytest.fail("it was read"))
    with pytest.raises(ValueError, match="pixels"):
        render(long, tmp_path / f"a.{form}", dpi=600)


def texts(path: Path) -> str:
    found = ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return " ".join((element.text or "").strip() for element in found)


def apart(one: QImage, other: QImage) -> float:
    """The share of pixels that differ by more than the rounding of soft edges."""
    channels = (pixels_of(image)[..., None].view(np.uint8).astype(int) for image in (one, other))
    return float((abs(np.subtract(*channels)).max(axis=-1) > 16).mean())


@each("stage", ["masked", "weights", "key", "output"], one_of=4)
def test_a_picture_holds_the_largest_of_every_block(
    problem: Problem, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    monkeypatch.setattr(heatmap, "STRIP", 997)
    dense, streaming = DenseEvaluation(problem), StreamingEvaluation(problem)
    for head in (0, 1):
        plane = Plane(dense, stage, 0, head)
        values, allowed = plane.block(*map(slice, plane.shape))
        for rows, columns in ((31, 37), (ROWS, 53), (1000, 1000), (1, 1)):
            expected, opened = pool(values, allowed, rows, columns)
            found, found_open = heatmap.picture(Plane(streaming, stage, 0, head), rows, columns)
            np.testing.assert_allclose(found[opened], expected[opened], rtol=1e-9, atol=1e-14)
            assert found_open is None if opened is None else np.array_equal(found_open, opened)


def test_a_figure_says_when_pixels_are_fewer_than_cells(problem: Problem, long: Problem, tmp_path: Path) -> None:
    dense = DenseEvaluation(problem)
    layout = plan(compose_figure(dense, ExportSettings(stage="weights"), (0,)), 9.0 * PX_PER_CM)
    for source in (dense, long):
        for dpi, times in ((60, True), (300, False)):
            options = ExportSettings(stage="weights", width=9.0, dpi=dpi)
            page = page_of(evaluation_of_source(source, options.stage), options, (0,), FigureFile("png", dpi))
            write_page(page, FigureFile("svg", dpi), tmp_path / "p.svg")  # whose texts can be read
            found = texts(tmp_path / "p.svg").replace("  ", " ")
            rows, columns = map_pixels(layout, 1.0, dpi)
            wanted = NOTE.format(-(-ROWS // rows), -(-COLUMNS // columns))[:-1]
            assert (wanted in found) == times
            assert ("Pooled" in found) == times
            assert f"{ROWS} × {COLUMNS}" in found
    write(dense, tmp_path / "a.svg", width=9.0, dpi=60)
    assert "Pooled" not in texts(tmp_path / "a.svg")  # a pixel a cell
    write(long, tmp_path / "a.svg", width=9.0, dpi=60)
    assert NOTE.format(2, 3)[:-1] in texts(tmp_path / "a.svg").replace("  ", " ")
    write(long, tmp_path / "b.svg", width=5.0, dpi=60, lang="zh")
    assert "已合并：每个像素显示至多" in texts(tmp_path / "b.svg").replace(" ", "")


def test_bands_are_the_picture_as_a_whole(problem: Problem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Text, hatches, frames, maps with more and with fewer cells than pixels: no seam."""
    for shape, dpi in share((((ROWS, COLUMNS), 90), ((6, 7), 201)), 2):
        small = problem.replace(
            query=problem.query[: shape[0]], key=problem.key[: shape[1]], value=problem.value[: shape[1]]
        )
        for band in (1 << 30, 20011):
            monkeypatch.setattr("attn_gui.figure.writers.BAND", band)
            looks = {"heads": [0, 1], "sheet": True, "dpi": dpi, "width": 11.0, "theme": "dark"}
            write(DenseEvaluation(small), tmp_path / f"{band}.png", stage="masked", **looks)
        whole = QImage(str(tmp_path / f"{1 << 30}.png"))
        assert whole.text("Title") == "Masked scores"
        assert whole.dotsPerMeterX() == whole.dotsPerMeterY() == round(dpi / 0.0254)
        assert apart(QImage(str(tmp_path / "20011.png")), whole) < 0.0005


def test_progress_rises_to_the_end_and_can_break_off(long: Problem, tmp_path: Path) -> None:
    told: list[float] = []
    target = tmp_path / "a.png"
    write(long, target, heads=[0, 1], sheet=True, dpi=50, width=12.0, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert len(told) > 10
    before = target.read_bytes()

    def enough(share: float) -> None:
        if share > 0.7:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(long, target, heads=[0, 1], sheet=True, dpi=50, width=13.0, progress=enough)
    assert target.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.png"]
