"""A published checkpoint: sizes, numbers and tokenizer of a folder."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from attn_gui.engine.checks import kind_of
from attn_gui.engine.errors import FieldError, FieldTypeError
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, Note
from attn_gui.models.families.architecture import Architecture
from attn_gui.models.families.end_weights import EndWeights
from attn_gui.models.passes.edited_layer import AnyLayer, edited
from attn_gui.models.passes.sequence import Sequence, checked_sequence
from attn_gui.models.reading.model_files import folder_digest, folder_stamps
from attn_gui.models.reading.sentence_pooling import Pooling
from attn_gui.models.reading.tokenizer_file import TokenizerFile
from attn_gui.models.studies.layer_edit import LayerEdit

_ONE_INPUT = QT_TRANSLATE_NOOP("Sentences", "Give either a text or ids.")
_TEXTS = QT_TRANSLATE_NOOP("Sentences", "text must be a text, or a pair of them, got {got}.")


class Checkpoint:
    """Sizes, numbers and tokenizer of a folder. Numbers are never changed: `with_edits` makes another one."""

    def __init__(
        self,
        family: str,
        sizes: Architecture,
        ends: EndWeights,
        layers: tuple[AnyLayer, ...],
        folder: Path,
        pooling: Pooling | None,
        name: str,
        notes: tuple[Note, ...] = (),
    ) -> None:
        """`notes`: what the folder holds and is not used, a sentence each."""
        self.family, self.sizes, self.ends, self.layers = family, sizes, ends, layers
        self.folder, self.pooling, self.name, self.notes = folder, pooling, name, notes
        self.tokenizer = TokenizerFile(folder)
        self._opened = folder_stamps(folder)

    @property
    def num_layers(self) -> int:
        return self.sizes.num_layers

    @property
    def num_heads(self) -> int:
        return self.sizes.num_heads

    @property
    def num_kv_heads(self) -> int:
        return self.sizes.num_kv_heads

    @cached_property
    def digest(self) -> str:
        """SHA-256 of config.json and the weights in its folder: what a file may name the checkpoint by. Raises
        FormatError where the folder holds others now."""
        return folder_digest(self.folder, self._opened)

    def __repr__(self) -> str:
        shared = "" if self.num_heads == self.num_kv_heads else f" on {self.num_kv_heads}"
        sizes = f"{self.num_layers} layers, {self.num_heads} heads{shared}"
        return f"{type(self).__name__}({self.family}, {sizes}, {self.name})"

    def read(
        self, text: str | tuple[str, str] | None = None, *, ids: Any = None, type_ids: Any = None, mask: Any = None
    ) -> Sequence:
        """The tokens of a text, or of ids, as `run` takes them; raises what it does."""
        if (text is None) == (ids is None):
            raise FieldError(_ONE_INPUT)
        if text is not None:
            cut = self.tokenizer.cut(_texts(text))
            ids, type_ids = cut.ids, cut.type_ids if self.sizes.token_types > 1 and type_ids is None else type_ids
        found, types, padding = checked_sequence(self.sizes, ids, type_ids, mask)
        return Sequence(found, types, padding, self.tokenizer.tokens(found), self.tokenizer.texts(found))

    def with_edits(self, edits: Mapping[int, LayerEdit]) -> Self:
        """Checkpoint with these changes by hand and no others; a layer of which they are the same stays the same."""
        made = copy.copy(self)
        made.layers = tuple(edited(layer, edits.get(number)) for number, layer in enumerate(self.layers))
        return made


def _texts(given: object) -> tuple[str, ...]:
    match given:
        case str():
            return (given,)
        case [str()] | [str(), str()]:
            return tuple(given)
    raise FieldTypeError(_TEXTS, got=kind_of(given))
