"""Overrides that Qt calls: an error that leaves one must not take the process along.

PySide 6.10 reads the arguments of an exception that C code has raised (IndexError of a list, ZeroDivisionError) before
there are any, if Qt was itself called from Python: a segmentation fault instead of a report. An exception that has
been caught once is whole.
"""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

_WRAPPED: set[Callable[..., Any]] = set()


def make_errors_whole() -> None:
    """Wrap every method of the window's classes that overrides one of Qt's; for good, since PySide remembers them."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("attn_gui.views", "attn_gui.app")):
            for _, kind in inspect.getmembers(module, inspect.isclass):
                for method, function in list(vars(kind).items()):
                    if inspect.isfunction(function) and _is_of_qt(kind, method) and function not in _WRAPPED:
                        setattr(kind, method, _caught_once(function))


def _is_of_qt(kind: type, method: str) -> bool:
    if method.startswith("__"):
        return False
    return any(method in vars(base) for base in kind.__mro__ if base.__module__.startswith("PySide6"))


def _caught_once(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any) -> Any:
        try:
            return function(*args)
        except Exception as error:
            raise error.with_traceback(error.__traceback__) from None

    _WRAPPED.add(call)
    return call
