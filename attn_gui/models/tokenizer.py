"""Tokenizer of a model: how a text is cut, a token spelled (Ġ, ▁); too many, unknown, padding tokens, token types."""

from __future__ import annotations

import base64
import importlib
import json
import re
from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attn_gui.engine import errors
from attn_gui.engine.arrays import Array
from attn_gui.engine.checks import kind_of
from attn_gui.engine.errors import FieldError, FieldTypeError
from attn_gui.engine.masks import Causal, Custom, Layer, Padding, Window
from attn_gui.formats.file_format import reading
from attn_gui.formats.file_messages import FileNote, FormatError, size_text
from attn_gui.formats.untrusted_bytes import Json
from attn_gui.languages import N_
from attn_gui.models.checkpoint_files import (
    ADDED_TOKENS,
    SPECIAL_TOKENS,
    TOKENIZER,
    TOKENIZER_CONFIG,
    install_line,
    json_file,
)
from attn_gui.models.families import Architecture

SHOWN = {" ": "␣", "\n": "↵", "\t": "⇥"}
"""Signs for what cannot be seen in a text; one that a text has itself is spelled by its number."""
CONTINUED = "…"  # before a token that goes on with a word, where nothing stands before one that begins it
BLANK = "▁"  # of SentencePiece, where no file says another one
_SIGNS = str.maketrans(SHOWN | {sign: f"‹U+{ord(sign):04X}›" for sign in SHOWN.values()})
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")

LONGEST = 1 << 22  # bytes that a text may become on the way, and tokens
LONGEST_TOKEN = 1 << 10  # letters
LONGEST_WORD = 1 << 11  # letters of a word that WordPiece looks through, for which it takes the cube of them in time
STEEPEST = 11  # times as many bytes: U+FDFA in NFKC and NFKD
GROWTH = {
    "Nmt": 1,
    "Strip": 1,
    "StripAccents": 1,
    "Lowercase": 2,
    "NFC": 3,
    "NFD": 3,
    "ByteLevel": 2,
    "BertNormalizer": 12,
}
"""How many times as many bytes a normalizer makes at most; of others `STEEPEST`."""
_GROWS = N_("{file} could make {got} out of this text while it cuts it into tokens; expected at most {expected}.")
_WORD = N_("{file} would look through a word of {got} letters for its parts; expected at most {expected}.")
_TOKEN = N_("{file} has a token of {got} letters; expected at most {expected}.")

UNDERSTOOD = {"version", "model", "pre_tokenizer", "post_processor", "decoder"}
"""Parts of a tokenizer.json that are read, or that say nothing of how a text is cut; all others must be empty."""

WORD = re.compile(r"[\S\x1c-\x1f]+")
"""Run of letters between blanks; U+001C to U+001F are blanks to Python, not to Unicode nor to the package."""
MOST_PARTS = 16  # of a template; the package's own limits hold for more
TEXTS = ("A", "B")  # of a pair, as templates name them

LARGEST = 1 << 26
LARGEST_PLAIN = 1 << 16  # bytes of one that is looked through for whole words
LONGEST_TEXT = 1 << 17  # letters
MASKS = ("[MASK]", "<mask>")  # of BERT and of RoBERTa, whose published folders do not all name it
UNKNOWN = ("<unk>", "[UNK]")  # what stands for anything else
NAMELESS = re.compile(r"#(0|[1-9][0-9]{0,8})")  # as `tokens` writes one, a few digits longer than there are any
LLAMAS = ("LlamaTokenizer", "LlamaTokenizerFast")
"""Classes of transformers that lay tokens round a text by switches beside the tokenizer, whatever its file says."""
_ABSENT = N_("{file} is not there, and a text cannot be cut into tokens; give ids instead.")
_PACKAGE = N_("Cutting a text into tokens needs the package tokenizers; this line brings it: {line}")
_BAD = N_("{file} cannot be read as a tokenizer: {reason}.")
_CANNOT = N_("{file} cannot cut this text into tokens: {reason}.")
_TOO_LONG = N_("The text has {got} letters; expected at most {expected}.")

