from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.document.number_text import NumberError, parse_number, shortest, shown
from tests.failing import each


@each(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("  2 ", 2),
        ("+3", 3),
        (".5", 0.5),
        ("5.", 5),
        ("1e-3", 0.001),
        ("1E+2", 100),
        ("-0", -0.0),
        ("1/3", 1 / 3),
        ("-2/5", -0.4),
        ("1 / 4", 0.25),
        ("0.5/2", 0.25),
        ("-0/7", -0.0),
        ("inf", math.inf),
        ("-Inf", -math.inf),
        ("∞", math.inf),
        ("−∞", -math.inf),
        ("+infinity", math.inf),
        ("１．５", 1.5),
        ("－２", -2),
        ("−0.5", -0.5),
        ("１ｅ−３", 0.001),
        ("\u200b12\ufeff", 12),
        ("0.1\u00a0", 0.1),
    ],
)
def test_a_number_is_read_as_it_is_written(text: str, value: float) -> None:
    assert np.float64(parse_number(text)).tobytes() == np.float64(value).tobytes()


@each(
    "text",
    [
        "1_0",
        "0x10",
        "1.2e",
        "e5",
        "--1",
        "--inf",
        "5f",
        "1j",
        "1 000",
        "abc",
        "1.2.3",
        "none",
        "True",
        "١",
        "१",
        "½",
        "1½",
        "10²",
        "①",
        "Ⅳ",
        "#",
        "9" * 401,
        "１" * 401,
    ],
)
def test_what_is_no_number_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(NumberError, match=r"^“.*” is not a number\.$") as refusal:
        parse_number(text)
    assert refusal.value.values["text"][:10] == text[:10]
    assert len(str(refusal.value)) < 60


@each("text", ["1,500", "1，500", "1.234,5", "1،5", "1、5", "1。5"])
def test_a_comma_is_refused_with_the_remedy(text: str) -> None:
    with pytest.raises(NumberError, match="use a point"):
        parse_number(text)


@each(("text", "dtype"), [("1e999", "f8"), ("-1e309", "f8"), ("1e39", "f4"), ("9" * 350 + "/1", "f8")])
def test_a_finite_number_never_becomes_infinite(text: str, dtype: str) -> None:
    with pytest.raises(NumberError, match="too large for float"):
        parse_number(text, dtype)


def test_a_refusal_stays_on_one_line_whatever_was_typed() -> None:
    with pytest.raises(NumberError) as refusal:
        parse_number("a\nb\t\u202ec\x00")
    assert str(refusal.value) == "“a b c” is not a number."
    assert refusal.value.sentence() == str(refusal.value)


@given(st.floats(width=64))
def test_the_shortest_text_gives_the_same_double(value: float) -> None:
    text = shortest(value)
    assert text.isascii()
    assert len(text) <= len(repr(value))
    assert np.array_equal(parse_number(text), value, equal_nan=True)
    assert math.copysign(1, parse_number(text)) == math.copysign(1, value) or math.isnan(value)


@given(st.floats(width=32))
def test_the_shortest_text_gives_the_same_single(value: float) -> None:
    single = np.float32(value)
    again = np.float64(parse_number(shortest(single, "f4"), "f4")).astype(np.float32)
    assert np.array_equal(again, single, equal_nan=True)
    misses = np.float64(str(single)).astype(np.float32) != single  # rounded twice, the shortest text gives a neighbor
    assert len(shortest(single, "f4")) <= (24 if misses else 15)  # a sign, nine digits, a point, e-38


@each(("value", "text"), [(0.1, "0.1"), (1.0, "1"), (-0.0, "-0"), (1e-7, "1e-7"), (1e22, "1e22"), (-2.5, "-2.5")])
def test_the_shortest_text_has_nothing_to_spare(value: float, text: str) -> None:
    assert shortest(value) == text
    assert shortest(np.float32(value), "f4") == text


@each(
    ("value", "text"),
    [
        (0.6110, "0.611"),
        (-1.5, "−1.500"),
        (-0.0, "0.000"),
        (-0.0001, "−1.0e−4"),
        (0.0004, "4.0e−4"),
        (-0.0006, "−0.001"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (999999, "999999.000"),
        (1.5e6, "1.500e6"),
        (-2e300, "−2.000e300"),
    ],
)
def test_a_table_shows_numbers_at_one_width_with_a_true_minus(value: float, text: str) -> None:
    assert shown(value, 3) == text


@each(
    ("text", "value"),
    [
        ("=1/3", 1 / 3),
        ("= 2*3", 6),
        ("=-0.5", -0.5),
        ("50%", 0.5),
        ("=12.5 %", 0.125),
        ("sqrt(2)", math.sqrt(2)),
        ("√3", math.sqrt(3)),
        ("1/sqrt(64)", 0.125),
        ("2^3", 8),
        ("2^-1", 0.5),
        ("-2^2", -4),
        ("2^3^2", 512),
        ("pi", math.pi),
        ("π/2", math.pi / 2),
        ("e^2", math.pow(math.e, 2)),
        ("=(1+2)×3", 9),
        ("１＋２", 3),
        ("1/sqrt(3)*2", 2 / math.sqrt(3)),
        ("1,5", 1.5),
        ("−0,125", -0.125),
        ("3,1416", 3.1416),
    ],
)
def test_a_calculation_and_a_decimal_comma_are_numbers(text: str, value: float) -> None:
    assert parse_number(text) == pytest.approx(value, rel=1e-15)


@each(
    "text",
    [
        "=",
        "1/0",
        "=1/0",
        "0/0",
        "sqrt(-1)",
        "sqrt",
        "sqrt(2",
        "2^3^",
        "9**9**9",
        "9^9^9^9",
        "abs(2)",
        "e.real",
        "1,234",
        "1,5,2",
        "1 2",
        "2(3)",
        "__import__('os')",
        "[1]",
        "1 if 1 else 2",
        "1j",
        "True",
        "1==1",
        "(" * 300,
        "1//2",
        "5%3",
        "1" * 398 + "x",
    ],
)
def test_no_other_text_is_calculated(text: str) -> None:
    with pytest.raises(NumberError):
        parse_number(text)
