"""The tokenizer of a checkpoint, by the package `tokenizers` where that is installed."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from attn_gui.formats.base import reading
from attn_gui.formats.file_sentences import QT_TRANSLATE_NOOP, FormatError
from attn_gui.formats.foreign_arrays import Json
from attn_gui.models.reading.install_line import install_line
from attn_gui.models.reading.model_files import TOKENIZER, TOKENIZER_CONFIG, json_file
from attn_gui.models.reading.token_growth import TokenGrowth
from attn_gui.models.reading.token_texts import TokenTexts
from attn_gui.models.reading.whole_words import WholeWords

LARGEST = 1 << 26
LARGEST_PLAIN = 1 << 16  # bytes of one that is looked through for whole words
LONGEST_TEXT = 1 << 17  # letters
MASKS = ("[MASK]", "<mask>")  # of BERT and of RoBERTa, whose published folders do not all name it
NAMELESS = re.compile(r"#(0|[1-9][0-9]{0,8})")  # as `tokens` writes one, a few digits longer than there are any
LLAMAS = ("LlamaTokenizer", "LlamaTokenizerFast")
"""Classes of transformers that lay tokens round a text by switches beside the tokenizer, whatever its file says."""
_ABSENT = QT_TRANSLATE_NOOP("Sentences", "{file} is not there, and a text cannot be cut into tokens; give ids instead.")
_PACKAGE = QT_TRANSLATE_NOOP(
    "Sentences", "Cutting a text into tokens needs the package tokenizers; this line brings it: {line}"
)
_BAD = QT_TRANSLATE_NOOP("Sentences", "{file} cannot be read as a tokenizer: {reason}.")
_CANNOT = QT_TRANSLATE_NOOP("Sentences", "{file} cannot cut this text into tokens: {reason}.")
_LONG = QT_TRANSLATE_NOOP("Sentences", "The text has {got} letters; expected at most {expected}.")


class Cut(NamedTuple):
    """A text cut into tokens."""

    ids: tuple[int, ...]
    type_ids: tuple[int, ...]


class TokenizerFile:
    """A tokenizer.json, read when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TOKENIZER

    def cut(self, texts: Sequence[str]) -> Cut:
        """The tokens of a text, or of a pair of them, with the special ones that the tokenizer adds.

        Raises FormatError where there is no tokenizer, where it cannot cut them, or could make too much of them.
        """
        if (letters := sum(map(len, texts))) > LONGEST_TEXT:
            raise FormatError(_LONG, got=letters, expected=LONGEST_TEXT)
        tokenizer, texts = self._tokenizer, [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._answering(_CANNOT):
            if self._growth is not None:
                self._growth.check(texts)
            found = tokenizer.encode(*texts)
        return Cut(tuple(found.ids), tuple(found.type_ids))

    def tokens(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The tokens with these ids as the tokenizer writes them; where it has none, #ID."""
        if not self._known:
            return tuple(f"#{number}" for number in ids)
        named = {number: self._tokenizer.id_to_token(number) for number in set(ids)}
        return tuple(f"#{number}" if (token := named[number]) is None else token for number in ids)

    def texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The tokens with these ids as a reader expects them, a blank as ␣; where it has none, #ID."""
        tokens = self.tokens(ids)
        return tuple(map(self._texts.text, tokens)) if self._known else tokens

    @cached_property
    def mask_token(self) -> str | None:
        """The token that stands for one to be filled in: as the folder names it, else as families do; None for none."""
        if (found := _content(self._told.get("mask_token"))) is not None:
            return found
        return next((token for token in MASKS if self._known and self.token_id(token) is not None), None)

    def token_id(self, token: str) -> int | None:
        """The id of a token, one without a name being written as #ID; None for what is none."""
        number = int(token[1:]) if NAMELESS.fullmatch(token) else None
        found: int | None = self._tokenizer.token_to_id(token) if self._known or number is None else None
        return number if found is None and number is not None and self.tokens([number]) == (token,) else found

    @cached_property
    def _told(self) -> dict[str, Json]:
        """The words of the folder about its tokenizer."""
        path = self._path.with_name(TOKENIZER_CONFIG)
        return json_file(path, LARGEST) if path.exists() else {}

    @cached_property
    def _texts(self) -> TokenTexts:
        return TokenTexts.of(self._tokenizer)

    @cached_property
    def _known(self) -> bool:
        """Whether tokens have names here."""
        try:
            return self._tokenizer is not None
        except FormatError:
            return False

    @cached_property
    def _tokenizer(self) -> Any:
        if not self._path.exists():
            raise FormatError(_ABSENT).at(self._path)
        with suppress(FormatError):  # the package says what is wrong with a file
            if self._path.stat().st_size <= LARGEST_PLAIN and (plain := WholeWords.of(json_file(self._path))):
                return plain
        importlib.invalidate_caches()  # it may have been installed a moment ago
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise FormatError(_PACKAGE, line=install_line("tokenizers")) from error
        with reading(self._path, LARGEST) as source:
            data = source.file.read(source.size)
        told = self._told
        with self._answering(_BAD):
            found = Tokenizer.from_buffer(data)
            _lay_round(found, told)
            TokenGrowth(found).check_tokens()
        found.no_padding()  # files of sentence models pad everything to 128 tokens, and cut it there
        found.no_truncation()
        return found

    @cached_property
    def _growth(self) -> TokenGrowth | None:
        """The limits of what it makes of a text; None for one of whole words, which makes nothing longer."""
        return None if isinstance(self._tokenizer, WholeWords) else TokenGrowth(self._tokenizer)

    @contextmanager
    def _answering(self, template: str) -> Iterator[None]:
        """Say in one sentence what the package refuses: it may panic, which is no Exception."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            raise
        except FormatError as error:
            raise error.at(self._path) from error.__cause__
        except BaseException as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise FormatError(template, reason=reason[:200]).at(self._path) from error


def _lay_round(tokenizer: Any, told: Mapping[str, Json]) -> None:
    """Let a tokenizer begin and end a text as its folder says, where transformers lets that decide.

    Source: LlamaTokenizerFast.update_post_processor of https://github.com/huggingface/transformers.
    """
    if told.get("tokenizer_class") not in LLAMAS or not isinstance(told.get("add_bos_token"), bool):
        return
    from tokenizers.processors import TemplateProcessing

    before, after = (
        [token] if told.get(f"add_{side}_token") is True and (token := _content(told.get(f"{side}_token"))) else []
        for side in ("bos", "eos")
    )
    special = [(token, tokenizer.token_to_id(token)) for token in (*before, *after)]
    one, other = ([*before, text, *after] for text in ("$A", "$B:1"))
    tokenizer.post_processor = TemplateProcessing(single=one, pair=[*one, *other], special_tokens=special)


def _content(token: Json) -> str | None:
    """A special token, which is written as a text or as a record."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) else None