SETTINGS = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
    "add_prefix_space": "add_prefix_space",
}
"""Entries of tokenizer_config.json, and the settings of a tokenizer's parts that they stand for."""
GENERAL = ("PreTrainedTokenizerFast", "TokenizersBackend")
"""Classes of transformers that cut letters as the tokenizer's file has them: only `add_prefix_space` is said beside."""
ADDED = "added_tokens_decoder"  # entry that gives tokens by their ids, and more exactly than the tokenizer's file
NAMED = tuple(f"{kind}_token" for kind in ("bos", "eos", "unk", "sep", "pad", "cls", "mask"))
LISTED = ("additional_special_tokens", "extra_special_tokens")
"""Entries that name special tokens, one each or a list of them."""
_NO_TOKENS = N_("{field} in {other}, beside {file}, has to give a record with a content for each id.")
_NO_IDS = N_("{other}, beside {file}, has to give a whole number for each token.")
_OTHER_ID = N_("{file} gives the token {name} the id {got}, but {other} the id {expected}.")
SIDES = ("bos", "eos")  # what transformers calls the tokens that begin and end a text


# --- token texts ----------------------------------------------------------------------------------
def _byte_letters() -> Mapping[str, int]:
    """Return the letter that stands for each byte. Source: bytes_to_unicode of https://github.com/openai/gpt-2."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + place): byte for place, byte in enumerate(others)}


_LETTERS = _byte_letters()


@dataclass(frozen=True)
class TokenTexts:
    """How a tokenizer writes bytes and blanks, and what it puts before later parts of a word."""

    by_bytes: bool = False  # each letter is a byte
    by_fallback: bool = False  # <0xE2> is a byte that is no token otherwise
    blank: str = ""
    rest: str = ""  # before the rest of a word, ## of WordPiece
    added: Collection[str] = frozenset()  # tokens that are as they are

    @classmethod
    def of(cls, tokenizer: Any) -> TokenTexts:
        """Read them from a tokenizer of the package `tokenizers`; tokens of other tokenizers stay as they are."""
        before = _components(getattr(tokenizer, "pre_tokenizer", None), "pretokenizers")
        after = _components(getattr(tokenizer, "decoder", None), "decoders")
        kinds = {part["type"]: part for part in (*before, *after)}
        spaced = kinds.get("Metaspace", {}).get("replacement", "")
        if not spaced and _replaces(kinds.get("Replace", {}), BLANK):
            spaced = BLANK
        added: Mapping[int, Any] = getattr(tokenizer, "get_added_tokens_decoder", dict)()
        return cls(
            by_bytes="ByteLevel" in kinds,
            by_fallback="ByteFallback" in kinds,
            blank=str(spaced),
            rest=str(getattr(getattr(tokenizer, "model", None), "continuing_subword_prefix", None) or ""),
            added=frozenset(str(one.content) for one in added.values()),
        )

    def text(self, token: str) -> str:
        """Return the text of a token: a blank as ␣, bytes that are no whole character as ‹E2 80›."""
        if token in self.added:
            return _seen(token)
        if self.by_bytes and all(letter in _LETTERS for letter in token):
            return _decoded(bytes(_LETTERS[letter] for letter in token))
        if self.by_fallback and (byte := _BYTE.fullmatch(token)):
            return _decoded(bytes.fromhex(byte[1]))
        if self.rest and token.startswith(self.rest) and token != self.rest:
            return CONTINUED + _seen(token.removeprefix(self.rest))
        return _seen(token.replace(self.blank, " ") if self.blank else token)


def _seen(text: str) -> str:
    return text.translate(_SIGNS)


def _decoded(data: bytes) -> str:
    """Return the characters of UTF-8 data; bytes that are none as ‹E2 80›."""
    found, torn = "", b""
    while data:
        try:
            whole, wrong, data = data.decode(), b"", b""
        except UnicodeDecodeError as error:
            whole, wrong, data = data[: error.start].decode(), data[error.start : error.end], data[error.end :]
        found += (_bytes(torn) if whole else "") + _seen(whole)
        torn = wrong if whole else torn + wrong
    return found + _bytes(torn)


def _bytes(data: bytes) -> str:
    return f"‹{data.hex(' ').upper()}›" if data else ""


def _components(part: Any, inner: str) -> Iterator[Mapping[str, Any]]:
    """Yield the settings of a part of a tokenizer as tokenizer.json has them, those of a sequence one by one.

    `inner` is the name under which such a sequence lists its parts.
    """
    if part is not None:
        yield from _flat(json.loads(part.__getstate__()), inner)


def _flat(settings: Mapping[str, Any], inner: str) -> Iterator[Mapping[str, Any]]:
    if settings["type"] != "Sequence":
        yield settings
        return
    for one in settings[inner]:
        yield from _flat(one, inner)


def _replaces(decoder: Mapping[str, Any], blank: str) -> bool:
    """Return whether a decoder replaces this letter by a blank."""
    pattern = decoder.get("pattern")
    return isinstance(pattern, Mapping) and pattern.get("String") == blank and decoder.get("content") == " "


# --- limits ---------------------------------------------------------------------------------------
class TokenizerLimits:
    """Limits on the parts of a tokenizer of the package `tokenizers` that can make a text longer."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def check_tokens(self) -> None:
        """Raise FormatError for a token or affix that is too long: it could be at every place of a text."""
        model = self._tokenizer.model
        parts = [getattr(model, name, None) or "" for name in ("continuing_subword_prefix", "end_of_word_suffix")]
        longest = max(map(len, (*parts, *self._tokenizer.get_vocab())))
        if longest > LONGEST_TOKEN:
            raise FormatError(_TOKEN, got=f"{longest:,}", expected=f"{LONGEST_TOKEN:,}")

    def check(self, texts: Sequence[str]) -> None:
        """Raise FormatError where one of the texts could become too long."""
        repeated, added = self._template_growth
        for text in map(self._normalized, texts):
            self._weigh(len(text.encode()) * self._by_pieces * repeated + added)
            self._check_words(text)

    def _check_words(self, text: str) -> None:
        """Raise FormatError for a word that would keep WordPiece busy for minutes."""
        if getattr(self._tokenizer.model, "max_input_chars_per_word", 0) <= LONGEST_WORD:
            return  # longer ones are unknown to it at once
        cut = self._tokenizer.pre_tokenizer
        words = [text] if cut is None else [word for word, _ in cut.pre_tokenize_str(text)]
        if (longest := max(map(len, words), default=0)) > LONGEST_WORD:
            raise FormatError(_WORD, got=f"{longest:,}", expected=f"{LONGEST_WORD:,}")

    def _normalized(self, text: str) -> str:
        """Return a text after the normalizers, each of which is run once it is known not to make too much."""
        from tokenizers import normalizers

        for settings in self._normalizers:
            self._weigh(_most(settings, text))
            normalizer = normalizers.Sequence([])
            normalizer.__setstate__(json.dumps(settings).encode())
            text = normalizer.normalize_str(text)
        return text

    def _weigh(self, size: int) -> None:
        if size > LONGEST:
            raise FormatError(_GROWS, got=size_text(size), expected=size_text(LONGEST))

    @cached_property
    def _normalizers(self) -> list[Mapping[str, Any]]:
        return list(_components(self._tokenizer.normalizer, "normalizers"))

    @cached_property
    def _by_pieces(self) -> int:
        """The largest factor by which pre-tokenizers lengthen a text, in bytes."""
        found = 1
        for part in _components(self._tokenizer.pre_tokenizer, "pretokenizers"):
            if part["type"] == "ByteLevel":
                found *= 3  # a letter of two bytes for each byte, and a blank before each piece
            elif part["type"] == "Metaspace":
                found *= 2 * len(part["replacement"].encode())
        return found

    @cached_property
    def _template_growth(self) -> tuple[int, int]:
        """How often templates repeat a text at most, and the letters of the tokens that they add."""
        repeated, added = 1, 0
        for processor in _components(self._tokenizer.post_processor, "processors"):
            if processor["type"] != "TemplateProcessing":
                continue
            for template in (processor["single"], processor["pair"]):
                texts = Counter(part["Sequence"]["id"] for part in template if "Sequence" in part)
                ids = Counter(part["SpecialToken"]["id"] for part in template if "SpecialToken" in part)
                repeated = max(repeated, *texts.values(), 1)
                for name, count in ids.items():
                    added += count * sum(len(token) + 1 for token in processor["special_tokens"][name]["tokens"])
        return repeated, added


