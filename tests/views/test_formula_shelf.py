"""Formulas that come typeset: the steps of every example and new problem are there, as the typesetter sets them."""

from __future__ import annotations

import runpy
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from attn_gui.paths import resource
from attn_gui.views.formula_shelf import NAME, entry_name, ready_formula
from attn_gui.views.typeset import RoleColors, Typeset, typeset, typeset_anew

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "make_formulas.py"
COLORS = RoleColors("#204060", "#a02020", "#20a020")
SOFTMAX = r"A = \mathrm{softmax}\left(\frac{Q {K}^T}{\sqrt{d_k}} + M\right)"


@pytest.fixture(scope="module")
def formulas() -> list[str]:
    return list(runpy.run_path(str(SCRIPT))["formulas"]())


def drawn(formula: Typeset) -> np.ndarray:
    """The picture at eight pixels for each of its own, as dark as its ink."""
    image = QImage(round(formula.width * 8), round((formula.ascent + formula.descent) * 8), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(formula.svg)).render(painter)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


def test_the_shelf_holds_the_steps_of_all_usual_problems_and_nothing_else(formulas: list[str]) -> None:
    with ZipFile(resource(NAME)) as shelf:
        assert sorted(shelf.namelist()) == sorted(map(entry_name, formulas))
    assert SOFTMAX in formulas


@pytest.mark.parametrize("size", [13.0, 20.0, 34.0])
@pytest.mark.parametrize("latex", [SOFTMAX, r"S' = \frac{Q' {K'}^T}{\sqrt{d_k}}", r"K = X_2 W_K + b_K"])
def test_a_formula_of_the_shelf_is_what_the_typesetter_makes(latex: str, size: float) -> None:
    ready, anew = typeset(latex, size, COLORS), typeset_anew(latex, size, COLORS)
    assert ready_formula(latex, size, ("#204060", "#a02020", "#20a020")) == ready.svg
    for ours, theirs in ((ready.width, anew.width), (ready.ascent, anew.ascent), (ready.descent, anew.descent)):
        assert ours == pytest.approx(theirs, abs=0.02)
    apart = np.abs(drawn(ready) - drawn(anew)).max(axis=-1)
    assert (apart > 128).mean() < 0.002
    assert (drawn(ready).min(axis=-1) < 128).mean() > 0.02


def test_what_is_not_on_the_shelf_is_typeset() -> None:
    assert ready_formula("a + 17", 20.0, ("#204060", "#a02020", "#20a020")) is None
    assert typeset("a + 17", 20.0, COLORS).width > 20
