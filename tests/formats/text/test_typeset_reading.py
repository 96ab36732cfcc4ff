"""Tables in LaTeX and Markdown as people paste them: what stands beside them, and fractions."""

from __future__ import annotations

import pytest

from attn_gui.formats import FormatError
from attn_gui.formats.text.text_table import read_table

MATRIX = r"\begin{bmatrix}1&2\\3&5\end{bmatrix}"
NUMBERS = [[1, 2], [3, 5]]


# --- beside a matrix -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\frac{1}{2}", ""),
        ("0.5 ", ""),
        ("Q = 0.5 % half of it\n", ""),
        ("-", ""),
        ("= -", ""),
        (r"2 \left(", r"\right)"),
        (r"\frac{", r"}{\sqrt{2}}"),
        (r"\operatorname{softmax}\Bigl(", r"\Bigr)"),
        ("", r"^\top"),
        ("", "^{-1}"),
        ("", "'"),
        ("", r"/\sqrt{2}"),
        ("", r"\cdot 2"),
        (r"\left[", r"\right]^T"),
        ("$", "^T$"),
        (r"\[", r" x \]"),
    ],
)
def test_what_would_change_a_matrix_is_never_dropped(before, after):
    with pytest.raises(FormatError, match="stands beside the matrix; expected"):
        read_table(before + MATRIX + after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("$", "$"),
        ("$$\n", "\n$$"),
        (r"\[ Q = ", r",\qquad \]"),
        (r"\( W_Q^\top :=", r".\)"),
        ("% of head 0\nQ = % no factor\n", " % so it is"),
        ("The queries are:\n", ""),
        (r"\begin{equation}\label{eq:q} Q =", r"\in \mathbb{R}^{2 \times 2} \end{equation}"),
        (r"\begin{align*} Q &= ", r" \\ K &= L \end{align*}"),
        (r"\left[", r"\right]"),
        (r"\bigl(", r"\bigr),"),
        (r"\left\lbrack\, ", r"\,\right\rbrack"),
        (r"\[ \resizebox{\linewidth}{!}{$Q = ", r"$} \]"),
    ],
)
def test_what_only_names_or_frames_a_matrix_may_stand_beside_it(before, after):
    assert read_table(before + MATRIX + after).values.tolist() == NUMBERS


def test_a_tabular_stands_in_prose():
    text = (
        r"\begin{table}\centering\small \caption{Head 0}\begin{tabular}{rr}1&2\\3&5\end{tabular} of layer 1\end{table}"
    )
    assert read_table(text).values.tolist() == NUMBERS


# --- cells ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (r"\frac{1}{2}", 0.5),
        (r"-\frac{1}{2}", -0.5),
        (r"- \dfrac{1}{2}", -0.5),
        (r"$-\tfrac{1}{4}$", -0.25),
        (r"-{\frac{1}{2}}", -0.5),
        (r"2 \times 10^{-3}", 2e-3),
    ],
)
def test_a_cell_of_latex_is_the_number_that_is_typeset(cell, value):
    assert read_table(rf"\begin{{bmatrix}}{cell}&2\\3&4\end{{bmatrix}}").values[0, 0] == value


@pytest.mark.parametrize(
    "cell",
    [
        r"1\frac{1}{2}",
        r"1\,\frac{1}{2}",
        r"1.{\frac{1}{2}}",
        r"\frac{1}{2}3",
        r"\frac{1}{2}\frac{1}{2}",
        r"2 \times 10^{3}4",
        r"10\frac{-1}{4}",
    ],
)
def test_numbers_side_by_side_are_not_run_together(cell):
    with pytest.raises(FormatError, match=r"row 0, column 0 is .*; expected a number"):
        read_table(rf"\begin{{bmatrix}}{cell}&2\\3&4\end{{bmatrix}}")
