"""The examples of the menu: their files, titles and what is said of each."""

from __future__ import annotations

from contextlib import suppress
from filecmp import cmp
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from attn_gui.formats import Loaded, open_file
from attn_gui.languages import N_
from attn_gui.paths import resource

FIRST = "minilm"


class Example(NamedTuple):
    """One problem: its file in resources/examples, what it is called, and the line that says what is shown."""

    key: str
    file: str
    title: str
    about: str
    head: int = 0
    cell: tuple[int, int] | None = None  # of the weights: the one that tells most

    @property
    def name(self) -> str:
        """The name of the document."""
        return Path(self.file).stem

    @property
    def view(self) -> dict[str, object]:
        """The head that it begins with, as a session says it."""
        return {"head": self.head}

    def load(self) -> Loaded:
        """Read it."""
        return open_file(resource("examples", self.file))

    def title_text(self) -> str:
        return QCoreApplication.translate("Examples", self.title)

    def about_text(self, sentence: str) -> str:
        """Return `sentence` is the text that the real models read."""
        return QCoreApplication.translate("Examples", self.about).format(text=sentence)


EXAMPLES = (
    Example(
        "worked",
        "worked-example.npz",
        N_("Examples", "Worked example, five steps"),
        N_("Examples", "Two queries and two keys of three numbers: every step can be checked by hand."),
        cell=(1, 1),
    ),
    Example(
        "thinking",
        "thinking-machines.npz",
        N_("Examples", "Thinking Machines, projected"),
        N_("Examples", "Two words as rows of X; their projections give Q, K and V; dₖ is 4."),
    ),
    Example(
        "thinking64",
        "thinking-machines-64.npz",
        N_("Examples", "Thinking Machines, dₖ = 64"),
        N_("Examples", "The same two words with dₖ = 64: scores are divided by √64 = 8."),
    ),
    Example(
        "nadaraya",
        "nadaraya-watson.npz",
        N_("Examples", "Nadaraya–Watson, 50 points"),
        N_(
            "Examples",
            "Attention as regression: 50 noisy points of 2 sin x + x^0.8, asked for on a grid; a Gaussian of x − xᵢ "
            "says how much each point counts.",
        ),
    ),
    Example(
        "layer",
        "transformer-layer.npz",
        N_("Examples", "A transformer layer, pre-norm"),
        N_(
            "Examples",
            "Six words through a whole layer: layer norm, two causal heads, layer norm, feed-forward network.",
        ),
    ),
    Example(
        "minilm",
        "minilm-layer2.npz",
        N_("Examples", "MiniLM, layer 2"),
        N_("Examples", "Layer 2 of MiniLM reading “{text}”"),
        head=3,
        cell=(10, 13),
    ),
    Example(
        "smollm2",
        "smollm2-layer10.npz",
        N_("Examples", "SmolLM2, layer 10, causal"),
        N_("Examples", "Layer 10 of SmolLM2 reading “{text}”"),
        head=5,
    ),
)


def shown_name(path: Path | None, name: str) -> str:
    """Return what a document of this file and name is called in the language of the window: an example by its title."""
    examples = (each for each in EXAMPLES if path is None and each.name == name)
    return next((example.title_text() for example in examples), name)


def example_of(key: str) -> Example:
    return next(example for example in EXAMPLES if example.key == key)


def example_in(path: Path) -> Example | None:
    """Return the example that a file is, here or a copy elsewhere."""
    named = (example for example in EXAMPLES if example.file == path.name)
    with suppress(OSError):  # a file that has gone since it was read
        return next((each for each in named if cmp(path, resource("examples", each.file), shallow=False)), None)
    return None
