"""The code of the problem out of its page: onto the clipboard, and as a script."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from attn_gui.app.files.questions import asked_path
from attn_gui.app.state.translated_errors import saying
from attn_gui.document.document import Document
from attn_gui.figure.pages.dimensions import CodePage, CodeText
from attn_gui.formats import FormatError
from attn_gui.formats.saving import write_file
from attn_gui.formats.scripts import script_name
from attn_gui.views.main_window import MainWindow
from attn_gui.views.pages.page_widget import CodeControls


class CodeSaving(QObject):
    """Hands out the script that is on show."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self._window, self._document = window, document
        self._page, controls = window.inspector.pages.page(CodePage.name), CodeControls()
        self._page.put_above(controls)
        controls.copyRequested.connect(self.copy)
        controls.saveRequested.connect(self.save)

    def copy(self) -> None:
        """The script onto the clipboard."""
        if (code := self._code()) is not None:
            QGuiApplication.clipboard().setText(code.text)
            self._window.banner.show_info(lambda: self.tr("The code is on the clipboard."))

    def save(self) -> None:
        """The script as a file that is asked for."""
        code = self._code()
        if code is None:
            return
        folder = self._document.path.parent if self._document.path else Path.home()
        proposed = folder / script_name(self._document.name, code.key)
        kinds = {".py": self.tr("Python script (*.py)")}
        path = asked_path(self._window, self.tr("Save the code"), proposed, kinds)
        if path is None:
            return
        try:
            write_file(path, code.text.encode("utf-8"))
        except FormatError as error:
            self._window.banner.show_error(saying(error))
            return
        self._window.banner.show_info(lambda: self.tr("Wrote {path}").format(path=path))

    def _code(self) -> CodeText | None:
        """The script on show; None where the page says why there is none."""
        found = self._page.content
        return found if isinstance(found, CodeText) else None
