"""Tables in Markdown that have the ending of lessons, below a title or without one, and lessons."""

from __future__ import annotations

from pathlib import Path

from attn_gui.file_kinds import is_lesson
from attn_gui.paths import resource
from tests.failing import each

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"


@each("above", ["", "\n", "\ufeff", "# Q of head 0\n\n", "Q of head 0:\n\n", "# Q\n\nOf head 0:\n"])
def test_a_table_is_no_lesson_even_below_a_title(tmp_path: Path, above: str) -> None:
    path = tmp_path / "a.md"
    path.write_text(above + TABLE, encoding="utf-8")
    assert not is_lesson(path)


def test_a_lesson_may_hold_a_table_further_down(tmp_path: Path) -> None:
    path = tmp_path / "a.MD"
    path.write_text("# A | 甲\n\n## S | 步\n\n### English\n" + TABLE, encoding="utf-8")
    assert is_lesson(path)
    assert all(map(is_lesson, resource("lessons").glob("*.md")))
