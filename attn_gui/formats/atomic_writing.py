"""Writing a file wholly or not at all: disk full, no permission, no such folder, “Nothing was changed”.

QSaveFile is not used: on a full disk it replaced a good file by a cut one and reported success.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

CHUNK = 2**20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_DISK_FULL = N_("{file} could not be saved: there is no room left. Nothing was changed.")
_FORBIDDEN = N_("{file} could not be saved: you may not write there. Nothing was changed.")
_NO_FOLDER = N_("{file} could not be saved: its folder {folder} does not exist. Nothing was changed.")
_NAME_TOO_LONG = N_("{file} could not be saved: the name is too long. Nothing was changed.")
_OTHER = N_("{file} could not be saved: {reason}. Nothing was changed.")
_OS_ERRORS = {
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
    errno.EFBIG: _DISK_FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.ENOENT: _NO_FOLDER,
    errno.ENOTDIR: _NO_FOLDER,
    errno.ENAMETOOLONG: _NAME_TOO_LONG,
}


def write_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` as the file at `path`, wholly or not at all. Raises FormatError."""
    with replacing(path) as sink:
        sink.write(data)


@contextmanager
def replacing(
    path: str | os.PathLike[str], size: int = 0, before: Callable[[Path], object] | None = None
) -> Iterator[IO[bytes]]:
    """Write a file piece by piece; nothing has its name before all of it is written.

    It is written beside the old file, read again and compared, and only then takes the old one's place. A link stays,
    and the file that it points to is replaced. `size` bytes have to be free on the disk beforehand; `before` is called
    with the new file, once it is complete, before it takes that place. Raises FormatError; whatever is raised inside
    leaves the old file as it was.
    """
    with saving(path):
        target = Path(os.path.realpath(path))
        mode = _mode_of(target)
        if size and shutil.disk_usage(target.parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        beside = hidden_beside(target)
        with suppress(FileNotFoundError):
            beside.unlink()  # left by a crash; a new file, never something that a link may point to
    try:  # from before the file is there: Ctrl+C may come right behind it
        with saving(path):
            descriptor = os.open(beside, _NEW, 0o666)
        sink = FileSink(descriptor, path)
        try:
            if mode is not None and hasattr(os, "fchmod"):
                os.fchmod(descriptor, mode)
            yield cast("IO[bytes]", sink)
            with saving(path):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        with saving(path):
            _verify(beside, sink)
            if before is not None:
                before(beside)
            os.replace(beside, target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _settle(target.parent)


class FileSink(io.RawIOBase):
    """A file that is written from front to back, with a checksum of what was written. Raises FormatError."""

    def __init__(self, descriptor: int, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self._descriptor, self._path = descriptor, path
        self.size = self.check = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer, /) -> int:
        whole = rest = memoryview(data).cast("B")
        with saving(self._path):
            while rest:
                written = os.write(self._descriptor, rest[:CHUNK])
                if not written:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                rest = rest[written:]
        self.size, self.check = self.size + len(whole), zlib.crc32(whole, self.check)
        return len(whole)


@contextmanager
def saving(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong inside into one FormatError that names the file."""
    try:
        yield
    except FormatError as error:
        raise error.at(path) from error.__cause__
    except OSError as error:
        template, folder = _OS_ERRORS.get(error.errno or 0, _OTHER), Path(path).parent
        if template == _NO_FOLDER and os.path.isdir(folder):  # as in /proc, where nothing can be made
            template = _OTHER
        values = {"reason": error.strerror or error, "folder": folder}
        raise FormatError(template, **values).at(path) from error
    except ValueError as error:  # a name with a NUL in it
        raise FormatError(_OTHER, reason=error).at(path) from error


def _mode_of(target: Path) -> int | None:
    """Return the permissions of the file to be replaced, None for a new one. Raises FormatError for a folder."""
    try:
        mode = target.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(mode):
        return stat.S_IMODE(mode)
    if stat.S_ISDIR(mode):
        raise FormatError(N_("{file} could not be saved: there is a folder of that name."))
    raise FormatError(N_("{file} could not be saved: it is not a regular file."))


def hidden_beside(target: Path) -> Path:
    """Return the path that is written first: one short name for each target, of which crashes leave no second."""
    return target.with_name(f".attn-gui-{zlib.crc32(os.fsencode(target.name)):08x}.saving")


def _verify(path: Path, sink: FileSink) -> None:
    """Read back what was written: on a full disk some file systems report nothing, and the file is short."""
    size = check = 0
    with path.open("rb") as file:
        while part := file.read(CHUNK):
            size, check = size + len(part), zlib.crc32(part, check)
    if (size, check) != (sink.size, sink.check):
        template = N_("{file} could not be saved: it does not read back the same. Nothing was changed.")
        raise FormatError(template)


def _settle(folder: Path) -> None:
    """Make the folder's new entry survive a power cut, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
