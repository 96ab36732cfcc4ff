"""Figures that carry their session: every kind opens bit-equal, damaged ones are refused in one sentence."""

from __future__ import annotations

import re
import time
import tracemalloc
import zlib

import numpy as np
import pytest

from attn_gui import render
from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.formats import IMAGES, FormatError, load, open_file, open_small, save, session_in_figure
from attn_gui.paths import resource
from tests.mutations.pace import is_slow

KINDS = [key for key, figures in IMAGES.items() if figures.carries]


@pytest.fixture
def problem() -> Problem:
    numbers = np.random.default_rng(3)
    q, k, v = (numbers.normal(size=(3, 4)) for _ in range(3))
    q[0, 0] = -0.0
    return Problem(q, k, v, num_heads=2, mask=[{"kind": "causal"}], query_tokens=("猫", "<s>", "\ud800"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_opens_as_the_very_problem(problem, tmp_path, kind):
    render(problem, tmp_path / f"a.{kind}", heads=1)
    found = open_file(tmp_path / f"a.{kind}")
    assert found.problem == problem
    assert found.view == {"stage": "weights", "head": 1, "item": 0}


@pytest.mark.parametrize("kind", KINDS)
def test_one_without_a_session_says_so(problem, tmp_path, kind):
    render(problem, tmp_path / f"a.{kind}", session=False)
    with pytest.raises(FormatError, match="carries no session"):
        load(tmp_path / f"a.{kind}")


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_problem_goes_along_when_asked_alone(tmp_path, kind):
    large = Problem(*(np.ones((300, 400)) for _ in range(3)))
    for session, held in ((None, False), (True, True)):
        render(large, tmp_path / f"a.{kind}", session=session)
        if held:
            assert load(tmp_path / f"a.{kind}") == large
        else:
            with pytest.raises(FormatError, match="carries no session"):
                load(tmp_path / f"a.{kind}")


def test_a_figure_is_no_file_to_save_a_problem_in(problem, tmp_path):
    with pytest.raises(FormatError, match=r"unknown suffix “\.png”"):
        save(problem, tmp_path / "a.png")


def test_a_session_that_unpacks_to_more_than_its_cap_is_refused(problem, tmp_path, monkeypatch):
    monkeypatch.setattr(session_in_figure, "LARGEST", 10_000)
    path = tmp_path / "a.pdf"
    render(problem, path)
    data = path.read_bytes()
    bomb = zlib.compress((2).to_bytes(8, "little") + b"{" + bytes(10**6))
    number = re.search(rb"/EF <</F (\d+) 0 R>>", data)[1]
    start = re.search(rb"\n%s 0 obj\s*<<[^>]*>>\s*stream\r?\n" % number, data).end()
    path.write_bytes(data[:start] + bomb + data[start:])
    with pytest.raises(FormatError, match="more than 10"):
        load(path)


def _png_of(packed):
    chunk = b"zTXt" + b"attn_gui\0\0" + packed
    return b"\x89PNG\r\n\x1a\n" + (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")


@pytest.mark.parametrize("start", ["", "AgAAAAAAAAB7"])  # of nothing, and of a session
def test_a_text_that_inflates_is_no_work_for_the_window(tmp_path, start):
    """0.4 MB of it took 1.2 s of the window's thread and 0.7 GB: it was weighed as it is packed."""
    path = tmp_path / "a.png"
    path.write_bytes(_png_of(zlib.compress(start.encode() + b"A" * 100_000_000, 9)))
    tracemalloc.start()
    assert open_small(path, 4 * 2**20) is None
    if not start:
        with pytest.raises(FormatError, match="is damaged"):
            open_file(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_a_pdf_of_many_beginnings_of_its_session_is_refused_at_once(tmp_path):
    """Each was followed to the end of the file: one of half a megabyte held the window up for minutes."""
    path = tmp_path / "a.pdf"
    named = b"%PDF-1.4\n/EF <</F 5 0 R>> /Type/Filespec /Subtype/application#2Fx-attn"
    path.write_bytes(named + b"\n5 0 obj<<" * 50_000)
    began = time.process_time()
    with pytest.raises(FormatError, match="is damaged"):
        open_file(path)
    assert not is_slow(time.process_time() - began, 2.0)


def test_the_command_line_can_leave_it_out(tmp_path, capsys):
    example = resource("examples", "worked-example.npz")
    every = ["export", str(example), "-o", str(tmp_path), "--format", *KINDS]
    assert main(every) == 0
    for path in capsys.readouterr().out.split():
        assert load(path) == load(example)
    assert main([*every, "--no-session"]) == 0
    for path in capsys.readouterr().out.split():
        with pytest.raises(FormatError, match="carries no session"):
            load(path)
