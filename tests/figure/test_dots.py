"""Dots for weights that round to 0 are explained at the color bar of the figure that holds them, and nowhere else."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from attn_gui import Problem, render
from tests.failing import each

SHARP, FLAT = (Problem(query=np.eye(3) * size, key=np.eye(3) * size, value=np.eye(3)) for size in (8.0, 0.5))


def texts(path):
    return ["".join(found.itertext()) for found in ElementTree.parse(path).iter() if found.tag.endswith("}text")]


def explained(tmp_path, problem, **how):
    render(problem, tmp_path / "figure.svg", **how)
    found = texts(tmp_path / "figure.svg")
    return "·" in found, [text for text in found if text.startswith("· <")]


@each("picture", ["map", "product"])
@each("width", [None, 24])
def test_a_dot_is_explained(tmp_path, picture, width):
    assert explained(tmp_path, SHARP, picture=picture, width=width) == (True, ["· < 0.005"])


@each(
    ("problem", "how"),
    [(FLAT, {}), (SHARP, {"values": False}), (SHARP, {"stage": "scores"}), (SHARP, {"stage": "head_output"})],
)
def test_where_no_dot_stands_none_is_explained(tmp_path, problem, how):
    assert explained(tmp_path, problem, **how) == (False, [])
