"""Whole tables in one test, which says of every row that fails why it does."""

import inspect
import random
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import pytest

R = TypeVar("R")

whole = True
"""Whether tables run whole, as with --long and in a file that is named; tests/conftest.py says so before the tests are
read."""


def share(rows: Iterable[R], one_of: int) -> list[R]:
    """Return one of so many rows, which the seed of the run draws anew; all of them where tables run whole."""
    table = list(rows)
    return table if whole else table[random.randrange(min(one_of, len(table))) :: one_of]


def examples(number: int) -> int:
    """Return how many examples a property is tried on: a third of these where tables do not run whole."""
    return number if whole else max(1, number // 3)


def failing(rows: Iterable[R], check: Callable[[R], object], name: Callable[[R], object] = str) -> list[str]:
    """Call `check` with every row; the names of those of which it fails, each with why."""
    found = []
    for row in rows:
        try:
            check(row)
        except Exception as error:  # as a test of that row alone would
            found.append(f"{name(row)}: {type(error).__name__} {error}")
    return found


def each(
    names: str | tuple[str, ...], rows: Iterable[Any], one_of: int = 1
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every row, as `pytest.mark.parametrize` does, as one test that raises what all rows raise; of
    dear rows with a `share`, one of so many.

    A test for each row takes longer to set up than most rows to check. What fixtures give is the same for all rows, but
    for a `tmp_path` of each row's own.
    """
    columns = (names,) if isinstance(names, str) else names
    table = [dict(zip(columns, (row,) if isinstance(names, str) else row, strict=True)) for row in rows]

    def over_rows(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            raised, skipped = list[BaseException](), list[BaseException]()
            run_now = share(table, one_of)
            for number, row in enumerate(run_now):
                own = {name: _folder(given, number) for name, given in fixtures.items() if name == "tmp_path"}
                try:
                    test(**{**fixtures, **own}, **row)
                except pytest.skip.Exception as skip:  # of this row: the others run
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"with {str(row)[:1000]}")
                    raised.append(error)
            if raised:
                raise BaseExceptionGroup(f"{len(raised)} of {len(run_now)} rows fail", raised)
            if skipped and len(skipped) == len(run_now):
                raise skipped[0]

        kept = [parameter for name, parameter in inspect.signature(test).parameters.items() if name not in columns]
        run.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]  # by which pytest finds fixtures
        return run

    return over_rows


def _folder(above: Path, number: int) -> Path:
    found = above / str(number)
    found.mkdir()
    return found
