"""A person in front of the window, as the journeys have it, for those who add a score, a mask layer or a format."""

from typing import Any

from PySide6.QtWidgets import QLabel, QWidget

from tests.journeys import conftest as journeys

launch = journeys.launch


def texts(page: QWidget) -> list[Any]:
    """The words of a page that are in sight."""
    return [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
