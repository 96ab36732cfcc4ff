"""Cells and pixels of one axis belong to each other exactly, whatever the window and the size."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from attn_gui.pictures.geometry import Span


@st.composite
def spans(draw: st.DrawFn) -> Span:
    count, pixels = draw(st.integers(1, 60)), draw(st.integers(1, 90))
    if draw(st.booleans()):
        return Span(count, pixels)
    low = draw(st.floats(0, count - 0.5))
    return Span(count, pixels, low, low + draw(st.floats(0.5, count)))


@given(spans())
def test_bins_cover_all_pixels_and_all_cells_in_view_once(span: Span) -> None:
    assert span.pixel_edges[0] == 0
    assert span.pixel_edges[-1] == span.pixels
    assert (span.pixel_edges[1:] >= span.pixel_edges[:-1]).all()
    assert (span.cell_edges[1:] > span.cell_edges[:-1]).all()
    assert span.shown.start <= span.low
    assert span.shown.stop >= span.high


@given(spans())
@example(Span(20, 398, 0.0, 10.001))  # the last cell in view is cut so far that it has no pixel: a line there crashed
def test_every_line_between_cells_is_on_a_pixel(span: Span) -> None:
    lines = span.firsts(slice(0, span.bins))
    assert lines == sorted(set(lines))
    assert all(0 < line < span.pixels for line in lines)


@given(spans())
def test_every_pixel_finds_its_bin_and_every_cell_its_pixels(span: Span) -> None:
    for pixel in range(span.pixels):
        found = span.bin_at(pixel)
        assert found is not None
        pixels = span.pixels_of(slice(found, found + 1))
        assert pixels.start <= pixel < pixels.stop
    for cell in range(span.shown.start, span.shown.stop):
        bins = span.bins_of(slice(cell, cell + 1))
        assert bins.stop - bins.start == 1
        cells = span.cells_of(bins)
        assert cells.start <= cell < cells.stop


def test_whole_cells_take_whole_pixels() -> None:
    span = Span(7, 7 * 13)
    assert [span.pixels_of_cells(slice(k, k + 1)) for k in range(7)] == [slice(13 * k, 13 * k + 13) for k in range(7)]
    assert not span.pooled
    assert span.whole


def test_pixels_outside_and_cells_outside_belong_to_nothing() -> None:
    span = Span(10, 50, 2, 7)
    assert span.bin_at(-1) is None
    assert span.bin_at(50) is None
    for cells in (slice(0, 2), slice(7, 10)):
        bins = span.bins_of(cells)
        assert bins.stop == bins.start


def test_an_axis_without_cells_or_pixels_is_empty() -> None:
    for span in (Span(0, 20), Span(5, 0)):
        assert span.bins == 0
        assert span.bin_at(0) is None
        assert span.pixels_of_cells(slice(0, 1)) == slice(0, 0)
