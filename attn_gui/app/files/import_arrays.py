"""Files of foreign arrays: listed, asked about, pictures of readings, the answer remembered for the next such file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog

from attn_gui.app.app_context import AppContext, Controller
from attn_gui.app.files.files import FilesController
from attn_gui.app.state.background_task import BackgroundTask, WindowTask
from attn_gui.app.state.translated_errors import saying, sentence
from attn_gui.engine import compute
from attn_gui.engine.arrays import Progress
from attn_gui.engine.evaluation.pooling import pool
from attn_gui.engine.fields import GIVEN
from attn_gui.engine.stages import SHOWN_FIRST
from attn_gui.formats import FormatError, Loaded, list_arrays, open_arranged, read_array
from attn_gui.formats.file_format import ArrayListing
from attn_gui.formats.file_messages import AmbiguousFile, SeveralReadings
from attn_gui.formats.named.arranged_problem import complete_mapping
from attn_gui.formats.named.array_mapping import ArrayMapping, propose_mapping, recall_mapping, record_of
from attn_gui.formats.named.attention_maps import MapChoice, SeveralMaps, beside_maps, choices_of, names_of_maps
from attn_gui.formats.named.several_files import list_several, open_several, several_name, whole_ones
from attn_gui.views.dialogs.dialog_base import asked
from attn_gui.views.theme import current_theme

if TYPE_CHECKING:
    from attn_gui.views.dialogs.ambiguity_dialogs import MapsDialog
    from attn_gui.views.dialogs.arrays_dialog import ArraysDialog

KNOWN = "arrays"
MOST_KNOWN = 30
PICTURE = 96  # cells of a picture at most
LARGEST_PREVIEW = 10**8  # numbers of an array that are worth reading for a look
LARGEST_PICTURED = 4 * 10**6  # numbers of arrays, and cells of a map, that are worth computing for a small picture
PICTURE_SIDE = 48


class ArraysController(Controller):
    """Asks which array is which, the last answer for such names first."""

    apart = Signal(list)  # files that hold a problem each, of those that were to make one together

    def __init__(self, context: AppContext, files: FilesController) -> None:
        super().__init__(context)
        self._files = files
        self._paths: tuple[Path, ...] = ()  # the files that are asked about
        self._said: ArrayMapping | None = None  # what the command line, or an answer, has said of them
        self._question: SeveralReadings | None = None  # why they could not be read, where only their numbers show it
        self._choices: tuple[MapChoice, ...] = ()  # ways to read them as maps, where their names do not say it
        self._dialog: ArraysDialog | None = None
        self._listed = WindowTask(context.window, "opening")
        self._preview = BackgroundTask(self)
        self._preview.ended.connect(self._on_preview_answered)
        self._pictures = BackgroundTask(self)
        self._pictures.ended.connect(self._on_pictures_answered)
        self._maps: MapsDialog | None = None
        self._map_pictures = BackgroundTask(self)
        self._map_pictures.ended.connect(self._on_map_pictures_answered)
        self._listed.ended.connect(self._on_listed_ended)
        files.documentLeft.connect(self._listed.forget)
        context.document.opened.connect(self._on_document_opened)

    @property
    def busy(self) -> bool:
        """Whether a file is being listed."""
        return self._listed.busy

    def choose(self, path: Path, error: FormatError) -> None:
        """Ask which arrays of a file are which and how they lie, once they are listed; what was said of it when it was
        given stands. `error` is why it cannot be opened as it is."""
        several = len(self._paths) > 1 and path == _folder(self._paths)
        paths = self._paths if several else (path,)
        self._said = self._said if self._paths == paths else None
        self._paths, self._question = paths, error if isinstance(error, SeveralReadings) else None
        self._choices = error.choices if isinstance(error, SeveralMaps) else ()
        self._listed.start(partial(list_several, paths) if several else partial(list_arrays, path), several_name(paths))

    def open_together(self, paths: tuple[Path, ...], arrangement: ArrayMapping | None) -> None:
        """Open what the arrays of several files make: as arranged, by their names, or after a question."""
        if arrangement is not None and arrangement.arrays:
            self._open_several(paths, arrangement)
            return
        self._paths, self._said, self._question, self._choices = paths, arrangement, None, ()
        self._listed.start(partial(_sorted, paths), several_name(paths))

    def open_arranged(self, path: Path, arrangement: ArrayMapping) -> None:
        """Open what an arrangement makes of a file."""

        def read(path: Path, progress: Progress) -> Loaded:
            return open_arranged(path, arrangement, progress)

        self._paths, self._said = (path,), arrangement
        layer = arrangement.layer
        self._files.open_beside(path, read, "" if layer is None else f"{path.stem}-layer{layer}")

    def _open_several(self, paths: tuple[Path, ...], arrangement: ArrayMapping | None) -> None:
        """Open what several files make, by the name of their folder."""

        def read(_folder: Path, progress: Progress) -> Loaded:
            return open_several(paths, arrangement, progress)

        self._paths, self._said = paths, arrangement
        self._files.open_beside(_folder(paths), read)

    def _on_document_opened(self) -> None:
        """Forget what was said of files once they are open: they may hold other arrays when they are opened again."""
        self._paths, self._said = (), None

    def _on_listed_ended(self, outcome: Future[ArrayListing | list[Path]]) -> None:
        try:
            found = outcome.result()
        except ValueError as error:
            self._window.banner.show_error(saying(error))
            return
        if isinstance(found, list):
            self.apart.emit(found)
        elif len(self._paths) > 1 and self._question is None and _names_say_all(found):
            self._open_several(self._paths, self._said)
        else:
            self._ask(self._paths, found)

    def _ask(self, paths: tuple[Path, ...], listing: ArrayListing) -> None:
        if len(choices := self._choices or self._maps_in(listing)) > 1:
            self._ask_for_maps(paths, listing, choices)
            return
        from attn_gui.views.dialogs.arrays_dialog import ArraysDialog

        path, name, said, question = paths[0], several_name(paths), self._said, self._question
        self._said = self._question = None
        read = partial(open_arranged, path) if len(paths) == 1 else partial(open_several, paths)
        dialog = self._dialog = ArraysDialog(name, listing, sentence, self._window)
        dialog.picturesAsked.connect(lambda ways: self._pictures.start(lambda _: _first_maps(listing, read, ways)))
        remembered = recall_mapping(self._known(), listing)
        known = said if said is not None and said.arrays else remembered or propose_mapping(listing)
        dialog.set_arrangement(known if said is None else replace(known, **said.words), remembered is known)
        if question is not None:
            dialog.ask_about(question)
        dialog.previewAsked.connect(partial(self._look_into, path, listing))
        self._look_into(path, listing, dialog.chosen())
        accepted = asked(dialog) == QDialog.DialogCode.Accepted
        self._dialog = None
        self._preview.forget()
        self._pictures.forget()
        if accepted:
            chosen = dialog.arrangement()
            self._remember(chosen)
            self._open_as(paths, chosen)

    def _open_as(self, paths: tuple[Path, ...], chosen: ArrayMapping) -> None:
        """Open what was answered."""
        if len(paths) > 1:
            self._open_several(paths, chosen)
        else:
            self.open_arranged(paths[0], chosen)

    # --- attention weights alone -----------------------------------------------------------------
    def _maps_in(self, listing: ArrayListing) -> tuple[MapChoice, ...]:
        """Return the ways to read the attention weights of a file, as far as it was not said when it was given."""
        said = self._said or ArrayMapping()
        names = [said.arrays[GIVEN]] if GIVEN in said.arrays else [] if said.arrays else names_of_maps(listing)
        return choices_of(listing, names, said.axes, said.layer)

    def _ask_for_maps(self, paths: tuple[Path, ...], listing: ArrayListing, choices: Sequence[MapChoice]) -> None:
        """Ask which maps are meant; none is proposed. Their pictures come as soon as they are read."""
        from attn_gui.views.dialogs.ambiguity_dialogs import MapsDialog

        said, self._said = self._said, None
        beside = beside_maps(listing) if said is None or not said.arrays else dict(said.arrays)
        dialog = self._maps = MapsDialog(several_name(paths), choices, self._window)
        sizes = {array.name: math.prod(array.shape) for array in listing.arrays}
        if len(paths) == 1 and sum(sizes[name] for name in {choice.name for choice in choices}) <= LARGEST_PREVIEW:
            self._map_pictures.start(lambda _: _first_of_each(paths[0], listing, choices))
        accepted, place = asked(dialog) == QDialog.DialogCode.Accepted, dialog.chosen
        self._maps = None
        self._map_pictures.forget()
        if accepted and place is not None:
            name, axes, layer = choices[place]
            self._open_as(paths, ArrayMapping({**beside, GIVEN: name}, axes, layer=layer))

    def _on_map_pictures_answered(self, outcome: Future[list[NDArray[Any]]]) -> None:
        from attn_gui.figure.compose import weights_picture

        with suppress(FormatError):  # opening the file will say it
            maps = outcome.result()
            if self._maps is not None:
                self._maps.set_pictures([weights_picture(one, one.shape[1], current_theme()) for one in maps])

    # --- other arrays ----------------------------------------------------------------------------
    def _look_into(self, path: Path, listing: ArrayListing, name: str) -> None:
        """Read an array for its first numbers, the last one asked for."""
        sizes = {array.name: math.prod(array.shape) for array in listing.arrays}
        if 0 < sizes.get(name, 0) <= LARGEST_PREVIEW:
            self._preview.start(lambda _: (name, _first_numbers(path, listing, name)))

    def _on_preview_answered(self, outcome: Future[tuple[str, NDArray[Any] | FormatError]]) -> None:
        name, values = outcome.result()
        if self._dialog is not None:
            self._dialog.set_preview(name, sentence(values) if isinstance(values, FormatError) else values)

    def _on_pictures_answered(self, outcome: Future[dict[tuple[str, str], NDArray[Any]]]) -> None:
        from attn_gui.figure.compose import weights_picture

        if self._dialog is not None:
            found = {
                place: weights_picture(pool(weights, None, *_pixels(weights))[0], weights.shape[1], current_theme())
                for place, weights in outcome.result().items()
            }
            self._dialog.fields.set_pictures(found)

    def _known(self) -> list[dict[str, Any]]:
        return [record for record in self._settings.entries(KNOWN, "known") if isinstance(record, dict)]

    def _remember(self, arrangement: ArrayMapping) -> None:
        """Put it before those that are known, in the place of one of the same names."""
        record = record_of(arrangement)

        def is_alike(known: object) -> bool:
            return isinstance(known, dict) and known.get("arrays") == record["arrays"]

        self._settings.put_first(KNOWN, "known", record, MOST_KNOWN, is_alike)


def _sorted(paths: Sequence[Path], progress: Progress) -> ArrayListing | list[Path]:
    """Return the arrays of files that make one problem together; else the files, as each holds one."""
    return list(paths) if len(whole_ones(paths)) > 1 else list_several(paths, progress)


def _names_say_all(listing: ArrayListing) -> bool:
    """Return whether the names of arrays say what they are, and nothing is open."""
    try:
        named = ArrayMapping().named(listing)
        if GIVEN not in named.arrays:
            complete_mapping(named, listing)
    except AmbiguousFile:
        return False
    except ValueError:  # which is said when they are opened
        return True
    return True


def _folder(paths: Sequence[Path]) -> Path:
    """Return the folder that several files are opened as."""
    return paths[0].absolute().parent


def _first_maps(
    listing: ArrayListing, read: Callable[[ArrayMapping], Loaded], ways: Mapping[tuple[str, str], ArrayMapping]
) -> dict[tuple[str, str], NDArray[Any]]:
    """Return the weights of the first head and item of every arrangement that makes a problem; none of large files."""
    sizes = {array.name: math.prod(array.shape) for array in listing.arrays}
    found: dict[tuple[str, str], NDArray[Any]] = {}
    for place, way in ways.items():
        if sum(sizes.get(name, 0) for name in way.arrays.values()) > LARGEST_PICTURED:
            continue
        with suppress(ValueError, TypeError, MemoryError):
            problem = read(way).problem
            rows = slice(0, max(1, LARGEST_PICTURED // problem.m))
            found[place] = compute(problem).block(SHOWN_FIRST, 0, 0, rows, slice(0, problem.m))
    return found


def _pixels(weights: NDArray[Any]) -> tuple[int, int]:
    """Return rows and columns of a small picture."""
    rows, columns = (min(side, PICTURE_SIDE) for side in weights.shape)
    return rows, columns


def _first_of_each(path: Path, listing: ArrayListing, choices: Sequence[MapChoice]) -> list[NDArray[Any]]:
    """Return the first map of each choice, as large as a picture of it; each array is read once. Raises FormatError."""
    arrays = {name: read_array(path, listing, name) for name in {choice.name for choice in choices}}
    found = []
    for choice in choices:
        maps = choice.take(arrays[choice.name])
        found.append(pool(maps[(0,) * (maps.ndim - 2)].astype(float), None, PICTURE, PICTURE)[0])
    return found


def _first_numbers(path: Path, listing: ArrayListing, name: str) -> NDArray[Any] | FormatError:
    try:
        return read_array(path, listing, name)
    except FormatError as error:
        return error