def _most(normalizer: Mapping[str, Any], text: str) -> int:
    """Return the most bytes that a normalizer can make of a text."""
    size, kind = len(text.encode()), normalizer["type"]
    if kind == "Prepend":
        return size + len(normalizer["prepend"].encode())
    if kind == "Replace":
        plain = normalizer["pattern"].get("String")
        places = text.count(plain) if plain else len(text) + 1
        return size + places * len(normalizer["content"].encode())
    if kind == "Precompiled":
        data = base64.b64decode(normalizer["precompiled_charsmap"])
        texts = data[4 + int.from_bytes(data[:4], "little") :]  # behind the table that points to them
        return size * max(map(len, texts.split(b"\0")))
    return size * GROWTH.get(kind, STEEPEST)


# --- whole words ----------------------------------------------------------------------------------
# Tokenizer of whole words between blanks, the one kind that needs no package: the toy model opens anywhere.
class EncodedText(NamedTuple):
    """A text cut into tokens, as from the package `tokenizers`."""

    ids: list[int]
    type_ids: list[int]
    unknown: tuple[str, list[str]]  # a token, and the words for which it stands


class _TemplatePart(NamedTuple):
    """A part of a template: a special token, or one of the texts."""

    token: str
    text: int
    type_id: int


Template = tuple[_TemplatePart, ...]
ALONE, PAIR = (_TemplatePart("", 0, 0),), (_TemplatePart("", 0, 0), _TemplatePart("", 1, 1))


