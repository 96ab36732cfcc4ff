"""`attn-gui verify`: what it prints, what it refuses, and that it needs neither Qt nor a display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from attn_gui.cli import main
from attn_gui.engine import Problem
from attn_gui.engine.normalizers import Softmax
from attn_gui.formats import save
from attn_gui.paths import resource
from tests.failing import each

ROOT = Path(__file__).parents[1]
EXAMPLES = ("worked-example", "thinking-machines", "transformer-layer", "minilm-layer2", "smollm2-layer10")


def verified(path: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str], str]:
    code = main(["verify", str(path)])
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


@each("name", EXAMPLES)
def test_the_examples_are_right_to_the_last_bits(name, capsys):
    code, lines, err = verified(resource("examples", f"{name}.npz"), capsys)
    assert (code, err) == (0, "")
    assert lines[0].startswith("Recomputed all ")
    stages = [line.split()[0] for line in lines[1:] if "worst difference" in line and "cells" in line]
    assert [stage for stage in ("query", "scores", "weights", "output") if stage in stages] == [
        "query",
        "scores",
        "weights",
        "output",
    ]
    assert [line.split()[1] for line in lines if line.startswith("rows_sum_to_one")] == ["ok"]
    assert all(" FAILED " not in line for line in lines)


def test_a_sample_says_so(tmp_path, capsys):
    random = np.random.default_rng(0)
    arrays = {name: random.normal(size=(470, 4)) for name in ("query", "key", "value")}
    save(Problem(**arrays, num_heads=2), tmp_path / "large.attn")
    code, lines, _ = verified(tmp_path / "large.attn", capsys)
    assert code == 0
    assert lines[0] == "Recomputed 212 of 470 query rows in plain loops (a sample, seed 0)."


def test_a_difference_beyond_the_tolerance_is_one_sentence(capsys, monkeypatch):
    old = Softmax.forward
    monkeypatch.setattr(Softmax, "forward", lambda self, *inputs: old(self, *inputs) * 1.001)
    code, lines, err = verified(resource("examples", "worked-example.npz"), capsys)
    assert code == 2
    assert [line.split()[0] for line in lines if " FAILED " in line][:1] == ["weights"]
    assert err.startswith("attn-gui: weights differs from the reference by ")
    assert err.count("\n") == 1


def test_a_broken_invariant_is_one_sentence(capsys, monkeypatch):
    from attn_gui.engine.analysis import verification

    monkeypatch.setattr(verification, "SLACK", -1e9)  # nothing sums to one so exactly
    code, _, err = verified(resource("examples", "worked-example.npz"), capsys)
    assert code == 2
    assert err.startswith("attn-gui: rows_sum_to_one does not hold: Rows of weights ")
    assert err.count("\n") == 1


def test_it_needs_neither_qt_nor_a_display():
    code = (
        "import sys; sys.modules['PySide6'] = None; sys.modules['pyqtgraph'] = None\n"
        "from attn_gui.cli import main; sys.exit(main())"
    )
    kept = {name: value for name, value in os.environ.items() if "DISPLAY" not in name and "QT" not in name}
    done = subprocess.run(
        [sys.executable, "-c", code, "verify", resource("examples", "worked-example.npz")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=kept,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Recomputed all 2 query rows")


def test_options_given_as_arrays_are_verified_with_the_rest(tmp_path, capsys):
    cells = np.random.default_rng(0).normal(size=(4, 6))
    open_ = np.tril(np.ones((4, 4), bool))
    np.savez(tmp_path / "t.npz", query=cells, key=cells, value=cells, num_heads=2, mask=open_)
    code, lines, err = verified(tmp_path / "t.npz", capsys)
    assert (code, err) == (0, "")
    assert any(line.startswith("masked ") for line in lines)
    assert any("Weights behind a mask are exactly 0: 0 of 12" in line for line in lines)


def test_a_problem_of_which_a_part_was_left_out_is_not_blessed(tmp_path, capsys):
    cells = np.ones((4, 6))
    np.savez(tmp_path / "t.npz", query=cells, key=cells, value=cells, more=np.ones((4, 4), bool))
    code, lines, err = verified(tmp_path / "t.npz", capsys)
    assert code == 2
    assert lines
    assert err.splitlines() == [
        "attn-gui: Arrays not used: more.",
        "attn-gui: t.npz also holds more, not read: the lines above are about the rest only.",
    ]
    assert main(["export", str(tmp_path / "t.npz"), "-o", str(tmp_path), "--format", "csv"]) == 0
    assert capsys.readouterr().err == "attn-gui: Arrays not used: more.\n"
