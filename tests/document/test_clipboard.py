from __future__ import annotations

import numpy as np
import pytest

from attn_gui.document import clipboard
from attn_gui.document.clipboard import BlockError, parse_block, read_block

TWO = [[1.5, -2.0, 3.0], [0.25, 5.0, 1e-3]]


@pytest.mark.parametrize(
    "text",
    [
        "1.5\t-2\t3\n0.25\t5\t1e-3",
        "1.5\t−2\t3\r\n1/4\t5\t1e-3\r\n",
        "1.5,-2,3\n0.25,5,1e-3\n",
        "1.5, -2, 3,\n0.25, 5, 1e-3",
        "\ufeff1.5;-2;3\n0.25;5;1e-3",
        "1.5 -2  3\n 0.25 5 1e-3\n\n",
        '"1.5","-2","3"\n"0.25","5","1e-3"',
        "[[1.5, -2, 3], [0.25, 5, 1e-3]]",
        "[1.5, -2, 3]\n[0.25, 5, 1e-3]",
        "[1.5 -2 3; 0.25 5 1e-3]",
        "1.5 -2 3; 0.25 5 1e-3",
        "((1.5, -2, 3), (0.25, 5, 1e-3))",
        "[(1.5, -2, 3), (0.25, 5, 1e-3)]",
        "Q = np.array([[1.5, -2, 3], [0.25, 5, 1e-3]])",
        "[[np.float64(1.5), np.float64(-2.0), np.float64(3.0)], [0.25, 5, 1e-3]]",
        "[[ 1.5   -2.     3.   ]\n [ 0.25   5.     0.001]]",
        "[[ 1.5   -2.\n   3.   ]\n [ 0.25   5.\n   0.001]]",
        "array([[ 1.5 , -2.  ,  3.  ],\n       [ 0.25,  5.  ,  0.001]], dtype=float32)",
        "tensor([[ 1.5000, -2.0000,  3.0000],\n        [ 0.2500,  5.0000,  0.0010]])",
        "tensor([[1.5, -2., 3.], [0.25, 5., 1e-3]], device='cuda:0', dtype=torch.float64, grad_fn=<AddmmBackward0>)",
        "tensor([[[1.5, -2., 3.], [0.25, 5., 1e-3]]], requires_grad=True)",
        "\\begin{pmatrix} 1.5 & -2 & 3 \\\\ \\frac{1}{4} & 5 & 1e-3 \\end{pmatrix}",
        "$$\\left[\\begin{array}{r|rr}\n1.5 & -2 & 3 \\\\[2pt]\\hline\n\\frac{1}{4} & 5 & 1e-3\n\\end{array}\\right]$$",
        "1.5 & -2 & 3 \\\\\n0.25 & 5 & 1e-3 \\\\",
        "１．５\t－２\t３\n０．２５\t５\t１ｅ－３",
        "１．５，－２，３\n０．２５，５，１ｅ－３",
        "1.5、-2、3\n0.25、5、1e-3",
        "a\tb\tc\n1.5\t-2\t3\n0.25\t5\t1e-3",
        "it\t1.5\t-2\t3\n[CLS]\t0.25\t5\t1e-3",
        "\t96\t97\t98\nit\t1.5\t-2\t3\n7\t0.25\t5\t1e-3",
        "\t96\t97\t98\n3\t1.5\t-2\t3\n4\t0.25\t5\t1e-3",
        "token,q0,q1,q2\nit,1.5,-2,3\nwas,0.25,5,1e-3",
        "      0   1      2\n0  1.50  -2  3.000\n1  0.25   5  0.001",
        "1,5\t-2\t3\n0,25\t5\t1e-3",
        "1,5;-2;3\n0,25;5;0,001",
    ],
)
def test_every_layout_gives_the_same_matrix(text: str) -> None:
    assert parse_block(text).tolist() == TWO


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("3.5", [[3.5]]), ("1 2 3", [[1, 2, 3]]), ("1\n2", [[1], [2]]), ("[1, 2]", [[1, 2]]), ("[1; 2]", [[1], [2]]),
        ("[[1], [2]]", [[1], [2]]), ("tensor([1., 2.])", [[1, 2]]), ("1,2\n3,4", [[1, 2], [3, 4]]),
        ("$\\begin{bmatrix} 1 \\\\ \\infty \\end{bmatrix}$", [[1], [np.inf]]), ("1;2;3", [[1, 2, 3]]),
        ("∞ -inf 1e-3", [[np.inf, -np.inf, 1e-3]]), ("[[True, False], [False, True]]", [[1, 0], [0, 1]]),
        ("True False", [[1, 0]]), ("x y\n1 2", [[1, 2]]), ("0\t1\n2\t3", [[0, 1], [2, 3]]),
    ],
)  # fmt: skip
def test_small_and_odd_shapes(text: str, rows: list[list[float]]) -> None:
    assert parse_block(text).tolist() == rows


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no numbers"), (" \n\t\n", "holds no numbers"), ("[]", "holds no numbers"),
        ("1\t2\n3", "Row 1: expected 2 numbers as in row 0, got 1"),
        ("[[1, 2], [3, 4, 5]]", "Row 1: expected 2 numbers as in row 0, got 3"),
        ("1 2\n3 4\n5", "Row 2: expected 2"), ("1\n\n3", "Row 1: expected 1 numbers as in row 0, got 0"),
        ("1 & 2 \\\\ 3", "Row 1: expected 2"),
        ("1\t2\nx\t4", "Row 1, column 0: “x” is not a number"), ("x\t2\t3\n4\t5\t6", "Row 0, column 0: “x”"),
        ("1.2e\n3", "Row 0, column 0: “1.2e”"), ("abc", "Row 0, column 0: “abc”"), ("1_0 2", "Row 0, column 0: “1_0”"),
        ("1\t\t3", "Row 0, column 1: A cell needs a number"), ("1\t1e999", "Row 0, column 1: “1e999” is too large"),
        ("[[1, 2], [3, 4j]]", "Row 1, column 1: “4j”"), ("1 0x2", "column 1: “0x2”"), ("1 ٣", "column 1: “٣”"),
        ("1,5", "use a point"), ("1,5 2,5", "use a point"), ("0,05\n1,10", "use a point"),
        ("1,234.5\t6", "use a point"), ("1,5\t2,5\nx\t1", "use a point"),
        ("[[1, 2, ..., 3]]", "shortened"), ("[[1 ... 2]\n ...\n [3 ... 4]]", "shortened"), ("1 2 ... 3", "shortened"),
        ("[[1, 2]", "do not match"), ("[1, 2]]", "do not match"), ("[[1, 2], [3, 4]] and more", "do not match"),
        ("[1,, 2]", "missing beside a comma"), ("[[[1, 2]], [[3, 4]]]", "2 matrices"),
        ("\\begin{pmatrix}1\\end{pmatrix}\\begin{pmatrix}2\\end{pmatrix}", "2 matrices"),
        ('"' + "1" * 200_000 + '",2', "too long"),
    ],
)  # fmt: skip
def test_what_is_no_matrix_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(BlockError) as refusal:
        parse_block(text)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_place_of_a_bad_cell_can_be_asked_for() -> None:
    with pytest.raises(BlockError) as refusal:
        parse_block("1 2\n3 1.2e")
    assert (refusal.value.values["row"], refusal.value.values["column"]) == (1, 1)


def test_decimal_commas_are_said() -> None:
    assert read_block("1,5\t2").decimal_comma
    assert not read_block("1.5\t2").decimal_comma


def test_too_many_numbers_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "MOST_NUMBERS", 20)
    assert parse_block(" ".join(["1"] * 20)).size == 20
    with pytest.raises(BlockError, match="more than 20 numbers"):
        parse_block(" ".join(["1"] * 21))
