"""Roles of our own painted widgets for screen readers; Qt takes them all for plain areas."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget


def install_roles() -> None:
    """Let every widget whose class says an `accessible_role` be known by it, from now on."""
    QAccessible.installFactory(_with_role)


def _with_role(_class_name: str, widget: QObject) -> QAccessibleInterface | None:
    role = getattr(widget, "accessible_role", None)
    return QAccessibleWidget(widget, role) if isinstance(widget, QWidget) and role is not None else None
