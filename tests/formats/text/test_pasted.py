"""Texts as people paste them: one matrix to a person is one matrix here, whatever stands around it.

`tests/data/pasted.txt` has the texts. What is around a matrix is left out and said, or refused by its own name; several
matrices are asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attn_gui.formats import AmbiguousTable, FormatError
from attn_gui.formats.text.text_table import read_table
from tests.failing import each

MATRIX = [[1.5, -2, 0.5], [0.25, 4, 3]]


def texts() -> Iterator[tuple[str, str, str]]:
    """Group, name and text of each in the file."""
    lines = (Path(__file__).parents[2] / "data" / "pasted.txt").read_text(encoding="utf-8").split("\n")
    group, name, text = "", "", []
    for line in [*lines, "######## "]:
        if not line.startswith("#### ") and not line.startswith("######## "):
            text.append(line)
            continue
        if name:
            yield group, name, "\n".join(text)
        sign, _, words = line.partition(" ")
        group, name = (group, words) if sign == "####" else (words, "")
        text = []


TEXTS = {name: (group, text) for group, name, text in texts()}


@each("name", TEXTS)
def test_a_text_is_the_matrix_that_a_person_sees_in_it(name):
    group, text = TEXTS[name]
    if group == "read":
        assert read_table(text).values.tolist() == MATRIX
        return
    with pytest.raises(FormatError) as refusal:
        read_table(text)
    kind, _, words = group.partition(" ")
    assert isinstance(refusal.value, AmbiguousTable) == (kind == "asked")
    if kind == "asked" and words:
        assert [reading.name for reading in refusal.value.readings] == words.split()
    elif kind == "refused":
        assert words in str(refusal.value)


@each(
    ("text", "said"),
    [
        ("Head 3, layer 0:\n[[1 2]\n [3 5]]", "“Head 3, layer 0:”"),
        ("[[1, 2], [3, 5]] and more", "“and more”"),
        ("[[1, 2], # his\n [3, 5]]", "“# his”"),
        ("注意力权重：\n1 2\n3 5", "“注意力权重：”"),
        ("1 2\n3 5\n\n[2 rows x 2 columns]", "“[2 rows x 2 columns]”"),
        (">>> q\n1 2\n3 5", "“>>> q”"),
        ("the: [1, 2]\ncat: [3, 5]", "labels: the, cat."),
        ("the: 1 2\ncat: 3 5", "labels: the, cat."),
        ("[[1, 2], [3, 5]]\n(2, 2)", "“(2, 2)”"),
    ],
)
def test_what_stood_around_the_matrix_is_said(text, said):
    found = read_table(text)
    assert found.values.tolist() == [[1, 2], [3, 5]]
    assert said in " ".join(found.notes)


@each("text", ["Q = [[1, 2]]", "tensor([[1, 2]])", "Q = K = V = [[1, 2]];", "Out[7]: array([[1, 2]])"])
def test_of_a_name_and_a_constructor_nothing_is_said(text):
    assert read_table(text).notes == ()


CHANGED = [
    ("{}.T", ".T"),
    ("{}'", "'"),
    ("{} * 0.5", "* 0.5"),
    ("0.5 * {}", "0.5 *"),
    ("x = -{}", "-["),
    ("2 {}", "2"),
    ("{} @ W", "@ W"),
    ("{}[0]", "[0]"),
    ("{}e-3", "e-3"),
    ("{} × 10⁻³", "× 10⁻³"),
    ("inv({})", "inv("),
    ("torch.tensor({}).view(4, 1)", ".view(4, 1)"),
    ("matrix(c(1, 2, 3, 5), nrow = 2)", "matrix("),
    ("{} == {}", "=="),
]


@each(("text", "named"), CHANGED)
def test_what_would_change_the_matrix_is_never_dropped(text, named):
    with pytest.raises(FormatError) as refusal:
        read_table(text.replace("{}", "[[1, 2], [3, 5]]"))
    assert f"“{named}" in str(refusal.value)
    assert "stands beside the matrix" in str(refusal.value)


def test_a_shape_that_is_not_that_of_the_list_is_said():
    with pytest.raises(FormatError, match="the shape 2 × 2 of a list that has the shape 4"):
        read_table("tf.constant([1, 2, 3, 4], shape=[2, 2])")


# --- several -------------------------------------------------------------------------------------
@each(
    ("text", "names", "shapes"),
    [
        ("Q = [[1, 2]]\nK = [[3, 4]]", ["Q", "K"], [(1, 2), (1, 2)]),
        ("q=[[1,2],[3,4]];k=[[5,6],[7,8]];v=[[1,2],[3,4]]", ["q", "k", "v"], [(2, 2)] * 3),
        ("W = [[1, 2], [3, 4]]\nb = [0.5, 0.5]", ["W", "b"], [(2, 2), (1, 2)]),
        ("Q\n1 2\n3 4\n\nK\n5 6\n7 8", ["Q", "K"], [(2, 2), (2, 2)]),
        ("1 2\n3 4\n\n5 6\n7 8", ["", "", ""], [(4, 2), (2, 2), (2, 2)]),
        ("q = [1, 2]\nk = [3, 4]", ["q, k", "q", "k"], [(2, 2), (1, 2), (1, 2)]),
        ("| a |\n|---|\n| 1 |\n\nK:\n\n| a |\n|---|\n| 2 |", ["", "K"], [(1, 1), (1, 1)]),
        ("[[[1, 2]], [[3, 4]]]", ["[0]", "[1]"], [(1, 2), (1, 2)]),
    ],
)
def test_several_matrices_are_asked_about_by_their_names(text, names, shapes):
    with pytest.raises(AmbiguousTable) as several:
        read_table(text)
    assert several.value.several
    assert [reading.name for reading in several.value.readings] == names
    assert [reading.matrix.values.shape for reading in several.value.readings] == shapes
    assert f"holds {len(names)} matrices" in str(several.value)


def test_a_matrix_that_is_there_twice_is_one():
    text = ">>> q = torch.tensor([[1.5, 2.]])\n>>> q\ntensor([[1.5000, 2.0000]])"
    assert read_table(text).values.tolist() == [[1.5, 2]]


def test_a_title_above_rows_that_are_counted_is_asked_about():
    """Or it is the name of the column, and pandas or R has counted its rows."""
    with pytest.raises(AmbiguousTable) as several:
        read_table("Q\n0 1\n1 0")
    assert [reading.matrix.values.tolist() for reading in several.value.readings] == [[[1], [0]], [[0, 1], [1, 0]]]


# --- wrapped -------------------------------------------------------------------------------------
NUMBERS = arrays.arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(2, 4)),
    elements=st.integers(-4000, 4000).map(lambda number: number / 16),
)
PRINTS = {
    "a list": lambda rows: str(rows),
    "NumPy": lambda rows: str(np.array(rows)),
    "a repr": lambda rows: repr(np.array(rows)),
    "torch": lambda rows: f"tensor({rows}, grad_fn=<SoftmaxBackward0>)",
    "Paddle": lambda rows: (
        f"Tensor(shape=[{len(rows)}, {len(rows[0])}], dtype=float32, place=Place(cpu),\n       {rows})"
    ),
    "TensorFlow": lambda rows: f"<tf.Variable 'k:0' shape=({len(rows)}, {len(rows[0])}), numpy=\n{np.array(rows)!r}>",
    "MATLAB": lambda rows: "A = [" + "; ".join(" ".join(map(repr, row)) for row in rows) + "];",
    "C": lambda rows: f"float q[{len(rows)}][{len(rows[0])}] = " + str(rows).replace("[", "{").replace("]", "}") + ";",
    "blanks": lambda rows: "\n".join(" ".join(map(repr, row)) for row in rows),
    "tabs": lambda rows: "\n".join("\t".join(map(repr, row)) for row in rows),
}
AROUND = [
    ("", ""),
    ("Q:\n", ""),
    ("注意力权重：\n", ""),
    ("Out[7]:\n", ""),
    (">>> q\n", ""),
    ("In [3]: weights\n\nOut[3]:\n", ""),
    ("torch.Size([{0}, {1}])\n", ""),
    ("", "\n({0}, {1})"),
    ("The weights of head 3 are:\n", "\nas printed above."),
    ("```\n", "\n```"),
    ("# of layer 3:\n", ""),
]
SIGNS = [str, lambda text: text.replace("-", "−"), lambda text: text.translate(str.maketrans("[],()", "［］，（）"))]


@given(NUMBERS, st.sampled_from(sorted(PRINTS)), st.sampled_from(AROUND), st.sampled_from(SIGNS))
def test_a_print_among_words_is_exact_or_refused(array, name, around, signs):
    """Words, prompts, shapes and other signs around and in a print never change a number of it."""
    text = PRINTS[name]((array + 0.0).tolist())
    before, after = (words.format(*array.shape) for words in around)
    found = read_table(before + (signs(text) if "shape=" not in text else text) + after)
    np.testing.assert_array_equal(found.values, array)


DOUBTFUL = [
    ("epoch 3, loss 0.25\n", ""),
    ("**Q** ", ""),
    ("Attention weights ", ""),
    ("", ". Each row adds up to 1."),
    ("图 1：权重矩阵\n", "\n其中 n=2。"),
    ("step 1: ", ""),
    ("", "  # queries"),
    ("", "\nName: q, dtype: float64"),
    ("<b>Q</b>: ", ""),
    ("> ", ""),
    ("Q | ", ""),
    ("tokens: ['a', 'b']\n", ""),
    ('{"a": ', "}"),
    ("dict(q=", ")"),
    ("f(", ")"),
    ("", " * 2"),
    ("", "%"),
    ("Layer 0\nHead 1\n", ""),
    ("0: ", ""),
    ("In [1]: q = 3\n\nIn [2]: q\nOut[2]: ", ""),
    ("", "\nx = 3"),
]


@given(NUMBERS, st.sampled_from(sorted(PRINTS)), st.sampled_from(DOUBTFUL))
def test_what_may_mean_more_is_exact_asked_about_or_refused(array, name, around):
    try:
        found = [read_table(around[0] + PRINTS[name]((array + 0.0).tolist()) + around[1]).values]
    except AmbiguousTable as several:
        found = [reading.matrix.values for reading in several.readings]
    except FormatError:
        return
    assert any(np.array_equal(values, array) for values in found)
