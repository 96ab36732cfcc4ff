"""Figures mark the cells that are changed by hand, and say so under the map, whatever the device and the language."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QImage

from attn_gui.engine import Problem
from attn_gui.figure.design_tokens import THEMES
from attn_gui.figure.render import render
from tests.failing import each

RECORD = {"kind": "set", "stage": "weights", "at": {"head": 1, "query": 2, "key": (1, 4)}, "values": 0.5}


def problem_of(n=6, **more):
    rng = np.random.default_rng(3)
    return Problem(**{name: rng.normal(size=(n, 8)) for name in ("query", "key", "value")}, num_heads=2, **more)


def colors(path):
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.bytesPerLine() // 4)
    return {int(pixel) & 0xFFFFFF for pixel in np.unique(raw)}


@each("theme", ["light", "dark"])
@each("picture", ["map", "product"])
def test_cells_changed_by_hand_are_ringed_in_their_head_alone(tmp_path, theme, picture):
    problem, mark = problem_of(interventions=[RECORD]), THEMES[theme].edit.rgb() & 0xFFFFFF
    found = {}
    for head in (0, 1):
        path = tmp_path / f"{head}.png"
        render(problem, path, heads=head, theme=theme, picture=picture)
        found[head] = mark in colors(path)
    assert found == {0: False, 1: True}


@each(("lang", "words"), [("en", "changed by hand"), ("zh", "手动修改")])
def test_a_line_under_the_map_says_so(tmp_path, lang, words):
    texts = {}
    for name, records in (("with", [RECORD]), ("without", []), ("off", [{**RECORD, "enabled": False}])):
        path = tmp_path / f"{name}.svg"
        render(problem_of(interventions=records), path, heads=1, lang=lang)
        texts[name] = words in path.read_text(encoding="utf-8")
    assert texts == {"with": True, "without": False, "off": False}


def test_a_row_of_a_long_map_is_seen_although_its_cells_are_smaller_than_pixels(tmp_path):
    path = tmp_path / "long.png"
    render(problem_of(2100, interventions=[{**RECORD, "at": {"head": 1, "query": 40}}]), path, heads=1, width=10)
    assert THEMES["light"].edit.rgb() & 0xFFFFFF in colors(path)


def test_the_legend_of_a_product_is_about_all_of_its_maps(tmp_path):
    """It counted what is no number in the middle alone, and the ring around a cell of Q had no words."""
    record = {"kind": "set", "stage": "query", "at": {"row": 1, "column": 0}, "values": 0.5}
    problem = problem_of(interventions=[record])
    value = problem.value.copy()
    value[2, 0] = np.inf
    render(problem.replace(value=value), tmp_path / "a.svg", stage="scores", picture="product", heads=0)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "changed by hand" in text
    assert "∞  7" in text, "one cell of V, and its column of six in the output"
