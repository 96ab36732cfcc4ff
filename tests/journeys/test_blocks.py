"""Blocks of numbers: pasted from wherever people have them, copied, grown into, imported."""

from __future__ import annotations

import pytest

SMALL = "worked-example.npz"
ROWS = [["1.5", "-2", "0.25"], ["3", "4", "5"], ["6", "7", "8e-5"], ["-9", "10", "11"]]
TSV = "\n".join("\t".join(row) for row in ROWS)
LAYOUTS = {
    "tab-separated": TSV + "\n",
    "a NumPy print": "array([[ 1.5e+00, -2.0e+00,  2.5e-01],\n       [ 3.0e+00,  4.0e+00,  5.0e+00],\n"
                     "       [ 6.0e+00,  7.0e+00,  8.0e-05],\n       [-9.0e+00,  1.0e+01,  1.1e+01]])",
    "a bare NumPy print": "[[ 1.5  -2.    0.25]\n [ 3.    4.    5.  ]\n [ 6.    7.    8e-05]\n [-9.   10.   11.  ]]",
    "a torch print": "tensor([[ 1.5, -2.0, 0.25],\n [3, 4, 5],\n [6, 7, 8e-05],\n [-9, 10, 11]])",
    "LaTeX": r"\begin{bmatrix} 1.5 & -2 & 0.25 \\ 3 & 4 & 5 \\ 6 & 7 & 8e-05 \\ -9 & 10 & 11 \end{bmatrix}",
    "CSV": "\n".join(",".join(row) for row in ROWS),
    "blanks": "\n".join("  ".join(row) for row in ROWS),
    "Python lists": str([[float(text) for text in row] for row in ROWS]),
}  # fmt: skip


def test_a_block_of_four_rows_in_every_layout_is_one_step_that_undo_takes_back(launch):
    person = launch()
    before, map_before = person.numbers("query"), person.values("weights")
    for name, text in LAYOUTS.items():
        person.clipboard(text)
        person.go_to("query", 2, 96)
        person.press("Ctrl+V")
        assert [row[96:99] for row in person.numbers("query")[2:6]] == ROWS, name
        assert len(person.steps()) == 2, name
        assert person.values("weights") != map_before
        person.press("Ctrl+Z")
        assert person.numbers("query") == before, name
        assert person.values("weights") == map_before
    assert not person.window.isWindowModified()


def test_a_larger_block_offers_to_grow_and_is_one_step(launch):
    person = launch(SMALL)
    before = person.numbers("query")
    block = [[str(10 * i + j) for j in range(4)] for i in range(6)]
    person.clipboard("\n".join("\t".join(row) for row in block))
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    assert person.numbers("query") == before
    assert "6 × 4" in person.banner()
    person.click(person.button("Grow Q to 6 × 4", "banner"))
    assert person.numbers("query") == block
    assert person.find("heatmap.weights").shape == (6, 2)
    assert person.steps()[1:] == ["grew Q to 6 × 4"]
    assert not person.banner()
    person.press("Ctrl+Z")
    assert person.numbers("query") == before
    assert person.table("key").model().columnCount() == 3


def test_the_offer_to_grow_can_be_taken_with_enter_and_left_with_esc(launch):
    person = launch(SMALL)
    person.clipboard("1\t2\t3\n4\t5\t6\n7\t8\t9")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V", "Esc")
    assert not person.banner()
    assert person.table("query").hasFocus()
    assert len(person.steps()) == 1
    person.press("Ctrl+V", "Return")
    assert person.number("query", 2, 2) == 9
    assert person.table("query").hasFocus()