class WholeWords:
    """A tokenizer that cuts at blanks and looks up whole words, with special tokens as the file's templates say.

    Source: WordLevel, WhitespaceSplit and TemplateProcessing of https://github.com/huggingface/tokenizers.
    """

    def __init__(self, words: Mapping[str, int], unknown: str, templates: tuple[Template, Template]) -> None:
        self._ids, self._unknown, self._templates = dict(words), unknown, templates
        self._words = {number: word for word, number in words.items()}

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> WholeWords | None:
        """Return the tokenizer that a tokenizer.json describes; None if that is of another kind."""
        try:
            model, cut, after = given["model"], given["pre_tokenizer"], given.get("post_processor")
            plain = not any(given[name] for name in given.keys() - UNDERSTOOD)
            if not plain or (model["type"], cut["type"]) != ("WordLevel", "WhitespaceSplit"):
                return None
            words = {str(word): int(number) for word, number in model["vocab"].items()}
            templates = (ALONE, PAIR) if after is None else _templates(after)
            if max(map(len, templates)) > MOST_PARTS:
                return None
            known = all(part.token in words for template in templates for part in template if part.token)
            return cls(words, model["unk_token"], templates) if known and model["unk_token"] in words else None
        except (KeyError, TypeError, ValueError, AttributeError):
            return None

    def encode(self, *texts: str) -> EncodedText:
        """Return the tokens of a text, or of a pair of them."""
        found = EncodedText([], [], (self._unknown, []))
        for part in self._templates[len(texts) - 1]:
            words = [part.token] if part.token else WORD.findall(texts[part.text])
            found.ids.extend(self._ids.get(word, self._ids[self._unknown]) for word in words)
            found.type_ids.extend([part.type_id] * len(words))
            found.unknown[1].extend(word for word in words if word not in self._ids)
        return found

    def id_to_token(self, number: int) -> str | None:
        """Return the word of an id."""
        return self._words.get(number)

    def token_to_id(self, token: str) -> int | None:
        """Return the id of a word."""
        return self._ids.get(token)


