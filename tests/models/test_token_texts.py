"""Texts of tokens: what a reader sees of pieces of bytes, SentencePiece and WordPiece; nothing is lost in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attn_gui.formats.visible_text import visible_text
from attn_gui.models import open_model
from attn_gui.models.tokenizer import TokenTexts
from tests.failing import each

DATA = Path(__file__).parents[1] / "data" / "models"
tokenizers = pytest.importorskip("tokenizers")
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402  # only where it is installed

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())


def by_bytes(*tokens: str) -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate(dict.fromkeys([*ALPHABET, *tokens]))}
    found = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    found.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    found.decoder = decoders.ByteLevel()
    found.add_special_tokens(["<|end of text|>", "<Ġ>"])
    return found


def of_sentence_piece() -> Tokenizer:
    found = Tokenizer(models.BPE(vocab={"▁": 0, "▁the": 1, "<0xE2>": 2, "<0x0A>": 3}, merges=[], byte_fallback=True))
    found.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return found


def with_sequence_in_sequence() -> Tokenizer:
    found = of_sentence_piece()
    found.decoder = decoders.Sequence([found.decoder, decoders.Fuse()])
    return found


def of_metaspace() -> Tokenizer:
    found = Tokenizer(models.Unigram([("▁the", -1.0), ("he", -1.0)]))
    found.pre_tokenizer = pre_tokenizers.Metaspace()
    found.decoder = decoders.Metaspace()
    return found


def of_word_piece() -> Tokenizer:
    found = Tokenizer(models.WordPiece({"go": 0, "##ing": 1, "[UNK]": 2}, unk_token="[UNK]"))
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    found.decoder = decoders.WordPiece()
    return found


@each(
    ("tokenizer", "token", "text"),
    [
        (by_bytes(), "ĠParis", "␣Paris"),
        (by_bytes(), "caf\u00c3\u00a9", "café"),  # the two bytes of é
        (by_bytes(), "Ċ", "↵"),
        (by_bytes(), "ĠĠĉ", "␣␣⇥"),
        (by_bytes(), "Ġâ\u0122", "␣‹E2 80›"),  # the first two of the three bytes of a dash
        (by_bytes(), "Ļs", "‹99›s"),
        (by_bytes(), "<|end of text|>", "<|end␣of␣text|>"),
        (by_bytes(), "<Ġ>", "<Ġ>"),  # it was added, and is no bytes
        (of_sentence_piece(), "▁the", "␣the"),
        (of_sentence_piece(), "<0xE2>", "‹E2›"),
        (of_sentence_piece(), "<0x0A>", "↵"),
        (with_sequence_in_sequence(), "▁the", "␣the"),
        (with_sequence_in_sequence(), "<0xE2>", "‹E2›"),
        (of_metaspace(), "▁the", "␣the"),
        (of_metaspace(), "he", "he"),
        (of_metaspace(), "<0x0A>", "<0x0A>"),
        (of_word_piece(), "go", "go"),
        (of_word_piece(), "##ing", "…ing"),
        (of_word_piece(), "##", "##"),
        (of_word_piece(), "[UNK]", "[UNK]"),
        (None, "Ġ▁##", "Ġ▁##"),  # of a tokenizer that says nothing of itself
        (None, "␣", "‹U+2423›"),
    ],
)
def test_the_text_of_a_token(tokenizer: Tokenizer | None, token: str, text: str) -> None:
    found = TokenTexts.of(tokenizer).text(token)
    assert found == text
    assert visible_text(found) == text


SIGNS = {"␣": " ", "↵": "\n", "⇥": "\t"}
PIECE = re.compile(r"‹U\+([0-9A-F]+)›|‹((?:[0-9A-F]{2} ?)+)›|(.)", re.DOTALL)


def bytes_of(text: str) -> bytes:
    """What a text says, byte by byte, by a way of its own."""
    return b"".join(
        chr(int(sign, 16)).encode() if sign else bytes.fromhex(torn) if torn else SIGNS.get(letter, letter).encode()
        for sign, torn, letter in PIECE.findall(text)
    )


@given(st.one_of(st.binary(min_size=1, max_size=12), st.text("aé…␣ \n😀", min_size=1, max_size=6).map(str.encode)))
def test_a_text_says_every_byte(data: bytes) -> None:
    if "‹" in data.decode(errors="ignore"):
        return
    letters = {byte: letter for letter, byte in zip(*told_letters(), strict=True)}
    assert bytes_of(TokenTexts(by_bytes=True).text("".join(letters[byte] for byte in data))) == data


def told_letters() -> tuple[list[str], list[int]]:
    """The letters for bytes as `tokenizers` itself has them: what it makes of every character of two bytes at most."""
    found: dict[int, str] = {}
    cut = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for number in (*range(0x80), *range(0x80, 0x800, 0x3F), *range(0x80, 0xC0)):
        written = cut.pre_tokenize_str(chr(number))[0][0]
        found |= dict(zip(chr(number).encode(), written, strict=True))
    rest = [letter for letter in ALPHABET if letter not in found.values()]
    missing = [byte for byte in range(0x100) if byte not in found]
    found |= dict(zip(missing, sorted(rest, key=ord), strict=True))  # bytes that no such character has, in order
    return list(found.values()), list(found)


@pytest.mark.parametrize(("name", "text"), [("tiny-gpt2", "the cat"), ("tiny-llama", "the cat"), ("tiny-bert", "cats")])
def test_a_model_says_both(name: str, text: str) -> None:
    run = open_model(DATA / name).run(text)
    assert len(run.texts) == len(run.tokens) == len(run.ids)
    assert run.problem(0).query_tokens == run.texts
    assert not any(mark in shown for shown in run.texts for mark in ("Ġ", "##"))
    assert [run.text_of(token) for token in run.tokens] == [*run.texts]
    assert [run.token_id(token) for token in run.tokens] == [*run.ids]