def test_an_offer_that_was_left_is_gone(launch):
    person = launch(SMALL)
    person.clipboard("1\t2\t3\n4\t5\t6\n7\t8\t9")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    grow = person.button("Grow Q to 3 × 3", "banner")
    person.type_into("query", 0, 0, "5")
    if grow.isVisible():  # an offer that still stands has to keep what was typed since
        person.click(grow)
        assert person.numbers("query") == [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"]]
        person.press("Ctrl+Z")
    assert person.numbers("query")[0][0] == "5"


def test_a_ragged_block_is_refused_with_its_row(launch):
    person = launch(SMALL)
    before = person.numbers("query")
    person.clipboard("1\t2\n3\n")
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    assert "ow 1" in person.banner()
    assert person.numbers("query") == before
    assert len(person.steps()) == 1


@pytest.mark.parametrize("text", ["hello", "", "1 2 x"])
def test_what_is_no_block_is_refused_with_a_sentence(launch, text):
    person = launch(SMALL)
    person.clipboard(text)
    person.go_to("query", 0, 0)
    person.press("Ctrl+V")
    assert person.banner().endswith(".")
    assert len(person.steps()) == 1


def test_columns_that_would_join_many_heads_are_refused_not_cut(launch):
    person = launch()
    before = person.numbers("query")
    person.clipboard("\n".join("\t".join("1" for _ in range(4)) for _ in range(2)))
    person.go_to("query", 0, 382)
    person.press("Ctrl+V")
    assert "do not fit into Q (16 × 384)" in person.banner()
    assert person.numbers("query") == before


def test_what_is_copied_pastes_elsewhere_equal(launch):
    person = launch()
    person.select("query", 0, 96, 3, 4)
    person.press("Ctrl+C")
    copied = [row[96:100] for row in person.numbers("query")[:3]]
    assert [line.split("\t") for line in person.clipboard().splitlines()] == copied
    person.go_to("value", 5, 40)
    person.press("Ctrl+V")
    assert [row[40:44] for row in person.numbers("value")[5:8]] == copied


def test_copy_with_headers_names_rows_and_columns_and_pastes_without_them(launch):
    person = launch()
    person.select("query", 1, 96, 2, 2)
    person.press("Ctrl+Shift+C")
    lines = [line.split("\t") for line in person.clipboard().splitlines()]
    assert lines[0] == ["", "96", "97"]
    assert [line[0] for line in lines[1:]] == ["the", "animal"]
    person.go_to("value", 5, 40)
    person.press("Ctrl+V")
    assert [row[40:42] for row in person.numbers("value")[5:7]] == [row[96:98] for row in person.numbers("query")[1:3]]


def test_decimal_commas_out_of_a_spreadsheet_are_read_and_said(launch):
    person = launch(SMALL)
    person.clipboard("1,5\t2,25\n3,5\t4,0")
    person.go_to("value", 0, 0)
    person.press("Ctrl+V")
    assert person.numbers("value") == [["1.5", "2.25"], ["3.5", "4"]]
    assert "comma" in person.status()


def test_a_matrix_from_a_file_is_imported_as_a_step(launch, tmp_path):
    person = launch(SMALL)
    path = tmp_path / "q.csv"
    path.write_text("7,8,9\n10,11,12\n")
    before = person.numbers("query")
    person.go_to("query", 1, 1)
    person.choose_file(path, lambda: person.do("import_matrix"))
    assert person.numbers("query") == [["7", "8", "9"], ["10", "11", "12"]]
    person.press("Ctrl+Z")
    assert person.numbers("query") == before


def test_fills_of_the_whole_table(launch):
    person = launch(SMALL)
    person.go_to("query", 0, 0)
    person.do("fill_identity")
    assert person.numbers("query") == [["1", "0", "0"], ["0", "1", "0"]]
    person.do("fill_random")
    assert len({text for row in person.numbers("query") for text in row}) > 3
    person.do("undo")
    person.do("undo")
    assert person.numbers("query") == [["1", "0", "1"], ["0", "1", "1"]]


def test_what_grows_beside_is_said_before_and_after_and_gets_zeros(launch):
    person = launch(SMALL)
    person.clipboard("\n".join("\t".join(str(4 * i + j) for j in range(4)) for i in range(2)))
    person.go_to("key", 0, 0)
    person.press("Ctrl+V")
    assert "With it changes Q 2 × 3 → 2 × 4; new cells are 0." in person.banner()
    assert "Q 2 × 3 → 2 × 4" in person.button("Grow K to 2 × 4", "banner").toolTip()
    person.click(person.button("Grow K to 2 × 4", "banner"))
    assert person.numbers("query") == [["1", "0", "1", "0"], ["0", "1", "1", "0"]]
    assert "Q 2 × 3 → 2 × 4, K 2 × 3 → 2 × 4; new cells are 0" in person.status()
    person.press("Ctrl+Z")
    assert "new cells" not in person.status()


def test_a_size_typed_into_its_box_makes_zeros_and_says_which_matrices_changed(launch):
    person = launch(SMALL)
    person.size("d_k", 5)
    assert "Q 2 × 3 → 2 × 5, K 2 × 3 → 2 × 5; new cells are 0" in person.status()
    assert {row[4] for row in person.numbers("query") + person.numbers("key")} == {"0"}
    person.size("n", 3)
    assert "Q 2 × 5 → 3 × 5; new cells are 0" in person.status()
    assert set(person.numbers("query")[2]) == {"0"}
    person.size("n", 2)
    assert "Q 3 × 5 → 2 × 5" in person.status()
    assert "0" not in person.status().partition("2 × 5")[2]