def _templates(after: Mapping[str, Any]) -> tuple[Template, Template]:
    """Return the template parts for one text, and for a pair. Raises ValueError for another kind."""
    if after["type"] != "TemplateProcessing":
        raise ValueError(after["type"])
    return tuple(map(_part, after["single"])), tuple(map(_part, after["pair"]))


def _part(given: Mapping[str, Any]) -> _TemplatePart:
    if special := given.get("SpecialToken"):
        return _TemplatePart(special["id"], 0, special["type_id"])
    text = given["Sequence"]
    return _TemplatePart("", TEXTS.index(text["id"]), text["type_id"])


# --- tokenizer ------------------------------------------------------------------------------------
class TokenizedText(NamedTuple):
    """A text cut into tokens."""

    ids: tuple[int, ...]
    type_ids: tuple[int, ...]
    unknown: tuple[str, ...] = ()  # parts of the text that are no tokens
    stand_in: str = ""  # the token in the place of each


def _unknown(tokenizer: Any, found: Any, texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return a tokenizer's token for unknown parts, and these parts of the texts; "" and none without one."""
    named = getattr(tokenizer.model, "unk_token", None), *UNKNOWN  # one of Unigram does not name it
    token = next((one for one in named if one and tokenizer.token_to_id(one) is not None), "")
    number, places = tokenizer.token_to_id(token), zip(found.ids, found.sequence_ids, found.offsets, strict=True)
    return token, [
        texts[text][start:end]
        for one, text, (start, end) in places
        if one == number and text is not None and start < end
    ]


class TokenizerFile:
    """A tokenizer.json, read when it is first needed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / TOKENIZER

    def cut(self, texts: Sequence[str]) -> TokenizedText:
        """Return the tokens of a text, or of a pair of texts, with the special ones that the tokenizer adds.

        Raises FormatError where there is no tokenizer, where it cannot cut the text, or could make too much of it.
        """
        if (letters := sum(map(len, texts))) > LONGEST_TEXT:
            raise FormatError(_TOO_LONG, got=f"{letters:,}", expected=f"{LONGEST_TEXT:,}")
        tokenizer, texts = self._tokenizer, [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        with self._answering(_CANNOT):
            if self._growth is not None:
                self._growth.check(texts)
            found = tokenizer.encode(*texts)
            stand_in, unknown = found.unknown if isinstance(found, EncodedText) else _unknown(tokenizer, found, texts)
        return TokenizedText(tuple(found.ids), tuple(found.type_ids), tuple(dict.fromkeys(unknown)), stand_in)

    def tokens(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the tokens with these ids as the tokenizer writes them; #ID for an unknown one."""
        if not self._known:
            return tuple(f"#{number}" for number in ids)
        named = {number: self._tokenizer.id_to_token(number) for number in set(ids)}
        return tuple(f"#{number}" if (token := named[number]) is None else token for number in ids)

    def texts(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the tokens with these ids as a reader expects them, a blank as ␣; #ID for an unknown one."""
        tokens = self.tokens(ids)
        return tuple(map(self._texts.text, tokens)) if self._known else tokens

    @cached_property
    def mask_token(self) -> str | None:
        """The token that is to be filled in: as the folder names it, or as families do; None without one."""
        if (found := _content(self._settings.get("mask_token"))) is not None:
            return found
        return next((token for token in MASKS if self._known and self.token_id(token) is not None), None)

    def token_id(self, token: str) -> int | None:
        """Return the id of a token, which may be written as #ID; None for an unknown one."""
        number = int(token[1:]) if NAMELESS.fullmatch(token) else None
        found: int | None = self._tokenizer.token_to_id(token) if self._known or number is None else None
        return number if found is None and number is not None and self.tokens([number]) == (token,) else found

    @cached_property
    def _settings(self) -> dict[str, Json]:
        """The entries of the folder's tokenizer_config.json, special tokens of older folders among them."""
        found = self._beside(TOKENIZER_CONFIG)
        named = {} if ADDED in found else self._beside(SPECIAL_TOKENS)
        for name in (*NAMED, *LISTED):
            if name in named:
                before, more = found.get(name), named[name]
                found[name] = [*before, *more] if isinstance(before, list) and isinstance(more, list) else more
        return found

    @cached_property
    def _older_tokens(self) -> dict[str, Json]:
        """The ids of added tokens in an older folder, which transformers reads where tokenizer_config.json has none."""
        return {} if ADDED in self._settings else self._beside(ADDED_TOKENS)

    def _beside(self, name: str) -> dict[str, Json]:
        """Return the entries of a file beside the tokenizer's; none where it is not there."""
        path = self._path.with_name(name)
        return json_file(path, LARGEST) if path.exists() else {}

    @cached_property
    def _texts(self) -> TokenTexts:
        return TokenTexts.of(self._tokenizer)

    @cached_property
    def _known(self) -> bool:
        """Whether tokens have names."""
        try:
            return self._tokenizer is not None
        except FormatError:
            return False

    @cached_property
    def _tokenizer(self) -> Any:
        if not self._path.exists():
            raise FormatError(_ABSENT).at(self._path)
        with suppress(FormatError):  # the package says what is wrong with a file
            small = self._path.stat().st_size <= LARGEST_PLAIN
            alone = small and not self._settings.get(ADDED) and not self._older_tokens
            plain = WholeWords.of(json_file(self._path)) if alone else None
            if plain is not None and all(plain.token_to_id(name) is not None for name in _named(self._settings)):
                return plain
        importlib.invalidate_caches()  # it may have been installed a moment ago
        try:
            from tokenizers import Tokenizer
        except ImportError as error:
            raise FormatError(_PACKAGE, line=install_line("tokenizers")) from error
        with reading(self._path, LARGEST) as source:
            data = source.file.read(source.size)
        settings, older = self._settings, self._older_tokens
        with self._answering(_BAD):
            found = Tokenizer.from_buffer(data)
            _add_tokens(found, settings, older)
            _set_template(found, settings)
            _set_parts(found, settings)
            TokenizerLimits(found).check_tokens()
        found.no_padding()  # files of sentence models pad everything to 128 tokens, and cut it there
        found.no_truncation()
        return found

    @cached_property
    def _growth(self) -> TokenizerLimits | None:
        """Limits on what it can make of a text; None for whole words, which makes nothing longer."""
        return None if isinstance(self._tokenizer, WholeWords) else TokenizerLimits(self._tokenizer)

    @contextmanager
    def _answering(self, template: str) -> Iterator[None]:
        """Turn what the package refuses into one sentence; it may panic, which raises no Exception."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            raise
        except FormatError as error:
            raise error.at(self._path) from error.__cause__
        except BaseException as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise FormatError(template, reason=reason[:200]).at(self._path) from error


def _add_tokens(tokenizer: Any, settings: Mapping[str, Json], older: Mapping[str, Json]) -> None:
    """Add the tokens that stand in tokenizer_config.json, beside the tokenizer's file, as transformers does.

    `older`: in added_tokens.json. Source: PreTrainedTokenizerBase._from_pretrained and PreTrainedTokenizerFast.__init__
    of https://github.com/huggingface/transformers.
    """
    from tokenizers import AddedToken

    named, present = _named(settings), tokenizer.get_added_tokens_decoder()
    given: Any = settings.get(ADDED) or {}
    try:
        tokens = {int(number): _added(given[number], named) for number in sorted(given, key=int)}
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise FormatError(_NO_TOKENS, field=ADDED, other=TOKENIZER_CONFIG) from error
    ids = [(name, number) for name, number in older.items() if type(number) is int]
    if len(ids) < len(older):
        raise FormatError(_NO_IDS, other=ADDED_TOKENS)
    by_id = {number: AddedToken(name, normalized=name not in named, special=name in named) for name, number in ids}
    tokens |= {number: by_id[number] for number in sorted(by_id.keys() - present.keys())}
    known = {one.content for one in (*present.values(), *tokens.values())}
    alone = {number: one for number, one in tokens.items() if tokenizer.token_to_id(one.content) is None}
    tokenizer.add_tokens([*tokens.values(), *(_added(one, named) for name, one in named.items() if name not in known)])
    for number, one in alone.items():
        if (got := tokenizer.token_to_id(one.content)) != number:
            other = ADDED_TOKENS if older else TOKENIZER_CONFIG
            raise FormatError(_OTHER_ID, name=one.content, got=got, expected=number, other=other)


def _added(token: Any, special: Container[str]) -> Any:
    """Return a token, given as a text or a record, as the package `tokenizers` adds it."""
    from tokenizers import AddedToken

    if not isinstance(token, dict):
        return AddedToken(token, special=token in special)
    flags = {name: token[name] for name in AddedToken("").__getstate__() if token.get(name) is not None}
    return AddedToken(**flags | {"special": token["content"] in special or flags.get("special", False)})


def _set_template(tokenizer: Any, settings: Mapping[str, Json]) -> None:
    """Make a tokenizer begin and end a text as its folder says, where transformers reads that.

    Source: LlamaTokenizerFast.update_post_processor of https://github.com/huggingface/transformers.
    """
    if settings.get("tokenizer_class") not in LLAMAS or not isinstance(settings.get("add_bos_token"), bool):
        return
    from tokenizers.processors import TemplateProcessing

    added = (settings.get(f"add_{side}_token") is True and _content(settings.get(f"{side}_token")) for side in SIDES)
    before, after = ([token] if token else [] for token in added)
    special = [(token, tokenizer.token_to_id(token)) for token in (*before, *after)]
    one, other = ([*before, text, *after] for text in ("$A", "$B:1"))
    tokenizer.post_processor = TemplateProcessing(single=one, pair=[*one, *other], special_tokens=special)


def _set_parts(tokenizer: Any, settings: Mapping[str, Json]) -> None:
    """Make a tokenizer cut as its folder says beside it, where transformers takes that for the word of its file.

    Source: BertTokenizerFast and GPT2TokenizerFast of https://github.com/huggingface/transformers.
    """
    from tokenizers import normalizers, pre_tokenizers

    parts = [("pre_tokenizer", pre_tokenizers)]
    if settings.get("tokenizer_class") not in GENERAL:
        parts.append(("normalizer", normalizers))
    for part, kinds in parts:
        component = getattr(tokenizer, part)
        state = {} if component is None else json.loads(component.__getstate__())
        given = ((SETTINGS.get(name), value) for name, value in settings.items() if isinstance(value, bool))
        told = {name: value for name, value in given if name in state}
        if any(state[name] != value for name, value in told.items()):
            changed = kinds.Sequence([])
            changed.__setstate__(json.dumps(state | told).encode())
            setattr(tokenizer, part, changed)


def _named(settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return the special tokens that tokenizer_config.json names, as it gives them."""
    lists = [list(found.values()) if isinstance(found, dict) else found for found in map(settings.get, LISTED)]
    given = chain(map(settings.get, NAMED), *(found for found in lists if isinstance(found, list)))
    return {name: one for one in given if (name := _content(one))}


def _content(token: Json) -> str | None:
    """Return a special token, which may be given as a text or a record."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) else None


# --- texts for a model ----------------------------------------------------------------------------
_EMPTY = N_("The text gives no token; a model reads at least one.")
_LONG = N_("{got} tokens are too many: this model reads at most {expected}.")
_ID = N_("{field}: there is no token {got}; the model has {expected}, counted from 0.")
_LENGTH = N_("{field} has {got} entries; expected one for each of the {expected} tokens.")
_NO_TYPES = N_("This model has no token types: leave out type_ids.")
_CLOSED = N_("mask closes every token; at least one must be open.")


@dataclass(frozen=True, eq=False)
class TokenSequence:
    """Tokens of one text; `mask` is None where none of them is padding."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    mask: Array | None
    tokens: tuple[str, ...]
    texts: tuple[str, ...]  # of the tokens, as a reader expects them
    notes: tuple[FileNote, ...] = ()  # what the tokenizer does not know of the text

    def positions(self, sizes: Architecture) -> Array:
        """Return the row of the table of positions for each token."""
        if sizes.padding_id is None:
            return np.arange(len(self.ids))
        real = np.asarray(self.ids) != sizes.padding_id
        return np.where(real, np.cumsum(real), 0) + sizes.padding_id

    def seen(self, sizes: Architecture, window: int | None) -> Array | None:
        """Return (query, key) booleans: keys that a query sees; None where all see all."""
        n = len(self.ids)
        if not sizes.causal:
            return None if self.mask is None else np.broadcast_to(self.mask, (n, n))
        behind = np.arange(n)[:, None] - np.arange(n)
        found = (behind >= 0) & (behind < (window or n))
        return found if self.mask is None else found & self.mask

    def mask_layers(self, sizes: Architecture, window: int | None) -> list[Layer]:
        """Return the mask layers of a problem that leave each query the keys it sees."""
        found: list[Layer] = [Causal()] if sizes.causal else []
        if window is not None:
            found.append(Window(left=window - 1, right=None))
        if self.mask is not None:
            count = int(self.mask.sum())
            whole = self.mask[:count].all()
            found.append(Padding(lengths=(count,)) if whole else Custom(allowed=self.mask[None, :]))
        return found


def checked_sequence(
    sizes: Architecture, ids: object, types: object | None, mask: object | None
) -> tuple[tuple[int, ...], tuple[int, ...], Array | None]:
    """Return ids, types and padding of one length. Raises FieldError or FieldTypeError."""
    found = _wholes("ids", ids)
    if not found:
        raise FieldError(_EMPTY)
    if len(found) > sizes.most_tokens:
        raise FieldError(_LONG, got=f"{len(found):,}", expected=f"{sizes.most_tokens:,}")
    _within("ids", found, sizes.vocabulary)
    if types is not None and not sizes.token_types and any(_wholes("type_ids", types)):
        raise FieldError(_NO_TYPES)
    kinds = (0,) * len(found)
    if types is not None and sizes.token_types:
        kinds = _alike("type_ids", _wholes("type_ids", types), len(found))
        _within("type_ids", kinds, sizes.token_types)
    opened = None
    if mask is not None:
        opened = np.array(_alike("mask", _wholes("mask", mask), len(found)), bool)
        if not opened.any():
            raise FieldError(_CLOSED)
    return found, kinds, None if opened is None or opened.all() else opened


def _wholes(field: str, given: Any) -> tuple[int, ...]:
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise FieldTypeError(errors.NOT_WHOLE, field=field, got=kind_of(given)) from error
    if array.size == 0:
        return ()
    if array.ndim != 1 or array.dtype.kind not in "iub":
        raise FieldTypeError(errors.NOT_WHOLE, field=field, got=kind_of(given))
    return tuple(map(int, array))


def _alike(field: str, given: tuple[int, ...], count: int) -> tuple[int, ...]:
    if len(given) != count:
        raise FieldError(_LENGTH, field=field, got=len(given), expected=count)
    return given


def _within(field: str, given: Sequence[int], count: int) -> None:
    wrong = [number for number in given if not 0 <= number < count]
    if wrong:
        raise FieldError(_ID, field=field, got=wrong[0], expected=count)
